// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of the MSCAN of MPC5200 and MPC5121.
 *
 * A driver calls can_sim_mscan_read() and _write() in any context but NMI; the
 * bus calls the operations of the node, often in hardirq context. The lock of
 * the bus is held and protects the whole struct can_sim_mscan. Each function
 * that may change a flag or its enable bit ends with msc_update_interrupt(),
 * which sets the interrupt line.
 *
 * Handshakes (INITAK, SLPAK) complete with the access that requests them unless
 * they wait for the bus; real ones take some cycles longer.
 *
 * For sections see mscan-model.h.
 */
#include <kunit/visibility.h>
#include <linux/bitfield.h>
#include <linux/can.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "mscan-model.h"

/* Error counters above these are a warning, and an error (3.2.5). */
#define WARNING_ABOVE 96
#define ERROR_ABOVE 127

#define MOST_TXERR 255

static struct can_sim_mscan *to_mscan(struct can_sim_node *node)
{
	return container_of(node, struct can_sim_mscan, chip.node);
}

static bool msc_initialising(const struct can_sim_mscan *mscan)
{
	return mscan->ctl1 & MSC_CTL1_INITAK;
}

static bool msc_asleep(const struct can_sim_mscan *mscan)
{
	return mscan->ctl1 & MSC_CTL1_SLPAK;
}

/* Interrupts (4.7) */

static void msc_update_interrupt(struct can_sim_mscan *mscan)
{
	bool active = (mscan->rflg & mscan->rier & MSC_RFLG_FLAGS) ||
		      (mscan->tflg & mscan->tier);

	if (active == mscan->interrupting)
		return;
	mscan->interrupting = active;
	mscan->interrupt(mscan, active);
}

/* Status (3.2.5, 3.2.6) */

static unsigned int msc_status(unsigned int counter)
{
	if (counter > ERROR_ABOVE)
		return MSC_STATUS_ERROR;
	if (counter > WARNING_ABOVE)
		return MSC_STATUS_WARNING;
	return MSC_STATUS_OK;
}

/* Changes that set CSCIF: 1 selects those from and to bus off, 2 also those
 * from and to error, 3 all.
 */
static bool msc_change_selected(unsigned int old, unsigned int new,
				unsigned int selection)
{
	return old != new && max(old, new) + selection > MSC_STATUS_BUS_OFF;
}

/* The status does not change while CSCIF is set. */
static void msc_update_status(struct can_sim_mscan *mscan)
{
	const struct can_sim_node *node = &mscan->chip.node;
	bool bus_off = node->state == CAN_SIM_BUS_OFF || mscan->held;
	unsigned int rx = bus_off ? MSC_STATUS_BUS_OFF : msc_status(node->rec);
	unsigned int tx = bus_off ? MSC_STATUS_BUS_OFF : msc_status(node->tec);
	u8 old = mscan->rflg;

	if (mscan->rflg & MSC_RFLG_CSCIF)
		return;
	mscan->rflg &= ~MSC_RFLG_STATUS;
	mscan->rflg |= FIELD_PREP(MSC_RFLG_RSTAT, rx) |
		       FIELD_PREP(MSC_RFLG_TSTAT, tx);
	if (msc_change_selected(FIELD_GET(MSC_RFLG_RSTAT, old), rx,
				FIELD_GET(MSC_RFLG_RSTAT, mscan->rier)) ||
	    msc_change_selected(FIELD_GET(MSC_RFLG_TSTAT, old), tx,
				FIELD_GET(MSC_RFLG_TSTAT, mscan->rier)))
		mscan->rflg |= MSC_RFLG_CSCIF;
}

/* Frames in buffers (3.3) */

