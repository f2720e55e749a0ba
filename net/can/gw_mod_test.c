// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * KUnit suite of the modifications of the CAN gateway.
 *
 * The reference applies one operation after the other to one field after the
 * other, byte by byte, as specified in include/uapi/linux/can/gw.h and
 * gw_mod.h. Where not all combinations are tested, requests and frames are
 * pseudo-random. A failure prints the request.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fail_nth.h"
#include "gw_mod.h"

#define ALL_FIELDS (CGW_MOD_ID | CGW_MOD_DLC | CGW_MOD_DATA | CGW_MOD_FLAGS)
#define CC_FIELDS (CGW_MOD_ID | CGW_MOD_DLC | CGW_MOD_DATA)
#define XL_FIELDS (CGW_MOD_XL_PRIO | CGW_MOD_XL_VCID | CGW_MOD_XL_SEC | \
		   CGW_MOD_XL_SDT | CGW_MOD_XL_AF | CGW_MOD_DATA)

static struct rnd_state rnd;

static u32 random(u32 ceil)
{
	return ceil ? prandom_u32_state(&rnd) % ceil : 0;
}

static int mod_init(struct kunit *test)
{
	prandom_seed_state(&rnd, 20261122);
	return 0;
}

static enum cgw_frames cc_or_fd(bool fd)
{
	return fd ? CGW_FRAMES_FD : CGW_FRAMES_CC;
}

static bool is_fd(const struct cgw_mod_request *request)
{
	return request->frames == CGW_FRAMES_FD;
}

static unsigned int max_data_len(const struct cgw_mod_request *request)
{
	return is_fd(request) ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
}

/* The reference */

static void ref_byte(u8 *byte, enum cgw_op op, u8 value)
{
	if (op == CGW_OP_AND)
		*byte = *byte & value;
	else if (op == CGW_OP_OR)
		*byte = *byte | value;
	else if (op == CGW_OP_XOR)
		*byte = *byte ^ value;
	else
		*byte = value;
}

static void ref_bytes(void *bytes, enum cgw_op op, const void *values,
		      unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		ref_byte((u8 *)bytes + i, op, ((const u8 *)values)[i]);
}

static u8 ref_get_dlc(const struct can_frame *cf)
{
	if (cf->len == 8 && cf->len8_dlc >= 9 && cf->len8_dlc <= 15)
		return cf->len8_dlc;
	return cf->len;
}

static void ref_set_dlc(struct can_frame *cf, u8 dlc)
{
	bool raw = dlc >= 9 && dlc <= 15;

	cf->len = raw ? 8 : dlc;
	cf->len8_dlc = raw ? dlc : 0;
}

static void ref_op(const struct cgw_mod_request *request, enum cgw_op op,
		   struct canfd_frame *cf)
{
	const struct canfd_frame *operand = &request->op[op];
	u8 fields = request->fields[op], dlc;

	if (fields & CGW_MOD_ID)
		ref_bytes(&cf->can_id, op, &operand->can_id, 4);
	if (fields & CGW_MOD_LEN && is_fd(request))
		ref_byte(&cf->len, op, operand->len);
	if (fields & CGW_MOD_DLC && !is_fd(request)) {
		dlc = ref_get_dlc((struct can_frame *)cf);
		ref_byte(&dlc, op, operand->len);
		ref_set_dlc((struct can_frame *)cf, dlc);
	}
	if (fields & CGW_MOD_FLAGS && is_fd(request))
		ref_byte(&cf->flags, op, operand->flags);
	if (fields & CGW_MOD_DATA)
		ref_bytes(cf->data, op, operand->data, max_data_len(request));
}

/* Return: the offset from the start, or -1 if the frame is too short. */
static int ref_offset(int index, int len)
{
	if (index < 0)
		index += len;
	return index >= 0 && index < len ? index : -1;
}

static void ref_xor(const struct cgw_xor *xor, u8 *data, int len)
{
	int from = ref_offset(xor->span.from, len);
	int to = ref_offset(xor->span.to, len);
	int result = ref_offset(xor->span.result, len);
	u8 sum = xor->init;

	if (from < 0 || to < 0 || result < 0)
		return;
	for (;;) {
		sum ^= data[from];
		if (from == to)
			break;
		from += from < to ? 1 : -1;
	}
	data[result] = sum;
}

static void ref_crc8(const struct cgw_crc8 *crc8, u32 id, u8 *data, int len)
{
	int from = ref_offset(crc8->span.from, len);
	int to = ref_offset(crc8->span.to, len);
	int result = ref_offset(crc8->span.result, len);
	u8 crc = crc8->init;

	if (from < 0 || to < 0 || result < 0)
		return;
	if (crc8->profile == CGW_CRC8PRF_16U8 && len < 2)
		return;
	for (;;) {
		crc = crc8->table[crc ^ data[from]];
		if (from == to)
			break;
		from += from < to ? 1 : -1;
	}
	if (crc8->profile == CGW_CRC8PRF_1U8)
		crc = crc8->table[crc ^ crc8->profile_data[0]];
	if (crc8->profile == CGW_CRC8PRF_16U8)
		crc = crc8->table[crc ^ crc8->profile_data[data[1] % 16]];
	if (crc8->profile == CGW_CRC8PRF_SFFID_XOR)
		crc = crc8->table[crc ^ (u8)id ^ (u8)(id >> 8)];
	data[result] = crc ^ crc8->final;
}

static void ref_sums(const struct cgw_mod_request *request, u32 id, u8 *data,
		     int len)
{
	if (request->has_crc8)
		ref_crc8(&request->crc8, id, data, len);
	if (request->has_xor)
		ref_xor(&request->xor, data, len);
}

static bool ref_run(const struct cgw_mod_request *request,
		    struct canfd_frame *cf)
{
	int op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		ref_op(request, op, cf);
	if (cf->len > max_data_len(request))
		return false;
	ref_sums(request, cf->can_id, cf->data, cf->len);
	return true;
}

/* Apply an operation to a field of @bits bits at bit @shift of a word. */
static void ref_part(u32 *word, unsigned int shift, unsigned int bits,
		     enum cgw_op op, u32 value)
{
	unsigned int i;
	u8 bit;

	for (i = shift; i < shift + bits; i++) {
		bit = *word >> i & 1;
		ref_byte(&bit, op, value >> i & 1);
		*word = (*word & ~(1U << i)) | (u32)bit << i;
	}
}

