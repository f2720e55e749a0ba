// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * KUnit suite of express rules: which of an interrupt and a softirq routes a frame while
 * rules change, and what interrupts pass to a driver.
 *
 * The interrupt of a source is a function of the test, which calls the rules that the
 * gateway has attached to it. The softirq is another one, which calls the rules of the
 * gateway for frames that have waited in between, and puts them into a queueing discipline.
 * A third one passes them from there to the driver of the destination.
 */
#include <kunit/test.h>
#include <linux/can/can-ml.h>
#include <linux/can/express.h>
#include <linux/can/gw.h>
#include <linux/can/skb.h>
#include <linux/err.h>
#include <linux/if_arp.h>
#include <linux/irqflags.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/sch_generic.h>

#include "gw_net.h"

#ifdef CAN_GW_EXPRESS

#define SEED 20261127

/* Frames that wait for the softirq, and in the queueing discipline */
#define WAITING 16
#define QUEUED 64

/* Identifier of the other rule of the pseudo-random case */
#define OTHER_ID 0x7f0

/* Entries that the ring had before; the number overflows */
#define ENTRIES_BEFORE (U32_MAX - 2)

/* Steps of the pseudo-random case, and the bits that count how often one was routed */
#define STEPS 20000

/**
 * struct waiting - a frame on its way to the softirq
 * @number: of the frame
 * @mark: of the rules that it was offered to
 * @routed: number of times that a rule has routed it
 */
struct waiting {
	unsigned int number;
	u32 mark;
	unsigned int routed;
};

/**
 * struct rig - state of a test case
 * @gn: gateway under test
 * @dev: source and destination
 * @ml: private data of @dev
 * @rules: attached to the source, which is dev[0]
 * @attached: number of times that rules were attached to it
 * @sent: last frame that a rule has passed to the destination
 * @sends: number of such frames
 * @skb: frame
 * @waiting: frames, the oldest first
 * @waits: number of them
 * @received: entries put into the ring
 * @qdisc: of the destination
 * @queued: frames in it, the first one to be sent first
 * @in_hand: frame on its way from there to the driver, 0 for none
 * @number: of the frame that the interrupt has
 * @last: number of the last frame that the driver has got
 * @overtaken: frames that came to the driver after later ones
 * @not_once: frames that were not routed exactly once
 * @done: frames that the softirq has handled
 * @rnd: state of the pseudo-random numbers
 */
struct rig {
	struct cgw_net gn;
	struct net_device *dev[2];
	struct can_ml_priv *ml[2];
	struct can_express_rules *rules;
	unsigned int attached;
	struct can_express_frame sent;
	unsigned int sends;
	struct sk_buff *skb;
	struct waiting waiting[WAITING];
	unsigned int waits;
	u32 received;
	struct Qdisc *qdisc;
	unsigned int queued[QUEUED];
	unsigned int in_hand;
	unsigned int number;
	unsigned int last;
	unsigned int overtaken;
	unsigned int not_once;
	unsigned int done;
	struct rnd_state rnd;
};

static struct rig *the_rig;

static void rig_attach(struct net_device *dev, struct can_express_rules *rules)
{
	if (dev != the_rig->dev[0])
		return;
	the_rig->rules = rules;
	the_rig->attached++;
}

static u32 rig_received(const struct net_device *dev)
{
	return the_rig->received;
}

static u32 rig_waiting(const struct net_device *dev)
{
	return the_rig->waits;
}

/* The driver of the destination gets a frame. */
static void rig_driver(struct rig *rig, unsigned int number)
{
	rig->overtaken += number < rig->last;
	rig->last = number;
}

static void rig_send(struct net_device *dev, const struct can_express_frame *frame)
{
	rig_driver(the_rig, the_rig->number);
	the_rig->sent = *frame;
	the_rig->sends++;
	can_express_count(frame->flow, CAN_EXPRESS_SENT);
}

static const struct can_express_ops rig_ops = {
	.attach = rig_attach,
	.received = rig_received,
	.waiting = rig_waiting,
	.send = rig_send,
};

static void rig_route(struct sk_buff *skb, void *data)
{
}

static enum can_rx_hook_result rig_receive(struct can_rx_hook *hook, struct sk_buff *skb)
{
	return CAN_RX_HOOK_UNMATCHED;
}

