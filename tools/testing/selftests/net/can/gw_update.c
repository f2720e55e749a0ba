// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changing the gateway while it works: CGW_MOD_UID (cangw -u) replaces the
 * modification of a rule, and interfaces of rules are removed.
 *
 * In the tests with traffic a thread of its own, bound to one CPU, sends
 * frames and receives them again, with never more than a window of them on the
 * way, so that no queue can overrun. On that CPU all frames keep their order.
 * The main thread changes the rules, on any CPU. Threads do not assert, but leave a
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

#define ID	0x100
#define UID	0xcafe
#define ID_SENTINEL	0x7ff

static const struct can_filter only_id = { ID, CAN_SFF_MASK };

/*
 * Updates while frames flow.
 *
 * Version k of the modification writes k in three ways: into the identifier,
 * into data[4..6], and into the checksum in data[7]. A frame handled half by
 * one version and half by another would show it. data[0..3] holds the number
 * of the frame.
 */

#define VERSIONS	200
#define WINDOW		16

struct version {
	struct cgw_rule rule;
	struct cgw_csum_xor csum;
};

static void version_fill(struct version *v, int src, int dst, uint16_t flags,
			 unsigned int k)
{
	memset(v, 0, sizeof(*v));
	v->csum = (struct cgw_csum_xor) {
		.from_idx = 0, .to_idx = 6, .result_idx = 7,
		.init_xor_val = k ^ 0xa5,
	};
	v->rule = (struct cgw_rule) {
		.src = src, .dst = dst, .flags = flags | CGW_FLAGS_CAN_ECHO,
		.filter = &only_id, .uid = UID,
		.set = { .type = CGW_MOD_ID, .cf.can_id = 0x200 + k },
		.or = {
			.type = CGW_MOD_DATA,
			.cf.data = { [4] = k, [5] = k, [6] = k },
		},
		.csum_xor = &v->csum,
	};
}

/* the version that handled this frame, or -1 for parts of several ones */
static int version_of(const struct canfd_frame *frame)
{
	unsigned int k = frame->can_id - 0x200, i;
	uint8_t csum = k ^ 0xa5;

	for (i = 0; i < 7; i++)
		csum ^= frame->data[i];
	if (k > VERSIONS || frame->data[4] != k || frame->data[5] != k ||
	    frame->data[6] != k || frame->data[7] != csum)
		return -1;
	return k;
}

struct flow {
	int tx, rx;
	size_t mtu;
	atomic_int started;	/* version that an update has been sent for */
	atomic_int done;	/* version that the kernel has acknowledged */
	atomic_int arrived;	/* frames */
	atomic_bool stop;
	atomic_bool ended;
	unsigned int sent;
	const char *failure;
	int seen;		/* a number to print with it */
};

static const char *flow_send(struct flow *flow, int *before)
{
	struct canfd_frame frame;
	uint32_t number = flow->sent;

	ct_fdframe(&frame, ID, 8, (uint8_t [8]) { 0 });
	memcpy(frame.data, &number, sizeof(number));
	if (flow->mtu == CAN_MTU)
		frame.flags = 0;

	before[flow->sent++ % WINDOW] = atomic_load(&flow->done);
	flow->seen = ct_send(flow->tx, &frame, flow->mtu);
	return flow->seen ? "frame not sent" : NULL;
}

static const char *flow_recv(struct flow *flow, const int *before, int *last)
{
	int arrived = atomic_load(&flow->arrived);
	struct canfd_frame frame;
	uint32_t number;
	ssize_t len;
	int k;

	len = ct_recv(flow->rx, &frame, sizeof(frame), CT_TIMEOUT_MS);
	flow->seen = len;
	if (len != (ssize_t)flow->mtu)
		return "frame lost";

	memcpy(&number, frame.data, sizeof(number));
	flow->seen = number;
	if (number != (uint32_t)arrived)
		return "frame missing or out of order";

	k = version_of(&frame);
	flow->seen = k;
	if (k < 0)
		return "frame handled by a mixture of versions";
	if (k < *last)
		return "older version after a newer one";
	if (k < before[number % WINDOW])
		return "replaced version still in use";
	if (k > atomic_load(&flow->started))
		return "version from the future";

	*last = k;
	atomic_store(&flow->arrived, arrived + 1);
	return NULL;
}

