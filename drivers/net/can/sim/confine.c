// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault confinement: error counters, error passive, bus off.
 *
 * The letters are those of the rules in ISO 11898-1:2015, clause 12.1.4.2,
 * which are also in the Bosch CAN specification 2.0, part B, chapter 8.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/minmax.h>

#include "sim.h"

#define PASSIVE_FROM 128
#define BUS_OFF_FROM 256

/* After a correct frame, a receive counter in the passive range is set to a
 * value between 119 and 127.
 */
#define REC_AFTER_PASSIVE 127

static void can_sim_confine_count(struct can_sim_node *node, int tec, int rec)
{
	unsigned int old_tec = node->tec, old_rec = node->rec;
	enum can_sim_state old = node->state;

	node->tec = max(0, (int)node->tec + tec);
	node->rec = clamp((int)node->rec + rec, 0, 255);
	if (node->state == CAN_SIM_BUS_OFF)
		return;
	if (node->tec >= BUS_OFF_FROM)
		node->state = CAN_SIM_BUS_OFF;
	else if (node->tec >= PASSIVE_FROM || node->rec >= PASSIVE_FROM)
		node->state = CAN_SIM_PASSIVE;
	else
		node->state = CAN_SIM_ACTIVE;
	if (old_tec == node->tec && old_rec == node->rec && old == node->state)
		return;
	if (node->ops->counted)
		node->ops->counted(node);
}

/* A listen-only node does not count. */
static bool can_sim_confine_silent(const struct can_sim_node *node)
{
	return node->mode & CAN_SIM_LISTEN_ONLY;
}

/**
 * can_sim_confine_sent() - count a frame that was sent (rule g)
 * @node: the transmitter
 *
 * Context: the bus's lock.
 */
void can_sim_confine_sent(struct can_sim_node *node)
{
	can_sim_confine_count(node, -1, 0);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_confine_sent);

/**
 * can_sim_confine_received() - count a frame that was received (rule h)
 * @node: the receiver
 *
 * Context: the bus's lock.
 */
void can_sim_confine_received(struct can_sim_node *node)
{
	if (can_sim_confine_silent(node) || !node->rec)
		return;
	if (node->rec >= PASSIVE_FROM)
		can_sim_confine_count(node, 0,
				      REC_AFTER_PASSIVE - (int)node->rec);
	else
		can_sim_confine_count(node, 0, -1);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_confine_received);

/**
 * can_sim_confine_transmitter() - count an error of a transmitter (rule c)
 * @node: the transmitter
 * @error: that it has detected
 * @answered: another node sends an error flag, too
 *
 * An error-passive transmitter does not count a missing acknowledgment if it
 * reads no dominant bit during its flag (exception 1), so that a single node
 * does not go bus off.
 *
 * Context: the bus's lock.
 */
void can_sim_confine_transmitter(struct can_sim_node *node,
				 const struct can_sim_error *error,
				 bool answered)
{
	if (error->type == CAN_SIM_ACK_ERROR && !answered &&
	    node->state == CAN_SIM_PASSIVE)
		return;
	can_sim_confine_count(node, 8, 0);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_confine_transmitter);

/**
 * can_sim_confine_receiver() - count an error of a receiver (rules a and b)
 * @node: the receiver
 * @error: that it has detected
 * @answered: the node reads a dominant bit after its own error flag, because it
 *	was the first to detect the error and other nodes send a flag after it
 *
 * Context: the bus's lock.
 */
void can_sim_confine_receiver(struct can_sim_node *node,
			      const struct can_sim_error *error,
			      bool answered)
{
	if (can_sim_confine_silent(node))
		return;
	can_sim_confine_count(node, 0, answered ? 9 : 1);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_confine_receiver);

/**
 * can_sim_node_set_counters() - set the error counters of a chip
 * @node: the chip
 * @tec: transmit error counter
 * @rec: receive error counter
 *
 * The operation @counted is called if a counter or the state changes.
 *
 * Context: the bus's lock.
 */
void can_sim_node_set_counters(struct can_sim_node *node, unsigned int tec,
			       unsigned int rec)
{
	can_sim_confine_count(node, (int)tec - (int)node->tec,
			      (int)rec - (int)node->rec);
}
EXPORT_SYMBOL_GPL(can_sim_node_set_counters);

/**
 * can_sim_node_reset() - set a chip error active, with counters of zero
 * @node: the chip, switched off
 *
 * @counted is not called.
 *
 * Context: the bus's lock.
 */
void can_sim_node_reset(struct can_sim_node *node)
{
	node->state = CAN_SIM_ACTIVE;
	node->tec = 0;
	node->rec = 0;
}
EXPORT_SYMBOL_GPL(can_sim_node_reset);
