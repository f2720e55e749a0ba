// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring mode of can_rx_offload. Contexts and locks are described in
 * include/linux/can/rx-ring.h.
 */
#include <kunit/visibility.h>
#include <linux/can/can-ml.h>
#include <linux/can/dev.h>
#include <linux/can/express.h>
#include <linux/can/rx-offload.h>
#include <linux/can/rx-ring.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <net/busy_poll.h>

#include "express.h"
#include "rx-stage.h"

static_assert(!(CAN_RX_RING_SIZE & (CAN_RX_RING_SIZE - 1)));
static_assert(CAN_RX_RING_SLOTS <= BITS_PER_LONG);
static_assert(CAN_RX_RING_RESERVED - CAN_RX_RING_SLOTS > 1);

/* After an overflow, NAPI delivers so many entries, less than an MSCAN has room
 * for, before it reads the chip until the ring has so many.
 */
#define OVERFLOW_STEP 4
#define OVERFLOW_MOST (CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED - 2)

/* Interrupts are unmasked when the ring has fewer entries. */
#define OVERFLOW_END (CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED - 64)

/* If no poll reads the chip for so long, NAPI is scheduled. */
#define OVERFLOW_NS (10 * NSEC_PER_MSEC)

static struct can_rx_ring_entry *can_rx_ring_at(struct can_rx_ring *ring,
						unsigned int index)
{
	return &ring->entry[index % CAN_RX_RING_SIZE];
}

/* The producer */

/* Number of entries that were not taken out */
static unsigned int can_rx_ring_used(struct can_rx_ring *ring)
{
	/* Pairs with smp_store_release(&ring->tail) in
	 * can_rx_ring_make_skbs(): the consumer has read the entries that
	 * may be overwritten.
	 */
	return ring->head - smp_load_acquire(&ring->tail);
}

/* Is there an entry for a frame, or for an event that may be lost? */
bool can_rx_ring_may_put(struct can_rx_ring *ring)
{
	return can_rx_ring_used(ring) <
	       CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED;
}

/* Is there an entry for an event that must not be lost? Leave one for each slot
 * that has none in the ring, and one for the entry that is being taken out: its
 * slot may be used again before it is free. The number taken out is read after
 * tail, so that the difference to tx_ended is not too large.
 */
static bool can_rx_ring_may_keep(struct can_rx_ring *ring)
{
	unsigned int used = can_rx_ring_used(ring);
	unsigned int ended = ring->tx_ended - READ_ONCE(ring->tx_taken);

	return used + 1 + CAN_RX_RING_SLOTS - ended < CAN_RX_RING_SIZE;
}

struct can_rx_ring_entry *
__can_rx_ring_reserve(struct can_rx_ring *ring, enum can_rx_ring_kind kind,
		      bool room)
{
	struct can_rx_ring_entry *entry;

	entry = likely(room) ? can_rx_ring_at(ring, ring->head) :
			       &ring->scratch;
	entry->kind = kind;
	entry->time = ktime_get_real();
	return entry;
}

/**
 * can_rx_ring_reserve() - reserve an entry for a frame
 * @offload: of the interface
 *
 * If the ring is full, can_rx_ring_commit() drops and counts the frame, so the
 * caller reads it from the chip in any case.
 *
 * Context: the producer.
 * Return: an entry for can_rx_ring_commit(), with the current time. The caller
 * fills in the identifier, the length code and the data, and may change the
 * time.
 */
struct can_rx_ring_entry *can_rx_ring_reserve(struct can_rx_offload *offload)
{
	struct can_rx_ring_entry *entry;

	entry = __can_rx_ring_reserve(offload->ring, CAN_RX_RING_FRAME,
				      can_rx_ring_may_put(offload->ring));
	entry->rules = 0;
	return entry;
}
EXPORT_SYMBOL_GPL(can_rx_ring_reserve);

/**
 * can_rx_ring_commit() - pass a complete frame to express rules and NAPI
 * @offload: of the interface
 * @entry: of the last can_rx_ring_reserve()
 *
 * Context: the producer.
 */
void can_rx_ring_commit(struct can_rx_offload *offload,
			struct can_rx_ring_entry *entry)
{
	struct can_rx_ring *ring = offload->ring;

	can_rx_express_offer(offload, entry);
	ring->filled = true;
	if (unlikely(entry == &ring->scratch)) {
		ring->overflowed = true;
		/* Pairs with smp_load_acquire(&ring->lost) in
		 * can_rx_ring_take_out(): entries before the loss are
		 * visible.
		 */
		smp_store_release(&ring->lost, ring->lost + 1);
	} else {
		entry->lost = ring->lost;
		/* Pairs with smp_load_acquire(&ring->head) in
		 * can_rx_ring_make_skbs(): the entry is complete.
		 */
		smp_store_release(&ring->head, ring->head + 1);
	}
}
EXPORT_SYMBOL_GPL(can_rx_ring_commit);

