// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupt lines of simulated controllers.
 *
 * Each line is an interrupt of its own, which the driver requests with
 * request_irq(). A chip sets its line with the bus's lock held, and the
 * driver's handler takes that lock to read registers, so an irq_work delivers
 * the interrupt: it runs in hardirq context when interrupts are enabled, also
 * on PREEMPT_RT.
 *
 * Each bit of the state has one writer at a time: the chip writes ACTIVE and
 * PENDING under the bus's lock, and delivery clears PENDING; the interrupt core
 * writes MASKED under the interrupt's lock; configfs writes HELD; BY_EDGE and UNCHARGED
 * stay as they were first. A writer that clears a bit which has delayed an interrupt
 * checks afterwards whether the interrupt is due.
 */
#include <linux/bitops.h>
#include <linux/export.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>

#include "sim.h"

enum {
	CAN_SIM_IRQ_ACTIVE,
	CAN_SIM_IRQ_PENDING,
	CAN_SIM_IRQ_MASKED,
	CAN_SIM_IRQ_HELD,
	CAN_SIM_IRQ_BY_EDGE,
	CAN_SIM_IRQ_UNCHARGED,
};

static bool can_sim_irq_is_due(const struct can_sim_irq *irq)
{
	unsigned long state = READ_ONCE(irq->state);
	unsigned long cause = state & BIT(CAN_SIM_IRQ_BY_EDGE) ?
			      BIT(CAN_SIM_IRQ_PENDING) :
			      BIT(CAN_SIM_IRQ_ACTIVE);
	unsigned long blocked = BIT(CAN_SIM_IRQ_MASKED) | BIT(CAN_SIM_IRQ_HELD);

	return state & cause && !(state & blocked);
}

static void can_sim_irq_queue(struct can_sim_irq *irq)
{
	if (can_sim_irq_is_due(irq))
		irq_work_queue(&irq->work);
}

static void can_sim_irq_deliver(struct irq_work *work)
{
	struct can_sim_irq *irq = container_of(work, struct can_sim_irq, work);
	u64 begin;

	if (!can_sim_irq_is_due(irq))
		return;
	clear_bit(CAN_SIM_IRQ_PENDING, &irq->state);
	begin = ktime_get_ns();
	generic_handle_irq(irq->irq);
	if (!test_bit(CAN_SIM_IRQ_UNCHARGED, &irq->state))
		can_sim_cpu_used(begin, ktime_get_ns());
}

static void can_sim_irq_mask(struct irq_data *data)
{
	struct can_sim_irq *irq = irq_data_get_irq_chip_data(data);

	set_bit(CAN_SIM_IRQ_MASKED, &irq->state);
}

static void can_sim_irq_unmask(struct irq_data *data)
{
	struct can_sim_irq *irq = irq_data_get_irq_chip_data(data);

	clear_bit(CAN_SIM_IRQ_MASKED, &irq->state);
	/* Pairs with the barrier in can_sim_irq_set(): either ACTIVE is visible
	 * here, or the cleared bit there.
	 */
	smp_mb__after_atomic();
	can_sim_irq_queue(irq);
}

static void can_sim_irq_ack(struct irq_data *data)
{
}

/* A driver cannot change the wiring of a line. */
static int can_sim_irq_set_type(struct irq_data *data, unsigned int type)
{
	unsigned int sense = type & IRQ_TYPE_SENSE_MASK;
	struct can_sim_irq *irq = irq_data_get_irq_chip_data(data);

	if (test_bit(CAN_SIM_IRQ_BY_EDGE, &irq->state))
		return sense & IRQ_TYPE_EDGE_BOTH ? 0 : -EINVAL;
	return sense & IRQ_TYPE_LEVEL_MASK ? 0 : -EINVAL;
}

/* An active line is low. */
static int can_sim_irq_get_state(struct irq_data *data,
				 enum irqchip_irq_state which, bool *state)
{
	struct can_sim_irq *irq = irq_data_get_irq_chip_data(data);

	if (which != IRQCHIP_STATE_LINE_LEVEL)
		return -EINVAL;
	*state = !test_bit(CAN_SIM_IRQ_ACTIVE, &irq->state);
	return 0;
}

