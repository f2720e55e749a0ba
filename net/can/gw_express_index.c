// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* An index of filters that is searched in bounded time: contexts are described
 * in gw_express_index.h.
 *
 * A frame with a standard identifier costs one access to an array. A frame with
 * an extended identifier costs a hash lookup for each mask, which visits at most
 * CHAIN_LENGTH groups.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/jhash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gw_express_index.h"

/* Standard identifiers, without and with the RTR bit */
#define STANDARD_IDS 4096
#define STANDARD_RTR 2048

/* Groups that a hash lookup visits at most, and chains per group: only one of
 * ten seeds makes a longer chain of 4096 groups.
 */
#define CHAIN_LENGTH 4
#define CHAINS_PER_GROUP 4

/* Sets of standard identifiers are hashed while the index is built. */
#define SET_SLOTS (2 * STANDARD_IDS)

/* Positions are stored plus 1. */
static_assert(CGW_EXPRESS_RULES < U16_MAX);
static_assert(STANDARD_IDS < U16_MAX);

/* A number of chains is a power of 2. */
static_assert(!(CGW_EXPRESS_RULES & (CGW_EXPRESS_RULES - 1)));

/**
 * struct cgw_express_set - filters that match a frame
 * @filter: positions in the array of filters, plus 1; ascending, followed by 0
 */
struct cgw_express_set {
	u16 filter[CGW_EXPRESS_HITS];
};

/**
 * struct cgw_express_group - filters with the same mask and identifier
 * @id: identifier without CAN_EFF_FLAG, masked
 * @next: position of the next group in the same chain, plus 1, or 0
 * @mask: number of the mask
 * @filters: the filters
 */
struct cgw_express_group {
	canid_t id;
	u16 next;
	u8 mask;
	struct cgw_express_set filters;
};

/**
 * struct cgw_express_hash - hash table of groups
 * @groups: array of groups
 * @heads: first group of each chain, as in cgw_express_group.next
 * @head_mask: number of chains - 1
 * @seed: of the hash function. Random, because userspace chooses the
 *	identifiers
 */
struct cgw_express_hash {
	struct cgw_express_group *groups;
	u16 *heads;
	u32 head_mask;
	u32 seed;
};

/**
 * struct cgw_express_index - the index, in one block of memory
 * @extended: groups of the filters that match extended identifiers
 * @masks: their masks, without CAN_EFF_FLAG
 * @nr_masks: entries of @masks
 * @sets: distinct sets of filters that match a standard identifier
 * @standard: set of each standard identifier, position in @sets
 * @data: data of each filter
 */
struct cgw_express_index {
	struct cgw_express_hash extended;
	canid_t masks[CGW_EXPRESS_MASKS];
	unsigned int nr_masks;
	struct cgw_express_set *sets;
	u16 standard[STANDARD_IDS];
	void *data[];
};

/**
 * struct cgw_express_mask - a mask while the index is built
 * @mask: without CAN_EFF_FLAG
 * @largest: number of filters in its largest group
 * @last: its last group, position plus 1
 * @filter: position of the first filter that has this mask
 */
struct cgw_express_mask {
	canid_t mask;
	unsigned int largest;
	unsigned int last;
	unsigned int filter;
};

/**
 * struct cgw_express_builder - an index while it is built
 * @refusal: filled in if a filter is refused
 * @sets: set of each standard identifier; then the distinct sets
 * @nr_sets: number of distinct sets
 * @standard: for cgw_express_index.standard
 * @set_slots: hash table of the distinct sets, positions plus 1
 * @masks: masks of the filters that match extended identifiers
 * @nr_masks: entries of @masks
 * @extended: groups, with one chain for each filter of a full index
 * @nr_groups: entries of @groups
 * @heads: for @extended
 * @previous: previous group with the same mask, position plus 1, or 0
 * @groups: for @extended
 */
