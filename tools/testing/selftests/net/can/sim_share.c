// SPDX-License-Identifier: GPL-2.0-only
/*
 * On PREEMPT_RT a thread of the interface, whose priority is above that of most interrupt
 * threads, gives frames to CAN_RAW sockets. Any user may make that long, by many sockets or
 * by many poll sets. The thread takes at most half of a CPU all the same, and three
 * quarters with the time in which it wakes readers.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/filter.h>

#include "simhog.h"
#include "simtest.h"

#define GEN		BUS "/generator.gen"
#define GEN_ID		0x200

/* A full bus of frames without data, of 50 us each */
#define BITRATE		1000000
#define FRAMES		10000

/* Each frame takes the filters longer than the next one takes to come. */
#define SOCKETS		100
#define FILTER		1000

/* A wake takes longer than a frame, so that little is left for what the thread does between
 * batches, which does not count.
 */
#define FEW_SETS	1600
#define MANY_SETS	6400

#define CPU		0

/* Above the thread of an interface */
#define MEASURE_PRIORITY	60

/* More than its part, which the thread may take once, and the batch before that ends */
#define MORE_NS		15000000LL

#define LONG_TEST	600

FIXTURE(share) {
	char path[64];
	int fd, ifindex;
	pid_t thread, napi;
};

/* With SPI, to read the chip takes most of the CPU. */
FIXTURE_VARIANT(share) { const char *kind; };
FIXTURE_VARIANT_ADD(share, sja1000) { "sja1000" };
FIXTURE_VARIANT_ADD(share, mpc5200) { "mpc5200" };

FIXTURE_SETUP(share)
{
	const struct rlimit files = { 2 * MANY_SETS, 2 * MANY_SETS };
	cpu_set_t set;

	if (!ct_preempt_rt())
		SKIP(return, "needs PREEMPT_RT");
	if (getenv("SIM_SLOWDOWN"))
		SKIP(return, "would keep threads of RCU waiting for too long");
	if (!sim_open_chip(_metadata, "generator.gen", variant->kind, self->path))
		return;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &files));
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%d id=%03X dlc=0 period_ns=1 count=%d",
				 BITRATE, GEN_ID, FRAMES));
	self->fd = CT_OK(sim_start(BITRATE, "", 0, false));
	self->ifindex = if_nametoindex(CHIP_IF);
	self->thread = CT_OK(ct_thread("can-rx/" CHIP_IF "\n"));
	self->napi = CT_OK(ct_thread("napi/" CHIP_IF "-"));
	CPU_ZERO(&set);
	CPU_SET(CPU, &set);
	ASSERT_EQ(0, sched_setaffinity(self->thread, sizeof(set), &set));
	/* It measures while the thread and NAPI take all of the CPU. */
	ASSERT_EQ(0, sim_set_priority(0, MEASURE_PRIORITY));
}

SIM_TEARDOWN(share)

/* Return: CPU time of a thread, in ns. */
static int64_t time_of(struct __test_metadata *_metadata, pid_t tid)
{
	clockid_t clock;

	ASSERT_EQ(0, clock_getcpuclockid(tid, &clock));
	return ct_clock(clock);
}

/* Let frames come, of whose time the thread may take so many quarters.
 *
 * Return: would it have taken more if it had gone on instead of NAPI?
 */
static bool expect_quarters(struct __test_metadata *_metadata, FIXTURE_DATA(share) *self,
			    int quarters)
{
	int64_t taken, thread, napi, most;

	taken = ct_clock(CLOCK_MONOTONIC);
	thread = time_of(_metadata, self->thread);
	napi = time_of(_metadata, self->napi);
	EXPECT_EQ(0, sim_run(GEN, true));
	EXPECT_EQ(0, sim_await(GEN, "run", 0));
	thread = time_of(_metadata, self->thread) - thread;
	napi = time_of(_metadata, self->napi) - napi;
	taken = ct_clock(CLOCK_MONOTONIC) - taken;
	most = quarters * taken / 4 + MORE_NS;
	TH_LOG("thread %lld, NAPI %lld, of %lld us", (long long)thread / 1000,
	       (long long)napi / 1000, (long long)taken / 1000);
	EXPECT_GE(most, thread);
	return thread + napi > most;
}

/* Each socket has a filter that takes long, and refuses the frame. */
TEST_F_TIMEOUT(share, with_many_sockets, LONG_TEST)
{
	struct sock_filter code[FILTER + 1];
	struct sock_fprog filter = { .len = FILTER + 1, .filter = code };
	int i;

	for (i = 0; i < FILTER; i++)
		code[i] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0);
	code[FILTER] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
	for (i = 0; i < SOCKETS; i++)
		ASSERT_EQ(0, setsockopt(CT_OK(ct_raw_open(self->ifindex)), SOL_SOCKET,
					SO_ATTACH_FILTER, &filter, sizeof(filter)));
	EXPECT_TRUE(expect_quarters(_metadata, self, 2));
}

TEST_F_TIMEOUT(share, with_many_poll_sets, LONG_TEST)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct can_frame frame;
	int sets = 0, most;
	bool more = false;

	/* it has room for all frames, so that each wakes */
	ASSERT_EQ(0, ct_sock_set(self->fd, SO_RCVBUFFORCE, FRAMES * 1024));
	for (most = FEW_SETS; most <= MANY_SETS; most *= 2) {
		for (; sets < most; sets++)
			ASSERT_EQ(0, epoll_ctl(CT_OK(epoll_create1(0)), EPOLL_CTL_ADD,
					       self->fd, &event));
		more |= expect_quarters(_metadata, self, 3);
		while (recv(self->fd, &frame, sizeof(frame), MSG_DONTWAIT) > 0)
			;
	}
	EXPECT_TRUE(more);
}

TEST_HARNESS_MAIN
