// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another device on the interrupt line of a board: see sja1000-sharer.h.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>

#include "sja1000-sharer.h"

const char *const sja1000_sharer_kinds[] = {
	[SJA1000_SHARER_NONE] = "none",
	[SJA1000_SHARER_THREAD] = "thread",
	[SJA1000_SHARER_HARD] = "hard",
};

static irqreturn_t sja1000_sharer_handle(int irq, void *dev_id)
{
	struct sja1000_sharer *sharer = dev_id;

	return xchg(&sharer->pending, false) ? IRQ_HANDLED : IRQ_NONE;
}

/* In hardirq context, also on PREEMPT_RT. The chip of the board interrupts in the same
 * way, maybe on another CPU.
 */
static void sja1000_sharer_deliver(struct irq_work *work)
{
	struct sja1000_sharer *sharer = container_of(work, struct sja1000_sharer,
						     work);

	/* otherwise its handler finds the interrupt when it runs next */
	if (!irqd_irq_masked(irq_get_irq_data(sharer->irq)))
		generic_handle_irq(sharer->irq);
}

/**
 * sja1000_sharer_init() - initialise: there is no device
 * @sharer: the device
 */
void sja1000_sharer_init(struct sja1000_sharer *sharer)
{
	sharer->kind = SJA1000_SHARER_NONE;
	sharer->work = IRQ_WORK_INIT_HARD(sja1000_sharer_deliver);
}

/**
 * sja1000_sharer_up() - request the interrupt line for the device, if there is one
 * @sharer: the device
 * @irq: the line
 *
 * Return: 0 or a negative errno of request_irq().
 */
int sja1000_sharer_up(struct sja1000_sharer *sharer, unsigned int irq)
{
	unsigned long flags = IRQF_SHARED;

	sharer->irq = irq;
	sharer->pending = false;
	if (sharer->kind == SJA1000_SHARER_NONE)
		return 0;
	if (sharer->kind == SJA1000_SHARER_HARD)
		flags |= IRQF_NO_THREAD;
	return request_irq(irq, sja1000_sharer_handle, flags, "cansim-sharer",
			   sharer);
}

/**
 * sja1000_sharer_down() - undo sja1000_sharer_up()
 * @sharer: the device
 */
void sja1000_sharer_down(struct sja1000_sharer *sharer)
{
	if (sharer->kind == SJA1000_SHARER_NONE)
		return;
	irq_work_sync(&sharer->work);
	free_irq(sharer->irq, sharer);
}

/**
 * sja1000_sharer_interrupt() - let the device interrupt once
 * @sharer: the device, which is up
 *
 * Return: 0, or -ENODEV if there is none.
 */
int sja1000_sharer_interrupt(struct sja1000_sharer *sharer)
{
	if (sharer->kind == SJA1000_SHARER_NONE)
		return -ENODEV;
	WRITE_ONCE(sharer->pending, true);
	irq_work_queue(&sharer->work);
	return 0;
}
