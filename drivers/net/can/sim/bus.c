// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simulated CAN bus: which frame is on it, from when to when, and how it ends.
 *
 * The outcome of a frame is worked out when it begins, because all that it
 * depends on is known then: who sends, who acknowledges, what is injected. What
 * changes later (a node goes) changes the outcome. So a frame needs two events:
 * its begin and its end, and one more if arbitration is lost.
 *
 * This is what happens if each node works bit by bit (model_test.c), but for some
 * things that are left out. After a frame or an error frame, the bus is idle for
 * all nodes at the same time; in reality, error-passive receivers may not be ready
 * before the next frame. If the winner of arbitration is switched off meanwhile,
 * those that would have won instead try again later. There are no errors in error
 * flags (rules d, e and f), and none is forgiven in arbitration (exception 2 to
 * rule c).
 *
 * Everything here runs with the bus's lock held, see sim.h.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/export.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "sim.h"

/* A node takes part after so many recessive bits (ISO 11898-1:2015, 10.9.3), and
 * comes back from bus off after as many sequences of these (12.1.4.5).
 */
#define JOIN_BITS 11
#define RECOVERY_SEQUENCES 128

/* Bits after the checksum */
#define ACK_SLOT 1
#define ACK_DELIMITER 2

#define FLAG_BITS 6
#define ERROR_DELIMITER_BITS 8

/* What an error-passive node waits in addition after a frame of its own. */
#define SUSPEND_BITS 8

static u64 bit_time(const struct can_sim_bus *bus, unsigned int bits)
{
	return can_sim_timing_ns(&bus->timing, bits);
}

/* Nodes */

static bool can_disturb(const struct can_sim_node *node)
{
	return node->state == CAN_SIM_ACTIVE &&
	       !(node->mode & CAN_SIM_LISTEN_ONLY);
}

static bool takes_part(const struct can_sim_node *node)
{
	return node->on && node->state != CAN_SIM_BUS_OFF;
}

static u64 suspension(const struct can_sim_node *node)
{
	return node->suspended ? bit_time(node->bus, SUSPEND_BITS) : 0;
}

/* When a node sends, unless somebody else is faster. */
static u64 sends_at(const struct can_sim_node *node)
{
	if (!node->request || !takes_part(node) ||
	    node->mode & CAN_SIM_LISTEN_ONLY)
		return CAN_SIM_NEVER;
	return max(node->since, node->bus->idle + suspension(node));
}

/* Each frame and each error frame ends with eleven recessive bits, up to the time
 * when the next one may begin.
 */
static u64 recessive_since(const struct can_sim_node *node)
{
	u64 sequence = can_sim_timing_ns(&node->timing, JOIN_BITS);
	u64 idle = node->bus->idle;

	return max(node->recovering, idle - min(idle, sequence));
}

static u64 recovers_at(const struct can_sim_node *node)
{
	if (!node->recoveries || node->bus->phase != CAN_SIM_IDLE)
		return CAN_SIM_NEVER;
	return recessive_since(node) +
	       can_sim_timing_ns(&node->timing, JOIN_BITS * node->recoveries);
}

static unsigned int sequences_since(const struct can_sim_node *node)
{
	const struct can_sim_bus *bus = node->bus;
	u64 begin = recessive_since(node);

	if (bus->phase != CAN_SIM_IDLE || bus->now <= begin)
		return 0;
	return can_sim_timing_bits(&node->timing, bus->now - begin) / JOIN_BITS;
}

/**
 * can_sim_node_recoveries() - progress of the recovery from bus off
 * @node: that recovers, or not
 *
 * Context: the bus's lock.
 * Return: sequences of eleven recessive bits that are still to come.
 */
unsigned int can_sim_node_recoveries(const struct can_sim_node *node)
{
	unsigned int seen = sequences_since(node);

	return node->recoveries - min(seen, node->recoveries);
}
EXPORT_SYMBOL_GPL(can_sim_node_recoveries);

