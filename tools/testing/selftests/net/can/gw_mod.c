// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CAN gateway's modifications (AND, OR, XOR, SET on identifier, length, data and
 * flags) of Classical CAN and CAN FD frames, and the frames that are not modified. All
 * bytes of a received frame, padding included, are compared with the model in
 * gw_model.h.
 *
 * gw_path.h describes how frames pass. The gateway has counted a frame when the
 * test can read the one after it.
 *
 * To show that no frame is received, a sentinel is sent after it: a frame of the
 * other kind, with a rule of its own, so that it does not depend on the rule under
 * test.
 */
#define _GNU_SOURCE
#include <libmnl/libmnl.h>
#include <linux/can/raw.h>
#include <linux/rtnetlink.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "cgw.h"
#include "gw_model.h"
#include "gw_path.h"

#define SENTINEL_ID	0x7AA
#define LONG_TEST	400	/* seconds: thousands of rules, emulated */

static const struct can_filter sentinel_only = {
	.can_id = SENTINEL_ID,
	.can_mask = CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG,
};

FIXTURE(gw_mod) { };

/* a kind of frames */
FIXTURE_VARIANT(gw_mod)
{
	size_t mtu;
	__u16 flags;	/* of rules for such frames */
	__u8 types;	/* every element that such frames have */
};

FIXTURE_VARIANT_ADD(gw_mod, cc)
{
	.mtu = CAN_MTU, .flags = 0,
	.types = CGW_MOD_ID | CGW_MOD_DLC | CGW_MOD_DATA,
};

FIXTURE_VARIANT_ADD(gw_mod, fd)
{
	.mtu = CANFD_MTU, .flags = CGW_FLAGS_CAN_FD,
	.types = CGW_MOD_ID | CGW_MOD_LEN | CGW_MOD_DATA | CGW_MOD_FLAGS,
};

/* of this test, which is a process */
static const FIXTURE_VARIANT(gw_mod) *kind;
static struct gw_path path;

FIXTURE_SETUP(gw_mod)
{
	struct cgw_rule sentinel = {
		.flags = variant->flags ^ CGW_FLAGS_CAN_FD,
		.filter = &sentinel_only,
	};

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");
	kind = variant;
	ASSERT_EQ(0, gw_path_open(&path, CANXL_MAX_MTU));

	sentinel.src = path.src;
	sentinel.dst = path.dst;
	ASSERT_EQ(0, cgw_add(&sentinel));
}

FIXTURE_TEARDOWN(gw_mod) { }

static struct cgw_rule new_rule(void)
{
	return (struct cgw_rule) {
		.src = path.src,
		.dst = path.dst,
		.flags = kind->flags,
	};
}

static struct cgw_mod *rule_mod(struct cgw_rule *rule, int op)
{
	struct cgw_mod *mods[] = {
		[CGW_MOD_AND] = &rule->and, [CGW_MOD_OR] = &rule->or,
		[CGW_MOD_XOR] = &rule->xor, [CGW_MOD_SET] = &rule->set,
	};

	return mods[op];
}

/*
 * Operands hold a value in every element, also in those that are not to be
 * modified, and in the padding, which never is. None sets CAN_ERR_FLAG, and no
 * combination makes a length impossible.
 */
static void set_operand(struct cgw_rule *rule, int op, __u8 type)
{
	static const struct {
		canid_t id;
		__u8 cc_len;
		__u8 fd_len;
		__u8 flags;
		__u8 data;
	} operands[] = {
		[CGW_MOD_AND] = { 0xDFFF0F4F, 0x0E, 0x2C, 0xF1, 0xA5 },
		[CGW_MOD_OR]  = { 0x40030101, 0x01, 0x03, 0x42, 0x18 },
		[CGW_MOD_XOR] = { 0x91000155, 0x05, 0x11, 0x93, 0x5F },
		[CGW_MOD_SET] = { 0xC1234567, 0x0B, 0x14, 0x20, 0xC3 },
	};
	struct cgw_mod *mod = rule_mod(rule, op);
	unsigned int i;

	memset(mod, 0xEE, sizeof(*mod));
	mod->type = type;
	mod->cf.can_id = operands[op].id;
	mod->cf.len = operands[op].cc_len;
	if (rule->flags & CGW_FLAGS_CAN_FD) {
		mod->cf.len = operands[op].fd_len;
		mod->cf.flags = operands[op].flags;
	}
	for (i = 0; i < CANFD_MAX_DLEN; i++)
		mod->cf.data[i] = operands[op].data ^ i * 3;
}

