/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the monitor knows of rules: their text by their handle, because the news of a
 * removal has the handle only, and the interface may be gone by then.
 */
#ifndef CANROUTE_TEXT_MAP_H
#define CANROUTE_TEXT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct text_entry;

/* struct text_map - all of them, in a hash table that grows */
struct text_map {
	struct text_entry **bucket;
	size_t buckets, count;
};

/* text_map_set() - keep @text, which is handed over. The text until now, to be freed, or NULL. */
char *text_map_set(struct text_map *map, uint64_t handle, char *text);

/* text_map_take() - forget a rule; its text, to be freed, or NULL. */
char *text_map_take(struct text_map *map, uint64_t handle);

/* text_map_clear() - forget all. */
void text_map_clear(struct text_map *map);

#endif
