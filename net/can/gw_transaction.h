/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Tables of rules in the making. Each belongs to a netlink socket, and is in the list
 * of its gateway, so that it hears of devices that go away. Its rules route nothing
 * until it has taken the place of the table in use, or of the rules of one source
 * there.
 *
 * A transaction is found by its socket, to which it holds a reference. The port id does
 * not identify the socket: another one can be bound to it as soon as this one is closed,
 * before the transaction ends.
 *
 * Contexts: process, as a writer of gw_net.h: under rtnl_lock(), may sleep.
 */
#ifndef _NET_CAN_GW_TRANSACTION_H
#define _NET_CAN_GW_TRANSACTION_H

#include <linux/list.h>
#include <linux/types.h>

#include "gw_net.h"

struct net_device;
struct sock;

/**
 * struct cgw_transaction - a table in the making
 * @list: in cgw_net.transactions
 * @sk: the socket that it belongs to, with a reference
 * @dev: only rules of this source are exchanged, or NULL
 * @table: the rules so far
 * @asked: number of rules that were to be added
 * @refused: which one of these could not be, the first one; 0 if all could
 * @gone: an interface of it is gone
 */
struct cgw_transaction {
	struct list_head list;
	struct sock *sk;
	struct net_device *dev;
	struct cgw_table *table;
	unsigned int asked;
	unsigned int refused;
	bool gone;
};

struct cgw_transaction *cgw_transaction_begin(struct cgw_net *gn, struct sock *sk,
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
