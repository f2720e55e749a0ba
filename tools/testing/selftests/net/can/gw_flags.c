// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flags of a gateway rule and its three counters: which sockets receive a routed
 * frame with and without CGW_FLAGS_CAN_ECHO, whose timestamp it carries, when it may
 * return to the interface it came from, and which counter an event counts in.
 *
 * A frame that is sent to a vcan interface without local echo is received by no
 * socket, whether the driver echoes itself (vcan.echo=1) or leaves that to af_can.
 * Whether a rule did send shows at the other end of a vxcan pair.
 *
 * Every test runs on one CPU: the virtual interfaces hand frames to the
 * backlog of the CPU that sends, and only there frames keep their order, also
 * across interfaces. A rule counts in the softirq that routes the frame, hence
 * the counters are final once a frame that was sent later has arrived.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/socket.h>

#include <linux/can/raw.h>
#include <linux/net_tstamp.h>

#include "cantest.h"
#include "cgw.h"
#include "kselftest_harness.h"

#define ID		0x100
#define ID_CHANGED	0x300
#define ID_SENTINEL	0x7ff

#define ECHO		CGW_FLAGS_CAN_ECHO
#define FD		CGW_FLAGS_CAN_FD
#define IIF_TX_OK	CGW_FLAGS_CAN_IIF_TX_OK
#define SRC_TSTAMP	CGW_FLAGS_CAN_SRC_TSTAMP

/* some moment in 2001, in ns, which no clock of a machine under test shows */
#define OLD_TIME	1000000000123456789LL

static const struct can_filter only_id = { ID, CAN_SFF_MASK };
static const struct can_filter only_sentinel = { ID_SENTINEL, CAN_SFF_MASK };

/* an operand that changes nothing, but makes the kernel copy the frame */
static const struct cgw_mod or_nothing = { .type = CGW_MOD_ID };

static const struct cgw_mod set_changed_id = {
	.type = CGW_MOD_ID, .cf.can_id = ID_CHANGED,
};

/* of frames for a rule with these flags */
static size_t mtu_of(uint16_t flags)
{
	return flags & FD ? CANFD_MTU : CAN_MTU;
}

/* vcan interfaces v0, v1 and a vxcan pair x0, x1 */
struct net {
	int v0, v1;
	int x0, x1;
};

static int net_open(struct net *net)
{
	int err = ct_pin_cpu() ?: ct_netns_new();

	if (err)
		return err;
	net->v0 = ct_vcan_add("v0", CANFD_MTU);
	net->v1 = ct_vcan_add("v1", CANFD_MTU);
	net->x0 = ct_vxcan_add("x0", "x1", -1, CANFD_MTU);
	net->x1 = if_nametoindex("x1");
	return net->v0 < 0 || net->v1 < 0 || net->x0 < 0 ? -ENODEV : 0;
}

/*
 * Which sockets receive a frame.
 */

FIXTURE(gw_echo) {
	struct net net;
	int tx;		/* sends on the source v0 */
	int rx;		/* listens on the vcan destination */
	int near, far;	/* listen on the two ends of the vxcan pair */
	int all;	/* listens on all interfaces */
};

FIXTURE_VARIANT(gw_echo) {
	uint16_t flags;
	bool modify;
};

FIXTURE_VARIANT_ADD(gw_echo, off) { 0, false };
FIXTURE_VARIANT_ADD(gw_echo, off_modified) { 0, true };
FIXTURE_VARIANT_ADD(gw_echo, off_fd) { FD, false };
FIXTURE_VARIANT_ADD(gw_echo, on) { ECHO, false };
FIXTURE_VARIANT_ADD(gw_echo, on_modified) { ECHO, true };
FIXTURE_VARIANT_ADD(gw_echo, on_fd) { ECHO | FD, false };
FIXTURE_VARIANT_ADD(gw_echo, on_fd_modified) { ECHO | FD, true };

