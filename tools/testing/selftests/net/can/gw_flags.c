// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flags of a gateway rule and its three counters: who sees a routed frame
 * with and without CGW_FLAGS_CAN_ECHO, whose timestamp it carries, when it may
 * return to the interface it came from, and which counter an event counts in.
 *
 * A vcan interface has nothing behind it. What is sent there without local
 * echo is seen by nobody, whether the driver echoes itself (vcan.echo=1) or
 * leaves that to af_can: without the flag neither does it. The far end of a
 * vxcan pair is the "bus" where it is visible whether the rule did send.
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

/* some moment in 2001, which no clock of a machine under test shows */
#define OLD_SEC		1000000000LL
#define OLD_NSEC	123456789LL

static const struct can_filter only_id = {
	.can_id = ID, .can_mask = CAN_SFF_MASK,
};

static int send_id(int fd, bool fd_frame, canid_t id)
{
	struct canfd_frame fdframe;

	if (!fd_frame)
		return ct_send_id(fd, id);
	ct_fdframe(&fdframe, id, 64, NULL);
	return ct_send(fd, &fdframe, CANFD_MTU);
}

static int filter(int fd, canid_t a, canid_t b)
{
	struct can_filter filters[] = {
		{ .can_id = a, .can_mask = CAN_SFF_MASK },
		{ .can_id = b, .can_mask = CAN_SFF_MASK },
	};

	return ct_raw_filters(fd, filters, ARRAY_SIZE(filters));
}

/* an operand that changes nothing, but makes the kernel copy the frame */
static const struct cgw_mod or_nothing = { .type = CGW_MOD_ID };

/*
 * Who sees a frame.
 */

FIXTURE(gw_echo) {
	int v0, v1;	/* vcan: source, destination */
	int x0;		/* vxcan: another destination, x1 is its far end */
	int tx;		/* sends on the source */
	int rx;		/* listens on the vcan destination */
	int near, far;	/* listen on the two ends of the vxcan pair */
};

FIXTURE_VARIANT(gw_echo) {
	uint16_t flags;
	bool modify;
};

FIXTURE_VARIANT_ADD(gw_echo, off)
{
};

FIXTURE_VARIANT_ADD(gw_echo, off_modified)
{
	.modify = true,
};

FIXTURE_VARIANT_ADD(gw_echo, off_fd)
{
	.flags = CGW_FLAGS_CAN_FD,
};

FIXTURE_VARIANT_ADD(gw_echo, on)
{
	.flags = CGW_FLAGS_CAN_ECHO,
};

FIXTURE_VARIANT_ADD(gw_echo, on_modified)
{
	.flags = CGW_FLAGS_CAN_ECHO,
	.modify = true,
};

FIXTURE_VARIANT_ADD(gw_echo, on_fd)
{
	.flags = CGW_FLAGS_CAN_ECHO | CGW_FLAGS_CAN_FD,
};

FIXTURE_VARIANT_ADD(gw_echo, on_fd_modified)
{
	.flags = CGW_FLAGS_CAN_ECHO | CGW_FLAGS_CAN_FD,
	.modify = true,
};

FIXTURE_SETUP(gw_echo)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	self->v0 = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->v1 = CT_OK(ct_vcan_add("v1", CANFD_MTU));
	self->x0 = CT_OK(ct_vxcan_add("x0", "x1", -1, CANFD_MTU));

	self->tx = CT_OK(ct_raw_open_fd(self->v0));
	self->rx = CT_OK(ct_raw_open_fd(self->v1));
	self->near = CT_OK(ct_raw_open_fd(self->x0));
	self->far = CT_OK(ct_raw_open_fd(if_nametoindex("x1")));
}

FIXTURE_TEARDOWN(gw_echo) { }

static struct cgw_rule echo_rule(int src, int dst, uint16_t flags, bool modify)
{
	struct cgw_rule rule = { .src = src, .dst = dst, .flags = flags };

	if (modify)
		rule.or = or_nothing;
	return rule;
}

/* a rule that shows the sentinel at @dst whatever the variant's flags are */
static int sentinel_rule(int src, int dst)
{
	static const struct can_filter sentinel = {
		.can_id = ID_SENTINEL, .can_mask = CAN_SFF_MASK,
	};
	struct cgw_rule rule = {
		.src = src, .dst = dst, .flags = CGW_FLAGS_CAN_ECHO,
		.filter = &sentinel,
	};

	return cgw_add(&rule);
}

