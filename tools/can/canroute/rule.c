// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fields, frame types and their names; checks of rules that need no kernel.
 */
#include <string.h>

#include "rule.h"

#define CC BIT(CAN_GW_FRAMES_CC)
#define FD BIT(CAN_GW_FRAMES_FD)
#define XL BIT(CAN_GW_FRAMES_XL)

const struct field fields[CAN_GW_A_OPERAND_MAX + 1] = {
	[CAN_GW_A_OPERAND_ID] = { "id", 4, UINT32_MAX, 3, CC | FD },
	[CAN_GW_A_OPERAND_LEN] = { "len", 1, UINT8_MAX, 0, CC | FD },
	[CAN_GW_A_OPERAND_FLAGS] = { "flags", 1, UINT8_MAX, 2, FD | XL },
	[CAN_GW_A_OPERAND_PRIO] = { "prio", 4, RULE_XL_PRIO, 3, XL },
	[CAN_GW_A_OPERAND_VCID] = { "vcid", 1, UINT8_MAX, 2, XL },
	[CAN_GW_A_OPERAND_SDT] = { "sdt", 1, UINT8_MAX, 2, XL },
	[CAN_GW_A_OPERAND_AF] = { "af", 4, UINT32_MAX, 8, XL },
	[CAN_GW_A_OPERAND_DATA] = { "data", 0, 0, 0, CC | FD | XL },
};

const char *const operation_names[OPERATIONS] = {
	[OPERATION_AND] = "and",
	[OPERATION_OR] = "or",
	[OPERATION_XOR] = "xor",
	[OPERATION_SET] = "set",
};

const struct frame_type frame_types[FRAME_TYPES] = {
	[CAN_GW_FRAMES_CC] = { "cc", "Classical CAN", CAN_MAX_DLEN, CAN_MAX_DLEN, CAN_MAX_RAW_DLC,
			       0 },
	[CAN_GW_FRAMES_FD] = { "fd", "CAN FD", CANFD_MAX_DLEN, CANFD_MAX_DLEN, CANFD_MAX_DLEN,
			       CANFD_BRS | CANFD_ESI | CANFD_FDF },
	[CAN_GW_FRAMES_XL] = { "xl", "CAN XL", CAN_GW_MAX_DATA, 0, 0, CANXL_SEC },
};

const char *const profile_names[PROFILES] = {
	[CAN_GW_CRC8_PROFILE_NONE] = "none",
	[CAN_GW_CRC8_PROFILE_1U8] = "1u8",
	[CAN_GW_CRC8_PROFILE_16U8] = "16u8",
	[CAN_GW_CRC8_PROFILE_SFFID_XOR] = "sffid-xor",
};

unsigned int profile_data_len(uint32_t profile)
{
	switch (profile) {
	case CAN_GW_CRC8_PROFILE_1U8:
		return 1;
	case CAN_GW_CRC8_PROFILE_16U8:
		return 16;
	}
	return 0;
}

uint8_t operation_neutral(enum operation op)
{
	return op == OPERATION_AND ? 0xFF : 0;
}

void rule_clear(struct rule *rule)
{
	rule->handle = 0;
	rule->name[0] = '\0';
	rule->source[0] = '\0';
	rule->destination[0] = '\0';
	rule->frames = CAN_GW_FRAMES_CC;
	rule->flags = 0;
	rule->filtered = false;
	rule->filter_id = 0;
	rule->filter_mask = 0;
	rule->express = false;
	rule->lifetime = 0;
	rule->pending = false;
	rule->hop_limit = 0;
	rule->uid = 0;
	for (int i = 0; i < OPERATIONS; i++) {
		rule->operands[i].given = 0;
		rule->operands[i].data_len = 0;
	}
	memset(&rule->crc8, 0, offsetof(struct crc8_checksum, table));
	rule->crc8.profile = CAN_GW_CRC8_PROFILE_NONE;
	memset(rule->crc8.profile_data, 0, sizeof(rule->crc8.profile_data));
	memset(&rule->xor, 0, sizeof(rule->xor));
	memset(&rule->stats, 0, sizeof(rule->stats));
	rule->cangw = false;
}

void rule_trim(struct rule *rule)
{
	for (int i = 0; i < OPERATION_SET; i++) {
		struct operand *operand = &rule->operands[i];

		while (operand->data_len > 1 &&
		       operand->data[operand->data_len - 1] == operation_neutral(i))
			operand->data_len--;
	}
}

static bool offset_in_frame(int32_t offset, const struct frame_type *type)
{
	return offset >= -type->data && offset < type->data;
}

static bool offsets_in_frame(const struct checksum_offsets *offsets, const struct frame_type *type)
{
	return offset_in_frame(offsets->from, type) && offset_in_frame(offsets->to, type) &&
	       offset_in_frame(offsets->result, type);
}

static const char *operand_reject_reason(const struct rule *rule, enum operation op)
{
	const struct frame_type *type = &frame_types[rule->frames];
	const struct operand *operand = &rule->operands[op];

	if (op == OPERATION_SET && operand->given & BIT(CAN_GW_A_OPERAND_LEN) &&
	    operand->value[CAN_GW_A_OPERAND_LEN] > type->len)
		return "length out of range for this frame type";
	if (op != OPERATION_AND && operand->given & BIT(CAN_GW_A_OPERAND_FLAGS) &&
	    operand->value[CAN_GW_A_OPERAND_FLAGS] & ~type->flags)
		return "flags not valid for this frame type";
	return NULL;
}

static const char *express_reject_reason(const struct rule *rule)
{
	if (rule->frames != CAN_GW_FRAMES_CC)
		return "express rules are for Classical CAN";
	if (rule->filter_mask & CAN_ERR_FLAG)
		return "filter of an express rule is for errors";
	if (rule->filter_id & CAN_INV_FILTER)
		return "filter of an express rule is inverted";
	return NULL;
}

const char *rule_reject_reason(const struct rule *rule)
{
	const struct frame_type *type = &frame_types[rule->frames];
	const char *objection = NULL;
	unsigned int given = 0;

	for (int i = 0; !objection && i < OPERATIONS; i++) {
		objection = operand_reject_reason(rule, i);
		given |= rule->operands[i].given;
	}
	if (objection)
		return objection;
	if (rule->uid && !given)
		return "uid requires a modification";
	if (!strcmp(rule->source, rule->destination) && !(rule->flags & CAN_GW_FLAGS_RETURN))
		return "'return' required: source and destination are the same interface";
	if ((rule->crc8.given && !offsets_in_frame(&rule->crc8.offsets, type)) ||
	    (rule->xor.given && !offsets_in_frame(&rule->xor.offsets, type)))
		return "checksum offset out of range for this frame type";
	if (rule->frames == CAN_GW_FRAMES_XL && rule->filter_id & rule->filter_mask &
	    ~(RULE_XL_PRIO | RULE_XL_VCID | CAN_INV_FILTER))
		return "filter has bits outside of priority and VCID";
	return rule->express ? express_reject_reason(rule) : NULL;
}

bool rule_never_matches(const struct rule *rule)
{
	uint32_t id = rule->filter_id & rule->filter_mask;

	return rule->filtered && rule->frames != CAN_GW_FRAMES_XL &&
	       !(rule->filter_id & CAN_INV_FILTER) && rule->filter_mask & CAN_EFF_FLAG &&
	       !(id & CAN_EFF_FLAG) && id & CAN_EFF_MASK & ~CAN_SFF_MASK;
}
