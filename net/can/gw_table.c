// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Tables of gateway rules: what they promise, and who runs in which context, is
 * said in gw_table.h.
 */
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

/* Keys are hashed in words, and no byte of them is undefined. */
static_assert(sizeof(struct cgw_key) == 5 * sizeof(u32));

static struct kmem_cache *rules __read_mostly;

/* A source with very many rules takes its time to be freed. */
static struct workqueue_struct *retired __read_mostly;

static bool is_xl(const struct cgw_rule *rule)
{
	return rule->key.frames == CGW_FRAMES_XL;
}

/* Nobody can choose rules of the same hash. */
static u32 key_seed __read_mostly;

static u32 uid_hash(u32 uid)
{
	return jhash_1word(uid, key_seed);
}

static u32 key_hash(const struct cgw_key *key, const struct cgw_mod *mod)
{
	u32 uid = cgw_mod_uid(mod);

	if (uid)
		return uid_hash(uid);
	return jhash2((const u32 *)key, sizeof(*key) / sizeof(u32),
		      cgw_mod_hash(mod) ^ key_seed);
}

static u32 key_value(const struct hlist_node *node)
{
	return container_of(node, struct cgw_rule, key_node)->hash;
}

static u32 handle_hash(u64 handle)
{
	return hash_64(handle, 32);
}

static u32 handle_value(const struct hlist_node *node)
{
	return handle_hash(container_of(node, struct cgw_rule, handle_node)->handle);
}

static u32 device_hash(const struct net_device *dev)
{
	return hash_ptr(dev, 32);
}

static u32 source_value(const struct hlist_node *node)
{
	return device_hash(container_of(node, struct cgw_source, hash_node)->dev);
}

/**
 * cgw_rule_alloc() - make a rule
 * @key: what it is
 * @mod: what it does to frames, or NULL; belongs to the rule if there is one
 * @src: of @key
 * @dst: of @key
 *
 * Context: process, may sleep.
 * Return: the rule, which is in no table yet, or NULL without memory.
 */
struct cgw_rule *cgw_rule_alloc(const struct cgw_key *key, struct cgw_mod *mod,
				struct net_device *src, struct net_device *dst)
{
	struct cgw_rule *rule = kmem_cache_zalloc(rules, GFP_KERNEL);

	if (!rule)
		return NULL;
	rule->stats = cgw_stats_alloc(&rule->block);
	if (!rule->stats) {
		kmem_cache_free(rules, rule);
		return NULL;
	}
	rule->key = *key;
	rule->src = src;
	rule->dst = dst;
	rule->hash = key_hash(key, mod);
	RCU_INIT_POINTER(rule->mod, mod);
	return rule;
}

/**
 * cgw_rule_free() - free a rule, and what it does to frames
 * @rule: which no reader can find
 *
 * Context: any but hard interrupts.
 */
void cgw_rule_free(struct cgw_rule *rule)
{
	kfree(rcu_access_pointer(rule->mod));
	kfree(rule->name);
	if (!rule->replaced) {
		kfree(rule->base);
		cgw_stats_free(rule->block, rule->stats);
	}
	kmem_cache_free(rules, rule);
}

static void free_rule_rcu(struct rcu_head *head)
{
	cgw_rule_free(container_of(head, struct cgw_rule, rcu));
}

/**
 * cgw_rule_stats() - what a rule has counted
 * @rule: the rule
 * @sum: of each enum cgw_event, since the last cgw_rule_reset()
 *
 * Context: as a writer or under rcu_read_lock(), also while frames are counted.
 */
void cgw_rule_stats(const struct cgw_rule *rule, u64 sum[CGW_EV_COUNT])
{
	/* counters that are read after it are not less than it */
	const struct cgw_stats_base *base = smp_load_acquire(&rule->base);
	int i;

	cgw_stats_read(rule->stats, sum);
	for (i = 0; base && i < CGW_EV_COUNT; i++)
		sum[i] -= base->count[i];
}

