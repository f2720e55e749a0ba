// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of the gateway by its generic netlink family: what is asked for is what
 * there is, and comes back; handles; and who may ask.
 *
 * No frames are sent here: this is about the control plane.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "cantest.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define SRC	10
#define DST	20
#define OTHER	30
#define UID	0xcafe

FIXTURE(gw_nl_rules) {
	struct gwnl gw;
};

FIXTURE_VARIANT(gw_nl_rules) {
	uint32_t frames;
	uint32_t fields;
	uint8_t flags;		/* of a frame */
	uint8_t len;
};

FIXTURE_VARIANT_ADD(gw_nl_rules, cc) {
	.frames = CAN_GW_FRAMES_CC,
	.fields = GWNL_FIELD(ID) | GWNL_FIELD(LEN) | GWNL_FIELD(DATA),
	.len = CAN_MAX_RAW_DLC,
};

FIXTURE_VARIANT_ADD(gw_nl_rules, fd) {
	.frames = CAN_GW_FRAMES_FD,
	.fields = GWNL_FIELD(ID) | GWNL_FIELD(LEN) | GWNL_FIELD(FLAGS) |
		  GWNL_FIELD(DATA),
	.flags = CANFD_BRS | CANFD_ESI | CANFD_FDF,
	.len = CANFD_MAX_DLEN - 1,
};

FIXTURE_VARIANT_ADD(gw_nl_rules, xl) {
	.frames = CAN_GW_FRAMES_XL,
	.fields = GWNL_FIELD(FLAGS) | GWNL_FIELD(PRIO) | GWNL_FIELD(VCID) |
		  GWNL_FIELD(SDT) | GWNL_FIELD(AF) | GWNL_FIELD(DATA),
	.flags = CANXL_SEC,
};

FIXTURE_SETUP(gw_nl_rules)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(SRC, ct_vcan_add_at("src", CANXL_MTU, SRC));
	ASSERT_EQ(DST, ct_vcan_add_at("dst", CANXL_MTU, DST));
	ASSERT_EQ(OTHER, ct_vcan_add_at("other", CANXL_MTU, OTHER));
	ASSERT_EQ(0, gwnl_open(&self->gw));
}

FIXTURE_TEARDOWN(gw_nl_rules)
{
	gwnl_close(&self->gw);
}

static void random_operand(struct gwnl_operand *op, int number,
			   const FIXTURE_VARIANT(gw_nl_rules) *kind,
			   uint32_t *random)
{
	unsigned int i, max = gwnl_max_data(kind->frames);

	op->fields = kind->fields;
	if (op->fields & GWNL_FIELD(ID))
		op->id = ct_random(random) & ~CAN_ERR_FLAG;
	if (op->fields & GWNL_FIELD(LEN))
		op->len = ct_random(random) & kind->len;
	if (op->fields & GWNL_FIELD(FLAGS))
		op->flags = ct_random(random) & kind->flags;
	if (op->fields & GWNL_FIELD(PRIO)) {
		op->prio = ct_random(random) & CANXL_PRIO_MASK;
		op->vcid = ct_random(random);
		op->sdt = ct_random(random);
		op->af = ct_random(random);
	}
	op->data_len = 1 + ct_random(random) % max;
	if (number == GWNL_SET && kind->frames != CAN_GW_FRAMES_XL)
		op->data_len = max;
	for (i = 0; i < op->data_len; i++)
		op->data[i] = ct_random(random);
}

static void random_csum(struct gwnl_csum *csum, int max, uint32_t *random)
{
	csum->given = true;
	csum->from = (int)(ct_random(random) % (2 * max)) - max;
	csum->to = (int)(ct_random(random) % (2 * max)) - max;
	csum->result = (int)(ct_random(random) % (2 * max)) - max;
	csum->init = ct_random(random);
}

