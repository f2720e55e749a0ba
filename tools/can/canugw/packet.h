/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring of frames that a packet socket shares with the kernel, TPACKET_V2
 * (Documentation/networking/packet_mmap.rst). TPACKET_V3 passes blocks of frames with a
 * timeout of at least a millisecond, which is suitable for loggers, but not for gateways.
 *
 * packet_open() runs in the main thread, all others in the thread of a direction. The status
 * word of a slot defines its owner. It is read with acquire and written with release
 * semantics; the contents of the slot are accessed in between.
 */
#ifndef CANUGW_PACKET_H
#define CANUGW_PACKET_H

#include <linux/if_packet.h>
#include <stdbool.h>
#include <stdint.h>

#include "port.h"

/**
 * struct packet_ring - a ring and its socket
 * @count: number of slots
 * @head: next slot to receive from, or to fill for sending
 */
struct packet_ring {
	int fd;
	uint8_t *slots;
	unsigned int count;
	unsigned int head;
};

/*
 * packet_open() - open a socket and create its ring; @kind: PACKET_RX_RING or
 * PACKET_TX_RING, @count: minimum number of slots. The socket is not bound yet.
 */
void packet_open(struct packet_ring *ring, const struct port *port, int kind,
		 unsigned int count);

struct tpacket2_hdr *packet_slot(const struct packet_ring *ring, unsigned int index);

/* packet_after() - index of the slot after @index. */
unsigned int packet_after(const struct packet_ring *ring, unsigned int index);

uint32_t packet_status(const struct tpacket2_hdr *slot);
void packet_set_status(struct tpacket2_hdr *slot, uint32_t status);

#endif
