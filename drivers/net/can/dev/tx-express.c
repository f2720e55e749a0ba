// SPDX-License-Identifier: GPL-2.0-only
/*
 * Express frames in the transmit queue of a driver. Contexts and locks are described in
 * include/linux/can/express.h and include/linux/can/tx-queue.h.
 */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/can/arbitration.h>
#include <linux/can/can-ml.h>
#include <linux/can/dev.h>
#include <linux/can/express.h>
#include <linux/can/tx-queue.h>
#include <linux/ktime.h>

#include "express.h"

#ifdef CAN_EXPRESS

static_assert(CAN_TX_QUEUE_EXPRESS <= BITS_PER_LONG);
static_assert(CAN_TX_QUEUE_SLOTS <= BITS_PER_LONG_LONG);

static struct can_tx_express *tx_express_at(struct can_tx_queue *queue,
					    unsigned int slot)
{
	return &queue->express[slot - CAN_RX_RING_SLOTS];
}

/* The frame is not in the queue any more. The caller has read what it needs. */
static void tx_express_end(struct can_tx_queue *queue, unsigned int slot,
			   enum can_express_event event)
{
	struct can_express_flow *flow = tx_express_at(queue, slot)->flow;

	can_express_count(flow, event);
	can_express_put(flow);
	/* Pairs with smp_load_acquire() in tx_express_free_slot() */
	clear_bit_unlock(slot - CAN_RX_RING_SLOTS, &queue->express_slots);
}

/* Called with the lock of the queue. The chip does not hold the frame. */
static void tx_express_drop(struct can_tx_queue *queue, unsigned int slot,
			    enum can_express_event event)
{
	can_tx_queue_remove(queue, slot);
	tx_express_end(queue, slot, event);
}

static bool tx_express_waits(const struct can_tx_queue *queue, unsigned int slot)
{
	return can_rx_ring_is_express(slot) &&
	       !((queue->loaded | queue->aborting) & BIT_ULL(slot));
}

/* Return: the newest frame of the least urgent identifier, or -1 if that is a frame with
 * @key, which would come last. Frames with the same identifier are in the order in which
 * they came.
 */
static int tx_express_least_urgent(const struct can_tx_queue *queue, u32 key)
{
	unsigned int i, slot;
	int least = -1;

	for (i = 0; i < queue->count; i++) {
		slot = queue->order[i];
		if (!tx_express_waits(queue, slot) || queue->key[slot] <= key)
			continue;
		if (least < 0 || queue->key[slot] >= queue->key[least])
			least = slot;
	}
	return least;
}

static int tx_express_free_slot(const struct can_tx_queue *queue)
{
	/* Pairs with clear_bit_unlock() in tx_express_end() */
	unsigned long used = smp_load_acquire(&queue->express_slots);

	if (used == GENMASK(CAN_TX_QUEUE_EXPRESS - 1, 0))
		return -1;
	return CAN_RX_RING_SLOTS + ffz(used);
}

/* Return: the end of the lifetime of a waiting express frame, or 0 if it has none. */
static ktime_t tx_express_until(struct can_tx_queue *queue, unsigned int slot)
{
	return tx_express_waits(queue, slot) ?
	       tx_express_at(queue, slot)->until : 0;
}

static void tx_express_drop_all_late(struct can_tx_queue *queue)
{
	ktime_t now = ktime_get_boottime(), until;
	unsigned int i, slot;

	for (i = queue->count; i; i--) {
		slot = queue->order[i - 1];
		until = tx_express_until(queue, slot);
		if (until && !ktime_before(now, until))
			tx_express_drop(queue, slot, CAN_EXPRESS_LATE);
	}
}

/* All slots are used. Return: one for a frame with this key, or -1 if there is none. */
static int tx_express_make_room(struct can_tx_queue *queue, u32 key)
{
	int slot;

	tx_express_drop_all_late(queue);
	slot = tx_express_free_slot(queue);
	if (slot >= 0)
		return slot;
	slot = tx_express_least_urgent(queue, key);
	if (slot < 0)
		return slot;
	tx_express_drop(queue, slot, CAN_EXPRESS_DROPPED);
	return tx_express_free_slot(queue);
}

