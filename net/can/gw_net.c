// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* The gateway of a network namespace: what it promises, and who runs in which
 * context, is said in gw_net.h.
 */
#include <linux/can/core.h>
#include <linux/hash.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "gw_net.h"
#include "rcvhash.h"

/**
 * struct cgw_tap - what a device gives to the gateway
 * @gn: the gateway
 * @dev: the device
 * @source: its rules in the table in use, at the place cgw_net.side; the other place
 *	counts only while all devices turn to another table
 * @on: there is a receiver for each enum cgw_kind
 * @same: in cgw_net.taps
 * @rcu: frees it
 */
struct cgw_tap {
	struct cgw_net *gn;
	struct net_device *dev;
	struct cgw_source __rcu *source[2];
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
	struct cgw_source *source;
	unsigned int side;

	/* Pairs with smp_store_release() in cgw_net_exchange(): the sources of this
	 * side have been written. The index of an array with two elements does not
	 * order the reads: a compiler may turn it into a branch.
	 */
	side = smp_load_acquire(&tap->gn->side);
	source = rcu_dereference(tap->source[side]);
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
	tap = kzalloc(sizeof(*tap), GFP_KERNEL_ACCOUNT);
	if (!tap)
		return NULL;
	tap->gn = gn;
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

	rcu_assign_pointer(tap->source[gn->side], source);
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

static void changed(struct cgw_net *gn)
{
	gn->generation = cgw_net_next_generation(gn);
}

static bool cgw_net_held(const struct can_rcv_owner *owner)
{
	return lockdep_rtnl_is_held();
}

static void cgw_net_resize(struct work_struct *work)
{
	struct cgw_net *gn = container_of(to_rcu_work(work), struct cgw_net,
					  owner.resize);

	rtnl_lock();
	can_rcv_owner_resize(&gn->owner);
	rtnl_unlock();
}

/**
 * cgw_net_init() - an empty gateway
 * @gn: to make, all zero
 * @net: its namespace
 * @route: is called for each frame that a rule matches, in softirq
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int cgw_net_init(struct cgw_net *gn, struct net *net,
		 void (*route)(struct sk_buff *skb, void *rule))
{
	struct cgw_table *table = cgw_table_alloc(route, &gn->owner);

	if (!table)
		return -ENOMEM;
	can_rcv_owner_init(&gn->owner, cgw_net_resize, cgw_net_held);
	gn->taps.gfp = __GFP_ACCOUNT;
	gn->net = net;
	gn->generation = 1;
	gn->limit = CGW_NET_LIMIT;
	INIT_LIST_HEAD(&gn->transactions);
	RCU_INIT_POINTER(gn->table, table);
	return 0;
}

/**
 * cgw_net_free() - free a gateway that has no rules
 * @gn: the gateway
 *
 * Context: as a writer.
 */
void cgw_net_free(struct cgw_net *gn)
{
	cgw_table_free(cgw_net_table(gn));
}

/**
 * cgw_net_exit() - the last of a gateway
 * @gn: the gateway, whose memory has to stay for an RCU grace period, and until
 *	cgw_net_release()
 *
 * Context: as a writer.
 */
void cgw_net_exit(struct cgw_net *gn)
{
	cgw_net_flush(gn);
	cgw_net_free(gn);
}

/**
 * cgw_net_release() - wait for work that was queued by a gateway
 * @gn: the gateway, after cgw_net_exit()
 *
 * Context: Process context, without rtnl_lock(); may wait for an RCU grace period.
 */
void cgw_net_release(struct cgw_net *gn)
{
	can_rcv_owner_exit(&gn->owner);
}

/**
 * cgw_net_add() - route frames by one more rule
 * @gn: the gateway
 * @rule: of cgw_rule_alloc(); gets a handle, and is freed if there is an error
 *
 * Context: as a writer.
 * Return: 0, -ENOSPC if there may be no more rules, or the error of an allocation or of
 * can_rx_register(); then everything is as it was before.
 */
int cgw_net_add(struct cgw_net *gn, struct cgw_rule *rule)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source;
	int err = -ENOSPC;

