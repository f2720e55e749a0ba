// SPDX-License-Identifier: GPL-2.0-only
/*
 * The match table; see match.h.
 */
#include <stdlib.h>
#include <string.h>

#include "match.h"

static struct match_frame *frame_at(const struct match *m, uint64_t seq)
{
	return &m->frames[seq % MATCH_NUMBERS];
}

bool match_init(struct match *m, uint64_t timeout)
{
	size_t size = MATCH_NUMBERS * sizeof(*m->frames);

	*m = (struct match){ .timeout = timeout };
	m->frames = malloc(size);
	if (!m->frames)
		return false;
	/* With calloc(), the page faults would occur during the measurement. */
	memset(m->frames, 0, size);
	return true;
}

void match_free(struct match *m)
{
	free(m->frames);
	m->frames = NULL;
}

bool match_full(const struct match *m)
{
	return m->next - m->oldest == MATCH_NUMBERS;
}

void match_sent(struct match *m, uint64_t now)
{
	*frame_at(m, m->next) = (struct match_frame){ .deadline = now + m->timeout };
	m->next++;
	m->open++;
	m->queued++;
	m->counts.sent++;
}

bool match_find(const struct match *m, uint16_t number, uint64_t *seq)
{
	*seq = m->oldest + (uint16_t)(number - (uint16_t)m->oldest);
	return *seq < m->next;
}

bool match_awaits(const struct match *m, uint16_t number)
{
	uint64_t seq;

	return match_find(m, number, &seq) && !frame_at(m, seq)->heard &&
	       !frame_at(m, seq)->received;
}

/* @last is the highest sequence number so far. */
static bool is_reordered(uint64_t *last, uint64_t seq)
{
	if (seq < *last)
		return true;
	*last = seq;
	return false;
}

void match_heard(struct match *m, uint64_t seq, uint64_t stamp, uint64_t now)
{
	struct match_frame *frame = frame_at(m, seq);

	if (frame->heard)
		return;
	frame->heard = true;
	frame->bus_stamp = stamp;
	frame->deadline = now + m->timeout;
	if (!frame->received)
		m->queued--;
	if (is_reordered(&m->last_heard, seq))
		m->counts.bus_reordered++;
}

static bool is_late(const struct match *m, const struct match_frame *frame, uint64_t stamp)
{
	return frame->bus_stamp && stamp && stamp > frame->bus_stamp + m->timeout;
}

void match_received(struct match *m, uint16_t number, uint64_t stamp, uint64_t duration)
{
	struct match_frame *frame;
	uint64_t seq;

	if (!match_find(m, number, &seq)) {
		m->counts.unexpected++;
		return;
	}
	frame = frame_at(m, seq);
	if (frame->received) {
		m->counts.duplicated++;
		return;
	}
	if (is_late(m, frame, stamp)) {
		m->counts.unexpected++;
		return;
	}
	frame->received = true;
	frame->rx_stamp = stamp;
	frame->duration = duration;
	m->open--;
	if (!frame->heard)
		m->queued--;
	m->counts.received++;
	if (is_reordered(&m->last_received, seq))
		m->counts.reordered++;
}

void match_unexpected(struct match *m)
{
	m->counts.unexpected++;
}

uint64_t match_deadline(const struct match *m)
{
	return m->oldest < m->next ? frame_at(m, m->oldest)->deadline : UINT64_MAX;
}

/* Remove the oldest frame; count it in @missing if it was not received. */
static void remove_oldest(struct match *m, uint64_t *missing)
{
	struct match_frame *frame = frame_at(m, m->oldest);

	if (!frame->received) {
		++*missing;
		m->open--;
		if (!frame->heard)
			m->queued--;
	}
	if (m->removed)
		m->removed(m->ctx, m->oldest, frame);
	m->oldest++;
}

void match_expire(struct match *m, uint64_t now)
{
	while (match_deadline(m) <= now)
		remove_oldest(m, frame_at(m, m->oldest)->heard ? &m->counts.lost
			      : &m->counts.unheard);
}

void match_flush(struct match *m)
{
	while (m->oldest < m->next)
		remove_oldest(m, &m->counts.pending);
}
