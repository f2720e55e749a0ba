// SPDX-License-Identifier: GPL-2.0-only
/*
 * Classical CAN frames as bits on the wire.
 *
 * The bus needs the number of bits of each frame, but the bits only of a frame
 * with an error. So can_sim_wire_length() handles bytes, with tables, and
 * can_sim_wire_expand() handles bits.
 */
#include <kunit/visibility.h>
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/can.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "wire.h"

/* x^15 + x^14 + x^10 + x^8 + x^7 + x^4 + x^3 + 1, ISO 11898-1:2015, 10.4.2.6 */
#define CRC_POLYNOMIAL 0x4599
#define CRC_BITS 15
#define CRC_MASK GENMASK(CRC_BITS - 1, 0)

/* Equal bits before a stuff bit */
#define RUN 5

/* States of bit stuffing: the number of equal bits and their level */
#define STUFF_STATES (2 * RUN)

static u16 crc_of_byte[256];

/* Number of stuff bits in a byte << 4, and the state after it, by the state
 * before
 */
static u8 stuff_of_byte[STUFF_STATES][256];

static unsigned int can_sim_wire_stuff_state(unsigned int run,
					     unsigned int level)
{
	return 2 * run + level;
}

/* Return: true if a stuff bit follows. */
static bool can_sim_wire_stuff_bit(unsigned int *state, unsigned int level)
{
	unsigned int run = *state / 2;

	run = run && (*state & 1) == level ? run + 1 : 1;
	if (run < RUN) {
		*state = can_sim_wire_stuff_state(run, level);
		return false;
	}
	*state = can_sim_wire_stuff_state(1, !level);
	return true;
}

static u16 can_sim_wire_crc_bit(u16 crc, unsigned int level)
{
	bool invert = level ^ (crc >> (CRC_BITS - 1));

	crc = (crc << 1) & CRC_MASK;
	return invert ? crc ^ CRC_POLYNOMIAL : crc;
}

static u8 can_sim_wire_stuff_byte(unsigned int state, u8 byte)
{
	unsigned int count = 0;
	int bit;

	for (bit = 7; bit >= 0; bit--)
		count += can_sim_wire_stuff_bit(&state, byte >> bit & 1);
	return count << 4 | state;
}

/**
 * can_sim_wire_init() - fill in the tables
 *
 * Context: any.
 */
void can_sim_wire_init(void)
{
	unsigned int byte, state;
	int bit;

	for (byte = 0; byte < 256; byte++) {
		u16 crc = 0;

		for (bit = 7; bit >= 0; bit--)
			crc = can_sim_wire_crc_bit(crc, byte >> bit & 1);
		crc_of_byte[byte] = crc;
		for (state = 0; state < STUFF_STATES; state++)
			stuff_of_byte[state][byte] =
				can_sim_wire_stuff_byte(state, byte);
	}
}

/**
 * can_sim_frame_len() - bytes of data in a frame
 * @frame: the frame; its length code may be above eight
 *
 * Return: 0 to 8; 0 for remote frames.
 */
unsigned int can_sim_frame_len(const struct can_sim_frame *frame)
{
	if (frame->id & CAN_RTR_FLAG)
		return 0;
	return min_t(unsigned int, frame->dlc, 8);
}
EXPORT_SYMBOL_GPL(can_sim_frame_len);

/* SOF, arbitration and control field as a number; its most significant bits are
 * the first ones. The reserved bits are dominant.
 */
static u64 can_sim_wire_header(const struct can_sim_frame *frame,
			       unsigned int *bits)
{
	u64 rtr = !!(frame->id & CAN_RTR_FLAG);
	u64 id = frame->id & CAN_EFF_MASK;

	if (!(frame->id & CAN_EFF_FLAG)) {
		*bits = 19;
		return (id & CAN_SFF_MASK) << 7 | rtr << 6 | (frame->dlc & 0xf);
	}
	*bits = 39;
	return id >> 18 << 27 | 3ULL << 25 | (id & GENMASK(17, 0)) << 7 |
	       rtr << 6 | (frame->dlc & 0xf);
}

static unsigned int can_sim_wire_stuff_next(unsigned int *state, u8 byte)
{
	u8 result = stuff_of_byte[*state][byte];

	*state = result & 0xf;
	return result >> 4;
}

