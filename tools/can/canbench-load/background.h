/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What else keeps the CPU busy: a child of normal priority, which ends with the
 * program. Main thread only, before it starts others.
 */
#ifndef CANBENCH_LOAD_BACKGROUND_H
#define CANBENCH_LOAD_BACKGROUND_H

#include <stdint.h>

/**
 * enum background_kind - what it does
 * @BACKGROUND_NONE: nothing
 * @BACKGROUND_ETHERNET: a flood of pings of 60000 bytes between two network namespaces
 * @BACKGROUND_BACKLOG: receives trains of datagrams by a simulated card whose driver hands
 *	them to the backlog of the CPU in the interrupt
 * @BACKGROUND_NAPI: as that, by a card with NAPI
 * @BACKGROUND_CPU: computes
 */
enum background_kind {
	BACKGROUND_NONE,
	BACKGROUND_ETHERNET,
	BACKGROUND_BACKLOG,
	BACKGROUND_NAPI,
	BACKGROUND_CPU,
};

extern const char *const background_names[];

/* background_uses_card() - by a simulated card? */
_Bool background_uses_card(enum background_kind kind);

/* background_kind() - by its name; exits with CLI_USAGE if there is none. */
enum background_kind background_kind(const char *option, const char *text);

/* background_start() - returns when it is under way; exits with CLI_SYSTEM if it does not get there. */
void background_start(enum background_kind kind);

/**
 * struct background_count - what it has done so far
 * @pings: answered ones, @bytes: of their data, there and back
 * @datagrams: which it has received
 * @rounds: of computing
 * @cpu: time of the child in ns, as the scheduler has it
 */
struct background_count {
	uint64_t pings, bytes, datagrams, rounds, cpu;
};

void background_count(struct background_count *count);

/* background_stop() - may be called at any time, and twice. */
void background_stop(void);

#endif
