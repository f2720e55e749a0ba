// SPDX-License-Identifier: GPL-2.0-only
/*
 * Express rules: the interrupt that reads a frame routes it. Everybody gets each frame
 * once, whatever happens to rules and interfaces.
 *
 *	generator -> bus 0 -> controller, express rule, controller -> bus 1 -> controller
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/if_link.h>

#include "gwnl.h"
#include "simhog.h"
#include "simpoll.h"
#include "simtest.h"

#define GEN		BUS "/generator.gen"
#define OUT_BUS		"simbus1"
#define OUT_IF		"simif1"
#define LAST_IF		"simif2"

#define BITRATE		500000
#define ID		0x234
#define BACK_ID		0x123
#define NAPI_PRIORITY	1
#define LONG_TEST	900

/* After what could still come */
#define SILENCE_MS	300

/* More than the driver has room for */
#define MANY		100
#define TRAFFIC		1000

/* As many as a driver has room for, and only a few of them as ordinary frames */
#define HELD		30
#define HOGGED		100

/* Four times as long as a frame takes, for machines that are slow at times. Fewer frames
 * are enough on a bus that is slower than real time.
 */
#define PERIOD_NS	1000000
#define TRAFFIC_SLOW	300

FIXTURE(express) {
	char in[64];
	char out[64];
	char last[64];
	int in_fd;
	int last_fd;
	struct gwnl gw;
	struct gwnl_rule rule;
	uint64_t handle;
};

FIXTURE_VARIANT(express) {
	const char *in;
	const char *out;
};

#define WAY(in, out) \
	FIXTURE_VARIANT_ADD(express, in##_to_##out) { #in, #out }

WAY(sja1000, sja1000);
WAY(mpc5200, sja1000);
WAY(mpc5200, mpc5121);
WAY(mcp2515, mpc5200);

static int add_node(char path[64], const char *bus, const char *kind, const char *name)
{
	snprintf(path, 64, "%s/%s.%s", bus, kind, name);
	return sim_bus_add(path);
}

static int begin(FIXTURE_DATA(express) *self)
{
	int err = sim_slow_down(BUS) ?: sim_slow_down(OUT_BUS) ?:
		  sim_set_all(GEN, "bitrate=%u id=%03X dlc=8 data=increment", BITRATE, ID) ?:
		  sim_live(BUS, true) ?: sim_live(OUT_BUS, true) ?:
		  ct_link_queue(OUT_IF, 1000) ?:
		  sim_link_up(CHIP_IF, BITRATE, "") ?: sim_link_up(OUT_IF, BITRATE, "") ?:
		  sim_link_up(LAST_IF, BITRATE, "");

	if (err)
		return err;
	self->in_fd = sim_socket(CHIP_IF, 0, false);
	self->last_fd = sim_socket(LAST_IF, 0, false);
	self->rule = (struct gwnl_rule){
		.source = if_nametoindex(CHIP_IF), .destination = if_nametoindex(OUT_IF),
		.express = true,
	};
	return self->in_fd < 0 ? self->in_fd : self->last_fd < 0 ? self->last_fd : 0;
}

FIXTURE_SETUP(express)
{
	int err;

	if (sim_open())
		SKIP(return, "no cansim");
	if (ct_baseline() || gwnl_open(&self->gw))
		SKIP(return, "needs the patched modules");
	err = sim_bus_make(BUS, "generator.gen") ?: sim_bus_add(OUT_BUS) ?:
	      add_node(self->in, BUS, variant->in, CHIP_IF) ?:
	      add_node(self->out, OUT_BUS, variant->out, OUT_IF) ?:
	      add_node(self->last, OUT_BUS, "sja1000", LAST_IF);
	if (err == -ENODEV) {
		sim_close();
		SKIP(return, "no %s or %s", variant->in, variant->out);
	}
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, begin(self));
}

SIM_TEARDOWN(express)

static int add_rule(FIXTURE_DATA(express) *self)
{
	return gwnl_add(&self->gw, &self->rule, &self->handle);
}

static bool slow(void)
{
	return getenv("SIM_SLOWDOWN");
}

static int set_traffic(int count)
{
	return sim_set_all(GEN, "count=%d period_ns=%d", count, PERIOD_NS);
}

static int generate(int count)
{
	return set_traffic(count) ?: sim_run(GEN, true) ?: sim_await(GEN, "run", 0);
}

