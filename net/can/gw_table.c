// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Tables of gateway rules: contexts are described in gw_table.h. */
#include <kunit/visibility.h>
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "gw_table.h"
#include "rcvhash.h"

/* Keys are hashed in words and have no padding. */
static_assert(sizeof(struct cgw_key) == 5 * sizeof(u32));

static struct kmem_cache *cgw_rule_cache __read_mostly;

/* Frees sources, which may have very many rules. */
static struct workqueue_struct *cgw_retire_wq __read_mostly;

static bool cgw_rule_is_xl(const struct cgw_rule *rule)
{
	return rule->key.frames == CGW_FRAMES_XL;
}

/* Random, so that userspace cannot choose keys with equal hashes. */
static u32 cgw_key_seed __read_mostly;

static u32 cgw_uid_hash(u32 uid)
{
	return jhash_1word(uid, cgw_key_seed);
}

static u32 cgw_key_hash(const struct cgw_key *key, const struct cgw_mod *mod)
{
	u32 uid = cgw_mod_uid(mod);

	if (uid)
		return cgw_uid_hash(uid);
	return jhash2((const u32 *)key, sizeof(*key) / sizeof(u32),
		      cgw_mod_hash(mod) ^ cgw_key_seed);
}

static u32 cgw_key_node_hash(const struct hlist_node *node)
{
	return container_of(node, struct cgw_rule, key_node)->hash;
}

static u32 cgw_handle_hash(u64 handle)
{
	return hash_64(handle, 32);
}

static u32 cgw_handle_node_hash(const struct hlist_node *node)
{
	struct cgw_rule *rule;

	rule = container_of(node, struct cgw_rule, handle_node);
	return cgw_handle_hash(rule->handle);
}

static u32 cgw_source_hash(const struct net_device *dev)
{
	return hash_ptr(dev, 32);
}

static u32 cgw_source_node_hash(const struct hlist_node *node)
{
	struct cgw_source *source;

	source = container_of(node, struct cgw_source, hash_node);
	return cgw_source_hash(source->dev);
}

/**
 * cgw_rule_alloc() - allocate a rule
 * @key: key of the rule
 * @mod: modification or NULL; the rule takes ownership on success
 * @src: source device, @key->src_idx
 * @dst: destination device, @key->dst_idx
 *
 * Context: Process context, may sleep.
 * Return: the rule, which is in no table yet; NULL without memory.
 */
struct cgw_rule *cgw_rule_alloc(const struct cgw_key *key, struct cgw_mod *mod,
				struct net_device *src, struct net_device *dst)
{
	struct cgw_rule *rule = kmem_cache_zalloc(cgw_rule_cache, GFP_KERNEL);

	if (!rule)
		return NULL;
	rule->stats = cgw_stats_alloc(&rule->block);
	if (!rule->stats) {
		kmem_cache_free(cgw_rule_cache, rule);
		return NULL;
	}
	rule->key = *key;
	rule->src = src;
	rule->dst = dst;
	rule->hash = cgw_key_hash(key, mod);
	RCU_INIT_POINTER(rule->mod, mod);
	return rule;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_rule_alloc);

/**
 * cgw_rule_free() - free a rule with its modification, name and counters
 * @rule: not visible to readers
 *
 * Context: Any context but hardirq.
 */
void cgw_rule_free(struct cgw_rule *rule)
{
	kfree(rcu_access_pointer(rule->mod));
	kfree(rule->name);
	cgw_express_exit(&rule->express);
	if (!rule->replaced) {
		kfree(rule->base);
		cgw_stats_free(rule->block, rule->stats);
	}
	kmem_cache_free(cgw_rule_cache, rule);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_rule_free);

static void cgw_rule_free_rcu(struct rcu_head *head)
{
	cgw_rule_free(container_of(head, struct cgw_rule, rcu));
}

/**
 * cgw_rule_stats() - read the counters of a rule
 * @rule: rule
 * @sum: counter of each enum cgw_event since the last cgw_rule_reset_stats()
 *
 * Context: Under rtnl_lock() or rcu_read_lock(); frames may be counted
 * concurrently.
 */
