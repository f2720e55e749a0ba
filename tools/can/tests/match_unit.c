// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the match table of canlat, which is included. They need no CAN interface and no
 * clock; expected numbers were computed by hand. Prints TAP; one thread.
 */
#include <stdio.h>
#include <string.h>

#include "../canlat/match.c"

#define TIMEOUT 1000

static struct match m;
static int failures;

/* Frames passed to removed(), in order */
static struct {
	uint64_t seq;
	struct match_frame frame;
} left[8];
static unsigned int left_count;

static void record_removed(void *ctx, uint64_t seq, const struct match_frame *frame)
{
	(void)ctx;
	if (left_count < sizeof(left) / sizeof(left[0])) {
		left[left_count].seq = seq;
		left[left_count].frame = *frame;
	}
	left_count++;
}

static bool equal(const char *what, uint64_t got, uint64_t want)
{
	if (got != want)
		printf("# %s: expected %ju, got %ju\n", what, (uintmax_t)want, (uintmax_t)got);
	return got == want;
}

#define EQUAL(got, want) (good &= equal(#got, got, want))

static void reset(void)
{
	match_free(&m);
	if (!match_init(&m, TIMEOUT)) {
		puts("Bail out! no memory");
		exit(1);
	}
	m.removed = record_removed;
	left_count = 0;
}

/* Send and hear a frame at @now. Returns its number. */
static uint16_t transmit(uint64_t now)
{
	uint64_t seq = m.next;

	match_sent(&m, now);
	match_heard(&m, seq, now + 1, now);
	return seq;
}

/* The equation of match.h for an empty table */
static bool balanced(void)
{
	const struct match_counts *c = &m.counts;
	bool good = true;

	EQUAL(c->received + c->lost + c->unheard + c->pending, c->sent);
	EQUAL(m.open, 0);
	EQUAL(m.queued, 0);
	return good;
}

static bool test_pair(void)
{
	bool good = true;

	match_sent(&m, 10);
	EQUAL(m.open, 1);
	EQUAL(m.queued, 1);
	match_heard(&m, 0, 100, 20);
	EQUAL(m.queued, 0);
	EQUAL(match_deadline(&m), 20 + TIMEOUT);
	match_received(&m, 0, 130, 7);
	EQUAL(m.open, 0);
	EQUAL(left_count, 0);
	match_expire(&m, 20 + TIMEOUT);
	EQUAL(left_count, 1);
	EQUAL(left[0].frame.bus_stamp, 100);
	EQUAL(left[0].frame.rx_stamp, 130);
	EQUAL(left[0].frame.duration, 7);
	EQUAL(m.counts.received, 1);
	EQUAL(match_deadline(&m), UINT64_MAX);
	return good & balanced();
}

static bool test_received_first(void)
{
	bool good = true;

	match_sent(&m, 0);
	match_received(&m, 0, 5, 0);
	EQUAL(m.queued, 0);
	match_heard(&m, 0, 3, 1);
	EQUAL(m.queued, 0);
	match_flush(&m);
	EQUAL(left[0].frame.bus_stamp, 3);
	EQUAL(left[0].frame.rx_stamp, 5);
	EQUAL(m.counts.received, 1);
	return good & balanced();
}

static bool test_timeout(void)
{
	bool good = true;

	transmit(0);
	match_sent(&m, 0);
	match_expire(&m, TIMEOUT - 1);
	EQUAL(left_count, 0);
	match_expire(&m, TIMEOUT);
	EQUAL(left_count, 2);
	EQUAL(m.counts.lost, 1);
	EQUAL(m.counts.unheard, 1);
	/* Too late: no frame in the table has this number. */
	match_received(&m, 0, 5000, 0);
	EQUAL(m.counts.unexpected, 1);
	EQUAL(m.counts.received, 0);
	return good & balanced();
}

