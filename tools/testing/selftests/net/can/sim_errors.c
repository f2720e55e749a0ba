// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors on simulated CAN buses: error counters (ISO 11898-1, fault confinement),
 * the length of error frames, how controllers become error passive and bus off and
 * recover, and that neither nodes that only listen nor other buses matter.
 *
 * Comments refer to the rules by their letters:
 *
 *  a	a receiver that detects an error counts 1
 *  b	a receiver that sees a dominant bit first after its error flag counts 8 more
 *  c	a transmitter that sends an error flag counts 8
 *  g	a transmitter counts 1 less after each frame that was sent
 *  h	a receiver counts 1 less after each frame that was received
 *
 * A state that a test waits for is one that lasts: a few errors, then frames that
 * are not disturbed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>

#include "simtest.h"

#define OTHER		"simbus1"
#define TX		BUS "/generator.tx"
#define RX		BUS "/generator.rx"

#define LONG_TEST	120

#define PASSIVE		128

/* The default bit rate of a generator */
#define GEN_RATE	1000000

/* Errors of one kind, the first frames of a live bus */
static int inject(const char *bus, const char *type, int count)
{
	char frames[32];

	snprintf(frames, sizeof(frames), "0 %d", count);
	return sim_set_all(bus, "inject_type=%s inject_bit=-1 inject_ppm=0",
			   type) ?:
	       sim_set(bus, "inject_frames", frames);
}

/* The generator TX sends its frames, the first ones with errors. */
static int send_with_errors(const char *type, int count)
{
	return inject(BUS, type, count) ?: sim_run(TX, true) ?:
	       sim_await(TX, "run", 0);
}

/* Attributes of a bus or a node, written as ATTRIBUTE=NUMBER with spaces between */
static __printf(3, 4)
void expect_numbers(struct __test_metadata *_metadata, const char *path,
		    const char *format, ...)
{
	char text[128], *rest = text, *attribute, *value;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	while ((attribute = strsep(&rest, " "))) {
		value = attribute;
		strsep(&value, "=");
		EXPECT_EQ(strtoll(value, NULL, 10), sim_number(path, attribute))
			TH_LOG("%s of %s", attribute, path);
	}
}

/* One sends, two receive. */
FIXTURE(rules) { };

FIXTURE_VARIANT(rules) {
	const char *type;
	const char *outcome;
	int tec;
	int rec;
};

/* The transmitter's flag comes first, and ends first. */
FIXTURE_VARIANT_ADD(rules, bit) { "bit", "bit", 8, 1 };

/* The transmitter sees the receivers' flags and adds its own, whose end they see
 * (rule b).
 */
FIXTURE_VARIANT_ADD(rules, stuff) { "stuff", "stuff", 8, 9 };
FIXTURE_VARIANT_ADD(rules, form) { "form", "form", 8, 9 };

/* A frame with a wrong checksum is not acknowledged, and the transmitter is the
 * first to see an error.
 */
FIXTURE_VARIANT_ADD(rules, crc) { "crc", "ack", 8, 1 };
FIXTURE_VARIANT_ADD(rules, ack) { "ack", "ack", 8, 1 };

FIXTURE_SETUP(rules)
{
	if (!sim_open_bus(_metadata, "generator.tx generator.rx generator.rx2"))
		return;
	/* has stuff bits in any field */
	ASSERT_EQ(0, sim_set_all(TX, "id=000 dlc=8 data=0000000000000000 count=1"));
}

SIM_TEARDOWN(rules)

/* Above 127 the receive counter comes down to between 119 and 127 (rule h). */
static void expect_rec(struct __test_metadata *_metadata, const char *path,
		       int after_errors)
{
	int64_t rec = sim_number(path, "rec");

	if (after_errors < PASSIVE) {
		EXPECT_EQ(after_errors - 1, rec);
		return;
	}
	EXPECT_LE(119, rec);
	EXPECT_GE(127, rec);
}

TEST_F_TIMEOUT(rules, errors_then_a_frame, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	int errors, i;

	for (errors = 1; errors <= 15; errors++) {
		ASSERT_EQ(0, sim_live(BUS, true));
		ASSERT_EQ(0, send_with_errors(variant->type, errors));
		expect_numbers(_metadata, TX, "tec=%d rec=0 errors=%d",
			       errors * variant->tec - 1, errors);
		expect_rec(_metadata, RX, errors * variant->rec);
		expect_rec(_metadata, BUS "/generator.rx2",
			   errors * variant->rec);
		expect_numbers(_metadata, RX, "tec=0 errors=%d received=1",
			       errors);
		expect_numbers(_metadata, BUS, "error_frames=%d frames=1",
			       errors);
		ASSERT_EQ(errors + 1, sim_records(BUS, records));
		for (i = 0; i < errors; i++)
			EXPECT_STREQ(variant->outcome, records[i].outcome);
		EXPECT_STREQ("ok", records[errors].outcome);
		ASSERT_EQ(0, sim_live(BUS, false));
	}
}

