// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simulated CAN bus: begin, end and outcome of each frame.
 *
 * The outcome of a frame is computed when it begins, from the transmitters,
 * receivers and injected errors. If a node is switched off later, the outcome
 * is computed again. So a frame takes two events, its begin and its end, and
 * one more if arbitration is lost.
 *
 * The result is that of nodes that work bit by bit (model_test.c), with these
 * exceptions. After a frame or an error frame, the bus is idle for all nodes at
 * the same time; real error-passive receivers may not be ready before the next
 * frame. If the winner of arbitration is switched off during arbitration, the
 * losers try again later. There are no errors in error flags (rules d, e and
 * f), and stuff errors in arbitration are counted (exception 2 to rule c is
 * missing).
 *
 * Context: the bus's lock is held, see sim.h.
 */
#include <kunit/visibility.h>
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "sim.h"

/* Recessive bits before a node takes part (ISO 11898-1:2015, 10.9.3), and
 * sequences of these before it has recovered from bus off (12.1.4.5)
 */
#define JOIN_BITS 11
#define RECOVERY_SEQUENCES 128

/* Bits after the checksum */
#define ACK_SLOT 1
#define ACK_DELIMITER 2

#define FLAG_BITS 6
#define ERROR_DELIMITER_BITS 8

/* Suspend transmission of an error-passive node after its own frame */
#define SUSPEND_BITS 8

/* Events that are handled at once, with interrupts off: those of 20 to 32
 * frames. A CPU that is late by more has lost more frames than the FIFO of any
 * chip holds.
 */
#define MOST_EVENTS 64

/* Bit times below this are shorter than those of 1 Mbit/s, the highest rate of
 * the chips; 2 % are left for their clocks.
 */
#define SHORTEST_BITS_NS 98000
#define SHORTEST_BITS 100

static DEFINE_PER_CPU(struct can_sim_budget, can_sim_budgets);

static u64 can_sim_bus_bits_ns(const struct can_sim_bus *bus, unsigned int bits)
{
	return can_sim_timing_ns(&bus->timing, bits);
}

/* Nodes */

static bool can_sim_node_disturbs(const struct can_sim_node *node)
{
	return node->state == CAN_SIM_ACTIVE &&
	       !(node->mode & CAN_SIM_LISTEN_ONLY);
}

static bool can_sim_node_takes_part(const struct can_sim_node *node)
{
	return node->on && !node->too_fast && node->state != CAN_SIM_BUS_OFF;
}

static u64 can_sim_node_suspend_ns(const struct can_sim_node *node)
{
	if (!node->suspended)
		return 0;
	return can_sim_bus_bits_ns(node->bus, SUSPEND_BITS);
}

/* Return: time when a node begins to send, if the bus stays idle. */
static u64 can_sim_node_sends_at(const struct can_sim_node *node)
{
	if (!node->request || !can_sim_node_takes_part(node) ||
	    node->mode & CAN_SIM_LISTEN_ONLY)
		return CAN_SIM_NEVER;
	return max(node->since,
		   node->bus->idle + can_sim_node_suspend_ns(node));
}

/* Each frame and each error frame ends with eleven recessive bits, with
 * intermission.
 */
static u64 can_sim_node_recessive_since(const struct can_sim_node *node)
{
	u64 sequence = can_sim_timing_ns(&node->timing, JOIN_BITS);
	u64 idle = node->bus->idle;

	return max(node->recovering, idle - min(idle, sequence));
}

static u64 can_sim_node_recovers_at(const struct can_sim_node *node)
{
	if (!node->recoveries || node->bus->phase != CAN_SIM_IDLE)
		return CAN_SIM_NEVER;
	return can_sim_node_recessive_since(node) +
	       can_sim_timing_ns(&node->timing, JOIN_BITS * node->recoveries);
}

static unsigned int can_sim_node_sequences(const struct can_sim_node *node)
{
	const struct can_sim_bus *bus = node->bus;
	u64 begin = can_sim_node_recessive_since(node);

	if (bus->phase != CAN_SIM_IDLE || bus->now <= begin)
		return 0;
	return can_sim_timing_bits(&node->timing, bus->now - begin) / JOIN_BITS;
}

/**
 * can_sim_node_recoveries() - progress of the recovery from bus off
 * @node: any node
 *
 * Context: the bus's lock.
 * Return: sequences of eleven recessive bits that are still missing.
 */
unsigned int can_sim_node_recoveries(const struct can_sim_node *node)
{
	unsigned int seen = can_sim_node_sequences(node);

	return node->recoveries - min(seen, node->recoveries);
}
EXPORT_SYMBOL_GPL(can_sim_node_recoveries);

static void can_sim_node_recovered(struct can_sim_node *node)
{
	node->recoveries = 0;
	node->state = CAN_SIM_ACTIVE;
	node->tec = 0;
	node->rec = 0;
	node->suspended = false;
	if (node->ops->recovered)
		node->ops->recovered(node);
}

/* A frame begins: count the recessive bits up to now. */
static void can_sim_node_count_sequences(struct can_sim_node *node)
{
	if (!node->recoveries)
		return;
	node->recoveries = can_sim_node_recoveries(node);
	node->recovering = node->bus->now;
}

