// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the gateway makes of CAN XL frames: every frame that comes out is compared
 * with what the specification says, byte by byte.
 *
 * Frames enter at the vcan interface "src", and leave through the vxcan
 * interface "dst" to its peer "far". The test stays on one CPU, so that they pass
 * one queue, in order.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>

#include <linux/can.h>
#include <linux/can/raw.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_model.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define PRIO	0x123
#define ROUNDS	200	/* or CAN_GW_ROUNDS */

/* lengths at the ends of what there is, and around words and copies */
static const int lengths[] = {
	1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 127, 255, 256, 257, 1023,
	1024, 1500, 2040, 2041, 2047, 2048,
};

FIXTURE(gw_nl_xl) {
	struct gwnl gw;
	int src, dst;
	int tx, rx;
	uint64_t handle;
};

FIXTURE_SETUP(gw_nl_xl)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(0, ct_pin_cpu());
	self->src = ct_vcan_add("src", CANXL_MTU);
	ASSERT_LT(0, self->src);
	self->dst = ct_vxcan_add("dst", "far", -1, CANXL_MTU);
	ASSERT_LT(0, self->dst);
	self->tx = ct_raw_open_xl(self->src);
	ASSERT_LE(0, self->tx);
	self->rx = ct_raw_open_xl(if_nametoindex("far"));
	ASSERT_LE(0, self->rx);
	ASSERT_EQ(0, gwnl_open(&self->gw));
}

FIXTURE_TEARDOWN(gw_nl_xl)
{
	gwnl_close(&self->gw);
	close(self->tx);
	close(self->rx);
}

static int send_xl(int fd, const struct canxl_frame *frame)
{
	return ct_send(fd, frame, CANXL_HDR_SIZE + frame->len);
}

static void random_bytes(uint8_t *bytes, int len, uint32_t *random)
{
	int i;

	for (i = 0; i < len; i++)
		bytes[i] = ct_random(random);
}

static void random_frame(struct canxl_frame *frame, int len, uint32_t *random)
{
	memset(frame, 0, sizeof(*frame));
	frame->prio = ct_random(random) & CANXL_PRIO_MASK;
	frame->prio |= (ct_random(random) & CANXL_VCID_VAL_MASK) <<
		       CANXL_VCID_OFFSET;
	frame->flags = CANXL_XLF | (ct_random(random) & CANXL_SEC);
	frame->sdt = ct_random(random);
	frame->af = ct_random(random);
	frame->len = len;
	random_bytes(frame->data, len, random);
}

/* The reference */

static uint32_t combine(int op, uint32_t have, uint32_t with)
{
	switch (op) {
	case GWNL_AND:
		return have & with;
	case GWNL_OR:
		return have | with;
	case GWNL_XOR:
		return have ^ with;
	}
	return with;
}

static void apply_operand(struct canxl_frame *frame, int op,
			  const struct gwnl_operand *with)
{
	uint32_t prio = frame->prio & CANXL_PRIO_MASK;
	uint32_t vcid = frame->prio >> CANXL_VCID_OFFSET & CANXL_VCID_VAL_MASK;
	unsigned int i;

	if (with->fields & GWNL_FIELD(PRIO))
		prio = combine(op, prio, with->prio) & CANXL_PRIO_MASK;
	if (with->fields & GWNL_FIELD(VCID))
		vcid = combine(op, vcid, with->vcid) & CANXL_VCID_VAL_MASK;
	frame->prio = prio | vcid << CANXL_VCID_OFFSET;
	if (with->fields & GWNL_FIELD(SDT))
		frame->sdt = combine(op, frame->sdt, with->sdt);
	if (with->fields & GWNL_FIELD(AF))
		frame->af = combine(op, frame->af, with->af);
	if (with->fields & GWNL_FIELD(FLAGS))
		frame->flags = (frame->flags & ~CANXL_SEC) |
			       (combine(op, frame->flags, with->flags) &
				CANXL_SEC);
	if (!(with->fields & GWNL_FIELD(DATA)))
		return;
	for (i = 0; i < with->data_len && i < frame->len; i++)
		frame->data[i] = combine(op, frame->data[i], with->data[i]);
}

