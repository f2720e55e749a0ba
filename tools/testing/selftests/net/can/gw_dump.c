// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of rules: a dump shows every rule once, as it was configured and
 * newest first, however many there are; deletion takes the first rule that is
 * equal in everything, or nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "cgw.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define ID	0x100
#define UID	0xcafe

/* a rule together with the objects that it points to */
struct full_rule {
	struct cgw_rule rule;
	struct can_filter filter;
	struct cgw_csum_xor csum_xor;
	struct cgw_csum_crc8 csum_crc8;
};

/* bytes that differ from each other and from one @seed to the next */
static void pattern(void *to, size_t len, unsigned int seed)
{
	uint8_t *byte = to;
	size_t i;

	for (i = 0; i < len; i++) {
		seed = seed * 1103515245 + 12345;
		byte[i] = seed >> 16;
	}
}

/*
 * An operand as the kernel lists it: padding, and bytes that a Classical CAN frame
 * does not have, are zero.
 */
static void fill_mod(struct cgw_mod *mod, bool fd, uint8_t type,
		     unsigned int seed)
{
	pattern(&mod->cf.can_id, sizeof(mod->cf.can_id), seed);
	pattern(&mod->cf.len, sizeof(mod->cf.len), seed + 1);
	pattern(mod->cf.data, fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN, seed + 2);
	if (fd)
		pattern(&mod->cf.flags, sizeof(mod->cf.flags), seed + 3);
	mod->type = type;
}

/* parts of a rule */
enum feature {
	AND = 0x01,
	OR = 0x02,
	XOR = 0x04,
	SET = 0x08,
	CSUM_XOR = 0x10,
	CSUM_CRC8 = 0x20,
	FILTER = 0x40,
	LIMIT_HOPS = 0x80,
	WITH_UID = 0x100,
};

static void fill_rule(struct full_rule *full, uint16_t flags,
		      unsigned int features, uint8_t type, unsigned int seed)
{
	struct cgw_rule *rule = &full->rule;
	bool fd = flags & CGW_FLAGS_CAN_FD;

	rule->flags = flags;
	if (features & AND)
		fill_mod(&rule->and, fd, type, seed);
	if (features & OR)
		fill_mod(&rule->or, fd, type, seed + 10);
	if (features & XOR)
		fill_mod(&rule->xor, fd, type, seed + 20);
	if (features & SET)
		fill_mod(&rule->set, fd, type, seed + 30);

	if (features & CSUM_XOR) {
		full->csum_xor = (struct cgw_csum_xor) {
			.from_idx = seed % 8, .to_idx = -1 - (int)(seed % 8),
			.result_idx = 7, .init_xor_val = seed,
		};
		rule->csum_xor = &full->csum_xor;
	}
	if (features & CSUM_CRC8) {
		pattern(&full->csum_crc8, sizeof(full->csum_crc8), seed + 40);
		full->csum_crc8.from_idx = -8;
		full->csum_crc8.to_idx = seed % 8;
		full->csum_crc8.result_idx = 7 - seed % 8;
		rule->csum_crc8 = &full->csum_crc8;
	}
	if (features & FILTER) {
		full->filter.can_id = seed * 7;
		full->filter.can_mask = CAN_EFF_MASK - seed;
		rule->filter = &full->filter;
	}
	if (features & LIMIT_HOPS)
		rule->limit_hops = 1;
	if (features & WITH_UID)
		rule->uid = UID + seed;
}

static bool same_data(const void *a, const void *b, size_t len)
{
	return (!a && !b) || (a && b && !memcmp(a, b, len));
}

