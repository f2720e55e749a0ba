// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of fault confinement and of errors on request: error counters by
 * the rules of ISO 11898-1, error passive, bus off and recovery; the nodes and
 * bits that detect each error.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/can.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "bus_test.h"

#define RECOVERY (128 * 11 * US)

static const struct can_sim_frame some_frame = {
	0x123, 8, { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }
};

static const struct can_sim_frame other_frame = { 0x456, 2, { 0xab, 0xcd } };

static u64 confine_frame_ns(const struct can_sim_frame *frame)
{
	return can_sim_wire_length(frame) * US;
}

static u32 confine_error_value(const struct can_sim_frame *frame,
			       enum can_sim_error_type type, unsigned int bit)
{
	struct can_sim_bits bits;

	can_sim_wire_expand(frame, &bits);
	return TEST_ERROR_VALUE(type, bits.segment[bit]);
}

/* The rules, one by one */

/**
 * struct counters - state of a node by the standard
 * @tec: transmit error counter
 * @rec: receive error counter
 * @off: bus off, without recovery
 */
struct counters {
	int tec;
	int rec;
	bool off;
};

static enum can_sim_state confine_state_of(const struct counters *c)
{
	if (c->off)
		return CAN_SIM_BUS_OFF;
	return c->tec > 127 || c->rec > 127 ? CAN_SIM_PASSIVE : CAN_SIM_ACTIVE;
}

/* Apply a random rule to the node and to the counters. */
static void confine_apply_rule(struct can_sim_node *node, struct counters *c,
			       unsigned int rule)
{
	struct can_sim_error error = { .type = CAN_SIM_BIT_ERROR };

	switch (rule) {
	case 0: /* g: a frame was sent */
		can_sim_confine_sent(node);
		if (c->tec)
			c->tec--;
		break;
	case 1: /* h: a frame was received */
		can_sim_confine_received(node);
		if (c->rec > 127)
			c->rec = 127;
		else if (c->rec)
			c->rec--;
		break;
	case 2: /* c: a transmitter sends an error flag */
	case 3:
		can_sim_confine_transmitter(node, &error, rule == 3);
		c->tec += 8;
		break;
	case 4: /* c, exception 1: no acknowledgment */
		error.type = CAN_SIM_ACK_ERROR;
		can_sim_confine_transmitter(node, &error, false);
		if (confine_state_of(c) == CAN_SIM_ACTIVE)
			c->tec += 8;
		break;
	case 5: /* but another node sends a flag */
		error.type = CAN_SIM_ACK_ERROR;
		can_sim_confine_transmitter(node, &error, true);
		c->tec += 8;
		break;
	case 6: /* a: a receiver detects an error */
		can_sim_confine_receiver(node, &error, false);
		c->rec = min(c->rec + 1, 255);
		break;
	default: /* b: and sees a dominant bit after its flag */
		can_sim_confine_receiver(node, &error, true);
		c->rec = min(c->rec + 9, 255);
		break;
	}
	c->off |= c->tec > 255;
}

static void confine_rules(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 1);
	struct can_sim_node *node = &on->nodes[0].node;
	unsigned int i, bus_offs = 0;
	struct counters c = {};

	for (i = 0; i < 100000; i++) {
		enum can_sim_state state = confine_state_of(&c);
		int tec = c.tec, rec = c.rec;

		on->logged = 0;
		confine_apply_rule(node, &c, test_random_below(&on->rnd, 8) *
				   test_random_below(&on->rnd, 2));
		KUNIT_EXPECT_EQ(test, node->tec, c.tec);
		KUNIT_EXPECT_EQ(test, node->rec, c.rec);
		KUNIT_EXPECT_EQ(test, node->state, confine_state_of(&c));
		KUNIT_EXPECT_EQ(test, on->logged,
				tec != c.tec || rec != c.rec ||
				state != confine_state_of(&c));
		if (!c.off)
			continue;
		bus_offs++;
		can_sim_node_reset(node);
		memset(&c, 0, sizeof(c));
	}
	KUNIT_EXPECT_GT(test, bus_offs, 100);
}

static void confine_limits(struct kunit *test)
{
	struct can_sim_error error = { .type = CAN_SIM_STUFF_ERROR };
	struct test_bus *on = test_bus_new(test, 1);
	struct can_sim_node *node = &on->nodes[0].node;

	can_sim_node_set_counters(node, 127, 127);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_ACTIVE);
	can_sim_node_set_counters(node, 127, 128);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_PASSIVE);
	can_sim_node_set_counters(node, 128, 0);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_PASSIVE);
	can_sim_node_set_counters(node, 127, 0);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_ACTIVE);
	can_sim_node_set_counters(node, 255, 0);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_PASSIVE);
	can_sim_node_set_counters(node, 255, 0);
	KUNIT_EXPECT_EQ(test, on->logged, 5);
	can_sim_node_set_counters(node, 256, 0);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_BUS_OFF);
	can_sim_node_set_counters(node, 0, 0);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_BUS_OFF);
	can_sim_node_reset(node);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_ACTIVE);
	KUNIT_EXPECT_EQ(test, node->tec, 0);
	KUNIT_EXPECT_EQ(test, on->logged, 6);
	/* the receive error counter has eight bits */
	can_sim_node_set_counters(node, 0, 250);
	can_sim_confine_receiver(node, &error, true);
	KUNIT_EXPECT_EQ(test, node->rec, 255);
	can_sim_confine_receiver(node, &error, false);
	KUNIT_EXPECT_EQ(test, node->rec, 255);
}

