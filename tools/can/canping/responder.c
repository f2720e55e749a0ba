// SPDX-License-Identifier: GPL-2.0-only
/*
 * The responder's loop: one thread, one socket. It knows nothing of a ping but its
 * identifier, so that whatever requester sends CAN or CAN FD frames can use it.
 */
#include <unistd.h>

#include "cli.h"
#include "ids.h"
#include "rawsock.h"
#include "responder.h"

/* Pings that can wait for the responder. */
#define RECEIVE_QUEUE 4096

void responder_open(struct responder *sl, const struct settings *s)
{
	*sl = (struct responder){ .settings = s };
	rawsock_up(s->ifname);
	sl->fd = rawsock_open(s->ifname, RAWSOCK_FD);
	ids_filter(sl->fd, s->id, s->parallel);
	rawsock_rcvbuf(sl->fd, RECEIVE_QUEUE);
}

static void answer(struct responder *sl, struct rawsock_frame *f)
{
	const struct settings *s = sl->settings;

	if (ids_index(f->frame.can_id, s->id, s->parallel) == s->parallel)
		return;
	sl->received++;
	f->frame.can_id += s->offset;
	/* ESI is the state of the requester's controller, the responder's has its own. */
	if (f->size == CANFD_MTU)
		f->frame.flags &= CANFD_BRS;
	if (rawsock_send(sl->fd, &f->frame, f->size, UINT64_MAX))
		sl->answered++;
}

void responder_run(struct responder *sl)
{
	struct rawsock_frame f;

	while (!cli_stopped && (!sl->settings->count || sl->answered < sl->settings->count))
		if (rawsock_recv(sl->fd, &f, UINT64_MAX))
			answer(sl, &f);
	sl->overrun = rawsock_dropped(sl->fd);
}

void responder_close(struct responder *sl)
{
	close(sl->fd);
}
