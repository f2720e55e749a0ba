// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of the SJA1000 in PeliCAN mode.
 *
 * A driver calls can_sim_sja1000_read() and _write() in any context but NMI;
 * the bus calls the operations of the node, often in hardirq context. The lock
 * of the bus is held and protects the whole struct can_sim_sja1000. Each
 * function that may change a pending interrupt ends with
 * sja_update_interrupt(), which sets the interrupt line.
 *
 * Sections are those of the data sheet of 4 January 2000.
 */
#include <kunit/visibility.h>
#include <linux/bitfield.h>
#include <linux/can.h>
#include <linux/kernel.h>
#include <linux/unaligned.h>

#include "sja1000-model.h"

/* Value of TXERR at bus off, from which it counts 128 sequences down (6.4.12) */
#define BUS_OFF_TXERR 127

/* Value that a driver writes to TXERR to force bus off (6.4.12) */
#define FORCE_BUS_OFF 0xff
#define BUS_OFF_COUNT 256

static struct can_sim_sja1000 *to_sja1000(struct can_sim_node *node)
{
	return container_of(node, struct can_sim_sja1000, chip.node);
}

static bool sja_in_reset(const struct can_sim_sja1000 *sja)
{
	return sja->mod & SJA_MOD_RM;
}

static bool sja_asleep(const struct can_sim_sja1000 *sja)
{
	return sja->mod & SJA_MOD_SM;
}

/* Interrupts (6.4.6, 6.4.7) */

/* RI is the state of the FIFO, the others are events. */
static u8 sja_pending_interrupts(const struct can_sim_sja1000 *sja)
{
	return sja->ir | (sja->rmc ? sja->ier & SJA_IR_RI : 0);
}

/* Disabling an interrupt in IER releases the line. The data sheet says so of RI
 * only, but drivers rely on it: their handlers ignore IR when IER is 0, and
 * would be called forever otherwise.
 */
static void sja_update_interrupt(struct can_sim_sja1000 *sja)
{
	bool active = sja_pending_interrupts(sja) & sja->ier;

	if (active == sja->interrupting)
		return;
	sja->interrupting = active;
	sja->interrupt(sja, active);
}

/* An event is lost if its interrupt is not enabled. */
static void sja_raise(struct can_sim_sja1000 *sja, u8 interrupt)
{
	if (!sja_in_reset(sja))
		sja->ir |= sja->ier & interrupt;
}

static u8 sja_read_interrupts(struct can_sim_sja1000 *sja)
{
	u8 interrupts = sja_pending_interrupts(sja);

	sja->ir = 0;
	sja_update_interrupt(sja);
	return interrupts;
}

/* On the bus, and off */

static void sja_update_timing(struct can_sim_sja1000 *sja)
{
	struct can_sim_timing *timing = &sja->chip.node.timing;

	timing->clock = sja->crystal / 2;
	timing->brp = FIELD_GET(SJA_BTR0_BRP, sja->btr0) + 1;
	timing->sjw = FIELD_GET(SJA_BTR0_SJW, sja->btr0) + 1;
	timing->seg1 = FIELD_GET(SJA_BTR1_TSEG1, sja->btr1) + 1;
	timing->seg2 = FIELD_GET(SJA_BTR1_TSEG2, sja->btr1) + 1;
}

/* Switch the node on, in the mode of the mode register. */
static void sja_join(struct can_sim_sja1000 *sja)
{
	struct can_sim_node *node = &sja->chip.node;

	can_sim_node_off(node);
	node->mode = 0;
	if (sja->mod & (SJA_MOD_LOM | SJA_MOD_SM))
		node->mode |= CAN_SIM_LISTEN_ONLY;
	if (sja->mod & SJA_MOD_STM)
		node->mode |= CAN_SIM_NO_ACK_NEEDED;
	can_sim_node_on(node);
	if (sja->pending)
		can_sim_node_request(node);
}

/* A frame, intermission, or the wait for eleven recessive bits */
static bool sja_bus_is_busy(const struct can_sim_sja1000 *sja)
{
	const struct can_sim_node *node = &sja->chip.node;
	const struct can_sim_bus *bus = node->bus;

	return bus->phase != CAN_SIM_IDLE || bus->now < bus->idle ||
	       bus->now < node->since;
}

