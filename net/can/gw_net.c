// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* The gateway of a network namespace: contexts are described in gw_net.h. */
#include <kunit/visibility.h>
#include <linux/can/core.h>
#include <linux/hash.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "gw_follow.h"
#include "gw_net.h"
#include "rcvhash.h"
#include "rcvnet.h"

static u32 cgw_port_hash(const struct net_device *dev)
{
	return hash_ptr(dev, 32);
}

static u32 cgw_port_node_hash(const struct hlist_node *node)
{
	struct cgw_port *port = container_of(node, struct cgw_port, hash_node);

	return cgw_port_hash(port->dev);
}

/* Return: the port of a device, or NULL. Context: Process context, under rtnl_lock(). */
VISIBLE_IF_KUNIT struct cgw_port *cgw_port_find(struct cgw_net *gn,
						const struct net_device *dev)
{
	struct cgw_port *port;

	hlist_for_each_entry(port, can_rcv_hash_head(&gn->ports,
						     cgw_port_hash(dev)),
			     hash_node)
		if (port->dev == dev)
			return port;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_port_find);

static struct can_rcvlist *cgw_port_receivers(struct can_rx_hook *hook)
{
	struct cgw_source *source = cgw_port_source(hook);

	return source ? &source->index : NULL;
}

/* Register the receive hook of a device, unless it has a port. */
static int cgw_port_register_rx(struct cgw_net *gn, struct net_device *dev)
{
	struct cgw_port *port;
	int err;

	if (cgw_port_find(gn, dev))
		return 0;
	port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	if (!port)
		return -ENOMEM;
	port->hook.receive = gn->receive;
	port->hook.receivers = cgw_port_receivers;
	port->gn = gn;
	port->dev = dev;
	cgw_express_begin(&port->express);
	err = can_rx_hook_register(dev, &port->hook);
	if (err) {
		kfree(port);
		return err;
	}
	can_rcv_hash_add(&gn->ports, &port->hash_node, cgw_port_node_hash);
	return 0;
}

static void cgw_port_attach(struct cgw_net *gn, struct net_device *dev,
			    struct cgw_express_table *table)
{
	gn->express |= !!table;
	cgw_express_attach(dev, &cgw_port_find(gn, dev)->express, table);
}

/* Begin to replace the express rules of a device. Return: a new generation. */
static u32 cgw_port_supersede(struct cgw_net *gn, struct net_device *dev,
			      struct cgw_express_table *table)
{
	return cgw_express_supersede(&cgw_port_find(gn, dev)->express,
				     cgw_table_source(cgw_net_table(gn), dev), table);
}

/* Softirqs use the rules that were attached. */
static void cgw_port_arm(struct cgw_net *gn, struct net_device *dev)
{
	cgw_express_arm(&cgw_port_find(gn, dev)->express);
}

static void cgw_port_unregister_rx(struct cgw_net *gn, struct cgw_port *port)
{
	cgw_express_end(port->dev, &port->express);
	can_rx_hook_unregister(port->dev, &port->hook);
	can_rcv_hash_del(&gn->ports, &port->hash_node, cgw_port_node_hash);
	kfree_rcu(port, rcu);
}

/* Route the frames of @dev by the rules of @source. NULL removes the port. */
static void cgw_port_set_source(struct cgw_net *gn,
				const struct net_device *dev,
				struct cgw_source *source)
{
	struct cgw_port *port = cgw_port_find(gn, dev);

	rcu_assign_pointer(port->source[gn->active_idx], source);
	if (!source)
		cgw_port_unregister_rx(gn, port);
}

/* Remove the port of a device if the active table has no rules for it. */
static void cgw_port_unregister_unused(struct cgw_net *gn,
				       const struct net_device *dev)
{
	struct cgw_port *port = cgw_port_find(gn, dev);

	if (port && !cgw_table_source(cgw_net_table(gn), dev))
		cgw_port_unregister_rx(gn, port);
}

