// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send side: stores up to --batch frames, and sends them with one sendmmsg(). Runs in the
 * thread of its direction, open() in the main thread.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "side.h"

/**
 * struct mmsg_state - the socket and the stored frames
 * @kept: number of stored frames
 * @done: number of these that were sent
 */
struct mmsg_state {
	int fd;
	unsigned int batch;
	unsigned int kept;
	unsigned int done;
	struct mmsghdr *messages;
	struct iovec *parts;
	struct canfd_frame *frames;
};

static void open_mmsg(struct tx *tx, const struct settings *set)
{
	struct mmsg_state *st = side_alloc(1, sizeof(*st));

	st->fd = port_raw(tx->port, set->queue);
	port_mark_sent(tx->port, st->fd);
	st->batch = set->batch;
	st->messages = side_alloc(set->batch, sizeof(*st->messages));
	st->parts = side_alloc(set->batch, sizeof(*st->parts));
	st->frames = side_alloc(set->batch, sizeof(*st->frames));
	for (unsigned int i = 0; i < set->batch; i++) {
		st->parts[i].iov_base = &st->frames[i];
		st->messages[i].msg_hdr.msg_iov = &st->parts[i];
		st->messages[i].msg_hdr.msg_iovlen = 1;
	}
	tx->state = st;
}

/* sendmmsg() sends the frames before an error; the next call returns the error. */
static enum side_result mmsg_flush(struct tx *tx)
{
	struct mmsg_state *st = tx->state;

	if (!st->kept)
		return SIDE_NOTHING;
	while (st->done < st->kept) {
		int sent = sendmmsg(st->fd, st->messages + st->done, st->kept - st->done, 0);
		enum side_result again;

		if (sent > 0) {
			tx_count(tx, sent);
			st->done += sent;
			continue;
		}
		again = tx_failed(tx, errno);
		if (again != SIDE_DONE)
			return again;
	}
	st->kept = 0;
	st->done = 0;
	return SIDE_DONE;
}

static enum side_result mmsg_put(struct tx *tx, const struct frame *frame)
{
	struct mmsg_state *st = tx->state;

	memcpy(&st->frames[st->kept], frame->data, frame->size);
	st->parts[st->kept].iov_len = frame->size;
	if (++st->kept == st->batch)
		return mmsg_flush(tx);
	return SIDE_DONE;
}

const struct tx_ops tx_mmsg = {
	.raw = true,
	.open = open_mmsg,
	.put = mmsg_put,
	.flush = mmsg_flush,
};
