// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Express rules: contexts are described in gw_express.h. */
#include <kunit/visibility.h>
#include <linux/atomic.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/can/can-ml.h>
#include <linux/can/express.h>
#include <linux/can/gw.h>
#include <linux/minmax.h>
#include <linux/netdevice.h>
#include <linux/preempt.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/sch_generic.h>

#include "gw_express.h"
#include "gw_mod.h"
#include "gw_netlink.h"
#include "gw_stats.h"
#include "gw_table.h"

#ifdef CAN_GW_EXPRESS

/**
 * struct cgw_express_entry - an express rule in a table
 * @rule: the rule; NULL if it was removed
 * @last: while it is pending, position in the ring of the last frame that was left to
 *	softirqs; written by interrupts
 * @pending: it was an ordinary rule, and interrupts do not route by it yet; cleared by
 *	interrupts
 */
struct cgw_express_entry {
	struct cgw_rule *rule;
	u32 last;
	bool pending;
};

/**
 * struct cgw_express_table - the express rules of a source device
 * @rules: for the driver
 * @index: finds the rules for a frame; its data are pointers to elements of @entry
 * @dev: source device
 * @port: of this device; from cgw_express_supersede()
 * @armed: pending rules may switch
 * @since: position in the ring of a frame that came when softirqs used the rules of this
 *	table already
 * @left: number of rules that were not removed
 * @count: number of elements of @entry
 * @retire: frees the table
 * @entry: the rules, the oldest first
 */
struct cgw_express_table {
	struct can_express_rules rules;
	struct cgw_express_index *index;
	struct net_device *dev;
	struct cgw_express_port *port;
	bool armed;
	u32 since;
	unsigned int left;
	unsigned int count;
	struct rcu_work retire;
	struct cgw_express_entry entry[];
};

/* What softirqs have to know of a rule is in one word, cgw_express.history: the generation
 * of its last change, whether interrupts route by it since then, whether it has been an
 * ordinary one, and in which of the generations before interrupts did, the youngest in bit
 * 0. Earlier ones count like the oldest of them: a frame would have to wait for two changes
 * of a rule, with so many changes of express rules of its source between them. Switches in
 * the table of the frame do not add to them: NAPI has passed on all frames from before a
 * table when one of its rules switches, and none of that rule's frames is on the way then.
 *
 * Generations are compared modulo 2^32: what is more than 2^31 ago would be in the future.
 * Before that, writers let a rule have changed later: cgw_express_refresh().
 */
#define HISTORY_GENERATION	GENMASK_ULL(63, 32)
#define HISTORY_ON		BIT_ULL(31)
#define HISTORY_ORDINARY	BIT_ULL(30)
#define HISTORY_BITS		30
#define HISTORY_BEFORE		GENMASK_ULL(HISTORY_BITS - 1, 0)
#define HISTORY_REFRESH		BIT(30)

/* A generation after those of all ports that are gone: frames may still have their marks.
 * Protected by rtnl_lock().
 */
static u32 cgw_express_gone;

/* Can the driver of a device route received frames in its interrupt? */
bool cgw_express_source(const struct net_device *dev)
{
	return can_get_ml_priv((struct net_device *)dev)->express_ops;
}

/* Does the driver of a device send such frames? */
bool cgw_express_destination(const struct net_device *dev)
{
	const struct can_express_ops *ops;

	ops = can_get_ml_priv((struct net_device *)dev)->express_ops;
	return ops && ops->send;
}

/**
 * cgw_express_init() - make a rule an express rule
 * @rule: in no table yet
 * @lifetime: in ns, or 0
 *
 * Return: 0 or -ENOMEM.
 */
int cgw_express_init(struct cgw_rule *rule, u64 lifetime)
{
	struct cgw_express *express = &rule->express;

	express->flow = kzalloc(sizeof(*express->flow), GFP_KERNEL_ACCOUNT);
	if (!express->flow)
		return -ENOMEM;
	refcount_set(&express->flow->refs, 1);
	express->lifetime = lifetime;
	express->on = true;
	rule->was_express = true;
	/* it has had what was received before it was there */
	atomic64_set(&express->history, HISTORY_ON | HISTORY_BEFORE);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_express_init);

