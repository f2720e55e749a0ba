/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The SJA1000 in PeliCAN mode.
 *
 * Sections and tables are those of the data sheet of 4 January 2000. There is
 * no BasicCAN mode: the chip does not leave reset mode until CDR.7 is set. The
 * output control register and the other bits of the clock divider register are
 * stored and have no effect.
 *
 * Contexts and locks: all functions are called with the lock of the bus held,
 * see sim.h; they neither sleep nor allocate memory.
 */
#ifndef _CAN_SIM_SJA1000_MODEL_H
#define _CAN_SIM_SJA1000_MODEL_H

#include <linux/bits.h>
#include <linux/types.h>

#include "../chip.h"

/* Mode register (6.4.3) */
#define SJA_MOD			0
#define SJA_MOD_SM		BIT(4)	/* sleep */
#define SJA_MOD_AFM		BIT(3)	/* single acceptance filter */
#define SJA_MOD_STM		BIT(2)	/* self test */
#define SJA_MOD_LOM		BIT(1)	/* listen only */
#define SJA_MOD_RM		BIT(0)	/* reset */

/* Command register (6.4.4) */
#define SJA_CMR			1
#define SJA_CMR_SRR		BIT(4)	/* self reception request */
#define SJA_CMR_CDO		BIT(3)	/* clear data overrun */
#define SJA_CMR_RRB		BIT(2)	/* release receive buffer */
#define SJA_CMR_AT		BIT(1)	/* abort transmission */
#define SJA_CMR_TR		BIT(0)	/* transmission request */

/* Status register (6.4.5) */
#define SJA_SR			2
#define SJA_SR_BS		BIT(7)	/* bus off */
#define SJA_SR_ES		BIT(6)	/* error: a counter reached the limit */
#define SJA_SR_TS		BIT(5)	/* transmits */
#define SJA_SR_RS		BIT(4)	/* receives; with TS: waits for an idle bus */
#define SJA_SR_TCS		BIT(3)	/* transmission complete */
#define SJA_SR_TBS		BIT(2)	/* transmit buffer released */
#define SJA_SR_DOS		BIT(1)	/* data overrun */
#define SJA_SR_RBS		BIT(0)	/* receive buffer full */

/* Interrupt register (6.4.6), and interrupt enable register (6.4.7) with the
 * same bits
 */
#define SJA_IR			3
#define SJA_IER			4
#define SJA_IR_BEI		BIT(7)	/* bus error */
#define SJA_IR_ALI		BIT(6)	/* arbitration lost */
#define SJA_IR_EPI		BIT(5)	/* error passive */
#define SJA_IR_WUI		BIT(4)	/* wake-up */
#define SJA_IR_DOI		BIT(3)	/* data overrun */
#define SJA_IR_EI		BIT(2)	/* error warning */
#define SJA_IR_TI		BIT(1)	/* transmit */
#define SJA_IR_RI		BIT(0)	/* receive */

/* Bus timing registers (6.5.1, 6.5.2) */
#define SJA_BTR0		6
#define SJA_BTR0_SJW		GENMASK(7, 6)
#define SJA_BTR0_BRP		GENMASK(5, 0)
#define SJA_BTR1		7
#define SJA_BTR1_SAM		BIT(7)
#define SJA_BTR1_TSEG2		GENMASK(6, 4)
#define SJA_BTR1_TSEG1		GENMASK(3, 0)

/* Output control register (6.5.3) */
#define SJA_OCR			8

/* Arbitration lost capture register (6.4.8) */
#define SJA_ALC			11
#define SJA_ALC_BIT		GENMASK(4, 0)

/* Error code capture register (6.4.9) */
#define SJA_ECC			12
#define SJA_ECC_TYPE		GENMASK(7, 6)
#define SJA_ECC_BIT_ERROR	0
#define SJA_ECC_FORM_ERROR	1
#define SJA_ECC_STUFF_ERROR	2
#define SJA_ECC_OTHER_ERROR	3
#define SJA_ECC_RECEIVING	BIT(5)
#define SJA_ECC_SEGMENT		GENMASK(4, 0)

/* Error warning limit and error counters (6.4.10 to 6.4.12) */
#define SJA_EWLR		13
#define SJA_RXERR		14
#define SJA_TXERR		15

/* Transmit buffer and window on the receive FIFO (6.4.13, 6.4.14); in reset
 * mode acceptance code and mask (6.4.15)
 */
#define SJA_BUFFER		16
#define SJA_BUFFER_BYTES	13
#define SJA_ACR			16
#define SJA_AMR			20
#define SJA_FILTER_BYTES	8

