// SPDX-License-Identifier: GPL-2.0-only
/*
 * The registers of the MCP2510 and MCP2515, and what SPI commands and events on
 * the bus do to them.
 *
 * Callers are mcp251x-command.c and mcp251x-node.c, often in hardirq context.
 * They hold the lock of the bus, which protects the whole struct
 * can_sim_mcp251x. Each function that may change a pending interrupt ends with
 * mcp_update_interrupt(), which sets the pin INT.
 *
 * Sections, tables and figures are those of DS20001801J unless said otherwise.
 *
 * Not modelled are the start-up time of the oscillator, pins other than INT,
 * the parts of erroneous frames that a chip with RXM set to 3 stores (4.2.2),
 * and the bugs of early revisions (DS80179).
 */
#include <kunit/visibility.h>
#include <linux/bitfield.h>
#include <linux/can.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "mcp251x-model.h"

/* Limits of the error counters for EFLG (register 6-3) */
#define WARNING_FROM 96
#define PASSIVE_FROM 128

/* No transmit buffer */
#define NONE (-1)

static u8 *mcp_tx_buffer(struct can_sim_mcp251x *mcp, unsigned int buffer)
{
	return &mcp->reg[MCP_TXB(buffer)];
}

static u8 *mcp_rx_buffer(struct can_sim_mcp251x *mcp, unsigned int buffer)
{
	return &mcp->reg[MCP_RXB(buffer)];
}

static bool mcp_requested(const struct can_sim_mcp251x *mcp,
			  unsigned int buffer)
{
	return mcp->reg[MCP_TXB(buffer)] & MCP_TXREQ;
}

static bool mcp_full(const struct can_sim_mcp251x *mcp, unsigned int buffer)
{
	return mcp->reg[MCP_CANINTF] & MCP_RX(buffer);
}

/* Interrupts and error flags (sections 6 and 7) */

static u8 mcp_pending_interrupts(const struct can_sim_mcp251x *mcp)
{
	return mcp->reg[MCP_CANINTF] & mcp->reg[MCP_CANINTE];
}

static void mcp_update_interrupt(struct can_sim_mcp251x *mcp)
{
	bool active = mcp_pending_interrupts(mcp);

	if (active == mcp->interrupting)
		return;
	mcp->interrupting = active;
	mcp->interrupt(mcp, active);
}

static void mcp_raise(struct can_sim_mcp251x *mcp, u8 interrupt)
{
	mcp->reg[MCP_CANINTF] |= interrupt;
	mcp_update_interrupt(mcp);
}

/* Bits of CANINTF in the order of their codes (table 7-1). A message error has
 * no code.
 */
static u8 mcp_interrupt_code(const struct can_sim_mcp251x *mcp)
{
	static const u8 order[] = {
		MCP_ERR, MCP_WAK, MCP_TX(0), MCP_TX(1), MCP_TX(2), MCP_RX(0),
		MCP_RX(1),
	};
	u8 pending = mcp_pending_interrupts(mcp);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(order); i++)
		if (pending & order[i])
			return i + 1;
	return 0;
}

static u8 mcp_errors_by_counters(const struct can_sim_mcp251x *mcp)
{
	const struct can_sim_node *node = &mcp->chip.node;
	u8 errors = 0;

	if (node->rec >= WARNING_FROM)
		errors |= MCP_RXWAR | MCP_EWARN;
	if (node->tec >= WARNING_FROM)
		errors |= MCP_TXWAR | MCP_EWARN;
	if (node->rec >= PASSIVE_FROM)
		errors |= MCP_RXEP;
	if (node->tec >= PASSIVE_FROM)
		errors |= MCP_TXEP;
	if (node->state == CAN_SIM_BUS_OFF)
		errors |= MCP_TXBO;
	return errors;
}

/* Each change of the error state sets the interrupt flag (7.6), which can be
 * cleared while the state lasts.
 */
static void mcp_update_errors(struct can_sim_mcp251x *mcp)
{
	u8 errors = mcp_errors_by_counters(mcp);

	if (errors == mcp->errors)
		return;
	mcp->errors = errors;
	mcp_raise(mcp, MCP_ERR);
}