/* Sixteen errors make a transmitter error passive, 32 bus off (rule c). */
TEST_F(rules, transmitter_passive_and_bus_off)
{
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, send_with_errors(variant->type, 15));
	EXPECT_TRUE(sim_is(TX, "state", "active"));
	EXPECT_EQ(119, sim_number(TX, "tec"));

	/* 119 + 2 * 8 - 1 */
	ASSERT_EQ(0, send_with_errors("bit", 2));
	EXPECT_TRUE(sim_is(TX, "state", "passive"));
	EXPECT_EQ(134, sim_number(TX, "tec"));

	/* 134 + 16 * 8 = 262, and recovery follows with counters of zero */
	ASSERT_EQ(0, send_with_errors("bit", 16));
	expect_numbers(_metadata, BUS, "error_frames=33 frames=3");
	EXPECT_TRUE(sim_is(TX, "state", "active"));
	EXPECT_EQ(0, sim_number(TX, "tec"));
}

TEST_F(rules, each_frame_takes_one_back)
{
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, inject(BUS, variant->type, 3));
	ASSERT_EQ(0, sim_generate(TX, "count=5"));
	EXPECT_EQ(3 * variant->tec - 5, sim_number(TX, "tec"));
	EXPECT_EQ(3 * variant->rec > 5 ? 3 * variant->rec - 5 : 0,
		  sim_number(RX, "rec"));
	ASSERT_EQ(0, sim_generate(TX, "count=50"));
	EXPECT_EQ(0, sim_number(TX, "tec"));
	EXPECT_EQ(0, sim_number(RX, "rec"));
}

/* Errors by chance */
struct outcome {
	int64_t errors;
	int64_t bits;
	int64_t busy;
	struct sim_record records[SIM_RECORDS];
};

static int run_with_chance(const char *type, int seed, struct outcome *outcome)
{
	int err, count;

	err = sim_live(BUS, true) ?: inject(BUS, type, 0) ?:
	      sim_set_all(BUS, "inject_ppm=40000 inject_seed=%d", seed) ?:
	      sim_generate(TX, "count=800");
	if (err)
		return err;
	outcome->errors = sim_number(BUS, "error_frames");
	outcome->bits = sim_number(BUS, "bits");
	outcome->busy = sim_number(BUS, "busy_ns");
	count = sim_records(BUS, outcome->records);
	if (count != SIM_RECORDS)
		return -ENODATA;
	return sim_live(BUS, false);
}

static void expect_same(struct __test_metadata *_metadata,
			const struct outcome *a, const struct outcome *b)
{
	int i;

	EXPECT_EQ(a->errors, b->errors);
	EXPECT_EQ(a->bits, b->bits);
	EXPECT_EQ(a->busy, b->busy);
	for (i = 0; i < SIM_RECORDS; i++) {
		EXPECT_EQ(a->records[i].start - a->records[0].start,
			  b->records[i].start - b->records[0].start);
		EXPECT_EQ(a->records[i].bits, b->records[i].bits);
		EXPECT_STREQ(a->records[i].outcome, b->records[i].outcome);
	}
}

TEST_F_TIMEOUT(rules, chance_is_repeated_by_its_seed, LONG_TEST)
{
	struct outcome first, again, other;

	ASSERT_EQ(0, sim_set_all(TX, "id_mode=random dlc=random data=random"));
	ASSERT_EQ(0, run_with_chance(variant->type, 1, &first));
	ASSERT_EQ(0, run_with_chance(variant->type, 1, &again));
	ASSERT_EQ(0, run_with_chance(variant->type, 2, &other));
	expect_same(_metadata, &first, &again);
	EXPECT_NE(first.bits, other.bits);
	/* 4 % of some 830 attempts, and neither 2 % nor 8 % */
	EXPECT_LT(16, first.errors);
	EXPECT_GT(60, first.errors);
}

/* A bus on which everything fails, and one on which nothing does */
TEST_F(rules, errors_do_not_touch_another_bus)
{
	struct sim_record records[SIM_RECORDS];

	ASSERT_EQ(0, sim_bus_make(OTHER, "generator.tx generator.rx"));
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_live(OTHER, true));
	ASSERT_EQ(0, sim_set_all(BUS, "inject_type=%s inject_ppm=1000000",
				 variant->type));
	ASSERT_EQ(0, sim_run(TX, true));
	ASSERT_EQ(0, sim_await_above(BUS, "error_frames", 20));
	ASSERT_EQ(0, sim_generate(OTHER "/generator.tx", "count=300"));
	expect_numbers(_metadata, OTHER, "error_frames=0 frames=300");
	EXPECT_EQ(0, sim_number(OTHER "/generator.tx", "tec"));
	EXPECT_EQ(0, sim_number(OTHER "/generator.rx", "rec"));
	ASSERT_EQ(SIM_RECORDS, sim_records(OTHER, records));
	sim_expect_no_gap(_metadata, records, SIM_RECORDS, GEN_RATE);
	EXPECT_EQ(0, sim_number(BUS, "frames"));
}

/* Error frames: where the flags of all nodes end, and eight bits of delimiter */
FIXTURE(length) { };

FIXTURE_SETUP(length)
{
	if (sim_open_bus(_metadata, "generator.tx generator.rx"))
		ASSERT_EQ(0, sim_live(BUS, true));
}

SIM_TEARDOWN(length)

#define FLAG		6
#define DELIMITER	8

/* The first bit at which six bits in a row are equal */
static int six_equal(const struct sim_wire *wire)
{
	unsigned int i, equal = 0;
	char last = 'x';

	for (i = 0; i < wire->count; i++) {
		equal = wire->level[i] == last ? equal + 1 : 1;
		last = wire->level[i];
		if (equal == FLAG)
			return i;
	}
	return -ENOENT;
}