/* everything that a rule can have, different for each @seed */
static struct gwnl_rule full_rule(const FIXTURE_VARIANT(gw_nl_rules) *kind,
				  uint32_t seed)
{
	struct gwnl_rule rule = {
		.source = SRC, .destination = DST, .frames = kind->frames,
		.flags = CAN_GW_FLAGS_ECHO | CAN_GW_FLAGS_SRC_TSTAMP |
			 CAN_GW_FLAGS_RETURN,
		.filter_id = 0x123 + seed, .filter_mask = CAN_SFF_MASK,
		.hop_limit = 1, .uid = UID + seed,
	};
	int op, max = gwnl_max_data(kind->frames);
	uint32_t random = 4711 + seed;
	unsigned int i;

	snprintf(rule.name, sizeof(rule.name), "rule number %u", seed);
	for (op = 0; op < GWNL_OPS; op++)
		random_operand(&rule.op[op], op, kind, &random);
	random_csum(&rule.xor, max, &random);
	random_csum(&rule.crc8, max, &random);
	rule.crc8.final = ct_random(&random);
	rule.crc8.profile = 1 + seed % CAN_GW_CRC8_PROFILE_SFFID_XOR;
	for (i = 0; i < sizeof(rule.crc8.table); i++)
		rule.crc8.table[i] = ct_random(&random);
	for (i = 0; i < sizeof(rule.crc8.profile_data); i++)
		rule.crc8.profile_data[i] = ct_random(&random);
	return rule;
}

static struct gwnl_rule plain_rule(const FIXTURE_VARIANT(gw_nl_rules) *kind)
{
	return (struct gwnl_rule){
		.source = SRC, .destination = DST, .frames = kind->frames,
	};
}

struct copy {
	struct gwnl_rule *rules;
	int count;
	int max;
};

static void copy_rule(const struct gwnl_rule *rule, void *data)
{
	struct copy *copy = data;

	if (copy->count < copy->max)
		copy->rules[copy->count++] = *rule;
}

static int dump_all(struct gwnl *gw, struct gwnl_rule *rules, int max)
{
	struct copy copy = { .rules = rules, .max = max };

	return gwnl_dump(gw, CAN_GW_CMD_RULE_GET, NULL, copy_rule, &copy);
}

TEST_F_TIMEOUT(gw_nl_rules, attributes_are_read_back_as_given, 120)
{
	struct gwnl_rule want[3], got, listed[3];
	uint64_t handle[3];
	int i;

	for (i = 0; i < 3; i++) {
		want[i] = full_rule(variant, i);
		ASSERT_EQ(0, gwnl_add(&self->gw, &want[i], &handle[i]))
			TH_LOG("%s", self->gw.ys->err.msg);
		ASSERT_EQ(0, gwnl_get(&self->gw, handle[i], &got));
		EXPECT_STREQ("", gwnl_differs(&want[i], &got));
	}
	/* the newest first */
	ASSERT_EQ(3, dump_all(&self->gw, listed, 3));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(handle[i], listed[2 - i].handle);
		EXPECT_STREQ("", gwnl_differs(&want[i], &listed[2 - i]));
	}
}

/* a socket that has not read anything yet gets the smallest buffer */
TEST_F_TIMEOUT(gw_nl_rules, largest_rules_fit_into_the_first_part_of_a_dump, 60)
{
	struct gwnl_rule want = full_rule(variant, 1), got;
	struct gwnl fresh;
	int op;

	for (op = 0; op < GWNL_OPS; op++)
		want.op[op].data_len = gwnl_max_data(variant->frames);
	ASSERT_EQ(0, gwnl_add(&self->gw, &want, NULL));
	want.uid++;
	ASSERT_EQ(0, gwnl_add(&self->gw, &want, NULL));
	ASSERT_EQ(0, gwnl_open(&fresh));
	ASSERT_EQ(0, gwnl_new_socket(&fresh));
	ASSERT_EQ(2, dump_all(&fresh, &got, 1));
	EXPECT_STREQ("", gwnl_differs(&want, &got));
	gwnl_close(&fresh);
}

#define NOT_GIVEN (GWNL_HAS(NAME) | GWNL_HAS(HOP_LIMIT) | GWNL_HAS(UID) | \
		   GWNL_HAS(AND) | GWNL_HAS(OR) | GWNL_HAS(XOR) | \
		   GWNL_HAS(SET) | GWNL_HAS(CRC8_CHECKSUM) | \
		   GWNL_HAS(XOR_CHECKSUM))

