// SPDX-License-Identifier: GPL-2.0-only
/* Direct transmission: contexts and locks are described in include/linux/can/tx-direct.h. */
#include <linux/can/rx-ring.h>
#include <linux/can/sch_prio.h>
#include <linux/can/tx-direct.h>
#include <linux/can/tx-queue.h>
#include <linux/netdevice.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#ifdef CAN_TX_DIRECT

/* More frames at a time are left to a softirq. No driver accepts so many. */
#define TX_DIRECT_FRAMES 64

/* Does nobody want to see or change the frames that the interface sends? Called with
 * rcu_read_lock().
 */
static bool tx_direct_allowed(struct net_device *dev)
{
#ifdef CONFIG_NET_XGRESS
	if (rcu_access_pointer(dev->tcx_egress))
		return false;
#endif
#ifdef CONFIG_NETFILTER_EGRESS
	if (rcu_access_pointer(dev->nf_hooks_egress))
		return false;
#endif
	/* packet sockets; their functions may disable BHs */
	return !dev_nit_active_rcu(dev);
}

/* Called with rcu_read_lock(). Return: the queueing discipline, or NULL if frames have to take
 * the usual way.
 */
static struct Qdisc *tx_direct_qdisc(struct net_device *dev)
{
	struct Qdisc *q = rcu_dereference(netdev_get_tx_queue(dev, 0)->qdisc);

	if (strcmp(q->ops->id, CAN_PRIO_KIND) || rcu_access_pointer(q->stab) ||
	    !tx_direct_allowed(dev))
		return NULL;
	return q;
}

/* The driver had no room. As in the network core, the frame is the next one. */
static void tx_direct_requeue(struct Qdisc *q, struct sk_buff *skb)
{
	__skb_queue_head(&q->gso_skb, skb);
	q->qstats.requeues++;
	qdisc_qstats_backlog_inc(q, skb);
	q->q.qlen++;
	__netif_schedule(q);
}

/* What was requeued is valid. */
static struct sk_buff *tx_direct_dequeue(struct Qdisc *q, bool *valid)
{
	struct sk_buff *skb = __skb_dequeue(&q->gso_skb);

	*valid = skb;
	if (likely(!skb))
		return q->dequeue(q);
	qdisc_qstats_backlog_dec(q, skb);
	q->q.qlen--;
	return skb;
}

/* Frames of packet sockets may not be linear. Return: NULL if the skb was freed. */
static struct sk_buff *tx_direct_validate(struct sk_buff *skb,
					  struct net_device *dev)
{
	bool again = false;

	skb = validate_xmit_skb_list(skb, dev, &again);
	/* only what is not a CAN frame becomes more than one */
	if (likely(!skb || (!again && !skb->next)))
		return skb;
	kfree_skb_list(skb);
	return NULL;
}

/* Hand one frame to the driver. Return: false if there is none, or the driver has no room. */
static bool tx_direct_one(struct Qdisc *q, struct netdev_queue *txq,
			  spinlock_t *lock)
	__releases(lock)
	__acquires(lock)
{
	struct net_device *dev = qdisc_dev(q);
	int ret = NETDEV_TX_BUSY;
	struct sk_buff *skb;
	bool valid;

	if (netif_xmit_frozen_or_stopped(txq))
		return false;
	skb = tx_direct_dequeue(q, &valid);
	if (!skb)
		return false;
	spin_unlock(lock);
	if (likely(!valid))
		skb = tx_direct_validate(skb, dev);
	if (unlikely(!skb)) {
		spin_lock(lock);
		return true;
	}
	HARD_TX_LOCK(dev, txq, raw_smp_processor_id());
	if (!netif_xmit_frozen_or_stopped(txq))
		ret = netdev_start_xmit(skb, dev, txq, false);
	HARD_TX_UNLOCK(dev, txq);
	spin_lock(lock);
	if (likely(dev_xmit_complete(ret)))
		return true;
	tx_direct_requeue(q, skb);
	return false;
}

/* Hand frames to the driver, unless another thread or a softirq does. Called with
 * can_tx_direct_lock() and the lock of the root.
 *
 * Return: false if the other one does, which has to do it for this one, too.
 */
static bool tx_direct_run(struct Qdisc *q, struct netdev_queue *txq,
			  spinlock_t *lock)
{
	unsigned int count = 0;

	if (!qdisc_run_begin(q))
		return false;
	while (tx_direct_one(q, txq, lock)) {
		if (++count == TX_DIRECT_FRAMES || !tx_direct_allowed(qdisc_dev(q))) {
			__netif_schedule(q);
			break;
		}
	}
	qdisc_run_end(q);
	return true;
}