/* Return: false when the frame does not have one of the places. */
static bool csum_bytes(const struct gwnl_csum *csum, int len, int at[3])
{
	const int32_t given[3] = { csum->from, csum->to, csum->result };
	int i;

	for (i = 0; i < 3; i++) {
		at[i] = given[i] < 0 ? len + given[i] : given[i];
		if (at[i] < 0 || at[i] >= len)
			return false;
	}
	return true;
}

static void apply_xor(struct canxl_frame *frame, const struct gwnl_csum *csum)
{
	uint8_t sum = csum->init;
	int at[3], i, step;

	if (!csum->given || !csum_bytes(csum, frame->len, at))
		return;
	step = at[0] <= at[1] ? 1 : -1;
	for (i = at[0]; i != at[1] + step; i += step)
		sum ^= frame->data[i];
	frame->data[at[2]] = sum;
}

static void apply_crc8(struct canxl_frame *frame, const struct gwnl_csum *csum)
{
	uint32_t prio = frame->prio & CANXL_PRIO_MASK;
	uint8_t crc = csum->init;
	int at[3], i, step;

	if (!csum->given || !csum_bytes(csum, frame->len, at) ||
	    (csum->profile == CAN_GW_CRC8_PROFILE_16U8 && frame->len < 2))
		return;
	step = at[0] <= at[1] ? 1 : -1;
	for (i = at[0]; i != at[1] + step; i += step)
		crc = csum->table[crc ^ frame->data[i]];
	switch (csum->profile) {
	case CAN_GW_CRC8_PROFILE_1U8:
		crc = csum->table[crc ^ csum->profile_data[0]];
		break;
	case CAN_GW_CRC8_PROFILE_16U8:
		crc = csum->table[crc ^
				  csum->profile_data[frame->data[1] & 15]];
		break;
	case CAN_GW_CRC8_PROFILE_SFFID_XOR:
		crc = csum->table[crc ^ ((prio ^ prio >> 8) & 0xff)];
		break;
	}
	frame->data[at[2]] = crc ^ csum->final;
}

static void apply(struct canxl_frame *frame, const struct gwnl_rule *rule)
{
	int op;

	for (op = 0; op < GWNL_OPS; op++)
		apply_operand(frame, op, &rule->op[op]);
	apply_crc8(frame, &rule->crc8);
	apply_xor(frame, &rule->xor);
}

/* Rules */

static struct gwnl_rule plain(const FIXTURE_DATA(gw_nl_xl) *self)
{
	return (struct gwnl_rule){
		.source = self->src, .destination = self->dst,
		.frames = CAN_GW_FRAMES_XL,
	};
}

static void random_operand(struct gwnl_operand *op, uint32_t *random)
{
	static const int data_lens[] = { 1, 7, 8, 9, 64, 1000, 2047, 2048 };

	memset(op, 0, sizeof(*op));
	op->fields = ct_random(random) &
		     (GWNL_FIELD(PRIO) | GWNL_FIELD(VCID) | GWNL_FIELD(SDT) |
		      GWNL_FIELD(AF) | GWNL_FIELD(FLAGS) | GWNL_FIELD(DATA));
	op->prio = ct_random(random) & CANXL_PRIO_MASK;
	op->vcid = ct_random(random);
	op->sdt = ct_random(random);
	op->af = ct_random(random);
	op->flags = ct_random(random) & CANXL_SEC;
	op->data_len = data_lens[ct_random(random) % ARRAY_SIZE(data_lens)];
	random_bytes(op->data, op->data_len, random);
}

static void random_csum(struct gwnl_csum *csum, int len, uint32_t *random)
{
	int i, place[3];

	memset(csum, 0, sizeof(*csum));
	csum->given = ct_random(random) % 2;
	/* most often in the frame, and one behind either end */
	for (i = 0; i < 3; i++)
		place[i] = (int)(ct_random(random) % (2 * len + 2)) - len - 1;
	for (i = 0; i < 3; i++) {
		if (place[i] < -CANXL_MAX_DLEN || place[i] >= CANXL_MAX_DLEN)
			place[i] = 0;
	}
	csum->from = place[0];
	csum->to = place[1];
	csum->result = place[2];
	csum->init = ct_random(random);
	csum->final = ct_random(random);
	csum->profile = ct_random(random) % 4;
	random_bytes(csum->profile_data, sizeof(csum->profile_data), random);
	gw_model_crc8_table(csum->table, 0x1d);
}

