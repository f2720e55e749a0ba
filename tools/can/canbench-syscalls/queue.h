/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The receive queue of a CAN_RAW socket, with a look inside: how many frames
 * wait in it, without a call that receives one. Not thread-safe.
 */
#ifndef CANBENCH_QUEUE_H
#define CANBENCH_QUEUE_H

#include "bench.h"

/**
 * struct queue - a socket and its queue
 * @charge: what a waiting frame takes of the queue's limit (skb->truesize)
 */
struct queue {
	int fd;
	unsigned int charge;
};

/*
 * queue_open() - a socket whose queue holds @chunk frames, or as many as
 * allowed. Ends the program if frames of others arrive.
 */
void queue_open(struct queue *queue, const struct bench *bench, unsigned int chunk);

/* queue_room() - how many frames it holds. */
unsigned int queue_room(const struct queue *queue);

/* queue_waiting() - how many are in it. */
unsigned int queue_waiting(const struct queue *queue);

/* queue_drain() - receive @count frames with read(); returns how many it were. */
unsigned int queue_drain(const struct queue *queue, unsigned int size, unsigned int count);

#endif