struct cgw_express_builder {
	struct cgw_express_refusal *refusal;
	struct cgw_express_set sets[STANDARD_IDS];
	unsigned int nr_sets;
	u16 standard[STANDARD_IDS];
	u16 set_slots[SET_SLOTS];
	struct cgw_express_mask masks[CGW_EXPRESS_MASKS];
	unsigned int nr_masks;
	struct cgw_express_hash extended;
	unsigned int nr_groups;
	u16 heads[CGW_EXPRESS_RULES];
	u16 previous[CGW_EXPRESS_RULES];
	struct cgw_express_group groups[];
};

/* The KUnit suite replaces these functions, to make allocations fail. The
 * fault injection of the kernel does not: if a large allocation fails,
 * kvzalloc() tries another way.
 */

VISIBLE_IF_KUNIT void *cgw_express_alloc(size_t size)
{
	KUNIT_STATIC_STUB_REDIRECT(cgw_express_alloc, size);
	return kvzalloc(size, GFP_KERNEL_ACCOUNT);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_express_alloc);

VISIBLE_IF_KUNIT void cgw_express_free(void *memory)
{
	KUNIT_STATIC_STUB_REDIRECT(cgw_express_free, memory);
	kvfree(memory);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_express_free);

/* Sets */

static bool cgw_express_set_full(const struct cgw_express_set *set)
{
	return set->filter[CGW_EXPRESS_HITS - 1];
}

static unsigned int cgw_express_set_count(const struct cgw_express_set *set)
{
	unsigned int n = 0;

	while (n < CGW_EXPRESS_HITS && set->filter[n])
		n++;
	return n;
}

/* A full set loses its last filter: no write past the end, whatever is in the
 * index.
 */
static void cgw_express_set_add(struct cgw_express_set *set, u16 filter)
{
	unsigned int n;

	for (n = 0; filter && n < CGW_EXPRESS_HITS; n++)
		if (!set->filter[n] || filter < set->filter[n])
			swap(set->filter[n], filter);
}

/* Hash table of groups */

static u16 *cgw_express_head(const struct cgw_express_hash *hash,
			     unsigned int mask, canid_t id)
{
	return &hash->heads[jhash_2words(id, mask, hash->seed) &
			    hash->head_mask];
}

static struct cgw_express_group *
cgw_express_find_group(const struct cgw_express_hash *hash, unsigned int mask,
		       canid_t id)
{
	struct cgw_express_group *group;
	u16 n;

	for (n = *cgw_express_head(hash, mask, id); n; n = group->next) {
		group = &hash->groups[n - 1];
		if (group->id == id && group->mask == mask)
			return group;
	}
	return NULL;
}

static void cgw_express_link_group(struct cgw_express_hash *hash,
				   unsigned int n)
{
	struct cgw_express_group *group = &hash->groups[n];
	u16 *head = cgw_express_head(hash, group->mask, group->id);

	group->next = *head;
	*head = n + 1;
}

static unsigned int cgw_express_chain_length(const struct cgw_express_hash *hash,
					     unsigned int n)
{
	unsigned int length = 0;

	for (n++; n; n = hash->groups[n - 1].next)
		length++;
	return length;
}

/* Return: false if a chain is too long. */
static bool cgw_express_link_groups(struct cgw_express_hash *hash,
				    unsigned int count)
{
	unsigned int n;

	memset(hash->heads, 0, (hash->head_mask + 1) * sizeof(*hash->heads));
	for (n = 0; n < count; n++) {
		cgw_express_link_group(hash, n);
		if (cgw_express_chain_length(hash, n) > CHAIN_LENGTH)
			return false;
	}
	return true;
}

/* Filters */

static int cgw_express_refuse(struct cgw_express_builder *b,
			      enum cgw_express_limit limit,
			      unsigned int filter, unsigned int other)
{
	*b->refusal = (struct cgw_express_refusal){
		.limit = limit, .filter = filter, .other = other,
	};
	return limit == CGW_EXPRESS_LIMIT_INVERTED ||
	       limit == CGW_EXPRESS_LIMIT_ERRORS ? -EOPNOTSUPP : -ENOSPC;
}

