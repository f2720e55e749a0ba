// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of frames on the wire: results of wire.c are compared with frames
 * of real controllers, and with text that is built bit by bit.
 */
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/can.h>
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "wire.h"

#define FRAMES 200000
#define PAIRS 100000

/* x^15 + x^14 + x^10 + x^8 + x^7 + x^4 + x^3 + 1 */
#define DIVISOR "1100010110011001"
#define CRC_WIDTH 15

/**
 * struct text - a frame as text
 * @level: '0' and '1', dominant and recessive
 * @segment: of each bit
 * @stuff: whether each bit is a stuff bit
 * @length: number of bits
 * @arbitration: number of bits up to the end of arbitration
 * @stuffed: number of bits before the CRC delimiter
 */
struct text {
	char level[2 * CAN_SIM_MOST_BITS];
	u8 segment[2 * CAN_SIM_MOST_BITS];
	bool stuff[2 * CAN_SIM_MOST_BITS];
	unsigned int length;
	unsigned int arbitration;
	unsigned int stuffed;
};

struct wire_test {
	struct rnd_state rnd;
	struct text raw;
	struct text wire;
	struct can_sim_bits bits;
	struct can_sim_bits other;
};

static int wire_test_init(struct kunit *test)
{
	struct wire_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	prandom_seed_state(&t->rnd, 1);
	test->priv = t;
	return 0;
}

static u32 wire_below(struct wire_test *t, u32 limit)
{
	return prandom_u32_state(&t->rnd) % limit;
}

/* Frames as text */

static void wire_write_bit(struct text *text, char level, u8 segment,
			   bool stuff)
{
	text->level[text->length] = level;
	text->segment[text->length] = segment;
	text->stuff[text->length] = stuff;
	text->length++;
}

static void wire_write_field(struct text *text, u8 segment, u32 value,
			     int width)
{
	int i;

	for (i = 0; i < width; i++)
		wire_write_bit(text,
			       value & (1U << (width - 1 - i)) ? '1' : '0',
			       segment, false);
}

static void wire_write_standard(struct text *text,
				const struct can_sim_frame *frame)
{
	u32 id = frame->id & 0x7ff;

	wire_write_field(text, CAN_SIM_SEG_SOF, 0, 1);
	wire_write_field(text, CAN_SIM_SEG_ID28_21, id / 8, 8);
	wire_write_field(text, CAN_SIM_SEG_ID20_18, id % 8, 3);
	wire_write_field(text, CAN_SIM_SEG_SRTR,
			 frame->id & CAN_RTR_FLAG ? 1 : 0, 1);
	wire_write_field(text, CAN_SIM_SEG_IDE, 0, 1);
	text->arbitration = text->length;
	wire_write_field(text, CAN_SIM_SEG_R0, 0, 1);
	wire_write_field(text, CAN_SIM_SEG_DLC, frame->dlc, 4);
}

static void wire_write_extended(struct text *text,
				const struct can_sim_frame *frame)
{
	u32 id = frame->id & 0x1fffffff;

	wire_write_field(text, CAN_SIM_SEG_SOF, 0, 1);
	wire_write_field(text, CAN_SIM_SEG_ID28_21, id / 0x200000, 8);
	wire_write_field(text, CAN_SIM_SEG_ID20_18, id / 0x40000 % 8, 3);
	wire_write_field(text, CAN_SIM_SEG_SRTR, 1, 1);
	wire_write_field(text, CAN_SIM_SEG_IDE, 1, 1);
	wire_write_field(text, CAN_SIM_SEG_ID17_13, id / 0x2000 % 32, 5);
	wire_write_field(text, CAN_SIM_SEG_ID12_5, id / 32 % 256, 8);
	wire_write_field(text, CAN_SIM_SEG_ID4_0, id % 32, 5);
	wire_write_field(text, CAN_SIM_SEG_RTR,
			 frame->id & CAN_RTR_FLAG ? 1 : 0, 1);
	text->arbitration = text->length;
	wire_write_field(text, CAN_SIM_SEG_R1, 0, 1);
	wire_write_field(text, CAN_SIM_SEG_R0, 0, 1);
	wire_write_field(text, CAN_SIM_SEG_DLC, frame->dlc, 4);
}

