/* SPDX-License-Identifier: GPL-2.0-only */
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
 * Contexts: cgw_mod_make() allocates and runs in process context. What it makes
 * does not change; readers run cgw_mod_run() on any CPU, and its owner frees it
 * when they are gone.
 */
#ifndef _NET_CAN_GW_MOD_H
#define _NET_CAN_GW_MOD_H

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
 * struct cgw_mod_request - what a rule is to do
 * @fd: to CAN FD frames, not to those of Classical CAN
 * @op: the operands of each enum cgw_op. Only members that CAN frames of this
 *	kind have are set; all others are zero
 * @fields: CGW_MOD_ID and others, on which each enum cgw_op has an effect
 * @xor: checksum, or NULL
 * @crc8: checksum, which comes first, or NULL
 * @uid: name of the modification, 0 if it has none
 */
struct cgw_mod_request {
	bool fd;
	struct canfd_frame op[CGW_MOD_FUNCS];
	u8 fields[CGW_MOD_FUNCS];
	const struct cgw_csum_xor *xor;
	const struct cgw_csum_crc8 *crc8;
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
 * @changes: the frame changes; there are words, a length or checksums
 * @fd: of the request
 * @dlc: the length of a Classical CAN frame changes
 * @dlc_and: to (length & @dlc_and) ^ @dlc_xor
 * @dlc_xor: see @dlc_and
 * @fields: of the request
 * @kept: which enum cgw_op have their operands behind the words
 * @has_xor: there is such a checksum
 * @has_crc8: there is such a checksum, behind the operands
 * @xor: of the request
 * @crc8_at: where the CRC8 is, in bytes from the beginning
 * @word: words, the frames of @kept, and the CRC8
 */
struct cgw_mod {
	struct rcu_head rcu;
	u32 uid;
	u8 words;
	bool changes;
	bool fd;
	bool dlc;
	u8 dlc_and;
	u8 dlc_xor;
	u8 fields[CGW_MOD_FUNCS];
	u8 kept;
	bool has_xor;
	bool has_crc8;
	struct cgw_csum_xor xor;
	u16 crc8_at;
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
static inline const struct cgw_csum_crc8 *cgw_mod_crc8(const struct cgw_mod *mod)
{
	return mod->has_crc8 ? (const void *)mod + mod->crc8_at : NULL;
}

bool cgw_mod_changes(const struct cgw_mod_request *request);
struct cgw_mod *cgw_mod_make(const struct cgw_mod_request *request);
bool cgw_mod_run(const struct cgw_mod *mod, struct canfd_frame *cf,
		 unsigned int room);
bool cgw_mod_same(const struct cgw_mod *a, const struct cgw_mod *b);
u32 cgw_mod_hash(const struct cgw_mod *mod);
void cgw_mod_operand(const struct cgw_mod *mod, enum cgw_op op,
		     struct canfd_frame *cf);
size_t cgw_mod_size(const struct cgw_mod *mod);

#endif /* !_NET_CAN_GW_MOD_H */
