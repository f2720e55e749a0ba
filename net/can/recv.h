/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/* How recvmsg() of CAN_RAW sockets waits for frames: contexts are described in recv.c. */
#ifndef _NET_CAN_RECV_H
#define _NET_CAN_RECV_H

#include <linux/skbuff.h>
#include <linux/swait.h>
#include <net/sock.h>

/**
 * struct can_recv - tasks that wait in recvmsg() of a socket; empty without PREEMPT_RT
 * @readers: the tasks, which busy polling ones do not belong to
 * @data_ready: what sk_data_ready() of the socket was
 * @error_report: what sk_error_report() of the socket was
 */
struct can_recv {
#ifdef CONFIG_PREEMPT_RT
	struct swait_queue_head readers;
	void (*data_ready)(struct sock *sk);
	void (*error_report)(struct sock *sk);
#endif
};

#ifdef CONFIG_PREEMPT_RT
void can_recv_init(struct can_recv *recv, const struct sock *sk);
void can_recv_ready(struct can_recv *recv, struct sock *sk);
void can_recv_error(struct can_recv *recv, struct sock *sk);
struct sk_buff *can_recv_datagram(struct can_recv *recv, struct sock *sk,
				  unsigned int flags, int *err);
#else
static inline struct sk_buff *can_recv_datagram(struct can_recv *recv,
						struct sock *sk,
						unsigned int flags, int *err)
{
	return skb_recv_datagram(sk, flags, err);
}
#endif

#endif /* !_NET_CAN_RECV_H */