void cgw_rule_stats(const struct cgw_rule *rule, u64 sum[CGW_EV_COUNT])
{
	/* Pairs with smp_store_release() in cgw_rule_reset_stats(): the
	 * counters are read after the base, so they are not less than it.
	 */
	const struct cgw_stats_base *base = smp_load_acquire(&rule->base);
	int i;

	cgw_stats_read(rule->stats, sum);
	cgw_express_add_stats(&rule->express, sum);
	for (i = 0; base && i < CGW_EV_COUNT; i++)
		sum[i] -= base->count[i];
}
EXPORT_SYMBOL_IF_KUNIT(cgw_rule_stats);

/**
 * cgw_rule_reset_stats() - subtract values from the counters of a rule
 * @rule: in a table
 * @sum: values that cgw_rule_stats() has just returned; frames counted since
 *	then stay counted
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: 0 or -ENOMEM. Nothing changes on error.
 */
int cgw_rule_reset_stats(struct cgw_rule *rule, const u64 sum[CGW_EV_COUNT])
{
	struct cgw_stats_base *old = rule->base, *new;
	int i;

	new = kmalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	for (i = 0; i < CGW_EV_COUNT; i++)
		new->count[i] = sum[i] + (old ? old->count[i] : 0);
	/* Pairs with smp_load_acquire() in cgw_rule_stats(): @sum was read
	 * before the base is visible.
	 */
	smp_store_release(&rule->base, new);
	kfree_rcu(old, rcu);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_rule_reset_stats);

/**
 * cgw_rule_change() - replace the modification of a rule
 * @rule: in a table; its modification has a uid
 * @mod: has the same uid; the rule takes ownership
 *
 * A frame that is routed concurrently is modified by either of them.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_rule_change(struct cgw_rule *rule, struct cgw_mod *mod)
{
	struct cgw_mod *old = cgw_rule_mod(rule);

	rcu_assign_pointer(rule->mod, mod);
	kfree_rcu(old, rcu);
}

/**
 * cgw_table_source() - find the rules of a source device
 * @table: table
 * @dev: source device
 *
 * Context: Process context, under rtnl_lock().
 * Return: the rules, or NULL if there are none.
 */
struct cgw_source *cgw_table_source(struct cgw_table *table,
				    const struct net_device *dev)
{
	struct hlist_head *head = can_rcv_hash_head(&table->sources,
						    cgw_source_hash(dev));
	struct cgw_source *source;

	hlist_for_each_entry(source, head, hash_node)
		if (source->dev == dev)
			return source;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_table_source);

/* Runs after an RCU grace period: there are no readers. */
static void cgw_source_free_work(struct work_struct *work)
{
	struct cgw_source *source = container_of(to_rcu_work(work),
						 struct cgw_source, retire);
	struct cgw_rule *rule;
	struct hlist_node *next;

	can_rcvlist_clear(&source->index);
	hlist_for_each_entry_safe(rule, next, &source->rules, source_node) {
		cgw_rule_free(rule);
		cond_resched();
	}
	kvfree(source);
}

static struct cgw_source *cgw_source_alloc(const struct cgw_table *table,
					   struct net_device *dev)
{
	struct cgw_source *source = kvzalloc(sizeof(*source),
					     GFP_KERNEL_ACCOUNT);

	if (!source)
		return NULL;
	source->route = table->route;
	source->dev = dev;
	can_rcvlist_set_owner(&source->index, table->owner, __GFP_ACCOUNT);
	INIT_RCU_WORK(&source->retire, cgw_source_free_work);
	return source;
}

static void cgw_source_link(struct cgw_table *table, struct cgw_source *source)
{
	can_rcv_hash_add(&table->sources, &source->hash_node,
			 cgw_source_node_hash);
	hlist_add_head(&source->list, &table->source_list);
}

