// SPDX-License-Identifier: GPL-2.0-only
/*
 * The transmit queue of a driver. Contexts and locks are described in
 * include/linux/can/tx-queue.h.
 */
#include <kunit/visibility.h>
#include <linux/can/arbitration.h>
#include <linux/can/can-ml.h>
#include <linux/can/dev.h>
#include <linux/can/tx-direct.h>
#include <linux/can/tx-queue.h>
#include <linux/netdevice.h>

#include "express.h"

/**
 * can_tx_queue_init() - make an interface send through a queue
 * @queue: in the private data of the interface
 * @offload: of the interface, with a ring
 * @depth: frames at which the transmit queue of the interface is stopped
 * @reordered: called with the lock of the queue when frames in it have another order: end
 *	an inversion, see can_tx_queue_inverted()
 *
 * The queue sends first come, first served, and is closed.
 *
 * Context: Process context, before the interface is registered.
 */
void can_tx_queue_init(struct can_tx_queue *queue,
		       struct can_rx_offload *offload, unsigned int depth,
		       void (*reordered)(struct can_tx_queue *queue))
{
	raw_spin_lock_init(&queue->lock);
	queue->offload = offload;
	queue->depth = depth;
	queue->reordered = reordered;
	queue->closed = true;
	queue->ml = can_get_ml_priv(offload->dev);
	queue->ml->tx_wake = can_tx_queue_wake;
	can_tx_direct_init(queue->ml);
	queue->next_urgency = U32_MAX;
	offload->ring->tx_queue = queue;
}
EXPORT_SYMBOL_GPL(can_tx_queue_init);

/* Return: the slot of the first frame that the chip does not hold, or -1. */
int can_tx_queue_first_waiting(const struct can_tx_queue *queue)
{
	unsigned int i;

	for (i = 0; i < queue->count; i++) {
		if (!(queue->loaded & BIT_ULL(queue->order[i])))
			return queue->order[i];
	}
	return -1;
}

/* The order of the frames, or which of them the chip holds, has changed. */
void __can_tx_queue_changed(struct can_tx_queue *queue)
{
	u32 urgency = U32_MAX;
	int next;

	lockdep_assert_held(&queue->lock);
	if (queue->bus_order && queue->count) {
		next = can_tx_queue_first_waiting(queue);
		if (next < 0)
			next = queue->order[queue->count - 1];
		urgency = ~queue->key[next];
	}
	WRITE_ONCE(queue->next_urgency, urgency);
}
EXPORT_SYMBOL_GPL(__can_tx_queue_changed);

static void tx_queue_clear(struct can_tx_queue *queue)
{
	WRITE_ONCE(queue->refused, 0);
	WRITE_ONCE(queue->count, 0);
	WRITE_ONCE(queue->skbs, 0);
	WRITE_ONCE(queue->loaded, 0);
	queue->aborting = 0;
	__can_tx_queue_changed(queue);
}

/**
 * can_tx_queue_reset() - forget the frames of the last time
 * @queue: that is closed
 *
 * Context: ndo_open(), with can_rx_ring_enable().
 */
void can_tx_queue_reset(struct can_tx_queue *queue)
{
	unsigned long flags;

	can_tx_express_flush(queue);
	raw_spin_lock_irqsave(&queue->lock, flags);
	tx_queue_clear(queue);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
}
EXPORT_SYMBOL_GPL(can_tx_queue_reset);

/**
 * can_tx_queue_open() - accept frames
 * @queue: of the interface, whose chip was started
 *
 * The caller starts the transmit queue, or calls can_rx_ring_wake().
 *
 * Context: Process context.
 */
void can_tx_queue_open(struct can_tx_queue *queue)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&queue->lock, flags);
	WRITE_ONCE(queue->closed, false);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
}
EXPORT_SYMBOL_GPL(can_tx_queue_open);

/**
 * can_tx_queue_close() - accept and load no frame
 * @queue: of the interface, whose chip will be stopped
 *
 * Context: any.
 */
void can_tx_queue_close(struct can_tx_queue *queue)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&queue->lock, flags);
	WRITE_ONCE(queue->closed, true);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
}
EXPORT_SYMBOL_GPL(can_tx_queue_close);

/**
 * can_tx_queue_abort() - a reset of the chip ends all transmissions
 * @queue: which is closed
 *
 * Context: the producer of the ring, with netif_tx_lock().
 */
