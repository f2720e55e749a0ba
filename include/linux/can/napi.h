/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The id of the NAPI instance that delivered a frame, for CAN sockets.
 *
 * A receive handler runs in softirq context, possibly on several CPUs for the
 * same socket; a busy-polling task reads the id in process context. The id is
 * one word, which the socket core accesses with WRITE_ONCE() and READ_ONCE().
 * Polling an id whose NAPI instance is gone fails in napi_by_id(). So there is
 * no lock here.
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
 * skb->napi_id is in a union with skb->sender_cpu. In a frame that was sent on
 * this host and looped back, it is the number of a CPU or 0; such values are
 * below MIN_NAPI_ID.
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
 * can_sk_mark_napi_id() - record in a socket which NAPI instance delivers its frames
 * @sk: socket that @skb is for
 * @skb: the frame as it came from the device, before protocols change it
 *
 * A protocol's receive handler calls this for each frame that it accepts.
 * SO_INCOMING_NAPI_ID returns the id, and SO_BUSY_POLL polls the instance. A
 * frame that no NAPI instance delivered, such as a looped back one, leaves the
 * id as it is.
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
 * can_skb_copy_napi_id() - copy the id to a message made of several frames
 * @msg: message that a transport protocol assembles
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
