// SPDX-License-Identifier: GPL-2.0-only
/*
 * Time on simulated CAN buses: the exact length of frames in bits, and the start of
 * the next one.
 *
 * The expected length is computed bit by bit, see sim_wire(), and compared with the
 * records of the bus. It keeps 32 of them, so frames are sent in portions of 32.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <linux/can.h>

#include "simtest.h"

#define TX		BUS "/generator.tx"
#define RX		BUS "/generator.rx"

#define PORTIONS	16
#define LONG_TEST	120

static bool same_frame(const struct can_frame *a, const struct can_frame *b)
{
	return a->can_id == b->can_id && a->len == b->len &&
	       !memcmp(a->data, b->data, sizeof(a->data));
}

/* Frames that are easy to count by hand. */
TEST(the_computation_agrees_with_frames_counted_by_hand)
{
	static const struct {
		struct can_frame frame;
		const char *bits;
	} cases[] = {
		/* no bit is set, so the checksum is 0 */
		{ { .can_id = 0 },
		  "00000100000100000100000100000100000100001111111111" },
		/* only the last bit of the length code is set: x^23 modulo the
		 * polynomial is 100 0100 0010 0110
		 */
		{ { .can_id = 0, .len = 1 },
		  "00000100000100000100010000010001000100001001101111111111" },
	};
	struct sim_wire wire;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		sim_wire(&cases[i].frame, &wire);
		EXPECT_EQ(strlen(cases[i].bits), wire.count);
		EXPECT_EQ(0, memcmp(cases[i].bits, wire.level, wire.count))
			TH_LOG("%.*s", wire.count, wire.level);
	}
}

/* Two generators on a bus: one sends, the other acknowledges. */
FIXTURE(bus) { };

FIXTURE_VARIANT(bus) {
	unsigned int bitrate;
	const char *pattern;
	unsigned int portions;
};

#define BUS_VARIANT(name, rate, values, number) \
	FIXTURE_VARIANT_ADD(bus, name) { \
		.bitrate = rate, .pattern = values, .portions = number, \
	}

BUS_VARIANT(standard_at_1000000, 1000000, "id=000", 32);
BUS_VARIANT(extended_at_1000000, 1000000, "id=00000000", 32);
BUS_VARIANT(standard_remote_at_1000000, 1000000, "id=000 rtr=1", 16);
BUS_VARIANT(extended_remote_at_1000000, 1000000, "id=00000000 rtr=1", 16);
BUS_VARIANT(standard_at_500000, 500000, "id=000", 16);
BUS_VARIANT(extended_at_333333, 333333, "id=00000000", 8);
BUS_VARIANT(standard_at_83333, 83333, "id=000", 4);
BUS_VARIANT(extended_at_47619, 47619, "id=00000000", 2);

FIXTURE_SETUP(bus)
{
	if (!sim_open_bus(_metadata, "generator.tx generator.rx"))
		return;
	ASSERT_EQ(0, sim_set_all(TX, "bitrate=%u %s", variant->bitrate,
				 variant->pattern));
	ASSERT_EQ(0, sim_set_all(RX, "bitrate=%u", variant->bitrate));
	ASSERT_EQ(0, sim_live(BUS, true));
}

SIM_TEARDOWN(bus)

TEST_F_TIMEOUT(bus, frames_have_their_bits_and_follow_each_other, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	unsigned int portion;

	ASSERT_EQ(0, sim_set_all(TX, "id_mode=random dlc=random data=random"));
	for (portion = 0; portion < variant->portions; portion++) {
		ASSERT_EQ(0, sim_generate(TX, "count=%u seed=%u", SIM_RECORDS,
					  portion));
		ASSERT_EQ(SIM_RECORDS, sim_records(BUS, records));
		sim_expect_no_gap(_metadata, records, SIM_RECORDS,
				  variant->bitrate);
	}
	EXPECT_EQ(portion * SIM_RECORDS, sim_number(BUS, "frames"));
	EXPECT_EQ(0, sim_number(BUS, "error_frames"));
}

