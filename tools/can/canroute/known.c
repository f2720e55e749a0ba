// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text of rules by handle. Handles count up, so that they are their own hash.
 */
#include <stdlib.h>

#include "cli.h"
#include "known.h"

struct known_rule {
	struct known_rule *next;
	uint64_t handle;
	char *text;
};

static struct known_rule **place(const struct known *known, uint64_t handle)
{
	struct known_rule **at = &known->bucket[handle % known->buckets];

	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	return at;
}

static void grow(struct known *known)
{
	struct known larger = { .buckets = 2 * known->buckets + 255, .count = known->count };

	larger.bucket = calloc(larger.buckets, sizeof(struct known_rule *));
	if (!larger.bucket)
		cli_fail("no memory for rules");
	for (size_t i = 0; i < known->buckets; i++) {
		struct known_rule *rule = known->bucket[i];

		while (rule) {
			struct known_rule *next = rule->next;
			struct known_rule **at = &larger.bucket[rule->handle % larger.buckets];

			rule->next = *at;
			*at = rule;
			rule = next;
		}
	}
	free(known->bucket);
	*known = larger;
}

char *known_set(struct known *known, uint64_t handle, char *text)
{
	struct known_rule **at;
	char *before = NULL;

	if (known->count >= known->buckets)
		grow(known);
	at = place(known, handle);
	if (*at) {
		before = (*at)->text;
	} else {
		*at = calloc(1, sizeof(**at));
		if (!*at)
			cli_fail("no memory for a rule");
		(*at)->handle = handle;
		known->count++;
	}
	(*at)->text = text;
	return before;
}

char *known_take(struct known *known, uint64_t handle)
{
	struct known_rule **at, *rule;
	char *text;

	if (!known->count)
		return NULL;
	at = place(known, handle);
	rule = *at;
	if (!rule)
		return NULL;
	*at = rule->next;
	text = rule->text;
	free(rule);
	known->count--;
	return text;
}

void known_clear(struct known *known)
{
	for (size_t i = 0; i < known->buckets; i++) {
		while (known->bucket[i]) {
			struct known_rule *rule = known->bucket[i];

			known->bucket[i] = rule->next;
			free(rule->text);
			free(rule);
		}
	}
	free(known->bucket);
	*known = (struct known){ 0 };
}
