// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands apply and unapply with the stock module can-gw, which changes one rule at a time,
 * and finds a rule by its content.
 */
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "cli.h"
#include "stock.h"

/* struct stock_table - the rules in the kernel, the oldest first */
struct stock_table {
	struct active_rule *active;
	size_t count;
};

static void read_table(struct stock_table *table, struct state *state)
{
	struct stock_rule *rules = stock_fetch(&table->count);

	table->active = calloc(table->count + 1, sizeof(*table->active));
	if (!table->active)
		cli_fail("no memory for rules");
	for (size_t i = 0; i < table->count; i++)
		table->active[i].text = rule_text(&rules[table->count - 1 - i].rule);
	free(rules);
	state_mark(state, table->active, table->count);
}

static void free_table(struct stock_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->active[i].text);
	free(table->active);
}

/* Find what the module lacks, and remove the names of the other rules. */
static void find_lacks(struct apply *apply)
{
	static struct rule rule;

	for (size_t i = 0; i < apply->count; i++) {
		struct wanted_rule *wanted = &apply->wanted[i];

		rule_from_text(&rule, wanted->text);
		wanted->lacks = stock_lacks(&rule);
		rule.name[0] = '\0';
		free(wanted->text);
		wanted->text = rule_text(&rule);
	}
}

static bool add_rule(const char *text, char *reason, size_t len)
{
	static struct rule rule;

	rule_from_text(&rule, text);
	return stock_add(&rule, reason, len);
}

static bool delete_rule(const char *text)
{
	static struct rule rule;
	char reason[256];

	rule_from_text(&rule, text);
	if (stock_delete(&rule, reason, sizeof(reason)))
		return true;
	cli_warn("removing '%s': %s", text, reason);
	return false;
}

/* Remove the rules of ours; *@count is the number of removed ones. */
static bool delete_ours(const struct stock_table *table, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < table->count; i++) {
		if (!table->active[i].ours)
			continue;
		if (!delete_rule(table->active[i].text))
			return false;
		++*count;
	}
	return true;
}

/* Add the first @count rules of ours again. */
static void restore_ours(const struct stock_table *table, size_t count)
{
	char reason[256];

	for (size_t i = 0; count && i < table->count; i++) {
		if (!table->active[i].ours)
			continue;
		count--;
		if (!add_rule(table->active[i].text, reason, sizeof(reason)))
			cli_warn("adding '%s' again: %s", table->active[i].text, reason);
	}
}

/* Add the wanted rules that are not loaded. At an error, remove those that were added. */
static bool add_rules(struct apply *apply)
{
	char reason[256];

	for (size_t i = 0; i < apply->count; i++) {
		struct wanted_rule *wanted = &apply->wanted[i];

		if (wanted->loaded || wanted_rule_skipped(wanted) ||
		    add_rule(wanted->text, reason, sizeof(reason)))
			continue;
		cli_warn("%s:%u: %s", apply->name, wanted->line, reason);
		while (i--)
			if (!apply->wanted[i].loaded && !wanted_rule_skipped(&apply->wanted[i]))
				delete_rule(apply->wanted[i].text);
		return false;
	}
	return true;
}

static bool replace_rules(struct apply *apply, const struct stock_table *table)
{
	size_t removed;

	for (size_t i = 0; i < apply->count; i++)
		apply->wanted[i].loaded = false;
	if (delete_ours(table, &removed) && add_rules(apply))
		return true;
	restore_ours(table, removed);
	return false;
}

static void set_after(struct apply *apply)
{
	for (size_t i = 0; i < apply->count; i++)
		if (!wanted_rule_skipped(&apply->wanted[i]))
			state_add(&apply->after,
				  &(struct active_rule){ .text = apply->wanted[i].text });
}

bool apply_stock(struct apply *apply)
{
	struct stock_table table;
	enum plan plan;
	bool good;

	apply_find_interfaces(apply);
	find_lacks(apply);
	read_table(&table, &apply->before);
	plan = apply_plan(apply->wanted, apply->count, table.active, table.count);
	if (plan != PLAN_KEEP)
		cli_warn("the loaded module can-gw has no transactions: rules are changed one after another");
	if (plan == PLAN_REPLACE)
		good = replace_rules(apply, &table);
	else
		good = add_rules(apply);
	if (good)
		set_after(apply);
	free_table(&table);
	return good;
}

bool unapply_stock(struct state *state, size_t *count)
{
	struct stock_table table;
	bool good;

	read_table(&table, state);
	good = delete_ours(&table, count);
	free_table(&table);
	return good;
}