TEST_F(gw_echo, local_sockets_on_a_vcan_destination_see_it_only_with_echo)
{
	bool fd = variant->flags & CGW_FLAGS_CAN_FD;
	struct cgw_entry entry;
	struct cgw_rule rule;

	ASSERT_EQ(0, sentinel_rule(self->v0, self->v1));
	rule = echo_rule(self->v0, self->v1, variant->flags, variant->modify);
	rule.filter = &only_id;
	ASSERT_EQ(0, cgw_add(&rule));

	ASSERT_EQ(0, send_id(self->tx, fd, ID));
	ASSERT_EQ(0, send_id(self->tx, false, ID_SENTINEL));

	if (variant->flags & CGW_FLAGS_CAN_ECHO)
		EXPECT_EQ(ID, ct_recv_id(self->rx));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->rx));

	/* sent it was in any case */
	ASSERT_EQ(0, cgw_find(self->v0, self->v1, &entry));
	EXPECT_EQ(variant->flags, entry.rule.flags);
	EXPECT_EQ(1U, entry.handled);
	EXPECT_EQ(0U, entry.dropped);
	EXPECT_EQ(0U, entry.deleted);
}

TEST_F(gw_echo, far_end_always_sees_it_and_near_end_only_with_echo)
{
	bool fd = variant->flags & CGW_FLAGS_CAN_FD;
	struct cgw_rule rule;

	ASSERT_EQ(0, sentinel_rule(self->v0, self->x0));
	rule = echo_rule(self->v0, self->x0, variant->flags, variant->modify);
	rule.filter = &only_id;
	ASSERT_EQ(0, cgw_add(&rule));

	ASSERT_EQ(0, send_id(self->tx, fd, ID));
	ASSERT_EQ(0, send_id(self->tx, false, ID_SENTINEL));

	EXPECT_EQ(ID, ct_recv_id(self->far));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->far));

	if (variant->flags & CGW_FLAGS_CAN_ECHO)
		EXPECT_EQ(ID, ct_recv_id(self->near));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->near));
}

TEST_F(gw_echo, socket_on_all_interfaces_sees_source_and_echo)
{
	bool fd = variant->flags & CGW_FLAGS_CAN_FD;
	struct cgw_rule rule;
	int all;

	rule = echo_rule(self->v0, self->v1, variant->flags, variant->modify);
	rule.filter = &only_id;
	ASSERT_EQ(0, cgw_add(&rule));
	all = CT_OK(ct_raw_open_fd(0));

	ASSERT_EQ(0, send_id(self->tx, fd, ID));
	ASSERT_EQ(ID, ct_recv_id(all));
	/* the echo follows the source's frame, and is there before this one */
	if (variant->flags & CGW_FLAGS_CAN_ECHO)
		ASSERT_EQ(ID, ct_recv_id(all));
	ASSERT_EQ(0, send_id(self->tx, false, ID_SENTINEL));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(all));
}

/*
 * The gateway's frame belongs to no socket: its sender receives it without
 * CAN_RAW_RECV_OWN_MSGS, and nothing marks it as sent by this host.
 */
