// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of canping without sockets and clocks: state of pings, identifiers and their
 * filters, data of pings. The tested files are included. Prints TAP; one thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../canping/ids.c"
#include "../canping/payload.c"
#include "../canping/track.c"

static int tests, failures;
static struct track t;
static struct track_counts counts;

static void ok(bool good, const char *name)
{
	if (!good)
		failures++;
	printf("%sok %d %s\n", good ? "" : "not ", ++tests, name);
}

/* The counters have these values, and every sent ping is received, lost, late or pending. */
static bool counted(uint64_t received, uint64_t lost, uint64_t late, uint64_t duplicated,
		    uint64_t reordered, uint64_t unexpected)
{
	bool good = counts.received == received && counts.lost == lost && counts.late == late &&
		    counts.duplicated == duplicated && counts.reordered == reordered &&
		    counts.unexpected == unexpected &&
		    counts.sent == received + lost + late + t.waiting;

	if (!good)
		printf("# sent %ju received %ju lost %ju late %ju duplicated %ju reordered %ju unexpected %ju waiting %d\n",
		       (uintmax_t)counts.sent, (uintmax_t)counts.received, (uintmax_t)counts.lost,
		       (uintmax_t)counts.late, (uintmax_t)counts.duplicated,
		       (uintmax_t)counts.reordered, (uintmax_t)counts.unexpected, t.waiting);
	return good;
}

static void reset(void)
{
	memset(&t, 0, sizeof(t));
	memset(&counts, 0, sizeof(counts));
}

static uint32_t send_ping(void)
{
	uint32_t number = track_number(&t);

	track_sent(&t, &counts);
	return number;
}

static bool receive_answer(uint32_t number)
{
	return track_answer(&t, number, &counts);
}

static void test_answered(void)
{
	bool good = true;

	reset();
	for (uint32_t i = 0; i < 3 * TRACK_WINDOW; i++)
		good &= send_ping() == i && receive_answer(i);
	ok(good && counted(3 * TRACK_WINDOW, 0, 0, 0, 0, 0), "track: pings are answered one by one");
}

static void test_lost(void)
{
	reset();
	send_ping();
	track_give_up(&t, &counts);
	ok(counted(0, 1, 0, 0, 0, 0), "track: a ping that is given up is lost");
	ok(receive_answer(send_ping()) && counted(1, 1, 0, 0, 0, 0), "track: the next ping is answered in time");
}

static void test_late(void)
{
	reset();
	send_ping();
	track_give_up(&t, &counts);
	ok(!receive_answer(0) && counted(0, 0, 1, 0, 0, 0), "track: the answer of a lost ping makes it late");
	ok(!receive_answer(0) && counted(0, 0, 1, 1, 0, 0), "track: the second answer of a late ping is a duplicate");
	send_ping();
	track_give_up(&t, &counts);
	send_ping();
	ok(!receive_answer(1) && receive_answer(2) && counted(1, 0, 2, 1, 0, 0),
	   "track: a late answer before the next answer is not reordered");
}

static void test_reordered(void)
{
	reset();
	send_ping();
	track_give_up(&t, &counts);
	send_ping();
	ok(receive_answer(1) && !receive_answer(0) && counted(1, 0, 1, 0, 1, 0),
	   "track: an answer after that of a later ping is reordered");
	send_ping();
	ok(receive_answer(2) && counted(2, 0, 1, 0, 1, 0), "track: the following answer is in order");
}

static void test_duplicated(void)
{
	reset();
	send_ping();
	ok(receive_answer(0) && !receive_answer(0) && counted(1, 0, 0, 1, 0, 0), "track: a second answer is a duplicate");
	send_ping();
	ok(!receive_answer(0) && t.waiting && counted(1, 0, 0, 2, 0, 0),
	   "track: a duplicate does not answer the next ping");
	ok(receive_answer(1) && counted(2, 0, 0, 2, 0, 0), "track: the next ping can be answered after a duplicate");
}

static void test_unexpected(void)
{
	reset();
	ok(!receive_answer(0) && counted(0, 0, 0, 0, 0, 1), "track: an answer before the first ping is unexpected");
	send_ping();
	ok(!receive_answer(1) && !receive_answer(UINT32_MAX) && counted(0, 0, 0, 0, 0, 3),
	   "track: answers to numbers that were not sent are unexpected");
	ok(receive_answer(0) && counted(1, 0, 0, 0, 0, 3), "track: the valid answer is then accepted");
}