static void msc_get_frame(const u8 *buffer, struct can_sim_frame *frame)
{
	u32 idr = get_unaligned_be32(buffer + MSC_IDR);
	bool rtr;

	if (idr & MSC_IDR_IDE) {
		frame->id = FIELD_GET(MSC_IDR_EFF_ID28_18, idr) << 18 |
			    FIELD_GET(MSC_IDR_EFF_ID17_0, idr) | CAN_EFF_FLAG;
		rtr = idr & MSC_IDR_EFF_RTR;
	} else {
		frame->id = FIELD_GET(MSC_IDR_SFF_ID, idr);
		rtr = idr & MSC_IDR_SFF_RTR;
	}
	if (rtr)
		frame->id |= CAN_RTR_FLAG;
	frame->dlc = FIELD_GET(MSC_DLR_DLC, buffer[MSC_DLR]);
	memcpy(frame->data, buffer + MSC_DSR, sizeof(frame->data));
}

/* Bits that a standard frame does not have are zero. */
static u32 msc_frame_idr(const struct can_sim_frame *frame)
{
	bool rtr = frame->id & CAN_RTR_FLAG;
	u32 id = frame->id & CAN_EFF_MASK;

	if (frame->id & CAN_EFF_FLAG)
		return FIELD_PREP(MSC_IDR_EFF_ID28_18, id >> 18) |
		       MSC_IDR_SRR | MSC_IDR_IDE |
		       FIELD_PREP(MSC_IDR_EFF_ID17_0, id & GENMASK(17, 0)) |
		       FIELD_PREP(MSC_IDR_EFF_RTR, rtr);
	return FIELD_PREP(MSC_IDR_SFF_ID, id) |
	       FIELD_PREP(MSC_IDR_SFF_RTR, rtr);
}

static void msc_put_frame(u8 *buffer, u32 idr,
			  const struct can_sim_frame *frame)
{
	unsigned int len = can_sim_frame_len(frame);

	put_unaligned_be32(idr, buffer + MSC_IDR);
	memcpy(buffer + MSC_DSR, frame->data, len);
	memset(buffer + MSC_DSR + len, 0, sizeof(frame->data) - len);
	buffer[MSC_DLR] = frame->dlc;
}

/* Acceptance filters (4.3)
 *
 * A standard frame has IDR0 and IDR1 only. Filters of 32 and 16 bits include
 * three bits of IDR1 that it does not use; the driver has to set them in the
 * mask.
 */

/* Return: number of the first filter that accepts a frame, or -1. */
static int msc_filter_hit(const struct can_sim_mscan *mscan, u32 idr)
{
	unsigned int mode = FIELD_GET(MSC_IDAC_IDAM, mscan->idac);
	unsigned int i, bytes = 4 >> mode, bits = 8 * bytes;

	if (mode == MSC_IDAM_CLOSED)
		return -1;
	if (!(idr & MSC_IDR_IDE))
		bits = min(bits, 16);
	for (i = 0; i < MSC_FILTER_BYTES; i += bytes) {
		u32 code = get_unaligned_be32(mscan->idar + i);
		u32 mask = get_unaligned_be32(mscan->idmr + i);

		if (!(((idr ^ code) & ~mask) >> (32 - bits)))
			return i / bytes;
	}
	return -1;
}

/* Receive FIFO (4.2.3) */

/* Move the next frame to the foreground buffer. */
static void msc_shift_fifo(struct can_sim_mscan *mscan)
{
	if (!mscan->rx_count || mscan->rflg & MSC_RFLG_RXF || msc_asleep(mscan))
		return;
	mscan->rflg |= MSC_RFLG_RXF;
	mscan->idac &= ~MSC_IDAC_IDHIT;
	mscan->idac |= FIELD_PREP(MSC_IDAC_IDHIT,
				  mscan->rx[mscan->rx_first].hit);
}

static void msc_release_foreground(struct can_sim_mscan *mscan)
{
	mscan->rx_first = (mscan->rx_first + 1) % MSC_RX_BUFFERS;
	mscan->rx_count--;
	msc_shift_fifo(mscan);
}