/* A bit of content is inverted, and the transmitter's flag follows. Receivers see
 * that something is wrong when six bits are equal, and send their flag then.
 */
static int bits_of_bit_error(struct sim_wire wire, int bit)
{
	int i, seen;

	wire.level[bit] ^= '0' ^ '1';
	for (i = 1; i <= FLAG; i++)
		wire.level[bit + i] = '0';
	seen = six_equal(&wire);
	return seen < 0 ? seen : seen + 1 + FLAG + DELIMITER;
}

TEST_F_TIMEOUT(length, of_bit_errors_at_each_bit_of_the_content, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS], *failed;
	int bit, first, end, count;
	struct can_frame frame;
	struct sim_wire wire;

	ct_frame(&frame, 0x123, 4, "\x0f\x00\xff\x55");
	sim_wire(&frame, &wire);
	ASSERT_EQ(0, sim_set_all(TX, "id=123 dlc=4 data=0f00ff55 count=1"));
	first = sim_wire_find(&wire, '0', 0);
	end = sim_wire_find(&wire, 'C', 0);
	ASSERT_LT(0, first);
	for (bit = first; bit < end; bit++) {
		ASSERT_EQ(0, inject(BUS, "bit", 1));
		ASSERT_EQ(0, sim_set_all(BUS, "inject_bit=%d", bit));
		ASSERT_EQ(0, sim_generate(TX, "count=1"));
		count = sim_records(BUS, records);
		ASSERT_LE(2, count);
		failed = &records[count - 2];
		EXPECT_STREQ("bit", failed->outcome);
		EXPECT_EQ(bits_of_bit_error(wire, bit), (int)failed->bits)
			TH_LOG("bit %d of %.*s", bit, wire.count, wire.level);
		/* the next try follows at once */
		sim_expect_pause(_metadata, failed, GEN_RATE, SIM_INTERMISSION);
		/* so that the counters stay low */
		ASSERT_EQ(0, inject(BUS, "none", 0));
		ASSERT_EQ(0, sim_generate(TX, "count=12"));
	}
}

/* By hand: a frame of 44 bits and as many stuff bits as it has */
TEST_F(length, of_other_errors)
{
	struct sim_record records[SIM_RECORDS];
	struct can_frame frame;
	struct sim_wire wire;
	static const struct {
		const char *type;
		char field;
		int flags;
	} cases[] = {
		/* detected in the ACK slot; receivers see the ACK delimiter */
		{ "ack", 'A', 1 + FLAG },
		{ "crc", 'A', 1 + FLAG },
		/* detected in the CRC delimiter; the ACK slot may be dominant,
		 * so the transmitter sees the ACK delimiter
		 */
		{ "form", 'c', 2 + FLAG },
	};
	unsigned int i;
	int count;

	ct_frame(&frame, 0x555, 0, NULL);
	sim_wire(&frame, &wire);
	ASSERT_EQ(0, sim_set_all(TX, "id=555 dlc=0 count=1"));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		ASSERT_EQ(0, send_with_errors(cases[i].type, 1));
		count = sim_records(BUS, records);
		ASSERT_LE(2, count);
		EXPECT_EQ(sim_wire_find(&wire, cases[i].field, 0) + 1 +
			  cases[i].flags + DELIMITER,
			  (int)records[count - 2].bits)
			TH_LOG("%s", cases[i].type);
	}
}

/* An error-passive transmitter waits eight bits more before its next frame. */
TEST_F(length, of_the_pause_of_a_passive_transmitter)
{
	struct sim_record records[SIM_RECORDS];

	ASSERT_EQ(0, sim_set_all(TX, "id=123 dlc=4 data=0f00ff55"));
	ASSERT_EQ(0, inject(BUS, "bit", 17));
	ASSERT_EQ(0, sim_generate(TX, "count=3"));
	ASSERT_EQ(20, sim_records(BUS, records));
	/* 17 * 8 - 3 is still passive */
	EXPECT_TRUE(sim_is(TX, "state", "passive"));
	sim_expect_pause(_metadata, &records[17], GEN_RATE, SIM_INTERMISSION + 8);
	sim_expect_pause(_metadata, &records[18], GEN_RATE, SIM_INTERMISSION + 8);
	/* and after its errors: the 15th left it active, the 16th did not */
	sim_expect_pause(_metadata, &records[14], GEN_RATE, SIM_INTERMISSION);
	sim_expect_pause(_metadata, &records[15], GEN_RATE, SIM_INTERMISSION + 8);
}

/* 128 sequences of eleven recessive bits lead back from bus off; the delimiter of
 * the last error frame and the intermission are the first one.
 */
TEST_F(length, of_the_recovery_from_bus_off)
{
	struct sim_record records[SIM_RECORDS];
	int count;

	ASSERT_EQ(0, sim_set_all(TX, "id=123 dlc=4 data=0f00ff55"));
	ASSERT_EQ(0, inject(BUS, "bit", 32));
	ASSERT_EQ(0, sim_generate(TX, "count=1"));
	EXPECT_EQ(32, sim_number(BUS, "error_frames"));
	count = sim_records(BUS, records);
	ASSERT_EQ(SIM_RECORDS, count);
	EXPECT_STREQ("ok", records[31].outcome);
	sim_expect_pause(_metadata, &records[30], GEN_RATE, SIM_INTERMISSION + 127 * 11);
}