static void ref_xl_op(const struct cgw_mod_request *request, enum cgw_op op,
		      struct canxl_frame *cxl)
{
	const struct canxl_frame *operand = request->xl[op];
	u8 fields = request->fields[op];
	u32 flags = cxl->flags;

	if (fields & CGW_MOD_XL_PRIO)
		ref_part(&cxl->prio, 0, 11, op, operand->prio);
	if (fields & CGW_MOD_XL_VCID)
		ref_part(&cxl->prio, 16, 8, op, operand->prio);
	if (fields & CGW_MOD_XL_SEC)
		ref_part(&flags, 0, 1, op, operand->flags);
	cxl->flags = flags;
	if (fields & CGW_MOD_XL_SDT)
		ref_byte(&cxl->sdt, op, operand->sdt);
	if (fields & CGW_MOD_XL_AF)
		ref_bytes(&cxl->af, op, &operand->af, 4);
	if (fields & CGW_MOD_DATA)
		ref_bytes(cxl->data, op, operand->data,
			  min(operand->len, cxl->len));
}

static void ref_run_xl(const struct cgw_mod_request *request,
		       struct canxl_frame *cxl)
{
	int op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		ref_xl_op(request, op, cxl);
	ref_sums(request, cxl->prio & CANXL_PRIO_MASK, cxl->data, cxl->len);
}

/* Requests and frames */

static void rand_frame(struct canfd_frame *cf, bool fd)
{
	struct can_frame *cc = (struct can_frame *)cf;

	memset(cf, 0, sizeof(*cf));
	cf->can_id = prandom_u32_state(&rnd);
	prandom_bytes_state(&rnd, cf->data, fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN);
	if (fd) {
		cf->len = random(CANFD_MAX_DLEN + 1);
		cf->flags = random(256);
	} else {
		cf->len = random(CAN_MAX_DLEN + 1);
		/* only valid if the length is eight */
		cc->len8_dlc = random(CAN_MAX_RAW_DLC + 2);
	}
}

/* An operand as from the netlink interface */
static void rand_operand(struct canfd_frame *cf, bool fd)
{
	rand_frame(cf, fd);
	if (random(2))
		cf->len = random(256);
	cf->flags = fd ? cf->flags : 0;
	cf->__res0 = 0;
	cf->__res1 = 0;
}

static void rand_request(struct cgw_mod_request *request, bool fd)
{
	int op;

	memset(request, 0, sizeof(*request));
	request->frames = cc_or_fd(fd);
	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++) {
		if (random(3) == 0)
			continue;
		request->fields[op] = random(ALL_FIELDS + 1);
		rand_operand(&request->op[op], fd);
	}
}

static void print_span(struct kunit *test, const char *name,
		       const struct cgw_span *span)
{
	kunit_err(test, "%s of %d to %d at %d", name, span->from, span->to,
		  span->result);
}

static void print_request(struct kunit *test, const struct cgw_mod_request *r)
{
	static const char * const type[] = { "CC", "FD", "XL" };
	int op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		if (r->frames != CGW_FRAMES_XL)
			kunit_err(test, "%s op %d fields %x: %16ph",
				  type[r->frames], op, r->fields[op],
				  &r->op[op]);
		else if (r->xl[op])
			kunit_err(test, "XL op %d fields %x len %d: %20ph", op,
				  r->fields[op], r->xl[op]->len, r->xl[op]);
	if (r->has_xor)
		print_span(test, "xor", &r->xor.span);
	if (r->has_crc8)
		print_span(test, "crc8", &r->crc8.span);
}

static struct cgw_mod *make_mod(struct kunit *test,
				const struct cgw_mod_request *request)
{
	struct cgw_mod *mod = cgw_mod_make(request);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mod);
	return mod;
}

/* Return: false if the result differs from the reference; prints it. */
static bool same_result(struct kunit *test,
			const struct cgw_mod_request *request,
			const struct cgw_mod *mod, const struct canfd_frame *cf)
{
	struct canfd_frame result = *cf, expected = *cf;
	bool sent = cgw_mod_run(mod, &result, max_data_len(request));
	bool to_send = ref_run(request, &expected);

	if (sent == to_send &&
	    (!sent || !memcmp(&result, &expected, sizeof(result))))
		return true;
	print_request(test, request);
	KUNIT_FAIL(test, "%16ph: %d %16ph instead of %d %16ph", cf, sent,
		   &result, to_send, &expected);
	return false;
}

/* Return: false if a result differs. */
static bool compare_random(struct kunit *test,
			   const struct cgw_mod_request *request,
			   unsigned int frames)
{
	struct cgw_mod *mod = make_mod(test, request);
	struct canfd_frame cf;
	bool same = true;

	while (same && frames--) {
		rand_frame(&cf, is_fd(request));
		same = same_result(test, request, mod, &cf);
	}
	kfree(mod);
	return same;
}

/* Operations */

static void each_operation(struct kunit *test)
{
	struct cgw_mod_request request;
	int op, fields, fd, i;

	for (fd = 0; fd < 2; fd++)
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
			for (fields = 1; fields <= ALL_FIELDS; fields++)
				for (i = 0; i < 20; i++) {
					if (!fd && fields == CGW_MOD_FLAGS)
						continue;
					memset(&request, 0, sizeof(request));
					request.frames = cc_or_fd(fd);
					request.fields[op] = fields;
					rand_operand(&request.op[op], fd);
					if (!compare_random(test, &request, 20))
						return;
				}
}

/* Every combination of fields of the four operations */
static void all_operations(struct kunit *test)
{
	struct cgw_mod_request request;
	u32 fields;
	int op;

	/* four bits for each operation */
	for (fields = 0; fields < 0x10000; fields++) {
		memset(&request, 0, sizeof(request));
		request.frames = cc_or_fd(fields & 1);
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++) {
			request.fields[op] = fields >> 4 * op & ALL_FIELDS;
			rand_operand(&request.op[op], is_fd(&request));
		}
		if (!is_fd(&request) && !((fields | fields >> 4 | fields >> 8 |
				      fields >> 12) & CC_FIELDS))
			continue;
		if (!compare_random(test, &request, 3))
			return;
		request.frames = cc_or_fd(!is_fd(&request));
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
			rand_operand(&request.op[op], is_fd(&request));
		if (request.fields[0] & CC_FIELDS &&
		    !compare_random(test, &request, 3))
			return;
	}
}

