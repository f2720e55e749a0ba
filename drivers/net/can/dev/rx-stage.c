// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stage between the ring of an interface and NAPI, and the thread that fills
 * it. Contexts and locks are described in rx-stage.h.
 */
#include <kunit/visibility.h>
#include <linux/can/dev.h>
#include <linux/can/rx-direct.h>
#include <linux/idr.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sched/deadline.h>
#include <uapi/linux/sched/types.h>

#include "rx-stage.h"

#ifdef CAN_RX_DIRECT

/* The thread comes before the threads of other interrupts, which have 50 and may
 * handle softirqs for long, and after threads that read chips. NAPI waits for the
 * lock of softirqs and lends its priority to their owner, which must not keep
 * threads that read chips waiting.
 */
#define READER_PRIORITY (MAX_RT_PRIO / 2 + 2)
#define THREAD_PRIORITY (MAX_RT_PRIO / 2 + 1)
#define NAPI_PRIORITY (MAX_RT_PRIO / 2 - 1)

/* Entries of which the thread makes skbs before it lets polls do so */
#define BATCH 16

/* If the thread is so far behind, it has more receivers than it can serve: NAPI
 * goes on, with a priority below that of interrupt threads.
 */
#define BEHIND 64

static DEFINE_IDA(rx_stage_ids);

static void rx_stage_set_priority(struct task_struct *task, int priority)
{
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = priority,
	};

	WARN_ON_ONCE(sched_setattr_nocheck(task, &attr));
}

/**
 * can_rx_ring_raise_thread() - let the calling thread run before frames are delivered
 *
 * For an interrupt thread that reads a chip, when it runs first. A higher priority
 * is left as it is.
 *
 * Context: Process context.
 */
void can_rx_ring_raise_thread(void)
{
	if (!dl_task(current) && current->rt_priority < READER_PRIORITY)
		rx_stage_set_priority(current, READER_PRIORITY);
}
EXPORT_SYMBOL_GPL(can_rx_ring_raise_thread);

/* After an overflow, NAPI has to read the chip every few entries. */
static bool rx_stage_leave_to_napi(struct can_rx_ring *ring)
{
	return READ_ONCE(ring->masked) == CAN_RX_RING_MASK_OVERRUNS ||
	       READ_ONCE(ring->head) - READ_ONCE(ring->stage->next) > BEHIND;
}

