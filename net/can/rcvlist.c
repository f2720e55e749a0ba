// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists of CAN receive filters: what they promise, and who runs in which
 * context, is said in rcvlist.h.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/jhash.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/sock.h>

#include "rcvhash.h"
#include "rcvlist.h"
#include "rcvtable.h"

#define CAN_EFF_RTR (CAN_EFF_FLAG | CAN_RTR_FLAG)

/* The lowest bits of receiver.born say where it is: in a table, not in a list,
 * and its class. The others count, so that the order is not touched by these.
 */
#define BORN_TABLED 1
#define BORN_CLASS GENMASK(3, 1)
#define BORN_STEP 16

/**
 * struct can_rcv_mask - what writers know of a mask of CAN_RCV_FIL
 * @same: in can_rcvlist.masks
 * @mask: its value
 * @listed: receivers in can_rcvlist.plain
 * @table: the others, NULL without any
 */
struct can_rcv_mask {
	struct hlist_node same;
	canid_t mask;
	unsigned int listed;
	struct can_rcv_table *table;
};

static struct kmem_cache *receivers __read_mostly;

/* What a filter is, and with which values frames are compared. */
static enum can_rcv_class can_rcv_classify(canid_t *can_id, canid_t *mask)
{
	bool inverted = *can_id & CAN_INV_FILTER;

	if (*mask & CAN_ERR_FLAG) {
		*mask &= CAN_ERR_MASK;
		return CAN_RCV_ERR;
	}
	/* a standard identifier has no more bits than these */
	if (*mask & CAN_EFF_FLAG && !(*can_id & CAN_EFF_FLAG))
		*mask &= CAN_SFF_MASK | CAN_EFF_RTR;
	*can_id &= *mask;

	if (inverted)
		return CAN_RCV_INV;
	if (!*mask)
		return CAN_RCV_ALL;
	if (*can_id & CAN_RTR_FLAG)
		return CAN_RCV_FIL;
	if (*can_id & CAN_EFF_FLAG && *mask == (CAN_EFF_MASK | CAN_EFF_RTR))
		return CAN_RCV_EFF;
	if (!(*can_id & CAN_EFF_FLAG) && *mask == (CAN_SFF_MASK | CAN_EFF_RTR))
		return CAN_RCV_SFF;
	return CAN_RCV_FIL;
}

static u32 twin_hash(canid_t can_id, canid_t mask,
		     void (*func)(struct sk_buff *, void *), void *data)
{
	unsigned long who = (unsigned long)func + (unsigned long)data;

	return jhash_3words(can_id, mask, hash_long(who, 32), 0);
}

static u32 twin_value(const struct hlist_node *node)
{
	const struct receiver *rcv = container_of(node, struct receiver, twin);

	return twin_hash(rcv->can_id, rcv->mask, rcv->func, rcv->data);
}

static u32 mask_value(const struct hlist_node *node)
{
	return hash_32(container_of(node, struct can_rcv_mask, same)->mask, 32);
}

/* An inverted filter has the same values as the one that it inverts. */
static struct receiver *find_twin(struct can_rcvlist *list,
				  enum can_rcv_class class,
				  canid_t can_id, canid_t mask,
				  void (*func)(struct sk_buff *, void *),
				  void *data)
{
	struct hlist_head *head;
	struct receiver *rcv;

	head = can_rcv_hash_head(&list->receivers,
				 twin_hash(can_id, mask, func, data));
	hlist_for_each_entry(rcv, head, twin)
		if (rcv->can_id == can_id && rcv->mask == mask &&
		    rcv->func == func && rcv->data == data &&
		    FIELD_GET(BORN_CLASS, rcv->born) == class)
			return rcv;
	return NULL;
}

static struct can_rcv_mask *find_mask(struct can_rcvlist *list, canid_t mask)
{
	struct hlist_head *head;
	struct can_rcv_mask *m;

	head = can_rcv_hash_head(&list->masks, hash_32(mask, 32));
	hlist_for_each_entry(m, head, same)
		if (m->mask == mask)
			return m;
	return NULL;
}

static struct can_rcv_mask *get_mask(struct can_rcvlist *list, canid_t mask)
{
	struct can_rcv_mask *m = find_mask(list, mask);

	if (m)
		return m;
	m = kzalloc(sizeof(*m), list->gfp | GFP_KERNEL);
	if (!m)
		return NULL;
	m->mask = mask;
	can_rcv_hash_add(&list->masks, &m->same, mask_value);
	return m;
}

