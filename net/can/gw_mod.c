// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Modifications of a gateway rule, see gw_mod.h */
#include <kunit/visibility.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gw_mod.h"

/* The members of struct can_frame are at the same offsets in struct
 * canfd_frame.
 */
static_assert(offsetof(struct can_frame, data) ==
	      offsetof(struct canfd_frame, data));
static_assert(offsetof(struct can_frame, len) ==
	      offsetof(struct canfd_frame, len));
static_assert(sizeof(struct canfd_frame) % sizeof(u64) == 0);

/* Modifications are compared by memcmp(). */
static_assert(offsetofend(struct cgw_mod, zero) == sizeof(struct cgw_mod));
static_assert(offsetof(struct cgw_mod, xor) ==
	      offsetofend(struct cgw_mod, has_crc8));
static_assert(offsetofend(struct cgw_crc8, zero) == sizeof(struct cgw_crc8));

#define XL_WORDS DIV_ROUND_UP(CANXL_MTU, sizeof(u64))

#define FD_WORDS (CANFD_MTU / sizeof(u64))

/* Operations are folded into a pair of masks for each word of the frame, and
 * for the length of a Classical CAN frame. @and and @xor have @words entries
 * each, in @buf or, for CAN XL, in allocated memory.
 */
struct mod_builder {
	unsigned int words;
	u64 buf[2 * FD_WORDS];
	u64 *and;
	u64 *xor;
	u8 dlc_and;
	u8 dlc_xor;
};

static unsigned int cgw_mod_frame_words(enum cgw_frames frames)
{
	switch (frames) {
	case CGW_FRAMES_CC:
		return CAN_MTU / sizeof(u64);
	case CGW_FRAMES_FD:
		return FD_WORDS;
	case CGW_FRAMES_XL:
		return XL_WORDS;
	}
	return 0;
}

/* Bits that are not set in @mask do not change. */
static void cgw_mod_fold_byte(u8 *and, u8 *xor, enum cgw_op op, u8 value,
			      u8 mask)
{
	switch (op) {
	case CGW_OP_AND:
		*and &= value | ~mask;
		*xor &= value | ~mask;
		break;
	case CGW_OP_OR:
		*and &= ~(value & mask);
		*xor |= value & mask;
		break;
	case CGW_OP_XOR:
		*xor ^= value & mask;
		break;
	case CGW_OP_SET:
		*and &= ~mask;
		*xor = (*xor & ~mask) | (value & mask);
		break;
	}
}

static void cgw_mod_fold_bytes(struct mod_builder *mb, enum cgw_op op,
			       const void *frame, size_t at, size_t count)
{
	u8 *and = (u8 *)mb->and, *xor = (u8 *)mb->xor;
	const u8 *value = frame;

	for (; count; at++, count--)
		cgw_mod_fold_byte(&and[at], &xor[at], op, value[at], 0xff);
}

static void cgw_mod_fold_op(struct mod_builder *mb, enum cgw_op op,
			    const struct cgw_mod_request *request)
{
	const struct canfd_frame *cf = &request->op[op];
	bool fd = request->frames == CGW_FRAMES_FD;
	u8 fields = request->fields[op];

	if (fields & CGW_MOD_ID)
		cgw_mod_fold_bytes(mb, op, cf, 0, sizeof(cf->can_id));
	if (fields & CGW_MOD_DATA)
		cgw_mod_fold_bytes(mb, op, cf,
				   offsetof(struct canfd_frame, data),
				   fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN);
	if (fd) {
		if (fields & CGW_MOD_LEN)
			cgw_mod_fold_bytes(mb, op, cf,
					   offsetof(struct canfd_frame, len),
					   1);
		if (fields & CGW_MOD_FLAGS)
			cgw_mod_fold_bytes(mb, op, cf,
					   offsetof(struct canfd_frame, flags),
					   1);
	} else if (fields & CGW_MOD_DLC) {
		cgw_mod_fold_byte(&mb->dlc_and, &mb->dlc_xor, op, cf->len,
				  0xff);
	}
}

/* Priority and VCID share a 32-bit member. */
static void cgw_mod_fold_prio(struct mod_builder *mb, enum cgw_op op, u32 value,
			      u32 mask)
{
	u8 *and = (u8 *)mb->and + offsetof(struct canxl_frame, prio);
	u8 *xor = (u8 *)mb->xor + offsetof(struct canxl_frame, prio);
	const u8 *values = (u8 *)&value, *masks = (u8 *)&mask;
	unsigned int i;

	for (i = 0; i < sizeof(value); i++)
		cgw_mod_fold_byte(&and[i], &xor[i], op, values[i], masks[i]);
}

