/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Lists of CAN receive filters.
 *
 * A frame is delivered once for each filter that it matches, in this order:
 *
 *	1. receivers without a filter		CAN_RCV_ALL
 *	2. identifier and mask			CAN_RCV_FIL
 *	3. inverted identifier and mask		CAN_RCV_INV
 *	4. one standard or extended identifier	CAN_RCV_SFF, CAN_RCV_EFF
 *
 * Within each of these, the newest receiver comes first: the one that was
 * inserted last, regardless of its mask. If several gateway rules match a
 * frame, they send it in this order, which is visible on the bus. An error
 * message frame is only delivered to CAN_RCV_ERR, the newest receiver first.
 *
 * Cost of a frame: all receivers in CAN_RCV_ALL and CAN_RCV_INV are visited.
 * CAN_RCV_SFF is an array, CAN_RCV_EFF a hash table that grows and shrinks.
 * CAN_RCV_FIL has an index: a list with the first CAN_RCV_LISTED receivers of
 * each mask, which are compared one by one, and a hash table for each mask that
 * has more receivers. The index does not help if there are many masks with few
 * receivers each, or if a frame matches receivers of many masks. All receivers
 * of CAN_RCV_FIL are then compared one by one, the newest first; see
 * rcvlist-rx.c. So a frame never costs much more than such a walk.
 *
 * Contexts: can_rcvlist_deliver() and can_rcvlist_for_each() are readers, run
 * on any number of CPUs in softirq or process context, and hold
 * rcu_read_lock(). can_rcvlist_insert(), can_rcvlist_remove(),
 * can_rcvlist_exchange() and can_rcv_owner_resize() are writers, run in process
 * context, may sleep, and hold the lock of the list's owner (struct
 * can_rcv_owner). They do not wait for readers: a table that cannot be resized
 * before an RCU grace period is over is resized in a work item. Writers do not
 * disable BHs: a rebuilt table is published when it is complete.
 */
#ifndef _NET_CAN_RCVLIST_H
#define _NET_CAN_RCVLIST_H

#include <linux/atomic.h>
#include <linux/can/rcvlist.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <linux/workqueue.h>

struct sock;

/* Receivers of each mask that are compared one by one */
#define CAN_RCV_LISTED 2

/* The cost of finding receivers is counted in steps. A step is the comparison
 * with one receiver during a walk: 7 instructions on x86_64. A lookup in a
 * table takes 25 to 30 instructions, skipping a receiver of a chain 8 to 12.
 */
#define CAN_RCV_LOOKUP_STEPS 4
#define CAN_RCV_SKIP_STEPS 2

/* The index may cost a frame this number of steps more than a walk, plus one
 * step for each CAN_RCV_BUDGET_DIV receivers with a mask. From write() on vcan
 * to the last receiver, a frame costs at least 4500 instructions and visits at
 * most three lists: for all devices, for its device, and of the gateway. In
 * total, these steps are below a quarter of the cost of the frame with walks. On
 * PREEMPT_RT, where a frame costs more, there are two more (rx_direct.h).
 */
#define CAN_RCV_BUDGET_STEPS 40
#define CAN_RCV_BUDGET_DIV 6

/**
 * struct receiver - receiver of the frames that a filter matches
 * @list_node: in can_rcvlist.lists or can_rcvlist.sff
 * @node: @node[0] in can_rcvlist.listed; or @node[can_rcv_table.link] in a
 *	table. When a table is replaced, the new one uses the other node, so
 *	that readers of the old table are not disturbed
 * @can_id: identifier as it is compared: masked by @mask
 * @mask: mask as it is compared
 * @func: called under rcu_read_lock(), in softirq context or with BHs disabled;
 *	in lists for direct delivery (linux/can/rx-direct.h) also with BHs enabled
 * @data: argument of @func
 * @matches: number of frames delivered
 * @seq: insertion sequence number
 * @ident: name of the protocol, for /proc
 * @sk: socket that @func uses, or NULL; referenced from the removal until no
 *	call of @func can be running
 * @hash_node: in can_rcvlist.receivers, while the receiver is in the list
 * @rcu: frees the receiver after its removal
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
 * struct can_rcv_owner - owner of lists: serializes their writers
 * @held: does the caller hold the lock of the owner? For lockdep only
 * @hold: called when @resize is queued, under the lock of the owner; or NULL. An
 *	owner that counts references takes one, and @resize drops it
 * @resize: takes the lock and calls can_rcv_owner_resize(), an RCU grace period
 *	after a table could not be resized immediately
 * @resizing: lists with such tables
 *
 * Embedded in the owner. can_rcv_owner_init() initializes it before any list
 * uses it.
 */
struct can_rcv_owner {
	bool (*held)(const struct can_rcv_owner *owner);
	void (*hold)(struct can_rcv_owner *owner);
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
bool can_rcvlist_exchange(struct can_rcvlist *list, canid_t can_id,
			  canid_t mask,
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
 * can_rcvlist_used() - has a list receivers?
 * @list: list
 *
 * Context: any.
 * Return: true if it has.
 */
static inline bool can_rcvlist_used(const struct can_rcvlist *list)
{
	return READ_ONCE(list->entries);
}

/**
 * can_rcvlist_deliver() - deliver a frame to all matching receivers
 * @list: list
 * @skb: CAN, CAN FD or CAN XL frame, still owned by the caller
 *
 * The function of a receiver is called once for each matching filter, in the
 * order defined above. A receiver that stays in the list is called exactly
 * once, also while others are inserted and removed.
 *
 * Context: Softirq context, or process context; BHs are disabled, unless all
 *	receivers of the list can be called with BHs enabled. Under
 *	rcu_read_lock().
 * Return: number of calls.
 */
static inline int can_rcvlist_deliver(struct can_rcvlist *list,
				      struct sk_buff *skb)
{
	return can_rcvlist_used(list) ? __can_rcvlist_deliver(list, skb) : 0;
}

#endif /* !_NET_CAN_RCVLIST_H */