static void can_rx_ring_end_tx(struct can_rx_offload *offload,
			       unsigned int slot, enum can_rx_ring_kind kind)
{
	struct can_rx_ring *ring = offload->ring;
	struct can_rx_ring_entry *entry;

	entry = __can_rx_ring_reserve(ring, kind, can_rx_ring_used(ring) <
						  CAN_RX_RING_SIZE);
	entry->slot = slot;
	ring->tx_ended++;
	can_rx_ring_commit(offload, entry);
}

/**
 * can_rx_ring_sent() - record that the chip has ended a transmission
 * @offload: of the interface
 * @slot: its echo skb, or the slot of an express frame
 * @success: another node has acknowledged the frame; otherwise tx_errors counts
 *	it
 *
 * Context: the producer.
 */
void can_rx_ring_sent(struct can_rx_offload *offload, unsigned int slot,
		      bool success)
{
	if (unlikely(can_rx_ring_is_express(slot)))
		can_rx_express_sent(offload, slot, success);
	else
		can_rx_ring_end_tx(offload, slot,
				   success ? CAN_RX_RING_SENT :
					     CAN_RX_RING_NOT_SENT);
}
EXPORT_SYMBOL_GPL(can_rx_ring_sent);

/**
 * can_rx_ring_aborted() - record that a reset of the chip has ended a transmission
 * @offload: of the interface
 * @slot: its echo skb
 *
 * tx_dropped and tx_aborted_errors count it.
 *
 * Context: the producer.
 */
void can_rx_ring_aborted(struct can_rx_offload *offload, unsigned int slot)
{
	can_rx_ring_end_tx(offload, slot, CAN_RX_RING_ABORTED);
}
EXPORT_SYMBOL_GPL(can_rx_ring_aborted);

/**
 * can_rx_ring_event() - put an event into the ring
 * @offload: of the interface
 * @id: for the driver's can_rx_ring_ops.event
 * @data: CAN_MAX_DLEN bytes, like @id
 * @keep: the event must not be lost, for example a change of the controller's
 *	state. Only for events that occur at most CAN_RX_RING_RESERVED -
 *	CAN_RX_RING_SLOTS - 1 times until entries are taken out.
 *
 * Context: the producer.
 */
void can_rx_ring_event(struct can_rx_offload *offload, u32 id, const u8 *data,
		       bool keep)
{
	struct can_rx_ring *ring = offload->ring;
	struct can_rx_ring_entry *entry;

	entry = __can_rx_ring_reserve(ring, CAN_RX_RING_EVENT,
				      keep ? can_rx_ring_may_keep(ring) :
					     can_rx_ring_may_put(ring));
	entry->id = id;
	memcpy(entry->data, data, sizeof(entry->data));
	can_rx_ring_commit(offload, entry);
}
EXPORT_SYMBOL_GPL(can_rx_ring_event);

/* On PREEMPT_RT, ksoftirqd handles a softirq that is raised with BHs enabled,
 * and any task may keep it waiting. A thread that disables BHs handles the
 * softirq itself.
 */
static bool can_rx_ring_needs_thread(struct can_rx_offload *offload)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) &&
	       (in_hardirq() || !softirq_count()) &&
	       !test_bit(NAPI_STATE_THREADED, &offload->napi.state);
}

/* If NAPI is scheduled, make it poll once more, so that no thread has to be
 * woken to schedule it: each wake-up would preempt a busy-polling task. Idle
 * NAPI is not scheduled here: a busy-polling task with a higher priority than
 * the thread could then not poll, and would keep the thread from running.
 */
static bool can_rx_ring_poll_again(struct can_rx_offload *offload)
{
	unsigned long *state = &offload->napi.state;
	unsigned long val = READ_ONCE(*state);

	do {
		if (!(val & NAPIF_STATE_SCHED))
			return false;
	} while (!try_cmpxchg(state, &val, val | NAPIF_STATE_MISSED));
	return true;
}

static void can_rx_ring_set_mask(struct can_rx_ring *ring,
				 enum can_rx_ring_mask mask)
{
	bool overrun = ring->masked == CAN_RX_RING_MASK_OVERRUNS;

	if (ring->masked == mask)
		return;
	WRITE_ONCE(ring->masked, mask);
	ring->ops->mask(ring->offload, mask);
	if (overrun)
		ring->ops->overrun(ring->offload);
}

/* Beside a thread of the interface there is no poll after gro_flush_timeout, see
 * can_rx_stage_cancel_timer().
 */
static u64 can_rx_ring_unmask_ns(struct can_rx_ring *ring,
				 enum can_rx_ring_mask mask)
{
	if (mask == CAN_RX_RING_MASK_OVERRUNS)
		return OVERFLOW_NS;
	if (!can_rx_stage_has_thread(ring))
		return ring->fill_ns;
	return min_t(u64, can_rx_offload_flush_timeout(ring->offload), ring->fill_ns);
}