/* Alternating bits before SOF fill up the header to whole bytes, without stuff
 * bits of their own.
 */
static unsigned int can_sim_wire_stuff_header(unsigned int *state, u64 header,
					      unsigned int bits)
{
	u64 filled = 0x55ULL << bits | header;
	unsigned int count = 0;
	int shift;

	for (shift = bits / 8 * 8; shift >= 0; shift -= 8)
		count += can_sim_wire_stuff_next(state, filled >> shift);
	return count;
}

/* The checksum has a bit less than two bytes. The bit that fills it up differs
 * from the last bit, so that it causes no stuff bit.
 */
static unsigned int can_sim_wire_stuff_crc(unsigned int *state, u16 crc)
{
	unsigned int count = can_sim_wire_stuff_next(state, crc >> 7);

	return count + can_sim_wire_stuff_next(state, crc << 1 | (~crc & 1));
}

static u16 can_sim_wire_crc_next(u16 crc, u8 byte)
{
	return (crc << 8 & CRC_MASK) ^
	       crc_of_byte[(crc >> (CRC_BITS - 8) ^ byte) & 0xff];
}

/**
 * can_sim_wire_length() - number of bits of a frame on the bus
 * @frame: any
 *
 * Leading zeros do not change the checksum, so they fill up the header to whole
 * bytes.
 *
 * Return: bits from SOF to the end of EOF, without intermission.
 */
unsigned int can_sim_wire_length(const struct can_sim_frame *frame)
{
	unsigned int bits, len = can_sim_frame_len(frame), i, state = 0, stuff;
	u64 header = can_sim_wire_header(frame, &bits);
	int shift;
	u16 crc = 0;

	stuff = can_sim_wire_stuff_header(&state, header, bits);
	for (shift = bits / 8 * 8; shift >= 0; shift -= 8)
		crc = can_sim_wire_crc_next(crc, header >> shift);
	for (i = 0; i < len; i++) {
		crc = can_sim_wire_crc_next(crc, frame->data[i]);
		stuff += can_sim_wire_stuff_next(&state, frame->data[i]);
	}
	stuff += can_sim_wire_stuff_crc(&state, crc);

	return bits + 8 * len + CRC_BITS + stuff + CAN_SIM_TRAILER_BITS;
}
EXPORT_SYMBOL_GPL(can_sim_wire_length);

/**
 * can_sim_wire_arbitration() - number of bits until arbitration is decided
 * @frame: that wins
 *
 * Return: bits from SOF to the RTR bit of an extended frame or the IDE bit of a
 *	standard one, with stuff bits.
 */
unsigned int can_sim_wire_arbitration(const struct can_sim_frame *frame)
{
	unsigned int bits, state = 0;
	u64 header = can_sim_wire_header(frame, &bits);
	unsigned int control = frame->id & CAN_EFF_FLAG ? 6 : 5;

	bits -= control;
	return bits + can_sim_wire_stuff_header(&state, header >> control,
						bits);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_wire_arbitration);

/* Bits of a frame so far, and the state of bit stuffing */
struct can_sim_expansion {
	struct can_sim_bits *bits;
	unsigned int state;
};

static void can_sim_wire_put_level(struct can_sim_bits *bits,
				   unsigned int level,
				   enum can_sim_segment segment, bool stuff)
{
	bits->level[bits->length] = level;
	bits->segment[bits->length] = segment;
	bits->stuff[bits->length] = stuff;
	bits->length++;
}

static void can_sim_wire_put_bit(struct can_sim_expansion *to, unsigned int level,
				 enum can_sim_segment segment)
{
	bool stuff = can_sim_wire_stuff_bit(&to->state, level);

	to->bits->unstuffed++;
	can_sim_wire_put_level(to->bits, level, segment, false);
	if (stuff)
		can_sim_wire_put_level(to->bits, !level, segment, true);
}

static void can_sim_wire_put_field(struct can_sim_expansion *to, u32 value,
				   unsigned int width,
				   enum can_sim_segment segment)
{
	while (width--) {
		unsigned int level = value >> width & 1;

		if (segment != CAN_SIM_SEG_CRC)
			to->bits->crc = can_sim_wire_crc_bit(to->bits->crc,
							     level);
		can_sim_wire_put_bit(to, level, segment);
	}
}