static void put_mask(struct can_rcvlist *list, struct can_rcv_mask *m)
{
	if (m->listed || m->table)
		return;
	can_rcv_hash_del(&list->masks, &m->same);
	kfree(m);
}

static void insert_listed(struct hlist_head *head, struct receiver *rcv)
{
	hlist_add_head_rcu(&rcv->node[0], head);
}

static void grow_masked(struct can_rcv_mask *m)
{
	struct can_rcv_table *old = m->table;
	struct can_rcv_table *new = can_rcv_table_larger(old);

	if (!new)
		return;
	hlist_replace_rcu(&old->node, &new->node);
	can_rcv_table_replaced(new);
	m->table = new;
	can_rcv_table_free(old);
}

/* The receiver is in the table before readers see that. */
static int first_masked(struct can_rcvlist *list, struct can_rcv_mask *m,
			struct receiver *rcv)
{
	m->table = can_rcv_table_alloc(m->mask);
	if (!m->table)
		return -ENOMEM;
	can_rcv_table_add(m->table, rcv);
	hlist_add_head_rcu(&m->table->node, &list->tables);
	return 0;
}

static int insert_masked(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_mask *m = get_mask(list, rcv->mask);

	if (!m)
		return -ENOMEM;
	if (m->listed < CAN_RCV_LISTED) {
		insert_listed(&list->plain[CAN_RCV_FIL], rcv);
		m->listed++;
		return 0;
	}
	rcv->born |= BORN_TABLED;
	if (!m->table)
		return first_masked(list, m, rcv);
	can_rcv_table_add(m->table, rcv);
	grow_masked(m);
	return 0;
}

static void remove_masked(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_mask *m = find_mask(list, rcv->mask);

	if (!(rcv->born & BORN_TABLED)) {
		hlist_del_rcu(&rcv->node[0]);
		m->listed--;
	} else {
		can_rcv_table_del(m->table, rcv);
		if (!m->table->entries) {
			hlist_del_rcu(&m->table->node);
			can_rcv_table_free(m->table);
			m->table = NULL;
		}
	}
	put_mask(list, m);
}

/* Writers exclude each other, so one reads what it wrote. */
static struct can_rcv_table *eff_table(struct can_rcvlist *list)
{
	return rcu_dereference_protected(list->eff, 1);
}

static int insert_eff(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_table *old = eff_table(list), *new;

	if (!old) {
		new = can_rcv_table_alloc(rcv->mask);
		if (!new)
			return -ENOMEM;
		can_rcv_table_add(new, rcv);
		rcu_assign_pointer(list->eff, new);
		return 0;
	}
	can_rcv_table_add(old, rcv);
	new = can_rcv_table_larger(old);
	if (new) {
		rcu_assign_pointer(list->eff, new);
		can_rcv_table_replaced(new);
		can_rcv_table_free(old);
	}
	return 0;
}

static void remove_eff(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_table *table = eff_table(list);

	can_rcv_table_del(table, rcv);
	if (table->entries)
		return;
	RCU_INIT_POINTER(list->eff, NULL);
	can_rcv_table_free(table);
}

static int insert_class(struct can_rcvlist *list, enum can_rcv_class class,
			struct receiver *rcv)
{
	switch (class) {
	case CAN_RCV_FIL:
		return insert_masked(list, rcv);
	case CAN_RCV_EFF:
		return insert_eff(list, rcv);
	case CAN_RCV_SFF:
		insert_listed(&list->sff[rcv->can_id], rcv);
		return 0;
	default:
		insert_listed(&list->plain[class], rcv);
		return 0;
	}
}

/* Readers that find the same receiver in the list all the time find it counted. */
static void count_receivers(struct can_rcvlist *list, enum can_rcv_class class,
			    int change)
{
	WRITE_ONCE(list->entries, list->entries + change);
	if (class != CAN_RCV_ALL && class != CAN_RCV_ERR)
		WRITE_ONCE(list->filtered, list->filtered + change);
}

