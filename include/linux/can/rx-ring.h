/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The ring mode of can_rx_offload: for controllers with few receive buffers,
 * which the interrupt handler empties.
 *
 *	controller --irq--> ring --NAPI--> skbs of frames, echoes and errors
 *
 * The interrupt handler moves what the chip holds into a preallocated ring:
 * frames with the time at which they were read, completed transmissions, and
 * events that the driver defines, such as an error condition with the registers
 * that describe it. NAPI takes the entries out in this order and makes skbs of
 * them. NAPI may be a softirq, a thread, or the poll of a busy-polling task;
 * such a poll reads the chip, too, and after an overflow any other.
 *
 * Contexts and locks:
 *
 * - The producer is the holder of can_rx_ring_lock(), a raw spinlock with
 *   interrupts off. The interrupt handler takes it around all accesses to the
 *   chip. A poll that reads the chip, the timer that unmasks interrupts, and a
 *   restart take it, too. Nothing under this lock allocates memory or sleeps,
 *   also on PREEMPT_RT, so the handler can be a hard interrupt there.
 *   Interrupts are off while the lock is held, so a driver reads a few frames
 *   at a time: a handler returns after them and is called again while the
 *   interrupt line is active, and a poll releases the lock in between.
 * - A poll that reads the chip may leave nothing to the handler of an interrupt
 *   that has occurred. The handler asks can_rx_ring_test_taken() then, because
 *   the interrupt core disables a line whose interrupts nobody handles.
 * - The consumer is NAPI, which runs on one CPU at a time. It takes no lock. On
 *   PREEMPT_RT, a thread of the interface and NAPI take entries out, with a lock of
 *   theirs, and leave skbs for NAPI (drivers/net/can/dev/rx-stage.h).
 * - The producer stores its index after an entry is complete, which passes the
 *   entry to the consumer. The consumer stores its index after it has read the
 *   entry, which passes it back:
 *
 *	producer			consumer
 *
 *	if (head - tail[A] < size)	if (head[A] != tail)
 *		entry[head] = ...		... = entry[tail]
 *		head[R] = head + 1		tail[R] = tail + 1
 *
 *	[A] is load-acquire, [R] is store-release
 *
 * - A slot is the index of an echo skb. A transmission occupies one from
 *   ndo_start_xmit() until NAPI frees it, after its entry was taken out, in any
 *   order. The transmit queue is stopped
 *   while no slot is free, or, by the driver, while the chip has no room. The
 *   code that ends either condition calls can_rx_ring_wake(), which checks both.
 *   It may wake a queue that was stopped again meanwhile, so ndo_start_xmit()
 *   begins with can_rx_ring_tx_busy().
 *
 * A thread that reads the chip should wait while can_rx_ring_room() returns
 * false. Frames that arrive while the ring is full are dropped and counted in
 * rx_dropped and rx_fifo_errors of the interface. One error frame with
 * CAN_ERR_CRTL_RX_OVERFLOW reports all frames that were dropped together; it
 * follows the frames before them. The same holds for events. A driver may leave
 * frames in the chip instead (see can_rx_ring_enable()). There is always
 * room for completed transmissions and for events that must not be lost (see
 * can_rx_ring_event()).
 *
 * ndo_open() calls can_rx_ring_enable() before the chip is started. ndo_stop()
 * calls can_rx_ring_disable() before the chip is stopped and while it can be
 * accessed. After the chip is stopped and its interrupt freed, it calls
 * can_rx_ring_flush(), which echoes the frames that were sent. Other entries
 * that are in the ring then are discarded. close_candev() drops the frames that
 * were not sent. can_rx_offload_del() frees the ring; the interrupt must have
 * been freed before.
 */
#ifndef _CAN_RX_RING_H
#define _CAN_RX_RING_H

#include <linux/can.h>
#include <linux/can/can-ml.h>
#include <linux/can/rx-offload.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>

/* Entries: 48 ms of the shortest frames at 1 Mbit/s (47 bits each) */
#define CAN_RX_RING_SIZE 1024

/* Entries that frames, and events that may be lost, leave free: one for each
 * slot, one for the entry that is being taken out, and others for events that
 * must not be lost
 */
