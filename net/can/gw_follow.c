// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Rules that go on in another table: see gw_follow.h. */
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "gw_follow.h"
#include "gw_table.h"

#ifdef CAN_GW_EXPRESS

/* What two rules have in common, each with those before */
enum cgw_follow_level {
	CGW_FOLLOW_WAY,
	CGW_FOLLOW_CONTENTS,
	CGW_FOLLOW_KIND,
	CGW_FOLLOW_LEVELS,
};

/**
 * struct cgw_follow_list - the rules of a source
 * @count: their number
 * @rule: the rules in the order of cgw_follow_sort(); NULL for one that has its pair
 */
struct cgw_follow_list {
	unsigned int count;
	struct cgw_rule *rule[];
};

static int cgw_follow_cmp_u64(u64 a, u64 b)
{
	return (a > b) - (a < b);
}

static u64 cgw_follow_filter(const struct cgw_rule *rule)
{
	return (u64)rule->key.filter.can_id << 32 | rule->key.filter.can_mask;
}

static int cgw_follow_cmp(const struct cgw_rule *a, const struct cgw_rule *b,
			  enum cgw_follow_level level)
{
	int cmp = cgw_follow_cmp_u64(a->key.dst_idx, b->key.dst_idx) ?:
		  cgw_follow_cmp_u64(cgw_follow_filter(a), cgw_follow_filter(b));

	if (!cmp && level >= CGW_FOLLOW_CONTENTS)
		cmp = cgw_follow_cmp_u64(a->hash, b->hash);
	if (!cmp && level >= CGW_FOLLOW_KIND)
		cmp = cgw_follow_cmp_u64(a->express.on, b->express.on);
	return cmp;
}

/* By all levels, then from the oldest to the newest */
static int cgw_follow_sort(const void *a, const void *b)
{
	const struct cgw_rule *const *x = a, *const *y = b;

	return cgw_follow_cmp(*x, *y, CGW_FOLLOW_KIND) ?:
	       cgw_follow_cmp_u64((*x)->handle, (*y)->handle);
}

static struct cgw_follow_list *cgw_follow_list(const struct cgw_source *source)
{
	struct cgw_follow_list *list;
	struct cgw_rule *rule;

	list = kvmalloc(struct_size(list, rule, source->count), GFP_KERNEL_ACCOUNT);
	if (!list)
		return NULL;
	list->count = 0;
	hlist_for_each_entry(rule, &source->rules, source_node)
		list->rule[list->count++] = rule;
	sort(list->rule, list->count, sizeof(*list->rule), cgw_follow_sort, NULL);
	return list;
}

/* Rules that an earlier level has paired are gone, which keeps the order of the others. */
static void cgw_follow_level(struct cgw_follow *follow, struct cgw_follow_list *old,
			     struct cgw_follow_list *new, enum cgw_follow_level level)
{
	unsigned int i = 0, j = 0;
	int cmp;

	while (i < old->count && j < new->count) {
		if (!old->rule[i]) {
			i++;
			continue;
		}
		if (!new->rule[j]) {
			j++;
			continue;
		}
		cmp = cgw_follow_cmp(old->rule[i], new->rule[j], level);
		if (!cmp) {
			follow->pair[follow->count].old = old->rule[i];
			follow->pair[follow->count++].new = new->rule[j];
			old->rule[i] = NULL;
			new->rule[j] = NULL;
		}
		i += cmp <= 0;
		j += cmp >= 0;
	}
}

static struct cgw_follow *cgw_follow_pairs(struct cgw_follow_list *old,
					   struct cgw_follow_list *new)
{
	struct cgw_follow *follow;
	int level;

	if (!old || !new)
		return NULL;
	follow = kvmalloc(struct_size(follow, pair, min(old->count, new->count)),
			  GFP_KERNEL_ACCOUNT);
	if (!follow)
		return NULL;
	follow->count = 0;
	for (level = CGW_FOLLOW_LEVELS - 1; level >= 0; level--) {
		cgw_follow_level(follow, old, new, level);
		cond_resched();
	}
	return follow;
}

/* Is there a rule by which interrupts route, will route, or have routed? */
static bool cgw_follow_concerns(const struct cgw_source *source)
{
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &source->rules, source_node)
		if (rule->was_express)
			return true;
	return false;
}

/**
 * cgw_follow_make() - find the rules of a source that go on
 * @old: rules of the source, or NULL
 * @new: rules that will replace them, with handles in the order of their age
 * @follow: set to the pairs, for cgw_follow_free(); NULL if there are none, or no rule is or
 *	was an express rule
 *
 * The cost is proportional to n log n for n rules.
 *
 * Return: 0 or -ENOMEM.
 */
int cgw_follow_make(const struct cgw_source *old, const struct cgw_source *new,
		    struct cgw_follow **follow)
{
	struct cgw_follow_list *old_list, *new_list;

	*follow = NULL;
	if (!old || (!cgw_follow_concerns(old) && !cgw_follow_concerns(new)))
		return 0;
	old_list = cgw_follow_list(old);
	new_list = cgw_follow_list(new);
	*follow = cgw_follow_pairs(old_list, new_list);
	kvfree(old_list);
	kvfree(new_list);
	return *follow ? 0 : -ENOMEM;
}

/* Free the pairs, or NULL. */
void cgw_follow_free(struct cgw_follow *follow)
{
	kvfree(follow);
}

#endif /* CAN_GW_EXPRESS */