/* The rule is freed. Frames in transmit queues may still count. Context: any. */
void cgw_express_exit(struct cgw_express *express)
{
	if (express->flow)
		can_express_put(express->flow);
}

/* Add the counters of an express rule to those of enum cgw_event. Context: any. */
void cgw_express_add_stats(const struct cgw_express *express, u64 *sum)
{
	static const enum cgw_event events[] = {
		[CAN_EXPRESS_SENT] = CGW_EV_SENT,
		[CAN_EXPRESS_DROPPED] = CGW_EV_DROPPED,
		[CAN_EXPRESS_LATE] = CGW_EV_DROPPED,
		[CAN_EXPRESS_DELETED] = CGW_EV_DELETED,
		[CAN_EXPRESS_SKIPPED] = CGW_EV_SKIPPED,
	};
	int i;

	if (!express->flow)
		return;
	for (i = 0; i < CAN_EXPRESS_EVENTS; i++)
		sum[events[i]] += atomic64_read(&express->flow->count[i]);
}

/* How many generations after the last change, modulo 2^32 */
static u32 cgw_express_ago(u64 history, u32 generation)
{
	return generation - (u32)FIELD_GET(HISTORY_GENERATION, history);
}

/* Is it an express rule by which interrupts do not route yet? Context: any. */
bool cgw_express_pending(const struct cgw_express *express)
{
	return express->on && !(atomic64_read(&express->history) & HISTORY_ON);
}

bool __cgw_express_had(const struct cgw_express *express,
		       const struct sk_buff *skb)
{
	u64 history = atomic64_read(&express->history);
	u32 mark = can_skb_express(skb), ago;

	if (mark == CAN_EXPRESS_ECHO)
		return false;
	/* no rules were attached then */
	if (!mark)
		return history & HISTORY_ON && !(history & HISTORY_ORDINARY);
	ago = -cgw_express_ago(history, mark);
	if ((s32)ago <= 0)
		return history & HISTORY_ON;
	return history & BIT_ULL(min(ago, HISTORY_BITS) - 1);
}
EXPORT_SYMBOL_IF_KUNIT(__cgw_express_had);

static ktime_t cgw_express_until(const struct cgw_rule *rule)
{
	return rule->express.lifetime ?
	       ktime_add_safe(ktime_get_boottime(), rule->express.lifetime) : 0;
}

static void cgw_express_send(const struct cgw_express_table *table,
			     const struct cgw_rule *rule,
			     const struct can_frame *received)
{
	const struct cgw_mod *mod = rcu_dereference_sched(rule->mod);
	struct can_express_frame frame = {
		.frame = *received,
		.flow = rule->express.flow,
		.ifindex = table->dev->ifindex,
		.hops = rule->key.limit_hops ?
			cgw_max_hops() - rule->key.limit_hops + 1 : 1,
		.echo = rule->key.flags & CGW_FLAGS_CAN_ECHO,
	};

	if (rule->dst == table->dev &&
	    !(rule->key.flags & CGW_FLAGS_CAN_IIF_TX_OK)) {
		can_express_count(frame.flow, CAN_EXPRESS_SKIPPED);
		return;
	}
	if (mod && mod->changes &&
	    !cgw_mod_run(mod, (struct canfd_frame *)&frame.frame, CAN_MAX_DLEN)) {
		can_express_count(frame.flow, CAN_EXPRESS_DELETED);
		return;
	}
	frame.until = cgw_express_until(rule);
	can_get_ml_priv(rule->dst)->express_ops->send(rule->dst, &frame);
}

/* Return: a generation after all others, modulo 2^32. Context: any. A full barrier. */
static u32 cgw_express_new_generation(struct cgw_express_port *port)
{
	u32 generation;

	do {
		generation = atomic_inc_return(&port->generation);
	} while (!generation || generation == CAN_EXPRESS_ECHO);
	return generation;
}

/* Return: @history after a change. */
static u64 cgw_express_changed(u64 history, bool on, u32 generation)
{
	u32 ago = cgw_express_ago(history, generation);
	u64 before = history & HISTORY_ON ? HISTORY_BEFORE : 0;

	if (ago < HISTORY_BITS)
		before = (history & HISTORY_BEFORE) << ago | (before & (BIT_ULL(ago) - 1));
	return FIELD_PREP(HISTORY_GENERATION, generation) | (before & HISTORY_BEFORE) |
	       HISTORY_ORDINARY | (on ? HISTORY_ON : 0);
}