/* All frames are read together, much later: the timestamps decide. */
static bool test_late_by_stamps(void)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < 4; i++)
		match_sent(&m, 0);
	for (i = 0; i < 3; i++)
		match_heard(&m, i, 500, 50000);
	match_heard(&m, 3, 0, 50000);
	match_received(&m, 0, 500 + TIMEOUT, 0);
	match_received(&m, 1, 501 + TIMEOUT, 0);
	EQUAL(m.open, 3);
	/* Without both timestamps there is nothing to compare. */
	match_received(&m, 2, 0, 0);
	match_received(&m, 3, 9000, 0);
	EQUAL(m.counts.received, 3);
	EQUAL(m.counts.unexpected, 1);
	EQUAL(m.counts.reordered, 0);
	match_expire(&m, 50000 + TIMEOUT);
	EQUAL(m.counts.lost, 1);
	EQUAL(left[1].frame.received, false);
	EQUAL(left[1].frame.rx_stamp, 0);
	return good & balanced();
}

static bool test_awaits(void)
{
	bool good = true;

	EQUAL(match_awaits(&m, 0), false);
	match_sent(&m, 0);
	match_sent(&m, 0);
	EQUAL(match_awaits(&m, 0), true);
	EQUAL(match_awaits(&m, 1), true);
	EQUAL(match_awaits(&m, 2), false);
	match_heard(&m, 0, 1, 1);
	match_received(&m, 1, 2, 0);
	EQUAL(match_awaits(&m, 0), false);
	EQUAL(match_awaits(&m, 1), false);
	match_flush(&m);
	return good & balanced();
}

static bool test_queued_long(void)
{
	bool good = true;

	match_sent(&m, 0);
	match_heard(&m, 0, 990, 990);
	match_expire(&m, TIMEOUT);
	EQUAL(left_count, 0);
	match_received(&m, 0, 1500, 0);
	match_expire(&m, 990 + TIMEOUT);
	EQUAL(m.counts.received, 1);
	return good & balanced();
}

static bool test_heard_twice(void)
{
	bool good = true;

	match_sent(&m, 0);
	match_heard(&m, 0, 7, 7);
	match_heard(&m, 0, 9, 9);
	EQUAL(match_deadline(&m), 7 + TIMEOUT);
	match_flush(&m);
	EQUAL(left[0].frame.bus_stamp, 7);
	return good & balanced();
}

static bool test_duplicate(void)
{
	bool good = true;

	transmit(0);
	transmit(0);
	match_received(&m, 0, 10, 0);
	match_received(&m, 1, 11, 0);
	match_received(&m, 0, 12, 0);
	match_received(&m, 1, 13, 0);
	match_received(&m, 1, 14, 0);
	EQUAL(m.counts.received, 2);
	EQUAL(m.counts.duplicated, 3);
	EQUAL(m.counts.reordered, 0);
	match_flush(&m);
	EQUAL(left[0].frame.rx_stamp, 10);
	EQUAL(left[1].frame.rx_stamp, 11);
	return good & balanced();
}

static bool test_reorder(void)
{
	static const uint16_t order[] = { 1, 0, 2, 5, 3, 4, 6 };
	bool good = true;
	unsigned int i;

	for (i = 0; i < 7; i++)
		transmit(0);
	for (i = 0; i < 7; i++)
		match_received(&m, order[i], 10 + i, 0);
	/* 0 came after 1, 3 and 4 after 5 */
	EQUAL(m.counts.reordered, 3);
	EQUAL(m.counts.received, 7);
	match_flush(&m);
	/* Frames are removed in the order of sending. */
	for (i = 0; i < 7; i++)
		EQUAL(left[i].seq, i);
	return good & balanced();
}

static bool test_loss_is_no_reordering(void)
{
	bool good = true;

	transmit(0);
	transmit(0);
	transmit(0);
	match_received(&m, 0, 1, 0);
	match_received(&m, 2, 2, 0);
	match_expire(&m, TIMEOUT);
	EQUAL(m.counts.lost, 1);
	EQUAL(m.counts.reordered, 0);
	return good & balanced();
}

static bool test_bus_reorder(void)
{
	bool good = true;

	match_sent(&m, 0);
	match_sent(&m, 0);
	match_heard(&m, 1, 1, 1);
	match_heard(&m, 0, 2, 2);
	EQUAL(m.counts.bus_reordered, 1);
	match_flush(&m);
	return good & balanced();
}

static bool test_unexpected(void)
{
	bool good = true;
	uint64_t seq;

	match_received(&m, 0, 1, 0);
	transmit(0);
	match_received(&m, 1, 1, 0);
	match_received(&m, 65535, 1, 0);
	match_unexpected(&m);
	EQUAL(m.counts.unexpected, 4);
	EQUAL(match_find(&m, 1, &seq), false);
	EQUAL(match_find(&m, 0, &seq), true);
	match_flush(&m);
	return good & balanced();
}

