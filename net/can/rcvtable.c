// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Tables of receivers with one mask, for writers: contexts are described in
 * rcvtable.h.
 */
#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "rcvtable.h"

#define CAN_RCV_TABLE_MIN_BITS 3
#define CAN_RCV_TABLE_MAX_BITS 24

/* A table does not shrink below this number of bits: it can only grow again
 * after an RCU grace period, in which many receivers may be added.
 */
#define CAN_RCV_TABLE_KEEP_BITS 10

/* A table grows above this number of receivers per bucket and shrinks above
 * this number of buckets per receiver, as soon as readers allow it.
 */
#define CAN_RCV_TABLE_LOAD 4
#define CAN_RCV_TABLE_WASTE 16

/* Maximum number of bits by which a table grows at a time */
#define CAN_RCV_TABLE_STEP 3

static struct can_rcv_table *rcvtable_alloc(canid_t mask, u32 factor,
					    unsigned int bits,
					    unsigned int link, gfp_t gfp)
{
	struct can_rcv_table *table;

	table = kvzalloc(struct_size(table, bucket, 1 << bits), gfp);
	if (!table)
		return NULL;
	table->mask = mask;
	table->factor = factor;
	table->shift = 32 - bits;
	table->link = link;
	return table;
}

/**
 * can_rcv_table_alloc() - allocate an empty table
 * @mask: mask of the receivers
 * @factor: factor of the hash, odd
 * @gfp: __GFP_ACCOUNT to account the table to the current task, or 0
 *
 * Context: Process context, may sleep.
 * Return: the table, not published yet; NULL without memory.
 */
struct can_rcv_table *can_rcv_table_alloc(canid_t mask, u32 factor, gfp_t gfp)
{
	struct can_rcv_table *table;

	table = rcvtable_alloc(mask, factor, CAN_RCV_TABLE_MIN_BITS, 0,
			       gfp | GFP_KERNEL);
	/* the other nodes of its receivers are free */
	if (table)
		table->publish_gp = get_completed_synchronize_rcu();
	return table;
}

/**
 * can_rcv_table_replaced() - record when a table replaced another one
 * @table: has just been published
 *
 * Context: Process context, under the lock of the list's owner.
 */
void can_rcv_table_replaced(struct can_rcv_table *table)
{
	table->publish_gp = get_state_synchronize_rcu();
}

/* Context: Process context, under the lock of the list's owner. */
void can_rcv_table_add(struct can_rcv_table *table, struct receiver *rcv)
{
	hlist_add_head_rcu(&rcv->node[table->link],
			   can_rcv_table_bucket(table, rcv->can_id));
	table->entries++;
}

/**
 * can_rcv_table_del() - remove a receiver
 * @table: table
 * @rcv: in @table; readers may use it until an RCU grace period is over
 *
 * Context: Process context, under the lock of the list's owner.
 */
void can_rcv_table_del(struct can_rcv_table *table, struct receiver *rcv)
{
	hlist_del_rcu(&rcv->node[table->link]);
	table->entries--;
}

/**
 * struct rcvtable_tail - end of a chain under construction
 * @head: head of the chain
 * @node: last node of the chain
 */
struct rcvtable_tail {
	struct hlist_head *head;
	struct hlist_node *node;
};

#define RCVTABLE_TAILS BIT(CAN_RCV_TABLE_STEP)

/* The receivers of a bucket move to adjacent buckets, or those of adjacent
 * buckets to one. They keep their order. Equal filters share a bucket, which
 * may have any number of them.
 */
static void rcvtable_rehash(struct can_rcv_table *to, struct hlist_head *from,
			    unsigned int link, struct rcvtable_tail *tails)
{
	struct hlist_node *node;

	for (node = from->first; node; node = node->next) {
		struct receiver *rcv = can_rcv_entry(node, link);
		struct hlist_head *head = can_rcv_table_bucket(to, rcv->can_id);
		struct rcvtable_tail *tail;

		tail = &tails[(head - to->bucket) % RCVTABLE_TAILS];
		if (tail->head == head)
			hlist_add_behind(&rcv->node[to->link], tail->node);
		else
			hlist_add_head(&rcv->node[to->link], head);
		tail->head = head;
		tail->node = &rcv->node[to->link];
		if (++to->entries % 1024 == 0)
			cond_resched();
	}
}

