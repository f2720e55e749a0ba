// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* What a gateway rule does to a frame; gw_mod.h says how. */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/math.h>
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

/* Modifications are compared byte by byte. */
static_assert(offsetofend(struct cgw_mod, zero) == sizeof(struct cgw_mod));
static_assert(offsetof(struct cgw_mod, xor) ==
	      offsetofend(struct cgw_mod, has_crc8));
static_assert(offsetofend(struct cgw_crc8, zero) == sizeof(struct cgw_crc8));

/* A CAN XL frame of any length can be looked at in words. */
#define XL_WORDS DIV_ROUND_UP(CANXL_MTU, sizeof(u64))

#define FD_WORDS (CANFD_MTU / sizeof(u64))

/* In the making: of each byte of a frame, and of the length of a Classical CAN
 * frame. A frame has @words words, of which @and has as many, and @xor. Both are in
 * @few, unless it is a CAN XL frame.
 */
struct draft {
	unsigned int words;
	u64 few[2 * FD_WORDS];
	u64 *and;
	u64 *xor;
	u8 dlc_and;
	u8 dlc_xor;
};

static unsigned int frame_words(enum cgw_frames frames)
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

/* Where @mask is not set, nothing happens. */
static void draft_byte(u8 *and, u8 *xor, enum cgw_op op, u8 value, u8 mask)
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

static void draft_bytes(struct draft *draft, enum cgw_op op,
			const void *frame, size_t at, size_t count)
{
	u8 *and = (u8 *)draft->and, *xor = (u8 *)draft->xor;
	const u8 *value = frame;

	for (; count; at++, count--)
		draft_byte(&and[at], &xor[at], op, value[at], 0xff);
}

static void draft_op(struct draft *draft, enum cgw_op op,
		     const struct cgw_mod_request *request)
{
	const struct canfd_frame *cf = &request->op[op];
	bool fd = request->frames == CGW_FRAMES_FD;
	u8 fields = request->fields[op];

	if (fields & CGW_MOD_ID)
		draft_bytes(draft, op, cf, 0, sizeof(cf->can_id));
	if (fields & CGW_MOD_DATA)
		draft_bytes(draft, op, cf, offsetof(struct canfd_frame, data),
			    fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN);
	if (fd) {
		if (fields & CGW_MOD_LEN)
			draft_bytes(draft, op, cf,
				    offsetof(struct canfd_frame, len), 1);
		if (fields & CGW_MOD_FLAGS)
			draft_bytes(draft, op, cf,
				    offsetof(struct canfd_frame, flags), 1);
	} else if (fields & CGW_MOD_DLC) {
		draft_byte(&draft->dlc_and, &draft->dlc_xor, op, cf->len, 0xff);
	}
}

/* Priority and VCID are bits of one word, which has others. */
static void draft_prio(struct draft *draft, enum cgw_op op, u32 value, u32 mask)
{
	u8 *and = (u8 *)draft->and + offsetof(struct canxl_frame, prio);
	u8 *xor = (u8 *)draft->xor + offsetof(struct canxl_frame, prio);
	const u8 *values = (u8 *)&value, *masks = (u8 *)&mask;
	unsigned int i;

	for (i = 0; i < sizeof(value); i++)
		draft_byte(&and[i], &xor[i], op, values[i], masks[i]);
}

static void draft_xl_op(struct draft *draft, enum cgw_op op,
			const struct cgw_mod_request *request)
{
	const size_t flags = offsetof(struct canxl_frame, flags);
	const struct canxl_frame *cxl = request->xl[op];
	u8 fields = request->fields[op];

	if (fields & CGW_MOD_XL_PRIO)
		draft_prio(draft, op, cxl->prio, CANXL_PRIO_MASK);
	if (fields & CGW_MOD_XL_VCID)
		draft_prio(draft, op, cxl->prio, CANXL_VCID_MASK);
	if (fields & CGW_MOD_XL_SEC)
		draft_byte((u8 *)draft->and + flags, (u8 *)draft->xor + flags,
			   op, cxl->flags, CANXL_SEC);
	if (fields & CGW_MOD_XL_SDT)
		draft_bytes(draft, op, cxl, offsetof(struct canxl_frame, sdt),
			    sizeof(cxl->sdt));
	if (fields & CGW_MOD_XL_AF)
		draft_bytes(draft, op, cxl, offsetof(struct canxl_frame, af),
			    sizeof(cxl->af));
	if (fields & CGW_MOD_DATA)
		draft_bytes(draft, op, cxl, CANXL_HDR_SIZE, cxl->len);
}

