// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of rules that the gateway's generic netlink family rejects: each with
 * an error, an extack message and the attribute that it is about, and without a
 * change of the table.
 *
 * A case is a valid request in which one attribute is replaced or missing. It is
 * made of a new rule and of one that is to be replaced. The attributes are built
 * by functions of YNL that take any type and length, because the functions that
 * are generated from the specification build valid attributes only.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "cantest.h"
#include "cgw.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define SRC	10
#define DST	20
#define OTHER_INDEX	30
#define LO	1
#define NOBODY	123456
#define UID	0xcafe
#define MAX_LEN	(CAN_GW_MAX_DATA + 1)

#define CC	CAN_GW_FRAMES_CC
#define FD	CAN_GW_FRAMES_FD
#define XL	CAN_GW_FRAMES_XL

/**
 * struct refusal - what is wrong with a request
 * @what: is refused
 * @error: what the kernel answers
 * @frames: kind of the frames
 * @nest: attribute of the rule that the wrong one is in, 0 for none
 * @type: the wrong attribute, 0 for @nest itself
 * @len: its length
 * @value: its first four bytes; all others are 0
 * @text: its bytes instead of @value
 * @missing: it is not there; the end of the error message
 * @plain: the rule does not modify frames
 */
struct refusal {
	const char *what;
	int error;
	uint32_t frames;
	uint16_t nest;
	uint16_t type;
	uint16_t len;
	uint32_t value;
	const char *text;
	const char *missing;
	bool plain;
};

FIXTURE(gw_nl_refuse) {
	struct gwnl gw;
	uint64_t handle;
};

#define R(name)	CAN_GW_A_RULE_##name
#define O(name)	CAN_GW_A_OPERAND_##name
#define X(name)	CAN_GW_A_XOR_CHECKSUM_##name
#define C(name)	CAN_GW_A_CRC8_CHECKSUM_##name

#define WRONG(_what, _error, _frames, _nest, _type, _len, _value) {	\
	.what = _what, .error = _error, .frames = _frames, .nest = _nest, \
	.type = _type, .len = _len, .value = _value }
#define TEXT(_what, _error, _frames, _nest, _type, _len, _text) {	\
	.what = _what, .error = _error, .frames = _frames, .nest = _nest, \
	.type = _type, .len = _len, .text = _text }
#define MISSING(_what, _error, _frames, _nest, _type, _missing) {	\
	.what = _what, .error = _error, .frames = _frames, .nest = _nest, \
	.type = _type, .missing = "missing attribute: " _missing }
#define PLAIN(_what, _error, _frames, _nest, _type, _len, _value) {	\
	.what = _what, .error = _error, .frames = _frames, .nest = _nest, \
	.type = _type, .len = _len, .value = _value, .plain = true }