static bool compare_length(struct kunit *test,
			   const struct cgw_mod_request *request,
			   const struct cgw_mod *mod, unsigned int length)
{
	struct canfd_frame cf;

	rand_frame(&cf, is_fd(request));
	if (is_fd(request))
		cf.len = length;
	else
		ref_set_dlc((struct can_frame *)&cf, length);
	return same_result(test, request, mod, &cf);
}

static void compare_lengths(struct kunit *test,
			    const struct cgw_mod_request *request)
{
	unsigned int max = is_fd(request) ? CANFD_MAX_DLEN : CAN_MAX_RAW_DLC;
	struct cgw_mod *mod = make_mod(test, request);
	unsigned int length;

	for (length = 0; length <= max; length++)
		if (!compare_length(test, request, mod, length))
			break;
	kfree(mod);
}

static void every_length(struct kunit *test)
{
	struct cgw_mod_request request;
	unsigned int value;
	int op, fd;

	for (fd = 0; fd < 2; fd++)
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
			for (value = 0; value < 256; value++) {
				memset(&request, 0, sizeof(request));
				request.frames = cc_or_fd(fd);
				request.fields[op] = CGW_MOD_LEN;
				request.op[op].len = value;
				compare_lengths(test, &request);
			}
}

/* Two operations; the value between them may be an invalid length */
static void compare_pair(struct kunit *test, bool fd, enum cgw_op op, u8 value,
			 enum cgw_op other_op, u8 other_value)
{
	struct cgw_mod_request request = { .frames = cc_or_fd(fd) };

	request.fields[op] = CGW_MOD_LEN;
	request.op[op].len = value;
	request.fields[other_op] = CGW_MOD_LEN;
	request.op[other_op].len = other_value;
	compare_lengths(test, &request);
}

static void every_pair_of_lengths(struct kunit *test)
{
	static const u8 values[] = {
		0, 1, 7, 8, 9, 10, 12, 15, 16, 17, 0x18, 0x40, 0x41, 0x80, 0xf7,
		0xf8, 0xff
	};
	unsigned int a, b;
	int op, other;

	for (op = CGW_OP_AND; op < CGW_OP_SET; op++)
		for (other = op + 1; other <= CGW_OP_SET; other++)
			for (a = 0; a < ARRAY_SIZE(values); a++)
				for (b = 0; b < ARRAY_SIZE(values); b++) {
					compare_pair(test, false, op, values[a],
						     other, values[b]);
					compare_pair(test, true, op, values[a],
						     other, values[b]);
				}
}

/* len8_dlc is only valid if the length is eight. */
static void stale_raw_dlc_is_ignored(struct kunit *test)
{
	struct cgw_mod_request request = { .fields[CGW_OP_OR] = CGW_MOD_DLC };
	struct can_frame cf = { .len = 4, .len8_dlc = 13 };
	struct cgw_mod *mod = make_mod(test, &request);

	KUNIT_EXPECT_TRUE(test, cgw_mod_run(mod, (struct canfd_frame *)&cf,
					    CAN_MAX_DLEN));
	KUNIT_EXPECT_EQ(test, cf.len, 4);
	KUNIT_EXPECT_EQ(test, cf.len8_dlc, 0);
	kfree(mod);
}

/* Checksums */

/* A request with an operation without effect, or none, for a checksum */
static void rand_summed(struct cgw_mod_request *request, bool fd)
{
	memset(request, 0, sizeof(*request));
	request->frames = cc_or_fd(fd);
	if (random(2))
		request->fields[CGW_OP_OR] = CGW_MOD_DATA;
}

static void rand_crc8(struct cgw_crc8 *crc8)
{
	prandom_bytes_state(&rnd, crc8, sizeof(*crc8));
	crc8->profile = random(CGW_CRC8PRF_MAX + 2);
	crc8->zero = 0;
}

static void rand_xor(struct cgw_xor *xor)
{
	prandom_bytes_state(&rnd, xor, sizeof(*xor));
	xor->zero = 0;
}

static bool compare_sums(struct kunit *test,
			 const struct cgw_mod_request *request)
{
	struct cgw_mod *mod = make_mod(test, request);
	struct canfd_frame cf;
	bool same = true;
	unsigned int len;

	for (len = 0; same && len <= max_data_len(request);
	     len += is_fd(request) ? 1 + random(16) : 1) {
		rand_frame(&cf, is_fd(request));
		cf.len = len;
		same = same_result(test, request, mod, &cf);
	}
	kfree(mod);
	return same;
}

static void compare_spans(struct kunit *test, bool crc8)
{
	struct cgw_mod_request request;
	struct cgw_span span;

	for (span.from = -8; span.from < 8; span.from++)
		for (span.to = -8; span.to < 8; span.to++)
			for (span.result = -8; span.result < 8; span.result++) {
				rand_summed(&request, false);
				request.has_crc8 = crc8;
				request.has_xor = !crc8;
				if (crc8)
					rand_crc8(&request.crc8);
				else
					request.xor.init = random(256);
				request.crc8.span = span;
				request.xor.span = span;
				if (!compare_sums(test, &request))
					return;
			}
}

static void every_xor(struct kunit *test)
{
	compare_spans(test, false);
}

static void every_crc8(struct kunit *test)
{
	compare_spans(test, true);
}

static void rand_span(struct cgw_span *span, int max_len)
{
	span->from = (int)random(2 * max_len) - max_len;
	span->to = (int)random(2 * max_len) - max_len;
	span->result = (int)random(2 * max_len) - max_len;
}

static void rand_checksums(struct cgw_mod_request *request, int max_len)
{
	request->has_crc8 = random(4);
	request->has_xor = random(4);
	if (request->has_crc8) {
		rand_crc8(&request->crc8);
		rand_span(&request->crc8.span, max_len);
	}
	if (request->has_xor) {
		rand_xor(&request->xor);
		rand_span(&request->xor.span, max_len);
	}
}

/* The CRC is calculated first: the XOR may cover it. */
static void both_checksums(struct kunit *test)
{
	struct cgw_mod_request request;
	int i;

	for (i = 0; i < 20000; i++) {
		rand_request(&request, i & 1);
		request.fields[random(4)] |= CGW_MOD_DATA;
		rand_checksums(&request, max_data_len(&request));
		if (!compare_random(test, &request, 4))
			return;
	}
}

