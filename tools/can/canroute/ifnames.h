/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cache of interface names and indices: thousands of rules use few interfaces.
 */
#ifndef CANROUTE_IFNAMES_H
#define CANROUTE_IFNAMES_H

#include <net/if.h>

/* ifnames_index() - index of an interface, 0 if it does not exist. */
unsigned int ifnames_index(const char *name);

/* ifnames_name() - name of an interface, or "if7" if index 7 does not exist. Returns @name. */
const char *ifnames_name(unsigned int index, char name[IFNAMSIZ]);

/* ifnames_flush() - empty the cache, because interfaces may have changed. */
void ifnames_flush(void);

#endif