static void confine_listen_only(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 1);
	struct can_sim_node *node = &on->nodes[0].node;
	struct can_sim_error error = { .type = CAN_SIM_STUFF_ERROR };

	node->mode = CAN_SIM_LISTEN_ONLY;
	can_sim_node_set_counters(node, 5, 130);
	can_sim_confine_receiver(node, &error, true);
	can_sim_confine_received(node);
	KUNIT_EXPECT_EQ(test, node->rec, 130);
}

/* Sequences on the bus */

/* A single node becomes error passive, and stays so. */
static void confine_single_node(struct kunit *test)
{
	u64 attempt = (TEST_ACK_BIT(can_sim_wire_length(&some_frame)) + 1 +
		       TEST_ERROR_BITS + 3) * US;
	struct test_bus *on = test_bus_live(test, 1);
	u64 time = TEST_START;
	unsigned int i;

	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 10000 * US);
	for (i = 0; i < 40; i++) {
		const struct test_event *error = test_find(on, 0, TEST_ERROR,
							   i);

		test_expect(test, on, 0, TEST_LOADED, i, time, some_frame.id);
		KUNIT_ASSERT_NOT_NULL(test, error);
		KUNIT_EXPECT_EQ(test, error->value >> 8, CAN_SIM_ACK_ERROR);
		KUNIT_EXPECT_EQ(test, error->tec, min(8 * (i + 1), 128U));
		time += attempt;
		if (error->tec > 127)
			time += 8 * US;
	}
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.state, CAN_SIM_PASSIVE);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_COUNTED), 16);
}

/* With a second node, frames are sent, and the counter decreases. */
static void confine_second_node_joins(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	struct can_sim_node *node = &on->nodes[0].node;

	test_node_off(&on->nodes[1]);
	test_node_send(&on->nodes[0], &some_frame, 200);
	test_bus_to(on, 5000 * US);
	KUNIT_EXPECT_EQ(test, node->tec, 128);
	test_node_on(&on->nodes[1]);
	test_bus_to(on, 5300 * US);
	KUNIT_EXPECT_LE(test, node->tec, 127);
	KUNIT_EXPECT_EQ(test, node->state, CAN_SIM_ACTIVE);
	test_bus_to(on, 50000 * US);
	KUNIT_EXPECT_EQ(test, node->tec, 0);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 200);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_COUNTED), 16 + 128);
}

/* After its own frame, an error-passive node waits for eight more bits, in
 * which others may begin.
 */
static void confine_suspend(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	u64 next = TEST_START + confine_frame_ns(&some_frame) + 3 * US;

	test_node_counters(&on->nodes[0], 200, 0);
	test_node_send(&on->nodes[0], &some_frame, 2);
	test_bus_to(on, 1000 * US);
	test_expect(test, on, 0, TEST_LOADED, 1, next + 8 * US, some_frame.id);
}

static void confine_suspended_among_others(struct kunit *test)
{
	u64 next = TEST_START + confine_frame_ns(&some_frame) + 3 * US;
	unsigned int late;

	/* Even a frame with a lower priority may begin then. */
	for (late = 0; late <= 9; late++) {
		struct test_bus *on = test_bus_live(test, 2);

		test_node_counters(&on->nodes[0], 200, 0);
		test_node_send(&on->nodes[0], &some_frame, 2);
		on->clock = next + late * US;
		test_node_send(&on->nodes[1], &other_frame, 1);
		test_bus_to(on, 1000 * US);
		if (late < 8) {
			u64 begin = next + late * US;

			test_expect(test, on, 1, TEST_LOADED, 0, begin,
				    other_frame.id);
			KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_LOST), 0);
			/* as a receiver, it is not suspended */
			test_expect(test, on, 0, TEST_LOADED, 1,
				    begin + confine_frame_ns(&other_frame) + 3 * US,
				    some_frame.id);
		} else {
			test_expect(test, on, 0, TEST_LOADED, 1, next + 8 * US,
				    some_frame.id);
		}
	}
}

/* The frame that makes a node error active again is not followed by a pause. */
static void confine_suspend_ends(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	u64 next = TEST_START + confine_frame_ns(&some_frame) + 3 * US;

	test_node_counters(&on->nodes[0], 128, 0);
	test_node_send(&on->nodes[0], &some_frame, 2);
	test_bus_to(on, 1000 * US);
	test_expect(test, on, 0, TEST_LOADED, 1, next, some_frame.id);
}

