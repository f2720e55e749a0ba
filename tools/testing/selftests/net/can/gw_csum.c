// SPDX-License-Identifier: GPL-2.0-only
/*
 * The checksums that the CAN gateway writes into frames it has modified: XOR
 * and CRC8, with indices from the frame's start and relative to its end, for
 * Classical CAN and CAN FD. Every frame that comes out is compared in all of
 * its bytes with the model in gw_model.h: the bytes behind a frame's length
 * travel with it, so that a checksum written there does not go unnoticed.
 *
 * Frames enter at the vcan interface "src", and leave through the vxcan
 * interface "dst" to its peer "far", where the test reads them. The test
 * stays on one CPU, so that the frames pass one queue, in order.
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
		gwm_crc8_table(table, crcs[i].poly);
		crc = crcs[i].init;
		for (c = text; *c; c++)
			crc = table[crc ^ *c];
		ASSERT_EQ(crcs[i].check, crc ^ crcs[i].final);
	}
}

FIXTURE(gw_csum)
{
	struct gw_path path;
};

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
	.mtu = CAN_MTU,
	.flags = 0,
	.size = CAN_MAX_DLEN,
	.lengths = cc_lengths,
	.indices = cc_indices,
};

FIXTURE_VARIANT_ADD(gw_csum, fd)
{
	.mtu = CANFD_MTU,
	.flags = CGW_FLAGS_CAN_FD,
	.size = CANFD_MAX_DLEN,
	.lengths = fd_lengths,
	.indices = fd_indices,
};

FIXTURE_SETUP(gw_csum)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");
	ASSERT_EQ(0, gw_path_open(&self->path, CANFD_MTU));
}

FIXTURE_TEARDOWN(gw_csum) { }

/* a rule that modifies the identifier, ready for a checksum */
static struct cgw_rule new_rule(const FIXTURE_DATA(gw_csum) *self,
				const FIXTURE_VARIANT(gw_csum) *variant)
{
	return (struct cgw_rule) {
		.src = self->path.src,
		.dst = self->path.dst,
		.flags = variant->flags,
		.set = {
			.type = CGW_MOD_ID,
			.cf = { .can_id = NEW_ID },
		},
	};
}

