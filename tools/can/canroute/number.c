// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers and bytes in rules. strtoul() and sscanf() would accept signs, spaces and numbers
 * that are too large.
 */
#include <stdlib.h>
#include <string.h>

#include "number.h"

int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

bool number_hex(const char *text, size_t len, uint32_t max, uint32_t *value)
{
	uint64_t sum = 0;

	if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		text += 2;
		len -= 2;
	}
	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		int digit = hex_digit(text[i]);

		sum = sum << 4 | (unsigned int)digit;
		if (digit < 0 || sum > max)
			return false;
	}
	*value = sum;
	return true;
}

bool number_decimal(const char *text, uint64_t max, uint64_t *value)
{
	unsigned int base = 10;
	uint64_t sum = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (!*text)
		return false;
	for (; *text; text++) {
		int digit = hex_digit(*text);

		if (digit < 0 || (unsigned int)digit >= base || (unsigned int)digit > max ||
		    sum > (max - (unsigned int)digit) / base)
			return false;
		sum = sum * base + (unsigned int)digit;
	}
	*value = sum;
	return true;
}

bool number_signed(const char *text, long min, long max, int32_t *value, const char **end)
{
	bool negative = *text == '-';
	const char *at = text + negative;
	long sum = 0;

	/* Five digits are more than any offset has. */
	for (; *at >= '0' && *at <= '9' && at - text < 6; at++)
		sum = sum * 10 + (*at - '0');
	if (at == text + negative || (*at >= '0' && *at <= '9'))
		return false;
	if (negative)
		sum = -sum;
	*value = sum;
	*end = at;
	return sum >= min && sum <= max;
}

bool number_plain_bytes(const char *text, uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int high = hex_digit(text[2 * i]);
		int low = high < 0 ? -1 : hex_digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = high << 4 | low;
	}
	return true;
}

/* *N after a group of @len bytes that ends at @count */
static bool repeat_group(const char **text, uint8_t *bytes, size_t *count, size_t len, size_t max)
{
	char *end;
	unsigned long times;

	if ((*text)[1] < '1' || (*text)[1] > '9')
		return false;
	times = strtoul(*text + 1, &end, 10);
	*text = end;
	if (times > max || *count + (times - 1) * len > max)
		return false;
	for (; times > 1; times--) {
		memcpy(bytes + *count, bytes + *count - len, len);
		*count += len;
	}
	return true;
}

size_t number_bytes(const char *text, uint8_t *bytes, size_t max)
{
	size_t count = 0;

	for (;;) {
		size_t begin = count;

		while (hex_digit(*text) >= 0) {
			if (count == max || !number_plain_bytes(text, bytes + count, 1))
				return 0;
			count++;
			text += 2;
		}
		if (count == begin)
			return 0;
		if (*text == '*' && !repeat_group(&text, bytes, &count, count - begin, max))
			return 0;
		if (!*text)
			return count;
		if (*text++ != '.')
			return 0;
	}
}
