/* SPDX-License-Identifier: GPL-2.0-only */
/* One direction of a gateway: the loop between its two sides. */
#ifndef CANUGW_FORWARD_H
#define CANUGW_FORWARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "side.h"

/**
 * struct direction - frames of one interface go to another
 * @quota: frames that may still be forwarded, of all directions together; NULL: no limit
 * @priority: real-time priority of the thread, 0: none
 * @on_end: eventfd(2) to tell that the thread ends
 * @received: frames that the receive side handed out
 * @error_frames: error frames among these; they are news of this bus, not to be sent
 * @unsendable: frames among these that the other interface cannot send: CAN FD on a
 *	Classical CAN one
 * @taken: frames that went to the send side
 * @cannot_send: the send side failed
 * @failed: ended because of an error, which was printed
 * @cpu_ns: CPU time of the thread
 *
 * Written by the thread of the direction; all but @received and tx.sent are read after
 * it has ended.
 */
struct direction {
	struct rx rx;
	struct tx tx;
	_Atomic int64_t *quota;
	unsigned int priority;
	int on_end;
	pthread_t thread;
	_Atomic uint64_t received;
	uint64_t error_frames;
	uint64_t unsendable;
	uint64_t taken;
	bool cannot_send;
	bool failed;
	uint64_t cpu_ns;
};

/*
 * forward_open() - open both sides; frames are queued from now on. Exits when the system
 * refuses.
 */
void forward_open(struct direction *dir, const struct settings *set, struct port *from,
		  struct port *to);

/*
 * forward_run() - the thread: until stop_requested(), or the quota is used up, or an
 * error. Ends the other directions with itself. @arg: the direction
 */
void *forward_run(void *arg);

#endif