/*
 * Various frames. Padding and the bytes after the length have values of their own.
 * Among them are a len8_dlc without a meaning, and CAN FD lengths without a DLC.
 */
#define SAMPLES	16

static void sample(union gw_model_frame *frame, size_t mtu, unsigned int number)
{
	static const struct {
		canid_t id;
		__u8 cc_len;
		__u8 cc_dlc;
		__u8 fd_len;
		__u8 flags;
	} samples[SAMPLES] = {
		{ 0x123, 8, 0, 60, CANFD_FDF },
		{ 0x12345678 | CAN_EFF_FLAG, 5, 0, 12, CANFD_BRS },
		{ 0x7FF | CAN_RTR_FLAG, 8, 15, 63, 0xFF },
		{ 0x000, 0, 0, 0, 0 },
		{ 0x1FFFFFFF | CAN_EFF_FLAG, 1, 0, 1, CANFD_ESI },
		{ 0x1FFFFFFF | CAN_EFF_FLAG | CAN_RTR_FLAG, 8, 9, 8, 0x80 },
		{ 0x000 | CAN_RTR_FLAG, 0, 0, 20, 0x40 },
		{ 0x000 | CAN_EFF_FLAG, 2, 0, 7, 0x20 },
		{ 0x000 | CAN_EFF_FLAG | CAN_RTR_FLAG, 7, 0, 9, 0x10 },
		{ 0x555, 8, 12, 33, 0x08 },
		{ 0x2AA, 8, 8, 16, CANFD_BRS | CANFD_ESI },
		{ 0x321, 8, 16, 24, CANFD_FDF | CANFD_BRS },
		{ 0x322, 8, 255, 32, CANFD_FDF | CANFD_ESI },
		{ 0x323, 3, 9, 48, 0xF0 },
		{ 0x15555555, 4, 0, 3, 0x0F },	/* SFF, but 29 bits */
		{ 0x6FF, 6, 255, 62, 0x55 },
	};
	unsigned int i;

	memset(frame, 0, sizeof(*frame));
	for (i = 0; i < mtu; i++)
		frame->raw[i] = 0x80 | (i * 7 + number * 29);

	frame->fd.can_id = samples[number].id;
	frame->fd.len = samples[number].fd_len;
	frame->fd.flags = samples[number].flags;
	if (mtu == CAN_MTU) {
		frame->cc.len = samples[number].cc_len;
		frame->cc.len8_dlc = samples[number].cc_dlc;
		frame->cc.__pad = 0x51;
		frame->cc.__res0 = 0x52;
	}
}

static void samples(union gw_model_frame *frames, size_t mtu,
		    unsigned int count)
{
	while (count--)
		sample(&frames[count], mtu, count);
}

static void expect(struct __test_metadata *_metadata,
		   const union gw_model_frame *expected, size_t mtu)
{
	char hex[2 * CANFD_MTU + 1];
	union gw_model_frame got;

	memset(&got, 0, sizeof(got));
	ASSERT_EQ((ssize_t)mtu,
		  ct_recv(path.rx, &got, sizeof(got), CT_TIMEOUT_MS));
	if (memcmp(&got, expected, mtu)) {
		TH_LOG("expected: %s", gw_model_hex(hex, expected, mtu));
		TH_LOG("received: %s", gw_model_hex(hex, &got, mtu));
	}
	ASSERT_EQ(0, memcmp(&got, expected, mtu));
}

