// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * KUnit suite of the tables of gateway rules, and of the gateway that uses them.
 *
 * The reference is a list of all rules that is searched from the youngest to the
 * oldest. Frames go the way of a real one, from the receive hook of a device, which is
 * not registered. What does not need all combinations is drawn from pseudo-random
 * numbers.
 */
#include <kunit/test.h>
#include <linux/can/can-ml.h>
#include <linux/can/core.h>
#include <linux/can/error.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/if_arp.h>
#include <linux/kasan.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "fail_nth.h"
#include "gw_net.h"
#include "rcvnet.h"

#define DEVICES 3
#define MOST 256
#define MOST_GONE 64

#define ERRORS (CAN_ERR_FLAG | CAN_ERR_MASK)

/**
 * struct expected - a rule as the reference knows it
 * @rule: which it is
 * @key: what it was made with
 * @uid: the name of its modification, 0 without one
 * @value: what its modification sets the identifier to, 0 without one
 * @handle: which it got when it was added
 * @count: of each enum cgw_event
 */
struct expected {
	struct cgw_rule *rule;
	struct cgw_key key;
	u32 uid;
	canid_t value;
	u64 handle;
	u64 count[CGW_EV_COUNT];
};

/**
 * struct rig - what a case works with
 * @gn: the gateway under test
 * @dev: devices, which are sources and destinations, and one that has no rules
 * @ml: of @dev
 * @skb: the frame
 * @rnd: for what is drawn
 * @list: the reference, the oldest first
 * @count: entries of @list
 * @gone: handles of rules that are gone, some of them
 * @going: entries of @gone ever made
 * @called: rules that a frame was given to
 * @calls: entries of @called
 * @turn: lets a writer have its turn with each call, or NULL
 */
struct rig {
	struct cgw_net gn;
	struct net_device *dev[DEVICES + 1];
	struct can_ml_priv *ml[DEVICES + 1];
	struct sk_buff *skb;
	struct rnd_state rnd;
	struct expected list[MOST];
	unsigned int count;
	u64 gone[MOST_GONE];
	unsigned int going;
	struct cgw_rule *called[MOST];
	unsigned int calls;
	struct completion *turn;
};

static struct rig *the_rig;

static u32 below(struct rig *rig, u32 ceil)
{
	return prandom_u32_state(&rig->rnd) % ceil;
}

/* The first rule of a frame has sent it, the next one dropped it, and so on. */
static void route(struct sk_buff *skb, void *data)
{
	struct cgw_rule *rule = data;

	local_bh_disable();
	cgw_count(rule->stats, the_rig->calls % CGW_EV_COUNT);
	local_bh_enable();
	if (the_rig->calls < MOST)
		the_rig->called[the_rig->calls] = rule;
	the_rig->calls++;
	if (the_rig->turn)
		complete(the_rig->turn);
}

/* What writers of a gateway do under rtnl_lock(). */

static int rtnl_gw_add(struct cgw_net *gn, struct cgw_rule *rule)
{
	int err;

	rtnl_lock();
	err = cgw_net_add(gn, rule);
	rtnl_unlock();
	return err;
}

static void rtnl_gw_del(struct cgw_net *gn, struct cgw_rule *rule)
{
	rtnl_lock();
	cgw_net_del(gn, rule);
	rtnl_unlock();
}

static int rtnl_gw_replace(struct cgw_net *gn, struct cgw_rule *rule,
			   struct cgw_rule *new)
{
	int err;

	rtnl_lock();
	err = cgw_net_replace(gn, rule, new);
	rtnl_unlock();
	return err;
}

static void rtnl_gw_change(struct cgw_net *gn, struct cgw_rule *rule,
			   struct cgw_mod *mod)
{
	rtnl_lock();
	cgw_net_change(gn, rule, mod);
	rtnl_unlock();
}

static void rtnl_gw_flush(struct cgw_net *gn)
{
	rtnl_lock();
	cgw_net_flush(gn);
	rtnl_unlock();
}

static int rtnl_gw_exchange(struct cgw_net *gn, struct cgw_table *new)
{
	int err;

	rtnl_lock();
	err = cgw_net_exchange(gn, new);
	rtnl_unlock();
	return err;
}

static int rtnl_gw_exchange_source(struct cgw_net *gn, struct cgw_table *new,
				   const struct net_device *dev)
{
	int err;

	rtnl_lock();
	err = cgw_net_exchange_source(gn, new, dev);
	rtnl_unlock();
	return err;
}

static void rtnl_gw_dev_unregister(struct cgw_net *gn,
				   const struct net_device *dev,
				   void (*gone)(const struct cgw_rule *rule,
						void *arg),
				   void *arg)
{
	rtnl_lock();
	cgw_net_dev_unregister(gn, dev, gone, arg);
	rtnl_unlock();
}

static void rtnl_gw_exit(struct cgw_net *gn)
{
	rtnl_lock();
	cgw_net_exit(gn);
	rtnl_unlock();
}

static struct cgw_table *rtnl_gw_table(struct cgw_net *gn)
{
	struct cgw_table *table;

	rtnl_lock();
	table = cgw_net_table(gn);
	rtnl_unlock();
	return table;
}

static struct cgw_rule *rtnl_find(struct cgw_table *table,
				  const struct cgw_key *key,
				  const struct cgw_mod *mod)
{
	struct cgw_rule *rule;

	rtnl_lock();
	rule = cgw_table_find(table, key, mod);
	rtnl_unlock();
	return rule;
}

static struct cgw_rule *rtnl_find_uid(struct cgw_table *table, u32 uid)
{
	struct cgw_rule *rule;

	rtnl_lock();
	rule = cgw_table_find_uid(table, uid);
	rtnl_unlock();
	return rule;
}

static struct cgw_mod *rtnl_rule_mod(const struct cgw_rule *rule)
{
	struct cgw_mod *mod;

	rtnl_lock();
	mod = cgw_rule_mod(rule);
	rtnl_unlock();
	return mod;
}

static enum can_rx_hook_result receive(struct can_rx_hook *hook,
				       struct sk_buff *skb)
{
	struct cgw_source *source = cgw_port_source(hook);

	return source && cgw_source_deliver(source, skb) ? CAN_RX_HOOK_MATCHED :
							   CAN_RX_HOOK_UNMATCHED;
}

static void setup_device(struct net_device *dev)
{
	dev->type = ARPHRD_CAN;
}

static int table_test_init(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	test->priv = rig;
	the_rig = rig;
	prandom_seed_state(&rig->rnd, 20261122);
	for (i = 0; i <= DEVICES; i++) {
		rig->dev[i] = alloc_netdev(0, "kunit%d", NET_NAME_UNKNOWN,
					   setup_device);
		KUNIT_ASSERT_NOT_NULL(test, rig->dev[i]);
		rig->dev[i]->ifindex = 1000 + i;
		rig->ml[i] = kunit_kzalloc(test, sizeof(*rig->ml[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, rig->ml[i]);
		can_set_ml_priv(rig->dev[i], rig->ml[i]);
	}
	rig->skb = alloc_skb(sizeof(struct can_frame), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->skb);
	skb_put_zero(rig->skb, sizeof(struct can_frame));
	return cgw_net_init(&rig->gn, &init_net, route, receive);
}

static void table_test_exit(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	if (!rig)
		return;
	rtnl_gw_exit(&rig->gn);
	cgw_net_release(&rig->gn);
	KUNIT_EXPECT_EQ(test, rig->gn.ports.entries, 0);
	for (i = 0; i <= DEVICES; i++)
		KUNIT_EXPECT_NULL(test, rcu_access_pointer(rig->ml[i]->rx_hook));
	KUNIT_EXPECT_EQ(test, rig->gn.accounted, 0);
	/* nobody receives any more after that */
	rcu_barrier();
	for (i = 0; i <= DEVICES; i++)
		free_netdev(rig->dev[i]);
	kfree_skb(rig->skb);
}

/* Rules */

static struct cgw_key make_key(struct rig *rig, unsigned int src,
			       unsigned int dst, canid_t can_id, canid_t mask)
{
	return (struct cgw_key){
		.filter = { .can_id = can_id, .can_mask = mask },
		.src_idx = rig->dev[src]->ifindex,
		.dst_idx = rig->dev[dst]->ifindex,
	};
}

static struct cgw_mod *make_mod(struct kunit *test, u32 uid, canid_t value)
{
	struct cgw_mod_request request = { .uid = uid };
	struct cgw_mod *mod;

	if (!uid && !value)
		return NULL;
	request.fields[CGW_OP_SET] = CGW_MOD_ID;
	request.op[CGW_OP_SET].can_id = value;
	mod = cgw_mod_make(&request);
	KUNIT_ASSERT_FALSE(test, IS_ERR(mod));
	return mod;
}

static unsigned int device_of(struct rig *rig, u32 ifindex)
{
	return ifindex - rig->dev[0]->ifindex;
}

static struct cgw_rule *make_rule(struct kunit *test, const struct cgw_key *key,
				  u32 uid, canid_t value)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule;

	rule = cgw_rule_alloc(key, make_mod(test, uid, value),
			      rig->dev[device_of(rig, key->src_idx)],
			      rig->dev[device_of(rig, key->dst_idx)]);
	KUNIT_ASSERT_NOT_NULL(test, rule);
	rule->name = kstrdup("kunit", GFP_KERNEL);
	return rule;
}

static void remember(struct rig *rig, struct cgw_rule *rule,
		     const struct cgw_key *key, u32 uid, canid_t value)
{
	rig->list[rig->count++] = (struct expected){
		.rule = rule, .key = *key, .uid = uid, .value = value,
		.handle = rule->handle,
	};
}

static void forget(struct rig *rig, unsigned int i)
{
	rig->gone[rig->going++ % MOST_GONE] = rig->list[i].handle;
	rig->count--;
	memmove(&rig->list[i], &rig->list[i + 1],
		(rig->count - i) * sizeof(rig->list[0]));
}

static void add(struct kunit *test, const struct cgw_key *key, u32 uid,
		canid_t value)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule = make_rule(test, key, uid, value);

	KUNIT_ASSERT_EQ(test, rtnl_gw_add(&rig->gn, rule), 0);
	remember(rig, rule, key, uid, value);
}

static void add_simple(struct kunit *test, unsigned int src, canid_t mask)
{
	struct cgw_key key = make_key(test->priv, src, 2, 0x120, mask);

	add(test, &key, 0, 0);
}

static struct cgw_table *make_table(struct kunit *test)
{
	struct cgw_table *table = cgw_table_alloc(route, NULL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	return table;
}

/* As somebody does who makes a whole table for cgw_net_exchange() */
static struct cgw_rule *add_to(struct kunit *test, struct cgw_table *table,
			       const struct cgw_key *key, canid_t value)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule = make_rule(test, key, 0, value);

