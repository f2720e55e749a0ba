/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames to send, as a pure function of their sequence number, and the time between them.
 */
#ifndef CANLAT_TRAFFIC_H
#define CANLAT_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/* Number of data bytes that hold the number, in network byte order */
#define TRAFFIC_NUMBER_LEN 2

enum traffic_pattern {
	TRAFFIC_ONE,		/* the next frame when the previous one was received or lost */
	TRAFFIC_PERIODIC,	/* a frame in each period */
	TRAFFIC_HALF,		/* pauses as long as the frames: 50 % bus load */
	TRAFFIC_FLOOD,		/* as fast as the bus allows */
};

enum traffic_kind {
	TRAFFIC_SFF,
	TRAFFIC_EFF,
	TRAFFIC_FD,
};

/* Names on the command line and in the output; each list ends with NULL. */
extern const char * const traffic_patterns[];
extern const char * const traffic_kinds[];

/**
 * struct traffic - the frames to send
 * @first_id, @last_id: range of identifiers, which are used in turn; both with
 *	CAN_EFF_FLAG if they are extended
 * @lengths: used in turn, a new one after each round of identifiers
 * @brs: CAN FD frames switch to the bit rate of the data phase
 * @fill: value of the data bytes after the number
 * @count: number of frames, 0 for no limit
 * @period: for TRAFFIC_PERIODIC, ns
 * @bitrate: bit rate of the bus, for TRAFFIC_HALF; @data_bitrate: for frames with @brs
 */
struct traffic {
	enum traffic_pattern pattern;
	enum traffic_kind kind;
	canid_t first_id, last_id;
	uint8_t lengths[16];
	unsigned int lengths_count;
	bool brs;
	uint8_t fill;
	uint64_t count;
	uint64_t period;
	uint32_t bitrate, data_bitrate;
};

/*
 * traffic_lengths() - use all valid lengths from @min to @max for frames of t->kind. False:
 * @min or @max is not a valid length, or too short for the number.
 */
bool traffic_lengths(struct traffic *t, unsigned int min, unsigned int max);

/* traffic_frame() - generate frame @seq. Returns its size, CAN_MTU or CANFD_MTU. */
unsigned int traffic_frame(const struct traffic *t, uint64_t seq, struct canfd_frame *frame);

/* traffic_number() - get the number of a received frame. False: it has none. */
bool traffic_number(const struct canfd_frame *frame, uint16_t *number);

/* traffic_is() - @frame equals frame @seq, and is not a frame of another sender. */
bool traffic_is(const struct traffic *t, uint64_t seq,
		const struct canfd_frame *frame, unsigned int size);

/* traffic_gap() - ns from the start of frame @seq to that of the next one; 0: no fixed time. */
uint64_t traffic_gap(const struct traffic *t, uint64_t seq);

#endif
