// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send side: frames are written to a ring, and one send() lets the kernel send all of them.
 * Runs in the thread of its direction, open() in the main thread.
 *
 * A packet socket sends with one protocol per call, and the kernel drops Classical CAN frames
 * with the protocol of CAN FD and vice versa. So the ring is flushed when the frame type
 * changes.
 *
 * The kernel owns a slot until the frame has left the interface, so the ring fills up if the
 * bus is slower than the received traffic. If the queue of the interface is full, the kernel
 * leaves the frame in its slot, and the next send() retries it; so the order is kept.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <string.h>
#include <sys/socket.h>

#include "cli.h"
#include "packet.h"
#include "side.h"

/* Offset of the frame in a slot (tpacket_parse_header() in net/packet/af_packet.c) */
#define DATA_OFFSET TPACKET_ALIGN(sizeof(struct tpacket2_hdr))

#define OWNED_BY_KERNEL (TP_STATUS_SEND_REQUEST | TP_STATUS_SENDING)

/**
 * struct ring_state - the ring
 * @tail: first slot that the kernel may not have accepted yet
 * @kept: number of slots from @tail on to be sent
 * @kept_size: size of these frames, CAN_MTU or CANFD_MTU
 */
struct ring_state {
	struct packet_ring ring;
	unsigned int tail;
	unsigned int kept;
	unsigned int kept_size;
};

static void open_ring(struct tx *tx, const struct settings *set)
{
	struct ring_state *st = side_alloc(1, sizeof(*st));

	packet_open(&st->ring, tx->port, PACKET_TX_RING, set->queue);
	port_mark_sent(tx->port, st->ring.fd);
	if (!tx->port->echo)
		cli_warn("%s does not loop back frames of packet sockets: other programs on this host do not receive the forwarded frames (vcan requires the module parameter echo=1)",
			 tx->port->name);
	tx->state = st;
}

static int send_kept(struct tx *tx)
{
	struct ring_state *st = tx->state;
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(st->kept_size == CAN_MTU ? ETH_P_CAN : ETH_P_CANFD),
		.sll_ifindex = tx->port->ifindex,
	};

	/* Otherwise, sendto() would sleep until all frames have been sent on the bus. */
	return sendto(st->ring.fd, NULL, 0, MSG_DONTWAIT, (struct sockaddr *)&address,
		      sizeof(address));
}

/* The result of send() does not tell how many frames were sent before an error. */
static void count_taken(struct tx *tx)
{
	struct ring_state *st = tx->state;
	unsigned int taken = 0;

	while (st->kept &&
	       !(packet_status(packet_slot(&st->ring, st->tail)) & TP_STATUS_SEND_REQUEST)) {
		st->tail = packet_after(&st->ring, st->tail);
		st->kept--;
		taken++;
	}
	tx_count(tx, taken);
}

static enum side_result ring_flush(struct tx *tx)
{
	struct ring_state *st = tx->state;

	while (st->kept) {
		int error = send_kept(tx) < 0 ? errno : 0;
		enum side_result again;

		count_taken(tx);
		if (!st->kept)
			return SIDE_DONE;
		/* No error, but frames are left: treat it as a full queue. */
		again = tx_failed(tx, error ? error : ENOBUFS);
		if (again != SIDE_DONE)
			return again;
	}
	return SIDE_NOTHING;
}

/* Wait until the kernel has released the slot. */
static enum side_result wait_for_slot(struct tx *tx, struct tpacket2_hdr *slot)
{
	while (packet_status(slot) & OWNED_BY_KERNEL) {
		if (ring_flush(tx) == SIDE_FAILED)
			return SIDE_FAILED;
		if ((packet_status(slot) & OWNED_BY_KERNEL) && !tx_full(tx))
			return SIDE_NOTHING;
	}
	return SIDE_DONE;
}

static enum side_result ring_put(struct tx *tx, const struct frame *frame)
{
	struct ring_state *st = tx->state;
	struct tpacket2_hdr *slot = packet_slot(&st->ring, st->ring.head);
	enum side_result result = SIDE_DONE;

	if (st->kept && st->kept_size != frame->size)
		result = ring_flush(tx);
	if (result == SIDE_DONE)
		result = wait_for_slot(tx, slot);
	if (result != SIDE_DONE)
		return result;
	memcpy((uint8_t *)slot + DATA_OFFSET, frame->data, frame->size);
	slot->tp_len = frame->size;
	packet_set_status(slot, TP_STATUS_SEND_REQUEST);
	st->ring.head = packet_after(&st->ring, st->ring.head);
	st->kept_size = frame->size;
	st->kept++;
	return SIDE_DONE;
}

/* The kernel sends from the memory of the ring, so it must exist until all frames were sent. */
static void ring_finish(struct tx *tx)
{
	struct ring_state *st = tx->state;

	for (unsigned int i = 0; i < st->ring.count; i++)
		while (packet_status(packet_slot(&st->ring, i)) & TP_STATUS_SENDING)
			if (!side_pause())
				return;
}

const struct tx_ops tx_packet = {
	.open = open_ring,
	.put = ring_put,
	.flush = ring_flush,
	.finish = ring_finish,
};
