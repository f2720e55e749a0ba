// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * KUnit suite of the lists of CAN receive filters.
 *
 * The reference is a naive list of the same filters that gives the expected
 * sequence of calls for a frame. A case delivers one frame to one set of
 * filters and compares the whole sequence. Filters and frames are
 * pseudo-random. A failure prints the seed; the parameter "seed" of the module
 * sets another one.
 *
 * Only the checks of sizes and of memory access members of a list.
 */
#include <kunit/test.h>
#include <linux/bottom_half.h>
#include <linux/can.h>
#include <linux/completion.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/lockdep.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <net/sock.h>

#include "fail_nth.h"
#include "is_freed.h"
#include "rcvhash.h"
#include "rcvlist.h"
#include "rcvtable.h"

/* Maximum number of filters of a test case */
#define MAX_FILTERS 65536

/* Limit for a hash; and for a table, as soon as an RCU grace period is over */
#define MAX_PER_BUCKET 4

#define FLAGS (CAN_EFF_FLAG | CAN_RTR_FLAG)
#define ONE_SFF (CAN_SFF_MASK | FLAGS)
#define ONE_EFF (CAN_EFF_MASK | FLAGS)
#define CLASSES (CAN_RCV_SFF + 1)

static unsigned long first_seed = 20241117;
module_param_named(seed, first_seed, ulong, 0444);
MODULE_PARM_DESC(seed, "where the pseudo-random numbers of a test begin");

static char ident[6] = "kunit";

/**
 * struct filter - a receiver in the reference
 * @node: in rig.filters
 * @index: in rig.inserted
 * @can_id: as inserted
 * @mask: as inserted
 * @cb: number of function and data
 * @class: class
 * @bits: bits of a frame that are compared
 * @calls: expected number of calls
 */
struct filter {
	struct list_head node;
	unsigned int index;
	canid_t can_id;
	canid_t mask;
	u32 cb;
	enum can_rcv_class class;
	canid_t bits;
	u32 calls;
};

/**
 * struct shown - a receiver as shown in /proc
 * @can_id: as it is compared
 * @mask: as it is compared
 * @cb: number of function and data
 * @calls: number of calls
 */
struct shown {
	canid_t can_id;
	canid_t mask;
	u32 cb;
	u32 calls;
};

/**
 * struct rig - a list and its reference
 * @test: test case
 * @lock: serializes writers of the list
 * @owner: owner of the list
 * @list: list under test
 * @filters: reference, the newest filter first
 * @pool: memory for filters, in the order of first use
 * @inserted: the first @count filters are in the list, the others are unused
 * @hits: filters that a frame matches, the newest first
 * @count: number of filters in the list
 * @skb: frame
 * @expected: expected calls
 * @nr_expected: number of entries of @expected
 * @called: calls
 * @calls: number of calls
 * @shown: receivers of a class; from MAX_FILTERS on, those of the reference
 * @nr_shown: number of receivers
 * @rnd: state of the pseudo-random numbers
 * @seed: seed of @rnd
 * @cases: number of frames compared
 * @turn: completed with each call to wake up a writer, or NULL
 * @probe: frame to deliver when the list next asks whether its lock is held; or
 *	0
 * @probed: @probe has been delivered
 */
struct rig {
	struct kunit *test;
	struct mutex lock;	/* of writers */
	struct can_rcv_owner owner;
	struct can_rcvlist *list;
	struct list_head filters;
	struct filter *pool;
	struct filter **inserted;
	struct filter **hits;
	unsigned int count;
	struct sk_buff *skb;
	u32 *expected;
	unsigned int nr_expected;
	u32 *called;
	unsigned int calls;
	struct shown *shown;
	unsigned int nr_shown;
	struct rnd_state rnd;
	u64 seed;
	unsigned int cases;
	struct completion *turn;
	canid_t probe;
	bool probed;
};

static unsigned long cases_in_all;

/* Pseudo-random numbers */

static u32 random_u32(struct rig *rig)
{
	return prandom_u32_state(&rig->rnd);
}

static u32 random(struct rig *rig, u32 limit)
{
	return (u64)random_u32(rig) * limit >> 32;
}

static bool one_in(struct rig *rig, u32 number)
{
	return !random(rig, number);
}

/* Receivers: two functions with a number as data */

static void wake_writer(struct rig *rig)
{
	if (rig->turn)
		complete(rig->turn);
}

static void record(struct sk_buff *skb, u32 cb)
{
	struct rig *rig = *(struct rig **)skb->cb;

	if (rig->calls < MAX_FILTERS)
		rig->called[rig->calls] = cb;
	rig->calls++;
	wake_writer(rig);
}

static void receive_even(struct sk_buff *skb, void *data)
{
	record(skb, 2 * (unsigned long)data);
}

static void receive_odd(struct sk_buff *skb, void *data)
{
	record(skb, 2 * (unsigned long)data + 1);
}

typedef void (*receive_t)(struct sk_buff *skb, void *data);

static receive_t func_of(u32 cb)
{
	return cb % 2 ? receive_odd : receive_even;
}

static void *data_of(u32 cb)
{
	return (void *)(unsigned long)(cb / 2);
}

static u32 cb_of(const struct receiver *rcv)
{
	return 2 * (unsigned long)rcv->data + (rcv->func == receive_odd);
}

/* The reference */

/* A standard identifier has 11 bits, even if the mask has more. */
static canid_t bits_compared(const struct filter *f)
{
	if (f->mask & CAN_ERR_FLAG)
		return f->mask & CAN_ERR_MASK;
	if (f->mask & CAN_EFF_FLAG && !(f->can_id & CAN_EFF_FLAG))
		return f->mask & ~(CAN_EFF_MASK ^ CAN_SFF_MASK);
	return f->mask;
}

static enum can_rcv_class class_of(const struct filter *f)
{
	canid_t flags = f->can_id & FLAGS;

	if (f->mask & CAN_ERR_FLAG)
		return CAN_RCV_ERR;
	if (f->can_id & CAN_INV_FILTER)
		return CAN_RCV_INV;
	if (f->bits == 0)
		return CAN_RCV_ALL;
	if (f->bits == ONE_SFF && flags == 0)
		return CAN_RCV_SFF;
	if (f->bits == ONE_EFF && flags == CAN_EFF_FLAG)
		return CAN_RCV_EFF;
	return CAN_RCV_FIL;
}

static struct filter make_filter(canid_t can_id, canid_t mask, u32 cb)
{
	struct filter f = { .can_id = can_id, .mask = mask, .cb = cb };

	f.bits = bits_compared(&f);
	f.class = class_of(&f);
	return f;
}

/* The identifier that /proc shows; for an error filter, as inserted */
static canid_t shown_id(const struct filter *f)
{
	return f->class == CAN_RCV_ERR ? f->can_id : f->can_id & f->bits;
}

static bool filters_equal(const struct filter *f, const struct filter *g)
{
	return f->cb == g->cb && f->bits == g->bits &&
	       f->class == g->class && shown_id(f) == shown_id(g);
}

static bool filter_matches(const struct filter *f, canid_t frame)
{
	bool same = !((frame ^ f->can_id) & f->bits);

	if (frame & CAN_ERR_FLAG)
		return f->class == CAN_RCV_ERR && frame & f->bits;
	switch (f->class) {
	case CAN_RCV_ERR:
		return false;
	case CAN_RCV_INV:
		return !same;
	default:
		return same;
	}
}

/* Classes in the order of delivery; no frame matches both classes of rank 0. */
static const unsigned int rank[CLASSES] = {
	[CAN_RCV_ERR] = 0,
	[CAN_RCV_ALL] = 0,
	[CAN_RCV_FIL] = 1,
	[CAN_RCV_INV] = 2,
	[CAN_RCV_EFF] = 3,
	[CAN_RCV_SFF] = 3,
};

static void expect_calls(struct rig *rig, canid_t frame)
{
	unsigned int hits = 0, i, r;
	struct filter *f;

	list_for_each_entry(f, &rig->filters, node) {
		if (!filter_matches(f, frame))
			continue;
		rig->hits[hits++] = f;
		f->calls++;
	}
	rig->nr_expected = 0;
	for (r = 0; r <= rank[CAN_RCV_SFF]; r++)
		for (i = 0; i < hits; i++)
			if (rank[rig->hits[i]->class] == r)
				rig->expected[rig->nr_expected++] =
					rig->hits[i]->cb;
}

static void ref_add(struct rig *rig, struct filter new)
{
	struct filter *f = rig->inserted[rig->count];

	*f = new;
	f->index = rig->count++;
	list_add(&f->node, &rig->filters);
}

static void ref_del(struct rig *rig, struct filter *f)
{
	struct filter *last = rig->inserted[--rig->count];

	list_del(&f->node);
	rig->inserted[f->index] = last;
	rig->inserted[rig->count] = f;
	last->index = f->index;
}

static struct filter *ref_find_newest(struct rig *rig,
				      const struct filter *like)
{
	struct filter *f;

	list_for_each_entry(f, &rig->filters, node)
		if (filters_equal(f, like))
			return f;
	return NULL;
}

/* Writers of the list */

static int list_insert(struct rig *rig, canid_t can_id, canid_t mask, u32 cb)
{
	guard(mutex)(&rig->lock);
	return can_rcvlist_insert(rig->list, can_id, mask, func_of(cb),
				  data_of(cb), ident, NULL);
}

static bool list_remove(struct rig *rig, canid_t can_id, canid_t mask, u32 cb)
{
	guard(mutex)(&rig->lock);
	return can_rcvlist_remove(rig->list, can_id, mask, func_of(cb),
				  data_of(cb));
}

static bool list_exchange(struct rig *rig, canid_t can_id, canid_t mask,
			  u32 cb, u32 new)
{
	guard(mutex)(&rig->lock);
	return can_rcvlist_exchange(rig->list, can_id, mask, func_of(cb),
				    data_of(cb), data_of(new));
}