static void can_sim_bus_record(struct can_sim_bus *bus, unsigned int bits)
{
	struct can_sim_record *record;

	record = &bus->record[bus->records++ % CAN_SIM_RECORDS];
	record->start = bus->sof;
	record->bits = bits;
	record->error = bus->error.type;
	record->frame = bus->frame;
}

/* @bits: from the begin of the frame, without intermission */
static void can_sim_bus_end_frame(struct can_sim_bus *bus, unsigned int bits)
{
	unsigned int all = bits + CAN_SIM_INTERMISSION_BITS;

	bus->phase = CAN_SIM_IDLE;
	bus->phase_end = CAN_SIM_NEVER;
	bus->idle = bus->sof + can_sim_bus_bits_ns(bus, all);
	bus->stats.bits += all;
	bus->stats.busy += bus->idle - bus->sof;
	can_sim_bus_record(bus, bits);
}

/* A complete frame */

static void can_sim_node_sent(struct can_sim_node *node)
{
	node->role = CAN_SIM_ABSENT;
	node->request = false;
	node->stats.sent++;
	can_sim_confine_sent(node);
	node->suspended = node->state == CAN_SIM_PASSIVE;
	if (node->ops->sent)
		node->ops->sent(node);
}

static void can_sim_node_received(struct can_sim_node *node)
{
	node->role = CAN_SIM_ABSENT;
	node->stats.received++;
	can_sim_confine_received(node);
	if (node->ops->received)
		node->ops->received(node, &node->bus->frame);
}

static void can_sim_bus_complete_frame(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	bus->stats.frames++;
	can_sim_bus_end_frame(bus, bus->bits.length);
	list_for_each_entry(node, &bus->nodes, list) {
		if (node->role == CAN_SIM_TRANSMITTER)
			can_sim_node_sent(node);
		else if (node->role == CAN_SIM_RECEIVER)
			can_sim_node_received(node);
	}
}

/* An error frame */

static void can_sim_bus_expand(struct can_sim_bus *bus)
{
	if (!bus->expanded)
		can_sim_wire_expand(&bus->frame, &bus->bits);
	bus->expanded = true;
}

static bool can_sim_node_detects(const struct can_sim_node *node)
{
	const struct can_sim_bus *bus = node->bus;

	if (bus->error_node)
		return node == bus->error_node;
	if (bus->error.transmitting)
		return node->role == CAN_SIM_TRANSMITTER;
	return node->role == CAN_SIM_RECEIVER;
}

static void can_sim_node_report_error(struct can_sim_node *node,
				      struct can_sim_error error, bool answered)
{
	node->stats.errors++;
	if (error.transmitting)
		can_sim_confine_transmitter(node, &error, answered);
	else
		can_sim_confine_receiver(node, &error, answered);
	if (node->ops->error)
		node->ops->error(node, &error);
}

/* A node has detected an error, and leaves the frame. */
static void can_sim_node_fail(struct can_sim_node *node,
			      struct can_sim_error error, bool answered)
{
	error.transmitting = node->role == CAN_SIM_TRANSMITTER;
	node->role = CAN_SIM_ABSENT;
	if (error.transmitting && node->one_shot)
		node->request = false;
	can_sim_node_report_error(node, error, answered);
	node->suspended = error.transmitting && node->state == CAN_SIM_PASSIVE;
}

/**
 * struct can_sim_view - a disturbed frame as a node reads it
 * @bit: at which the node detects an error
 * @error: of type CAN_SIM_NO_ERROR if there is none
 */
struct can_sim_view {
	unsigned int bit;
	struct can_sim_error error;
};

static unsigned int can_sim_bus_seen_level(const struct can_sim_bus *bus,
					   unsigned int bit)
{
	bool wrong = bus->error.type == CAN_SIM_BIT_ERROR && !bus->error_node &&
		     bit == bus->error_bit;

	return bus->bits.level[bit] ^ wrong;
}

/* Return: the error in the CRC delimiter (bit 0) or a bit after it. */
static enum can_sim_error_type can_sim_trailer_error(unsigned int bit,
						     unsigned int level,
						     bool bad_crc)
{
	if (bit == ACK_SLOT)
		return CAN_SIM_NO_ERROR;
	if (bit == ACK_DELIMITER && bad_crc)
		return CAN_SIM_CRC_ERROR;
	return level ? CAN_SIM_NO_ERROR : CAN_SIM_FORM_ERROR;
}

/* A receiver reads the frame, then an error flag from the bit @flag on, which
 * is recessive if no node sends one. It checks the checksum of the bits that it
 * reads, and ignores the last bit of EOF.
 */
static void can_sim_bus_view_receiver(struct can_sim_bus *bus,
				      unsigned int flag,
				      unsigned int flag_level,
				      struct can_sim_view *view)
{
	bool bad_crc = bus->injected == CAN_SIM_CRC_ERROR;
	enum can_sim_error_type type = CAN_SIM_NO_ERROR;
	unsigned int bit, level, left, trailer = 0, equal = 0, last = 0;

