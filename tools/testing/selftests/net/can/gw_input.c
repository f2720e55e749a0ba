// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wrong requests to the gateway: the kernel answers with an error, and changes
 * nothing. The interface is older than strict checking of netlink messages, so the
 * kernel accepts many of them; those variants have "accepted" or "ignored" in their
 * name.
 *
 * The kernel checks in this order, and the first error is the answer: rtnetlink's
 * own checks, struct rtcanmsg, the length of every attribute, the hop limit, the
 * checksums, whether there are two interfaces, and at last the interfaces.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <net/if.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "cgw.h"
#include "kselftest_harness.h"

#define UID	0xcafe

/*
 * The listed rules as plain memory, to compare before and after. The entries
 * point into themselves, so that they are listed to one buffer and copied.
 */
#define ENTRIES	4

struct snapshot {
	struct cgw_entry entries[ENTRIES];
	int count;
};

static void snapshot(struct snapshot *to)
{
	static struct snapshot now;

	memset(&now, 0, sizeof(now));
	now.count = cgw_list(now.entries, ENTRIES);
	memcpy(to, &now, sizeof(now));
}

static bool unchanged(const struct snapshot *before)
{
	struct snapshot after;

	snapshot(&after);
	return !memcmp(before, &after, sizeof(after));
}

/*
 * Attributes of every length. A rule that has all attributes is requested with
 * one of them shortened, or made longer with bytes of ones at its end, or with
 * an additional attribute that it should not have.
 */

#define MOD_LEN		17	/* struct cgw_frame_mod */
#define FDMOD_LEN	73	/* struct cgw_fdframe_mod */
#define XOR_LEN		4
#define CRC8_LEN	282
#define FILTER_LEN	8

static const struct can_filter some_filter = { 0x123, CAN_SFF_MASK };

static const struct cgw_csum_xor some_csum_xor = {
	.to_idx = 6, .result_idx = 7, .init_xor_val = 0x55,
};

static const struct cgw_csum_crc8 some_csum_crc8 = {
	.to_idx = 5, .result_idx = 6, .crctab = { 1, 2, 3 },
	.profile = CGW_CRC8PRF_1U8, .profile_data = { [19] = 4 },
};

FIXTURE(gw_attr) {
	struct cgw_rule rule;
	struct snapshot before;
};

FIXTURE_VARIANT(gw_attr) {
	uint16_t flags;
	int type;
	int len;
	int err;
};

#define ATTR(name, flags, type, len, err) \
	FIXTURE_VARIANT_ADD(gw_attr, name) { flags, type, len, err }

