// SPDX-License-Identifier: GPL-2.0-only
/*
 * On PREEMPT_RT, frames that wait in the queueing discipline can_prio are handed to the
 * driver by threads, which do not wait for softirqs. They keep their order also if some of
 * them take the usual way, and what sees or drops frames on that way still does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <linux/can.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "qdisc.h"
#include "simhog.h"
#include "simtest.h"

#define BITRATE		250000
#define ID		0x321
#define URGENT_ID	0x080

/* More than the driver has slots for, and than fit into the queue of an interface */
#define FRAMES		100
#define ROUNDS		40
#define LONG_TEST	900

#define NAPI_PRIORITY	1
#define WRITER_PRIORITY	10

FIXTURE(direct) {
	char path[64];
	int fd;
};

SIM_CHIP_VARIANTS(direct);

FIXTURE_SETUP(direct)
{
	if (!ct_preempt_rt())
		SKIP(return, "needs PREEMPT_RT");
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!sim_open_chip(_metadata, "generator.rx", variant->chip->kind, self->path))
		return;
	ASSERT_EQ(0, sim_set_all(BUS "/generator.rx", "bitrate=%d", BITRATE));
	ASSERT_EQ(0, sim_slow_down(BUS));
	self->fd = CT_OK(sim_start(BITRATE, "", 0, true));
	ASSERT_EQ(0, qd_replace(CHIP_IF, "can_prio"));
	ASSERT_EQ(0, sim_link_set_flags(CHIP_IF, 1));
}

SIM_TEARDOWN(direct)

static int send_number(int fd, int number)
{
	struct can_frame frame = { .can_id = ID, .len = 1, .data = { number } };

	return ct_send(fd, &frame, sizeof(frame));
}

static int open_packet(int protocol)
{
	struct sockaddr_ll where = {
		.sll_family = AF_PACKET, .sll_protocol = htons(protocol),
		.sll_ifindex = if_nametoindex(CHIP_IF),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&where, sizeof(where)))
		return -errno;
	return fd;
}

static void expect_numbers(struct __test_metadata *_metadata, int fd, int count)
{
	struct can_frame frame;
	int i;

	for (i = 0; i < count; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS))
			TH_LOG("frame %d", i);
		ASSERT_EQ((canid_t)ID, frame.can_id);
		ASSERT_EQ(i & 0xff, frame.data[0]);
	}
}

/* Neither NAPI nor softirqs run. */
TEST_F_TIMEOUT(direct, frames_are_sent_while_napi_cannot_run, LONG_TEST)
{
	pid_t hogs[HOG_CPUS];
	int i;

	ASSERT_EQ(0, sim_set_priority(CT_OK(ct_thread("napi/" CHIP_IF "-")), NAPI_PRIORITY));
	sim_begin_hogs(_metadata, hogs);
	for (i = 0; i < FRAMES; i++)
		ASSERT_EQ(0, send_number(self->fd, i));
	EXPECT_EQ(0, sim_await(self->path, "sent", FRAMES));
	expect_numbers(_metadata, self->fd, FRAMES);
	EXPECT_TRUE(sim_end_hogs(hogs));
}

/* While there is a packet socket, frames take the usual way, and it gets them. */
TEST_F_TIMEOUT(direct, order_is_kept_between_two_ways, LONG_TEST)
{
	int i, tap = -1, tapped = 0, wanted = 0;
	struct can_frame frame;

	for (i = 0; i < FRAMES; i++) {
		if (i % 10 == 0)
			tap = CT_OK(open_packet(ETH_P_ALL));
		ASSERT_EQ(0, send_number(self->fd, i));
		if (tap < 0 || i % 10 != 4)
			continue;
		/* what has not reached the driver yet is seen later, or not at all */
		ASSERT_EQ(0, sim_await(self->path, "sent", i + 1));
		wanted += 5;
		while (ct_recv(tap, &frame, sizeof(frame), 0) == sizeof(frame))
			tapped += frame.can_id == ID;
		ASSERT_EQ(0, close(tap));
		tap = -1;
	}
	expect_numbers(_metadata, self->fd, FRAMES);
	/* one when it is sent, and perhaps its echo */
	EXPECT_LE(wanted, tapped);
}

