// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables of receivers with one mask, for those who change them: see rcvtable.h
 * for who runs when.
 */
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "rcvtable.h"

#define CAN_RCV_TABLE_MIN_BITS 3
#define CAN_RCV_TABLE_MAX_BITS 24

/* Receivers per bucket that make a table grow: as soon as readers allow it, and
 * whether or not one has to wait for them. A socket can set 512 filters at once
 * and does not wait.
 */
#define CAN_RCV_TABLE_LOAD 4
#define CAN_RCV_TABLE_OVERLOAD 8

/* A table grows by so many bits at a time, at most. */
#define CAN_RCV_TABLE_STEP 3

static struct can_rcv_table *table_alloc(canid_t mask, unsigned int bits,
					 unsigned int link, gfp_t flags)
{
	struct can_rcv_table *table;

	table = kvzalloc(struct_size(table, bucket, 1 << bits), flags);
	if (!table)
		return NULL;
	table->mask = mask;
	table->shift = 32 - bits;
	table->link = link;
	return table;
}

/**
 * can_rcv_table_alloc() - make a table
 * @mask: of the receivers that will be in it
 *
 * Context: process, may sleep.
 * Return: an empty table, not published yet; NULL without memory.
 */
struct can_rcv_table *can_rcv_table_alloc(canid_t mask)
{
	struct can_rcv_table *table;

	table = table_alloc(mask, CAN_RCV_TABLE_MIN_BITS, 0, GFP_KERNEL);
	/* the other nodes of its receivers have never been used */
	if (table)
		table->since = get_completed_synchronize_rcu();
	return table;
}

/**
 * can_rcv_table_replaced() - readers see this table instead of a smaller one
 * @table: has just been published
 *
 * Context: process, under the writers' mutex.
 */
void can_rcv_table_replaced(struct can_rcv_table *table)
{
	table->since = get_state_synchronize_rcu();
}

/**
 * can_rcv_table_add() - put a receiver into a table
 * @table: published, or not yet
 * @rcv: complete
 *
 * Context: process, under the writers' mutex.
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
 * Context: process, under the writers' mutex.
 */
void can_rcv_table_del(struct can_rcv_table *table, struct receiver *rcv)
{
	hlist_del_rcu(&rcv->node[table->link]);
	table->entries--;
}

/* Entries of a bucket go to neighbouring ones, in the same order. */
static void table_deal(struct can_rcv_table *to, struct hlist_head *from,
		       unsigned int link)
{
	struct hlist_node *last[1 << CAN_RCV_TABLE_STEP] = {};
	struct hlist_node *node;

	for (node = from->first; node; node = node->next) {
		struct receiver *rcv = can_rcv_entry(node, link);
		struct hlist_head *head = can_rcv_table_bucket(to, rcv->can_id);
		unsigned int part = (head - to->bucket) % ARRAY_SIZE(last);

		if (last[part])
			hlist_add_behind(&rcv->node[to->link], last[part]);
		else
			hlist_add_head(&rcv->node[to->link], head);
		last[part] = &rcv->node[to->link];
	}
}

/* The first time, nobody has to be waited for; a large step puts off the next. */
static unsigned int table_larger_bits(const struct can_rcv_table *table)
{
	unsigned int bits = 32 - table->shift;

	if (bits == CAN_RCV_TABLE_MIN_BITS)
		return bits + CAN_RCV_TABLE_STEP;
	return clamp_t(unsigned int, ilog2(table->entries), bits + 1,
		       bits + CAN_RCV_TABLE_STEP);
}

static bool table_may_grow(const struct can_rcv_table *table)
{
	unsigned int size = can_rcv_table_size(table);

	if (table->entries <= size * CAN_RCV_TABLE_LOAD ||
	    table->shift <= 32 - CAN_RCV_TABLE_MAX_BITS)
		return false;
	return table->entries > size * CAN_RCV_TABLE_OVERLOAD ||
	       poll_state_synchronize_rcu(table->since);
}

/**
 * can_rcv_table_larger() - make a larger table, if it is time to
 * @old: published
 *
 * The chains of the new table are made of the nodes of the table that was
 * replaced by @old. Its readers may be in them until a grace period after that
 * is over, which is waited for only if @old is crowded.
 *
 * The caller publishes the new table in the place of @old, which remains
 * usable for readers, and frees that.
 *
 * Context: process, under the writers' mutex; may sleep.
 * Return: a table with the receivers of @old, NULL if that is large enough,
 *	or without memory.
 */
struct can_rcv_table *can_rcv_table_larger(struct can_rcv_table *old)
{
	struct can_rcv_table *new;
	unsigned int i;

	if (!table_may_grow(old))
		return NULL;
	new = table_alloc(old->mask, table_larger_bits(old), !old->link,
			  GFP_KERNEL | __GFP_NOWARN);
	if (!new)
		return NULL;
	cond_synchronize_rcu(old->since);
	for (i = 0; i < can_rcv_table_size(old); i++)
		table_deal(new, &old->bucket[i], old->link);
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
