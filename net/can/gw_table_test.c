// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * KUnit suite of the tables of gateway rules and of the gateway that uses them.
 *
 * The reference is a list of all rules that is searched from the newest to the
 * oldest. Frames are passed to the receive hook of a device that is not
 * registered. Where not all combinations are tested, rules and changes are
 * pseudo-random.
 */
#include <kunit/test.h>
#include <linux/can/can-ml.h>
#include <linux/can/core.h>
#include <linux/can/error.h>
#include <linux/cleanup.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/if_arp.h>
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
#include "is_freed.h"
#include "rcvnet.h"

#define DEVICES 3
#define MAX_RULES 256
#define MAX_REMOVED 64

#define ERRORS (CAN_ERR_FLAG | CAN_ERR_MASK)
#define ONE_SFF (CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG)

/**
 * struct ref_rule - a rule in the reference
 * @rule: rule under test
 * @key: key of the rule
 * @uid: uid of its modification, 0 without one
 * @value: identifier that its modification sets, 0 without one
 * @handle: expected handle
 * @count: expected frames by enum cgw_event
 */
struct ref_rule {
	struct cgw_rule *rule;
	struct cgw_key key;
	u32 uid;
	canid_t value;
	u64 handle;
	u64 count[CGW_EV_COUNT];
};

/**
 * struct rig - state of a test case
 * @gn: gateway under test
 * @dev: sources and destinations, and one device that has no rules
 * @ml: private data of @dev
 * @skb: frame
 * @rnd: state of the pseudo-random numbers
 * @list: reference, the oldest rule first
 * @count: entries of @list
 * @removed: handles of some removed rules
 * @nr_removed: number of handles ever stored in @removed
 * @called: rules that were called for a frame
 * @calls: entries of @called
 * @turn: completed with each call to wake up a writer, or NULL
 */
struct rig {
	struct cgw_net gn;
	struct net_device *dev[DEVICES + 1];
	struct can_ml_priv *ml[DEVICES + 1];
	struct sk_buff *skb;
	struct rnd_state rnd;
	struct ref_rule list[MAX_RULES];
	unsigned int count;
	u64 removed[MAX_REMOVED];
	unsigned int nr_removed;
	struct cgw_rule *called[MAX_RULES];
	unsigned int calls;
	struct completion *turn;
};

static struct rig *the_rig;

static u32 random(struct rig *rig, u32 ceil)
{
	return prandom_u32_state(&rig->rnd) % ceil;
}

/* Each call counts another event: sent, dropped, ... */
static void rig_route(struct sk_buff *skb, void *data)
{
	struct cgw_rule *rule = data;

	local_bh_disable();
	cgw_count(rule->stats, the_rig->calls % CGW_EV_COUNT);
	local_bh_enable();
	if (the_rig->calls < MAX_RULES)
		the_rig->called[the_rig->calls] = rule;
	the_rig->calls++;
	if (the_rig->turn)
		complete(the_rig->turn);
}

/* Writers call these functions under rtnl_lock(). */
DEFINE_LOCK_GUARD_0(writer, rtnl_lock(), rtnl_unlock())

static int rtnl_gw_add(struct cgw_net *gn, struct cgw_rule *rule)
{
	guard(writer)();
	return cgw_net_add(gn, rule);
}

static void rtnl_gw_del(struct cgw_net *gn, struct cgw_rule *rule)
{
	guard(writer)();
	cgw_net_del(gn, rule);
}

static int rtnl_gw_replace(struct cgw_net *gn, struct cgw_rule *rule,
			   struct cgw_rule *new)
{
	guard(writer)();
	return cgw_net_replace(gn, rule, new);
}

static void rtnl_gw_change(struct cgw_net *gn, struct cgw_rule *rule,
			   struct cgw_mod *mod)
{
	guard(writer)();
	cgw_net_change(gn, rule, mod);
}

static void rtnl_gw_flush(struct cgw_net *gn)
{
	guard(writer)();
	cgw_net_flush(gn);
}

static int rtnl_gw_exchange(struct cgw_net *gn, struct cgw_table *new)
{
	guard(writer)();
	return cgw_net_exchange(gn, new);
}

static int rtnl_gw_exchange_source(struct cgw_net *gn, struct cgw_table *new,
				   const struct net_device *dev)
{
	guard(writer)();
	return cgw_net_exchange_source(gn, new, dev);
}

static void rtnl_gw_dev_unregister(struct cgw_net *gn,
				   const struct net_device *dev,
				   void (*removed)(const struct cgw_rule *rule,
						   void *arg),
				   void *arg)
{
	guard(writer)();
	cgw_net_dev_unregister(gn, dev, removed, arg);
}

static void rtnl_gw_exit(struct cgw_net *gn)
{
	guard(writer)();
	cgw_net_exit(gn);
}

static struct cgw_table *rtnl_gw_table(struct cgw_net *gn)
{
	guard(writer)();
	return cgw_net_table(gn);
}

static struct cgw_rule *rtnl_find(struct cgw_table *table,
				  const struct cgw_key *key,
				  const struct cgw_mod *mod)
{
	guard(writer)();
	return cgw_table_find(table, key, mod);
}

static struct cgw_rule *rtnl_find_uid(struct cgw_table *table, u32 uid)
{
	guard(writer)();
	return cgw_table_find_uid(table, uid);
}

static struct cgw_mod *rtnl_rule_mod(const struct cgw_rule *rule)
{
	guard(writer)();
	return cgw_rule_mod(rule);
}

static enum can_rx_hook_result rig_receive(struct can_rx_hook *hook,
					   struct sk_buff *skb)
{
	struct cgw_source *source = cgw_port_source(hook);

	if (source && cgw_source_deliver(source, skb))
		return CAN_RX_HOOK_MATCHED;
	return CAN_RX_HOOK_UNMATCHED;
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
		rig->ml[i] = kunit_kzalloc(test, sizeof(*rig->ml[i]),
					   GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, rig->ml[i]);
		can_set_ml_priv(rig->dev[i], rig->ml[i]);
	}
	rig->skb = alloc_skb(sizeof(struct can_frame), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->skb);
	skb_put_zero(rig->skb, sizeof(struct can_frame));
	return cgw_net_init(&rig->gn, &init_net, rig_route, rig_receive);
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
		KUNIT_EXPECT_NULL(test,
				  rcu_access_pointer(rig->ml[i]->rx_hook));
	KUNIT_EXPECT_EQ(test, rig->gn.accounted, 0);
	/* wait for RCU callbacks: there are no readers after that */
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

static void ref_add(struct rig *rig, struct cgw_rule *rule,
		    const struct cgw_key *key, u32 uid, canid_t value)
{
	rig->list[rig->count++] = (struct ref_rule){
		.rule = rule, .key = *key, .uid = uid, .value = value,
		.handle = rule->handle,
	};
}

static void ref_del(struct rig *rig, unsigned int i)
{
	rig->removed[rig->nr_removed++ % MAX_REMOVED] = rig->list[i].handle;
	rig->count--;
	memmove(&rig->list[i], &rig->list[i + 1],
		(rig->count - i) * sizeof(rig->list[0]));
}

static void add_rule(struct kunit *test, const struct cgw_key *key, u32 uid,
		     canid_t value)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule = make_rule(test, key, uid, value);

	KUNIT_ASSERT_EQ(test, rtnl_gw_add(&rig->gn, rule), 0);
	ref_add(rig, rule, key, uid, value);
}

static void add_simple(struct kunit *test, unsigned int src, canid_t mask)
{
	struct cgw_key key = make_key(test->priv, src, 2, 0x120, mask);

	add_rule(test, &key, 0, 0);
}

static struct cgw_table *make_table(struct kunit *test)
{
	struct cgw_table *table = cgw_table_alloc(rig_route, NULL);

	KUNIT_ASSERT_NOT_NULL(test, table);
	return table;
}

/* Add a rule to a staged table, with the next handle. */
static struct cgw_rule *stage_rule(struct kunit *test, struct cgw_table *table,
				   const struct cgw_key *key, canid_t value)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule = make_rule(test, key, 0, value);

	rule->handle = ++rig->gn.handles;
	KUNIT_ASSERT_EQ(test, cgw_table_add(table, rule), 0);
	return rule;
}

static void stage_simple(struct kunit *test, struct cgw_table *table,
			 unsigned int src, canid_t mask)
{
	struct cgw_key key = make_key(test->priv, src, 2, 0x120, mask);

	stage_rule(test, table, &key, 0);
}

static struct cgw_rule *copy_rule(struct kunit *test, unsigned int i,
				  canid_t mask)
{
	struct rig *rig = test->priv;
	struct cgw_key key = rig->list[i].key;

	key.filter.can_mask = mask;
	return make_rule(test, &key, rig->list[i].uid, rig->list[i].value);
}

