// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gateway has two control planes, rtnetlink and the generic netlink family.
 * Rules are the same in both, except that rtnetlink does not have those for
 * CAN XL frames.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/gw.h>

#include "cantest.h"
#include "cgw.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define SRC	10
#define DST	20
#define OTHER	30
#define UID	0xcafe
#define SFF_ONE	(CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG)

FIXTURE(gw_nl_both) {
	struct gwnl gw;
};

FIXTURE_VARIANT(gw_nl_both) {
	bool fd;
};

FIXTURE_VARIANT_ADD(gw_nl_both, cc) {
	.fd = false,
};

FIXTURE_VARIANT_ADD(gw_nl_both, fd) {
	.fd = true,
};

FIXTURE_SETUP(gw_nl_both)
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

FIXTURE_TEARDOWN(gw_nl_both)
{
	gwnl_close(&self->gw);
}

/* A rule with everything, as each of the two has it. */

struct both {
	struct can_filter filter;
	struct cgw_csum_xor csum_xor;
	struct cgw_csum_crc8 csum_crc8;
	struct cgw_rule old;
	struct gwnl_rule new;
};

static void fill_operand(struct both *both, bool fd, int op, uint32_t *random)
{
	struct cgw_mod * const mods[] = {
		&both->old.and, &both->old.or, &both->old.xor, &both->old.set,
	};
	struct gwnl_operand *new = &both->new.op[op];
	struct cgw_mod *old = mods[op];
	unsigned int i;

	new->fields = GWNL_FIELD(ID) | GWNL_FIELD(LEN) | GWNL_FIELD(DATA);
	old->type = CGW_MOD_ID | CGW_MOD_LEN | CGW_MOD_DATA;
	if (fd) {
		new->fields |= GWNL_FIELD(FLAGS);
		old->type |= CGW_MOD_FLAGS;
		new->flags = ct_random(random) &
			     (CANFD_BRS | CANFD_ESI | CANFD_FDF);
		old->cf.flags = new->flags;
	}
	new->id = ct_random(random) & ~CAN_ERR_FLAG;
	old->cf.can_id = new->id;
	new->len = ct_random(random) % 9;
	old->cf.len = new->len;
	new->data_len = fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
	for (i = 0; i < new->data_len; i++) {
		new->data[i] = ct_random(random);
		old->cf.data[i] = new->data[i];
	}
}

static void fill_csums(struct both *both, uint32_t *random)
{
	struct gwnl_csum *xor = &both->new.xor, *crc8 = &both->new.crc8;
	unsigned int i;

	*xor = (struct gwnl_csum){
		.given = true, .from = 1, .to = -2, .result = -1, .init = 0x55,
	};
	both->csum_xor = (struct cgw_csum_xor){
		.from_idx = 1, .to_idx = -2, .result_idx = -1,
		.init_xor_val = 0x55,
	};
	*crc8 = (struct gwnl_csum){
		.given = true, .from = -8, .to = 6, .result = 7, .init = 0x12,
		.final = 0x34, .profile = CAN_GW_CRC8_PROFILE_16U8,
	};
	both->csum_crc8 = (struct cgw_csum_crc8){
		.from_idx = -8, .to_idx = 6, .result_idx = 7,
		.init_crc_val = 0x12, .final_xor_val = 0x34,
		.profile = CGW_CRC8PRF_16U8,
	};
	for (i = 0; i < sizeof(crc8->table); i++) {
		crc8->table[i] = ct_random(random);
		both->csum_crc8.crctab[i] = crc8->table[i];
	}
	for (i = 0; i < sizeof(crc8->profile_data); i++) {
		crc8->profile_data[i] = ct_random(random);
		both->csum_crc8.profile_data[i] = crc8->profile_data[i];
	}
	both->old.csum_xor = &both->csum_xor;
	both->old.csum_crc8 = &both->csum_crc8;
}

static void fill_both(struct both *both, bool fd)
{
	uint32_t random = 4242;
	int op;

	memset(both, 0, sizeof(*both));
	both->old = (struct cgw_rule){
		.src = SRC, .dst = DST, .filter = &both->filter,
		.flags = CGW_FLAGS_CAN_ECHO | CGW_FLAGS_CAN_SRC_TSTAMP |
			 CGW_FLAGS_CAN_IIF_TX_OK,
		.limit_hops = 1, .uid = UID,
	};
	if (fd)
		both->old.flags |= CGW_FLAGS_CAN_FD;
	both->filter = (struct can_filter){ 0x123, CAN_SFF_MASK };
	both->new = (struct gwnl_rule){
		.source = SRC, .destination = DST,
		.frames = fd ? CAN_GW_FRAMES_FD : CAN_GW_FRAMES_CC,
		.flags = CAN_GW_FLAGS_ECHO | CAN_GW_FLAGS_SRC_TSTAMP |
			 CAN_GW_FLAGS_RETURN,
		.filter_id = 0x123, .filter_mask = CAN_SFF_MASK,
		.hop_limit = 1, .uid = UID,
	};
	for (op = 0; op < GWNL_OPS; op++)
		fill_operand(both, fd, op, &random);
	fill_csums(both, &random);
}

