// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gateway rules in /proc/net/can: in the lists of receivers, and in gw_rules.
 *
 * The test stays on one CPU: its frames pass one queue, in order.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/can/error.h>
#include <linux/can/raw.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_path.h"
#include "kselftest_harness.h"

#define ID	0x123
#define SFF_ONE	(CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG)
#define LAST	0x7ff

static const struct can_filter only_id = { ID, SFF_ONE };
static const struct can_filter masked = { ID, 0x7f0 };
static const struct can_filter only_last = { LAST, SFF_ONE };
static const struct can_filter errors = { 0, CAN_ERR_FLAG | CAN_ERR_CRTL };

FIXTURE(gw_table) {
	struct gw_path path;
};

FIXTURE_SETUP(gw_table)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, gw_path_open(&self->path, CANFD_MTU));
	ASSERT_EQ(0, ct_raw_set(self->path.rx, CAN_RAW_ERR_FILTER,
				CAN_ERR_MASK));
}

FIXTURE_TEARDOWN(gw_table) { }

static struct cgw_rule rule_of(const struct gw_path *path,
			       const struct can_filter *filter)
{
	return (struct cgw_rule){ path->src, path->dst, .filter = filter };
}

static int add(const struct gw_path *path, const struct can_filter *filter)
{
	struct cgw_rule rule = rule_of(path, filter);

	return cgw_add(&rule);
}

static int del(const struct gw_path *path, const struct can_filter *filter)
{
	struct cgw_rule rule = rule_of(path, filter);

	return cgw_del(&rule);
}

/* the number of lines of a file in /proc/net/can that contain @text, then @end */
static int lines(const char *name, const char *text, const char *end)
{
	char path[64], line[256];
	FILE *file;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/net/can/%s", name);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		size_t len = strcspn(line, "\n"), tail = strlen(end);

		line[len] = '\0';
		if (strstr(line, text) && len >= tail &&
		    !strcmp(line + len - tail, end))
			count++;
	}
	fclose(file);
	return count;
}

/* receivers of the gateway in each list, as one decimal digit */
static int receivers(void)
{
	static const char * const lists[] = {
		"rcvlist_all", "rcvlist_err", "rcvlist_fil", "rcvlist_inv",
		"rcvlist_sff", "rcvlist_eff",
	};
	unsigned int i;
	int all = 0, n;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		n = lines(lists[i], "src", "  gw");
		if (n < 0)
			return n;
		all = 10 * all + n;
	}
	return all;
}

/* A filter for error message frames matches no others, and the reverse. */
TEST_F(gw_table, each_rule_has_its_kind_of_frames)
{
	struct gw_path *path = &self->path;
	const canid_t error = CAN_ERR_FLAG | CAN_ERR_CRTL;
	int round;

	for (round = 0; round < 3; round++) {
		const canid_t mine = round % 2 ? error : ID;

		ASSERT_EQ(0, add(path, round % 2 ? &errors : &only_id));
		/* the frame that matches comes last, so that none is left */
		ASSERT_EQ(0, ct_send_id(path->tx, round % 2 ? ID : error));
		ASSERT_EQ(0, ct_send_id(path->tx, mine));
		EXPECT_EQ((int)mine, ct_recv_id(path->rx));

		ASSERT_EQ(0, add(path, round % 2 ? &only_id : &errors));
		ASSERT_EQ(0, ct_send_id(path->tx, error));
		ASSERT_EQ(0, ct_send_id(path->tx, ID));
		EXPECT_EQ((int)error, ct_recv_id(path->rx));
		EXPECT_EQ(ID, ct_recv_id(path->rx));

		ASSERT_EQ(0, del(path, &errors));
		ASSERT_EQ(0, ct_send_id(path->tx, error));
		ASSERT_EQ(0, ct_send_id(path->tx, ID));
		EXPECT_EQ(ID, ct_recv_id(path->rx));

		ASSERT_EQ(0, del(path, &only_id));
		ASSERT_EQ(0, add(path, &only_last));
		ASSERT_EQ(0, ct_send_id(path->tx, ID));
		ASSERT_EQ(0, ct_send_id(path->tx, LAST));
		EXPECT_EQ(LAST, ct_recv_id(path->rx));
		ASSERT_EQ(0, del(path, &only_last));
	}
}

