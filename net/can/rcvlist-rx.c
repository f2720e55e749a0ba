// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery of frames to the receivers of a list: the order is promised in
 * rcvlist.h. Everything here runs under rcu_read_lock(), on any number of CPUs,
 * while a writer changes the list.
 */
#include <linux/export.h>
#include <linux/rculist.h>

#include "rcvlist.h"
#include "rcvtable.h"

/* As many places in which receivers of one frame are found in order of age at
 * the same time. With more, the search begins anew.
 */
#define FRONT_SIZE 8

/**
 * struct can_rcv_front - the next receivers of a frame, from several chains
 * @rcv: the youngest of each chain that has not been called yet
 * @link: which of receiver.node makes the chain
 * @used: number of chains
 * @left_out: the youngest of a chain that found no place, 0 without any
 */
struct can_rcv_front {
	struct receiver *rcv[FRONT_SIZE];
	u8 link[FRONT_SIZE];
	unsigned int used;
	u64 left_out;
};

static void deliver(struct sk_buff *skb, struct receiver *rcv)
{
	rcv->func(skb, READ_ONCE(rcv->data));
	atomic_long_inc(&rcv->matches);
}

static bool matches(const struct receiver *rcv, canid_t can_id)
{
	return (can_id & rcv->mask) == rcv->can_id;
}

static int deliver_errors(struct can_rcvlist *list, struct sk_buff *skb,
			  canid_t can_id)
{
	struct receiver *rcv;
	int count = 0;

	hlist_for_each_entry_rcu(rcv, &list->plain[CAN_RCV_ERR], node[0])
		if (can_id & rcv->mask) {
			deliver(skb, rcv);
			count++;
		}
	return count;
}

static int deliver_unfiltered(struct hlist_head *head, struct sk_buff *skb)
{
	struct receiver *rcv;
	int count = 0;

	hlist_for_each_entry_rcu(rcv, head, node[0]) {
		deliver(skb, rcv);
		count++;
	}
	return count;
}

static int deliver_inverted(struct can_rcvlist *list, struct sk_buff *skb,
			    canid_t can_id)
{
	struct receiver *rcv;
	int count = 0;

	hlist_for_each_entry_rcu(rcv, &list->plain[CAN_RCV_INV], node[0])
		if (!matches(rcv, can_id)) {
			deliver(skb, rcv);
			count++;
		}
	return count;
}

static int deliver_listed(struct can_rcvlist *list, struct sk_buff *skb,
			  canid_t can_id)
{
	struct receiver *rcv;
	int count = 0;

	hlist_for_each_entry_rcu(rcv, &list->plain[CAN_RCV_FIL], node[0])
		if (matches(rcv, can_id)) {
			deliver(skb, rcv);
			count++;
		}
	return count;
}

static struct receiver *next_match(struct receiver *rcv, unsigned int link,
				   canid_t can_id)
{
	struct hlist_node *node = &rcv->node[link];

	while ((node = rcu_dereference(hlist_next_rcu(node)))) {
		rcv = can_rcv_entry(node, link);
		if (matches(rcv, can_id))
			return rcv;
	}
	return NULL;
}

/* A full front leaves out the chain that begins with the oldest receiver. */
static void front_add(struct can_rcv_front *front, struct receiver *rcv,
		      unsigned int link)
{
	unsigned int i, oldest = 0;

	if (front->used < FRONT_SIZE) {
		front->rcv[front->used] = rcv;
		front->link[front->used++] = link;
		return;
	}
	for (i = 1; i < FRONT_SIZE; i++)
		if (front->rcv[i]->born < front->rcv[oldest]->born)
			oldest = i;
	if (rcv->born > front->rcv[oldest]->born) {
		swap(front->rcv[oldest], rcv);
		front->link[oldest] = link;
	}
	front->left_out = max(front->left_out, rcv->born);
}

/* Add the chain of @rcv, from the first receiver that is older than @before. */
static void front_add_older(struct can_rcv_front *front, struct receiver *rcv,
			    unsigned int link, canid_t can_id, u64 before)
{
	while (rcv->born >= before) {
		rcv = next_match(rcv, link, can_id);
		if (!rcv)
			return;
	}
	front_add(front, rcv, link);
}

