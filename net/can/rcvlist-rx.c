// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * Delivery of frames to the receivers of a list, in the order defined in
 * rcvlist.h.
 *
 * Contexts: all functions run under rcu_read_lock(), on any number of CPUs,
 * concurrently with a writer.
 *
 * Receivers with a mask are found by the index: in one chain for each table,
 * and one for the listed receivers. For most frames, at most one chain has
 * matching receivers. Several chains are merged, the newest receiver first.
 * Lookups, merging, and skipping receivers that do not match are limited to
 * can_rcvlist.budget steps. When the budget is used up, delivery continues by a
 * walk through all receivers, after the last one that was called. So the index
 * costs at most the budget more than a walk.
 */
#include <linux/export.h>
#include <linux/rculist.h>

#include "rcvlist.h"
#include "rcvtable.h"

/* Chains that are merged at the same time; for more, the search is repeated */
#define MERGE_WAYS 8

/* Steps for each receiver found by merging, plus one for each used way */
#define MERGE_STEPS 6

/**
 * struct rcv_merge - k-way merge of the chains that match a frame
 * @rcv: next receiver of each chain
 * @link: index of receiver.node that links the chain
 * @used: number of ways in use
 * @budget: steps left; below 0 the merge ends
 * @overflow_seq: newest first receiver of the chains that found no free way, 0
 *	without any
 * @last: last receiver called, NULL before the first
 */
struct rcv_merge {
	struct receiver *rcv[MERGE_WAYS];
	u8 link[MERGE_WAYS];
	unsigned int used;
	int budget;
	u64 overflow_seq;
	struct receiver *last;
};

static void rcvlist_call(struct sk_buff *skb, struct receiver *rcv)
{
	rcv->func(skb, READ_ONCE(rcv->data));
	atomic_long_inc(&rcv->matches);
}

static bool rcvlist_matches(const struct receiver *rcv, canid_t can_id)
{
	return (can_id & rcv->mask) == rcv->can_id;
}

static int rcvlist_deliver_errors(struct can_rcvlist *list, struct sk_buff *skb,
				  canid_t can_id)
{
	struct receiver *rcv;
	int count = 0;

	hlist_for_each_entry_rcu(rcv, &list->lists[CAN_RCV_ERR], list_node)
		if (can_id & rcv->mask) {
			rcvlist_call(skb, rcv);
			count++;
		}
	return count;
}

static int rcvlist_deliver_unfiltered(struct hlist_head *head,
				      struct sk_buff *skb)
{
	struct receiver *rcv;
	int count = 0;

	hlist_for_each_entry_rcu(rcv, head, list_node) {
		rcvlist_call(skb, rcv);
		count++;
	}
	return count;
}

static int rcvlist_deliver_inverted(struct can_rcvlist *list,
				    struct sk_buff *skb, canid_t can_id)
{
	struct receiver *rcv;
	int count = 0;

	hlist_for_each_entry_rcu(rcv, &list->lists[CAN_RCV_INV], list_node)
		if (!rcvlist_matches(rcv, can_id)) {
			rcvlist_call(skb, rcv);
			count++;
		}
	return count;
}

/* Compare with all receivers with a mask, or with those after @last. */
static int rcvlist_deliver_walk(struct can_rcvlist *list, struct sk_buff *skb,
				canid_t can_id, struct receiver *last)
{
	struct hlist_head *head = &list->lists[CAN_RCV_FIL];
	struct hlist_node *node;
	struct receiver *rcv;
	int count = 0;

	if (last)
		node = rcu_dereference(hlist_next_rcu(&last->list_node));
	else
		node = rcu_dereference(hlist_first_rcu(head));
	rcv = hlist_entry_safe(node, struct receiver, list_node);
	hlist_for_each_entry_from_rcu(rcv, list_node)
		if (rcvlist_matches(rcv, can_id)) {
			rcvlist_call(skb, rcv);
			count++;
		}
	return count;
}

/* Return: NULL at the end of the chain, or if @budget is used up (below 0). */
static struct receiver *rcvlist_next_match(struct receiver *rcv,
					   unsigned int link, canid_t can_id,
					   int *budget)
{
	struct hlist_node *node = &rcv->node[link];

	while ((node = rcu_dereference(hlist_next_rcu(node)))) {
		rcv = can_rcv_entry(node, link);
		if (rcvlist_matches(rcv, can_id))
			return rcv;
		*budget -= CAN_RCV_SKIP_STEPS;
		if (*budget < 0)
			return NULL;
	}
	return NULL;
}