/* the name of the first part in which two rules differ, or NULL */
static const char *difference(const struct cgw_rule *a,
			      const struct cgw_rule *b)
{
	const struct {
		const char *name;
		bool same;
	} parts[] = {
		{ "source", a->src == b->src },
		{ "destination", a->dst == b->dst },
		{ "flags", a->flags == b->flags },
		{ "hop limit", a->limit_hops == b->limit_hops },
		{ "uid", a->uid == b->uid },
		{ "AND", same_data(&a->and, &b->and, sizeof(a->and)) },
		{ "OR", same_data(&a->or, &b->or, sizeof(a->or)) },
		{ "XOR", same_data(&a->xor, &b->xor, sizeof(a->xor)) },
		{ "SET", same_data(&a->set, &b->set, sizeof(a->set)) },
		{ "filter", same_data(a->filter, b->filter, sizeof(*a->filter)) },
		{ "XOR checksum", same_data(a->csum_xor, b->csum_xor,
					    sizeof(*a->csum_xor)) },
		{ "CRC8 checksum", same_data(a->csum_crc8, b->csum_crc8,
					     sizeof(*a->csum_crc8)) },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (!parts[i].same)
			return parts[i].name;
	return NULL;
}

/*
 * One rule: each attribute alone, and all of them.
 */

FIXTURE(gw_roundtrip) {
	struct full_rule full;
};

FIXTURE_VARIANT(gw_roundtrip) {
	uint16_t flags;
	unsigned int features;
	uint8_t type;
};

#define ROUNDTRIP(name, flags, features, type) \
	FIXTURE_VARIANT_ADD(gw_roundtrip, name) { flags, features, type }

#define FD		CGW_FLAGS_CAN_FD
#define ALL_TYPES	(CGW_MOD_ID | CGW_MOD_LEN | CGW_MOD_DATA)
#define ALL_FD_TYPES	(ALL_TYPES | CGW_MOD_FLAGS)
#define EVERYTHING	0x1ff

ROUNDTRIP(plain, 0, 0, 0);
ROUNDTRIP(echo, CGW_FLAGS_CAN_ECHO, 0, 0);
ROUNDTRIP(src_tstamp, CGW_FLAGS_CAN_SRC_TSTAMP, 0, 0);
ROUNDTRIP(iif_tx_ok, CGW_FLAGS_CAN_IIF_TX_OK, 0, 0);
ROUNDTRIP(fd, FD, 0, 0);
ROUNDTRIP(all_flags, 0x0f, 0, 0);
ROUNDTRIP(filter, 0, FILTER, 0);
ROUNDTRIP(limit_hops, 0, LIMIT_HOPS, 0);
ROUNDTRIP(and_id, 0, AND, CGW_MOD_ID);
ROUNDTRIP(and_dlc, 0, AND, CGW_MOD_DLC);
ROUNDTRIP(and_data, 0, AND, CGW_MOD_DATA);
ROUNDTRIP(and_all, 0, AND, ALL_TYPES);
ROUNDTRIP(or_all, 0, OR, ALL_TYPES);
ROUNDTRIP(xor_all, 0, XOR, ALL_TYPES);
ROUNDTRIP(set_all, 0, SET, ALL_TYPES);
ROUNDTRIP(set_uid, 0, SET | WITH_UID, CGW_MOD_ID);
ROUNDTRIP(set_csum_xor, 0, SET | CSUM_XOR, CGW_MOD_DATA);
ROUNDTRIP(set_csum_crc8, 0, SET | CSUM_CRC8, CGW_MOD_DATA);
ROUNDTRIP(everything, CGW_FLAGS_CAN_ECHO, EVERYTHING, ALL_TYPES);
ROUNDTRIP(fd_and_flags, FD, AND, CGW_MOD_FLAGS);
ROUNDTRIP(fd_and_all, FD, AND, ALL_FD_TYPES);
ROUNDTRIP(fd_or_all, FD, OR, ALL_FD_TYPES);
ROUNDTRIP(fd_xor_all, FD, XOR, ALL_FD_TYPES);
ROUNDTRIP(fd_set_all, FD, SET, ALL_FD_TYPES);
ROUNDTRIP(fd_set_csum_xor, FD, SET | CSUM_XOR, CGW_MOD_DATA);
ROUNDTRIP(fd_set_csum_crc8, FD, SET | CSUM_CRC8, CGW_MOD_DATA);
ROUNDTRIP(fd_everything, FD, EVERYTHING, ALL_FD_TYPES);
/* a Classical CAN rule keeps the bit, although its frames have no flags */
ROUNDTRIP(set_flags_without_fd, 0, SET, CGW_MOD_FLAGS | CGW_MOD_ID);
/* undefined bits are kept and listed as well */
ROUNDTRIP(undefined_rule_flags, 0xfff0, 0, 0);
ROUNDTRIP(undefined_modification, 0, SET, 0xf0 | CGW_MOD_ID);

FIXTURE_SETUP(gw_roundtrip)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	fill_rule(&self->full, variant->flags, variant->features,
		  variant->type, 1);
	self->full.rule.src = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->full.rule.dst = CT_OK(ct_vcan_add("v1", CANFD_MTU));
}

