/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The receive hook of a CAN device, like rx_handler in net/core/dev.c: one
 * function that is called with each frame of the device after all sockets, and
 * that may consume the skb.
 *
 * A user that forwards frames has an index of its own and needs no receiver in
 * af_can for each rule. As the last receiver of a frame, it may send the skb
 * itself instead of a clone. /proc/net/can shows and counts its receivers like
 * those of af_can.
 *
 * Contexts: can_rx_hook_call() runs for each frame, in softirq context or with
 * BHs disabled, under rcu_read_lock(), on any number of CPUs;
 * can_rx_hook_receivers() runs in process context, under rcu_read_lock(). Hooks
 * are registered and unregistered in process context, under rtnl_lock(). A hook
 * and its module must stay until an RCU grace period after the hook was
 * unregistered is over.
 */
#ifndef _NET_CAN_RX_HOOK_H
#define _NET_CAN_RX_HOOK_H

#include <linux/can/can-ml.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>

struct net;

/**
 * enum can_rx_hook_result - result of a hook
 * @CAN_RX_HOOK_UNMATCHED: no receiver matched; the caller owns the skb
 * @CAN_RX_HOOK_MATCHED: receivers matched; the caller owns the skb
 * @CAN_RX_HOOK_CONSUMED: receivers matched; the hook owns the skb
 */
enum can_rx_hook_result {
	CAN_RX_HOOK_UNMATCHED,
	CAN_RX_HOOK_MATCHED,
	CAN_RX_HOOK_CONSUMED,
};

/**
 * struct can_rx_hook - receive hook of a device
 * @receive: called with each frame; may use its control buffer. Must not return
 *	CAN_RX_HOOK_CONSUMED for a shared skb
 * @receivers: returns the active index, for /proc/net/can; NULL without one
 */
struct can_rx_hook {
	enum can_rx_hook_result (*receive)(struct can_rx_hook *hook,
					   struct sk_buff *skb);
	struct can_rcvlist *(*receivers)(struct can_rx_hook *hook);
};

int can_rx_hook_register(struct net_device *dev, struct can_rx_hook *hook);
void can_rx_hook_unregister(struct net_device *dev, struct can_rx_hook *hook);

/**
 * can_rx_hook_call() - call the hook of a device, if it has one
 * @dev: CAN device that has received @skb
 * @skb: CAN, CAN FD or CAN XL frame
 *
 * Context: BHs disabled, under rcu_read_lock().
 * Return: result of the hook.
 */
static inline enum can_rx_hook_result can_rx_hook_call(struct net_device *dev,
						       struct sk_buff *skb)
{
	struct can_rx_hook *hook = rcu_dereference(can_get_ml_priv(dev)->rx_hook);

	return hook ? hook->receive(hook, skb) : CAN_RX_HOOK_UNMATCHED;
}

/**
 * can_rx_hook_receivers() - get the receivers of the hook of a device
 * @dev: CAN device, or NULL
 *
 * Context: under rcu_read_lock().
 * Return: the index, or NULL without one.
 */
static inline struct can_rcvlist *can_rx_hook_receivers(struct net_device *dev)
{
	struct can_rx_hook *hook;

	if (!dev)
		return NULL;
	hook = rcu_dereference(can_get_ml_priv(dev)->rx_hook);
	return hook ? hook->receivers(hook) : NULL;
}

#endif /* !_NET_CAN_RX_HOOK_H */