FIXTURE_SETUP(gw_echo)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, net_open(&self->net));
	self->tx = CT_OK(ct_raw_open_fd(self->net.v0));
	self->rx = CT_OK(ct_raw_open_fd(self->net.v1));
	self->near = CT_OK(ct_raw_open_fd(self->net.x0));
	self->far = CT_OK(ct_raw_open_fd(self->net.x1));
	self->all = CT_OK(ct_raw_open_fd(0));
}

FIXTURE_TEARDOWN(gw_echo) { }

/* the variant's rule for ID, and one that always echoes the sentinel */
static int add_rules(const FIXTURE_DATA(gw_echo) *self,
		     const FIXTURE_VARIANT(gw_echo) *variant, int dst)
{
	struct cgw_rule rule = {
		.src = self->net.v0, .dst = dst, .flags = variant->flags,
		.filter = &only_id,
	};
	struct cgw_rule sentinel = {
		.src = self->net.v0, .dst = dst, .flags = ECHO,
		.filter = &only_sentinel,
	};

	if (variant->modify)
		rule.or = or_nothing;
	return cgw_add(&sentinel) ?: cgw_add(&rule);
}

static int send_both(const FIXTURE_DATA(gw_echo) *self,
		     const FIXTURE_VARIANT(gw_echo) *variant)
{
	return ct_send_id_mtu(self->tx, ID, mtu_of(variant->flags)) ?:
	       ct_send_id(self->tx, ID_SENTINEL);
}

TEST_F(gw_echo, local_sockets_on_a_vcan_destination_see_it_only_with_echo)
{
	struct cgw_entry entry;

	ASSERT_EQ(0, add_rules(self, variant, self->net.v1));
	ASSERT_EQ(0, send_both(self, variant));
	if (variant->flags & ECHO)
		EXPECT_EQ(ID, ct_recv_id(self->rx));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->rx));

	/* sent it was in any case */
	ASSERT_EQ(0, cgw_find(self->net.v0, self->net.v1, &entry));
	EXPECT_EQ(variant->flags, entry.rule.flags);
	EXPECT_EQ(CGW_COUNTS(1, 0, 0), cgw_counts(self->net.v0, self->net.v1));
}

TEST_F(gw_echo, far_end_always_receives_it_and_near_end_only_with_echo)
{
	ASSERT_EQ(0, add_rules(self, variant, self->net.x0));
	ASSERT_EQ(0, send_both(self, variant));
	EXPECT_EQ(ID, ct_recv_id(self->far));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->far));
	if (variant->flags & ECHO)
		EXPECT_EQ(ID, ct_recv_id(self->near));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->near));
}

TEST_F(gw_echo, socket_on_all_interfaces_sees_source_and_echo)
{
	ASSERT_EQ(0, add_rules(self, variant, self->net.v1));
	ASSERT_EQ(0, ct_send_id_mtu(self->tx, ID, mtu_of(variant->flags)));
	ASSERT_EQ(ID, ct_recv_id(self->all));
	/* the echo follows the source's frame, and is there before this one */
	if (variant->flags & ECHO)
		ASSERT_EQ(ID, ct_recv_id(self->all));
	ASSERT_EQ(0, ct_send_id(self->tx, ID_SENTINEL));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->all));
}

static void expect_message(struct __test_metadata *_metadata, int fd,
			   size_t mtu, int id, int ifindex, int flags)
{
	struct sockaddr_can addr;
	struct canfd_frame frame;
	struct iovec iov = { .iov_base = &frame, .iov_len = sizeof(frame) };
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr),
		.msg_iov = &iov, .msg_iovlen = 1,
	};

	ASSERT_EQ((ssize_t)mtu, recvmsg(fd, &msg, 0));
	EXPECT_EQ(id, (int)frame.can_id);
	EXPECT_EQ(ifindex, addr.can_ifindex);
	EXPECT_EQ(flags, msg.msg_flags & (MSG_DONTROUTE | MSG_CONFIRM));
}

/*
 * The gateway's frame belongs to no socket: its sender receives it without
 * CAN_RAW_RECV_OWN_MSGS, and no flag marks it as sent by this host.
 */
