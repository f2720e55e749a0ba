/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is measured, and what a method has to offer to be measured. One thread
 * runs all of it.
 */
#ifndef CANBENCH_BENCH_H
#define CANBENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/* Frames per system call, at most: --batch. */
#define BATCH_MAX 1024

/**
 * struct bench - the same for all methods of a run
 * @ifname: the interface, which nobody else uses
 * @frames: each figure is the mean of so many
 * @frame: what is sent; @size: CAN_MTU or CANFD_MTU
 * @deliver: the interface passes what is sent to local receivers
 * @receiver: on the send side, there is one: a socket
 * @feeder: CAN_RAW socket that sends what the receive side receives
 */
struct bench {
	const char *ifname;
	int ifindex;
	uint64_t frames;
	struct canfd_frame frame;
	unsigned int size;
	bool deliver;
	bool receiver;
	int feeder;
};

enum side {
	SIDE_RX,
	SIDE_TX,
};

/**
 * struct method - one way to receive frames, or to send them
 * @batched: a system call handles several frames, --batch says how many; the
 *	name of the figure then ends in the number
 * @socket_looped: frames go through CAN_RAW, which passes them to local
 *	receivers on any interface
 * @open: get ready; @batch frames per system call, and for SIDE_RX a queue for
 *	@chunk frames. Never fails, but ends the program
 * @room: SIDE_RX: how many frames the queue really holds
 * @waiting: SIDE_RX: how many are in it now
 * @transfer: what is measured: receive or send @count frames, return how many it were
 */
struct method {
	const char *name;
	const char *about;
	enum side side;
	bool batched;
	bool socket_looped;
	void *(*open)(const struct bench *bench, unsigned int batch, unsigned int chunk);
	unsigned int (*room)(void *state);
	unsigned int (*waiting)(void *state);
	unsigned int (*transfer)(void *state, unsigned int count);
	void (*close)(void *state);
};

extern const struct method rx_read, rx_recv, rx_recvmmsg, rx_ring, rx_uring;
extern const struct method tx_write, tx_sendmmsg, tx_ring, tx_uring;

/* bench_alloc() - zeroed memory, or the end of the program. */
void *bench_alloc(size_t count, size_t size);

#endif
