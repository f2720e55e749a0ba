/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Transactions: staged tables of rules. A transaction belongs to a netlink
 * socket and is in a list of its gateway, which invalidates it when one of its
 * devices is unregistered. Staged rules route no frames. A commit replaces the
 * active table, or the rules of one source in it.
 *
 * A transaction is identified by its socket and holds a reference to it. The
 * port id is not sufficient: when the socket is closed, another one can be
 * bound to the port id before the transaction ends.
 *
 * Contexts: all functions are for writers (gw_net.h): process context, under
 * rtnl_lock(), may sleep.
 */
#ifndef _NET_CAN_GW_TRANSACTION_H
#define _NET_CAN_GW_TRANSACTION_H

#include <linux/list.h>
#include <linux/types.h>

#include "gw_net.h"

struct net_device;
struct sock;

/**
 * struct cgw_transaction - a staged table
 * @list: in cgw_net.transactions
 * @sk: owner, with a reference
 * @dev: the commit replaces the rules of this source; NULL for all rules
 * @table: staged rules
 * @adds: number of requests to add a rule
 * @first_error: number of the first of these requests that failed, from 1 on; 0
 *	if none has
 * @dev_unregistered: an interface of the transaction has been unregistered
 */
struct cgw_transaction {
	struct list_head list;
	struct sock *sk;
	struct net_device *dev;
	struct cgw_table *table;
	unsigned int adds;
	unsigned int first_error;
	bool dev_unregistered;
};

struct cgw_transaction *cgw_transaction_begin(struct cgw_net *gn,
					      struct sock *sk,
					      struct net_device *dev);
struct cgw_transaction *cgw_transaction_find(struct cgw_net *gn,
					     const struct sock *sk);
bool cgw_transaction_full(struct cgw_net *gn, const struct cgw_transaction *t);
int cgw_transaction_add(struct cgw_net *gn, struct cgw_transaction *t,
			struct cgw_rule *rule);
int cgw_transaction_commit(struct cgw_net *gn, struct cgw_transaction *t);
void cgw_transaction_end(struct cgw_transaction *t);
void cgw_transaction_dev_unregister(struct cgw_net *gn,
				    const struct net_device *dev);
void cgw_transaction_end_closed(struct cgw_net *gn);
void cgw_transaction_end_all(struct cgw_net *gn);

#endif /* !_NET_CAN_GW_TRANSACTION_H */