static void setup_device(struct net_device *dev)
{
	dev->type = ARPHRD_CAN;
}

static int express_test_init(struct kunit *test)
{
	struct rig *rig = kunit_kzalloc(test, sizeof(*rig), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	test->priv = rig;
	the_rig = rig;
	prandom_seed_state(&rig->rnd, SEED);
	for (i = 0; i < ARRAY_SIZE(rig->dev); i++) {
		rig->dev[i] = alloc_netdev(0, "kunit%d", NET_NAME_UNKNOWN, setup_device);
		KUNIT_ASSERT_NOT_NULL(test, rig->dev[i]);
		rig->dev[i]->ifindex = 1000 + i;
		rig->ml[i] = kunit_kzalloc(test, sizeof(*rig->ml[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, rig->ml[i]);
		rig->ml[i]->express_ops = &rig_ops;
		can_set_ml_priv(rig->dev[i], rig->ml[i]);
	}
	rig->received = ENTRIES_BEFORE;
	rig->qdisc = kunit_kzalloc(test, sizeof(*rig->qdisc), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->qdisc);
	spin_lock_init(qdisc_lock(rig->qdisc));
	rcu_assign_pointer(netdev_get_tx_queue(rig->dev[1], 0)->qdisc, rig->qdisc);
	rig->skb = can_skb_alloc(sizeof(struct can_frame), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rig->skb);
	return cgw_net_init(&rig->gn, &init_net, rig_route, rig_receive);
}

static void express_test_exit(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	if (!rig)
		return;
	rtnl_lock();
	cgw_net_exit(&rig->gn);
	rtnl_unlock();
	cgw_net_release(&rig->gn);
	KUNIT_EXPECT_NULL(test, rig->rules);
	rcu_barrier();
	for (i = 0; i < ARRAY_SIZE(rig->dev); i++)
		free_netdev(rig->dev[i]);
	kfree_skb(rig->skb);
}

static struct cgw_rule *make_rule_to(struct kunit *test, struct net_device *dst, bool express,
				     canid_t id, canid_t mask, u8 hops)
{
	struct rig *rig = test->priv;
	struct cgw_key key = {
		.filter = { .can_id = id, .can_mask = mask },
		.src_idx = rig->dev[0]->ifindex, .dst_idx = dst->ifindex,
		.limit_hops = hops,
	};
	struct cgw_rule *rule = cgw_rule_alloc(&key, NULL, rig->dev[0], dst);

	KUNIT_ASSERT_NOT_NULL(test, rule);
	if (express)
		KUNIT_ASSERT_EQ(test, cgw_express_init(rule, 0), 0);
	return rule;
}

static struct cgw_rule *make_rule_with(struct kunit *test, bool express, canid_t id,
				       canid_t mask, u8 hops)
{
	struct rig *rig = test->priv;

	return make_rule_to(test, rig->dev[1], express, id, mask, hops);
}

static struct cgw_rule *make_rule(struct kunit *test, bool express, canid_t id, canid_t mask)
{
	return make_rule_with(test, express, id, mask, 0);
}

static int rig_add(struct rig *rig, struct cgw_rule *rule)
{
	int err;

	rtnl_lock();
	err = cgw_net_add(&rig->gn, rule);
	rtnl_unlock();
	return err;
}

static void rig_del(struct rig *rig, struct cgw_rule *rule)
{
	rtnl_lock();
	cgw_net_del(&rig->gn, rule);
	rtnl_unlock();
}

static int rig_replace(struct rig *rig, struct cgw_rule *rule, struct cgw_rule *new)
{
	int err;

	rtnl_lock();
	err = cgw_net_replace(&rig->gn, rule, new);
	rtnl_unlock();
	return err;
}

/* What the interrupt does; the test is the only one that changes rules. */
static u32 rig_interrupt(struct rig *rig, canid_t id)
{
	struct can_frame frame = { .can_id = id, .len = 8 };

	if (!rig->rules)
		return 0;
	local_irq_disable();
	rig->rules->receive(rig->rules, &frame);
	local_irq_enable();
	return rig->rules->generation;
}

static bool rig_had(struct rig *rig, const struct cgw_rule *rule, u32 mark)
{
	can_skb_set_express(rig->skb, mark);
	return cgw_express_had(rule, rig->skb);
}

static void rules_are_attached_while_there_are_any(struct kunit *test)
{
	struct cgw_rule *a = make_rule(test, true, 0x1, CAN_SFF_MASK);
	struct cgw_rule *b = make_rule(test, true, 0x2, CAN_SFF_MASK);
	struct cgw_rule *other = make_rule(test, false, 0, 0);
	struct rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, rig_add(rig, other), 0);
	KUNIT_EXPECT_EQ(test, rig->attached, 0);
	KUNIT_ASSERT_EQ(test, rig_add(rig, a), 0);
	KUNIT_ASSERT_EQ(test, rig_add(rig, b), 0);
	KUNIT_EXPECT_EQ(test, rig->attached, 2);
	rig_interrupt(rig, 0x1);
	rig_interrupt(rig, 0x2);
	rig_interrupt(rig, 0x3);
	KUNIT_EXPECT_EQ(test, rig->sends, 2);
	rig_del(rig, a);
	KUNIT_ASSERT_NOT_NULL(test, rig->rules);
	rig_interrupt(rig, 0x1);
	rig_interrupt(rig, 0x2);
	KUNIT_EXPECT_EQ(test, rig->sends, 3);
	rig_del(rig, b);
	KUNIT_EXPECT_NULL(test, rig->rules);
}

static void frames_have_what_the_rule_says(struct kunit *test)
{
	struct cgw_rule *rule = make_rule(test, true, 0, 0);
	struct rig *rig = test->priv;
	u64 sum[CGW_EV_COUNT];

	rule->key.flags = CGW_FLAGS_CAN_ECHO;
	rule->express.lifetime = NSEC_PER_SEC;
	KUNIT_ASSERT_EQ(test, rig_add(rig, rule), 0);
	rig_interrupt(rig, 0x123);
	KUNIT_EXPECT_EQ(test, rig->sent.frame.can_id, 0x123);
	KUNIT_EXPECT_EQ(test, rig->sent.frame.len, 8);
	KUNIT_EXPECT_EQ(test, rig->sent.ifindex, rig->dev[0]->ifindex);
	KUNIT_EXPECT_EQ(test, rig->sent.hops, 1);
	KUNIT_EXPECT_TRUE(test, rig->sent.echo);
	KUNIT_EXPECT_GT(test, rig->sent.until, ktime_get_boottime());
	cgw_rule_stats(rule, sum);
	KUNIT_EXPECT_EQ(test, sum[CGW_EV_SENT], 1);
	KUNIT_EXPECT_EQ(test, cgw_stats_matched(sum), 1);
}

/* A softirq routes what the source has sent, but not what it received. */
static void echoes_are_for_softirqs(struct kunit *test)
{
	struct cgw_rule *rule = make_rule(test, true, 0, 0);
	struct cgw_rule *other = make_rule(test, false, 0, 0);
	struct rig *rig = test->priv;
	u32 mark;

	KUNIT_ASSERT_EQ(test, rig_add(rig, rule), 0);
	KUNIT_ASSERT_EQ(test, rig_add(rig, other), 0);
	mark = rig_interrupt(rig, 1);
	KUNIT_EXPECT_NE(test, mark, 0);
	KUNIT_EXPECT_TRUE(test, rig_had(rig, rule, mark));
	KUNIT_EXPECT_TRUE(test, rig_had(rig, rule, 0));
	KUNIT_EXPECT_FALSE(test, rig_had(rig, rule, CAN_EXPRESS_ECHO));
	KUNIT_EXPECT_FALSE(test, rig_had(rig, other, mark));
}

static void limits_are_reported(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule;
	unsigned int i;

	for (i = 0; i < CGW_EXPRESS_HITS; i++)
		KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0x10 + i, 0)), 0);
	KUNIT_EXPECT_EQ(test, rig_add(rig, make_rule(test, true, 0x7, 0x7)), -ENOSPC);
	KUNIT_EXPECT_EQ(test, rig->gn.refused.limit, CGW_EXPRESS_LIMIT_HITS);
	KUNIT_EXPECT_EQ(test, rig->gn.refused.filter.can_id, 0x7);
	KUNIT_EXPECT_EQ(test, rig->gn.refused.filter.can_mask, 0x7);
	KUNIT_EXPECT_EQ(test, rig->gn.refused.other.can_mask, 0);
	rtnl_lock();
	KUNIT_EXPECT_EQ(test, cgw_net_table(&rig->gn)->count, CGW_EXPRESS_HITS);
	rtnl_unlock();
	/* an ordinary one is not limited, and cannot become an express rule */
	rule = make_rule(test, false, 0x7, 0x7);
	KUNIT_ASSERT_EQ(test, rig_add(rig, rule), 0);
	KUNIT_EXPECT_EQ(test, rig->gn.refused.limit, CGW_EXPRESS_LIMIT_NONE);
	KUNIT_EXPECT_EQ(test, rig_replace(rig, rule, make_rule(test, true, 0x7, 0x7)), -ENOSPC);
	KUNIT_EXPECT_FALSE(test, rule->express.on);
	rig_interrupt(rig, 0x7);
	KUNIT_EXPECT_EQ(test, rig->sends, CGW_EXPRESS_HITS);
}