	rule->handle = ++rig->gn.handles;
	KUNIT_ASSERT_EQ(test, cgw_table_add(table, rule), 0);
	return rule;
}

static void add_simple_to(struct kunit *test, struct cgw_table *table,
			  unsigned int src, canid_t mask)
{
	struct cgw_key key = make_key(test->priv, src, 2, 0x120, mask);

	add_to(test, table, &key, 0);
}

static struct cgw_rule *rule_like(struct kunit *test, unsigned int i,
				  canid_t mask)
{
	struct rig *rig = test->priv;
	struct cgw_key key = rig->list[i].key;

	key.filter.can_mask = mask;
	return make_rule(test, &key, rig->list[i].uid, rig->list[i].value);
}

/* The reference */

/* @rule has come into the place of number @i. */
static void replaced(struct rig *rig, unsigned int i, struct cgw_rule *rule,
		     u32 uid, canid_t value)
{
	struct expected *e = &rig->list[i];

	e->rule = rule;
	e->key = rule->key;
	e->uid = uid;
	e->value = value;
}

static void forget_all(struct rig *rig)
{
	while (rig->count)
		forget(rig, rig->count - 1);
}

static void forget_source(struct rig *rig, unsigned int device)
{
	unsigned int i = 0;

	while (i < rig->count)
		if (rig->list[i].key.src_idx == rig->dev[device]->ifindex)
			forget(rig, i);
		else
			i++;
}

static bool same_rule(const struct expected *e, const struct cgw_key *key,
		      u32 uid, canid_t value)
{
	if (e->key.filter.can_id != key->filter.can_id ||
	    e->key.filter.can_mask != key->filter.can_mask ||
	    e->key.src_idx != key->src_idx || e->key.dst_idx != key->dst_idx ||
	    e->key.flags != key->flags || e->key.limit_hops != key->limit_hops ||
	    e->key.frames != key->frames)
		return false;
	return e->uid || uid ? e->uid == uid : e->value == value;
}

static int ref_find(struct rig *rig, const struct cgw_key *key, u32 uid,
		    canid_t value)
{
	int i;

	for (i = rig->count - 1; i >= 0; i--)
		if (same_rule(&rig->list[i], key, uid, value))
			return i;
	return -1;
}

/* The suite has no inverted filters, and no RTR frames; the order of all kinds of
 * filters is for the suite of the filter index.
 */
static unsigned int ref_rank(const struct can_filter *f)
{
	if (f->can_mask & CAN_ERR_FLAG)
		return 0;
	if (!f->can_mask)
		return 1;
	return f->can_mask == (CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG) ? 3 : 2;
}

static bool ref_wants(const struct can_filter *f, canid_t frame)
{
	if (frame & CAN_ERR_FLAG)
		return f->can_mask & CAN_ERR_FLAG && frame & f->can_mask & CAN_ERR_MASK;
	return !(f->can_mask & CAN_ERR_FLAG) &&
	       !((frame ^ f->can_id) & f->can_mask);
}

static enum can_rx_hook_result deliver(struct rig *rig, unsigned int device,
				       canid_t can_id)
{
	enum can_rx_hook_result result;

	((struct can_frame *)rig->skb->data)->can_id = can_id;
	rig->calls = 0;
	rcu_read_lock();
	result = can_rx_hook_call(rig->dev[device], rig->skb);
	rcu_read_unlock();
	return result;
}

static void check_frame(struct kunit *test, unsigned int device, canid_t frame)
{
	struct rig *rig = test->priv;
	unsigned int rank, calls = 0;
	int i;

	deliver(rig, device, frame);
	for (rank = 0; rank <= 3; rank++) {
		for (i = rig->count - 1; i >= 0; i--) {
			struct expected *e = &rig->list[i];

			if (e->key.src_idx != rig->dev[device]->ifindex ||
			    ref_rank(&e->key.filter) != rank ||
			    !ref_wants(&e->key.filter, frame))
				continue;
			if (calls < rig->calls)
				KUNIT_ASSERT_PTR_EQ_MSG(test, rig->called[calls],
							e->rule,
							"frame %08x, call %u",
							frame, calls);
			e->count[calls % CGW_EV_COUNT]++;
			calls++;
		}
	}
	KUNIT_ASSERT_EQ(test, rig->calls, calls);
}

static void check_list(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule;
	int i = rig->count;

	rcu_read_lock();
	hlist_for_each_entry_rcu(rule, &cgw_net_table(&rig->gn)->rules, table_node) {
		if (--i < 0 || rule != rig->list[i].rule)
			break;
	}
	rcu_read_unlock();
	KUNIT_ASSERT_NULL(test, rule);
	KUNIT_ASSERT_EQ(test, i, 0);
}

static struct cgw_rule *ref_next(struct rig *rig, u64 handle)
{
	int i;

	for (i = rig->count - 1; i >= 0; i--)
		if (!handle || rig->list[i].handle < handle)
			return rig->list[i].rule;
	return NULL;
}

static void check_next(struct kunit *test, u64 handle)
{
	struct rig *rig = test->priv;

	KUNIT_ASSERT_PTR_EQ(test, cgw_table_next(rtnl_gw_table(&rig->gn), handle),
			    ref_next(rig, handle));
}

/* They are as they were given out, and rise from the oldest to the youngest. */
static void check_handles(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table = rtnl_gw_table(&rig->gn);
	u64 last = 0, gone = rig->gone[below(rig, MOST_GONE)];
	unsigned int i;

	for (i = 0; i < rig->count; i++) {
		const struct expected *e = &rig->list[i];

		KUNIT_ASSERT_EQ(test, e->rule->handle, e->handle);
		KUNIT_ASSERT_GT(test, e->handle, last);
		KUNIT_ASSERT_PTR_EQ(test, cgw_table_find_handle(table, e->handle),
				    e->rule);
		check_next(test, e->handle);
		last = e->handle;
	}
	KUNIT_ASSERT_LE(test, last, rig->gn.handles);
	check_next(test, 0);
	check_next(test, U64_MAX);
	if (!gone)
		return;
	KUNIT_ASSERT_NULL(test, cgw_table_find_handle(table, gone));
	check_next(test, gone);
}

static void check_counters(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, event;
	u64 sum[CGW_EV_COUNT];

	for (i = 0; i < rig->count; i++) {
		const struct expected *e = &rig->list[i];
		u64 matched = 0;

		cgw_rule_stats(e->rule, sum);
		for (event = 0; event < CGW_EV_COUNT; event++) {
			KUNIT_ASSERT_EQ(test, sum[event], e->count[event]);
			matched += e->count[event];
		}
		KUNIT_ASSERT_EQ(test, cgw_stats_matched(sum), matched);
	}
}

static void check_numbers(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table = rtnl_gw_table(&rig->gn);
	unsigned int i, device, xl = 0, from[DEVICES] = {};

	for (i = 0; i < rig->count; i++) {
		xl += rig->list[i].key.frames == CGW_FRAMES_XL;
		from[device_of(rig, rig->list[i].key.src_idx)]++;
	}
	KUNIT_ASSERT_EQ(test, table->count, rig->count);
	KUNIT_ASSERT_EQ(test, table->xl, xl);
	for (device = 0; device < DEVICES; device++) {
		struct cgw_source *source;

		source = cgw_table_source(table, rig->dev[device]);
		KUNIT_ASSERT_EQ(test, cgw_source_count(source), from[device]);
		KUNIT_ASSERT_EQ(test, !source, !from[device]);
	}
}

static void count_receiver(const struct receiver *rcv, void *arg)
{
	unsigned int *count = arg;

	(*count)++;
}

/* /proc/net/can has a receiver for each rule, and devices without rules have no hook. */
static void check_receivers(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int device, i, ports = 0;

	for (device = 0; device < DEVICES; device++) {
		unsigned int rules = 0, shown = 0;
		enum can_rcv_class class;
		struct can_rcvlist *list;

		for (i = 0; i < rig->count; i++)
			rules += rig->list[i].key.src_idx == rig->dev[device]->ifindex;
		rcu_read_lock();
		list = can_rx_hook_receivers(rig->dev[device]);
		for (class = 0; list && class <= CAN_RCV_SFF; class++)
			can_rcvlist_for_each(list, class, count_receiver, &shown);
		rcu_read_unlock();
		KUNIT_ASSERT_EQ(test, !list, !rules);
		KUNIT_ASSERT_EQ(test, shown, rules);
		KUNIT_ASSERT_EQ(test, !rcu_access_pointer(rig->ml[device]->rx_hook),
				!rules);
		ports += !!rules;
	}
	KUNIT_ASSERT_EQ(test, rig->gn.ports.entries, ports);
	KUNIT_ASSERT_EQ(test, rig->gn.accounted, rig->count);
}

static const canid_t some_masks[] = {
	0, CAN_SFF_MASK, 0x7F0, 0x7FE, 0x700,
	CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG,
	CAN_ERR_FLAG | CAN_ERR_CRTL, ERRORS,
};

static canid_t some_frame(struct rig *rig)
{
	if (!below(rig, 8))
		return CAN_ERR_FLAG | (below(rig, 2) ? CAN_ERR_CRTL : CAN_ERR_ACK);
	return 0x120 + below(rig, 8);
}

static struct cgw_key some_key(struct rig *rig)
{
	canid_t mask = some_masks[below(rig, ARRAY_SIZE(some_masks))];
	struct cgw_key key;

	key = make_key(rig, below(rig, DEVICES), below(rig, DEVICES),
		       0x120 + below(rig, 8), mask);
	key.flags = below(rig, 2);
	key.limit_hops = below(rig, 2);
	key.frames = below(rig, 3);
	return key;
}

static void check_all(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	check_list(test);
	check_handles(test);
	check_numbers(test);
	check_receivers(test);
	check_counters(test);
	for (i = 0; i < 3; i++)
		check_frame(test, below(rig, DEVICES), some_frame(rig));
}

/* Edits */

static void edit_add(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = some_key(rig);

	if (rig->count < MOST)
		add(test, &key, 0, below(rig, 3));
}

static void edit_add_named(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = some_key(rig);
	u32 uid = 1 + below(rig, 16);
	unsigned int i;

	for (i = 0; i < rig->count; i++)
		if (rig->list[i].uid == uid)
			return;
	KUNIT_ASSERT_NULL(test, rtnl_find_uid(rtnl_gw_table(&rig->gn), uid));
	if (rig->count < MOST)
		add(test, &key, uid, below(rig, 3));
}

