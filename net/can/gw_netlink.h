/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The generic netlink family can-gw, specified in
 * Documentation/netlink/specs/can-gw.yaml:
 *
 *	gw_netlink.c		requests
 *	gw_netlink_parse.c	rules from the attributes of a request
 *	gw_netlink_put.c	rules and tables as attributes of a message
 *	gw_netlink_notify.c	notifications
 *	gw_netlink_gen.c	operations and policies, generated
 *
 * Contexts: process context. Requests are handled concurrently on any number of
 * CPUs. The gateway is only read and changed under rtnl_lock() (gw_net.h).
 */
#ifndef _NET_CAN_GW_NETLINK_H
#define _NET_CAN_GW_NETLINK_H

#include <linux/types.h>
#include <linux/can/gw_netlink.h>

#include "gw_net.h"

struct genl_info;
struct net_device;
struct sk_buff;

struct net_device *cgw_nl_parse_device(struct genl_info *info, int type);
struct cgw_rule *cgw_nl_parse_rule(struct cgw_net *gn, struct genl_info *info);

size_t cgw_nl_rule_size(const struct cgw_rule *rule);
int cgw_nl_put_rule(struct sk_buff *skb, const struct cgw_rule *rule,
		    const u64 sum[CGW_EV_COUNT]);
size_t cgw_nl_table_size(void);
int cgw_nl_put_table(struct sk_buff *skb, struct cgw_net *gn,
		     const struct net_device *dev);

void cgw_notify_enable(bool on);
void cgw_notify_rule(struct cgw_net *gn, const struct cgw_rule *rule, u8 cmd);
void cgw_notify_del(struct cgw_net *gn, u64 handle);
void cgw_notify_table(struct cgw_net *gn, const struct net_device *dev);
void cgw_notify_dev_unregister(struct cgw_net *gn,
			       const struct net_device *dev);

int cgw_nl_init(void);
void cgw_nl_exit(void);

/* module parameter max_hops */
unsigned int cgw_max_hops(void);

#endif /* !_NET_CAN_GW_NETLINK_H */
