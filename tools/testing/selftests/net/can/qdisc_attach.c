// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queueing discipline can_prio: where it can be attached, by whom, with which options.
 * The order of frames is tested by sim_qdisc. Needs the patched modules.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/can.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/ip.h>
#include <linux/net_tstamp.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/tcp.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "qdisc.h"

#define IF	"vcan0"

FIXTURE(attach) {
	struct ct_bus bus;
};

FIXTURE_SETUP(attach)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("sch_can_prio"))
		SKIP(return, "no can_prio");
	ASSERT_EQ(0, ct_bus_open(&self->bus));
}

FIXTURE_TEARDOWN(attach) { }

TEST_F(attach, is_attached_and_dumped)
{
	struct qd_stats stats;

	ASSERT_EQ(0, qd_replace(IF, "can_prio"));
	ASSERT_EQ(0, qd_stats(IF, &stats));
	EXPECT_STREQ("can_prio", stats.kind);
	EXPECT_EQ(0, stats.lifetime);
	EXPECT_EQ(0, stats.qlen);

	ASSERT_EQ(0, ct_send_id(self->bus.tx, 0x123));
	ASSERT_EQ(0, ct_send_id(self->bus.tx, 0x124));
	ASSERT_EQ(0, ct_bus_barrier(&self->bus));
	ASSERT_EQ(0, qd_stats(IF, &stats));
	EXPECT_EQ(3, stats.packets);
	EXPECT_EQ(0, stats.qlen);
	EXPECT_EQ(0, stats.backlog);
	EXPECT_EQ(0, stats.drops);
	EXPECT_EQ(0, qd_charged(self->bus.tx));

	ASSERT_EQ(0, qd_delete(IF));
	ASSERT_EQ(0, qd_stats(IF, &stats));
	EXPECT_STREQ("noqueue", stats.kind);
	ASSERT_EQ(0, ct_send_id(self->bus.tx, 0x123));
}

TEST_F(attach, tc_attaches_and_shows_it)
{
	if (system("tc -V >/dev/null 2>&1"))
		SKIP(return, "no tc");
	EXPECT_EQ(0, system("tc qdisc replace dev " IF " root can_prio"));
	EXPECT_EQ(0, system("tc -s qdisc show dev " IF " | grep -q '^qdisc can_prio .* root'"));
	EXPECT_EQ(0, system("tc -s -j qdisc show dev " IF " | grep -q '\"kind\":\"can_prio\"'"));
	EXPECT_EQ(0, system("tc class show dev " IF));
	EXPECT_EQ(0, system("tc qdisc replace dev " IF " root can_prio"));
	EXPECT_EQ(0, system("tc qdisc del dev " IF " root"));
}

TEST_F(attach, lifetime_is_changed_and_dumped)
{
	struct qd_stats stats;

	ASSERT_EQ(0, qd_lifetime(IF, 1500000000));
	ASSERT_EQ(0, qd_stats(IF, &stats));
	EXPECT_EQ(1500000000, stats.lifetime);
	/* a request without options keeps them */
	ASSERT_EQ(0, qd_replace(IF, "can_prio"));
	ASSERT_EQ(0, qd_lifetime(IF, CAN_PRIO_MAX_LIFETIME));
	ASSERT_EQ(0, qd_stats(IF, &stats));
	EXPECT_EQ((int64_t)CAN_PRIO_MAX_LIFETIME, stats.lifetime);
	ASSERT_EQ(0, qd_lifetime(IF, 0));
	ASSERT_EQ(0, qd_stats(IF, &stats));
	EXPECT_EQ(0, stats.lifetime);
}

