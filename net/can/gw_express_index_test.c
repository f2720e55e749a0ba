// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * KUnit suite of the index of express rules.
 *
 * The reference compares a frame with all filters, counts the filters that
 * match each standard identifier, and computes the limits from their definition
 * in gw_express_index.h. Filters and frames are pseudo-random.
 *
 * All memory of the index is counted: each case checks at its end that nothing
 * is left.
 */
#include <kunit/static_stub.h>
#include <kunit/test.h>
#include <linux/bits.h>
#include <linux/can.h>
#include <linux/can/rcvlist.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "gw_express_index.h"
#include "rcvlist.h"

#define EFF_RTR (CAN_EFF_FLAG | CAN_RTR_FLAG)
#define ONE_SFF (CAN_SFF_MASK | EFF_RTR)
#define ONE_EFF (CAN_EFF_MASK | EFF_RTR)

#define STANDARD_FRAMES 4096

/* Filters of a random set, its masks, and sets */
#define RANDOM_FILTERS 24
#define RANDOM_MASKS 10
#define RANDOM_SETS 400

/**
 * struct rig - state of a test case
 * @rnd: state of the pseudo-random numbers
 * @filters: filters of the index
 * @count: entries of @filters
 * @index: index under test, or NULL
 * @refusal: of the last build
 * @hits: reference: number of filters that match each standard frame
 * @masks: masks of the random filters
 * @allocated: blocks of memory in use
 * @fail: number of the allocation that fails, counts down; 0 for none
 * @matched: filters that af_can has found, a bit for each
 */
struct rig {
	struct rnd_state rnd;
	struct cgw_express_filter filters[CGW_EXPRESS_RULES + 1];
	unsigned int count;
	struct cgw_express_index *index;
	struct cgw_express_refusal refusal;
	u8 hits[STANDARD_FRAMES];
	canid_t masks[RANDOM_MASKS];
	unsigned int allocated;
	unsigned int fail;
	u32 matched;
};

static struct rig *the_rig;

static void *counted_alloc(size_t size)
{
	void *memory;

	if (the_rig->fail && !--the_rig->fail)
		return NULL;
	memory = kvzalloc(size, GFP_KERNEL);
	the_rig->allocated += !!memory;
	return memory;
}

static void counted_free(void *memory)
{
	the_rig->allocated -= !!memory;
	kvfree(memory);
}

static int index_test_init(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	test->priv = rig;
	the_rig = rig;
	prandom_seed_state(&rig->rnd, 20261127);
	kunit_activate_static_stub(test, cgw_express_alloc, counted_alloc);
	kunit_activate_static_stub(test, cgw_express_free, counted_free);
	return 0;
}

static void index_test_exit(struct kunit *test)
{
	struct rig *rig = test->priv;

	if (!rig)
		return;
	cgw_express_index_free(rig->index);
	KUNIT_EXPECT_EQ(test, rig->allocated, 0);
}

static u32 random(struct rig *rig, u32 ceil)
{
	return prandom_u32_state(&rig->rnd) % ceil;
}

/* Reference */

static canid_t ref_mask(const struct can_filter *filter)
{
	canid_t mask = filter->can_mask;

	if (mask & CAN_EFF_FLAG && !(filter->can_id & CAN_EFF_FLAG))
		mask &= ONE_SFF;
	return mask;
}

static bool ref_matches(const struct can_filter *filter, canid_t id)
{
	canid_t mask = ref_mask(filter);

	return (id & mask) == (filter->can_id & mask);
}

static bool ref_matches_extended(const struct can_filter *filter)
{
	return filter->can_id & CAN_EFF_FLAG ||
	       !(filter->can_mask & CAN_EFF_FLAG);
}

static canid_t standard_frame(unsigned int n)
{
	return n < CAN_SFF_MASK + 1 ? n : (n & CAN_SFF_MASK) | CAN_RTR_FLAG;
}

/* The masks of two filters that match extended identifiers are the same one. */
static bool ref_same_mask(const struct can_filter *a,
			  const struct can_filter *b)
{
	return !((ref_mask(a) ^ ref_mask(b)) & ~CAN_EFF_FLAG);
}

static bool ref_extended_overlap(const struct can_filter *a,
				 const struct can_filter *b)
{
	canid_t common = a->can_mask & b->can_mask & ~CAN_EFF_FLAG;

	return ref_matches_extended(a) && ref_matches_extended(b) &&
	       !((a->can_id ^ b->can_id) & common);
}

