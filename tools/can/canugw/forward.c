// SPDX-License-Identifier: GPL-2.0-only
/*
 * One direction of a gateway. forward_open() runs in the main thread, forward_run()
 * is a thread of its own.
 *
 * The loop is the same for all variants, and that of the paper in canugw.1. It takes frames
 * while there are any and passes them to the send side, which sends them when its batch is
 * full. If there are no more frames, the batch is flushed. The loop waits only if there is
 * still no frame. At the end, frames that have left the receive queue are still sent.
 */
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>

#include "cli.h"
#include "forward.h"
#include "rt.h"
#include "stop.h"
#include "variant.h"

void forward_open(struct direction *dir, const struct settings *set, struct port *from,
		  struct port *to)
{
	dir->rx.ops = set->variant->rx;
	dir->rx.port = from;
	dir->tx.ops = set->variant->tx;
	dir->tx.port = to;
	dir->tx.peer = &dir->rx;
	dir->rx.ops->open(&dir->rx, set);
	dir->tx.ops->open(&dir->tx, set);
}

static void count_received(struct direction *dir)
{
	uint64_t received = atomic_load_explicit(&dir->received, memory_order_relaxed);

	atomic_store_explicit(&dir->received, received + 1, memory_order_relaxed);
}

/* False: the quota is used up. */
static bool use_quota(struct direction *dir)
{
	return !dir->quota || atomic_fetch_sub_explicit(dir->quota, 1, memory_order_relaxed) > 0;
}

static bool quota_used_up(struct direction *dir)
{
	return dir->quota && atomic_load_explicit(dir->quota, memory_order_relaxed) <= 0;
}

static enum side_result send_one(struct direction *dir, const struct frame *frame)
{
	enum side_result result;

	if (!use_quota(dir))
		return SIDE_NOTHING;
	count_received(dir);
	dir->taken++;
	result = dir->tx.ops->put(&dir->tx, frame);
	dir->cannot_send = result == SIDE_FAILED;
	/* Not at the next frame, which may never arrive. */
	if (quota_used_up(dir))
		stop_request();
	return result;
}

/* SIDE_NOTHING: the loop must end. */
static enum side_result forward_one(struct direction *dir, const struct frame *frame)
{
	if (frame->data->can_id & CAN_ERR_FLAG)
		dir->error_frames++;
	else if (frame->size > dir->tx.port->mtu)
		dir->unsendable++;
	else
		return send_one(dir, frame);
	count_received(dir);
	return SIDE_DONE;
}

static enum side_result flush_tx(struct direction *dir)
{
	enum side_result result = dir->tx.ops->flush(&dir->tx);

	dir->cannot_send = result == SIDE_FAILED;
	return result;
}

static enum side_result flush_and_wait(struct direction *dir)
{
	enum side_result result = flush_tx(dir);

	if (result != SIDE_NOTHING)
		return result;
	return dir->rx.ops->wait(&dir->rx);
}

static bool at_end(struct direction *dir)
{
	if (quota_used_up(dir) || stop_overdue())
		return true;
	if (!stop_requested())
		return false;
	return !dir->rx.ops->has_pending || !dir->rx.ops->has_pending(&dir->rx);
}

static enum side_result forward_loop(struct direction *dir)
{
	enum side_result result = SIDE_DONE;
	struct frame frame;

	if (dir->rx.ops->begin)
		result = dir->rx.ops->begin(&dir->rx);
	while (result != SIDE_FAILED && !at_end(dir)) {
		result = dir->rx.ops->next(&dir->rx, &frame);
		if (result == SIDE_NOTHING) {
			result = flush_and_wait(dir);
		} else if (result == SIDE_DONE) {
			result = forward_one(dir, &frame);
			if (result == SIDE_NOTHING)
				break;
		}
	}
	return result;
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000ULL + used.tv_nsec;
}

void *forward_run(void *arg)
{
	struct direction *dir = arg;
	enum side_result result;

	rt_priority(dir->priority);
	result = forward_loop(dir);
	stop_request();
	/* Flush even if receiving failed: earlier frames must be sent. */
	if (!dir->cannot_send)
		flush_tx(dir);
	if (!dir->cannot_send && dir->tx.ops->finish)
		dir->tx.ops->finish(&dir->tx);
	dir->failed = dir->cannot_send || result == SIDE_FAILED;
	dir->cpu_ns = thread_cpu_ns();
	eventfd_write(dir->on_end, 1);
	return NULL;
}
