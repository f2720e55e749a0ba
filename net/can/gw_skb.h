/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The skb that a gateway rule sends: the received skb if nobody else needs it,
 * a clone otherwise, or a copy if the rule modifies data that others need.
 *
 * Contexts: any context in which frames are received.
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
 * cgw_skb_copy() - copy a frame for modification
 * @skb: received frame of any type
 *
 * The copy gets a number of its own. A CAN_RAW socket that delivers
 * each frame once identifies it by the address of the skb and this number. With
 * the number of the original, a copy at the address of a freed skb could be
 * mistaken for it.
 *
 * Context: Any context in which frames are received.
 * Return: the copy, without a socket, for can_send(); NULL without memory.
 */
static inline struct sk_buff *cgw_skb_copy(struct sk_buff *skb)
{
	/* modifications access whole words of eight bytes */
	unsigned int room = max_t(unsigned int, CANFD_MTU,
				  round_up(skb->len, sizeof(u64)));
	struct sk_buff *copy = can_skb_copy(skb, room - skb->len);

	if (copy && !can_skb_renumber(copy)) {
		kfree_skb(copy);
		return NULL;
	}
	return copy;
}

/* Not shared, and accessible in whole words of eight bytes? */
static inline bool cgw_skb_is_writable(const struct sk_buff *skb)
{
	return !skb_cloned(skb) && !skb_is_nonlinear(skb) &&
	       IS_ALIGNED((unsigned long)skb->data, sizeof(u64)) &&
	       skb_tailroom(skb) >= -skb->len % sizeof(u64);
}

/* Like a copy: no hardware timestamp and no timestamp requests of the sender */
static inline void cgw_skb_clear_tstamps(struct sk_buff *skb)
{
	skb_hwtstamps(skb)->hwtstamp = 0;
	skb_shinfo(skb)->tx_flags = 0;
}

/**
 * cgw_skb_get() - get the skb that a rule sends
 * @skb: received frame of any type
 * @own: the caller owns @skb and passes it on
 * @modify: the rule modifies the data
 *
 * The frame gets a number of its own, unless the kernel keeps numbers where clones
 * share them, and there are clones.
 *
 * Context: Any context in which frames are received.
 * Return: the skb, without a socket, for can_send(); NULL without memory.
 */
static inline struct sk_buff *cgw_skb_get(struct sk_buff *skb, bool own,
					  bool modify)
{
	struct sk_buff *sent = skb;

	if (own && (!modify || cgw_skb_is_writable(skb))) {
		skb_orphan(skb);
		if (modify)
			cgw_skb_clear_tstamps(skb);
	} else {
		sent = modify ? cgw_skb_copy(skb) : skb_clone(skb, GFP_ATOMIC);
		if (own)
			consume_skb(skb);
		if (modify)
			return sent;
	}
	/* can_send() clones, and clones may be received on several CPUs concurrently:
	 * assign the number before.
	 */
	if (likely(sent && can_skb_renumber(sent)))
		return sent;
	kfree_skb(sent);
	return NULL;
}

#endif /* !_NET_CAN_GW_SKB_H */