static bool ref_overlap(const struct can_filter *a, const struct can_filter *b)
{
	unsigned int n;

	if (ref_extended_overlap(a, b))
		return true;
	for (n = 0; n < STANDARD_FRAMES; n++)
		if (ref_matches(a, standard_frame(n)) &&
		    ref_matches(b, standard_frame(n)))
			return true;
	return false;
}

static bool ref_exceeds_standard(const struct rig *rig,
				 const struct can_filter *filter)
{
	unsigned int n;

	for (n = 0; n < STANDARD_FRAMES; n++)
		if (ref_matches(filter, standard_frame(n)) &&
		    rig->hits[n] == CGW_EXPRESS_HITS)
			return true;
	return false;
}

/* The first filter that has the mask of @filter and can match extended
 * identifiers: it stands for the mask.
 */
static const struct can_filter *ref_first(const struct rig *rig,
					  const struct can_filter *filter)
{
	const struct can_filter *other;
	unsigned int n;

	for (n = 0; n < rig->count; n++) {
		other = &rig->filters[n].filter;
		if (ref_matches_extended(other) && ref_same_mask(other, filter))
			return other;
	}
	return NULL;
}

static bool ref_is_first(const struct rig *rig, unsigned int n)
{
	const struct can_filter *filter = &rig->filters[n].filter;

	return ref_matches_extended(filter) && ref_first(rig, filter) == filter;
}

static bool ref_exceeds_masks(const struct rig *rig,
			      const struct can_filter *filter)
{
	unsigned int n, masks = 0;

	if (ref_first(rig, filter))
		return false;
	for (n = 0; n < rig->count; n++)
		masks += ref_is_first(rig, n);
	return masks == CGW_EXPRESS_MASKS;
}

/* Filters with the same mask and identifier as @member */
static unsigned int ref_group_size(const struct rig *rig,
				   const struct can_filter *member)
{
	const struct can_filter *other;
	unsigned int n, size = 0;

	for (n = 0; n < rig->count; n++) {
		other = &rig->filters[n].filter;
		size += ref_matches_extended(other) &&
			ref_same_mask(other, member) &&
			ref_extended_overlap(other, member);
	}
	return size;
}

/* Filters in the largest group with the mask of @first that overlaps */
static unsigned int ref_largest(const struct rig *rig,
				const struct can_filter *first,
				const struct can_filter *filter)
{
	const struct can_filter *member;
	unsigned int n, largest = 0;

	for (n = 0; n < rig->count; n++) {
		member = &rig->filters[n].filter;
		if (ref_extended_overlap(member, filter) &&
		    ref_same_mask(member, first))
			largest = max(largest, ref_group_size(rig, member));
	}
	return largest;
}

static bool ref_exceeds_extended(const struct rig *rig,
				 const struct can_filter *filter)
{
	unsigned int n, hits = 0;

	for (n = 0; n < rig->count; n++)
		if (ref_is_first(rig, n))
			hits += ref_largest(rig, &rig->filters[n].filter,
					    filter);
	return hits >= CGW_EXPRESS_HITS;
}

/* The limit that one more filter exceeds */
static enum cgw_express_limit ref_limit(const struct rig *rig,
					const struct can_filter *filter)
{
	if (filter->can_mask & CAN_ERR_FLAG)
		return CGW_EXPRESS_LIMIT_ERRORS;
	if (filter->can_id & CAN_INV_FILTER)
		return CGW_EXPRESS_LIMIT_INVERTED;
	if (ref_exceeds_standard(rig, filter))
		return CGW_EXPRESS_LIMIT_HITS;
	if (!ref_matches_extended(filter))
		return CGW_EXPRESS_LIMIT_NONE;
	if (ref_exceeds_masks(rig, filter))
		return CGW_EXPRESS_LIMIT_MASKS;
	if (ref_exceeds_extended(rig, filter))
		return CGW_EXPRESS_LIMIT_HITS;
	return CGW_EXPRESS_LIMIT_NONE;
}

static void ref_count(struct rig *rig, const struct can_filter *filter)
{
	unsigned int n;

	for (n = 0; n < STANDARD_FRAMES; n++)
		rig->hits[n] += ref_matches(filter, standard_frame(n));
}

/* Index under test */

static void append(struct rig *rig, canid_t can_id, canid_t mask)
{
	struct cgw_express_filter *filter = &rig->filters[rig->count++];

	filter->filter.can_id = can_id;
	filter->filter.can_mask = mask;
	filter->data = filter;
}