void can_tx_queue_abort(struct can_tx_queue *queue)
{
	unsigned int i;

	raw_spin_lock(&queue->lock);
	WRITE_ONCE(queue->closed, true);
	for (i = 0; i < queue->count; i++) {
		if (can_rx_ring_is_express(queue->order[i]))
			can_tx_express_aborted(queue, queue->order[i]);
		else
			can_rx_ring_aborted(queue->offload, queue->order[i]);
	}
	tx_queue_clear(queue);
	raw_spin_unlock(&queue->lock);
}
EXPORT_SYMBOL_GPL(can_tx_queue_abort);

/* Put a slot into @order, whose first @count elements are in order. */
static void tx_queue_insert(struct can_tx_queue *queue, unsigned int count,
			    unsigned int slot)
{
	u32 key = queue->key[slot];

	for (; queue->bus_order && count; count--) {
		if (queue->key[queue->order[count - 1]] <= key)
			break;
		queue->order[count] = queue->order[count - 1];
	}
	queue->order[count] = slot;
}

/* In the order of the bus, or an express frame */
void __can_tx_queue_add(struct can_tx_queue *queue, unsigned int slot)
{
	lockdep_assert_held(&queue->lock);
	queue->key[slot] = can_arbitration_key(queue->frame[slot].can_id);
	tx_queue_insert(queue, queue->count, slot);
	WRITE_ONCE(queue->count, queue->count + 1);
	if (!can_rx_ring_is_express(slot))
		WRITE_ONCE(queue->skbs, queue->skbs + 1);
	__can_tx_queue_changed(queue);
}
EXPORT_SYMBOL_GPL(__can_tx_queue_add);

void __can_tx_queue_unloaded(struct can_tx_queue *queue, unsigned int slot)
{
	queue->aborting &= ~BIT_ULL(slot);
	__can_tx_queue_changed(queue);
}
EXPORT_SYMBOL_GPL(__can_tx_queue_unloaded);

/* The slot was one of the first @count + 1 in @order. */
void __can_tx_queue_close_gap(struct can_tx_queue *queue, unsigned int slot)
{
	unsigned int i;

	for (i = 0; i < queue->count && queue->order[i] != slot; i++)
		;
	for (; i < queue->count; i++)
		queue->order[i] = queue->order[i + 1];
}
EXPORT_SYMBOL_GPL(__can_tx_queue_close_gap);

/* While the chip holds frames */
int __can_tx_queue_next(const struct can_tx_queue *queue)
{
	unsigned int i;

	for (i = 0; i < queue->count; i++) {
		if (queue->aborting & BIT_ULL(queue->order[i]))
			return -1;
		if (!(queue->loaded & BIT_ULL(queue->order[i])))
			return queue->order[i];
	}
	return -1;
}
EXPORT_SYMBOL_GPL(__can_tx_queue_next);

static int tx_queue_last_loaded(const struct can_tx_queue *queue)
{
	unsigned int i;

	for (i = queue->count; i; i--) {
		if (queue->loaded & BIT_ULL(queue->order[i - 1]))
			return queue->order[i - 1];
	}
	return -1;
}

/**
 * can_tx_queue_inverted() - does a frame in the chip keep one waiting that precedes it?
 * @queue: whose lock the caller holds
 *
 * The driver asks after it has loaded what the chip has room for. It sets the bit of the
 * frame in &can_tx_queue.aborting and tells the chip to give the frame back. When the chip
 * does, the driver calls can_tx_queue_unload(), loads the next one, and calls
 * can_rx_ring_wake(): a frame that waits in the queueing discipline may precede the new
 * next one. If the chip has sent it nevertheless, it was sent like any other.
 *
 * Return: the slot of the last frame that the chip holds, if another one precedes it and
 * no frame is being aborted; otherwise -1. Always -1 unless the queue sends in the order
 * of the bus.
 */
int can_tx_queue_inverted(struct can_tx_queue *queue)
{
	int next, last;

	if (!queue->bus_order || queue->aborting)
		return -1;
	next = can_tx_queue_next(queue);
	last = tx_queue_last_loaded(queue);
	if (next < 0 || last < 0 || queue->key[last] <= queue->key[next])
		return -1;
	return last;
}
EXPORT_SYMBOL_GPL(can_tx_queue_inverted);

/* The slots are divided by urgency, but the first of them. The most urgent frame finds one if
 * not all are occupied by frames that were sent, and wait for their echo.
 */
static bool tx_queue_may_use_slot(const struct can_tx_queue *queue, u32 urgency)
{
	unsigned int used = hweight_long(READ_ONCE(queue->offload->ring->slots));

	return used < max(1 + urgency / (U32_MAX / CAN_RX_RING_SLOTS),
			  queue->depth + CAN_TX_QUEUE_FREE);
}