/* Get the values that frames are compared with: as rcvlist_classify() */
static void cgw_express_reduce(struct can_filter *filter)
{
	/* a standard identifier has 11 bits */
	if (filter->can_mask & CAN_EFF_FLAG && !(filter->can_id & CAN_EFF_FLAG))
		filter->can_mask &= CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG;
	filter->can_id &= filter->can_mask;
}

static bool cgw_express_matches_standard(const struct can_filter *reduced)
{
	return !(reduced->can_id &
		 (CAN_EFF_FLAG | (CAN_EFF_MASK & ~CAN_SFF_MASK)));
}

static bool cgw_express_matches_extended(const struct can_filter *reduced)
{
	return !(reduced->can_mask & CAN_EFF_FLAG) ||
	       reduced->can_id & CAN_EFF_FLAG;
}

/* Standard identifiers */

static unsigned int cgw_express_standard(canid_t id)
{
	return (id & CAN_SFF_MASK) | (id & CAN_RTR_FLAG ? STANDARD_RTR : 0);
}

/* Visits only the identifiers that match: they are all combinations of the bits
 * that are not in the mask.
 */
static int cgw_express_add_standard(struct cgw_express_builder *b,
				    unsigned int n,
				    const struct can_filter *reduced)
{
	unsigned int id = cgw_express_standard(reduced->can_id);
	unsigned int any = ~cgw_express_standard(reduced->can_mask) &
			   (STANDARD_IDS - 1);
	unsigned int bits = 0;

	do {
		struct cgw_express_set *set = &b->sets[id | bits];

		if (cgw_express_set_full(set))
			return cgw_express_refuse(b, CGW_EXPRESS_LIMIT_HITS, n,
						  set->filter[0] - 1);
		cgw_express_set_add(set, n + 1);
		bits = (bits - any) & any;
	} while (bits);
	return 0;
}

/* Return: position of a set that is equal to @set; if there is none, append it.
 * The array has room, and @set is a copy: there are not more distinct sets than
 * sets that have been read.
 */
static unsigned int cgw_express_get_set(struct cgw_express_builder *b,
					struct cgw_express_set set)
{
	u32 slot = jhash(&set, sizeof(set), b->extended.seed) % SET_SLOTS;

	while (b->set_slots[slot]) {
		unsigned int n = b->set_slots[slot] - 1;

		if (!memcmp(&b->sets[n], &set, sizeof(set)))
			return n;
		slot = (slot + 1) % SET_SLOTS;
	}
	b->sets[b->nr_sets] = set;
	b->set_slots[slot] = ++b->nr_sets;
	return b->nr_sets - 1;
}

/* Most identifiers have the same set as the previous one. */
static void cgw_express_share_sets(struct cgw_express_builder *b)
{
	struct cgw_express_set last = {};
	unsigned int id, n = 0;

	for (id = 0; id < STANDARD_IDS; id++) {
		struct cgw_express_set set = b->sets[id];

		if (!id || memcmp(&set, &last, sizeof(set)))
			n = cgw_express_get_set(b, set);
		b->standard[id] = n;
		last = set;
	}
}

/* Extended identifiers */

/* A frame with an extended identifier has CAN_EFF_FLAG, which need not be
 * compared.
 */
static int cgw_express_get_mask(struct cgw_express_builder *b,
				unsigned int filter, canid_t mask)
{
	unsigned int nr;

	for (nr = 0; nr < b->nr_masks; nr++)
		if (b->masks[nr].mask == mask)
			return nr;
	if (nr == CGW_EXPRESS_MASKS)
		return cgw_express_refuse(b, CGW_EXPRESS_LIMIT_MASKS, filter,
					  b->masks[0].filter);
	b->masks[nr].mask = mask;
	b->masks[nr].filter = filter;
	b->nr_masks++;
	return nr;
}