#define CAN_RX_RING_RESERVED 64

/* Slots for transmissions that are not yet echoed. If none is free, the queue
 * is stopped until the NAPI poll runs. 32 frames take at least 1.5 ms at 1
 * Mbit/s.
 */
#define CAN_RX_RING_SLOTS 32

/**
 * enum can_rx_ring_kind - kinds of entries
 * @CAN_RX_RING_FRAME: a data or remote frame; its length code is in @dlc
 * @CAN_RX_RING_SENT: the transmission of @slot is complete
 * @CAN_RX_RING_NOT_SENT: the transmission of @slot has failed
 * @CAN_RX_RING_ABORTED: the controller was reset before the transmission of
 *	@slot
 * @CAN_RX_RING_EVENT: an event; the driver defines @id and @data
 * @CAN_RX_RING_RESTARTED: the controller is started again after bus off
 * @CAN_RX_RING_EXPRESS: an express frame was sent (express.h)
 * @CAN_RX_RING_NO_EXPRESS: the transmission of an express frame has failed
 */
enum can_rx_ring_kind {
	CAN_RX_RING_FRAME,
	CAN_RX_RING_SENT,
	CAN_RX_RING_NOT_SENT,
	CAN_RX_RING_ABORTED,
	CAN_RX_RING_EVENT,
	CAN_RX_RING_RESTARTED,
	CAN_RX_RING_EXPRESS,
	CAN_RX_RING_NO_EXPRESS,
};

/**
 * struct can_rx_ring_entry - an entry of the ring
 * @time: when the interrupt handler made the entry (CLOCK_REALTIME)
 * @id: identifier with CAN_EFF_FLAG and CAN_RTR_FLAG
 * @lost: entries that were dropped before this one
 * @kind: an enum can_rx_ring_kind
 * @dlc: data length code as on the bus, 0 to 15
 * @slot: echo skb of a transmission
 * @hops: of an express frame that sockets get, otherwise 0
 * @rules: can_express_rules.generation that a frame was offered to, or 0
 * @ifindex: the interface that received an express frame
 * @data: of the frame; bytes past its length are ignored
 */
struct can_rx_ring_entry {
	ktime_t time;
	u32 id;
	u32 lost;
	u8 kind;
	u8 dlc;
	u8 slot;
	u8 hops;
	union {
		u32 rules;
		int ifindex;
	};
	u8 data[CAN_MAX_DLEN] __aligned(8);
};

/**
 * enum can_rx_ring_mask - the interrupts of the chip that are masked
 * @CAN_RX_RING_MASK_NONE: none
 * @CAN_RX_RING_MASK_FRAMES: those of received frames, while a task busy-polls
 * @CAN_RX_RING_MASK_OVERRUNS: those of received frames and of overruns, after
 *	an entry was dropped because the ring was full, until it has some room
 */
enum can_rx_ring_mask {
	CAN_RX_RING_MASK_NONE,
	CAN_RX_RING_MASK_FRAMES,
	CAN_RX_RING_MASK_OVERRUNS,
};

/**
 * struct can_rx_ring_ops - operations of a driver
 * @event: handle an event: build an error skb for can_rx_ring_receive() and
 *	change the state of the interface. Called by the NAPI poll with BHs
 *	disabled, or on PREEMPT_RT by a thread with BHs enabled; one at a time.
 * @read: move a few frames from the chip into the ring, and return true if the
 *	chip holds more. Called with the ring's lock, which is released between
 *	calls. If NULL, a poll does not read the chip.
 * @mask: mask these interrupts of the chip, and unmask all others. Called with
 *	the ring's lock. If NULL, they stay enabled while a task busy-polls.
 * @overrun: if the chip has lost a frame, put an event into the ring, as the
 *	interrupt handler does, and make the chip tell of further losses. Called
 *	with the ring's lock, while overrun interrupts are masked, and after they
 *	were unmasked.
 * @ready: return true if the chip can take another frame. Called in any
 *	context, also while ndo_start_xmit() runs: what makes it false has to be
 *	stored before the queue is stopped (smp_mb__before_atomic()).
 */
