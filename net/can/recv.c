// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * How recvmsg() of CAN_RAW sockets waits for frames on PREEMPT_RT.
 *
 * There, the lock of a wait queue can be preempted, and whoever wakes a task of higher
 * priority is preempted at once, with this lock. A task that waits in skb_recv_datagram()
 * needs the lock to leave the wait queue. So it blocks again, and two more thread switches
 * come before it has its frame. Here it waits in a simple wait queue, whose lock is a raw
 * one: it runs when the lock is released.
 *
 * Contexts and locks: can_recv_ready() and can_recv_error() are called in any context but
 * hardirq, without a lock of this file. poll() and tasks that busy-poll still wait in the
 * wait queue of the socket. A simple wait queue may choose a task that runs already,
 * because of a signal or at the end of its time, so each task looks for a frame after it
 * has left the queue.
 */
#include <linux/export.h>
#include <linux/sched/signal.h>
#include <linux/swait.h>
#include <net/busy_poll.h>

#include "recv.h"

/**
 * can_recv_init() - let readers of a socket wait here, too
 * @recv: of the socket
 * @sk: the socket, whose sk_data_ready() will call can_recv_ready(), and whose
 *	sk_error_report() will call can_recv_error()
 */
void can_recv_init(struct can_recv *recv, const struct sock *sk)
{
	init_swait_queue_head(&recv->readers);
	recv->data_ready = sk->sk_data_ready;
	recv->error_report = sk->sk_error_report;
}
EXPORT_SYMBOL_GPL(can_recv_init);

/* Pairs with the barrier of set_current_state() in prepare_to_swait_exclusive(): either
 * the task sees the frame or the error, or it is seen here.
 */
static void recv_wake_one(struct can_recv *recv)
{
	if (swq_has_sleeper(&recv->readers))
		swake_up_one(&recv->readers);
}

/**
 * can_recv_ready() - wake those who poll, and a reader
 * @recv: of the socket
 * @sk: the socket, which has got a frame
 */
void can_recv_ready(struct can_recv *recv, struct sock *sk)
{
	recv->data_ready(sk);
	recv_wake_one(recv);
}
EXPORT_SYMBOL_GPL(can_recv_ready);

/**
 * can_recv_error() - wake those who poll, and a reader, which reports the error
 * @recv: of the socket
 * @sk: the socket
 */
void can_recv_error(struct can_recv *recv, struct sock *sk)
{
	recv->error_report(sk);
	recv_wake_one(recv);
}
EXPORT_SYMBOL_GPL(can_recv_error);

static bool recv_ready(const struct sock *sk)
{
	return !skb_queue_empty_lockless(&sk->sk_receive_queue) ||
	       READ_ONCE(sk->sk_err);
}

/* Wait until there may be a frame, or an error of the socket.
 *
 * Return: 0, or the error of a call that a signal ends. Not if there is a frame: nobody
 * else may have been woken for it.
 */
static int recv_wait(struct can_recv *recv, struct sock *sk, long *timeout)
{
	DECLARE_SWAITQUEUE(wait);
	bool interrupted;

	prepare_to_swait_exclusive(&recv->readers, &wait, TASK_INTERRUPTIBLE);
	interrupted = signal_pending(current);
	if (!recv_ready(sk) && !interrupted)
		*timeout = schedule_timeout(*timeout);
	finish_swait(&recv->readers, &wait);
	return interrupted && !recv_ready(sk) ? sock_intr_errno(*timeout) : 0;
}

/**
 * can_recv_datagram() - skb_recv_datagram() for tasks that wait here
 * @recv: of the socket
 * @sk: the socket, of a connectionless protocol, which is not shut down
 * @flags: of recvmsg()
 * @err: error, if there is no skb
 *
 * As skb_recv_datagram(): SO_RCVTIMEO, signals, MSG_PEEK and MSG_DONTWAIT. Sockets with
 * SO_BUSY_POLL wait there.
 *
 * Context: Process context, may sleep.
 * Return: an skb, or NULL.
 */
struct sk_buff *can_recv_datagram(struct can_recv *recv, struct sock *sk,
				  unsigned int flags, int *err)
{
	long timeout = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	struct sk_buff *skb;

	/* MSG_DONTWAIT would poll only once */
	if (sk_can_busy_loop(sk))
		return skb_recv_datagram(sk, flags, err);
	for (;;) {
		skb = skb_recv_datagram(sk, flags | MSG_DONTWAIT, err);
		if (skb)
			break;
		if (*err != -EAGAIN || !timeout)
			return NULL;
		*err = recv_wait(recv, sk, &timeout);
		if (*err)
			return NULL;
	}
	/* One reader is woken for several frames, see linux/can/rx-direct.h. */
	if (!skb_queue_empty_lockless(&sk->sk_receive_queue))
		recv_wake_one(recv);
	return skb;
}
EXPORT_SYMBOL_GPL(can_recv_datagram);
