/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Another device on the interrupt line of a board, for instance an Ethernet card on
 * the same PCI interrupt. It interrupts on request only, but its handler runs at each
 * interrupt of the board, too.
 *
 * Contexts: up, down and interrupt in process context, one at a time for each board.
 */
#ifndef _CAN_SIM_SJA1000_SHARER_H
#define _CAN_SIM_SJA1000_SHARER_H

#include <linux/irq_work.h>

/**
 * enum sja1000_sharer_kind - which device
 * @SJA1000_SHARER_NONE: there is none
 * @SJA1000_SHARER_THREAD: its handler is a thread on PREEMPT_RT and with threadirqs,
 *	as that of most drivers
 * @SJA1000_SHARER_HARD: its handler is never a thread
 */
enum sja1000_sharer_kind {
	SJA1000_SHARER_NONE,
	SJA1000_SHARER_THREAD,
	SJA1000_SHARER_HARD,
};

/**
 * struct sja1000_sharer - another device
 * @kind: changed while the bus is not live
 * @irq: the line, while live
 * @pending: the device interrupts
 * @work: delivers the interrupt
 */
struct sja1000_sharer {
	enum sja1000_sharer_kind kind;
	unsigned int irq;
	bool pending;
	struct irq_work work;
};

/* By value, as in configfs */
extern const char *const sja1000_sharer_kinds[3];

void sja1000_sharer_init(struct sja1000_sharer *sharer);
int sja1000_sharer_up(struct sja1000_sharer *sharer, unsigned int irq);
void sja1000_sharer_down(struct sja1000_sharer *sharer);
int sja1000_sharer_interrupt(struct sja1000_sharer *sharer);

#endif /* !_CAN_SIM_SJA1000_SHARER_H */
