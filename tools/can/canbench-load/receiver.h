/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The application: a thread that waits in read() for the frames of one interface,
 * with a real-time priority, and notes when each one came. The main thread calls
 * these; it looks at what the reader notes only when no frame is on its way.
 */
#ifndef CANBENCH_LOAD_RECEIVER_H
#define CANBENCH_LOAD_RECEIVER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct receiver_options - how it reads
 * @stamping: have the kernel's time stamps too
 * @priority: of the thread
 * @busy_poll: how long read() polls the driver before it sleeps, us
 */
struct receiver_options {
	bool stamping;
	unsigned int priority;
	uint64_t busy_poll;
};

/**
 * struct receiver - what it notes
 * @fd: its socket
 * @room: frames of a run that fit
 * @options: how it reads
 * @at: of each frame, the return of read(), CLOCK_MONOTONIC ns; 0: it did not come
 * @stamped: likewise, the kernel's time stamp, CLOCK_REALTIME ns
 * @received: frames of the run so far
 * @next: number of the one that is expected
 * @late: frames that came after one that was sent later, or twice
 * @strange: frames that are not of the run
 */
struct receiver {
	int fd;
	uint64_t room;
	struct receiver_options options;
	uint64_t *at, *stamped;
	_Atomic uint64_t received;
	uint64_t next, late, strange;
};

/* receiver_start() - it waits for frames of up to @room each run. Exits with CLI_SYSTEM if it cannot. */
void receiver_start(struct receiver *receiver, const char *ifname, uint64_t room,
		    const struct receiver_options *options);

/* receiver_stop() - before its interface goes; may be called at any time, and twice. */
void receiver_stop(void);

/* receiver_clear() - before a run. */
void receiver_clear(struct receiver *receiver);

/* receiver_dropped() - frames that found its socket full. */
uint64_t receiver_dropped(const struct receiver *receiver);

#endif