/* The reference */

/* @rule has replaced rule @i. */
static void ref_replace(struct rig *rig, unsigned int i, struct cgw_rule *rule,
			u32 uid, canid_t value)
{
	struct ref_rule *e = &rig->list[i];

	e->rule = rule;
	e->key = rule->key;
	e->uid = uid;
	e->value = value;
}

static bool ref_is_from(const struct rig *rig, unsigned int i,
			unsigned int device)
{
	return rig->list[i].key.src_idx == rig->dev[device]->ifindex;
}

static void ref_clear(struct rig *rig)
{
	while (rig->count)
		ref_del(rig, rig->count - 1);
}

static void ref_del_source(struct rig *rig, unsigned int device)
{
	unsigned int i = 0;

	while (i < rig->count)
		if (ref_is_from(rig, i, device))
			ref_del(rig, i);
		else
			i++;
}

static bool ref_same(const struct ref_rule *e, const struct cgw_key *key,
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
		if (ref_same(&rig->list[i], key, uid, value))
			return i;
	return -1;
}

/* This suite has neither inverted filters nor RTR frames: rcvlist_test.c tests
 * the order of all classes.
 */
static unsigned int ref_rank(const struct can_filter *f)
{
	if (f->can_mask & CAN_ERR_FLAG)
		return 0;
	if (!f->can_mask)
		return 1;
	return f->can_mask == ONE_SFF ? 3 : 2;
}

static bool ref_matches(const struct can_filter *f, canid_t frame)
{
	if (frame & CAN_ERR_FLAG)
		return f->can_mask & CAN_ERR_FLAG &&
		       frame & f->can_mask & CAN_ERR_MASK;
	return !(f->can_mask & CAN_ERR_FLAG) &&
	       !((frame ^ f->can_id) & f->can_mask);
}

