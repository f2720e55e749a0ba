/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of latencies. All values are stored (8 bytes each), because single late frames
 * matter. Not thread-safe.
 */
#ifndef CAN_TOOLS_LATENCY_H
#define CAN_TOOLS_LATENCY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct latency {
	int64_t *ns;
	size_t count;
	size_t room;
};

/* latency_reserve() - allocate memory for @count values, and touch it to avoid page faults. */
void latency_reserve(struct latency *lat, size_t count);
void latency_add(struct latency *lat, int64_t ns);
void latency_free(struct latency *lat);

/**
 * struct latency_summary - summary of a set
 * Percentiles are elements of the set: the smallest one that at least this share of
 * all values does not exceed (nearest rank).
 */
struct latency_summary {
	size_t count;
	int64_t min, median, p99, p999, max;
	double mean;
};

/* latency_summary() - sorts @lat; all 0 if it is empty. */
struct latency_summary latency_summary(struct latency *lat);

/*
 * latency_profile() - the latency profile: for each distinct value, rounded down to a
 * multiple of @step ns (0: not rounded), the number of frames with this latency or a
 * longer one. Sorts @lat, and calls @point in ascending order.
 */
void latency_profile(struct latency *lat, int64_t step,
		     void (*point)(void *ctx, int64_t ns, size_t at_least), void *ctx);

/* latency_histogram() - print at most @rows bars of equal width. */
void latency_histogram(struct latency *lat, unsigned int rows, FILE *to);

#endif