static void can_sim_wire_put_arbitration(struct can_sim_expansion *to,
					 const struct can_sim_frame *frame)
{
	bool extended = frame->id & CAN_EFF_FLAG;
	unsigned int rtr = !!(frame->id & CAN_RTR_FLAG);
	u32 id = frame->id & CAN_EFF_MASK;
	u32 base = extended ? id >> 18 : id & CAN_SFF_MASK;

	can_sim_wire_put_field(to, 0, 1, CAN_SIM_SEG_SOF);
	can_sim_wire_put_field(to, base >> 3, 8, CAN_SIM_SEG_ID28_21);
	can_sim_wire_put_field(to, base, 3, CAN_SIM_SEG_ID20_18);
	can_sim_wire_put_field(to, extended ? 1 : rtr, 1, CAN_SIM_SEG_SRTR);
	can_sim_wire_put_field(to, extended, 1, CAN_SIM_SEG_IDE);
	if (extended) {
		can_sim_wire_put_field(to, id >> 13, 5, CAN_SIM_SEG_ID17_13);
		can_sim_wire_put_field(to, id >> 5, 8, CAN_SIM_SEG_ID12_5);
		can_sim_wire_put_field(to, id, 5, CAN_SIM_SEG_ID4_0);
		can_sim_wire_put_field(to, rtr, 1, CAN_SIM_SEG_RTR);
	}
}

static void can_sim_wire_put_control(struct can_sim_expansion *to,
				     const struct can_sim_frame *frame)
{
	if (frame->id & CAN_EFF_FLAG)
		can_sim_wire_put_field(to, 0, 1, CAN_SIM_SEG_R1);
	can_sim_wire_put_field(to, 0, 1, CAN_SIM_SEG_R0);
	can_sim_wire_put_field(to, frame->dlc, 4, CAN_SIM_SEG_DLC);
}

static void can_sim_wire_put_trailer(struct can_sim_bits *bits)
{
	unsigned int i;

	can_sim_wire_put_level(bits, 1, CAN_SIM_SEG_CRC_DELIM, false);
	can_sim_wire_put_level(bits, 1, CAN_SIM_SEG_ACK_SLOT, false);
	can_sim_wire_put_level(bits, 1, CAN_SIM_SEG_ACK_DELIM, false);
	for (i = 0; i < CAN_SIM_EOF_BITS; i++)
		can_sim_wire_put_level(bits, 1, CAN_SIM_SEG_EOF, false);
}

/**
 * can_sim_wire_expand() - compute all bits of a frame
 * @frame: any
 * @bits: filled in
 */
void can_sim_wire_expand(const struct can_sim_frame *frame,
			 struct can_sim_bits *bits)
{
	struct can_sim_expansion to = { .bits = bits };
	unsigned int i;

	memset(bits, 0, sizeof(*bits));
	can_sim_wire_put_arbitration(&to, frame);
	bits->arbitration = bits->length;
	can_sim_wire_put_control(&to, frame);
	for (i = 0; i < can_sim_frame_len(frame); i++)
		can_sim_wire_put_field(&to, frame->data[i], 8,
				       CAN_SIM_SEG_DATA);
	can_sim_wire_put_field(&to, bits->crc, CRC_BITS, CAN_SIM_SEG_CRC);
	bits->stuffed = bits->length;
	can_sim_wire_put_trailer(bits);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_wire_expand);

/**
 * can_sim_wire_priority() - priority of a frame in arbitration
 * @frame: any
 *
 * The highest bit in which the priorities of two frames differ, counted from
 * the most significant one, is the bit in which arbitration is lost (SJA1000
 * data sheet, table 18). After the IDE bit of a standard frame, arbitration is
 * decided.
 *
 * Return: bits of the arbitration field in the order of the wire; the smaller
 *	number wins.
 */
u32 can_sim_wire_priority(const struct can_sim_frame *frame)
{
	u32 rtr = !!(frame->id & CAN_RTR_FLAG);
	u32 id = frame->id & CAN_EFF_MASK;

	if (!(frame->id & CAN_EFF_FLAG))
		return (id & CAN_SFF_MASK) << 21 | rtr << 20;
	return id >> 18 << 21 | BIT(20) | BIT(19) |
	       (id & GENMASK(17, 0)) << 1 | rtr;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_wire_priority);
