// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of a bus: begin and end of frames, transmitters and receivers,
 * and nodes that are switched on and off. confine_test.c tests errors.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/can.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "bus_test.h"

static const struct can_sim_frame some_frame = {
	0x123, 8, { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 }
};

static const struct can_sim_frame other_frame = { 0x456, 2, { 0xab, 0xcd } };

static u64 bus_frame_ns(const struct can_sim_frame *frame)
{
	return can_sim_wire_length(frame) * US;
}

/* Time */

static void bus_frame_times(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 3);
	u64 end = TEST_START + bus_frame_ns(&some_frame);
	unsigned int bits = can_sim_wire_length(&some_frame);

	test_node_send(&on->nodes[1], &some_frame, 1);
	test_bus_to(on, TEST_START - 1);
	KUNIT_EXPECT_EQ(test, on->logged, 0);
	test_bus_to(on, TEST_START);
	test_expect(test, on, 1, TEST_LOADED, 0, TEST_START, some_frame.id);
	KUNIT_EXPECT_EQ(test, on->bus.sof, TEST_START);
	test_bus_to(on, end - 1);
	KUNIT_EXPECT_EQ(test, on->logged, 1);
	test_bus_to(on, end);
	KUNIT_EXPECT_EQ(test, on->logged, 4);
	test_expect(test, on, 1, TEST_SENT, 0, end, some_frame.id);
	test_expect(test, on, 0, TEST_RECEIVED, 0, end, some_frame.id);
	test_expect(test, on, 2, TEST_RECEIVED, 0, end, some_frame.id);
	KUNIT_EXPECT_FALSE(test, on->nodes[1].node.request);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 1);
	KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 0);
	KUNIT_EXPECT_EQ(test, on->bus.stats.bits, bits + 3);
	KUNIT_EXPECT_EQ(test, on->bus.stats.busy, (bits + 3) * US);
	test_bus_to(on, 2 * end);
	KUNIT_EXPECT_EQ(test, on->logged, 4);
}

static void bus_received_is_sent(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	struct can_sim_frame frame;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		test_random_frame(&on->rnd, &frame);
		test_node_send(&on->nodes[0], &frame, 1);
		test_bus_to(on, on->clock + 200 * US);
		KUNIT_EXPECT_EQ(test, memcmp(&on->bus.frame, &frame,
					     sizeof(frame)), 0);
		KUNIT_EXPECT_EQ(test, on->nodes[0].node.stats.sent, i + 1);
		KUNIT_EXPECT_EQ(test, on->nodes[1].node.stats.received, i + 1);
	}
}

/* N frames take N times the time of a frame and of intermission. */
static void bus_back_to_back(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	struct test_node *sender = &on->nodes[0];
	u64 time = TEST_START;
	struct rnd_state rnd;
	unsigned int i;

	sender->next = test_next_random;
	test_next_random(sender);
	sender->left = 1000;
	test_node_request(sender);
	test_bus_to(on, 1000000 * US);

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 1000; i++) {
		struct can_sim_frame frame;

		test_random_frame(&rnd, &frame);
		test_expect(test, on, 0, TEST_LOADED, i, time, frame.id);
		time += bus_frame_ns(&frame);
		test_expect(test, on, 0, TEST_SENT, i, time, frame.id);
		test_expect(test, on, 1, TEST_RECEIVED, i, time, frame.id);
		time += 3 * US;
	}
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 1000);
	KUNIT_EXPECT_EQ(test, on->bus.stats.bits * US, time - TEST_START);
	KUNIT_EXPECT_EQ(test, on->bus.stats.busy, time - TEST_START);
	KUNIT_EXPECT_EQ(test, on->bus.idle, time);
}

/* Rounding errors are at most half a nanosecond for each frame. */
static void bus_rates(struct kunit *test)
{
	static const struct can_sim_timing timings[] = {
		{ 8000000, 4, 13, 2, 1 },	/* 125 kbit/s */
		{ 8000000, 6, 13, 2, 1 },	/* 83.333 kbit/s */
		{ 3000000, 1, 7, 2, 1 },	/* 300 kbit/s */
		{ 33000000, 7, 15, 4, 1 },	/* 235.714 kbit/s */
	};
	unsigned int bits = can_sim_wire_length(&some_frame), i, k;

	for (i = 0; i < ARRAY_SIZE(timings); i++) {
		const struct can_sim_timing *timing = &timings[i];
		struct test_bus *on = test_bus_new(test, 2);
		u64 time = can_sim_timing_ns(timing, 11), cycles, error;

		for (k = 0; k < 2; k++) {
			on->nodes[k].node.timing = *timing;
			test_node_on(&on->nodes[k]);
		}
		test_node_send(&on->nodes[0], &some_frame, 100);
		test_bus_to(on, 1000000 * US);
		for (k = 0; k < 100; k++) {
			test_expect(test, on, 1, TEST_RECEIVED, k,
				    time + can_sim_timing_ns(timing, bits),
				    some_frame.id);
			time += can_sim_timing_ns(timing, bits + 3);
		}
		cycles = (11 + 100 * (bits + 3)) * timing->brp *
			 (1ULL + timing->seg1 + timing->seg2);
		error = abs_diff(time * timing->clock, cycles * NSEC_PER_SEC);
		KUNIT_EXPECT_LE(test, error, 101 * (u64)timing->clock / 2);
	}
}

/* On an idle bus a frame begins at once, otherwise after intermission. */
static void bus_request_times(struct kunit *test)
{
	u64 length = bus_frame_ns(&some_frame), begin = 12345, offset;

	for (offset = 0; offset < length + 10 * US; offset += US / 2) {
		struct test_bus *on = test_bus_live(test, 3);
		u64 next;

		on->clock = TEST_START + begin;
		test_node_send(&on->nodes[0], &some_frame, 1);
		on->clock += offset;
		test_node_send(&on->nodes[1], &other_frame, 1);
		test_bus_to(on, 1000 * US);
		next = TEST_START + begin + max(offset, length + 3 * US);
		test_expect(test, on, 0, TEST_LOADED, 0, TEST_START + begin,
			    some_frame.id);
		test_expect(test, on, 1, TEST_LOADED, 0, next, other_frame.id);
		test_expect(test, on, 1, TEST_SENT, 0,
			    next + bus_frame_ns(&other_frame), other_frame.id);
		KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 2);
	}
}