	can_sim_bus_expand(bus);
	left = bus->bits.unstuffed;
	for (bit = 0; !type && trailer < CAN_SIM_TRAILER_BITS - 1; bit++) {
		level = flag_level;
		if (bit < flag)
			level = can_sim_bus_seen_level(bus, bit);
		if (!left && equal < FLAG_BITS - 1) {
			type = can_sim_trailer_error(trailer++, level, bad_crc);
			continue;
		}
		if (equal < FLAG_BITS - 1)
			left--;
		bad_crc |= level != bus->bits.level[bit];
		equal = level == last ? equal + 1 : 1;
		last = level;
		if (equal == FLAG_BITS)
			type = CAN_SIM_STUFF_ERROR;
	}
	view->bit = bit - 1;
	view->error.type = type;
	view->error.segment = bus->bits.segment[view->bit];
}

/* A transmitter detects the active error flag of a receiver at its next
 * recessive bit. In the arbitration field this is no error, but lost
 * arbitration.
 */
static void can_sim_bus_view_transmitter(struct can_sim_bus *bus,
					 struct can_sim_view *view)
{
	unsigned int bit = bus->error_bit + 1;

	can_sim_bus_expand(bus);
	while (bit < bus->bits.length - 1 &&
	       (!bus->bits.level[bit] ||
		bus->bits.segment[bit] == CAN_SIM_SEG_ACK_SLOT))
		bit++;
	view->bit = bit;
	view->error.type = CAN_SIM_BIT_ERROR;
	if (bit < bus->bits.arbitration && !bus->bits.stuff[bit])
		view->error.type = CAN_SIM_NO_ERROR;
	view->error.segment = bus->bits.segment[bit];
}

/* Return: level of the error flags of the nodes that have detected the error. */
static unsigned int can_sim_bus_flag_level(const struct can_sim_bus *bus)
{
	const struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list)
		if (can_sim_node_detects(node) && can_sim_node_disturbs(node))
			return 0;
	return 1;
}

/* The passive error flag of error-passive nodes is not visible while a node
 * sends.
 */
static bool can_sim_bus_frame_continues(const struct can_sim_bus *bus)
{
	const struct can_sim_node *node;

	if (!can_sim_bus_flag_level(bus))
		return false;
	list_for_each_entry(node, &bus->nodes, list)
		if (node->role == CAN_SIM_TRANSMITTER &&
		    !can_sim_node_detects(node))
			return true;
	return false;
}

static void can_sim_bus_plan_errors(struct can_sim_bus *bus);
static void can_sim_bus_plan_end(struct can_sim_bus *bus);

static void can_sim_bus_continue_frame(struct can_sim_bus *bus)
{
	struct can_sim_error error = bus->error;
	struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list)
		if (can_sim_node_detects(node))
			can_sim_node_fail(node, error, false);
	if (!bus->error_node)
		bus->injected = CAN_SIM_NO_ERROR;
	bus->error.type = CAN_SIM_NO_ERROR;
	bus->error_node = NULL;
	can_sim_bus_plan_errors(bus);
	can_sim_bus_plan_end(bus);
}

/* Nodes that have not detected the error send an error flag when they see one.
 *
 * Return: bits from the begin of the first flag to the end of the last one.
 */
static unsigned int can_sim_bus_flag_bits(const struct can_sim_bus *bus,
					  const struct can_sim_view *receiver,
					  const struct can_sim_view *transmitter)
{
	unsigned int last = bus->error_bit;
	const struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list) {
		if (can_sim_node_detects(node) || !can_sim_node_disturbs(node))
			continue;
		if (node->role == CAN_SIM_TRANSMITTER && transmitter->error.type)
			last = max(last, transmitter->bit);
		else if (node->role != CAN_SIM_ABSENT && receiver->error.type)
			last = max(last, receiver->bit);
	}
	return last - bus->error_bit + FLAG_BITS;
}

static void can_sim_bus_end_arbitration(struct can_sim_bus *bus);
static void can_sim_node_lose_arbitration(struct can_sim_node *node,
					  unsigned int bit);
static unsigned int can_sim_bus_arbitration_bit(struct can_sim_bus *bus,
						unsigned int bit);

/* A node that has not detected the error sees the flags of others. */
static void can_sim_node_disturb(struct can_sim_node *node,
				 const struct can_sim_view *receiver,
				 const struct can_sim_view *transmitter)
{
	unsigned int bit;

	if (node->role == CAN_SIM_TRANSMITTER && transmitter->error.type) {
		can_sim_node_fail(node, transmitter->error, false);
		return;
	}
	if (node->role == CAN_SIM_TRANSMITTER) {
		bit = can_sim_bus_arbitration_bit(node->bus, transmitter->bit);
		can_sim_node_lose_arbitration(node, bit);
	}
	if (receiver->error.type)
		can_sim_node_fail(node, receiver->error, false);
	else
		can_sim_node_received(node);
}

