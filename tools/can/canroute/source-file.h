/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules in files and on the command line.
 */
#ifndef CANROUTE_SOURCE_FILE_H
#define CANROUTE_SOURCE_FILE_H

#include "rule.h"
#include "tokens.h"

/**
 * struct source_file - a file of rules
 * @name: for messages
 * @line: first line of the last rule
 * @errors: number of errors, each of which was reported
 */
struct source_file {
	const char *name;
	char *content;
	struct text text;
	struct tokens tokens;
	unsigned int line;
	unsigned int errors;
};

/* source_open() - read file @name, or standard input if it is "-". Exits at an error. */
void source_open(struct source_file *file, const char *name);

/* source_next() - the next valid rule; invalid rules are reported and skipped. */
bool source_next(struct source_file *file, struct rule *rule);

void source_close(struct source_file *file);

/*
 * source_arguments() - parse the rule in the arguments of a command: one argument with the
 * whole line, or one argument for each token. Exits with STATUS_REJECTED at an error.
 */
void source_arguments(struct rule *rule, char **args, int count);

#endif