static const struct refusal policy[] = {
	WRONG("attribute behind all", EINVAL, CC, 0, 100, 4, 0),
	WRONG("attribute of answers", EINVAL, CC, 0, R(STATS), 4, 0),
	WRONG("attribute of operand behind all", EINVAL, CC,
	      R(SET), O(DATA) + 1, 4, 0),
	WRONG("attribute of xor behind all", EINVAL, CC,
	      R(XOR_CHECKSUM), X(INIT) + 1, 1, 0),
	WRONG("attribute of crc8 behind all", EINVAL, CC,
	      R(CRC8_CHECKSUM), C(PROFILE_DATA) + 1, 1, 0),
	WRONG("source of 16 bits", EINVAL, CC, 0, R(SOURCE), 2, SRC),
	WRONG("source of 64 bits", EINVAL, CC, 0, R(SOURCE), 8, SRC),
	WRONG("source 0", ERANGE, CC, 0, R(SOURCE), 4, 0),
	WRONG("destination of no bits", EINVAL, CC, 0, R(DESTINATION), 0, 0),
	WRONG("destination 0", ERANGE, CC, 0, R(DESTINATION), 4, 0),
	WRONG("frames of 8 bits", EINVAL, CC, 0, R(FRAMES), 1, 0),
	WRONG("frames unknown", ERANGE, CC, 0, R(FRAMES), 4, XL + 1),
	WRONG("flags unknown", EINVAL, CC, 0, R(FLAGS), 4, 8),
	WRONG("filter id of 64 bits", EINVAL, CC, 0, R(FILTER_ID), 8, 0),
	WRONG("filter mask of 16 bits", EINVAL, CC, 0, R(FILTER_MASK), 2, 0),
	WRONG("hop limit 0", ERANGE, CC, 0, R(HOP_LIMIT), 1, 0),
	WRONG("hop limit of 32 bits", EINVAL, CC, 0, R(HOP_LIMIT), 4, 1),
	WRONG("uid 0", ERANGE, CC, 0, R(UID), 4, 0),
	TEXT("name of 32 bytes", EINVAL, CC, 0, R(NAME), 33,
	     "abcdefghijklmnopqrstuvwxyz123456"),
	TEXT("name without end", EINVAL, CC, 0, R(NAME), 3, "abc"),
	WRONG("name of nothing", EINVAL, CC, 0, R(NAME), 0, 0),
	WRONG("name of no bytes", EINVAL, CC, 0, R(NAME), 1, 0),
	WRONG("id of 16 bits", EINVAL, CC, R(SET), O(ID), 2, 0),
	WRONG("len of 32 bits", EINVAL, CC, R(SET), O(LEN), 4, 0),
	WRONG("prio of 8 bits", EINVAL, XL, R(SET), O(PRIO), 1, 0),
	WRONG("vcid of 32 bits", EINVAL, XL, R(SET), O(VCID), 4, 0),
	WRONG("sdt of 16 bits", EINVAL, XL, R(SET), O(SDT), 2, 0),
	WRONG("af of 64 bits", EINVAL, XL, R(SET), O(AF), 8, 0),
	WRONG("xor from of 8 bits", EINVAL, CC, R(XOR_CHECKSUM), X(FROM), 1, 0),
	WRONG("xor init of 32 bits", EINVAL, CC,
	      R(XOR_CHECKSUM), X(INIT), 4, 0),
	WRONG("crc8 result of 8 bits", EINVAL, CC,
	      R(CRC8_CHECKSUM), C(RESULT), 1, 0),
	WRONG("crc8 table of 255 bytes", ERANGE, CC,
	      R(CRC8_CHECKSUM), C(TABLE), 255, 0),
	WRONG("crc8 table of 257 bytes", ERANGE, CC,
	      R(CRC8_CHECKSUM), C(TABLE), 257, 0),
	WRONG("crc8 profile unknown", ERANGE, CC,
	      R(CRC8_CHECKSUM), C(PROFILE), 4, 4),
	WRONG("crc8 profile data of 19 bytes", ERANGE, CC,
	      R(CRC8_CHECKSUM), C(PROFILE_DATA), 19, 0),
};

static const struct refusal interfaces[] = {
	MISSING("source missing", EINVAL, CC, 0, R(SOURCE), ".source"),
	MISSING("destination missing", EINVAL, CC, 0, R(DESTINATION),
		".destination"),
	WRONG("source unknown", ENODEV, CC, 0, R(SOURCE), 4, NOBODY),
	WRONG("destination unknown", ENODEV, CC, 0, R(DESTINATION), 4, NOBODY),
	WRONG("source not can", ENODEV, CC, 0, R(SOURCE), 4, LO),
	WRONG("destination not can", ENODEV, CC, 0, R(DESTINATION), 4, LO),
	WRONG("source beyond int", ENODEV, CC,
	      0, R(SOURCE), 4, 0x80000000 | SRC),
	WRONG("destination beyond int", ENODEV, CC,
	      0, R(DESTINATION), 4, 0x80000000 | DST),
	WRONG("destination is source", EINVAL, CC, 0, R(DESTINATION), 4, SRC),
};