/**
 * cgw_rule_reset() - let a rule forget what it has counted
 * @rule: in a table
 * @sum: of cgw_rule_stats() just before; whatever has been counted since then, stays
 *
 * Context: process, as a writer, may sleep.
 * Return: 0, or -ENOMEM; then nothing has happened.
 */
int cgw_rule_reset(struct cgw_rule *rule, const u64 sum[CGW_EV_COUNT])
{
	struct cgw_stats_base *old = rule->base, *new;
	int i;

	new = kmalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return -ENOMEM;
	for (i = 0; i < CGW_EV_COUNT; i++)
		new->count[i] = sum[i] + (old ? old->count[i] : 0);
	/* pairs with cgw_rule_stats() */
	smp_store_release(&rule->base, new);
	kfree_rcu(old, rcu);
	return 0;
}

/**
 * cgw_rule_change() - let a rule do something else to frames
 * @rule: in a table; what it does now has a name
 * @mod: with the same name
 *
 * A frame that is routed at the same time is modified in the old or in the new way.
 *
 * Context: process, as a writer.
 */
void cgw_rule_change(struct cgw_rule *rule, struct cgw_mod *mod)
{
	struct cgw_mod *old = cgw_rule_mod(rule);

	rcu_assign_pointer(rule->mod, mod);
	kfree_rcu(old, rcu);
}

/**
 * cgw_table_source() - find the rules of a device
 * @table: to look into
 * @dev: which frames come from
 *
 * Context: process, as a writer.
 * Return: the rules, or NULL if there are none.
 */
struct cgw_source *cgw_table_source(struct cgw_table *table,
				    const struct net_device *dev)
{
	struct hlist_head *head = can_rcv_hash_head(&table->sources,
						    device_hash(dev));
	struct cgw_source *source;

	hlist_for_each_entry(source, head, hash_node)
		if (source->dev == dev)
			return source;
	return NULL;
}

/* The rules of a source may be 65,536. Readers are gone. */
static void free_source(struct work_struct *work)
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

static struct cgw_source *alloc_source(const struct cgw_table *table,
				       struct net_device *dev)
{
	struct cgw_source *source = kvzalloc(sizeof(*source),
					     GFP_KERNEL_ACCOUNT);

	if (!source)
		return NULL;
	source->route = table->route;
	source->dev = dev;
	can_rcvlist_set_owner(&source->index, table->owner, __GFP_ACCOUNT);
	INIT_RCU_WORK(&source->retire, free_source);
	return source;
}

static void link_source(struct cgw_table *table, struct cgw_source *source)
{
	can_rcv_hash_add(&table->sources, &source->hash_node, source_value);
	hlist_add_head(&source->list, &table->source_list);
}

static void unlink_source(struct cgw_table *table, struct cgw_source *source)
{
	can_rcv_hash_del(&table->sources, &source->hash_node);
	hlist_del(&source->list);
}

/* No writer changes it any more; it is freed when readers are gone. */
static void retire_source(struct cgw_source *source)
{
	can_rcvlist_retire(&source->index);
	queue_rcu_work(retired, &source->retire);
}

static int insert_rule(struct cgw_source *source, struct cgw_rule *rule)
{
	int err = can_rcvlist_insert(&source->index, rule->key.filter.can_id,
				     rule->key.filter.can_mask, source->route,
				     rule, "gw", NULL);

	if (!err)
		source->count++;
	return err;
}

static void link_rule(struct cgw_table *table, struct cgw_rule *rule)
{
	can_rcv_hash_add(&table->keys, &rule->key_node, key_value);
	can_rcv_hash_add(&table->handles, &rule->handle_node, handle_value);
	table->count++;
	table->xl += is_xl(rule);
}

