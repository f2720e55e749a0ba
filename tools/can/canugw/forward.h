/* SPDX-License-Identifier: GPL-2.0-only */
/* One direction of a gateway: the loop between receive side and send side. */
#ifndef CANUGW_FORWARD_H
#define CANUGW_FORWARD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "side.h"

/**
 * struct direction - a direction of the gateway
 * @quota: remaining number of frames to forward, shared by all directions; NULL: no limit
 * @priority: real-time priority of the thread, 0: none
 * @on_end: eventfd(2) that the thread signals when it ends
 * @received: frames from the receive side
 * @error_frames: error message frames among these, which are not forwarded
 * @unsendable: CAN FD frames among these that the other interface does not support
 * @taken: frames passed to the send side
 * @cannot_send: the send side failed
 * @failed: the thread ended because of an error, which was printed
 * @cpu_ns: CPU time of the thread
 *
 * Written by the thread of the direction. The main thread reads @received and tx.sent at any
 * time, all others after the thread has ended.
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
 * forward_open() - open both sides; frames are queued from now on. Exits on error.
 */
void forward_open(struct direction *dir, const struct settings *set, struct port *from,
		  struct port *to);

/*
 * forward_run() - the thread of direction @arg. It runs until stop_requested(), until the
 * quota is used up, or until an error, and then ends the other direction, too.
 */
void *forward_run(void *arg);

#endif
