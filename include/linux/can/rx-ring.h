/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The ring mode of can_rx_offload: for controllers whose interrupt handler can
 * read a frame at once, because they are small.
 *
 *	controller --irq--> ring --NAPI--> skbs of frames, echoes and errors
 *
 * The interrupt handler moves what the chip holds into a ring that was allocated
 * before: frames with the time at which they were read, transmissions that are
 * completed, and events that the driver defines, such as an error condition with
 * the registers that describe it. NAPI takes them out in this order and makes
 * skbs of them. It may be a softirq, a thread, or the poll of a busy reader, in
 * which case the chip is read by the poll, too.
 *
 * Who may do what:
 *
 * - The producer is who holds can_rx_ring_lock(), a raw spinlock with interrupts
 *   off. The interrupt handler takes it around all that it does with the chip; a
 *   poll that reads the chip, the timer that ends a pause of interrupts, and a
 *   restart take it too. Nothing that is called with it allocates memory or
 *   sleeps, also on PREEMPT_RT, so a handler can be a hard interrupt there.
 *   Interrupts are off for as long as the lock is held, so a driver reads a few
 *   frames at a time: a handler returns after them and is called again as long as
 *   the interrupt line is active, and a poll releases the lock in between.
 * - The consumer is NAPI, which runs on one CPU at a time. It takes no lock.
 * - Entries pass from one to the other by the index of the producer, which is
 *   stored after the entry is complete, and back by that of the consumer, which
 *   is stored after the entry has been read:
 *
 *	producer			consumer
 *
 *	if (head - tail[A] < size)	if (head[A] != tail)
 *		entry[head] = ...		... = entry[tail]
 *		head[R] = head + 1		tail[R] = tail + 1
 *
 *	[A] is load-acquire, [R] is store-release
 *
 * - A transmission occupies an echo skb, a slot, from ndo_start_xmit() until
 *   NAPI has taken its entry out. Slots are used and become free in the same
 *   order. The transmit queue is stopped while none is free, or, by the driver,
 *   while the chip has no room; who ends the one or the other condition calls
 *   can_rx_ring_wake(), which looks at both. It may wake a queue that was stopped
 *   again meanwhile, so ndo_start_xmit() begins with can_rx_ring_tx_busy().
 *
 * A thread that reads the chip had better wait while can_rx_ring_room() says no.
 * A frame that finds the ring full is lost: it is counted in rx_dropped and
 * rx_fifo_errors of the interface, and an error frame with
 * CAN_ERR_CRTL_RX_OVERFLOW follows the frames that came before it, one for all
 * that were lost together. The same holds for events. There is always room for
 * completed transmissions and for events that are kept (see
 * can_rx_ring_event()).
 *
 * ndo_open() calls can_rx_ring_enable() before the chip is started. ndo_stop()
 * calls can_rx_ring_disable() while the chip can still be accessed and before it
 * is stopped; what is in the ring then is forgotten, echo skbs are for
 * close_candev() to free. can_rx_offload_del() frees the ring; the interrupt must
 * have been freed before.
 */
#ifndef _CAN_RX_RING_H
#define _CAN_RX_RING_H

#include <linux/can.h>
#include <linux/can/rx-offload.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>

/* Entries: 48 ms of the shortest frames at 1 Mbit/s (47 bits each) */
#define CAN_RX_RING_SIZE 1024

/* of which that many are kept free of frames and of events that may get lost */
#define CAN_RX_RING_RESERVED 64

/* Slots for transmissions that are not yet echoed. Less than a transmit queue
 * has, and more than a chip sends while NAPI waits for its turn.
 */
#define CAN_RX_RING_SLOTS 32

/**
 * enum can_rx_ring_kind - what an entry is
 * @CAN_RX_RING_FRAME: a data or remote frame; its length code is in @dlc
 * @CAN_RX_RING_SENT: a transmission is complete, that of @slot
 * @CAN_RX_RING_NOT_SENT: a transmission has ended without success, that of @slot
 * @CAN_RX_RING_ABORTED: the controller was reset while that of @slot was waiting
 * @CAN_RX_RING_EVENT: what the driver says; @id and @data belong to it
 * @CAN_RX_RING_RESTARTED: the controller is started again after bus off
 */
