// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drivers that read their chip in the interrupt and deliver through a NAPI
 * instance of their own, with simulated controllers: the properties that
 * applications, administrators and busy-polling tasks rely on. A kernel without the
 * patches has none of them.
 *
 * Where the clock counts instructions, a chip must not lose a frame. Elsewhere the
 * host may be too slow at times, so only frames that the chip counts as lost may be
 * missing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <endian.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <netdev-user.h>
#include <ynl.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "simbus.h"
#include "simhog.h"
#include "simpoll.h"

#define BUS		"simbus0"
#define GEN		BUS "/generator.gen"
#define CHIP_IF		"simif0"

#define BITRATE		250000

/* A frame of eight bytes takes about 480 us. */
#define PERIOD_NS	2000000

#define FRAMES		500
#define POLLED		200

#define OWN_ID		0x300
#define OTHER_ID	0x200

/* shorter than any chip takes to fill at this bit rate: 235 bits are 940 us */
#define FLUSH_TIMEOUT_NS	"500000"
#define HOUR_NS			"3600000000000"

#define BUSY_POLL_US	5000
#define BUSY_POLL_TEXT	"5000"

/* until a frame comes, also on a slow host */
#define LONG_POLL_US	1000000

/* A handler in a thread has run after that. */
#define HANDLER_NS	100000000

#define NS_PER_SEC	1000000000LL

#define LONG_TEST	900

/* After that no frame comes any more. */
#define END_MS		2000

/* @overruns: before a run */
FIXTURE(napi) {
	char path[64];
	int fd;
	bool strict;
	int overruns;
};

SIM_CHIP_VARIANTS(napi);

/* With two receive buffers, a driver that reads two frames late cannot know which one
 * is older. This only happens on a slow host.
 */
static bool any_order;

/* A blocking read ends when no frame comes any more. */
static int up(FIXTURE_DATA(napi) *self)
{
	struct timeval end = { .tv_sec = END_MS / 1000 };
	int err = sim_live(BUS, true) ?: ct_link_queue(CHIP_IF, 1000) ?:
		  sim_link_up(CHIP_IF, BITRATE, "");

	if (err)
		return err;
	self->fd = sim_socket(CHIP_IF, CAN_ERR_MASK, true);
	if (self->fd < 0)
		return self->fd;
	return setsockopt(self->fd, SOL_SOCKET, SO_RCVTIMEO, &end,
			  sizeof(end)) ? -errno : 0;
}

FIXTURE_SETUP(napi)
{
	int err;

	self->fd = -1;
	/* of a test before that was killed */
	ct_settings_back();
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (sim_open())
		SKIP(return, "no cansim");
	err = sim_controller_make(BUS, variant->chip->kind, CHIP_IF, self->path);
	if (err == -ENODEV) {
		sim_close();
		SKIP(return, "no %s", variant->chip->kind);
	}
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%d id=%03X data=increment dlc=8",
				 BITRATE, OTHER_ID));
	self->strict = sim_clock_counts();
	/* SPI takes longer than a frame on a slow CPU */
	if (variant->chip->spi && !self->strict)
		ASSERT_EQ(0, sim_slow_down(BUS));
	ASSERT_EQ(0, up(self));
	any_order = !self->strict && variant->chip->spi;
}

static pid_t napi_hog;

FIXTURE_TEARDOWN(napi)
{
	/* closing waits for NAPI */
	sim_end_hog(&napi_hog);
	ct_settings_back();
	if (self->fd >= 0)
		close(self->fd);
	sim_close();
}

static uint32_t number_of(const struct can_frame *frame)
{
	uint32_t number;

	memcpy(&number, frame->data, sizeof(number));
	return le32toh(number);
}

/* Frames of the generator, until no more come or @count are here. Return: how
 * many, or -EBADMSG for one that is out of order.
 */
static int receive(int fd, int count, int timeout_ms)
{
	struct can_frame frame;
	uint32_t next = 0;
	int got = 0;

	while (got < count &&
	       ct_recv(fd, &frame, sizeof(frame), timeout_ms) > 0) {
		if (frame.can_id != OTHER_ID)
			continue;
		if (number_of(&frame) < next && !any_order)
			return -EBADMSG;
		next = number_of(&frame) + 1;
		got++;
	}
	return got;
}