/* Called after each change of the rules. */
static void cgw_net_bump_generation(struct cgw_net *gn)
{
	unsigned int count = cgw_net_table(gn)->count;

	gn->generation = cgw_net_next_generation(gn);
	if (count == gn->accounted)
		return;
	can_rcv_net_count(gn->net, (long)count - gn->accounted);
	gn->accounted = count;
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
 * cgw_net_init() - initialize the gateway of a namespace
 * @gn: gateway, zeroed
 * @net: namespace
 * @route: called for each rule that matches a frame
 * @receive: receive hook of the source devices; delivers a frame to the rules
 *	of cgw_port_source()
 *
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int cgw_net_init(struct cgw_net *gn, struct net *net,
		 void (*route)(struct sk_buff *skb, void *rule),
		 enum can_rx_hook_result (*receive)(struct can_rx_hook *hook,
						    struct sk_buff *skb))
{
	struct cgw_table *table = cgw_table_alloc(route, &gn->owner);

	if (!table)
		return -ENOMEM;
	can_rcv_owner_init(&gn->owner, cgw_net_resize, cgw_net_held);
	gn->ports.gfp = __GFP_ACCOUNT;
	gn->net = net;
	gn->receive = receive;
	gn->generation = 1;
	gn->limit = CGW_NET_LIMIT;
	INIT_LIST_HEAD(&gn->transactions);
	RCU_INIT_POINTER(gn->table, table);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_init);

/* Free a gateway that has no rules. Context: Process context, under
 * rtnl_lock().
 */
void cgw_net_free(struct cgw_net *gn)
{
	cgw_table_free(cgw_net_table(gn));
}

/**
 * cgw_net_exit() - remove all rules and free the table
 * @gn: gateway; its memory must stay until an RCU grace period is over and
 *	cgw_net_release() has returned
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_net_exit(struct cgw_net *gn)
{
	cgw_net_flush(gn);
	cgw_net_free(gn);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_exit);

/**
 * cgw_net_release() - wait for pending work of a gateway
 * @gn: gateway, after cgw_net_exit()
 *
 * Context: Process context, without rtnl_lock(), which the work takes; may wait
 *	for an RCU grace period.
 */
void cgw_net_release(struct cgw_net *gn)
{
	can_rcv_owner_exit(&gn->owner);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_release);

static void cgw_net_forget_refused(struct cgw_net *gn)
{
	gn->refused.limit = CGW_EXPRESS_LIMIT_NONE;
}

/* The express rules of a source with @new in the place of @old, if they change. */
static int cgw_net_make_express(struct cgw_net *gn,
				const struct cgw_source *source,
				struct cgw_rule *old, struct cgw_rule *new,
				struct cgw_express_table **express)
{
	*express = NULL;
	if (!new->express.on && !(old && old->express.on))
		return 0;
	return cgw_express_make(source, new->src, old, new, express, &gn->refused);
}

/**
 * cgw_net_add() - add a rule
 * @gn: gateway
 * @rule: from cgw_rule_alloc(); gets a handle, is freed on error
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: 0; -ENOSPC if the limit of rules is reached; or the error of an
 * allocation, of can_rx_hook_register(), or of cgw_express_make(). Nothing changes on
 * error.
 */
int cgw_net_add(struct cgw_net *gn, struct cgw_rule *rule)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_express_table *express = NULL;
	struct cgw_source *source;
	int err = -ENOSPC;

	cgw_net_forget_refused(gn);
	if (!cgw_net_full(gn, table->count)) {
		rule->handle = ++gn->handles;
		err = cgw_net_make_express(gn, cgw_table_source(table, rule->src),
					   NULL, rule, &express);
	}
	if (!err)
		err = cgw_table_add(table, rule);
	if (err) {
		cgw_express_discard(express);
		cgw_rule_free(rule);
		return err;
	}
	source = rule->source;
	err = cgw_port_register_rx(gn, source->dev);
	if (!err) {
		cgw_port_set_source(gn, source->dev, source);
		if (express) {
			cgw_port_supersede(gn, source->dev, express);
			cgw_port_attach(gn, source->dev, express);
			cgw_port_arm(gn, source->dev);
		}
		cgw_net_bump_generation(gn);
		return 0;
	}
	cgw_express_discard(express);
	cgw_table_del(table, rule);
	if (cgw_source_empty(source))
		cgw_table_drop(table, source);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_add);

