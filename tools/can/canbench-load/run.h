/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buses of a measurement, and runs of the generator. Main thread only. All errors end
 * the program with CLI_SYSTEM and a message.
 */
#ifndef CANBENCH_LOAD_RUN_H
#define CANBENCH_LOAD_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "gateway.h"
#include "latency.h"
#include "link.h"
#include "background.h"
#include "settings.h"

/**
 * struct run_chip - counters of a controller in a run
 * @received: frames that arrived; @overruns: frames that did not fit into its buffer
 * @high_water: maximum fill level of the buffer since the controller exists
 * @skipped: time of its bus that was not simulated, in ns
 * @simulator: CPU time that the simulation of its bus has taken, in ns
 * @accesses: register accesses by the driver; @interrupts: interrupts of the driver
 * @link: counters of its interface
 */
struct run_chip {
	uint64_t received, overruns, high_water, skipped, simulator, accesses, interrupts;
	struct link_stats link;
};

/**
 * struct run_frame - a frame of a run
 * @end: of the frame, ns since the begin of the run
 * @latency: from there on, ns, if it was @delivered
 */
struct run_frame {
	uint64_t end;
	int64_t latency;
	bool delivered;
};

/**
 * struct run_result - result of a run
 * @complete: not interrupted by a signal
 * @sent: frames of the generator, or of both
 * @delivered: frames received by the thread, or sent by the gateway, each once
 * @late: frames that the thread received, or the gateway sent, after a later one, or twice
 * @unseen: frames on the second bus that the gateway has sent again, or that are not of the run
 * @backlog_dropped: packets of all interfaces that netif_rx() dropped
 * @socket_dropped: frames that did not fit into the queue of the receiving socket
 * @bits: bits of the sent frames with intermission; @time: from the first bit to the end
 *	of the last intermission, ns
 * @napi_threads, @irq_threads, @rx_threads: such threads exist, and were set
 * @in: controller under test; @out: second controller of the gateway
 * @to_end: latencies from the end of a frame to its reception by the thread, or to its
 *	begin on the second bus
 * @to_stamp, @from_stamp: parts of these, before and after the kernel timestamp
 * @frames: each frame by its number, with --frames, or NULL
 */
struct run_result {
	bool complete, napi_threads, irq_threads, rx_threads;
	uint64_t sent, delivered, late, unseen;
	uint64_t backlog_dropped, socket_dropped;
	uint64_t bits, time;
	struct run_chip in, out;
	struct gateway_count gateway;
	struct background_count background;
	struct latency to_end, to_stamp, from_stamp;
	struct run_frame *frames;
};

/* run_set_up() - create buses and interfaces, start the load and the receiving thread. */
void run_set_up(const struct settings *set);

/* run_tear_down() - remove everything; may be called at any time and repeatedly. */
void run_tear_down(void);

/* run_measure() - do a run, after a short one that is not measured. */
void run_measure(const struct settings *set, struct run_result *result);
void run_free(struct run_result *result);

/* run_lost() - number of lost frames. */
uint64_t run_lost(const struct run_result *result);

#endif
