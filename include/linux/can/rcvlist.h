/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The memory of a list of CAN receive filters. It is here, and not beside its
 * functions in net/can/rcvlist.h, because each CAN device holds one by value.
 * Only net/can/rcvlist.c, rcvlist-rx.c and rcvlist.h look inside.
 */
#ifndef _CAN_RCVLIST_H
#define _CAN_RCVLIST_H

#include <linux/can.h>
#include <linux/list.h>
#include <linux/types.h>

struct can_rcv_table;

/**
 * enum can_rcv_class - the kinds of filters, as /proc/net/can shows them
 * @CAN_RCV_ERR: for error message frames
 * @CAN_RCV_ALL: everything but error message frames
 * @CAN_RCV_FIL: identifier and mask
 * @CAN_RCV_INV: what identifier and mask do not match
 * @CAN_RCV_PLAIN: number of kinds that a single list can hold
 * @CAN_RCV_EFF: one extended identifier, no RTR frames
 * @CAN_RCV_SFF: one standard identifier, no RTR frames
 */
enum can_rcv_class {
	CAN_RCV_ERR,
	CAN_RCV_ALL,
	CAN_RCV_FIL,
	CAN_RCV_INV,
	CAN_RCV_PLAIN,
	CAN_RCV_EFF = CAN_RCV_PLAIN,
	CAN_RCV_SFF,
};

/**
 * struct can_rcv_hash - entries by hash, for writers only
 * @bucket: 2^@bits of them, or NULL while @one is enough
 * @one: the only bucket as long as @bits is 0
 * @bits: width of the part of the hash that counts
 * @entries: in all buckets
 */
struct can_rcv_hash {
	struct hlist_head *bucket;
	struct hlist_head one;
	unsigned int bits;
	unsigned int entries;
};

/**
 * struct can_rcvlist - receive filters, and whom to call for them
 * @plain: lists of the kinds below CAN_RCV_PLAIN; of CAN_RCV_FIL the first few
 *	of each mask
 * @tables: for CAN_RCV_FIL, a struct can_rcv_table for each mask that has more
 * @eff: table of CAN_RCV_EFF, NULL without any
 * @entries: receivers of all kinds
 * @filtered: of these, receivers for some frames only, no error message frames
 * @born: of the youngest receiver, see struct receiver
 * @receivers: all of them, by all that identifies them
 * @masks: one struct can_rcv_mask for each mask of CAN_RCV_FIL, by its value
 * @gfp: __GFP_ACCOUNT if its receivers count as memory of who adds them
 * @sff: lists of CAN_RCV_SFF, by identifier
 *
 * All zero is an empty list. Readers walk @plain, @tables, @eff and @sff under
 * rcu_read_lock(); everything else is the writers', one at a time.
 */
struct can_rcvlist {
	struct hlist_head plain[CAN_RCV_PLAIN];
	struct hlist_head tables;
	struct can_rcv_table __rcu *eff;
	unsigned int entries;
	unsigned int filtered;
	u64 born;
	struct can_rcv_hash receivers;
	struct can_rcv_hash masks;
	gfp_t gfp;
	struct hlist_head sff[1 << CAN_SFF_ID_BITS];
};

#endif /* !_CAN_RCVLIST_H */
