/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frame that a gateway rule modifies and sends.
 *
 * Contexts: any in which a frame may be received.
 */
#ifndef _NET_CAN_GW_SKB_H
#define _NET_CAN_GW_SKB_H

#include <linux/can.h>
#include <linux/can/core.h>
#include <linux/can/skb.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/skbuff.h>

/* What classifiers, queueing disciplines, drivers and receivers may look at; CAN
 * frames have no route, no connection, and no room between headers.
 */
static inline void cgw_skb_copy_header(struct sk_buff *copy,
				       const struct sk_buff *skb)
{
	copy->ip_summed = CHECKSUM_UNNECESSARY;
	copy->tstamp = skb->tstamp;
	copy->tstamp_type = skb->tstamp_type;
	copy->priority = skb->priority;
	copy->mark = skb->mark;
	copy->queue_mapping = skb->queue_mapping;
	copy->skb_iif = skb->skb_iif;
	skb_copy_hash(copy, skb);
	skb_copy_secmark(copy, skb);
#ifdef CONFIG_NET_SCHED
	copy->tc_index = skb->tc_index;
#endif
#ifdef CONFIG_NET_RX_BUSY_POLL
	copy->napi_id = skb->napi_id;
#endif
}

/**
 * cgw_skb_copy() - a frame of its own for a rule
 * @skb: a received frame of any kind, with its private head
 *
 * A copy counts as another frame for CAN_RAW sockets that want each frame once.
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
	struct sk_buff *copy = alloc_skb(sizeof(struct can_skb_priv) + room,
					 GFP_ATOMIC);

	if (!copy)
		return NULL;
	can_skb_reserve(copy);
	*can_skb_prv(copy) = *can_skb_prv(skb);
	can_skb_prv(copy)->skbcnt = 0;
	can_set_skb_uid(copy);
	/* most frames are short ones, and then this is two words */
	if (skb->len == CAN_MTU)
		memcpy(skb_put(copy, CAN_MTU), skb->data, CAN_MTU);
	else
		skb_put_data(copy, skb->data, skb->len);
	cgw_skb_copy_header(copy, skb);
	return copy;
}

#endif /* !_NET_CAN_GW_SKB_H */