/* Polynomial long division */
static void wire_write_remainder(const char *level, unsigned int length,
				 char *rest)
{
	char work[2 * CAN_SIM_MOST_BITS];
	unsigned int i, j;

	memcpy(work, level, length);
	memset(work + length, '0', CRC_WIDTH);
	for (i = 0; i < length; i++) {
		if (work[i] == '0')
			continue;
		for (j = 0; j <= CRC_WIDTH; j++)
			work[i + j] = work[i + j] == DIVISOR[j] ? '0' : '1';
	}
	memcpy(rest, work + length, CRC_WIDTH);
}

static void wire_write_raw(struct text *text, const struct can_sim_frame *frame)
{
	char rest[CRC_WIDTH];
	int i;

	memset(text, 0, sizeof(*text));
	if (frame->id & CAN_EFF_FLAG)
		wire_write_extended(text, frame);
	else
		wire_write_standard(text, frame);
	if (!(frame->id & CAN_RTR_FLAG))
		for (i = 0; i < 8 && i < frame->dlc; i++)
			wire_write_field(text, CAN_SIM_SEG_DATA, frame->data[i],
					 8);
	wire_write_remainder(text->level, text->length, rest);
	for (i = 0; i < CRC_WIDTH; i++)
		wire_write_bit(text, rest[i], CAN_SIM_SEG_CRC, false);
}

static bool wire_ends_with(const struct text *text, const char *five)
{
	return text->length >= 5 &&
	       !memcmp(text->level + text->length - 5, five, 5);
}

static void wire_write_wire(struct text *text, const struct text *raw)
{
	unsigned int i;

	memset(text, 0, sizeof(*text));
	for (i = 0; i < raw->length; i++) {
		wire_write_bit(text, raw->level[i], raw->segment[i], false);
		if (wire_ends_with(text, "00000"))
			wire_write_bit(text, '1', raw->segment[i], true);
		else if (wire_ends_with(text, "11111"))
			wire_write_bit(text, '0', raw->segment[i], true);
		if (i + 1 == raw->arbitration)
			text->arbitration = text->length;
	}
	text->stuffed = text->length;
	wire_write_field(text, CAN_SIM_SEG_CRC_DELIM, 1, 1);
	wire_write_field(text, CAN_SIM_SEG_ACK_SLOT, 1, 1);
	wire_write_field(text, CAN_SIM_SEG_ACK_DELIM, 1, 1);
	wire_write_field(text, CAN_SIM_SEG_EOF, 0x7f, 7);
}

static u16 wire_text_to_number(const char *level, unsigned int width)
{
	u16 number = 0;

	while (width--)
		number = 2 * number + (*level++ == '1');
	return number;
}

/* Comparison */

static bool wire_same_bits(const struct text *wire,
			   const struct can_sim_bits *bits)
{
	unsigned int i;

	for (i = 0; i < wire->length; i++)
		if (bits->level[i] != (wire->level[i] == '1') ||
		    bits->segment[i] != wire->segment[i] ||
		    bits->stuff[i] != wire->stuff[i])
			return false;
	return true;
}

/* Compare all results for a frame. */
static bool wire_check_frame(struct kunit *test,
			     const struct can_sim_frame *frame)
{
	struct wire_test *t = test->priv;
	const struct text *wire = &t->wire;
	bool good;
	u16 crc;

	wire_write_raw(&t->raw, frame);
	wire_write_wire(&t->wire, &t->raw);
	crc = wire_text_to_number(t->raw.level + t->raw.length - CRC_WIDTH,
				  CRC_WIDTH);
	can_sim_wire_expand(frame, &t->bits);

	good = can_sim_wire_length(frame) == wire->length &&
	       can_sim_wire_arbitration(frame) == wire->arbitration &&
	       t->bits.length == wire->length && t->bits.crc == crc &&
	       t->bits.stuffed == wire->stuffed &&
	       t->bits.unstuffed == t->raw.length &&
	       t->bits.arbitration == wire->arbitration &&
	       wire_same_bits(wire, &t->bits);
	KUNIT_EXPECT_TRUE_MSG(test, good,
			      "id 0x%x dlc %u data %*ph: length %u %u, not %u",
			      frame->id, frame->dlc, 8, frame->data,
			      can_sim_wire_length(frame), t->bits.length,
			      wire->length);
	return good;
}

/* Random frames, often with long runs of equal bits */
static void wire_random_data(struct wire_test *t, struct can_sim_frame *frame)
{
	static const u8 runs[] = { 0x00, 0xff, 0x0f, 0xf0, 0x07, 0xf8, 0x3c, 0x83 };
	bool any = wire_below(t, 2);
	int i;

	for (i = 0; i < 8; i++)
		frame->data[i] = any ? wire_below(t, 256) :
				       runs[wire_below(t, ARRAY_SIZE(runs))];
}