/* Build an index of all filters. The previous one is kept on error. */
static int build(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_express_index *index = rig->index;
	int err;

	memset(&rig->refusal, 0xff, sizeof(rig->refusal));
	err = cgw_express_index_build(rig->filters, rig->count, &index,
				      &rig->refusal);
	if (err) {
		KUNIT_EXPECT_PTR_EQ(test, index, rig->index);
	} else {
		KUNIT_ASSERT_NOT_NULL(test, index);
		cgw_express_index_free(rig->index);
		rig->index = index;
	}
	KUNIT_EXPECT_EQ(test, rig->allocated, !!rig->index);
	return err;
}

static void build_succeeds(struct kunit *test)
{
	struct rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, build(test), 0);
	KUNIT_EXPECT_EQ(test, rig->refusal.limit, CGW_EXPRESS_LIMIT_NONE);
}

static int error_of(enum cgw_express_limit limit)
{
	switch (limit) {
	case CGW_EXPRESS_LIMIT_NONE:
		return 0;
	case CGW_EXPRESS_LIMIT_INVERTED:
	case CGW_EXPRESS_LIMIT_ERRORS:
		return -EOPNOTSUPP;
	default:
		return -ENOSPC;
	}
}

/* The last filter is refused. */
static void build_is_refused(struct kunit *test, enum cgw_express_limit limit)
{
	struct rig *rig = test->priv;
	unsigned int last = rig->count - 1;
	const struct can_filter *other;

	KUNIT_EXPECT_EQ(test, build(test), error_of(limit));
	KUNIT_EXPECT_EQ(test, rig->refusal.limit, limit);
	KUNIT_EXPECT_EQ(test, rig->refusal.filter, last);
	if (limit != CGW_EXPRESS_LIMIT_HITS && limit != CGW_EXPRESS_LIMIT_MASKS) {
		KUNIT_EXPECT_EQ(test, rig->refusal.other, 0);
		return;
	}
	KUNIT_ASSERT_LT(test, rig->refusal.other, last);
	other = &rig->filters[rig->refusal.other].filter;
	if (limit == CGW_EXPRESS_LIMIT_HITS)
		KUNIT_EXPECT_TRUE(test, ref_overlap(&rig->filters[last].filter,
						    other));
	else
		KUNIT_EXPECT_TRUE(test, ref_matches_extended(other));
}

/* The frame has the same filters as in the reference, in the same order. */
static void check_frame(struct kunit *test, canid_t id)
{
	struct rig *rig = test->priv;
	void *data[CGW_EXPRESS_HITS + 1] = {};
	unsigned int n, found, expected = 0;
	bool equal = true;

	found = cgw_express_index_find(rig->index, id, data);
	for (n = 0; n < rig->count; n++)
		if (ref_matches(&rig->filters[n].filter, id)) {
			equal &= expected < CGW_EXPRESS_HITS &&
				 data[expected] == rig->filters[n].data;
			expected++;
		}
	if (!equal || found != expected || data[CGW_EXPRESS_HITS])
		KUNIT_FAIL(test, "frame %x matches %u filters, found %u", id,
			   expected, found);
}

static void check_standard_frames(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < STANDARD_FRAMES; n++)
		check_frame(test, standard_frame(n));
}

/* The frame has only filter @n. */
static void expect_only(struct kunit *test, canid_t id, unsigned int n)
{
	struct rig *rig = test->priv;
	void *data[CGW_EXPRESS_HITS];

	KUNIT_ASSERT_EQ(test, cgw_express_index_find(rig->index, id, data), 1);
	KUNIT_ASSERT_PTR_EQ(test, data[0], rig->filters[n].data);
}

static void expect_hits(struct kunit *test, canid_t id, unsigned int hits)
{
	struct rig *rig = test->priv;
	void *data[CGW_EXPRESS_HITS];

	KUNIT_EXPECT_EQ(test, hits,
			cgw_express_index_find(rig->index, id, data));
}

/* Random filters and frames */

static const canid_t usual_masks[] = {
	0, ONE_SFF, ONE_EFF, CAN_SFF_MASK, CAN_EFF_MASK, CAN_EFF_FLAG,
	CAN_RTR_FLAG, EFF_RTR, CAN_SFF_MASK | CAN_EFF_FLAG,
	CAN_EFF_MASK | CAN_EFF_FLAG, CAN_EFF_MASK | CAN_RTR_FLAG,
	0x7F0 | CAN_EFF_FLAG, 0x7F0, 0x1FFFFF00 | CAN_EFF_FLAG, 0x1F,
	0x00FFFF00 | CAN_EFF_FLAG, 0x1FFFF800, 0x10000000,
};