	if (!cgw_net_full(gn, table->count)) {
		rule->handle = ++gn->handles;
		err = cgw_table_add(table, rule);
	}
	if (err) {
		cgw_rule_free(rule);
		return err;
	}
	source = rule->source;
	err = prepare_tap(gn, source);
	if (!err) {
		rcu_assign_pointer(find_tap(gn, source->dev)->source[gn->side],
				   source);
		changed(gn);
		return 0;
	}
	cgw_table_del(table, rule);
	restore_tap(gn, source->dev);
	if (cgw_source_empty(source))
		cgw_table_drop(table, source);
	return err;
}

static void del_rule(struct cgw_net *gn, struct cgw_rule *rule)
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
 * cgw_net_del() - remove a rule of the table in use
 * @gn: the gateway
 * @rule: is freed when no frame is routed by it any more
 *
 * Context: as a writer.
 */
void cgw_net_del(struct cgw_net *gn, struct cgw_rule *rule)
{
	del_rule(gn, rule);
	changed(gn);
}

static bool same_filter(const struct cgw_rule *a, const struct cgw_rule *b)
{
	return a->key.filter.can_id == b->key.filter.can_id &&
	       a->key.filter.can_mask == b->key.filter.can_mask;
}

static int refilter(struct cgw_net *gn, struct cgw_rule *rule,
		    struct cgw_rule *new)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source;
	int err;

	source = cgw_source_refilter(table, rule, new);
	if (!source)
		return -ENOMEM;
	err = prepare_tap(gn, source);
	if (err) {
		restore_tap(gn, rule->src);
		cgw_source_discard(source);
		return err;
	}
	cgw_rule_inherit(new, rule);
	turn_tap(gn, rule->src, source);
	cgw_table_refilter(table, rule, new, source);
	return 0;
}

/**
 * cgw_net_replace() - put a rule in the place of another one
 * @gn: the gateway
 * @rule: in the table; is freed when no frame is routed by it any more
 * @new: of cgw_rule_alloc(), with the same source; takes over handle, counters and
 *	place. Is freed if there is an error
 *
 * A frame is routed by one of them. With another filter, this takes as long as the
 * source has rules.
 *
 * Context: as a writer.
 * Return: 0, or the error of an allocation or of can_rx_register(); then everything
 * is as it was before.
 */
int cgw_net_replace(struct cgw_net *gn, struct cgw_rule *rule,
		    struct cgw_rule *new)
{
	int err = 0;

	if (same_filter(rule, new))
		cgw_table_replace(cgw_net_table(gn), rule, new);
	else
		err = refilter(gn, rule, new);
	if (err)
		cgw_rule_free(new);
	else
		changed(gn);
	return err;
}

/**
 * cgw_net_change() - let a rule do something else to frames
 * @gn: the gateway
 * @rule: in the table; what it does now has a name
 * @mod: with the same name
 *
 * Context: as a writer.
 */
void cgw_net_change(struct cgw_net *gn, struct cgw_rule *rule,
		    struct cgw_mod *mod)
{
	cgw_rule_change(rule, mod);
	changed(gn);
}

/**
 * cgw_net_flush() - remove all rules
 * @gn: the gateway
 *
 * Takes as long as there are devices, however many rules there are.
 *
 * Context: as a writer.
 */
void cgw_net_flush(struct cgw_net *gn)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source;

	hlist_for_each_entry(source, &table->source_list, list)
		turn_tap(gn, source->dev, NULL);
	cgw_table_clear(table);
	changed(gn);
}

/* What the other side of all devices is to be, which nobody sees any more. */
static void arm_taps(struct cgw_net *gn, struct cgw_table *old,
		     struct cgw_table *new)
{
	struct cgw_source *source;

	cond_synchronize_rcu(gn->turned);
	hlist_for_each_entry(source, &old->source_list, list)
		RCU_INIT_POINTER(find_tap(gn, source->dev)->source[!gn->side],
				 NULL);
	hlist_for_each_entry(source, &new->source_list, list)
		rcu_assign_pointer(find_tap(gn, source->dev)->source[!gn->side],
				   source);
}

