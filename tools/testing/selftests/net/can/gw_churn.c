// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules, interfaces and namespaces are added and removed while two rules that stay
 * route frames, in several namespaces at the same time: each of the two rules routes
 * and counts each frame once.
 *
 * A lane is a namespace with two threads. The sender, which stays on one CPU, sends
 * frames on "in" and waits for them on "out" and on "mod", a window at a time, so that
 * no queue can overrun. The changer makes pseudo-random changes, until the sender has
 * sent its frames and it has made its changes. Threads do not assert, but leave a
 * result for the main thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cantest.h"
#include "cgw.h"
#include "kselftest_harness.h"

#define LANES		2
#define FRAMES		10000	/* of each lane, or CAN_CHURN_FRAMES */
#define CHANGES		200	/* of each lane, at least */
#define WINDOW		16
#define ID		0x100
#define UID		0xcafe
#define BATCH		24

struct lane {
	pthread_t sender;
	pthread_t changer;
	int number;
	unsigned int frames;	/* to be sent */
	unsigned int sent;
	atomic_uint changes;
	atomic_bool ready;
	atomic_bool stop;
	int ns;
	int in, out, mod, sink;
	const char *failure;	/* of the sender */
	int error;
	const char *trouble;	/* failure of the changer */
	int trouble_error;
};

static const struct can_filter only_id = { ID, CAN_SFF_MASK };

static struct cgw_rule marking_rule(const struct lane *lane, uint8_t mark)
{
	return (struct cgw_rule){
		.src = lane->in, .dst = lane->mod,
		.flags = CGW_FLAGS_CAN_ECHO,
		.filter = &only_id, .uid = UID,
		/* in both words of the frame */
		.or = {
			.type = CGW_MOD_ID | CGW_MOD_DATA,
			.cf.can_id = mark,
			.cf.data = { [4] = mark, [5] = mark, [6] = mark },
		},
	};
}

static const char *lane_open(struct lane *lane)
{
	struct cgw_rule plain = { .flags = CGW_FLAGS_CAN_ECHO }, marking;

	lane->error = ct_netns_new();
	if (lane->error)
		return "namespace";
	lane->ns = ct_netns_get();
	lane->in = ct_vcan_add("in", CAN_MTU);
	lane->out = ct_vcan_add("out", CAN_MTU);
	lane->mod = ct_vcan_add("mod", CAN_MTU);
	lane->sink = ct_vcan_add("sink", CAN_MTU);
	if (lane->ns < 0 || lane->in < 0 || lane->out < 0 || lane->mod < 0 ||
	    lane->sink < 0)
		return "interfaces";
	plain.src = lane->in;
	plain.dst = lane->out;
	plain.filter = &only_id;
	marking = marking_rule(lane, 1);
	lane->error = cgw_add(&plain) ?: cgw_add(&marking);
	return lane->error ? "rules that stay" : NULL;
}

static const char *receive(struct lane *lane, int fd, uint32_t number,
			   bool marked)
{
	struct can_frame frame;
	uint32_t got;
	ssize_t len = ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS);

	lane->error = len;
	if (len != sizeof(frame))
		return marked ? "frame lost, marked" : "frame lost";
	memcpy(&got, frame.data, sizeof(got));
	lane->error = got;
	if (got != number)
		return "frame lost, doubled or out of order";
	if (frame.can_id != (ID | frame.data[4]) ||
	    frame.data[4] != frame.data[5] || frame.data[4] != frame.data[6] ||
	    !frame.data[4] != !marked)
		return "frame modified by half of a rule";
	return NULL;
}

static const char *exchange(struct lane *lane, int tx, int out, int mod)
{
	const char *failure = NULL;
	uint8_t data[8] = { 0 };
	struct can_frame frame;
	unsigned int i;

	for (i = 0; i < WINDOW && !failure; i++) {
		uint32_t number = lane->sent + i;

		memcpy(data, &number, sizeof(number));
		ct_frame(&frame, ID, 8, data);
		lane->error = ct_send(tx, &frame, sizeof(frame));
		if (lane->error)
			failure = "frame not sent";
	}
	for (i = 0; i < WINDOW && !failure; i++)
		failure = receive(lane, out, lane->sent + i, false) ?:
			  receive(lane, mod, lane->sent + i, true);
	lane->sent += WINDOW;
	return failure;
}