static void expect_checksums(struct kunit *test,
			     const struct cgw_mod_request *request)
{
	struct cgw_mod *mod;

	KUNIT_ASSERT_FALSE(test, cgw_mod_changes(request));
	mod = make_mod(test, request);
	KUNIT_EXPECT_TRUE(test, mod->changes);
	KUNIT_EXPECT_EQ(test, mod->uid, request->uid);
	KUNIT_EXPECT_EQ(test, cgw_mod_size(mod), sizeof(*mod) +
			request->has_crc8 * sizeof(struct cgw_crc8));
	kfree(mod);
}

static void checksums_without_operations(struct kunit *test)
{
	struct cgw_mod_request request;
	int i;

	for (i = 0; i < 2000; i++) {
		memset(&request, 0, sizeof(request));
		request.frames = cc_or_fd(i & 1);
		rand_checksums(&request, max_data_len(&request));
		if (!request.has_crc8 && !request.has_xor)
			request.has_xor = true;
		request.uid = random(3);
		expect_checksums(test, &request);
		if (!compare_random(test, &request, 4))
			return;
	}
}

/* CAN XL */

/* A frame and the bytes after it */
#define XL_BUF_SIZE (round_up(CANXL_MTU, sizeof(u64)) + 32)

static u8 xl_result[XL_BUF_SIZE] __aligned(8);
static u8 xl_expected[XL_BUF_SIZE] __aligned(8);
static u8 xl_before[XL_BUF_SIZE] __aligned(8);

static struct canxl_frame xl_operands[CGW_MOD_FUNCS];

static unsigned int rand_xl_len(void)
{
	switch (random(4)) {
	case 0:
		return 1 + random(24);
	case 1:
		return CANXL_MAX_DLEN - random(24);
	default:
		return 1 + random(CANXL_MAX_DLEN);
	}
}

/* Reserved bits are random, too. */
static void rand_xl_frame(unsigned int len)
{
	struct canxl_frame *cxl = (struct canxl_frame *)xl_before;

	prandom_bytes_state(&rnd, xl_before, sizeof(xl_before));
	cxl->len = len;
}

static void rand_xl_operand(struct cgw_mod_request *request, enum cgw_op op,
			    u8 fields, unsigned int len)
{
	struct canxl_frame *cxl = &xl_operands[op];

	prandom_bytes_state(&rnd, cxl, sizeof(*cxl));
	cxl->len = len;
	request->fields[op] = fields;
	request->xl[op] = cxl;
}

static void rand_xl_request(struct cgw_mod_request *request)
{
	int op;

	*request = (struct cgw_mod_request){ .frames = CGW_FRAMES_XL };
	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		if (random(3))
			rand_xl_operand(request, op, 1 + random(XL_FIELDS),
					rand_xl_len());
}

/* Return: false if the result differs from the reference; prints it. */
static bool same_result_xl(struct kunit *test,
			   const struct cgw_mod_request *request,
			   const struct cgw_mod *mod, unsigned int len)
{
	const size_t end = CANXL_HDR_SIZE + len;
	const size_t word_end = round_up(end, sizeof(u64));
	bool overrun;

	rand_xl_frame(len);
	memcpy(xl_result, xl_before, sizeof(xl_result));
	memcpy(xl_expected, xl_before, sizeof(xl_expected));
	cgw_mod_run_xl(mod, (struct canxl_frame *)xl_result);
	ref_run_xl(request, (struct canxl_frame *)xl_expected);
	overrun = memcmp(xl_result + word_end, xl_before + word_end,
			 XL_BUF_SIZE - word_end);
	if (!overrun && !memcmp(xl_result, xl_expected, end))
		return true;
	print_request(test, request);
	KUNIT_FAIL(test, "%d of %20ph: %20ph instead of %20ph%s", len,
		   xl_before, xl_result, xl_expected,
		   overrun ? ", and bytes after it have changed" : "");
	return false;
}

/* Return: false if a result differs. */
static bool compare_random_xl(struct kunit *test,
			      const struct cgw_mod_request *request,
			      unsigned int frames)
{
	struct cgw_mod *mod = make_mod(test, request);
	bool same = true;

	while (same && frames--)
		same = same_result_xl(test, request, mod, rand_xl_len());
	kfree(mod);
	return same;
}

static void xl_each_operation(struct kunit *test)
{
	struct cgw_mod_request request;
	int op, fields, i;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		for (fields = 1; fields <= XL_FIELDS; fields++)
			for (i = 0; i < 4; i++) {
				request = (struct cgw_mod_request){
					.frames = CGW_FRAMES_XL,
				};
				rand_xl_operand(&request, op, fields,
						rand_xl_len());
				KUNIT_ASSERT_TRUE(test,
						  cgw_mod_changes(&request));
				if (!compare_random_xl(test, &request, 4))
					return;
			}
}

static void xl_all_operations(struct kunit *test)
{
	struct cgw_mod_request request;
	int i;

	for (i = 0; i < 3000; i++) {
		rand_xl_request(&request);
		rand_xl_operand(&request, random(4), 1 + random(XL_FIELDS),
				rand_xl_len());
		if (!compare_random_xl(test, &request, 3))
			return;
	}
}

/* Every length of frames, and operands that are a little shorter or longer */
static void xl_every_length(struct kunit *test)
{
	struct cgw_mod_request request;
	struct cgw_mod *mod;
	int op, len, near;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++) {
		request = (struct cgw_mod_request){ .frames = CGW_FRAMES_XL };
		rand_xl_operand(&request, op, XL_FIELDS, 1000 + 8 * op);
		mod = make_mod(test, &request);
		for (len = 1 + op; len <= CANXL_MAX_DLEN; len += 4)
			if (!same_result_xl(test, &request, mod, len))
				break;
		kfree(mod);
	}
	for (len = 1; len <= CANXL_MAX_DLEN; len++) {
		request = (struct cgw_mod_request){ .frames = CGW_FRAMES_XL };
		rand_xl_operand(&request, random(4), CGW_MOD_DATA, len);
		mod = make_mod(test, &request);
		for (near = len - random(9); near <= len + 9;
		     near += 1 + random(9))
			if (near >= 1 && near <= CANXL_MAX_DLEN &&
			    !same_result_xl(test, &request, mod, near))
				break;
		kfree(mod);
	}
}