TEST_F(gw_nl_rules, missing_attributes_have_defaults)
{
	struct gwnl_rule want = plain_rule(variant), got;
	uint64_t handle;

	ASSERT_EQ(0, gwnl_add(&self->gw, &want, &handle));
	ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
	EXPECT_STREQ("", gwnl_differs(&want, &got));
	EXPECT_EQ(0U, got.has & NOT_GIVEN);
	EXPECT_EQ(GWNL_HAS(STATS), got.has & GWNL_HAS(STATS));
	EXPECT_EQ(0U, got.stats.matched);
	EXPECT_EQ(0U, got.stats.sent);
	EXPECT_EQ(0U, got.stats.dropped);
	EXPECT_EQ(0U, got.stats.deleted);
	EXPECT_EQ(0U, got.stats.skipped);
}

TEST_F(gw_nl_rules, filter_without_an_id_compares_with_0)
{
	struct gwnl_rule want = plain_rule(variant), got;
	uint64_t handle;

	want.filter_mask = 0x700;
	ASSERT_EQ(0, gwnl_add(&self->gw, &want, &handle));
	ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
	EXPECT_EQ(0U, got.filter_id);
	EXPECT_EQ(0x700U, got.filter_mask);
}

TEST_F(gw_nl_rules, names_may_be_equal_and_31_bytes_long)
{
	struct gwnl_rule want = plain_rule(variant), got;
	uint64_t one, two;

	memset(want.name, 'n', CAN_GW_MAX_NAME_LEN);
	ASSERT_EQ(0, gwnl_add(&self->gw, &want, &one));
	ASSERT_EQ(0, gwnl_add(&self->gw, &want, &two));
	EXPECT_NE(one, two);
	ASSERT_EQ(0, gwnl_get(&self->gw, one, &got));
	EXPECT_STREQ(want.name, got.name);
	ASSERT_EQ(0, gwnl_get(&self->gw, two, &got));
	EXPECT_STREQ(want.name, got.name);
}

TEST_F(gw_nl_rules, handles_are_never_0_and_never_used_again)
{
	struct gwnl_rule rule = plain_rule(variant);
	uint64_t handle, last = 0;
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
		EXPECT_LT(last, handle);
		last = handle;
		if (i % 2)
			ASSERT_EQ(0, gwnl_del(&self->gw, handle));
	}
	EXPECT_EQ(10, gwnl_handles(&self->gw, NULL, 0));
}

TEST_F(gw_nl_rules, handles_are_kept_when_other_rules_change)
{
	struct gwnl_rule rule = plain_rule(variant), got;
	uint64_t handle[3], left[2];
	int i;

	for (i = 0; i < 3; i++) {
		snprintf(rule.name, sizeof(rule.name), "%d", i);
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle[i]));
	}
	ASSERT_EQ(0, gwnl_del(&self->gw, handle[1]));
	rule = full_rule(variant, 1);
	rule.handle = handle[2];
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	ASSERT_EQ(2, gwnl_handles(&self->gw, left, 2));
	EXPECT_EQ(handle[2], left[0]);
	EXPECT_EQ(handle[0], left[1]);
	ASSERT_EQ(0, gwnl_get(&self->gw, handle[0], &got));
	EXPECT_STREQ("0", got.name);
	ASSERT_EQ(0, gwnl_get(&self->gw, handle[2], &got));
	EXPECT_STREQ("", gwnl_differs(&rule, &got));
}

TEST_F_TIMEOUT(gw_nl_rules, replaced_rule_equals_the_new_one, 120)
{
	const FIXTURE_VARIANT(gw_nl_rules) *kinds[] = {
		&_gw_nl_rules_cc_variant, &_gw_nl_rules_fd_variant,
		&_gw_nl_rules_xl_variant, variant,
	};
	struct gwnl_rule rule = full_rule(variant, 0), got;
	uint64_t handle;
	unsigned int i;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		rule = i % 2 ? plain_rule(kinds[i]) : full_rule(kinds[i], i);
		rule.handle = handle;
		rule.destination = OTHER;
		ASSERT_EQ(0, gwnl_replace(&self->gw, &rule))
			TH_LOG("%u: %s", i, self->gw.ys->err.msg);
		ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
		EXPECT_STREQ("", gwnl_differs(&rule, &got));
	}
	EXPECT_EQ(1, gwnl_handles(&self->gw, NULL, 0));
}

