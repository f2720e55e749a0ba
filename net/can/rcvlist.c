// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * Lists of CAN receive filters: see rcvlist.h for what they promise, and for who runs
 * in which context.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "rcvhash.h"
#include "rcvlist.h"
#include "rcvtable.h"

#define CAN_EFF_RTR (CAN_EFF_FLAG | CAN_RTR_FLAG)

/* The lowest bits of receiver.seq are no part of the number: whether the receiver is in
 * a table, and its class. The order is that of the others.
 */
#define SEQ_TABLED 1
#define SEQ_CLASS GENMASK(3, 1)
#define SEQ_STEP 16

/**
 * struct can_rcv_mask - what writers know of a mask of CAN_RCV_FIL
 * @hash_node: in can_rcvlist.masks
 * @mask: its value
 * @listed: receivers in can_rcvlist.listed
 * @table: the others, NULL without any
 */
struct can_rcv_mask {
	struct hlist_node hash_node;
	canid_t mask;
	unsigned int listed;
	struct can_rcv_table *table;
};

static struct kmem_cache *receivers __read_mostly;

/* Any user can choose what is hashed. */
static u32 rcvlist_seed __read_mostly;

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

static u32 receiver_hash(canid_t can_id, canid_t mask,
			 void (*func)(struct sk_buff *, void *), void *data)
{
	unsigned long who = (unsigned long)func + (unsigned long)data;

	return jhash_3words(can_id, mask, hash_long(who, 32), rcvlist_seed);
}

static u32 receiver_value(const struct hlist_node *node)
{
	const struct receiver *rcv = container_of(node, struct receiver, hash_node);

	return receiver_hash(rcv->can_id, rcv->mask, rcv->func, rcv->data);
}

static u32 mask_hash(canid_t mask)
{
	return jhash_1word(mask, rcvlist_seed);
}

static u32 mask_value(const struct hlist_node *node)
{
	return mask_hash(container_of(node, struct can_rcv_mask, hash_node)->mask);
}

/* An inverted filter has the same values as the one that it inverts. */
static struct receiver *find_receiver(struct can_rcvlist *list,
				      enum can_rcv_class class,
				      canid_t can_id, canid_t mask,
				      void (*func)(struct sk_buff *, void *),
				      void *data)
{
	struct hlist_head *head;
	struct receiver *rcv;

	head = can_rcv_hash_head(&list->receivers,
				 receiver_hash(can_id, mask, func, data));
	hlist_for_each_entry(rcv, head, hash_node)
		if (rcv->can_id == can_id && rcv->mask == mask &&
		    rcv->func == func && rcv->data == data &&
		    FIELD_GET(SEQ_CLASS, rcv->seq) == class)
			return rcv;
	return NULL;
}

static struct can_rcv_mask *find_mask(struct can_rcvlist *list, canid_t mask)
{
	struct hlist_head *head;
	struct can_rcv_mask *m;

	head = can_rcv_hash_head(&list->masks, mask_hash(mask));
	hlist_for_each_entry(m, head, hash_node)
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
	can_rcv_hash_add(&list->masks, &m->hash_node, mask_value);
	return m;
}

static void put_mask(struct can_rcvlist *list, struct can_rcv_mask *m)
{
	if (m->listed || m->table)
		return;
	can_rcv_hash_del(&list->masks, &m->hash_node);
	kfree(m);
}

static bool rcvlist_held(const struct can_rcvlist *list)
{
	return !list->owner || list->owner->held(list->owner);
}

static struct can_rcv_table *eff_table(struct can_rcvlist *list)
{
	return rcu_dereference_protected(list->eff, rcvlist_held(list));
}

/* Is the index worth its lookups, and what may it cost beside them? Either way of
 * finding receivers is right, so readers need not see this change together with others.
 */
static void update_spare(struct can_rcvlist *list)
{
	unsigned int steps = list->nr_listed +
			     CAN_RCV_LOOKUP_STEPS * list->nr_tables;
	int spare = 0;

	if (steps > list->nr_masked)
		spare = -1;
	else if (list->nr_masked)
		spare = CAN_RCV_SPARE_STEPS +
			list->nr_masked / CAN_RCV_SPARE_PART - steps;
	WRITE_ONCE(list->spare, spare);
}

static void count_masked(struct can_rcvlist *list, int change)
{
	list->nr_masked += change;
	update_spare(list);
}

/* A table is about to be freed, or fits again. */
static void stop_resizing(struct can_rcvlist *list, struct can_rcv_table *table)
{
	if (hlist_unhashed(&table->resize_node))
		return;
	hlist_del_init(&table->resize_node);
	if (hlist_empty(&list->resizing))
		hlist_del_init(&list->resize_node);
}

