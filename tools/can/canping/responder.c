// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loop of the responder: one thread, one socket. It evaluates only the identifier of a
 * ping, so any sender of Classical CAN or CAN FD frames can use it.
 */
#include <unistd.h>

#include "cli.h"
#include "ids.h"
#include "rawsock.h"
#include "responder.h"

/* Size of the receive queue */
#define RECEIVE_QUEUE 4096

void responder_open(struct responder *resp, const struct settings *s)
{
	*resp = (struct responder){ .settings = s };
	rawsock_up(s->ifname);
	resp->fd = rawsock_open(s->ifname, RAWSOCK_FD);
	ids_filter(resp->fd, s->id, s->parallel);
	rawsock_rcvbuf(resp->fd, RECEIVE_QUEUE);
}

static void send_answer(struct responder *resp, struct rawsock_frame *f)
{
	const struct settings *s = resp->settings;

	if (ids_index(f->frame.can_id, s->id, s->parallel) == s->parallel)
		return;
	resp->received++;
	f->frame.can_id += s->offset;
	/* ESI is the error state of the sending controller, so it is not copied. */
	if (f->size == CANFD_MTU)
		f->frame.flags &= CANFD_BRS;
	if (rawsock_send(resp->fd, &f->frame, f->size, UINT64_MAX))
		resp->answered++;
}

void responder_run(struct responder *resp)
{
	struct rawsock_frame f;

	while (!cli_stopped && (!resp->settings->count || resp->answered < resp->settings->count))
		if (rawsock_recv(resp->fd, &f, UINT64_MAX))
			send_answer(resp, &f);
	resp->overrun = rawsock_dropped(resp->fd);
}

void responder_close(struct responder *resp)
{
	close(resp->fd);
}