static void expect_xl_word(struct kunit *test, enum cgw_op op, u8 fields,
			   u32 value, u32 before, u32 after)
{
	struct canxl_frame *operand = &xl_operands[op];
	struct cgw_mod_request request = { .frames = CGW_FRAMES_XL };
	struct canxl_frame *cxl = (struct canxl_frame *)xl_result;
	struct cgw_mod *mod;

	operand->prio = value;
	operand->flags = value;
	operand->len = 1;
	request.xl[op] = operand;
	request.fields[op] = fields;
	mod = make_mod(test, &request);
	memset(xl_result, 0, sizeof(xl_result));
	cxl->prio = before;
	cxl->flags = before;
	cxl->len = 1;
	cgw_mod_run_xl(mod, cxl);
	KUNIT_EXPECT_EQ(test, fields == CGW_MOD_XL_SEC ? cxl->flags : cxl->prio,
			after);
	KUNIT_EXPECT_EQ(test, fields == CGW_MOD_XL_SEC ? cxl->prio : cxl->flags,
			fields == CGW_MOD_XL_SEC ? before : (u8)before);
	KUNIT_EXPECT_EQ(test, cxl->len, 1);
	kfree(mod);
}

/* Other bits of the word of a field do not change. */
static void xl_shared_words(struct kunit *test)
{
	static const struct {
		u8 field;
		u32 bits;
	} part[] = {
		{ CGW_MOD_XL_PRIO, 0x7ff },
		{ CGW_MOD_XL_VCID, 0xff0000 },
		{ CGW_MOD_XL_PRIO | CGW_MOD_XL_VCID, 0xff07ff },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(part); i++) {
		u8 field = part[i].field;
		u32 bits = part[i].bits;

		expect_xl_word(test, CGW_OP_AND, field, 0, ~0, ~bits);
		expect_xl_word(test, CGW_OP_AND, field, ~0, 0x12345678,
			       0x12345678);
		expect_xl_word(test, CGW_OP_OR, field, ~0, 0, bits);
		expect_xl_word(test, CGW_OP_OR, field, 0, 0x12345678,
			       0x12345678);
		expect_xl_word(test, CGW_OP_XOR, field, ~0, 0x12345678,
			       0x12345678 ^ bits);
		expect_xl_word(test, CGW_OP_SET, field, 0, ~0, ~bits);
		expect_xl_word(test, CGW_OP_SET, field, ~0, 0, bits);
	}
	/* a rule can modify one of the flags */
	expect_xl_word(test, CGW_OP_AND, CGW_MOD_XL_SEC, 0, 0xff, 0xfe);
	expect_xl_word(test, CGW_OP_OR, CGW_MOD_XL_SEC, 0xff, 0x80, 0x81);
	expect_xl_word(test, CGW_OP_XOR, CGW_MOD_XL_SEC, 0xff, 0x81, 0x80);
	expect_xl_word(test, CGW_OP_SET, CGW_MOD_XL_SEC, 0xff, 0x80, 0x81);
	expect_xl_word(test, CGW_OP_SET, CGW_MOD_XL_SEC, 0, 0x81, 0x80);
}

static bool compare_xl_sums(struct kunit *test,
			    const struct cgw_mod_request *request,
			    const int *lens, unsigned int count)
{
	struct cgw_mod *mod = make_mod(test, request);
	bool same = true;

	while (same && count--)
		same = same_result_xl(test, request, mod, lens[count]);
	kfree(mod);
	return same;
}

/* Offsets at both ends of frames of these lengths, and outside of them */
static void xl_checksum_offsets(struct kunit *test)
{
	static const int offsets[] = {
		0, 1, 2, 127, 128, 255, 256, 1999, 2000, 2047, 2048, 32767,
		-1, -2, -128, -129, -256, -257, -2000, -2001, -2047, -2048,
		-2049, -32768,
	};
	static const int lens[] = { 1, 2, 128, 256, 257, 2000, 2047, 2048 };
	const unsigned int count = ARRAY_SIZE(offsets);
	struct cgw_mod_request request = { .frames = CGW_FRAMES_XL };
	unsigned int from, to, i;
	struct cgw_span span;

	for (from = 0; from < count; from++)
		for (to = 0; to < count; to++)
			for (i = 0; i < 2; i++) {
				span.from = offsets[from];
				span.to = offsets[to];
				span.result = offsets[random(count)];
				rand_crc8(&request.crc8);
				rand_xor(&request.xor);
				request.crc8.span = span;
				request.xor.span = span;
				request.has_crc8 = i;
				request.has_xor = !i;
				if (!compare_xl_sums(test, &request, lens,
						     ARRAY_SIZE(lens)))
					return;
			}
	/* only the offset of the result is outside of the frame */
	for (from = 0; from < count; from++) {
		span = (struct cgw_span){ .result = offsets[from] };
		rand_crc8(&request.crc8);
		request.crc8.span = span;
		request.xor.span = span;
		request.has_crc8 = true;
		request.has_xor = true;
		if (!compare_xl_sums(test, &request, lens, ARRAY_SIZE(lens)))
			return;
	}
}

/* A checksum that is skipped does not write to memory. */
static void xl_checksum_out_of_frame(struct kunit *test)
{
	static const s16 outside[] = { 5, 6, 255, 2047, 32767, -6, -7, -32768 };
	struct cgw_mod_request request = { .frames = CGW_FRAMES_XL };
	struct canxl_frame *cxl = (struct canxl_frame *)xl_result;
	struct cgw_mod *mod;
	unsigned int i, which;

	request.has_xor = true;
	request.has_crc8 = true;
	rand_crc8(&request.crc8);
	for (i = 0; i < ARRAY_SIZE(outside); i++)
		for (which = 0; which < 3; which++) {
			s16 at = outside[i];

			request.xor.span = (struct cgw_span){
				.from = which == 0 ? at : 0,
				.to = which == 1 ? at : -1,
				.result = which == 2 ? at : 4,
			};
			request.crc8.span = request.xor.span;
			mod = make_mod(test, &request);
			rand_xl_frame(5);
			memcpy(xl_result, xl_before, sizeof(xl_result));
			cgw_mod_run_xl(mod, cxl);
			KUNIT_EXPECT_MEMEQ(test, xl_result, xl_before,
					   sizeof(xl_result));
			kfree(mod);
		}
}

