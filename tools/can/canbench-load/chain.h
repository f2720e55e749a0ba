/* SPDX-License-Identifier: GPL-2.0-only */
/* Gateway rules one after another over virtual interfaces. Main thread only. */
#ifndef CANBENCH_LOAD_CHAIN_H
#define CANBENCH_LOAD_CHAIN_H

#include "settings.h"

/*
 * chain_make() - make the interfaces and rules of struct settings.hops, from @in to @out. Each rule
 * adds one to the identifier. Exits with CLI_SYSTEM on error.
 */
void chain_make(const char *in, const char *out, const struct settings *set);

/* chain_remove() - may be called at any time and repeatedly. */
void chain_remove(void);

#endif