static void confine_receiver_becomes_active(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);

	test_node_counters(&on->nodes[1], 0, 180);
	test_node_send(&on->nodes[0], &some_frame, 3);
	test_bus_to(on, TEST_START + confine_frame_ns(&some_frame));
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.rec, 127);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.state, CAN_SIM_ACTIVE);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.rec, 125);
}

/* Bus off */

static struct test_bus *confine_disturbed_bus(struct kunit *test,
					      enum can_sim_error_type type,
					      int bit)
{
	struct test_bus *on = test_bus_live(test, 3);

	on->bus.inject.type = type;
	on->bus.inject.bit = bit;
	on->bus.inject.frames = U64_MAX;
	return on;
}

static void confine_bus_off(struct kunit *test)
{
	struct test_bus *on = confine_disturbed_bus(test, CAN_SIM_BIT_ERROR,
						    40);
	const struct test_event *error;
	unsigned int i;

	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 100000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_LOADED), 32);
	for (i = 0; i < 32; i++) {
		error = test_find(on, 0, TEST_ERROR, i);
		KUNIT_ASSERT_NOT_NULL(test, error);
		KUNIT_EXPECT_EQ(test, error->tec, 8 * (i + 1));
		error = test_find(on, 1, TEST_ERROR, i);
		KUNIT_ASSERT_NOT_NULL(test, error);
		KUNIT_EXPECT_EQ(test, error->rec, i + 1);
	}
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.state, CAN_SIM_BUS_OFF);
	KUNIT_EXPECT_TRUE(test, on->nodes[0].node.request);

	/* it neither sends nor receives */
	on->bus.inject.type = CAN_SIM_NO_ERROR;
	test_node_send(&on->nodes[1], &other_frame, 1);
	test_bus_to(on, 110000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_RECEIVED), 0);
	test_node_off(&on->nodes[2]);
	test_node_send(&on->nodes[1], &other_frame, 1);
	test_bus_to(on, 111000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);

	/* also after it was switched off and on */
	test_node_off(&on->nodes[0]);
	test_node_on(&on->nodes[0]);
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 120000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_LOADED), 32);
}

static void confine_recover_at_once(struct test_node *node,
				    const struct test_event *event)
{
	if (event->kind == TEST_COUNTED &&
	    node->node.state == CAN_SIM_BUS_OFF)
		can_sim_node_recover(&node->node);
}

/* The error delimiter and intermission are the first eleven recessive bits. */
static void confine_recovery(struct kunit *test)
{
	struct test_bus *on = confine_disturbed_bus(test, CAN_SIM_BIT_ERROR,
						    40);
	const struct test_event *last;
	u64 idle, end;

	on->nodes[0].hook = confine_recover_at_once;
	test_node_send(&on->nodes[0], &some_frame, 1);
	while (on->nodes[0].node.tec < 256)
		test_bus_to(on, on->clock + 10 * US);
	on->bus.inject.type = CAN_SIM_NO_ERROR;
	last = test_find(on, 0, TEST_ERROR, 31);
	KUNIT_ASSERT_NOT_NULL(test, last);
	idle = on->bus.idle;
	end = idle - 11 * US + RECOVERY;
	KUNIT_EXPECT_GT(test, end, last->time);
	test_bus_to(on, end - 1);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.state, CAN_SIM_BUS_OFF);
	test_bus_to(on, end);
	test_expect(test, on, 0, TEST_RECOVERED, 0, end, 0);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.state, CAN_SIM_ACTIVE);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.tec, 0);
	/* the frame is sent now */
	test_expect(test, on, 0, TEST_LOADED, 32, end, some_frame.id);
	test_bus_to(on, end + confine_frame_ns(&some_frame));
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
}

static void confine_start_recovery(struct test_node *node)
{
	unsigned long flags = can_sim_lock(&node->node);

	can_sim_node_recover(&node->node);
	can_sim_unlock(&node->node, flags);
}

/* The number of missing sequences decreases with each sequence. */
static void confine_recovery_progress(struct kunit *test)
{
	const struct can_sim_timing odd = { 3000000, 1, 7, 2, 1 };
	struct test_bus *on = test_bus_new(test, 1);
	struct can_sim_node *node = &on->nodes[0].node;
	u64 begin = 777777;
	unsigned int i;

	node->timing = odd;
	test_node_on(&on->nodes[0]);
	test_node_counters(&on->nodes[0], 256, 0);
	test_bus_to(on, begin);
	KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 0);
	confine_start_recovery(&on->nodes[0]);
	KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 128);
	for (i = 1; i < 128; i++) {
		u64 time = begin + can_sim_timing_ns(&odd, 11 * i);

		test_bus_to(on, time - 1);
		KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 129 - i);
		test_bus_to(on, time);
		KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 128 - i);
	}
	test_bus_to(on, 2 * RECOVERY * 10);
	test_expect(test, on, 0, TEST_RECOVERED, 0,
		    begin + can_sim_timing_ns(&odd, 11 * 128), 0);
	KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 0);
}