static void can_sim_bus_fail_frame(struct can_sim_bus *bus)
{
	struct can_sim_view receiver, transmitter;
	struct can_sim_node *node;
	unsigned int flags;

	if (bus->phase == CAN_SIM_ARBITRATION)
		can_sim_bus_end_arbitration(bus);
	can_sim_bus_view_receiver(bus, bus->error_bit + 1,
				  can_sim_bus_flag_level(bus), &receiver);
	can_sim_bus_view_transmitter(bus, &transmitter);
	flags = can_sim_bus_flag_bits(bus, &receiver, &transmitter);

	bus->stats.errors++;
	can_sim_bus_end_frame(bus, bus->error_bit + 1 + flags +
				   ERROR_DELIMITER_BITS);
	list_for_each_entry(node, &bus->nodes, list) {
		if (node->role == CAN_SIM_ABSENT)
			continue;
		if (can_sim_node_detects(node))
			can_sim_node_fail(node, bus->error, flags > FLAG_BITS);
		else
			can_sim_node_disturb(node, &receiver, &transmitter);
	}
}

/* The outcome of a frame */

static void can_sim_bus_plan_error(struct can_sim_bus *bus,
				   enum can_sim_error_type type,
				   unsigned int bit, bool transmitting,
				   struct can_sim_node *only)
{
	if (bus->error.type && bus->error_bit <= bit)
		return;
	can_sim_bus_expand(bus);
	bus->error.type = type;
	bus->error.segment = bus->bits.segment[bit];
	bus->error.transmitting = transmitting;
	bus->error_bit = bit;
	bus->error_node = only;
}

static bool can_sim_node_acknowledges(const struct can_sim_node *node)
{
	return (node->role == CAN_SIM_RECEIVER || node->role == CAN_SIM_LOSER) &&
	       node != node->bus->error_node &&
	       !(node->mode & CAN_SIM_LISTEN_ONLY);
}

/* A receiver that detects a wrong checksum does not acknowledge. */
static bool can_sim_bus_misses_ack(const struct can_sim_bus *bus)
{
	bool lost = bus->injected == CAN_SIM_ACK_ERROR ||
		    bus->injected == CAN_SIM_CRC_ERROR;
	const struct can_sim_node *node;
	bool sends = false;

	list_for_each_entry(node, &bus->nodes, list) {
		if (!lost && can_sim_node_acknowledges(node))
			return false;
		if (node->role != CAN_SIM_TRANSMITTER)
			continue;
		if (node->mode & CAN_SIM_NO_ACK_NEEDED)
			return false;
		sends = true;
	}
	return sends;
}

static bool can_sim_bus_has_transmitter(const struct can_sim_bus *bus)
{
	const struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list)
		if (node->role == CAN_SIM_TRANSMITTER)
			return true;
	return false;
}

static unsigned int can_sim_bus_bits_so_far(const struct can_sim_bus *bus)
{
	return can_sim_timing_bits(&bus->timing, bus->now - bus->sof);
}

/* Also called when a node was switched off; an ACK slot that has passed is not
 * evaluated again.
 */
static void can_sim_bus_plan_end(struct can_sim_bus *bus)
{
	unsigned int ack = bus->bits.length - CAN_SIM_TRAILER_BITS + ACK_SLOT;
	unsigned int end;

	if ((!bus->error.type || bus->error_bit > ack) &&
	    can_sim_bus_misses_ack(bus) && can_sim_bus_bits_so_far(bus) <= ack)
		can_sim_bus_plan_error(bus, CAN_SIM_ACK_ERROR, ack, true, NULL);

	end = bus->error.type ? bus->error_bit + 1 : bus->bits.length;
	if (bus->phase == CAN_SIM_ARBITRATION)
		end = min(end, bus->bits.arbitration);
	bus->phase_end = bus->sof + can_sim_bus_bits_ns(bus, end);
}

static bool can_sim_frame_equal(const struct can_sim_frame *a,
				const struct can_sim_frame *b)
{
	return a->id == b->id && a->dlc == b->dlc &&
	       !memcmp(a->data, b->data, can_sim_frame_len(a));
}

/* Two nodes send different frames with the same identifier: one of them sends a
 * recessive bit and reads the dominant one of the other.
 */
static void can_sim_bus_plan_collision(struct can_sim_bus *bus,
				       struct can_sim_node *node)
{
	unsigned int bit = 0;

	can_sim_bus_expand(bus);
	can_sim_wire_expand(&node->frame, &bus->other_bits);
	while (bus->other_bits.level[bit] == bus->bits.level[bit])
		bit++;
	can_sim_bus_plan_error(bus, CAN_SIM_BIT_ERROR, bit, true, node);
}

/* Return: bit of the frame at which a node with another bit rate reads six
 * equal bits, at most the ACK delimiter.
 */
static unsigned int can_sim_bus_misread_at(const struct can_sim_bus *bus,
					   const struct can_sim_timing *own)
{
	const struct can_sim_timing *frame = &bus->timing;
	u64 own_bit = 1 + own->seg1 + own->seg2;
	u64 frame_bit = (u64)own->clock * (1 + frame->seg1 + frame->seg2) *
			frame->brp;
	unsigned int ack_delimiter = bus->bits.stuffed + ACK_DELIMITER;
	unsigned int equal = 0, last = 2, sample = 0;

	for (;; sample++) {
		u64 cycles = (sample * own_bit + 1 + own->seg1) * own->brp;
		u64 bit = div64_u64(cycles * frame->clock, frame_bit);
		unsigned int level;

		if (bit >= ack_delimiter)
			return ack_delimiter;
		level = bus->bits.level[bit];
		equal = level == last ? equal + 1 : 1;
		last = level;
		if (equal == FLAG_BITS)
			return bit;
	}
}