static void expect_frame(struct __test_metadata *_metadata,
			 FIXTURE_DATA(gw_nl_xl) *self,
			 const struct canxl_frame *sent,
			 const struct gwnl_rule *rule)
{
	struct canxl_frame want = *sent, got;
	ssize_t len;
	int i;

	apply(&want, rule);
	ASSERT_EQ(0, send_xl(self->tx, sent));
	len = ct_recv(self->rx, &got, sizeof(got), CT_TIMEOUT_MS);
	ASSERT_EQ((ssize_t)CANXL_HDR_SIZE + sent->len, len);
	EXPECT_EQ(want.prio, got.prio);
	EXPECT_EQ(want.flags, got.flags);
	EXPECT_EQ(want.sdt, got.sdt);
	EXPECT_EQ(want.len, got.len);
	EXPECT_EQ(want.af, got.af);
	for (i = 0; i < want.len && want.data[i] == got.data[i]; i++)
		;
	EXPECT_EQ(want.len, i)
		TH_LOG("byte %d of %d is %02x and not %02x, it was %02x", i,
		       want.len, got.data[i], want.data[i], sent->data[i]);
}

TEST_F_TIMEOUT(gw_nl_xl, frames_are_routed_unchanged, 60)
{
	struct gwnl_rule rule = plain(self);
	struct canxl_frame frame;
	uint32_t random = 12;
	unsigned int i;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		random_frame(&frame, lengths[i], &random);
		expect_frame(_metadata, self, &frame, &rule);
	}
}

/* one operation, one field, every length */
TEST_F_TIMEOUT(gw_nl_xl, one_field_is_changed_and_no_other, 300)
{
	struct gwnl_rule rule = plain(self);
	struct canxl_frame frame;
	uint32_t random = 34;
	int op, field;
	unsigned int i;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	for (op = 0; op < GWNL_OPS; op++) {
		for (field = CAN_GW_A_OPERAND_FLAGS;
		     field <= CAN_GW_A_OPERAND_DATA; field++) {
			memset(rule.op, 0, sizeof(rule.op));
			random_operand(&rule.op[op], &random);
			rule.op[op].fields = 1U << field;
			ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
			for (i = 0; i < ARRAY_SIZE(lengths); i += 4) {
				random_frame(&frame, lengths[i], &random);
				expect_frame(_metadata, self, &frame, &rule);
			}
		}
	}
}

/* data of an operand may be shorter than that of a frame, and longer */
TEST_F_TIMEOUT(gw_nl_xl, data_of_any_length_is_applied_to_frames_of_any_length, 300)
{
	static const int data_lens[] = { 1, 5, 8, 11, 16, 65, 1024, 2047, 2048 };
	struct gwnl_rule rule = plain(self);
	struct canxl_frame frame;
	uint32_t random = 56;
	unsigned int i, j;
	int op;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	for (i = 0; i < ARRAY_SIZE(data_lens); i++) {
		op = i % GWNL_OPS;
		memset(rule.op, 0, sizeof(rule.op));
		rule.op[op].fields = GWNL_FIELD(DATA);
		rule.op[op].data_len = data_lens[i];
		random_bytes(rule.op[op].data, data_lens[i], &random);
		ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			random_frame(&frame, lengths[j], &random);
			expect_frame(_metadata, self, &frame, &rule);
		}
	}
}

TEST_F_TIMEOUT(gw_nl_xl, all_operations_and_checksums_come_one_after_the_other, 600)
{
	int rounds = ct_env("CAN_GW_ROUNDS", ROUNDS), i, op, len;
	struct gwnl_rule rule = plain(self);
	struct canxl_frame frame;
	uint32_t random = 78;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	for (i = 0; i < rounds; i++) {
		len = lengths[ct_random(&random) % ARRAY_SIZE(lengths)];
		for (op = 0; op < GWNL_OPS; op++)
			random_operand(&rule.op[op], &random);
		random_csum(&rule.crc8, len, &random);
		random_csum(&rule.xor, len, &random);
		rule.xor.final = 0;
		rule.xor.profile = 0;
		ASSERT_EQ(0, gwnl_replace(&self->gw, &rule))
			TH_LOG("round %d: %s", i, self->gw.ys->err.msg);
		random_frame(&frame, len, &random);
		expect_frame(_metadata, self, &frame, &rule);
		random_frame(&frame, 1 + ct_random(&random) % 2048, &random);
		expect_frame(_metadata, self, &frame, &rule);
		ASSERT_TRUE(__test_passed(_metadata))
			TH_LOG("round %d", i);
	}
}