static bool list_is_resizing(struct rig *rig)
{
	guard(mutex)(&rig->lock);
	return !hlist_empty(&rig->owner.resizing);
}

/* Wait until all tables have their final size. */
static void finish_resizing(struct rig *rig)
{
	while (list_is_resizing(rig))
		flush_rcu_work(&rig->owner.resize);
}

static int rig_deliver(struct rig *rig, canid_t frame)
{
	int count;

	((struct can_frame *)rig->skb->data)->can_id = frame;
	rig->calls = 0;
	local_bh_disable();
	rcu_read_lock();
	count = can_rcvlist_deliver(rig->list, rig->skb);
	rcu_read_unlock();
	local_bh_enable();
	return count;
}

/* A writer asks this during a change: a frame may be received then. */
static bool rig_held(const struct can_rcv_owner *owner)
{
	struct rig *rig = container_of((struct can_rcv_owner *)owner,
				       struct rig, owner);

	if (rig->probe) {
		rig_deliver(rig, rig->probe);
		rig->probe = 0;
		rig->probed = true;
	}
	return !IS_ENABLED(CONFIG_LOCKDEP) || lockdep_is_held(&rig->lock);
}

static void rig_resize(struct work_struct *work)
{
	struct rig *rig = container_of(to_rcu_work(work), struct rig,
				       owner.resize);

	guard(mutex)(&rig->lock);
	can_rcv_owner_resize(&rig->owner);
}

/* Changes of list and reference */

static int try_insert(struct rig *rig, canid_t can_id, canid_t mask, u32 cb)
{
	int err = list_insert(rig, can_id, mask, cb);

	if (!err)
		ref_add(rig, make_filter(can_id, mask, cb));
	return err;
}

static void rig_insert(struct rig *rig, canid_t can_id, canid_t mask, u32 cb)
{
	KUNIT_ASSERT_EQ(rig->test, 0, try_insert(rig, can_id, mask, cb));
}

static void insert_filter(struct rig *rig, struct filter f)
{
	rig_insert(rig, f.can_id, f.mask, f.cb);
}

/* @f is the newest of equal filters. */
static void remove_filter(struct rig *rig, struct filter *f)
{
	KUNIT_ASSERT_TRUE_MSG(rig->test,
			      list_remove(rig, f->can_id, f->mask, f->cb),
			      "seed %llu, case %u: filter %08X, mask %08X is not found\n",
			      rig->seed, rig->cases, f->can_id, f->mask);
	ref_del(rig, f);
}

/* Return: true if there was such a filter, in the list and in the reference. */
static bool rig_remove(struct rig *rig, canid_t can_id, canid_t mask, u32 cb)
{
	struct filter like = make_filter(can_id, mask, cb);
	struct filter *f = ref_find_newest(rig, &like);

	if (f)
		remove_filter(rig, f);
	else
		KUNIT_ASSERT_FALSE_MSG(rig->test,
				       list_remove(rig, can_id, mask, cb),
				       "seed %llu, case %u: filter %08X, mask %08X was not inserted\n",
				       rig->seed, rig->cases, can_id, mask);
	return !!f;
}

/* Replace the data of the newest of equal filters. Return: true if there was
 * such a filter, in the list and in the reference.
 */
static bool rig_exchange(struct rig *rig, canid_t can_id, canid_t mask, u32 cb,
			 u32 new)
{
	struct filter like = make_filter(can_id, mask, cb);
	struct filter *f = ref_find_newest(rig, &like);
	bool exchanged;

	exchanged = list_exchange(rig, can_id, mask, cb, new);
	KUNIT_ASSERT_EQ_MSG(rig->test, exchanged, !!f,
			    "seed %llu, case %u: filter %08X, mask %08X\n",
			    rig->seed, rig->cases, can_id, mask);
	if (f)
		f->cb = new;
	return f;
}

static void report_calls(struct rig *rig, canid_t frame, int count)
{
	unsigned int i = 0, common = min(rig->nr_expected, rig->calls);

	while (i < common && rig->called[i] == rig->expected[i])
		i++;
	kunit_err(rig->test, "call %u differs: %d instead of %d\n", i,
		  i < rig->calls ? (int)rig->called[i] : -1,
		  i < rig->nr_expected ? (int)rig->expected[i] : -1);
	KUNIT_FAIL_AND_ABORT(rig->test,
			     "seed %llu, case %u: frame %08X for %u filters makes %u calls instead of %u, and counts %d\n",
			     rig->seed, rig->cases, frame, rig->count,
			     rig->calls, rig->nr_expected, count);
}

/* Compare the calls for one frame. */
static void rig_compare(struct rig *rig, canid_t frame)
{
	int count = rig_deliver(rig, frame);

	expect_calls(rig, frame);
	if (rig->calls != rig->nr_expected || rig->calls != count ||
	    memcmp(rig->called, rig->expected, count * sizeof(u32)))
		report_calls(rig, frame, count);
	rig->cases++;
}

/* Receivers by class */

static void rig_show(const struct receiver *rcv, void *arg)
{
	struct rig *rig = arg;

	if (rig->nr_shown < MAX_FILTERS && rcv->ident == ident && !rcv->sk)
		rig->shown[rig->nr_shown] = (struct shown){
			.can_id = rcv->can_id,
			.mask = rcv->mask,
			.cb = cb_of(rcv),
			.calls = atomic_long_read(&rcv->matches),
		};
	rig->nr_shown++;
	wake_writer(rig);
}

static bool show_class(struct rig *rig, enum can_rcv_class class)
{
	bool empty;

	rig->nr_shown = 0;
	rcu_read_lock();
	can_rcvlist_for_each(rig->list, class, rig_show, rig);
	empty = can_rcvlist_empty(rig->list, class);
	rcu_read_unlock();
	return empty;
}

static unsigned int expect_class(struct rig *rig, enum can_rcv_class class,
				 struct shown *to)
{
	unsigned int count = 0;
	struct filter *f;

	list_for_each_entry(f, &rig->filters, node)
		if (f->class == class)
			to[count++] = (struct shown){
				.can_id = shown_id(f),
				.mask = f->bits,
				.cb = f->cb,
				.calls = f->calls,
			};
	return count;
}

static int compare_shown(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct shown));
}

/* Receivers are shown in the order of delivery; in CAN_RCV_SFF, by identifier.
 */
static bool shown_as_expected(struct rig *rig, enum can_rcv_class class,
			      unsigned int count)
{
	struct shown *expected = &rig->shown[MAX_FILTERS];

	if (class != CAN_RCV_SFF)
		return !memcmp(rig->shown, expected, count * sizeof(*expected));
	sort(expected, count, sizeof(*expected), compare_shown, NULL);
	sort(rig->shown, count, sizeof(*expected), compare_shown, NULL);
	return !memcmp(rig->shown, expected, count * sizeof(*expected));
}

static void compare_class(struct rig *rig, enum can_rcv_class class)
{
	unsigned int count = expect_class(rig, class, &rig->shown[MAX_FILTERS]);
	bool empty = show_class(rig, class);

	KUNIT_ASSERT_EQ_MSG(rig->test, rig->nr_shown, count,
			    "seed %llu, case %u: receivers of class %d\n",
			    rig->seed, rig->cases, class);
	KUNIT_ASSERT_EQ_MSG(rig->test, empty, !count,
			    "seed %llu, case %u: class %d\n",
			    rig->seed, rig->cases, class);
	KUNIT_ASSERT_TRUE_MSG(rig->test, shown_as_expected(rig, class, count),
			      "seed %llu, case %u: class %d shows other receivers\n",
			      rig->seed, rig->cases, class);
}

static void compare_classes(struct rig *rig)
{
	enum can_rcv_class class;

	for (class = 0; class < CLASSES; class++)
		compare_class(rig, class);
}

/* Memory and sizes */

/* An empty list is zeroed, except for its owner and the sequence number. */
static void expect_nothing_left(struct rig *rig)
{
	compare_classes(rig);
	KUNIT_ASSERT_EQ(rig->test, 0, rig->count);
	KUNIT_ASSERT_FALSE(rig->test, list_is_resizing(rig));
	rig->list->seq = 0;
	rig->list->owner = NULL;
	KUNIT_ASSERT_PTR_EQ(rig->test, NULL,
			    memchr_inv(rig->list, 0, sizeof(*rig->list)));
	can_rcvlist_set_owner(rig->list, &rig->owner, 0);
}

static void expect_not_crowded(struct rig *rig, struct can_rcv_table *table)
{
	unsigned int size = can_rcv_table_size(table);

	KUNIT_EXPECT_LE(rig->test, table->entries, size * MAX_PER_BUCKET);
}

static void expect_room(struct rig *rig, struct can_rcv_table *table)
{
	unsigned int size = can_rcv_table_size(table);

	expect_not_crowded(rig, table);
	if (size > 8)
		KUNIT_EXPECT_LE(rig->test, size, 2 * table->entries);
}

static void expect_hash_room(struct rig *rig, const struct can_rcv_hash *hash)
{
	KUNIT_EXPECT_LE(rig->test, hash->entries,
			MAX_PER_BUCKET << hash->bits);
	if (hash->bits > 6)
		KUNIT_EXPECT_GE(rig->test, hash->entries,
				(1 << hash->bits) / 4);
	KUNIT_EXPECT_EQ(rig->test, !hash->bucket, !hash->bits);
}

static unsigned int listed_with(struct rig *rig, canid_t mask)
{
	unsigned int count = 0;
	struct receiver *rcv;

	rcu_read_lock();
	hlist_for_each_entry_rcu(rcv, &rig->list->listed, node[0])
		count += rcv->mask == mask;
	rcu_read_unlock();
	return count;
}