/* the sentinel is the next frame that the gateway sends */
static void expect_no_more(struct __test_metadata *_metadata)
{
	union gw_model_frame frame = { };
	size_t mtu = CAN_MTU;

	if (kind->mtu == CAN_MTU) {
		ct_fdframe(&frame.fd, SENTINEL_ID, 64, NULL);
		mtu = CANFD_MTU;
	} else {
		ct_frame(&frame.cc, SENTINEL_ID, 8, NULL);
	}
	ASSERT_EQ(0, ct_send(path.tx, &frame, mtu));
	expect(_metadata, &frame, mtu);
}

/* a new rule makes @expected of @frame, without the model */
static void try_frame(struct __test_metadata *_metadata,
		      const struct cgw_rule *rule,
		      const union gw_model_frame *frame,
		      const union gw_model_frame *expected)
{
	ASSERT_EQ(0, cgw_add(rule));
	ASSERT_EQ(0, ct_send(path.tx, frame, kind->mtu));
	expect(_metadata, expected, kind->mtu);
	expect_no_more(_metadata);
	ASSERT_EQ(0, cgw_del(rule));
}

struct counts {
	int sent;
	int deleted;
};

/* send frames through the only rule, expect the result of the model */
static struct counts pass(struct __test_metadata *_metadata,
			  const struct cgw_rule *rule,
			  const union gw_model_frame *frames,
			  unsigned int count)
{
	struct counts counts = { 0 };
	union gw_model_frame frame;
	unsigned int i;

	for (i = 0; i < count; i++)
		ASSERT_EQ(0, ct_send(path.tx, &frames[i],
				     kind->mtu));

	for (i = 0; i < count; i++) {
		frame = frames[i];
		switch (gw_model_apply(rule, &frame, kind->mtu)) {
		case GW_MODEL_SENT:
			expect(_metadata, &frame, kind->mtu);
			counts.sent++;
			break;
		case GW_MODEL_DELETED:
			counts.deleted++;
			break;
		default:
			break;
		}
	}

	expect_no_more(_metadata);
	return counts;
}

/* the counters of the rule under test, which is the only one of its kind */
static void expect_counts(struct __test_metadata *_metadata,
			  struct counts counts)
{
	struct cgw_entry entries[2];
	int i, found = 0;

	ASSERT_EQ(2, cgw_list(entries, 2));
	for (i = 0; i < 2; i++) {
		if (entries[i].rule.flags != kind->flags)
			continue;

		ASSERT_EQ(counts.sent, (int)entries[i].handled);
		ASSERT_EQ(counts.deleted, (int)entries[i].deleted);
		ASSERT_EQ(0, (int)entries[i].dropped);
		found++;
	}
	ASSERT_EQ(1, found);
}

/* pass() with a new rule, which is removed again */
static struct counts try_rule(struct __test_metadata *_metadata,
			      const struct cgw_rule *rule,
			      const union gw_model_frame *frames,
			      unsigned int count)
{
	struct counts counts;

	ASSERT_EQ(0, cgw_add(rule));
	counts = pass(_metadata, rule, frames, count);
	ASSERT_EQ(0, cgw_del(rule));
	return counts;
}

TEST_F(gw_mod, rule_without_modification_leaves_frames_unchanged)
{
	struct cgw_rule rule = new_rule();
	union gw_model_frame frames[SAMPLES], frame;
	struct counts counts;
	unsigned int i;

	ASSERT_EQ(0, cgw_add(&rule));
	samples(frames, variant->mtu, SAMPLES);
	for (i = 0; i < SAMPLES; i++)
		ASSERT_EQ(0, ct_send(path.tx, &frames[i], variant->mtu));
	for (i = 0; i < SAMPLES; i++) {
		frame = frames[i];
		/* the socket does this, not the gateway */
		if (variant->mtu == CANFD_MTU)
			frame.fd.flags |= CANFD_FDF;
		expect(_metadata, &frame, variant->mtu);
	}

	counts = pass(_metadata, &rule, frames, SAMPLES);
	ASSERT_EQ(SAMPLES, counts.sent);
	counts.sent += SAMPLES;
	expect_counts(_metadata, counts);
}

