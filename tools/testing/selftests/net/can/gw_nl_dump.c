// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of the gateway's generic netlink family: which rules they have, in how
 * many parts whatsoever, and whether the table has changed meanwhile; and what
 * rule-reset counts.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/raw.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_sender.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define SRC	10
#define SRC1	11
#define DST	20
#define DST1	21
#define MANY	5000	/* rules, or CAN_GW_RULES */
#define LARGE	32768	/* bytes of a read, more than the kernel sends at once */
#define SMALL	4096
#define THREADS	4
#define FRAMES	1000	/* of each thread */
#define ID	0x100

FIXTURE(gw_nl_dump) {
	struct gwnl gw;
	struct gwnl other;
};

FIXTURE_SETUP(gw_nl_dump)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(SRC, ct_vcan_add_at("src", CAN_MTU, SRC));
	ASSERT_EQ(SRC1, ct_vcan_add_at("src1", CAN_MTU, SRC1));
	ASSERT_EQ(DST, ct_vcan_add_at("dst", CAN_MTU, DST));
	ASSERT_EQ(DST1, ct_vcan_add_at("dst1", CAN_MTU, DST1));
	ASSERT_EQ(0, gwnl_open(&self->gw));
	ASSERT_EQ(0, gwnl_open(&self->other));
}

FIXTURE_TEARDOWN(gw_nl_dump)
{
	gwnl_close(&self->gw);
	gwnl_close(&self->other);
}

/* Choices */

static const char * const some_names[] = { "", "one", "two" };

#define KINDS (2 * 2 * 3 * 3)

/* each combination of source, destination, kind and name once */
static struct gwnl_rule kind_of_rule(int number)
{
	struct gwnl_rule rule = {
		.source = number & 1 ? SRC : SRC1,
		.destination = number & 2 ? DST : DST1,
		.frames = number / 4 % 3,
	};

	gwnl_set_name(&rule, some_names[number / 12 % 3]);
	return rule;
}

static bool chosen(const struct gwnl_rule *choice, const struct gwnl_rule *rule)
{
	return (!choice->source || choice->source == rule->source) &&
	       (!choice->destination ||
		choice->destination == rule->destination) &&
	       (!(choice->has & GWNL_HAS(FRAMES)) ||
		choice->frames == rule->frames) &&
	       (!choice->name[0] || !strcmp(choice->name, rule->name));
}

struct wanted {
	const struct gwnl_rule *choice;
	uint64_t last;
	int strangers;
};

static void check_chosen(const struct gwnl_rule *rule, void *data)
{
	struct wanted *wanted = data;

	if (!chosen(wanted->choice, rule) ||
	    (wanted->last && rule->handle >= wanted->last))
		wanted->strangers++;
	wanted->last = rule->handle;
}

static void expect_chosen(struct __test_metadata *_metadata, struct gwnl *gw,
			  int cmd, const struct gwnl_rule *choice)
{
	struct wanted wanted = { .choice = choice };
	struct gwnl_rule rule;
	int i, count = 0;

	for (i = 0; i < KINDS; i++) {
		rule = kind_of_rule(i);
		count += chosen(choice, &rule);
	}
	EXPECT_EQ(count, gwnl_dump(gw, cmd, choice, check_chosen, &wanted));
	EXPECT_EQ(0, wanted.strangers)
		TH_LOG("source %u destination %u frames %u name '%s'",
		       choice->source, choice->destination, choice->frames,
		       choice->name);
}

TEST_F_TIMEOUT(gw_nl_dump, has_the_rules_that_match_all_criteria, 120)
{
	static const uint32_t sources[] = { 0, SRC, SRC1, DST, 123456 };
	static const uint32_t destinations[] = { 0, DST, DST1, SRC };
	static const char * const names[] = { "", "one", "two", "on", "one1" };
	struct gwnl_rule choice, rule;
	unsigned int i;

	for (i = 0; i < KINDS; i++) {
		rule = kind_of_rule(i);
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	}
	for (i = 0; i < 5 * 4 * 5 * 4; i++) {
		memset(&choice, 0, sizeof(choice));
		choice.source = sources[i % 5];
		choice.destination = destinations[i / 5 % 4];
		gwnl_set_name(&choice, names[i / 20 % 5]);
		if (i / 100) {
			choice.has = GWNL_HAS(FRAMES);
			choice.frames = i / 100 - 1;
		}
		expect_chosen(_metadata, &self->gw,
			      i % 2 ? CAN_GW_CMD_RULE_RESET :
				      CAN_GW_CMD_RULE_GET, &choice);
	}
}

/* Parts */

