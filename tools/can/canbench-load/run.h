/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The buses of a situation, and runs of a generator on them. Main thread only;
 * whatever cannot be done ends the program with CLI_SYSTEM and a message.
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
 * struct run_chip - what happened to a controller during a run
 * @received: frames that arrived at it, @overruns: those it had no room for
 * @high_water: the most that waited in it since it exists
 * @accesses: of the driver to it; @interrupts: of the driver
 * @link: what its interface counted
 */
struct run_chip {
	uint64_t received, overruns, high_water, accesses, interrupts;
	struct link_stats link;
};

/**
 * struct run_result - what became of the frames of a run
 * @complete: it was not cut short by a signal
 * @sent: frames on the bus of the generator
 * @delivered: to the reader, or to the second bus
 * @late: frames that the reader got after one that was sent later, or twice
 * @unseen: frames of the second bus whose time is not known
 * @backlog_dropped: packets of all interfaces that netif_rx() had no room for
 * @socket_dropped: frames that the reader's socket had no room for
 * @bits: of the frames that were sent, with intermission; @time: from the first bit
 *	to the end of the last intermission, ns
 * @napi_threads, @irq_threads: there are such, which got their priority
 * @in: controller under test; @out: the gateway's second one
 * @to_end: latencies from the end of a frame to the reader, or to the begin of the
 *	frame on the second bus
 * @to_stamp, @from_stamp: of these, up to the kernel's time stamp, and from there on
 */
struct run_result {
	bool complete, napi_threads, irq_threads;
	uint64_t sent, delivered, late, unseen;
	uint64_t backlog_dropped, socket_dropped;
	uint64_t bits, time;
	struct run_chip in, out;
	struct gateway_count gateway;
	struct background_count background;
	struct latency to_end, to_stamp, from_stamp;
};

/* run_set_up() - make buses, interfaces, load and reader. */
void run_set_up(const struct settings *set);

/* run_tear_down() - remove all of it; may be called at any time, and twice. */
void run_tear_down(void);

/* run_measure() - one run, after one of a few frames that is not measured. */
void run_measure(const struct settings *set, struct run_result *result);
void run_free(struct run_result *result);

/* run_full_period() - the average time of a frame on a full bus, ns. */
uint64_t run_full_period(const struct settings *set);

/* run_lost() - frames of it that were lost. */
uint64_t run_lost(const struct run_result *result);

#endif
