// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the tables of gateway rules, and of the gateway that uses them.
 *
 * The reference is a list of all rules that is searched from the youngest to the
 * oldest. Frames go the way of a real one, from the receivers of a device, which is
 * not registered. What does not need all combinations is drawn from pseudo-random
 * numbers.
 */
#include <kunit/test.h>
#include <linux/can/can-ml.h>
#include <linux/can/error.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/if_arp.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/sched.h>
#include <linux/skbuff.h>
#include <linux/slab.h>

#include "failslab.h"
#include "gw_net.h"

#define DEVICES 3
#define MOST 256

/**
 * struct expected - a rule as the reference knows it
 * @rule: which it is
 * @key: what it was made with
 * @uid: the name of its modification, 0 without one
 * @value: what its modification sets the identifier to, 0 without one
 */
struct expected {
	struct cgw_rule *rule;
	struct cgw_key key;
	u32 uid;
	canid_t value;
};

/**
 * struct rig - what a case works with
 * @gn: the gateway under test
 * @dev: devices, which are sources and destinations
 * @ml: of @dev
 * @skb: the frame
 * @rnd: for what is drawn
 * @list: the reference, the oldest first
 * @count: entries of @list
 * @called: rules that a frame was given to
 * @calls: entries of @called
 * @turn: lets a writer have its turn with each call, or NULL
 */
struct rig {
	struct cgw_net gn;
	struct net_device *dev[DEVICES];
	struct can_ml_priv *ml[DEVICES];
	struct sk_buff *skb;
	struct rnd_state rnd;
	struct expected list[MOST];
	unsigned int count;
	struct cgw_rule *called[MOST];
	unsigned int calls;
	struct completion *turn;
};

static struct rig *the_rig;

static u32 below(struct rig *rig, u32 ceil)
{
	return prandom_u32_state(&rig->rnd) % ceil;
}

static void route(struct sk_buff *skb, void *rule)
{
	if (the_rig->calls < MOST)
		the_rig->called[the_rig->calls] = rule;
	the_rig->calls++;
	if (the_rig->turn)
		complete(the_rig->turn);
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
	for (i = 0; i < DEVICES; i++) {
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
	cgw_net_init(&rig->gn, &init_net, route);
	return 0;
}

static void table_test_exit(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	if (!rig)
		return;
	KUNIT_EXPECT_EQ(test, cgw_net_exchange(&rig->gn), 0);
	for (i = 0; i < DEVICES; i++)
		KUNIT_EXPECT_EQ(test, rig->ml[i]->dev_rcv_lists.list.entries, 0);
	/* nobody receives any more after that */
	rcu_barrier();
	for (i = 0; i < DEVICES; i++)
		free_netdev(rig->dev[i]);
	kfree_skb(rig->skb);
}

static struct can_rcvlist *receivers(struct rig *rig, unsigned int device)
{
	return &rig->ml[device]->dev_rcv_lists.list;
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
	return rule;
}

static void remember(struct rig *rig, struct cgw_rule *rule,
		     const struct cgw_key *key, u32 uid, canid_t value)
{
	rig->list[rig->count++] = (struct expected){
		.rule = rule, .key = *key, .uid = uid, .value = value,
	};
}

static void forget(struct rig *rig, unsigned int i)
{
	rig->count--;
	memmove(&rig->list[i], &rig->list[i + 1],
		(rig->count - i) * sizeof(rig->list[0]));
}

static void add(struct kunit *test, const struct cgw_key *key, u32 uid,
		canid_t value)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule = make_rule(test, key, uid, value);

	KUNIT_ASSERT_EQ(test, cgw_net_add(&rig->gn, rule), 0);
	remember(rig, rule, key, uid, value);
}

/* The reference */

