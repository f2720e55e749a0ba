/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Direct delivery (PREEMPT_RT): a thread gives received frames to the receivers
 * that can take them in process context with BHs enabled, which are those of
 * CAN_RAW sockets. If others want frames of the interface, the same skbs are passed
 * to the network stack afterwards. An skb that was given to receivers carries the id
 * of its interface, so a frame that is forwarded to another one is delivered there.
 *
 * The thread wakes readers after it has given them all frames that it has: a reader of
 * higher priority would run for each frame alone, which costs two thread switches, and
 * the frames behind it would wait for it.
 *
 * Contexts: one caller at a time for each interface, its thread or NAPI, with
 * can_rx_stage.lock (drivers/net/can/dev/rx-stage.h); different interfaces
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
#include <net/sock.h>

/* Interfaces that can have an id, and 0 for none */
#define CAN_RX_DIRECT_IDS 64

#define CAN_RX_DIRECT_MATCHED BIT(15)

/**
 * enum can_rx_direct_result - what has become of an skb
 * @CAN_RX_DIRECT_NOT: nobody has it; the network stack has to pass it to all
 * @CAN_RX_DIRECT_GIVEN: the network stack has to pass it to others
 * @CAN_RX_DIRECT_FREED: nobody else wanted it; it was freed
 */
enum can_rx_direct_result {
	CAN_RX_DIRECT_NOT,
	CAN_RX_DIRECT_GIVEN,
	CAN_RX_DIRECT_FREED,
};

/**
 * struct can_rx_direct_ops - operations of the protocol family
 * @receive: give an skb to the receivers of its interface, and of all
 *	interfaces; returns true if there were any
 * @used: has the interface such receivers?
 * @wanted: does anybody else want frames of the interface, also outside of the
 *	protocol family?
 * @count: count a frame that nobody else has to see; @matched as @receive
 *	returned it
 *
 * Called under rcu_read_lock(), in process context or in a softirq.
 */
struct can_rx_direct_ops {
	bool (*receive)(struct sk_buff *skb, struct net_device *dev);
	bool (*used)(struct net_device *dev);
	bool (*wanted)(struct net_device *dev);
	void (*count)(struct net_device *dev, bool matched);
};

/**
 * struct can_rx_direct_wake - a socket whose readers have to be woken
 * @sk: the socket, referenced while it has an @owner
 * @ready: its function sk_data_ready()
 * @next: of the same interface
 * @owner: will wake the readers for what it queues meanwhile; others wake them at
 *	once, since they may have a higher priority
 * @due: @owner has queued something; written by @owner
 */
struct can_rx_direct_wake {
	struct sock *sk;
	void (*ready)(struct sock *sk);
	struct can_rx_direct_wake *next;
	struct task_struct *owner;
	bool due;
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
 * can_rx_direct_used() - are there receivers that can have frames now?
 * @dev: interface
 *
 * Context: any.
 * Return: false if can_rx_direct() would give a frame to nobody.
 */
static inline bool can_rx_direct_used(struct net_device *dev)
{
	const struct can_rx_direct_ops *ops;
	bool used;

	rcu_read_lock();
	ops = rcu_dereference(can_get_ml_priv(dev)->direct_ops);
	used = ops && ops->used(dev) && can_rx_direct_allowed(dev);
	rcu_read_unlock();
	return used;
}

/**
 * can_rx_direct() - give an skb to the receivers that can take it now
 * @skb: received frame, echo, or error frame
 * @dev: its interface
 * @last: the network stack has no earlier frame, so the skb may be freed if nobody
 *	else wants it
 *
 * Readers may not be woken before can_rx_direct_wake().
 *
 * Context: Process context or a softirq; one caller at a time for each interface.
 * Return: what has become of @skb.
 */
static inline enum can_rx_direct_result
can_rx_direct(struct sk_buff *skb, struct net_device *dev, bool last)
{
	enum can_rx_direct_result result = CAN_RX_DIRECT_NOT;
	struct can_ml_priv *ml = can_get_ml_priv(dev);
	const struct can_rx_direct_ops *ops;
	bool matched;

	rcu_read_lock();
	ops = rcu_dereference(ml->direct_ops);
	if (ops && can_rx_direct_allowed(dev)) {
		can_skb_set_direct(skb, ml->direct_id);
		matched = ops->receive(skb, dev);
		if (last && !ops->wanted(dev)) {
			ops->count(dev, matched);
			consume_skb(skb);
			result = CAN_RX_DIRECT_FREED;
		} else {
			if (matched)
				can_skb_set_direct(skb, ml->direct_id |
							CAN_RX_DIRECT_MATCHED);
			result = CAN_RX_DIRECT_GIVEN;
		}
	}
	rcu_read_unlock();
	return result;
}

/**
 * can_rx_direct_count() - count an skb that nobody else will see
 * @skb: for which can_rx_direct() has returned %CAN_RX_DIRECT_GIVEN
 * @dev: its interface
 *
 * Context: as can_rx_direct().
 */
static inline void can_rx_direct_count(const struct sk_buff *skb,
				       struct net_device *dev)
{
	const struct can_rx_direct_ops *ops;

	rcu_read_lock();
	ops = rcu_dereference(can_get_ml_priv(dev)->direct_ops);
	if (ops)
		ops->count(dev, can_skb_direct(skb) & CAN_RX_DIRECT_MATCHED);
	rcu_read_unlock();
}

/**
 * can_rx_direct_defer() - wake the readers of a socket after the last frame
 * @skb: that the socket is about to get
 * @wake: of the socket
 *
 * Context: as &can_rx_direct_ops.receive, and in softirq context.
 */
static inline void can_rx_direct_defer(const struct sk_buff *skb,
				       struct can_rx_direct_wake *wake)
{
	struct can_ml_priv *ml = can_get_ml_priv(skb->dev);

	if (!can_skb_direct_id(skb) || cmpxchg(&wake->owner, NULL, current))
		return;
	sock_hold(wake->sk);
	wake->next = ml->direct_wakes;
	ml->direct_wakes = wake;
}

/**
 * can_rx_direct_ready() - sk_data_ready() of a socket with a &struct can_rx_direct_wake
 * @wake: of the socket
 *
 * Context: any that sk_data_ready() may be called in.
 */
static inline void can_rx_direct_ready(struct can_rx_direct_wake *wake)
{
	if (READ_ONCE(wake->owner) == current)
		wake->due = true;
	else
		wake->ready(wake->sk);
}

/**
 * can_rx_direct_wake() - wake readers after the last call of can_rx_direct()
 * @dev: the interface
 *
 * Context: as can_rx_direct().
 */
static inline void can_rx_direct_wake(struct net_device *dev)
{
	struct can_ml_priv *ml = can_get_ml_priv(dev);
	struct can_rx_direct_wake *wake;
	bool due;

	while ((wake = ml->direct_wakes)) {
		ml->direct_wakes = wake->next;
		due = wake->due;
		wake->due = false;
		/* Pairs with cmpxchg() in can_rx_direct_defer() */
		smp_store_release(&wake->owner, NULL);
		if (due && !sock_flag(wake->sk, SOCK_DEAD))
			wake->ready(wake->sk);
		sock_put(wake->sk);
	}
}

#endif /* CAN_RX_DIRECT */

#endif /* !_CAN_RX_DIRECT_H */
