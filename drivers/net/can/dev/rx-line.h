/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interrupt line of an interface, shared with devices of other drivers, on
 * PREEMPT_RT.
 *
 * The handlers of most drivers are threads there. After an interrupt of any device, the
 * interrupt core masks the line until these threads have found whether it was theirs.
 * Such a thread waits for the softirqs of its CPU, or handles them, for milliseconds,
 * in which a controller with a small FIFO overruns. Therefore each interrupt starts a
 * timer, which calls the handler of the controller for as long as the line is masked.
 *
 * Contexts and locks:
 *
 * - The handler of the controller, which is called for the interrupts of all devices on
 *   the line, starts the timer in hardirq context, with the lock of the ring.
 * - The timer calls the handler in hardirq context, maybe at the same time as the
 *   interrupt core does on another CPU: the handler takes that lock.
 * - A driver that has a thread is found by ndo_open(), or, if it requests the interrupt
 *   later, by the thread of the interface, which sees the line masked. (This thread
 *   only runs if there are CAN_RAW sockets.)
 * - ndo_stop() calls can_rx_line_close(), so that the thread of the interface does not
 *   look at the line any more, and can_rx_line_cancel() before it frees the interrupt.
 */
#ifndef _CAN_RX_LINE_H
#define _CAN_RX_LINE_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/types.h>

struct can_rx_offload;
struct irq_data;

/**
 * struct can_rx_line - an interrupt line
 * @offload: of the interface
 * @irq: the interrupt, or NULL if the line is not known
 * @handler: of the interface
 * @timer: calls @handler
 * @shared: with a driver whose handler is a thread; written by ndo_open(), the thread
 *	of the interface and ndo_stop()
 * @started: @timer is started, or runs
 * @told: the log tells with whom it is shared
 */
struct can_rx_line {
	struct can_rx_offload *offload;
	struct irq_data *irq;
	irq_handler_t handler;
	struct hrtimer timer;
	bool shared;
	bool started;
	bool told;
};

void can_rx_line_init(struct can_rx_line *line, struct can_rx_offload *offload);
void can_rx_line_open(struct can_rx_line *line, irq_handler_t handler);
void can_rx_line_close(struct can_rx_line *line);
void can_rx_line_cancel(struct can_rx_line *line);
void can_rx_line_look(struct can_rx_line *line);
void can_rx_line_start(struct can_rx_line *line);

/**
 * can_rx_line_interrupt() - there was an interrupt, of any device
 * @line: the line
 *
 * Context: hardirq context, with the lock of the ring.
 */
static inline void can_rx_line_interrupt(struct can_rx_line *line)
{
	if (unlikely(READ_ONCE(line->shared)))
		can_rx_line_start(line);
}

/**
 * can_rx_line_watch() - look whether another driver has come to the line
 * @line: the line
 *
 * Context: the thread of the interface.
 */
static inline void can_rx_line_watch(struct can_rx_line *line)
{
	if (READ_ONCE(line->irq) && !READ_ONCE(line->shared))
		can_rx_line_look(line);
}

#endif /* !_CAN_RX_LINE_H */
