/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * A hash table of receivers that have the same mask.
 *
 * Readers look up a frame on any CPU, under rcu_read_lock(). Writers work in
 * process context, one at a time, under the lock of the list's owner.
 *
 * A table never changes its size. It is replaced by another one, which links
 * the same receivers by their other node: struct can_rcv_table.link. The chains
 * of the old table stay as they are until its readers are gone, and only then
 * may the nodes that they are made of be used again, for the next replacement.
 *
 * Any user can choose identifiers. Where nothing else bounds the length of a chain
 * (CAN_RCV_EFF), the hash multiplies with a random odd number: then two identifiers
 * share one of 2^n buckets with a probability of at most 2^(1-n), however they were
 * chosen (Dietzfelbinger, Hagerup, Katajainen, Penttonen: "A Reliable Randomized
 * Algorithm for the Closest-Pair Problem", 1997). /proc does not show the order of
 * buckets. Whoever measures how long frames take may still find out. Tables of a mask use
 * a constant, which spreads ranges evenly; can_rcvlist.spare bounds what they cost.
 */
#ifndef _NET_CAN_RCVTABLE_H
#define _NET_CAN_RCVTABLE_H

#include <linux/rculist.h>

#include "rcvlist.h"

/**
 * struct can_rcv_table - receivers with one mask
 * @node: in can_rcvlist.tables
 * @mask: of all of them
 * @factor: odd; the hash is the upper bits of its product with an identifier
 * @entries: receivers in the table
 * @shift: what the hash is shifted by to be the number of a bucket
 * @link: which of receiver.node is used
 * @publish_gp: RCU grace-period cookie of the moment when it replaced another table
 * @resize_node: in can_rcvlist.resizing, while it is published and does not fit
 * @rcu: frees it
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
 * can_rcv_table_find() - the newest receiver of a frame
 * @table: as read under rcu_read_lock(), which is still held
 * @can_id: of the frame
 * @spare: steps that may be used up (CAN_RCV_PASS_STEPS); below 0 the search was given up
 *
 * Further ones follow in the same chain.
 *
 * Context: any.
 * Return: the receiver, NULL without one, or if the search was given up.
 */
static inline struct receiver *can_rcv_table_find(struct can_rcv_table *table,
						  canid_t can_id, int *spare)
{
	canid_t value = can_id & table->mask;
	struct hlist_node *node;

	node = rcu_dereference(hlist_first_rcu(can_rcv_table_bucket(table, value)));
	for (; node; node = rcu_dereference(hlist_next_rcu(node))) {
		if (can_rcv_entry(node, table->link)->can_id == value)
			return can_rcv_entry(node, table->link);
		*spare -= CAN_RCV_PASS_STEPS;
		if (*spare < 0)
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
struct can_rcv_table *can_rcv_table_resized(struct can_rcv_table *old, gfp_t gfp);
void can_rcv_table_free(struct can_rcv_table *table);

#endif /* !_NET_CAN_RCVTABLE_H */