static void recovered(struct can_sim_node *node)
{
	node->recoveries = 0;
	node->state = CAN_SIM_ACTIVE;
	node->tec = 0;
	node->rec = 0;
	node->suspended = false;
	if (node->ops->recovered)
		node->ops->recovered(node);
}

/* A frame begins, and time on an idle bus has been counted up to now. */
static void count_sequences(struct can_sim_node *node)
{
	if (!node->recoveries)
		return;
	node->recoveries = can_sim_node_recoveries(node);
	node->recovering = node->bus->now;
}

static void record_frame(struct can_sim_bus *bus, unsigned int bits)
{
	struct can_sim_record *record;

	record = &bus->record[bus->records++ % CAN_SIM_RECORDS];
	record->start = bus->sof;
	record->bits = bits;
	record->error = bus->error.type;
	record->frame = bus->frame;
}

/* The bus is free again after so many bits since the frame began. */
static void end_frame(struct can_sim_bus *bus, unsigned int bits)
{
	unsigned int all = bits + CAN_SIM_INTERMISSION_BITS;

	bus->phase = CAN_SIM_IDLE;
	bus->phase_end = CAN_SIM_NEVER;
	bus->idle = bus->sof + bit_time(bus, all);
	bus->stats.bits += all;
	bus->stats.busy += bus->idle - bus->sof;
	record_frame(bus, bits);
}

/* A frame that went well */

static void frame_sent(struct can_sim_node *node)
{
	node->role = CAN_SIM_ABSENT;
	node->request = false;
	node->stats.sent++;
	can_sim_confine_sent(node);
	node->suspended = node->state == CAN_SIM_PASSIVE;
	if (node->ops->sent)
		node->ops->sent(node);
}

static void frame_received(struct can_sim_node *node)
{
	node->role = CAN_SIM_ABSENT;
	node->stats.received++;
	can_sim_confine_received(node);
	if (node->ops->received)
		node->ops->received(node, &node->bus->frame);
}

static void complete_frame(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	bus->stats.frames++;
	end_frame(bus, bus->bits.length);
	list_for_each_entry(node, &bus->nodes, list) {
		if (node->role == CAN_SIM_TRANSMITTER)
			frame_sent(node);
		else if (node->role == CAN_SIM_RECEIVER)
			frame_received(node);
	}
}

/* A frame that fails */

static void expand(struct can_sim_bus *bus)
{
	if (!bus->expanded)
		can_sim_wire_expand(&bus->frame, &bus->bits);
	bus->expanded = true;
}

static bool detects(const struct can_sim_node *node)
{
	const struct can_sim_bus *bus = node->bus;

	if (bus->error_node)
		return node == bus->error_node;
	if (bus->error.transmitting)
		return node->role == CAN_SIM_TRANSMITTER;
	return node->role == CAN_SIM_RECEIVER;
}

static void tell_error(struct can_sim_node *node, struct can_sim_error error,
		       bool answered)
{
	node->stats.errors++;
	if (error.transmitting)
		can_sim_confine_transmitter(node, &error, answered);
	else
		can_sim_confine_receiver(node, &error, answered);
	if (node->ops->error)
		node->ops->error(node, &error);
}

/* A node has detected an error, and takes no part in the frame any more. */
static void fail_node(struct can_sim_node *node, struct can_sim_error error,
		      bool answered)
{
	error.transmitting = node->role == CAN_SIM_TRANSMITTER;
	node->role = CAN_SIM_ABSENT;
	if (error.transmitting && node->one_shot)
		node->request = false;
	tell_error(node, error, answered);
	node->suspended = error.transmitting && node->state == CAN_SIM_PASSIVE;
}

/**
 * struct view - a disturbed frame, as somebody sees it
 * @bit: at which it is clear that something is wrong
 * @error: what is wrong, of type CAN_SIM_NO_ERROR if nothing is
 */
struct view {
	unsigned int bit;
	struct can_sim_error error;
};

static unsigned int seen_level(const struct can_sim_bus *bus, unsigned int bit)
{
	bool wrong = bus->error.type == CAN_SIM_BIT_ERROR && !bus->error_node &&
		     bit == bus->error_bit;

	return bus->bits.level[bit] ^ wrong;
}

