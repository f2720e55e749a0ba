// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bit timing: duration of bits, and compatibility of nodes.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "sim.h"

/* A bit of a node that is no chip: its sample point is at 80 %. */
#define CLOCKS_PER_BIT		80
#define CLOCKS_PER_QUANTUM	4
#define SEG1_QUANTA		15
#define SEG2_QUANTA		4

/* The first quantum of a bit is the synchronisation segment. */
static u64 can_sim_timing_quanta(const struct can_sim_timing *timing)
{
	return 1 + timing->seg1 + timing->seg2;
}

/**
 * can_sim_timing_ns() - duration of bits
 * @timing: of the node that sends them
 * @bits: number of bits, less than 2^16
 *
 * Context: any.
 * Return: ns, rounded to the nearest.
 */
u64 can_sim_timing_ns(const struct can_sim_timing *timing, unsigned int bits)
{
	u64 cycles = bits * can_sim_timing_quanta(timing) * timing->brp;

	return DIV64_U64_ROUND_CLOSEST(cycles * NSEC_PER_SEC, timing->clock);
}
EXPORT_SYMBOL_GPL(can_sim_timing_ns);

/**
 * can_sim_timing_of() - bit timing of a node that is no chip
 * @bitrate: %CAN_SIM_LEAST_BITRATE to %CAN_SIM_MOST_BITRATE
 *
 * Context: any.
 * Return: a bit timing with exactly this rate.
 */
struct can_sim_timing can_sim_timing_of(u32 bitrate)
{
	return (struct can_sim_timing) {
		.clock = bitrate * CLOCKS_PER_BIT,
		.brp = CLOCKS_PER_QUANTUM,
		.seg1 = SEG1_QUANTA,
		.seg2 = SEG2_QUANTA,
		.sjw = SEG2_QUANTA,
	};
}

/**
 * can_sim_timing_bits() - number of complete bits after some time
 * @timing: of the node that sends them
 * @ns: the time, less than that of 2^16 bits
 *
 * The inverse of can_sim_timing_ns(), which rounds by up to half a nanosecond.
 *
 * Context: any.
 * Return: the largest number of bits that do not take longer.
 */
unsigned int can_sim_timing_bits(const struct can_sim_timing *timing, u64 ns)
{
	u64 bit = can_sim_timing_quanta(timing) * timing->brp * 2 *
		  NSEC_PER_SEC;

	return div64_u64((2 * ns + 1) * timing->clock - 1, bit);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_timing_bits);

/* Tolerance of a node for the deviation of clocks, in parts per million: the
 * node resynchronises every ten bits, and has to read the last bit of an error
 * flag (ISO 11898-1:2015, clause 11.3.4).
 */
static u64 can_sim_timing_tolerance(const struct can_sim_timing *timing)
{
	u64 bit = can_sim_timing_quanta(timing);
	u64 by_jump = div64_u64(timing->sjw * 1000000ULL, 20 * bit);
	u64 phase = min(timing->seg1, timing->seg2);
	u64 by_phase = div64_u64(phase * 1000000ULL,
				 2 * (13 * bit - timing->seg2));

	return min(by_jump, by_phase);
}

/**
 * can_sim_timing_agree() - can two nodes communicate?
 * @a: bit timing of a node
 * @b: bit timing of another node
 *
 * Context: any.
 * Return: true if the difference is within the sum of both tolerances.
 */
bool can_sim_timing_agree(const struct can_sim_timing *a,
			  const struct can_sim_timing *b)
{
	u64 bit_a = can_sim_timing_quanta(a) * a->brp * b->clock;
	u64 bit_b = can_sim_timing_quanta(b) * b->brp * a->clock;
	u64 differs = max(bit_a, bit_b) - min(bit_a, bit_b);

	if (!differs)
		return true;
	return differs * 1000000 <=
	       min(bit_a, bit_b) * (can_sim_timing_tolerance(a) +
				    can_sim_timing_tolerance(b));
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_timing_agree);