static void cgw_net_del_express(struct cgw_net *gn, const struct cgw_rule *rule)
{
	struct cgw_port *port = cgw_port_find(gn, rule->src);

	cgw_express_remove(&port->express, rule);
	if (cgw_express_unused(&port->express))
		cgw_express_attach(port->dev, &port->express, NULL);
}

static void cgw_net_del_rule(struct cgw_net *gn, struct cgw_rule *rule)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source = rule->source;

	if (rule->express.on)
		cgw_net_del_express(gn, rule);
	cgw_table_del(table, rule);
	if (!cgw_source_empty(source))
		return;
	cgw_port_set_source(gn, source->dev, NULL);
	cgw_table_drop(table, source);
}

/**
 * cgw_net_del() - remove a rule
 * @gn: gateway
 * @rule: in the table; is freed after an RCU grace period
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_net_del(struct cgw_net *gn, struct cgw_rule *rule)
{
	cgw_net_del_rule(gn, rule);
	cgw_net_bump_generation(gn);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_del);

static bool cgw_net_same_filter(const struct cgw_rule *a,
				const struct cgw_rule *b)
{
	return a->key.filter.can_id == b->key.filter.can_id &&
	       a->key.filter.can_mask == b->key.filter.can_mask;
}

static void cgw_net_refilter(struct cgw_net *gn, struct cgw_rule *rule,
			     struct cgw_rule *new, struct cgw_source *source)
{
	cgw_rule_transfer_state(new, rule);
	cgw_port_set_source(gn, rule->src, source);
	cgw_table_refilter(cgw_net_table(gn), rule, new, source);
}

/* Return: 0, or an error; then there is neither @source nor @express. */
static int cgw_net_prepare_replace(struct cgw_net *gn, struct cgw_rule *rule,
				   struct cgw_rule *new, struct cgw_source **source,
				   struct cgw_express_table **express)
{
	int err;

	*source = NULL;
	err = cgw_net_make_express(gn, rule->source, rule, new, express);
	if (err || cgw_net_same_filter(rule, new))
		return err;
	*source = cgw_source_refilter(cgw_net_table(gn), rule, new);
	if (*source)
		return 0;
	cgw_express_discard(*express);
	return -ENOMEM;
}

/**
 * cgw_net_replace() - replace a rule, keeping its handle, counters and position
 * @gn: gateway
 * @rule: in the table; is freed after an RCU grace period
 * @new: from cgw_rule_alloc(), with the source of @rule; is freed on error
 *
 * Each frame is routed either by @rule or by @new. If the filter changes, the
 * index of the source is rebuilt: the cost is proportional to the rules of the
 * source.
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: 0, -ENOMEM, or the error of cgw_express_make(). Nothing changes on error.
 */
int cgw_net_replace(struct cgw_net *gn, struct cgw_rule *rule,
		    struct cgw_rule *new)
{
	struct cgw_express_table *express;
	struct net_device *dev = rule->src;
	struct cgw_source *source;
	bool attach;
	int err;

	cgw_net_forget_refused(gn);
	err = cgw_net_prepare_replace(gn, rule, new, &source, &express);
	if (err) {
		cgw_rule_free(new);
		return err;
	}
	attach = rule->express.on || new->express.on;
	if (attach) {
		cgw_express_replace(rule, new, cgw_port_supersede(gn, dev, express));
		cgw_port_attach(gn, dev, express);
	} else {
		cgw_express_replace(rule, new, 0);
	}
	if (source)
		cgw_net_refilter(gn, rule, new, source);
	else
		cgw_table_replace(cgw_net_table(gn), rule, new);
	if (attach)
		cgw_port_arm(gn, dev);
	cgw_net_bump_generation(gn);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_replace);

