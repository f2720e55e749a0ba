// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands load and check. A load is one transaction. All messages are built before the
 * first one is sent, so an error in the file changes nothing. They are sent in batches,
 * without waiting for replies: the kernel replies only to rejected rules, and the sequence
 * number identifies the line.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cli.h"
#include "fetch.h"
#include "text-map.h"
#include "options.h"
#include "rule-json.h"
#include "rule-message.h"
#include "source-file.h"

/* Bytes per system call. The error replies to one batch fit into the receive queue. */
#define BATCH (32 * 1024)

/* Rejected rules that are reported with the reason; further ones are only counted */
#define REPORTED_MAX 20

/* struct origin - line of a rule, and whether it has the options of cangw */
struct origin {
	unsigned int line;
	bool cangw;
};

/**
 * struct load - one transaction
 * @messages: of all rules
 * @origins, @count, @room: one entry for each rule
 * @first: sequence number of the first rule
 * @commit: sequence number of the commit, 0 before it
 * @rejected: number of rules that the kernel rejected
 * @lost: the receive queue overflowed
 * @ended: the reply to the commit was received; @good: the commit succeeded
 */
struct load {
	struct kernel kernel;
	const char *name;
	struct messages messages;
	struct origin *origins;
	size_t count, room;
	uint32_t first, commit;
	size_t rejected;
	bool lost, ended, good;
	struct rule_table table;
};

static void add_origin(struct load *load, unsigned int line, bool cangw)
{
	if (load->count == load->room) {
		load->room = 2 * load->room + 256;
		load->origins = realloc(load->origins, load->room * sizeof(*load->origins));
		if (!load->origins)
			cli_fail("no memory for rules");
	}
	load->origins[load->count++] = (struct origin){ line, cangw };
}

/* Build the messages of all rules in the file. False: the file has errors. */
static bool read_file(struct load *load, const char *name)
{
	static struct rule rule;
	struct source_file file;

	source_open(&file, name);
	load->name = file.name;
	load->first = load->kernel.seq + 1;
	while (source_next(&file, &rule)) {
		const char *missing;

		kernel_init_request(&load->kernel, &load->messages, CAN_GW_CMD_RULE_ADD, 0);
		missing = rule_put(&load->messages, &rule);
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

static void report_rejected_rule(struct load *load, const struct nlmsghdr *nlh)
{
	const struct origin *origin = &load->origins[nlh->nlmsg_seq - load->first];
	struct kernel_error kerr = { .cangw = origin->cangw };

	if (load->rejected++ >= REPORTED_MAX)
		return;
	kernel_error_read(&kerr, nlh);
	cli_warn("%s:%u: %s", load->name, origin->line, kerr.text);
}

static void read_commit_reply(struct load *load, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	struct kernel_error kerr = { 0 };

	if (nlh->nlmsg_type != NLMSG_ERROR) {
		rule_table_get(&load->table, nlh);
		return;
	}
	load->ended = true;
	load->good = !err->error;
	/* The commit fails if a rule was rejected, which was reported already. */
	if (load->good || (err->error == -ECANCELED && load->rejected))
		return;
	kernel_error_read(&kerr, nlh);
	cli_warn("%s: %s", load->name, kerr.text);
}

static void read_reply(struct load *load, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);

	if (load->commit && nlh->nlmsg_seq == load->commit)
		read_commit_reply(load, nlh);
	else if (nlh->nlmsg_type == NLMSG_ERROR && err->error &&
		 nlh->nlmsg_seq - load->first < load->count)
		report_rejected_rule(load, nlh);
}

/* Read the replies that are queued; with @flags 0, wait for one. */
static void read_replies(struct load *load, int flags)
{
	for (;;) {
		int len = kernel_receive(&load->kernel, flags);

		if (len == -EAGAIN || len == -EINTR)
			return;
		load->lost |= len == -ENOBUFS;
		for (struct nlmsghdr *nlh = (struct nlmsghdr *)load->kernel.buffer;
		     len > 0 && NLMSG_OK(nlh, (unsigned int)len); nlh = NLMSG_NEXT(nlh, len))
			read_reply(load, nlh);
		if (!flags)
			return;
	}
}

static void send_rules(struct load *load)
{
	const char *data = load->messages.data;
	size_t begin = 0, end = 0;

	while (end < load->messages.len) {
		const struct nlmsghdr *nlh = (struct nlmsghdr *)(data + end);
		size_t next = end + NLMSG_ALIGN(nlh->nlmsg_len);

		if (next - begin > BATCH && end > begin) {
			kernel_send(&load->kernel, data + begin, end - begin);
			read_replies(load, MSG_DONTWAIT);
			begin = end;
		}
		end = next;
	}
	if (end > begin)
		kernel_send(&load->kernel, data + begin, end - begin);
}

static void ignore_reply(void *arg, const struct nlmsghdr *nlh)
{
	(void)arg;
	(void)nlh;
}

/*
 * Wait for the reply: without a transaction, the kernel would add each rule to the existing
 * ones.
 */
static bool begin_transaction(struct load *load, const struct options *options)
{
	uint32_t source = fetch_index(options->source);
	struct messages request = { 0 };
	struct kernel_error kerr = { 0 };
	bool good;

	kernel_init_request(&load->kernel, &request, CAN_GW_CMD_TRANSACTION_BEGIN, NLM_F_ACK);
	if (source)
		message_put_u32(&request, CAN_GW_A_TABLE_SOURCE, source);
	good = kernel_request(&load->kernel, &request, ignore_reply, NULL, &kerr);
	if (!good)
		cli_warn("%s", kerr.text);
	message_free(&request);
	return good;
}

static bool commit_transaction(struct load *load, const struct options *options)
{
	struct messages request = { 0 };

	kernel_init_request(&load->kernel, &request, CAN_GW_CMD_TRANSACTION_COMMIT, NLM_F_ACK);
	message_put_u32(&request, CAN_GW_A_TABLE_RULES, load->count);
	if (options->has_generation)
		message_put_u32(&request, CAN_GW_A_TABLE_GENERATION, options->generation);
	load->commit = load->kernel.seq;
	kernel_send(&load->kernel, request.data, request.len);
	message_free(&request);
	while (!load->ended && !load->lost)
		read_replies(load, 0);
	/* After an overflow, the reply to the commit is either queued by now or lost. */
	if (!load->ended)
		read_replies(load, MSG_DONTWAIT);
	if (load->rejected > REPORTED_MAX)
		cli_warn("%s: %zu more rules were rejected", load->name,
			 load->rejected - REPORTED_MAX);
	return load->good;
}

/*
 * Sequence numbers are assigned while the file is read. The begin of the transaction is sent
 * first, but has a higher number than the rules.
 */
int command_load(const struct options *options)
{
	static struct load load;
	bool good;

	kernel_open(&load.kernel);
	if (!read_file(&load, options->args[0])) {
		cli_warn("%s: nothing was loaded", load.name);
		return STATUS_REJECTED;
	}
	good = begin_transaction(&load, options);
	if (good) {
		send_rules(&load);
		good = commit_transaction(&load, options);
	}
	if (load.lost && !load.ended)
		cli_warn("netlink replies lost; 'canroute list' shows whether the rules were loaded");
	else if (!good)
		cli_warn("%s: nothing was loaded", load.name);
	else if (options->json)
		json_print(rule_table_json(&load.table));
	else
		printf("%zu rules\n", load.count);
	if (load.lost && !load.ended)
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
