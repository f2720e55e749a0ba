// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ring mode of can_rx_offload. include/linux/can/rx-ring.h says who runs in
 * which context, and what protects what.
 */
#include <linux/can/can-ml.h>
#include <linux/can/dev.h>
#include <linux/can/rx-offload.h>
#include <linux/can/rx-ring.h>
#include <linux/mm.h>
#include <linux/netdevice.h>
#include <net/busy_poll.h>

static_assert(!(CAN_RX_RING_SIZE & (CAN_RX_RING_SIZE - 1)));
static_assert(!(CAN_RX_RING_SLOTS & (CAN_RX_RING_SLOTS - 1)));
static_assert(CAN_RX_RING_RESERVED > CAN_RX_RING_SLOTS);

static struct can_rx_ring_entry *entry_at(struct can_rx_ring *ring,
					  unsigned int index)
{
	return &ring->entry[index % CAN_RX_RING_SIZE];
}

/* The producer */

static struct can_rx_ring_entry *ring_reserve(struct can_rx_ring *ring,
					      enum can_rx_ring_kind kind,
					      unsigned int room)
{
	struct can_rx_ring_entry *entry;
	unsigned int used;

	/* with the release in receive_all(): it has read what is overwritten */
	used = ring->head - smp_load_acquire(&ring->tail);
	entry = likely(used < room) ? entry_at(ring, ring->head) : &ring->scratch;
	entry->kind = kind;
	entry->time = ktime_get_real();
	return entry;
}

/**
 * can_rx_ring_reserve() - put a frame into the ring
 * @offload: of the interface
 *
 * The time of the frame is now. If there is no room, the frame goes nowhere and
 * is counted when it is committed, so the caller reads the chip in any case.
 *
 * Context: the producer.
 * Return: an entry whose @id, @dlc and @data the caller fills in, and @time if it
 * knows better, for can_rx_ring_commit().
 */
struct can_rx_ring_entry *can_rx_ring_reserve(struct can_rx_offload *offload)
{
	return ring_reserve(offload->ring, CAN_RX_RING_FRAME,
			    CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED);
}
EXPORT_SYMBOL_GPL(can_rx_ring_reserve);

/**
 * can_rx_ring_commit() - the frame is complete
 * @offload: of the interface
 * @entry: of can_rx_ring_reserve(), which has to be the last one
 *
 * Context: the producer.
 */
void can_rx_ring_commit(struct can_rx_offload *offload,
			struct can_rx_ring_entry *entry)
{
	struct can_rx_ring *ring = offload->ring;

	ring->filled = true;
	if (unlikely(entry == &ring->scratch)) {
		/* not seen before the entries that came before */
		smp_store_release(&ring->lost, ring->lost + 1);
	} else {
		entry->lost = ring->lost;
		/* the entry is complete when it is seen, in receive_all() */
		smp_store_release(&ring->head, ring->head + 1);
	}
}
EXPORT_SYMBOL_GPL(can_rx_ring_commit);

static void end_transmission(struct can_rx_offload *offload, unsigned int slot,
			     enum can_rx_ring_kind kind)
{
	struct can_rx_ring_entry *entry;

	entry = ring_reserve(offload->ring, kind, CAN_RX_RING_SIZE);
	entry->slot = slot;
	can_rx_ring_commit(offload, entry);
}

/**
 * can_rx_ring_sent() - the chip has ended a transmission
 * @offload: of the interface
 * @slot: its echo skb, the oldest that is in use
 * @success: another node has acknowledged it; otherwise tx_errors counts it
 *
 * Context: the producer.
 */
void can_rx_ring_sent(struct can_rx_offload *offload, unsigned int slot,
		      bool success)
{
	end_transmission(offload, slot,
			 success ? CAN_RX_RING_SENT : CAN_RX_RING_NOT_SENT);
}
EXPORT_SYMBOL_GPL(can_rx_ring_sent);

