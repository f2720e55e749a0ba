// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slave's loop: one thread, one socket. It knows nothing of a ping but its
 * identifier, so that whatever master sends CAN or CAN FD frames can use it.
 */
#include <unistd.h>

#include "cli.h"
#include "ids.h"
#include "rawsock.h"
#include "slave.h"

/* Pings that can wait for the slave. */
#define RECEIVE_QUEUE 4096

void slave_open(struct slave *sl, const struct settings *s)
{
	*sl = (struct slave){ .settings = s };
	rawsock_up(s->ifname);
	sl->fd = rawsock_open(s->ifname, RAWSOCK_FD);
	ids_filter(sl->fd, s->id, s->parallel);
	rawsock_rcvbuf(sl->fd, RECEIVE_QUEUE);
}

static void answer(struct slave *sl, struct rawsock_frame *f)
{
	const struct settings *s = sl->settings;

	if (ids_index(f->frame.can_id, s->id, s->parallel) == s->parallel)
		return;
	sl->received++;
	f->frame.can_id += s->offset;
	/* ESI is the state of the master's controller, the slave's has its own. */
	if (f->size == CANFD_MTU)
		f->frame.flags &= CANFD_BRS;
	if (rawsock_send(sl->fd, &f->frame, f->size, UINT64_MAX))
		sl->answered++;
}

void slave_run(struct slave *sl)
{
	struct rawsock_frame f;

	while (!cli_stopped && (!sl->settings->count || sl->answered < sl->settings->count))
		if (rawsock_recv(sl->fd, &f, UINT64_MAX))
			answer(sl, &f);
	sl->overrun = rawsock_dropped(sl->fd);
}

void slave_close(struct slave *sl)
{
	close(sl->fd);
}