/* the length that the kernel expects, and around it */
#define ATTR_LENGTHS(name, flags, type, len)				\
	ATTR(name##_empty, flags, type, 0, -ERANGE);			\
	ATTR(name##_short, flags, type, (len) - 1, -ERANGE);		\
	ATTR(name##_exact, flags, type, len, 0);			\
	ATTR(name##_long_accepted, flags, type, (len) + 1, 0);		\
	ATTR(name##_very_long_accepted, flags, type, (len) + 200, 0)

#define FD	CGW_FLAGS_CAN_FD

ATTR_LENGTHS(and, 0, CGW_MOD_AND, MOD_LEN);
ATTR_LENGTHS(or, 0, CGW_MOD_OR, MOD_LEN);
ATTR_LENGTHS(xor, 0, CGW_MOD_XOR, MOD_LEN);
ATTR_LENGTHS(set, 0, CGW_MOD_SET, MOD_LEN);
ATTR_LENGTHS(fd_and, FD, CGW_FDMOD_AND, FDMOD_LEN);
ATTR_LENGTHS(fd_or, FD, CGW_FDMOD_OR, FDMOD_LEN);
ATTR_LENGTHS(fd_xor, FD, CGW_FDMOD_XOR, FDMOD_LEN);
ATTR_LENGTHS(fd_set, FD, CGW_FDMOD_SET, FDMOD_LEN);
ATTR_LENGTHS(csum_xor, 0, CGW_CS_XOR, XOR_LEN);
ATTR_LENGTHS(csum_crc8, 0, CGW_CS_CRC8, CRC8_LEN);
ATTR_LENGTHS(filter, 0, CGW_FILTER, FILTER_LEN);
ATTR_LENGTHS(src_if, 0, CGW_SRC_IF, 4);
ATTR_LENGTHS(dst_if, 0, CGW_DST_IF, 4);
ATTR_LENGTHS(uid, 0, CGW_MOD_UID, 4);
ATTR(limit_hops_empty, 0, CGW_LIM_HOPS, 0, -ERANGE);
ATTR(limit_hops_exact, 0, CGW_LIM_HOPS, 1, 0);
ATTR(limit_hops_long_accepted, 0, CGW_LIM_HOPS, 4, 0);

/* attributes for the other kind of frame: their length counts, no more */
ATTR(fd_attribute_in_classical_rule_ignored, 0, CGW_FDMOD_SET, FDMOD_LEN, 0);
ATTR(classical_attribute_in_fd_rule_ignored, FD, CGW_MOD_SET, MOD_LEN, 0);
ATTR(short_fd_attribute_in_classical_rule, 0, CGW_FDMOD_SET, 72, -ERANGE);
ATTR(short_classical_attribute_in_fd_rule, FD, CGW_MOD_SET, 16, -ERANGE);

/* attributes of the kernel's list */
ATTR(handled_ignored, 0, CGW_HANDLED, 4, 0);
ATTR(handled_empty_ignored, 0, CGW_HANDLED, 0, 0);
ATTR(dropped_ignored, 0, CGW_DROPPED, 4, 0);
ATTR(dropped_empty_ignored, 0, CGW_DROPPED, 0, 0);
ATTR(deleted_ignored, 0, CGW_DELETED, 4, 0);
ATTR(deleted_empty_ignored, 0, CGW_DELETED, 0, 0);

/* unknown attributes */
ATTR(type_zero_ignored, 0, CGW_UNSPEC, 4, 0);
ATTR(first_unknown_type_ignored, 0, CGW_MAX + 1, 4, 0);
ATTR(unknown_type_ignored, 0, 1000, 300, 0);
ATTR(unknown_empty_type_ignored, 0, 1000, 0, 0);
ATTR(highest_type_ignored, 0, NLA_TYPE_MASK, 4, 0);
ATTR(nested_bit_ignored, 0, NLA_F_NESTED | CGW_FILTER, FILTER_LEN, 0);
ATTR(byteorder_bit_ignored, 0, NLA_F_NET_BYTEORDER | CGW_SRC_IF, 4, 0);

FIXTURE_SETUP(gw_attr)
{
	struct cgw_mod mod = {
		.type = CGW_MOD_ID | CGW_MOD_DATA,
		.cf = { .can_id = 0x321, .data = { 1, 2, 3, 4, 5, 6, 7, 8 } },
	};
	struct cgw_rule other = { 0 };

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->rule = (struct cgw_rule) {
		.flags = variant->flags, .filter = &some_filter,
		.limit_hops = 1, .csum_xor = &some_csum_xor,
		.csum_crc8 = &some_csum_crc8,
		.and = mod, .or = mod, .xor = mod, .set = mod,
	};
	/* with a uid the kernel would not compare the modifications */
	if (variant->type == CGW_MOD_UID)
		self->rule.uid = UID;
	self->rule.src = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->rule.dst = CT_OK(ct_vcan_add("v1", CANFD_MTU));

	/* a rule that has to stay */
	other.src = self->rule.src;
	other.dst = self->rule.dst;
	ASSERT_EQ(0, cgw_add(&other));
}

FIXTURE_TEARDOWN(gw_attr) { }

/* @rule with attribute @type of @len bytes, of which 0xff fills up those missing */
static int request(int msg_type, const struct cgw_rule *rule, int type, int len)
{
	char good[CGW_MSG_SIZE], bad[CGW_MSG_SIZE];
	struct nlmsghdr *from, *to;
	uint8_t payload[512];
	struct nlattr *attr;
	bool put = false;
	uint16_t have;

	from = cgw_msg(good, msg_type, rule->flags);
	to = cgw_msg(bad, msg_type, rule->flags);
	cgw_put_rule(from, rule);

	mnl_attr_for_each(attr, from, sizeof(struct rtcanmsg)) {
		have = mnl_attr_get_payload_len(attr);
		if (mnl_attr_get_type(attr) != (type & NLA_TYPE_MASK)) {
			mnl_attr_put(to, attr->nla_type, have,
				     mnl_attr_get_payload(attr));
			continue;
		}
		memset(payload, 0xff, sizeof(payload));
		memcpy(payload, mnl_attr_get_payload(attr), have);
		mnl_attr_put(to, type, len, payload);
		put = true;
	}
	if (!put) {
		memset(payload, 0xff, sizeof(payload));
		mnl_attr_put(to, type, len, payload);
	}
	return ct_nl(to);
}

/* an accepted request means the rule that the proper request asks for */
TEST_F(gw_attr, add_and_delete)
{
	snapshot(&self->before);
	ASSERT_EQ(1, self->before.count);
	EXPECT_EQ(variant->err, request(RTM_NEWROUTE, &self->rule,
					variant->type, variant->len));
	if (!variant->err) {
		EXPECT_EQ(2, cgw_list(NULL, 0));
		EXPECT_EQ(0, cgw_del(&self->rule));
	}
	EXPECT_TRUE(unchanged(&self->before));

	ASSERT_EQ(0, cgw_add(&self->rule));
	snapshot(&self->before);
	ASSERT_EQ(2, self->before.count);
	EXPECT_EQ(variant->err, request(RTM_DELROUTE, &self->rule,
					variant->type, variant->len));
	if (!variant->err) {
		EXPECT_EQ(1, cgw_list(NULL, 0));
		EXPECT_EQ(0, cgw_add(&self->rule));
	}
	EXPECT_TRUE(unchanged(&self->before));
}

/*
 * Values and messages. A variant is a rule, whose interfaces are filled in, or
 * a function that builds the message.
 */

struct ifs {
	int v0, v1, lo;
};

typedef void (*build_fn)(struct nlmsghdr *nlh, const struct ifs *ifs);

FIXTURE(gw_request) {
	struct ifs ifs;
	struct snapshot before;
};

FIXTURE_VARIANT(gw_request) {
	struct cgw_rule rule;
	build_fn build;
	int add;
	int del;
};

FIXTURE_SETUP(gw_request)
{
	struct cgw_rule other = { .limit_hops = 1 };

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->ifs.lo = if_nametoindex("lo");
	ASSERT_LT(0, self->ifs.lo);
	self->ifs.v0 = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->ifs.v1 = CT_OK(ct_vcan_add("v1", CANFD_MTU));

	/* a rule that has to stay, and that no variant describes */
	other.src = self->ifs.v0;
	other.dst = self->ifs.v1;
	ASSERT_EQ(0, cgw_add(&other));
	snapshot(&self->before);
	ASSERT_EQ(1, self->before.count);
}

FIXTURE_TEARDOWN(gw_request) { }

static int send_request(int type, const struct cgw_rule *rule, build_fn build,
			const struct ifs *ifs)
{
	char buf[CGW_MSG_SIZE];
	struct nlmsghdr *nlh = cgw_msg(buf, type, rule->flags);
	struct cgw_rule full = *rule;

	if (build) {
		build(nlh, ifs);
	} else {
		full.src = ifs->v0;
		full.dst = ifs->v1;
		cgw_put_rule(nlh, &full);
	}
	return ct_nl(nlh);
}

TEST_F(gw_request, add_and_delete)
{
	EXPECT_EQ(variant->add, send_request(RTM_NEWROUTE, &variant->rule,
					     variant->build, &self->ifs));
	EXPECT_EQ(variant->add ? 1 : 2, cgw_list(NULL, 0));

	/* a rule that was added is there to be deleted */
	EXPECT_EQ(variant->del, send_request(RTM_DELROUTE, &variant->rule,
					     variant->build, &self->ifs));
	EXPECT_TRUE(unchanged(&self->before));
}

/* a rule; both requests have the same answer */
#define RULE(name, _err, ...)						\
	FIXTURE_VARIANT_ADD(gw_request, name) {				\
		.add = (_err), .del = (_err), .rule = { __VA_ARGS__ },	\
	}

/*
 * A message, made by the statements at the end of the arguments; a deletion that
 * finds nothing is EINVAL
 */
#define MESSAGE(name, _add, _del, ...)					\
	static void build_##name(struct nlmsghdr *nlh,			\
				 const struct ifs *ifs)			\
	{								\
		__VA_ARGS__;						\
	}								\
	FIXTURE_VARIANT_ADD(gw_request, name) {				\
		.add = (_add), .del = (_del), .build = build_##name,	\
	}

RULE(plain, 0);
RULE(limit_hops_1, 0, .limit_hops = 1, .flags = CGW_FLAGS_CAN_ECHO);
RULE(limit_hops_255, -EINVAL, .limit_hops = 255);
RULE(limit_hops_over_6, -EINVAL, .limit_hops = 7);

/*
 * Checksum indexes: 0 to 7, or -1 to -8 from the end of the frame, and with
 * CAN FD 0 to 63 or -1 to -64.
 */
#define SET_ID	.set = { .type = CGW_MOD_ID, .cf.can_id = 0x321 }

#define CSUM(name, _flags, from, to, res, err)				\
	RULE(csum_xor_##name, err, .flags = (_flags), SET_ID,		\
	     .csum_xor = &(const struct cgw_csum_xor) {			\
		.from_idx = (from), .to_idx = (to), .result_idx = (res),	\
	     });							\
	RULE(csum_crc8_##name, err, .flags = (_flags), SET_ID,		\
	     .csum_crc8 = &(const struct cgw_csum_crc8) {		\
		.from_idx = (from), .to_idx = (to), .result_idx = (res),	\
	     })

CSUM(highest, 0, 7, 7, 7, 0);
CSUM(lowest, 0, -8, -8, -8, 0);
CSUM(from_8, 0, 8, 0, 0, -EINVAL);
CSUM(to_8, 0, 0, 8, 0, -EINVAL);
CSUM(result_8, 0, 0, 0, 8, -EINVAL);
CSUM(from_minus_9, 0, -9, 0, 0, -EINVAL);
CSUM(to_minus_9, 0, 0, -9, 0, -EINVAL);
CSUM(result_minus_9, 0, 0, 0, -9, -EINVAL);
CSUM(result_127, 0, 0, 0, 127, -EINVAL);
CSUM(result_minus_128, 0, 0, 0, -128, -EINVAL);
CSUM(fd_indexes_in_classical_rule, 0, 0, 62, 63, -EINVAL);
CSUM(fd_highest, FD, 63, 63, 63, 0);
CSUM(fd_lowest, FD, -64, -64, -64, 0);
CSUM(fd_from_64, FD, 64, 0, 0, -EINVAL);
CSUM(fd_to_64, FD, 0, 64, 0, -EINVAL);
CSUM(fd_result_64, FD, 0, 0, 64, -EINVAL);
CSUM(fd_from_minus_65, FD, -65, 0, 0, -EINVAL);
CSUM(fd_to_minus_65, FD, 0, -65, 0, -EINVAL);
CSUM(fd_result_minus_65, FD, 0, 0, -65, -EINVAL);

/* the kernel does not check checksums of rules that modify nothing */
static const struct cgw_csum_xor bad_xor = { .result_idx = 100 };
static const struct cgw_csum_crc8 bad_crc8 = { .result_idx = 100 };
static const struct cgw_csum_crc8 unknown_crc8 = { .profile = 0xff };

RULE(bad_xor_without_modification_ignored, 0, .csum_xor = &bad_xor);
RULE(bad_crc8_without_modification_ignored, 0, .csum_crc8 = &bad_crc8);
RULE(unknown_crc8_profile_accepted, 0, SET_ID, .csum_crc8 = &unknown_crc8);
RULE(unknown_rule_flags_accepted, 0, .flags = 0x8000);
RULE(unknown_modification_accepted, 0, .set.type = 0x80);

static void put_ifs(struct nlmsghdr *nlh, int src, int dst)
{
	mnl_attr_put_u32(nlh, CGW_SRC_IF, src);
	mnl_attr_put_u32(nlh, CGW_DST_IF, dst);
}

static void put_limit(struct nlmsghdr *nlh, const struct ifs *ifs, int hops)
{
	mnl_attr_put_u8(nlh, CGW_LIM_HOPS, hops);
	put_ifs(nlh, ifs->v0, ifs->v1);
}

MESSAGE(limit_hops_0, -EINVAL, -EINVAL, put_limit(nlh, ifs, 0));
MESSAGE(limit_hops_over_max_hops, -EINVAL, -EINVAL,
	put_limit(nlh, ifs, cgw_max_hops() + 1));
MESSAGE(no_attributes, -ENODEV, -ENODEV, );
MESSAGE(only_source, -ENODEV, -ENODEV,
	mnl_attr_put_u32(nlh, CGW_SRC_IF, ifs->v0));
MESSAGE(only_destination, -ENODEV, -ENODEV,
	mnl_attr_put_u32(nlh, CGW_DST_IF, ifs->v1));
MESSAGE(source_0, -ENODEV, -ENODEV, put_ifs(nlh, 0, ifs->v1));
MESSAGE(destination_0, -ENODEV, -ENODEV, put_ifs(nlh, ifs->v0, 0));
MESSAGE(unknown_source, -ENODEV, -EINVAL, put_ifs(nlh, 123456, ifs->v1));
MESSAGE(unknown_destination, -ENODEV, -EINVAL, put_ifs(nlh, ifs->v0, 123456));
MESSAGE(negative_source, -ENODEV, -EINVAL, put_ifs(nlh, -1, ifs->v1));
MESSAGE(negative_destination, -ENODEV, -EINVAL, put_ifs(nlh, ifs->v0, -1));
MESSAGE(source_is_not_can, -ENODEV, -EINVAL, put_ifs(nlh, ifs->lo, ifs->v1));
MESSAGE(destination_is_not_can, -ENODEV, -EINVAL,
	put_ifs(nlh, ifs->v0, ifs->lo));
MESSAGE(one_interface_for_both, -EINVAL, -EINVAL,
	put_ifs(nlh, ifs->v0, ifs->v0));

/* the kernel uses the last of two equal attributes */
MESSAGE(repeated_attribute_accepted, 0, 0,
	put_ifs(nlh, 123456, 123456);
	put_ifs(nlh, ifs->v0, ifs->v1));
MESSAGE(repeated_attribute_last_is_wrong, -ENODEV, -EINVAL,
	put_ifs(nlh, ifs->v0, ifs->v1);
	mnl_attr_put_u32(nlh, CGW_DST_IF, 123456));
/* but checks the length of each of them */
MESSAGE(repeated_attribute_first_is_short, -ERANGE, -ERANGE,
	mnl_attr_put_u8(nlh, CGW_DST_IF, 0);
	put_ifs(nlh, ifs->v0, ifs->v1));

/* an attribute that claims less than its own header, or more than there is */
static void put_broken(struct nlmsghdr *nlh, uint16_t claimed)
{
	struct nlattr *attr = mnl_nlmsg_get_payload_tail(nlh);

	mnl_attr_put_u32(nlh, CGW_MOD_UID, UID);
	attr->nla_len = claimed;
}

MESSAGE(broken_attribute_at_the_end_ignored, 0, 0,
	put_ifs(nlh, ifs->v0, ifs->v1);
	put_broken(nlh, 2));
MESSAGE(oversized_attribute_at_the_end_ignored, 0, 0,
	put_ifs(nlh, ifs->v0, ifs->v1);
	put_broken(nlh, 1000));
/* those after it are not found */
MESSAGE(broken_attribute_before_others, -ENODEV, -ENODEV,
	put_broken(nlh, 2);
	put_ifs(nlh, ifs->v0, ifs->v1));
MESSAGE(bytes_after_the_attributes_ignored, 0, 0,
	put_ifs(nlh, ifs->v0, ifs->v1);
	memset(mnl_nlmsg_get_payload_tail(nlh), 0xff, 3);
	nlh->nlmsg_len += 3);

MESSAGE(first_error_is_the_length, -ERANGE, -ERANGE,
	mnl_attr_put_u8(nlh, CGW_LIM_HOPS, 0);
	mnl_attr_put_u8(nlh, CGW_FILTER, 0));
MESSAGE(second_error_is_the_hop_limit, -EINVAL, -EINVAL,
	mnl_attr_put_u8(nlh, CGW_LIM_HOPS, 0));

/*
 * The header. A good request, but for one thing.
 */

static struct rtcanmsg *good_request(struct nlmsghdr *nlh,
				     const struct ifs *ifs)
{
	put_ifs(nlh, ifs->v0, ifs->v1);
	return mnl_nlmsg_get_payload(nlh);
}

MESSAGE(gwtype_0, -EINVAL, -EINVAL,
	good_request(nlh, ifs)->gwtype = CGW_TYPE_UNSPEC);
MESSAGE(gwtype_2, -EINVAL, -EINVAL,
	good_request(nlh, ifs)->gwtype = CGW_TYPE_MAX + 1);
MESSAGE(gwtype_255, -EINVAL, -EINVAL, good_request(nlh, ifs)->gwtype = 255);

/* other families do not reach the gateway */
MESSAGE(family_unspec, -EOPNOTSUPP, -EOPNOTSUPP,
	good_request(nlh, ifs)->can_family = AF_UNSPEC);
MESSAGE(family_packet, -EOPNOTSUPP, -EOPNOTSUPP,
	good_request(nlh, ifs)->can_family = AF_PACKET);
MESSAGE(family_255, -EOPNOTSUPP, -EOPNOTSUPP,
	good_request(nlh, ifs)->can_family = 255);
MESSAGE(header_of_1_byte, -EINVAL, -EINVAL,
	nlh->nlmsg_len = MNL_NLMSG_HDRLEN + 1);
MESSAGE(header_of_3_bytes, -EINVAL, -EINVAL,
	nlh->nlmsg_len = MNL_NLMSG_HDRLEN + 3);

/*
 * Requests that differ too much for the table.
 */

FIXTURE(gw_special) {
	struct cgw_rule rule;
};

FIXTURE_SETUP(gw_special)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_netns_new());
	self->rule.src = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->rule.dst = CT_OK(ct_vcan_add("v1", CANFD_MTU));
	ASSERT_EQ(0, cgw_add(&self->rule));
}

FIXTURE_TEARDOWN(gw_special) { }

/* rtnetlink itself answers with success, and nothing has happened */
TEST_F(gw_special, message_without_header_is_accepted_and_does_nothing)
{
	static const int types[] = { RTM_NEWROUTE, RTM_DELROUTE };
	char buf[CGW_MSG_SIZE];
	struct nlmsghdr *nlh;
	int i;

	for (i = 0; i < 2; i++) {
		nlh = cgw_msg(buf, types[i], 0);
		nlh->nlmsg_len = MNL_NLMSG_HDRLEN;
		EXPECT_EQ(0, ct_nl(nlh));
		EXPECT_EQ(1, cgw_list(NULL, 0));
	}
}

/* which means all rules in a deletion */
TEST_F(gw_special, both_interfaces_0_cannot_be_added)
{
	struct cgw_rule rule = { 0 };

	EXPECT_EQ(-ENODEV, cgw_add(&rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_F(gw_special, flush_accepts_and_ignores_everything_else)
{
	struct cgw_rule rule = {
		.flags = CGW_FLAGS_CAN_ECHO | CGW_FLAGS_CAN_FD, .uid = UID,
		.limit_hops = 1, .filter = &some_filter,
		.set = { .type = CGW_MOD_ID },
	};

	EXPECT_EQ(0, cgw_del(&rule));
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

TEST_F(gw_special, flush_with_a_bad_attribute_is_rejected)
{
	struct cgw_rule rule = { .limit_hops = 255 };

	EXPECT_EQ(-EINVAL, cgw_del(&rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
	EXPECT_EQ(-ERANGE, request(RTM_DELROUTE, &(struct cgw_rule) { 0 },
				   CGW_FILTER, FILTER_LEN - 1));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

/* a request with these flags in the header of the message */
static int request_flags(int type, const struct cgw_rule *rule, uint16_t flags)
{
	char buf[CGW_MSG_SIZE];
	struct nlmsghdr *nlh = cgw_msg(buf, type, 0);

	nlh->nlmsg_flags = flags;
	cgw_put_rule(nlh, rule);
	return ct_nl(nlh);
}

TEST_F(gw_special, create_flags_of_netlink_are_ignored)
{
	static const uint16_t flags[6] = {
		0, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE, NLM_F_APPEND,
		NLM_F_CREATE | NLM_F_EXCL,
	};
	int i;

	for (i = 0; i < 6; i++) {
		EXPECT_EQ(0, request_flags(RTM_NEWROUTE, &self->rule, flags[i]));
		EXPECT_EQ(i + 2, cgw_list(NULL, 0));
	}
}

TEST_F(gw_special, bulk_delete_is_not_supported)
{
	EXPECT_EQ(-EOPNOTSUPP,
		  request_flags(RTM_DELROUTE, &self->rule, NLM_F_BULK));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_F(gw_special, single_rule_cannot_be_requested)
{
	EXPECT_EQ(-EOPNOTSUPP, request_flags(RTM_GETROUTE, &self->rule, 0));
}

/* an interface has to exist, but not to be up */
TEST_F(gw_special, interfaces_may_be_down)
{
	struct cgw_rule rule = {
		.src = self->rule.dst, .dst = self->rule.src,
	};

	ASSERT_EQ(0, ct_link_up("v0", false));
	ASSERT_EQ(0, ct_link_up("v1", false));
	EXPECT_EQ(0, cgw_add(&rule));
	EXPECT_EQ(2, cgw_list(NULL, 0));
	EXPECT_EQ(0, cgw_del(&rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_HARNESS_MAIN