/**
 * cgw_net_exchange() - route frames by the rules of another table from now on
 * @gn: the gateway
 * @new: the other table, with handles above all others; belongs to the gateway if there
 *	is no error
 *
 * For the frames of all devices this happens at one moment: a frame is routed by
 * the rules before or by those after. Those before are freed. Takes as long as there
 * are devices, however many rules there are, and if there has just been another exchange
 * an RCU grace period.
 *
 * Context: as a writer.
 * Return: 0, -ENOSPC if there may not be as many rules, or the error of an allocation or of
 * can_rx_register(); then frames are routed as before.
 */
int cgw_net_exchange(struct cgw_net *gn, struct cgw_table *new)
{
	struct cgw_table *old = cgw_net_table(gn);
	struct cgw_source *source;
	int err;

	if (new->count > READ_ONCE(gn->limit))
		return -ENOSPC;
	hlist_for_each_entry(source, &new->source_list, list) {
		err = prepare_tap(gn, source);
		if (err)
			goto undo;
	}
	arm_taps(gn, old, new);
	/* Pairs with smp_load_acquire() in tap_receive(): sources before the side */
	smp_store_release(&gn->side, !gn->side);
	gn->turned = get_state_synchronize_rcu();
	hlist_for_each_entry(source, &new->source_list, list)
		close_tap(gn, find_tap(gn, source->dev), source);
	hlist_for_each_entry(source, &old->source_list, list)
		if (!cgw_table_source(new, source->dev))
			close_tap(gn, find_tap(gn, source->dev), NULL);
	rcu_assign_pointer(gn->table, new);
	cgw_table_free(old);
	changed(gn);
	return 0;

undo:
	hlist_for_each_entry(source, &new->source_list, list)
		restore_tap(gn, source->dev);
	return err;
}

/**
 * cgw_net_exchange_source() - route the frames of a device by other rules from now on
 * @gn: the gateway
 * @new: a table with the rules of @dev, and of no other device; is empty afterwards, if
 *	there is no error
 * @dev: the device
 *
 * A frame is routed by the rules before or by those after. Those before are freed.
 * Takes as long as the device has rules.
 *
 * Context: as a writer.
 * Return: as of cgw_net_exchange().
 */
int cgw_net_exchange_source(struct cgw_net *gn, struct cgw_table *new,
			    const struct net_device *dev)
{
	struct cgw_source *source = cgw_table_source(new, dev), *old;
	struct cgw_table *table = cgw_net_table(gn);
	unsigned int rest, count = new->count;
	int err;

	old = cgw_table_source(table, dev);
	rest = table->count - cgw_source_count(old);
	if (rest + count > READ_ONCE(gn->limit))
		return -ENOSPC;
	if (source) {
		err = prepare_tap(gn, source);
		if (err) {
			restore_tap(gn, dev);
			return err;
		}
	}
	if (source || old)
		turn_tap(gn, dev, source);
	if (old)
		cgw_table_drop(table, old);
	if (source)
		cgw_table_move(table, new, source, gn->handles);
	gn->handles += count;
	changed(gn);
	return 0;
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
 * @gone: is called for each of them before it is removed; or NULL
 * @arg: for @gone
 *
 * Rules that go with all others of their source cost much less than others.
 *
 * Context: as a writer.
 */
void cgw_net_device_gone(struct cgw_net *gn, const struct net_device *dev,
			 void (*gone)(const struct cgw_rule *rule, void *arg),
			 void *arg)
{
	struct cgw_table *table = cgw_net_table(gn);
	unsigned int before = table->count;
	struct cgw_source *source;
	struct hlist_node *next;
	struct cgw_rule *rule;

	if (gone)
		hlist_for_each_entry(rule, &table->rules, all)
			if (rule->src == dev || rule->dst == dev)
				gone(rule, arg);
	hlist_for_each_entry_safe(source, next, &table->source_list, list) {
		if (source->dev != dev && !all_go_to(source, dev))
			continue;
		turn_tap(gn, source->dev, NULL);
		cgw_table_drop(table, source);
	}
	hlist_for_each_entry_safe(rule, next, &table->rules, all)
		if (rule->dst == dev)
			del_rule(gn, rule);
	if (table->count != before)
		changed(gn);
}