static int begin_run(FIXTURE_DATA(napi) *self, int count)
{
	self->overruns = sim_number(self->path, "overruns");
	return sim_set_all(GEN, "count=%d period_ns=%d", count, PERIOD_NS) ?:
	       sim_run(GEN, true);
}

/* All frames of a run have come, but those that the chip says it lost. */
static void expect_all(struct __test_metadata *_metadata,
		       FIXTURE_DATA(napi) *self, int got, int sent)
{
	int overruns = sim_number(self->path, "overruns") - self->overruns;

	EXPECT_EQ(sent - overruns, got);
	if (self->strict)
		EXPECT_EQ(0, overruns);
}

/* Does the netdev family know a NAPI instance of the interface by this id? */
static bool knows_napi(unsigned int ifindex, unsigned int id)
{
	struct netdev_napi_get_req_dump req = {
		._present.ifindex = 1, .ifindex = ifindex,
	};
	struct ynl_sock *ys = ynl_sock_create(&ynl_netdev_family, NULL);
	struct netdev_napi_get_list *list;
	bool found = false;

	if (!ys)
		return false;
	list = netdev_napi_get_dump(ys, &req);
	if (list) {
		ynl_dump_foreach(list, napi)
			found |= napi->id == id && napi->ifindex == ifindex;
		netdev_napi_get_list_free(list);
	}
	ynl_sock_destroy(ys);
	return found;
}

TEST_F_TIMEOUT(napi, id_is_reported_to_sockets_and_over_netlink, LONG_TEST)
{
	EXPECT_EQ(0, ct_napi_id(self->fd));
	ASSERT_EQ(0, sim_generate(GEN, "count=1"));
	ASSERT_EQ(1, receive(self->fd, 1, CT_TIMEOUT_MS));
	ASSERT_LT(0, ct_napi_id(self->fd));
	EXPECT_TRUE(knows_napi(if_nametoindex(CHIP_IF), ct_napi_id(self->fd)));
}

static int send_own(int fd, int count)
{
	struct can_frame frame;
	int i, err;

	for (i = 0; i < count; i++) {
		ct_frame(&frame, OWN_ID, 8, NULL);
		frame.data[0] = i;
		err = ct_send(fd, &frame, sizeof(frame));
		if (err)
			return err;
	}
	return 0;
}

TEST_F_TIMEOUT(napi, an_echo_is_not_a_received_frame, LONG_TEST)
{
	struct sim_link before, after;
	struct can_frame frame;
	int i;

	ASSERT_EQ(0, sim_link_get(CHIP_IF, &before));
	ASSERT_EQ(0, send_own(self->fd, 10));
	for (i = 0; i < 10; i++) {
		ASSERT_LT(0, ct_recv(self->fd, &frame, sizeof(frame),
				     CT_TIMEOUT_MS));
		EXPECT_EQ((canid_t)OWN_ID, frame.can_id);
		EXPECT_EQ(i, frame.data[0]);
	}
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &after));
	EXPECT_EQ(before.stats.rx_packets, after.stats.rx_packets);
	EXPECT_EQ(before.stats.rx_bytes, after.stats.rx_bytes);
	EXPECT_EQ(before.stats.tx_packets + 10, after.stats.tx_packets);
	EXPECT_EQ(before.stats.tx_bytes + 80, after.stats.tx_bytes);
	EXPECT_LT(0, ct_napi_id(self->fd));
}

static int hold_interrupts(FIXTURE_DATA(napi) *self, bool on)
{
	return sim_set(self->path, "irq_hold", on ? "1" : "0");
}

/* A socket gets received frames, echoes and reports of lost arbitration at the pace of the
 * bus; @ordered: in its order
 */
static void expect_order(struct __test_metadata *_metadata, FIXTURE_DATA(napi) *self,
			 bool ordered)
{
	struct sim_record records[SIM_RECORDS];
	struct can_frame frame;
	int i, count;

	ASSERT_EQ(0, begin_run(self, 12));
	ASSERT_EQ(0, send_own(self->fd, 12));
	ASSERT_EQ(0, sim_await(BUS, "frames", 24));
	count = sim_records(BUS, records);
	ASSERT_EQ(24, count);
	for (i = 0; i < count; i++) {
		ASSERT_LT(0, ct_recv(self->fd, &frame, sizeof(frame),
				     CT_TIMEOUT_MS));
		if (!ordered)
			continue;
		/* comes before the frame that it was lost to */
		if (frame.can_id & CAN_ERR_FLAG) {
			EXPECT_EQ(CAN_ERR_LOSTARB, frame.can_id & CAN_ERR_LOSTARB);
			EXPECT_NE((canid_t)OWN_ID, records[i].frame.can_id);
			i--;
			continue;
		}
		EXPECT_EQ(records[i].frame.can_id, frame.can_id)
			TH_LOG("frame %d", i);
		EXPECT_EQ(0, memcmp(records[i].frame.data, frame.data, 8));
	}
}