/* At @load, a chip may have no frame any more, or another one. */
static void bus_load_declines(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);

	test_node_request(&on->nodes[0]);
	test_bus_to(on, 100 * US);
	KUNIT_EXPECT_EQ(test, on->logged, 0);
	KUNIT_EXPECT_FALSE(test, on->nodes[0].node.request);
	test_node_send(&on->nodes[0], &some_frame, 1);
	on->nodes[0].frame.id = 0x100;
	test_bus_to(on, 300 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
}

static void bus_declines_among_others(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 3);
	u64 end = TEST_START + bus_frame_ns(&some_frame);

	test_node_request(&on->nodes[0]);
	test_node_send(&on->nodes[1], &some_frame, 1);
	test_bus_to(on, 200 * US);
	test_expect(test, on, 0, TEST_RECEIVED, 0, end, some_frame.id);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_LOST), 0);
}

/* Events that are handled late */

#define BUSY_NODES 5

static void bus_busy_hook(struct test_node *node,
			  const struct test_event *event)
{
	struct can_sim_node *self = &node->node;

	switch (event->kind) {
	case TEST_RECEIVED:
		can_sim_node_wake_at(self, event->time +
				     test_random_below(&node->on->rnd, 300000));
		break;
	case TEST_WOKEN:
		node->left += 2;
		can_sim_node_request(self);
		break;
	case TEST_COUNTED:
		if (self->state == CAN_SIM_BUS_OFF)
			can_sim_node_recover(self);
		break;
	default:
		break;
	}
}

static void bus_make_busy(struct test_bus *on, u32 seed)
{
	unsigned int i;

	test_bus_init(on, BUSY_NODES);
	prandom_seed_state(&on->rnd, seed);
	on->bus.inject.type = 1 + seed % 5;
	on->bus.inject.ppm = 50000;
	for (i = 0; i < BUSY_NODES; i++) {
		struct test_node *node = &on->nodes[i];

		node->next = test_next_random;
		node->hook = bus_busy_hook;
		test_next_random(node);
		test_node_on(node);
	}
	for (i = 0; i < 2; i++) {
		on->nodes[i].left = 3;
		test_node_request(&on->nodes[i]);
	}
	if (seed & 1)
		test_node_counters(&on->nodes[0], 120, 0);
	if (seed & 2)
		on->nodes[2].node.mode = CAN_SIM_LISTEN_ONLY;
	if (seed & 4)
		on->nodes[1].node.mode = CAN_SIM_ONE_SHOT;
	if (seed & 8)
		test_node_counters(&on->nodes[1], 240, 127);
}

/* Operations and bus->now do not depend on the time when events are handled. */
static void bus_late_events(struct kunit *test)
{
	struct test_bus *soon = test->priv;
	struct test_bus *late = test_bus_alloc(test);
	const u64 end = 10000 * US;
	struct rnd_state rnd;
	u32 seed;

	prandom_seed_state(&rnd, 4);
	for (seed = 0; seed < 40; seed++) {
		u64 time;

		bus_make_busy(soon, seed);
		for (time = 0; time <= end; time += US)
			test_bus_to(soon, time);
		bus_make_busy(late, seed);
		for (time = 0; time < end;
		     time += 1 + (prandom_u32_state(&rnd) % 1000000 >>
				  test_random_below(&rnd, 20)))
			test_bus_to(late, time);
		test_bus_to(late, end);

		KUNIT_EXPECT_GT(test, soon->logged, 100);
		KUNIT_EXPECT_LT(test, soon->logged, TEST_EVENTS);
		KUNIT_EXPECT_EQ(test, late->logged, soon->logged);
		KUNIT_EXPECT_EQ(test, memcmp(late->events, soon->events,
					     soon->logged *
					     sizeof(*soon->events)), 0);
		KUNIT_EXPECT_EQ(test, memcmp(&late->bus.stats, &soon->bus.stats,
					     sizeof(soon->bus.stats)), 0);
		KUNIT_EXPECT_EQ(test, memcmp(late->bus.record, soon->bus.record,
					     sizeof(soon->bus.record)), 0);
	}
}

/* Arbitration */

/* The arbitration field as text */
static void bus_write_arbitration(const struct can_sim_frame *frame, char *text)
{
	u32 id = frame->id & CAN_EFF_MASK;
	char rtr = frame->id & CAN_RTR_FLAG ? '1' : '0';
	int i;

	if (!(frame->id & CAN_EFF_FLAG)) {
		for (i = 10; i >= 0; i--)
			*text++ = id & BIT(i) ? '1' : '0';
		*text++ = rtr;
		*text++ = '0';
		*text = 0;
		return;
	}
	for (i = 28; i >= 0; i--) {
		*text++ = id & BIT(i) ? '1' : '0';
		if (i == 18) {
			*text++ = '1';
			*text++ = '1';
		}
	}
	*text++ = rtr;
	*text = 0;
}

/* Return: the bit in which the second frame loses against the first one, or -1. */
static int bus_loses_at(const struct can_sim_frame *winner,
			const struct can_sim_frame *loser)
{
	char a[40], b[40];
	int i;

	bus_write_arbitration(winner, a);
	bus_write_arbitration(loser, b);
	for (i = 0; a[i] == b[i]; i++)
		if (!a[i])
			return -1;
	return a[i] == '0' ? i : -1;
}

/* Different identifiers with many equal bits */
static void bus_contending_frames(struct test_bus *on)
{
	u32 base = prandom_u32_state(&on->rnd) & CAN_EFF_MASK;
	unsigned int i, k;

	for (i = 0; i < on->count; i++) {
		struct can_sim_frame *frame = &on->nodes[i].frame;
		u32 mask = CAN_EFF_MASK >> test_random_below(&on->rnd, 29);

		test_random_frame(&on->rnd, frame);
		frame->id = (base & ~mask) | (frame->id & mask) |
			    (frame->id & CAN_RTR_FLAG);
		if (test_random_below(&on->rnd, 3))
			frame->id |= CAN_EFF_FLAG;
		else
			frame->id = (base >> 18) | (frame->id & CAN_RTR_FLAG);
		for (k = 0; k < i; k++)
			if (on->nodes[k].frame.id == frame->id)
				break;
		if (k < i)
			i--;
	}
}

static struct test_node *bus_winner_of(struct test_bus *on, const bool *pending)
{
	struct test_node *best = NULL;
	unsigned int i;

