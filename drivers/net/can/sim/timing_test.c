// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of bit timing: duration of bits, and compatibility of nodes.
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/time64.h>

#include "sim.h"

static void timing_random_timing(struct rnd_state *rnd,
				 struct can_sim_timing *timing)
{
	timing->clock = 1000000 + prandom_u32_state(rnd) % 99000001;
	timing->brp = 1 + prandom_u32_state(rnd) % 64;
	timing->seg1 = 1 + prandom_u32_state(rnd) % 16;
	timing->seg2 = 1 + prandom_u32_state(rnd) % 8;
	timing->sjw = 1 + prandom_u32_state(rnd) % 4;
}

static void timing_known(struct kunit *test)
{
	/* bit rates of 1000, 500, 125 and 83.333 kbit/s */
	const struct can_sim_timing mbit = { 8000000, 1, 5, 2, 1 };
	const struct can_sim_timing half = { 66000000, 6, 16, 5, 1 };
	const struct can_sim_timing eighth = { 8000000, 4, 13, 2, 1 };
	const struct can_sim_timing slow = { 8000000, 6, 13, 2, 1 };
	/* three bits in 10 us */
	const struct can_sim_timing third = { 3000000, 1, 7, 2, 1 };

	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&mbit, 0), 0);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&mbit, 1), 1000);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&mbit, 160), 160000);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&half, 11), 22000);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&eighth, 1408), 11264000);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&slow, 111), 1332000);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&third, 1), 3333);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&third, 2), 6667);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&third, 3), 10000);
	KUNIT_EXPECT_EQ(test, can_sim_timing_ns(&third, 65535), 218450000);
}

/* The time is off by at most half a nanosecond. */
static void timing_rounded(struct kunit *test)
{
	struct can_sim_timing timing;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 2);
	for (i = 0; i < 100000; i++) {
		unsigned int bits = prandom_u32_state(&rnd) % 2000;
		u64 exact, ns;

		timing_random_timing(&rnd, &timing);
		ns = can_sim_timing_ns(&timing, bits);
		exact = 1ULL + timing.seg1 + timing.seg2;
		exact *= (u64)timing.brp * bits * NSEC_PER_SEC;
		KUNIT_EXPECT_LE(test, 2 * ns * timing.clock,
				2 * exact + timing.clock);
		KUNIT_EXPECT_GE(test, 2 * ns * timing.clock + timing.clock,
				2 * exact);
	}
}

static void timing_inverse(struct kunit *test)
{
	struct can_sim_timing timing;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 3);
	for (i = 0; i < 100000; i++) {
		unsigned int bits = 1 + prandom_u32_state(&rnd) % 2000;
		u64 ns;

		timing_random_timing(&rnd, &timing);
		ns = can_sim_timing_ns(&timing, bits);
		KUNIT_EXPECT_EQ(test, can_sim_timing_bits(&timing, ns), bits);
		KUNIT_EXPECT_EQ(test, can_sim_timing_bits(&timing, ns - 1),
				bits - 1);
		KUNIT_EXPECT_EQ(test, can_sim_timing_bits(&timing, 0), 0);
	}
}

/* With a clock of 100 MHz, a millionth is 100 Hz. */
static void timing_check_limit(struct kunit *test,
			       const struct can_sim_timing *a,
			       unsigned int sum_ppm)
{
	struct can_sim_timing b = *a;

	b.clock = a->clock + sum_ppm * 100;
	KUNIT_EXPECT_TRUE(test, can_sim_timing_agree(a, &b));
	KUNIT_EXPECT_TRUE(test, can_sim_timing_agree(&b, a));
	b.clock++;
	KUNIT_EXPECT_FALSE(test, can_sim_timing_agree(a, &b));
	KUNIT_EXPECT_FALSE(test, can_sim_timing_agree(&b, a));
}

/* SJW / (20 NBT), or min(PS1, PS2) / (2 (13 NBT - PS2)), of both nodes. */
static void timing_tolerance(struct kunit *test)
{
	const struct can_sim_timing jump = { 100000000, 5, 13, 2, 1 };
	const struct can_sim_timing wide = { 100000000, 5, 15, 8, 2 };
	const struct can_sim_timing phase = { 100000000, 5, 11, 4, 4 };
	const struct can_sim_timing late = { 100000000, 5, 2, 5, 4 };

	timing_check_limit(test, &jump, 2 * 3125);	/* 1 / 320 */
	timing_check_limit(test, &wide, 2 * 4166);	/* 2 / 480 */
	timing_check_limit(test, &phase, 2 * 9803);	/* 4 / 408 */
	timing_check_limit(test, &late, 2 * 10101);	/* 2 / 198 */
}

static void timing_both_tolerances(struct kunit *test)
{
	const struct can_sim_timing strict = { 100000000, 5, 13, 2, 1 };
	struct can_sim_timing other = { 100000000, 5, 11, 4, 4 };

	other.clock += (3125 + 9803) * 100;
	KUNIT_EXPECT_TRUE(test, can_sim_timing_agree(&strict, &other));
	other.clock += 100;
	KUNIT_EXPECT_FALSE(test, can_sim_timing_agree(&strict, &other));
}

static void timing_rates(struct kunit *test)
{
	const struct can_sim_timing mbit = { 8000000, 1, 5, 2, 1 };
	const struct can_sim_timing same = { 80000000, 4, 15, 4, 2 };
	const struct can_sim_timing half = { 8000000, 1, 13, 2, 1 };
	const struct can_sim_timing fast = { 8000000, 1, 4, 2, 1 };

	KUNIT_EXPECT_TRUE(test, can_sim_timing_agree(&mbit, &mbit));
	KUNIT_EXPECT_TRUE(test, can_sim_timing_agree(&mbit, &same));
	KUNIT_EXPECT_FALSE(test, can_sim_timing_agree(&mbit, &half));
	KUNIT_EXPECT_FALSE(test, can_sim_timing_agree(&half, &mbit));
	KUNIT_EXPECT_FALSE(test, can_sim_timing_agree(&mbit, &fast));
}

static struct kunit_case timing_cases[] = {
	KUNIT_CASE(timing_known),
	KUNIT_CASE(timing_rounded),
	KUNIT_CASE(timing_inverse),
	KUNIT_CASE(timing_tolerance),
	KUNIT_CASE(timing_both_tolerances),
	KUNIT_CASE(timing_rates),
	{}
};

static struct kunit_suite timing_suite = {
	.name = "can-sim-timing",
	.test_cases = timing_cases,
};

kunit_test_suite(timing_suite);
