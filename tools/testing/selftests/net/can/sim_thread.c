// SPDX-License-Identifier: GPL-2.0-only
/*
 * On PREEMPT_RT, a thread of the interface gives frames to CAN_RAW sockets, and NAPI
 * gives them to everybody else. Everybody gets each frame once and in the order of the
 * bus, also while the thread is switched on and off, and the echoes of own frames are in
 * their places. What handles packets before sockets comes before the thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <linux/if_ether.h>

#include "simhog.h"
#include "simpoll.h"
#include "simtest.h"

#define GEN		BUS "/generator.gen"
#define SWITCH		"rx_thread"
#define THREAD		"can-rx/" CHIP_IF

#define BUS2		"simbus1"
#define GEN2		BUS2 "/generator.gen"
#define CHIP2_IF	"simif1"
#define GEN2_ID		0x300

#define BITRATE		250000
#define PERIOD_NS	1000000
#define GEN_ID		0x200
#define OWN_ID		0x123

#define FRAMES		300
#define OWN		20
#define ALL		(FRAMES + OWN)

#define BUSY_POLL_US	100000
/* Shorter than the time in which an MSCAN fills up */
#define FLUSH_TIMEOUT_NS "500000"

#define RCVBUF		(4 << 20)
#define LONG_TEST	600

/* The thread has 51. */
#define TEST_PRIORITY	60
#define IRQ_PRIORITY	90
#define FEW		10
#define BACKLOG		64

/* Transmissions that can wait for NAPI */
#define SLOTS		32

/* Frames that wait for NAPI; what does not fit any more is dropped. */
#define WAITING		1024
#define MANY		(WAITING + 1200)
#define FEW_LOST	400

/* Receivers of all frames */
enum receiver {
	BOUND,		/* to the interface */
	ANY,		/* bound to none */
	TWICE,		/* two filters match */
	JOINED,		/* both have to match */
	PACKET,		/* a packet socket */
	RECEIVERS,
};

FIXTURE(thread) {
	char path[64];
	int fd[RECEIVERS];
	int sender;
};

SIM_CHIP_VARIANTS(thread);

static int open_raw(int ifindex, bool joined)
{
	const struct can_filter both[] = {
		{ 0, CAN_RTR_FLAG }, { 0, CAN_EFF_FLAG },
	};
	int fd = ct_raw_open(ifindex);

	if (fd < 0)
		return fd;
	return ct_sock_set(fd, SO_RCVBUFFORCE, RCVBUF) ?:
	       ct_raw_filters(fd, both, 2) ?:
	       (joined ? ct_raw_set(fd, CAN_RAW_JOIN_FILTERS, 1) : 0) ?: fd;
}

static int open_packet(int ifindex)
{
	int fd = ct_packet_open(ifindex);

	return fd < 0 ? fd : ct_sock_set(fd, SO_RCVBUFFORCE, RCVBUF) ?: fd;
}

static int set_generator(const char *path, canid_t id)
{
	return sim_set_all(path, "bitrate=%d id=%03X data=increment dlc=8 period_ns=%d",
			   BITRATE, id, PERIOD_NS);
}

FIXTURE_SETUP(thread)
{
	int ifindex;

	if (!ct_preempt_rt())
		SKIP(return, "needs PREEMPT_RT");
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!sim_open_chip(_metadata, "generator.gen", variant->chip->kind, self->path))
		return;
	ASSERT_EQ(0, set_generator(GEN, GEN_ID));
	ASSERT_EQ(0, sim_slow_down(BUS));
	self->sender = CT_OK(sim_start(BITRATE, "", 0, false));
	ifindex = if_nametoindex(CHIP_IF);
	self->fd[BOUND] = CT_OK(ct_raw_open(ifindex));
	ASSERT_EQ(0, ct_sock_set(self->fd[BOUND], SO_RCVBUFFORCE, RCVBUF));
	self->fd[ANY] = CT_OK(open_raw(0, false));
	self->fd[TWICE] = CT_OK(open_raw(ifindex, false));
	self->fd[JOINED] = CT_OK(open_raw(0, true));
	self->fd[PACKET] = CT_OK(open_packet(ifindex));
}

SIM_TEARDOWN(thread)

static int switch_thread(bool on)
{
	return sim_sysfs(CHIP_IF, SWITCH, on ? "1" : "0");
}

static int find_thread(void)
{
	return ct_thread(THREAD "\n");
}

