/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules, counters and the table as JSON.
 */
#ifndef CANROUTE_RULE_JSON_H
#define CANROUTE_RULE_JSON_H

#include <jansson.h>

#include "fetch.h"
#include "rule.h"
#include "rule-message.h"

json_t *rule_json(const struct rule *rule);

json_t *stats_json(const struct stats *stats);

json_t *rule_table_json(const struct rule_table *table);

/* json_print() - print @json on one line, and free it. */
void json_print(json_t *json);

/* json_print_rules() - print an array, with one rule per line. */
void json_print_rules(const struct fetched *fetched);

#endif
