/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names and indices of interfaces, asked for once each: thousands of rules are about a
 * few interfaces.
 */
#ifndef CANROUTE_IFNAMES_H
#define CANROUTE_IFNAMES_H

#include <net/if.h>

/* ifnames_index() - 0 if there is no such interface. */
unsigned int ifnames_index(const char *name);

/* ifnames_name() - its name, "if7" if there is none any more; returns @name. */
const char *ifnames_name(unsigned int index, char name[IFNAMSIZ]);

/* ifnames_flush() - ask again, because time has passed. */
void ifnames_flush(void);

#endif
