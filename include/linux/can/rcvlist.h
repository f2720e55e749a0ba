/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * struct can_rcvlist is defined here and not in net/can/rcvlist.h because each
 * CAN device embeds one. Only net/can/rcvlist.c, rcvlist-rx.c, rcvlist.h and
 * rcvnet.c access its members.
 */
#ifndef _CAN_RCVLIST_H
#define _CAN_RCVLIST_H

#include <linux/can.h>
#include <linux/list.h>
#include <linux/types.h>

struct can_rcv_owner;
struct can_rcv_table;

/**
 * enum can_rcv_class - classes of filters, as in /proc/net/can
 * @CAN_RCV_ERR: error message frames
 * @CAN_RCV_ALL: all frames but error message frames
 * @CAN_RCV_FIL: identifier and mask
 * @CAN_RCV_INV: inverted identifier and mask
 * @CAN_RCV_EFF: one extended identifier, no RTR frames
 * @CAN_RCV_LISTS: number of classes with an entry in can_rcvlist.lists
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
 * struct can_rcv_hash - hash table for writers
 * @bucket: 2^@bits buckets, or NULL while @bits is 0
 * @one: the only bucket while @bits is 0
 * @bits: number of bits of the hash that select a bucket
 * @entries: number of entries
 * @gfp: __GFP_ACCOUNT to account buckets to the task that adds entries, or 0
 */
struct can_rcv_hash {
	struct hlist_head *bucket;
	struct hlist_head one;
	unsigned int bits;
	unsigned int entries;
	gfp_t gfp;
};

/**
 * struct can_rcvlist - list of receive filters
 * @lists: receivers of each class but CAN_RCV_SFF, the newest first
 * @listed: index of CAN_RCV_FIL: the first receivers of each mask
 * @tables: index of CAN_RCV_FIL: a struct can_rcv_table for each mask with more
 *	receivers
 * @eff: table of CAN_RCV_EFF, NULL without receivers
 * @entries: number of receivers
 * @filtered: number of receivers in all classes but CAN_RCV_ALL and CAN_RCV_ERR
 * @budget: steps that the index of CAN_RCV_FIL may cost a frame in addition to
 *	its lookups; below 0, the index is not used (rcvlist-rx.c)
 * @nr_masked: number of receivers in @lists[CAN_RCV_FIL]
 * @nr_listed: number of receivers in @listed
 * @nr_tables: number of tables in @tables
 * @seq: sequence number of the newest receiver, see struct receiver
 * @receivers: all receivers, hashed by filter, function and data
 * @masks: struct can_rcv_mask for each mask of CAN_RCV_FIL, hashed by mask
 * @gfp: __GFP_ACCOUNT to account memory to the task that allocates it, or 0.
 *	That is the task that adds receivers, or a kernel thread for a table
 *	that is resized later
 * @owner: its lock excludes other writers. Without owner (NULL), a table that
 *	cannot be resized immediately is resized with a later change
 * @resizing: tables to be resized after an RCU grace period
 * @resize_node: in can_rcv_owner.resizing, while @resizing is not empty
 * @sff: receivers of CAN_RCV_SFF by identifier, the newest first
 *
 * A zeroed list is an empty list. Readers walk @lists, @listed, @tables, @eff
 * and @sff under rcu_read_lock() and read @entries, @filtered, @budget,
 * @nr_listed and @nr_tables. All other members are for writers, one at a time.
 */
struct can_rcvlist {
	struct hlist_head lists[CAN_RCV_LISTS];
	struct hlist_head listed;
	struct hlist_head tables;
	struct can_rcv_table __rcu *eff;
	unsigned int entries;
	unsigned int filtered;
	int budget;
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