/* What is wrong in the CRC delimiter (bit 0) or a bit after it. */
static enum can_sim_error_type trailer_error(unsigned int bit, unsigned int level,
					     bool bad_crc)
{
	if (bit == ACK_SLOT)
		return CAN_SIM_NO_ERROR;
	if (bit == ACK_DELIMITER && bad_crc)
		return CAN_SIM_CRC_ERROR;
	return level ? CAN_SIM_NO_ERROR : CAN_SIM_FORM_ERROR;
}

/* A receiver sees what a node has sent, then its error flag from the bit @flag
 * on, whose level may also be that of nothing. It knows of the checksum only from
 * what it sees, and the last bit of EOF does not matter to it.
 */
static void view_receiver(struct can_sim_bus *bus, unsigned int flag,
			  unsigned int flag_level, struct view *view)
{
	bool bad_crc = bus->injected == CAN_SIM_CRC_ERROR;
	enum can_sim_error_type type = CAN_SIM_NO_ERROR;
	unsigned int bit, level, left, trailer = 0, equal = 0, last = 0;

	expand(bus);
	left = bus->bits.unstuffed;
	for (bit = 0; !type && trailer < CAN_SIM_TRAILER_BITS - 1; bit++) {
		level = bit < flag ? seen_level(bus, bit) : flag_level;
		if (!left && equal < FLAG_BITS - 1) {
			type = trailer_error(trailer++, level, bad_crc);
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

/* A transmitter sees the active error flag of a receiver at its next recessive
 * bit. In the arbitration field, that is nothing wrong yet, but lost arbitration.
 */
static void view_transmitter(struct can_sim_bus *bus, struct view *view)
{
	unsigned int bit = bus->error_bit + 1;

	expand(bus);
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

/* The level of the error flags of those who have detected the error. */
static unsigned int flag_level(const struct can_sim_bus *bus)
{
	const struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list)
		if (detects(node) && can_disturb(node))
			return 0;
	return 1;
}

/* When error-passive nodes detect an error, others do not get to know that as
 * long as somebody sends.
 */
static bool goes_on(const struct can_sim_bus *bus)
{
	const struct can_sim_node *node;

	if (!flag_level(bus))
		return false;
	list_for_each_entry(node, &bus->nodes, list)
		if (node->role == CAN_SIM_TRANSMITTER && !detects(node))
			return true;
	return false;
}

static void plan_errors(struct can_sim_bus *bus);
static void plan_end(struct can_sim_bus *bus);

static void go_on(struct can_sim_bus *bus)
{
	struct can_sim_error error = bus->error;
	struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list)
		if (detects(node))
			fail_node(node, error, false);
	if (!bus->error_node)
		bus->injected = CAN_SIM_NO_ERROR;
	bus->error.type = CAN_SIM_NO_ERROR;
	bus->error_node = NULL;
	plan_errors(bus);
	plan_end(bus);
}

/* Who has not detected the error sends an error flag when it sees that of others.
 * Return: bits from the begin of the first flag to the end of the last one.
 */
static unsigned int flag_bits(const struct can_sim_bus *bus,
			      const struct view *receiver,
			      const struct view *transmitter)
{
	unsigned int last = bus->error_bit;
	const struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list) {
		if (detects(node) || !can_disturb(node))
			continue;
		if (node->role == CAN_SIM_TRANSMITTER && transmitter->error.type)
			last = max(last, transmitter->bit);
		else if (node->role != CAN_SIM_ABSENT && receiver->error.type)
			last = max(last, receiver->bit);
	}
	return last - bus->error_bit + FLAG_BITS;
}

static void end_arbitration(struct can_sim_bus *bus);
static void lose_arbitration(struct can_sim_node *node, unsigned int bit);
static unsigned int arbitration_bit(struct can_sim_bus *bus, unsigned int bit);

/* Who has not detected the error sees the flags of others. */
static void disturb_node(struct can_sim_node *node, const struct view *receiver,
			 const struct view *transmitter)
{
	struct can_sim_bus *bus = node->bus;

	if (node->role == CAN_SIM_TRANSMITTER && transmitter->error.type) {
		fail_node(node, transmitter->error, false);
		return;
	}
	if (node->role == CAN_SIM_TRANSMITTER)
		lose_arbitration(node, arbitration_bit(bus, transmitter->bit));
	if (receiver->error.type)
		fail_node(node, receiver->error, false);
	else
		frame_received(node);
}

static void fail_frame(struct can_sim_bus *bus)
{
	struct view receiver, transmitter;
	struct can_sim_node *node;
	unsigned int flags;

	if (bus->phase == CAN_SIM_ARBITRATION)
		end_arbitration(bus);
	view_receiver(bus, bus->error_bit + 1, flag_level(bus), &receiver);
	view_transmitter(bus, &transmitter);
	flags = flag_bits(bus, &receiver, &transmitter);

	bus->stats.errors++;
	end_frame(bus, bus->error_bit + 1 + flags + ERROR_DELIMITER_BITS);
	list_for_each_entry(node, &bus->nodes, list) {
		if (node->role == CAN_SIM_ABSENT)
			continue;
		if (detects(node))
			fail_node(node, bus->error, flags > FLAG_BITS);
		else
			disturb_node(node, &receiver, &transmitter);
	}
}

/* How a frame will end */

static void plan_error(struct can_sim_bus *bus, enum can_sim_error_type type,
		       unsigned int bit, bool transmitting,
		       struct can_sim_node *only)
{
	if (bus->error.type && bus->error_bit <= bit)
		return;
	expand(bus);
	bus->error.type = type;
	bus->error.segment = bus->bits.segment[bit];
	bus->error.transmitting = transmitting;
	bus->error_bit = bit;
	bus->error_node = only;
}

static bool acknowledges(const struct can_sim_node *node)
{
	return (node->role == CAN_SIM_RECEIVER || node->role == CAN_SIM_LOSER) &&
	       node != node->bus->error_node &&
	       !(node->mode & CAN_SIM_LISTEN_ONLY);
}

/* A receiver that computes another checksum does not acknowledge. */
static bool misses_ack(const struct can_sim_bus *bus)
{
	bool lost = bus->injected == CAN_SIM_ACK_ERROR ||
		    bus->injected == CAN_SIM_CRC_ERROR;
	const struct can_sim_node *node;
	bool sends = false;

	list_for_each_entry(node, &bus->nodes, list) {
		if (!lost && acknowledges(node))
			return false;
		if (node->role != CAN_SIM_TRANSMITTER)
			continue;
		if (node->mode & CAN_SIM_NO_ACK_NEEDED)
			return false;
		sends = true;
	}
	return sends;
}

static bool somebody_sends(const struct can_sim_bus *bus)
{
	const struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list)
		if (node->role == CAN_SIM_TRANSMITTER)
			return true;
	return false;
}

