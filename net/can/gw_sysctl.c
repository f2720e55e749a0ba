// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* What an administrator sets for the gateway; gw_sysctl.h says in which context. */
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <net/net_namespace.h>

#include "gw_net.h"
#include "gw_sysctl.h"

static const struct ctl_table gw_table[] = {
	{
		.procname = "gw_max_rules",
		.maxlen = sizeof(unsigned int),
		.mode = 0644,
		.proc_handler = proc_douintvec,
	},
};

/**
 * cgw_sysctl_init() - make the settings of a namespace
 * @gn: its gateway
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int cgw_sysctl_init(struct cgw_net *gn)
{
	struct ctl_table *table;

	table = kmemdup(gw_table, sizeof(gw_table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table[0].data = &gn->limit;
	gn->sysctl = register_net_sysctl_sz(gn->net, "net/can", table,
					    ARRAY_SIZE(gw_table));
	if (gn->sysctl)
		return 0;
	kfree(table);
	return -ENOMEM;
}

/**
 * cgw_sysctl_exit() - remove them
 * @gn: the gateway
 *
 * Context: process.
 */
void cgw_sysctl_exit(struct cgw_net *gn)
{
	const struct ctl_table *table = gn->sysctl->ctl_table_arg;

	unregister_net_sysctl_table(gn->sysctl);
	kfree(table);
}