static void msc_receive(struct can_sim_mscan *mscan,
			const struct can_sim_frame *frame)
{
	struct can_sim_node_stats *stats = &mscan->chip.node.stats;
	u32 idr = msc_frame_idr(frame);
	int hit = msc_filter_hit(mscan, idr);
	struct can_sim_mscan_rx *rx;

	if (hit < 0)
		return;
	if (mscan->rx_count == MSC_RX_BUFFERS) {
		mscan->rflg |= MSC_RFLG_OVRIF;
		stats->overruns++;
		return;
	}
	rx = &mscan->rx[(mscan->rx_first + mscan->rx_count) % MSC_RX_BUFFERS];
	rx->hit = hit;
	msc_put_frame(rx->byte, idr, frame);
	mscan->rx_count++;
	stats->high = max_t(u64, stats->high, mscan->rx_count);
	msc_shift_fifo(mscan);
}

/* Transmission (4.2.2) */

static u8 msc_pending(const struct can_sim_mscan *mscan)
{
	return ~mscan->tflg & MSC_TX_ALL;
}

/* Return: mask of the buffer whose frame is on the bus or being looped back. */
static u8 msc_in_flight(const struct can_sim_mscan *mscan)
{
	enum can_sim_role role = mscan->chip.node.role;

	if (mscan->looping || role == CAN_SIM_TRANSMITTER ||
	    role == CAN_SIM_LOSER)
		return BIT(mscan->sending);
	return 0;
}

/* The lowest local priority is sent first; of equal ones, the lowest buffer. */
static bool msc_choose_buffer(struct can_sim_mscan *mscan)
{
	unsigned int i, best = MSC_TX_BUFFERS;

	for (i = 0; i < MSC_TX_BUFFERS; i++)
		if (msc_pending(mscan) & BIT(i) &&
		    (best == MSC_TX_BUFFERS ||
		     mscan->tx[i][MSC_TBPR] < mscan->tx[best][MSC_TBPR]))
			best = i;
	mscan->sending = best;
	return best < MSC_TX_BUFFERS;
}

/* A looped back frame takes the time of its bits, but is not on the bus (3.2.2). */
static void msc_begin_loopback(struct can_sim_mscan *mscan)
{
	struct can_sim_node *node = &mscan->chip.node;
	struct can_sim_frame frame;
	unsigned int bits;

	if (mscan->looping || !msc_choose_buffer(mscan))
		return;
	mscan->looping = true;
	msc_get_frame(mscan->tx[mscan->sending], &frame);
	bits = can_sim_wire_length(&frame) + CAN_SIM_INTERMISSION_BITS;
	can_sim_node_wake_at(node, node->bus->now +
				   can_sim_timing_ns(&node->timing, bits));
}

static void msc_transmit(struct can_sim_mscan *mscan)
{
	if (!msc_pending(mscan) || msc_initialising(mscan) || msc_asleep(mscan))
		return;
	if (mscan->ctl1 & MSC_CTL1_LOOPB)
		msc_begin_loopback(mscan);
	else if (mscan->chip.node.on)
		can_sim_node_request(&mscan->chip.node);
}

/* A frame that is being sent is not aborted, and none is in sleep mode (3.2.9,
 * 4.5.5).
 */
static void msc_grant_aborts(struct can_sim_mscan *mscan, u8 in_flight)
{
	u8 granted = mscan->tarq & ~in_flight;

	if (msc_asleep(mscan))
		return;
	mscan->tarq &= ~granted;
	mscan->tflg |= granted;
	mscan->taak |= granted;
}

static void msc_buffer_sent(struct can_sim_mscan *mscan)
{
	mscan->tflg |= BIT(mscan->sending);
	mscan->tarq &= ~BIT(mscan->sending);
	msc_transmit(mscan);
}

/* Modes: on the bus, asleep, initialisation (4.4.5, 4.5.5) */

static void msc_set_timing(struct can_sim_mscan *mscan)
{
	struct can_sim_timing *timing = &mscan->chip.node.timing;

	timing->clock = mscan->clock;
	timing->brp = FIELD_GET(MSC_BTR0_BRP, mscan->btr0) + 1;
	timing->sjw = FIELD_GET(MSC_BTR0_SJW, mscan->btr0) + 1;
	timing->seg1 = FIELD_GET(MSC_BTR1_TSEG1, mscan->btr1) + 1;
	timing->seg2 = FIELD_GET(MSC_BTR1_TSEG2, mscan->btr1) + 1;
}