static bool rcvtable_is_crowded(const struct can_rcv_table *table)
{
	unsigned int size = can_rcv_table_size(table);

	return table->entries > size * CAN_RCV_TABLE_LOAD &&
	       table->shift > 32 - CAN_RCV_TABLE_MAX_BITS;
}

static bool rcvtable_is_wasteful(const struct can_rcv_table *table)
{
	unsigned int size = can_rcv_table_size(table);

	return table->entries < size / CAN_RCV_TABLE_WASTE &&
	       table->shift < 32 - CAN_RCV_TABLE_KEEP_BITS;
}

/* The first resize never waits for readers: a large step postpones the next
 * one.
 */
static unsigned int rcvtable_new_bits(const struct can_rcv_table *table)
{
	unsigned int bits = 32 - table->shift;

	if (rcvtable_is_wasteful(table))
		return max_t(unsigned int, ilog2(table->entries),
			     CAN_RCV_TABLE_KEEP_BITS);
	if (bits == CAN_RCV_TABLE_MIN_BITS)
		return bits + CAN_RCV_TABLE_STEP;
	return min_t(unsigned int, CAN_RCV_TABLE_MAX_BITS,
		     clamp_t(unsigned int, ilog2(table->entries), bits + 1,
			     bits + CAN_RCV_TABLE_STEP));
}

/**
 * can_rcv_table_fits() - is the size of a table appropriate?
 * @table: published, not empty
 *
 * Context: Process context, under the lock of the list's owner.
 * Return: false if the table is too small or much too large for its receivers.
 */
bool can_rcv_table_fits(const struct can_rcv_table *table)
{
	return !rcvtable_is_crowded(table) && !rcvtable_is_wasteful(table);
}

/**
 * can_rcv_table_may_resize() - are the other nodes of the receivers free?
 * @table: published
 *
 * The other nodes link the chains of the table that @table replaced. That table
 * may have readers until an RCU grace period after the replacement is over.
 *
 * Context: Process context, under the lock of the list's owner.
 * Return: true if can_rcv_table_resized() may be called.
 */
bool can_rcv_table_may_resize(const struct can_rcv_table *table)
{
	return poll_state_synchronize_rcu(table->publish_gp);
}

/**
 * can_rcv_table_resized() - build a larger or smaller table
 * @old: published, does not fit; can_rcv_table_may_resize() has returned true
 * @gfp: __GFP_ACCOUNT to account the table to the current task, or 0
 *
 * The caller publishes the new table instead of @old, which stays usable for
 * readers, and frees @old.
 *
 * Context: Process context, under the lock of the list's owner; may sleep.
 * Return: a table with the receivers of @old, NULL without memory.
 */
struct can_rcv_table *can_rcv_table_resized(struct can_rcv_table *old,
					    gfp_t gfp)
{
	struct rcvtable_tail tails[RCVTABLE_TAILS] = {};
	struct can_rcv_table *new;
	unsigned int i;

	new = rcvtable_alloc(old->mask, old->factor, rcvtable_new_bits(old),
			     !old->link, gfp | GFP_KERNEL | __GFP_NOWARN);
	if (!new)
		return NULL;
	for (i = 0; i < can_rcv_table_size(old); i++) {
		rcvtable_rehash(new, &old->bucket[i], old->link, tails);
		if (i % 1024 == 1023)
			cond_resched();
	}
	return new;
}

/* Free a table that is not published any more, after an RCU grace period. */
void can_rcv_table_free(struct can_rcv_table *table)
{
	kvfree_rcu(table, rcu);
}
