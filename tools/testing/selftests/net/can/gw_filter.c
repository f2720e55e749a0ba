// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which frames the CAN gateway's rules route, and in which order when several
 * rules route the same frame. Routed frames are compared with a model, for a table
 * of filters and identifiers.
 *
 * The order is that of the CAN core's receiver lists: rules without a
 * condition come first, then those with a mask, then the inverted ones, and at
 * last those for one identifier (of a data frame). In each list the newest rule
 * comes first. Rules for error frames have a list of their own.
 *
 * Frames enter at the vcan interface "src", and leave through the vxcan
 * interfaces "dst0" and "dst1" to their peers "far0" and "far1", where the
 * test reads them. The test stays on one CPU: the frames then pass one queue,
 * in order, and the gateway has counted a frame when the test can read the one
 * after it.
 *
 * To show that no frame is routed, a sentinel is sent after it: a frame of the other
 * kind, with a rule of its own to either destination.
 */
#define _GNU_SOURCE
#include <net/if.h>

#include <linux/can/error.h>
#include <linux/can/raw.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "cgw.h"

#define LONG_TEST	400	/* seconds: thousands of frames, emulated */

#define SENTINEL_ID	0x7AA
#define DESTINATIONS	2

#define SFF_ONE		(CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG)
#define EFF_ONE		(CAN_EFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG)
#define EFF		CAN_EFF_FLAG
#define RTR		CAN_RTR_FLAG
#define ERR		CAN_ERR_FLAG
#define INV		CAN_INV_FILTER

static const struct can_filter sentinel_only = { SENTINEL_ID, SFF_ONE };

FIXTURE(gw_filter) { };

FIXTURE_VARIANT(gw_filter)
{
	size_t mtu;
	__u16 flags;	/* of rules for such frames */
};

FIXTURE_VARIANT_ADD(gw_filter, cc) { CAN_MTU, 0 };
FIXTURE_VARIANT_ADD(gw_filter, fd) { CANFD_MTU, CGW_FLAGS_CAN_FD };

/* of this test, which is a process */
static int src;
static int dst[DESTINATIONS];
static int tx;
static int rx[DESTINATIONS];
static size_t mtu;
static __u16 flags;

/* a socket for frames of both kinds and for error frames */
static int open_socket(int ifindex)
{
	int fd = ct_raw_open_fd(ifindex);

	return fd < 0 ? fd :
	       ct_raw_set(fd, CAN_RAW_ERR_FILTER, CAN_ERR_MASK) ?: fd;
}

FIXTURE_SETUP(gw_filter)
{
	static const char * const near[] = { "dst0", "dst1" };
	static const char * const far[] = { "far0", "far1" };
	struct cgw_rule sentinel = {
		.flags = variant->flags ^ CGW_FLAGS_CAN_FD,
		.filter = &sentinel_only,
	};
	int i;

	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(0, ct_pin_cpu());
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");

	mtu = variant->mtu;
	flags = variant->flags;
	src = CT_OK(ct_vcan_add("src", CANFD_MTU));
	tx = CT_OK(open_socket(src));

	sentinel.src = src;
	for (i = 0; i < DESTINATIONS; i++) {
		dst[i] = CT_OK(ct_vxcan_add(near[i], far[i], -1, CANFD_MTU));
		rx[i] = CT_OK(open_socket(if_nametoindex(far[i])));
		sentinel.dst = dst[i];
		ASSERT_EQ(0, cgw_add(&sentinel));
	}
}

FIXTURE_TEARDOWN(gw_filter) { }

static struct cgw_rule new_rule(const struct can_filter *filter)
{
	return (struct cgw_rule) {
		.src = src,
		.dst = dst[0],
		.flags = flags,
		.filter = filter,
	};
}

/* a rule that sets an identifier of its own */
static struct cgw_rule new_marker(const struct can_filter *filter,
				  canid_t marker)
{
	struct cgw_rule rule = new_rule(filter);

	rule.set.type = CGW_MOD_ID;
	rule.set.cf.can_id = marker;
	return rule;
}

static int add_marker(const struct can_filter *filter, canid_t marker)
{
	struct cgw_rule rule = new_marker(filter, marker);

	return cgw_add(&rule);
}

static int send_id(canid_t id)
{
	return ct_send_id_mtu(tx, id, mtu);
}

/* the filter that a failed assertion is about, if it is about one */
static const struct can_filter *trying;

