/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * net.can.gw_max_rules: the maximum number of gateway rules of a network
 * namespace. Lowering it does not remove rules.
 *
 * Contexts: process context.
 */
#ifndef _NET_CAN_GW_SYSCTL_H
#define _NET_CAN_GW_SYSCTL_H

struct cgw_net;

#ifdef CONFIG_SYSCTL
int cgw_sysctl_init(struct cgw_net *gn);
void cgw_sysctl_exit(struct cgw_net *gn);
#else
static inline int cgw_sysctl_init(struct cgw_net *gn)
{
	return 0;
}

static inline void cgw_sysctl_exit(struct cgw_net *gn)
{
}
#endif

#endif /* !_NET_CAN_GW_SYSCTL_H */