static void msc_join_bus(struct can_sim_mscan *mscan)
{
	struct can_sim_node *node = &mscan->chip.node;

	if (!(mscan->ctl1 & MSC_CTL1_CANE) || msc_initialising(mscan) ||
	    msc_asleep(mscan) || mscan->held)
		return;
	msc_set_timing(mscan);
	node->mode = mscan->ctl1 & MSC_CTL1_LISTEN ? CAN_SIM_LISTEN_ONLY : 0;
	if (!(mscan->ctl1 & MSC_CTL1_LOOPB)) {
		can_sim_node_on(node);
		if (node->state == CAN_SIM_BUS_OFF)
			can_sim_node_recover_after(node, mscan->recoveries);
	}
	msc_transmit(mscan);
}

/* A recovery from bus off continues when the node is switched on again. */
static void msc_leave_bus(struct can_sim_mscan *mscan)
{
	struct can_sim_node *node = &mscan->chip.node;

	if (node->on && node->state == CAN_SIM_BUS_OFF)
		mscan->recoveries = max(1U, can_sim_node_recoveries(node));
	can_sim_node_off(node);
	can_sim_node_wake_at(node, CAN_SIM_NEVER);
	mscan->looping = false;
}

static bool msc_sleep_requested(const struct can_sim_mscan *mscan)
{
	return mscan->ctl0 & MSC_CTL0_SLPRQ && !msc_asleep(mscan);
}

/* Sleep mode waits for an idle bus, that is, until no frame begins at the end
 * of intermission; see msc_woken().
 */
static void msc_schedule_sleep(struct can_sim_mscan *mscan)
{
	struct can_sim_node *node = &mscan->chip.node;
	const struct can_sim_bus *bus = node->bus;

	if (!msc_sleep_requested(mscan) || mscan->looping)
		return;
	if (node->on && bus->idle >= bus->now)
		can_sim_node_wake_at(node, bus->idle + 1);
	else
		can_sim_node_wake_at(node, bus->now);
}

/* With WUPE, the chip only listens to the bus. */
static void msc_try_sleep(struct can_sim_mscan *mscan)
{
	struct can_sim_node *node = &mscan->chip.node;

	if (!msc_sleep_requested(mscan) || msc_pending(mscan) ||
	    node->role != CAN_SIM_ABSENT)
		return;
	msc_leave_bus(mscan);
	mscan->ctl1 |= MSC_CTL1_SLPAK;
	if (mscan->ctl0 & MSC_CTL0_WUPE && !msc_initialising(mscan) &&
	    !(mscan->ctl1 & MSC_CTL1_LOOPB)) {
		node->mode = CAN_SIM_LISTEN_ONLY;
		can_sim_node_on(node);
	}
}

static void msc_end_sleep(struct can_sim_mscan *mscan)
{
	msc_leave_bus(mscan);
	mscan->ctl0 &= ~MSC_CTL0_SLPRQ;
	mscan->ctl1 &= ~MSC_CTL1_SLPAK;
	msc_grant_aborts(mscan, 0);
	msc_shift_fifo(mscan);
	msc_join_bus(mscan);
}

/* The status and the selection of its changes stay. */
static void msc_reset_for_initialisation(struct can_sim_mscan *mscan)
{
	mscan->ctl0 &= MSC_CTL0_WUPE | MSC_CTL0_SLPRQ | MSC_CTL0_INITRQ;
	mscan->rflg = 0;
	mscan->rier &= MSC_RFLG_STATUS;
	mscan->tflg = MSC_TX_ALL;
	mscan->tier = 0;
	mscan->tarq = 0;
	mscan->taak = 0;
	mscan->tbsel = 0;
	mscan->rx_count = 0;
	msc_update_status(mscan);
	mscan->rflg &= ~MSC_RFLG_CSCIF;
}