static void edit_change(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 uid = 1 + below(rig, 16);
	struct cgw_rule *rule;
	struct cgw_mod *mod;
	unsigned int i;

	rule = rtnl_find_uid(rtnl_gw_table(&rig->gn), uid);
	for (i = 0; i < rig->count; i++)
		if (rig->list[i].uid == uid)
			break;
	KUNIT_ASSERT_PTR_EQ(test, rule,
			    i < rig->count ? rig->list[i].rule : NULL);
	if (!rule)
		return;
	rig->list[i].value = below(rig, 1000);
	mod = make_mod(test, uid, rig->list[i].value);
	rtnl_gw_change(&rig->gn, rule, mod);
	KUNIT_ASSERT_PTR_EQ(test, rtnl_rule_mod(rule), mod);
}

static u32 unused_uid(struct rig *rig)
{
	u32 uid = 1 + below(rig, 16);
	unsigned int i;

	for (i = 0; i < rig->count; i++)
		if (rig->list[i].uid == uid)
			return 0;
	return uid;
}

/* The source stays, and nothing else has to. */
static void replace_some(struct kunit *test, bool same_filter)
{
	struct rig *rig = test->priv;
	struct cgw_key key = some_key(rig);
	struct cgw_rule *rule;
	canid_t value = below(rig, 3);
	const struct expected *e;
	unsigned int i;
	u32 uid;

	if (!rig->count)
		return;
	i = below(rig, rig->count);
	e = &rig->list[i];
	key.src_idx = e->key.src_idx;
	if (same_filter)
		key.filter = e->key.filter;
	uid = below(rig, 2) ? e->uid : unused_uid(rig);
	rule = make_rule(test, &key, uid, value);
	KUNIT_ASSERT_EQ(test, rtnl_gw_replace(&rig->gn, e->rule, rule), 0);
	replaced(rig, i, rule, uid, value);
}

static void edit_replace(struct kunit *test)
{
	replace_some(test, true);
}

static void edit_refilter(struct kunit *test)
{
	replace_some(test, false);
}

static void edit_reset(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 sum[CGW_EV_COUNT];
	struct expected *e;

	if (!rig->count)
		return;
	e = &rig->list[below(rig, rig->count)];
	cgw_rule_stats(e->rule, sum);
	KUNIT_ASSERT_MEMEQ(test, sum, e->count, sizeof(sum));
	KUNIT_ASSERT_EQ(test, cgw_rule_reset_stats(e->rule, sum), 0);
	memset(e->count, 0, sizeof(e->count));
}

static void remove_as(struct kunit *test, const struct cgw_key *key, u32 uid,
		      canid_t value)
{
	struct rig *rig = test->priv;
	struct cgw_mod *mod = make_mod(test, uid, value);
	int i = ref_find(rig, key, uid, value);
	struct cgw_rule *rule;

	rule = rtnl_find(rtnl_gw_table(&rig->gn), key, mod);
	kfree(mod);
	KUNIT_ASSERT_PTR_EQ(test, rule, i < 0 ? NULL : rig->list[i].rule);
	if (!rule)
		return;
	rtnl_gw_del(&rig->gn, rule);
	forget(rig, i);
}

static void edit_remove(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct expected e;

	if (!rig->count)
		return;
	e = rig->list[below(rig, rig->count)];
	remove_as(test, &e.key, e.uid, e.value);
}

static void edit_remove_any(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = some_key(rig);

	remove_as(test, &key, below(rig, 2) * below(rig, 16), below(rig, 3));
}

/* Those that cgw_net_dev_unregister() names */
struct farewell {
	const struct cgw_rule *rule[MOST];
	unsigned int count;
};

static void say_farewell(const struct cgw_rule *rule, void *arg)
{
	struct farewell *farewell = arg;

	if (farewell->count < MOST)
		farewell->rule[farewell->count] = rule;
	farewell->count++;
}

static void edit_dev_unregister(struct kunit *test)
{
	static struct farewell farewell;
	struct rig *rig = test->priv;
	unsigned int device = below(rig, DEVICES), i = 0, n, named, going = 0;
	u32 idx = rig->dev[device]->ifindex;
	bool silent = below(rig, 2);

	farewell.count = 0;
	rtnl_gw_dev_unregister(&rig->gn, rig->dev[device],
			       silent ? NULL : say_farewell, &farewell);
	while (i < rig->count)
		if (rig->list[i].key.src_idx == idx ||
		    rig->list[i].key.dst_idx == idx) {
			for (n = 0, named = 0; n < farewell.count; n++)
				named += farewell.rule[n] == rig->list[i].rule;
			KUNIT_ASSERT_EQ(test, named, !silent);
			forget(rig, i);
			going++;
		} else {
			i++;
		}
	KUNIT_ASSERT_EQ(test, farewell.count, silent ? 0 : going);
}

static void edit_exchange(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table = make_table(test);
	unsigned int i, count = below(rig, 4) ? below(rig, 100) : 0;

	forget_all(rig);
	for (i = 0; i < count; i++) {
		struct cgw_key key = some_key(rig);
		canid_t value = below(rig, 3);

		remember(rig, add_to(test, table, &key, value), &key, 0, value);
	}
	KUNIT_ASSERT_EQ(test, rtnl_gw_exchange(&rig->gn, table), 0);
	KUNIT_ASSERT_PTR_EQ(test, rtnl_gw_table(&rig->gn), table);
}

static void expect_emptied(struct kunit *test, struct cgw_table *table)
{
	KUNIT_ASSERT_EQ(test, table->count, 0);
	KUNIT_ASSERT_EQ(test, table->xl, 0);
	KUNIT_ASSERT_TRUE(test, hlist_empty(&table->rules));
	KUNIT_ASSERT_TRUE(test, hlist_empty(&table->source_list));
	KUNIT_ASSERT_EQ(test, table->keys.entries, 0);
	KUNIT_ASSERT_EQ(test, table->handles.entries, 0);
	KUNIT_ASSERT_EQ(test, table->sources.entries, 0);
}

/* The rules have handles in @table that others have, and get new ones. */
static void edit_exchange_source(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table = make_table(test);
	unsigned int device = below(rig, DEVICES), i, first;
	unsigned int count = below(rig, 4) ? below(rig, 40) : 0;
	u64 handles = rig->gn.handles;

	forget_source(rig, device);
	first = rig->count;
	count = min(count, MOST - first);
	for (i = 0; i < count; i++) {
		struct cgw_key key = some_key(rig);
		canid_t value = below(rig, 3);
		struct cgw_rule *rule;

		key.src_idx = rig->dev[device]->ifindex;
		rule = make_rule(test, &key, 0, value);
		rule->handle = i + 1;
		KUNIT_ASSERT_EQ(test, cgw_table_add(table, rule), 0);
		remember(rig, rule, &key, 0, value);
		rig->list[first + i].handle = handles + i + 1;
	}
	KUNIT_ASSERT_EQ(test, rtnl_gw_exchange_source(&rig->gn, table,
						      rig->dev[device]), 0);
	KUNIT_ASSERT_EQ(test, rig->gn.handles, handles + count);
	expect_emptied(test, table);
	cgw_table_free(table);
}

static void edit_flush(struct kunit *test)
{
	struct rig *rig = test->priv;

	rtnl_gw_flush(&rig->gn);
	forget_all(rig);
}

static void random_edits(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int step;

	for (step = 0; step < 20000; step++) {
		u32 what = below(rig, 1000);

		if (what < 2)
			edit_exchange(test);
		else if (what < 4)
			edit_dev_unregister(test);
		else if (what < 5)
			edit_flush(test);
		else if (what < 12)
			edit_exchange_source(test);
		else if (what < 60)
			edit_replace(test);
		else if (what < 100)
			edit_refilter(test);
		else if (what < 150)
			edit_reset(test);
		else if (what < 520)
			edit_add(test);
		else if (what < 590)
			edit_add_named(test);
		else if (what < 660)
			edit_change(test);
		else if (what < 920)
			edit_remove(test);
		else
			edit_remove_any(test);
		check_all(test);
		cond_resched();
	}
}

/* Each of them is another rule. */
static void every_bit_of_a_key_counts(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK), other;
	struct cgw_mod *mod = make_mod(test, 0, 5);
	struct cgw_table *table = rtnl_gw_table(&rig->gn);
	unsigned int bit;

	add(test, &key, 0, 5);
	KUNIT_EXPECT_PTR_EQ(test, rtnl_find(table, &key, mod),
			    rig->list[0].rule);
	KUNIT_EXPECT_NULL(test, rtnl_find(table, &key, NULL));
	for (bit = 0; bit < 8 * sizeof(struct cgw_key); bit++) {
		other = key;
		((u8 *)&other)[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_NULL_MSG(test, rtnl_find(table, &other, mod),
				      "bit %u", bit);
	}
	kfree(mod);
}

static void youngest_of_equals_goes(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK);
	unsigned int i;

	for (i = 0; i < 100; i++)
		add(test, &key, 0, 1 + i % 2);
	check_frame(test, 0, 0x123);
	for (i = 0; i < 50; i++) {
		remove_as(test, &key, 0, 1);
		check_frame(test, 0, 0x123);
	}
	remove_as(test, &key, 0, 1);
	KUNIT_EXPECT_EQ(test, rig->count, 50);
}

/* A rule with a name is that rule whatever it does, one without by what it does. */
static void names_stand_for_modifications(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK);

	add(test, &key, 7, 1);
	remove_as(test, &key, 0, 1);
	KUNIT_EXPECT_EQ(test, rig->count, 1);
	remove_as(test, &key, 8, 1);
	KUNIT_EXPECT_EQ(test, rig->count, 1);
	remove_as(test, &key, 7, 2);
	KUNIT_EXPECT_EQ(test, rig->count, 0);
}

static void many_rules(struct kunit *test)
{
	const unsigned int many = 65536;
	struct rig *rig = test->priv;
	struct cgw_table *table = rtnl_gw_table(&rig->gn);
	struct cgw_rule *rule;
	struct cgw_key key;
	unsigned int i;

	for (i = 0; i < many; i++) {
		key = make_key(rig, 0, 1, i | CAN_EFF_FLAG,
			       CAN_EFF_MASK | CAN_EFF_FLAG);
		rule = make_rule(test, &key, 0, 0);
		KUNIT_ASSERT_EQ(test, rtnl_gw_add(&rig->gn, rule), 0);
		cond_resched();
	}
	for (i = 0; i < many; i += 2) {
		key.filter.can_id = i | CAN_EFF_FLAG;
		rule = rtnl_find(table, &key, NULL);
		KUNIT_ASSERT_NOT_NULL(test, rule);
		rtnl_gw_del(&rig->gn, rule);
		KUNIT_ASSERT_NULL(test, rtnl_find(table, &key, NULL));
		cond_resched();
	}
	for (i = 0; i < many; i++) {
		deliver(rig, 0, i | CAN_EFF_FLAG);
		KUNIT_ASSERT_EQ(test, rig->calls, i % 2);
	}
	rtnl_gw_flush(&rig->gn);
	deliver(rig, 0, 1 | CAN_EFF_FLAG);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
}