static const struct refusal operands[] = {
	WRONG("and of nothing", EINVAL, CC, R(AND), 0, 0, 0),
	WRONG("or of nothing", EINVAL, FD, R(OR), 0, 0, 0),
	WRONG("xor of nothing", EINVAL, XL, R(XOR), 0, 0, 0),
	WRONG("set of nothing", EINVAL, CC, R(SET), 0, 0, 0),
	WRONG("cc flags", EINVAL, CC, R(SET), O(FLAGS), 1, 1),
	WRONG("cc prio", EINVAL, CC, R(AND), O(PRIO), 4, 1),
	WRONG("cc vcid", EINVAL, CC, R(XOR), O(VCID), 1, 1),
	WRONG("cc sdt", EINVAL, CC, R(SET), O(SDT), 1, 1),
	WRONG("cc af", EINVAL, CC, R(SET), O(AF), 4, 1),
	WRONG("fd prio", EINVAL, FD, R(SET), O(PRIO), 4, 1),
	WRONG("fd vcid", EINVAL, FD, R(SET), O(VCID), 1, 1),
	WRONG("fd sdt", EINVAL, FD, R(XOR), O(SDT), 1, 1),
	WRONG("fd af", EINVAL, FD, R(AND), O(AF), 4, 1),
	WRONG("xl id", EINVAL, XL, R(SET), O(ID), 4, 1),
	WRONG("xl len", EINVAL, XL, R(SET), O(LEN), 1, 1),
	WRONG("xl set prio of 12 bits", ERANGE, XL, R(SET), O(PRIO), 4, 0x800),
	WRONG("xl xor prio of 32 bits", ERANGE, XL,
	      R(XOR), O(PRIO), 4, 0x80000000),
	WRONG("xl flags xlf", EINVAL, XL,
	      R(SET), O(FLAGS), 1, CANXL_XLF | CANXL_SEC),
	WRONG("xl flags unknown", EINVAL, XL, R(OR), O(FLAGS), 1, 2),
	WRONG("fd flags unknown", EINVAL, FD, R(SET), O(FLAGS), 1, 8),
	WRONG("fd flags xlf", EINVAL, FD, R(XOR), O(FLAGS), 1, CANXL_XLF),
	WRONG("cc data of nothing", EINVAL, CC, R(AND), O(DATA), 0, 0),
	WRONG("fd data of nothing", EINVAL, FD, R(XOR), O(DATA), 0, 0),
	WRONG("xl data of nothing", EINVAL, XL, R(SET), O(DATA), 0, 0),
	WRONG("cc data of 9 bytes", ERANGE, CC, R(AND), O(DATA), 9, 0),
	WRONG("fd data of 65 bytes", ERANGE, FD, R(XOR), O(DATA), 65, 0),
	WRONG("xl data of 2049 bytes", ERANGE, XL, R(SET), O(DATA), 2049, 0),
	WRONG("cc set data of 7 bytes", EINVAL, CC, R(SET), O(DATA), 7, 0),
	WRONG("cc set data of 9 bytes", ERANGE, CC, R(SET), O(DATA), 9, 0),
	WRONG("fd set data of 63 bytes", EINVAL, FD, R(SET), O(DATA), 63, 0),
	WRONG("fd set data of 65 bytes", ERANGE, FD, R(SET), O(DATA), 65, 0),
};