static void wire_random_frame(struct wire_test *t, struct can_sim_frame *frame)
{
	frame->id = wire_below(t, 2) ? CAN_EFF_FLAG | wire_below(t, CAN_EFF_MASK + 1) :
				  wire_below(t, CAN_SFF_MASK + 1);
	if (!wire_below(t, 8))
		frame->id |= CAN_RTR_FLAG;
	frame->dlc = wire_below(t, 16);
	wire_random_data(t, frame);
}

/* A test of the test: the check value of CRC-15/CAN in catalogues of checksums,
 * for the text "123456789"
 */
static void wire_reference_crc(struct kunit *test)
{
	struct wire_test *t = test->priv;
	char rest[CRC_WIDTH];
	const char *c;

	for (c = "123456789"; *c; c++)
		wire_write_field(&t->raw, CAN_SIM_SEG_DATA, *c, 8);
	wire_write_remainder(t->raw.level, t->raw.length, rest);
	KUNIT_EXPECT_EQ(test, wire_text_to_number(rest, CRC_WIDTH), 0x059e);
}

/**
 * struct known_frame - a frame from a logic analyser
 * @frame: that was sent
 * @crc: its checksum
 * @length: in bits, 0 if it is not known
 */
struct known_frame {
	struct can_sim_frame frame;
	u16 crc;
	unsigned int length;
};

#define EXTENDED(id) ((id) | CAN_EFF_FLAG)

/* Extended frames of diving equipment, sent by other controllers and
 * acknowledged (captures in the documentation of github.com/QuickRecon/DiveCAN;
 * 24 samples for each bit); standard ones that were decoded by the CAN decoder
 * of sigrok.
 */
static const struct known_frame known_frames[] = {
	{ { EXTENDED(0xd080001), 5, { 0x03, 0xf5, 0x03, 0xf6, 0x01 } },
	  0x6b89, 112 },
	{ { EXTENDED(0xdc90001), 1, { 0x13 } }, 0x5587, 76 },
	{ { EXTENDED(0xd040004), 4, { 0x00, 0x3a, 0x42, 0x43 } }, 0x20e8 },
	{ { EXTENDED(0xd110004), 7,
	    { 0x04, 0x70, 0x04, 0x38, 0x04, 0x6f, 0x00 } }, 0x25df },
	{ { EXTENDED(0xdca0004), 2, { 0x07, 0x26 } }, 0x5205 },
	{ { EXTENDED(0xd000001), 3, { 0x01, 0x00, 0x84 } }, 0x673a },
	{ { EXTENDED(0xd120004), 8,
	    { 0x05, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0x00 } }, 0x18bf },
	{ { EXTENDED(0xdd20003), 8,
	    { 0x43, 0x41, 0x30, 0x30, 0x31, 0x36, 0x38, 0x33 } }, 0x64d4 },
	{ { 0x123, 2, { 0xde, 0xad } }, 0x0b6e },
	{ { 0x555, 8, { 0x00, 0xff, 0x55, 0xaa, 0x01, 0x80, 0x7f, 0xfe } },
	  0x7480 },
};

static void wire_known_frames(struct kunit *test)
{
	struct wire_test *t = test->priv;
	const struct known_frame *known;

	for (known = known_frames;
	     known < known_frames + ARRAY_SIZE(known_frames); known++) {
		wire_check_frame(test, &known->frame);
		KUNIT_EXPECT_EQ(test, t->bits.crc, known->crc);
		if (known->length)
			KUNIT_EXPECT_EQ(test, t->bits.length, known->length);
	}
}

/* 34 dominant bits: the checksum of zeros is zero, and a recessive stuff bit
 * after each fifth bit begins the next run.
 */
static void wire_frame_of_zeros(struct kunit *test)
{
	const struct can_sim_frame zero = {};
	struct wire_test *t = test->priv;
	unsigned int i, level;

	wire_check_frame(test, &zero);
	KUNIT_EXPECT_EQ(test, t->bits.stuffed, 34 + 6);
	KUNIT_EXPECT_EQ(test, t->bits.length, 34 + 6 + 10);
	for (i = 0; i < t->bits.length; i++) {
		level = i >= t->bits.stuffed || i % 6 == 5;
		KUNIT_EXPECT_EQ(test, t->bits.level[i], level);
	}
	KUNIT_EXPECT_EQ(test, t->bits.crc, 0);
}

