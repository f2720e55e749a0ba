/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CAN_RAW sockets: opening and binding with messages for all errors, receiving with
 * timestamps, and sending that waits while the queue of the interface is full. One
 * thread may send on a socket while another one receives.
 */
#ifndef CAN_TOOLS_RAWSOCK_H
#define CAN_TOOLS_RAWSOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>
#include <linux/can/raw.h>

enum rawsock_flags {
	RAWSOCK_FD = 1 << 0,		/* also send and receive CAN FD frames */
	RAWSOCK_NONBLOCK = 1 << 1,
	RAWSOCK_OWN = 1 << 2,		/* receive the socket's own frames */
	RAWSOCK_NO_LOCAL = 1 << 3,	/* other local sockets do not receive its frames */
	RAWSOCK_STAMP = 1 << 4,		/* hardware timestamps, else those of the kernel */
	RAWSOCK_NO_RX = 1 << 5,		/* receive no frames */
};

/**
 * struct rawsock_frame - a received frame and its ancillary data
 * @frame: the frame; a Classical CAN frame occupies the start of the struct
 * @size: CAN_MTU or CANFD_MTU
 * @echo: sent by this socket (MSG_CONFIRM)
 * @local: sent on this host (MSG_DONTROUTE)
 * @stamp: receive timestamp in ns, 0 without RAWSOCK_STAMP. CLOCK_REALTIME unless @hardware
 * @hardware: @stamp is from the clock of the controller
 * @dropped: frames that the socket has dropped because its queue was full (SO_RXQ_OVFL)
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
 * rawsock_open() - open a socket and bind it to @ifname. Exits with CLI_SYSTEM and a
 * message about the interface, the privilege or the socket option on failure.
 */
int rawsock_open(const char *ifname, unsigned int flags);

/* rawsock_ifindex() - index of @ifname. Exits with CLI_SYSTEM if it is not a CAN interface. */
int rawsock_ifindex(const char *ifname);

/* rawsock_up() - exit with CLI_SYSTEM and a hint if the interface is down. */
void rawsock_up(const char *ifname);

/*
 * rawsock_filter() - receive only matching frames; CAN_EFF_FLAG and CAN_RTR_FLAG of @id
 * are compared if they are set in @mask. @invert: receive only all others.
 */
void rawsock_filter(int fd, canid_t id, canid_t mask, bool invert);

/*
 * rawsock_rcvbuf() - set the size of the receive queue to @frames (SO_RCVBUFFORCE, else
 * SO_RCVBUF). False: the queue holds fewer frames.
 */
bool rawsock_rcvbuf(int fd, unsigned int frames);

/*
 * rawsock_dropped() - frames that the socket has dropped because its queue was full,
 * including those after the last frame that was read.
 */
uint32_t rawsock_dropped(int fd);

/*
 * rawsock_recv() - receive a frame. 1: it is in @f. 0: no frame within @timeout_ns (0: do
 * not wait, UINT64_MAX: no limit), or cli_stopped is set. Exits with CLI_SYSTEM if the
 * interface was removed or is down.
 */
int rawsock_recv(int fd, struct rawsock_frame *f, uint64_t timeout_ns);

/*
 * rawsock_send() - send @size (CAN_MTU or CANFD_MTU) bytes of @frame. While the queue of
 * the interface is full (ENOBUFS, EAGAIN), retries until @deadline (CLOCK_MONOTONIC in
 * ns, UINT64_MAX: no limit). False: not sent before @deadline or cli_stopped. Exits with
 * CLI_SYSTEM at any other error.
 */
bool rawsock_send(int fd, const struct canfd_frame *frame, unsigned int size, uint64_t deadline);

#endif