/**
 * struct cgw_express_overlap - earlier filters that overlap with a new one
 * @id: identifier of the new filter
 * @mask: mask of the new filter
 * @hits: filters that can match the same frame, at most
 * @other: position of one that overlaps
 */
struct cgw_express_overlap {
	canid_t id;
	canid_t mask;
	unsigned int hits;
	unsigned int other;
};

static unsigned int cgw_express_count_group(struct cgw_express_overlap *o,
					    const struct cgw_express_group *group)
{
	o->other = group->filters.filter[0] - 1;
	return cgw_express_set_count(&group->filters);
}

/* All bits of the other mask are in the mask of the new filter: at most one of
 * its groups overlaps.
 */
static bool cgw_express_one_overlaps(const struct cgw_express_overlap *o,
				     const struct cgw_express_mask *mask)
{
	return !(mask->mask & ~o->mask);
}

static unsigned int cgw_express_find_overlap(struct cgw_express_builder *b,
					     struct cgw_express_overlap *o,
					     unsigned int nr)
{
	const struct cgw_express_group *group;

	group = cgw_express_find_group(&b->extended, nr,
				       o->id & b->masks[nr].mask);
	return group ? cgw_express_count_group(o, group) : 0;
}

static unsigned int cgw_express_scan_overlaps(struct cgw_express_builder *b,
					      struct cgw_express_overlap *o,
					      unsigned int nr)
{
	canid_t mask = o->mask & b->masks[nr].mask;
	unsigned int n, most = 0;

	for (n = b->masks[nr].last; n; n = b->previous[n - 1]) {
		struct cgw_express_group *group = &b->groups[n - 1];

		if (!((group->id ^ o->id) & mask))
			most = max(most, cgw_express_count_group(o, group));
		if (most == b->masks[nr].largest)
			break;
	}
	return most;
}

/* A frame is in one group of each mask. If it matches a new filter, these groups
 * overlap with the filter. So the sum of the largest groups that overlap is not
 * below the number of earlier filters that match the frame. Groups are searched
 * if the sum of the largest groups of all masks would exceed the limit.
 */
static void cgw_express_count_overlaps(struct cgw_express_builder *b,
				       struct cgw_express_overlap *o)
{
	unsigned int nr;

	for (nr = 0; nr < b->nr_masks; nr++)
		if (cgw_express_one_overlaps(o, &b->masks[nr]))
			o->hits += cgw_express_find_overlap(b, o, nr);
		else
			o->hits += b->masks[nr].largest;

	for (nr = 0; nr < b->nr_masks && o->hits >= CGW_EXPRESS_HITS; nr++)
		if (!cgw_express_one_overlaps(o, &b->masks[nr])) {
			o->hits -= b->masks[nr].largest;
			o->hits += cgw_express_scan_overlaps(b, o, nr);
		}
}

static struct cgw_express_group *
cgw_express_get_group(struct cgw_express_builder *b, unsigned int nr, canid_t id)
{
	struct cgw_express_group *group;

	group = cgw_express_find_group(&b->extended, nr, id);
	if (group)
		return group;
	group = &b->groups[b->nr_groups];
	group->id = id;
	group->mask = nr;
	cgw_express_link_group(&b->extended, b->nr_groups);
	b->previous[b->nr_groups] = b->masks[nr].last;
	b->masks[nr].last = ++b->nr_groups;
	return group;
}

static int cgw_express_add_extended(struct cgw_express_builder *b,
				    unsigned int n,
				    const struct can_filter *reduced)
{
	struct cgw_express_overlap overlap = {
		.id = reduced->can_id & ~CAN_EFF_FLAG,
		.mask = reduced->can_mask & ~CAN_EFF_FLAG,
	};
	struct cgw_express_group *group;
	struct cgw_express_mask *mask;
	int nr;

	nr = cgw_express_get_mask(b, n, overlap.mask);
	if (nr < 0)
		return nr;
	cgw_express_count_overlaps(b, &overlap);
	if (overlap.hits >= CGW_EXPRESS_HITS)
		return cgw_express_refuse(b, CGW_EXPRESS_LIMIT_HITS, n,
					  overlap.other);
	group = cgw_express_get_group(b, nr, overlap.id);
	cgw_express_set_add(&group->filters, n + 1);
	mask = &b->masks[nr];
	mask->largest = max(mask->largest,
			    cgw_express_set_count(&group->filters));
	return 0;
}

