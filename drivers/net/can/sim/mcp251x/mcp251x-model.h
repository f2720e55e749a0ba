/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The MCP2510 and MCP2515 of Microchip: registers and state.
 *
 * SPI commands and operations of the node are built on it, see
 * mcp251x-command.h.
 *
 * Sections and tables are those of the MCP2515 data sheet, DS20001801J, unless
 * said otherwise; DS21291F is the one of the MCP2510.
 *
 * Contexts and locks: all functions are called with the lock of the bus held,
 * see sim.h; they neither sleep nor allocate memory.
 */
#ifndef _CAN_SIM_MCP251X_MODEL_H
#define _CAN_SIM_MCP251X_MODEL_H

#include <linux/bits.h>
#include <linux/types.h>

#include "../chip.h"

/* Registers (table 11-1). CANSTAT and CANCTRL are in each row of sixteen. */
#define MCP_REGISTERS		0x80
#define MCP_ROW			GENMASK(6, 4)
#define MCP_COLUMN		GENMASK(3, 0)
#define MCP_RXF0		0x00	/* see can_sim_mcp251x_rxf() */
#define MCP_BFPCTRL		0x0c
#define MCP_TXRTSCTRL		0x0d
#define MCP_CANSTAT		0x0e
#define MCP_CANCTRL		0x0f
#define MCP_TEC			0x1c
#define MCP_REC			0x1d
#define MCP_RXM(n)		(0x20 + 4 * (n))
#define MCP_CNF3		0x28
#define MCP_CNF2		0x29
#define MCP_CNF1		0x2a
#define MCP_CANINTE		0x2b
#define MCP_CANINTF		0x2c
#define MCP_EFLG		0x2d
#define MCP_TXB(n)		(0x30 + 0x10 * (n))
#define MCP_RXB(n)		(0x60 + 0x10 * (n))

/* In a transmit or receive buffer, after its control register */
#define MCP_ID			1
#define MCP_DLC			5
#define MCP_DATA		6

/* In an identifier (registers 3-3 to 3-6, 4-4 to 4-7, 4-10 to 4-17) */
#define MCP_SIDH		0
#define MCP_SIDL		1
#define MCP_EID8		2
#define MCP_EID0		3
#define MCP_SIDL_SID		GENMASK(7, 5)
#define MCP_SIDL_SRR		BIT(4)	/* in receive buffers */
#define MCP_SIDL_EXIDE		BIT(3)
#define MCP_SIDL_EID		GENMASK(1, 0)
#define MCP_DLC_RTR		BIT(6)
#define MCP_DLC_DLC		GENMASK(3, 0)

/* BFPCTRL (register 4-3) */
#define MCP_BFS			GENMASK(5, 4)
#define MCP_BFE			GENMASK(3, 2)
#define MCP_BFM			GENMASK(1, 0)

/* TXRTSCTRL (register 3-2) */
#define MCP_RTS			GENMASK(5, 3)
#define MCP_RTSM		GENMASK(2, 0)

/* CANSTAT (register 10-2) */
#define MCP_OPMOD		GENMASK(7, 5)
#define MCP_ICOD		GENMASK(3, 1)

/* CANCTRL (register 10-1) */
#define MCP_REQOP		GENMASK(7, 5)
#define MCP_ABAT		BIT(4)
#define MCP_OSM			BIT(3)	/* MCP2515 */
#define MCP_CLKEN		BIT(2)
#define MCP_CLKPRE		GENMASK(1, 0)

/* CNF3, CNF2, CNF1 (registers 5-1 to 5-3) */
#define MCP_SOF			BIT(7)	/* MCP2515 */
#define MCP_WAKFIL		BIT(6)
#define MCP_PHSEG2		GENMASK(2, 0)
#define MCP_BTLMODE		BIT(7)
#define MCP_SAM			BIT(6)
#define MCP_PHSEG1		GENMASK(5, 3)
#define MCP_PRSEG		GENMASK(2, 0)
#define MCP_SJW			GENMASK(7, 6)
#define MCP_BRP			GENMASK(5, 0)

