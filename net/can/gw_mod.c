// SPDX-License-Identifier: GPL-2.0-only
/* What a gateway rule does to a frame; gw_mod.h says how. */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gw_mod.h"

/* A Classical CAN frame is the beginning of a CAN FD frame. */
static_assert(offsetof(struct can_frame, data) ==
	      offsetof(struct canfd_frame, data));
static_assert(offsetof(struct can_frame, len) ==
	      offsetof(struct canfd_frame, len));
static_assert(sizeof(struct canfd_frame) % sizeof(u64) == 0);

/* In the making: of each byte of a frame, and of the length of a Classical CAN
 * frame
 */
struct draft {
	union {
		u8 and[CANFD_MTU];
		u64 and_word[CANFD_MTU / sizeof(u64)];
	};
	union {
		u8 xor[CANFD_MTU];
		u64 xor_word[CANFD_MTU / sizeof(u64)];
	};
	u8 dlc_and;
	u8 dlc_xor;
};

static void draft_byte(u8 *and, u8 *xor, enum cgw_op op, u8 value)
{
	switch (op) {
	case CGW_OP_AND:
		*and &= value;
		*xor &= value;
		break;
	case CGW_OP_OR:
		*and &= ~value;
		*xor |= value;
		break;
	case CGW_OP_XOR:
		*xor ^= value;
		break;
	case CGW_OP_SET:
		*and = 0;
		*xor = value;
		break;
	}
}

static void draft_bytes(struct draft *draft, enum cgw_op op,
			const struct canfd_frame *cf, size_t at, size_t count)
{
	const u8 *value = (const u8 *)cf;

	for (; count; at++, count--)
		draft_byte(&draft->and[at], &draft->xor[at], op, value[at]);
}

static void draft_op(struct draft *draft, enum cgw_op op,
		     const struct cgw_mod_request *request)
{
	const struct canfd_frame *cf = &request->op[op];
	u8 fields = request->fields[op];

	if (fields & CGW_MOD_ID)
		draft_bytes(draft, op, cf, 0, sizeof(cf->can_id));
	if (fields & CGW_MOD_DATA)
		draft_bytes(draft, op, cf, offsetof(struct canfd_frame, data),
			    request->fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN);
	if (request->fd) {
		if (fields & CGW_MOD_LEN)
			draft_bytes(draft, op, cf,
				    offsetof(struct canfd_frame, len), 1);
		if (fields & CGW_MOD_FLAGS)
			draft_bytes(draft, op, cf,
				    offsetof(struct canfd_frame, flags), 1);
	} else if (fields & CGW_MOD_DLC) {
		draft_byte(&draft->dlc_and, &draft->dlc_xor, op, cf->len);
	}
}

static bool draft_word(const struct draft *draft, unsigned int at)
{
	return draft->and_word[at] != U64_MAX || draft->xor_word[at];
}

/* Operands are kept if they are not what a rule without them has. */
static bool to_keep(const struct cgw_mod_request *request, enum cgw_op op)
{
	return request->fields[op] ||
	       memchr_inv(&request->op[op], 0, sizeof(request->op[op]));
}

static size_t kept_size(const struct cgw_mod *mod)
{
	return mod->fd ? CANFD_MTU : CAN_MTU;
}

static u8 *kept_at(const struct cgw_mod *mod, enum cgw_op op)
{
	unsigned int before = hweight8(mod->kept & (BIT(op) - 1));

	return (u8 *)&mod->word[mod->words] + before * kept_size(mod);
}

static size_t whole_size(const struct cgw_mod *mod)
{
	return kept_at(mod, CGW_MOD_FUNCS) - (u8 *)mod +
	       (mod->has_crc8 ? sizeof(struct cgw_csum_crc8) : 0);
}

/**
 * cgw_mod_changes() - is there an operation on a field that such frames have?
 * @request: what a rule is to do
 *
 * Without one there are neither checksums nor a name.
 *
 * Context: any.
 * Return: true if there is.
 */
bool cgw_mod_changes(const struct cgw_mod_request *request)
{
	u8 known = CGW_MOD_ID | CGW_MOD_DLC | CGW_MOD_DATA;
	u8 fields = 0;
	int op;

	if (request->fd)
		known |= CGW_MOD_FLAGS;
	for (op = 0; op < CGW_MOD_FUNCS; op++)
		fields |= request->fields[op];
	return fields & known;
}