FIXTURE_TEARDOWN(gw_roundtrip) { }

TEST_F(gw_roundtrip, rule_is_listed_as_configured_and_deleted_as_listed)
{
	struct cgw_entry entry;
	const char *diff;

	ASSERT_EQ(0, cgw_add(&self->full.rule));
	ASSERT_EQ(1, cgw_list(&entry, 1));
	diff = difference(&self->full.rule, &entry.rule);
	EXPECT_EQ(NULL, diff) TH_LOG("%s differs", diff);
	EXPECT_EQ(0U, entry.handled + entry.dropped + entry.deleted);

	EXPECT_EQ(0, cgw_del(&entry.rule));
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

/*
 * Operands whose listing differs from the request.
 */

FIXTURE(gw_operand) {
	struct cgw_rule rule;
	struct cgw_entry entry;
};

FIXTURE_SETUP(gw_operand)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->rule.src = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->rule.dst = CT_OK(ct_vcan_add("v1", CANFD_MTU));
}

FIXTURE_TEARDOWN(gw_operand) { }

/* the rule is listed and can be deleted as it is listed */
static void expect_one(struct __test_metadata *_metadata,
		       FIXTURE_DATA(gw_operand) *self)
{
	ASSERT_EQ(0, cgw_add(&self->rule));
	ASSERT_EQ(1, cgw_list(&self->entry, 1));
	EXPECT_EQ(0, cgw_del(&self->entry.rule));
}

TEST_F(gw_operand, unused_operand_bytes_are_cleared)
{
	struct can_frame *cf = (struct can_frame *)&self->rule.set.cf;
	struct canfd_frame *fd = &self->entry.rule.set.cf;

	self->rule.set.type = CGW_MOD_ID;
	cf->__pad = 0x11;
	cf->__res0 = 0x22;
	cf->len8_dlc = 0x33;
	expect_one(_metadata, self);
	cf = (struct can_frame *)fd;
	EXPECT_EQ(0, cf->__pad);
	EXPECT_EQ(0, cf->__res0);
	EXPECT_EQ(0, cf->len8_dlc);

	self->rule.flags = CGW_FLAGS_CAN_FD;
	self->rule.set.cf.__res0 = 0x22;
	self->rule.set.cf.__res1 = 0x33;
	expect_one(_metadata, self);
	EXPECT_EQ(0, fd->__res0);
	EXPECT_EQ(0, fd->__res1);
}

/* only if the rule modifies frames, as for the uid */
TEST_F(gw_operand, checksums_without_a_modification_are_not_stored)
{
	struct cgw_csum_xor csum_xor = { .to_idx = 6, .result_idx = 7 };
	struct cgw_csum_crc8 csum_crc8 = { .to_idx = 6, .result_idx = 7 };

	self->rule.csum_xor = &csum_xor;
	self->rule.csum_crc8 = &csum_crc8;
	expect_one(_metadata, self);
	EXPECT_EQ(NULL, self->entry.rule.csum_xor);
	EXPECT_EQ(NULL, self->entry.rule.csum_crc8);
}

TEST_F(gw_operand, zero_filter_is_no_filter)
{
	struct can_filter filter = { 0 };

	self->rule.filter = &filter;
	expect_one(_metadata, self);
	EXPECT_EQ(NULL, self->entry.rule.filter);
}

/* bits that a filter cannot match on are kept as they were given */
TEST_F(gw_operand, filter_is_listed_as_given_not_as_used)
{
	struct can_filter filter = { 0xffffffff, CAN_SFF_MASK };

	self->rule.filter = &filter;
	expect_one(_metadata, self);
	ASSERT_NE(NULL, self->entry.rule.filter);
	EXPECT_EQ(0xffffffff, self->entry.filter.can_id);
	EXPECT_EQ(CAN_SFF_MASK, self->entry.filter.can_mask);
}

/*
 * An operand for no part of the frame is not listed, but is still compared:
 * the rule cannot be deleted as it is listed.
 */
