// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert rules to rtnetlink messages of the gateway and back; see <linux/can/gw.h>. The
 * attributes have packed structs of fixed sizes.
 */
#include <string.h>

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <linux/can/gw.h>
#include <linux/rtnetlink.h>

#include "cli.h"
#include "ifnames.h"
#include "stock-message.h"

/* struct value_bit - a bit of CGW_MOD_*, and the attribute of struct operand */
static const struct value_bit {
	uint8_t bit;
	unsigned int attr;
} value_bits[] = {
	{ CGW_MOD_ID, CAN_GW_A_OPERAND_ID },
	{ CGW_MOD_LEN, CAN_GW_A_OPERAND_LEN },
	{ CGW_MOD_DATA, CAN_GW_A_OPERAND_DATA },
	{ CGW_MOD_FLAGS, CAN_GW_A_OPERAND_FLAGS },
};

static const struct flag {
	uint16_t rtnetlink;
	uint32_t rule;
} flags[] = {
	{ CGW_FLAGS_CAN_ECHO, CAN_GW_FLAGS_ECHO },
	{ CGW_FLAGS_CAN_SRC_TSTAMP, CAN_GW_FLAGS_SRC_TSTAMP },
	{ CGW_FLAGS_CAN_IIF_TX_OK, CAN_GW_FLAGS_RETURN },
};

/* Classical CAN, CAN FD */
static const int operation_attrs[OPERATIONS][2] = {
	[OPERATION_AND] = { CGW_MOD_AND, CGW_FDMOD_AND },
	[OPERATION_OR] = { CGW_MOD_OR, CGW_FDMOD_OR },
	[OPERATION_XOR] = { CGW_MOD_XOR, CGW_FDMOD_XOR },
	[OPERATION_SET] = { CGW_MOD_SET, CGW_FDMOD_SET },
};

static void put(struct nl_msg *msg, int attr, const void *data, int len)
{
	if (nla_put(msg, attr, len, data))
		cli_fail("no memory for a message");
}

static struct nl_msg *begin_message(int type, uint16_t message_flags)
{
	struct rtcanmsg header = { .can_family = AF_CAN, .gwtype = CGW_TYPE_CAN_CAN,
				   .flags = message_flags };
	struct nl_msg *msg = nlmsg_alloc_simple(type, 0);

	if (!msg || nlmsg_append(msg, &header, sizeof(header), NLMSG_ALIGNTO))
		cli_fail("no memory for a message");
	return msg;
}

/*
 * Fields that the operation does not use: cangw sends and lists those that it was given, and
 * removes only a rule in which they are equal.
 */
static bool has_value(const struct rule *rule, const struct operand *operand, unsigned int attr)
{
	return operand->given & BIT(attr) || rule->cangw;
}

static void put_operand(struct nl_msg *msg, const struct rule *rule, enum operation op)
{
	const struct operand *operand = &rule->operands[op];
	bool fd = rule->frames == CAN_GW_FRAMES_FD;
	struct cgw_fdframe_mod mod = { 0 };
	struct cgw_frame_mod cc = { 0 };

	if (!operand->given)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(value_bits); i++)
		if (operand->given & BIT(value_bits[i].attr))
			mod.modtype |= value_bits[i].bit;
	if (has_value(rule, operand, CAN_GW_A_OPERAND_ID))
		mod.cf.can_id = operand->value[CAN_GW_A_OPERAND_ID];
	if (has_value(rule, operand, CAN_GW_A_OPERAND_LEN))
		mod.cf.len = operand->value[CAN_GW_A_OPERAND_LEN];
	if (fd && has_value(rule, operand, CAN_GW_A_OPERAND_FLAGS))
		mod.cf.flags = operand->value[CAN_GW_A_OPERAND_FLAGS];
	if (has_value(rule, operand, CAN_GW_A_OPERAND_DATA)) {
		memset(mod.cf.data, operation_neutral(op), sizeof(mod.cf.data));
		memcpy(mod.cf.data, operand->data, operand->data_len);
	}
	if (fd) {
		put(msg, operation_attrs[op][1], &mod, sizeof(mod));
		return;
	}
	cc.cf.can_id = mod.cf.can_id;
	cc.cf.len = mod.cf.len;
	memcpy(cc.cf.data, mod.cf.data, sizeof(cc.cf.data));
	cc.modtype = mod.modtype;
	put(msg, operation_attrs[op][0], &cc, sizeof(cc));
}

static void put_crc8(struct nl_msg *msg, const struct crc8_checksum *crc8)
{
	struct cgw_csum_crc8 csum = {
		.from_idx = crc8->offsets.from,
		.to_idx = crc8->offsets.to,
		.result_idx = crc8->offsets.result,
		.init_crc_val = crc8->init,
		.final_xor_val = crc8->final,
		.profile = crc8->profile,
	};

	memcpy(csum.crctab, crc8->table, sizeof(csum.crctab));
	memcpy(csum.profile_data, crc8->profile_data, profile_data_len(crc8->profile));
	put(msg, CGW_CS_CRC8, &csum, sizeof(csum));
}

