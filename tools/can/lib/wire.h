/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Length of a frame on the bus (ISO 11898-1:2015, 10.4 and 10.5): the exact number of
 * bits, including stuff bits, and their duration. Pure functions.
 */
#ifndef CAN_TOOLS_WIRE_H
#define CAN_TOOLS_WIRE_H

#include <stdint.h>

#include <linux/can.h>

/**
 * struct wire_bits - length of a frame
 * @nominal: bits at the bit rate of the arbitration phase, from SOF to the last bit of
 *	EOF
 * @data: bits at the bit rate of the data phase; 0 unless CANFD_BRS is set
 *
 * WIRE_INTERMISSION more bits follow before the next frame can start.
 */
struct wire_bits {
	unsigned int nominal;
	unsigned int data;
};

#define WIRE_INTERMISSION 3

/* wire_bits() - @size is CAN_MTU for Classical CAN, CANFD_MTU for CAN FD. */
struct wire_bits wire_bits(const struct canfd_frame *frame, unsigned int size);

/* wire_time() - ns from SOF to the last bit of EOF; bit rates in bit/s. */
uint64_t wire_time(const struct canfd_frame *frame, unsigned int size,
		   uint32_t bitrate, uint32_t data_bitrate);

/*
 * wire_bitrate() - get the configured bit rates of @ifname by netlink (libnl-route).
 * False: it has none (vcan, vxcan) or is not a CAN interface. @data_bitrate may be
 * NULL; it is 0 if CAN FD is disabled.
 */
_Bool wire_bitrate(const char *ifname, uint32_t *bitrate, uint32_t *data_bitrate);

#endif
