/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An interface of the gateway, and how the gateway recognizes its own frames.
 *
 * Sent frames are looped back to the sockets of this host, so a gateway in both directions
 * receives its own frames on each interface. It must not forward these, but must forward
 * frames of other programs on this host, which are looped back in the same way. The flag for
 * local frames (MSG_DONTROUTE) does not distinguish them, and packet sockets do not have it.
 *
 * - If CAN_RAW is used to receive and to send, one socket per interface does both. The kernel
 *   does not pass the frames of a socket to itself (CAN_RAW_RECV_OWN_MSGS is off). This is
 *   exact and requires no privilege.
 * - If a packet socket is used, an interface has two sockets. The sending one marks its frames
 *   (SO_MARK). The frame keeps the mark through the driver and the loopback, and a filter on
 *   the receiving socket drops frames with the mark of this interface. Each gateway and each
 *   of its interfaces has a different mark.
 *
 * A packet socket for all protocols also receives outgoing frames before they are on the bus.
 * PACKET_IGNORE_OUTGOING disables that; the socket then receives the same frames as a CAN_RAW
 * socket.
 *
 * Written by the main thread before the other threads start; they only read it.
 */
#ifndef CANUGW_PORT_H
#define CANUGW_PORT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct port - an interface
 * @mtu: size of the largest frame that the interface sends
 * @echo: the driver loops frames back (IFF_ECHO)
 * @receives: the gateway receives from this interface
 * @raw: CAN_RAW socket, -1 before port_raw() was called
 * @mark: SO_MARK of frames sent on the interface, 0: none
 */
struct port {
	const char *name;
	int ifindex;
	unsigned int mtu;
	bool echo;
	bool receives;
	int raw;
	uint32_t mark;
};

/* port_open() - query the interface; exits with a message if it cannot be used. */
void port_open(struct port *port, const char *name, bool receives);

/*
 * port_raw() - CAN_RAW socket of the interface, which the first call opens; @queue: size of
 * its receive queue in frames.
 */
int port_raw(struct port *port, unsigned int queue);

/* port_mark_sent() - let @fd send with the mark of the port, if it has one. */
void port_mark_sent(const struct port *port, int fd);

/* port_ignore_own() - let @fd drop frames with the mark of the port, if it has one. */
void port_ignore_own(const struct port *port, int fd);

#endif