static int request_empty_operand(int type, const struct cgw_rule *rule)
{
	const struct cgw_frame_mod mod = { .cf.can_id = ID };
	char buf[CGW_MSG_SIZE];
	struct nlmsghdr *nlh = cgw_msg(buf, type, 0);

	mnl_attr_put(nlh, CGW_MOD_SET, sizeof(mod), &mod);
	cgw_put_rule(nlh, rule);
	return ct_nl(nlh);
}

TEST_F(gw_operand, empty_operand_is_unlisted_but_needed_to_delete)
{
	const struct cgw_rule *rule = &self->rule;

	ASSERT_EQ(0, request_empty_operand(RTM_NEWROUTE, rule));
	ASSERT_EQ(1, cgw_list(&self->entry, 1));
	EXPECT_EQ(NULL, difference(rule, &self->entry.rule));

	EXPECT_EQ(-EINVAL, cgw_del(&self->entry.rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));

	EXPECT_EQ(0, request_empty_operand(RTM_DELROUTE, rule));
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

/*
 * Many rules.
 */

#define RULES	1000

FIXTURE(gw_many) {
	struct full_rule *full;
	struct cgw_entry *entries;
	int src[2], dst[3];
};

/* rules of every kind and size, all of them different */
static int fill_and_add(struct full_rule *full, unsigned int i, const int *src,
			const int *dst)
{
	bool fd = i % 3 == 0;

	memset(full, 0, sizeof(*full));
	/* two of three have the CRC8 attribute; only WITH_UID needs a mod */
	fill_rule(full, (fd ? CGW_FLAGS_CAN_FD : 0) | (i & 7),
		  i % 512 | (i % 3 ? CSUM_CRC8 | SET : 0) | FILTER,
		  fd ? ALL_FD_TYPES : ALL_TYPES, i);
	full->rule.src = src[i % 2];
	full->rule.dst = dst[i % 3];
	/* without a modification there are no checksums and no uid */
	if (!full->rule.and.type && !full->rule.or.type &&
	    !full->rule.xor.type && !full->rule.set.type) {
		full->rule.csum_xor = NULL;
		full->rule.csum_crc8 = NULL;
		full->rule.uid = 0;
	}
	return cgw_add(&full->rule);
}

FIXTURE_SETUP(gw_many)
{
	int i;

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->src[0] = CT_OK(ct_vcan_add("s0", CANFD_MTU));
	self->src[1] = CT_OK(ct_vcan_add("s1", CANFD_MTU));
	self->dst[0] = CT_OK(ct_vcan_add("d0", CANFD_MTU));
	self->dst[1] = CT_OK(ct_vcan_add("d1", CANFD_MTU));
	self->dst[2] = CT_OK(ct_vcan_add("d2", CANFD_MTU));
	self->full = calloc(RULES, sizeof(*self->full));
	ASSERT_NE(NULL, self->full);
	/* room for more than there should be */
	self->entries = calloc(2 * RULES, sizeof(*self->entries));
	ASSERT_NE(NULL, self->entries);
	for (i = 0; i < RULES; i++)
		ASSERT_EQ(0, fill_and_add(&self->full[i], i, self->src,
					  self->dst));
}

FIXTURE_TEARDOWN(gw_many) { }

/* how many of the first @count rules, newest first, are not as they should */
static int wrong(const struct cgw_entry *entries, const struct full_rule *full,
		 int count)
{
	int i, bad = 0;

	for (i = 0; i < count; i++)
		if (difference(&full[count - 1 - i].rule, &entries[i].rule))
			bad++;
	return bad;
}

/* reading changes nothing, so the second list is the same */
TEST_F_TIMEOUT(gw_many, every_rule_is_listed_once_as_configured_newest_first,
	       200)
{
	int i;

	for (i = 0; i < 2; i++) {
		memset(self->entries, 0, RULES * sizeof(*self->entries));
		ASSERT_EQ(RULES, cgw_list(self->entries, 2 * RULES));
		EXPECT_EQ(0, wrong(self->entries, self->full, RULES));
	}
}

/* A change between two parts of a dump, made when the first rule is read. */
struct interruption {
	int (*change)(void);
	int count;
	int error;
	int flags;	/* of all messages */
};

static int interrupt_dump(const struct nlmsghdr *nlh, void *data)
{
	struct interruption *interruption = data;

	if (!interruption->count++ && interruption->change)
		interruption->error = interruption->change();
	interruption->flags |= nlh->nlmsg_flags;
	return MNL_CB_OK;
}

static int by_add(void)
{
	struct cgw_rule rule = {
		.src = if_nametoindex("s0"), .dst = if_nametoindex("d0"),
	};

	return cgw_add(&rule);
}

static int by_link(void)
{
	return ct_link_del("d1");
}

/* other rules, at least the same number */
static int by_flush_and_add(void)
{
	int i, err = cgw_flush();

	for (i = 0; i < RULES && !err; i++)
		err = by_add();
	return err;
}

static int by_exchange(void)
{
	struct gwnl_rule rule = {
		.source = if_nametoindex("s0"),
		.destination = if_nametoindex("d0"),
	};
	struct gwnl gw;
	int i, err;

	err = gwnl_open(&gw);
	if (err)
		return err;
	err = gwnl_begin(&gw, 0);
	for (i = 0; i < RULES && !err; i++)
		err = gwnl_add(&gw, &rule, NULL);
	err = err ?: gwnl_commit(&gw, RULES, NULL);
	gwnl_close(&gw);
	return err;
}

TEST_F_TIMEOUT(gw_many, interrupted_dump_is_flagged, 400)
{
	static const struct {
		const char *what;
		int (*change)(void);
		int error;
	} cases[] = {
		{ "nothing", NULL, 0 },
		{ "add", by_add, -EINTR },
		{ "interface", by_link, -EINTR },
		{ "exchange", by_exchange, -EINTR },
		{ "flush and add", by_flush_and_add, -EINTR },
		{ "flush", cgw_flush, -EINTR },
	};
	struct interruption interruption;
	char buf[CGW_MSG_SIZE];
	unsigned int i;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		interruption = (struct interruption){
			.change = cases[i].change,
		};
		EXPECT_EQ(cases[i].error,
			  ct_nl_dump(cgw_msg(buf, RTM_GETROUTE, 0),
				     interrupt_dump, &interruption))
			TH_LOG("%s: %d rules", cases[i].what,
			       interruption.count);
		EXPECT_LT(0, interruption.count);
		EXPECT_EQ(0, interruption.error);
		EXPECT_EQ(NLM_F_MULTI, interruption.flags);
		/* and the next one is complete */
		EXPECT_LE(0, cgw_list(NULL, 0));
	}
}