/* Few receivers of each mask are compared one by one. */
static void expect_few_listed(struct rig *rig)
{
	unsigned int i;

	for (i = 0; i < rig->count; i++)
		KUNIT_EXPECT_LE(rig->test,
				listed_with(rig, rig->inserted[i]->bits),
				CAN_RCV_LISTED);
}

static void check_tables(struct rig *rig,
			 void (*check)(struct rig *rig,
				       struct can_rcv_table *table))
{
	struct can_rcv_table *table;

	finish_resizing(rig);
	rcu_read_lock();
	hlist_for_each_entry_rcu(table, &rig->list->tables, node)
		check(rig, table);
	table = rcu_dereference(rig->list->eff);
	if (table)
		check(rig, table);
	rcu_read_unlock();
}

/* While no receiver has been removed, tables and hashes are large enough. */
static void expect_enough_room(struct rig *rig)
{
	check_tables(rig, expect_room);
	expect_hash_room(rig, &rig->list->receivers);
	expect_hash_room(rig, &rig->list->masks);
	KUNIT_EXPECT_EQ(rig->test, rig->list->entries, rig->count);
}

/* Frames that match a filter, or nearly do */

static canid_t error_frame(struct rig *rig, canid_t bits)
{
	canid_t subset = bits & random_u32(rig) & random_u32(rig);

	if (one_in(rig, 2))
		return CAN_ERR_FLAG | subset;
	return CAN_ERR_FLAG | (random_u32(rig) & CAN_ERR_MASK);
}

static canid_t similar_frame(struct rig *rig, const struct filter *f)
{
	canid_t frame = (f->can_id & f->bits) | (random_u32(rig) & ~f->bits);

	if (f->class == CAN_RCV_ERR)
		return error_frame(rig, f->bits);
	if (one_in(rig, 4))
		frame ^= BIT(random(rig, 32));
	/* most frames do not set bits that are not compared */
	if (!one_in(rig, 4))
		frame &= f->bits |
			 (one_in(rig, 2) ? CAN_SFF_MASK : CAN_EFF_FLAG);
	/* few standard frames set more than 11 bits */
	if (!(frame & CAN_EFF_FLAG) && !one_in(rig, 8))
		frame &= ~(CAN_EFF_MASK ^ CAN_SFF_MASK);
	return one_in(rig, 16) ? frame : frame & ~CAN_ERR_FLAG;
}

static canid_t arbitrary_frame(struct rig *rig)
{
	canid_t rtr = one_in(rig, 4) ? CAN_RTR_FLAG : 0;

	switch (random(rig, 5)) {
	case 0:
		return error_frame(rig, CAN_ERR_MASK);
	case 1: /* CAN XL: priority and VCID */
		return (random_u32(rig) & CANXL_PRIO_MASK) |
		       random(rig, 4) << CANXL_VCID_OFFSET;
	case 2:
		return random_u32(rig);
	case 3:
		return (random_u32(rig) & CAN_SFF_MASK) | rtr;
	default:
		return (random_u32(rig) & CAN_EFF_MASK) | CAN_EFF_FLAG | rtr;
	}
}

static canid_t random_frame(struct rig *rig)
{
	if (!rig->count || one_in(rig, 8))
		return arbitrary_frame(rig);
	return similar_frame(rig, rig->inserted[random(rig, rig->count)]);
}

static void compare_random(struct rig *rig, unsigned int frames)
{
	while (frames--)
		rig_compare(rig, random_frame(rig));
}

static void remove_random(struct rig *rig)
{
	struct filter f = *rig->inserted[random(rig, rig->count)];

	KUNIT_ASSERT_TRUE(rig->test, rig_remove(rig, f.can_id, f.mask, f.cb));
}

static void drain(struct rig *rig, unsigned int frames)
{
	while (rig->count) {
		remove_random(rig);
		if (rig->count % 4 == 0)
			compare_random(rig, frames);
	}
	expect_nothing_left(rig);
}

static int rcvlist_test_init(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	unsigned int i;

	if (!rig)
		return -ENOMEM;
	test->priv = rig;
	rig->test = test;
	rig->seed = first_seed + test->param_index;
	prandom_seed_state(&rig->rnd, rig->seed);
	INIT_LIST_HEAD(&rig->filters);

	mutex_init(&rig->lock);
	can_rcv_owner_init(&rig->owner, rig_resize, rig_held);
	rig->list = kvzalloc(sizeof(*rig->list), GFP_KERNEL);
	rig->pool = kvcalloc(MAX_FILTERS, sizeof(*rig->pool), GFP_KERNEL);
	rig->inserted = kvcalloc(MAX_FILTERS, sizeof(*rig->inserted),
				 GFP_KERNEL);
	rig->hits = kvcalloc(MAX_FILTERS, sizeof(*rig->hits), GFP_KERNEL);
	rig->expected = kvcalloc(MAX_FILTERS, sizeof(*rig->expected),
				 GFP_KERNEL);
	rig->called = kvcalloc(MAX_FILTERS, sizeof(*rig->called), GFP_KERNEL);
	rig->shown = kvcalloc(2 * MAX_FILTERS, sizeof(*rig->shown), GFP_KERNEL);
	rig->skb = alloc_skb(sizeof(struct can_frame), GFP_KERNEL);
	if (!rig->list || !rig->pool || !rig->inserted || !rig->hits ||
	    !rig->expected || !rig->called || !rig->shown || !rig->skb)
		return -ENOMEM;

	can_rcvlist_set_owner(rig->list, &rig->owner, 0);
	for (i = 0; i < MAX_FILTERS; i++)
		rig->inserted[i] = &rig->pool[i];
	skb_put_zero(rig->skb, sizeof(struct can_frame));
	*(struct rig **)rig->skb->cb = rig;
	return 0;
}

static void rcvlist_test_exit(struct kunit *test)
{
	struct rig *rig = test->priv;

	if (!rig)
		return;
	finish_resizing(rig);
	can_rcv_owner_exit(&rig->owner);
	cases_in_all += rig->cases;
	kfree_skb(rig->skb);
	kvfree(rig->shown);
	kvfree(rig->called);
	kvfree(rig->expected);
	kvfree(rig->hits);
	kvfree(rig->inserted);
	kvfree(rig->pool);
	/* a broken list may still be in use */
	if (test->status != KUNIT_FAILURE)
		kvfree(rig->list);
	rcu_barrier();
}

static void rcvlist_test_report(struct kunit_suite *suite)
{
	kunit_info(suite, "%lu frames compared\n", cases_in_all);
	rcu_barrier();
}

/* Classes */

static const struct class_case {
	const char *name;
	canid_t can_id;
	canid_t mask;
	enum can_rcv_class class;
	canid_t value;
	canid_t bits;
} class_cases[] = {
	{ "every frame", 0x123, 0, CAN_RCV_ALL },
	{ "one standard identifier", 0x123, ONE_SFF, CAN_RCV_SFF,
	  0x123, ONE_SFF },
	{ "one standard identifier, by a mask for extended ones",
	  0x18fef123, ONE_EFF, CAN_RCV_SFF, 0x123, ONE_SFF },
	{ "one extended identifier", CAN_EFF_FLAG | 0x18fef123, ONE_EFF,
	  CAN_RCV_EFF, CAN_EFF_FLAG | 0x18fef123, ONE_EFF },
	{ "one standard identifier, RTR frames", CAN_RTR_FLAG | 0x123, ONE_SFF,
	  CAN_RCV_FIL, CAN_RTR_FLAG | 0x123, ONE_SFF },
	{ "one extended identifier, RTR frames", FLAGS | 0x123, ONE_EFF,
	  CAN_RCV_FIL, FLAGS | 0x123, ONE_EFF },
	{ "one standard identifier, RTR frames or not", 0x123,
	  CAN_EFF_FLAG | CAN_SFF_MASK, CAN_RCV_FIL, 0x123,
	  CAN_EFF_FLAG | CAN_SFF_MASK },
	{ "one identifier of eleven bits, standard or extended", 0x123,
	  CAN_SFF_MASK, CAN_RCV_FIL, 0x123, CAN_SFF_MASK },
	{ "a range of standard identifiers", 0x123, FLAGS | 0x7f0, CAN_RCV_FIL,
	  0x120, FLAGS | 0x7f0 },
	{ "a J1939 parameter group", CAN_EFF_FLAG | 0x18fef123,
	  FLAGS | 0x3ffff00, CAN_RCV_FIL, CAN_EFF_FLAG | 0xfef100,
	  FLAGS | 0x3ffff00 },
	{ "extended frames", CAN_EFF_FLAG, CAN_EFF_FLAG, CAN_RCV_FIL,
	  CAN_EFF_FLAG, CAN_EFF_FLAG },
	{ "all but one standard identifier", CAN_INV_FILTER | 0x123, ONE_SFF,
	  CAN_RCV_INV, 0x123, ONE_SFF },
	{ "nothing", CAN_INV_FILTER, 0, CAN_RCV_INV },
	{ "errors", 0, CAN_ERR_FLAG | 0x1ff, CAN_RCV_ERR, 0, 0x1ff },
	{ "errors, with all that can be set", CAN_INV_FILTER | FLAGS | 0x123,
	  0xffffffff, CAN_RCV_ERR, CAN_INV_FILTER | FLAGS | 0x123,
	  CAN_ERR_MASK },
};

KUNIT_ARRAY_PARAM_DESC(class_cases, class_cases, name);

static void filter_is_of_its_class(struct kunit *test)
{
	const struct class_case *c = test->param_value;
	struct rig *rig = test->priv;
	enum can_rcv_class class;

	rig_insert(rig, c->can_id, c->mask, 5);
	for (class = 0; class < CLASSES; class++) {
		KUNIT_EXPECT_EQ_MSG(test, show_class(rig, class),
				    class != c->class, "class %d\n", class);
		KUNIT_EXPECT_EQ(test, rig->nr_shown, class == c->class);
		if (!rig->nr_shown)
			continue;
		KUNIT_EXPECT_EQ(test, rig->shown->can_id, c->value);
		KUNIT_EXPECT_EQ(test, rig->shown->mask, c->bits);
		KUNIT_EXPECT_EQ(test, rig->shown->cb, 5);
	}
	drain(rig, 1);
}

