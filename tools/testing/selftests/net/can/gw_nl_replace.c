// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules that become other ones while they route frames: no frame is lost,
 * doubled, or routed by half of a rule; the counters go on, and the rule keeps
 * its place among others.
 *
 * Two destinations, which are vcan interfaces: their frames are seen there by
 * CAN_GW_FLAGS_ECHO.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/raw.h>

#include "cantest.h"
#include "gw_flow.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define FRAMES	4000	/* or CAN_CHURN_FRAMES */
#define CHANGES	200
#define ID	0x200

FIXTURE(gw_nl_replace) {
	struct gwnl gw;
	int src, one, two;
	int tx, rx;
};

FIXTURE_SETUP(gw_nl_replace)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(0, ct_pin_cpu());
	self->src = ct_vcan_add("src", CANFD_MTU);
	ASSERT_LT(0, self->src);
	self->one = ct_vcan_add("one", CANFD_MTU);
	ASSERT_LT(0, self->one);
	self->two = ct_vcan_add("two", CANFD_MTU);
	ASSERT_LT(0, self->two);
	self->tx = ct_raw_open_fd(self->src);
	ASSERT_LE(0, self->tx);
	self->rx = ct_raw_open_fd(self->one);
	ASSERT_LE(0, self->rx);
	ASSERT_EQ(0, gwnl_open(&self->gw));
}

FIXTURE_TEARDOWN(gw_nl_replace)
{
	gwnl_close(&self->gw);
	close(self->tx);
	close(self->rx);
}

/* a rule that sends to "one" what it has marked in the identifier */
static struct gwnl_rule marking(const FIXTURE_DATA(gw_nl_replace) *self,
				uint32_t mark)
{
	return (struct gwnl_rule){
		.source = self->src, .destination = self->one,
		.flags = CAN_GW_FLAGS_ECHO,
		.op[GWNL_OR] = { .fields = GWNL_FIELD(ID), .id = mark },
	};
}

struct replacing {
	struct gw_flow *flow;
	struct gwnl gw;
	uint64_t handle;
};

/* to and fro between rules that differ in everything a rule may differ in */
static int replace_flowing(unsigned int number, void *data)
{
	static const struct {
		uint32_t flags;
		struct can_filter filter;
	} variants[] = {
		{ 0, { 0, 0 } },
		{ CAN_GW_FLAGS_SRC_TSTAMP,
		  { GW_FLOW_ID, CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG } },
		{ CAN_GW_FLAGS_RETURN, { GW_FLOW_ID, 0x700 } },
		{ CAN_GW_FLAGS_RETURN | CAN_GW_FLAGS_SRC_TSTAMP,
		  { CAN_SFF_MASK | CAN_INV_FILTER, CAN_SFF_MASK } },
		{ 0, { GW_FLOW_ID, 0x7f0 } },
	};
	struct replacing *replacing = data;
	unsigned int i = (number + 1) % ARRAY_SIZE(variants);
	struct gwnl_rule rule = gw_flow_rule(replacing->flow, 0, i + 1);

	rule.handle = replacing->handle;
	rule.flags |= variants[i].flags;
	rule.filter_id = variants[i].filter.can_id;
	rule.filter_mask = variants[i].filter.can_mask;
	rule.uid = i;
	snprintf(rule.name, sizeof(rule.name), "variant %u", i);
	return gwnl_replace(&replacing->gw, &rule);
}

TEST_F_TIMEOUT(gw_nl_replace, each_frame_is_routed_by_the_old_or_the_new_rule,
	       400)
{
	struct gw_flow flow = {
		.source = { self->src }, .sources = 1, .copies = 1,
		.destination = {
			0, self->one, self->two, self->one, self->two,
			self->two,
		},
	};
	struct replacing replacing = { .flow = &flow };
	struct gwnl_rule rule = gw_flow_rule(&flow, 0, 1), got;
	const char *failure;

	ASSERT_EQ(0, gw_flow_open(&flow));
	ASSERT_EQ(0, gwnl_open(&replacing.gw));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &replacing.handle));
	failure = gw_flow_run(&flow, ct_env("CAN_CHURN_FRAMES", FRAMES),
			      CHANGES, replace_flowing, &replacing);
	ASSERT_EQ(NULL, failure)
		TH_LOG("%s: %d (%#x), %u frames, %u changes", failure,
		       flow.error, flow.error, flow.sent, flow.changes);
	TH_LOG("%u frames, %u changes", flow.sent, flow.changes);

	ASSERT_EQ(0, gwnl_matched(&self->gw, replacing.handle, flow.sent,
				  &got));
	EXPECT_EQ(flow.sent, got.stats.matched);
	EXPECT_EQ(flow.sent, got.stats.sent);
	EXPECT_EQ(0U, got.stats.dropped);
	EXPECT_EQ(0U, got.stats.deleted);
	EXPECT_EQ(0U, got.stats.skipped);
	ASSERT_EQ(1, gwnl_handles(&self->gw, &got.handle, 1));
	EXPECT_EQ(replacing.handle, got.handle);
	gwnl_close(&replacing.gw);
	gw_flow_close(&flow);
}

