// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Rules that go on in another table: see gw_follow.h. */
#include <linux/bsearch.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "gw_follow.h"
#include "gw_table.h"

#ifdef CAN_GW_EXPRESS

/**
 * struct cgw_follow_entry - what matters of a rule
 * @filter: its filter
 * @dst_idx: ifindex of its destination
 * @hash: of its other contents, or of its uid; that two rules have the same by chance does
 *	no harm
 * @on: it is an express rule
 * @handle: the older rule has the lower one
 * @rule: the rule; NULL if it has its pair
 */
struct cgw_follow_entry {
	u64 filter;
	u32 dst_idx;
	u32 hash;
	bool on;
	u64 handle;
	struct cgw_rule *rule;
};

struct cgw_follow_list {
	unsigned int count;
	struct cgw_follow_entry entry[];
};

typedef int (*cgw_follow_cmp)(const struct cgw_follow_entry *a,
			      const struct cgw_follow_entry *b);

static int cgw_follow_cmp_u64(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

static int cgw_follow_cmp_way(const struct cgw_follow_entry *a,
			      const struct cgw_follow_entry *b)
{
	return cgw_follow_cmp_u64(a->dst_idx, b->dst_idx) ?:
	       cgw_follow_cmp_u64(a->filter, b->filter);
}

static int cgw_follow_cmp_contents(const struct cgw_follow_entry *a,
				   const struct cgw_follow_entry *b)
{
	return cgw_follow_cmp_way(a, b) ?: cgw_follow_cmp_u64(a->hash, b->hash);
}

static int cgw_follow_cmp_equal(const struct cgw_follow_entry *a,
				const struct cgw_follow_entry *b)
{
	return cgw_follow_cmp_contents(a, b) ?: cgw_follow_cmp_u64(a->on, b->on);
}

static int cgw_follow_cmp_kind(const struct cgw_follow_entry *a,
			       const struct cgw_follow_entry *b)
{
	return cgw_follow_cmp_way(a, b) ?: cgw_follow_cmp_u64(a->on, b->on);
}

static int cgw_follow_sort_ways(const void *a, const void *b)
{
	return cgw_follow_cmp_way(a, b);
}

static int cgw_follow_by_age(const struct cgw_follow_entry *a,
			     const struct cgw_follow_entry *b)
{
	return cgw_follow_cmp_u64(a->handle, b->handle);
}

static int cgw_follow_sort_equal(const void *a, const void *b)
{
	return cgw_follow_cmp_equal(a, b) ?: cgw_follow_by_age(a, b);
}

static int cgw_follow_sort_kind(const void *a, const void *b)
{
	return cgw_follow_cmp_kind(a, b) ?: cgw_follow_by_age(a, b);
}

static void cgw_follow_sort(struct cgw_follow_list *list, cmp_func_t cmp)
{
	sort(list->entry, list->count, sizeof(*list->entry), cmp, NULL);
	cond_resched();
}

static struct cgw_follow_list *cgw_follow_alloc(unsigned int count)
{
	struct cgw_follow_list *list;

	list = kvmalloc(struct_size(list, entry, count), GFP_KERNEL_ACCOUNT);
	if (list)
		list->count = 0;
	return list;
}

static struct cgw_follow_entry cgw_follow_entry_of(struct cgw_rule *rule)
{
	const struct can_filter *filter = &rule->key.filter;

	return (struct cgw_follow_entry){
		.filter = (u64)filter->can_id << 32 | filter->can_mask,
		.dst_idx = rule->key.dst_idx,
		.hash = rule->hash,
		.on = rule->express.on,
		.handle = rule->handle,
		.rule = rule,
	};
}

static bool cgw_follow_is_among(const struct cgw_follow_entry *entry,
				const struct cgw_follow_list *ways)
{
	return bsearch(entry, ways->entry, ways->count, sizeof(*entry),
		       cgw_follow_sort_ways);
}

/* The number of rules that are express rules, or were */
static unsigned int cgw_follow_concerned(const struct cgw_source *source)
{
	unsigned int count = 0;
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &source->rules, source_node) {
		count += rule->was_express;
		cond_resched();
	}
	return count;
}

/* Can it be an express rule? Their frames are Classical CAN. */
static bool cgw_follow_can_be_express(const struct cgw_rule *rule)
{
	return rule->key.frames == CGW_FRAMES_CC;
}

/* Add the rules with one of these destinations and filters; without @ways, those that are
 * express rules, or were.
 */