/* its own uid is not that of another rule */
TEST_F(gw_nl_rules, replaced_rule_may_keep_its_uid)
{
	struct gwnl_rule rule = full_rule(variant, 0), got;
	uint64_t handle;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	rule.handle = handle;
	rule.filter_id++;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
	EXPECT_EQ(rule.uid, got.uid);

	/* and what was given up may be taken */
	rule.uid++;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	rule.uid--;
	rule.handle = 0;
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	ASSERT_EQ(0, gwnl_del(&self->gw, handle));
	EXPECT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
}

/* 64 bits of a small number are as good as 32 */
TEST_F(gw_nl_rules, handles_are_accepted_with_64_bits)
{
	struct gwnl_rule rule = plain_rule(variant);
	struct nlmsghdr *nlh;
	uint64_t handle;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	nlh = gwnl_msg(&self->gw, CAN_GW_CMD_RULE_DEL);
	ynl_attr_put_u64(nlh, CAN_GW_A_RULE_HANDLE, handle);
	ASSERT_EQ(0, gwnl_exec(&self->gw, nlh));
	EXPECT_EQ(0, gwnl_handles(&self->gw, NULL, 0));
}

static unsigned int only_attr(void)
{
	return NLMSG_HDRLEN + 4;	/* behind struct genlmsghdr */
}

TEST_F(gw_nl_rules, unknown_handle_is_rejected_by_every_command)
{
	struct gwnl_rule rule = plain_rule(variant), got;
	uint64_t handle, missing[3];
	int64_t generation;
	unsigned int i;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &missing[0]));
	ASSERT_EQ(0, gwnl_del(&self->gw, missing[0]));
	missing[1] = handle + 1000;
	missing[2] = handle | 1ULL << 32;
	generation = gwnl_generation(&self->gw);
	for (i = 0; i < ARRAY_SIZE(missing); i++) {
		EXPECT_EQ(-ENOENT, gwnl_del(&self->gw, missing[i]));
		EXPECT_TRUE(gwnl_explained(&self->gw));
		EXPECT_EQ(only_attr(), self->gw.ys->err.attr_offs);
		EXPECT_EQ(-ENOENT, gwnl_get(&self->gw, missing[i], &got));
		EXPECT_TRUE(gwnl_explained(&self->gw));
		EXPECT_EQ(only_attr(), self->gw.ys->err.attr_offs);
		EXPECT_EQ(-ENOENT, gwnl_reset(&self->gw, missing[i], &got));
		EXPECT_TRUE(gwnl_explained(&self->gw));
		EXPECT_EQ(only_attr(), self->gw.ys->err.attr_offs);
		rule.handle = missing[i];
		EXPECT_EQ(-ENOENT, gwnl_replace(&self->gw, &rule));
		EXPECT_TRUE(gwnl_explained(&self->gw));
		EXPECT_EQ(only_attr(), self->gw.ys->err.attr_offs);
	}
	EXPECT_EQ(1, gwnl_handles(&self->gw, NULL, 0));
	EXPECT_EQ(generation, gwnl_generation(&self->gw));
}

TEST_F(gw_nl_rules, command_for_one_rule_needs_a_handle)
{
	struct gwnl_rule rule = plain_rule(variant), got;
	int64_t digest;
	int i, err;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	digest = gwnl_digest(&self->gw);
	for (i = 0; i < 4; i++) {
		err = i == 0 ? gwnl_replace(&self->gw, &rule) :
		      i == 1 ? gwnl_del(&self->gw, 0) :
		      i == 2 ? gwnl_get(&self->gw, 0, &got) :
			       gwnl_reset(&self->gw, 0, &got);
		EXPECT_GT(0, err);
		EXPECT_TRUE(gwnl_explained(&self->gw));
		EXPECT_NE(NULL, strstr(self->gw.ys->err.msg,
				       "missing attribute: .handle"))
			TH_LOG("command %d: %s", i, self->gw.ys->err.msg);
	}
	EXPECT_EQ(digest, gwnl_digest(&self->gw));
}

