// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/can-gw.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "gw_netlink_gen.h"

#include <uapi/linux/can/gw_netlink.h>

/* Integer value ranges */
static const struct netlink_range_validation can_gw_a_rule_lifetime_range = {
	.min	= 1ULL,
	.max	= S64_MAX,
};

/* Common nested types */
const struct nla_policy can_gw_crc8_checksum_nl_policy[CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA + 1] = {
	[CAN_GW_A_CRC8_CHECKSUM_FROM] = { .type = NLA_S32, },
	[CAN_GW_A_CRC8_CHECKSUM_TO] = { .type = NLA_S32, },
	[CAN_GW_A_CRC8_CHECKSUM_RESULT] = { .type = NLA_S32, },
	[CAN_GW_A_CRC8_CHECKSUM_INIT] = { .type = NLA_U8, },
	[CAN_GW_A_CRC8_CHECKSUM_FINAL] = { .type = NLA_U8, },
	[CAN_GW_A_CRC8_CHECKSUM_TABLE] = NLA_POLICY_EXACT_LEN(CAN_GW_CRC8_TABLE_LEN),
	[CAN_GW_A_CRC8_CHECKSUM_PROFILE] = NLA_POLICY_MAX(NLA_U32, 3),
	[CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA] = NLA_POLICY_EXACT_LEN(CAN_GW_CRC8_PROFILE_DATA_LEN),
};

const struct nla_policy can_gw_operand_nl_policy[CAN_GW_A_OPERAND_DATA + 1] = {
	[CAN_GW_A_OPERAND_ID] = { .type = NLA_U32, },
	[CAN_GW_A_OPERAND_LEN] = { .type = NLA_U8, },
	[CAN_GW_A_OPERAND_FLAGS] = { .type = NLA_U8, },
	[CAN_GW_A_OPERAND_PRIO] = { .type = NLA_U32, },
	[CAN_GW_A_OPERAND_VCID] = { .type = NLA_U8, },
	[CAN_GW_A_OPERAND_SDT] = { .type = NLA_U8, },
	[CAN_GW_A_OPERAND_AF] = { .type = NLA_U32, },
	[CAN_GW_A_OPERAND_DATA] = { .type = NLA_BINARY, },
};

const struct nla_policy can_gw_xor_checksum_nl_policy[CAN_GW_A_XOR_CHECKSUM_INIT + 1] = {
	[CAN_GW_A_XOR_CHECKSUM_FROM] = { .type = NLA_S32, },
	[CAN_GW_A_XOR_CHECKSUM_TO] = { .type = NLA_S32, },
	[CAN_GW_A_XOR_CHECKSUM_RESULT] = { .type = NLA_S32, },
	[CAN_GW_A_XOR_CHECKSUM_INIT] = { .type = NLA_U8, },
};

/* CAN_GW_CMD_RULE_ADD - do */
static const struct nla_policy can_gw_rule_add_nl_policy[CAN_GW_A_RULE_LIFETIME + 1] = {
	[CAN_GW_A_RULE_NAME] = { .type = NLA_NUL_STRING, .len = CAN_GW_MAX_NAME_LEN, },
	[CAN_GW_A_RULE_SOURCE] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_DESTINATION] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_FRAMES] = NLA_POLICY_MAX(NLA_U32, 2),
	[CAN_GW_A_RULE_FLAGS] = NLA_POLICY_MASK(NLA_U32, 0x7),
	[CAN_GW_A_RULE_FILTER_ID] = { .type = NLA_U32, },
	[CAN_GW_A_RULE_FILTER_MASK] = { .type = NLA_U32, },
	[CAN_GW_A_RULE_HOP_LIMIT] = NLA_POLICY_MIN(NLA_U8, 1),
	[CAN_GW_A_RULE_UID] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_AND] = NLA_POLICY_NESTED(can_gw_operand_nl_policy),
	[CAN_GW_A_RULE_OR] = NLA_POLICY_NESTED(can_gw_operand_nl_policy),
	[CAN_GW_A_RULE_XOR] = NLA_POLICY_NESTED(can_gw_operand_nl_policy),
	[CAN_GW_A_RULE_SET] = NLA_POLICY_NESTED(can_gw_operand_nl_policy),
	[CAN_GW_A_RULE_CRC8_CHECKSUM] = NLA_POLICY_NESTED(can_gw_crc8_checksum_nl_policy),
	[CAN_GW_A_RULE_XOR_CHECKSUM] = NLA_POLICY_NESTED(can_gw_xor_checksum_nl_policy),
	[CAN_GW_A_RULE_EXPRESS] = { .type = NLA_FLAG, },
	[CAN_GW_A_RULE_LIFETIME] = NLA_POLICY_FULL_RANGE(NLA_UINT, &can_gw_a_rule_lifetime_range),
};