static enum can_rx_hook_result rig_deliver(struct rig *rig, unsigned int device,
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

	rig_deliver(rig, device, frame);
	for (rank = 0; rank <= 3; rank++) {
		for (i = rig->count - 1; i >= 0; i--) {
			struct ref_rule *e = &rig->list[i];

			if (!ref_is_from(rig, i, device) ||
			    ref_rank(&e->key.filter) != rank ||
			    !ref_matches(&e->key.filter, frame))
				continue;
			if (calls < rig->calls)
				KUNIT_ASSERT_PTR_EQ_MSG(test,
							rig->called[calls],
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
	hlist_for_each_entry_rcu(rule, &cgw_net_table(&rig->gn)->rules,
				 table_node) {
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

	KUNIT_ASSERT_PTR_EQ(test,
			    cgw_table_next(rtnl_gw_table(&rig->gn), handle),
			    ref_next(rig, handle));
}

/* Handles are as expected, and ascend from the oldest to the newest rule. */
static void check_handles(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table = rtnl_gw_table(&rig->gn);
	u64 last = 0, removed = rig->removed[random(rig, MAX_REMOVED)];
	unsigned int i;

	for (i = 0; i < rig->count; i++) {
		const struct ref_rule *e = &rig->list[i];

		KUNIT_ASSERT_EQ(test, e->rule->handle, e->handle);
		KUNIT_ASSERT_GT(test, e->handle, last);
		KUNIT_ASSERT_PTR_EQ(test,
				    cgw_table_find_handle(table, e->handle),
				    e->rule);
		check_next(test, e->handle);
		last = e->handle;
	}
	KUNIT_ASSERT_LE(test, last, rig->gn.handles);
	check_next(test, 0);
	check_next(test, U64_MAX);
	if (!removed)
		return;
	KUNIT_ASSERT_NULL(test, cgw_table_find_handle(table, removed));
	check_next(test, removed);
}

static void check_counters(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, event;
	u64 sum[CGW_EV_COUNT];

	for (i = 0; i < rig->count; i++) {
		const struct ref_rule *e = &rig->list[i];
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

/* Each rule has a receiver in /proc/net/can. Devices without rules have no
 * hook.
 */
static void check_receivers(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int device, i, ports = 0;

	for (device = 0; device < DEVICES; device++) {
		unsigned int rules = 0, shown = 0;
		enum can_rcv_class class;
		struct can_rcvlist *list;

		for (i = 0; i < rig->count; i++)
			rules += ref_is_from(rig, i, device);
		rcu_read_lock();
		list = can_rx_hook_receivers(rig->dev[device]);
		for (class = 0; list && class <= CAN_RCV_SFF; class++)
			can_rcvlist_for_each(list, class, count_receiver,
					     &shown);
		rcu_read_unlock();
		KUNIT_ASSERT_EQ(test, !list, !rules);
		KUNIT_ASSERT_EQ(test, shown, rules);
		KUNIT_ASSERT_EQ(test,
				!rcu_access_pointer(rig->ml[device]->rx_hook),
				!rules);
		ports += !!rules;
	}
	KUNIT_ASSERT_EQ(test, rig->gn.ports.entries, ports);
	KUNIT_ASSERT_EQ(test, rig->gn.accounted, rig->count);
}

static const canid_t test_masks[] = {
	0, CAN_SFF_MASK, 0x7F0, 0x7FE, 0x700,
	ONE_SFF, CAN_ERR_FLAG | CAN_ERR_CRTL, ERRORS,
};

static canid_t random_frame(struct rig *rig)
{
	if (random(rig, 8))
		return 0x120 + random(rig, 8);
	return CAN_ERR_FLAG | (random(rig, 2) ? CAN_ERR_CRTL : CAN_ERR_ACK);
}

static struct cgw_key random_key(struct rig *rig)
{
	canid_t mask = test_masks[random(rig, ARRAY_SIZE(test_masks))];
	struct cgw_key key;

	key = make_key(rig, random(rig, DEVICES), random(rig, DEVICES),
		       0x120 + random(rig, 8), mask);
	key.flags = random(rig, 2);
	key.limit_hops = random(rig, 2);
	key.frames = random(rig, 3);
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
		check_frame(test, random(rig, DEVICES), random_frame(rig));
}

static void replace_rule(struct kunit *test, unsigned int i,
			 struct cgw_rule *rule, u32 uid, canid_t value)
{
	struct rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, 0, rtnl_gw_replace(&rig->gn, rig->list[i].rule,
						 rule));
	ref_replace(rig, i, rule, uid, value);
}

/* Replace rule @i by a copy with another mask. */
static void replace_mask(struct kunit *test, unsigned int i, canid_t mask)
{
	replace_rule(test, i, copy_rule(test, i, mask), 0, 0);
}

static void expect_empty(struct kunit *test, struct cgw_table *table)
{
	KUNIT_ASSERT_EQ(test, table->count, 0);
	KUNIT_ASSERT_EQ(test, table->xl, 0);
	KUNIT_ASSERT_TRUE(test, hlist_empty(&table->rules));
	KUNIT_ASSERT_TRUE(test, hlist_empty(&table->source_list));
	KUNIT_ASSERT_EQ(test, table->keys.entries, 0);
	KUNIT_ASSERT_EQ(test, table->handles.entries, 0);
	KUNIT_ASSERT_EQ(test, table->sources.entries, 0);
}

/* The reference has the rules of @table, from @first on. They get the next
 * handles.
 */
static void exchange_source(struct kunit *test, struct cgw_table *table,
			    unsigned int device, unsigned int first)
{
	struct rig *rig = test->priv;
	u64 handle = rig->gn.handles;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, rtnl_gw_exchange_source(&rig->gn, table,
							 rig->dev[device]));
	for (i = first; i < rig->count; i++)
		rig->list[i].handle = ++handle;
	KUNIT_ASSERT_EQ(test, rig->gn.handles, handle);
	expect_empty(test, table);
	cgw_table_free(table);
}

/* Random changes */

static void edit_add(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = random_key(rig);

	if (rig->count < MAX_RULES)
		add_rule(test, &key, 0, random(rig, 3));
}

static void edit_add_uid(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = random_key(rig);
	u32 uid = 1 + random(rig, 16);
	unsigned int i;

	for (i = 0; i < rig->count; i++)
		if (rig->list[i].uid == uid)
			return;
	KUNIT_ASSERT_NULL(test, rtnl_find_uid(rtnl_gw_table(&rig->gn), uid));
	if (rig->count < MAX_RULES)
		add_rule(test, &key, uid, random(rig, 3));
}

static void edit_change(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 uid = 1 + random(rig, 16);
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
	rig->list[i].value = random(rig, 1000);
	mod = make_mod(test, uid, rig->list[i].value);
	rtnl_gw_change(&rig->gn, rule, mod);
	KUNIT_ASSERT_PTR_EQ(test, rtnl_rule_mod(rule), mod);
}

static u32 unused_uid(struct rig *rig)
{
	u32 uid = 1 + random(rig, 16);
	unsigned int i;

	for (i = 0; i < rig->count; i++)
		if (rig->list[i].uid == uid)
			return 0;
	return uid;
}

/* Everything but the source may change. */
static void replace_random(struct kunit *test, bool same_filter)
{
	struct rig *rig = test->priv;
	struct cgw_key key = random_key(rig);
	canid_t value = random(rig, 3);
	const struct ref_rule *e;
	unsigned int i;
	u32 uid;

	if (!rig->count)
		return;
	i = random(rig, rig->count);
	e = &rig->list[i];
	key.src_idx = e->key.src_idx;
	if (same_filter)
		key.filter = e->key.filter;
	uid = random(rig, 2) ? e->uid : unused_uid(rig);
	replace_rule(test, i, make_rule(test, &key, uid, value), uid, value);
}

static void edit_replace(struct kunit *test)
{
	replace_random(test, true);
}

static void edit_refilter(struct kunit *test)
{
	replace_random(test, false);
}

static void edit_reset(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 sum[CGW_EV_COUNT];
	struct ref_rule *e;

	if (!rig->count)
		return;
	e = &rig->list[random(rig, rig->count)];
	cgw_rule_stats(e->rule, sum);
	KUNIT_ASSERT_MEMEQ(test, sum, e->count, sizeof(sum));
	KUNIT_ASSERT_EQ(test, cgw_rule_reset_stats(e->rule, sum), 0);
	memset(e->count, 0, sizeof(e->count));
}

static void remove_by_contents(struct kunit *test, const struct cgw_key *key,
			       u32 uid, canid_t value)
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
	ref_del(rig, i);
}

static void edit_remove(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct ref_rule e;

	if (!rig->count)
		return;
	e = rig->list[random(rig, rig->count)];
	remove_by_contents(test, &e.key, e.uid, e.value);
}

static void edit_remove_random(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = random_key(rig);

	remove_by_contents(test, &key, random(rig, 2) * random(rig, 16),
			   random(rig, 3));
}

/* Rules that cgw_net_dev_unregister() reports */
struct removed_rules {
	const struct cgw_rule *rule[MAX_RULES];
	unsigned int count;
};

static void record_removed(const struct cgw_rule *rule, void *arg)
{
	struct removed_rules *removed = arg;

	if (removed->count < MAX_RULES)
		removed->rule[removed->count] = rule;
	removed->count++;
}

static void edit_dev_unregister(struct kunit *test)
{
	static struct removed_rules removed;
	struct rig *rig = test->priv;
	unsigned int device = random(rig,
				     DEVICES), i = 0, n, reported, count = 0;
	u32 idx = rig->dev[device]->ifindex;
	bool silent = random(rig, 2);
	struct cgw_rule *rule;

	removed.count = 0;
	rtnl_gw_dev_unregister(&rig->gn, rig->dev[device],
			       silent ? NULL : record_removed, &removed);
	while (i < rig->count)
		if (rig->list[i].key.src_idx == idx ||
		    rig->list[i].key.dst_idx == idx) {
			rule = rig->list[i].rule;
			for (n = 0, reported = 0; n < removed.count; n++)
				reported += removed.rule[n] == rule;
			KUNIT_ASSERT_EQ(test, reported, !silent);
			ref_del(rig, i);
			count++;
		} else {
			i++;
		}
	KUNIT_ASSERT_EQ(test, removed.count, silent ? 0 : count);
}

static void edit_exchange(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table = make_table(test);
	unsigned int i, count = random(rig, 4) ? random(rig, 100) : 0;

	ref_clear(rig);
	for (i = 0; i < count; i++) {
		struct cgw_key key = random_key(rig);
		canid_t value = random(rig, 3);

		ref_add(rig, stage_rule(test, table, &key, value), &key, 0,
			value);
	}
	KUNIT_ASSERT_EQ(test, rtnl_gw_exchange(&rig->gn, table), 0);
	KUNIT_ASSERT_PTR_EQ(test, rtnl_gw_table(&rig->gn), table);
}

/* The rules of @table have handles that rules of the gateway may have, too. */
static void edit_exchange_source(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table = make_table(test);
	unsigned int device = random(rig, DEVICES), i, first;
	unsigned int count = random(rig, 4) ? random(rig, 40) : 0;

	ref_del_source(rig, device);
	first = rig->count;
	count = min(count, MAX_RULES - first);
	for (i = 0; i < count; i++) {
		struct cgw_key key = random_key(rig);
		canid_t value = random(rig, 3);
		struct cgw_rule *rule;

		key.src_idx = rig->dev[device]->ifindex;
		rule = make_rule(test, &key, 0, value);
		rule->handle = i + 1;
		KUNIT_ASSERT_EQ(test, cgw_table_add(table, rule), 0);
		ref_add(rig, rule, &key, 0, value);
	}
	exchange_source(test, table, device, first);
}

static void edit_flush(struct kunit *test)
{
	struct rig *rig = test->priv;

	rtnl_gw_flush(&rig->gn);
	ref_clear(rig);
}

static void random_edits(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int step;

	for (step = 0; step < 20000; step++) {
		u32 n = random(rig, 1000);

		if (n < 2)
			edit_exchange(test);
		else if (n < 4)
			edit_dev_unregister(test);
		else if (n < 5)
			edit_flush(test);
		else if (n < 12)
			edit_exchange_source(test);
		else if (n < 60)
			edit_replace(test);
		else if (n < 100)
			edit_refilter(test);
		else if (n < 150)
			edit_reset(test);
		else if (n < 520)
			edit_add(test);
		else if (n < 590)
			edit_add_uid(test);
		else if (n < 660)
			edit_change(test);
		else if (n < 920)
			edit_remove(test);
		else
			edit_remove_random(test);
		check_all(test);
		cond_resched();
	}
}

/* A key that differs in one bit finds no rule. */
static void every_key_bit_is_compared(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK), other;
	struct cgw_mod *mod = make_mod(test, 0, 5);
	struct cgw_table *table = rtnl_gw_table(&rig->gn);
	unsigned int bit;

	add_rule(test, &key, 0, 5);
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

static void newest_of_equals_is_removed(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK);
	unsigned int i;

	for (i = 0; i < 100; i++)
		add_rule(test, &key, 0, 1 + i % 2);
	check_frame(test, 0, 0x123);
	for (i = 0; i < 50; i++) {
		remove_by_contents(test, &key, 0, 1);
		check_frame(test, 0, 0x123);
	}
	remove_by_contents(test, &key, 0, 1);
	KUNIT_EXPECT_EQ(test, rig->count, 50);
}

/* A rule with a uid is found by its uid, one without by its modification. */
static void uid_identifies_modification(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK);

	add_rule(test, &key, 7, 1);
	remove_by_contents(test, &key, 0, 1);
	KUNIT_EXPECT_EQ(test, rig->count, 1);
	remove_by_contents(test, &key, 8, 1);
	KUNIT_EXPECT_EQ(test, rig->count, 1);
	remove_by_contents(test, &key, 7, 2);
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
		rig_deliver(rig, 0, i | CAN_EFF_FLAG);
		KUNIT_ASSERT_EQ(test, rig->calls, i % 2);
	}
	rtnl_gw_flush(&rig->gn);
	rig_deliver(rig, 0, 1 | CAN_EFF_FLAG);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
}

/* Replaced rules */

/* The newest of equal rules is found, also after rules are replaced or moved.
 */
static void equal_rules_keep_their_order(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK);
	struct cgw_table *table = make_table(test);
	unsigned int i;

	/* the oldest becomes equal to the others: with the same and another
	 * filter
	 */
	for (i = 0; i < 2; i++) {
		struct cgw_key other = key;

		other.filter.can_mask = i ? 0x7F0 : CAN_SFF_MASK;
		add_rule(test, &other, 0, 5);
		add_rule(test, &key, 0, 1);
		add_rule(test, &key, 0, 1);
		replace_rule(test, 0, make_rule(test, &key, 0, 1), 0, 1);
		check_all(test);
		while (rig->count) {
			remove_by_contents(test, &key, 0, 1);
			check_all(test);
		}
	}
	/* they move to another table and get new handles */
	for (i = 0; i < 3; i++)
		ref_add(rig, stage_rule(test, table, &key, 1), &key, 0, 1);
	exchange_source(test, table, 0, 0);
	while (rig->count) {
		remove_by_contents(test, &key, 0, 1);
		check_all(test);
	}
}

/* Every frame of this suite on every device */
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