static void expect_from(struct __test_metadata *_metadata, int fd, size_t mtu,
			canid_t id)
{
	struct canfd_frame frame;

	ASSERT_EQ((ssize_t)mtu,
		  ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
	ASSERT_EQ(id, frame.can_id) {
		TH_LOG("expected %08x, received %08x", id, frame.can_id);
		if (trying)
			TH_LOG("filter %08x, mask %08x", trying->can_id,
			       trying->can_mask);
	}
}

/* the next frame at the first destination */
static void expect_id(struct __test_metadata *_metadata, canid_t id)
{
	expect_from(_metadata, rx[0], mtu, id);
}

/* the sentinel is the next frame at each destination */
static void expect_no_more(struct __test_metadata *_metadata)
{
	size_t other = mtu == CAN_MTU ? CANFD_MTU : CAN_MTU;
	int i;

	ASSERT_EQ(0, ct_send_id_mtu(tx, SENTINEL_ID, other));
	for (i = 0; i < DESTINATIONS; i++)
		expect_from(_metadata, rx[i], other, SENTINEL_ID);
}

static const canid_t ids[] = {
	/* SFF */
	0x000, 0x001, 0x122, 0x123, 0x124, 0x323, 0x523, 0x678, 0x700, 0x7FE,
	0x7FF,
	/* SFF, remote */
	0x000 | RTR, 0x123 | RTR, 0x124 | RTR, 0x678 | RTR, 0x7FF | RTR,
	/* EFF, some with the low bits of the above */
	0x00000000 | EFF, 0x00000001 | EFF, 0x00000123 | EFF, 0x00000678 | EFF,
	0x000007FF | EFF, 0x00000800 | EFF, 0x12345123 | EFF, 0x1FFFF923 | EFF,
	0x12345678 | EFF, 0x12345679 | EFF, 0x12345278 | EFF, 0x02345678 | EFF,
	0x1FFFFFFF | EFF,
	/* EFF, these two have the hash value of 12345678 in the kernel */
	0x12345279 | EFF, 0x12245278 | EFF,
	/* EFF, remote */
	0x00000000 | EFF | RTR, 0x00000123 | EFF | RTR, 0x12345123 | EFF | RTR,
	0x12345678 | EFF | RTR, 0x1FFFFFFF | EFF | RTR,
	/* no EFF flag, but more than eleven bits */
	0x00000800, 0x12345123, 0x12345678, 0x1FFFFFFF, 0x12345123 | RTR,
	/* error frames */
	ERR, ERR | CAN_ERR_TX_TIMEOUT, ERR | CAN_ERR_CRTL, ERR | CAN_ERR_BUSOFF,
	ERR | CAN_ERR_BUSOFF | CAN_ERR_CRTL, ERR | 0x123, ERR | CAN_ERR_CNT,
	ERR | CAN_ERR_MASK, ERR | CAN_ERR_BUSOFF | EFF, ERR | 0x123 | RTR,
};

/* route every identifier of the table, compare with the model */
static void try_filter(struct __test_metadata *_metadata,
		       const struct can_filter *filter)
{
	static const struct can_filter everything = { 0, 0 };
	struct cgw_rule rule = new_rule(filter);
	struct cgw_entry entries[DESTINATIONS + 1];
	unsigned int i, matches = 0;
	int rules;

	trying = filter;
	ASSERT_EQ(0, cgw_add(&rule));
	for (i = 0; i < ARRAY_SIZE(ids); i++)
		ASSERT_EQ(0, send_id(ids[i]));
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		if (!ct_filter_matches(filter ?: &everything, ids[i]))
			continue;
		expect_id(_metadata, ids[i]);
		matches++;
	}
	expect_no_more(_metadata);

	rules = cgw_list(entries, DESTINATIONS + 1);
	ASSERT_EQ(DESTINATIONS + 1, rules);
	while (rules--) {
		if (entries[rules].rule.flags == flags)
			ASSERT_EQ(matches, entries[rules].handled);
	}
	ASSERT_EQ(0, cgw_del(&rule));
}

