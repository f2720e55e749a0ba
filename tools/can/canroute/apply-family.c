// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands apply and unapply with the netlink family can-gw.
 *
 * Rules are replaced by a transaction over the whole table, in which the rules of others are
 * staged again. It has the generation at which the rules were read, so it fails if any rule
 * has changed since, and is then repeated. If rules of the file only have to be added, the
 * other rules keep their handles and counters.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>
#include <netlink/msg.h>

#include "apply.h"
#include "cli.h"
#include "fetch.h"
#include "rule-message.h"
#include "transaction.h"

/* Attempts until no rule and no interface has changed meanwhile */
#define ATTEMPTS 8

/* How an attempt ended */
enum attempt {
	ATTEMPT_GOOD,
	ATTEMPT_REJECTED,	/* the messages are in struct attempts */
	ATTEMPT_CHANGED,	/* rules or interfaces have changed meanwhile */
};

/**
 * struct attempts - attempts to apply a file
 * @active, @active_count: rules in the kernel, the oldest first
 * @generation: of @active
 * @others: number of rules that are not ours
 * @loading: rules of the file in the transaction, by number
 * @messages, @message_count: about rejected rules; @rejected counts all
 */
struct attempts {
	struct apply *apply;
	struct kernel kernel;
	struct fetched fetched;
	struct active_rule *active;
	size_t active_count;
	uint32_t generation;
	size_t others;
	size_t *loading;
	char *messages[TRANSACTION_REPORTED + 1];
	size_t message_count, rejected;
};

