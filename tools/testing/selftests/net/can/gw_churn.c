// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules, interfaces and namespaces are added and removed while two unchanged rules
 * route frames, in several namespaces at the same time: each of the two rules routes
 * and counts each frame once.
 *
 * Each namespace has two threads. The sender, which stays on one CPU, sends frames on
 * "in" and waits for them on "out" and on "mod", a window at a time, so that no queue
 * can overrun. The changer makes pseudo-random changes, until the sender has sent its
 * frames and it has made its changes. Threads do not assert, but leave a result for
 * the main thread.
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

#define NAMESPACES	2
#define FRAMES		10000	/* of each namespace, or CAN_CHURN_FRAMES */
#define CHANGES		200	/* in each namespace, at least */
#define WINDOW		16
#define ID		0x100
#define UID		0xcafe
#define BATCH		24

/* a namespace and its threads */
struct churn {
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
	const char *changer_failure;
	int changer_error;
};

static const struct can_filter only_id = { ID, CAN_SFF_MASK };

static struct cgw_rule marking_rule(const struct churn *churn, uint8_t mark)
{
	return (struct cgw_rule){
		.src = churn->in, .dst = churn->mod,
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

static const char *churn_open(struct churn *churn)
{
	struct cgw_rule plain = { .flags = CGW_FLAGS_CAN_ECHO }, marking;

	churn->error = ct_netns_new();
	if (churn->error)
		return "namespace";
	churn->ns = ct_netns_get();
	churn->in = ct_vcan_add("in", CAN_MTU);
	churn->out = ct_vcan_add("out", CAN_MTU);
	churn->mod = ct_vcan_add("mod", CAN_MTU);
	churn->sink = ct_vcan_add("sink", CAN_MTU);
	if (churn->ns < 0 || churn->in < 0 || churn->out < 0 ||
	    churn->mod < 0 ||
	    churn->sink < 0)
		return "interfaces";
	plain.src = churn->in;
	plain.dst = churn->out;
	plain.filter = &only_id;
	marking = marking_rule(churn, 1);
	churn->error = cgw_add(&plain) ?: cgw_add(&marking);
	return churn->error ? "unchanged rules" : NULL;
}

static const char *receive(struct churn *churn, int fd, uint32_t number,
			   bool marked)
{
	struct can_frame frame;
	uint32_t got;
	ssize_t len = ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS);

	churn->error = len;
	if (len != sizeof(frame))
		return marked ? "frame lost, marked" : "frame lost";
	memcpy(&got, frame.data, sizeof(got));
	churn->error = got;
	if (got != number)
		return "frame lost, doubled or out of order";
	if (frame.can_id != (ID | frame.data[4]) ||
	    frame.data[4] != frame.data[5] || frame.data[4] != frame.data[6] ||
	    !frame.data[4] != !marked)
		return "frame modified by half of a rule";
	return NULL;
}

static const char *exchange(struct churn *churn, int tx, int out, int mod)
{
	const char *failure = NULL;
	uint8_t data[8] = { 0 };
	struct can_frame frame;
	unsigned int i;

	for (i = 0; i < WINDOW && !failure; i++) {
		uint32_t number = churn->sent + i;

		memcpy(data, &number, sizeof(number));
		ct_frame(&frame, ID, 8, data);
		churn->error = ct_send(tx, &frame, sizeof(frame));
		if (churn->error)
			failure = "frame not sent";
	}
	for (i = 0; i < WINDOW && !failure; i++)
		failure = receive(churn, out, churn->sent + i, false) ?:
			  receive(churn, mod, churn->sent + i, true);
	churn->sent += WINDOW;
	return failure;
}

static bool churn_done(struct churn *churn)
{
	return churn->sent >= churn->frames &&
	       (atomic_load(&churn->changes) >= CHANGES ||
		churn->changer_failure);
}

static void *send_frames(void *data)
{
	struct churn *churn = data;
	int tx, out, mod;

	churn->failure = churn_open(churn);
	if (!churn->failure && ct_pin_nth_cpu(churn->number))
		churn->failure = "CPU";
	tx = churn->failure ? -1 : ct_raw_open(churn->in);
	out = churn->failure ? -1 : ct_raw_open(churn->out);
	mod = churn->failure ? -1 : ct_raw_open(churn->mod);
	if (!churn->failure && (tx < 0 || out < 0 || mod < 0))
		churn->failure = "sockets";
	atomic_store(&churn->ready, true);
	while (!churn->failure && !churn_done(churn))
		churn->failure = exchange(churn, tx, out, mod);
	atomic_store(&churn->stop, true);
	close(tx);
	close(out);
	close(mod);
	return NULL;
}

/* Changes. Rules of the changer lead to "sink" or to another namespace. */

struct changer {
	struct churn *churn;
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
		.src = c->churn->in, .dst = c->churn->sink,
		.filter = &c->filter[i],
	};

	if (i % 2)
		rule.and = (struct cgw_mod){ .type = CGW_MOD_DATA };
	return rule;
}

