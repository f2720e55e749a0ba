/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The transmit queue of a driver whose interface has a ring (rx-ring.h).
 *
 *	ndo_start_xmit() --> queue --> chip --irq--> ring --NAPI--> echo
 *
 * A few frames that the driver has accepted, in the order in which they are sent: first
 * come, first served, or in the order of the bus (arbitration.h), and first come, first
 * served for the same identifier. ndo_start_xmit() adds a frame. Whoever finds the chip
 * free, ndo_start_xmit() or the interrupt that ends a transmission, loads the first frame
 * that the chip does not hold. A frame stays in the queue while the chip holds it, so it
 * still has its place if the chip gives it back.
 *
 * In the order of the bus, a frame may be in the chip and lose every arbitration, while
 * one that would win waits. can_tx_queue_inverted() finds it, and the driver aborts the
 * transmission if the chip can do that.
 *
 * The queue is short, because the queueing discipline should decide as late as possible:
 * the transmit queue of the interface is stopped while as many frames as its depth are in
 * it. A queueing discipline that knows the order of the bus stores the urgency of the first
 * frame that waits there (can_ml_priv.tx_urgency). While it exceeds that of the next frame
 * to be loaded, the driver accepts one more. Anybody may send ever more urgent frames that
 * lose against other nodes, so the slots of the ring are rationed: the more are in use, the
 * more urgent has a frame to be.
 *
 * Express frames (express.h) come from the interrupts of other interfaces. They have slots of
 * their own, no echo skb, and do not count for the depth, so that they and those of
 * ndo_start_xmit() cannot keep each other out.
 *
 * Contexts and locks: can_tx_queue.lock is a raw spinlock, and a leaf: it may be acquired
 * with the lock of the ring. It protects the queue, the transmit buffers of the chip, and
 * the registers that select or command them, so whoever only sends does not wait for a
 * loop that reads received frames. Nothing under it allocates memory or sleeps; a driver
 * may wake a thread.
 */
#ifndef _CAN_TX_QUEUE_H
#define _CAN_TX_QUEUE_H

#include <linux/can.h>
#include <linux/can/can-ml.h>
#include <linux/can/dev.h>
#include <linux/can/express.h>
#include <linux/can/rx-ring.h>
#include <linux/can/skb.h>
#include <linux/ethtool.h>
#include <linux/spinlock.h>

/* The depth for a chip with one transmit buffer: one frame is in it, and the interrupt
 * handler loads the next one: the bus becomes idle if this takes longer than three bits.
 * More frames would only leave the queueing discipline too early.
 */
#define CAN_TX_QUEUE_DEPTH 2

/* Slots beyond the depth that any frame may use which precedes the next one */
#define CAN_TX_QUEUE_FREE 2

/* Slots for express frames, behind those of the ring. If none is free, the least urgent
 * frame is dropped. 32 frames of eight bytes take 4 ms at 1 Mbit/s.
 */
#define CAN_TX_QUEUE_EXPRESS 32
#define CAN_TX_QUEUE_SLOTS (CAN_RX_RING_SLOTS + CAN_TX_QUEUE_EXPRESS)

/**
 * struct can_tx_express - what is known of an express frame in the queue
 * @flow: its rule's, with a reference
 * @until: see &struct can_express_frame, like the others
 * @ifindex: see there
 * @hops: see there
 * @echo: see there
 */
struct can_tx_express {
	struct can_express_flow *flow;
	ktime_t until;
	int ifindex;
	u8 hops;
	bool echo;
};

/**
 * struct can_tx_queue - frames that a driver has accepted
 * @lock: see above; protects what follows, except for @offload, @ml,
 *	@depth, @reordered and @frame
 * @offload: of the interface
 * @depth: number of frames at which the transmit queue of the interface is stopped
 * @reordered: of the driver: the order has changed; called with the lock
 * @bus_order: send in the order of the bus
 * @closed: no frame is accepted
 * @ml: of the interface
 * @next_urgency: in the order of the bus, the complement of can_arbitration_key() of the next
 *	frame to be loaded, or if the chip holds all frames of the last one; otherwise U32_MAX
 * @refused: the same of a frame that the network core keeps, because there was no room for
 *	it, 0 if there is none; written by ndo_start_xmit()
 * @count: number of frames
 * @skbs: number of those that ndo_start_xmit() has added
 * @loaded: a bit for the slot of each frame that the chip holds
 * @aborting: like @loaded: the driver has told the chip to give it back, or, after an error,
 *	does not know whether the chip has it
 * @order: the slots of the frames, the first one to be sent first
 * @key: can_arbitration_key() of the frame of each slot, in the order of the bus or if it is
 *	an express frame
 * @frame: the frame of each slot; written by ndo_start_xmit() before it adds it
 * @added: of the driver, as for can_tx_queue_xmit(), for express frames; or NULL
 * @express_slots: a bit for each slot of an express frame that is in use; cleared without the
 *	lock, too
 * @express: for each of these slots
 */