/* also with CGW_MOD_FLAGS in Classical CAN rules, where it means nothing */
TEST_F_TIMEOUT(gw_mod, one_operation_on_any_elements, LONG_TEST)
{
	union gw_model_frame frames[SAMPLES];
	struct cgw_rule rule;
	struct counts counts;
	__u8 type;
	int op;

	samples(frames, variant->mtu, SAMPLES);
	for (op = CGW_MOD_AND; op <= CGW_MOD_SET; op++) {
		for (type = 1; type < 16; type++) {
			rule = new_rule();
			set_operand(&rule, op, type);
			counts = try_rule(_metadata, &rule, frames, SAMPLES);
			ASSERT_EQ(SAMPLES, counts.sent);
		}
	}
}

static void put_op(struct nlmsghdr *nlh, struct cgw_rule *rule, int op)
{
	const struct cgw_mod *mod = rule_mod(rule, op);
	struct cgw_fdframe_mod fd = { .cf = mod->cf, .modtype = mod->type };
	struct cgw_frame_mod cc = { .modtype = mod->type };

	if (rule->flags & CGW_FLAGS_CAN_FD) {
		mnl_attr_put(nlh, op - CGW_MOD_AND + CGW_FDMOD_AND,
			     sizeof(fd), &fd);
	} else {
		memcpy(&cc.cf, &mod->cf, sizeof(cc.cf));
		mnl_attr_put(nlh, op, sizeof(cc), &cc);
	}
}

/* RTM_NEWROUTE with the operations in the given order */
static int add_in_order(struct cgw_rule *rule, const int *ops, int count)
{
	char buf[CGW_MSG_SIZE];
	struct nlmsghdr *nlh = cgw_msg(buf, RTM_NEWROUTE, rule->flags);
	int i;

	mnl_attr_put_u32(nlh, CGW_DST_IF, rule->dst);
	for (i = 0; i < count; i++)
		put_op(nlh, rule, ops[i]);
	mnl_attr_put_u32(nlh, CGW_SRC_IF, rule->src);
	return ct_nl(nlh);
}

/* Return: whether the digits of @number are @count different operations */
static bool sequence(int number, int ops[CGW_MOD_FUNCS], int count)
{
	int i, seen = 0;

	for (i = 0; i < count; i++) {
		ops[i] = CGW_MOD_AND + number % CGW_MOD_FUNCS;
		number /= CGW_MOD_FUNCS;
		if (seen & 1 << ops[i])
			return false;
		seen |= 1 << ops[i];
	}
	return !number;
}

#define SEQUENCES	(4 + 4 * 3 + 4 * 3 * 2 + 4 * 3 * 2 * 1)

TEST_F_TIMEOUT(gw_mod, order_of_attributes_does_not_matter, LONG_TEST)
{
	int number, count, i, found = 0, ops[CGW_MOD_FUNCS];
	union gw_model_frame frames[3];
	struct cgw_rule rule;
	__u8 type;

	samples(frames, variant->mtu, 3);
	for (count = 1; count <= CGW_MOD_FUNCS; count++) {
		for (number = 0; number < 256; number++) {
			if (!sequence(number, ops, count))
				continue;

			found++;
			for (type = 1; type <= variant->types; type++) {
				rule = new_rule();
				for (i = 0; i < count; i++)
					set_operand(&rule, ops[i], type);
				ASSERT_EQ(0, add_in_order(&rule, ops, count));
				pass(_metadata, &rule, frames, 3);
				ASSERT_EQ(0, cgw_del(&rule));
			}
		}
	}
	ASSERT_EQ(SEQUENCES, found);
}

/*
 * Every combination for Classical CAN (8 to the power of 4). For CAN FD there are 16
 * times more: every 37th of them has every value for every operation.
 */
