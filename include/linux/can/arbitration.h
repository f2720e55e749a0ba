/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The order in which frames win arbitration (ISO 11898-1:2015, 10.4.2 and 10.8.2): nodes
 * that begin at the same time send bit by bit, and whoever sends recessive (1) while
 * another one sends dominant (0) has lost. The bits that decide, first to last:
 *
 *	base format:		identifier 28 to 18, RTR, IDE = 0
 *	extended format:	identifier 28 to 18, SRR = 1, IDE = 1, identifier 17 to 0, RTR
 *
 * So with the same 11 bits, a data frame in base format precedes a remote frame in base
 * format, and both precede all frames in extended format. CAN FD frames have a dominant
 * RRS in the place of RTR, as data frames have. A CAN XL frame has a priority identifier
 * of 11 bits in base format (CiA 610-1).
 */
#ifndef _CAN_ARBITRATION_H
#define _CAN_ARBITRATION_H

#include <linux/bits.h>
#include <linux/can.h>
#include <linux/can/skb.h>
#include <linux/types.h>

/* bits of a key, below the 11 bits that are first on the wire */
#define CAN_ARBITRATION_SECOND	BIT(20)	/* RTR in base format, SRR in extended format */
#define CAN_ARBITRATION_IDE	BIT(19)

/**
 * can_arbitration_key() - a number for the comparison of two frames
 * @id: identifier with CAN_EFF_FLAG and CAN_RTR_FLAG
 *
 * Context: any.
 * Return: a number that is lower than that of any frame that would lose arbitration
 * against this one, and the same for the same @id.
 */
static inline u32 can_arbitration_key(canid_t id)
{
	bool rtr = id & CAN_RTR_FLAG;

	if (!(id & CAN_EFF_FLAG))
		return (id & CAN_SFF_MASK) << 21 |
		       (rtr ? CAN_ARBITRATION_SECOND : 0);
	id &= CAN_EFF_MASK;
	return (id >> 18) << 21 | CAN_ARBITRATION_SECOND | CAN_ARBITRATION_IDE |
	       (id & GENMASK(17, 0)) << 1 | rtr;
}

/**
 * can_arbitration_key_of_skb() - the same for the frame in an skb
 * @skb: with a valid CAN, CAN FD or CAN XL frame
 *
 * Context: any.
 * Return: as can_arbitration_key()
 */
static inline u32 can_arbitration_key_of_skb(const struct sk_buff *skb)
{
	const struct canxl_frame *xl = (const struct canxl_frame *)skb->data;
	canid_t id = ((const struct can_frame *)skb->data)->can_id;

	if (can_is_canxl_skb(skb))
		return can_arbitration_key(xl->prio & CANXL_PRIO_MASK);
	/* drivers ignore the flag of a CAN FD frame: there are no remote frames */
	if (can_is_canfd_skb(skb))
		id &= ~CAN_RTR_FLAG;
	return can_arbitration_key(id);
}

#endif /* !_CAN_ARBITRATION_H */