/* The rule of the source with this filter, whichever table it is in */
static struct cgw_rule *rig_rule(struct rig *rig, canid_t id)
{
	struct cgw_rule *rule, *found = NULL;

	rtnl_lock();
	hlist_for_each_entry(rule, &cgw_net_table(&rig->gn)->rules, table_node)
		if (rule->key.filter.can_id == id)
			found = rule;
	rtnl_unlock();
	return found;
}

static void rig_enqueue(struct rig *rig, unsigned int number)
{
	rig->queued[rig->qdisc->q.qlen++] = number;
}

static void rig_softirq(struct rig *rig)
{
	struct cgw_rule *rule = rig_rule(rig, 0);
	struct waiting *frame = &rig->waiting[0];

	if (rule && !rig_had(rig, rule, frame->mark)) {
		frame->routed++;
		rig_enqueue(rig, frame->number);
	}
	rig->not_once += frame->routed != 1;
	rig->done++;
	rig->waits--;
	memmove(frame, frame + 1, rig->waits * sizeof(*frame));
}

static void rig_frame(struct rig *rig)
{
	struct waiting *frame = &rig->waiting[rig->waits];
	unsigned int before = rig->sends;

	frame->number = ++rig->number;
	frame->mark = rig_interrupt(rig, 0x123);
	frame->routed = rig->sends - before;
	rig->received++;
	rig->waits++;
}