/* A controller on a bus with generators that a test chooses */
FIXTURE(chip) {
	const struct sim_chip *chip;
	char path[64];
	int fd;
};

SIM_CHIP_VARIANTS(chip);

#define BITRATE		125000

FIXTURE_SETUP(chip)
{
	self->chip = variant->chip;
	sim_open_chip(_metadata, "", variant->chip->kind, self->path);
}

SIM_TEARDOWN(chip)

/* Without values there is no generator. */
static int add_generator(const char *name, const char *values)
{
	char path[64];

	if (!values)
		return 0;
	snprintf(path, sizeof(path), BUS "/generator.%s", name);
	return sim_bus_add(path) ?:
	       sim_set_all(path, "bitrate=%u %s", BITRATE, values);
}

/* Generators with these values, then the bus and the interface */
static int begin(FIXTURE_DATA(chip) *self, const char *tx, const char *rx,
		 unsigned int bitrate, const char *options)
{
	self->fd = add_generator("tx", tx) ?: add_generator("rx", rx) ?:
		   sim_start(bitrate, options, CAN_ERR_MASK, true);
	return self->fd < 0 ? self->fd : 0;
}

/* After a restart it takes a while until frames are taken again. */
static int send_frame(FIXTURE_DATA(chip) *self, canid_t id)
{
	struct can_frame frame;
	int ms, err = -ENOBUFS;

	ct_frame(&frame, id, 2, NULL);
	for (ms = 0; ms < CT_TIMEOUT_MS && err == -ENOBUFS; ms++) {
		err = ct_send(self->fd, &frame, sizeof(frame));
		if (err)
			usleep(1000);
	}
	return err;
}

/* A frame is sent, and its echo received. */
static int send_one(FIXTURE_DATA(chip) *self, canid_t id)
{
	struct can_frame frame;
	int err = send_frame(self, id);

	while (!err) {
		if (ct_recv(self->fd, &frame, sizeof(frame), CT_TIMEOUT_MS) < 0)
			err = -ETIMEDOUT;
		else if (frame.can_id == id)
			break;
	}
	return err;
}

/* An error frame reports this about the controller. */
static int await_error(FIXTURE_DATA(chip) *self, canid_t class, int data1)
{
	struct can_frame frame;

	for (;;) {
		if (ct_recv(self->fd, &frame, sizeof(frame), CT_TIMEOUT_MS) < 0)
			return -ETIMEDOUT;
		if (frame.can_id & CAN_ERR_FLAG && frame.can_id & class &&
		    (frame.data[1] & data1) == data1)
			return 0;
	}
}

static void expect_counters(struct __test_metadata *_metadata,
			    const FIXTURE_DATA(chip) *self, int tec, int rec)
{
	struct sim_link link;

	expect_numbers(_metadata, self->path, "tec=%d rec=%d", tec, rec);
	if (!self->chip->counters)
		return;
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ(tec, link.errors.txerr);
	EXPECT_EQ(rec, link.errors.rxerr);
}

/* Frames received by a node that only listens while no node acknowledges: the error
 * flags of the first sixteen tries destroy the frame. When the transmitter is error
 * passive, no bit after the checksum is dominant, and each frame is complete.
 */
static void expect_heard(struct __test_metadata *_metadata, const char *path)
{
	int64_t before = sim_number(BUS, "error_frames");
	int64_t heard = sim_number(path, "received");

	EXPECT_LE(before - 16, heard);
	EXPECT_GE(sim_number(BUS, "error_frames") - 16, heard);
}

TEST_F_TIMEOUT(chip, alone_it_stays_error_passive, LONG_TEST)
{
	char node[32];

	/* of its own kind, and not up yet */
	snprintf(node, sizeof(node), "%s.simif1", variant->chip->kind);
	ASSERT_EQ(0, sim_node_add(BUS, node));
	ASSERT_EQ(0, add_generator("listener", "listen_only=1"));
	ASSERT_EQ(0, begin(self, NULL, NULL, BITRATE, "restart-ms 0"));
	ASSERT_EQ(0, send_frame(self, 0x123));
	ASSERT_EQ(0, sim_await_above(BUS, "error_frames", 40));
	EXPECT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_PASSIVE));
	expect_counters(_metadata, self, 128, 0);
	EXPECT_TRUE(sim_is(self->path, "state", "passive"));
	EXPECT_EQ(0, sim_number(self->path, "sent"));
	EXPECT_EQ(0, sim_number(BUS, "frames"));
	EXPECT_EQ(0, sim_number(BUS "/generator.listener", "rec"));
	expect_heard(_metadata, BUS "/generator.listener");
	EXPECT_EQ(0, await_error(self, CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE));

	/* a node that acknowledges comes up */
	ASSERT_EQ(0, sim_link_up("simif1", BITRATE, ""));
	ASSERT_EQ(0, sim_await(self->path, "sent", 1));
	EXPECT_EQ(127, sim_number(self->path, "tec"));
	EXPECT_TRUE(sim_is(self->path, "state", "active"));
}