/* Each rule of a table with all filters gets each of them, and its own again.
 */
static void replaced_rule_keeps_position(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, n, mask;

	for (n = 0; n < 2; n++)
		for (i = 0; i < 2 * ARRAY_SIZE(test_masks); i++)
			add_simple(test, n, test_masks[i / 2]);
	check_all_frames(test);
	for (i = 0; i < rig->count; i++)
		for (mask = 0; mask < ARRAY_SIZE(test_masks); mask++) {
			canid_t before = rig->list[i].key.filter.can_mask;

			replace_mask(test, i, test_masks[mask]);
			check_all_frames(test);
			check_all(test);
			replace_mask(test, i, before);
		}
	check_all_frames(test);
	check_all(test);
}

/* The only rule of a device: the device gets another index. */
static void only_rule_is_replaced(struct kunit *test)
{
	static const canid_t masks[] = { 0x7F0, ERRORS, ERRORS, 0, 0 };
	struct rig *rig = test->priv;
	struct cgw_rule *rule;
	unsigned int i;

	add_simple(test, 0, 0x7F0);
	for (i = 0; i < 2 * ARRAY_SIZE(masks); i++) {
		rule = copy_rule(test, 0, masks[i % ARRAY_SIZE(masks)]);
		rule->key.dst_idx = rig->dev[i % DEVICES]->ifindex;
		replace_rule(test, 0, rule, 0, 0);
		check_all_frames(test);
		check_all(test);
	}
}

/* Counters restart from 0. Frames counted after @sum was read stay counted. */
static void reset_is_exact(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 sum[CGW_EV_COUNT], total = 0;
	unsigned int i, n, before = 0;

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
		KUNIT_ASSERT_EQ(test,
				cgw_rule_reset_stats(rig->list[1].rule, sum),
				0);
		/* it is the second of three rules called for each frame */
		KUNIT_EXPECT_EQ(test, sum[CGW_EV_DROPPED], n + before);
		KUNIT_EXPECT_EQ(test, cgw_stats_matched(sum), n + before);
		total += n + late;
		before = late;
		check_counters(test);
		/* the rule that replaces it gets the base of its counters */
		replace_mask(test, 1, n % 2 ? 0x7F0 : 0x7E0);
		check_counters(test);
	}
	cgw_rule_stats(rig->list[1].rule, sum);
	KUNIT_EXPECT_EQ(test, cgw_stats_matched(sum), before);
	cgw_stats_read(rig->list[1].rule->stats, sum);
	KUNIT_EXPECT_EQ(test, cgw_stats_matched(sum), total);
}

/* Handles */

static void next_after_removed_rule(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 handle[100];
	unsigned int i;

	check_next(test, 0);
	check_next(test, 1);
	for (i = 0; i < 100; i++) {
		add_simple(test, i % DEVICES, test_masks[i % 8]);
		handle[i] = rig->list[i].handle;
		if (i)
			KUNIT_ASSERT_GT(test, handle[i], handle[i - 1]);
	}
	/* removed in a mixed order; each handle stays valid for
	 * cgw_table_next()
	 */
	for (i = 0; i < 100; i++) {
		unsigned int n, which;

		for (n = 0; n < rig->count; n++)
			if (rig->list[n].handle == handle[i * 37 % 100])
				break;
		which = n;
		KUNIT_ASSERT_LT(test, which, rig->count);
		rtnl_gw_del(&rig->gn, rig->list[which].rule);
		ref_del(rig, which);
		for (n = 0; n < 100; n++)
			check_next(test, handle[n]);
		check_next(test, handle[0] - 1);
		check_next(test, handle[99] + 1);
	}
	/* no handle is used again */
	add_simple(test, 0, 0);
	KUNIT_EXPECT_GT(test, rig->list[0].handle, handle[99]);
}

/* A walk like that of a dump, while rules are added, replaced and removed */
static void walk_is_resumed(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule, *new;
	unsigned int visited, i;
	u64 handle = 0;

	for (i = 0; i < 60; i++)
		add_simple(test, i % 2, 0x7F0);
	for (visited = 0;
	     (rule = cgw_table_next(rtnl_gw_table(&rig->gn), handle));
	     visited++) {
		if (handle)
			KUNIT_ASSERT_LT(test, rule->handle, handle);
		handle = rule->handle;
		/* remove the rule just visited, replace it, or keep it */
		i = 59 - visited;
		KUNIT_ASSERT_PTR_EQ(test, rig->list[i].rule, rule);
		if (visited % 3 == 0) {
			rtnl_gw_del(&rig->gn, rule);
			/* the entry stays: older rules keep their index */
			rig->list[i].rule = NULL;
		} else if (visited % 3 == 1) {
			new = copy_rule(test, i, 0x7E0);
			KUNIT_ASSERT_EQ(test, 0, rtnl_gw_replace(&rig->gn, rule,
								 new));
		}
		/* newer rules are not visited */
		new = copy_rule(test, i, 0x7F0);
		KUNIT_ASSERT_EQ(test, 0, rtnl_gw_add(&rig->gn, new));
	}
	KUNIT_EXPECT_EQ(test, visited, 60);
}

/* Tables */

static void exchange_of_devices(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int before, after, device;
	struct cgw_key key;

	/* each set of source devices before and after, with two filters */
	for (before = 0; before < 1 << 2 * DEVICES; before++)
		for (after = 0; after < 1 << 2 * DEVICES;
		     after += 1 + random(rig, 3)) {
			struct cgw_table *table = make_table(test);

			rtnl_gw_flush(&rig->gn);
			ref_clear(rig);
			for (device = 0; device < 2 * DEVICES; device++)
				if (before & BIT(device))
					add_simple(test, device / 2,
						   device % 2 ? ERRORS : 0x7F0);
			ref_clear(rig);
			for (device = 0; device < 2 * DEVICES; device++) {
				if (!(after & BIT(device)))
					continue;
				key = make_key(rig, device / 2, 1, 0x120,
					       device % 2 ? ERRORS : 0);
				ref_add(rig, stage_rule(test, table, &key, 1),
					&key, 0, 1);
			}
			KUNIT_ASSERT_EQ(test, 0,
					rtnl_gw_exchange(&rig->gn, table));
			for (device = 0; device < DEVICES; device++) {
				check_frame(test, device, 0x120);
				check_frame(test, device, ERRORS);
			}
			check_all(test);
		}
}

/* With and without old rules, with and without new ones */
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
			ref_clear(rig);
			add_simple(test, 1, 0x7F0);
			for (i = 0; i < before; i++)
				add_simple(test, 0, i ? 0x7F0 : ERRORS);
			add_simple(test, 1, ERRORS);
			add_simple(test, 2, 0x7F0);
			check_all_frames(test);
			table = make_table(test);
			ref_del_source(rig, 0);
			for (i = 0, count = rig->count; i < after; i++) {
				key = make_key(rig, 0, 1, 0x120, i ? 0x7F0 : 0);
				ref_add(rig, stage_rule(test, table, &key, 1),
					&key, 0, 1);
			}
			generation = rig->gn.generation;
			exchange_source(test, table, 0, count);
			KUNIT_EXPECT_NE(test, rig->gn.generation, generation);
			check_all_frames(test);
			check_all(test);
		}
}

/* A rejected request changes neither the active table nor the staged one. */
static void limit_is_enforced(struct kunit *test)
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
			rtnl_gw_add(&rig->gn, copy_rule(test, 0, 0)));
	check_all(test);
	/* 11 rules for all devices; 6 for device 0, which has 5 of 10 rules */
	for (count = 11; count >= 6; count -= 5) {
		int err;

		table = make_table(test);
		for (i = 0; i < count; i++)
			stage_simple(test, table, 0, 0);
		err = count == 11 ? rtnl_gw_exchange(&rig->gn, table) :
		      rtnl_gw_exchange_source(&rig->gn, table, rig->dev[0]);
		KUNIT_ASSERT_EQ(test, err, -ENOSPC);
		KUNIT_EXPECT_EQ(test, table->count, count);
		cgw_table_free(table);
		check_all_frames(test);
		check_all(test);
	}
	KUNIT_EXPECT_EQ(test, rig->gn.generation, generation);
	/* a rule can be replaced at the limit */
	for (i = 0; i < 10; i++)
		replace_mask(test, i, i % 2 ? 0x7F0 : 0);
	check_all(test);
	/* exchanges up to the limit */
	table = make_table(test);
	ref_del_source(rig, 0);
	for (i = 0; i < 5; i++)
		stage_simple(test, table, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, rtnl_gw_exchange_source(&rig->gn, table,
							 rig->dev[0]));
	cgw_table_free(table);
	KUNIT_EXPECT_EQ(test, rtnl_gw_table(&rig->gn)->count, 10);
	table = make_table(test);
	for (i = 0; i < 10; i++)
		stage_simple(test, table, i % 3, 0);
	KUNIT_EXPECT_EQ(test, 0, rtnl_gw_exchange(&rig->gn, table));
	KUNIT_EXPECT_EQ(test, rtnl_gw_table(&rig->gn)->count, 10);
	/* rules above a lowered limit stay */
	rig->gn.limit = 3;
	KUNIT_EXPECT_EQ(test, -ENOSPC,
			rtnl_gw_add(&rig->gn, copy_rule(test, 0, 0x7F0)));
	rig_deliver(rig, 0, 0x120);
	KUNIT_EXPECT_EQ(test, rig->calls, 4);
}

