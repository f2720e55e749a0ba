// SPDX-License-Identifier: GPL-2.0-only
/* Tables of gateway rules: what they promise, and who runs in which context, is
 * said in gw_table.h.
 */
#include <linux/cpumask.h>
#include <linux/hash.h>
#include <linux/jhash.h>
#include <linux/netdevice.h>
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

static u32 twin_hash(const struct cgw_key *key, const struct cgw_mod *mod)
{
	u32 uid = cgw_mod_uid(mod);

	if (uid)
		return hash_32(uid, 32);
	return jhash2((const u32 *)key, sizeof(*key) / sizeof(u32),
		      cgw_mod_hash(mod));
}

static u32 twin_value(const struct hlist_node *node)
{
	return container_of(node, struct cgw_rule, twin)->hash;
}

static u32 device_hash(const struct net_device *dev)
{
	return hash_ptr(dev, 32);
}

static u32 source_value(const struct hlist_node *node)
{
	return device_hash(container_of(node, struct cgw_source, same)->dev);
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
	rule->stats = netdev_alloc_pcpu_stats(struct cgw_stats);
	if (!rule->stats) {
		kmem_cache_free(rules, rule);
		return NULL;
	}
	rule->key = *key;
	rule->src = src;
	rule->dst = dst;
	rule->hash = twin_hash(key, mod);
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
	free_percpu(rule->stats);
	kmem_cache_free(rules, rule);
}

static void free_rule_rcu(struct rcu_head *head)
{
	cgw_rule_free(container_of(head, struct cgw_rule, rcu));
}

/**
 * cgw_rule_size() - the memory of a rule in a table
 * @rule: the rule
 *
 * The buckets of hash tables are not counted.
 *
 * Context: under rcu_read_lock().
 * Return: bytes.
 */
size_t cgw_rule_size(const struct cgw_rule *rule)
{
	return sizeof(*rule) + sizeof(struct receiver) +
	       num_possible_cpus() * sizeof(struct cgw_stats) +
	       cgw_mod_size(rcu_dereference(rule->mod));
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

	hlist_for_each_entry(source, head, same)
		if (source->dev == dev)
			return source;
	return NULL;
}

/* The rules of a source may be 65,536, and the memory of each is given back by
 * several functions. Readers are gone.
 */
static void free_source(struct work_struct *work)
{
	struct cgw_source *source = container_of(to_rcu_work(work),
						 struct cgw_source, retire);
	struct cgw_rule *rule;
	struct hlist_node *next;

	hlist_for_each_entry_safe(rule, next, &source->rules, fellow) {
		can_rcvlist_remove(&source->index, rule->key.filter.can_id,
				   rule->key.filter.can_mask, source->route,
				   rule);
		cgw_rule_free(rule);
		cond_resched();
	}
	kvfree(source);
}

static struct cgw_source *add_source(struct cgw_table *table,
				     struct net_device *dev)
{
	struct cgw_source *source = kvzalloc(sizeof(*source), GFP_KERNEL);

	if (!source)
		return NULL;
	source->route = table->route;
	source->dev = dev;
	INIT_RCU_WORK(&source->retire, free_source);
	can_rcv_hash_add(&table->sources, &source->same, source_value);
	hlist_add_head(&source->list, &table->source_list);
	return source;
}

static void unlink_source(struct cgw_table *table, struct cgw_source *source)
{
	can_rcv_hash_del(&table->sources, &source->same);
	hlist_del(&source->list);
}

/**
 * cgw_table_add() - add a rule
 * @table: to add it to
 * @rule: of cgw_rule_alloc(), in no table
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

	if (!source)
		source = add_source(table, rule->src);
	if (!source)
		return -ENOMEM;
	err = can_rcvlist_insert(&source->index, rule->key.filter.can_id,
				 rule->key.filter.can_mask, source->route, rule,
				 "gw", NULL);
	if (err) {
		if (cgw_source_empty(source)) {
			unlink_source(table, source);
			kvfree(source);
		}
		return err;
	}
	source->count[cgw_rule_kind(&rule->key)]++;
	rule->source = source;
	hlist_add_head(&rule->fellow, &source->rules);
	can_rcv_hash_add(&table->twins, &rule->twin, twin_value);
	hlist_add_head_rcu(&rule->all, &table->rules);
	return 0;
}

static void unlink_rule(struct cgw_table *table, struct cgw_rule *rule)
{
	can_rcv_hash_del(&table->twins, &rule->twin);
	hlist_del_rcu(&rule->all);
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
	source->count[cgw_rule_kind(&rule->key)]--;
	hlist_del(&rule->fellow);
	unlink_rule(table, rule);
	call_rcu(&rule->rcu, free_rule_rcu);
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
	u32 hash = twin_hash(key, mod), uid = cgw_mod_uid(mod);
	struct cgw_rule *rule;

	hlist_for_each_entry(rule, can_rcv_hash_head(&table->twins, hash), twin) {
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

	head = can_rcv_hash_head(&table->twins, hash_32(uid, 32));
	hlist_for_each_entry(rule, head, twin)
		if (cgw_mod_uid(cgw_rule_mod(rule)) == uid)
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

	hlist_for_each_entry(rule, &source->rules, fellow)
		unlink_rule(table, rule);
	unlink_source(table, source);
	queue_rcu_work(retired, &source->retire);
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
	can_rcv_hash_forget(&table->twins);
	can_rcv_hash_forget(&table->sources);
	hlist_for_each_entry_safe(source, next, &table->source_list, list)
		queue_rcu_work(retired, &source->retire);
	INIT_HLIST_HEAD(&table->source_list);
}

/**
 * cgw_table_init() - get ready for the first table
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int cgw_table_init(void)
{
	rules = kmem_cache_create("can_gw", sizeof(struct cgw_rule), 0, 0, NULL);
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