static int draft_alloc(struct draft *draft, enum cgw_frames frames)
{
	draft->words = frame_words(frames);
	draft->and = draft->few;
	if (frames == CGW_FRAMES_XL)
		draft->and = kmalloc_array(2 * draft->words, sizeof(u64),
					   GFP_KERNEL);
	if (!draft->and)
		return -ENOMEM;
	draft->xor = draft->and + draft->words;
	memset(draft->and, 0xff, draft->words * sizeof(u64));
	memset(draft->xor, 0, draft->words * sizeof(u64));
	draft->dlc_and = 0xff;
	draft->dlc_xor = 0;
	return 0;
}

static void draft_free(struct draft *draft)
{
	if (draft->and != draft->few)
		kfree(draft->and);
}

static bool draft_word(const struct draft *draft, unsigned int at)
{
	return draft->and[at] != U64_MAX || draft->xor[at];
}

/* Operands are kept if they are not what a rule without them has. */
static bool to_keep(const struct cgw_mod_request *request, enum cgw_op op)
{
	return request->fields[op] ||
	       memchr_inv(&request->op[op], 0, sizeof(request->op[op]));
}

static size_t xl_size(const struct canxl_frame *cxl)
{
	return round_up(CANXL_HDR_SIZE + cxl->len, sizeof(u64));
}

static size_t kept_size(const struct cgw_mod *mod, const void *frame)
{
	switch (mod->frames) {
	case CGW_FRAMES_CC:
		return CAN_MTU;
	case CGW_FRAMES_FD:
		return CANFD_MTU;
	default:
		return xl_size(frame);
	}
}

static void *kept_at(const struct cgw_mod *mod, enum cgw_op op)
{
	void *at = (void *)&mod->word[mod->words];
	enum cgw_op before;

	for (before = 0; before < op; before++)
		if (mod->kept & BIT(before))
			at += kept_size(mod, at);
	return at;
}

static size_t whole_size(const struct cgw_mod *mod)
{
	if (mod->has_crc8)
		return mod->crc8_at + sizeof(struct cgw_crc8);
	return kept_at(mod, CGW_MOD_FUNCS) - (void *)mod;
}

/**
 * cgw_mod_changes() - is there an operation on a field that such frames have?
 * @request: what a rule is to do
 *
 * Context: any.
 * Return: true if there is.
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

/* Most rules modify nothing, and there may be very many of them. */
static bool says_something(const struct cgw_mod_request *request)
{
	int op;

	if (request->has_xor || request->has_crc8)
		return true;
	for (op = 0; op < CGW_MOD_FUNCS; op++)
		if (to_keep(request, op))
			return true;
	return false;
}

/* All but what lies behind the structure; returns the size of it all. */
static size_t plan(struct cgw_mod *mod, const struct draft *draft,
		   const struct cgw_mod_request *request)
{
	size_t size = sizeof(*mod);
	unsigned int at;
	int op;

	*mod = (struct cgw_mod){ .frames = request->frames };
	for (op = 0; op < CGW_MOD_FUNCS; op++) {
		mod->fields[op] = request->fields[op];
		if (!to_keep(request, op))
			continue;
		mod->kept |= BIT(op);
		size += kept_size(mod, request->xl[op]);
		if (request->frames == CGW_FRAMES_CC &&
		    request->fields[op] & CGW_MOD_DLC)
			mod->dlc = true;
	}
	mod->changes = cgw_mod_changes(request) || request->has_xor ||
		       request->has_crc8;
	if (!mod->changes)
		return size;
	for (at = 0; at < draft->words; at++)
		mod->words += draft_word(draft, at);
	size += mod->words * sizeof(*mod->word);
	mod->dlc_and = draft->dlc_and;
	mod->dlc_xor = draft->dlc_xor;
	mod->uid = request->uid;
	mod->has_crc8 = request->has_crc8;
	mod->has_xor = request->has_xor;
	if (request->has_xor)
		mod->xor = request->xor;
	if (!request->has_crc8)
		return size;
	mod->crc8_at = size;
	return size + sizeof(request->crc8);
}

static void fill_words(struct cgw_mod *mod, const struct draft *draft)
{
	struct cgw_mod_word *word = mod->word;
	unsigned int at;

	for (at = 0; mod->words && at < draft->words; at++) {
		if (!draft_word(draft, at))
			continue;
		word->at = at;
		word->and = draft->and[at];
		word->xor = draft->xor[at];
		word++;
	}
}

static void fill_kept(struct cgw_mod *mod, const struct cgw_mod_request *request)
{
	void *to = &mod->word[mod->words];
	int op;

	for (op = 0; op < CGW_MOD_FUNCS; op++) {
		const struct canxl_frame *cxl = request->xl[op];

		if (!(mod->kept & BIT(op)))
			continue;
		if (mod->frames == CGW_FRAMES_XL)
			memcpy(to, cxl, CANXL_HDR_SIZE + cxl->len);
		else
			memcpy(to, &request->op[op], kept_size(mod, NULL));
		to += kept_size(mod, to);
	}
}