TEST_F_TIMEOUT(gw_many, rules_are_deleted_at_any_position_others_keep_order,
	       200)
{
	int i, left = 0;

	/* the oldest, the newest, and every second between them */
	for (i = 0; i < RULES; i++) {
		if (i % 2 && i != RULES - 1) {
			self->full[left++] = self->full[i];
			continue;
		}
		ASSERT_EQ(0, cgw_del(&self->full[i].rule));
	}
	/* their pointers have moved with them */
	for (i = 0; i < left; i++) {
		struct full_rule *full = &self->full[i];

		if (full->rule.filter)
			full->rule.filter = &full->filter;
		if (full->rule.csum_xor)
			full->rule.csum_xor = &full->csum_xor;
		if (full->rule.csum_crc8)
			full->rule.csum_crc8 = &full->csum_crc8;
	}
	ASSERT_EQ(left, cgw_list(self->entries, 2 * RULES));
	EXPECT_EQ(0, wrong(self->entries, self->full, left));
}

TEST_F_TIMEOUT(gw_many, flush_removes_all, 200)
{
	EXPECT_EQ(0, cgw_flush());
	EXPECT_EQ(0, cgw_list(NULL, 0));
	/* and there may be rules again */
	EXPECT_EQ(0, cgw_add(&self->full[0].rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_F_TIMEOUT(gw_many, removed_interface_removes_only_its_rules, 200)
{
	int i, left = 0, count;

	ASSERT_EQ(0, ct_link_del("d1"));
	for (i = 0; i < RULES; i++)
		if (self->full[i].rule.dst != self->dst[1])
			left++;
	count = cgw_list(self->entries, 2 * RULES);
	ASSERT_EQ(left, count);
	for (i = 0; i < count; i++)
		EXPECT_NE(self->dst[1], self->entries[i].rule.dst);
}

/*
 * Deletion.
 */

FIXTURE(gw_delete) {
	struct full_rule full;
	int v2;
};

FIXTURE_VARIANT(gw_delete) {
	uint16_t flags;
	uint8_t type;
};

FIXTURE_VARIANT_ADD(gw_delete, classical) { 0, ALL_TYPES };
FIXTURE_VARIANT_ADD(gw_delete, fd) { CGW_FLAGS_CAN_FD, ALL_FD_TYPES };

FIXTURE_SETUP(gw_delete)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	/* without a uid, which would be compared instead of the modifications */
	fill_rule(&self->full, variant->flags, EVERYTHING & ~WITH_UID,
		  variant->type, 5);
	self->full.rule.src = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->full.rule.dst = CT_OK(ct_vcan_add("v1", CANFD_MTU));
	self->v2 = CT_OK(ct_vcan_add("v2", CANFD_MTU));
	ASSERT_EQ(0, cgw_add(&self->full.rule));
}

FIXTURE_TEARDOWN(gw_delete) { }

/* a request to delete @other finds nothing, and leaves the rule */
#define EXPECT_NO_MATCH(other) do {					\
	struct cgw_entry entry_;					\
									\
	EXPECT_EQ(-EINVAL, cgw_del(other));				\
	EXPECT_EQ(1, cgw_list(&entry_, 1));				\
	EXPECT_EQ(NULL, difference(&self->full.rule, &entry_.rule));	\
} while (0)

/* the same for a rule that differs in one part */
#define EXPECT_NEEDED(part, value) do {					\
	struct cgw_rule other_ = self->full.rule;			\
									\
	other_.part = value;						\
	EXPECT_NO_MATCH(&other_);					\
} while (0)

