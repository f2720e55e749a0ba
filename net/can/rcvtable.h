/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * A hash table of receivers that have the same mask.
 *
 * Contexts: readers look up frames on any number of CPUs, under
 * rcu_read_lock(). Writers run in process context, under the lock of the list's
 * owner.
 *
 * The size of a table does not change. A table is replaced by another one,
 * which links the same receivers by their other node (struct
 * can_rcv_table.link). The chains of the old table stay intact until its
 * readers are gone. Only then may its nodes be used for the next replacement.
 *
 * Any user can choose identifiers. In CAN_RCV_EFF nothing else bounds the
 * length of a chain, so the hash multiplies with a random odd number: two
 * identifiers share one of 2^n buckets with a probability of at most 2^(1-n),
 * however they are chosen (Dietzfelbinger, Hagerup, Katajainen, Penttonen: "A
 * Reliable Randomized Algorithm for the Closest-Pair Problem", 1997). /proc
 * does not show the order of buckets, but timing of frames may reveal it.
 * Tables of a mask use a constant factor, which spreads ranges evenly;
 * can_rcvlist.budget bounds their cost.
 */
#ifndef _NET_CAN_RCVTABLE_H
#define _NET_CAN_RCVTABLE_H

#include <linux/rculist.h>

#include "rcvlist.h"

/**
 * struct can_rcv_table - receivers with one mask
 * @node: in can_rcvlist.tables
 * @mask: mask of the receivers
 * @factor: odd; the hash is the upper bits of its product with an identifier
 * @entries: number of receivers
 * @shift: right shift of the product that gives the bucket
 * @link: index of receiver.node that links the chains
 * @publish_gp: RCU grace-period cookie from when the table replaced another one
 * @resize_node: in can_rcvlist.resizing, while it is published and has to be
 *	resized
 * @rcu: frees the table
 * @bucket: chains, the newest receiver first
 */
struct can_rcv_table {
	struct hlist_node node;
	canid_t mask;
	u32 factor;
	unsigned int entries;
	u8 shift;
	u8 link;
	unsigned long publish_gp;
	union {
		struct hlist_node resize_node;
		struct rcu_head rcu;
	};
	struct hlist_head bucket[];
};

static inline struct receiver *can_rcv_entry(struct hlist_node *node,
					     unsigned int link)
{
	return container_of(node - link, struct receiver, node[0]);
}

static inline unsigned int can_rcv_table_size(const struct can_rcv_table *table)
{
	return 1U << (32 - table->shift);
}

static inline struct hlist_head *
can_rcv_table_bucket(struct can_rcv_table *table, canid_t value)
{
	return &table->bucket[value * table->factor >> table->shift];
}

/**
 * can_rcv_table_find() - find the newest receiver of a frame
 * @table: read under rcu_read_lock(), which is still held
 * @can_id: identifier of the frame
 * @budget: steps left (CAN_RCV_SKIP_STEPS); below 0 the search has been given
 *	up
 *
 * Older receivers follow in the same chain.
 *
 * Context: Any context.
 * Return: the receiver; NULL without one, or if the search has been given up.
 */
static inline struct receiver *can_rcv_table_find(struct can_rcv_table *table,
						  canid_t can_id, int *budget)
{
	canid_t value = can_id & table->mask;
	struct hlist_head *head;
	struct hlist_node *node;

	head = can_rcv_table_bucket(table, value);
	node = rcu_dereference(hlist_first_rcu(head));
	for (; node; node = rcu_dereference(hlist_next_rcu(node))) {
		if (can_rcv_entry(node, table->link)->can_id == value)
			return can_rcv_entry(node, table->link);
		*budget -= CAN_RCV_SKIP_STEPS;
		if (*budget < 0)
			break;
	}
	return NULL;
}

struct can_rcv_table *can_rcv_table_alloc(canid_t mask, u32 factor, gfp_t gfp);
void can_rcv_table_replaced(struct can_rcv_table *table);
void can_rcv_table_add(struct can_rcv_table *table, struct receiver *rcv);
void can_rcv_table_del(struct can_rcv_table *table, struct receiver *rcv);
bool can_rcv_table_fits(const struct can_rcv_table *table);
bool can_rcv_table_may_resize(const struct can_rcv_table *table);
struct can_rcv_table *can_rcv_table_resized(struct can_rcv_table *old,
					    gfp_t gfp);
void can_rcv_table_free(struct can_rcv_table *table);

#endif /* !_NET_CAN_RCVTABLE_H */