static void cgw_source_unlink(struct cgw_table *table,
			      struct cgw_source *source)
{
	can_rcv_hash_del(&table->sources, &source->hash_node,
			 cgw_source_node_hash);
	hlist_del(&source->list);
}

/* Run @work after an RCU grace period. Context: any. */
void cgw_retire(struct rcu_work *work)
{
	queue_rcu_work(cgw_retire_wq, work);
}

/* The last call of a writer: @source is freed after an RCU grace period. */
static void cgw_source_retire(struct cgw_source *source)
{
	can_rcvlist_retire(&source->index);
	cgw_retire(&source->retire);
}

static int cgw_source_insert(struct cgw_source *source, struct cgw_rule *rule)
{
	int err = can_rcvlist_insert(&source->index, rule->key.filter.can_id,
				     rule->key.filter.can_mask, source->route,
				     rule, "gw", NULL);

	if (!err)
		source->count++;
	return err;
}

static void cgw_rule_link_hashes(struct cgw_table *table, struct cgw_rule *rule)
{
	can_rcv_hash_add(&table->keys, &rule->key_node, cgw_key_node_hash);
	can_rcv_hash_add(&table->handles, &rule->handle_node,
			 cgw_handle_node_hash);
	table->count++;
	table->xl += cgw_rule_is_xl(rule);
}

static void cgw_rule_unlink_hashes(struct cgw_table *table,
				   struct cgw_rule *rule)
{
	can_rcv_hash_del(&table->keys, &rule->key_node, cgw_key_node_hash);
	can_rcv_hash_del(&table->handles, &rule->handle_node,
			 cgw_handle_node_hash);
	table->count--;
	table->xl -= cgw_rule_is_xl(rule);
}

/**
 * cgw_table_add() - add a rule
 * @table: table
 * @rule: from cgw_rule_alloc(), with a handle above all others of the table
 *
 * If readers see the source of the rule, they see the rule before this returns.
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: 0 or -ENOMEM. Nothing changes on error.
 */
int cgw_table_add(struct cgw_table *table, struct cgw_rule *rule)
{
	struct cgw_source *source = cgw_table_source(table, rule->src);
	int err;

	if (!source) {
		source = cgw_source_alloc(table, rule->src);
		if (!source)
			return -ENOMEM;
		cgw_source_link(table, source);
	}
	err = cgw_source_insert(source, rule);
	if (err) {
		if (cgw_source_empty(source)) {
			cgw_source_unlink(table, source);
			kvfree(source);
		}
		return err;
	}
	rule->source = source;
	hlist_add_head(&rule->source_node, &source->rules);
	cgw_rule_link_hashes(table, rule);
	hlist_add_head_rcu(&rule->table_node, &table->rules);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_table_add);

static void cgw_rule_unlink(struct cgw_table *table, struct cgw_rule *rule)
{
	cgw_rule_unlink_hashes(table, rule);
	hlist_del_rcu(&rule->table_node);
}

/**
 * cgw_table_del() - remove a rule
 * @table: table
 * @rule: in @table; is freed after an RCU grace period
 *
 * An empty source stays in the table. The caller hides it from readers and then
 * calls cgw_table_drop().
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_table_del(struct cgw_table *table, struct cgw_rule *rule)
{
	struct cgw_source *source = rule->source;

	can_rcvlist_remove(&source->index, rule->key.filter.can_id,
			   rule->key.filter.can_mask, source->route, rule);
	source->count--;
	hlist_del(&rule->source_node);
	cgw_rule_unlink(table, rule);
	call_rcu(&rule->rcu, cgw_rule_free_rcu);
}

/**
 * cgw_rule_transfer_state() - move counters and handle of a rule to another one
 * @new: from cgw_rule_alloc(), not visible to readers yet
 * @rule: in a table; the caller replaces it by @new next
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_rule_transfer_state(struct cgw_rule *new, struct cgw_rule *rule)
{
	cgw_stats_free(new->block, new->stats);
	new->block = rule->block;
	new->stats = rule->stats;
	new->base = rule->base;
	new->handle = rule->handle;
	rule->replaced = true;
}

/* Move @rule after the newer rules of its bucket, which are found first. */
static void cgw_rule_sort_key(struct cgw_table *table, struct cgw_rule *rule)
{
	struct hlist_head *head = can_rcv_hash_head(&table->keys, rule->hash);
	struct hlist_node *before = NULL;
	struct cgw_rule *each;

	hlist_del(&rule->key_node);
	hlist_for_each_entry(each, head, key_node) {
		if (each->handle < rule->handle)
			break;
		before = &each->key_node;
	}
	if (before)
		hlist_add_behind(&rule->key_node, before);
	else
		hlist_add_head(&rule->key_node, head);
}

