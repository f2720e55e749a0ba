// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Notifications of changes of the rules, by either netlink interface: contexts
 * are described in gw_netlink.h. Nothing is allocated without listeners. If an
 * allocation fails, listeners get ENOBUFS and can dump the rules.
 */
#include <linux/netdevice.h>
#include <net/genetlink.h>

#include "gw_netlink.h"
#include "gw_netlink_gen.h"

/* Message size for handles of removed rules, in bytes */
#define CGW_REMOVAL_SIZE (NLMSG_GOODSIZE - 256)

/* Set while the family is registered. Otherwise its group offset is not valid
 * and the group would be that of another family.
 */
static bool cgw_notify_enabled;

static bool cgw_notify_has_listeners(const struct cgw_net *gn)
{
	return READ_ONCE(cgw_notify_enabled) &&
	       genl_has_listeners(&can_gw_nl_family, gn->net,
				  CAN_GW_NLGRP_RULES);
}

/**
 * cgw_notify_enable() - enable or disable notifications
 * @on: the family is registered
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_notify_enable(bool on)
{
	WRITE_ONCE(cgw_notify_enabled, on);
}

static void cgw_notify_overrun(const struct cgw_net *gn)
{
	genl_set_err(&can_gw_nl_family, gn->net, 0, CAN_GW_NLGRP_RULES,
		     -ENOBUFS);
}

static void cgw_notify_send(const struct cgw_net *gn, struct sk_buff *skb,
			    void *hdr)
{
	genlmsg_end(skb, hdr);
	genlmsg_multicast_netns(&can_gw_nl_family, gn->net, skb, 0,
				CAN_GW_NLGRP_RULES, GFP_KERNEL);
}

/* Return: a message, NULL without memory; then listeners get ENOBUFS. */
static struct sk_buff *cgw_notify_start(const struct cgw_net *gn, size_t size,
					u8 cmd, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(size, GFP_KERNEL);

	if (skb) {
		*hdr = genlmsg_put(skb, 0, 0, &can_gw_nl_family, 0, cmd);
		if (*hdr)
			return skb;
		nlmsg_free(skb);
	}
	cgw_notify_overrun(gn);
	return NULL;
}

/**
 * cgw_notify_rule() - notify listeners of a new or changed rule
 * @gn: gateway
 * @rule: in the active table
 * @cmd: CAN_GW_CMD_RULE_ADD_NTF or CAN_GW_CMD_RULE_CHANGE_NTF
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 */
void cgw_notify_rule(struct cgw_net *gn, const struct cgw_rule *rule, u8 cmd)
{
	u64 sum[CGW_EV_COUNT];
	struct sk_buff *skb;
	void *hdr;

	if (!cgw_notify_has_listeners(gn))
		return;
	skb = cgw_notify_start(gn, cgw_nl_rule_size(rule), cmd, &hdr);
	if (!skb)
		return;
	cgw_rule_stats(rule, sum);
	if (!cgw_nl_put_rule(skb, rule, sum)) {
		cgw_notify_send(gn, skb, hdr);
		return;
	}
	nlmsg_free(skb);
	cgw_notify_overrun(gn);
}

/**
 * cgw_notify_table() - notify listeners that all rules have been replaced
 * @gn: gateway
 * @dev: only the rules of this source have been replaced; or NULL
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 */
void cgw_notify_table(struct cgw_net *gn, const struct net_device *dev)
{
	struct sk_buff *skb;
	void *hdr;

	if (!cgw_notify_has_listeners(gn))
		return;
	skb = cgw_notify_start(gn, cgw_nl_table_size(), CAN_GW_CMD_TABLE_NTF,
			       &hdr);
	if (!skb)
		return;
	if (!cgw_nl_put_table(skb, gn, dev)) {
		cgw_notify_send(gn, skb, hdr);
		return;
	}
	nlmsg_free(skb);
	cgw_notify_overrun(gn);
}

/* Handles of rules that are removed together, collected in few messages */
struct cgw_removal {
	struct cgw_net *gn;
	enum can_gw_reason reason;
	u32 generation;
	struct sk_buff *skb;
	void *hdr;
};

static void cgw_removal_send(struct cgw_removal *removal)
{
	if (removal->skb)
		cgw_notify_send(removal->gn, removal->skb, removal->hdr);
	removal->skb = NULL;
}

static void cgw_removal_start(struct cgw_removal *removal)
{
	struct sk_buff *skb;

	skb = cgw_notify_start(removal->gn, CGW_REMOVAL_SIZE,
			       CAN_GW_CMD_RULE_DEL_NTF, &removal->hdr);
	removal->skb = skb;
	/* there is room for these */
	if (skb) {
		nla_put_u32(skb, CAN_GW_A_REMOVAL_REASON, removal->reason);
		nla_put_u32(skb, CAN_GW_A_REMOVAL_GENERATION,
			    removal->generation);
	}
}

static void cgw_removal_add(struct cgw_removal *removal, u64 handle)
{
	if (!removal->skb)
		cgw_removal_start(removal);
	if (!removal->skb ||
	    !nla_put_uint(removal->skb, CAN_GW_A_REMOVAL_HANDLE, handle))
		return;
	cgw_removal_send(removal);
	cgw_removal_start(removal);
	if (removal->skb)
		nla_put_uint(removal->skb, CAN_GW_A_REMOVAL_HANDLE, handle);
}

/**
 * cgw_notify_del() - notify listeners that a request has removed a rule
 * @gn: gateway
 * @handle: handle of the rule
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 */
void cgw_notify_del(struct cgw_net *gn, u64 handle)
{
	struct cgw_removal removal = {
		.gn = gn,
		.reason = CAN_GW_REASON_REQUEST,
		.generation = gn->generation,
	};

	if (!cgw_notify_has_listeners(gn))
		return;
	cgw_removal_add(&removal, handle);
	cgw_removal_send(&removal);
}

static void cgw_removal_add_rule(const struct cgw_rule *rule, void *arg)
{
	cgw_removal_add(arg, rule->handle);
}

/**
 * cgw_notify_dev_unregister() - remove the rules of a device, with notification
 * @gn: gateway
 * @dev: source or destination of these rules
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 */
void cgw_notify_dev_unregister(struct cgw_net *gn, const struct net_device *dev)
{
	struct cgw_removal removal = {
		.gn = gn,
		.reason = CAN_GW_REASON_INTERFACE,
		.generation = cgw_net_next_generation(gn),
	};
	bool listeners = cgw_notify_has_listeners(gn);

	cgw_net_dev_unregister(gn, dev, listeners ? cgw_removal_add_rule : NULL,
			       &removal);
	cgw_removal_send(&removal);
}
