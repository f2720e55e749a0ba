// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Sysctl of the gateway, see gw_sysctl.h */
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <net/net_namespace.h>

#include "gw_net.h"
#include "gw_sysctl.h"

static const struct ctl_table cgw_sysctl_table[] = {
	{
		.procname = "gw_max_rules",
		.maxlen = sizeof(unsigned int),
		.mode = 0644,
		.proc_handler = proc_douintvec,
	},
};

/**
 * cgw_sysctl_init() - register the sysctl of a namespace
 * @gn: gateway of the namespace
 *
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int cgw_sysctl_init(struct cgw_net *gn)
{
	struct ctl_table *table;

	table = kmemdup(cgw_sysctl_table, sizeof(cgw_sysctl_table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table[0].data = &gn->limit;
	gn->sysctl = register_net_sysctl_sz(gn->net, "net/can", table,
					    ARRAY_SIZE(cgw_sysctl_table));
	if (gn->sysctl)
		return 0;
	kfree(table);
	return -ENOMEM;
}

void cgw_sysctl_exit(struct cgw_net *gn)
{
	const struct ctl_table *table = gn->sysctl->ctl_table_arg;

	unregister_net_sysctl_table(gn->sysctl);
	kfree(table);
}
