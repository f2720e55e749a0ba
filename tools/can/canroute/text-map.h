/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Map from handles to texts. The monitor stores the text of each rule in it: the
 * notification of a removal has only the handle, and the interface may no longer exist.
 */
#ifndef CANROUTE_TEXT_MAP_H
#define CANROUTE_TEXT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct text_entry;

/* struct text_map - a hash table; zeroed is empty */
struct text_map {
	struct text_entry **bucket;
	size_t buckets, count;
};

/*
 * text_map_set() - store @text, which the map then owns. Returns the previous text, which the
 * caller frees, or NULL.
 */
char *text_map_set(struct text_map *map, uint64_t handle, char *text);

/* text_map_take() - remove an entry. Returns its text, which the caller frees, or NULL. */
char *text_map_take(struct text_map *map, uint64_t handle);

/* text_map_clear() - remove all entries and free their texts. */
void text_map_clear(struct text_map *map);

#endif
