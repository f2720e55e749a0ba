/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Background load of the CPU: a child process of normal priority, which ends with the
 * program. Only the main thread calls these, background_start() before it starts others.
 */
#ifndef CANBENCH_LOAD_BACKGROUND_H
#define CANBENCH_LOAD_BACKGROUND_H

#include <stdint.h>

/**
 * enum background_kind - types of background load
 * @BACKGROUND_NONE: none
 * @BACKGROUND_ETHERNET: flood of pings between two network namespaces
 * @BACKGROUND_BACKLOG: trains of datagrams from a simulated card, whose interrupt handler
 *	queues them in the backlog of the CPU
 * @BACKGROUND_NAPI: the same from a card with NAPI
 * @BACKGROUND_TRANSMIT: datagrams that fill a link of 100 Mbit/s are sent through such a card
 * @BACKGROUND_CPU: computation
 * @BACKGROUND_HACKBENCH: hackbench(8), again and again: 40 processes that send each other
 *	messages through pipes, and their begin and end
 */
enum background_kind {
	BACKGROUND_NONE,
	BACKGROUND_ETHERNET,
	BACKGROUND_BACKLOG,
	BACKGROUND_NAPI,
	BACKGROUND_TRANSMIT,
	BACKGROUND_CPU,
	BACKGROUND_HACKBENCH,
};

extern const char *const background_names[];

/* background_uses_card() - the load is that of a simulated Ethernet card. */
_Bool background_uses_card(enum background_kind kind);

/* background_kind() - find a load by its name; exits with CLI_USAGE if it is unknown. */
enum background_kind background_kind(const char *option, const char *text);

/* Bytes of data in a ping; the default is as with ping -s 60000. */
#define BACKGROUND_PING_MAX 60000

/* Datagrams per second in a train: of 270 bytes, these fill 100 Mbit/s. */
#define BACKGROUND_DATAGRAMS 37000
#define BACKGROUND_DATAGRAMS_MAX 1000000

/*
 * background_start() - start the load and wait until it runs, with pings of @ping_bytes, or with
 * @datagrams per second. Exits with CLI_SYSTEM on error.
 */
void background_start(enum background_kind kind, unsigned int ping_bytes, unsigned int datagrams);

/**
 * struct background_count - work done since the start
 * @pings: answered pings; @bytes: their data in both directions
 * @datagrams: datagrams that were received, or sent
 * @rounds: iterations of the computation, or finished runs of hackbench
 * @cpu: CPU time in ns of the child, or of these runs
 */
struct background_count {
	uint64_t pings, bytes, datagrams, rounds, cpu;
};

/* background_count() - exits with CLI_SYSTEM if the load has ended before. */
void background_count(struct background_count *count);

/* background_is_child() - this process is the load: it does not clean up at its end. */
_Bool background_is_child(void);

/* background_stop() - may be called at any time and repeatedly. */
void background_stop(void);

#endif