/* The part of a reset that is common to software and hardware (6.4.2). The FIFO
 * becomes empty at its present address.
 */
static void sja_enter_reset(struct can_sim_sja1000 *sja)
{
	struct can_sim_node *node = &sja->chip.node;

	if (node->recoveries)
		sja->countdown = can_sim_node_recoveries(node) - 1;
	can_sim_node_off(node);
	sja->mod = (sja->mod & ~SJA_MOD_SM) | SJA_MOD_RM;
	sja->status = (sja->status & ~SJA_SR_DOS) | SJA_SR_TBS;
	sja->ir &= SJA_IR_EI;
	sja->pending = false;
	sja->used = 0;
	sja->rmc = 0;
}

/* Error counters (6.4.10 to 6.4.12) */

static void sja_set_error_status(struct can_sim_sja1000 *sja, u8 status)
{
	u8 all = SJA_SR_BS | SJA_SR_ES;

	if ((sja->status & all) == status)
		return;
	sja->status = (sja->status & ~all) | status;
	sja_raise(sja, SJA_IR_EI);
}

/* Not called while the node is bus off */
static void sja_update_error_status(struct can_sim_sja1000 *sja)
{
	const struct can_sim_node *node = &sja->chip.node;
	bool passive = node->state == CAN_SIM_PASSIVE;
	bool warning = node->tec >= sja->ewlr || node->rec >= sja->ewlr;

	sja_set_error_status(sja, warning ? SJA_SR_ES : 0);
	if (passive == sja->passive)
		return;
	sja->passive = passive;
	sja_raise(sja, SJA_IR_EPI);
}

static void sja_go_bus_off(struct can_sim_sja1000 *sja)
{
	sja_set_error_status(sja, SJA_SR_BS | SJA_SR_ES);
	sja_enter_reset(sja);
	sja->passive = false;
	sja->countdown = BUS_OFF_TXERR;
}

static u8 sja_read_txerr(const struct can_sim_sja1000 *sja)
{
	const struct can_sim_node *node = &sja->chip.node;

	if (node->state != CAN_SIM_BUS_OFF)
		return node->tec;
	if (sja_in_reset(sja))
		return sja->countdown;
	return can_sim_node_recoveries(node) - 1;
}

static u8 sja_read_rxerr(const struct can_sim_sja1000 *sja)
{
	const struct can_sim_node *node = &sja->chip.node;

	return node->state == CAN_SIM_BUS_OFF ? 0 : node->rec;
}

static void sja_write_txerr(struct can_sim_sja1000 *sja, u8 value)
{
	struct can_sim_node *node = &sja->chip.node;

	sja->force_off = value == FORCE_BUS_OFF;
	if (node->state == CAN_SIM_BUS_OFF && sja->force_off) {
		sja->countdown = value;
		return;
	}
	if (node->state == CAN_SIM_BUS_OFF)
		can_sim_node_reset(node);
	can_sim_node_set_counters(node, value, node->rec);
}

static void sja_write_rxerr(struct can_sim_sja1000 *sja, u8 value)
{
	struct can_sim_node *node = &sja->chip.node;

	if (node->state != CAN_SIM_BUS_OFF)
		can_sim_node_set_counters(node, node->tec, value);
}

/* Mode register (6.4.3) */

/* Counters written in reset mode take effect now. */
static void sja_leave_reset(struct can_sim_sja1000 *sja)
{
	struct can_sim_node *node = &sja->chip.node;

	sja->mod &= ~SJA_MOD_RM;
	if (sja->force_off) {
		sja->force_off = false;
		can_sim_node_reset(node);
		can_sim_node_set_counters(node, BUS_OFF_COUNT, 0);
		return;
	}
	sja_join(sja);
	if (node->state == CAN_SIM_BUS_OFF)
		can_sim_node_recover_after(node, sja->countdown + 1);
	else
		sja_update_error_status(sja);
}

/* In sleep mode the node only listens: the first frame or error wakes it and is
 * not received. The real chip wakes at the begin of the frame, the model at its
 * end.
 */
static void sja_begin_sleep(struct can_sim_sja1000 *sja)
{
	if (sja_bus_is_busy(sja) || sja->pending || sja->interrupting ||
	    sja->chip.node.state == CAN_SIM_BUS_OFF) {
		sja_raise(sja, SJA_IR_WUI);
		return;
	}
	sja->mod |= SJA_MOD_SM;
	sja_join(sja);
}