/**
 * can_rcvlist_insert() - add a receiver
 * @list: to add it to
 * @can_id: identifier, with CAN_INV_FILTER to invert the filter
 * @mask: the bits of the identifier that count, with CAN_ERR_FLAG for a mask of
 *	error classes
 * @func: to be called for each frame that matches
 * @data: for @func
 * @ident: name of the protocol, for /proc; must stay
 * @sk: socket that @func uses, or NULL; must stay until the receiver is removed
 *
 * A frame that is delivered at the same time may or may not reach the new
 * receiver.
 *
 * Context: process, under a mutex of the list's owner; may sleep, and wait for
 *	an RCU grace period if a great many receivers are added at once.
 * Return: 0, or -ENOMEM; then the list is as it was before.
 */
int can_rcvlist_insert(struct can_rcvlist *list, canid_t can_id, canid_t mask,
		       void (*func)(struct sk_buff *skb, void *data),
		       void *data, char *ident, struct sock *sk)
{
	enum can_rcv_class class = can_rcv_classify(&can_id, &mask);
	struct receiver *rcv = kmem_cache_zalloc(receivers, list->gfp | GFP_KERNEL);
	int err;

	if (!rcv)
		return -ENOMEM;
	list->born += BORN_STEP;
	rcv->can_id = can_id;
	rcv->mask = mask;
	rcv->born = list->born | FIELD_PREP(BORN_CLASS, class);
	rcv->func = func;
	rcv->data = data;
	rcv->ident = ident;
	rcv->sk = sk;

	err = insert_class(list, class, rcv);
	if (err) {
		kmem_cache_free(receivers, rcv);
		return err;
	}
	can_rcv_hash_add(&list->receivers, &rcv->twin, twin_value);
	count_receivers(list, class, 1);
	return 0;
}
EXPORT_SYMBOL_GPL(can_rcvlist_insert);

static void free_receiver(struct rcu_head *head)
{
	struct receiver *rcv = container_of(head, struct receiver, rcu);
	struct sock *sk = rcv->sk;

	kmem_cache_free(receivers, rcv);
	if (sk)
		sock_put(sk);
}

/**
 * can_rcvlist_remove() - take a receiver away
 * @list: which it is in
 * @can_id: as it was inserted
 * @mask: as it was inserted
 * @func: as it was inserted
 * @data: as it was inserted
 *
 * Of several equal ones, the youngest goes. @func may still be running, and be
 * called, until an RCU grace period is over; the socket stays until then.
 *
 * Context: process, under a mutex of the list's owner.
 * Return: false if there is no such receiver.
 */
bool can_rcvlist_remove(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			void (*func)(struct sk_buff *skb, void *data),
			void *data)
{
	enum can_rcv_class class = can_rcv_classify(&can_id, &mask);
	struct receiver *rcv = find_twin(list, class, can_id, mask, func, data);

	if (!rcv)
		return false;
	can_rcv_hash_del(&list->receivers, &rcv->twin);
	if (class == CAN_RCV_FIL)
		remove_masked(list, rcv);
	else if (class == CAN_RCV_EFF)
		remove_eff(list, rcv);
	else
		hlist_del_rcu(&rcv->node[0]);
	count_receivers(list, class, -1);

	if (rcv->sk)
		sock_hold(rcv->sk);
	call_rcu(&rcv->rcu, free_receiver);
	return true;
}
EXPORT_SYMBOL_GPL(can_rcvlist_remove);

/**
 * can_rcvlist_exchange() - let a function have something else for its frames
 * @list: in which the receiver is
 * @can_id: as it was inserted
 * @mask: as it was inserted
 * @func: as it was inserted
 * @data: as it was inserted
 * @new: is given to @func from now on, instead of @data; by no other receiver with this
 *	filter
 *
 * The receiver keeps its place among others. A frame that is delivered at the same
 * time reaches @func with @data or with @new, with one of them; with @data until an
 * RCU grace period is over.
 *
 * Context: process, under a mutex of the list's owner.
 * Return: false if there is no such receiver.
 */
bool can_rcvlist_exchange(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			  void (*func)(struct sk_buff *skb, void *data),
			  void *data, void *new)
{
	enum can_rcv_class class = can_rcv_classify(&can_id, &mask);
	struct receiver *rcv = find_twin(list, class, can_id, mask, func, data);

	if (!rcv)
		return false;
	can_rcv_hash_del(&list->receivers, &rcv->twin);
	/* what @new points to is complete before readers find it */
	smp_store_release(&rcv->data, new);
	can_rcv_hash_add(&list->receivers, &rcv->twin, twin_value);
	return true;
}
EXPORT_SYMBOL_GPL(can_rcvlist_exchange);