static void flush_removes_all(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, round;

	for (round = 0; round < 3; round++) {
		u64 handles = rig->gn.handles;

		for (i = 0; i < 40; i++)
			add_simple(test, (i + round) % DEVICES,
				   test_masks[i % 8]);
		KUNIT_EXPECT_EQ(test, rig->gn.handles, handles + 40);
		check_all_frames(test);
		edit_flush(test);
		KUNIT_EXPECT_EQ(test, rig->gn.handles, handles + 40);
		expect_empty(test, rtnl_gw_table(&rig->gn));
		check_all(test);
		check_all_frames(test);
		/* no rule is left */
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

static void make_changes(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 generation = rig->gn.generation;
	struct cgw_key key = make_key(rig, 0, 1, 0x120, 0x7F0);
	struct cgw_table *table;

	add_rule(test, &key, 7, 1);
	expect_change(test, &generation, "add");
	rtnl_gw_change(&rig->gn, rig->list[0].rule, make_mod(test, 7, 2));
	expect_change(test, &generation, "change");
	KUNIT_ASSERT_PTR_EQ(test, rtnl_find_uid(rtnl_gw_table(&rig->gn), 7),
			    rig->list[0].rule);
	replace_rule(test, 0, copy_rule(test, 0, 0x7F0), 7, 1);
	expect_change(test, &generation, "replace");
	KUNIT_ASSERT_PTR_EQ(test, rtnl_find_uid(rtnl_gw_table(&rig->gn), 7),
			    rig->list[0].rule);
	replace_rule(test, 0, copy_rule(test, 0, 0x7E0), 7, 1);
	expect_change(test, &generation, "refilter");
	rtnl_gw_del(&rig->gn, rig->list[0].rule);
	ref_del(rig, 0);
	expect_change(test, &generation, "del");
	table = make_table(test);
	stage_simple(test, table, 0, 0);
	KUNIT_ASSERT_EQ(test, 0, rtnl_gw_exchange(&rig->gn, table));
	expect_change(test, &generation, "exchange");
	/* a device without rules */
	rtnl_gw_dev_unregister(&rig->gn, rig->dev[DEVICES], NULL, NULL);
	KUNIT_EXPECT_EQ(test, rig->gn.generation, generation);
	rtnl_gw_dev_unregister(&rig->gn, rig->dev[2], NULL, NULL);
	expect_change(test, &generation, "device unregistered");
	add_simple(test, 1, 0x7F0);
	expect_change(test, &generation, "add");
	rtnl_gw_flush(&rig->gn);
	expect_change(test, &generation, "flush");
	rig->count = 0;
}

/* The generation wraps and skips 0. */
static void generation_changes(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	KUNIT_EXPECT_NE(test, rig->gn.generation, 0);
	for (i = 0; i < 12; i++) {
		rig->gn.generation = U32_MAX - i;
		make_changes(test);
		KUNIT_EXPECT_NE(test, rig->gn.generation, 0);
	}
	rig->gn.generation = U32_MAX;
	rtnl_gw_flush(&rig->gn);
	KUNIT_EXPECT_NE(test, rig->gn.generation, 0);
	KUNIT_EXPECT_NE(test, rig->gn.generation, U32_MAX);
}

/* Memory: KASAN tells which memory is free. */

#define MAX_TRACKED 64

/**
 * struct tracked - memory that must be freed, or must be in use
 * @memory: addresses
 * @count: entries of @memory
 */
struct tracked {
	const void *memory[MAX_TRACKED];
	unsigned int count;
};

static void track(struct tracked *t, const void *memory)
{
	if (memory && t->count < MAX_TRACKED)
		t->memory[t->count++] = memory;
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

static void track_rule(struct tracked *t, struct cgw_rule *rule)
{
	track(t, rule);
	track(t, rule->name);
	track(t, rtnl_rule_mod(rule));
}

/* The rule with the state that a rule that replaces it takes over */
static void track_state(struct tracked *t, struct cgw_rule *rule)
{
	track_rule(t, rule);
	track(t, rule->base);
	track(t, receiver_of(rule));
}

static void track_source(struct tracked *t, struct cgw_rule *rule)
{
	track_state(t, rule);
	track(t, rule->source);
}

/* Memory is freed by RCU, or later by a workqueue. */
static void expect_freed(struct kunit *test, struct tracked *freed,
			 const char *what)
{
	unsigned int i, tries = 0;

	wait_until_freed();
	for (i = 0; i < freed->count; i++) {
		while (!is_freed(freed->memory[i]) && tries++ < 250)
			msleep(20);
		KUNIT_EXPECT_TRUE_MSG(test, is_freed(freed->memory[i]),
				      "%s: number %u", what, i);
	}
	freed->count = 0;
}

static void expect_used(struct kunit *test, struct tracked *used)
{
	unsigned int i;

	for (i = 0; i < used->count; i++)
		KUNIT_EXPECT_FALSE_MSG(test, is_freed(used->memory[i]), "%u",
				       i);
	used->count = 0;
}

/* Three rules of device 0; the counters of the first one were reset. */
static struct cgw_rule *three_rules(struct kunit *test, canid_t mask)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x120, mask);
	unsigned int i;
	u64 sum[CGW_EV_COUNT];

	rtnl_gw_flush(&rig->gn);
	rig->count = 0;
	for (i = 0; i < 3; i++)
		add_rule(test, &key, 7 + i, 1);
	cgw_rule_stats(rig->list[0].rule, sum);
	KUNIT_ASSERT_EQ(test, cgw_rule_reset_stats(rig->list[0].rule, sum), 0);
	return rig->list[0].rule;
}

static void removed_memory_is_freed(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct tracked freed = {}, used = {};
	struct cgw_rule *rule, *new;
	struct cgw_source *source;
	struct cgw_table *table;
	u64 sum[CGW_EV_COUNT] = {};
	unsigned int i;

	if (!IS_ENABLED(CONFIG_KASAN_GENERIC))
		kunit_skip(test, "needs CONFIG_KASAN_GENERIC");

	rule = three_rules(test, 0x7F0);
	track_state(&freed, rule);
	track_source(&used, rig->list[1].rule);
	rtnl_gw_del(&rig->gn, rule);
	expect_freed(test, &freed, "del");
	expect_used(test, &used);

	rule = three_rules(test, 0x7F0);
	track(&freed, rule->base);
	KUNIT_ASSERT_EQ(test, cgw_rule_reset_stats(rule, sum), 0);
	expect_freed(test, &freed, "reset");
	track(&freed, rtnl_rule_mod(rule));
	rtnl_gw_change(&rig->gn, rule, make_mod(test, 7, 2));
	expect_freed(test, &freed, "change");

	/* base and receiver stay */
	rule = three_rules(test, 0x7F0);
	track_rule(&freed, rule);
	track(&used, rule->base);
	track(&used, receiver_of(rule));
	track(&used, rule->source);
	new = copy_rule(test, 0, 0x7F0);
	track_state(&used, rig->list[1].rule);
	KUNIT_ASSERT_EQ(test, rtnl_gw_replace(&rig->gn, rule, new), 0);
	track_rule(&used, new);
	expect_freed(test, &freed, "replace");
	expect_used(test, &used);
	track_state(&freed, new);
	rtnl_gw_del(&rig->gn, new);
	expect_freed(test, &freed, "del of the new rule");

	/* all rules of the source get new receivers */
	rule = three_rules(test, 0x7F0);
	track_rule(&freed, rule);
	track(&freed, rule->source);
	for (i = 0; i < 3; i++)
		track(&freed, receiver_of(rig->list[i].rule));
	track(&used, rule->base);
	track_rule(&used, rig->list[1].rule);
	new = copy_rule(test, 0, 0x7E0);
	KUNIT_ASSERT_EQ(test, rtnl_gw_replace(&rig->gn, rule, new), 0);
	track_rule(&used, new);
	expect_freed(test, &freed, "refilter");
	expect_used(test, &used);
	track_source(&freed, new);
	rtnl_gw_flush(&rig->gn);
	expect_freed(test, &freed, "flush");

	/* a source that was never visible to readers */
	rule = three_rules(test, 0x7F0);
	new = copy_rule(test, 0, 0x7E0);
	source = cgw_source_refilter(rtnl_gw_table(&rig->gn), rule, new);
	KUNIT_ASSERT_NOT_NULL(test, source);
	new->source = source;
	track(&freed, source);
	track(&freed, receiver_of(new));
	new->source = NULL;
	track_source(&used, rule);
	cgw_source_discard(source);
	expect_freed(test, &freed, "discard");
	track_rule(&freed, new);
	cgw_rule_free(new);
	expect_freed(test, &freed, "rule");
	expect_used(test, &used);

	for (i = 0; i < 2; i++) {
		rule = three_rules(test, i ? ERRORS : 0x7F0);
		track_source(&freed, rule);
		track(&freed, rtnl_gw_table(&rig->gn));
		table = make_table(test);
		if (i)
			stage_simple(test, table, 0, 0x7F0);
		KUNIT_ASSERT_EQ(test, 0, rtnl_gw_exchange(&rig->gn, table));
		expect_freed(test, &freed, "exchange");

		rule = three_rules(test, i ? ERRORS : 0x7F0);
		track_source(&freed, rule);
		track(&used, rtnl_gw_table(&rig->gn));
		table = make_table(test);
		if (i)
			stage_simple(test, table, 0, 0x7F0);
		KUNIT_ASSERT_EQ(test, 0,
				rtnl_gw_exchange_source(&rig->gn, table,
							rig->dev[0]));
		track(&freed, table);
		cgw_table_free(table);
		expect_freed(test, &freed, "exchange of a source");
		expect_used(test, &used);

		/* a device that is source or destination of all rules */
		rule = three_rules(test, 0x7F0);
		track_source(&freed, rule);
		rtnl_gw_dev_unregister(&rig->gn, rig->dev[i], NULL, NULL);
		expect_freed(test, &freed, "device unregistered");
	}

	/* a staged table that is not used */
	table = make_table(test);
	stage_simple(test, table, 0, 0x7F0);
	rule = hlist_entry(table->rules.first, struct cgw_rule, table_node);
	track_source(&freed, rule);
	track(&freed, table);
	cgw_table_free(table);
	expect_freed(test, &freed, "table");
}

/* Allocations that fail */

static struct cgw_rule *make_simple_rule(struct kunit *test,
					 unsigned int device, canid_t mask)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, device, 2, 0x120, mask);

	return make_rule(test, &key, 0, 0);
}

