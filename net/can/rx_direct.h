/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/* Direct delivery, for the protocol family: see linux/can/rx-direct.h */
#ifndef _NET_CAN_RX_DIRECT_H
#define _NET_CAN_RX_DIRECT_H

#include <linux/can/rx-direct.h>

#include "rcvnet.h"

#ifdef CAN_RX_DIRECT
int can_rx_direct_init(const struct packet_type *packet);
void can_rx_direct_exit(void);
#else
static inline int can_rx_direct_init(const struct packet_type *packet)
{
	return 0;
}

static inline void can_rx_direct_exit(void)
{
}
#endif

/* The list of receivers that can be called directly, or that of all receivers */
static inline struct can_rcvlist *
can_rx_direct_list(struct can_dev_rcv_lists *lists)
{
#ifdef CAN_RX_DIRECT
	return &lists->direct;
#else
	return &lists->list;
#endif
}

/**
 * can_rx_direct_deliver() - deliver an skb to those who can have it directly
 * @skb: received frame
 * @dev: its interface
 *
 * Context: Process context, also with BHs enabled; under rcu_read_lock().
 * Return: number of receivers.
 */
static inline int can_rx_direct_deliver(struct sk_buff *skb,
					struct net_device *dev)
{
	struct can_dev_rcv_lists *all = dev_net(dev)->can.rx_alldev_list;
	struct can_dev_rcv_lists *one = &can_get_ml_priv(dev)->dev_rcv_lists;

	return can_rcvlist_deliver(can_rx_direct_list(all), skb) +
	       can_rcvlist_deliver(can_rx_direct_list(one), skb);
}

/* An skb that is sent has not been received by another interface yet. */
static inline void can_rx_direct_forget(struct sk_buff *skb)
{
#ifdef CAN_RX_DIRECT
	can_skb_set_direct(skb, 0);
#endif
}

/**
 * can_rx_direct_finish() - deliver an skb to those who could have had it directly
 * @skb: received frame
 * @dev: its interface
 *
 * Context: BHs disabled, under rcu_read_lock().
 * Return: number of receivers that have it now; 1 if a thread gave it to any.
 */
static inline int can_rx_direct_finish(struct sk_buff *skb,
				       struct net_device *dev)
{
#ifdef CAN_RX_DIRECT
	u16 id = can_skb_direct_id(skb);

	if (id && id == can_get_ml_priv(dev)->direct_id)
		return can_skb_direct(skb) != id;
	/* another interface may have received it, which sent it to this one */
	can_skb_set_direct(skb, 0);
	return can_rx_direct_deliver(skb, dev);
#else
	/* their receivers are in the list of all others */
	return 0;
#endif
}

#endif /* !_NET_CAN_RX_DIRECT_H */