static void cgw_mod_fold_xl_op(struct mod_builder *mb, enum cgw_op op,
			       const struct cgw_mod_request *request)
{
	const size_t flags = offsetof(struct canxl_frame, flags);
	const struct canxl_frame *cxl = request->xl[op];
	u8 fields = request->fields[op];

	if (fields & CGW_MOD_XL_PRIO)
		cgw_mod_fold_prio(mb, op, cxl->prio, CANXL_PRIO_MASK);
	if (fields & CGW_MOD_XL_VCID)
		cgw_mod_fold_prio(mb, op, cxl->prio, CANXL_VCID_MASK);
	if (fields & CGW_MOD_XL_SEC)
		cgw_mod_fold_byte((u8 *)mb->and + flags, (u8 *)mb->xor + flags,
				  op, cxl->flags, CANXL_SEC);
	if (fields & CGW_MOD_XL_SDT)
		cgw_mod_fold_bytes(mb, op, cxl,
				   offsetof(struct canxl_frame, sdt),
				   sizeof(cxl->sdt));
	if (fields & CGW_MOD_XL_AF)
		cgw_mod_fold_bytes(mb, op, cxl,
				   offsetof(struct canxl_frame, af),
				   sizeof(cxl->af));
	if (fields & CGW_MOD_DATA)
		cgw_mod_fold_bytes(mb, op, cxl, CANXL_HDR_SIZE, cxl->len);
}

static int cgw_mod_builder_alloc(struct mod_builder *mb, enum cgw_frames frames)
{
	mb->words = cgw_mod_frame_words(frames);
	mb->and = mb->buf;
	if (frames == CGW_FRAMES_XL)
		mb->and = kmalloc_array(2 * mb->words, sizeof(u64),
					GFP_KERNEL);
	if (!mb->and)
		return -ENOMEM;
	mb->xor = mb->and + mb->words;
	memset(mb->and, 0xff, mb->words * sizeof(u64));
	memset(mb->xor, 0, mb->words * sizeof(u64));
	mb->dlc_and = 0xff;
	mb->dlc_xor = 0;
	return 0;
}

static void cgw_mod_builder_free(struct mod_builder *mb)
{
	if (mb->and != mb->buf)
		kfree(mb->and);
}

static bool cgw_mod_word_changes(const struct mod_builder *mb, unsigned int at)
{
	return mb->and[at] != U64_MAX || mb->xor[at];
}

/* An operand without fields is stored if it is not zero: rtnetlink finds the
 * rule to delete by all operands.
 */
static bool cgw_mod_has_operand(const struct cgw_mod_request *request,
				enum cgw_op op)
{
	return request->fields[op] ||
	       memchr_inv(&request->op[op], 0, sizeof(request->op[op]));
}

static size_t cgw_mod_xl_size(const struct canxl_frame *cxl)
{
	return round_up(CANXL_HDR_SIZE + cxl->len, sizeof(u64));
}

static size_t cgw_mod_operand_size(const struct cgw_mod *mod, const void *frame)
{
	switch (mod->frames) {
	case CGW_FRAMES_CC:
		return CAN_MTU;
	case CGW_FRAMES_FD:
		return CANFD_MTU;
	default:
		return cgw_mod_xl_size(frame);
	}
}

static void *cgw_mod_operand_at(const struct cgw_mod *mod, enum cgw_op op)
{
	void *at = (void *)&mod->word[mod->words];
	enum cgw_op before;

	for (before = 0; before < op; before++)
		if (mod->operands & BIT(before))
			at += cgw_mod_operand_size(mod, at);
	return at;
}

static size_t cgw_mod_total_size(const struct cgw_mod *mod)
{
	if (mod->has_crc8)
		return mod->crc8_offset + sizeof(struct cgw_crc8);
	return cgw_mod_operand_at(mod, CGW_MOD_FUNCS) - (void *)mod;
}

/**
 * cgw_mod_changes() - does a request modify a field of its frame type?
 * @request: modification; checksums do not count
 *
 * Context: Any context.
 * Return: true if it does.
 */