/* Each frame counts once, and time on an idle bus as often as eleven bits fit. */
static void confine_recovery_while_busy(struct kunit *test)
{
	unsigned int gap, length = can_sim_wire_length(&some_frame);

	for (gap = 3; gap < 40; gap++) {
		struct test_bus *on = test_bus_live(test, 3);
		struct can_sim_node *node = &on->nodes[0].node;
		unsigned int left = 128, i;
		u64 time = 50 * US;

		test_node_counters(&on->nodes[0], 256, 0);
		test_bus_to(on, time - 25 * US);
		confine_start_recovery(&on->nodes[0]);
		left -= 25 / 11;
		for (i = 0; i < 128; i++) {
			on->clock = time;
			test_node_send(&on->nodes[1], &some_frame, 1);
			test_bus_to(on, time + 20 * US);
			if (test_count(on, 0, TEST_RECOVERED))
				break;
			KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node),
					left);
			time += (length + gap) * US;
			if ((8 + gap) / 11 >= left)
				break;
			left -= (8 + gap) / 11;
		}
		test_bus_to(on, time);
		/* the sequences begin after the ACK slot of the last frame */
		test_expect(test, on, 0, TEST_RECOVERED, 0,
			    time - (8 + gap) * US + 11 * left * US, 0);
	}
}

/* A slow node does not read eleven recessive bits between fast frames. */
static void confine_recovery_slow(struct kunit *test)
{
	const struct can_sim_timing slow = { 8000000, 4, 13, 2, 1 };
	struct test_bus *on = test_bus_new(test, 3);
	struct can_sim_node *node = &on->nodes[0].node;

	node->timing = slow;
	test_node_on(&on->nodes[0]);
	test_node_on(&on->nodes[1]);
	test_node_on(&on->nodes[2]);
	test_node_counters(&on->nodes[0], 256, 0);
	test_node_send(&on->nodes[1], &other_frame, 300);
	on->clock = TEST_START;
	confine_start_recovery(&on->nodes[0]);
	test_bus_to(on, TEST_START + 299 * (confine_frame_ns(&other_frame) + 3 * US));
	KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 128);
	test_bus_to(on, on->clock + 2 * 8 * RECOVERY);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_RECOVERED), 1);
}

/* A frame that begins before the eleventh bit interrupts a sequence. */
static void confine_recovery_interrupted(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 3);
	u64 length = confine_frame_ns(&some_frame);

	test_node_counters(&on->nodes[0], 256, 0);
	on->clock = 100 * US;
	confine_start_recovery(&on->nodes[0]);
	on->clock = 100 * US + 128 * 11 * US - 1;
	test_node_send(&on->nodes[1], &some_frame, 1);
	test_bus_to(on, on->clock + 20 * US);
	KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(&on->nodes[0].node), 1);
	test_bus_to(on, 2 * RECOVERY);
	test_expect(test, on, 0, TEST_RECOVERED, 0,
		    100 * US + RECOVERY - 1 + length + 3 * US, 0);
}

static void confine_recovery_rejected(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 1);
	struct can_sim_node *node = &on->nodes[0].node;

	confine_start_recovery(&on->nodes[0]);
	KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 0);
	test_node_counters(&on->nodes[0], 256, 0);
	confine_start_recovery(&on->nodes[0]);
	test_bus_to(on, 500 * US);
	confine_start_recovery(&on->nodes[0]);
	KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 128 - 500 / 11);
	/* after it was switched off, the recovery starts again */
	test_node_off(&on->nodes[0]);
	KUNIT_EXPECT_EQ(test, can_sim_node_recoveries(node), 0);
	test_node_on(&on->nodes[0]);
	test_bus_to(on, 10 * RECOVERY);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_RECOVERED), 0);
	/* unless the chip is reset */
	test_node_off(&on->nodes[0]);
	can_sim_node_reset(node);
	test_node_on(&on->nodes[0]);
	node->mode = CAN_SIM_NO_ACK_NEEDED;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 11 * RECOVERY);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
}

/* Errors on request */

static bool confine_bit_error_possible(const struct can_sim_bits *bits,
				       unsigned int bit)
{
	if (bit < bits->arbitration && bits->level[bit])
		return false;
	return bits->segment[bit] != CAN_SIM_SEG_ACK_SLOT;
}

/* The transmitter reads another level than it sends. In the last bit of EOF it
 * is too late for receivers: they receive the frame twice.
 */