static void put_rule(struct nlmsghdr *nlh, int number)
{
	static const uint8_t data[8];
	struct nlattr *operand;
	char name[16];

	/* of various lengths */
	snprintf(name, sizeof(name), "%d", number * number);
	ynl_attr_put_str(nlh, CAN_GW_A_RULE_NAME, name);
	ynl_attr_put_u32(nlh, CAN_GW_A_RULE_SOURCE, number % 3 ? SRC : SRC1);
	ynl_attr_put_u32(nlh, CAN_GW_A_RULE_DESTINATION, DST);
	ynl_attr_put_u32(nlh, CAN_GW_A_RULE_FILTER_ID, number % 0x800);
	ynl_attr_put_u32(nlh, CAN_GW_A_RULE_FILTER_MASK, 0x7ff);
	if (number % 5)
		return;
	operand = ynl_attr_nest_start(nlh, CAN_GW_A_RULE_OR);
	ynl_attr_put(nlh, CAN_GW_A_OPERAND_DATA, data, sizeof(data));
	ynl_attr_nest_end(nlh, operand);
}

static int many_rules(struct gwnl *gw, int count)
{
	return gwnl_begin(gw, 0) ?: gwnl_batch(gw, count, put_rule) ?:
	       gwnl_commit(gw, count, NULL);
}

/*
 * A dump that is read here, because the functions of YNL read as much as they can
 * at once, and end when the kernel says that rules have changed meanwhile.
 */
struct reading {
	size_t room;			/* to read at once */
	int (*change)(struct gwnl *gw);	/* is called after the first rule */
	struct gwnl *changer;		/* for it */
	int error;			/* of it */
	bool interrupted;		/* NLM_F_DUMP_INTR */
	unsigned int parts;
	int count;
	uint64_t last;
	int wrong;			/* handles that are not below the last one */
};

static int send_dump(struct gwnl *gw, int cmd, uint32_t source)
{
	struct nlmsghdr *nlh = gwnl_msg(gw, cmd);

	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	if (source)
		ynl_attr_put_u32(nlh, CAN_GW_A_RULE_SOURCE, source);
	/* where YNL keeps the size of its buffer */
	nlh->nlmsg_pid = 0;
	return send(ynl_socket_get_fd(gw->ys), nlh, nlh->nlmsg_len, 0) < 0 ?
	       -errno : 0;
}

static void read_rule(struct reading *reading, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	uint64_t handle = 0;

	ynl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr))
		if (ynl_attr_type(attr) == CAN_GW_A_RULE_HANDLE)
			handle = ynl_attr_get_uint(attr);
	if (!handle || (reading->last && handle >= reading->last))
		reading->wrong++;
	reading->last = handle;
	if (!reading->count++ && reading->change)
		reading->error = reading->change(reading->changer);
}

/* Return: how many rules there were, or a negative errno value. */
static int read_dump(struct gwnl *gw, int cmd, uint32_t source,
		     struct reading *reading)
{
	int err = send_dump(gw, cmd, source), len;
	const struct nlmsghdr *nlh;
	char buf[LARGE];

	while (!err) {
		len = recv(ynl_socket_get_fd(gw->ys), buf, reading->room, 0);
		if (len < 0)
			return -errno;
		reading->parts++;
		for (nlh = (void *)buf; NLMSG_OK(nlh, len);
		     nlh = NLMSG_NEXT(nlh, len)) {
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				reading->interrupted = true;
			if (nlh->nlmsg_type == NLMSG_DONE ||
			    nlh->nlmsg_type == NLMSG_ERROR)
				return *(int *)NLMSG_DATA(nlh) ?: reading->count;
			read_rule(reading, nlh);
		}
	}
	return err;
}

TEST_F_TIMEOUT(gw_nl_dump, has_every_rule_once_in_any_number_of_parts, 400)
{
	struct reading all = { .room = LARGE }, small = { .room = SMALL };
	struct reading some = { .room = SMALL };
	int many = ct_env("CAN_GW_RULES", MANY);

	ASSERT_EQ(0, many_rules(&self->gw, many))
		TH_LOG("%s", self->gw.ys->err.msg);
	EXPECT_EQ(many, read_dump(&self->gw, CAN_GW_CMD_RULE_GET, 0, &all));
	EXPECT_EQ(0, all.wrong);
	EXPECT_FALSE(all.interrupted);

	/* a socket that has only read little at once */
	ASSERT_EQ(0, gwnl_new_socket(&self->other));
	EXPECT_EQ(many, read_dump(&self->other, CAN_GW_CMD_RULE_GET, 0,
				  &small));
	EXPECT_EQ(0, small.wrong);
	EXPECT_FALSE(small.interrupted);
	EXPECT_LE(all.parts, small.parts);
	EXPECT_LT(1U, small.parts);

	EXPECT_EQ((many + 2) / 3, read_dump(&self->other, CAN_GW_CMD_RULE_RESET,
					    SRC1, &some));
	EXPECT_EQ(0, some.wrong);
}

