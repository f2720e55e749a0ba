/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * /proc/net/can/gw_rules: the rules of a gateway, human-readable.
 *
 * Contexts: process context. The file is read under rcu_read_lock(),
 * concurrently with writers and frames.
 */
#ifndef _NET_CAN_GW_PROC_H
#define _NET_CAN_GW_PROC_H

struct net;

#ifdef CONFIG_PROC_FS
int cgw_proc_init(struct net *net);
void cgw_proc_exit(struct net *net);
#else
static inline int cgw_proc_init(struct net *net)
{
	return 0;
}

static inline void cgw_proc_exit(struct net *net)
{
}
#endif

#endif /* !_NET_CAN_GW_PROC_H */
