// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of what canping decides without a socket and a clock: what became of each
 * ping, identifiers and their filters, the data of a ping. The files tested are
 * included. Prints TAP; one thread.
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

/* True if the counts are these, and every ping sent is in exactly one of the first three or waited for. */
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
	ok(good && counted(3 * TRACK_WINDOW, 0, 0, 0, 0, 0), "track: pings answered one by one");
}

static void test_lost(void)
{
	reset();
	send_ping();
	track_give_up(&t, &counts);
	ok(counted(0, 1, 0, 0, 0, 0), "track: a ping given up is lost");
	ok(receive_answer(send_ping()) && counted(1, 1, 0, 0, 0, 0), "track: the one after it is answered in time");
}

static void test_late(void)
{
	reset();
	send_ping();
	track_give_up(&t, &counts);
	ok(!receive_answer(0) && counted(0, 0, 1, 0, 0, 0), "track: a lost ping's answer is late, no longer lost");
	ok(!receive_answer(0) && counted(0, 0, 1, 1, 0, 0), "track: its second answer is a duplicate");
	send_ping();
	track_give_up(&t, &counts);
	send_ping();
	ok(!receive_answer(1) && receive_answer(2) && counted(1, 0, 2, 1, 0, 0),
	   "track: late, but before the next one's answer, is not reordered");
}

static void test_reordered(void)
{
	reset();
	send_ping();
	track_give_up(&t, &counts);
	send_ping();
	ok(receive_answer(1) && !receive_answer(0) && counted(1, 0, 1, 0, 1, 0),
	   "track: an answer that a later ping's overtook is reordered");
	send_ping();
	ok(receive_answer(2) && counted(2, 0, 1, 0, 1, 0), "track: what follows is in order again");
}

static void test_duplicated(void)
{
	reset();
	send_ping();
	ok(receive_answer(0) && !receive_answer(0) && counted(1, 0, 0, 1, 0, 0), "track: a second answer is a duplicate");
	send_ping();
	ok(!receive_answer(0) && t.waiting && counted(1, 0, 0, 2, 0, 0),
	   "track: a duplicate does not answer the next ping");
	ok(receive_answer(1) && counted(2, 0, 0, 2, 0, 0), "track: nor does it keep it from being answered");
}

static void test_unexpected(void)
{
	reset();
	ok(!receive_answer(0) && counted(0, 0, 0, 0, 0, 1), "track: an answer before any ping is unexpected");
	send_ping();
	ok(!receive_answer(1) && !receive_answer(UINT32_MAX) && counted(0, 0, 0, 0, 0, 3),
	   "track: numbers to come, and from before the first, are unexpected");
	ok(receive_answer(0) && counted(1, 0, 0, 0, 0, 3), "track: the right one is still accepted");
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
	ok(!receive_answer(1) && counted(0, TRACK_WINDOW, 1, 0, 0, 1), "track: the oldest one in it is late");
}

static void test_wrap(void)
{
	reset();
	t.sent = UINT32_MAX;
	t.newest = t.sent;
	counts.sent = counts.received = t.sent;
	ok(send_ping() == UINT32_MAX && receive_answer(UINT32_MAX), "track: the highest number");
	ok(send_ping() == 0 && !receive_answer(UINT32_MAX) && receive_answer(0), "track: after it comes 0");
	ok(!counts.reordered && counts.duplicated == 1 && !counts.unexpected,
	   "track: order is kept when numbers begin anew");
}

/* Whether the kernel's filter lets @id pass: the rule of CAN_RAW_FILTER. */
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
	ok(all, "ids: the filter lets all identifiers pass");
	for (canid_t id = 0; id <= CAN_SFF_MASK; id++)
		none &= passes(id, 0x300, ids_mask(0x300, 4)) == (id >= 0x300 && id < 0x304);
	ok(none, "ids: an aligned row's filter lets no other pass");
	ok(!passes(0x300 | CAN_EFF_FLAG, 0x300, ids_mask(0x300, 4)) &&
	   !passes(0x300 | CAN_RTR_FLAG, 0x300, ids_mask(0x300, 4)) &&
	   !passes(0x300, 0x300 | CAN_EFF_FLAG, ids_mask(0x300 | CAN_EFF_FLAG, 4)) &&
	   passes(0x303 | CAN_EFF_FLAG, 0x300 | CAN_EFF_FLAG, ids_mask(0x300 | CAN_EFF_FLAG, 4)),
	   "ids: formats are told apart, remote frames kept out");
}

static void test_index(void)
{
	ok(ids_index(0x300, 0x300, 4) == 0 && ids_index(0x303, 0x300, 4) == 3 &&
	   ids_index(0x304, 0x300, 4) == 4 && ids_index(0x2ff, 0x300, 4) == 4 &&
	   ids_index(0x300 | CAN_EFF_FLAG, 0x300, 4) == 4, "ids: place in a row");
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
	ok(!payload_same(&answer, &ping), "payload: other data may not");
	answer = ping;
	answer.len = 3;
	ok(!payload_same(&answer, &ping) && !payload_has_number(&answer), "payload: nor may the length");
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
