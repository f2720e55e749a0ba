// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * Delivery of frames to the receivers of a list: the order is promised in
 * rcvlist.h. Everything here runs under rcu_read_lock(), on any number of CPUs,
 * while a writer changes the list.
 *
 * Receivers with a mask are found by the index, in one chain for each table and one
 * for the receivers that are listed. Mostly, at most one chain has receivers of a
 * frame. If several have, they are merged, newest first. Lookups, merging and passing
 * receivers that do not match may cost can_rcvlist.spare steps beside the walk through all
 * receivers that a list without an index needs. When they are used up, the frame goes to
 * the other receivers by that walk, which begins after the last one that got the frame: an
 * index that does not help costs a bounded part more than none.
 */
#include <linux/export.h>
#include <linux/rculist.h>

#include "rcvlist.h"
#include "rcvtable.h"

/* Chains that are merged at the same time. With more, the search begins anew. */
#define MERGE_WAYS 8

/* Steps that one receiver costs more if it is found by merging, beside one for every
 * other way.
 */
#define MERGE_STEPS 6

/**
 * struct rcv_merge - the next receivers of a frame, from several chains
 * @rcv: the newest of each chain that has not been called yet
 * @link: which of receiver.node makes the chain
 * @used: number of chains
 * @spare: steps that may still be used up; below 0 the merge ends
 * @overflow_seq: the newest of a chain that found no way, 0 without any
 * @last: the receiver that was called last, NULL before the first
 */