static ktime_t can_rx_ring_unmask_time(struct can_rx_ring *ring,
				       enum can_rx_ring_mask mask)
{
	return ktime_add_ns(ring->read_at, can_rx_ring_unmask_ns(ring, mask));
}

/* Mask interrupts, or keep them masked. The timer is postponed when half of its
 * time is over, so that it does not interrupt polls, and few of them have to
 * start it.
 */
static void can_rx_ring_begin_mask(struct can_rx_ring *ring,
				   enum can_rx_ring_mask mask)
{
	ktime_t now = ktime_get(), left;

	ring->read_at = now;
	left = ktime_sub(hrtimer_get_expires(&ring->unmask_timer), now);
	if (ring->masked != mask ||
	    2 * left < ktime_sub(can_rx_ring_unmask_time(ring, mask), now))
		hrtimer_start(&ring->unmask_timer,
			      can_rx_ring_unmask_time(ring, mask),
			      HRTIMER_MODE_ABS_HARD);
	can_rx_ring_set_mask(ring, mask);
}

/* NAPI, which has to empty the ring, may be kept from running by the interrupts
 * of frames that are only read to be dropped.
 */
static noinline void can_rx_ring_overflow(struct can_rx_ring *ring)
{
	ring->overflowed = false;
	if (ring->leave && ring->enabled && !rcu_access_pointer(ring->express))
		can_rx_ring_begin_mask(ring, CAN_RX_RING_MASK_OVERRUNS);
}

/**
 * can_rx_ring_finish() - release the producer lock, and schedule NAPI
 * @offload: of the interface
 * @flags: of can_rx_ring_lock()
 *
 * Context: the producer, in an interrupt handler or with BHs disabled; on
 * PREEMPT_RT also in a thread with BHs enabled.
 * Return: the return value of an interrupt handler that had something to do:
 * IRQ_HANDLED, or IRQ_WAKE_THREAD if a thread has to call can_rx_ring_kick().
 * The latter only occurs on PREEMPT_RT, in hardirq context or with BHs enabled.
 */
irqreturn_t can_rx_ring_finish(struct can_rx_offload *offload,
			       unsigned long flags)
	__releases(&offload->ring->lock)
{
	struct can_rx_ring *ring = offload->ring;
	bool filled = ring->filled;

	ring->filled = false;
	if (unlikely(ring->overflowed))
		can_rx_ring_overflow(ring);
	if (filled && can_rx_stage_wake(ring))
		filled = false;
	can_rx_stage_interrupt(ring);
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	if (!filled)
		return IRQ_HANDLED;
	if (can_rx_ring_needs_thread(offload))
		return can_rx_ring_poll_again(offload) ? IRQ_HANDLED :
							 IRQ_WAKE_THREAD;
	if (in_hardirq())
		napi_schedule_irqoff(&offload->napi);
	else
		napi_schedule(&offload->napi);
	return IRQ_HANDLED;
}
EXPORT_SYMBOL_GPL(can_rx_ring_finish);

/**
 * can_rx_ring_kick() - schedule NAPI
 * @offload: of the interface
 *
 * Context: Process context. If BHs are disabled, the poll runs after they are
 *	enabled.
 */
void can_rx_ring_kick(struct can_rx_offload *offload)
{
	local_bh_disable();
	napi_schedule(&offload->napi);
	local_bh_enable();
}
EXPORT_SYMBOL_GPL(can_rx_ring_kick);

/**
 * can_rx_ring_restarted() - report a restart after bus off
 * @offload: of the interface, whose controller will be started again
 *
 * An error frame with CAN_ERR_RESTARTED follows all frames received before.
 *
 * Context: Process context, with BHs enabled.
 */
void can_rx_ring_restarted(struct can_rx_offload *offload)
{
	struct can_rx_ring_entry *entry;
	unsigned long flags;

	can_rx_ring_lock(offload, flags);
	entry = __can_rx_ring_reserve(offload->ring, CAN_RX_RING_RESTARTED,
				      can_rx_ring_may_keep(offload->ring));
	can_rx_ring_commit(offload, entry);
	can_rx_ring_unlock(offload, flags);
	can_rx_ring_kick(offload);
}
EXPORT_SYMBOL_GPL(can_rx_ring_restarted);

/* Transmit slots */

/* Is the transmit queue stopped although a frame can be sent? */
bool can_rx_ring_may_wake(struct can_rx_offload *offload)
{
	/* Pairs with the same barrier on the CPU that has stopped the queue:
	 * either this CPU sees that the queue is stopped, or that CPU sees the
	 * room.
	 */
	smp_mb();
	if (!netif_queue_stopped(offload->dev))
		return false;
	/* Pairs with smp_mb__before_atomic() where the queue is stopped: the
	 * reason was stored before.
	 */
	smp_rmb();
	return can_rx_ring_slot_free(offload) &&
	       offload->ring->ops->ready(offload);
}