static void unlink_hashes(struct cgw_table *table, struct cgw_rule *rule)
{
	can_rcv_hash_del(&table->keys, &rule->key_node);
	can_rcv_hash_del(&table->handles, &rule->handle_node);
	table->count--;
	table->xl -= is_xl(rule);
}

/**
 * cgw_table_add() - add a rule
 * @table: to add it to
 * @rule: of cgw_rule_alloc(), in no table, with a handle above all others
 *
 * If cgw_table_source() of its device has been made visible to readers, they see
 * the rule before this returns.
 *
 * Context: process, as a writer.
 * Return: 0, or -ENOMEM; then the table is as it was before.
 */
int cgw_table_add(struct cgw_table *table, struct cgw_rule *rule)
{
	struct cgw_source *source = cgw_table_source(table, rule->src);
	int err;

	if (!source) {
		source = alloc_source(table, rule->src);
		if (!source)
			return -ENOMEM;
		link_source(table, source);
	}
	err = insert_rule(source, rule);
	if (err) {
		if (cgw_source_empty(source)) {
			unlink_source(table, source);
			kvfree(source);
		}
		return err;
	}
	rule->source = source;
	hlist_add_head(&rule->source_node, &source->rules);
	link_rule(table, rule);
	hlist_add_head_rcu(&rule->table_node, &table->rules);
	return 0;
}

static void unlink_rule(struct cgw_table *table, struct cgw_rule *rule)
{
	unlink_hashes(table, rule);
	hlist_del_rcu(&rule->table_node);
}

/**
 * cgw_table_del() - remove a rule
 * @table: which has it
 * @rule: is freed when no reader uses it any more
 *
 * Its source stays, and if that is empty it is for cgw_table_drop(), after it has
 * been hidden from readers.
 *
 * Context: process, as a writer.
 */
void cgw_table_del(struct cgw_table *table, struct cgw_rule *rule)
{
	struct cgw_source *source = rule->source;

	can_rcvlist_remove(&source->index, rule->key.filter.can_id,
			   rule->key.filter.can_mask, source->route, rule);
	source->count--;
	hlist_del(&rule->source_node);
	unlink_rule(table, rule);
	call_rcu(&rule->rcu, free_rule_rcu);
}

/**
 * cgw_rule_transfer_state() - let a rule have counters and handle of another one
 * @new: of cgw_rule_alloc(), which no reader can find yet
 * @rule: in a table, is replaced by @new next
 *
 * Context: process, as a writer.
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

/* Behind younger rules that are the same, which are to be found first */
static void place_by_key(struct cgw_table *table, struct cgw_rule *rule)
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

static void replace_links(struct cgw_table *table, struct cgw_rule *rule,
			  struct cgw_rule *new)
{
	unlink_hashes(table, rule);
	link_rule(table, new);
	place_by_key(table, new);
	hlist_replace_rcu(&rule->table_node, &new->table_node);
	call_rcu(&rule->rcu, free_rule_rcu);
}

/**
 * cgw_table_replace() - put a rule in the place of another one
 * @table: which has @rule
 * @rule: is freed when no reader uses it any more
 * @new: of cgw_rule_alloc(), in no table, with the filter and the source of @rule.
 *	Takes over its counters and its handle
 *
 * A frame is routed by one of them.
 *
 * Context: process, as a writer.
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
	replace_links(table, rule, new);
}

/* Of the rules of a source, the youngest is the first. */
static struct cgw_rule *oldest(const struct cgw_source *source)
{
	struct hlist_node *node = source->rules.first;

	while (node && node->next)
		node = node->next;
	return hlist_entry_safe(node, struct cgw_rule, source_node);
}

static struct cgw_rule *younger(const struct cgw_source *source,
				const struct cgw_rule *rule)
{
	struct hlist_node **before = rule->source_node.pprev;

	if (before == &source->rules.first)
		return NULL;
	return hlist_entry(container_of(before, struct hlist_node, next),
			   struct cgw_rule, source_node);
}