static void frame_is_delivered_in_order(struct kunit *test)
{
	static const u32 standard[] = { 15, 8, 13, 10, 3, 2, 7, 6, 14, 5, 1 };
	static const u32 errors[] = { 11, 9 };
	struct rig *rig = test->priv;

	rig_insert(rig, CAN_INV_FILTER | 0x124, ONE_SFF, 6);
	rig_insert(rig, 0x123, ONE_SFF, 1);
	rig_insert(rig, 0x100, 0x700, 2);
	rig_insert(rig, 0x120, 0x7f0, 3);
	rig_insert(rig, CAN_EFF_FLAG | 0x123, ONE_EFF, 4);
	rig_insert(rig, 0x123, ONE_SFF, 5);
	rig_insert(rig, CAN_INV_FILTER | 0x124, ONE_SFF, 7);
	rig_insert(rig, 0, 0, 8);
	rig_insert(rig, 0, CAN_ERR_FLAG | 0x7, 9);
	rig_insert(rig, 0x100, 0x700, 10);
	rig_insert(rig, 0, CAN_ERR_FLAG | 0x4, 11);
	rig_insert(rig, CAN_INV_FILTER | 0x123, ONE_SFF, 12);
	rig_insert(rig, 0x100, 0x700, 13);
	rig_insert(rig, 0x123, ONE_SFF, 14);
	rig_insert(rig, 0, 0, 15);

	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(standard), rig_deliver(rig, 0x123));
	KUNIT_EXPECT_MEMEQ(test, rig->called, standard, sizeof(standard));
	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(errors),
			rig_deliver(rig, CAN_ERR_FLAG | 0x6));
	KUNIT_EXPECT_MEMEQ(test, rig->called, errors, sizeof(errors));
	drain(rig, 1);
}

/* Filters in between tell equal filters apart. */
static void newest_of_equals_is_removed(struct kunit *test)
{
	const struct class_case *c;
	struct rig *rig = test->priv;
	unsigned int i;

	for (c = class_cases; c < class_cases + ARRAY_SIZE(class_cases); c++) {
		for (i = 0; i < 12; i++) {
			rig_insert(rig, c->can_id, c->mask, i % 3);
			compare_random(rig, 8);
		}
		compare_classes(rig);
		for (i = 0; i < 12; i++) {
			KUNIT_ASSERT_TRUE(test, rig_remove(rig, c->can_id,
							   c->mask, i / 4));
			compare_random(rig, 8);
			compare_classes(rig);
		}
		expect_nothing_left(rig);
	}
}

/* Filters of different classes with the same compared identifier and mask */
static void classes_are_distinct(struct kunit *test)
{
	static const struct {
		canid_t can_id;
		canid_t mask;
	} equal[] = {
		{ 0x5, 0x1f },
		{ CAN_INV_FILTER | 0x5, 0x1f },
		{ 0x5, CAN_ERR_FLAG | 0x1f },
		{ 0, 0 },
		{ CAN_INV_FILTER, 0 },
		{ 0, CAN_ERR_FLAG },
	};
	struct rig *rig = test->priv;
	unsigned int first, i, n;

	for (first = 0; first < ARRAY_SIZE(equal); first++) {
		for (i = 0; i < ARRAY_SIZE(equal); i++)
			rig_insert(rig, equal[i].can_id, equal[i].mask, 4);
		for (i = 0; i < ARRAY_SIZE(equal); i++) {
			n = (i + first) % ARRAY_SIZE(equal);
			KUNIT_ASSERT_TRUE(test, rig_remove(rig, equal[n].can_id,
							   equal[n].mask, 4));
			compare_classes(rig);
			compare_random(rig, 16);
			KUNIT_ASSERT_FALSE(test,
					   rig_remove(rig, equal[n].can_id,
						      equal[n].mask, 4));
		}
		expect_nothing_left(rig);
	}
}

/* A receiver whose data is replaced keeps its position and its counter. */
static void exchanged_receiver_keeps_position(struct kunit *test)
{
	struct rig *rig = test->priv;
	const struct class_case *c;
	unsigned int i;

	for (c = class_cases; c < class_cases + ARRAY_SIZE(class_cases); c++) {
		for (i = 0; i < 12; i++) {
			rig_insert(rig, c->can_id, c->mask, i);
			rig_insert(rig, 0x100, 0x700, 100 + i);
		}
		compare_random(rig, 16);
		for (i = 0; i < 12; i++) {
			u32 cb = i * 7 % 12;

			KUNIT_ASSERT_TRUE(test, rig_exchange(rig, c->can_id,
							     c->mask, cb,
							     cb + 200));
			compare_random(rig, 8);
			compare_classes(rig);
			/* the old data is not found any more */
			KUNIT_ASSERT_FALSE(test, rig_exchange(rig, c->can_id,
							      c->mask, cb,
							      cb + 400));
			KUNIT_ASSERT_FALSE(test, rig_remove(rig, c->can_id,
							    c->mask, cb));
		}
		for (i = 0; i < 12; i++) {
			KUNIT_ASSERT_TRUE(test, rig_remove(rig, c->can_id,
							   c->mask, 200 + i));
			compare_random(rig, 8);
		}
		drain(rig, 1);
	}
}

/* Filters that differ in class, mask, identifier, function or data */
static void others_are_not_exchanged(struct kunit *test)
{
	static const struct filter others[] = {
		{ .can_id = CAN_INV_FILTER | 0x5, .mask = 0x1f, .cb = 4 },
		{ .can_id = 0x5, .mask = CAN_ERR_FLAG | 0x1f, .cb = 4 },
		{ .can_id = 0x5, .mask = 0x3f, .cb = 4 },
		{ .can_id = 0x4, .mask = 0x1f, .cb = 4 },
		{ .can_id = 0x5, .mask = 0x1f, .cb = 5 },
		{ .can_id = 0x5, .mask = 0x1f, .cb = 6 },
	};
	struct rig *rig = test->priv;
	const struct filter *f;
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, rig_exchange(rig, 0x5, 0x1f, 4, 14));
	rig_insert(rig, 0x5, 0x1f, 4);
	for (f = others; f < others + ARRAY_SIZE(others); f++)
		KUNIT_EXPECT_FALSE(test, rig_exchange(rig, f->can_id, f->mask,
						      f->cb, f->cb + 10));
	compare_classes(rig);
	for (f = others; f < others + ARRAY_SIZE(others); f++)
		insert_filter(rig, *f);
	KUNIT_EXPECT_TRUE(test, rig_exchange(rig, 0x5, 0x1f, 4, 14));
	compare_classes(rig);
	for (i = ARRAY_SIZE(others); i; i--) {
		f = &others[i - 1];
		KUNIT_EXPECT_TRUE(test, rig_exchange(rig, f->can_id, f->mask,
						     f->cb, f->cb + 20));
		compare_classes(rig);
		compare_random(rig, 16);
	}
	drain(rig, 1);
}

static void socket_stays_until_receiver_is_freed(struct kunit *test)
{
	struct sock *sk = kunit_kzalloc(test, sizeof(*sk), GFP_KERNEL);
	struct rig *rig = test->priv;
	const struct class_case *c;

	KUNIT_ASSERT_NOT_NULL(test, sk);
	refcount_set(&sk->sk_refcnt, 1);
	for (c = class_cases; c < class_cases + ARRAY_SIZE(class_cases); c++) {
		mutex_lock(&rig->lock);
		KUNIT_EXPECT_EQ(test, 0,
				can_rcvlist_insert(rig->list, c->can_id,
						   c->mask, receive_odd, sk,
						   ident, sk));
		KUNIT_EXPECT_EQ(test, 1, refcount_read(&sk->sk_refcnt));
		rcu_read_lock();
		KUNIT_EXPECT_TRUE(test,
				  can_rcvlist_remove(rig->list, c->can_id,
						     c->mask, receive_odd,
						     sk));
		KUNIT_EXPECT_EQ(test, 2, refcount_read(&sk->sk_refcnt));
		rcu_read_unlock();
		mutex_unlock(&rig->lock);
		rcu_barrier();
		KUNIT_EXPECT_EQ(test, 1, refcount_read(&sk->sk_refcnt));
	}
	expect_nothing_left(rig);
}

/* Filters and frames of common protocols, and random ones */

/**
 * struct pattern - pattern of random filters
 * @can_id: bits that are set in each identifier
 * @any_id: bits that are random
 * @mask: bits that are set in each mask
 * @any_mask: bits that are random
 */
struct pattern {
	canid_t can_id;
	canid_t any_id;
	canid_t mask;
	canid_t any_mask;
};

/**
 * struct filter_set - filters that are in a list together
 * @name: name of the test
 * @limit: maximum number of filters
 * @cases: number of frames to compare
 * @pattern: patterns of the filters; without any, those of all other sets
 */
struct filter_set {
	const char *name;
	unsigned int limit;
	unsigned int cases;
	struct pattern pattern[8];
};

