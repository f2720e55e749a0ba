// SPDX-License-Identifier: GPL-2.0-only
/*
 * can-gw-null: a netlink family with the policies of can-gw, which does nothing with a
 * valid request. This is the least that a request to can-gw can cost.
 */
#include <linux/module.h>
#include <uapi/linux/can/gw_netlink.h>

#undef CAN_GW_FAMILY_NAME
#define CAN_GW_FAMILY_NAME "can-gw-null"

#include "gw_netlink_gen.c"

#define NOTHING(name)							\
	int can_gw_nl_##name##_doit(struct sk_buff *skb,		\
				    struct genl_info *info)		\
	{								\
		return 0;						\
	}

#define NO_DUMP(name)							\
	int can_gw_nl_##name##_dumpit(struct sk_buff *skb,		\
				      struct netlink_callback *cb)	\
	{								\
		return 0;						\
	}

NOTHING(rule_add)
NOTHING(rule_replace)
NOTHING(rule_del)
NOTHING(rule_get)
NOTHING(rule_reset)
NOTHING(transaction_begin)
NOTHING(transaction_commit)
NOTHING(transaction_abort)
NOTHING(table_get)
NO_DUMP(rule_get)
NO_DUMP(rule_reset)

int can_gw_nl_dump_start(struct netlink_callback *cb)
{
	return 0;
}

static int __init null_init(void)
{
	return genl_register_family(&can_gw_nl_family);
}

static void __exit null_exit(void)
{
	genl_unregister_family(&can_gw_nl_family);
}

module_init(null_init);
module_exit(null_exit);
MODULE_DESCRIPTION("netlink family that only validates requests");
MODULE_LICENSE("GPL");