static unsigned int front_youngest(const struct can_rcv_front *front)
{
	unsigned int i, youngest = 0;

	for (i = 1; i < front->used; i++)
		if (front->rcv[i]->born > front->rcv[youngest]->born)
			youngest = i;
	return youngest;
}

static void front_advance(struct can_rcv_front *front, unsigned int i,
			  canid_t can_id)
{
	front->rcv[i] = next_match(front->rcv[i], front->link[i], can_id);
	if (front->rcv[i])
		return;
	front->used--;
	front->rcv[i] = front->rcv[front->used];
	front->link[i] = front->link[front->used];
}

/* Every receiver in the front that is younger than all that were left out. */
static int front_deliver(struct can_rcv_front *front, struct sk_buff *skb,
			 canid_t can_id, u64 *before)
{
	int count = 0;

	while (front->used) {
		unsigned int i = front_youngest(front);
		struct receiver *rcv = front->rcv[i];

		if (rcv->born <= front->left_out)
			break;
		deliver(skb, rcv);
		count++;
		*before = rcv->born;
		front_advance(front, i, can_id);
	}
	return count;
}

static struct receiver *first_listed(struct can_rcvlist *list, canid_t can_id)
{
	struct receiver *rcv;

	hlist_for_each_entry_rcu(rcv, &list->plain[CAN_RCV_FIL], node[0])
		if (matches(rcv, can_id))
			return rcv;
	return NULL;
}

static int deliver_chain(struct sk_buff *skb, struct receiver *rcv,
			 unsigned int link, canid_t can_id)
{
	int count = 0;

	for (; rcv; rcv = next_match(rcv, link, can_id)) {
		deliver(skb, rcv);
		count++;
	}
	return count;
}

static void front_fill(struct can_rcv_front *front, struct can_rcvlist *list,
		       canid_t can_id, u64 before)
{
	struct receiver *rcv = first_listed(list, can_id);
	struct can_rcv_table *table;

	front->used = 0;
	front->left_out = 0;
	if (rcv)
		front_add_older(front, rcv, 0, can_id, before);
	hlist_for_each_entry_rcu(table, &list->tables, node) {
		rcv = can_rcv_table_find(table, can_id);
		if (rcv)
			front_add_older(front, rcv, table->link, can_id, before);
	}
}

/* Filters with different masks match the frame. */
static noinline int deliver_by_age(struct can_rcvlist *list,
				   struct sk_buff *skb, canid_t can_id)
{
	struct can_rcv_front front;
	u64 before = U64_MAX;
	int count = 0;

	do {
		front_fill(&front, list, can_id, before);
		count += front_deliver(&front, skb, can_id, &before);
	} while (front.left_out);
	return count;
}

/* Mostly, at most one chain has receivers of the frame. */
static int deliver_masked(struct can_rcvlist *list, struct sk_buff *skb,
			  canid_t can_id)
{
	struct receiver *rcv = first_listed(list, can_id), *found;
	struct can_rcv_table *table;
	unsigned int link = 0;

	hlist_for_each_entry_rcu(table, &list->tables, node) {
		found = can_rcv_table_find(table, can_id);
		if (!found)
			continue;
		if (rcv)
			return deliver_by_age(list, skb, can_id);
		rcv = found;
		link = table->link;
	}
	return deliver_chain(skb, rcv, link, can_id);
}

static int deliver_eff(struct can_rcvlist *list, struct sk_buff *skb,
		       canid_t can_id)
{
	struct can_rcv_table *table = rcu_dereference(list->eff);

	if (!table)
		return 0;
	return deliver_chain(skb, can_rcv_table_find(table, can_id),
			     table->link, can_id);
}

/* can_rcvlist_deliver() for a list that is not empty */
int __can_rcvlist_deliver(struct can_rcvlist *list, struct sk_buff *skb)
{
	canid_t can_id = ((struct can_frame *)skb->data)->can_id;
	int count;

	if (can_id & CAN_ERR_FLAG)
		return deliver_errors(list, skb, can_id);

	count = deliver_unfiltered(&list->plain[CAN_RCV_ALL], skb);
	if (!READ_ONCE(list->filtered))
		return count;
	if (hlist_empty(&list->tables))
		count += deliver_listed(list, skb, can_id);
	else
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