/* What a packet ring sends is not in the linear part of an skb, from which drivers read. */
TEST_F_TIMEOUT(direct, frames_of_a_packet_ring_are_complete, LONG_TEST)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_CAN),
		.sll_ifindex = if_nametoindex(CHIP_IF),
	};
	int i, seen[FRAMES] = { 0 };
	struct qd_ring ring;

	ASSERT_EQ(0, qd_ring_open(&ring));
	for (i = 0; i < FRAMES; i++) {
		struct can_frame frame = { .can_id = ID, .len = 1, .data = { i } };

		if (i % 2) {
			ASSERT_EQ(0, send_number(self->fd, i));
			continue;
		}
		ASSERT_EQ((int)sizeof(frame), qd_ring_send(&ring, &addr, &frame, sizeof(frame)));
	}
	for (i = 0; i < FRAMES; i++) {
		struct can_frame frame;

		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd, &frame, sizeof(frame), CT_TIMEOUT_MS))
			TH_LOG("frame %d", i);
		ASSERT_EQ((canid_t)ID, frame.can_id);
		ASSERT_EQ(1, frame.len);
		ASSERT_GT(FRAMES, frame.data[0]);
		EXPECT_EQ(1, ++seen[frame.data[0]]);
	}
	EXPECT_EQ(FRAMES, sim_number(self->path, "sent"));
}

/* tc may drop or change frames on their way. */
TEST_F_TIMEOUT(direct, frames_pass_tc, LONG_TEST)
{
	int i;

	if (system("tc qdisc add dev " CHIP_IF " clsact && tc filter add dev " CHIP_IF
		   " egress matchall action drop"))
		SKIP(return, "no tc");
	for (i = 0; i < FRAMES; i++)
		send_number(self->fd, i);
	ASSERT_EQ(0, system("tc qdisc del dev " CHIP_IF " clsact"));
	ASSERT_EQ(0, ct_send_id(self->fd, URGENT_ID));
	ASSERT_EQ(URGENT_ID, ct_recv_id(self->fd));
	EXPECT_EQ(1, sim_number(self->path, "sent"));
}

static void write_on(int ifindex)
{
	int fd = ct_raw_open(ifindex);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || ct_pin_cpu() || ct_raw_filters(fd, NULL, 0) ||
	    sim_set_priority(0, WRITER_PRIORITY))
		_exit(1);
	while (!ct_send_id(fd, ID))
		;
	_exit(1);
}

/* A writer of low priority is kept from running wherever it is, also while it has locks. */
TEST_F_TIMEOUT(direct, urgent_frames_do_not_wait_for_a_writer, LONG_TEST)
{
	pid_t writer, hogs[HOG_CPUS];
	int i, status;

	ASSERT_EQ(0, ct_raw_only_id(self->fd, URGENT_ID));
	ASSERT_EQ(0, ct_pin_cpu());
	writer = fork();
	ASSERT_LE(0, writer);
	if (!writer)
		write_on(if_nametoindex(CHIP_IF));
	ASSERT_EQ(0, sim_await_above(self->path, "sent", 10));
	for (i = 0; i < ROUNDS; i++) {
		usleep(1000 + 37 * i);
		sim_begin_hogs(_metadata, hogs);
		EXPECT_EQ(0, ct_send_id(self->fd, URGENT_ID));
		EXPECT_EQ(URGENT_ID, ct_recv_id(self->fd)) TH_LOG("round %d", i);
		EXPECT_TRUE(sim_end_hogs(hogs));
	}
	ASSERT_EQ(0, kill(writer, SIGKILL));
	ASSERT_EQ(writer, waitpid(writer, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status));
}

TEST_HARNESS_MAIN
