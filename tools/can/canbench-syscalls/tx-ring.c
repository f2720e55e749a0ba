// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send side: a ring that the kernel empties through a packet socket. A batch of frames is
 * written to the ring, and one sendto() sends all of them.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "packet.h"

/* Offset of the frame in a slot */
#define DATA_OFFSET (TPACKET2_HDRLEN - sizeof(struct sockaddr_ll))

/**
 * struct ring_tx - a ring to send from
 * @to: interface and protocol; a socket that is bound to a protocol would also receive
 *	frames
 */
struct ring_tx {
	struct packet_ring ring;
	struct sockaddr_ll to;
	struct canfd_frame frame;
	unsigned int size;
	unsigned int batch;
};

static void *open_ring(const struct bench *bench, unsigned int batch, unsigned int chunk)
{
	struct ring_tx *tx = bench_alloc(1, sizeof(*tx));

	(void)chunk;
	packet_open(&tx->ring, bench, PACKET_TX_RING, batch);
	tx->to.sll_family = AF_PACKET;
	tx->to.sll_protocol = packet_protocol(bench);
	tx->to.sll_ifindex = bench->ifindex;
	tx->frame = bench->frame;
	tx->size = bench->size;
	tx->batch = batch;
	return tx;
}

static void close_ring(void *state)
{
	struct ring_tx *tx = state;

	packet_close(&tx->ring);
	free(tx);
}

/* False: the kernel still owns the slot. */
static bool fill_slot(struct ring_tx *tx)
{
	struct tpacket2_hdr *slot = packet_slot(&tx->ring, tx->ring.next);

	if (packet_status(slot) != TP_STATUS_AVAILABLE)
		return false;
	memcpy((unsigned char *)slot + DATA_OFFSET, &tx->frame, tx->size);
	slot->tp_len = tx->size;
	packet_set_status(slot, TP_STATUS_SEND_REQUEST);
	tx->ring.next++;
	return true;
}

static unsigned int ring_transmit(void *state, unsigned int count)
{
	struct ring_tx *tx = state;
	unsigned int done = 0;

	while (done < count) {
		unsigned int wanted = count - done < tx->batch ? count - done : tx->batch;
		unsigned int n = 0;
		ssize_t sent;

		while (n < wanted && fill_slot(tx))
			n++;
		if (n < wanted)
			break;
		sent = sendto(tx->ring.fd, NULL, 0, 0, (struct sockaddr *)&tx->to, sizeof(tx->to));
		if (sent != (ssize_t)(n * tx->size))
			break;
		done += n;
	}
	return done;
}

const struct method tx_ring = {
	.name = "tx-ring",
	.about = "mapped ring of a packet socket, sendto() for each batch",
	.side = SIDE_TX,
	.batched = true,
	.open = open_ring,
	.transfer = ring_transmit,
	.close = close_ring,
};