/* all of them in turn, so that each of the counters has been passed on */
TEST_F(gw_nl_replace, counters_are_kept)
{
	struct gwnl_rule rule = marking(self, 1), got;
	uint64_t handle;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	rule.handle = handle;
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	ASSERT_EQ(ID | 1, ct_recv_id(self->rx));
	ASSERT_EQ(0, gwnl_matched(&self->gw, handle, 1, &got));
	EXPECT_EQ(1U, got.stats.sent);

	/* a length that no frame has */
	rule.op[GWNL_OR].fields |= GWNL_FIELD(LEN);
	rule.op[GWNL_OR].len = 0x40;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	ASSERT_EQ(0, gwnl_matched(&self->gw, handle, 2, &got));
	EXPECT_EQ(2U, got.stats.matched);
	EXPECT_EQ(1U, got.stats.sent);
	EXPECT_EQ(1U, got.stats.deleted);

	ASSERT_EQ(0, ct_link_up("two", false));
	rule = marking(self, 2);
	rule.handle = handle;
	rule.destination = self->two;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	ASSERT_EQ(0, gwnl_matched(&self->gw, handle, 3, &got));
	EXPECT_EQ(1U, got.stats.sent);
	EXPECT_EQ(1U, got.stats.dropped);
	EXPECT_EQ(1U, got.stats.deleted);

	rule.frames = CAN_GW_FRAMES_FD;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	ASSERT_EQ(0, gwnl_matched(&self->gw, handle, 4, &got));
	EXPECT_EQ(1U, got.stats.sent);
	EXPECT_EQ(1U, got.stats.dropped);
	EXPECT_EQ(1U, got.stats.deleted);
	EXPECT_EQ(1U, got.stats.skipped);
	ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
	EXPECT_STREQ("", gwnl_differs(&rule, &got));
}

TEST_F(gw_nl_replace, kind_of_frames_may_change)
{
	struct gwnl_rule rule = marking(self, 1);
	struct canfd_frame fd;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	ct_fdframe(&fd, ID, 12, NULL);
	ASSERT_EQ(0, ct_send(self->tx, &fd, sizeof(fd)));
	ASSERT_EQ(0, ct_send_id(self->tx, ID + 0x10));
	EXPECT_EQ((ID + 0x10) | 1, ct_recv_id(self->rx));

	rule.frames = CAN_GW_FRAMES_FD;
	rule.op[GWNL_OR].id = 2;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	ASSERT_EQ(0, ct_send_id(self->tx, ID + 0x10));
	ASSERT_EQ(0, ct_send(self->tx, &fd, sizeof(fd)));
	EXPECT_EQ(ID | 2, ct_recv_id(self->rx));

	rule.frames = CAN_GW_FRAMES_CC;
	rule.op[GWNL_OR].id = 4;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	ASSERT_EQ(0, ct_send(self->tx, &fd, sizeof(fd)));
	ASSERT_EQ(0, ct_send_id(self->tx, ID + 0x10));
	EXPECT_EQ((ID + 0x10) | 4, ct_recv_id(self->rx));
}

/* Three rules route the same frame, the newest first. */

struct three {
	struct gwnl_rule rule[3];
};

static void add_three(struct __test_metadata *_metadata,
		      FIXTURE_DATA(gw_nl_replace) *self, struct three *three,
		      const struct can_filter filter[3])
{
	int i;

	for (i = 0; i < 3; i++) {
		three->rule[i] = marking(self, 1 + i);
		three->rule[i].filter_id = filter[i].can_id;
		three->rule[i].filter_mask = filter[i].can_mask;
		ASSERT_EQ(0, gwnl_add(&self->gw, &three->rule[i],
				      &three->rule[i].handle));
	}
}