static void add_fails_cleanly(struct kunit *test)
{
	static const canid_t masks[] = { 0, 0x7F0, ERRORS };
	struct rig *rig = test->priv;
	unsigned int i, n, failures = 0;

	require_failing_allocations(test);
	/* the first rule of a device, and later ones */
	for (i = 0; i < 4 * ARRAY_SIZE(masks); i++) {
		canid_t mask = masks[i % ARRAY_SIZE(masks)];
		struct cgw_key key = make_key(rig, i % 2, 2, 0x120, mask);

		for (n = 1;; n++) {
			struct cgw_rule *rule = make_simple_rule(test, i % 2,
								 mask);
			int err;

			fail_allocation(n);
			err = rtnl_gw_add(&rig->gn, rule);
			if (!allocation_failed()) {
				KUNIT_ASSERT_EQ(test, err, 0);
				ref_add(rig, rule, &key, 0, 0);
				break;
			}
			/* without memory, a hash table keeps its size */
			if (!err) {
				ref_add(rig, rule, &key, 0, 0);
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

/* On error, the caller still owns the modification. */
static void rule_alloc_fails_cleanly(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 1, 0x123, CAN_SFF_MASK);
	struct cgw_rule *rule;
	struct cgw_mod *mod;

	require_failing_allocations(test);
	mod = make_mod(test, 0, 5);
	fail_allocation(1);
	rule = cgw_rule_alloc(&key, mod, rig->dev[0], rig->dev[1]);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_NULL(test, rule);
	if (rule)
		cgw_rule_free(rule);
	else
		kfree(mod);
}

/* Change the filter of rules between frames and error message frames. */
static void replace_fails_cleanly(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, n, failures = 0, successes = 0;
	struct cgw_rule *rule;

	require_failing_allocations(test);
	add_simple(test, 1, 0x7F0);
	for (i = 0; i < 12; i++)
		add_simple(test, 0, i % 6 ? test_masks[1 + i % 4] : 0x7F0);
	check_all_frames(test);
	/* the first rule, the only one of its device, and two others */
	for (i = 0; i < 3; i++)
		for (n = 1;; n++) {
			canid_t mask = rig->list[i].key.filter.can_mask;
			u32 generation = rig->gn.generation;
			bool failed;
			int err;

			rule = copy_rule(test, i,
					 mask == ERRORS ? 0x7F0 : ERRORS);
			fail_allocation(n);
			err = rtnl_gw_replace(&rig->gn, rig->list[i].rule,
					      rule);
			failed = allocation_failed();
			if (!err)
				ref_replace(rig, i, rule, 0, 0);
			else
				KUNIT_EXPECT_EQ(test, rig->gn.generation,
						generation);
			check_all_frames(test);
			check_all(test);
			if (!failed) {
				KUNIT_ASSERT_EQ(test, err, 0);
				break;
			}
			/* without memory, a hash table keeps its size */
			successes += !err;
			failures += !!err;
			KUNIT_ASSERT_TRUE(test, !err || err == -ENOMEM);
		}
	/* source, receivers, masks, tables */
	KUNIT_EXPECT_GE(test, failures, 30);
	KUNIT_EXPECT_GE(test, successes, 1);
	/* a rule with the same filter needs no allocation */
	for (i = 0; i < rig->count; i++) {
		rule = copy_rule(test, i, rig->list[i].key.filter.can_mask);
		fail_allocation(1);
		KUNIT_EXPECT_EQ(test, 0,
				rtnl_gw_replace(&rig->gn, rig->list[i].rule,
						rule));
		KUNIT_EXPECT_FALSE(test, allocation_failed());
		ref_replace(rig, i, rule, 0, 0);
	}
	check_all_frames(test);
	check_all(test);
}

static void reset_fails_cleanly(struct kunit *test)
{
	struct rig *rig = test->priv;
	u64 sum[CGW_EV_COUNT];
	unsigned int round;

	require_failing_allocations(test);
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
		KUNIT_EXPECT_EQ(test, 0,
				cgw_rule_reset_stats(rig->list[0].rule, sum));
		memset(rig->list[0].count, 0, sizeof(sum));
		check_counters(test);
	}
}

static void init_fails_cleanly(struct kunit *test)
{
	struct cgw_table *table;
	struct cgw_net gn = {};

	require_failing_allocations(test);
	fail_allocation(1);
	table = cgw_table_alloc(rig_route, NULL);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_NULL(test, table);
	fail_allocation(1);
	KUNIT_EXPECT_EQ(test, -ENOMEM,
			cgw_net_init(&gn, &init_net, rig_route, rig_receive));
	KUNIT_EXPECT_TRUE(test, allocation_failed());
}

/* Rules for one more device, and more rules for the other */
static struct cgw_table *two_device_table(struct kunit *test)
{
	struct cgw_table *table = make_table(test);

	stage_simple(test, table, 0, 0);
	stage_simple(test, table, 0, ERRORS);
	stage_simple(test, table, 1, 0);
	stage_simple(test, table, 1, ERRORS);
	return table;
}

static void exchange_fails_cleanly(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_table *table;
	unsigned int n;
	int err;

	require_failing_allocations(test);
	add_simple(test, 0, 0x7F0);
	for (n = 1;; n++) {
		u32 generation = rig->gn.generation;

		table = two_device_table(test);
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
	rig_deliver(rig, 1, 0x120);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/* Of a device with fewer rules, and of one without rules */
static void exchange_source_fails_cleanly(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int n, device;
	struct cgw_table *table;
	int err;

	require_failing_allocations(test);
	add_simple(test, 0, 0x7F0);
	add_simple(test, 2, ERRORS);
	for (device = 0; device < 2; device++) {
		for (n = 1;; n++) {
			u64 handles;

			table = make_table(test);
			stage_simple(test, table, device, 0);
			stage_simple(test, table, device, ERRORS);
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
		expect_empty(test, table);
		cgw_table_free(table);
		/* restore the rules for the next device */
		rtnl_gw_flush(&rig->gn);
		ref_clear(rig);
		add_simple(test, 0, 0x7F0);
	}
}

/* Changes under a reader */

#define TABLE_RULES 3

struct writer;

/**
 * struct change - a change that a writer makes while a frame is delivered
 * @name: name of the test
 * @make: makes the change; with number 0, sets up the rules
 * @mixes: a frame may be routed by old and by new rules, each position once
 */
struct change {
	const char *name;
	int (*make)(struct writer *w, unsigned int number);
	bool mixes;
};

/**
 * struct writer - a thread that preempts the delivery of a frame
 * @test: test case
 * @change: change to make
 * @turn: completed by each call of a rule
 * @turns: number of calls that the thread has handled
 * @calls: number of these calls for the current frame
 * @at: makes the change after this call
 * @changes: number of changes made
 * @position: current rules
 * @stop: ends the thread
 */
struct writer {
	struct kunit *test;
	const struct change *change;
	struct completion turn;
	unsigned int turns;
	unsigned int calls;
	unsigned int at;
	unsigned int changes;
	struct cgw_rule *position[TABLE_RULES];
	bool stop;
};

/* limit_hops of a rule is its position in a table; its flags tell whether the
 * number of the change is odd.
 */
static struct cgw_rule *numbered_rule(struct rig *rig, unsigned int position,
				      unsigned int number, canid_t mask)
{
	struct cgw_key key = make_key(rig, 0, 1, 0x120, mask);

	key.limit_hops = position;
	key.flags = number % 2;
	return cgw_rule_alloc(&key, NULL, rig->dev[0], rig->dev[1]);
}

static struct cgw_table *numbered_table(struct rig *rig, unsigned int number)
{
	struct cgw_table *table = cgw_table_alloc(rig_route, NULL);
	unsigned int i;

	for (i = 0; table && i < TABLE_RULES; i++) {
		struct cgw_rule *rule = numbered_rule(rig, i, number, 0x7F0);

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
	struct cgw_table *table = numbered_table(rig, number);

	return table ? rtnl_gw_exchange(&rig->gn, table) : -ENOMEM;
}

static int make_exchange_source(struct writer *w, unsigned int number)
{
	struct rig *rig = w->test->priv;
	struct cgw_table *table = numbered_table(rig, number);
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
	unsigned int i, position = number % TABLE_RULES;
	struct cgw_rule *rule;
	int err;

	for (i = 0; !number && i < TABLE_RULES; i++) {
		w->position[i] = numbered_rule(rig, i, 0, 0x7F0);
		err = -ENOMEM;
		if (w->position[i])
			err = rtnl_gw_add(&rig->gn, w->position[i]);
		if (err)
			return err;
	}
	rule = numbered_rule(rig, position, number, mask);
	if (!rule)
		return -ENOMEM;
	err = rtnl_gw_replace(&rig->gn, w->position[position], rule);
	w->position[position] = rule;
	return err;
}

static int make_replace(struct writer *w, unsigned int number)
{
	return replace_one(w, number, 0x7F0);
}

static int make_refilter(struct writer *w, unsigned int number)
{
	/* the mask differs from that of the rule that is replaced */
	return replace_one(w, number, number / TABLE_RULES % 2 ? 0x7F0 : 0x7E0);
}

static const struct change changes[] = {
	{ "exchange", make_exchange, false },
	{ "exchange of a source", make_exchange_source, false },
	{ "replace", make_replace, true },
	{ "refilter", make_refilter, true },
};

KUNIT_ARRAY_PARAM_DESC(changes, changes, name);

static int writer_thread(void *data)
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

/* Are all rules of one table called, or one per position, newest first? */
static bool one_table_called(const struct rig *rig, bool mixes)
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

static u64 total_matched(struct rig *rig)
{
	u64 sum[CGW_EV_COUNT], all = 0;
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &rtnl_gw_table(&rig->gn)->rules,
			     table_node) {
		cgw_rule_stats(rule, sum);
		all += cgw_stats_matched(sum);
	}
	return all;
}

/* A thread of higher priority runs as soon as the reader wakes it up. */
static void require_preemption(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_PREEMPT_RCU) || num_online_cpus() > 1 ||
	    (!preempt_model_full() && !preempt_model_rt()))
		kunit_skip(test, "needs full preemption, and one CPU");
}

static void frame_is_routed_by_one_table(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct task_struct *task;
	static struct writer w;
	unsigned int frame, broken = 0, calls = 0;

	require_preemption(test);
	w = (struct writer){ .test = test, .change = test->param_value };
	init_completion(&w.turn);
	KUNIT_ASSERT_EQ(test, w.change->make(&w, 0), 0);
	task = kthread_run(writer_thread, &w, "can-gw-table");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	sched_set_fifo(task);
	for (frame = 0; frame < 300; frame++) {
		w.calls = 0;
		w.at = frame % (TABLE_RULES + 1);
		rig->turn = &w.turn;
		/* removed rules are not freed inside of this section */
		rcu_read_lock();
		rig_deliver(rig, 0, 0x120 + frame % 16);
		rig->turn = NULL;
		broken += !one_table_called(rig, w.change->mixes);
		rcu_read_unlock();
		/* the writer may have slept in an allocation */
		calls += rig->calls;
		while (READ_ONCE(w.turns) != calls)
			schedule_timeout_uninterruptible(1);
		/* the next exchange need not wait for a grace period */
		synchronize_rcu_expedited();
	}
	WRITE_ONCE(w.stop, true);
	complete(&w.turn);
	kthread_stop_put(task);
	KUNIT_EXPECT_EQ(test, broken, 0);
	/* one of four frames has no call number w.at */
	KUNIT_EXPECT_EQ(test, w.changes, 225);
	if (w.change->mixes)
		KUNIT_EXPECT_EQ(test, total_matched(rig), 300 * TABLE_RULES);
}

/**
 * struct worker - a thread that the test case waits for
 * @test: test case
 * @run: function to run
 * @task: thread, with higher priority than the test case
 * @done: @run has returned
 * @release: for hold_receiver_lock()
 * @table: for cgw_net_exchange() and cgw_net_exchange_source()
 * @steps: number of steps done
 * @err: error of @run
 */
struct worker {
	struct kunit *test;
	void (*run)(struct worker *worker);
	struct task_struct *task;
	struct completion done;
	struct completion release;
	struct cgw_table *table;
	unsigned int steps;
	int err;
};

static int run_worker(void *data)
{
	struct worker *worker = data;

	worker->run(worker);
	complete(&worker->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void prepare_worker(struct worker *worker)
{
	init_completion(&worker->done);
	init_completion(&worker->release);
	worker->task = kthread_create(run_worker, worker, "can-gw-errand");
	KUNIT_ASSERT_FALSE(worker->test, IS_ERR(worker->task));
	get_task_struct(worker->task);
	sched_set_fifo(worker->task);
}

static void finish_worker(struct worker *worker)
{
	wait_for_completion(&worker->done);
	kthread_stop_put(worker->task);
}

/* Hold the lock for counting receivers until @release. */
static void hold_receiver_lock(struct worker *worker)
{
	struct can_rcv_net *rn = container_of(init_net.can.rx_alldev_list,
					      struct can_rcv_net, alldev);

	mutex_lock(&rn->lock);
	worker->steps++;
	wait_for_completion(&worker->release);
	mutex_unlock(&rn->lock);
}

/* Call @observe while a writer waits for the lock, to count its rules. */
static void observe_halfway(struct kunit *test, struct worker *writer,
			    void (*observe)(struct kunit *test, void *arg),
			    void *arg)
{
	struct worker holder = { .test = test, .run = hold_receiver_lock };
	unsigned int held;
	bool early;

	prepare_worker(&holder);
	prepare_worker(writer);
	rcu_read_lock();
	wake_up_process(holder.task);
	held = holder.steps;
	wake_up_process(writer->task);
	early = completion_done(&writer->done);
	observe(test, arg);
	rcu_read_unlock();
	complete(&holder.release);
	finish_worker(&holder);
	finish_worker(writer);
	KUNIT_EXPECT_EQ(test, writer->err, 0);
	/* otherwise the writer has not been halfway */
	KUNIT_EXPECT_EQ(test, held, 1);
	KUNIT_EXPECT_FALSE(test, early);
}

/**
 * struct observed - rules that route the frames of each device
 * @calls: number of rules called
 * @dst: destination of the first one
 */
struct observed {
	unsigned int calls[DEVICES];
	u32 dst[DEVICES];
};

static void observe_devices(struct kunit *test, void *arg)
{
	struct rig *rig = test->priv;
	struct observed *observed = arg;
	unsigned int device;

	for (device = 0; device < DEVICES; device++) {
		rig_deliver(rig, device, 0x120);
		observed->calls[device] = rig->calls;
		if (rig->calls)
			observed->dst[device] = rig->called[0]->key.dst_idx;
	}
}

static void run_exchange(struct worker *worker)
{
	struct rig *rig = worker->test->priv;

	worker->err = rtnl_gw_exchange(&rig->gn, worker->table);
}

static void run_exchange_source(struct worker *worker)
{
	struct rig *rig = worker->test->priv;

	worker->err = rtnl_gw_exchange_source(&rig->gn, worker->table,
					      rig->dev[0]);
}

static void expect_observed(struct kunit *test, const struct observed *observed,
			    unsigned int device, unsigned int dst)
{
	struct rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, observed->calls[device], 1);
	KUNIT_EXPECT_EQ(test, observed->dst[device], rig->dev[dst]->ifindex);
}

/* A table for frames of the first devices, with @errors also for error message
 * frames, to device @dst
 */
static struct cgw_table *table_to_dst(struct kunit *test, unsigned int dst,
				      bool errors, unsigned int devices)
{
	struct cgw_table *table = make_table(test);
	unsigned int device;

	for (device = 0; device < devices; device++) {
		struct cgw_key key = make_key(test->priv, device, dst, 0x120,
					      0x7F0);

		stage_rule(test, table, &key, 0);
		key.filter.can_mask = ERRORS;
		if (errors)
			stage_rule(test, table, &key, 0);
	}
	return table;
}

/* The old rules send to device 2, the new ones to device 1. There are more new
 * rules, or fewer and none for device 2.
 */
static void check_halfway(struct kunit *test, bool all, bool errors_after)
{
	struct rig *rig = test->priv;
	unsigned int device, i, rest = errors_after ? DEVICES : DEVICES - 1;
	struct observed before = {}, half = {}, after = {};
	struct worker writer = {
		.test = test,
		.run = all ? run_exchange : run_exchange_source,
		.table = table_to_dst(test, 1, errors_after, all ? rest : 1),
	};

	/* all devices have ports and have been exchanged before */
	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, 0,
				rtnl_gw_exchange(&rig->gn,
						 table_to_dst(test, i ? 2 : 0,
							      !errors_after,
							      DEVICES)));
	observe_devices(test, &before);
	/* the writer must not wait for readers of the last exchange */
	synchronize_rcu();
	observe_halfway(test, &writer, observe_devices, &half);
	observe_devices(test, &after);
	for (device = 0; device < DEVICES; device++) {
		unsigned int dst = all || !device ? 1 : 2;

		expect_observed(test, &before, device, 2);
		if (all && device >= rest) {
			KUNIT_EXPECT_EQ(test, half.calls[device], 0);
			KUNIT_EXPECT_EQ(test, after.calls[device], 0);
			continue;
		}
		/* rules are counted after all devices have switched */
		expect_observed(test, &half, device, dst);
		expect_observed(test, &after, device, dst);
	}
	if (!all)
		cgw_table_free(writer.table);
}

static void exchange_is_atomic(struct kunit *test)
{
	require_preemption(test);
	check_halfway(test, true, true);
	check_halfway(test, true, false);
	check_halfway(test, false, true);
	check_halfway(test, false, false);
}

/* A rule with another filter keeps its counters. */
static void refilter_keeps_counters(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *new;

	add_simple(test, 0, 0x7F0);
	add_simple(test, 0, ERRORS);
	rig_deliver(rig, 0, 0x120);
	rig_deliver(rig, 0, 0x120);
	new = copy_rule(test, 0, ERRORS);
	KUNIT_ASSERT_EQ(test, 0,
			rtnl_gw_replace(&rig->gn, rig->list[0].rule, new));
	rig_deliver(rig, 0, CAN_ERR_FLAG | CAN_ERR_CRTL);
	KUNIT_ASSERT_EQ(test, rig->calls, 2);
	KUNIT_EXPECT_PTR_EQ(test, rig->called[1], new);
	/* two frames before; one after, for which it was called second */
	rig->count = 1;
	ref_replace(rig, 0, new, 0, 0);
	rig->list[0].count[CGW_EV_SENT] = 2;
	rig->list[0].count[CGW_EV_DROPPED] = 1;
	check_counters(test);
}

/* A CAN device has one hook, other devices none. */
static void device_has_one_hook(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct can_rx_hook other = {};

	add_simple(test, 0, 0x7F0);
	KUNIT_EXPECT_EQ(test, rig_deliver(rig, 0, 0x120), CAN_RX_HOOK_MATCHED);
	KUNIT_EXPECT_EQ(test, rig_deliver(rig, 0, 0x110), CAN_RX_HOOK_UNMATCHED);
	KUNIT_EXPECT_EQ(test, rig_deliver(rig, 1, 0x120), CAN_RX_HOOK_UNMATCHED);
	rig->list[0].count[CGW_EV_SENT] = 1;
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, can_rx_hook_register(rig->dev[0], &other),
			-EBUSY);
	rig->dev[1]->ml_priv_type = ML_PRIV_NONE;
	KUNIT_EXPECT_EQ(test, can_rx_hook_register(rig->dev[1], &other),
			-ENODEV);
	rig->dev[1]->ml_priv_type = ML_PRIV_CAN;
	/* the gateway cannot register a second hook */
	KUNIT_EXPECT_EQ(test, can_rx_hook_register(rig->dev[1], &other), 0);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, -EBUSY,
			rtnl_gw_add(&rig->gn, make_simple_rule(test, 1, 0)));
	rtnl_lock();
	can_rx_hook_unregister(rig->dev[1], &other);
	rtnl_unlock();
	check_all(test);
	add_simple(test, 1, 0x7F0);
	check_all(test);
}

static void run_two_exchanges(struct worker *worker)
{
	struct rig *rig = worker->test->priv;
	struct cgw_table *table = worker->table;

	while (worker->steps < 2 && !worker->err) {
		worker->err = rtnl_gw_exchange(&rig->gn, table);
		worker->steps++;
		table = cgw_table_alloc(rig_route, NULL);
		if (!table)
			worker->err = -ENOMEM;
	}
	if (table)
		cgw_table_free(table);
}

/* Readers from before an exchange may still read the inactive pointers. */
static void next_exchange_waits_for_readers(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct worker writer = { .test = test, .run = run_two_exchanges };
	unsigned int steps, calls;

	require_preemption(test);
	add_simple(test, 0, 0x7F0);
	rig->count = 0;
	writer.table = make_table(test);
	stage_simple(test, writer.table, 0, 0x7F0);
	stage_simple(test, writer.table, 0, 0x7F0);
	prepare_worker(&writer);
	/* earlier readers do not count */
	synchronize_rcu();
	rcu_read_lock();
	wake_up_process(writer.task);
	steps = writer.steps;
	rig_deliver(rig, 0, 0x120);
	calls = rig->calls;
	rcu_read_unlock();
	finish_worker(&writer);
	KUNIT_EXPECT_EQ(test, steps, 1);
	KUNIT_EXPECT_EQ(test, calls, 2);
	KUNIT_EXPECT_EQ(test, writer.steps, 2);
	KUNIT_EXPECT_EQ(test, writer.err, 0);
	rig_deliver(rig, 0, 0x120);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_SLOW(random_edits),
	KUNIT_CASE(every_key_bit_is_compared),
	KUNIT_CASE(newest_of_equals_is_removed),
	KUNIT_CASE(uid_identifies_modification),
	KUNIT_CASE_SLOW(many_rules),
	KUNIT_CASE(equal_rules_keep_their_order),
	KUNIT_CASE(replaced_rule_keeps_position),
	KUNIT_CASE(only_rule_is_replaced),
	KUNIT_CASE(reset_is_exact),
	KUNIT_CASE(next_after_removed_rule),
	KUNIT_CASE(walk_is_resumed),
	KUNIT_CASE_SLOW(exchange_of_devices),
	KUNIT_CASE(exchange_of_a_source),
	KUNIT_CASE(limit_is_enforced),
	KUNIT_CASE(flush_removes_all),
	KUNIT_CASE(generation_changes),
	KUNIT_CASE(removed_memory_is_freed),
	KUNIT_CASE(rule_alloc_fails_cleanly),
	KUNIT_CASE(add_fails_cleanly),
	KUNIT_CASE(replace_fails_cleanly),
	KUNIT_CASE(reset_fails_cleanly),
	KUNIT_CASE(init_fails_cleanly),
	KUNIT_CASE(exchange_fails_cleanly),
	KUNIT_CASE(exchange_source_fails_cleanly),
	KUNIT_CASE_PARAM(frame_is_routed_by_one_table, changes_gen_params),
	KUNIT_CASE(exchange_is_atomic),
	KUNIT_CASE(refilter_keeps_counters),
	KUNIT_CASE(device_has_one_hook),
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
