// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Per-CPU counters of gateway rules: contexts are described in gw_stats.h.
 * Allocations of per-CPU memory are expensive, so the counters of up to 64
 * rules share one.
 */
#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "gw_stats.h"

#define CGW_STATS_SLOTS 64

/**
 * struct cgw_stats_block - counters of up to 64 rules
 * @list: in cgw_stats_blocks, while a slot is free
 * @used: bitmask of the slots in use
 * @slot: slots
 */
struct cgw_stats_block {
	struct list_head list;
	u64 used;
	struct cgw_stats __percpu *slot;
};

/* Blocks with a free slot; cgw_stats_lock protects the list and the blocks. */
static LIST_HEAD(cgw_stats_blocks);
static DEFINE_SPINLOCK(cgw_stats_lock);

static struct cgw_stats_block *cgw_stats_new_block(void)
{
	struct cgw_stats_block *block;
	int cpu, i;

	block = kzalloc(sizeof(*block), GFP_KERNEL_ACCOUNT);
	if (!block)
		return NULL;
	block->slot = __alloc_percpu_gfp(CGW_STATS_SLOTS * sizeof(*block->slot),
					 __alignof__(*block->slot),
					 GFP_KERNEL_ACCOUNT);
	if (!block->slot) {
		kfree(block);
		return NULL;
	}
	for_each_possible_cpu(cpu)
		for (i = 0; i < CGW_STATS_SLOTS; i++)
			u64_stats_init(&per_cpu_ptr(block->slot + i, cpu)->syncp);
	return block;
}

/* Return: NULL if no slot is free. Context: under cgw_stats_lock. */
static struct cgw_stats __percpu *
cgw_stats_take_slot(struct cgw_stats_block **from)
{
	struct cgw_stats_block *block;
	unsigned int i;

	block = list_first_entry_or_null(&cgw_stats_blocks,
					 struct cgw_stats_block, list);
	if (!block)
		return NULL;
	i = __ffs64(~block->used);
	block->used |= BIT_ULL(i);
	if (block->used == U64_MAX)
		list_del_init(&block->list);
	*from = block;
	return block->slot + i;
}

static void cgw_stats_zero(struct cgw_stats __percpu *stats)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(stats, cpu)->count, 0,
		       sizeof_field(struct cgw_stats, count));
}

/**
 * cgw_stats_alloc() - allocate counters for a rule
 * @block: returns the block, for cgw_stats_free()
 *
 * Context: Process context, may sleep.
 * Return: the counters, zeroed; NULL without memory.
 */
struct cgw_stats __percpu *cgw_stats_alloc(struct cgw_stats_block **block)
{
	struct cgw_stats __percpu *stats;
	struct cgw_stats_block *new;

	spin_lock_bh(&cgw_stats_lock);
	stats = cgw_stats_take_slot(block);
	spin_unlock_bh(&cgw_stats_lock);
	if (stats) {
		cgw_stats_zero(stats);
		return stats;
	}
	new = cgw_stats_new_block();
	if (!new)
		return NULL;
	spin_lock_bh(&cgw_stats_lock);
	list_add(&new->list, &cgw_stats_blocks);
	stats = cgw_stats_take_slot(block);
	spin_unlock_bh(&cgw_stats_lock);
	return stats;
}

/**
 * cgw_stats_free() - free the counters of a rule
 * @block: from cgw_stats_alloc()
 * @stats: from cgw_stats_alloc(), no longer in use
 *
 * Context: Any context but hardirq.
 */
void cgw_stats_free(struct cgw_stats_block *block,
		    struct cgw_stats __percpu *stats)
{
	bool empty;

	spin_lock_bh(&cgw_stats_lock);
	block->used &= ~BIT_ULL(stats - block->slot);
	empty = !block->used;
	if (empty)
		list_del(&block->list);
	else if (list_empty(&block->list))
		list_add(&block->list, &cgw_stats_blocks);
	spin_unlock_bh(&cgw_stats_lock);
	if (!empty)
		return;
	free_percpu(block->slot);
	kfree(block);
}