TEST_F(attach, invalid_options_are_refused)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct qd_stats stats;
	struct nlattr *nest;
	struct nlmsghdr *nlh;

	EXPECT_EQ(-ERANGE, qd_lifetime(IF, CAN_PRIO_MAX_LIFETIME + 1));
	ASSERT_EQ(0, qd_stats(IF, &stats));
	EXPECT_STREQ("noqueue", stats.kind);

	ASSERT_EQ(0, qd_lifetime(IF, 1000));
	EXPECT_EQ(-ERANGE, qd_lifetime(IF, UINT64_MAX));

	/* an attribute that does not exist */
	nlh = qd_msg(buf, RTM_NEWQDISC, IF, "can_prio");
	nest = mnl_attr_nest_start(nlh, TCA_OPTIONS);
	mnl_attr_put_u32(nlh, TCA_CAN_PRIO_MAX + 1, 1);
	mnl_attr_nest_end(nlh, nest);
	EXPECT_EQ(-EINVAL, ct_nl(nlh));

	/* another length */
	nlh = qd_msg(buf, RTM_NEWQDISC, IF, "can_prio");
	nest = mnl_attr_nest_start(nlh, TCA_OPTIONS);
	mnl_attr_put_u32(nlh, TCA_CAN_PRIO_LIFETIME, 1);
	mnl_attr_nest_end(nlh, nest);
	EXPECT_GT(0, ct_nl(nlh));

	/* a structure, as older qdiscs have */
	nlh = qd_msg(buf, RTM_NEWQDISC, IF, "can_prio");
	mnl_attr_put_u32(nlh, TCA_OPTIONS, 1);
	EXPECT_EQ(-EINVAL, ct_nl(nlh));

	ASSERT_EQ(0, qd_stats(IF, &stats));
	EXPECT_EQ(1000, stats.lifetime);
}

TEST_F(attach, other_interfaces_are_refused)
{
	EXPECT_EQ(-EOPNOTSUPP, qd_replace("lo", "can_prio"));
}

TEST_F(attach, is_a_root_only)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh;
	struct tcmsg *tcm;

	if (system("tc qdisc replace dev " IF " root handle 1: prio 2>/dev/null"))
		SKIP(return, "no sch_prio");
	nlh = qd_msg(buf, RTM_NEWQDISC, IF, "can_prio");
	tcm = mnl_nlmsg_get_payload(nlh);
	tcm->tcm_parent = TC_H_MAKE(1 << 16, 1);
	EXPECT_EQ(-EOPNOTSUPP, ct_nl(nlh));
}

TEST_F(attach, needs_a_capability)
{
	struct qd_stats stats;

	ASSERT_EQ(0, ct_net_admin(false));
	EXPECT_EQ(-EPERM, qd_replace(IF, "can_prio"));
	ASSERT_EQ(0, ct_net_admin(true));
	ASSERT_EQ(0, qd_replace(IF, "can_prio"));
	ASSERT_EQ(0, ct_net_admin(false));
	EXPECT_EQ(-EPERM, qd_lifetime(IF, 1000));
	EXPECT_EQ(-EPERM, qd_delete(IF));
	EXPECT_EQ(0, qd_stats(IF, &stats));
}

/* The administrator of a user namespace may change the interfaces in it, and no others. */
TEST_F(attach, user_namespace_has_its_own_interfaces)
{
	struct qd_stats stats;

	if (unshare(CLONE_NEWUSER))
		SKIP(return, "no user namespaces");
	EXPECT_EQ(-EPERM, qd_replace(IF, "can_prio"));
	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	ASSERT_LT(0, ct_vcan_add(IF, CAN_MTU));
	EXPECT_EQ(0, qd_replace(IF, "can_prio"));
	EXPECT_EQ(0, qd_stats(IF, &stats));
	EXPECT_STREQ("can_prio", stats.kind);
}

/* With frames that wait: sim_qdisc */
TEST_F(attach, goes_with_its_interface)
{
	int i;

	for (i = 0; i < 20; i++) {
		ASSERT_LT(0, ct_vcan_add("vcan1", CANFD_MTU));
		ASSERT_EQ(0, qd_lifetime("vcan1", 1000000));
		ASSERT_EQ(0, ct_link_del("vcan1"));
	}
}