/* The queueing discipline begins to pass on a frame. */
static void rig_run(struct rig *rig)
{
	rig->in_hand = rig->queued[0];
	qdisc_run_begin(rig->qdisc);
	rig->qdisc->q.qlen--;
	memmove(rig->queued, rig->queued + 1, rig->qdisc->q.qlen * sizeof(rig->queued[0]));
}

/* The driver accepts the frame, or not. */
static void rig_end_run(struct rig *rig, bool accepted)
{
	if (accepted) {
		rig_driver(rig, rig->in_hand);
	} else {
		memmove(rig->queued + 1, rig->queued,
			rig->qdisc->q.qlen * sizeof(rig->queued[0]));
		rig->queued[0] = rig->in_hand;
		rig->qdisc->q.qlen++;
	}
	rig->in_hand = 0;
	qdisc_run_end(rig->qdisc);
}

/* Pass on all frames. */
static void rig_drain(struct rig *rig)
{
	while (rig->waits)
		rig_softirq(rig);
	if (rig->in_hand)
		rig_end_run(rig, true);
	while (rig->qdisc->q.qlen) {
		rig_run(rig);
		rig_end_run(rig, true);
	}
}

/* Replace all rules of the gateway, or those of the source. */
static void rig_load(struct kunit *test, struct cgw_rule *const *rules, unsigned int count,
		     bool one_source)
{
	struct rig *rig = test->priv;
	struct cgw_table *table = cgw_table_alloc(rig_route, &rig->gn.owner);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, table);
	rtnl_lock();
	for (i = 0; i < count; i++) {
		rules[i]->handle = ++rig->gn.handles;
		KUNIT_EXPECT_EQ(test, cgw_table_add(table, rules[i]), 0);
	}
	if (one_source) {
		KUNIT_EXPECT_EQ(test, cgw_net_exchange_source(&rig->gn, table, rig->dev[0]), 0);
		cgw_table_free(table);
	} else {
		KUNIT_EXPECT_EQ(test, cgw_net_exchange(&rig->gn, table), 0);
	}
	rtnl_unlock();
}