static void inject_bit_errors(struct kunit *test)
{
	unsigned int length = can_sim_wire_length(&some_frame), bit;
	u64 end = TEST_START + confine_frame_ns(&some_frame);
	struct can_sim_bits bits;

	can_sim_wire_expand(&some_frame, &bits);
	for (bit = 0; bit < length; bit++) {
		struct test_bus *on = confine_disturbed_bus(test,
							    CAN_SIM_BIT_ERROR,
							    bit);
		u64 time = TEST_START + (bit + 1) * US;

		on->bus.inject.frames = 1;
		test_node_send(&on->nodes[0], &some_frame, 1);
		test_bus_to(on, end);
		if (!confine_bit_error_possible(&bits, bit)) {
			KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
			continue;
		}
		test_expect(test, on, 0, TEST_ERROR, 0, time,
			    TEST_ERROR_VALUE(CAN_SIM_BIT_ERROR,
					     bits.segment[bit]));
		KUNIT_EXPECT_EQ(test, on->nodes[0].node.tec, 8);
		KUNIT_EXPECT_EQ(test, on->nodes[1].node.rec, bit + 1 < length);
		test_bus_to(on, 1000 * US);
		KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED),
				bit + 1 < length ? 1 : 2);
		KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 1);
	}
	/* a bit that this frame does not have */
	KUNIT_EXPECT_EQ(test, bit, length);
}

/* The receivers detect it; their flags disturb the transmitter, which also
 * sends one.
 */
static void inject_stuff_errors(struct kunit *test)
{
	unsigned int length = can_sim_wire_length(&some_frame), bit;
	u64 end = TEST_START + confine_frame_ns(&some_frame);
	struct can_sim_bits bits;

	can_sim_wire_expand(&some_frame, &bits);
	for (bit = 0; bit < length + 2; bit++) {
		struct test_bus *on = confine_disturbed_bus(test,
							    CAN_SIM_STUFF_ERROR,
							    bit);
		u64 time = TEST_START + (bit + 1) * US;

		test_node_send(&on->nodes[0], &some_frame, 1);
		test_bus_to(on, end);
		if (bit >= length || !bits.stuff[bit]) {
			KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
			continue;
		}
		test_expect(test, on, 1, TEST_ERROR, 0, time,
			    TEST_ERROR_VALUE(CAN_SIM_STUFF_ERROR,
					     bits.segment[bit]));
		KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->tec,
				8);
		KUNIT_EXPECT_EQ(test, test_get(test, on, 1, TEST_ERROR)->rec,
				9);
		KUNIT_EXPECT_EQ(test, test_get(test, on, 2, TEST_ERROR)->rec,
				9);
		KUNIT_EXPECT_EQ(test,
				test_get(test, on, 0, TEST_ERROR)->value >> 8,
				CAN_SIM_BIT_ERROR);
	}
}

static void inject_form_errors(struct kunit *test)
{
	unsigned int length = can_sim_wire_length(&some_frame);
	unsigned int delimiter = length - CAN_SIM_TRAILER_BITS;
	u64 end = TEST_START + confine_frame_ns(&some_frame);
	int bit;

	for (bit = -1; bit < (int)length + 2; bit++) {
		struct test_bus *on = confine_disturbed_bus(test,
							    CAN_SIM_FORM_ERROR,
							    bit);
		unsigned int at = bit < (int)delimiter ? delimiter : bit;

		test_node_send(&on->nodes[0], &some_frame, 1);
		test_bus_to(on, end);
		if (at == delimiter + 1 || at >= length - 1) {
			KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
			continue;
		}
		test_expect(test, on, 1, TEST_ERROR, 0,
			    TEST_START + (at + 1) * US,
			    confine_error_value(&some_frame, CAN_SIM_FORM_ERROR, at));
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), 0);
		KUNIT_EXPECT_EQ(test, on->nodes[0].node.tec, 8);
	}
}

/* Receivers that detect a wrong checksum do not acknowledge, and send an error
 * flag after the ACK delimiter.
 */
static void inject_crc_errors(struct kunit *test)
{
	struct test_bus *on = confine_disturbed_bus(test, CAN_SIM_CRC_ERROR,
						    -1);
	unsigned int length = can_sim_wire_length(&some_frame);
	unsigned int slot = TEST_ACK_BIT(length);

	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, TEST_START + confine_frame_ns(&some_frame));
	test_expect(test, on, 0, TEST_ERROR, 0, TEST_START + (slot + 1) * US,
		    confine_error_value(&some_frame, CAN_SIM_ACK_ERROR, slot));
	KUNIT_EXPECT_EQ(test, test_get(test, on, 1, TEST_ERROR)->value,
			confine_error_value(&some_frame, CAN_SIM_CRC_ERROR, slot + 1));
	KUNIT_EXPECT_EQ(test, test_get(test, on, 2, TEST_ERROR)->rec, 1);
	/* their flags end a bit later */
	KUNIT_EXPECT_EQ(test, on->bus.record[0].bits,
			slot + 1 + TEST_ERROR_BITS + 1);

	/* a transmitter without acknowledgment detects the flags */
	on = confine_disturbed_bus(test, CAN_SIM_CRC_ERROR, -1);
	on->nodes[0].node.mode = CAN_SIM_NO_ACK_NEEDED;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, TEST_START + confine_frame_ns(&some_frame));
	test_expect(test, on, 1, TEST_ERROR, 0, TEST_START + (slot + 2) * US,
		    confine_error_value(&some_frame, CAN_SIM_CRC_ERROR, slot + 1));
	KUNIT_EXPECT_EQ(test, test_get(test, on, 1, TEST_ERROR)->rec, 9);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->value,
			confine_error_value(&some_frame, CAN_SIM_BIT_ERROR, slot + 2));
}