/* The transmitter's states, one after the other */
static void go_bus_off(struct __test_metadata *_metadata,
		       FIXTURE_DATA(chip) *self)
{
	/* 13 * 8 - 1 */
	ASSERT_EQ(0, inject(BUS, "bit", 13));
	ASSERT_EQ(0, send_one(self, 0x123));
	EXPECT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_WARNING));
	expect_counters(_metadata, self, 103, 0);

	/* 103 + 4 * 8 - 1 */
	ASSERT_EQ(0, inject(BUS, "bit", 4));
	ASSERT_EQ(0, send_one(self, 0x124));
	EXPECT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_PASSIVE));
	expect_counters(_metadata, self, 134, 0);
	EXPECT_TRUE(sim_is(self->path, "state", "passive"));
	EXPECT_EQ(17, sim_number(BUS, "error_frames"));

	/* 134 + 16 * 8 */
	ASSERT_EQ(0, sim_set_all(BUS, "inject_ppm=1000000"));
	ASSERT_EQ(0, send_frame(self, 0x125));
}

TEST_F_TIMEOUT(chip, warning_passive_bus_off_and_restart_by_hand, LONG_TEST)
{
	struct sim_link link;
	int sent;

	ASSERT_EQ(0, begin(self, "id=300", "", BITRATE, "restart-ms 0"));
	go_bus_off(_metadata, self);
	ASSERT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_BUS_OFF));
	EXPECT_EQ(17 + 16, sim_number(BUS, "error_frames"));
	ASSERT_EQ(0, inject(BUS, "none", 0));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ(1U, link.events.error_warning);
	EXPECT_EQ(1U, link.events.error_passive);
	EXPECT_EQ(1U, link.events.bus_off);

	/* it is silent, while others go on */
	ASSERT_EQ(0, sim_generate(TX, "count=200"));
	sent = 2 + variant->chip->finishes;
	expect_numbers(_metadata, self->path, "sent=%d received=0", sent);
	expect_numbers(_metadata, BUS, "frames=%d error_frames=%d", sent + 200,
		       17 + 16);
	EXPECT_EQ(CAN_STATE_BUS_OFF, sim_link_state(CHIP_IF));

	ASSERT_EQ(0, sim_link_restart(CHIP_IF));
	ASSERT_EQ(0, send_one(self, 0x126));
	EXPECT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_ACTIVE));
	expect_counters(_metadata, self, 0, 0);
	EXPECT_TRUE(sim_is(self->path, "state", "active"));
	ASSERT_EQ(0, sim_generate(TX, "count=1"));
	EXPECT_EQ(1, sim_number(self->path, "received"));
}

/* The same as error frames, in their order */
TEST_F_TIMEOUT(chip, warning_passive_bus_off_and_restart_by_itself, LONG_TEST)
{
	int fd;

	ASSERT_EQ(0, begin(self, NULL, "", BITRATE, "restart-ms 100"));
	fd = CT_OK(sim_socket(CHIP_IF, CAN_ERR_MASK, false));
	go_bus_off(_metadata, self);
	close(self->fd);
	self->fd = fd;
	EXPECT_EQ(0, await_error(self, CAN_ERR_CRTL, CAN_ERR_CRTL_TX_WARNING));
	EXPECT_EQ(0, await_error(self, CAN_ERR_CRTL, CAN_ERR_CRTL_TX_PASSIVE));
	EXPECT_EQ(0, await_error(self, CAN_ERR_BUSOFF, 0));
	ASSERT_EQ(0, inject(BUS, "none", 0));

	ASSERT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_ACTIVE));
	ASSERT_EQ(0, sim_link_await_carrier(CHIP_IF));
	ASSERT_EQ(0, ct_raw_set(fd, CAN_RAW_RECV_OWN_MSGS, 1));
	ASSERT_EQ(0, send_one(self, 0x126));
	expect_counters(_metadata, self, 0, 0);
}

/* The controller may change its state while the driver handles the change before.
 * An access takes longer each time, so that this happens in each part of the handler.
 */
TEST_F_TIMEOUT(chip, reports_bus_off_soon_after_another_state, LONG_TEST)
{
	const char *cost = variant->chip->spi ? "spi_overhead_ns" : "access_ns";
	int most = variant->chip->spi ? 1500000 : 100000, step = most / 15, ns;
	char text[16];

	if (ct_baseline() && variant->chip->spi)
		SKIP(return, "it does not report it");
	ASSERT_EQ(0, add_generator("rx", ""));
	for (ns = step; ns <= most; ns += step) {
		snprintf(text, sizeof(text), "%d", ns);
		ASSERT_EQ(0, sim_set(self->path, cost, text));
		ASSERT_EQ(0, sim_set_all(BUS, "inject_type=bit inject_bit=-1 inject_ppm=1000000"));
		self->fd = CT_OK(sim_start(BITRATE, "restart-ms 0",
					   CAN_ERR_MASK, true));
		ASSERT_EQ(0, send_frame(self, 0x125));
		ASSERT_EQ(0, await_error(self, CAN_ERR_BUSOFF, 0))
			TH_LOG("%s %d", cost, ns);
		close(self->fd);
		self->fd = -1;
		ASSERT_EQ(0, sim_live(BUS, false));
	}
}

/* Frames that a controller or its driver still had to send are not sent later, and
 * it receives as before.
 */