static void wire_random_frames(struct kunit *test)
{
	struct can_sim_frame frame;
	unsigned int i;

	for (i = 0; i < FRAMES; i++) {
		wire_random_frame(test->priv, &frame);
		if (!wire_check_frame(test, &frame))
			break;
	}
}

static void wire_check_all_lengths(struct kunit *test, u32 id)
{
	static const u8 fill[] = { 0x00, 0xff, 0x55, 0x0f, 0xc1 };
	struct can_sim_frame frame;
	unsigned int i;

	for (i = 0; i < 16 * ARRAY_SIZE(fill); i++) {
		frame.id = id;
		frame.dlc = i % 16;
		memset(frame.data, fill[i / 16], 8);
		wire_check_frame(test, &frame);
		frame.id |= CAN_RTR_FLAG;
		wire_check_frame(test, &frame);
	}
}

/* A walking one, a walking zero, growing runs, and regular patterns */
static void wire_patterns(struct kunit *test)
{
	u32 walking;
	int i;

	for (i = 0; i < 29; i++) {
		walking = 1U << i;
		wire_check_all_lengths(test, EXTENDED(walking));
		wire_check_all_lengths(test, EXTENDED(CAN_EFF_MASK & ~walking));
		wire_check_all_lengths(test, EXTENDED(walking - 1));
		wire_check_all_lengths(test, EXTENDED(0x15555555 >> i));
		wire_check_all_lengths(test, EXTENDED(0x1f07c1f0 >> i));
		wire_check_all_lengths(test, walking & CAN_SFF_MASK);
		wire_check_all_lengths(test, ~walking & CAN_SFF_MASK);
		wire_check_all_lengths(test, (walking - 1) & CAN_SFF_MASK);
	}
}

static void wire_standard_ids(struct kunit *test)
{
	struct can_sim_frame frame = {};

	for (frame.id = 0; frame.id <= CAN_SFF_MASK; frame.id++) {
		frame.dlc = frame.id % 16;
		memset(frame.data, frame.id % 7 * 0x25, 8);
		if (!wire_check_frame(test, &frame))
			break;
	}
}

/* The first stuff bit needs five bits, each further one four more. */
static unsigned int wire_most_bits(const struct can_sim_frame *frame)
{
	unsigned int header = frame->id & CAN_EFF_FLAG ? 39 : 19;
	unsigned int bits = header + 8 * can_sim_frame_len(frame) + CRC_WIDTH;

	return bits + (bits - 1) / 4 + CAN_SIM_TRAILER_BITS;
}

static void wire_bounds(struct kunit *test)
{
	/* found by search, like the shortest ones */
	struct can_sim_frame standard = { 0x078, 8,
		{ 0x3c, 0x3c, 0x3c, 0x3c, 0x3c, 0x7c, 0x3c, 0x3c } };
	struct can_sim_frame extended = { EXTENDED(0x0f87fffc), 8,
		{ 0x3c, 0x3c, 0x3c, 0x3c, 0x3c, 0x3c, 0x3c, 0x3c } };
	struct can_sim_frame short_standard = { 0x084 | CAN_RTR_FLAG, 3 };
	struct can_sim_frame short_extended = {
		EXTENDED(0x1aa66d13) | CAN_RTR_FLAG, 3 };
	struct can_sim_frame frame;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, can_sim_wire_length(&standard), 129);
	KUNIT_EXPECT_EQ(test, can_sim_wire_length(&extended), 153);
	KUNIT_EXPECT_EQ(test, can_sim_wire_length(&short_standard), 44);
	KUNIT_EXPECT_EQ(test, can_sim_wire_length(&short_extended), 64);
	KUNIT_EXPECT_LE(test, wire_most_bits(&extended), CAN_SIM_MOST_BITS);
	for (i = 0; i < FRAMES / 4; i++) {
		unsigned int least;

		wire_random_frame(test->priv, &frame);
		least = (frame.id & CAN_EFF_FLAG ? 64 : 44) +
			8 * can_sim_frame_len(&frame);
		KUNIT_EXPECT_GE(test, can_sim_wire_length(&frame), least);
		KUNIT_EXPECT_LE(test, can_sim_wire_length(&frame),
				wire_most_bits(&frame));
	}
}