/* Is somebody passing a frame from a queueing discipline to the driver? */
static bool cgw_express_qdisc_runs(struct Qdisc *q)
{
	/* without SMP, a spinlock does not tell whether it is locked, but then this interrupt
	 * has interrupted somebody with BHs disabled. A thread of an interrupt, which disables
	 * them itself, interrupts nobody who has. On PREEMPT_RT the lock is no spinlock.
	 */
	if (!IS_ENABLED(CONFIG_SMP) && !IS_ENABLED(CONFIG_PREEMPT_RT) &&
	    in_hardirq() && softirq_count())
		return true;
	return qdisc_is_running(q);
}

/* Does the driver of a destination have all frames that were sent there before? As long as
 * one is left, the queueing discipline is not empty, or it runs to pass the frame on, after
 * which it may take the frame back. So if it was empty, and did not run later, and is still
 * empty, none is left. Later kernels than 6.12 have a list of frames before it, which they
 * move to it with its lock.
 *
 * No lock can be acquired here: on PREEMPT_RT they are sleeping locks. So the answer could
 * be wrong if a frame was passed on and taken back, and another attempt had begun, between
 * the three reads; or if a weakly ordered CPU shows the begin of a run after what it has
 * taken out: neither the lock nor the bit of a run is written with release semantics. Then
 * one frame is overtaken, no more.
 *
 * While the interface is down, or the discipline is exchanged, there is none to ask.
 */
static bool cgw_express_dst_idle(const struct net_device *dev)
{
	struct Qdisc *q = rcu_dereference_sched(netdev_get_tx_queue(dev, 0)->qdisc);

	if (q == &noop_qdisc || can_gw_express_deferred(q))
		return false;
	/* Pairs with the release of the lock: what was moved is seen */
	smp_rmb();
	if (!qdisc_is_empty(q))
		return false;
	/* Pairs with the lock of a run, which is acquired before it takes a frame out: the
	 * run is seen, unless it has ended
	 */
	smp_rmb();
	if (cgw_express_qdisc_runs(q))
		return false;
	/* Pairs with the release of the lock: what was taken back is seen */
	smp_rmb();
	return qdisc_is_empty(q);
}

/* May NAPI still have to pass on the entry at @position? @received and @waiting are of the
 * ring. What is more than 2^32 entries ago may be taken for a recent one, for as long as
 * entries wait.
 */
static bool cgw_express_waits(u32 received, u32 waiting, u32 position)
{
	return received - position <= waiting;
}

/* Are all frames that were left to softirqs in the driver of the destination, or lost? */
static bool cgw_express_drained(const struct cgw_express_table *table,
				const struct cgw_express_entry *entry,
				const struct cgw_rule *rule)
{
	const struct can_express_ops *ops = can_get_ml_priv(table->dev)->express_ops;
	u32 received = ops->received(table->dev);
	u32 waiting = ops->waiting(table->dev);

	return !cgw_express_waits(received, waiting, table->since) &&
	       !cgw_express_waits(received, waiting, entry->last) &&
	       cgw_express_dst_idle(rule->dst);
}

/* A pending rule routes in interrupts from now on, if all frames that it has left to softirqs
 * were sent. Return: true if it does.
 */
static bool cgw_express_switch(struct cgw_express_table *table,
			       struct cgw_express_entry *entry, struct cgw_rule *rule)
{
	s64 history = atomic64_read(&rule->express.history);
	u32 generation;

	/* Pairs with smp_store_release() in cgw_express_arm(): softirqs use this rule, and
	 * know of the switch before they get the frame.
	 */
	if (!smp_load_acquire(&table->armed) ||
	    !cgw_express_drained(table, entry, rule))
		return false;
	generation = cgw_express_new_generation(table->port);
	/* Pairs with cgw_express_new_generation() in cgw_express_supersede(): a writer that
	 * is not seen here will get a later generation.
	 */
	if (!READ_ONCE(table->armed) ||
	    !atomic64_try_cmpxchg(&rule->express.history, &history,
				  cgw_express_changed(history, true, generation)))
		return false;
	entry->pending = false;
	table->rules.generation = generation;
	return true;
}

