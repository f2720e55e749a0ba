/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * A table of gateway rules: which rules there are, and who finds them.
 *
 * A frame finds the rules of its device in a filter index (rcvlist.h), as it finds
 * sockets: at the same cost however many there are, and in the order that is
 * promised there. Whoever adds or removes a rule finds it by what identifies it, in
 * a hash table, at the same cost however many there are, or by its handle. A list of
 * all rules, the youngest first, is for those who look at them.
 *
 * Contexts: cgw_source_deliver() and those who walk cgw_table.rules are readers, run in softirq or process context under
 * rcu_read_lock(), on any number of CPUs. Everything else is for writers: process
 * context, under rtnl_lock(), may sleep. What writers take away is freed
 * after an RCU grace period, in softirq or by a workqueue.
 */
#ifndef _NET_CAN_GW_TABLE_H
#define _NET_CAN_GW_TABLE_H

#include <linux/can.h>
#include <linux/can/rcvlist.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "gw_mod.h"
#include "gw_stats.h"
#include "rcvlist.h"

struct net_device;
struct sk_buff;

/**
 * struct cgw_key - what a rule is, without its modification
 * @filter: of the frames that it routes, as it was given
 * @src_idx: interface that frames come from
 * @dst_idx: interface that they are sent to
 * @flags: CGW_FLAGS_ECHO and others
 * @limit_hops: lower limit for frames that begin with this rule, or 0
 * @frames: enum cgw_frames
 *
 * Keys are compared byte by byte: there are no others.
 */
struct cgw_key {
	struct can_filter filter;
	u32 src_idx;
	u32 dst_idx;
	u16 flags;
	u8 limit_hops;
	u8 frames;
};

/**
 * struct cgw_rule - a rule
 * @dst: of @key; for readers, and for writers as long as the rule is in a table. It
 *	may be gone when the rule is freed
 * @mod: what it does to a frame, NULL for nothing. Replaced by one pointer
 * @stats: counters
 * @block: that they are in
 * @key: does not change
 * @hash: of @key and @mod, or of the name of @mod, which stays when @mod is replaced
 * @handle: stays when the rule is replaced by another one; rises in cgw_table.rules
 *	from the last one to the first
 * @base: to be subtracted from the counters, or NULL
 * @name: for people, or NULL; belongs to the rule
 * @src: of @key, as long as @dst
 * @source: rules of the same source
 * @table_node: in cgw_table.rules
 * @key_node: in cgw_table.keys
 * @handle_node: in cgw_table.handles
 * @source_node: in cgw_source.rules
 * @replaced: another one has its counters now
 * @rcu: frees it
 */
struct cgw_rule {
	struct net_device *dst;
	struct cgw_mod __rcu *mod;
	struct cgw_stats __percpu *stats;
	struct cgw_stats_block *block;
	struct cgw_key key;
	u32 hash;
	u64 handle;
	struct cgw_stats_base *base;
	const char *name;
	struct net_device *src;
	struct cgw_source *source;
	struct hlist_node table_node;
	struct hlist_node key_node;
	struct hlist_node handle_node;
	struct hlist_node source_node;
	bool replaced;
	struct rcu_head rcu;
};

/**
 * struct cgw_source - the rules of one source device
 * @index: finds them for a frame
 * @route: of the table
 * @dev: the device
 * @rules: all of them
 * @count: number of rules
 * @hash_node: in cgw_table.sources
 * @list: in cgw_table.source_list
 * @retire: frees it, and the rules that it has
 */
struct cgw_source {
	struct can_rcvlist index;
	void (*route)(struct sk_buff *skb, void *rule);
	struct net_device *dev;
	struct hlist_head rules;
	unsigned int count;
	struct hlist_node hash_node;
	struct hlist_node list;
	struct rcu_work retire;
};

/**
 * struct cgw_table - rules
 * @route: is called for each rule that matches a frame, with the rule as data
 * @owner: of the filter indexes of its sources, or NULL
 * @rules: all of them, the youngest first; also for readers
 * @keys: all of them, by cgw_rule.hash; the youngest first
 * @handles: all of them, by cgw_rule.handle
 * @sources: struct cgw_source, by device
 * @source_list: all of them
 * @count: number of rules
 * @xl: number of rules for CAN XL frames
 * @rcu: frees it
 *
 * Apart from @route and @owner, all zero is an empty table.
 */