TEST_F_TIMEOUT(gw_mod, each_operation_has_its_own_elements, LONG_TEST)
{
	unsigned int values = variant->types + 1, number, rest;
	unsigned int step = variant->mtu == CANFD_MTU ? 37 : 1;
	unsigned int end = values * values * values * values;
	union gw_model_frame frames[2];
	struct cgw_rule rule;
	int op;

	samples(frames, variant->mtu, 2);
	for (number = 0; number < end; number += step) {
		rule = new_rule();
		rest = number;
		for (op = CGW_MOD_AND; op <= CGW_MOD_SET; op++) {
			set_operand(&rule, op, rest % values);
			rest /= values;
		}
		try_rule(_metadata, &rule, frames, 2);
	}
}

/*
 * The length (Classical CAN: the DLC, raw or not) combined with every operand.
 * Frames that become too long are deleted and counted so.
 */
TEST_F_TIMEOUT(gw_mod, every_length_with_every_operand, LONG_TEST)
{
	static const __u8 fd_lengths[] = {
		0, 1, 2, 7, 8, 9, 12, 15, 16, 20, 31, 32, 33, 48, 63, 64
	};
	union gw_model_frame frames[16];
	struct counts counts;
	struct cgw_rule rule;
	unsigned int i, value;
	int op;

	for (i = 0; i < 16; i++) {
		sample(&frames[i], variant->mtu, 0);
		if (variant->mtu == CANFD_MTU) {
			frames[i].fd.len = fd_lengths[i];
			continue;
		}
		frames[i].cc.len = i < 8 ? i : 8;
		frames[i].cc.len8_dlc = i > 8 ? i : 0;
	}

	for (op = CGW_MOD_AND; op <= CGW_MOD_SET; op++) {
		for (value = 0; value < 256; value++) {
			rule = new_rule();
			*rule_mod(&rule, op) = (struct cgw_mod){
				.type = CGW_MOD_LEN, .cf.len = value,
			};
			ASSERT_EQ(0, cgw_add(&rule));
			counts = pass(_metadata, &rule, frames, 16);
			ASSERT_EQ(16, counts.sent + counts.deleted);
			expect_counts(_metadata, counts);
			ASSERT_EQ(0, cgw_del(&rule));
		}
	}
}

/* the limits, without the help of the model */
TEST_F(gw_mod, longest_possible_frame_is_sent_and_longer_one_deleted)
{
	__u8 longest = variant->mtu == CAN_MTU ? CAN_MAX_RAW_DLC :
						 CANFD_MAX_DLEN;
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;

	sample(&frame, variant->mtu, 0);
	expected = frame;
	expected.fd.len = variant->mtu - offsetof(struct canfd_frame, data);
	if (variant->mtu == CAN_MTU)
		expected.cc.len8_dlc = CAN_MAX_RAW_DLC;
	rule.set.type = CGW_MOD_LEN;

	rule.set.cf.len = longest;
	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, ct_send(path.tx, &frame, variant->mtu));
	expect(_metadata, &expected, variant->mtu);
	expect_no_more(_metadata);
	expect_counts(_metadata, (struct counts) { .sent = 1 });
	ASSERT_EQ(0, cgw_del(&rule));

	rule.set.cf.len = longest + 1;
	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, ct_send(path.tx, &frame, variant->mtu));
	expect_no_more(_metadata);
	expect_counts(_metadata, (struct counts) { .deleted = 1 });
}

TEST_F(gw_mod, length_may_be_impossible_between_operations)
{
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;

	sample(&frame, variant->mtu, 0);
	expected = frame;

	rule.or = (struct cgw_mod){ .type = CGW_MOD_LEN, .cf.len = 255 };
	rule.xor = (struct cgw_mod){ .type = CGW_MOD_LEN, .cf.len = 255 ^ 5 };
	expected.fd.len = 5;
	try_frame(_metadata, &rule, &frame, &expected);

	rule.set = (struct cgw_mod){ .type = CGW_MOD_LEN, .cf.len = 7 };
	expected.fd.len = 7;
	try_frame(_metadata, &rule, &frame, &expected);
}