/* The queue has its depth. */
bool __can_tx_queue_ready(const struct can_tx_queue *queue)
{
	u32 urgency = max(READ_ONCE(queue->ml->tx_urgency),
			  READ_ONCE(queue->refused));

	return urgency > READ_ONCE(queue->next_urgency) &&
	       tx_queue_may_use_slot(queue, urgency);
}
EXPORT_SYMBOL_GPL(__can_tx_queue_ready);

/* There is no room. */
void __can_tx_queue_stop(struct can_tx_queue *queue)
{
	/* Pairs with smp_rmb() in can_rx_ring_wake(): what makes the queue not ready is
	 * stored before.
	 */
	smp_mb__before_atomic();
	netif_stop_queue(queue->offload->dev);
	can_rx_ring_wake(queue->offload);
}
EXPORT_SYMBOL_GPL(__can_tx_queue_stop);

/**
 * can_tx_queue_busy() - stop the transmit queue of the interface if a frame is not accepted
 * @queue: of the interface
 * @skb: with the frame
 *
 * In the place of can_rx_ring_tx_busy(). The queueing discipline has handed on the frame, so
 * &can_ml_priv.tx_urgency is that of the next one, and does not tell that there was room. But
 * the transmit queue of the interface tells, which is not stopped.
 *
 * Context: start of ndo_start_xmit().
 * Return: true if there is no room or no slot is free. The queue is stopped then, and
 * ndo_start_xmit() returns NETDEV_TX_BUSY.
 */
bool can_tx_queue_busy(struct can_tx_queue *queue, const struct sk_buff *skb)
{
	struct can_rx_offload *offload = queue->offload;

	if (likely(can_rx_ring_slot_free(offload) &&
		   (can_tx_queue_ready(queue) ||
		    (READ_ONCE(queue->bus_order) && !READ_ONCE(queue->closed) &&
		     !netif_queue_stopped(offload->dev))))) {
		if (unlikely(queue->refused))
			WRITE_ONCE(queue->refused, 0);
		return false;
	}
	WRITE_ONCE(queue->refused, ~can_arbitration_key_of_skb(skb));
	__can_tx_queue_stop(queue);
	return true;
}
EXPORT_SYMBOL_GPL(can_tx_queue_busy);

/* The order of the bus */

/**
 * can_tx_queue_set_bus_order() - choose the order in which frames are sent
 * @queue: of the interface
 * @bus_order: in the order of the bus; otherwise first come, first served
 *
 * Frames that are in the queue keep their order, or get that of the bus. A frame that waits
 * in the queueing discipline may precede them.
 *
 * Context: any.
 */
void can_tx_queue_set_bus_order(struct can_tx_queue *queue, bool bus_order)
{
	unsigned int i, slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&queue->lock, flags);
	WRITE_ONCE(queue->bus_order, bus_order);
	for (i = 0; i < queue->count; i++) {
		slot = queue->order[i];
		queue->key[slot] = can_arbitration_key(queue->frame[slot].can_id);
		tx_queue_insert(queue, i, slot);
	}
	__can_tx_queue_changed(queue);
	if (queue->count && !queue->closed && queue->reordered)
		queue->reordered(queue);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
	can_rx_ring_wake(queue->offload);
}
EXPORT_SYMBOL_IF_KUNIT(can_tx_queue_set_bus_order);

/**
 * can_tx_queue_wake() - another frame is the first one that waits
 * @dev: the interface
 *
 * For &can_ml_priv.tx_wake. If there is room for the frame, wake the transmit queue of the
 * interface, and otherwise stop it, until there is.
 *
 * Context: the queueing discipline, with its lock, after it has stored
 * &can_ml_priv.tx_urgency.
 */
void can_tx_queue_wake(struct net_device *dev)
{
	struct can_priv *priv = netdev_priv(dev);
	struct can_rx_offload *offload = priv->rx_offload;
	struct can_tx_queue *queue = offload->ring->tx_queue;

	/* Pairs with the barriers in can_rx_ring_wake(), which ndo_start_xmit() calls after
	 * it has stopped the queue, and can_tx_queue_set_bus_order() after it has stored the
	 * order: either they see the urgency, or this sees that the queue is stopped, and
	 * the order.
	 */
	smp_mb();
	if (!READ_ONCE(queue->bus_order))
		return;
	if (!netif_queue_stopped(dev)) {
		if (!can_tx_queue_ready(queue))
			__can_tx_queue_stop(queue);
	} else if (!can_tx_direct_runs()) {
		can_rx_ring_wake(offload);
	} else if (can_rx_ring_may_wake(offload)) {
		netif_start_queue(dev);
	}
}
EXPORT_SYMBOL_IF_KUNIT(can_tx_queue_wake);
