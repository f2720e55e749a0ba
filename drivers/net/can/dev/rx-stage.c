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
#include <linux/percpu.h>
#include <linux/rtnetlink.h>
#include <linux/sched/clock.h>
#include <linux/sched/deadline.h>
#include <net/busy_poll.h>
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

/* Entries of which skbs are made before the lock is released and readers are woken */
#define BATCH 8

/* Any user may open sockets, and make the work of threads long. They may take half of
 * a CPU, three quarters with the time in which they wake readers, and so much more once.
 * Then NAPI goes on, with a priority below that of other interrupt threads, which had to
 * wait.
 */
#define CREDIT_NS (5 * NSEC_PER_MSEC)

/**
 * struct rx_stage_debt - time that threads took from a CPU
 * @at: when the others were right (local_clock())
 * @made: more than half of the time, without what wakes took, in ns
 * @all: more than three quarters of the time, in ns
 */
struct rx_stage_debt {
	u64 at;
	u64 made;
	u64 all;
};

static DEFINE_PER_CPU(struct rx_stage_debt, rx_stage_debt);

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

static bool rx_stage_in_debt(void)
{
	struct rx_stage_debt *debt = get_cpu_ptr(&rx_stage_debt);
	u64 now = local_clock(), part = (now - debt->at) / 4;
	bool above;

	debt->made -= min(debt->made, 2 * part);
	debt->all -= min(debt->all, 3 * part);
	debt->at = now;
	above = max(debt->made, debt->all) > CREDIT_NS;
	put_cpu_ptr(&rx_stage_debt);
	return above;
}

/* Return: CPU time of the calling thread from any begin on, in ns. */
static u64 rx_stage_runtime(void)
{
	const struct sched_entity *se = &current->se;
	unsigned long flags;
	u64 ns;

	/* the tick changes both */
	local_irq_save(flags);
	ns = se->sum_exec_runtime + (local_clock() - se->exec_start);
	local_irq_restore(flags);
	return ns;
}

/* Return: CPU time of the calling thread since @time, which is set to the present. */
static u64 rx_stage_lap(u64 *time)
{
	u64 begin = *time;

	*time = rx_stage_runtime();
	/* clocks of CPUs may differ */
	return max_t(s64, *time - begin, 0);
}

static void rx_stage_charge(u64 made, u64 all)
{
	struct rx_stage_debt *debt = get_cpu_ptr(&rx_stage_debt);

	debt->made += made;
	debt->all += all;
	put_cpu_ptr(&rx_stage_debt);
}

/* The calling thread has worked for frames since @time. */
static void rx_stage_charge_since(u64 time)
{
	u64 ns = rx_stage_lap(&time);

	rx_stage_charge(ns, ns);
}

static void rx_stage_schedule_napi(struct can_rx_offload *offload, bool left)
{
	/* Without a thread of its own, ksoftirqd runs NAPI, or this thread, which
	 * should not if it has left the work to NAPI.
	 */
	if (left || test_bit(NAPI_STATE_THREADED, &offload->napi.state))
		napi_schedule(&offload->napi);
	else
		can_rx_ring_kick(offload);
}

static bool rx_stage_should_end(void)
{
	return kthread_should_stop() || kthread_should_park();
}

/* What NAPI would do after transmissions */
static void rx_stage_end_tx(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	unsigned long slots = 0;
	unsigned int slot;
	u64 begin;

	if (!can_tx_direct_used(offload->dev))
		return;
	begin = rx_stage_runtime();
	if (READ_ONCE(stage->slots)) {
		can_rx_stage_lock(stage);
		if (stage->queue.qlen < CAN_RX_STAGE_SIZE) {
			slots = stage->slots;
			WRITE_ONCE(stage->slots, 0);
		}
		can_rx_stage_unlock(stage);
	}
	/* Pairs with smp_load_acquire(&ring->slots) in can_rx_ring_slot_free() */
	for_each_set_bit(slot, &slots, CAN_RX_RING_SLOTS)
		clear_bit_unlock(slot, &offload->ring->slots);
	can_tx_direct_wake(offload);
	rx_stage_charge_since(begin);
}

static struct sk_buff *rx_stage_new_skb(struct can_rx_offload *offload)
{
	struct can_frame *frame;

	return alloc_can_skb(offload->dev, &frame);
}