static bool tx_express_add(struct can_tx_queue *queue,
			   const struct can_express_frame *frame)
{
	struct can_priv *priv = netdev_priv(queue->offload->dev);
	struct can_tx_express *express;
	int slot;

	/* a controller in loopback mode would receive the frame, which has no hops there */
	if (queue->closed || READ_ONCE(priv->state) == CAN_STATE_BUS_OFF ||
	    priv->ctrlmode & (CAN_CTRLMODE_LISTENONLY | CAN_CTRLMODE_LOOPBACK))
		return false;
	slot = tx_express_free_slot(queue);
	if (unlikely(slot < 0))
		slot = tx_express_make_room(queue, can_arbitration_key(frame->frame.can_id));
	if (unlikely(slot < 0))
		return false;
	express = tx_express_at(queue, slot);
	refcount_inc(&frame->flow->refs);
	express->flow = frame->flow;
	express->until = frame->until;
	express->ifindex = frame->ifindex;
	express->hops = frame->hops;
	express->echo = frame->echo;
	queue->frame[slot] = frame->frame;
	set_bit(slot - CAN_RX_RING_SLOTS, &queue->express_slots);
	__can_tx_queue_add(queue, slot);
	return true;
}

static void tx_express_send(struct net_device *dev,
			    const struct can_express_frame *frame)
{
	struct can_priv *priv = netdev_priv(dev);
	struct can_tx_queue *queue = priv->rx_offload->ring->tx_queue;

	lockdep_assert_irqs_disabled();
	raw_spin_lock(&queue->lock);
	if (tx_express_add(queue, frame))
		queue->added(queue);
	else
		can_express_count(frame->flow, CAN_EXPRESS_DROPPED);
	raw_spin_unlock(&queue->lock);
}

static const struct can_express_ops tx_express_ops = {
	.attach = can_rx_express_attach,
	.received = can_rx_express_received,
	.waiting = can_rx_express_waiting,
	.send = tx_express_send,
};

/**
 * can_tx_express_init() - accept express frames
 * @queue: after can_tx_queue_init()
 * @added: as for can_tx_queue_xmit(); also called with the lock of another ring
 *
 * Context: Process context, before the interface is registered.
 */
void can_tx_express_init(struct can_tx_queue *queue,
			 void (*added)(struct can_tx_queue *queue))
{
	queue->added = added;
	queue->ml->express_ops = &tx_express_ops;
}
EXPORT_SYMBOL_GPL(can_tx_express_init);

/* The chip has ended a transmission: fill in the entry, and free the slot. Called by the
 * producer of the ring.
 */
void can_tx_express_sent(struct can_tx_queue *queue, unsigned int slot,
			 struct can_rx_ring_entry *entry)
{
	const struct can_tx_express *express = tx_express_at(queue, slot);
	struct can_priv *priv = netdev_priv(queue->offload->dev);
	const struct can_frame *frame = &queue->frame[slot];

	entry->id = frame->can_id;
	entry->dlc = can_get_cc_dlc(frame, priv->ctrlmode);
	entry->hops = express->echo ? express->hops : 0;
	entry->ifindex = express->ifindex;
	memcpy(entry->data, frame->data, CAN_MAX_DLEN);
	tx_express_end(queue, slot, entry->kind == CAN_RX_RING_EXPRESS ?
				    CAN_EXPRESS_SENT : CAN_EXPRESS_DROPPED);
}

/* A reset of the chip has ended the transmission. Called with the lock of the queue, whose
 * caller forgets all frames.
 */
void can_tx_express_aborted(struct can_tx_queue *queue, unsigned int slot)
{
	tx_express_end(queue, slot, CAN_EXPRESS_DROPPED);
}

/* The interface is down: drop what was not sent. @queue may be NULL. */
void can_tx_express_flush(struct can_tx_queue *queue)
{
	unsigned int i, slot;
	unsigned long flags;

	if (!queue)
		return;
	raw_spin_lock_irqsave(&queue->lock, flags);
	for (i = queue->count; i; i--) {
		slot = queue->order[i - 1];
		if (can_rx_ring_is_express(slot))
			tx_express_drop(queue, slot, CAN_EXPRESS_DROPPED);
	}
	raw_spin_unlock_irqrestore(&queue->lock, flags);
}

/* Drop frames whose turn comes too late. Called with the lock of the queue. */
void __can_tx_express_drop_late(struct can_tx_queue *queue)
{
	ktime_t until;
	int slot;

	while (!queue->closed) {
		slot = can_tx_queue_first_waiting(queue);
		until = slot < 0 ? 0 : tx_express_until(queue, slot);
		if (!until || ktime_before(ktime_get_boottime(), until))
			break;
		tx_express_drop(queue, slot, CAN_EXPRESS_LATE);
	}
}
EXPORT_SYMBOL_GPL(__can_tx_express_drop_late);

#endif /* CAN_EXPRESS */