static const struct refusal checksums[] = {
	MISSING("xor from missing", EINVAL, CC, R(XOR_CHECKSUM), X(FROM),
		".xor-checksum.from"),
	MISSING("xor to missing", EINVAL, FD, R(XOR_CHECKSUM), X(TO),
		".xor-checksum.to"),
	MISSING("xor result missing", EINVAL, XL, R(XOR_CHECKSUM), X(RESULT),
		".xor-checksum.result"),
	MISSING("crc8 from missing", EINVAL, XL, R(CRC8_CHECKSUM), C(FROM),
		".crc8-checksum.from"),
	MISSING("crc8 to missing", EINVAL, CC, R(CRC8_CHECKSUM), C(TO),
		".crc8-checksum.to"),
	MISSING("crc8 result missing", EINVAL, FD, R(CRC8_CHECKSUM), C(RESULT),
		".crc8-checksum.result"),
	MISSING("crc8 table missing", EINVAL, CC, R(CRC8_CHECKSUM), C(TABLE),
		".crc8-checksum.table"),
	WRONG("cc xor from 8", ERANGE, CC, R(XOR_CHECKSUM), X(FROM), 4, 8),
	WRONG("cc xor to minus 9", ERANGE, CC, R(XOR_CHECKSUM), X(TO), 4, -9),
	WRONG("cc xor result 8", ERANGE, CC, R(XOR_CHECKSUM), X(RESULT), 4, 8),
	WRONG("fd xor from minus 65", ERANGE, FD,
	      R(XOR_CHECKSUM), X(FROM), 4, -65),
	WRONG("fd xor to 64", ERANGE, FD, R(XOR_CHECKSUM), X(TO), 4, 64),
	WRONG("fd xor result 256", ERANGE, FD,
	      R(XOR_CHECKSUM), X(RESULT), 4, 256),
	WRONG("xl xor from 2048", ERANGE, XL,
	      R(XOR_CHECKSUM), X(FROM), 4, 2048),
	WRONG("xl xor to minus 2049", ERANGE, XL,
	      R(XOR_CHECKSUM), X(TO), 4, -2049),
	WRONG("xl xor result 65536", ERANGE, XL,
	      R(XOR_CHECKSUM), X(RESULT), 4, 65536),
	WRONG("cc crc8 from minus 9", ERANGE, CC,
	      R(CRC8_CHECKSUM), C(FROM), 4, -9),
	WRONG("cc crc8 to 8", ERANGE, CC, R(CRC8_CHECKSUM), C(TO), 4, 8),
	WRONG("cc crc8 result int min", ERANGE, CC,
	      R(CRC8_CHECKSUM), C(RESULT), 4, 0x80000000),
	WRONG("fd crc8 from 64", ERANGE, FD, R(CRC8_CHECKSUM), C(FROM), 4, 64),
	WRONG("fd crc8 to minus 65", ERANGE, FD,
	      R(CRC8_CHECKSUM), C(TO), 4, -65),
	WRONG("fd crc8 result int max", ERANGE, FD,
	      R(CRC8_CHECKSUM), C(RESULT), 4, 0x7fffffff),
	WRONG("xl crc8 from minus 2049", ERANGE, XL,
	      R(CRC8_CHECKSUM), C(FROM), 4, -2049),
	WRONG("xl crc8 to 2048", ERANGE, XL, R(CRC8_CHECKSUM), C(TO), 4, 2048),
	WRONG("xl crc8 result 2048", ERANGE, XL,
	      R(CRC8_CHECKSUM), C(RESULT), 4, 2048),
};

static const struct refusal others[] = {
	WRONG("hop limit above that of the gateway", ERANGE, CC,
	      0, R(HOP_LIMIT), 1, 255),
	MISSING("filter id without a mask", EINVAL, CC, 0, R(FILTER_MASK),
		".filter-mask"),
	PLAIN("uid without modification", EINVAL, CC, 0, R(UID), 4, UID + 1),
	WRONG("uid of another rule", EEXIST, CC, 0, R(UID), 4, UID),
	WRONG("uid of another rule for other frames", EEXIST, XL,
	      0, R(UID), 4, UID),
	WRONG("xl filter for errors", EINVAL, XL,
	      0, R(FILTER_MASK), 4, CAN_ERR_FLAG | 1),
};

static unsigned int offset_of(const struct nlmsghdr *nlh, const void *attr)
{
	return (const char *)attr - (const char *)nlh;
}

static void put_wrong(struct nlmsghdr *nlh, const struct refusal *it,
		      unsigned int *guilty)
{
	uint8_t bytes[MAX_LEN + sizeof(uint32_t)] = { 0 };

	if (it->missing)
		return;
	memcpy(bytes, &it->value, sizeof(it->value));
	*guilty = nlh->nlmsg_len;
	ynl_attr_put(nlh, it->type, it->text ? (void *)it->text : bytes,
		     it->len);
}

static void put(struct nlmsghdr *nlh, const struct refusal *it, uint16_t type,
		uint32_t value, unsigned int *guilty)
{
	if (it->nest || it->type != type)
		ynl_attr_put_u32(nlh, type, value);
	else
		put_wrong(nlh, it, guilty);
}

/* the places and the table of a checksum, numbered alike */
static void put_csum(struct nlmsghdr *nlh, const struct refusal *it,
		     unsigned int *guilty)
{
	static const uint8_t table[CAN_GW_CRC8_TABLE_LEN] = { 0 };
	uint16_t type;

	for (type = X(FROM); type <= X(RESULT); type++)
		if (type != it->type)
			ynl_attr_put_u32(nlh, type, 0);
	if (it->nest == R(CRC8_CHECKSUM) && it->type != C(TABLE))
		ynl_attr_put(nlh, C(TABLE), table, sizeof(table));
	put_wrong(nlh, it, guilty);
}