static unsigned int bits_so_far(const struct can_sim_bus *bus)
{
	return can_sim_timing_bits(&bus->timing, bus->now - bus->sof);
}

/* Called again when a node has gone: what has been acknowledged remains so. */
static void plan_end(struct can_sim_bus *bus)
{
	unsigned int ack = bus->bits.length - CAN_SIM_TRAILER_BITS + ACK_SLOT;
	unsigned int end;

	if ((!bus->error.type || bus->error_bit > ack) &&
	    misses_ack(bus) && bits_so_far(bus) <= ack)
		plan_error(bus, CAN_SIM_ACK_ERROR, ack, true, NULL);

	end = bus->error.type ? bus->error_bit + 1 : bus->bits.length;
	if (bus->phase == CAN_SIM_ARBITRATION)
		end = min(end, bus->bits.arbitration);
	bus->phase_end = bus->sof + bit_time(bus, end);
}

static bool same_frame(const struct can_sim_frame *a,
		       const struct can_sim_frame *b)
{
	return a->id == b->id && a->dlc == b->dlc &&
	       !memcmp(a->data, b->data, can_sim_frame_len(a));
}

/* Frames with the same identifier, from nodes that should not have it both: one
 * of them sends a recessive bit and reads the other's dominant one.
 */
static void plan_collision(struct can_sim_bus *bus, struct can_sim_node *node)
{
	unsigned int bit = 0;

	expand(bus);
	can_sim_wire_expand(&node->frame, &bus->other_bits);
	while (bus->other_bits.level[bit] == bus->bits.level[bit])
		bit++;
	plan_error(bus, CAN_SIM_BIT_ERROR, bit, true, node);
}

