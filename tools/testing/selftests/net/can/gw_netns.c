// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gateway and network namespaces: rules belong to one, frames pass from
 * one to another through vxcan pairs, rules are removed with their interface or
 * namespace; and the privilege that changes of rules need.
 *
 * Two namespaces, joined by a vxcan pair, each with a vcan:
 *
 *	   home                         away
 *	v0 (index 10)  x0 ========== x1  w0 (index 20)
 *
 * The tests set the indexes of the vcans, because indexes of two namespaces may be
 * equal. Every test but the one with a thread runs on one CPU, where the virtual
 * interfaces keep the order of frames.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/if_tun.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "cgw.h"
#include "kselftest_harness.h"

#define ID		0x100

static int add_rule(int src, int dst, uint16_t flags)
{
	struct cgw_rule rule = { .src = src, .dst = dst, .flags = flags };

	return cgw_add(&rule);
}

FIXTURE(gw_netns) {
	int home, away;		/* descriptors */
	int v0, x0;		/* in home */
	int w0, x1;		/* in away */
};

FIXTURE_SETUP(gw_netns)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	self->away = CT_OK(ct_netns_get());
	self->w0 = CT_OK(ct_vcan_add_at("w0", CANFD_MTU, 20));

	ASSERT_EQ(0, ct_netns_new());
	self->home = CT_OK(ct_netns_get());
	self->v0 = CT_OK(ct_vcan_add_at("v0", CANFD_MTU, 10));
	self->x0 = CT_OK(ct_vxcan_add("x0", "x1", self->away, CANFD_MTU));

	ASSERT_EQ(0, ct_netns_set(self->away));
	self->x1 = if_nametoindex("x1");
	ASSERT_LT(0, self->x1);
	ASSERT_EQ(0, ct_netns_set(self->home));
}

FIXTURE_TEARDOWN(gw_netns) { }

