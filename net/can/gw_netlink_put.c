// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Rules and tables in messages: contexts are described in gw_netlink.h. */
#include <linux/can/gw.h>
#include <linux/netdevice.h>
#include <net/genetlink.h>

#include "gw_netlink.h"

/* Upper bound of the attributes of a rule without operand data, in bytes */
#define CGW_NL_RULE_SIZE 1024

/**
 * cgw_nl_rule_size() - get the message size for a rule
 * @rule: rule
 *
 * Context: Process context, under rtnl_lock().
 * Return: upper bound of the bytes that cgw_nl_put_rule() needs.
 */
size_t cgw_nl_rule_size(const struct cgw_rule *rule)
{
	/* a modification contains the data of its operands */
	return CGW_NL_RULE_SIZE + cgw_mod_size(cgw_rule_mod(rule));
}

static int cgw_nl_put_operand(struct sk_buff *skb, const struct cgw_mod *mod,
			      enum cgw_op op)
{
	unsigned int len = mod->frames == CGW_FRAMES_FD ? CANFD_MAX_DLEN :
							  CAN_MAX_DLEN;
	u8 fields = mod->fields[op];
	struct canfd_frame cf;

	cgw_mod_operand(mod, op, &cf);
	if (fields & CGW_MOD_ID &&
	    nla_put_u32(skb, CAN_GW_A_OPERAND_ID, cf.can_id))
		return -EMSGSIZE;
	if (fields & CGW_MOD_LEN &&
	    nla_put_u8(skb, CAN_GW_A_OPERAND_LEN, cf.len))
		return -EMSGSIZE;
	if (fields & CGW_MOD_FLAGS && mod->frames == CGW_FRAMES_FD &&
	    nla_put_u8(skb, CAN_GW_A_OPERAND_FLAGS, cf.flags))
		return -EMSGSIZE;
	if (fields & CGW_MOD_DATA &&
	    nla_put(skb, CAN_GW_A_OPERAND_DATA, len, cf.data))
		return -EMSGSIZE;
	return 0;
}

static int cgw_nl_put_xl_operand(struct sk_buff *skb, const struct cgw_mod *mod,
				 enum cgw_op op)
{
	const struct canxl_frame *cxl = cgw_mod_xl_operand(mod, op);
	u8 fields = mod->fields[op];

	if (fields & CGW_MOD_XL_SEC &&
	    nla_put_u8(skb, CAN_GW_A_OPERAND_FLAGS, cxl->flags))
		return -EMSGSIZE;
	if (fields & CGW_MOD_XL_PRIO &&
	    nla_put_u32(skb, CAN_GW_A_OPERAND_PRIO,
			cxl->prio & CANXL_PRIO_MASK))
		return -EMSGSIZE;
	if (fields & CGW_MOD_XL_VCID &&
	    nla_put_u8(skb, CAN_GW_A_OPERAND_VCID,
		       cxl->prio >> CANXL_VCID_OFFSET & CANXL_VCID_VAL_MASK))
		return -EMSGSIZE;
	if (fields & CGW_MOD_XL_SDT &&
	    nla_put_u8(skb, CAN_GW_A_OPERAND_SDT, cxl->sdt))
		return -EMSGSIZE;
	if (fields & CGW_MOD_XL_AF &&
	    nla_put_u32(skb, CAN_GW_A_OPERAND_AF, cxl->af))
		return -EMSGSIZE;
	if (fields & CGW_MOD_DATA &&
	    nla_put(skb, CAN_GW_A_OPERAND_DATA, cxl->len, cxl->data))
		return -EMSGSIZE;
	return 0;
}

static int cgw_nl_put_op(struct sk_buff *skb, const struct cgw_mod *mod,
			 enum cgw_op op)
{
	struct nlattr *nest;
	int err;

	if (!mod->fields[op])
		return 0;
	nest = nla_nest_start(skb, CAN_GW_A_RULE_AND + op);
	if (!nest)
		return -EMSGSIZE;
	if (mod->frames == CGW_FRAMES_XL)
		err = cgw_nl_put_xl_operand(skb, mod, op);
	else
		err = cgw_nl_put_operand(skb, mod, op);
	nla_nest_end(skb, nest);
	return err;
}