struct can_tx_queue {
	raw_spinlock_t lock;
	struct can_rx_offload *offload;
	unsigned int depth;
	void (*reordered)(struct can_tx_queue *queue);
	bool bus_order;
	bool closed;
	struct can_ml_priv *ml;
	u32 next_urgency;
	u32 refused;
	unsigned int count;
	unsigned int skbs;
	u64 loaded;
	u64 aborting;
	u8 order[CAN_TX_QUEUE_SLOTS];
	u32 key[CAN_TX_QUEUE_SLOTS];
	struct can_frame frame[CAN_TX_QUEUE_SLOTS];
	void (*added)(struct can_tx_queue *queue);
	unsigned long express_slots;
	struct can_tx_express express[CAN_TX_QUEUE_EXPRESS];
};

void can_tx_queue_init(struct can_tx_queue *queue,
		       struct can_rx_offload *offload, unsigned int depth,
		       void (*reordered)(struct can_tx_queue *queue));
void can_tx_queue_reset(struct can_tx_queue *queue);
void can_tx_queue_open(struct can_tx_queue *queue);
void can_tx_queue_close(struct can_tx_queue *queue);
void can_tx_queue_abort(struct can_tx_queue *queue);

bool can_tx_queue_busy(struct can_tx_queue *queue, const struct sk_buff *skb);
int can_tx_queue_inverted(struct can_tx_queue *queue);

/* for the functions below */
void __can_tx_queue_add(struct can_tx_queue *queue, unsigned int slot);
void __can_tx_queue_changed(struct can_tx_queue *queue);
void __can_tx_queue_unloaded(struct can_tx_queue *queue, unsigned int slot);
void __can_tx_queue_close_gap(struct can_tx_queue *queue, unsigned int slot);
int __can_tx_queue_next(const struct can_tx_queue *queue);
bool __can_tx_queue_ready(const struct can_tx_queue *queue);
void __can_tx_queue_stop(struct can_tx_queue *queue);

/* express frames */
#ifdef CAN_EXPRESS
void can_tx_express_init(struct can_tx_queue *queue,
			 void (*added)(struct can_tx_queue *queue));
void __can_tx_express_drop_late(struct can_tx_queue *queue);
#else
static inline void can_tx_express_init(struct can_tx_queue *queue,
				       void (*added)(struct can_tx_queue *queue))
{
}

static inline void __can_tx_express_drop_late(struct can_tx_queue *queue)
{
}
#endif

/* in the order of the bus */
void can_tx_queue_set_bus_order(struct can_tx_queue *queue, bool bus_order);
void can_tx_queue_wake(struct net_device *dev);

/* operations of ethtool, for the private flag "bus-order" */
int can_tx_queue_get_sset_count(struct net_device *dev, int sset);
void can_tx_queue_get_strings(struct net_device *dev, u32 sset, u8 *data);
u32 can_tx_queue_get_priv_flags(struct net_device *dev);
int can_tx_queue_set_priv_flags(struct net_device *dev, u32 flags);

/**
 * can_tx_queue_load() - a frame is in the chip
 * @queue: whose lock the caller holds
 * @slot: of can_tx_queue_next()
 */
static inline void can_tx_queue_load(struct can_tx_queue *queue,
				     unsigned int slot)
{
	WRITE_ONCE(queue->loaded, queue->loaded | BIT_ULL(slot));
	if (unlikely(queue->bus_order))
		__can_tx_queue_changed(queue);
}

/**
 * can_tx_queue_unload() - the chip has given back a frame that it has not sent
 * @queue: whose lock the caller holds
 * @slot: of the frame, which is sent later
 */
static inline void can_tx_queue_unload(struct can_tx_queue *queue,
				       unsigned int slot)
{
	WRITE_ONCE(queue->loaded, queue->loaded & ~BIT_ULL(slot));
	if (unlikely(queue->bus_order || queue->aborting))
		__can_tx_queue_unloaded(queue, slot);
}

