// SPDX-License-Identifier: GPL-2.0-only
/*
 * Split lines into tokens: comments, continued lines, and quoted tokens. Quoted tokens have
 * the escape sequences \", \\ and \xHH.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "number.h"
#include "tokens.h"

static void set_parse_error(struct parse_error *error, unsigned int line, unsigned int column,
			    const char *fmt, va_list args)
{
	error->line = line;
	error->column = column;
	vsnprintf(error->text, sizeof(error->text), fmt, args);
}

bool parse_error_at(struct parse_error *error, const struct token *token, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_parse_error(error, token->line, token->column, fmt, args);
	va_end(args);
	return false;
}

bool parse_error_in_line(struct parse_error *error, const struct token *token, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_parse_error(error, token->line, 0, fmt, args);
	va_end(args);
	return false;
}

void tokens_add(struct tokens *tokens, char *text, unsigned int line, unsigned int column)
{
	if (tokens->count == tokens->room) {
		tokens->room = tokens->room ? 2 * tokens->room : 64;
		tokens->token = realloc(tokens->token, tokens->room * sizeof(*tokens->token));
		if (!tokens->token)
			cli_fail("no memory for a line");
	}
	tokens->token[tokens->count++] = (struct token){ text, line, column };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/*
 * Copy the character at *@from, which may be an escape sequence, to @to. False: the escape
 * sequence is invalid.
 */
static bool unquote(char **from, const char *end, char *to)
{
	char *at = *from;

	if (*at != '\\') {
		*to = *at;
		*from = at + 1;
		return true;
	}
	if (end - at >= 2 && (at[1] == '\\' || at[1] == '"')) {
		*to = at[1];
		*from = at + 2;
		return true;
	}
	/* A NUL would end the token. */
	if (end - at >= 4 && at[1] == 'x' && hex_digit(at[2]) >= 0 && hex_digit(at[3]) >= 0 &&
	    (at[2] != '0' || at[3] != '0')) {
		*to = hex_digit(at[2]) << 4 | hex_digit(at[3]);
		*from = at + 4;
		return true;
	}
	return false;
}

/* A quoted token; @from is after its opening mark. Returns the text after it, NULL: error. */
static char *quoted_token(char *from, char *end, const struct token *token,
			  struct parse_error *error)
{
	char *to = from;

	while (from < end && *from != '"') {
		if (!unquote(&from, end, to++)) {
			parse_error_at(error, token,
				       "invalid escape sequence, expected \\\", \\\\ or \\xHH");
			return NULL;
		}
	}
	if (from == end) {
		parse_error_at(error, token, "closing quotation mark is missing");
		return NULL;
	}
	if (from + 1 < end && !is_blank(from[1])) {
		parse_error_at(error, token, "space required after the closing quotation mark");
		return NULL;
	}
	*to = '\0';
	return from + 1;
}

/* The tokens of the line [at, end); the byte at end is writable. */
static bool split(struct tokens *tokens, char *at, char *end, unsigned int line,
		  struct parse_error *error)
{
	char *begin = at;

	for (;;) {
		struct token token = { .line = line };

		while (at < end && is_blank(*at))
			at++;
		if (at == end || *at == '#')
			return true;
		token.column = at - begin + 1;
		if (*at == '"') {
			token.text = at + 1;
			at = quoted_token(at + 1, end, &token, error);
			if (!at)
				return false;
		} else {
			token.text = at;
			while (at < end && !is_blank(*at))
				at++;
			*at = '\0';
			at += at < end;
		}
		tokens_add(tokens, token.text, line, token.column);
	}
}

/* Remove a line from @text. True: it ends in a backslash. */
static bool take_line(struct text *text, char **begin, char **end)
{
	*begin = text->at;
	*end = memchr(text->at, '\n', text->end - text->at);
	if (!*end)
		*end = text->end;
	text->at = *end < text->end ? *end + 1 : *end;
	text->line++;
	if (*end > *begin && (*end)[-1] == '\r')
		(*end)--;
	if (*end == *begin || (*end)[-1] != '\\')
		return false;
	(*end)--;
	return true;
}

bool tokens_next(struct tokens *tokens, struct text *text, struct parse_error *error)
{
	bool continued = false, good = true;

	tokens->count = 0;
	error->text[0] = '\0';
	while (text->at < text->end && (continued || (good && !tokens->count))) {
		struct token token = { .line = text->line };
		char *begin, *end;

		continued = take_line(text, &begin, &end);
		if (!good)
			continue;
		if (memchr(begin, '\0', end - begin))
			good = parse_error_in_line(error, &token, "line contains a NUL byte");
		else
			good = split(tokens, begin, end, token.line, error);
	}
	return good && tokens->count;
}