TEST_F(gw_echo, echo_is_not_the_senders_own_message)
{
	bool fd = variant->flags & CGW_FLAGS_CAN_FD;
	ssize_t mtu = fd ? CANFD_MTU : CAN_MTU;
	struct sockaddr_can addr = {
		.can_family = AF_CAN, .can_ifindex = self->v0,
	};
	struct canfd_frame frame;
	struct iovec iov = { .iov_base = &frame, .iov_len = sizeof(frame) };
	struct msghdr msg = {
		.msg_name = &addr, .msg_namelen = sizeof(addr),
		.msg_iov = &iov, .msg_iovlen = 1,
	};
	struct cgw_rule rule;
	int all;

	ASSERT_EQ(0, sentinel_rule(self->v0, self->v1));
	rule = echo_rule(self->v0, self->v1, variant->flags, variant->modify);
	rule.filter = &only_id;
	ASSERT_EQ(0, cgw_add(&rule));
	all = CT_OK(ct_raw_open_fd(0));

	ct_fdframe(&frame, ID, 8, NULL);
	if (!fd)
		frame.flags = 0;
	ASSERT_EQ(mtu, sendto(all, &frame, mtu, 0, (struct sockaddr *)&addr,
			      sizeof(addr)));
	if (variant->flags & CGW_FLAGS_CAN_ECHO) {
		ASSERT_EQ(mtu, recvmsg(all, &msg, 0));
		EXPECT_EQ(ID, (int)frame.can_id);
		EXPECT_EQ(self->v1, addr.can_ifindex);
		EXPECT_EQ(0, msg.msg_flags & (MSG_DONTROUTE | MSG_CONFIRM));
	}

	/* from another socket of this host: marked at the source only */
	ASSERT_EQ(0, send_id(self->tx, false, ID_SENTINEL));
	ASSERT_EQ((ssize_t)CAN_MTU, recvmsg(all, &msg, 0));
	EXPECT_EQ(ID_SENTINEL, (int)frame.can_id);
	EXPECT_EQ(self->v0, addr.can_ifindex);
	EXPECT_EQ(MSG_DONTROUTE, msg.msg_flags & (MSG_DONTROUTE | MSG_CONFIRM));
	ASSERT_EQ((ssize_t)CAN_MTU, recvmsg(all, &msg, 0));
	EXPECT_EQ(ID_SENTINEL, (int)frame.can_id);
	EXPECT_EQ(self->v1, addr.can_ifindex);
	EXPECT_EQ(0, msg.msg_flags & (MSG_DONTROUTE | MSG_CONFIRM));
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

FIXTURE_VARIANT_ADD(gw_tstamp, new)
{
};

FIXTURE_VARIANT_ADD(gw_tstamp, new_modified)
{
	.modify = true,
};

FIXTURE_VARIANT_ADD(gw_tstamp, new_fd)
{
	.flags = CGW_FLAGS_CAN_FD,
	.modify = true,
};

FIXTURE_VARIANT_ADD(gw_tstamp, kept)
{
	.flags = CGW_FLAGS_CAN_SRC_TSTAMP,
};

FIXTURE_VARIANT_ADD(gw_tstamp, kept_modified)
{
	.flags = CGW_FLAGS_CAN_SRC_TSTAMP,
	.modify = true,
};

FIXTURE_VARIANT_ADD(gw_tstamp, kept_fd)
{
	.flags = CGW_FLAGS_CAN_SRC_TSTAMP | CGW_FLAGS_CAN_FD,
	.modify = true,
};

static int stamped_open(int ifindex)
{
	int fd = ct_raw_open_fd(ifindex), on = 1;

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on,
				  sizeof(on))) {
		close(fd);
		return -errno;
	}
	return fd;
}

FIXTURE_SETUP(gw_tstamp)
{
	struct sock_txtime txtime = { .clockid = CLOCK_MONOTONIC };
	struct cgw_rule rule = {
		.flags = variant->flags | CGW_FLAGS_CAN_ECHO,
	};

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	rule.src = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	rule.dst = CT_OK(ct_vxcan_add("x0", "x1", -1, CANFD_MTU));
	if (variant->modify)
		rule.or = or_nothing;
	ASSERT_EQ(0, cgw_add(&rule));

	self->tx = CT_OK(ct_raw_open_fd(rule.src));
	ASSERT_EQ(0, setsockopt(self->tx, SOL_SOCKET, SO_TXTIME, &txtime,
				sizeof(txtime)));
	self->src = CT_OK(stamped_open(rule.src));
	self->near = CT_OK(stamped_open(rule.dst));
	self->far = CT_OK(stamped_open(if_nametoindex("x1")));
}

FIXTURE_TEARDOWN(gw_tstamp) { }

static int send_stamped(int fd, bool fd_frame, uint64_t nsec)
{
	union {
		char buf[CMSG_SPACE(sizeof(nsec))];
		struct cmsghdr align;
	} control = { 0 };
	struct canfd_frame frame;
	struct iovec iov = { .iov_base = &frame };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	ct_fdframe(&frame, ID, 8, NULL);
	if (!fd_frame)
		frame.flags = 0;
	iov.iov_len = fd_frame ? CANFD_MTU : CAN_MTU;
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_TXTIME;
	cmsg->cmsg_len = CMSG_LEN(sizeof(nsec));
	memcpy(CMSG_DATA(cmsg), &nsec, sizeof(nsec));
	return sendmsg(fd, &msg, 0) < 0 ? -errno : 0;
}

