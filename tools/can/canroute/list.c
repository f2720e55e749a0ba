// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands list and save.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "columns.h"
#include "fetch.h"
#include "list.h"
#include "options.h"
#include "print.h"
#include "rule-json.h"

static void add_list_row(struct columns *c, const struct rule *rule)
{
	print_handle(columns_cell(c), rule);
	print_token(columns_cell(c), rule->name[0] ? rule->name : "-");
	print_token(columns_cell(c), rule->source);
	print_token(columns_cell(c), rule->destination);
	fputs(frame_types[rule->frames].name, columns_cell(c));
	fprintf(columns_cell(c), "%" PRIu64, rule->stats.sent);
	fprintf(columns_cell(c), "%" PRIu64, rule->stats.dropped);
	fprintf(columns_cell(c), "%" PRIu64, rule->stats.deleted);
	print_rest(columns_cell(c), rule);
	if (rule->pending)
		fputs("  # pending", columns_cell(c));
}

/* print_rest() begins with a space, so the title does, too. */
static void print_list(const struct fetched *fetched)
{
	static const char *const titles[] = { "HANDLE", "NAME", "FROM", "TO", "FRAMES", "SENT",
					      "DROPPED", "DELETED", " FILTER AND CHANGES" };
	static struct rule rule;
	struct columns columns;

	columns_begin(&columns, titles, ARRAY_SIZE(titles), BIT(0) | BIT(5) | BIT(6) | BIT(7));
	for (size_t i = 0; i < fetched->count; i++) {
		fetched_rule(fetched, i, &rule);
		add_list_row(&columns, &rule);
	}
	columns_print(&columns);
}

/* Oldest first: 'load' then restores the order, because it adds each rule before the others. */
static void print_rules(const struct fetched *fetched, bool handles)
{
	static struct rule rule;

	for (size_t i = fetched->count; i-- > 0;) {
		fetched_rule(fetched, i, &rule);
		print_rule(stdout, &rule);
		if (handles && rule.handle)
			printf("  # handle %" PRIu64 "%s", rule.handle,
			       rule.pending ? ", pending" : "");
		putchar('\n');
	}
}

void list_print(const struct fetched *fetched, const struct options *options)
{
	if (options->json)
		json_print_rules(fetched);
	else if (options->rules)
		print_rules(fetched, true);
	else
		print_list(fetched);
}

void save_print(const struct fetched *fetched)
{
	print_rules(fetched, false);
}

int command_list(const struct options *options)
{
	struct fetched fetched;
	struct kernel kernel;

	kernel_open(&kernel);
	if (!fetch_rules(&kernel, options, &fetched))
		return STATUS_REJECTED;
	list_print(&fetched, options);
	fetched_free(&fetched);
	kernel_close(&kernel);
	return CLI_OK;
}

int command_save(const struct options *options)
{
	struct fetched fetched;
	struct kernel kernel;

	kernel_open(&kernel);
	if (!fetch_rules(&kernel, options, &fetched))
		return STATUS_REJECTED;
	save_print(&fetched);
	fetched_free(&fetched);
	kernel_close(&kernel);
	return CLI_OK;
}
