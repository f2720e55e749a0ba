/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The measurement: send frames, receive them on both buses, and pass both timestamps to
 * the match table. One thread with a poll loop.
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
 * @bus: interface on the same bus that takes the transmission time; if it is @tx, the time
 *	is taken from the echo of the sent frame
 * @rx: interface on the second bus
 * @traffic: frames to send
 * @timeout: a frame that is not received within this time, in ns, is lost
 * @clock: requested clock; after measure_open() the clock in use
 * @subtract: subtract the duration of the received frame from its latency
 * @rx_bitrate: bit rate of the second bus; @rx_data_bitrate likewise, for CAN FD
 * @raw: file for a line per frame, or NULL
 *
 * Result of measure_run():
 * @match: counters of frames
 * @latency: latency of every frame with both timestamps
 * @untimed: received frames that lack a timestamp
 * @unstamped: those of @untimed that were heard on the first bus
 * @overrun: frames that did not fit into the receive queues of canlat
 * @late: frames that were sent more than a period late
 * @exhausted: frames that had to wait for a free number
 * @clock_step: change of CLOCK_REALTIME in ns; if not 0, latencies are invalid
 * @complete: not interrupted by a signal, or there is no limit of frames
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

/* measure_open() - open sockets and allocate memory; exits on error. */
void measure_open(struct measure *m);

/*
 * measure_run() - send and receive until all frames were sent and removed from the table, or
 * a signal arrived. The caller must have called cli_catch_stop().
 */
void measure_run(struct measure *m);

void measure_close(struct measure *m);

#endif