TEST_F(gw_tstamp, source_timestamp_arrives_at_both_ends_only_with_the_flag)
{
	const int64_t old = OLD_SEC * 1000000000LL + OLD_NSEC;
	int64_t near, far;

	ASSERT_EQ(0, send_stamped(self->tx,
				  variant->flags & CGW_FLAGS_CAN_FD, old));
	EXPECT_EQ(old, ct_recv_stamp(self->src));
	near = ct_recv_stamp(self->near);
	far = ct_recv_stamp(self->far);

	if (variant->flags & CGW_FLAGS_CAN_SRC_TSTAMP) {
		EXPECT_EQ(old, near);
		EXPECT_EQ(old, far);
	} else {
		/* the time of now, which has passed the old one */
		EXPECT_LT(old, near);
		EXPECT_LT(old, far);
	}
}

/*
 * Back to the interface a frame came from.
 */

FIXTURE(gw_iif) {
	int v0, v1;
	int x0, x1;
	int rx_v0, rx_v1, rx_x0, rx_x1;	/* also used to send */
};

FIXTURE_SETUP(gw_iif)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	self->v0 = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->v1 = CT_OK(ct_vcan_add("v1", CANFD_MTU));
	self->x0 = CT_OK(ct_vxcan_add("x0", "x1", -1, CANFD_MTU));
	self->x1 = if_nametoindex("x1");

	self->rx_v0 = CT_OK(ct_raw_open_fd(self->v0));
	self->rx_v1 = CT_OK(ct_raw_open_fd(self->v1));
	self->rx_x0 = CT_OK(ct_raw_open_fd(self->x0));
	self->rx_x1 = CT_OK(ct_raw_open_fd(self->x1));
}

FIXTURE_TEARDOWN(gw_iif) { }

TEST_F(gw_iif, one_interface_for_both_needs_the_flag)
{
	struct cgw_rule rule = { .src = self->v0, .dst = self->v0 };

	EXPECT_EQ(-EINVAL, cgw_add(&rule));
	EXPECT_EQ(0, cgw_list(NULL, 0));

	rule.flags = CGW_FLAGS_CAN_IIF_TX_OK;
	EXPECT_EQ(0, cgw_add(&rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

/* a frame from the far end goes back to the far end */
TEST_F(gw_iif, frame_from_the_bus_returns_to_the_bus)
{
	struct cgw_rule rule = {
		.src = self->x0, .dst = self->x0,
		.flags = CGW_FLAGS_CAN_IIF_TX_OK,
		.filter = &only_id,
		.set = { .type = CGW_MOD_ID, .cf.can_id = ID_CHANGED },
	};
	struct cgw_entry entry;

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, send_id(self->rx_x1, false, ID));
	EXPECT_EQ(ID, ct_recv_id(self->rx_x0));
	EXPECT_EQ(ID_CHANGED, ct_recv_id(self->rx_x1));

	ASSERT_EQ(0, cgw_find(self->x0, self->x0, &entry));
	EXPECT_EQ(1U, entry.handled);
	EXPECT_EQ(0U, entry.deleted);
}

/* each echo is a frame of the source again, until the hop limit ends it */
TEST_F(gw_iif, echo_to_the_source_is_routed_again_up_to_max_hops)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v0,
		.flags = CGW_FLAGS_CAN_IIF_TX_OK | CGW_FLAGS_CAN_ECHO,
		.filter = &only_id,
	};
	int hops = cgw_max_hops(), tx, i;
	struct cgw_entry entry;

	ASSERT_LT(0, hops);
	ASSERT_EQ(0, cgw_add(&rule));
	tx = CT_OK(ct_raw_open_fd(self->v0));
	ASSERT_EQ(0, send_id(tx, false, ID));
	for (i = 0; i <= hops; i++)
		ASSERT_EQ(ID, ct_recv_id(self->rx_v0));
	ASSERT_EQ(0, send_id(tx, false, ID_SENTINEL));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->rx_v0));

	ASSERT_EQ(0, cgw_find(self->v0, self->v0, &entry));
	EXPECT_EQ((unsigned int)hops, entry.handled);
	EXPECT_EQ(1U, entry.deleted);
	EXPECT_EQ(0U, entry.dropped);
}

