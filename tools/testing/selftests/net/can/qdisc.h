/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queueing disciplines for the selftests. As in cantest.h, functions return 0 or a positive
 * result, or a negative errno value.
 */
#ifndef QDISC_H
#define QDISC_H

#include <stdint.h>
#include <stdbool.h>
#include <time.h>

#include <linux/can.h>
#include <linux/can/sch_prio.h>

struct nlmsghdr;
struct sockaddr_ll;

/**
 * struct qd_stats - what a dump says about a qdisc
 * @kind: its kind
 * @lifetime: TCA_CAN_PRIO_LIFETIME, 0 without that
 * @packets: frames that were sent
 * @qlen: frames that wait
 * @backlog: bytes that wait
 * @drops: frames that were dropped or refused
 * @overlimits: frames that waited too long
 * @expired: as in struct tc_can_prio_xstats
 * @refused_limit: likewise
 * @refused_sender: likewise
 * @refused_memory: likewise
 */
struct qd_stats {
	char kind[16];
	int64_t lifetime;
	int64_t packets;
	int64_t qlen;
	int64_t backlog;
	int64_t drops;
	int64_t overlimits;
	int64_t expired;
	int64_t refused_limit;
	int64_t refused_sender;
	int64_t refused_memory;
};

/**
 * qd_msg() - begin a request for the root qdisc of an interface
 * @buf: of MNL_SOCKET_BUFFER_SIZE bytes
 * @type: RTM_NEWQDISC or RTM_DELQDISC
 * @name: of the interface
 * @kind: of the qdisc, or NULL
 *
 * Return: the message, to which a test may add options, for ct_nl().
 */
struct nlmsghdr *qd_msg(void *buf, int type, const char *name, const char *kind);

/** qd_replace() - what "tc qdisc replace dev @name root @kind" does */
int qd_replace(const char *name, const char *kind);

/** qd_lifetime() - replace the root qdisc by can_prio, or change its lifetime in ns */
int qd_lifetime(const char *name, uint64_t lifetime);

/** qd_delete() - what "tc qdisc del dev @name root" does */
int qd_delete(const char *name);

/** qd_stats() - dump the root qdisc of an interface; -ENOENT if it has none */
int qd_stats(const char *name, struct qd_stats *stats);

/** qd_charged() - bytes of frames that wait in the SO_SNDBUF of a socket */
int qd_charged(int fd);

/** qd_await_uncharged() - wait until none wait; 0 or -ETIMEDOUT */
int qd_await_uncharged(int fd);

/** qd_await() - wait until the qdisc of an interface has this many frames; 0 or -ETIMEDOUT */
int qd_await(const char *name, int64_t qlen);

/** qd_txtime() - set SO_TXTIME of a socket; @flags as in struct sock_txtime */
int qd_txtime(int fd, clockid_t clock, unsigned int flags);

/** qd_send_until() - send a frame with a time in the clock of qd_txtime() */
int qd_send_until(int fd, const struct can_frame *frame, int64_t deadline);

/**
 * struct qd_ring - a packet socket that sends from a ring of pages (PACKET_TX_RING)
 * @fd: the socket
 * @pages: the ring
 * @count: packets that were put into it
 */
struct qd_ring {
	int fd;
	char *pages;
	unsigned int count;
};

/** qd_ring_open() - make the ring; it belongs to the process until its end */
int qd_ring_open(struct qd_ring *ring);

/**
 * qd_ring_send() - send a packet, whose bytes are not in the linear part of its skb
 * @ring: made by qd_ring_open()
 * @addr: interface and protocol
 * @data: of the packet
 * @len: of @data
 *
 * Waits while all of the ring is in use.
 *
 * Return: @len, or -ETIMEDOUT, or the error of sendto().
 */
int qd_ring_send(struct qd_ring *ring, const struct sockaddr_ll *addr, const void *data,
		 unsigned int len);

#endif /* QDISC_H */
