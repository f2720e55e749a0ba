/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Direct transmission (PREEMPT_RT): a softirq hands on a frame when the driver has room
 * again, and may wait for any thread of a higher priority. Where the kernel has a lock for
 * softirqs (6.12; later ones with PREEMPT_RT_NEEDS_BH_LOCK), whoever disables BHs waits for
 * those that run on the CPU, too, whatever its priority is; dev_queue_xmit() does. An
 * interface with a transmit queue (tx-queue.h) and the queueing discipline can_prio needs
 * neither:
 *
 *	write() ----------------> can_prio --> driver
 *	thread that finds room ------^
 *
 * A thread does what the network core does for a queueing discipline with a lock, without
 * disabling BHs. If anybody wants to see or change the frames on their way, they take the
 * usual one; both ways have the same queue, so frames keep their order.
 *
 * Contexts and locks: in this order, can_tx_direct_lock(), the lock of the root, and that of
 * the device's queue. A thread holds the first one as long as it hands on frames, so that
 * whoever waits for it lends its priority. It is Qdisc.busylock, which the network core holds
 * while it adds a frame. Later kernels have none: there it is one of the interface, for
 * threads only, and the core adds its frame meanwhile. There, the core also has a list of
 * frames that wait for the lock of the root. While it is not empty, frames take the usual
 * way, so as not to overtake them. Nothing under these locks may disable BHs: a softirq may
 * wait for them. The drivers with a transmit queue do not. A softirq that hands on frames
 * gets the priority of a thread that waits for it on its CPU only, as in the network core,
 * and only where softirqs have a lock.
 */
#ifndef _CAN_TX_DIRECT_H
#define _CAN_TX_DIRECT_H

#include <linux/can/can-ml.h>
#include <linux/can/rx-offload.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>

#ifdef CAN_TX_DIRECT

int can_tx_direct(struct sk_buff *skb);
bool can_tx_direct_used(struct net_device *dev);
bool can_tx_direct_wake(struct can_rx_offload *offload);

/* The driver of the interface has a transmit queue. */
static inline void can_tx_direct_init(struct can_ml_priv *ml)
{
	can_tx_direct_lock_init(ml);
	ml->tx_direct = can_tx_direct;
}

/* Does a queueing discipline run in a thread that will hand on its frames? */
static inline bool can_tx_direct_runs(void)
{
	return !softirq_count();
}

#else /* CAN_TX_DIRECT */

static inline bool can_tx_direct_used(struct net_device *dev)
{
	return false;
}

static inline bool can_tx_direct_wake(struct can_rx_offload *offload)
{
	return false;
}

static inline void can_tx_direct_init(struct can_ml_priv *ml)
{
}

static inline bool can_tx_direct_runs(void)
{
	return false;
}

#endif /* CAN_TX_DIRECT */

/**
 * can_tx_direct_xmit() - dev_queue_xmit() for the protocol family
 * @skb: complete frame, for an interface with &struct can_ml_priv
 *
 * Context: as dev_queue_xmit().
 * Return: as dev_queue_xmit().
 */
static inline int can_tx_direct_xmit(struct sk_buff *skb)
{
#ifdef CAN_TX_DIRECT
	const struct can_ml_priv *ml = can_get_ml_priv(skb->dev);
	int err = ml->tx_direct ? ml->tx_direct(skb) : -EOPNOTSUPP;

	if (err != -EOPNOTSUPP)
		return err;
#endif
	return dev_queue_xmit(skb);
}

#endif /* !_CAN_TX_DIRECT_H */
