// SPDX-License-Identifier: GPL-2.0-only
/*
 * Choose the commands for the gateway of this kernel.
 */
#include <string.h>

#include "dispatch.h"
#include "stock.h"
#include "stock-commands.h"

static const struct {
	const char *name;
	command_fn run;
} stock_commands[] = {
	{ "add", stock_command_add },
	{ "replace", stock_command_replace },
	{ "delete", stock_command_delete },
	{ "list", stock_command_list },
	{ "stats", stock_command_stats },
	{ "monitor", stock_command_monitor },
	{ "load", stock_command_load },
	{ "save", stock_command_save },
	{ "flush", stock_command_flush },
	{ "table", stock_command_table },
};

command_fn dispatch(const char *name, command_fn run)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(stock_commands) && strcmp(stock_commands[i].name, name))
		i++;
	if (i == ARRAY_SIZE(stock_commands) || gateway_find() == GATEWAY_FAMILY)
		return run;
	return stock_commands[i].run;
}
