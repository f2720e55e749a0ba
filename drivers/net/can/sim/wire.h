/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Classical CAN frames as bits on the wire (ISO 11898-1:2015, clause 10.4).
 *
 * Context: any.
 */
#ifndef _CAN_SIM_WIRE_H
#define _CAN_SIM_WIRE_H

#include <linux/types.h>

/* Of an extended frame with eight bytes of data and the most stuff bits: one
 * after the first five bits and one after each further four
 */
#define CAN_SIM_MOST_BITS 160

/* From the end of the checksum to the end of the frame: CRC delimiter, ACK
 * slot, ACK delimiter and end of frame; then intermission.
 */
#define CAN_SIM_TRAILER_BITS 10
#define CAN_SIM_EOF_BITS 7
#define CAN_SIM_INTERMISSION_BITS 3

/**
 * struct can_sim_frame - a Classical CAN frame
 * @id: identifier, with CAN_EFF_FLAG and CAN_RTR_FLAG
 * @dlc: data length code, 0 to 15
 * @data: can_sim_frame_len() bytes of it are used
 */
struct can_sim_frame {
	u32 id;
	u8 dlc;
	u8 data[8];
};

/**
 * enum can_sim_segment - segments of a frame
 * @CAN_SIM_SEG_ID28_21: the first eight bits of the identifier
 * @CAN_SIM_SEG_SOF: start of frame
 * @CAN_SIM_SEG_SRTR: RTR of a standard frame, SRR of an extended one
 * @CAN_SIM_SEG_IDE: IDE
 * @CAN_SIM_SEG_ID20_18: the next three bits of the identifier
 * @CAN_SIM_SEG_ID17_13: the first five bits of the extension
 * @CAN_SIM_SEG_CRC: checksum
 * @CAN_SIM_SEG_R0: reserved bit 0
 * @CAN_SIM_SEG_DATA: data field
 * @CAN_SIM_SEG_DLC: data length code
 * @CAN_SIM_SEG_RTR: RTR of an extended frame
 * @CAN_SIM_SEG_R1: reserved bit 1
 * @CAN_SIM_SEG_ID4_0: the last five bits of the extension
 * @CAN_SIM_SEG_ID12_5: the next eight bits of the extension
 * @CAN_SIM_SEG_CRC_DELIM: CRC delimiter
 * @CAN_SIM_SEG_ACK_SLOT: ACK slot
 * @CAN_SIM_SEG_EOF: end of frame
 * @CAN_SIM_SEG_ACK_DELIM: ACK delimiter
 *
 * The values are those of the error code capture register of the SJA1000 (data
 * sheet of 4 January 2000, table 21), which CAN_ERR_PROT frames use as well.
 */
enum can_sim_segment {
	CAN_SIM_SEG_ID28_21	= 0x02,
	CAN_SIM_SEG_SOF		= 0x03,
	CAN_SIM_SEG_SRTR	= 0x04,
	CAN_SIM_SEG_IDE		= 0x05,
	CAN_SIM_SEG_ID20_18	= 0x06,
	CAN_SIM_SEG_ID17_13	= 0x07,
	CAN_SIM_SEG_CRC		= 0x08,
	CAN_SIM_SEG_R0		= 0x09,
	CAN_SIM_SEG_DATA	= 0x0a,
	CAN_SIM_SEG_DLC		= 0x0b,
	CAN_SIM_SEG_RTR		= 0x0c,
	CAN_SIM_SEG_R1		= 0x0d,
	CAN_SIM_SEG_ID4_0	= 0x0e,
	CAN_SIM_SEG_ID12_5	= 0x0f,
	CAN_SIM_SEG_CRC_DELIM	= 0x18,
	CAN_SIM_SEG_ACK_SLOT	= 0x19,
	CAN_SIM_SEG_EOF		= 0x1a,
	CAN_SIM_SEG_ACK_DELIM	= 0x1b,
};

/**
 * struct can_sim_bits - a frame on the wire
 * @length: bits from SOF to the end of EOF, with stuff bits
 * @crc: checksum
 * @stuffed: number of bits before the CRC delimiter
 * @unstuffed: the same without stuff bits
 * @arbitration: number of bits up to the end of arbitration, see
 *	can_sim_wire_arbitration()
 * @level: of each bit, 1 is recessive; the ACK slot is that of the transmitter
 * @segment: of each bit, enum can_sim_segment; a stuff bit belongs to the
 *	segment of the bit before
 * @stuff: whether each bit is a stuff bit
 */
struct can_sim_bits {
	unsigned int length;
	u16 crc;
	unsigned int stuffed;
	unsigned int unstuffed;
	unsigned int arbitration;
	u8 level[CAN_SIM_MOST_BITS];
	u8 segment[CAN_SIM_MOST_BITS];
	bool stuff[CAN_SIM_MOST_BITS];
};

void can_sim_wire_init(void);
unsigned int can_sim_frame_len(const struct can_sim_frame *frame);
unsigned int can_sim_wire_length(const struct can_sim_frame *frame);
unsigned int can_sim_wire_arbitration(const struct can_sim_frame *frame);
void can_sim_wire_expand(const struct can_sim_frame *frame,
			 struct can_sim_bits *bits);
u32 can_sim_wire_priority(const struct can_sim_frame *frame);

#endif /* !_CAN_SIM_WIRE_H */