/* When the handler runs, a transmission is complete and two later frames wait. An SPI
 * driver reads all of that at the same time, and cannot know which came first.
 */
TEST_F_TIMEOUT(napi, echoes_and_frames_come_in_the_order_of_the_bus, LONG_TEST)
{
	canid_t ids[3] = { OWN_ID, OTHER_ID, OTHER_ID };
	bool ordered = !variant->chip->spi;
	struct can_frame frame;
	int i, k;

	if (self->strict)
		expect_order(_metadata, self, ordered);
	/* what is left of it: with SPI, reports of lost arbitration came between */
	while (ct_recv(self->fd, &frame, sizeof(frame), self->strict ? END_MS : 0) > 0)
		;
	for (i = 0; i < 10; i++) {
		int64_t sent = sim_number(self->path, "sent");

		ASSERT_EQ(0, hold_interrupts(self, true));
		ASSERT_EQ(0, send_own(self->fd, 1));
		ASSERT_EQ(0, sim_await(self->path, "sent", sent + 1));
		ASSERT_EQ(0, sim_generate(GEN, "count=2"));
		ASSERT_EQ(0, hold_interrupts(self, false));
		for (k = 0; k < 3; k++) {
			ASSERT_LT(0, ct_recv(self->fd, &frame, sizeof(frame),
					     CT_TIMEOUT_MS));
			if (ordered)
				EXPECT_EQ(ids[k], frame.can_id)
					TH_LOG("round %d, frame %d", i, k);
		}
	}
	EXPECT_EQ(0, sim_number(self->path, "overruns"));
}

/* From now on NAPI, in a thread, does not run until this task calls let_napi_run(): all have
 * the same CPU. When this task waits for a lock, as it may with PREEMPT_RT, the hog runs. The
 * thread has a real-time priority, too, since the scheduler reserves time for normal threads.
 */
static int keep_napi_waiting(void)
{
	int err = sim_sysfs(CHIP_IF, "threaded", "1") ?: ct_pin_cpu();
	cpu_set_t cpu;
	pid_t napi;

	if (err)
		return err;
	napi = ct_thread("napi/" CHIP_IF);
	if (napi < 0)
		return napi;
	if (sched_getaffinity(0, sizeof(cpu), &cpu) || sched_setaffinity(napi, sizeof(cpu), &cpu))
		return -errno;
	/* an interrupt handler that is a thread has 50 */
	err = sim_set_priority(napi, 1) ?: sim_set_priority(0, 40);
	if (err)
		return err;
	napi_hog = fork();
	if (!napi_hog)
		sim_hog_cpu(sched_getcpu());
	return napi_hog < 0 ? -errno : 0;
}

static int let_napi_run(void)
{
	struct sched_param none = { };
	cpu_set_t all;

	if (!sim_end_hog(&napi_hog))
		return -ECHILD;
	memset(&all, 0xff, sizeof(all));
	return sched_setscheduler(0, SCHED_OTHER, &none) ||
	       sched_setaffinity(0, sizeof(all), &all) ? -errno : 0;
}

/* The stamp of a frame tells when the interrupt handler saw it, neither when it was on
 * the bus nor when NAPI ran.
 */
