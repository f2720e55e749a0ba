/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An interface as the gateway holds it, and how the gateway knows its own frames
 * when they come back.
 *
 * What is sent is looped back to the sockets of this host, so that a gateway of
 * both directions receives on each interface what it has sent there itself. It
 * must not forward that, but it must forward frames of other programs of this
 * host, which are looped back in the same way: that a frame is local
 * (MSG_DONTROUTE, CAN_RAW) says too much, and a packet socket is not even told.
 *
 * - Where CAN_RAW both receives and sends, one socket per interface does both:
 *   the kernel does not hand a socket its own frames (CAN_RAW_RECV_OWN_MSGS is
 *   off). Exact, and needs no privilege.
 * - Where a packet socket is involved, what receives and what sends on an
 *   interface are two sockets. The sending one marks its frames (SO_MARK), the
 *   mark stays with the frame through the driver and back, and a filter on the
 *   receiving socket drops frames with the mark of this interface. Each gateway
 *   and each of its interfaces has another mark.
 *
 * A packet socket of all protocols also sees a frame on its way out, before it is
 * on the bus; PACKET_IGNORE_OUTGOING turns that off, and what is left is what a
 * CAN_RAW socket sees.
 *
 * Main thread; afterwards the threads only read it.
 */
#ifndef CANUGW_PORT_H
#define CANUGW_PORT_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct port - an interface
 * @mtu: of the interface: the largest frame that it sends
 * @echo: its driver loops frames back (IFF_ECHO)
 * @receives: frames are received from it
 * @raw: CAN_RAW socket; -1 until port_raw() is called
 * @mark: SO_MARK of frames sent on it; 0: not needed
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

/* port_open() - look the interface up; exits with a message if it is not usable. */
void port_open(struct port *port, const char *name, bool receives);

/*
 * port_raw() - the CAN_RAW socket of the interface, the same at each call; @queue: frames
 * in its receive queue.
 */
int port_raw(struct port *port, unsigned int queue);

/* port_mark_sent() - give what @fd sends the mark of the port, if it has one. */
void port_mark_sent(const struct port *port, int fd);

/* port_ignore_own() - let @fd not receive what has the mark of the port, if it has one. */
void port_ignore_own(const struct port *port, int fd);

#endif
