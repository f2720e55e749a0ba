// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checksums that the CAN gateway writes into frames it has modified: XOR
 * and CRC8, with indices from the frame's start and relative to its end, for
 * Classical CAN and CAN FD. All bytes of a received frame are compared with the
 * model in gw_model.h, also those after its length, where a checksum could be
 * written by mistake.
 *
 * gw_path.h describes how frames pass.
 */
#define _GNU_SOURCE
#include "kselftest_harness.h"
#include "cantest.h"
#include "cgw.h"
#include "gw_model.h"
#include "gw_path.h"

#define LONG_TEST	400	/* seconds: thousands of rules, emulated */
#define NEW_ID		0x555	/* the usual modification sets it */

#define POLY_SAE_J1850	0x1D
#define POLY_AUTOSAR	0x2F
#define POLY_ATM	0x07

TEST(model_computes_published_check_values)
{
	static const struct {
		__u8 poly;
		__u8 init;
		__u8 final;
		__u8 check;
	} crcs[] = {
		{ POLY_SAE_J1850, 0xFF, 0xFF, 0x4B },
		{ POLY_AUTOSAR, 0xFF, 0xFF, 0xDF },
		{ POLY_ATM, 0x00, 0x00, 0xF4 },
	};
	const char *text = "123456789", *c;
	__u8 table[256], crc;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(crcs); i++) {
		gw_model_crc8_table(table, crcs[i].poly);
		crc = crcs[i].init;
		for (c = text; *c; c++)
			crc = table[crc ^ *c];
		ASSERT_EQ(crcs[i].check, crc ^ crcs[i].final);
	}
}

FIXTURE(gw_csum) { };

/* a kind of frames */
FIXTURE_VARIANT(gw_csum)
{
	size_t mtu;
	__u16 flags;		/* of rules for such frames */
	int size;		/* of the data field */
	const int *lengths;	/* to try, a negative one ends them */
	const int *indices;	/* to try, 0x80 ends them */
};

#define END_OF_LENGTHS	-1
#define END_OF_INDICES	0x80

static const int cc_lengths[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, END_OF_LENGTHS };
static const int cc_indices[] = {
	-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, END_OF_INDICES
};

static const int fd_lengths[] = {
	0, 1, 2, 7, 8, 9, 12, 32, 33, 63, 64, END_OF_LENGTHS
};

static const int fd_indices[] = {
	-64, -63, -33, -9, -8, -2, -1, 0, 1, 7, 8, 11, 32, 62, 63,
	END_OF_INDICES
};

FIXTURE_VARIANT_ADD(gw_csum, cc)
{
	.mtu = CAN_MTU, .flags = 0, .size = CAN_MAX_DLEN,
	.lengths = cc_lengths, .indices = cc_indices,
};

FIXTURE_VARIANT_ADD(gw_csum, fd)
{
	.mtu = CANFD_MTU, .flags = CGW_FLAGS_CAN_FD, .size = CANFD_MAX_DLEN,
	.lengths = fd_lengths, .indices = fd_indices,
};

/* of this test, which is a process */
static const FIXTURE_VARIANT(gw_csum) *kind;
static struct gw_path path;

FIXTURE_SETUP(gw_csum)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");
	kind = variant;
	ASSERT_EQ(0, gw_path_open(&path, CANFD_MTU));
}

FIXTURE_TEARDOWN(gw_csum) { }

/* a rule that modifies the identifier, ready for a checksum */
static struct cgw_rule new_rule(void)
{
	return (struct cgw_rule) {
		.src = path.src,
		.dst = path.dst,
		.flags = kind->flags,
		.set = { .type = CGW_MOD_ID, .cf.can_id = NEW_ID },
	};
}

/* every byte of the data field is known and none is zero */
static void fill_frame(union gw_model_frame *frame, int len)
{
	int i;

	memset(frame, 0, sizeof(*frame));
	frame->fd.can_id = 0x321;
	frame->fd.len = len;
	if (kind->mtu == CANFD_MTU)
		frame->fd.flags = CANFD_FDF;
	for (i = 0; i < kind->size; i++)
		frame->fd.data[i] = 0x80 | (i * 23 + len * 5);
}