/* It may be in /proc for a moment after it has ended. */
static int await_no_thread(void)
{
	int ms;

	for (ms = 0; ms < CT_TIMEOUT_MS && find_thread() >= 0; ms++)
		usleep(1000);
	return find_thread();
}

/* Frames of the generator, with frames of @sender between them */
static void send_all(struct __test_metadata *_metadata, FIXTURE_DATA(thread) *self,
		     void (*meanwhile)(struct __test_metadata *_metadata, int round))
{
	int i;

	ASSERT_EQ(0, sim_set_all(GEN, "count=%d", FRAMES));
	ASSERT_EQ(0, sim_run(GEN, true));
	for (i = 0; i < OWN; i++) {
		ASSERT_EQ(0, ct_send_id(self->sender, OWN_ID));
		if (meanwhile)
			meanwhile(_metadata, i);
		usleep(FRAMES * (PERIOD_NS / 1000) / OWN);
	}
	ASSERT_EQ(0, sim_await(GEN, "run", 0));
}

/* The same frames, once, in the same order, and those of the generator complete */
static void expect_all(struct __test_metadata *_metadata, FIXTURE_DATA(thread) *self)
{
	struct can_frame first[ALL], frame;
	int i, j, number = 0;

	for (j = 0; j < ALL; j++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd[BOUND], &first[j], sizeof(frame), CT_TIMEOUT_MS))
			TH_LOG("frame %d", j);
		if (first[j].can_id != GEN_ID)
			continue;
		ASSERT_EQ(number & 0xff, first[j].data[0]);
		number++;
	}
	EXPECT_EQ(FRAMES, number);
	for (i = BOUND + 1; i < RECEIVERS; i++)
		for (j = 0; j < ALL; j++) {
			ASSERT_EQ((ssize_t)sizeof(frame),
				  ct_recv(self->fd[i], &frame, sizeof(frame), CT_TIMEOUT_MS))
				TH_LOG("receiver %d, frame %d", i, j);
			ASSERT_EQ(0, memcmp(&first[j], &frame, sizeof(frame)))
				TH_LOG("receiver %d, frame %d", i, j);
		}
	for (i = 0; i < RECEIVERS; i++)
		EXPECT_EQ(-ETIMEDOUT, ct_recv(self->fd[i], &frame, sizeof(frame), 0));
}

TEST_F_TIMEOUT(thread, everybody_gets_each_frame_once, LONG_TEST)
{
	send_all(_metadata, self, NULL);
	expect_all(_metadata, self);
}

TEST_F_TIMEOUT(thread, the_same_without_a_thread, LONG_TEST)
{
	ASSERT_EQ(0, switch_thread(false));
	send_all(_metadata, self, NULL);
	expect_all(_metadata, self);
}

static void change(struct __test_metadata *_metadata, int round)
{
	EXPECT_EQ(0, switch_thread(round % 2));
}

TEST_F_TIMEOUT(thread, the_same_while_it_is_switched, LONG_TEST)
{
	send_all(_metadata, self, change);
	expect_all(_metadata, self);
}

TEST_F_TIMEOUT(thread, is_visible_and_can_be_switched, LONG_TEST)
{
	struct sched_param param;
	int tid = CT_OK(find_thread());

	EXPECT_EQ(SCHED_FIFO, sched_getscheduler(tid));
	ASSERT_EQ(0, sched_getparam(tid, &param));
	EXPECT_EQ(51, param.sched_priority);
	ASSERT_EQ(0, switch_thread(false));
	EXPECT_EQ(-ENOENT, await_no_thread());
	ASSERT_EQ(0, switch_thread(true));
	EXPECT_LT(0, find_thread());
	tid = CT_OK(find_thread());
	ASSERT_EQ(0, sim_set_priority(tid, TEST_PRIORITY));
	ASSERT_EQ(0, ct_link_up(CHIP_IF, false));
	ASSERT_EQ(0, ct_link_up(CHIP_IF, true));
	EXPECT_EQ(tid, find_thread());
	ASSERT_EQ(0, sched_getparam(tid, &param));
	EXPECT_EQ(TEST_PRIORITY, param.sched_priority);
	ASSERT_EQ(0, ct_link_up(CHIP_IF, false));
	ASSERT_EQ(0, switch_thread(false));
	EXPECT_EQ(-ENOENT, await_no_thread());
	ASSERT_EQ(0, ct_link_up(CHIP_IF, true));
	EXPECT_EQ(-ENOENT, find_thread());
	EXPECT_EQ(-EINVAL, sim_sysfs(CHIP_IF, SWITCH, "x"));
	EXPECT_EQ(-ENOENT, find_thread());
}