/* Changes between two parts */

static int by_add(struct gwnl *gw)
{
	struct gwnl_rule rule = { .source = SRC, .destination = DST };

	return gwnl_add(gw, &rule, NULL);
}

static int by_rtnetlink(struct gwnl *gw)
{
	struct cgw_rule rule = { .src = SRC, .dst = DST };

	return cgw_add(&rule);
}

static int by_del(struct gwnl *gw)
{
	uint64_t handle;
	int count = gwnl_handles(gw, &handle, 1);

	return count < 1 ? -ENOENT : gwnl_del(gw, handle);
}

static int by_replace(struct gwnl *gw)
{
	struct gwnl_rule rule = { .destination = DST1 };
	int count = gwnl_handles(gw, &rule.handle, 1);
	struct gwnl_rule old;

	if (count < 1)
		return -ENOENT;
	rule.source = gwnl_get(gw, rule.handle, &old) ? 0 : old.source;
	return gwnl_replace(gw, &rule);
}

static int by_commit(struct gwnl *gw)
{
	return many_rules(gw, 1000);
}

static int by_flush(struct gwnl *gw)
{
	return cgw_flush();
}

static int by_link(struct gwnl *gw)
{
	return ct_link_del("src1");
}

static int by_none(struct gwnl *gw)
{
	return gwnl_handles(gw, NULL, 0) < 0;
}

TEST_F_TIMEOUT(gw_nl_dump, is_flagged_if_the_table_changes, 400)
{
	static const struct {
		const char *what;
		int (*change)(struct gwnl *gw);
		bool interrupted;
	} cases[] = {
		{ "nobody", by_none, false },
		{ "add", by_add, true },
		{ "rtnetlink", by_rtnetlink, true },
		{ "del", by_del, true },
		{ "replace", by_replace, true },
		{ "commit", by_commit, true },
		{ "flush", by_flush, true },
		{ "interface", by_link, true },
	};
	struct gwnl small;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct reading reading = {
			.room = SMALL, .change = cases[i].change,
			.changer = &self->other,
		}, next = { .room = SMALL };

		ASSERT_EQ(0, many_rules(&self->other, 1000));
		ASSERT_EQ(0, gwnl_open(&small));
		ASSERT_EQ(0, gwnl_new_socket(&small));
		EXPECT_LT(0, read_dump(&small, CAN_GW_CMD_RULE_GET, 0,
				       &reading));
		EXPECT_EQ(0, reading.error)
			TH_LOG("%s: %s", cases[i].what,
			       self->other.ys->err.msg);
		EXPECT_LT(2U, reading.parts);
		EXPECT_EQ(cases[i].interrupted, reading.interrupted)
			TH_LOG("%s", cases[i].what);
		/* and the next one is whole */
		EXPECT_LE(0, read_dump(&small, CAN_GW_CMD_RULE_GET, 0, &next));
		EXPECT_FALSE(next.interrupted);
		gwnl_close(&small);
	}
}

/* a dump that nobody reads to its end leaves nothing behind */
TEST_F_TIMEOUT(gw_nl_dump, can_be_abandoned, 120)
{
	struct gwnl gw;
	int i;

	ASSERT_EQ(0, many_rules(&self->gw, 1000));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, gwnl_open(&gw));
		ASSERT_EQ(0, send_dump(&gw, CAN_GW_CMD_RULE_GET, 0));
		gwnl_close(&gw);
	}
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 0, NULL));
	EXPECT_EQ(0, gwnl_handles(&self->gw, NULL, 0));
}

/* Counters */

/* what all answers have told so far, for each of the rules */
struct sums {
	uint64_t handle[3];
	struct can_gw_stats sum[3];
	int wrong;
};

static void add_up(const struct gwnl_rule *rule, void *data)
{
	const struct can_gw_stats *stats = &rule->stats;
	struct sums *sums = data;
	int i;

	for (i = 0; i < 3; i++) {
		if (sums->handle[i] != rule->handle)
			continue;
		sums->sum[i].matched += stats->matched;
		sums->sum[i].sent += stats->sent;
		sums->sum[i].dropped += stats->dropped;
		sums->sum[i].deleted += stats->deleted;
		sums->sum[i].skipped += stats->skipped;
	}
	if (stats->matched != stats->sent + stats->dropped + stats->deleted +
			      stats->skipped)
		sums->wrong++;
}

static int reset_each(struct gwnl *gw, struct sums *sums)
{
	struct gwnl_rule rule;
	int i, err;

	for (i = 0; i < 3; i++) {
		err = gwnl_reset(gw, sums->handle[i], &rule);
		if (err)
			return err;
		add_up(&rule, sums);
	}
	return 0;
}