TEST_F_TIMEOUT(napi, timestamps_are_those_of_the_interrupt, LONG_TEST)
{
	int64_t begin, end, spin, before, stamp;
	int i, on = 1;

	if (variant->chip->spi)
		SKIP(return, "its interrupt handler is a thread");
	ASSERT_EQ(0, setsockopt(self->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on,
				sizeof(on)));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, hold_interrupts(self, true));
		before = sim_interrupts(self->path);
		ASSERT_EQ(0, sim_generate(GEN, "count=1"));
		ASSERT_EQ(0, keep_napi_waiting());
		begin = ct_clock(CLOCK_REALTIME);
		ASSERT_EQ(0, hold_interrupts(self, false));
		spin = ct_clock(CLOCK_MONOTONIC) + CT_TIMEOUT_MS * 1000000LL;
		while (sim_interrupts(self->path) == before &&
		       ct_clock(CLOCK_MONOTONIC) < spin)
			;
		/* with PREEMPT_RT, the handler may be a thread on another CPU */
		spin = ct_clock(CLOCK_MONOTONIC) + HANDLER_NS;
		while (ct_clock(CLOCK_MONOTONIC) < spin)
			;
		end = ct_clock(CLOCK_REALTIME);
		ASSERT_EQ(0, let_napi_run());
		stamp = ct_recv_stamp(self->fd);
		EXPECT_LE(begin, stamp);
		EXPECT_GE(end, stamp);
	}
	ASSERT_EQ(0, sim_sysfs(CHIP_IF, "threaded", "0"));
}

TEST_F_TIMEOUT(napi, switches_between_thread_and_softirq_under_traffic,
	       LONG_TEST)
{
	int i;

	ASSERT_EQ(0, begin_run(self, FRAMES));
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(0, sim_sysfs(CHIP_IF, "threaded", i % 2 ? "0" : "1"));
		usleep(20000);
	}
	expect_all(_metadata, self, receive(self->fd, FRAMES, END_MS), FRAMES);
}

TEST_F_TIMEOUT(napi, a_thread_delivers_every_frame, LONG_TEST)
{
	ASSERT_EQ(0, sim_sysfs(CHIP_IF, "threaded", "1"));
	ASSERT_EQ(0, begin_run(self, FRAMES));
	ASSERT_EQ(0, send_own(self->fd, 20));
	expect_all(_metadata, self, receive(self->fd, FRAMES, END_MS), FRAMES);
	EXPECT_EQ(20, sim_number(self->path, "sent"));
}

/* So that a slow host is fast enough for the handler. It is not done on a fast one: after a
 * second the scheduler gives normal processes their share, and a handler that is a thread
 * does not run.
 */
static int slow_down(FIXTURE_DATA(napi) *self)
{
	int err;

	close(self->fd);
	self->fd = -1;
	err = sim_live(BUS, false) ?: sim_set(BUS, "slowdown", "4");
	return err ?: up(self);
}

/* Frames stay in the ring until the task that reads the socket lets NAPI run. When one
 * has found the ring full, others stay in the chip, which then loses some. If the host is
 * fast enough for the handler, one error frame reports each of these.
 */
TEST_F_TIMEOUT(napi, a_full_ring_is_counted_and_reported, LONG_TEST)
{
	unsigned int got = 0, next = 0, number;
	struct sim_link before, after;
	int64_t sent, begin, lost;
	struct can_frame frame;
	int overruns, reports = 0;

	if (variant->chip->spi)
		SKIP(return, "its interrupt handler is a thread");
	if (!self->strict)
		ASSERT_EQ(0, slow_down(self));
	/* it would empty the ring */
	if (ct_preempt_rt() && !ct_baseline())
		ASSERT_EQ(0, sim_sysfs(CHIP_IF, "rx_thread", "0"));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &before));
	ASSERT_EQ(0, sim_set_all(GEN, "count=1200 period_ns=0 dlc=4"));
	ASSERT_EQ(0, keep_napi_waiting());
	begin = ct_clock(CLOCK_MONOTONIC);
	ASSERT_EQ(0, sim_run(GEN, true));
	while (sim_number(GEN, "sent") < 1200 &&
	       ct_clock(CLOCK_MONOTONIC) < begin + 60 * NS_PER_SEC)
		;
	ASSERT_EQ(0, let_napi_run());
	sent = sim_number(GEN, "sent");
	ASSERT_EQ(1200, sent);

	while (ct_recv(self->fd, &frame, sizeof(frame), END_MS) > 0) {
		if (!(frame.can_id & CAN_ERR_FLAG)) {
			number = number_of(&frame);
			EXPECT_LE(next, number);
			next = number + 1;
			got++;
			continue;
		}
		/* reports of overruns have the error counters */
		EXPECT_EQ(CAN_ERR_FLAG | CAN_ERR_CRTL, frame.can_id & ~CAN_ERR_CNT);
		EXPECT_EQ(CAN_ERR_CRTL_RX_OVERFLOW, frame.data[1]);
		reports++;
	}
	overruns = sim_number(self->path, "overruns");
	lost = sent - overruns - got;
	EXPECT_LT(0, lost)
		TH_LOG("the chip lost %d, and %u came", overruns, got);
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &after));
	EXPECT_EQ(before.stats.rx_packets + got, after.stats.rx_packets);
	EXPECT_LE(before.stats.rx_dropped + lost, after.stats.rx_dropped);
	EXPECT_EQ(after.stats.rx_dropped, after.stats.rx_fifo_errors);
	ASSERT_EQ(0, sim_sysfs(CHIP_IF, "threaded", "0"));
	EXPECT_LE(1, reports);
	if (!self->strict)
		return;
	EXPECT_EQ(before.stats.rx_dropped + lost, after.stats.rx_dropped);
	EXPECT_LT(0, overruns);
	EXPECT_EQ(2, reports);
	EXPECT_EQ(before.stats.rx_over_errors + 1, after.stats.rx_over_errors);
}