static const struct filter_set filter_sets[] = {
	{ "standard identifiers", 96, 100000, {
		{ 0x100, 0x01f, ONE_SFF },
		{ 0, CAN_SFF_MASK, ONE_SFF },
		{ 0x18fef100, 0x01f, ONE_EFF },
	} },
	{ "extended identifiers", 128, 100000, {
		{ CAN_EFF_FLAG | 0x18fef100, 0x1f, ONE_EFF },
		{ CAN_EFF_FLAG | 0x100, CAN_SFF_MASK, ONE_EFF },
		{ CAN_EFF_FLAG, CAN_EFF_MASK, ONE_EFF },
	} },
	{ "ranges", 160, 100000, {
		{ 0, 0x700, FLAGS | 0x700 },
		{ 0, 0x7f0, FLAGS | 0x7f0 },
		{ 0, 0x7ff, 0x700 },
		{ 0x120, 0x7f, 0x7f0 },
		{ 0x120, 0x7f, CAN_SFF_MASK },
		{ 0x580, 0x7f, CAN_EFF_FLAG | 0x780 },
		{ 0x120, 0x7f, CAN_EFF_MASK },
		{ CAN_EFF_FLAG | 0x120, 0x7f, CAN_SFF_MASK },
	} },
	{ "J1939", 160, 100000, {
		{ CAN_EFF_FLAG | 0x18fe0000, 0xc00ff00, FLAGS | 0x3ffff00 },
		{ CAN_EFF_FLAG | 0x18ea0000, 0xff, FLAGS | 0xff },
		{ CAN_EFF_FLAG | 0x18ea0000, 0xffff, FLAGS | 0x3ff0000 },
		{ CAN_EFF_FLAG | 0x18ea0000, 0xff00, FLAGS | 0x3ffff00 },
		{ CAN_EFF_FLAG, 0, FLAGS },
		{ CAN_EFF_FLAG | 0x18fef100, 0xff, ONE_EFF },
	} },
	{ "RTR frames", 160, 100000, {
		{ CAN_RTR_FLAG | 0x100, 0x1f, ONE_SFF },
		{ FLAGS | 0x100, 0x1f, ONE_EFF },
		{ CAN_RTR_FLAG, 0, CAN_RTR_FLAG },
		{ 0, 0, CAN_RTR_FLAG },
		{ 0x100, CAN_RTR_FLAG | 0x1f, CAN_RTR_FLAG | CAN_SFF_MASK },
		{ 0x100, FLAGS | 0x1f, CAN_EFF_FLAG | CAN_SFF_MASK },
		{ 0x100, FLAGS | 0x1f, ONE_SFF },
		{ 0x100, FLAGS | 0x1f, ONE_EFF },
	} },
	{ "error frames", 64, 100000, {
		{ 0, 0, CAN_ERR_FLAG, 0x1ff },
		{ 0, 0x1ff, CAN_ERR_FLAG, CAN_ERR_MASK },
		{ 0, ~0, CAN_ERR_FLAG, ~0 },
		{ 0, 0x3, 0, 0x3 },
		{ 0, CAN_INV_FILTER | 0x3, 0, CAN_ERR_FLAG | 0x3 },
	} },
	{ "without filter", 32, 50000, {
		{ 0, ~0, 0 },
		{ 0, 1, 0 },
		{ 0x123, 0, ONE_SFF },
		{ 0x100, 0, 0x700 },
	} },
	{ "inverted", 64, 100000, {
		{ CAN_INV_FILTER | 0x100, 0x1f, ONE_SFF },
		{ CAN_INV_FILTER | CAN_EFF_FLAG | 0x100, 0x1f, ONE_EFF },
		{ CAN_INV_FILTER, 0x700, 0x700 },
		{ CAN_INV_FILTER, FLAGS, 0, FLAGS },
		{ 0x100, CAN_INV_FILTER | 0x1f, CAN_SFF_MASK },
		{ 0x100, CAN_INV_FILTER | 0x1f, ONE_SFF },
	} },
	{ "tens of masks for one frame", 400, 100000, {
		{ 0x2a5, 0, FLAGS, 0x01f },
		{ 0x2a5, 0, 0x700, 0x003 },
		{ 0x2a5, 0x003, 0x700, 0x0f0 },
	} },
	{ "tens of masks for one extended frame", 800, 50000, {
		{ CAN_EFF_FLAG | 0x18fef1a5, 0, FLAGS, 0x3f00 },
		{ CAN_EFF_FLAG | 0x18fef1a5, 0x3, FLAGS, 0x000f },
		{ CAN_EFF_FLAG | 0x18fef1a5, 0, ONE_EFF },
	} },
	{ "hundreds of a few masks for one frame", 600, 20000, {
		{ 0x2a5, 0x001, FLAGS | 0x700, 0x007 },
		{ 0x2a0, 0x00f, FLAGS | 0x7e0 },
	} },
	{ "random", 160, 100000, {
		{ 0, ~0, 0, ~0 },
		{ 0, ~CAN_INV_FILTER, 0, ~CAN_ERR_FLAG },
		{ 0, 0x7, 0, 0x1f },
		{ 0, FLAGS | 0x7, 0, FLAGS | 0x7 },
		{ 0, FLAGS | 0x3, FLAGS | 0x3, 0x1ffffffc },
	} },
	{ "all of these", 160, 100000 },
};

KUNIT_ARRAY_PARAM_DESC(filter_sets, filter_sets, name);

static struct filter pattern_filter(const struct pattern *pattern, u32 id_bits,
				    u32 mask_bits, u32 cb)
{
	return make_filter(pattern->can_id | (id_bits & pattern->any_id),
			   pattern->mask | (mask_bits & pattern->any_mask), cb);
}

static bool is_used(const struct pattern *pattern)
{
	return memchr_inv(pattern, 0, sizeof(*pattern));
}

static struct filter random_filter(struct rig *rig,
				   const struct filter_set *set)
{
	const struct pattern *pattern;

	while (!is_used(set->pattern))
		set = &filter_sets[random(rig, ARRAY_SIZE(filter_sets))];
	do {
		pattern = &set->pattern[random(rig, ARRAY_SIZE(set->pattern))];
	} while (!is_used(pattern));
	return pattern_filter(pattern, random_u32(rig), random_u32(rig),
			      random(rig, 8));
}

/* Try to remove a filter that differs a little from one in the list. */
static void remove_similar(struct rig *rig)
{
	struct filter f = *rig->inserted[random(rig, rig->count)];

	switch (random(rig, 6)) {
	case 0:
		f.can_id ^= CAN_INV_FILTER;
		break;
	case 1:
		f.mask ^= CAN_ERR_FLAG;
		break;
	case 2:
		f.can_id ^= BIT(random(rig, 32));
		break;
	case 3:
		f.mask ^= BIT(random(rig, 32));
		break;
	default:
		f.cb ^= BIT(random(rig, 3));
	}
	rig_remove(rig, f.can_id, f.mask, f.cb);
}

/* Replace the data of a random filter, by data that no equal filter has. */
static void exchange_random(struct rig *rig)
{
	struct filter f = *rig->inserted[random(rig, rig->count)], like;
	u32 new = (f.cb & 1) | 2 * random(rig, 1000);

	like = f;
	like.cb = new;
	if (!ref_find_newest(rig, &like))
		KUNIT_ASSERT_TRUE(rig->test, rig_exchange(rig, f.can_id, f.mask,
							  f.cb, new));
}

static void rig_change(struct rig *rig, const struct filter_set *set, bool more)
{
	if (!rig->count || more)
		insert_filter(rig, random_filter(rig, set));
	else
		remove_random(rig);
}

static void change_to(struct rig *rig, const struct filter_set *set,
		      unsigned int goal)
{
	while (rig->count != goal) {
		rig_change(rig, set, (rig->count < goal) ^ one_in(rig, 4));
		if (rig->count && one_in(rig, 4))
			remove_similar(rig);
		if (rig->count && one_in(rig, 4))
			exchange_random(rig);
		compare_random(rig, random(rig, 5));
	}
	compare_random(rig, 16);
	compare_classes(rig);
	expect_few_listed(rig);
}

static void frames_reach_their_receivers(struct kunit *test)
{
	const struct filter_set *set = test->param_value;
	struct rig *rig = test->priv;

	while (rig->cases < set->cases) {
		change_to(rig, set, random(rig, 8));
		change_to(rig, set, random(rig, set->limit));
		if (one_in(rig, 4))
			drain(rig, 4);
	}
	drain(rig, 1);
}

/* Many receivers */

/**
 * struct series - filters number 0, 1, 2, ...
 * @name: name of the test
 * @can_id: identifier of the first filter
 * @mask: mask of the first filter
 * @id_step: difference of the identifiers
 * @masks: number of different masks, each one more than the last; 0 for one
 *	mask
 */
struct series {
	const char *name;
	canid_t can_id;
	canid_t mask;
	canid_t id_step;
	unsigned int masks;
};

static struct filter nth_filter(const struct series *series, unsigned int n)
{
	canid_t mask = series->mask;

	if (series->masks)
		mask += n % series->masks;
	return make_filter(series->can_id + n * series->id_step, mask, n);
}

static void insert_nth(struct rig *rig, const struct series *series,
		       unsigned int n)
{
	insert_filter(rig, nth_filter(series, n));
}

/* Series of filters of which some are equal */
static const struct series growing[] = {
	{ "standard identifiers", 0, ONE_SFF, 1 },
	{ "extended identifiers", CAN_EFF_FLAG, ONE_EFF, 1 },
	{ "far extended identifiers", CAN_EFF_FLAG, ONE_EFF, 0x2a0007 },
	{ "identifiers of both kinds", 0, CAN_SFF_MASK, 1 },
	{ "J1939 groups", CAN_EFF_FLAG | 0x18000000, FLAGS | 0x03ffff00,
	  0x100 },
	{ "RTR frames", FLAGS, ONE_EFF, 0x10001 },
};

KUNIT_ARRAY_PARAM_DESC(growing, growing, name);