static void msc_begin_initialisation(struct can_sim_mscan *mscan)
{
	if (msc_initialising(mscan))
		return;
	msc_leave_bus(mscan);
	mscan->ctl0 |= MSC_CTL0_INITRQ;
	mscan->ctl1 |= MSC_CTL1_INITAK;
	msc_reset_for_initialisation(mscan);
	msc_schedule_sleep(mscan);
}

static void msc_end_initialisation(struct can_sim_mscan *mscan)
{
	if (!msc_initialising(mscan))
		return;
	mscan->ctl0 &= ~MSC_CTL0_INITRQ;
	mscan->ctl1 &= ~MSC_CTL1_INITAK;
	msc_join_bus(mscan);
}

/* Operations of the node */

static bool msc_load(struct can_sim_node *node, struct can_sim_frame *frame)
{
	struct can_sim_mscan *mscan = to_mscan(node);

	if (!msc_choose_buffer(mscan))
		return false;
	msc_get_frame(mscan->tx[mscan->sending], frame);
	return true;
}

static void msc_sent(struct can_sim_node *node)
{
	struct can_sim_mscan *mscan = to_mscan(node);

	msc_buffer_sent(mscan);
	msc_schedule_sleep(mscan);
	msc_update_interrupt(mscan);
}

static void msc_lost(struct can_sim_node *node, unsigned int bit)
{
	struct can_sim_mscan *mscan = to_mscan(node);

	msc_grant_aborts(mscan, 0);
	msc_update_interrupt(mscan);
}

/* A chip that sleeps with WUPE wakes up after the frame, in @woken: while the
 * bus calls @received for its nodes, none may be switched off.
 */
static void msc_received(struct can_sim_node *node,
			 const struct can_sim_frame *frame)
{
	struct can_sim_mscan *mscan = to_mscan(node);

	if (msc_asleep(mscan)) {
		can_sim_node_wake_at(node, node->bus->now);
		return;
	}
	mscan->ctl0 |= MSC_CTL0_RXFRM;
	msc_receive(mscan, frame);
	msc_schedule_sleep(mscan);
	msc_update_interrupt(mscan);
}

static void msc_error(struct can_sim_node *node,
		      const struct can_sim_error *error)
{
	struct can_sim_mscan *mscan = to_mscan(node);

	if (msc_asleep(mscan)) {
		can_sim_node_wake_at(node, node->bus->now);
		return;
	}
	msc_grant_aborts(mscan, 0);
	msc_schedule_sleep(mscan);
	msc_update_interrupt(mscan);
}

/* The sequences of recessive bits are counted even if the driver has to request
 * the recovery (5.2).
 */
static void msc_counted(struct can_sim_node *node)
{
	struct can_sim_mscan *mscan = to_mscan(node);

	if (node->state == CAN_SIM_BUS_OFF) {
		if (mscan->ctl1 & MSC_CTL1_BORM)
			mscan->misc |= MSC_MISC_BOHOLD;
		can_sim_node_recover(node);
	}
	msc_update_status(mscan);
	msc_update_interrupt(mscan);
}

static void msc_recovered(struct can_sim_node *node)
{
	struct can_sim_mscan *mscan = to_mscan(node);

	if (mscan->misc & MSC_MISC_BOHOLD) {
		mscan->held = true;
		msc_leave_bus(mscan);
	}
	msc_update_status(mscan);
	msc_update_interrupt(mscan);
}

static void msc_woken(struct can_sim_node *node)
{
	struct can_sim_mscan *mscan = to_mscan(node);
	struct can_sim_frame frame;

	if (msc_asleep(mscan)) {
		mscan->rflg |= MSC_RFLG_WUPIF;
		msc_end_sleep(mscan);
	} else if (mscan->looping) {
		mscan->looping = false;
		msc_get_frame(mscan->tx[mscan->sending], &frame);
		msc_receive(mscan, &frame);
		msc_buffer_sent(mscan);
		msc_schedule_sleep(mscan);
	} else {
		msc_try_sleep(mscan);
	}
	msc_update_interrupt(mscan);
}

