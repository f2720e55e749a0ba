// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs get frames from a CAN_RAW socket by each call that reads one or waits for one,
 * with time stamps, counts of dropped frames, and filters of their own. On PREEMPT_RT
 * these work while NAPI cannot run, because a thread of the interface gives frames to the
 * socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/filter.h>
#include <linux/net_tstamp.h>

#include "../../../../include/io_uring/mini_liburing.h"
#include "simhog.h"
#include "simtest.h"

#define GEN		BUS "/generator.gen"
#define GEN_ID		0x200

#define BITRATE		250000
/* A reader usually waits for each frame. */
#define PERIOD_NS	20000000
#define FRAMES		4
#define LIMIT		{ .tv_sec = CT_TIMEOUT_MS / 1000 }

/* More than can wait */
#define ROOM		(FRAMES + 1)

/* More than the shortest queue of a socket can have */
#define MANY		12
#define SHORTEST	1

#define NSEC_PER_SEC	1000000000LL

#define LONG_TEST	600

FIXTURE(readers) {
	char path[64];
	/* The socket that is read; one that gets each frame after it; a packet socket */
	int fd, witness, packet, ifindex;
	/* On PREEMPT_RT: those who keep NAPI from running */
	pid_t hogs[HOG_CPUS];
	bool starves;
};

SIM_CHIP_VARIANTS(readers);

FIXTURE_SETUP(readers)
{
	const struct timeval limit = LIMIT;

	if (!sim_open_chip(_metadata, "generator.gen", variant->chip->kind, self->path))
		return;
	self->starves = ct_preempt_rt() && !ct_baseline();
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%d id=%03X data=increment dlc=8 period_ns=%d",
				 BITRATE, GEN_ID, PERIOD_NS));
	ASSERT_EQ(0, sim_slow_down(BUS));
	/* The newest socket gets a frame first. */
	self->witness = CT_OK(sim_start(BITRATE, "", 0, false));
	self->ifindex = if_nametoindex(CHIP_IF);
	self->fd = CT_OK(ct_raw_open(self->ifindex));
	self->packet = CT_OK(ct_packet_open(self->ifindex));
	/* so that a call that is not woken ends */
	ASSERT_EQ(0, setsockopt(self->fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)));
}

SIM_TEARDOWN(readers)

static void begin_run(struct __test_metadata *_metadata, FIXTURE_DATA(readers) *self, int count)
{
	if (self->starves)
		sim_starve_napi(_metadata, self->hogs);
	EXPECT_EQ(0, sim_set_all(GEN, "count=%d", count));
	EXPECT_EQ(0, sim_run(GEN, true));
}