	for (i = 0; i < on->count; i++)
		if (pending[i] &&
		    (!best || bus_loses_at(&on->nodes[i].frame, &best->frame) >= 0))
			best = &on->nodes[i];
	return best;
}

static void bus_check_contest(struct kunit *test, struct test_bus *on, u64 time)
{
	bool pending[TEST_NODES] = { true, true, true, true, true, true };
	unsigned int lost[TEST_NODES] = {};
	unsigned int i, round;

	for (round = 0; round < on->count; round++) {
		struct test_node *best = bus_winner_of(on, pending);
		u64 arbitration = can_sim_wire_arbitration(&best->frame) * US;

		pending[best->number] = false;
		for (i = 0; i < on->count; i++)
			if (pending[i])
				test_expect(test, on, i, TEST_LOST, lost[i]++,
					    time + arbitration,
					    bus_loses_at(&best->frame,
							 &on->nodes[i].frame));
		time += bus_frame_ns(&best->frame);
		test_expect(test, on, best->number, TEST_SENT, 0, time,
			    best->frame.id);
		time += 3 * US;
	}
	for (i = 0; i < on->count; i++)
		KUNIT_EXPECT_EQ(test, test_count(on, i, TEST_LOST), lost[i]);
}

static void bus_arbitration(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, TEST_NODES);
	unsigned int i, round;

	test_bus_to(on, TEST_START);
	for (round = 0; round < 1000; round++) {
		u64 begin = on->clock;
		unsigned long flags = can_sim_lock(&on->nodes[0].node);

		on->logged = 0;
		bus_contending_frames(on);
		for (i = 0; i < on->count; i++) {
			on->nodes[i].left = 1;
			can_sim_node_request(&on->nodes[i].node);
		}
		can_sim_unlock(&on->nodes[0].node, flags);
		test_bus_to(on, begin + 2000 * US);
		bus_check_contest(test, on, begin);
	}
}

/* A loser receives the frame, and sends later. */
static void bus_loser_receives(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	u64 end = TEST_START + bus_frame_ns(&some_frame);

	test_node_send(&on->nodes[0], &some_frame, 1);
	test_node_send(&on->nodes[1], &other_frame, 1);
	test_bus_to(on, 1000 * US);
	test_expect(test, on, 1, TEST_RECEIVED, 0, end, some_frame.id);
	test_expect(test, on, 0, TEST_RECEIVED, 0,
		    end + 3 * US + bus_frame_ns(&other_frame), other_frame.id);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.stats.lost, 1);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.stats.lost, 0);
}

static void bus_one_shot(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);

	on->nodes[1].node.mode = CAN_SIM_ONE_SHOT;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_node_send(&on->nodes[1], &other_frame, 1);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_LOST), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_LOADED), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 0);

	test_node_send(&on->nodes[1], &other_frame, 1);
	test_bus_to(on, 2000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);

	test_node_off(&on->nodes[0]);
	test_node_send(&on->nodes[1], &other_frame, 1);
	test_bus_to(on, 3000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_LOADED), 3);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_ERROR), 1);
	KUNIT_EXPECT_FALSE(test, on->nodes[1].node.request);
}

static void bus_request_again(struct test_node *node,
			      const struct test_event *event)
{
	if (event->kind == TEST_LOST || event->kind == TEST_ERROR)
		can_sim_node_request(&node->node);
}

/* A chip may request another attempt when a frame fails in one-shot mode. */
static void bus_one_shot_again(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);

	on->nodes[1].node.mode = CAN_SIM_ONE_SHOT;
	on->nodes[1].hook = bus_request_again;
	on->bus.inject.type = CAN_SIM_BIT_ERROR;
	on->bus.inject.first = 1;
	on->bus.inject.frames = 1;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_node_send(&on->nodes[1], &other_frame, 1);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_LOST), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_ERROR), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
}

/* Nodes that are switched on and off */

/* A node receives frames after eleven recessive bits; after the ACK slot of a
 * frame there are as many.
 */
static void bus_joining(struct kunit *test)
{
	u64 length = bus_frame_ns(&some_frame);
	u64 first = 20 * US, second = first + length + 3 * US, since;

	for (since = 0; since < second + 5 * US; since += US / 4) {
		struct test_bus *on = test_bus_new(test, 3);
		unsigned int expected = 1;

		test_node_on(&on->nodes[0]);
		test_node_on(&on->nodes[1]);
		if (since < first)
			test_bus_to(on, since);
		if (since < first)
			test_node_on(&on->nodes[2]);
		on->clock = first;
		test_node_send(&on->nodes[0], &some_frame, 3);
		if (since >= first)
			on->clock = since;
		test_node_on(&on->nodes[2]);
		test_bus_to(on, 1000 * US);

		if (since + 11 * US <= first)
			expected++;
		if (since + 11 * US <= second)
			expected++;
		KUNIT_EXPECT_EQ_MSG(test, test_count(on, 2, TEST_RECEIVED),
				    expected, "switched on at %llu", since);
		KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 3);
		KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_ERROR), 0);
	}
}

/* It does not send before either. */
static void bus_joins_and_sends(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 2);

	test_node_on(&on->nodes[0]);
	test_bus_to(on, 100 * US + 7);
	test_node_on(&on->nodes[1]);
	test_node_send(&on->nodes[1], &some_frame, 1);
	test_bus_to(on, 1000 * US);
	test_expect(test, on, 1, TEST_LOADED, 0, 111 * US + 7, some_frame.id);
	test_expect(test, on, 0, TEST_RECEIVED, 0,
		    111 * US + 7 + bus_frame_ns(&some_frame), some_frame.id);
}