/* Readers are still in the nodes that another table needs. */
static void resize_later(struct can_rcvlist *list, struct can_rcv_table *table)
{
	struct can_rcv_owner *owner = list->owner;

	if (!owner || !hlist_unhashed(&table->resize_node))
		return;
	if (hlist_empty(&list->resizing))
		hlist_add_head(&list->resize_node, &owner->resizing);
	hlist_add_head(&table->resize_node, &list->resizing);
	queue_rcu_work(system_unbound_wq, &owner->resize);
}

static void publish_resized(struct can_rcvlist *list, struct can_rcv_table *old,
			    struct can_rcv_table *new)
{
	if (old == eff_table(list)) {
		rcu_assign_pointer(list->eff, new);
	} else {
		hlist_replace_rcu(&old->node, &new->node);
		find_mask(list, old->mask)->table = new;
	}
	can_rcv_table_replaced(new);
}

/* Without memory, a table stays as it is until the next change. */
static void resize_table(struct can_rcvlist *list, struct can_rcv_table *old)
{
	struct can_rcv_table *new = NULL;

	if (!can_rcv_table_fits(old)) {
		if (!can_rcv_table_may_resize(old)) {
			resize_later(list, old);
			return;
		}
		new = can_rcv_table_resized(old, list->gfp);
	}
	stop_resizing(list, old);
	if (!new)
		return;
	publish_resized(list, old, new);
	can_rcv_table_free(old);
	if (!can_rcv_table_fits(new))
		resize_later(list, new);
}

static void free_table(struct can_rcvlist *list, struct can_rcv_table *table)
{
	stop_resizing(list, table);
	can_rcv_table_free(table);
}

/* A mask with more receivers than are listed has a table. */
static struct can_rcv_mask *prepare_mask(struct can_rcvlist *list, canid_t mask)
{
	struct can_rcv_mask *m = get_mask(list, mask);

	if (!m || m->listed < CAN_RCV_LISTED || m->table)
		return m;
	m->table = can_rcv_table_alloc(mask, GOLDEN_RATIO_32, list->gfp);
	return m->table ? m : NULL;
}

static void index_listed(struct can_rcvlist *list, struct can_rcv_mask *m,
			 struct receiver *rcv)
{
	hlist_add_head_rcu(&rcv->node[0], &list->listed);
	m->listed++;
	WRITE_ONCE(list->nr_listed, list->nr_listed + 1);
}

/* A receiver is in the table before readers see that for the first time. */
static void index_tabled(struct can_rcvlist *list, struct can_rcv_mask *m,
			 struct receiver *rcv)
{
	bool first = !m->table->entries;

	rcv->seq |= SEQ_TABLED;
	can_rcv_table_add(m->table, rcv);
	if (!first) {
		resize_table(list, m->table);
		return;
	}
	hlist_add_head_rcu(&m->table->node, &list->tables);
	WRITE_ONCE(list->nr_tables, list->nr_tables + 1);
}

static int insert_masked(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_mask *m = prepare_mask(list, rcv->mask);

	if (!m)
		return -ENOMEM;
	/* A reader that finds it by the index goes on from here by this list: so it is
	 * in the list first.
	 */
	hlist_add_head_rcu(&rcv->list_node, &list->lists[CAN_RCV_FIL]);
	if (m->listed < CAN_RCV_LISTED)
		index_listed(list, m, rcv);
	else
		index_tabled(list, m, rcv);
	count_masked(list, 1);
	return 0;
}

/* Out of the list, a receiver still leads readers to the next one. */
static void remove_masked(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_mask *m = find_mask(list, rcv->mask);

	hlist_del_rcu(&rcv->list_node);
	if (!(rcv->seq & SEQ_TABLED)) {
		hlist_del_rcu(&rcv->node[0]);
		m->listed--;
		WRITE_ONCE(list->nr_listed, list->nr_listed - 1);
	} else {
		can_rcv_table_del(m->table, rcv);
		if (m->table->entries) {
			resize_table(list, m->table);
		} else {
			hlist_del_rcu(&m->table->node);
			free_table(list, m->table);
			m->table = NULL;
			WRITE_ONCE(list->nr_tables, list->nr_tables - 1);
		}
	}
	put_mask(list, m);
	count_masked(list, -1);
}

static int insert_eff(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_table *table = eff_table(list);

	if (!table) {
		table = can_rcv_table_alloc(rcv->mask, get_random_u32() | 1,
					    list->gfp);
		if (!table)
			return -ENOMEM;
		can_rcv_table_add(table, rcv);
		rcu_assign_pointer(list->eff, table);
	} else {
		can_rcv_table_add(table, rcv);
		resize_table(list, table);
	}
	hlist_add_head_rcu(&rcv->list_node, &list->lists[CAN_RCV_EFF]);
	return 0;
}

