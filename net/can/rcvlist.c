// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Lists of CAN receive filters, for writers: contexts are described in
 * rcvlist.h.
 */
#include <kunit/visibility.h>
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

/* The low bits of receiver.seq are flags: whether the receiver is in a table,
 * and its class. They do not affect the order, because the upper bits are
 * unique.
 */
#define SEQ_TABLED 1
#define SEQ_CLASS GENMASK(3, 1)
#define SEQ_STEP 16

/**
 * struct can_rcv_mask - a mask of CAN_RCV_FIL, for writers
 * @hash_node: in can_rcvlist.masks
 * @mask: mask
 * @listed: number of receivers in can_rcvlist.listed
 * @table: further receivers, NULL without any
 */
struct can_rcv_mask {
	struct hlist_node hash_node;
	canid_t mask;
	unsigned int listed;
	struct can_rcv_table *table;
};

static struct kmem_cache *rcvlist_cache __read_mostly;
static struct workqueue_struct *rcvlist_wq __read_mostly;

/* Random, because any user can choose the values that are hashed. */
static u32 rcvlist_seed __read_mostly;

/* Get the class of a filter, and the values that frames are compared with. */
static enum can_rcv_class rcvlist_classify(canid_t *can_id, canid_t *mask)
{
	bool inverted = *can_id & CAN_INV_FILTER;

	if (*mask & CAN_ERR_FLAG) {
		*mask &= CAN_ERR_MASK;
		return CAN_RCV_ERR;
	}
	/* a standard identifier has 11 bits */
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

static u32 rcvlist_receiver_hash(canid_t can_id, canid_t mask,
				 void (*func)(struct sk_buff *, void *),
				 void *data)
{
	unsigned long callback = (unsigned long)func + (unsigned long)data;

	return jhash_3words(can_id, mask, hash_long(callback, 32),
			    rcvlist_seed);
}

static u32 rcvlist_receiver_node_hash(const struct hlist_node *node)
{
	const struct receiver *rcv = container_of(node, struct receiver,
						  hash_node);

	return rcvlist_receiver_hash(rcv->can_id, rcv->mask, rcv->func,
				     rcv->data);
}

static u32 rcvlist_mask_hash(canid_t mask)
{
	return jhash_1word(mask, rcvlist_seed);
}

static u32 rcvlist_mask_node_hash(const struct hlist_node *node)
{
	const struct can_rcv_mask *m;

	m = container_of(node, struct can_rcv_mask, hash_node);
	return rcvlist_mask_hash(m->mask);
}

/* The class tells an inverted filter from the filter that it inverts. */
static struct receiver *rcvlist_find_receiver(struct can_rcvlist *list,
					      enum can_rcv_class class,
					      canid_t can_id, canid_t mask,
					      void (*func)(struct sk_buff *, void *),
					      void *data)
{
	struct hlist_head *head;
	struct receiver *rcv;
	u32 hash;

	hash = rcvlist_receiver_hash(can_id, mask, func, data);
	head = can_rcv_hash_head(&list->receivers, hash);
	hlist_for_each_entry(rcv, head, hash_node)
		if (rcv->can_id == can_id && rcv->mask == mask &&
		    rcv->func == func && rcv->data == data &&
		    FIELD_GET(SEQ_CLASS, rcv->seq) == class)
			return rcv;
	return NULL;
}

static struct can_rcv_mask *rcvlist_find_mask(struct can_rcvlist *list,
					      canid_t mask)
{
	struct hlist_head *head;
	struct can_rcv_mask *m;

	head = can_rcv_hash_head(&list->masks, rcvlist_mask_hash(mask));
	hlist_for_each_entry(m, head, hash_node)
		if (m->mask == mask)
			return m;
	return NULL;
}

static struct can_rcv_mask *rcvlist_get_mask(struct can_rcvlist *list,
					     canid_t mask)
{
	struct can_rcv_mask *m = rcvlist_find_mask(list, mask);

	if (m)
		return m;
	m = kzalloc(sizeof(*m), list->gfp | GFP_KERNEL);
	if (!m)
		return NULL;
	m->mask = mask;
	can_rcv_hash_add(&list->masks, &m->hash_node, rcvlist_mask_node_hash);
	return m;
}

static void rcvlist_put_mask(struct can_rcvlist *list, struct can_rcv_mask *m)
{
	if (m->listed || m->table)
		return;
	can_rcv_hash_del(&list->masks, &m->hash_node, rcvlist_mask_node_hash);
	kfree(m);
}

static bool rcvlist_held(const struct can_rcvlist *list)
{
	return !list->owner || list->owner->held(list->owner);
}

static struct can_rcv_table *rcvlist_eff_table(struct can_rcvlist *list)
{
	return rcu_dereference_protected(list->eff, rcvlist_held(list));
}

/* Compute the budget: steps that the index may cost in addition to its lookups.
 * It is below 0 if the lookups cost more than a walk, or use up the budget.
 * Both ways find the same receivers, so readers may see the new budget early or
 * late.
 */
static void rcvlist_update_budget(struct can_rcvlist *list)
{
	unsigned int steps = list->nr_listed +
			     CAN_RCV_LOOKUP_STEPS * list->nr_tables;
	int budget = 0;

	if (steps > list->nr_masked)
		budget = -1;
	else if (list->nr_masked)
		budget = CAN_RCV_BUDGET_STEPS +
			list->nr_masked / CAN_RCV_BUDGET_DIV - steps;
	WRITE_ONCE(list->budget, budget);
}

static void rcvlist_count_masked(struct can_rcvlist *list, int change)
{
	list->nr_masked += change;
	rcvlist_update_budget(list);
}

/* Cancel the resize of a table that is freed or has been resized. */
static void rcvlist_stop_resizing(struct can_rcvlist *list,
				  struct can_rcv_table *table)
{
	if (hlist_unhashed(&table->resize_node))
		return;
	hlist_del_init(&table->resize_node);
	if (hlist_empty(&list->resizing))
		hlist_del_init(&list->resize_node);
}

static void rcvlist_queue_resize(struct can_rcv_owner *owner)
{
	if (queue_rcu_work(rcvlist_wq, &owner->resize) && owner->hold)
		owner->hold(owner);
}

/* Readers may still use the nodes that a new table needs. */
static void rcvlist_resize_later(struct can_rcvlist *list,
				 struct can_rcv_table *table)
{
	struct can_rcv_owner *owner = list->owner;