/**
 * can_sim_mcp251x_set_timer() - make the bus call @woken in time
 * @mcp: the chip, with another @loopback_end or @transfer_due
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_set_timer(struct can_sim_mcp251x *mcp)
{
	can_sim_node_wake_at(&mcp->chip.node,
			     min(mcp->loopback_end, mcp->transfer_due));
}

/* Identifiers */

static u32 mcp_get_base(const u8 *id)
{
	return id[MCP_SIDH] << 3 | FIELD_GET(MCP_SIDL_SID, id[MCP_SIDL]);
}

static u32 mcp_get_extended(const u8 *id)
{
	return mcp_get_base(id) << 18 |
	       FIELD_GET(MCP_SIDL_EID, id[MCP_SIDL]) << 16 |
	       id[MCP_EID8] << 8 | id[MCP_EID0];
}

static void mcp_put_id(u8 *id, u32 can_id)
{
	u32 extended = can_id & CAN_EFF_FLAG ? can_id & CAN_EFF_MASK :
					       (can_id & CAN_SFF_MASK) << 18;

	id[MCP_SIDH] = extended >> 21;
	id[MCP_SIDL] = FIELD_PREP(MCP_SIDL_SID, extended >> 18 & 7) |
		       FIELD_PREP(MCP_SIDL_EID, extended >> 16 & 3);
	id[MCP_EID8] = extended >> 8;
	id[MCP_EID0] = extended;
	if (can_id & CAN_EFF_FLAG)
		id[MCP_SIDL] |= MCP_SIDL_EXIDE;
}

/* Transmission (section 3) */

static bool mcp_any_requested(const struct can_sim_mcp251x *mcp)
{
	unsigned int i;

	for (i = 0; i < MCP_TX_BUFFERS; i++)
		if (mcp_requested(mcp, i))
			return true;
	return false;
}

/* Of buffers with the same priority, the one with the highest number is sent
 * first (3.2).
 */
static int mcp_choose_buffer(const struct can_sim_mcp251x *mcp)
{
	int i, best = NONE;
	u8 highest = 0;

	for (i = 0; i < MCP_TX_BUFFERS; i++) {
		u8 ctrl = mcp->reg[MCP_TXB(i)];

		if (ctrl & MCP_TXREQ && FIELD_GET(MCP_TXP, ctrl) >= highest) {
			highest = FIELD_GET(MCP_TXP, ctrl);
			best = i;
		}
	}
	return best;
}

static void mcp_get_frame(const u8 *buffer, struct can_sim_frame *frame)
{
	const u8 *id = buffer + MCP_ID;

	if (id[MCP_SIDL] & MCP_SIDL_EXIDE)
		frame->id = mcp_get_extended(id) | CAN_EFF_FLAG;
	else
		frame->id = mcp_get_base(id);
	if (buffer[MCP_DLC] & MCP_DLC_RTR)
		frame->id |= CAN_RTR_FLAG;
	frame->dlc = FIELD_GET(MCP_DLC_DLC, buffer[MCP_DLC]);
	memcpy(frame->data, buffer + MCP_DATA, sizeof(frame->data));
}

static bool mcp_load_frame(struct can_sim_mcp251x *mcp,
			   struct can_sim_frame *frame)
{
	mcp->sending = mcp_choose_buffer(mcp);
	if (mcp->sending == NONE)
		return false;
	mcp_get_frame(mcp_tx_buffer(mcp, mcp->sending), frame);
	return true;
}

/* In loopback mode a frame takes the time of its bits, but is not on the bus. */
static void mcp_begin_loopback(struct can_sim_mcp251x *mcp)
{
	struct can_sim_node *node = &mcp->chip.node;
	struct can_sim_frame frame;
	unsigned int bits;

	if (mcp->loopback_end != CAN_SIM_NEVER || !mcp_load_frame(mcp, &frame))
		return;
	bits = can_sim_wire_length(&frame) + CAN_SIM_INTERMISSION_BITS;
	mcp->loopback_end = node->bus->now + can_sim_timing_ns(&node->timing,
							       bits);
	can_sim_mcp251x_set_timer(mcp);
}

static void mcp_send_requested(struct can_sim_mcp251x *mcp)
{
	if (!mcp_any_requested(mcp))
		return;
	if (mcp->mode == MCP_NORMAL)
		can_sim_node_request(&mcp->chip.node);
	else if (mcp->mode == MCP_LOOPBACK)
		mcp_begin_loopback(mcp);
}