/* Rules that come into the place of others */

/* Among equal ones, too, the youngest is the one that is not older than others. */
static void equals_keep_their_age(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK);
	struct cgw_table *table = make_table(test);
	struct cgw_rule *rule;
	unsigned int i;

	/* the oldest becomes equal to the others, in both ways */
	for (i = 0; i < 2; i++) {
		struct cgw_key other = key;

		other.filter.can_mask = i ? 0x7F0 : CAN_SFF_MASK;
		add(test, &other, 0, 5);
		add(test, &key, 0, 1);
		add(test, &key, 0, 1);
		rule = make_rule(test, &key, 0, 1);
		KUNIT_ASSERT_EQ(test, 0, rtnl_gw_replace(&rig->gn,
							 rig->list[0].rule, rule));
		replaced(rig, 0, rule, 0, 1);
		check_all(test);
		while (rig->count) {
			remove_as(test, &key, 0, 1);
			check_all(test);
		}
	}
	/* they move to another table */
	for (i = 0; i < 3; i++)
		remember(rig, add_to(test, table, &key, 1), &key, 0, 1);
	KUNIT_ASSERT_EQ(test, rtnl_gw_exchange_source(&rig->gn, table,
						      rig->dev[0]), 0);
	cgw_table_free(table);
	for (i = 0; i < 3; i++)
		rig->list[i].handle = rig->list[i].rule->handle;
	while (rig->count) {
		remove_as(test, &key, 0, 1);
		check_all(test);
	}
}

/* Each frame that a rule matches goes to it before, and to the other one after. */
static void check_all_frames(struct kunit *test)
{
	unsigned int device, i;

	for (device = 0; device < DEVICES; device++) {
		for (i = 0; i < 8; i++)
			check_frame(test, device, 0x120 + i);
		check_frame(test, device, CAN_ERR_FLAG | CAN_ERR_CRTL);
		check_frame(test, device, CAN_ERR_FLAG | CAN_ERR_ACK);
	}
}

/* Each rule of a table with all kinds of filters gets each kind of filter. */
static void replaced_in_its_place(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, n, kind;
	struct cgw_rule *rule;

	for (n = 0; n < 2; n++)
		for (i = 0; i < 2 * ARRAY_SIZE(some_masks); i++)
			add_simple(test, n, some_masks[i / 2]);
	check_all_frames(test);
	for (i = 0; i < rig->count; i++)
		for (kind = 0; kind < ARRAY_SIZE(some_masks); kind++) {
			canid_t before = rig->list[i].key.filter.can_mask;

			rule = rule_like(test, i, some_masks[kind]);
			KUNIT_ASSERT_EQ(test, 0,
					rtnl_gw_replace(&rig->gn,
							rig->list[i].rule, rule));
			replaced(rig, i, rule, 0, 0);
			check_all_frames(test);
			check_all(test);
			rule = rule_like(test, i, before);
			KUNIT_ASSERT_EQ(test, 0,
					rtnl_gw_replace(&rig->gn,
							rig->list[i].rule, rule));
			replaced(rig, i, rule, 0, 0);
		}
	check_all_frames(test);
	check_all(test);
}

/* The only rule of a device, which needs another receiver then */
static void replaced_alone(struct kunit *test)
{
	static const canid_t masks[] = { 0x7F0, ERRORS, ERRORS, 0, 0 };
	struct rig *rig = test->priv;
	struct cgw_rule *rule;
	unsigned int i;

	add_simple(test, 0, 0x7F0);
	for (i = 0; i < 2 * ARRAY_SIZE(masks); i++) {
		rule = rule_like(test, 0, masks[i % ARRAY_SIZE(masks)]);
		rule->key.dst_idx = rig->dev[i % DEVICES]->ifindex;
		KUNIT_ASSERT_EQ(test, 0, rtnl_gw_replace(&rig->gn,
							 rig->list[0].rule, rule));
		replaced(rig, 0, rule, 0, 0);
		check_all_frames(test);
		check_all(test);
	}
}

/* From 0 again, each time; and what was counted after @sum stays. */
static void reset_is_exact(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 sum[CGW_EV_COUNT], total = 0;
	unsigned int i, n, before = 0;
	struct cgw_rule *rule;

	for (i = 0; i < 3; i++)
		add_simple(test, 0, 0x7F0);
	for (n = 0; n < 20; n++) {
		const unsigned int late = n % 4;

		for (i = 0; i < n; i++)
			check_frame(test, 0, 0x120);
		cgw_rule_stats(rig->list[1].rule, sum);
		memset(rig->list[1].count, 0, sizeof(sum));
		for (i = 0; i < late; i++)
			check_frame(test, 0, 0x120);
		KUNIT_ASSERT_EQ(test, cgw_rule_reset_stats(rig->list[1].rule, sum), 0);
		/* it is the second of three that is asked for each frame */
		KUNIT_EXPECT_EQ(test, sum[CGW_EV_DROPPED], n + before);
		KUNIT_EXPECT_EQ(test, cgw_stats_matched(sum), n + before);
		total += n + late;
		before = late;
		check_counters(test);
		/* what it began with goes to whatever comes into its place */
		rule = rule_like(test, 1, n % 2 ? 0x7F0 : 0x7E0);
		KUNIT_ASSERT_EQ(test, 0, rtnl_gw_replace(&rig->gn,
							 rig->list[1].rule, rule));
		replaced(rig, 1, rule, 0, 0);
		check_counters(test);
	}
	cgw_rule_stats(rig->list[1].rule, sum);
	KUNIT_EXPECT_EQ(test, cgw_stats_matched(sum), before);
	cgw_stats_read(rig->list[1].rule->stats, sum);
	KUNIT_EXPECT_EQ(test, cgw_stats_matched(sum), total);
}

/* Handles */

static void next_of_those_that_went(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 handle[100];
	unsigned int i;

	check_next(test, 0);
	check_next(test, 1);
	for (i = 0; i < 100; i++) {
		add_simple(test, i % DEVICES, some_masks[i % 8]);
		handle[i] = rig->list[i].handle;
		if (i)
			KUNIT_ASSERT_GT(test, handle[i], handle[i - 1]);
	}
	/* they go in a mixed order, each of them being the one before, too */
	for (i = 0; i < 100; i++) {
		unsigned int n, which;

		for (n = 0; n < rig->count; n++)
			if (rig->list[n].handle == handle[i * 37 % 100])
				break;
		which = n;
		KUNIT_ASSERT_LT(test, which, rig->count);
		rtnl_gw_del(&rig->gn, rig->list[which].rule);
		forget(rig, which);
		for (n = 0; n < 100; n++)
			check_next(test, handle[n]);
		check_next(test, handle[0] - 1);
		check_next(test, handle[99] + 1);
	}
	/* none of them is given out again */
	add_simple(test, 0, 0);
	KUNIT_EXPECT_GT(test, rig->list[0].handle, handle[99]);
}

/* A walk as a dump makes it, in pieces, while rules come and go */
static void walk_with_interruptions(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule;
	unsigned int seen, i;
	u64 handle = 0;

	for (i = 0; i < 60; i++)
		add_simple(test, i % 2, 0x7F0);
	for (seen = 0; (rule = cgw_table_next(rtnl_gw_table(&rig->gn), handle));
	     seen++) {
		if (handle)
			KUNIT_ASSERT_LT(test, rule->handle, handle);
		handle = rule->handle;
		/* the one that was seen goes, or gets another rule, or none */
		i = 59 - seen;
		KUNIT_ASSERT_PTR_EQ(test, rig->list[i].rule, rule);
		if (seen % 3 == 0) {
			rtnl_gw_del(&rig->gn, rule);
			/* its place is kept for those behind it */
			rig->list[i].rule = NULL;
		} else if (seen % 3 == 1) {
			struct cgw_rule *new = rule_like(test, i, 0x7E0);

			KUNIT_ASSERT_EQ(test, 0, rtnl_gw_replace(&rig->gn, rule,
								 new));
		}
		/* younger ones are not seen any more */
		KUNIT_ASSERT_EQ(test, 0,
				rtnl_gw_add(&rig->gn, rule_like(test, i, 0x7F0)));
	}
	KUNIT_EXPECT_EQ(test, seen, 60);
}

/* Tables */

static void exchange_of_devices(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int before, after, device;
	struct cgw_key key;

	/* each set of devices before and after, with two kinds of rules */
	for (before = 0; before < 1 << 2 * DEVICES; before++)
		for (after = 0; after < 1 << 2 * DEVICES; after += 1 + below(rig, 3)) {
			struct cgw_table *table = make_table(test);

			rtnl_gw_flush(&rig->gn);
			forget_all(rig);
			for (device = 0; device < 2 * DEVICES; device++)
				if (before & BIT(device))
					add_simple(test, device / 2,
						   device % 2 ? ERRORS : 0x7F0);
			forget_all(rig);
			for (device = 0; device < 2 * DEVICES; device++) {
				if (!(after & BIT(device)))
					continue;
				key = make_key(rig, device / 2, 1, 0x120,
					       device % 2 ? ERRORS : 0);
				remember(rig, add_to(test, table, &key, 1), &key,
					 0, 1);
			}
			KUNIT_ASSERT_EQ(test, 0, rtnl_gw_exchange(&rig->gn, table));
			for (device = 0; device < DEVICES; device++) {
				check_frame(test, device, 0x120);
				check_frame(test, device, ERRORS);
			}
			check_all(test);
		}
}

/* With old rules and without, with new ones and without */
static void exchange_of_a_source(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int before, after, i, count;
	struct cgw_table *table;
	struct cgw_key key;

	for (before = 0; before < 4; before++)
		for (after = 0; after < 4; after++) {
			u32 generation;

			rtnl_gw_flush(&rig->gn);
			forget_all(rig);
			add_simple(test, 1, 0x7F0);
			for (i = 0; i < before; i++)
				add_simple(test, 0, i ? 0x7F0 : ERRORS);
			add_simple(test, 1, ERRORS);
			add_simple(test, 2, 0x7F0);
			check_all_frames(test);
			table = make_table(test);
			forget_source(rig, 0);
			for (i = 0, count = rig->count; i < after; i++) {
				key = make_key(rig, 0, 1, 0x120, i ? 0x7F0 : 0);
				remember(rig, add_to(test, table, &key, 1), &key,
					 0, 1);
			}
			generation = rig->gn.generation;
			KUNIT_ASSERT_EQ(test, 0,
					rtnl_gw_exchange_source(&rig->gn, table,
								rig->dev[0]));
			KUNIT_EXPECT_NE(test, rig->gn.generation, generation);
			for (i = count; i < rig->count; i++)
				rig->list[i].handle = rig->list[i].rule->handle;
			expect_emptied(test, table);
			cgw_table_free(table);
			check_all_frames(test);
			check_all(test);
		}
}

