/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * A table of gateway rules.
 *
 * A frame finds the rules of its source device through a filter index
 * (rcvlist.h), which also defines their order. Writers find rules in two hash
 * tables: by their contents and by their handle. A list of all rules, the
 * newest first, serves dumps.
 *
 * Contexts: readers call cgw_source_deliver() or walk cgw_table.rules, in
 * softirq or process context, under rcu_read_lock(), on any number of CPUs. All
 * other functions are for writers: process context, under rtnl_lock(), may
 * sleep. Rules, sources and tables that writers remove are freed after an RCU
 * grace period, by an RCU callback or by a workqueue.
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

#include "gw_express.h"
#include "gw_mod.h"
#include "gw_stats.h"
#include "rcvlist.h"

struct net_device;
struct sk_buff;

/**
 * struct cgw_key - contents of a rule without its modification
 * @filter: filter, as requested
 * @src_idx: ifindex of the source
 * @dst_idx: ifindex of the destination
 * @flags: CGW_FLAGS_CAN_ECHO etc.
 * @limit_hops: hop limit of frames for which this rule is the first hop, or 0
 * @frames: enum cgw_frames
 *
 * Keys are compared by memcmp(): there is no padding.
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
 * @dst: destination; valid for readers, and for writers while the rule is in a
 *	table. The device may be gone when the rule is freed
 * @mod: modification, NULL for none; replaced by RCU
 * @stats: counters
 * @key: immutable
 * @was_express: it is or was an express rule, or the rule that it has followed was
 * @block: block of @stats, for cgw_stats_free()
 * @hash: hash of @key and @mod, or of the uid of @mod, which does not change
 * @handle: unique; kept when the rule is replaced; descends along
 *	cgw_table.rules
 * @base: subtracted from the counters, or NULL
 * @name: allocated name or NULL
 * @src: source, valid as long as @dst
 * @source: rules of the same source
 * @table_node: in cgw_table.rules
 * @key_node: in cgw_table.keys
 * @handle_node: in cgw_table.handles
 * @source_node: in cgw_source.rules
 * @replaced: another rule has taken over @stats and @base
 * @express: whether interrupts route by it, and their counters
 * @rcu: frees the rule
 */
struct cgw_rule {
	struct net_device *dst;
	struct cgw_mod __rcu *mod;
	struct cgw_stats __percpu *stats;
	struct cgw_key key;
	bool was_express;
	struct cgw_stats_block *block;
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
	struct cgw_express express;
	struct rcu_head rcu;
};

/**
 * struct cgw_source - the rules of a source device
 * @index: finds the rules for a frame
 * @route: from the table
 * @dev: source device
 * @rules: all rules, the newest first
 * @count: number of rules
 * @hash_node: in cgw_table.sources
 * @list: in cgw_table.source_list
 * @retire: frees the source and its rules
 * @express: its express rules, between cgw_express_make() and cgw_express_attach() for a
 *	staged table; otherwise NULL
 * @follow: which of the rules before go on, at the same time; otherwise NULL
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
	struct cgw_express_table *express;
	struct cgw_follow *follow;
};

/**
 * struct cgw_table - a table of rules
 * @route: called for each rule that matches a frame, with the rule as data
 * @owner: owner of the filter indexes of the sources, or NULL
 * @rules: all rules, the newest first; also walked by readers
 * @keys: all rules, hashed by cgw_rule.hash; the newest of a bucket first
 * @handles: all rules, hashed by handle
 * @sources: struct cgw_source, hashed by device
 * @source_list: all sources
 * @count: number of rules
 * @xl: number of rules for CAN XL frames
 * @rcu: frees the table
 *
 * A zeroed table with @route and @owner is an empty table.
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
int cgw_rule_reset_stats(struct cgw_rule *rule, const u64 sum[CGW_EV_COUNT]);

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
struct cgw_rule *cgw_source_oldest(const struct cgw_source *source);
struct cgw_rule *cgw_source_newer(const struct cgw_source *source,
				  const struct cgw_rule *rule);
struct cgw_source *cgw_table_source(struct cgw_table *table,
				    const struct net_device *dev);
void cgw_table_drop(struct cgw_table *table, struct cgw_source *source);
void cgw_table_clear(struct cgw_table *table);

void cgw_retire(struct rcu_work *work);

int cgw_table_init(void);
void cgw_table_exit(void);

/* The next older rule or NULL. Context: Process context, under rtnl_lock(). */
static inline struct cgw_rule *cgw_rule_next(const struct cgw_rule *rule)
{
	return hlist_entry_safe(rule->table_node.next, struct cgw_rule,
				table_node);
}

/* For writers. Context: Process context, under rtnl_lock(). */
static inline struct cgw_mod *cgw_rule_mod(const struct cgw_rule *rule)
{
	return rcu_dereference_protected(rule->mod, lockdep_rtnl_is_held());
}

/**
 * cgw_express_had() - has an interrupt routed a frame by a rule?
 * @rule: that matches the frame
 * @skb: the frame
 *
 * Context: softirq, under rcu_read_lock().
 * Return: true if the rule must not route it again.
 */
static inline bool cgw_express_had(const struct cgw_rule *rule,
				   const struct sk_buff *skb)
{
	return unlikely(READ_ONCE(rule->was_express)) &&
	       __cgw_express_had(&rule->express, skb);
}

static inline bool cgw_source_empty(const struct cgw_source *source)
{
	return !source->count;
}

/* Number of rules; 0 for NULL. Context: under rtnl_lock(). */
static inline unsigned int cgw_source_count(const struct cgw_source *source)
{
	return source ? source->count : 0;
}

/**
 * cgw_source_deliver() - call cgw_table.route for each matching rule
 * @source: from cgw_port_source()
 * @skb: CAN, CAN FD or CAN XL frame, still owned by the caller
 *
 * Context: BHs disabled, under rcu_read_lock().
 * Return: number of calls.
 */
static inline int cgw_source_deliver(struct cgw_source *source,
				     struct sk_buff *skb)
{
	return can_rcvlist_deliver(&source->index, skb);
}

#endif /* !_NET_CAN_GW_TABLE_H */
