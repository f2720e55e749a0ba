/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Read rules from the kernel.
 */
#ifndef CANROUTE_FETCH_H
#define CANROUTE_FETCH_H

#include "kernel.h"
#include "options.h"
#include "rule.h"

/**
 * struct fetched - rules as the kernel sent them
 * @stock: they are messages of the stock gateway; see stock-message.h
 * @messages: the replies
 * @offset, @count, @room: offset of each rule in @messages, the newest rule first
 */
struct fetched {
	bool stock;
	struct messages messages;
	size_t *offset;
	size_t count, room;
};

/*
 * fetch_rules() - read the rules that are selected by --source, --destination, --frames and
 * --name, or by the handles in the arguments. With --reset, the kernel sets their counters
 * to 0. A dump during which rules change is repeated. False: the kernel rejected the
 * request, and a message was printed.
 */
bool fetch_rules(struct kernel *kernel, const struct options *options, struct fetched *fetched);

/* fetched_index() - find the rules in @messages. */
void fetched_index(struct fetched *fetched);

/* fetched_message() - the message of rule number @i. */
const struct nlmsghdr *fetched_message(const struct fetched *fetched, size_t i);

/* fetched_rule() - convert rule number @i to @rule. */
void fetched_rule(const struct fetched *fetched, size_t i, struct rule *rule);

void fetched_free(struct fetched *fetched);

/* fetch_handle() - parse a handle; exits with CLI_USAGE if it is invalid. */
uint64_t fetch_handle(const char *text);

/*
 * fetch_check() - exit with CLI_USAGE if an argument is not a handle or --frames is invalid.
 * Needs no kernel.
 */
void fetch_check(const struct options *options);

/* fetch_index() - index of interface @name, 0 for NULL; exits if it does not exist. */
uint32_t fetch_index(const char *name);

#endif