/* One chain matches the frame, its first receiver is @rcv. */
static int rcvlist_deliver_chain(struct can_rcvlist *list, struct sk_buff *skb,
				 canid_t can_id, struct receiver *rcv,
				 unsigned int link, int budget)
{
	struct receiver *last = NULL;
	int count = 0;

	for (; rcv; rcv = rcvlist_next_match(rcv, link, can_id, &budget)) {
		rcvlist_call(skb, rcv);
		count++;
		last = rcv;
	}
	if (budget < 0)
		count += rcvlist_deliver_walk(list, skb, can_id, last);
	return count;
}

/* If all ways are used, skip the chain with the oldest first receiver. */
static void rcv_merge_add(struct rcv_merge *merge, struct receiver *rcv,
			  unsigned int link)
{
	unsigned int i, oldest = 0;

	if (merge->used < MERGE_WAYS) {
		merge->rcv[merge->used] = rcv;
		merge->link[merge->used++] = link;
		return;
	}
	merge->budget -= MERGE_WAYS;
	for (i = 1; i < MERGE_WAYS; i++)
		if (merge->rcv[i]->seq < merge->rcv[oldest]->seq)
			oldest = i;
	if (rcv->seq > merge->rcv[oldest]->seq) {
		swap(merge->rcv[oldest], rcv);
		merge->link[oldest] = link;
	}
	merge->overflow_seq = max(merge->overflow_seq, rcv->seq);
}

/* Add the chain of @rcv, from the first receiver older than @last on. */
static void rcv_merge_add_older(struct rcv_merge *merge, struct receiver *rcv,
				unsigned int link, canid_t can_id)
{
	while (rcv && merge->last && rcv->seq >= merge->last->seq) {
		merge->budget -= CAN_RCV_SKIP_STEPS;
		rcv = rcvlist_next_match(rcv, link, can_id, &merge->budget);
	}
	if (rcv)
		rcv_merge_add(merge, rcv, link);
}

/* Add the chains of @table and of the tables after it. */
static void rcv_merge_add_tables(struct rcv_merge *merge,
				 struct can_rcv_table *table, canid_t can_id)
{
	struct receiver *rcv;

	hlist_for_each_entry_from_rcu(table, node) {
		rcv = can_rcv_table_find(table, can_id, &merge->budget);
		if (rcv)
			rcv_merge_add_older(merge, rcv, table->link, can_id);
		if (merge->budget < 0)
			return;
	}
}

static struct receiver *rcvlist_first_listed(struct can_rcvlist *list,
					     canid_t can_id)
{
	struct receiver *rcv;

	hlist_for_each_entry_rcu(rcv, &list->listed, node[0])
		if (rcvlist_matches(rcv, can_id))
			return rcv;
	return NULL;
}

/* Search all chains again, for those that found no free way. */
static void rcv_merge_refill(struct rcv_merge *merge, struct can_rcvlist *list,
			     canid_t can_id)
{
	struct can_rcv_table *table;
	struct hlist_node *first;
	struct receiver *rcv;

	merge->used = 0;
	merge->overflow_seq = 0;
	merge->budget -= READ_ONCE(list->nr_listed) +
			CAN_RCV_LOOKUP_STEPS * READ_ONCE(list->nr_tables);
	if (merge->budget < 0)
		return;
	rcv = rcvlist_first_listed(list, can_id);
	if (rcv)
		rcv_merge_add_older(merge, rcv, 0, can_id);
	first = rcu_dereference(hlist_first_rcu(&list->tables));
	table = hlist_entry_safe(first, struct can_rcv_table, node);
	rcv_merge_add_tables(merge, table, can_id);
}

static unsigned int rcv_merge_newest(const struct rcv_merge *merge)
{
	unsigned int i, newest = 0;

	for (i = 1; i < merge->used; i++)
		if (merge->rcv[i]->seq > merge->rcv[newest]->seq)
			newest = i;
	return newest;
}

static void rcv_merge_advance(struct rcv_merge *merge, unsigned int i,
			      canid_t can_id)
{
	merge->rcv[i] = rcvlist_next_match(merge->rcv[i], merge->link[i],
					   can_id, &merge->budget);
	if (merge->rcv[i])
		return;
	merge->used--;
	merge->rcv[i] = merge->rcv[merge->used];
	merge->link[i] = merge->link[merge->used];
}