TEST_F(gw_echo, echo_is_not_the_senders_own_message)
{
	const size_t mtu = mtu_of(variant->flags);
	const int v0 = self->net.v0, v1 = self->net.v1;
	struct sockaddr_can addr = {
		.can_family = AF_CAN, .can_ifindex = v0,
	};
	struct canfd_frame frame;

	ASSERT_EQ(0, add_rules(self, variant, v1));
	ct_fdframe(&frame, ID, 8, NULL);
	if (mtu == CAN_MTU)
		frame.flags = 0;
	ASSERT_EQ((ssize_t)mtu, sendto(self->all, &frame, mtu, 0,
				       (struct sockaddr *)&addr, sizeof(addr)));
	if (variant->flags & ECHO)
		expect_message(_metadata, self->all, mtu, ID, v1, 0);

	/* from another socket of this host: marked at the source only */
	ASSERT_EQ(0, ct_send_id(self->tx, ID_SENTINEL));
	expect_message(_metadata, self->all, CAN_MTU, ID_SENTINEL, v0,
		       MSG_DONTROUTE);
	expect_message(_metadata, self->all, CAN_MTU, ID_SENTINEL, v1, 0);
}

/*
 * Whose timestamp a routed frame carries. A sender may give a frame any
 * timestamp with SCM_TXTIME, and on a virtual interface it stays.
 */

FIXTURE(gw_tstamp) {
	int tx;		/* on the source */
	int src;	/* listens there */
	int near, far;	/* listen on the two ends of the destination */
};

FIXTURE_VARIANT(gw_tstamp) {
	uint16_t flags;
	bool modify;
};

FIXTURE_VARIANT_ADD(gw_tstamp, new) { 0, false };
FIXTURE_VARIANT_ADD(gw_tstamp, new_modified) { 0, true };
FIXTURE_VARIANT_ADD(gw_tstamp, new_fd) { FD, true };
FIXTURE_VARIANT_ADD(gw_tstamp, kept) { SRC_TSTAMP, false };
FIXTURE_VARIANT_ADD(gw_tstamp, kept_modified) { SRC_TSTAMP, true };
FIXTURE_VARIANT_ADD(gw_tstamp, kept_fd) { SRC_TSTAMP | FD, true };

static int stamped_open(int ifindex)
{
	int fd = ct_raw_open_fd(ifindex);

	return fd < 0 ? fd : ct_sock_set(fd, SO_TIMESTAMPNS, 1) ?: fd;
}

FIXTURE_SETUP(gw_tstamp)
{
	struct sock_txtime txtime = { .clockid = CLOCK_MONOTONIC };
	struct cgw_rule rule = { .flags = variant->flags | ECHO };
	struct net net;

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, net_open(&net));
	rule.src = net.v0;
	rule.dst = net.x0;
	if (variant->modify)
		rule.or = or_nothing;
	ASSERT_EQ(0, cgw_add(&rule));

	self->tx = CT_OK(ct_raw_open_fd(net.v0));
	ASSERT_EQ(0, setsockopt(self->tx, SOL_SOCKET, SO_TXTIME, &txtime,
				sizeof(txtime)));
	self->src = CT_OK(stamped_open(net.v0));
	self->near = CT_OK(stamped_open(net.x0));
	self->far = CT_OK(stamped_open(net.x1));
}

FIXTURE_TEARDOWN(gw_tstamp) { }

static int send_stamped(int fd, size_t mtu, uint64_t nsec)
{
	union {
		char buf[CMSG_SPACE(sizeof(nsec))];
		struct cmsghdr align;
	} control = { 0 };
	struct canfd_frame frame;
	struct iovec iov = { .iov_base = &frame, .iov_len = mtu };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	ct_fdframe(&frame, ID, 8, NULL);
	if (mtu == CAN_MTU)
		frame.flags = 0;
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_TXTIME;
	cmsg->cmsg_len = CMSG_LEN(sizeof(nsec));
	memcpy(CMSG_DATA(cmsg), &nsec, sizeof(nsec));
	return sendmsg(fd, &msg, 0) < 0 ? -errno : 0;
}

