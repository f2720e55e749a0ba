// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generators of simulated buses that wait for a frame of another bus, and what is random in
 * the patterns of generators.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "simtest.h"

#define OTHER		"simbus1"

#define TX		BUS "/generator.tx"
#define TRIGGER		BUS "/trigger.t"
#define OTHER_TX	OTHER "/generator.tx"
#define OTHER_TRIGGER	OTHER "/trigger.t"

#define NODES		"generator.tx generator.rx trigger.t"

#define LONG_TEST	120
#define BITRATE		1000000

/* Frames of a run, of which the bus has all records */
#define FRAMES		(SIM_RECORDS - 2)

#define PERIOD_NS	3000000
#define JITTER_NS	1000000

/* Longer than any delay of this machine */
#define LONG_NS		20000000000LL

/* So few that the bus handles all of them at once if the CPU is late */
#define SINGLE_FRAMES	15

static int64_t end_of(const struct sim_record *record)
{
	return record->start + sim_ns(BITRATE, record->bits);
}

FIXTURE(trigger) { };

FIXTURE_SETUP(trigger)
{
	if (!sim_open_bus(_metadata, NODES))
		return;
	ASSERT_EQ(0, sim_bus_make(OTHER, NODES));
}

SIM_TEARDOWN(trigger)

static void make_live(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_live(OTHER, true));
}

TEST_F_TIMEOUT(trigger, a_burst_follows_a_frame_of_the_other_bus, LONG_TEST)
{
	struct sim_record here[SIM_RECORDS], there[SIM_RECORDS];
	int i;

	ASSERT_EQ(0, sim_connect(TRIGGER, OTHER_TX));
	ASSERT_EQ(0, sim_connect(OTHER_TRIGGER, TX));
	make_live(_metadata);
	ASSERT_EQ(0, sim_set_all(TX, "triggered=1 count=%d", FRAMES));
	ASSERT_EQ(0, sim_set_all(OTHER_TX, "triggered=1 count=%d", FRAMES));
	/* the first frame of each waits for nothing */
	ASSERT_EQ(0, sim_run(OTHER_TX, true));
	ASSERT_EQ(0, sim_await(OTHER, "frames", 1));
	ASSERT_EQ(0, sim_run(TX, true));
	ASSERT_EQ(0, sim_await(TX, "run", 0));
	ASSERT_EQ(0, sim_await(OTHER_TX, "run", 0));
	ASSERT_EQ(FRAMES, sim_records(BUS, here));
	ASSERT_EQ(FRAMES, sim_records(OTHER, there));
	/* The clock of a bus that skips time is another one. A bus that waits has nothing to skip.
	 */
	ASSERT_EQ(0, sim_number(BUS, "skipped_ns"));
	ASSERT_EQ(0, sim_number(OTHER, "skipped_ns"));
	for (i = 1; i < FRAMES; i++) {
		EXPECT_LE(end_of(&here[i - 1]), there[i].start);
		EXPECT_LE(end_of(&there[i]), here[i].start);
	}
}

/* A bus may trigger itself: its generator then goes on as soon as the frame has ended. */
TEST_F_TIMEOUT(trigger, a_burst_follows_a_frame_of_the_same_bus, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];

	ASSERT_EQ(0, sim_connect(TRIGGER, TX));
	make_live(_metadata);
	ASSERT_EQ(0, sim_set_all(TX, "triggered=1 period_ns=%lld count=2", LONG_NS));
	ASSERT_EQ(0, sim_run(TX, true));
	ASSERT_EQ(0, sim_await(TX, "run", 0));
	ASSERT_EQ(2, sim_records(BUS, records));
	EXPECT_LT(records[1].start - records[0].start, LONG_NS);
}

TEST_F_TIMEOUT(trigger, without_a_frame_it_waits, LONG_TEST)
{
	int frames;

	ASSERT_EQ(0, sim_connect(OTHER_TRIGGER, TX));
	make_live(_metadata);
	ASSERT_EQ(0, sim_set_all(TX, "triggered=1 burst=2 count=8"));
	ASSERT_EQ(0, sim_run(TX, true));
	for (frames = 2; frames < 8; frames += 2) {
		ASSERT_EQ(0, sim_await(BUS, "frames", frames));
		sim_settle();
		EXPECT_EQ(frames, sim_number(BUS, "frames"));
		EXPECT_EQ(1, sim_number(TX, "run"));
		ASSERT_EQ(0, sim_generate(OTHER_TX, "count=1"));
	}
	ASSERT_EQ(0, sim_await(TX, "run", 0));
	EXPECT_EQ(8, sim_number(BUS, "frames"));
}

TEST_F_TIMEOUT(trigger, the_period_is_the_longest_time, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	int i;

	ASSERT_EQ(0, sim_connect(OTHER_TRIGGER, TX));
	make_live(_metadata);
	ASSERT_EQ(0, sim_generate(TX, "triggered=1 period_ns=%d count=5", PERIOD_NS));
	ASSERT_EQ(5, sim_records(BUS, records));
	for (i = 1; i < 5; i++)
		EXPECT_EQ(PERIOD_NS, records[i].start - records[i - 1].start);
	/* a trigger that came before counts no more */
	ASSERT_EQ(0, sim_generate(OTHER_TX, "count=1"));
	ASSERT_EQ(0, sim_generate(TX, "count=2"));
	i = sim_records(BUS, records);
	ASSERT_EQ(7, i);
	EXPECT_EQ(PERIOD_NS, records[6].start - records[5].start);
}