/* the bytes after the length are modified, and may become part of the frame */
TEST_F(gw_mod, data_after_the_length_is_modified_too)
{
	struct cgw_rule rule = new_rule();
	size_t header = offsetof(struct canfd_frame, data), i;
	union gw_model_frame frame, expected;

	sample(&frame, variant->mtu, 3);
	ASSERT_EQ(0, frame.fd.len);
	expected = frame;
	for (i = header; i < variant->mtu; i++)
		expected.raw[i] ^= 0x3C;
	expected.fd.len = 8;
	if (variant->mtu == CANFD_MTU)
		expected.fd.flags |= CANFD_FDF;

	rule.xor.type = CGW_MOD_DATA;
	memset(rule.xor.cf.data, 0x3C, CANFD_MAX_DLEN);
	rule.set = (struct cgw_mod){ .type = CGW_MOD_LEN, .cf.len = 8 };
	try_frame(_metadata, &rule, &frame, &expected);
}

TEST_F(gw_mod, identifier_flags_can_change)
{
	static const struct {
		int op;
		canid_t operand;
		canid_t before;
		canid_t after;
	} cases[] = {
		{ CGW_MOD_AND, 0x7FFFFFFF, 0x92345678, 0x12345678 },
		{ CGW_MOD_AND, 0xBFFFFFFF, 0x40000123, 0x00000123 },
		{ CGW_MOD_AND, 0xC00007FF, 0xD2345678, 0xC0000678 },
		{ CGW_MOD_OR, CAN_EFF_FLAG, 0x00000123, 0x80000123 },
		{ CGW_MOD_OR, CAN_RTR_FLAG, 0x92345678, 0xD2345678 },
		{ CGW_MOD_OR, 0x1FFFF800, 0x00000123, 0x1FFFF923 },
		{ CGW_MOD_XOR, 0xC0000000, 0x40000123, 0x80000123 },
		{ CGW_MOD_XOR, 0xC0000000, 0x92345678, 0x52345678 },
		{ CGW_MOD_SET, 0x00000001, 0xDFFFFFFF, 0x00000001 },
		{ CGW_MOD_SET, 0xDFFFFFFF, 0x00000000, 0xDFFFFFFF },
	};
	union gw_model_frame frame, expected;
	struct cgw_rule rule;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		rule = new_rule();
		*rule_mod(&rule, cases[i].op) = (struct cgw_mod){
			.type = CGW_MOD_ID, .cf.can_id = cases[i].operand,
		};
		sample(&frame, variant->mtu, 0);
		expected = frame;
		frame.fd.can_id = cases[i].before;
		expected.fd.can_id = cases[i].after;
		try_frame(_metadata, &rule, &frame, &expected);
	}
}

TEST_F(gw_mod, frame_can_become_an_error_frame)
{
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;

	ASSERT_EQ(0, ct_raw_set(path.rx, CAN_RAW_ERR_FILTER,
				CAN_ERR_MASK));
	sample(&frame, variant->mtu, 0);
	expected = frame;
	expected.fd.can_id |= CAN_ERR_FLAG;

	rule.or.type = CGW_MOD_ID;
	rule.or.cf.can_id = CAN_ERR_FLAG;
	try_frame(_metadata, &rule, &frame, &expected);
}

TEST_F(gw_mod, error_frame_can_become_a_data_frame)
{
	const struct can_filter errors = {
		.can_mask = CAN_ERR_FLAG | CAN_ERR_MASK,
	};
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;

	sample(&frame, variant->mtu, 0);
	expected = frame;
	frame.fd.can_id |= CAN_ERR_FLAG;

	rule.filter = &errors;
	rule.and.type = CGW_MOD_ID;
	rule.and.cf.can_id = ~CAN_ERR_FLAG;
	try_frame(_metadata, &rule, &frame, &expected);
}