bool cgw_mod_changes(const struct cgw_mod_request *request)
{
	u8 known[] = {
		[CGW_FRAMES_CC] = CGW_MOD_ID | CGW_MOD_DLC | CGW_MOD_DATA,
		[CGW_FRAMES_FD] = CGW_MOD_ID | CGW_MOD_LEN | CGW_MOD_DATA |
				  CGW_MOD_FLAGS,
		[CGW_FRAMES_XL] = CGW_MOD_XL_PRIO | CGW_MOD_XL_VCID |
				  CGW_MOD_XL_SEC | CGW_MOD_XL_SDT |
				  CGW_MOD_XL_AF | CGW_MOD_DATA,
	};
	u8 fields = 0;
	int op;

	for (op = 0; op < CGW_MOD_FUNCS; op++)
		fields |= request->fields[op];
	return fields & known[request->frames];
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_changes);

/* Most rules modify nothing and need no memory for a modification. */
static bool cgw_mod_has_content(const struct cgw_mod_request *request)
{
	int op;

	if (request->has_xor || request->has_crc8)
		return true;
	for (op = 0; op < CGW_MOD_FUNCS; op++)
		if (cgw_mod_has_operand(request, op))
			return true;
	return false;
}

/* Fill in all but the trailing data. Return: the total size. */
static size_t cgw_mod_layout(struct cgw_mod *mod, const struct mod_builder *mb,
			     const struct cgw_mod_request *request)
{
	size_t size = sizeof(*mod);
	unsigned int at;
	int op;

	*mod = (struct cgw_mod){ .frames = request->frames };
	for (op = 0; op < CGW_MOD_FUNCS; op++) {
		mod->fields[op] = request->fields[op];
		if (!cgw_mod_has_operand(request, op))
			continue;
		mod->operands |= BIT(op);
		size += cgw_mod_operand_size(mod, request->xl[op]);
		if (request->frames == CGW_FRAMES_CC &&
		    request->fields[op] & CGW_MOD_DLC)
			mod->dlc = true;
	}
	mod->changes = cgw_mod_changes(request) || request->has_xor ||
		       request->has_crc8;
	if (!mod->changes)
		return size;
	for (at = 0; at < mb->words; at++)
		mod->words += cgw_mod_word_changes(mb, at);
	size += mod->words * sizeof(*mod->word);
	mod->dlc_and = mb->dlc_and;
	mod->dlc_xor = mb->dlc_xor;
	mod->uid = request->uid;
	mod->has_crc8 = request->has_crc8;
	mod->has_xor = request->has_xor;
	if (request->has_xor)
		mod->xor = request->xor;
	if (!request->has_crc8)
		return size;
	mod->crc8_offset = size;
	return size + sizeof(request->crc8);
}

static void cgw_mod_store_words(struct cgw_mod *mod,
				const struct mod_builder *mb)
{
	struct cgw_mod_word *word = mod->word;
	unsigned int at;

	for (at = 0; mod->words && at < mb->words; at++) {
		if (!cgw_mod_word_changes(mb, at))
			continue;
		word->idx = at;
		word->and = mb->and[at];
		word->xor = mb->xor[at];
		word++;
	}
}

static void cgw_mod_store_operands(struct cgw_mod *mod,
				   const struct cgw_mod_request *request)
{
	void *to = &mod->word[mod->words];
	int op;

	for (op = 0; op < CGW_MOD_FUNCS; op++) {
		const struct canxl_frame *cxl = request->xl[op];

		if (!(mod->operands & BIT(op)))
			continue;
		if (mod->frames == CGW_FRAMES_XL)
			memcpy(to, cxl, CANXL_HDR_SIZE + cxl->len);
		else
			memcpy(to, &request->op[op],
			       cgw_mod_operand_size(mod, NULL));
		to += cgw_mod_operand_size(mod, to);
	}
}

/**
 * cgw_mod_make() - compile a modification
 * @request: modification; its uid is stored only if the frame changes
 *
 * Context: Process context, may sleep.
 * Return: the modification, to be freed by kfree() or kfree_rcu(); NULL if
 * there is neither a modification nor an operand to store; ERR_PTR(-ENOMEM).
 */
struct cgw_mod *cgw_mod_make(const struct cgw_mod_request *request)
{
	struct cgw_mod layout, *mod = NULL;
	struct mod_builder mb;
	size_t size;
	int op;