static void expect_discarded(struct __test_metadata *_metadata,
			     FIXTURE_DATA(chip) *self)
{
	int received = sim_number(self->path, "received");

	ASSERT_EQ(0, send_one(self, 0x126));
	EXPECT_EQ(1, sim_number(self->path, "sent"));
	ASSERT_EQ(0, sim_generate(TX, "id=300 count=10"));
	ASSERT_EQ(0, sim_generate(TX, "id=1FFFFFFF count=10"));
	EXPECT_EQ(received + 20, sim_number(self->path, "received"));
}

TEST_F_TIMEOUT(chip, waiting_frames_are_discarded_at_bus_off, LONG_TEST)
{
	struct sim_link link;

	if (variant->chip->finishes || variant->chip == &sim_mpc5121 ||
	    ct_baseline())
		SKIP(return, "it is sent after the restart");
	ASSERT_EQ(0, begin(self, "", "", BITRATE, "restart-ms 0"));
	ASSERT_EQ(0, sim_set_all(BUS, "inject_type=bit inject_bit=-1 inject_ppm=1000000"));
	ASSERT_EQ(0, send_frame(self, 0x123));
	ASSERT_EQ(0, send_frame(self, 0x124));
	ASSERT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_BUS_OFF));
	ASSERT_EQ(0, inject(BUS, "none", 0));
	/* the queue of the interface is emptied before */
	ASSERT_EQ(0, sim_generate(TX, "id=300 count=1"));
	ASSERT_EQ(0, sim_link_restart(CHIP_IF));
	expect_discarded(_metadata, self);
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ(1U, link.stats.tx_packets);
	EXPECT_EQ(2U, link.stats.tx_dropped);
}

TEST_F_TIMEOUT(chip, waiting_frames_are_discarded_when_it_goes_down, LONG_TEST)
{
	struct sim_link link;
	int i;

	ASSERT_EQ(0, begin(self, "id=000", "", BITRATE, ""));
	ASSERT_EQ(0, sim_run(TX, true));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, send_frame(self, 0x121 + i));
	ASSERT_EQ(0, sim_await_above(self->path, "lost_arbitration", 0));
	ASSERT_EQ(0, sim_link_down(CHIP_IF));
	ASSERT_EQ(0, sim_run(TX, false));
	ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
	/* the old one has a pending error */
	close(self->fd);
	self->fd = CT_OK(sim_socket(CHIP_IF, 0, true));
	expect_discarded(_metadata, self);
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ(1U, link.stats.tx_packets);
}

/* A controller that went to error warning is active again when frames go well. */
TEST_F_TIMEOUT(chip, comes_back_from_warning, LONG_TEST)
{
	int i;

	ASSERT_EQ(0, begin(self, NULL, "", BITRATE, ""));
	ASSERT_EQ(0, inject(BUS, "bit", 13));
	ASSERT_EQ(0, send_one(self, 0x123));
	ASSERT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_WARNING));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, send_one(self, 0x124));
	EXPECT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_ACTIVE));
	expect_counters(_metadata, self, 93, 0);
}

/* As receiver: eleven errors and a frame, 11 * 9 - 1 */
TEST_F_TIMEOUT(chip, receiver_warns, LONG_TEST)
{
	ASSERT_EQ(0, begin(self, "id=300", NULL, BITRATE, ""));
	ASSERT_EQ(0, inject(BUS, "form", 11));
	ASSERT_EQ(0, sim_generate(TX, "count=1"));
	EXPECT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_WARNING));
	expect_counters(_metadata, self, 0, 98);
	EXPECT_EQ(0, await_error(self, CAN_ERR_CRTL, CAN_ERR_CRTL_RX_WARNING));
}

/* A frame that is not acknowledged is not valid. */
TEST_F_TIMEOUT(chip, listening_it_does_not_acknowledge, LONG_TEST)
{
	ASSERT_EQ(0, begin(self, "id=300 count=1", NULL, BITRATE,
			   "listen-only on"));
	ASSERT_EQ(0, sim_run(TX, true));
	ASSERT_EQ(0, sim_await_above(BUS, "error_frames", 40));
	EXPECT_EQ(0, sim_number(BUS, "frames"));
	EXPECT_EQ(128, sim_number(TX, "tec"));
	expect_heard(_metadata, self->path);
	EXPECT_EQ(CAN_STATE_ERROR_ACTIVE, sim_link_state(CHIP_IF));
	expect_counters(_metadata, self, 0, 0);
}

TEST_F_TIMEOUT(chip, listening_it_receives_and_does_not_send, LONG_TEST)
{
	struct can_frame frame;
	int i;

	ASSERT_EQ(0, begin(self, "id=300 id_mode=increment", "", BITRATE,
			   "listen-only on"));
	ct_frame(&frame, 0x123, 8, NULL);
	ct_send(self->fd, &frame, sizeof(frame));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, sim_generate(TX, "id=%03X count=1", 0x300 + i));
		do {
			ASSERT_LT(0, ct_recv(self->fd, &frame, sizeof(frame),
					     CT_TIMEOUT_MS));
		} while (frame.can_id & CAN_ERR_FLAG);
		EXPECT_EQ(0x300 + i, (int)frame.can_id);
	}
	expect_numbers(_metadata, BUS, "frames=20 error_frames=0");
	EXPECT_EQ(0, sim_number(self->path, "sent"));
}

