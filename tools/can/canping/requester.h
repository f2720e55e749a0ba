/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester sends pings and measures the time until their answers are read. At most one
 * ping of each identifier is on its way at a time.
 */
#ifndef CANPING_REQUESTER_H
#define CANPING_REQUESTER_H

#include "latency.h"
#include "settings.h"
#include "track.h"

/**
 * struct ping - pings of one identifier; times are CLOCK_MONOTONIC in ns
 * @left: number of pings that remain, UINT64_MAX without a limit
 * @due: due time of the current ping
 * @event: time of the next event: sending, or the timeout of a ping; UINT64_MAX: none
 * @sent_at: time at which the current ping was sent
 * @blocked_since: since when the interface queue has been full; 0: it is not full
 */
struct ping {
	struct canfd_frame frame;
	struct track track;
	struct latency rtt;
	uint64_t left;
	uint64_t due;
	uint64_t event;
	uint64_t sent_at;
	uint64_t blocked_since;
};

/**
 * struct requester - state of the requester
 * @counts: counters of all identifiers
 * @changed: answers whose length or data differs from their ping
 * @unsent: pings that were given up because the interface queue stayed full for the timeout
 * @overrun: frames that did not fit into the receive queue of the socket
 * @next_event: lower limit of all @event in @pings
 * @active: number of @pings with a next event
 * @complete: not interrupted by a signal
 */
struct requester {
	const struct settings *settings;
	int fd;
	unsigned int frame_size;
	struct ping *pings;
	struct track_counts counts;
	uint64_t changed, unsent, overrun;
	uint64_t next_event;
	unsigned int active;
	bool complete;
};

/* requester_open() - open the socket, and allocate memory for the measurement. */
void requester_open(struct requester *req, const struct settings *s);

/* requester_run() - run until all pings are answered or given up, or cli_stopped is set. */
void requester_run(struct requester *req);

/* requester_pending() - pings that were on their way when a signal arrived. */
unsigned int requester_pending(const struct requester *req);

/* requester_clean() - all pings were answered in time, and no other frame was received. */
bool requester_clean(const struct requester *req);

void requester_close(struct requester *req);

#endif