static void expect_on(struct __test_metadata *_metadata, int fd, int count)
{
	struct can_frame frame;
	int i;

	for (i = 0; i < count; i++)
		EXPECT_EQ((ssize_t)sizeof(frame),
			  ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
}

/* All frames of the run were read from the socket, which gets none again. A packet socket
 * gets them by NAPI.
 */
static void end_run(struct __test_metadata *_metadata, FIXTURE_DATA(readers) *self, int count)
{
	struct can_frame frame;

	if (self->starves) {
		EXPECT_EQ(-ETIMEDOUT, ct_recv(self->packet, &frame, sizeof(frame), 0));
		EXPECT_TRUE(sim_end_hogs(self->hogs));
	}
	expect_on(_metadata, self->packet, count);
	EXPECT_EQ(-ETIMEDOUT, ct_recv(self->fd, &frame, sizeof(frame), 0));
	EXPECT_EQ(0, sim_await(GEN, "run", 0));
}

/**
 * struct way - a way to get frames
 * @name: of the call
 * @get: wait for frames and read them; returns their number, or a negative errno value
 */
struct way {
	const char *name;
	int (*get)(FIXTURE_DATA(readers) *self, struct can_frame frames[ROOM]);
};

static void expect_frames(struct __test_metadata *_metadata, FIXTURE_DATA(readers) *self,
			  const struct way *way)
{
	struct can_frame frames[ROOM];
	int next = 0, got = 0, i;

	begin_run(_metadata, self, FRAMES);
	while (next < FRAMES) {
		got = way->get(self, frames);
		if (got < 0)
			break;
		for (i = 0; i < got; i++)
			EXPECT_EQ(next++, frames[i].data[0]);
	}
	EXPECT_EQ(FRAMES, next)
		TH_LOG("%s: %d", way->name, got);
	end_run(_metadata, self, FRAMES);
}

/* Calls that read */

static int frames_of(ssize_t size)
{
	return size == sizeof(struct can_frame) ? 1 : size < 0 ? -errno : -EMSGSIZE;
}

static int get_by_read(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	return frames_of(read(self->fd, frames, sizeof(*frames)));
}

static int get_by_readv(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	const struct iovec parts[] = {
		{ frames, 8 }, { (char *)frames + 8, sizeof(*frames) - 8 },
	};

	return frames_of(readv(self->fd, parts, 2));
}

static int get_by_recv(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	return frames_of(recv(self->fd, frames, sizeof(*frames), 0));
}

static int get_by_recvfrom(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	struct sockaddr_can from = { 0 };
	socklen_t len = sizeof(from);
	int got = frames_of(recvfrom(self->fd, frames, sizeof(*frames), 0,
				     (struct sockaddr *)&from, &len));

	return got < 0 || from.can_ifindex == self->ifindex ? got : -ENODEV;
}

static int get_by_recvmsg(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	struct iovec part = { frames, sizeof(*frames) };
	struct msghdr msg = { .msg_iov = &part, .msg_iovlen = 1 };

	return frames_of(recvmsg(self->fd, &msg, 0));
}

static int get_by_recvmmsg(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	struct mmsghdr msgs[ROOM] = { 0 };
	struct iovec parts[ROOM];
	int got, i;

	for (i = 0; i < ROOM; i++) {
		parts[i] = (struct iovec){ &frames[i], sizeof(frames[i]) };
		msgs[i].msg_hdr.msg_iov = &parts[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
	got = recvmmsg(self->fd, msgs, ROOM, MSG_WAITFORONE, NULL);
	for (i = 0; i < got; i++)
		if (msgs[i].msg_len != sizeof(struct can_frame))
			return -EMSGSIZE;
	return got < 0 ? -errno : got;
}

TEST_F_TIMEOUT(readers, read_by_each_call, LONG_TEST)
{
	static const struct way ways[] = {
		{ "read", get_by_read }, { "readv", get_by_readv }, { "recv", get_by_recv },
		{ "recvfrom", get_by_recvfrom }, { "recvmsg", get_by_recvmsg },
		{ "recvmmsg", get_by_recvmmsg },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		expect_frames(_metadata, self, &ways[i]);
}

/* Calls that wait. Another one reads then what is there. */

static int read_what_is_there(int fd, struct can_frame *frames)
{
	int got;

	for (got = 0; got < ROOM; got++)
		if (recv(fd, &frames[got], sizeof(*frames), MSG_DONTWAIT) != sizeof(*frames))
			break;
	return got || errno == EAGAIN ? got : -errno;
}

static int get_after_poll(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	struct pollfd poll_fd = { .fd = self->fd, .events = POLLIN };

	if (poll(&poll_fd, 1, CT_TIMEOUT_MS) != 1)
		return -ETIMEDOUT;
	if (poll_fd.revents != POLLIN)
		return -EIO;
	return frames_of(recv(self->fd, frames, sizeof(*frames), MSG_DONTWAIT));
}

static int get_after_select(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	struct timeval limit = LIMIT;
	fd_set fds;

	FD_ZERO(&fds);
	FD_SET(self->fd, &fds);
	if (select(self->fd + 1, &fds, NULL, NULL, &limit) != 1)
		return -ETIMEDOUT;
	return frames_of(recv(self->fd, frames, sizeof(*frames), MSG_DONTWAIT));
}

/* The instance is closed at the end of the process. */
static int await_epoll(int fd, int *epoll, uint32_t events)
{
	struct epoll_event event = { .events = events };

	if (*epoll < 0) {
		*epoll = epoll_create1(0);
		if (*epoll < 0 || epoll_ctl(*epoll, EPOLL_CTL_ADD, fd, &event))
			return -errno;
	}
	if (epoll_wait(*epoll, &event, 1, CT_TIMEOUT_MS) != 1)
		return -ETIMEDOUT;
	return event.events & EPOLLIN ? 0 : -EIO;
}

static int get_after_epoll(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	static int epoll = -1;

	return await_epoll(self->fd, &epoll, EPOLLIN) ?:
	       frames_of(recv(self->fd, frames, sizeof(*frames), MSG_DONTWAIT));
}

/* It tells of new frames only once. */
static int get_after_edge(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	static int epoll = -1;

	return await_epoll(self->fd, &epoll, EPOLLIN | EPOLLET) ?:
	       read_what_is_there(self->fd, frames);
}

static int get_after_signal(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	const struct timespec limit = LIMIT;
	sigset_t io;

	sigemptyset(&io);
	sigaddset(&io, SIGIO);
	if (sigtimedwait(&io, NULL, &limit) != SIGIO)
		return -ETIMEDOUT;
	return read_what_is_there(self->fd, frames);
}

TEST_F_TIMEOUT(readers, wait_in_each_call, LONG_TEST)
{
	static const struct way ways[] = {
		{ "poll", get_after_poll }, { "select", get_after_select },
		{ "epoll", get_after_epoll }, { "epoll, EPOLLET", get_after_edge },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ways); i++)
		expect_frames(_metadata, self, &ways[i]);
}

TEST_F_TIMEOUT(readers, wait_for_a_signal, LONG_TEST)
{
	static const struct way way = { "SIGIO", get_after_signal };
	sigset_t io;

	sigemptyset(&io);
	sigaddset(&io, SIGIO);
	ASSERT_EQ(0, sigprocmask(SIG_BLOCK, &io, NULL));
	ASSERT_EQ(0, fcntl(self->fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(self->fd, F_SETFL, O_ASYNC));
	expect_frames(_metadata, self, &way);
}

/* io_uring */

static struct io_uring ring;

static int complete(struct io_uring_sqe *sqe)
{
	struct pollfd done = { .fd = ring.ring_fd, .events = POLLIN };
	struct io_uring_cqe *cqe;
	int err;

	err = io_uring_submit(&ring);
	if (err != 1)
		return err < 0 ? err : -EIO;
	if (poll(&done, 1, CT_TIMEOUT_MS) != 1)
		return -ETIMEDOUT;
	err = io_uring_wait_cqe(&ring, &cqe);
	if (err)
		return err;
	err = cqe->res;
	io_uring_cqe_seen(&ring);
	return err;
}

static struct io_uring_sqe *prepare(int fd, int operation)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&ring);

	/* Each operation ends before the next one begins. */
	if (!sqe)
		abort();
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = operation;
	sqe->fd = fd;
	return sqe;
}

static int get_by_ring(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	struct io_uring_sqe *sqe = prepare(self->fd, IORING_OP_RECV);
	int size;

	sqe->addr = (uintptr_t)frames;
	sqe->len = sizeof(*frames);
	size = complete(sqe);
	return size == sizeof(*frames) ? 1 : size < 0 ? size : -EMSGSIZE;
}

static int get_after_ring(FIXTURE_DATA(readers) *self, struct can_frame *frames)
{
	struct io_uring_sqe *sqe = prepare(self->fd, IORING_OP_POLL_ADD);
	int events;

	sqe->poll32_events = POLLIN;
	events = complete(sqe);
	if (events != POLLIN)
		return events < 0 ? events : -EIO;
	return frames_of(recv(self->fd, frames, sizeof(*frames), MSG_DONTWAIT));
}

TEST_F_TIMEOUT(readers, use_io_uring, LONG_TEST)
{
	static const struct way ways[] = {
		{ "IORING_OP_RECV", get_by_ring }, { "IORING_OP_POLL_ADD", get_after_ring },
	};
	unsigned int i;

	if (io_uring_queue_init(4, &ring, 0)) {
		ASSERT_TRUE(errno == ENOSYS || errno == EPERM);
		SKIP(return, "no io_uring");
	}
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		expect_frames(_metadata, self, &ways[i]);
	io_uring_queue_exit(&ring);
}

/* What comes with a frame */

/**
 * struct extras - what comes with a frame
 * @stamp: time stamp, CLOCK_REALTIME in ns; 0: none
 * @dropped: frames that this socket has lost before; -1: unknown
 */
struct extras {
	int64_t stamp, dropped;
};

static int64_t ns_of(const struct timespec *time)
{
	return time->tv_sec * NSEC_PER_SEC + time->tv_nsec;
}

static void take_extra(const struct cmsghdr *cmsg, struct extras *extras)
{
	struct timespec time;
	struct timeval old;
	uint32_t dropped;

	if (cmsg->cmsg_level != SOL_SOCKET)
		return;
	switch (cmsg->cmsg_type) {
	case SO_TIMESTAMP:
		memcpy(&old, CMSG_DATA(cmsg), sizeof(old));
		extras->stamp = old.tv_sec * NSEC_PER_SEC + old.tv_usec * 1000LL;
		break;
	case SO_TIMESTAMPNS:
	/* the first of three is that of software */
	case SO_TIMESTAMPING:
		memcpy(&time, CMSG_DATA(cmsg), sizeof(time));
		extras->stamp = ns_of(&time);
		break;
	case SO_RXQ_OVFL:
		memcpy(&dropped, CMSG_DATA(cmsg), sizeof(dropped));
		extras->dropped = dropped;
		break;
	}
}

/* Return: 0 or a negative errno value */
static int read_with_extras(int fd, struct extras *extras)
{
	char control[256];
	struct can_frame frame;
	struct iovec part = { &frame, sizeof(frame) };
	struct msghdr msg = {
		.msg_iov = &part, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	int got = frames_of(recvmsg(fd, &msg, 0));

	*extras = (struct extras){ .dropped = -1 };
	if (got < 0)
		return got;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg))
		take_extra(cmsg, extras);
	return 0;
}

#define SOFTWARE (SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE)

/* Without our drivers, the kernel begins to stamp in a worker, which cannot run beside hogs.
 * The other options would show the time of recvmsg() instead.
 */
static void begin_stamping(struct __test_metadata *_metadata, FIXTURE_DATA(readers) *self)
{
	struct extras extras = { 0 };
	int tries;

	ASSERT_EQ(0, ct_sock_set(self->witness, SO_TIMESTAMPING, SOFTWARE));
	for (tries = 0; tries < 100 && !extras.stamp; tries++) {
		ASSERT_EQ(0, sim_generate(GEN, "count=1"));
		ASSERT_EQ(0, read_with_extras(self->witness, &extras));
		expect_on(_metadata, self->fd, 1);
		expect_on(_metadata, self->packet, 1);
	}
	ASSERT_NE(0, extras.stamp);
}

/* @resolution: of the time stamps, ns. They are read when all frames have come, so that they
 * cannot be those of recvmsg().
 */
static void expect_stamps(struct __test_metadata *_metadata, FIXTURE_DATA(readers) *self,
			  int option, int value, int resolution)
{
	int64_t last = ct_clock(CLOCK_REALTIME), all;
	struct extras extras;
	int i;

	ASSERT_EQ(0, ct_sock_set(self->fd, option, value));
	begin_run(_metadata, self, FRAMES);
	expect_on(_metadata, self->witness, FRAMES);
	all = ct_clock(CLOCK_REALTIME);
	for (i = 0; i < FRAMES; i++) {
		EXPECT_EQ(0, read_with_extras(self->fd, &extras));
		EXPECT_LT(last - resolution, extras.stamp);
		EXPECT_GT(all, extras.stamp);
		last = extras.stamp;
	}
	end_run(_metadata, self, FRAMES);
	ASSERT_EQ(0, ct_sock_set(self->fd, option, 0));
}

TEST_F_TIMEOUT(readers, get_time_stamps, LONG_TEST)
{
	begin_stamping(_metadata, self);
	expect_stamps(_metadata, self, SO_TIMESTAMP, 1, 1000);
	expect_stamps(_metadata, self, SO_TIMESTAMPNS, 1, 0);
	expect_stamps(_metadata, self, SO_TIMESTAMPING, SOFTWARE, 0);
}

TEST_F_TIMEOUT(readers, learn_how_many_were_dropped, LONG_TEST)
{
	struct extras extras;
	struct can_frame frame;
	int got = 0;

	ASSERT_EQ(0, ct_sock_set(self->fd, SO_RXQ_OVFL, 1));
	ASSERT_EQ(0, ct_sock_set(self->fd, SO_RCVBUF, SHORTEST));
	begin_run(_metadata, self, MANY);
	expect_on(_metadata, self->witness, MANY);
	while (ct_recv(self->fd, &frame, sizeof(frame), 0) == (ssize_t)sizeof(frame))
		got++;
	EXPECT_LT(0, got);
	EXPECT_GT(MANY, got);
	end_run(_metadata, self, MANY);
	begin_run(_metadata, self, 1);
	EXPECT_EQ(0, read_with_extras(self->fd, &extras));
	EXPECT_EQ(MANY - got, extras.dropped);
	end_run(_metadata, self, 1);
}

TEST_F_TIMEOUT(readers, attach_a_filter, LONG_TEST)
{
	struct sock_filter odd[] = {
		BPF_STMT(BPF_LD | BPF_B | BPF_ABS, offsetof(struct can_frame, data)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 1, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, CAN_MTU),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { .len = ARRAY_SIZE(odd), .filter = odd };
	struct can_frame frame;
	int i;

	ASSERT_EQ(0, setsockopt(self->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program,
				sizeof(program)));
	begin_run(_metadata, self, FRAMES);
	for (i = 1; i < FRAMES; i += 2) {
		EXPECT_EQ((ssize_t)sizeof(frame), read(self->fd, &frame, sizeof(frame)));
		EXPECT_EQ(i, frame.data[0]);
	}
	EXPECT_EQ(-ETIMEDOUT, ct_recv(self->fd, &frame, sizeof(frame), 0));
	end_run(_metadata, self, FRAMES);
}

TEST_HARNESS_MAIN