/* Who hands on frames holds can_tx_direct_lock(), or has disabled BHs. If softirqs have a
 * lock, the latter gets the priority of this thread, if it is on the same CPU.
 */
static void tx_direct_lend_priority(void)
{
	local_bh_disable();
	local_bh_enable();
}

static bool tx_direct_context(void)
{
	return preemptible() && !softirq_count();
}

/**
 * can_tx_direct() - send a frame without disabling BHs
 * @skb: complete frame
 *
 * For &can_ml_priv.tx_direct. The frame is added to the queueing discipline, from which the
 * driver gets what it has room for.
 *
 * Context: any that dev_queue_xmit() may be called in.
 * Return: as dev_queue_xmit(), which may be positive; or -EOPNOTSUPP, and the caller has to
 * call that.
 */
int can_tx_direct(struct sk_buff *skb)
{
	struct net_device *dev = skb->dev;
	struct netdev_queue *txq = netdev_get_tx_queue(dev, 0);
	struct sk_buff *to_free = NULL;
	bool handed_on = true;
	int ret = -EOPNOTSUPP;
	struct Qdisc *q;
	spinlock_t *threads;	/* held by the one that sends */
	spinlock_t *lock;	/* that of the queueing discipline */

	if (!tx_direct_context() ||
	    skb_shinfo(skb)->tx_flags & SKBTX_SCHED_TSTAMP)
		return ret;
	rcu_read_lock();
	q = tx_direct_qdisc(dev);
	if (!q)
		goto out;
	skb_set_queue_mapping(skb, 0);
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	can_tx_direct_set_segs(skb);
	lock = qdisc_lock(q);
	threads = can_tx_direct_lock(can_get_ml_priv(dev), q);
	spin_lock(threads);
	spin_lock(lock);
	if (likely(!test_bit(__QDISC_STATE_DEACTIVATED, &q->state) &&
		   !can_tx_direct_deferred(q))) {
		ret = q->enqueue(skb, q, &to_free) & NET_XMIT_MASK;
		handed_on = tx_direct_run(q, txq, lock);
	}
	spin_unlock(lock);
	spin_unlock(threads);
out:
	rcu_read_unlock();
	kfree_skb_list_reason(to_free, SKB_DROP_REASON_QDISC_DROP);
	if (unlikely(!handed_on))
		tx_direct_lend_priority();
	return ret;
}

/**
 * can_tx_direct_used() - can a thread wake the transmit queue of the interface?
 * @dev: interface with a ring
 *
 * Context: any.
 * Return: false if can_tx_direct_wake() would return false in any context.
 */
bool can_tx_direct_used(struct net_device *dev)
{
	bool used;

	if (!can_get_ml_priv(dev)->tx_direct)
		return false;
	rcu_read_lock();
	used = tx_direct_qdisc(dev);
	rcu_read_unlock();
	return used;
}
EXPORT_SYMBOL_GPL(can_tx_direct_used);

/**
 * can_tx_direct_wake() - can_rx_ring_wake() without a softirq
 * @offload: of the interface
 *
 * The thread hands the frames that wait to the driver.
 *
 * Context: Process context, without locks that ndo_start_xmit() needs.
 * Return: false if the caller has to let NAPI or a softirq call can_rx_ring_wake().
 */
bool can_tx_direct_wake(struct can_rx_offload *offload)
{
	struct net_device *dev = offload->dev;
	struct netdev_queue *txq = netdev_get_tx_queue(dev, 0);
	struct can_ml_priv *ml = can_get_ml_priv(dev);
	spinlock_t *threads;	/* held by the one that sends */
	spinlock_t *lock;	/* that of the queueing discipline */
	struct Qdisc *q;

	if (!ml->tx_direct || !tx_direct_context())
		return false;
	rcu_read_lock();
	q = tx_direct_qdisc(dev);
	if (q && can_rx_ring_may_wake(offload)) {
		lock = qdisc_lock(q);
		threads = can_tx_direct_lock(ml, q);
		spin_lock(threads);
		spin_lock(lock);
		/* the room may have been used meanwhile */
		if (likely(!test_bit(__QDISC_STATE_DEACTIVATED, &q->state) &&
			   can_rx_ring_may_wake(offload))) {
			netif_start_queue(dev);
			/* whoever hands on frames sees that it is not stopped */
			tx_direct_run(q, txq, lock);
		}
		spin_unlock(lock);
		spin_unlock(threads);
	}
	rcu_read_unlock();
	return q;
}
EXPORT_SYMBOL_GPL(can_tx_direct_wake);

#endif /* CAN_TX_DIRECT */
