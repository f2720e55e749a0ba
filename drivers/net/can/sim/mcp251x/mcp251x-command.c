// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPI commands of the MCP2510 and MCP2515, and when their bytes take effect.
 *
 * A byte takes effect at its last clock pulse, and the chip answers with its
 * state at the first one (figures 12-2 to 12-9). The driver sees the answer
 * when the transfer is over. So bytes are handled later, but before an event on
 * the bus changes the chip. Only a byte that can change something on the bus is
 * handled at its time, and not from most operations of the node.
 *
 * Contexts: mcp251x-spi.c calls this in process context, and mcp251x-node.c
 * often in hardirq context. Callers hold the lock of the bus, which protects
 * everything.
 *
 * Sections, tables and figures are those of DS20001801J.
 */
#include <kunit/visibility.h>
#include <linux/bitfield.h>
#include <linux/math64.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "mcp251x-command.h"

/* Commands (section 12) */

static u8 mcp_read_status(const struct can_sim_mcp251x *mcp)
{
	u8 flags = mcp->reg[MCP_CANINTF];
	u8 status = flags & MCP_STATUS_RX;
	unsigned int i;

	for (i = 0; i < MCP_TX_BUFFERS; i++) {
		if (mcp->reg[MCP_TXB(i)] & MCP_TXREQ)
			status |= MCP_STATUS_TXREQ(i);
		if (flags & MCP_TX(i))
			status |= MCP_STATUS_TX(i);
	}
	return status;
}

/* With frames in both buffers, the status is that of buffer 0 (figure 12-9). */
static u8 mcp_rx_status(struct can_sim_mcp251x *mcp)
{
	u8 flags = mcp->reg[MCP_CANINTF] & MCP_STATUS_RX;
	unsigned int buffer = flags & MCP_RX(0) ? 0 : 1;
	const u8 *ctrl = &mcp->reg[MCP_RXB(buffer)];
	u8 filter = *ctrl & (buffer ? MCP_FILHIT1 : MCP_FILHIT0);
	u8 status = FIELD_PREP(MCP_RX_STATUS_RX, flags);

	if (!flags)
		return 0;
	if (buffer && mcp->rolled)
		filter += MCP_RX_STATUS_ROLLED;
	if (ctrl[MCP_ID + MCP_SIDL] & MCP_SIDL_EXIDE)
		status |= MCP_RX_STATUS_EXT;
	if (*ctrl & MCP_RXRTR)
		status |= MCP_RX_STATUS_RTR;
	return status | FIELD_PREP(MCP_RX_STATUS_FILTER, filter);
}

static u8 mcp_next_address(struct can_sim_mcp251x *mcp)
{
	u8 address = mcp->address;

	mcp->address = (address + 1) % MCP_REGISTERS;
	return address;
}

static void mcp_set_address(struct can_sim_mcp251x *mcp, u8 address)
{
	mcp->address = address % MCP_REGISTERS;
}

static u8 mcp_read_next(struct can_sim_mcp251x *mcp)
{
	return can_sim_mcp251x_read(mcp, mcp_next_address(mcp));
}

static bool mcp_is_rts(u8 command)
{
	return (command & ~MCP_REQUEST_ARG) == MCP_REQUEST;
}

static bool mcp_is_read_rx(const struct can_sim_mcp251x *mcp, u8 command)
{
	return !mcp->mcp2510 && (command & ~MCP_READ_RX_ARG) == MCP_READ_RX;
}

static bool mcp_is_load_tx(const struct can_sim_mcp251x *mcp, u8 command)
{
	return !mcp->mcp2510 && (command & ~MCP_LOAD_TX_ARG) == MCP_LOAD_TX &&
	       FIELD_GET(MCP_LOAD_TX_ARG, command) < 2 * MCP_TX_BUFFERS;
}

/* The lowest bit of the argument selects identifier or data. */
static u8 mcp_begin_read_rx(struct can_sim_mcp251x *mcp, u8 command)
{
	u8 argument = FIELD_GET(MCP_READ_RX_ARG, command);
	unsigned int buffer = argument / 2;

	mcp->release = MCP_RX(buffer);
	mcp_set_address(mcp,
			MCP_RXB(buffer) + (argument & 1 ? MCP_DATA : MCP_ID));
	return mcp_read_next(mcp);
}

static void mcp_begin_load_tx(struct can_sim_mcp251x *mcp, u8 command)
{
	u8 argument = FIELD_GET(MCP_LOAD_TX_ARG, command);

	mcp_set_address(mcp, MCP_TXB(argument / 2) +
			(argument & 1 ? MCP_DATA : MCP_ID));
}