static void put_nest(struct nlmsghdr *nlh, const struct refusal *it,
		     unsigned int *guilty)
{
	struct nlattr *nest = ynl_attr_nest_start(nlh, it->nest);

	*guilty = offset_of(nlh, nest);
	if (it->nest == R(XOR_CHECKSUM) || it->nest == R(CRC8_CHECKSUM))
		put_csum(nlh, it, guilty);
	else if (it->type)
		put_wrong(nlh, it, guilty);
	ynl_attr_nest_end(nlh, nest);
}

/* an operand that is not that of the case */
static void put_modification(struct nlmsghdr *nlh, const struct refusal *it)
{
	struct nlattr *nest = ynl_attr_nest_start(nlh, it->nest == R(OR) ?
						  R(XOR) : R(OR));

	ynl_attr_put_u32(nlh, it->frames == XL ? O(PRIO) : O(ID), 1);
	ynl_attr_nest_end(nlh, nest);
}

static void put_request(struct nlmsghdr *nlh, const struct refusal *it,
			unsigned int *guilty)
{
	put(nlh, it, R(SOURCE), SRC, guilty);
	put(nlh, it, R(DESTINATION), DST, guilty);
	put(nlh, it, R(FRAMES), it->frames, guilty);
	if (it->missing && it->type == R(FILTER_MASK))
		ynl_attr_put_u32(nlh, R(FILTER_ID), 1);
	if (!it->plain)
		put_modification(nlh, it);
	if (it->nest)
		put_nest(nlh, it, guilty);
	else if (it->type > R(FRAMES) || it->type < R(SOURCE))
		put_wrong(nlh, it, guilty);
}

FIXTURE_SETUP(gw_nl_refuse)
{
	struct gwnl_rule rule = {
		.source = SRC, .destination = DST, .uid = UID,
		.op[GWNL_SET] = { .fields = GWNL_FIELD(ID), .id = 1 },
	};

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(SRC, ct_vcan_add_at("src", CANXL_MTU, SRC));
	ASSERT_EQ(DST, ct_vcan_add_at("dst", CANXL_MTU, DST));
	ASSERT_EQ(0, gwnl_open(&self->gw));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	rule.uid = 0;
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &self->handle));
}

FIXTURE_TEARDOWN(gw_nl_refuse)
{
	gwnl_close(&self->gw);
}

static void expect_rejected(struct __test_metadata *_metadata, struct gwnl *gw,
			    const struct refusal *it, struct nlmsghdr *nlh)
{
	const struct ynl_error *error = &gw->ys->err;
	unsigned int guilty = 0;

	put_request(nlh, it, &guilty);
	EXPECT_EQ(-it->error, gwnl_exec(gw, nlh))
		TH_LOG("%s: %s", it->what, error->msg);
	EXPECT_TRUE(gwnl_explained(gw))
		TH_LOG("%s: no text", it->what);
	EXPECT_TRUE(it->missing ? !!strstr(error->msg, it->missing) :
				  error->attr_offs == guilty)
		TH_LOG("%s: %s at %u", it->what, error->msg, error->attr_offs);
}

static void expect_all(struct __test_metadata *_metadata,
		       FIXTURE_DATA(gw_nl_refuse) *self,
		       const struct refusal *list, int count)
{
	int64_t digest = gwnl_digest(&self->gw);
	int64_t generation = gwnl_generation(&self->gw);
	struct nlmsghdr *nlh;
	int i;

	ASSERT_LE(0, digest);
	ASSERT_LE(0, generation);
	for (i = 0; i < count; i++) {
		nlh = gwnl_msg(&self->gw, CAN_GW_CMD_RULE_ADD);
		expect_rejected(_metadata, &self->gw, &list[i], nlh);
		nlh = gwnl_msg(&self->gw, CAN_GW_CMD_RULE_REPLACE);
		ynl_attr_put_uint(nlh, R(HANDLE), self->handle);
		expect_rejected(_metadata, &self->gw, &list[i], nlh);
		ASSERT_EQ(digest, gwnl_digest(&self->gw))
			TH_LOG("%s: a rule has changed", list[i].what);
		ASSERT_EQ(generation, gwnl_generation(&self->gw))
			TH_LOG("%s: the generation has changed", list[i].what);
	}
}

TEST_F_TIMEOUT(gw_nl_refuse, attributes_that_are_not_in_the_specification, 120)
{
	expect_all(_metadata, self, policy, ARRAY_SIZE(policy));
}