static void cgw_express_route(struct cgw_express_table *table,
			      struct cgw_express_entry *entry,
			      const struct can_frame *frame)
{
	struct cgw_rule *rule = READ_ONCE(entry->rule);

	if (!rule)
		return;
	if (likely(!entry->pending) || cgw_express_switch(table, entry, rule))
		cgw_express_send(table, rule, frame);
	else
		entry->last = can_get_ml_priv(table->dev)->express_ops->received(table->dev);
}

static void cgw_express_receive(struct can_express_rules *rules,
				const struct can_frame *frame)
{
	struct cgw_express_table *table =
		container_of(rules, struct cgw_express_table, rules);
	void *data[CGW_EXPRESS_HITS];
	unsigned int i, hits;

	hits = cgw_express_index_find(table->index, frame->can_id, data);
	for (i = 0; i < hits; i++)
		cgw_express_route(table, data[i], frame);
}

static void cgw_express_free_work(struct work_struct *work)
{
	cgw_express_discard(container_of(to_rcu_work(work),
					 struct cgw_express_table, retire));
}

static unsigned int cgw_express_count(const struct cgw_source *source,
				      const struct cgw_rule *old,
				      const struct cgw_rule *new)
{
	unsigned int count = new && new->express.on;
	struct cgw_rule *rule;

	if (!source)
		return count;
	hlist_for_each_entry(rule, &source->rules, source_node) {
		count += rule != old && rule->express.on;
		cond_resched();
	}
	return count;
}

