// SPDX-License-Identifier: GPL-2.0-only
/*
 * Read rules from the kernel. All replies are stored before they are used, because a dump
 * during which rules change is discarded and repeated.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "fetch.h"
#include "ifnames.h"
#include "rule-message.h"
#include "stock-message.h"

/* Dumps until the rules did not change; then the last one is used, with a warning. */
#define DUMPS_MAX 8

uint64_t fetch_handle(const char *text)
{
	return cli_number("handle", text, 1, UINT64_MAX);
}

uint32_t fetch_index(const char *name)
{
	uint32_t index = name ? ifnames_index(name) : 0;

	if (!name || index)
		return index;
	cli_warn("interface '%s' does not exist", name);
	exit(STATUS_REJECTED);
}

static uint32_t frames_number(const char *name)
{
	uint32_t i = 0;

	while (i < FRAME_TYPES && strcmp(frame_types[i].name, name))
		i++;
	if (i == FRAME_TYPES)
		cli_usage("--frames: invalid frame type '%s', expected cc, fd or xl", name);
	return i;
}

void fetch_check(const struct options *options)
{
	for (int i = 0; i < options->count; i++)
		fetch_handle(options->args[i]);
	if (options->frames)
		frames_number(options->frames);
}

static void put_selection(struct messages *request, const struct options *options)
{
	uint32_t source = fetch_index(options->source);
	uint32_t destination = fetch_index(options->destination);

	if (options->name)
		message_put_string(request, CAN_GW_A_RULE_NAME, options->name);
	if (source)
		message_put_u32(request, CAN_GW_A_RULE_SOURCE, source);
	if (destination)
		message_put_u32(request, CAN_GW_A_RULE_DESTINATION, destination);
	if (options->frames)
		message_put_u32(request, CAN_GW_A_RULE_FRAMES, frames_number(options->frames));
}

static void append_reply(void *arg, const struct nlmsghdr *nlh)
{
	message_append(arg, nlh);
}

/* One request for each handle */
static bool fetch_by_handles(struct kernel *kernel, const struct options *options, uint8_t command,
			     struct messages *replies)
{
	struct messages request = { 0 };
	struct kernel_error kerr = { 0 };
	bool good = true;

	for (int i = 0; good && i < options->count; i++) {
		message_clear(&request);
		kernel_init_request(kernel, &request, command, NLM_F_ACK);
		message_put_uint(&request, CAN_GW_A_RULE_HANDLE, fetch_handle(options->args[i]));
		good = kernel_request(kernel, &request, append_reply, replies, &kerr);
		if (!good)
			cli_warn("rule %s: %s", options->args[i], kerr.text);
	}
	message_free(&request);
	return good;
}

static enum dump dump_once(struct kernel *kernel, const struct options *options, uint8_t command,
			   struct messages *replies, struct kernel_error *kerr)
{
	struct messages request = { 0 };
	enum dump dump;

	message_clear(replies);
	kernel_init_request(kernel, &request, command, NLM_F_DUMP);
	put_selection(&request, options);
	dump = kernel_dump(kernel, &request, replies, kerr);
	message_free(&request);
	return dump;
}

static bool fetch_selected(struct kernel *kernel, const struct options *options, uint8_t command,
			   struct messages *replies)
{
	/* The first dump resets the counters, so a second one would lose their values. */
	int tries = options->reset ? 1 : DUMPS_MAX;
	struct kernel_error kerr = { 0 };
	enum dump dump;

	do {
		dump = dump_once(kernel, options, command, replies, &kerr);
	} while (dump == DUMP_CHANGED && --tries);
	if (dump == DUMP_CHANGED)
		cli_warn("rules changed during the dump: some may be missing or listed twice");
	if (dump == DUMP_FAILED)
		cli_warn("reading the rules: %s", kerr.text);
	return dump != DUMP_FAILED;
}

void fetched_index(struct fetched *fetched)
{
	for (size_t at = 0; at < fetched->messages.len;) {
		const struct nlmsghdr *nlh = (struct nlmsghdr *)(fetched->messages.data + at);

		if (fetched->count == fetched->room) {
			fetched->room = 2 * fetched->room + 64;
			fetched->offset = realloc(fetched->offset,
						  fetched->room * sizeof(*fetched->offset));
			if (!fetched->offset)
				cli_fail("no memory for rules");
		}
		fetched->offset[fetched->count++] = at;
		at += NLMSG_ALIGN(nlh->nlmsg_len);
	}
}

bool fetch_rules(struct kernel *kernel, const struct options *options, struct fetched *fetched)
{
	uint8_t command = options->reset ? CAN_GW_CMD_RULE_RESET : CAN_GW_CMD_RULE_GET;
	bool good;

	*fetched = (struct fetched){ 0 };
	if (options->count)
		good = fetch_by_handles(kernel, options, command, &fetched->messages);
	else
		good = fetch_selected(kernel, options, command, &fetched->messages);
	if (good)
		fetched_index(fetched);
	else
		fetched_free(fetched);
	return good;
}

const struct nlmsghdr *fetched_message(const struct fetched *fetched, size_t i)
{
	return (struct nlmsghdr *)(fetched->messages.data + fetched->offset[i]);
}

void fetched_rule(const struct fetched *fetched, size_t i, struct rule *rule)
{
	const struct nlmsghdr *nlh = fetched_message(fetched, i);

	if (fetched->stock ? stock_get(rule, nlh) : rule_get(rule, nlh))
		return;
	errno = 0;
	cli_fail("unsupported rule received from the kernel");
}

void fetched_free(struct fetched *fetched)
{
	message_free(&fetched->messages);
	free(fetched->offset);
	*fetched = (struct fetched){ 0 };
}
