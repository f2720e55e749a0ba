// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the traffic generator of canlat, which is included. Needs no CAN interface and no
 * clock. Prints TAP; one thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../canlat/traffic.c"

static int failures;

static bool equal(const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		printf("# %s: expected %ju, got %ju\n", what, (uintmax_t)want, (uintmax_t)got);
	return got == want;
}

#define EQUAL(got, want) (good &= equal(#got, got, want))

static struct traffic classic(void)
{
	struct traffic t = { .kind = TRAFFIC_SFF, .first_id = 0x100, .last_id = 0x100,
			     .fill = 0x55 };

	traffic_lengths(&t, 8, 8);
	return t;
}

static bool test_number(void)
{
	struct traffic t = classic();
	struct canfd_frame f;
	bool good = true;
	uint16_t number = 0;

	EQUAL(traffic_frame(&t, 0xABCDE, &f), CAN_MTU);
	EQUAL(f.data[0], 0xBC);
	EQUAL(f.data[1], 0xDE);
	EQUAL(f.data[2], 0x55);
	EQUAL(f.data[7], 0x55);
	EQUAL(traffic_number(&f, &number), true);
	EQUAL(number, 0xBCDE);
	f.len = 1;
	EQUAL(traffic_number(&f, &number), false);
	f.len = 2;
	EQUAL(traffic_number(&f, &number), true);
	f.can_id |= CAN_RTR_FLAG;
	EQUAL(traffic_number(&f, &number), false);
	return good;
}

static bool test_turns(void)
{
	static const struct {
		canid_t id;
		unsigned int len;
	} want[] = {
		{ 0x7E, 3 }, { 0x7F, 3 }, { 0x80, 3 },
		{ 0x7E, 4 }, { 0x7F, 4 }, { 0x80, 4 },
		{ 0x7E, 3 },
	};
	struct traffic t = { .kind = TRAFFIC_EFF, .first_id = 0x7E | CAN_EFF_FLAG,
			     .last_id = 0x80 | CAN_EFF_FLAG };
	struct canfd_frame f;
	bool good = true;
	unsigned int i;

	EQUAL(traffic_lengths(&t, 3, 4), true);
	for (i = 0; i < 7; i++) {
		EQUAL(traffic_frame(&t, i, &f), CAN_MTU);
		EQUAL(f.can_id, want[i].id | CAN_EFF_FLAG);
		EQUAL(f.len, want[i].len);
	}
	return good;
}

static bool test_lengths(void)
{
	static const uint8_t want[] = { 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64 };
	struct traffic t = { .kind = TRAFFIC_FD };
	bool good = true;

	EQUAL(traffic_lengths(&t, 2, 64), true);
	EQUAL(t.lengths_count, sizeof(want));
	EQUAL(memcmp(t.lengths, want, sizeof(want)), 0);
	EQUAL(traffic_lengths(&t, 1, 8), false);
	EQUAL(traffic_lengths(&t, 8, 9), false);
	EQUAL(traffic_lengths(&t, 40, 64), false);
	EQUAL(traffic_lengths(&t, 64, 65), false);
	EQUAL(traffic_lengths(&t, 8, 2), false);
	t.kind = TRAFFIC_SFF;
	EQUAL(traffic_lengths(&t, 8, 12), false);
	EQUAL(traffic_lengths(&t, 2, 8), true);
	EQUAL(t.lengths_count, 7);
	return good;
}

static bool test_fd(void)
{
	struct traffic t = { .kind = TRAFFIC_FD, .first_id = 1, .last_id = 1, .brs = true };
	struct canfd_frame f;
	bool good = true;

	traffic_lengths(&t, 64, 64);
	EQUAL(traffic_frame(&t, 0, &f), CANFD_MTU);
	EQUAL(f.len, 64);
	EQUAL(f.flags & CANFD_BRS, CANFD_BRS);
	t.brs = false;
	traffic_frame(&t, 0, &f);
	EQUAL(f.flags & CANFD_BRS, 0);
	return good;
}

static bool test_is(void)
{
	struct traffic t = classic();
	struct canfd_frame f;
	bool good = true;

	traffic_frame(&t, 70000, &f);
	EQUAL(traffic_is(&t, 70000, &f, CAN_MTU), true);
	EQUAL(traffic_is(&t, 70001, &f, CAN_MTU), false);
	EQUAL(traffic_is(&t, 70000, &f, CANFD_MTU), false);
	f.data[7] ^= 1;
	EQUAL(traffic_is(&t, 70000, &f, CAN_MTU), false);
	f.data[7] ^= 1;
	f.can_id ^= CAN_EFF_FLAG;
	EQUAL(traffic_is(&t, 70000, &f, CAN_MTU), false);
	f.can_id ^= CAN_EFF_FLAG;
	f.len = 7;
	EQUAL(traffic_is(&t, 70000, &f, CAN_MTU), false);
	return good;
}

static bool test_gap(void)
{
	struct traffic t = classic();
	bool good = true;

	t.pattern = TRAFFIC_PERIODIC;
	t.period = 123;
	EQUAL(traffic_gap(&t, 0), 123);
	t.pattern = TRAFFIC_FLOOD;
	EQUAL(traffic_gap(&t, 0), 0);
	t.pattern = TRAFFIC_ONE;
	EQUAL(traffic_gap(&t, 0), 0);

	/*
	 * 0x100, 8 bytes, all 0x55 with the number 0x5555: 1 + 11 + 3 + 4 + 64 + 15 +
	 * 10 = 108 bits. Between the 1 of the identifier and that of the data length
	 * there are 11 zeros, which take two stuff bits; the data takes none, and the
	 * CRC, 15 bits, at most three.
	 */
	t.pattern = TRAFFIC_HALF;
	t.bitrate = 1000000;
	EQUAL(traffic_gap(&t, 0x5555) >= 2 * 110000, true);
	EQUAL(traffic_gap(&t, 0x5555) <= 2 * 113000, true);
	EQUAL(traffic_gap(&t, 0x5555) % 2000, 0);
	t.bitrate = 500000;
	EQUAL(traffic_gap(&t, 0x5555) >= 4 * 110000, true);
	return good;
}

static const struct {
	bool (*run)(void);
	const char *promise;
} tests[] = {
	{ test_number, "the number is in the first two bytes" },
	{ test_turns, "identifiers are used in turn, then lengths" },
	{ test_lengths, "only valid lengths of the frame type are accepted" },
	{ test_fd, "CAN FD frames, with and without bit rate switch" },
	{ test_is, "another frame with the same number is not accepted" },
	{ test_gap, "the time between two frames" },
};

int main(void)
{
	unsigned int i, n = sizeof(tests) / sizeof(tests[0]);

	printf("TAP version 13\n1..%u\n", n);
	for (i = 0; i < n; i++) {
		bool good = tests[i].run();

		failures += !good;
		printf("%sok %u %s\n", good ? "" : "not ", i + 1, tests[i].promise);
	}
	return failures != 0;
}