static void log_rule(struct __test_metadata *_metadata,
		     const struct cgw_rule *rule)
{
	const struct cgw_csum_crc8 *crc8 = rule->csum_crc8;
	const struct cgw_csum_xor *xor = rule->csum_xor;

	if (crc8)
		TH_LOG("crc8 from %d to %d result %d profile %d",
		       crc8->from_idx, crc8->to_idx, crc8->result_idx,
		       crc8->profile);
	if (xor)
		TH_LOG("xor from %d to %d result %d", xor->from_idx,
		       xor->to_idx, xor->result_idx);
}

/* send a frame through the only rule, expect @expected */
static void expect(struct __test_metadata *_metadata,
		   const struct cgw_rule *rule,
		   const union gw_model_frame *frame,
		   const union gw_model_frame *expected)
{
	const size_t mtu = kind->mtu;
	char hex[2 * CANFD_MTU + 1];
	union gw_model_frame got;

	memset(&got, 0, sizeof(got));
	ASSERT_EQ(0, ct_send(path.tx, frame, mtu));
	ASSERT_EQ((ssize_t)mtu,
		  ct_recv(path.rx, &got, sizeof(got), CT_TIMEOUT_MS));
	if (memcmp(&got, expected, mtu)) {
		log_rule(_metadata, rule);
		TH_LOG("sent    : %s", gw_model_hex(hex, frame, mtu));
		TH_LOG("expected: %s", gw_model_hex(hex, expected, mtu));
		TH_LOG("received: %s", gw_model_hex(hex, &got, mtu));
	}
	ASSERT_EQ(0, memcmp(&got, expected, mtu));
}

static union gw_model_frame by_model(struct __test_metadata *_metadata,
				     const struct cgw_rule *rule,
				     union gw_model_frame frame)
{
	ASSERT_TRUE(gw_model_apply(rule, &frame, kind->mtu) == GW_MODEL_SENT);
	return frame;
}

static void expect_model(struct __test_metadata *_metadata,
			 const struct cgw_rule *rule,
			 const union gw_model_frame *frame)
{
	union gw_model_frame expected = by_model(_metadata, rule, *frame);

	expect(_metadata, rule, frame, &expected);
}

/* no checksum may change the data */
static void expect_only_id(struct __test_metadata *_metadata,
			   const struct cgw_rule *rule,
			   const union gw_model_frame *frame)
{
	union gw_model_frame expected = *frame;

	expected.fd.can_id = NEW_ID;
	expect(_metadata, rule, frame, &expected);
}

/* the same with a rule that exists for this frame only */
static void try_rule(struct __test_metadata *_metadata,
		     const struct cgw_rule *rule,
		     const union gw_model_frame *frame,
		     const union gw_model_frame *expected)
{
	ASSERT_EQ(0, cgw_add(rule));
	expect(_metadata, rule, frame, expected);
	ASSERT_EQ(0, cgw_del(rule));
}

static void try_model(struct __test_metadata *_metadata,
		      const struct cgw_rule *rule,
		      const union gw_model_frame *frame)
{
	ASSERT_EQ(0, cgw_add(rule));
	expect_model(_metadata, rule, frame);
	ASSERT_EQ(0, cgw_del(rule));
}

static struct cgw_csum_xor new_xor(int from, int to, int result)
{
	return (struct cgw_csum_xor) {
		.from_idx = from,
		.to_idx = to,
		.result_idx = result,
		.init_xor_val = 0x5A,
	};
}

static struct cgw_csum_crc8 new_crc8(int from, int to, int result)
{
	struct cgw_csum_crc8 crc8 = {
		.from_idx = from,
		.to_idx = to,
		.result_idx = result,
		.init_crc_val = 0xC7,
		.final_xor_val = 0x39,
	};
	int i;

	gw_model_crc8_table(crc8.crctab, POLY_AUTOSAR);
	for (i = 0; i < (int)sizeof(crc8.profile_data); i++)
		crc8.profile_data[i] = 0xD1 + 11 * i;
	return crc8;
}

/* the values that decide which of its functions the kernel uses */
enum checksum {
	CHECKSUM_XOR,
	CHECKSUM_CRC8,
};

enum range {
	RANGE_ANY,
	RANGE_POSITIVE,		/* no index relative to the end, from <= to */
	RANGE_NEGATIVE,		/* no index relative to the end, from > to */
	RANGE_RELATIVE,		/* any index relative to the end */
};

static enum range range_of(int from, int to, int result)
{
	if (from < 0 || to < 0 || result < 0)
		return RANGE_RELATIVE;
	return from <= to ? RANGE_POSITIVE : RANGE_NEGATIVE;
}

