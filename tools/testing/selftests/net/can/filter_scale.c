// SPDX-License-Identifier: GPL-2.0-only
/*
 * Many receive filters, with many masks: which frame reaches which socket or
 * gateway rule, in which order, also after some filters are removed, and the lists
 * in /proc/net/can.
 *
 * The way in which the kernel finds a filter must not be visible. Tests add filters
 * until the kernel has to use its structures for many of them, add and remove
 * filters so that these structures grow and shrink, and compare all results with a
 * model that compares one filter after the other.
 *
 * The test stays on one CPU: its frames pass one queue, in order. To show that a
 * frame does not arrive, another one is sent after it: at the gateway a CAN
 * FD frame with a rule of its own, at sockets a barrier.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/gw.h>
#include <linux/can/raw.h>
#include <linux/rtnetlink.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "cgw.h"
#include "gw_path.h"

#define LONG_TEST	400	/* seconds: for machines that are emulated */

#define EFF		CAN_EFF_FLAG
#define RTR		CAN_RTR_FLAG
#define ERR		CAN_ERR_FLAG
#define INV		CAN_INV_FILTER

/* the masks for data frames of one identifier */
#define SFF_ONE		(CAN_SFF_MASK | EFF | RTR)
#define EFF_ONE		(CAN_EFF_MASK | EFF | RTR)

#define SFF_IDS		(CAN_SFF_MASK + 1)

/* how many of @filters match a frame */
static int count_matches(const struct can_filter *filters, int count, canid_t id)
{
	int matches = 0;

	while (count--)
		matches += ct_filter_matches(filters++, id);
	return matches;
}

/* The files in /proc/net/can, in the order in which gateway rules send. */
enum list { LIST_ERR, LIST_ALL, LIST_FIL, LIST_INV, LIST_SFF, LIST_EFF, LISTS };

static const char * const list_names[LISTS] = {
	"err", "all", "fil", "inv", "sff", "eff",
};

static enum list list_of(const struct can_filter *filter)
{
	canid_t mask = ct_filter_mask(filter);

	if (mask & ERR)
		return LIST_ERR;
	if (filter->can_id & INV)
		return LIST_INV;
	if (!mask)
		return LIST_ALL;
	if (filter->can_id & RTR)
		return LIST_FIL;
	if (filter->can_id & EFF)
		return mask == EFF_ONE ? LIST_EFF : LIST_FIL;
	return mask == SFF_ONE ? LIST_SFF : LIST_FIL;
}

/* room for every frame that a test leaves in a queue */
static int set_rcvbuf(int fd)
{
	return ct_sock_set(fd, SO_RCVBUFFORCE, 4 << 20);
}

/* entries of all receive lists */
static long current_entries(void)
{
	return ct_can_stats(" current receive list entries (");
}

static long maximum_entries(void)
{
	return ct_can_stats(" maximum receive list entries (");
}

/*
 * The gateway: gw_path.h describes how frames pass. Each rule sets an identifier of
 * its own, its marker, which tells the rule that routed a frame.
 */
#define SENTINEL_ID	0x7AA

/* receivers: the sentinel's rule, @rules more, and the socket at the other end */
static long gateway_entries(int rules)
{
	return rules + 2;
}

static int add_sentinel(const struct gw_path *gateway)
{
	const struct can_filter only = { SENTINEL_ID, SFF_ONE };
	const struct cgw_rule rule = {
		.src = gateway->src,
		.dst = gateway->dst,
		.flags = CGW_FLAGS_CAN_FD,
		.filter = &only,
	};

	return cgw_add(&rule);
}

static int gateway_open(struct gw_path *gateway)
{
	return gw_path_open(gateway, CANFD_MTU) ?:
	       ct_raw_filters(gateway->tx, NULL, 0) ?:
	       set_rcvbuf(gateway->rx) ?: add_sentinel(gateway);
}

struct job {
	struct can_filter filter;
	canid_t marker;
};

static struct cgw_rule job_rule(const struct gw_path *gateway,
				const struct job *job)
{
	struct cgw_rule rule = {
		.src = gateway->src,
		.dst = gateway->dst,
		.filter = &job->filter,
	};

	rule.set.type = CGW_MOD_ID;
	rule.set.cf.can_id = job->marker;
	return rule;
}

/* many requests in one message; only the last one requests an answer */
struct bulk {
	struct mnl_socket *nl;
	char buf[16384];
	size_t len;
	struct nlmsghdr *last;
};

static int bulk_send(struct bulk *bulk)
{
	char answer[CGW_MSG_SIZE];
	ssize_t len;

	if (!bulk->len)
		return 0;
	bulk->last->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(bulk->nl, bulk->buf, bulk->len) < 0)
		return -errno;
	bulk->len = 0;

	/* the first error, if there is one, comes before the answer */
	len = mnl_socket_recvfrom(bulk->nl, answer, sizeof(answer));
	if (len < 0 || mnl_cb_run(answer, len, 0, 0, NULL, NULL) < 0)
		return -errno;
	return 0;
}

static int bulk_put(struct bulk *bulk, const struct nlmsghdr *nlh)
{
	size_t len = MNL_ALIGN(nlh->nlmsg_len);
	int err = 0;

	if (bulk->len + len > sizeof(bulk->buf))
		err = bulk_send(bulk);
	bulk->last = (struct nlmsghdr *)(bulk->buf + bulk->len);
	memcpy(bulk->last, nlh, len);
	bulk->len += len;
	return err;
}