/* After some synchronize_rcu(), a table may grow immediately. */
static void tables_grow_and_empty(struct kunit *test)
{
	const struct series *series = test->param_value;
	struct rig *rig = test->priv;

	while (rig->count < 5000) {
		insert_nth(rig, series, random(rig, 2000));
		compare_random(rig, rig->count % 4 == 0);
		if (one_in(rig, 512))
			synchronize_rcu();
		if (is_power_of_2(rig->count))
			compare_classes(rig);
	}
	expect_enough_room(rig);
	if (rig->inserted[0]->class == CAN_RCV_FIL)
		KUNIT_EXPECT_EQ(test, CAN_RCV_LISTED,
				listed_with(rig, series->mask));
	compare_classes(rig);
	drain(rig, 1);
}

/* Every receiver is found after its data was replaced. */
static void many_receivers_are_exchanged(struct kunit *test)
{
	const struct series *series = test->param_value;
	struct rig *rig = test->priv;
	unsigned int i, n;

	for (i = 0; i < 2048; i++)
		insert_nth(rig, series, i);
	for (i = 0; i < 2048; i++) {
		n = i * 1021 % 2048;
		KUNIT_ASSERT_TRUE(test, rig_exchange(rig, rig->pool[n].can_id,
						     rig->pool[n].mask, n,
						     n + 2048));
		if (i % 16 == 0)
			compare_random(rig, 4);
	}
	expect_enough_room(rig);
	KUNIT_EXPECT_EQ(test, rig->list->receivers.entries, 2048);
	compare_classes(rig);
	compare_random(rig, 256);
	drain(rig, 1);
}

static const struct series many_series[] = {
	{ "one standard identifier", 0x123, ONE_SFF },
	{ "one extended identifier", CAN_EFF_FLAG | 0x18fef100, ONE_EFF },
	{ "one range", 0x300, FLAGS | 0x700 },
	{ "extended identifiers", CAN_EFF_FLAG, ONE_EFF, 1 },
	{ "J1939 groups", CAN_EFF_FLAG, FLAGS | 0x03ffff00, 0x100 },
	{ "masks", CAN_EFF_FLAG, FLAGS | 1, 0, MAX_FILTERS },
};

KUNIT_ARRAY_PARAM_DESC(many_series, many_series, name);

/* Multiplication by an odd factor permutes the numbers below a power of two. */
static void many_receivers_are_inserted_and_removed(struct kunit *test)
{
	const struct series *series = test->param_value;
	bool equal = !series->id_step && !series->masks;
	struct rig *rig = test->priv;
	unsigned int i;

	for (i = 0; i < MAX_FILTERS; i++) {
		insert_nth(rig, series, equal ? 0 : i);
		if (i % 8192 == 100)
			compare_random(rig, 1);
	}
	expect_enough_room(rig);
	compare_random(rig, 16);
	compare_classes(rig);
	for (i = 0; i < MAX_FILTERS; i++) {
		remove_filter(rig, &rig->pool[equal ? MAX_FILTERS - 1 - i :
					      i * 40503 % MAX_FILTERS]);
		if (i % 8192 == 100)
			compare_random(rig, 1);
	}
	expect_nothing_left(rig);
}

/* The next identifier that shares a bucket with 0, as RTR frames, in 2^@bits */
static canid_t next_in_bucket(canid_t can_id, unsigned int bits)
{
	do {
		can_id++;
	} while (hash_32(can_id | FLAGS, bits) != hash_32(FLAGS, bits));
	return can_id;
}

/* A frame that is received while a table is replaced finds the new receiver in
 * its chain. Then it has to skip so many receivers that delivery continues in
 * the list.
 */
static void frame_arrives_while_a_filter_is_set(struct kunit *test)
{
	canid_t id = 0;
	struct rig *rig = test->priv;
	unsigned int i, n;

	if (!IS_ENABLED(CONFIG_PROVE_RCU))
		kunit_skip(test, "needs CONFIG_PROVE_RCU");
	rig_insert(rig, FLAGS, ONE_EFF & ~1, 0);
	for (n = 1; n < 3 + 8 * MAX_PER_BUCKET; n++) {
		id = next_in_bucket(id, 8);
		rig_insert(rig, id | FLAGS, ONE_EFF, n);
	}
	rig->probe = FLAGS;
	rig_insert(rig, FLAGS, ONE_EFF, n);
	KUNIT_EXPECT_TRUE(test, rig->probed);
	KUNIT_ASSERT_GE(test, rig->calls, 1);
	/* the old receiver is called once; if the new one is called, then
	 * before
	 */
	KUNIT_EXPECT_EQ(test, rig->called[rig->calls - 1], 0);
	for (i = 0; i + 1 < rig->calls; i++)
		KUNIT_EXPECT_EQ(test, rig->called[i], n);
	KUNIT_EXPECT_LE(test, rig->calls, 2);
	rig_compare(rig, FLAGS);
	finish_resizing(rig);
	drain(rig, 1);
}

/* Long chains without matching receivers, followed by many with matching ones:
 * the budget of the index is used up at different points.
 */
static void long_searches_are_aborted(struct kunit *test)
{
	canid_t id = 0;
	struct rig *rig = test->priv;
	unsigned int i, n, bit;

	for (n = 0; n < 1000; n++) {
		id = next_in_bucket(id, 8);
		/* filters for RTR frames are in CAN_RCV_FIL */
		rig_insert(rig, id | FLAGS, ONE_EFF, n);
	}
	for (bit = 0; bit < 16; bit++) {
		for (i = 0; i < 4 << (bit % 8); i++)
			rig_insert(rig, FLAGS, ONE_EFF & ~BIT(bit), n++);
		rig_compare(rig, FLAGS);
		rig_compare(rig, FLAGS | id);
		rig_compare(rig, FLAGS | (id ^ BIT(bit)));
		rig_compare(rig, FLAGS | BIT(bit));
		compare_random(rig, 200);
	}
	finish_resizing(rig);
	compare_random(rig, 1000);
	drain(rig, 4);
}

static void expect_shrunk(struct rig *rig, struct can_rcv_table *table)
{
	KUNIT_EXPECT_LE(rig->test, can_rcv_table_size(table), 1024);
}

/* A table with few receivers left needs little memory. */
static void tables_shrink(struct kunit *test)
{
	const struct series *series = test->param_value;
	struct rig *rig = test->priv;
	unsigned int n;

	for (n = 0; n < 4000; n++)
		insert_nth(rig, series, n);
	expect_enough_room(rig);
	while (rig->count > 10) {
		remove_filter(rig, rig->inserted[random(rig, rig->count)]);
		if (rig->count % 64 == 0)
			compare_random(rig, 4);
	}
	check_tables(rig, expect_shrunk);
	expect_hash_room(rig, &rig->list->receivers);
	compare_random(rig, 64);
	compare_classes(rig);
	for (n = 0; n < 1000; n++)
		insert_nth(rig, series, n);
	check_tables(rig, expect_not_crowded);
	compare_random(rig, 64);
	drain(rig, 1);
}

/**
 * struct slow_reader - a reader that keeps grace periods from ending
 * @begun: completed when it reads
 * @stop: ends the reader
 * @timed_out: it was not stopped in time
 */
struct slow_reader {
	struct completion begun;
	bool stop;
	bool timed_out;
};

static int slow_reader_thread(void *arg)
{
	unsigned long end = jiffies + 15 * HZ;
	struct slow_reader *reader = arg;

	rcu_read_lock();
	complete(&reader->begun);
	while (!READ_ONCE(reader->stop) && time_before(jiffies, end)) {
		/* the only preemption point in user-mode Linux */
		preempt_disable();
		preempt_enable();
	}
	reader->timed_out = !READ_ONCE(reader->stop);
	rcu_read_unlock();
	return 0;
}

static void insert_during_read(struct rig *rig, const struct series *series,
			       unsigned int count)
{
	struct slow_reader reader = {};
	struct task_struct *task;
	unsigned int i;

	init_completion(&reader.begun);
	task = kthread_run(slow_reader_thread, &reader, "can-rcvlist");
	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(task));
	get_task_struct(task);
	wait_for_completion(&reader.begun);
	for (i = 0; i < count; i++)
		insert_nth(rig, series, i);
	KUNIT_EXPECT_TRUE(rig->test, list_is_resizing(rig));
	WRITE_ONCE(reader.stop, true);
	kthread_stop_put(task);
	KUNIT_EXPECT_FALSE_MSG(rig->test, reader.timed_out,
			       "inserting filters waited for a grace period\n");
}

/* Writers do not wait for a grace period. A table that has to wait grows later,
 * without another insertion.
 */
static void tables_grow_without_waiting(struct kunit *test)
{
	const struct series *series = test->param_value;
	struct rig *rig = test->priv;

	if (!IS_ENABLED(CONFIG_PREEMPT_RCU))
		kunit_skip(test, "needs CONFIG_PREEMPT_RCU");
	if (make_filter(series->can_id, series->mask, 0).class == CAN_RCV_SFF)
		kunit_skip(test, "single standard identifiers have no table");

	insert_during_read(rig, series, 4000);
	compare_random(rig, 32);
	expect_enough_room(rig);
	compare_random(rig, 32);
	drain(rig, 1);
}

/* Memory of a cleared list: KASAN tells which memory is free. */

/**
 * struct tracked - memory of a list
 * @at: addresses
 * @count: entries of @at
 */
struct tracked {
	const void **at;
	unsigned int count;
};

#define MAX_TRACKED (2 * MAX_FILTERS)

static void track(struct tracked *tracked, const void *memory)
{
	/* the KASAN shadow of vmalloc memory is freed with it */
	if (memory && !is_vmalloc_addr(memory) && tracked->count < MAX_TRACKED)
		tracked->at[tracked->count++] = memory;
}

static void track_receiver(const struct receiver *rcv, void *arg)
{
	track(arg, rcv);
}

static void track_hash(struct tracked *tracked, const struct can_rcv_hash *hash)
{
	struct hlist_node *node;
	unsigned int i;

	for (i = 0; i < 1 << hash->bits; i++)
		hlist_for_each(node, hash->bits ? &hash->bucket[i] : &hash->one)
			track(tracked, node);
	track(tracked, hash->bucket);
}