/* The discipline has the deadline in the field that has the time of a received frame. */
TEST_F(attach, receivers_do_not_see_the_deadline)
{
	static const clockid_t clocks[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_TAI };
	int64_t begin, stamp;
	struct can_frame frame;
	struct qd_stats stats;
	unsigned int i;
	int fd, peer;

	fd = CT_OK(ct_raw_open(CT_OK(ct_vxcan_add("vx0", "vx1", -1, CAN_MTU))));
	peer = CT_OK(ct_raw_open(if_nametoindex("vx1")));
	ASSERT_EQ(0, ct_sock_set(peer, SO_TIMESTAMPNS, 1));
	ASSERT_EQ(0, qd_replace("vx0", "can_prio"));
	ct_frame(&frame, 0x123, 8, NULL);
	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		ASSERT_EQ(0, qd_txtime(fd, clocks[i], SOF_TXTIME_DEADLINE_MODE));
		begin = ct_clock(CLOCK_REALTIME);
		ASSERT_EQ(0, qd_send_until(fd, &frame, ct_clock(clocks[i]) + 1000000000000LL));
		stamp = ct_recv_stamp(peer);
		EXPECT_LE(begin, stamp);
		EXPECT_GE(ct_clock(CLOCK_REALTIME), stamp);
	}
	/* the same with a lifetime */
	ASSERT_EQ(0, qd_lifetime("vx0", CAN_PRIO_MAX_LIFETIME));
	begin = ct_clock(CLOCK_REALTIME);
	ASSERT_EQ(0, ct_send(fd, &frame, sizeof(frame)));
	stamp = ct_recv_stamp(peer);
	EXPECT_LE(begin, stamp);
	EXPECT_GE(ct_clock(CLOCK_REALTIME), stamp);
	ASSERT_EQ(0, qd_stats("vx0", &stats));
	EXPECT_EQ(4, stats.packets);
}

#define MOST_BYTES	256

static const uint16_t protocols[] = { 0, ETH_P_CAN, ETH_P_CANFD, ETH_P_CANXL };

static int send_packet(int fd, const void *data, size_t len, const struct sockaddr_ll *addr)
{
	ssize_t sent = sendto(fd, data, len, 0, (const struct sockaddr *)addr, sizeof(*addr));

	return sent < 0 ? -errno : sent;
}

/* A packet socket may send anything, most of which is no CAN frame. */
TEST_F(attach, frames_of_any_length_pass)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET };
	unsigned int len, fill, i, count = 0;
	char data[MOST_BYTES];
	struct qd_stats stats;
	int fd;

	addr.sll_ifindex = CT_OK(ct_vcan_add("vcan1", CANXL_MAX_MTU));
	ASSERT_EQ(0, qd_lifetime("vcan1", CAN_PRIO_MAX_LIFETIME));
	fd = CT_OK(socket(AF_PACKET, SOCK_RAW, 0));
	EXPECT_EQ(-EINVAL, send_packet(fd, data, 0, &addr));
	for (i = 0; i < ARRAY_SIZE(protocols); i++) {
		addr.sll_protocol = htons(protocols[i]);
		for (fill = 0; fill <= 0xff; fill += 0x55) {
			memset(data, fill, sizeof(data));
			for (len = 1; len <= sizeof(data); len++, count++)
				ASSERT_EQ((int)len, send_packet(fd, data, len, &addr));
		}
	}
	EXPECT_EQ(0, qd_charged(fd));
	ASSERT_EQ(0, qd_stats("vcan1", &stats));
	EXPECT_EQ(count, stats.packets);
	EXPECT_EQ(0, stats.drops);
	EXPECT_EQ(0, stats.qlen);
}

/* Frames of a ring are in its pages, and none of their bytes is in the linear part of an skb. */
TEST_F(attach, frames_of_a_ring_pass)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET };
	unsigned int len, i, count = 0;
	char data[MOST_BYTES];
	struct qd_stats stats;
	struct qd_ring ring;

	addr.sll_ifindex = CT_OK(ct_vcan_add("vcan1", CANXL_MAX_MTU));
	ASSERT_EQ(0, qd_lifetime("vcan1", CAN_PRIO_MAX_LIFETIME));
	ASSERT_EQ(0, qd_ring_open(&ring));
	for (i = 0; i < ARRAY_SIZE(protocols); i++) {
		addr.sll_protocol = htons(protocols[i]);
		memset(data, i, sizeof(data));
		for (len = 1; len <= sizeof(data); len++, count++)
			ASSERT_EQ((int)len, qd_ring_send(&ring, &addr, data, len));
	}
	ASSERT_EQ(0, qd_stats("vcan1", &stats));
	EXPECT_EQ(count, stats.packets);
	EXPECT_EQ(0, stats.drops);
	EXPECT_EQ(0, stats.qlen);
}