static void mcp_abort_buffer(struct can_sim_mcp251x *mcp, unsigned int buffer)
{
	u8 *ctrl = mcp_tx_buffer(mcp, buffer);

	*ctrl &= ~MCP_TXREQ;
	*ctrl |= MCP_ABTF;
}

/* A frame that is being sent is aborted only if the attempt fails (3.6). */
static void mcp_abort_requested(struct can_sim_mcp251x *mcp)
{
	int i;

	if (!(mcp->reg[MCP_CANCTRL] & MCP_ABAT))
		return;
	for (i = 0; i < MCP_TX_BUFFERS; i++)
		if (mcp_requested(mcp, i) && i != mcp->sending)
			mcp_abort_buffer(mcp, i);
}

static void mcp_request_buffer(struct can_sim_mcp251x *mcp, unsigned int buffer)
{
	u8 *ctrl = mcp_tx_buffer(mcp, buffer);

	*ctrl &= ~(MCP_ABTF | MCP_MLOA | MCP_TXERR);
	*ctrl |= MCP_TXREQ;
	mcp_abort_requested(mcp);
	mcp_send_requested(mcp);
}

/* Modes of operation (section 10) */

static void mcp_update_timing(struct can_sim_mcp251x *mcp)
{
	struct can_sim_timing *timing = &mcp->chip.node.timing;
	u8 cnf1 = mcp->reg[MCP_CNF1];
	u8 cnf2 = mcp->reg[MCP_CNF2];
	u8 cnf3 = mcp->reg[MCP_CNF3];
	unsigned int phase1 = FIELD_GET(MCP_PHSEG1, cnf2) + 1;

	timing->clock = mcp->crystal;
	timing->brp = 2 * (FIELD_GET(MCP_BRP, cnf1) + 1);
	timing->seg1 = FIELD_GET(MCP_PRSEG, cnf2) + 1 + phase1;
	timing->sjw = FIELD_GET(MCP_SJW, cnf1) + 1;
	if (cnf2 & MCP_BTLMODE)
		timing->seg2 = FIELD_GET(MCP_PHSEG2, cnf3) + 1;
	else	/* at least the information processing time */
		timing->seg2 = max(phase1, 2U);
}

static void mcp_join(struct can_sim_mcp251x *mcp, unsigned int mode)
{
	struct can_sim_node *node = &mcp->chip.node;

	if (mcp->reg[MCP_CANCTRL] & MCP_OSM)
		mode |= CAN_SIM_ONE_SHOT;
	node->mode = mode;
	can_sim_node_on(node);
}

/* A sleeping chip monitors the bus only if its wake-up interrupt is enabled
 * (7.5).
 */
static void mcp_update_sleep(struct can_sim_mcp251x *mcp)
{
	if (mcp->mode != MCP_SLEEP)
		return;
	if (mcp->reg[MCP_CANINTE] & MCP_WAK)
		mcp_join(mcp, CAN_SIM_LISTEN_ONLY);
	else
		can_sim_node_off(&mcp->chip.node);
}

/* Error counters are cleared in configuration mode (10.1) and in listen-only
 * mode (10.3), without an interrupt.
 */
static void mcp_clear_counters(struct can_sim_mcp251x *mcp)
{
	can_sim_node_reset(&mcp->chip.node);
	mcp->errors = mcp_errors_by_counters(mcp);
}

static void mcp_set_mode(struct can_sim_mcp251x *mcp,
			 enum can_sim_mcp251x_mode mode)
{
	mcp->wanted = mode;
	mcp->mode = mode;
}

static void mcp_enter_mode(struct can_sim_mcp251x *mcp,
			   enum can_sim_mcp251x_mode mode)
{
	struct can_sim_node *node = &mcp->chip.node;

	mcp_set_mode(mcp, mode);
	can_sim_node_off(node);
	if (mode == MCP_CONFIG || mode == MCP_LISTEN_ONLY)
		mcp_clear_counters(mcp);
	if (mode == MCP_LISTEN_ONLY)
		mcp_join(mcp, CAN_SIM_LISTEN_ONLY);
	if (mode == MCP_NORMAL) {
		mcp_join(mcp, 0);
		can_sim_node_recover(node);
	}
	mcp_update_sleep(mcp);
	mcp_send_requested(mcp);
}

