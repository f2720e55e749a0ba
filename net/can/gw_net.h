/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The gateway of a network namespace: its table of rules, and the receivers by
 * which frames come to it.
 *
 * Each device that rules have as source has one receiver in af_can for data and remote
 * frames, and one for error message frames, as long as there are rules for these. Both
 * lead to the rules of the device by one pointer. A whole table of rules can be made
 * ready beside the one in use. Then each device gets a second pointer, and one number
 * says for all of them which one counts: every frame is routed by the rules before or by
 * the rules after, on whatever device it arrives.
 *
 * Contexts: receivers run in softirq, on any number of CPUs, under rcu_read_lock().
 * Everything else is for writers: process context, under rtnl_lock(), may sleep.
 */
#ifndef _NET_CAN_GW_NET_H
#define _NET_CAN_GW_NET_H

#include <linux/rtnetlink.h>

#include "gw_table.h"

struct ctl_table_header;
struct net;

/**
 * struct cgw_net - the gateway of a network namespace
 * @net: the namespace
 * @owner: of the filter indexes of all sources; they are resized under rtnl_lock()
 * @taps: struct cgw_tap, by device
 * @table: the rules
 * @side: which of the pointers of each device counts
 * @turned: RCU state when @side changed
 * @handles: the last one that a rule got
 * @generation: changes with each change of the rules, and is never 0
 * @limit: how many rules there may be
 * @transactions: tables in the making, struct cgw_transaction
 * @sysctl: of @limit
 */
struct cgw_net {
	struct net *net;
	struct can_rcv_owner owner;
	struct can_rcv_hash taps;
	struct cgw_table __rcu *table;
	unsigned int side;
	unsigned long turned;
	u64 handles;
	u32 generation;
	unsigned int limit;
	struct list_head transactions;
	struct ctl_table_header *sysctl;
};

/* As many rules as a namespace may have if nobody says otherwise. */
#define CGW_NET_LIMIT 262144

struct cgw_net *cgw_net(struct net *net);

int cgw_net_init(struct cgw_net *gn, struct net *net,
		 void (*route)(struct sk_buff *skb, void *rule));
void cgw_net_free(struct cgw_net *gn);
void cgw_net_exit(struct cgw_net *gn);
void cgw_net_release(struct cgw_net *gn);
int cgw_net_add(struct cgw_net *gn, struct cgw_rule *rule);
void cgw_net_del(struct cgw_net *gn, struct cgw_rule *rule);
int cgw_net_replace(struct cgw_net *gn, struct cgw_rule *rule,
		    struct cgw_rule *new);
void cgw_net_change(struct cgw_net *gn, struct cgw_rule *rule,
		    struct cgw_mod *mod);
void cgw_net_flush(struct cgw_net *gn);
int cgw_net_exchange(struct cgw_net *gn, struct cgw_table *new);
int cgw_net_exchange_source(struct cgw_net *gn, struct cgw_table *new,
			    const struct net_device *dev);
void cgw_net_device_gone(struct cgw_net *gn, const struct net_device *dev,
			 void (*gone)(const struct cgw_rule *rule, void *arg),
			 void *arg);

/**
 * cgw_net_table() - the rules by which frames are routed
 * @gn: the gateway
 *
 * Context: as a writer; or under rcu_read_lock(), to walk its rules.
 * Return: the table.
 */
static inline struct cgw_table *cgw_net_table(struct cgw_net *gn)
{
	return rcu_dereference_check(gn->table, lockdep_rtnl_is_held());
}

/**
 * cgw_net_next_generation() - what the generation will be after one more change
 * @gn: the gateway
 *
 * Context: as a writer.
 * Return: the number.
 */
static inline u32 cgw_net_next_generation(const struct cgw_net *gn)
{
	return gn->generation + 1 ?: 1;
}

/**
 * cgw_net_full() - may there be no more rules?
 * @gn: the gateway
 * @count: how many there are
 *
 * Context: as a writer.
 * Return: true if there may not.
 */
static inline bool cgw_net_full(const struct cgw_net *gn, unsigned int count)
{
	return count >= READ_ONCE(gn->limit);
}

#endif /* !_NET_CAN_GW_NET_H */
