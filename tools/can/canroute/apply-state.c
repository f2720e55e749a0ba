// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file with the rules that 'canroute apply' has loaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apply-state.h"
#include "cli.h"

#define STATE_PATH "/run/canroute/applied"

static const char *state_path(void)
{
	const char *path = getenv("CANROUTE_STATE");

	return path && *path ? path : STATE_PATH;
}

/* The temporary file, while there is one */
static char *temporary;

static void remove_temporary(void)
{
	if (temporary)
		unlink(temporary);
}

void state_lock(void)
{
	char *copy = strdup(state_path());
	char *directory = copy ? dirname(copy) : NULL;
	int fd;

	if (!directory)
		cli_fail("no memory for a path");
	if (mkdir(directory, 0755) && errno != EEXIST)
		cli_fail("%s", directory);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX))
		cli_fail("%s", directory);
	free(copy);
}

void state_add(struct state *state, const struct active_rule *rule)
{
	struct active_rule *copy;

	if (state->count == state->room) {
		state->room = 2 * state->room + 64;
		state->rules = realloc(state->rules, state->room * sizeof(*state->rules));
		if (!state->rules)
			cli_fail("no memory for rules");
	}
	copy = &state->rules[state->count++];
	*copy = *rule;
	copy->text = strdup(rule->text);
	if (!copy->text)
		cli_fail("no memory for rules");
}

static bool read_line(struct state *state, char *line)
{
	struct active_rule rule = { 0 };
	int begin = 0;

	line[strcspn(line, "\n")] = '\0';
	if (*line == '#' || !*line)
		return true;
	if (sscanf(line, "%" SCNu64 " %u %u %n", &rule.handle, &rule.source_index,
		   &rule.destination_index, &begin) != 3 || !begin || !line[begin])
		return false;
	rule.text = line + begin;
	state_add(state, &rule);
	return true;
}

void state_read(struct state *state)
{
	FILE *in = fopen(state_path(), "re");
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;

	*state = (struct state){ 0 };
	if (!in && errno == ENOENT)
		return;
	if (!in)
		cli_fail("%s", state_path());
	while (getline(&line, &room, in) > 0) {
		number++;
		if (!read_line(state, line))
			cli_warn("%s:%u: line without a handle and a rule is ignored",
				 state_path(), number);
	}
	if (ferror(in))
		cli_fail("%s", state_path());
	free(line);
	fclose(in);
}

FILE *state_open(void)
{
	FILE *out;

	if (asprintf(&temporary, "%s.new", state_path()) < 0)
		cli_fail("no memory for a path");
	out = fopen(temporary, "we");
	if (!out)
		cli_fail("%s", temporary);
	atexit(remove_temporary);
	return out;
}

void state_write(FILE *out, const struct state *state)
{
	fputs("# Rules that 'canroute apply' has loaded, for 'canroute unapply'\n", out);
	for (size_t i = 0; i < state->count; i++) {
		const struct active_rule *rule = &state->rules[i];

		fprintf(out, "%" PRIu64 " %u %u %s\n", rule->handle, rule->source_index,
			rule->destination_index, rule->text);
	}
	if (ferror(out) | fclose(out) || rename(temporary, state_path()))
		cli_fail("%s: the rules were loaded", temporary);
	free(temporary);
	temporary = NULL;
}

void state_remove(void)
{
	if (unlink(state_path()) && errno != ENOENT)
		cli_fail("%s", state_path());
}

void state_free(struct state *state)
{
	for (size_t i = 0; i < state->count; i++)
		free(state->rules[i].text);
	free(state->rules);
	*state = (struct state){ 0 };
}

static int compare_handles(const void *a, const void *b)
{
	const struct active_rule *first = a, *second = b;

	return (first->handle > second->handle) - (first->handle < second->handle);
}

/* Equal but for the names of interfaces that were renamed. */
static bool equal_renamed(const struct active_rule *stored, const struct active_rule *active)
{
	static struct rule before, now;
	bool equal;
	char *text;

	if (stored->source_index != active->source_index ||
	    stored->destination_index != active->destination_index ||
	    !rule_from_text(&before, stored->text) || !rule_from_text(&now, active->text))
		return false;
	memcpy(before.source, now.source, sizeof(before.source));
	memcpy(before.destination, now.destination, sizeof(before.destination));
	text = rule_text(&before);
	equal = !strcmp(text, active->text);
	free(text);
	return equal;
}

static bool has_handle(const struct state *state, const struct active_rule *active)
{
	const struct active_rule *stored = bsearch(active, state->rules, state->count,
						   sizeof(*active), compare_handles);

	return stored && (!strcmp(stored->text, active->text) || equal_renamed(stored, active));
}

/* Find the text in the rules of the stock module that are not @used yet. */
static bool has_text(const struct state *state, bool *used, const char *text)
{
	for (size_t i = 0; i < state->count; i++) {
		if (used[i] || state->rules[i].handle || strcmp(state->rules[i].text, text))
			continue;
		used[i] = true;
		return true;
	}
	return false;
}

void state_mark(struct state *state, struct active_rule *active, size_t count)
{
	bool *used = calloc(state->count + 1, sizeof(*used));

	if (!used)
		cli_fail("no memory for rules");
	if (state->count)
		qsort(state->rules, state->count, sizeof(*state->rules), compare_handles);
	for (size_t i = 0; state->count && i < count; i++)
		active[i].ours = active[i].handle ? has_handle(state, &active[i]) :
						    has_text(state, used, active[i].text);
	free(used);
}