static int find_napi(void)
{
	return ct_thread("napi/" CHIP_IF "-");
}

/* CAN_RAW sockets get frames while NAPI cannot run, and others get them afterwards. */
TEST_F_TIMEOUT(thread, sockets_do_not_wait_for_napi, LONG_TEST)
{
	struct can_frame frame;
	pid_t hogs[HOG_CPUS];
	int i;

	sim_starve_napi(_metadata, hogs);
	EXPECT_EQ(0, sim_set_all(GEN, "count=%d", FEW));
	EXPECT_EQ(0, sim_run(GEN, true));
	for (i = 0; i < FEW; i++)
		EXPECT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd[i % 2 ? BOUND : ANY], &frame, sizeof(frame),
				  CT_TIMEOUT_MS));
	EXPECT_EQ(-ETIMEDOUT, ct_recv(self->fd[PACKET], &frame, sizeof(frame), 0));
	EXPECT_TRUE(sim_end_hogs(hogs));
	for (i = 0; i < FEW; i++)
		EXPECT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd[PACKET], &frame, sizeof(frame), CT_TIMEOUT_MS));
}

/* Return: number of frames of the generator. An error frame tells of lost ones. */
static int count_frames(int fd, bool *told)
{
	struct can_frame frame;
	int count = 0;

	*told = false;
	while (ct_recv(fd, &frame, sizeof(frame), 1000) == sizeof(frame)) {
		if (frame.can_id == GEN_ID)
			count++;
		else if (frame.can_id == (CAN_ERR_FLAG | CAN_ERR_CRTL) &&
			 frame.data[1] == CAN_ERR_CRTL_RX_OVERFLOW)
			*told = true;
	}
	return count;
}

/* NAPI cannot run for longer than its queue and the ring suffice. A controller without a
 * hard interrupt may lose some on a machine of others, where the scheduler lets normal
 * tasks run.
 */
TEST_F_TIMEOUT(thread, sockets_lose_nothing_for_others, LONG_TEST)
{
	pid_t hogs[HOG_CPUS];
	struct sim_link link;
	int all, count;
	bool told;

	if (getenv("SIM_SLOWDOWN"))
		SKIP(return, "would keep threads of RCU waiting for too long");
	sim_starve_napi(_metadata, hogs);
	EXPECT_EQ(0, sim_set_all(GEN, "count=%d", MANY));
	EXPECT_EQ(0, sim_run(GEN, true));
	all = count_frames(self->fd[BOUND], &told);
	EXPECT_LT(MANY - (variant->chip->spi ? FEW_LOST : 1), all);
	EXPECT_EQ(0, sim_await(GEN, "run", 0));
	EXPECT_TRUE(sim_end_hogs(hogs));
	EXPECT_EQ(all, count_frames(self->fd[ANY], &told));
	count = count_frames(self->fd[PACKET], &told);
	EXPECT_LE(WAITING - FEW_LOST, count);
	EXPECT_GT(all, count);
	EXPECT_TRUE(told);
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ((uint64_t)all, link.stats.rx_packets);
	EXPECT_EQ((uint64_t)(all - count), link.stats.rx_dropped);
	EXPECT_EQ(0ULL, link.stats.rx_fifo_errors);
	/* otherwise an error frame may have told of something else */
	if (!variant->chip->spi)
		EXPECT_EQ(0ULL, link.stats.rx_over_errors);
}

/* Return: how often a thread has begun to wait. */
static long count_waits(int tid)
{
	static const char text[] = "voluntary_ctxt_switches:";
	char path[64], line[128];
	long count = -ENOENT;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "r");
	if (!file)
		return -errno;
	while (count < 0 && fgets(line, sizeof(line), file))
		if (!strncmp(line, text, strlen(text)))
			count = atol(line + strlen(text));
	fclose(file);
	return count;
}

static long waits_of_napi(struct __test_metadata *_metadata, FIXTURE_DATA(thread) *self)
{
	long before = CT_OK(count_waits(find_napi()));
	struct can_frame frame;
	int i;

	EXPECT_EQ(0, sim_generate(GEN, "count=%d", FEW));
	for (i = 0; i < FEW; i++)
		EXPECT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd[BOUND], &frame, sizeof(frame), CT_TIMEOUT_MS));
	return CT_OK(count_waits(find_napi())) - before;
}

