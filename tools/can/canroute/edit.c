// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that change single rules, or remove all: add, replace, delete, flush; and
 * table, which looks at all of them together.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "fetch.h"
#include "ifnames.h"
#include "options.h"
#include "rule-json.h"
#include "rule-message.h"
#include "source-file.h"

static void no_answer(void *arg, const struct nlmsghdr *nlh)
{
	(void)arg;
	(void)nlh;
}

static void take_handle(void *arg, const struct nlmsghdr *nlh)
{
	uint64_t *handle = arg;

	*handle = rule_get_handle(nlh);
}

static void take_table(void *arg, const struct nlmsghdr *nlh)
{
	rule_table_get(arg, nlh);
}

/* Send the request, and complain if the kernel does. */
static int ask(struct kernel *kernel, struct messages *request, kernel_answer answer, void *arg,
	       bool cangw)
{
	struct refusal refusal = { .cangw = cangw };
	bool good = kernel_ask(kernel, request, answer, arg, &refusal);

	if (!good)
		cli_warn("%s", refusal.text);
	message_free(request);
	kernel_close(kernel);
	return good ? CLI_OK : STATUS_REFUSED;
}

static int send_rule(const struct rule *rule, uint8_t command, kernel_answer answer, void *arg)
{
	struct messages request = { 0 };
	struct kernel kernel;
	const char *missing;

	kernel_open(&kernel);
	kernel_begin(&kernel, &request, command, NLM_F_ACK);
	missing = rule_put(&request, rule);
	if (!missing)
		return ask(&kernel, &request, answer, arg, rule->cangw);
	cli_warn("there is no interface '%s'", missing);
	message_free(&request);
	kernel_close(&kernel);
	return STATUS_REFUSED;
}

int command_add(const struct options *options)
{
	static struct rule rule;
	uint64_t handle = 0;
	int status;

	source_arguments(&rule, options->args, options->count);
	status = send_rule(&rule, CAN_GW_CMD_RULE_ADD, take_handle, &handle);
	if (status == CLI_OK)
		printf("%" PRIu64 "\n", handle);
	return status;
}

int command_replace(const struct options *options)
{
	uint64_t handle = fetch_handle(options->args[0]);
	static struct rule rule;

	source_arguments(&rule, options->args + 1, options->count - 1);
	rule.handle = handle;
	return send_rule(&rule, CAN_GW_CMD_RULE_REPLACE, no_answer, NULL);
}

int command_delete(const struct options *options)
{
	struct messages request = { 0 };
	struct kernel kernel;
	int status = CLI_OK;

	kernel_open(&kernel);
	for (int i = 0; i < options->count; i++) {
		struct refusal refusal = { 0 };

		message_clear(&request);
		kernel_begin(&kernel, &request, CAN_GW_CMD_RULE_DEL, NLM_F_ACK);
		message_put_uint(&request, CAN_GW_A_RULE_HANDLE, fetch_handle(options->args[i]));
		if (kernel_ask(&kernel, &request, no_answer, NULL, &refusal))
			continue;
		cli_warn("rule %s: %s", options->args[i], refusal.text);
		status = STATUS_REFUSED;
	}
	message_free(&request);
	kernel_close(&kernel);
	return status;
}

/* A transaction without a rule. */
int command_flush(const struct options *options)
{
	uint32_t source = fetch_index(options->source);
	struct messages request = { 0 };
	struct refusal refusal = { 0 };
	struct kernel kernel;

	kernel_open(&kernel);
	kernel_begin(&kernel, &request, CAN_GW_CMD_TRANSACTION_BEGIN, NLM_F_ACK);
	if (source)
		message_put_u32(&request, CAN_GW_A_TABLE_SOURCE, source);
	if (!kernel_ask(&kernel, &request, no_answer, NULL, &refusal)) {
		cli_warn("%s", refusal.text);
		return STATUS_REFUSED;
	}
	message_clear(&request);
	kernel_begin(&kernel, &request, CAN_GW_CMD_TRANSACTION_COMMIT, NLM_F_ACK);
	message_put_u32(&request, CAN_GW_A_TABLE_RULES, 0);
	return ask(&kernel, &request, no_answer, NULL, false);
}

static void print_table(const struct rule_table *table)
{
	char source[IFNAMSIZ];

	if (table->source)
		printf("source      %s\n", ifnames_name(table->source, source));
	printf("rules       %" PRIu32 "\n", table->rules);
	printf("limit       %" PRIu32 "\n", table->limit);
	printf("generation  %" PRIu32 "\n", table->generation);
}

int command_table(const struct options *options)
{
	uint32_t source = fetch_index(options->source);
	struct messages request = { 0 };
	struct rule_table table = { 0 };
	struct kernel kernel;
	int status;

	kernel_open(&kernel);
	kernel_begin(&kernel, &request, CAN_GW_CMD_TABLE_GET, NLM_F_ACK);
	if (source)
		message_put_u32(&request, CAN_GW_A_TABLE_SOURCE, source);
	status = ask(&kernel, &request, take_table, &table, false);
	if (status != CLI_OK)
		return status;
	if (options->json)
		json_print(rule_table_json(&table));
	else
		print_table(&table);
	return CLI_OK;
}