static int change_mark(struct changer *c)
{
	struct cgw_rule rule = marking_rule(c->churn,
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

static int replace_sink(struct changer *c)
{
	int err = ct_link_del("sink");

	c->rules = 0;
	if (err)
		return err;
	c->churn->sink = ct_vcan_add("sink", CAN_MTU);
	return c->churn->sink < 0 ? c->churn->sink : 0;
}

/* a rule to a namespace, and one inside it, that are removed with it */
static int route_to_new_netns(struct changer *c)
{
	struct cgw_rule there = { 0 }, inside = { 0 };
	char name[16], peer[16];
	int away, err;

	snprintf(name, sizeof(name), "n%u", atomic_load(&c->churn->changes));
	snprintf(peer, sizeof(peer), "p%u", atomic_load(&c->churn->changes));
	err = ct_netns_new();
	if (err)
		return err;
	away = ct_netns_get();
	inside.src = ct_vcan_add("far", CAN_MTU);
	inside.dst = inside.src;
	inside.flags = CGW_FLAGS_CAN_IIF_TX_OK;
	err = ct_netns_set(c->churn->ns);
	if (away < 0 || inside.src < 0 || err) {
		close(away);
		return -EBADF;
	}
	there.src = c->churn->in;
	there.dst = ct_vxcan_add(name, peer, away, CAN_MTU);
	err = there.dst < 0 ? there.dst : cgw_add(&there);
	if (!err)
		err = ct_netns_set(away);
	if (!err)
		err = cgw_add(&inside) ?: ct_netns_set(c->churn->ns);
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
	{ "removal of an interface", replace_sink },
	{ "another namespace", route_to_new_netns },
	{ "list of rules", list_rules },
	{ "rules in /proc", read_proc },
};

static void *change_rules(void *data)
{
	struct churn *churn = data;
	struct changer c = { .churn = churn, .random = 2611 + churn->number };
	unsigned int i;
	int err;

	while (!atomic_load(&churn->ready))
		sched_yield();
	if (atomic_load(&churn->stop))
		return NULL;
	churn->changer_error = ct_netns_set(churn->ns);
	if (churn->changer_error)
		churn->changer_failure = "namespace";
	while (!atomic_load(&churn->stop) && !churn->changer_failure) {
		i = ct_random(&c.random) % ARRAY_SIZE(changes);
		err = changes[i].make(&c);
		if (err) {
			churn->changer_error = err;
			churn->changer_failure = changes[i].name;
		}
		atomic_fetch_add(&churn->changes, 1);
	}
	return NULL;
}

FIXTURE(gw_churn) {
	struct churn churns[NAMESPACES];
};

FIXTURE_SETUP(gw_churn)
{
	int i;

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	for (i = 0; i < NAMESPACES; i++) {
		self->churns[i].number = i;
		self->churns[i].frames = ct_env("CAN_CHURN_FRAMES", FRAMES);
	}
}

FIXTURE_TEARDOWN(gw_churn) { }

static void expect_counted(struct __test_metadata *_metadata,
			   const struct churn *churn, int dst)
{
	struct cgw_entry entry;
	int i;

	/* a rule counts a frame after it has been sent */
	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		ASSERT_EQ(0, cgw_find(churn->in, dst, &entry));
		if (entry.handled >= churn->sent)
			break;
		usleep(1000);
	}
	EXPECT_EQ(churn->sent, entry.handled);
	EXPECT_EQ(0U, entry.dropped + entry.deleted);
}

TEST_F_TIMEOUT(gw_churn, unchanged_rules_route_every_frame, 800)
{
	struct churn *churn;
	int i;

	for (i = 0; i < NAMESPACES; i++) {
		churn = &self->churns[i];
		ASSERT_EQ(0, pthread_create(&churn->sender, NULL, send_frames,
					    churn));
		ASSERT_EQ(0, pthread_create(&churn->changer, NULL, change_rules,
					    churn));
	}
	for (i = 0; i < NAMESPACES; i++) {
		ASSERT_EQ(0, pthread_join(self->churns[i].sender, NULL));
		ASSERT_EQ(0, pthread_join(self->churns[i].changer, NULL));
	}
	for (i = 0; i < NAMESPACES; i++) {
		churn = &self->churns[i];
		ASSERT_EQ(NULL, churn->failure)
			TH_LOG("namespace %d: %s: %d, frame %u, %u changes", i,
			       churn->failure, churn->error, churn->sent,
			       atomic_load(&churn->changes));
		ASSERT_EQ(NULL, churn->changer_failure)
			TH_LOG("namespace %d: %s: %d, %u changes", i,
			       churn->changer_failure,
			       churn->changer_error,
			       atomic_load(&churn->changes));
		ASSERT_EQ(0, ct_netns_set(churn->ns));
		expect_counted(_metadata, churn, churn->out);
		expect_counted(_metadata, churn, churn->mod);
		TH_LOG("namespace %d: %u frames, %u changes", i, churn->sent,
		       atomic_load(&churn->changes));
	}
}

TEST_HARNESS_MAIN
