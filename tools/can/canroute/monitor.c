// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command monitor: print changes of rules. One socket receives only notifications; another
 * one reads the rules.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/genetlink.h>

#include "cli.h"
#include "columns.h"
#include "fetch.h"
#include "ifnames.h"
#include "text-map.h"
#include "options.h"
#include "print.h"
#include "rule-json.h"
#include "rule-message.h"

#define RED "31"
#define GREEN "32"
#define YELLOW "33"

/**
 * struct monitor - state of the command
 * @events: receives notifications; @rules: reads rules
 * @texts: line of each rule, or its JSON object with @json
 */
struct monitor {
	struct kernel events, rules;
	struct text_map texts;
	bool json, colour;
};

static char *rule_text(const struct monitor *m, const struct rule *rule)
{
	char *text = NULL;
	json_t *json;
	size_t size;
	FILE *out;

	if (m->json) {
		json = rule_json(rule);
		text = json_dumps(json, JSON_COMPACT);
		json_decref(json);
	} else {
		out = open_memstream(&text, &size);
		if (out) {
			print_rule(out, rule);
			fclose(out);
		}
	}
	errno = 0;
	if (!text)
		cli_fail("no memory for a rule");
	return text;
}

/* A line: @word in its colour, then the formatted text */
static void print_event(const struct monitor *m, const char *colour, const char *word,
			const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static void print_event(const struct monitor *m, const char *colour, const char *word,
			const char *fmt, ...)
{
	va_list args;

	if (m->colour)
		printf("\033[%sm%s\033[0m ", colour, word);
	else
		printf("%s ", word);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

/* Read all rules. False: the kernel rejected the request. */
static bool read_rules(struct monitor *m)
{
	const struct options all = { 0 };
	struct fetched fetched;
	static struct rule rule;

	ifnames_flush();
	if (!fetch_rules(&m->rules, &all, &fetched))
		return false;
	text_map_clear(&m->texts);
	for (size_t i = 0; i < fetched.count; i++) {
		fetched_rule(&fetched, i, &rule);
		free(text_map_set(&m->texts, rule.handle, rule_text(m, &rule)));
	}
	fetched_free(&fetched);
	return true;
}

static void print_added(struct monitor *m, uint64_t handle, const char *text)
{
	if (m->json)
		printf("{\"event\": \"added\", \"rule\": %s}\n", text);
	else
		print_event(m, GREEN, "added", "%" PRIu64 ": %s", handle, text);
}

static void print_changed(struct monitor *m, uint64_t handle, const char *text, const char *before)
{
	if (m->json) {
		printf("{\"event\": \"changed\", \"rule\": %s, \"before\": %s}\n", text,
		       before ? before : "null");
		return;
	}
	print_event(m, YELLOW, "changed", "%" PRIu64 ": %s", handle, text);
	if (before)
		printf("    from: %s\n", before);
}

static void handle_rule(struct monitor *m, const struct nlmsghdr *nlh, bool changed)
{
	static struct rule rule;
	char *text, *before;

	if (!rule_get(&rule, nlh)) {
		cli_warn("unsupported rule in a notification");
		return;
	}
	text = rule_text(m, &rule);
	before = text_map_set(&m->texts, rule.handle, text);
	if (changed)
		print_changed(m, rule.handle, text, before);
	else
		print_added(m, rule.handle, text);
	free(before);
}

static void handle_removal(struct monitor *m, const struct nlmsghdr *nlh)
{
	struct removal removal;
	bool interface;

	removal_get(&removal, nlh);
	interface = removal.reason == CAN_GW_REASON_INTERFACE;
	for (size_t i = 0; i < removal.count; i++) {
		char *text = text_map_take(&m->texts, removal.handles[i]);

		if (m->json)
			printf("{\"event\": \"removed\", \"handle\": %" PRIu64
			       ", \"reason\": \"%s\", \"generation\": %" PRIu32 ", \"rule\": %s}\n",
			       removal.handles[i], interface ? "interface" : "request",
			       removal.generation, text ? text : "null");
		else
			print_event(m, RED, "removed", "%" PRIu64 "%s%s%s", removal.handles[i],
				    text ? ": " : "", text ? text : "",
				    interface ? " (an interface is gone)" : "");
		free(text);
	}
	free(removal.handles);
}

static void handle_table(struct monitor *m, const struct nlmsghdr *nlh)
{
	struct rule_table table = { 0 };
	char source[IFNAMSIZ];

	if (!rule_table_get(&table, nlh))
		return;
	if (m->json)
		json_print(json_pack("{s:s, s:o}", "event", "replaced", "table",
				     rule_table_json(&table)));
	else if (table.source)
		print_event(m, YELLOW, "replaced", "all rules from %s: now %" PRIu32,
			    ifnames_name(table.source, source), table.rules);
	else
		print_event(m, YELLOW, "replaced", "all rules: now %" PRIu32, table.rules);
}

/* True: all rules have to be read again. */
static bool handle_message(struct monitor *m, const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = NLMSG_DATA(nlh);

	if (nlh->nlmsg_type != m->events.family || nlh->nlmsg_len < NLMSG_LENGTH(GENL_HDRLEN))
		return false;
	switch (genl->cmd) {
	case CAN_GW_CMD_RULE_ADD_NTF:
		handle_rule(m, nlh, false);
		return false;
	case CAN_GW_CMD_RULE_CHANGE_NTF:
		handle_rule(m, nlh, true);
		return false;
	case CAN_GW_CMD_RULE_DEL_NTF:
		handle_removal(m, nlh);
		return false;
	case CAN_GW_CMD_TABLE_NTF:
		handle_table(m, nlh);
		return true;
	}
	return false;
}

static void handle_overflow(struct monitor *m)
{
	if (m->json)
		puts("{\"event\": \"lost\"}");
	else
		print_event(m, RED, "lost",
			    "notifications: receive queue full; reading all rules again");
}

/* Handle the received messages. False: reading the rules failed. */
static bool handle_messages(struct monitor *m, int len)
{
	bool again = false;

	/* Interfaces may have been added or removed since. */
	ifnames_flush();
	for (struct nlmsghdr *nlh = (struct nlmsghdr *)m->events.buffer;
	     NLMSG_OK(nlh, (unsigned int)len); nlh = NLMSG_NEXT(nlh, len))
		again |= handle_message(m, nlh);
	return !again || read_rules(m);
}

int command_monitor(const struct options *options)
{
	static struct monitor m;
	bool good;

	m.json = options->json;
	m.colour = !m.json && terminal_colour(stdout);
	cli_catch_stop();
	/* A program at the other end of a pipe gets each line immediately. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	kernel_open(&m.events);
	kernel_open(&m.rules);
	kernel_join_group(&m.events);
	good = read_rules(&m);
	if (good)
		cli_warn("ready: %zu rules", m.texts.count);
	while (good && !cli_stopped && !ferror(stdout)) {
		ssize_t len = kernel_receive(&m.events, 0);

		if (len == -ENOBUFS) {
			handle_overflow(&m);
			good = read_rules(&m);
		} else if (len > 0) {
			good = handle_messages(&m, len);
		}
	}
	text_map_clear(&m.texts);
	kernel_close(&m.events);
	kernel_close(&m.rules);
	return good ? CLI_OK : STATUS_REJECTED;
}
