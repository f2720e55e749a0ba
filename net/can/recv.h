/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/* How recvmsg() of CAN sockets waits for frames. */
#ifndef _NET_CAN_RECV_H
#define _NET_CAN_RECV_H

#include <linux/skbuff.h>
#include <net/sock.h>

#ifdef CONFIG_PREEMPT_RT
struct sk_buff *can_recv_datagram(struct sock *sk, unsigned int flags, int *err);
#else
static inline struct sk_buff *can_recv_datagram(struct sock *sk,
						unsigned int flags, int *err)
{
	return skb_recv_datagram(sk, flags, err);
}
#endif

#endif /* !_NET_CAN_RECV_H */