static unsigned int track_list(struct tracked *tracked,
			       struct can_rcvlist *list)
{
	struct can_rcv_table *table;
	enum can_rcv_class class;
	unsigned int tables = 0;

	rcu_read_lock();
	for (class = 0; class < CLASSES; class++)
		can_rcvlist_for_each(list, class, track_receiver, tracked);
	hlist_for_each_entry_rcu(table, &list->tables, node) {
		track(tracked, table);
		tables++;
	}
	table = rcu_dereference(list->eff);
	track(tracked, table);
	rcu_read_unlock();
	track_hash(tracked, &list->receivers);
	track_hash(tracked, &list->masks);
	return tables;
}

static void expect_freed(struct rig *rig, struct tracked *tracked)
{
	unsigned int i, left = 0;

	wait_until_freed();
	for (i = 0; i < tracked->count; i++)
		left += IS_ENABLED(CONFIG_KASAN_GENERIC) &&
			!is_freed(tracked->at[i]);
	KUNIT_EXPECT_EQ_MSG(rig->test, left, 0, "of %u", tracked->count);
	tracked->count = 0;
}

static void expect_cleared(struct rig *rig)
{
	mutex_lock(&rig->lock);
	can_rcvlist_retire(rig->list);
	mutex_unlock(&rig->lock);
	KUNIT_EXPECT_FALSE(rig->test, list_is_resizing(rig));
	can_rcvlist_clear(rig->list);
	while (rig->count)
		ref_del(rig, rig->inserted[rig->count - 1]);
	KUNIT_ASSERT_PTR_EQ(rig->test, NULL,
			    memchr_inv(rig->list, 0, sizeof(*rig->list)));
	can_rcvlist_set_owner(rig->list, &rig->owner, 0);
	compare_random(rig, 16);
	expect_nothing_left(rig);
}

static void clear_frees_all(struct kunit *test)
{
	static const struct series all[] = {
		{ "nothing is filtered", 0x123, 0 },
		{ "standard identifiers", 0, ONE_SFF, 1 },
		{ "extended identifiers", CAN_EFF_FLAG, ONE_EFF, 1 },
		{ "a range", 0, CAN_SFF_MASK, 1 },
		{ "masks", CAN_EFF_FLAG, FLAGS | 1, 0, 200 },
		{ "inverted", CAN_INV_FILTER, ONE_SFF, 1 },
		{ "errors", 0, CAN_ERR_FLAG | 1, 0, 0x1ff },
	};
	static const unsigned int counts[] = { 0, 1, 3, 40, 600 };
	struct rig *rig = test->priv;
	unsigned int i, n, series;
	struct tracked tracked = {};

	tracked.at = kvcalloc(MAX_TRACKED, sizeof(*tracked.at), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, tracked.at);
	/* each series alone, and all together */
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		for (series = 0; series <= ARRAY_SIZE(all); series++) {
			unsigned int receivers, tables;

			for (n = 0; n < counts[i] * ARRAY_SIZE(all); n++)
				if (series == n % ARRAY_SIZE(all) ||
				    series == ARRAY_SIZE(all))
					insert_nth(rig,
						   &all[n % ARRAY_SIZE(all)],
						   n / ARRAY_SIZE(all));
			receivers = rig->count;
			compare_random(rig, 16);
			tables = track_list(&tracked, rig->list);
			/* each receiver is tracked twice */
			KUNIT_EXPECT_GE(test, tracked.count, 2 * receivers);
			/* three filters for each of 200 masks, and a range */
			if (counts[i] == 600 && series == ARRAY_SIZE(all))
				KUNIT_EXPECT_EQ(test, tables, 201);
			expect_cleared(rig);
			expect_freed(rig, &tracked);
			cond_resched();
		}
	kvfree(tracked.at);
}

/* Allocations that fail */

/**
 * struct enomem_case - a list, and the allocations for its next filter
 * @name: name of the test
 * @series: filters in the list, and the next one
 * @count: number of filters in the list
 * @fill: add filters until the table is full
 * @failures: minimum number of allocations without which the insertion fails
 * @successes: minimum number of allocations without which it succeeds
 */
struct enomem_case {
	const char *name;
	struct series series;
	unsigned int count;
	bool fill;
	unsigned int failures;
	unsigned int successes;
};

#define ANY { .can_id = 0x123 }
#define SFFS { .can_id = 0, .mask = ONE_SFF, .id_step = 1 }
#define EFFS { .can_id = CAN_EFF_FLAG, .mask = ONE_EFF, .id_step = 1 }
#define RANGES { .can_id = 0, .mask = CAN_SFF_MASK, .id_step = 1 }
#define MASKS { .can_id = 0, .mask = FLAGS | 1, .masks = MAX_FILTERS }

static const struct enomem_case enomem_cases[] = {
	{ "first without filter", ANY, 0, false, 1, 0 },
	{ "first standard identifier", SFFS, 0, false, 1, 0 },
	{ "first extended identifier", EFFS, 0, false, 2, 0 },
	{ "second extended identifier", EFFS, 1, false, 1, 0 },
	{ "first mask", MASKS, 0, false, 2, 0 },
	{ "second mask", MASKS, 1, false, 2, 0 },
	{ "second of a mask", RANGES, 1, false, 1, 0 },
	{ "first in a table", RANGES, 2, false, 2, 0 },
	{ "second in a table", RANGES, 3, false, 1, 0 },
	{ "hash of receivers grows", SFFS, 4, false, 1, 1 },
	{ "hash of receivers grows again", SFFS, 16, false, 1, 1 },
	{ "hash of masks grows", MASKS, 4, false, 2, 1 },
	{ "table of a mask grows", RANGES, 3, true, 1, 1 },
	{ "table of extended identifiers grows", EFFS, 1, true, 1, 1 },
	{ "table grows beyond a page", EFFS, 200, true, 1, 0 },
};

KUNIT_ARRAY_PARAM_DESC(enomem_cases, enomem_cases, name);

static bool table_is_full(struct rig *rig)
{
	struct can_rcv_table *table;
	bool full;

	finish_resizing(rig);
	rcu_read_lock();
	table = rcu_dereference(rig->list->eff);
	if (!table)
		table = hlist_entry(hlist_first_rcu(&rig->list->tables),
				    struct can_rcv_table, node);
	full = table->entries == can_rcv_table_size(table) * MAX_PER_BUCKET;
	rcu_read_unlock();
	return full;
}

static void compare_all(struct rig *rig)
{
	compare_random(rig, 32);
	if (rig->count)
		compare_classes(rig);
	else
		expect_nothing_left(rig);
}

/* Return: -ENOMEM; 1 if the insertion succeeded without an allocation; 0 if no
 * allocation failed.
 */
static int insert_with_failure(struct rig *rig, const struct series *series,
			       unsigned int number)
{
	unsigned int n = rig->count;
	struct filter f = nth_filter(series, n);
	bool failed;
	int err;

	fail_allocation(number);
	err = try_insert(rig, f.can_id, f.mask, f.cb);
	failed = allocation_failed();
	compare_all(rig);
	if (err) {
		KUNIT_EXPECT_EQ(rig->test, err, -ENOMEM);
		KUNIT_EXPECT_TRUE(rig->test, failed);
		return -ENOMEM;
	}
	remove_filter(rig, rig->inserted[n]);
	compare_all(rig);
	return failed;
}

static void insert_fails_cleanly(struct kunit *test)
{
	const struct enomem_case *c = test->param_value;
	unsigned int failures = 0, successes = 0, number = 1;
	struct rig *rig = test->priv;
	int result;

	require_failing_allocations(test);

	while (rig->count < c->count ||
	       (c->fill && !table_is_full(rig)))
		insert_nth(rig, &c->series, rig->count);
	do {
		result = insert_with_failure(rig, &c->series, number++);
		failures += result < 0;
		successes += result > 0;
	} while (result);
	KUNIT_EXPECT_GE(test, failures, c->failures);
	KUNIT_EXPECT_GE(test, successes, c->successes);

	insert_nth(rig, &c->series, rig->count);
	expect_enough_room(rig);
	compare_all(rig);
	drain(rig, 1);
}

/* A table that could not grow for long grows by several steps. */
static void table_grows_after_failures(struct kunit *test)
{
	static const struct series many_series[] = { EFFS, RANGES };
	struct rig *rig = test->priv;
	unsigned int i;

	require_failing_allocations(test);

	for (i = 0; i < ARRAY_SIZE(many_series); i++) {
		while (rig->count < 4)
			insert_nth(rig, &many_series[i], rig->count);
		while (rig->count < 300) {
			fail_allocation(2);
			insert_nth(rig, &many_series[i], rig->count % 100);
			allocation_failed();
		}
		compare_all(rig);
		while (rig->count < 310)
			insert_nth(rig, &many_series[i], rig->count);
		expect_enough_room(rig);
		compare_all(rig);
		drain(rig, 1);
	}
}

/* A reader, and a writer that preempts it */

/* Transient receivers are inserted and removed; they have higher numbers. */
#define FIRST_TRANSIENT 0x10000
#define MAX_TRANSIENT 200

/* Permanent receivers have two numbers, which are exchanged. */
#define NR_PERMANENT 48
#define ALIAS 0x1000

/**
 * struct writer - a writer that changes a list while it is read
 * @rig: its reference has the permanent receivers
 * @turn: completed by each call of a receiver
 * @rnd: state of the pseudo-random numbers
 * @pattern: pattern of new transient receivers
 * @filling: insert receivers until there are MAX_TRANSIENT
 * @transient: transient receivers in the list
 * @count: number of entries of @transient
 * @cb: number of the next transient receiver
 * @renamed: permanent receivers that have their other number
 * @renames: number of exchanges made
 * @changes: number of insertions and removals made
 * @stop: ends the writer
 */
