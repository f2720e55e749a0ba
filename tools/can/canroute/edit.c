// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands add, replace, delete, flush and table.
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

static void ignore_reply(void *arg, const struct nlmsghdr *nlh)
{
	(void)arg;
	(void)nlh;
}

static void read_handle(void *arg, const struct nlmsghdr *nlh)
{
	uint64_t *handle = arg;

	*handle = rule_get_handle(nlh);
}

static void read_table(void *arg, const struct nlmsghdr *nlh)
{
	rule_table_get(arg, nlh);
}

/* Send the request, print an error, and close the connection. */
static int send_request(struct kernel *kernel, struct messages *request, kernel_reply_fn reply,
			void *arg, bool cangw)
{
	struct kernel_error kerr = { .cangw = cangw };
	bool good = kernel_request(kernel, request, reply, arg, &kerr);

	if (!good)
		cli_warn("%s", kerr.text);
	message_free(request);
	kernel_close(kernel);
	return good ? CLI_OK : STATUS_REJECTED;
}

static int send_rule(const struct rule *rule, uint8_t command, kernel_reply_fn reply, void *arg)
{
	struct messages request = { 0 };
	struct kernel kernel;
	const char *missing;

	kernel_open(&kernel);
	kernel_init_request(&kernel, &request, command, NLM_F_ACK);
	missing = rule_put(&request, rule);
	if (!missing)
		return send_request(&kernel, &request, reply, arg, rule->cangw);
	cli_warn("interface '%s' does not exist", missing);
	message_free(&request);
	kernel_close(&kernel);
	return STATUS_REJECTED;
}

int command_add(const struct options *options)
{
	static struct rule rule;
	uint64_t handle = 0;
	int status;

	source_arguments(&rule, options->args, options->count);
	status = send_rule(&rule, CAN_GW_CMD_RULE_ADD, read_handle, &handle);
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
	return send_rule(&rule, CAN_GW_CMD_RULE_REPLACE, ignore_reply, NULL);
}

int command_delete(const struct options *options)
{
	struct messages request = { 0 };
	struct kernel kernel;
	int status = CLI_OK;

	kernel_open(&kernel);
	for (int i = 0; i < options->count; i++) {
		struct kernel_error kerr = { 0 };

		message_clear(&request);
		kernel_init_request(&kernel, &request, CAN_GW_CMD_RULE_DEL, NLM_F_ACK);
		message_put_uint(&request, CAN_GW_A_RULE_HANDLE, fetch_handle(options->args[i]));
		if (kernel_request(&kernel, &request, ignore_reply, NULL, &kerr))
			continue;
		cli_warn("rule %s: %s", options->args[i], kerr.text);
		status = STATUS_REJECTED;
	}
	message_free(&request);
	kernel_close(&kernel);
	return status;
}

/* An empty transaction replaces all rules. */
int command_flush(const struct options *options)
{
	uint32_t source = fetch_index(options->source);
	struct messages request = { 0 };
	struct kernel_error kerr = { 0 };
	struct kernel kernel;

	kernel_open(&kernel);
	kernel_init_request(&kernel, &request, CAN_GW_CMD_TRANSACTION_BEGIN, NLM_F_ACK);
	if (source)
		message_put_u32(&request, CAN_GW_A_TABLE_SOURCE, source);
	if (!kernel_request(&kernel, &request, ignore_reply, NULL, &kerr)) {
		cli_warn("%s", kerr.text);
		return STATUS_REJECTED;
	}
	message_clear(&request);
	kernel_init_request(&kernel, &request, CAN_GW_CMD_TRANSACTION_COMMIT, NLM_F_ACK);
	message_put_u32(&request, CAN_GW_A_TABLE_RULES, 0);
	return send_request(&kernel, &request, ignore_reply, NULL, false);
}

static void print_table_state(const struct rule_table *table)
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
	kernel_init_request(&kernel, &request, CAN_GW_CMD_TABLE_GET, NLM_F_ACK);
	if (source)
		message_put_u32(&request, CAN_GW_A_TABLE_SOURCE, source);
	status = send_request(&kernel, &request, read_table, &table, false);
	if (status != CLI_OK)
		return status;
	if (options->json)
		json_print(rule_table_json(&table));
	else
		print_table_state(&table);
	return CLI_OK;
}
