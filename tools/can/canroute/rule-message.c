// SPDX-License-Identifier: GPL-2.0-only
/*
 * Convert rules to messages of the netlink family can-gw and back; see
 * Documentation/netlink/specs/can-gw.yaml.
 */
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <linux/genetlink.h>

#include "cli.h"
#include "ifnames.h"
#include "rule-message.h"

static const uint16_t operation_attrs[OPERATIONS] = {
	[OPERATION_AND] = CAN_GW_A_RULE_AND,
	[OPERATION_OR] = CAN_GW_A_RULE_OR,
	[OPERATION_XOR] = CAN_GW_A_RULE_XOR,
	[OPERATION_SET] = CAN_GW_A_RULE_SET,
};

static void put_operand(struct messages *m, uint16_t type, const struct operand *operand)
{
	size_t nest;

	if (!operand->given)
		return;
	nest = message_nest_begin(m, type);
	for (unsigned int i = 1; i < CAN_GW_A_OPERAND_DATA; i++) {
		if (!(operand->given & BIT(i)))
			continue;
		if (fields[i].bytes == 1)
			message_put_u8(m, i, operand->value[i]);
		else
			message_put_u32(m, i, operand->value[i]);
	}
	if (operand->given & BIT(CAN_GW_A_OPERAND_DATA))
		message_put(m, CAN_GW_A_OPERAND_DATA, operand->data, operand->data_len);
	message_nest_end(m, nest);
}

static void put_crc8(struct messages *m, const struct crc8_checksum *crc8)
{
	size_t nest = message_nest_begin(m, CAN_GW_A_RULE_CRC8_CHECKSUM);

	message_put_s32(m, CAN_GW_A_CRC8_CHECKSUM_FROM, crc8->offsets.from);
	message_put_s32(m, CAN_GW_A_CRC8_CHECKSUM_TO, crc8->offsets.to);
	message_put_s32(m, CAN_GW_A_CRC8_CHECKSUM_RESULT, crc8->offsets.result);
	message_put_u8(m, CAN_GW_A_CRC8_CHECKSUM_INIT, crc8->init);
	message_put_u8(m, CAN_GW_A_CRC8_CHECKSUM_FINAL, crc8->final);
	message_put(m, CAN_GW_A_CRC8_CHECKSUM_TABLE, crc8->table, sizeof(crc8->table));
	if (crc8->profile)
		message_put_u32(m, CAN_GW_A_CRC8_CHECKSUM_PROFILE, crc8->profile);
	if (profile_data_len(crc8->profile))
		message_put(m, CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA, crc8->profile_data,
			    sizeof(crc8->profile_data));
	message_nest_end(m, nest);
}

static void put_xor(struct messages *m, const struct xor_checksum *xor)
{
	size_t nest = message_nest_begin(m, CAN_GW_A_RULE_XOR_CHECKSUM);

	message_put_s32(m, CAN_GW_A_XOR_CHECKSUM_FROM, xor->offsets.from);
	message_put_s32(m, CAN_GW_A_XOR_CHECKSUM_TO, xor->offsets.to);
	message_put_s32(m, CAN_GW_A_XOR_CHECKSUM_RESULT, xor->offsets.result);
	message_put_u8(m, CAN_GW_A_XOR_CHECKSUM_INIT, xor->init);
	message_nest_end(m, nest);
}

const char *rule_put(struct messages *m, const struct rule *rule)
{
	unsigned int source = ifnames_index(rule->source);
	unsigned int destination = ifnames_index(rule->destination);

	if (!source)
		return rule->source;
	if (!destination)
		return rule->destination;
	if (rule->handle)
		message_put_uint(m, CAN_GW_A_RULE_HANDLE, rule->handle);
	if (rule->name[0])
		message_put_string(m, CAN_GW_A_RULE_NAME, rule->name);
	message_put_u32(m, CAN_GW_A_RULE_SOURCE, source);
	message_put_u32(m, CAN_GW_A_RULE_DESTINATION, destination);
	if (rule->frames)
		message_put_u32(m, CAN_GW_A_RULE_FRAMES, rule->frames);
	if (rule->flags)
		message_put_u32(m, CAN_GW_A_RULE_FLAGS, rule->flags);
	if (rule->filtered) {
		message_put_u32(m, CAN_GW_A_RULE_FILTER_ID, rule->filter_id);
		message_put_u32(m, CAN_GW_A_RULE_FILTER_MASK, rule->filter_mask);
	}
	if (rule->express)
		message_put(m, CAN_GW_A_RULE_EXPRESS, NULL, 0);
	if (rule->lifetime)
		message_put_uint(m, CAN_GW_A_RULE_LIFETIME, rule->lifetime);
	if (rule->hop_limit)
		message_put_u8(m, CAN_GW_A_RULE_HOP_LIMIT, rule->hop_limit);
	if (rule->uid)
		message_put_u32(m, CAN_GW_A_RULE_UID, rule->uid);
	for (int i = 0; i < OPERATIONS; i++)
		put_operand(m, operation_attrs[i], &rule->operands[i]);
	if (rule->crc8.given)
		put_crc8(m, &rule->crc8);
	if (rule->xor.given)
		put_xor(m, &rule->xor);
	return NULL;
}

