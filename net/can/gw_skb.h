/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The frame that a gateway rule modifies and sends.
 *
 * Contexts: softirq, where the memory for received frames is taken from.
 */
#ifndef _NET_CAN_GW_SKB_H
#define _NET_CAN_GW_SKB_H

#include <linux/can.h>
#include <linux/can/skb.h>
#include <linux/skbuff.h>

#define CGW_SKB_ROOM (sizeof(struct can_skb_priv) + CANFD_MTU)
#define CGW_SKB_SIZE (SKB_DATA_ALIGN(CGW_SKB_ROOM) + \
		      SKB_DATA_ALIGN(sizeof(struct skb_shared_info)))

/**
 * cgw_skb_copy() - a frame of its own for a rule
 * @skb: a received Classical CAN or CAN FD frame, with its private head
 *
 * The data goes into a page fragment, as NAPI uses them, which is not cleared again
 * each time. A copy counts as another frame for CAN_RAW sockets that want each frame
 * once.
 *
 * Context: softirq, or process with softirqs off; not in hard interrupts.
 * Return: the copy, without a socket, to be given to can_send(); NULL without
 * memory.
 */
static inline struct sk_buff *cgw_skb_copy(struct sk_buff *skb)
{
	void *head = napi_alloc_frag(CGW_SKB_SIZE);
	struct sk_buff *copy;

	if (!head)
		return NULL;
	copy = build_skb(head, CGW_SKB_SIZE);
	if (!copy) {
		skb_free_frag(head);
		return NULL;
	}
	can_skb_reserve(copy);
	*can_skb_prv(copy) = *can_skb_prv(skb);
	can_skb_prv(copy)->skbcnt = 0;
	/* most frames are short ones, and then this is two words */
	if (skb->len == CAN_MTU)
		memcpy(skb_put(copy, CAN_MTU), skb->data, CAN_MTU);
	else
		skb_put_data(copy, skb->data, skb->len);
	copy->ip_summed = CHECKSUM_UNNECESSARY;
	copy->tstamp = skb->tstamp;
	copy->tstamp_type = skb->tstamp_type;
	copy->priority = skb->priority;
	copy->mark = skb->mark;
	copy->queue_mapping = skb->queue_mapping;
	copy->skb_iif = skb->skb_iif;
	copy->hash = skb->hash;
	return copy;
}

#endif /* !_NET_CAN_GW_SKB_H */
