/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring of frames shared with the kernel through a packet socket
 * (Documentation/networking/packet_mmap.rst), version 2: its unit is the frame.
 * Version 3 hands over blocks of frames, after a timeout of a millisecond at least:
 * fit for a logger, but not for a gateway.
 *
 * packet_open() runs in the main thread, the rest in that of a direction. The
 * status word of a slot says who owns it; it is read and written with acquire and
 * release, the slot's contents between these.
 */
#ifndef CANUGW_PACKET_H
#define CANUGW_PACKET_H

#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdint.h>

#include "port.h"

/**
 * struct packet_ring - one ring, and the socket that it belongs to
 * @count: number of slots
 * @head: next slot to receive from or to send with
 */
struct packet_ring {
	int fd;
	uint8_t *slots;
	unsigned int count;
	unsigned int head;
};

/*
 * packet_open() - socket and ring; @kind: PACKET_RX_RING or PACKET_TX_RING,
 * @count: slots at least. The socket is not bound and receives nothing so far.
 */
void packet_open(struct packet_ring *ring, const struct port *port, int kind,
		 unsigned int count);

/* packet_slot() - slot number @index. */
struct tpacket2_hdr *packet_slot(const struct packet_ring *ring, unsigned int index);

/* packet_after() - number of the slot after @index. */
unsigned int packet_after(const struct packet_ring *ring, unsigned int index);

uint32_t packet_status(const struct tpacket2_hdr *slot);
void packet_set_status(struct tpacket2_hdr *slot, uint32_t status);

#endif