static void xl_both_checksums(struct kunit *test)
{
	struct cgw_mod_request request;
	int i;

	for (i = 0; i < 3000; i++) {
		rand_xl_request(&request);
		rand_checksums(&request, random(2) ? 32 : CANXL_MAX_DLEN);
		if (!request.has_crc8 && !request.has_xor)
			request.has_xor = true;
		if (!compare_random_xl(test, &request, 3))
			return;
	}
}

static void xl_checksums_without_operations(struct kunit *test)
{
	struct cgw_mod_request request;
	int i;

	for (i = 0; i < 1000; i++) {
		request = (struct cgw_mod_request){
			.frames = CGW_FRAMES_XL,
			.uid = random(3),
		};
		rand_checksums(&request, random(2) ? 32 : CANXL_MAX_DLEN);
		if (!request.has_crc8 && !request.has_xor)
			request.has_crc8 = true;
		expect_checksums(test, &request);
		if (!compare_random_xl(test, &request, 3))
			return;
	}
}

/* Stored requests */

static void request_without_operations(struct kunit *test)
{
	struct cgw_mod_request request = { .uid = 1 };

	for (request.frames = CGW_FRAMES_CC; request.frames <= CGW_FRAMES_XL;
	     request.frames++) {
		KUNIT_EXPECT_FALSE(test, cgw_mod_changes(&request));
		KUNIT_EXPECT_NULL(test, cgw_mod_make(&request));
	}
	KUNIT_EXPECT_EQ(test, cgw_mod_size(NULL), 0);
	KUNIT_EXPECT_EQ(test, cgw_mod_uid(NULL), 0);
	KUNIT_EXPECT_EQ(test, cgw_mod_hash(NULL), 0);
}

/* An operand without field is stored; the uid only if the frame changes. */
static void operand_without_field_is_stored(struct kunit *test)
{
	struct cgw_mod_request request = {
		.op[CGW_OP_XOR].can_id = 0x123, .uid = 1,
	};
	struct canfd_frame cf;
	struct cgw_mod *mod = make_mod(test, &request);

	KUNIT_EXPECT_FALSE(test, mod->changes);
	KUNIT_EXPECT_FALSE(test, mod->has_xor);
	KUNIT_EXPECT_EQ(test, mod->uid, 0);
	cgw_mod_operand(mod, CGW_OP_XOR, &cf);
	KUNIT_EXPECT_EQ(test, cf.can_id, 0x123);
	kfree(mod);

	request.has_xor = true;
	mod = make_mod(test, &request);
	KUNIT_EXPECT_TRUE(test, mod->changes);
	KUNIT_EXPECT_TRUE(test, mod->has_xor);
	KUNIT_EXPECT_EQ(test, mod->uid, 1);
	cgw_mod_operand(mod, CGW_OP_XOR, &cf);
	KUNIT_EXPECT_EQ(test, cf.can_id, 0x123);
	kfree(mod);

	/* a field that Classical CAN frames do not have */
	request.has_xor = false;
	request.op[CGW_OP_XOR].can_id = 0;
	request.fields[CGW_OP_AND] = CGW_MOD_FLAGS;
	KUNIT_EXPECT_FALSE(test, cgw_mod_changes(&request));
	mod = make_mod(test, &request);
	KUNIT_EXPECT_FALSE(test, mod->changes);
	KUNIT_EXPECT_EQ(test, mod->fields[CGW_OP_AND], CGW_MOD_FLAGS);
	kfree(mod);
}

static void expect_stored(struct kunit *test, const struct cgw_mod *mod,
			  const struct cgw_mod_request *request)
{
	int op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		KUNIT_EXPECT_EQ(test, mod->fields[op], request->fields[op]);
	KUNIT_EXPECT_EQ(test, mod->uid, request->uid);
	KUNIT_EXPECT_EQ(test, cgw_mod_uid(mod), request->uid);
	KUNIT_EXPECT_EQ(test, mod->frames, request->frames);
	KUNIT_EXPECT_EQ(test, mod->has_xor, request->has_xor);
	if (request->has_xor)
		KUNIT_EXPECT_MEMEQ(test, &mod->xor, &request->xor,
				   sizeof(mod->xor));
	KUNIT_EXPECT_EQ(test, !!cgw_mod_crc8(mod), request->has_crc8);
	if (request->has_crc8)
		KUNIT_EXPECT_MEMEQ(test, cgw_mod_crc8(mod), &request->crc8,
				   sizeof(request->crc8));
}

static void rand_optional_sums(struct cgw_mod_request *request)
{
	request->has_crc8 = random(2);
	request->has_xor = random(2);
	rand_crc8(&request->crc8);
	rand_xor(&request->xor);
	request->uid = random(2);
}

static void request_is_stored(struct kunit *test)
{
	struct cgw_mod_request request;
	struct canfd_frame cf;
	struct cgw_mod *mod;
	int i, op;

	for (i = 0; i < 1000; i++) {
		rand_request(&request, i & 1);
		request.fields[random(4)] |= CGW_MOD_ID;
		rand_optional_sums(&request);
		mod = make_mod(test, &request);
		expect_stored(test, mod, &request);
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++) {
			cgw_mod_operand(mod, op, &cf);
			KUNIT_EXPECT_MEMEQ(test, &cf, &request.op[op],
					   sizeof(cf));
		}
		kfree(mod);
	}
}

static void expect_xl_operands(struct kunit *test, const struct cgw_mod *mod,
			       const struct cgw_mod_request *request)
{
	int op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++) {
		const struct canxl_frame *expected = request->xl[op];
		const struct canxl_frame *operand = cgw_mod_xl_operand(mod, op);

		KUNIT_ASSERT_EQ(test, !operand, !expected);
		if (expected)
			KUNIT_ASSERT_MEMEQ(test, operand, expected,
					   CANXL_HDR_SIZE + expected->len);
	}
}

static void xl_request_is_stored(struct kunit *test)
{
	struct cgw_mod_request request;
	struct cgw_mod *mod;
	int i;

	for (i = 0; i < 1000; i++) {
		rand_xl_request(&request);
		rand_xl_operand(&request, random(4), 1 + random(XL_FIELDS),
				rand_xl_len());
		rand_optional_sums(&request);
		mod = make_mod(test, &request);
		expect_stored(test, mod, &request);
		expect_xl_operands(test, mod, &request);
		kfree(mod);
	}
}

static void flip_bit(void *bytes, size_t size)
{
	u32 bit = random(size * 8);

	((u8 *)bytes)[bit / 8] ^= 1 << bit % 8;
}

