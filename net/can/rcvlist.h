/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Lists of CAN receive filters: who gets a frame.
 *
 * A frame is delivered once for every filter that it matches, in this order:
 *
 *	1. receivers without a filter		CAN_RCV_ALL
 *	2. identifier and mask			CAN_RCV_FIL
 *	3. inverted identifier and mask		CAN_RCV_INV
 *	4. one standard or extended identifier	CAN_RCV_SFF, CAN_RCV_EFF
 *
 * and within each of these the newest first: the receiver that was inserted
 * last, whatever its mask. Several gateway rules for one frame send it in this
 * order, so programs can see it on the wire. An error message frame goes to
 * CAN_RCV_ERR only, the newest first.
 *
 * Cost of a frame: every receiver in CAN_RCV_ALL and CAN_RCV_INV is visited.
 * CAN_RCV_SFF is an array, CAN_RCV_EFF a hash table that grows and shrinks. CAN_RCV_FIL has
 * an index: such a table for each mask with more than CAN_RCV_LISTED receivers,
 * and a list of the first CAN_RCV_LISTED of every mask, which are compared one by
 * one. Filters that no index helps with (many masks with few receivers each, or
 * receivers of many masks for one frame) are walked one after the other, newest
 * first; rcvlist-rx.c says when. So no set of filters costs a frame much more
 * than a walk through all of them.
 *
 * Contexts: can_rcvlist_deliver() and can_rcvlist_for_each() are readers, run on
 * any number of CPUs in softirq or process context, and hold rcu_read_lock().
 * can_rcvlist_insert(), can_rcvlist_remove(), can_rcvlist_exchange() and
 * can_rcv_owner_resize() are writers, run in process context, may sleep, and hold
 * the lock of the list's owner (struct can_rcv_owner). They do not wait for
 * readers: a table that cannot be resized before a grace period is over is resized in a
 * work item. Neither disables BHs: what a writer rebuilds is not visible until it is
 * complete.
 */
#ifndef _NET_CAN_RCVLIST_H
#define _NET_CAN_RCVLIST_H

#include <linux/atomic.h>
#include <linux/can/rcvlist.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

struct sock;

/* Of each mask this many are compared one by one. */
#define CAN_RCV_LISTED 2

/* The cost of finding receivers is counted in steps: a comparison with one receiver
 * during a walk through all of them, 7 instructions on x86_64. A lookup in a table takes
 * 25 to 30, passing a receiver of a chain 8 to 12.
 */
#define CAN_RCV_LOOKUP_STEPS 4
#define CAN_RCV_PASS_STEPS 2

/* Steps that a frame may cost beside that walk: these, and one for this many receivers with
 * a mask. From write() on vcan to the last receiver, a frame costs at least 4500
 * instructions, and meets three lists at most: those for all devices and for its own, and
 * the one of the gateway. All of this stays below a quarter of what walks cost.
 */
#define CAN_RCV_SPARE_STEPS 40
#define CAN_RCV_SPARE_PART 6

/**
 * struct receiver - whom to call for the frames that a filter matches
 * @list_node: in can_rcvlist.lists or can_rcvlist.sff
 * @node: in can_rcvlist.listed, by the first one; or in a table, by the one that the
 *	table names. A table that replaces it links them by the other one, so
 *	that readers of the old table are not led astray
 * @can_id: as it is compared: reduced to the bits of @mask
 * @mask: as it is compared
 * @func: is called in softirq context, under rcu_read_lock()
 * @data: for @func
 * @matches: number of frames delivered
 * @seq: number in the order of insertion
 * @ident: name of the protocol, for /proc
 * @sk: socket that has to stay until @func cannot be running any more, or NULL
 * @hash_node: in can_rcvlist.receivers, as long as the receiver is in the list
 * @rcu: frees the receiver after it has been removed
 */
struct receiver {
	struct hlist_node list_node;
	struct hlist_node node[2];
	canid_t can_id;
	canid_t mask;
	void (*func)(struct sk_buff *skb, void *data);
	void *data;
	atomic_long_t matches;
	u64 seq;
	char *ident;
	struct sock *sk;
	union {
		struct hlist_node hash_node;
		struct rcu_head rcu;
	};
};

/**
 * struct can_rcv_owner - who changes lists of receivers, one writer at a time
 * @held: does the caller hold the lock that excludes other writers? For lockdep only
 * @resize: runs when a grace period is over after a table could not be resized at once; its
 *	function takes that lock and calls can_rcv_owner_resize()
 * @resizing: lists with such tables
 *
 * Embedded by the owner, and set up by can_rcv_owner_init() before it becomes
 * can_rcvlist.owner of any list.
 */
struct can_rcv_owner {
	bool (*held)(const struct can_rcv_owner *owner);
	struct rcu_work resize;
	struct hlist_head resizing;
};

void can_rcv_owner_init(struct can_rcv_owner *owner, work_func_t resize,
			bool (*held)(const struct can_rcv_owner *owner));
void can_rcv_owner_exit(struct can_rcv_owner *owner);
void can_rcv_owner_resize(struct can_rcv_owner *owner);

void can_rcvlist_set_owner(struct can_rcvlist *list,
			   struct can_rcv_owner *owner, gfp_t gfp);
int can_rcvlist_insert(struct can_rcvlist *list, canid_t can_id, canid_t mask,
		       void (*func)(struct sk_buff *skb, void *data),
		       void *data, char *ident, struct sock *sk);
bool can_rcvlist_remove(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			void (*func)(struct sk_buff *skb, void *data),
			void *data);
bool can_rcvlist_exchange(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			  void (*func)(struct sk_buff *skb, void *data),
			  void *data, void *new);
void can_rcvlist_retire(struct can_rcvlist *list);
void can_rcvlist_clear(struct can_rcvlist *list);
int __can_rcvlist_deliver(struct can_rcvlist *list, struct sk_buff *skb);
bool can_rcvlist_empty(const struct can_rcvlist *list,
		       enum can_rcv_class class);
void can_rcvlist_for_each(const struct can_rcvlist *list,
			  enum can_rcv_class class,
			  void (*show)(const struct receiver *rcv, void *arg),
			  void *arg);

int can_rcvlist_init(void);
void can_rcvlist_exit(void);

/**
 * can_rcvlist_deliver() - give a frame to all its receivers
 * @list: of receivers
 * @skb: a CAN, CAN FD or CAN XL frame, which stays the caller's
 *
 * Calls the function of each receiver once per matching filter, in the order
 * that is promised above. A receiver that stays in the list all the time is
 * called exactly once, also while others come and go.
 *
 * Context: softirq or process with BHs disabled, under rcu_read_lock().
 * Return: number of calls.
 */
static inline int can_rcvlist_deliver(struct can_rcvlist *list,
				      struct sk_buff *skb)
{
	return READ_ONCE(list->entries) ? __can_rcvlist_deliver(list, skb) : 0;
}

#endif /* !_NET_CAN_RCVLIST_H */