TEST_F_TIMEOUT(bus, counters_of_the_bus_are_the_sum_of_its_frames, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	unsigned int portion, i;
	int64_t bits = 0, busy = 0;

	ASSERT_EQ(0, sim_set_all(TX, "id_mode=random dlc=random data=random"));
	for (portion = 0; portion < variant->portions; portion++) {
		ASSERT_EQ(0, sim_generate(TX, "count=%u seed=%u", SIM_RECORDS,
					  ~portion));
		ASSERT_EQ(SIM_RECORDS, sim_records(BUS, records));
		for (i = 0; i < SIM_RECORDS; i++) {
			unsigned int all = sim_wire_bits(&records[i].frame) +
					   SIM_INTERMISSION;

			bits += all;
			busy += sim_ns(variant->bitrate, all);
		}
		EXPECT_EQ(bits, sim_number(BUS, "bits"));
		EXPECT_EQ(busy, sim_number(BUS, "busy_ns"));
	}
	EXPECT_EQ(portion * SIM_RECORDS, sim_number(TX, "sent"));
	EXPECT_EQ(portion * SIM_RECORDS, sim_number(RX, "received"));
}

/* The number of a frame in its run, which is its data */
static uint32_t number_of(const struct can_frame *frame)
{
	return frame->data[0] | frame->data[1] << 8 | frame->data[2] << 16 |
	       (uint32_t)frame->data[3] << 24;
}

static void set_number(struct can_frame *frame, uint32_t number)
{
	int i;

	for (i = 0; i < 4; i++)
		frame->data[i] = number >> 8 * i;
}

static int64_t time_of_run(unsigned int bitrate, struct can_frame frame,
			   uint32_t from, uint32_t to)
{
	int64_t time = 0;

	for (; from < to; from++) {
		set_number(&frame, from);
		time += sim_ns(bitrate, sim_wire_bits(&frame) +
					SIM_INTERMISSION);
	}
	return time;
}

/* The first record is read soon after the run has begun. */
TEST_F_TIMEOUT(bus, many_frames_take_as_many_frame_times, LONG_TEST)
{
	unsigned int count = 4 * variant->portions * SIM_RECORDS;
	struct sim_record first[SIM_RECORDS], last[SIM_RECORDS];
	uint32_t from, to;

	if (strstr(variant->pattern, "rtr"))
		SKIP(return, "remote frames have no number");
	ASSERT_EQ(0, sim_set_all(TX, "dlc=8 data=increment count=%u", count));
	ASSERT_EQ(0, sim_run(TX, true));
	ASSERT_EQ(0, sim_await_above(BUS, "frames", 0));
	ASSERT_LT(0, sim_records(BUS, first));
	ASSERT_EQ(0, sim_await(TX, "run", 0));
	ASSERT_EQ(SIM_RECORDS, sim_records(BUS, last));

	from = number_of(&first[0].frame);
	to = number_of(&last[SIM_RECORDS - 1].frame);
	ASSERT_EQ(count - 1, to);
	if (from + SIM_RECORDS > to)
		SKIP(return, "this machine was not in time for the first frames");
	EXPECT_EQ(time_of_run(variant->bitrate, first[0].frame, from, to),
		  last[SIM_RECORDS - 1].start - first[0].start);
}

/* Bursts of three in a period in which the bus could carry more */
TEST_F(bus, bursts_begin_when_they_are_due)
{
	struct sim_record records[SIM_RECORDS];
	int64_t period = sim_ns(variant->bitrate, 3 * SIM_MOST_BITS + 7);
	unsigned int i;

	ASSERT_EQ(0, sim_generate(TX, "burst=3 period_ns=%lld count=30",
				  (long long)period));
	ASSERT_EQ(30, sim_records(BUS, records));
	for (i = 3; i < 30; i += 3)
		EXPECT_EQ(records[i - 3].start + period, records[i].start);
	for (i = 0; i < 29; i += i % 3 == 0 ? 1 : 2)
		sim_expect_pause(_metadata, &records[i], variant->bitrate,
				 SIM_INTERMISSION);
}

static int utilisation(void)
{
	char text[32] = "";
	unsigned int whole = 0, hundredths = 0;

	sim_get(BUS, "utilisation", text, sizeof(text));
	if (sscanf(text, "%u.%2u", &whole, &hundredths) != 2)
		return -EBADMSG;
	return 100 * whole + hundredths;
}