static bool mcp_can_send(const struct can_sim_mcp251x *mcp)
{
	return mcp->mode == MCP_NORMAL || mcp->mode == MCP_LOOPBACK;
}

/* The mode changes after all requested frames were sent (10.0). */
static void mcp_change_mode(struct can_sim_mcp251x *mcp)
{
	if (mcp->wanted == mcp->mode)
		return;
	if (mcp_can_send(mcp) &&
	    (mcp->sending != NONE || mcp_any_requested(mcp)))
		return;
	mcp_enter_mode(mcp, mcp->wanted);
}

/* The node is in listen-only mode already, see mcp_update_sleep(). */
static void mcp_wake(struct can_sim_mcp251x *mcp)
{
	mcp_set_mode(mcp, MCP_LISTEN_ONLY);
	mcp_clear_counters(mcp);
	mcp_raise(mcp, MCP_WAK);
}

/* The driver may wake the chip by setting WAKIF (10.2). */
static void mcp_wake_on_flag(struct can_sim_mcp251x *mcp)
{
	if (mcp->mode == MCP_SLEEP && mcp_pending_interrupts(mcp) & MCP_WAK)
		mcp_wake(mcp);
}

/* The end of an attempt to send */

static void mcp_sending_ended(struct can_sim_mcp251x *mcp)
{
	mcp->sending = NONE;
	mcp_abort_requested(mcp);
	mcp_send_requested(mcp);
	mcp_change_mode(mcp);
}

/* Reception (section 4) */

/* The first two bytes of data are compared like the lower sixteen bits of an
 * extended identifier (4.5.1), as far as the frame has them.
 */
static bool mcp_data_match(const u8 *filter, const u8 *mask,
			   const struct can_sim_frame *frame)
{
	unsigned int i, length = min(2U, can_sim_frame_len(frame));

	for (i = 0; i < length; i++)
		if ((frame->data[i] ^ filter[MCP_EID8 + i]) &
		    mask[MCP_EID8 + i])
			return false;
	return true;
}

static bool mcp_filter_matches(const struct can_sim_mcp251x *mcp,
			       unsigned int number, unsigned int rxm,
			       const struct can_sim_frame *frame)
{
	const u8 *mask = &mcp->reg[MCP_RXM(number < 2 ? 0 : 1)];
	const u8 *filter = &mcp->reg[can_sim_mcp251x_rxf(number)];
	bool extended = frame->id & CAN_EFF_FLAG;

	if (extended != !!(filter[MCP_SIDL] & MCP_SIDL_EXIDE))
		return false;
	if (extended)
		return !((frame->id ^ mcp_get_extended(filter)) &
			 mcp_get_extended(mask));
	if ((frame->id ^ mcp_get_base(filter)) & mcp_get_base(mask))
		return false;
	return mcp->mcp2510 || rxm == MCP_RXM_STANDARD ||
	       mcp_data_match(filter, mask, frame);
}

/* Return: number of the filter that accepts a frame for a buffer, or NONE. */
static int mcp_find_filter(const struct can_sim_mcp251x *mcp,
			   unsigned int buffer,
			   const struct can_sim_frame *frame)
{
	u8 rxm = FIELD_GET(MCP_RXM_BITS, mcp->reg[MCP_RXB(buffer)]);
	int i, first = buffer ? 2 : 0, end = buffer ? MCP_FILTERS : 2;

	if (rxm == MCP_RXM_ANY)
		return 0;
	if (rxm == (frame->id & CAN_EFF_FLAG ? MCP_RXM_STANDARD :
					       MCP_RXM_EXTENDED))
		return NONE;
	for (i = first; i < end; i++)
		if (mcp_filter_matches(mcp, i, rxm, frame))
			return i;
	return NONE;
}

static void mcp_put_frame(u8 *buffer, const struct can_sim_frame *frame)
{
	u8 *id = buffer + MCP_ID;

	mcp_put_id(id, frame->id);
	buffer[MCP_DLC] = FIELD_PREP(MCP_DLC_DLC, frame->dlc);
	memcpy(buffer + MCP_DATA, frame->data, can_sim_frame_len(frame));
	buffer[0] &= ~MCP_RXRTR;
	if (!(frame->id & CAN_RTR_FLAG))
		return;
	buffer[0] |= MCP_RXRTR;
	if (frame->id & CAN_EFF_FLAG)
		buffer[MCP_DLC] |= MCP_DLC_RTR;
	else
		id[MCP_SIDL] |= MCP_SIDL_SRR;
}