TEST_F(gw_iif, without_echo_a_frame_returns_once_and_unseen)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v0,
		.flags = CGW_FLAGS_CAN_IIF_TX_OK,
		.filter = &only_id,
	};
	struct cgw_entry entry;
	int tx;

	ASSERT_EQ(0, cgw_add(&rule));
	tx = CT_OK(ct_raw_open_fd(self->v0));
	ASSERT_EQ(0, send_id(tx, false, ID));
	ASSERT_EQ(0, send_id(tx, false, ID_SENTINEL));
	EXPECT_EQ(ID, ct_recv_id(self->rx_v0));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(self->rx_v0));

	ASSERT_EQ(0, cgw_find(self->v0, self->v0, &entry));
	EXPECT_EQ(1U, entry.handled);
	EXPECT_EQ(0U, entry.deleted);
}

/*
 * A frame does not forget where it appeared first: over v0 -> x0, x1 -> v0 it
 * would come back to v0 although the second rule has two different interfaces.
 */
FIXTURE(gw_return) {
	int v0, v1;
	int x0, x1;
};

FIXTURE_VARIANT(gw_return) {
	uint16_t flags;
};

FIXTURE_VARIANT_ADD(gw_return, not_allowed)
{
	.flags = CGW_FLAGS_CAN_ECHO,
};

FIXTURE_VARIANT_ADD(gw_return, allowed)
{
	.flags = CGW_FLAGS_CAN_ECHO | CGW_FLAGS_CAN_IIF_TX_OK,
};

FIXTURE_SETUP(gw_return)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	self->v0 = CT_OK(ct_vcan_add("v0", CANFD_MTU));
	self->v1 = CT_OK(ct_vcan_add("v1", CANFD_MTU));
	self->x0 = CT_OK(ct_vxcan_add("x0", "x1", -1, CANFD_MTU));
	self->x1 = if_nametoindex("x1");
}

FIXTURE_TEARDOWN(gw_return) { }

TEST_F(gw_return, first_interface_sees_a_frame_again_only_with_the_flag)
{
	struct cgw_rule there = { .src = self->v0, .dst = self->x0 };
	struct cgw_rule away = {
		.src = self->x1, .dst = self->v1, .flags = CGW_FLAGS_CAN_ECHO,
	};
	struct cgw_rule back = {
		.src = self->x1, .dst = self->v0, .flags = variant->flags,
		.filter = &only_id,
		.set = { .type = CGW_MOD_ID, .cf.can_id = ID_CHANGED },
	};
	bool allowed = variant->flags & CGW_FLAGS_CAN_IIF_TX_OK;
	struct cgw_entry entry;
	int tx, rx_v0, rx_v1;

	there.filter = &only_id;
	ASSERT_EQ(0, cgw_add(&there));
	ASSERT_EQ(0, cgw_add(&away));
	ASSERT_EQ(0, cgw_add(&back));
	tx = CT_OK(ct_raw_open_fd(self->v0));
	rx_v0 = CT_OK(ct_raw_open_fd(self->v0));
	ASSERT_EQ(0, filter(rx_v0, ID_CHANGED, ID_SENTINEL));
	rx_v1 = CT_OK(ct_raw_open_fd(self->v1));

	/* both rules behind the pair have had a frame before the next one */
	ASSERT_EQ(0, send_id(tx, false, ID));
	ASSERT_EQ(ID, ct_recv_id(rx_v1));
	ASSERT_EQ(0, send_id(tx, false, ID));
	ASSERT_EQ(ID, ct_recv_id(rx_v1));

	if (allowed) {
		EXPECT_EQ(ID_CHANGED, ct_recv_id(rx_v0));
		EXPECT_EQ(ID_CHANGED, ct_recv_id(rx_v0));
	}
	ASSERT_EQ(0, send_id(tx, false, ID_SENTINEL));
	EXPECT_EQ(ID_SENTINEL, ct_recv_id(rx_v0));

	/* what is held back counts nowhere */
	ASSERT_EQ(0, cgw_find(self->x1, self->v0, &entry));
	EXPECT_EQ(allowed ? 2U : 0U, entry.handled);
	EXPECT_EQ(0U, entry.dropped);
	EXPECT_EQ(0U, entry.deleted);
	ASSERT_EQ(0, cgw_find(self->x1, self->v1, &entry));
	EXPECT_EQ(2U, entry.handled);
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
static int traffic(int tx, int src, bool fd, int count)
{
	int i, err = 0, id = 0;

	for (i = 0; i < count && !err; i++) {
		err = send_id(tx, fd, ID);
		if (!err && ct_recv_id(src) != ID)
			err = -EPROTO;
	}
	if (!err)
		err = send_id(tx, false, ID_SENTINEL);
	if (!err)
		id = ct_recv_id(src);
	return err ? err : id == ID_SENTINEL ? 0 : -EPROTO;
}

TEST_F(gw_counters, sent_frames_are_handled)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
	};

	ASSERT_EQ(0, cgw_add(&rule));
	EXPECT_EQ(CGW_COUNTS(0, 0, 0), cgw_counts(self->v0, self->v1));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, FRAMES));
	EXPECT_EQ(CGW_COUNTS(FRAMES, 0, 0), cgw_counts(self->v0, self->v1));
}