/*
 * One rule, and frames of all lengths that have each of its indices or lack one
 * relative to their end. With @past_end: frames that lack one from the start.
 */
static void try_lengths(struct __test_metadata *_metadata,
			enum checksum checksum, int from, int to, int result,
			bool past_end)
{
	struct cgw_csum_crc8 crc8 = new_crc8(from, to, result);
	struct cgw_csum_xor xor = new_xor(from, to, result);
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame;
	enum gw_model_range fit;
	const int *len;

	if (checksum == CHECKSUM_XOR)
		rule.csum_xor = &xor;
	else
		rule.csum_crc8 = &crc8;
	ASSERT_EQ(0, cgw_add(&rule));
	for (len = kind->lengths; *len != END_OF_LENGTHS; len++) {
		fit = gw_model_range(from, to, result, *len);
		if (past_end ? fit != GW_MODEL_AFTER : fit == GW_MODEL_AFTER)
			continue;

		fill_frame(&frame, *len);
		if (fit == GW_MODEL_INSIDE)
			expect_model(_metadata, &rule, &frame);
		else
			expect_only_id(_metadata, &rule, &frame);
	}
	ASSERT_EQ(0, cgw_del(&rule));
}

/* all pairs of from and to, with every third result */
static void try_range(struct __test_metadata *_metadata,
		      enum checksum checksum, enum range range, bool past_end)
{
	const int *all = kind->indices, *from, *to, *result;
	unsigned int number = 0, tried = 0, skip;

	for (from = all; *from != END_OF_INDICES; from++) {
		for (to = all; *to != END_OF_INDICES; to++) {
			skip = number++ % 3;
			for (result = all; *result != END_OF_INDICES; result++) {
				if (skip--)
					continue;
				skip = 2;
				if (range != RANGE_ANY &&
				    range != range_of(*from, *to, *result))
					continue;
				try_lengths(_metadata, checksum, *from,
					    *to, *result, past_end);
				tried++;
			}
		}
	}
	ASSERT_LT(50U, tried);
}

/* xor_*_leaves_short_frames_alone has the frames that are left out here */
TEST_F_TIMEOUT(gw_csum, xor_over_every_range, LONG_TEST)
{
	try_range(_metadata, CHECKSUM_XOR, RANGE_ANY, false);
}

TEST_F_TIMEOUT(gw_csum, crc8_over_every_range, LONG_TEST)
{
	try_range(_metadata, CHECKSUM_CRC8, RANGE_ANY, false);
}

/* by hand, without the model */
TEST_F(gw_csum, xor_starts_with_its_initial_value)
{
	struct cgw_csum_xor xor = { 0, 2, 7, 0x80 };
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;

	fill_frame(&frame, 8);
	memcpy(frame.fd.data, "\x01\x02\x04\xFF\xFF\xFF\xFF\xFF", 8);
	expected = frame;
	expected.fd.can_id = NEW_ID;
	expected.fd.data[7] = 0x87;
	rule.csum_xor = &xor;
	try_rule(_metadata, &rule, &frame, &expected);
}

/* bit by bit, so that not even the table is used */
static __u8 sae_j1850(const char *text)
{
	__u8 crc = 0xFF;
	int bit;

	for (; *text; text++)
		for (crc ^= *text, bit = 0; bit < 8; bit++)
			crc = crc & 0x80 ? crc << 1 ^ POLY_SAE_J1850 : crc << 1;
	return ~crc;
}

TEST_F(gw_csum, crc8_depends_on_the_direction)
{
	static const struct {
		int from;
		int to;
		int result;
		const char *text;
	} cases[] = {
		{ 0, 6, 7, "1234567" },
		{ 6, 0, 7, "7654321" },
		/* the same bytes, counted from the end */
		{ -2, -8, -1, "7654321" },
	};
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;
	struct cgw_csum_crc8 crc8;
	unsigned int i;

	ASSERT_NE(sae_j1850("1234567"), sae_j1850("7654321"));
	fill_frame(&frame, 8);
	memcpy(frame.fd.data, "1234567", 7);
	expected = frame;
	expected.fd.can_id = NEW_ID;
	rule.csum_crc8 = &crc8;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		crc8 = new_crc8(cases[i].from, cases[i].to, cases[i].result);
		gw_model_crc8_table(crc8.crctab, POLY_SAE_J1850);
		crc8.init_crc_val = 0xFF;
		crc8.final_xor_val = 0xFF;
		expected.fd.data[7] = sae_j1850(cases[i].text);
		try_rule(_metadata, &rule, &frame, &expected);
	}
}