/* At which bit of the frame a node with another bit rate sees six equal bits, or
 * that it has not got what it can acknowledge.
 */
static unsigned int misread_at(const struct can_sim_bus *bus,
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

static void plan_misreading(struct can_sim_bus *bus, struct can_sim_node *node)
{
	struct can_sim_error error = {
		.type = CAN_SIM_STUFF_ERROR,
		.segment = CAN_SIM_SEG_ID28_21,
	};

	if (can_disturb(node)) {
		expand(bus);
		plan_error(bus, CAN_SIM_STUFF_ERROR,
			   misread_at(bus, &node->timing), false, node);
		return;
	}
	if (node->role == CAN_SIM_LOSER)
		node->role = CAN_SIM_TRANSMITTER;
	fail_node(node, error, false);
}

/* All but a missing ACK; called again when the first one has no consequence. */
static void plan_errors(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list) {
		if (node->role == CAN_SIM_ABSENT)
			continue;
		if (!can_sim_timing_agree(&node->timing, &bus->timing))
			plan_misreading(bus, node);
		else if (node->role == CAN_SIM_TRANSMITTER &&
			 !same_frame(&node->frame, &bus->frame))
			plan_collision(bus, node);
	}
	if (bus->injected && bus->injected != CAN_SIM_ACK_ERROR)
		plan_error(bus, bus->injected, bus->injected_bit,
			   bus->injected == CAN_SIM_BIT_ERROR, NULL);
}

static void inject(struct can_sim_bus *bus)
{
	bus->injected = CAN_SIM_NO_ERROR;
	if (!can_sim_inject_hits(&bus->inject))
		return;
	expand(bus);
	if (can_sim_inject(&bus->inject, &bus->bits, &bus->injected_bit))
		bus->injected = bus->inject.type;
}

/* The begin of a frame */

/* Which of two frames with the same identifier has the first dominant bit that
 * the other one has not.
 */
static bool dominates(const struct can_sim_frame *a,
		      const struct can_sim_frame *b)
{
	if (a->dlc != b->dlc)
		return a->dlc < b->dlc;
	return memcmp(a->data, b->data, can_sim_frame_len(a)) < 0;
}

static struct can_sim_node *choose_transmitter(struct can_sim_bus *bus)
{
	struct can_sim_node *node, *best = NULL;

	list_for_each_entry(node, &bus->nodes, list) {
		u32 priority;

		node->role = CAN_SIM_ABSENT;
		if (sends_at(node) > bus->now)
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
		     dominates(&node->frame, &best->frame))) {
			best = node;
			bus->priority = priority;
		}
	}
	return best;
}

/* Return: whether somebody will lose arbitration. */
static bool give_roles(struct can_sim_bus *bus)
{
	struct can_sim_node *node;
	bool losers = false;

	list_for_each_entry(node, &bus->nodes, list) {
		count_sequences(node);
		node->suspended = false;
		if (node->role == CAN_SIM_LOSER &&
		    can_sim_wire_priority(&node->frame) == bus->priority)
			node->role = CAN_SIM_TRANSMITTER;
		else if (node->role == CAN_SIM_LOSER)
			losers = true;
		else if (takes_part(node) && node->since <= bus->now)
			node->role = CAN_SIM_RECEIVER;
	}
	return losers;
}