/* What cannot be is as if nobody had tried, and both tables are as they were. */
static void limit_is_kept(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table;
	unsigned int i, count;
	u32 generation;

	rig->gn.limit = 10;
	for (i = 0; i < 10; i++)
		add_simple(test, i % 2, i % 4 < 2 ? 0x7F0 : ERRORS);
	generation = rig->gn.generation;
	KUNIT_EXPECT_TRUE(test, cgw_net_full(&rig->gn, 10));
	KUNIT_EXPECT_FALSE(test, cgw_net_full(&rig->gn, 9));
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			rtnl_gw_add(&rig->gn, rule_like(test, 0, 0)));
	check_all(test);
	/* a table of eleven; and of device 0, which has five of ten, of six */
	for (count = 11; count >= 6; count -= 5) {
		int err;

		table = make_table(test);
		for (i = 0; i < count; i++)
			add_simple_to(test, table, 0, 0);
		err = count == 11 ? rtnl_gw_exchange(&rig->gn, table) :
		      rtnl_gw_exchange_source(&rig->gn, table, rig->dev[0]);
		KUNIT_ASSERT_EQ(test, err, -ENOSPC);
		KUNIT_EXPECT_EQ(test, table->count, count);
		cgw_table_free(table);
		check_all_frames(test);
		check_all(test);
	}
	KUNIT_EXPECT_EQ(test, rig->gn.generation, generation);
	/* there is room for another one instead of one */
	for (i = 0; i < 10; i++) {
		struct cgw_rule *rule = rule_like(test, i, i % 2 ? 0x7F0 : 0);

		KUNIT_ASSERT_EQ(test, 0, rtnl_gw_replace(&rig->gn,
							 rig->list[i].rule, rule));
		replaced(rig, i, rule, 0, 0);
	}
	check_all(test);
	/* as many as there may be */
	table = make_table(test);
	forget_source(rig, 0);
	for (i = 0; i < 5; i++)
		add_simple_to(test, table, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, rtnl_gw_exchange_source(&rig->gn, table,
							 rig->dev[0]));
	cgw_table_free(table);
	KUNIT_EXPECT_EQ(test, rtnl_gw_table(&rig->gn)->count, 10);
	table = make_table(test);
	for (i = 0; i < 10; i++)
		add_simple_to(test, table, i % 3, 0);
	KUNIT_EXPECT_EQ(test, 0, rtnl_gw_exchange(&rig->gn, table));
	KUNIT_EXPECT_EQ(test, rtnl_gw_table(&rig->gn)->count, 10);
	/* those that there are may stay when there may be fewer */
	rig->gn.limit = 3;
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			rtnl_gw_add(&rig->gn, rule_like(test, 0, 0x7F0)));
	deliver(rig, 0, 0x120);
	KUNIT_EXPECT_EQ(test, rig->calls, 4);
}

static void flush_takes_all(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, round;

	for (round = 0; round < 3; round++) {
		u64 handles = rig->gn.handles;

		for (i = 0; i < 40; i++)
			add_simple(test, (i + round) % DEVICES, some_masks[i % 8]);
		KUNIT_EXPECT_EQ(test, rig->gn.handles, handles + 40);
		check_all_frames(test);
		edit_flush(test);
		KUNIT_EXPECT_EQ(test, rig->gn.handles, handles + 40);
		expect_emptied(test, rtnl_gw_table(&rig->gn));
		check_all(test);
		check_all_frames(test);
		/* there is nothing left to take */
		edit_flush(test);
		check_all(test);
	}
}

static void expect_change(struct kunit *test, u32 *generation, const char *what)
{
	struct rig *rig = test->priv;

	KUNIT_EXPECT_NE_MSG(test, rig->gn.generation, *generation, "%s", what);
	*generation = rig->gn.generation;
}

static void change_of(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 generation = rig->gn.generation;
	struct cgw_key key = make_key(rig, 0, 1, 0x120, 0x7F0);
	struct cgw_table *table;

	add(test, &key, 7, 1);
	expect_change(test, &generation, "add");
	rtnl_gw_change(&rig->gn, rig->list[0].rule, make_mod(test, 7, 2));
	expect_change(test, &generation, "change");
	replaced(rig, 0, rule_like(test, 0, 0x7F0), 7, 1);
	KUNIT_ASSERT_EQ(test, 0,
			rtnl_gw_replace(&rig->gn,
					rtnl_find_uid(rtnl_gw_table(&rig->gn), 7),
					rig->list[0].rule));
	expect_change(test, &generation, "replace");
	replaced(rig, 0, rule_like(test, 0, 0x7E0), 7, 1);
	KUNIT_ASSERT_EQ(test, 0,
			rtnl_gw_replace(&rig->gn,
					rtnl_find_uid(rtnl_gw_table(&rig->gn), 7),
					rig->list[0].rule));
	expect_change(test, &generation, "refilter");
	rtnl_gw_del(&rig->gn, rig->list[0].rule);
	forget(rig, 0);
	expect_change(test, &generation, "del");
	table = make_table(test);
	add_simple_to(test, table, 0, 0);
	KUNIT_ASSERT_EQ(test, 0, rtnl_gw_exchange(&rig->gn, table));
	expect_change(test, &generation, "exchange");
	/* of a device that no rule has */
	rtnl_gw_dev_unregister(&rig->gn, rig->dev[DEVICES], NULL, NULL);
	KUNIT_EXPECT_EQ(test, rig->gn.generation, generation);
	rtnl_gw_dev_unregister(&rig->gn, rig->dev[2], NULL, NULL);
	expect_change(test, &generation, "device gone");
	add_simple(test, 1, 0x7F0);
	expect_change(test, &generation, "add");
	rtnl_gw_flush(&rig->gn);
	expect_change(test, &generation, "flush");
	rig->count = 0;
}

/* It is never 0, and begins anew after the last one. */
static void generation_changes(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	KUNIT_EXPECT_NE(test, rig->gn.generation, 0);
	for (i = 0; i < 12; i++) {
		rig->gn.generation = U32_MAX - i;
		change_of(test);
		KUNIT_EXPECT_NE(test, rig->gn.generation, 0);
	}
	rig->gn.generation = U32_MAX;
	rtnl_gw_flush(&rig->gn);
	KUNIT_EXPECT_NE(test, rig->gn.generation, 0);
	KUNIT_EXPECT_NE(test, rig->gn.generation, U32_MAX);
}

/* Memory: what KASAN knows to be free */

#ifdef CONFIG_KASAN_GENERIC
static bool is_freed(const void *memory)
{
	return *(const s8 *)kasan_mem_to_shadow(memory) < 0;
}
#else
static bool is_freed(const void *memory)
{
	return false;
}
#endif

#define MOST_OWNED 64

/**
 * struct owned - memory that has to be free sometime
 * @memory: where it is
 * @count: entries of @memory
 */
struct owned {
	const void *memory[MOST_OWNED];
	unsigned int count;
};

static void own(struct owned *owned, const void *memory)
{
	if (memory && owned->count < MOST_OWNED)
		owned->memory[owned->count++] = memory;
}

static struct receiver *receiver_of(struct cgw_rule *rule)
{
	struct can_rcv_hash *hash = &rule->source->index.receivers;
	struct receiver *rcv;
	unsigned int i;

	for (i = 0; i < 1 << hash->bits; i++)
		hlist_for_each_entry(rcv, hash->bits ? &hash->bucket[i] :
				     &hash->one, hash_node)
			if (rcv->data == rule)
				return rcv;
	return NULL;
}

static void own_rule(struct owned *owned, struct cgw_rule *rule)
{
	own(owned, rule);
	own(owned, rule->name);
	own(owned, rtnl_rule_mod(rule));
}

static void own_place(struct owned *owned, struct cgw_rule *rule)
{
	own_rule(owned, rule);
	own(owned, rule->base);
	own(owned, receiver_of(rule));
}

/* RCU and a workqueue may have it for a while. */
static void expect_freed(struct kunit *test, struct owned *owned,
			 const char *what)
{
	unsigned int i, tries = 0;

	rcu_barrier();
	kvfree_rcu_barrier();
	for (i = 0; i < owned->count; i++) {
		while (!is_freed(owned->memory[i]) && tries++ < 250)
			msleep(20);
		KUNIT_EXPECT_TRUE_MSG(test, is_freed(owned->memory[i]),
				      "%s: number %u", what, i);
	}
	owned->count = 0;
}

static void expect_used(struct kunit *test, const struct owned *owned)
{
	unsigned int i;

	for (i = 0; i < owned->count; i++)
		KUNIT_EXPECT_FALSE_MSG(test, is_freed(owned->memory[i]), "%u", i);
}

/* Three rules on device 0, of which the first one has begun to count again */
static struct cgw_rule *three_rules(struct kunit *test, canid_t mask)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x120, mask);
	unsigned int i;
	u64 sum[CGW_EV_COUNT];

	rtnl_gw_flush(&rig->gn);
	rig->count = 0;
	for (i = 0; i < 3; i++)
		add(test, &key, 7 + i, 1);
	cgw_rule_stats(rig->list[0].rule, sum);
	KUNIT_ASSERT_EQ(test, cgw_rule_reset_stats(rig->list[0].rule, sum), 0);
	return rig->list[0].rule;
}

