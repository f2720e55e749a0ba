// SPDX-License-Identifier: GPL-2.0-only
/* The model of the CAN gateway for the selftests: see gw_model.h. */
#include <stdio.h>
#include <string.h>

#include "gw_model.h"

static const int operations[CGW_MOD_FUNCS] = {
	CGW_MOD_AND, CGW_MOD_OR, CGW_MOD_XOR, CGW_MOD_SET
};

static __u32 combine(int operation, __u32 have, __u32 with)
{
	switch (operation) {
	case CGW_MOD_AND:
		return have & with;
	case CGW_MOD_OR:
		return have | with;
	case CGW_MOD_XOR:
		return have ^ with;
	default:
		return with;
	}
}

/* elements that a frame of the rule's kind has */
static __u8 elements(const struct cgw_rule *rule)
{
	__u8 both = CGW_MOD_ID | CGW_MOD_LEN | CGW_MOD_DATA;

	return rule->flags & CGW_FLAGS_CAN_FD ? both | CGW_MOD_FLAGS : both;
}

/* elements that the rule modifies */
static __u8 modified(const struct cgw_rule *rule)
{
	return (rule->and.type | rule->or.type | rule->xor.type |
		rule->set.type) & elements(rule);
}

bool gw_model_modifies(const struct cgw_rule *rule)
{
	return modified(rule);
}

/* len8_dlc has a meaning only for frames of eight bytes */
static __u8 raw_dlc(const struct can_frame *cc)
{
	if (cc->len == CAN_MAX_DLEN && cc->len8_dlc > CAN_MAX_DLEN &&
	    cc->len8_dlc <= CAN_MAX_RAW_DLC)
		return cc->len8_dlc;
	return cc->len;
}

/* @length is used as length field, which cannot hold a raw DLC */
static void modify(const struct cgw_rule *rule, union gw_model_frame *frame,
		   __u8 *length)
{
	const struct cgw_mod *operands[CGW_MOD_FUNCS] = {
		&rule->and, &rule->or, &rule->xor, &rule->set,
	};
	size_t data_size = CAN_MAX_DLEN, i, byte;
	const struct cgw_mod *with;
	__u8 type;
	int op;

	if (rule->flags & CGW_FLAGS_CAN_FD)
		data_size = CANFD_MAX_DLEN;

	for (i = 0; i < CGW_MOD_FUNCS; i++) {
		op = operations[i];
		with = operands[i];
		type = with->type & elements(rule);

		if (type & CGW_MOD_ID)
			frame->fd.can_id = combine(op, frame->fd.can_id,
						   with->cf.can_id);
		if (type & CGW_MOD_LEN)
			*length = combine(op, *length, with->cf.len);
		if (type & CGW_MOD_FLAGS)
			frame->fd.flags = combine(op, frame->fd.flags,
						  with->cf.flags);
		for (byte = 0; type & CGW_MOD_DATA && byte < data_size; byte++)
			frame->fd.data[byte] = combine(op,
						       frame->fd.data[byte],
						       with->cf.data[byte]);
	}
}

/* Return: false when no frame can have this length */
static bool store_dlc(struct can_frame *cc, __u8 dlc)
{
	if (dlc > CAN_MAX_RAW_DLC)
		return false;

	cc->len = dlc < CAN_MAX_DLEN ? dlc : CAN_MAX_DLEN;
	cc->len8_dlc = dlc > CAN_MAX_DLEN ? dlc : 0;
	return true;
}

static bool modify_cc(const struct cgw_rule *rule, union gw_model_frame *frame)
{
	__u8 dlc = raw_dlc(&frame->cc);

	modify(rule, frame, &dlc);
	return !(modified(rule) & CGW_MOD_DLC) || store_dlc(&frame->cc, dlc);
}

static bool modify_fd(const struct cgw_rule *rule, union gw_model_frame *frame)
{
	__u8 len = frame->fd.len;

	modify(rule, frame, &len);
	frame->fd.len = len;
	return len <= CANFD_MAX_DLEN;
}

static int position(int index, int len)
{
	return index < 0 ? len + index : index;
}