static void begin_frame(struct can_sim_bus *bus)
{
	struct can_sim_node *best = choose_transmitter(bus);

	if (!best)
		return;
	bus->sof = bus->now;
	bus->timing = best->timing;
	bus->frame = best->frame;
	bus->bits.length = can_sim_wire_length(&best->frame);
	bus->expanded = false;
	bus->error.type = CAN_SIM_NO_ERROR;
	bus->error_node = NULL;

	if (give_roles(bus)) {
		bus->bits.arbitration = can_sim_wire_arbitration(&best->frame);
		bus->phase = CAN_SIM_ARBITRATION;
	} else {
		bus->phase = CAN_SIM_FRAME;
	}
	inject(bus);
	plan_errors(bus);
	plan_end(bus);
}

/* The number of a bit on the wire in the arbitration field, 0 being the first one
 * of the identifier.
 */
static unsigned int arbitration_bit(struct can_sim_bus *bus, unsigned int bit)
{
	unsigned int number = 0;

	expand(bus);
	while (--bit)
		number += !bus->bits.stuff[bit];
	return number;
}

static void lose_arbitration(struct can_sim_node *node, unsigned int bit)
{
	node->role = CAN_SIM_RECEIVER;
	node->stats.lost++;
	if (node->one_shot)
		node->request = false;
	if (node->ops->lost)
		node->ops->lost(node, bit);
}

/* If an error ends the frame before, some may not have lost yet. */
static bool still_sends(struct can_sim_bus *bus, unsigned int bit)
{
	return bus->error.type &&
	       arbitration_bit(bus, bus->error_bit + 1) <= bit;
}

static void end_arbitration(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	bus->phase = CAN_SIM_FRAME;
	list_for_each_entry(node, &bus->nodes, list) {
		unsigned int bit;

		if (node->role != CAN_SIM_LOSER)
			continue;
		bit = 32 - fls(can_sim_wire_priority(&node->frame) ^
			       bus->priority);
		if (still_sends(bus, bit))
			node->role = CAN_SIM_TRANSMITTER;
		else
			lose_arbitration(node, bit);
	}
	plan_end(bus);
}

/* Events */

static void end_phase(struct can_sim_bus *bus)
{
	if (bus->phase == CAN_SIM_ARBITRATION &&
	    (!bus->error.type || bus->error_bit >= bus->bits.arbitration))
		end_arbitration(bus);
	else if (!bus->error.type)
		complete_frame(bus);
	else if (goes_on(bus))
		go_on(bus);
	else
		fail_frame(bus);
}

static void wake_nodes(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list) {
		if (node->wake > bus->now)
			continue;
		node->wake = CAN_SIM_NEVER;
		node->ops->woken(node);
	}
}

static void recover_nodes(struct can_sim_bus *bus)
{
	struct can_sim_node *node;

	list_for_each_entry(node, &bus->nodes, list)
		if (recovers_at(node) <= bus->now)
			recovered(node);
}

static u64 next_event(const struct can_sim_bus *bus)
{
	const struct can_sim_node *node;
	u64 next = bus->phase_end;

	list_for_each_entry(node, &bus->nodes, list) {
		next = min(next, node->wake);
		if (bus->phase == CAN_SIM_IDLE)
			next = min3(next, sends_at(node), recovers_at(node));
	}
	return next;
}

static void handle_event(struct can_sim_bus *bus)
{
	wake_nodes(bus);
	if (bus->phase_end <= bus->now)
		end_phase(bus);
	if (bus->phase == CAN_SIM_IDLE && bus->now >= bus->idle) {
		recover_nodes(bus);
		begin_frame(bus);
	}
	bus->stale = true;
}

static void run_until(struct can_sim_bus *bus, u64 time)
{
	for (;;) {
		if (bus->stale) {
			bus->stale = false;
			bus->next = next_event(bus);
		}
		if (bus->next > time)
			break;
		/* what was asked for late is done now, not in the past */
		bus->now = max(bus->now, bus->next);
		handle_event(bus);
	}
	bus->now = max(bus->now, time);
}

/**
 * can_sim_bus_run() - let a bus catch up with the clock
 * @bus: whose lock is held
 *
 * Context: any, the bus's lock held, interrupts off.
 */