static const struct can_sim_node_ops msc_node_ops = {
	.load = msc_load,
	.sent = msc_sent,
	.lost = msc_lost,
	.received = msc_received,
	.error = msc_error,
	.counted = msc_counted,
	.recovered = msc_recovered,
	.woken = msc_woken,
};

/* Registers: reading */

static u8 msc_read_ctl0(const struct can_sim_mscan *mscan)
{
	const struct can_sim_node *node = &mscan->chip.node;
	u8 value = mscan->ctl0;

	if (!node->on || msc_asleep(mscan))
		return value;
	if (node->role == CAN_SIM_RECEIVER)
		value |= MSC_CTL0_RXACT;
	if (node->state != CAN_SIM_BUS_OFF && node->bus->now >= node->since)
		value |= MSC_CTL0_SYNCH;
	return value;
}

/* Error counters are valid in initialisation and sleep mode only (3.2.14), and
 * the manual does not say what is read otherwise. The driver for the MPC5121
 * reads them in any mode.
 */
static u8 msc_read_counter(const struct can_sim_mscan *mscan,
			   unsigned int counter)
{
	if (!mscan->mpc5121 && !msc_initialising(mscan) && !msc_asleep(mscan))
		return 0;
	return min(counter, MOST_TXERR);
}

static u8 *msc_filter_byte(struct can_sim_mscan *mscan, unsigned int byte)
{
	u8 *bytes = byte & 4 ? mscan->idmr : mscan->idar;

	return &bytes[(byte & 3) + (byte & 8 ? 4 : 0)];
}

static u8 msc_read_rx(const struct can_sim_mscan *mscan, unsigned int byte)
{
	if (!(mscan->rflg & MSC_RFLG_RXF))
		return 0;
	return mscan->rx[mscan->rx_first].byte[byte];
}

/* Return: the selected buffer, or NULL; not while it is to be sent. */
static u8 *msc_selected_tx(struct can_sim_mscan *mscan)
{
	if (!(mscan->tbsel & mscan->tflg))
		return NULL;
	return mscan->tx[__ffs(mscan->tbsel)];
}

/* Each word has two registers and a gap of two bytes. */
static unsigned int msc_without_gaps(unsigned int offset)
{
	return offset / 4 * 2 + offset % 2;
}

static u8 msc_read_memory(struct can_sim_mscan *mscan, unsigned int offset)
{
	const u8 *tx = msc_selected_tx(mscan);

	if (offset % 4 > 1)
		return 0;
	if (offset >= MSC_FILTERS && offset < MSC_FILTERS_END)
		return *msc_filter_byte(mscan,
					msc_without_gaps(offset - MSC_FILTERS));
	if (offset >= MSC_RX && offset < MSC_RX_END)
		return msc_read_rx(mscan, msc_without_gaps(offset - MSC_RX));
	if (offset >= MSC_TX && offset < MSC_TX_END)
		return tx ? tx[msc_without_gaps(offset - MSC_TX)] : 0;
	return 0;
}

/**
 * can_sim_mscan_read() - read a register
 * @mscan: chip on a bus
 * @offset: of the register
 *
 * Context: the bus's lock.
 * Return: its value, 0 if it is reserved or blocked.
 */
