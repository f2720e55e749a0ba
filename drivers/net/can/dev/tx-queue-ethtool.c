// SPDX-License-Identifier: GPL-2.0-only
/*
 * The private flag "bus-order" of ethtool, for drivers with a transmit queue:
 *
 *	ethtool --set-priv-flags can0 bus-order on
 *
 * All functions are operations of struct ethtool_ops, called with rtnl_lock().
 */
#include <linux/bits.h>
#include <linux/can/dev.h>
#include <linux/can/tx-queue.h>
#include <linux/ethtool.h>

static const char flag_names[][ETH_GSTRING_LEN] = { "bus-order" };

static struct can_tx_queue *tx_queue_of(struct net_device *dev)
{
	struct can_priv *priv = netdev_priv(dev);

	return priv->rx_offload->ring->tx_queue;
}

int can_tx_queue_get_sset_count(struct net_device *dev, int sset)
{
	return sset == ETH_SS_PRIV_FLAGS ? ARRAY_SIZE(flag_names) : -EOPNOTSUPP;
}
EXPORT_SYMBOL_GPL(can_tx_queue_get_sset_count);

void can_tx_queue_get_strings(struct net_device *dev, u32 sset, u8 *data)
{
	if (sset == ETH_SS_PRIV_FLAGS)
		memcpy(data, flag_names, sizeof(flag_names));
}
EXPORT_SYMBOL_GPL(can_tx_queue_get_strings);

u32 can_tx_queue_get_priv_flags(struct net_device *dev)
{
	return READ_ONCE(tx_queue_of(dev)->bus_order);
}
EXPORT_SYMBOL_GPL(can_tx_queue_get_priv_flags);

/* The ioctl passes flags that have no name. */
int can_tx_queue_set_priv_flags(struct net_device *dev, u32 flags)
{
	if (flags & ~BIT(0))
		return -EINVAL;
	can_tx_queue_set_bus_order(tx_queue_of(dev), flags);
	return 0;
}
EXPORT_SYMBOL_GPL(can_tx_queue_set_priv_flags);