static void wire_frame_len(struct kunit *test)
{
	struct can_sim_frame frame = {};

	for (frame.dlc = 0; frame.dlc < 16; frame.dlc++) {
		frame.id = 0x123;
		KUNIT_EXPECT_EQ(test, can_sim_frame_len(&frame),
				frame.dlc < 8 ? frame.dlc : 8);
		frame.id = EXTENDED(0x123);
		KUNIT_EXPECT_EQ(test, can_sim_frame_len(&frame),
				frame.dlc < 8 ? frame.dlc : 8);
		frame.id = 0x123 | CAN_RTR_FLAG;
		KUNIT_EXPECT_EQ(test, can_sim_frame_len(&frame), 0);
	}
}

/* Data past the length is not sent. */
static void wire_data_past_length(struct kunit *test)
{
	struct can_sim_frame frame, other;
	struct wire_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		unsigned int len;

		wire_random_frame(t, &frame);
		other = frame;
		len = can_sim_frame_len(&frame);
		memset(other.data + len, 0xa5, 8 - len);
		can_sim_wire_expand(&frame, &t->bits);
		can_sim_wire_expand(&other, &t->other);
		KUNIT_EXPECT_EQ(test, memcmp(&t->bits, &t->other,
					     sizeof(t->bits)), 0);
		KUNIT_EXPECT_EQ(test, can_sim_wire_length(&frame),
				can_sim_wire_length(&other));
	}
}

/* A receiver that decodes the levels on the wire */

struct decoder {
	const struct can_sim_bits *bits;
	unsigned int next;
	unsigned int equal;
	unsigned int last;
	struct text got;
};

static unsigned int wire_read_level(struct decoder *decoder)
{
	unsigned int level = decoder->bits->level[decoder->next++];

	decoder->equal = level == decoder->last ? decoder->equal + 1 : 1;
	decoder->last = level;
	return level;
}

static u32 wire_read_field(struct decoder *decoder, unsigned int width)
{
	u32 value = 0;

	while (width--) {
		unsigned int level = wire_read_level(decoder);

		wire_write_bit(&decoder->got, '0' + level, 0, false);
		value = 2 * value + level;
		if (decoder->equal == 5)
			wire_read_level(decoder);
	}
	return value;
}

static void wire_read_frame(struct decoder *decoder,
			    struct can_sim_frame *frame)
{
	unsigned int i;

	wire_read_field(decoder, 1);
	frame->id = wire_read_field(decoder, 11);
	if (wire_read_field(decoder, 1))
		frame->id |= CAN_RTR_FLAG;
	if (wire_read_field(decoder, 1)) {
		frame->id = (frame->id & CAN_SFF_MASK) << 18;
		frame->id |= wire_read_field(decoder, 18) | CAN_EFF_FLAG;
		if (wire_read_field(decoder, 1))
			frame->id |= CAN_RTR_FLAG;
		wire_read_field(decoder, 1);
	}
	wire_read_field(decoder, 1);
	frame->dlc = wire_read_field(decoder, 4);
	for (i = 0; i < can_sim_frame_len(frame); i++)
		frame->data[i] = wire_read_field(decoder, 8);
	wire_read_field(decoder, CRC_WIDTH);
}

/* The remainder of a frame with its checksum is zero. */
static void wire_read_back(struct kunit *test)
{
	struct wire_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < FRAMES / 10; i++) {
		struct decoder decoder = { .bits = &t->bits, .last = 2 };
		struct can_sim_frame frame, got = {};
		char rest[CRC_WIDTH];

		wire_random_frame(t, &frame);
		can_sim_wire_expand(&frame, &t->bits);
		wire_read_frame(&decoder, &got);
		KUNIT_EXPECT_EQ(test, got.id, frame.id);
		KUNIT_EXPECT_EQ(test, got.dlc, frame.dlc);
		KUNIT_EXPECT_EQ(test, memcmp(got.data, frame.data,
					     can_sim_frame_len(&frame)), 0);
		KUNIT_EXPECT_EQ(test, decoder.next, t->bits.stuffed);
		wire_write_remainder(decoder.got.level, decoder.got.length, rest);
		KUNIT_EXPECT_EQ(test, wire_text_to_number(rest, CRC_WIDTH), 0);
	}
}

/* Two frames with equal first bits, so that any bit may be the first to differ */
static void wire_random_pair(struct wire_test *t, struct can_sim_frame *a,
			     struct can_sim_frame *b)
{
	unsigned int equal = wire_below(t, 30);