/* It is woken with can_rx_stage.woken set. */
static int rx_stage_thread(void *data)
{
	struct can_rx_offload *offload = data;
	struct can_rx_stage *stage = offload->ring->stage;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		/* Pairs with xchg() in can_rx_stage_wake() */
		if (!xchg(&stage->woken, false)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		while (!rx_stage_leave_to_napi(offload->ring) &&
		       can_rx_ring_fill_stage(offload, BATCH) == BATCH)
			;
		/* without a thread of its own, ksoftirqd would run NAPI */
		if (test_bit(NAPI_STATE_THREADED, &offload->napi.state))
			napi_schedule(&offload->napi);
		else
			can_rx_ring_kick(offload);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* The switch: /sys/class/net/INTERFACE/rx_thread */

static void rx_stage_set_direct(struct can_rx_stage *stage, bool direct)
{
	can_rx_stage_lock(stage);
	stage->direct = direct && stage->id;
	can_rx_stage_unlock(stage);
}

static void rx_stage_stop(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	struct task_struct *thread = stage->thread;
	unsigned long flags;

	if (!thread)
		return;
	rx_stage_set_direct(stage, false);
	can_rx_ring_lock(offload, flags);
	stage->thread = NULL;
	can_rx_ring_unlock(offload, flags);
	kthread_stop(thread);
}

/* Return: 0, -ENOMEM or -EINTR. */
static int rx_stage_start(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	struct task_struct *thread;
	unsigned long flags;

	if (stage->thread)
		return 0;
	thread = kthread_create(rx_stage_thread, offload, "can-rx/%s",
				offload->dev->name);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	rx_stage_set_priority(thread, THREAD_PRIORITY);
	rx_stage_set_direct(stage, true);
	can_rx_ring_lock(offload, flags);
	stage->woken = true;
	stage->thread = thread;
	can_rx_ring_unlock(offload, flags);
	wake_up_process(thread);
	return 0;
}

static struct can_rx_offload *rx_stage_offload(struct device *dev)
{
	struct can_priv *priv = netdev_priv(to_net_dev(dev));

	return priv->rx_offload;
}

static ssize_t rx_thread_show(struct device *dev,
			      struct device_attribute *attr, char *buf)
{
	struct can_rx_offload *offload = rx_stage_offload(dev);

	return sysfs_emit(buf, "%d\n", READ_ONCE(offload->ring->stage->wanted));
}

static int rx_stage_switch(struct can_rx_offload *offload, bool wanted)
{
	struct can_rx_stage *stage = offload->ring->stage;
	int err = 0;

	if (netif_running(offload->dev)) {
		if (wanted) {
			err = rx_stage_start(offload);
		} else {
			rx_stage_stop(offload);
			/* for entries that the thread was woken for */
			can_rx_ring_kick(offload);
		}
	}
	if (!err)
		WRITE_ONCE(stage->wanted, wanted);
	return err;
}

static ssize_t rx_thread_store(struct device *dev,
			       struct device_attribute *attr, const char *buf,
			       size_t len)
{
	struct can_rx_offload *offload = rx_stage_offload(dev);
	bool wanted;
	int err = kstrtobool(buf, &wanted);

	if (err)
		return err;
	if (!ns_capable(dev_net(offload->dev)->user_ns, CAP_NET_ADMIN))
		return -EPERM;
	if (!rtnl_trylock())
		return restart_syscall();
	err = rx_stage_switch(offload, wanted);
	rtnl_unlock();
	return err ?: len;
}

static DEVICE_ATTR_RW(rx_thread);

static struct attribute *rx_stage_attrs[] = {
	&dev_attr_rx_thread.attr,
	NULL
};

static const struct attribute_group rx_stage_group = {
	.attrs = rx_stage_attrs,
};

/**
 * can_rx_stage_init() - add a stage to the ring of an interface
 * @offload: of the interface, which is not registered yet
 *
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int can_rx_stage_init(struct can_rx_offload *offload)
{
	struct net_device *dev = offload->dev;
	struct can_rx_stage *stage;

	stage = kvzalloc(sizeof(*stage), GFP_KERNEL);
	if (!stage)
		return -ENOMEM;
	spin_lock_init(&stage->lock);
	stage->id = ida_alloc_range(&rx_stage_ids, 1, CAN_RX_DIRECT_IDS - 1,
				    GFP_KERNEL);
	/* then the sockets get its frames from NAPI */
	if (stage->id < 0)
		stage->id = 0;
	stage->wanted = stage->id;
	can_get_ml_priv(dev)->direct_id = stage->id;
	can_get_ml_priv(dev)->napi_skbs = false;
	if (!dev->sysfs_groups[0])
		dev->sysfs_groups[0] = &rx_stage_group;
	offload->ring->stage = stage;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(can_rx_stage_init);

/* The interface is not registered any more. */
void can_rx_stage_exit(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage;

	if (!offload->ring || !can_rx_ring_staged(offload->ring))
		return;
	stage = offload->ring->stage;
	if (stage->id)
		ida_free(&rx_stage_ids, stage->id);
	kvfree(stage);
}

/* When the interface comes up first, so that the administrator can change it. */
static void rx_stage_make_threaded(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;

	if (!IS_ENABLED(CONFIG_PREEMPT_RT) || stage->threaded)
		return;
	stage->threaded = offload->dev->threaded;
	if (stage->threaded || dev_set_threaded(offload->dev, true))
		return;
	stage->threaded = true;
	rx_stage_set_priority(offload->napi.thread, NAPI_PRIORITY);
}

/* Called by ndo_open(), before interrupts and NAPI are enabled. Without memory for
 * a thread, NAPI does its work.
 */
void can_rx_stage_enable(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	int err = 0;

	if (!can_rx_ring_staged(offload->ring))
		return;
	stage->next = 0;
	stage->indirect_end = 0;
	rx_stage_make_threaded(offload);
	if (stage->wanted)
		err = rx_stage_start(offload);
	if (err)
		netdev_warn(offload->dev, "no thread for received frames: %pe\n",
			    ERR_PTR(err));
}

/* Called by ndo_stop(). */
void can_rx_stage_disable(struct can_rx_offload *offload)
{
	if (can_rx_ring_staged(offload->ring))
		rx_stage_stop(offload);
}

/* Put an skb behind those of the next entry, and give it to the sockets. Called
 * with can_rx_stage.lock.
 */
void can_rx_stage_add(struct can_rx_offload *offload, struct sk_buff *skb)
{
	struct can_rx_ring *ring = offload->ring;
	struct can_rx_stage *stage = ring->stage;
	struct sk_buff **at = &stage->skb[stage->next % CAN_RX_RING_SIZE];
	unsigned int tail;

	if (!skb->tstamp)
		skb_set_delivery_time(skb, ktime_get_real(),
				      SKB_CLOCK_REALTIME);
	/* Pairs with smp_store_release(&ring->tail) in can_rx_stage_pass():
	 * NAPI has passed on the skbs before.
	 */
	tail = smp_load_acquire(&ring->tail);
	if (!stage->direct || (int)(tail - stage->indirect_end) < 0 ||
	    !can_rx_direct(skb, offload->dev)) {
		can_skb_set_direct(skb, 0);
		stage->indirect_end = stage->next + 1;
	}
	while (*at)
		at = &(*at)->next;
	*at = skb;
}

#endif /* CAN_RX_DIRECT */