static bool lane_done(struct lane *lane)
{
	return lane->sent >= lane->frames &&
	       (atomic_load(&lane->changes) >= CHANGES || lane->trouble);
}

static void *send_frames(void *data)
{
	struct lane *lane = data;
	int tx, out, mod;

	lane->failure = lane_open(lane);
	if (!lane->failure && ct_pin_nth_cpu(lane->number))
		lane->failure = "CPU";
	tx = lane->failure ? -1 : ct_raw_open(lane->in);
	out = lane->failure ? -1 : ct_raw_open(lane->out);
	mod = lane->failure ? -1 : ct_raw_open(lane->mod);
	if (!lane->failure && (tx < 0 || out < 0 || mod < 0))
		lane->failure = "sockets";
	atomic_store(&lane->ready, true);
	while (!lane->failure && !lane_done(lane))
		lane->failure = exchange(lane, tx, out, mod);
	atomic_store(&lane->stop, true);
	close(tx);
	close(out);
	close(mod);
	return NULL;
}

/* Changes. Rules of the changer lead to "sink" or to another namespace. */

struct changer {
	struct lane *lane;
	uint32_t random;
	struct can_filter filter[BATCH];
	int rules;
};

static const canid_t masks[] = {
	0, CAN_SFF_MASK, 0x700, 0x1f0, CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG,
	CAN_EFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG, CAN_ERR_FLAG | CAN_ERR_MASK,
};

static struct cgw_rule sink_rule(const struct changer *c, int i)
{
	struct cgw_rule rule = {
		.src = c->lane->in, .dst = c->lane->sink,
		.filter = &c->filter[i],
	};

	if (i % 2)
		rule.and = (struct cgw_mod){ .type = CGW_MOD_DATA };
	return rule;
}

static int change_mark(struct changer *c)
{
	struct cgw_rule rule = marking_rule(c->lane,
					    1 + ct_random(&c->random) % 255);

	return cgw_add(&rule);
}

static int add_rules(struct changer *c)
{
	int err = 0;

	while (c->rules < BATCH && !err) {
		struct can_filter *filter = &c->filter[c->rules];
		struct cgw_rule rule;

		filter->can_id = ID + ct_random(&c->random) % 4;
		filter->can_mask = masks[ct_random(&c->random) %
					 ARRAY_SIZE(masks)];
		if (filter->can_mask & CAN_EFF_FLAG && ct_random(&c->random) % 2)
			filter->can_id |= CAN_EFF_FLAG;
		rule = sink_rule(c, c->rules++);
		err = cgw_add(&rule);
	}
	return err;
}

/* the oldest first; of equal ones the kernel removes the newest, which is the same */
static int del_rules(struct changer *c)
{
	int i, err = 0;

	for (i = 0; i < c->rules && !err; i++) {
		struct cgw_rule rule = sink_rule(c, i);

		err = cgw_del(&rule);
	}
	c->rules = 0;
	return err;
}

static int renew_sink(struct changer *c)
{
	int err = ct_link_del("sink");

	c->rules = 0;
	if (err)
		return err;
	c->lane->sink = ct_vcan_add("sink", CAN_MTU);
	return c->lane->sink < 0 ? c->lane->sink : 0;
}

/* a rule to a namespace, and one inside it, that are removed with it */
static int visit_namespace(struct changer *c)
{
	struct cgw_rule there = { 0 }, inside = { 0 };
	char name[16], peer[16];
	int away, err;

	snprintf(name, sizeof(name), "n%u", atomic_load(&c->lane->changes));
	snprintf(peer, sizeof(peer), "p%u", atomic_load(&c->lane->changes));
	err = ct_netns_new();
	if (err)
		return err;
	away = ct_netns_get();
	inside.src = ct_vcan_add("far", CAN_MTU);
	inside.dst = inside.src;
	inside.flags = CGW_FLAGS_CAN_IIF_TX_OK;
	err = ct_netns_set(c->lane->ns);
	if (away < 0 || inside.src < 0 || err) {
		close(away);
		return -EBADF;
	}
	there.src = c->lane->in;
	there.dst = ct_vxcan_add(name, peer, away, CAN_MTU);
	err = there.dst < 0 ? there.dst : cgw_add(&there);
	if (!err)
		err = ct_netns_set(away);
	if (!err)
		err = cgw_add(&inside) ?: ct_netns_set(c->lane->ns);
	close(away);
	return err;
}

