/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Output of the commands list, save and stats, whatever gateway the rules are from.
 */
#ifndef CANROUTE_LIST_H
#define CANROUTE_LIST_H

#include "fetch.h"
#include "options.h"

void list_print(const struct fetched *fetched, const struct options *options);
void save_print(const struct fetched *fetched);

/* stats_check() - exit with CLI_USAGE if options exclude each other. */
void stats_check(const struct options *options);
void stats_print(const struct fetched *fetched, const struct options *options);

#endif