static bool same_mod(const struct cgw_mod *a, const struct cgw_mod *b)
{
	return a->type == b->type && !memcmp(&a->cf, &b->cf, sizeof(a->cf));
}

static const char *differs(const struct cgw_rule *want,
			   const struct cgw_rule *got)
{
	if (want->src != got->src || want->dst != got->dst)
		return "interfaces";
	if (want->flags != got->flags)
		return "flags";
	if (!got->filter || memcmp(want->filter, got->filter,
				   sizeof(*got->filter)))
		return "filter";
	if (want->limit_hops != got->limit_hops)
		return "hop limit";
	if (want->uid != got->uid)
		return "uid";
	if (!same_mod(&want->and, &got->and) || !same_mod(&want->or, &got->or) ||
	    !same_mod(&want->xor, &got->xor) || !same_mod(&want->set, &got->set))
		return "operands";
	if (!got->csum_xor || memcmp(want->csum_xor, got->csum_xor,
				     sizeof(*got->csum_xor)))
		return "xor checksum";
	if (!got->csum_crc8 || memcmp(want->csum_crc8, got->csum_crc8,
				      sizeof(*got->csum_crc8)))
		return "crc8 checksum";
	return "";
}

TEST_F(gw_nl_both, rule_of_the_family_is_listed_by_rtnetlink)
{
	struct cgw_entry entry;
	struct both both;

	fill_both(&both, variant->fd);
	ASSERT_EQ(0, gwnl_add(&self->gw, &both.new, NULL))
		TH_LOG("%s", self->gw.ys->err.msg);
	ASSERT_EQ(1, cgw_list(&entry, 1));
	EXPECT_STREQ("", differs(&both.old, &entry.rule));
}

TEST_F(gw_nl_both, rule_of_rtnetlink_is_listed_by_the_family)
{
	struct gwnl_rule got;
	struct both both;
	uint64_t handle;

	fill_both(&both, variant->fd);
	ASSERT_EQ(0, cgw_add(&both.old));
	ASSERT_EQ(1, gwnl_handles(&self->gw, &handle, 1));
	EXPECT_NE(0U, handle);
	ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
	EXPECT_STREQ("", gwnl_differs(&both.new, &got));
	EXPECT_EQ(0U, got.has & GWNL_HAS(NAME));

	/* each finds and removes what the other one has made */
	ASSERT_EQ(0, gwnl_del(&self->gw, handle));
	EXPECT_EQ(0, cgw_list(NULL, 0));
	ASSERT_EQ(0, gwnl_add(&self->gw, &both.new, &handle));
	ASSERT_EQ(0, cgw_del(&both.old));
	EXPECT_EQ(-ENOENT, gwnl_get(&self->gw, handle, &got));
}

TEST_F(gw_nl_both, update_by_uid_keeps_handle_name_and_counters)
{
	struct gwnl_rule got;
	struct both both;
	uint64_t handle;

	fill_both(&both, variant->fd);
	gwnl_set_name(&both.new, "mine");
	ASSERT_EQ(0, gwnl_add(&self->gw, &both.new, &handle));
	both.old.set.cf.data[0] ^= 0xff;
	ASSERT_EQ(0, cgw_add(&both.old));
	ASSERT_EQ(1, gwnl_handles(&self->gw, NULL, 0));
	ASSERT_EQ(0, gwnl_get(&self->gw, handle, &got));
	both.new.op[GWNL_SET].data[0] ^= 0xff;
	EXPECT_STREQ("", gwnl_differs(&both.new, &got));
}

TEST_F(gw_nl_both, rtnetlink_finds_the_replaced_rule)
{
	struct cgw_rule now = { .src = SRC, .dst = OTHER };
	struct both both;

	fill_both(&both, variant->fd);
	ASSERT_EQ(0, gwnl_add(&self->gw, &both.new, &both.new.handle));
	both.new = (struct gwnl_rule){
		.handle = both.new.handle, .source = SRC, .destination = OTHER,
		.frames = both.new.frames,
	};
	if (variant->fd)
		now.flags = CGW_FLAGS_CAN_FD;
	ASSERT_EQ(0, gwnl_replace(&self->gw, &both.new));
	EXPECT_EQ(-EINVAL, cgw_del(&both.old));
	/* its uid is free again: this is a new rule */
	ASSERT_EQ(0, cgw_add(&both.old));
	EXPECT_EQ(2, cgw_list(NULL, 0));
	EXPECT_EQ(0, cgw_del(&now));
	EXPECT_EQ(0, cgw_del(&both.old));
	EXPECT_EQ(0, gwnl_handles(&self->gw, NULL, 0));
}

