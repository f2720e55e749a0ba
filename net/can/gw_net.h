/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The gateway of a network namespace: its table of rules, and the ports by which frames
 * come to it.
 *
 * Each source device of rules has a port, which is its receive hook (rx_hook.h) and points
 * to the rules of the device. A whole table of rules can be prepared beside the one in
 * use: each port then has a second pointer, and one index selects the pointer of all
 * ports. So every frame is routed by the rules before or by the rules after, on
 * whatever device it arrives.
 *
 * Contexts: cgw_port_source() and the receive function run in softirq context, on any
 * number of CPUs, under rcu_read_lock(). Everything else is for writers: process
 * context, under rtnl_lock(), may sleep.
 */
#ifndef _NET_CAN_GW_NET_H
#define _NET_CAN_GW_NET_H

#include <linux/rtnetlink.h>

#include "gw_table.h"
#include "rx_hook.h"

struct ctl_table_header;
struct net;

/**
 * struct cgw_net - the gateway of a network namespace
 * @net: the namespace
 * @receive: of each port
 * @owner: of the filter indexes of all sources; they are resized under rtnl_lock()
 * @ports: struct cgw_port, by device
 * @table: the rules
 * @active_idx: which of the pointers of each port is used
 * @switch_gp: RCU state when @active_idx changed
 * @accounted: number of rules in /proc/net/can/stats
 * @handles: the last one that a rule got
 * @generation: changes with each change of the rules, and is never 0
 * @limit: maximum number of rules
 * @transactions: tables being prepared, struct cgw_transaction
 * @sysctl: of @limit
 */
struct cgw_net {
	struct net *net;
	enum can_rx_hook_result (*receive)(struct can_rx_hook *hook,
					   struct sk_buff *skb);
	struct can_rcv_owner owner;
	struct can_rcv_hash ports;
	struct cgw_table __rcu *table;
	unsigned int active_idx;
	unsigned long switch_gp;
	unsigned int accounted;
	u64 handles;
	u32 generation;
	unsigned int limit;
	struct list_head transactions;
	struct ctl_table_header *sysctl;
};

/**
 * struct cgw_port - where the frames of a device enter the gateway
 * @hook: of @dev
 * @gn: the gateway
 * @dev: the device
 * @source: its rules, at cgw_net.active_idx; the other pointer is only used while all
 *	ports switch to another table
 * @hash_node: in cgw_net.ports
 * @rcu: frees it
 */
struct cgw_port {
	struct can_rx_hook hook;
	struct cgw_net *gn;
	struct net_device *dev;
	struct cgw_source __rcu *source[2];
	struct hlist_node hash_node;
	struct rcu_head rcu;
};

/* Maximum number of rules of a namespace if nobody sets another one */
#define CGW_NET_LIMIT 262144

struct cgw_net *cgw_net(struct net *net);

int cgw_net_init(struct cgw_net *gn, struct net *net,
		 void (*route)(struct sk_buff *skb, void *rule),
		 enum can_rx_hook_result (*receive)(struct can_rx_hook *hook,
						    struct sk_buff *skb));
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
void cgw_net_dev_unregister(struct cgw_net *gn, const struct net_device *dev,
			    void (*removed)(const struct cgw_rule *rule, void *arg),
			    void *arg);

/**
 * cgw_port_source() - the rules by which the frames of a device are routed
 * @hook: of the port of the device
 *
 * Context: under rcu_read_lock().
 * Return: the rules, or NULL if the table in use has none for the device.
 */
static inline struct cgw_source *cgw_port_source(struct can_rx_hook *hook)
{
	struct cgw_port *port = container_of(hook, struct cgw_port, hook);

	/* Pairs with smp_store_release() in cgw_net_exchange(): the sources of this
	 * index have been written. The index of an array with two elements does not
	 * order the reads: a compiler may turn it into a branch.
	 */
	return rcu_dereference(port->source[smp_load_acquire(&port->gn->active_idx)]);
}

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
 * cgw_net_full() - is the limit of rules reached?
 * @gn: the gateway
 * @count: number of rules
 *
 * Context: Process context, under rtnl_lock().
 * Return: true if no rule may be added.
 */
static inline bool cgw_net_full(const struct cgw_net *gn, unsigned int count)
{
	return count >= READ_ONCE(gn->limit);
}

#endif /* !_NET_CAN_GW_NET_H */