	if (!cgw_mod_has_content(request))
		return NULL;
	if (cgw_mod_builder_alloc(&mb, request->frames))
		return ERR_PTR(-ENOMEM);
	for (op = 0; op < CGW_MOD_FUNCS; op++) {
		if (request->frames != CGW_FRAMES_XL)
			cgw_mod_fold_op(&mb, op, request);
		else if (request->fields[op])
			cgw_mod_fold_xl_op(&mb, op, request);
	}
	size = cgw_mod_layout(&layout, &mb, request);
	mod = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!mod) {
		mod = ERR_PTR(-ENOMEM);
		goto out;
	}
	*mod = layout;
	cgw_mod_store_words(mod, &mb);
	cgw_mod_store_operands(mod, request);
	if (mod->has_crc8)
		memcpy((u8 *)mod + mod->crc8_offset, &request->crc8,
		       sizeof(request->crc8));
out:
	cgw_mod_builder_free(&mb);
	return mod;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_make);

/* Return: size in bytes, 0 for NULL. Context: Any context. */
size_t cgw_mod_size(const struct cgw_mod *mod)
{
	return mod ? cgw_mod_total_size(mod) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_size);

/**
 * cgw_mod_operand() - get an operand for Classical CAN or CAN FD frames
 * @mod: modification of such frames
 * @op: operation
 * @cf: the operand, all zero without one
 *
 * Context: Any context.
 */
void cgw_mod_operand(const struct cgw_mod *mod, enum cgw_op op,
		     struct canfd_frame *cf)
{
	memset(cf, 0, sizeof(*cf));
	if (mod->operands & BIT(op))
		memcpy(cf, cgw_mod_operand_at(mod, op),
		       cgw_mod_operand_size(mod, NULL));
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_operand);

/**
 * cgw_mod_xl_operand() - get an operand for CAN XL frames
 * @mod: modification of such frames, which owns the operand
 * @op: operation
 *
 * Context: Any context.
 * Return: the operand, NULL without one.
 */
const struct canxl_frame *cgw_mod_xl_operand(const struct cgw_mod *mod,
					     enum cgw_op op)
{
	return mod->operands & BIT(op) ? cgw_mod_operand_at(mod, op) : NULL;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_xl_operand);

/**
 * cgw_mod_same() - compare the requests of two modifications
 * @a: modification or NULL
 * @b: modification or NULL
 *
 * Context: Any context.
 * Return: true if they are equal, including their uids.
 */
bool cgw_mod_same(const struct cgw_mod *a, const struct cgw_mod *b)
{
	const size_t from = offsetof(struct cgw_mod, uid);
	size_t size;

	if (!a || !b)
		return a == b;
	size = cgw_mod_total_size(a);
	return size == cgw_mod_total_size(b) &&
	       !memcmp((u8 *)a + from, (u8 *)b + from, size - from);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_same);

/* Modifications for which cgw_mod_same() is true have the same hash. */
u32 cgw_mod_hash(const struct cgw_mod *mod)
{
	const size_t from = offsetof(struct cgw_mod, uid);

	return mod ? jhash((u8 *)mod + from, cgw_mod_total_size(mod) - from,
			   0) : 0;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_hash);

/* For a data length code above 8, len is 8 and len8_dlc has the code. */
static void cgw_mod_change_dlc(const struct cgw_mod *mod, struct can_frame *cf)
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
	/* the caller rejects an invalid length */
	cf->len = dlc;
}

/* Offsets below 0 count from the end of the data. If the frame is too short for
 * the offset, the result is not less than @len.
 */
static unsigned int cgw_mod_offset(int index, unsigned int len)
{
	return index < 0 ? len + index : index;
}

/* struct cgw_span for the length of one frame */
struct cgw_mod_offsets {
	unsigned int from;
	unsigned int to;
	unsigned int result;
};

static bool cgw_mod_resolve_span(struct cgw_mod_offsets *at,
				 const struct cgw_span *span, unsigned int len)
{
	at->from = cgw_mod_offset(span->from, len);
	at->to = cgw_mod_offset(span->to, len);
	at->result = cgw_mod_offset(span->result, len);
	return at->from < len && at->to < len && at->result < len;
}