/* from, to and result, all of them inside a frame of eight bytes */
static const int profile_ranges[][3] = {
	{ 0, 6, 7 }, { 6, 0, 7 }, { 2, 7, 1 }, { 7, 2, 1 }, { -8, -2, -1 },
	{ -1, -6, 1 }, { 1, -1, 0 },
};

#define NEW_XOR(indices) new_xor((indices)[0], (indices)[1], (indices)[2])
#define NEW_CRC8(indices) new_crc8((indices)[0], (indices)[1], (indices)[2])

TEST_F_TIMEOUT(gw_csum, profiles_add_their_byte, LONG_TEST)
{
	static const canid_t ids[] = {
		0x000, 0x0FF, 0x7A5, 0x1ABCD3EF | CAN_EFF_FLAG,
		0x12345678 | CAN_EFF_FLAG | CAN_RTR_FLAG,
	};
	struct cgw_rule rule = new_rule();
	unsigned int range, i, nibble;
	struct cgw_csum_crc8 crc8;
	union gw_model_frame frame;
	__u8 profile;

	/* the modification keeps the identifier */
	rule.set.type = 0;
	rule.or.type = CGW_MOD_ID;
	rule.csum_crc8 = &crc8;

	for (range = 0; range < ARRAY_SIZE(profile_ranges); range++) {
		crc8 = NEW_CRC8(profile_ranges[range]);
		for (profile = 0; profile <= CGW_CRC8PRF_MAX; profile++) {
			crc8.profile = profile;
			ASSERT_EQ(0, cgw_add(&rule));
			for (i = 0; i < ARRAY_SIZE(ids); i++) {
				fill_frame(&frame, 8);
				frame.fd.can_id = ids[i];
				expect_model(_metadata, &rule, &frame);
			}
			for (nibble = 0; nibble < 16; nibble++) {
				fill_frame(&frame, 8);
				frame.fd.data[1] = 0xA0 | nibble;
				expect_model(_metadata, &rule, &frame);
			}
			ASSERT_EQ(0, cgw_del(&rule));
		}
	}
}

TEST_F(gw_csum, unknown_profile_adds_nothing)
{
	static const __u8 unknown[] = { CGW_CRC8PRF_MAX + 1, 16, 127, 255 };
	struct cgw_csum_crc8 crc8 = new_crc8(0, 6, 7);
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;
	unsigned int i;

	fill_frame(&frame, 8);
	rule.csum_crc8 = &crc8;
	expected = by_model(_metadata, &rule, frame);
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		crc8.profile = unknown[i];
		try_rule(_metadata, &rule, &frame, &expected);
	}
}

TEST_F(gw_csum, initial_and_final_values_are_used)
{
	static const __u8 values[] = { 0x00, 0x01, 0x7F, 0x80, 0xFF };
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8 = new_crc8(1, -1, 0);
	struct cgw_csum_xor xor = new_xor(1, 6, -1);
	union gw_model_frame frame;
	unsigned int i, j;

	fill_frame(&frame, kind->size);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		rule.csum_crc8 = &crc8;
		rule.csum_xor = NULL;
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			crc8.init_crc_val = values[i];
			crc8.final_xor_val = values[j];
			try_model(_metadata, &rule, &frame);
		}

		xor.init_xor_val = values[i];
		rule.csum_crc8 = NULL;
		rule.csum_xor = &xor;
		try_model(_metadata, &rule, &frame);
	}
}

/* the last one is not the table of a CRC */
TEST_F(gw_csum, any_table_is_used)
{
	static const __u8 polys[] = {
		POLY_SAE_J1850, POLY_AUTOSAR, POLY_ATM
	};
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8 = new_crc8(0, -2, -1);
	union gw_model_frame frame;
	unsigned int i, number;

	rule.csum_crc8 = &crc8;
	crc8.profile = CGW_CRC8PRF_16U8;
	for (number = 0; number <= ARRAY_SIZE(polys); number++) {
		if (number < ARRAY_SIZE(polys))
			gw_model_crc8_table(crc8.crctab, polys[number]);
		else
			for (i = 0; i < 256; i++)
				crc8.crctab[i] = i * i + 3 * i + 7;
		fill_frame(&frame, kind->size);
		try_model(_metadata, &rule, &frame);
		fill_frame(&frame, 5);
		try_model(_metadata, &rule, &frame);
	}
}

