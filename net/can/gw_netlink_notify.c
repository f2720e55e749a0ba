// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Messages to those who listen to changes of the rules, whoever made them;
 * gw_netlink.h says in which context. Without listeners none is made. Who misses one
 * for want of memory gets ENOBUFS, and can dump the rules.
 */
#include <linux/netdevice.h>
#include <net/genetlink.h>

#include "gw_netlink.h"
#include "gw_netlink_gen.h"

/* Handles that fit into a message of a usual size */
#define HANDLES_ROOM (NLMSG_GOODSIZE - 256)

/* The groups of a family that is not registered are those of others. */
static bool registered;

static bool heard(const struct cgw_net *gn)
{
	return READ_ONCE(registered) &&
	       genl_has_listeners(&can_gw_nl_family, gn->net,
				  CAN_GW_NLGRP_RULES);
}

/**
 * cgw_notify_enable() - is there a group to listen to?
 * @on: from now on there is, or no longer
 *
 * Context: process, under rtnl_lock().
 */
void cgw_notify_enable(bool on)
{
	WRITE_ONCE(registered, on);
}

static void missed(const struct cgw_net *gn)
{
	genl_set_err(&can_gw_nl_family, gn->net, 0, CAN_GW_NLGRP_RULES,
		     -ENOBUFS);
}

static void send(const struct cgw_net *gn, struct sk_buff *skb, void *hdr)
{
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&can_gw_nl_family, gn->net, skb, 0,
				CAN_GW_NLGRP_RULES, GFP_KERNEL);
}

/* Return: the message, or NULL; then listeners know that they miss one. */
static struct sk_buff *start(const struct cgw_net *gn, size_t room, u8 cmd,
			     void **hdr)
{
	struct sk_buff *skb = genlmsg_new(room, GFP_KERNEL);

	if (skb) {
		*hdr = genlmsg_put(skb, 0, 0, &can_gw_nl_family, 0, cmd);
		if (*hdr)
			return skb;
		nlmsg_free(skb);
	}
	missed(gn);
	return NULL;
}

/**
 * cgw_notify_rule() - tell listeners of a rule
 * @gn: the gateway
 * @rule: in the table
 * @cmd: CAN_GW_CMD_RULE_ADD_NTF or CAN_GW_CMD_RULE_CHANGE_NTF
 *
 * Context: as a writer.
 */
void cgw_notify_rule(struct cgw_net *gn, const struct cgw_rule *rule, u8 cmd)
{
	u64 sum[CGW_EV_COUNT];
	struct sk_buff *skb;
	void *hdr;

	if (!heard(gn))
		return;
	skb = start(gn, cgw_nl_rule_size(rule), cmd, &hdr);
	if (!skb)
		return;
	cgw_rule_stats(rule, sum);
	if (!cgw_nl_put_rule(skb, rule, sum)) {
		send(gn, skb, hdr);
		return;
	}
	nlmsg_free(skb);
	missed(gn);
}

/**
 * cgw_notify_table() - tell listeners that all rules are other ones
 * @gn: the gateway
 * @dev: only the rules of this source, or NULL
 *
 * Context: as a writer.
 */
void cgw_notify_table(struct cgw_net *gn, const struct net_device *dev)
{
	struct sk_buff *skb;
	void *hdr;

	if (!heard(gn))
		return;
	skb = start(gn, cgw_nl_table_size(), CAN_GW_CMD_TABLE_NTF, &hdr);
	if (!skb)
		return;
	if (!cgw_nl_put_table(skb, gn, dev)) {
		send(gn, skb, hdr);
		return;
	}
	nlmsg_free(skb);
	missed(gn);
}

/* Rules that go together, in as few messages as they need */
struct removal {
	struct cgw_net *gn;
	enum can_gw_reason reason;
	u32 generation;
	struct sk_buff *skb;
	void *hdr;
};

static void removal_send(struct removal *removal)
{
	if (removal->skb)
		send(removal->gn, removal->skb, removal->hdr);
	removal->skb = NULL;
}

static void removal_start(struct removal *removal)
{
	struct sk_buff *skb;

	skb = start(removal->gn, HANDLES_ROOM, CAN_GW_CMD_RULE_DEL_NTF,
		    &removal->hdr);
	removal->skb = skb;
	/* there is always room for these */
	if (skb) {
		nla_put_u32(skb, CAN_GW_A_REMOVAL_REASON, removal->reason);
		nla_put_u32(skb, CAN_GW_A_REMOVAL_GENERATION,
			    removal->generation);
	}
}

static void removal_add(struct removal *removal, u64 handle)
{
	if (!removal->skb)
		removal_start(removal);
	if (!removal->skb ||
	    !nla_put_uint(removal->skb, CAN_GW_A_REMOVAL_HANDLE, handle))
		return;
	removal_send(removal);
	removal_start(removal);
	if (removal->skb)
		nla_put_uint(removal->skb, CAN_GW_A_REMOVAL_HANDLE, handle);
}

/**
 * cgw_notify_del() - tell listeners that somebody has removed a rule
 * @gn: the gateway
 * @handle: what the rule was called
 *
 * Context: as a writer.
 */
void cgw_notify_del(struct cgw_net *gn, u64 handle)
{
	struct removal removal = {
		.gn = gn,
		.reason = CAN_GW_REASON_REQUEST,
		.generation = gn->generation,
	};

	if (!heard(gn))
		return;
	removal_add(&removal, handle);
	removal_send(&removal);
}

static void removal_gone(const struct cgw_rule *rule, void *arg)
{
	removal_add(arg, rule->handle);
}

/**
 * cgw_notify_dev_unregister() - remove the rules that have a device, and tell listeners
 * @gn: the gateway
 * @dev: is their source or their destination
 *
 * Context: as a writer.
 */
void cgw_notify_dev_unregister(struct cgw_net *gn, const struct net_device *dev)
{
	struct removal removal = {
		.gn = gn,
		.reason = CAN_GW_REASON_INTERFACE,
		.generation = cgw_net_next_generation(gn),
	};
	bool tell = heard(gn);

	cgw_net_dev_unregister(gn, dev, tell ? removal_gone : NULL, &removal);
	removal_send(&removal);
}
