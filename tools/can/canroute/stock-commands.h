/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands for the stock gateway. Those that it cannot support end the program with a message.
 */
#ifndef CANROUTE_STOCK_COMMANDS_H
#define CANROUTE_STOCK_COMMANDS_H

#include "fetch.h"
#include "options.h"

int stock_command_add(const struct options *options);
int stock_command_replace(const struct options *options);
int stock_command_delete(const struct options *options);
int stock_command_list(const struct options *options);
int stock_command_stats(const struct options *options);
int stock_command_monitor(const struct options *options);
int stock_command_load(const struct options *options);
int stock_command_save(const struct options *options);
int stock_command_flush(const struct options *options);
int stock_command_table(const struct options *options);

/* stock_unsupported() - end the program, because @what requires the family. */
_Noreturn void stock_unsupported(const char *what);

/* stock_select() - read the rules that are selected by --source, --destination and --frames. */
void stock_select(const struct options *options, struct fetched *fetched);

/*
 * stock_remove() - remove the rules from interface @source, or all rules if it is NULL.
 * Returns 0 or an errno.
 */
int stock_remove(const char *source);

#endif