struct rcv_merge {
	struct receiver *rcv[MERGE_WAYS];
	u8 link[MERGE_WAYS];
	unsigned int used;
	int spare;
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

static int deliver_errors(struct can_rcvlist *list, struct sk_buff *skb,
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

static int deliver_unfiltered(struct hlist_head *head, struct sk_buff *skb)
{
	struct receiver *rcv;
	int count = 0;

	hlist_for_each_entry_rcu(rcv, head, list_node) {
		rcvlist_call(skb, rcv);
		count++;
	}
	return count;
}

static int deliver_inverted(struct can_rcvlist *list, struct sk_buff *skb,
			    canid_t can_id)
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

/* Compare the frame with all receivers with a mask, or with those after @last. */
static int deliver_walk(struct can_rcvlist *list, struct sk_buff *skb,
			canid_t can_id, struct receiver *last)
{
	struct receiver *rcv;
	int count = 0;

	if (last)
		rcv = hlist_entry_safe(rcu_dereference(hlist_next_rcu(&last->list_node)),
				       struct receiver, list_node);
	else
		rcv = hlist_entry_safe(rcu_dereference(hlist_first_rcu(&list->lists[CAN_RCV_FIL])),
				       struct receiver, list_node);
	hlist_for_each_entry_from_rcu(rcv, list_node)
		if (rcvlist_matches(rcv, can_id)) {
			rcvlist_call(skb, rcv);
			count++;
		}
	return count;
}

/* NULL at the end of the chain, and if there are no steps left: then @spare is below 0. */
static struct receiver *next_match(struct receiver *rcv, unsigned int link,
				   canid_t can_id, int *spare)
{
	struct hlist_node *node = &rcv->node[link];

	while ((node = rcu_dereference(hlist_next_rcu(node)))) {
		rcv = can_rcv_entry(node, link);
		if (rcvlist_matches(rcv, can_id))
			return rcv;
		*spare -= CAN_RCV_PASS_STEPS;
		if (*spare < 0)
			return NULL;
	}
	return NULL;
}

/* One chain has receivers of the frame, @rcv first. */
static int deliver_chain(struct can_rcvlist *list, struct sk_buff *skb,
			 canid_t can_id, struct receiver *rcv,
			 unsigned int link, int spare)
{
	struct receiver *last = NULL;
	int count = 0;

	for (; rcv; rcv = next_match(rcv, link, can_id, &spare)) {
		rcvlist_call(skb, rcv);
		count++;
		last = rcv;
	}
	if (spare < 0)
		count += deliver_walk(list, skb, can_id, last);
	return count;
}

/* If all ways are used, leave out the chain whose first receiver is the oldest. */
static void merge_add(struct rcv_merge *merge, struct receiver *rcv,
		      unsigned int link)
{
	unsigned int i, oldest = 0;

	if (merge->used < MERGE_WAYS) {
		merge->rcv[merge->used] = rcv;
		merge->link[merge->used++] = link;
		return;
	}
	merge->spare -= MERGE_WAYS;
	for (i = 1; i < MERGE_WAYS; i++)
		if (merge->rcv[i]->seq < merge->rcv[oldest]->seq)
			oldest = i;
	if (rcv->seq > merge->rcv[oldest]->seq) {
		swap(merge->rcv[oldest], rcv);
		merge->link[oldest] = link;
	}
	merge->overflow_seq = max(merge->overflow_seq, rcv->seq);
}

/* Add the chain of @rcv, from the first receiver that is older than the last one. */
static void merge_add_older(struct rcv_merge *merge, struct receiver *rcv,
			    unsigned int link, canid_t can_id)
{
	while (rcv && merge->last && rcv->seq >= merge->last->seq) {
		merge->spare -= CAN_RCV_PASS_STEPS;
		rcv = next_match(rcv, link, can_id, &merge->spare);
	}
	if (rcv)
		merge_add(merge, rcv, link);
}

/* Add the chains of @table and of those after it. */
static void merge_add_tables(struct rcv_merge *merge, struct can_rcv_table *table,
			     canid_t can_id)
{
	struct receiver *rcv;

	hlist_for_each_entry_from_rcu(table, node) {
		rcv = can_rcv_table_find(table, can_id, &merge->spare);
		if (rcv)
			merge_add_older(merge, rcv, table->link, can_id);
		if (merge->spare < 0)
			return;
	}
}

static struct receiver *first_listed(struct can_rcvlist *list, canid_t can_id)
{
	struct receiver *rcv;

	hlist_for_each_entry_rcu(rcv, &list->listed, node[0])
		if (rcvlist_matches(rcv, can_id))
			return rcv;
	return NULL;
}

/* All chains once more, for what did not find a way before. */
static void merge_refill(struct rcv_merge *merge, struct can_rcvlist *list,
			 canid_t can_id)
{
	struct can_rcv_table *table;
	struct receiver *rcv;

	merge->used = 0;
	merge->overflow_seq = 0;
	merge->spare -= READ_ONCE(list->nr_listed) +
			CAN_RCV_LOOKUP_STEPS * READ_ONCE(list->nr_tables);
	if (merge->spare < 0)
		return;
	rcv = first_listed(list, can_id);
	if (rcv)
		merge_add_older(merge, rcv, 0, can_id);
	table = hlist_entry_safe(rcu_dereference(hlist_first_rcu(&list->tables)),
				 struct can_rcv_table, node);
	merge_add_tables(merge, table, can_id);
}

static unsigned int merge_newest(const struct rcv_merge *merge)
{
	unsigned int i, newest = 0;

	for (i = 1; i < merge->used; i++)
		if (merge->rcv[i]->seq > merge->rcv[newest]->seq)
			newest = i;
	return newest;
}

static void merge_advance(struct rcv_merge *merge, unsigned int i, canid_t can_id)
{
	merge->rcv[i] = next_match(merge->rcv[i], merge->link[i], can_id,
				   &merge->spare);
	if (merge->rcv[i])
		return;
	merge->used--;
	merge->rcv[i] = merge->rcv[merge->used];
	merge->link[i] = merge->link[merge->used];
}

/* Call every receiver that is newer than all that found no way, until there are no
 * steps left.
 */
static int merge_deliver(struct rcv_merge *merge, struct sk_buff *skb,
			 canid_t can_id)
{
	int count = 0;

	while (merge->used && merge->spare >= 0) {
		unsigned int i = merge_newest(merge);
		struct receiver *rcv = merge->rcv[i];

		if (rcv->seq <= merge->overflow_seq)
			break;
		rcvlist_call(skb, rcv);
		count++;
		merge->last = rcv;
		merge->spare -= MERGE_STEPS + merge->used;
		merge_advance(merge, i, can_id);
	}
	return count;
}

/* Two chains have receivers of the frame: that of @rcv, and that of @table. */
static noinline int deliver_merged(struct can_rcvlist *list, struct sk_buff *skb,
				   canid_t can_id, struct receiver *rcv,
				   unsigned int link, struct can_rcv_table *table,
				   int spare)
{
	struct rcv_merge merge;
	int count = 0;

	merge.used = 0;
	merge.spare = spare;
	merge.overflow_seq = 0;
	merge.last = NULL;
	merge_add(&merge, rcv, link);
	merge_add_tables(&merge, table, can_id);
	for (;;) {
		count += merge_deliver(&merge, skb, can_id);
		if (merge.spare < 0)
			return count + deliver_walk(list, skb, can_id, merge.last);
		if (!merge.overflow_seq)
			return count;
		merge_refill(&merge, list, can_id);
	}
}

static int deliver_masked(struct can_rcvlist *list, struct sk_buff *skb,
			  canid_t can_id)
{
	struct receiver *rcv, *found;
	struct can_rcv_table *table;
	unsigned int link = 0;
	int spare;

	spare = READ_ONCE(list->spare);
	if (spare < 0)
		return deliver_walk(list, skb, can_id, NULL);

	rcv = first_listed(list, can_id);
	hlist_for_each_entry_rcu(table, &list->tables, node) {
		found = can_rcv_table_find(table, can_id, &spare);
		if (spare < 0)
			return deliver_walk(list, skb, can_id, NULL);
		if (!found)
			continue;
		if (rcv)
			return deliver_merged(list, skb, can_id, rcv, link,
					      table, spare);
		rcv = found;
		link = table->link;
	}
	return deliver_chain(list, skb, can_id, rcv, link, spare);
}

static int deliver_eff(struct can_rcvlist *list, struct sk_buff *skb,
		       canid_t can_id)
{
	struct can_rcv_table *table = rcu_dereference(list->eff);
	int unbounded = INT_MAX, count = 0;
	struct receiver *rcv;

	if (!table)
		return 0;
	rcv = can_rcv_table_find(table, can_id, &unbounded);
	for (; rcv; rcv = next_match(rcv, table->link, can_id, &unbounded)) {
		rcvlist_call(skb, rcv);
		count++;
	}
	return count;
}

/* can_rcvlist_deliver() for a list that is not empty */
int __can_rcvlist_deliver(struct can_rcvlist *list, struct sk_buff *skb)
{
	canid_t can_id = ((struct can_frame *)skb->data)->can_id;
	int count;

	if (can_id & CAN_ERR_FLAG)
		return deliver_errors(list, skb, can_id);

	count = deliver_unfiltered(&list->lists[CAN_RCV_ALL], skb);
	if (!READ_ONCE(list->filtered))
		return count;
	count += deliver_masked(list, skb, can_id);
	count += deliver_inverted(list, skb, can_id);

	if (can_id & CAN_RTR_FLAG)
		return count;
	if (can_id & CAN_EFF_FLAG)
		return count + deliver_eff(list, skb, can_id);
	return count + deliver_unfiltered(&list->sff[can_id & CAN_SFF_MASK],
					  skb);
}
EXPORT_SYMBOL_GPL(__can_rcvlist_deliver);
