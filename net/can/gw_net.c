// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* The gateway of a network namespace: what it promises, and who runs in which
 * context, is described in gw_net.h.
 */
#include <linux/can/core.h>
#include <linux/hash.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "gw_net.h"
#include "rcvhash.h"

static u32 port_hash(const struct net_device *dev)
{
	return hash_ptr(dev, 32);
}

static u32 port_value(const struct hlist_node *node)
{
	return port_hash(container_of(node, struct cgw_port, hash_node)->dev);
}

static struct cgw_port *find_port(struct cgw_net *gn, const struct net_device *dev)
{
	struct cgw_port *port;

	hlist_for_each_entry(port, can_rcv_hash_head(&gn->ports, port_hash(dev)),
			     hash_node)
		if (port->dev == dev)
			return port;
	return NULL;
}

static struct can_rcvlist *port_receivers(struct can_rx_hook *hook)
{
	struct cgw_source *source = cgw_port_source(hook);

	return source ? &source->index : NULL;
}

/* Ensure that a device has a port. */
static int port_open(struct cgw_net *gn, struct net_device *dev)
{
	struct cgw_port *port;
	int err;

	if (find_port(gn, dev))
		return 0;
	port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	if (!port)
		return -ENOMEM;
	port->hook.receive = gn->receive;
	port->hook.receivers = port_receivers;
	port->gn = gn;
	port->dev = dev;
	err = can_rx_hook_register(dev, &port->hook);
	if (err) {
		kfree(port);
		return err;
	}
	can_rcv_hash_add(&gn->ports, &port->hash_node, port_value);
	return 0;
}

static void port_close(struct cgw_net *gn, struct cgw_port *port)
{
	can_rx_hook_unregister(port->dev, &port->hook);
	can_rcv_hash_del(&gn->ports, &port->hash_node);
	kfree_rcu(port, rcu);
}

/* Route the frames of a device by @source, which may be NULL. */
static void port_set_source(struct cgw_net *gn, const struct net_device *dev,
			    struct cgw_source *source)
{
	struct cgw_port *port = find_port(gn, dev);

	rcu_assign_pointer(port->source[gn->active_idx], source);
	if (!source)
		port_close(gn, port);
}

/* Close the port of a device that the table in use has no rules for. */
static void port_close_unused(struct cgw_net *gn, const struct net_device *dev)
{
	struct cgw_port *port = find_port(gn, dev);

	if (port && !cgw_table_source(cgw_net_table(gn), dev))
		port_close(gn, port);
}

/* Each change of the rules ends with this. */
static void bump_generation(struct cgw_net *gn)
{
	unsigned int count = cgw_net_table(gn)->count;

	gn->generation = cgw_net_next_generation(gn);
	if (count == gn->accounted)
		return;
	can_rx_hook_account(gn->net, (long)count - gn->accounted);
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
 * cgw_net_init() - an empty gateway
 * @gn: to make, all zero
 * @net: its namespace
 * @route: called for each rule that matches a frame that @receive delivers
 * @receive: called for each frame of a source device; delivers it to the rules of
 *	cgw_port_source()
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
 * can_rx_hook_register(); then everything is as it was before.
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
	err = port_open(gn, source->dev);
	if (!err) {
		port_set_source(gn, source->dev, source);
		bump_generation(gn);
		return 0;
	}
	cgw_table_del(table, rule);
	if (cgw_source_empty(source))
		cgw_table_drop(table, source);
	return err;
}

static void del_rule(struct cgw_net *gn, struct cgw_rule *rule)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source = rule->source;

	cgw_table_del(table, rule);
	if (!cgw_source_empty(source))
		return;
	port_set_source(gn, source->dev, NULL);
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
	bump_generation(gn);
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

	source = cgw_source_refilter(table, rule, new);
	if (!source)
		return -ENOMEM;
	cgw_rule_transfer_state(new, rule);
	port_set_source(gn, rule->src, source);
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
 * Return: 0, or the error of an allocation or of can_rx_hook_register(); then everything
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
		bump_generation(gn);
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
	bump_generation(gn);
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
		port_set_source(gn, source->dev, NULL);
	cgw_table_clear(table);
	bump_generation(gn);
}

/* Set the pointers of all ports that are not in use to the sources of @new. */
static void ports_prepare(struct cgw_net *gn, struct cgw_table *old,
			  struct cgw_table *new)
{
	struct cgw_source *source;

	/* frames that began before the last switch may still read them */
	cond_synchronize_rcu_expedited(gn->switch_gp);
	hlist_for_each_entry(source, &old->source_list, list)
		RCU_INIT_POINTER(find_port(gn, source->dev)->source[!gn->active_idx],
				 NULL);
	hlist_for_each_entry(source, &new->source_list, list)
		rcu_assign_pointer(find_port(gn, source->dev)->source[!gn->active_idx],
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
 * can_rx_hook_register(); then frames are routed as before.
 */
int cgw_net_exchange(struct cgw_net *gn, struct cgw_table *new)
{
	struct cgw_table *old = cgw_net_table(gn);
	struct cgw_source *source;
	int err;

	if (new->count > READ_ONCE(gn->limit))
		return -ENOSPC;
	hlist_for_each_entry(source, &new->source_list, list) {
		err = port_open(gn, source->dev);
		if (err)
			goto undo;
	}
	ports_prepare(gn, old, new);
	/* Pairs with smp_load_acquire() in cgw_port_source(): sources before the index */
	smp_store_release(&gn->active_idx, !gn->active_idx);
	gn->switch_gp = get_state_synchronize_rcu();
	rcu_assign_pointer(gn->table, new);
	hlist_for_each_entry(source, &old->source_list, list)
		port_close_unused(gn, source->dev);
	cgw_table_free(old);
	bump_generation(gn);
	return 0;

undo:
	hlist_for_each_entry(source, &new->source_list, list)
		port_close_unused(gn, source->dev);
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
		err = port_open(gn, source->dev);
		if (err)
			return err;
	}
	if (source || old)
		port_set_source(gn, dev, source);
	if (old)
		cgw_table_drop(table, old);
	if (source)
		cgw_table_move(table, new, source, gn->handles);
	gn->handles += count;
	bump_generation(gn);
	return 0;
}

static bool all_go_to(const struct cgw_source *source,
		      const struct net_device *dev)
{
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &source->rules, source_node)
		if (rule->dst != dev)
			return false;
	return true;
}

/**
 * cgw_net_dev_unregister() - remove the rules that have a device
 * @gn: the gateway
 * @dev: is their source or their destination
 * @removed: called for each of them before it is removed; or NULL
 * @arg: for @removed
 *
 * Rules that go with all others of their source cost much less than others.
 *
 * Context: as a writer.
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
		if (source->dev != dev && !all_go_to(source, dev))
			continue;
		port_set_source(gn, source->dev, NULL);
		cgw_table_drop(table, source);
	}
	hlist_for_each_entry_safe(rule, next, &table->rules, table_node) {
		if (rule->dst == dev)
			del_rule(gn, rule);
		cond_resched();
	}
	if (table->count != before)
		bump_generation(gn);
}