static void can_sim_bus_plan_misreading(struct can_sim_bus *bus,
					struct can_sim_node *node)
{
	struct can_sim_error error = {
		.type = CAN_SIM_STUFF_ERROR,
		.segment = CAN_SIM_SEG_ID28_21,
	};

	if (can_sim_node_disturbs(node)) {
		can_sim_bus_expand(bus);
		can_sim_bus_plan_error(bus, CAN_SIM_STUFF_ERROR,
				       can_sim_bus_misread_at(bus, &node->timing),
				       false, node);
		return;
	}
	if (node->role == CAN_SIM_LOSER)
		node->role = CAN_SIM_TRANSMITTER;
	can_sim_node_fail(node, error, false);
}

/* All errors but a missing ACK; called again if the first error has no effect. */
static void can_sim_bus_plan_errors(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list) {
		if (node->role == CAN_SIM_ABSENT)
			continue;
		if (!can_sim_timing_agree(&node->timing, &bus->timing))
			can_sim_bus_plan_misreading(bus, node);
		else if (node->role == CAN_SIM_TRANSMITTER &&
			 !can_sim_frame_equal(&node->frame, &bus->frame))
			can_sim_bus_plan_collision(bus, node);
	}
	if (bus->injected && bus->injected != CAN_SIM_ACK_ERROR)
		can_sim_bus_plan_error(bus, bus->injected, bus->injected_bit,
				       bus->injected == CAN_SIM_BIT_ERROR, NULL);
}

static void can_sim_bus_inject(struct can_sim_bus *bus)
{
	bus->injected = CAN_SIM_NO_ERROR;
	if (!can_sim_inject_hits(&bus->inject))
		return;
	can_sim_bus_expand(bus);
	if (can_sim_inject(&bus->inject, &bus->bits, &bus->injected_bit))
		bus->injected = bus->inject.type;
}

/* The begin of a frame */

/* Return: true if, of two frames with the same identifier, @a has a dominant
 * bit at the first difference.
 */
static bool can_sim_frame_dominates(const struct can_sim_frame *a,
				    const struct can_sim_frame *b)
{
	if (a->dlc != b->dlc)
		return a->dlc < b->dlc;
	return memcmp(a->data, b->data, can_sim_frame_len(a)) < 0;
}

static struct can_sim_node *
can_sim_bus_choose_transmitter(struct can_sim_bus *bus)
{
	struct can_sim_node *node, *best = NULL;

	list_for_each_entry(node, &bus->nodes, list) {
		u32 priority;

		node->role = CAN_SIM_ABSENT;
		if (can_sim_node_sends_at(node) > bus->now)
			continue;
		if (!node->ops->load(node, &node->frame)) {
			node->request = false;
			continue;
		}
		node->one_shot = node->mode & CAN_SIM_ONE_SHOT;
		node->role = CAN_SIM_LOSER;
		priority = can_sim_wire_priority(&node->frame);
		if (!best || priority < bus->priority ||
		    (priority == bus->priority &&
		     can_sim_frame_dominates(&node->frame, &best->frame))) {
			best = node;
			bus->priority = priority;
		}
	}
	return best;
}

/* Return: true if any node will lose arbitration. */
static bool can_sim_bus_set_roles(struct can_sim_bus *bus)
{
	struct can_sim_node *node;
	bool losers = false;

	list_for_each_entry(node, &bus->nodes, list) {
		can_sim_node_count_sequences(node);
		node->suspended = false;
		if (node->role == CAN_SIM_LOSER &&
		    can_sim_wire_priority(&node->frame) == bus->priority)
			node->role = CAN_SIM_TRANSMITTER;
		else if (node->role == CAN_SIM_LOSER)
			losers = true;
		else if (can_sim_node_takes_part(node) &&
			 node->since <= bus->now)
			node->role = CAN_SIM_RECEIVER;
	}
	return losers;
}

static void can_sim_bus_begin_frame(struct can_sim_bus *bus)
{
	struct can_sim_node *best = can_sim_bus_choose_transmitter(bus);

	if (!best)
		return;
	bus->sof = bus->now;
	bus->timing = best->timing;
	bus->frame = best->frame;
	bus->bits.length = can_sim_wire_length(&best->frame);
	bus->expanded = false;
	bus->error.type = CAN_SIM_NO_ERROR;
	bus->error_node = NULL;

	if (can_sim_bus_set_roles(bus)) {
		bus->bits.arbitration = can_sim_wire_arbitration(&best->frame);
		bus->phase = CAN_SIM_ARBITRATION;
	} else {
		bus->phase = CAN_SIM_FRAME;
	}
	can_sim_bus_inject(bus);
	can_sim_bus_plan_errors(bus);
	can_sim_bus_plan_end(bus);
}

/* Return: number of a bit in the arbitration field without stuff bits; 0 is the
 * first one of the identifier.
 */
static unsigned int can_sim_bus_arbitration_bit(struct can_sim_bus *bus,
						unsigned int bit)
{
	unsigned int number = 0;

	can_sim_bus_expand(bus);
	while (--bit)
		number += !bus->bits.stuff[bit];
	return number;
}