/* Switching a node off ends its request, switching it on does not. */
static void bus_request_while_off(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 2);

	test_node_on(&on->nodes[0]);
	test_node_send(&on->nodes[1], &some_frame, 1);
	test_bus_to(on, 100 * US);
	KUNIT_EXPECT_EQ(test, on->logged, 0);
	test_node_on(&on->nodes[1]);
	test_bus_to(on, 300 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
	test_node_off(&on->nodes[1]);
	test_node_send(&on->nodes[1], &some_frame, 1);
	test_node_off(&on->nodes[1]);
	test_node_on(&on->nodes[1]);
	test_bus_to(on, 600 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
}

/**
 * struct reading - error that a receiver detects in a frame that stops
 * @type: of error
 * @bit: at which it is detected
 */
struct reading {
	enum can_sim_error_type type;
	unsigned int bit;
};

/* The bus is recessive from the bit @gone on. */
static struct reading bus_read_cut_frame(const struct can_sim_frame *frame,
					 const struct can_sim_bits *bits,
					 unsigned int gone)
{
	unsigned int raw = frame->id & CAN_EFF_FLAG ? 39 + 15 : 19 + 15;
	unsigned int i, equal = 0, level = 1, before;
	bool wrong = false;

	raw += 8 * can_sim_frame_len(frame);
	for (i = 0; raw || equal == 5; i++) {
		before = level;
		level = i < gone ? bits->level[i] : 1;
		wrong |= level != bits->level[i];
		if (equal != 5)
			raw--;
		equal = i && level == before ? equal + 1 : 1;
		if (equal == 6)
			return (struct reading){ CAN_SIM_STUFF_ERROR, i };
	}
	if (wrong)
		return (struct reading){ CAN_SIM_CRC_ERROR, i + 2 };
	return (struct reading){ CAN_SIM_NO_ERROR };
}

/* A frame whose checksum ends with recessive bits is correct without these. */
static void bus_check_transmitter_leaves(struct kunit *test,
					 struct test_bus *on,
					 const struct can_sim_frame *frame,
					 unsigned int half_bits)
{
	struct can_sim_bits *bits = &on->bus.other_bits;
	struct reading reading;
	u64 end, next;

	test_bus_init(on, 3);
	test_node_on(&on->nodes[0]);
	test_node_on(&on->nodes[1]);
	test_node_on(&on->nodes[2]);
	test_node_send(&on->nodes[0], frame, 5);
	on->clock = TEST_START + half_bits * US / 2;
	test_node_off(&on->nodes[0]);
	test_node_send(&on->nodes[1], &other_frame, 1);
	test_bus_to(on, on->clock + 1000 * US);

	can_sim_wire_expand(frame, bits);
	reading = bus_read_cut_frame(frame, bits, half_bits / 2);
	end = TEST_START + bus_frame_ns(frame);
	next = end + 3 * US;
	if (reading.type) {
		end = TEST_START + (reading.bit + 1) * US;
		next = end + (TEST_ERROR_BITS + 3) * US;
		test_expect(test, on, 1, TEST_ERROR, 0, end,
			    TEST_ERROR_VALUE(reading.type,
					     bits->segment[reading.bit]));
		test_expect(test, on, 2, TEST_ERROR, 0, end,
			    TEST_ERROR_VALUE(reading.type,
					     bits->segment[reading.bit]));
		KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_ERROR), 1);
		KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 1);
	} else {
		test_expect(test, on, 1, TEST_RECEIVED, 0, end, frame->id);
		test_expect(test, on, 2, TEST_RECEIVED, 0, end, frame->id);
		KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 0);
	}
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_LOADED), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 0);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_ERROR), 0);
	test_expect(test, on, 1, TEST_LOADED, 0, next, other_frame.id);
	test_expect(test, on, 1, TEST_SENT, 0,
		    next + bus_frame_ns(&other_frame), other_frame.id);
}

static const struct can_sim_frame cut_frames[] = {
	{ 0x123, 2, { 0xde, 0xad } },
	{ 0x7ff, 8, { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
	{ 0x000, 0 },
	{ 0x1fffffff | CAN_EFF_FLAG | CAN_RTR_FLAG, 15 },
	/* its checksum ends with five recessive bits */
	{ 0x0d110004 | CAN_EFF_FLAG, 7,
	  { 0x04, 0x70, 0x04, 0x38, 0x04, 0x6f, 0x00 } },
};

static void bus_transmitter_leaves(struct kunit *test)
{
	struct test_bus *on = test->priv;
	unsigned int i, half_bits;

	for (i = 0; i < ARRAY_SIZE(cut_frames); i++)
		for (half_bits = 0;
		     half_bits < 2 * can_sim_wire_length(&cut_frames[i]);
		     half_bits++)
			bus_check_transmitter_leaves(test, on, &cut_frames[i],
						     half_bits);
}

/* The transmitter is switched off, and the only receiver is listen-only: that
 * it does not acknowledge has no effect.
 */
static void bus_check_listener(struct kunit *test, struct test_bus *on,
			       const struct can_sim_frame *frame,
			       unsigned int gone)
{
	struct can_sim_bits *bits = &on->bus.other_bits;
	struct reading reading;

	test_bus_init(on, 2);
	on->nodes[1].node.mode = CAN_SIM_LISTEN_ONLY;
	test_node_on(&on->nodes[0]);
	test_node_on(&on->nodes[1]);
	test_node_send(&on->nodes[0], frame, 1);
	on->clock = TEST_START + gone * US;
	test_node_off(&on->nodes[0]);
	test_bus_to(on, on->clock + 1000 * US);

	can_sim_wire_expand(frame, bits);
	reading = bus_read_cut_frame(frame, bits, gone);
	KUNIT_EXPECT_EQ(test, on->bus.stats.errors, !!reading.type);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), !reading.type);
	if (reading.type)
		test_expect(test, on, 1, TEST_ERROR, 0,
			    TEST_START + (reading.bit + 1) * US,
			    TEST_ERROR_VALUE(reading.type,
					     bits->segment[reading.bit]));
}

static void bus_leaves_listener(struct kunit *test)
{
	unsigned int i, gone;

	for (i = 0; i < ARRAY_SIZE(cut_frames); i++)
		for (gone = 0; gone < TEST_ACK_BIT(can_sim_wire_length(&cut_frames[i]));
		     gone++)
			bus_check_listener(test, test->priv, &cut_frames[i], gone);
}

/* There is no other node. */
static void bus_single_transmitter_leaves(struct kunit *test)
{
	unsigned int half_bits, length = can_sim_wire_length(&some_frame);
	struct test_bus *on = test->priv;

	for (half_bits = 0; half_bits < 2 * length; half_bits++) {
		test_bus_init(on, 2);
		test_node_on(&on->nodes[0]);
		on->nodes[0].node.mode = CAN_SIM_NO_ACK_NEEDED;
		test_node_send(&on->nodes[0], &some_frame, 1);
		on->clock = TEST_START + half_bits * US / 2;
		test_node_off(&on->nodes[0]);
		test_node_on(&on->nodes[1]);
		on->nodes[1].node.mode = CAN_SIM_NO_ACK_NEEDED;
		test_node_send(&on->nodes[1], &other_frame, 1);
		test_bus_to(on, 1000 * US);
		KUNIT_EXPECT_EQ(test, on->bus.records, 2);
		KUNIT_EXPECT_EQ(test, on->logged, 3);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
		KUNIT_EXPECT_EQ(test, on->nodes[0].node.tec, 0);
	}
}