static void cgw_table_replace_links(struct cgw_table *table,
				    struct cgw_rule *rule, struct cgw_rule *new)
{
	cgw_rule_unlink_hashes(table, rule);
	cgw_rule_link_hashes(table, new);
	cgw_rule_sort_key(table, new);
	hlist_replace_rcu(&rule->table_node, &new->table_node);
	call_rcu(&rule->rcu, cgw_rule_free_rcu);
}

/**
 * cgw_table_replace() - replace a rule by one with the same filter
 * @table: table
 * @rule: in @table; is freed after an RCU grace period
 * @new: from cgw_rule_alloc(), with filter and source of @rule; gets its
 *	counters and its handle
 *
 * Each frame is routed either by @rule or by @new.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_table_replace(struct cgw_table *table, struct cgw_rule *rule,
		       struct cgw_rule *new)
{
	struct cgw_source *source = rule->source;

	cgw_rule_transfer_state(new, rule);
	new->source = source;
	hlist_add_behind(&new->source_node, &rule->source_node);
	hlist_del(&rule->source_node);
	can_rcvlist_exchange(&source->index, rule->key.filter.can_id,
			     rule->key.filter.can_mask, source->route, rule,
			     new);
	cgw_table_replace_links(table, rule, new);
}

/* The newest rule of a source is the first of its list.
 *
 * Context: under rtnl_lock(). Return: the oldest one, or NULL.
 */
struct cgw_rule *cgw_source_oldest(const struct cgw_source *source)
{
	struct hlist_node *node = source->rules.first;

	while (node && node->next)
		node = node->next;
	return hlist_entry_safe(node, struct cgw_rule, source_node);
}

/* Context: under rtnl_lock(). Return: the next newer rule, or NULL. */
struct cgw_rule *cgw_source_newer(const struct cgw_source *source,
				  const struct cgw_rule *rule)
{
	struct hlist_node **before = rule->source_node.pprev;

	if (before == &source->rules.first)
		return NULL;
	return hlist_entry(container_of(before, struct hlist_node, next),
			   struct cgw_rule, source_node);
}

/**
 * cgw_source_refilter() - build a source in which one rule has another filter
 * @table: table
 * @rule: in @table
 * @new: from cgw_rule_alloc(), with the source of @rule
 *
 * The index of the returned source finds the rules of the source of @rule, with
 * @new instead of @rule. The source is not in the table yet: pass it to
 * cgw_table_refilter() or cgw_source_discard(). The cost is proportional to the
 * rules of the source.
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: the new source, NULL without memory.
 */
struct cgw_source *cgw_source_refilter(struct cgw_table *table,
				       struct cgw_rule *rule,
				       struct cgw_rule *new)
{
	struct cgw_source *old = rule->source, *source;
	struct cgw_rule *each;

	source = cgw_source_alloc(table, rule->src);
	if (!source)
		return NULL;
	for (each = cgw_source_oldest(old); each;
	     each = cgw_source_newer(old, each)) {
		cond_resched();
		if (!cgw_source_insert(source, each == rule ? new : each))
			continue;
		cgw_source_discard(source);
		return NULL;
	}
	return source;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_source_refilter);