/**
 * cgw_net_change() - replace the modification of a rule
 * @gn: gateway
 * @rule: in the table; its modification has a uid
 * @mod: has the same uid; the rule takes ownership
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_net_change(struct cgw_net *gn, struct cgw_rule *rule,
		    struct cgw_mod *mod)
{
	cgw_rule_change(rule, mod);
	cgw_net_bump_generation(gn);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_change);

/**
 * cgw_net_flush() - remove all rules
 * @gn: gateway
 *
 * The cost is proportional to the number of source devices.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_net_flush(struct cgw_net *gn)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source;

	hlist_for_each_entry(source, &table->source_list, list)
		cgw_port_set_source(gn, source->dev, NULL);
	cgw_table_clear(table);
	cgw_net_bump_generation(gn);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_flush);

/* Set the inactive source pointers of all ports for @new. */
static void cgw_net_prepare_ports(struct cgw_net *gn, struct cgw_table *old,
				  struct cgw_table *new)
{
	struct cgw_source *source;
	struct cgw_port *port;

	/* frames from before the last switch may still read the pointers */
	cond_synchronize_rcu_expedited(gn->switch_gp);
	hlist_for_each_entry(source, &old->source_list, list) {
		port = cgw_port_find(gn, source->dev);
		RCU_INIT_POINTER(port->source[!gn->active_idx], NULL);
	}
	hlist_for_each_entry(source, &new->source_list, list) {
		port = cgw_port_find(gn, source->dev);
		rcu_assign_pointer(port->source[!gn->active_idx], source);
	}
}

/* Rules go on, so that each frame that is on the way is routed once. */
static void cgw_net_follow(struct cgw_net *gn, struct cgw_source *source)
{
	struct cgw_follow *follow = source->follow;
	unsigned int i;
	u32 generation;

	if (!source->express && !gn->express)
		return;
	generation = cgw_port_supersede(gn, source->dev, source->express);
	for (i = 0; follow && i < follow->count; i++) {
		cgw_express_follow(follow->pair[i].new, follow->pair[i].old, generation);
		cond_resched();
	}
}

/* Return: 0, or an error; then nothing has changed. */
static int cgw_net_prepare_source(struct cgw_net *gn, struct cgw_source *source)
{
	int err = cgw_port_register_rx(gn, source->dev);

	if (err)
		return err;
	err = cgw_express_make(source, source->dev, NULL, NULL, &source->express,
			       &gn->refused);
	if (err || (!source->express && !gn->express))
		return err;
	return cgw_follow_make(cgw_table_source(cgw_net_table(gn), source->dev), source,
			       &source->follow);
}

static void cgw_net_forget_follow(struct cgw_source *source)
{
	cgw_follow_free(source->follow);
	source->follow = NULL;
}

static void cgw_net_unprepare_source(struct cgw_net *gn, struct cgw_source *source)
{
	cgw_express_discard(source->express);
	source->express = NULL;
	cgw_net_forget_follow(source);
	cgw_port_unregister_unused(gn, source->dev);
}

static void cgw_net_attach_source(struct cgw_net *gn, struct cgw_source *source)
{
	cgw_net_follow(gn, source);
	cgw_net_forget_follow(source);
	cgw_port_attach(gn, source->dev, source->express);
	source->express = NULL;
}

/**
 * cgw_net_exchange() - replace the table of rules
 * @gn: gateway
 * @new: staged table, none of whose handles another rule has ever had; the
 *	gateway takes ownership on success
 *
 * All devices switch atomically: each frame is routed either by the old table
 * or by the new one. The old table is freed. The cost is proportional to the
 * number of rules. If there has just been another exchange, waits for
 * an RCU grace period.
 *
 * Express rules switch just before: a frame that comes in between is routed by the new
 * ones and by the ordinary rules of the old table. If there has been an express rule, the
 * cost is also that of cgw_follow_make() for each source.
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: 0; -ENOSPC if @new exceeds the limit of rules; or the error of an
 * allocation, of can_rx_hook_register(), or of cgw_express_make(). Nothing changes on
 * error.
 */
