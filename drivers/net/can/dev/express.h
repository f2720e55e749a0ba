/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the ring and the transmit queue need from each other for express frames
 * (linux/can/express.h).
 */
#ifndef _CAN_DEV_EXPRESS_H
#define _CAN_DEV_EXPRESS_H

#include <linux/can.h>
#include <linux/can/can-ml.h>
#include <linux/can/dev.h>
#include <linux/can/length.h>
#include <linux/can/rx-ring.h>

struct can_tx_queue;

/* in rx-ring.c */
bool can_rx_ring_may_put(struct can_rx_ring *ring);
struct can_rx_ring_entry *
__can_rx_ring_reserve(struct can_rx_ring *ring, enum can_rx_ring_kind kind,
		      bool room);
struct sk_buff *can_rx_ring_alloc_skb(struct can_rx_offload *offload);
void can_rx_ring_unmask(struct can_rx_offload *offload);

/* in tx-queue.c */
int can_tx_queue_first_waiting(const struct can_tx_queue *queue);

/* Make the frame of an entry. Return: number of bytes of data. */
static inline unsigned int
can_rx_ring_get_frame(const struct can_rx_ring_entry *entry,
		      struct can_frame *frame, u32 ctrlmode)
{
	frame->can_id = entry->id;
	can_frame_set_cc_len(frame, entry->dlc, ctrlmode);
	if (entry->id & CAN_RTR_FLAG)
		return 0;
	/* most frames have eight bytes, which are copied at once */
	if (frame->len == CAN_MAX_DLEN)
		memcpy(frame->data, entry->data, CAN_MAX_DLEN);
	else
		memcpy(frame->data, entry->data, frame->len);
	return frame->len;
}

#ifdef CAN_EXPRESS

/* in rx-express.c */
void __can_rx_express_offer(struct can_rx_offload *offload,
			    struct can_rx_ring_entry *entry);
void can_rx_express_sent(struct can_rx_offload *offload, unsigned int slot,
			 bool success);
void can_rx_express_receive(struct can_rx_offload *offload,
			    const struct can_rx_ring_entry *entry);
void can_rx_express_attach(struct net_device *dev,
			   struct can_express_rules *rules);
u32 can_rx_express_received(const struct net_device *dev);
u32 can_rx_express_waiting(const struct net_device *dev);
void can_rx_express_init(struct net_device *dev);

/* in tx-express.c */
void can_tx_express_sent(struct can_tx_queue *queue, unsigned int slot,
			 struct can_rx_ring_entry *entry);
void can_tx_express_aborted(struct can_tx_queue *queue, unsigned int slot);
void can_tx_express_flush(struct can_tx_queue *queue);

/* Let express rules have a frame. Called by the producer. */
static inline void can_rx_express_offer(struct can_rx_offload *offload,
					struct can_rx_ring_entry *entry)
{
	if (unlikely(rcu_access_pointer(offload->ring->express)))
		__can_rx_express_offer(offload, entry);
}

#else /* CAN_EXPRESS */

static inline void can_rx_express_sent(struct can_rx_offload *offload,
				       unsigned int slot, bool success)
{
}

static inline void can_rx_express_receive(struct can_rx_offload *offload,
					  const struct can_rx_ring_entry *entry)
{
}

static inline void can_rx_express_init(struct net_device *dev)
{
}

static inline void can_tx_express_aborted(struct can_tx_queue *queue,
					  unsigned int slot)
{
}

static inline void can_tx_express_flush(struct can_tx_queue *queue)
{
}

static inline void can_rx_express_offer(struct can_rx_offload *offload,
					struct can_rx_ring_entry *entry)
{
}

#endif /* CAN_EXPRESS */

#endif /* !_CAN_DEV_EXPRESS_H */
