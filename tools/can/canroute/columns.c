// SPDX-License-Identifier: GPL-2.0-only
/*
 * Human-readable tables.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "columns.h"

bool terminal_colour(FILE *out)
{
	const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return isatty(fileno(out)) && !(no_colour && *no_colour) && terminal &&
	       strcmp(terminal, "dumb");
}

void columns_begin(struct columns *c, const char *const *titles, size_t count, unsigned int right)
{
	*c = (struct columns){ .titles = titles, .count = count, .right = right };
	for (size_t i = 0; i < count; i++)
		c->width[i] = strlen(titles[i]);
	c->out = open_memstream(&c->text, &c->size);
	if (!c->out)
		cli_fail("no memory for a table");
}

/* Offset of cell @i */
static size_t cell_begin(const struct columns *c, size_t i)
{
	return i ? c->end[i - 1] : 0;
}

static void end_cell(struct columns *c)
{
	size_t *width = &c->width[c->used % c->count];
	size_t end = ftell(c->out), len;

	if (c->used == c->room) {
		c->room = 2 * c->room + 64;
		c->end = realloc(c->end, c->room * sizeof(*c->end));
		if (!c->end)
			cli_fail("no memory for a table");
	}
	len = end - cell_begin(c, c->used);
	if (len > *width)
		*width = len;
	c->end[c->used++] = end;
}

FILE *columns_cell(struct columns *c)
{
	if (c->begun)
		end_cell(c);
	c->begun = true;
	return c->out;
}

/* The last column is not padded. */
static void print_cell(const struct columns *c, size_t column, const char *text, size_t len)
{
	int width = c->width[column];

	if (c->right & 1U << column)
		printf("%*.*s", width, (int)len, text);
	else if (column + 1 < c->count)
		printf("%-*.*s", width, (int)len, text);
	else
		fwrite(text, 1, len, stdout);
	fputs(column + 1 < c->count ? "  " : "\n", stdout);
}

void columns_print(struct columns *c)
{
	bool bold = terminal_colour(stdout);

	if (c->begun)
		end_cell(c);
	if (fclose(c->out))
		cli_fail("no memory for a table");
	fputs(bold ? "\033[1m" : "", stdout);
	for (size_t i = 0; i < c->count; i++)
		print_cell(c, i, c->titles[i], strlen(c->titles[i]));
	fputs(bold ? "\033[0m" : "", stdout);
	for (size_t i = 0; i < c->used; i++)
		print_cell(c, i % c->count, c->text + cell_begin(c, i),
			   c->end[i] - cell_begin(c, i));
	free(c->text);
	free(c->end);
}
