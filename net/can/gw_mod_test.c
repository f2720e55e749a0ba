// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the modifications of the CAN gateway.
 *
 * The reference does one operation after the other to one field after the other,
 * byte by byte, as include/uapi/linux/can/gw.h tells it. What does not need all
 * combinations is drawn from pseudo-random numbers. A failure prints the request.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "failslab.h"
#include "gw_mod.h"

#define ALL_FIELDS (CGW_MOD_ID | CGW_MOD_DLC | CGW_MOD_DATA | CGW_MOD_FLAGS)
#define CC_FIELDS (CGW_MOD_ID | CGW_MOD_DLC | CGW_MOD_DATA)

#define MOST_RAW_DLC 15

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

static unsigned int data_room(bool fd)
{
	return fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
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
	if (fields & CGW_MOD_LEN && request->fd)
		ref_byte(&cf->len, op, operand->len);
	if (fields & CGW_MOD_DLC && !request->fd) {
		dlc = ref_get_dlc((struct can_frame *)cf);
		ref_byte(&dlc, op, operand->len);
		ref_set_dlc((struct can_frame *)cf, dlc);
	}
	if (fields & CGW_MOD_FLAGS && request->fd)
		ref_byte(&cf->flags, op, operand->flags);
	if (fields & CGW_MOD_DATA)
		ref_bytes(cf->data, op, operand->data, data_room(request->fd));
}

/* Return: the place of a byte, or -1 if the frame has none there. */
static int ref_place(int index, int len)
{
	if (index < 0)
		index += len;
	return index >= 0 && index < len ? index : -1;
}

static void ref_xor(const struct cgw_csum_xor *xor, struct canfd_frame *cf)
{
	int from = ref_place(xor->from_idx, cf->len);
	int to = ref_place(xor->to_idx, cf->len);
	int result = ref_place(xor->result_idx, cf->len);
	u8 sum = xor->init_xor_val;

	if (from < 0 || to < 0 || result < 0)
		return;
	for (;;) {
		sum ^= cf->data[from];
		if (from == to)
			break;
		from += from < to ? 1 : -1;
	}
	cf->data[result] = sum;
}

static void ref_crc8(const struct cgw_csum_crc8 *crc8, struct canfd_frame *cf)
{
	int from = ref_place(crc8->from_idx, cf->len);
	int to = ref_place(crc8->to_idx, cf->len);
	int result = ref_place(crc8->result_idx, cf->len);
	u8 crc = crc8->init_crc_val;

	if (from < 0 || to < 0 || result < 0)
		return;
	if (crc8->profile == CGW_CRC8PRF_16U8 && cf->len < 2)
		return;
	for (;;) {
		crc = crc8->crctab[crc ^ cf->data[from]];
		if (from == to)
			break;
		from += from < to ? 1 : -1;
	}
	if (crc8->profile == CGW_CRC8PRF_1U8)
		crc = crc8->crctab[crc ^ crc8->profile_data[0]];
	if (crc8->profile == CGW_CRC8PRF_16U8)
		crc = crc8->crctab[crc ^ crc8->profile_data[cf->data[1] % 16]];
	if (crc8->profile == CGW_CRC8PRF_SFFID_XOR)
		crc = crc8->crctab[crc ^ (u8)cf->can_id ^ (u8)(cf->can_id >> 8)];
	cf->data[result] = crc ^ crc8->final_xor_val;
}

static bool ref_run(const struct cgw_mod_request *request,
		    struct canfd_frame *cf)
{
	int op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		ref_op(request, op, cf);
	if (cf->len > data_room(request->fd))
		return false;
	if (request->crc8)
		ref_crc8(request->crc8, cf);
	if (request->xor)
		ref_xor(request->xor, cf);
	return true;
}

/* Requests and frames */

static void draw_frame(struct canfd_frame *cf, bool fd)
{
	struct can_frame *cc = (struct can_frame *)cf;

	memset(cf, 0, sizeof(*cf));
	cf->can_id = prandom_u32_state(&rnd);
	prandom_bytes_state(&rnd, cf->data, data_room(fd));
	if (fd) {
		cf->len = random(CANFD_MAX_DLEN + 1);
		cf->flags = random(256);
	} else {
		cf->len = random(CAN_MAX_DLEN + 1);
		/* it only counts beside a length of eight */
		cc->len8_dlc = random(MOST_RAW_DLC + 2);
	}
}

