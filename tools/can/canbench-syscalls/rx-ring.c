// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive side: a ring that the kernel fills through a packet socket. Receiving requires no
 * system call: reading a slot and returning it is measured.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cli.h"
#include "packet.h"

struct ring_rx {
	struct packet_ring ring;
	unsigned int size;
};

static void *open_ring(const struct bench *bench, unsigned int batch, unsigned int chunk)
{
	struct ring_rx *rx = bench_alloc(1, sizeof(*rx));
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = packet_protocol(bench),
		.sll_ifindex = bench->ifindex,
	};

	(void)batch;
	packet_open(&rx->ring, bench, PACKET_RX_RING, chunk);
	if (bind(rx->ring.fd, (struct sockaddr *)&address, sizeof(address)))
		cli_fail("%s: binding a packet socket", bench->ifname);
	rx->size = bench->size;
	return rx;
}

static void close_ring(void *state)
{
	struct ring_rx *rx = state;

	packet_close(&rx->ring);
	free(rx);
}

static unsigned int ring_room(void *state)
{
	struct ring_rx *rx = state;

	return rx->ring.slots;
}

static unsigned int ring_waiting(void *state)
{
	struct ring_rx *rx = state;
	unsigned int count = 0;

	while (count < rx->ring.slots &&
	       packet_status(packet_slot(&rx->ring, rx->ring.next + count)) & TP_STATUS_USER)
		count++;
	return count;
}

/* The frame is copied, as in the other methods. */
static unsigned int ring_drain(void *state, unsigned int count)
{
	struct ring_rx *rx = state;
	struct canfd_frame frame;
	unsigned int done;

	for (done = 0; done < count; done++) {
		struct tpacket2_hdr *slot = packet_slot(&rx->ring, rx->ring.next);

		if (!(packet_status(slot) & TP_STATUS_USER) || slot->tp_snaplen != rx->size)
			break;
		memcpy(&frame, (unsigned char *)slot + slot->tp_mac, rx->size);
		/* Prevents the compiler from removing the unused copy */
		__asm__ volatile("" : : "r"(&frame) : "memory");
		packet_set_status(slot, TP_STATUS_KERNEL);
		rx->ring.next++;
	}
	return done;
}

const struct method rx_ring = {
	.name = "rx-ring",
	.about = "mapped ring of a packet socket, no system call",
	.side = SIDE_RX,
	.open = open_ring,
	.room = ring_room,
	.waiting = ring_waiting,
	.transfer = ring_drain,
	.close = close_ring,
};
