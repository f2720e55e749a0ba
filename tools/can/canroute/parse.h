/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parser of rules, in the long form or with the options of cangw.
 */
#ifndef CANROUTE_PARSE_H
#define CANROUTE_PARSE_H

#include "rule.h"
#include "tokens.h"

/* parse_rule() - false: @error is set. */
bool parse_rule(struct rule *rule, struct tokens *tokens, struct parse_error *error);

#endif