/**
 * can_rx_ring_wake() - wake the transmit queue if a frame can be sent
 * @offload: of the interface
 *
 * The driver calls this when the chip has room again, after it has stored what
 * makes can_rx_ring_ops.ready return true. In hardirq context, the end of a
 * transmission has made the room, and its entry is put into the ring after that
 * was stored.
 *
 * Context: any.
 */
void can_rx_ring_wake(struct can_rx_offload *offload)
{
	if (!can_rx_ring_may_wake(offload))
		return;
	/* On PREEMPT_RT, ksoftirqd would run the queue, and any task may keep
	 * it waiting. The thread of the interface or NAPI does this instead.
	 */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && in_hardirq())
		offload->ring->filled = true;
	else
		netif_wake_queue(offload->dev);
}
EXPORT_SYMBOL_GPL(can_rx_ring_wake);

/**
 * can_rx_ring_tx_busy() - stop the transmit queue if no frame can be sent
 * @offload: of the interface
 *
 * Context: start of ndo_start_xmit().
 * Return: true if the chip has no room or no slot is free. The queue is stopped
 * then, and ndo_start_xmit() returns NETDEV_TX_BUSY.
 */
bool can_rx_ring_tx_busy(struct can_rx_offload *offload)
{
	if (likely(can_rx_ring_slot_free(offload) &&
		   offload->ring->ops->ready(offload)))
		return false;
	netif_stop_queue(offload->dev);
	can_rx_ring_wake(offload);
	return true;
}
EXPORT_SYMBOL_GPL(can_rx_ring_tx_busy);

/**
 * can_rx_ring_slot_use() - occupy a slot
 * @offload: of the interface
 * @slot: of can_rx_ring_slot()
 *
 * The driver calls this before the chip can complete the transmission. If no
 * other slot is free, the transmit queue is stopped until NAPI has echoed a
 * frame.
 *
 * Context: ndo_start_xmit().
 */
void can_rx_ring_slot_use(struct can_rx_offload *offload, unsigned int slot)
{
	set_bit(slot, &offload->ring->slots);
	if (likely(can_rx_ring_slot_free(offload)))
		return;
	/* Pairs with smp_rmb() in can_rx_ring_wake(): the bit is set before */
	smp_mb__before_atomic();
	netif_stop_queue(offload->dev);
	can_rx_ring_wake(offload);
}
EXPORT_SYMBOL_GPL(can_rx_ring_slot_use);

/* The consumer */

/**
 * can_rx_ring_receive() - hand an skb to the network stack
 * @offload: of the interface
 * @skb: a frame, an echo, or an error frame
 * @time: when the interrupt handler saw it, or 0 for now
 *
 * Context: NAPI, or the thread of the interface.
 */
void can_rx_ring_receive(struct can_rx_offload *offload, struct sk_buff *skb,
			 ktime_t time)
{
	skb_set_delivery_time(skb, time, SKB_CLOCK_REALTIME);
	skb_mark_napi_id(skb, &offload->napi);
	if (can_rx_ring_staged(offload->ring))
		can_rx_stage_add(offload, skb);
	else
		netif_receive_skb(skb);
}
EXPORT_SYMBOL_GPL(can_rx_ring_receive);

/* The cache of NAPI belongs to the CPU, while BHs are disabled. */
struct sk_buff *can_rx_ring_alloc_skb(struct can_rx_offload *offload)
{
	if (can_rx_ring_staged(offload->ring))
		return can_rx_stage_alloc_skb(offload);
	return napi_alloc_can_skb(offload->dev);
}

static void can_rx_ring_receive_frame(struct can_rx_offload *offload,
				      const struct can_rx_ring_entry *entry)
{
	struct net_device *dev = offload->dev;
	struct can_priv *priv = netdev_priv(dev);
	struct sk_buff *skb = can_rx_ring_alloc_skb(offload);
	struct can_frame *frame;

	if (unlikely(!skb)) {
		dev->stats.rx_dropped++;
		return;
	}
	frame = (struct can_frame *)skb->data;
	dev->stats.rx_bytes += can_rx_ring_get_frame(entry, frame,
						     priv->ctrlmode);
	dev->stats.rx_packets++;
	can_skb_set_express(skb, entry->rules);
	can_rx_ring_receive(offload, skb, entry->time);
}

/* Not inline: errors are rare. */
static noinline void can_rx_ring_receive_error(struct can_rx_offload *offload,
					       canid_t class, u8 controller,
					       ktime_t time)
{
	struct can_frame *frame;
	struct sk_buff *skb = alloc_can_err_skb(offload->dev, &frame);

	if (!skb)
		return;
	frame->can_id |= class;
	frame->data[1] = controller;
	can_rx_ring_receive(offload, skb, time);
}