static void test_window(void)
{
	reset();
	for (int i = 0; i < TRACK_WINDOW + 1; i++) {
		send_ping();
		track_give_up(&t, &counts);
	}
	ok(!receive_answer(0) && counted(0, TRACK_WINDOW + 1, 0, 0, 0, 1),
	   "track: an answer older than the window is unexpected");
	ok(!receive_answer(1) && counted(0, TRACK_WINDOW, 1, 0, 0, 1), "track: an answer to the oldest ping in the window is late");
}

static void test_wrap(void)
{
	reset();
	t.sent = UINT32_MAX;
	t.newest = t.sent;
	counts.sent = counts.received = t.sent;
	ok(send_ping() == UINT32_MAX && receive_answer(UINT32_MAX), "track: the highest number is answered");
	ok(send_ping() == 0 && !receive_answer(UINT32_MAX) && receive_answer(0), "track: the number wraps to 0");
	ok(!counts.reordered && counts.duplicated == 1 && !counts.unexpected,
	   "track: the order is kept when numbers wrap");
}

/* True: CAN_RAW_FILTER passes @id. */
static bool passes(canid_t id, canid_t first, canid_t mask)
{
	return (id & mask) == (first & mask);
}

static void test_filter(void)
{
	bool all = true, none = true;

	for (canid_t first = 0; first < 0x140; first++)
		for (unsigned int n = 1; n < 40; n++)
			for (unsigned int i = 0; i < n; i++)
				all &= passes(first + i, first, ids_mask(first, n));
	ok(all, "ids: the filter passes all identifiers of the range");
	for (canid_t id = 0; id <= CAN_SFF_MASK; id++)
		none &= passes(id, 0x300, ids_mask(0x300, 4)) == (id >= 0x300 && id < 0x304);
	ok(none, "ids: the filter of an aligned range passes no others");
	ok(!passes(0x300 | CAN_EFF_FLAG, 0x300, ids_mask(0x300, 4)) &&
	   !passes(0x300 | CAN_RTR_FLAG, 0x300, ids_mask(0x300, 4)) &&
	   !passes(0x300, 0x300 | CAN_EFF_FLAG, ids_mask(0x300 | CAN_EFF_FLAG, 4)) &&
	   passes(0x303 | CAN_EFF_FLAG, 0x300 | CAN_EFF_FLAG, ids_mask(0x300 | CAN_EFF_FLAG, 4)),
	   "ids: the filter rejects the other format and remote frames");
}

static void test_index(void)
{
	ok(ids_index(0x300, 0x300, 4) == 0 && ids_index(0x303, 0x300, 4) == 3 &&
	   ids_index(0x304, 0x300, 4) == 4 && ids_index(0x2ff, 0x300, 4) == 4 &&
	   ids_index(0x300 | CAN_EFF_FLAG, 0x300, 4) == 4, "ids: index in a range");
}

static void test_payload(void)
{
	struct settings s = { .length = 12, .fd = true, .brs = true };
	struct canfd_frame ping, answer;

	payload_begin(&ping, &s, 0x123);
	payload_set_number(&ping, 0x01020304);
	ok(ping.can_id == 0x123 && ping.len == 12 && ping.flags == CANFD_BRS &&
	   !memcmp(ping.data, "\1\2\3\4\x55\x55\x55\x55\x55\x55\x55\x55\0", 13),
	   "payload: number, then 55 up to the length");
	answer = ping;
	payload_set_number(&answer, UINT32_MAX);
	ok(payload_same(&answer, &ping) && payload_number(&answer) == UINT32_MAX,
	   "payload: the number may differ");
	answer.data[11] ^= 1;
	ok(!payload_same(&answer, &ping), "payload: other data must not differ");
	answer = ping;
	answer.len = 3;
	ok(!payload_same(&answer, &ping) && !payload_has_number(&answer), "payload: the length must not differ");
}

int main(void)
{
	test_answered();
	test_lost();
	test_late();
	test_reordered();
	test_duplicated();
	test_unexpected();
	test_window();
	test_wrap();
	test_filter();
	test_index();
	test_payload();
	printf("1..%d\n", tests);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
