/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The frame that a gateway rule sends: the received one if nobody else needs it, a clone
 * of it if others do, or a copy if the rule modifies what others need.
 *
 * Contexts: any in which a frame may be received.
 */
#ifndef _NET_CAN_GW_SKB_H
#define _NET_CAN_GW_SKB_H

#include <linux/align.h>
#include <linux/can.h>
#include <linux/can/core.h>
#include <linux/can/skb.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>

/**
 * cgw_skb_copy() - copy a frame for a rule that modifies it
 * @skb: a received frame of any kind, with its private head
 *
 * A copy counts as another frame for CAN_RAW sockets that want each frame once: with the
 * number of the original, the address of a freed skb and its number could be those of a
 * frame that the socket has had.
 *
 * Context: any in which a frame may be received.
 * Return: the copy, without a socket, to be given to can_send(); NULL without
 * memory.
 */
static inline struct sk_buff *cgw_skb_copy(struct sk_buff *skb)
{
	/* modifications work on whole words */
	unsigned int room = max_t(unsigned int, CANFD_MTU,
				  round_up(skb->len, sizeof(u64)));
	struct sk_buff *copy = skb_copy_expand(skb, sizeof(struct can_skb_priv),
					       room - skb->len, GFP_ATOMIC);

	if (!copy)
		return NULL;
	*can_skb_prv(copy) = *can_skb_prv(skb);
	can_skb_prv(copy)->skbcnt = 0;
	can_set_skb_uid(copy);
	return copy;
}

/* Do the data belong to nobody else, and can the engine work on them in words? */
static inline bool cgw_skb_is_writable(const struct sk_buff *skb)
{
	return !skb_cloned(skb) && !skb_is_nonlinear(skb) &&
	       IS_ALIGNED((unsigned long)skb->data, sizeof(u64)) &&
	       skb_tailroom(skb) >= -skb->len % sizeof(u64);
}

/* What a copy does not have: times of the hardware, and wishes of the sender for some. */
static inline void cgw_skb_forget_times(struct sk_buff *skb)
{
	skb_hwtstamps(skb)->hwtstamp = 0;
	skb_shinfo(skb)->tx_flags = 0;
}

/**
 * cgw_skb_get() - the frame that a rule sends
 * @skb: a received frame of any kind, with its private head
 * @own: it belongs to the caller, who has no business with it any more afterwards
 * @modify: the data will be modified
 *
 * It counts as another frame for CAN_RAW sockets that want each frame once, unless it
 * shares its data with frames of others.
 *
 * Context: any in which a frame may be received.
 * Return: the frame, without a socket, to be given to can_send(); NULL without
 * memory.
 */
static inline struct sk_buff *cgw_skb_get(struct sk_buff *skb, bool own,
					  bool modify)
{
	struct sk_buff *copy;

	if (own && (!modify || cgw_skb_is_writable(skb))) {
		skb_orphan(skb);
		if (modify)
			cgw_skb_forget_times(skb);
		/* Clones share the number, and may be received on several CPUs
		 * at the same time. can_send() makes some: number it before.
		 */
		if (!skb_cloned(skb)) {
			can_skb_prv(skb)->skbcnt = 0;
			can_set_skb_uid(skb);
		}
		return skb;
	}
	copy = modify ? cgw_skb_copy(skb) : skb_clone(skb, GFP_ATOMIC);
	if (own)
		consume_skb(skb);
	return copy;
}

#endif /* !_NET_CAN_GW_SKB_H */
