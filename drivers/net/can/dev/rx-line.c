// SPDX-License-Identifier: GPL-2.0-only
/*
 * A shared interrupt line on PREEMPT_RT. Contexts and locks are described in rx-line.h.
 */
#include <linux/can/can-ml.h>
#include <linux/can/rx-ring.h>
#include <linux/irq.h>
#include <linux/netdevice.h>
#include <linux/string.h>

#include "rx-line.h"

#ifdef CAN_RX_DIRECT

/* Times after which the handler is called again: a frame of 8 bytes takes 110 us or
 * more at 1 Mbit/s, and five of them fill the FIFO of an SJA1000. If the handler had
 * something to do, it may not have done everything.
 */
#define IDLE_NS		(100 * NSEC_PER_USEC)
#define BUSY_NS		(25 * NSEC_PER_USEC)

#define NAME_SIZE	32

/* Not if it is disabled, too, for example while the system is suspended: the handler
 * must not run.
 */
static bool can_rx_line_is_masked(struct can_rx_line *line)
{
	/* Pairs with smp_store_release() in can_rx_line_open() */
	struct irq_data *irq = smp_load_acquire(&line->irq);

	return irq && irqd_irq_masked(irq) && !irqd_irq_disabled(irq);
}

/* Return: true if the timer has to go on. */
static bool can_rx_line_goes_on(struct can_rx_line *line)
{
	if (can_rx_line_is_masked(line))
		return true;
	/* Pairs with xchg() in can_rx_line_start(): either the line is seen to be
	 * masked here, or the timer is started there.
	 */
	xchg(&line->started, false);
	return can_rx_line_is_masked(line) && !xchg(&line->started, true);
}

static enum hrtimer_restart can_rx_line_expired(struct hrtimer *timer)
{
	struct can_rx_line *line = container_of(timer, struct can_rx_line, timer);
	struct can_rx_offload *offload = line->offload;
	irqreturn_t ret = IRQ_NONE;
	u64 ns = IDLE_NS;

	if (!can_rx_line_goes_on(line))
		return HRTIMER_NORESTART;
	/* frames that the ring has no room for are left in the chip */
	if (READ_ONCE(offload->ring->masked) != CAN_RX_RING_MASK_OVERRUNS)
		ret = line->handler(offload->dev->irq, offload->dev);
	if (ret == IRQ_WAKE_THREAD)
		napi_schedule(&offload->napi);
	if (ret != IRQ_NONE)
		ns = BUSY_NS;
	/* from the end of the handler */
	hrtimer_set_expires(timer, ktime_add_ns(ktime_get(), ns));
	return HRTIMER_RESTART;
}

/**
 * can_rx_line_init() - initialise
 * @line: the line
 * @offload: of the interface
 */
void can_rx_line_init(struct can_rx_line *line, struct can_rx_offload *offload)
{
	line->offload = offload;
	hrtimer_setup(&line->timer, can_rx_line_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
}

/* Is there a driver whose thread masks the line? Other devices of the same driver have
 * the same handler.
 */
static bool can_rx_line_find(const struct can_rx_line *line,
			     struct irq_data *irq, char *name)
{
	struct irq_desc *desc = irq_data_to_desc(irq);
	const struct irqaction *action;
	unsigned long flags;

	raw_spin_lock_irqsave(&desc->lock, flags);
	for (action = desc->action; action; action = action->next)
		if (action->thread_fn && action->handler != line->handler)
			break;
	if (action)
		strscpy(name, action->name ?: "?", NAME_SIZE);
	raw_spin_unlock_irqrestore(&desc->lock, flags);
	return action;
}

/* Return: true if the line is shared with such a driver. */
static bool can_rx_line_search(struct can_rx_line *line, struct irq_data *irq)
{
	char name[NAME_SIZE];

	if (!can_rx_line_find(line, irq, name))
		return false;
	if (!line->told)
		netdev_warn(line->offload->dev,
			    "interrupts may come late: \"%s\" shares IRQ %u, and masks it until its thread has run; a timer reads the controller meanwhile\n",
			    name, irq->irq);
	line->told = true;
	WRITE_ONCE(line->shared, true);
	return true;
}

/**
 * can_rx_line_open() - the interrupt of net_device.irq was requested
 * @line: the line
 * @handler: in hardirq context, with the net_device as dev_id
 *
 * Context: ndo_open().
 */
void can_rx_line_open(struct can_rx_line *line, irq_handler_t handler)
{
	struct irq_data *irq = irq_get_irq_data(line->offload->dev->irq);

	line->handler = handler;
	can_rx_line_search(line, irq);
	/* Pairs with smp_load_acquire() in can_rx_line_is_masked() */
	smp_store_release(&line->irq, irq);
}

/**
 * can_rx_line_close() - the interrupt will be freed
 * @line: the line
 *
 * Context: ndo_stop(), before the thread of the interface is parked.
 */
void can_rx_line_close(struct can_rx_line *line)
{
	WRITE_ONCE(line->irq, NULL);
}

/**
 * can_rx_line_cancel() - end the timer
 * @line: the line
 *
 * Context: ndo_stop(), after the thread of the interface was parked.
 */
void can_rx_line_cancel(struct can_rx_line *line)
{
	unsigned long flags;

	/* handlers do not start it any more */
	can_rx_ring_lock(line->offload, flags);
	WRITE_ONCE(line->shared, false);
	can_rx_ring_unlock(line->offload, flags);
	hrtimer_cancel(&line->timer);
	line->started = false;
}

/* See can_rx_line_watch(). While a handler runs, the line is always masked. */
void can_rx_line_look(struct can_rx_line *line)
{
	struct irq_data *irq = READ_ONCE(line->irq);

	if (!irq || !can_rx_line_is_masked(line) || irqd_irq_inprogress(irq))
		return;
	/* the handler has been called before this was known */
	if (can_rx_line_search(line, irq))
		can_rx_line_start(line);
}

/* See can_rx_line_interrupt(). */
void can_rx_line_start(struct can_rx_line *line)
{
	/* Pairs with xchg() in can_rx_line_goes_on() */
	if (!xchg(&line->started, true))
		hrtimer_start(&line->timer, ns_to_ktime(IDLE_NS),
			      HRTIMER_MODE_REL_HARD);
}

#endif /* CAN_RX_DIRECT */