TEST_F_TIMEOUT(trigger, it_ends_with_the_link_or_a_bus, LONG_TEST)
{
	int64_t frames;

	ASSERT_EQ(0, sim_connect(OTHER_TRIGGER, TX));
	make_live(_metadata);
	ASSERT_EQ(0, sim_set_all(TX, "triggered=1"));
	ASSERT_EQ(0, sim_set_all(OTHER_TX, "count=0"));
	ASSERT_EQ(0, sim_run(TX, true));
	ASSERT_EQ(0, sim_run(OTHER_TX, true));
	ASSERT_EQ(0, sim_await_above(BUS, "frames", 50));
	ASSERT_EQ(0, sim_live(BUS, false));
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_run(TX, true));
	ASSERT_EQ(0, sim_await_above(BUS, "frames", 50));
	EXPECT_EQ(0, sim_disconnect(OTHER_TRIGGER));
	/* one may be under way */
	sim_settle();
	frames = sim_number(BUS, "frames");
	ASSERT_EQ(0, sim_await_above(OTHER, "frames", sim_number(OTHER, "frames") + 20));
	EXPECT_EQ(frames, sim_number(BUS, "frames"));
	EXPECT_EQ(1, sim_number(TX, "run"));
	EXPECT_EQ(0, sim_run(OTHER_TX, false));
}

TEST_F_TIMEOUT(trigger, links_that_make_no_sense_are_refused, LONG_TEST)
{
	EXPECT_EQ(-EINVAL, sim_connect(TRIGGER, OTHER));
	EXPECT_EQ(-EINVAL, sim_connect(TRIGGER, OTHER_TRIGGER));
	EXPECT_EQ(-EPERM, sim_connect(OTHER_TX, TX));
	ASSERT_EQ(0, sim_connect(TRIGGER, OTHER_TX));
	EXPECT_EQ(-EEXIST, symlink("/sys/kernel/config/cansim/" TX,
				   "/sys/kernel/config/cansim/" TRIGGER "/another") ? -errno : 0);
	EXPECT_EQ(-EBUSY, sim_remove(OTHER_TX));
	EXPECT_EQ(0, sim_disconnect(TRIGGER));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(-EBUSY, sim_connect(TRIGGER, OTHER_TX));
	EXPECT_EQ(-ERANGE, sim_set(TX, "triggered", "2"));
	EXPECT_EQ(-EBUSY, sim_set(TRIGGER, "bitrate", "500000"));
}

/* The generator, alone with a receiver */
FIXTURE(chance) { };

FIXTURE_SETUP(chance)
{
	if (!sim_open_bus(_metadata, "generator.tx generator.rx"))
		return;
	ASSERT_EQ(0, sim_live(BUS, true));
}

SIM_TEARDOWN(chance)

static void run_seed(struct __test_metadata *_metadata, int seed, int count,
		     struct sim_record *records)
{
	struct sim_record last[SIM_RECORDS];
	int n;

	ASSERT_EQ(0, sim_generate(TX, "seed=%d count=%d", seed, count));
	n = sim_records(BUS, last);
	ASSERT_LE(count, n);
	memcpy(records, last + n - count, count * sizeof(*records));
}

/* Return: how many frames have another distance to the first one. */
static int other_times(const struct sim_record *a, const struct sim_record *b)
{
	int i, other = 0;

	for (i = 1; i < SINGLE_FRAMES; i++)
		other += a[i].start - a[0].start != b[i].start - b[0].start;
	return other;
}

TEST_F_TIMEOUT(chance, jitter_depends_on_the_seed_alone, LONG_TEST)
{
	struct sim_record one[SINGLE_FRAMES], same[SINGLE_FRAMES], other[SINGLE_FRAMES];
	int64_t late;
	int i;

	ASSERT_EQ(0, sim_set_all(TX, "period_ns=%d jitter_ns=%d", PERIOD_NS, JITTER_NS));
	run_seed(_metadata, 1, SINGLE_FRAMES, one);
	run_seed(_metadata, 1, SINGLE_FRAMES, same);
	run_seed(_metadata, 2, SINGLE_FRAMES, other);
	EXPECT_EQ(0, other_times(one, same));
	EXPECT_LT(SINGLE_FRAMES / 2, other_times(one, other));
	for (i = 1; i < SINGLE_FRAMES; i++) {
		late = one[i].start - one[0].start - i * PERIOD_NS;
		EXPECT_GT(JITTER_NS, llabs(late));
	}
}

TEST_F_TIMEOUT(chance, mixed_data_has_the_number_and_depends_on_the_seed, LONG_TEST)
{
	struct sim_record one[FRAMES], same[FRAMES], other[FRAMES];
	int i, equal = 0;

	ASSERT_EQ(0, sim_set(TX, "data", "mixed"));
	EXPECT_TRUE(sim_is(TX, "data", "mixed"));
	run_seed(_metadata, 1, FRAMES, one);
	run_seed(_metadata, 1, FRAMES, same);
	run_seed(_metadata, 2, FRAMES, other);
	for (i = 0; i < FRAMES; i++) {
		EXPECT_EQ(i, one[i].frame.data[0]);
		EXPECT_EQ(0, one[i].frame.data[1] | one[i].frame.data[2] | one[i].frame.data[3]);
		EXPECT_EQ(0, memcmp(one[i].frame.data, same[i].frame.data, CAN_MAX_DLEN));
		equal += !memcmp(one[i].frame.data, other[i].frame.data, CAN_MAX_DLEN);
	}
	EXPECT_EQ(0, equal);
}

TEST_HARNESS_MAIN