static void can_sim_node_lose_arbitration(struct can_sim_node *node,
					  unsigned int bit)
{
	node->role = CAN_SIM_RECEIVER;
	node->stats.lost++;
	if (node->one_shot)
		node->request = false;
	if (node->ops->lost)
		node->ops->lost(node, bit);
}

/* An error may end the frame before a node loses arbitration. */
static bool can_sim_bus_still_sends(struct can_sim_bus *bus, unsigned int bit)
{
	return bus->error.type &&
	       can_sim_bus_arbitration_bit(bus, bus->error_bit + 1) <= bit;
}

static void can_sim_bus_end_arbitration(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	bus->phase = CAN_SIM_FRAME;
	list_for_each_entry(node, &bus->nodes, list) {
		unsigned int bit;

		if (node->role != CAN_SIM_LOSER)
			continue;
		bit = 32 - fls(can_sim_wire_priority(&node->frame) ^
			       bus->priority);
		if (can_sim_bus_still_sends(bus, bit))
			node->role = CAN_SIM_TRANSMITTER;
		else
			can_sim_node_lose_arbitration(node, bit);
	}
	can_sim_bus_plan_end(bus);
}

/* Events */

static void can_sim_bus_end_phase(struct can_sim_bus *bus)
{
	if (bus->phase == CAN_SIM_ARBITRATION &&
	    (!bus->error.type || bus->error_bit >= bus->bits.arbitration))
		can_sim_bus_end_arbitration(bus);
	else if (!bus->error.type)
		can_sim_bus_complete_frame(bus);
	else if (can_sim_bus_frame_continues(bus))
		can_sim_bus_continue_frame(bus);
	else
		can_sim_bus_fail_frame(bus);
}

static void can_sim_bus_wake_nodes(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list) {
		if (node->wake > bus->now)
			continue;
		node->wake = CAN_SIM_NEVER;
		node->ops->woken(node);
	}
}

static void can_sim_bus_recover_nodes(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list)
		if (can_sim_node_recovers_at(node) <= bus->now)
			can_sim_node_recovered(node);
}

static u64 can_sim_bus_next_event(const struct can_sim_bus *bus)
{
	const struct can_sim_node *node;
	u64 next = bus->phase_end;

	list_for_each_entry(node, &bus->nodes, list) {
		next = min(next, node->wake);
		if (bus->phase == CAN_SIM_IDLE)
			next = min3(next, can_sim_node_sends_at(node),
				    can_sim_node_recovers_at(node));
	}
	return next;
}

static void can_sim_bus_handle_event(struct can_sim_bus *bus)
{
	can_sim_bus_wake_nodes(bus);
	if (bus->phase_end <= bus->now)
		can_sim_bus_end_phase(bus);
	if (bus->phase == CAN_SIM_IDLE && bus->now >= bus->idle) {
		can_sim_bus_recover_nodes(bus);
		can_sim_bus_begin_frame(bus);
	}
	bus->next_stale = true;
}

/**
 * can_sim_cpu_used() - account for CPU time of simulation and its interrupts
 * @begin: of the use, ns of CLOCK_MONOTONIC
 * @end: of the use, the present time
 *
 * Context: hardirq.
 * Return: time until which buses should not use this CPU again, or 0 if they
 *	need not rest.
 */
u64 can_sim_cpu_used(u64 begin, u64 end)
{
	return can_sim_budget_use(this_cpu_ptr(&can_sim_budgets), begin, end);
}

/* Return: false if there are more events than may be handled at once. */
static bool can_sim_bus_run_until(struct can_sim_bus *bus, u64 time)
{
	unsigned int events;

	for (events = 0; ; events++) {
		if (bus->next_stale) {
			bus->next_stale = false;
			bus->next = can_sim_bus_next_event(bus);
		}
		if (bus->next > time)
			break;
		if (events == bus->most_events)
			return false;
		/* an event that was requested too late is handled now */
		bus->now = max(bus->now, bus->next);
		can_sim_bus_handle_event(bus);
	}
	bus->now = max(bus->now, time);
	return true;
}

/**
 * can_sim_bus_run() - handle the events of a bus up to the present time
 * @bus: the bus
 *
 * If there are too many events, the bus handles some of them, and skips the
 * time that it is late.
 *
 * Context: the bus's lock.
 * Return: the present time, ns of CLOCK_MONOTONIC.
 */
u64 can_sim_bus_run(struct can_sim_bus *bus)
{
	u64 real = bus->clock(bus);

	if (!can_sim_bus_run_until(bus, can_sim_pace_bus_time(&bus->pace, real)))
		can_sim_pace_skip(&bus->pace, bus->now, real);
	return real;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_bus_run);

static void can_sim_bus_arm(struct can_sim_bus *bus)
{
	u64 real = CAN_SIM_NEVER;

	if (bus->stopped)
		return;
	if (bus->next != CAN_SIM_NEVER)
		real = can_sim_pace_real_time(&bus->pace, bus->next);
	if (real == bus->armed)
		return;
	bus->armed = real;
	if (real != CAN_SIM_NEVER)
		hrtimer_start(&bus->timer, ns_to_ktime(real),
			      HRTIMER_MODE_ABS_HARD);
}