/* RTM_NEWROUTE or RTM_DELROUTE for @count jobs, which are @step apart */
static int request_jobs(const struct gw_path *gateway, int type,
			const struct job *jobs, int count, int step)
{
	struct bulk bulk = {
		.nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC),
	};
	char buf[CGW_MSG_SIZE];
	struct cgw_rule rule;
	struct nlmsghdr *nlh;
	int err = 0;

	if (!bulk.nl)
		return -errno;
	for (; count && !err; count--, jobs += step) {
		rule = job_rule(gateway, jobs);
		nlh = cgw_msg(buf, type, rule.flags);
		nlh->nlmsg_flags = NLM_F_REQUEST;
		cgw_put_rule(nlh, &rule);
		err = bulk_put(&bulk, nlh);
	}
	if (!err)
		err = bulk_send(&bulk);
	mnl_socket_close(bulk.nl);
	return err;
}

static int add_jobs(const struct gw_path *gateway, const struct job *jobs,
		    int count)
{
	return request_jobs(gateway, RTM_NEWROUTE, jobs, count, 1);
}

static int del_jobs(const struct gw_path *gateway, const struct job *jobs,
		    int count)
{
	return request_jobs(gateway, RTM_DELROUTE, jobs, count, 1);
}

static void expect_routed(struct __test_metadata *_metadata,
			  const struct gw_path *gateway, canid_t marker)
{
	struct canfd_frame frame = { .can_id = 0 };

	ASSERT_EQ((ssize_t)CAN_MTU,
		  ct_recv(gateway->rx, &frame, sizeof(frame), CT_TIMEOUT_MS))
		TH_LOG("expected %08x, received %08x", marker, frame.can_id);
	ASSERT_EQ(marker, frame.can_id)
		TH_LOG("expected %08x, received %08x", marker, frame.can_id);
}

/* nothing else comes out of the gateway any more */
static void expect_no_more(struct __test_metadata *_metadata,
			   const struct gw_path *gateway)
{
	struct canfd_frame frame;

	ct_fdframe(&frame, SENTINEL_ID, 8, NULL);
	ASSERT_EQ(0, ct_send(gateway->tx, &frame, CANFD_MTU));
	ASSERT_EQ((ssize_t)CANFD_MTU,
		  ct_recv(gateway->rx, &frame, sizeof(frame), CT_TIMEOUT_MS))
		TH_LOG("received %08x", frame.can_id);
}

/* 2048 rules: one for each SFF identifier, with and without flags in the mask */
FIXTURE(sff_jobs)
{
	struct gw_path gateway;
	struct job jobs[SFF_IDS];
	const struct job *for_id[SFF_IDS];
};

FIXTURE_VARIANT(sff_jobs)
{
	canid_t mask;
};

FIXTURE_VARIANT_ADD(sff_jobs, mask_c00007ff) { SFF_ONE };
FIXTURE_VARIANT_ADD(sff_jobs, mask_7ff) { CAN_SFF_MASK };

FIXTURE_SETUP(sff_jobs)
{
	unsigned int i, id;

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");
	ASSERT_EQ(0, gateway_open(&self->gateway));
	for (i = 0; i < SFF_IDS; i++) {
		/* every identifier once, in no particular order */
		id = i * 1021 % SFF_IDS;
		self->jobs[i].filter.can_id = id;
		self->jobs[i].filter.can_mask = variant->mask;
		self->jobs[i].marker = EFF | id;
		self->for_id[id] = &self->jobs[i];
	}
	ASSERT_EQ(0, add_jobs(&self->gateway, self->jobs, SFF_IDS));
}

FIXTURE_TEARDOWN(sff_jobs) { }

/* frames with all low eleven bits in steps, and with the others of @more */
static void try_sff_jobs(struct __test_metadata *_metadata,
			 const FIXTURE_DATA(sff_jobs) *self, canid_t more,
			 unsigned int step)
{
	const struct job *job;
	unsigned int low, base;

	for (base = 0; base < SFF_IDS; base += 128) {
		for (low = base; low < base + 128; low += step)
			ASSERT_EQ(0, ct_send_id(self->gateway.tx, low | more));
		for (low = base; low < base + 128; low += step) {
			job = self->for_id[low];
			if (job && ct_filter_matches(&job->filter, low | more))
				expect_routed(_metadata, &self->gateway,
					      job->marker);
		}
		expect_no_more(_metadata, &self->gateway);
	}
}

static void try_all_kinds(struct __test_metadata *_metadata,
			  const FIXTURE_DATA(sff_jobs) *self)
{
	try_sff_jobs(_metadata, self, 0, 1);
	try_sff_jobs(_metadata, self, RTR, 16);
	try_sff_jobs(_metadata, self, EFF, 16);
	try_sff_jobs(_metadata, self, EFF | 0x12345800, 16);
	try_sff_jobs(_metadata, self, ERR, 64);
}

TEST_F_TIMEOUT(sff_jobs, each_frame_is_routed_by_its_rule, LONG_TEST)
{
	ASSERT_EQ(gateway_entries(SFF_IDS), current_entries());
	try_all_kinds(_metadata, self);
}

TEST_F_TIMEOUT(sff_jobs, removing_every_second_rule_keeps_the_others, LONG_TEST)
{
	unsigned int i;

	/* from the newest on, which the gateway finds first */
	ASSERT_EQ(0, request_jobs(&self->gateway, RTM_DELROUTE,
				  &self->jobs[SFF_IDS - 1], SFF_IDS / 2, -2));
	for (i = 1; i < SFF_IDS; i += 2)
		self->for_id[self->jobs[i].filter.can_id] = NULL;
	ASSERT_EQ(gateway_entries(SFF_IDS / 2), current_entries());
	ASSERT_EQ(gateway_entries(SFF_IDS), maximum_entries());
	try_all_kinds(_metadata, self);
}

/*
 * 65536 rules for EFF identifiers with one mask. Without the RTR flag in the
 * mask a filter is not one for a single kind of frame.
 */