/* every byte of the data field is known and none is zero */
static void fill_frame(union gwm_frame *frame,
		       const FIXTURE_VARIANT(gw_csum) *variant, int len)
{
	int i;

	memset(frame, 0, sizeof(*frame));
	frame->fd.can_id = 0x321;
	frame->fd.len = len;
	if (variant->mtu == CANFD_MTU)
		frame->fd.flags = CANFD_FDF;
	for (i = 0; i < variant->size; i++)
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

/* send a frame through the one rule that there is, expect another one */
static void expect(struct __test_metadata *_metadata,
		   const FIXTURE_DATA(gw_csum) *self,
		   const FIXTURE_VARIANT(gw_csum) *variant,
		   const struct cgw_rule *rule, const union gwm_frame *frame,
		   const union gwm_frame *expected)
{
	char hex[2 * CANFD_MTU + 1];
	union gwm_frame got;

	memset(&got, 0, sizeof(got));
	ASSERT_EQ(0, ct_send(self->path.tx, frame, variant->mtu));
	ASSERT_EQ((ssize_t)variant->mtu,
		  ct_recv(self->path.rx, &got, sizeof(got), CT_TIMEOUT_MS));
	if (memcmp(&got, expected, variant->mtu)) {
		log_rule(_metadata, rule);
		TH_LOG("sent    : %s", gwm_hex(hex, frame, variant->mtu));
		TH_LOG("expected: %s", gwm_hex(hex, expected, variant->mtu));
		TH_LOG("received: %s", gwm_hex(hex, &got, variant->mtu));
	}
	ASSERT_EQ(0, memcmp(&got, expected, variant->mtu));
}

/* the same, with the model to say what to expect */
static void expect_model(struct __test_metadata *_metadata,
			 const FIXTURE_DATA(gw_csum) *self,
			 const FIXTURE_VARIANT(gw_csum) *variant,
			 const struct cgw_rule *rule,
			 const union gwm_frame *frame)
{
	union gwm_frame expected = *frame;

	ASSERT_TRUE(gwm_apply(rule, &expected, variant->mtu) == GWM_SENT);
	expect(_metadata, self, variant, rule, frame, &expected);
}

/* the same, for frames whose data no checksum may change */
static void expect_only_id(struct __test_metadata *_metadata,
			   const FIXTURE_DATA(gw_csum) *self,
			   const FIXTURE_VARIANT(gw_csum) *variant,
			   const struct cgw_rule *rule,
			   const union gwm_frame *frame)
{
	union gwm_frame expected = *frame;

	expected.fd.can_id = NEW_ID;
	expect(_metadata, self, variant, rule, frame, &expected);
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

	gwm_crc8_table(crc8.crctab, POLY_AUTOSAR);
	for (i = 0; i < (int)sizeof(crc8.profile_data); i++)
		crc8.profile_data[i] = 0xD1 + 11 * i;
	return crc8;
}

/* one rule, and a frame of each length for which @wanted is how it fits */
static void try_lengths(struct __test_metadata *_metadata,
			const FIXTURE_DATA(gw_csum) *self,
			const FIXTURE_VARIANT(gw_csum) *variant,
			const struct cgw_rule *rule, int from, int to,
			int result, bool behind)
{
	union gwm_frame frame;
	enum gwm_fit fit;
	const int *len;

	ASSERT_EQ(0, cgw_add(rule));
	for (len = variant->lengths; *len != END_OF_LENGTHS; len++) {
		fit = gwm_fit(from, to, result, *len);
		if (behind ? fit != GWM_BEHIND : fit == GWM_BEHIND)
			continue;

		fill_frame(&frame, variant, *len);
		if (fit == GWM_FITS)
			expect_model(_metadata, self, variant, rule, &frame);
		else
			expect_only_id(_metadata, self, variant, rule, &frame);
	}
	ASSERT_EQ(0, cgw_del(rule));
}

enum checksum {
	CHECKSUM_XOR,
	CHECKSUM_CRC8,
};

static void try_indices(struct __test_metadata *_metadata,
			const FIXTURE_DATA(gw_csum) *self,
			const FIXTURE_VARIANT(gw_csum) *variant,
			enum checksum checksum, int from, int to, int result,
			bool behind)
{
	struct cgw_csum_crc8 crc8 = new_crc8(from, to, result);
	struct cgw_csum_xor xor = new_xor(from, to, result);
	struct cgw_rule rule = new_rule(self, variant);

	if (checksum == CHECKSUM_XOR)
		rule.csum_xor = &xor;
	else
		rule.csum_crc8 = &crc8;
	try_lengths(_metadata, self, variant, &rule, from, to, result, behind);
}

/* what the kernel chooses its functions by */
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

/* all pairs of from and to, with every third result */
static void try_range(struct __test_metadata *_metadata,
		      const FIXTURE_DATA(gw_csum) *self,
		      const FIXTURE_VARIANT(gw_csum) *variant,
		      enum checksum checksum, enum range range, bool behind)
{
	const int *all = variant->indices, *from, *to;
	unsigned int number = 0, tried = 0;

	for (from = all; *from != END_OF_INDICES; from++) {
		for (to = all; *to != END_OF_INDICES; to++) {
			const int *result = all + number++ % 3;

			while (true) {
				if (range == RANGE_ANY ||
				    range == range_of(*from, *to, *result)) {
					try_indices(_metadata, self, variant,
						    checksum, *from, *to,
						    *result, behind);
					tried++;
				}
				if (result[1] == END_OF_INDICES ||
				    result[2] == END_OF_INDICES ||
				    result[3] == END_OF_INDICES)
					break;
				result += 3;
			}
		}
	}
	ASSERT_LT(50U, tried);
}

/*
 * Frames that are long enough, and those too short for an index relative to
 * their end. Those too short for an index from the start come further down.
 */
TEST_F_TIMEOUT(gw_csum, xor_over_every_range, LONG_TEST)
{
	try_range(_metadata, self, variant, CHECKSUM_XOR, RANGE_ANY, false);
}

TEST_F_TIMEOUT(gw_csum, crc8_over_every_range, LONG_TEST)
{
	try_range(_metadata, self, variant, CHECKSUM_CRC8, RANGE_ANY, false);
}

/* by hand, without the model */
TEST_F(gw_csum, xor_starts_with_its_initial_value)
{
	struct cgw_csum_xor xor = { 0, 2, 7, 0x80 };
	struct cgw_rule rule = new_rule(self, variant);
	union gwm_frame frame, expected;

	fill_frame(&frame, variant, 8);
	memcpy(frame.fd.data, "\x01\x02\x04\xFF\xFF\xFF\xFF\xFF", 8);
	expected = frame;
	expected.fd.can_id = NEW_ID;
	expected.fd.data[7] = 0x87;
	rule.csum_xor = &xor;
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
}

/* "1234567" with SAE J1850 parameters, and backwards: not the same */
TEST_F(gw_csum, crc8_depends_on_the_direction)
{
	struct cgw_csum_crc8 crc8 = new_crc8(0, 6, 7);
	struct cgw_rule rule = new_rule(self, variant);
	union gwm_frame frame, expected;
	__u8 forward, backward, crc;
	int i, bit;

	fill_frame(&frame, variant, 8);
	memcpy(frame.fd.data, "1234567", 7);
	gwm_crc8_table(crc8.crctab, POLY_SAE_J1850);
	crc8.init_crc_val = 0xFF;
	crc8.final_xor_val = 0xFF;

	/* bit by bit, so that not even the table is used */
	for (crc = 0xFF, i = 0; i < 7; i++)
		for (crc ^= "1234567"[i], bit = 0; bit < 8; bit++)
			crc = crc & 0x80 ? crc << 1 ^ POLY_SAE_J1850 : crc << 1;
	forward = ~crc;
	for (crc = 0xFF, i = 0; i < 7; i++)
		for (crc ^= "7654321"[i], bit = 0; bit < 8; bit++)
			crc = crc & 0x80 ? crc << 1 ^ POLY_SAE_J1850 : crc << 1;
	backward = ~crc;
	ASSERT_NE(forward, backward);

	expected = frame;
	expected.fd.can_id = NEW_ID;
	rule.csum_crc8 = &crc8;

	expected.fd.data[7] = forward;
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
	ASSERT_EQ(0, cgw_del(&rule));

	crc8.from_idx = 6;
	crc8.to_idx = 0;
	expected.fd.data[7] = backward;
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
	ASSERT_EQ(0, cgw_del(&rule));

	/* the same bytes, counted from the end */
	crc8.from_idx = -2;
	crc8.to_idx = -8;
	crc8.result_idx = -1;
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
}

/* indices of which none lies behind a frame of eight bytes */
static const struct {
	int from;
	int to;
	int result;
} profile_ranges[] = {
	{ 0, 6, 7 },
	{ 6, 0, 7 },
	{ 2, 7, 1 },
	{ 7, 2, 1 },
	{ -8, -2, -1 },
	{ -1, -6, 1 },
	{ 1, -1, 0 },
};

TEST_F_TIMEOUT(gw_csum, profiles_add_their_byte, LONG_TEST)
{
	static const canid_t ids[] = {
		0x000, 0x0FF, 0x7A5, 0x1ABCD3EF | CAN_EFF_FLAG,
		0x12345678 | CAN_EFF_FLAG | CAN_RTR_FLAG,
	};
	struct cgw_rule rule = new_rule(self, variant);
	unsigned int range, i, nibble;
	struct cgw_csum_crc8 crc8;
	union gwm_frame frame;
	__u8 profile;

	/* the modification keeps the identifier */
	rule.set.type = 0;
	rule.or.type = CGW_MOD_ID;
	rule.csum_crc8 = &crc8;

	for (range = 0; range < ARRAY_SIZE(profile_ranges); range++) {
		crc8 = new_crc8(profile_ranges[range].from,
				profile_ranges[range].to,
				profile_ranges[range].result);
		for (profile = 0; profile <= CGW_CRC8PRF_MAX; profile++) {
			crc8.profile = profile;
			ASSERT_EQ(0, cgw_add(&rule));
			for (i = 0; i < ARRAY_SIZE(ids); i++) {
				fill_frame(&frame, variant, 8);
				frame.fd.can_id = ids[i];
				expect_model(_metadata, self, variant, &rule,
					     &frame);
			}
			for (nibble = 0; nibble < 16; nibble++) {
				fill_frame(&frame, variant, 8);
				frame.fd.data[1] = 0xA0 | nibble;
				expect_model(_metadata, self, variant, &rule,
					     &frame);
			}
			ASSERT_EQ(0, cgw_del(&rule));
		}
	}
}

TEST_F(gw_csum, unknown_profile_adds_nothing)
{
	static const __u8 unknown[] = { CGW_CRC8PRF_MAX + 1, 16, 127, 255 };
	struct cgw_csum_crc8 crc8 = new_crc8(0, 6, 7), none = crc8;
	struct cgw_rule rule = new_rule(self, variant);
	union gwm_frame frame, expected;
	unsigned int i;

	fill_frame(&frame, variant, 8);
	expected = frame;
	rule.csum_crc8 = &none;
	ASSERT_TRUE(gwm_apply(&rule, &expected, variant->mtu) == GWM_SENT);

	rule.csum_crc8 = &crc8;
	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		crc8.profile = unknown[i];
		ASSERT_EQ(0, cgw_add(&rule));
		expect(_metadata, self, variant, &rule, &frame, &expected);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

TEST_F(gw_csum, initial_and_final_values_count)
{
	static const __u8 values[] = { 0x00, 0x01, 0x7F, 0x80, 0xFF };
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8 = new_crc8(1, -1, 0);
	struct cgw_csum_xor xor = new_xor(1, 6, -1);
	union gwm_frame frame;
	unsigned int i, j;

	fill_frame(&frame, variant, variant->size);
	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (j = 0; j < ARRAY_SIZE(values); j++) {
			crc8.init_crc_val = values[i];
			crc8.final_xor_val = values[j];
			rule.csum_crc8 = &crc8;
			rule.csum_xor = NULL;
			ASSERT_EQ(0, cgw_add(&rule));
			expect_model(_metadata, self, variant, &rule, &frame);
			ASSERT_EQ(0, cgw_del(&rule));
		}

		xor.init_xor_val = values[i];
		rule.csum_crc8 = NULL;
		rule.csum_xor = &xor;
		ASSERT_EQ(0, cgw_add(&rule));
		expect_model(_metadata, self, variant, &rule, &frame);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

/* the kernel uses what it is given, be it the table of a CRC or not */
TEST_F(gw_csum, any_table_is_used)
{
	static const __u8 polys[] = {
		POLY_SAE_J1850, POLY_AUTOSAR, POLY_ATM
	};
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8 = new_crc8(0, -2, -1);
	union gwm_frame frame;
	unsigned int i, number;

	rule.csum_crc8 = &crc8;
	crc8.profile = CGW_CRC8PRF_16U8;
	for (number = 0; number <= ARRAY_SIZE(polys); number++) {
		if (number < ARRAY_SIZE(polys))
			gwm_crc8_table(crc8.crctab, polys[number]);
		else
			for (i = 0; i < 256; i++)
				crc8.crctab[i] = i * i + 3 * i + 7;
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, variant, variant->size);
		expect_model(_metadata, self, variant, &rule, &frame);
		fill_frame(&frame, variant, 5);
		expect_model(_metadata, self, variant, &rule, &frame);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

/* what is in the frame when the other checksum comes decides the order */
TEST_F(gw_csum, crc8_comes_before_xor)
{
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8 = new_crc8(0, 5, 6);
	struct cgw_csum_xor xor = { 0, 6, 7, 0 };
	union gwm_frame frame, expected;
	int i;

	/* with this table the CRC is the XOR of its bytes: no model needed */
	for (i = 0; i < 256; i++)
		crc8.crctab[i] = i;
	crc8.init_crc_val = 0;
	crc8.final_xor_val = 0;
	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;

	fill_frame(&frame, variant, 8);
	memcpy(frame.fd.data, "\x01\x02\x04\x08\x10\x20\xAA\x55", 8);
	expected = frame;
	expected.fd.can_id = NEW_ID;

	/* XOR over the CRC */
	expected.fd.data[6] = 0x3F;
	expected.fd.data[7] = 0x00;
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
	ASSERT_EQ(0, cgw_del(&rule));

	/* CRC over what XOR replaces afterwards */
	crc8.to_idx = 7;
	expected.fd.data[6] = 0x3F ^ 0xAA ^ 0x55;
	expected.fd.data[7] = 0x3F ^ 0x3F ^ 0xAA ^ 0x55;
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
	ASSERT_EQ(0, cgw_del(&rule));

	/* one place for both: XOR is what remains */
	crc8.to_idx = 5;
	crc8.result_idx = 7;
	expected.fd.data[6] = 0xAA;
	expected.fd.data[7] = 0x3F ^ 0xAA;
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
}

TEST_F_TIMEOUT(gw_csum, both_checksums_in_one_rule, LONG_TEST)
{
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;
	union gwm_frame frame;
	unsigned int i, j;

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	fill_frame(&frame, variant, 8);
	for (i = 0; i < ARRAY_SIZE(profile_ranges); i++) {
		for (j = 0; j < ARRAY_SIZE(profile_ranges); j++) {
			crc8 = new_crc8(profile_ranges[i].from,
					profile_ranges[i].to,
					profile_ranges[i].result);
			crc8.profile = j % (CGW_CRC8PRF_MAX + 1);
			xor = new_xor(profile_ranges[j].from,
				      profile_ranges[j].to,
				      profile_ranges[j].result);
			ASSERT_EQ(0, cgw_add(&rule));
			expect_model(_metadata, self, variant, &rule, &frame);
			ASSERT_EQ(0, cgw_del(&rule));
		}
	}
}

/* identifier, length and data are those that the modifications have left */
TEST_F(gw_csum, checksums_see_the_modified_frame)
{
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8 = new_crc8(0, -3, -2);
	struct cgw_csum_xor xor = new_xor(-2, 0, -1);
	union gwm_frame frame;
	int len;

	crc8.profile = CGW_CRC8PRF_SFFID_XOR;
	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	rule.and.type = CGW_MOD_DATA;
	memset(rule.and.cf.data, 0xF7, CANFD_MAX_DLEN);
	rule.set.type = CGW_MOD_ID | CGW_MOD_LEN;

	for (len = 3; len <= variant->size; len++) {
		rule.set.cf.len = len;
		rule.set.cf.can_id = 0x100 * (len % 8) + 0x5A + len;
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, variant, 0);
		expect_model(_metadata, self, variant, &rule, &frame);
		fill_frame(&frame, variant, variant->size);
		expect_model(_metadata, self, variant, &rule, &frame);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

TEST_F(gw_csum, raw_dlc_counts_as_eight_bytes)
{
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8 = new_crc8(-8, -3, -2);
	struct cgw_csum_xor xor = new_xor(0, -2, -1);
	union gwm_frame frame, expected;
	int dlc;

	if (variant->mtu != CAN_MTU)
		SKIP(return, "CAN FD frames have no raw DLC");

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	fill_frame(&frame, variant, 8);
	expected = frame;
	ASSERT_TRUE(gwm_apply(&rule, &expected, CAN_MTU) == GWM_SENT);

	/* it comes with the frame */
	ASSERT_EQ(0, cgw_add(&rule));
	for (dlc = 9; dlc <= CAN_MAX_RAW_DLC; dlc++) {
		frame.cc.len8_dlc = dlc;
		expected.cc.len8_dlc = dlc;
		expect(_metadata, self, variant, &rule, &frame, &expected);
	}
	ASSERT_EQ(0, cgw_del(&rule));

	/* it comes from the rule */
	rule.set.type |= CGW_MOD_DLC;
	frame.cc.len8_dlc = 0;
	frame.cc.len = 2;
	for (dlc = 9; dlc <= CAN_MAX_RAW_DLC; dlc++) {
		rule.set.cf.len = dlc;
		expected.cc.len8_dlc = dlc;
		ASSERT_EQ(0, cgw_add(&rule));
		expect(_metadata, self, variant, &rule, &frame, &expected);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

/* the length that an RTR frame asks for counts, as if the data were there */
TEST_F(gw_csum, remote_frame_is_treated_as_a_data_frame)
{
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8 = new_crc8(0, -3, -2);
	struct cgw_csum_xor xor = new_xor(0, 1, -1);
	union gwm_frame frame;

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	rule.set.cf.can_id = NEW_ID | CAN_RTR_FLAG;
	ASSERT_EQ(0, cgw_add(&rule));
	fill_frame(&frame, variant, 7);
	expect_model(_metadata, self, variant, &rule, &frame);
	frame.fd.can_id |= CAN_RTR_FLAG;
	expect_model(_metadata, self, variant, &rule, &frame);
}

/* accepted, not looked at, and not listed: it is a plain rule */
TEST_F(gw_csum, checksum_without_modification_is_ignored)
{
	struct cgw_csum_crc8 crc8 = new_crc8(0, 6, 7);
	struct cgw_csum_xor xor = new_xor(0, 6, 7);
	struct cgw_rule plain = {
		.src = self->path.src,
		.dst = self->path.dst,
		.flags = variant->flags,
	};
	struct cgw_rule rule = plain;
	struct cgw_entry entry;
	union gwm_frame frame;
	unsigned int i;

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	for (i = 0; i < 2; i++) {
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, variant, 8);
		expect(_metadata, self, variant, &rule, &frame, &frame);
		ASSERT_EQ(0, cgw_find(self->path.src, self->path.dst, &entry));
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
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_xor xor = new_xor(0, 6, 7);
	union gwm_frame frame;

	if (variant->mtu != CAN_MTU)
		SKIP(return, "CAN FD frames have flags");

	rule.set.type = CGW_MOD_FLAGS;
	rule.csum_xor = &xor;
	ASSERT_EQ(0, cgw_add(&rule));
	fill_frame(&frame, variant, 8);
	expect(_metadata, self, variant, &rule, &frame, &frame);
}

TEST_F(gw_csum, modification_that_changes_nothing_is_enough)
{
	struct cgw_csum_crc8 crc8 = new_crc8(0, 5, 6);
	struct cgw_csum_xor xor = new_xor(0, 6, 7);
	union gwm_frame frame, expected;
	struct cgw_rule rule;
	__u8 type;

	for (type = 1; type <= CGW_MOD_DATA; type <<= 1) {
		rule = new_rule(self, variant);
		rule.set.type = 0;
		rule.or.type = type;
		rule.csum_crc8 = &crc8;
		rule.csum_xor = &xor;
		fill_frame(&frame, variant, 8);
		expected = frame;
		ASSERT_TRUE(gwm_apply(&rule, &expected, variant->mtu) ==
			    GWM_SENT);
		ASSERT_NE(0, memcmp(&frame, &expected, variant->mtu));
		ASSERT_EQ(0, cgw_add(&rule));
		expect(_metadata, self, variant, &rule, &frame, &expected);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

static int add_xor(const FIXTURE_DATA(gw_csum) *self,
		   const FIXTURE_VARIANT(gw_csum) *variant, const int *index)
{
	struct cgw_csum_xor xor = new_xor(index[0], index[1], index[2]);
	struct cgw_rule rule = new_rule(self, variant);

	rule.csum_xor = &xor;
	return cgw_add(&rule);
}

static int add_crc8(const FIXTURE_DATA(gw_csum) *self,
		    const FIXTURE_VARIANT(gw_csum) *variant, const int *index)
{
	struct cgw_csum_crc8 crc8 = new_crc8(index[0], index[1], index[2]);
	struct cgw_rule rule = new_rule(self, variant);

	rule.csum_crc8 = &crc8;
	return cgw_add(&rule);
}

/* every value of each index, the other two being possible */
TEST_F(gw_csum, indices_that_no_frame_has_are_refused)
{
	int where, index[3], err, accepted = 0;

	for (where = 0; where < 3; where++) {
		memset(index, 0, sizeof(index));
		for (index[where] = -128; index[where] < 128; index[where]++) {
			err = -EINVAL;
			if (index[where] >= -variant->size &&
			    index[where] < variant->size) {
				err = 0;
				accepted += 2;
			}
			ASSERT_EQ(err, add_xor(self, variant, index)) {
				TH_LOG("index %d is %d", where, index[where]);
			}
			ASSERT_EQ(err, add_crc8(self, variant, index)) {
				TH_LOG("index %d is %d", where, index[where]);
			}
		}
	}
	ASSERT_EQ(3 * 2 * 2 * variant->size, accepted);
	ASSERT_EQ(accepted, cgw_list(NULL, 0));
}

TEST_F(gw_csum, relative_index_before_the_first_byte_leaves_frame_alone)
{
	static const int cases[][3] = {
		{ -3, -2, -1 }, { -1, -3, -1 }, { -1, -1, -3 },
		{ 0, 1, -3 }, { 0, -3, 1 }, { -3, 0, 1 },
		{ -8, -8, -8 }, { -8, 0, 1 },
	};
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;
	union gwm_frame frame;
	unsigned int i;

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		crc8 = new_crc8(cases[i][0], cases[i][1], cases[i][2]);
		xor = new_xor(cases[i][0], cases[i][1], cases[i][2]);
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, variant, 2);
		expect_only_id(_metadata, self, variant, &rule, &frame);
		fill_frame(&frame, variant, 0);
		expect_only_id(_metadata, self, variant, &rule, &frame);
		fill_frame(&frame, variant, 8);
		expect_model(_metadata, self, variant, &rule, &frame);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

/*
 * An index from the start that a short frame does not have. The distribution's
 * module computes with, and overwrites, what lies behind such a frame.
 */
static void leave_short_frames_alone(struct __test_metadata *_metadata,
				     const FIXTURE_DATA(gw_csum) *self,
				     const FIXTURE_VARIANT(gw_csum) *variant,
				     enum checksum checksum, enum range range)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");

	try_range(_metadata, self, variant, checksum, range, true);
	/* and those that are just long enough are treated as ever */
	try_range(_metadata, self, variant, checksum, range, false);
}

TEST_F_TIMEOUT(gw_csum, xor_positive_leaves_short_frames_alone, LONG_TEST)
{
	leave_short_frames_alone(_metadata, self, variant, CHECKSUM_XOR,
				 RANGE_POSITIVE);
}

TEST_F_TIMEOUT(gw_csum, xor_negative_leaves_short_frames_alone, LONG_TEST)
{
	leave_short_frames_alone(_metadata, self, variant, CHECKSUM_XOR,
				 RANGE_NEGATIVE);
}

TEST_F_TIMEOUT(gw_csum, xor_relative_leaves_short_frames_alone, LONG_TEST)
{
	leave_short_frames_alone(_metadata, self, variant, CHECKSUM_XOR,
				 RANGE_RELATIVE);
}

TEST_F_TIMEOUT(gw_csum, crc8_positive_leaves_short_frames_alone, LONG_TEST)
{
	leave_short_frames_alone(_metadata, self, variant, CHECKSUM_CRC8,
				 RANGE_POSITIVE);
}

TEST_F_TIMEOUT(gw_csum, crc8_negative_leaves_short_frames_alone, LONG_TEST)
{
	leave_short_frames_alone(_metadata, self, variant, CHECKSUM_CRC8,
				 RANGE_NEGATIVE);
}

TEST_F_TIMEOUT(gw_csum, crc8_relative_leaves_short_frames_alone, LONG_TEST)
{
	leave_short_frames_alone(_metadata, self, variant, CHECKSUM_CRC8,
				 RANGE_RELATIVE);
}

/* one checksum that does not fit is no reason to leave out the other */
TEST_F(gw_csum, each_checksum_is_left_out_on_its_own)
{
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8 = new_crc8(0, 3, 4);
	struct cgw_csum_xor xor = new_xor(0, 1, 2);
	union gwm_frame frame, expected;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");

	rule.csum_crc8 = &crc8;
	rule.csum_xor = &xor;
	fill_frame(&frame, variant, 3);
	expected = frame;
	expected.fd.can_id = NEW_ID;
	expected.fd.data[2] = 0x5A ^ frame.fd.data[0] ^ frame.fd.data[1];
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
	ASSERT_EQ(0, cgw_del(&rule));

	crc8 = new_crc8(0, 1, 2);
	xor = new_xor(3, 0, 1);
	rule.csum_xor = NULL;
	expected = frame;
	ASSERT_TRUE(gwm_apply(&rule, &expected, variant->mtu) == GWM_SENT);
	rule.csum_xor = &xor;
	ASSERT_EQ(0, cgw_add(&rule));
	expect(_metadata, self, variant, &rule, &frame, &expected);
}

/* all indices exist in a frame of one byte, but data[1] does not */
TEST_F(gw_csum, profile_16u8_leaves_frames_without_byte_1_alone)
{
	static const int cases[][3] = {
		{ 0, 0, 0 }, { -1, -1, -1 }, { 0, -1, 0 }, { -1, 0, 0 },
		{ 0, 0, -1 },
	};
	struct cgw_rule rule = new_rule(self, variant);
	struct cgw_csum_crc8 crc8;
	union gwm_frame frame;
	unsigned int i;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");

	rule.csum_crc8 = &crc8;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		crc8 = new_crc8(cases[i][0], cases[i][1], cases[i][2]);
		crc8.profile = CGW_CRC8PRF_16U8;
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, variant, 0);
		expect_only_id(_metadata, self, variant, &rule, &frame);
		fill_frame(&frame, variant, 1);
		expect_only_id(_metadata, self, variant, &rule, &frame);
		fill_frame(&frame, variant, 2);
		expect_model(_metadata, self, variant, &rule, &frame);
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
	struct cgw_rule rule = new_rule(self, variant);
	union gwm_frame frame;
	unsigned int i;

	rule.csum_crc8 = &crc8;
	for (i = 0; i < ARRAY_SIZE(profiles); i++) {
		crc8.profile = profiles[i];
		ASSERT_EQ(0, cgw_add(&rule));
		fill_frame(&frame, variant, 1);
		expect_model(_metadata, self, variant, &rule, &frame);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

TEST_HARNESS_MAIN