TEST_F_TIMEOUT(gw_nl_refuse, interfaces_that_cannot_be_routed_between, 120)
{
	expect_all(_metadata, self, interfaces, ARRAY_SIZE(interfaces));
}

TEST_F_TIMEOUT(gw_nl_refuse, operands_outside_frames_of_the_kind, 120)
{
	expect_all(_metadata, self, operands, ARRAY_SIZE(operands));
}

TEST_F_TIMEOUT(gw_nl_refuse, checksums_outside_the_frame, 120)
{
	expect_all(_metadata, self, checksums, ARRAY_SIZE(checksums));
}

TEST_F_TIMEOUT(gw_nl_refuse, contradictions_and_values_beyond_the_gateway, 120)
{
	expect_all(_metadata, self, others, ARRAY_SIZE(others));
}

/*
 * What is not one attribute of a rule.
 */

FIXTURE(gw_nl_wrong) {
	struct gwnl gw;
	uint64_t handle;
	int64_t digest;
	int64_t generation;
};

FIXTURE_SETUP(gw_nl_wrong)
{
	struct gwnl_rule rule = { .source = SRC, .destination = DST };

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(SRC, ct_vcan_add_at("src", CANXL_MTU, SRC));
	ASSERT_EQ(DST, ct_vcan_add_at("dst", CANXL_MTU, DST));
	ASSERT_EQ(0, gwnl_open(&self->gw));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &self->handle));
	self->digest = gwnl_digest(&self->gw);
	self->generation = gwnl_generation(&self->gw);
	ASSERT_LE(0, self->digest);
}

FIXTURE_TEARDOWN(gw_nl_wrong)
{
	EXPECT_EQ(self->digest, gwnl_digest(&self->gw));
	EXPECT_EQ(self->generation, gwnl_generation(&self->gw));
	gwnl_close(&self->gw);
}

/* valid requests are accepted, so the cases fail for their own reason */
TEST_F(gw_nl_wrong, valid_request_is_accepted)
{
	static const struct refusal none[] = {
		{ .frames = CC, .nest = R(XOR_CHECKSUM), .type = X(INIT),
		  .missing = ".xor-checksum.init" },
		{ .frames = FD, .nest = R(CRC8_CHECKSUM), .type = C(INIT),
		  .missing = ".crc8-checksum.init" },
		{ .frames = XL, .nest = R(SET), .type = O(DATA), .len = 2048 },
		{ .frames = CC, .nest = R(SET), .type = O(DATA), .len = 8 },
		{ .frames = FD, .nest = R(SET), .type = O(DATA), .len = 64 },
		{ .frames = XL, .nest = R(CRC8_CHECKSUM), .type = C(TO),
		  .len = 4, .value = -2048 },
		{ .frames = XL, .nest = R(XOR_CHECKSUM), .type = X(RESULT),
		  .len = 4, .value = 2047 },
		{ .frames = CC, .nest = R(XOR_CHECKSUM), .type = X(FROM),
		  .len = 4, .value = -8 },
		{ .frames = FD, .nest = R(CRC8_CHECKSUM), .type = C(FROM),
		  .len = 4, .value = 63 },
		{ .frames = CC, .type = R(UID), .len = 4, .value = UID },
	};
	struct nlmsghdr *nlh;
	unsigned int guilty, i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		nlh = gwnl_msg(&self->gw, CAN_GW_CMD_RULE_ADD);
		put_request(nlh, &none[i], &guilty);
		EXPECT_EQ(0, gwnl_exec(&self->gw, nlh))
			TH_LOG("%u: %s", i, self->gw.ys->err.msg);
	}
	EXPECT_EQ((int)ARRAY_SIZE(none) + 1,
		  gwnl_handles(&self->gw, NULL, 0));
	self->digest = gwnl_digest(&self->gw);
	self->generation = gwnl_generation(&self->gw);
}