static void mcp_overflow(struct can_sim_mcp251x *mcp, unsigned int buffer)
{
	mcp->chip.node.stats.overruns++;
	mcp->reg[MCP_EFLG] |= MCP_RXOVR(buffer);
	mcp_raise(mcp, MCP_ERR);
}

static void mcp_update_high(struct can_sim_mcp251x *mcp)
{
	u64 *high = &mcp->chip.node.stats.high;

	*high = max_t(u64, *high, mcp_full(mcp, 0) + mcp_full(mcp, 1));
}

/* After a rollover, FILHIT0 in RXB0CTRL is that of the frame in buffer 1
 * (register 4-1, note 1).
 */
static void mcp_set_filter_hit(struct can_sim_mcp251x *mcp, unsigned int buffer,
			       unsigned int filter)
{
	u8 *ctrl0 = mcp_rx_buffer(mcp, 0), *ctrl1 = mcp_rx_buffer(mcp, 1);

	if (!buffer || mcp->rolled) {
		*ctrl0 &= ~MCP_FILHIT0;
		*ctrl0 |= FIELD_PREP(MCP_FILHIT0, filter);
	}
	if (buffer) {
		*ctrl1 &= ~MCP_FILHIT1;
		*ctrl1 |= FIELD_PREP(MCP_FILHIT1, filter);
	}
}

/* Choose the receive buffer by figure 4-4. */
static void mcp_store_frame(struct can_sim_mcp251x *mcp,
			    const struct can_sim_frame *frame)
{
	int buffer = 0, filter = mcp_find_filter(mcp, 0, frame);
	bool rolled;

	if (filter == NONE) {
		buffer = 1;
		filter = mcp_find_filter(mcp, 1, frame);
	}
	if (filter == NONE)
		return;
	rolled = !buffer && mcp_full(mcp, 0) &&
		 *mcp_rx_buffer(mcp, 0) & MCP_BUKT;
	if (rolled)
		buffer = 1;
	if (mcp_full(mcp, buffer)) {
		mcp_overflow(mcp, buffer);
		return;
	}
	if (buffer)
		mcp->rolled = rolled;
	mcp_put_frame(mcp_rx_buffer(mcp, buffer), frame);
	mcp_set_filter_hit(mcp, buffer, filter);
	mcp_raise(mcp, MCP_RX(buffer));
	mcp_update_high(mcp);
}

/* Registers (section 11) */

/* Mask and filter registers can be read and written in configuration mode only
 * (4.5.5).
 */
static bool mcp_is_filter(u8 address)
{
	u8 row = address & MCP_ROW, column = address & MCP_COLUMN;

	if (row == MCP_RXM(0))
		return column < 0x8;
	return row <= 0x10 && column < 0xc;
}

static bool mcp_is_tx_buffer(u8 address)
{
	u8 column = address & MCP_COLUMN;

	return address >= MCP_TXB(0) && address < MCP_RXB(0) &&
	       column >= MCP_ID && column < MCP_DATA + CAN_MAX_DLEN;
}

static unsigned int mcp_tx_buffer_of(u8 address)
{
	return (address - MCP_TXB(0)) / 0x10;
}

/* CANSTAT and CANCTRL are mapped to the end of each row. */
static u8 mcp_first_address(u8 address)
{
	u8 column = address & MCP_COLUMN;

	return column == MCP_CANSTAT || column == MCP_CANCTRL ? column :
								address;
}

static u8 mcp_writable_in_tx_buffer(u8 address)
{
	switch (address & MCP_COLUMN) {
	case MCP_ID + MCP_SIDL:
		return MCP_SIDL_SID | MCP_SIDL_EXIDE | MCP_SIDL_EID;
	case MCP_DLC:
		return MCP_DLC_RTR | MCP_DLC_DLC;
	default:
		return 0xff;
	}
}