TEST_F(gw_tstamp, source_timestamp_arrives_at_both_ends_only_with_the_flag)
{
	int64_t near, far;

	ASSERT_EQ(0, send_stamped(self->tx, mtu_of(variant->flags), OLD_TIME));
	EXPECT_EQ(OLD_TIME, ct_recv_stamp(self->src));
	near = ct_recv_stamp(self->near);
	far = ct_recv_stamp(self->far);
	if (variant->flags & SRC_TSTAMP) {
		EXPECT_EQ(OLD_TIME, near);
		EXPECT_EQ(OLD_TIME, far);
	} else {
		/* the current time, which is later */
		EXPECT_LT(OLD_TIME, near);
		EXPECT_LT(OLD_TIME, far);
	}
}

/*
 * Back to the interface a frame came from.
 */

FIXTURE(gw_iif) {
	struct net net;
	int tx;				/* on v0 */
	int rx_v0, rx_x0, rx_x1;	/* the last one sends, too */
};

FIXTURE_SETUP(gw_iif)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, net_open(&self->net));
	self->tx = CT_OK(ct_raw_open_fd(self->net.v0));
	self->rx_v0 = CT_OK(ct_raw_open_fd(self->net.v0));
	self->rx_x0 = CT_OK(ct_raw_open_fd(self->net.x0));
	self->rx_x1 = CT_OK(ct_raw_open_fd(self->net.x1));
}

FIXTURE_TEARDOWN(gw_iif) { }

TEST_F(gw_iif, one_interface_for_both_needs_the_flag)
{
	struct cgw_rule rule = { .src = self->net.v0, .dst = self->net.v0 };

	EXPECT_EQ(-EINVAL, cgw_add(&rule));
	EXPECT_EQ(0, cgw_list(NULL, 0));

	rule.flags = IIF_TX_OK;
	EXPECT_EQ(0, cgw_add(&rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

/* a frame from the far end goes back to the far end */
TEST_F(gw_iif, frame_from_the_bus_returns_to_the_bus)
{
	const int x0 = self->net.x0;
	struct cgw_rule rule = {
		.src = x0, .dst = x0, .flags = IIF_TX_OK, .filter = &only_id,
		.set = set_changed_id,
	};

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, ct_send_id(self->rx_x1, ID));
	EXPECT_EQ(ID, ct_recv_id(self->rx_x0));
	EXPECT_EQ(ID_CHANGED, ct_recv_id(self->rx_x1));
	EXPECT_EQ(CGW_COUNTS(1, 0, 0), cgw_counts(x0, x0));
}

/* each echo is a frame of the source again, until the hop limit ends it */
TEST_F(gw_iif, echo_to_the_source_is_routed_again_up_to_max_hops)
{
	const int v0 = self->net.v0, hops = cgw_max_hops();
	struct cgw_rule rule = {
		.src = v0, .dst = v0, .flags = IIF_TX_OK | ECHO,
		.filter = &only_id,
	};
	int i;

	ASSERT_LT(0, hops);
	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	for (i = 0; i <= hops; i++)
		ASSERT_EQ(ID, ct_recv_id(self->rx_v0));
	ASSERT_EQ(0, ct_send_id(self->tx, ID_SENTINEL));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->rx_v0));
	EXPECT_EQ(CGW_COUNTS(hops, 0, 1), cgw_counts(v0, v0));
}

TEST_F(gw_iif, without_echo_a_frame_returns_once_and_unseen)
{
	const int v0 = self->net.v0;
	struct cgw_rule rule = {
		.src = v0, .dst = v0, .flags = IIF_TX_OK, .filter = &only_id,
	};

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	ASSERT_EQ(0, ct_send_id(self->tx, ID_SENTINEL));
	EXPECT_EQ(ID, ct_recv_id(self->rx_v0));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->rx_v0));
	EXPECT_EQ(CGW_COUNTS(1, 0, 0), cgw_counts(v0, v0));
}

/*
 * A frame keeps the index of its first interface: over v0 -> x0, x1 -> v0 it
 * would come back to v0 although the second rule has two different interfaces.
 */
FIXTURE(gw_return) {
	struct net net;
};

FIXTURE_VARIANT(gw_return) {
	uint16_t flags;
};

