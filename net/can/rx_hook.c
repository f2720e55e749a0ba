// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* The receive hook of a CAN device: contexts are described in rx_hook.h. */
#include <linux/export.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "af_can.h"
#include "rcvnet.h"
#include "rx_hook.h"

/**
 * can_rx_hook_register() - register the receive hook of a device
 * @dev: device
 * @hook: called for each frame from now on
 *
 * Context: Process context, under rtnl_lock().
 * Return: 0; -ENODEV if @dev is not a CAN device; -EBUSY if it has a hook.
 */
int can_rx_hook_register(struct net_device *dev, struct can_rx_hook *hook)
{
	struct can_ml_priv *ml = can_get_ml_priv(dev);

	ASSERT_RTNL();
	if (dev->type != ARPHRD_CAN || !ml)
		return -ENODEV;
	if (rtnl_dereference(ml->rx_hook))
		return -EBUSY;
	rcu_assign_pointer(ml->rx_hook, hook);
	return 0;
}
EXPORT_SYMBOL_GPL(can_rx_hook_register);

/**
 * can_rx_hook_unregister() - unregister the receive hook of a device
 * @dev: device
 * @hook: registered hook; may run until an RCU grace period is over
 *
 * Context: Process context, under rtnl_lock().
 */
void can_rx_hook_unregister(struct net_device *dev, struct can_rx_hook *hook)
{
	struct can_ml_priv *ml = can_get_ml_priv(dev);

	ASSERT_RTNL();
	if (WARN_ON_ONCE(!ml || rtnl_dereference(ml->rx_hook) != hook))
		return;
	RCU_INIT_POINTER(ml->rx_hook, NULL);
}
EXPORT_SYMBOL_GPL(can_rx_hook_unregister);

/**
 * can_rx_hook_account() - count receivers of hooks in /proc/net/can/stats
 * @net: namespace of the devices
 * @change: number of receivers added, below 0 if removed
 *
 * Context: Process context, may sleep.
 */
void can_rx_hook_account(struct net *net, long change)
{
	struct can_rcv_lists_stats *stats = net->can.rcv_lists_stats;

	/* this lock also protects the counters */
	can_rcv_net_lock(net, NULL);
	stats->rcv_entries += change;
	stats->rcv_entries_max = max(stats->rcv_entries_max,
				     stats->rcv_entries);
	can_rcv_net_unlock(net);
}
EXPORT_SYMBOL_GPL(can_rx_hook_account);