/* One rule sends, one finds its destination down, one makes frames too long. */
TEST_F_TIMEOUT(gw_nl_dump, resets_and_remaining_counters_add_up_to_all_frames,
	       300)
{
	struct gwnl_rule rules[3] = {
		{ .source = SRC, .destination = DST },
		{ .source = SRC, .destination = DST1 },
		{ .source = SRC, .destination = DST,
		  .op[GWNL_OR] = { .fields = GWNL_FIELD(LEN), .len = 0x40 } },
	};
	struct gw_sender senders[THREADS] = { 0 };
	uint64_t all = THREADS * FRAMES;
	unsigned int resets = 0;
	struct sums sums = { 0 };
	int i;

	ASSERT_EQ(0, ct_link_up("dst1", false));
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, gwnl_add(&self->gw, &rules[i], &sums.handle[i]));
	for (i = 0; i < THREADS; i++) {
		senders[i].ifindex = SRC;
		senders[i].number = i;
		senders[i].frames = FRAMES;
		ASSERT_EQ(0, gw_sender_start(&senders[i]));
	}
	for (i = 0; i < THREADS; i++) {
		while (pthread_tryjoin_np(senders[i].thread, NULL)) {
			ASSERT_EQ(0, reset_each(&self->gw, &sums));
			ASSERT_EQ(3, gwnl_dump(&self->gw, CAN_GW_CMD_RULE_RESET,
					       NULL, add_up, &sums));
			resets += 2;
		}
		EXPECT_EQ(0, senders[i].error);
	}
	/* counters are complete some time after the frames have been received */
	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		ASSERT_EQ(3, gwnl_dump(&self->gw, CAN_GW_CMD_RULE_RESET, NULL,
				       add_up, &sums));
		if (sums.sum[0].matched >= all && sums.sum[1].matched >= all &&
		    sums.sum[2].matched >= all)
			break;
		usleep(1000);
	}
	TH_LOG("%u resets", resets);
	EXPECT_EQ(0, sums.wrong);
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(all, sums.sum[i].matched);
		EXPECT_EQ(i == 0 ? all : 0, sums.sum[i].sent);
		EXPECT_EQ(i == 1 ? all : 0, sums.sum[i].dropped);
		EXPECT_EQ(i == 2 ? all : 0, sums.sum[i].deleted);
		EXPECT_EQ(0U, sums.sum[i].skipped);
	}
}

/* send some frames, and wait until a rule has had all of them */
static void send_counted(struct __test_metadata *_metadata, struct gwnl *gw,
			 uint64_t handle, int count, uint64_t expected)
{
	int fd = ct_raw_open(SRC), i;
	struct gwnl_rule rule;

	ASSERT_LE(0, fd);
	for (i = 0; i < count; i++)
		ASSERT_EQ(0, ct_send_id(fd, ID));
	close(fd);
	ASSERT_EQ(0, gwnl_matched(gw, handle, expected, &rule));
	EXPECT_EQ(expected, rule.stats.matched);
}

TEST_F(gw_nl_dump, reset_affects_one_rule_and_its_rtnetlink_counters)
{
	struct gwnl_rule rule = { .source = SRC, .destination = DST }, got;
	uint64_t one, two;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &one));
	rule.destination = DST1;
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &two));
	send_counted(_metadata, &self->gw, one, 7, 7);
	send_counted(_metadata, &self->gw, two, 0, 7);
	EXPECT_EQ((int)CGW_COUNTS(7, 0, 0), cgw_counts(SRC, DST));
	ASSERT_EQ(0, gwnl_reset(&self->gw, one, &got));
	EXPECT_EQ(7U, got.stats.matched);
	EXPECT_EQ(7U, got.stats.sent);
	EXPECT_EQ((int)CGW_COUNTS(0, 0, 0), cgw_counts(SRC, DST));
	EXPECT_EQ((int)CGW_COUNTS(7, 0, 0), cgw_counts(SRC, DST1));
	send_counted(_metadata, &self->gw, one, 2, 2);
	send_counted(_metadata, &self->gw, two, 0, 9);
	EXPECT_EQ((int)CGW_COUNTS(2, 0, 0), cgw_counts(SRC, DST));

	/* and of those of one destination */
	rule = (struct gwnl_rule){ .destination = DST1 };
	EXPECT_EQ(1, gwnl_dump(&self->gw, CAN_GW_CMD_RULE_RESET, &rule, NULL,
			       NULL));
	EXPECT_EQ((int)CGW_COUNTS(2, 0, 0), cgw_counts(SRC, DST));
	EXPECT_EQ((int)CGW_COUNTS(0, 0, 0), cgw_counts(SRC, DST1));
}

TEST_HARNESS_MAIN
