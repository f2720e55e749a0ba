// SPDX-License-Identifier: GPL-2.0-only
/*
 * The time of simulated buses: buses that are slower than real time, buses that cost more
 * CPU time than there is, and bit rates that controllers are not made for.
 *
 * More and more full buses are made on one CPU until they are too many. If the kernel
 * tried to simulate all of their events, no process would run any more there, and the
 * test would not end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "simtest.h"

#define GEN		"generator.gen"
#define ACK		"generator.ack"

/* Enough for a simulated CPU of 1000 MIPS, of which each takes more than a fiftieth */
#define MOST_BUSES	SIM_BUSES

#define SLOWDOWN	10
#define BITRATE		1000000

#define LONG_TEST	1800

/* The time of BUS, which was read between two times of CLOCK_MONOTONIC */
struct reading {
	int64_t before;
	int64_t bus;
	int64_t after;
};

static struct reading read_time(void)
{
	struct reading reading;

	reading.before = ct_clock(CLOCK_MONOTONIC);
	reading.bus = sim_number(BUS, "time_ns");
	reading.after = ct_clock(CLOCK_MONOTONIC);
	return reading;
}

FIXTURE(pace) {
};

FIXTURE_SETUP(pace)
{
	sim_open_bus(_metadata, GEN " " ACK);
}

SIM_TEARDOWN(pace)

TEST_F_TIMEOUT(pace, values_that_are_rejected, LONG_TEST)
{
	EXPECT_TRUE(sim_is(BUS, "slowdown", "1"));
	EXPECT_EQ(-ERANGE, sim_set(BUS, "slowdown", "0"));
	EXPECT_EQ(-ERANGE, sim_set(BUS, "slowdown", "1001"));
	EXPECT_EQ(-EINVAL, sim_set(BUS, "slowdown", "-1"));
	EXPECT_EQ(-EINVAL, sim_set(BUS, "slowdown", "x"));
	EXPECT_TRUE(sim_is(BUS, "slowdown", "1"));
	EXPECT_EQ(0, sim_set(BUS, "slowdown", "1000"));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(-EBUSY, sim_set(BUS, "slowdown", "1"));
	EXPECT_EQ(-ERANGE, sim_set(BUS, "slowdown", "0"));
	EXPECT_TRUE(sim_is(BUS, "slowdown", "1000"));
	EXPECT_EQ(-EACCES, sim_set(BUS, "skipped_ns", "0"));
}

TEST_F_TIMEOUT(pace, a_bus_has_the_time_of_the_kernel, LONG_TEST)
{
	struct reading reading;

	ASSERT_EQ(0, sim_live(BUS, true));
	reading = read_time();
	ASSERT_EQ(0, sim_number(BUS, "skipped_ns"));
	EXPECT_LE(reading.before, reading.bus);
	EXPECT_GE(reading.after, reading.bus);
}

TEST_F_TIMEOUT(pace, cpu_time_of_simulation_is_counted, LONG_TEST)
{
	int64_t idle, some, more, begin;

	ASSERT_EQ(0, sim_live(BUS, true));
	begin = ct_clock(CLOCK_MONOTONIC);
	idle = sim_number(BUS, "cpu_ns");
	ASSERT_EQ(0, sim_generate(BUS "/" GEN, "count=10 dlc=8"));
	some = sim_number(BUS, "cpu_ns");
	ASSERT_EQ(0, sim_generate(BUS "/" GEN, "count=100 dlc=8"));
	more = sim_number(BUS, "cpu_ns");
	EXPECT_LT(idle, some);
	EXPECT_LT(some - idle, more - some);
	EXPECT_LT(more - idle, ct_clock(CLOCK_MONOTONIC) - begin);
}

