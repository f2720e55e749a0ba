/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A hash table of receivers that have the same mask.
 *
 * Readers look up a frame on any CPU, under rcu_read_lock(). Writers work in
 * process context, one at a time, under the mutex of the list's owner.
 *
 * A table never changes its size. It is replaced by a larger one, which links
 * the same receivers by their other node: struct can_rcv_table.link. The chains
 * of the old table stay as they are until its readers are gone, and only then
 * may the nodes that they are made of be used again, for the next replacement.
 */
#ifndef _NET_CAN_RCVTABLE_H
#define _NET_CAN_RCVTABLE_H

#include <linux/hash.h>
#include <linux/rculist.h>

#include "rcvlist.h"

/**
 * struct can_rcv_table - receivers with one mask
 * @node: in can_rcvlist.tables
 * @mask: of all of them
 * @shift: what the hash is shifted by to be the number of a bucket
 * @link: which of receiver.node is used
 * @entries: receivers in the table
 * @since: RCU state when it replaced another table
 * @rcu: frees it
 * @bucket: chains, the youngest receiver first
 */
struct can_rcv_table {
	struct hlist_node node;
	canid_t mask;
	u8 shift;
	u8 link;
	unsigned int entries;
	unsigned long since;
	struct rcu_head rcu;
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
	return &table->bucket[value * GOLDEN_RATIO_32 >> table->shift];
}

/**
 * can_rcv_table_find() - the youngest receiver of a frame
 * @table: as read under rcu_read_lock(), which is still held
 * @can_id: of the frame
 *
 * Further ones follow in the same chain.
 *
 * Context: any.
 * Return: the receiver, NULL without one.
 */
static inline struct receiver *can_rcv_table_find(struct can_rcv_table *table,
						  canid_t can_id)
{
	canid_t value = can_id & table->mask;
	struct hlist_node *node;

	node = rcu_dereference(hlist_first_rcu(can_rcv_table_bucket(table, value)));
	for (; node; node = rcu_dereference(hlist_next_rcu(node)))
		if (can_rcv_entry(node, table->link)->can_id == value)
			return can_rcv_entry(node, table->link);
	return NULL;
}

struct can_rcv_table *can_rcv_table_alloc(canid_t mask);
void can_rcv_table_replaced(struct can_rcv_table *table);
void can_rcv_table_add(struct can_rcv_table *table, struct receiver *rcv);
void can_rcv_table_del(struct can_rcv_table *table, struct receiver *rcv);
struct can_rcv_table *can_rcv_table_larger(struct can_rcv_table *old);
void can_rcv_table_free(struct can_rcv_table *table);

#endif /* !_NET_CAN_RCVTABLE_H */