/* Number of different modifications with equal hashes */
static unsigned int equal_hashes;

/* @request differs from that of @mod in @part. */
static void expect_different(struct kunit *test,
			     const struct cgw_mod_request *request,
			     const struct cgw_mod *mod, const char *part)
{
	struct cgw_mod *other = make_mod(test, request);

	if (cgw_mod_same(mod, other) || cgw_mod_same(other, mod)) {
		print_request(test, request);
		KUNIT_FAIL(test, "modifications with different %s are the same",
			   part);
	}
	equal_hashes += cgw_mod_hash(mod) == cgw_mod_hash(other);
	kfree(other);
}

/* Change each part but the operands. */
static void expect_others_differ(struct kunit *test,
				 const struct cgw_mod_request *request,
				 const struct cgw_mod *mod)
{
	static struct cgw_mod_request changed;
	size_t at = random(offsetof(struct cgw_crc8, zero));

	changed = *request;
	changed.uid ^= 1 << random(32);
	expect_different(test, &changed, mod, "uid");
	changed = *request;
	changed.has_xor = false;
	expect_different(test, &changed, mod, "number of checksums");
	changed = *request;
	flip_bit(&changed.xor, offsetof(struct cgw_xor, zero));
	expect_different(test, &changed, mod, "XOR");
	changed = *request;
	changed.has_crc8 = false;
	expect_different(test, &changed, mod, "number of checksums");
	changed = *request;
	((u8 *)&changed.crc8)[at] ^= 1 << random(8);
	expect_different(test, &changed, mod, "CRC8");
}

static void expect_same(struct kunit *test,
			const struct cgw_mod_request *request,
			const struct cgw_mod *mod)
{
	struct cgw_mod *other = make_mod(test, request);

	KUNIT_EXPECT_TRUE(test, cgw_mod_same(mod, other));
	KUNIT_EXPECT_EQ(test, cgw_mod_hash(mod), cgw_mod_hash(other));
	KUNIT_EXPECT_EQ(test, cgw_mod_size(mod), cgw_mod_size(other));
	KUNIT_EXPECT_FALSE(test, cgw_mod_same(mod, NULL));
	KUNIT_EXPECT_FALSE(test, cgw_mod_same(NULL, mod));
	kfree(other);
}

static void rand_all_sums(struct cgw_mod_request *request)
{
	request->has_crc8 = true;
	request->has_xor = true;
	rand_crc8(&request->crc8);
	rand_xor(&request->xor);
	request->uid = random(3);
}

static void comparison_covers_every_bit(struct kunit *test)
{
	static struct cgw_mod_request request, changed;
	struct cgw_mod *mod;
	int i;

	equal_hashes = 0;
	for (i = 0; i < 1000; i++) {
		rand_request(&request, i & 1);
		request.fields[random(4)] |= CGW_MOD_ID;
		rand_all_sums(&request);
		mod = make_mod(test, &request);
		expect_same(test, &request, mod);
		expect_others_differ(test, &request, mod);

		changed = request;
		changed.op[random(4)].can_id ^= 1 << random(32);
		expect_different(test, &changed, mod, "identifier");
		changed = request;
		changed.op[random(4)].data[random(8)] ^= 1 << random(8);
		expect_different(test, &changed, mod, "byte of data");
		changed = request;
		changed.fields[random(4)] ^= 1 << random(4);
		expect_different(test, &changed, mod, "field");
		changed = request;
		changed.frames = cc_or_fd(!is_fd(&request));
		expect_different(test, &changed, mod, "frame type");
		kfree(mod);
	}
	KUNIT_EXPECT_LE(test, equal_hashes, 2);
	KUNIT_EXPECT_TRUE(test, cgw_mod_same(NULL, NULL));
}

/* Change an operand of the request, and restore it. */
static void expect_xl_operand_differs(struct kunit *test,
				      const struct cgw_mod_request *request,
				      enum cgw_op op, const struct cgw_mod *mod)
{
	struct canxl_frame *cxl = &xl_operands[op];
	u16 len = cxl->len;
	u32 at = random(CANXL_HDR_SIZE + len);
	u8 bit = 1 << random(8);

	/* the length is changed separately */
	if (at != offsetof(struct canxl_frame, len) &&
	    at != offsetof(struct canxl_frame, len) + 1) {
		((u8 *)cxl)[at] ^= bit;
		expect_different(test, request, mod, "byte of an operand");
		((u8 *)cxl)[at] ^= bit;
	}
	cxl->data[len - 1] ^= bit;
	expect_different(test, request, mod, "last byte of an operand");
	cxl->data[len - 1] ^= bit;
	cxl->len = len > 1 ? len - 1 : len + 1;
	expect_different(test, request, mod, "length of an operand");
	cxl->len = len;
}

static void xl_comparison_covers_every_bit(struct kunit *test)
{
	static struct cgw_mod_request request, changed;
	struct cgw_mod *mod;
	int i, op;

	equal_hashes = 0;
	for (i = 0; i < 500; i++) {
		op = random(4);
		rand_xl_request(&request);
		rand_xl_operand(&request, op, 1 + random(XL_FIELDS),
				rand_xl_len());
		rand_all_sums(&request);
		mod = make_mod(test, &request);
		/* bytes after the data of an operand are not compared */
		xl_operands[op].data[xl_operands[op].len % CANXL_MAX_DLEN] ^=
			xl_operands[op].len < CANXL_MAX_DLEN;
		expect_same(test, &request, mod);
		expect_others_differ(test, &request, mod);
		expect_xl_operand_differs(test, &request, op, mod);
		changed = request;
		changed.fields[op] ^= 1 << random(6);
		/* an operation without fields has no operand */
		if (!changed.fields[op])
			changed.xl[op] = NULL;
		expect_different(test, &changed, mod, "field");
		changed = request;
		changed.fields[op] = 0;
		changed.xl[op] = NULL;
		expect_different(test, &changed, mod, "number of operands");
		kfree(mod);
	}
	KUNIT_EXPECT_LE(test, equal_hashes, 2);
}

/* Requests that only differ in the frame type */
static void frame_types_differ(struct kunit *test)
{
	struct cgw_mod_request request = { .has_xor = true };
	enum cgw_frames a, b;
	struct cgw_mod *mod;

	for (a = CGW_FRAMES_CC; a <= CGW_FRAMES_XL; a++) {
		request.frames = a;
		mod = make_mod(test, &request);
		for (b = CGW_FRAMES_CC; b <= CGW_FRAMES_XL; b++) {
			request.frames = b;
			if (a != b)
				expect_different(test, &request, mod,
						 "frame type");
			else
				expect_same(test, &request, mod);
		}
		kfree(mod);
	}
}

