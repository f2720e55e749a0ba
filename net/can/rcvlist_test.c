// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * KUnit suite of the lists of CAN receive filters.
 *
 * What rcvlist.h promises is shown against a reference: a naive list of the
 * same filters, which tells for a frame the exact sequence of calls. A case is
 * one frame that is delivered to one set of filters and compared in full.
 * Filters and frames are drawn from pseudo-random numbers. A failure prints
 * their seed; the parameter "seed" of the module sets another one.
 *
 * Only the checks of size and of memory look inside a list.
 */
#include <kunit/test.h>
#include <linux/bottom_half.h>
#include <linux/can.h>
#include <linux/completion.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kasan.h>
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
#include "rcvhash.h"
#include "rcvlist.h"
#include "rcvtable.h"

/* The most filters of a test. */
#define MOST 65536

/* A hash has at most so many entries per bucket, and a table as well as soon as
 * a grace period is over.
 */
#define MOST_PER_BUCKET 4

#define FLAGS (CAN_EFF_FLAG | CAN_RTR_FLAG)
#define ONE_SFF (CAN_SFF_MASK | FLAGS)
#define ONE_EFF (CAN_EFF_MASK | FLAGS)
#define CLASSES (CAN_RCV_SFF + 1)

static unsigned long first_seed = 20241117;
module_param_named(seed, first_seed, ulong, 0444);
MODULE_PARM_DESC(seed, "where the pseudo-random numbers of a test begin");

static char ident[6] = "kunit";

/**
 * struct filter - a receiver, as the reference knows it
 * @age: in rig.filters
 * @index: in rig.inserted
 * @can_id: as it was inserted
 * @mask: as it was inserted
 * @who: function and data
 * @class: kind of filter
 * @bits: of a frame that are looked at
 * @calls: how many there should have been
 */
struct filter {
	struct list_head age;
	unsigned int index;
	canid_t can_id;
	canid_t mask;
	u32 who;
	enum can_rcv_class class;
	canid_t bits;
	u32 calls;
};

/**
 * struct shown - a receiver, as /proc would show it
 * @can_id: as it is compared
 * @mask: as it is compared
 * @who: function and data
 * @calls: how many there have been
 */
struct shown {
	canid_t can_id;
	canid_t mask;
	u32 who;
	u32 calls;
};

/**
 * struct rig - a list and its reference
 * @test: which runs
 * @lock: of the list's writers
 * @owner: of the list
 * @list: under test
 * @filters: the same ones, the newest first
 * @pool: memory of filters, in the order in which it is used at first
 * @inserted: the first @count of them are in the list, the others not in use
 * @hits: those that a frame matches, the newest first
 * @count: of filters
 * @skb: the frame
 * @expected: who is to be called
 * @expectations: number of those
 * @called: who has been
 * @calls: number of those
 * @shown: receivers of a class, and below them what the reference says
 * @showing: number of receivers
 * @rnd: source of everything that is drawn
 * @seed: which it began with
 * @cases: frames compared
 * @turn: of a writer to change the list while it is read, or NULL
 * @peek: a frame to deliver when the list asks next whether its lock is held
 * @peeked: that was done
 */
struct rig {
	struct kunit *test;
	struct mutex lock;	/* of the list */
	struct can_rcv_owner owner;
	struct can_rcvlist *list;
	struct list_head filters;
	struct filter *pool;
	struct filter **inserted;
	struct filter **hits;
	unsigned int count;
	struct sk_buff *skb;
	u32 *expected;
	unsigned int expectations;
	u32 *called;
	unsigned int calls;
	struct shown *shown;
	unsigned int showing;
	struct rnd_state rnd;
	u64 seed;
	unsigned int cases;
	struct completion *turn;
	canid_t peek;
	bool peeked;
};

static unsigned long cases_in_all;

/* Chance */

static u32 any(struct rig *rig)
{
	return prandom_u32_state(&rig->rnd);
}

static u32 below(struct rig *rig, u32 limit)
{
	return (u64)any(rig) * limit >> 32;
}

static bool one_in(struct rig *rig, u32 number)
{
	return !below(rig, number);
}

/* Receivers: two functions, and data that is nothing but a number */

static void let_writer_turn(struct rig *rig)
{
	if (rig->turn)
		complete(rig->turn);
}

static void record(struct sk_buff *skb, u32 who)
{
	struct rig *rig = *(struct rig **)skb->cb;

	if (rig->calls < MOST)
		rig->called[rig->calls] = who;
	rig->calls++;
	let_writer_turn(rig);
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

static receive_t func_of(u32 who)
{
	return who % 2 ? receive_odd : receive_even;
}

static void *data_of(u32 who)
{
	return (void *)(unsigned long)(who / 2);
}

static u32 who_of(const struct receiver *rcv)
{
	return 2 * (unsigned long)rcv->data + (rcv->func == receive_odd);
}

/* The reference */

/* A standard identifier has eleven bits, whatever else the mask names. */
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

static struct filter make_filter(canid_t can_id, canid_t mask, u32 who)
{
	struct filter f = { .can_id = can_id, .mask = mask, .who = who };

	f.bits = bits_compared(&f);
	f.class = class_of(&f);
	return f;
}

/* The identifier that /proc shows: error filters have none, so it is as set. */
static canid_t value_of(const struct filter *f)
{
	return f->class == CAN_RCV_ERR ? f->can_id : f->can_id & f->bits;
}

static bool equal(const struct filter *f, const struct filter *g)
{
	return f->who == g->who && f->bits == g->bits &&
	       f->class == g->class && value_of(f) == value_of(g);
}

static bool wants(const struct filter *f, canid_t frame)
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

/* Classes in the order of delivery; no frame is for the first two of them. */
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

	list_for_each_entry(f, &rig->filters, age) {
		if (!wants(f, frame))
			continue;
		rig->hits[hits++] = f;
		f->calls++;
	}
	rig->expectations = 0;
	for (r = 0; r <= rank[CAN_RCV_SFF]; r++)
		for (i = 0; i < hits; i++)
			if (rank[rig->hits[i]->class] == r)
				rig->expected[rig->expectations++] =
					rig->hits[i]->who;
}

static void remember(struct rig *rig, struct filter new)
{
	struct filter *f = rig->inserted[rig->count];

	*f = new;
	f->index = rig->count++;
	list_add(&f->age, &rig->filters);
}

static void forget(struct rig *rig, struct filter *f)
{
	struct filter *last = rig->inserted[--rig->count];

	list_del(&f->age);
	rig->inserted[f->index] = last;
	rig->inserted[rig->count] = f;
	last->index = f->index;
}

static struct filter *newest_like(struct rig *rig, const struct filter *like)
{
	struct filter *f;

	list_for_each_entry(f, &rig->filters, age)
		if (equal(f, like))
			return f;
	return NULL;
}

/* The list, by its writers */

static int list_insert(struct rig *rig, canid_t can_id, canid_t mask, u32 who)
{
	int err;

	mutex_lock(&rig->lock);
	err = can_rcvlist_insert(rig->list, can_id, mask, func_of(who),
				 data_of(who), ident, NULL);
	mutex_unlock(&rig->lock);
	return err;
}

static bool list_remove(struct rig *rig, canid_t can_id, canid_t mask, u32 who)
{
	bool removed;

	mutex_lock(&rig->lock);
	removed = can_rcvlist_remove(rig->list, can_id, mask, func_of(who),
				     data_of(who));
	mutex_unlock(&rig->lock);
	return removed;
}