static uint32_t number_of(const struct can_frame *frame)
{
	return frame->data[0] | frame->data[1] << 8 | frame->data[2] << 16;
}

/* The next @count frames of a socket are those of the generator, in their order. */
static void expect_frames(struct __test_metadata *_metadata, int fd, canid_t id,
			  unsigned int first, unsigned int count)
{
	struct can_frame frame;
	unsigned int i;

	for (i = first; i < first + count; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS))
			TH_LOG("frame %u", i);
		ASSERT_EQ(id, frame.can_id);
		ASSERT_EQ(8, frame.len);
		ASSERT_EQ(i, number_of(&frame));
	}
}

static void expect_no_frame(struct __test_metadata *_metadata, int fd)
{
	struct can_frame frame;

	EXPECT_EQ(-ETIMEDOUT, ct_recv(fd, &frame, sizeof(frame), SILENCE_MS));
}

static void expect_counters(struct __test_metadata *_metadata,
			    FIXTURE_DATA(express) *self, uint64_t sent, uint64_t dropped)
{
	struct gwnl_rule rule;

	ASSERT_EQ(0, gwnl_matched(&self->gw, self->handle, sent + dropped, &rule));
	EXPECT_EQ(sent + dropped, rule.stats.matched);
	EXPECT_EQ(sent, rule.stats.sent);
	EXPECT_EQ(dropped, rule.stats.dropped);
}

TEST_F_TIMEOUT(express, everybody_gets_each_frame_once, LONG_TEST)
{
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, generate(MANY));
	expect_frames(_metadata, self->in_fd, ID, 0, MANY);
	expect_frames(_metadata, self->last_fd, ID, 0, MANY);
	expect_counters(_metadata, self, MANY, 0);
	expect_no_frame(_metadata, self->in_fd);
	expect_no_frame(_metadata, self->last_fd);
	EXPECT_EQ(MANY, sim_number(self->out, "sent"));
}

TEST_F_TIMEOUT(express, a_dump_has_the_attributes, LONG_TEST)
{
	struct gwnl_rule rule;

	self->rule.lifetime = 50000001;
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, gwnl_get(&self->gw, self->handle, &rule));
	EXPECT_TRUE(rule.express);
	EXPECT_FALSE(rule.pending);
	EXPECT_EQ(50000001ULL, rule.lifetime);
	EXPECT_STREQ("", gwnl_differs(&self->rule, &rule));
	self->rule.handle = self->handle;
	self->rule.express = false;
	self->rule.lifetime = 0;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &self->rule));
	ASSERT_EQ(0, gwnl_get(&self->gw, self->handle, &rule));
	EXPECT_FALSE(rule.express);
}

static int napi_priority(const char *ifname)
{
	char name[32];
	int err = sim_sysfs(ifname, "threaded", "1");

	snprintf(name, sizeof(name), "napi/%s-", ifname);
	return err ?: sim_set_priority(ct_thread(name), NAPI_PRIORITY);
}

/* Neither softirqs nor threads of the network run. */
static void expect_routed_without_napi(struct __test_metadata *_metadata,
				       FIXTURE_DATA(express) *self)
{
	int sent = sim_number(self->out, "sent");
	pid_t hogs[HOG_CPUS];

	ASSERT_EQ(0, napi_priority(CHIP_IF));
	ASSERT_EQ(0, napi_priority(OUT_IF));
	ASSERT_EQ(0, napi_priority(LAST_IF));
	if (ct_preempt_rt()) {
		ASSERT_EQ(0, sim_sysfs(CHIP_IF, "rx_thread", "0"));
		ASSERT_EQ(0, sim_sysfs(OUT_IF, "rx_thread", "0"));
	}
	sim_begin_hogs(_metadata, hogs);
	ASSERT_EQ(0, set_traffic(HOGGED));
	ASSERT_EQ(0, sim_run(GEN, true));
	EXPECT_EQ(0, sim_await(self->out, "sent", sent + HOGGED));
	/* NAPI has not run */
	expect_no_frame(_metadata, self->in_fd);
	EXPECT_TRUE(sim_end_hogs(hogs));
	expect_frames(_metadata, self->in_fd, ID, 0, HOGGED);
	expect_frames(_metadata, self->last_fd, ID, 0, HOGGED);
}

TEST_F_TIMEOUT(express, frames_are_routed_while_napi_cannot_run, LONG_TEST)
{
	ASSERT_EQ(0, add_rule(self));
	expect_routed_without_napi(_metadata, self);
}

