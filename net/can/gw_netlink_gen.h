/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/can-gw.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_CAN_GW_GEN_H
#define _LINUX_CAN_GW_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/linux/can/gw_netlink.h>

/* Common nested types */
extern const struct nla_policy can_gw_crc8_checksum_nl_policy[CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA + 1];
extern const struct nla_policy can_gw_operand_nl_policy[CAN_GW_A_OPERAND_DATA + 1];
extern const struct nla_policy can_gw_xor_checksum_nl_policy[CAN_GW_A_XOR_CHECKSUM_INIT + 1];

int can_gw_nl_dump_start(struct netlink_callback *cb);

int can_gw_nl_rule_add_doit(struct sk_buff *skb, struct genl_info *info);
int can_gw_nl_rule_replace_doit(struct sk_buff *skb, struct genl_info *info);
int can_gw_nl_rule_del_doit(struct sk_buff *skb, struct genl_info *info);
int can_gw_nl_rule_get_doit(struct sk_buff *skb, struct genl_info *info);
int can_gw_nl_rule_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int can_gw_nl_rule_reset_doit(struct sk_buff *skb, struct genl_info *info);
int can_gw_nl_rule_reset_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int can_gw_nl_transaction_begin_doit(struct sk_buff *skb,
				     struct genl_info *info);
int can_gw_nl_transaction_commit_doit(struct sk_buff *skb,
				      struct genl_info *info);
int can_gw_nl_transaction_abort_doit(struct sk_buff *skb,
				     struct genl_info *info);
int can_gw_nl_table_get_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	CAN_GW_NLGRP_RULES,
};

extern struct genl_family can_gw_nl_family;

#endif /* _LINUX_CAN_GW_GEN_H */