static bool list_exchange(struct rig *rig, canid_t can_id, canid_t mask,
			  u32 who, u32 new)
{
	bool exchanged;

	mutex_lock(&rig->lock);
	exchanged = can_rcvlist_exchange(rig->list, can_id, mask, func_of(who),
					 data_of(who), data_of(new));
	mutex_unlock(&rig->lock);
	return exchanged;
}

static bool list_is_resizing(struct rig *rig)
{
	bool resizing;

	mutex_lock(&rig->lock);
	resizing = !hlist_empty(&rig->owner.resizing);
	mutex_unlock(&rig->lock);
	return resizing;
}

/* Let every table have the size that it should have. */
static void settle(struct rig *rig)
{
	while (list_is_resizing(rig))
		flush_rcu_work(&rig->owner.resize);
}

static int deliver(struct rig *rig, canid_t frame)
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

/* A writer asks in the middle of a change, where a frame may arrive, too. */
static bool rig_held(const struct can_rcv_owner *owner)
{
	struct rig *rig = container_of((struct can_rcv_owner *)owner, struct rig,
				       owner);

	if (rig->peek) {
		deliver(rig, rig->peek);
		rig->peek = 0;
		rig->peeked = true;
	}
	return !IS_ENABLED(CONFIG_LOCKDEP) || lockdep_is_held(&rig->lock);
}

static void rig_resize(struct work_struct *work)
{
	struct rig *rig = container_of(to_rcu_work(work), struct rig, owner.resize);

	mutex_lock(&rig->lock);
	can_rcv_owner_resize(&rig->owner);
	mutex_unlock(&rig->lock);
}

/* Both of them */

static int try_insert(struct rig *rig, canid_t can_id, canid_t mask, u32 who)
{
	int err = list_insert(rig, can_id, mask, who);

	if (!err)
		remember(rig, make_filter(can_id, mask, who));
	return err;
}

static void insert(struct rig *rig, canid_t can_id, canid_t mask, u32 who)
{
	KUNIT_ASSERT_EQ(rig->test, 0, try_insert(rig, can_id, mask, who));
}

/* Of equal filters, @f has to be the newest. */
static void remove_filter(struct rig *rig, struct filter *f)
{
	KUNIT_ASSERT_TRUE_MSG(rig->test,
			      list_remove(rig, f->can_id, f->mask, f->who),
			      "seed %llu, case %u: filter %08X, mask %08X is not found\n",
			      rig->seed, rig->cases, f->can_id, f->mask);
	forget(rig, f);
}

/* Return: whether there was one, which the list has to know as well. */
static bool remove(struct rig *rig, canid_t can_id, canid_t mask, u32 who)
{
	struct filter like = make_filter(can_id, mask, who);
	struct filter *f = newest_like(rig, &like);

	if (f)
		remove_filter(rig, f);
	else
		KUNIT_ASSERT_FALSE_MSG(rig->test,
				       list_remove(rig, can_id, mask, who),
				       "seed %llu, case %u: filter %08X, mask %08X was not inserted\n",
				       rig->seed, rig->cases, can_id, mask);
	return !!f;
}

/* The same function, with other data. Of equal filters the newest gets it.
 * Return: whether there was one, which the list has to know as well.
 */
static bool exchange(struct rig *rig, canid_t can_id, canid_t mask, u32 who,
		     u32 new)
{
	struct filter like = make_filter(can_id, mask, who);
	struct filter *f = newest_like(rig, &like);
	bool exchanged;

	exchanged = list_exchange(rig, can_id, mask, who, new);
	KUNIT_ASSERT_EQ_MSG(rig->test, exchanged, !!f,
			    "seed %llu, case %u: filter %08X, mask %08X\n",
			    rig->seed, rig->cases, can_id, mask);
	if (f)
		f->who = new;
	return f;
}

static void report_calls(struct rig *rig, canid_t frame, int count)
{
	unsigned int i = 0, common = min(rig->expectations, rig->calls);

	while (i < common && rig->called[i] == rig->expected[i])
		i++;
	kunit_err(rig->test, "call %u differs: %d instead of %d\n", i,
		  i < rig->calls ? (int)rig->called[i] : -1,
		  i < rig->expectations ? (int)rig->expected[i] : -1);
	KUNIT_FAIL_AND_ABORT(rig->test,
			     "seed %llu, case %u: frame %08X for %u filters makes %u calls instead of %u, and counts %d\n",
			     rig->seed, rig->cases, frame, rig->count,
			     rig->calls, rig->expectations, count);
}

/* One case. */
static void compare(struct rig *rig, canid_t frame)
{
	int count = deliver(rig, frame);

	expect_calls(rig, frame);
	if (rig->calls != rig->expectations || rig->calls != count ||
	    memcmp(rig->called, rig->expected, count * sizeof(u32)))
		report_calls(rig, frame, count);
	rig->cases++;
}

/* Receivers by class */

static void show(const struct receiver *rcv, void *arg)
{
	struct rig *rig = arg;

	if (rig->showing < MOST && rcv->ident == ident && !rcv->sk)
		rig->shown[rig->showing] = (struct shown){
			.can_id = rcv->can_id,
			.mask = rcv->mask,
			.who = who_of(rcv),
			.calls = atomic_long_read(&rcv->matches),
		};
	rig->showing++;
	let_writer_turn(rig);
}

static bool show_class(struct rig *rig, enum can_rcv_class class)
{
	bool empty;

	rig->showing = 0;
	rcu_read_lock();
	can_rcvlist_for_each(rig->list, class, show, rig);
	empty = can_rcvlist_empty(rig->list, class);
	rcu_read_unlock();
	return empty;
}

static unsigned int expect_class(struct rig *rig, enum can_rcv_class class,
				 struct shown *to)
{
	unsigned int count = 0;
	struct filter *f;

	list_for_each_entry(f, &rig->filters, age)
		if (f->class == class)
			to[count++] = (struct shown){
				.can_id = value_of(f),
				.mask = f->bits,
				.who = f->who,
				.calls = f->calls,
			};
	return count;
}

static int compare_shown(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct shown));
}

/* Lists are shown in the order of delivery, the array of identifiers in its own. */
static bool shown_as_expected(struct rig *rig, enum can_rcv_class class,
			      unsigned int count)
{
	struct shown *expected = &rig->shown[MOST];

	if (class != CAN_RCV_SFF)
		return !memcmp(rig->shown, expected, count * sizeof(*expected));
	sort(expected, count, sizeof(*expected), compare_shown, NULL);
	sort(rig->shown, count, sizeof(*expected), compare_shown, NULL);
	return !memcmp(rig->shown, expected, count * sizeof(*expected));
}

