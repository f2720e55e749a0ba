// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive side: one read() per frame, with four methods to wait. Runs in the thread of its
 * direction, open() in the main thread.
 *
 * If read() sleeps, wait() calls it, so next() can report an empty queue without a system
 * call: there is exactly one read() per frame.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "busy.h"
#include "cli.h"
#include "side.h"

/**
 * struct read_state - the socket and the last frame
 * @fresh: next() has not returned @frame yet
 */
struct read_state {
	int fd;
	bool fresh;
	unsigned int size;
	struct canfd_frame frame;
};

static struct read_state *open_common(struct rx *rx, const struct settings *set)
{
	struct read_state *st = side_alloc(1, sizeof(*st));

	st->fd = port_raw(rx->port, set->queue);
	port_ignore_own(rx->port, st->fd);
	rx->state = st;
	return st;
}

static void open_blocking(struct rx *rx, const struct settings *set)
{
	open_common(rx, set);
}

static void open_nb(struct rx *rx, const struct settings *set)
{
	struct read_state *st = open_common(rx, set);
	int flags = fcntl(st->fd, F_GETFL);

	if (flags < 0 || fcntl(st->fd, F_SETFL, flags | O_NONBLOCK))
		cli_fail("%s: O_NONBLOCK", rx->port->name);
}

static void open_busy(struct rx *rx, const struct settings *set)
{
	busy_poll(rx->port, open_common(rx, set)->fd, set->busy_poll);
}

static void open_noirq(struct rx *rx, const struct settings *set)
{
	busy_require_deferral(rx->port);
	open_busy(rx, set);
	busy_prefer(rx->port, ((struct read_state *)rx->state)->fd, set->busy_budget);
}

static enum side_result read_frame(struct rx *rx)
{
	struct read_state *st = rx->state;
	ssize_t size = read(st->fd, &st->frame, sizeof(st->frame));

	if (size < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return SIDE_NOTHING;
		cli_warn("%s: receiving: %m", rx->port->name);
		return SIDE_FAILED;
	}
	st->size = size;
	return SIDE_DONE;
}

static enum side_result read_wait_blocking(struct rx *rx)
{
	struct read_state *st = rx->state;
	enum side_result got = read_frame(rx);

	st->fresh = got == SIDE_DONE;
	return got;
}

static enum side_result read_next_blocking(struct rx *rx, struct frame *frame)
{
	struct read_state *st = rx->state;

	if (!st->fresh)
		return SIDE_NOTHING;
	st->fresh = false;
	*frame = (struct frame){ &st->frame, st->size };
	return SIDE_DONE;
}

static bool read_has_pending(struct rx *rx)
{
	return ((struct read_state *)rx->state)->fresh;
}

static enum side_result read_wait_nb(struct rx *rx)
{
	(void)rx;
	side_relax();
	return SIDE_NOTHING;
}

static enum side_result read_next_nb(struct rx *rx, struct frame *frame)
{
	struct read_state *st = rx->state;
	enum side_result got = read_frame(rx);

	*frame = (struct frame){ &st->frame, st->size };
	return got;
}

static uint64_t read_lost(struct rx *rx)
{
	return side_lost(((struct read_state *)rx->state)->fd);
}

static unsigned int read_polled(struct rx *rx)
{
	return busy_napi_id(((struct read_state *)rx->state)->fd);
}

const struct rx_ops rx_read = {
	.raw = true,
	.open = open_blocking,
	.next = read_next_blocking,
	.wait = read_wait_blocking,
	.has_pending = read_has_pending,
	.lost = read_lost,
};

const struct rx_ops rx_read_nb = {
	.raw = true,
	.open = open_nb,
	.next = read_next_nb,
	.wait = read_wait_nb,
	.lost = read_lost,
};

const struct rx_ops rx_read_busy = {
	.raw = true,
	.open = open_busy,
	.next = read_next_blocking,
	.wait = read_wait_blocking,
	.has_pending = read_has_pending,
	.lost = read_lost,
	.polled = read_polled,
};

const struct rx_ops rx_read_noirq = {
	.raw = true,
	.open = open_noirq,
	.next = read_next_blocking,
	.wait = read_wait_blocking,
	.has_pending = read_has_pending,
	.lost = read_lost,
	.polled = read_polled,
};