static void *flow_run(void *data)
{
	struct flow *flow = data;
	int before[WINDOW], last = 0;
	unsigned int arrived;

	if (ct_pin_cpu())
		flow->failure = "thread not bound to a CPU";

	while (!flow->failure) {
		arrived = atomic_load(&flow->arrived);
		if (!atomic_load(&flow->stop) && flow->sent - arrived < WINDOW)
			flow->failure = flow_send(flow, before);
		else if (arrived < flow->sent)
			flow->failure = flow_recv(flow, before, &last);
		else
			break;
	}
	atomic_store(&flow->ended, true);
	return NULL;
}

/* false when the flow has ended before the frame arrived */
static bool flow_wait(struct flow *flow, int arrived)
{
	while (atomic_load(&flow->arrived) < arrived) {
		if (atomic_load(&flow->ended))
			return false;
		sched_yield();
	}
	return true;
}

FIXTURE(gw_uid_flow) {
	int src, dst;
};

FIXTURE_VARIANT(gw_uid_flow) {
	uint16_t flags;
};

FIXTURE_VARIANT_ADD(gw_uid_flow, classical) { 0 };
FIXTURE_VARIANT_ADD(gw_uid_flow, fd) { CGW_FLAGS_CAN_FD };

FIXTURE_SETUP(gw_uid_flow)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->src = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->dst = CT_OK(ct_vcan_add("v1", CANFD_MTU));
}

FIXTURE_TEARDOWN(gw_uid_flow) { }

TEST_F_TIMEOUT(gw_uid_flow, every_frame_is_handled_by_one_version_in_order, 120)
{
	struct flow flow = {
		.mtu = variant->flags & CGW_FLAGS_CAN_FD ? CANFD_MTU : CAN_MTU,
	};
	struct cgw_entry entry;
	struct version v;
	pthread_t thread;
	int k, err = 0;

	flow.tx = CT_OK(ct_raw_open_fd(self->src));
	flow.rx = CT_OK(ct_raw_open_fd(self->dst));
	version_fill(&v, self->src, self->dst, variant->flags, 0);
	ASSERT_EQ(0, cgw_add(&v.rule));
	ASSERT_EQ(0, pthread_create(&thread, NULL, flow_run, &flow));

	for (k = 1; k <= VERSIONS && !err; k++) {
		/* frames under way: an update always meets some */
		if (!flow_wait(&flow, atomic_load(&flow.arrived) + 1))
			break;
		version_fill(&v, self->src, self->dst, variant->flags, k);
		atomic_store(&flow.started, k);
		err = cgw_add(&v.rule);
		atomic_store(&flow.done, k);
	}
	flow_wait(&flow, atomic_load(&flow.arrived) + 2 * WINDOW);
	atomic_store(&flow.stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));

	EXPECT_EQ(0, err);
	EXPECT_EQ(NULL, flow.failure)
		TH_LOG("%s (%d) after %d frames", flow.failure, flow.seen,
		       atomic_load(&flow.arrived));
	EXPECT_EQ(VERSIONS + 1, k);

	/* one rule all the time, which has counted every frame */
	EXPECT_EQ(1, cgw_list(NULL, 0));
	ASSERT_EQ(0, cgw_find(self->src, self->dst, &entry));
	EXPECT_EQ(flow.sent, entry.handled);
	EXPECT_EQ(0U, entry.dropped + entry.deleted);
}

/*
 * The effect of an update.
 */

FIXTURE(gw_uid) {
	int v0, v1, v2;
	struct cgw_rule rule;	/* with a uid, installed */
};

static int uid_open(int *v0, int *v1, int *v2, struct cgw_rule *rule)
{
	int err = ct_pin_cpu() ?: ct_netns_new();

	if (err)
		return err;
	*v0 = ct_vcan_add("v0", CANFD_MTU);
	*v1 = ct_vcan_add("v1", CANFD_MTU);
	*v2 = ct_vcan_add("v2", CANFD_MTU);
	if (*v0 < 0 || *v1 < 0 || *v2 < 0)
		return -ENODEV;
	*rule = (struct cgw_rule) {
		.src = *v0, .dst = *v1, .uid = UID,
		.flags = CGW_FLAGS_CAN_ECHO, .filter = &only_id,
		.set = { .type = CGW_MOD_ID, .cf.can_id = 0x201 },
	};
	return cgw_add(rule);
}