void can_rx_ring_free_slot(struct can_rx_offload *offload, unsigned int slot)
{
	/* Pairs with smp_load_acquire(&ring->slots) in can_rx_ring_slot_free():
	 * the echo skb has been taken.
	 */
	clear_bit_unlock(slot, &offload->ring->slots);
	can_rx_ring_wake(offload);
}

static void can_rx_ring_receive_echo(struct can_rx_offload *offload,
				     const struct can_rx_ring_entry *entry)
{
	struct net_device *dev = offload->dev;
	struct sk_buff *skb;
	unsigned int len = 0;

	skb = __can_get_echo_skb(dev, entry->slot, &len, NULL);
	dev->stats.tx_packets++;
	dev->stats.tx_bytes += len;
	if (!skb)
		return;
	can_skb_set_express(skb, CAN_EXPRESS_ECHO);
	can_rx_ring_receive(offload, skb, entry->time);
}

static void can_rx_ring_drop_echo(struct can_rx_offload *offload,
				  const struct can_rx_ring_entry *entry)
{
	struct net_device_stats *stats = &offload->dev->stats;

	if (entry->kind == CAN_RX_RING_ABORTED) {
		stats->tx_dropped++;
		stats->tx_aborted_errors++;
	} else {
		stats->tx_errors++;
	}
	can_free_echo_skb(offload->dev, entry->slot, NULL);
}

/* Return: false if the entry is not that of a transmission. */
static bool can_rx_ring_receive_tx(struct can_rx_offload *offload,
				   const struct can_rx_ring_entry *entry)
{
	switch (entry->kind) {
	case CAN_RX_RING_SENT:
		can_rx_ring_receive_echo(offload, entry);
		return true;
	case CAN_RX_RING_NOT_SENT:
	case CAN_RX_RING_ABORTED:
		can_rx_ring_drop_echo(offload, entry);
		return true;
	default:
		return false;
	}
}

/* All entries but frames; not inline, because frames are more frequent */
static noinline void
can_rx_ring_receive_other(struct can_rx_offload *offload,
			  const struct can_rx_ring_entry *entry)
{
	struct can_rx_ring *ring = offload->ring;

	if (can_rx_ring_receive_tx(offload, entry)) {
		/* before the entry is free, see can_rx_ring_may_keep() */
		WRITE_ONCE(ring->tx_taken, ring->tx_taken + 1);
		if (can_rx_ring_staged(ring))
			can_rx_stage_keep_slot(ring->stage, entry->slot);
		else
			can_rx_ring_free_slot(offload, entry->slot);
		return;
	}
	switch (entry->kind) {
	case CAN_RX_RING_EVENT:
		ring->ops->event(offload, entry);
		break;
	case CAN_RX_RING_RESTARTED:
		can_rx_ring_receive_error(offload, CAN_ERR_RESTARTED, 0,
					  entry->time);
		break;
	case CAN_RX_RING_EXPRESS:
	case CAN_RX_RING_NO_EXPRESS:
		can_rx_express_receive(offload, entry);
		break;
	}
}

static void can_rx_ring_count_loss(struct can_rx_offload *offload,
				   unsigned int until)
{
	struct can_rx_ring *ring = offload->ring;
	unsigned int lost = until - ring->reported;

	ring->reported = until;
	offload->dev->stats.rx_dropped += lost;
	offload->dev->stats.rx_fifo_errors += lost;
}

static noinline void can_rx_ring_report_loss(struct can_rx_offload *offload,
					     unsigned int until)
{
	can_rx_ring_count_loss(offload, until);
	can_rx_ring_receive_error(offload, CAN_ERR_CRTL,
				  CAN_ERR_CRTL_RX_OVERFLOW, 0);
}

static bool can_rx_ring_was_lost(struct can_rx_ring *ring, unsigned int until)
{
	return unlikely((int)(until - ring->reported) > 0);
}

/* Make skbs of at most @budget entries, and free the entries. */
static int can_rx_ring_make_skbs(struct can_rx_offload *offload, int budget)
{
	struct can_rx_ring *ring = offload->ring;
	struct can_rx_ring_entry *entry;
	unsigned int tail = ring->tail, head;
	int work = 0;

	/* Pairs with smp_store_release(&ring->head) in can_rx_ring_commit():
	 * entries are complete.
	 */
	head = smp_load_acquire(&ring->head);
	/* for entries put in meanwhile, the producer schedules NAPI again */
	while (tail != head && work != budget) {
		if (can_rx_ring_staged(ring) && !can_rx_stage_room(offload))
			break;
		entry = can_rx_ring_at(ring, tail);
		/* otherwise the compiler computes the address for each field */
		OPTIMIZER_HIDE_VAR(entry);
		if (can_rx_ring_was_lost(ring, entry->lost))
			can_rx_ring_report_loss(offload, entry->lost);
		if (entry->kind == CAN_RX_RING_FRAME)
			can_rx_ring_receive_frame(offload, entry);
		else
			can_rx_ring_receive_other(offload, entry);
		/* Pairs with smp_load_acquire(&ring->tail) in
		 * can_rx_ring_used(): the entry may be overwritten.
		 */
		smp_store_release(&ring->tail, ++tail);
		work++;
	}
	return work;
}

