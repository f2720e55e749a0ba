// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* /proc/net/can/gw_rules: contexts are described in gw_proc.h. */
#include <linux/netdevice.h>
#include <linux/proc_fs.h>
#include <linux/rculist.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/net_namespace.h>

#include "gw_net.h"
#include "gw_proc.h"

#define CGW_PROC_RULES "gw_rules"

static struct hlist_head *cgw_proc_rules(struct seq_file *m)
{
	return &cgw_net_table(cgw_net(seq_file_net(m)))->rules;
}

static void *cgw_proc_start(struct seq_file *m, loff_t *pos)
	__acquires(rcu)
{
	rcu_read_lock();
	return seq_hlist_start_head_rcu(cgw_proc_rules(m), *pos);
}

static void *cgw_proc_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_hlist_next_rcu(v, cgw_proc_rules(m), pos);
}

static void cgw_proc_stop(struct seq_file *m, void *v)
	__releases(rcu)
{
	rcu_read_unlock();
}

static void cgw_proc_show_filter(struct seq_file *m,
				 const struct can_filter *filter)
{
	/* as in /proc/net/can/rcvlist_* */
	seq_printf(m, filter->can_id & CAN_EFF_FLAG ? "  %08x" : "       %03x",
		   filter->can_id);
	seq_printf(m, "  %08x", filter->can_mask);
}

static const char *cgw_proc_frames_name(const struct cgw_rule *rule)
{
	static const char * const names[] = {
		[CGW_FRAMES_CC] = "cc",
		[CGW_FRAMES_FD] = "fd",
		[CGW_FRAMES_XL] = "xl",
	};

	return names[rule->key.frames];
}

static int cgw_proc_show(struct seq_file *m, void *v)
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
	cgw_proc_show_filter(m, &rule->key.filter);
	seq_printf(m, "  %-6s  %10llu  %10llu  %10llu  %10llu\n",
		   cgw_proc_frames_name(rule), cgw_stats_matched(sum),
		   sum[CGW_EV_SENT], sum[CGW_EV_DROPPED], sum[CGW_EV_DELETED]);
	return 0;
}

static const struct seq_operations cgw_proc_ops = {
	.start = cgw_proc_start,
	.next = cgw_proc_next,
	.stop = cgw_proc_stop,
	.show = cgw_proc_show,
};

/**
 * cgw_proc_init() - create gw_rules of a namespace
 * @net: namespace with an initialized gateway
 *
 * Context: Process context.
 * Return: 0 or -ENOMEM.
 */
int cgw_proc_init(struct net *net)
{
	/* af_can tolerates a namespace without /proc/net/can */
	if (!net->can.proc_dir)
		return 0;
	/* Each read walks the list up to its position: not for unprivileged
	 * users.
	 */
	if (!proc_create_net(CGW_PROC_RULES, 0440, net->can.proc_dir,
			     &cgw_proc_ops, sizeof(struct seq_net_private)))
		return -ENOMEM;
	return 0;
}

/**
 * cgw_proc_exit() - remove gw_rules of a namespace
 * @net: namespace
 *
 * Context: Process context; waits for readers of the file.
 */
void cgw_proc_exit(struct net *net)
{
	if (net->can.proc_dir)
		remove_proc_entry(CGW_PROC_RULES, net->can.proc_dir);
}
