/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Counters of a gateway rule, on each CPU, so that none is lost when several CPUs
 * route frames by the same rule.
 *
 * Contexts: cgw_count() runs in softirq, or with softirqs off, and so alone on its
 * CPU. cgw_stats_read() runs in process context beside it.
 */
#ifndef _NET_CAN_GW_STATS_H
#define _NET_CAN_GW_STATS_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/u64_stats_sync.h>

/**
 * enum cgw_event - what can become of a frame that a rule has matched
 * @CGW_EV_SENT: the destination has taken it
 * @CGW_EV_DROPPED: it has not: it is down, takes no frames of this kind, its queue is
 *	full, or there was no memory
 * @CGW_EV_DELETED: it must not be sent: too many hops, a number of hops that cannot be
 *	known, or a length that is too large for its kind
 * @CGW_EV_SKIPPED: it is none for the rule: of another kind, or it came from the
 *	destination
 * @CGW_EV_COUNT: number of these
 */
enum cgw_event {
	CGW_EV_SENT,
	CGW_EV_DROPPED,
	CGW_EV_DELETED,
	CGW_EV_SKIPPED,
	CGW_EV_COUNT,
};

/**
 * struct cgw_stats - counters of a rule on one CPU
 * @count: of each enum cgw_event
 * @syncp: for readers on machines of 32 bits
 */
struct cgw_stats {
	u64_stats_t count[CGW_EV_COUNT];
	struct u64_stats_sync syncp;
};

struct cgw_stats_block;

struct cgw_stats __percpu *cgw_stats_alloc(struct cgw_stats_block **block);
void cgw_stats_free(struct cgw_stats_block *block,
		    struct cgw_stats __percpu *stats);

/**
 * cgw_count() - count a frame
 * @stats: of the rule
 * @event: what became of it
 *
 * Context: softirqs are off.
 */
static inline void cgw_count(struct cgw_stats __percpu *stats,
			     enum cgw_event event)
{
	struct cgw_stats *here = this_cpu_ptr(stats);

	u64_stats_update_begin(&here->syncp);
	u64_stats_inc(&here->count[event]);
	u64_stats_update_end(&here->syncp);
}

/**
 * cgw_stats_read() - what all CPUs have counted
 * @stats: of the rule
 * @sum: of each enum cgw_event
 *
 * Context: any, also while frames are counted.
 */
static inline void cgw_stats_read(const struct cgw_stats __percpu *stats,
				  u64 sum[CGW_EV_COUNT])
{
	u64 count[CGW_EV_COUNT];
	unsigned int start;
	int cpu, i;

	memset(sum, 0, CGW_EV_COUNT * sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct cgw_stats *there = per_cpu_ptr(stats, cpu);

		do {
			start = u64_stats_fetch_begin(&there->syncp);
			for (i = 0; i < CGW_EV_COUNT; i++)
				count[i] = u64_stats_read(&there->count[i]);
		} while (u64_stats_fetch_retry(&there->syncp, start));
		for (i = 0; i < CGW_EV_COUNT; i++)
			sum[i] += count[i];
	}
}

/**
 * struct cgw_stats_base - what had been counted when counters began at 0 again
 * @count: of each enum cgw_event
 * @rcu: frees it
 */
struct cgw_stats_base {
	u64 count[CGW_EV_COUNT];
	struct rcu_head rcu;
};

/**
 * cgw_stats_matched() - how many frames has a rule matched?
 * @sum: of cgw_stats_read()
 *
 * Context: any.
 * Return: their number, whatever became of them.
 */
static inline u64 cgw_stats_matched(const u64 sum[CGW_EV_COUNT])
{
	u64 matched = 0;
	int i;

	for (i = 0; i < CGW_EV_COUNT; i++)
		matched += sum[i];
	return matched;
}

#endif /* !_NET_CAN_GW_STATS_H */