static canid_t random_mask(struct rig *rig)
{
	switch (random(rig, 4)) {
	case 0:
		return usual_masks[random(rig, ARRAY_SIZE(usual_masks))];
	case 1:
		return prandom_u32_state(&rig->rnd) & ~CAN_ERR_FLAG;
	case 2:
		return ONE_EFF & ~random(rig, 256);
	default:
		return ONE_SFF & ~random(rig, 64);
	}
}

/* Few bits vary, so that filters overlap. */
static canid_t random_id(struct rig *rig)
{
	canid_t id = 0x18000040 | random(rig, 64);

	if (!random(rig, 4))
		id ^= BIT(random(rig, 29));
	if (!random(rig, 8))
		id &= CAN_SFF_MASK;
	if (random(rig, 2))
		id |= CAN_EFF_FLAG;
	if (!random(rig, 4))
		id |= CAN_RTR_FLAG;
	return id;
}

static canid_t received(canid_t id)
{
	return id & (id & CAN_EFF_FLAG ? ONE_EFF : CAN_SFF_MASK | CAN_RTR_FLAG);
}

static canid_t random_frame(struct rig *rig)
{
	const struct can_filter *filter;

	if (!rig->count || !random(rig, 4))
		return received(random_id(rig));
	filter = &rig->filters[random(rig, rig->count)].filter;
	return received(filter->can_id ^ (prandom_u32_state(&rig->rnd) &
					  ~filter->can_mask));
}

static void append_random(struct rig *rig)
{
	canid_t mask = rig->masks[random(rig, RANDOM_MASKS)];
	canid_t id = random_id(rig);

	if (!random(rig, 50))
		id |= CAN_INV_FILTER;
	if (!random(rig, 50))
		mask |= CAN_ERR_FLAG;
	append(rig, id, mask);
}

/* All masks keep the upper bits: filters differ in 5 bits and the flags. */
static void append_narrow(struct rig *rig)
{
	canid_t mask = rig->masks[random(rig, RANDOM_MASKS)];

	mask |= CAN_EFF_MASK & ~0x1F;
	append(rig, (random_id(rig) & (0x1F | EFF_RTR)) | 0x40,
	       mask & ~CAN_ERR_FLAG);
}

/* Build with one more filter, which is refused or not as in the reference. */
static void grow(struct kunit *test, void (*append_one)(struct rig *rig))
{
	struct rig *rig = test->priv;
	struct can_filter *filter = &rig->filters[rig->count].filter;
	enum cgw_express_limit limit;

	append_one(rig);
	rig->count--;
	limit = ref_limit(rig, filter);
	rig->count++;
	if (limit) {
		build_is_refused(test, limit);
		rig->count--;
		return;
	}
	build_succeeds(test);
	ref_count(rig, filter);
}

static void start_random(struct rig *rig)
{
	unsigned int n;

	rig->count = 0;
	memset(rig->hits, 0, sizeof(rig->hits));
	for (n = 0; n < RANDOM_MASKS; n++)
		rig->masks[n] = random_mask(rig);
}

/* Each set is tested with each number of its filters. */
static void random_filters_match_as_reference(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int set, n, frame;

	for (set = 0; set < RANDOM_SETS; set++) {
		start_random(rig);
		build_succeeds(test);
		for (n = 0; n < RANDOM_FILTERS; n++) {
			grow(test, append_random);
			for (frame = 0; frame < 64; frame++)
				check_frame(test, random_frame(rig));
		}
		check_standard_frames(test);
		cond_resched();
	}
}

/* Compares with all frames in the range of the filters. */
static void no_frame_has_more_hits(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int set, n, flags, most = 0;
	void *data[CGW_EXPRESS_HITS];

	for (set = 0; set < RANDOM_SETS; set++) {
		start_random(rig);
		for (n = 0; n < RANDOM_FILTERS; n++)
			grow(test, append_narrow);
		for (n = 0; n < 128; n++)
			for (flags = 0; flags < 4; flags++) {
				canid_t id = n | flags << 30;

				check_frame(test, id);
				most = max(most,
					   cgw_express_index_find(rig->index, id,
								  data));
			}
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, most, CGW_EXPRESS_HITS);
}

/* The receive lists of af_can are another reference. */

static void mark_matched(struct sk_buff *skb, void *data)
{
	struct cgw_express_filter *filter = data;

	the_rig->matched |= BIT(filter - the_rig->filters);
}

static u32 find_matched(struct rig *rig, canid_t id)
{
	void *data[CGW_EXPRESS_HITS];
	unsigned int n;
	u32 matched = 0;

	for (n = cgw_express_index_find(rig->index, id, data); n; n--)
		matched |= BIT((struct cgw_express_filter *)data[n - 1] -
			       rig->filters);
	return matched;
}