TEST_F_TIMEOUT(express, frames_are_modified, LONG_TEST)
{
	struct can_frame frame;
	int i;

	self->rule.op[GWNL_SET] = (struct gwnl_operand){
		.fields = GWNL_FIELD(ID), .id = 0x12345678 | CAN_EFF_FLAG,
	};
	self->rule.op[GWNL_XOR] = (struct gwnl_operand){
		.fields = GWNL_FIELD(DATA), .data_len = 8, .data = { 0xff },
	};
	self->rule.filter_id = ID;
	self->rule.filter_mask = CAN_SFF_MASK | CAN_EFF_FLAG;
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, generate(20));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->last_fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		EXPECT_EQ(0x12345678 | CAN_EFF_FLAG, frame.can_id);
		EXPECT_EQ(i ^ 0xff, frame.data[0]);
	}
	ASSERT_EQ(0, sim_generate(GEN, "count=5 id=111"));
	expect_no_frame(_metadata, self->last_fd);
	expect_counters(_metadata, self, 20, 0);
}

TEST_F_TIMEOUT(express, four_rules_route_a_frame_in_their_order, LONG_TEST)
{
	struct can_frame frame;
	uint64_t handle;
	int i;

	for (i = 0; i < 4; i++) {
		self->rule.op[GWNL_SET] = (struct gwnl_operand){
			.fields = GWNL_FIELD(ID), .id = 0x700 - i,
		};
		ASSERT_EQ(0, add_rule(self));
	}
	EXPECT_EQ(-ENOSPC, gwnl_add(&self->gw, &self->rule, &handle));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	ASSERT_EQ(0, generate(1));
	for (i = 0; i < 4; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->last_fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		/* first come, first served */
		EXPECT_EQ(0x700 - i, (int)frame.can_id);
	}
}

/* Sockets of the destination, and rules of which it is the source */
TEST_F_TIMEOUT(express, echoes_come_once_and_have_been_routed, LONG_TEST)
{
	struct gwnl_rule onward = {
		.source = self->rule.destination, .destination = self->rule.source,
		.filter_id = ID, .filter_mask = CAN_SFF_MASK,
	};
	int fd = CT_OK(sim_socket(OUT_IF, 0, true));
	struct gwnl_rule rule;
	uint64_t handle;

	self->rule.flags = CAN_GW_FLAGS_ECHO;
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, gwnl_add(&self->gw, &onward, &handle));
	ASSERT_EQ(0, generate(20));
	expect_frames(_metadata, fd, ID, 0, 20);
	expect_no_frame(_metadata, fd);
	ASSERT_EQ(0, gwnl_matched(&self->gw, handle, 20, &rule));
	/* they have the largest number of hops; otherwise they came from there */
	EXPECT_EQ(20ULL, rule.stats.deleted + rule.stats.skipped);
	EXPECT_EQ(0ULL, rule.stats.sent);
	expect_frames(_metadata, self->in_fd, ID, 0, 20);
	expect_no_frame(_metadata, self->in_fd);
}

TEST_F_TIMEOUT(express, own_frames_of_the_source_are_routed_when_they_are_echoed, LONG_TEST)
{
	struct can_frame frame;
	int i;

	ASSERT_EQ(0, add_rule(self));
	/* somebody has to acknowledge them */
	ASSERT_EQ(0, sim_send_own(self->in_fd, 0x111, 10));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->last_fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		EXPECT_EQ(0x111, (int)frame.can_id);
		EXPECT_EQ(i, frame.data[0]);
	}
	expect_counters(_metadata, self, 10, 0);
}

/* Then nobody acknowledges frames on the second bus. */
static int last_down(FIXTURE_DATA(express) *self)
{
	struct can_frame frame;
	int err = sim_link_down(LAST_IF);

	if (err)
		return err;
	err = ct_recv(self->last_fd, &frame, sizeof(frame), CT_TIMEOUT_MS);
	return err == -ENETDOWN ? 0 : -EIO;
}

/* Nobody acknowledges frames, until they are more than there is room for. */
TEST_F_TIMEOUT(express, the_newest_are_dropped_without_room, LONG_TEST)
{
	struct can_frame frame;
	struct gwnl_rule rule;
	unsigned int next = 0;

	ASSERT_EQ(0, last_down(self));
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, generate(MANY));
	ASSERT_EQ(0, gwnl_get(&self->gw, self->handle, &rule));
	EXPECT_LT(0ULL, rule.stats.dropped);
	ASSERT_EQ(0, sim_link_up(LAST_IF, BITRATE, ""));
	while (next < MANY - rule.stats.dropped) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->last_fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		EXPECT_EQ(next, number_of(&frame));
		next++;
	}
	expect_no_frame(_metadata, self->last_fd);
	expect_counters(_metadata, self, next, MANY - next);
}

