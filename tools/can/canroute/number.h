/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers and bytes in rules. The whole text must be a number, without a sign and without
 * spaces.
 */
#ifndef CANROUTE_NUMBER_H
#define CANROUTE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* hex_digit() - value of the digit, or -1. */
int hex_digit(char c);

/* number_hex() - @len hexadecimal digits, optionally after 0x. */
bool number_hex(const char *text, size_t len, uint32_t max, uint32_t *value);

/* number_decimal() - decimal, or hexadecimal with 0x. */
bool number_decimal(const char *text, uint64_t max, uint64_t *value);

/* number_signed() - decimal, optionally with a minus; *@end points after the number. */
bool number_signed(const char *text, long min, long max, int32_t *value, const char **end);

/*
 * number_bytes() - two hexadecimal digits for each byte. Dots may separate groups of bytes;
 * *N after a group repeats it N times. Returns the number of bytes, 0 if @text is invalid
 * or has more than @max.
 */
size_t number_bytes(const char *text, uint8_t *bytes, size_t max);

/* number_plain_bytes() - exactly @count bytes without dots; more text may follow. */
bool number_plain_bytes(const char *text, uint8_t *bytes, size_t count);

#endif