/* Make skbs of at most @budget entries, and report frames that were lost after the
 * last one.
 */
int can_rx_ring_take_out(struct can_rx_offload *offload, int budget)
{
	struct can_rx_ring *ring = offload->ring;
	unsigned int lost;
	int work;

	/* Pairs with smp_store_release(&ring->lost) in can_rx_ring_commit():
	 * entries before the loss are visible. Read before head: these losses
	 * precede all entries put in after head.
	 */
	lost = smp_load_acquire(&ring->lost);
	work = can_rx_ring_make_skbs(offload, budget);
	/* those put in meanwhile, and those that wait for room, follow the loss */
	if (work < budget && can_rx_ring_was_lost(ring, lost) &&
	    ring->tail == READ_ONCE(ring->head))
		can_rx_ring_report_loss(offload, lost);
	return work;
}

/* A poll: a budget that was not used up means that nothing is left. */
static int can_rx_ring_receive_all(struct can_rx_offload *offload, int budget)
{
	struct can_rx_ring *ring = offload->ring;
	int work, passed;

	if (!can_rx_ring_staged(ring))
		return can_rx_ring_take_out(offload, budget);
	work = can_rx_stage_poll(offload, budget);
	passed = can_rx_stage_pass(offload, budget);
	can_rx_ring_wake(offload);
	/* entries have waited for room */
	if (passed >= CAN_RX_STAGE_SIZE &&
	    READ_ONCE(ring->head) != READ_ONCE(ring->tail))
		return budget;
	return max(work, passed);
}

/* Receive interrupts */

/* With these two settings, the network core polls if no task has busy-polled
 * for the timeout, or beside a thread unmask_timer unmasks interrupts, so they may
 * stay masked until then.
 */
static bool can_rx_ring_may_mask(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;
	unsigned long timeout = can_rx_offload_flush_timeout(offload);

	return ring->ops->mask && timeout && timeout < ring->fill_ns &&
	       !rcu_access_pointer(ring->express) &&
	       can_rx_offload_defer_irqs(offload);
}

/* A busy-polling task may be delayed until the chip would overrun: by
 * interrupts, by other softirqs, and on PREEMPT_RT by any thread with a higher
 * priority.
 */