/* Busy polling */

static int mask_interrupts(bool on)
{
	return sim_defer_interrupts(CHIP_IF, on ? FLUSH_TIMEOUT_NS : "0");
}

/* The first frame tells the socket which NAPI instance to poll. */
static int learn_napi_id(FIXTURE_DATA(napi) *self)
{
	int err = sim_generate(GEN, "count=1 period_ns=%d", PERIOD_NS);

	if (err)
		return err;
	return receive(self->fd, 1, CT_TIMEOUT_MS) == 1 ? 0 : -ETIMEDOUT;
}

TEST_F_TIMEOUT(napi, a_busy_polling_task_gets_every_frame, LONG_TEST)
{
	ASSERT_EQ(0, sim_busy_poll(self->fd, BUSY_POLL_US, false));
	ASSERT_EQ(0, learn_napi_id(self));
	ASSERT_EQ(0, begin_run(self, FRAMES));
	expect_all(_metadata, self, receive(self->fd, FRAMES, END_MS), FRAMES);
}

static int wait_by_read(int fd)
{
	return 0;
}

static int wait_by_poll(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, END_MS) == 1 ? 0 : -ETIMEDOUT;
}

static int wait_by_select(int fd)
{
	struct timeval timeout = { .tv_sec = END_MS / 1000 };
	fd_set fds;

	FD_ZERO(&fds);
	FD_SET(fd, &fds);
	return select(fd + 1, &fds, NULL, NULL, &timeout) == 1 ? 0 : -ETIMEDOUT;
}

static int wait_by_epoll(int fd)
{
	struct epoll_event event = { .events = EPOLLIN };
	static int epoll_fd = -1;

	if (epoll_fd < 0) {
		epoll_fd = epoll_create1(EPOLL_CLOEXEC);
		if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event))
			return -errno;
	}
	return epoll_wait(epoll_fd, &event, 1, END_MS) == 1 ? 0 : -ETIMEDOUT;
}

/* With a real-time priority, no other process keeps the task from polling, such as one
 * that reads the settings of the new interface.
 */
static int real_time(bool on)
{
	const struct sched_param param = { .sched_priority = on ? 10 : 0 };

	return sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &param) ?
	       -errno : 0;
}

/* @by_poll: frames can only come by polls */
static void wait_and_read(struct __test_metadata *_metadata,
			  FIXTURE_DATA(napi) *self, bool by_poll,
			  const char *how, int (*wait)(int fd))
{
	bool counted = self->strict && by_poll;
	int64_t before = sim_polled_packets();
	struct can_frame frame;
	int got = 0, last = -1;

	ASSERT_LE(0, before);
	ASSERT_EQ(0, begin_run(self, 20));
	ASSERT_EQ(0, counted ? real_time(true) : 0);
	while (last < 19 && !wait(self->fd) &&
	       read(self->fd, &frame, sizeof(frame)) > 0) {
		if (frame.can_id & CAN_ERR_FLAG)
			continue;
		if (!any_order)
			EXPECT_LT(last, frame.data[0]);
		last = frame.data[0];
		got++;
	}
	ASSERT_EQ(0, counted ? real_time(false) : 0);
	expect_all(_metadata, self, got, 20);
	if (counted)
		EXPECT_LE(before + 10, sim_polled_packets())
			TH_LOG("%s", how);
}