static void insert_receivers(struct kunit *test, struct can_rcvlist *list)
{
	struct rig *rig = test->priv;
	unsigned int n;

	for (n = 0; n < rig->count; n++) {
		struct cgw_express_filter *filter = &rig->filters[n];

		KUNIT_ASSERT_EQ(test, 0,
				can_rcvlist_insert(list, filter->filter.can_id,
						   filter->filter.can_mask,
						   mark_matched, filter->data,
						   "kunit", NULL));
	}
}

static void remove_receivers(struct kunit *test, struct can_rcvlist *list)
{
	struct rig *rig = test->priv;
	unsigned int n;

	for (n = 0; n < rig->count; n++) {
		struct cgw_express_filter *filter = &rig->filters[n];

		KUNIT_ASSERT_TRUE(test,
				  can_rcvlist_remove(list,
						     filter->filter.can_id,
						     filter->filter.can_mask,
						     mark_matched,
						     filter->data));
	}
	KUNIT_EXPECT_EQ(test, list->entries, 0);
}

static void deliver(struct rig *rig, struct can_rcvlist *list,
		    struct sk_buff *skb, canid_t id)
{
	((struct can_frame *)skb->data)->can_id = id;
	rig->matched = 0;
	rcu_read_lock();
	local_bh_disable();
	can_rcvlist_deliver(list, skb);
	local_bh_enable();
	rcu_read_unlock();
}

static void random_filters_match_as_in_af_can(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct can_rcvlist *list;
	unsigned int set, n, wrong = 0;
	struct sk_buff *skb;

	list = kunit_kzalloc(test, sizeof(*list), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, list);
	skb = alloc_skb(sizeof(struct can_frame), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, sizeof(struct can_frame));
	for (set = 0; set < 50; set++) {
		start_random(rig);
		build_succeeds(test);
		for (n = 0; n < RANDOM_FILTERS; n++)
			grow(test, append_random);
		insert_receivers(test, list);
		for (n = 0; n < 1000; n++) {
			canid_t id = random_frame(rig);

			deliver(rig, list, skb, id);
			wrong += rig->matched != find_matched(rig, id);
		}
		remove_receivers(test, list);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	kfree_skb(skb);
	/* removed receivers are freed by RCU callbacks */
	rcu_barrier();
}

/* Single filters */

static void empty_index_finds_nothing(struct kunit *test)
{
	struct rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, 0,
			cgw_express_index_build(NULL, 0, &rig->index,
						&rig->refusal));
	KUNIT_EXPECT_EQ(test, rig->refusal.limit, CGW_EXPRESS_LIMIT_NONE);
	check_standard_frames(test);
	check_frame(test, CAN_EFF_FLAG);
	check_frame(test, ONE_EFF);
	cgw_express_index_free(NULL);
}

static void mask_0_matches_all(struct kunit *test)
{
	struct rig *rig = test->priv;

	append(rig, 0x123 | CAN_EFF_FLAG, 0);
	build_succeeds(test);
	expect_only(test, 0, 0);
	expect_only(test, CAN_SFF_MASK | CAN_RTR_FLAG, 0);
	expect_only(test, CAN_EFF_FLAG, 0);
	expect_only(test, ONE_EFF, 0);
}

/* Without CAN_EFF_FLAG in the mask, both kinds of identifiers match. */
static void mask_without_eff_matches_both(struct kunit *test)
{
	struct rig *rig = test->priv;

	append(rig, 0x123, CAN_SFF_MASK);
	append(rig, 0x10123, CAN_EFF_MASK);
	append(rig, 0x124, CAN_EFF_MASK | CAN_RTR_FLAG);
	build_succeeds(test);
	expect_only(test, 0x123, 0);
	expect_only(test, 0x123 | CAN_RTR_FLAG, 0);
	expect_only(test, 0x20123 | CAN_EFF_FLAG, 0);
	expect_hits(test, 0x10123 | CAN_EFF_FLAG, 2);
	expect_only(test, 0x124, 2);
	expect_only(test, 0x124 | CAN_EFF_FLAG, 2);
	expect_hits(test, 0x124 | CAN_RTR_FLAG, 0);
	expect_hits(test, 0x10124 | CAN_EFF_FLAG, 0);
}

/* With CAN_EFF_FLAG in the mask only, 11 bits of the mask are compared. */
static void standard_mask_is_reduced(struct kunit *test)
{
	struct rig *rig = test->priv;

	append(rig, 0x18000123, CAN_EFF_MASK | CAN_EFF_FLAG);
	build_succeeds(test);
	expect_only(test, 0x123, 0);
	expect_only(test, 0x123 | CAN_RTR_FLAG, 0);
	expect_hits(test, 0x18000123 | CAN_EFF_FLAG, 0);
	expect_hits(test, 0x124, 0);
}