#define MANY		65536
#define MANY_OLDEST	20000	/* removed in the order of creation */
#define FEW_OLDEST	64	/* for kernels that search a list for each of them */
#define MANY_NEWEST	4096	/* removed in reverse */

FIXTURE(many_jobs)
{
	struct gw_path gateway;
	struct job *jobs;
	__u32 *handled;
	struct cgw_entry *entries;
};

FIXTURE_VARIANT(many_jobs)
{
	canid_t mask;
};

FIXTURE_VARIANT_ADD(many_jobs, one_identifier_each) { EFF_ONE };
FIXTURE_VARIANT_ADD(many_jobs, masked) { CAN_EFF_MASK | EFF };

/* distinct for all @i below 2^29, because the factor is odd */
static canid_t many_id(unsigned int i)
{
	return EFF | ((i * 0x0a1b2c35) & CAN_EFF_MASK);
}

FIXTURE_SETUP(many_jobs)
{
	int i;

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");
	self->jobs = calloc(MANY, sizeof(*self->jobs));
	ASSERT_NE(NULL, self->jobs);
	self->handled = calloc(MANY, sizeof(*self->handled));
	ASSERT_NE(NULL, self->handled);
	self->entries = malloc((MANY + 2) * sizeof(*self->entries));
	ASSERT_NE(NULL, self->entries);

	ASSERT_EQ(0, gateway_open(&self->gateway));
	for (i = 0; i < MANY; i++) {
		self->jobs[i].filter.can_id = many_id(i);
		self->jobs[i].filter.can_mask = variant->mask;
		self->jobs[i].marker = EFF | i;
	}
	ASSERT_EQ(0, add_jobs(&self->gateway, self->jobs, MANY));
}

FIXTURE_TEARDOWN(many_jobs) { }

/* the frame of job @i, which exists or not */
static void try_job(struct __test_metadata *_metadata,
		    FIXTURE_DATA(many_jobs) *self, int i, bool there)
{
	ASSERT_EQ(0, ct_send_id(self->gateway.tx, many_id(i)));
	if (there) {
		expect_routed(_metadata, &self->gateway, self->jobs[i].marker);
		self->handled[i]++;
	}
}

static bool listed_right(const FIXTURE_DATA(many_jobs) *self,
			 const struct cgw_entry *entry, int i)
{
	const struct job *job = &self->jobs[i];

	return entry->rule.src == self->gateway.src &&
	       entry->rule.dst == self->gateway.dst &&
	       entry->filter.can_id == job->filter.can_id &&
	       entry->filter.can_mask == job->filter.can_mask &&
	       entry->rule.set.type == CGW_MOD_ID &&
	       entry->rule.set.cf.can_id == job->marker &&
	       entry->handled == self->handled[i] &&
	       !entry->dropped && !entry->deleted;
}

/* the list has the jobs from @first to before @end, and the sentinel's rule */
static void expect_listed(struct __test_metadata *_metadata,
			  const FIXTURE_DATA(many_jobs) *self, int first,
			  int end)
{
	int i, wrong = 0;

	ASSERT_EQ(end - first + 1, cgw_list(self->entries, MANY + 2));
	for (i = first; i < end; i++)
		if (!listed_right(self, &self->entries[end - 1 - i], i))
			wrong++;
	EXPECT_EQ(0, wrong);
	ASSERT_EQ(gateway_entries(end - first), current_entries());
}

/* the jobs at the ends and some between route frames, and no others do */
static void expect_routing(struct __test_metadata *_metadata,
			   FIXTURE_DATA(many_jobs) *self, int first, int end)
{
	__u32 state = 41;
	int i, n;

	try_job(_metadata, self, first, true);
	try_job(_metadata, self, end - 1, true);
	try_job(_metadata, self, (first + end) / 2, true);
	for (n = 0; n < 100; n++)
		try_job(_metadata, self, first + ct_random(&state) %
			(end - first), true);
	for (i = 0; i < first; i += i < FEW_OLDEST ? 1 : 256)
		try_job(_metadata, self, i, false);
	for (i = end; i < MANY; i += 256)
		try_job(_metadata, self, i, false);
	for (i = MANY; i < MANY + 20; i++)
		try_job(_metadata, self, i, false);
	expect_no_more(_metadata, &self->gateway);
}

TEST_F_TIMEOUT(many_jobs, are_listed_used_and_removed, LONG_TEST)
{
	const int first = ct_baseline() ? FEW_OLDEST : MANY_OLDEST;
	const int end = MANY - MANY_NEWEST;
	canid_t remote = many_id(MANY / 3) | RTR;
	int i;

	expect_routing(_metadata, self, 0, MANY);
	expect_listed(_metadata, self, 0, MANY);

	/* the RTR flag makes the difference between the variants */
	ASSERT_EQ(0, ct_send_id(self->gateway.tx, remote));
	if (!(variant->mask & RTR)) {
		expect_routed(_metadata, &self->gateway, EFF | MANY / 3);
		self->handled[MANY / 3]++;
	}
	expect_no_more(_metadata, &self->gateway);

	ASSERT_EQ(0, del_jobs(&self->gateway, self->jobs, first));
	ASSERT_EQ(0, request_jobs(&self->gateway, RTM_DELROUTE,
				  &self->jobs[MANY - 1], MANY_NEWEST, -1));
	expect_routing(_metadata, self, first, end);
	expect_listed(_metadata, self, first, end);

	ASSERT_EQ(0, cgw_flush());
	ASSERT_EQ(0, cgw_list(NULL, 0));
	ASSERT_EQ(1, current_entries());
	ASSERT_EQ(0, add_sentinel(&self->gateway));
	for (i = 0; i < MANY; i += 512)
		try_job(_metadata, self, i, false);
	expect_no_more(_metadata, &self->gateway);
	ASSERT_EQ(gateway_entries(MANY), maximum_entries());

	/* and there may be rules again */
	ASSERT_EQ(0, add_jobs(&self->gateway, self->jobs, 100));
	memset(self->handled, 0, MANY * sizeof(*self->handled));
	expect_routing(_metadata, self, 0, 100);
	expect_listed(_metadata, self, 0, 100);
}

