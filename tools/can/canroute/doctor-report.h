/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of the command doctor: sections with facts, tables and issues. It is built as
 * JSON, from which the text is printed.
 */
#ifndef CANROUTE_DOCTOR_REPORT_H
#define CANROUTE_DOCTOR_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define REPORT_PRINTF(n) __attribute__((format(printf, n, n + 1)))

/* Kinds of issues; only findings change the exit status. */
enum report_kind {
	REPORT_FINDING,	/* wrong, and there is a command that mends it */
	REPORT_NOTE,	/* may be as intended */
	REPORT_UNKNOWN,	/* could not be read */
	REPORT_KINDS,
};

/**
 * struct report - a report that is being built
 * @root: the whole object
 * @section: the current section
 * @name: its name
 * @commands: array of the last issue
 */
struct report {
	json_t *root;
	json_t *section;
	const char *name;
	json_t *commands;
};

void report_begin(struct report *r);

/* report_section() - begin a section. @name is a literal. */
void report_section(struct report *r, const char *name);

/* report_fact() - a text of the current section. */
void report_fact(struct report *r, const char *key, const char *fmt, ...) REPORT_PRINTF(3);

/* report_table() - begin a table of the current section. */
void report_table(struct report *r, const char *table);

/*
 * report_row() - add a row to a table. All rows of a table have the same members, which are
 * the columns; null is printed as "-". Takes over the reference of @row.
 */
void report_row(struct report *r, const char *table, json_t *row);

/* report_issue() - an issue of the current section. */
void report_issue(struct report *r, enum report_kind kind, const char *fmt, ...)
	REPORT_PRINTF(3);

/* report_command() - add a command that mends the last issue. */
void report_command(struct report *r, const char *fmt, ...) REPORT_PRINTF(2);

/* report_string() - a string, with ? for each byte that is not printable ASCII; NULL: null. */
json_t *report_string(const char *text);

/*
 * report_word() - @text as one word of a shell command. Returns @word. Text that does not fit
 * is replaced by a question mark.
 */
#define REPORT_WORD 512
const char *report_word(const char *text, char word[REPORT_WORD]);

/* report_print() - print the report as text or JSON, and free it. True: it has findings. */
bool report_print(struct report *r, bool json);

#endif