static void remove_eff(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_table *table = eff_table(list);

	hlist_del_rcu(&rcv->list_node);
	can_rcv_table_del(table, rcv);
	if (table->entries) {
		resize_table(list, table);
		return;
	}
	RCU_INIT_POINTER(list->eff, NULL);
	free_table(list, table);
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
		hlist_add_head_rcu(&rcv->list_node, &list->sff[rcv->can_id]);
		return 0;
	default:
		hlist_add_head_rcu(&rcv->list_node, &list->lists[class]);
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
 * Context: Process context, under the lock of the list's owner; may sleep, but does not
 *	wait for readers.
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
	list->seq += SEQ_STEP;
	rcv->can_id = can_id;
	rcv->mask = mask;
	rcv->seq = list->seq | FIELD_PREP(SEQ_CLASS, class);
	rcv->func = func;
	rcv->data = data;
	rcv->ident = ident;
	rcv->sk = sk;

	err = insert_class(list, class, rcv);
	if (err) {
		kmem_cache_free(receivers, rcv);
		return err;
	}
	can_rcv_hash_add(&list->receivers, &rcv->hash_node, receiver_value);
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
 * can_rcvlist_remove() - remove a receiver
 * @list: which it is in
 * @can_id: as passed to can_rcvlist_insert()
 * @mask: as passed to can_rcvlist_insert()
 * @func: as passed to can_rcvlist_insert()
 * @data: as passed to can_rcvlist_insert()
 *
 * Of several equal ones, the newest is removed. @func may still be running, and be
 * called, until an RCU grace period is over; the socket stays until then.
 *
 * Context: Process context, under the lock of the list's owner; may sleep.
 * Return: false if there is no such receiver.
 */
bool can_rcvlist_remove(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			void (*func)(struct sk_buff *skb, void *data),
			void *data)
{
	enum can_rcv_class class = can_rcv_classify(&can_id, &mask);
	struct receiver *rcv = find_receiver(list, class, can_id, mask, func, data);

	if (!rcv)
		return false;
	can_rcv_hash_del(&list->receivers, &rcv->hash_node);
	if (class == CAN_RCV_FIL)
		remove_masked(list, rcv);
	else if (class == CAN_RCV_EFF)
		remove_eff(list, rcv);
	else
		hlist_del_rcu(&rcv->list_node);
	count_receivers(list, class, -1);

	if (rcv->sk)
		sock_hold(rcv->sk);
	call_rcu(&rcv->rcu, free_receiver);
	return true;
}
EXPORT_SYMBOL_GPL(can_rcvlist_remove);

/**
 * can_rcvlist_exchange() - replace the callback argument of a receiver
 * @list: in which the receiver is
 * @can_id: as passed to can_rcvlist_insert()
 * @mask: as passed to can_rcvlist_insert()
 * @func: as passed to can_rcvlist_insert()
 * @data: as passed to can_rcvlist_insert()
 * @new: is given to @func from now on, instead of @data; by no other receiver with this
 *	filter
 *
 * The receiver keeps its position among others. A frame that is delivered at the same
 * time reaches @func with @data or with @new, with one of them; with @data until an
 * RCU grace period is over.
 *
 * Context: Process context, under the lock of the list's owner; may sleep.
 * Return: false if there is no such receiver.
 */
bool can_rcvlist_exchange(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			  void (*func)(struct sk_buff *skb, void *data),
			  void *data, void *new)
{
	enum can_rcv_class class = can_rcv_classify(&can_id, &mask);
	struct receiver *rcv = find_receiver(list, class, can_id, mask, func, data);

	if (!rcv)
		return false;
	can_rcv_hash_del(&list->receivers, &rcv->hash_node);
	/* what @new points to is complete before readers find it */
	smp_store_release(&rcv->data, new);
	can_rcv_hash_add(&list->receivers, &rcv->hash_node, receiver_value);
	return true;
}
EXPORT_SYMBOL_GPL(can_rcvlist_exchange);

static void free_receivers(struct hlist_head *head)
{
	struct hlist_node *next;
	struct receiver *rcv;

	hlist_for_each_entry_safe(rcv, next, head, hash_node)
		kmem_cache_free(receivers, rcv);
	cond_resched();
}

static void free_masks(struct hlist_head *head)
{
	struct hlist_node *next;
	struct can_rcv_mask *m;

	hlist_for_each_entry_safe(m, next, head, hash_node) {
		if (m->table)
			can_rcv_table_free(m->table);
		kfree(m);
	}
}

/**
 * can_rcvlist_set_owner() - say who changes a list, and who pays for its memory
 * @list: empty
 * @owner: see struct can_rcvlist
 * @gfp: __GFP_ACCOUNT or 0
 *
 * Without, a list has no owner, and its memory is not accounted.
 *
 * Context: Process context, under the lock of @owner.
 */
void can_rcvlist_set_owner(struct can_rcvlist *list,
			   struct can_rcv_owner *owner, gfp_t gfp)
{
	WARN_ON_ONCE(list->entries);
	list->owner = owner;
	list->gfp = gfp;
	list->receivers.gfp = gfp;
	list->masks.gfp = gfp;
}
EXPORT_SYMBOL_GPL(can_rcvlist_set_owner);

/**
 * can_rcvlist_retire() - the last change of a list that its owner gives up
 * @list: is only read from now on, and then freed by can_rcvlist_clear()
 *
 * Context: Process context, under the lock of the list's owner.
 */
void can_rcvlist_retire(struct can_rcvlist *list)
{
	struct can_rcv_table *table;
	struct hlist_node *next;

	hlist_for_each_entry_safe(table, next, &list->resizing, resize_node)
		stop_resizing(list, table);
	list->owner = NULL;
}
EXPORT_SYMBOL_GPL(can_rcvlist_retire);

/**
 * can_rcvlist_clear() - free all receivers
 * @list: which has no readers any more, whose receivers have no sockets, and which has
 *	no owner, or no tables that are to be resized (can_rcvlist_retire())
 *
 * Context: Process context, may sleep.
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
	if (class == CAN_RCV_SFF)
		return heads_empty(list->sff, ARRAY_SIZE(list->sff));
	return hlist_empty(&list->lists[class]);
}

static void show_list(const struct hlist_head *head,
		      void (*show)(const struct receiver *, void *), void *arg)
{
	struct receiver *rcv;

	hlist_for_each_entry_rcu(rcv, head, list_node)
		show(rcv, arg);
}

/**
 * can_rcvlist_for_each() - look at every receiver of a class
 * @list: to look into
 * @class: of receivers
 * @show: is called for each of them, the newest first, must not sleep; those of
 *	CAN_RCV_SFF by identifier
 * @arg: for @show
 *
 * Context: any, under rcu_read_lock().
 */
void can_rcvlist_for_each(const struct can_rcvlist *list,
			  enum can_rcv_class class,
			  void (*show)(const struct receiver *rcv, void *arg),
			  void *arg)
{
	unsigned int i;

	if (class != CAN_RCV_SFF) {
		show_list(&list->lists[class], show, arg);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(list->sff); i++)
		show_list(&list->sff[i], show, arg);
}

/**
 * can_rcv_owner_init() - set up the owner of lists
 * @owner: to set up
 * @resize: work function: takes the lock and calls can_rcv_owner_resize()
 * @held: does the caller hold the lock? For lockdep only
 *
 * Context: any.
 */
void can_rcv_owner_init(struct can_rcv_owner *owner, work_func_t resize,
			bool (*held)(const struct can_rcv_owner *owner))
{
	owner->held = held;
	INIT_RCU_WORK(&owner->resize, resize);
	INIT_HLIST_HEAD(&owner->resizing);
}
EXPORT_SYMBOL_GPL(can_rcv_owner_init);

/**
 * can_rcv_owner_exit() - the owner has no lists with receivers any more
 * @owner: may be freed afterwards
 *
 * Context: Process context, without the lock of the owner, which the work takes; may
 *	wait for an RCU grace period.
 */
void can_rcv_owner_exit(struct can_rcv_owner *owner)
{
	flush_rcu_work(&owner->resize);
}
EXPORT_SYMBOL_GPL(can_rcv_owner_exit);

/**
 * can_rcv_owner_resize() - resize the tables for which it was too early before
 * @owner: of the lists
 *
 * Context: Process context, under the lock of the owner; may sleep.
 */
void can_rcv_owner_resize(struct can_rcv_owner *owner)
{
	struct hlist_node *next_list, *next;
	struct can_rcv_table *table;
	struct can_rcvlist *list;

	hlist_for_each_entry_safe(list, next_list, &owner->resizing, resize_node)
		hlist_for_each_entry_safe(table, next, &list->resizing, resize_node) {
			resize_table(list, table);
			cond_resched();
		}
	if (!hlist_empty(&owner->resizing))
		queue_rcu_work(system_unbound_wq, &owner->resize);
}
EXPORT_SYMBOL_GPL(can_rcv_owner_resize);

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
	rcvlist_seed = get_random_u32();
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