TEST_F_TIMEOUT(chip, listening_at_another_bit_rate_it_does_not_disturb, LONG_TEST)
{
	ASSERT_EQ(0, begin(self, "id=300", "", 2 * BITRATE, "listen-only on"));
	ASSERT_EQ(0, sim_generate(TX, "count=50"));
	expect_numbers(_metadata, BUS, "frames=50 error_frames=0");
	EXPECT_EQ(0, sim_number(self->path, "received"));
	EXPECT_EQ(0, sim_number(TX, "tec"));
	EXPECT_EQ(0, sim_number(RX, "rec"));
}

/* It is the first node to see errors that others do not see, and counts nine each
 * time (rules a and b), so 15 errors make it error passive. The transmitter has
 * counted 15 times eight (rule c) and is not.
 */
static void disturb(struct __test_metadata *_metadata,
		    FIXTURE_DATA(chip) *self, unsigned int bitrate)
{
	ASSERT_EQ(0, begin(self, "id=300", "", bitrate, ""));
	ASSERT_EQ(0, sim_generate(TX, "count=1"));
	EXPECT_EQ(15, sim_number(BUS, "error_frames"));
	EXPECT_EQ(15 * 8 - 1, sim_number(TX, "tec"));
	EXPECT_TRUE(sim_is(self->path, "state", "passive"));
	EXPECT_LE(PASSIVE, sim_number(self->path, "rec"));

	ASSERT_EQ(0, sim_generate(TX, "count=200"));
	expect_numbers(_metadata, BUS, "frames=201 error_frames=15");
	EXPECT_EQ(201, sim_number(RX, "received"));
	EXPECT_EQ(0, sim_number(self->path, "received"));
	EXPECT_EQ(0, sim_number(TX, "tec"));
	EXPECT_EQ(0, sim_link_await(CHIP_IF, CAN_STATE_ERROR_PASSIVE));
	EXPECT_EQ(0, await_error(self, CAN_ERR_CRTL, CAN_ERR_CRTL_RX_PASSIVE));
}

TEST_F_TIMEOUT(chip, too_fast_it_disturbs_until_it_is_passive, LONG_TEST)
{
	disturb(_metadata, self, 2 * BITRATE);
}

TEST_F_TIMEOUT(chip, too_slow_it_disturbs_until_it_is_passive, LONG_TEST)
{
	disturb(_metadata, self, BITRATE / 2);
}

TEST_F_TIMEOUT(chip, one_shot_frames_are_tried_once, LONG_TEST)
{
	struct sim_link link;

	if (!variant->chip->one_shot)
		SKIP(return, "its driver cannot");
	ASSERT_EQ(0, begin(self, NULL, "", BITRATE, "one-shot on"));
	ASSERT_EQ(0, inject(BUS, "bit", 1));
	ASSERT_EQ(0, send_frame(self, 0x123));
	ASSERT_EQ(0, sim_await(BUS, "error_frames", 1));
	ASSERT_EQ(0, send_one(self, 0x124));
	expect_numbers(_metadata, BUS, "frames=1 error_frames=1");
	EXPECT_EQ(1, sim_number(self->path, "sent"));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ(1U, link.stats.tx_errors);
	EXPECT_EQ(1U, link.stats.tx_packets);
	expect_counters(_metadata, self, 7, 0);
}

/* When the last one takes the controller off the bus, others wait in the queues. In the reset mode
 * of an SJA1000, its acceptance filter is in the place of its transmit buffer.
 */
TEST_F_TIMEOUT(chip, one_shot_frames_end_in_bus_off, LONG_TEST)
{
	struct can_frame frame;

	if (!variant->chip->one_shot)
		SKIP(return, "its driver cannot");
	ASSERT_EQ(0, begin(self, "", "", BITRATE, "restart-ms 0 one-shot on"));
	ASSERT_EQ(0, sim_set_all(BUS, "inject_type=bit inject_bit=-1 inject_ppm=1000000"));
	ct_frame(&frame, 0x123, 2, NULL);
	while (sim_link_state(CHIP_IF) != CAN_STATE_BUS_OFF)
		ct_send(self->fd, &frame, sizeof(frame));
	ASSERT_EQ(0, inject(BUS, "none", 0));
	/* each adds 8 to the counter */
	expect_numbers(_metadata, BUS, "frames=0 error_frames=32");
	/* the queue of the interface is emptied before */
	ASSERT_EQ(0, sim_generate(TX, "id=300 count=1"));
	ASSERT_EQ(0, sim_link_restart(CHIP_IF));
	expect_discarded(_metadata, self);
}

/* It loses against a jam, once. */
TEST_F_TIMEOUT(chip, one_shot_frames_lose_arbitration_once, LONG_TEST)
{
	struct sim_link link;

	if (!variant->chip->one_shot)
		SKIP(return, "its driver cannot");
	ASSERT_EQ(0, begin(self, "id=000", "", BITRATE, "one-shot on"));
	ASSERT_EQ(0, sim_run(TX, true));
	ASSERT_EQ(0, send_frame(self, 0x123));
	ASSERT_EQ(0, sim_await_above(self->path, "lost_arbitration", 0));
	ASSERT_EQ(0, sim_run(TX, false));
	ASSERT_EQ(0, send_one(self, 0x124));
	expect_numbers(_metadata, self->path, "lost_arbitration=1 sent=1");
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ(1U, link.stats.tx_errors);
	EXPECT_EQ(1U, link.stats.tx_packets);
}

