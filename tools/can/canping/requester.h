/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requester: sends pings and takes the time until their answers are read.
 * For each identifier one ping is on its way at a time.
 */
#ifndef CANPING_REQUESTER_H
#define CANPING_REQUESTER_H

#include "latency.h"
#include "settings.h"
#include "track.h"

/**
 * struct ping - the pings of one identifier
 * @left: how many are still to be begun, if there is an end
 * @due: when the current one was or is due; CLOCK_MONOTONIC ns, like the following
 * @event: when to send, or to give up if one is on its way; UINT64_MAX: never again
 * @sent_at: when the one that is on its way was handed to the kernel
 * @blocked_since: since when the interface's queue refuses it; 0: it does not
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
 * struct requester
 * @counts: of all identifiers together
 * @changed: answers whose length or data is not that of their ping
 * @unsent: pings that the interface's queue had no room for during a whole timeout
 * @overrun: frames that did not fit into the socket's receive queue
 * @next_event: no @event of @pings is before it
 * @active: number of @pings that have an event to come
 * @complete: not cut short by a signal
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

/* requester_open() - with the socket, and all memory that measuring is known to need. */
void requester_open(struct requester *req, const struct settings *s);

/* requester_run() - until all pings are answered or given up, or cli_stopped. */
void requester_run(struct requester *req);

/* requester_pending() - pings that a signal left neither answered nor lost. */
unsigned int requester_pending(const struct requester *req);

/* requester_clean() - every ping was answered in time, and nothing else came. */
bool requester_clean(const struct requester *req);

void requester_close(struct requester *req);

#endif