/* CAN_GW_CMD_RULE_REPLACE - do */
static const struct nla_policy can_gw_rule_replace_nl_policy[CAN_GW_A_RULE_LIFETIME + 1] = {
	[CAN_GW_A_RULE_HANDLE] = NLA_POLICY_MIN(NLA_UINT, 1),
	[CAN_GW_A_RULE_NAME] = { .type = NLA_NUL_STRING, .len = CAN_GW_MAX_NAME_LEN, },
	[CAN_GW_A_RULE_SOURCE] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_DESTINATION] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_FRAMES] = NLA_POLICY_MAX(NLA_U32, 2),
	[CAN_GW_A_RULE_FLAGS] = NLA_POLICY_MASK(NLA_U32, 0x7),
	[CAN_GW_A_RULE_FILTER_ID] = { .type = NLA_U32, },
	[CAN_GW_A_RULE_FILTER_MASK] = { .type = NLA_U32, },
	[CAN_GW_A_RULE_HOP_LIMIT] = NLA_POLICY_MIN(NLA_U8, 1),
	[CAN_GW_A_RULE_UID] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_AND] = NLA_POLICY_NESTED(can_gw_operand_nl_policy),
	[CAN_GW_A_RULE_OR] = NLA_POLICY_NESTED(can_gw_operand_nl_policy),
	[CAN_GW_A_RULE_XOR] = NLA_POLICY_NESTED(can_gw_operand_nl_policy),
	[CAN_GW_A_RULE_SET] = NLA_POLICY_NESTED(can_gw_operand_nl_policy),
	[CAN_GW_A_RULE_CRC8_CHECKSUM] = NLA_POLICY_NESTED(can_gw_crc8_checksum_nl_policy),
	[CAN_GW_A_RULE_XOR_CHECKSUM] = NLA_POLICY_NESTED(can_gw_xor_checksum_nl_policy),
	[CAN_GW_A_RULE_EXPRESS] = { .type = NLA_FLAG, },
	[CAN_GW_A_RULE_LIFETIME] = NLA_POLICY_FULL_RANGE(NLA_UINT, &can_gw_a_rule_lifetime_range),
};

/* CAN_GW_CMD_RULE_DEL - do */
static const struct nla_policy can_gw_rule_del_nl_policy[CAN_GW_A_RULE_HANDLE + 1] = {
	[CAN_GW_A_RULE_HANDLE] = NLA_POLICY_MIN(NLA_UINT, 1),
};

/* CAN_GW_CMD_RULE_GET - do */
static const struct nla_policy can_gw_rule_get_do_nl_policy[CAN_GW_A_RULE_HANDLE + 1] = {
	[CAN_GW_A_RULE_HANDLE] = NLA_POLICY_MIN(NLA_UINT, 1),
};

/* CAN_GW_CMD_RULE_GET - dump */
static const struct nla_policy can_gw_rule_get_dump_nl_policy[CAN_GW_A_RULE_FRAMES + 1] = {
	[CAN_GW_A_RULE_NAME] = { .type = NLA_NUL_STRING, .len = CAN_GW_MAX_NAME_LEN, },
	[CAN_GW_A_RULE_SOURCE] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_DESTINATION] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_FRAMES] = NLA_POLICY_MAX(NLA_U32, 2),
};

/* CAN_GW_CMD_RULE_RESET - do */
static const struct nla_policy can_gw_rule_reset_do_nl_policy[CAN_GW_A_RULE_HANDLE + 1] = {
	[CAN_GW_A_RULE_HANDLE] = NLA_POLICY_MIN(NLA_UINT, 1),
};

/* CAN_GW_CMD_RULE_RESET - dump */
static const struct nla_policy can_gw_rule_reset_dump_nl_policy[CAN_GW_A_RULE_FRAMES + 1] = {
	[CAN_GW_A_RULE_NAME] = { .type = NLA_NUL_STRING, .len = CAN_GW_MAX_NAME_LEN, },
	[CAN_GW_A_RULE_SOURCE] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_DESTINATION] = NLA_POLICY_MIN(NLA_U32, 1),
	[CAN_GW_A_RULE_FRAMES] = NLA_POLICY_MAX(NLA_U32, 2),
};