TEST_F(gw_delete, needs_the_same_interfaces_flags_limit_and_filter)
{
	struct can_filter filter = self->full.filter;

	EXPECT_NEEDED(src, self->v2);
	EXPECT_NEEDED(dst, self->v2);
	/* interfaces that do not exist are no other error */
	EXPECT_NEEDED(dst, 123456);
	EXPECT_NEEDED(flags, variant->flags ^ CGW_FLAGS_CAN_ECHO);
	EXPECT_NEEDED(limit_hops, 0);
	EXPECT_NEEDED(uid, UID);
	EXPECT_NEEDED(filter, NULL);
	filter.can_id++;
	EXPECT_NEEDED(filter, &filter);
	filter = self->full.filter;
	filter.can_mask--;
	EXPECT_NEEDED(filter, &filter);

	EXPECT_EQ(0, cgw_del(&self->full.rule));
}

TEST_F(gw_delete, needs_the_same_modifications)
{
	struct cgw_rule rule = self->full.rule;
	struct cgw_mod *mods[] = { &rule.and, &rule.or, &rule.xor, &rule.set };
	struct cgw_mod saved;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(mods); i++) {
		saved = *mods[i];
		mods[i]->type = 0;
		EXPECT_NO_MATCH(&rule);
		mods[i]->type = saved.type & ~CGW_MOD_DATA;
		EXPECT_NO_MATCH(&rule);
		*mods[i] = saved;
		mods[i]->cf.can_id ^= 1;
		EXPECT_NO_MATCH(&rule);
		*mods[i] = saved;
		mods[i]->cf.len ^= 1;
		EXPECT_NO_MATCH(&rule);
		*mods[i] = saved;
		mods[i]->cf.data[variant->flags ? 63 : 7] ^= 1;
		EXPECT_NO_MATCH(&rule);
		*mods[i] = saved;
	}
	EXPECT_EQ(0, cgw_del(&rule));
}

/* also bytes that the operation does not use */
TEST_F(gw_delete, needs_the_same_unused_operands)
{
	struct cgw_rule rule;

	ASSERT_EQ(0, cgw_del(&self->full.rule));
	self->full.rule.set.type = CGW_MOD_ID;
	rule = self->full.rule;
	ASSERT_EQ(0, cgw_add(&self->full.rule));
	rule.set.cf.data[0] ^= 1;
	EXPECT_NO_MATCH(&rule);
	EXPECT_EQ(0, cgw_del(&self->full.rule));
}

