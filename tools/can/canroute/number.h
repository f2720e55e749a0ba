/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and bytes as rules have them. All of it has to be one, without signs, spaces
 * and anything behind it.
 */
#ifndef CANROUTE_NUMBER_H
#define CANROUTE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* hex_digit() - its value, or -1. */
int hex_digit(char c);

/* number_hex() - @len hexadecimal digits, 0x before them or not. */
bool number_hex(const char *text, size_t len, uint32_t max, uint32_t *value);

/* number_decimal() - decimal, or hexadecimal with 0x. */
bool number_decimal(const char *text, uint64_t max, uint64_t *value);

/* number_signed() - decimal, maybe with a minus; *@end is behind it. */
bool number_signed(const char *text, long min, long max, int32_t *value, const char **end);

/*
 * number_bytes() - two hexadecimal digits for each byte, with points between groups
 * of them if one likes; a group followed by *N counts N times. How many bytes there
 * are, at least 1; 0 if it is something else, or more than @max.
 */
size_t number_bytes(const char *text, uint8_t *bytes, size_t max);

/* number_plain_bytes() - exactly @count bytes and no points; @text may go on behind them. */
bool number_plain_bytes(const char *text, uint8_t *bytes, size_t count);

#endif