/* Frame information, the first byte of a buffer */
#define SJA_FI_FF		BIT(7)	/* extended frame format */
#define SJA_FI_RTR		BIT(6)
#define SJA_FI_DLC		GENMASK(3, 0)

/* Identifiers, as the numbers that their bytes make */
#define SJA_SFF_ID		GENMASK(15, 5)
#define SJA_SFF_RTR		BIT(4)
#define SJA_EFF_ID		GENMASK(31, 3)
#define SJA_EFF_RTR		BIT(2)

/* Bytes before the data */
#define SJA_SFF_HEADER		3
#define SJA_EFF_HEADER		5

/* Receive message counter and receive buffer start address (6.4.16, 6.4.17) */
#define SJA_RMC			29
#define SJA_RBSA		30
#define SJA_RBSA_ADDRESS	GENMASK(5, 0)

/* Clock divider register (6.5.4) */
#define SJA_CDR			31
#define SJA_CDR_PELICAN		BIT(7)
#define SJA_CDR_CBP		BIT(6)
#define SJA_CDR_RXINTEN		BIT(5)
#define SJA_CDR_CLOCK_OFF	BIT(3)
#define SJA_CDR_CD		GENMASK(2, 0)

/* Internal RAM: receive FIFO, transmit buffer, and three bytes more (6.4.1) */
#define SJA_RAM			32
#define SJA_FIFO_BYTES		64
#define SJA_RAM_TX		SJA_FIFO_BYTES
#define SJA_RAM_BYTES		80

/* After a hardware reset (6.4.10) */
#define SJA_EWLR_DEFAULT	96

/* Oscillator of most boards */
#define SJA_CRYSTAL_HZ		16000000

/**
 * struct can_sim_sja1000 - an SJA1000
 * @chip: with its node on the bus
 * @interrupt: called when the interrupt line becomes active or inactive.
 *	Context: as for struct can_sim_node_ops
 * @crystal: frequency of the oscillator, in Hz; takes effect at the next reset
 *	or write to a bus timing register
 * @interrupting: last argument of @interrupt
 * @mod: mode register
 * @status: stored bits of the status register: BS, ES, TCS, TBS and DOS
 * @ir: interrupt register without RI, which follows FIFO and @ier
 * @ier: interrupt enable register
 * @btr0: bus timing register 0
 * @btr1: bus timing register 1
 * @ocr: output control register
 * @cdr: clock divider register
 * @alc: arbitration lost capture register
 * @ecc: error code capture register
 * @alc_fixed: @alc keeps its value until it is read
 * @ecc_fixed: @ecc keeps its value until it is read
 * @ewlr: error warning limit register
 * @passive: error passive, as reported by the last interrupt
 * @countdown: value of TXERR while bus off in reset mode
 * @force_off: TXERR was set to 255: go bus off when reset mode is left
 * @pending: the transmit buffer is to be sent, or being sent
 * @once: it is not sent again after a failed attempt
 * @self: it is received as well
 * @rbsa: offset of the FIFO in @ram
 * @used: bytes in the FIFO
 * @rmc: messages in the FIFO
 * @filter: acceptance code, acceptance mask
 * @ram: internal RAM
 */
struct can_sim_sja1000 {
	struct can_sim_chip chip;
	void (*interrupt)(struct can_sim_sja1000 *sja, bool active);
	u32 crystal;

	bool interrupting;
	u8 mod;
	u8 status;
	u8 ir;
	u8 ier;
	u8 btr0;
	u8 btr1;
	u8 ocr;
	u8 cdr;
	u8 alc;
	u8 ecc;
	bool alc_fixed;
	bool ecc_fixed;
	u8 ewlr;
	bool passive;
	u8 countdown;
	bool force_off;
	bool pending;
	bool once;
	bool self;
	u8 rbsa;
	u8 used;
	u8 rmc;
	u8 filter[SJA_FILTER_BYTES];
	u8 ram[SJA_RAM_BYTES];
};

void can_sim_sja1000_init(struct can_sim_sja1000 *sja,
			  void (*interrupt)(struct can_sim_sja1000 *sja,
					    bool active));
void can_sim_sja1000_reset(struct can_sim_sja1000 *sja);
u8 can_sim_sja1000_read(struct can_sim_sja1000 *sja, unsigned int reg);
void can_sim_sja1000_write(struct can_sim_sja1000 *sja, unsigned int reg,
			   u8 value);

#endif /* !_CAN_SIM_SJA1000_MODEL_H */