enum can_rx_ring_kind {
	CAN_RX_RING_FRAME,
	CAN_RX_RING_SENT,
	CAN_RX_RING_NOT_SENT,
	CAN_RX_RING_ABORTED,
	CAN_RX_RING_EVENT,
	CAN_RX_RING_RESTARTED,
};

/**
 * struct can_rx_ring_entry - what goes through the ring
 * @time: when the interrupt handler saw it (CLOCK_REALTIME)
 * @id: identifier with CAN_EFF_FLAG and CAN_RTR_FLAG
 * @lost: entries for which there was no room before it
 * @kind: an enum can_rx_ring_kind
 * @dlc: data length code as on the bus, 0 to 15
 * @slot: echo skb of a transmission
 * @data: of the frame; bytes behind its length are not looked at
 */
struct can_rx_ring_entry {
	ktime_t time;
	u32 id;
	u32 lost;
	u8 kind;
	u8 dlc;
	u8 slot;
	u8 data[CAN_MAX_DLEN] __aligned(8);
};

/**
 * struct can_rx_ring_ops - what a driver knows of its chip
 * @event: NAPI has come to an event; it may build an error skb, for
 *	can_rx_ring_receive(), and change the state of the interface. Called in the
 *	context of NAPI with softirqs off, without lock.
 * @read: move a few frames that the chip holds into the ring, and return whether
 *	it holds more. Called with the ring's lock, which is released in between. May
 *	be NULL, then a poll does not read the chip.
 * @mask: switch the receive interrupts of the chip off or on again, and no
 *	others. May be NULL, then they stay on while a reader polls. Called with
 *	the ring's lock.
 * @ready: can the chip take another frame? Called in any context, also while
 *	ndo_start_xmit() runs: what makes it false has to be stored before the
 *	queue is stopped (smp_mb__before_atomic()).
 */
struct can_rx_ring_ops {
	void (*event)(struct can_rx_offload *offload,
		      const struct can_rx_ring_entry *entry);
	bool (*read)(struct can_rx_offload *offload);
	void (*mask)(struct can_rx_offload *offload, bool mask);
	bool (*ready)(struct can_rx_offload *offload);
};

/**
 * struct can_rx_ring - the ring of an interface
 * @ops: of the driver
 * @offload: that it belongs to
 * @lock: of the producer
 * @head: entries that were put in; written by the producer, with the lock
 * @lost: entries for which there was no room; like @head
 * @filled: NAPI is to be told of an entry or a loss; like @head
 * @fill_ns: how long the chip can keep all frames that may come, 0 if it is not
 *	known; written while NAPI is disabled
 * @masked: receive interrupts are switched off, and a poll has read the chip until
 *	it was empty or is reading it; protected by @lock
 * @read_at: when a poll has read the chip last; protected by @lock
 * @unmask_timer: ends the pause of interrupts if nobody reads the chip for @fill_ns
 * @scratch: takes what finds no room
 * @tx_head: slots that were used; written by ndo_start_xmit(), with its lock
 * @tail: entries that were taken out; written by NAPI, like all below
 * @tx_tail: slots that became free
 * @reported: entries that were lost, as far as the user knows
 * @polled: the last poll was that of a busy reader
 * @entry: what is in the ring
 */
struct can_rx_ring {
	const struct can_rx_ring_ops *ops;
	struct can_rx_offload *offload;

	raw_spinlock_t lock;
	unsigned int head;
	unsigned int lost;
	bool filled;
	bool masked;
	u64 fill_ns;
	ktime_t read_at;
	struct hrtimer unmask_timer;
	struct can_rx_ring_entry scratch;

	unsigned int tx_head ____cacheline_aligned_in_smp;

	unsigned int tail ____cacheline_aligned_in_smp;
	unsigned int tx_tail;
	unsigned int reported;
	bool polled;