static u8 mcp_writable_in_filter(u8 address)
{
	if ((address & 3) != MCP_SIDL)
		return 0xff;
	if (address >= MCP_RXM(0))
		return MCP_SIDL_SID | MCP_SIDL_EID;
	return MCP_SIDL_SID | MCP_SIDL_EXIDE | MCP_SIDL_EID;
}

/* Return: writable bits of a control register. BIT MODIFY works on these
 * registers.
 */
static u8 mcp_writable_control(const struct can_sim_mcp251x *mcp, u8 address)
{
	switch (address) {
	case MCP_BFPCTRL:
		return MCP_BFS | MCP_BFE | MCP_BFM;
	case MCP_TXRTSCTRL:
		return MCP_RTSM;
	case MCP_CANCTRL:
		return 0xff & ~(mcp->mcp2510 ? MCP_OSM : 0);
	case MCP_CNF3:
		return (mcp->mcp2510 ? 0 : MCP_SOF) | MCP_WAKFIL | MCP_PHSEG2;
	case MCP_CNF2:
	case MCP_CNF1:
	case MCP_CANINTE:
	case MCP_CANINTF:
		return 0xff;
	case MCP_EFLG:
		return MCP_RXOVR(0) | MCP_RXOVR(1);
	case MCP_TXB(0):
	case MCP_TXB(1):
	case MCP_TXB(2):
		return MCP_TXREQ | MCP_TXP;
	case MCP_RXB(0):
		return MCP_RXM_BITS | MCP_BUKT;
	case MCP_RXB(1):
		return MCP_RXM_BITS;
	default:
		return 0;
	}
}

/* Return: bits of a register that are writable now. */
static u8 mcp_writable(const struct can_sim_mcp251x *mcp, u8 address)
{
	bool config = mcp->mode == MCP_CONFIG;

	if (mcp_is_filter(address))
		return config ? mcp_writable_in_filter(address) : 0;
	if (mcp_is_tx_buffer(address))
		return mcp_requested(mcp, mcp_tx_buffer_of(address)) ? 0 :
		       mcp_writable_in_tx_buffer(address);
	if (!config && (address == MCP_TXRTSCTRL ||
			(address >= MCP_CNF3 && address <= MCP_CNF1)))
		return 0;
	return mcp_writable_control(mcp, address);
}

/* Pins are not connected and pulled up; those with the RTS function read as
 * zero.
 */
static u8 mcp_read_rts_pins(u8 control)
{
	return FIELD_PREP(MCP_RTS, ~FIELD_GET(MCP_RTSM, control) & 7);
}

/* A pin with the function of a buffer-full interrupt has no state of its own. */
static u8 mcp_read_bf_pins(u8 control)
{
	return control & ~FIELD_PREP(MCP_BFS, FIELD_GET(MCP_BFM, control));
}

/**
 * can_sim_mcp251x_read() - read a register
 * @mcp: the chip
 * @address: less than MCP_REGISTERS
 *
 * Context: the bus's lock.
 * Return: its value; reading has no effect.
 */
u8 can_sim_mcp251x_read(const struct can_sim_mcp251x *mcp, u8 address)
{
	const struct can_sim_node *node = &mcp->chip.node;
	u8 value;

	address = mcp_first_address(address);
	value = mcp->reg[address];
	if (mcp_is_filter(address))
		return mcp->mode == MCP_CONFIG ? value : 0;
	switch (address) {
	case MCP_BFPCTRL:
		return mcp_read_bf_pins(value);
	case MCP_TXRTSCTRL:
		return value | mcp_read_rts_pins(value);
	case MCP_CANSTAT:
		return FIELD_PREP(MCP_OPMOD, mcp->mode) |
		       FIELD_PREP(MCP_ICOD, mcp_interrupt_code(mcp));
	case MCP_TEC:
		return min(node->tec, 255U);
	case MCP_REC:
		return node->rec;
	case MCP_EFLG:
		return value | mcp->errors;
	case MCP_RXB(0):
		return value | (value & MCP_BUKT ? MCP_BUKT1 : 0);
	default:
		return value;
	}
}