/* Frames that only CAN_RAW sockets want need no NAPI, and are counted all the same. */
TEST_F_TIMEOUT(thread, napi_sleeps_without_others, LONG_TEST)
{
	int all = CT_OK(socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)));
	long received, matched;
	int i;

	ASSERT_EQ(0, close(self->fd[PACKET]));
	EXPECT_LT(0, waits_of_napi(_metadata, self));
	ASSERT_EQ(0, close(all));
	self->fd[PACKET] = CT_OK(open_packet(0));
	EXPECT_LT(0, waits_of_napi(_metadata, self));
	ASSERT_EQ(0, close(self->fd[PACKET]));
	/* it may not wait yet, on another CPU */
	waits_of_napi(_metadata, self);
	received = ct_can_stats("received frames (RXF)");
	matched = ct_can_stats("matched frames (RXMF)");
	EXPECT_EQ(0, waits_of_napi(_metadata, self));
	EXPECT_EQ(received + FEW, ct_can_stats("received frames (RXF)"));
	EXPECT_EQ(matched + FEW, ct_can_stats("matched frames (RXMF)"));
	/* more than can be sent before NAPI has to free something */
	for (i = 0; i < SLOTS + FEW; i++) {
		ASSERT_EQ(0, ct_send_id(self->sender, OWN_ID));
		ASSERT_EQ(0, sim_await(self->path, "sent", i + 1));
	}
}

/* A reader of higher priority does not run for each of many frames. */
TEST_F_TIMEOUT(thread, readers_are_woken_after_several, LONG_TEST)
{
	struct can_frame frame;
	int next = 0, got, i;
	long waits;

	if (variant->chip->spi)
		SKIP(return, "its interrupt handler is a thread");
	ASSERT_EQ(0, sim_set_priority(0, TEST_PRIORITY));
	EXPECT_EQ(0, sim_set_all(GEN, "count=%d", BACKLOG));
	EXPECT_EQ(0, sim_run(GEN, true));
	while (sim_number(GEN, "sent") < BACKLOG)
		;
	/* if the host has paused this machine, the controller may have lost some */
	got = BACKLOG - CT_OK(sim_number(self->path, "overruns"));
	ASSERT_LT(BACKLOG / 2, got);
	waits = CT_OK(count_waits(getpid()));
	for (i = 0; i < got; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd[BOUND], &frame, sizeof(frame), CT_TIMEOUT_MS));
		EXPECT_LE(next, frame.data[0]);
		next = frame.data[0] + 1;
	}
	waits = CT_OK(count_waits(getpid())) - waits;
	EXPECT_LT(0, waits);
	EXPECT_GT(got / 2, waits);
	for (i = 0; i < got; i++)
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd[ANY], &frame, sizeof(frame), 0));
}

static void *read_one(void *arg)
{
	struct can_frame frame;

	return read(*(int *)arg, &frame, sizeof(frame)) == sizeof(frame) ? arg : NULL;
}

/* Return: 0 when the thread has read a frame. */
static int await_reader(pthread_t thread)
{
	struct timespec until;
	void *result;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += CT_TIMEOUT_MS / 1000;
	if (pthread_timedjoin_np(thread, &result, &until))
		return -ETIMEDOUT;
	return result ? 0 : -EIO;
}

/* One wake-up stands for both frames, and the first reader does not come back. */
TEST_F_TIMEOUT(thread, several_frames_wake_several_readers, LONG_TEST)
{
	pthread_t one, two;

	ASSERT_EQ(0, pthread_create(&one, NULL, read_one, &self->fd[BOUND]));
	ASSERT_EQ(0, pthread_create(&two, NULL, read_one, &self->fd[BOUND]));
	/* they wait by then, or read without a wake-up */
	usleep(10000);
	ASSERT_EQ(0, sim_set_priority(0, TEST_PRIORITY));
	EXPECT_EQ(0, sim_set_all(GEN, "count=2"));
	EXPECT_EQ(0, sim_run(GEN, true));
	while (sim_number(GEN, "sent") < 2)
		;
	EXPECT_EQ(0, await_reader(one));
	EXPECT_EQ(0, await_reader(two));
}

