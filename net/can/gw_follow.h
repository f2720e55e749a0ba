/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Which rule of a table goes on as one of the table that replaces it. This matters for
 * express rules: a frame may wait for softirqs while the tables are exchanged, and the new
 * table can recognise the rule by which an interrupt has routed it only by its contents.
 *
 * A rule has at most one follower, which has the same destination and filter. These rules
 * are paired first if they have all contents (or the uid) in common and are both express
 * rules, or both ordinary ones; then if they have all contents in common; then if they are of
 * the same kind; then all others. Among equals, the older one follows the older one.
 *
 * Contexts: process context, under rtnl_lock(), may sleep.
 */
#ifndef _NET_CAN_GW_FOLLOW_H
#define _NET_CAN_GW_FOLLOW_H

#include <linux/can/can-ml.h>
#include <linux/stddef.h>

struct cgw_rule;
struct cgw_source;

/**
 * struct cgw_follow - pairs of an old rule and a new one
 * @count: number of pairs
 * @pair: the pairs, in no order
 */
struct cgw_follow {
	unsigned int count;
	struct {
		struct cgw_rule *old;
		struct cgw_rule *new;
	} pair[];
};

#ifdef CAN_GW_EXPRESS

int cgw_follow_make(const struct cgw_source *old, const struct cgw_source *new,
		    struct cgw_follow **follow);
void cgw_follow_free(struct cgw_follow *follow);

#else /* CAN_GW_EXPRESS */

static inline int cgw_follow_make(const struct cgw_source *old,
				  const struct cgw_source *new,
				  struct cgw_follow **follow)
{
	*follow = NULL;
	return 0;
}

static inline void cgw_follow_free(struct cgw_follow *follow)
{
}

#endif /* CAN_GW_EXPRESS */

#endif /* !_NET_CAN_GW_FOLLOW_H */
