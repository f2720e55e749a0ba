// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands load and check. A load is one transaction.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "fetch.h"
#include "text-map.h"
#include "options.h"
#include "rule-json.h"
#include "rule-message.h"
#include "source-file.h"
#include "transaction.h"

/* struct origin - line of a rule, and whether it has the options of cangw */
struct origin {
	unsigned int line;
	bool cangw;
};

/**
 * struct load - one transaction
 * @origins, @room: one entry for each rule of @transaction
 */
struct load {
	struct kernel kernel;
	const char *name;
	struct transaction transaction;
	struct origin *origins;
	size_t room;
};

static void add_origin(struct load *load, unsigned int line, bool cangw)
{
	size_t count = load->transaction.count;

	if (count > load->room) {
		load->room = 2 * count + 256;
		load->origins = realloc(load->origins, load->room * sizeof(*load->origins));
		if (!load->origins)
			cli_fail("no memory for rules");
	}
	load->origins[count - 1] = (struct origin){ line, cangw };
}

/* Build the messages of all rules in the file. False: the file has errors. */
static bool read_file(struct load *load, const char *name)
{
	static struct rule rule;
	struct source_file file;

	source_open(&file, name);
	load->name = file.name;
	while (source_next(&file, &rule)) {
		const char *missing;

		transaction_add(&load->transaction);
		missing = rule_put(&load->transaction.messages, &rule);
		if (missing) {
			cli_warn("%s:%u: interface '%s' does not exist",
				 file.name, file.line, missing);
			file.errors++;
		}
		add_origin(load, file.line, rule.cangw);
	}
	source_close(&file);
	return !file.errors;
}

static void report_rejected_rule(void *arg, size_t rule, const struct nlmsghdr *nlh)
{
	struct load *load = arg;
	struct kernel_error kerr = { .cangw = load->origins[rule].cangw };

	kernel_error_read(&kerr, nlh);
	cli_warn("%s:%u: %s", load->name, load->origins[rule].line, kerr.text);
}

static bool commit_transaction(struct load *load, const struct options *options)
{
	struct transaction *t = &load->transaction;
	bool good = transaction_commit(t, options->has_generation ? &options->generation : NULL);

	/* The commit fails if a rule was rejected, which was reported already. */
	if (t->ended && !good && !(t->kerr.error == ECANCELED && t->rejected))
		cli_warn("%s: %s", load->name, t->kerr.text);
	if (t->rejected > TRANSACTION_REPORTED)
		cli_warn("%s: %zu more rules were rejected", load->name,
			 t->rejected - TRANSACTION_REPORTED);
	return good;
}

int command_load(const struct options *options)
{
	static struct load load;
	struct transaction *t = &load.transaction;
	bool good;

	kernel_open(&load.kernel);
	*t = (struct transaction){ .kernel = &load.kernel, .reject = report_rejected_rule,
				   .arg = &load };
	if (!read_file(&load, options->args[0])) {
		cli_warn("%s: nothing was loaded", load.name);
		return STATUS_REJECTED;
	}
	good = transaction_begin(t, fetch_index(options->source));
	if (good)
		good = commit_transaction(&load, options);
	else
		cli_warn("%s", t->kerr.text);
	if (t->lost && !t->ended)
		cli_warn("netlink replies lost; 'canroute list' shows whether the rules were loaded");
	else if (!good)
		cli_warn("%s: nothing was loaded", load.name);
	else if (options->json)
		json_print(rule_table_json(&t->table));
	else
		printf("%zu rules\n", t->count);
	if (t->lost && !t->ended)
		return CLI_SYSTEM;
	return good ? CLI_OK : STATUS_REJECTED;
}

/* Report what the kernel would reject, and filters that never match. */
static void check_rule(struct source_file *file, const struct rule *rule, struct text_map *uids)
{
	static char present[] = "";
	const char *reason = rule_reject_reason(rule);

	if (!reason && rule->uid && text_map_set(uids, rule->uid, present))
		reason = "uid is used by another rule";
	if (reason) {
		cli_warn("%s:%u: %s", file->name, file->line, reason);
		file->errors++;
	} else if (rule_never_matches(rule)) {
		cli_warn("%s:%u: warning: no frame matches this filter; extended identifiers require the flag 80000000",
			 file->name, file->line);
	}
}

int command_check(const struct options *options)
{
	struct text_map uids = { 0 };
	static struct rule rule;
	struct source_file file;
	size_t count = 0;

	source_open(&file, options->args[0]);
	for (; source_next(&file, &rule); count++)
		check_rule(&file, &rule, &uids);
	if (file.errors)
		cli_warn("%s: %u error%s",
			 file.name, file.errors, file.errors > 1 ? "s" : "");
	else
		printf("%zu rules\n", count);
	source_close(&file);
	return file.errors ? STATUS_REJECTED : CLI_OK;
}
