/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The gateway of a network namespace: a table of rules, and a port for each
 * source device.
 *
 * A port is the receive hook (rx_hook.h) of a source device and points to the
 * rules of the device. A whole table can be staged while another one is active:
 * each port has two source pointers, and one index selects the pointer of all
 * ports. Each frame is routed either by the old table or by the new one,
 * whichever device receives it.
 *
 * Contexts: cgw_port_source() and the receive hook run in softirq context, on
 * any number of CPUs, under rcu_read_lock(). All other functions are for
 * writers: process context, under rtnl_lock(), may sleep.
 */
#ifndef _NET_CAN_GW_NET_H
#define _NET_CAN_GW_NET_H

#include <linux/rtnetlink.h>

#include "gw_table.h"
#include "rx_hook.h"

struct ctl_table_header;
struct net;

/**
 * struct cgw_net - gateway of a network namespace
 * @net: namespace
 * @receive: receive hook of each port
 * @owner: of the filter indexes of all sources, which are resized under
 *	rtnl_lock()
 * @ports: struct cgw_port, hashed by device
 * @table: active table
 * @active_idx: index of the active source pointer of each port
 * @switch_gp: RCU grace-period cookie of the last change of @active_idx
 * @accounted: number of rules in /proc/net/can/stats
 * @handles: last handle assigned
 * @generation: incremented with each change of the rules, skips 0
 * @limit: maximum number of rules (net.can.gw_max_rules); written by sysctl
 *	without rtnl_lock()
 * @transactions: staged tables, struct cgw_transaction
 * @refused: why the last request for express rules was refused
 * @express: there has been an express rule
 * @sysctl: table header of net.can.gw_max_rules
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
	struct cgw_express_refused refused;
	bool express;
	struct ctl_table_header *sysctl;
};

/**
 * struct cgw_port - receive hook of a source device
 * @hook: registered at @dev
 * @gn: gateway
 * @dev: source device
 * @source: rules of the device, selected by cgw_net.active_idx; the other
 *	pointer is only used by cgw_net_exchange()
 * @express: what interrupts of the driver of @dev know; for writers
 * @hash_node: in cgw_net.ports
 * @rcu: frees the port
 */
struct cgw_port {
	struct can_rx_hook hook;
	struct cgw_net *gn;
	struct net_device *dev;
	struct cgw_source __rcu *source[2];
	struct cgw_express_port express;
	struct hlist_node hash_node;
	struct rcu_head rcu;
};

/* Default of net.can.gw_max_rules */
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

#if IS_ENABLED(CONFIG_KUNIT)
struct cgw_port *cgw_port_find(struct cgw_net *gn, const struct net_device *dev);
#endif

/**
 * cgw_port_source() - get the rules of the device that received a frame
 * @hook: hook of the port
 *
 * Context: BHs disabled, under rcu_read_lock().
 * Return: the rules, or NULL if the active table has none for the device.
 */
static inline struct cgw_source *cgw_port_source(struct can_rx_hook *hook)
{
	struct cgw_port *port = container_of(hook, struct cgw_port, hook);

	/* Pairs with smp_store_release() in cgw_net_exchange(): the sources are
	 * read after the index. An address dependency is not enough: the
	 * compiler may turn the index of a two-element array into a branch.
	 */
	return rcu_dereference(port->source[smp_load_acquire(&port->gn->active_idx)]);
}

/**
 * cgw_net_table() - get the active table
 * @gn: gateway
 *
 * Context: Process context, under rtnl_lock(); or under rcu_read_lock() to walk
 *	the rules.
 * Return: the table.
 */
static inline struct cgw_table *cgw_net_table(struct cgw_net *gn)
{
	return rcu_dereference_check(gn->table, lockdep_rtnl_is_held());
}

/* The generation after the next change. Context: under rtnl_lock(). */
static inline u32 cgw_net_next_generation(const struct cgw_net *gn)
{
	return gn->generation + 1 ?: 1;
}

/* Is the limit reached with @count rules? Context: under rtnl_lock(). */
static inline bool cgw_net_full(const struct cgw_net *gn, unsigned int count)
{
	return count >= READ_ONCE(gn->limit);
}

#endif /* !_NET_CAN_GW_NET_H */