static void sja_end_sleep(struct can_sim_sja1000 *sja)
{
	sja->mod &= ~SJA_MOD_SM;
	sja_join(sja);
	sja_raise(sja, SJA_IR_WUI);
}

static void sja_write_mode(struct can_sim_sja1000 *sja, u8 value)
{
	if (sja_in_reset(sja)) {
		sja->mod = SJA_MOD_RM | (value & (SJA_MOD_AFM | SJA_MOD_STM |
						  SJA_MOD_LOM));
		if (!(value & SJA_MOD_RM) && sja->cdr & SJA_CDR_PELICAN)
			sja_leave_reset(sja);
	} else if (value & SJA_MOD_RM) {
		sja_enter_reset(sja);
	} else if (value & SJA_MOD_SM && !sja_asleep(sja)) {
		sja_begin_sleep(sja);
	} else if (!(value & SJA_MOD_SM) && sja_asleep(sja)) {
		sja_end_sleep(sja);
	}
}

/* Status register (6.4.5) */

static u8 sja_transfer_status(const struct can_sim_sja1000 *sja)
{
	const struct can_sim_node *node = &sja->chip.node;

	if (sja_in_reset(sja) || node->state == CAN_SIM_BUS_OFF)
		return SJA_SR_TS | SJA_SR_RS;
	if (node->role == CAN_SIM_RECEIVER)
		return SJA_SR_RS;
	if (node->role != CAN_SIM_ABSENT)
		return SJA_SR_TS;
	if (node->bus->phase != CAN_SIM_IDLE || node->bus->now < node->since)
		return SJA_SR_TS | SJA_SR_RS;
	return 0;
}

static u8 sja_read_status(const struct can_sim_sja1000 *sja)
{
	return sja->status | sja_transfer_status(sja) |
	       (sja->rmc ? SJA_SR_RBS : 0);
}

/* Receive FIFO (6.4.14, 6.4.16, 6.4.17) */

static u8 *sja_fifo_byte(struct can_sim_sja1000 *sja, unsigned int offset)
{
	return &sja->ram[(sja->rbsa + offset) % SJA_FIFO_BYTES];
}

static unsigned int sja_fill_header(u8 *bytes,
				    const struct can_sim_frame *frame)
{
	bool rtr = frame->id & CAN_RTR_FLAG;
	u8 info = FIELD_PREP(SJA_FI_DLC, frame->dlc) | (rtr ? SJA_FI_RTR : 0);

	if (frame->id & CAN_EFF_FLAG) {
		bytes[0] = info | SJA_FI_FF;
		put_unaligned_be32(FIELD_PREP(SJA_EFF_ID,
					      frame->id & CAN_EFF_MASK) |
				   (rtr ? SJA_EFF_RTR : 0), bytes + 1);
		return SJA_EFF_HEADER;
	}
	bytes[0] = info;
	put_unaligned_be16(FIELD_PREP(SJA_SFF_ID, frame->id & CAN_SFF_MASK) |
			   (rtr ? SJA_SFF_RTR : 0), bytes + 1);
	return SJA_SFF_HEADER;
}

/* Write a frame to the free part of the FIFO, for sja_fifo_keep().
 *
 * Return: its bytes, or 0 if there is no room.
 */
static unsigned int sja_fifo_write(struct can_sim_sja1000 *sja,
				   const struct can_sim_frame *frame)
{
	unsigned int len = can_sim_frame_len(frame), bytes, i;
	u8 buffer[SJA_BUFFER_BYTES];

	bytes = sja_fill_header(buffer, frame);
	memcpy(buffer + bytes, frame->data, len);
	bytes += len;
	if (sja->used + bytes > SJA_FIFO_BYTES)
		return 0;
	for (i = 0; i < bytes; i++)
		*sja_fifo_byte(sja, sja->used + i) = buffer[i];
	return bytes;
}

static void sja_overrun(struct can_sim_sja1000 *sja)
{
	sja->chip.node.stats.overruns++;
	if (sja->status & SJA_SR_DOS)
		return;
	sja->status |= SJA_SR_DOS;
	sja_raise(sja, SJA_IR_DOI);
}