/* can_send() marks every CAN FD frame again; the other flags are the rule's */
TEST_F(gw_mod, flags_of_fd_frames_change_except_fdf)
{
	static const __u8 flags[] = { CANFD_BRS, 0 };
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected;
	unsigned int i;

	if (variant->mtu == CAN_MTU)
		SKIP(return, "Classical CAN frames have no flags");

	sample(&frame, CANFD_MTU, 0);
	frame.fd.flags = CANFD_FDF | CANFD_ESI;
	expected = frame;
	rule.set.type = CGW_MOD_FLAGS;
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		rule.set.cf.flags = flags[i];
		expected.fd.flags = CANFD_FDF | flags[i];
		try_frame(_metadata, &rule, &frame, &expected);
	}
}

/* such rules are accepted, and do the same as a rule without modification */
TEST_F(gw_mod, elements_that_do_not_exist_are_no_modification)
{
	const __u8 unknown = ~(CGW_MOD_ID | CGW_MOD_LEN | CGW_MOD_DATA |
			       CGW_MOD_FLAGS);
	union gw_model_frame frames[SAMPLES];
	struct counts counts;
	struct cgw_rule rule;
	int op;

	samples(frames, variant->mtu, SAMPLES);
	for (op = CGW_MOD_AND; op <= CGW_MOD_SET; op++) {
		rule = new_rule();
		set_operand(&rule, op, unknown);
		ASSERT_FALSE(gw_model_modifies(&rule));
		counts = try_rule(_metadata, &rule, frames, SAMPLES);
		ASSERT_EQ(SAMPLES, counts.sent);

		/* the attribute is there, but names no element at all */
		set_operand(&rule, op, 0);
		ASSERT_EQ(0, add_in_order(&rule, &op, 1));
		counts = pass(_metadata, &rule, frames, SAMPLES);
		ASSERT_EQ(SAMPLES, counts.sent);
		ASSERT_EQ(0, cgw_flush());
		rule = new_rule();
		rule.flags ^= CGW_FLAGS_CAN_FD;
		rule.filter = &sentinel_only;
		ASSERT_EQ(0, cgw_add(&rule));
	}
}

/* CGW_FDMOD_* mean nothing without CGW_FLAGS_CAN_FD, CGW_MOD_* with it */
TEST_F(gw_mod, attributes_of_the_other_kind_are_no_modification)
{
	struct cgw_rule rule = new_rule(), other = rule;
	union gw_model_frame frames[SAMPLES];
	char buf[CGW_MSG_SIZE];
	struct nlmsghdr *nlh;
	struct counts counts;
	int op;

	samples(frames, variant->mtu, SAMPLES);
	other.flags ^= CGW_FLAGS_CAN_FD;
	for (op = CGW_MOD_AND; op <= CGW_MOD_SET; op++)
		set_operand(&other, op, variant->types);
	nlh = cgw_msg(buf, RTM_NEWROUTE, variant->flags);
	cgw_put_rule(nlh, &other);
	ASSERT_EQ(0, ct_nl(nlh));

	counts = pass(_metadata, &rule, frames, SAMPLES);
	ASSERT_EQ(SAMPLES, counts.sent);
	ASSERT_EQ(0, cgw_del(&rule));
}

TEST_F(gw_mod, frames_of_the_other_kind_are_ignored)
{
	size_t other = variant->mtu ^ CAN_MTU ^ CANFD_MTU;
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, copy;
	unsigned int i;

	set_operand(&rule, CGW_MOD_SET, variant->types);
	ASSERT_EQ(0, cgw_add(&rule));
	for (i = 0; i < SAMPLES; i++) {
		sample(&frame, other, i);
		copy = frame;
		ASSERT_TRUE(gw_model_apply(&rule, &copy, other) ==
			    GW_MODEL_IGNORED);
		ASSERT_EQ(0, ct_send(path.tx, &frame, other));
	}
	expect_no_more(_metadata);
	expect_counts(_metadata, (struct counts) { 0 });
}