/**
 * cgw_source_discard() - free a source that is in no table
 * @source: from cgw_source_refilter(), never visible to readers
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 */
void cgw_source_discard(struct cgw_source *source)
{
	can_rcvlist_retire(&source->index);
	can_rcvlist_clear(&source->index);
	kvfree(source);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_source_discard);

/**
 * cgw_table_refilter() - replace a rule by one with another filter
 * @table: table
 * @rule: in @table; is freed after an RCU grace period
 * @new: rule passed to cgw_source_refilter() and to cgw_rule_transfer_state()
 * @source: from cgw_source_refilter(); readers see it already instead of the
 *	source of @rule
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_table_refilter(struct cgw_table *table, struct cgw_rule *rule,
			struct cgw_rule *new, struct cgw_source *source)
{
	struct cgw_source *old = rule->source;
	struct cgw_rule *each;

	hlist_add_behind(&new->source_node, &rule->source_node);
	hlist_del(&rule->source_node);
	hlist_move_list(&old->rules, &source->rules);
	hlist_for_each_entry(each, &source->rules, source_node)
		each->source = source;
	cgw_source_unlink(table, old);
	cgw_source_link(table, source);
	cgw_table_replace_links(table, rule, new);
	cgw_source_retire(old);
}

/**
 * cgw_table_move() - move a source with its rules to another table
 * @to: table without a source for this device
 * @from: table that has no readers
 * @source: of @from
 * @handle: not below any handle of @to; the rules get the following ones, from
 *	the oldest to the newest
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_table_move(struct cgw_table *to, struct cgw_table *from,
		    struct cgw_source *source, u64 handle)
{
	struct cgw_rule *rule;

	cgw_source_unlink(from, source);
	for (rule = cgw_source_oldest(source); rule;
	     rule = cgw_source_newer(source, rule)) {
		cgw_rule_unlink(from, rule);
		rule->handle = ++handle;
		cgw_rule_link_hashes(to, rule);
		hlist_add_head_rcu(&rule->table_node, &to->rules);
		cond_resched();
	}
	cgw_source_link(to, source);
}

/**
 * cgw_table_find() - find a rule by its contents
 * @table: table
 * @key: key of the rule
 * @mod: modification with the same uid; without uid, from an equal request; or
 *	NULL
 *
 * Context: Process context, under rtnl_lock().
 * Return: the newest such rule, or NULL.
 */
struct cgw_rule *cgw_table_find(struct cgw_table *table,
				const struct cgw_key *key,
				const struct cgw_mod *mod)
{
	u32 hash = cgw_key_hash(key, mod), uid = cgw_mod_uid(mod);
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, can_rcv_hash_head(&table->keys, hash),
			     key_node) {
		const struct cgw_mod *rule_mod = cgw_rule_mod(rule);

		if (rule->hash != hash || memcmp(&rule->key, key, sizeof(*key)))
			continue;
		if (uid || cgw_mod_uid(rule_mod) ?
		    uid == cgw_mod_uid(rule_mod) : cgw_mod_same(mod, rule_mod))
			return rule;
	}
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_table_find);

/**
 * cgw_table_find_uid() - find a rule by the uid of its modification
 * @table: table
 * @uid: uid, not 0
 *
 * Context: Process context, under rtnl_lock().
 * Return: the rule, or NULL.
 */
struct cgw_rule *cgw_table_find_uid(struct cgw_table *table, u32 uid)
{
	struct cgw_rule *rule;
	struct hlist_head *head;

	head = can_rcv_hash_head(&table->keys, cgw_uid_hash(uid));
	hlist_for_each_entry(rule, head, key_node)
		if (cgw_mod_uid(cgw_rule_mod(rule)) == uid)
			return rule;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_table_find_uid);

/* Return: the rule, or NULL. Context: Process context, under rtnl_lock(). */
struct cgw_rule *cgw_table_find_handle(struct cgw_table *table, u64 handle)
{
	struct cgw_rule *rule;
	struct hlist_head *head;