static void rig_exchange(struct kunit *test, bool express, bool one_source)
{
	struct cgw_rule *rule = make_rule(test, express, 0, 0);

	rig_load(test, &rule, 1, one_source);
}

static void rig_change(struct kunit *test, bool express)
{
	struct cgw_rule *new = make_rule(test, express, 0, 0);
	struct rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, rig_replace(rig, rig_rule(rig, 0), new), 0);
}

/* A rule of the same source comes and goes; each time there is another table. */
static void rig_change_other(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule = rig_rule(rig, OTHER_ID);

	if (rule)
		rig_del(rig, rule);
	else
		KUNIT_EXPECT_EQ(test, rig_add(rig, make_rule(test, true, OTHER_ID, CAN_SFF_MASK)),
				0);
}

/* Does the interrupt route the next frame? */
static bool rig_routes(struct rig *rig)
{
	unsigned int before = rig->sends;

	rig_frame(rig);
	return rig->sends != before;
}

static void a_pending_rule_waits_for_its_frames(struct kunit *test)
{
	struct rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0, 0)), 0);
	rig_frame(rig);
	rig_change(test, true);
	KUNIT_EXPECT_TRUE(test, rig_rule(rig, 0)->express.on);
	/* one was received before the change; in the ring */
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_softirq(rig);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_softirq(rig);
	rig_softirq(rig);
	KUNIT_EXPECT_EQ(test, rig->qdisc->q.qlen, 3);
	/* in the queueing discipline */
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_softirq(rig);
	rig_run(rig);
	rig_end_run(rig, true);
	rig_run(rig);
	rig_end_run(rig, true);
	rig_run(rig);
	rig_end_run(rig, true);
	rig_run(rig);
	/* on its way to the driver */
	KUNIT_EXPECT_EQ(test, rig->qdisc->q.qlen, 0);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_softirq(rig);
	rig_end_run(rig, false);
	rig_drain(rig);
	KUNIT_EXPECT_TRUE(test, rig_routes(rig));
	KUNIT_EXPECT_TRUE(test, rig_routes(rig));
	rig_drain(rig);
	KUNIT_EXPECT_EQ(test, rig->not_once, 0);
	KUNIT_EXPECT_EQ(test, rig->overtaken, 0);
	KUNIT_EXPECT_EQ(test, rig->last, 7);
}

/* Also if it is in the place of an equal one in a new table */
static void a_rule_of_a_new_table_waits(struct kunit *test)
{
	struct rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0, 0)), 0);
	rig_frame(rig);
	rig_exchange(test, true, false);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_exchange(test, true, true);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_drain(rig);
	KUNIT_EXPECT_TRUE(test, rig_routes(rig));
	/* and goes on in another one, with frames in the ring */
	rig_exchange(test, true, false);
	KUNIT_EXPECT_TRUE(test, rig_routes(rig));
	rig_drain(rig);
	KUNIT_EXPECT_EQ(test, rig->not_once, 0);
	KUNIT_EXPECT_EQ(test, rig->overtaken, 0);
}

/* A table is replaced because of another rule. */
static void a_pending_rule_stays_pending_in_the_next_table(struct kunit *test)
{
	struct cgw_rule *other = make_rule(test, true, OTHER_ID, CAN_SFF_MASK);
	struct rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0, 0)), 0);
	rig_change(test, true);
	rig_enqueue(rig, ++rig->number);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	KUNIT_ASSERT_EQ(test, rig_add(rig, other), 0);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	/* the new one has nothing to wait for */
	rig_interrupt(rig, OTHER_ID);
	KUNIT_EXPECT_EQ(test, rig->sends, 1);
	rig_del(rig, other);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig->last = 0;
	rig_drain(rig);
	KUNIT_EXPECT_TRUE(test, rig_routes(rig));
	KUNIT_EXPECT_EQ(test, rig->overtaken, 0);
}