static enum hrtimer_restart can_sim_bus_timer(struct hrtimer *timer)
{
	struct can_sim_bus *bus = container_of(timer, struct can_sim_bus,
					       timer);
	u64 begin, end, rest;
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	bus->armed = CAN_SIM_NEVER;
	begin = can_sim_bus_run(bus);
	end = ktime_get_ns();
	bus->stats.cpu += end - begin;
	rest = can_sim_cpu_used(begin, end);
	if (rest)
		can_sim_pace_skip(&bus->pace, bus->now, rest);
	can_sim_bus_arm(bus);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
	return HRTIMER_NORESTART;
}

static u64 can_sim_bus_clock(struct can_sim_bus *bus)
{
	return ktime_get_ns();
}

/* For nodes */

/**
 * can_sim_lock_untimed() - lock the bus of a chip without an access to the chip
 * @node: the chip, on a bus
 *
 * Like can_sim_lock(), but takes no time and is not counted, for steps of an
 * access such as the bytes of an SPI transfer.
 *
 * Context: any but NMI. Returns with the bus's lock held and interrupts off.
 * Return: flags for can_sim_unlock().
 */
unsigned long can_sim_lock_untimed(struct can_sim_node *node)
{
	struct can_sim_bus *bus = node->bus;
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	__release(&bus->lock); /* for sparse; see can_sim_unlock() */
	can_sim_bus_run(bus);
	return flags;
}
EXPORT_SYMBOL_GPL(can_sim_lock_untimed);

/**
 * can_sim_lock() - begin an access of a driver to a chip
 * @node: the chip, on a bus
 *
 * Waits for @node->access_ns, makes the bus handle all events up to now, and
 * counts the access.
 *
 * Context: any but NMI. Returns with the bus's lock held and interrupts off.
 * Return: flags for can_sim_unlock().
 */
unsigned long can_sim_lock(struct can_sim_node *node)
{
	unsigned long flags;

	if (node->access_ns)
		ndelay(node->access_ns);
	flags = can_sim_lock_untimed(node);
	node->stats.accesses++;
	return flags;
}
EXPORT_SYMBOL_GPL(can_sim_lock);

/**
 * can_sim_unlock() - end an access to a chip
 * @node: the chip
 * @flags: from can_sim_lock()
 *
 * Handles events on the bus that the access has caused.
 *
 * Context: the bus's lock, which is released.
 */
void can_sim_unlock(struct can_sim_node *node, unsigned long flags)
{
	struct can_sim_bus *bus = node->bus;

	if (bus->next_stale)
		can_sim_bus_run_until(bus, bus->now);
	can_sim_bus_arm(bus);
	__acquire(&bus->lock);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
}
EXPORT_SYMBOL_GPL(can_sim_unlock);

/**
 * can_sim_node_on() - switch a chip on
 * @node: with timing and mode set
 *
 * The node takes part after eleven recessive bits. If it is bus off, it does
 * not; see can_sim_node_recover(). With a bit rate above 1 Mbit/s, it does not
 * either.
 *
 * Context: the bus's lock.
 */
void can_sim_node_on(struct can_sim_node *node)
{
	if (node->on)
		return;
	node->on = true;
	node->too_fast = can_sim_timing_ns(&node->timing, SHORTEST_BITS) <
			 SHORTEST_BITS_NS;
	node->since = node->bus->now +
		      can_sim_timing_ns(&node->timing, JOIN_BITS);
	node->suspended = false;
	node->bus->next_stale = true;
}
EXPORT_SYMBOL_GPL(can_sim_node_on);

/* If it was the only transmitter, the others read recessive bits from now on.
 */
static void can_sim_bus_transmitter_off(struct can_sim_bus *bus)
{
	struct can_sim_view view;

	if (can_sim_bus_has_transmitter(bus))
		return;
	if (bus->error.transmitting)
		bus->error.type = CAN_SIM_NO_ERROR;
	can_sim_bus_view_receiver(bus, can_sim_bus_bits_so_far(bus), 1, &view);
	if (view.error.type)
		can_sim_bus_plan_error(bus, view.error.type, view.bit, false,
				       NULL);
}

/**
 * can_sim_node_off() - switch a chip off
 * @node: leaves the bus at once, even while it sends; its request has ended
 *
 * Error counters and the state of fault confinement stay; a recovery from bus
 * off ends.
 *
 * Context: the bus's lock.
 */
void can_sim_node_off(struct can_sim_node *node)
{
	struct can_sim_bus *bus = node->bus;
	enum can_sim_role role = node->role;

	node->request = false;
	node->recoveries = 0;
	bus->next_stale = true;
	if (!node->on)
		return;
	node->on = false;
	node->role = CAN_SIM_ABSENT;
	if (bus->phase == CAN_SIM_IDLE || role == CAN_SIM_ABSENT)
		return;
	if (bus->error_node == node) {
		bus->error_node = NULL;
		bus->error.type = CAN_SIM_NO_ERROR;
		can_sim_bus_plan_errors(bus);
	}
	if (role == CAN_SIM_TRANSMITTER)
		can_sim_bus_transmitter_off(bus);
	can_sim_bus_plan_end(bus);
}
EXPORT_SYMBOL_GPL(can_sim_node_off);

