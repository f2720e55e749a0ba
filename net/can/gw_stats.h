/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Per-CPU counters of a gateway rule: no frame is missed when several CPUs
 * route frames by the same rule.
 *
 * Contexts: cgw_count() runs in softirq context or with BHs disabled, so it has
 * no concurrent writer on its CPU. cgw_stats_read() runs in process context,
 * concurrently.
 */
#ifndef _NET_CAN_GW_STATS_H
#define _NET_CAN_GW_STATS_H

#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/u64_stats_sync.h>

/**
 * enum cgw_event - outcome for a frame that a rule has matched
 * @CGW_EV_SENT: passed to the destination
 * @CGW_EV_DROPPED: not sent: the destination is down, does not take frames of
 *	this type or has a full queue, or there is no memory
 * @CGW_EV_DELETED: not allowed to be sent: too many hops, an unknown number of
 *	hops, or an invalid length for its type
 * @CGW_EV_SKIPPED: not for the rule: another frame type, or received from the
 *	destination
 */
enum cgw_event {
	CGW_EV_SENT,
	CGW_EV_DROPPED,
	CGW_EV_DELETED,
	CGW_EV_SKIPPED,
	/* private: */
	CGW_EV_COUNT,
};

/**
 * struct cgw_stats - counters of a rule on one CPU
 * @count: frames by enum cgw_event
 * @syncp: for readers on 32-bit systems
 */
struct cgw_stats {
	u64_stats_t count[CGW_EV_COUNT];
	struct u64_stats_sync syncp;
};

struct cgw_stats_block;

struct cgw_stats __percpu *cgw_stats_alloc(struct cgw_stats_block **block);
void cgw_stats_free(struct cgw_stats_block *block,
		    struct cgw_stats __percpu *stats);

/* Count a frame. Context: BHs disabled. */
static inline void cgw_count(struct cgw_stats __percpu *stats,
			     enum cgw_event event)
{
	struct cgw_stats *here = this_cpu_ptr(stats);

	u64_stats_update_begin(&here->syncp);
	u64_stats_inc(&here->count[event]);
	u64_stats_update_end(&here->syncp);
}

/**
 * cgw_stats_read() - sum up the counters of all CPUs
 * @stats: counters of a rule
 * @sum: frames by enum cgw_event
 *
 * Context: Any context; frames may be counted concurrently.
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
 * struct cgw_stats_base - values of the counters at their last reset
 * @count: frames by enum cgw_event
 * @rcu: frees the struct
 */
struct cgw_stats_base {
	u64 count[CGW_EV_COUNT];
	struct rcu_head rcu;
};

/* Frames that a rule has matched: all events of cgw_stats_read() */
static inline u64 cgw_stats_matched(const u64 sum[CGW_EV_COUNT])
{
	u64 matched = 0;
	int i;

	for (i = 0; i < CGW_EV_COUNT; i++)
		matched += sum[i];
	return matched;
}

#endif /* !_NET_CAN_GW_STATS_H */
