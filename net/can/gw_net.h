/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gateway of a network namespace: its table of rules, and the receivers by
 * which frames come to it.
 *
 * Each device that rules have as source has one receiver in af_can for data and remote
 * frames, and one for error message frames, as long as there are rules for these. Both
 * lead to the rules of the device by one pointer. There are two tables, of which one is
 * in use: another set of rules can be made ready in the spare one, and then each device
 * turns to it by that pointer. Every frame is routed by the rules before or by the rules
 * after.
 *
 * Contexts: receivers run in softirq, on any number of CPUs, under rcu_read_lock().
 * Everything else is for writers: process context, under rtnl_lock(), may sleep.
 */
#ifndef _NET_CAN_GW_NET_H
#define _NET_CAN_GW_NET_H

#include "gw_table.h"

struct net;

/**
 * struct cgw_net - the gateway of a network namespace
 * @net: the namespace
 * @taps: struct cgw_tap, by device
 * @tables: the one in use and the spare one
 * @live: number of the one in use
 */
struct cgw_net {
	struct net *net;
	struct can_rcv_hash taps;
	struct cgw_table tables[2];
	unsigned int live;
};

struct cgw_net *cgw_net(struct net *net);

void cgw_net_init(struct cgw_net *gn, struct net *net,
		  void (*route)(struct sk_buff *skb, void *rule));
int cgw_net_add(struct cgw_net *gn, struct cgw_rule *rule);
void cgw_net_del(struct cgw_net *gn, struct cgw_rule *rule);
int cgw_net_exchange(struct cgw_net *gn);
void cgw_net_device_gone(struct cgw_net *gn, const struct net_device *dev);

/**
 * cgw_net_table() - the rules by which frames are routed
 * @gn: the gateway
 *
 * Context: as a writer; or under rcu_read_lock(), to walk its rules.
 * Return: the table.
 */
static inline struct cgw_table *cgw_net_table(struct cgw_net *gn)
{
	return &gn->tables[READ_ONCE(gn->live)];
}

/**
 * cgw_net_spare() - a table to fill for cgw_net_exchange()
 * @gn: the gateway
 *
 * Nobody looks for devices that go away in this table, and to remove all rules it has
 * to be empty: who fills it calls cgw_net_exchange() before rtnl_unlock().
 *
 * Context: as a writer.
 * Return: a table, which is empty until it is filled.
 */
static inline struct cgw_table *cgw_net_spare(struct cgw_net *gn)
{
	return &gn->tables[!gn->live];
}

#endif /* !_NET_CAN_GW_NET_H */