static void inject_ack_errors(struct kunit *test)
{
	struct test_bus *on = confine_disturbed_bus(test, CAN_SIM_ACK_ERROR,
						    -1);
	unsigned int slot = TEST_ACK_BIT(can_sim_wire_length(&some_frame));

	on->bus.inject.frames = 1;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 1000 * US);
	test_expect(test, on, 0, TEST_ERROR, 0, TEST_START + (slot + 1) * US,
		    confine_error_value(&some_frame, CAN_SIM_ACK_ERROR, slot));
	KUNIT_EXPECT_EQ(test, test_get(test, on, 1, TEST_ERROR)->value,
			confine_error_value(&some_frame, CAN_SIM_FORM_ERROR, slot + 1));
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), 1);

	/* the passive flag of the transmitter is not visible: a frame too many */
	on = confine_disturbed_bus(test, CAN_SIM_ACK_ERROR, -1);
	on->bus.inject.frames = 1;
	test_node_counters(&on->nodes[0], 130, 0);
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), 2);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_ERROR), 0);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->tec, 130);

	/* in self test there is no such error */
	on = confine_disturbed_bus(test, CAN_SIM_ACK_ERROR, -1);
	on->nodes[0].node.mode = CAN_SIM_NO_ACK_NEEDED;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_ERROR), 0);
}

/* Error-passive receivers do not disturb the frame: they miss it, and do not
 * acknowledge it if they have detected the error before the ACK slot.
 */
static void inject_with_passive_receivers(struct kunit *test)
{
	unsigned int length = can_sim_wire_length(&some_frame);
	struct test_bus *on = confine_disturbed_bus(test, CAN_SIM_STUFF_ERROR,
						    -1);

	on->bus.inject.frames = 1;
	test_node_counters(&on->nodes[1], 0, 150);
	test_node_counters(&on->nodes[2], 0, 150);
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, TEST_START + length * US);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.rec, 151);
	test_expect(test, on, 0, TEST_ERROR, 0,
		    TEST_START + (TEST_ACK_BIT(length) + 1) * US,
		    confine_error_value(&some_frame, CAN_SIM_ACK_ERROR,
					TEST_ACK_BIT(length)));

	on = confine_disturbed_bus(test, CAN_SIM_FORM_ERROR, length - 3);
	on->bus.inject.frames = 1;
	test_node_counters(&on->nodes[1], 0, 150);
	test_node_counters(&on->nodes[2], 0, 150);
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, TEST_START + length * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), 0);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_ERROR), 1);

	/* one error-active receiver disturbs it */
	on = confine_disturbed_bus(test, CAN_SIM_STUFF_ERROR, -1);
	on->bus.inject.frames = 1;
	test_node_counters(&on->nodes[1], 0, 150);
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, TEST_START + length * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 0);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.rec, 159);
	KUNIT_EXPECT_EQ(test, on->nodes[2].node.rec, 9);
}

/* An error before the end of arbitration: only some nodes have lost it. */
static void inject_during_arbitration(struct kunit *test)
{
	const struct can_sim_frame first = { 0x145, 1 };
	const struct can_sim_frame early = { 0x345, 1 };	/* loses in bit 1 */
	const struct can_sim_frame late = { 0x155, 1 };		/* loses in bit 6 */
	struct test_bus *on = test_bus_live(test, 4);

	on->bus.inject.type = CAN_SIM_BIT_ERROR;
	on->bus.inject.bit = 6;		/* bit 5 of the identifier */
	on->bus.inject.frames = 1;
	test_node_send(&on->nodes[0], &first, 1);
	test_node_send(&on->nodes[1], &early, 1);
	test_node_send(&on->nodes[2], &late, 1);
	test_bus_to(on, TEST_START + 8 * US);
	test_expect(test, on, 1, TEST_LOST, 0, TEST_START + 7 * US, 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_LOST), 0);
	test_expect(test, on, 0, TEST_ERROR, 0, TEST_START + 7 * US,
		    confine_error_value(&first, CAN_SIM_BIT_ERROR, 6));
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.tec, 8);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.rec, 1);
	KUNIT_EXPECT_EQ(test, on->nodes[2].node.tec, 8);
	KUNIT_EXPECT_EQ(test, on->nodes[3].node.rec, 1);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 3, TEST_RECEIVED), 3);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_LOST), 1);
}

