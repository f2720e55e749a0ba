/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text as lines of tokens that know where they stand, and errors in it.
 */
#ifndef CANROUTE_TOKENS_H
#define CANROUTE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* struct token - @line and @column count from 1; tokens of a command line have 0 */
struct token {
	char *text;
	unsigned int line, column;
};

struct tokens {
	struct token *token;
	size_t count, room;
};

/**
 * struct parse_error - what is wrong, and where
 * @line, @column: of the token that is wrong; @column is 0 if something is missing
 */
struct parse_error {
	unsigned int line, column;
	char text[256];
};

/**
 * struct text - what lines are taken from
 * @at, @end: what is left of it; tokens are cut out of it in place, and there is a
 *	writable byte at @end
 * @line: that @at is in, from 1
 */
struct text {
	char *at, *end;
	unsigned int line;
};

/*
 * tokens_next() - the tokens of the next line that has any, without its comment; lines
 * ending in a backslash go on in the next. False at the end of the text, and at an
 * error; @error->text is empty if there is none. The line with the error is past.
 */
bool tokens_next(struct tokens *tokens, struct text *text, struct parse_error *error);

/* tokens_add() - one more. */
void tokens_add(struct tokens *tokens, char *text, unsigned int line, unsigned int column);

/* parse_error_at() - what is wrong with @token. Always false, for the caller to return. */
bool parse_error_at(struct parse_error *error, const struct token *token, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* parse_error_in_line() - what is wrong in the line that begins with @token; likewise. */
bool parse_error_in_line(struct parse_error *error, const struct token *token, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
