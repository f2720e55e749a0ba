/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules into messages, and messages into rules.
 */
#ifndef CANROUTE_RULE_MESSAGE_H
#define CANROUTE_RULE_MESSAGE_H

#include <stdbool.h>

#include "message.h"
#include "rule.h"

/*
 * rule_put() - the attributes of @rule, with its handle if it has one. NULL, or the
 * name of an interface that is not there; the message is of no use then.
 */
const char *rule_put(struct messages *m, const struct rule *rule);

/* rule_get() - what @nlh says of a rule; false if it is not what a rule looks like. */
bool rule_get(struct rule *rule, const struct nlmsghdr *nlh);

/* rule_get_handle() - of an answer or a rule; 0 if there is none. */
uint64_t rule_get_handle(const struct nlmsghdr *nlh);

/**
 * struct removal - news of rules that are gone
 * @handles, @count: which; to be freed
 * @reason: enum can_gw_reason
 */
struct removal {
	uint64_t *handles;
	size_t count;
	uint32_t reason;
	uint32_t generation;
};

void removal_get(struct removal *removal, const struct nlmsghdr *nlh);

/* struct rule_table - all rules together; @source is 0 if it is not about one interface */
struct rule_table {
	uint32_t source;
	uint32_t rules, limit, generation;
};

bool rule_table_get(struct rule_table *table, const struct nlmsghdr *nlh);

#endif