/* All but what lies behind the structure */
static void plan(struct cgw_mod *mod, const struct draft *draft,
		 const struct cgw_mod_request *request)
{
	unsigned int at;
	int op;

	*mod = (struct cgw_mod){ .fd = request->fd };
	for (op = 0; op < CGW_MOD_FUNCS; op++) {
		mod->fields[op] = request->fields[op];
		if (to_keep(request, op))
			mod->kept |= BIT(op);
		if (!request->fd && request->fields[op] & CGW_MOD_DLC)
			mod->dlc = true;
	}
	mod->changes = cgw_mod_changes(request);
	if (!mod->changes)
		return;
	for (at = 0; at < ARRAY_SIZE(draft->and_word); at++)
		mod->words += draft_word(draft, at);
	mod->dlc_and = draft->dlc_and;
	mod->dlc_xor = draft->dlc_xor;
	mod->uid = request->uid;
	mod->has_crc8 = request->crc8;
	mod->has_xor = request->xor;
	if (request->xor)
		mod->xor = *request->xor;
	if (request->crc8)
		mod->crc8_at = kept_at(mod, CGW_MOD_FUNCS) - (u8 *)mod;
}

/**
 * cgw_mod_make() - compile what a rule does
 * @request: what it is to do; checksums and the name count only if there is an
 *	operation on a field that such frames have
 *
 * Context: process, may sleep.
 * Return: the modification, which is freed by kfree() or kfree_rcu(), NULL if there
 * is nothing to do and nothing to remember, or ERR_PTR(-ENOMEM).
 */
struct cgw_mod *cgw_mod_make(const struct cgw_mod_request *request)
{
	struct draft draft = { .dlc_and = 0xff };
	struct cgw_mod plan_of, *mod;
	struct cgw_mod_word *word;
	unsigned int at;
	int op;

	memset(draft.and, 0xff, sizeof(draft.and));
	for (op = 0; op < CGW_MOD_FUNCS; op++)
		draft_op(&draft, op, request);
	plan(&plan_of, &draft, request);
	if (!plan_of.kept)
		return NULL;

	mod = kzalloc(whole_size(&plan_of), GFP_KERNEL);
	if (!mod)
		return ERR_PTR(-ENOMEM);
	*mod = plan_of;
	word = mod->word;
	for (at = 0; mod->words && at < ARRAY_SIZE(draft.and_word); at++) {
		if (!draft_word(&draft, at))
			continue;
		word->at = at;
		word->and = draft.and_word[at];
		word->xor = draft.xor_word[at];
		word++;
	}
	for (op = 0; op < CGW_MOD_FUNCS; op++)
		if (mod->kept & BIT(op))
			memcpy(kept_at(mod, op), &request->op[op],
			       kept_size(mod));
	if (mod->has_crc8)
		memcpy((u8 *)mod + mod->crc8_at, request->crc8,
		       sizeof(*request->crc8));
	return mod;
}

/**
 * cgw_mod_size() - the memory of a modification
 * @mod: the modification, or NULL
 *
 * Context: any.
 * Return: bytes.
 */
size_t cgw_mod_size(const struct cgw_mod *mod)
{
	return mod ? whole_size(mod) : 0;
}

/**
 * cgw_mod_operand() - what an operation was made from
 * @mod: the modification
 * @op: the operation
 * @cf: as in the request
 *
 * Context: any.
 */
void cgw_mod_operand(const struct cgw_mod *mod, enum cgw_op op,
		     struct canfd_frame *cf)
{
	memset(cf, 0, sizeof(*cf));
	if (mod->kept & BIT(op))
		memcpy(cf, kept_at(mod, op), kept_size(mod));
}

/**
 * cgw_mod_same() - are two modifications made from the same?
 * @a: one, or NULL
 * @b: another, or NULL
 *
 * Context: any.
 * Return: true if they are, their names included.
 */
bool cgw_mod_same(const struct cgw_mod *a, const struct cgw_mod *b)
{
	const size_t from = offsetof(struct cgw_mod, uid);
	const size_t to = offsetofend(struct cgw_mod, xor);

	if (!a || !b)
		return a == b;
	/* equal beginnings mean equal sizes */
	return !memcmp((u8 *)a + from, (u8 *)b + from, to - from) &&
	       !memcmp(a->word, b->word, whole_size(a) - sizeof(*a));
}

/**
 * cgw_mod_hash() - a number that is the same for the same modification
 * @mod: the modification, or NULL
 *
 * Context: any.
 * Return: equal numbers where cgw_mod_same() is true.
 */
u32 cgw_mod_hash(const struct cgw_mod *mod)
{
	const size_t from = offsetof(struct cgw_mod, uid);
	const size_t to = offsetofend(struct cgw_mod, xor);

	if (!mod)
		return 0;
	return jhash(mod->word, whole_size(mod) - sizeof(*mod),
		     jhash((u8 *)mod + from, to - from, 0));
}

