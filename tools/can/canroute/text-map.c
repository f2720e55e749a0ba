// SPDX-License-Identifier: GPL-2.0-only
/*
 * Map from handles to texts. Handles count up, so the handle is used as its own hash.
 */
#include <stdlib.h>

#include "cli.h"
#include "text-map.h"

struct text_entry {
	struct text_entry *next;
	uint64_t handle;
	char *text;
};

static struct text_entry **find_entry(const struct text_map *map, uint64_t handle)
{
	struct text_entry **at = &map->bucket[handle % map->buckets];

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

static void grow_table(struct text_map *map)
{
	struct text_map larger = { .buckets = 2 * map->buckets + 255, .count = map->count };

	larger.bucket = calloc(larger.buckets, sizeof(struct text_entry *));
	if (!larger.bucket)
		cli_fail("no memory for rules");
	for (size_t i = 0; i < map->buckets; i++) {
		struct text_entry *entry = map->bucket[i];

		while (entry) {
			struct text_entry *next = entry->next;
			struct text_entry **at = &larger.bucket[entry->handle % larger.buckets];

			entry->next = *at;
			*at = entry;
			entry = next;
		}
	}
	free(map->bucket);
	*map = larger;
}

char *text_map_set(struct text_map *map, uint64_t handle, char *text)
{
	struct text_entry **at;
	char *before = NULL;

	if (map->count >= map->buckets)
		grow_table(map);
	at = find_entry(map, handle);
	if (*at) {
		before = (*at)->text;
	} else {
		*at = calloc(1, sizeof(**at));
		if (!*at)
			cli_fail("no memory for a rule");
		(*at)->handle = handle;
		map->count++;
	}
	(*at)->text = text;
	return before;
}

char *text_map_take(struct text_map *map, uint64_t handle)
{
	struct text_entry **at, *entry;
	char *text;

	if (!map->count)
		return NULL;
	at = find_entry(map, handle);
	entry = *at;
	if (!entry)
		return NULL;
	*at = entry->next;
	text = entry->text;
	free(entry);
	map->count--;
	return text;
}

void text_map_clear(struct text_map *map)
{
	for (size_t i = 0; i < map->buckets; i++) {
		while (map->bucket[i]) {
			struct text_entry *entry = map->bucket[i];

			map->bucket[i] = entry->next;
			free(entry->text);
			free(entry);
		}
	}
	free(map->bucket);
	*map = (struct text_map){ 0 };
}