/* A rule of a new table with other contents, but the same destination and filter */
static void a_rule_of_a_new_table_may_differ(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rule;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0, 0)), 0);
	for (i = 0; i < 8; i++) {
		rig_frame(rig);
		rule = make_rule_with(test, i & 1, 0, 0, i % 3);
		rig_load(test, &rule, 1, i & 2);
		rig_frame(rig);
		rig_drain(rig);
		/* which switches, if it is an express rule */
		KUNIT_EXPECT_EQ(test, rig_routes(rig), i & 1);
	}
	rig_drain(rig);
	KUNIT_EXPECT_EQ(test, rig->not_once, 0);
	KUNIT_EXPECT_EQ(test, rig->overtaken, 0);
}

/* Two rules have the same destination and filter, and one is an express rule. In each of
 * @rounds they change places; with @change, their other contents change, too.
 */
static void expect_kinds_followed(struct kunit *test, unsigned int rounds, bool change)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rules[2];
	unsigned int i;
	u32 mark;

	for (i = 0; i < 2; i++)
		KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, i, 0, 0)), 0);
	for (i = 0; i < rounds; i++) {
		mark = rig_interrupt(rig, 0x123);
		KUNIT_EXPECT_EQ(test, rig->sends, i + 1);
		rules[0] = make_rule_with(test, i & 1, 0, 0, change ? 2 * i + 1 : 0);
		rules[1] = make_rule_with(test, !(i & 1), 0, 0, change ? 2 * i + 2 : 0);
		rig_load(test, rules, 2, i & 2);
		KUNIT_EXPECT_EQ(test, rig_had(rig, rules[0], mark), i & 1);
		KUNIT_EXPECT_EQ(test, rig_had(rig, rules[1], mark), !(i & 1));
	}
}

static void equal_rules_follow_those_of_their_kind(struct kunit *test)
{
	expect_kinds_followed(test, 4, false);
}

/* Whatever their hashes are, which are random */
static void changed_rules_follow_those_of_their_kind(struct kunit *test)
{
	expect_kinds_followed(test, 16, true);
}

#define WAYS 6

/* The rule of one of @WAYS pairs of a filter and a destination */
static struct cgw_rule *make_rule_of_way(struct kunit *test, unsigned int way, bool express,
					 u8 hops)
{
	struct rig *rig = test->priv;

	return make_rule_to(test, rig->dev[way & 1], express, 0x100 - way / 2, CAN_SFF_MASK, hops);
}

/* Many of them change at once, in another order. */
static void rules_follow_those_of_their_way(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rules[WAYS], *order[WAYS];
	unsigned int i, way, round;
	bool express[WAYS];
	u32 mark;

	for (way = 0; way < WAYS; way++) {
		express[way] = way % 3;
		rules[way] = make_rule_of_way(test, way, express[way], 0);
		KUNIT_ASSERT_EQ(test, rig_add(rig, rules[way]), 0);
	}
	mark = rig_interrupt(rig, 0x123);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < WAYS; i++) {
			way = (round & 1 ? i : WAYS - 1 - i) + round;
			way %= WAYS;
			rules[way] = make_rule_of_way(test, way, prandom_u32_state(&rig->rnd) & 1,
						      prandom_u32_state(&rig->rnd) % 3);
			order[i] = rules[way];
		}
		rig_load(test, order, WAYS, round & 2);
		for (way = 0; way < WAYS; way++)
			KUNIT_EXPECT_EQ(test, rig_had(rig, rules[way], mark), express[way]);
	}
}

/* None of two rules follows another one twice. */
static void a_rule_has_one_follower(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *rules[3];
	unsigned int i, had = 0;
	u32 mark;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0, 0)), 0);
	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0, 0)), 0);
	mark = rig_interrupt(rig, 0x123);
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		rules[i] = make_rule(test, false, 0, 0);
	rig_load(test, rules, ARRAY_SIZE(rules), false);
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		had += rig_had(rig, rules[i], mark);
	KUNIT_EXPECT_EQ(test, had, 1);
}

/* A frame waits while its rule changes twice; between these, those of others change. */
static void changes_of_other_sources_do_not_matter(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_key key = {
		.src_idx = rig->dev[1]->ifindex, .dst_idx = rig->dev[0]->ifindex,
	};
	struct cgw_rule *other;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0, 0)), 0);
	rig_frame(rig);
	rig_change(test, false);
	for (i = 0; i < 100; i++) {
		other = cgw_rule_alloc(&key, NULL, rig->dev[1], rig->dev[0]);
		KUNIT_ASSERT_NOT_NULL(test, other);
		KUNIT_ASSERT_EQ(test, cgw_express_init(other, 0), 0);
		KUNIT_ASSERT_EQ(test, rig_add(rig, other), 0);
		rig_del(rig, other);
	}
	rig_change(test, true);
	rig_drain(rig);
	KUNIT_EXPECT_EQ(test, rig->not_once, 0);
}

