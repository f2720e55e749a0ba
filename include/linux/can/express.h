/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Express frames: the gateway routes them in the interrupt that has read them. They wait
 * for no softirq and no thread.
 *
 *	chip --irq--> ring --NAPI--> sockets, other rules, packet taps
 *	               |
 *	             rules --> transmit queue --> chip --irq--> ring --NAPI--> echo
 *
 * The producer of a ring (rx-ring.h) offers each frame to the express rules of the
 * interface. They put it into the transmit queue of another driver (tx-queue.h), which
 * loads its chip at once if it is free. Later everybody else gets the frame through NAPI,
 * with a mark that tells which rules have had it. What has become of a frame is counted
 * for its rule, when the other chip has sent it or it was dropped.
 *
 * Contexts and locks: rules run with interrupts off, with the lock of the ring, on any
 * CPU, and acquire the lock of another interface's transmit queue, a leaf. Nothing
 * there allocates memory or sleeps, also on PREEMPT_RT. An RCU grace period waits for
 * CPUs whose interrupts are off, so rcu_read_lock() is not needed.
 */
#ifndef _CAN_EXPRESS_H
#define _CAN_EXPRESS_H

#include <linux/atomic.h>
#include <linux/can.h>
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/skbuff.h>

/**
 * enum can_express_event - what has become of an express frame
 * @CAN_EXPRESS_SENT: another node has acknowledged it
 * @CAN_EXPRESS_DROPPED: not sent: no room, the destination is down, in bus off or
 *	listen-only or loopback mode, or one-shot mode and not acknowledged
 * @CAN_EXPRESS_LATE: dropped because its time was over
 * @CAN_EXPRESS_DELETED: it must not be sent, because its length is invalid
 * @CAN_EXPRESS_SKIPPED: not for the rule: received from the destination
 */
enum can_express_event {
	CAN_EXPRESS_SENT,
	CAN_EXPRESS_DROPPED,
	CAN_EXPRESS_LATE,
	CAN_EXPRESS_DELETED,
	CAN_EXPRESS_SKIPPED,
	/* private: */
	CAN_EXPRESS_EVENTS,
};

/**
 * struct can_express_flow - the frames of a rule
 * @refs: one of the rule, and one for each frame in a transmit queue
 * @count: frames by enum can_express_event
 * @rcu: frees the struct
 */
struct can_express_flow {
	refcount_t refs;
	atomic64_t count[CAN_EXPRESS_EVENTS];
	struct rcu_head rcu;
};

/**
 * struct can_express_frame - a frame for a transmit queue
 * @frame: Classical CAN
 * @flow: its rule's
 * @until: CLOCK_BOOTTIME; it is dropped if it cannot be loaded into the chip before. 0
 *	for no limit
 * @ifindex: the interface that received it
 * @hops: how often it was routed, with this time
 * @echo: sockets of the destination get it, too
 */
struct can_express_frame {
	struct can_frame frame;
	struct can_express_flow *flow;
	ktime_t until;
	int ifindex;
	u8 hops;
	bool echo;
};

/**
 * struct can_express_rules - the express rules of an interface
 * @receive: called with each received frame; see above for its context
 * @generation: frames that were offered to these rules carry it. Neither 0 nor
 *	%CAN_EXPRESS_ECHO. @receive may increase it, also for the frame that it is called
 *	with
 */
struct can_express_rules {
	void (*receive)(struct can_express_rules *rules,
			const struct can_frame *frame);
	u32 generation;
};

/**
 * struct can_express_ops - operations of an interface whose driver has a ring
 * @attach: offer each further frame to these rules, or to none (NULL), instead of the
 *	former ones, which may run until an RCU grace period is over. Process context, under
 *	rtnl_lock()
 * @received: number of entries that the interrupt has put into the ring, modulo 2^32: the
 *	position of the frame that is being offered. Any context
 * @waiting: how many of them, the last ones, NAPI has not passed to the network stack, or
 *	more: a thread of PREEMPT_RT may have passed on some of them. What receivers have done
 *	with the others is visible to the caller. Any context
 * @send: put a frame into the transmit queue, or count it as dropped. Interrupts are
 *	off. NULL if the driver cannot do that
 */
struct can_express_ops {
	void (*attach)(struct net_device *dev, struct can_express_rules *rules);
	u32 (*received)(const struct net_device *dev);
	u32 (*waiting)(const struct net_device *dev);
	void (*send)(struct net_device *dev, const struct can_express_frame *frame);
};

/**
 * can_express_count() - count a frame
 * @flow: of its rule
 * @event: what has become of it
 *
 * Context: any.
 */
static inline void can_express_count(struct can_express_flow *flow,
				     enum can_express_event event)
{
	atomic64_inc(&flow->count[event]);
}

/**
 * can_express_put() - drop a reference
 * @flow: of a rule
 *
 * Context: any.
 */
static inline void can_express_put(struct can_express_flow *flow)
{
	if (refcount_dec_and_test(&flow->refs))
		kfree_rcu(flow, rcu);
}

/* The mark of a frame that was sent by its interface: it is offered to no rules. */
#define CAN_EXPRESS_ECHO U32_MAX

/* The mark is where the headers inside a tunnel would be, which CAN skbs do not have: clones
 * share all that is in front of a frame.
 */

/**
 * can_skb_express() - the rules that a frame was offered to
 * @skb: frame from an interface with &struct can_express_ops
 *
 * Return: can_express_rules.generation, 0 if there were none, or %CAN_EXPRESS_ECHO.
 */
static inline u32 can_skb_express(const struct sk_buff *skb)
{
	return skb->inner_transport_header | (u32)skb->inner_network_header << 16;
}

static inline void can_skb_set_express(struct sk_buff *skb, u32 generation)
{
	skb->inner_transport_header = generation;
	skb->inner_network_header = generation >> 16;
}

#endif /* !_CAN_EXPRESS_H */