/* Memory */

static void is_small(struct kunit *test)
{
	struct cgw_mod_request request = {
		.fields[CGW_OP_AND] = CGW_MOD_DATA,
		.fields[CGW_OP_OR] = CGW_MOD_DATA,
	};
	struct cgw_mod *mod = make_mod(test, &request);

	/* eight bytes of data are one word; there are two operands */
	KUNIT_EXPECT_EQ(test, mod->words, 1);
	KUNIT_EXPECT_EQ(test, cgw_mod_size(mod),
			sizeof(*mod) + sizeof(mod->word[0]) + 2 * CAN_MTU);
	kfree(mod);

	/* an operation without effect needs no words */
	memset(&request, 0, sizeof(request));
	request.fields[CGW_OP_XOR] = CGW_MOD_ID | CGW_MOD_DATA;
	mod = make_mod(test, &request);
	KUNIT_EXPECT_EQ(test, mod->words, 0);
	KUNIT_EXPECT_TRUE(test, mod->changes);
	kfree(mod);
}

static void xl_is_small(struct kunit *test)
{
	struct cgw_mod_request request;
	struct cgw_mod *mod;
	unsigned int len, words;

	for (len = 1; len <= CANXL_MAX_DLEN; len++) {
		request = (struct cgw_mod_request){ .frames = CGW_FRAMES_XL };
		rand_xl_operand(&request, CGW_OP_SET, CGW_MOD_DATA, len);
		request.has_crc8 = len & 1;
		mod = make_mod(test, &request);
		/* words from the first to the last byte of data */
		words = (CANXL_HDR_SIZE + len - 1) / 8 - CANXL_HDR_SIZE / 8 + 1;
		KUNIT_EXPECT_EQ(test, mod->words, words);
		KUNIT_EXPECT_EQ(test, cgw_mod_size(mod),
				sizeof(*mod) + words * sizeof(mod->word[0]) +
				round_up(CANXL_HDR_SIZE + len, 8) +
				(len & 1) * sizeof(struct cgw_crc8));
		kfree(mod);
	}
}

/* Offsets in the largest modification fit into 16 bits. */
static void xl_largest_request(struct kunit *test)
{
	struct cgw_mod_request request = { .frames = CGW_FRAMES_XL };
	struct cgw_mod *mod;
	int op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		rand_xl_operand(&request, op, XL_FIELDS, CANXL_MAX_DLEN);
	rand_all_sums(&request);
	mod = make_mod(test, &request);
	expect_stored(test, mod, &request);
	expect_xl_operands(test, mod, &request);
	KUNIT_EXPECT_EQ(test, cgw_mod_size(mod),
			sizeof(*mod) + mod->words * sizeof(mod->word[0]) +
			4 * round_up(CANXL_MTU, 8) + sizeof(struct cgw_crc8));
	KUNIT_EXPECT_TRUE(test, same_result_xl(test, &request, mod, 2048));
	kfree(mod);
}

static void allocation_failures(struct kunit *test)
{
	static struct cgw_mod_request request;
	enum cgw_frames frames;
	struct cgw_mod *mod;
	unsigned int n, failures;
	bool failed;

	require_failing_allocations(test);
	for (frames = CGW_FRAMES_CC; frames <= CGW_FRAMES_XL; frames++) {
		request = (struct cgw_mod_request){ .frames = frames };
		if (frames == CGW_FRAMES_XL)
			rand_xl_operand(&request, CGW_OP_SET, XL_FIELDS, 100);
		else
			request.fields[CGW_OP_SET] = CGW_MOD_ID;
		rand_all_sums(&request);
		failures = 0;
		n = 1;
		do {
			fail_allocation(n++);
			mod = cgw_mod_make(&request);
			failed = allocation_failed();
			if (IS_ERR(mod)) {
				KUNIT_ASSERT_TRUE(test, failed);
				KUNIT_ASSERT_EQ(test, PTR_ERR(mod), -ENOMEM);
				failures++;
				continue;
			}
			/* an allocation that may fail has failed, or none */
			KUNIT_ASSERT_NOT_NULL(test, mod);
			expect_stored(test, mod, &request);
			kfree(mod);
		} while (failed);
		/* only CAN XL allocates the words of the builder */
		KUNIT_EXPECT_EQ(test, failures,
				frames == CGW_FRAMES_XL ? 2 : 1);
	}
}

static struct kunit_case mod_cases[] = {
	KUNIT_CASE(each_operation),
	KUNIT_CASE_SLOW(all_operations),
	KUNIT_CASE(every_length),
	KUNIT_CASE(every_pair_of_lengths),
	KUNIT_CASE(stale_raw_dlc_is_ignored),
	KUNIT_CASE(every_xor),
	KUNIT_CASE(every_crc8),
	KUNIT_CASE(both_checksums),
	KUNIT_CASE(checksums_without_operations),
	KUNIT_CASE(xl_each_operation),
	KUNIT_CASE(xl_all_operations),
	KUNIT_CASE(xl_every_length),
	KUNIT_CASE(xl_shared_words),
	KUNIT_CASE(xl_checksum_offsets),
	KUNIT_CASE(xl_checksum_out_of_frame),
	KUNIT_CASE(xl_both_checksums),
	KUNIT_CASE(xl_checksums_without_operations),
	KUNIT_CASE(request_without_operations),
	KUNIT_CASE(operand_without_field_is_stored),
	KUNIT_CASE(request_is_stored),
	KUNIT_CASE(xl_request_is_stored),
	KUNIT_CASE(comparison_covers_every_bit),
	KUNIT_CASE(xl_comparison_covers_every_bit),
	KUNIT_CASE(frame_types_differ),
	KUNIT_CASE(is_small),
	KUNIT_CASE(xl_is_small),
	KUNIT_CASE(xl_largest_request),
	KUNIT_CASE(allocation_failures),
	{}
};

static struct kunit_suite mod_suite = {
	.name = "can_gw_mod",
	.init = mod_init,
	.test_cases = mod_cases,
};

kunit_test_suite(mod_suite);

MODULE_DESCRIPTION("KUnit suites of the CAN gateway");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("Dual BSD/GPL");
