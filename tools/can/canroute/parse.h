/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words into a rule: in the long form, or with the options of cangw.
 */
#ifndef CANROUTE_PARSE_H
#define CANROUTE_PARSE_H

#include "rule.h"
#include "words.h"

/* parse_rule() - false at a mistake. Cuts some words where they are. */
bool parse_rule(struct rule *rule, struct words *words, struct mistake *mistake);

#endif
