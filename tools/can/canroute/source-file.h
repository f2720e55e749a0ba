/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of rules, and rules on the command line.
 */
#ifndef CANROUTE_SOURCE_FILE_H
#define CANROUTE_SOURCE_FILE_H

#include "rule.h"
#include "tokens.h"

/**
 * struct source_file - rules that are read one after the other
 * @name: for messages
 * @line: where the last rule begins
 * @errors: how many there were; each has been reported
 */
struct source_file {
	const char *name;
	char *content;
	struct text text;
	struct tokens tokens;
	unsigned int line;
	unsigned int errors;
};

/* source_open() - read the file @name, "-" for standard input. */
void source_open(struct source_file *file, const char *name);

/* source_next() - the next good rule; those with errors are reported and left out. */
bool source_next(struct source_file *file, struct rule *rule);

void source_close(struct source_file *file);

/*
 * source_arguments() - the rule in the arguments of a command: one argument that is a
 * line, or a token in each. Ends the program at an error.
 */
void source_arguments(struct rule *rule, char **args, int count);

#endif
