// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Tables of rules in the making; gw_transaction.h says in which context. */
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "gw_transaction.h"

/**
 * cgw_transaction_begin() - begin an empty table
 * @gn: the gateway
 * @sk: the socket, which has no other table
 * @dev: the only source that its rules may have, and whose rules it will replace; or
 *	NULL
 *
 * Context: as a writer.
 * Return: the transaction, or NULL without memory.
 */
struct cgw_transaction *cgw_transaction_begin(struct cgw_net *gn, struct sock *sk,
					      struct net_device *dev)
{
	struct cgw_transaction *t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);

	if (!t)
		return NULL;
	t->table = cgw_table_alloc(cgw_net_table(gn)->route, &gn->owner);
	if (!t->table) {
		kfree(t);
		return NULL;
	}
	sock_hold(sk);
	t->sk = sk;
	t->dev = dev;
	list_add(&t->list, &gn->transactions);
	return t;
}

/**
 * cgw_transaction_find() - find the transaction of a socket
 * @gn: the gateway
 * @sk: the socket
 *
 * Context: as a writer.
 * Return: the transaction, NULL without one.
 */
struct cgw_transaction *cgw_transaction_find(struct cgw_net *gn,
					     const struct sock *sk)
{
	struct cgw_transaction *t;

	list_for_each_entry(t, &gn->transactions, list)
		if (t->sk == sk)
			return t;
	return NULL;
}

/**
 * cgw_transaction_full() - may there be no more rules?
 * @gn: the gateway
 * @t: a transaction
 *
 * Context: as a writer.
 * Return: true if the namespace would have too many with one more.
 */
bool cgw_transaction_full(struct cgw_net *gn, const struct cgw_transaction *t)
{
	struct cgw_table *table = cgw_net_table(gn);
	unsigned int others = 0;

	if (t->dev)
		others = table->count -
			 cgw_source_count(cgw_table_source(table, t->dev));
	return cgw_net_full(gn, others + t->table->count);
}

/**
 * cgw_transaction_add() - add a rule to a table in the making
 * @gn: the gateway
 * @t: the transaction
 * @rule: of cgw_rule_alloc(), with the source of the transaction; is freed if there
 *	is an error
 *
 * Context: as a writer.
 * Return: 0 or -ENOMEM.
 */
int cgw_transaction_add(struct cgw_net *gn, struct cgw_transaction *t,
			struct cgw_rule *rule)
{
	int err;

	rule->handle = ++gn->handles;
	err = cgw_table_add(t->table, rule);
	if (err)
		cgw_rule_free(rule);
	return err;
}

/**
 * cgw_transaction_commit() - put the new rules in the place of the old ones
 * @gn: the gateway
 * @t: the transaction, which has ended then, also with an error
 *
 * Context: as a writer.
 * Return: 0, or the error of cgw_net_exchange(); then nothing has changed.
 */
int cgw_transaction_commit(struct cgw_net *gn, struct cgw_transaction *t)
{
	int err;

	if (t->dev) {
		err = cgw_net_exchange_source(gn, t->table, t->dev);
	} else {
		err = cgw_net_exchange(gn, t->table);
		if (!err)
			t->table = NULL;
	}
	cgw_transaction_end(t);
	return err;
}

/**
 * cgw_transaction_end() - give a table in the making up
 * @t: the transaction
 *
 * Context: as a writer.
 */
void cgw_transaction_end(struct cgw_transaction *t)
{
	if (t->table)
		cgw_table_free(t->table);
	list_del(&t->list);
	sock_put(t->sk);
	kfree(t);
}

static bool has_device(const struct cgw_transaction *t,
		       const struct net_device *dev)
{
	struct cgw_rule *rule;

	if (t->dev == dev)
		return true;
	hlist_for_each_entry(rule, &t->table->rules, table_node)
		if (rule->src == dev || rule->dst == dev)
			return true;
	return false;
}

/**
 * cgw_transaction_dev_unregister() - let no table in the making have a device
 * @gn: the gateway
 * @dev: goes away
 *
 * A table that has it cannot come into use any more.
 *
 * Context: as a writer.
 */
void cgw_transaction_dev_unregister(struct cgw_net *gn,
				    const struct net_device *dev)
{
	struct cgw_transaction *t;

	list_for_each_entry(t, &gn->transactions, list) {
		if (!has_device(t, dev))
			continue;
		cgw_table_clear(t->table);
		t->gone = true;
	}
}

/**
 * cgw_transaction_end_closed() - end the transactions of closed sockets
 * @gn: the gateway
 *
 * A socket is closed (SOCK_DEAD) before NETLINK_URELEASE is announced, which names only
 * a port id.
 *
 * Context: as a writer.
 */
void cgw_transaction_end_closed(struct cgw_net *gn)
{
	struct cgw_transaction *t, *next;

	list_for_each_entry_safe(t, next, &gn->transactions, list)
		if (sock_flag(t->sk, SOCK_DEAD))
			cgw_transaction_end(t);
}

/**
 * cgw_transaction_end_all() - give all tables in the making up
 * @gn: the gateway
 *
 * Context: as a writer.
 */
void cgw_transaction_end_all(struct cgw_net *gn)
{
	struct cgw_transaction *t, *next;

	list_for_each_entry_safe(t, next, &gn->transactions, list)
		cgw_transaction_end(t);
}
