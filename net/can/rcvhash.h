/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * A hash table for writers only: it finds the entries that they change. There
 * are no concurrent readers, so entries are moved when the table grows or
 * shrinks.
 *
 * Contexts: process context, under the lock of the owner of the list or table.
 */
#ifndef _NET_CAN_RCVHASH_H
#define _NET_CAN_RCVHASH_H

#include <linux/can/rcvlist.h>
#include <linux/sched.h>
#include <linux/slab.h>

/* Entries per bucket above which it grows; buckets per entry above which it
 * shrinks, but not below some bits; bits by which it grows or shrinks
 */
#define CAN_RCV_HASH_LOAD 4
#define CAN_RCV_HASH_WASTE 4
#define CAN_RCV_HASH_KEEP_BITS 6
#define CAN_RCV_HASH_STEP 1

/* The bucket for a 32-bit hash, selected by the upper bits */
static inline struct hlist_head *can_rcv_hash_head(struct can_rcv_hash *hash,
						   u32 value)
{
	if (!hash->bits)
		return &hash->one;
	return &hash->bucket[value >> (32 - hash->bits)];
}

/* Entries keep their order: of equal ones, the newest is found first. */
static inline void can_rcv_hash_rehash(struct can_rcv_hash *to,
				       struct hlist_head *from,
				       u32 (*hash_fn)(const struct hlist_node *))
{
	struct hlist_node *last[1 << CAN_RCV_HASH_STEP] = {};
	struct hlist_node *node, *next;

	for (node = from->first; node; node = next) {
		u32 v = hash_fn(node);
		unsigned int part = v >> (32 - to->bits);

		part &= ARRAY_SIZE(last) - 1;
		next = node->next;
		if (last[part])
			hlist_add_behind(node, last[part]);
		else
			hlist_add_head(node, can_rcv_hash_head(to, v));
		last[part] = node;
	}
}

/* Without memory the table keeps its size. */
static inline void
can_rcv_hash_resize(struct can_rcv_hash *hash, unsigned int bits,
		    u32 (*hash_fn)(const struct hlist_node *))
{
	struct can_rcv_hash new = { .bits = bits };
	unsigned int i;

	new.bucket = kvcalloc(1 << new.bits, sizeof(*new.bucket),
			      hash->gfp | GFP_KERNEL | __GFP_NOWARN);
	if (!new.bucket)
		return;
	if (!hash->bits)
		can_rcv_hash_rehash(&new, &hash->one, hash_fn);
	else
		for (i = 0; i < 1 << hash->bits; i++) {
			can_rcv_hash_rehash(&new, &hash->bucket[i], hash_fn);
			if (i % 1024 == 1023)
				cond_resched();
		}
	kvfree(hash->bucket);
	hash->bucket = new.bucket;
	hash->bits = new.bits;
	INIT_HLIST_HEAD(&hash->one);
}

static inline void can_rcv_hash_add(struct can_rcv_hash *hash,
				    struct hlist_node *node,
				    u32 (*hash_fn)(const struct hlist_node *))
{
	hlist_add_head(node, can_rcv_hash_head(hash, hash_fn(node)));
	if (++hash->entries > CAN_RCV_HASH_LOAD << hash->bits)
		can_rcv_hash_resize(hash, hash->bits + CAN_RCV_HASH_STEP,
				    hash_fn);
}

/* The buckets are freed with the last entry: an empty table holds no memory. */
static inline void can_rcv_hash_del(struct can_rcv_hash *hash,
				    struct hlist_node *node,
				    u32 (*hash_fn)(const struct hlist_node *))
{
	hlist_del(node);
	if (--hash->entries) {
		if (hash->bits > CAN_RCV_HASH_KEEP_BITS &&
		    hash->entries < (1 << hash->bits) / CAN_RCV_HASH_WASTE)
			can_rcv_hash_resize(hash, hash->bits - CAN_RCV_HASH_STEP,
					    hash_fn);
		return;
	}
	kvfree(hash->bucket);
	hash->bucket = NULL;
	hash->bits = 0;
	INIT_HLIST_HEAD(&hash->one);
}

static inline void can_rcv_hash_for_each(struct can_rcv_hash *hash,
					 void (*visit)(struct hlist_head *))
{
	unsigned int i;

	visit(&hash->one);
	for (i = 0; hash->bits && i < 1 << hash->bits; i++)
		visit(&hash->bucket[i]);
}

/* Remove all entries without accessing them. */
static inline void can_rcv_hash_clear(struct can_rcv_hash *hash)
{
	kvfree(hash->bucket);
	*hash = (struct can_rcv_hash){ .gfp = hash->gfp };
}

#endif /* !_NET_CAN_RCVHASH_H */
