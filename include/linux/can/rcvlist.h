/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
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

struct can_rcv_owner;
struct can_rcv_table;

/**
 * enum can_rcv_class - the kinds of filters, as /proc/net/can shows them
 * @CAN_RCV_ERR: for error message frames
 * @CAN_RCV_ALL: everything but error message frames
 * @CAN_RCV_FIL: identifier and mask
 * @CAN_RCV_INV: what identifier and mask do not match
 * @CAN_RCV_EFF: one extended identifier, no RTR frames
 * @CAN_RCV_LISTS: number of kinds that have a list of all their receivers
 * @CAN_RCV_SFF: one standard identifier, no RTR frames
 */
enum can_rcv_class {
	CAN_RCV_ERR,
	CAN_RCV_ALL,
	CAN_RCV_FIL,
	CAN_RCV_INV,
	CAN_RCV_EFF,
	CAN_RCV_LISTS,
	CAN_RCV_SFF = CAN_RCV_LISTS,
};

/**
 * struct can_rcv_hash - entries by hash, for writers only
 * @bucket: 2^@bits of them, or NULL while @one is enough
 * @one: the only bucket as long as @bits is 0
 * @bits: width of the part of the hash that counts
 * @entries: in all buckets
 * @gfp: __GFP_ACCOUNT if its buckets count as memory of the task that adds entries
 */
struct can_rcv_hash {
	struct hlist_head *bucket;
	struct hlist_head one;
	unsigned int bits;
	unsigned int entries;
	gfp_t gfp;
};

/**
 * struct can_rcvlist - receive filters, and whom to call for them
 * @lists: every receiver of each kind but CAN_RCV_SFF, the newest first
 * @listed: index of CAN_RCV_FIL: the first few receivers of each mask
 * @tables: index of CAN_RCV_FIL: a struct can_rcv_table for each mask that has more
 * @eff: table of CAN_RCV_EFF, NULL without any
 * @entries: receivers of all kinds
 * @filtered: of these, receivers for some frames only, no error message frames
 * @spare: steps that the index of CAN_RCV_FIL may cost a frame beside its lookups;
 *	below 0 it is not used (rcvlist-rx.c)
 * @nr_masked: receivers in @lists[CAN_RCV_FIL]
 * @nr_listed: receivers in @listed
 * @nr_tables: tables in @tables
 * @seq: of the newest receiver, see struct receiver
 * @receivers: all of them, by all that identifies them
 * @masks: one struct can_rcv_mask for each mask of CAN_RCV_FIL, by its value
 * @gfp: __GFP_ACCOUNT if its memory counts as that of the task that allocates it: the
 *	one that adds receivers, or a kernel thread for a table that is resized later
 * @owner: whose lock excludes other writers; NULL if tables that cannot be resized at
 *	once are resized with a later change
 * @resizing: tables that are to be resized when a grace period is over
 * @resize_node: in can_rcv_owner.resizing, while @resizing is not empty
 * @sff: lists of CAN_RCV_SFF, by identifier, the newest first
 *
 * All zero is an empty list. Readers walk @lists, @listed, @tables, @eff and @sff
 * under rcu_read_lock() and read @entries, @filtered, @spare, @nr_listed and @nr_tables.
 * Everything else is the writers', one at a time.
 */
struct can_rcvlist {
	struct hlist_head lists[CAN_RCV_LISTS];
	struct hlist_head listed;
	struct hlist_head tables;
	struct can_rcv_table __rcu *eff;
	unsigned int entries;
	unsigned int filtered;
	int spare;
	unsigned int nr_masked;
	unsigned int nr_listed;
	unsigned int nr_tables;
	u64 seq;
	struct can_rcv_hash receivers;
	struct can_rcv_hash masks;
	gfp_t gfp;
	struct can_rcv_owner *owner;
	struct hlist_head resizing;
	struct hlist_node resize_node;
	struct hlist_head sff[1 << CAN_SFF_ID_BITS];
};

#endif /* !_CAN_RCVLIST_H */