/* among them frames as large as the structures of both other kinds */
TEST_F(gw_mod, xl_frames_are_ignored)
{
	static const __u16 lengths[] = {
		1, CAN_MTU - CANXL_HDR_SIZE, 8, CANFD_MTU - CANXL_HDR_SIZE,
		64, CANXL_MAX_DLEN
	};
	struct cgw_rule rule = new_rule();
	struct canxl_frame frame;
	unsigned int i;

	ASSERT_EQ(0, ct_raw_set(path.tx, CAN_RAW_XL_FRAMES, 1));
	ASSERT_EQ(0, ct_raw_set(path.rx, CAN_RAW_XL_FRAMES, 1));
	set_operand(&rule, CGW_MOD_SET, variant->types);
	ASSERT_EQ(0, cgw_add(&rule));
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		memset(&frame, 0, sizeof(frame));
		frame.flags = CANXL_XLF;
		frame.len = lengths[i];
		ASSERT_EQ(0, ct_send(path.tx, &frame,
				     CANXL_HDR_SIZE + lengths[i]));
	}
	expect_no_more(_metadata);
	expect_counts(_metadata, (struct counts) { 0 });
}

TEST_F(gw_mod, source_still_sees_the_original_frame)
{
	struct cgw_rule rule = new_rule();
	union gw_model_frame frame, expected, got;
	unsigned int i;
	int listener;

	listener = CT_OK(ct_raw_open_fd(path.src));
	set_operand(&rule, CGW_MOD_SET, variant->types);
	ASSERT_EQ(0, cgw_add(&rule));

	for (i = 0; i < SAMPLES; i++) {
		sample(&frame, variant->mtu, i);
		ASSERT_EQ(0, ct_send(path.tx, &frame, variant->mtu));
		expected = frame;
		ASSERT_TRUE(gw_model_apply(&rule, &expected, variant->mtu) ==
			    GW_MODEL_SENT);
		expect(_metadata, &expected, variant->mtu);

		if (variant->mtu == CANFD_MTU)
			frame.fd.flags |= CANFD_FDF;
		ASSERT_EQ((ssize_t)variant->mtu,
			  ct_recv(listener, &got, sizeof(got), CT_TIMEOUT_MS));
		ASSERT_EQ(0, memcmp(&frame, &got, variant->mtu));
	}
}

/* the same bytes in every run */
static void random_bytes(void *to, size_t len, __u32 *state)
{
	__u8 *byte = to;

	while (len--)
		*byte++ = ct_random(state) >> 8;
}

/* small lengths are more frequent, so that not everything is deleted */
static __u8 random_length(__u32 *state)
{
	__u8 length = ct_random(state) >> 8;

	return length >> ct_random(state) % 8;
}

TEST_F_TIMEOUT(gw_mod, random_rules_and_frames, LONG_TEST)
{
	int i, number, sent = 0, deleted = 0;
	__u8 longest = variant->mtu - 8;
	union gw_model_frame frames[8];
	struct counts counts;
	struct cgw_rule rule;
	struct cgw_mod *mod;
	__u32 state = 20;
	int op;

	for (number = 0; number < 500; number++) {
		rule = new_rule();
		for (op = CGW_MOD_AND; op <= CGW_MOD_SET; op++) {
			mod = rule_mod(&rule, op);
			random_bytes(&mod->cf, sizeof(mod->cf), &state);
			mod->type = ct_random(&state) >> 8;
			mod->cf.can_id &= ~CAN_ERR_FLAG;
			mod->cf.len = random_length(&state);
			if (op == CGW_MOD_AND)
				mod->cf.len = ~mod->cf.len;
		}
		for (i = 0; i < 8; i++) {
			random_bytes(&frames[i], variant->mtu, &state);
			frames[i].fd.can_id &= ~CAN_ERR_FLAG;
			frames[i].fd.len %= longest + 1;
		}
		counts = try_rule(_metadata, &rule, frames, 8);
		sent += counts.sent;
		deleted += counts.deleted;
	}

	/* some frames were sent, and some deleted */
	ASSERT_LT(400, sent);
	ASSERT_LT(400, deleted);
}

TEST_HARNESS_MAIN