struct cgw_table {
	void (*route)(struct sk_buff *skb, void *rule);
	struct can_rcv_owner *owner;
	struct hlist_head rules;
	struct can_rcv_hash keys;
	struct can_rcv_hash handles;
	struct can_rcv_hash sources;
	struct hlist_head source_list;
	unsigned int count;
	unsigned int xl;
	struct rcu_head rcu;
};

struct cgw_rule *cgw_rule_alloc(const struct cgw_key *key, struct cgw_mod *mod,
				struct net_device *src, struct net_device *dst);
void cgw_rule_free(struct cgw_rule *rule);
void cgw_rule_transfer_state(struct cgw_rule *new, struct cgw_rule *rule);
void cgw_rule_change(struct cgw_rule *rule, struct cgw_mod *mod);
void cgw_rule_stats(const struct cgw_rule *rule, u64 sum[CGW_EV_COUNT]);
int cgw_rule_reset(struct cgw_rule *rule, const u64 sum[CGW_EV_COUNT]);

struct cgw_table *cgw_table_alloc(void (*route)(struct sk_buff *skb, void *rule),
				  struct can_rcv_owner *owner);
void cgw_table_free(struct cgw_table *table);
int cgw_table_add(struct cgw_table *table, struct cgw_rule *rule);
void cgw_table_del(struct cgw_table *table, struct cgw_rule *rule);
void cgw_table_replace(struct cgw_table *table, struct cgw_rule *rule,
		       struct cgw_rule *new);
struct cgw_source *cgw_source_refilter(struct cgw_table *table,
				       struct cgw_rule *rule,
				       struct cgw_rule *new);
void cgw_source_discard(struct cgw_source *source);
void cgw_table_refilter(struct cgw_table *table, struct cgw_rule *rule,
			struct cgw_rule *new, struct cgw_source *source);
void cgw_table_move(struct cgw_table *to, struct cgw_table *from,
		    struct cgw_source *source, u64 handle);
struct cgw_rule *cgw_table_find(struct cgw_table *table,
				const struct cgw_key *key,
				const struct cgw_mod *mod);
struct cgw_rule *cgw_table_find_uid(struct cgw_table *table, u32 uid);
struct cgw_rule *cgw_table_find_handle(struct cgw_table *table, u64 handle);
struct cgw_rule *cgw_table_next(struct cgw_table *table, u64 handle);
struct cgw_source *cgw_table_source(struct cgw_table *table,
				    const struct net_device *dev);
void cgw_table_drop(struct cgw_table *table, struct cgw_source *source);
void cgw_table_clear(struct cgw_table *table);

int cgw_table_init(void);
void cgw_table_exit(void);

/**
 * cgw_rule_next() - the next older rule
 * @rule: in a table
 *
 * Context: process, as a writer.
 * Return: the rule, or NULL behind the last one.
 */
static inline struct cgw_rule *cgw_rule_next(const struct cgw_rule *rule)
{
	return hlist_entry_safe(rule->table_node.next, struct cgw_rule, table_node);
}

/**
 * cgw_rule_mod() - what a rule does to frames, for writers
 * @rule: in a table, or not yet
 *
 * Context: process, as a writer.
 * Return: the modification, NULL without one.
 */
static inline struct cgw_mod *cgw_rule_mod(const struct cgw_rule *rule)
{
	return rcu_dereference_protected(rule->mod, lockdep_rtnl_is_held());
}

static inline bool cgw_source_empty(const struct cgw_source *source)
{
	return !source->count;
}

/**
 * cgw_source_count() - number of rules of a source
 * @source: of a table, or NULL
 *
 * Context: Process context, under rtnl_lock().
 * Return: number of rules.
 */
static inline unsigned int cgw_source_count(const struct cgw_source *source)
{
	return source ? source->count : 0;
}

/**
 * cgw_source_deliver() - call cgw_table.route for the rules that match a frame
 * @source: as read under rcu_read_lock(), which is still held
 * @skb: a CAN, CAN FD or CAN XL frame, which stays the caller's
 *
 * Context: BHs disabled.
 * Return: number of calls.
 */
static inline int cgw_source_deliver(struct cgw_source *source,
				     struct sk_buff *skb)
{
	return can_rcvlist_deliver(&source->index, skb);
}

#endif /* !_NET_CAN_GW_TABLE_H */
