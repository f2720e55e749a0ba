// SPDX-License-Identifier: GPL-2.0-only
/* The gateway of a network namespace: what it promises, and who runs in which
 * context, is said in gw_net.h.
 */
#include <linux/can/core.h>
#include <linux/hash.h>
#include <linux/netdevice.h>
#include <linux/slab.h>

#include "gw_net.h"
#include "rcvhash.h"

/**
 * struct cgw_tap - what a device gives to the gateway
 * @dev: the device
 * @source: its rules in the table in use
 * @on: there is a receiver for each enum cgw_kind
 * @same: in cgw_net.taps
 * @rcu: frees it
 */
struct cgw_tap {
	struct net_device *dev;
	struct cgw_source __rcu *source;
	bool on[CGW_KINDS];
	struct hlist_node same;
	struct rcu_head rcu;
};

static const canid_t kind_mask[CGW_KINDS] = {
	[CGW_KIND_FRAMES] = 0,
	[CGW_KIND_ERRORS] = CAN_ERR_FLAG | CAN_ERR_MASK,
};

static void tap_receive(struct sk_buff *skb, void *data)
{
	struct cgw_tap *tap = data;
	struct cgw_source *source = rcu_dereference(tap->source);

	if (source)
		cgw_source_deliver(source, skb);
}

static u32 tap_hash(const struct net_device *dev)
{
	return hash_ptr(dev, 32);
}

static u32 tap_value(const struct hlist_node *node)
{
	return tap_hash(container_of(node, struct cgw_tap, same)->dev);
}

static struct cgw_tap *find_tap(struct cgw_net *gn, const struct net_device *dev)
{
	struct cgw_tap *tap;

	hlist_for_each_entry(tap, can_rcv_hash_head(&gn->taps, tap_hash(dev)),
			     same)
		if (tap->dev == dev)
			return tap;
	return NULL;
}

static struct cgw_tap *get_tap(struct cgw_net *gn, struct net_device *dev)
{
	struct cgw_tap *tap = find_tap(gn, dev);

	if (tap)
		return tap;
	tap = kzalloc(sizeof(*tap), GFP_KERNEL);
	if (!tap)
		return NULL;
	tap->dev = dev;
	can_rcv_hash_add(&gn->taps, &tap->same, tap_value);
	return tap;
}

/* Have a receiver for whatever the rules of @source want. */
static int open_tap(struct cgw_net *gn, struct cgw_tap *tap,
		    const struct cgw_source *source)
{
	enum cgw_kind kind;
	int err;

	for (kind = 0; kind < CGW_KINDS; kind++) {
		if (tap->on[kind] || !source->count[kind])
			continue;
		err = can_rx_register(gn->net, tap->dev, 0, kind_mask[kind],
				      tap_receive, tap, "gw", NULL);
		if (err)
			return err;
		tap->on[kind] = true;
	}
	return 0;
}

/* Have no receiver for what they do not want; @source may be NULL. */
static void close_tap(struct cgw_net *gn, struct cgw_tap *tap,
		      const struct cgw_source *source)
{
	bool used = false;
	enum cgw_kind kind;

	for (kind = 0; kind < CGW_KINDS; kind++) {
		if (tap->on[kind] && !(source && source->count[kind])) {
			can_rx_unregister(gn->net, tap->dev, 0, kind_mask[kind],
					  tap_receive, tap);
			tap->on[kind] = false;
		}
		used |= tap->on[kind];
	}
	if (used)
		return;
	can_rcv_hash_del(&gn->taps, &tap->same);
	kfree_rcu(tap, rcu);
}

/* Turn the frames of a device to @source, which may be NULL. */
static void turn_tap(struct cgw_net *gn, const struct net_device *dev,
		     struct cgw_source *source)
{
	struct cgw_tap *tap = find_tap(gn, dev);

	rcu_assign_pointer(tap->source, source);
	close_tap(gn, tap, source);
}

/* Have the receivers that @source wants beside those that there are. */
static int prepare_tap(struct cgw_net *gn, const struct cgw_source *source)
{
	struct cgw_tap *tap = get_tap(gn, source->dev);

	return tap ? open_tap(gn, tap, source) : -ENOMEM;
}