FIXTURE_VARIANT_ADD(gw_return, not_allowed) { ECHO };
FIXTURE_VARIANT_ADD(gw_return, allowed) { ECHO | IIF_TX_OK };

FIXTURE_SETUP(gw_return)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, net_open(&self->net));
}

FIXTURE_TEARDOWN(gw_return) { }

TEST_F(gw_return, first_interface_sees_a_frame_again_only_with_the_flag)
{
	const struct can_filter filters[] = {
		{ ID_CHANGED, CAN_SFF_MASK }, only_sentinel,
	};
	const struct net *net = &self->net;
	struct cgw_rule there = {
		.src = net->v0, .dst = net->x0, .filter = &only_id,
	};
	struct cgw_rule away = {
		.src = net->x1, .dst = net->v1, .flags = ECHO,
	};
	struct cgw_rule back = {
		.src = net->x1, .dst = net->v0, .flags = variant->flags,
		.filter = &only_id, .set = set_changed_id,
	};
	bool allowed = variant->flags & IIF_TX_OK;
	int tx, rx_v0, rx_v1;

	ASSERT_EQ(0, cgw_add(&there));
	ASSERT_EQ(0, cgw_add(&away));
	ASSERT_EQ(0, cgw_add(&back));
	tx = CT_OK(ct_raw_open_fd(net->v0));
	rx_v0 = CT_OK(ct_raw_open_fd(net->v0));
	ASSERT_EQ(0, ct_raw_filters(rx_v0, filters, 2));
	rx_v1 = CT_OK(ct_raw_open_fd(net->v1));

	/* both rules after the pair have routed a frame before the next one is sent */
	ASSERT_EQ(0, ct_send_id(tx, ID));
	ASSERT_EQ(ID, ct_recv_id(rx_v1));
	ASSERT_EQ(0, ct_send_id(tx, ID));
	ASSERT_EQ(ID, ct_recv_id(rx_v1));

	if (allowed) {
		EXPECT_EQ(ID_CHANGED, ct_recv_id(rx_v0));
		EXPECT_EQ(ID_CHANGED, ct_recv_id(rx_v0));
	}
	ASSERT_EQ(0, ct_send_id(tx, ID_SENTINEL));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(rx_v0));

	/* a frame that is held back is not counted */
	EXPECT_EQ(CGW_COUNTS(allowed ? 2 : 0, 0, 0),
		  cgw_counts(net->x1, net->v0));
	EXPECT_EQ(CGW_COUNTS(2, 0, 0), cgw_counts(net->x1, net->v1));
}

/*
 * Counters.
 */

#define FRAMES	20

FIXTURE(gw_counters) {
	int v0, v1, v2, v3;
	int tx;		/* on the source v0 */
	int src;	/* listens there */
	int rx1, rx2;	/* listen on v1 and v2 */
};

FIXTURE_SETUP(gw_counters)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	self->v0 = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->v1 = CT_OK(ct_vcan_add("v1", CANFD_MTU));
	self->v2 = CT_OK(ct_vcan_add("v2", CANFD_MTU));
	self->v3 = CT_OK(ct_vcan_add("v3", CAN_MTU));

	self->tx = CT_OK(ct_raw_open_fd(self->v0));
	self->src = CT_OK(ct_raw_open_fd(self->v0));
	self->rx1 = CT_OK(ct_raw_open_fd(self->v1));
	self->rx2 = CT_OK(ct_raw_open_fd(self->v2));
}

FIXTURE_TEARDOWN(gw_counters) { }

/*
 * Sends frames one after the other. The rules have finished with all of them
 * when the sentinel, which is of a kind or an identifier that no rule takes,
 * is back at the source.
 */
static int traffic(const FIXTURE_DATA(gw_counters) *self, uint16_t flags,
		   int count)
{
	int err;

	while (count--) {
		err = ct_send_id_mtu(self->tx, ID, mtu_of(flags));
		if (err || ct_recv_id(self->src) != ID)
			return err ?: -EPROTO;
	}
	err = ct_send_id(self->tx, ID_SENTINEL);
	return err || ct_recv_id(self->src) == ID_SENTINEL ? err : -EPROTO;
}