TEST_F(gw_nl_wrong, hop_limit_is_at_most_that_of_the_gateway)
{
	struct gwnl_rule rule = {
		.source = SRC, .destination = DST, .hop_limit = cgw_max_hops(),
	};

	ASSERT_LT(0, cgw_max_hops());
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	ASSERT_EQ(0, gwnl_del(&self->gw, rule.handle));
	self->generation = gwnl_generation(&self->gw);
	rule.handle = 0;
	rule.hop_limit++;
	EXPECT_EQ(-ERANGE, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
}

TEST_F(gw_nl_wrong, source_of_a_rule_does_not_change)
{
	struct gwnl_rule rule = {
		.handle = self->handle, .source = DST, .destination = SRC,
	};

	EXPECT_EQ(-EINVAL, gwnl_replace(&self->gw, &rule));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	/* behind a handle of 32 bits */
	EXPECT_EQ(NLMSG_HDRLEN + 4U + 8U, self->gw.ys->err.attr_offs);
}

TEST_F(gw_nl_wrong, nest_without_its_flag_is_rejected)
{
	struct nlmsghdr *nlh = gwnl_msg(&self->gw, CAN_GW_CMD_RULE_ADD);
	struct nlattr *nest;

	ynl_attr_put_u32(nlh, R(SOURCE), SRC);
	ynl_attr_put_u32(nlh, R(DESTINATION), DST);
	nest = ynl_attr_nest_start(nlh, R(SET));
	ynl_attr_put_u32(nlh, O(ID), 1);
	ynl_attr_nest_end(nlh, nest);
	nest->nla_type &= ~NLA_F_NESTED;
	EXPECT_EQ(-EINVAL, gwnl_exec(&self->gw, nlh));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	EXPECT_EQ(offset_of(nlh, nest), self->gw.ys->err.attr_offs);
}

TEST_F(gw_nl_wrong, trailing_bytes_are_rejected)
{
	struct nlmsghdr *nlh = gwnl_msg(&self->gw, CAN_GW_CMD_RULE_ADD);

	ynl_attr_put_u32(nlh, R(SOURCE), SRC);
	ynl_attr_put_u32(nlh, R(DESTINATION), DST);
	memset(ynl_nlmsg_end_addr(nlh), 0, 4);
	nlh->nlmsg_len += 3;
	EXPECT_EQ(-EINVAL, gwnl_exec(&self->gw, nlh));
}

TEST_F(gw_nl_wrong, interface_of_another_namespace_is_not_known)
{
	struct gwnl_rule rule = { .source = SRC, .destination = OTHER_INDEX };
	int home = ct_netns_get();

	ASSERT_LE(0, home);
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(OTHER_INDEX, ct_vcan_add_at("far", CAN_MTU, OTHER_INDEX));
	ASSERT_EQ(0, ct_netns_set(home));
	EXPECT_EQ(-ENODEV, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	close(home);
}

TEST_F(gw_nl_wrong, dump_with_invalid_criteria_is_rejected)
{
	static const struct {
		uint16_t type;
		uint16_t len;
		uint32_t value;
	} choices[] = {
		{ R(HANDLE), 4, 1 },
		{ R(UID), 4, 1 },
		{ R(SOURCE), 4, 0 },
		{ R(SOURCE), 2, SRC },
		{ R(FRAMES), 4, XL + 1 },
		{ 200, 4, 0 },
	};
	static const int commands[] = {
		CAN_GW_CMD_RULE_GET, CAN_GW_CMD_RULE_RESET,
	};
	struct nlmsghdr *nlh;
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(choices); i++) {
		nlh = gwnl_msg(&self->gw, commands[i % 2]);
		nlh->nlmsg_flags |= NLM_F_DUMP;
		ynl_attr_put(nlh, choices[i / 2].type, &choices[i / 2].value,
			     choices[i / 2].len);
		EXPECT_GT(0, gwnl_exec(&self->gw, nlh))
			TH_LOG("%u", i);
		EXPECT_TRUE(gwnl_explained(&self->gw));
		EXPECT_EQ(NLMSG_HDRLEN + 4U, self->gw.ys->err.attr_offs);
	}
}

TEST_F(gw_nl_wrong, unknown_command_is_rejected)
{
	static const int commands[] = {
		0, CAN_GW_CMD_RULE_ADD_NTF, CAN_GW_CMD_TABLE_NTF,
		CAN_GW_CMD_MAX + 1, 255,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		EXPECT_EQ(-EOPNOTSUPP,
			  gwnl_exec(&self->gw, gwnl_msg(&self->gw,
							commands[i])));
}

TEST_HARNESS_MAIN
