/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules as JSON.
 */
#ifndef CANROUTE_RULE_JSON_H
#define CANROUTE_RULE_JSON_H

#include <jansson.h>

#include "fetch.h"
#include "rule.h"
#include "rule-message.h"

/* rule_json() - all of it. */
json_t *rule_json(const struct rule *rule);

json_t *stats_json(const struct stats *stats);

json_t *rule_table_json(const struct rule_table *table);

/* json_print() - on a line of its own; frees it. */
void json_print(json_t *json);

/* json_print_rules() - an array, with one rule a line. */
void json_print_rules(const struct fetched *fetched);

#endif