/* An error flag in the arbitration field looks like a frame that wins. */
static void inject_flag_in_arbitration(struct kunit *test)
{
	/* the stuff bit after the first five is followed by a recessive bit */
	const struct can_sim_frame first = { 0x040, 1 };
	const struct can_sim_frame second = { 0x041, 1 };
	struct test_bus *on = confine_disturbed_bus(test, CAN_SIM_STUFF_ERROR,
						    5);

	on->bus.inject.frames = 1;
	test_node_send(&on->nodes[0], &first, 1);
	test_node_send(&on->nodes[1], &second, 1);
	test_bus_to(on, TEST_START + 6 * US);
	test_expect(test, on, 2, TEST_ERROR, 0, TEST_START + 6 * US,
		    confine_error_value(&first, CAN_SIM_STUFF_ERROR, 5));
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_LOST)->value, 4);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 1, TEST_LOST)->value, 4);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.tec, 0);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.rec, 1);
	KUNIT_EXPECT_EQ(test, on->nodes[2].node.rec, 9);
	/* six dominant bits are an error for losers */
	KUNIT_EXPECT_EQ(test, on->bus.record[0].bits, 6 + 6 + TEST_ERROR_BITS);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
}

/* Arbitration continues if only a passive receiver has detected the error. */
static void inject_passive_in_arbitration(struct kunit *test)
{
	const struct can_sim_frame first = { 0x040, 1 };
	const struct can_sim_frame second = { 0x041, 1 };
	struct test_bus *on = confine_disturbed_bus(test, CAN_SIM_STUFF_ERROR,
						    5);
	u64 end = TEST_START + confine_frame_ns(&first);

	on->bus.inject.frames = 1;
	test_node_counters(&on->nodes[2], 0, 150);
	test_node_send(&on->nodes[0], &first, 1);
	test_node_send(&on->nodes[1], &second, 1);
	test_bus_to(on, end);
	KUNIT_EXPECT_EQ(test, on->nodes[2].node.rec, 151);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 0);
	test_expect(test, on, 0, TEST_SENT, 0, end, first.id);
	test_expect(test, on, 1, TEST_LOST, 0, TEST_START +
		    can_sim_wire_arbitration(&first) * US, 10);
	test_expect(test, on, 1, TEST_RECEIVED, 0, end, first.id);
}

/* A frame that continues after a collision may still end with the injected
 * error.
 */
static void inject_after_collision(struct kunit *test)
{
	struct test_bus *on = confine_disturbed_bus(test, CAN_SIM_BIT_ERROR,
						    60);
	struct can_sim_frame copy = some_frame;

	on->bus.inject.frames = 1;
	copy.data[0] |= 0x80;
	test_node_counters(&on->nodes[1], 130, 0);
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_node_send(&on->nodes[1], &copy, 1);
	test_bus_to(on, TEST_START + confine_frame_ns(&some_frame));
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.tec, 138);
	test_expect(test, on, 0, TEST_ERROR, 0, TEST_START + 61 * US,
		    confine_error_value(&some_frame, CAN_SIM_BIT_ERROR, 60));
	/* the other one sends again after a pause, as the transmitter that it
	 * was
	 */
	test_bus_to(on, 1000 * US);
	test_expect(test, on, 0, TEST_LOADED, 1, on->bus.record[1].start,
		    some_frame.id);
	test_expect(test, on, 1, TEST_RECEIVED, 0, on->bus.record[1].start +
		    confine_frame_ns(&some_frame), some_frame.id);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
}

static void confine_run_injection(struct test_bus *on, u64 seed,
				  enum can_sim_error_type type)
{
	test_bus_init(on, 3);
	test_node_on(&on->nodes[0]);
	test_node_on(&on->nodes[1]);
	test_node_on(&on->nodes[2]);
	on->nodes[0].next = test_next_random;
	test_next_random(&on->nodes[0]);
	on->bus.inject.type = type;
	on->bus.inject.ppm = 100000;
	prandom_seed_state(&on->bus.inject.rnd, seed);
	on->nodes[0].left = 300;
	test_node_request(&on->nodes[0]);
	test_bus_to(on, 100000 * US);
}

/* The same seed, the same errors; one frame in ten. */
static void inject_at_random(struct kunit *test)
{
	struct test_bus *a = test->priv;
	struct test_bus *b = test_bus_alloc(test);
	enum can_sim_error_type type;

	for (type = CAN_SIM_BIT_ERROR; type <= CAN_SIM_ACK_ERROR; type++) {
		confine_run_injection(a, 17, type);
		confine_run_injection(b, 17, type);
		KUNIT_EXPECT_EQ(test, a->logged, b->logged);
		KUNIT_EXPECT_EQ(test, memcmp(a->events, b->events,
					     a->logged * sizeof(*a->events)), 0);
		KUNIT_EXPECT_GT(test, a->bus.stats.errors, 15);
		KUNIT_EXPECT_LT(test, a->bus.stats.errors, 55);
		KUNIT_EXPECT_EQ(test, test_count(a, 0, TEST_SENT), 300);
		KUNIT_EXPECT_EQ(test, test_count(a, 1, TEST_RECEIVED), 300);
		confine_run_injection(b, 18, type);
		KUNIT_EXPECT_TRUE(test, a->logged != b->logged ||
				  memcmp(a->events, b->events,
					 a->logged * sizeof(*a->events)));
	}
}