/* CANINTE and CANINTF (registers 7-1 and 7-2) */
#define MCP_MERR		BIT(7)
#define MCP_WAK			BIT(6)
#define MCP_ERR			BIT(5)
#define MCP_TX(n)		(BIT(2) << (n))
#define MCP_RX(n)		(BIT(0) << (n))

/* EFLG (register 6-3) */
#define MCP_RXOVR(n)		(BIT(6) << (n))
#define MCP_TXBO		BIT(5)
#define MCP_TXEP		BIT(4)
#define MCP_RXEP		BIT(3)
#define MCP_TXWAR		BIT(2)
#define MCP_RXWAR		BIT(1)
#define MCP_EWARN		BIT(0)

/* TXBnCTRL (register 3-1) */
#define MCP_ABTF		BIT(6)
#define MCP_MLOA		BIT(5)
#define MCP_TXERR		BIT(4)
#define MCP_TXREQ		BIT(3)
#define MCP_TXP			GENMASK(1, 0)

/* RXB0CTRL and RXB1CTRL (registers 4-1 and 4-2) */
#define MCP_RXM_BITS		GENMASK(6, 5)
#define MCP_RXRTR		BIT(3)
#define MCP_BUKT		BIT(2)
#define MCP_BUKT1		BIT(1)
#define MCP_FILHIT0		BIT(0)
#define MCP_FILHIT1		GENMASK(2, 0)

/* RXM bits: frames that a receive buffer accepts */
#define MCP_RXM_FILTERED	0
#define MCP_RXM_STANDARD	1
#define MCP_RXM_EXTENDED	2
#define MCP_RXM_ANY		3

/* Commands (table 12-1); the lower bits of some are an argument */
#define MCP_WRITE		0x02
#define MCP_READ		0x03
#define MCP_BIT_MODIFY		0x05
#define MCP_LOAD_TX		0x40	/* MCP2515 */
#define MCP_LOAD_TX_ARG		GENMASK(2, 0)
#define MCP_REQUEST		0x80
#define MCP_REQUEST_ARG		GENMASK(2, 0)
#define MCP_READ_RX		0x90	/* MCP2515 */
#define MCP_READ_RX_ARG		GENMASK(2, 1)
#define MCP_READ_STATUS		0xa0
#define MCP_RX_STATUS		0xb0	/* MCP2515 */
#define MCP_RESET		0xc0

/* READ STATUS (figure 12-8) */
#define MCP_STATUS_RX		GENMASK(1, 0)
#define MCP_STATUS_TXREQ(n)	(BIT(2) << (2 * (n)))
#define MCP_STATUS_TX(n)	(BIT(3) << (2 * (n)))

/* RX STATUS (figure 12-9) */
#define MCP_RX_STATUS_RX	GENMASK(7, 6)
#define MCP_RX_STATUS_EXT	BIT(4)
#define MCP_RX_STATUS_RTR	BIT(3)
#define MCP_RX_STATUS_FILTER	GENMASK(2, 0)
#define MCP_RX_STATUS_ROLLED	6	/* added to 0 or 1 */

#define MCP_TX_BUFFERS		3
#define MCP_FILTERS		6

/* Address of an acceptance filter: each row has three of them. */
static inline u8 can_sim_mcp251x_rxf(unsigned int number)
{
	return MCP_RXF0 + 4 * (number + number / 3);
}

/**
 * enum can_sim_mcp251x_mode - modes of operation, as in REQOP and OPMOD (section 10)
 * @MCP_NORMAL: sends, receives, acknowledges
 * @MCP_SLEEP: off the bus until woken
 * @MCP_LOOPBACK: off the bus; receives its own frames
 * @MCP_LISTEN_ONLY: receives only
 * @MCP_CONFIG: off the bus; all registers can be written
 */
enum can_sim_mcp251x_mode {
	MCP_NORMAL,
	MCP_SLEEP,
	MCP_LOOPBACK,
	MCP_LISTEN_ONLY,
	MCP_CONFIG,
};