static struct irq_chip readable_chip = {
	.name = "cansim",
	.irq_ack = can_sim_irq_ack,
	.irq_mask = can_sim_irq_mask,
	.irq_unmask = can_sim_irq_unmask,
	.irq_set_type = can_sim_irq_set_type,
	.irq_get_irqchip_state = can_sim_irq_get_state,
};

static struct irq_chip unreadable_chip = {
	.name = "cansim",
	.irq_ack = can_sim_irq_ack,
	.irq_mask = can_sim_irq_mask,
	.irq_unmask = can_sim_irq_unmask,
	.irq_set_type = can_sim_irq_set_type,
};

/**
 * can_sim_irq_init() - make an interrupt line
 * @irq: the line; @irq->irq is set to its number
 * @wiring: CAN_SIM_IRQ_EDGE and others
 *
 * Context: Process context.
 * Return: 0 or a negative errno.
 */
int can_sim_irq_init(struct can_sim_irq *irq, unsigned int wiring)
{
	bool edge = wiring & CAN_SIM_IRQ_EDGE;
	int number = irq_alloc_desc(NUMA_NO_NODE);

	if (number < 0)
		return number;
	irq->irq = number;
	irq->state = BIT(CAN_SIM_IRQ_MASKED);
	if (edge)
		set_bit(CAN_SIM_IRQ_BY_EDGE, &irq->state);
	if (wiring & CAN_SIM_IRQ_NO_NODE)
		set_bit(CAN_SIM_IRQ_UNCHARGED, &irq->state);
	irq->work = IRQ_WORK_INIT_HARD(can_sim_irq_deliver);
	irq_set_chip_data(number, irq);
	irq_set_chip_and_handler(number, wiring & CAN_SIM_IRQ_UNREADABLE ?
				 &unreadable_chip : &readable_chip,
				 edge ? handle_edge_irq : handle_level_irq);
	irqd_set_trigger_type(irq_get_irq_data(number),
			      edge ? IRQ_TYPE_EDGE_FALLING :
				     IRQ_TYPE_LEVEL_LOW);
	irq_modify_status(number, IRQ_NOREQUEST | IRQ_NOAUTOEN, IRQ_NOPROBE);
	return 0;
}
EXPORT_SYMBOL_GPL(can_sim_irq_init);

/**
 * can_sim_irq_exit() - remove an interrupt line
 * @irq: the line, which its driver has freed
 *
 * Context: Process context; waits for a delivery that is under way.
 */
void can_sim_irq_exit(struct can_sim_irq *irq)
{
	irq_work_sync(&irq->work);
	/* If two CPUs deliver, the sync waits for one of them only. */
	synchronize_rcu();
	irq_free_desc(irq->irq);
}
EXPORT_SYMBOL_GPL(can_sim_irq_exit);

/**
 * can_sim_irq_set() - set the level of an interrupt line
 * @irq: the line
 * @active: the chip requests an interrupt
 *
 * Context: any but NMI, under a lock that serializes the calls for a line.
 */
void can_sim_irq_set(struct can_sim_irq *irq, bool active)
{
	if (!active) {
		clear_bit(CAN_SIM_IRQ_ACTIVE, &irq->state);
		return;
	}
	if (test_and_set_bit(CAN_SIM_IRQ_ACTIVE, &irq->state))
		return;
	set_bit(CAN_SIM_IRQ_PENDING, &irq->state);
	/* Pairs with the barriers in can_sim_irq_unmask() and can_sim_irq_hold() */
	smp_mb__after_atomic();
	can_sim_irq_queue(irq);
}
EXPORT_SYMBOL_GPL(can_sim_irq_set);

/**
 * can_sim_irq_hold() - hold back the interrupts of a line, or deliver them again
 * @irq: the line
 * @hold: hold back, as if interrupts were off on the CPU
 *
 * Context: Process context.
 */
void can_sim_irq_hold(struct can_sim_irq *irq, bool hold)
{
	if (hold) {
		set_bit(CAN_SIM_IRQ_HELD, &irq->state);
		return;
	}
	clear_bit(CAN_SIM_IRQ_HELD, &irq->state);
	/* Pairs with the barrier in can_sim_irq_set(), as in
	 * can_sim_irq_unmask()
	 */
	smp_mb__after_atomic();
	can_sim_irq_queue(irq);
}
EXPORT_SYMBOL_GPL(can_sim_irq_hold);
