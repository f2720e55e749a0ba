// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the pace of a bus: slowdown, skipped time, the CPU time that
 * simulation may take, and a bus that is late.
 */
#include <kunit/test.h>
#include <linux/can.h>
#include <linux/time64.h>

#include "bus_test.h"

#define MS ((u64)NSEC_PER_MSEC)

static void pace_of_real_time(struct kunit *test)
{
	struct can_sim_pace pace;

	can_sim_pace_init(&pace, 1, 1000);
	KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, 1000), 1000);
	KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, 1234), 1234);
	KUNIT_EXPECT_EQ(test, can_sim_pace_real_time(&pace, 1234), 1234);
	KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, 1), 1000);
	KUNIT_EXPECT_EQ(test, can_sim_pace_real_time(&pace, 1), 1000);
}

static void pace_of_a_slow_bus(struct kunit *test)
{
	struct can_sim_pace pace;
	u64 bus, real;

	can_sim_pace_init(&pace, 7, 1000);
	KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, 1006), 1000);
	KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, 1007), 1001);
	for (bus = 1001; bus < 1020; bus++) {
		real = can_sim_pace_real_time(&pace, bus);
		KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, real), bus);
		KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, real - 1),
				bus - 1);
	}
}

static void pace_skips(struct kunit *test)
{
	struct can_sim_pace pace;

	can_sim_pace_init(&pace, 2, 1000);
	can_sim_pace_skip(&pace, 1100, 1200);
	KUNIT_EXPECT_EQ(test, pace.skipped, 0);
	can_sim_pace_skip(&pace, 1110, 1260);
	KUNIT_EXPECT_EQ(test, pace.skipped, 20);
	KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, 1250), 1110);
	KUNIT_EXPECT_EQ(test, can_sim_pace_bus_time(&pace, 1262), 1111);
	KUNIT_EXPECT_EQ(test, can_sim_pace_real_time(&pace, 1111), 1262);
	can_sim_pace_skip(&pace, 1115, 1280);
	KUNIT_EXPECT_EQ(test, pace.skipped, 25);
}

static void pace_budget_of_light_work(struct kunit *test)
{
	struct can_sim_budget budget = { };
	u64 time;

	for (time = 0; time < 1000 * MS; time += 10 * MS)
		KUNIT_EXPECT_EQ(test, can_sim_budget_use(&budget, time,
							 time + 8 * MS), 0);
}

/* Buses rest after 20 ms, and again if they work while they should rest. */
static void pace_budget_of_all_time(struct kunit *test)
{
	struct can_sim_budget budget = { .begin = 100 * MS };
	u64 rest = 122 * MS + MS / 2;

	KUNIT_EXPECT_EQ(test, can_sim_budget_use(&budget, 100 * MS, 119 * MS), 0);
	KUNIT_EXPECT_EQ(test, can_sim_budget_use(&budget, 119 * MS, 120 * MS), rest);
	KUNIT_EXPECT_EQ(test, can_sim_budget_use(&budget, 121 * MS, 121 * MS), rest);
	KUNIT_EXPECT_EQ(test, can_sim_budget_use(&budget, rest, rest), 0);
	KUNIT_EXPECT_EQ(test, can_sim_budget_use(&budget, rest, rest + 80 * MS),
			rest + 90 * MS);
}

/* Over any number of periods, others get their part. */
static void pace_budget_in_the_long_run(struct kunit *test)
{
	struct can_sim_budget budget = { };
	u64 time = 0, used = 0, rest;

	while (time < 10000 * MS) {
		rest = can_sim_budget_use(&budget, time, time + MS);
		used += MS;
		time += MS;
		if (rest)
			time = rest;
	}
	KUNIT_EXPECT_LE(test, used, 8900 * MS);
	KUNIT_EXPECT_GE(test, used, 8800 * MS);
}

static const struct can_sim_frame pace_frame = { .id = 0x123 };

/* A sender that never stops, on a bus that handles eight events at once: begin
 * and end of four frames
 */
static struct test_bus *pace_full_bus(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);

	on->bus.most_events = 8;
	test_node_send(&on->nodes[0], &pace_frame, U32_MAX);
	return on;
}

