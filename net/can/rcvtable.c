// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * Tables of receivers with one mask, for those who change them: see rcvtable.h
 * for who runs when.
 */
#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "rcvtable.h"

#define CAN_RCV_TABLE_MIN_BITS 3
#define CAN_RCV_TABLE_MAX_BITS 24

/* Receivers per bucket that make a table grow, and buckets per receiver that make it
 * shrink, as soon as readers allow it.
 */
#define CAN_RCV_TABLE_LOAD 4
#define CAN_RCV_TABLE_WASTE 16

/* A table grows by so many bits at a time, at most. */
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
 * can_rcv_table_alloc() - make a table
 * @mask: of the receivers that will be in it
 * @factor: of the hash, odd
 * @gfp: __GFP_ACCOUNT if it counts as memory of the current task, or 0
 *
 * Context: Process context, may sleep.
 * Return: an empty table, not published yet; NULL without memory.
 */
struct can_rcv_table *can_rcv_table_alloc(canid_t mask, u32 factor, gfp_t gfp)
{
	struct can_rcv_table *table;

	table = rcvtable_alloc(mask, factor, CAN_RCV_TABLE_MIN_BITS, 0,
			       gfp | GFP_KERNEL);
	/* the other nodes of its receivers have never been used */
	if (table)
		table->publish_gp = get_completed_synchronize_rcu();
	return table;
}

/**
 * can_rcv_table_replaced() - readers see this table instead of another one
 * @table: has just been published
 *
 * Context: Process context, under the lock of the list's owner.
 */
void can_rcv_table_replaced(struct can_rcv_table *table)
{
	table->publish_gp = get_state_synchronize_rcu();
}

/**
 * can_rcv_table_add() - put a receiver into a table
 * @table: published, or not yet
 * @rcv: complete
 *
 * Context: Process context, under the lock of the list's owner.
 */
void can_rcv_table_add(struct can_rcv_table *table, struct receiver *rcv)
{
	hlist_add_head_rcu(&rcv->node[table->link],
			   can_rcv_table_bucket(table, rcv->can_id));
	table->entries++;
}

/**
 * can_rcv_table_del() - take a receiver out of a table
 * @table: which has it
 * @rcv: may still be in use by readers when this returns
 *
 * Context: Process context, under the lock of the list's owner.
 */
void can_rcv_table_del(struct can_rcv_table *table, struct receiver *rcv)
{
	hlist_del_rcu(&rcv->node[table->link]);
	table->entries--;
}

/**
 * struct rcvtable_tail - the end of a chain that is being made
 * @head: of the chain
 * @node: its last node
 */
struct rcvtable_tail {
	struct hlist_head *head;
	struct hlist_node *node;
};

#define RCVTABLE_TAILS BIT(CAN_RCV_TABLE_STEP)

/* Entries of a bucket go to neighbouring ones, or those of neighbouring buckets to one, in
 * the same order.
 */
static void rcvtable_rehash(struct can_rcv_table *to, struct hlist_head *from,
			    unsigned int link, struct rcvtable_tail *tails)
{
	struct hlist_node *node;

	for (node = from->first; node; node = node->next) {
		struct receiver *rcv = can_rcv_entry(node, link);
		struct hlist_head *head = can_rcv_table_bucket(to, rcv->can_id);
		struct rcvtable_tail *tail = &tails[(head - to->bucket) % RCVTABLE_TAILS];

		if (tail->head == head)
			hlist_add_behind(&rcv->node[to->link], tail->node);
		else
			hlist_add_head(&rcv->node[to->link], head);
		tail->head = head;
		tail->node = &rcv->node[to->link];
	}
}

static bool rcvtable_is_crowded(const struct can_rcv_table *table)
{
	return table->entries > can_rcv_table_size(table) * CAN_RCV_TABLE_LOAD &&
	       table->shift > 32 - CAN_RCV_TABLE_MAX_BITS;
}

static bool rcvtable_is_wasteful(const struct can_rcv_table *table)
{
	return table->entries < can_rcv_table_size(table) / CAN_RCV_TABLE_WASTE &&
	       table->shift < 32 - CAN_RCV_TABLE_MIN_BITS;
}

/* The first time, no reader is in the way; a large step puts off the next. */
static unsigned int rcvtable_new_bits(const struct can_rcv_table *table)
{
	unsigned int bits = 32 - table->shift;

	if (rcvtable_is_wasteful(table))
		return max_t(unsigned int, ilog2(table->entries),
			     CAN_RCV_TABLE_MIN_BITS);
	if (bits == CAN_RCV_TABLE_MIN_BITS)
		return bits + CAN_RCV_TABLE_STEP;
	return min_t(unsigned int, CAN_RCV_TABLE_MAX_BITS,
		     clamp_t(unsigned int, ilog2(table->entries), bits + 1,
			     bits + CAN_RCV_TABLE_STEP));
}

/**
 * can_rcv_table_fits() - is a table as large as it should be?
 * @table: published, with at least one receiver
 *
 * Context: Process context, under the lock of the list's owner.
 * Return: false if it has too many receivers for its size, or much too few.
 */
bool can_rcv_table_fits(const struct can_rcv_table *table)
{
	return !rcvtable_is_crowded(table) && !rcvtable_is_wasteful(table);
}

/**
 * can_rcv_table_may_resize() - are the other nodes of its receivers free?
 * @table: published
 *
 * The chains of another table are made of the nodes of the table that was replaced
 * by @table. Its readers may be in them until a grace period after that is over.
 *
 * Context: Process context, under the lock of the list's owner.
 * Return: true if can_rcv_table_resized() may be called.
 */
bool can_rcv_table_may_resize(const struct can_rcv_table *table)
{
	return poll_state_synchronize_rcu(table->publish_gp);
}

/**
 * can_rcv_table_resized() - make a larger or a smaller table
 * @old: published, does not fit, and can_rcv_table_may_resize() was true
 * @gfp: __GFP_ACCOUNT if it counts as memory of the current task, or 0
 *
 * The caller publishes the new table in the place of @old, which remains
 * usable for readers, and frees that.
 *
 * Context: Process context, under the lock of the list's owner; may sleep.
 * Return: a table with the receivers of @old, NULL without memory.
 */
struct can_rcv_table *can_rcv_table_resized(struct can_rcv_table *old, gfp_t gfp)
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
	new->entries = old->entries;
	return new;
}

/**
 * can_rcv_table_free() - free a table that is not published any more
 * @table: readers may still be in it
 *
 * Context: any.
 */
void can_rcv_table_free(struct can_rcv_table *table)
{
	kvfree_rcu(table, rcu);
}