TEST_F_TIMEOUT(gw_nl_xl, rule_may_have_only_a_checksum, 60)
{
	struct gwnl_rule rule = plain(self);
	struct canxl_frame frame;
	uint32_t random = 90;
	unsigned int i;

	rule.xor = (struct gwnl_csum){
		.given = true, .from = 0, .to = -2, .result = -1, .init = 0x5a,
	};
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL))
		TH_LOG("%s", self->gw.ys->err.msg);
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		random_frame(&frame, lengths[i], &random);
		expect_frame(_metadata, self, &frame, &rule);
	}
}

/* a place at the far end, which only the longest frame has */
TEST_F_TIMEOUT(gw_nl_xl, checksum_needs_all_of_its_bytes, 60)
{
	static const int32_t ends[][3] = {
		{ -2048, -2, -1 }, { 0, 2046, 2047 }, { 2047, -2048, 1024 },
		{ 0, 0, 255 }, { 255, 0, -256 }, { -1, -1, -1 },
	};
	struct gwnl_rule rule = plain(self);
	struct canxl_frame frame;
	uint32_t random = 91;
	unsigned int i, j;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		rule.op[GWNL_XOR].fields = GWNL_FIELD(SDT);
		rule.op[GWNL_XOR].sdt = 0xff;
		rule.crc8 = (struct gwnl_csum){
			.given = true, .from = ends[i][0], .to = ends[i][1],
			.result = ends[i][2],
		};
		gw_model_crc8_table(rule.crc8.table, 0x2f);
		rule.xor = (struct gwnl_csum){
			.given = true, .from = ends[i][1], .to = ends[i][0],
			.result = ends[i][2], .init = i,
		};
		ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
		for (j = 0; j < ARRAY_SIZE(lengths); j++) {
			random_frame(&frame, lengths[j], &random);
			expect_frame(_metadata, self, &frame, &rule);
		}
	}
}

/* what others see of the frame is not changed by the rule */
TEST_F(gw_nl_xl, other_receivers_get_the_original_frame)
{
	struct gwnl_rule rule = plain(self);
	struct canxl_frame frame, got;
	uint32_t random = 92;
	int other = ct_raw_open_xl(self->src);

	ASSERT_LE(0, other);
	rule.op[GWNL_XOR] = (struct gwnl_operand){
		.fields = GWNL_FIELD(DATA) | GWNL_FIELD(PRIO),
		.prio = 0x7ff, .data_len = CAN_GW_MAX_DATA,
	};
	memset(rule.op[GWNL_XOR].data, 0xff, CAN_GW_MAX_DATA);
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	random_frame(&frame, 1000, &random);
	expect_frame(_metadata, self, &frame, &rule);
	ASSERT_EQ((ssize_t)CANXL_HDR_SIZE + 1000,
		  ct_recv(other, &got, sizeof(got), CT_TIMEOUT_MS));
	EXPECT_EQ(0, memcmp(&frame, &got, CANXL_HDR_SIZE + 1000));
	close(other);
}

/* Kinds of frames and filters. The frame that is routed is the last one sent. */

static void send_prio(struct __test_metadata *_metadata, int fd, uint32_t prio)
{
	struct canxl_frame frame = {
		.prio = prio, .flags = CANXL_XLF, .len = 20,
	};

	ASSERT_EQ(0, send_xl(fd, &frame));
}

/* the identifier or priority of the next frame, and with it which kind it is */
static uint32_t next_frame(int fd, ssize_t *len)
{
	struct canxl_frame frame;

	*len = ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS);
	return frame.prio;
}