static void add_message(struct attempts *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add_message(struct attempts *a, const char *fmt, ...)
{
	va_list args;

	if (a->message_count == ARRAY_SIZE(a->messages))
		return;
	va_start(args, fmt);
	if (vasprintf(&a->messages[a->message_count++], fmt, args) < 0)
		cli_fail("no memory for a message");
	va_end(args);
}

static void clear_messages(struct attempts *a)
{
	while (a->message_count)
		free(a->messages[--a->message_count]);
	a->rejected = 0;
}

static void print_messages(struct attempts *a)
{
	for (size_t i = 0; i < a->message_count; i++)
		cli_warn("%s", a->messages[i]);
	if (a->rejected > TRANSACTION_REPORTED)
		cli_warn("%s: %zu more rules were rejected", a->apply->name,
			 a->rejected - TRANSACTION_REPORTED);
}

static void read_table(void *arg, const struct nlmsghdr *nlh)
{
	rule_table_get(arg, nlh);
}

static bool get_generation(struct attempts *a)
{
	struct messages request = { 0 };
	struct kernel_error kerr = { 0 };
	struct rule_table table = { 0 };
	bool good;

	kernel_init_request(&a->kernel, &request, CAN_GW_CMD_TABLE_GET, NLM_F_ACK);
	good = kernel_request(&a->kernel, &request, read_table, &table, &kerr);
	if (!good)
		cli_warn("%s", kerr.text);
	message_free(&request);
	a->generation = table.generation;
	return good;
}

static void free_active(struct attempts *a)
{
	for (size_t i = 0; i < a->active_count; i++)
		free(a->active[i].text);
	free(a->active);
	a->active = NULL;
	a->active_count = 0;
	fetched_free(&a->fetched);
}

/* The message of rule number @i of @active */
static struct nlmsghdr *active_message(const struct attempts *a, size_t i)
{
	size_t newest_first = a->active_count - 1 - i;

	return (struct nlmsghdr *)(a->fetched.messages.data + a->fetched.offset[newest_first]);
}

static unsigned int message_index(struct nlmsghdr *nlh, int type)
{
	const struct nlattr *attr = nlmsg_find_attr(nlh, GENL_HDRLEN, type);

	return attr ? nla_get_u32(attr) : 0;
}

/* Read all rules of the kernel, and find those in @state. */
static bool read_active(struct attempts *a, struct state *state)
{
	static const struct options all;
	static struct rule rule;

	free_active(a);
	if (!get_generation(a) || !fetch_rules(&a->kernel, &all, &a->fetched))
		return false;
	a->active_count = a->fetched.count;
	a->active = calloc(a->active_count + 1, sizeof(*a->active));
	if (!a->active)
		cli_fail("no memory for rules");
	for (size_t i = 0; i < a->active_count; i++) {
		struct nlmsghdr *nlh = active_message(a, i);

		fetched_rule(&a->fetched, a->active_count - 1 - i, &rule);
		a->active[i] = (struct active_rule){
			.handle = rule.handle,
			.source_index = message_index(nlh, CAN_GW_A_RULE_SOURCE),
			.destination_index = message_index(nlh, CAN_GW_A_RULE_DESTINATION),
			.text = rule_text(&rule),
		};
	}
	state_mark(state, a->active, a->active_count);
	a->others = 0;
	for (size_t i = 0; i < a->active_count; i++)
		a->others += !a->active[i].ours;
	return true;
}

/* Append the attributes of rule number @i of the file. */
static void put_wanted(struct attempts *a, struct messages *m, size_t i)
{
	static struct rule rule;

	/* The kernel rejects the message if an interface was removed meanwhile. */
	if (!rule_from_text(&rule, a->apply->wanted[i].text) || rule_put(m, &rule))
		add_message(a, "%s:%u: rule cannot be sent", a->apply->name,
			    a->apply->wanted[i].line);
}

/* Append the attributes of a rule of others as the kernel sent them. */
static void put_other(struct messages *m, struct nlmsghdr *nlh)
{
	struct nlattr *attr;
	int left;

	nlmsg_for_each_attr(attr, nlh, GENL_HDRLEN, left)
		if (nla_type(attr) != CAN_GW_A_RULE_HANDLE &&
		    nla_type(attr) != CAN_GW_A_RULE_STATS)
			message_put(m, attr->nla_type, nla_data(attr), nla_len(attr));
}

/* Rule number @staged of the transaction was rejected; those of others come first. */
static void note_rejected(void *arg, size_t staged, const struct nlmsghdr *nlh)
{
	struct attempts *a = arg;
	struct kernel_error kerr = { 0 };

	if (staged >= a->others) {
		const struct wanted_rule *wanted =
			&a->apply->wanted[a->loading[staged - a->others]];

		kerr.cangw = wanted->cangw;
		kernel_error_read(&kerr, nlh);
		add_message(a, "%s:%u: %s", a->apply->name, wanted->line, kerr.text);
		return;
	}
	kernel_error_read(&kerr, nlh);
	for (size_t i = 0; i < a->active_count; i++)
		if (!a->active[i].ours && !staged--)
			add_message(a, "rule %" PRIu64 " of others cannot be staged again: %s",
				    a->active[i].handle, kerr.text);
}

static void stage_rules(struct attempts *a, struct transaction *t)
{
	size_t loading = 0;

	for (size_t i = 0; i < a->active_count; i++) {
		if (a->active[i].ours)
			continue;
		transaction_add(t);
		put_other(&t->messages, active_message(a, i));
	}
	for (size_t i = 0; i < a->apply->count; i++) {
		if (wanted_rule_skipped(&a->apply->wanted[i]))
			continue;
		transaction_add(t);
		put_wanted(a, &t->messages, i);
		a->loading[loading++] = i;
	}
}

/*
 * After a commit, find the handles of our rules, which come after those of others. Another
 * program may have added or removed rules since.
 */
static bool find_handles(struct attempts *a)
{
	struct state none = { 0 }, *after = &a->apply->after;
	char **staged = calloc(a->active_count + a->apply->count + 1, sizeof(*staged));
	size_t count = 0, at = 0, others = a->others;
	bool good;

	if (!staged)
		cli_fail("no memory for rules");
	for (size_t i = 0; i < a->active_count; i++)
		if (!a->active[i].ours)
			staged[count++] = strdup(a->active[i].text);
	for (size_t i = 0; i < a->apply->count; i++)
		if (!wanted_rule_skipped(&a->apply->wanted[i]))
			staged[count++] = strdup(a->apply->wanted[i].text);
	good = read_active(a, &none);
	for (size_t i = 0; i < count; i++) {
		if (staged[i] && at < a->active_count && !strcmp(staged[i], a->active[at].text)) {
			if (i >= others)
				state_add(after, &a->active[at]);
			at++;
		}
		free(staged[i]);
	}
	free(staged);
	return good;
}

static enum attempt replace_rules(struct attempts *a)
{
	struct transaction t = { .kernel = &a->kernel, .reject = note_rejected, .arg = a };
	enum attempt end = ATTEMPT_GOOD;
	size_t others = a->others;

	stage_rules(a, &t);
	if (a->message_count) {
		end = ATTEMPT_REJECTED;
	} else if (!transaction_begin(&t, 0)) {
		add_message(a, "%s", t.kerr.text);
		end = ATTEMPT_REJECTED;
	} else if (!transaction_commit(&t, &a->generation)) {
		errno = 0;
		if (!t.ended)
			cli_fail("netlink replies lost; 'canroute list' shows whether the rules were loaded");
		a->rejected = t.rejected;
		if (!t.rejected)
			add_message(a, "%s: %s", a->apply->name, t.kerr.text);
		end = t.kerr.error == EAGAIN ? ATTEMPT_CHANGED : ATTEMPT_REJECTED;
	} else if (!find_handles(a)) {
		cli_fail("the rules were loaded, but not found again");
	} else if (others) {
		cli_warn("%zu rule%s of others %s staged again, with new handles and counters from 0",
			 others, others == 1 ? "" : "s", others == 1 ? "was" : "were");
	}
	transaction_free(&t);
	return end;
}

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

static bool delete_rule(struct kernel *kernel, uint64_t handle, struct kernel_error *kerr)
{
	struct messages request = { 0 };
	bool good;

	kernel_init_request(kernel, &request, CAN_GW_CMD_RULE_DEL, NLM_F_ACK);
	message_put_uint(&request, CAN_GW_A_RULE_HANDLE, handle);
	good = kernel_request(kernel, &request, ignore_reply, NULL, kerr);
	message_free(&request);
	return good || kerr->error == ENOENT;
}

/* Add rule number @i of the file. */
static bool add_rule(struct attempts *a, size_t i)
{
	const struct wanted_rule *wanted = &a->apply->wanted[i];
	struct kernel_error kerr = { .cangw = wanted->cangw };
	struct active_rule added = {
		.source_index = wanted->source_index,
		.destination_index = wanted->destination_index,
		.text = wanted->text,
	};
	struct messages request = { 0 };
	bool good = false;

	kernel_init_request(&a->kernel, &request, CAN_GW_CMD_RULE_ADD, NLM_F_ACK);
	put_wanted(a, &request, i);
	if (!a->message_count) {
		good = kernel_request(&a->kernel, &request, read_handle, &added.handle, &kerr);
		if (!good)
			add_message(a, "%s:%u: %s", a->apply->name, wanted->line, kerr.text);
	}
	message_free(&request);
	if (good)
		state_add(&a->apply->after, &added);
	return good;
}

/* Remove the rules that were added, the first of which is number @begin. */
static void undo_adds(struct attempts *a, size_t begin)
{
	struct state *after = &a->apply->after;

	for (size_t i = begin; i < after->count; i++) {
		struct kernel_error kerr = { 0 };

		if (!delete_rule(&a->kernel, after->rules[i].handle, &kerr))
			cli_warn("rule %" PRIu64 " could not be removed again: %s",
				 after->rules[i].handle, kerr.text);
	}
}

static enum attempt add_rules(struct attempts *a)
{
	struct apply *apply = a->apply;
	size_t begin;

	for (size_t i = 0; i < apply->count; i++)
		if (apply->wanted[i].loaded)
			state_add(&apply->after, &a->active[apply->wanted[i].active]);
	begin = apply->after.count;
	for (size_t i = 0; i < apply->count; i++) {
		if (apply->wanted[i].loaded || wanted_rule_skipped(&apply->wanted[i]))
			continue;
		if (add_rule(a, i))
			continue;
		undo_adds(a, begin);
		return ATTEMPT_REJECTED;
	}
	return ATTEMPT_GOOD;
}

static enum attempt try_once(struct attempts *a)
{
	struct apply *apply = a->apply;
	enum attempt end = ATTEMPT_REJECTED;

	clear_messages(a);
	state_free(&apply->after);
	apply_find_interfaces(apply);
	if (!read_active(a, &apply->before))
		return ATTEMPT_REJECTED;
	switch (apply_plan(apply->wanted, apply->count, a->active, a->active_count)) {
	case PLAN_KEEP:
	case PLAN_ADD:
		end = add_rules(a);
		break;
	case PLAN_REPLACE:
		end = replace_rules(a);
		break;
	}
	if (end == ATTEMPT_REJECTED && apply_find_interfaces(apply))
		end = ATTEMPT_CHANGED;
	return end;
}

bool apply_family(struct apply *apply)
{
	static struct attempts a;
	enum attempt end = ATTEMPT_CHANGED;

	a.apply = apply;
	a.loading = calloc(apply->count + 1, sizeof(*a.loading));
	if (!a.loading)
		cli_fail("no memory for rules");
	kernel_open(&a.kernel);
	for (int i = 0; i < ATTEMPTS && end == ATTEMPT_CHANGED; i++)
		end = try_once(&a);
	if (end != ATTEMPT_GOOD)
		print_messages(&a);
	if (end == ATTEMPT_CHANGED)
		cli_warn("%s: rules or interfaces changed during each of %d attempts",
			 apply->name, ATTEMPTS);
	clear_messages(&a);
	free_active(&a);
	free(a.loading);
	kernel_close(&a.kernel);
	return end == ATTEMPT_GOOD;
}

bool unapply_family(struct state *state, size_t *count)
{
	static struct attempts a;
	bool good;

	kernel_open(&a.kernel);
	good = read_active(&a, state);
	for (size_t i = 0; i < a.active_count; i++) {
		struct kernel_error kerr = { 0 };

		if (!a.active[i].ours)
			continue;
		if (delete_rule(&a.kernel, a.active[i].handle, &kerr)) {
			++*count;
			continue;
		}
		cli_warn("rule %" PRIu64 ": %s", a.active[i].handle, kerr.text);
		good = false;
	}
	free_active(&a);
	kernel_close(&a.kernel);
	return good;
}