/* CAN_GW_CMD_TRANSACTION_BEGIN - do */
static const struct nla_policy can_gw_transaction_begin_nl_policy[CAN_GW_A_TABLE_SOURCE + 1] = {
	[CAN_GW_A_TABLE_SOURCE] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* CAN_GW_CMD_TRANSACTION_COMMIT - do */
static const struct nla_policy can_gw_transaction_commit_nl_policy[CAN_GW_A_TABLE_GENERATION + 1] = {
	[CAN_GW_A_TABLE_RULES] = { .type = NLA_U32, },
	[CAN_GW_A_TABLE_GENERATION] = { .type = NLA_U32, },
};

/* CAN_GW_CMD_TABLE_GET - do */
static const struct nla_policy can_gw_table_get_nl_policy[CAN_GW_A_TABLE_SOURCE + 1] = {
	[CAN_GW_A_TABLE_SOURCE] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* Ops table for can_gw */
static const struct genl_split_ops can_gw_nl_ops[] = {
	{
		.cmd		= CAN_GW_CMD_RULE_ADD,
		.doit		= can_gw_nl_rule_add_doit,
		.policy		= can_gw_rule_add_nl_policy,
		.maxattr	= CAN_GW_A_RULE_LIFETIME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= CAN_GW_CMD_RULE_REPLACE,
		.doit		= can_gw_nl_rule_replace_doit,
		.policy		= can_gw_rule_replace_nl_policy,
		.maxattr	= CAN_GW_A_RULE_LIFETIME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= CAN_GW_CMD_RULE_DEL,
		.doit		= can_gw_nl_rule_del_doit,
		.policy		= can_gw_rule_del_nl_policy,
		.maxattr	= CAN_GW_A_RULE_HANDLE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= CAN_GW_CMD_RULE_GET,
		.doit		= can_gw_nl_rule_get_doit,
		.policy		= can_gw_rule_get_do_nl_policy,
		.maxattr	= CAN_GW_A_RULE_HANDLE,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= CAN_GW_CMD_RULE_GET,
		.start		= can_gw_nl_dump_start,
		.dumpit		= can_gw_nl_rule_get_dumpit,
		.policy		= can_gw_rule_get_dump_nl_policy,
		.maxattr	= CAN_GW_A_RULE_FRAMES,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= CAN_GW_CMD_RULE_RESET,
		.doit		= can_gw_nl_rule_reset_doit,
		.policy		= can_gw_rule_reset_do_nl_policy,
		.maxattr	= CAN_GW_A_RULE_HANDLE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= CAN_GW_CMD_RULE_RESET,
		.start		= can_gw_nl_dump_start,
		.dumpit		= can_gw_nl_rule_reset_dumpit,
		.policy		= can_gw_rule_reset_dump_nl_policy,
		.maxattr	= CAN_GW_A_RULE_FRAMES,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= CAN_GW_CMD_TRANSACTION_BEGIN,
		.doit		= can_gw_nl_transaction_begin_doit,
		.policy		= can_gw_transaction_begin_nl_policy,
		.maxattr	= CAN_GW_A_TABLE_SOURCE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= CAN_GW_CMD_TRANSACTION_COMMIT,
		.doit		= can_gw_nl_transaction_commit_doit,
		.policy		= can_gw_transaction_commit_nl_policy,
		.maxattr	= CAN_GW_A_TABLE_GENERATION,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd	= CAN_GW_CMD_TRANSACTION_ABORT,
		.doit	= can_gw_nl_transaction_abort_doit,
		.flags	= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= CAN_GW_CMD_TABLE_GET,
		.doit		= can_gw_nl_table_get_doit,
		.policy		= can_gw_table_get_nl_policy,
		.maxattr	= CAN_GW_A_TABLE_SOURCE,
		.flags		= GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group can_gw_nl_mcgrps[] = {
	[CAN_GW_NLGRP_RULES] = { "rules", },
};

struct genl_family can_gw_nl_family __ro_after_init = {
	.name		= CAN_GW_FAMILY_NAME,
	.version	= CAN_GW_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= can_gw_nl_ops,
	.n_split_ops	= ARRAY_SIZE(can_gw_nl_ops),
	.mcgrps		= can_gw_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(can_gw_nl_mcgrps),
};