static void mcp_canctrl_written(struct can_sim_mcp251x *mcp)
{
	u8 value = mcp->reg[MCP_CANCTRL];
	u8 mode = FIELD_GET(MCP_REQOP, value);

	if (value & MCP_OSM)
		mcp->chip.node.mode |= CAN_SIM_ONE_SHOT;
	else
		mcp->chip.node.mode &= ~CAN_SIM_ONE_SHOT;
	mcp_abort_requested(mcp);
	if (mcp->mode != MCP_SLEEP && mode <= MCP_CONFIG)
		mcp->wanted = mode;	/* only a wake-up ends sleep mode */
	mcp_change_mode(mcp);
}

/**
 * can_sim_mcp251x_write() - write a register
 * @mcp: the chip
 * @address: less than MCP_REGISTERS
 * @value: bits that are not writable now are ignored
 *
 * Context: the bus's lock, but not from operations of the node other than
 *	@woken.
 */
void can_sim_mcp251x_write(struct can_sim_mcp251x *mcp, u8 address, u8 value)
{
	u8 bits, old;

	address = mcp_first_address(address);
	bits = mcp_writable(mcp, address);
	old = mcp->reg[address];
	mcp->reg[address] = (old & ~bits) | (value & bits);
	switch (address) {
	case MCP_CANCTRL:
		mcp_canctrl_written(mcp);
		break;
	case MCP_CNF3:
	case MCP_CNF2:
	case MCP_CNF1:
		mcp_update_timing(mcp);
		break;
	case MCP_CANINTE:
	case MCP_CANINTF:
		mcp_update_interrupt(mcp);
		mcp_update_sleep(mcp);
		mcp_wake_on_flag(mcp);
		break;
	case MCP_TXB(0):
	case MCP_TXB(1):
	case MCP_TXB(2):
		if (~old & value & MCP_TXREQ)
			mcp_request_buffer(mcp, mcp_tx_buffer_of(address));
		mcp_change_mode(mcp);
		break;
	}
}

/**
 * can_sim_mcp251x_modify() - change bits of a register
 * @mcp: the chip
 * @address: less than MCP_REGISTERS
 * @mask: bits to change; registers without BIT MODIFY are written as a whole
 *	(12.10)
 * @value: of these bits
 *
 * Context: the bus's lock, but not from operations of the node other than
 *	@woken.
 */
void can_sim_mcp251x_modify(struct can_sim_mcp251x *mcp, u8 address, u8 mask,
			    u8 value)
{
	u8 old = mcp->reg[mcp_first_address(address)];

	if (!mcp_writable_control(mcp, mcp_first_address(address)))
		mask = 0xff;
	can_sim_mcp251x_write(mcp, address, (old & ~mask) | (value & mask));
}

/**
 * can_sim_mcp251x_clear() - clear interrupt flags at the end of a command
 * @mcp: the chip
 * @flags: bits of CANINTF
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_clear(struct can_sim_mcp251x *mcp, u8 flags)
{
	mcp->reg[MCP_CANINTF] &= ~flags;
	mcp_update_interrupt(mcp);
}

/**
 * can_sim_mcp251x_request() - request to send transmit buffers (RTS)
 * @mcp: the chip
 * @buffers: bit n is for buffer n
 *
 * Context: the bus's lock, but not from operations of the node other than
 *	@woken.
 */
void can_sim_mcp251x_request(struct can_sim_mcp251x *mcp, u8 buffers)
{
	unsigned int i;

	for (i = 0; i < MCP_TX_BUFFERS; i++)
		if (buffers & BIT(i) && !mcp_requested(mcp, i))
			mcp_request_buffer(mcp, i);
}

/**
 * can_sim_mcp251x_reset() - reset the chip, but not its SPI interface
 * @mcp: the chip
 *
 * Buffers, masks and filters keep their contents: they are unknown by the data
 * sheet.
 *
 * Context: the bus's lock, but not from operations of the node other than
 *	@woken.
 */
void can_sim_mcp251x_reset(struct can_sim_mcp251x *mcp)
{
	unsigned int address;

	for (address = 0; address < MCP_REGISTERS; address++)
		if (mcp_writable_control(mcp, address))
			mcp->reg[address] = 0;
	mcp->reg[MCP_CANCTRL] = MCP_CLKEN | MCP_CLKPRE |
				(mcp->mcp2510 ? MCP_REQOP :
				 FIELD_PREP(MCP_REQOP, MCP_CONFIG));
	mcp->rolled = false;
	mcp->sending = NONE;
	mcp->loopback_end = CAN_SIM_NEVER;
	can_sim_mcp251x_set_timer(mcp);
	mcp_update_timing(mcp);
	mcp_enter_mode(mcp, MCP_CONFIG);
	mcp_update_interrupt(mcp);
}