	head = can_rcv_hash_head(&table->handles, cgw_handle_hash(handle));
	hlist_for_each_entry(rule, head, handle_node)
		if (rule->handle == handle)
			return rule;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_table_find_handle);

/**
 * cgw_table_next() - resume a walk over all rules, the newest first
 * @table: table
 * @handle: handle of the last rule visited, which may have been removed; 0 to
 *	start
 *
 * Context: Process context, under rtnl_lock().
 * Return: the next rule, NULL at the end.
 */
struct cgw_rule *cgw_table_next(struct cgw_table *table, u64 handle)
{
	struct cgw_rule *rule = cgw_table_find_handle(table, handle);

	if (rule)
		return cgw_rule_next(rule);
	hlist_for_each_entry(rule, &table->rules, table_node)
		if (!handle || rule->handle < handle)
			return rule;
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_table_next);

/**
 * cgw_table_drop() - remove a source with its rules
 * @table: table
 * @source: of @table; hidden from new readers, is freed after an RCU grace
 *	period
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 */
void cgw_table_drop(struct cgw_table *table, struct cgw_source *source)
{
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &source->rules, source_node) {
		cgw_rule_unlink(table, rule);
		cond_resched();
	}
	cgw_source_unlink(table, source);
	cgw_source_retire(source);
}

/**
 * cgw_table_clear() - remove all rules
 * @table: table whose sources are hidden from new readers; they are freed after
 *	an RCU grace period
 *
 * The cost is proportional to the number of sources.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_table_clear(struct cgw_table *table)
{
	struct cgw_source *source;
	struct hlist_node *next;

	/* the rules stay linked for readers that are walking the list */
	rcu_assign_pointer(hlist_first_rcu(&table->rules), NULL);
	can_rcv_hash_clear(&table->keys);
	can_rcv_hash_clear(&table->handles);
	can_rcv_hash_clear(&table->sources);
	hlist_for_each_entry_safe(source, next, &table->source_list, list)
		cgw_source_retire(source);
	INIT_HLIST_HEAD(&table->source_list);
	table->count = 0;
	table->xl = 0;
}

/**
 * cgw_table_alloc() - allocate an empty table
 * @route: called for each rule that matches a frame, with the rule as data
 * @owner: owner of the filter indexes; NULL if they are resized only when rules
 *	change
 *
 * Context: Process context, may sleep.
 * Return: the table, NULL without memory.
 */
struct cgw_table *cgw_table_alloc(void (*route)(struct sk_buff *skb, void *rule),
				  struct can_rcv_owner *owner)
{
	struct cgw_table *table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);

	if (!table)
		return NULL;
	table->route = route;
	table->owner = owner;
	table->keys.gfp = __GFP_ACCOUNT;
	table->handles.gfp = __GFP_ACCOUNT;
	table->sources.gfp = __GFP_ACCOUNT;
	return table;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_table_alloc);

/**
 * cgw_table_free() - free a table with all its rules
 * @table: hidden from new readers; is freed after an RCU grace period
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_table_free(struct cgw_table *table)
{
	cgw_table_clear(table);
	kfree_rcu(table, rcu);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_table_free);

/* Module initialization. Return: 0 or -ENOMEM. */
int cgw_table_init(void)
{
	cgw_key_seed = get_random_u32();
	cgw_rule_cache = kmem_cache_create("can_gw", sizeof(struct cgw_rule), 0,
					   SLAB_ACCOUNT, NULL);
	if (!cgw_rule_cache)
		return -ENOMEM;
	cgw_retire_wq = alloc_workqueue("can_gw", WQ_UNBOUND, 0);
	if (!cgw_retire_wq) {
		kmem_cache_destroy(cgw_rule_cache);
		return -ENOMEM;
	}
	return 0;
}

/* Module exit, without tables: waits for rules and sources that are being
 * freed.
 */
void cgw_table_exit(void)
{
	/* queue_rcu_work() queues the work in an RCU callback */
	rcu_barrier();
	destroy_workqueue(cgw_retire_wq);
	kmem_cache_destroy(cgw_rule_cache);
}