static void free_receivers(struct hlist_head *head)
{
	struct hlist_node *next;
	struct receiver *rcv;

	hlist_for_each_entry_safe(rcv, next, head, twin)
		kmem_cache_free(receivers, rcv);
	cond_resched();
}

static void free_masks(struct hlist_head *head)
{
	struct hlist_node *next;
	struct can_rcv_mask *m;

	hlist_for_each_entry_safe(m, next, head, same) {
		if (m->table)
			can_rcv_table_free(m->table);
		kfree(m);
	}
}

/**
 * can_rcvlist_clear() - free all receivers
 * @list: which has no readers any more, and whose receivers have no sockets
 *
 * Context: process, may sleep.
 */
void can_rcvlist_clear(struct can_rcvlist *list)
{
	can_rcv_hash_for_each(&list->receivers, free_receivers);
	can_rcv_hash_for_each(&list->masks, free_masks);
	if (eff_table(list))
		can_rcv_table_free(eff_table(list));
	can_rcv_hash_forget(&list->receivers);
	can_rcv_hash_forget(&list->masks);
	memset(list, 0, sizeof(*list));
}
EXPORT_SYMBOL_GPL(can_rcvlist_clear);

static bool heads_empty(const struct hlist_head *head, unsigned int count)
{
	while (count--)
		if (!hlist_empty(head++))
			return false;
	return true;
}

/**
 * can_rcvlist_empty() - is there no receiver of a class?
 * @list: to look into
 * @class: of receivers
 *
 * Context: any, under rcu_read_lock().
 * Return: true if there is none.
 */
bool can_rcvlist_empty(const struct can_rcvlist *list,
		       enum can_rcv_class class)
{
	switch (class) {
	case CAN_RCV_SFF:
		return heads_empty(list->sff, ARRAY_SIZE(list->sff));
	case CAN_RCV_EFF:
		return !rcu_access_pointer(list->eff);
	case CAN_RCV_FIL:
		return hlist_empty(&list->tables) &&
		       hlist_empty(&list->plain[class]);
	default:
		return hlist_empty(&list->plain[class]);
	}
}

static void show_listed(const struct hlist_head *head,
			void (*show)(const struct receiver *, void *),
			void *arg)
{
	struct receiver *rcv;

	hlist_for_each_entry_rcu(rcv, head, node[0])
		show(rcv, arg);
}

static void show_table(const struct can_rcv_table *table,
		       void (*show)(const struct receiver *, void *), void *arg)
{
	struct hlist_node *node;
	unsigned int i;

	for (i = 0; i < can_rcv_table_size(table); i++) {
		node = rcu_dereference(hlist_first_rcu(&table->bucket[i]));
		for (; node; node = rcu_dereference(hlist_next_rcu(node)))
			show(can_rcv_entry(node, table->link), arg);
	}
}

/**
 * can_rcvlist_for_each() - look at every receiver of a class
 * @list: to look into
 * @class: of receivers
 * @show: is called for each of them, must not sleep
 * @arg: for @show
 *
 * The order is that of the lists and tables, not that of delivery.
 *
 * Context: any, under rcu_read_lock().
 */
void can_rcvlist_for_each(const struct can_rcvlist *list,
			  enum can_rcv_class class,
			  void (*show)(const struct receiver *rcv, void *arg),
			  void *arg)
{
	const struct can_rcv_table *table;
	unsigned int i;

	switch (class) {
	case CAN_RCV_SFF:
		for (i = 0; i < ARRAY_SIZE(list->sff); i++)
			show_listed(&list->sff[i], show, arg);
		break;
	case CAN_RCV_EFF:
		table = rcu_dereference(list->eff);
		if (table)
			show_table(table, show, arg);
		break;
	default:
		show_listed(&list->plain[class], show, arg);
		if (class == CAN_RCV_FIL)
			hlist_for_each_entry_rcu(table, &list->tables, node)
				show_table(table, show, arg);
	}
}

/**
 * can_rcvlist_init() - get ready for the first list
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int can_rcvlist_init(void)
{
	receivers = kmem_cache_create("can_receiver", sizeof(struct receiver),
				      0, 0, NULL);
	return receivers ? 0 : -ENOMEM;
}

/**
 * can_rcvlist_exit() - after the last list is empty
 *
 * Context: process; waits for receivers that are being freed.
 */
void can_rcvlist_exit(void)
{
	rcu_barrier();
	kmem_cache_destroy(receivers);
}
