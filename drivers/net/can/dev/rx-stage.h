/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On PREEMPT_RT, a softirq waits for the softirqs that run on its CPU, and so does
 * a thread that disables BHs, whatever its priority. So frames take one more stage
 * there, between the ring and NAPI:
 *
 *	ring --thread--> skbs, given to CAN_RAW sockets --NAPI--> everybody else
 *
 * A thread of the interface makes skbs of the entries, and gives them to the
 * sockets without disabling BHs (linux/can/rx-direct.h). NAPI passes these skbs to
 * the network stack and frees the entries. A mark in the skb tells that the
 * sockets had it, so everybody gets a frame once. A NAPI poll first does what the
 * thread has not done yet, so nothing depends on the thread but latency.
 *
 * Contexts and locks:
 *
 * - can_rx_stage.lock serializes the thread and polls that make skbs. Who waits
 *   for it waits for work of its own, at most that of a poll.
 * - @next is stored after the skbs of an entry, which passes them to NAPI. NAPI
 *   stores can_rx_ring.tail after it has passed them on, which frees the entry.
 *   Then it frees the slot of a transmission, too, and wakes the transmit queue,
 *   because the thread must not raise a softirq.
 * - Frames that the sockets did not get from the thread reach them through NAPI.
 *   Until it has passed all of these on, later frames take the same way, so that
 *   a socket gets frames in the order of the bus.
 * - The producer wakes the thread with the ring's lock, under which the thread is
 *   exchanged.
 */
#ifndef _CAN_RX_STAGE_H
#define _CAN_RX_STAGE_H

#include <linux/can/can-ml.h>
#include <linux/can/rx-ring.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>

/**
 * struct can_rx_stage - skbs between the ring of an interface and NAPI
 * @lock: of those who make skbs
 * @thread: of the interface, while it is up and has one; written with
 *	can_rx_ring.lock and rtnl_lock()
 * @wanted: the interface gets a thread when it comes up; protected by
 *	rtnl_lock(), like @threaded
 * @threaded: NAPI was made a thread once
 * @woken: entries were put in since the thread looked
 * @direct: give skbs to sockets; protected by @lock, like @next and
 *	@indirect_end
 * @id: can_ml_priv.direct_id, or 0
 * @next: number of entries of which skbs were made
 * @indirect_end: the sockets have all skbs but some of entries before this one
 * @skb: of each entry between can_rx_ring.tail and @next, linked by next
 */
struct can_rx_stage {
	spinlock_t lock;	/* of those who make skbs */
	struct task_struct *thread;
	bool wanted;
	bool threaded;
	bool woken;
	bool direct;
	int id;
	unsigned int next;
	unsigned int indirect_end;
	struct sk_buff *skb[CAN_RX_RING_SIZE];
};

#ifdef CAN_RX_DIRECT

int can_rx_stage_init(struct can_rx_offload *offload);
void can_rx_stage_exit(struct can_rx_offload *offload);
void can_rx_stage_enable(struct can_rx_offload *offload);
void can_rx_stage_disable(struct can_rx_offload *offload);
void can_rx_stage_add(struct can_rx_offload *offload, struct sk_buff *skb);

/* Is there a stage? */
static inline bool can_rx_ring_staged(const struct can_rx_ring *ring)
{
	return ring->stage;
}

#else /* CAN_RX_DIRECT */

static inline int can_rx_stage_init(struct can_rx_offload *offload)
{
	return 0;
}

static inline void can_rx_stage_exit(struct can_rx_offload *offload)
{
}

static inline void can_rx_stage_enable(struct can_rx_offload *offload)
{
}

static inline void can_rx_stage_disable(struct can_rx_offload *offload)
{
}

static inline void can_rx_stage_add(struct can_rx_offload *offload,
				    struct sk_buff *skb)
{
}

static inline bool can_rx_ring_staged(const struct can_rx_ring *ring)
{
	return false;
}

#endif /* CAN_RX_DIRECT */

/* in rx-ring.c */
int can_rx_ring_fill_stage(struct can_rx_offload *offload, int count);

/* Without PREEMPT_RT, a poll in a softirq may interrupt the thread of a test. */
static inline void can_rx_stage_lock(struct can_rx_stage *stage)
	__acquires(&stage->lock)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		spin_lock(&stage->lock);
	else
		spin_lock_bh(&stage->lock);
}

static inline void can_rx_stage_unlock(struct can_rx_stage *stage)
	__releases(&stage->lock)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		spin_unlock(&stage->lock);
	else
		spin_unlock_bh(&stage->lock);
}

/**
 * can_rx_stage_wake() - wake the thread
 * @ring: in which there are new entries
 *
 * Also while a task busy-polls, which may be kept from running.
 *
 * Context: the producer.
 * Return: false if there is no thread.
 */
static inline bool can_rx_stage_wake(struct can_rx_ring *ring)
{
	if (!can_rx_ring_staged(ring) || !ring->stage->thread)
		return false;
	/* Pairs with xchg() in rx_stage_thread(): a thread that was woken
	 * before and has not looked yet sees the entries.
	 */
	if (!xchg(&ring->stage->woken, true))
		wake_up_process(ring->stage->thread);
	return true;
}

/**
 * can_rx_stage_take() - take the next skb of an entry
 * @stage: of the interface
 * @index: of the entry
 *
 * Context: NAPI, or whoever has made it.
 * Return: the skb, or NULL.
 */
static inline struct sk_buff *can_rx_stage_take(struct can_rx_stage *stage,
						unsigned int index)
{
	struct sk_buff **at = &stage->skb[index % CAN_RX_RING_SIZE];
	struct sk_buff *skb = *at;

	if (skb) {
		*at = skb->next;
		skb_mark_not_on_list(skb);
	}
	return skb;
}

#endif /* !_CAN_RX_STAGE_H */
