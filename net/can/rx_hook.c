// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* The receive hook of a CAN device: contexts are described in rx_hook.h. */
#include <linux/export.h>
#include <linux/rtnetlink.h>

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
	if (!ml)
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
