/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What else keeps the CPU busy: a child of normal priority, which ends with the
 * program. Main thread only, before it starts others.
 */
#ifndef CANBENCH_LOAD_NOISE_H
#define CANBENCH_LOAD_NOISE_H

#include <stdint.h>

/**
 * enum noise_kind - what it does
 * @NOISE_NONE: nothing
 * @NOISE_ETHERNET: a flood of pings of 60000 bytes between two network namespaces
 * @NOISE_BACKLOG: receives trains of datagrams by a simulated card whose driver hands
 *	them to the backlog of the CPU in the interrupt
 * @NOISE_NAPI: as that, by a card with NAPI
 * @NOISE_CPU: computes
 */
enum noise_kind {
	NOISE_NONE,
	NOISE_ETHERNET,
	NOISE_BACKLOG,
	NOISE_NAPI,
	NOISE_CPU,
};

extern const char *const noise_names[];

/* noise_floods() - by a simulated card? */
_Bool noise_floods(enum noise_kind kind);

/* noise_kind() - by its name; exits with CLI_USAGE if there is none. */
enum noise_kind noise_kind(const char *option, const char *text);

/* noise_start() - returns when it is under way; exits with CLI_SYSTEM if it does not get there. */
void noise_start(enum noise_kind kind);

/**
 * struct noise_count - what it has done so far
 * @pings: answered ones, @bytes: of their data, there and back
 * @datagrams: which it has received
 * @rounds: of computing
 * @cpu: time of the child in ns, as the scheduler has it
 */
struct noise_count {
	uint64_t pings, bytes, datagrams, rounds, cpu;
};

void noise_count(struct noise_count *count);

/* noise_stop() - may be called at any time, and twice. */
void noise_stop(void);

#endif
