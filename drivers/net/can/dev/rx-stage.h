/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * On PREEMPT_RT, a softirq waits for the softirqs that run on its CPU, and so does
 * a thread that disables BHs, whatever its priority. So frames take one more stage
 * there, between the ring and NAPI:
 *
 *	ring --thread--> skbs, given to CAN_RAW sockets --NAPI--> everybody else
 *
 * A thread of the interface makes skbs of the entries, frees the entries, and gives
 * the skbs to the sockets without disabling BHs (linux/can/rx-direct.h). If nobody
 * else wants them, that is all. Otherwise NAPI passes them to the network stack; a
 * mark in the skb tells that the sockets had it, so everybody gets a frame once. A
 * NAPI poll first does what the thread has not done yet, so nothing depends on the
 * thread but latency.
 *
 * NAPI may be kept from running for long, by threads of higher priority and by
 * softirqs. When CAN_RX_STAGE_SIZE skbs wait for it, further ones that the sockets
 * have got are dropped and counted in rx_dropped, so that the sockets lose none; an
 * error frame tells the others. Those that the sockets can only get from NAPI wait in
 * the ring.
 *
 * Contexts and locks:
 *
 * - can_rx_stage.lock serializes the thread and polls that make skbs, which write
 *   can_rx_ring.tail. Who waits for it waits for work of its own, that of a few
 *   entries.
 * - NAPI takes skbs out of the queue with the lock and passes them on without it.
 *   Then it frees the slots of transmissions, too, and wakes the transmit queue,
 *   because the thread must not raise a softirq. The thread does this itself if
 *   it can hand frames to the driver (linux/can/tx-direct.h), but not while NAPI
 *   has so many skbs to pass on that only the slots limit the number of echoes.
 * - Frames that the sockets did not get from the thread reach them through NAPI.
 *   Until it has passed all of these on, later frames take the same way, so that
 *   a socket gets frames in the order of the bus.
 * - The way of a frame only ends in the thread if NAPI has passed on all before, so
 *   that nobody who begins to receive gets an earlier one and not this one.
 * - The thread allocates skbs for the next frames when it has nothing else to do:
 *   the locks of the allocator may be held by threads of lower priority, and a new
 *   slab takes long. Nobody else uses these skbs.
 * - The producer wakes the thread with the ring's lock, under which the thread is
 *   exchanged. The thread is parked while the interface is down, so that it keeps
 *   the priority and the CPUs that an administrator gave it.
 */
#ifndef _CAN_RX_STAGE_H
#define _CAN_RX_STAGE_H

#include <linux/can/can-ml.h>
#include <linux/can/rx-ring.h>
#include <linux/if.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>

#include "rx-line.h"

/* skbs that wait for NAPI: 48 ms of the shortest frames at 1 Mbit/s */
#define CAN_RX_STAGE_SIZE 1024

/**
 * struct can_rx_stage - skbs between the ring of an interface and NAPI
 * @lock: of those who make skbs; protects @direct, @by_thread, @dropped, @queue,
 *	@queued, @indirect_end and @slots
 * @thread: of the interface, or NULL; written with can_rx_ring.lock and
 *	rtnl_lock()
 * @name: that @thread has; protected by rtnl_lock(), like @wanted and @threaded
 * @wanted: the interface gets a thread when it comes up
 * @threaded: NAPI was made a thread once
 * @woken: entries were put in since the thread looked
 * @line: interrupt line, if it is shared
 * @direct: give skbs to sockets
 * @by_thread: the thread makes skbs, and may drop them if @queue is full
 * @dropped: skbs were dropped because @queue was full
 * @id: can_ml_priv.direct_id, or 0
 * @queue: skbs for NAPI
 * @spare: skbs for the next frames; of @thread, or of nobody
 * @queued: number of skbs put into @queue
 * @indirect_end: the sockets have all skbs but some of those before this one
 * @slots: a bit for each slot whose end was taken out, and that NAPI has to free
 * @passed: number of skbs that NAPI has passed on; written by NAPI
 * @passed_entries: value of can_rx_ring.tail for which NAPI had passed on the skbs of all
 *	entries before; written by NAPI
 */
struct can_rx_stage {
	spinlock_t lock;	/* of those who make skbs */
	struct task_struct *thread;
	char name[IFNAMSIZ];
	bool wanted;
	bool threaded;
	bool woken;
	struct can_rx_line line;
	bool direct;
	bool by_thread;
	bool dropped;
	int id;
	struct sk_buff_head queue;
	struct sk_buff_head spare;
	unsigned int queued;
	unsigned int indirect_end;
	unsigned long slots;
	unsigned int passed;
	unsigned int passed_entries;
};

#ifdef CAN_RX_DIRECT

#include <linux/can/rx-direct.h>
#include <linux/can/tx-direct.h>

int can_rx_stage_init(struct can_rx_offload *offload);
void can_rx_stage_exit(struct can_rx_offload *offload);
void can_rx_stage_enable(struct can_rx_offload *offload);
void can_rx_stage_disable(struct can_rx_offload *offload);
bool can_rx_stage_room(struct can_rx_offload *offload);
struct sk_buff *can_rx_stage_alloc_skb(struct can_rx_offload *offload);
void can_rx_stage_add(struct can_rx_offload *offload, struct sk_buff *skb);
void can_rx_stage_prepare(struct can_rx_offload *offload);
int can_rx_stage_fill(struct can_rx_offload *offload, int budget);
int can_rx_stage_poll(struct can_rx_offload *offload, int budget);
int can_rx_stage_pass(struct can_rx_offload *offload, int budget);
void can_rx_stage_flush(struct can_rx_offload *offload);

