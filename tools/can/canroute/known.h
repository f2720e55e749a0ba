/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the monitor knows of rules: their text by their handle, because the news of a
 * removal has the handle only, and the interface may be gone by then.
 */
#ifndef CANROUTE_KNOWN_H
#define CANROUTE_KNOWN_H

#include <stddef.h>
#include <stdint.h>

struct known_rule;

/* struct known - all of them, in a hash table that grows */
struct known {
	struct known_rule **bucket;
	size_t buckets, count;
};

/* known_set() - keep @text, which is handed over. The text until now, to be freed, or NULL. */
char *known_set(struct known *known, uint64_t handle, char *text);

/* known_take() - forget a rule; its text, to be freed, or NULL. */
char *known_take(struct known *known, uint64_t handle);

/* known_clear() - forget all. */
void known_clear(struct known *known);

#endif