TEST_F_TIMEOUT(express, late_frames_are_not_sent, LONG_TEST)
{
	struct gwnl_rule rule;
	uint64_t sent;

	self->rule.lifetime = 1000000;
	ASSERT_EQ(0, last_down(self));
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, generate(10));
	usleep(100000);
	ASSERT_EQ(0, sim_link_up(LAST_IF, BITRATE, ""));
	ASSERT_EQ(0, gwnl_matched(&self->gw, self->handle, 10, &rule));
	/* those that the chip had already */
	sent = rule.stats.sent;
	EXPECT_LE(1ULL, sent);
	EXPECT_GE(3ULL, sent);
	EXPECT_EQ(10 - sent, rule.stats.dropped);
	expect_frames(_metadata, self->last_fd, ID, 0, sent);
	expect_no_frame(_metadata, self->last_fd);
}

TEST_F_TIMEOUT(express, frames_are_counted_when_the_destination_goes_down, LONG_TEST)
{
	ASSERT_EQ(0, last_down(self));
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, generate(10));
	ASSERT_EQ(0, sim_link_down(OUT_IF));
	expect_counters(_metadata, self, 0, 10);
	ASSERT_EQ(0, generate(5));
	expect_counters(_metadata, self, 0, 15);
	ASSERT_EQ(0, sim_link_up(LAST_IF, BITRATE, ""));
	ASSERT_EQ(0, sim_link_up(OUT_IF, BITRATE, ""));
	ASSERT_EQ(0, generate(5));
	expect_frames(_metadata, self->last_fd, ID, 0, 5);
	expect_counters(_metadata, self, 5, 15);
}

static int traffic_count(void)
{
	return slow() ? TRAFFIC_SLOW : TRAFFIC;
}

/* Which frames came, and how often one came before an earlier one */
struct seen {
	unsigned char times[TRAFFIC];
	unsigned int last;
	unsigned int disorder;
};

static int read_all(int fd, struct seen *seen)
{
	struct can_frame frame;
	uint32_t number;

	while (ct_recv(fd, &frame, sizeof(frame), 1000) > 0) {
		number = number_of(&frame);
		if (frame.can_id != ID || number >= TRAFFIC)
			return -EBADMSG;
		seen->times[number]++;
		seen->disorder += number < seen->last;
		seen->last = number;
	}
	return 0;
}

static void expect_once(struct __test_metadata *_metadata, const struct seen *seen)
{
	int i, not_once = 0;

	for (i = 0; i < traffic_count(); i++)
		not_once += seen->times[i] != 1;
	EXPECT_EQ(0, not_once);
}

static int begin_traffic(void)
{
	return set_traffic(traffic_count()) ?: sim_run(GEN, true);
}

static bool traffic(void)
{
	return sim_number(GEN, "sent") < traffic_count();
}

/* A rule becomes an express rule and an ordinary one while frames come. */
TEST_F_TIMEOUT(express, a_rule_that_changes_routes_each_frame_once, LONG_TEST)
{
	struct seen last = { }, in = { };
	int rounds = 0;

	ASSERT_EQ(0, add_rule(self));
	self->rule.handle = self->handle;
	ASSERT_EQ(0, begin_traffic());
	while (traffic()) {
		self->rule.express = rounds++ % 2;
		ASSERT_EQ(0, gwnl_replace(&self->gw, &self->rule));
		usleep(20000);
	}
	ASSERT_EQ(0, read_all(self->last_fd, &last));
	ASSERT_EQ(0, read_all(self->in_fd, &in));
	expect_once(_metadata, &last);
	expect_once(_metadata, &in);
	EXPECT_EQ(0U, in.disorder);
	EXPECT_EQ(0U, last.disorder);
	TH_LOG("%d changes", rounds);
	expect_counters(_metadata, self, traffic_count(), 0);
}

