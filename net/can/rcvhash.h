/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * A hash table for those who change a list of receive filters: it finds what
 * they want to change. It has no readers beside them, so it moves its entries
 * when it grows. Process context, under the lock of the list's owner.
 */
#ifndef _NET_CAN_RCVHASH_H
#define _NET_CAN_RCVHASH_H

#include <linux/can/rcvlist.h>
#include <linux/sched.h>
#include <linux/slab.h>

/* Entries per bucket beyond which it grows, and by how many bits. */
#define CAN_RCV_HASH_LOAD 4
#define CAN_RCV_HASH_STEP 1

/* The bucket of a 32 bit hash, whose upper bits count. */
static inline struct hlist_head *can_rcv_hash_head(struct can_rcv_hash *hash,
						   u32 value)
{
	if (!hash->bits)
		return &hash->one;
	return &hash->bucket[value >> (32 - hash->bits)];
}

/* Entries keep their order: among equal ones, the newest is found first. */
static inline void can_rcv_hash_rehash(struct can_rcv_hash *to,
				       struct hlist_head *from,
				       u32 (*value)(const struct hlist_node *))
{
	struct hlist_node *last[1 << CAN_RCV_HASH_STEP] = {};
	struct hlist_node *node, *next;

	for (node = from->first; node; node = next) {
		u32 v = value(node);
		unsigned int part = v >> (32 - to->bits) & (ARRAY_SIZE(last) - 1);

		next = node->next;
		if (last[part])
			hlist_add_behind(node, last[part]);
		else
			hlist_add_head(node, can_rcv_hash_head(to, v));
		last[part] = node;
	}
}

/* Without memory for more buckets, those that are there get longer. */
static inline void can_rcv_hash_grow(struct can_rcv_hash *hash,
				     u32 (*value)(const struct hlist_node *))
{
	struct can_rcv_hash new = { .bits = hash->bits + CAN_RCV_HASH_STEP };
	unsigned int i;

	new.bucket = kvcalloc(1 << new.bits, sizeof(*new.bucket),
			      hash->gfp | GFP_KERNEL | __GFP_NOWARN);
	if (!new.bucket)
		return;
	if (!hash->bits)
		can_rcv_hash_rehash(&new, &hash->one, value);
	else
		for (i = 0; i < 1 << hash->bits; i++) {
			can_rcv_hash_rehash(&new, &hash->bucket[i], value);
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
				    u32 (*value)(const struct hlist_node *))
{
	hlist_add_head(node, can_rcv_hash_head(hash, value(node)));
	if (++hash->entries > CAN_RCV_HASH_LOAD << hash->bits)
		can_rcv_hash_grow(hash, value);
}

/* The last one takes the buckets with it: an empty list holds no memory. */
static inline void can_rcv_hash_del(struct can_rcv_hash *hash,
				    struct hlist_node *node)
{
	hlist_del(node);
	if (--hash->entries)
		return;
	kvfree(hash->bucket);
	hash->bucket = NULL;
	hash->bits = 0;
	INIT_HLIST_HEAD(&hash->one);
}

/* One bucket after the other */
static inline void can_rcv_hash_for_each(struct can_rcv_hash *hash,
					 void (*visit)(struct hlist_head *))
{
	unsigned int i;

	visit(&hash->one);
	for (i = 0; hash->bits && i < 1 << hash->bits; i++)
		visit(&hash->bucket[i]);
}

/* All entries go at once, without a look at any of them. */
static inline void can_rcv_hash_forget(struct can_rcv_hash *hash)
{
	kvfree(hash->bucket);
	*hash = (struct can_rcv_hash){ .gfp = hash->gfp };
}

#endif /* !_NET_CAN_RCVHASH_H */