/**
 * can_sim_node_request() - request to send a frame
 * @node: its operation @load will return the frame
 *
 * Context: the bus's lock.
 */
void can_sim_node_request(struct can_sim_node *node)
{
	node->request = true;
	node->bus->next_stale = true;
}
EXPORT_SYMBOL_GPL(can_sim_node_request);

/**
 * can_sim_node_recover_after() - continue the recovery of a chip from bus off
 * @node: switched on
 * @sequences: of eleven recessive bits that are still missing, at least one
 *
 * After these the node takes part again, with counters of zero, and @recovered
 * is called.
 *
 * Context: the bus's lock.
 */
void can_sim_node_recover_after(struct can_sim_node *node,
				unsigned int sequences)
{
	if (node->state != CAN_SIM_BUS_OFF || node->recoveries)
		return;
	node->recoveries = sequences;
	node->recovering = node->bus->now;
	node->bus->next_stale = true;
}
EXPORT_SYMBOL_GPL(can_sim_node_recover_after);

/**
 * can_sim_node_recover() - begin the recovery of a chip from bus off
 * @node: switched on
 *
 * As can_sim_node_recover_after() with the 128 sequences of the standard.
 *
 * Context: the bus's lock.
 */
void can_sim_node_recover(struct can_sim_node *node)
{
	can_sim_node_recover_after(node, RECOVERY_SEQUENCES);
}
EXPORT_SYMBOL_GPL(can_sim_node_recover);

/**
 * can_sim_node_wake_at() - set the time when @woken is called
 * @node: has one such time; an earlier call is replaced
 * @time: ns on the bus's clock, or CAN_SIM_NEVER
 *
 * Context: the bus's lock.
 */
void can_sim_node_wake_at(struct can_sim_node *node, u64 time)
{
	node->wake = time;
	node->bus->next_stale = true;
}
EXPORT_SYMBOL_GPL(can_sim_node_wake_at);

/* For the owner of the bus */

/**
 * can_sim_bus_init() - initialise a bus
 * @bus: the bus
 * @clock: returns the time in ns, or NULL for CLOCK_MONOTONIC. With another
 *	clock there is no timer, and no limit of events: the bus handles all
 *	of them in can_sim_bus_run() and when it is locked.
 *
 * Context: Process context.
 */
void can_sim_bus_init(struct can_sim_bus *bus,
		      u64 (*clock)(struct can_sim_bus *bus))
{
	memset(bus, 0, sizeof(*bus));
	raw_spin_lock_init(&bus->lock);
	INIT_LIST_HEAD(&bus->nodes);
	hrtimer_setup(&bus->timer, can_sim_bus_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_HARD);
	bus->clock = clock ?: can_sim_bus_clock;
	bus->most_events = clock ? UINT_MAX : MOST_EVENTS;
	can_sim_pace_init(&bus->pace, 1, 0);
	bus->stopped = !!clock;
	bus->armed = CAN_SIM_NEVER;
	bus->next = CAN_SIM_NEVER;
	bus->phase_end = CAN_SIM_NEVER;
	bus->inject.bit = -1;
	prandom_seed_state(&bus->inject.rnd, 0);
}
EXPORT_SYMBOL_GPL(can_sim_bus_init);

/**
 * can_sim_bus_add() - add a node to a bus
 * @bus: the bus
 * @node: the node, which is switched off then
 *
 * Context: Process context.
 */
void can_sim_bus_add(struct can_sim_bus *bus, struct can_sim_node *node)
{
	unsigned long flags;

	node->bus = bus;
	node->on = false;
	node->request = false;
	node->role = CAN_SIM_ABSENT;
	node->state = CAN_SIM_ACTIVE;
	node->tec = 0;
	node->rec = 0;
	node->recoveries = 0;
	node->wake = CAN_SIM_NEVER;
	raw_spin_lock_irqsave(&bus->lock, flags);
	list_add_tail(&node->list, &bus->nodes);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
}
EXPORT_SYMBOL_GPL(can_sim_bus_add);

/**
 * can_sim_bus_del() - remove a node from its bus
 * @node: no driver accesses its registers any more
 *
 * Context: Process context.
 */
void can_sim_bus_del(struct can_sim_node *node)
{
	struct can_sim_bus *bus = node->bus;
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	can_sim_bus_run(bus);
	can_sim_node_off(node);
	list_del(&node->list);
	can_sim_bus_run_until(bus, bus->now);
	can_sim_bus_arm(bus);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
	node->bus = NULL;
}
EXPORT_SYMBOL_GPL(can_sim_bus_del);

/**
 * can_sim_bus_stop() - stop the timer of a bus
 * @bus: without nodes
 *
 * Context: Process context; waits for the timer.
 */
void can_sim_bus_stop(struct can_sim_bus *bus)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	bus->stopped = true;
	raw_spin_unlock_irqrestore(&bus->lock, flags);
	hrtimer_cancel(&bus->timer);
}
EXPORT_SYMBOL_GPL(can_sim_bus_stop);