/* Data length codes above 8 are in len8_dlc, and len is 8 then. */
static void change_dlc(const struct cgw_mod *mod, struct can_frame *cf)
{
	u8 dlc = cf->len;

	if (dlc == CAN_MAX_DLEN && cf->len8_dlc > CAN_MAX_DLEN &&
	    cf->len8_dlc <= CAN_MAX_RAW_DLC)
		dlc = cf->len8_dlc;
	dlc = (dlc & mod->dlc_and) ^ mod->dlc_xor;
	cf->len8_dlc = 0;
	if (dlc > CAN_MAX_DLEN && dlc <= CAN_MAX_RAW_DLC) {
		cf->len8_dlc = dlc;
		dlc = CAN_MAX_DLEN;
	}
	/* what no frame can have is for the caller to refuse */
	cf->len = dlc;
}

/* Indices of checksums count from the first byte, or if they are negative from
 * behind the last one. One that is not in the frame becomes larger than its length.
 */
static unsigned int byte_at(int index, unsigned int len)
{
	return index < 0 ? len + index : index;
}

/* Which bytes a checksum is of, and where it goes */
struct span {
	unsigned int from;
	unsigned int to;
	unsigned int result;
};

static bool find_span(struct span *span, s8 from, s8 to, s8 result,
		      unsigned int len)
{
	span->from = byte_at(from, len);
	span->to = byte_at(to, len);
	span->result = byte_at(result, len);
	return span->from < len && span->to < len && span->result < len;
}

static void set_xor(const struct cgw_csum_xor *xor, struct canfd_frame *cf)
{
	struct span span;
	unsigned int i;
	u8 sum;

	if (!find_span(&span, xor->from_idx, xor->to_idx, xor->result_idx,
		       cf->len))
		return;
	/* the sum is the same from either end */
	sum = xor->init_xor_val;
	for (i = min(span.from, span.to); i <= max(span.from, span.to); i++)
		sum ^= cf->data[i];
	cf->data[span.result] = sum;
}

static void set_crc8(const struct cgw_csum_crc8 *crc8, struct canfd_frame *cf)
{
	struct span span;
	unsigned int i;
	u8 crc;

	if (!find_span(&span, crc8->from_idx, crc8->to_idx, crc8->result_idx,
		       cf->len))
		return;
	/* this profile looks at data[1] */
	if (crc8->profile == CGW_CRC8PRF_16U8 && cf->len < 2)
		return;

	crc = crc8->init_crc_val;
	if (span.from <= span.to) {
		for (i = span.from; i <= span.to; i++)
			crc = crc8->crctab[crc ^ cf->data[i]];
	} else {
		for (i = span.from + 1; i > span.to; i--)
			crc = crc8->crctab[crc ^ cf->data[i - 1]];
	}
	switch (crc8->profile) {
	case CGW_CRC8PRF_1U8:
		crc = crc8->crctab[crc ^ crc8->profile_data[0]];
		break;
	case CGW_CRC8PRF_16U8:
		crc = crc8->crctab[crc ^ crc8->profile_data[cf->data[1] & 0xf]];
		break;
	case CGW_CRC8PRF_SFFID_XOR:
		crc = crc8->crctab[crc ^ (cf->can_id & 0xff) ^
				   (cf->can_id >> 8 & 0xff)];
		break;
	}
	cf->data[span.result] = crc ^ crc8->final_xor_val;
}

/**
 * cgw_mod_run() - change a frame
 * @mod: what to do; its @changes is true
 * @cf: a frame of the kind that @mod is for, aligned to eight bytes
 * @room: for data, CAN_MAX_DLEN or CANFD_MAX_DLEN
 *
 * A checksum whose bytes or result are not in the frame is left out.
 *
 * Context: any, also concurrently with itself.
 * Return: false if the frame has a length now for which there is no room. It must
 * not be sent.
 */
bool cgw_mod_run(const struct cgw_mod *mod, struct canfd_frame *cf,
		 unsigned int room)
{
	const struct cgw_mod_word *word = mod->word;
	const struct cgw_mod_word *end = word + mod->words;
	u64 *frame = (u64 *)cf;

	for (; word < end; word++)
		frame[word->at] = (frame[word->at] & word->and) ^ word->xor;
	if (mod->dlc)
		change_dlc(mod, (struct can_frame *)cf);
	if (cf->len > room)
		return false;
	if (mod->has_crc8)
		set_crc8(cgw_mod_crc8(mod), cf);
	if (mod->has_xor)
		set_xor(&mod->xor, cf);
	return true;
}