static void pace_late_bus_skips(struct kunit *test)
{
	struct test_bus *on = pace_full_bus(test);
	u64 period = (can_sim_wire_length(&pace_frame) + TEST_IFS_BITS) * US;
	u64 late = 1000 * MS, now;
	unsigned int frames;

	test_bus_to(on, late);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 4);
	now = on->bus.now;
	KUNIT_EXPECT_LT(test, now, MS);
	KUNIT_EXPECT_EQ(test, on->bus.pace.skipped, late - now);

	/* It continues in real time. */
	for (frames = 4; frames < 100; frames++) {
		late += period;
		test_bus_to(on, late);
	}
	KUNIT_EXPECT_EQ(test, on->bus.now, now + 96 * period);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 100);
	KUNIT_EXPECT_EQ(test, on->nodes[1].node.stats.received, 100);
}

static void pace_access_of_a_late_bus(struct kunit *test)
{
	struct test_bus *on = pace_full_bus(test);
	unsigned long flags;

	on->clock = 1000 * MS;
	flags = can_sim_lock(&on->nodes[1].node);
	can_sim_unlock(&on->nodes[1].node, flags);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 4);
	KUNIT_EXPECT_EQ(test, on->bus.now + on->bus.pace.skipped, on->clock);
}

static void pace_idle_bus_is_not_late(struct kunit *test)
{
	struct test_bus *on = test_bus_live(test, 2);

	on->bus.most_events = 1;
	test_bus_to(on, 1000 * MS);
	KUNIT_EXPECT_EQ(test, on->bus.now, 1000 * MS);
	KUNIT_EXPECT_EQ(test, on->bus.pace.skipped, 0);
}

static void pace_slow_bus_takes_longer(struct kunit *test)
{
	struct test_bus *on = test_bus_new(test, 2);
	u64 end;

	can_sim_pace_init(&on->bus.pace, 10, 0);
	test_node_on(&on->nodes[0]);
	test_node_on(&on->nodes[1]);
	test_node_send(&on->nodes[0], &pace_frame, 1);
	end = TEST_START + can_sim_wire_length(&pace_frame) * US;
	test_bus_to(on, 10 * end - 1);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 0);
	test_bus_to(on, 10 * end);
	KUNIT_EXPECT_EQ(test, on->bus.stats.frames, 1);
	test_expect(test, on, 1, TEST_RECEIVED, 0, end, pace_frame.id);
}

/* Above 1 Mbit/s a node neither sends nor receives nor acknowledges. */
static void pace_too_fast_node(struct kunit *test)
{
	static const struct {
		struct can_sim_timing timing;
		bool takes_part;
	} cases[] = {
		{ { 8000000, 1, 5, 2, 1 }, true },
		{ { 8080000, 1, 5, 2, 1 }, true },	/* 1 % too fast a clock */
		{ { 9000000, 1, 5, 2, 1 }, false },
		{ { 132000000, 1, 4, 2, 1 }, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct test_bus *on = test_bus_new(test, 2);

		on->nodes[0].node.timing = cases[i].timing;
		on->nodes[1].node.timing = cases[i].timing;
		test_node_on(&on->nodes[0]);
		test_node_on(&on->nodes[1]);
		test_node_send(&on->nodes[0], &pace_frame, 1);
		test_bus_to(on, MS);
		KUNIT_EXPECT_EQ(test, on->nodes[1].node.stats.received,
				cases[i].takes_part);
		KUNIT_EXPECT_EQ(test, on->bus.stats.frames + on->bus.stats.errors,
				cases[i].takes_part);
	}
}

static struct kunit_case pace_cases[] = {
	KUNIT_CASE(pace_of_real_time),
	KUNIT_CASE(pace_of_a_slow_bus),
	KUNIT_CASE(pace_skips),
	KUNIT_CASE(pace_budget_of_light_work),
	KUNIT_CASE(pace_budget_of_all_time),
	KUNIT_CASE(pace_budget_in_the_long_run),
	KUNIT_CASE(pace_late_bus_skips),
	KUNIT_CASE(pace_access_of_a_late_bus),
	KUNIT_CASE(pace_idle_bus_is_not_late),
	KUNIT_CASE(pace_slow_bus_takes_longer),
	KUNIT_CASE(pace_too_fast_node),
	{}
};

static struct kunit_suite pace_suite = {
	.name = "can-sim-pace",
	.init = test_bus_suite_init,
	.test_cases = pace_cases,
};

kunit_test_suite(pace_suite);