u8 can_sim_mscan_read(struct can_sim_mscan *mscan, unsigned int offset)
{
	switch (offset) {
	case MSC_CTL0:
		return msc_read_ctl0(mscan);
	case MSC_CTL1:
		return mscan->ctl1;
	case MSC_BTR0:
		return mscan->btr0;
	case MSC_BTR1:
		return mscan->btr1;
	case MSC_RFLG:
		return mscan->rflg;
	case MSC_RIER:
		return mscan->rier;
	case MSC_TFLG:
		return mscan->tflg;
	case MSC_TIER:
		return mscan->tier;
	case MSC_TARQ:
		return mscan->tarq;
	case MSC_TAAK:
		return mscan->taak;
	case MSC_TBSEL:
		return mscan->tbsel;
	case MSC_IDAC:
		return mscan->idac;
	case MSC_MISC:
		return mscan->misc;
	case MSC_RXERR:
		return msc_read_counter(mscan, mscan->chip.node.rec);
	case MSC_TXERR:
		return msc_read_counter(mscan, mscan->chip.node.tec);
	default:
		return msc_read_memory(mscan, offset);
	}
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mscan_read);

/* Registers: writing */

/* A mode cannot be left before it is entered (3.2.1). */
static void msc_write_ctl0(struct can_sim_mscan *mscan, u8 value)
{
	u8 writable = MSC_CTL0_WUPE;

	if (!msc_initialising(mscan)) {
		writable |= MSC_CTL0_CSWAI | MSC_CTL0_TIME;
		mscan->ctl0 &= ~(value & MSC_CTL0_RXFRM);
	}
	mscan->ctl0 = (mscan->ctl0 & ~writable) | (value & writable);

	if (value & MSC_CTL0_SLPRQ && !(mscan->rflg & MSC_RFLG_WUPIF))
		mscan->ctl0 |= MSC_CTL0_SLPRQ;
	else if (!(value & MSC_CTL0_SLPRQ) && msc_asleep(mscan))
		msc_end_sleep(mscan);
	if (value & MSC_CTL0_INITRQ)
		msc_begin_initialisation(mscan);
	else
		msc_end_initialisation(mscan);
	msc_schedule_sleep(mscan);
}

/* Writing 1 clears a flag. */
static void msc_write_rflg(struct can_sim_mscan *mscan, u8 value)
{
	u8 cleared = mscan->rflg & value & MSC_RFLG_FLAGS;

	mscan->rflg &= ~cleared;
	if (cleared & MSC_RFLG_RXF)
		msc_release_foreground(mscan);
	msc_update_status(mscan);
}

/* Clearing a flag hands the buffer over (3.2.7). */
static void msc_write_tflg(struct can_sim_mscan *mscan, u8 value)
{
	if (mscan->ctl1 & MSC_CTL1_LISTEN)
		return;
	mscan->taak &= ~(mscan->tflg & value);
	mscan->tflg &= ~value;
	msc_transmit(mscan);
}

static void msc_write_tarq(struct can_sim_mscan *mscan, u8 value)
{
	mscan->tarq |= value & msc_pending(mscan);
	msc_grant_aborts(mscan, msc_in_flight(mscan));
	msc_schedule_sleep(mscan);
}

/* The driver may request the recovery before or after the sequences of
 * recessive bits (5.2).
 */
static void msc_write_misc(struct can_sim_mscan *mscan, u8 value)
{
	if (!(mscan->misc & value & MSC_MISC_BOHOLD))
		return;
	mscan->misc &= ~MSC_MISC_BOHOLD;
	if (!mscan->held)
		return;
	mscan->held = false;
	msc_join_bus(mscan);
	msc_update_status(mscan);
}

static void msc_write_tx(struct can_sim_mscan *mscan, unsigned int byte,
			 u8 value)
{
	u8 *tx = msc_selected_tx(mscan);

	if (tx && byte < MSC_TSR)
		tx[byte] = value;
}

static void msc_write_configuration(struct can_sim_mscan *mscan,
				    unsigned int offset, u8 value)
{
	u8 ctl1 = MSC_CTL1_CANE | MSC_CTL1_CLKSRC | MSC_CTL1_LOOPB |
		  MSC_CTL1_LISTEN | MSC_CTL1_WUPM;

	if (mscan->mpc5121)
		ctl1 |= MSC_CTL1_BORM;
	switch (offset) {
	case MSC_CTL1:
		mscan->ctl1 = (mscan->ctl1 & ~ctl1) | (value & ctl1);
		break;
	case MSC_BTR0:
		mscan->btr0 = value;
		break;
	case MSC_BTR1:
		mscan->btr1 = value;
		break;
	case MSC_IDAC:
		mscan->idac &= ~MSC_IDAC_IDAM;
		mscan->idac |= value & MSC_IDAC_IDAM;
		break;
	case MSC_FILTERS ... MSC_FILTERS_END - 1:
		if (offset % 4 < 2) {
			offset = msc_without_gaps(offset - MSC_FILTERS);
			*msc_filter_byte(mscan, offset) = value;
		}
		break;
	}
}

