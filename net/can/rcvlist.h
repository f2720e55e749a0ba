/* SPDX-License-Identifier: GPL-2.0-only */
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
 * and within each of these the youngest first: the receiver that was inserted
 * last, whatever its mask. Several gateway rules for one frame send it in this
 * order, so programs can see it on the wire. An error message frame goes to
 * CAN_RCV_ERR only, the youngest first.
 *
 * Cost of a frame: every receiver in CAN_RCV_ALL and CAN_RCV_INV is visited.
 * CAN_RCV_SFF is an array, CAN_RCV_EFF a hash table that grows. CAN_RCV_FIL has
 * such a table for each mask with more than CAN_RCV_LISTED receivers, and
 * compares the frame with the first CAN_RCV_LISTED of every mask one by one.
 *
 * Contexts: can_rcvlist_deliver() and can_rcvlist_for_each() are readers, run on
 * any number of CPUs in softirq or process context, and hold rcu_read_lock().
 * can_rcvlist_insert() and can_rcvlist_remove() are writers, run in process
 * context, may sleep, and hold a mutex of the list's owner. Neither turns
 * softirqs off: what a writer rebuilds is not visible until it is complete.
 */
#ifndef _NET_CAN_RCVLIST_H
#define _NET_CAN_RCVLIST_H

#include <linux/atomic.h>
#include <linux/can/rcvlist.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>

struct sock;

/* Of each mask this many are compared one by one. */
#define CAN_RCV_LISTED 2

/**
 * struct receiver - whom to call for the frames that a filter matches
 * @node: in a list of struct can_rcvlist, by the first one; or in a table, by
 *	the one that the table names. A table that grows links its receivers
 *	by the other one, so that readers of the old table are not led astray
 * @can_id: as it is compared: reduced to the bits of @mask
 * @mask: as it is compared
 * @born: number in the order of insertion
 * @matches: number of frames delivered
 * @func: is called in softirq context, under rcu_read_lock()
 * @data: for @func
 * @ident: name of the protocol, for /proc
 * @sk: socket that has to stay until @func cannot be running any more, or NULL
 * @twin: in can_rcvlist.receivers, as long as the receiver is in the list
 * @rcu: frees the receiver after it has been removed
 */
struct receiver {
	struct hlist_node node[2];
	canid_t can_id;
	canid_t mask;
	u64 born;
	atomic_long_t matches;
	void (*func)(struct sk_buff *skb, void *data);
	void *data;
	char *ident;
	struct sock *sk;
	union {
		struct hlist_node twin;
		struct rcu_head rcu;
	};
};

int can_rcvlist_insert(struct can_rcvlist *list, canid_t can_id, canid_t mask,
		       void (*func)(struct sk_buff *skb, void *data),
		       void *data, char *ident, struct sock *sk);
bool can_rcvlist_remove(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			void (*func)(struct sk_buff *skb, void *data),
			void *data);
bool can_rcvlist_exchange(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			  void (*func)(struct sk_buff *skb, void *data),
			  void *data, void *new);
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
 * Context: softirq or process with softirqs off, under rcu_read_lock().
 * Return: number of calls.
 */
static inline int can_rcvlist_deliver(struct can_rcvlist *list,
				      struct sk_buff *skb)
{
	return READ_ONCE(list->entries) ? __can_rcvlist_deliver(list, skb) : 0;
}

#endif /* !_NET_CAN_RCVLIST_H */