static bool test_pending(void)
{
	bool good = true;

	transmit(0);
	transmit(0);
	match_sent(&m, 0);
	match_received(&m, 1, 1, 0);
	match_flush(&m);
	EQUAL(m.counts.pending, 2);
	EQUAL(m.counts.received, 1);
	EQUAL(m.counts.lost, 0);
	EQUAL(m.counts.unheard, 0);
	return good & balanced();
}

static bool test_full(void)
{
	bool good = true;
	unsigned int i;

	for (i = 0; i < MATCH_NUMBERS; i++) {
		EQUAL(match_full(&m), false);
		transmit(i);
	}
	EQUAL(match_full(&m), true);
	EQUAL(match_deadline(&m), TIMEOUT);
	/* A number stays in use until its timeout, even if the frame was received. */
	match_received(&m, 0, 1, 0);
	EQUAL(match_full(&m), true);
	match_expire(&m, TIMEOUT);
	EQUAL(match_full(&m), false);
	EQUAL(m.next - m.oldest, MATCH_NUMBERS - 1);
	match_flush(&m);
	EQUAL(m.counts.pending, MATCH_NUMBERS - 1);
	return good & balanced();
}

static bool test_wrap(void)
{
	bool good = true;
	uint64_t now, seq;

	/* Each frame is received three frames later, except for every 1000th. */
	for (now = 0; now < 3 * MATCH_NUMBERS; now++) {
		transmit(now * 10);
		if (now >= 3 && (now - 3) % 1000)
			match_received(&m, now - 3, now * 10, 0);
		match_expire(&m, now * 10);
	}
	EQUAL(m.counts.received, 3 * MATCH_NUMBERS - 3 - 197);
	EQUAL(m.counts.reordered, 0);
	EQUAL(m.counts.unexpected, 0);
	EQUAL(match_find(&m, 65535, &seq), true);
	EQUAL(seq, 3 * MATCH_NUMBERS - 1);
	/* Frames on their way arrive, and a copy of a frame from before the wrap is detected. */
	transmit(now * 10);
	match_received(&m, 0, 1, 0);
	match_received(&m, 65535, 1, 0);
	match_received(&m, 65535 - 4, 1, 0);
	EQUAL(m.counts.reordered, 1);
	EQUAL(m.counts.duplicated, 1);
	match_expire(&m, UINT64_MAX - 1);
	EQUAL(m.counts.sent, 3 * MATCH_NUMBERS + 1);
	/* 197 frames were skipped, and two were not received at the end. */
	EQUAL(m.counts.lost, 199);
	return good & balanced();
}

static const struct {
	bool (*run)(void);
	const char *promise;
} tests[] = {
	{ test_pair, "both timestamps of a frame are stored" },
	{ test_received_first, "a frame may be received before it is heard" },
	{ test_timeout, "a frame is lost at its timeout, not before" },
	{ test_late_by_stamps, "timestamps decide whether a frame is too late" },
	{ test_awaits, "a frame is awaited until it is heard or received" },
	{ test_queued_long, "waiting for the bus causes no loss" },
	{ test_heard_twice, "the first transmission time is stored" },
	{ test_duplicate, "copies are counted, and change no other counter" },
	{ test_reorder, "each overtaken frame is counted as reordered once" },
	{ test_loss_is_no_reordering, "a lost frame causes no reordering" },
	{ test_bus_reorder, "reordering on the first bus is counted separately" },
	{ test_unexpected, "a number that is not in the table is unexpected" },
	{ test_pending, "frames on their way at the end are not lost" },
	{ test_full, "no number is reused within the timeout" },
	{ test_wrap, "numbers wrap, sequence numbers do not" },
};

int main(void)
{
	unsigned int i, n = sizeof(tests) / sizeof(tests[0]);

	printf("TAP version 13\n1..%u\n", n);
	for (i = 0; i < n; i++) {
		bool good;

		reset();
		good = tests[i].run();
		failures += !good;
		printf("%sok %u %s\n", good ? "" : "not ", i + 1, tests[i].promise);
	}
	match_free(&m);
	return failures != 0;
}