/* a rule from v0 for frames with ID */
static struct cgw_rule rule_to(const FIXTURE_DATA(gw_counters) *self, int dst,
			       uint16_t flags)
{
	return (struct cgw_rule){
		.src = self->v0, .dst = dst, .flags = flags, .filter = &only_id,
	};
}

/* the counters of a new rule after FRAMES frames */
static void expect_counts(struct __test_metadata *_metadata,
			  const FIXTURE_DATA(gw_counters) *self,
			  struct cgw_rule rule, int counts)
{
	ASSERT_EQ(0, cgw_add(&rule));
	EXPECT_EQ(CGW_COUNTS(0, 0, 0), cgw_counts(rule.src, rule.dst));
	ASSERT_EQ(0, traffic(self, rule.flags, FRAMES));
	EXPECT_EQ(counts, cgw_counts(rule.src, rule.dst));
}

TEST_F(gw_counters, sent_frames_are_handled)
{
	expect_counts(_metadata, self, rule_to(self, self->v1, 0),
		      CGW_COUNTS(FRAMES, 0, 0));
}

TEST_F(gw_counters, frames_for_a_destination_that_is_down_are_dropped)
{
	ASSERT_EQ(0, ct_link_up("v1", false));
	expect_counts(_metadata, self, rule_to(self, self->v1, ECHO),
		      CGW_COUNTS(0, FRAMES, 0));

	/* the rule has survived that, and its counters go on */
	ASSERT_EQ(0, ct_link_up("v1", true));
	ASSERT_EQ(0, traffic(self, 0, 3));
	EXPECT_EQ(CGW_COUNTS(3, FRAMES, 0), cgw_counts(self->v0, self->v1));
}

TEST_F(gw_counters, fd_frames_for_a_classical_interface_are_dropped)
{
	expect_counts(_metadata, self, rule_to(self, self->v3, ECHO | FD),
		      CGW_COUNTS(0, FRAMES, 0));
}

/* frames of both kinds, with their length set */
static void expect_length_counts(struct __test_metadata *_metadata,
				 const FIXTURE_DATA(gw_counters) *self,
				 int cc_len, int fd_len, int counts)
{
	struct cgw_rule rule = rule_to(self, self->v1, ECHO);

	rule.set = (struct cgw_mod){ .type = CGW_MOD_LEN, .cf.len = cc_len };
	expect_counts(_metadata, self, rule, counts);
	rule = rule_to(self, self->v2, ECHO | FD);
	rule.set = (struct cgw_mod){ .type = CGW_MOD_LEN, .cf.len = fd_len };
	expect_counts(_metadata, self, rule, counts);
	EXPECT_EQ(counts, cgw_counts(self->v0, self->v1));
}

TEST_F(gw_counters, frames_made_too_long_are_deleted)
{
	expect_length_counts(_metadata, self, CAN_MAX_RAW_DLC + 1,
			     CANFD_MAX_DLEN + 1, CGW_COUNTS(0, 0, FRAMES));
}

TEST_F(gw_counters, longest_possible_frames_are_handled)
{
	expect_length_counts(_metadata, self, CAN_MAX_RAW_DLC, CANFD_MAX_DLEN,
			     CGW_COUNTS(FRAMES, 0, 0));
}

/* v0 -> v1 takes the only hop that the first rule allows, v1 -> v2 none */
static int add_hops(const FIXTURE_DATA(gw_counters) *self, uint16_t flags)
{
	struct cgw_rule first = rule_to(self, self->v1, ECHO);
	struct cgw_rule second = rule_to(self, self->v2, flags);

	first.limit_hops = 1;
	second.src = self->v1;
	return cgw_add(&first) ?: cgw_add(&second);
}

