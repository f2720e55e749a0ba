// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command load for the stock gateway. All rules are checked, and their messages are built, before
 * the first change. If the kernel rejects a rule nevertheless, the previous rules are added again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/msg.h>
#include <linux/rtnetlink.h>

#include "cli.h"
#include "rule-json.h"
#include "source-file.h"
#include "stock-commands.h"
#include "stock-message.h"
#include "stock-socket.h"
#include "stock.h"
#include "text-map.h"

struct entry {
	struct nl_msg *msg;
	unsigned int line;
};

/**
 * struct load - the rules of a file
 * @entries, @count, @room: one entry for each valid rule
 * @uids: of the rules in the file, and of those that stay
 * @old: rules that are replaced
 */
struct load {
	const char *source;
	struct source_file file;
	struct entry *entries;
	size_t count, room;
	struct text_map uids;
	bool names;
	struct fetched old;
};

static char used[] = "";

static void reject(struct load *load, const char *text)
{
	cli_warn("%s:%u: %s", load->file.name, load->file.line, text);
	load->file.errors++;
}

static void add_entry(struct load *load, struct nl_msg *msg)
{
	if (load->count == load->room) {
		load->room = 2 * load->room + 256;
		load->entries = realloc(load->entries, load->room * sizeof(*load->entries));
		if (!load->entries)
			cli_fail("no memory for rules");
	}
	load->entries[load->count++] = (struct entry){ msg, load->file.line };
}

static void check_rule(struct load *load, const struct rule *rule)
{
	char text[256];

	if (!stock_check(rule, text, sizeof(text))) {
		reject(load, text);
		return;
	}
	if (load->source && strcmp(rule->source, load->source))
		reject(load, "source differs from that of --source");
	/* The kernel would change the other rule. */
	if (rule->uid && text_map_set(&load->uids, rule->uid, used))
		reject(load, "uid is used by another rule");
	add_entry(load, stock_put(rule, RTM_NEWROUTE));
	load->names |= rule->name[0];
}

/* With --source, the rules from other interfaces stay. */
static void read_other_uids(struct load *load)
{
	const struct options all = { 0 };
	struct fetched fetched;
	static struct rule rule;

	stock_select(&all, &fetched);
	for (size_t i = 0; i < fetched.count; i++) {
		fetched_rule(&fetched, i, &rule);
		if (rule.uid && strcmp(rule.source, load->source))
			text_map_set(&load->uids, rule.uid, used);
	}
	fetched_free(&fetched);
}

/* False: the file has errors. */
static bool read_file(struct load *load, const char *name)
{
	static struct rule rule;

	source_open(&load->file, name);
	while (source_next(&load->file, &rule))
		check_rule(load, &rule);
	source_close(&load->file);
	return !load->file.errors;
}

/* Add the rules; the messages are freed. False: one was rejected, and a message was printed. */
static bool add_rules(struct load *load)
{
	int error = 0;

	for (size_t i = 0; i < load->count; i++) {
		if (error) {
			nlmsg_free(load->entries[i].msg);
			continue;
		}
		error = stock_request(load->entries[i].msg);
		if (error)
			cli_warn("%s:%u: %s", load->file.name, load->entries[i].line,
				 stock_error_text(error));
	}
	return !error;
}

/* Oldest first, so that they have the previous order. False: they are not complete. */
static bool restore(struct load *load)
{
	int error = stock_remove(load->source);

	for (size_t i = load->old.count; !error && i-- > 0;)
		error = stock_request(stock_copy(fetched_message(&load->old, i), RTM_NEWROUTE));
	if (error)
		cli_warn("%s: restoring the previous rules: %s", load->file.name,
			 stock_error_text(error));
	return !error;
}

static int replace_rules(struct load *load)
{
	const struct options options = { .source = load->source };
	int error;

	stock_select(&options, &load->old);
	cli_warn("warning: the module can-gw of this kernel has no transactions: frames are lost while the rules are replaced one by one");
	error = stock_remove(load->source);
	if (!error && add_rules(load))
		return CLI_OK;
	if (error)
		cli_warn("%s: %s", load->file.name, stock_error_text(error));
	if (error == EPERM || restore(load)) {
		cli_warn("%s: nothing was loaded", load->file.name);
		return STATUS_REJECTED;
	}
	return CLI_SYSTEM;
}

static void print_result(const struct load *load, const struct options *options)
{
	if (options->json)
		json_print(json_pack("{s:I}", "rules", (json_int_t)load->count));
	else
		printf("%zu rules\n", load->count);
}

int stock_command_load(const struct options *options)
{
	static struct load load;
	int status;

	stock_require();
	if (options->has_generation)
		stock_unsupported("load --generation");
	fetch_index(options->source);
	load.source = options->source;
	if (load.source)
		read_other_uids(&load);
	if (!read_file(&load, options->args[0])) {
		cli_warn("%s: nothing was loaded", load.file.name);
		return STATUS_REJECTED;
	}
	if (load.names)
		cli_warn("warning: the module can-gw of this kernel does not store names");
	status = replace_rules(&load);
	if (status == CLI_OK)
		print_result(&load, options);
	return status;
}
