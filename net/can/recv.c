// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * How recvmsg() of CAN sockets waits for frames on PREEMPT_RT.
 *
 * There, the lock of a wait queue can be preempted, and whoever wakes a task of higher
 * priority is preempted at once, with this lock. A task that waits in skb_recv_datagram()
 * needs the lock to leave the wait queue, because its entry is only removed after it was
 * woken. So it blocks again, and two more thread switches come before it has its frame.
 * Here, the entry is removed before the task is woken, and the task needs no lock.
 *
 * Contexts and locks: recv_wake() is called with the lock of the wait queue, and the task
 * may leave the queue without it as soon as the entry is removed. Then the entry is gone,
 * and the task may exit, so recv_wake() holds a reference to it.
 */
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/wait.h>
#include <net/busy_poll.h>

#include "recv.h"

/* Return: 1 if a task was woken, or 0; then another one may be. */
static int recv_wake(wait_queue_entry_t *wait, unsigned int mode, int sync,
		     void *key)
{
	struct task_struct *task = wait->private;
	wait_queue_entry_t waker = { .private = task };
	int woken;

	/* not for room to send */
	if (key && !(key_to_poll(key) & (EPOLLIN | EPOLLERR)))
		return 0;
	get_task_struct(task);
	list_del_init_careful(&wait->entry);
	woken = default_wake_function(&waker, mode, sync, key);
	put_task_struct(task);
	return woken;
}

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
static int recv_wait(struct sock *sk, long *timeout)
{
	DEFINE_WAIT_FUNC(wait, recv_wake);
	bool interrupted;

	prepare_to_wait_exclusive(sk_sleep(sk), &wait, TASK_INTERRUPTIBLE);
	interrupted = signal_pending(current);
	if (!recv_ready(sk) && !interrupted)
		*timeout = schedule_timeout(*timeout);
	finish_wait(sk_sleep(sk), &wait);
	return interrupted && !recv_ready(sk) ? sock_intr_errno(*timeout) : 0;
}

/**
 * can_recv_datagram() - skb_recv_datagram() for a task that waits for frames
 * @sk: of a connectionless protocol, whose sockets are not shut down
 * @flags: of recvmsg()
 * @err: error, if there is no skb
 *
 * As skb_recv_datagram(): SO_RCVTIMEO, signals, MSG_PEEK and MSG_DONTWAIT, and busy polling.
 *
 * Context: Process context.
 * Return: an skb, or NULL.
 */
struct sk_buff *can_recv_datagram(struct sock *sk, unsigned int flags, int *err)
{
	long timeout = sock_rcvtimeo(sk, flags & MSG_DONTWAIT);
	struct sk_buff *skb;

	/* MSG_DONTWAIT would poll only once */
	if (sk_can_busy_loop(sk))
		return skb_recv_datagram(sk, flags, err);
	for (;;) {
		skb = skb_recv_datagram(sk, flags | MSG_DONTWAIT, err);
		if (skb || *err != -EAGAIN || !timeout)
			return skb;
		*err = recv_wait(sk, &timeout);
		if (*err)
			return NULL;
	}
}
EXPORT_SYMBOL_GPL(can_recv_datagram);