static enum hrtimer_restart can_rx_ring_unmask_expired(struct hrtimer *timer)
{
	struct can_rx_ring *ring = container_of(timer, struct can_rx_ring,
						unmask_timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	bool schedule = false;
	unsigned long flags;

	raw_spin_lock_irqsave(&ring->lock, flags);
	if (hrtimer_is_queued(timer)) {
		/* a poll has started it again while this waited for the lock */
	} else if (ring->masked &&
		   ktime_before(ktime_get(), can_rx_ring_unmask_time(ring, ring->masked))) {
		hrtimer_set_expires(timer,
				    can_rx_ring_unmask_time(ring, ring->masked));
		restart = HRTIMER_RESTART;
	} else if (ring->masked == CAN_RX_RING_MASK_OVERRUNS) {
		/* The last poll of a busy-polling task may have left NAPI idle */
		schedule = !can_rx_stage_wake(ring);
		hrtimer_forward_now(timer, OVERFLOW_NS);
		restart = HRTIMER_RESTART;
	} else {
		can_rx_ring_set_mask(ring, CAN_RX_RING_MASK_NONE);
	}
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	if (schedule)
		napi_schedule(&ring->offload->napi);
	return restart;
}

static void can_rx_ring_pause(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;

	if (can_rx_ring_may_mask(offload))
		can_rx_ring_begin_mask(ring, CAN_RX_RING_MASK_FRAMES);
	else
		can_rx_ring_set_mask(ring, CAN_RX_RING_MASK_NONE);
}

/* Read the chip until it is empty or the ring has @most entries. The lock is
 * released between calls of the driver, so that interrupts are handled. If the
 * chip still holds frames when the budget of a busy-polling task is used up,
 * unmask interrupts: the timer expires when a chip that was empty may be full.
 */
static noinline void can_rx_ring_read_chip(struct can_rx_offload *offload,
					   unsigned int most, bool busy)
{
	struct can_rx_ring *ring = offload->ring;
	unsigned long flags;
	bool more = true;

	can_rx_ring_lock(offload, flags);
	if (ring->masked == CAN_RX_RING_MASK_OVERRUNS)
		can_rx_ring_begin_mask(ring, CAN_RX_RING_MASK_OVERRUNS);
	else if (busy)
		can_rx_ring_pause(offload);
	else
		more = false;
	while (more && ring->head - READ_ONCE(ring->tail) < most) {
		more = ring->ops->read(offload);
		if (ring->filled)
			ring->taken = true;
		/* not for can_rx_ring_finish(): this poll handles them */
		ring->filled = false;
		ring->overflowed = false;
		if (!more)
			break;
		can_rx_ring_unlock(offload, flags);
		can_rx_ring_lock(offload, flags);
	}
	if (more && ring->masked == CAN_RX_RING_MASK_FRAMES)
		can_rx_ring_set_mask(ring, CAN_RX_RING_MASK_NONE);
	can_rx_ring_unlock(offload, flags);
}

static noinline void can_rx_ring_end_mask(struct can_rx_offload *offload)
{
	unsigned long flags;

	can_rx_ring_lock(offload, flags);
	can_rx_ring_set_mask(offload->ring, CAN_RX_RING_MASK_NONE);
	can_rx_ring_unlock(offload, flags);
}

void can_rx_ring_unmask(struct can_rx_offload *offload)
{
	if (unlikely(READ_ONCE(offload->ring->masked)))
		can_rx_ring_end_mask(offload);
}

/* After an overflow, those who take entries out read what they have made room for,
 * as often as the chip may have filled up. One event for each call tells of
 * overruns.
 */
static noinline int
can_rx_ring_work_full(struct can_rx_offload *offload, int budget,
		      int (*receive)(struct can_rx_offload *offload, int budget))
{
	struct can_rx_ring *ring = offload->ring;
	int work = 0, step = 1;
	unsigned long flags;

	while (work < budget && step &&
	       READ_ONCE(ring->masked) == CAN_RX_RING_MASK_OVERRUNS) {
		step = receive(offload, min(budget - work, OVERFLOW_STEP));
		work += step;
		if (READ_ONCE(ring->head) - READ_ONCE(ring->tail) < OVERFLOW_END)
			can_rx_ring_unmask(offload);
		else
			can_rx_ring_read_chip(offload, OVERFLOW_MOST, false);
	}
	can_rx_ring_lock(offload, flags);
	if (ring->masked == CAN_RX_RING_MASK_OVERRUNS)
		ring->ops->overrun(offload);
	can_rx_ring_unlock(offload, flags);
	return work;
}

/* The thread's counterpart of can_rx_ring_poll(): make skbs of up to @count entries.
 *
 * Return: number of entries; if it is less, none was left, or NAPI has to make
 * room for skbs.
 */
int can_rx_ring_thread_poll(struct can_rx_offload *offload, int count)
{
	int work = 0;

	if (unlikely(READ_ONCE(offload->ring->masked) ==
		     CAN_RX_RING_MASK_OVERRUNS))
		work = can_rx_ring_work_full(offload, count, can_rx_stage_fill);
	return work + can_rx_stage_fill(offload, count - work);
}
EXPORT_SYMBOL_IF_KUNIT(can_rx_ring_thread_poll);

/* A busy-polling task owns NAPI until its last call, which has no
 * NAPI_STATE_IN_BUSY_POLL. If interrupts stay masked after it because the task
 * may poll again, the next poll, which is that of the core's timer, unmasks
 * them, or beside a thread of the interface can_rx_ring.unmask_timer.
 */
static int can_rx_ring_poll(struct napi_struct *napi, int budget)
{
	struct can_rx_offload *offload =
		container_of(napi, struct can_rx_offload, napi);
	struct can_rx_ring *ring = offload->ring;
	bool was_polled = ring->polled, threaded;
	int work = 0;

	/* netpoll */
	if (!budget)
		return 0;
	ring->polled = test_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	if (ring->polled)
		can_rx_stage_cancel_timer(ring, napi);
	if (unlikely(READ_ONCE(ring->masked) == CAN_RX_RING_MASK_OVERRUNS))
		work = can_rx_ring_work_full(offload, budget,
					     can_rx_ring_receive_all);
	work += can_rx_ring_receive_all(offload, budget - work);
	if (ring->polled && ring->ops->read && work < budget) {
		can_rx_ring_read_chip(offload, budget - work, true);
		work += can_rx_ring_receive_all(offload, budget - work);
	}
	if (work >= budget || ring->polled)
		return work;
	threaded = can_rx_stage_cancel_timer(ring, napi);
	if ((napi_complete_done(napi, threaded ? 0 : work) && !threaded) ||
	    !was_polled)
		can_rx_ring_unmask(offload);
	return work;
}

/* Setup */

/**
 * can_rx_offload_add_ring() - make an interface receive through a ring
 * @dev: the interface; its private data begin with a struct can_priv
 * @offload: in its private data
 * @ops: of the driver
 *
 * The interface needs CAN_RX_RING_SLOTS echo skbs. can_rx_offload_del() frees
 * the ring.
 *
 * Context: Process context.
 * Return: 0, -EINVAL if an operation or echo skbs are missing, or -ENOMEM.
 */
int can_rx_offload_add_ring(struct net_device *dev,
			    struct can_rx_offload *offload,
			    const struct can_rx_ring_ops *ops)
{
	struct can_priv *priv = netdev_priv(dev);
	struct can_rx_ring *ring;

	if (!ops->event || !ops->ready ||
	    priv->echo_skb_max < CAN_RX_RING_SLOTS)
		return -EINVAL;
	ring = kvzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;
	ring->ops = ops;
	ring->offload = offload;
	raw_spin_lock_init(&ring->lock);
	hrtimer_setup(&ring->unmask_timer, can_rx_ring_unmask_expired,
		      CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);

	offload->dev = dev;
	offload->ring = ring;
	skb_queue_head_init(&offload->skb_queue);
	__skb_queue_head_init(&offload->skb_irq_queue);
	priv->rx_offload = offload;
	can_get_ml_priv(dev)->napi_skbs = true;
	can_rx_express_init(dev);
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && can_rx_stage_init(offload)) {
		offload->ring = NULL;
		priv->rx_offload = NULL;
		kvfree(ring);
		return -ENOMEM;
	}
	netif_napi_add(dev, &offload->napi, can_rx_ring_poll);
	return 0;
}
EXPORT_SYMBOL_GPL(can_rx_offload_add_ring);

