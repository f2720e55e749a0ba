/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Convert rules to rtnetlink messages of the gateway (struct rtcanmsg) and back.
 */
#ifndef CANROUTE_STOCK_MESSAGE_H
#define CANROUTE_STOCK_MESSAGE_H

#include <linux/netlink.h>

#include "rule.h"

struct nl_msg;

/* stock_put() - a message of @type for a rule that stock_check() accepts, for nlmsg_free(). */
struct nl_msg *stock_put(const struct rule *rule, int type);

/* stock_put_flush() - the request to remove all rules. */
struct nl_msg *stock_put_flush(void);

/*
 * stock_copy() - a message of @type for the rule in @nlh, a message of a dump. It has the fields
 * that no operation uses, which the kernel compares, too, to find the rule to delete.
 */
struct nl_msg *stock_copy(const struct nlmsghdr *nlh, int type);

/*
 * stock_get() - parse a message of a dump. False: it is not a rule; without the module, the
 * kernel sends the routes of all other protocols.
 */
bool stock_get(struct rule *rule, const struct nlmsghdr *nlh);

#endif
