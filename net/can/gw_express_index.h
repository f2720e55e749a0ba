/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * An index of filters that is searched in bounded time, also in a hard
 * interrupt.
 *
 * The filters have the meaning that af_can gives them, but only those of
 * received Classical CAN frames: they are not inverted, and not for error
 * message frames.
 *
 * A standard identifier is looked up in an array. An extended one is looked up
 * in a hash table, once for each distinct mask. So that both are bounded, the
 * filters are limited: see enum cgw_express_limit.
 *
 * Contexts: an index is built in process context, and may sleep then. It never
 * changes afterwards, so any number of readers search it without a lock. Its
 * owner publishes it with RCU, and frees it after a grace period.
 */
#ifndef _NET_CAN_GW_EXPRESS_INDEX_H
#define _NET_CAN_GW_EXPRESS_INDEX_H

#include <linux/can.h>
#include <linux/types.h>

/* Filters that can match one frame */
#define CGW_EXPRESS_HITS 4

/* Distinct masks of filters that can match extended identifiers */
#define CGW_EXPRESS_MASKS 8

/* Filters of an index */
#define CGW_EXPRESS_RULES 4096

/**
 * struct cgw_express_filter - a filter
 * @filter: filter as requested, with the meaning that af_can gives it
 * @data: returned for each frame that the filter matches
 */
struct cgw_express_filter {
	struct can_filter filter;
	void *data;
};

/**
 * enum cgw_express_limit - why an index was refused
 * @CGW_EXPRESS_LIMIT_NONE: it was not refused, or there was no memory
 * @CGW_EXPRESS_LIMIT_RULES: more than CGW_EXPRESS_RULES filters
 * @CGW_EXPRESS_LIMIT_HITS: one more filter than CGW_EXPRESS_HITS could match
 *	the same frame. This is exact for standard identifiers. For extended
 *	ones, a filter may be refused although no frame matches so many: its
 *	hits are the sum, over all masks, of the filters in the largest group
 *	that overlaps with it. A group is the earlier filters with the same mask
 *	and identifier
 * @CGW_EXPRESS_LIMIT_MASKS: more than CGW_EXPRESS_MASKS distinct masks of
 *	filters that can match extended identifiers. CAN_EFF_FLAG in a mask does
 *	not make it another one
 * @CGW_EXPRESS_LIMIT_INVERTED: an inverted filter
 * @CGW_EXPRESS_LIMIT_ERRORS: a filter for error message frames
 */
enum cgw_express_limit {
	CGW_EXPRESS_LIMIT_NONE,
	CGW_EXPRESS_LIMIT_RULES,
	CGW_EXPRESS_LIMIT_HITS,
	CGW_EXPRESS_LIMIT_MASKS,
	CGW_EXPRESS_LIMIT_INVERTED,
	CGW_EXPRESS_LIMIT_ERRORS,
};

/**
 * struct cgw_express_refusal - the filter for which an index was refused
 * @limit: reason
 * @filter: position of the filter in the array: the first that exceeds a limit
 * @other: for CGW_EXPRESS_LIMIT_HITS, position of an earlier filter that
 *	overlaps with it; for CGW_EXPRESS_LIMIT_MASKS, of an earlier filter that
 *	has one of the masks; otherwise 0
 */
struct cgw_express_refusal {
	enum cgw_express_limit limit;
	unsigned int filter;
	unsigned int other;
};

struct cgw_express_index;

int cgw_express_index_build(const struct cgw_express_filter *filters,
			    unsigned int count,
			    struct cgw_express_index **index,
			    struct cgw_express_refusal *refusal);
void cgw_express_index_free(struct cgw_express_index *index);
unsigned int cgw_express_index_find(const struct cgw_express_index *index,
				    canid_t id, void *data[CGW_EXPRESS_HITS]);

#if IS_ENABLED(CONFIG_KUNIT)
void *cgw_express_alloc(size_t size);
void cgw_express_free(void *memory);
#endif

#endif /* !_NET_CAN_GW_EXPRESS_INDEX_H */
