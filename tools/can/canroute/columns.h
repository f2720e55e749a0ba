/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables for people: columns as wide as what is in them.
 */
#ifndef CANROUTE_COLUMNS_H
#define CANROUTE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define COLUMNS_MAX 12

/**
 * struct columns - a table while it is filled
 * @titles: one for each column
 * @count: of columns
 * @right: bit for each column that is aligned on the right
 * @width: of each column so far
 * @end, @used, @room: where each cell ends in the text, row by row
 * @out, @text, @size: what all cells are written to, one behind the other
 * @begun: a cell is not complete yet
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

/* columns_cell() - begin the next cell: what is written to the returned stream is in it. */
FILE *columns_cell(struct columns *c);

/* columns_print() - all of it to standard output, with a bold title on a terminal. */
void columns_print(struct columns *c);

/* terminal_colour() - whether @out is a terminal, and colours are not unwanted. */
bool terminal_colour(FILE *out);

#endif