/* The only receiver acknowledges if it is on until the end of the ACK slot. */
static void bus_receiver_leaves(struct kunit *test)
{
	unsigned int half_bits, length = can_sim_wire_length(&some_frame);
	u64 end = TEST_START + bus_frame_ns(&some_frame);
	u64 slot = (TEST_ACK_BIT(length) + 1) * US;
	struct test_bus *on = test->priv;

	for (half_bits = 0; half_bits < 2 * length; half_bits++) {
		u64 time = half_bits * US / 2;

		test_bus_init(on, 2);
		test_node_on(&on->nodes[0]);
		test_node_on(&on->nodes[1]);
		test_node_send(&on->nodes[0], &some_frame, 1);
		on->clock = TEST_START + time;
		test_node_off(&on->nodes[1]);
		test_bus_to(on, end);
		if (time < slot)
			test_expect(test, on, 0, TEST_ERROR, 0,
				    TEST_START + slot,
				    TEST_ERROR_VALUE(CAN_SIM_ACK_ERROR,
						     CAN_SIM_SEG_ACK_SLOT));
		else
			test_expect(test, on, 0, TEST_SENT, 0, end,
				    some_frame.id);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), 0);
	}
}

/* The other nodes and the bus continue. */
static void bus_contender_leaves(struct kunit *test)
{
	u64 time;

	for (time = 0; time < 40 * US; time += US / 2) {
		struct test_bus *on = test_bus_live(test, 3);

		test_node_send(&on->nodes[0], &other_frame, 1);
		test_node_send(&on->nodes[1], &some_frame, 1);
		on->clock = TEST_START + time;
		test_node_off(&on->nodes[0]);
		test_bus_to(on, 1000 * US);
		KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 0);
		test_expect(test, on, 1, TEST_SENT, 0,
			    TEST_START + bus_frame_ns(&some_frame),
			    some_frame.id);
		KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 0);
	}
}

static void bus_winner_leaves(struct kunit *test)
{
	u64 time;

	for (time = 0; time < 40 * US; time += US / 2) {
		struct test_bus *on = test_bus_live(test, 3);

		test_node_send(&on->nodes[0], &other_frame, 1);
		test_node_send(&on->nodes[1], &some_frame, 1);
		on->clock = TEST_START + time;
		test_node_off(&on->nodes[1]);
		test_bus_to(on, 1000 * US);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 0);
		KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
		KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 1);
		KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 1);
	}
}

/* A node is deleted during a frame. */
static void bus_deletion(struct kunit *test)
{
	u64 time;

	for (time = 0; time < 150 * US; time += 5 * US) {
		struct test_bus *on = test_bus_live(test, 3);

		test_node_send(&on->nodes[0], &some_frame, 1);
		can_sim_node_wake_at(&on->nodes[0].node, time + 50 * US);
		test_node_send(&on->nodes[1], &other_frame, 1);
		on->clock = TEST_START + time;
		can_sim_bus_del(&on->nodes[0].node);
		KUNIT_EXPECT_NULL(test, on->nodes[0].node.bus);
		memset(&on->nodes[0], 0xff, sizeof(on->nodes[0]));
		test_bus_to(on, 1000 * US);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
		can_sim_bus_del(&on->nodes[1].node);
		can_sim_bus_del(&on->nodes[2].node);
		can_sim_bus_stop(&on->bus);
	}
}

/* Acknowledgment */

/**
 * struct ack_case - a case of acknowledgment
 * @mode: of the transmitter
 * @partner_on: there is another node
 * @partner_mode: its mode
 * @sent: the frame is sent
 * @received: the other node receives it
 */
struct ack_case {
	unsigned int mode;
	bool partner_on;
	unsigned int partner_mode;
	bool sent;
	bool received;
};

static const struct ack_case ack_cases[] = {
	{ 0, true, 0, true, true },
	{ 0, false, 0, false, false },
	{ 0, true, CAN_SIM_LISTEN_ONLY, false, false },
	{ 0, true, CAN_SIM_NO_ACK_NEEDED, true, true },
	{ CAN_SIM_NO_ACK_NEEDED, false, 0, true, false },
	{ CAN_SIM_NO_ACK_NEEDED, true, CAN_SIM_LISTEN_ONLY, true, true },
	{ CAN_SIM_NO_ACK_NEEDED, true, 0, true, true },
};

static void bus_acknowledgment(struct kunit *test)
{
	unsigned int length = can_sim_wire_length(&some_frame), i;
	u64 end = TEST_START + length * US;
	u64 slot_end = TEST_START + (TEST_ACK_BIT(length) + 1) * US;

	for (i = 0; i < ARRAY_SIZE(ack_cases); i++) {
		const struct ack_case *c = &ack_cases[i];
		struct test_bus *on = test_bus_new(test, 2);

		on->nodes[0].node.mode = c->mode;
		on->nodes[1].node.mode = c->partner_mode;
		test_node_on(&on->nodes[0]);
		if (c->partner_on)
			test_node_on(&on->nodes[1]);
		test_node_send(&on->nodes[0], &some_frame, 1);
		test_bus_to(on, end);
		KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), c->sent);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED),
				c->received);
		if (c->sent)
			continue;
		test_expect(test, on, 0, TEST_ERROR, 0, slot_end,
			    TEST_ERROR_VALUE(CAN_SIM_ACK_ERROR,
					     CAN_SIM_SEG_ACK_SLOT));
		KUNIT_EXPECT_EQ(test, on->nodes[0].node.tec, 8);
		test_bus_to(on, 2 * end);
		test_expect(test, on, 0, TEST_LOADED, 1,
			    slot_end + (TEST_ERROR_BITS + 3) * US,
			    some_frame.id);
	}
}

static void bus_listen_only(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 3);

	on->nodes[2].node.mode = CAN_SIM_LISTEN_ONLY;
	test_node_on(&on->nodes[0]);
	test_node_on(&on->nodes[1]);
	test_node_on(&on->nodes[2]);
	test_node_send(&on->nodes[2], &some_frame, 1);
	test_node_send(&on->nodes[0], &other_frame, 2);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_LOADED), 0);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 2);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 2);
}