/* Rules in numbers in which all of those that match a frame can be counted. */
#define LIVE_MAX	400

FIXTURE(gateway)
{
	struct gw_path gateway;
	struct job live[LIVE_MAX];	/* in the order of creation */
	int count;
	int created;
	unsigned int masks;		/* of order_masks that are in use */
	__u32 state;
};

FIXTURE_SETUP(gateway)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");
	self->state = 43;
	ASSERT_EQ(0, gateway_open(&self->gateway));
}

FIXTURE_TEARDOWN(gateway) { }

static void add_one(struct __test_metadata *_metadata,
		    FIXTURE_DATA(gateway) *self, canid_t id, canid_t mask)
{
	struct job *job = &self->live[self->count];

	job->filter.can_id = id;
	job->filter.can_mask = mask;
	job->marker = EFF | ++self->created;
	ASSERT_EQ(0, add_jobs(&self->gateway, job, 1));
	self->count++;
}

static void del_one(struct __test_metadata *_metadata,
		    FIXTURE_DATA(gateway) *self, int i)
{
	ASSERT_EQ(0, del_jobs(&self->gateway, &self->live[i], 1));
	self->count--;
	memmove(&self->live[i], &self->live[i + 1],
		(self->count - i) * sizeof(*self->live));
}

/*
 * The order: rules without a condition, those with a mask, the inverted ones,
 * and those for one identifier; in each group, the newest first.
 */
static void expect_ordered(struct __test_metadata *_metadata,
			   const FIXTURE_DATA(gateway) *self, canid_t id)
{
	const struct job *job;
	enum list list;
	int i;

	ASSERT_EQ(0, ct_send_id(self->gateway.tx, id));
	for (list = 0; list < LISTS; list++) {
		for (i = self->count - 1; i >= 0; i--) {
			job = &self->live[i];
			if (list_of(&job->filter) == list &&
			    ct_filter_matches(&job->filter, id))
				expect_routed(_metadata, &self->gateway,
					      job->marker);
		}
	}
	expect_no_more(_metadata, &self->gateway);
}

static const canid_t order_masks[] = {
	CAN_SFF_MASK, 0x700, 0x0ff, 0x00f, 0x123, 0x001, 0x120, 0x103,
	CAN_SFF_MASK | EFF, CAN_SFF_MASK | RTR, 0x700 | EFF, 0x00f | RTR,
	0x0ff | EFF | RTR, EFF, RTR, EFF | RTR, CAN_EFF_MASK,
	CAN_EFF_MASK | EFF,
};

static const canid_t order_ids[] = {
	0x123, 0x123 | EFF, 0x123 | RTR, 0x7a3, 0x12c, 0x12345123 | EFF,
};

/* every mask matches the frame, with two rules and with more of them */
TEST_F_TIMEOUT(gateway, newest_first_across_many_masks, LONG_TEST)
{
	unsigned int i, n;

	for (n = 0; n < 8; n++) {
		for (i = 0; i < ARRAY_SIZE(order_masks); i++)
			add_one(_metadata, self, 0x123, order_masks[i]);
		expect_ordered(_metadata, self, 0x123);
	}
	/* the oldest of each mask is removed, and added again as the newest */
	for (i = 0; i < ARRAY_SIZE(order_masks); i++)
		del_one(_metadata, self, 0);
	expect_ordered(_metadata, self, 0x123);
	for (i = ARRAY_SIZE(order_masks); i--;)
		add_one(_metadata, self, 0x123, order_masks[i]);
	expect_ordered(_metadata, self, 0x123);

	/* all of one mask after the other */
	for (i = 0; i < ARRAY_SIZE(order_masks); i++) {
		for (n = self->count; n--;) {
			if (self->live[n].filter.can_mask == order_masks[i])
				del_one(_metadata, self, n);
		}
		expect_ordered(_metadata, self, 0x123);
	}
	ASSERT_EQ(0, self->count);
	ASSERT_EQ(gateway_entries(0), current_entries());
}

static void add_random(struct __test_metadata *_metadata,
		       FIXTURE_DATA(gateway) *self)
{
	canid_t id = order_ids[ct_random(&self->state) % ARRAY_SIZE(order_ids)];
	canid_t mask = order_masks[ct_random(&self->state) % self->masks];

	switch (ct_random(&self->state) % 32) {
	case 0:
		mask = 0;
		break;
	case 1:
		id |= INV;
		break;
	case 2:
	case 3:
		mask = id & EFF ? EFF_ONE : SFF_ONE;
		break;
	}
	add_one(_metadata, self, id, mask);
}

/* up to @goal rules by adding and removing in turn, with checks in between */
static void change_rules(struct __test_metadata *_metadata,
			 FIXTURE_DATA(gateway) *self, int goal)
{
	bool more;
	int n;

	while (self->count != goal) {
		for (n = 0; n < 24 && self->count != goal; n++) {
			more = self->count < goal;
			if (!(ct_random(&self->state) % 4))
				more = !more;
			if (more)
				add_random(_metadata, self);
			else if (self->count)
				del_one(_metadata, self,
					ct_random(&self->state) % self->count);
		}
		expect_ordered(_metadata, self,
			       order_ids[ct_random(&self->state) %
					 ARRAY_SIZE(order_ids)]);
	}
	for (n = 0; n < (int)ARRAY_SIZE(order_ids); n++)
		expect_ordered(_metadata, self, order_ids[n]);
}

