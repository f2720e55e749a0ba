// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send side: one write() per frame. Runs in the thread of its direction, open() in the main
 * thread.
 */
#include <errno.h>
#include <unistd.h>

#include "side.h"

struct write_state {
	int fd;
};

static void open_write(struct tx *tx, const struct settings *set)
{
	struct write_state *st = side_alloc(1, sizeof(*st));

	st->fd = port_raw(tx->port, set->queue);
	port_mark_sent(tx->port, st->fd);
	tx->state = st;
}

static enum side_result write_put(struct tx *tx, const struct frame *frame)
{
	struct write_state *st = tx->state;

	while (write(st->fd, frame->data, frame->size) < 0) {
		enum side_result again = tx_failed(tx, errno);

		if (again != SIDE_DONE)
			return again;
	}
	tx_count(tx, 1);
	return SIDE_DONE;
}

static enum side_result write_flush(struct tx *tx)
{
	(void)tx;
	return SIDE_NOTHING;
}

const struct tx_ops tx_write = {
	.raw = true,
	.open = open_write,
	.put = write_put,
	.flush = write_flush,
};
