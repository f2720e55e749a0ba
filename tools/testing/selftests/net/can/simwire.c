// SPDX-License-Identifier: GPL-2.0-only
/* Frames as bits on the wire: see simbus.h. */
#include <errno.h>
#include <string.h>

#include "simbus.h"

/* x^15 + x^14 + x^10 + x^8 + x^7 + x^4 + x^3 + 1 */
#define CRC_POLYNOMIAL	0xc599
#define CRC_WIDTH	15
#define RUN		5

/* The stuffed fields without their stuff bits */
struct bare {
	char bit[128];
	char field[128];
	unsigned int count;
};

static void put(struct bare *bare, char field, unsigned int value, int width)
{
	while (width--) {
		bare->field[bare->count] = field;
		bare->bit[bare->count++] = '0' + (value >> width & 1);
	}
}

static void put_arbitration(struct bare *bare, const struct can_frame *frame)
{
	unsigned int rtr = !!(frame->can_id & CAN_RTR_FLAG);

	if (!(frame->can_id & CAN_EFF_FLAG)) {
		put(bare, 'I', frame->can_id & CAN_SFF_MASK, 11);
		put(bare, 'R', rtr, 1);
		put(bare, 'X', 0, 1);
		return;
	}
	put(bare, 'I', (frame->can_id & CAN_EFF_MASK) >> 18, 11);
	put(bare, 'R', 1, 1);
	put(bare, 'X', 1, 1);
	put(bare, 'E', frame->can_id & 0x3ffff, 18);
	put(bare, 'T', rtr, 1);
}

/* the remainder of a long division */
static unsigned int checksum(const struct bare *bare)
{
	unsigned int remainder = 0, i;

	for (i = 0; i < bare->count + CRC_WIDTH; i++) {
		remainder <<= 1;
		if (i < bare->count)
			remainder |= bare->bit[i] - '0';
		if (remainder >> CRC_WIDTH)
			remainder ^= CRC_POLYNOMIAL;
	}
	return remainder;
}

static void add(struct sim_wire *wire, char level, char field, bool stuff)
{
	wire->level[wire->count] = level;
	wire->field[wire->count] = field;
	wire->stuff[wire->count++] = stuff;
}

static void add_some(struct sim_wire *wire, char field, unsigned int bits)
{
	while (bits--)
		add(wire, '1', field, false);
}

static void stuff(const struct bare *bare, struct sim_wire *wire)
{
	unsigned int equal = 0, i;
	char last = 'x';

	for (i = 0; i < bare->count; i++) {
		equal = bare->bit[i] == last ? equal + 1 : 1;
		last = bare->bit[i];
		add(wire, last, bare->field[i], false);
		if (equal < RUN)
			continue;
		last = last == '0' ? '1' : '0';
		add(wire, last, bare->field[i], true);
		equal = 1;
	}
}

void sim_wire(const struct can_frame *frame, struct sim_wire *wire)
{
	struct bare bare = { .count = 0 };
	unsigned int i;

	put(&bare, 'S', 0, 1);
	put_arbitration(&bare, frame);
	if (frame->can_id & CAN_EFF_FLAG)
		put(&bare, '1', 0, 1);
	put(&bare, '0', 0, 1);
	put(&bare, 'L', frame->len, 4);
	if (!(frame->can_id & CAN_RTR_FLAG))
		for (i = 0; i < frame->len; i++)
			put(&bare, 'D', frame->data[i], 8);
	put(&bare, 'C', checksum(&bare), CRC_WIDTH);

	wire->count = 0;
	stuff(&bare, wire);
	add_some(wire, 'c', 1);
	add_some(wire, 'A', 1);
	add_some(wire, 'a', 1);
	add_some(wire, 'F', 7);
}

unsigned int sim_wire_bits(const struct can_frame *frame)
{
	struct sim_wire wire;

	sim_wire(frame, &wire);
	return wire.count;
}

int sim_wire_find(const struct sim_wire *wire, char field, unsigned int number)
{
	unsigned int i;

	for (i = 0; i < wire->count; i++)
		if (wire->field[i] == field && !wire->stuff[i] && !number--)
			return i;
	return -ENOENT;
}

int sim_wire_compare(const struct can_frame *a, const struct can_frame *b,
		     unsigned int *bit)
{
	struct bare bare_a = { .count = 0 }, bare_b = { .count = 0 };

	put_arbitration(&bare_a, a);
	put_arbitration(&bare_b, b);
	for (*bit = 0; *bit < bare_a.count && *bit < bare_b.count; (*bit)++)
		if (bare_a.bit[*bit] != bare_b.bit[*bit])
			return bare_a.bit[*bit] - bare_b.bit[*bit];
	return 0;
}