TEST_F(gw_netns, rules_belong_to_one_namespace)
{
	struct cgw_entry entry;

	ASSERT_EQ(0, add_rule(self->v0, self->x0, 0));
	ASSERT_EQ(1, cgw_list(&entry, 1));
	EXPECT_EQ(self->v0, entry.rule.src);

	ASSERT_EQ(0, ct_netns_set(self->away));
	EXPECT_EQ(0, cgw_list(NULL, 0));
	ASSERT_EQ(0, add_rule(self->x1, self->w0, 0));
	ASSERT_EQ(1, cgw_list(&entry, 1));
	EXPECT_EQ(self->x1, entry.rule.src);

	/* flushing one leaves the other */
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EQ(0, cgw_list(NULL, 0));
	ASSERT_EQ(0, ct_netns_set(self->home));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_F(gw_netns, same_uid_in_two_namespaces_is_two_rules)
{
	struct cgw_rule rule = {
		.src = self->v0, .dst = self->x0, .uid = 0xcafe,
		.set = { .type = CGW_MOD_ID, .cf.can_id = 1 },
	};

	ASSERT_EQ(0, cgw_add(&rule));
	ASSERT_EQ(0, ct_netns_set(self->away));
	rule.src = self->w0;
	rule.dst = self->x1;
	ASSERT_EQ(0, cgw_add(&rule));
	EXPECT_EQ(1, cgw_list(NULL, 0));
	ASSERT_EQ(0, ct_netns_set(self->home));
	EXPECT_EQ(1, cgw_list(NULL, 0));
}

TEST_F(gw_netns, interface_of_another_namespace_is_not_known)
{
	EXPECT_EQ(-ENODEV, add_rule(self->v0, self->w0, 0));
	EXPECT_EQ(-ENODEV, add_rule(self->w0, self->v0, 0));
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

/* the count of hops begins again after the pair, so that max_hops may be 1 */
TEST_F(gw_netns, frames_are_routed_across_in_both_directions)
{
	int v0, w0, w0_rx, v0_rx;

	ASSERT_EQ(0, add_rule(self->v0, self->x0, 0));
	v0 = CT_OK(ct_raw_open(self->v0));
	v0_rx = CT_OK(ct_raw_open(self->v0));

	ASSERT_EQ(0, ct_netns_set(self->away));
	ASSERT_EQ(0, add_rule(self->x1, self->w0, CGW_FLAGS_CAN_ECHO));
	w0 = CT_OK(ct_raw_open(self->w0));
	w0_rx = CT_OK(ct_raw_open(self->w0));

	ASSERT_EQ(0, ct_send_id(v0, ID));
	EXPECT_EQ(ID, ct_recv_id(w0_rx));
	EXPECT_EQ(CGW_COUNTS(1, 0, 0), cgw_counts(self->x1, self->w0));
	ASSERT_EQ(0, cgw_flush());
	ASSERT_EQ(0, add_rule(self->w0, self->x1, 0));

	ASSERT_EQ(0, ct_netns_set(self->home));
	EXPECT_EQ(CGW_COUNTS(1, 0, 0), cgw_counts(self->v0, self->x0));
	ASSERT_EQ(0, cgw_flush());
	ASSERT_EQ(0, add_rule(self->x0, self->v0, CGW_FLAGS_CAN_ECHO));
	EXPECT_EQ(ID, ct_recv_id(v0_rx));
	EXPECT_EQ(ID, ct_recv_id(w0));
	ASSERT_EQ(0, ct_send_id(w0, ID + 1));
	EXPECT_EQ(ID + 1, ct_recv_id(v0_rx));
}

/*
 * A bug of the kernel: a frame keeps the index of its first interface, also in
 * another namespace. A rule whose destination has that index there handles the frame
 * as if it would return to its first interface: it does not send it, and counts
 * nothing. CGW_FLAGS_CAN_IIF_TX_OK switches the check off.
 */
TEST_F(gw_netns, foreign_ifindex_of_the_destination_prevents_routing)
{
	int same, other, tx, same_rx, other_rx;
	struct cgw_rule allowed = {
		.flags = CGW_FLAGS_CAN_ECHO | CGW_FLAGS_CAN_IIF_TX_OK,
		.set = { .type = CGW_MOD_ID, .cf.can_id = ID + 1 },
	};

	ASSERT_EQ(0, add_rule(self->v0, self->x0, 0));
	tx = CT_OK(ct_raw_open(self->v0));
	ASSERT_EQ(0, ct_netns_set(self->away));
	same = ct_vcan_add_at("w1", CANFD_MTU, self->v0);
	ASSERT_EQ(self->v0, same);
	other = self->w0;
	ASSERT_EQ(0, add_rule(self->x1, other, CGW_FLAGS_CAN_ECHO));
	ASSERT_EQ(0, add_rule(self->x1, same, CGW_FLAGS_CAN_ECHO));
	same_rx = CT_OK(ct_raw_open(same));
	other_rx = CT_OK(ct_raw_open(other));

	/* the second one comes after all results of the first one */
	ASSERT_EQ(0, ct_send_id(tx, ID));
	ASSERT_EQ(ID, ct_recv_id(other_rx));
	ASSERT_EQ(0, ct_send_id(tx, ID));
	ASSERT_EQ(ID, ct_recv_id(other_rx));
	EXPECT_EQ(CGW_COUNTS(2, 0, 0), cgw_counts(self->x1, other));
	EXPECT_EQ(CGW_COUNTS(0, 0, 0), cgw_counts(self->x1, same));

	allowed.src = self->x1;
	allowed.dst = same;
	ASSERT_EQ(0, cgw_add(&allowed));
	ASSERT_EQ(0, ct_send_id(tx, ID));
	/* and it is the first one that arrives here */
	EXPECT_EQ(ID + 1, ct_recv_id(same_rx));
}

/*
 * Interfaces and namespaces that are removed.
 */

/* a socket that receives events of the interfaces in this namespace */
static struct mnl_socket *link_events(void)
{
	struct mnl_socket *nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);

	if (nl && mnl_socket_bind(nl, RTMGRP_LINK, MNL_SOCKET_AUTOPID) < 0) {
		mnl_socket_close(nl);
		nl = NULL;
	}
	return nl;
}

static int removed_index(const struct nlmsghdr *nlh, void *data)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(nlh);
	const int *index = data;

	return nlh->nlmsg_type == RTM_DELLINK && ifi->ifi_index == *index ?
	       MNL_CB_STOP : MNL_CB_OK;
}

static int wait_removed(struct mnl_socket *nl, int index)
{
	struct pollfd pfd = {
		.fd = mnl_socket_get_fd(nl), .events = POLLIN,
	};
	char buf[MNL_SOCKET_BUFFER_SIZE];
	ssize_t len;

	while (poll(&pfd, 1, CT_TIMEOUT_MS) > 0) {
		len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (len < 0)
			return -errno;
		if (mnl_cb_run(buf, len, 0, 0, removed_index, &index) ==
		    MNL_CB_STOP)
			return 0;
	}
	return -ETIMEDOUT;
}