TEST_F(gw_counters, frames_for_a_destination_that_is_down_are_dropped)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO,
	};

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, ct_link_up("v1", false));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, FRAMES));
	EXPECT_EQ(CGW_COUNTS(0, FRAMES, 0), cgw_counts(self->v0, self->v1));

	/* the rule has survived that, and its counters go on */
	ASSERT_EQ(0, ct_link_up("v1", true));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, 3));
	EXPECT_EQ(CGW_COUNTS(3, FRAMES, 0), cgw_counts(self->v0, self->v1));
}

TEST_F(gw_counters, fd_frames_for_a_classical_interface_are_dropped)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v3, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO | CGW_FLAGS_CAN_FD,
	};

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, traffic(self->tx, self->src, true, FRAMES));
	EXPECT_EQ(CGW_COUNTS(0, FRAMES, 0), cgw_counts(self->v0, self->v3));
}

TEST_F(gw_counters, frames_made_too_long_are_deleted)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO,
		.set = { .type = CGW_MOD_DLC, .cf.len = 16 },
	};

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, FRAMES));
	EXPECT_EQ(CGW_COUNTS(0, 0, FRAMES), cgw_counts(self->v0, self->v1));

	rule.dst = self->v2;
	rule.flags |= CGW_FLAGS_CAN_FD;
	rule.set.cf.len = 65;
	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, traffic(self->tx, self->src, true, FRAMES));
	EXPECT_EQ(CGW_COUNTS(0, 0, FRAMES), cgw_counts(self->v0, self->v2));
	EXPECT_EQ(CGW_COUNTS(0, 0, FRAMES), cgw_counts(self->v0, self->v1));
}

TEST_F(gw_counters, longest_possible_frames_are_handled)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO,
		.set = { .type = CGW_MOD_DLC, .cf.len = CAN_MAX_RAW_DLC },
	};

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, FRAMES));
	EXPECT_EQ(CGW_COUNTS(FRAMES, 0, 0), cgw_counts(self->v0, self->v1));

	rule.dst = self->v2;
	rule.flags |= CGW_FLAGS_CAN_FD;
	rule.set.cf.len = CANFD_MAX_DLEN;
	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, traffic(self->tx, self->src, true, FRAMES));
	EXPECT_EQ(CGW_COUNTS(FRAMES, 0, 0), cgw_counts(self->v0, self->v2));
}

/* v0 -> v1 takes the only hop that the first rule allows, v1 -> v2 none */
TEST_F(gw_counters, frames_over_the_hop_limit_are_deleted)
{
	struct cgw_rule first = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO, .limit_hops = 1,
	};
	struct cgw_rule second = {
		.src = self->v1, .dst = self->v2, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO,
	};
	int i;

	ASSERT_EQ(0, cgw_add(&first));
	ASSERT_EQ(0, cgw_add(&second));
	for (i = 0; i < FRAMES; i++) {
		ASSERT_EQ(0, traffic(self->tx, self->src, false, 1));
		ASSERT_EQ(ID, ct_recv_id(self->rx1));
	}
	/* behind the last frame on v1 itself */
	ASSERT_EQ(0, send_id(self->rx2, false, ID_SENTINEL));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, 0));
	EXPECT_EQ(CGW_COUNTS(FRAMES, 0, 0), cgw_counts(self->v0, self->v1));
	EXPECT_EQ(CGW_COUNTS(0, 0, FRAMES), cgw_counts(self->v1, self->v2));
}

