/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Allocations that fail, for KUnit suites: the counter that /proc/thread-self/fail-nth
 * sets for a task, see Documentation/fault-injection/fault-injection.rst.
 *
 * Allocations that may sleep are spared until userspace writes N to
 * /sys/kernel/debug/failslab/ignore-gfp-wait. So these cases only run in suites that are
 * modules, and are skipped in suites that are built in. Pages must not fail: whether a
 * slab needs them, or can do with fewer, depends on earlier allocations. If the kernel has
 * fail_page_alloc, its min-order has to be above the orders of slabs.
 */
#ifndef _NET_CAN_FAIL_NTH_H
#define _NET_CAN_FAIL_NTH_H

#include <kunit/test.h>
#include <linux/sched.h>
#include <linux/slab.h>

#ifdef CONFIG_FAILSLAB

/**
 * fail_allocation() - make one allocation of this task fail
 * @number: counts from the next one, which is 1
 *
 * Context: Process context, after require_failing_allocations().
 */
static inline void fail_allocation(unsigned int number)
{
	current->fail_nth = number;
}

/**
 * allocation_failed() - make no allocation fail any more
 *
 * Context: Process context, after fail_allocation().
 * Return: true if the allocation has been reached, and has failed.
 */
static inline bool allocation_failed(void)
{
	bool failed = !current->fail_nth;

	current->fail_nth = 0;
	return failed;
}

#else

static inline void fail_allocation(unsigned int number)
{
}

static inline bool allocation_failed(void)
{
	return false;
}

#endif

/**
 * require_failing_allocations() - skip the case if allocations cannot fail
 * @test: the case
 *
 * Context: Process context.
 */
static inline void require_failing_allocations(struct kunit *test)
{
	void *memory;

	fail_allocation(1);
	memory = kmalloc(1, GFP_KERNEL);
	allocation_failed();
	if (!memory)
		return;
	kfree(memory);
	kunit_skip(test, "allocations cannot be made to fail");
}

#endif /* !_NET_CAN_FAIL_NTH_H */
