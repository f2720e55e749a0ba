// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors on request: which frames are disturbed, and at which bit. The same
 * seed, frames and order of calls give the same errors.
 */
#include <kunit/visibility.h>
#include <linux/minmax.h>

#include "sim.h"

static u32 can_sim_inject_random(struct rnd_state *rnd, u32 limit)
{
	return (u64)prandom_u32_state(rnd) * limit >> 32;
}

/**
 * can_sim_inject_hits() - is the next frame to be disturbed?
 * @inject: counts the frame
 *
 * Context: the bus's lock; once for each frame.
 * Return: true if it is.
 */
bool can_sim_inject_hits(struct can_sim_inject *inject)
{
	u64 number = inject->count++;

	if (inject->type == CAN_SIM_NO_ERROR)
		return false;
	if (number >= inject->first && number - inject->first < inject->frames)
		return true;
	return inject->ppm &&
	       can_sim_inject_random(&inject->rnd, 1000000) < inject->ppm;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_inject_hits);

/* Choose a stuff bit, or another bit, from the end of arbitration to the end of
 * the checksum. In arbitration, a recessive bit that is read as dominant is no
 * error.
 */
static bool can_sim_inject_random_bit(struct can_sim_inject *inject,
				      const struct can_sim_bits *bits,
				      bool stuff, unsigned int *bit)
{
	unsigned int i, count = 0, chosen;

	for (i = bits->arbitration; i < bits->stuffed; i++)
		count += bits->stuff[i] == stuff;
	if (!count)
		return false;
	chosen = can_sim_inject_random(&inject->rnd, count);
	for (i = bits->arbitration; i < bits->stuffed; i++)
		if (bits->stuff[i] == stuff && !chosen--)
			break;
	*bit = i;
	return true;
}

/* It is no error if a recessive bit in the arbitration field or the ACK slot is
 * read as dominant.
 */
static bool can_sim_inject_fits_bit_error(const struct can_sim_bits *bits,
					  unsigned int bit)
{
	if (bit >= bits->length)
		return false;
	if (bit < bits->arbitration)
		return !bits->level[bit];
	return bits->segment[bit] != CAN_SIM_SEG_ACK_SLOT;
}

/* Receivers accept a frame before the last bit of EOF. */
static bool can_sim_inject_fits_form_error(const struct can_sim_bits *bits,
					   unsigned int bit)
{
	return bit < bits->length - 1 &&
	       bits->segment[bit] != CAN_SIM_SEG_ACK_SLOT;
}

/**
 * can_sim_inject() - choose the bit at which an error is detected
 * @inject: type of error and bit
 * @bits: of the frame
 * @bit: set to the bit
 *
 * A bit error is possible at each bit whose level is certain, a stuff error at
 * a stuff bit, which not every frame has; random ones are after arbitration. A
 * form error is that of the CRC delimiter, unless inject->bit is a later bit. A
 * missing acknowledgment is detected in the ACK slot, a wrong checksum in the
 * ACK delimiter.
 *
 * Context: the bus's lock.
 * Return: false if the frame has no bit for such an error.
 */
bool can_sim_inject(struct can_sim_inject *inject,
		    const struct can_sim_bits *bits, unsigned int *bit)
{
	unsigned int delimiter = bits->stuffed;

	switch (inject->type) {
	case CAN_SIM_BIT_ERROR:
		if (inject->bit >= 0) {
			*bit = inject->bit;
			return can_sim_inject_fits_bit_error(bits, *bit);
		}
		return can_sim_inject_random_bit(inject, bits, false, bit);
	case CAN_SIM_STUFF_ERROR:
		if (inject->bit >= 0) {
			*bit = inject->bit;
			return *bit < bits->stuffed && bits->stuff[*bit];
		}
		return can_sim_inject_random_bit(inject, bits, true, bit);
	case CAN_SIM_FORM_ERROR:
		*bit = max_t(int, delimiter, inject->bit);
		return can_sim_inject_fits_form_error(bits, *bit);
	case CAN_SIM_ACK_ERROR:
		*bit = delimiter + 1;
		return true;
	case CAN_SIM_CRC_ERROR:
		*bit = delimiter + 2;
		return true;
	default:
		return false;
	}
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_inject);
