/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is sent and when: frames as a pure function of their sequence number, and
 * the time between them. It knows no sockets and no clock.
 */
#ifndef CANLAT_TRAFFIC_H
#define CANLAT_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/* Bytes that hold the number, in network byte order. */
#define TRAFFIC_NUMBER_LEN 2

/* Patterns of paper 1, section III-C, and of paper 2, section 3.2.3. */
enum traffic_pattern {
	TRAFFIC_ONE,		/* the next frame when the previous one was received or lost */
	TRAFFIC_PERIODIC,	/* a frame in each period */
	TRAFFIC_HALF,		/* as much pause as frame: 50 % load of the bus */
	TRAFFIC_FLOOD,		/* as fast as the bus takes them */
};

enum traffic_kind {
	TRAFFIC_SFF,
	TRAFFIC_EFF,
	TRAFFIC_FD,
};

/* Their names, for people and for JSON; each list ends with NULL. */
extern const char * const traffic_patterns[];
extern const char * const traffic_kinds[];

/**
 * struct traffic - the frames to send
 * @first_id: identifiers from this one to @last_id take turns, both with
 *	CAN_EFF_FLAG if they are extended ones
 * @lengths: take turns after each round of identifiers, see traffic_lengths()
 * @brs: CAN FD frames switch to the bit rate of the data phase
 * @fill: what every byte of data after the number is
 * @count: frames to send, 0 for no end
 * @period: ns, for TRAFFIC_PERIODIC
 * @bitrate: of the bus, for TRAFFIC_HALF; @data_bitrate for frames with @brs
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
 * traffic_lengths() - use the lengths from @min to @max that frames of t->kind can
 * have. False: either of them is none, or too short for the number.
 */
bool traffic_lengths(struct traffic *t, unsigned int min, unsigned int max);

/* traffic_frame() - make frame @seq; returns its size, CAN_MTU or CANFD_MTU. */
unsigned int traffic_frame(const struct traffic *t, uint64_t seq, struct canfd_frame *frame);

/* traffic_number() - the number in a frame of any origin. False: it has none. */
bool traffic_number(const struct canfd_frame *frame, uint16_t *number);

/* traffic_is() - @frame is frame @seq and not somebody else's that has the same number. */
bool traffic_is(const struct traffic *t, uint64_t seq,
		const struct canfd_frame *frame, unsigned int size);

/* traffic_gap() - ns from the start of frame @seq to the next one's; 0 if time does not decide. */
uint64_t traffic_gap(const struct traffic *t, uint64_t seq);

#endif