static void sja_fifo_keep(struct can_sim_sja1000 *sja, unsigned int bytes)
{
	struct can_sim_node_stats *stats = &sja->chip.node.stats;

	if (!bytes) {
		sja_overrun(sja);
		return;
	}
	sja->used += bytes;
	sja->rmc++;
	if (sja->used > stats->high)
		stats->high = sja->used;
}

static unsigned int sja_message_len(u8 info)
{
	unsigned int header = info & SJA_FI_FF ? SJA_EFF_HEADER :
						 SJA_SFF_HEADER;

	if (info & SJA_FI_RTR)
		return header;
	return header + min_t(unsigned int, FIELD_GET(SJA_FI_DLC, info), 8);
}

static void sja_release_message(struct can_sim_sja1000 *sja)
{
	unsigned int bytes;

	if (!sja->rmc)
		return;
	bytes = sja_message_len(*sja_fifo_byte(sja, 0));
	sja->rbsa = (sja->rbsa + bytes) % SJA_FIFO_BYTES;
	sja->used -= bytes;
	sja->rmc--;
}

/* Acceptance filter (6.4.15): each variant compares a frame with the four bytes
 * of the acceptance code as a number. Data bytes that a frame does not have
 * match.
 */

static bool sja_matches(const struct can_sim_sja1000 *sja, u32 frame,
			u32 relevant)
{
	u32 code = get_unaligned_be32(sja->filter);
	u32 mask = get_unaligned_be32(sja->filter + (SJA_AMR - SJA_ACR));

	return !((frame ^ code) & ~mask & relevant);
}

static bool sja_accepts_extended(const struct can_sim_sja1000 *sja,
				 const struct can_sim_frame *frame)
{
	u32 id = frame->id & CAN_EFF_MASK;
	u32 rtr = frame->id & CAN_RTR_FLAG ? SJA_EFF_RTR : 0;
	u32 upper = id >> 13;

	if (sja->mod & SJA_MOD_AFM)
		return sja_matches(sja, FIELD_PREP(SJA_EFF_ID, id) | rtr,
				   SJA_EFF_ID | SJA_EFF_RTR);
	return sja_matches(sja, upper << 16, GENMASK(31, 16)) ||
	       sja_matches(sja, upper, GENMASK(15, 0));
}

/* In dual mode, the upper four bits of data of the first filter are next to the
 * RTR bit and the lower ones at the end of the second filter.
 */
static bool sja_accepts_standard(const struct can_sim_sja1000 *sja,
				 const struct can_sim_frame *frame)
{
	u32 head = FIELD_PREP(SJA_SFF_ID, frame->id & CAN_SFF_MASK) |
		   (frame->id & CAN_RTR_FLAG ? SJA_SFF_RTR : 0);
	unsigned int len = can_sim_frame_len(frame);
	u32 relevant = (SJA_SFF_ID | SJA_SFF_RTR) << 16;
	u8 data = frame->data[0];

	if (sja->mod & SJA_MOD_AFM) {
		relevant |= len > 0 ? GENMASK(15, 8) : 0;
		relevant |= len > 1 ? GENMASK(7, 0) : 0;
		return sja_matches(sja, head << 16 | data << 8 | frame->data[1],
				   relevant);
	}
	relevant |= len > 0 ? GENMASK(19, 16) | GENMASK(3, 0) : 0;
	return sja_matches(sja, (head | data >> 4) << 16 | (data & 0xf),
			   relevant) ||
	       sja_matches(sja, head, SJA_SFF_ID | SJA_SFF_RTR);
}

static bool sja_accepts(const struct can_sim_sja1000 *sja,
			const struct can_sim_frame *frame)
{
	return frame->id & CAN_EFF_FLAG ? sja_accepts_extended(sja, frame) :
					  sja_accepts_standard(sja, frame);
}

/* Transmit buffer and command register (6.4.13, 6.4.4) */

static void sja_release_tx_buffer(struct can_sim_sja1000 *sja, u8 complete)
{
	sja->pending = false;
	sja->status |= SJA_SR_TBS | complete;
	sja_raise(sja, SJA_IR_TI);
}

/* A failed attempt ends the transmission in single-shot mode or after an abort. */
static void sja_attempt_failed(struct can_sim_sja1000 *sja)
{
	if (sja->pending && sja->once)
		sja_release_tx_buffer(sja, 0);
}