/* Is there a stage? */
static inline bool can_rx_ring_staged(const struct can_rx_ring *ring)
{
	return ring->stage;
}

/* Is there a thread of the interface? */
static inline bool can_rx_stage_has_thread(const struct can_rx_ring *ring)
{
	return ring->stage && READ_ONCE(ring->stage->thread);
}

/* The handler of the interface was called, and still has the lock of the ring. */
static inline void can_rx_stage_interrupt(struct can_rx_ring *ring)
{
	if (ring->stage && in_hardirq())
		can_rx_line_interrupt(&ring->stage->line);
}

/**
 * can_rx_stage_cancel_timer() - do without the timer of the network core
 * @ring: that is polled
 * @napi: which the caller owns
 *
 * After gro_flush_timeout this timer would schedule NAPI, whose thread keeps a
 * busy-polling task from polling, and cannot run if that task has a higher priority.
 * Beside the thread of the interface, it is not needed: can_rx_ring.unmask_timer
 * unmasks interrupts.
 *
 * If entries are left when the last poll of a task ends, NAPI is not complete, and the
 * timer is left to the core.
 *
 * Context: a NAPI poll.
 * Return: true if there is a thread. Then napi_complete_done() has to be told of no
 * work, or it would start the timer.
 */
static inline bool can_rx_stage_cancel_timer(struct can_rx_ring *ring,
					     struct napi_struct *napi)
{
	if (!can_rx_stage_has_thread(ring))
		return false;
	napi->defer_hard_irqs_count = 0;
	if (hrtimer_is_queued(&napi->timer))
		hrtimer_try_to_cancel(&napi->timer);
	return true;
}

/**
 * can_rx_stage_wake() - wake the thread
 * @ring: in which there are new entries
 *
 * Also while a task busy-polls, which may be kept from running. Not if there is
 * nobody to give frames to, and the thread cannot hand on frames when transmissions
 * end: NAPI then needs no help.
 *
 * Context: the producer.
 * Return: false if NAPI has to do the work.
 */
static inline bool can_rx_stage_wake(struct can_rx_ring *ring)
{
	if (!ring->stage || !ring->stage->thread)
		return false;
	if (!can_rx_direct_used(ring->offload->dev) &&
	    !can_tx_direct_used(ring->offload->dev))
		return false;
	/* Pairs with xchg() in rx_stage_thread(): a thread that was woken
	 * before and has not looked yet sees the entries.
	 */
	if (!xchg(&ring->stage->woken, true))
		wake_up_process(ring->stage->thread);
	return true;
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

static inline bool can_rx_stage_room(struct can_rx_offload *offload)
{
	return true;
}

static inline struct sk_buff *
can_rx_stage_alloc_skb(struct can_rx_offload *offload)
{
	return NULL;
}

static inline void can_rx_stage_add(struct can_rx_offload *offload,
				    struct sk_buff *skb)
{
}

static inline int can_rx_stage_fill(struct can_rx_offload *offload, int budget)
{
	return 0;
}

static inline int can_rx_stage_poll(struct can_rx_offload *offload, int budget)
{
	return 0;
}

static inline int can_rx_stage_pass(struct can_rx_offload *offload, int budget)
{
	return 0;
}

static inline void can_rx_stage_flush(struct can_rx_offload *offload)
{
}

static inline bool can_rx_ring_staged(const struct can_rx_ring *ring)
{
	return false;
}

static inline bool can_rx_stage_has_thread(const struct can_rx_ring *ring)
{
	return false;
}

static inline void can_rx_stage_interrupt(struct can_rx_ring *ring)
{
}

static inline bool can_rx_stage_cancel_timer(struct can_rx_ring *ring,
					     struct napi_struct *napi)
{
	return false;
}

static inline bool can_rx_stage_wake(struct can_rx_ring *ring)
{
	return false;
}

#endif /* CAN_RX_DIRECT */

/* With the lock: the end of a transmission was taken out. */
static inline void can_rx_stage_keep_slot(struct can_rx_stage *stage,
					  unsigned int slot)
{
	WRITE_ONCE(stage->slots, stage->slots | BIT(slot));
}

/* Of how many entries has NAPI passed on the skbs? The caller sees what receivers have done
 * with them.
 *
 * Return: number of entries for which this is true, or less.
 */
static inline unsigned int
can_rx_stage_passed_entries(const struct can_rx_stage *stage)
{
	/* Pairs with smp_store_release() in can_rx_stage_pass() */
	return smp_load_acquire(&stage->passed_entries);
}

/* in rx-ring.c */
int can_rx_ring_thread_poll(struct can_rx_offload *offload, int count);
int can_rx_ring_take_out(struct can_rx_offload *offload, int budget);
void can_rx_ring_free_slot(struct can_rx_offload *offload, unsigned int slot);

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

#endif /* !_CAN_RX_STAGE_H */