TEST_F(gw_nl_rules, only_the_given_rule_is_removed)
{
	struct gwnl_rule rule = plain_rule(variant), got;
	uint64_t handle[3], left[2];
	int i;

	/* all the same but for their handles */
	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle[i]));
	ASSERT_EQ(0, gwnl_del(&self->gw, handle[1]));
	EXPECT_EQ(-ENOENT, gwnl_get(&self->gw, handle[1], &got));
	ASSERT_EQ(2, gwnl_handles(&self->gw, left, 2));
	EXPECT_EQ(handle[2], left[0]);
	EXPECT_EQ(handle[0], left[1]);
}

TEST_F(gw_nl_rules, every_change_changes_the_generation)
{
	struct gwnl_rule rule = plain_rule(variant), got;
	struct can_gw_table_get_rsp table;
	uint64_t handle;
	uint32_t before;

	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(0U, table.rules);
	EXPECT_NE(0U, table.limit);
	before = table.generation;
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(1U, table.rules);
	EXPECT_NE(before, table.generation);
	before = table.generation;
	rule.handle = handle;
	rule.destination = OTHER;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &rule));
	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(1U, table.rules);
	EXPECT_NE(before, table.generation);
	before = table.generation;

	/* looking is no change */
	ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
	ASSERT_EQ(1, gwnl_handles(&self->gw, NULL, 0));
	ASSERT_EQ(0, gwnl_table(&self->gw, SRC, &table));
	EXPECT_EQ(1U, table.rules);
	EXPECT_EQ((uint32_t)SRC, table.source);
	ASSERT_EQ(0, gwnl_table(&self->gw, OTHER, &table));
	EXPECT_EQ(0U, table.rules);
	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(before, table.generation);

	ASSERT_EQ(0, gwnl_del(&self->gw, handle));
	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(0U, table.rules);
	EXPECT_NE(before, table.generation);
}

TEST_F(gw_nl_rules, without_cap_net_admin_rules_can_only_be_read)
{
	struct gwnl_rule rule = plain_rule(variant), none = { 0 }, got;
	struct can_gw_table_get_rsp table;
	uint64_t handle;
	int64_t digest;

	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, &handle));
	digest = gwnl_digest(&self->gw);
	ASSERT_EQ(0, ct_net_admin(false));

	/* the socket was opened with it, which is not enough */
	EXPECT_EQ(-EPERM, gwnl_add(&self->gw, &rule, NULL));
	EXPECT_EQ(-EPERM, gwnl_add(&self->gw, &none, NULL));
	rule.handle = handle;
	EXPECT_EQ(-EPERM, gwnl_replace(&self->gw, &rule));
	EXPECT_EQ(-EPERM, gwnl_del(&self->gw, handle));
	EXPECT_EQ(-EPERM, gwnl_reset(&self->gw, handle, &got));
	EXPECT_EQ(-EPERM, gwnl_dump(&self->gw, CAN_GW_CMD_RULE_RESET, NULL,
				    NULL, NULL));
	EXPECT_EQ(-EPERM, gwnl_begin(&self->gw, 0));
	EXPECT_EQ(-EPERM, gwnl_commit(&self->gw, 0, NULL));
	EXPECT_EQ(-EPERM, gwnl_abort(&self->gw));

	EXPECT_EQ(0, gwnl_get(&self->gw, handle, &got));
	EXPECT_EQ(1, gwnl_handles(&self->gw, NULL, 0));
	EXPECT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(1U, table.rules);
	EXPECT_EQ(digest, gwnl_digest(&self->gw));
	ASSERT_EQ(0, ct_net_admin(true));
	EXPECT_EQ(0, gwnl_del(&self->gw, handle));
}

TEST_HARNESS_MAIN