/* After an error, have those that the table in use wants. */
static void restore_tap(struct cgw_net *gn, const struct net_device *dev)
{
	struct cgw_tap *tap = find_tap(gn, dev);

	if (tap)
		close_tap(gn, tap, cgw_table_source(cgw_net_table(gn), dev));
}

/**
 * cgw_net_init() - an empty gateway
 * @gn: to make, all zero
 * @net: its namespace
 * @route: is called for each frame that a rule matches, in softirq
 *
 * Context: process.
 */
void cgw_net_init(struct cgw_net *gn, struct net *net,
		  void (*route)(struct sk_buff *skb, void *rule))
{
	gn->net = net;
	gn->tables[0].route = route;
	gn->tables[1].route = route;
}

/**
 * cgw_net_add() - route frames by one more rule
 * @gn: the gateway
 * @rule: of cgw_rule_alloc(); is freed if there is an error
 *
 * Context: as a writer.
 * Return: 0, or the error of an allocation or of can_rx_register(); then everything
 * is as it was before.
 */
int cgw_net_add(struct cgw_net *gn, struct cgw_rule *rule)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source;
	int err;

	err = cgw_table_add(table, rule);
	if (err) {
		cgw_rule_free(rule);
		return err;
	}
	source = rule->source;
	err = prepare_tap(gn, source);
	if (!err) {
		rcu_assign_pointer(find_tap(gn, source->dev)->source, source);
		return 0;
	}
	cgw_table_del(table, rule);
	restore_tap(gn, source->dev);
	if (cgw_source_empty(source))
		cgw_table_drop(table, source);
	return err;
}

/**
 * cgw_net_del() - remove a rule of the table in use
 * @gn: the gateway
 * @rule: is freed when no frame is routed by it any more
 *
 * Context: as a writer.
 */
void cgw_net_del(struct cgw_net *gn, struct cgw_rule *rule)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source = rule->source;

	cgw_table_del(table, rule);
	if (!cgw_source_empty(source)) {
		turn_tap(gn, source->dev, source);
		return;
	}
	turn_tap(gn, source->dev, NULL);
	cgw_table_drop(table, source);
}

/**
 * cgw_net_exchange() - route frames by the rules in the spare table from now on
 * @gn: the gateway
 *
 * For the frames of each device this happens at one moment: a frame is routed by
 * the rules before or by those after. Those before are freed. Takes as long as there
 * are devices, however many rules there are.
 *
 * Context: as a writer.
 * Return: 0, or the error of an allocation or of can_rx_register(); then frames are
 * routed as before, and the spare table is empty. There is none if the spare table
 * is empty.
 */
int cgw_net_exchange(struct cgw_net *gn)
{
	struct cgw_table *old = cgw_net_table(gn), *new = cgw_net_spare(gn);
	struct cgw_source *source;
	int err;

	hlist_for_each_entry(source, &new->source_list, list) {
		err = prepare_tap(gn, source);
		if (err)
			goto undo;
	}
	WRITE_ONCE(gn->live, !gn->live);
	hlist_for_each_entry(source, &new->source_list, list)
		turn_tap(gn, source->dev, source);
	hlist_for_each_entry(source, &old->source_list, list)
		if (!cgw_table_source(new, source->dev))
			turn_tap(gn, source->dev, NULL);
	cgw_table_clear(old);
	return 0;

undo:
	hlist_for_each_entry(source, &new->source_list, list)
		restore_tap(gn, source->dev);
	cgw_table_clear(new);
	return err;
}

static bool all_go_to(const struct cgw_source *source,
		      const struct net_device *dev)
{
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &source->rules, fellow)
		if (rule->dst != dev)
			return false;
	return true;
}

/**
 * cgw_net_device_gone() - remove the rules that have a device
 * @gn: the gateway
 * @dev: is their source or their destination
 *
 * Rules that go with all others of their source cost much less than others.
 *
 * Context: as a writer.
 */
void cgw_net_device_gone(struct cgw_net *gn, const struct net_device *dev)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source;
	struct hlist_node *next;
	struct cgw_rule *rule;

	hlist_for_each_entry_safe(source, next, &table->source_list, list) {
		if (source->dev != dev && !all_go_to(source, dev))
			continue;
		turn_tap(gn, source->dev, NULL);
		cgw_table_drop(table, source);
	}
	hlist_for_each_entry_safe(rule, next, &table->rules, all)
		if (rule->dst == dev)
			cgw_net_del(gn, rule);
}