TEST_F(gw_netns, removed_vxcan_pair_removes_the_rules_of_both_ends)
{
	ASSERT_EQ(0, ct_netns_set(self->away));
	ASSERT_EQ(30, ct_vcan_add_at("w1", CANFD_MTU, 30));
	ASSERT_EQ(0, add_rule(self->x1, self->w0, 0));
	ASSERT_EQ(0, add_rule(30, self->x1, 0));
	ASSERT_EQ(0, add_rule(30, self->w0, 0));

	ASSERT_EQ(0, ct_netns_set(self->home));
	ASSERT_EQ(0, add_rule(self->v0, self->x0, 0));
	ASSERT_EQ(0, ct_link_del("x0"));
	EXPECT_EQ(0, cgw_list(NULL, 0));

	ASSERT_EQ(0, ct_netns_set(self->away));
	EXPECT_EQ(1, cgw_list(NULL, 0));
	EXPECT_EQ(0, add_rule(30, self->w0, 0));
}

TEST_F(gw_netns, moved_interface_loses_its_rules)
{
	ASSERT_EQ(30, ct_vcan_add_at("v1", CANFD_MTU, 30));
	ASSERT_EQ(0, add_rule(self->v0, 30, 0));
	ASSERT_EQ(0, add_rule(30, self->v0, 0));
	ASSERT_EQ(0, add_rule(self->v0, self->x0, 0));

	ASSERT_EQ(0, ct_link_move("v1", self->away));

	EXPECT_EQ(1, cgw_list(NULL, 0));
	EXPECT_EQ(-ENODEV, add_rule(self->v0, 30, 0));
	ASSERT_EQ(0, ct_netns_set(self->away));
	EXPECT_EQ(30U, if_nametoindex("v1"));
	EXPECT_EQ(0, cgw_list(NULL, 0));
	EXPECT_EQ(0, add_rule(30, self->w0, 0));
}

