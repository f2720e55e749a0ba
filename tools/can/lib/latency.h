/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of latencies: every value is kept (8 bytes each), because the worst
 * ones are what one measures for. Not thread-safe.
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

/* latency_reserve() - room for @count values, touched, so that no page fault comes while measuring. */
void latency_reserve(struct latency *lat, size_t count);
void latency_add(struct latency *lat, int64_t ns);
void latency_free(struct latency *lat);

/**
 * struct latency_summary - of a sorted set
 * Percentiles are values that occurred: the smallest one that at least that
 * share of all values does not exceed (nearest rank).
 */
struct latency_summary {
	size_t count;
	int64_t min, median, p99, p999, max;
	double mean;
};

/* latency_summary() - sorts @lat; all 0 if it is empty. */
struct latency_summary latency_summary(struct latency *lat);

/*
 * latency_profile() - the latency profile (paper 1, section IV): for each
 * distinct value of the sorted set, coarsened to @step ns (0: as it is), how
 * many frames had this latency or a longer one. Calls @point from the smallest
 * to the largest value.
 */
void latency_profile(struct latency *lat, int64_t step,
		     void (*point)(void *ctx, int64_t ns, size_t at_least), void *ctx);

/* latency_histogram() - print bars for people: at most @rows rows of equal width. */
void latency_histogram(struct latency *lat, unsigned int rows, FILE *to);

#endif