/* The NAPI thread, which has a lower priority, does not keep a reader from polling. */
TEST_F_TIMEOUT(thread, readers_can_busy_poll, LONG_TEST)
{
	struct can_frame frame;
	int64_t interrupts;
	int i;

	ASSERT_EQ(0, sim_defer_interrupts(CHIP_IF, FLUSH_TIMEOUT_NS));
	ASSERT_EQ(0, sim_busy_poll(self->fd[BOUND], BUSY_POLL_US, true));
	ASSERT_EQ(0, sim_set_priority(0, TEST_PRIORITY));
	/* which reads a chip behind SPI */
	if (variant->chip->spi)
		ASSERT_EQ(0, sim_set_priority(CT_OK(sim_irq_thread(self->path, "")),
					      IRQ_PRIORITY));
	interrupts = CT_OK(sim_interrupts(self->path));
	EXPECT_EQ(0, sim_set_all(GEN, "count=%d", FRAMES));
	EXPECT_EQ(0, sim_run(GEN, true));
	for (i = 0; i < FRAMES; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  read(self->fd[BOUND], &frame, sizeof(frame)));
		ASSERT_EQ(i & 0xff, frame.data[0]);
		/* frames do not wait until the end of polling */
		if (sim_clock_counts())
			ASSERT_GE(i + FEW, sim_number(GEN, "sent"));
	}
	interrupts = CT_OK(sim_interrupts(self->path)) - interrupts;
	if (sim_clock_counts() && !variant->chip->spi)
		EXPECT_GT(FRAMES / 2, interrupts);
}

/* Threads of two interfaces give frames to the same socket. */
TEST_F_TIMEOUT(thread, a_socket_gets_frames_of_two_interfaces, LONG_TEST)
{
	int i, number[2] = { }, fd = self->fd[ANY];
	struct can_frame frame;
	char path[64];

	ASSERT_EQ(0, sim_controller_make(BUS2, variant->chip->kind, CHIP2_IF, path));
	ASSERT_EQ(0, set_generator(GEN2, GEN2_ID));
	ASSERT_EQ(0, sim_slow_down(BUS2));
	ASSERT_EQ(0, sim_live(BUS2, true));
	ASSERT_EQ(0, sim_link_up(CHIP2_IF, BITRATE, ""));
	ASSERT_EQ(0, sim_set_all(GEN, "count=%d", FRAMES));
	ASSERT_EQ(0, sim_set_all(GEN2, "count=%d", FRAMES));
	ASSERT_EQ(0, sim_run(GEN, true));
	ASSERT_EQ(0, sim_run(GEN2, true));
	for (i = 0; i < 2 * FRAMES; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		ASSERT_EQ(number[frame.can_id == GEN2_ID]++ & 0xff, frame.data[0]);
	}
	EXPECT_EQ(FRAMES, number[0]);
	EXPECT_EQ(FRAMES, number[1]);
	EXPECT_EQ(-ETIMEDOUT, ct_recv(fd, &frame, sizeof(frame), 0));
}

/* The network stack gives frames to other CPUs before sockets get them. */
TEST_F_TIMEOUT(thread, everybody_gets_each_frame_from_other_cpus, LONG_TEST)
{
	ASSERT_EQ(0, sim_sysfs(CHIP_IF, "queues/rx-0/rps_cpus", "1"));
	send_all(_metadata, self, NULL);
	expect_all(_metadata, self);
}

/* tc may drop or change frames before sockets see them. */
TEST_F_TIMEOUT(thread, frames_pass_tc_first, LONG_TEST)
{
	struct can_frame frame;

	if (system("tc qdisc add dev " CHIP_IF " clsact && tc filter add dev " CHIP_IF
		   " ingress matchall action drop"))
		SKIP(return, "no tc");
	ASSERT_EQ(0, sim_generate(GEN, "count=20"));
	ASSERT_EQ(0, system("tc qdisc del dev " CHIP_IF " clsact"));
	ASSERT_EQ(0, sim_generate(GEN, "count=1"));
	ASSERT_EQ((ssize_t)sizeof(frame),
		  ct_recv(self->fd[BOUND], &frame, sizeof(frame), CT_TIMEOUT_MS));
	EXPECT_EQ(-ETIMEDOUT, ct_recv(self->fd[BOUND], &frame, sizeof(frame), 1000));
}

TEST_HARNESS_MAIN