static struct cgw_express_port *rig_port(struct rig *rig)
{
	struct cgw_port *port;

	rtnl_lock();
	port = cgw_port_find(&rig->gn, rig->dev[0]);
	rtnl_unlock();
	return &port->express;
}

/* Rules that have not changed for so long that generations begin again: one has become an
 * express rule, and one an ordinary one.
 */
static void rules_that_do_not_change_stay_what_they_are(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct cgw_rule *express, *ordinary;
	unsigned int i;
	u32 mark;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0x1, CAN_SFF_MASK)), 0);
	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0x2, CAN_SFF_MASK)), 0);
	KUNIT_ASSERT_EQ(test, rig_replace(rig, rig_rule(rig, 0x1),
					  make_rule(test, true, 0x1, CAN_SFF_MASK)), 0);
	KUNIT_ASSERT_EQ(test, rig_replace(rig, rig_rule(rig, 0x2),
					  make_rule(test, false, 0x2, CAN_SFF_MASK)), 0);
	rig_interrupt(rig, 0x1);
	KUNIT_ASSERT_EQ(test, rig->sends, 1);
	express = rig_rule(rig, 0x1);
	ordinary = rig_rule(rig, 0x2);
	for (i = 0; i < 20; i++) {
		atomic_add(0x1fffffff, &rig_port(rig)->generation);
		rig_change_other(test);
		mark = rig_interrupt(rig, 0x1);
		KUNIT_EXPECT_TRUE(test, rig_had(rig, express, mark));
		KUNIT_EXPECT_FALSE(test, rig_had(rig, ordinary, mark));
	}
}

/* A frame waits, and its rule changes just before generations begin again. After that,
 * writers look for rules that have not changed for long.
 */
static void generations_overflow_while_a_frame_waits(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 begin;

	for (begin = -8; begin; begin++) {
		KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0, 0)), 0);
		atomic_set(&rig_port(rig)->generation, begin);
		rig_change_other(test);
		rig_frame(rig);
		rig_port(rig)->refreshed = begin - BIT(29) + 3;
		rig_change(test, false);
		rig_change_other(test);
		rig_frame(rig);
		rig_change_other(test);
		rig_change_other(test);
		rig_drain(rig);
		KUNIT_EXPECT_EQ(test, rig->not_once, 0);
		rtnl_lock();
		cgw_net_flush(&rig->gn);
		rtnl_unlock();
	}
}

/* The last rule of a source is removed, and with it what is known of generations. */
static void a_frame_does_not_come_again_to_a_new_rule(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;
	u32 mark;

	for (i = 0; i < 4; i++) {
		KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0, 0)), 0);
		rig_change_other(test);
		rig_change_other(test);
		mark = rig_interrupt(rig, 0x123);
		rig_del(rig, rig_rule(rig, 0));
		KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0, 0)), 0);
		rig_change(test, false);
		KUNIT_EXPECT_TRUE(test, rig_had(rig, rig_rule(rig, 0), mark));
		rig_del(rig, rig_rule(rig, 0));
	}
}

/* There is no queueing discipline that could be asked. */
static void a_pending_rule_waits_for_its_destination(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct netdev_queue *txq = netdev_get_tx_queue(rig->dev[1], 0);

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0, 0)), 0);
	rcu_assign_pointer(txq->qdisc, &noop_qdisc);
	rig_change(test, true);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_drain(rig);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_drain(rig);
	rcu_assign_pointer(txq->qdisc, rig->qdisc);
	KUNIT_EXPECT_TRUE(test, rig_routes(rig));
}

/* Entries that were put in when the last frame was left are all that matter. */
static void frames_of_others_do_not_keep_a_rule_pending(struct kunit *test)
{
	struct rig *rig = test->priv;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0, 0)), 0);
	rig_frame(rig);
	rig_change(test, true);
	KUNIT_EXPECT_FALSE(test, rig_routes(rig));
	rig_drain(rig);
	/* the ring is never empty from now on */
	rig->received += 3;
	rig->waits = 3;
	KUNIT_EXPECT_TRUE(test, rig_routes(rig));
	rig->waits = 0;
}

