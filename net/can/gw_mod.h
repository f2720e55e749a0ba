/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Modifications of a gateway rule: AND, OR, XOR and SET on the fields of a
 * frame, then checksums.
 *
 * The four operations on a field together are (field & and) ^ xor. A
 * modification is compiled into one such pair for each 64-bit word of the frame
 * that changes. The length of a Classical CAN frame is handled separately,
 * because a data length code above 8 is stored in len8_dlc. The operands of the
 * request are stored after the words, for netlink dumps.
 *
 * CAN XL frames have a variable length: words past the end of a frame are
 * skipped.
 *
 * Contexts: cgw_mod_make() allocates, in process context. The modification does
 * not change after that, and any number of CPUs may run it concurrently. Its
 * owner frees it after an RCU grace period.
 */
#ifndef _NET_CAN_GW_MOD_H
#define _NET_CAN_GW_MOD_H

#include <linux/bits.h>
#include <linux/can.h>
#include <linux/can/gw.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

/* Operations on fields, in the order in which they are applied */
enum cgw_op {
	CGW_OP_AND,
	CGW_OP_OR,
	CGW_OP_XOR,
	CGW_OP_SET,
};

/* Frame types: Classical CAN, CAN FD and CAN XL. A rule is for one of them. */
enum cgw_frames {
	CGW_FRAMES_CC,
	CGW_FRAMES_FD,
	CGW_FRAMES_XL,
};

/* Fields of CAN XL frames, in addition to CGW_MOD_DATA */
#define CGW_MOD_XL_PRIO BIT(0)
#define CGW_MOD_XL_VCID BIT(1)
#define CGW_MOD_XL_SEC BIT(3)
#define CGW_MOD_XL_SDT BIT(4)
#define CGW_MOD_XL_AF BIT(5)

/**
 * struct cgw_span - bytes that a checksum covers
 * @from: offset of the first byte in the data; below 0, from the end of the
 *	data
 * @to: offset of the last byte; may be before @from
 * @result: offset of the checksum
 */
struct cgw_span {
	s16 from;
	s16 to;
	s16 result;
};

/**
 * struct cgw_xor - checksum: XOR of bytes
 * @span: bytes
 * @init: initial value
 * @zero: padding, always 0: modifications are compared by memcmp()
 */
struct cgw_xor {
	struct cgw_span span;
	u8 init;
	u8 zero;
};

/**
 * struct cgw_crc8 - checksum: CRC of eight bits
 * @span: bytes
 * @init: initial value
 * @final: XORed with the result
 * @table: table of the polynomial
 * @profile: further input, as in struct cgw_csum_crc8
 * @profile_data: data of the profile
 * @zero: padding, always 0: modifications are compared by memcmp()
 */
struct cgw_crc8 {
	struct cgw_span span;
	u8 init;
	u8 final;
	u8 table[256];
	u8 profile;
	u8 profile_data[20];
	u8 zero;
};

/**
 * struct cgw_mod_request - modification as requested by userspace
 * @frames: frame type
 * @op: operands for Classical CAN and CAN FD, by enum cgw_op. Members that
 *	frames of this type do not have are zero
 * @xl: operands for CAN XL, NULL for an operation without operand. Data past
 *	the length of an operand are not modified
 * @fields: fields that each operation applies to: CGW_MOD_ID etc., for CAN XL
 *	CGW_MOD_XL_PRIO etc.
 * @has_xor: @xor is valid
 * @has_crc8: @crc8 is valid; it is computed before @xor
 * @xor: checksum
 * @crc8: checksum
 * @uid: user-defined identifier, 0 without one
 */
struct cgw_mod_request {
	enum cgw_frames frames;
	struct canfd_frame op[CGW_MOD_FUNCS];
	const struct canxl_frame *xl[CGW_MOD_FUNCS];
	u8 fields[CGW_MOD_FUNCS];
	bool has_xor;
	bool has_crc8;
	struct cgw_xor xor;
	struct cgw_crc8 crc8;
	u32 uid;
};

/**
 * struct cgw_mod_word - modification of eight bytes: (word & @and) ^ @xor
 * @idx: offset in the frame, in words of eight bytes
 * @and: in memory order
 * @xor: in memory order
 */
struct cgw_mod_word {
	unsigned long idx;
	u64 and;
	u64 xor;
};

/**
 * struct cgw_mod - compiled modification
 * @rcu: for the owner
 * @uid: from the request
 * @words: number of entries of @word
 * @crc8_offset: offset of the struct cgw_crc8 in this struct, in bytes
 * @frames: from the request
 * @changes: the frame changes: there are words, a length or checksums
 * @dlc: the length of a Classical CAN frame changes
 * @dlc_and: the new length is (length & @dlc_and) ^ @dlc_xor
 * @dlc_xor: see @dlc_and
 * @fields: from the request
 * @operands: bitmask of the enum cgw_op whose operands are stored
 * @has_xor: @xor is valid
 * @has_crc8: there is a struct cgw_crc8
 * @xor: from the request
 * @zero: padding, always 0: modifications are compared by memcmp()
 * @word: the words; the operands and the struct cgw_crc8 follow
 */
struct cgw_mod {
	struct rcu_head rcu;
	u32 uid;
	u16 words;
	u16 crc8_offset;
	u8 frames;
	bool changes;
	bool dlc;
	u8 dlc_and;
	u8 dlc_xor;
	u8 fields[CGW_MOD_FUNCS];
	u8 operands;
	bool has_xor;
	bool has_crc8;
	struct cgw_xor xor;
	u32 zero;
	struct cgw_mod_word word[];
};

/* 0 for a modification without uid, or no modification */
static inline u32 cgw_mod_uid(const struct cgw_mod *mod)
{
	return mod ? mod->uid : 0;
}

/* NULL for a modification without CRC8 */
static inline const struct cgw_crc8 *cgw_mod_crc8(const struct cgw_mod *mod)
{
	return mod->has_crc8 ? (const void *)mod + mod->crc8_offset : NULL;
}

bool cgw_mod_changes(const struct cgw_mod_request *request);
struct cgw_mod *cgw_mod_make(const struct cgw_mod_request *request);
bool cgw_mod_run(const struct cgw_mod *mod, struct canfd_frame *cf,
		 unsigned int max_len);
void cgw_mod_run_xl(const struct cgw_mod *mod, struct canxl_frame *cxl);
bool cgw_mod_same(const struct cgw_mod *a, const struct cgw_mod *b);
u32 cgw_mod_hash(const struct cgw_mod *mod);
void cgw_mod_operand(const struct cgw_mod *mod, enum cgw_op op,
		     struct canfd_frame *cf);
const struct canxl_frame *cgw_mod_xl_operand(const struct cgw_mod *mod,
					     enum cgw_op op);
size_t cgw_mod_size(const struct cgw_mod *mod);

#endif /* !_NET_CAN_GW_MOD_H */