static void compare_class(struct rig *rig, enum can_rcv_class class)
{
	unsigned int count = expect_class(rig, class, &rig->shown[MOST]);
	bool empty = show_class(rig, class);

	KUNIT_ASSERT_EQ_MSG(rig->test, rig->showing, count,
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

/* Memory and size */

/* An empty list is all zero, but for its owner and the number of receivers ever
 * inserted.
 */
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

static void expect_room(struct rig *rig, struct can_rcv_table *table)
{
	unsigned int size = can_rcv_table_size(table);

	KUNIT_EXPECT_LE(rig->test, table->entries, size * MOST_PER_BUCKET);
	if (size > 8)
		KUNIT_EXPECT_LE(rig->test, size, 2 * table->entries);
}

static void expect_hash_room(struct rig *rig, const struct can_rcv_hash *hash)
{
	KUNIT_EXPECT_LE(rig->test, hash->entries,
			MOST_PER_BUCKET << hash->bits);
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

/* Frames are compared one by one with few receivers of each mask. */
static void expect_few_listed(struct rig *rig)
{
	unsigned int i;

	for (i = 0; i < rig->count; i++)
		KUNIT_EXPECT_LE(rig->test,
				listed_with(rig, rig->inserted[i]->bits),
				CAN_RCV_LISTED);
}

static void expect_tables(struct rig *rig)
{
	struct can_rcv_table *table;

	settle(rig);
	rcu_read_lock();
	hlist_for_each_entry_rcu(table, &rig->list->tables, node)
		expect_room(rig, table);
	table = rcu_dereference(rig->list->eff);
	if (table)
		expect_room(rig, table);
	rcu_read_unlock();
}

/* As long as receivers only come, everything is large enough for them. */
static void expect_enough_room(struct rig *rig)
{
	expect_tables(rig);
	expect_hash_room(rig, &rig->list->receivers);
	expect_hash_room(rig, &rig->list->masks);
	KUNIT_EXPECT_EQ(rig->test, rig->list->entries, rig->count);
}

/* Frames that are interesting for a filter */

static canid_t error_frame(struct rig *rig, canid_t bits)
{
	canid_t near = bits & any(rig) & any(rig);

	return CAN_ERR_FLAG | (one_in(rig, 2) ? near : any(rig) & CAN_ERR_MASK);
}

static canid_t frame_near(struct rig *rig, const struct filter *f)
{
	canid_t frame = (f->can_id & f->bits) | (any(rig) & ~f->bits);

	if (f->class == CAN_RCV_ERR)
		return error_frame(rig, f->bits);
	if (one_in(rig, 4))
		frame ^= BIT(below(rig, 32));
	/* what is not compared is mostly not set either */
	if (!one_in(rig, 4))
		frame &= f->bits | (one_in(rig, 2) ? CAN_SFF_MASK : CAN_EFF_FLAG);
	/* few standard frames have more bits than identifiers of theirs */
	if (!(frame & CAN_EFF_FLAG) && !one_in(rig, 8))
		frame &= ~(CAN_EFF_MASK ^ CAN_SFF_MASK);
	return one_in(rig, 16) ? frame : frame & ~CAN_ERR_FLAG;
}

static canid_t any_frame(struct rig *rig)
{
	canid_t rtr = one_in(rig, 4) ? CAN_RTR_FLAG : 0;

	switch (below(rig, 5)) {
	case 0:
		return error_frame(rig, CAN_ERR_MASK);
	case 1: /* CAN XL: priority and virtual network */
		return (any(rig) & CANXL_PRIO_MASK) |
		       below(rig, 4) << CANXL_VCID_OFFSET;
	case 2:
		return any(rig);
	case 3:
		return (any(rig) & CAN_SFF_MASK) | rtr;
	default:
		return (any(rig) & CAN_EFF_MASK) | CAN_EFF_FLAG | rtr;
	}
}

static canid_t some_frame(struct rig *rig)
{
	if (!rig->count || one_in(rig, 8))
		return any_frame(rig);
	return frame_near(rig, rig->inserted[below(rig, rig->count)]);
}

static void compare_some(struct rig *rig, unsigned int frames)
{
	while (frames--)
		compare(rig, some_frame(rig));
}

static void drain(struct rig *rig, unsigned int frames)
{
	while (rig->count) {
		struct filter f = *rig->inserted[below(rig, rig->count)];

		KUNIT_ASSERT_TRUE(rig->test,
				  remove(rig, f.can_id, f.mask, f.who));
		if (rig->count % 4 == 0)
			compare_some(rig, frames);
	}
	expect_nothing_left(rig);
}

/* A rig for each test */

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
	rig->pool = kvcalloc(MOST, sizeof(*rig->pool), GFP_KERNEL);
	rig->inserted = kvcalloc(MOST, sizeof(*rig->inserted), GFP_KERNEL);
	rig->hits = kvcalloc(MOST, sizeof(*rig->hits), GFP_KERNEL);
	rig->expected = kvcalloc(MOST, sizeof(*rig->expected), GFP_KERNEL);
	rig->called = kvcalloc(MOST, sizeof(*rig->called), GFP_KERNEL);
	rig->shown = kvcalloc(2 * MOST, sizeof(*rig->shown), GFP_KERNEL);
	rig->skb = alloc_skb(sizeof(struct can_frame), GFP_KERNEL);
	if (!rig->list || !rig->pool || !rig->inserted || !rig->hits ||
	    !rig->expected || !rig->called || !rig->shown || !rig->skb)
		return -ENOMEM;

	can_rcvlist_set_owner(rig->list, &rig->owner, 0);
	for (i = 0; i < MOST; i++)
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
	settle(rig);
	can_rcv_owner_exit(&rig->owner);
	cases_in_all += rig->cases;
	kfree_skb(rig->skb);
	kvfree(rig->shown);
	kvfree(rig->called);
	kvfree(rig->expected);
	kvfree(rig->hits);
	kvfree(rig->inserted);
	kvfree(rig->pool);
	/* what is broken is better left alone */
	if (test->status != KUNIT_FAILURE)
		kvfree(rig->list);
	rcu_barrier();
}

static void rcvlist_test_report(struct kunit_suite *suite)
{
	kunit_info(suite, "%lu frames compared\n", cases_in_all);
	rcu_barrier();
}

/* What a filter is */

static const struct sort {
	const char *name;
	canid_t can_id;
	canid_t mask;
	enum can_rcv_class class;
	canid_t value;
	canid_t bits;
} sorts[] = {
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

KUNIT_ARRAY_PARAM_DESC(sorts, sorts, name);

static void filter_is_of_its_class(struct kunit *test)
{
	const struct sort *sort = test->param_value;
	struct rig *rig = test->priv;
	enum can_rcv_class class;

	insert(rig, sort->can_id, sort->mask, 5);
	for (class = 0; class < CLASSES; class++) {
		KUNIT_EXPECT_EQ_MSG(test, show_class(rig, class),
				    class != sort->class, "class %d\n", class);
		KUNIT_EXPECT_EQ(test, rig->showing, class == sort->class);
		if (!rig->showing)
			continue;
		KUNIT_EXPECT_EQ(test, rig->shown->can_id, sort->value);
		KUNIT_EXPECT_EQ(test, rig->shown->mask, sort->bits);
		KUNIT_EXPECT_EQ(test, rig->shown->who, 5);
	}
	drain(rig, 1);
}

static void frame_is_delivered_in_order(struct kunit *test)
{
	static const u32 standard[] = { 15, 8, 13, 10, 3, 2, 7, 6, 14, 5, 1 };
	static const u32 errors[] = { 11, 9 };
	struct rig *rig = test->priv;

	insert(rig, CAN_INV_FILTER | 0x124, ONE_SFF, 6);
	insert(rig, 0x123, ONE_SFF, 1);
	insert(rig, 0x100, 0x700, 2);
	insert(rig, 0x120, 0x7f0, 3);
	insert(rig, CAN_EFF_FLAG | 0x123, ONE_EFF, 4);
	insert(rig, 0x123, ONE_SFF, 5);
	insert(rig, CAN_INV_FILTER | 0x124, ONE_SFF, 7);
	insert(rig, 0, 0, 8);
	insert(rig, 0, CAN_ERR_FLAG | 0x7, 9);
	insert(rig, 0x100, 0x700, 10);
	insert(rig, 0, CAN_ERR_FLAG | 0x4, 11);
	insert(rig, CAN_INV_FILTER | 0x123, ONE_SFF, 12);
	insert(rig, 0x100, 0x700, 13);
	insert(rig, 0x123, ONE_SFF, 14);
	insert(rig, 0, 0, 15);

	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(standard), deliver(rig, 0x123));
	KUNIT_EXPECT_MEMEQ(test, rig->called, standard, sizeof(standard));
	KUNIT_ASSERT_EQ(test, ARRAY_SIZE(errors),
			deliver(rig, CAN_ERR_FLAG | 0x6));
	KUNIT_EXPECT_MEMEQ(test, rig->called, errors, sizeof(errors));
	drain(rig, 1);
}

/* Equal ones can be told apart by those between them. */
static void newest_of_equals_is_removed(struct kunit *test)
{
	const struct sort *sort;
	struct rig *rig = test->priv;
	unsigned int i;

	for (sort = sorts; sort < sorts + ARRAY_SIZE(sorts); sort++) {
		for (i = 0; i < 12; i++) {
			insert(rig, sort->can_id, sort->mask, i % 3);
			compare_some(rig, 8);
		}
		compare_classes(rig);
		for (i = 0; i < 12; i++) {
			KUNIT_ASSERT_TRUE(test, remove(rig, sort->can_id,
						       sort->mask, i / 4));
			compare_some(rig, 8);
			compare_classes(rig);
		}
		expect_nothing_left(rig);
	}
}

/* They have the same identifier and the same mask, as they are compared. */
static void filters_of_other_classes_are_others(struct kunit *test)
{
	static const struct {
		canid_t can_id;
		canid_t mask;
	} alike[] = {
		{ 0x5, 0x1f },
		{ CAN_INV_FILTER | 0x5, 0x1f },
		{ 0x5, CAN_ERR_FLAG | 0x1f },
		{ 0, 0 },
		{ CAN_INV_FILTER, 0 },
		{ 0, CAN_ERR_FLAG },
	};
	struct rig *rig = test->priv;
	unsigned int first, i, n;

	for (first = 0; first < ARRAY_SIZE(alike); first++) {
		for (i = 0; i < ARRAY_SIZE(alike); i++)
			insert(rig, alike[i].can_id, alike[i].mask, 4);
		for (i = 0; i < ARRAY_SIZE(alike); i++) {
			n = (i + first) % ARRAY_SIZE(alike);
			KUNIT_ASSERT_TRUE(test, remove(rig, alike[n].can_id,
						       alike[n].mask, 4));
			compare_classes(rig);
			compare_some(rig, 16);
			KUNIT_ASSERT_FALSE(test, remove(rig, alike[n].can_id,
							alike[n].mask, 4));
		}
		expect_nothing_left(rig);
	}
}

/* Each of them in turn, with others before and behind it; and it counts on. */
static void exchanged_keeps_its_place(struct kunit *test)
{
	struct rig *rig = test->priv;
	const struct sort *sort;
	unsigned int i;

	for (sort = sorts; sort < sorts + ARRAY_SIZE(sorts); sort++) {
		for (i = 0; i < 12; i++) {
			insert(rig, sort->can_id, sort->mask, i);
			insert(rig, 0x100, 0x700, 100 + i);
		}
		compare_some(rig, 16);
		for (i = 0; i < 12; i++) {
			u32 who = i * 7 % 12;

			KUNIT_ASSERT_TRUE(test, exchange(rig, sort->can_id,
							 sort->mask, who,
							 who + 200));
			compare_some(rig, 8);
			compare_classes(rig);
			/* it is not what it was any more */
			KUNIT_ASSERT_FALSE(test, exchange(rig, sort->can_id,
							  sort->mask, who,
							  who + 400));
			KUNIT_ASSERT_FALSE(test, remove(rig, sort->can_id,
							sort->mask, who));
		}
		for (i = 0; i < 12; i++) {
			KUNIT_ASSERT_TRUE(test, remove(rig, sort->can_id,
						       sort->mask, 200 + i));
			compare_some(rig, 8);
		}
		drain(rig, 1);
	}
}

/* They have the same identifier and mask, the same function or the same data. */
static void others_are_not_exchanged(struct kunit *test)
{
	static const struct {
		canid_t can_id;
		canid_t mask;
		u32 who;
	} others[] = {
		{ CAN_INV_FILTER | 0x5, 0x1f, 4 },
		{ 0x5, CAN_ERR_FLAG | 0x1f, 4 },
		{ 0x5, 0x3f, 4 },
		{ 0x4, 0x1f, 4 },
		{ 0x5, 0x1f, 5 },
		{ 0x5, 0x1f, 6 },
	};
	struct rig *rig = test->priv;
	unsigned int i, n;

	KUNIT_EXPECT_FALSE(test, exchange(rig, 0x5, 0x1f, 4, 14));
	insert(rig, 0x5, 0x1f, 4);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_FALSE(test, exchange(rig, others[i].can_id,
						  others[i].mask, others[i].who,
						  others[i].who + 10));
	compare_classes(rig);
	for (i = 0; i < ARRAY_SIZE(others); i++)
		insert(rig, others[i].can_id, others[i].mask, others[i].who);
	KUNIT_EXPECT_TRUE(test, exchange(rig, 0x5, 0x1f, 4, 14));
	compare_classes(rig);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		n = ARRAY_SIZE(others) - 1 - i;
		KUNIT_EXPECT_TRUE(test, exchange(rig, others[n].can_id,
						 others[n].mask, others[n].who,
						 others[n].who + 20));
		compare_classes(rig);
		compare_some(rig, 16);
	}
	drain(rig, 1);
}

static void socket_stays_until_receiver_is_gone(struct kunit *test)
{
	struct sock *sk = kunit_kzalloc(test, sizeof(*sk), GFP_KERNEL);
	struct rig *rig = test->priv;
	const struct sort *sort;

	KUNIT_ASSERT_NOT_NULL(test, sk);
	refcount_set(&sk->sk_refcnt, 1);
	for (sort = sorts; sort < sorts + ARRAY_SIZE(sorts); sort++) {
		mutex_lock(&rig->lock);
		KUNIT_EXPECT_EQ(test, 0,
				can_rcvlist_insert(rig->list, sort->can_id,
						   sort->mask, receive_odd, sk,
						   ident, sk));
		KUNIT_EXPECT_EQ(test, 1, refcount_read(&sk->sk_refcnt));
		rcu_read_lock();
		KUNIT_EXPECT_TRUE(test,
				  can_rcvlist_remove(rig->list, sort->can_id,
						     sort->mask, receive_odd,
						     sk));
		KUNIT_EXPECT_EQ(test, 2, refcount_read(&sk->sk_refcnt));
		rcu_read_unlock();
		mutex_unlock(&rig->lock);
		rcu_barrier();
		KUNIT_EXPECT_EQ(test, 1, refcount_read(&sk->sk_refcnt));
	}
	expect_nothing_left(rig);
}

/* Filters and frames as programs use them, and others */

/**
 * struct shape - filters of a kind
 * @can_id: bits that are set in each
 * @any_id: bits that may be
 * @mask: bits that are set in each
 * @any_mask: bits that may be
 */
struct shape {
	canid_t can_id;
	canid_t any_id;
	canid_t mask;
	canid_t any_mask;
};

/**
 * struct style - filters that are in a list together
 * @name: for the report
 * @limit: of filters
 * @cases: frames to compare
 * @shape: kinds of filters, none for those of all other styles
 */
struct style {
	const char *name;
	unsigned int limit;
	unsigned int cases;
	struct shape shape[8];
};

static const struct style styles[] = {
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

KUNIT_ARRAY_PARAM_DESC(styles, styles, name);

static bool used(const struct shape *shape)
{
	return memchr_inv(shape, 0, sizeof(*shape));
}

static struct filter some_filter(struct rig *rig, const struct style *style)
{
	const struct shape *shape;

	while (!used(style->shape))
		style = &styles[below(rig, ARRAY_SIZE(styles))];
	do {
		shape = &style->shape[below(rig, ARRAY_SIZE(style->shape))];
	} while (!used(shape));
	return make_filter(shape->can_id | (any(rig) & shape->any_id),
			   shape->mask | (any(rig) & shape->any_mask),
			   below(rig, 8));
}

/* One that differs a little from a filter in the list; there may be such one. */
static void remove_almost(struct rig *rig)
{
	struct filter f = *rig->inserted[below(rig, rig->count)];

	switch (below(rig, 6)) {
	case 0:
		f.can_id ^= CAN_INV_FILTER;
		break;
	case 1:
		f.mask ^= CAN_ERR_FLAG;
		break;
	case 2:
		f.can_id ^= BIT(below(rig, 32));
		break;
	case 3:
		f.mask ^= BIT(below(rig, 32));
		break;
	default:
		f.who ^= BIT(below(rig, 3));
	}
	remove(rig, f.can_id, f.mask, f.who);
}

/* By one that has no equal yet */
static void exchange_some(struct rig *rig)
{
	struct filter f = *rig->inserted[below(rig, rig->count)], like;
	u32 new = (f.who & 1) | 2 * below(rig, 1000);

	like = f;
	like.who = new;
	if (!newest_like(rig, &like))
		KUNIT_ASSERT_TRUE(rig->test, exchange(rig, f.can_id, f.mask,
						      f.who, new));
}

static void change(struct rig *rig, const struct style *style, bool more)
{
	struct filter f;

	if (!rig->count || more) {
		f = some_filter(rig, style);
		insert(rig, f.can_id, f.mask, f.who);
		return;
	}
	f = *rig->inserted[below(rig, rig->count)];
	KUNIT_ASSERT_TRUE(rig->test, remove(rig, f.can_id, f.mask, f.who));
}

static void wander(struct rig *rig, const struct style *style,
		   unsigned int goal)
{
	while (rig->count != goal) {
		change(rig, style, (rig->count < goal) ^ one_in(rig, 4));
		if (rig->count && one_in(rig, 4))
			remove_almost(rig);
		if (rig->count && one_in(rig, 4))
			exchange_some(rig);
		compare_some(rig, below(rig, 5));
	}
	compare_some(rig, 16);
	compare_classes(rig);
	expect_few_listed(rig);
}

static void frames_reach_their_receivers(struct kunit *test)
{
	const struct style *style = test->param_value;
	struct rig *rig = test->priv;

	while (rig->cases < style->cases) {
		wander(rig, style, below(rig, 8));
		wander(rig, style, below(rig, style->limit));
		if (one_in(rig, 4))
			drain(rig, 4);
	}
	drain(rig, 1);
}

/* Many receivers */

/**
 * struct crowd - filters number 0, 1, 2, …
 * @name: for the report
 * @can_id: of the first
 * @mask: of the first
 * @id_step: from each to the next
 * @masks: number of them if there are several, each one more than the one before
 */
struct crowd {
	const char *name;
	canid_t can_id;
	canid_t mask;
	canid_t id_step;
	unsigned int masks;
};

static struct filter nth_of(const struct crowd *crowd, unsigned int n)
{
	return make_filter(crowd->can_id + n * crowd->id_step,
			   crowd->mask + (crowd->masks ? n % crowd->masks : 0),
			   n);
}

static void insert_nth(struct rig *rig, const struct crowd *crowd,
		       unsigned int n)
{
	struct filter f = nth_of(crowd, n);

	insert(rig, f.can_id, f.mask, f.who);
}

/* 5000 of them, with each value once to several times */
static const struct crowd growing[] = {
	{ "standard identifiers", 0, ONE_SFF, 1 },
	{ "extended identifiers", CAN_EFF_FLAG, ONE_EFF, 1 },
	{ "far extended identifiers", CAN_EFF_FLAG, ONE_EFF, 0x2a0007 },
	{ "identifiers of both kinds", 0, CAN_SFF_MASK, 1 },
	{ "J1939 groups", CAN_EFF_FLAG | 0x18000000, FLAGS | 0x03ffff00, 0x100 },
	{ "RTR frames", FLAGS, ONE_EFF, 0x10001 },
};

KUNIT_ARRAY_PARAM_DESC(growing, growing, name);

/* Once in a while readers are known to be gone, and a table may grow early. */
static void tables_grow_and_empty(struct kunit *test)
{
	const struct crowd *crowd = test->param_value;
	struct rig *rig = test->priv;

	while (rig->count < 5000) {
		insert_nth(rig, crowd, below(rig, 2000));
		compare_some(rig, rig->count % 4 == 0);
		if (one_in(rig, 512))
			synchronize_rcu();
		if (is_power_of_2(rig->count))
			compare_classes(rig);
	}
	expect_enough_room(rig);
	if (rig->inserted[0]->class == CAN_RCV_FIL)
		KUNIT_EXPECT_EQ(test, CAN_RCV_LISTED,
				listed_with(rig, crowd->mask));
	compare_classes(rig);
	drain(rig, 1);
}

/* Not one of them, or of their places in tables, gets lost. */
static void many_are_exchanged(struct kunit *test)
{
	const struct crowd *crowd = test->param_value;
	struct rig *rig = test->priv;
	unsigned int i, n;

	for (i = 0; i < 2048; i++)
		insert_nth(rig, crowd, i);
	for (i = 0; i < 2048; i++) {
		n = i * 1021 % 2048;
		KUNIT_ASSERT_TRUE(test, exchange(rig, rig->pool[n].can_id,
						 rig->pool[n].mask, n,
						 n + 2048));
		if (i % 16 == 0)
			compare_some(rig, 4);
	}
	expect_enough_room(rig);
	KUNIT_EXPECT_EQ(test, rig->list->receivers.entries, 2048);
	compare_classes(rig);
	compare_some(rig, 256);
	drain(rig, 1);
}

static const struct crowd crowds[] = {
	{ "one standard identifier", 0x123, ONE_SFF },
	{ "one extended identifier", CAN_EFF_FLAG | 0x18fef100, ONE_EFF },
	{ "one range", 0x300, FLAGS | 0x700 },
	{ "extended identifiers", CAN_EFF_FLAG, ONE_EFF, 1 },
	{ "J1939 groups", CAN_EFF_FLAG, FLAGS | 0x03ffff00, 0x100 },
	{ "masks", CAN_EFF_FLAG, FLAGS | 1, 0, MOST },
};

KUNIT_ARRAY_PARAM_DESC(crowds, crowds, name);

/* An odd factor visits each number below a power of two once. */
static void many_receivers_come_and_go(struct kunit *test)
{
	const struct crowd *crowd = test->param_value;
	bool alike = !crowd->id_step && !crowd->masks;
	struct rig *rig = test->priv;
	unsigned int i;

	for (i = 0; i < MOST; i++) {
		insert_nth(rig, crowd, alike ? 0 : i);
		if (i % 8192 == 100)
			compare_some(rig, 1);
	}
	expect_enough_room(rig);
	compare_some(rig, 16);
	compare_classes(rig);
	for (i = 0; i < MOST; i++) {
		remove_filter(rig, &rig->pool[alike ? MOST - 1 - i :
					      i * 40503 % MOST]);
		if (i % 8192 == 100)
			compare_some(rig, 1);
	}
	expect_nothing_left(rig);
}

/* These and 0, as RTR frames, share a bucket of a table that has at most 2^@bits. */
static canid_t next_in_bucket(canid_t can_id, unsigned int bits)
{
	do {
		can_id++;
	} while (hash_32(can_id | FLAGS, bits) != hash_32(FLAGS, bits));
	return can_id;
}

/* A frame that arrives while a table is replaced meets the new receiver in its chain, and
 * then so many others that it goes on by the list.
 */
static void frame_arrives_while_a_filter_is_set(struct kunit *test)
{
	canid_t in_bucket = 0;
	struct rig *rig = test->priv;
	unsigned int i, n;

	if (!IS_ENABLED(CONFIG_PROVE_RCU))
		kunit_skip(test, "needs CONFIG_PROVE_RCU");
	insert(rig, FLAGS, ONE_EFF & ~1, 0);
	for (n = 1; n < 3 + 8 * MOST_PER_BUCKET; n++) {
		in_bucket = next_in_bucket(in_bucket, 8);
		insert(rig, in_bucket | FLAGS, ONE_EFF, n);
	}
	rig->peek = FLAGS;
	insert(rig, FLAGS, ONE_EFF, n);
	KUNIT_EXPECT_TRUE(test, rig->peeked);
	KUNIT_ASSERT_GE(test, rig->calls, 1);
	/* the one that was there is called once, after the new one if that is called */
	KUNIT_EXPECT_EQ(test, rig->called[rig->calls - 1], 0);
	for (i = 0; i + 1 < rig->calls; i++)
		KUNIT_EXPECT_EQ(test, rig->called[i], n);
	KUNIT_EXPECT_LE(test, rig->calls, 2);
	compare(rig, FLAGS);
	settle(rig);
	drain(rig, 1);
}

/* Long chains without a receiver of the frame, and behind them many with one: a search
 * by the index is given up, wherever it is.
 */
static void long_searches_are_given_up(struct kunit *test)
{
	canid_t in_bucket = 0;
	struct rig *rig = test->priv;
	unsigned int i, n, bit;

	for (n = 0; n < 1000; n++) {
		in_bucket = next_in_bucket(in_bucket, 8);
		/* a filter for RTR frames is none for one identifier */
		insert(rig, in_bucket | FLAGS, ONE_EFF, n);
	}
	for (bit = 0; bit < 16; bit++) {
		for (i = 0; i < 4 << (bit % 8); i++)
			insert(rig, FLAGS, ONE_EFF & ~BIT(bit), n++);
		compare(rig, FLAGS);
		compare(rig, FLAGS | in_bucket);
		compare(rig, FLAGS | (in_bucket ^ BIT(bit)));
		compare(rig, FLAGS | BIT(bit));
		compare_some(rig, 200);
	}
	settle(rig);
	compare_some(rig, 1000);
	drain(rig, 4);
}

/* What was many once and is few now needs little memory. */
static void tables_shrink(struct kunit *test)
{
	const struct crowd *crowd = test->param_value;
	struct rig *rig = test->priv;
	struct can_rcv_table *table;
	unsigned int n;

	for (n = 0; n < 4000; n++)
		insert_nth(rig, crowd, n);
	expect_enough_room(rig);
	while (rig->count > 10) {
		remove_filter(rig, rig->inserted[below(rig, rig->count)]);
		if (rig->count % 64 == 0)
			compare_some(rig, 4);
	}
	settle(rig);
	rcu_read_lock();
	hlist_for_each_entry_rcu(table, &rig->list->tables, node)
		KUNIT_EXPECT_LE(test, can_rcv_table_size(table), 128);
	table = rcu_dereference(rig->list->eff);
	if (table)
		KUNIT_EXPECT_LE(test, can_rcv_table_size(table), 128);
	rcu_read_unlock();
	compare_some(rig, 64);
	compare_classes(rig);
	for (n = 0; n < 1000; n++)
		insert_nth(rig, crowd, n);
	expect_enough_room(rig);
	compare_some(rig, 64);
	drain(rig, 1);
}

/**
 * struct lingerer - a reader that keeps grace periods from ending
 * @begun: to read
 * @stop: reading
 * @alone: nobody stopped it in time
 */
struct lingerer {
	struct completion begun;
	bool stop;
	bool alone;
};

static int linger(void *arg)
{
	unsigned long end = jiffies + 15 * HZ;
	struct lingerer *lingerer = arg;

	rcu_read_lock();
	complete(&lingerer->begun);
	while (!READ_ONCE(lingerer->stop) && time_before(jiffies, end)) {
		/* the other task gets its turn here, in user-mode Linux only here */
		preempt_disable();
		preempt_enable();
	}
	lingerer->alone = !READ_ONCE(lingerer->stop);
	rcu_read_unlock();
	return 0;
}

static void insert_beside_a_reader(struct rig *rig, const struct crowd *crowd,
				   unsigned int count)
{
	struct lingerer lingerer = {};
	struct task_struct *task;
	unsigned int i;

	init_completion(&lingerer.begun);
	task = kthread_run(linger, &lingerer, "can-rcvlist");
	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(task));
	get_task_struct(task);
	wait_for_completion(&lingerer.begun);
	for (i = 0; i < count; i++)
		insert_nth(rig, crowd, i);
	KUNIT_EXPECT_TRUE(rig->test, list_is_resizing(rig));
	WRITE_ONCE(lingerer.stop, true);
	kthread_stop_put(task);
	KUNIT_EXPECT_FALSE_MSG(rig->test, lingerer.alone,
			       "inserting filters waited for a grace period\n");
}

/* No writer waits for a grace period. A table that needs one to grow does so later,
 * without another receiver.
 */
static void tables_grow_without_a_wait(struct kunit *test)
{
	const struct crowd *crowd = test->param_value;
	struct rig *rig = test->priv;

	if (!IS_ENABLED(CONFIG_PREEMPT_RCU))
		kunit_skip(test, "needs CONFIG_PREEMPT_RCU");
	if (make_filter(crowd->can_id, crowd->mask, 0).class == CAN_RCV_SFF)
		kunit_skip(test, "single standard identifiers have no table");

	insert_beside_a_reader(rig, crowd, 4000);
	compare_some(rig, 32);
	expect_enough_room(rig);
	compare_some(rig, 32);
	drain(rig, 1);
}

/* A list that goes as a whole: KASAN knows what is free. */

/**
 * struct owned - memory of a list
 * @at: where it is
 * @count: entries of @at
 */
struct owned {
	const void **at;
	unsigned int count;
};

#define MOST_OWNED (2 * MOST)

static void own(struct owned *owned, const void *memory)
{
	/* the shadow of other memory goes with it */
	if (memory && !is_vmalloc_addr(memory) && owned->count < MOST_OWNED)
		owned->at[owned->count++] = memory;
}

static void own_receiver(const struct receiver *rcv, void *arg)
{
	own(arg, rcv);
}

static void own_hash(struct owned *owned, const struct can_rcv_hash *hash)
{
	struct hlist_node *node;
	unsigned int i;

	for (i = 0; i < 1 << hash->bits; i++)
		hlist_for_each(node, hash->bits ? &hash->bucket[i] : &hash->one)
			own(owned, node);
	own(owned, hash->bucket);
}

static unsigned int own_list(struct owned *owned, struct can_rcvlist *list)
{
	struct can_rcv_table *table;
	enum can_rcv_class class;
	unsigned int tables = 0;

	rcu_read_lock();
	for (class = 0; class < CLASSES; class++)
		can_rcvlist_for_each(list, class, own_receiver, owned);
	hlist_for_each_entry_rcu(table, &list->tables, node) {
		own(owned, table);
		tables++;
	}
	table = rcu_dereference(list->eff);
	own(owned, table);
	rcu_read_unlock();
	own_hash(owned, &list->receivers);
	own_hash(owned, &list->masks);
	return tables;
}

#ifdef CONFIG_KASAN_GENERIC
static bool is_freed(const void *memory)
{
	return *(const s8 *)kasan_mem_to_shadow(memory) < 0;
}
#else
static bool is_freed(const void *memory)
{
	return true;
}
#endif

static void expect_freed(struct rig *rig, struct owned *owned)
{
	unsigned int i, left = 0;

	rcu_barrier();
	kvfree_rcu_barrier();
	for (i = 0; i < owned->count; i++)
		left += !is_freed(owned->at[i]);
	KUNIT_EXPECT_EQ_MSG(rig->test, left, 0, "of %u", owned->count);
	owned->count = 0;
}

static void expect_cleared(struct rig *rig)
{
	mutex_lock(&rig->lock);
	can_rcvlist_retire(rig->list);
	mutex_unlock(&rig->lock);
	KUNIT_EXPECT_FALSE(rig->test, list_is_resizing(rig));
	can_rcvlist_clear(rig->list);
	while (rig->count)
		forget(rig, rig->inserted[rig->count - 1]);
	KUNIT_ASSERT_PTR_EQ(rig->test, NULL,
			    memchr_inv(rig->list, 0, sizeof(*rig->list)));
	can_rcvlist_set_owner(rig->list, &rig->owner, 0);
	compare_some(rig, 16);
	expect_nothing_left(rig);
}

static void clear_frees_all(struct kunit *test)
{
	static const struct crowd all[] = {
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
	unsigned int i, n, crowd;
	struct owned owned = {};

	owned.at = kvcalloc(MOST_OWNED, sizeof(*owned.at), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, owned.at);
	/* of each kind alone, and of all of them */
	for (i = 0; i < ARRAY_SIZE(counts); i++)
		for (crowd = 0; crowd <= ARRAY_SIZE(all); crowd++) {
			unsigned int receivers, tables;

			for (n = 0; n < counts[i] * ARRAY_SIZE(all); n++)
				if (crowd == n % ARRAY_SIZE(all) ||
				    crowd == ARRAY_SIZE(all))
					insert_nth(rig, &all[n % ARRAY_SIZE(all)],
						   n / ARRAY_SIZE(all));
			receivers = rig->count;
			compare_some(rig, 16);
			tables = own_list(&owned, rig->list);
			/* each receiver is found in two ways */
			KUNIT_EXPECT_GE(test, owned.count, 2 * receivers);
			/* three of each of 200 masks, and many of a range */
			if (counts[i] == 600 && crowd == ARRAY_SIZE(all))
				KUNIT_EXPECT_EQ(test, tables, 201);
			expect_cleared(rig);
			expect_freed(rig, &owned);
			cond_resched();
		}
	kvfree(owned.at);
}

/* Allocations that fail */

/**
 * struct shortage - a list, and what memory the next filter needs
 * @name: for the report
 * @crowd: filters in the list, and the next one
 * @count: of filters in the list
 * @brim: and as many more as its table takes before it has to grow
 * @refusals: allocations that the filter cannot do without, at least
 * @survived: allocations that it can do without, at least
 */
struct shortage {
	const char *name;
	struct crowd crowd;
	unsigned int count;
	bool brim;
	unsigned int refusals;
	unsigned int survived;
};

#define ANY { .can_id = 0x123 }
#define SFFS { .can_id = 0, .mask = ONE_SFF, .id_step = 1 }
#define EFFS { .can_id = CAN_EFF_FLAG, .mask = ONE_EFF, .id_step = 1 }
#define RANGES { .can_id = 0, .mask = CAN_SFF_MASK, .id_step = 1 }
#define MASKS { .can_id = 0, .mask = FLAGS | 1, .masks = MOST }

static const struct shortage shortages[] = {
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

KUNIT_ARRAY_PARAM_DESC(shortages, shortages, name);

static bool table_is_full(struct rig *rig)
{
	struct can_rcv_table *table;
	bool full;

	settle(rig);
	rcu_read_lock();
	table = rcu_dereference(rig->list->eff);
	if (!table)
		table = hlist_entry(hlist_first_rcu(&rig->list->tables),
				    struct can_rcv_table, node);
	full = table->entries == can_rcv_table_size(table) * MOST_PER_BUCKET;
	rcu_read_unlock();
	return full;
}

static void compare_all(struct rig *rig)
{
	compare_some(rig, 32);
	if (rig->count)
		compare_classes(rig);
	else
		expect_nothing_left(rig);
}

/* Return: -ENOMEM, 1 if it went well without an allocation, 0 if none failed. */
static int insert_short_of(struct rig *rig, const struct crowd *crowd,
			   unsigned int number)
{
	unsigned int n = rig->count;
	struct filter f = nth_of(crowd, n);
	bool failed;
	int err;

	fail_allocation(number);
	err = try_insert(rig, f.can_id, f.mask, f.who);
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

static void insertion_survives_shortage(struct kunit *test)
{
	const struct shortage *shortage = test->param_value;
	unsigned int refusals = 0, survived = 0, number = 1;
	struct rig *rig = test->priv;
	int result;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");

	while (rig->count < shortage->count ||
	       (shortage->brim && !table_is_full(rig)))
		insert_nth(rig, &shortage->crowd, rig->count);
	do {
		result = insert_short_of(rig, &shortage->crowd, number++);
		refusals += result < 0;
		survived += result > 0;
	} while (result);
	KUNIT_EXPECT_GE(test, refusals, shortage->refusals);
	KUNIT_EXPECT_GE(test, survived, shortage->survived);

	insert_nth(rig, &shortage->crowd, rig->count);
	expect_enough_room(rig);
	compare_all(rig);
	drain(rig, 1);
}

/* What failed to grow for long has much to grow. */
static void table_grows_after_long_shortage(struct kunit *test)
{
	static const struct crowd crowds[] = { EFFS, RANGES };
	struct rig *rig = test->priv;
	unsigned int i;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");

	for (i = 0; i < ARRAY_SIZE(crowds); i++) {
		while (rig->count < 4)
			insert_nth(rig, &crowds[i], rig->count);
		while (rig->count < 300) {
			fail_allocation(2);
			insert_nth(rig, &crowds[i], rig->count % 100);
			allocation_failed();
		}
		compare_all(rig);
		while (rig->count < 310)
			insert_nth(rig, &crowds[i], rig->count);
		expect_enough_room(rig);
		compare_all(rig);
		drain(rig, 1);
	}
}

/* A reader, and a writer that takes turns with it */

/* Visitors have greater numbers than those who stay. */
#define FIRST_VISITOR 0x10000
#define MOST_VISITORS 200

/* Those who stay have two names, which are exchanged. */
#define STAYERS 48
#define ALIAS 0x1000

/**
 * struct writer - lets visitors come to a list and go while it is read
 * @rig: whose reference knows those that stay
 * @turn: to change the list
 * @rnd: source of everything that is drawn
 * @shape: of visitors that come
 * @coming: more of them, until there are MOST_VISITORS
 * @visitor: those that are in the list
 * @count: of visitors in the list
 * @who: number of the next one
 * @renamed: who stays and has the other name
 * @renames: made so far
 * @changes: made so far
 * @stop: and end
 */
struct writer {
	struct rig *rig;
	struct completion turn;
	struct rnd_state rnd;
	const struct shape *shape;
	bool coming;
	struct filter visitor[MOST_VISITORS];
	unsigned int count;
	u32 who;
	bool renamed[STAYERS];
	unsigned int renames;
	unsigned int changes;
	bool stop;
};

/* One of the frames matches most of them. */
static const canid_t visited_frames[] = {
	0x123, CAN_EFF_FLAG | 0x123, 0x123, CAN_ERR_FLAG | 0x123
};

static const struct shape visitor_shapes[] = {
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

static void come(struct writer *w)
{
	u32 r = prandom_u32_state(&w->rnd);
	struct filter f = make_filter(w->shape->can_id | (r & w->shape->any_id),
				      w->shape->mask | (r & w->shape->any_mask),
				      w->who++);

	KUNIT_EXPECT_EQ(w->rig->test, 0,
			list_insert(w->rig, f.can_id, f.mask, f.who));
	w->visitor[w->count++] = f;
}

static void leave(struct writer *w)
{
	u32 n = prandom_u32_state(&w->rnd) % w->count;
	struct filter f = w->visitor[n];

	w->visitor[n] = w->visitor[--w->count];
	KUNIT_EXPECT_TRUE(w->rig->test,
			  list_remove(w->rig, f.can_id, f.mask, f.who));
}

static void rename_stayer(struct writer *w, u32 n)
{
	struct filter f = *w->rig->inserted[n];
	u32 from = f.who + w->renamed[n] * ALIAS;
	u32 to = f.who + !w->renamed[n] * ALIAS;

	KUNIT_EXPECT_TRUE(w->rig->test,
			  list_exchange(w->rig, f.can_id, f.mask, from, to));
	w->renamed[n] = !w->renamed[n];
	w->renames++;
}

static void come_or_leave(struct writer *w)
{
	u32 r = prandom_u32_state(&w->rnd);

	if (!w->count && !w->coming) {
		w->coming = true;
		w->shape = &visitor_shapes[r % ARRAY_SIZE(visitor_shapes)];
	}
	if (w->count == MOST_VISITORS)
		w->coming = false;
	if (!w->count || (w->count < MOST_VISITORS && w->coming == !!(r >> 30)))
		come(w);
	else
		leave(w);
	w->changes++;
}

static int take_turns(void *arg)
{
	struct writer *w = arg;

	for (;;) {
		wait_for_completion(&w->turn);
		if (READ_ONCE(w->stop))
			return 0;
		if (prandom_u32_state(&w->rnd) % 4)
			come_or_leave(w);
		else
			rename_stayer(w, prandom_u32_state(&w->rnd) % STAYERS);
	}
}

static int compare_numbers(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* Those who stay are called once and in order, visitors at most once. */
static bool stayed_and_visited(struct rig *rig)
{
	unsigned int i, stayed = 0, visited = 0;
	u32 *visitor = rig->called + MOST / 2;

	for (i = 0; i < rig->calls; i++)
		if (rig->called[i] < FIRST_VISITOR)
			rig->called[stayed++] = rig->called[i] & ~ALIAS;
		else
			visitor[visited++] = rig->called[i];
	sort(visitor, visited, sizeof(*visitor), compare_numbers, NULL);
	for (i = 1; i < visited; i++)
		if (visitor[i] == visitor[i - 1])
			return false;
	return stayed == rig->expectations &&
	       !memcmp(rig->called, rig->expected, stayed * sizeof(u32));
}

/* Softirqs are on: what has to hold for readers is only rcu_read_lock(). */
static bool read_and_compare(struct rig *rig, canid_t frame)
{
	int count;

	((struct can_frame *)rig->skb->data)->can_id = frame;
	rig->calls = 0;
	rcu_read_lock();
	count = can_rcvlist_deliver(rig->list, rig->skb);
	rcu_read_unlock();
	expect_calls(rig, frame);
	return rig->calls == count && count < MOST / 2 &&
	       stayed_and_visited(rig);
}

/* Those who stay are shown once. */
static bool show_and_compare(struct rig *rig)
{
	enum can_rcv_class class;
	unsigned int i, stayed;

	for (class = 0; class < CLASSES; class++) {
		show_class(rig, class);
		if (rig->showing > MOST)
			return false;
		for (i = 0, stayed = 0; i < rig->showing; i++)
			if (rig->shown[i].who < FIRST_VISITOR) {
				rig->shown[stayed] = rig->shown[i];
				rig->shown[stayed++].who &= ~ALIAS;
			}
		if (stayed != expect_class(rig, class, &rig->shown[MOST]) ||
		    !shown_as_expected(rig, class, stayed))
			return false;
	}
	return true;
}

static bool read_both_ways(struct rig *rig, unsigned int n)
{
	canid_t frame = visited_frames[n % ARRAY_SIZE(visited_frames)];

	return read_and_compare(rig, frame) &&
	       (n % 8 || show_and_compare(rig));
}

static unsigned int read_in_turns(struct rig *rig, struct writer *w,
				  unsigned int frames)
{
	struct task_struct *task;
	unsigned int n = 0;

	task = kthread_run(take_turns, w, "can-rcvlist");
	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(task));
	get_task_struct(task);
	sched_set_fifo(task);
	rig->turn = &w->turn;
	while (n < frames && read_both_ways(rig, n))
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
	struct filter f;

	if (!IS_ENABLED(CONFIG_PREEMPT_RCU))
		kunit_skip(test, "needs CONFIG_PREEMPT_RCU");

	for (round = 0; round < 20; round++) {
		w = (struct writer){ .rig = rig, .who = FIRST_VISITOR };
		init_completion(&w.turn);
		prandom_seed_state(&w.rnd, rig->seed + round);
		for (i = 0; i < STAYERS; i++) {
			const struct shape *shape = &visitor_shapes[i % ARRAY_SIZE(visitor_shapes)];

			insert(rig, shape->can_id | (any(rig) & shape->any_id),
			       shape->mask | (any(rig) & shape->any_mask), i);
		}
		KUNIT_ASSERT_EQ_MSG(test, 200, read_in_turns(rig, &w, 200),
				    "seed %llu, round %u\n", rig->seed, round);
		changes += w.changes;
		renames += w.renames;
		while (w.count)
			leave(&w);
		for (i = 0; i < STAYERS; i++)
			if (w.renamed[i])
				rename_stayer(&w, i);
		while (rig->count) {
			f = *rig->inserted[below(rig, rig->count)];
			KUNIT_ASSERT_TRUE(test, remove(rig, f.can_id, f.mask, f.who));
		}
		expect_nothing_left(rig);
	}
	KUNIT_EXPECT_GT(test, changes, 0);
	KUNIT_EXPECT_GT(test, renames, 0);
	kunit_info(test, "%u changes, %u exchanges\n", changes, renames);
}

static struct kunit_case rcvlist_test_cases[] = {
	KUNIT_CASE_PARAM(filter_is_of_its_class, sorts_gen_params),
	KUNIT_CASE(frame_is_delivered_in_order),
	KUNIT_CASE(newest_of_equals_is_removed),
	KUNIT_CASE(filters_of_other_classes_are_others),
	KUNIT_CASE(exchanged_keeps_its_place),
	KUNIT_CASE(others_are_not_exchanged),
	KUNIT_CASE(socket_stays_until_receiver_is_gone),
	KUNIT_CASE_PARAM_ATTR(frames_reach_their_receivers, styles_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	KUNIT_CASE_PARAM(tables_grow_and_empty, growing_gen_params),
	KUNIT_CASE_PARAM_ATTR(many_receivers_come_and_go, crowds_gen_params,
			      { .speed = KUNIT_SPEED_SLOW }),
	KUNIT_CASE_PARAM(many_are_exchanged, growing_gen_params),
	KUNIT_CASE(long_searches_are_given_up),
	KUNIT_CASE(frame_arrives_while_a_filter_is_set),
	KUNIT_CASE_PARAM(tables_shrink, growing_gen_params),
	KUNIT_CASE_PARAM(tables_grow_without_a_wait, growing_gen_params),
	KUNIT_CASE(clear_frees_all),
	KUNIT_CASE_PARAM(insertion_survives_shortage, shortages_gen_params),
	KUNIT_CASE(table_grows_after_long_shortage),
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
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_LICENSE("Dual BSD/GPL");
