// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of rules. They are read as a whole, and words are cut out of them in place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"
#include "parse.h"
#include "source-file.h"

/* One byte more than there is, which the parser may write to. */
static char *read_all(FILE *in, const char *name, size_t *len)
{
	size_t room = 1 << 16;
	char *content = malloc(room);

	*len = 0;
	while (content) {
		size_t got = fread(content + *len, 1, room - 1 - *len, in);

		*len += got;
		if (!got) {
			if (ferror(in))
				cli_fail("reading %s", name);
			return content;
		}
		if (*len == room - 1) {
			room *= 2;
			content = realloc(content, room);
		}
	}
	cli_fail("no memory for %s", name);
}

void source_open(struct source_file *file, const char *name)
{
	bool standard = !strcmp(name, "-");
	FILE *in = standard ? stdin : fopen(name, "r");
	size_t len;

	if (!in)
		cli_fail("%s", name);
	*file = (struct source_file){ .name = standard ? "standard input" : name };
	file->content = read_all(in, file->name, &len);
	file->text = (struct text){ file->content, file->content + len, 1 };
	if (!standard)
		fclose(in);
}

/* A line that does not become a rule is reported; the file goes on behind it. */
static void report(struct source_file *file, const struct mistake *mistake)
{
	file->mistakes++;
	if (mistake->column)
		cli_warn("%s:%u:%u: %s", file->name, mistake->line, mistake->column, mistake->text);
	else
		cli_warn("%s:%u: %s", file->name, mistake->line, mistake->text);
}

bool source_next(struct source_file *file, struct rule *rule)
{
	struct mistake mistake;

	for (;;) {
		if (words_next(&file->words, &file->text, &mistake)) {
			file->line = file->words.word[0].line;
			if (parse_rule(rule, &file->words, &mistake))
				return true;
		} else if (!mistake.text[0]) {
			return false;
		}
		report(file, &mistake);
	}
}

void source_close(struct source_file *file)
{
	free(file->words.word);
	free(file->content);
}

static bool split_arguments(struct words *words, char **args, int count, struct mistake *mistake)
{
	struct text text;

	if (count == 1) {
		text = (struct text){ args[0], args[0] + strlen(args[0]), 1 };
		return words_next(words, &text, mistake);
	}
	for (int i = 0; i < count; i++)
		words_add(words, args[i], 0, 0);
	return count;
}

void source_arguments(struct rule *rule, char **args, int count)
{
	struct mistake mistake = { 0 };
	struct words words = { 0 };

	if (!split_arguments(&words, args, count, &mistake) ||
	    !parse_rule(rule, &words, &mistake)) {
		cli_warn("%s", mistake.text[0] ? mistake.text : "a rule is missing");
		exit(STATUS_REFUSED);
	}
	free(words.word);
}