/* An operand, as the netlink interface hands it over */
static void draw_operand(struct canfd_frame *cf, bool fd)
{
	draw_frame(cf, fd);
	if (random(2))
		cf->len = random(256);
	cf->flags = fd ? cf->flags : 0;
	cf->__res0 = 0;
	cf->__res1 = 0;
}

static void draw_request(struct cgw_mod_request *request, bool fd)
{
	int op;

	memset(request, 0, sizeof(*request));
	request->fd = fd;
	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++) {
		if (random(3) == 0)
			continue;
		request->fields[op] = random(ALL_FIELDS + 1);
		draw_operand(&request->op[op], fd);
	}
}

static void print_request(struct kunit *test, const struct cgw_mod_request *r)
{
	int op;

	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		kunit_err(test, "%s op %d fields %x: %16ph", r->fd ? "FD" : "CC",
			  op, r->fields[op], &r->op[op]);
	if (r->xor)
		kunit_err(test, "xor %4ph", r->xor);
	if (r->crc8)
		kunit_err(test, "crc8 %5ph profile %d", r->crc8,
			  r->crc8->profile);
}

static struct cgw_mod *make(struct kunit *test,
			    const struct cgw_mod_request *request)
{
	struct cgw_mod *mod = cgw_mod_make(request);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, mod);
	return mod;
}

/* Return: false for a difference, which is printed. */
static bool runs_alike(struct kunit *test, const struct cgw_mod_request *request,
		       const struct cgw_mod *mod, const struct canfd_frame *cf)
{
	struct canfd_frame is = *cf, wanted = *cf;
	bool sent = cgw_mod_run(mod, &is, data_room(request->fd));
	bool to_send = ref_run(request, &wanted);

	if (sent == to_send && (!sent || !memcmp(&is, &wanted, sizeof(is))))
		return true;
	print_request(test, request);
	KUNIT_FAIL(test, "%16ph: %d %16ph instead of %d %16ph", cf, sent, &is,
		   to_send, &wanted);
	return false;
}

/* Return: false for a difference */
static bool compare_drawn(struct kunit *test,
			  const struct cgw_mod_request *request,
			  unsigned int frames)
{
	struct cgw_mod *mod = make(test, request);
	struct canfd_frame cf;
	bool alike = true;

	while (alike && frames--) {
		draw_frame(&cf, request->fd);
		alike = runs_alike(test, request, mod, &cf);
	}
	kfree(mod);
	return alike;
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
					request.fd = fd;
					request.fields[op] = fields;
					draw_operand(&request.op[op], fd);
					if (!compare_drawn(test, &request, 20))
						return;
				}
}

/* What a rule says together: fields of each of the four operations */
static void all_operations(struct kunit *test)
{
	struct cgw_mod_request request;
	u32 fields;
	int op;

	/* four bits of each */
	for (fields = 0; fields < 0x10000; fields++) {
		memset(&request, 0, sizeof(request));
		request.fd = fields & 1;
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++) {
			request.fields[op] = fields >> 4 * op & ALL_FIELDS;
			draw_operand(&request.op[op], request.fd);
		}
		if (!request.fd && !((fields | fields >> 4 | fields >> 8 |
				      fields >> 12) & CC_FIELDS))
			continue;
		if (!compare_drawn(test, &request, 3))
			return;
		request.fd = !request.fd;
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
			draw_operand(&request.op[op], request.fd);
		if (request.fields[0] & CC_FIELDS &&
		    !compare_drawn(test, &request, 3))
			return;
	}
}

static bool compare_length(struct kunit *test,
			   const struct cgw_mod_request *request,
			   const struct cgw_mod *mod, unsigned int length)
{
	struct canfd_frame cf;

	draw_frame(&cf, request->fd);
	if (request->fd)
		cf.len = length;
	else
		ref_set_dlc((struct can_frame *)&cf, length);
	return runs_alike(test, request, mod, &cf);
}

static void every_length(struct kunit *test)
{
	struct cgw_mod_request request = { };
	unsigned int value, length;
	struct cgw_mod *mod;
	int op, fd;

	for (fd = 0; fd < 2; fd++)
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
			for (value = 0; value < 256; value++) {
				memset(&request, 0, sizeof(request));
				request.fd = fd;
				request.fields[op] = CGW_MOD_LEN;
				request.op[op].len = value;
				mod = make(test, &request);
				for (length = 0; length <= (fd ? 64 : 15); length++)
					if (!compare_length(test, &request, mod,
							    length))
						break;
				kfree(mod);
			}
}

