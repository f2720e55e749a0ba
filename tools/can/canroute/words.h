/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text as lines of words that know where they stand, and mistakes in it.
 */
#ifndef CANROUTE_WORDS_H
#define CANROUTE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* struct word - @line and @column count from 1; words of a command line have 0 */
struct word {
	char *text;
	unsigned int line, column;
};

struct words {
	struct word *word;
	size_t count, room;
};

/**
 * struct mistake - what is wrong, and where
 * @line, @column: of the word that is wrong; @column is 0 if something is missing
 */
struct mistake {
	unsigned int line, column;
	char text[256];
};

/**
 * struct text - what lines are taken from
 * @at, @end: what is left of it; words are cut out of it in place, and there is a
 *	writable byte at @end
 * @line: that @at is in, from 1
 */
struct text {
	char *at, *end;
	unsigned int line;
};

/*
 * words_next() - the words of the next line that has any, without its comment; lines
 * ending in a backslash go on in the next. False at the end of the text, and at a
 * mistake; @mistake->text is empty if there is none. The line with the mistake is past.
 */
bool words_next(struct words *words, struct text *text, struct mistake *mistake);

/* words_add() - one more. */
void words_add(struct words *words, char *text, unsigned int line, unsigned int column);

/* mistake_at() - what is wrong with @word. Always false, for the caller to return. */
bool mistake_at(struct mistake *mistake, const struct word *word, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* mistake_in() - what is wrong in the line that begins with @word; likewise. */
bool mistake_in(struct mistake *mistake, const struct word *word, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
