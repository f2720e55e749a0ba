/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Direct delivery (PREEMPT_RT): a thread gives received frames to the receivers
 * that can take them in process context with BHs enabled, which are those of
 * CAN_RAW sockets. Afterwards it passes the same skbs to the network stack, which
 * delivers them to all others. An skb that was given to them carries the id of its
 * interface, so a frame that is forwarded to another one is delivered there.
 *
 * Contexts: one thread at a time for each interface; different interfaces
 * concurrently, also beside softirqs that deliver frames of other interfaces to
 * the same sockets.
 */
#ifndef _CAN_RX_DIRECT_H
#define _CAN_RX_DIRECT_H

#include <linux/can/can-ml.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <net/netdev_rx_queue.h>

/* Interfaces that can have an id, and 0 for none */
#define CAN_RX_DIRECT_IDS 64

#define CAN_RX_DIRECT_MATCHED BIT(15)

/**
 * struct can_rx_direct_ops - operations of the protocol family
 * @receive: give an skb to the receivers of its interface, and of all
 *	interfaces; returns true if there were any. Called under rcu_read_lock(),
 *	in process context
 */
struct can_rx_direct_ops {
	bool (*receive)(struct sk_buff *skb, struct net_device *dev);
};

/* The mark is beside the hop counter of can-gw, where the checksum would be, which
 * CAN skbs do not have: their ip_summed is CHECKSUM_UNNECESSARY.
 */
static inline u16 can_skb_direct(const struct sk_buff *skb)
{
	return skb->csum_offset;
}

static inline void can_skb_set_direct(struct sk_buff *skb, u16 mark)
{
	skb->csum_offset = mark;
}

/**
 * can_skb_direct_id() - id of the interface whose thread has the skb
 * @skb: frame
 *
 * Return: 1 to CAN_RX_DIRECT_IDS - 1, or 0 without one.
 */
static inline u16 can_skb_direct_id(const struct sk_buff *skb)
{
	return can_skb_direct(skb) & ~CAN_RX_DIRECT_MATCHED;
}

#ifdef CAN_RX_DIRECT

/* Does nobody want to see or change the frames before the protocol family? */
static inline bool can_rx_direct_allowed(const struct net_device *dev)
{
#ifdef CONFIG_NET_XGRESS
	if (rcu_access_pointer(dev->tcx_ingress))
		return false;
#endif
#ifdef CONFIG_NETFILTER_INGRESS
	if (rcu_access_pointer(dev->nf_hooks_ingress))
		return false;
#endif
#ifdef CONFIG_RPS
	/* another CPU may not have passed on earlier frames */
	if (rcu_access_pointer(dev->_rx->rps_map))
		return false;
#endif
	return !rcu_access_pointer(dev->xdp_prog) &&
	       !rcu_access_pointer(dev->rx_handler);
}

/**
 * can_rx_direct() - give an skb to the receivers that can take it now
 * @skb: received frame, echo, or error frame
 * @dev: its interface
 *
 * Context: Process context; one caller at a time for each interface.
 * Return: false if it has to reach them through the network stack.
 */
static inline bool can_rx_direct(struct sk_buff *skb, struct net_device *dev)
{
	struct can_ml_priv *ml = can_get_ml_priv(dev);
	const struct can_rx_direct_ops *ops;

	rcu_read_lock();
	ops = rcu_dereference(ml->direct_ops);
	if (ops && !can_rx_direct_allowed(dev))
		ops = NULL;
	if (ops) {
		can_skb_set_direct(skb, ml->direct_id);
		if (ops->receive(skb, dev))
			can_skb_set_direct(skb, ml->direct_id |
						CAN_RX_DIRECT_MATCHED);
	}
	rcu_read_unlock();
	return ops;
}

#endif /* CAN_RX_DIRECT */

#endif /* !_CAN_RX_DIRECT_H */
