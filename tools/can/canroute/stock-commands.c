// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands for the stock gateway, except for load.
 */
#include <errno.h>
#include <string.h>

#include <netlink/msg.h>

#include "cli.h"
#include "list.h"
#include "source-file.h"
#include "stock-commands.h"
#include "stock-message.h"
#include "stock-socket.h"
#include "stock.h"

void stock_unsupported(const char *what)
{
	stock_require();
	errno = 0;
	cli_fail("%s requires the netlink family can-gw, which the module can-gw of this kernel does not have; canroute(1), STOCK MODULES",
		 what);
}

static bool selected(const struct rule *rule, const struct options *options)
{
	return (!options->source || !strcmp(rule->source, options->source)) &&
	       (!options->destination || !strcmp(rule->destination, options->destination)) &&
	       (!options->frames || !strcmp(frame_types[rule->frames].name, options->frames));
}

void stock_select(const struct options *options, struct fetched *fetched)
{
	static struct rule rule;
	size_t count = 0;

	/* Both end the program if the interface does not exist. */
	fetch_index(options->source);
	fetch_index(options->destination);
	stock_dump(fetched);
	for (size_t i = 0; i < fetched->count; i++) {
		fetched_rule(fetched, i, &rule);
		if (selected(&rule, options))
			fetched->offset[count++] = fetched->offset[i];
	}
	fetched->count = count;
}

int stock_remove(const char *source)
{
	const struct options options = { .source = source };
	struct fetched fetched;
	int error = 0;

	if (!source)
		return stock_request(stock_put_flush());
	stock_select(&options, &fetched);
	for (size_t i = 0; !error && i < fetched.count; i++)
		error = stock_request_delete(fetched_message(&fetched, i));
	fetched_free(&fetched);
	return error;
}

int stock_command_add(const struct options *options)
{
	static struct rule rule;
	char text[256];

	source_arguments(&rule, options->args, options->count);
	stock_require();
	if (rule.name[0])
		cli_warn("warning: the module can-gw of this kernel does not store names");
	if (stock_add(&rule, text, sizeof(text)))
		return CLI_OK;
	cli_warn("%s", text);
	return STATUS_REJECTED;
}

int stock_command_replace(const struct options *options)
{
	static struct rule rule;

	fetch_handle(options->args[0]);
	source_arguments(&rule, options->args + 1, options->count - 1);
	stock_unsupported("replace");
}

int stock_command_delete(const struct options *options)
{
	(void)options;
	stock_require();
	errno = 0;
	cli_fail("the module can-gw of this kernel has no handles; 'cangw -D' and 'canroute flush' remove rules; canroute(1), STOCK MODULES");
}

/* Selections of list, save and stats */
static void fetch_selected(const struct options *options, struct fetched *fetched)
{
	if (options->count)
		stock_unsupported("selection by handle");
	if (options->name)
		stock_unsupported("selection by name");
	stock_select(options, fetched);
}

int stock_command_list(const struct options *options)
{
	struct fetched fetched;

	fetch_selected(options, &fetched);
	list_print(&fetched, options);
	fetched_free(&fetched);
	return CLI_OK;
}

int stock_command_save(const struct options *options)
{
	struct fetched fetched;

	fetch_selected(options, &fetched);
	save_print(&fetched);
	fetched_free(&fetched);
	return CLI_OK;
}

int stock_command_stats(const struct options *options)
{
	struct fetched fetched;

	stats_check(options);
	if (options->live_ns)
		stock_unsupported("stats --live");
	if (options->reset)
		stock_unsupported("stats --reset");
	fetch_selected(options, &fetched);
	stats_print(&fetched, options);
	fetched_free(&fetched);
	return CLI_OK;
}

int stock_command_flush(const struct options *options)
{
	int error = stock_remove(options->source);

	if (!error)
		return CLI_OK;
	cli_warn("%s", stock_error_text(error));
	return STATUS_REJECTED;
}

int stock_command_monitor(const struct options *options)
{
	(void)options;
	stock_unsupported("monitor");
}

int stock_command_table(const struct options *options)
{
	(void)options;
	stock_unsupported("table");
}