TEST_F_TIMEOUT(gateway, order_is_kept_while_rules_change, LONG_TEST)
{
	static const struct {
		int rules;
		unsigned int masks;
	} goals[] = {
		{ 250, ARRAY_SIZE(order_masks) }, { 60, 12 }, { 200, 3 },
		{ 20, 3 }, { 300, 5 }, { 0, 5 }, { 200, 1 }, { 0, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(goals); i++) {
		self->masks = goals[i].masks;
		change_rules(_metadata, self, goals[i].rules);
		ASSERT_EQ(gateway_entries(goals[i].rules), current_entries());
	}
}

/* the same filter in every rule, removed from the oldest on */
TEST_F_TIMEOUT(gateway, equal_filters_keep_their_order, LONG_TEST)
{
	static const struct can_filter filters[] = {
		{ 0x123, CAN_SFF_MASK },
		{ EFF | 0x12345678, EFF_ONE },
		{ 0x123, SFF_ONE },
	};
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		for (n = 0; n < LIVE_MAX; n++)
			add_one(_metadata, self, filters[i].can_id,
				filters[i].can_mask);
		while (self->count) {
			expect_ordered(_metadata, self, filters[i].can_id);
			for (n = 0; n < 50; n++)
				del_one(_metadata, self, 0);
		}
		expect_ordered(_metadata, self, filters[i].can_id);
	}
}

/* receivers of a bus without further sockets: the one of the barriers */
#define BUS_ENTRIES	1

/* a bus, which sends from a socket that receives nothing */
static int bus_open(struct ct_bus *bus)
{
	return ct_bus_open(bus) ?: ct_raw_filters(bus->tx, NULL, 0);
}

static int open_filtered(int ifindex, const struct can_filter *filters,
			 int count)
{
	int fd = ct_raw_socket();

	return fd < 0 ? fd : set_rcvbuf(fd) ?:
	       ct_raw_filters(fd, filters, count) ?: ct_raw_bind(fd, ifindex) ?: fd;
}

/* the identifier of the next frame in @fd that is no barrier */
static bool next_id(int fd, canid_t *id)
{
	struct can_frame frame;

	while (ct_recv(fd, &frame, sizeof(frame), 0) == CAN_MTU) {
		*id = frame.can_id;
		if (*id != CT_BARRIER_ID)
			return true;
	}
	return false;
}

/*
 * @fd holds the frames that at least @least of its filters match, each once, in the
 * order in which they were sent.
 */
static void expect_frames(struct __test_metadata *_metadata, int fd,
			  const struct can_filter *filters, int count,
			  int least, const canid_t *ids, int id_count)
{
	canid_t id = 0;
	int i;

	for (i = 0; i < id_count; i++) {
		if (count_matches(filters, count, ids[i]) < least)
			continue;
		ASSERT_TRUE(next_id(fd, &id))
			TH_LOG("frame %d, %08x, is missing", i, ids[i]);
		ASSERT_EQ(ids[i], id)
			TH_LOG("expected %08x, received %08x", ids[i], id);
	}
	ASSERT_FALSE(next_id(fd, &id))
		TH_LOG("%08x is too much", id);
}

static void send_ids(struct __test_metadata *_metadata, const struct ct_bus *bus,
		     const canid_t *ids, int count)
{
	while (count--)
		ASSERT_EQ(0, ct_send_id(bus->tx, *ids++));
	ASSERT_EQ(0, ct_bus_barrier(bus));
}

/* 2048 filters in four sockets, one for each SFF identifier */
#define SPLIT_SOCKETS	4
#define SPLIT_FILTERS	(SFF_IDS / SPLIT_SOCKETS)

FIXTURE(split)
{
	struct ct_bus bus;
	struct can_filter filters[SPLIT_SOCKETS][SPLIT_FILTERS];
	int fd[SPLIT_SOCKETS];
};

FIXTURE_VARIANT(split)
{
	canid_t mask;
	bool any;
};

FIXTURE_VARIANT_ADD(split, mask_c00007ff) { SFF_ONE, false };
FIXTURE_VARIANT_ADD(split, mask_7ff) { CAN_SFF_MASK, false };
FIXTURE_VARIANT_ADD(split, mask_7ff_all_interfaces) { CAN_SFF_MASK, true };

FIXTURE_SETUP(split)
{
	unsigned int i;

	ASSERT_EQ(0, bus_open(&self->bus));
	for (i = 0; i < SFF_IDS; i++) {
		struct can_filter *filter =
			&self->filters[i % SPLIT_SOCKETS][i / SPLIT_SOCKETS];

		filter->can_id = i * 1021 % SFF_IDS;
		filter->can_mask = variant->mask;
	}
	for (i = 0; i < SPLIT_SOCKETS; i++) {
		self->fd[i] = open_filtered(variant->any ? 0 :
					    self->bus.ifindex,
					    self->filters[i], SPLIT_FILTERS);
		ASSERT_LE(0, self->fd[i]);
	}
}

FIXTURE_TEARDOWN(split) { }

/* sockets from @first on are open */
static void try_split(struct __test_metadata *_metadata,
		      const FIXTURE_DATA(split) *self, int first,
		      canid_t more, unsigned int step)
{
	canid_t ids[SFF_IDS], low;
	int i, count = 0;

	for (low = 0; low < SFF_IDS; low += step)
		ids[count++] = low | more;
	send_ids(_metadata, &self->bus, ids, count);
	for (i = first; i < SPLIT_SOCKETS; i++)
		expect_frames(_metadata, self->fd[i], self->filters[i],
			      SPLIT_FILTERS, 1, ids, count);
}

