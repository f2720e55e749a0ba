/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings of the measurement, and the interface of a method. One thread.
 */
#ifndef CANBENCH_BENCH_H
#define CANBENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/* Maximum of --batch */
#define BATCH_MAX 1024

/**
 * struct bench - settings for all methods of a run
 * @ifname: the interface, which no other program uses
 * @frames: each figure is the mean of this number of frames
 * @frame: frame to send; @size: CAN_MTU or CANFD_MTU
 * @deliver: the interface delivers sent frames to local receivers
 * @receiver: send side: a socket receives the frames
 * @feeder: CAN_RAW socket that sends frames to the receive side
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
 * struct method - a method to receive or to send frames
 * @batched: a system call handles --batch frames; the number is appended to the name of
 *	the figure
 * @socket_looped: frames are sent with CAN_RAW, which delivers them to local receivers on
 *	any interface
 * @open: open sockets for @batch frames per system call; SIDE_RX: with a queue for @chunk
 *	frames. Exits on error
 * @room: SIDE_RX: number of frames that the queue holds
 * @waiting: SIDE_RX: number of frames in the queue
 * @transfer: the measured function: receive or send @count frames, and return their number
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

/* bench_alloc() - allocate zeroed memory; exits on error. */
void *bench_alloc(size_t count, size_t size);

#endif