/* Call receivers while they are newer than the skipped chains and there is
 * budget.
 */
static int rcv_merge_deliver(struct rcv_merge *merge, struct sk_buff *skb,
			     canid_t can_id)
{
	int count = 0;

	while (merge->used && merge->budget >= 0) {
		unsigned int i = rcv_merge_newest(merge);
		struct receiver *rcv = merge->rcv[i];

		if (rcv->seq <= merge->overflow_seq)
			break;
		rcvlist_call(skb, rcv);
		count++;
		merge->last = rcv;
		merge->budget -= MERGE_STEPS + merge->used;
		rcv_merge_advance(merge, i, can_id);
	}
	return count;
}

/* Two chains match the frame: that of @rcv and that of @table. */
static noinline int rcvlist_deliver_merged(struct can_rcvlist *list,
					   struct sk_buff *skb, canid_t can_id,
					   struct receiver *rcv,
					   unsigned int link,
					   struct can_rcv_table *table,
					   int budget)
{
	struct rcv_merge merge;
	int count = 0;

	merge.used = 0;
	merge.budget = budget;
	merge.overflow_seq = 0;
	merge.last = NULL;
	rcv_merge_add(&merge, rcv, link);
	rcv_merge_add_tables(&merge, table, can_id);
	for (;;) {
		count += rcv_merge_deliver(&merge, skb, can_id);
		if (merge.budget < 0)
			return count + rcvlist_deliver_walk(list, skb, can_id,
							    merge.last);
		if (!merge.overflow_seq)
			return count;
		rcv_merge_refill(&merge, list, can_id);
	}
}

static int rcvlist_deliver_masked(struct can_rcvlist *list, struct sk_buff *skb,
				  canid_t can_id)
{
	struct receiver *rcv, *found;
	struct can_rcv_table *table;
	unsigned int link = 0;
	int budget;

	budget = READ_ONCE(list->budget);
	if (budget < 0)
		return rcvlist_deliver_walk(list, skb, can_id, NULL);

	rcv = rcvlist_first_listed(list, can_id);
	hlist_for_each_entry_rcu(table, &list->tables, node) {
		found = can_rcv_table_find(table, can_id, &budget);
		if (budget < 0)
			return rcvlist_deliver_walk(list, skb, can_id, NULL);
		if (!found)
			continue;
		if (rcv)
			return rcvlist_deliver_merged(list, skb, can_id, rcv,
						      link, table, budget);
		rcv = found;
		link = table->link;
	}
	return rcvlist_deliver_chain(list, skb, can_id, rcv, link, budget);
}

static int rcvlist_deliver_eff(struct can_rcvlist *list, struct sk_buff *skb,
			       canid_t can_id)
{
	struct can_rcv_table *table = rcu_dereference(list->eff);
	int no_limit = INT_MAX, count = 0;
	struct receiver *rcv;

	if (!table)
		return 0;
	rcv = can_rcv_table_find(table, can_id, &no_limit);
	while (rcv) {
		rcvlist_call(skb, rcv);
		count++;
		rcv = rcvlist_next_match(rcv, table->link, can_id, &no_limit);
	}
	return count;
}

/* can_rcvlist_deliver() for a non-empty list */
int __can_rcvlist_deliver(struct can_rcvlist *list, struct sk_buff *skb)
{
	canid_t can_id = ((struct can_frame *)skb->data)->can_id;
	int count;

	if (can_id & CAN_ERR_FLAG)
		return rcvlist_deliver_errors(list, skb, can_id);

	count = rcvlist_deliver_unfiltered(&list->lists[CAN_RCV_ALL], skb);
	if (!READ_ONCE(list->filtered))
		return count;
	count += rcvlist_deliver_masked(list, skb, can_id);
	count += rcvlist_deliver_inverted(list, skb, can_id);

	if (can_id & CAN_RTR_FLAG)
		return count;
	if (can_id & CAN_EFF_FLAG)
		return count + rcvlist_deliver_eff(list, skb, can_id);
	can_id &= CAN_SFF_MASK;
	return count + rcvlist_deliver_unfiltered(&list->sff[can_id], skb);
}
EXPORT_SYMBOL_GPL(__can_rcvlist_deliver);