static void a_pending_rule_counts_for_the_limits(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	for (i = 0; i < CGW_EXPRESS_HITS - 1; i++)
		KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0x10 + i, 0)), 0);
	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, false, 0, 0)), 0);
	rig_frame(rig);
	rig_change(test, true);
	KUNIT_EXPECT_EQ(test, rig_add(rig, make_rule(test, true, 0x7, 0x7)), -ENOSPC);
	/* which does not keep it pending */
	rig_drain(rig);
	rig_interrupt(rig, 0x123);
	KUNIT_EXPECT_EQ(test, rig->sends, 2 * CGW_EXPRESS_HITS - 1);
}

static void rig_random_frame(struct rig *rig, u32 random)
{
	if (random % 16 < 2 && rig->waits < WAITING && rig->qdisc->q.qlen < QUEUED / 2)
		rig_frame(rig);
	else if (random % 16 < 6 && rig->waits)
		rig_softirq(rig);
	else if (rig->in_hand)
		rig_end_run(rig, random & 0x300);
	else if (rig->qdisc->q.qlen)
		rig_run(rig);
}

/* An interrupt and a softirq together route each frame once, and in its order, while the rule
 * is replaced, alone or with the whole table, by itself, an express rule or an ordinary one.
 */
static void each_frame_is_routed_once(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;
	u32 random;

	KUNIT_ASSERT_EQ(test, rig_add(rig, make_rule(test, true, 0, 0)), 0);
	for (i = 0; i < STEPS; i++) {
		random = prandom_u32_state(&rig->rnd);
		/* there are long times with few changes, in which queues become empty */
		if (i & 0x200 ? random % 16 : random % 128)
			rig_random_frame(rig, random >> 8);
		else if (random & 0x10000)
			rig_exchange(test, random & 0x20000, random & 0x40000);
		else if (random & 0x80000)
			rig_change(test, random & 0x20000);
		else
			rig_change_other(test);
	}
	rig_drain(rig);
	KUNIT_EXPECT_GT(test, rig->done, STEPS / 10);
	/* otherwise the test did not cover both */
	KUNIT_EXPECT_GT(test, rig->sends, rig->done / 8);
	KUNIT_EXPECT_LT(test, rig->sends, 7 * rig->done / 8);
	KUNIT_EXPECT_EQ(test, rig->not_once, 0);
	KUNIT_EXPECT_EQ(test, rig->overtaken, 0);
}

static struct kunit_case express_cases[] = {
	KUNIT_CASE(rules_are_attached_while_there_are_any),
	KUNIT_CASE(frames_have_what_the_rule_says),
	KUNIT_CASE(echoes_are_for_softirqs),
	KUNIT_CASE(limits_are_reported),
	KUNIT_CASE(a_pending_rule_waits_for_its_frames),
	KUNIT_CASE(a_rule_of_a_new_table_waits),
	KUNIT_CASE(a_pending_rule_stays_pending_in_the_next_table),
	KUNIT_CASE(a_rule_of_a_new_table_may_differ),
	KUNIT_CASE(equal_rules_follow_those_of_their_kind),
	KUNIT_CASE(changed_rules_follow_those_of_their_kind),
	KUNIT_CASE(rules_follow_those_of_their_way),
	KUNIT_CASE(a_rule_has_one_follower),
	KUNIT_CASE(changes_of_other_sources_do_not_matter),
	KUNIT_CASE(rules_that_do_not_change_stay_what_they_are),
	KUNIT_CASE(generations_overflow_while_a_frame_waits),
	KUNIT_CASE(a_frame_does_not_come_again_to_a_new_rule),
	KUNIT_CASE(a_pending_rule_waits_for_its_destination),
	KUNIT_CASE(frames_of_others_do_not_keep_a_rule_pending),
	KUNIT_CASE(a_pending_rule_counts_for_the_limits),
	KUNIT_CASE(each_frame_is_routed_once),
	{ }
};

static struct kunit_suite express_suite = {
	.name = "can_gw_express",
	.init = express_test_init,
	.exit = express_test_exit,
	.test_cases = express_cases,
};

kunit_test_suite(express_suite);

#endif /* CAN_GW_EXPRESS */
