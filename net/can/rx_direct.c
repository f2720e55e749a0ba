// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Direct delivery: contexts are described in linux/can/rx-direct.h. */
#include <linux/can/core.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>

#include "rcvlist.h"
#include "rx_direct.h"

#ifdef CAN_RX_DIRECT

static bool can_rx_direct_receive(struct sk_buff *skb, struct net_device *dev)
{
	can_set_skb_uid(skb);
	return can_rx_direct_deliver(skb, dev);
}

static const struct can_rx_direct_ops can_rx_direct_ops = {
	.receive = can_rx_direct_receive,
};

static int can_rx_direct_notify(struct notifier_block *nb, unsigned long event,
				void *ptr)
{
	struct net_device *dev = netdev_notifier_info_to_dev(ptr);
	struct can_ml_priv *ml = can_get_ml_priv(dev);

	if (!ml)
		return NOTIFY_DONE;
	if (event == NETDEV_REGISTER)
		rcu_assign_pointer(ml->direct_ops, &can_rx_direct_ops);
	else if (event == NETDEV_UNREGISTER)
		RCU_INIT_POINTER(ml->direct_ops, NULL);
	return NOTIFY_DONE;
}

static struct notifier_block can_rx_direct_notifier = {
	.notifier_call = can_rx_direct_notify,
};

/* Return: 0 or a negative errno value. */
int can_rx_direct_init(void)
{
	return register_netdevice_notifier(&can_rx_direct_notifier);
}

/* Waits for threads that deliver. */
void can_rx_direct_exit(void)
{
	unregister_netdevice_notifier(&can_rx_direct_notifier);
	synchronize_net();
}

#endif /* CAN_RX_DIRECT */