/* Many filters */

static void standard_identifiers_are_all_found(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n;

	for (n = 0; n < 2048; n++)
		append(rig, n ^ 0x555, ONE_SFF);
	build_succeeds(test);
	for (n = 0; n < 2048; n++) {
		expect_only(test, n ^ 0x555, n);
		expect_hits(test, n | CAN_RTR_FLAG, 0);
		expect_hits(test, n | CAN_EFF_FLAG, 0);
	}
}

static const unsigned int extended_counts[] = { 2048, CGW_EXPRESS_RULES };

static void count_to_desc(const unsigned int *count, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%u filters", *count);
}

KUNIT_ARRAY_PARAM(extended_counts, extended_counts, count_to_desc);

static canid_t nth_extended(unsigned int n)
{
	return ((n * 0x10001) & CAN_EFF_MASK) | CAN_EFF_FLAG;
}

static void extended_identifiers_are_all_found(struct kunit *test)
{
	const unsigned int *count = test->param_value;
	struct rig *rig = test->priv;
	unsigned int n;

	for (n = 0; n < *count; n++)
		append(rig, nth_extended(n), ONE_EFF);
	build_succeeds(test);
	for (n = 0; n < *count; n++) {
		expect_only(test, nth_extended(n), n);
		expect_hits(test, nth_extended(n) | CAN_RTR_FLAG, 0);
		expect_hits(test, nth_extended(n + *count), 0);
	}
	expect_hits(test, 1, 0);
}

/* All groups of another mask are searched for the last filters. */
static void wide_filters_follow_many(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n, many = CGW_EXPRESS_RULES - 7;

	for (n = 0; n < many; n++)
		append(rig, nth_extended(n), ONE_EFF);
	append(rig, nth_extended(5), ONE_EFF);
	for (n = 0; n < 6; n++)
		append(rig, n << 25 | CAN_EFF_FLAG,
		       7 << 25 | BIT(n) | CAN_EFF_FLAG);
	build_succeeds(test);
	expect_hits(test, nth_extended(5), 2);
	expect_hits(test, 1 << 25 | 1 | CAN_EFF_FLAG, 1);
	for (n = 0; n < many; n += 64)
		check_frame(test, nth_extended(n));
}

static void equal_filters_are_found_in_order(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n;

	for (n = 0; n < CGW_EXPRESS_RULES; n++)
		append(rig, n % (CGW_EXPRESS_RULES / 4), ONE_SFF);
	build_succeeds(test);
	for (n = 0; n < CGW_EXPRESS_RULES / 4; n += 16)
		check_frame(test, n);
	rig->count = 0;
	for (n = 0; n < CGW_EXPRESS_RULES; n++)
		append(rig, nth_extended(n % (CGW_EXPRESS_RULES / 4)), ONE_EFF);
	build_succeeds(test);
	for (n = 0; n < CGW_EXPRESS_RULES / 4; n += 16)
		check_frame(test, nth_extended(n));
}

/* Filters with different masks are returned in the order of the array. */
static void hits_keep_their_order(struct kunit *test)
{
	static const struct can_filter filter[CGW_EXPRESS_HITS] = {
		{ 0x120 | CAN_EFF_FLAG, ONE_EFF },
		{ 0, 0 },
		{ 0x120 | CAN_EFF_FLAG, 0x7F0 | CAN_EFF_FLAG },
		{ 0x120, CAN_SFF_MASK },
	};
	struct rig *rig = test->priv;
	unsigned int order, n;

	for (order = 0; order < 256; order++) {
		rig->count = 0;
		for (n = 0; n < CGW_EXPRESS_HITS; n++) {
			unsigned int i = (order >> (2 * n)) & 3;

			append(rig, filter[i].can_id, filter[i].can_mask);
		}
		build_succeeds(test);
		expect_hits(test, 0x120 | CAN_EFF_FLAG, CGW_EXPRESS_HITS);
		check_frame(test, 0x120 | CAN_EFF_FLAG);
		check_frame(test, 0x120);
	}
}

/* Limits */

static void more_filters_than_the_limit_are_refused(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n;

	for (n = 0; n < CGW_EXPRESS_RULES; n++)
		append(rig, nth_extended(n), ONE_EFF);
	build_succeeds(test);
	append(rig, nth_extended(n), ONE_EFF);
	build_is_refused(test, CGW_EXPRESS_LIMIT_RULES);
	/* the array is not read past the limit */
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			cgw_express_index_build(rig->filters, UINT_MAX,
						&rig->index, &rig->refusal));
	KUNIT_EXPECT_EQ(test, rig->refusal.limit, CGW_EXPRESS_LIMIT_RULES);
	KUNIT_EXPECT_EQ(test, rig->refusal.filter, CGW_EXPRESS_RULES);
}