	struct can_rx_ring_entry entry[CAN_RX_RING_SIZE] ____cacheline_aligned_in_smp;
};

int can_rx_offload_add_ring(struct net_device *dev,
			    struct can_rx_offload *offload,
			    const struct can_rx_ring_ops *ops);
void can_rx_ring_enable(struct can_rx_offload *offload, u64 fill_ns);
void can_rx_ring_disable(struct can_rx_offload *offload);

struct can_rx_ring_entry *can_rx_ring_reserve(struct can_rx_offload *offload);
void can_rx_ring_commit(struct can_rx_offload *offload,
			struct can_rx_ring_entry *entry);
void can_rx_ring_slot_use(struct can_rx_offload *offload);
bool can_rx_ring_tx_busy(struct can_rx_offload *offload);
void can_rx_ring_wake(struct can_rx_offload *offload);
void can_rx_ring_aborted(struct can_rx_offload *offload, unsigned int slot);
void can_rx_ring_sent(struct can_rx_offload *offload, unsigned int slot,
		      bool success);
void can_rx_ring_event(struct can_rx_offload *offload, u32 id, const u8 *data,
		       bool keep);
void can_rx_ring_restarted(struct can_rx_offload *offload);
irqreturn_t can_rx_ring_finish(struct can_rx_offload *offload,
			       unsigned long flags)
	__releases(&offload->ring->lock);
void can_rx_ring_kick(struct can_rx_offload *offload);
void can_rx_ring_receive(struct can_rx_offload *offload, struct sk_buff *skb,
			 ktime_t time);

/**
 * can_rx_ring_lock() - become the producer
 * @offload: of the interface
 * @flags: for can_rx_ring_finish() or can_rx_ring_unlock()
 *
 * Context: any. Interrupts are off afterwards.
 */
#define can_rx_ring_lock(offload, flags) \
	raw_spin_lock_irqsave(&(offload)->ring->lock, flags)

/**
 * can_rx_ring_unlock() - be the producer no more
 * @offload: of the interface
 * @flags: of can_rx_ring_lock()
 *
 * If something was put in, can_rx_ring_finish() or can_rx_ring_kick() has to
 * follow some time.
 */
#define can_rx_ring_unlock(offload, flags) \
	raw_spin_unlock_irqrestore(&(offload)->ring->lock, flags)

/**
 * can_rx_ring_slot() - the slot of the next transmission
 * @offload: of the interface
 *
 * It is that of can_put_echo_skb() and of can_rx_ring_sent(). It is used from
 * can_rx_ring_slot_use() on.
 *
 * Context: ndo_start_xmit(), after can_rx_ring_tx_busy().
 * Return: index of an echo skb.
 */
static inline unsigned int can_rx_ring_slot(struct can_rx_offload *offload)
{
	return offload->ring->tx_head % CAN_RX_RING_SLOTS;
}

/**
 * can_rx_ring_room() - is there room for frames?
 * @offload: of the interface
 * @frames: how many, with events that may get lost; at most CAN_RX_RING_SIZE -
 *	CAN_RX_RING_RESERVED
 *
 * For a thread that reads the chip and may have a higher priority than NAPI: if
 * it goes on, more is lost than if it lets NAPI make room.
 *
 * Context: any. For the producer, there is at least as much room as it says.
 * Return: true if none of them would be lost.
 */
static inline bool can_rx_ring_room(struct can_rx_offload *offload,
				    unsigned int frames)
{
	struct can_rx_ring *ring = offload->ring;

	return READ_ONCE(ring->head) - READ_ONCE(ring->tail) + frames <=
	       CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED;
}

/**
 * can_rx_ring_masked() - are receive interrupts masked?
 * @offload: of the interface
 *
 * Then the chip may hold frames that came before what another interrupt tells of.
 *
 * Context: the producer.
 * Return: true if they are.
 */
static inline bool can_rx_ring_masked(struct can_rx_offload *offload)
{
	return offload->ring->masked;
}

#endif /* !_CAN_RX_RING_H */