/**
 * can_tx_queue_add() - add a frame
 * @queue: whose lock the caller holds
 * @slot: of the ring, which holds the echo skb, and of &can_tx_queue.frame
 *
 * Context: can_tx_queue_xmit().
 */
static inline void can_tx_queue_add(struct can_tx_queue *queue,
				    unsigned int slot)
{
	if (unlikely(queue->bus_order)) {
		__can_tx_queue_add(queue, slot);
		return;
	}
	queue->order[queue->count] = slot;
	WRITE_ONCE(queue->count, queue->count + 1);
	WRITE_ONCE(queue->skbs, queue->skbs + 1);
}

/**
 * can_tx_queue_remove() - remove a frame that was sent, or failed
 * @queue: whose lock the caller holds
 * @slot: of the frame, which is in the queue
 *
 * The caller puts an entry into the ring afterwards.
 *
 * Context: the producer of the ring.
 */
static inline void can_tx_queue_remove(struct can_tx_queue *queue,
				       unsigned int slot)
{
	WRITE_ONCE(queue->count, queue->count - 1);
	if (likely(!can_rx_ring_is_express(slot)))
		WRITE_ONCE(queue->skbs, queue->skbs - 1);
	if (queue->count)
		__can_tx_queue_close_gap(queue, slot);
	can_tx_queue_unload(queue, slot);
}

/**
 * can_tx_queue_next() - which frame is loaded next?
 * @queue: whose lock the caller holds
 *
 * Frames that follow one that is being aborted wait for the end of the abort: it may have
 * the same identifier, and would be overtaken if the chip gives it back.
 *
 * Return: the slot of the first frame that the chip does not hold, or -1, also if the queue
 * is closed.
 */
static inline int can_tx_queue_next(struct can_tx_queue *queue)
{
	if (unlikely(queue->count != queue->skbs))
		__can_tx_express_drop_late(queue);
	if (!queue->count || queue->closed)
		return -1;
	return queue->loaded ? __can_tx_queue_next(queue) : queue->order[0];
}

/**
 * can_tx_queue_ready() - is there room for another frame?
 * @queue: of the interface
 *
 * For &can_rx_ring_ops.ready.
 *
 * Context: any.
 * Return: true if the driver accepts a frame for which there is a slot.
 */
static inline bool can_tx_queue_ready(const struct can_tx_queue *queue)
{
	return !READ_ONCE(queue->closed) &&
	       (READ_ONCE(queue->skbs) < queue->depth ||
		__can_tx_queue_ready(queue));
}

/**
 * can_tx_queue_stop() - stop the transmit queue of the interface if there is no room
 * @queue: of the interface
 *
 * Context: end of ndo_start_xmit().
 */
static inline void can_tx_queue_stop(struct can_tx_queue *queue)
{
	if (!can_tx_queue_ready(queue))
		__can_tx_queue_stop(queue);
}

/**
 * can_tx_queue_xmit() - send a frame
 * @queue: of the interface
 * @skb: of ndo_start_xmit()
 * @added: of the driver, called with the lock of the queue when the frame is in it: load it
 *	if the chip has room, and otherwise end an inversion
 *
 * Context: ndo_start_xmit().
 * Return: as ndo_start_xmit().
 */
static __always_inline netdev_tx_t
can_tx_queue_xmit(struct can_tx_queue *queue, struct sk_buff *skb,
		  void (*added)(struct can_tx_queue *queue))
{
	struct can_rx_offload *offload = queue->offload;
	struct net_device *dev = offload->dev;
	unsigned long flags;
	unsigned int slot;

	if (can_dev_dropped_skb(dev, skb)) {
		can_tx_queue_stop(queue);
		return NETDEV_TX_OK;
	}
	if (can_tx_queue_busy(queue, skb))
		return NETDEV_TX_BUSY;

	slot = can_rx_ring_slot(offload);
	queue->frame[slot] = *(struct can_frame *)skb->data;
	can_put_echo_skb(skb, dev, slot, 0);
	can_rx_ring_slot_use(offload, slot);

	raw_spin_lock_irqsave(&queue->lock, flags);
	can_tx_queue_add(queue, slot);
	added(queue);
	raw_spin_unlock_irqrestore(&queue->lock, flags);

	can_tx_queue_stop(queue);
	return NETDEV_TX_OK;
}

#endif /* !_CAN_TX_QUEUE_H */