static int list_rules(struct changer *c)
{
	int count = cgw_list(NULL, 0);

	return count < 2 + c->rules ? -ENOENT : 0;
}

/* only the patched modules have the first one */
static int read_proc(struct changer *c)
{
	static const char * const names[] = { "gw_rules", "rcvlist_all" };
	char path[64], line[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/thread-self/net/can/%s",
			 names[i]);
		file = fopen(path, "re");
		if (!file && !ct_baseline())
			return -errno;
		while (file && fgets(line, sizeof(line), file))
			;
		if (file)
			fclose(file);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*make)(struct changer *c);
} changes[] = {
	{ "exchange of a modification", change_mark },
	{ "exchange of a modification", change_mark },
	{ "new rules", add_rules },
	{ "removal of rules", del_rules },
	{ "removal of an interface", renew_sink },
	{ "another namespace", visit_namespace },
	{ "list of rules", list_rules },
	{ "rules in /proc", read_proc },
};

static void *change_rules(void *data)
{
	struct lane *lane = data;
	struct changer c = { .lane = lane, .random = 2611 + lane->number };
	unsigned int i;
	int err;

	while (!atomic_load(&lane->ready))
		sched_yield();
	if (atomic_load(&lane->stop))
		return NULL;
	lane->trouble_error = ct_netns_set(lane->ns);
	if (lane->trouble_error)
		lane->trouble = "namespace of the lane";
	while (!atomic_load(&lane->stop) && !lane->trouble) {
		i = ct_random(&c.random) % ARRAY_SIZE(changes);
		err = changes[i].make(&c);
		if (err) {
			lane->trouble_error = err;
			lane->trouble = changes[i].name;
		}
		atomic_fetch_add(&lane->changes, 1);
	}
	return NULL;
}

FIXTURE(gw_churn) {
	struct lane lanes[LANES];
};

FIXTURE_SETUP(gw_churn)
{
	int i;

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	for (i = 0; i < LANES; i++) {
		self->lanes[i].number = i;
		self->lanes[i].frames = ct_env("CAN_CHURN_FRAMES", FRAMES);
	}
}

FIXTURE_TEARDOWN(gw_churn) { }

static void expect_counted(struct __test_metadata *_metadata,
			   const struct lane *lane, int dst)
{
	struct cgw_entry entry;
	int i;

	/* a rule counts a frame after it has been sent */
	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		ASSERT_EQ(0, cgw_find(lane->in, dst, &entry));
		if (entry.handled >= lane->sent)
			break;
		usleep(1000);
	}
	EXPECT_EQ(lane->sent, entry.handled);
	EXPECT_EQ(0U, entry.dropped + entry.deleted);
}

TEST_F_TIMEOUT(gw_churn, rules_that_stay_miss_nothing, 800)
{
	struct lane *lane;
	int i;

	for (i = 0; i < LANES; i++) {
		lane = &self->lanes[i];
		ASSERT_EQ(0, pthread_create(&lane->sender, NULL, send_frames,
					    lane));
		ASSERT_EQ(0, pthread_create(&lane->changer, NULL, change_rules,
					    lane));
	}
	for (i = 0; i < LANES; i++) {
		ASSERT_EQ(0, pthread_join(self->lanes[i].sender, NULL));
		ASSERT_EQ(0, pthread_join(self->lanes[i].changer, NULL));
	}
	for (i = 0; i < LANES; i++) {
		lane = &self->lanes[i];
		ASSERT_EQ(NULL, lane->failure)
			TH_LOG("lane %d: %s: %d, frame %u, %u changes", i,
			       lane->failure, lane->error, lane->sent,
			       atomic_load(&lane->changes));
		ASSERT_EQ(NULL, lane->trouble)
			TH_LOG("lane %d: %s: %d, %u changes", i, lane->trouble,
			       lane->trouble_error, atomic_load(&lane->changes));
		ASSERT_EQ(0, ct_netns_set(lane->ns));
		expect_counted(_metadata, lane, lane->out);
		expect_counted(_metadata, lane, lane->mod);
		TH_LOG("lane %d: %u frames, %u changes", i, lane->sent,
		       atomic_load(&lane->changes));
	}
}

TEST_HARNESS_MAIN
