// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the schedule of canbench-load and of the parser for records of a bus. The files are
 * included; no CAN interface or clock is used. Expected numbers were computed by hand.
 * Prints TAP; one thread.
 */
#include <stdint.h>
#include <stdio.h>

#include "../canbench-load/schedule.c"
#include "../lib/busattr.c"

static int failures;

static bool equal(const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		printf("# %s: expected %ju, got %ju\n", what, (uintmax_t)want, (uintmax_t)got);
	return got == want;
}

#define EQUAL(got, want) (good &= equal(#got, got, want))

static struct settings situation(unsigned int dlc, uint64_t burst, uint64_t period)
{
	return (struct settings){ .bitrate = 1000000, .dlc = dlc, .burst = burst,
				  .period = period, .id = 0x123 };
}

/* At 1 Mbit/s, with three bits between two frames. */
static bool test_back_to_back(void)
{
	struct settings set = situation(8, 1, 0);
	struct schedule plan;
	bool good = true;

	schedule_make(&plan, &set, 3);
	EQUAL(plan.count, 3);
	EQUAL(plan.start[0], 0);
	EQUAL(plan.start[1], plan.end[0] + 3000);
	EQUAL(plan.start[2], plan.end[1] + 3000);
	EQUAL(plan.idle, plan.end[2] + 3000);
	EQUAL(plan.idle, plan.bits * 1000);
	schedule_free(&plan);
	return good;
}

static bool test_bursts(void)
{
	struct settings set = situation(8, 2, 1000000);
	struct schedule plan;
	bool good = true;

	schedule_make(&plan, &set, 5);
	EQUAL(plan.start[1], plan.end[0] + 3000);
	EQUAL(plan.start[2], 1000000);
	EQUAL(plan.start[3], plan.end[2] + 3000);
	EQUAL(plan.start[4], 2000000);
	schedule_free(&plan);
	return good;
}

/* A burst that takes longer than its period: the next one follows immediately. */
static bool test_late_bursts(void)
{
	struct settings set = situation(8, 2, 1000);
	struct schedule plan;
	bool good = true;

	schedule_make(&plan, &set, 4);
	EQUAL(plan.start[2], plan.end[1] + 3000);
	EQUAL(plan.start[3], plan.end[2] + 3000);
	schedule_free(&plan);
	return good;
}

static bool test_number_in_data(void)
{
	struct settings set = situation(8, 1, 0);
	struct can_frame frame = schedule_frame(&set, 0x01020304);
	bool good = true;

	EQUAL(frame.can_id, 0x123);
	EQUAL(frame.len, 8);
	EQUAL(frame.data[0], 4);
	EQUAL(frame.data[3], 1);
	EQUAL(frame.data[4], 0);
	EQUAL(schedule_number(&set, &frame, 0), 0x01020304);
	set.dlc = 4;
	set.id = 0x7ff;
	frame = schedule_frame(&set, 77);
	EQUAL(frame.can_id, 0x7ff);
	EQUAL(frame.len, 4);
	EQUAL(schedule_number(&set, &frame, 1000), 77);
	return good;
}

/* Numbers repeat after 65536 frames. */
static bool test_number_in_short_data(void)
{
	struct settings set = situation(2, 1, 0);
	struct can_frame frame = schedule_frame(&set, 65536 + 5);
	bool good = true;

	EQUAL(frame.can_id, 0x123);
	EQUAL(frame.data[0], 5);
	EQUAL(frame.data[1], 0);
	EQUAL(schedule_number(&set, &frame, 0), 5);
	EQUAL(schedule_number(&set, &frame, 40000), 65541);
	EQUAL(schedule_number(&set, &frame, 65541), 65541);
	EQUAL(schedule_number(&set, &frame, 65600), 65541);
	set.dlc = 3;
	frame = schedule_frame(&set, 65541);
	EQUAL(schedule_number(&set, &frame, 0), 65541);
	return good;
}