int cgw_net_exchange(struct cgw_net *gn, struct cgw_table *new)
{
	struct cgw_table *old = cgw_net_table(gn);
	struct cgw_source *source;
	int err;

	cgw_net_forget_refused(gn);
	if (new->count > READ_ONCE(gn->limit))
		return -ENOSPC;
	hlist_for_each_entry(source, &new->source_list, list) {
		err = cgw_net_prepare_source(gn, source);
		if (err)
			goto undo;
	}
	cgw_net_prepare_ports(gn, old, new);
	hlist_for_each_entry(source, &new->source_list, list)
		cgw_net_attach_source(gn, source);
	/* Pairs with smp_load_acquire() in cgw_port_source(): the sources are
	 * written before the index.
	 */
	smp_store_release(&gn->active_idx, !gn->active_idx);
	gn->switch_gp = get_state_synchronize_rcu();
	rcu_assign_pointer(gn->table, new);
	hlist_for_each_entry(source, &new->source_list, list)
		cgw_port_arm(gn, source->dev);
	hlist_for_each_entry(source, &old->source_list, list)
		cgw_port_unregister_unused(gn, source->dev);
	cgw_table_free(old);
	cgw_net_bump_generation(gn);
	return 0;

undo:
	hlist_for_each_entry(source, &new->source_list, list)
		cgw_net_unprepare_source(gn, source);
	return err;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_exchange);

/**
 * cgw_net_exchange_source() - replace the rules of a source device
 * @gn: gateway
 * @new: staged table that only has rules of @dev; is emptied on success
 * @dev: source device
 *
 * Each frame is routed either by the old rules or by the new ones. The old
 * rules are freed. The cost is proportional to the rules of the device, plus that of
 * cgw_follow_make().
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: 0; -ENOSPC if the limit of rules would be exceeded; or the error of
 * an allocation, of can_rx_hook_register(), or of cgw_express_make(). Nothing changes on
 * error.
 */
int cgw_net_exchange_source(struct cgw_net *gn, struct cgw_table *new,
			    const struct net_device *dev)
{
	struct cgw_source *source = cgw_table_source(new, dev), *old;
	struct cgw_table *table = cgw_net_table(gn);
	unsigned int rest, count = new->count;
	int err;

	cgw_net_forget_refused(gn);
	old = cgw_table_source(table, dev);
	rest = table->count - cgw_source_count(old);
	if (rest + count > READ_ONCE(gn->limit))
		return -ENOSPC;
	if (source) {
		err = cgw_net_prepare_source(gn, source);
		if (err) {
			cgw_net_unprepare_source(gn, source);
			return err;
		}
		cgw_net_attach_source(gn, source);
	}
	if (source || old)
		cgw_port_set_source(gn, dev, source);
	if (source)
		cgw_port_arm(gn, source->dev);
	if (old)
		cgw_table_drop(table, old);
	if (source)
		cgw_table_move(table, new, source, gn->handles);
	gn->handles += count;
	cgw_net_bump_generation(gn);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_exchange_source);

static bool cgw_net_all_to_dev(const struct cgw_source *source,
			       const struct net_device *dev)
{
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &source->rules, source_node)
		if (rule->dst != dev)
			return false;
	return true;
}

/**
 * cgw_net_dev_unregister() - remove the rules of a device (NETDEV_UNREGISTER)
 * @gn: gateway
 * @dev: source or destination of these rules
 * @removed: called for each of them before it is removed; or NULL
 * @arg: for @removed
 *
 * If all rules of a source are removed, the source is dropped as a whole, which
 * costs less than removing each.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_net_dev_unregister(struct cgw_net *gn, const struct net_device *dev,
			    void (*removed)(const struct cgw_rule *rule, void *arg),
			    void *arg)
{
	struct cgw_table *table = cgw_net_table(gn);
	unsigned int before = table->count;
	struct cgw_source *source;
	struct hlist_node *next;
	struct cgw_rule *rule;

	if (removed)
		hlist_for_each_entry(rule, &table->rules, table_node)
			if (rule->src == dev || rule->dst == dev)
				removed(rule, arg);
	hlist_for_each_entry_safe(source, next, &table->source_list, list) {
		if (source->dev != dev && !cgw_net_all_to_dev(source, dev))
			continue;
		cgw_port_set_source(gn, source->dev, NULL);
		cgw_table_drop(table, source);
	}
	hlist_for_each_entry_safe(rule, next, &table->rules, table_node) {
		if (rule->dst == dev)
			cgw_net_del_rule(gn, rule);
		cond_resched();
	}
	if (table->count != before)
		cgw_net_bump_generation(gn);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_net_dev_unregister);