void can_sim_bus_run(struct can_sim_bus *bus)
{
	run_until(bus, bus->clock(bus));
}

static void arm(struct can_sim_bus *bus)
{
	if (bus->dead || bus->next == bus->armed)
		return;
	bus->armed = bus->next;
	if (bus->next != CAN_SIM_NEVER)
		hrtimer_start(&bus->timer, ns_to_ktime(bus->next),
			      HRTIMER_MODE_ABS_HARD);
}

static enum hrtimer_restart bus_timer(struct hrtimer *timer)
{
	struct can_sim_bus *bus = container_of(timer, struct can_sim_bus, timer);
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	bus->armed = CAN_SIM_NEVER;
	can_sim_bus_run(bus);
	arm(bus);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
	return HRTIMER_NORESTART;
}

static u64 monotonic_clock(struct can_sim_bus *bus)
{
	return ktime_get_ns();
}

/* For nodes */

/**
 * can_sim_peek() - look at a chip, which is no access to it
 * @node: the chip, on a bus
 *
 * Like can_sim_lock(), but takes no time and is not counted: for what goes on
 * between a chip and the CPU during an access, like the bytes of an SPI transfer.
 *
 * Context: any but NMI. Returns with the bus's lock held and interrupts off.
 * Return: flags for can_sim_unlock().
 */
unsigned long can_sim_peek(struct can_sim_node *node)
{
	struct can_sim_bus *bus = node->bus;
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	__release(&bus->lock); /* sparse need not look for can_sim_unlock() */
	can_sim_bus_run(bus);
	return flags;
}
EXPORT_SYMBOL_GPL(can_sim_peek);

/**
 * can_sim_lock() - a driver is about to look at a chip
 * @node: the chip, on a bus
 *
 * Waits for the time that an access is said to take, lets the bus catch up, and
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
	flags = can_sim_peek(node);
	node->stats.accesses++;
	return flags;
}
EXPORT_SYMBOL_GPL(can_sim_lock);

/**
 * can_sim_unlock() - a driver has looked at a chip
 * @node: the chip
 * @flags: from can_sim_lock()
 *
 * What the access has caused on the bus at once, happens here.
 *
 * Context: the bus's lock; it is released.
 */
void can_sim_unlock(struct can_sim_node *node, unsigned long flags)
{
	struct can_sim_bus *bus = node->bus;

	if (bus->stale)
		run_until(bus, bus->now);
	arm(bus);
	__acquire(&bus->lock);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
}
EXPORT_SYMBOL_GPL(can_sim_unlock);

/**
 * can_sim_node_on() - a chip begins to take part
 * @node: with timing and mode set
 *
 * It waits for eleven recessive bits first. A node that is bus off stays so, see
 * can_sim_node_recover().
 *
 * Context: the bus's lock.
 */
void can_sim_node_on(struct can_sim_node *node)
{
	if (node->on)
		return;
	node->on = true;
	node->since = node->bus->now +
		      can_sim_timing_ns(&node->timing, JOIN_BITS);
	node->suspended = false;
	node->bus->stale = true;
}
EXPORT_SYMBOL_GPL(can_sim_node_on);

/* The others see recessive bits from now on. */
static void transmitter_goes(struct can_sim_bus *bus)
{
	struct view view;

	if (somebody_sends(bus))
		return;
	if (bus->error.transmitting)
		bus->error.type = CAN_SIM_NO_ERROR;
	view_receiver(bus, bits_so_far(bus), 1, &view);
	if (view.error.type)
		plan_error(bus, view.error.type, view.bit, false, NULL);
}

/**
 * can_sim_node_off() - a chip does not take part any more
 * @node: at once, even while it sends; its request has ended
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
	bus->stale = true;
	if (!node->on)
		return;
	node->on = false;
	node->role = CAN_SIM_ABSENT;
	if (bus->phase == CAN_SIM_IDLE || role == CAN_SIM_ABSENT)
		return;
	if (bus->error_node == node) {
		bus->error_node = NULL;
		bus->error.type = CAN_SIM_NO_ERROR;
		plan_errors(bus);
	}
	if (role == CAN_SIM_TRANSMITTER)
		transmitter_goes(bus);
	plan_end(bus);
}
EXPORT_SYMBOL_GPL(can_sim_node_off);

/**
 * can_sim_node_request() - a chip has a frame to send
 * @node: which will be asked for it by @load
 *
 * Context: the bus's lock.
 */