static void nothing_is_left(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct owned owned = {}, kept = {};
	struct cgw_rule *rule, *new;
	struct cgw_source *source;
	struct cgw_table *table;
	u64 sum[CGW_EV_COUNT];
	unsigned int i;

	if (!IS_ENABLED(CONFIG_KASAN_GENERIC))
		kunit_skip(test, "needs CONFIG_KASAN_GENERIC");

	rule = three_rules(test, 0x7F0);
	own_place(&owned, rule);
	own_place(&kept, rig->list[1].rule);
	own(&kept, rule->source);
	rtnl_gw_del(&rig->gn, rule);
	expect_freed(test, &owned, "del");
	expect_used(test, &kept);
	kept.count = 0;

	rule = three_rules(test, 0x7F0);
	own(&owned, rule->base);
	KUNIT_ASSERT_EQ(test, cgw_rule_reset_stats(rule, sum), 0);
	expect_freed(test, &owned, "reset");
	own(&owned, rtnl_rule_mod(rule));
	rtnl_gw_change(&rig->gn, rule, make_mod(test, 7, 2));
	expect_freed(test, &owned, "change");

	/* the place stays, with base and receiver */
	rule = three_rules(test, 0x7F0);
	own_rule(&owned, rule);
	own(&kept, rule->base);
	own(&kept, receiver_of(rule));
	own(&kept, rule->source);
	new = rule_like(test, 0, 0x7F0);
	own_place(&kept, rig->list[1].rule);
	KUNIT_ASSERT_EQ(test, rtnl_gw_replace(&rig->gn, rule, new), 0);
	own_rule(&kept, new);
	expect_freed(test, &owned, "replace");
	expect_used(test, &kept);
	kept.count = 0;
	own_place(&owned, new);
	rtnl_gw_del(&rig->gn, new);
	expect_freed(test, &owned, "del of the other one");

	/* the receivers of all rules become others */
	rule = three_rules(test, 0x7F0);
	own_rule(&owned, rule);
	own(&owned, rule->source);
	for (i = 0; i < 3; i++)
		own(&owned, receiver_of(rig->list[i].rule));
	own(&kept, rule->base);
	own_rule(&kept, rig->list[1].rule);
	new = rule_like(test, 0, 0x7E0);
	KUNIT_ASSERT_EQ(test, rtnl_gw_replace(&rig->gn, rule, new), 0);
	own_rule(&kept, new);
	expect_freed(test, &owned, "refilter");
	expect_used(test, &kept);
	kept.count = 0;
	own_place(&owned, new);
	own(&owned, new->source);
	rtnl_gw_flush(&rig->gn);
	expect_freed(test, &owned, "flush");

	/* one that nobody has seen */
	rule = three_rules(test, 0x7F0);
	new = rule_like(test, 0, 0x7E0);
	source = cgw_source_refilter(rtnl_gw_table(&rig->gn), rule, new);
	KUNIT_ASSERT_NOT_NULL(test, source);
	new->source = source;
	own(&owned, source);
	own(&owned, receiver_of(new));
	new->source = NULL;
	own_place(&kept, rule);
	own(&kept, rule->source);
	cgw_source_discard(source);
	expect_freed(test, &owned, "discard");
	own_rule(&owned, new);
	cgw_rule_free(new);
	expect_freed(test, &owned, "rule");
	expect_used(test, &kept);
	kept.count = 0;

	for (i = 0; i < 2; i++) {
		rule = three_rules(test, i ? ERRORS : 0x7F0);
		own_place(&owned, rule);
		own(&owned, rule->source);
		own(&owned, rtnl_gw_table(&rig->gn));
		table = make_table(test);
		if (i)
			add_simple_to(test, table, 0, 0x7F0);
		KUNIT_ASSERT_EQ(test, 0, rtnl_gw_exchange(&rig->gn, table));
		expect_freed(test, &owned, "exchange");

		rule = three_rules(test, i ? ERRORS : 0x7F0);
		own_place(&owned, rule);
		own(&owned, rule->source);
		own(&kept, rtnl_gw_table(&rig->gn));
		table = make_table(test);
		if (i)
			add_simple_to(test, table, 0, 0x7F0);
		KUNIT_ASSERT_EQ(test, 0,
				rtnl_gw_exchange_source(&rig->gn, table,
							rig->dev[0]));
		own(&owned, table);
		cgw_table_free(table);
		expect_freed(test, &owned, "exchange of a source");
		expect_used(test, &kept);
		kept.count = 0;

		/* of a device that is source or destination of all */
		rule = three_rules(test, 0x7F0);
		own_place(&owned, rule);
		own(&owned, rule->source);
		rtnl_gw_dev_unregister(&rig->gn, rig->dev[i], NULL, NULL);
		expect_freed(test, &owned, "device gone");
	}

	/* a table that is never used */
	table = make_table(test);
	add_simple_to(test, table, 0, 0x7F0);
	rule = hlist_entry(table->rules.first, struct cgw_rule, table_node);
	own_place(&owned, rule);
	own(&owned, rule->source);
	own(&owned, table);
	cgw_table_free(table);
	expect_freed(test, &owned, "table");
}

/* Counters belong to no cache, so their pages are counted. */
static void counters_come_back(struct kunit *test)
{
	const unsigned int many = 4096, rounds = 6;
	struct rig *rig = test->priv;
	unsigned long pages[6];
	struct owned owned = {};
	unsigned int i, round;
	struct cgw_key key;

	if (!IS_ENABLED(CONFIG_KASAN_GENERIC))
		kunit_skip(test, "needs CONFIG_KASAN_GENERIC");
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < many; i++) {
			struct cgw_rule *rule, *new;

			key = make_key(rig, 0, 1, i | CAN_EFF_FLAG,
				       CAN_EFF_MASK | CAN_EFF_FLAG);
			rule = make_rule(test, &key, 0, 0);
			KUNIT_ASSERT_EQ(test, rtnl_gw_add(&rig->gn, rule), 0);
			/* most are not refiltered, which takes so long */
			if (i % 512 == 0)
				key.filter.can_mask |= CAN_RTR_FLAG;
			new = make_rule(test, &key, 0, 0);
			KUNIT_ASSERT_EQ(test, 0,
					rtnl_gw_replace(&rig->gn, rule, new));
			cond_resched();
		}
		pages[round] = pcpu_nr_pages();
		/* the oldest is the last to be freed */
		own(&owned, hlist_entry(rtnl_gw_table(&rig->gn)->rules.first,
					struct cgw_rule, table_node)->source);
		rtnl_gw_flush(&rig->gn);
		expect_freed(test, &owned, "source");
	}
	/* as many are 32 or more */
	BUILD_BUG_ON(4096 * sizeof(struct cgw_stats) < 32 * PAGE_SIZE);
	KUNIT_EXPECT_LE(test, pages[rounds - 1], pages[1] + 64);
}

/* Allocations that fail */

static struct cgw_rule *rule_for_shortage(struct kunit *test, unsigned int device,
					  canid_t mask)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, device, 2, 0x120, mask);

	return make_rule(test, &key, 0, 0);
}

static void adding_survives_shortage(struct kunit *test)
{
	static const canid_t masks[] = { 0, 0x7F0, ERRORS };
	struct rig *rig = test->priv;
	unsigned int i, n, failures = 0;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	/* the first rule of a device, and later ones */
	for (i = 0; i < 4 * ARRAY_SIZE(masks); i++) {
		canid_t mask = masks[i % ARRAY_SIZE(masks)];
		struct cgw_key key = make_key(rig, i % 2, 2, 0x120, mask);

		for (n = 1;; n++) {
			struct cgw_rule *rule = rule_for_shortage(test, i % 2, mask);
			int err;

			fail_allocation(n);
			err = rtnl_gw_add(&rig->gn, rule);
			if (!allocation_failed()) {
				KUNIT_ASSERT_EQ(test, err, 0);
				remember(rig, rule, &key, 0, 0);
				break;
			}
			/* hash tables do without */
			if (!err) {
				remember(rig, rule, &key, 0, 0);
				break;
			}
			KUNIT_ASSERT_EQ(test, err, -ENOMEM);
			failures++;
			check_all(test);
		}
		check_all(test);
	}
	KUNIT_EXPECT_GE(test, failures, 10);
}

/* What was to belong to the rule still belongs to who wanted to make it. */
static void making_survives_shortage(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK);
	struct cgw_mod *mod = make_mod(test, 0, 5);
	struct cgw_rule *rule;

	if (!allocations_can_fail()) {
		kfree(mod);
		kunit_skip(test, "allocations cannot be made to fail");
	}
	fail_allocation(1);
	rule = cgw_rule_alloc(&key, mod, rig->dev[0], rig->dev[1]);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_NULL(test, rule);
	if (rule)
		cgw_rule_free(rule);
	else
		kfree(mod);
}

/* Between a filter for frames and one for errors, which needs another receiver */
static void replacing_survives_shortage(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, n, failures = 0, survived = 0;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	add_simple(test, 1, 0x7F0);
	for (i = 0; i < 12; i++)
		add_simple(test, 0, i % 6 ? some_masks[1 + i % 4] : 0x7F0);
	check_all_frames(test);
	/* of the first, which is alone, and of some of the others */
	for (i = 0; i < 3; i++)
		for (n = 1;; n++) {
			bool errors = rig->list[i].key.filter.can_mask == ERRORS;
			struct cgw_rule *rule = rule_like(test, i,
							  errors ? 0x7F0 : ERRORS);
			u32 generation = rig->gn.generation;
			bool failed;
			int err;

			fail_allocation(n);
			err = rtnl_gw_replace(&rig->gn, rig->list[i].rule, rule);
			failed = allocation_failed();
			if (!err)
				replaced(rig, i, rule, 0, 0);
			else
				KUNIT_EXPECT_EQ(test, rig->gn.generation,
						generation);
			check_all_frames(test);
			check_all(test);
			if (!failed) {
				KUNIT_ASSERT_EQ(test, err, 0);
				break;
			}
			/* hash tables do without */
			survived += !err;
			failures += !!err;
			KUNIT_ASSERT_TRUE(test, !err || err == -ENOMEM);
		}
	/* list, source, receivers, masks, tables, receiver */
	KUNIT_EXPECT_GE(test, failures, 30);
	KUNIT_EXPECT_GE(test, survived, 1);
	/* the same filter takes no memory */
	for (i = 0; i < rig->count; i++) {
		struct cgw_rule *rule;

		rule = rule_like(test, i, rig->list[i].key.filter.can_mask);
		fail_allocation(1);
		KUNIT_EXPECT_EQ(test, 0, rtnl_gw_replace(&rig->gn,
							 rig->list[i].rule, rule));
		KUNIT_EXPECT_FALSE(test, allocation_failed());
		replaced(rig, i, rule, 0, 0);
	}
	check_all_frames(test);
	check_all(test);
}

static void reset_survives_shortage(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 sum[CGW_EV_COUNT];
	unsigned int round;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	add_simple(test, 0, 0x7F0);
	for (round = 0; round < 3; round++) {
		check_all_frames(test);
		cgw_rule_stats(rig->list[0].rule, sum);
		KUNIT_EXPECT_GT(test, cgw_stats_matched(sum), 0);
		fail_allocation(1);
		KUNIT_EXPECT_EQ(test, -ENOMEM,
				cgw_rule_reset_stats(rig->list[0].rule, sum));
		KUNIT_EXPECT_TRUE(test, allocation_failed());
		check_counters(test);
		KUNIT_EXPECT_EQ(test, 0, cgw_rule_reset_stats(rig->list[0].rule, sum));
		memset(rig->list[0].count, 0, sizeof(sum));
		check_counters(test);
	}
}

