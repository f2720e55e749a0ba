// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Transactions: contexts are described in gw_transaction.h. */
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "gw_transaction.h"

/**
 * cgw_transaction_begin() - begin a transaction with an empty table
 * @gn: gateway
 * @sk: socket that has no transaction
 * @dev: only source of the rules to come, whose rules the commit replaces; NULL
 *	for all rules
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: the transaction, NULL without memory.
 */
struct cgw_transaction *cgw_transaction_begin(struct cgw_net *gn,
					      struct sock *sk,
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

/* Return: the transaction of a socket, or NULL. Context: under rtnl_lock(). */
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
 * cgw_transaction_full() - is the limit of rules reached?
 * @gn: gateway
 * @t: transaction
 *
 * Rules that the commit does not replace count, too.
 *
 * Context: Process context, under rtnl_lock().
 * Return: true if no rule can be added.
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
 * cgw_transaction_add() - stage a rule
 * @gn: gateway
 * @t: transaction
 * @rule: from cgw_rule_alloc(), with the source of the transaction; is freed on
 *	error
 *
 * Context: Process context, under rtnl_lock(); may sleep.
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
 * cgw_transaction_commit() - replace the active rules by the staged ones
 * @gn: gateway
 * @t: transaction; ends in any case
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: 0 or the error of cgw_net_exchange() or cgw_net_exchange_source();
 * then the active rules do not change.
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

/* Free a transaction with its staged rules. Context: under rtnl_lock(). */
void cgw_transaction_end(struct cgw_transaction *t)
{
	if (t->table)
		cgw_table_free(t->table);
	list_del(&t->list);
	sock_put(t->sk);
	kfree(t);
}

static bool cgw_transaction_uses_dev(const struct cgw_transaction *t,
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
 * cgw_transaction_dev_unregister() - invalidate transactions that use a device
 * @gn: gateway
 * @dev: device that is unregistered
 *
 * Their rules are removed, and they cannot be committed any more.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_transaction_dev_unregister(struct cgw_net *gn,
				    const struct net_device *dev)
{
	struct cgw_transaction *t;

	list_for_each_entry(t, &gn->transactions, list) {
		if (!cgw_transaction_uses_dev(t, dev))
			continue;
		cgw_table_clear(t->table);
		t->dev_unregistered = true;
	}
}

/**
 * cgw_transaction_end_closed() - end the transactions of closed sockets
 * @gn: gateway
 *
 * A socket is marked SOCK_DEAD before NETLINK_URELEASE is sent, which only has
 * a port id.
 *
 * Context: Process context, under rtnl_lock().
 */
void cgw_transaction_end_closed(struct cgw_net *gn)
{
	struct cgw_transaction *t, *next;

	list_for_each_entry_safe(t, next, &gn->transactions, list)
		if (sock_flag(t->sk, SOCK_DEAD))
			cgw_transaction_end(t);
}

void cgw_transaction_end_all(struct cgw_net *gn)
{
	struct cgw_transaction *t, *next;

	list_for_each_entry_safe(t, next, &gn->transactions, list)
		cgw_transaction_end(t);
}