TEST_F(gw_nl_xl, rule_for_xl_routes_no_other_frames)
{
	struct gwnl_rule rule = plain(self), got;
	struct canfd_frame fd;
	ssize_t len;

	rule.op[GWNL_OR].fields = GWNL_FIELD(PRIO);
	rule.op[GWNL_OR].prio = 0x400;
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	ct_fdframe(&fd, PRIO, 64, NULL);
	ASSERT_EQ(0, ct_send_id(self->tx, PRIO));
	ASSERT_EQ(0, ct_send(self->tx, &fd, sizeof(fd)));
	send_prio(_metadata, self->tx, PRIO);
	EXPECT_EQ(PRIO | 0x400U, next_frame(self->rx, &len));
	EXPECT_EQ((ssize_t)CANXL_HDR_SIZE + 20, len);
	ASSERT_EQ(0, gwnl_matched(&self->gw, rule.handle, 3, &got));
	EXPECT_EQ(3U, got.stats.matched);
	EXPECT_EQ(1U, got.stats.sent);
	EXPECT_EQ(2U, got.stats.skipped);
}

TEST_F(gw_nl_xl, rules_for_other_frames_route_no_xl_frames)
{
	struct cgw_rule cc = { .src = self->src, .dst = self->dst };
	struct cgw_rule fd = cc;
	struct canfd_frame frame;
	ssize_t len;

	fd.flags = CGW_FLAGS_CAN_FD;
	ASSERT_EQ(0, cgw_add(&cc));
	ASSERT_EQ(0, cgw_add(&fd));
	send_prio(_metadata, self->tx, PRIO);
	ASSERT_EQ(0, ct_send_id(self->tx, PRIO + 1));
	EXPECT_EQ(PRIO + 1U, next_frame(self->rx, &len));
	EXPECT_EQ((ssize_t)CAN_MTU, len);
	send_prio(_metadata, self->tx, PRIO);
	ct_fdframe(&frame, PRIO + 2, 64, NULL);
	ASSERT_EQ(0, ct_send(self->tx, &frame, sizeof(frame)));
	EXPECT_EQ(PRIO + 2U, next_frame(self->rx, &len));
	EXPECT_EQ((ssize_t)CANFD_MTU, len);
}

/* a rule for each kind: the frames are told apart by their lengths only */
TEST_F(gw_nl_xl, each_kind_of_frames_has_its_rule)
{
	struct gwnl_rule rule = plain(self);
	struct canfd_frame fd;
	ssize_t len;

	for (rule.frames = 0; rule.frames <= CAN_GW_FRAMES_XL; rule.frames++) {
		memset(rule.op, 0, sizeof(rule.op));
		rule.op[GWNL_OR].fields = rule.frames == CAN_GW_FRAMES_XL ?
					  GWNL_FIELD(PRIO) : GWNL_FIELD(ID);
		rule.op[GWNL_OR].id = 0x400 << rule.frames & 0x7ff;
		rule.op[GWNL_OR].prio = 0x200;
		if (rule.frames == CAN_GW_FRAMES_FD)
			rule.op[GWNL_OR].id = 0x8;
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	}
	ASSERT_EQ(0, ct_send_id(self->tx, PRIO));
	EXPECT_EQ(PRIO | 0x400U, next_frame(self->rx, &len));
	EXPECT_EQ((ssize_t)CAN_MTU, len);
	ct_fdframe(&fd, PRIO, 64, NULL);
	ASSERT_EQ(0, ct_send(self->tx, &fd, sizeof(fd)));
	EXPECT_EQ(PRIO | 0x8U, next_frame(self->rx, &len));
	EXPECT_EQ((ssize_t)CANFD_MTU, len);
	send_prio(_metadata, self->tx, PRIO);
	EXPECT_EQ(PRIO | 0x200U, next_frame(self->rx, &len));
	EXPECT_EQ((ssize_t)CANXL_HDR_SIZE + 20, len);
}

