/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Convert rules to netlink messages and back.
 */
#ifndef CANROUTE_RULE_MESSAGE_H
#define CANROUTE_RULE_MESSAGE_H

#include <stdbool.h>

#include "message.h"
#include "rule.h"

/*
 * rule_put() - append the attributes of @rule, with its handle if it has one. Returns NULL, or
 * the name of an interface that does not exist; the message is then incomplete.
 */
const char *rule_put(struct messages *m, const struct rule *rule);

/* rule_get() - parse a rule. False: @nlh is not a valid rule. */
bool rule_get(struct rule *rule, const struct nlmsghdr *nlh);

/* rule_get_handle() - the handle in a message, 0 if there is none. */
uint64_t rule_get_handle(const struct nlmsghdr *nlh);

/**
 * struct removal - notification of removed rules
 * @handles, @count: of the removed rules; the caller frees @handles
 * @reason: enum can_gw_reason
 */
struct removal {
	uint64_t *handles;
	size_t count;
	uint32_t reason;
	uint32_t generation;
};

void removal_get(struct removal *removal, const struct nlmsghdr *nlh);

/* struct rule_table - state of the table; @source is 0 unless it is for one interface */
struct rule_table {
	uint32_t source;
	uint32_t rules, limit, generation;
};

bool rule_table_get(struct rule_table *table, const struct nlmsghdr *nlh);

#endif