static const struct can_filter filters[] = {
	/* no condition */
	{ 0, 0 },
	{ 0x123, 0 },
	{ 0x12345678 | EFF | RTR, 0 },
	/* one SFF identifier */
	{ 0x123, SFF_ONE },
	{ 0x000, SFF_ONE },
	{ 0x7FF, SFF_ONE },
	/* one SFF identifier, too, because the mask means SFF */
	{ 0x12345123, SFF_ONE },
	{ 0x12345123, EFF_ONE },
	{ 0x12345678, EFF_ONE },
	/* one EFF identifier */
	{ 0x12345678 | EFF, EFF_ONE },
	{ 0x00000123 | EFF, EFF_ONE },
	{ 0x00000000 | EFF, EFF_ONE },
	{ 0x1FFFFFFF | EFF, EFF_ONE },
	/* one identifier of remote frames */
	{ 0x123 | RTR, SFF_ONE },
	{ 0x12345678 | EFF | RTR, EFF_ONE },
	/* masks with flags */
	{ 0x123, CAN_SFF_MASK | EFF },
	{ 0x123, CAN_SFF_MASK | RTR },
	{ 0x123 | EFF, CAN_SFF_MASK | EFF },
	{ 0x123 | EFF, SFF_ONE },
	{ 0x12345678 | EFF, CAN_EFF_MASK | EFF },
	{ 0x12345678, CAN_EFF_MASK | EFF },
	{ 0x123 | RTR, CAN_SFF_MASK | RTR },
	{ 0, EFF },
	{ 0x1FFFFFFF, EFF },
	{ EFF, EFF },
	{ RTR, RTR },
	{ 0, RTR },
	{ 0, EFF | RTR },
	{ EFF | RTR, EFF | RTR },
	/* masks without flags */
	{ 0x123, CAN_SFF_MASK },
	{ 0x123, CAN_EFF_MASK },
	{ 0x12345678, CAN_EFF_MASK },
	{ 0x7FF, 0x700 },
	{ 0x001, 0x001 },
	{ 0x000, 0x001 },
	{ 0x12340000, 0x1FFF0000 },
	{ 0, CAN_EFF_MASK },
	/* inverted */
	{ INV, 0 },
	{ 0x123 | INV, 0 },
	{ 0x123 | INV, SFF_ONE },
	{ 0x12345678 | EFF | INV, EFF_ONE },
	{ 0x12345123 | INV, EFF_ONE },
	{ 0x123 | INV, CAN_SFF_MASK },
	{ 0x12345678 | INV, CAN_EFF_MASK },
	{ 0x123 | RTR | INV, SFF_ONE },
	{ RTR | INV, RTR },
	{ EFF | INV, EFF },
	{ INV, EFF },
	{ 0x7FF | INV, 0x700 },
	/* error frames: the filter's identifier does not count */
	{ 0, ERR | CAN_ERR_MASK },
	{ 0, ERR | CAN_ERR_BUSOFF },
	{ 0x123, ERR | CAN_ERR_CRTL },
	{ 0x123 | INV, ERR | CAN_ERR_CRTL },
	{ 0, ERR | CAN_ERR_CNT | CAN_ERR_TX_TIMEOUT },
	{ ERR, ERR | EFF | RTR | CAN_ERR_BUSOFF },
	{ 0, ERR | EFF | RTR },
	{ 0, ERR },
};

TEST_F_TIMEOUT(gw_filter, frames_are_routed_by_the_filter, LONG_TEST)
{
	unsigned int i;

	try_filter(_metadata, NULL);
	for (i = 0; i < ARRAY_SIZE(filters); i++)
		try_filter(_metadata, &filters[i]);
}

/* few bits in the masks, and identifiers of the table, so that much matches */
TEST_F_TIMEOUT(gw_filter, random_filters, LONG_TEST)
{
	struct can_filter filter;
	__u32 state = 29;
	int number;

	for (number = 0; number < 150; number++) {
		filter.can_id = ids[ct_random(&state) % ARRAY_SIZE(ids)];
		filter.can_id ^= ct_random(&state) & ct_random(&state) &
				 INV;
		filter.can_mask = ct_random(&state) & ct_random(&state) &
				  ct_random(&state);
		try_filter(_metadata, &filter);
	}
}

