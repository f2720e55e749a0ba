/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * State of the pings of one identifier: their numbers, and classification of answers. Uses
 * neither clocks nor sockets.
 */
#ifndef CANPING_TRACK_H
#define CANPING_TRACK_H

#include <stdbool.h>
#include <stdint.h>

/* Number of last pings whose answers are recognized; a power of two */
#define TRACK_WINDOW 1024

/**
 * struct track_counts - counters of pings
 * @sent: sent pings; each is counted in @received, @lost or @late, or is pending
 * @received: answered in time
 * @lost: not answered
 * @late: answered after the timeout
 * @duplicated: further answers to an answered ping
 * @reordered: answers that arrived after the answer of a later ping; they are also late
 * @unexpected: answers with a number that no ping in the window has
 */
struct track_counts {
	uint64_t sent;
	uint64_t received;
	uint64_t lost;
	uint64_t late;
	uint64_t duplicated;
	uint64_t reordered;
	uint64_t unexpected;
};

/**
 * struct track - state of the pings; zeroed is the initial state
 * @sent: number of sent pings; its previous value modulo 2^32 is the number of a ping
 * @waiting: the last ping is neither answered nor given up
 * @answered: the ping was answered, indexed by its number modulo the window
 * @newest: position of the newest answered ping in the order of sending, from 1
 */
struct track {
	uint64_t sent;
	uint64_t newest;
	bool waiting;
	bool answered[TRACK_WINDOW];
};

/* track_number() - number of the next ping. */
uint32_t track_number(const struct track *t);

/* track_sent() - the next ping was sent. No ping may be pending. */
void track_sent(struct track *t, struct track_counts *counts);

/* track_give_up() - the pending ping is lost, unless its answer arrives late. */
void track_give_up(struct track *t, struct track_counts *counts);

/* track_answer() - an answer with @number arrived. True: it answers the pending ping. */
bool track_answer(struct track *t, uint32_t number, struct track_counts *counts);

#endif
