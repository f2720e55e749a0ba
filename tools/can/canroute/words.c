// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines into words: comments, continued lines, and words in quotation marks, in which
 * a backslash stands before a quotation mark, a backslash, or x and two digits.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "number.h"
#include "words.h"

static void set_mistake(struct mistake *mistake, unsigned int line, unsigned int column,
			const char *fmt, va_list args)
{
	mistake->line = line;
	mistake->column = column;
	vsnprintf(mistake->text, sizeof(mistake->text), fmt, args);
}

bool mistake_at(struct mistake *mistake, const struct word *word, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_mistake(mistake, word->line, word->column, fmt, args);
	va_end(args);
	return false;
}

bool mistake_in(struct mistake *mistake, const struct word *word, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_mistake(mistake, word->line, 0, fmt, args);
	va_end(args);
	return false;
}

void words_add(struct words *words, char *text, unsigned int line, unsigned int column)
{
	if (words->count == words->room) {
		words->room = words->room ? 2 * words->room : 64;
		words->word = realloc(words->word, words->room * sizeof(*words->word));
		if (!words->word)
			cli_fail("no memory for a line");
	}
	words->word[words->count++] = (struct word){ text, line, column };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/*
 * Takes the character at *@from, which may be written with a backslash, and leaves it
 * at @to. False: the backslash has no meaning.
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
	/* A NUL would end the word. */
	if (end - at >= 4 && at[1] == 'x' && hex_digit(at[2]) >= 0 && hex_digit(at[3]) >= 0 &&
	    (at[2] != '0' || at[3] != '0')) {
		*to = hex_digit(at[2]) << 4 | hex_digit(at[3]);
		*from = at + 4;
		return true;
	}
	return false;
}

/* A word from behind its quotation mark on; what is behind it, or NULL at a mistake. */
static char *quoted_word(char *from, char *end, const struct word *word, struct mistake *mistake)
{
	char *to = from;

	while (from < end && *from != '"') {
		if (!unquote(&from, end, to++)) {
			mistake_at(mistake, word,
				   "in quotation marks, a backslash stands before \", \\ or xHH only");
			return NULL;
		}
	}
	if (from == end) {
		mistake_at(mistake, word, "the closing quotation mark is missing");
		return NULL;
	}
	if (from + 1 < end && !is_blank(from[1])) {
		mistake_at(mistake, word, "a space is missing behind the quotation mark");
		return NULL;
	}
	*to = '\0';
	return from + 1;
}

/* The words of one line of the file, [at, end); end is writable. */
static bool split(struct words *words, char *at, char *end, unsigned int line,
		  struct mistake *mistake)
{
	char *begin = at;

	for (;;) {
		struct word word = { .line = line };

		while (at < end && is_blank(*at))
			at++;
		if (at == end || *at == '#')
			return true;
		word.column = at - begin + 1;
		if (*at == '"') {
			word.text = at + 1;
			at = quoted_word(at + 1, end, &word, mistake);
			if (!at)
				return false;
		} else {
			word.text = at;
			while (at < end && !is_blank(*at))
				at++;
			*at = '\0';
			at += at < end;
		}
		words_add(words, word.text, line, word.column);
	}
}

/* Take one line of the file out of @text; true if the next one belongs to it. */
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

bool words_next(struct words *words, struct text *text, struct mistake *mistake)
{
	bool continued = false, good = true;

	words->count = 0;
	mistake->text[0] = '\0';
	while (text->at < text->end && (continued || (good && !words->count))) {
		struct word word = { .line = text->line };
		char *begin, *end;

		continued = take_line(text, &begin, &end);
		if (!good)
			continue;
		if (memchr(begin, '\0', end - begin))
			good = mistake_in(mistake, &word, "this is not text");
		else
			good = split(words, begin, end, word.line, mistake);
	}
	return good && words->count;
}