/* With interrupts masked, so that it is the poll that finds the frames. */
TEST_F_TIMEOUT(napi, each_way_to_wait_can_busy_poll, LONG_TEST)
{
	bool by_poll = !variant->chip->spi;

	if (!ct_own_machine())
		SKIP(return, CT_NOT_OWN);
	ASSERT_EQ(0, mask_interrupts(true));
	ASSERT_EQ(0, sim_busy_poll(self->fd, BUSY_POLL_US, true));
	ASSERT_EQ(0, learn_napi_id(self));
	wait_and_read(_metadata, self, by_poll, "read", wait_by_read);
	ASSERT_EQ(0, ct_setting("/proc/sys/net/core/busy_poll",
				BUSY_POLL_TEXT));
	wait_and_read(_metadata, self, by_poll, "poll", wait_by_poll);
	wait_and_read(_metadata, self, by_poll, "select", wait_by_select);
	wait_and_read(_metadata, self, by_poll, "epoll", wait_by_epoll);
	ct_settings_back();
	ASSERT_EQ(0, mask_interrupts(false));
}

/* Blocking reads, which poll, until the frame with this number or an error. Return: how
 * many frames of the generator
 */
static int read_until(int fd, uint32_t last)
{
	struct can_frame frame;
	int got = 0;

	while (read(fd, &frame, sizeof(frame)) > 0) {
		if (frame.can_id != OTHER_ID)
			continue;
		got++;
		if (number_of(&frame) == last)
			break;
	}
	return got;
}

/* On a fast host no other task keeps this one from polling, and the controller does not
 * interrupt at all, unless it is behind SPI.
 */
static void expect_masked(struct __test_metadata *_metadata, FIXTURE_DATA(napi) *self,
			  bool spi)
{
	int64_t before, taken;

	ASSERT_EQ(0, begin_run(self, POLLED + 10));
	EXPECT_EQ(10, read_until(self->fd, 9));
	ASSERT_EQ(0, real_time(true));
	before = sim_interrupts(self->path);
	EXPECT_EQ(POLLED, read_until(self->fd, POLLED + 9));
	taken = sim_interrupts(self->path) - before;
	ASSERT_EQ(0, real_time(false));
	EXPECT_EQ(0, sim_number(self->path, "overruns"));
	if (spi) {
		/* one interrupt may be for two frames */
		EXPECT_LE(POLLED / 2, taken);
	} else {
		EXPECT_EQ(0, taken);
	}
}

/* The interrupts of the controller are held back: all frames come by polls. */
static void expect_by_polls(struct __test_metadata *_metadata, FIXTURE_DATA(napi) *self)
{
	int got;

	ASSERT_EQ(0, hold_interrupts(self, true));
	ASSERT_EQ(0, begin_run(self, POLLED));
	got = read_until(self->fd, POLLED - 1);
	ASSERT_EQ(0, hold_interrupts(self, false));
	expect_all(_metadata, self, got, POLLED);
}

TEST_F_TIMEOUT(napi, preferred_busy_polling_needs_no_interrupts, LONG_TEST)
{
	bool spi = variant->chip->spi;
	int64_t before;

	ASSERT_EQ(0, mask_interrupts(true));
	ASSERT_EQ(0, sim_busy_poll(self->fd, LONG_POLL_US, true));
	ASSERT_EQ(0, learn_napi_id(self));
	if (self->strict)
		expect_masked(_metadata, self, spi);
	if (!spi)
		expect_by_polls(_metadata, self);

	/* without a busy-polling task, interrupts are enabled again */
	ASSERT_EQ(0, sim_busy_poll(self->fd, BUSY_POLL_US, false));
	usleep(10000);
	before = sim_interrupts(self->path);
	ASSERT_EQ(0, begin_run(self, 10));
	expect_all(_metadata, self, receive(self->fd, 10, END_MS), 10);
	EXPECT_LT(before, sim_interrupts(self->path));
	/* with SPI, one interrupt may be for two frames */
	if (self->strict)
		EXPECT_LE(before + (spi ? 5 : 10), sim_interrupts(self->path));
	ASSERT_EQ(0, mask_interrupts(false));
}

/* Longer than the chip takes to fill at this bit rate: not masked. If interrupts were, a
 * frame that comes while no task polls would wait for the timeout.
 */