TEST_F_TIMEOUT(split, each_frame_reaches_one_socket, LONG_TEST)
{
	int i;

	ASSERT_EQ(SFF_IDS + BUS_ENTRIES, current_entries());
	for (i = 0; i < SPLIT_SOCKETS; i++) {
		try_split(_metadata, self, i, 0, 1);
		try_split(_metadata, self, i, RTR, 16);
		try_split(_metadata, self, i, EFF | 0x12345800, 16);
		try_split(_metadata, self, i, ERR, 16);
		/* the others still receive their frames */
		ASSERT_EQ(0, ct_raw_filters(self->fd[i], NULL, 0));
		ASSERT_EQ((SPLIT_SOCKETS - 1 - i) * SPLIT_FILTERS + BUS_ENTRIES,
			  current_entries());
	}
}

/*
 * The same filter 512 times in each of 128 sockets. A kernel that searches a list
 * for each filter takes minutes to remove them, the oldest first; it gets fewer.
 */
#define EQUAL		512

FIXTURE(equal)
{
	struct ct_bus bus;
	int fd[128];
	int sockets;
};

FIXTURE_VARIANT(equal)
{
	struct can_filter filter;
};

FIXTURE_VARIANT_ADD(equal, one_identifier) { { EFF | 0x12345678, EFF_ONE } };
FIXTURE_VARIANT_ADD(equal, masked) { { 0x123, CAN_SFF_MASK } };

FIXTURE_SETUP(equal)
{
	struct can_filter filters[EQUAL];
	int i;

	self->sockets = ct_baseline() ? 32 : ARRAY_SIZE(self->fd);
	ASSERT_EQ(0, bus_open(&self->bus));
	for (i = 0; i < EQUAL; i++)
		filters[i] = variant->filter;
	for (i = 0; i < self->sockets; i++) {
		self->fd[i] = CT_OK(open_filtered(self->bus.ifindex, filters,
						  EQUAL));
	}
}

FIXTURE_TEARDOWN(equal) { }

TEST_F_TIMEOUT(equal, filters_are_removed_oldest_first, LONG_TEST)
{
	canid_t ids[] = { variant->filter.can_id, 0x456 };
	int i, k;

	for (i = 0; i < self->sockets; i++) {
		ASSERT_EQ((self->sockets - i) * EQUAL + BUS_ENTRIES,
			  current_entries());
		if (i % (self->sockets / 4) == 0) {
			send_ids(_metadata, &self->bus, ids, ARRAY_SIZE(ids));
			for (k = i; k < self->sockets; k++)
				expect_frames(_metadata, self->fd[k],
					      &variant->filter, 1, 1, ids,
					      ARRAY_SIZE(ids));
		}
		close(self->fd[i]);
	}
	ASSERT_EQ(BUS_ENTRIES, current_entries());
	send_ids(_metadata, &self->bus, ids, ARRAY_SIZE(ids));
}

/*
 * Filters of all kinds at the same time: each socket has up to the limit of 512, and
 * a choice of its own.
 */
#define MAX_FILTERS	512

enum choice {
	CHOOSE_SFF,	/* single identifiers, masked ones, RTR frames */
	CHOOSE_EFF,
	CHOOSE_MASKS,	/* few filters with each of many masks */
	CHOOSE_ERRORS,
	CHOOSE_JOINED,	/* all match one identifier */
	CHOOSE_EXCEPT,	/* inverted and joined */
	CHOICES,
};

struct mixed_socket {
	enum choice choice;
	bool any;
	int count;
	int fd;
	struct can_filter filters[MAX_FILTERS];
};

FIXTURE(mixed)
{
	struct ct_bus bus;
	struct mixed_socket sockets[2 * CHOICES];
	__u32 state;
};

#define JOINED_ID	(EFF | 0x12345678)

static canid_t random_id(__u32 *state)
{
	switch (ct_random(state) % 8) {
	case 0:
		return (ct_random(state) & 0x3ff) | RTR;
	case 1:
	case 2:
	case 3:
		return (ct_random(state) & 0x3ff) << 15 | 0x2345 | EFF;
	case 4:
		return (ct_random(state) & 0x3ff) << 15 | 0x2345 | EFF | RTR;
	default:
		return ct_random(state) & 0x3ff;
	}
}

static struct can_filter random_filter(enum choice choice, __u32 *state)
{
	static const canid_t sff_masks[] = {
		SFF_ONE, CAN_SFF_MASK, CAN_SFF_MASK | EFF, CAN_SFF_MASK | RTR,
		EFF_ONE, CAN_EFF_MASK | EFF,
	};
	static const canid_t eff_masks[] = {
		EFF_ONE, CAN_EFF_MASK | EFF, CAN_EFF_MASK, 0x01ffffff | EFF,
		EFF_ONE, 0x1fff8000 | EFF | RTR,
	};
	struct can_filter filter = { random_id(state), 0 };

	switch (choice) {
	case CHOOSE_SFF:
		/* the upper bits do not count, whatever the mask says */
		filter.can_id &= CAN_SFF_MASK | RTR;
		filter.can_id |= ct_random(state) & CAN_EFF_MASK &
				 ~CAN_SFF_MASK;
		filter.can_mask = sff_masks[ct_random(state) %
					    ARRAY_SIZE(sff_masks)];
		break;
	case CHOOSE_EFF:
		filter.can_id |= EFF;
		filter.can_mask = eff_masks[ct_random(state) %
					    ARRAY_SIZE(eff_masks)];
		break;
	case CHOOSE_MASKS:
		/* all but two of the lower 15 bits: 105 masks */
		filter.can_mask = EFF_ONE & ~(1 << ct_random(state) % 15) &
				  ~(1 << ct_random(state) % 15);
		filter.can_id |= EFF;
		break;
	case CHOOSE_ERRORS:
		filter.can_mask = ERR | (1 << ct_random(state) % 8);
		break;
	case CHOOSE_JOINED:
		/* 64 masks */
		filter.can_id = JOINED_ID;
		filter.can_mask = ct_random(state) & (0x1f << 20 | EFF);
		break;
	default:
		filter.can_id |= INV;
		filter.can_mask = filter.can_id & EFF ? EFF_ONE : SFF_ONE;
		break;
	}
	return filter;
}