/* Index */

static int cgw_express_add(struct cgw_express_builder *b, unsigned int n,
			   struct can_filter filter)
{
	int err = 0;

	/* CAN_INV_FILTER has no meaning in filters for error message frames */
	if (filter.can_mask & CAN_ERR_FLAG)
		return cgw_express_refuse(b, CGW_EXPRESS_LIMIT_ERRORS, n, 0);
	if (filter.can_id & CAN_INV_FILTER)
		return cgw_express_refuse(b, CGW_EXPRESS_LIMIT_INVERTED, n, 0);
	cgw_express_reduce(&filter);
	if (cgw_express_matches_standard(&filter))
		err = cgw_express_add_standard(b, n, &filter);
	if (!err && cgw_express_matches_extended(&filter))
		err = cgw_express_add_extended(b, n, &filter);
	return err;
}

static int cgw_express_add_all(struct cgw_express_builder *b,
			       const struct cgw_express_filter *filters,
			       unsigned int count)
{
	unsigned int n;
	int err;

	if (count > CGW_EXPRESS_RULES)
		return cgw_express_refuse(b, CGW_EXPRESS_LIMIT_RULES,
					  CGW_EXPRESS_RULES, 0);
	for (n = 0; n < count; n++) {
		err = cgw_express_add(b, n, filters[n].filter);
		if (err)
			return err;
		/* a filter may have visited all identifiers or all groups */
		cond_resched();
	}
	cgw_express_share_sets(b);
	return 0;
}

static void cgw_express_fill_masks(struct cgw_express_index *index,
				   const struct cgw_express_builder *b)
{
	unsigned int nr;

	for (nr = 0; nr < b->nr_masks; nr++)
		index->masks[nr] = b->masks[nr].mask;
	index->nr_masks = b->nr_masks;
}

/* Each seed has a good chance to make short chains only. */
static void cgw_express_fill_extended(struct cgw_express_hash *hash,
				      const struct cgw_express_builder *b)
{
	memcpy(hash->groups, b->groups, b->nr_groups * sizeof(*b->groups));
	do {
		hash->seed = get_random_u32();
		cond_resched();
	} while (!cgw_express_link_groups(hash, b->nr_groups));
}

/* The arrays follow in the order of their alignment. */
static struct cgw_express_index *
cgw_express_index_alloc(const struct cgw_express_builder *b, unsigned int count)
{
	unsigned int chains = 1;
	struct cgw_express_index *index;
	size_t size;

	if (b->nr_groups)
		chains = roundup_pow_of_two(CHAINS_PER_GROUP * b->nr_groups);
	size = struct_size(index, data, count) +
	       b->nr_groups * sizeof(*index->extended.groups) +
	       b->nr_sets * sizeof(*index->sets) +
	       chains * sizeof(*index->extended.heads);
	index = cgw_express_alloc(size);
	if (!index)
		return NULL;
	index->extended.groups = (void *)&index->data[count];
	index->sets = (void *)&index->extended.groups[b->nr_groups];
	index->extended.heads = (void *)&index->sets[b->nr_sets];
	index->extended.head_mask = chains - 1;
	return index;
}

static struct cgw_express_index *
cgw_express_finish(const struct cgw_express_builder *b,
		   const struct cgw_express_filter *filters, unsigned int count)
{
	struct cgw_express_index *index = cgw_express_index_alloc(b, count);
	unsigned int n;

	if (!index)
		return NULL;
	cgw_express_fill_masks(index, b);
	cgw_express_fill_extended(&index->extended, b);
	memcpy(index->sets, b->sets, b->nr_sets * sizeof(*b->sets));
	memcpy(index->standard, b->standard, sizeof(b->standard));
	for (n = 0; n < count; n++)
		index->data[n] = filters[n].data;
	return index;
}