/**
 * cgw_mod_make() - compile what a rule does
 * @request: what it is to do; the name counts only if the frame changes
 *
 * Context: process, may sleep.
 * Return: the modification, which is freed by kfree() or kfree_rcu(), NULL if there
 * is nothing to do and nothing to remember, or ERR_PTR(-ENOMEM).
 */
struct cgw_mod *cgw_mod_make(const struct cgw_mod_request *request)
{
	struct cgw_mod plan_of, *mod = NULL;
	struct draft draft;
	size_t size;
	int op;

	if (!says_something(request))
		return NULL;
	if (draft_alloc(&draft, request->frames))
		return ERR_PTR(-ENOMEM);
	for (op = 0; op < CGW_MOD_FUNCS; op++) {
		if (request->frames != CGW_FRAMES_XL)
			draft_op(&draft, op, request);
		else if (request->fields[op])
			draft_xl_op(&draft, op, request);
	}
	size = plan(&plan_of, &draft, request);
	mod = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!mod) {
		mod = ERR_PTR(-ENOMEM);
		goto out;
	}
	*mod = plan_of;
	fill_words(mod, &draft);
	fill_kept(mod, request);
	if (mod->has_crc8)
		memcpy((u8 *)mod + mod->crc8_at, &request->crc8,
		       sizeof(request->crc8));
out:
	draft_free(&draft);
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
 * @mod: the modification, not of CAN XL frames
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
		memcpy(cf, kept_at(mod, op), kept_size(mod, NULL));
}

/**
 * cgw_mod_xl_operand() - what an operation on CAN XL frames was made from
 * @mod: the modification
 * @op: the operation
 *
 * Context: any.
 * Return: as in the request.
 */
const struct canxl_frame *cgw_mod_xl_operand(const struct cgw_mod *mod,
					     enum cgw_op op)
{
	return mod->kept & BIT(op) ? kept_at(mod, op) : NULL;
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
	size_t size;

	if (!a || !b)
		return a == b;
	size = whole_size(a);
	return size == whole_size(b) &&
	       !memcmp((u8 *)a + from, (u8 *)b + from, size - from);
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

	return mod ? jhash((u8 *)mod + from, whole_size(mod) - from, 0) : 0;
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

/* Of a checksum, in one frame */
struct places {
	unsigned int from;
	unsigned int to;
	unsigned int result;
};

static bool find_places(struct places *at, const struct cgw_span *span,
			unsigned int len)
{
	at->from = byte_at(span->from, len);
	at->to = byte_at(span->to, len);
	at->result = byte_at(span->result, len);
	return at->from < len && at->to < len && at->result < len;
}

static void set_xor(const struct cgw_xor *xor, u8 *data, unsigned int len)
{
	struct places at;
	unsigned int i;
	u8 sum;

	if (!find_places(&at, &xor->span, len))
		return;
	/* the sum is the same from either end */
	sum = xor->init;
	for (i = min(at.from, at.to); i <= max(at.from, at.to); i++)
		sum ^= data[i];
	data[at.result] = sum;
}

static void set_crc8(const struct cgw_crc8 *crc8, canid_t id, u8 *data,
		     unsigned int len)
{
	struct places at;
	unsigned int i;
	u8 crc;

	if (!find_places(&at, &crc8->span, len))
		return;
	/* this profile looks at data[1] */
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

static void set_checksums(const struct cgw_mod *mod, canid_t id, u8 *data,
			  unsigned int len)
{
	if (mod->has_crc8)
		set_crc8(cgw_mod_crc8(mod), id, data, len);
	if (mod->has_xor)
		set_xor(&mod->xor, data, len);
}

/**
 * cgw_mod_run() - change a frame
 * @mod: what to do; its @changes is true
 * @cf: a Classical CAN or CAN FD frame, as @mod is for, aligned to eight bytes
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
	if (mod->has_crc8 || mod->has_xor)
		set_checksums(mod, cf->can_id, cf->data, cf->len);
	return true;
}

/**
 * cgw_mod_run_xl() - change a CAN XL frame
 * @mod: what to do; its @changes is true
 * @cxl: a valid frame, aligned to eight bytes, and with room for a whole word of these
 *	where it ends
 *
 * A checksum whose bytes or result are not in the frame is left out.
 *
 * Context: any, also concurrently with itself.
 */
void cgw_mod_run_xl(const struct cgw_mod *mod, struct canxl_frame *cxl)
{
	const unsigned int words = DIV_ROUND_UP(CANXL_HDR_SIZE + cxl->len,
						sizeof(u64));
	const struct cgw_mod_word *word = mod->word;
	const struct cgw_mod_word *end = word + mod->words;
	u64 *frame = (u64 *)cxl;

	for (; word < end && word->at < words; word++)
		frame[word->at] = (frame[word->at] & word->and) ^ word->xor;
	if (mod->has_crc8 || mod->has_xor)
		set_checksums(mod, cxl->prio & CANXL_PRIO_MASK, cxl->data,
			      cxl->len);
}
