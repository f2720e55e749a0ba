// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive side: recvmmsg() sleeps until there is a frame, and takes up to --batch frames.
 * Runs in the thread of its direction, open() in the main thread.
 */
#include <errno.h>
#include <sys/socket.h>

#include "cli.h"
#include "side.h"

/**
 * struct mmsg_state - the socket and the frames of the last call
 * @next: index of the frame that next() returns next
 * @got: number of frames of the last call
 */
struct mmsg_state {
	int fd;
	unsigned int batch;
	unsigned int next;
	unsigned int got;
	struct mmsghdr *messages;
	struct canfd_frame *frames;
};

static void open_mmsg(struct rx *rx, const struct settings *set)
{
	struct mmsg_state *st = side_alloc(1, sizeof(*st));
	struct iovec *parts = side_alloc(set->batch, sizeof(*parts));

	st->fd = port_raw(rx->port, set->queue);
	port_ignore_own(rx->port, st->fd);
	st->batch = set->batch;
	st->messages = side_alloc(set->batch, sizeof(*st->messages));
	st->frames = side_alloc(set->batch, sizeof(*st->frames));
	for (unsigned int i = 0; i < set->batch; i++) {
		parts[i].iov_base = &st->frames[i];
		parts[i].iov_len = sizeof(st->frames[i]);
		st->messages[i].msg_hdr.msg_iov = &parts[i];
		st->messages[i].msg_hdr.msg_iovlen = 1;
	}
	rx->state = st;
}

static enum side_result mmsg_next(struct rx *rx, struct frame *frame)
{
	struct mmsg_state *st = rx->state;
	unsigned int i = st->next;

	if (i == st->got)
		return SIDE_NOTHING;
	st->next++;
	*frame = (struct frame){ &st->frames[i], st->messages[i].msg_len };
	return SIDE_DONE;
}

static enum side_result mmsg_wait(struct rx *rx)
{
	struct mmsg_state *st = rx->state;
	int got = recvmmsg(st->fd, st->messages, st->batch, MSG_WAITFORONE, NULL);

	st->next = 0;
	st->got = got > 0 ? got : 0;
	if (got < 0 && errno != EINTR) {
		cli_warn("%s: receiving: %m", rx->port->name);
		return SIDE_FAILED;
	}
	return st->got ? SIDE_DONE : SIDE_NOTHING;
}

static bool mmsg_has_pending(struct rx *rx)
{
	struct mmsg_state *st = rx->state;

	return st->next < st->got;
}

static uint64_t mmsg_lost(struct rx *rx)
{
	return side_lost(((struct mmsg_state *)rx->state)->fd);
}

const struct rx_ops rx_mmsg = {
	.raw = true,
	.open = open_mmsg,
	.next = mmsg_next,
	.wait = mmsg_wait,
	.has_pending = mmsg_has_pending,
	.lost = mmsg_lost,
};