static struct cgw_express_builder *
cgw_express_builder_alloc(unsigned int count,
			  struct cgw_express_refusal *refusal)
{
	struct cgw_express_builder *b;

	b = cgw_express_alloc(struct_size(b, groups, count));
	if (!b)
		return NULL;
	b->refusal = refusal;
	b->extended.groups = b->groups;
	b->extended.heads = b->heads;
	b->extended.head_mask = ARRAY_SIZE(b->heads) - 1;
	b->extended.seed = get_random_u32();
	return b;
}

/**
 * cgw_express_index_build() - build an index
 * @filters: filters, in the order in which they are returned for a frame
 * @count: number of filters, can be 0
 * @index: set to the index; unchanged on error
 * @refusal: filled in if a filter is refused; otherwise its limit is set to
 *	CGW_EXPRESS_LIMIT_NONE
 *
 * The time is proportional to @count, unless wide masks follow many filters
 * for extended identifiers: then at most to its square.
 *
 * Context: Process context; may sleep.
 * Return: 0, -ENOMEM; -ENOSPC if a limit is exceeded; -EOPNOTSUPP for a filter
 * that is inverted or for error message frames. No memory is kept on error.
 */
int cgw_express_index_build(const struct cgw_express_filter *filters,
			    unsigned int count,
			    struct cgw_express_index **index,
			    struct cgw_express_refusal *refusal)
{
	struct cgw_express_index *built;
	struct cgw_express_builder *b;
	int err;

	*refusal = (struct cgw_express_refusal){};
	b = cgw_express_builder_alloc(min(count, CGW_EXPRESS_RULES), refusal);
	if (!b)
		return -ENOMEM;
	err = cgw_express_add_all(b, filters, count);
	if (!err) {
		built = cgw_express_finish(b, filters, count);
		if (built)
			*index = built;
		else
			err = -ENOMEM;
	}
	cgw_express_free(b);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_express_index_build);

/**
 * cgw_express_index_free() - free an index
 * @index: index without readers, or NULL
 *
 * Context: Process context, or softirq context.
 */
void cgw_express_index_free(struct cgw_express_index *index)
{
	cgw_express_free(index);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_express_index_free);

static void cgw_express_find_extended(const struct cgw_express_index *index,
				      canid_t id, struct cgw_express_set *hits)
{
	const struct cgw_express_group *group;
	unsigned int nr, n;

	for (nr = 0; nr < index->nr_masks; nr++) {
		group = cgw_express_find_group(&index->extended, nr,
					       id & index->masks[nr]);
		if (!group)
			continue;
		for (n = 0; n < CGW_EXPRESS_HITS; n++)
			cgw_express_set_add(hits, group->filters.filter[n]);
	}
}

/**
 * cgw_express_index_find() - find the filters that match a frame
 * @index: index
 * @id: identifier of a received frame, with CAN_EFF_FLAG and CAN_RTR_FLAG; not
 *	of an error message frame
 * @data: set to the data of the filters, in the order of the array from which
 *	the index was built
 *
 * Context: Any context, also under raw spinlocks; under rcu_read_lock() or
 * other protection of @index.
 * Return: number of filters.
 */
unsigned int cgw_express_index_find(const struct cgw_express_index *index,
				    canid_t id, void *data[CGW_EXPRESS_HITS])
{
	struct cgw_express_set hits = {};
	unsigned int n;

	if (id & CAN_EFF_FLAG)
		cgw_express_find_extended(index, id, &hits);
	else
		hits = index->sets[index->standard[cgw_express_standard(id)]];
	for (n = 0; n < CGW_EXPRESS_HITS && hits.filter[n]; n++)
		data[n] = index->data[hits.filter[n] - 1];
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_express_index_find);