static struct cgw_express_table *cgw_express_table_alloc(struct net_device *dev,
							 unsigned int count)
{
	struct cgw_express_table *table;

	table = kvzalloc(struct_size(table, entry, count), GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	table->rules.receive = cgw_express_receive;
	table->dev = dev;
	INIT_RCU_WORK(&table->retire, cgw_express_free_work);
	return table;
}

static void cgw_express_add(struct cgw_express_table *table, struct cgw_rule *rule)
{
	if (rule && rule->express.on)
		table->entry[table->left++].rule = rule;
}

/* From the oldest to the newest, as the filter index calls them */
static void cgw_express_fill(struct cgw_express_table *table,
			     const struct cgw_source *source,
			     const struct cgw_rule *old, struct cgw_rule *new)
{
	struct cgw_rule *rule = source ? cgw_source_oldest(source) : NULL;

	for (; rule; rule = cgw_source_newer(source, rule))
		cgw_express_add(table, rule == old ? new : rule);
	if (!old)
		cgw_express_add(table, new);
	table->count = table->left;
}

static int cgw_express_build(struct cgw_express_table *table,
			     struct cgw_express_refused *refused)
{
	struct cgw_express_filter *filters;
	struct cgw_express_refusal refusal = { };
	unsigned int i;
	int err;

	filters = kvmalloc_array(table->count, sizeof(*filters), GFP_KERNEL_ACCOUNT);
	if (!filters)
		return -ENOMEM;
	for (i = 0; i < table->count; i++) {
		filters[i].filter = table->entry[i].rule->key.filter;
		filters[i].data = &table->entry[i];
	}
	err = cgw_express_index_build(filters, table->count, &table->index, &refusal);
	kvfree(filters);
	if (!err || !refusal.limit)
		return err;
	refused->limit = refusal.limit;
	refused->filter = table->entry[refusal.filter].rule->key.filter;
	refused->other = table->entry[refusal.other].rule->key.filter;
	return err;
}

/**
 * cgw_express_make() - make the table of express rules of a source device
 * @source: its rules, or NULL if it has none
 * @dev: source device
 * @old: rule of @source that is left out, or NULL
 * @new: rule in its place, or without one, behind all others; or NULL
 * @table: set to the table, which is not attached; NULL without express rules
 * @refused: filled in if the rules exceed a limit
 *
 * The cost is proportional to the rules of the source; see cgw_express_index_build().
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: 0, -ENOMEM, or the error of cgw_express_index_build().
 */
int cgw_express_make(const struct cgw_source *source, struct net_device *dev,
		     struct cgw_rule *old, struct cgw_rule *new,
		     struct cgw_express_table **table,
		     struct cgw_express_refused *refused)
{
	unsigned int count = cgw_express_count(source, old, new);
	int err;

	*table = NULL;
	if (!count)
		return 0;
	if (count > CGW_EXPRESS_RULES) {
		refused->limit = CGW_EXPRESS_LIMIT_RULES;
		return -ENOSPC;
	}
	*table = cgw_express_table_alloc(dev, count);
	if (!*table)
		return -ENOMEM;
	cgw_express_fill(*table, source, old, new);
	err = cgw_express_build(*table, refused);
	if (err) {
		cgw_express_discard(*table);
		*table = NULL;
	}
	return err;
}

/* Free a table that no interrupt uses, or NULL. Context: Process context. */
void cgw_express_discard(struct cgw_express_table *table)
{
	if (!table)
		return;
	cgw_express_index_free(table->index);
	kvfree(table);
}

/* All frames that wait were received after the last change of a rule, and after 2^30 other
 * ones: it may as well have changed now.
 */
static void cgw_express_refresh_rule(struct cgw_rule *rule, u32 generation)
{
	s64 history = atomic64_read(&rule->express.history);
	u64 kept, before;

	do {
		kept = history & (HISTORY_ON | HISTORY_ORDINARY);
		before = history & HISTORY_ON ? HISTORY_BEFORE : 0;
		if (cgw_express_ago(history, generation) < HISTORY_REFRESH)
			return;
	} while (!atomic64_try_cmpxchg(&rule->express.history, &history,
				       FIELD_PREP(HISTORY_GENERATION, generation) |
				       kept | before));
}

/* Rules of a source do not become older than 2^31 generations: between two calls, there is a
 * change, and at most one switch of each of the express rules.
 */
static void cgw_express_refresh(struct cgw_express_port *port, struct cgw_source *source,
				u32 generation)
{
	struct cgw_rule *rule;

	if (generation - port->refreshed < HISTORY_REFRESH / 2)
		return;
	port->refreshed = generation;
	if (!source)
		return;
	hlist_for_each_entry(rule, &source->rules, source_node) {
		if (rule->was_express)
			cgw_express_refresh_rule(rule, generation);
		cond_resched();
	}
}

/* A source device gets its port. Context: Process context, under rtnl_lock(). */
void cgw_express_begin(struct cgw_express_port *port)
{
	atomic_set(&port->generation, cgw_express_gone);
	port->refreshed = cgw_express_gone;
}

/* It loses its port. Context: Process context, under rtnl_lock(). */
void cgw_express_end(struct net_device *dev, struct cgw_express_port *port)
{
	u32 generation = atomic_read(&port->generation);

	cgw_express_attach(dev, port, NULL);
	if (generation == cgw_express_gone)
		return;
	/* an interrupt that still has the table may draw one for each of its rules */
	generation += CGW_EXPRESS_RULES;
	if ((s32)(generation - cgw_express_gone) > 0)
		cgw_express_gone = generation;
}

/**
 * cgw_express_supersede() - begin to replace the express rules of a source device
 * @port: of the device
 * @source: its rules, or NULL if there are none
 * @table: express rules that will be attached, or NULL
 *
 * In the current table, no rule switches afterwards.
 *
 * Context: Process context, under rtnl_lock(). The caller attaches @table in any case.
 * Return: a new generation, that of @table.
 */
u32 cgw_express_supersede(struct cgw_express_port *port, struct cgw_source *source,
			  struct cgw_express_table *table)
{
	u32 generation;

	if (port->table)
		WRITE_ONCE(port->table->armed, false);
	/* Pairs with cgw_express_new_generation() in cgw_express_switch() */
	generation = cgw_express_new_generation(port);
	cgw_express_refresh(port, source, generation);
	if (table) {
		table->port = port;
		table->rules.generation = generation;
	}
	return generation;
}

/* A rule is an express rule, perhaps a pending one, or an ordinary one from a generation on.
 * Interrupts of a table that was superseded may switch it just before.
 */
static void cgw_express_set(struct cgw_rule *rule, bool on, u32 generation)
{
	struct cgw_express *express = &rule->express;
	s64 history = atomic64_read(&express->history);
	bool was = express->on;

	express->on = on;
	/* nobody switches an ordinary rule, and there may be no new generation */
	if (!on && !was)
		return;
	do {
		if (on && history & HISTORY_ON)
			return;
	} while (!atomic64_try_cmpxchg(&express->history, &history,
				       cgw_express_changed(history, false, generation)));
	WRITE_ONCE(rule->was_express, true);
}

/* Rules that interrupts have not routed by are pending in a table that will be attached. */
static void cgw_express_begin_pending(struct cgw_express_table *table)
{
	u32 received = can_get_ml_priv(table->dev)->express_ops->received(table->dev);
	struct cgw_express_entry *entry;
	unsigned int i;

	for (i = 0; i < table->count; i++) {
		entry = &table->entry[i];
		cgw_express_set(entry->rule, true, table->rules.generation);
		entry->pending = !(atomic64_read(&entry->rule->express.history) & HISTORY_ON);
		/* cgw_express_arm() takes care of the frames before */
		entry->last = received - 1;
	}
}

/**
 * cgw_express_attach() - offer the frames of a device to other express rules
 * @dev: source device
 * @port: of the device
 * @table: passed to cgw_express_supersede(), or NULL; rules that are only in the former table
 *	may be freed after an RCU grace period that begins after this returns
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_express_attach(struct net_device *dev,
			struct cgw_express_port *port,
			struct cgw_express_table *table)
{
	struct cgw_express_table *old = port->table;

	if (!old && !table)
		return;
	if (table)
		cgw_express_begin_pending(table);
	can_get_ml_priv(dev)->express_ops->attach(dev, table ? &table->rules : NULL);
	port->table = table;
	if (old)
		cgw_retire(&old->retire);
}

/**
 * cgw_express_arm() - let pending rules switch
 * @port: softirqs use the rules that are attached, if there are any
 *
 * Frames that are in the ring may have been offered to another table, which has not noted
 * their position, or were received when there was none.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_express_arm(struct cgw_express_port *port)
{
	struct cgw_express_table *table = port->table;

	if (!table)
		return;
	table->since = can_get_ml_priv(table->dev)->express_ops->received(table->dev) - 1;
	/* Pairs with smp_load_acquire() in cgw_express_switch() */
	smp_store_release(&table->armed, true);
}

