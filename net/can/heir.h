/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * A received frame is given to receivers one after the other, and nobody needs it any
 * more when all of them have seen it. A receiver that sends it on may wait until then:
 * as the heir of the frame it gets the frame itself, and need not copy it. There is one
 * heir, the last who asked; whoever asked before has to copy the frame after all, at the
 * moment when the next one asks, so that several heirs come in their order.
 *
 * Contexts: wherever a receiver of af_can is called, with the RCU read lock that it is
 * called with. The frame is not seen by anybody else meanwhile, but for its data, which
 * clones of it share.
 */
#ifndef _NET_CAN_HEIR_H
#define _NET_CAN_HEIR_H

#include <linux/build_bug.h>
#include <linux/can/can-ml.h>
#include <linux/skbuff.h>

/**
 * struct can_heir - in the control buffer of a frame that is being received
 * @inherit: is called with the frame and @data once; if @own, the frame belongs to it,
 *	and its data to nobody else unless skb_cloned(); otherwise the frame is only
 *	to be looked at. NULL without an heir
 * @data: for @inherit
 */
struct can_heir {
	void (*inherit)(struct sk_buff *skb, void *data, bool own);
	void *data;
};

static inline struct can_heir *can_heir(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct can_heir) > sizeof(skb->cb));
	return (struct can_heir *)skb->cb;
}

/**
 * can_heir_none() - begin to receive a frame
 * @skb: the frame
 */
static inline void can_heir_none(struct sk_buff *skb)
{
	can_heir(skb)->inherit = NULL;
}

/**
 * can_heir_become() - be the heir of a frame
 * @skb: the frame, as a receiver of af_can was called with it
 * @inherit: see struct can_heir
 * @data: for @inherit
 */
static inline void can_heir_become(struct sk_buff *skb,
				   void (*inherit)(struct sk_buff *skb,
						   void *data, bool own),
				   void *data)
{
	struct can_heir *heir = can_heir(skb);

	if (heir->inherit)
		heir->inherit(skb, heir->data, false);
	heir->inherit = inherit;
	heir->data = data;
}

/* Does the next frame of the device take what this one leaves in the cache of NAPI?
 * Otherwise that would only overfill, and be emptied, 32 frames at a time, at the
 * cost of one frame: with the frames of other devices, and with those that a socket
 * of this host has sent.
 */
static inline bool can_heir_recycles(const struct sk_buff *skb)
{
	return !skb->sk && can_get_ml_priv(skb->dev)->napi_skbs;
}

/**
 * can_heir_leave() - end to receive a frame
 * @skb: the frame, which the caller owns; is the heir's then, or freed. Its device is
 *	a CAN device
 *
 * Context: as all of this, with softirqs off.
 */
static inline void can_heir_leave(struct sk_buff *skb)
{
	const struct can_heir heir = *can_heir(skb);
	bool own = heir.inherit && !skb_shared(skb);

	if (heir.inherit)
		heir.inherit(skb, heir.data, own);
	if (own)
		return;
	if (can_heir_recycles(skb))
		napi_consume_skb(skb, 1);
	else
		consume_skb(skb);
}

#endif /* !_NET_CAN_HEIR_H */