/* The same if the whole table is replaced by one with the same rule */
TEST_F_TIMEOUT(express, an_equal_rule_of_a_new_table_goes_on, LONG_TEST)
{
	struct seen last = { };
	int rounds = 0;

	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, begin_traffic());
	while (traffic()) {
		ASSERT_EQ(0, gwnl_begin(&self->gw, rounds % 3 ? self->rule.source : 0));
		self->rule.express = rounds++ % 4 != 2;
		ASSERT_EQ(0, gwnl_add(&self->gw, &self->rule, NULL));
		ASSERT_EQ(0, gwnl_commit(&self->gw, 1, NULL));
		usleep(20000);
	}
	ASSERT_EQ(0, read_all(self->last_fd, &last));
	expect_once(_metadata, &last);
	EXPECT_EQ(0U, last.disorder);
	TH_LOG("%d tables", rounds);
}

/* Frames that an ordinary rule has sent wait for an acknowledgment, in the queueing discipline
 * and in the controller.
 */
static void begin_waiting(struct __test_metadata *_metadata, FIXTURE_DATA(express) *self)
{
	self->rule.express = false;
	ASSERT_EQ(0, last_down(self));
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, generate(HELD));
	expect_frames(_metadata, self->in_fd, ID, 0, HELD);
	self->rule.handle = self->handle;
	self->rule.express = true;
}

/* The rule has become an express rule: frames wait for those before, and later ones for none. */
static void end_waiting(struct __test_metadata *_metadata, FIXTURE_DATA(express) *self)
{
	ASSERT_EQ(0, generate(HELD));
	expect_frames(_metadata, self->in_fd, ID, 0, HELD);
	ASSERT_EQ(0, sim_link_up(LAST_IF, BITRATE, ""));
	expect_frames(_metadata, self->last_fd, ID, 0, HELD);
	expect_frames(_metadata, self->last_fd, ID, 0, HELD);
	expect_no_frame(_metadata, self->last_fd);
	EXPECT_EQ(2 * HELD, sim_number(self->out, "sent"));
	expect_routed_without_napi(_metadata, self);
	ASSERT_EQ(0, generate(HELD));
	expect_frames(_metadata, self->last_fd, ID, 0, HELD);
	expect_no_frame(_metadata, self->last_fd);
}

TEST_F_TIMEOUT(express, frames_do_not_overtake_those_before_the_change, LONG_TEST)
{
	struct gwnl_rule rule;

	begin_waiting(_metadata, self);
	ASSERT_EQ(0, gwnl_replace(&self->gw, &self->rule));
	ASSERT_EQ(0, gwnl_get(&self->gw, self->handle, &rule));
	EXPECT_TRUE(rule.express);
	EXPECT_TRUE(rule.pending);
	end_waiting(_metadata, self);
	ASSERT_EQ(0, gwnl_get(&self->gw, self->handle, &rule));
	EXPECT_FALSE(rule.pending);
	expect_counters(_metadata, self, 3 * HELD + HOGGED, 0);
}

TEST_F_TIMEOUT(express, frames_do_not_overtake_those_before_a_new_table, LONG_TEST)
{
	begin_waiting(_metadata, self);
	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_add(&self->gw, &self->rule, &self->handle));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 1, NULL));
	end_waiting(_metadata, self);
}

/* The same if the table is replaced once more, because of another rule, while frames wait */
TEST_F_TIMEOUT(express, frames_do_not_overtake_those_before_another_change, LONG_TEST)
{
	struct gwnl_rule other = self->rule;
	uint64_t handle;

	begin_waiting(_metadata, self);
	ASSERT_EQ(0, gwnl_replace(&self->gw, &self->rule));
	other.filter_id = BACK_ID;
	other.filter_mask = CAN_SFF_MASK;
	ASSERT_EQ(0, gwnl_add(&self->gw, &other, &handle));
	end_waiting(_metadata, self);
	expect_counters(_metadata, self, 3 * HELD + HOGGED, 0);
}