/* by hand, without the model */
TEST_F(gw_filter, error_frames_need_a_filter_for_errors)
{
	static const struct can_filter crtl = { 0, ERR | CAN_ERR_CRTL };
	static const struct can_filter busoff = { 0, ERR | CAN_ERR_BUSOFF };
	static const struct {
		const struct can_filter *filter;
		bool routed;
		canid_t not_routed;	/* no error frame */
	} cases[] = {
		{ NULL, false, ERR | CAN_ERR_BUSOFF },
		{ &crtl, false, CAN_ERR_CRTL },
		{ &busoff, true, CAN_ERR_BUSOFF },
	};
	const canid_t error = ERR | CAN_ERR_BUSOFF;
	struct cgw_rule rule;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		rule = new_rule(cases[i].filter);
		ASSERT_EQ(0, cgw_add(&rule));
		ASSERT_EQ(0, send_id(cases[i].not_routed));
		ASSERT_EQ(0, send_id(error));
		if (cases[i].routed)
			expect_id(_metadata, error);
		expect_no_more(_metadata);
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

/* all identifiers that there are, so that each entry of the kernel's array is hit */
TEST_F_TIMEOUT(gw_filter, filter_for_one_sff_identifier_matches_no_other,
	       LONG_TEST)
{
	static const canid_t wanted[] = { 0x000, 0x123, 0x7FF };
	struct can_filter filter = { .can_mask = SFF_ONE };
	struct cgw_rule rule = new_rule(&filter);
	unsigned int i;
	canid_t id;

	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		filter.can_id = wanted[i];
		ASSERT_EQ(0, cgw_add(&rule));
		for (id = 0; id <= CAN_SFF_MASK; id++) {
			ASSERT_EQ(0, send_id(id));
			if (id == wanted[i])
				expect_id(_metadata, id);
			if (id % 128 == 127)
				expect_no_more(_metadata);
		}
		ASSERT_EQ(0, cgw_del(&rule));
	}
}

static struct can_filter nth_filter(unsigned int i)
{
	if (i % 2)
		return (struct can_filter){ (0x10000 * i + i) | EFF, EFF_ONE };
	return (struct can_filter){ 7 * i % 0x800, SFF_ONE };
}

/* a rule for each identifier: the kernel must find that of a frame among all */
TEST_F_TIMEOUT(gw_filter, one_rule_for_each_of_many_identifiers, LONG_TEST)
{
	const unsigned int rules = 300;
	struct can_filter filter;
	unsigned int i;

	for (i = 0; i < rules; i++) {
		filter = nth_filter(i);
		ASSERT_EQ(0, add_marker(&filter, i));
	}
	for (i = 0; i < rules; i++) {
		ASSERT_EQ(0, send_id(nth_filter(i).can_id));
		expect_id(_metadata, i);
	}
	expect_no_more(_metadata);
}

TEST_F(gw_filter, other_interfaces_are_not_routed)
{
	struct cgw_rule rule = new_rule(NULL);
	int other, fd;

	other = CT_OK(ct_vcan_add("other", CANFD_MTU));
	fd = CT_OK(open_socket(other));

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, ct_send_id_mtu(fd, 0x123, mtu));
	ASSERT_EQ(0, send_id(0x124));
	expect_id(_metadata, 0x124);
	expect_no_more(_metadata);
}

/*
 * Filters of all sorts that match the same frame. The sorts are numbered in
 * the order in which their rules send.
 */
enum sort {
	SORT_ALL,
	SORT_MASK,
	SORT_INVERTED,
	SORT_ONE,
	SORTS,
};

struct sorted {
	enum sort sort;
	struct can_filter filter;
};

#define SORTED		12
#define SORTED_SFF_ID	0x123
#define SORTED_EFF_ID	(0x12345678 | EFF)

/* the same filter twice, and different ones, in each sort */
static const struct sorted sorted_sff[SORTED] = {
	{ SORT_ONE, { 0x123, SFF_ONE } },
	{ SORT_INVERTED, { 0x124 | INV, SFF_ONE } },
	{ SORT_MASK, { 0x123, CAN_SFF_MASK } },
	{ SORT_ALL, { 0, 0 } },
	{ SORT_INVERTED, { RTR | INV, RTR } },
	{ SORT_MASK, { 0x100, 0x700 } },
	{ SORT_ONE, { 0x12345123, EFF_ONE } },
	{ SORT_ALL, { 0x456, 0 } },
	{ SORT_MASK, { 0x123, CAN_SFF_MASK } },
	{ SORT_ONE, { 0x123, SFF_ONE } },
	{ SORT_INVERTED, { 0x124 | INV, SFF_ONE } },
	{ SORT_ALL, { 0, 0 } },
};