/* One after the other, with what is no length between them */
static void compare_pair(struct kunit *test, bool fd, enum cgw_op op, u8 value,
			 enum cgw_op other_op, u8 other_value)
{
	struct cgw_mod_request request = { .fd = fd };
	struct cgw_mod *mod;
	unsigned int length;

	request.fields[op] = CGW_MOD_LEN;
	request.op[op].len = value;
	request.fields[other_op] = CGW_MOD_LEN;
	request.op[other_op].len = other_value;
	mod = make(test, &request);
	for (length = 0; length <= (fd ? 64 : 15); length++)
		if (!compare_length(test, &request, mod, length))
			break;
	kfree(mod);
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

/* What a program left behind a length that is not eight is not looked at. */
static void leftovers_of_a_length(struct kunit *test)
{
	struct cgw_mod_request request = { .fields[CGW_OP_OR] = CGW_MOD_DLC };
	struct can_frame cf = { .len = 4, .len8_dlc = 13 };
	struct cgw_mod *mod = make(test, &request);

	KUNIT_EXPECT_TRUE(test, cgw_mod_run(mod, (struct canfd_frame *)&cf,
					    CAN_MAX_DLEN));
	KUNIT_EXPECT_EQ(test, cf.len, 4);
	KUNIT_EXPECT_EQ(test, cf.len8_dlc, 0);
	kfree(mod);
}

/* Checksums */

/* An operation without effect, which a checksum needs beside it */
static void draw_summed(struct cgw_mod_request *request, bool fd)
{
	memset(request, 0, sizeof(*request));
	request->fd = fd;
	request->fields[CGW_OP_OR] = CGW_MOD_DATA;
}

static void draw_crc8(struct cgw_csum_crc8 *crc8)
{
	prandom_bytes_state(&rnd, crc8, sizeof(*crc8));
	crc8->profile = random(CGW_CRC8PRF_MAX + 2);
}

static bool compare_sums(struct kunit *test,
			 const struct cgw_mod_request *request)
{
	struct cgw_mod *mod = make(test, request);
	struct canfd_frame cf;
	bool alike = true;
	unsigned int len;

	for (len = 0; alike && len <= data_room(request->fd);
	     len += request->fd ? 1 + random(16) : 1) {
		draw_frame(&cf, request->fd);
		cf.len = len;
		alike = runs_alike(test, request, mod, &cf);
	}
	kfree(mod);
	return alike;
}

static void every_xor(struct kunit *test)
{
	struct cgw_mod_request request;
	struct cgw_csum_xor xor;
	int from, to, result;

	draw_summed(&request, false);
	request.xor = &xor;
	for (from = -8; from < 8; from++)
		for (to = -8; to < 8; to++)
			for (result = -8; result < 8; result++) {
				xor.from_idx = from;
				xor.to_idx = to;
				xor.result_idx = result;
				xor.init_xor_val = random(256);
				if (!compare_sums(test, &request))
					return;
			}
}

static void every_crc8(struct kunit *test)
{
	struct cgw_mod_request request;
	struct cgw_csum_crc8 crc8;
	int from, to, result;

	draw_summed(&request, false);
	request.crc8 = &crc8;
	for (from = -8; from < 8; from++)
		for (to = -8; to < 8; to++)
			for (result = -8; result < 8; result++) {
				draw_crc8(&crc8);
				crc8.from_idx = from;
				crc8.to_idx = to;
				crc8.result_idx = result;
				if (!compare_sums(test, &request))
					return;
			}
}

static int draw_index(bool fd)
{
	return (int)random(2 * data_room(fd)) - (int)data_room(fd);
}

/* The CRC comes first, so the XOR is of its result, too. */
static void both_checksums(struct kunit *test)
{
	struct cgw_mod_request request;
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;
	int i;

	for (i = 0; i < 20000; i++) {
		draw_request(&request, i & 1);
		request.fields[random(4)] |= CGW_MOD_DATA;
		draw_crc8(&crc8);
		crc8.from_idx = draw_index(request.fd);
		crc8.to_idx = draw_index(request.fd);
		crc8.result_idx = draw_index(request.fd);
		xor.from_idx = draw_index(request.fd);
		xor.to_idx = draw_index(request.fd);
		xor.result_idx = draw_index(request.fd);
		xor.init_xor_val = random(256);
		request.crc8 = random(4) ? &crc8 : NULL;
		request.xor = random(4) ? &xor : NULL;
		if (!compare_drawn(test, &request, 4))
			return;
	}
}

/* What is kept */

static void nothing_to_do(struct kunit *test)
{
	struct cgw_csum_crc8 crc8 = { };
	struct cgw_csum_xor xor = { };
	struct cgw_mod_request request = {
		.xor = &xor, .crc8 = &crc8, .uid = 1,
	};

	KUNIT_EXPECT_NULL(test, cgw_mod_make(&request));
	KUNIT_EXPECT_EQ(test, cgw_mod_size(NULL), 0);
	request.fd = true;
	KUNIT_EXPECT_NULL(test, cgw_mod_make(&request));
}

/* Operands without effect are remembered; checksums and the name are not. */
static void nothing_but_to_remember(struct kunit *test)
{
	struct cgw_csum_xor xor = { };
	struct cgw_mod_request request = {
		.op[CGW_OP_XOR].can_id = 0x123, .xor = &xor, .uid = 1,
	};
	struct canfd_frame cf;
	struct cgw_mod *mod = make(test, &request);

	KUNIT_EXPECT_FALSE(test, mod->changes);
	KUNIT_EXPECT_FALSE(test, mod->has_xor);
	KUNIT_EXPECT_EQ(test, mod->uid, 0);
	cgw_mod_operand(mod, CGW_OP_XOR, &cf);
	KUNIT_EXPECT_EQ(test, cf.can_id, 0x123);
	kfree(mod);

	/* Classical CAN frames have no flags */
	request.op[CGW_OP_XOR].can_id = 0;
	request.fields[CGW_OP_AND] = CGW_MOD_FLAGS;
	mod = make(test, &request);
	KUNIT_EXPECT_FALSE(test, mod->changes);
	KUNIT_EXPECT_EQ(test, mod->fields[CGW_OP_AND], CGW_MOD_FLAGS);
	kfree(mod);
}

static void is_remembered(struct kunit *test)
{
	struct cgw_mod_request request;
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;
	struct canfd_frame cf;
	struct cgw_mod *mod;
	int i, op;

	for (i = 0; i < 1000; i++) {
		draw_request(&request, i & 1);
		request.fields[random(4)] |= CGW_MOD_ID;
		draw_crc8(&crc8);
		prandom_bytes_state(&rnd, &xor, sizeof(xor));
		request.crc8 = random(2) ? &crc8 : NULL;
		request.xor = random(2) ? &xor : NULL;
		request.uid = random(2);
		mod = make(test, &request);
		for (op = CGW_OP_AND; op <= CGW_OP_SET; op++) {
			KUNIT_EXPECT_EQ(test, mod->fields[op], request.fields[op]);
			cgw_mod_operand(mod, op, &cf);
			KUNIT_EXPECT_MEMEQ(test, &cf, &request.op[op], sizeof(cf));
		}
		KUNIT_EXPECT_EQ(test, mod->uid, request.uid);
		KUNIT_EXPECT_EQ(test, mod->fd, request.fd);
		KUNIT_EXPECT_EQ(test, mod->has_xor, !!request.xor);
		if (request.xor)
			KUNIT_EXPECT_MEMEQ(test, &mod->xor, &xor, sizeof(xor));
		KUNIT_EXPECT_EQ(test, !!cgw_mod_crc8(mod), !!request.crc8);
		if (request.crc8)
			KUNIT_EXPECT_MEMEQ(test, cgw_mod_crc8(mod), &crc8,
					   sizeof(crc8));
		kfree(mod);
	}
}

static void flip_bit(void *bytes, size_t size)
{
	u32 bit = random(size * 8);

	((u8 *)bytes)[bit / 8] ^= 1 << bit % 8;
}

/* Two that differ in a single bit of one part are not the same. */
static void differ(struct kunit *test, const struct cgw_mod_request *request,
		   const struct cgw_mod *mod, const char *part)
{
	struct cgw_mod *other = make(test, request);

	if (cgw_mod_same(mod, other) || cgw_mod_same(other, mod)) {
		print_request(test, request);
		KUNIT_FAIL(test, "same in spite of another %s", part);
	}
	kfree(other);
}

static void sameness(struct kunit *test)
{
	struct cgw_mod_request request, changed;
	struct cgw_csum_crc8 crc8, other_crc8;
	struct cgw_csum_xor xor, other_xor;
	struct cgw_mod *mod, *twin;
	int i, op;

	for (i = 0; i < 1000; i++) {
		draw_request(&request, i & 1);
		op = random(4);
		request.fields[op] |= CGW_MOD_ID;
		draw_crc8(&crc8);
		prandom_bytes_state(&rnd, &xor, sizeof(xor));
		request.crc8 = &crc8;
		request.xor = &xor;
		request.uid = random(3);
		mod = make(test, &request);
		twin = make(test, &request);
		KUNIT_EXPECT_TRUE(test, cgw_mod_same(mod, twin));
		KUNIT_EXPECT_FALSE(test, cgw_mod_same(mod, NULL));
		KUNIT_EXPECT_FALSE(test, cgw_mod_same(NULL, mod));
		kfree(twin);

		changed = request;
		changed.op[random(4)].can_id ^= 1 << random(32);
		differ(test, &changed, mod, "identifier");
		changed = request;
		changed.op[random(4)].data[random(8)] ^= 1 << random(8);
		differ(test, &changed, mod, "byte of data");
		changed = request;
		/* not the only one that makes checksums count */
		changed.fields[(op + 1) % 4] ^= 1 << random(4);
		differ(test, &changed, mod, "field");
		changed = request;
		changed.uid ^= 1 << random(32);
		differ(test, &changed, mod, "name");
		changed = request;
		changed.xor = NULL;
		differ(test, &changed, mod, "number of checksums");
		changed.xor = &other_xor;
		other_xor = xor;
		flip_bit(&other_xor, sizeof(other_xor));
		differ(test, &changed, mod, "XOR");
		changed = request;
		changed.crc8 = NULL;
		differ(test, &changed, mod, "number of checksums");
		changed.crc8 = &other_crc8;
		other_crc8 = crc8;
		flip_bit(&other_crc8, sizeof(other_crc8));
		differ(test, &changed, mod, "CRC8");
		kfree(mod);
	}
	KUNIT_EXPECT_TRUE(test, cgw_mod_same(NULL, NULL));
}

/* Memory */

static void is_small(struct kunit *test)
{
	struct cgw_mod_request request = {
		.fields[CGW_OP_AND] = CGW_MOD_DATA,
		.fields[CGW_OP_OR] = CGW_MOD_DATA,
	};
	struct cgw_mod *mod = make(test, &request);

	/* eight bytes of data are one word, and there are two operands */
	KUNIT_EXPECT_EQ(test, mod->words, 1);
	KUNIT_EXPECT_EQ(test, cgw_mod_size(mod),
			sizeof(*mod) + sizeof(mod->word[0]) + 2 * CAN_MTU);
	kfree(mod);

	/* what has no effect is not done */
	memset(&request, 0, sizeof(request));
	request.fields[CGW_OP_XOR] = CGW_MOD_ID | CGW_MOD_DATA;
	mod = make(test, &request);
	KUNIT_EXPECT_EQ(test, mod->words, 0);
	KUNIT_EXPECT_TRUE(test, mod->changes);
	kfree(mod);
}

static void without_memory(struct kunit *test)
{
	struct cgw_mod_request request = { .fields[CGW_OP_SET] = CGW_MOD_ID };
	struct cgw_mod *mod;

	if (!prepare_failslab(test))
		kunit_skip(test, "allocations cannot be made to fail");
	fail_allocation(1);
	mod = cgw_mod_make(&request);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_EQ(test, PTR_ERR(mod), -ENOMEM);
	if (!IS_ERR(mod))
		kfree(mod);
}

static struct kunit_case mod_cases[] = {
	KUNIT_CASE(each_operation),
	KUNIT_CASE_SLOW(all_operations),
	KUNIT_CASE(every_length),
	KUNIT_CASE(every_pair_of_lengths),
	KUNIT_CASE(leftovers_of_a_length),
	KUNIT_CASE(every_xor),
	KUNIT_CASE(every_crc8),
	KUNIT_CASE(both_checksums),
	KUNIT_CASE(nothing_to_do),
	KUNIT_CASE(nothing_but_to_remember),
	KUNIT_CASE(is_remembered),
	KUNIT_CASE(sameness),
	KUNIT_CASE(is_small),
	KUNIT_CASE(without_memory),
	{}
};

static struct kunit_suite mod_suite = {
	.name = "can_gw_mod",
	.init = mod_init,
	.test_cases = mod_cases,
};

kunit_test_suite(mod_suite);

MODULE_DESCRIPTION("KUnit suite of the modifications of the CAN gateway");
MODULE_LICENSE("GPL");
