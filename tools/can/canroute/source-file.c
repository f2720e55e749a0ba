// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules in files and on the command line. A file is read as a whole and split in place.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "options.h"
#include "parse.h"
#include "source-file.h"

/* The buffer has one byte more than the file, which the parser may write to. */
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

static void report_error(struct source_file *file, const struct parse_error *error)
{
	file->errors++;
	if (error->column)
		cli_warn("%s:%u:%u: %s", file->name, error->line, error->column, error->text);
	else
		cli_warn("%s:%u: %s", file->name, error->line, error->text);
}

bool source_next(struct source_file *file, struct rule *rule)
{
	struct parse_error error;

	for (;;) {
		if (tokens_next(&file->tokens, &file->text, &error)) {
			file->line = file->tokens.token[0].line;
			if (parse_rule(rule, &file->tokens, &error))
				return true;
		} else if (!error.text[0]) {
			return false;
		}
		report_error(file, &error);
	}
}

void source_close(struct source_file *file)
{
	free(file->tokens.token);
	free(file->content);
}

static bool split_arguments(struct tokens *tokens, char **args, int count,
			    struct parse_error *error)
{
	struct text text;

	if (count == 1) {
		text = (struct text){ args[0], args[0] + strlen(args[0]), 1 };
		return tokens_next(tokens, &text, error);
	}
	for (int i = 0; i < count; i++)
		tokens_add(tokens, args[i], 0, 0);
	return count;
}

void source_arguments(struct rule *rule, char **args, int count)
{
	struct parse_error error = { 0 };
	struct tokens tokens = { 0 };

	if (!split_arguments(&tokens, args, count, &error) ||
	    !parse_rule(rule, &tokens, &error)) {
		cli_warn("%s", error.text[0] ? error.text : "rule is required");
		exit(STATUS_REJECTED);
	}
	free(tokens.token);
}