static void put_xor(struct nl_msg *msg, const struct xor_checksum *xor)
{
	struct cgw_csum_xor csum = {
		.from_idx = xor->offsets.from,
		.to_idx = xor->offsets.to,
		.result_idx = xor->offsets.result,
		.init_xor_val = xor->init,
	};

	put(msg, CGW_CS_XOR, &csum, sizeof(csum));
}

static uint16_t rtnetlink_flags(const struct rule *rule)
{
	uint16_t result = rule->frames == CAN_GW_FRAMES_FD ? CGW_FLAGS_CAN_FD : 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (rule->flags & flags[i].rule)
			result |= flags[i].rtnetlink;
	return result;
}

struct nl_msg *stock_put(const struct rule *rule, int type)
{
	struct can_filter filter = { rule->filter_id, rule->filter_mask };
	uint32_t source = ifnames_index(rule->source);
	uint32_t destination = ifnames_index(rule->destination);
	struct nl_msg *msg = begin_message(type, rtnetlink_flags(rule));

	if (rule->hop_limit)
		put(msg, CGW_LIM_HOPS, &rule->hop_limit, sizeof(rule->hop_limit));
	for (int i = 0; i < OPERATIONS; i++)
		put_operand(msg, rule, i);
	if (rule->uid)
		put(msg, CGW_MOD_UID, &rule->uid, sizeof(rule->uid));
	if (rule->crc8.given)
		put_crc8(msg, &rule->crc8);
	if (rule->xor.given)
		put_xor(msg, &rule->xor);
	/* A dump has no filter for all frames. */
	if (rule->filtered && (filter.can_id || filter.can_mask))
		put(msg, CGW_FILTER, &filter, sizeof(filter));
	put(msg, CGW_SRC_IF, &source, sizeof(source));
	put(msg, CGW_DST_IF, &destination, sizeof(destination));
	return msg;
}

/* No rule has interfaces of the index 0, which select all rules. */
struct nl_msg *stock_put_flush(void)
{
	struct nl_msg *msg = begin_message(RTM_DELROUTE, 0);
	uint32_t all = 0;

	put(msg, CGW_SRC_IF, &all, sizeof(all));
	put(msg, CGW_DST_IF, &all, sizeof(all));
	return msg;
}

static bool is_counter(const struct nlattr *attr)
{
	int type = nla_type(attr);

	return type == CGW_HANDLED || type == CGW_DROPPED || type == CGW_DELETED;
}

struct nl_msg *stock_copy(const struct nlmsghdr *nlh, int type)
{
	const struct rtcanmsg *header = nlmsg_data(nlh);
	struct nl_msg *msg = begin_message(type, header->flags);
	struct nlattr *attr;
	int left;

	nlmsg_for_each_attr(attr, (struct nlmsghdr *)nlh, sizeof(*header), left)
		if (!is_counter(attr))
			put(msg, nla_type(attr), nla_data(attr), nla_len(attr));
	return msg;
}

static void get_operand(struct operand *operand, const struct nlattr *attr, bool fd)
{
	struct cgw_fdframe_mod mod;
	struct cgw_frame_mod cc;

	if (fd) {
		memcpy(&mod, nla_data(attr), sizeof(mod));
	} else {
		memcpy(&cc, nla_data(attr), sizeof(cc));
		mod.cf.can_id = cc.cf.can_id;
		mod.cf.len = cc.cf.len;
		mod.cf.flags = 0;
		memcpy(mod.cf.data, cc.cf.data, sizeof(cc.cf.data));
		mod.modtype = cc.modtype & ~CGW_MOD_FLAGS;
	}
	for (size_t i = 0; i < ARRAY_SIZE(value_bits); i++)
		if (mod.modtype & value_bits[i].bit)
			operand->given |= BIT(value_bits[i].attr);
	operand->value[CAN_GW_A_OPERAND_ID] = mod.cf.can_id;
	operand->value[CAN_GW_A_OPERAND_LEN] = mod.cf.len;
	operand->value[CAN_GW_A_OPERAND_FLAGS] = mod.cf.flags;
	if (!(mod.modtype & CGW_MOD_DATA))
		return;
	operand->data_len = fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
	memcpy(operand->data, mod.cf.data, operand->data_len);
}

static void get_crc8(struct crc8_checksum *crc8, const struct nlattr *attr)
{
	struct cgw_csum_crc8 csum;

	memcpy(&csum, nla_data(attr), sizeof(csum));
	crc8->given = true;
	crc8->offsets = (struct checksum_offsets){ csum.from_idx, csum.to_idx, csum.result_idx };
	crc8->init = csum.init_crc_val;
	crc8->final = csum.final_xor_val;
	memcpy(crc8->table, csum.crctab, sizeof(crc8->table));
	/* The kernel takes any number, and ignores those that it does not know. */
	if (csum.profile < PROFILES)
		crc8->profile = csum.profile;
	memcpy(crc8->profile_data, csum.profile_data, profile_data_len(crc8->profile));
}

