// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Memory for counters of gateway rules; gw_stats.h says in which context. Memory on
 * each CPU is dear to allocate, so counters of many rules share a block of it.
 */
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "gw_stats.h"

#define BLOCK_SLOTS 64

/**
 * struct cgw_stats_block - counters of some rules
 * @list: in blocks, while a slot is free
 * @used: slots that are not
 * @slot: all of them
 */
struct cgw_stats_block {
	struct list_head list;
	u64 used;
	struct cgw_stats __percpu *slot;
};

/* Blocks with free slots, and what is in them. */
static LIST_HEAD(blocks);
static DEFINE_SPINLOCK(blocks_lock);

static struct cgw_stats_block *new_block(void)
{
	struct cgw_stats_block *block;
	int cpu, i;

	block = kzalloc(sizeof(*block), GFP_KERNEL_ACCOUNT);
	if (!block)
		return NULL;
	block->slot = __alloc_percpu_gfp(BLOCK_SLOTS * sizeof(struct cgw_stats),
					 __alignof__(struct cgw_stats),
					 GFP_KERNEL_ACCOUNT);
	if (!block->slot) {
		kfree(block);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		for (i = 0; i < BLOCK_SLOTS; i++)
			u64_stats_init(&per_cpu_ptr(block->slot + i, cpu)->syncp);
	return block;
}

/* With the lock held. Return: NULL if there is no free slot. */
static struct cgw_stats __percpu *take_slot(struct cgw_stats_block **from)
{
	struct cgw_stats_block *block;
	unsigned int i;

	block = list_first_entry_or_null(&blocks, struct cgw_stats_block, list);
	if (!block)
		return NULL;
	i = __ffs64(~block->used);
	block->used |= BIT_ULL(i);
	if (block->used == U64_MAX)
		list_del_init(&block->list);
	*from = block;
	return block->slot + i;
}

static void zero(struct cgw_stats __percpu *stats)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(stats, cpu)->count, 0,
		       sizeof_field(struct cgw_stats, count));
}

/**
 * cgw_stats_alloc() - counters for a rule
 * @block: is for cgw_stats_free()
 *
 * Context: process, may sleep.
 * Return: the counters, which are 0; NULL without memory.
 */
struct cgw_stats __percpu *cgw_stats_alloc(struct cgw_stats_block **block)
{
	struct cgw_stats __percpu *stats;
	struct cgw_stats_block *new;

	spin_lock_bh(&blocks_lock);
	stats = take_slot(block);
	spin_unlock_bh(&blocks_lock);
	if (stats) {
		zero(stats);
		return stats;
	}
	new = new_block();
	if (!new)
		return NULL;
	spin_lock_bh(&blocks_lock);
	list_add(&new->list, &blocks);
	stats = take_slot(block);
	spin_unlock_bh(&blocks_lock);
	return stats;
}

/**
 * cgw_stats_free() - give counters back
 * @block: of cgw_stats_alloc()
 * @stats: of cgw_stats_alloc(), which nobody uses any more
 *
 * Context: any but hard interrupts.
 */
void cgw_stats_free(struct cgw_stats_block *block,
		    struct cgw_stats __percpu *stats)
{
	bool empty;

	spin_lock_bh(&blocks_lock);
	block->used &= ~BIT_ULL(stats - block->slot);
	empty = !block->used;
	if (empty)
		list_del(&block->list);
	else if (list_empty(&block->list))
		list_add(&block->list, &blocks);
	spin_unlock_bh(&blocks_lock);
	if (!empty)
		return;
	free_percpu(block->slot);
	kfree(block);
}
