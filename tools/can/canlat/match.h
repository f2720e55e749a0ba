/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which frame behind the device belongs to which one before it: a table indexed
 * by the number in the first two bytes of data (paper 1, section III-B). It
 * knows neither frames nor sockets nor the time of day. Not thread-safe.
 *
 * A frame has a sequence number that never repeats; the lower 16 bits of it are
 * the number that travels. A frame is in the table from when it was sent until
 * its timeout is over, also when it has long been received: so a second copy is
 * known as such, and no number is given twice in that time. At most
 * MATCH_NUMBERS frames are in the table; whoever wants to send more has to wait
 * until the oldest one leaves.
 */
#ifndef CANLAT_MATCH_H
#define CANLAT_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MATCH_NUMBERS 65536u

/**
 * struct match_frame - a frame that was sent
 * @deadline: when its timeout is over: counted from sending, then anew from
 *	when it was heard on the bus, so that waiting for the bus is no loss
 * @bus_stamp: time of transmission, 0 if it has none
 * @rx_stamp: time of reception behind the device, 0 if it has none
 * @duration: of the frame as it was behind the device, to be subtracted; 0 to not
 * @heard: on the bus, so it has been transmitted
 * @received: behind the device
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
 * struct match_counts - what became of the frames
 * sent = received + lost + unheard + pending, as soon as the table is empty.
 *
 * @sent: frames handed to the sending interface
 * @received: frames of them that came out of the device
 * @lost: heard on the bus, and not received within the timeout
 * @unheard: neither heard nor received within the timeout, so most likely
 *	never transmitted
 * @pending: not received, and match_flush() came before their timeout was over
 * @reordered: received after a frame that was sent later
 * @duplicated: further copies of received frames
 * @unexpected: came out of the device with a number that no frame on its way has,
 *	or later than the timeout of the frame that has it
 * @bus_reordered: heard on the bus after a frame that was sent later; the device
 *	is not to blame for what is reordered before it
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
 * @open: frames in it that were not received yet
 * @queued: frames in it that were neither heard nor received yet
 * @removed: called with each frame that leaves, in the order of sending; may be NULL
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

/* match_init() - an empty table, its memory touched. False: out of memory. */
bool match_init(struct match *m, uint64_t timeout);
void match_free(struct match *m);

/* match_full() - no number is free: nothing can be sent before match_deadline(). */
bool match_full(const struct match *m);

/* match_sent() - the frame m->next has been sent; the table must not be full. */
void match_sent(struct match *m, uint64_t now);

/* match_find() - the frame in the table that has this number. False: none has. */
bool match_find(const struct match *m, uint16_t number, uint64_t *seq);

/* match_awaits() - nothing is known of the frame @number but that it has been sent. */
bool match_awaits(const struct match *m, uint16_t number);

/* match_heard() - the frame @seq of the table was transmitted at @stamp. */
void match_heard(struct match *m, uint64_t seq, uint64_t stamp, uint64_t now);

/*
 * match_received() - a frame with this @number came out of the device at @stamp.
 * Where both stamps are known they tell whether it is too late; so it does not
 * matter when the caller got to know.
 */
void match_received(struct match *m, uint16_t number, uint64_t stamp, uint64_t duration);

/* match_unexpected() - a frame that cannot be one of ours came out of the device. */
void match_unexpected(struct match *m);

/* match_deadline() - when the next frame leaves the table; UINT64_MAX if it is empty. */
uint64_t match_deadline(const struct match *m);

/* match_expire() - let all frames leave whose timeout is over. */
void match_expire(struct match *m, uint64_t now);

/* match_flush() - let all frames leave at once. */
void match_flush(struct match *m);

#endif