/**
 * can_rx_ring_aborted() - a transmission was given up, as the chip was reset
 * @offload: of the interface
 * @slot: its echo skb, the oldest that is in use
 *
 * tx_dropped and tx_aborted_errors count it.
 *
 * Context: the producer.
 */
void can_rx_ring_aborted(struct can_rx_offload *offload, unsigned int slot)
{
	end_transmission(offload, slot, CAN_RX_RING_ABORTED);
}
EXPORT_SYMBOL_GPL(can_rx_ring_aborted);

/**
 * can_rx_ring_event() - put an event into the ring
 * @offload: of the interface
 * @id: what the driver wants
 * @data: CAN_MAX_DLEN bytes, what the driver wants
 * @keep: it must not get lost, as a change of the state of the controller. Only
 *	for events that cannot come more often than CAN_RX_RING_RESERVED -
 *	CAN_RX_RING_SLOTS times before NAPI has its turn.
 *
 * Context: the producer.
 */
void can_rx_ring_event(struct can_rx_offload *offload, u32 id, const u8 *data,
		       bool keep)
{
	unsigned int room = CAN_RX_RING_SIZE -
			    (keep ? CAN_RX_RING_SLOTS : CAN_RX_RING_RESERVED);
	struct can_rx_ring_entry *entry;

	entry = ring_reserve(offload->ring, CAN_RX_RING_EVENT, room);
	entry->id = id;
	memcpy(entry->data, data, sizeof(entry->data));
	can_rx_ring_commit(offload, entry);
}
EXPORT_SYMBOL_GPL(can_rx_ring_event);

/* On PREEMPT_RT a softirq that is raised with softirqs on is handled by ksoftirqd,
 * which any process may keep waiting. A thread that switches them off is not.
 */
static bool wants_thread(struct can_rx_offload *offload)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) &&
	       (in_hardirq() || !softirq_count()) &&
	       !test_bit(NAPI_STATE_THREADED, &offload->napi.state);
}

/* If NAPI is polling, or about to, it polls once more, and no thread has to be woken to
 * schedule it. That matters while a task busy-polls: each wake-up would preempt it.
 * NAPI that is idle is not scheduled here: a busy-polling task of a higher priority than
 * the thread could not poll, and would keep the thread from running.
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

/**
 * can_rx_ring_finish() - be the producer no more, and let NAPI have its turn
 * @offload: of the interface
 * @flags: of can_rx_ring_lock()
 *
 * Context: the producer, which it ends; in an interrupt handler or with softirqs
 * off; on PREEMPT_RT also in a thread.
 * Return: what the interrupt handler is to return if it had something to do:
 * IRQ_HANDLED, or IRQ_WAKE_THREAD if a thread is to call can_rx_ring_kick(),
 * which only happens on PREEMPT_RT, in a hard interrupt or with softirqs on.
 */