/* It counts from the beginning of live, so it approaches its limit slowly. */
TEST_F_TIMEOUT(bus, utilisation_comes_to_what_the_generator_sends, LONG_TEST)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	int now = 0, looks;

	EXPECT_GT(100, utilisation());
	ASSERT_EQ(0, sim_run(TX, true));
	for (looks = 0; looks < 1000 && now < 9900; looks++) {
		nanosleep(&pause, NULL);
		now = utilisation();
		ASSERT_GE(10000, now);
	}
	EXPECT_LE(9900, now);
}

/* The bus is idle for a frame time after each frame. */
TEST_F_TIMEOUT(bus, utilisation_of_a_half, LONG_TEST)
{
	int64_t busy, period, time;
	struct sim_record records[SIM_RECORDS];

	/* all frames are equal, so that each takes half of the period */
	ASSERT_EQ(0, sim_generate(TX, "dlc=8 data=5555555555555555 count=1"));
	ASSERT_EQ(1, sim_records(BUS, records));
	busy = sim_ns(variant->bitrate, records[0].bits + SIM_INTERMISSION);
	period = 2 * busy;
	ASSERT_EQ(0, sim_generate(TX, "count=20 period_ns=%lld", (long long)period));
	ASSERT_EQ(21, sim_records(BUS, records));
	time = records[20].start - records[1].start;
	EXPECT_EQ(19 * period, time);
	EXPECT_EQ(21 * busy, sim_number(BUS, "busy_ns"));
}

/* The time of a bus goes on without traffic, too. */
TEST_F(bus, time_goes_on_and_stands_still_with_live)
{
	int64_t before = sim_number(BUS, "time_ns"), after;
	struct timespec pause = { .tv_nsec = 5000000 };

	nanosleep(&pause, NULL);
	after = sim_number(BUS, "time_ns");
	EXPECT_LE(before + pause.tv_nsec, after);
	ASSERT_EQ(0, sim_live(BUS, false));
	before = sim_number(BUS, "time_ns");
	nanosleep(&pause, NULL);
	EXPECT_EQ(before, sim_number(BUS, "time_ns"));
}

/* Frames through a controller and its driver, in both directions */
FIXTURE(chip) {
	char path[64];
	int fd;
};

SIM_CHIP_VARIANTS(chip);

FIXTURE_SETUP(chip)
{
	sim_open_chip(_metadata, "generator.tx", variant->chip->kind, self->path);
}

SIM_TEARDOWN(chip)

/* Return: a socket of the controller, or a negative errno value */
static int begin(unsigned int bitrate)
{
	return sim_set_all(TX, "bitrate=%u", bitrate) ?:
	       sim_start(bitrate, "", 0, true);
}

static void random_frame(uint32_t *state, struct can_frame *frame)
{
	uint32_t kind = ct_random(state), id = ct_random(state);
	uint8_t data[CAN_MAX_DLEN];
	int i;

	for (i = 0; i < CAN_MAX_DLEN; i++)
		data[i] = ct_random(state);
	if (kind & 1)
		id = (id & CAN_EFF_MASK) | CAN_EFF_FLAG;
	else
		id &= CAN_SFF_MASK;
	if (kind & 2) {
		id |= CAN_RTR_FLAG;
		memset(data, 0, sizeof(data));
	}
	ct_frame(frame, id, (kind >> 8) % (CAN_MAX_DLEN + 1), data);
}

/* @count frames from the chip; its driver tells when each was sent */
static int send_some(int fd, uint32_t *state, struct can_frame *frames,
		     unsigned int count)
{
	struct can_frame echo;
	unsigned int i;
	int err;

	for (i = 0; i < count; i++) {
		random_frame(state, &frames[i]);
		err = ct_send(fd, &frames[i], CAN_MTU);
		if (err)
			return err;
	}
	for (i = 0; i < count; i++) {
		if (ct_recv(fd, &echo, CAN_MTU, CT_TIMEOUT_MS) != CAN_MTU)
			return -EIO;
		if (!same_frame(&echo, &frames[i]))
			return -EBADMSG;
	}
	return 0;
}