TEST_F_TIMEOUT(napi, too_long_a_timeout_leaves_interrupts_enabled, LONG_TEST)
{
	int64_t before;
	int i;

	if (variant->chip->spi)
		SKIP(return, "its interrupts are never masked");
	ASSERT_EQ(0, mask_interrupts(true));
	ASSERT_EQ(0, sim_sysfs(CHIP_IF, "gro_flush_timeout", HOUR_NS));
	ASSERT_EQ(0, sim_busy_poll(self->fd, LONG_POLL_US, true));
	ASSERT_EQ(0, learn_napi_id(self));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, begin_run(self, 1));
		EXPECT_EQ(1, read_until(self->fd, 0));
		before = sim_interrupts(self->path);
		ASSERT_EQ(0, begin_run(self, 1));
		EXPECT_EQ(1, receive(self->fd, 1, CT_TIMEOUT_MS));
		EXPECT_LT(before, sim_interrupts(self->path));
	}
	ASSERT_EQ(0, mask_interrupts(false));
}

/* A child that polls until it is killed */
static pid_t poller(int fd)
{
	struct can_frame frame;
	pid_t pid = fork();

	if (pid)
		return pid;
	for (;;) {
		if (read(fd, &frame, sizeof(frame)) < 0)
			_exit(1);
	}
}

TEST_F_TIMEOUT(napi, killing_a_busy_polling_task_leaves_no_frame_in_the_chip,
	       LONG_TEST)
{
	int other, i, got = 0;
	pid_t pid;

	other = sim_socket(CHIP_IF, 0, false);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, mask_interrupts(true));
	ASSERT_EQ(0, sim_busy_poll(self->fd, BUSY_POLL_US, true));
	ASSERT_EQ(0, learn_napi_id(self));
	ASSERT_EQ(1, receive(other, 1, CT_TIMEOUT_MS));
	ASSERT_EQ(0, begin_run(self, FRAMES));
	for (i = 0; i < 20; i++) {
		pid = poller(self->fd);
		ASSERT_LT(0, pid);
		usleep(20000 + 100 * i);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		usleep(10000);
	}
	got = receive(other, FRAMES, END_MS);
	expect_all(_metadata, self, got, FRAMES);
	close(other);
	ASSERT_EQ(0, mask_interrupts(false));
}

/* Return: 0 when the driver has reported bus off. */
static int await_bus_off(int fd)
{
	struct can_frame frame;

	while (ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS) > 0)
		if (frame.can_id & CAN_ERR_FLAG && frame.can_id & CAN_ERR_BUSOFF)
			return 0;
	return -ETIMEDOUT;
}

/* The core reports a restart, and so does mcp251x, whose thread does it, and drops frames
 * that come before.
 *
 * Return: 0 when the controller has been restarted.
 */
static int await_restart(int fd, const struct sim_chip *chip)
{
	int missing = chip->spi ? 2 : 1;
	struct can_frame frame;

	while (missing && ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS) > 0)
		if (frame.can_id & CAN_ERR_FLAG && frame.can_id & CAN_ERR_RESTARTED)
			missing--;
	return missing ? -ETIMEDOUT : 0;
}

/* Busy-polls first, if the socket does.
 *
 * Return: identifier of the next frame that is not an error frame, or a negative errno
 * value, -EAGAIN when none comes any more.
 */
static int next_frame(int fd)
{
	struct can_frame frame;

	while (recv(fd, &frame, sizeof(frame), 0) > 0)
		if (!(frame.can_id & CAN_ERR_FLAG))
			return frame.can_id & CAN_SFF_MASK;
	return -errno;
}

/* The queueing discipline gives frames to the driver until it is told about bus off. */
TEST_F_TIMEOUT(napi, a_poll_in_bus_off_echoes_no_frame, LONG_TEST)
{
	struct sim_link before, after;
	int id;

	ASSERT_EQ(0, sim_set_all(BUS, "inject_type=bit inject_bit=-1 inject_ppm=1000000"));
	ASSERT_EQ(0, sim_busy_poll(self->fd, BUSY_POLL_US, false));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &before));
	ASSERT_EQ(0, ct_send_id(self->fd, OWN_ID));
	ASSERT_EQ(0, await_bus_off(self->fd));
	/* fails if the queueing discipline has been told */
	ct_send_id(self->fd, OWN_ID + 1);
	EXPECT_EQ(-EAGAIN, next_frame(self->fd));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &after));
	EXPECT_EQ(before.stats.tx_packets, after.stats.tx_packets);

	ASSERT_EQ(0, sim_set_all(BUS, "inject_type=none inject_ppm=0"));
	ASSERT_EQ(0, sim_link_restart(CHIP_IF));
	ASSERT_EQ(0, await_restart(self->fd, variant->chip));
	/* frames of a chip that keeps them come first */
	ASSERT_EQ(0, ct_send_id(self->fd, OWN_ID + 2));
	do {
		id = next_frame(self->fd);
		ASSERT_LT(0, id);
	} while (id != OWN_ID + 2);
}