static u8 mcp_begin_command(struct can_sim_mcp251x *mcp, u8 command)
{
	mcp->command = command;
	if (mcp_is_rts(command))
		can_sim_mcp251x_request(mcp, command & MCP_REQUEST_ARG);
	else if (mcp_is_read_rx(mcp, command))
		return mcp_begin_read_rx(mcp, command);
	else if (mcp_is_load_tx(mcp, command))
		mcp_begin_load_tx(mcp, command);
	else if (command == MCP_RESET)
		can_sim_mcp251x_reset(mcp);
	else if (command == MCP_READ_STATUS)
		return mcp_read_status(mcp);
	else if (command == MCP_RX_STATUS && !mcp->mcp2510)
		return mcp_rx_status(mcp);
	return 0;
}

static bool mcp_in_buffer(u8 address)
{
	return (address & MCP_COLUMN) < MCP_DATA + CAN_MAX_DLEN;
}

static void mcp_continue_modify(struct can_sim_mcp251x *mcp, u8 in)
{
	if (mcp->count == 1)
		mcp_set_address(mcp, in);
	else if (mcp->count == 2)
		mcp->mask = in;
	else if (mcp->count == 3)
		can_sim_mcp251x_modify(mcp, mcp->address, mcp->mask, in);
}

static u8 mcp_continue_command(struct can_sim_mcp251x *mcp, u8 in)
{
	switch (mcp->command) {
	case MCP_READ:
		if (mcp->count == 1)
			mcp_set_address(mcp, in);
		return mcp_read_next(mcp);
	case MCP_WRITE:
		if (mcp->count == 1)
			mcp_set_address(mcp, in);
		else
			can_sim_mcp251x_write(mcp, mcp_next_address(mcp), in);
		return 0;
	case MCP_BIT_MODIFY:
		mcp_continue_modify(mcp, in);
		return 0;
	case MCP_READ_STATUS:
		return mcp_read_status(mcp);
	case MCP_RX_STATUS:
		return mcp->mcp2510 ? 0 : mcp_rx_status(mcp);
	}
	if (mcp_is_read_rx(mcp, mcp->command))
		return mcp_read_next(mcp);
	if (mcp_is_load_tx(mcp, mcp->command) && mcp_in_buffer(mcp->address))
		can_sim_mcp251x_write(mcp, mcp_next_address(mcp), in);
	return 0;
}

/**
 * can_sim_mcp251x_select() - change the pin CS
 * @mcp: the chip
 * @selected: CS is low: a command begins; otherwise the command has ended
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_select(struct can_sim_mcp251x *mcp, bool selected)
{
	if (selected == mcp->selected)
		return;
	mcp->selected = selected;
	mcp->count = 0;
	mcp->out = 0;
	can_sim_mcp251x_clear(mcp, mcp->release);
	mcp->release = 0;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mcp251x_select);

/**
 * can_sim_mcp251x_byte() - handle a byte
 * @mcp: the chip
 * @in: byte to the chip
 *
 * Context: the bus's lock, at the time of the last bit.
 * Return: byte from the chip at the same time. It is the state at the time of
 *	the first bit, which is the last bit of the byte before.
 */
u8 can_sim_mcp251x_byte(struct can_sim_mcp251x *mcp, u8 in)
{
	u8 out = mcp->out;

	if (!mcp->selected)
		return 0;
	if (!mcp->count)
		mcp->out = mcp_begin_command(mcp, in);
	else
		mcp->out = mcp_continue_command(mcp, in);
	mcp->count++;
	return out;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mcp251x_byte);

/* Transfers */

static bool mcp_transferring(const struct can_sim_mcp251x *mcp)
{
	return mcp->transfer.done < mcp->transfer.len;
}

static u64 mcp_end_of_byte(const struct can_sim_mcp251x *mcp, unsigned int byte)
{
	const struct can_sim_mcp251x_transfer *transfer = &mcp->transfer;

	return transfer->start + div_u64((byte + 1ULL) * BITS_PER_BYTE *
					 NSEC_PER_SEC, transfer->hz);
}

static u8 mcp_tx_byte(const struct can_sim_mcp251x_transfer *transfer,
		      unsigned int byte)
{
	return transfer->tx ? transfer->tx[byte] : 0;
}

static void mcp_transfer_byte(struct can_sim_mcp251x *mcp)
{
	struct can_sim_mcp251x_transfer *transfer = &mcp->transfer;
	u8 out = can_sim_mcp251x_byte(mcp,
				      mcp_tx_byte(transfer, transfer->done));

	if (transfer->rx)
		transfer->rx[transfer->done] = out;
	transfer->done++;
}

