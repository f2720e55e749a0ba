/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of variants. */
#ifndef CANUGW_VARIANT_H
#define CANUGW_VARIANT_H

#include <stdbool.h>

#include "side.h"

/**
 * struct variant - combination of a receive side and a send side
 * @about: description for --list; each line ends with a newline
 */
struct variant {
	const char *name;
	const struct rx_ops *rx;
	const struct tx_ops *tx;
	const char *about;
};

/* variant_find() - find a variant by name; NULL: unknown. */
const struct variant *variant_find(const char *name);

/* variant_list() - print the descriptions of all variants. */
void variant_list(void);

/*
 * variant_needs_mark() - with --both, the variant requires marks to recognize its own
 * frames, because it does not use one CAN_RAW socket per interface.
 */
bool variant_needs_mark(const struct variant *variant);

#endif