	if (!owner || !hlist_unhashed(&table->resize_node))
		return;
	if (hlist_empty(&list->resizing))
		hlist_add_head(&list->resize_node, &owner->resizing);
	hlist_add_head(&table->resize_node, &list->resizing);
	rcvlist_queue_resize(owner);
}

static void rcvlist_publish_resized(struct can_rcvlist *list,
				    struct can_rcv_table *old,
				    struct can_rcv_table *new)
{
	if (old == rcvlist_eff_table(list)) {
		rcu_assign_pointer(list->eff, new);
	} else {
		hlist_replace_rcu(&old->node, &new->node);
		rcvlist_find_mask(list, old->mask)->table = new;
	}
	can_rcv_table_replaced(new);
}

/* Without memory, a table keeps its size until the next change. */
static void rcvlist_resize_table(struct can_rcvlist *list,
				 struct can_rcv_table *old)
{
	struct can_rcv_table *new = NULL;

	if (!can_rcv_table_fits(old)) {
		if (!can_rcv_table_may_resize(old)) {
			rcvlist_resize_later(list, old);
			return;
		}
		new = can_rcv_table_resized(old, list->gfp);
	}
	rcvlist_stop_resizing(list, old);
	if (!new)
		return;
	rcvlist_publish_resized(list, old, new);
	can_rcv_table_free(old);
	if (!can_rcv_table_fits(new))
		rcvlist_resize_later(list, new);
}

static void rcvlist_free_table(struct can_rcvlist *list,
			       struct can_rcv_table *table)
{
	rcvlist_stop_resizing(list, table);
	can_rcv_table_free(table);
}

/* Return: the mask, with a table if the next receiver needs one; NULL without
 * memory.
 */
static struct can_rcv_mask *rcvlist_prepare_mask(struct can_rcvlist *list,
						 canid_t mask)
{
	struct can_rcv_mask *m = rcvlist_get_mask(list, mask);

	if (!m || m->listed < CAN_RCV_LISTED || m->table)
		return m;
	m->table = can_rcv_table_alloc(mask, GOLDEN_RATIO_32, list->gfp);
	return m->table ? m : NULL;
}

static void rcvlist_index_listed(struct can_rcvlist *list,
				 struct can_rcv_mask *m, struct receiver *rcv)
{
	hlist_add_head_rcu(&rcv->node[0], &list->listed);
	m->listed++;
	WRITE_ONCE(list->nr_listed, list->nr_listed + 1);
}

/* A new table is published after its first receiver has been added. */
static void rcvlist_index_tabled(struct can_rcvlist *list,
				 struct can_rcv_mask *m, struct receiver *rcv)
{
	bool first = !m->table->entries;

