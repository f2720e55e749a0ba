/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A ring of frames that a packet socket shares with the kernel (TPACKET_V2).
 * Not thread-safe.
 */
#ifndef CANBENCH_PACKET_H
#define CANBENCH_PACKET_H

#include <linux/if_packet.h>

#include "bench.h"

/**
 * struct packet_ring - a socket and its ring
 * @slots: number of slots, a power of two
 * @next: next slot, counted without wrapping
 */
struct packet_ring {
	int fd;
	unsigned char *memory;
	unsigned int slots;
	unsigned int slot_size;
	unsigned int next;
};

/* packet_open() - @which: PACKET_RX_RING or PACKET_TX_RING; @slots: minimum number of slots. */
void packet_open(struct packet_ring *ring, const struct bench *bench, int which,
		 unsigned int slots);
void packet_close(struct packet_ring *ring);

/* packet_protocol() - Ethernet protocol of the frames, in network byte order. */
unsigned short packet_protocol(const struct bench *bench);

static inline struct tpacket2_hdr *packet_slot(const struct packet_ring *ring, unsigned int number)
{
	return (void *)(ring->memory + (size_t)(number & (ring->slots - 1)) * ring->slot_size);
}

/* packet_status() - owner of the slot. Acquire: orders reads of the slot after it. */
static inline unsigned int packet_status(const struct tpacket2_hdr *slot)
{
	return __atomic_load_n(&slot->tp_status, __ATOMIC_ACQUIRE);
}

/* packet_set_status() - pass the slot on. Release: orders writes to the slot before it. */
static inline void packet_set_status(struct tpacket2_hdr *slot, unsigned int status)
{
	__atomic_store_n(&slot->tp_status, status, __ATOMIC_RELEASE);
}

#endif