static const struct sorted sorted_eff[SORTED] = {
	{ SORT_ALL, { 0, 0 } },
	{ SORT_ONE, { 0x12345678 | EFF, EFF_ONE } },
	{ SORT_MASK, { EFF, EFF } },
	{ SORT_INVERTED, { 0x123 | INV, SFF_ONE } },
	{ SORT_ONE, { 0x12345678 | EFF, EFF_ONE } },
	{ SORT_MASK, { 0x12345678 | EFF, CAN_EFF_MASK | EFF } },
	{ SORT_INVERTED, { 0x12345679 | EFF | INV, EFF_ONE } },
	{ SORT_ALL, { 0x789 | EFF, 0 } },
	{ SORT_MASK, { EFF, EFF } },
	{ SORT_ONE, { 0x12345678 | EFF, EFF_ONE } },
	{ SORT_INVERTED, { 0x123 | INV, SFF_ONE } },
	{ SORT_ALL, { 0, 0 } },
};

/*
 * Rules that match the frame with @id are in the kernel, added in the order of
 * @added (indices into @sorted, which are also the markers).
 */
static void expect_sorted(struct __test_metadata *_metadata, canid_t id,
			  const struct sorted *sorted, const int *added,
			  int count)
{
	enum sort sort;
	int i;

	ASSERT_EQ(0, send_id(id));
	for (sort = 0; sort < SORTS; sort++) {
		for (i = count - 1; i >= 0; i--) {
			if (sorted[added[i]].sort == sort)
				expect_id(_metadata, added[i]);
		}
	}
	expect_no_more(_metadata);
}

static void shuffle(int *numbers, int count, __u32 *state)
{
	int i, j, swap;

	for (i = count - 1; i > 0; i--) {
		j = ct_random(state) % (i + 1);
		swap = numbers[i];
		numbers[i] = numbers[j];
		numbers[j] = swap;
	}
}

/* add the rules in many orders, and send a frame after each one */
static void try_sorted(struct __test_metadata *_metadata, canid_t id,
		       const struct sorted *sorted)
{
	int added[SORTED], round, i;
	struct cgw_rule rule;
	__u32 state = 31;

	for (i = 0; i < SORTED; i++)
		added[i] = i;

	for (round = 0; round < 20; round++) {
		for (i = 0; i < SORTED; i++) {
			ASSERT_EQ(0, add_marker(&sorted[added[i]].filter,
						added[i]));
			expect_sorted(_metadata, id, sorted, added, i + 1);
		}
		for (i = 0; i < SORTED; i++) {
			rule = new_marker(&sorted[added[i]].filter, added[i]);
			ASSERT_EQ(0, cgw_del(&rule));
		}
		shuffle(added, SORTED, &state);
	}
}

TEST_F_TIMEOUT(gw_filter, order_of_rules_for_an_sff_frame, LONG_TEST)
{
	try_sorted(_metadata, SORTED_SFF_ID, sorted_sff);
}

TEST_F_TIMEOUT(gw_filter, order_of_rules_for_an_eff_frame, LONG_TEST)
{
	try_sorted(_metadata, SORTED_EFF_ID, sorted_eff);
}

/* a filter for one remote identifier is one with a mask, no sort of its own */
TEST_F(gw_filter, order_of_rules_for_a_remote_frame)
{
	static const struct sorted sorted[] = {
		{ SORT_MASK, { 0x123 | RTR, SFF_ONE } },
		{ SORT_INVERTED, { 0x123 | INV, SFF_ONE } },
		{ SORT_MASK, { RTR, RTR } },
		{ SORT_MASK, { 0x123 | RTR, SFF_ONE } },
		{ SORT_ALL, { 0, 0 } },
		{ SORT_MASK, { 0x123, CAN_SFF_MASK } },
	};
	int added[ARRAY_SIZE(sorted)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sorted); i++) {
		added[i] = i;
		ASSERT_EQ(0, add_marker(&sorted[i].filter, i));
	}
	expect_sorted(_metadata, 0x123 | RTR, sorted, added,
		      ARRAY_SIZE(sorted));
}

TEST_F(gw_filter, newest_rule_for_error_frames_comes_first)
{
	static const struct can_filter errors[] = {
		{ 0, ERR | CAN_ERR_MASK },
		{ 0, ERR | CAN_ERR_BUSOFF },
		{ 0x123, ERR | CAN_ERR_BUSOFF | CAN_ERR_CRTL },
		{ 0, ERR | CAN_ERR_BUSOFF },
	};
	int i;

	for (i = 0; i < (int)ARRAY_SIZE(errors); i++)
		ASSERT_EQ(0, add_marker(&errors[i], i));
	ASSERT_EQ(0, send_id(ERR | CAN_ERR_BUSOFF));
	while (i--)
		expect_id(_metadata, i);
	expect_no_more(_metadata);
}

