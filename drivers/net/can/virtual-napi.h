/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A NAPI instance for interfaces that have no controller, so that programs which
 * poll, or depend on the context in which frames are delivered, can be tried
 * without one. Without it such interfaces use the backlog of the CPU, which is
 * cheaper and keeps the frames of several CPUs apart, so it is off by default.
 *
 * Frames are put into the queue by ndo_start_xmit(), of any interface and on
 * several CPUs at the same time, and taken out by NAPI. The lock of the queue
 * protects it and @open. @used does not change after can_virtual_napi_init().
 */
#ifndef _CAN_VIRTUAL_NAPI_H
#define _CAN_VIRTUAL_NAPI_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/busy_poll.h>

/* as many as the backlog of a CPU has room for by default */
#define CAN_VIRTUAL_NAPI_MAX_FRAMES 1000

/**
 * struct can_virtual_napi - how frames of an interface are delivered
 * @napi: its NAPI instance, if it has one
 * @queue: frames that wait for it
 * @used: it has one
 * @open: the interface is up
 */
struct can_virtual_napi {
	struct napi_struct napi;
	struct sk_buff_head queue;
	bool used;
	bool open;
};

static inline int can_virtual_napi_poll(struct napi_struct *napi, int budget)
{
	struct can_virtual_napi *virt =
		container_of(napi, struct can_virtual_napi, napi);
	struct sk_buff *skb;
	int work = 0;

	while (work < budget && (skb = skb_dequeue(&virt->queue))) {
		skb_mark_napi_id(skb, napi);
		netif_receive_skb(skb);
		work++;
	}
	if (work < budget)
		napi_complete_done(napi, work);
	return work;
}

/** can_virtual_napi_init() - for ndo_init(); the interface has one if @use */
static inline void can_virtual_napi_init(struct can_virtual_napi *virt,
					 struct net_device *dev, bool use)
{
	skb_queue_head_init(&virt->queue);
	virt->used = use;
	if (use)
		netif_napi_add(dev, &virt->napi, can_virtual_napi_poll);
}

static inline void can_virtual_napi_set_open(struct can_virtual_napi *virt,
					     bool open)
{
	spin_lock_bh(&virt->queue.lock);
	virt->open = open;
	spin_unlock_bh(&virt->queue.lock);
}

/** can_virtual_napi_open() - for ndo_open() */
static inline void can_virtual_napi_open(struct can_virtual_napi *virt)
{
	if (!virt->used)
		return;
	napi_enable(&virt->napi);
	can_virtual_napi_set_open(virt, true);
}

/** can_virtual_napi_close() - for ndo_stop() */
static inline void can_virtual_napi_close(struct can_virtual_napi *virt)
{
	if (!virt->used)
		return;
	can_virtual_napi_set_open(virt, false);
	napi_disable(&virt->napi);
	skb_queue_purge(&virt->queue);
}

/**
 * can_virtual_napi_rx() - deliver a frame
 * @virt: of the interface, which is skb->dev
 * @skb: the frame
 *
 * Context: ndo_start_xmit() of any interface.
 * Return: NET_RX_SUCCESS, or NET_RX_DROP for a frame that was dropped.
 */
static inline int can_virtual_napi_rx(struct can_virtual_napi *virt,
				      struct sk_buff *skb)
{
	bool room;

	if (!virt->used)
		return netif_rx(skb);

	spin_lock(&virt->queue.lock);
	room = virt->open &&
	       skb_queue_len(&virt->queue) < CAN_VIRTUAL_NAPI_MAX_FRAMES;
	if (room)
		__skb_queue_tail(&virt->queue, skb);
	spin_unlock(&virt->queue.lock);
	if (!room) {
		dev_core_stats_rx_dropped_inc(skb->dev);
		kfree_skb(skb);
		return NET_RX_DROP;
	}
	napi_schedule(&virt->napi);
	return NET_RX_SUCCESS;
}

#endif /* !_CAN_VIRTUAL_NAPI_H */