static void beginning_survives_shortage(struct kunit *test)
{
	struct cgw_table *table;
	struct cgw_net gn = {};

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	fail_allocation(1);
	table = cgw_table_alloc(route, NULL);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_NULL(test, table);
	fail_allocation(1);
	KUNIT_EXPECT_EQ(test, -ENOMEM,
			cgw_net_init(&gn, &init_net, route, receive));
	KUNIT_EXPECT_TRUE(test, allocation_failed());
}

/* One device more, and more rules of the other */
static struct cgw_table *table_for_shortage(struct kunit *test)
{
	struct cgw_table *table = make_table(test);

	add_simple_to(test, table, 0, 0);
	add_simple_to(test, table, 0, ERRORS);
	add_simple_to(test, table, 1, 0);
	add_simple_to(test, table, 1, ERRORS);
	return table;
}

static void exchange_survives_shortage(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table;
	unsigned int n;
	int err;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	add_simple(test, 0, 0x7F0);
	for (n = 1;; n++) {
		u32 generation = rig->gn.generation;

		table = table_for_shortage(test);
		fail_allocation(n);
		err = rtnl_gw_exchange(&rig->gn, table);
		if (!allocation_failed())
			break;
		KUNIT_ASSERT_EQ(test, err, -ENOMEM);
		KUNIT_ASSERT_EQ(test, table->count, 4);
		KUNIT_ASSERT_EQ(test, rig->gn.generation, generation);
		cgw_table_free(table);
		check_all_frames(test);
		check_all(test);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_GE(test, n, 2);
	KUNIT_EXPECT_PTR_EQ(test, rtnl_gw_table(&rig->gn), table);
	deliver(rig, 1, 0x120);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/* Of a device without rules, and of one with fewer */
static void exchange_of_source_survives_shortage(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n, device;
	struct cgw_table *table;
	int err;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	add_simple(test, 0, 0x7F0);
	add_simple(test, 2, ERRORS);
	for (device = 0; device < 2; device++) {
		for (n = 1;; n++) {
			u64 handles;

			table = make_table(test);
			add_simple_to(test, table, device, 0);
			add_simple_to(test, table, device, ERRORS);
			handles = rig->gn.handles;
			fail_allocation(n);
			err = rtnl_gw_exchange_source(&rig->gn, table,
						      rig->dev[device]);
			if (!allocation_failed())
				break;
			KUNIT_ASSERT_EQ(test, err, -ENOMEM);
			KUNIT_ASSERT_EQ(test, table->count, 2);
			KUNIT_ASSERT_EQ(test, rig->gn.handles, handles);
			cgw_table_free(table);
			check_all_frames(test);
			check_all(test);
		}
		KUNIT_EXPECT_EQ(test, err, 0);
		KUNIT_EXPECT_GE(test, n, 1 + device);
		expect_emptied(test, table);
		cgw_table_free(table);
		/* as it was, for the other device */
		rtnl_gw_flush(&rig->gn);
		forget_all(rig);
		add_simple(test, 0, 0x7F0);
	}
}

/* Changes under a reader */

#define TABLE_RULES 3

struct writer;

/**
 * struct change - what is done while a frame is delivered
 * @name: of it
 * @make: does it, beforehand with number 0
 * @mixes: rules before and after may have the same frame, each one once
 */
struct change {
	const char *name;
	int (*make)(struct writer *w, unsigned int number);
	bool mixes;
};

struct writer {
	struct kunit *test;
	const struct change *change;
	struct completion turn;
	unsigned int turns;
	unsigned int calls;
	unsigned int at;
	unsigned int changes;
	struct cgw_rule *place[TABLE_RULES];
	bool stop;
};

/* Rules are told apart by their limit of hops, which is their place in a table, and
 * by their flags, which say whether their number is odd.
 */
static struct cgw_rule *turn_rule(struct rig *rig, unsigned int place,
				  unsigned int number, canid_t mask)
{
	struct cgw_key key = make_key(rig, 0, 1, 0x120, mask);

	key.limit_hops = place;
	key.flags = number % 2;
	return cgw_rule_alloc(&key, NULL, rig->dev[0], rig->dev[1]);
}

static struct cgw_table *turn_table(struct rig *rig, unsigned int number)
{
	struct cgw_table *table = cgw_table_alloc(route, NULL);
	unsigned int i;

	for (i = 0; table && i < TABLE_RULES; i++) {
		struct cgw_rule *rule = turn_rule(rig, i, number, 0x7F0);

		if (!rule)
			return NULL;
		rule->handle = ++rig->gn.handles;
		if (cgw_table_add(table, rule))
			return NULL;
	}
	return table;
}

static int make_exchange(struct writer *w, unsigned int number)
{
	struct rig *rig = w->test->priv;
	struct cgw_table *table = turn_table(rig, number);

	return table ? rtnl_gw_exchange(&rig->gn, table) : -ENOMEM;
}

static int make_exchange_source(struct writer *w, unsigned int number)
{
	struct rig *rig = w->test->priv;
	struct cgw_table *table = turn_table(rig, number);
	int err;

	if (!table)
		return -ENOMEM;
	err = rtnl_gw_exchange_source(&rig->gn, table, rig->dev[0]);
	cgw_table_free(table);
	return err;
}

static int replace_one(struct writer *w, unsigned int number, canid_t mask)
{
	struct rig *rig = w->test->priv;
	unsigned int i, place = number % TABLE_RULES;
	struct cgw_rule *rule;
	int err;

	for (i = 0; !number && i < TABLE_RULES; i++) {
		w->place[i] = turn_rule(rig, i, 0, 0x7F0);
		err = w->place[i] ? rtnl_gw_add(&rig->gn, w->place[i]) : -ENOMEM;
		if (err)
			return err;
	}
	rule = turn_rule(rig, place, number, mask);
	if (!rule)
		return -ENOMEM;
	err = rtnl_gw_replace(&rig->gn, w->place[place], rule);
	w->place[place] = rule;
	return err;
}

static int make_replace(struct writer *w, unsigned int number)
{
	return replace_one(w, number, 0x7F0);
}

static int make_refilter(struct writer *w, unsigned int number)
{
	/* neither is what this one of three rules has */
	return replace_one(w, number, number / TABLE_RULES % 2 ? 0x7F0 : 0x7E0);
}

static const struct change changes[] = {
	{ "exchange", make_exchange, false },
	{ "exchange of a source", make_exchange_source, false },
	{ "replace", make_replace, true },
	{ "refilter", make_refilter, true },
};

KUNIT_ARRAY_PARAM_DESC(changes, changes, name);

/* Of each frame, it makes a change after another call. */
static int change_in_turns(void *data)
{
	struct writer *w = data;

	for (;;) {
		wait_for_completion(&w->turn);
		if (READ_ONCE(w->stop))
			break;
		if (w->calls++ == w->at && !w->change->make(w, w->changes + 1))
			w->changes++;
		WRITE_ONCE(w->turns, w->turns + 1);
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/* Each rule of one table once, or one for each place; the youngest first */
static bool whole(const struct rig *rig, bool mixes)
{
	unsigned int i;

	if (rig->calls != TABLE_RULES)
		return false;
	for (i = 0; i < TABLE_RULES; i++) {
		const struct cgw_key *key = &rig->called[i]->key;

		if (key->limit_hops != TABLE_RULES - 1 - i)
			return false;
		if (!mixes && key->flags != rig->called[0]->key.flags)
			return false;
	}
	return true;
}

static u64 counted(struct rig *rig)
{
	u64 sum[CGW_EV_COUNT], all = 0;
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &rtnl_gw_table(&rig->gn)->rules, table_node) {
		cgw_rule_stats(rule, sum);
		all += cgw_stats_matched(sum);
	}
	return all;
}

static bool takes_turns(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RCU) && num_online_cpus() == 1 &&
	    (preempt_model_full() || preempt_model_rt()))
		return true;
	kunit_mark_skipped(test, "needs full preemption, and one CPU");
	return false;
}

static void every_frame_has_one_table(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct task_struct *task;
	static struct writer w;
	unsigned int frame, broken = 0, calls = 0;

	if (!takes_turns(test))
		return;
	w = (struct writer){ .test = test, .change = test->param_value };
	init_completion(&w.turn);
	KUNIT_ASSERT_EQ(test, w.change->make(&w, 0), 0);
	task = kthread_run(change_in_turns, &w, "can-gw-table");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	sched_set_fifo(task);
	for (frame = 0; frame < 300; frame++) {
		w.calls = 0;
		w.at = frame % (TABLE_RULES + 1);
		rig->turn = &w.turn;
		/* rules that have gone are not freed before this ends */
		rcu_read_lock();
		deliver(rig, 0, 0x120 + frame % 16);
		rig->turn = NULL;
		broken += !whole(rig, w.change->mixes);
		rcu_read_unlock();
		/* it may have had to wait for memory */
		calls += rig->calls;
		while (READ_ONCE(w.turns) != calls)
			schedule_timeout_uninterruptible(1);
		/* no exchange has to wait for one before it */
		synchronize_rcu_expedited();
	}
	WRITE_ONCE(w.stop, true);
	complete(&w.turn);
	kthread_stop_put(task);
	KUNIT_EXPECT_EQ(test, broken, 0);
	/* of four frames, one has no call after which there is a change */
	KUNIT_EXPECT_EQ(test, w.changes, 225);
	if (w.change->mixes)
		KUNIT_EXPECT_EQ(test, counted(rig), 300 * TABLE_RULES);
}

/**
 * struct errand - what a thread does while others wait for it
 * @test: which runs
 * @run: what to do
 * @task: does it, at once when it is woken
 * @done: it has ended
 * @release: for hold_receivers()
 * @table: for cgw_net_exchange() and cgw_net_exchange_source()
 * @steps: how far it has come
 * @err: of what it did
 */
struct errand {
	struct kunit *test;
	void (*run)(struct errand *errand);
	struct task_struct *task;
	struct completion done;
	struct completion release;
	struct cgw_table *table;
	unsigned int steps;
	int err;
};

static int run_errand(void *data)
{
	struct errand *errand = data;

	errand->run(errand);
	complete(&errand->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void prepare_errand(struct errand *errand)
{
	init_completion(&errand->done);
	init_completion(&errand->release);
	errand->task = kthread_create(run_errand, errand, "can-gw-errand");
	KUNIT_ASSERT_FALSE(errand->test, IS_ERR(errand->task));
	get_task_struct(errand->task);
	sched_set_fifo(errand->task);
}

static void finish_errand(struct errand *errand)
{
	wait_for_completion(&errand->done);
	kthread_stop_put(errand->task);
}

/* Nobody can add, remove or count receivers meanwhile. */
static void hold_receivers(struct errand *errand)
{
	struct rig *rig = errand->test->priv;

	can_rcv_net_lock(&init_net, rig->dev[DEVICES]);
	errand->steps++;
	wait_for_completion(&errand->release);
	can_rcv_net_unlock(&init_net);
}

/* A writer that is about to count its rules waits meanwhile: look what frames find. */
static void look_halfway(struct kunit *test, struct errand *writer,
			 void (*look)(struct kunit *test, void *arg), void *arg)
{
	struct errand holder = { .test = test, .run = hold_receivers };
	unsigned int held;
	bool early;

	prepare_errand(&holder);
	prepare_errand(writer);
	rcu_read_lock();
	wake_up_process(holder.task);
	held = holder.steps;
	wake_up_process(writer->task);
	early = completion_done(&writer->done);
	look(test, arg);
	rcu_read_unlock();
	complete(&holder.release);
	finish_errand(&holder);
	finish_errand(writer);
	KUNIT_EXPECT_EQ(test, writer->err, 0);
	/* otherwise nothing has been looked at */
	KUNIT_EXPECT_EQ(test, held, 1);
	KUNIT_EXPECT_FALSE(test, early);
}

/**
 * struct seen - by which rules frames are routed, on each device
 * @calls: how many
 * @dst: destination of the rule
 */
struct seen {
	unsigned int calls[DEVICES];
	u32 dst[DEVICES];
};

static void look_at_devices(struct kunit *test, void *arg)
{
	struct rig *rig = test->priv;
	struct seen *seen = arg;
	unsigned int device;

	for (device = 0; device < DEVICES; device++) {
		deliver(rig, device, 0x120);
		seen->calls[device] = rig->calls;
		if (rig->calls)
			seen->dst[device] = rig->called[0]->key.dst_idx;
	}
}

static void run_exchange(struct errand *errand)
{
	struct rig *rig = errand->test->priv;

	errand->err = rtnl_gw_exchange(&rig->gn, errand->table);
}

static void run_exchange_source(struct errand *errand)
{
	struct rig *rig = errand->test->priv;

	errand->err = rtnl_gw_exchange_source(&rig->gn, errand->table,
					      rig->dev[0]);
}

static void expect_seen(struct kunit *test, const struct seen *seen,
			unsigned int device, unsigned int dst)
{
	struct rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, seen->calls[device], 1);
	KUNIT_EXPECT_EQ(test, seen->dst[device], rig->dev[dst]->ifindex);
}

/* Rules of some devices for frames, and with @errors for these as well, which go to
 * device @dst
 */
static struct cgw_table *table_to(struct kunit *test, unsigned int dst,
				  bool errors, unsigned int devices)
{
	struct cgw_table *table = make_table(test);
	unsigned int device;

	for (device = 0; device < devices; device++) {
		struct cgw_key key = make_key(test->priv, device, dst, 0x120,
					      0x7F0);

		add_to(test, table, &key, 0);
		key.filter.can_mask = ERRORS;
		if (errors)
			add_to(test, table, &key, 0);
	}
	return table;
}

/* Rules go to device 2 before, and to device 1 after. There are more rules then, or fewer,
 * none for device 2 among them.
 */
static void halfway_through(struct kunit *test, bool whole, bool errors_after)
{
	struct rig *rig = test->priv;
	unsigned int device, i, rest = errors_after ? DEVICES : DEVICES - 1;
	struct seen before = {}, half = {}, after = {};
	struct errand writer = {
		.test = test,
		.run = whole ? run_exchange : run_exchange_source,
		.table = table_to(test, 1, errors_after, whole ? rest : 1),
	};

	/* so that nothing is new to any device */
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, 0,
				rtnl_gw_exchange(&rig->gn,
						 table_to(test, i ? 2 : 0,
							  !errors_after,
							  DEVICES)));
	look_at_devices(test, &before);
	/* it is not for readers of the exchange before that it waits */
	synchronize_rcu();
	look_halfway(test, &writer, look_at_devices, &half);
	look_at_devices(test, &after);
	for (device = 0; device < DEVICES; device++) {
		unsigned int dst = whole || !device ? 1 : 2;

		expect_seen(test, &before, device, 2);
		if (whole && device >= rest) {
			KUNIT_EXPECT_EQ(test, half.calls[device], 0);
			KUNIT_EXPECT_EQ(test, after.calls[device], 0);
			continue;
		}
		/* rules are counted when all devices have switched */
		expect_seen(test, &half, device, dst);
		expect_seen(test, &after, device, dst);
	}
	if (!whole)
		cgw_table_free(writer.table);
}

static void exchange_is_one_moment(struct kunit *test)
{
	if (!takes_turns(test))
		return;
	halfway_through(test, true, true);
	halfway_through(test, true, false);
	halfway_through(test, false, true);
	halfway_through(test, false, false);
}

/* Not one frame is lost by the counters when a rule gets another filter. */
static void other_filter_keeps_counters(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *new;

	add_simple(test, 0, 0x7F0);
	add_simple(test, 0, ERRORS);
	deliver(rig, 0, 0x120);
	deliver(rig, 0, 0x120);
	new = rule_like(test, 0, ERRORS);
	KUNIT_ASSERT_EQ(test, 0,
			rtnl_gw_replace(&rig->gn, rig->list[0].rule, new));
	deliver(rig, 0, CAN_ERR_FLAG | CAN_ERR_CRTL);
	KUNIT_ASSERT_EQ(test, rig->calls, 2);
	KUNIT_EXPECT_PTR_EQ(test, rig->called[1], new);
	/* two before, and one after, which was the second of the frame */
	rig->count = 1;
	replaced(rig, 0, new, 0, 0);
	rig->list[0].count[CGW_EV_SENT] = 2;
	rig->list[0].count[CGW_EV_DROPPED] = 1;
	check_counters(test);
}

/* A device has one hook, which only a CAN device may have. */
static void hook_is_one(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct can_rx_hook other = {};

	add_simple(test, 0, 0x7F0);
	KUNIT_EXPECT_EQ(test, deliver(rig, 0, 0x120), CAN_RX_HOOK_MATCHED);
	KUNIT_EXPECT_EQ(test, deliver(rig, 0, 0x110), CAN_RX_HOOK_UNMATCHED);
	KUNIT_EXPECT_EQ(test, deliver(rig, 1, 0x120), CAN_RX_HOOK_UNMATCHED);
	rig->list[0].count[CGW_EV_SENT] = 1;
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, can_rx_hook_register(rig->dev[0], &other), -EBUSY);
	rig->dev[1]->type = ARPHRD_ETHER;
	KUNIT_EXPECT_EQ(test, can_rx_hook_register(rig->dev[1], &other), -ENODEV);
	rig->dev[1]->type = ARPHRD_CAN;
	/* it cannot be had twice: the gateway cannot have it now */
	KUNIT_EXPECT_EQ(test, can_rx_hook_register(rig->dev[1], &other), 0);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, -EBUSY,
			rtnl_gw_add(&rig->gn, rule_for_shortage(test, 1, 0)));
	rtnl_lock();
	can_rx_hook_unregister(rig->dev[1], &other);
	rtnl_unlock();
	check_all(test);
	add_simple(test, 1, 0x7F0);
	check_all(test);
}

