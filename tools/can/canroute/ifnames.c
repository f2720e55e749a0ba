// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cache of interface names and indices, with a hash table for each direction. Interfaces
 * that do not exist are cached, too: with index 0, or with the name ifINDEX.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "ifnames.h"

#define BUCKETS 256

struct entry {
	struct entry *next;
	unsigned int index;
	char name[IFNAMSIZ];
};

static struct entry *by_name[BUCKETS], *by_index[BUCKETS];

static struct entry *add_entry(struct entry **bucket, unsigned int index, const char *name)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		cli_fail("no memory for the name of an interface");
	entry->index = index;
	memcpy(entry->name, name, strnlen(name, IFNAMSIZ - 1));
	entry->next = *bucket;
	*bucket = entry;
	return entry;
}

static unsigned int hash_name(const char *name)
{
	unsigned int sum = 5381;

	while (*name)
		sum = sum * 33 + (unsigned char)*name++;
	return sum % BUCKETS;
}

unsigned int ifnames_index(const char *name)
{
	struct entry **bucket = &by_name[hash_name(name)];

	for (struct entry *entry = *bucket; entry; entry = entry->next)
		if (!strcmp(entry->name, name))
			return entry->index;
	return add_entry(bucket, if_nametoindex(name), name)->index;
}

const char *ifnames_name(unsigned int index, char name[IFNAMSIZ])
{
	struct entry **bucket = &by_index[index % BUCKETS];

	for (struct entry *entry = *bucket; entry; entry = entry->next)
		if (entry->index == index)
			return memcpy(name, entry->name, IFNAMSIZ);
	if (!if_indextoname(index, name))
		snprintf(name, IFNAMSIZ, "if%u", index);
	return memcpy(name, add_entry(bucket, index, name)->name, IFNAMSIZ);
}

static void free_entries(struct entry *entry)
{
	while (entry) {
		struct entry *next = entry->next;

		free(entry);
		entry = next;
	}
}

void ifnames_flush(void)
{
	for (int i = 0; i < BUCKETS; i++) {
		free_entries(by_name[i]);
		free_entries(by_index[i]);
		by_name[i] = NULL;
		by_index[i] = NULL;
	}
}
