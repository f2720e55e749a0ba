// SPDX-License-Identifier: GPL-2.0-only
/*
 * Express rules at the ring of an interface, and the echoes of express frames. Contexts
 * and locks are described in include/linux/can/express.h.
 */
#include <linux/can/can-ml.h>
#include <linux/can/dev.h>
#include <linux/can/express.h>
#include <linux/can/rx-ring.h>
#include <linux/rcupdate.h>

#include "express.h"
#include "rx-stage.h"

#ifdef CAN_EXPRESS

/* Called by the producer, before others see the entry, which may be one that is dropped
 * because the ring is full.
 */
void __can_rx_express_offer(struct can_rx_offload *offload,
			    struct can_rx_ring_entry *entry)
{
	struct can_priv *priv = netdev_priv(offload->dev);
	struct can_express_rules *rules;
	struct can_frame frame = { };

	if (entry->kind != CAN_RX_RING_FRAME)
		return;
	rules = rcu_dereference_sched(offload->ring->express);
	can_rx_ring_get_frame(entry, &frame, priv->ctrlmode);
	rules->receive(rules, &frame);
	entry->rules = rules->generation;
}

/* The chip has ended the transmission of an express frame. Called by the producer. The
 * entry may be lost: only counters and sockets need it.
 */
void can_rx_express_sent(struct can_rx_offload *offload, unsigned int slot,
			 bool success)
{
	struct can_rx_ring *ring = offload->ring;
	struct can_rx_ring_entry *entry;

	entry = __can_rx_ring_reserve(ring, success ? CAN_RX_RING_EXPRESS :
						      CAN_RX_RING_NO_EXPRESS,
				      can_rx_ring_may_put(ring));
	can_tx_express_sent(ring->tx_queue, slot, entry);
	can_rx_ring_commit(offload, entry);
}

static void rx_express_echo(struct can_rx_offload *offload,
			    const struct can_rx_ring_entry *entry)
{
	struct can_priv *priv = netdev_priv(offload->dev);
	struct sk_buff *skb = can_rx_ring_alloc_skb(offload);

	if (!skb)
		return;
	can_rx_ring_get_frame(entry, (struct can_frame *)skb->data,
			      priv->ctrlmode);
	can_skb_set_iif(skb, entry->ifindex);
	can_skb_set_hops(skb, entry->hops);
	can_skb_set_express(skb, CAN_EXPRESS_ECHO);
	can_rx_ring_receive(offload, skb, entry->time);
}

/* The entry was taken out; those of other kinds are ignored. Called by the consumer. */
void can_rx_express_receive(struct can_rx_offload *offload,
			    const struct can_rx_ring_entry *entry)
{
	struct net_device_stats *stats = &offload->dev->stats;

	if (entry->kind != CAN_RX_RING_EXPRESS &&
	    entry->kind != CAN_RX_RING_NO_EXPRESS)
		return;
	if (entry->kind == CAN_RX_RING_NO_EXPRESS) {
		stats->tx_errors++;
		return;
	}
	stats->tx_packets++;
	if (!(entry->id & CAN_RTR_FLAG))
		stats->tx_bytes += can_cc_dlc2len(entry->dlc);
	if (entry->hops)
		rx_express_echo(offload, entry);
}

/* For can_express_ops.attach: with rules, interrupts read all frames. */
void can_rx_express_attach(struct net_device *dev,
			   struct can_express_rules *rules)
{
	struct can_priv *priv = netdev_priv(dev);
	struct can_rx_offload *offload = priv->rx_offload;
	unsigned long flags;

	can_rx_ring_lock(offload, flags);
	rcu_assign_pointer(offload->ring->express, rules);
	can_rx_ring_unlock(offload, flags);
	if (!rules || !netif_running(dev))
		return;
	can_rx_ring_unmask(offload);
	/* a poll may have left entries because interrupts were masked */
	can_rx_ring_kick(offload);
}

/* For can_express_ops.received */
u32 can_rx_express_received(const struct net_device *dev)
{
	struct can_priv *priv = netdev_priv(dev);

	return READ_ONCE(priv->rx_offload->ring->head);
}

/* For can_express_ops.waiting */
u32 can_rx_express_waiting(const struct net_device *dev)
{
	struct can_priv *priv = netdev_priv(dev);
	struct can_rx_ring *ring = priv->rx_offload->ring;
	u32 passed;

	if (can_rx_ring_staged(ring))
		passed = can_rx_stage_passed_entries(ring->stage);
	else
		/* Pairs with smp_store_release(&ring->tail) in can_rx_ring_make_skbs():
		 * the frame was passed on before.
		 */
		passed = smp_load_acquire(&ring->tail);
	/* read last, so that the difference is not negative */
	return READ_ONCE(ring->head) - passed;
}

static const struct can_express_ops rx_express_ops = {
	.attach = can_rx_express_attach,
	.received = can_rx_express_received,
	.waiting = can_rx_express_waiting,
};

/* The interface gets a ring. */
void can_rx_express_init(struct net_device *dev)
{
	can_get_ml_priv(dev)->express_ops = &rx_express_ops;
}

#endif /* CAN_EXPRESS */
