// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Express rules: contexts are described in gw_express.h. */
#include <kunit/visibility.h>
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/can/can-ml.h>
#include <linux/can/express.h>
#include <linux/can/gw.h>
#include <linux/minmax.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "gw_express.h"
#include "gw_mod.h"
#include "gw_netlink.h"
#include "gw_stats.h"
#include "gw_table.h"

#ifdef CAN_GW_EXPRESS

/**
 * struct cgw_express_table - the express rules of a source device
 * @rules: for the driver
 * @index: finds the rules for a frame; its data are pointers to elements of @rule
 * @dev: source device
 * @left: number of rules that were not removed
 * @count: number of elements of @rule
 * @retire: frees the table
 * @rule: the rules, the oldest first; NULL if it was removed
 */
struct cgw_express_table {
	struct can_express_rules rules;
	struct cgw_express_index *index;
	struct net_device *dev;
	unsigned int left;
	unsigned int count;
	struct rcu_work retire;
	struct cgw_rule *rule[];
};

/* That of the last table, or the last end of one; protected by rtnl_lock() */
static u32 cgw_express_last;

/* What softirqs have to know of a rule is in one word, cgw_express.history: the generation
 * of its last change, whether it is an express rule since then, whether it has been an
 * ordinary one, and in which of the generations before it was an express rule, the youngest
 * in bit 0. Earlier ones count like the oldest of them; no frame waits for so many changes.
 */
#define HISTORY_GENERATION	GENMASK_ULL(63, 32)
#define HISTORY_ON		BIT_ULL(31)
#define HISTORY_ORDINARY	BIT_ULL(30)
#define HISTORY_BITS		30
#define HISTORY_BEFORE		GENMASK_ULL(HISTORY_BITS - 1, 0)

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
	ago = FIELD_GET(HISTORY_GENERATION, history) - mark;
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
	const struct cgw_mod *mod = rcu_dereference(rule->mod);
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

static void cgw_express_receive(struct can_express_rules *rules,
				const struct can_frame *frame)
{
	struct cgw_express_table *table =
		container_of(rules, struct cgw_express_table, rules);
	void *data[CGW_EXPRESS_HITS];
	unsigned int i, hits;
	struct cgw_rule *rule;

	hits = cgw_express_index_find(table->index, frame->can_id, data);
	for (i = 0; i < hits; i++) {
		rule = READ_ONCE(*(struct cgw_rule **)data[i]);
		if (rule)
			cgw_express_send(table, rule, frame);
	}
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
	hlist_for_each_entry(rule, &source->rules, source_node)
		count += rule != old && rule->express.on;
	return count;
}

/**
 * cgw_express_generation() - the generation of express rules
 * @table: from cgw_express_make(), or NULL
 *
 * Context: Process context, under rtnl_lock().
 * Return: that of @table; without one, a new generation.
 */
u32 cgw_express_generation(const struct cgw_express_table *table)
{
	if (table)
		return table->rules.generation;
	cgw_express_last++;
	if (cgw_express_last == CAN_EXPRESS_ECHO)
		cgw_express_last = 1;
	return cgw_express_last;
}

static struct cgw_express_table *cgw_express_table_alloc(struct net_device *dev,
							 unsigned int count)
{
	struct cgw_express_table *table;

	table = kvzalloc(struct_size(table, rule, count), GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	table->rules.receive = cgw_express_receive;
	table->rules.generation = cgw_express_generation(NULL);
	table->dev = dev;
	INIT_RCU_WORK(&table->retire, cgw_express_free_work);
	return table;
}

static void cgw_express_add(struct cgw_express_table *table, struct cgw_rule *rule)
{
	if (rule && rule->express.on)
		table->rule[table->left++] = rule;
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
		filters[i].filter = table->rule[i]->key.filter;
		filters[i].data = &table->rule[i];
	}
	err = cgw_express_index_build(filters, table->count, &table->index, &refusal);
	kvfree(filters);
	if (!err || !refusal.limit)
		return err;
	refused->limit = refusal.limit;
	refused->filter = table->rule[refusal.filter]->key.filter;
	refused->other = table->rule[refusal.other]->key.filter;
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

/**
 * cgw_express_attach() - offer the frames of a device to other express rules
 * @dev: source device
 * @current_table: those that they are offered to, NULL for none; set to @table
 * @table: from cgw_express_make(), or NULL; rules that are only in the former table may be
 *	freed after an RCU grace period that begins after this returns
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_express_attach(struct net_device *dev,
			struct cgw_express_table **current_table,
			struct cgw_express_table *table)
{
	struct cgw_express_table *old = *current_table;

	if (!old && !table)
		return;
	can_get_ml_priv(dev)->express_ops->attach(dev, table ? &table->rules : NULL);
	*current_table = table;
	if (old)
		cgw_retire(&old->retire);
}

/* Remove a rule, which may be freed after an RCU grace period. It needs no memory. */
void cgw_express_remove(struct cgw_express_table *table,
			const struct cgw_rule *rule)
{
	unsigned int i;

	for (i = 0; i < table->count; i++) {
		if (table->rule[i] != rule)
			continue;
		WRITE_ONCE(table->rule[i], NULL);
		table->left--;
		return;
	}
}

/* Were all rules removed? */
bool cgw_express_unused(const struct cgw_express_table *table)
{
	return !table->left;
}

static void cgw_express_set(struct cgw_rule *rule, bool on, u32 generation)
{
	struct cgw_express *express = &rule->express;
	u64 history = atomic64_read(&express->history);
	bool was = history & HISTORY_ON;
	u64 before = was ? HISTORY_BEFORE : 0;
	u32 ago;

	express->on = on;
	if (was == on)
		return;
	ago = generation - FIELD_GET(HISTORY_GENERATION, history);
	if (ago < HISTORY_BITS)
		before = (history & HISTORY_BEFORE) << ago | (before & (BIT_ULL(ago) - 1));
	history = FIELD_PREP(HISTORY_GENERATION, generation) | (before & HISTORY_BEFORE) |
		  HISTORY_ORDINARY | (on ? HISTORY_ON : 0);
	atomic64_set(&express->history, history);
	WRITE_ONCE(rule->was_express, true);
}

/**
 * cgw_express_follow() - let a rule go on where an equal one ends
 * @new: rule that is about to replace @old
 * @old: rule with the same contents
 * @generation: of the express rules that will be attached with @new
 *
 * Softirqs route by @old until @new is in its place: both know which frames interrupts have
 * routed, and will route with these express rules.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_express_follow(struct cgw_rule *new, struct cgw_rule *old, u32 generation)
{
	bool on = new->express.on;

	if (!on && !old->was_express)
		return;
	atomic64_set(&new->express.history, atomic64_read(&old->express.history));
	new->was_express = true;
	cgw_express_set(new, on, generation);
	cgw_express_set(old, on, generation);
}

/**
 * cgw_express_replace() - the same for a rule that keeps its counters
 * @rule: in a table
 * @new: rule that is about to replace it, perhaps with other contents
 * @generation: of the express rules that will be attached with @new
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