/* Random bits are all valid ones except those in arbitration. */
static void inject_random_bits(struct kunit *test)
{
	struct can_sim_inject inject = { .bit = -1 };
	bool hit[2][CAN_SIM_MOST_BITS] = {};
	struct can_sim_bits bits;
	unsigned int i, bit;

	can_sim_wire_expand(&some_frame, &bits);
	prandom_seed_state(&inject.rnd, 1);
	for (i = 0; i < 10000; i++) {
		inject.type = CAN_SIM_BIT_ERROR;
		KUNIT_ASSERT_TRUE(test, can_sim_inject(&inject, &bits, &bit));
		hit[0][bit] = true;
		inject.type = CAN_SIM_STUFF_ERROR;
		KUNIT_ASSERT_TRUE(test, can_sim_inject(&inject, &bits, &bit));
		hit[1][bit] = true;
	}
	for (bit = 0; bit < CAN_SIM_MOST_BITS; bit++) {
		bool inside = bit >= bits.arbitration && bit < bits.stuffed;

		KUNIT_EXPECT_EQ(test, hit[0][bit], inside && !bits.stuff[bit]);
		KUNIT_EXPECT_EQ(test, hit[1][bit], inside && bits.stuff[bit]);
	}
}

static void inject_chosen_frames(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	unsigned int i, errors;

	on->bus.inject.type = CAN_SIM_BIT_ERROR;
	on->bus.inject.first = 5;
	on->bus.inject.frames = 3;
	test_node_send(&on->nodes[0], &some_frame, 20);
	test_bus_to(on, 10000 * US);
	KUNIT_EXPECT_EQ(test, on->bus.inject.count, 23);
	KUNIT_EXPECT_EQ(test, on->bus.records, 23);
	for (i = 0; i < 23; i++) {
		errors = i >= 5 && i < 8 ? CAN_SIM_BIT_ERROR : CAN_SIM_NO_ERROR;
		KUNIT_EXPECT_EQ(test, on->bus.record[i].error, errors);
	}
}

/* All of a million, and one in a thousand. */
static void inject_rate(struct kunit *test)
{
	struct can_sim_inject inject = {
		.type = CAN_SIM_BIT_ERROR, .ppm = 1000000 };
	unsigned int i, hits = 0;

	prandom_seed_state(&inject.rnd, 1);
	for (i = 0; i < 1000; i++)
		KUNIT_EXPECT_TRUE(test, can_sim_inject_hits(&inject));
	inject.ppm = 1000;
	for (i = 0; i < 100000; i++)
		hits += can_sim_inject_hits(&inject);
	KUNIT_EXPECT_GT(test, hits, 60);
	KUNIT_EXPECT_LT(test, hits, 140);
	inject.ppm = 0;
	for (i = 0; i < 1000; i++)
		KUNIT_EXPECT_FALSE(test, can_sim_inject_hits(&inject));
	KUNIT_EXPECT_EQ(test, inject.count, 102000);
}

static struct kunit_case confine_cases[] = {
	KUNIT_CASE(confine_rules),
	KUNIT_CASE(confine_limits),
	KUNIT_CASE(confine_listen_only),
	KUNIT_CASE(confine_single_node),
	KUNIT_CASE(confine_second_node_joins),
	KUNIT_CASE(confine_suspend),
	KUNIT_CASE(confine_suspended_among_others),
	KUNIT_CASE(confine_suspend_ends),
	KUNIT_CASE(confine_receiver_becomes_active),
	KUNIT_CASE(confine_bus_off),
	KUNIT_CASE(confine_recovery),
	KUNIT_CASE(confine_recovery_progress),
	KUNIT_CASE(confine_recovery_while_busy),
	KUNIT_CASE(confine_recovery_slow),
	KUNIT_CASE(confine_recovery_interrupted),
	KUNIT_CASE(confine_recovery_rejected),
	KUNIT_CASE(inject_bit_errors),
	KUNIT_CASE(inject_stuff_errors),
	KUNIT_CASE(inject_form_errors),
	KUNIT_CASE(inject_crc_errors),
	KUNIT_CASE(inject_ack_errors),
	KUNIT_CASE(inject_with_passive_receivers),
	KUNIT_CASE(inject_during_arbitration),
	KUNIT_CASE(inject_flag_in_arbitration),
	KUNIT_CASE(inject_passive_in_arbitration),
	KUNIT_CASE(inject_after_collision),
	KUNIT_CASE(inject_at_random),
	KUNIT_CASE(inject_random_bits),
	KUNIT_CASE(inject_chosen_frames),
	KUNIT_CASE(inject_rate),
	{}
};

static struct kunit_suite confine_suite = {
	.name = "can-sim-confine",
	.init = test_bus_suite_init,
	.test_cases = confine_cases,
};

kunit_test_suite(confine_suite);