/* Attributes of type "uint" have 4 or 8 bytes. */
static uint64_t get_uint(const struct nlattr *attr)
{
	uint64_t large;
	uint32_t small;

	if (!attr)
		return 0;
	if (nla_len(attr) == sizeof(large)) {
		memcpy(&large, nla_data(attr), sizeof(large));
		return large;
	}
	if (nla_len(attr) != sizeof(small))
		return 0;
	memcpy(&small, nla_data(attr), sizeof(small));
	return small;
}

static uint32_t get_u32(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static uint8_t get_u8(const struct nlattr *attr)
{
	return attr ? nla_get_u8(attr) : 0;
}

/* Attributes of the wrong size are errors; unknown attributes are ignored. */
static const struct nla_policy operand_policy[CAN_GW_A_OPERAND_MAX + 1] = {
	[CAN_GW_A_OPERAND_ID] = { .type = NLA_U32 },
	[CAN_GW_A_OPERAND_LEN] = { .type = NLA_U8 },
	[CAN_GW_A_OPERAND_FLAGS] = { .type = NLA_U8 },
	[CAN_GW_A_OPERAND_PRIO] = { .type = NLA_U32 },
	[CAN_GW_A_OPERAND_VCID] = { .type = NLA_U8 },
	[CAN_GW_A_OPERAND_SDT] = { .type = NLA_U8 },
	[CAN_GW_A_OPERAND_AF] = { .type = NLA_U32 },
	[CAN_GW_A_OPERAND_DATA] = { .maxlen = CAN_GW_MAX_DATA },
};

static bool get_operand(struct operand *operand, struct nlattr *nest)
{
	struct nlattr *attrs[CAN_GW_A_OPERAND_MAX + 1];

	if (!nest)
		return true;
	if (nla_parse_nested(attrs, CAN_GW_A_OPERAND_MAX, nest, operand_policy))
		return false;
	for (unsigned int i = 1; i <= CAN_GW_A_OPERAND_MAX; i++) {
		if (!attrs[i])
			continue;
		operand->given |= BIT(i);
		if (fields[i].bytes == 1)
			operand->value[i] = nla_get_u8(attrs[i]);
		else if (fields[i].bytes == 4)
			operand->value[i] = nla_get_u32(attrs[i]);
	}
	if (attrs[CAN_GW_A_OPERAND_DATA]) {
		operand->data_len = nla_len(attrs[CAN_GW_A_OPERAND_DATA]);
		memcpy(operand->data, nla_data(attrs[CAN_GW_A_OPERAND_DATA]), operand->data_len);
	}
	return true;
}

static const struct nla_policy crc8_policy[CAN_GW_A_CRC8_CHECKSUM_MAX + 1] = {
	[CAN_GW_A_CRC8_CHECKSUM_FROM] = { .type = NLA_U32 },
	[CAN_GW_A_CRC8_CHECKSUM_TO] = { .type = NLA_U32 },
	[CAN_GW_A_CRC8_CHECKSUM_RESULT] = { .type = NLA_U32 },
	[CAN_GW_A_CRC8_CHECKSUM_INIT] = { .type = NLA_U8 },
	[CAN_GW_A_CRC8_CHECKSUM_FINAL] = { .type = NLA_U8 },
	[CAN_GW_A_CRC8_CHECKSUM_TABLE] = { .minlen = CAN_GW_CRC8_TABLE_LEN },
	[CAN_GW_A_CRC8_CHECKSUM_PROFILE] = { .type = NLA_U32 },
	[CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA] = { .minlen = CAN_GW_CRC8_PROFILE_DATA_LEN },
};

static bool get_crc8(struct crc8_checksum *crc8, struct nlattr *nest)
{
	struct nlattr *attrs[CAN_GW_A_CRC8_CHECKSUM_MAX + 1], *data;

	if (!nest)
		return true;
	if (nla_parse_nested(attrs, CAN_GW_A_CRC8_CHECKSUM_MAX, nest, crc8_policy) ||
	    !attrs[CAN_GW_A_CRC8_CHECKSUM_TABLE])
		return false;
	crc8->given = true;
	crc8->offsets.from = get_u32(attrs[CAN_GW_A_CRC8_CHECKSUM_FROM]);
	crc8->offsets.to = get_u32(attrs[CAN_GW_A_CRC8_CHECKSUM_TO]);
	crc8->offsets.result = get_u32(attrs[CAN_GW_A_CRC8_CHECKSUM_RESULT]);
	crc8->init = get_u8(attrs[CAN_GW_A_CRC8_CHECKSUM_INIT]);
	crc8->final = get_u8(attrs[CAN_GW_A_CRC8_CHECKSUM_FINAL]);
	memcpy(crc8->table, nla_data(attrs[CAN_GW_A_CRC8_CHECKSUM_TABLE]), sizeof(crc8->table));
	crc8->profile = get_u32(attrs[CAN_GW_A_CRC8_CHECKSUM_PROFILE]);
	data = attrs[CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA];
	if (data)
		memcpy(crc8->profile_data, nla_data(data), sizeof(crc8->profile_data));
	return true;
}

static const struct nla_policy xor_policy[CAN_GW_A_XOR_CHECKSUM_MAX + 1] = {
	[CAN_GW_A_XOR_CHECKSUM_FROM] = { .type = NLA_U32 },
	[CAN_GW_A_XOR_CHECKSUM_TO] = { .type = NLA_U32 },
	[CAN_GW_A_XOR_CHECKSUM_RESULT] = { .type = NLA_U32 },
	[CAN_GW_A_XOR_CHECKSUM_INIT] = { .type = NLA_U8 },
};

static bool get_xor(struct xor_checksum *xor, struct nlattr *nest)
{
	struct nlattr *attrs[CAN_GW_A_XOR_CHECKSUM_MAX + 1];

	if (!nest)
		return true;
	if (nla_parse_nested(attrs, CAN_GW_A_XOR_CHECKSUM_MAX, nest, xor_policy))
		return false;
	xor->given = true;
	xor->offsets.from = get_u32(attrs[CAN_GW_A_XOR_CHECKSUM_FROM]);
	xor->offsets.to = get_u32(attrs[CAN_GW_A_XOR_CHECKSUM_TO]);
	xor->offsets.result = get_u32(attrs[CAN_GW_A_XOR_CHECKSUM_RESULT]);
	xor->init = get_u8(attrs[CAN_GW_A_XOR_CHECKSUM_INIT]);
	return true;
}

static bool get_stats(struct stats *stats, struct nlattr *nest)
{
	struct nlattr *attrs[CAN_GW_A_STATS_MAX + 1];

	if (!nest)
		return true;
	if (nla_parse_nested(attrs, CAN_GW_A_STATS_MAX, nest, NULL))
		return false;
	stats->matched = get_uint(attrs[CAN_GW_A_STATS_MATCHED]);
	stats->sent = get_uint(attrs[CAN_GW_A_STATS_SENT]);
	stats->dropped = get_uint(attrs[CAN_GW_A_STATS_DROPPED]);
	stats->deleted = get_uint(attrs[CAN_GW_A_STATS_DELETED]);
	stats->skipped = get_uint(attrs[CAN_GW_A_STATS_SKIPPED]);
	return true;
}

static const struct nla_policy rule_policy[CAN_GW_A_RULE_MAX + 1] = {
	/* NLA_STRING would require a NUL at the end. */
	[CAN_GW_A_RULE_NAME] = { .maxlen = CAN_GW_MAX_NAME_LEN + 1 },
	[CAN_GW_A_RULE_SOURCE] = { .type = NLA_U32 },
	[CAN_GW_A_RULE_DESTINATION] = { .type = NLA_U32 },
	[CAN_GW_A_RULE_FRAMES] = { .type = NLA_U32 },
	[CAN_GW_A_RULE_FLAGS] = { .type = NLA_U32 },
	[CAN_GW_A_RULE_FILTER_ID] = { .type = NLA_U32 },
	[CAN_GW_A_RULE_FILTER_MASK] = { .type = NLA_U32 },
	[CAN_GW_A_RULE_HOP_LIMIT] = { .type = NLA_U8 },
	[CAN_GW_A_RULE_UID] = { .type = NLA_U32 },
};

bool rule_get(struct rule *rule, const struct nlmsghdr *nlh)
{
	struct nlattr *attrs[CAN_GW_A_RULE_MAX + 1];

	rule_clear(rule);
	if (nlmsg_parse((struct nlmsghdr *)nlh, GENL_HDRLEN, attrs, CAN_GW_A_RULE_MAX, rule_policy))
		return false;
	rule->handle = get_uint(attrs[CAN_GW_A_RULE_HANDLE]);
	if (attrs[CAN_GW_A_RULE_NAME])
		nla_strlcpy(rule->name, attrs[CAN_GW_A_RULE_NAME], sizeof(rule->name));
	ifnames_name(get_u32(attrs[CAN_GW_A_RULE_SOURCE]), rule->source);
	ifnames_name(get_u32(attrs[CAN_GW_A_RULE_DESTINATION]), rule->destination);
	rule->frames = get_u32(attrs[CAN_GW_A_RULE_FRAMES]);
	rule->flags = get_u32(attrs[CAN_GW_A_RULE_FLAGS]);
	rule->filtered = attrs[CAN_GW_A_RULE_FILTER_ID] || attrs[CAN_GW_A_RULE_FILTER_MASK];
	rule->filter_id = get_u32(attrs[CAN_GW_A_RULE_FILTER_ID]);
	rule->filter_mask = get_u32(attrs[CAN_GW_A_RULE_FILTER_MASK]);
	rule->express = attrs[CAN_GW_A_RULE_EXPRESS];
	rule->lifetime = get_uint(attrs[CAN_GW_A_RULE_LIFETIME]);
	rule->pending = attrs[CAN_GW_A_RULE_PENDING];
	rule->hop_limit = get_u8(attrs[CAN_GW_A_RULE_HOP_LIMIT]);
	rule->uid = get_u32(attrs[CAN_GW_A_RULE_UID]);
	for (int i = 0; i < OPERATIONS; i++)
		if (!get_operand(&rule->operands[i], attrs[operation_attrs[i]]))
			return false;
	rule_trim(rule);
	return rule->frames < FRAME_TYPES &&
	       get_crc8(&rule->crc8, attrs[CAN_GW_A_RULE_CRC8_CHECKSUM]) &&
	       get_xor(&rule->xor, attrs[CAN_GW_A_RULE_XOR_CHECKSUM]) &&
	       get_stats(&rule->stats, attrs[CAN_GW_A_RULE_STATS]);
}

uint64_t rule_get_handle(const struct nlmsghdr *nlh)
{
	struct nlattr *attrs[CAN_GW_A_RULE_MAX + 1];

	if (nlmsg_parse((struct nlmsghdr *)nlh, GENL_HDRLEN, attrs, CAN_GW_A_RULE_MAX, rule_policy))
		return 0;
	return get_uint(attrs[CAN_GW_A_RULE_HANDLE]);
}

void removal_get(struct removal *removal, const struct nlmsghdr *nlh)
{
	int len = nlmsg_attrlen(nlh, GENL_HDRLEN);
	struct nlattr *attr;
	int left;

	*removal = (struct removal){ 0 };
	removal->handles = calloc(len / NLA_HDRLEN + 1, sizeof(*removal->handles));
	if (!removal->handles)
		cli_fail("no memory for handles");
	nlmsg_for_each_attr(attr, (struct nlmsghdr *)nlh, GENL_HDRLEN, left) {
		switch (nla_type(attr)) {
		case CAN_GW_A_REMOVAL_HANDLE:
			removal->handles[removal->count++] = get_uint(attr);
			break;
		case CAN_GW_A_REMOVAL_REASON:
			removal->reason = get_uint(attr);
			break;
		case CAN_GW_A_REMOVAL_GENERATION:
			removal->generation = get_uint(attr);
			break;
		}
	}
}

bool rule_table_get(struct rule_table *table, const struct nlmsghdr *nlh)
{
	struct nlattr *attrs[CAN_GW_A_TABLE_MAX + 1];

	if (nlmsg_parse((struct nlmsghdr *)nlh, GENL_HDRLEN, attrs, CAN_GW_A_TABLE_MAX, NULL))
		return false;
	table->source = get_uint(attrs[CAN_GW_A_TABLE_SOURCE]);
	table->rules = get_uint(attrs[CAN_GW_A_TABLE_RULES]);
	table->limit = get_uint(attrs[CAN_GW_A_TABLE_LIMIT]);
	table->generation = get_uint(attrs[CAN_GW_A_TABLE_GENERATION]);
	return true;
}