/* a rule that is removed and added again is the newest; an updated one is not */
TEST_F(gw_filter, only_an_added_rule_changes_its_position)
{
	struct cgw_rule rules[3];
	int i;

	for (i = 0; i < 3; i++) {
		rules[i] = new_marker(NULL, i);
		rules[i].uid = 100 + i;
		ASSERT_EQ(0, cgw_add(&rules[i]));
	}

	/* the same uid: the kernel replaces the modification */
	rules[0].set.cf.can_id = 10;
	ASSERT_EQ(0, cgw_add(&rules[0]));
	ASSERT_EQ(0, send_id(0x123));
	expect_id(_metadata, 2);
	expect_id(_metadata, 1);
	expect_id(_metadata, 10);
	expect_no_more(_metadata);

	ASSERT_EQ(0, cgw_del(&rules[1]));
	ASSERT_EQ(0, cgw_add(&rules[1]));
	ASSERT_EQ(0, send_id(0x123));
	expect_id(_metadata, 1);
	expect_id(_metadata, 2);
	expect_id(_metadata, 10);
	expect_no_more(_metadata);
}

/* read by one socket for all interfaces, which receives in the order of sending */
TEST_F(gw_filter, order_is_kept_across_destinations)
{
	static const struct can_filter one = { 0x123, SFF_ONE };
	static const canid_t expected[] = { 0x123, 5, 4, 2, 1, 3, 0 };
	struct cgw_rule rule;
	unsigned int i;
	int all;

	all = CT_OK(open_socket(0));
	for (i = 0; i < 6; i++) {
		rule = new_marker(i % 3 ? NULL : &one, i);
		rule.dst = dst[i % DESTINATIONS];
		ASSERT_EQ(0, cgw_add(&rule));
	}

	ASSERT_EQ(0, send_id(0x123));
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		expect_from(_metadata, all, mtu, expected[i]);
}

TEST_F(gw_filter, two_destinations_get_the_same_frame)
{
	static const struct can_filter one = { 0x123, SFF_ONE };
	struct cgw_rule first = new_rule(NULL);
	struct cgw_rule second = new_rule(&one);

	second.dst = dst[1];
	ASSERT_EQ(0, cgw_add(&first));
	ASSERT_EQ(0, cgw_add(&second));

	ASSERT_EQ(0, send_id(0x123));
	ASSERT_EQ(0, send_id(0x124));
	expect_id(_metadata, 0x123);
	expect_id(_metadata, 0x124);
	expect_from(_metadata, rx[1], mtu, 0x123);
	expect_no_more(_metadata);
}

static void expect_data(struct __test_metadata *_metadata, int destination,
			const char *data)
{
	struct canfd_frame got;

	ASSERT_EQ((ssize_t)mtu, ct_recv(rx[destination], &got, sizeof(got),
					CT_TIMEOUT_MS));
	ASSERT_EQ(0, memcmp(data, got.data, 8));
}

/* each rule begins with the frame as it was received */
TEST_F(gw_filter, modifications_of_one_rule_do_not_affect_another)
{
	static const char sent[] = "\x01\x02\x03\x04\x05\x06\x07\x08";
	static const char by_first[] = "\x21\x22\x23\x24\x25\x26\x27\x28";
	static const char by_second[] = "\x41\x42\x43\x44\x45\x46\x47\x48";
	struct cgw_rule plain = new_rule(NULL);
	struct cgw_rule first = plain, second = plain;
	struct canfd_frame frame;
	int i, j;

	second.dst = dst[1];
	first.or.type = CGW_MOD_DATA;
	memset(first.or.cf.data, 0x20, CANFD_MAX_DLEN);
	second.or.type = CGW_MOD_DATA;
	memset(second.or.cf.data, 0x40, CANFD_MAX_DLEN);

	/* plain rules come before, between and after those that modify */
	ASSERT_EQ(0, cgw_add(&plain));
	ASSERT_EQ(0, cgw_add(&first));
	ASSERT_EQ(0, cgw_add(&plain));
	ASSERT_EQ(0, cgw_add(&second));
	ASSERT_EQ(0, cgw_add(&plain));

	ct_fdframe(&frame, 0x123, 8, sent);
	if (mtu == CAN_MTU)
		frame.flags = 0;
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, ct_send(tx, &frame, mtu));
		expect_data(_metadata, 1, by_second);
		for (j = 0; j < 4; j++)
			expect_data(_metadata, 0, j == 2 ? by_first : sent);
	}
	expect_no_more(_metadata);
}

TEST_HARNESS_MAIN
