/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receive queue of a CAN_RAW socket. The number of queued frames can be read without
 * receiving one. Not thread-safe.
 */
#ifndef CANBENCH_QUEUE_H
#define CANBENCH_QUEUE_H

#include "bench.h"

/**
 * struct queue - a socket and its queue
 * @charge: memory charged for a queued frame (skb->truesize)
 */
struct queue {
	int fd;
	unsigned int charge;
};

/*
 * queue_open() - open a socket whose queue holds @chunk frames, or as many as allowed. Exits
 * if frames of other programs arrive.
 */
void queue_open(struct queue *queue, const struct bench *bench, unsigned int chunk);

/* queue_room() - number of frames that the queue holds. */
unsigned int queue_room(const struct queue *queue);

/* queue_waiting() - number of frames in the queue. */
unsigned int queue_waiting(const struct queue *queue);

/* queue_drain() - receive @count frames with read(). Returns the number of frames. */
unsigned int queue_drain(const struct queue *queue, unsigned int size, unsigned int count);

#endif
