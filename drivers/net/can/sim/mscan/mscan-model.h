/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The MSCAN of the MPC5200 and MPC5121.
 *
 * Sections are those of the description of the S12MSCANV3 in chapter 18 of the
 * MC9S12G reference manual, without the 18, unless said otherwise. Offsets are
 * those of the MPC5200 and MPC5121, which put two registers into each word.
 *
 * The MPC5121 can hold bus off (BORM, BOHOLD), which the MPC5200 cannot, and
 * its driver reads the error counters in any mode. CLKSRC, SAMP, WUPM and CSWAI
 * are stored and have no effect. Timestamps are zero.
 *
 * Contexts and locks: all functions are called with the lock of the bus held,
 * see sim.h; they neither sleep nor allocate memory.
 */
#ifndef _CAN_SIM_MSCAN_MODEL_H
#define _CAN_SIM_MSCAN_MODEL_H

#include <linux/bits.h>
#include <linux/types.h>

#include "../chip.h"

/* Control register 0 (3.2.1) */
#define MSC_CTL0		0x00
#define MSC_CTL0_RXFRM		BIT(7)	/* a frame was received */
#define MSC_CTL0_RXACT		BIT(6)	/* a frame is being received */
#define MSC_CTL0_CSWAI		BIT(5)	/* stop while the CPU waits */
#define MSC_CTL0_SYNCH		BIT(4)	/* has joined the bus */
#define MSC_CTL0_TIME		BIT(3)	/* timestamps */
#define MSC_CTL0_WUPE		BIT(2)	/* wake up by the bus */
#define MSC_CTL0_SLPRQ		BIT(1)	/* sleep mode, request */
#define MSC_CTL0_INITRQ		BIT(0)	/* initialisation mode, request */

/* Control register 1 (3.2.2) */
#define MSC_CTL1		0x01
#define MSC_CTL1_CANE		BIT(7)	/* enable */
#define MSC_CTL1_CLKSRC		BIT(6)
#define MSC_CTL1_LOOPB		BIT(5)	/* loop back */
#define MSC_CTL1_LISTEN		BIT(4)	/* listen only */
#define MSC_CTL1_BORM		BIT(3)	/* recover from bus off on request */
#define MSC_CTL1_WUPM		BIT(2)
#define MSC_CTL1_SLPAK		BIT(1)	/* sleep mode, acknowledge */
#define MSC_CTL1_INITAK		BIT(0)	/* initialisation mode, acknowledge */

/* Bus timing registers (3.2.3, 3.2.4) */
#define MSC_BTR0		0x04
#define MSC_BTR0_SJW		GENMASK(7, 6)
#define MSC_BTR0_BRP		GENMASK(5, 0)
#define MSC_BTR1		0x05
#define MSC_BTR1_SAMP		BIT(7)
#define MSC_BTR1_TSEG2		GENMASK(6, 4)
#define MSC_BTR1_TSEG1		GENMASK(3, 0)

/* Receiver flag register (3.2.5), and receiver interrupt enable register with
 * the same bits (3.2.6), where RSTAT and TSTAT select changes
 */
#define MSC_RFLG		0x08
#define MSC_RIER		0x09
#define MSC_RFLG_WUPIF		BIT(7)	/* woken up */
#define MSC_RFLG_CSCIF		BIT(6)	/* status has changed */
#define MSC_RFLG_RSTAT		GENMASK(5, 4)
#define MSC_RFLG_TSTAT		GENMASK(3, 2)
#define MSC_RFLG_OVRIF		BIT(1)	/* overrun */
#define MSC_RFLG_RXF		BIT(0)	/* foreground buffer full */
#define MSC_RFLG_STATUS		(MSC_RFLG_RSTAT | MSC_RFLG_TSTAT)
#define MSC_RFLG_FLAGS		(MSC_RFLG_WUPIF | MSC_RFLG_CSCIF | \
				 MSC_RFLG_OVRIF | MSC_RFLG_RXF)

/* Values of RSTAT and TSTAT */
#define MSC_STATUS_OK		0
#define MSC_STATUS_WARNING	1
#define MSC_STATUS_ERROR	2
#define MSC_STATUS_BUS_OFF	3

/* A bit for each transmit buffer: transmitter flag register and its interrupt
 * enable register, abort request and acknowledge, selection (3.2.7 to 3.2.11)
 */
#define MSC_TFLG		0x0c
#define MSC_TIER		0x0d
#define MSC_TARQ		0x10
#define MSC_TAAK		0x11
#define MSC_TBSEL		0x14
#define MSC_TX_BUFFERS		3
#define MSC_TX_ALL		GENMASK(MSC_TX_BUFFERS - 1, 0)

/* Identifier acceptance control register (3.2.12) */
#define MSC_IDAC		0x15
#define MSC_IDAC_IDAM		GENMASK(5, 4)
#define MSC_IDAC_IDHIT		GENMASK(2, 0)

/* Values of IDAM */
#define MSC_IDAM_32_BITS	0
#define MSC_IDAM_16_BITS	1
#define MSC_IDAM_8_BITS		2
#define MSC_IDAM_CLOSED		3