TEST_F(gw_nl_xl, filter_compares_priority_and_vcid)
{
	static const struct {
		uint32_t id, mask;
		uint32_t yes[2], no[2];
	} filters[] = {
		/* one priority, of any virtual network */
		{ PRIO, 0x7ff, { PRIO, 0x550000 | PRIO },
		  { PRIO + 1, 0x550000 | (PRIO + 1) } },
		/* a range of them */
		{ 0x100, 0x700, { 0x100, 0x1ff }, { 0x200, 0x0ff } },
		/* a virtual network, and a bit of its number */
		{ 0x550000, 0xff0000, { 0x550123, 0x550000 },
		  { 0x540123, 0x123 } },
		{ 0x10000, 0x10000, { 0x550000, 0x10123 },
		  { 0x540000, 0x123 } },
		/* both */
		{ 0x550000 | PRIO, 0xff07ff,
		  { 0x550000 | PRIO, 0x550000 | PRIO },
		  { 0x540000 | PRIO, 0x550000 | (PRIO + 1) } },
		/* the bits that no frame has are compared, too */
		{ 0x550000 | PRIO, 0xdfffffff,
		  { 0x550000 | PRIO, 0x550000 | PRIO },
		  { 0x540000 | PRIO, 0x550000 | (PRIO + 1) } },
		{ 0x550000 | PRIO, 0x80ff07ff,
		  { 0x550000 | PRIO, 0x550000 | PRIO },
		  { 0x540000 | PRIO, 0x550000 | (PRIO + 1) } },
		/* all but one */
		{ CAN_INV_FILTER | PRIO, 0x7ff, { PRIO + 1, 0x55000f },
		  { PRIO, 0x550000 | PRIO } },
		{ 0, 0, { 0, 0xff07ff }, { 0, 0 } },
	};
	struct gwnl_rule rule = plain(self), got;
	uint64_t matched = 0;
	unsigned int i, j;
	ssize_t len;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		rule.filter_id = filters[i].id;
		rule.filter_mask = filters[i].mask;
		rule.has = GWNL_HAS(FILTER_MASK);
		ASSERT_EQ(0, gwnl_replace(&self->gw, &rule))
			TH_LOG("%u: %s", i, self->gw.ys->err.msg);
		for (j = 0; j < 2; j++) {
			if (filters[i].mask) {
				send_prio(_metadata, self->tx,
					  filters[i].no[j]);
			}
			send_prio(_metadata, self->tx, filters[i].yes[j]);
			EXPECT_EQ(filters[i].yes[j], next_frame(self->rx, &len))
				TH_LOG("filter %u", i);
			matched++;
		}
	}
	ASSERT_EQ(0, gwnl_matched(&self->gw, rule.handle, matched, &got));
	EXPECT_EQ(matched, got.stats.matched);
}

/* a destination that takes no frames of this length */
TEST_F(gw_nl_xl, destination_with_a_smaller_mtu_drops_frames)
{
	struct gwnl_rule rule = plain(self), got;
	int small = ct_vcan_add("small", CANFD_MTU);

	ASSERT_LT(0, small);
	rule.destination = small;
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &rule.handle));
	send_prio(_metadata, self->tx, PRIO);
	ASSERT_EQ(0, gwnl_matched(&self->gw, rule.handle, 1, &got));
	EXPECT_EQ(0U, got.stats.sent);
	EXPECT_EQ(1U, got.stats.dropped);
}

/* it ends at the gateway's limit, and at that of the rule */
TEST_F(gw_nl_xl, hop_limit_ends_a_loop)
{
	struct gwnl_rule there = plain(self), back = plain(self), got;
	int max_hops = cgw_max_hops(), i;
	ssize_t len;

	ASSERT_LT(0, max_hops);
	there.flags = CAN_GW_FLAGS_ECHO | CAN_GW_FLAGS_RETURN;
	back.flags = CAN_GW_FLAGS_ECHO | CAN_GW_FLAGS_RETURN;
	there.destination = ct_vcan_add("loop", CANXL_MTU);
	ASSERT_LT(0, (int)there.destination);
	back.source = there.destination;
	back.destination = self->src;
	ASSERT_EQ(0, gwnl_add(&self->gw, &there, &there.handle));
	ASSERT_EQ(0, gwnl_add(&self->gw, &back, &back.handle));
	close(self->rx);
	self->rx = ct_raw_open_xl(there.destination);
	ASSERT_LE(0, self->rx);
	send_prio(_metadata, self->tx, PRIO);
	EXPECT_EQ((uint32_t)PRIO, next_frame(self->rx, &len));
	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		uint64_t deleted;

		ASSERT_EQ(0, gwnl_get(&self->gw, there.handle, &got));
		deleted = got.stats.deleted;
		ASSERT_EQ(0, gwnl_get(&self->gw, back.handle, &got));
		deleted += got.stats.deleted;
		if (deleted)
			break;
		usleep(1000);
	}
	EXPECT_LT(i, CT_TIMEOUT_MS);
}

TEST_HARNESS_MAIN