/* A destination that goes down loses the frames for which the rule waits. */
TEST_F_TIMEOUT(express, a_rule_does_not_wait_for_lost_frames, LONG_TEST)
{
	struct can_frame frame;

	begin_waiting(_metadata, self);
	ASSERT_EQ(0, gwnl_replace(&self->gw, &self->rule));
	ASSERT_EQ(0, sim_link_down(OUT_IF));
	ASSERT_EQ(0, generate(5));
	expect_frames(_metadata, self->in_fd, ID, 0, 5);
	ASSERT_EQ(0, sim_link_down(CHIP_IF));
	ASSERT_EQ(-ENETDOWN, ct_recv(self->in_fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
	ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
	ASSERT_EQ(0, sim_link_up(LAST_IF, BITRATE, ""));
	ASSERT_EQ(0, sim_link_up(OUT_IF, BITRATE, ""));
	ASSERT_EQ(0, generate(1));
	expect_frames(_metadata, self->in_fd, ID, 0, 1);
	expect_frames(_metadata, self->last_fd, ID, 0, 1);
	expect_routed_without_napi(_metadata, self);
}

/* Rules are removed, also with their interface, while frames come. */
TEST_F_TIMEOUT(express, rules_are_removed_under_traffic, LONG_TEST)
{
	struct gwnl_rule other = self->rule;
	uint64_t handle;

	other.filter_id = ID;
	other.filter_mask = CAN_SFF_MASK;
	ASSERT_EQ(0, begin_traffic());
	while (traffic()) {
		ASSERT_EQ(0, add_rule(self));
		ASSERT_EQ(0, gwnl_add(&self->gw, &other, &handle));
		usleep(5000);
		ASSERT_EQ(0, gwnl_del(&self->gw, self->handle));
		usleep(5000);
		ASSERT_EQ(0, gwnl_del(&self->gw, handle));
	}
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, set_traffic(TRAFFIC));
	ASSERT_EQ(0, sim_run(GEN, true));
	usleep(50000);
	ASSERT_EQ(0, sim_live(OUT_BUS, false));
	EXPECT_EQ(0, gwnl_dump(&self->gw, CAN_GW_CMD_RULE_GET, NULL, NULL, NULL));
	EXPECT_EQ(0, sim_await(GEN, "run", 0));
}

/* Interrupts of both interfaces put frames into each other's transmit queue. */
TEST_F_TIMEOUT(express, both_directions, LONG_TEST)
{
	struct gwnl_rule back = {
		.source = self->rule.destination, .destination = self->rule.source,
		.express = true, .filter_id = BACK_ID, .filter_mask = CAN_SFF_MASK,
	};
	struct gwnl_rule rule;
	uint64_t handle;

	if (!strcmp(variant->in, "mcp2515"))
		SKIP(return, "cannot be a destination");
	self->rule.filter_id = ID;
	self->rule.filter_mask = CAN_SFF_MASK;
	ASSERT_EQ(0, ct_link_queue(LAST_IF, 1000));
	ASSERT_EQ(0, add_rule(self));
	ASSERT_EQ(0, gwnl_add(&self->gw, &back, &handle));
	ASSERT_EQ(0, set_traffic(500));
	ASSERT_EQ(0, sim_run(GEN, true));
	ASSERT_EQ(0, sim_send_own(self->last_fd, BACK_ID, 500));
	ASSERT_EQ(0, gwnl_matched(&self->gw, handle, 500, &rule));
	EXPECT_EQ(500ULL, rule.stats.sent);
	expect_counters(_metadata, self, 500, 0);
}

TEST_F_TIMEOUT(express, what_cannot_be_is_refused, LONG_TEST)
{
	struct gwnl_rule rule = self->rule;

	rule.destination = CT_OK(ct_vcan_add("vcx", CAN_MTU));
	EXPECT_EQ(-EOPNOTSUPP, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	rule.source = rule.destination;
	rule.destination = self->rule.destination;
	EXPECT_EQ(-EOPNOTSUPP, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));

	rule.source = self->rule.destination;
	rule.destination = self->rule.source;
	if (!strcmp(variant->in, "mcp2515")) {
		EXPECT_EQ(-EOPNOTSUPP, gwnl_add(&self->gw, &rule, NULL));
		EXPECT_TRUE(gwnl_explained(&self->gw));
	} else {
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &self->handle));
		ASSERT_EQ(0, gwnl_del(&self->gw, self->handle));
	}

	rule = self->rule;
	rule.frames = CAN_GW_FRAMES_FD;
	EXPECT_EQ(-EOPNOTSUPP, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));

	rule = self->rule;
	rule.express = false;
	rule.lifetime = 1;
	EXPECT_EQ(-EINVAL, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));

	rule = self->rule;
	rule.filter_id = ID | CAN_INV_FILTER;
	rule.filter_mask = CAN_SFF_MASK;
	EXPECT_EQ(-EOPNOTSUPP, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_EQ(0, gwnl_dump(&self->gw, CAN_GW_CMD_RULE_GET, NULL, NULL, NULL));
	ASSERT_EQ(0, ct_link_del("vcx"));
}

TEST_HARNESS_MAIN