/**
 * can_rx_ring_enable() - start receiving
 * @offload: of the interface
 * @fill_ns: time in which an empty chip can fill up at the current bit rate.
 *	Receive interrupts are not masked for longer while a task busy-polls. 0
 *	to leave them enabled.
 * @leave: leave frames in the chip while the ring is full, since reading them
 *	takes CPU time from NAPI (%CAN_RX_RING_MASK_OVERRUNS). Needs all
 *	operations. Otherwise they are read, dropped and counted, for chips that
 *	do not bear an overrun.
 *
 * Context: Process context, before the chip is started.
 */
void can_rx_ring_enable(struct can_rx_offload *offload, u64 fill_ns,
			bool leave)
{
	struct can_rx_ring *ring = offload->ring;

	ring->head = 0;
	ring->tail = 0;
	ring->tx_ended = 0;
	ring->tx_taken = 0;
	ring->slots = 0;
	ring->reported = ring->lost;
	ring->filled = false;
	ring->taken = false;
	ring->polled = false;
	ring->overflowed = false;
	ring->masked = CAN_RX_RING_MASK_NONE;
	ring->fill_ns = fill_ns;
	ring->leave = leave && !WARN_ON(!ring->ops->read || !ring->ops->mask ||
					!ring->ops->overrun);
	ring->enabled = true;
	can_rx_stage_enable(offload);
	napi_enable(&offload->napi);
}
EXPORT_SYMBOL_GPL(can_rx_ring_enable);

/**
 * can_rx_ring_disable() - stop receiving
 * @offload: of the interface
 *
 * Afterwards NAPI does not run, and only the interrupt handler accesses the
 * chip.
 *
 * Context: Process context, before the chip is stopped.
 */
void can_rx_ring_disable(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;
	unsigned long flags;

	can_rx_stage_disable(offload);
	napi_disable(&offload->napi);
	can_rx_ring_lock(offload, flags);
	ring->enabled = false;
	can_rx_ring_unlock(offload, flags);
	hrtimer_cancel(&ring->unmask_timer);
	can_rx_ring_unmask(offload);
	can_rx_ring_count_loss(offload, READ_ONCE(ring->lost));
}
EXPORT_SYMBOL_GPL(can_rx_ring_disable);

/**
 * can_rx_ring_flush() - handle the ends of transmissions that are in the ring
 * @offload: of the interface
 *
 * The frames of other transmissions were not sent: close_candev() drops them.
 *
 * Context: Process context, after can_rx_ring_disable(), when the chip is
 * stopped and the interrupt handler does not run any more.
 */
void can_rx_ring_flush(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;
	struct can_rx_ring_entry *entry;

	local_bh_disable();
	if (can_rx_ring_staged(ring))
		can_rx_stage_lock(ring->stage);
	for (; ring->tail != ring->head; ring->tail++) {
		entry = can_rx_ring_at(ring, ring->tail);
		if (!can_rx_ring_receive_tx(offload, entry))
			can_rx_express_receive(offload, entry);
	}
	if (can_rx_ring_staged(ring))
		can_rx_stage_unlock(ring->stage);
	local_bh_enable();
	can_tx_express_flush(ring->tx_queue);
	can_rx_stage_flush(offload);
}
EXPORT_SYMBOL_GPL(can_rx_ring_flush);