/* Frames that every driver's queue can hold */
#define SOME	8

static void expect_sent(struct __test_metadata *_metadata,
			const struct sim_link *link,
			const struct can_frame *frames, int64_t *busy)
{
	struct sim_record records[SIM_RECORDS];
	int64_t time = 0;
	unsigned int i;
	int count;

	count = sim_records(BUS, records);
	ASSERT_LE(SOME, count);
	for (i = 0; i < SOME; i++) {
		struct sim_record *r = &records[count - SOME + i];

		EXPECT_TRUE(same_frame(&frames[i], &r->frame));
		sim_expect_frame(_metadata, r);
		if (i)
			EXPECT_LE(r[-1].start + time, r->start);
		time = sim_link_ns(link, r->bits + SIM_INTERMISSION);
		*busy += time;
	}
}

static void send_and_check(struct __test_metadata *_metadata,
			   FIXTURE_DATA(chip) *self, unsigned int bitrate,
			   unsigned int portions)
{
	struct can_frame frames[SOME];
	uint32_t state = bitrate;
	struct sim_link link;
	int64_t busy = 0;
	unsigned int i;

	self->fd = CT_OK(begin(bitrate));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	for (i = 0; i < portions; i++) {
		ASSERT_EQ(0, send_some(self->fd, &state, frames, SOME));
		expect_sent(_metadata, &link, frames, &busy);
	}
	EXPECT_EQ(portions * SOME, sim_number(BUS, "frames"));
	EXPECT_EQ(0, sim_number(BUS, "error_frames"));
	EXPECT_EQ(busy, sim_number(BUS, "busy_ns"));
	EXPECT_EQ(portions * SOME, sim_number(self->path, "sent"));
}

TEST_F_TIMEOUT(chip, sends_frames_of_all_kinds_at_1000000, LONG_TEST)
{
	send_and_check(_metadata, self, 1000000, 128);
}

TEST_F_TIMEOUT(chip, sends_frames_of_all_kinds_at_125000, LONG_TEST)
{
	send_and_check(_metadata, self, 125000, 16);
}

TEST_F_TIMEOUT(chip, sends_frames_of_all_kinds_at_83333, LONG_TEST)
{
	send_and_check(_metadata, self, 83333, 8);
}

/* Portions that the chip's FIFO holds, so that none is lost on a busy machine. */
static void receive_and_check(struct __test_metadata *_metadata,
			      FIXTURE_DATA(chip) *self, int fifo,
			      const char *pattern)
{
	struct sim_record records[SIM_RECORDS];
	struct can_frame frame;
	unsigned int portion;
	int count, i;

	ASSERT_EQ(0, sim_set_all(TX, "%s", pattern));
	for (portion = 0; portion < PORTIONS; portion++) {
		ASSERT_EQ(0, sim_generate(TX, "count=%d seed=%u", fifo,
					  portion));
		count = sim_records(BUS, records);
		ASSERT_LE(fifo, count);
		for (i = 0; i < fifo; i++) {
			ASSERT_LT(0, ct_recv(self->fd, &frame, CAN_MTU,
					     CT_TIMEOUT_MS));
			EXPECT_TRUE(same_frame(&records[count - fifo + i].frame,
					       &frame));
		}
	}
}

TEST_F_TIMEOUT(chip, receives_what_was_on_the_bus, LONG_TEST)
{
	static const char * const kinds[] = {
		"id=000", "id=00000000", "id=000 rtr=1", "id=00000000 rtr=1",
	};
	unsigned int i;

	self->fd = CT_OK(begin(500000));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		ASSERT_EQ(0, sim_set_all(TX, "rtr=0 id_mode=random dlc=random data=random"));
		receive_and_check(_metadata, self, variant->chip->fifo,
				  kinds[i]);
	}
	EXPECT_EQ(0, sim_number(self->path, "overruns"));
	EXPECT_EQ((int)ARRAY_SIZE(kinds) * PORTIONS * variant->chip->fifo,
		  sim_number(self->path, "received"));
}

TEST_HARNESS_MAIN