/**
 * cgw_source_refilter() - a source with another filter for one rule
 * @table: which has @rule
 * @rule: in @table
 * @new: of cgw_rule_alloc(), in no table, with the source of @rule
 *
 * Takes as long as the source has rules. What is returned finds the rules of the
 * source of @rule, with @new in the place of @rule, and is no part of the table yet.
 * It is for cgw_table_refilter().
 *
 * Context: process, as a writer, may sleep.
 * Return: the new source, or NULL without memory.
 */
struct cgw_source *cgw_source_refilter(struct cgw_table *table,
				       struct cgw_rule *rule,
				       struct cgw_rule *new)
{
	struct cgw_source *old = rule->source, *source;
	struct cgw_rule *each;

	source = alloc_source(table, rule->src);
	if (!source)
		return NULL;
	for (each = oldest(old); each; each = younger(old, each)) {
		cond_resched();
		if (!insert_rule(source, each == rule ? new : each))
			continue;
		cgw_source_discard(source);
		return NULL;
	}
	return source;
}

/**
 * cgw_source_discard() - free a source that has become part of no table
 * @source: of cgw_source_refilter(), which nobody has read
 *
 * Context: process, as a writer; may sleep.
 */
void cgw_source_discard(struct cgw_source *source)
{
	can_rcvlist_retire(&source->index);
	can_rcvlist_clear(&source->index);
	kvfree(source);
}

/**
 * cgw_table_refilter() - put a rule with another filter in the place of a rule
 * @table: which has @rule
 * @rule: is freed when no reader uses it any more
 * @new: as it was given to cgw_source_refilter(), and then to cgw_rule_transfer_state()
 * @source: of cgw_source_refilter(), which readers find already instead of that of
 *	@rule
 *
 * Context: process, as a writer.
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
	unlink_source(table, old);
	link_source(table, source);
	replace_links(table, rule, new);
	retire_source(old);
}

/**
 * cgw_table_move() - move a device with all its rules to another table
 * @to: which does not have the device
 * @from: which nobody reads
 * @source: of @from
 * @handle: above all those of @to; the oldest rule gets the next one
 *
 * Context: process, as a writer.
 */
void cgw_table_move(struct cgw_table *to, struct cgw_table *from,
		    struct cgw_source *source, u64 handle)
{
	struct cgw_rule *rule;

	unlink_source(from, source);
	for (rule = oldest(source); rule; rule = younger(source, rule)) {
		unlink_rule(from, rule);
		rule->handle = ++handle;
		link_rule(to, rule);
		hlist_add_head_rcu(&rule->table_node, &to->rules);
		cond_resched();
	}
	link_source(to, source);
}

/**
 * cgw_table_find() - find a rule by all that it is
 * @table: to look into
 * @key: of the rule
 * @mod: with the same name, or if neither has one made from the same; or NULL
 *
 * Context: process, as a writer.
 * Return: the youngest such rule, or NULL.
 */
struct cgw_rule *cgw_table_find(struct cgw_table *table,
				const struct cgw_key *key,
				const struct cgw_mod *mod)
{
	u32 hash = key_hash(key, mod), uid = cgw_mod_uid(mod);
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, can_rcv_hash_head(&table->keys, hash), key_node) {
		const struct cgw_mod *its = cgw_rule_mod(rule);

		if (rule->hash != hash || memcmp(&rule->key, key, sizeof(*key)))
			continue;
		if (uid || cgw_mod_uid(its) ? uid == cgw_mod_uid(its) :
					      cgw_mod_same(mod, its))
			return rule;
	}
	return NULL;
}

/**
 * cgw_table_find_uid() - find the rule whose modification has a name
 * @table: to look into
 * @uid: the name, which is not 0
 *
 * Context: process, as a writer.
 * Return: the rule, or NULL.
 */