TEST_F(gw_counters, hop_limit_counts_before_a_destination_that_is_down)
{
	struct cgw_rule first = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO, .limit_hops = 1,
	};
	struct cgw_rule second = {
		.src = self->v1, .dst = self->v2, .filter = &only_id,
	};

	ASSERT_EQ(0, cgw_add(&first));
	ASSERT_EQ(0, cgw_add(&second));
	ASSERT_EQ(0, ct_link_up("v2", false));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, 1));
	ASSERT_EQ(ID, ct_recv_id(self->rx1));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, 0));
	EXPECT_EQ(CGW_COUNTS(0, 0, 1), cgw_counts(self->v1, self->v2));
}

TEST_F(gw_counters, other_frames_do_not_count)
{
	struct cgw_rule classical = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
	};
	struct cgw_rule fd = {
		.src = self->v0, .dst = self->v2, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_FD,
	};

	ASSERT_EQ(0, cgw_add(&classical));
	ASSERT_EQ(0, cgw_add(&fd));

	/* the sentinels have an identifier that neither rule takes */
	ASSERT_EQ(0, traffic(self->tx, self->src, false, 3));
	ASSERT_EQ(0, traffic(self->tx, self->src, true, 5));
	EXPECT_EQ(CGW_COUNTS(3, 0, 0), cgw_counts(self->v0, self->v1));
	EXPECT_EQ(CGW_COUNTS(5, 0, 0), cgw_counts(self->v0, self->v2));
}

TEST_F(gw_counters, rules_of_one_source_do_not_affect_each_other)
{
	struct cgw_rule good = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO,
	};
	struct cgw_rule down = {
		.src = self->v0, .dst = self->v2, .filter = &only_id,
		.set = { .type = CGW_MOD_ID, .cf.can_id = ID_CHANGED },
	};
	struct cgw_rule longer = {
		.src = self->v0, .dst = self->v3, .filter = &only_id,
		.set = { .type = CGW_MOD_DLC, .cf.len = 16 },
	};
	int i;

	/* the good one before, between and behind the others in any order */
	ASSERT_EQ(0, cgw_add(&down));
	ASSERT_EQ(0, cgw_add(&good));
	ASSERT_EQ(0, cgw_add(&longer));
	ASSERT_EQ(0, ct_link_up("v2", false));

	for (i = 0; i < FRAMES; i++) {
		ASSERT_EQ(0, traffic(self->tx, self->src, false, 1));
		ASSERT_EQ(ID, ct_recv_id(self->rx1));
	}
	EXPECT_EQ(CGW_COUNTS(FRAMES, 0, 0), cgw_counts(self->v0, self->v1));
	EXPECT_EQ(CGW_COUNTS(0, FRAMES, 0), cgw_counts(self->v0, self->v2));
	EXPECT_EQ(CGW_COUNTS(0, 0, FRAMES), cgw_counts(self->v0, self->v3));
}

TEST_F(gw_counters, equal_rules_send_a_frame_once_each)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
		.flags = CGW_FLAGS_CAN_ECHO,
	};
	struct cgw_entry entries[3];
	int i;

	for (i = 0; i < 3; i++)
		ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, 1));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(ID, ct_recv_id(self->rx1));

	ASSERT_EQ(3, cgw_list(entries, 3));
	for (i = 0; i < 3; i++)
		EXPECT_EQ(1U, entries[i].handled);
}

TEST_F(gw_counters, a_rule_added_again_counts_from_zero)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->v1, .filter = &only_id,
	};

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, traffic(self->tx, self->src, false, FRAMES));
	EXPECT_EQ(CGW_COUNTS(FRAMES, 0, 0), cgw_counts(self->v0, self->v1));
	ASSERT_EQ(0, cgw_del(&rule));

	/* nobody routes now */
	ASSERT_EQ(0, traffic(self->tx, self->src, false, 1));
	ASSERT_EQ(0, cgw_add(&rule));
	EXPECT_EQ(CGW_COUNTS(0, 0, 0), cgw_counts(self->v0, self->v1));
}

TEST_HARNESS_MAIN