static bool joined(const struct mixed_socket *rx)
{
	return rx->choice == CHOOSE_JOINED ||
	       rx->choice == CHOOSE_EXCEPT;
}

static void fill_filters(struct mixed_socket *rx, __u32 *state)
{
	int i;

	rx->count = MAX_FILTERS - ct_random(state) % 100;
	for (i = 0; i < rx->count; i++)
		rx->filters[i] = random_filter(rx->choice, state);
}

/* a socket of each choice on the bus, and one on all interfaces */
static int open_mixed(struct mixed_socket *sockets, const struct ct_bus *bus,
		      __u32 *state, bool want_all)
{
	struct mixed_socket *rx;
	int i;

	for (i = 0; i < 2 * CHOICES; i++) {
		rx = &sockets[i];
		rx->choice = i % CHOICES;
		rx->any = i / CHOICES;
		fill_filters(rx, state);
		/* two filters for everything, with some of the identifiers */
		if (want_all) {
			rx->filters[0].can_mask = 0;
			rx->filters[1] = rx->filters[0];
		}
		rx->fd = open_filtered(rx->any ? 0 : bus->ifindex,
				       rx->filters, rx->count);
		if (rx->fd < 0)
			return rx->fd;
	}
	return 0;
}

FIXTURE_SETUP(mixed)
{
	unsigned int i;

	self->state = 47;
	ASSERT_EQ(0, bus_open(&self->bus));
	ASSERT_EQ(0, open_mixed(self->sockets, &self->bus, &self->state,
				false));
	for (i = 0; i < ARRAY_SIZE(self->sockets); i++)
		ASSERT_EQ(0, ct_raw_set(self->sockets[i].fd,
					CAN_RAW_JOIN_FILTERS,
					joined(&self->sockets[i])));
}

FIXTURE_TEARDOWN(mixed) { }

#define MIXED_FRAMES	160

static void mixed_ids(canid_t *ids, __u32 *state)
{
	int i;

	for (i = 0; i < MIXED_FRAMES; i++)
		ids[i] = random_id(state);
	/* every class of errors, and others */
	for (i = 0; i < 12; i++)
		ids[i] = ERR | 1 << i;
	/* JOINED_ID with one bit inverted, inside the masks and outside */
	for (i = 12; i < 42; i++)
		ids[i] = JOINED_ID ^ 1 << (i - 12);
	ids[29] = JOINED_ID;
	ids[41] = JOINED_ID ^ EFF;
}

static void expect_mixed(struct __test_metadata *_metadata,
			 FIXTURE_DATA(mixed) *self)
{
	canid_t ids[MIXED_FRAMES];
	long entries = BUS_ENTRIES;
	unsigned int i;

	mixed_ids(ids, &self->state);
	send_ids(_metadata, &self->bus, ids, MIXED_FRAMES);
	for (i = 0; i < ARRAY_SIZE(self->sockets); i++) {
		struct mixed_socket *rx = &self->sockets[i];

		entries += rx->count;
		expect_frames(_metadata, rx->fd, rx->filters, rx->count,
			      joined(rx) ? rx->count : 1, ids,
			      MIXED_FRAMES);
	}
	ASSERT_EQ(entries, current_entries());
}

TEST_F_TIMEOUT(mixed, each_socket_receives_the_frames_that_match, LONG_TEST)
{
	struct mixed_socket *rx;
	int round, n;

	expect_mixed(_metadata, self);
	for (round = 0; round < 6; round++) {
		for (n = 0; n < 4; n++) {
			rx = &self->sockets[ct_random(&self->state) %
						ARRAY_SIZE(self->sockets)];
			fill_filters(rx, &self->state);
			/* few filters, for a change */
			if (ct_random(&self->state) % 2)
				rx->count = 1 + ct_random(&self->state) % 3;
			ASSERT_EQ(0, ct_raw_filters(rx->fd, rx->filters,
						    rx->count));
		}
		expect_mixed(_metadata, self);
	}
}

/* The lines of /proc/net/can, one for each receiver, without their two pointers. */
#define SHOWN_MAX	8192
#define SHOWN_LEN	64

struct shown {
	char (*line)[SHOWN_LEN];
	int count;
	int headings;
	int empty;
};

static int shown_add(struct shown *shown, const char *line)
{
	size_t size = strlen(line) + 1;

	if (shown->count == SHOWN_MAX || size > SHOWN_LEN)
		return -E2BIG;
	memcpy(shown->line[shown->count++], line, size);
	return 0;
}

/* a receiver in the format that it has always had */
static int shown_add_filter(struct shown *shown, const char *device,
			    const struct can_filter *filter, long matches,
			    const char *ident)
{
	canid_t mask = ct_filter_mask(filter), id = filter->can_id & mask;
	char line[SHOWN_LEN + 32];

	if (filter->can_mask & ERR) {
		mask = filter->can_mask & CAN_ERR_MASK;
		id = filter->can_id;
	}
	snprintf(line, sizeof(line),
		 id & EFF ? "   %-5s  %08x  %08x  %8ld  %s\n" :
			    "   %-5s     %03x    %08x  %8ld  %s\n",
		 device, id, mask, matches, ident);
	return shown_add(shown, line);
}