static void expect_marks(struct __test_metadata *_metadata,
			 FIXTURE_DATA(gw_nl_replace) *self, int first,
			 int second, int third)
{
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	EXPECT_EQ(ID | first, ct_recv_id(self->rx));
	EXPECT_EQ(ID | second, ct_recv_id(self->rx));
	EXPECT_EQ(ID | third, ct_recv_id(self->rx));
}

static void expect_list(struct __test_metadata *_metadata,
			FIXTURE_DATA(gw_nl_replace) *self,
			const struct three *three)
{
	uint64_t handles[3];
	int i;

	ASSERT_EQ(3, gwnl_handles(&self->gw, handles, 3));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(three->rule[2 - i].handle, handles[i]);
}

TEST_F(gw_nl_replace, rule_without_a_filter_keeps_its_position)
{
	static const struct can_filter none[3];
	struct three three;
	int i;

	add_three(_metadata, self, &three, none);
	expect_marks(_metadata, self, 3, 2, 1);
	for (i = 0; i < 3; i++) {
		three.rule[i].op[GWNL_OR].id = 4 + i;
		ASSERT_EQ(0, gwnl_replace(&self->gw, &three.rule[i]));
	}
	expect_marks(_metadata, self, 6, 5, 4);
	expect_list(_metadata, self, &three);
}

TEST_F(gw_nl_replace, rule_with_another_mask_keeps_its_position)
{
	static const struct can_filter masks[3] = {
		{ ID, 0x7f0 }, { ID, 0x700 }, { ID, 0x780 },
	};
	struct three three;
	uint32_t mask;

	add_three(_metadata, self, &three, masks);
	expect_marks(_metadata, self, 3, 2, 1);
	for (mask = 0x7f1; mask < 0x7ff; mask += 2) {
		three.rule[0].filter_mask = mask;
		ASSERT_EQ(0, gwnl_replace(&self->gw, &three.rule[0]));
		three.rule[1].filter_mask = mask - 0x100;
		ASSERT_EQ(0, gwnl_replace(&self->gw, &three.rule[1]));
		expect_marks(_metadata, self, 3, 2, 1);
	}
	expect_list(_metadata, self, &three);
}

/* a filter of another class has another place; there and back it is the old one */
TEST_F(gw_nl_replace, restored_filter_restores_the_position)
{
	static const struct can_filter exact[3] = {
		{ ID, CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG },
		{ ID, CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG },
		{ ID, CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG },
	};
	struct three three;

	add_three(_metadata, self, &three, exact);
	expect_marks(_metadata, self, 3, 2, 1);
	three.rule[1].filter_id = 0;
	three.rule[1].filter_mask = 0;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &three.rule[1]));
	expect_marks(_metadata, self, 2, 3, 1);
	three.rule[1].filter_id = exact[1].can_id;
	three.rule[1].filter_mask = exact[1].can_mask;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &three.rule[1]));
	expect_marks(_metadata, self, 3, 2, 1);
	expect_list(_metadata, self, &three);
}

TEST_F(gw_nl_replace, rule_with_another_destination_keeps_its_position)
{
	static const struct can_filter none[3];
	struct three three;
	int i;

	add_three(_metadata, self, &three, none);
	for (i = 0; i < 3; i++) {
		three.rule[i].destination = self->two;
		ASSERT_EQ(0, gwnl_replace(&self->gw, &three.rule[i]));
		three.rule[i].destination = self->one;
		ASSERT_EQ(0, gwnl_replace(&self->gw, &three.rule[i]));
		expect_marks(_metadata, self, 3, 2, 1);
	}
}

/* what is refused leaves the rule as it is, also for frames */
TEST_F(gw_nl_replace, rejected_replacement_changes_nothing)
{
	struct gwnl_rule rule = marking(self, 1), bad;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	bad = rule;
	bad.destination = 123456;
	bad.op[GWNL_OR].id = 2;
	EXPECT_EQ(-ENODEV, gwnl_replace(&self->gw, &bad));
	bad = rule;
	bad.op[GWNL_OR].id = 2;
	bad.op[GWNL_SET] = (struct gwnl_operand){
		.fields = GWNL_FIELD(AF),
	};
	EXPECT_EQ(-EINVAL, gwnl_replace(&self->gw, &bad));
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	EXPECT_EQ(ID | 1, ct_recv_id(self->rx));
}

TEST_HARNESS_MAIN
