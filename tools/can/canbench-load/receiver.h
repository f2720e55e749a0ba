/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receiving thread: it waits for the frames of one interface, with real-time
 * priority, and records when each frame arrives. The main thread calls these functions.
 * It reads the records only while no frame is on its way.
 */
#ifndef CANBENCH_LOAD_RECEIVER_H
#define CANBENCH_LOAD_RECEIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "settings.h"
#include "waiting.h"

/**
 * struct receiver_options - options of the thread
 * @stamping: also get the kernel timestamps
 * @priority: real-time priority; 0: a thread of normal priority
 * @busy_poll: time that read() polls the driver before it sleeps, us
 * @waiting: how it waits
 * @set: settings of the frames
 */
struct receiver_options {
	bool stamping;
	unsigned int priority, cpu;
	uint64_t busy_poll;
	enum waiting waiting;
	const struct settings *set;
};

/**
 * struct receiver - records of the thread
 * @fd: its socket
 * @waiter: waits for a frame of @fd
 * @room: maximum number of frames in a run
 * @at: time of each frame at the return of read(), CLOCK_MONOTONIC in ns; 0: not received
 * @stamped: kernel timestamp of each frame, CLOCK_REALTIME in ns
 * @received: number of frames in this run
 * @next: number of the next expected frame
 * @late: frames that were received after a later one, or twice
 * @strange: frames that do not belong to the run
 */
struct receiver {
	int fd;
	struct waiter waiter;
	uint64_t room;
	struct receiver_options options;
	uint64_t *at, *stamped;
	_Atomic uint64_t received;
	uint64_t next, late, strange;
};

/*
 * receiver_start() - start the thread, for up to @room frames per run. Exits with CLI_SYSTEM
 * on error.
 */
void receiver_start(struct receiver *receiver, const char *ifname, uint64_t room,
		    const struct receiver_options *options);

/* receiver_stop() - call before the interface is removed; may be called repeatedly. */
void receiver_stop(void);

/* receiver_clear() - clear the records before a run. */
void receiver_clear(struct receiver *receiver);

/* receiver_dropped() - frames that were dropped because the queue of the socket was full. */
uint64_t receiver_dropped(const struct receiver *receiver);

#endif
