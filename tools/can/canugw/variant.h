/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of variants. */
#ifndef CANUGW_VARIANT_H
#define CANUGW_VARIANT_H

#include <stdbool.h>

#include "side.h"

/**
 * struct variant - a receive side and a send side
 * @about: how it works, for --list; lines end with a newline
 */
struct variant {
	const char *name;
	const struct rx_ops *rx;
	const struct tx_ops *tx;
	const char *about;
};

/* variant_find() - by name; NULL: there is none. */
const struct variant *variant_find(const char *name);

/* variant_list() - all of them, for people, to standard output. */
void variant_list(void);

/*
 * variant_needs_mark() - is one CAN_RAW socket per interface not enough to tell
 * the gateway's own frames from others, when it forwards in both directions?
 */
bool variant_needs_mark(const struct variant *variant);

#endif