static char *after_word(char *text)
{
	text += strspn(text, " ");
	return text + strcspn(text, " ");
}

/* cut out two pointers of one width, each with two blanks before it */
static int cut_pointers(char *line)
{
	const int width = 2 + 2 * sizeof(long);
	char *begin, *middle, *end;

	begin = after_word(after_word(after_word(line)));
	middle = after_word(begin);
	end = after_word(middle);
	if (middle - begin != width || end - middle != width)
		return -EBADMSG;
	memmove(begin, end, strlen(end) + 1);
	return 0;
}

static const char * const heading = sizeof(long) == 8 ?
	"  device   can_id   can_mask      function          userdata       matches  ident\n" :
	"  device   can_id   can_mask  function  userdata   matches  ident\n";

static int shown_read_line(struct shown *shown, char *line)
{
	int err;

	if (!strcmp(line, heading)) {
		shown->headings++;
		return 0;
	}
	if (strstr(line, ": no entry)\n")) {
		shown->empty++;
		return 0;
	}
	err = cut_pointers(line);
	return err ? err : shown_add(shown, line);
}

static int shown_read(struct shown *shown, enum list list)
{
	char path[64], title[64], line[256];
	int err = 0, number = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/net/can/rcvlist_%s",
		 list_names[list]);
	snprintf(title, sizeof(title), "receive list 'rx_%s':\n",
		 list_names[list]);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	shown->count = 0;
	shown->headings = 0;
	shown->empty = 0;
	while (!err && fgets(line, sizeof(line), file)) {
		/* a blank line, the title, and a blank line at the end */
		if (number++ == 1)
			err = strcmp(line, title) ? -EBADMSG : 0;
		else if (strcmp(line, "\n"))
			err = shown_read_line(shown, line);
	}
	fclose(file);
	return err;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void shown_sort(struct shown *shown)
{
	qsort(shown->line, shown->count, SHOWN_LEN, compare_lines);
}

FIXTURE(proc)
{
	struct ct_bus bus;
	struct mixed_socket sockets[2 * CHOICES];
	struct shown shown, expected;
	canid_t ids[MIXED_FRAMES];
	__u32 state;
};

FIXTURE_SETUP(proc)
{
	self->state = 53;
	self->shown.line = malloc(SHOWN_MAX * SHOWN_LEN);
	ASSERT_NE(NULL, self->shown.line);
	self->expected.line = malloc(SHOWN_MAX * SHOWN_LEN);
	ASSERT_NE(NULL, self->expected.line);
	ASSERT_EQ(0, bus_open(&self->bus));
	ASSERT_EQ(0, open_mixed(self->sockets, &self->bus, &self->state, true));
}

FIXTURE_TEARDOWN(proc) { }

/* frames that a filter has matched, and the barrier after them */
static long matches_of(const FIXTURE_DATA(proc) *self,
		       const struct can_filter *filter)
{
	long matches = ct_filter_matches(filter, CT_BARRIER_ID);
	int i;

	for (i = 0; i < MIXED_FRAMES; i++)
		matches += ct_filter_matches(filter, self->ids[i]);
	return matches;
}

static void expect_filters(struct __test_metadata *_metadata,
			   FIXTURE_DATA(proc) *self, enum list list,
			   const struct mixed_socket *rx)
{
	const char *device = rx->any ? "any" : "vcan0";
	const struct can_filter *filter = rx->filters;
	int i;

	for (i = 0; i < rx->count; i++, filter++)
		if (list_of(filter) == list)
			ASSERT_EQ(0, shown_add_filter(&self->expected, device,
						      filter,
						      matches_of(self, filter),
						      "raw"));
}

/* sockets before @open are closed */
static void expect_shown(struct __test_metadata *_metadata,
			 FIXTURE_DATA(proc) *self, enum list list, int open)
{
	const struct can_filter witness = { CT_BARRIER_ID, EFF_ONE };
	int i;

	self->expected.count = 0;
	if (list == LIST_EFF)
		ASSERT_EQ(0, shown_add_filter(&self->expected, "vcan0",
					      &witness, 1, "raw"));
	for (i = open; i < (int)ARRAY_SIZE(self->sockets); i++)
		expect_filters(_metadata, self, list, &self->sockets[i]);

	ASSERT_EQ(0, shown_read(&self->shown, list));
	ASSERT_EQ(self->expected.count, self->shown.count)
		TH_LOG("rcvlist_%s", list_names[list]);
	shown_sort(&self->expected);
	shown_sort(&self->shown);
	for (i = 0; i < self->expected.count; i++)
		ASSERT_STREQ(self->expected.line[i], self->shown.line[i]);
	/* a heading for all interfaces, one for this, or a line without it */
	ASSERT_EQ(2, self->shown.headings + self->shown.empty);
	if (!open)
		ASSERT_EQ(2, self->shown.headings);
	if (open == ARRAY_SIZE(self->sockets))
		ASSERT_EQ(list == LIST_EFF, self->shown.headings);
}

TEST_F_TIMEOUT(proc, every_receiver_is_shown_once, LONG_TEST)
{
	const int sockets = ARRAY_SIZE(self->sockets);
	enum list list;
	int open;

	mixed_ids(self->ids, &self->state);
	send_ids(_metadata, &self->bus, self->ids, MIXED_FRAMES);
	for (open = 0; open <= sockets; open++) {
		if (open % 4 == 0)
			for (list = 0; list < LISTS; list++)
				expect_shown(_metadata, self, list, open);
		if (open < sockets)
			ASSERT_EQ(0, ct_raw_filters(self->sockets[open].fd,
						    NULL, 0));
	}
}

TEST_HARNESS_MAIN
