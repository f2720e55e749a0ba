// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands apply and unapply: the rules of one file are in force beside the rules of others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "cli.h"
#include "ifnames.h"
#include "notify.h"
#include "options.h"
#include "source-file.h"
#include "stock.h"

static void add_wanted(struct apply *apply, const struct rule *rule, unsigned int line)
{
	struct wanted_rule *wanted;

	if (apply->count == apply->room) {
		apply->room = 2 * apply->room + 64;
		apply->wanted = realloc(apply->wanted, apply->room * sizeof(*apply->wanted));
		if (!apply->wanted)
			cli_fail("no memory for rules");
	}
	wanted = &apply->wanted[apply->count++];
	*wanted = (struct wanted_rule){ .line = line, .cangw = rule->cangw };
	memcpy(wanted->source, rule->source, sizeof(wanted->source));
	memcpy(wanted->destination, rule->destination, sizeof(wanted->destination));
	wanted->text = rule_text(rule);
}

/* False: the file has errors, which were reported. */
static bool read_file(struct apply *apply, const char *name)
{
	static struct rule rule;
	struct source_file file;

	source_open(&file, name);
	apply->name = file.name;
	while (source_next(&file, &rule))
		add_wanted(apply, &rule, file.line);
	source_close(&file);
	return !file.errors;
}

bool apply_find_interfaces(struct apply *apply)
{
	bool changed = false;

	ifnames_flush();
	for (size_t i = 0; i < apply->count; i++) {
		struct wanted_rule *wanted = &apply->wanted[i];
		unsigned int source = ifnames_index(wanted->source);
		unsigned int destination = ifnames_index(wanted->destination);

		changed |= source != wanted->source_index ||
			   destination != wanted->destination_index;
		wanted->source_index = source;
		wanted->destination_index = destination;
	}
	return changed;
}

/* Report each rule that was skipped. */
static void report_skipped(const struct apply *apply)
{
	for (size_t i = 0; i < apply->count; i++) {
		const struct wanted_rule *wanted = &apply->wanted[i];

		if (wanted->lacks)
			cli_warn("%s:%u: the loaded module can-gw lacks %s",
				 apply->name, wanted->line, wanted->lacks);
		else if (wanted_rule_waits(wanted))
			cli_warn("%s:%u: waits for interface %s",
				 apply->name, wanted->line, wanted_rule_waits(wanted));
	}
}

/* Rule number @i is the first one that waits for its interface. */
static bool first_that_waits(const struct apply *apply, size_t i)
{
	const char *name = wanted_rule_waits(&apply->wanted[i]);

	for (size_t before = 0; before < i; before++) {
		const char *other = wanted_rule_waits(&apply->wanted[before]);

		if (other && !apply->wanted[before].lacks && !strcmp(name, other))
			return false;
	}
	return true;
}

static void print_waits(FILE *out, const struct apply *apply)
{
	const char *separator = " for ";
	size_t count = 0;

	for (size_t i = 0; i < apply->count; i++)
		count += !apply->wanted[i].lacks && wanted_rule_waits(&apply->wanted[i]);
	if (!count)
		return;
	fprintf(out, "; %zu wait%s", count, count == 1 ? "s" : "");
	for (size_t i = 0; i < apply->count; i++) {
		if (apply->wanted[i].lacks || !wanted_rule_waits(&apply->wanted[i]) ||
		    !first_that_waits(apply, i))
			continue;
		fprintf(out, "%s%s", separator, wanted_rule_waits(&apply->wanted[i]));
		separator = ", ";
	}
}

static void print_count(FILE *out, size_t count)
{
	fprintf(out, "%zu rule%s", count, count == 1 ? "" : "s");
}

static void print_summary(FILE *out, const struct apply *apply)
{
	size_t lacking = 0;

	for (size_t i = 0; i < apply->count; i++)
		lacking += !!apply->wanted[i].lacks;
	print_count(out, apply->after.count);
	print_waits(out, apply);
	if (lacking)
		fprintf(out, "; the loaded module can-gw does not support %zu", lacking);
}

static void print_failure(FILE *out, const struct apply *apply)
{
	fprintf(out, "%s was rejected; still loaded: ", apply->name);
	print_count(out, apply->before.count);
}

/* Send the text that @print writes to the service manager, and print it if @say is set. */
static void set_status(void (*print)(FILE *out, const struct apply *apply),
		       const struct apply *apply, bool say)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		cli_fail("no memory for a message");
	print(out, apply);
	if (fclose(out))
		cli_fail("no memory for a message");
	notify_status(text);
	if (say)
		puts(text);
	free(text);
}

static int reject_file(const struct apply *apply)
{
	cli_warn("%s: nothing was changed", apply->name);
	set_status(print_failure, apply, false);
	return STATUS_REJECTED;
}

static void free_apply(struct apply *apply)
{
	for (size_t i = 0; i < apply->count; i++)
		free(apply->wanted[i].text);
	free(apply->wanted);
	state_free(&apply->before);
	state_free(&apply->after);
}

int command_apply(const struct options *options)
{
	static struct apply apply;
	int status = CLI_OK;
	bool good;
	FILE *out;

	good = read_file(&apply, options->args[0]);
	state_lock();
	state_read(&apply.before);
	if (!good)
		return reject_file(&apply);
	out = state_open();
	good = gateway_find() == GATEWAY_STOCK ? apply_stock(&apply) : apply_family(&apply);
	if (good) {
		state_write(out, &apply.after);
		report_skipped(&apply);
		set_status(print_summary, &apply, true);
	} else {
		fclose(out);
		status = reject_file(&apply);
	}
	free_apply(&apply);
	return status;
}

int command_unapply(const struct options *options)
{
	enum gateway gateway = gateway_find();
	struct state state;
	size_t count = 0;
	bool good = true;

	(void)options;
	state_lock();
	state_read(&state);
	if (state.count && gateway == GATEWAY_STOCK)
		good = unapply_stock(&state, &count);
	else if (state.count && gateway == GATEWAY_FAMILY)
		good = unapply_family(&state, &count);
	state_free(&state);
	if (!good)
		return STATUS_REJECTED;
	state_remove();
	printf("%zu rule%s removed\n", count, count == 1 ? "" : "s");
	notify_status("");
	return CLI_OK;
}