static void run_two_exchanges(struct errand *errand)
{
	struct rig *rig = errand->test->priv;
	struct cgw_table *table = errand->table;

	while (errand->steps < 2 && !errand->err) {
		errand->err = rtnl_gw_exchange(&rig->gn, table);
		errand->steps++;
		table = cgw_table_alloc(route, NULL);
		if (!table)
			errand->err = -ENOMEM;
	}
	if (table)
		cgw_table_free(table);
}

/* Readers that began before an exchange may still look at what it left. */
static void next_exchange_waits_for_readers(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct errand writer = { .test = test, .run = run_two_exchanges };
	unsigned int steps, calls;

	if (!takes_turns(test))
		return;
	add_simple(test, 0, 0x7F0);
	rig->count = 0;
	writer.table = make_table(test);
	add_simple_to(test, writer.table, 0, 0x7F0);
	add_simple_to(test, writer.table, 0, 0x7F0);
	prepare_errand(&writer);
	/* what was before does not count */
	synchronize_rcu();
	rcu_read_lock();
	wake_up_process(writer.task);
	steps = writer.steps;
	deliver(rig, 0, 0x120);
	calls = rig->calls;
	rcu_read_unlock();
	finish_errand(&writer);
	KUNIT_EXPECT_EQ(test, steps, 1);
	KUNIT_EXPECT_EQ(test, calls, 2);
	KUNIT_EXPECT_EQ(test, writer.steps, 2);
	KUNIT_EXPECT_EQ(test, writer.err, 0);
	deliver(rig, 0, 0x120);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_SLOW(random_edits),
	KUNIT_CASE(every_bit_of_a_key_counts),
	KUNIT_CASE(youngest_of_equals_goes),
	KUNIT_CASE(names_stand_for_modifications),
	KUNIT_CASE_SLOW(many_rules),
	KUNIT_CASE(equals_keep_their_age),
	KUNIT_CASE(replaced_in_its_place),
	KUNIT_CASE(replaced_alone),
	KUNIT_CASE(reset_is_exact),
	KUNIT_CASE(next_of_those_that_went),
	KUNIT_CASE(walk_with_interruptions),
	KUNIT_CASE_SLOW(exchange_of_devices),
	KUNIT_CASE(exchange_of_a_source),
	KUNIT_CASE(limit_is_kept),
	KUNIT_CASE(flush_takes_all),
	KUNIT_CASE(generation_changes),
	KUNIT_CASE(nothing_is_left),
	KUNIT_CASE_SLOW(counters_come_back),
	KUNIT_CASE(making_survives_shortage),
	KUNIT_CASE(adding_survives_shortage),
	KUNIT_CASE(replacing_survives_shortage),
	KUNIT_CASE(reset_survives_shortage),
	KUNIT_CASE(beginning_survives_shortage),
	KUNIT_CASE(exchange_survives_shortage),
	KUNIT_CASE(exchange_of_source_survives_shortage),
	KUNIT_CASE_PARAM(every_frame_has_one_table, changes_gen_params),
	KUNIT_CASE(exchange_is_one_moment),
	KUNIT_CASE(other_filter_keeps_counters),
	KUNIT_CASE(hook_is_one),
	KUNIT_CASE(next_exchange_waits_for_readers),
	{}
};

static struct kunit_suite table_suite = {
	.name = "can_gw_table",
	.init = table_test_init,
	.exit = table_test_exit,
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);
