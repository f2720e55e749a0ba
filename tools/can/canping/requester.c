// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loop of the requester: one thread, and one socket for all identifiers. Times are taken
 * immediately before a ping is sent and immediately after its answer was read, so they
 * include the wait in the interface queue and the wake-up.
 */
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "ids.h"
#include "requester.h"
#include "payload.h"
#include "rawsock.h"
#include "rt.h"

/* Latencies for which memory is reserved, for all identifiers together: 32 MiB */
#define RESERVE_MAX (1 << 22)
#define RESERVE_ENDLESS (1 << 16)

/* Retry interval if the interface queue is full; less than a frame at 1 Mbit/s */
#define RETRY_NS 50000

/* Maximum number of frames that are read before due events are handled */
#define RECEIVE_BATCH 64

/* Size of the receive queue, with a reserve for frames of other nodes */
#define RECEIVE_QUEUE 1024

static canid_t answer_id(const struct settings *s)
{
	return s->id + s->offset;
}

static void ping_open(struct ping *p, const struct settings *s, unsigned int index)
{
	size_t room = s->count ? s->count : RESERVE_ENDLESS;

	if (room > RESERVE_MAX / s->parallel)
		room = RESERVE_MAX / s->parallel;
	latency_reserve(&p->rtt, room);
	payload_begin(&p->frame, s, s->id + index);
	p->left = s->count ? s->count : UINT64_MAX;
}

void requester_open(struct requester *req, const struct settings *s)
{
	*req = (struct requester){
		.settings = s,
		.frame_size = s->fd ? CANFD_MTU : CAN_MTU,
		.active = s->parallel,
	};
	rawsock_up(s->ifname);
	req->fd = rawsock_open(s->ifname, s->fd ? RAWSOCK_FD : 0);
	ids_filter(req->fd, answer_id(s), s->parallel);
	rawsock_rcvbuf(req->fd, RECEIVE_QUEUE + 2 * s->parallel);
	req->pings = calloc(s->parallel, sizeof(*req->pings));
	if (!req->pings)
		cli_fail("memory for %u parallel pings", s->parallel);
	for (unsigned int i = 0; i < s->parallel; i++)
		ping_open(&req->pings[i], s, i);
}

static void set_event(struct requester *req, struct ping *p, uint64_t event)
{
	p->event = event;
	if (event < req->next_event)
		req->next_event = event;
}

/* Compute the due time of the next ping, after an answer or a timeout. */
static void schedule_next(struct requester *req, struct ping *p, uint64_t now)
{
	uint64_t period = req->settings->period;

	p->blocked_since = 0;
	if (!--p->left) {
		p->event = UINT64_MAX;
		req->active--;
		return;
	}
	/* Periods that passed before the answer are skipped. */
	if (!period)
		p->due = now;
	else
		p->due += (now < p->due ? 1 : (now - p->due) / period + 1) * period;
	set_event(req, p, p->due);
}

static void handle_full_queue(struct requester *req, struct ping *p, uint64_t now)
{
	if (!p->blocked_since)
		p->blocked_since = now;
	if (now - p->blocked_since < req->settings->timeout) {
		set_event(req, p, now + RETRY_NS);
		return;
	}
	req->unsent++;
	schedule_next(req, p, now);
}

static void send_ping(struct requester *req, struct ping *p)
{
	uint64_t now;

	payload_set_number(&p->frame, track_number(&p->track));
	now = rt_now();
	if (!rawsock_send(req->fd, &p->frame, req->frame_size, 0)) {
		handle_full_queue(req, p, now);
		return;
	}
	p->sent_at = now;
	p->blocked_since = 0;
	track_sent(&p->track, &req->counts);
	set_event(req, p, now + req->settings->timeout);
}

static void give_up_ping(struct requester *req, struct ping *p, uint64_t now)
{
	if (!req->counts.received && !req->counts.late && !req->counts.lost)
		cli_warn("no answer: 'canping --responder' with the same --id and --offset must run on the bus");
	track_give_up(&p->track, &req->counts);
	schedule_next(req, p, now);
}

/* Handle due events, and compute the time of the next one. */
static void handle_due(struct requester *req)
{
	uint64_t now = rt_now();

	if (now < req->next_event)
		return;
	req->next_event = UINT64_MAX;
	for (unsigned int i = 0; i < req->settings->parallel; i++) {
		struct ping *p = &req->pings[i];

		if (p->event <= now && p->track.waiting)
			give_up_ping(req, p, now);
		if (p->event <= now)
			send_ping(req, p);
		if (p->event < req->next_event)
			req->next_event = p->event;
	}
}

static void handle_answer(struct requester *req, const struct rawsock_frame *f, uint64_t now)
{
	const struct settings *s = req->settings;
	unsigned int index = ids_index(f->frame.can_id, answer_id(s), s->parallel);
	struct ping *p = &req->pings[index];

	if (index == s->parallel)
		return;
	if (f->size != req->frame_size || !payload_same(&f->frame, &p->frame))
		req->changed++;
	if (!payload_has_number(&f->frame) ||
	    !track_answer(&p->track, payload_number(&f->frame), &req->counts))
		return;
	latency_add(&p->rtt, now - p->sent_at);
	schedule_next(req, p, now);
	/* With --flood, send the next ping immediately. */
	if (p->event <= now)
		send_ping(req, p);
}

/* The periods of all identifiers begin now. */
static void send_first_pings(struct requester *req)
{
	uint64_t now = rt_now();

	for (unsigned int i = 0; i < req->settings->parallel; i++) {
		req->pings[i].due = now;
		req->pings[i].event = now;
	}
	handle_due(req);
}

void requester_run(struct requester *req)
{
	unsigned int in_a_row = 0;

	send_first_pings(req);
	while (req->active && !cli_stopped) {
		uint64_t now = rt_now();
		uint64_t wait = req->next_event > now ? req->next_event - now : 0;
		struct rawsock_frame f;

		/* Receive before timeouts are handled: the answer may have arrived. */
		if (rawsock_recv(req->fd, &f, wait)) {
			handle_answer(req, &f, rt_now());
			if (++in_a_row < RECEIVE_BATCH)
				continue;
		}
		in_a_row = 0;
		handle_due(req);
	}
	req->complete = !req->active;
	req->overrun = rawsock_dropped(req->fd);
}

unsigned int requester_pending(const struct requester *req)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < req->settings->parallel; i++)
		n += req->pings[i].track.waiting;
	return n;
}

bool requester_clean(const struct requester *req)
{
	const struct track_counts *c = &req->counts;

	return !(c->lost || c->late || c->duplicated || c->reordered || c->unexpected ||
		 req->changed || req->unsent || req->overrun);
}

void requester_close(struct requester *req)
{
	close(req->fd);
	for (unsigned int i = 0; i < req->settings->parallel; i++)
		latency_free(&req->pings[i].rtt);
	free(req->pings);
}