TEST_F_TIMEOUT(pace, a_slow_bus_has_its_own_time, LONG_TEST)
{
	struct reading first, last;

	ASSERT_EQ(0, sim_set_all(BUS, "slowdown=%d", SLOWDOWN));
	ASSERT_EQ(0, sim_live(BUS, true));
	first = read_time();
	ASSERT_EQ(0, sim_generate(BUS "/" GEN, "count=100 dlc=8"));
	last = read_time();
	ASSERT_EQ(0, sim_number(BUS, "skipped_ns"));
	EXPECT_EQ(100, sim_number(BUS "/" ACK, "received"));
	EXPECT_LE(sim_number(BUS, "busy_ns"), last.bus - first.bus);
	/* rounded by less than a nanosecond each */
	EXPECT_LE((last.bus - first.bus - 1) * SLOWDOWN, last.after - first.before);
	EXPECT_GE((last.bus - first.bus + 1) * SLOWDOWN, last.before - first.after);
}

/* Return: buses that have skipped time, out of the first @count */
static int late_buses(int count)
{
	char bus[32];
	int i, late = 0;

	for (i = 0; i < count; i++) {
		snprintf(bus, sizeof(bus), "simbus%d", i);
		late += sim_number(bus, "skipped_ns") > 0;
	}
	return late;
}

static int add_full_bus(int number)
{
	char bus[32], path[64];

	snprintf(bus, sizeof(bus), "simbus%d", number);
	snprintf(path, sizeof(path), "%s/" GEN, bus);
	return (number ? sim_bus_make(bus, GEN " " ACK) : 0) ?:
	       sim_set_all(path, "bitrate=%d dlc=0", BITRATE) ?:
	       sim_live(bus, true) ?: sim_run(path, true);
}

TEST_F_TIMEOUT(pace, buses_that_are_too_fast_leave_time_to_others, LONG_TEST)
{
	int64_t skipped, frames;
	int count, round;

	ASSERT_EQ(0, ct_pin_cpu());
	for (count = 0; count < MOST_BUSES && !late_buses(count); count++)
		ASSERT_EQ(0, add_full_bus(count));
	if (!late_buses(count))
		SKIP(return, "this CPU can simulate %d full buses", count);
	TH_LOG("late with %d buses", count);

	/* the buses go on, and so does this process */
	for (round = 0; round < 10; round++) {
		frames = sim_number(BUS, "frames");
		EXPECT_EQ(0, sim_await_above(BUS, "frames", frames + 100));
	}

	/* without the others, this bus is in time, and works */
	while (--count > 0) {
		char bus[32];

		snprintf(bus, sizeof(bus), "simbus%d", count);
		EXPECT_EQ(0, sim_live(bus, false));
	}
	EXPECT_EQ(0, sim_run(BUS "/" GEN, false));
	skipped = sim_number(BUS, "skipped_ns");
	frames = sim_number(BUS "/" ACK, "received");
	EXPECT_EQ(0, sim_generate(BUS "/" GEN, "count=10 period_ns=1000000"));
	EXPECT_EQ(frames + 10, sim_number(BUS "/" ACK, "received"));
	EXPECT_EQ(skipped, sim_number(BUS, "skipped_ns"));
}

/* An MSCAN accepts any rate. */
FIXTURE(fast) {
	char path[64];
};

FIXTURE_SETUP(fast)
{
	sim_open_chip(_metadata, GEN " " ACK, "mpc5200", self->path);
}

SIM_TEARDOWN(fast)

TEST_F_TIMEOUT(fast, a_controller_above_1_mbit_takes_no_part, LONG_TEST)
{
	struct can_frame frame = { .can_id = 0x123 };
	int fd;

	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_link_set(CHIP_IF, "up type can bitrate 2000000"));
	fd = CT_OK(sim_socket(CHIP_IF, 0, true));
	EXPECT_EQ(0, ct_send(fd, &frame, sizeof(frame)));
	EXPECT_EQ(0, sim_generate(BUS "/" GEN, "count=10"));
	EXPECT_EQ(10, sim_number(BUS "/" ACK, "received"));
	EXPECT_EQ(0, sim_number(self->path, "received"));
	EXPECT_EQ(0, sim_number(self->path, "sent"));
	EXPECT_EQ(0, sim_number(BUS, "error_frames"));

	/* at 1 Mbit/s it does */
	ASSERT_EQ(0, sim_link_down(CHIP_IF));
	ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
	EXPECT_EQ(0, sim_generate(BUS "/" GEN, "count=1"));
	EXPECT_EQ(0, sim_await(self->path, "received", 1));
}

TEST_HARNESS_MAIN
