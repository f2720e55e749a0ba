// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive side: a ring that the kernel fills through a packet socket. next() needs no system
 * call; wait() calls poll(), or returns immediately in busy-polling variants. Runs in the
 * thread of its direction, open() in the main thread.
 *
 * A slot is returned to the kernel by the following call of next(), because the frame that
 * next() returned is in the slot.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "cli.h"
#include "packet.h"
#include "side.h"

/* Busy polling checks after this number of iterations whether the interface is down. */
#define TURNS_TO_CHECK 65536

/**
 * struct ring_state - the ring
 * @held: slot of the frame that next() returned, or NULL
 * @turns: iterations of busy polling without a frame
 */
struct ring_state {
	struct packet_ring ring;
	struct tpacket2_hdr *held;
	unsigned int turns;
};

static void bind_socket(const struct port *port, int fd)
{
	/* One socket for Classical CAN and CAN FD keeps the order of frames. */
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = port->ifindex,
	};
	int on = 1;

	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)))
		cli_fail("%s: packet socket: setting PACKET_IGNORE_OUTGOING (Linux 4.20)", port->name);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)))
		cli_fail("%s: packet socket: bind", port->name);
}

static void open_ring(struct rx *rx, const struct settings *set)
{
	struct ring_state *st = side_alloc(1, sizeof(*st));

	packet_open(&st->ring, rx->port, PACKET_RX_RING, set->queue);
	port_ignore_own(rx->port, st->ring.fd);
	bind_socket(rx->port, st->ring.fd);
	rx->state = st;
}

static void release_held(struct ring_state *st)
{
	if (st->held)
		packet_set_status(st->held, TP_STATUS_KERNEL);
	st->held = NULL;
}

/* The length is not sufficient: a CAN XL frame may have the same one. */
static bool has_can_frame(const struct tpacket2_hdr *slot)
{
	const struct sockaddr_ll *from =
		(const void *)((const uint8_t *)slot + TPACKET_ALIGN(sizeof(*slot)));

	switch (ntohs(from->sll_protocol)) {
	case ETH_P_CAN:
		return slot->tp_len == CAN_MTU;
	case ETH_P_CANFD:
		return slot->tp_len == CANFD_MTU;
	default:
		return false;
	}
}

static enum side_result ring_next(struct rx *rx, struct frame *frame)
{
	struct ring_state *st = rx->state;
	struct tpacket2_hdr *slot;

	for (;;) {
		release_held(st);
		slot = packet_slot(&st->ring, st->ring.head);
		if (!(packet_status(slot) & TP_STATUS_USER))
			return SIDE_NOTHING;
		st->held = slot;
		st->ring.head = packet_after(&st->ring, st->ring.head);
		if (has_can_frame(slot))
			break;
		rx->foreign++;
	}
	frame->data = (const void *)((const uint8_t *)slot + slot->tp_mac);
	frame->size = slot->tp_len;
	st->turns = 0;
	return SIDE_DONE;
}

static enum side_result check_socket(struct rx *rx)
{
	struct ring_state *st = rx->state;
	int error = side_error(st->ring.fd);

	if (!error)
		return SIDE_NOTHING;
	cli_warn("%s: receiving: %s", rx->port->name, strerror(error));
	return SIDE_FAILED;
}

static enum side_result ring_wait(struct rx *rx)
{
	struct ring_state *st = rx->state;
	struct pollfd readable = { .fd = st->ring.fd, .events = POLLIN };

	if (poll(&readable, 1, -1) < 0 && errno != EINTR) {
		cli_warn("%s: waiting: %m", rx->port->name);
		return SIDE_FAILED;
	}
	if (readable.revents & (POLLERR | POLLHUP | POLLNVAL))
		return check_socket(rx);
	return SIDE_NOTHING;
}

static enum side_result ring_wait_busy(struct rx *rx)
{
	struct ring_state *st = rx->state;

	side_relax();
	if (++st->turns % TURNS_TO_CHECK)
		return SIDE_NOTHING;
	return check_socket(rx);
}

static uint64_t ring_lost(struct rx *rx)
{
	struct ring_state *st = rx->state;
	struct tpacket_stats stats;
	socklen_t size = sizeof(stats);

	if (getsockopt(st->ring.fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size))
		cli_fail("%s: packet socket: PACKET_STATISTICS", rx->port->name);
	return stats.tp_drops;
}

const struct rx_ops rx_packet = {
	.open = open_ring,
	.next = ring_next,
	.wait = ring_wait,
	.lost = ring_lost,
};

const struct rx_ops rx_packet_busy = {
	.open = open_ring,
	.next = ring_next,
	.wait = ring_wait_busy,
	.lost = ring_lost,
};