irqreturn_t can_rx_ring_finish(struct can_rx_offload *offload,
			       unsigned long flags)
	__releases(&offload->ring->lock)
{
	struct can_rx_ring *ring = offload->ring;
	bool filled = ring->filled;

	ring->filled = false;
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	if (!filled)
		return IRQ_HANDLED;
	if (wants_thread(offload))
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
 * can_rx_ring_kick() - let NAPI have its turn
 * @offload: of the interface
 *
 * Context: process. With softirqs off its turn comes when they are on again.
 */
void can_rx_ring_kick(struct can_rx_offload *offload)
{
	local_bh_disable();
	napi_schedule(&offload->napi);
	local_bh_enable();
}
EXPORT_SYMBOL_GPL(can_rx_ring_kick);

/**
 * can_rx_ring_restarted() - the controller will be started again after bus off
 * @offload: of the interface
 *
 * An error frame says so, after all that was received before.
 *
 * Context: process, with softirqs on.
 */
void can_rx_ring_restarted(struct can_rx_offload *offload)
{
	struct can_rx_ring_entry *entry;
	unsigned long flags;

	can_rx_ring_lock(offload, flags);
	entry = ring_reserve(offload->ring, CAN_RX_RING_RESTARTED,
			     CAN_RX_RING_SIZE - CAN_RX_RING_SLOTS);
	can_rx_ring_commit(offload, entry);
	can_rx_ring_unlock(offload, flags);
	can_rx_ring_kick(offload);
}
EXPORT_SYMBOL_GPL(can_rx_ring_restarted);

/* Transmit slots */

static bool slot_free(struct can_rx_ring *ring)
{
	/* Pairs with smp_store_release() in free_slot(): the echo skb of the slot
	 * has been taken before another one is put there.
	 */
	unsigned int tail = smp_load_acquire(&ring->tx_tail);

	return READ_ONCE(ring->tx_head) - tail < CAN_RX_RING_SLOTS;
}

/**
 * can_rx_ring_wake() - wake the transmit queue if a frame can be sent
 * @offload: of the interface
 *
 * Call it when the chip has room again, after what made can_rx_ring_ops.ready
 * true was stored.
 *
 * Context: any.
 */
void can_rx_ring_wake(struct can_rx_offload *offload)
{
	/* Either this sees that the queue is stopped, or who stopped it sees
	 * that there is room.
	 */
	smp_mb();
	if (!netif_queue_stopped(offload->dev))
		return;
	/* what stopped it was stored before */
	smp_rmb();
	if (slot_free(offload->ring) && offload->ring->ops->ready(offload))
		netif_wake_queue(offload->dev);
}
EXPORT_SYMBOL_GPL(can_rx_ring_wake);

/**
 * can_rx_ring_tx_busy() - stop the transmit queue if no frame can be sent
 * @offload: of the interface
 *
 * ndo_start_xmit() begins with it.
 *
 * Context: ndo_start_xmit().
 * Return: true if the chip has no room, or no slot is free: the queue is stopped, and
 * ndo_start_xmit() returns NETDEV_TX_BUSY.
 */
bool can_rx_ring_tx_busy(struct can_rx_offload *offload)
{
	if (likely(slot_free(offload->ring) &&
		   offload->ring->ops->ready(offload)))
		return false;
	netif_stop_queue(offload->dev);
	can_rx_ring_wake(offload);
	return true;
}
EXPORT_SYMBOL_GPL(can_rx_ring_tx_busy);

/**
 * can_rx_ring_slot_use() - a transmission occupies the next slot
 * @offload: of the interface
 *
 * Call it before the chip can complete the transmission. If no other slot is free
 * the transmit queue is stopped, until NAPI has echoed a frame.
 *
 * Context: ndo_start_xmit().
 */
void can_rx_ring_slot_use(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;

	WRITE_ONCE(ring->tx_head, ring->tx_head + 1);
	if (likely(slot_free(ring)))
		return;
	/* what stops the queue is seen by who sees that it is stopped */
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
 * @time: when the interrupt handler saw it, or 0 for when it is handed over
 *
 * Context: NAPI.
 */
void can_rx_ring_receive(struct can_rx_offload *offload, struct sk_buff *skb,
			 ktime_t time)
{
	skb_set_delivery_time(skb, time, SKB_CLOCK_REALTIME);
	skb_mark_napi_id(skb, &offload->napi);
	netif_receive_skb(skb);
}
EXPORT_SYMBOL_GPL(can_rx_ring_receive);

static void receive_frame(struct can_rx_offload *offload,
			  const struct can_rx_ring_entry *entry)
{
	struct net_device *dev = offload->dev;
	struct can_priv *priv = netdev_priv(dev);
	struct sk_buff *skb = napi_alloc_can_skb(dev);
	struct can_frame *frame;

	if (unlikely(!skb)) {
		dev->stats.rx_dropped++;
		return;
	}
	frame = (struct can_frame *)skb->data;
	frame->can_id = entry->id;
	can_frame_set_cc_len(frame, entry->dlc, priv->ctrlmode);
	if (!(entry->id & CAN_RTR_FLAG)) {
		/* most have eight bytes, which are one access */
		if (frame->len == CAN_MAX_DLEN)
			memcpy(frame->data, entry->data, CAN_MAX_DLEN);
		else
			memcpy(frame->data, entry->data, frame->len);
		dev->stats.rx_bytes += frame->len;
	}
	dev->stats.rx_packets++;
	can_rx_ring_receive(offload, skb, entry->time);
}

/* Errors are rare: out of the way of frames */
static noinline void receive_error(struct can_rx_offload *offload,
				   canid_t class, u8 controller, ktime_t time)
{
	struct can_frame *frame;
	struct sk_buff *skb = alloc_can_err_skb(offload->dev, &frame);

	if (!skb)
		return;
	frame->can_id |= class;
	frame->data[1] = controller;
	can_rx_ring_receive(offload, skb, time);
}

static void free_slot(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;

	/* Pairs with smp_load_acquire() in slot_free() */
	smp_store_release(&ring->tx_tail, ring->tx_tail + 1);
	can_rx_ring_wake(offload);
}

static void receive_echo(struct can_rx_offload *offload,
			 const struct can_rx_ring_entry *entry)
{
	struct net_device *dev = offload->dev;
	struct sk_buff *skb;
	unsigned int len = 0;

	skb = __can_get_echo_skb(dev, entry->slot, &len, NULL);
	dev->stats.tx_packets++;
	dev->stats.tx_bytes += len;
	if (skb)
		can_rx_ring_receive(offload, skb, entry->time);
	free_slot(offload);
}

static void forget_echo(struct can_rx_offload *offload,
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
	free_slot(offload);
}

/* All but frames; out of the way of these */
static noinline void receive_other(struct can_rx_offload *offload,
				   const struct can_rx_ring_entry *entry)
{
	switch (entry->kind) {
	case CAN_RX_RING_SENT:
		receive_echo(offload, entry);
		break;
	case CAN_RX_RING_NOT_SENT:
	case CAN_RX_RING_ABORTED:
		forget_echo(offload, entry);
		break;
	case CAN_RX_RING_EVENT:
		offload->ring->ops->event(offload, entry);
		break;
	case CAN_RX_RING_RESTARTED:
		receive_error(offload, CAN_ERR_RESTARTED, 0, entry->time);
		break;
	}
}

static void count_loss(struct can_rx_offload *offload, unsigned int until)
{
	struct can_rx_ring *ring = offload->ring;
	unsigned int lost = until - ring->reported;

	ring->reported = until;
	offload->dev->stats.rx_dropped += lost;
	offload->dev->stats.rx_fifo_errors += lost;
}

static noinline void report_loss(struct can_rx_offload *offload,
				 unsigned int until)
{
	count_loss(offload, until);
	receive_error(offload, CAN_ERR_CRTL, CAN_ERR_CRTL_RX_OVERFLOW, 0);
}

static bool was_lost(struct can_rx_ring *ring, unsigned int until)
{
	return unlikely((int)(until - ring->reported) > 0);
}

static int receive_all(struct can_rx_offload *offload, int budget)
{
	struct can_rx_ring *ring = offload->ring;
	struct can_rx_ring_entry *entry;
	unsigned int tail = ring->tail;
	unsigned int lost, head;
	int work = 0;

	/* what was lost until here came before what is put in after head */
	lost = smp_load_acquire(&ring->lost);
	/* with the release in can_rx_ring_commit() */
	head = smp_load_acquire(&ring->head);
	/* who puts more in meanwhile schedules NAPI again */
	while (tail != head) {
		if (work == budget)
			return work;
		entry = entry_at(ring, tail);
		/* or its address is worked out for each of its fields */
		OPTIMIZER_HIDE_VAR(entry);
		if (was_lost(ring, entry->lost))
			report_loss(offload, entry->lost);
		if (entry->kind == CAN_RX_RING_FRAME)
			receive_frame(offload, entry);
		else
			receive_other(offload, entry);
		/* ring_reserve() may overwrite it now */
		smp_store_release(&ring->tail, ++tail);
		work++;
	}
	if (was_lost(ring, lost))
		report_loss(offload, lost);
	return work;
}

/* Receive interrupts */

/* With these two settings a reader that polls finds interrupts masked, and the
 * network core polls if no reader has done so for that time.
 */
static bool may_mask(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;
	unsigned long timeout = READ_ONCE(offload->dev->gro_flush_timeout);

	return ring->ops->mask && timeout && timeout < ring->fill_ns &&
	       READ_ONCE(offload->dev->napi_defer_hard_irqs);
}

static ktime_t unmask_time(struct can_rx_ring *ring)
{
	return ktime_add_ns(ring->read_at, ring->fill_ns);
}

static void set_mask(struct can_rx_ring *ring, bool mask)
{
	if (ring->masked == mask)
		return;
	WRITE_ONCE(ring->masked, mask);
	ring->ops->mask(ring->offload, mask);
}

/* A reader may be kept from polling for longer than the chip can wait: by
 * interrupts, by softirqs of others, and on PREEMPT_RT by any thread of a higher
 * priority.
 */
static enum hrtimer_restart unmask_timer_expired(struct hrtimer *timer)
{
	struct can_rx_ring *ring = container_of(timer, struct can_rx_ring, unmask_timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;
	unsigned long flags;

	raw_spin_lock_irqsave(&ring->lock, flags);
	if (hrtimer_is_queued(timer)) {
		/* a poll has started it anew while this waited for the lock */
	} else if (ring->masked && ktime_before(ktime_get(), unmask_time(ring))) {
		hrtimer_set_expires(timer, unmask_time(ring));
		restart = HRTIMER_RESTART;
	} else {
		set_mask(ring, false);
	}
	raw_spin_unlock_irqrestore(&ring->lock, flags);
	return restart;
}

/* A poll postpones the timer when half of its time is over: as long as there are
 * polls, the timer does not interrupt them, and few of them have to start it.
 */
static void can_rx_ring_postpone_unmask(struct can_rx_ring *ring)
{
	ktime_t soon = ktime_add_ns(ring->read_at, ring->fill_ns / 2);

	if (ring->masked && ktime_after(hrtimer_get_expires(&ring->unmask_timer), soon))
		return;
	hrtimer_start(&ring->unmask_timer, unmask_time(ring), HRTIMER_MODE_ABS_HARD);
}

static void can_rx_ring_pause(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;
	bool mask = may_mask(offload);

	if (!mask && !ring->masked)
		return;
	ring->read_at = ktime_get();
	if (mask)
		can_rx_ring_postpone_unmask(ring);
	set_mask(ring, mask);
}

/* Interrupts come between the portions that the driver reads. What a poll has no
 * budget for is left to the next one, and to an interrupt: the timer waits for as long
 * as it takes to fill a chip that is empty.
 */
static noinline void read_chip(struct can_rx_offload *offload, int budget)
{
	struct can_rx_ring *ring = offload->ring;
	unsigned long flags;
	bool more;

	can_rx_ring_lock(offload, flags);
	can_rx_ring_pause(offload);
	for (;;) {
		more = ring->ops->read(offload);
		ring->filled = false;
		if (!more || ring->head - ring->tail >= budget)
			break;
		can_rx_ring_unlock(offload, flags);
		can_rx_ring_lock(offload, flags);
	}
	if (more)
		set_mask(ring, false);
	can_rx_ring_unlock(offload, flags);
}

static noinline void end_mask(struct can_rx_offload *offload)
{
	unsigned long flags;

	can_rx_ring_lock(offload, flags);
	set_mask(offload->ring, false);
	can_rx_ring_unlock(offload, flags);
}

static void unmask(struct can_rx_offload *offload)
{
	if (unlikely(READ_ONCE(offload->ring->masked)))
		end_mask(offload);
}

/* NAPI stays with a busy reader until that calls it for the last time, without
 * the bit. What then is still masked because the reader may come back is unmasked
 * by the next poll, which is that of the timer.
 */
static int can_rx_ring_poll(struct napi_struct *napi, int budget)
{
	struct can_rx_offload *offload =
		container_of(napi, struct can_rx_offload, napi);
	struct can_rx_ring *ring = offload->ring;
	bool was_polled = ring->polled;
	int work;

	/* netpoll wants to send */
	if (!budget)
		return 0;
	ring->polled = test_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	work = receive_all(offload, budget);
	if (ring->polled && ring->ops->read && work < budget) {
		read_chip(offload, budget - work);
		work += receive_all(offload, budget - work);
	}
	if (work >= budget || ring->polled)
		return work;
	if (napi_complete_done(napi, work) || !was_polled)
		unmask(offload);
	return work;
}

/* Begin and end */

/**
 * can_rx_offload_add_ring() - let an interface receive through a ring
 * @dev: the interface; its private data begin with a struct can_priv
 * @offload: in its private data
 * @ops: what the driver knows
 *
 * The interface needs CAN_RX_RING_SLOTS echo skbs. can_rx_offload_del() is the
 * opposite.
 *
 * Context: process.
 * Return: 0, -EINVAL without what is needed, or -ENOMEM.
 */
int can_rx_offload_add_ring(struct net_device *dev,
			    struct can_rx_offload *offload,
			    const struct can_rx_ring_ops *ops)
{
	struct can_priv *priv = netdev_priv(dev);
	struct can_rx_ring *ring;

	if (!ops->event || !ops->ready || priv->echo_skb_max < CAN_RX_RING_SLOTS)
		return -EINVAL;
	ring = kvzalloc(sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;
	ring->ops = ops;
	ring->offload = offload;
	raw_spin_lock_init(&ring->lock);
	hrtimer_init(&ring->unmask_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	ring->unmask_timer.function = unmask_timer_expired;

	offload->dev = dev;
	offload->ring = ring;
	skb_queue_head_init(&offload->skb_queue);
	__skb_queue_head_init(&offload->skb_irq_queue);
	priv->rx_offload = offload;
	netif_napi_add(dev, &offload->napi, can_rx_ring_poll);
	can_get_ml_priv(dev)->napi_skbs = true;
	return 0;
}
EXPORT_SYMBOL_GPL(can_rx_offload_add_ring);

/**
 * can_rx_ring_enable() - begin to receive
 * @offload: of the interface
 * @fill_ns: how long the chip can keep all frames that may come at the bit rate
 *	that is set: while a reader polls, receive interrupts are not masked for
 *	longer. 0 if they are not to be masked.
 *
 * Context: process, before the chip is started.
 */
void can_rx_ring_enable(struct can_rx_offload *offload, u64 fill_ns)
{
	struct can_rx_ring *ring = offload->ring;

	ring->head = 0;
	ring->tail = 0;
	ring->tx_head = 0;
	ring->tx_tail = 0;
	ring->reported = ring->lost;
	ring->filled = false;
	ring->polled = false;
	ring->masked = false;
	ring->fill_ns = fill_ns;
	napi_enable(&offload->napi);
}
EXPORT_SYMBOL_GPL(can_rx_ring_enable);

/**
 * can_rx_ring_disable() - stop to receive
 * @offload: of the interface
 *
 * Afterwards NAPI does not run, and only the interrupt handler accesses the chip.
 *
 * Context: process, before the chip is stopped.
 */
void can_rx_ring_disable(struct can_rx_offload *offload)
{
	napi_disable(&offload->napi);
	hrtimer_cancel(&offload->ring->unmask_timer);
	unmask(offload);
	count_loss(offload, READ_ONCE(offload->ring->lost));
}
EXPORT_SYMBOL_GPL(can_rx_ring_disable);