FIXTURE_SETUP(gw_uid)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, uid_open(&self->v0, &self->v1, &self->v2, &self->rule));
}

FIXTURE_TEARDOWN(gw_uid) { }

/* sends a frame on v0, returns the identifier it has on v1 */
static int id_on_v1(int v0, int v1)
{
	int tx = ct_raw_open_fd(v0), rx = ct_raw_open_fd(v1), id;

	id = ct_send_id(tx, ID);
	if (!id)
		id = ct_recv_id(rx);
	close(tx);
	close(rx);
	return id;
}

TEST_F(gw_uid, update_replaces_the_whole_modification)
{
	struct cgw_csum_xor csum = { .to_idx = 6, .result_idx = 7 };
	struct cgw_entry entry;

	self->rule.csum_xor = &csum;
	ASSERT_EQ(0, cgw_add(&self->rule));
	ASSERT_EQ(0, cgw_find(self->v0, self->v1, &entry));
	EXPECT_EQ(CGW_MOD_ID, entry.rule.set.type);
	EXPECT_NE(NULL, entry.rule.csum_xor);

	/* parts that the new one does not have are gone, not merged */
	self->rule.csum_xor = NULL;
	self->rule.set.type = 0;
	self->rule.or.type = CGW_MOD_ID;
	self->rule.or.cf.can_id = 0x00f;
	ASSERT_EQ(0, cgw_add(&self->rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
	ASSERT_EQ(0, cgw_find(self->v0, self->v1, &entry));
	EXPECT_EQ(0, entry.rule.set.type);
	EXPECT_EQ(CGW_MOD_ID, entry.rule.or.type);
	EXPECT_EQ(NULL, entry.rule.csum_xor);
	EXPECT_EQ((uint32_t)UID, entry.rule.uid);
	EXPECT_EQ(ID | 0x00f, id_on_v1(self->v0, self->v1));
}

TEST_F(gw_uid, update_keeps_counters_and_position_in_the_list)
{
	struct cgw_rule newer = { .src = self->v0, .dst = self->v2 };
	struct cgw_entry entries[2];

	ASSERT_EQ(0x201, id_on_v1(self->v0, self->v1));
	ASSERT_EQ(0, cgw_add(&newer));
	self->rule.set.cf.can_id = 0x202;
	ASSERT_EQ(0, cgw_add(&self->rule));
	ASSERT_EQ(2, cgw_list(entries, 2));
	EXPECT_EQ(self->v2, entries[0].rule.dst);
	EXPECT_EQ(self->v1, entries[1].rule.dst);
	EXPECT_EQ(1U, entries[1].handled);
	EXPECT_EQ(0x202, id_on_v1(self->v0, self->v1));
}

/* accepted: only the modification of such a request is used */
TEST_F(gw_uid, update_ignores_flags_and_hop_limit)
{
	struct cgw_entry entry;

	self->rule.flags = CGW_FLAGS_CAN_SRC_TSTAMP | CGW_FLAGS_CAN_IIF_TX_OK;
	self->rule.limit_hops = 1;
	self->rule.set.cf.can_id = 0x202;
	ASSERT_EQ(0, cgw_add(&self->rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
	ASSERT_EQ(0, cgw_find(self->v0, self->v1, &entry));
	EXPECT_EQ(CGW_FLAGS_CAN_ECHO, entry.rule.flags);
	EXPECT_EQ(0, entry.rule.limit_hops);
	EXPECT_EQ(0x202U, entry.rule.set.cf.can_id);
}

/*
 * The operations of CAN FD work on 64 bytes of data and would run on the socket
 * buffers of Classical CAN frames.
 */
TEST_F(gw_uid, update_for_the_other_kind_of_frame_is_rejected)
{
	struct cgw_entry before, after;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");

	ASSERT_EQ(0, cgw_find(self->v0, self->v1, &before));
	self->rule.flags ^= CGW_FLAGS_CAN_FD;
	self->rule.set.type = CGW_MOD_DATA;
	memset(self->rule.set.cf.data, 0x5a, CANFD_MAX_DLEN);
	EXPECT_EQ(-EINVAL, cgw_add(&self->rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
	ASSERT_EQ(0, cgw_find(self->v0, self->v1, &after));
	EXPECT_EQ(before.rule.flags, after.rule.flags);
	EXPECT_EQ(before.rule.set.type, after.rule.set.type);
	EXPECT_EQ(0, memcmp(&before.rule.set.cf, &after.rule.set.cf,
			    sizeof(after.rule.set.cf)));
}

TEST_F(gw_uid, rules_without_uid_are_added_not_updated)
{
	self->rule.uid = 0;
	ASSERT_EQ(0, cgw_add(&self->rule));
	ASSERT_EQ(0, cgw_add(&self->rule));
	EXPECT_EQ(3, cgw_list(NULL, 0));
	self->rule.uid = UID + 1;
	ASSERT_EQ(0, cgw_add(&self->rule));
	EXPECT_EQ(4, cgw_list(NULL, 0));
}

/* the identifier of a modification: without one the kernel does not read it */
TEST_F(gw_uid, uid_without_modification_is_ignored)
{
	struct cgw_csum_xor csum = { .to_idx = 6, .result_idx = 7 };
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v2, .uid = UID + 1,
	};
	struct cgw_entry entries[4];
	int i;

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, cgw_add(&rule));
	/* a checksum alone is not a modification, and is not kept either */
	rule.csum_xor = &csum;
	ASSERT_EQ(0, cgw_add(&rule));

	ASSERT_EQ(4, cgw_list(entries, 4));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(self->v2, entries[i].rule.dst);
		EXPECT_EQ(0U, entries[i].rule.uid);
		EXPECT_EQ(NULL, entries[i].rule.csum_xor);
	}
}

TEST_F(gw_uid, modification_cannot_be_removed)
{
	struct cgw_entry entries[2];

	/* this is a request for another rule */
	self->rule.set.type = 0;
	ASSERT_EQ(0, cgw_add(&self->rule));
	ASSERT_EQ(2, cgw_list(entries, 2));
	EXPECT_EQ(0U, entries[0].rule.uid);
	EXPECT_EQ(0, entries[0].rule.set.type);
	EXPECT_EQ((uint32_t)UID, entries[1].rule.uid);
	EXPECT_EQ(CGW_MOD_ID, entries[1].rule.set.type);
}

TEST_F(gw_uid, delete_by_uid_needs_any_modification)
{
	/* as if it had no uid */
	self->rule.set.type = 0;
	EXPECT_EQ(-EINVAL, cgw_del(&self->rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));

	self->rule.xor.type = CGW_MOD_DATA;
	self->rule.xor.cf.data[3] = 1;
	EXPECT_EQ(0, cgw_del(&self->rule));
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

TEST_F(gw_uid, delete_without_uid_does_not_find_a_rule_with_one)
{
	self->rule.uid = 0;
	EXPECT_EQ(-EINVAL, cgw_del(&self->rule));
	self->rule.uid = UID + 1;
	EXPECT_EQ(-EINVAL, cgw_del(&self->rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_F(gw_uid, delete_with_uid_does_not_find_a_rule_without_one)
{
	struct cgw_rule plain = self->rule;

	ASSERT_EQ(0, cgw_flush());
	plain.uid = 0;
	ASSERT_EQ(0, cgw_add(&plain));
	EXPECT_EQ(-EINVAL, cgw_del(&self->rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_F(gw_uid, delete_by_uid_leaves_other_rules)
{
	struct cgw_rule other = self->rule;
	struct cgw_entry entry;

	other.uid = UID + 1;
	ASSERT_EQ(0, cgw_add(&other));
	EXPECT_EQ(0, cgw_del(&self->rule));
	EXPECT_EQ(1, cgw_list(&entry, 1));
	EXPECT_EQ(UID + 1U, entry.rule.uid);
}

/*
 * An update or a deletion by uid has to name the same interfaces and filter.
 */

FIXTURE(gw_uid_match) {
	int v[3];
	struct cgw_rule rule;
};

/* interfaces by number; a filter of zeros is none */
FIXTURE_VARIANT(gw_uid_match) {
	int src, dst;
	struct can_filter filter;
};

#define SAME	{ ID, CAN_SFF_MASK }

FIXTURE_VARIANT_ADD(gw_uid_match, other_source) { 2, 1, SAME };
FIXTURE_VARIANT_ADD(gw_uid_match, other_destination) { 0, 2, SAME };
FIXTURE_VARIANT_ADD(gw_uid_match, swapped_interfaces) { 1, 0, SAME };
FIXTURE_VARIANT_ADD(gw_uid_match, no_filter) { 0, 1, { 0, 0 } };
FIXTURE_VARIANT_ADD(gw_uid_match, other_filter_id) { 0, 1, { ID + 1, CAN_SFF_MASK } };
FIXTURE_VARIANT_ADD(gw_uid_match, other_filter_mask) { 0, 1, { ID, 0x700 } };

FIXTURE_SETUP(gw_uid_match)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, uid_open(&self->v[0], &self->v[1], &self->v[2],
			      &self->rule));
	self->rule.src = self->v[variant->src];
	self->rule.dst = self->v[variant->dst];
	self->rule.filter = variant->filter.can_mask ? &variant->filter : NULL;
}

FIXTURE_TEARDOWN(gw_uid_match) { }

TEST_F(gw_uid_match, is_rejected_and_changes_nothing)
{
	struct cgw_entry before, entry;

	/* an entry points into itself, so both are listed to the same buffer */
	ASSERT_EQ(1, cgw_list(&entry, 1));
	memcpy(&before, &entry, sizeof(before));
	self->rule.set.cf.can_id = 0x202;
	EXPECT_EQ(-EINVAL, cgw_add(&self->rule));
	EXPECT_EQ(-EINVAL, cgw_del(&self->rule));

	ASSERT_EQ(1, cgw_list(&entry, 1));
	EXPECT_EQ(0, memcmp(&before, &entry, sizeof(before)));
	EXPECT_EQ(0x201, id_on_v1(self->v[0], self->v[1]));
}

/*
 * Interfaces are removed under traffic.
 */

#define ROUNDS	30

struct stream {
	int tx;
	int witness;		/* on the same interface: bounds the stream */
	atomic_int sent;
	atomic_bool stop;
	int err;		/* why it ended */
};

static int stream_send(struct stream *stream, canid_t id)
{
	int err = ct_send_id(stream->tx, id), got;

	if (err)
		return err;
	got = ct_recv_id(stream->witness);
	return got < 0 ? got : 0;
}

static void *stream_run(void *data)
{
	struct stream *stream = data;

	stream->err = ct_pin_cpu();
	while (!stream->err && !atomic_load(&stream->stop)) {
		stream->err = stream_send(stream, ID);
		if (!stream->err)
			atomic_fetch_add(&stream->sent, 1);
	}
	/* when this one is back, the rules have finished with all others */
	if (!stream->err)
		stream->err = stream_send(stream, ID_SENTINEL);
	return NULL;
}

FIXTURE(gw_removed) {
	int s0, d0;	/* these stay */
};

FIXTURE_VARIANT(gw_removed) {
	const char *removed;
};

FIXTURE_VARIANT_ADD(gw_removed, source) { "s1" };
FIXTURE_VARIANT_ADD(gw_removed, destination) { "d1" };

FIXTURE_SETUP(gw_removed)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->s0 = CT_OK(ct_vcan_add("s0", CAN_MTU));
	self->d0 = CT_OK(ct_vcan_add("d0", CAN_MTU));
}

FIXTURE_TEARDOWN(gw_removed) { }

TEST_F_TIMEOUT(gw_removed, only_rules_of_a_removed_interface_are_removed, 200)
{
	const struct cgw_rule keep = {
		.src = self->s0, .dst = self->d0, .flags = CGW_FLAGS_CAN_ECHO,
	};
	bool source = !strcmp(variant->removed, "s1");
	struct cgw_rule straight, across, back;
	struct cgw_entry entry;
	int round, s1, d1, rx;
	struct stream stream;
	pthread_t thread;

	ASSERT_EQ(0, cgw_add(&keep));

	for (round = 0; round < ROUNDS; round++) {
		s1 = CT_OK(ct_vcan_add("s1", CAN_MTU));
		d1 = CT_OK(ct_vcan_add("d1", CAN_MTU));

		/* the removed one is source and destination, alone and not */
		straight = (struct cgw_rule) {
			.src = s1, .dst = d1, .flags = CGW_FLAGS_CAN_ECHO,
			.set = { .type = CGW_MOD_ID, .cf.can_id = 0x201 },
		};
		ASSERT_EQ(0, cgw_add(&straight));
		across = (struct cgw_rule) {
			.src = s1, .dst = d1, .flags = CGW_FLAGS_CAN_ECHO,
			.filter = &only_id,
		};
		ASSERT_EQ(0, cgw_add(&across));
		back = (struct cgw_rule) { .src = d1, .dst = s1 };
		ASSERT_EQ(0, cgw_add(&back));
		ASSERT_EQ(4, cgw_list(NULL, 0));

		memset(&stream, 0, sizeof(stream));
		stream.tx = CT_OK(ct_raw_open(s1));
		stream.witness = CT_OK(ct_raw_open(s1));
		rx = CT_OK(ct_raw_open(d1));
		ASSERT_EQ(0, pthread_create(&thread, NULL, stream_run,
					    &stream));
		/* removed while frames are on their way through the rule */
		EXPECT_LT(0, ct_recv_id(rx));
		ASSERT_EQ(0, ct_link_del(variant->removed));

		ASSERT_EQ(1, cgw_list(&entry, 1));
		EXPECT_EQ(self->s0, entry.rule.src);
		EXPECT_EQ(self->d0, entry.rule.dst);

		atomic_store(&stream.stop, true);
		ASSERT_EQ(0, pthread_join(thread, NULL));
		if (source) {
			EXPECT_TRUE(!stream.err || stream.err == -ENODEV ||
				    stream.err == -ENXIO ||
				    stream.err == -ENETDOWN)
				TH_LOG("stream ended with %d", stream.err);
		} else {
			EXPECT_EQ(0, stream.err);
		}
		close(stream.tx);
		close(stream.witness);
		close(rx);
		ASSERT_EQ(0, ct_link_del(source ? "d1" : "s1"));
	}

	/* the rule that stayed works */
	ASSERT_EQ(0, ct_pin_cpu());
	rx = CT_OK(ct_raw_open(self->d0));
	stream.tx = CT_OK(ct_raw_open(self->s0));
	ASSERT_EQ(0, ct_send_id(stream.tx, ID));
	EXPECT_EQ(ID, ct_recv_id(rx));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

/* no frame reaches a rule before it is added or after it is removed */
TEST_F_TIMEOUT(gw_removed, rules_are_added_and_removed_under_traffic, 120)
{
	const struct cgw_rule keep = {
		.src = self->s0, .dst = self->d0, .filter = &only_id,
	};
	struct cgw_rule rule = {
		.src = self->s0, .dst = self->d0, .flags = CGW_FLAGS_CAN_ECHO,
		.set = { .type = CGW_MOD_ID, .cf.can_id = 0x201 },
	};
	struct stream stream = { 0 };
	struct cgw_entry entry;
	pthread_t thread;
	int round, rx, err = 0;

	ASSERT_EQ(0, cgw_add(&keep));
	stream.tx = CT_OK(ct_raw_open(self->s0));
	stream.witness = CT_OK(ct_raw_open(self->s0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, stream_run, &stream));

	for (round = 0; round < ROUNDS && !err; round++) {
		rx = ct_raw_open(self->d0);
		err = cgw_add(&rule);
		if (!err)
			err = ct_recv_id(rx) == 0x201 ? 0 : -EPROTO;
		if (!err)
			err = cgw_del(&rule);
		close(rx);
	}
	atomic_store(&stream.stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, err);
	EXPECT_EQ(ROUNDS, round);
	EXPECT_EQ(0, stream.err);

	/* the rule that was there all the time has had every frame */
	ASSERT_EQ(1, cgw_list(&entry, 1));
	EXPECT_EQ((uint32_t)atomic_load(&stream.sent), entry.handled);
}

TEST_HARNESS_MAIN