/* The attributes of offsets have the same numbers in both checksums. */
static int cgw_nl_put_span(struct sk_buff *skb, const struct cgw_span *span)
{
	if (nla_put_s32(skb, CAN_GW_A_XOR_CHECKSUM_FROM, span->from) ||
	    nla_put_s32(skb, CAN_GW_A_XOR_CHECKSUM_TO, span->to) ||
	    nla_put_s32(skb, CAN_GW_A_XOR_CHECKSUM_RESULT, span->result))
		return -EMSGSIZE;
	return 0;
}

static int cgw_nl_put_xor(struct sk_buff *skb, const struct cgw_xor *xor)
{
	struct nlattr *nest = nla_nest_start(skb, CAN_GW_A_RULE_XOR_CHECKSUM);

	if (!nest || cgw_nl_put_span(skb, &xor->span) ||
	    nla_put_u8(skb, CAN_GW_A_XOR_CHECKSUM_INIT, xor->init))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int cgw_nl_put_profile(struct sk_buff *skb, const struct cgw_crc8 *crc8)
{
	/* rtnetlink accepts unknown profiles, which have no effect */
	if (crc8->profile == CGW_CRC8PRF_UNSPEC ||
	    crc8->profile > CGW_CRC8PRF_MAX)
		return 0;
	if (nla_put_u32(skb, CAN_GW_A_CRC8_CHECKSUM_PROFILE, crc8->profile))
		return -EMSGSIZE;
	if (crc8->profile == CGW_CRC8PRF_SFFID_XOR)
		return 0;
	return nla_put(skb, CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA,
		       sizeof(crc8->profile_data), crc8->profile_data);
}

static int cgw_nl_put_crc8(struct sk_buff *skb, const struct cgw_crc8 *crc8)
{
	struct nlattr *nest = nla_nest_start(skb, CAN_GW_A_RULE_CRC8_CHECKSUM);

	if (!nest || cgw_nl_put_span(skb, &crc8->span) ||
	    nla_put_u8(skb, CAN_GW_A_CRC8_CHECKSUM_INIT, crc8->init) ||
	    nla_put_u8(skb, CAN_GW_A_CRC8_CHECKSUM_FINAL, crc8->final) ||
	    nla_put(skb, CAN_GW_A_CRC8_CHECKSUM_TABLE, sizeof(crc8->table),
		    crc8->table) ||
	    cgw_nl_put_profile(skb, crc8))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int cgw_nl_put_mod(struct sk_buff *skb, const struct cgw_mod *mod)
{
	enum cgw_op op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		if (cgw_nl_put_op(skb, mod, op))
			return -EMSGSIZE;
	if (mod->uid && nla_put_u32(skb, CAN_GW_A_RULE_UID, mod->uid))
		return -EMSGSIZE;
	if (mod->has_crc8 && cgw_nl_put_crc8(skb, cgw_mod_crc8(mod)))
		return -EMSGSIZE;
	if (mod->has_xor && cgw_nl_put_xor(skb, &mod->xor))
		return -EMSGSIZE;
	return 0;
}

static int cgw_nl_put_filter(struct sk_buff *skb,
			     const struct can_filter *filter)
{
	if (!filter->can_id && !filter->can_mask)
		return 0;
	if (nla_put_u32(skb, CAN_GW_A_RULE_FILTER_ID, filter->can_id) ||
	    nla_put_u32(skb, CAN_GW_A_RULE_FILTER_MASK, filter->can_mask))
		return -EMSGSIZE;
	return 0;
}

static int cgw_nl_put_key(struct sk_buff *skb, const struct cgw_key *key)
{
	/* rtnetlink accepts unknown flags */
	u32 flags = key->flags & (CAN_GW_FLAGS_ECHO | CAN_GW_FLAGS_SRC_TSTAMP |
				  CAN_GW_FLAGS_RETURN);

	if (nla_put_u32(skb, CAN_GW_A_RULE_SOURCE, key->src_idx) ||
	    nla_put_u32(skb, CAN_GW_A_RULE_DESTINATION, key->dst_idx) ||
	    nla_put_u32(skb, CAN_GW_A_RULE_FRAMES, key->frames) ||
	    cgw_nl_put_filter(skb, &key->filter))
		return -EMSGSIZE;
	if (flags && nla_put_u32(skb, CAN_GW_A_RULE_FLAGS, flags))
		return -EMSGSIZE;
	if (key->limit_hops &&
	    nla_put_u8(skb, CAN_GW_A_RULE_HOP_LIMIT, key->limit_hops))
		return -EMSGSIZE;
	return 0;
}

static int cgw_nl_put_express(struct sk_buff *skb,
			      const struct cgw_express *express)
{
	if (!express->on)
		return 0;
	if (nla_put_flag(skb, CAN_GW_A_RULE_EXPRESS))
		return -EMSGSIZE;
	if (cgw_express_pending(express) && nla_put_flag(skb, CAN_GW_A_RULE_PENDING))
		return -EMSGSIZE;
	if (express->lifetime &&
	    nla_put_uint(skb, CAN_GW_A_RULE_LIFETIME, express->lifetime))
		return -EMSGSIZE;
	return 0;
}

static int cgw_nl_put_stats(struct sk_buff *skb, const u64 sum[CGW_EV_COUNT])
{
	struct nlattr *nest = nla_nest_start(skb, CAN_GW_A_RULE_STATS);

	if (!nest ||
	    nla_put_uint(skb, CAN_GW_A_STATS_MATCHED, cgw_stats_matched(sum)) ||
	    nla_put_uint(skb, CAN_GW_A_STATS_SENT, sum[CGW_EV_SENT]) ||
	    nla_put_uint(skb, CAN_GW_A_STATS_DROPPED, sum[CGW_EV_DROPPED]) ||
	    nla_put_uint(skb, CAN_GW_A_STATS_DELETED, sum[CGW_EV_DELETED]) ||
	    nla_put_uint(skb, CAN_GW_A_STATS_SKIPPED, sum[CGW_EV_SKIPPED]))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * cgw_nl_put_rule() - add the attributes of a rule to a message
 * @skb: message; the attributes are incomplete on error
 * @rule: rule
 * @sum: counters, from cgw_rule_stats()
 *
 * Context: Process context, under rtnl_lock().
 * Return: 0 or -EMSGSIZE.
 */
int cgw_nl_put_rule(struct sk_buff *skb, const struct cgw_rule *rule,
		    const u64 sum[CGW_EV_COUNT])
{
	const struct cgw_mod *mod = cgw_rule_mod(rule);

	if (nla_put_uint(skb, CAN_GW_A_RULE_HANDLE, rule->handle) ||
	    cgw_nl_put_key(skb, &rule->key))
		return -EMSGSIZE;
	if (rule->name && nla_put_string(skb, CAN_GW_A_RULE_NAME, rule->name))
		return -EMSGSIZE;
	if (mod && cgw_nl_put_mod(skb, mod))
		return -EMSGSIZE;
	if (cgw_nl_put_express(skb, &rule->express))
		return -EMSGSIZE;
	return cgw_nl_put_stats(skb, sum);
}

/* Message size for cgw_nl_put_table() in bytes. */
size_t cgw_nl_table_size(void)
{
	return CAN_GW_A_TABLE_MAX * nla_total_size(sizeof(u32));
}

/**
 * cgw_nl_put_table() - add the attributes of the active table to a message
 * @skb: message
 * @gn: gateway
 * @dev: count only the rules of this source, or NULL
 *
 * Context: Process context, under rtnl_lock().
 * Return: 0 or -EMSGSIZE.
 */
int cgw_nl_put_table(struct sk_buff *skb, struct cgw_net *gn,
		     const struct net_device *dev)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_source *source = dev ? cgw_table_source(table, dev) : NULL;

	if (dev && nla_put_u32(skb, CAN_GW_A_TABLE_SOURCE, dev->ifindex))
		return -EMSGSIZE;
	if (nla_put_u32(skb, CAN_GW_A_TABLE_RULES,
			dev ? cgw_source_count(source) : table->count) ||
	    nla_put_u32(skb, CAN_GW_A_TABLE_LIMIT, READ_ONCE(gn->limit)) ||
	    nla_put_u32(skb, CAN_GW_A_TABLE_GENERATION, gn->generation))
		return -EMSGSIZE;
	return 0;
}