/* Interfaces go down and are removed while a task polls, with traffic. */
TEST_F_TIMEOUT(napi, goes_down_and_up_while_a_task_polls, LONG_TEST)
{
	pid_t pid;
	int i;

	ASSERT_EQ(0, mask_interrupts(true));
	ASSERT_EQ(0, sim_busy_poll(self->fd, BUSY_POLL_US, true));
	ASSERT_EQ(0, learn_napi_id(self));
	ASSERT_EQ(0, begin_run(self, 0));
	for (i = 0; i < 10; i++) {
		pid = poller(self->fd);
		ASSERT_LT(0, pid);
		usleep(10000);
		EXPECT_EQ(0, sim_link_down(CHIP_IF));
		EXPECT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
		usleep(10000);
		ASSERT_EQ(0, kill(pid, SIGKILL));
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	}
	ASSERT_EQ(0, sim_run(GEN, false));
	while (receive(self->fd, 1000, 200) > 0)
		;
	ASSERT_EQ(0, begin_run(self, 10));
	expect_all(_metadata, self, receive(self->fd, 10, END_MS), 10);
	ASSERT_EQ(0, mask_interrupts(false));
}

TEST_F_TIMEOUT(napi, is_removed_while_a_task_polls, LONG_TEST)
{
	pid_t pid;
	int i;

	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, mask_interrupts(true));
		ASSERT_EQ(0, sim_busy_poll(self->fd, BUSY_POLL_US, true));
		ASSERT_EQ(0, learn_napi_id(self));
		ASSERT_EQ(0, sim_set_all(GEN, "count=0 period_ns=%d",
					 PERIOD_NS));
		ASSERT_EQ(0, sim_run(GEN, true));
		pid = poller(self->fd);
		ASSERT_LT(0, pid);
		usleep(10000);
		EXPECT_EQ(0, sim_live(BUS, false));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, NULL, 0));
		close(self->fd);
		ASSERT_EQ(0, up(self));
	}
}

/* An MCP251x whose interrupt is edge-triggered */
FIXTURE(spi) {
	FIXTURE_DATA(napi) napi;
};

FIXTURE_VARIANT(spi) {
	const struct sim_chip *chip;
	const char *attributes;
};

FIXTURE_VARIANT_ADD(spi, mcp2515) {
	.chip = &sim_mcp2515, .attributes = "irq_edge=1",
};

FIXTURE_VARIANT_ADD(spi, mcp2515_readable) {
	.chip = &sim_mcp2515, .attributes = "irq_edge=1 irq_unreadable=0",
};

FIXTURE_VARIANT_ADD(spi, mcp2510) {
	.chip = &sim_mcp2510, .attributes = "irq_edge=1",
};

FIXTURE_SETUP(spi)
{
	int err;

	self->napi.fd = -1;
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (sim_open())
		SKIP(return, "no cansim");
	err = sim_controller_make(BUS, variant->chip->kind, CHIP_IF,
				  self->napi.path);
	if (err == -ENODEV) {
		sim_close();
		SKIP(return, "no %s", variant->chip->kind);
	}
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, sim_set_all(self->napi.path, "%s", variant->attributes));
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%d id=%03X data=increment dlc=8",
				 BITRATE, OTHER_ID));
	ASSERT_EQ(0, up(&self->napi));
}

FIXTURE_TEARDOWN(spi)
{
	if (self->napi.fd >= 0)
		close(self->napi.fd);
	sim_close();
}

/* The line stays active after an error, and makes no other edge. */
TEST_F_TIMEOUT(spi, reception_goes_on_after_spi_errors, LONG_TEST)
{
	char errors[16];
	int i;

	for (i = 0; i < 8; i++) {
		snprintf(errors, sizeof(errors), "%d", i);
		ASSERT_EQ(0, sim_set(self->napi.path, "spi_errors", errors));
		ASSERT_EQ(0, sim_generate(GEN, "count=2"));
		ASSERT_EQ(2, receive(self->napi.fd, 2, CT_TIMEOUT_MS))
			TH_LOG("%d SPI errors", i);
	}
}

TEST_HARNESS_MAIN
