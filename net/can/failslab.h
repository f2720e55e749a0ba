/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Allocations that fail, for KUnit suites: CONFIG_FAILSLAB is meant for user space,
 * and these do in one thread of the kernel what /proc/thread-self/fail-nth does.
 *
 * Pages never fail: whether a slab or KASAN needs one, and does with a smaller one
 * then, depends on what was allocated before, and the count of failures must not.
 */
#ifndef _NET_CAN_FAILSLAB_H
#define _NET_CAN_FAILSLAB_H

#include <kunit/test.h>
#include <linux/debugfs.h>
#include <linux/sched.h>

#if defined(CONFIG_FAILSLAB) && defined(CONFIG_FAULT_INJECTION_DEBUG_FS)

static struct {
	bool *sparing;
	bool spared;
	unsigned long *verbose;
	unsigned long told;
	u32 *least_order;
	u32 order;
} failslab;

/* The file takes a value from user space only, so it is set where it lies. */
static inline void *fault_setting(const char *kind, const char *name)
{
	struct dentry *dir = debugfs_lookup(kind, NULL);
	struct dentry *file = dir ? debugfs_lookup(name, dir) : NULL;
	void *data = file ? d_inode(file)->i_private : NULL;

	dput(file);
	dput(dir);
	return data;
}

static inline void restore_failslab(void *unused)
{
	*failslab.sparing = failslab.spared;
	*failslab.verbose = failslab.told;
	if (failslab.least_order)
		*failslab.least_order = failslab.order;
}

/**
 * prepare_failslab() - let allocations fail, until the test ends
 * @test: that wants it
 *
 * Those that may wait are spared by default.
 *
 * Context: process.
 * Return: false if they cannot be made to fail.
 */
static inline bool prepare_failslab(struct kunit *test)
{
	failslab.sparing = fault_setting("failslab", "ignore-gfp-wait");
	failslab.verbose = fault_setting("failslab", "verbose");
	failslab.least_order = fault_setting("fail_page_alloc", "min-order");
	if (!failslab.sparing || !failslab.verbose)
		return false;
	if (IS_ENABLED(CONFIG_FAIL_PAGE_ALLOC) && !failslab.least_order)
		return false;
	failslab.spared = *failslab.sparing;
	failslab.told = *failslab.verbose;
	*failslab.sparing = false;
	*failslab.verbose = 0;
	if (failslab.least_order) {
		failslab.order = *failslab.least_order;
		*failslab.least_order = U32_MAX;
	}
	return !kunit_add_action_or_reset(test, restore_failslab, NULL);
}

/**
 * fail_allocation() - let one allocation of this thread fail
 * @number: of the next ones, from 1 on
 *
 * Context: process, after prepare_failslab().
 */
static inline void fail_allocation(unsigned int number)
{
	current->fail_nth = number;
}

/**
 * allocation_failed() - no allocation is to fail any more
 *
 * Context: process, after fail_allocation().
 * Return: true if it has failed.
 */
static inline bool allocation_failed(void)
{
	bool failed = !current->fail_nth;

	current->fail_nth = 0;
	return failed;
}

#else

static inline bool prepare_failslab(struct kunit *test)
{
	return false;
}

static inline void fail_allocation(unsigned int number)
{
}

static inline bool allocation_failed(void)
{
	return false;
}

#endif

#endif /* !_NET_CAN_FAILSLAB_H */