	wire_random_frame(t, a);
	wire_random_frame(t, b);
	if (wire_below(t, 2)) {
		u32 mask = CAN_EFF_MASK >> equal;

		a->id |= CAN_EFF_FLAG;
		b->id = (a->id & ~mask) | (b->id & mask);
	} else if (wire_below(t, 2)) {
		a->id = (a->id & CAN_SFF_MASK) << 18 | CAN_EFF_FLAG |
			(a->id & CAN_RTR_FLAG);
		b->id = (a->id & CAN_EFF_MASK) >> 18 | (b->id & CAN_RTR_FLAG);
	} else {
		u32 mask = CAN_SFF_MASK >> equal % 12;

		a->id &= ~(CAN_EFF_FLAG | CAN_EFF_MASK) | CAN_SFF_MASK;
		b->id = (a->id & ~mask) | (b->id & mask);
		b->id &= ~CAN_RTR_FLAG;
	}
}

/* Two nodes send at the same time; each reads the wire after each bit. */
static void wire_check_arbitration(struct kunit *test,
				   const struct can_sim_frame *a,
				   const struct can_sim_frame *b)
{
	u32 first = can_sim_wire_priority(a), second = can_sim_wire_priority(b);
	struct wire_test *t = test->priv;
	unsigned int bit, number = 0;

	can_sim_wire_expand(a, &t->bits);
	can_sim_wire_expand(b, &t->other);
	for (bit = 1; bit < min(t->bits.arbitration, t->other.arbitration); bit++) {
		if (t->bits.level[bit] != t->other.level[bit])
			break;
		number += !t->bits.stuff[bit];
	}
	if (bit == min(t->bits.arbitration, t->other.arbitration)) {
		KUNIT_EXPECT_EQ(test, a->id, b->id);
		KUNIT_EXPECT_EQ(test, first, second);
		return;
	}
	KUNIT_EXPECT_FALSE(test, t->bits.stuff[bit] || t->other.stuff[bit]);
	KUNIT_EXPECT_EQ(test, first < second, !t->bits.level[bit]);
	KUNIT_EXPECT_EQ(test, 32 - fls(first ^ second), number);
}

static void wire_priority(struct kunit *test)
{
	struct can_sim_frame a, b;
	unsigned int i;

	for (i = 0; i < PAIRS; i++) {
		wire_random_pair(test->priv, &a, &b);
		wire_check_arbitration(test, &a, &b);
	}
}

/* The known order: data frames before remote frames, standard frames before
 * extended ones with the same base
 */
static void wire_priority_order(struct kunit *test)
{
	static const u32 ids[] = {
		0x000, CAN_RTR_FLAG, EXTENDED(0), EXTENDED(0) | CAN_RTR_FLAG,
		EXTENDED(1), EXTENDED(0x3ffff), EXTENDED(0x3ffff) | CAN_RTR_FLAG,
		0x001, 0x001 | CAN_RTR_FLAG, EXTENDED(0x40000), 0x123, 0x400,
		0x7ff, 0x7ff | CAN_RTR_FLAG, EXTENDED(0x1ffc0000),
		EXTENDED(0x1fffffff), EXTENDED(0x1fffffff) | CAN_RTR_FLAG,
	};
	unsigned int i;

	for (i = 0; i + 1 < ARRAY_SIZE(ids); i++) {
		struct can_sim_frame a = { .id = ids[i], .dlc = 8 };
		struct can_sim_frame b = { .id = ids[i + 1] };

		KUNIT_EXPECT_LT(test, can_sim_wire_priority(&a),
				can_sim_wire_priority(&b));
		wire_check_arbitration(test, &a, &b);
	}
}

static struct kunit_case wire_cases[] = {
	KUNIT_CASE(wire_reference_crc),
	KUNIT_CASE(wire_known_frames),
	KUNIT_CASE(wire_frame_of_zeros),
	KUNIT_CASE_SLOW(wire_random_frames),
	KUNIT_CASE(wire_patterns),
	KUNIT_CASE(wire_standard_ids),
	KUNIT_CASE(wire_bounds),
	KUNIT_CASE(wire_frame_len),
	KUNIT_CASE(wire_data_past_length),
	KUNIT_CASE(wire_read_back),
	KUNIT_CASE(wire_priority),
	KUNIT_CASE(wire_priority_order),
	{}
};

static struct kunit_suite wire_suite = {
	.name = "can-sim-wire",
	.init = wire_test_init,
	.test_cases = wire_cases,
};

kunit_test_suite(wire_suite);