TEST_F(gw_delete, needs_the_same_checksums)
{
	struct cgw_csum_crc8 csum_crc8 = self->full.csum_crc8;
	struct cgw_csum_xor csum_xor = self->full.csum_xor;

	EXPECT_NEEDED(csum_xor, NULL);
	csum_xor.init_xor_val ^= 1;
	EXPECT_NEEDED(csum_xor, &csum_xor);

	EXPECT_NEEDED(csum_crc8, NULL);
	csum_crc8.crctab[255] ^= 1;
	EXPECT_NEEDED(csum_crc8, &csum_crc8);
	csum_crc8 = self->full.csum_crc8;
	csum_crc8.profile_data[19] ^= 1;
	EXPECT_NEEDED(csum_crc8, &csum_crc8);

	EXPECT_EQ(0, cgw_del(&self->full.rule));
}

TEST_F(gw_delete, a_second_time_fails)
{
	EXPECT_EQ(0, cgw_del(&self->full.rule));
	EXPECT_EQ(-EINVAL, cgw_del(&self->full.rule));
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

/* the counters tell equal rules apart */
TEST_F(gw_delete, removes_the_newest_of_equal_rules)
{
	struct cgw_rule rule = {
		.src = self->full.rule.src, .dst = self->full.rule.dst,
		.flags = variant->flags | CGW_FLAGS_CAN_ECHO,
	};
	const size_t mtu = variant->flags & CGW_FLAGS_CAN_FD ?
			   CANFD_MTU : CAN_MTU;
	struct cgw_entry entries[3];
	int tx, rx, i, n;

	ASSERT_EQ(0, cgw_flush());
	tx = CT_OK(ct_raw_open_fd(rule.src));
	rx = CT_OK(ct_raw_open_fd(rule.dst));

	/* the oldest will have handled 3 frames, the newest 1 */
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, cgw_add(&rule));
		ASSERT_EQ(0, ct_send_id_mtu(tx, ID, mtu));
		for (n = 0; n <= i; n++)
			ASSERT_EQ(ID, ct_recv_id(rx));
	}
	ASSERT_EQ(3, cgw_list(entries, 3));
	EXPECT_EQ(1U, entries[0].handled);
	EXPECT_EQ(2U, entries[1].handled);
	EXPECT_EQ(3U, entries[2].handled);

	ASSERT_EQ(0, cgw_del(&rule));
	ASSERT_EQ(2, cgw_list(entries, 3));
	EXPECT_EQ(2U, entries[0].handled);
	EXPECT_EQ(3U, entries[1].handled);
}

/*
 * Nothing, and namespaces.
 */

FIXTURE(gw_empty) {
	int v0, v1;
};

FIXTURE_SETUP(gw_empty)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->v0 = CT_OK(ct_vcan_add("v0", CAN_MTU));
	self->v1 = CT_OK(ct_vcan_add("v1", CAN_MTU));
}

FIXTURE_TEARDOWN(gw_empty) { }

TEST_F(gw_empty, dump_lists_nothing)
{
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

TEST_F(gw_empty, flush_of_nothing_succeeds)
{
	EXPECT_EQ(0, cgw_flush());
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

TEST_F(gw_empty, delete_finds_nothing)
{
	struct cgw_rule rule = { .src = self->v0, .dst = self->v1 };

	EXPECT_EQ(-EINVAL, cgw_del(&rule));
}

TEST_F(gw_empty, rules_of_another_namespace_are_not_listed_nor_flushed)
{
	struct cgw_rule rule = { .src = self->v0, .dst = self->v1 };
	int home;

	ASSERT_EQ(0, cgw_add(&rule));
	home = CT_OK(ct_netns_get());

	ASSERT_EQ(0, ct_netns_new());
	EXPECT_EQ(0, cgw_list(NULL, 0));
	EXPECT_EQ(0, cgw_flush());
	EXPECT_EQ(-EINVAL, cgw_del(&rule));

	ASSERT_EQ(0, ct_netns_set(home));
	EXPECT_EQ(1, cgw_list(NULL, 0));
	EXPECT_EQ(0, cgw_flush());
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

TEST_HARNESS_MAIN