struct can_rx_ring_ops {
	void (*event)(struct can_rx_offload *offload,
		      const struct can_rx_ring_entry *entry);
	bool (*read)(struct can_rx_offload *offload);
	void (*mask)(struct can_rx_offload *offload, enum can_rx_ring_mask mask);
	void (*overrun)(struct can_rx_offload *offload);
	bool (*ready)(struct can_rx_offload *offload);
};

struct can_express_rules;
struct can_rx_stage;
struct can_tx_queue;

/**
 * struct can_rx_ring - the ring of an interface
 * @ops: of the driver
 * @offload: that it belongs to
 * @tx_queue: of the driver, if it has one (tx-queue.h)
 * @lock: of the producer
 * @express: rules that each frame is offered to, or NULL; written with @lock
 * @head: number of entries put in; written by the producer, with the lock
 * @lost: number of entries dropped because the ring was full; like @head
 * @taken: a poll has put entries in since the handler asked; like @head
 * @tx_ended: number of completed transmissions put in; like @head
 * @filled: an entry was put in or dropped for which NAPI has not been
 *	scheduled; like @head
 * @leave: see can_rx_ring_enable(); written like @fill_ns
 * @enabled: between can_rx_ring_enable() and can_rx_ring_disable(); protected by
 *	@lock
 * @stage: between the ring and NAPI, on PREEMPT_RT
 * @overflowed: an entry was dropped since can_rx_ring_finish(); like @head
 * @fill_ns: time after which an empty chip may overrun, 0 if it is not known;
 *	written while NAPI is disabled
 * @masked: interrupts that are masked; protected by @lock
 * @read_at: when interrupts were masked, or a poll read the chip after that;
 *	protected by @lock
 * @unmask_timer: unmasks interrupts if no poll reads the chip for @fill_ns, or
 *	for gro_flush_timeout beside a thread; schedules NAPI if none does for 10
 *	ms after an overflow
 * @scratch: filled in instead of an entry when the ring is full
 * @slots: a bit for each slot in use, which ndo_start_xmit() sets with its lock
 *	and NAPI clears
 * @tail: number of entries taken out; written by the consumer, like @reported
 * @tx_taken: number of ends of transmissions taken out; like @tail
 * @reported: value of @lost up to which loss was reported
 * @polled: the last poll was that of a busy-polling task; written by NAPI
 * @entry: the entries
 */
struct can_rx_ring {
	const struct can_rx_ring_ops *ops;
	struct can_rx_offload *offload;
	struct can_tx_queue *tx_queue;

	raw_spinlock_t lock;
	struct can_express_rules __rcu *express;
	unsigned int head;
	unsigned int lost;
	unsigned int tx_ended;
	bool filled;
	bool taken;
	bool overflowed;
	bool enabled;
	bool leave;
	struct can_rx_stage *stage;
	enum can_rx_ring_mask masked;
	u64 fill_ns;
	ktime_t read_at;
	struct hrtimer unmask_timer;
	struct can_rx_ring_entry scratch;

	unsigned long slots ____cacheline_aligned_in_smp;

	unsigned int tail ____cacheline_aligned_in_smp;
	unsigned int tx_taken;
	unsigned int reported;
	bool polled;

	struct can_rx_ring_entry entry[CAN_RX_RING_SIZE] ____cacheline_aligned_in_smp;
};

int can_rx_offload_add_ring(struct net_device *dev,
			    struct can_rx_offload *offload,
			    const struct can_rx_ring_ops *ops);
void can_rx_ring_enable(struct can_rx_offload *offload, u64 fill_ns,
			bool leave);
void can_rx_ring_disable(struct can_rx_offload *offload);
void can_rx_ring_flush(struct can_rx_offload *offload);

struct can_rx_ring_entry *can_rx_ring_reserve(struct can_rx_offload *offload);
void can_rx_ring_commit(struct can_rx_offload *offload,
			struct can_rx_ring_entry *entry);
void can_rx_ring_slot_use(struct can_rx_offload *offload, unsigned int slot);
bool can_rx_ring_tx_busy(struct can_rx_offload *offload);
bool can_rx_ring_may_wake(struct can_rx_offload *offload);
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

#ifdef CAN_RX_DIRECT
void can_rx_ring_raise_thread(void);
void can_rx_ring_share_irq(struct can_rx_offload *offload,
			   irq_handler_t handler);