/**
 * struct can_sim_mcp251x_transfer - an SPI transfer
 * @tx: bytes to the chip; NULL for zeros
 * @rx: bytes from it, or NULL
 * @len: number of bytes
 * @done: bytes that were handled
 * @start: time at which the first byte begins
 * @hz: clock of SPI
 * @timed: the bus's timer handles bytes, otherwise the caller does
 */
struct can_sim_mcp251x_transfer {
	const u8 *tx;
	u8 *rx;
	unsigned int len;
	unsigned int done;
	u64 start;
	u32 hz;
	bool timed;
};

/**
 * struct can_sim_mcp251x - an MCP2510 or MCP2515
 * @chip: with its node on the bus
 * @interrupt: called when the pin INT becomes active or inactive. Context: as
 *	for struct can_sim_node_ops
 * @transfer_done: called when the last byte of a timed transfer has passed.
 *	Context: as for struct can_sim_node_ops
 * @mcp2510: it is an MCP2510
 * @crystal: frequency of the oscillator, in Hz
 * @reg: stored registers; see can_sim_mcp251x_read() for others
 * @mode: of operation
 * @wanted: the mode requested last
 * @sending: transmit buffer whose frame is on the bus, or negative
 * @rolled: the frame in receive buffer 1 was accepted for buffer 0 (rollover)
 * @errors: bits of EFLG that follow from the error counters
 * @interrupting: last argument of @interrupt
 * @loopback_end: time when the frame sent in loopback mode ends, or
 *	CAN_SIM_NEVER
 * @selected: the pin CS is low
 * @count: bytes since CS is low
 * @command: the first one of them
 * @address: of the next register
 * @mask: of BIT MODIFY
 * @release: bits of CANINTF that the end of the command clears
 * @out: the next byte to the driver
 * @transfer: that is under way
 * @transfer_due: time when the bus's timer has to handle it, or CAN_SIM_NEVER
 */
struct can_sim_mcp251x {
	struct can_sim_chip chip;
	void (*interrupt)(struct can_sim_mcp251x *mcp, bool active);
	void (*transfer_done)(struct can_sim_mcp251x *mcp);
	bool mcp2510;
	u32 crystal;

	u8 reg[MCP_REGISTERS];
	enum can_sim_mcp251x_mode mode;
	enum can_sim_mcp251x_mode wanted;
	int sending;
	bool rolled;
	u8 errors;
	bool interrupting;
	u64 loopback_end;

	bool selected;
	unsigned int count;
	u8 command;
	u8 address;
	u8 mask;
	u8 release;
	u8 out;
	struct can_sim_mcp251x_transfer transfer;
	u64 transfer_due;
};

/* Registers */

void can_sim_mcp251x_power_on(struct can_sim_mcp251x *mcp);
void can_sim_mcp251x_reset(struct can_sim_mcp251x *mcp);
u8 can_sim_mcp251x_read(const struct can_sim_mcp251x *mcp, u8 address);
void can_sim_mcp251x_write(struct can_sim_mcp251x *mcp, u8 address, u8 value);
void can_sim_mcp251x_modify(struct can_sim_mcp251x *mcp, u8 address, u8 mask,
			    u8 value);
void can_sim_mcp251x_clear(struct can_sim_mcp251x *mcp, u8 flags);
void can_sim_mcp251x_request(struct can_sim_mcp251x *mcp, u8 buffers);
void can_sim_mcp251x_set_timer(struct can_sim_mcp251x *mcp);

/* Events on the bus */

bool can_sim_mcp251x_load(struct can_sim_mcp251x *mcp,
			  struct can_sim_frame *frame);
void can_sim_mcp251x_sent(struct can_sim_mcp251x *mcp);
void can_sim_mcp251x_not_sent(struct can_sim_mcp251x *mcp, u8 why);
void can_sim_mcp251x_loopback_end(struct can_sim_mcp251x *mcp);
void can_sim_mcp251x_received(struct can_sim_mcp251x *mcp,
			      const struct can_sim_frame *frame);
void can_sim_mcp251x_error(struct can_sim_mcp251x *mcp,
			   const struct can_sim_error *error);
void can_sim_mcp251x_counted(struct can_sim_mcp251x *mcp);

#endif /* !_CAN_SIM_MCP251X_MODEL_H */
