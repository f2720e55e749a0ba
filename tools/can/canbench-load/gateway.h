/* SPDX-License-Identifier: GPL-2.0-only */
/* Rules of the kernel's gateway. Main thread only. All errors exit with CLI_SYSTEM. */
#ifndef CANBENCH_LOAD_GATEWAY_H
#define CANBENCH_LOAD_GATEWAY_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/*
 * gateway_add() - route frames from @from to @to, until an interface is removed; with @express in
 * the interrupt that reads them. One rule is for all frames; of several @rules, each is for one
 * identifier, beginning with @first.
 * A second call must have the same interfaces.
 */
void gateway_add(const char *from, const char *to, bool express, unsigned int rules,
		 unsigned int first);

/*
 * gateway_load() - load rules from a file for canroute(1), in which the interfaces have the names
 * "in" and "out": they become @in and @out.
 */
void gateway_load(const char *file, const char *in, const char *out);

/* gateway_open() - the interfaces between which the frames of gateway_count() are routed */
void gateway_open(const char *in, const char *out);

/*
 * gateway_hop() - route frames with the identifier @id from @from to @to, and add one to it; with
 * @echo, @to receives what it sends. After gateway_open(); at most SETTINGS_PAIRS_MAX calls.
 */
void gateway_hop(const char *from, const char *to, canid_t id, bool echo);

/* Frames that were sent to the interfaces of gateway_open(), and that rules have dropped */
struct gateway_count {
	uint64_t handled, dropped;
};

/* gateway_count() - get the sum of the counters of all rules. */
void gateway_count(struct gateway_count *count);

#endif