/* with this table the CRC is the XOR of its bytes: no model needed */
TEST_F(gw_csum, crc8_comes_before_xor)
{
	static const struct {
		int to;		/* last byte and result of the CRC */
		int result;
		__u8 expected[2];
	} cases[] = {
		/* XOR over the CRC */
		{ 5, 6, { 0x3F, 0x00 } },
		/* CRC over the byte that XOR replaces afterwards */
		{ 7, 6, { 0x3F ^ 0xAA ^ 0x55, 0x3F ^ 0x3F ^ 0xAA ^ 0x55 } },
		/* one byte for both: XOR is written last */
		{ 5, 7, { 0xAA, 0x3F ^ 0xAA } },
	};
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8 = { };
	struct cgw_csum_xor xor = { 0, 6, 7, 0 };
	union gw_model_frame frame, expected;
	int i;

	for (i = 0; i < 256; i++)
		crc8.crctab[i] = i;
	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;

	fill_frame(&frame, 8);
	memcpy(frame.fd.data, "\x01\x02\x04\x08\x10\x20\xAA\x55", 8);
	expected = frame;
	expected.fd.can_id = NEW_ID;
	for (i = 0; i < (int)ARRAY_SIZE(cases); i++) {
		crc8.to_idx = cases[i].to;
		crc8.result_idx = cases[i].result;
		memcpy(expected.fd.data + 6, cases[i].expected, 2);
		try_rule(_metadata, &rule, &frame, &expected);
	}
}

TEST_F_TIMEOUT(gw_csum, both_checksums_in_one_rule, LONG_TEST)
{
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;
	union gw_model_frame frame;
	unsigned int i, j;

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	fill_frame(&frame, 8);
	for (i = 0; i < ARRAY_SIZE(profile_ranges); i++) {
		for (j = 0; j < ARRAY_SIZE(profile_ranges); j++) {
			crc8 = NEW_CRC8(profile_ranges[i]);
			crc8.profile = j % (CGW_CRC8PRF_MAX + 1);
			xor = NEW_XOR(profile_ranges[j]);
			try_model(_metadata, &rule, &frame);
		}
	}
}

/* identifier, length and data are those that the modifications have left */
TEST_F(gw_csum, checksums_cover_the_modified_frame)
{
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8 = new_crc8(0, -3, -2);
	struct cgw_csum_xor xor = new_xor(-2, 0, -1);
	union gw_model_frame frame;
	int len;

	crc8.profile = CGW_CRC8PRF_SFFID_XOR;
	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	rule.and.type = CGW_MOD_DATA;
	memset(rule.and.cf.data, 0xF7, CANFD_MAX_DLEN);
	rule.set.type = CGW_MOD_ID | CGW_MOD_LEN;

	for (len = 3; len <= kind->size; len++) {
		rule.set.cf.len = len;
		rule.set.cf.can_id = 0x100 * (len % 8) + 0x5A + len;
		fill_frame(&frame, 0);
		try_model(_metadata, &rule, &frame);
		fill_frame(&frame, kind->size);
		try_model(_metadata, &rule, &frame);
	}
}

TEST_F(gw_csum, raw_dlc_counts_as_eight_bytes)
{
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8 = new_crc8(-8, -3, -2);
	struct cgw_csum_xor xor = new_xor(0, -2, -1);
	union gw_model_frame frame, expected;
	int dlc;

	if (kind->mtu != CAN_MTU)
		SKIP(return, "CAN FD frames have no raw DLC");

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	fill_frame(&frame, 8);
	expected = by_model(_metadata, &rule, frame);

	/* it comes with the frame */
	for (dlc = 9; dlc <= CAN_MAX_RAW_DLC; dlc++) {
		frame.cc.len8_dlc = dlc;
		expected.cc.len8_dlc = dlc;
		try_rule(_metadata, &rule, &frame, &expected);
	}

	/* it comes from the rule */
	rule.set.type |= CGW_MOD_DLC;
	frame.cc.len8_dlc = 0;
	frame.cc.len = 2;
	for (dlc = 9; dlc <= CAN_MAX_RAW_DLC; dlc++) {
		rule.set.cf.len = dlc;
		expected.cc.len8_dlc = dlc;
		try_rule(_metadata, &rule, &frame, &expected);
	}
}

