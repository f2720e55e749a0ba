/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words into a rule: in the long form, or with the options of cangw.
 */
#ifndef CANROUTE_PARSE_H
#define CANROUTE_PARSE_H

#include "rule.h"
#include "tokens.h"

/* parse_rule() - false at an error. Cuts some tokens where they are. */
bool parse_rule(struct rule *rule, struct tokens *tokens, struct parse_error *error);

#endif
