/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a frame is on the wire (ISO 11898-1:2015, 10.4 and 10.5): its exact
 * number of bits, stuff bits included, and the time they take. Pure functions.
 */
#ifndef CAN_TOOLS_WIRE_H
#define CAN_TOOLS_WIRE_H

#include <stdint.h>

#include <linux/can.h>

/**
 * struct wire_bits - length of a frame
 * @nominal: bits at the bit rate of the arbitration phase, from start of frame
 *	to the last bit of end of frame
 * @data: bits at the bit rate of the data phase; 0 unless CANFD_BRS is set
 *
 * Three bits of intermission follow before the next frame can start: WIRE_INTERMISSION.
 */
struct wire_bits {
	unsigned int nominal;
	unsigned int data;
};

#define WIRE_INTERMISSION 3

/* wire_bits() - @size (CAN_MTU or CANFD_MTU) says which kind of frame @frame is. */
struct wire_bits wire_bits(const struct canfd_frame *frame, unsigned int size);

/* wire_time() - ns from start of frame to the end of end of frame; bit rates in bit/s. */
uint64_t wire_time(const struct canfd_frame *frame, unsigned int size,
		   uint32_t bitrate, uint32_t data_bitrate);

/*
 * wire_bitrate() - bit rates that @ifname is configured with, over netlink
 * (libnl-route). False: it has none (vcan, vxcan) or is not a CAN interface.
 * @data_bitrate may be NULL; it is 0 where CAN FD is off.
 */
_Bool wire_bitrate(const char *ifname, uint32_t *bitrate, uint32_t *data_bitrate);

#endif