/**
 * can_sim_mcp251x_power_on() - set the state of a chip after power-on
 * @mcp: the chip, on a bus; @interrupt, @transfer_done, @mcp2510 and @crystal
 *	are set
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_power_on(struct can_sim_mcp251x *mcp)
{
	memset(mcp->reg, 0, sizeof(mcp->reg));
	memset(&mcp->transfer, 0, sizeof(mcp->transfer));
	mcp->transfer_due = CAN_SIM_NEVER;
	mcp->interrupting = false;
	mcp->selected = false;
	mcp->release = 0;
	mcp->loopback_end = CAN_SIM_NEVER;
	can_sim_mcp251x_reset(mcp);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mcp251x_power_on);

/* Events on the bus */

/**
 * can_sim_mcp251x_load() - the frame that the chip wants to send
 * @mcp: the chip
 * @frame: set to the frame
 *
 * Context: the bus's lock.
 * Return: false if there is none.
 */
bool can_sim_mcp251x_load(struct can_sim_mcp251x *mcp,
			  struct can_sim_frame *frame)
{
	return mcp->mode == MCP_NORMAL && mcp_load_frame(mcp, frame);
}

/**
 * can_sim_mcp251x_sent() - the frame that was loaded has been sent
 * @mcp: the chip
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_sent(struct can_sim_mcp251x *mcp)
{
	int buffer = mcp->sending;

	*mcp_tx_buffer(mcp, buffer) &= ~MCP_TXREQ;
	mcp_raise(mcp, MCP_TX(buffer));
	mcp_sending_ended(mcp);
}

/**
 * can_sim_mcp251x_not_sent() - an attempt to send the frame has failed
 * @mcp: the chip
 * @why: MCP_MLOA or MCP_TXERR
 *
 * An attempt in one-shot mode is the last one, and counts as aborted (3.6).
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_not_sent(struct can_sim_mcp251x *mcp, u8 why)
{
	int buffer = mcp->sending;

	*mcp_tx_buffer(mcp, buffer) |= why;
	if (mcp->chip.node.one_shot)
		mcp_abort_buffer(mcp, buffer);
	mcp_sending_ended(mcp);
}

/**
 * can_sim_mcp251x_loopback_end() - a frame that is looped back is complete
 * @mcp: the chip, in loopback mode
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_loopback_end(struct can_sim_mcp251x *mcp)
{
	struct can_sim_frame frame;

	mcp->loopback_end = CAN_SIM_NEVER;
	mcp_get_frame(mcp_tx_buffer(mcp, mcp->sending), &frame);
	mcp_store_frame(mcp, &frame);
	can_sim_mcp251x_sent(mcp);
}

/**
 * can_sim_mcp251x_received() - a frame was received from the bus
 * @mcp: the chip
 * @frame: lost if it wakes the chip (10.2)
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_received(struct can_sim_mcp251x *mcp,
			      const struct can_sim_frame *frame)
{
	if (mcp->mode == MCP_SLEEP)
		mcp_wake(mcp);
	else
		mcp_store_frame(mcp, frame);
}

/**
 * can_sim_mcp251x_error() - the chip has detected an error
 * @mcp: the chip
 * @error: what it has detected
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_error(struct can_sim_mcp251x *mcp,
			   const struct can_sim_error *error)
{
	if (mcp->mode == MCP_SLEEP) {
		mcp_wake(mcp);
		return;
	}
	mcp_raise(mcp, MCP_MERR);
	if (error->transmitting)
		can_sim_mcp251x_not_sent(mcp, MCP_TXERR);
}

/**
 * can_sim_mcp251x_counted() - error counters or the error state have changed
 * @mcp: the chip; it recovers from bus off by itself (6.7)
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_counted(struct can_sim_mcp251x *mcp)
{
	mcp_update_errors(mcp);
	if (mcp->chip.node.state == CAN_SIM_BUS_OFF)
		can_sim_node_recover(&mcp->chip.node);
}