/* The same identifier twice */

static void bus_same_frame(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 3);
	u64 end = TEST_START + bus_frame_ns(&some_frame);

	test_node_send(&on->nodes[0], &some_frame, 1);
	test_node_send(&on->nodes[2], &some_frame, 1);
	test_bus_to(on, 1000 * US);
	test_expect(test, on, 0, TEST_SENT, 0, end, some_frame.id);
	test_expect(test, on, 2, TEST_SENT, 0, end, some_frame.id);
	test_expect(test, on, 1, TEST_RECEIVED, 0, end, some_frame.id);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 1);
	KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 0);
	KUNIT_EXPECT_EQ(test, on->logged, 5);
}

/* Bytes past the length do not matter. */
static void bus_same_short_frame(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 3);
	struct can_sim_frame copy = other_frame;

	copy.data[2] = 0x77;
	test_node_send(&on->nodes[0], &other_frame, 1);
	test_node_send(&on->nodes[1], &copy, 1);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 1);
	KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 0);
}

/* Neither of them acknowledges its own frame. */
static void bus_same_frame_alone(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);

	test_node_send(&on->nodes[0], &some_frame, 1);
	test_node_send(&on->nodes[1], &some_frame, 1);
	test_bus_to(on, TEST_START + bus_frame_ns(&some_frame));
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_ERROR), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_ERROR), 1);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.tec, 8);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.tec, 8);
}

/* If one of them is switched off, the other one continues. */
static void bus_same_frame_leaves(struct kunit *test)
{
	u64 time;

	for (time = 0; time < bus_frame_ns(&some_frame); time += US / 2) {
		struct test_bus *on = test_bus_live(test, 3);

		test_node_send(&on->nodes[0], &some_frame, 1);
		test_node_send(&on->nodes[1], &some_frame, 1);
		on->clock = TEST_START + time;
		test_node_off(&on->nodes[0]);
		test_bus_to(on, 1000 * US);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
		KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 1);
		KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 0);
	}
}

static void bus_check_collision(struct kunit *test, struct test_bus *on,
				const struct can_sim_frame *a,
				const struct can_sim_frame *b)
{
	struct can_sim_bits *first = &on->bus.bits;
	struct can_sim_bits *second = &on->bus.other_bits;
	unsigned int bit = 0, loser;
	u64 end;

	can_sim_wire_expand(a, first);
	can_sim_wire_expand(b, second);
	while (first->level[bit] == second->level[bit])
		bit++;
	loser = first->level[bit] ? 0 : 1;
	end = TEST_START + (bit + 1) * US;
	test_expect(test, on, loser, TEST_ERROR, 0, end,
		    TEST_ERROR_VALUE(CAN_SIM_BIT_ERROR,
				     (loser ? second : first)->segment[bit]));
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->tec, 8);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 1, TEST_ERROR)->tec, 8);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 2, TEST_ERROR)->rec, 1);
}

/* The error flags of the first 16 attempts are active. Then the node that has
 * sent a recessive bit is error passive and cannot disturb the other one any
 * more.
 */
static void bus_collision(struct kunit *test)
{
	static const struct can_sim_frame frames[][2] = {
		{ { 0x123, 8, { 1, 2, 3, 4 } }, { 0x123, 8, { 1, 2, 4 } } },
		{ { 0x123, 8, { 1, 2, 4 } }, { 0x123, 8, { 1, 2, 3, 4 } } },
		{ { 0x123, 2, { 1, 2 } }, { 0x123, 4, { 1, 2 } } },
		{ { 0x123, 9, { 1, 2 } }, { 0x123, 8, { 1, 2 } } },
		{ { 0x123 | CAN_RTR_FLAG, 2 }, { 0x123 | CAN_RTR_FLAG, 3 } },
		{ { 0x1fffffff | CAN_EFF_FLAG, 1, { 0xff } },
		  { 0x1fffffff | CAN_EFF_FLAG, 1, { 0xfe } } },
	};
	unsigned int i, loser;

	for (i = 0; i < ARRAY_SIZE(frames); i++) {
		const struct can_sim_frame *pair = frames[i];
		struct test_bus *on = test_bus_live(test, 3);

		test_node_send(&on->nodes[0], &pair[0], 1);
		test_node_send(&on->nodes[1], &pair[1], 1);
		test_bus_to(on, TEST_START + 1);
		test_bus_to(on, TEST_START + 200 * US);
		loser = test_get(test, on, 0, TEST_ERROR)->time <
			test_get(test, on, 1, TEST_ERROR)->time;
		KUNIT_EXPECT_EQ(test, loser, 0);
		test_bus_to(on, 10000 * US);
		KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_SENT), 1);
		KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 2);
		KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 16);
		bus_check_collision(test, on, &pair[0], &pair[1]);
	}
}

/* Other bit rates */

static const struct can_sim_timing half_rate = { 8000000, 1, 13, 2, 1 };

static void bus_other_rate_disturbs(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 3);
	unsigned int i;

	on->nodes[2].node.timing = half_rate;
	for (i = 0; i < 3; i++)
		test_node_on(&on->nodes[i]);
	on->clock = 100 * US;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 300 * US);
	KUNIT_EXPECT_GE(test, on->bus.stats.errors, 2);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 0);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->value >> 8,
			CAN_SIM_BIT_ERROR);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 2, TEST_ERROR)->value >> 8,
			CAN_SIM_STUFF_ERROR);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->tec, 8);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 1, TEST_ERROR)->rec, 1);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 2, TEST_ERROR)->rec, 9);

	/* in the end it is error passive, and disturbs no frame any more */
	test_bus_to(on, 10000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), 1);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 0);
	KUNIT_EXPECT_EQ(test, on->nodes[2].node.state, CAN_SIM_PASSIVE);
}

static void bus_other_rate_listens(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 3);
	unsigned int i;

	on->nodes[2].node.timing = half_rate;
	on->nodes[2].node.mode = CAN_SIM_LISTEN_ONLY;
	for (i = 0; i < 3; i++)
		test_node_on(&on->nodes[i]);
	on->clock = 100 * US;
	test_node_send(&on->nodes[0], &some_frame, 10);
	test_bus_to(on, 2000 * US);
	KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), 10);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_RECEIVED), 0);
	KUNIT_EXPECT_EQ(test, test_count(on, 2, TEST_ERROR), 10);
	KUNIT_EXPECT_EQ(test, on->nodes[2].node.rec, 0);
	KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 0);
}

