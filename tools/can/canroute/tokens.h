/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Split text into lines of tokens with their positions, and report parse errors.
 */
#ifndef CANROUTE_TOKENS_H
#define CANROUTE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* struct token - @line and @column count from 1; both are 0 on a command line */
struct token {
	char *text;
	unsigned int line, column;
};

struct tokens {
	struct token *token;
	size_t count, room;
};

/**
 * struct parse_error - message and position
 * @line, @column: of the invalid token; @column is 0 if a part of the rule is missing
 */
struct parse_error {
	unsigned int line, column;
	char text[256];
};

/**
 * struct text - text that is being split
 * @at, @end: the rest of it. Tokens are terminated in place, so the byte at @end must be
 *	writable
 * @line: line number of @at, from 1
 */
struct text {
	char *at, *end;
	unsigned int line;
};

/*
 * tokens_next() - split the next line that has tokens; a comment is skipped. A backslash at
 * the end of a line continues it. False at the end of the text, where @error->text is
 * empty, or at an error. After an error the next call continues with the next line.
 */
bool tokens_next(struct tokens *tokens, struct text *text, struct parse_error *error);

void tokens_add(struct tokens *tokens, char *text, unsigned int line, unsigned int column);

/* parse_error_at() - set @error, with the position of @token. Always returns false. */
bool parse_error_at(struct parse_error *error, const struct token *token, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* parse_error_in_line() - set @error, with the line of @token. Always returns false. */
bool parse_error_in_line(struct parse_error *error, const struct token *token, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