#define HERE	0xc0000201	/* 192.0.2.1 */
#define THERE	0xc0000202

struct segment {
	struct iphdr ip;
	struct tcphdr tcp;
};

/* A SYN from THERE, which the kernel completes except for the checksum of TCP */
static void fill_syn(struct segment *syn, uint16_t port)
{
	uint32_t sum = IPPROTO_TCP + sizeof(syn->tcp);
	const uint16_t *words;
	unsigned int i;

	*syn = (struct segment) {
		.ip = {
			.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_TCP,
			.saddr = htonl(THERE), .daddr = htonl(HERE),
		},
		.tcp = {
			.source = htons(1024), .dest = port, .doff = 5, .syn = 1,
			.window = htons(1024),
		},
	};
	sum += (HERE >> 16) + (HERE & 0xffff) + (THERE >> 16) + (THERE & 0xffff);
	words = (const uint16_t *)&syn->tcp;
	for (i = 0; i < sizeof(syn->tcp) / 2; i++)
		sum += ntohs(words[i]);
	sum = (sum & 0xffff) + (sum >> 16);
	syn->tcp.check = htons(~(sum + (sum >> 16)));
}

/* The socket of a SYN-ACK is a request, which is not a full one: most of its members are not
 * there. No CAN frame is sent, but the discipline sees the packet.
 */
TEST_F(attach, segment_without_a_full_socket_passes)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(HERE) };
	struct sockaddr_ll tap_addr = { .sll_family = AF_PACKET };
	socklen_t addr_len = sizeof(addr);
	int listener, raw, tap;
	struct qd_stats stats;
	struct segment syn;
	char buf[256];

	if (system("ip -V >/dev/null"))
		SKIP(return, "no ip");
	/* IPv4 needs an MTU of 68 */
	tap_addr.sll_ifindex = CT_OK(ct_vcan_add("vcan1", CANXL_MAX_MTU));
	ASSERT_EQ(0, ct_link_up("lo", true));
	ASSERT_EQ(0, system("ip addr add 192.0.2.1/24 dev vcan1"));
	ASSERT_EQ(0, qd_lifetime("vcan1", CAN_PRIO_MAX_LIFETIME));

	listener = CT_OK(socket(AF_INET, SOCK_STREAM, 0));
	ASSERT_EQ(0, bind(listener, (struct sockaddr *)&addr, sizeof(addr)));
	ASSERT_EQ(0, listen(listener, 1));
	ASSERT_EQ(0, getsockname(listener, (struct sockaddr *)&addr, &addr_len));
	tap = CT_OK(socket(AF_PACKET, SOCK_DGRAM, 0));
	tap_addr.sll_protocol = htons(ETH_P_ALL);
	ASSERT_EQ(0, bind(tap, (struct sockaddr *)&tap_addr, sizeof(tap_addr)));
	raw = CT_OK(socket(AF_INET, SOCK_RAW, IPPROTO_RAW));
	ASSERT_EQ(0, qd_stats("vcan1", &stats));
	ASSERT_EQ(0, stats.packets);

	fill_syn(&syn, addr.sin_port);
	ASSERT_EQ((ssize_t)sizeof(syn), sendto(raw, &syn, sizeof(syn), 0,
					       (struct sockaddr *)&addr, sizeof(addr)));
	ASSERT_LE((ssize_t)sizeof(syn), ct_recv(tap, buf, sizeof(buf), CT_TIMEOUT_MS));
	memcpy(&syn, buf, sizeof(syn));
	EXPECT_EQ(IPPROTO_TCP, syn.ip.protocol);
	EXPECT_EQ(htonl(HERE), syn.ip.saddr);
	EXPECT_EQ(htonl(THERE), syn.ip.daddr);
	EXPECT_EQ(addr.sin_port, syn.tcp.source);
	EXPECT_TRUE(syn.tcp.syn && syn.tcp.ack);
	ASSERT_EQ(0, qd_stats("vcan1", &stats));
	EXPECT_LT(0, stats.packets);
	EXPECT_EQ(0, stats.drops);
	EXPECT_EQ(0, stats.qlen);
}

TEST_HARNESS_MAIN