/* Identifiers repeat after 2048 frames. */
static bool test_number_in_id(void)
{
	struct settings set = situation(0, 1, 0);
	struct can_frame frame = schedule_frame(&set, 0);
	bool good = true;

	EQUAL(frame.can_id, 0x123);
	EQUAL(schedule_number(&set, &frame, 0), 0);
	EQUAL(schedule_number(&set, &frame, 2048), 2048);
	EQUAL(schedule_number(&set, &frame, 2050), 2048);
	EQUAL(schedule_number(&set, &frame, 1500), 2048);
	frame = schedule_frame(&set, 2047 - 0x123 + 1);
	EQUAL(frame.can_id, 0);
	set.dlc = 1;
	frame = schedule_frame(&set, 5000);
	EQUAL(schedule_number(&set, &frame, 5000), 5000);
	EQUAL(schedule_number(&set, &frame, 4990), 5000);
	EQUAL(schedule_number(&set, &frame, 5010), 5000);
	return good;
}

/* With a seed, the times are those of the records, of which the first is of another run. */
static bool test_recorded_times(void)
{
	struct bus_recorded records[] = {
		{ .start = 5, .can_id = 0x123, .dlc = 8, .data = { 2 } },
		{ .start = 1000, .can_id = 0x123, .dlc = 8, .data = { 0, 0, 0, 0, 0x55 } },
		{ .start = 300000, .can_id = 0x124, .dlc = 8, .data = { 1, 0, 0, 0, 0x77 } },
	};
	struct settings set = situation(8, 1, 0);
	struct schedule plan;
	bool good = true;

	set.seed = 1;
	schedule_make(&plan, &set, 2);
	EQUAL(schedule_record(&plan, &set, records, 3), true);
	EQUAL(plan.start[0], 0);
	EQUAL(plan.start[1], 299000);
	EQUAL(plan.idle, plan.end[1] + 3000);
	EQUAL(plan.bits * 1000, plan.end[0] + plan.idle - plan.start[1] + 3000);
	EQUAL(schedule_record(&plan, &set, records, 2), false);
	EQUAL(schedule_record(&plan, &set, records, 1), false);
	schedule_free(&plan);
	return good;
}

static bool test_records(void)
{
	struct bus_record record;
	bool good = true;

	parse_record("91324605230 121 ok 123#1122334455667788", &record);
	EQUAL(record.start, 91324605230);
	EQUAL(record.bits, 121);
	EQUAL(record.ok, true);
	EQUAL(record.frame.can_id, 0x123);
	EQUAL(record.frame.len, 8);
	EQUAL(record.frame.data[0], 0x11);
	EQUAL(record.frame.data[7], 0x88);
	parse_record("7 30 stuff 1234ABCD#", &record);
	EQUAL(record.ok, false);
	EQUAL(record.frame.can_id, 0x1234ABCD | CAN_EFF_FLAG);
	EQUAL(record.frame.len, 0);
	parse_record("7 30 ok 123#FEDC", &record);
	EQUAL(record.frame.len, 2);
	EQUAL(record.frame.data[0], 0xfe);
	EQUAL(record.frame.data[1], 0xdc);
	return good;
}

static const struct test {
	const char *name;
	bool (*run)(void);
} tests[] = {
	{ "schedule: back to back", test_back_to_back },
	{ "schedule: bursts", test_bursts },
	{ "schedule: bursts that take longer than their period", test_late_bursts },
	{ "numbers in the data", test_number_in_data },
	{ "numbers in short data", test_number_in_short_data },
	{ "numbers in the identifier", test_number_in_id },
	{ "times from records", test_recorded_times },
	{ "records of a bus", test_records },
};

#define TESTS (sizeof(tests) / sizeof(tests[0]))

int main(void)
{
	bool good;

	printf("TAP version 13\n1..%zu\n", TESTS);
	for (unsigned int i = 0; i < TESTS; i++) {
		good = tests[i].run();
		failures += !good;
		printf("%sok %u %s\n", good ? "" : "not ", i + 1, tests[i].name);
	}
	return failures > 0;
}
