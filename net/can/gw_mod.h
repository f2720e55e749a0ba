/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * What a gateway rule does to a frame: AND, OR, XOR and SET on its fields, and
 * then checksums.
 *
 * A rule says up to four times what happens to a field, one after the other. All
 * of that together is (field & and) ^ xor, so it is compiled into one pair of
 * words for every eight bytes of the frame that change. The length of a Classical
 * CAN frame is apart, since a data length code above 8 is kept in two places.
 * What the rule was made from is kept beside, for those who ask for it.
 *
 * A CAN XL frame has no fixed size: words behind its end are left out.
 *
 * Contexts: cgw_mod_make() allocates and runs in process context. What it makes
 * does not change; readers run cgw_mod_run() on any CPU, and its owner frees it
 * when they are gone.
 */
#ifndef _NET_CAN_GW_MOD_H
#define _NET_CAN_GW_MOD_H

#include <linux/bits.h>
#include <linux/can.h>
#include <linux/can/gw.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

/**
 * enum cgw_op - operations on fields, in the order in which they are applied
 * @CGW_OP_AND: what is not set in the operand is cleared
 * @CGW_OP_OR: what is set in the operand is set
 * @CGW_OP_XOR: what is set in the operand is inverted
 * @CGW_OP_SET: the operand replaces it
 */
enum cgw_op {
	CGW_OP_AND,
	CGW_OP_OR,
	CGW_OP_XOR,
	CGW_OP_SET,
};

/**
 * enum cgw_frames - kinds of frames; a rule is for one of them
 * @CGW_FRAMES_CC: Classical CAN
 * @CGW_FRAMES_FD: CAN FD
 * @CGW_FRAMES_XL: CAN XL
 */
enum cgw_frames {
	CGW_FRAMES_CC,
	CGW_FRAMES_FD,
	CGW_FRAMES_XL,
};

/* Fields of CAN XL frames; CGW_MOD_DATA is theirs too. */
#define CGW_MOD_XL_PRIO BIT(0)
#define CGW_MOD_XL_VCID BIT(1)
#define CGW_MOD_XL_SEC BIT(3)
#define CGW_MOD_XL_SDT BIT(4)
#define CGW_MOD_XL_AF BIT(5)

/**
 * struct cgw_span - bytes of a checksum
 * @from: the first one, counted from the beginning of the data, or if it is negative
 *	from behind their end
 * @to: the last one, which may be before the first one
 * @result: where the checksum goes
 */
struct cgw_span {
	s16 from;
	s16 to;
	s16 result;
};

/**
 * struct cgw_xor - bytes combined by XOR
 * @span: of which bytes
 * @init: what it begins with
 * @zero: is zero, so that checksums can be compared byte by byte
 */
struct cgw_xor {
	struct cgw_span span;
	u8 init;
	u8 zero;
};

/**
 * struct cgw_crc8 - a CRC of eight bits
 * @span: of which bytes
 * @init: what it begins with
 * @final: combined with it by XOR at last
 * @table: of the polynomial
 * @profile: what else goes into it, as in struct cgw_csum_crc8
 * @profile_data: for that
 * @zero: is zero, so that checksums can be compared byte by byte
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
 * struct cgw_mod_request - what a rule is to do
 * @frames: to which frames
 * @op: the operands of each enum cgw_op. Only members that CAN frames of this
 *	kind have are set; all others are zero
 * @xl: the same for CAN XL frames, NULL without an operand. The length is that of the
 *	data of the operand, behind which the data of a frame stay as they are
 * @fields: CGW_MOD_ID and others, or CGW_MOD_XL_PRIO and others, on which each enum
 *	cgw_op has an effect
 * @has_xor: there is this checksum
 * @has_crc8: there is this one, which comes first
 * @xor: checksum
 * @crc8: checksum
 * @uid: name of the modification, 0 if it has none
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
 * struct cgw_mod_word - what happens to eight bytes of a frame
 * @at: which ones, in units of eight
 * @and: as they lie in memory
 * @xor: after @and
 */
struct cgw_mod_word {
	unsigned long at;
	u64 and;
	u64 xor;
};

/**
 * struct cgw_mod - what a rule does
 * @rcu: for its owner
 * @uid: of the request
 * @words: entries of @word
 * @crc8_at: where the CRC8 is, in bytes from the beginning
 * @frames: of the request
 * @changes: the frame changes; there are words, a length or checksums
 * @dlc: the length of a Classical CAN frame changes
 * @dlc_and: to (length & @dlc_and) ^ @dlc_xor
 * @dlc_xor: see @dlc_and
 * @fields: of the request
 * @kept: which enum cgw_op have their operands behind the words
 * @has_xor: there is such a checksum
 * @has_crc8: there is such a checksum, behind the operands
 * @xor: of the request
 * @zero: is zero, so that modifications can be compared byte by byte
 * @word: words, the frames of @kept, and the CRC8
 */
struct cgw_mod {
	struct rcu_head rcu;
	u32 uid;
	u16 words;
	u16 crc8_at;
	u8 frames;
	bool changes;
	bool dlc;
	u8 dlc_and;
	u8 dlc_xor;
	u8 fields[CGW_MOD_FUNCS];
	u8 kept;
	bool has_xor;
	bool has_crc8;
	struct cgw_xor xor;
	u32 zero;
	struct cgw_mod_word word[];
};

/** cgw_mod_uid() - the name of a modification, 0 without one */
static inline u32 cgw_mod_uid(const struct cgw_mod *mod)
{
	return mod ? mod->uid : 0;
}

/**
 * cgw_mod_crc8() - the CRC8 of a modification
 * @mod: the modification
 *
 * Context: any.
 * Return: as in the request, or NULL.
 */
static inline const struct cgw_crc8 *cgw_mod_crc8(const struct cgw_mod *mod)
{
	return mod->has_crc8 ? (const void *)mod + mod->crc8_at : NULL;
}

bool cgw_mod_changes(const struct cgw_mod_request *request);
struct cgw_mod *cgw_mod_make(const struct cgw_mod_request *request);
bool cgw_mod_run(const struct cgw_mod *mod, struct canfd_frame *cf,
		 unsigned int room);
void cgw_mod_run_xl(const struct cgw_mod *mod, struct canxl_frame *cxl);
bool cgw_mod_same(const struct cgw_mod *a, const struct cgw_mod *b);
u32 cgw_mod_hash(const struct cgw_mod *mod);
void cgw_mod_operand(const struct cgw_mod *mod, enum cgw_op op,
		     struct canfd_frame *cf);
const struct canxl_frame *cgw_mod_xl_operand(const struct cgw_mod *mod,
					     enum cgw_op op);
size_t cgw_mod_size(const struct cgw_mod *mod);

#endif /* !_NET_CAN_GW_MOD_H */