static void get_xor(struct xor_checksum *xor, const struct nlattr *attr)
{
	struct cgw_csum_xor csum;

	memcpy(&csum, nla_data(attr), sizeof(csum));
	xor->given = true;
	xor->offsets = (struct checksum_offsets){ csum.from_idx, csum.to_idx, csum.result_idx };
	xor->init = csum.init_xor_val;
}

static void get_filter(struct rule *rule, const struct nlattr *attr)
{
	struct can_filter filter;

	memcpy(&filter, nla_data(attr), sizeof(filter));
	rule->filtered = true;
	rule->filter_id = filter.can_id;
	rule->filter_mask = filter.can_mask;
}

static uint32_t get_u32(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

/* NLA_UNSPEC: at least this size */
static const struct nla_policy policy[CGW_MAX + 1] = {
	[CGW_MOD_AND] = { .minlen = sizeof(struct cgw_frame_mod) },
	[CGW_MOD_OR] = { .minlen = sizeof(struct cgw_frame_mod) },
	[CGW_MOD_XOR] = { .minlen = sizeof(struct cgw_frame_mod) },
	[CGW_MOD_SET] = { .minlen = sizeof(struct cgw_frame_mod) },
	[CGW_CS_XOR] = { .minlen = sizeof(struct cgw_csum_xor) },
	[CGW_CS_CRC8] = { .minlen = sizeof(struct cgw_csum_crc8) },
	[CGW_HANDLED] = { .type = NLA_U32 },
	[CGW_DROPPED] = { .type = NLA_U32 },
	[CGW_SRC_IF] = { .type = NLA_U32 },
	[CGW_DST_IF] = { .type = NLA_U32 },
	[CGW_FILTER] = { .minlen = sizeof(struct can_filter) },
	[CGW_DELETED] = { .type = NLA_U32 },
	[CGW_LIM_HOPS] = { .type = NLA_U8 },
	[CGW_MOD_UID] = { .type = NLA_U32 },
	[CGW_FDMOD_AND] = { .minlen = sizeof(struct cgw_fdframe_mod) },
	[CGW_FDMOD_OR] = { .minlen = sizeof(struct cgw_fdframe_mod) },
	[CGW_FDMOD_XOR] = { .minlen = sizeof(struct cgw_fdframe_mod) },
	[CGW_FDMOD_SET] = { .minlen = sizeof(struct cgw_fdframe_mod) },
};

static void get_counters(struct stats *stats, struct nlattr **attrs)
{
	stats->sent = get_u32(attrs[CGW_HANDLED]);
	stats->dropped = get_u32(attrs[CGW_DROPPED]);
	stats->deleted = get_u32(attrs[CGW_DELETED]);
}

static void get_modifications(struct rule *rule, struct nlattr **attrs)
{
	bool fd = rule->frames == CAN_GW_FRAMES_FD;

	for (int i = 0; i < OPERATIONS; i++) {
		const struct nlattr *attr = attrs[operation_attrs[i][fd]];

		if (attr)
			get_operand(&rule->operands[i], attr, fd);
	}
	rule_trim(rule);
	if (attrs[CGW_CS_CRC8])
		get_crc8(&rule->crc8, attrs[CGW_CS_CRC8]);
	if (attrs[CGW_CS_XOR])
		get_xor(&rule->xor, attrs[CGW_CS_XOR]);
	rule->uid = get_u32(attrs[CGW_MOD_UID]);
}

bool stock_get(struct rule *rule, const struct nlmsghdr *nlh)
{
	const struct rtcanmsg *header = nlmsg_data(nlh);
	struct nlattr *attrs[CGW_MAX + 1];

	if (nlh->nlmsg_type != RTM_NEWROUTE || nlh->nlmsg_len < NLMSG_LENGTH(sizeof(*header)) ||
	    header->can_family != AF_CAN || header->gwtype != CGW_TYPE_CAN_CAN ||
	    nlmsg_parse((struct nlmsghdr *)nlh, sizeof(*header), attrs, CGW_MAX, policy))
		return false;
	rule_clear(rule);
	rule->frames = header->flags & CGW_FLAGS_CAN_FD ? CAN_GW_FRAMES_FD : CAN_GW_FRAMES_CC;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (header->flags & flags[i].rtnetlink)
			rule->flags |= flags[i].rule;
	ifnames_name(get_u32(attrs[CGW_SRC_IF]), rule->source);
	ifnames_name(get_u32(attrs[CGW_DST_IF]), rule->destination);
	if (attrs[CGW_FILTER])
		get_filter(rule, attrs[CGW_FILTER]);
	if (attrs[CGW_LIM_HOPS])
		rule->hop_limit = nla_get_u8(attrs[CGW_LIM_HOPS]);
	get_modifications(rule, attrs);
	get_counters(&rule->stats, attrs);
	return true;
}