	rcv->seq |= SEQ_TABLED;
	can_rcv_table_add(m->table, rcv);
	if (!first) {
		rcvlist_resize_table(list, m->table);
		return;
	}
	hlist_add_head_rcu(&m->table->node, &list->tables);
	WRITE_ONCE(list->nr_tables, list->nr_tables + 1);
}

static int rcvlist_insert_masked(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_mask *m = rcvlist_prepare_mask(list, rcv->mask);

	if (!m)
		return -ENOMEM;
	/* Link it in the list before the index: a reader that finds it by the
	 * index may continue its walk in the list from here.
	 */
	hlist_add_head_rcu(&rcv->list_node, &list->lists[CAN_RCV_FIL]);
	if (m->listed < CAN_RCV_LISTED)
		rcvlist_index_listed(list, m, rcv);
	else
		rcvlist_index_tabled(list, m, rcv);
	rcvlist_count_masked(list, 1);
	return 0;
}

/* A removed receiver keeps its next pointers for readers. */
static void rcvlist_remove_masked(struct can_rcvlist *list,
				  struct receiver *rcv)
{
	struct can_rcv_mask *m = rcvlist_find_mask(list, rcv->mask);

	hlist_del_rcu(&rcv->list_node);
	if (!(rcv->seq & SEQ_TABLED)) {
		hlist_del_rcu(&rcv->node[0]);
		m->listed--;
		WRITE_ONCE(list->nr_listed, list->nr_listed - 1);
	} else {
		can_rcv_table_del(m->table, rcv);
		if (m->table->entries) {
			rcvlist_resize_table(list, m->table);
		} else {
			hlist_del_rcu(&m->table->node);
			rcvlist_free_table(list, m->table);
			m->table = NULL;
			WRITE_ONCE(list->nr_tables, list->nr_tables - 1);
		}
	}
	rcvlist_put_mask(list, m);
	rcvlist_count_masked(list, -1);
}

static int rcvlist_insert_eff(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_table *table = rcvlist_eff_table(list);

	if (!table) {
		table = can_rcv_table_alloc(rcv->mask, get_random_u32() | 1,
					    list->gfp);
		if (!table)
			return -ENOMEM;
		can_rcv_table_add(table, rcv);
		rcu_assign_pointer(list->eff, table);
	} else {
		can_rcv_table_add(table, rcv);
		rcvlist_resize_table(list, table);
	}
	hlist_add_head_rcu(&rcv->list_node, &list->lists[CAN_RCV_EFF]);
	return 0;
}

static void rcvlist_remove_eff(struct can_rcvlist *list, struct receiver *rcv)
{
	struct can_rcv_table *table = rcvlist_eff_table(list);

	hlist_del_rcu(&rcv->list_node);
	can_rcv_table_del(table, rcv);
	if (table->entries) {
		rcvlist_resize_table(list, table);
		return;
	}
	RCU_INIT_POINTER(list->eff, NULL);
	rcvlist_free_table(list, table);
}

static int rcvlist_insert_class(struct can_rcvlist *list,
				enum can_rcv_class class, struct receiver *rcv)
{
	switch (class) {
	case CAN_RCV_FIL:
		return rcvlist_insert_masked(list, rcv);
	case CAN_RCV_EFF:
		return rcvlist_insert_eff(list, rcv);
	case CAN_RCV_SFF:
		hlist_add_head_rcu(&rcv->list_node, &list->sff[rcv->can_id]);
		return 0;
	default:
		hlist_add_head_rcu(&rcv->list_node, &list->lists[class]);
		return 0;
	}
}

/* Readers skip the list, or all its filters, if the count is 0. It is updated
 * after an insertion and after a removal, so receivers that stay in the list
 * are always counted.
 */
static void rcvlist_count_receivers(struct can_rcvlist *list,
				    enum can_rcv_class class, int change)
{
	WRITE_ONCE(list->entries, list->entries + change);
	if (class != CAN_RCV_ALL && class != CAN_RCV_ERR)
		WRITE_ONCE(list->filtered, list->filtered + change);
}

/**
 * can_rcvlist_insert() - insert a receiver
 * @list: list
 * @can_id: identifier, with CAN_INV_FILTER to invert the filter
 * @mask: bits of the identifier to compare; with CAN_ERR_FLAG, a mask of error
 *	classes
 * @func: called for each frame that matches
 * @data: argument of @func
 * @ident: name of the protocol, for /proc; must stay valid
 * @sk: socket that @func uses, or NULL; must stay valid until the receiver is
 *	removed
 *
 * A frame that is delivered concurrently may or may not reach the new receiver.
 *
 * Context: Process context, under the lock of the list's owner; may sleep, does
 * not wait for readers.
 * Return: 0 or -ENOMEM. Nothing changes on error.
 */
int can_rcvlist_insert(struct can_rcvlist *list, canid_t can_id, canid_t mask,
		       void (*func)(struct sk_buff *skb, void *data),
		       void *data, char *ident, struct sock *sk)
{
	enum can_rcv_class class = rcvlist_classify(&can_id, &mask);
	struct receiver *rcv = kmem_cache_zalloc(rcvlist_cache,
						 list->gfp | GFP_KERNEL);
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

	err = rcvlist_insert_class(list, class, rcv);
	if (err) {
		kmem_cache_free(rcvlist_cache, rcv);
		return err;
	}
	can_rcv_hash_add(&list->receivers, &rcv->hash_node,
			 rcvlist_receiver_node_hash);
	rcvlist_count_receivers(list, class, 1);
	return 0;
}
EXPORT_SYMBOL_GPL(can_rcvlist_insert);

static void rcvlist_free_receiver_rcu(struct rcu_head *head)
{
	struct receiver *rcv = container_of(head, struct receiver, rcu);
	struct sock *sk = rcv->sk;

	kmem_cache_free(rcvlist_cache, rcv);
	if (sk)
		sock_put(sk);
}

/**
 * can_rcvlist_remove() - remove a receiver
 * @list: list
 * @can_id: as passed to can_rcvlist_insert()
 * @mask: as passed to can_rcvlist_insert()
 * @func: as passed to can_rcvlist_insert()
 * @data: as passed to can_rcvlist_insert()
 *
 * The newest of several equal receivers is removed. @func may run and be called
 * until an RCU grace period is over. The socket is referenced until then.
 *
 * Context: Process context, under the lock of the list's owner; may sleep.
 * Return: false if there is no such receiver.
 */
bool can_rcvlist_remove(struct can_rcvlist *list, canid_t can_id, canid_t mask,
			void (*func)(struct sk_buff *skb, void *data),
			void *data)
{
	enum can_rcv_class class = rcvlist_classify(&can_id, &mask);
	struct receiver *rcv = rcvlist_find_receiver(list, class, can_id, mask,
						     func, data);

	if (!rcv)
		return false;
	can_rcv_hash_del(&list->receivers, &rcv->hash_node,
			 rcvlist_receiver_node_hash);
	if (class == CAN_RCV_FIL)
		rcvlist_remove_masked(list, rcv);
	else if (class == CAN_RCV_EFF)
		rcvlist_remove_eff(list, rcv);
	else
		hlist_del_rcu(&rcv->list_node);
	rcvlist_count_receivers(list, class, -1);

	if (rcv->sk)
		sock_hold(rcv->sk);
	call_rcu(&rcv->rcu, rcvlist_free_receiver_rcu);
	return true;
}
EXPORT_SYMBOL_GPL(can_rcvlist_remove);

/**
 * can_rcvlist_exchange() - replace the callback argument of a receiver
 * @list: list
 * @can_id: as passed to can_rcvlist_insert()
 * @mask: as passed to can_rcvlist_insert()
 * @func: as passed to can_rcvlist_insert()
 * @data: as passed to can_rcvlist_insert()
 * @new: new argument of @func; no other receiver with this filter and function
 *	has it
 *
 * The receiver keeps its position. A frame that is delivered concurrently
 * reaches @func once, with @data or with @new. Calls with @data may run until
 * an RCU grace period is over.
 *
 * Context: Process context, under the lock of the list's owner; may sleep.
 * Return: false if there is no such receiver.
 */
bool can_rcvlist_exchange(struct can_rcvlist *list, canid_t can_id,
			  canid_t mask,
			  void (*func)(struct sk_buff *skb, void *data),
			  void *data, void *new)
{
	enum can_rcv_class class = rcvlist_classify(&can_id, &mask);
	struct receiver *rcv = rcvlist_find_receiver(list, class, can_id, mask,
						     func, data);

	if (!rcv)
		return false;
	can_rcv_hash_del(&list->receivers, &rcv->hash_node,
			 rcvlist_receiver_node_hash);
	/* Pairs with the address dependency of READ_ONCE(rcv->data) in
	 * rcvlist_call(): the data of @new are initialized before readers see
	 * the pointer.
	 */
	smp_store_release(&rcv->data, new);
	can_rcv_hash_add(&list->receivers, &rcv->hash_node,
			 rcvlist_receiver_node_hash);
	return true;
}
EXPORT_SYMBOL_GPL(can_rcvlist_exchange);

static void rcvlist_free_receivers(struct hlist_head *head)
{
	struct hlist_node *next;
	struct receiver *rcv;

	hlist_for_each_entry_safe(rcv, next, head, hash_node)
		kmem_cache_free(rcvlist_cache, rcv);
	cond_resched();
}

static void rcvlist_free_masks(struct hlist_head *head)
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
 * can_rcvlist_set_owner() - set owner and memory accounting of a list
 * @list: empty list
 * @owner: see struct can_rcvlist
 * @gfp: __GFP_ACCOUNT or 0
 *
 * A zeroed list has no owner, and its memory is not accounted.
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
 * can_rcvlist_retire() - end all changes of a list
 * @list: only read from now on, then freed by can_rcvlist_clear()
 *
 * Context: Process context, under the lock of the list's owner.
 */
void can_rcvlist_retire(struct can_rcvlist *list)
{
	struct can_rcv_table *table;
	struct hlist_node *next;

	hlist_for_each_entry_safe(table, next, &list->resizing, resize_node)
		rcvlist_stop_resizing(list, table);
	list->owner = NULL;
}
EXPORT_SYMBOL_GPL(can_rcvlist_retire);

/**
 * can_rcvlist_clear() - free all receivers
 * @list: list without readers, whose receivers have no sockets. It has no
 *	owner, or no tables to be resized (can_rcvlist_retire())
 *
 * Context: Process context, may sleep.
 */
void can_rcvlist_clear(struct can_rcvlist *list)
{
	can_rcv_hash_for_each(&list->receivers, rcvlist_free_receivers);
	can_rcv_hash_for_each(&list->masks, rcvlist_free_masks);
	if (rcvlist_eff_table(list))
		can_rcv_table_free(rcvlist_eff_table(list));
	can_rcv_hash_clear(&list->receivers);
	can_rcv_hash_clear(&list->masks);
	memset(list, 0, sizeof(*list));
}
EXPORT_SYMBOL_GPL(can_rcvlist_clear);

static bool rcvlist_heads_empty(const struct hlist_head *head,
				unsigned int count)
{
	while (count--)
		if (!hlist_empty(head++))
			return false;
	return true;
}

/**
 * can_rcvlist_empty() - is there no receiver of a class?
 * @list: list
 * @class: class
 *
 * Context: Any context, under rcu_read_lock().
 * Return: true if there is none.
 */
bool can_rcvlist_empty(const struct can_rcvlist *list,
		       enum can_rcv_class class)
{
	if (class == CAN_RCV_SFF)
		return rcvlist_heads_empty(list->sff, ARRAY_SIZE(list->sff));
	return hlist_empty(&list->lists[class]);
}
EXPORT_SYMBOL_IF_KUNIT(can_rcvlist_empty);

static void rcvlist_show(const struct hlist_head *head,
			 void (*show)(const struct receiver *, void *),
			 void *arg)
{
	struct receiver *rcv;

	hlist_for_each_entry_rcu(rcv, head, list_node)
		show(rcv, arg);
}

/**
 * can_rcvlist_for_each() - call a function for each receiver of a class
 * @list: list
 * @class: class
 * @show: called for each receiver, the newest first; for CAN_RCV_SFF, by
 *	identifier. Must not sleep
 * @arg: argument of @show
 *
 * Context: Any context, under rcu_read_lock().
 */
void can_rcvlist_for_each(const struct can_rcvlist *list,
			  enum can_rcv_class class,
			  void (*show)(const struct receiver *rcv, void *arg),
			  void *arg)
{
	unsigned int i;

	if (class != CAN_RCV_SFF) {
		rcvlist_show(&list->lists[class], show, arg);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(list->sff); i++)
		rcvlist_show(&list->sff[i], show, arg);
}
EXPORT_SYMBOL_IF_KUNIT(can_rcvlist_for_each);

/**
 * can_rcv_owner_init() - initialize the owner of lists
 * @owner: owner
 * @resize: work function: takes the lock and calls can_rcv_owner_resize()
 * @held: does the caller hold the lock? For lockdep only
 *
 * can_rcv_owner.hold is NULL afterwards.
 *
 * Context: Any context.
 */
void can_rcv_owner_init(struct can_rcv_owner *owner, work_func_t resize,
			bool (*held)(const struct can_rcv_owner *owner))
{
	owner->held = held;
	owner->hold = NULL;
	INIT_RCU_WORK(&owner->resize, resize);
	INIT_HLIST_HEAD(&owner->resizing);
}
EXPORT_SYMBOL_GPL(can_rcv_owner_init);

/**
 * can_rcv_owner_exit() - wait for the work of an owner
 * @owner: owner that has no lists with receivers; may be freed afterwards
 *
 * Context: Process context, without the lock of the owner, which the work
 *	takes; may wait for an RCU grace period.
 */
void can_rcv_owner_exit(struct can_rcv_owner *owner)
{
	flush_rcu_work(&owner->resize);
}
EXPORT_SYMBOL_GPL(can_rcv_owner_exit);

/**
 * can_rcv_owner_resize() - resize the tables that could not be resized before
 * @owner: owner of the lists
 *
 * Context: Process context, under the lock of the owner; may sleep.
 */
void can_rcv_owner_resize(struct can_rcv_owner *owner)
{
	struct hlist_node *next_list, *next;
	struct can_rcv_table *table;
	struct can_rcvlist *list;

	hlist_for_each_entry_safe(list, next_list, &owner->resizing,
				  resize_node)
		hlist_for_each_entry_safe(table, next, &list->resizing,
					  resize_node) {
			rcvlist_resize_table(list, table);
			cond_resched();
		}
	if (!hlist_empty(&owner->resizing))
		rcvlist_queue_resize(owner);
}
EXPORT_SYMBOL_GPL(can_rcv_owner_resize);

/* Module initialization. Return: 0 or -ENOMEM. */
int can_rcvlist_init(void)
{
	rcvlist_seed = get_random_u32();
	rcvlist_wq = alloc_workqueue("can_rcvlist", WQ_UNBOUND, 0);
	if (!rcvlist_wq)
		return -ENOMEM;
	rcvlist_cache = kmem_cache_create("can_receiver",
					  sizeof(struct receiver), 0, 0, NULL);
	if (!rcvlist_cache) {
		destroy_workqueue(rcvlist_wq);
		return -ENOMEM;
	}
	return 0;
}

/* Module exit, without receivers: waits for those that are being freed, and for
 * work, which queue_rcu_work() queues in an RCU callback.
 */
void can_rcvlist_exit(void)
{
	rcu_barrier();
	destroy_workqueue(rcvlist_wq);
	kmem_cache_destroy(rcvlist_cache);
}
