/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Is memory free? For KUnit suites of what RCU frees. Only KASAN knows.
 *
 * Linux 7.3 has per-CPU arrays of objects that kvfree_rcu() frees when they are full. Nothing
 * that modules can call empties them. There are none with the kernel parameter "slab_debug=F".
 */
#ifndef _NET_CAN_IS_FREED_H
#define _NET_CAN_IS_FREED_H

#include <linux/kasan.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

/**
 * is_freed() - was memory freed?
 * @memory: that the caller, or somebody else, had allocated
 *
 * Context: Any context.
 * Return: what KASAN knows; false without it.
 */
static inline bool is_freed(const void *memory)
{
#ifdef CONFIG_KASAN_GENERIC
	return *(const s8 *)kasan_mem_to_shadow(memory) < 0;
#else
	return false;
#endif
}

/**
 * wait_until_freed() - wait until RCU has freed all memory that was passed to it
 *
 * kvfree_rcu_barrier() is not for modules in Linux 7.3. kmem_cache_destroy() waits for all
 * batches of kvfree_rcu() there, and in 6.12, in case they have objects of the cache.
 *
 * Context: Process context. May sleep.
 */
static inline void wait_until_freed(void)
{
	rcu_barrier();
	kmem_cache_destroy(kmem_cache_create("can_test", sizeof(long), 0,
					     SLAB_NO_MERGE, NULL));
}

#endif /* !_NET_CAN_IS_FREED_H */