static void cgw_follow_add(struct cgw_follow_list *list, const struct cgw_source *source,
			   const struct cgw_follow_list *ways)
{
	struct cgw_follow_entry entry;
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &source->rules, source_node) {
		entry = cgw_follow_entry_of(rule);
		if (cgw_follow_can_be_express(rule) &&
		    (ways ? cgw_follow_is_among(&entry, ways) : rule->was_express))
			list->entry[list->count++] = entry;
		cond_resched();
	}
}

static void cgw_follow_compact(struct cgw_follow_list *list)
{
	unsigned int i, left = 0;

	for (i = 0; i < list->count; i++)
		if (list->entry[i].rule)
			list->entry[left++] = list->entry[i];
	list->count = left;
}

/* Pair rules that are equal by @cmp, whose order both lists have, and remove them there. */
static void cgw_follow_level(struct cgw_follow *follow, struct cgw_follow_list *old,
			     struct cgw_follow_list *new, cgw_follow_cmp equal)
{
	unsigned int i = 0, j = 0;
	int cmp;

	while (i < old->count && j < new->count) {
		cmp = equal(&old->entry[i], &new->entry[j]);
		if (!cmp) {
			follow->pair[follow->count].old = old->entry[i].rule;
			follow->pair[follow->count++].new = new->entry[j].rule;
			old->entry[i].rule = NULL;
			new->entry[j].rule = NULL;
		}
		i += cmp <= 0;
		j += cmp >= 0;
	}
	cgw_follow_compact(old);
	cgw_follow_compact(new);
	cond_resched();
}

static struct cgw_follow *cgw_follow_pair(struct cgw_follow_list *old,
					  struct cgw_follow_list *new)
{
	struct cgw_follow *follow;

	follow = kvmalloc(struct_size(follow, pair, min(old->count, new->count)),
			  GFP_KERNEL_ACCOUNT);
	if (!follow)
		return NULL;
	follow->count = 0;
	cgw_follow_sort(old, cgw_follow_sort_equal);
	cgw_follow_sort(new, cgw_follow_sort_equal);
	cgw_follow_level(follow, old, new, cgw_follow_cmp_equal);
	cgw_follow_level(follow, old, new, cgw_follow_cmp_contents);
	cgw_follow_sort(old, cgw_follow_sort_kind);
	cgw_follow_sort(new, cgw_follow_sort_kind);
	cgw_follow_level(follow, old, new, cgw_follow_cmp_kind);
	cgw_follow_level(follow, old, new, cgw_follow_cmp_way);
	return follow;
}

static struct cgw_follow *cgw_follow_pairs(const struct cgw_source *old,
					   const struct cgw_source *new,
					   struct cgw_follow_list *ways)
{
	struct cgw_follow_list *old_list = cgw_follow_alloc(old->count);
	struct cgw_follow_list *new_list = cgw_follow_alloc(new->count);
	struct cgw_follow *follow = NULL;

	if (old_list && new_list) {
		cgw_follow_sort(ways, cgw_follow_sort_ways);
		cgw_follow_add(old_list, old, ways);
		cgw_follow_add(new_list, new, ways);
		follow = cgw_follow_pair(old_list, new_list);
	}
	kvfree(old_list);
	kvfree(new_list);
	return follow;
}

/**
 * cgw_follow_make() - find the rules of a source that go on
 * @old: rules of the source, or NULL
 * @new: rules that will replace them, with handles in the order of their age
 * @follow: set to the pairs, for cgw_follow_free(); NULL without @old, or if no rule is or was
 *	an express rule
 *
 * The cost for n rules is n log n, if one is or was an express rule, and otherwise n. Rules
 * with the destination and filter of such a one are sorted, without a chance to reschedule.
 *
 * Return: 0 or -ENOMEM.
 */
int cgw_follow_make(const struct cgw_source *old, const struct cgw_source *new,
		    struct cgw_follow **follow)
{
	struct cgw_follow_list *ways;
	unsigned int concerned;

	*follow = NULL;
	if (!old)
		return 0;
	concerned = cgw_follow_concerned(old) + cgw_follow_concerned(new);
	if (!concerned)
		return 0;
	ways = cgw_follow_alloc(concerned);
	if (!ways)
		return -ENOMEM;
	cgw_follow_add(ways, old, NULL);
	cgw_follow_add(ways, new, NULL);
	*follow = cgw_follow_pairs(old, new, ways);
	kvfree(ways);
	return *follow ? 0 : -ENOMEM;
}

/* Free the pairs, or NULL. */
void cgw_follow_free(struct cgw_follow *follow)
{
	kvfree(follow);
}

#endif /* CAN_GW_EXPRESS */