/* the length that an RTR frame asks for counts, as if the data were there */
TEST_F(gw_csum, remote_frame_is_treated_as_a_data_frame)
{
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8 = new_crc8(0, -3, -2);
	struct cgw_csum_xor xor = new_xor(0, 1, -1);
	union gw_model_frame frame;

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	rule.set.cf.can_id = NEW_ID | CAN_RTR_FLAG;
	fill_frame(&frame, 7);
	try_model(_metadata, &rule, &frame);
	frame.fd.can_id |= CAN_RTR_FLAG;
	try_model(_metadata, &rule, &frame);
}

/* accepted, not checked, and not listed: it is a plain rule */
TEST_F(gw_csum, checksum_without_modification_is_ignored)
{
	struct cgw_csum_crc8 crc8 = new_crc8(0, 6, 7);
	struct cgw_csum_xor xor = new_xor(0, 6, 7);
	struct cgw_rule plain = new_rule(), rule;
	struct cgw_entry entry;
	union gw_model_frame frame;
	unsigned int i;

	plain.set.type = 0;
	rule = plain;
	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, 8);
		expect(_metadata, &rule, &frame, &frame);
		ASSERT_EQ(0, cgw_find(path.src, path.dst, &entry));
		ASSERT_EQ(NULL, entry.rule.csum_crc8);
		ASSERT_EQ(NULL, entry.rule.csum_xor);
		ASSERT_EQ(0, cgw_del(&plain));

		/* next time with indices that exist in no frame */
		crc8.from_idx = -128;
		xor.result_idx = 127;
	}
}

TEST_F(gw_csum, flags_of_classical_frames_are_no_modification)
{
	struct cgw_rule rule = new_rule();
	struct cgw_csum_xor xor = new_xor(0, 6, 7);
	union gw_model_frame frame;

	if (kind->mtu != CAN_MTU)
		SKIP(return, "CAN FD frames have flags");

	rule.set.type = CGW_MOD_FLAGS;
	rule.csum_xor = &xor;
	ASSERT_EQ(0, cgw_add(&rule));
	fill_frame(&frame, 8);
	expect(_metadata, &rule, &frame, &frame);
}

TEST_F(gw_csum, modification_that_changes_nothing_is_enough)
{
	struct cgw_csum_crc8 crc8 = new_crc8(0, 5, 6);
	struct cgw_csum_xor xor = new_xor(0, 6, 7);
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;
	__u8 type;

	rule.set.type = 0;
	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	fill_frame(&frame, 8);
	for (type = 1; type <= CGW_MOD_DATA; type <<= 1) {
		rule.or.type = type;
		expected = by_model(_metadata, &rule, frame);
		ASSERT_NE(0, memcmp(&frame, &expected, kind->mtu));
		try_rule(_metadata, &rule, &frame, &expected);
	}
}

/* every value of each index, the other two being possible */
TEST_F(gw_csum, indices_outside_any_frame_are_rejected)
{
	struct cgw_rule with_xor = new_rule(), with_crc8 = with_xor;
	int which, index[3], err, accepted = 0, size = kind->size;
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;

	with_xor.csum_xor = &xor;
	with_crc8.csum_crc8 = &crc8;
	for (which = 0; which < 3; which++) {
		memset(index, 0, sizeof(index));
		for (index[which] = -128; index[which] < 128; index[which]++) {
			err = index[which] >= -size && index[which] < size ?
			      0 : -EINVAL;
			accepted += err ? 0 : 2;
			xor = NEW_XOR(index);
			crc8 = NEW_CRC8(index);
			ASSERT_EQ(err, cgw_add(&with_xor))
				TH_LOG("index %d is %d", which, index[which]);
			ASSERT_EQ(err, cgw_add(&with_crc8))
				TH_LOG("index %d is %d", which, index[which]);
		}
	}
	ASSERT_EQ(3 * 2 * 2 * size, accepted);
	ASSERT_EQ(accepted, cgw_list(NULL, 0));
}

