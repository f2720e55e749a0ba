// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* What people see of the rules of a gateway; gw_proc.h says in which contexts. */
#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/net_namespace.h>

#include "gw_net.h"
#include "gw_proc.h"

#define GW_RULES "gw_rules"

static struct hlist_head *rules_of(struct seq_file *m)
{
	return &cgw_net_table(cgw_net(seq_file_net(m)))->rules;
}

static void *rules_start(struct seq_file *m, loff_t *pos)
	__acquires(rcu)
{
	rcu_read_lock();
	return seq_hlist_start_head_rcu(rules_of(m), *pos);
}

static void *rules_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_hlist_next_rcu(v, rules_of(m), pos);
}

static void rules_stop(struct seq_file *m, void *v)
	__releases(rcu)
{
	rcu_read_unlock();
}

static void show_filter(struct seq_file *m, const struct can_filter *filter)
{
	/* as in the lists of receivers */
	seq_printf(m, filter->can_id & CAN_EFF_FLAG ? "  %08x" : "       %03x",
		   filter->can_id);
	seq_printf(m, "  %08x", filter->can_mask);
}

static const char *frames_of(const struct cgw_rule *rule)
{
	static const char * const names[] = {
		[CGW_FRAMES_CC] = "cc",
		[CGW_FRAMES_FD] = "fd",
		[CGW_FRAMES_XL] = "xl",
	};

	return names[rule->key.frames];
}

static int rules_show(struct seq_file *m, void *v)
{
	struct cgw_rule *rule;
	u64 sum[CGW_EV_COUNT];

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "  source   dest       can_id  can_mask  frames     matched        sent     dropped     deleted\n");
		return 0;
	}
	rule = hlist_entry(v, struct cgw_rule, table_node);
	cgw_rule_stats(rule, sum);
	seq_printf(m, "  %-7s  %-7s", rule->src->name, rule->dst->name);
	show_filter(m, &rule->key.filter);
	seq_printf(m, "  %-6s  %10llu  %10llu  %10llu  %10llu\n",
		   frames_of(rule), cgw_stats_matched(sum), sum[CGW_EV_SENT],
		   sum[CGW_EV_DROPPED], sum[CGW_EV_DELETED]);
	return 0;
}

static const struct seq_operations rules_ops = {
	.start = rules_start,
	.next = rules_next,
	.stop = rules_stop,
	.show = rules_show,
};

/**
 * cgw_proc_init() - make the file of a namespace
 * @net: the namespace, whose gateway is ready
 *
 * Context: process.
 * Return: 0 or -ENOMEM.
 */
int cgw_proc_init(struct net *net)
{
	/* a namespace may have to do without the folder */
	if (!net->can.proc_dir)
		return 0;
	/* each read goes through the list to where it goes on: not for everybody */
	if (!proc_create_net(GW_RULES, 0440, net->can.proc_dir, &rules_ops,
			     sizeof(struct seq_net_private)))
		return -ENOMEM;
	return 0;
}

/**
 * cgw_proc_exit() - remove the file of a namespace
 * @net: the namespace
 *
 * Context: process; waits for those who are reading.
 */
void cgw_proc_exit(struct net *net)
{
	if (net->can.proc_dir)
		remove_proc_entry(GW_RULES, net->can.proc_dir);
}
