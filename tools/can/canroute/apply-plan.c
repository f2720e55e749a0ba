// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compare the rules of a file with those in the kernel. Rules with equal texts are equal.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply-plan.h"
#include "cli.h"
#include "parse.h"
#include "print.h"

const char *wanted_rule_waits(const struct wanted_rule *rule)
{
	if (!rule->source_index)
		return rule->source;
	return rule->destination_index ? NULL : rule->destination;
}

bool wanted_rule_skipped(const struct wanted_rule *rule)
{
	return rule->lacks || wanted_rule_waits(rule);
}

/*
 * The number of an unused rule of ours with this text, @count if there is none. Most rules are
 * found at @from.
 */
static size_t find_active(const struct active_rule *active, size_t count, const bool *used,
			  size_t from, const char *text)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = (from + i) % count;

		if (active[at].ours && !used[at] && !strcmp(active[at].text, text))
			return at;
	}
	return count;
}

/* Returns the number of rules that were found. */
static size_t find_loaded(struct wanted_rule *wanted, size_t wanted_count,
			  const struct active_rule *active, size_t active_count)
{
	bool *used = calloc(active_count + 1, sizeof(*used));
	size_t found = 0, next = 0;

	if (!used)
		cli_fail("no memory for rules");
	for (size_t i = 0; i < wanted_count; i++) {
		size_t at = active_count;

		if (!wanted_rule_skipped(&wanted[i]))
			at = find_active(active, active_count, used, next, wanted[i].text);
		wanted[i].loaded = at < active_count;
		if (!wanted[i].loaded)
			continue;
		wanted[i].active = at;
		used[at] = true;
		next = at + 1;
		found++;
	}
	free(used);
	return found;
}

/*
 * The wanted rules of one source are loaded in their order, and those that are not loaded come
 * last. @begin is the first rule of the source.
 */
static bool source_in_order(const struct wanted_rule *wanted, size_t count, size_t begin)
{
	const struct wanted_rule *last = NULL;
	bool missing = false;

	for (size_t i = begin; i < count; i++) {
		if (wanted_rule_skipped(&wanted[i]) ||
		    strcmp(wanted[i].source, wanted[begin].source))
			continue;
		if (!wanted[i].loaded) {
			missing = true;
			continue;
		}
		if (missing || (last && last->active > wanted[i].active))
			return false;
		last = &wanted[i];
	}
	return true;
}

static bool first_of_source(const struct wanted_rule *wanted, size_t i)
{
	for (size_t before = 0; before < i; before++)
		if (!strcmp(wanted[before].source, wanted[i].source))
			return false;
	return true;
}

static bool all_in_order(const struct wanted_rule *wanted, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (first_of_source(wanted, i) && !source_in_order(wanted, count, i))
			return false;
	return true;
}

enum plan apply_plan(struct wanted_rule *wanted, size_t wanted_count,
		     const struct active_rule *active, size_t active_count)
{
	size_t found = find_loaded(wanted, wanted_count, active, active_count);
	size_t ours = 0, loadable = 0;

	for (size_t i = 0; i < active_count; i++)
		ours += active[i].ours;
	for (size_t i = 0; i < wanted_count; i++)
		loadable += !wanted_rule_skipped(&wanted[i]);
	if (found < ours || !all_in_order(wanted, wanted_count))
		return PLAN_REPLACE;
	if (found == loadable)
		return PLAN_KEEP;
	/* The first load is atomic if it does not affect rules of others. */
	return active_count ? PLAN_ADD : PLAN_REPLACE;
}

char *rule_text(const struct rule *rule)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		cli_fail("no memory for a rule");
	print_rule(out, rule);
	if (fclose(out))
		cli_fail("no memory for a rule");
	return text;
}

bool rule_from_text(struct rule *rule, const char *text)
{
	char *copy = strdup(text);
	struct tokens tokens = { 0 };
	struct parse_error error;
	struct text line;
	bool good;

	if (!copy)
		cli_fail("no memory for a rule");
	line = (struct text){ copy, copy + strlen(copy), 1 };
	good = tokens_next(&tokens, &line, &error) && parse_rule(rule, &tokens, &error);
	free(tokens.token);
	free(copy);
	return good;
}