static bool same_rule(const struct expected *e, const struct cgw_key *key,
		      u32 uid, canid_t value)
{
	if (e->key.filter.can_id != key->filter.can_id ||
	    e->key.filter.can_mask != key->filter.can_mask ||
	    e->key.src_idx != key->src_idx || e->key.dst_idx != key->dst_idx ||
	    e->key.flags != key->flags || e->key.limit_hops != key->limit_hops)
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

static void deliver(struct rig *rig, unsigned int device, canid_t can_id)
{
	((struct can_frame *)rig->skb->data)->can_id = can_id;
	rig->calls = 0;
	rcu_read_lock();
	can_rcvlist_deliver(receivers(rig, device), rig->skb);
	rcu_read_unlock();
}

static void check_frame(struct kunit *test, unsigned int device, canid_t frame)
{
	struct rig *rig = test->priv;
	unsigned int rank, calls = 0;
	int i;

	deliver(rig, device, frame);
	for (rank = 0; rank <= 3; rank++) {
		for (i = rig->count - 1; i >= 0; i--) {
			const struct expected *e = &rig->list[i];

			if (e->key.src_idx != rig->dev[device]->ifindex ||
			    ref_rank(&e->key.filter) != rank ||
			    !ref_wants(&e->key.filter, frame))
				continue;
			if (calls < rig->calls)
				KUNIT_ASSERT_PTR_EQ_MSG(test, rig->called[calls],
							e->rule,
							"frame %08x, call %u",
							frame, calls);
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
	hlist_for_each_entry_rcu(rule, &cgw_net_table(&rig->gn)->rules, all) {
		if (--i < 0 || rule != rig->list[i].rule)
			break;
	}
	rcu_read_unlock();
	KUNIT_ASSERT_NULL(test, rule);
	KUNIT_ASSERT_EQ(test, i, 0);
}

/* There are receivers for just those kinds of frames that rules want. */
static void check_receivers(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int device, i, taps = 0;

	for (device = 0; device < DEVICES; device++) {
		bool wanted[CGW_KINDS] = {};

		for (i = 0; i < rig->count; i++)
			if (rig->list[i].key.src_idx == rig->dev[device]->ifindex)
				wanted[cgw_rule_kind(&rig->list[i].key)] = true;
		KUNIT_ASSERT_EQ(test, receivers(rig, device)->entries,
				wanted[CGW_KIND_FRAMES] + wanted[CGW_KIND_ERRORS]);
		KUNIT_ASSERT_EQ(test, wanted[CGW_KIND_FRAMES],
				!can_rcvlist_empty(receivers(rig, device),
						   CAN_RCV_ALL));
		KUNIT_ASSERT_EQ(test, wanted[CGW_KIND_ERRORS],
				!can_rcvlist_empty(receivers(rig, device),
						   CAN_RCV_ERR));
		taps += wanted[CGW_KIND_FRAMES] || wanted[CGW_KIND_ERRORS];
	}
	KUNIT_ASSERT_EQ(test, rig->gn.taps.entries, taps);
}

static const canid_t some_masks[] = {
	0, CAN_SFF_MASK, 0x7F0, 0x7FE, 0x700,
	CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG,
	CAN_ERR_FLAG | CAN_ERR_CRTL, CAN_ERR_FLAG | CAN_ERR_MASK,
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
	return key;
}

static void check_all(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	check_list(test);
	check_receivers(test);
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
	KUNIT_ASSERT_NULL(test, cgw_table_find_uid(cgw_net_table(&rig->gn), uid));
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

	rule = cgw_table_find_uid(cgw_net_table(&rig->gn), uid);
	for (i = 0; i < rig->count; i++)
		if (rig->list[i].uid == uid)
			break;
	KUNIT_ASSERT_PTR_EQ(test, rule,
			    i < rig->count ? rig->list[i].rule : NULL);
	if (!rule)
		return;
	rig->list[i].value = below(rig, 1000);
	mod = make_mod(test, uid, rig->list[i].value);
	cgw_rule_change(rule, mod);
	KUNIT_ASSERT_PTR_EQ(test, cgw_rule_mod(rule), mod);
}

static void remove_as(struct kunit *test, const struct cgw_key *key, u32 uid,
		      canid_t value)
{
	struct rig *rig = test->priv;
	struct cgw_mod *mod = make_mod(test, uid, value);
	int i = ref_find(rig, key, uid, value);
	struct cgw_rule *rule;

	rule = cgw_table_find(cgw_net_table(&rig->gn), key, mod);
	kfree(mod);
	KUNIT_ASSERT_PTR_EQ(test, rule, i < 0 ? NULL : rig->list[i].rule);
	if (!rule)
		return;
	cgw_net_del(&rig->gn, rule);
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

static void edit_device_gone(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int device = below(rig, DEVICES), i = 0;
	u32 idx = rig->dev[device]->ifindex;

	cgw_net_device_gone(&rig->gn, rig->dev[device]);
	while (i < rig->count)
		if (rig->list[i].key.src_idx == idx ||
		    rig->list[i].key.dst_idx == idx)
			forget(rig, i);
		else
			i++;
}

static void edit_exchange(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i, count = below(rig, 100);

	rig->count = 0;
	for (i = 0; i < count; i++) {
		struct cgw_key key = some_key(rig);
		canid_t value = below(rig, 3);
		struct cgw_rule *rule = make_rule(test, &key, 0, value);

		KUNIT_ASSERT_EQ(test, cgw_table_add(cgw_net_spare(&rig->gn), rule),
				0);
		remember(rig, rule, &key, 0, value);
	}
	KUNIT_ASSERT_EQ(test, cgw_net_exchange(&rig->gn), 0);
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
			edit_device_gone(test);
		else if (what < 450)
			edit_add(test);
		else if (what < 520)
			edit_add_named(test);
		else if (what < 600)
			edit_change(test);
		else if (what < 900)
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
	struct cgw_table *table = cgw_net_table(&rig->gn);
	unsigned int bit;

	add(test, &key, 0, 5);
	KUNIT_EXPECT_PTR_EQ(test, cgw_table_find(table, &key, mod),
			    rig->list[0].rule);
	KUNIT_EXPECT_NULL(test, cgw_table_find(table, &key, NULL));
	for (bit = 0; bit < 8 * offsetof(struct cgw_key, zero); bit++) {
		other = key;
		((u8 *)&other)[bit / 8] ^= 1 << bit % 8;
		KUNIT_EXPECT_NULL_MSG(test, cgw_table_find(table, &other, mod),
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
	struct cgw_table *table = cgw_net_table(&rig->gn);
	struct cgw_rule *rule;
	struct cgw_key key;
	unsigned int i;

	for (i = 0; i < many; i++) {
		key = make_key(rig, 0, 1, i | CAN_EFF_FLAG,
			       CAN_EFF_MASK | CAN_EFF_FLAG);
		rule = make_rule(test, &key, 0, 0);
		KUNIT_ASSERT_EQ(test, cgw_net_add(&rig->gn, rule), 0);
		cond_resched();
	}
	for (i = 0; i < many; i += 2) {
		key.filter.can_id = i | CAN_EFF_FLAG;
		rule = cgw_table_find(table, &key, NULL);
		KUNIT_ASSERT_NOT_NULL(test, rule);
		cgw_net_del(&rig->gn, rule);
		KUNIT_ASSERT_NULL(test, cgw_table_find(table, &key, NULL));
		cond_resched();
	}
	for (i = 0; i < many; i++) {
		deliver(rig, 0, i | CAN_EFF_FLAG);
		KUNIT_ASSERT_EQ(test, rig->calls, i % 2);
	}
	KUNIT_EXPECT_EQ(test, cgw_net_exchange(&rig->gn), 0);
	deliver(rig, 0, 1 | CAN_EFF_FLAG);
	KUNIT_EXPECT_EQ(test, rig->calls, 0);
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
	static const canid_t masks[] = { 0, 0x7F0, CAN_ERR_FLAG | CAN_ERR_MASK };
	struct rig *rig = test->priv;
	unsigned int i, n, failures = 0;

	if (!prepare_failslab(test))
		kunit_skip(test, "allocations cannot be made to fail");
	/* the first rule of a device, and later ones, of each kind */
	for (i = 0; i < 4 * ARRAY_SIZE(masks); i++) {
		canid_t mask = masks[i % ARRAY_SIZE(masks)];
		struct cgw_key key = make_key(rig, i % 2, 2, 0x120, mask);

		for (n = 1;; n++) {
			struct cgw_rule *rule = rule_for_shortage(test, i % 2, mask);
			int err;

			fail_allocation(n);
			err = cgw_net_add(&rig->gn, rule);
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

	if (!prepare_failslab(test)) {
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

static void exchange_survives_shortage(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = make_key(rig, 0, 2, 0x120, 0x7F0);
	unsigned int n, i;
	int err;

	if (!prepare_failslab(test))
		kunit_skip(test, "allocations cannot be made to fail");
	add(test, &key, 0, 0);
	for (n = 1;; n++) {
		struct cgw_rule *rule[4];

		/* one device more, and one kind more of the other */
		rule[0] = rule_for_shortage(test, 0, 0);
		rule[1] = rule_for_shortage(test, 0, CAN_ERR_FLAG | CAN_ERR_MASK);
		rule[2] = rule_for_shortage(test, 1, 0);
		rule[3] = rule_for_shortage(test, 1, CAN_ERR_FLAG | CAN_ERR_MASK);
		for (i = 0; i < ARRAY_SIZE(rule); i++)
			KUNIT_ASSERT_EQ(test, 0,
					cgw_table_add(cgw_net_spare(&rig->gn),
						      rule[i]));
		fail_allocation(n);
		err = cgw_net_exchange(&rig->gn);
		if (!allocation_failed())
			break;
		KUNIT_ASSERT_EQ(test, err, -ENOMEM);
		KUNIT_ASSERT_TRUE(test, hlist_empty(&cgw_net_spare(&rig->gn)->rules));
		check_all(test);
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_GE(test, n, 5);
	deliver(rig, 1, 0x120);
	KUNIT_EXPECT_EQ(test, rig->calls, 1);
}

/* Exchange of tables under a reader */

#define TABLE_RULES 3

struct writer {
	struct kunit *test;
	struct completion turn;
	unsigned int calls;
	unsigned int at;
	unsigned int exchanges;
	bool stop;
};

/* Rules of every other table have a limit of hops, by which they are told apart. */
static int fill_spare(struct kunit *test, u8 mark)
{
	struct rig *rig = test->priv;
	unsigned int i;
	int err = 0;

	for (i = 0; i < TABLE_RULES && !err; i++) {
		struct cgw_key key = make_key(rig, 0, 1, 0x120, 0x7F0);
		struct cgw_rule *rule;

		key.limit_hops = mark;
		rule = cgw_rule_alloc(&key, NULL, rig->dev[0], rig->dev[1]);
		err = rule ? cgw_table_add(cgw_net_spare(&rig->gn), rule) : -ENOMEM;
	}
	return err;
}

/* Of each frame, it exchanges the tables after another call. */
static int exchange_in_turns(void *data)
{
	struct writer *w = data;
	struct rig *rig = w->test->priv;

	for (;;) {
		wait_for_completion(&w->turn);
		if (READ_ONCE(w->stop))
			break;
		if (w->calls++ != w->at)
			continue;
		if (!fill_spare(w->test, w->exchanges % 2) &&
		    !cgw_net_exchange(&rig->gn))
			w->exchanges++;
	}
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void every_frame_has_one_table(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct task_struct *task;
	static struct writer w;
	unsigned int frame, i, mixed = 0;

	if (!IS_ENABLED(CONFIG_PREEMPT_RCU) || num_online_cpus() > 1)
		kunit_skip(test, "needs CONFIG_PREEMPT_RCU, and one CPU");
	w = (struct writer){ .test = test };
	init_completion(&w.turn);
	KUNIT_ASSERT_EQ(test, fill_spare(test, 1), 0);
	KUNIT_ASSERT_EQ(test, cgw_net_exchange(&rig->gn), 0);
	task = kthread_run(exchange_in_turns, &w, "can-gw-table");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	sched_set_fifo(task);
	for (frame = 0; frame < 300; frame++) {
		w.calls = 0;
		w.at = frame % TABLE_RULES;
		rig->turn = &w.turn;
		/* rules that have gone are not freed before this ends */
		rcu_read_lock();
		deliver(rig, 0, 0x120 + frame % 16);
		rig->turn = NULL;
		for (i = 1; i < rig->calls; i++)
			mixed += rig->called[i]->key.limit_hops !=
				 rig->called[0]->key.limit_hops;
		rcu_read_unlock();
		KUNIT_EXPECT_EQ(test, rig->calls, TABLE_RULES);
	}
	WRITE_ONCE(w.stop, true);
	complete(&w.turn);
	kthread_stop_put(task);
	KUNIT_EXPECT_EQ(test, mixed, 0);
	KUNIT_EXPECT_EQ(test, w.exchanges, 300);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_SLOW(random_edits),
	KUNIT_CASE(every_bit_of_a_key_counts),
	KUNIT_CASE(youngest_of_equals_goes),
	KUNIT_CASE(names_stand_for_modifications),
	KUNIT_CASE_SLOW(many_rules),
	KUNIT_CASE(making_survives_shortage),
	KUNIT_CASE(adding_survives_shortage),
	KUNIT_CASE(exchange_survives_shortage),
	KUNIT_CASE(every_frame_has_one_table),
	{}
};

static struct kunit_suite table_suite = {
	.name = "can_gw_table",
	.init = table_test_init,
	.exit = table_test_exit,
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);

MODULE_DESCRIPTION("KUnit suite of the tables of CAN gateway rules");
MODULE_LICENSE("GPL");
