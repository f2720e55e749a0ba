/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Human-readable tables. Columns are as wide as their widest cell.
 */
#ifndef CANROUTE_COLUMNS_H
#define CANROUTE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define COLUMNS_MAX 12

/**
 * struct columns - a table
 * @titles: one for each column
 * @count: number of columns
 * @right: bit for each column that is aligned on the right
 * @width: width of each column so far
 * @end, @used, @room: end of each cell in @text, row by row
 * @out, @text, @size: stream and buffer with the text of all cells
 * @begun: the last cell is not complete
 */
struct columns {
	const char *const *titles;
	size_t count;
	unsigned int right;
	size_t width[COLUMNS_MAX];
	size_t *end;
	size_t used, room;
	FILE *out;
	char *text;
	size_t size;
	bool begun;
};

void columns_begin(struct columns *c, const char *const *titles, size_t count, unsigned int right);

/* columns_cell() - begin the next cell; write its text to the returned stream. */
FILE *columns_cell(struct columns *c);

/* columns_print() - print the table, with bold titles on a terminal, and free it. */
void columns_print(struct columns *c);

/* terminal_colour() - @out is a terminal, and NO_COLOR is not set. */
bool terminal_colour(FILE *out);

#endif
