/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Table of sent frames, indexed by the number in the first two bytes of data. It matches
 * received frames with sent ones, and uses neither sockets nor clocks. Not thread-safe.
 *
 * Each frame has a sequence number that never repeats; the frame itself carries the lower
 * 16 bits. A frame stays in the table until its timeout, even after it was received. So a
 * second copy is recognized, and no number is reused in that time. The table holds at most
 * MATCH_NUMBERS frames; when it is full, the sender must wait until the oldest one is
 * removed.
 */
#ifndef CANLAT_MATCH_H
#define CANLAT_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATCH_NUMBERS 65536u

/**
 * struct match_frame - a sent frame
 * @deadline: end of its timeout, which starts when the frame is sent, and again when it is
 *	heard on the first bus: so waiting for the bus causes no loss
 * @bus_stamp: timestamp on the first bus, 0 if there is none
 * @rx_stamp: timestamp on the second bus, 0 if there is none
 * @duration: duration of the frame on the second bus, to be subtracted, or 0
 * @heard: received on the first bus, so it was transmitted
 * @received: received on the second bus
 */
struct match_frame {
	uint64_t deadline;
	uint64_t bus_stamp;
	uint64_t rx_stamp;
	uint64_t duration;
	bool heard;
	bool received;
};

/**
 * struct match_counts - counters of frames
 * sent = received + lost + unheard + pending if the table is empty.
 *
 * @sent: frames queued on the sending interface
 * @received: sent frames that were received on the second bus
 * @lost: heard on the first bus, but not received within the timeout
 * @unheard: neither heard nor received within the timeout, so most likely not transmitted
 * @pending: not received before match_flush() was called
 * @reordered: received after a frame that was sent later
 * @duplicated: further copies of received frames
 * @unexpected: received with a number that no frame in the table has, or after the timeout
 *	of the frame with this number
 * @bus_reordered: heard on the first bus after a frame that was sent later; the device did
 *	not reorder these
 */
struct match_counts {
	uint64_t sent;
	uint64_t received;
	uint64_t lost;
	uint64_t unheard;
	uint64_t pending;
	uint64_t reordered;
	uint64_t duplicated;
	uint64_t unexpected;
	uint64_t bus_reordered;
};

/**
 * struct match - the table
 * @oldest: sequence number of the oldest frame in it
 * @next: sequence number of the next frame to send
 * @last_heard: highest sequence number that was heard; @last_received likewise
 * @open: frames in the table that were not received yet
 * @queued: frames in the table that were neither heard nor received yet
 * @removed: called for each frame that is removed, in the order of sending; may be NULL
 */
struct match {
	struct match_frame *frames;
	uint64_t timeout;
	uint64_t oldest, next;
	uint64_t last_heard, last_received;
	unsigned int open, queued;
	struct match_counts counts;
	void (*removed)(void *ctx, uint64_t seq, const struct match_frame *frame);
	void *ctx;
};

/* match_init() - initialize an empty table, and touch its memory. False: no memory. */
bool match_init(struct match *m, uint64_t timeout);
void match_free(struct match *m);

/* match_full() - no number is free; the next one is free at match_deadline(). */
bool match_full(const struct match *m);

/* match_sent() - frame m->next was sent. The table must not be full. */
void match_sent(struct match *m, uint64_t now);

/* match_find() - find the frame with this number. False: it is not in the table. */
bool match_find(const struct match *m, uint16_t number, uint64_t *seq);

/* match_awaits() - the frame was sent, but neither heard nor received yet. */
bool match_awaits(const struct match *m, uint16_t number);

/* match_heard() - frame @seq of the table was heard on the first bus at @stamp. */
void match_heard(struct match *m, uint64_t seq, uint64_t stamp, uint64_t now);

/*
 * match_received() - a frame with @number was received on the second bus at @stamp. If both
 * timestamps are known, they decide whether it is too late, not the time of the call.
 */
void match_received(struct match *m, uint16_t number, uint64_t stamp, uint64_t duration);

/* match_unexpected() - a frame without a valid number was received on the second bus. */
void match_unexpected(struct match *m);

/* match_deadline() - when the oldest frame is removed; UINT64_MAX if the table is empty. */
uint64_t match_deadline(const struct match *m);

/* match_expire() - remove all frames whose timeout has passed. */
void match_expire(struct match *m, uint64_t now);

/* match_flush() - remove all frames. */
void match_flush(struct match *m);

#endif