static void sja_request_transmission(struct can_sim_sja1000 *sja, u8 command)
{
	sja->pending = true;
	sja->once = command & SJA_CMR_AT;
	sja->self = !(command & SJA_CMR_TR);
	sja->status &= ~(SJA_SR_TBS | SJA_SR_TCS);
	can_sim_node_request(&sja->chip.node);
}

/* A frame that is on the bus is not stopped, but it is not sent again. */
static void sja_abort_transmission(struct can_sim_sja1000 *sja)
{
	enum can_sim_role role = sja->chip.node.role;

	sja->once = true;
	if (role != CAN_SIM_TRANSMITTER && role != CAN_SIM_LOSER)
		sja_attempt_failed(sja);
}

static void sja_write_command(struct can_sim_sja1000 *sja, u8 value)
{
	if (sja_in_reset(sja))
		return;
	if (value & SJA_CMR_CDO)
		sja->status &= ~SJA_SR_DOS;
	if (value & SJA_CMR_RRB)
		sja_release_message(sja);
	if (value & (SJA_CMR_TR | SJA_CMR_SRR) && !sja->pending)
		sja_request_transmission(sja, value);
	else if (value & SJA_CMR_AT)
		sja_abort_transmission(sja);
}

/* Operations of the node */

static bool sja_load(struct can_sim_node *node, struct can_sim_frame *frame)
{
	struct can_sim_sja1000 *sja = to_sja1000(node);
	const u8 *buffer = sja->ram + SJA_RAM_TX;
	u8 info = buffer[0];

	if (!sja->pending)
		return false;
	frame->dlc = FIELD_GET(SJA_FI_DLC, info);
	frame->id = info & SJA_FI_RTR ? CAN_RTR_FLAG : 0;
	if (info & SJA_FI_FF) {
		u32 id = get_unaligned_be32(buffer + 1);

		frame->id |= CAN_EFF_FLAG | FIELD_GET(SJA_EFF_ID, id);
		memcpy(frame->data, buffer + SJA_EFF_HEADER, 8);
	} else {
		u16 id = get_unaligned_be16(buffer + 1);

		frame->id |= FIELD_GET(SJA_SFF_ID, id);
		memcpy(frame->data, buffer + SJA_SFF_HEADER, 8);
	}
	return true;
}

/* A frame that is sent is also written to the FIFO, but only kept for self
 * reception (6.4.2, note 5).
 */
static void sja_sent(struct can_sim_node *node)
{
	struct can_sim_sja1000 *sja = to_sja1000(node);
	unsigned int bytes = sja_fifo_write(sja, &node->frame);

	if (sja->self && sja_accepts(sja, &node->frame))
		sja_fifo_keep(sja, bytes);
	sja_release_tx_buffer(sja, SJA_SR_TCS);
	sja_update_interrupt(sja);
}

static void sja_received(struct can_sim_node *node,
			 const struct can_sim_frame *frame)
{
	struct can_sim_sja1000 *sja = to_sja1000(node);

	if (sja_asleep(sja))
		sja_end_sleep(sja);
	else if (sja_accepts(sja, frame))
		sja_fifo_keep(sja, sja_fifo_write(sja, frame));
	sja_update_interrupt(sja);
}

/* ALC keeps its value until it is read; later losses do not interrupt (6.4.8). */
static void sja_lost(struct can_sim_node *node, unsigned int bit)
{
	struct can_sim_sja1000 *sja = to_sja1000(node);

	if (!sja->alc_fixed) {
		sja->alc_fixed = true;
		sja->alc = FIELD_PREP(SJA_ALC_BIT, bit);
		sja_raise(sja, SJA_IR_ALI);
	}
	sja_attempt_failed(sja);
	sja_update_interrupt(sja);
}

static u8 sja_error_type(enum can_sim_error_type type)
{
	switch (type) {
	case CAN_SIM_BIT_ERROR:
		return SJA_ECC_BIT_ERROR;
	case CAN_SIM_FORM_ERROR:
		return SJA_ECC_FORM_ERROR;
	case CAN_SIM_STUFF_ERROR:
		return SJA_ECC_STUFF_ERROR;
	default:
		return SJA_ECC_OTHER_ERROR;
	}
}

