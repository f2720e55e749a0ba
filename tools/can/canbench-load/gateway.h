/* SPDX-License-Identifier: GPL-2.0-only */
/* A rule of the kernel's gateway. Main thread only. All errors exit with CLI_SYSTEM. */
#ifndef CANBENCH_LOAD_GATEWAY_H
#define CANBENCH_LOAD_GATEWAY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * gateway_add() - route all frames from @from to @to, until an interface is removed; with
 * @express in the interrupt that reads them.
 */
void gateway_add(const char *from, const char *to, bool express);

struct gateway_count {
	uint64_t handled, dropped;
};

/* gateway_count() - get the counters of the rule. */
void gateway_count(struct gateway_count *count);

#endif