static void cgw_mod_set_xor(const struct cgw_xor *xor, u8 *data,
			    unsigned int len)
{
	struct cgw_mod_offsets at;
	unsigned int i;
	u8 sum;

	if (!cgw_mod_resolve_span(&at, &xor->span, len))
		return;
	/* the order of the bytes does not matter */
	sum = xor->init;
	for (i = min(at.from, at.to); i <= max(at.from, at.to); i++)
		sum ^= data[i];
	data[at.result] = sum;
}

static void cgw_mod_set_crc8(const struct cgw_crc8 *crc8, canid_t id, u8 *data,
			     unsigned int len)
{
	struct cgw_mod_offsets at;
	unsigned int i;
	u8 crc;

	if (!cgw_mod_resolve_span(&at, &crc8->span, len))
		return;
	/* this profile reads data[1] */
	if (crc8->profile == CGW_CRC8PRF_16U8 && len < 2)
		return;

	crc = crc8->init;
	if (at.from <= at.to) {
		for (i = at.from; i <= at.to; i++)
			crc = crc8->table[crc ^ data[i]];
	} else {
		for (i = at.from + 1; i > at.to; i--)
			crc = crc8->table[crc ^ data[i - 1]];
	}
	switch (crc8->profile) {
	case CGW_CRC8PRF_1U8:
		crc = crc8->table[crc ^ crc8->profile_data[0]];
		break;
	case CGW_CRC8PRF_16U8:
		crc = crc8->table[crc ^ crc8->profile_data[data[1] & 0xf]];
		break;
	case CGW_CRC8PRF_SFFID_XOR:
		crc = crc8->table[crc ^ (id & 0xff) ^ (id >> 8 & 0xff)];
		break;
	}
	data[at.result] = crc ^ crc8->final;
}

static void cgw_mod_set_checksums(const struct cgw_mod *mod, canid_t id,
				  u8 *data, unsigned int len)
{
	if (mod->has_crc8)
		cgw_mod_set_crc8(cgw_mod_crc8(mod), id, data, len);
	if (mod->has_xor)
		cgw_mod_set_xor(&mod->xor, data, len);
}

/**
 * cgw_mod_run() - modify a Classical CAN or CAN FD frame
 * @mod: modification for this frame type, @changes is true
 * @cf: frame, aligned to eight bytes
 * @max_len: CAN_MAX_DLEN or CANFD_MAX_DLEN
 *
 * A checksum is skipped if the frame is too short for one of its offsets.
 *
 * Context: Any context; any number of CPUs may run one modification.
 * Return: false if the modified length exceeds @max_len: the frame must not be
 * sent.
 */
bool cgw_mod_run(const struct cgw_mod *mod, struct canfd_frame *cf,
		 unsigned int max_len)
{
	const struct cgw_mod_word *word = mod->word;
	const struct cgw_mod_word *end = word + mod->words;
	u64 *frame = (u64 *)cf;

	for (; word < end; word++)
		frame[word->idx] = (frame[word->idx] & word->and) ^ word->xor;
	if (mod->dlc)
		cgw_mod_change_dlc(mod, (struct can_frame *)cf);
	if (cf->len > max_len)
		return false;
	if (mod->has_crc8 || mod->has_xor)
		cgw_mod_set_checksums(mod, cf->can_id, cf->data, cf->len);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_run);

/**
 * cgw_mod_run_xl() - modify a CAN XL frame
 * @mod: modification for CAN XL, @changes is true
 * @cxl: valid frame, aligned to eight bytes; the rest of its last eight-byte
 *	word must be writable
 *
 * A checksum is skipped if the frame is too short for one of its offsets.
 *
 * Context: Any context; any number of CPUs may run one modification.
 */
void cgw_mod_run_xl(const struct cgw_mod *mod, struct canxl_frame *cxl)
{
	const unsigned int words = DIV_ROUND_UP(CANXL_HDR_SIZE + cxl->len,
						sizeof(u64));
	const struct cgw_mod_word *word = mod->word;
	const struct cgw_mod_word *end = word + mod->words;
	u64 *frame = (u64 *)cxl;

	for (; word < end && word->idx < words; word++)
		frame[word->idx] = (frame[word->idx] & word->and) ^ word->xor;
	if (mod->has_crc8 || mod->has_xor)
		cgw_mod_set_checksums(mod, cxl->prio & CANXL_PRIO_MASK,
				      cxl->data, cxl->len);
}
EXPORT_SYMBOL_IF_KUNIT(cgw_mod_run_xl);