/* Return: true if a byte of a command can change something on the bus. */
static bool mcp_byte_acts(u8 command, unsigned int count)
{
	if (!count)
		return command == MCP_RESET || mcp_is_rts(command);
	return (command == MCP_WRITE && count > 1) ||
	       (command == MCP_BIT_MODIFY && count == 3);
}

/* Return: number of the next byte that acts, or of the last one. */
static unsigned int mcp_next_acting(const struct can_sim_mcp251x *mcp)
{
	const struct can_sim_mcp251x_transfer *transfer = &mcp->transfer;
	unsigned int byte = transfer->done, count = mcp->count;
	u8 command = count ? mcp->command : mcp_tx_byte(transfer, byte);

	while (byte + 1 < transfer->len && !mcp_byte_acts(command, count)) {
		byte++;
		count++;
	}
	return byte;
}

static void mcp_update_timer(struct can_sim_mcp251x *mcp)
{
	mcp->transfer_due = CAN_SIM_NEVER;
	if (mcp->transfer.timed)
		mcp->transfer_due = can_sim_mcp251x_transfer_due(mcp);
	can_sim_mcp251x_set_timer(mcp);
}

/**
 * can_sim_mcp251x_transfer_begin() - begin a transfer
 * @mcp: the chip, without another transfer
 * @transfer: no byte of it has passed; its buffers are used until it has ended
 *
 * If the transfer is timed, the bus's timer handles its bytes at their time,
 * and mcp->transfer_done() is called at the end. Otherwise the caller handles
 * them, by can_sim_mcp251x_transfer_run().
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_transfer_begin(struct can_sim_mcp251x *mcp,
				    const struct can_sim_mcp251x_transfer *transfer)
{
	mcp->transfer = *transfer;
	if (transfer->timed)
		mcp_update_timer(mcp);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mcp251x_transfer_begin);

/**
 * can_sim_mcp251x_transfer_due() - when a transfer has to be handled
 * @mcp: the chip, with a transfer under way
 *
 * Context: the bus's lock.
 * Return: end of the next byte that can change something on the bus, or of the
 *	last byte.
 */
u64 can_sim_mcp251x_transfer_due(const struct can_sim_mcp251x *mcp)
{
	return mcp_end_of_byte(mcp, mcp_next_acting(mcp));
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mcp251x_transfer_due);

/**
 * can_sim_mcp251x_transfer_sync() - handle bytes before an event on the bus
 * @mcp: the chip, which the event will change
 *
 * Bytes that have passed see the chip as it was before. A byte that can change
 * something on the bus is left to can_sim_mcp251x_transfer_run(), with all
 * bytes after it.
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_transfer_sync(struct can_sim_mcp251x *mcp)
{
	u64 now = mcp->chip.node.bus->now;
	unsigned int end;

	if (!mcp_transferring(mcp))
		return;
	end = mcp_next_acting(mcp);
	while (mcp->transfer.done < end &&
	       mcp_end_of_byte(mcp, mcp->transfer.done) <= now)
		mcp_transfer_byte(mcp);
}

/**
 * can_sim_mcp251x_transfer_run() - handle all bytes that have passed
 * @mcp: the chip
 *
 * Context: the bus's lock, but not from operations of the node other than
 *	@woken.
 * Return: true if the transfer has ended.
 */
bool can_sim_mcp251x_transfer_run(struct can_sim_mcp251x *mcp)
{
	u64 now = mcp->chip.node.bus->now;

	while (mcp_transferring(mcp) &&
	       mcp_end_of_byte(mcp, mcp->transfer.done) <= now)
		mcp_transfer_byte(mcp);
	return !mcp_transferring(mcp);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mcp251x_transfer_run);

/**
 * can_sim_mcp251x_transfer_timer() - the time of @woken has come
 * @mcp: the chip; a timed transfer is handled, and the timer is set again
 *
 * Context: the bus's lock, from the operation @woken.
 */
void can_sim_mcp251x_transfer_timer(struct can_sim_mcp251x *mcp)
{
	if (mcp->transfer.timed && can_sim_mcp251x_transfer_run(mcp)) {
		mcp->transfer.timed = false;
		mcp->transfer_done(mcp);
	}
	mcp_update_timer(mcp);
}

/**
 * can_sim_mcp251x_transfer_cancel() - end a transfer before its last byte
 * @mcp: the chip
 *
 * Context: the bus's lock.
 */
void can_sim_mcp251x_transfer_cancel(struct can_sim_mcp251x *mcp)
{
	memset(&mcp->transfer, 0, sizeof(mcp->transfer));
	mcp_update_timer(mcp);
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_mcp251x_transfer_cancel);