struct cgw_rule *cgw_table_find_uid(struct cgw_table *table, u32 uid)
{
	struct cgw_rule *rule;
	struct hlist_head *head;

	head = can_rcv_hash_head(&table->keys, uid_hash(uid));
	hlist_for_each_entry(rule, head, key_node)
		if (cgw_mod_uid(cgw_rule_mod(rule)) == uid)
			return rule;
	return NULL;
}

/**
 * cgw_table_find_handle() - find a rule by its handle
 * @table: to look into
 * @handle: of the rule
 *
 * Context: process, as a writer.
 * Return: the rule, or NULL.
 */
struct cgw_rule *cgw_table_find_handle(struct cgw_table *table, u64 handle)
{
	struct cgw_rule *rule;
	struct hlist_head *head;

	head = can_rcv_hash_head(&table->handles, handle_hash(handle));
	hlist_for_each_entry(rule, head, handle_node)
		if (rule->handle == handle)
			return rule;
	return NULL;
}

/**
 * cgw_table_next() - go through all rules, with interruptions
 * @table: to look into
 * @handle: of the rule before, which may be gone, or 0
 *
 * Context: process, as a writer.
 * Return: the next older rule, for 0 the youngest; NULL behind the last one.
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

/**
 * cgw_table_drop() - remove a device with all its rules
 * @table: which has it
 * @source: is hidden from readers, who may still use it, and is freed after that
 *
 * Context: process, as a writer.
 */
void cgw_table_drop(struct cgw_table *table, struct cgw_source *source)
{
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, &source->rules, source_node) {
		unlink_rule(table, rule);
		cond_resched();
	}
	unlink_source(table, source);
	retire_source(source);
}

/**
 * cgw_table_clear() - remove all rules
 * @table: whose sources are hidden from readers, who may still use them
 *
 * Takes as long as the table has devices, however many rules they have.
 *
 * Context: process, as a writer.
 */
void cgw_table_clear(struct cgw_table *table)
{
	struct cgw_source *source;
	struct hlist_node *next;

	/* the rules keep their places in the list for readers who are in it */
	rcu_assign_pointer(hlist_first_rcu(&table->rules), NULL);
	can_rcv_hash_forget(&table->keys);
	can_rcv_hash_forget(&table->handles);
	can_rcv_hash_forget(&table->sources);
	hlist_for_each_entry_safe(source, next, &table->source_list, list)
		retire_source(source);
	INIT_HLIST_HEAD(&table->source_list);
	table->count = 0;
	table->xl = 0;
}

/**
 * cgw_table_alloc() - make a table
 * @route: is called for each rule that matches a frame, with the rule as data
 * @owner: of its filter indexes, or NULL if these need not grow by themselves
 *
 * Context: process, may sleep.
 * Return: an empty table, NULL without memory.
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

/**
 * cgw_table_free() - free a table, with all rules
 * @table: is hidden from readers, who may still use it, and is freed after that
 *
 * Context: process, as a writer.
 */
void cgw_table_free(struct cgw_table *table)
{
	cgw_table_clear(table);
	kfree_rcu(table, rcu);
}

/**
 * cgw_table_init() - get ready for the first table
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int cgw_table_init(void)
{
	key_seed = get_random_u32();
	rules = kmem_cache_create("can_gw", sizeof(struct cgw_rule), 0,
				  SLAB_ACCOUNT, NULL);
	if (!rules)
		return -ENOMEM;
	retired = alloc_workqueue("can_gw", WQ_UNBOUND, 0);
	if (!retired) {
		kmem_cache_destroy(rules);
		return -ENOMEM;
	}
	return 0;
}

/**
 * cgw_table_exit() - after the last table is empty
 *
 * Context: process; waits for what is being freed.
 */
void cgw_table_exit(void)
{
	/* what waits for a grace period is queued after it */
	rcu_barrier();
	destroy_workqueue(retired);
	kmem_cache_destroy(rules);
}