TEST_F(gw_table, each_rule_is_a_receiver)
{
	struct gw_path *path = &self->path;
	int i;

	EXPECT_EQ(0, receivers());
	ASSERT_EQ(0, add(path, NULL));
	EXPECT_EQ(100000, receivers());
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, add(path, &only_id));
		ASSERT_EQ(0, add(path, &masked));
	}
	EXPECT_EQ(103030, receivers());
	ASSERT_EQ(0, add(path, &errors));
	ASSERT_EQ(0, add(path, &errors));
	EXPECT_EQ(123030, receivers());
	ASSERT_EQ(0, del(path, &errors));
	EXPECT_EQ(113030, receivers());
	ASSERT_EQ(0, del(path, NULL));
	EXPECT_EQ(13030, receivers());
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, del(path, &only_id));
		ASSERT_EQ(0, del(path, &masked));
	}
	EXPECT_EQ(10000, receivers());
	ASSERT_EQ(0, add(path, &masked));
	EXPECT_EQ(11000, receivers());
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EQ(0, receivers());
	ASSERT_EQ(0, add(path, &masked));
	EXPECT_EQ(1000, receivers());
	ASSERT_EQ(0, ct_link_del("dst"));
	EXPECT_EQ(0, receivers());
}

TEST_F(gw_table, rules_are_counted_as_receivers)
{
	struct gw_path *path = &self->path;
	long entries, matched;
	int i;

	/* its filter would be counted, too */
	ASSERT_EQ(0, ct_raw_filters(path->tx, NULL, 0));
	entries = ct_can_stats("(CRCV)");
	ASSERT_LE(0, entries);
	ASSERT_EQ(0, add(path, &only_id));
	ASSERT_EQ(0, add(path, &masked));
	ASSERT_EQ(0, add(path, &only_last));
	EXPECT_EQ(entries + 3, ct_can_stats("(CRCV)"));
	EXPECT_LE(entries + 3, ct_can_stats("(MRCV)"));

	/* rules match frames of the source, and a socket those at the other end */
	matched = ct_can_stats("(RXMF)");
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, ct_send_id(path->tx, 0x222));
		ASSERT_EQ(0, ct_send_id(path->tx, LAST));
		EXPECT_EQ(LAST, ct_recv_id(path->rx));
	}
	/* a frame may be read before it is counted */
	for (i = 0; i < CT_TIMEOUT_MS && ct_can_stats("(RXMF)") < matched + 2 * 5; i++)
		usleep(1000);
	EXPECT_EQ(matched + 2 * 5, ct_can_stats("(RXMF)"));
	EXPECT_EQ(1, lines("rcvlist_sff", "7ff    c00007ff", "       5  gw"));
	EXPECT_EQ(1, lines("rcvlist_sff", "123    c00007ff", "       0  gw"));
	EXPECT_EQ(1, lines("rcvlist_fil", "120    000007f0", "       0  gw"));

	ASSERT_EQ(0, del(path, &masked));
	EXPECT_EQ(entries + 2, ct_can_stats("(CRCV)"));
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EQ(entries, ct_can_stats("(CRCV)"));
}