/* It does not acknowledge. */
static void bus_other_rate_alone(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 2);

	on->nodes[1].node.timing = half_rate;
	test_node_on(&on->nodes[0]);
	test_node_on(&on->nodes[1]);
	test_node_counters(&on->nodes[1], 0, 200);
	on->clock = 100 * US;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 100 * US + bus_frame_ns(&some_frame));
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->value >> 8,
			CAN_SIM_ACK_ERROR);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.rec, 201);
}

/* Nor does a node that is so slow that it has read few bits before the ACK slot. */
static void bus_other_rate_slow(struct kunit *test)
{
	const struct can_sim_timing slow = { 8000000, 8, 13, 2, 1 };
	struct test_bus *on = test_bus_new(test, 2);
	u64 begin = 1000 * US;

	on->nodes[1].node.timing = slow;
	test_node_on(&on->nodes[0]);
	test_node_on(&on->nodes[1]);
	on->clock = begin;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, begin + bus_frame_ns(&some_frame));
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->value,
			TEST_ERROR_VALUE(CAN_SIM_ACK_ERROR,
					 CAN_SIM_SEG_ACK_SLOT));
}

/* Switching it off before it has read six equal bits has no effect. */
static void bus_other_rate_leaves(struct kunit *test)
{
	u64 begin = 100 * US, seen;
	struct test_bus *on;
	unsigned int bits;

	on = test_bus_live(test, 3);
	test_node_off(&on->nodes[2]);
	on->nodes[2].node.timing = half_rate;
	test_node_on(&on->nodes[2]);
	on->clock = begin;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, begin + bus_frame_ns(&some_frame));
	seen = test_get(test, on, 2, TEST_ERROR)->time;

	for (bits = 0; begin + bits * US < seen; bits++) {
		on = test_bus_live(test, 3);
		test_node_off(&on->nodes[2]);
		on->nodes[2].node.timing = half_rate;
		test_node_on(&on->nodes[2]);
		on->clock = begin;
		test_node_send(&on->nodes[0], &some_frame, 1);
		on->clock = begin + bits * US;
		test_node_off(&on->nodes[2]);
		test_bus_to(on, begin + bus_frame_ns(&some_frame));
		KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 1);
		KUNIT_EXPECT_EQ(test, test_count(on, 1, TEST_RECEIVED), 1);
		KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 0);
	}
	KUNIT_EXPECT_GT(test, bits, 10);

	/* except for an error on request */
	on = test_bus_live(test, 3);
	test_node_off(&on->nodes[2]);
	on->nodes[2].node.timing = half_rate;
	test_node_on(&on->nodes[2]);
	on->bus.inject.type = CAN_SIM_BIT_ERROR;
	on->bus.inject.bit = 90;
	on->bus.inject.frames = 1;
	on->clock = begin;
	test_node_send(&on->nodes[0], &some_frame, 1);
	on->clock = begin + 5 * US;
	test_node_off(&on->nodes[2]);
	test_bus_to(on, begin + 91 * US);
	KUNIT_EXPECT_EQ(test, test_get(test, on, 0, TEST_ERROR)->time,
			begin + 91 * US);
}

/* No frame is complete while both nodes are error active. */
static void bus_other_rate_contends(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 3);
	unsigned int i;

	on->nodes[1].node.timing = half_rate;
	for (i = 0; i < 3; i++)
		test_node_on(&on->nodes[i]);
	on->clock = 100 * US;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_node_send(&on->nodes[1], &other_frame, 1);
	test_node_send(&on->nodes[2], &other_frame, 1);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 0);
	KUNIT_EXPECT_GT(test, on->bus.stats.errors, 5);
	KUNIT_EXPECT_GT(test, on->nodes[0].node.tec, 40);
	KUNIT_EXPECT_GT(test, on->nodes[1].node.rec + on->nodes[1].node.tec,
			40);
}

/* Two buses */

static void bus_two_buses(struct kunit *test)
{
	struct test_bus *alone = test->priv;
	struct test_bus *pair[2];
	u64 time;
	u32 seed;

	pair[0] = test_bus_alloc(test);
	pair[1] = test_bus_alloc(test);
	bus_make_busy(pair[0], 5);
	bus_make_busy(pair[1], 11);
	for (time = 0; time < 10000 * US; time += 1237) {
		test_bus_to(pair[0], time);
		test_bus_to(pair[1], time);
	}
	for (seed = 5; seed <= 11; seed += 6) {
		const struct test_bus *one = pair[seed == 11];

		bus_make_busy(alone, seed);
		for (time = 0; time < 10000 * US; time += 1237)
			test_bus_to(alone, time);
		KUNIT_EXPECT_EQ(test, one->logged, alone->logged);
		KUNIT_EXPECT_EQ(test, memcmp(one->events, alone->events,
					     alone->logged *
					     sizeof(*alone->events)), 0);
	}
}

/* Waking */

static void bus_wake_again(struct test_node *node,
			   const struct test_event *event)
{
	if (event->kind == TEST_WOKEN && event->time < 500)
		can_sim_node_wake_at(&node->node, event->time + 100);
}

static void bus_wake_at(struct test_node *node, u64 time)
{
	unsigned long flags = can_sim_lock(&node->node);

	can_sim_node_wake_at(&node->node, time);
	can_sim_unlock(&node->node, flags);
}

static void bus_wake_times(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 3);
	unsigned int i;

	on->nodes[1].hook = bus_wake_again;
	bus_wake_at(&on->nodes[0], 250);
	bus_wake_at(&on->nodes[1], 100);
	bus_wake_at(&on->nodes[2], 300);
	bus_wake_at(&on->nodes[2], CAN_SIM_NEVER);
	test_bus_to(on, 1000);
	KUNIT_EXPECT_EQ(test, on->logged, 6);
	test_expect(test, on, 0, TEST_WOKEN, 0, 250, 0);
	for (i = 0; i < 5; i++)
		test_expect(test, on, 1, TEST_WOKEN, i, 100 + 100 * i, 0);
	for (i = 1; i < 6; i++)
		KUNIT_EXPECT_LE(test, on->events[i - 1].time,
				on->events[i].time);

	/* a time in the past means now, and only once */
	bus_wake_at(&on->nodes[2], 700);
	test_bus_to(on, 1001);
	test_expect(test, on, 2, TEST_WOKEN, 0, 1000, 0);
	test_bus_to(on, 2000);
	KUNIT_EXPECT_EQ(test, on->logged, 7);
}

