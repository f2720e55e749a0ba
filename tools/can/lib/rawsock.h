/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CAN_RAW sockets as the programs need them: opened and bound with a clear
 * message on failure, frames with their time stamps, and sending that waits
 * when the queue of the interface is full. A socket may be used by one thread
 * at a time in each direction.
 */
#ifndef CAN_TOOLS_RAWSOCK_H
#define CAN_TOOLS_RAWSOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>
#include <linux/can/raw.h>

enum rawsock_flags {
	RAWSOCK_FD = 1 << 0,		/* send and receive CAN FD frames too */
	RAWSOCK_NONBLOCK = 1 << 1,
	RAWSOCK_OWN = 1 << 2,		/* receive the socket's own frames, see RAWSOCK_ECHO */
	RAWSOCK_NO_LOCAL = 1 << 3,	/* other local sockets do not see what it sends */
	RAWSOCK_STAMP = 1 << 4,		/* time stamps: of hardware where it has them, else the kernel's */
	RAWSOCK_NO_RX = 1 << 5,		/* never receives anything */
};

/**
 * struct rawsock_frame - a received frame and what the kernel says of it
 * @frame: the frame; Classical CAN ones too, they are the start of the struct
 * @size: CAN_MTU or CANFD_MTU
 * @echo: sent by this very socket (MSG_CONFIRM)
 * @local: sent on this host (MSG_DONTROUTE)
 * @stamp: time of reception in ns, 0 without RAWSOCK_STAMP. CLOCK_REALTIME unless @hardware
 * @hardware: @stamp is of the controller's own clock
 * @dropped: frames that this socket lost so far because its queue was full (SO_RXQ_OVFL)
 */
struct rawsock_frame {
	struct canfd_frame frame;
	unsigned int size;
	bool echo;
	bool local;
	bool hardware;
	uint64_t stamp;
	uint32_t dropped;
};

/*
 * rawsock_open() - a socket bound to @ifname. On failure prints which of
 * interface, privilege or option it was and exits with CLI_SYSTEM.
 */
int rawsock_open(const char *ifname, unsigned int flags);

/* rawsock_ifindex() - the index of @ifname; exits with CLI_SYSTEM if it is not a CAN interface. */
int rawsock_ifindex(const char *ifname);

/* rawsock_up() - the interface is up; exits with CLI_SYSTEM and says how to bring it up if not. */
void rawsock_up(const char *ifname);

/*
 * rawsock_filter() - receive only frames that match; CAN_EFF_FLAG and
 * CAN_RTR_FLAG of @id count when they are in @mask. @invert: all others.
 */
void rawsock_filter(int fd, canid_t id, canid_t mask, bool invert);

/* rawsock_rcvbuf() - let the receive queue hold @frames (SO_RCVBUFFORCE, else SO_RCVBUF); false: it holds fewer. */
bool rawsock_rcvbuf(int fd, unsigned int frames);

/* rawsock_dropped() - frames that the socket lost so far because its queue was full, with those after the latest one read. */
uint32_t rawsock_dropped(int fd);

/*
 * rawsock_recv() - next frame. 1: there is one in @f; 0: none within
 * @timeout_ns (0: do not wait, UINT64_MAX: for ever), or cli_stopped.
 * Exits with CLI_SYSTEM when the interface went away.
 */
int rawsock_recv(int fd, struct rawsock_frame *f, uint64_t timeout_ns);

/*
 * rawsock_send() - send @size (CAN_MTU or CANFD_MTU) bytes of @frame. While the
 * queue of the interface is full (ENOBUFS, EAGAIN), waits and tries again until
 * @deadline (CLOCK_MONOTONIC ns; UINT64_MAX: for ever). False: not sent, for
 * the deadline or cli_stopped. Any other error: message and exit with CLI_SYSTEM.
 */
bool rawsock_send(int fd, const struct canfd_frame *frame, unsigned int size, uint64_t deadline);

#endif
