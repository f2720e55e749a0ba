/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pings of one identifier: which number comes next, which ones were
 * answered, and what an answer is that arrives now. No clock and no socket in here.
 */
#ifndef CANPING_TRACK_H
#define CANPING_TRACK_H

#include <stdbool.h>
#include <stdint.h>

/* Answers to the latest so many pings are told from strange ones; a power of two. */
#define TRACK_WINDOW 1024

/**
 * struct track_counts - what became of the pings
 * @sent: of these each is one of @received, @lost, @late, or still waited for
 * @received: answered in time
 * @lost: not answered
 * @late: answered after the timeout
 * @duplicated: further answers to a ping that was answered
 * @reordered: answers, late ones, that a later ping's answer overtook
 * @unexpected: answers with a number that no ping within the window had
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
 * struct track - zeroed is a valid start
 * @sent: how many; the number of a ping is what this was before, modulo 2^32
 * @waiting: the latest one is not answered and not given up
 * @answered: whether it was, by number modulo the window
 * @newest: which one in order of @sent was the latest that was answered, from 1 on
 */
struct track {
	uint64_t sent;
	uint64_t newest;
	bool waiting;
	bool answered[TRACK_WINDOW];
};

/* track_number() - number of the ping to send next. */
uint32_t track_number(const struct track *t);

/* track_sent() - it was sent; nothing is waited for before. */
void track_sent(struct track *t, struct track_counts *counts);

/* track_give_up() - the ping that is waited for is lost, unless its answer comes late. */
void track_give_up(struct track *t, struct track_counts *counts);

/* track_answer() - an answer with @number arrived. True: it is the one waited for. */
bool track_answer(struct track *t, uint32_t number, struct track_counts *counts);

#endif