/**
 * struct matching - a filter and a frame that it matches
 * @filter: the filter
 * @frame: identifier of the frame
 */
struct matching {
	struct can_filter filter;
	canid_t frame;
};

static const struct matching matchings[] = {
	{ { 0x123, ONE_SFF }, 0x123 },
	{ { 0x123 | CAN_RTR_FLAG, ONE_SFF }, 0x123 | CAN_RTR_FLAG },
	{ { 0x123, CAN_SFF_MASK }, 0x123 },
	{ { 0x123, CAN_SFF_MASK }, 0x10123 | CAN_EFF_FLAG },
	{ { 0, 0 }, 0x123 },
	{ { 0, 0 }, 0x123 | CAN_EFF_FLAG },
	{ { 0x18DAF110 | CAN_EFF_FLAG, ONE_EFF }, 0x18DAF110 | CAN_EFF_FLAG },
	{ { 0x18DAF110 | EFF_RTR, ONE_EFF }, 0x18DAF110 | EFF_RTR },
	{ { 0x18DAF110, CAN_EFF_MASK }, 0x18DAF110 | CAN_EFF_FLAG },
};

static void matching_to_desc(const struct matching *m, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "frame %x, filter %x:%x",
		 m->frame, m->filter.can_id, m->filter.can_mask);
}

KUNIT_ARRAY_PARAM(matchings, matchings, matching_to_desc);

/* Equal filters, and filters with different masks that match the frame */
static void fifth_hit_is_refused(struct kunit *test)
{
	const struct matching *m = test->param_value;
	struct rig *rig = test->priv;
	unsigned int n, wider;

	for (wider = 0; wider < 2; wider++) {
		rig->count = 0;
		for (n = 0; n <= CGW_EXPRESS_HITS; n++) {
			if (n == CGW_EXPRESS_HITS)
				build_succeeds(test);
			append(rig, m->filter.can_id,
			       m->filter.can_mask & ~(wider << (n + 1)));
		}
		build_is_refused(test, CGW_EXPRESS_LIMIT_HITS);
		rig->count--;
		expect_hits(test, m->frame, CGW_EXPRESS_HITS);
		check_frame(test, m->frame);
	}
}

/* The refusal names the first filter that exceeds a limit. */
static void later_filters_are_not_reported(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n;

	append(rig, 0x100, ONE_SFF);
	for (n = 0; n < 7; n++)
		append(rig, 0x123, ONE_SFF);
	append(rig, 0x123 | CAN_INV_FILTER, ONE_SFF);
	KUNIT_EXPECT_EQ(test, build(test), -ENOSPC);
	KUNIT_EXPECT_EQ(test, rig->refusal.limit, CGW_EXPRESS_LIMIT_HITS);
	KUNIT_EXPECT_EQ(test, rig->refusal.filter, 5);
	KUNIT_EXPECT_GE(test, rig->refusal.other, 1);
	KUNIT_EXPECT_LE(test, rig->refusal.other, 4);
}

/* The limit of extended identifiers is a sum: a wide filter overlaps with groups
 * that no frame has in common.
 */
static void groups_that_overlap_are_added(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n;

	for (n = 0; n < 3; n++)
		append(rig, 0x100 | CAN_EFF_FLAG, ONE_EFF);
	append(rig, 0x200 | CAN_EFF_FLAG, 0x1FFFFF00 | CAN_EFF_FLAG);
	append(rig, 0x400 | CAN_EFF_FLAG, 0x400 | CAN_EFF_FLAG);
	build_succeeds(test);
	append(rig, CAN_EFF_FLAG, 0x400 | CAN_EFF_FLAG);
	build_is_refused(test, CGW_EXPRESS_LIMIT_HITS);
	/* groups with the same mask are not added */
	rig->filters[3].filter.can_mask = ONE_EFF;
	build_succeeds(test);
	expect_hits(test, 0x100 | CAN_EFF_FLAG, 4);
	expect_hits(test, 0x200 | CAN_EFF_FLAG, 2);
}

static void append_masks(struct rig *rig, unsigned int count)
{
	unsigned int n;

	for (n = 0; n < count; n++)
		append(rig, n << 25 | CAN_EFF_FLAG,
		       15 << 25 | BIT(n) | CAN_EFF_FLAG);
}