enum gw_model_range gw_model_range(int from, int to, int result, int len)
{
	const int at[] = {
		position(from, len), position(to, len), position(result, len)
	};
	enum gw_model_range fit = GW_MODEL_INSIDE;
	int i;

	for (i = 0; i < 3; i++) {
		if (at[i] < 0)
			return GW_MODEL_BEFORE;
		if (at[i] >= len)
			fit = GW_MODEL_AFTER;
	}
	return fit;
}

static void checksum_xor(const struct cgw_csum_xor *cs,
			 union gw_model_frame *frame)
{
	int len = frame->fd.len;
	int from = position(cs->from_idx, len);
	int to = position(cs->to_idx, len);
	int step = from <= to ? 1 : -1;
	__u8 xor = cs->init_xor_val;
	int i;

	if (gw_model_range(cs->from_idx, cs->to_idx, cs->result_idx, len) !=
	    GW_MODEL_INSIDE)
		return;

	for (i = from; i != to + step; i += step)
		xor ^= frame->fd.data[i];
	frame->fd.data[position(cs->result_idx, len)] = xor;
}

/* the byte that a profile adds; -1 for none, -2 when the frame does not have it */
static int profile_byte(const struct cgw_csum_crc8 *cs,
			const union gw_model_frame *frame)
{
	canid_t id = frame->fd.can_id;

	switch (cs->profile) {
	case CGW_CRC8PRF_1U8:
		return cs->profile_data[0];
	case CGW_CRC8PRF_16U8:
		if (frame->fd.len < 2)
			return -2;
		return cs->profile_data[frame->fd.data[1] % 16];
	case CGW_CRC8PRF_SFFID_XOR:
		return (id ^ id >> 8) & 0xFF;
	default:
		return -1;
	}
}

static void checksum_crc8(const struct cgw_csum_crc8 *cs,
			  union gw_model_frame *frame)
{
	int len = frame->fd.len;
	int from = position(cs->from_idx, len);
	int to = position(cs->to_idx, len);
	int step = from <= to ? 1 : -1;
	int more = profile_byte(cs, frame);
	__u8 crc = cs->init_crc_val;
	int i;

	if (more == -2 ||
	    gw_model_range(cs->from_idx, cs->to_idx, cs->result_idx, len) !=
	    GW_MODEL_INSIDE)
		return;

	for (i = from; i != to + step; i += step)
		crc = cs->crctab[crc ^ frame->fd.data[i]];
	if (more >= 0)
		crc = cs->crctab[crc ^ more];
	frame->fd.data[position(cs->result_idx, len)] = crc ^ cs->final_xor_val;
}

enum gw_model_result gw_model_apply(const struct cgw_rule *rule,
				    union gw_model_frame *frame, size_t mtu)
{
	bool fd = rule->flags & CGW_FLAGS_CAN_FD;

	if (mtu != (fd ? CANFD_MTU : CAN_MTU))
		return GW_MODEL_IGNORED;

	if (!(fd ? modify_fd(rule, frame) : modify_cc(rule, frame)))
		return GW_MODEL_DELETED;

	if (gw_model_modifies(rule)) {
		if (rule->csum_crc8)
			checksum_crc8(rule->csum_crc8, frame);
		if (rule->csum_xor)
			checksum_xor(rule->csum_xor, frame);
	}

	/* every CAN FD frame is marked as one when it is sent */
	if (fd)
		frame->fd.flags |= CANFD_FDF;
	return GW_MODEL_SENT;
}

void gw_model_crc8_table(__u8 table[256], __u8 poly)
{
	unsigned int value, bit;
	__u8 crc;

	for (value = 0; value < 256; value++) {
		crc = value;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 0x80 ? crc << 1 ^ poly : crc << 1;
		table[value] = crc;
	}
}

const char *gw_model_hex(char hex[2 * CANFD_MTU + 1],
			 const union gw_model_frame *frame, size_t mtu)
{
	size_t i;

	hex[0] = 0;
	for (i = 0; i < mtu; i++)
		sprintf(hex + 2 * i, "%02x", frame->raw[i]);
	return hex;
}
