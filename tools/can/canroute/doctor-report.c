// SPDX-License-Identifier: GPL-2.0-only
/*
 * The report of the command doctor.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "columns.h"
#include "doctor-report.h"
#include "rule-json.h"

/* Indexed by enum report_kind. Member of the object, and first character of a line of text */
static const struct {
	const char *member;
	char mark;
} kinds[REPORT_KINDS] = {
	{ "findings", '!' },
	{ "notes", '-' },
	{ "unknown", '?' },
};

static json_t *check_memory(json_t *json)
{
	if (!json)
		cli_fail("no memory for the report");
	return json;
}

static void set_member(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, check_memory(value)))
		cli_fail("no memory for the report");
}

void report_begin(struct report *r)
{
	*r = (struct report){ .root = check_memory(json_object()) };
	for (int i = 0; i < REPORT_KINDS; i++)
		set_member(r->root, kinds[i].member, json_array());
}

void report_section(struct report *r, const char *name)
{
	r->name = name;
	r->section = check_memory(json_object());
	set_member(r->root, name, r->section);
}

json_t *report_string(const char *text)
{
	json_t *json;
	char *copy;

	if (!text)
		return json_null();
	copy = strdup(text);
	for (char *p = copy; p && *p; p++)
		if (!isascii((unsigned char)*p) || !isprint((unsigned char)*p))
			*p = '?';
	json = copy ? json_string(copy) : NULL;
	free(copy);
	return check_memory(json);
}

static json_t *format_string(const char *fmt, va_list args)
{
	json_t *json;
	char *text;

	if (vasprintf(&text, fmt, args) < 0)
		cli_fail("no memory for the report");
	json = report_string(text);
	free(text);
	return json;
}

void report_fact(struct report *r, const char *key, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_member(r->section, key, format_string(fmt, args));
	va_end(args);
}

void report_table(struct report *r, const char *table)
{
	set_member(r->section, table, json_array());
}

void report_row(struct report *r, const char *table, json_t *row)
{
	if (json_array_append_new(json_object_get(r->section, table), check_memory(row)))
		cli_fail("no memory for the report");
}

void report_issue(struct report *r, enum report_kind kind, const char *fmt, ...)
{
	json_t *issue = check_memory(json_object());
	va_list args;

	set_member(issue, "section", json_string(r->name));
	va_start(args, fmt);
	set_member(issue, "text", format_string(fmt, args));
	va_end(args);
	r->commands = json_array();
	set_member(issue, "commands", r->commands);
	if (json_array_append_new(json_object_get(r->root, kinds[kind].member), issue))
		cli_fail("no memory for the report");
}

void report_command(struct report *r, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	if (json_array_append_new(r->commands, format_string(fmt, args)))
		cli_fail("no memory for the report");
	va_end(args);
}

const char *report_word(const char *text, char word[REPORT_WORD])
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./:=+,@-~";
	size_t len = 0;

	if (*text && strspn(text, plain) == strlen(text) && strlen(text) < REPORT_WORD)
		return strcpy(word, text);
	word[len++] = '\'';
	for (; *text && len < REPORT_WORD - 6; text++) {
		if (*text == '\'')
			len += sprintf(word + len, "'\\''");
		else
			word[len++] = *text;
	}
	if (*text)
		return strcpy(word, "?");
	strcpy(word + len, "'");
	return word;
}

/* Text output */

static void print_key(FILE *out, const char *key, bool title)
{
	for (; *key; key++)
		fputc(*key == '_' ? ' ' : title ? toupper((unsigned char)*key) : *key, out);
}

static void print_value(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		fputs(json_string_value(value), out);
	else if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "yes" : "no", out);
	else
		fputc('-', out);
}

static void print_table(json_t *rows)
{
	static char titles[COLUMNS_MAX][32];
	const char *pointers[COLUMNS_MAX];
	struct columns columns;
	unsigned int right = 0;
	size_t count = 0, i;
	json_t *value, *row;
	const char *key;

	json_object_foreach(json_array_get(rows, 0), key, value) {
		FILE *out = fmemopen(titles[count], sizeof(titles[count]), "w");

		if (!out || count == COLUMNS_MAX)
			cli_fail("no memory for a table");
		fputs(count ? "" : "  ", out);
		print_key(out, key, true);
		fclose(out);
		pointers[count] = titles[count];
		json_array_foreach(rows, i, row)
			if (json_is_integer(json_object_get(row, key)))
				right |= 1U << count;
		count++;
	}
	columns_begin(&columns, pointers, count, right);
	json_array_foreach(rows, i, row) {
		bool first = true;

		json_object_foreach(row, key, value) {
			FILE *out = columns_cell(&columns);

			fputs(first ? "  " : "", out);
			print_value(out, value);
			first = false;
		}
	}
	columns_print(&columns);
}

static void print_facts(json_t *section)
{
	const char *key;
	json_t *value;
	int width = 0;

	json_object_foreach(section, key, value)
		if (!json_is_array(value) && (int)strlen(key) > width)
			width = strlen(key);
	json_object_foreach(section, key, value) {
		if (json_is_array(value))
			continue;
		fputs("  ", stdout);
		print_key(stdout, key, false);
		printf("%*s", width + 2 - (int)strlen(key), "");
		print_value(stdout, value);
		putchar('\n');
	}
	json_object_foreach(section, key, value)
		if (json_array_size(value)) {
			print_table(value);
		} else if (json_is_array(value)) {
			fputs("  no ", stdout);
			print_key(stdout, key, false);
			putchar('\n');
		}
}

static void print_issues(const struct report *r, const char *section)
{
	json_t *issue, *command;
	size_t i, j;

	for (int kind = 0; kind < REPORT_KINDS; kind++) {
		json_array_foreach(json_object_get(r->root, kinds[kind].member), i, issue) {
			if (strcmp(json_string_value(json_object_get(issue, "section")), section))
				continue;
			printf("%c %s\n", kinds[kind].mark,
			       json_string_value(json_object_get(issue, "text")));
			json_array_foreach(json_object_get(issue, "commands"), j, command)
				printf("    %s\n", json_string_value(command));
		}
	}
}

static void print_text(const struct report *r, size_t findings)
{
	bool bold = terminal_colour(stdout);
	json_t *section;
	const char *name;

	json_object_foreach(r->root, name, section) {
		if (!json_is_object(section))
			continue;
		fputs(bold ? "\033[1m" : "", stdout);
		print_key(stdout, name, true);
		puts(bold ? "\033[0m" : "");
		print_facts(section);
		print_issues(r, name);
		putchar('\n');
	}
	if (findings)
		printf("%zu finding%s\n", findings, findings > 1 ? "s" : "");
	else
		puts("nothing to mend");
}

bool report_print(struct report *r, bool json)
{
	size_t findings = json_array_size(json_object_get(r->root, kinds[REPORT_FINDING].member));

	if (json) {
		json_print(r->root);
	} else {
		print_text(r, findings);
		json_decref(r->root);
	}
	return findings;
}