static void msc_write_operation(struct can_sim_mscan *mscan,
				unsigned int offset, u8 value)
{
	switch (offset) {
	case MSC_RFLG:
		msc_write_rflg(mscan, value);
		break;
	case MSC_RIER:
		mscan->rier = value;
		break;
	case MSC_TFLG:
		msc_write_tflg(mscan, value & MSC_TX_ALL);
		break;
	case MSC_TIER:
		mscan->tier = value & MSC_TX_ALL;
		break;
	case MSC_TARQ:
		msc_write_tarq(mscan, value);
		break;
	case MSC_TBSEL:
		value &= MSC_TX_ALL;
		mscan->tbsel = value & -value;
		break;
	case MSC_TX ... MSC_TX_END - 1:
		if (offset % 4 < 2)
			msc_write_tx(mscan, msc_without_gaps(offset - MSC_TX),
				     value);
		break;
	}
}

/**
 * can_sim_mscan_write() - write a register
 * @mscan: chip on a bus
 * @offset: of the register
 * @value: ignored if the register is reserved, blocked or not writable in the
 *	present mode
 *
 * Context: the bus's lock.
 */
void can_sim_mscan_write(struct can_sim_mscan *mscan, unsigned int offset,
			 u8 value)
{
	if (offset == MSC_CTL0)
		msc_write_ctl0(mscan, value);
	else if (offset == MSC_MISC)
		msc_write_misc(mscan, value);
	else if (msc_initialising(mscan))
		msc_write_configuration(mscan, offset, value);
	else
		msc_write_operation(mscan, offset, value);
	msc_update_interrupt(mscan);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mscan_write);

/**
 * can_sim_mscan_reset() - reset a chip by its pin, or at power-on
 * @mscan: chip on a bus
 *
 * Context: the bus's lock.
 */
void can_sim_mscan_reset(struct can_sim_mscan *mscan)
{
	struct can_sim_node *node = &mscan->chip.node;

	msc_leave_bus(mscan);
	can_sim_node_reset(node);
	mscan->held = false;
	mscan->ctl0 = MSC_CTL0_INITRQ;
	mscan->ctl1 = MSC_CTL1_LISTEN | MSC_CTL1_INITAK;
	mscan->btr0 = 0;
	mscan->btr1 = 0;
	mscan->rier = 0;
	mscan->idac = 0;
	mscan->misc = 0;
	memset(mscan->idar, 0, sizeof(mscan->idar));
	memset(mscan->idmr, 0, sizeof(mscan->idmr));
	memset(mscan->tx, 0, sizeof(mscan->tx));
	mscan->rx_first = 0;
	msc_reset_for_initialisation(mscan);
	mscan->rflg = 0;
	msc_update_interrupt(mscan);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mscan_reset);

/**
 * can_sim_mscan_init() - initialise a chip
 * @mscan: zeroed but for @clock; needs can_sim_mscan_reset() when it is on a
 *	bus
 * @mpc5121: it is the MSCAN of an MPC5121, otherwise of an MPC5200
 * @interrupt: see struct can_sim_mscan
 *
 * Context: Process context.
 */
void can_sim_mscan_init(struct can_sim_mscan *mscan, bool mpc5121,
			void (*interrupt)(struct can_sim_mscan *mscan,
					  bool active))
{
	mscan->chip.node.ops = &msc_node_ops;
	mscan->mpc5121 = mpc5121;
	mscan->interrupt = interrupt;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mscan_init);