TEST_F(gw_counters, frames_over_the_hop_limit_are_deleted)
{
	int i;

	ASSERT_EQ(0, add_hops(self, ECHO));
	for (i = 0; i < FRAMES; i++) {
		ASSERT_EQ(0, traffic(self, 0, 1));
		ASSERT_EQ(ID, ct_recv_id(self->rx1));
	}
	/* after the last frame on v1 itself */
	ASSERT_EQ(0, ct_send_id(self->rx2, ID_SENTINEL));
	ASSERT_EQ(0, traffic(self, 0, 0));
	EXPECT_EQ(CGW_COUNTS(FRAMES, 0, 0), cgw_counts(self->v0, self->v1));
	EXPECT_EQ(CGW_COUNTS(0, 0, FRAMES), cgw_counts(self->v1, self->v2));
}

TEST_F(gw_counters, hop_limit_counts_before_a_destination_that_is_down)
{
	ASSERT_EQ(0, add_hops(self, 0));
	ASSERT_EQ(0, ct_link_up("v2", false));
	ASSERT_EQ(0, traffic(self, 0, 1));
	ASSERT_EQ(ID, ct_recv_id(self->rx1));
	ASSERT_EQ(0, traffic(self, 0, 0));
	EXPECT_EQ(CGW_COUNTS(0, 0, 1), cgw_counts(self->v1, self->v2));
}

TEST_F(gw_counters, unmatched_frames_are_not_counted)
{
	struct cgw_rule classical = rule_to(self, self->v1, 0);
	struct cgw_rule fd = rule_to(self, self->v2, FD);

	ASSERT_EQ(0, cgw_add(&classical));
	ASSERT_EQ(0, cgw_add(&fd));

	/* the sentinels have an identifier that neither rule takes */
	ASSERT_EQ(0, traffic(self, 0, 3));
	ASSERT_EQ(0, traffic(self, FD, 5));
	EXPECT_EQ(CGW_COUNTS(3, 0, 0), cgw_counts(self->v0, self->v1));
	EXPECT_EQ(CGW_COUNTS(5, 0, 0), cgw_counts(self->v0, self->v2));
}

/* the one that sends is between those that cannot */
TEST_F(gw_counters, rules_of_one_source_do_not_affect_each_other)
{
	struct cgw_rule good = rule_to(self, self->v1, ECHO);
	struct cgw_rule down = rule_to(self, self->v2, 0);
	struct cgw_rule longer = rule_to(self, self->v3, 0);
	int i;

	down.set = set_changed_id;
	longer.set = (struct cgw_mod){ .type = CGW_MOD_DLC, .cf.len = 16 };
	ASSERT_EQ(0, cgw_add(&down));
	ASSERT_EQ(0, cgw_add(&good));
	ASSERT_EQ(0, cgw_add(&longer));
	ASSERT_EQ(0, ct_link_up("v2", false));

	for (i = 0; i < FRAMES; i++) {
		ASSERT_EQ(0, traffic(self, 0, 1));
		ASSERT_EQ(ID, ct_recv_id(self->rx1));
	}
	EXPECT_EQ(CGW_COUNTS(FRAMES, 0, 0), cgw_counts(self->v0, self->v1));
	EXPECT_EQ(CGW_COUNTS(0, FRAMES, 0), cgw_counts(self->v0, self->v2));
	EXPECT_EQ(CGW_COUNTS(0, 0, FRAMES), cgw_counts(self->v0, self->v3));
}

TEST_F(gw_counters, equal_rules_send_a_frame_once_each)
{
	struct cgw_rule rule = rule_to(self, self->v1, ECHO);
	struct cgw_entry entries[3];
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, traffic(self, 0, 1));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(ID, ct_recv_id(self->rx1));

	ASSERT_EQ(3, cgw_list(entries, 3));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(1U, entries[i].handled);
}

TEST_F(gw_counters, a_rule_added_again_counts_from_zero)
{
	struct cgw_rule rule = rule_to(self, self->v1, 0);

	expect_counts(_metadata, self, rule, CGW_COUNTS(FRAMES, 0, 0));
	ASSERT_EQ(0, cgw_del(&rule));

	/* no rule routes this frame */
	ASSERT_EQ(0, traffic(self, 0, 1));
	ASSERT_EQ(0, cgw_add(&rule));
	EXPECT_EQ(CGW_COUNTS(0, 0, 0), cgw_counts(self->v0, self->v1));
}

TEST_HARNESS_MAIN