/* Remove a rule, which may be freed after an RCU grace period. It needs no memory. */
void cgw_express_remove(struct cgw_express_port *port, const struct cgw_rule *rule)
{
	struct cgw_express_table *table = port->table;
	unsigned int i;

	for (i = 0; i < table->count; i++) {
		if (table->entry[i].rule != rule)
			continue;
		WRITE_ONCE(table->entry[i].rule, NULL);
		table->left--;
		return;
	}
}

/* Were all rules removed? */
bool cgw_express_unused(const struct cgw_express_port *port)
{
	return !port->table->left;
}

/**
 * cgw_express_follow() - let a rule go on where another one ends
 * @new: rule that is about to replace @old
 * @old: rule of the same source
 * @generation: from cgw_express_supersede(), for the rules that will be attached with @new
 *
 * Softirqs route by @old until @new is in its place: both know which frames interrupts have
 * routed, and will route with these express rules. If @old is an ordinary rule, or pending,
 * then an express rule @new is pending.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_express_follow(struct cgw_rule *new, struct cgw_rule *old, u32 generation)
{
	bool on = new->express.on;

	if (!on && !old->was_express)
		return;
	cgw_express_set(old, on, generation);
	/* no interrupt switches the old one any more */
	atomic64_set(&new->express.history, atomic64_read(&old->express.history));
	WRITE_ONCE(new->was_express, true);
}

/**
 * cgw_express_replace() - the same for a rule that keeps its counters
 * @rule: in a table
 * @new: rule that is about to replace it, perhaps with other contents
 * @generation: from cgw_express_supersede(), for the rules that will be attached with @new
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_express_replace(struct cgw_rule *rule, struct cgw_rule *new, u32 generation)
{
	if (rule->express.flow) {
		cgw_express_exit(&new->express);
		new->express.flow = rule->express.flow;
		refcount_inc(&new->express.flow->refs);
	}
	cgw_express_follow(new, rule, generation);
}

#endif /* CAN_GW_EXPRESS */