TEST_F(gw_nl_both, uid_is_unique_across_both)
{
	struct both both;

	fill_both(&both, variant->fd);
	ASSERT_EQ(0, cgw_add(&both.old));
	EXPECT_EQ(-EEXIST, gwnl_add(&self->gw, &both.new, NULL));
	EXPECT_TRUE(gwnl_explained(&self->gw));
	both.new.frames = CAN_GW_FRAMES_XL;
	memset(both.new.op, 0, sizeof(both.new.op));
	both.new.op[GWNL_SET].fields = GWNL_FIELD(PRIO);
	EXPECT_EQ(-EEXIST, gwnl_add(&self->gw, &both.new, NULL));

	/* and an XL rule is not what cgw updates */
	ASSERT_EQ(0, cgw_flush());
	ASSERT_EQ(0, gwnl_add(&self->gw, &both.new, NULL));
	EXPECT_GT(0, cgw_add(&both.old));
	EXPECT_EQ(1, gwnl_handles(&self->gw, NULL, 0));
}

/* the same rules, and those for CAN XL where rtnetlink must not see them */
TEST_F(gw_nl_both, rules_for_xl_are_hidden_from_rtnetlink)
{
	struct gwnl_rule rule = {
		.source = SRC, .destination = DST,
		.frames = variant->fd ? CAN_GW_FRAMES_FD : CAN_GW_FRAMES_CC,
	}, xl = {
		.source = SRC, .destination = DST, .frames = CAN_GW_FRAMES_XL,
	};
	struct cgw_rule plain = { .src = SRC, .dst = DST };
	struct can_gw_table_get_rsp table;
	struct cgw_entry entry;
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, gwnl_add(&self->gw, &xl, NULL));
	EXPECT_EQ(0, cgw_list(NULL, 0));
	xl.source = OTHER;
	ASSERT_EQ(0, gwnl_add(&self->gw, &rule, NULL));
	ASSERT_EQ(0, gwnl_add(&self->gw, &xl, NULL));
	ASSERT_EQ(1, cgw_list(&entry, 1));
	EXPECT_EQ(variant->fd ? CGW_FLAGS_CAN_FD : 0, entry.rule.flags);
	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(5U, table.rules);
	ASSERT_EQ(0, gwnl_table(&self->gw, SRC, &table));
	EXPECT_EQ(4U, table.rules);
	ASSERT_EQ(0, gwnl_table(&self->gw, OTHER, &table));
	EXPECT_EQ(1U, table.rules);

	/* nor can it remove one of them, but all */
	if (variant->fd)
		plain.flags = CGW_FLAGS_CAN_FD;
	EXPECT_EQ(0, cgw_del(&plain));
	EXPECT_EQ(-EINVAL, cgw_del(&plain));
	plain.src = OTHER;
	EXPECT_EQ(-EINVAL, cgw_del(&plain));
	EXPECT_EQ(4, gwnl_handles(&self->gw, NULL, 0));
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EQ(0, gwnl_handles(&self->gw, NULL, 0));
	ASSERT_EQ(0, gwnl_table(&self->gw, 0, &table));
	EXPECT_EQ(0U, table.rules);
}

TEST_F(gw_nl_both, two_namespaces_have_two_tables)
{
	struct both both;
	struct gwnl away;
	uint64_t handle;
	int home;

	fill_both(&both, variant->fd);
	ASSERT_EQ(0, gwnl_add(&self->gw, &both.new, &handle));
	home = ct_netns_get();
	ASSERT_LE(0, home);
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(SRC, ct_vcan_add_at("src", CANXL_MTU, SRC));
	ASSERT_EQ(DST, ct_vcan_add_at("dst", CANXL_MTU, DST));
	ASSERT_EQ(0, gwnl_open(&away));
	EXPECT_EQ(0, gwnl_handles(&away, NULL, 0));
	EXPECT_EQ(-ENOENT, gwnl_del(&away, handle));

	/* the same uid is another rule there */
	ASSERT_EQ(0, gwnl_add(&away, &both.new, NULL));
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EQ(0, gwnl_handles(&away, NULL, 0));
	EXPECT_EQ(1, gwnl_handles(&self->gw, NULL, 0));
	ASSERT_EQ(0, ct_netns_set(home));
	EXPECT_EQ(1, cgw_list(NULL, 0));
	gwnl_close(&away);
	close(home);
}

/* Who asks for the family gets it, if the kernel has to load it or not. */
TEST(family_is_loaded_by_its_name)
{
	struct gwnl gw;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	if (!ct_own_machine())
		SKIP(return, CT_NOT_OWN);
	if (system("rmmod can_gw 2>/dev/null"))
		SKIP(return, "can-gw cannot be removed");
	ASSERT_EQ(0, gwnl_open(&gw));
	EXPECT_EQ(0, access("/sys/module/can_gw", F_OK));
	gwnl_close(&gw);
}

TEST_HARNESS_MAIN