#else
static inline void can_rx_ring_raise_thread(void)
{
}

static inline void can_rx_ring_share_irq(struct can_rx_offload *offload,
					 irq_handler_t handler)
{
}
#endif

/**
 * can_rx_ring_lock() - acquire the producer lock
 * @offload: of the interface
 * @flags: for can_rx_ring_finish() or can_rx_ring_unlock()
 *
 * Context: any. Interrupts are off afterwards.
 */
#define can_rx_ring_lock(offload, flags) \
	raw_spin_lock_irqsave(&(offload)->ring->lock, flags)

/**
 * can_rx_ring_unlock() - release the producer lock
 * @offload: of the interface
 * @flags: of can_rx_ring_lock()
 *
 * If an entry was put in, the caller has to call can_rx_ring_finish() or
 * can_rx_ring_kick() later.
 */
#define can_rx_ring_unlock(offload, flags) \
	raw_spin_unlock_irqrestore(&(offload)->ring->lock, flags)

/**
 * can_rx_ring_slot() - the slot of the next transmission
 * @offload: of the interface
 *
 * For can_put_echo_skb() and can_rx_ring_sent(). The slot is in use from
 * can_rx_ring_slot_use() on.
 *
 * Context: ndo_start_xmit(), after can_rx_ring_tx_busy().
 * Return: index of an echo skb.
 */
static inline unsigned int can_rx_ring_slot(struct can_rx_offload *offload)
{
	return ffz(READ_ONCE(offload->ring->slots));
}

/**
 * can_rx_ring_is_express() - is a transmission that of an express frame?
 * @slot: of the transmission; those of express frames follow the slots of the ring
 *
 * Context: any.
 * Return: true if it has no echo skb.
 */
static inline bool can_rx_ring_is_express(unsigned int slot)
{
	return slot >= CAN_RX_RING_SLOTS;
}

/**
 * can_rx_ring_slot_free() - is there a slot for a transmission?
 * @offload: of the interface
 *
 * Context: any. ndo_start_xmit() uses the slot that it finds.
 * Return: false if all slots are in use.
 */
static inline bool can_rx_ring_slot_free(struct can_rx_offload *offload)
{
	/* Pairs with clear_bit_unlock() in can_rx_ring_free_slot(): NAPI has
	 * taken the echo skb before another one is put there.
	 */
	return smp_load_acquire(&offload->ring->slots) !=
	       GENMASK(CAN_RX_RING_SLOTS - 1, 0);
}

/**
 * can_rx_ring_room() - is there room for frames?
 * @offload: of the interface
 * @frames: number of frames, and of events that may be lost; at most
 *	CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED
 *
 * For a thread that reads the chip and may have a higher priority than NAPI,
 * which has to run to make room.
 *
 * Context: any. For the producer, the room does not become less.
 * Return: true if none of them would be dropped.
 */
static inline bool can_rx_ring_room(struct can_rx_offload *offload,
				    unsigned int frames)
{
	struct can_rx_ring *ring = offload->ring;

	return READ_ONCE(ring->head) - READ_ONCE(ring->tail) + frames <=
	       CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED;
}

/**
 * can_rx_ring_masked() - which interrupts are masked?
 * @offload: of the interface
 *
 * If any are, the chip may hold frames that are older than the event of another
 * interrupt.
 *
 * Context: the producer.
 * Return: the value that &can_rx_ring_ops.mask was called with last.
 */
static inline enum can_rx_ring_mask
can_rx_ring_masked(struct can_rx_offload *offload)
{
	return offload->ring->masked;
}

/**
 * can_rx_ring_test_taken() - has a poll read what an interrupt was for?
 * @offload: of the interface
 *
 * Called once by each call of the interrupt handler. If it returns true, the
 * interrupt was that of the chip, also if the handler finds nothing.
 *
 * Context: the producer.
 * Return: true if a poll has read the chip, and put entries into the ring,
 * since the last call.
 */
static inline bool can_rx_ring_test_taken(struct can_rx_offload *offload)
{
	bool taken = offload->ring->taken;

	offload->ring->taken = false;
	return taken;
}

#endif /* !_CAN_RX_RING_H */
