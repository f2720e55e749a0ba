/* SPDX-License-Identifier: GPL-2.0-only */
/* A rule of the kernel's gateway. Main thread only; exits with CLI_SYSTEM where something cannot be done. */
#ifndef CANBENCH_LOAD_GATEWAY_H
#define CANBENCH_LOAD_GATEWAY_H

#include <stdint.h>

/* gateway_add() - route all frames from @from to @to. The rule goes with the interfaces. */
void gateway_add(const char *from, const char *to);

struct gateway_count {
	uint64_t handled, dropped;
};

/* gateway_count() - what that rule has counted. */
void gateway_count(struct gateway_count *count);

#endif