static void ninth_mask_is_refused(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n;

	/* masks of filters for standard identifiers do not count */
	for (n = 0; n < 8; n++)
		append(rig, n << 8, 0x700 | BIT(n) | CAN_EFF_FLAG);
	append_masks(rig, CGW_EXPRESS_MASKS);
	/* the mask of another filter, without CAN_EFF_FLAG */
	append(rig, 9 << 25, 15 << 25 | BIT(0));
	append(rig, 10 << 25 | CAN_EFF_FLAG, 15 << 25 | BIT(1) | CAN_EFF_FLAG);
	build_succeeds(test);
	for (n = 0; n < CGW_EXPRESS_MASKS; n++)
		check_frame(test, n << 25 | CAN_EFF_FLAG);
	append(rig, 8 << 25 | CAN_EFF_FLAG, 15 << 25 | BIT(8) | CAN_EFF_FLAG);
	build_is_refused(test, CGW_EXPRESS_LIMIT_MASKS);
	KUNIT_EXPECT_GE(test, rig->refusal.other, 8);
}

static void other_kinds_of_filters_are_refused(struct kunit *test)
{
	struct rig *rig = test->priv;

	append(rig, 0x123, ONE_SFF);
	append(rig, 0x124 | CAN_INV_FILTER, ONE_SFF);
	build_is_refused(test, CGW_EXPRESS_LIMIT_INVERTED);
	rig->count--;
	append(rig, CAN_INV_FILTER, 0);
	build_is_refused(test, CGW_EXPRESS_LIMIT_INVERTED);
	rig->count--;
	append(rig, 0, CAN_ERR_FLAG | CAN_ERR_MASK);
	build_is_refused(test, CGW_EXPRESS_LIMIT_ERRORS);
	rig->count--;
	append(rig, CAN_INV_FILTER, CAN_ERR_FLAG);
	build_is_refused(test, CGW_EXPRESS_LIMIT_ERRORS);
}

/* Memory */

static void build_fails_cleanly(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n, failures = 0;

	append(rig, 0x122, ONE_SFF);
	build_succeeds(test);
	rig->count = 0;
	append_masks(rig, CGW_EXPRESS_MASKS);
	append(rig, 0x123, ONE_SFF);
	for (n = 1;; n++) {
		int err;

		rig->fail = n;
		err = build(test);
		KUNIT_EXPECT_EQ(test, rig->refusal.limit,
				CGW_EXPRESS_LIMIT_NONE);
		if (!err)
			break;
		KUNIT_ASSERT_EQ(test, err, -ENOMEM);
		failures++;
		/* the index that there was before */
		expect_hits(test, 0x122, 1);
		expect_hits(test, 0x123, 0);
	}
	/* the allocation that would fail has not been reached */
	KUNIT_EXPECT_EQ(test, rig->fail, 1);
	rig->fail = 0;
	KUNIT_EXPECT_EQ(test, failures, 2);
	expect_hits(test, 0x122, 0);
	expect_hits(test, 0x123, 1);
}

static struct kunit_case index_cases[] = {
	KUNIT_CASE_SLOW(random_filters_match_as_reference),
	KUNIT_CASE_SLOW(no_frame_has_more_hits),
	KUNIT_CASE_SLOW(random_filters_match_as_in_af_can),
	KUNIT_CASE(empty_index_finds_nothing),
	KUNIT_CASE(mask_0_matches_all),
	KUNIT_CASE(mask_without_eff_matches_both),
	KUNIT_CASE(standard_mask_is_reduced),
	KUNIT_CASE(standard_identifiers_are_all_found),
	KUNIT_CASE_PARAM(extended_identifiers_are_all_found,
			 extended_counts_gen_params),
	KUNIT_CASE(wide_filters_follow_many),
	KUNIT_CASE(equal_filters_are_found_in_order),
	KUNIT_CASE(hits_keep_their_order),
	KUNIT_CASE(more_filters_than_the_limit_are_refused),
	KUNIT_CASE_PARAM(fifth_hit_is_refused, matchings_gen_params),
	KUNIT_CASE(later_filters_are_not_reported),
	KUNIT_CASE(groups_that_overlap_are_added),
	KUNIT_CASE(ninth_mask_is_refused),
	KUNIT_CASE(other_kinds_of_filters_are_refused),
	KUNIT_CASE(build_fails_cleanly),
	{}
};

static struct kunit_suite index_suite = {
	.name = "can_gw_express_index",
	.init = index_test_init,
	.exit = index_test_exit,
	.test_cases = index_cases,
};

kunit_test_suite(index_suite);
