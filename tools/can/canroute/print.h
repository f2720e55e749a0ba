/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules in the long form, as they can be read again.
 */
#ifndef CANROUTE_PRINT_H
#define CANROUTE_PRINT_H

#include <stdio.h>

#include "rule.h"

/* print_rule() - the whole rule, without a newline. */
void print_rule(FILE *out, const struct rule *rule);

/* print_rest() - what a table has no column for: not frames, name and interfaces. */
void print_rest(FILE *out, const struct rule *rule);

/* print_token() - @text, in quotation marks if it needs some. */
void print_token(FILE *out, const char *text);

/* print_bytes() - hexadecimal; many of one kind as XX*N. */
void print_bytes(FILE *out, const uint8_t *bytes, size_t count);

#endif