TEST_F(gw_csum, relative_index_before_the_first_byte_skips_the_checksum)
{
	static const int cases[][3] = {
		{ -3, -2, -1 }, { -1, -3, -1 }, { -1, -1, -3 },
		{ 0, 1, -3 }, { 0, -3, 1 }, { -3, 0, 1 },
		{ -8, -8, -8 }, { -8, 0, 1 },
	};
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;
	union gw_model_frame frame;
	unsigned int i;

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		crc8 = NEW_CRC8(cases[i]);
		xor = NEW_XOR(cases[i]);
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, 2);
		expect_only_id(_metadata, &rule, &frame);
		fill_frame(&frame, 0);
		expect_only_id(_metadata, &rule, &frame);
		fill_frame(&frame, 8);
		expect_model(_metadata, &rule, &frame);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

/*
 * An index from the start that a short frame does not have. The distribution's
 * module computes with, and overwrites, the bytes after such a frame.
 */
static void expect_short_frames_skipped(struct __test_metadata *_metadata,
					enum checksum checksum,
					enum range range)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");

	try_range(_metadata, checksum, range, true);
	/* those that are just long enough still get their checksum */
	try_range(_metadata, checksum, range, false);
}

#define SHORT_FRAMES(name, checksum, range)				\
	TEST_F_TIMEOUT(gw_csum, name##_leaves_short_frames_alone, LONG_TEST) \
	{								\
		expect_short_frames_skipped(_metadata, checksum, range); \
	}

SHORT_FRAMES(xor_positive, CHECKSUM_XOR, RANGE_POSITIVE)
SHORT_FRAMES(xor_negative, CHECKSUM_XOR, RANGE_NEGATIVE)
SHORT_FRAMES(xor_relative, CHECKSUM_XOR, RANGE_RELATIVE)
SHORT_FRAMES(crc8_positive, CHECKSUM_CRC8, RANGE_POSITIVE)
SHORT_FRAMES(crc8_negative, CHECKSUM_CRC8, RANGE_NEGATIVE)
SHORT_FRAMES(crc8_relative, CHECKSUM_CRC8, RANGE_RELATIVE)

/* if one checksum does not fit, the other one is still written */
TEST_F(gw_csum, each_checksum_is_skipped_independently)
{
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8 = new_crc8(0, 3, 4);
	struct cgw_csum_xor xor = new_xor(0, 1, 2);
	union gw_model_frame frame, expected;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	fill_frame(&frame, 3);
	expected = frame;
	expected.fd.can_id = NEW_ID;
	expected.fd.data[2] = 0x5A ^ frame.fd.data[0] ^ frame.fd.data[1];
	try_rule(_metadata, &rule, &frame, &expected);

	crc8 = new_crc8(0, 1, 2);
	xor = new_xor(3, 0, 1);
	rule.csum_xor = NULL;
	expected = by_model(_metadata, &rule, frame);
	rule.csum_xor = &xor;
	try_rule(_metadata, &rule, &frame, &expected);
}

/* all indices exist in a frame of one byte, but data[1] does not */
TEST_F(gw_csum, profile_16u8_skips_frames_without_byte_1)
{
	static const int cases[][3] = {
		{ 0, 0, 0 }, { -1, -1, -1 }, { 0, -1, 0 }, { -1, 0, 0 },
		{ 0, 0, -1 },
	};
	struct cgw_rule rule = new_rule();
	struct cgw_csum_crc8 crc8;
	union gw_model_frame frame;
	unsigned int i;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");

	rule.csum_crc8 = &crc8;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		crc8 = NEW_CRC8(cases[i]);
		crc8.profile = CGW_CRC8PRF_16U8;
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, 0);
		expect_only_id(_metadata, &rule, &frame);
		fill_frame(&frame, 1);
		expect_only_id(_metadata, &rule, &frame);
		fill_frame(&frame, 2);
		expect_model(_metadata, &rule, &frame);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

/* the profiles that need no byte of the frame work on one of one byte */
TEST_F(gw_csum, other_profiles_need_no_byte_1)
{
	static const __u8 profiles[] = {
		CGW_CRC8PRF_UNSPEC, CGW_CRC8PRF_1U8, CGW_CRC8PRF_SFFID_XOR
	};
	struct cgw_csum_crc8 crc8 = new_crc8(0, 0, 0);
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame;
	unsigned int i;

	rule.csum_crc8 = &crc8;
	fill_frame(&frame, 1);
	for (i = 0; i < ARRAY_SIZE(profiles); i++) {
		crc8.profile = profiles[i];
		try_model(_metadata, &rule, &frame);
	}
}

TEST_HARNESS_MAIN
