/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Print rules in the long form, which canroute can parse again.
 */
#ifndef CANROUTE_PRINT_H
#define CANROUTE_PRINT_H

#include <stdio.h>

#include "rule.h"

/* print_rule() - the whole rule, without a newline. */
void print_rule(FILE *out, const struct rule *rule);

/* print_rest() - the rule without interfaces, frames and name, which have columns. */
void print_rest(FILE *out, const struct rule *rule);

/*
 * print_handle() - the handle; print_unless_stock() - a counter that the stock gateway does not
 * have. Both are "-" for a rule of the stock gateway.
 */
void print_handle(FILE *out, const struct rule *rule);
void print_unless_stock(FILE *out, const struct rule *rule, uint64_t counter);

/* print_token() - @text, quoted if necessary. */
void print_token(FILE *out, const char *text);

/* print_bytes() - hexadecimal; long runs of one byte as XX*N. */
void print_bytes(FILE *out, const uint8_t *bytes, size_t count);

#endif
