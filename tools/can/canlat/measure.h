/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The measurement itself: sends, listens on the bus and behind the device, and
 * gives each frame's two times to the match table. One thread, one poll loop.
 */
#ifndef CANLAT_MEASURE_H
#define CANLAT_MEASURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "latency.h"
#include "match.h"
#include "stamp.h"
#include "traffic.h"

/**
 * struct measure - a measurement
 *
 * Set by the caller before measure_open():
 * @tx: interface that sends
 * @bus: interface on the same bus, which takes the time of transmission; if it
 *	is @tx, the echo of what it sent does
 * @rx: interface behind the device
 * @traffic: what to send
 * @timeout: after this many ns without it a frame is lost
 * @clock: wish, and from measure_open() on the clock in use
 * @subtract: take the duration of the received frame from its latency
 * @rx_bitrate: of the bus behind the device; @rx_data_bitrate likewise, for CAN FD
 * @raw: gets a line for each frame, or NULL
 *
 * Result of measure_run():
 * @match: its counts
 * @latency: of every frame that has both time stamps
 * @untimed: received frames that lack one of them
 * @unstamped: those of @untimed that were heard on the bus, so that only the stamp is missing
 * @overrun: frames that did not fit into the receive queues of canlat
 * @late: periods that could not be held
 * @exhausted: frames that had to wait until a number was free
 * @clock_step: ns that the kernel's clock was set by; latencies are unusable if not 0
 * @complete: not cut short by a signal; one without a number of frames never is
 */
struct measure {
	const char *tx, *bus, *rx;
	struct traffic traffic;
	uint64_t timeout;
	enum stamp_clock clock;
	bool subtract;
	uint32_t rx_bitrate, rx_data_bitrate;
	FILE *raw;

	struct match match;
	struct latency latency;
	uint64_t untimed;
	uint64_t unstamped;
	uint64_t overrun;
	uint64_t late;
	uint64_t exhausted;
	int64_t clock_step;
	bool complete;

	/* private to measure.c */
	int tx_fd, bus_fd, rx_fd;
	uint32_t bus_overrun, rx_overrun;
	uint64_t due;
	uint64_t waited_for_number;
};

/* measure_open() - sockets and memory; exits with a message if that cannot be had. */
void measure_open(struct measure *m);

/*
 * measure_run() - send and receive until every frame was sent and its timeout is
 * over, or a signal came. Call cli_catch_stop() before.
 */
void measure_run(struct measure *m);

void measure_close(struct measure *m);

#endif