static void bus_send_when_woken(struct test_node *node,
				const struct test_event *event)
{
	if (event->kind == TEST_WOKEN)
		can_sim_node_request(&node->node);
}

/* A node that is woken when the bus becomes idle takes part in arbitration. */
static void bus_woken_in_time(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 3);
	u64 idle = TEST_START + bus_frame_ns(&some_frame) + 3 * US;

	test_node_send(&on->nodes[0], &some_frame, 2);
	on->nodes[1].frame = other_frame;
	on->nodes[1].frame.id = 0x001;
	on->nodes[1].left = 1;
	on->nodes[1].hook = bus_send_when_woken;
	bus_wake_at(&on->nodes[1], idle);
	test_bus_to(on, 1000 * US);
	test_expect(test, on, 1, TEST_LOADED, 0, idle, 0x001);
	test_expect(test, on, 0, TEST_LOST, 0,
		    idle + can_sim_wire_arbitration(&on->nodes[1].frame) * US,
		    2);
	KUNIT_EXPECT_EQ(test, test_count(on, 0, TEST_SENT), 2);
}

/* Records and statistics */

static void bus_records(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	u64 time = TEST_START;
	struct rnd_state rnd;
	unsigned int i;

	on->nodes[0].next = test_next_random;
	test_next_random(&on->nodes[0]);
	on->nodes[0].left = 50;
	test_node_request(&on->nodes[0]);
	test_bus_to(on, 100000 * US);
	KUNIT_EXPECT_EQ(test, on->bus.records, 50);

	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 50; i++) {
		const struct can_sim_record *record =
			&on->bus.record[i % CAN_SIM_RECORDS];
		struct can_sim_frame frame;
		unsigned int bits;

		test_random_frame(&rnd, &frame);
		bits = can_sim_wire_length(&frame);
		if (i >= 50 - CAN_SIM_RECORDS) {
			KUNIT_EXPECT_EQ(test, record->start, time);
			KUNIT_EXPECT_EQ(test, record->bits, bits);
			KUNIT_EXPECT_EQ(test, record->error, CAN_SIM_NO_ERROR);
			KUNIT_EXPECT_EQ(test, memcmp(&record->frame, &frame,
						     sizeof(frame)), 0);
		}
		time += (bits + 3) * US;
	}
}

static void bus_error_records(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);
	unsigned int bits = can_sim_wire_length(&some_frame);
	unsigned int error_bits = TEST_ACK_BIT(bits) + 1 + TEST_ERROR_BITS;
	u64 accesses;

	test_node_off(&on->nodes[1]);
	accesses = on->nodes[0].node.stats.accesses;
	on->nodes[0].node.mode = CAN_SIM_ONE_SHOT;
	test_node_send(&on->nodes[0], &some_frame, 1);
	test_bus_to(on, 1000 * US);
	KUNIT_EXPECT_EQ(test, on->bus.records, 1);
	KUNIT_EXPECT_EQ(test, on->bus.record[0].bits, error_bits);
	KUNIT_EXPECT_EQ(test, on->bus.record[0].error, CAN_SIM_ACK_ERROR);
	KUNIT_EXPECT_EQ(test, on->bus.record[0].frame.id, some_frame.id);
	KUNIT_EXPECT_EQ(test, on->bus.stats.errors, 1);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 0);
	KUNIT_EXPECT_EQ(test, on->bus.stats.bits, error_bits + 3);
	KUNIT_EXPECT_EQ(test, on->bus.stats.busy, (error_bits + 3) * US);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.stats.errors, 1);
	KUNIT_EXPECT_EQ(test, on->nodes[0].node.stats.accesses, accesses + 1);
}

static struct kunit_case bus_cases[] = {
	KUNIT_CASE(bus_frame_times),
	KUNIT_CASE(bus_received_is_sent),
	KUNIT_CASE(bus_back_to_back),
	KUNIT_CASE(bus_rates),
	KUNIT_CASE(bus_request_times),
	KUNIT_CASE(bus_load_declines),
	KUNIT_CASE(bus_declines_among_others),
	KUNIT_CASE_SLOW(bus_late_events),
	KUNIT_CASE(bus_arbitration),
	KUNIT_CASE(bus_loser_receives),
	KUNIT_CASE(bus_one_shot),
	KUNIT_CASE(bus_one_shot_again),
	KUNIT_CASE(bus_joining),
	KUNIT_CASE(bus_joins_and_sends),
	KUNIT_CASE(bus_request_while_off),
	KUNIT_CASE(bus_transmitter_leaves),
	KUNIT_CASE(bus_leaves_listener),
	KUNIT_CASE(bus_single_transmitter_leaves),
	KUNIT_CASE(bus_receiver_leaves),
	KUNIT_CASE(bus_contender_leaves),
	KUNIT_CASE(bus_winner_leaves),
	KUNIT_CASE(bus_deletion),
	KUNIT_CASE(bus_acknowledgment),
	KUNIT_CASE(bus_listen_only),
	KUNIT_CASE(bus_same_frame),
	KUNIT_CASE(bus_same_short_frame),
	KUNIT_CASE(bus_same_frame_alone),
	KUNIT_CASE(bus_same_frame_leaves),
	KUNIT_CASE(bus_collision),
	KUNIT_CASE(bus_other_rate_disturbs),
	KUNIT_CASE(bus_other_rate_listens),
	KUNIT_CASE(bus_other_rate_alone),
	KUNIT_CASE(bus_other_rate_slow),
	KUNIT_CASE(bus_other_rate_leaves),
	KUNIT_CASE(bus_other_rate_contends),
	KUNIT_CASE(bus_two_buses),
	KUNIT_CASE(bus_wake_times),
	KUNIT_CASE(bus_woken_in_time),
	KUNIT_CASE(bus_records),
	KUNIT_CASE(bus_error_records),
	{}
};

static struct kunit_suite bus_suite = {
	.name = "can-sim-bus",
	.init = test_bus_suite_init,
	.test_cases = bus_cases,
};

kunit_test_suite(bus_suite);

MODULE_DESCRIPTION("KUnit suites of simulated CAN buses");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");
