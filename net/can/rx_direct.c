// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Direct delivery: contexts are described in linux/can/rx-direct.h. */
#include <linux/can/core.h>
#include <linux/netdevice.h>
#include <linux/notifier.h>

#include "af_can.h"
#include "rcvnet.h"
#include "rx_direct.h"
#include "rx_hook.h"
#include "rx_stats.h"

#ifdef CAN_RX_DIRECT

static bool can_rx_direct_receive(struct sk_buff *skb, struct net_device *dev)
{
	can_skb_number(skb);
	return can_rx_direct_deliver(skb, dev);
}

static bool can_rx_direct_has_receivers(struct net_device *dev)
{
	struct can_dev_rcv_lists *all = dev_net(dev)->can.rx_alldev_list;
	struct can_dev_rcv_lists *one = &can_get_ml_priv(dev)->dev_rcv_lists;

	return can_rcvlist_used(can_rx_direct_list(all)) ||
	       can_rcvlist_used(can_rx_direct_list(one));
}

/* That of the protocol family, for CAN frames with up to 8 bytes */
static const struct packet_type *can_rx_direct_packet;

/* Did anybody else call dev_add_pack(), for example for a packet socket? What has no interface
 * is in the hash bucket of the packet type of the protocol family, which would not be alone
 * there, or in a list of the namespace. The bucket may have other protocols, too.
 */
static bool can_rx_direct_tapped(struct net_device *dev)
{
	const struct list_head *packet = &can_rx_direct_packet->list;

	return dev_nit_active_rcu(dev) || can_net_is_tapped(dev_net(dev)) ||
	       !list_empty(&dev->ptype_specific) ||
	       READ_ONCE(packet->next) != READ_ONCE(packet->prev);
}

static bool can_rx_direct_wanted(struct net_device *dev)
{
	struct can_ml_priv *ml = can_get_ml_priv(dev);

	return rcu_access_pointer(ml->rx_hook) ||
	       can_rcvlist_used(can_rcv_net_list(dev_net(dev), NULL)) ||
	       can_rcvlist_used(can_rcv_net_list(NULL, dev)) ||
	       can_rx_direct_tapped(dev);
}

static void can_rx_direct_count_frame(struct net_device *dev, bool matched)
{
	struct can_pkg_stats *stats = dev_net(dev)->can.pkg_stats;

	can_count_received(stats);
	if (matched)
		can_count_matched(stats);
}

static const struct can_rx_direct_ops can_rx_direct_ops = {
	.receive = can_rx_direct_receive,
	.used = can_rx_direct_has_receivers,
	.wanted = can_rx_direct_wanted,
	.count = can_rx_direct_count_frame,
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

/* @packet is that of CAN frames with up to 8 bytes.
 *
 * Return: 0 or a negative errno value.
 */
int can_rx_direct_init(const struct packet_type *packet)
{
	can_rx_direct_packet = packet;
	return register_netdevice_notifier(&can_rx_direct_notifier);
}

/* Waits for threads that deliver. */
void can_rx_direct_exit(void)
{
	unregister_netdevice_notifier(&can_rx_direct_notifier);
	synchronize_net();
}

#endif /* CAN_RX_DIRECT */