/* Allocate memory for the next frames, unless there are some. Called by the thread. */
void can_rx_stage_prepare(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	u64 begin = rx_stage_runtime();
	struct sk_buff *skb;

	while (stage->spare.qlen < BATCH && !READ_ONCE(stage->woken)) {
		skb = rx_stage_new_skb(offload);
		if (!skb)
			break;
		__skb_queue_tail(&stage->spare, skb);
	}
	rx_stage_charge_since(begin);
}
EXPORT_SYMBOL_IF_KUNIT(can_rx_stage_prepare);

/* Called with can_rx_stage.lock.
 *
 * Return: an skb for a frame, or NULL.
 */
struct sk_buff *can_rx_stage_alloc_skb(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	struct sk_buff *skb = NULL;

	if (stage->by_thread)
		skb = __skb_dequeue(&stage->spare);
	return skb ?: rx_stage_new_skb(offload);
}

static void rx_stage_work(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;
	struct can_rx_stage *stage = ring->stage;
	bool left;

	can_rx_line_watch(&stage->line);
	do {
		left = rx_stage_in_debt() || rx_stage_should_end();
	} while (!left && can_rx_ring_thread_poll(offload, BATCH) == BATCH);
	if (!left)
		rx_stage_end_tx(offload);
	if (left || READ_ONCE(stage->queue.qlen) ||
	    READ_ONCE(stage->slots) || can_rx_ring_may_wake(offload))
		rx_stage_schedule_napi(offload, left);
	if (!left)
		can_rx_stage_prepare(offload);
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
		if (kthread_should_park()) {
			__set_current_state(TASK_RUNNING);
			kthread_parkme();
			continue;
		}
		/* Pairs with xchg() in can_rx_stage_wake() */
		if (!xchg(&stage->woken, false)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		rx_stage_work(offload);
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

static void rx_stage_exchange(struct can_rx_offload *offload,
			      struct task_struct *thread)
{
	unsigned long flags;

	can_rx_ring_lock(offload, flags);
	WRITE_ONCE(offload->ring->stage->thread, thread);
	can_rx_ring_unlock(offload, flags);
}

static void rx_stage_stop(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	struct task_struct *thread = stage->thread;

	if (!thread)
		return;
	rx_stage_set_direct(stage, false);
	rx_stage_exchange(offload, NULL);
	kthread_stop(thread);
	__skb_queue_purge(&stage->spare);
}

/* Return: 0, -ENOMEM or -EINTR. */
static int rx_stage_create(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	struct task_struct *thread;

	thread = kthread_create(rx_stage_thread, offload, "can-rx/%s",
				offload->dev->name);
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	strscpy(stage->name, offload->dev->name);
	rx_stage_set_priority(thread, THREAD_PRIORITY);
	rx_stage_set_direct(stage, true);
	stage->woken = true;
	rx_stage_exchange(offload, thread);
	wake_up_process(thread);
	return 0;
}

/* Let the thread run. */
static int rx_stage_start(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;

	/* the interface was renamed */
	if (stage->thread && strcmp(stage->name, offload->dev->name))
		rx_stage_stop(offload);
	if (!stage->thread)
		return rx_stage_create(offload);
	rx_stage_set_direct(stage, true);
	stage->woken = true;
	kthread_unpark(stage->thread);
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
	bool running = netif_running(offload->dev);
	int err = 0;

	if (wanted == stage->wanted && (!wanted || stage->thread))
		return 0;
	if (wanted && running)
		err = rx_stage_start(offload);
	if (!wanted)
		rx_stage_stop(offload);
	/* for entries that the thread was woken for */
	if (!wanted && running)
		can_rx_ring_kick(offload);
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
	__skb_queue_head_init(&stage->queue);
	__skb_queue_head_init(&stage->spare);
	can_rx_line_init(&stage->line, offload);
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
	rx_stage_stop(offload);
	__skb_queue_purge(&stage->queue);
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
	if (stage->threaded ||
	    dev_set_threaded(offload->dev, NETDEV_NAPI_THREADED_ENABLED))
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
	__skb_queue_purge(&stage->queue);
	stage->queued = 0;
	stage->indirect_end = 0;
	stage->slots = 0;
	stage->dropped = false;
	stage->passed = 0;
	stage->passed_entries = 0;
	rx_stage_make_threaded(offload);
	if (stage->wanted)
		err = rx_stage_start(offload);
	if (err)
		netdev_warn(offload->dev, "no thread for received frames: %pe\n",
			    ERR_PTR(err));
}

/**
 * can_rx_ring_share_irq() - receive also while others keep a shared interrupt masked
 * @offload: of the interface
 * @handler: of the interrupt, which stays in hardirq context on PREEMPT_RT; requested
 *	for net_device.irq with IRQF_SHARED and the net_device as dev_id
 *
 * On PREEMPT_RT, the threads of other drivers on the line mask it for long. The
 * handler is called meanwhile, and the log names such a driver once.
 *
 * Context: ndo_open(), after can_rx_ring_enable(). can_rx_ring_disable() must be
 * called before free_irq().
 */
void can_rx_ring_share_irq(struct can_rx_offload *offload,
			   irq_handler_t handler)
{
	if (can_rx_ring_staged(offload->ring))
		can_rx_line_open(&offload->ring->stage->line, handler);
}
EXPORT_SYMBOL_GPL(can_rx_ring_share_irq);

/* Called by ndo_stop(). */
void can_rx_stage_disable(struct can_rx_offload *offload)
{
	struct can_rx_ring *ring = offload->ring;

	if (!can_rx_ring_staged(ring))
		return;
	can_rx_line_close(&ring->stage->line);
	if (ring->stage->thread) {
		rx_stage_set_direct(ring->stage, false);
		kthread_park(ring->stage->thread);
	}
	/* they have the index of the interface, which may change */
	__skb_queue_purge(&ring->stage->spare);
	can_rx_line_cancel(&ring->stage->line);
}

/* Do the sockets have all skbs that NAPI has not passed on? */
static bool rx_stage_may_give(struct can_rx_stage *stage)
{
	/* Pairs with smp_store_release() in can_rx_stage_pass(): the sockets
	 * have these from NAPI.
	 */
	unsigned int passed = smp_load_acquire(&stage->passed);

	return stage->direct && (int)(passed - stage->indirect_end) >= 0;
}

/* May skbs of another entry be made? A poll leaves it in the ring rather than drop
 * skbs for which it makes room soon. Called with can_rx_stage.lock.
 */
bool can_rx_stage_room(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;

	return stage->queue.qlen < CAN_RX_STAGE_SIZE ||
	       (stage->by_thread && rx_stage_may_give(stage) &&
		can_rx_direct_used(offload->dev));
}

static bool rx_stage_is_error(const struct sk_buff *skb)
{
	return ((const struct can_frame *)skb->data)->can_id & CAN_ERR_FLAG;
}

/* Error frames may tell of states, and protocols wait for the echoes of what they
 * sent, which are not more than slots.
 */
static bool rx_stage_may_drop(const struct can_rx_stage *stage,
			      const struct sk_buff *skb)
{
	unsigned int size = CAN_RX_STAGE_SIZE;

	if (rx_stage_is_error(skb))
		size += CAN_RX_RING_RESERVED;
	return stage->queue.qlen >= size && !skb->sk;
}

/* The sockets have the skb, which has no room in the queue. */
static void rx_stage_drop(struct can_rx_offload *offload, struct sk_buff *skb)
{
	if (!rx_stage_is_error(skb))
		offload->dev->stats.rx_dropped++;
	offload->ring->stage->dropped = true;
	can_rx_direct_count(skb, offload->dev);
	kfree_skb(skb);
}

/* Give an skb to the sockets, and leave it for NAPI. Called with
 * can_rx_stage.lock.
 */
void can_rx_stage_add(struct can_rx_offload *offload, struct sk_buff *skb)
{
	enum can_rx_direct_result result = CAN_RX_DIRECT_NOT;
	struct can_rx_stage *stage = offload->ring->stage;
	struct net_device *dev = offload->dev;
	bool last;

	if (!skb->tstamp)
		skb_set_delivery_time(skb, ktime_get_real(),
				      SKB_CLOCK_REALTIME);
	/* Pairs with smp_store_release() in can_rx_stage_pass(): whoever NAPI
	 * has given an earlier one to is seen to want this one.
	 */
	last = smp_load_acquire(&stage->passed) == stage->queued;
	if (rx_stage_may_give(stage))
		result = can_rx_direct(skb, dev, last);
	switch (result) {
	case CAN_RX_DIRECT_FREED:
		return;
	case CAN_RX_DIRECT_GIVEN:
		if (!rx_stage_may_drop(stage, skb))
			break;
		rx_stage_drop(offload, skb);
		return;
	case CAN_RX_DIRECT_NOT:
		can_skb_set_direct(skb, 0);
		stage->indirect_end = stage->queued + 1;
		break;
	}
	__skb_queue_tail(&stage->queue, skb);
	stage->queued++;
}

/* Tell those who get frames from NAPI of the ones that were dropped. */
static void rx_stage_report_dropped(struct can_rx_offload *offload)
{
	struct can_rx_stage *stage = offload->ring->stage;
	struct can_frame *frame;
	struct sk_buff *skb = alloc_can_err_skb(offload->dev, &frame);

	stage->dropped = false;
	if (!skb)
		return;
	frame->can_id |= CAN_ERR_CRTL;
	frame->data[1] = CAN_ERR_CRTL_RX_OVERFLOW;
	skb_mark_napi_id(skb, &offload->napi);
	/* the sockets have lost none */
	can_skb_set_direct(skb, stage->id);
	__skb_queue_tail(&stage->queue, skb);
	stage->queued++;
}

/* Return: number of entries, at most BATCH. */
static int rx_stage_fill_some(struct can_rx_offload *offload, int budget,
			      bool by_thread)
{
	struct can_rx_stage *stage = offload->ring->stage;
	u64 time = 0, made = 0;
	int work;

	can_rx_stage_lock(stage);
	stage->by_thread = by_thread;
	if (by_thread)
		time = rx_stage_runtime();
	work = can_rx_ring_take_out(offload, min(budget, BATCH));
	if (by_thread)
		made = rx_stage_lap(&time);
	can_rx_direct_wake(offload->dev);
	if (by_thread)
		rx_stage_charge(made, made + rx_stage_lap(&time));
	can_rx_stage_unlock(stage);
	return work;
}

static int rx_stage_fill(struct can_rx_offload *offload, int budget, bool by_thread)
{
	int work = 0, some;

	do {
		some = rx_stage_fill_some(offload, budget - work, by_thread);
		work += some;
	} while (some == BATCH && work < budget);
	return work;
}

/* The thread: make skbs of at most @budget entries, which may be dropped for others.
 *
 * Return: number of entries.
 */
int can_rx_stage_fill(struct can_rx_offload *offload, int budget)
{
	return rx_stage_fill(offload, budget, true);
}

/* A poll that is faster than the thread.
 *
 * Return: number of entries.
 */
int can_rx_stage_poll(struct can_rx_offload *offload, int budget)
{
	return rx_stage_fill(offload, budget, false);
}

/* NAPI: pass on at most @budget skbs, and free the slots of transmissions.
 *
 * Return: number of skbs.
 */
int can_rx_stage_pass(struct can_rx_offload *offload, int budget)
{
	struct can_rx_stage *stage = offload->ring->stage;
	unsigned int entries = stage->passed_entries;
	struct sk_buff_head list;
	unsigned long slots;
	struct sk_buff *skb;
	unsigned int slot;
	int count;

	__skb_queue_head_init(&list);
	can_rx_stage_lock(stage);
	/* those that were dropped would follow the last one */
	if (unlikely(stage->dropped && budget))
		rx_stage_report_dropped(offload);
	for (count = 0; count < budget; count++) {
		skb = __skb_dequeue(&stage->queue);
		if (!skb)
			break;
		__skb_queue_tail(&list, skb);
	}
	if (skb_queue_empty(&stage->queue))
		entries = offload->ring->tail;
	slots = stage->slots;
	WRITE_ONCE(stage->slots, 0);
	can_rx_stage_unlock(stage);

	while ((skb = __skb_dequeue(&list)))
		netif_receive_skb(skb);
	/* Pairs with smp_load_acquire() in rx_stage_may_give() */
	smp_store_release(&stage->passed, stage->passed + count);
	/* Pairs with smp_load_acquire() in can_rx_stage_passed_entries() */
	smp_store_release(&stage->passed_entries, entries);
	for_each_set_bit(slot, &slots, CAN_RX_RING_SLOTS)
		can_rx_ring_free_slot(offload, slot);
	return count;
}

/* What NAPI has not passed on when the interface goes down */
void can_rx_stage_flush(struct can_rx_offload *offload)
{
	int count;

	if (!can_rx_ring_staged(offload->ring))
		return;
	/* the transmit queue stays stopped */
	offload->ring->stage->slots = 0;
	do {
		local_bh_disable();
		count = can_rx_stage_pass(offload, NAPI_POLL_WEIGHT);
		local_bh_enable();
	} while (count == NAPI_POLL_WEIGHT);
}

#endif /* CAN_RX_DIRECT */
