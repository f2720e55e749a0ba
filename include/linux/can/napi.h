/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * What CAN sockets remember of the NAPI instance that delivered their frames.
 *
 * A receive handler runs in softirq context, on several CPUs at the same time
 * for one socket; a busy-polling reader looks at the socket in process context.
 * The id is one word, written and read with WRITE_ONCE() and READ_ONCE() by
 * the socket core, and a reader that finds an id whose NAPI instance has gone
 * only fails to poll (napi_by_id() finds nothing). So there is no lock here.
 */
#ifndef _CAN_NAPI_H
#define _CAN_NAPI_H

#include <linux/skbuff.h>
#include <net/busy_poll.h>
#include <net/sock.h>

/**
 * can_skb_has_napi_id() - did a NAPI instance deliver this frame?
 * @skb: received frame
 *
 * skb->napi_id shares its place with skb->sender_cpu. In a frame that was sent
 * on this machine and looped back, that place holds the number of a CPU, or
 * nothing at all; such values are below MIN_NAPI_ID.
 *
 * Context: any.
 * Return: true for the id of a NAPI instance.
 */
static inline bool can_skb_has_napi_id(const struct sk_buff *skb)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	return skb->napi_id >= MIN_NAPI_ID;
#else
	return false;
#endif
}

/**
 * can_sk_mark_napi_id() - let a socket learn who delivers its frames
 * @sk: socket that @skb is for
 * @skb: the frame as it came from the device, before protocols change it
 *
 * To be called by a protocol's receive handler for each frame that it accepts.
 * SO_INCOMING_NAPI_ID then answers with the id, and SO_BUSY_POLL knows what to
 * poll. A frame that no NAPI instance delivered leaves the socket as it is, so
 * that a looped back frame does not make it forget.
 *
 * Context: softirq. No lock needed.
 */
static inline void can_sk_mark_napi_id(struct sock *sk,
				       const struct sk_buff *skb)
{
	if (can_skb_has_napi_id(skb))
		sk_mark_napi_id(sk, skb);
}

/**
 * can_skb_copy_napi_id() - pass the id on to a message made of several frames
 * @msg: message that a transport protocol puts together
 * @skb: a received frame that is part of it
 *
 * Context: any in which the caller may write to @msg.
 */
static inline void can_skb_copy_napi_id(struct sk_buff *msg,
					const struct sk_buff *skb)
{
#ifdef CONFIG_NET_RX_BUSY_POLL
	if (can_skb_has_napi_id(skb))
		msg->napi_id = skb->napi_id;
#endif
}

#endif /* !_CAN_NAPI_H */