void can_sim_node_request(struct can_sim_node *node)
{
	node->request = true;
	node->bus->stale = true;
}
EXPORT_SYMBOL_GPL(can_sim_node_request);

/**
 * can_sim_node_recover_after() - a chip that is bus off goes on to recover
 * @node: switched on
 * @sequences: of eleven recessive bits that it still has to see, at least one
 *
 * It takes part again, with counters of zero, after these, and learns that by
 * @recovered.
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
	node->bus->stale = true;
}
EXPORT_SYMBOL_GPL(can_sim_node_recover_after);

/**
 * can_sim_node_recover() - a chip that is bus off begins to recover
 * @node: switched on
 *
 * As can_sim_node_recover_after(), with the 128 sequences of the standard.
 *
 * Context: the bus's lock.
 */
void can_sim_node_recover(struct can_sim_node *node)
{
	can_sim_node_recover_after(node, RECOVERY_SEQUENCES);
}
EXPORT_SYMBOL_GPL(can_sim_node_recover);

/**
 * can_sim_node_wake_at() - have @woken called
 * @node: there is one such time for each node, the last one set
 * @time: ns on the bus's clock, or CAN_SIM_NEVER
 *
 * Context: the bus's lock.
 */
void can_sim_node_wake_at(struct can_sim_node *node, u64 time)
{
	node->wake = time;
	node->bus->stale = true;
}
EXPORT_SYMBOL_GPL(can_sim_node_wake_at);

/* For whoever owns the bus */

/**
 * can_sim_bus_init() - make a bus
 * @bus: memory for it
 * @clock: tells the time in ns, or NULL for CLOCK_MONOTONIC. With a clock of the
 *	caller's there is no timer: the bus moves only when it is looked at.
 *
 * Context: process.
 */
void can_sim_bus_init(struct can_sim_bus *bus,
		      u64 (*clock)(struct can_sim_bus *bus))
{
	memset(bus, 0, sizeof(*bus));
	raw_spin_lock_init(&bus->lock);
	INIT_LIST_HEAD(&bus->nodes);
	hrtimer_init(&bus->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	bus->timer.function = bus_timer;
	bus->clock = clock ?: monotonic_clock;
	bus->dead = !!clock;
	bus->armed = CAN_SIM_NEVER;
	bus->next = CAN_SIM_NEVER;
	bus->phase_end = CAN_SIM_NEVER;
	bus->inject.bit = -1;
	prandom_seed_state(&bus->inject.rnd, 0);
}
EXPORT_SYMBOL_GPL(can_sim_bus_init);

/**
 * can_sim_bus_add() - put a node on a bus
 * @bus: any
 * @node: switched off
 *
 * Context: process.
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
 * can_sim_bus_del() - take a node off its bus
 * @node: whose registers nobody uses any more
 *
 * Context: process.
 */
void can_sim_bus_del(struct can_sim_node *node)
{
	struct can_sim_bus *bus = node->bus;
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	can_sim_bus_run(bus);
	can_sim_node_off(node);
	list_del(&node->list);
	run_until(bus, bus->now);
	arm(bus);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
	node->bus = NULL;
}
EXPORT_SYMBOL_GPL(can_sim_bus_del);

/**
 * can_sim_bus_stop() - the bus moves no more by itself
 * @bus: without nodes
 *
 * Context: process; waits for the timer.
 */
void can_sim_bus_stop(struct can_sim_bus *bus)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	bus->dead = true;
	raw_spin_unlock_irqrestore(&bus->lock, flags);
	hrtimer_cancel(&bus->timer);
}
EXPORT_SYMBOL_GPL(can_sim_bus_stop);