struct writer {
	struct rig *rig;
	struct completion turn;
	struct rnd_state rnd;
	const struct pattern *pattern;
	bool filling;
	struct filter transient[MAX_TRANSIENT];
	unsigned int count;
	u32 cb;
	bool renamed[NR_PERMANENT];
	unsigned int renames;
	unsigned int changes;
	bool stop;
};

/* Frames for the reader: one of them matches most receivers. */
static const canid_t reader_frames[] = {
	0x123, CAN_EFF_FLAG | 0x123, 0x123, CAN_ERR_FLAG | 0x123
};

static const struct pattern patterns[] = {
	{ 0x100, 0, 0x700 },
	{ 0x120, 0xf, 0x7f0 },
	{ 0x123, 0xc, CAN_SFF_MASK },
	{ 0x123, 0x7000, 0x7ff },
	{ 0x103, 0x50, CAN_RTR_FLAG | 0x70f },
	{ 0x123, 0, CAN_RTR_FLAG, 0xf },
	{ 0x123, 0, ONE_SFF },
	{ CAN_EFF_FLAG | 0x123, 0x10, ONE_EFF },
	{ 0, 0, 0 },
	{ CAN_INV_FILTER | 0x7, 0x700, 0x7ff },
	{ 0, 0, CAN_ERR_FLAG, 0x1ff },
};

static void insert_transient(struct writer *w)
{
	u32 r = prandom_u32_state(&w->rnd);
	struct filter f = pattern_filter(w->pattern, r, r, w->cb++);

	KUNIT_EXPECT_EQ(w->rig->test, 0,
			list_insert(w->rig, f.can_id, f.mask, f.cb));
	w->transient[w->count++] = f;
}

static void remove_transient(struct writer *w)
{
	u32 n = prandom_u32_state(&w->rnd) % w->count;
	struct filter f = w->transient[n];

	w->transient[n] = w->transient[--w->count];
	KUNIT_EXPECT_TRUE(w->rig->test,
			  list_remove(w->rig, f.can_id, f.mask, f.cb));
}

static void rename_permanent(struct writer *w, u32 n)
{
	struct filter f = *w->rig->inserted[n];
	u32 from = f.cb + w->renamed[n] * ALIAS;
	u32 to = f.cb + !w->renamed[n] * ALIAS;

	KUNIT_EXPECT_TRUE(w->rig->test,
			  list_exchange(w->rig, f.can_id, f.mask, from, to));
	w->renamed[n] = !w->renamed[n];
	w->renames++;
}

static void change_transient(struct writer *w)
{
	u32 r = prandom_u32_state(&w->rnd);

	if (!w->count && !w->filling) {
		w->filling = true;
		w->pattern = &patterns[r % ARRAY_SIZE(patterns)];
	}
	if (w->count == MAX_TRANSIENT)
		w->filling = false;
	if (!w->count ||
	    (w->count < MAX_TRANSIENT && w->filling == !!(r >> 30)))
		insert_transient(w);
	else
		remove_transient(w);
	w->changes++;
}

static int writer_thread(void *arg)
{
	struct writer *w = arg;

	for (;;) {
		wait_for_completion(&w->turn);
		if (READ_ONCE(w->stop))
			return 0;
		if (prandom_u32_state(&w->rnd) % 4)
			change_transient(w);
		else
			rename_permanent(w, prandom_u32_state(&w->rnd) %
					    NR_PERMANENT);
	}
}

static int compare_numbers(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* Permanent receivers are called once and in order, transient ones at most
 * once.
 */
static bool calls_as_expected(struct rig *rig)
{
	unsigned int i, permanent = 0, transients = 0;
	u32 *transient = rig->called + MAX_FILTERS / 2;

	for (i = 0; i < rig->calls; i++)
		if (rig->called[i] < FIRST_TRANSIENT)
			rig->called[permanent++] = rig->called[i] & ~ALIAS;
		else
			transient[transients++] = rig->called[i];
	sort(transient, transients, sizeof(*transient), compare_numbers, NULL);
	for (i = 1; i < transients; i++)
		if (transient[i] == transient[i - 1])
			return false;
	return permanent == rig->nr_expected &&
	       !memcmp(rig->called, rig->expected, permanent * sizeof(u32));
}

/* BHs are enabled: readers only rely on rcu_read_lock(). */
static bool read_and_compare(struct rig *rig, canid_t frame)
{
	int count;

	((struct can_frame *)rig->skb->data)->can_id = frame;
	rig->calls = 0;
	rcu_read_lock();
	count = can_rcvlist_deliver(rig->list, rig->skb);
	rcu_read_unlock();
	expect_calls(rig, frame);
	return rig->calls == count && count < MAX_FILTERS / 2 &&
	       calls_as_expected(rig);
}

/* Permanent receivers are shown once. */
static bool show_and_compare(struct rig *rig)
{
	unsigned int i, permanent, expected;
	enum can_rcv_class class;

	for (class = 0; class < CLASSES; class++) {
		show_class(rig, class);
		if (rig->nr_shown > MAX_FILTERS)
			return false;
		for (i = 0, permanent = 0; i < rig->nr_shown; i++)
			if (rig->shown[i].cb < FIRST_TRANSIENT) {
				rig->shown[permanent] = rig->shown[i];
				rig->shown[permanent++].cb &= ~ALIAS;
			}
		expected = expect_class(rig, class, &rig->shown[MAX_FILTERS]);
		if (permanent != expected ||
		    !shown_as_expected(rig, class, permanent))
			return false;
	}
	return true;
}

static bool read_both(struct rig *rig, unsigned int n)
{
	canid_t frame = reader_frames[n % ARRAY_SIZE(reader_frames)];

	return read_and_compare(rig, frame) &&
	       (n % 8 || show_and_compare(rig));
}

static unsigned int read_in_turns(struct rig *rig, struct writer *w,
				  unsigned int frames)
{
	struct task_struct *task;
	unsigned int n = 0;

	task = kthread_run(writer_thread, w, "can-rcvlist");
	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(task));
	get_task_struct(task);
	sched_set_fifo(task);
	rig->turn = &w->turn;
	while (n < frames && read_both(rig, n))
		n++;
	rig->turn = NULL;
	WRITE_ONCE(w->stop, true);
	complete(&w->turn);
	kthread_stop_put(task);
	return n;
}

static void list_changes_under_a_reader(struct kunit *test)
{
	static struct writer w;
	struct rig *rig = test->priv;
	unsigned int round, i, changes = 0, renames = 0;
	const struct pattern *pattern;
	struct filter f;

	if (!IS_ENABLED(CONFIG_PREEMPT_RCU))
		kunit_skip(test, "needs CONFIG_PREEMPT_RCU");

	for (round = 0; round < 20; round++) {
		w = (struct writer){ .rig = rig, .cb = FIRST_TRANSIENT };
		init_completion(&w.turn);
		prandom_seed_state(&w.rnd, rig->seed + round);
		for (i = 0; i < NR_PERMANENT; i++) {
			pattern = &patterns[i % ARRAY_SIZE(patterns)];
			f = pattern_filter(pattern, random_u32(rig),
					   random_u32(rig), i);
			insert_filter(rig, f);
		}
		KUNIT_ASSERT_EQ_MSG(test, 200, read_in_turns(rig, &w, 200),
				    "seed %llu, round %u\n", rig->seed, round);
		changes += w.changes;
		renames += w.renames;
		while (w.count)
			remove_transient(&w);
		for (i = 0; i < NR_PERMANENT; i++)
			if (w.renamed[i])
				rename_permanent(&w, i);
		while (rig->count)
			remove_random(rig);
		expect_nothing_left(rig);
	}
	KUNIT_EXPECT_GT(test, changes, 0);
	KUNIT_EXPECT_GT(test, renames, 0);
	kunit_info(test, "%u changes, %u exchanges\n", changes, renames);
}

static struct kunit_case rcvlist_test_cases[] = {
	KUNIT_CASE_PARAM(filter_is_of_its_class, class_cases_gen_params),
	KUNIT_CASE(frame_is_delivered_in_order),
	KUNIT_CASE(newest_of_equals_is_removed),
	KUNIT_CASE(classes_are_distinct),
	KUNIT_CASE(exchanged_receiver_keeps_position),
	KUNIT_CASE(others_are_not_exchanged),
	KUNIT_CASE(socket_stays_until_receiver_is_freed),
	KUNIT_CASE_PARAM_ATTR(frames_reach_their_receivers,
			      filter_sets_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	KUNIT_CASE_PARAM(tables_grow_and_empty, growing_gen_params),
	KUNIT_CASE_PARAM_ATTR(many_receivers_are_inserted_and_removed,
			      many_series_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	KUNIT_CASE_PARAM(many_receivers_are_exchanged, growing_gen_params),
	KUNIT_CASE(long_searches_are_aborted),
	KUNIT_CASE(frame_arrives_while_a_filter_is_set),
	KUNIT_CASE_PARAM(tables_shrink, growing_gen_params),
	KUNIT_CASE_PARAM(tables_grow_without_waiting, growing_gen_params),
	KUNIT_CASE(clear_frees_all),
	KUNIT_CASE_PARAM(insert_fails_cleanly, enomem_cases_gen_params),
	KUNIT_CASE(table_grows_after_failures),
	KUNIT_CASE_SLOW(list_changes_under_a_reader),
	{}
};

static struct kunit_suite rcvlist_test_suite = {
	.name = "can-rcvlist",
	.init = rcvlist_test_init,
	.exit = rcvlist_test_exit,
	.suite_exit = rcvlist_test_report,
	.test_cases = rcvlist_test_cases,
};

kunit_test_suite(rcvlist_test_suite);

MODULE_DESCRIPTION("KUnit suite of the lists of CAN receive filters");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("Dual BSD/GPL");