/* an interface whose type can be set; it lives as long as the descriptor is open */
static int tun_open(const char *name)
{
	struct ifreq ifr = { .ifr_flags = IFF_TUN | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	if (!ioctl(fd, TUNSETIFF, &ifr))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* the type alone, which the owner of a tun interface can set, makes no CAN interface */
TEST_F(gw_netns, interface_without_the_data_of_a_can_interface_is_rejected)
{
	int tun, index;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("tun"))
		SKIP(return, "no tun module");
	tun = CT_OK(tun_open("t0"));
	index = if_nametoindex("t0");
	ASSERT_LT(0, index);
	EXPECT_EQ(-ENODEV, add_rule(self->v0, index, 0));
	ASSERT_EQ(0, ioctl(tun, TUNSETLINK, ARPHRD_CAN));
	EXPECT_EQ(-ENODEV, add_rule(self->v0, index, 0));
	EXPECT_EQ(-ENODEV, add_rule(index, self->v0, 0));
	EXPECT_EQ(0, cgw_list(NULL, 0));
	close(tun);
}

struct stream {
	int tx;
	int witness;
	atomic_bool stop;
	int err;
};

/* frames until the end of the test; each is received before the next one is sent */
static void *stream_run(void *data)
{
	struct stream *stream = data;

	stream->err = ct_pin_cpu();
	while (!stream->err && !atomic_load(&stream->stop)) {
		stream->err = ct_send_id(stream->tx, ID);
		if (!stream->err && ct_recv_id(stream->witness) != ID)
			stream->err = -EPROTO;
	}
	return NULL;
}

/* a namespace is removed with its last reference, while frames still arrive there */
TEST_F_TIMEOUT(gw_netns, namespace_is_removed_with_its_rules_under_traffic, 120)
{
	struct stream stream = { 0 };
	struct mnl_socket *events;
	int rx, round, x0, away;
	pthread_t thread;

	ASSERT_EQ(30, ct_vcan_add_at("v1", CANFD_MTU, 30));
	ASSERT_EQ(0, add_rule(self->v0, 30, 0));
	stream.tx = CT_OK(ct_raw_open(self->v0));
	stream.witness = CT_OK(ct_raw_open(self->v0));
	events = link_events();
	ASSERT_NE(NULL, events);
	ASSERT_EQ(0, pthread_create(&thread, NULL, stream_run, &stream));

	for (round = 0; round < 10; round++) {
		ASSERT_EQ(0, ct_netns_new());
		away = CT_OK(ct_netns_get());
		ASSERT_EQ(20, ct_vcan_add_at("w0", CANFD_MTU, 20));
		ASSERT_EQ(0, ct_netns_set(self->home));
		x0 = CT_OK(ct_vxcan_add("y0", "y1", away, CAN_MTU));
		ASSERT_EQ(0, add_rule(self->v0, x0, 0));
		ASSERT_EQ(2, cgw_list(NULL, 0));

		/* frames arrive there at a rule */
		ASSERT_EQ(0, ct_netns_set(away));
		ASSERT_EQ(0, add_rule(if_nametoindex("y1"), 20,
				      CGW_FLAGS_CAN_ECHO));
		rx = CT_OK(ct_raw_open(20));
		EXPECT_EQ(ID, ct_recv_id(rx));

		close(rx);
		ASSERT_EQ(0, ct_netns_set(self->home));
		close(away);
		ASSERT_EQ(0, wait_removed(events, x0));
		EXPECT_EQ(1, cgw_list(NULL, 0));
	}
	atomic_store(&stream.stop, true);
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(0, stream.err);
	mnl_socket_close(events);
}

/*
 * Privileges.
 */

TEST_F(gw_netns, without_cap_net_admin_rules_can_be_listed_only)
{
	struct cgw_rule rule = { .src = self->v0, .dst = self->x0 };
	struct cgw_rule updated = {
		.src = self->v0, .dst = self->x0, .uid = 0xcafe,
		.set = { .type = CGW_MOD_ID, .cf.can_id = 1 },
	};
	struct cgw_entry entry;

	ASSERT_EQ(0, cgw_add(&updated));
	ASSERT_EQ(0, ct_net_admin(false));

	EXPECT_EQ(-EPERM, cgw_add(&rule));
	EXPECT_EQ(-EPERM, cgw_add(&updated));
	EXPECT_EQ(-EPERM, cgw_del(&updated));
	EXPECT_EQ(-EPERM, cgw_flush());
	/* bad requests as well: the answer tells nothing about them */
	rule.dst = 123456;
	EXPECT_EQ(-EPERM, cgw_add(&rule));

	ASSERT_EQ(1, cgw_list(&entry, 1));
	EXPECT_EQ(self->v0, entry.rule.src);
	EXPECT_EQ(self->x0, entry.rule.dst);
	EXPECT_EQ(0xcafeU, entry.rule.uid);
	EXPECT_EQ(1U, entry.rule.set.cf.can_id);

	ASSERT_EQ(0, ct_net_admin(true));
	EXPECT_EQ(0, cgw_del(&updated));
}

/* both the sender and the opener of the socket need the privilege */
TEST_F(gw_netns, socket_opened_with_cap_net_admin_is_not_enough)
{
	struct cgw_rule rule = { .src = self->v0, .dst = self->x0 };
	char buf[CGW_MSG_SIZE], answer[MNL_SOCKET_BUFFER_SIZE];
	struct mnl_socket *nl;
	struct nlmsghdr *nlh;
	ssize_t len;

	nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	ASSERT_NE(NULL, nl);
	ASSERT_LE(0, mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID));
	ASSERT_EQ(0, ct_net_admin(false));

	nlh = cgw_msg(buf, RTM_NEWROUTE, 0);
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	cgw_put_rule(nlh, &rule);
	ASSERT_LT(0, mnl_socket_sendto(nl, nlh, nlh->nlmsg_len));
	len = mnl_socket_recvfrom(nl, answer, sizeof(answer));
	ASSERT_LT(0, len);
	EXPECT_EQ(-1, mnl_cb_run(answer, len, 0, mnl_socket_get_portid(nl),
				 NULL, NULL));
	EXPECT_EQ(EPERM, errno);
	EXPECT_EQ(0, cgw_list(NULL, 0));
	mnl_socket_close(nl);
	ASSERT_EQ(0, ct_net_admin(true));
}

FIXTURE(gw_userns) {
	int v0, v1;
};

FIXTURE_SETUP(gw_userns)
{
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	/* because they cannot be loaded from the namespace */
	ct_module("vcan");
	ct_module("can-raw");
	if (unshare(CLONE_NEWUSER | CLONE_NEWNET))
		SKIP(return, "no user namespaces: %s", strerror(errno));
	self->v0 = CT_OK(ct_vcan_add("v0", CAN_MTU));
	self->v1 = CT_OK(ct_vcan_add("v1", CAN_MTU));
}

FIXTURE_TEARDOWN(gw_userns) { }

/* also between interfaces that it may make */
TEST_F(gw_userns, root_of_a_user_namespace_can_list_only)
{
	struct cgw_rule rule = { .src = self->v0, .dst = self->v1 };

	EXPECT_EQ(-EPERM, cgw_add(&rule));
	EXPECT_EQ(-EPERM, cgw_del(&rule));
	EXPECT_EQ(-EPERM, cgw_flush());
	EXPECT_EQ(0, cgw_list(NULL, 0));
}

TEST_HARNESS_MAIN
