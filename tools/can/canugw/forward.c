// SPDX-License-Identifier: GPL-2.0-only
/*
 * One direction of a gateway. forward_open() runs in the main thread, forward_run()
 * is a thread of its own.
 *
 * The loop is that of the paper for all variants: take frames as long as there are
 * any and hand them to the send side, which sends when it is full; when there are no
 * more, let it send what it has kept; only if still nothing came, wait. At the end
 * what has left the receive queue is still sent.
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

/* Takes one of the quota; false: it is used up. */
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
	/* now, not at the next frame: there may never be one */
	if (quota_used_up(dir))
		stop_request();
	return result;
}

/* SIDE_NOTHING: this was the end. */
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
	return stop_requested() && !(dir->rx.ops->has_pending && dir->rx.ops->has_pending(&dir->rx));
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
	/* also when receiving failed: what came before that is to be sent */
	if (!dir->cannot_send)
		flush_tx(dir);
	if (!dir->cannot_send && dir->tx.ops->finish)
		dir->tx.ops->finish(&dir->tx);
	dir->failed = dir->cannot_send || result == SIDE_FAILED;
	dir->cpu_ns = thread_cpu_ns();
	eventfd_write(dir->on_end, 1);
	return NULL;
}