/* ECC keeps its value until it is read (6.4.9). */
static void sja_capture_error(struct can_sim_sja1000 *sja,
			      const struct can_sim_error *error)
{
	if (sja->ecc_fixed)
		return;
	sja->ecc_fixed = true;
	sja->ecc = FIELD_PREP(SJA_ECC_TYPE, sja_error_type(error->type)) |
		   FIELD_PREP(SJA_ECC_SEGMENT, error->segment);
	if (!error->transmitting)
		sja->ecc |= SJA_ECC_RECEIVING;
	sja_raise(sja, SJA_IR_BEI);
}

static void sja_error(struct can_sim_node *node,
		      const struct can_sim_error *error)
{
	struct can_sim_sja1000 *sja = to_sja1000(node);

	if (sja_asleep(sja)) {
		sja_end_sleep(sja);
	} else {
		sja_capture_error(sja, error);
		if (error->transmitting)
			sja_attempt_failed(sja);
	}
	sja_update_interrupt(sja);
}

/* In reset mode, the driver writes the counters. */
static void sja_counted(struct can_sim_node *node)
{
	struct can_sim_sja1000 *sja = to_sja1000(node);

	if (sja_in_reset(sja))
		return;
	if (node->state == CAN_SIM_BUS_OFF)
		sja_go_bus_off(sja);
	else
		sja_update_error_status(sja);
	sja_update_interrupt(sja);
}

static void sja_recovered(struct can_sim_node *node)
{
	struct can_sim_sja1000 *sja = to_sja1000(node);

	sja_update_error_status(sja);
	sja_update_interrupt(sja);
}

static const struct can_sim_node_ops sja1000_ops = {
	.load = sja_load,
	.sent = sja_sent,
	.lost = sja_lost,
	.received = sja_received,
	.error = sja_error,
	.counted = sja_counted,
	.recovered = sja_recovered,
};

/* Accesses of the driver */

static u8 sja_read_alc(struct can_sim_sja1000 *sja)
{
	sja->alc_fixed = false;
	return sja->alc;
}

static u8 sja_read_ecc(struct can_sim_sja1000 *sja)
{
	sja->ecc_fixed = false;
	return sja->ecc;
}

static u8 sja_read_buffer(struct can_sim_sja1000 *sja, unsigned int offset)
{
	if (!sja_in_reset(sja))
		return *sja_fifo_byte(sja, offset);
	return offset < SJA_FILTER_BYTES ? sja->filter[offset] : 0;
}

/* Registers that are stored, or read without effect */
static u8 sja_read_plain(const struct can_sim_sja1000 *sja, unsigned int reg)
{
	switch (reg) {
	case SJA_MOD:
		return sja->mod;
	case SJA_IER:
		return sja->ier;
	case SJA_BTR0:
		return sja->btr0;
	case SJA_BTR1:
		return sja->btr1;
	case SJA_OCR:
		return sja->ocr;
	case SJA_EWLR:
		return sja->ewlr;
	case SJA_RMC:
		return sja->rmc;
	case SJA_RBSA:
		return sja->rbsa;
	case SJA_CDR:
		return sja->cdr;
	case SJA_RAM ... SJA_RAM + SJA_RAM_BYTES - 1:
		return sja->ram[reg - SJA_RAM];
	default:
		return 0;
	}
}

/**
 * can_sim_sja1000_read() - read a register (6.4.1)
 * @sja: the chip
 * @reg: CAN address. Missing registers and the command register read as 0.
 *
 * Reading IR, ALC and ECC has an effect.
 *
 * Context: the bus's lock.
 * Return: its value.
 */
u8 can_sim_sja1000_read(struct can_sim_sja1000 *sja, unsigned int reg)
{
	switch (reg) {
	case SJA_SR:
		return sja_read_status(sja);
	case SJA_IR:
		return sja_read_interrupts(sja);
	case SJA_ALC:
		return sja_read_alc(sja);
	case SJA_ECC:
		return sja_read_ecc(sja);
	case SJA_RXERR:
		return sja_read_rxerr(sja);
	case SJA_TXERR:
		return sja_read_txerr(sja);
	case SJA_BUFFER ... SJA_BUFFER + SJA_BUFFER_BYTES - 1:
		return sja_read_buffer(sja, reg - SJA_BUFFER);
	default:
		return sja_read_plain(sja, reg);
	}
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_sja1000_read);