/* Miscellaneous register (3.2.13) */
#define MSC_MISC		0x19
#define MSC_MISC_BOHOLD		BIT(0)

/* Error counters (3.2.14, 3.2.15) */
#define MSC_RXERR		0x1c
#define MSC_TXERR		0x1d

/* Identifier acceptance and mask registers (3.2.16, 3.2.17): twice four of the
 * first and four of the second
 */
#define MSC_FILTERS		0x20
#define MSC_FILTERS_END		0x40
#define MSC_FILTER_BYTES	8

/* Windows of the foreground receive buffer and of a transmit buffer (3.3) */
#define MSC_RX			0x40
#define MSC_RX_END		0x60
#define MSC_TX			0x60
#define MSC_TX_END		0x80

/* Offsets in these windows, without the gaps */
#define MSC_BUFFER_BYTES	16
#define MSC_IDR			0
#define MSC_DSR			4
#define MSC_DLR			12
#define MSC_DLR_DLC		GENMASK(3, 0)
#define MSC_TBPR		13
#define MSC_TSR			14

/* IDR0 to IDR3 as a number (3.3.1) */
#define MSC_IDR_SFF_ID		GENMASK(31, 21)
#define MSC_IDR_SFF_RTR		BIT(20)
#define MSC_IDR_EFF_ID28_18	GENMASK(31, 21)
#define MSC_IDR_SRR		BIT(20)
#define MSC_IDR_IDE		BIT(19)
#define MSC_IDR_EFF_ID17_0	GENMASK(18, 1)
#define MSC_IDR_EFF_RTR		BIT(0)

/* The receive FIFO: the foreground buffer and four background buffers (4.2.3) */
#define MSC_RX_BUFFERS		5

/**
 * struct can_sim_mscan_rx - a buffer of the receive FIFO
 * @byte: as in the window
 * @hit: number of the acceptance filter that has accepted the frame
 */
struct can_sim_mscan_rx {
	u8 byte[MSC_BUFFER_BYTES];
	u8 hit;
};

/**
 * struct can_sim_mscan - an MSCAN
 * @chip: with its node on the bus
 * @interrupt: called when the interrupt line becomes active or inactive.
 *	Context: as for struct can_sim_node_ops
 * @mpc5121: it is the MSCAN of the MPC5121, otherwise of the MPC5200
 * @clock: of the bit timing, in Hz
 * @interrupting: last argument of @interrupt
 * @ctl0: control register 0 without RXACT and SYNCH
 * @ctl1: control register 1
 * @btr0: bus timing register 0
 * @btr1: bus timing register 1
 * @rflg: receiver flag register
 * @rier: receiver interrupt enable register
 * @tflg: transmitter flag register
 * @tier: transmitter interrupt enable register
 * @tarq: transmitter message abort request register
 * @taak: transmitter message abort acknowledge register
 * @tbsel: transmit buffer selection register
 * @idac: identifier acceptance control register
 * @misc: miscellaneous register
 * @idar: identifier acceptance registers, padded for unaligned reads
 * @idmr: identifier mask registers, padded likewise
 * @tx: transmit buffers
 * @sending: the buffer that was loaded last, or that is looped back
 * @looping: a frame is being looped back, until @chip.node.wake
 * @rx: receive FIFO, a ring
 * @rx_first: the present or next foreground buffer
 * @rx_count: frames in the FIFO; the first is in the foreground if RXF is set
 * @recoveries: sequences of eleven recessive bits that were missing when a node
 *	that was bus off was switched off
 * @held: the recovery is complete, but BOHOLD keeps the node bus off
 */
struct can_sim_mscan {
	struct can_sim_chip chip;
	void (*interrupt)(struct can_sim_mscan *mscan, bool active);
	bool mpc5121;
	u32 clock;

	bool interrupting;
	u8 ctl0;
	u8 ctl1;
	u8 btr0;
	u8 btr1;
	u8 rflg;
	u8 rier;
	u8 tflg;
	u8 tier;
	u8 tarq;
	u8 taak;
	u8 tbsel;
	u8 idac;
	u8 misc;
	u8 idar[MSC_FILTER_BYTES + 3];
	u8 idmr[MSC_FILTER_BYTES + 3];
	u8 tx[MSC_TX_BUFFERS][MSC_BUFFER_BYTES];
	u8 sending;
	bool looping;
	struct can_sim_mscan_rx rx[MSC_RX_BUFFERS];
	u8 rx_first;
	u8 rx_count;
	unsigned int recoveries;
	bool held;
};

void can_sim_mscan_init(struct can_sim_mscan *mscan, bool mpc5121,
			void (*interrupt)(struct can_sim_mscan *mscan,
					  bool active));
void can_sim_mscan_reset(struct can_sim_mscan *mscan);
u8 can_sim_mscan_read(struct can_sim_mscan *mscan, unsigned int offset);
void can_sim_mscan_write(struct can_sim_mscan *mscan, unsigned int offset,
			 u8 value);

#endif /* !_CAN_SIM_MSCAN_MODEL_H */