/* Compares all columns but the memory; the newest rule first. */
static int shown(const char *want)
{
	char got[1024] = "", line[256], src[17], dst[17], id[9], mask[9], kind[9];
	unsigned long long count[4];
	FILE *file = fopen("/proc/net/can/gw_rules", "re");
	bool head = true;
	size_t len = 0;

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file) && len < sizeof(got)) {
		if (sscanf(line, "%16s %16s %8s %8s %8s %llu %llu %llu %llu",
			   src, dst, id, mask, kind, &count[0], &count[1],
			   &count[2], &count[3]) != 9) {
			/* the first line names the columns */
			if (!head)
				break;
			head = false;
			continue;
		}
		len += snprintf(got + len, sizeof(got) - len,
				"%s>%s %s/%s %s %llu=%llu+%llu+%llu\n", src, dst,
				id, mask, kind, count[0], count[1], count[2],
				count[3]);
	}
	if (!feof(file))
		snprintf(got + len, sizeof(got) - len, "%s", line);
	fclose(file);
	if (strcmp(got, want)) {
		printf("# got:\n%s# instead of:\n%s", got, want);
		return -EBADMSG;
	}
	return 0;
}

TEST_F(gw_table, rules_are_shown_with_their_counters)
{
	struct gw_path *path = &self->path;
	struct cgw_rule deleting = rule_of(path, &only_id);
	struct cgw_rule fd = rule_of(path, &only_id);
	struct cgw_rule eff = rule_of(path, NULL);
	struct can_filter wide = { CAN_EFF_FLAG | 0x12345, CAN_EFF_FLAG | 0xfffff };
	int i;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	EXPECT_EQ(0, shown(""));
	fd.flags = CGW_FLAGS_CAN_FD;
	eff.filter = &wide;
	deleting.set = (struct cgw_mod){ .type = CGW_MOD_LEN, .cf.len = 0x40 };
	ASSERT_EQ(0, cgw_add(&eff));
	ASSERT_EQ(0, add(path, NULL));
	ASSERT_EQ(0, cgw_add(&fd));
	ASSERT_EQ(0, cgw_add(&deleting));
	EXPECT_EQ(0, shown("src>dst 123/c00007ff cc 0=0+0+0\n"
			   "src>dst 123/c00007ff fd 0=0+0+0\n"
			   "src>dst 000/00000000 cc 0=0+0+0\n"
			   "src>dst 80012345/800fffff cc 0=0+0+0\n"));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, ct_send_id(path->tx, ID));
		EXPECT_EQ(ID, ct_recv_id(path->rx));
	}
	/* the last rule has counted it before it is received */
	ASSERT_EQ(0, ct_send_id(path->tx, LAST));
	EXPECT_EQ(LAST, ct_recv_id(path->rx));
	EXPECT_EQ(0, shown("src>dst 123/c00007ff cc 5=0+0+5\n"
			   "src>dst 123/c00007ff fd 5=0+0+0\n"
			   "src>dst 000/00000000 cc 6=6+0+0\n"
			   "src>dst 80012345/800fffff cc 0=0+0+0\n"));
	ASSERT_EQ(0, ct_link_up("dst", false));
	ASSERT_EQ(0, ct_send_id(path->tx, 0x321));
	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		if (lines("gw_rules", "00000000", "         1           0") == 1)
			break;
		usleep(1000);
	}
	EXPECT_EQ(0, shown("src>dst 123/c00007ff cc 5=0+0+5\n"
			   "src>dst 123/c00007ff fd 5=0+0+0\n"
			   "src>dst 000/00000000 cc 7=6+1+0\n"
			   "src>dst 80012345/800fffff cc 0=0+0+0\n"));
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EQ(0, shown(""));
}

TEST_F(gw_table, rules_of_another_namespace_are_not_shown)
{
	int home;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	ASSERT_EQ(0, add(&self->path, NULL));
	home = CT_OK(ct_netns_get());
	ASSERT_EQ(0, ct_netns_new());
	EXPECT_EQ(0, shown(""));
	ASSERT_EQ(0, ct_netns_set(home));
	EXPECT_EQ(0, shown("src>dst 000/00000000 cc 0=0+0+0\n"));
}

TEST_HARNESS_MAIN