static void sja_write_cdr(struct can_sim_sja1000 *sja, u8 value)
{
	u8 mask = SJA_CDR_CD;

	if (sja_in_reset(sja))
		mask |= SJA_CDR_PELICAN | SJA_CDR_CBP | SJA_CDR_RXINTEN |
			SJA_CDR_CLOCK_OFF;
	sja->cdr = (sja->cdr & ~mask) | (value & mask);
}

/* Writes to a locked buffer are lost (6.4.5, note 5). */
static void sja_write_buffer(struct can_sim_sja1000 *sja, unsigned int offset,
			     u8 value)
{
	if (!sja_in_reset(sja)) {
		if (sja->status & SJA_SR_TBS)
			sja->ram[SJA_RAM_TX + offset] = value;
	} else if (offset < SJA_FILTER_BYTES) {
		sja->filter[offset] = value;
	}
}

/* Registers that are writable in reset mode only */
static void sja_configure(struct can_sim_sja1000 *sja, unsigned int reg,
			  u8 value)
{
	switch (reg) {
	case SJA_BTR0:
		sja->btr0 = value;
		sja_update_timing(sja);
		break;
	case SJA_BTR1:
		sja->btr1 = value;
		sja_update_timing(sja);
		break;
	case SJA_OCR:
		sja->ocr = value;
		break;
	case SJA_EWLR:
		sja->ewlr = value;
		break;
	case SJA_RXERR:
		sja_write_rxerr(sja, value);
		break;
	case SJA_TXERR:
		sja_write_txerr(sja, value);
		break;
	case SJA_RBSA:
		sja->rbsa = FIELD_GET(SJA_RBSA_ADDRESS, value);
		break;
	case SJA_RAM ... SJA_RAM + SJA_RAM_BYTES - 1:
		sja->ram[reg - SJA_RAM] = value;
		break;
	}
}

/**
 * can_sim_sja1000_write() - write a register (6.4.1)
 * @sja: the chip
 * @reg: CAN address
 * @value: ignored if the register is not writable in the present mode
 *
 * Context: the bus's lock.
 */
void can_sim_sja1000_write(struct can_sim_sja1000 *sja, unsigned int reg,
			   u8 value)
{
	switch (reg) {
	case SJA_MOD:
		sja_write_mode(sja, value);
		break;
	case SJA_CMR:
		sja_write_command(sja, value);
		break;
	case SJA_IER:
		sja->ier = value;
		break;
	case SJA_BUFFER ... SJA_BUFFER + SJA_BUFFER_BYTES - 1:
		sja_write_buffer(sja, reg - SJA_BUFFER, value);
		return;
	case SJA_CDR:
		sja_write_cdr(sja, value);
		break;
	default:
		if (sja_in_reset(sja))
			sja_configure(sja, reg, value);
	}
	sja_update_interrupt(sja);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_sja1000_write);

/**
 * can_sim_sja1000_reset() - reset a chip by its pin (6.4.2)
 * @sja: the chip, on a bus
 *
 * Registers that are undefined by the data sheet keep their values.
 *
 * Context: the bus's lock.
 */
void can_sim_sja1000_reset(struct can_sim_sja1000 *sja)
{
	sja_enter_reset(sja);
	can_sim_node_reset(&sja->chip.node);
	sja_update_timing(sja);
	sja->mod = SJA_MOD_RM;
	sja->status = SJA_SR_TBS | SJA_SR_TCS;
	sja->ir = 0;
	sja->cdr = 0;
	sja->alc = 0;
	sja->ecc = 0;
	sja->alc_fixed = false;
	sja->ecc_fixed = false;
	sja->ewlr = SJA_EWLR_DEFAULT;
	sja->rbsa = 0;
	sja->passive = false;
	sja->force_off = false;
	sja_update_interrupt(sja);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_sja1000_reset);

/**
 * can_sim_sja1000_init() - initialise a chip
 * @sja: zeroed; needs can_sim_sja1000_reset() when it is on a bus
 * @interrupt: see struct can_sim_sja1000
 *
 * Context: Process context.
 */
void can_sim_sja1000_init(struct can_sim_sja1000 *sja,
			  void (*interrupt)(struct can_sim_sja1000 *sja,
					    bool active))
{
	sja->chip.node.ops = &sja1000_ops;
	sja->crystal = SJA_CRYSTAL_HZ;
	sja->interrupt = interrupt;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_sja1000_init);