TEST_F_TIMEOUT(chip, presumes_an_acknowledgement, LONG_TEST)
{
	if (!variant->chip->presume_ack)
		SKIP(return, "its driver cannot");
	ASSERT_EQ(0, add_generator("listener", "listen_only=1"));
	ASSERT_EQ(0, begin(self, NULL, NULL, BITRATE, "presume-ack on"));
	ASSERT_EQ(0, send_one(self, 0x123));
	ASSERT_EQ(0, send_one(self, 0x124));
	expect_numbers(_metadata, BUS, "frames=2 error_frames=0");
	EXPECT_EQ(2, sim_number(BUS "/generator.listener", "received"));
	expect_counters(_metadata, self, 0, 0);
}

/* Errors one by one, and how the driver reports them */
struct report {
	const char *type;
	char field;
	int number;
	uint8_t what;
	uint8_t where;
};

/* An error in the next frame that is sent, which has to be 123#1122 */
static int inject_at(const struct report *report)
{
	struct can_frame frame;
	struct sim_wire wire;
	int bit = -1;

	ct_frame(&frame, 0x123, 2, NULL);
	sim_wire(&frame, &wire);
	if (report->field)
		bit = sim_wire_find(&wire, report->field, report->number);
	return inject(BUS, report->type, 1) ?:
	       sim_set_all(BUS, "inject_bit=%d", bit);
}

static void expect_report(struct __test_metadata *_metadata,
			  FIXTURE_DATA(chip) *self, const struct report *report,
			  uint8_t direction)
{
	struct can_frame frame;

	do {
		ASSERT_LT(0, ct_recv(self->fd, &frame, sizeof(frame),
				     CT_TIMEOUT_MS));
	} while (!(frame.can_id & CAN_ERR_FLAG) ||
		 !(frame.can_id & CAN_ERR_BUSERROR));
	EXPECT_TRUE(!!(frame.can_id & CAN_ERR_PROT));
	EXPECT_EQ(report->what | direction, frame.data[2])
		TH_LOG("%s at %c%d", report->type, report->field,
		       report->number);
	if (report->where)
		EXPECT_EQ(report->where, frame.data[3])
			TH_LOG("%s at %c%d", report->type, report->field,
			       report->number);
}

TEST_F_TIMEOUT(chip, as_transmitter_it_reports_bus_errors, LONG_TEST)
{
	static const struct report reports[] = {
		{ "bit", '0', 0, CAN_ERR_PROT_BIT, CAN_ERR_PROT_LOC_RES0 },
		{ "bit", 'L', 1, CAN_ERR_PROT_BIT, CAN_ERR_PROT_LOC_DLC },
		{ "bit", 'D', 0, CAN_ERR_PROT_BIT, CAN_ERR_PROT_LOC_DATA },
		{ "bit", 'D', 15, CAN_ERR_PROT_BIT, CAN_ERR_PROT_LOC_DATA },
		{ "bit", 'C', 3, CAN_ERR_PROT_BIT, CAN_ERR_PROT_LOC_CRC_SEQ },
		/* neither bit nor form nor stuff error */
		{ "ack", 0, 0, 0, CAN_ERR_PROT_LOC_ACK },
	};
	unsigned int i;

	if (!variant->chip->bus_errors)
		SKIP(return, "its driver does not tell");
	ASSERT_EQ(0, begin(self, NULL, "", BITRATE, "berr-reporting on"));
	for (i = 0; i < ARRAY_SIZE(reports); i++) {
		ASSERT_EQ(0, inject_at(&reports[i]));
		ASSERT_EQ(0, send_frame(self, 0x123));
		expect_report(_metadata, self, &reports[i], CAN_ERR_PROT_TX);
		ASSERT_EQ(0, sim_await(self->path, "sent", i + 1));
	}
}

TEST_F_TIMEOUT(chip, as_receiver_it_reports_bus_errors, LONG_TEST)
{
	static const struct report reports[] = {
		{ "stuff", 0, 0, CAN_ERR_PROT_STUFF, 0 },
		{ "form", 'c', 0, CAN_ERR_PROT_FORM, CAN_ERR_PROT_LOC_CRC_DEL },
		{ "form", 'F', 2, CAN_ERR_PROT_FORM, CAN_ERR_PROT_LOC_EOF },
		/* the transmitter's flag, in the ACK delimiter */
		{ "ack", 0, 0, CAN_ERR_PROT_FORM, CAN_ERR_PROT_LOC_ACK_DEL },
	};
	unsigned int i;

	if (!variant->chip->bus_errors)
		SKIP(return, "its driver does not tell");
	ASSERT_EQ(0, begin(self, "id=123 dlc=2 data=1122", "", BITRATE,
			   "berr-reporting on"));
	for (i = 0; i < ARRAY_SIZE(reports); i++) {
		ASSERT_EQ(0, inject_at(&reports[i]));
		ASSERT_EQ(0, sim_generate(TX, "count=1"));
		expect_report(_metadata, self, &reports[i], 0);
	}
}

TEST_HARNESS_MAIN
