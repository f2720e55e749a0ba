// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life cycle of CAN_RAW sockets and their interfaces: creation, binding and
 * rebinding, interfaces that go down, are removed, come back or move to
 * another network namespace with and without a blocked reader, and closing.
 *
 * Blocked readers are threads. start_waiting() returns when the kernel shows
 * the thread asleep in its system call. The answers would be the same if it came
 * late, for a pending error ends the wait before it begins; but then the test would
 * not be one of the wakeup.
 *
 * All threads run on one CPU, and a device of its own carries the barrier
 * frames: a CPU has one backlog for the frames of all virtual interfaces, so
 * when a barrier has arrived, all frames sent before have been delivered, on any
 * interface.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>

#include "kselftest_harness.h"
#include "cantest.h"

/* index that no interface has */
#define NO_IFINDEX	9999

/* the interface that getsockname() names */
static int bound_to(int fd)
{
	struct sockaddr_can addr;
	socklen_t len = sizeof(addr);

	if (getsockname(fd, (struct sockaddr *)&addr, &len))
		return -errno;
	if (len != CT_ADDR_LEN || addr.can_family != AF_CAN)
		return -EBADMSG;
	return addr.can_ifindex;
}

/* the pending error, which is cleared by asking for it */
static int socket_error(int fd)
{
	socklen_t len = sizeof(int);
	int err;

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len))
		return -errno;
	return -err;
}

static int poll_now(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, 0) < 0 ? -errno : pfd.revents;
}

/*
 * Reads without waiting, and passes over barriers. Returns the identifier of
 * the frame or a negative errno value; identifiers here are small.
 */
static int next(int fd, int *ifindex)
{
	struct sockaddr_can from;
	struct can_frame frame;
	socklen_t len;

	do {
		len = sizeof(from);
		if (recvfrom(fd, &frame, sizeof(frame), MSG_DONTWAIT,
			     (struct sockaddr *)&from, &len) < 0)
			return -errno;
	} while (frame.can_id == CT_BARRIER_ID);
	*ifindex = from.can_ifindex;
	return frame.can_id;
}

#define EXPECT_FRAME(fd, id, index) do {				\
	int index_ = 0;							\
									\
	EXPECT_EQ(id, next(fd, &index_));				\
	EXPECT_EQ(index, index_);					\
} while (0)

#define EXPECT_ANSWER(fd, answer) do {					\
	int index_;							\
									\
	EXPECT_EQ(answer, next(fd, &index_));				\
} while (0)

#define EXPECT_NOTHING(fd)	EXPECT_ANSWER(fd, -EAGAIN)

/* a call that fails */
#define EXPECT_ERRNO(err, call) do {					\
	EXPECT_EQ(-1, call);						\
	EXPECT_EQ(err, errno);						\
} while (0)

/* two interfaces for the tests, and one that carries the barriers */
struct bench {
	int a, b;
	int tx;			/* never bound, so no event concerns it */
	int witness;		/* receives barriers only */
};

/* of this test, which is a process */
static struct bench bench;

static int bench_open(void)
{
	int barrier_if, err = ct_pin_cpu() ?: ct_netns_new();

	if (err)
		return err;
	bench.a = ct_vcan_add("vcan0", CAN_MTU);
	bench.b = ct_vcan_add("vcan1", CAN_MTU);
	barrier_if = ct_vcan_add("barrier", CAN_MTU);
	bench.tx = ct_raw_socket();
	bench.witness = ct_barrier_open(barrier_if);
	return bench.a < 0 || bench.b < 0 || barrier_if < 0 ||
	       bench.tx < 0 || bench.witness < 0 ? -ENODEV : 0;
}

/* the same, and a socket bound to vcan0 */
static int bench_open_bound(int *fd)
{
	int err = bench_open();

	*fd = ct_raw_open(bench.a);
	return err ?: *fd < 0 ? *fd : 0;
}

static int barrier(void)
{
	return ct_barrier(bench.tx, bench.witness);
}

/* a frame on each of the two interfaces: 0x0a on a, 0x0b on b */
static int send_both(void)
{
	return ct_send_id_to(bench.tx, bench.a, 0x0a) ?:
	       ct_send_id_to(bench.tx, bench.b, 0x0b) ?: barrier();
}

/* one frame */
static int send_to(int ifindex, canid_t id)
{
	return ct_send_id_to(bench.tx, ifindex, id) ?: barrier();
}

/* a thread that waits in one system call and stores its result */
struct waiter {
	int fd;
	long call;
	pid_t tid;
	sem_t started;
	pthread_t thread;
	int answer;
};

static void *wait_in_call(void *arg)
{
	struct waiter *waiter = arg;
	struct pollfd pfd = { .fd = waiter->fd, .events = POLLIN };
	struct can_frame frame;
	long ret;

	waiter->tid = syscall(SYS_gettid);
	sem_post(&waiter->started);

	if (waiter->call == SYS_read) {
		ret = syscall(SYS_read, waiter->fd, &frame, sizeof(frame));
		waiter->answer = ret < 0 ? -errno : (int)frame.can_id;
	} else {
		ret = syscall(SYS_ppoll, &pfd, 1, NULL, NULL, 0);
		waiter->answer = ret < 0 ? -errno : pfd.revents;
	}
	return NULL;
}

/* the system call in which a thread sleeps, or -1 while it runs */
static long sleeps_in(pid_t tid)
{
	char path[64];
	long call = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%ld", &call) != 1)
		call = -1;
	fclose(file);
	return call;
}

static int start_waiting(struct waiter *waiter, int fd, long call)
{
	time_t end;

	waiter->fd = fd;
	waiter->call = call;
	if (sem_init(&waiter->started, 0, 0))
		return -errno;
	if (pthread_create(&waiter->thread, NULL, wait_in_call, waiter))
		return -EAGAIN;
	while (sem_wait(&waiter->started))
		;
	end = time(NULL) + CT_TIMEOUT_MS / 1000;
	while (sleeps_in(waiter->tid) != call) {
		if (time(NULL) > end)
			return -ETIMEDOUT;
		sched_yield();
	}
	return 0;
}

/* identifier or poll events that the thread got, or its negative errno */
static int answer_of(struct waiter *waiter)
{
	struct timespec end;

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += CT_TIMEOUT_MS / 1000;
	if (pthread_timedjoin_np(waiter->thread, NULL, &end))
		return -ETIMEDOUT;
	sem_destroy(&waiter->started);
	return waiter->answer;
}

/* creation, and operations that such a socket does not have */
FIXTURE(socket) {
	int fd;
};

FIXTURE_SETUP(socket)
{
	ASSERT_EQ(0, bench_open_bound(&self->fd));
}

FIXTURE_TEARDOWN(socket) { }

TEST_F(socket, is_created_for_its_type_and_protocol_only)
{
	static const struct { int type, protocol, err; } table[] = {
		{ SOCK_DGRAM, CAN_RAW, EPROTOTYPE },
		{ SOCK_STREAM, CAN_RAW, EPROTOTYPE },
		{ SOCK_SEQPACKET, CAN_RAW, EPROTOTYPE },
		{ SOCK_RAW, -1, EINVAL },
		{ SOCK_RAW, CAN_NPROTO, EINVAL },
		{ SOCK_RAW, 0, EPROTONOSUPPORT },
		{ SOCK_RAW, CAN_MCNET, EPROTONOSUPPORT },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		EXPECT_EQ(-1, socket(PF_CAN, table[i].type, table[i].protocol));
		EXPECT_EQ(table[i].err, errno) TH_LOG("entry %u", i);
	}
}

TEST_F(socket, needs_no_privilege)
{
	int fd;

	ASSERT_EQ(0, setuid(65534));
	fd = CT_OK(ct_raw_open(bench.a));
	EXPECT_EQ(0, ct_send_id(fd, 0x123));
	ASSERT_EQ(0, barrier());
	EXPECT_FRAME(self->fd, 0x123, bench.a);
}

TEST_F(socket, has_no_connections)
{
	struct sockaddr_can addr = {
		.can_family = AF_CAN,
		.can_ifindex = bench.a,
	};
	struct sockaddr *sa = (struct sockaddr *)&addr;
	socklen_t len = sizeof(addr);
	int pair[2];

	EXPECT_ERRNO(EOPNOTSUPP, connect(self->fd, sa, sizeof(addr)));
	EXPECT_ERRNO(EOPNOTSUPP, listen(self->fd, 1));
	EXPECT_ERRNO(EOPNOTSUPP, accept(self->fd, NULL, NULL));
	EXPECT_ERRNO(EOPNOTSUPP, getpeername(self->fd, sa, &len));
	EXPECT_ERRNO(EOPNOTSUPP, shutdown(self->fd, SHUT_RDWR));
	EXPECT_ERRNO(EOPNOTSUPP, socketpair(PF_CAN, SOCK_RAW, CAN_RAW, pair));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED,
				   self->fd, 0));
	EXPECT_EQ(ENODEV, errno);

	/* and works as before */
	ASSERT_EQ(0, send_both());
	EXPECT_FRAME(self->fd, 0x0a, bench.a);
	EXPECT_NOTHING(self->fd);
}

TEST_F(socket, frame_wakes_a_blocked_read)
{
	struct waiter waiter;

	ASSERT_EQ(0, start_waiting(&waiter, self->fd, SYS_read));
	ASSERT_EQ(0, send_both());
	EXPECT_EQ(0x0a, answer_of(&waiter));

	ASSERT_EQ(0, start_waiting(&waiter, self->fd, SYS_ppoll));
	ASSERT_EQ(0, send_both());
	EXPECT_EQ(POLLIN, answer_of(&waiter));
}

TEST_F(socket, frame_wakes_one_of_two_blocked_reads)
{
	struct waiter one, two;
	int sum;

	ASSERT_EQ(0, start_waiting(&one, self->fd, SYS_read));
	ASSERT_EQ(0, start_waiting(&two, self->fd, SYS_read));
	ASSERT_EQ(0, ct_send_id_to(bench.tx, bench.a, 0x100));
	ASSERT_EQ(0, ct_send_id_to(bench.tx, bench.a, 0x023));
	sum = answer_of(&one) + answer_of(&two);
	EXPECT_EQ(0x123, sum);
	EXPECT_NOTHING(self->fd);
}

static void no_action(int sig)
{
}

TEST_F(socket, signal_interrupts_a_blocked_read)
{
	struct sigaction action = { .sa_handler = no_action };
	struct waiter waiter;

	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, start_waiting(&waiter, self->fd, SYS_read));
	ASSERT_EQ(0, pthread_kill(waiter.thread, SIGUSR1));
	EXPECT_EQ(-EINTR, answer_of(&waiter));
}

/* binding */
FIXTURE(bind) {
	int fd;
};

FIXTURE_SETUP(bind)
{
	ASSERT_EQ(0, bench_open());
	self->fd = CT_OK(ct_raw_socket());
}

FIXTURE_TEARDOWN(bind) { }

TEST_F(bind, unbound_socket_receives_nothing_and_needs_an_address)
{
	int rx;

	EXPECT_EQ(0, bound_to(self->fd));
	EXPECT_EQ(-ENXIO, ct_send_id(self->fd, 0x123));

	/* not even itself */
	ASSERT_EQ(0, ct_raw_set(self->fd, CAN_RAW_RECV_OWN_MSGS, 1));
	rx = CT_OK(ct_raw_open(bench.a));
	EXPECT_EQ(0, ct_send_id_to(self->fd, bench.a, 0x123));
	ASSERT_EQ(0, send_both());
	EXPECT_NOTHING(self->fd);
	EXPECT_FRAME(rx, 0x123, bench.a);
}

TEST_F(bind, index_0_receives_from_all_interfaces_and_reports_which)
{
	int late;

	ASSERT_EQ(0, ct_raw_bind(self->fd, 0));
	EXPECT_EQ(0, bound_to(self->fd));
	ASSERT_EQ(0, send_both());
	EXPECT_FRAME(self->fd, 0x0a, bench.a);
	EXPECT_FRAME(self->fd, 0x0b, bench.b);
	EXPECT_NOTHING(self->fd);

	/* also those that come later */
	late = CT_OK(ct_vcan_add("late", CAN_MTU));
	ASSERT_EQ(0, ct_send_id_to(bench.tx, late, 0x0c));
	ASSERT_EQ(0, send_both());
	EXPECT_FRAME(self->fd, 0x0c, late);
	EXPECT_FRAME(self->fd, 0x0a, bench.a);
	EXPECT_FRAME(self->fd, 0x0b, bench.b);

	/* but there is no interface to send to by default */
	EXPECT_EQ(-ENXIO, ct_send_id(self->fd, 0x123));
}

TEST_F(bind, index_0_reports_no_events_of_one_interface)
{
	ASSERT_EQ(0, ct_raw_bind(self->fd, 0));
	ASSERT_EQ(0, ct_link_up("vcan0", false));
	EXPECT_EQ(0, poll_now(self->fd));
	ASSERT_EQ(0, ct_link_del("vcan0"));
	EXPECT_EQ(0, poll_now(self->fd));
	EXPECT_EQ(0, socket_error(self->fd));

	ASSERT_EQ(0, send_to(bench.b, 0x0b));
	EXPECT_FRAME(self->fd, 0x0b, bench.b);
}

TEST_F(bind, can_be_changed_between_any_interfaces)
{
	const int indexes[] = { bench.a, bench.b, 0 };
	unsigned int from, to;
	int fd;

	for (from = 0; from <= ARRAY_SIZE(indexes); from++) {
		for (to = 0; to < ARRAY_SIZE(indexes); to++) {
			fd = CT_OK(ct_raw_socket());
			/* the last round begins unbound */
			if (from < ARRAY_SIZE(indexes))
				ASSERT_EQ(0, ct_raw_bind(fd, indexes[from]));
			ASSERT_EQ(0, ct_raw_bind(fd, indexes[to]));
			EXPECT_EQ(indexes[to], bound_to(fd));

			ASSERT_EQ(0, send_both());
			if (indexes[to] != bench.b)
				EXPECT_FRAME(fd, 0x0a, bench.a);
			if (indexes[to] != bench.a)
				EXPECT_FRAME(fd, 0x0b, bench.b);
			EXPECT_NOTHING(fd);
			EXPECT_EQ(indexes[to] ? 0 : -ENXIO,
				  ct_send_id(fd, 0x123));
			close(fd);
		}
	}
}

TEST_F(bind, change_keeps_options_filters_and_queued_frames)
{
	static const struct can_filter filters[] = {
		{ 0x0a, CAN_SFF_MASK }, { 0x0b, CAN_SFF_MASK },
	};

	ASSERT_EQ(0, ct_raw_filters(self->fd, filters, ARRAY_SIZE(filters)));
	ASSERT_EQ(0, ct_raw_set(self->fd, CAN_RAW_ERR_FILTER, CAN_ERR_BUSOFF));
	ASSERT_EQ(0, ct_raw_set(self->fd, CAN_RAW_RECV_OWN_MSGS, 1));
	ASSERT_EQ(0, ct_raw_bind(self->fd, bench.a));
	ASSERT_EQ(0, send_both());
	ASSERT_EQ(0, ct_raw_bind(self->fd, bench.b));

	ASSERT_EQ(0, send_both());
	ASSERT_EQ(0, ct_send_id_to(bench.tx, bench.b, 0x0c));
	ASSERT_EQ(0, ct_send_id(self->fd, 0x0a));
	ASSERT_EQ(0, ct_send_id_to(bench.tx, bench.b, CAN_ERR_FLAG | CAN_ERR_BUSOFF));
	ASSERT_EQ(0, barrier());
	EXPECT_FRAME(self->fd, 0x0a, bench.a);	/* from before */
	EXPECT_FRAME(self->fd, 0x0b, bench.b);
	EXPECT_FRAME(self->fd, 0x0a, bench.b);	/* its own */
	EXPECT_FRAME(self->fd, (int)(CAN_ERR_FLAG | CAN_ERR_BUSOFF), bench.b);
	EXPECT_NOTHING(self->fd);
}

TEST_F(bind, failed_bind_changes_nothing)
{
	char space[sizeof(struct sockaddr_storage) + 1] = { 0 };
	struct sockaddr_can addr = { };
	const struct {
		const char *name;
		int family, ifindex;
		socklen_t len;
		int err;
	} *bad, table[] = {
		{ "unknown interface", AF_CAN, NO_IFINDEX, sizeof(addr), ENODEV },
		{ "negative interface", AF_CAN, -1, sizeof(addr), ENODEV },
		{ "not a CAN interface", AF_CAN, if_nametoindex("lo"),
			sizeof(addr), ENODEV },
		{ "wrong family", AF_INET, bench.b, sizeof(addr), EINVAL },
		{ "no family", AF_UNSPEC, bench.b, sizeof(addr), EINVAL },
		{ "address too short", AF_CAN, bench.b, CT_ADDR_LEN - 1, EINVAL },
		{ "only a family", AF_CAN, bench.b, 2, EINVAL },
		{ "no address", AF_CAN, bench.b, 0, EINVAL },
		{ "address too long", AF_CAN, bench.b, sizeof(space), EINVAL },
	};
	int bound, was;
	unsigned int i;

	for (bound = 0; bound < 2; bound++) {
		was = bound ? bench.a : 0;
		if (bound)
			ASSERT_EQ(0, ct_raw_bind(self->fd, bench.a));
		for (i = 0; i < ARRAY_SIZE(table); i++) {
			bad = &table[i];
			addr.can_family = bad->family;
			addr.can_ifindex = bad->ifindex;
			memcpy(space, &addr, sizeof(addr));
			EXPECT_EQ(-1, bind(self->fd, (struct sockaddr *)space,
					   bad->len));
			EXPECT_EQ(bad->err, errno) TH_LOG("%s", bad->name);
			EXPECT_EQ(was, bound_to(self->fd));
			ASSERT_EQ(0, send_both());
			if (bound)
				EXPECT_FRAME(self->fd, 0x0a, bench.a);
			EXPECT_NOTHING(self->fd);
		}
		EXPECT_ERRNO(EFAULT, bind(self->fd, (struct sockaddr *)8,
					  CT_ADDR_LEN));
		EXPECT_EQ(was, bound_to(self->fd));
	}
}

TEST_F(bind, address_may_be_as_short_as_its_index_and_longer_than_needed)
{
	union {
		struct sockaddr_can can;
		struct sockaddr_storage storage;
		struct sockaddr any;
	} addr;

	memset(&addr, 0x5a, sizeof(addr));
	addr.can.can_family = AF_CAN;
	addr.can.can_ifindex = bench.a;
	EXPECT_EQ(0, bind(self->fd, &addr.any, CT_ADDR_LEN));
	EXPECT_EQ(bench.a, bound_to(self->fd));
	addr.can.can_ifindex = bench.b;
	EXPECT_EQ(0, bind(self->fd, &addr.any, sizeof(addr)));
	EXPECT_EQ(bench.b, bound_to(self->fd));
}

TEST_F(bind, name_is_cut_to_the_buffer_but_its_length_is_not)
{
	struct sockaddr_can addr;
	socklen_t room, len;

	ASSERT_EQ(0, ct_raw_bind(self->fd, bench.a));
	for (room = 0; room <= sizeof(addr); room += 4) {
		memset(&addr, 0x5a, sizeof(addr));
		len = room;
		ASSERT_EQ(0, getsockname(self->fd, (struct sockaddr *)&addr,
					 &len));
		EXPECT_EQ(CT_ADDR_LEN, len);
		EXPECT_EQ(room < CT_ADDR_LEN ? 0x5a5a5a5a : bench.a,
			  addr.can_ifindex);
		EXPECT_EQ(0x5a5a5a5aU, addr.can_addr.tp.rx_id);
	}
}

TEST_F(bind, interface_that_is_down_is_accepted_and_reported_once)
{
	ASSERT_EQ(0, ct_link_up("vcan0", false));
	EXPECT_EQ(0, ct_raw_bind(self->fd, bench.a));
	EXPECT_EQ(bench.a, bound_to(self->fd));
	EXPECT_EQ(POLLERR, poll_now(self->fd));
	EXPECT_ANSWER(self->fd, -ENETDOWN);
	EXPECT_NOTHING(self->fd);

	/* binding to it once more changes and reports nothing */
	EXPECT_EQ(0, ct_raw_bind(self->fd, bench.a));
	EXPECT_EQ(0, poll_now(self->fd));

	ASSERT_EQ(0, ct_link_up("vcan0", true));
	EXPECT_EQ(0, poll_now(self->fd));
	ASSERT_EQ(0, send_both());
	EXPECT_FRAME(self->fd, 0x0a, bench.a);
}

/* an interface goes down, is removed, or moves to another network namespace */
enum event { DOWN, REMOVED, MOVED };

static int move_vcan0_away(void)
{
	int home, away, err;

	home = ct_netns_get();
	err = home < 0 ? home : ct_netns_new();
	if (err)
		return err;
	away = ct_netns_get();
	err = ct_netns_set(home) ?: ct_link_move("vcan0", away);
	/* the last reference to the namespace, which is removed with vcan0 */
	close(away);
	return err;
}

static int lose_vcan0(enum event event)
{
	switch (event) {
	case DOWN:
		return ct_link_up("vcan0", false);
	case REMOVED:
		return ct_link_del("vcan0");
	default:
		return move_vcan0_away();
	}
}

/* tests of all events */
FIXTURE(lost) {
	int fd;
};

FIXTURE_VARIANT(lost) {
	enum event event;
	int error;	/* of the socket */
};

FIXTURE_VARIANT_ADD(lost, down) { DOWN, -ENETDOWN };
FIXTURE_VARIANT_ADD(lost, removed) { REMOVED, -ENODEV };
FIXTURE_VARIANT_ADD(lost, moved_to_another_namespace) { MOVED, -ENODEV };

FIXTURE_SETUP(lost)
{
	ASSERT_EQ(0, bench_open_bound(&self->fd));
}

FIXTURE_TEARDOWN(lost) { }

/*
 * An interface that is up is first set down, and a reader may or may not get
 * to see that before the second event. Here it is down beforehand.
 */
static void lose_while_waiting(struct __test_metadata *_metadata,
			       FIXTURE_DATA(lost) *self, enum event event,
			       struct waiter *waiter, long call)
{
	if (event != DOWN) {
		ASSERT_EQ(0, ct_link_up("vcan0", false));
		ASSERT_EQ(-ENETDOWN, socket_error(self->fd));
	}
	ASSERT_EQ(0, start_waiting(waiter, self->fd, call));
	ASSERT_EQ(0, lose_vcan0(event));
}

/* once */
TEST_F(lost, wakes_a_blocked_read_with_its_error)
{
	struct waiter waiter;

	lose_while_waiting(_metadata, self, variant->event, &waiter, SYS_read);
	EXPECT_EQ(variant->error, answer_of(&waiter));
	EXPECT_NOTHING(self->fd);
	EXPECT_EQ(0, poll_now(self->fd));
}

TEST_F(lost, is_an_error_for_poll_until_it_is_fetched)
{
	struct waiter waiter;

	lose_while_waiting(_metadata, self, variant->event, &waiter, SYS_ppoll);
	EXPECT_EQ(POLLERR, answer_of(&waiter));
	EXPECT_EQ(POLLERR, poll_now(self->fd));
	EXPECT_EQ(variant->error, socket_error(self->fd));
	EXPECT_EQ(0, socket_error(self->fd));
	EXPECT_EQ(0, poll_now(self->fd));
	EXPECT_NOTHING(self->fd);
}

/* while up: only the last of two errors */
TEST_F(lost, gives_a_later_read_its_error_once)
{
	ASSERT_EQ(0, lose_vcan0(variant->event));
	EXPECT_ANSWER(self->fd, variant->error);
	EXPECT_NOTHING(self->fd);
}

TEST_F(lost, comes_before_the_queued_frames_and_does_not_drop_them)
{
	ASSERT_EQ(0, send_both());
	ASSERT_EQ(0, send_to(bench.a, 0x0c));
	ASSERT_EQ(0, lose_vcan0(variant->event));
	EXPECT_EQ(POLLIN | POLLERR, poll_now(self->fd));
	EXPECT_ANSWER(self->fd, variant->error);
	EXPECT_FRAME(self->fd, 0x0a, bench.a);
	EXPECT_FRAME(self->fd, 0x0c, bench.a);
	EXPECT_NOTHING(self->fd);
}

TEST_F(lost, is_reported_by_the_next_send_to_another_interface)
{
	int rx = CT_OK(ct_raw_open(bench.b));

	ASSERT_EQ(0, lose_vcan0(variant->event));
	/* the error is that of vcan0, and the frame for vcan1 is not sent */
	EXPECT_EQ(variant->error, ct_send_id_to(self->fd, bench.b, 0x0c));
	EXPECT_EQ(0, ct_send_id_to(self->fd, bench.b, 0x0d));
	ASSERT_EQ(0, barrier());
	EXPECT_FRAME(rx, 0x0d, bench.b);
	EXPECT_NOTHING(rx);
}

TEST_F(lost, concerns_all_sockets_of_that_interface_and_no_others)
{
	int same[8], other, any, unbound;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(same); i++)
		same[i] = CT_OK(ct_raw_open(bench.a));
	other = ct_raw_open(bench.b);
	any = ct_raw_open(0);
	unbound = ct_raw_socket();
	ASSERT_EQ(0, lose_vcan0(variant->event));

	EXPECT_EQ(variant->error, socket_error(self->fd));
	for (i = 0; i < ARRAY_SIZE(same); i++) {
		EXPECT_EQ(variant->error, socket_error(same[i]));
		EXPECT_EQ(variant->event == DOWN ? bench.a : 0,
			  bound_to(same[i]));
	}
	EXPECT_EQ(0, socket_error(other));
	EXPECT_EQ(bench.b, bound_to(other));
	EXPECT_EQ(0, socket_error(any));
	EXPECT_EQ(0, socket_error(unbound));
	ASSERT_EQ(0, send_to(bench.b, 0x0b));
	EXPECT_FRAME(other, 0x0b, bench.b);
	EXPECT_FRAME(any, 0x0b, bench.b);
}

/* an interface goes down, and comes up again */
FIXTURE(down) {
	int fd;
};

FIXTURE_SETUP(down)
{
	ASSERT_EQ(0, bench_open_bound(&self->fd));
}

FIXTURE_TEARDOWN(down) { }

TEST_F(down, wakes_one_of_two_blocked_reads)
{
	struct waiter one, two;
	int sum;

	ASSERT_EQ(0, start_waiting(&one, self->fd, SYS_read));
	ASSERT_EQ(0, start_waiting(&two, self->fd, SYS_read));
	ASSERT_EQ(0, ct_link_up("vcan0", false));
	/* the other one goes on waiting, and gets the next frame */
	ASSERT_EQ(0, ct_link_up("vcan0", true));
	ASSERT_EQ(0, send_both());
	sum = answer_of(&one) + answer_of(&two);
	EXPECT_EQ(0x0a - ENETDOWN, sum);
	EXPECT_NOTHING(self->fd);
}

TEST_F(down, keeps_the_binding_for_when_it_is_up_again)
{
	int round;

	for (round = 0; round < 3; round++) {
		ASSERT_EQ(0, ct_link_up("vcan0", false));
		EXPECT_EQ(bench.a, bound_to(self->fd));
		EXPECT_ANSWER(self->fd, -ENETDOWN);
		ASSERT_EQ(0, ct_link_up("vcan0", true));
		ASSERT_EQ(0, send_both());
		EXPECT_FRAME(self->fd, 0x0a, bench.a);
		EXPECT_EQ(0, ct_send_id(self->fd, 0x123));
	}
}

TEST_F(down, is_reported_once_and_not_again_when_already_down)
{
	ASSERT_EQ(0, ct_link_up("vcan0", false));
	EXPECT_EQ(-ENETDOWN, socket_error(self->fd));
	ASSERT_EQ(0, ct_link_up("vcan0", false));
	EXPECT_EQ(0, socket_error(self->fd));
	/* not fetched in time, it stays, even if the interface is up again */
	ASSERT_EQ(0, ct_link_up("vcan0", true));
	ASSERT_EQ(0, ct_link_up("vcan0", false));
	ASSERT_EQ(0, ct_link_up("vcan0", true));
	EXPECT_ANSWER(self->fd, -ENETDOWN);
	EXPECT_NOTHING(self->fd);
}

TEST_F(down, makes_sending_fail)
{
	ASSERT_EQ(0, ct_link_up("vcan0", false));
	/* for a socket without a binding the interface returns the error each time */
	EXPECT_EQ(-ENETDOWN, ct_send_id_to(bench.tx, bench.a, 0x0a));
	EXPECT_EQ(-ENETDOWN, ct_send_id_to(bench.tx, bench.a, 0x0a));
	EXPECT_EQ(0, socket_error(bench.tx));

	/* the bound one returns its own error first, then that of the interface */
	EXPECT_EQ(-ENETDOWN, ct_send_id(self->fd, 0x0a));
	EXPECT_EQ(0, socket_error(self->fd));
	EXPECT_EQ(-ENETDOWN, ct_send_id(self->fd, 0x0a));
}

/* an interface leaves the namespace */
FIXTURE(unregistered) {
	int fd;
};

FIXTURE_VARIANT(unregistered) {
	enum event event;
};

FIXTURE_VARIANT_ADD(unregistered, removed) { REMOVED };
FIXTURE_VARIANT_ADD(unregistered, moved_to_another_namespace) { MOVED };

FIXTURE_SETUP(unregistered)
{
	ASSERT_EQ(0, bench_open_bound(&self->fd));
}

FIXTURE_TEARDOWN(unregistered) { }

TEST_F(unregistered, while_up_ends_with_enodev_for_a_blocked_read)
{
	struct waiter waiter;
	int answer;

	ASSERT_EQ(0, start_waiting(&waiter, self->fd, SYS_read));
	ASSERT_EQ(0, lose_vcan0(variant->event));
	answer = answer_of(&waiter);
	/* both events, or only the second if the reader was not quick */
	if (answer == -ENETDOWN)
		answer = socket_error(self->fd);
	EXPECT_EQ(-ENODEV, answer);
	EXPECT_NOTHING(self->fd);
}

TEST_F(unregistered, leaves_the_socket_unbound)
{
	ASSERT_EQ(0, lose_vcan0(variant->event));
	EXPECT_EQ(0, bound_to(self->fd));
	/* no interface to send to, and this error does not clear the pending one */
	EXPECT_EQ(-ENXIO, ct_send_id(self->fd, 0x0a));
	EXPECT_EQ(-ENXIO, ct_send_id_to(bench.tx, bench.a, 0x0a));
	EXPECT_EQ(-ENODEV, socket_error(self->fd));

	/* unbound does not mean bound to all */
	ASSERT_EQ(0, send_to(bench.b, 0x0b));
	EXPECT_NOTHING(self->fd);
	EXPECT_EQ(0, ct_send_id_to(self->fd, bench.b, 0x0b));
}

TEST_F(unregistered, is_not_undone_by_a_new_interface_of_that_name)
{
	int again;

	ASSERT_EQ(0, lose_vcan0(variant->event));
	EXPECT_EQ(-ENODEV, socket_error(self->fd));
	again = CT_OK(ct_vcan_add("vcan0", CAN_MTU));
	EXPECT_EQ(0, bound_to(self->fd));
	ASSERT_EQ(0, send_to(again, 0x0a));
	EXPECT_NOTHING(self->fd);
	EXPECT_EQ(-ENXIO, ct_send_id(self->fd, 0x0a));
}

/*
 * The kernel removes the filters with the interface, but no options. A program that
 * binds again receives nothing until it sets filters again.
 */
TEST_F(unregistered, removes_the_filters_but_not_the_options)
{
	static const struct can_filter three[] = {
		{ 0x0a, CAN_SFF_MASK }, { 0x0b, CAN_SFF_MASK },
		{ 0x0c, CAN_SFF_MASK },
	};
	const canid_t error = CAN_ERR_FLAG | CAN_ERR_BUSOFF;
	struct can_filter back[3];
	socklen_t len;
	int count, fd, again, value;

	/* a list of one is stored in the socket itself, longer ones are not */
	for (count = 1; count <= 3; count += 2) {
		again = if_nametoindex("vcan0");
		fd = CT_OK(ct_raw_open(again));
		ASSERT_EQ(0, ct_raw_filters(fd, three, count));
		ASSERT_EQ(0, ct_raw_set(fd, CAN_RAW_ERR_FILTER,
					CAN_ERR_BUSOFF));
		ASSERT_EQ(0, ct_raw_set(fd, CAN_RAW_RECV_OWN_MSGS, 1));
		ASSERT_EQ(0, lose_vcan0(variant->event));
		EXPECT_EQ(-ENODEV, socket_error(fd));

		again = CT_OK(ct_vcan_add("vcan0", CAN_MTU));
		ASSERT_EQ(0, ct_raw_bind(fd, again));
		EXPECT_EQ(again, bound_to(fd));
		len = sizeof(back);
		ASSERT_EQ(0, ct_raw_getopt(fd, CAN_RAW_FILTER, back, &len));
		EXPECT_EQ(0U, len);
		len = sizeof(value);
		ASSERT_EQ(0, ct_raw_getopt(fd, CAN_RAW_RECV_OWN_MSGS, &value,
					   &len));
		EXPECT_EQ(1, value);

		ASSERT_EQ(0, send_to(again, 0x0a));
		ASSERT_EQ(0, send_to(again, error));
		EXPECT_FRAME(fd, (int)error, again);
		EXPECT_NOTHING(fd);

		ASSERT_EQ(0, ct_raw_filters(fd, three, count));
		ASSERT_EQ(0, ct_send_id_to(bench.tx, again, 0x0a));
		ASSERT_EQ(0, ct_send_id(fd, 0x0a));
		ASSERT_EQ(0, barrier());
		EXPECT_FRAME(fd, 0x0a, again);
		EXPECT_FRAME(fd, 0x0a, again);
		EXPECT_NOTHING(fd);
		close(fd);
	}
}

TEST_F(unregistered, allows_filters_to_be_set_before_the_next_bind)
{
	static const struct can_filter filter = { 0x0b, CAN_SFF_MASK };

	ASSERT_EQ(0, lose_vcan0(variant->event));
	ASSERT_EQ(0, ct_raw_filters(self->fd, &filter, 1));
	ASSERT_EQ(0, ct_raw_bind(self->fd, bench.b));
	EXPECT_EQ(-ENODEV, socket_error(self->fd));
	ASSERT_EQ(0, send_to(bench.b, 0x0a));
	ASSERT_EQ(0, send_to(bench.b, 0x0b));
	EXPECT_FRAME(self->fd, 0x0b, bench.b);
	EXPECT_NOTHING(self->fd);
}

/*
 * Closing. ct_link_del() does not return before the last reference to the
 * interface is dropped.
 */
FIXTURE(close) { };

FIXTURE_SETUP(close)
{
	ASSERT_EQ(0, bench_open());
}

FIXTURE_TEARDOWN(close) { }

TEST_F(close, with_frames_queued_releases_the_interface)
{
	int fd[16];
	unsigned int i, round;

	for (i = 0; i < ARRAY_SIZE(fd); i++)
		fd[i] = CT_OK(ct_raw_open(i % 4 ? bench.a : 0));
	for (round = 0; round < 32; round++)
		ASSERT_EQ(0, send_both());
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		EXPECT_EQ(POLLIN, poll_now(fd[i]));
		EXPECT_EQ(0, close(fd[i]));
	}
	EXPECT_EQ(0, ct_link_del("vcan0"));
}

TEST_F(close, after_the_interface_is_removed_succeeds)
{
	int fd;

	fd = CT_OK(ct_raw_open(bench.a));
	ASSERT_EQ(0, send_both());
	ASSERT_EQ(0, ct_link_del("vcan0"));
	EXPECT_EQ(POLLIN | POLLERR, poll_now(fd));
	EXPECT_EQ(0, close(fd));
}

TEST_F(close, of_one_descriptor_leaves_the_socket_to_the_other)
{
	int fd, other;

	fd = CT_OK(ct_raw_open(bench.a));
	other = CT_OK(dup(fd));
	ASSERT_EQ(0, close(fd));
	ASSERT_EQ(0, send_both());
	EXPECT_FRAME(other, 0x0a, bench.a);
	EXPECT_EQ(0, close(other));
	EXPECT_EQ(0, ct_link_del("vcan0"));
}

TEST_F(close, of_the_sender_does_not_drop_sent_frames)
{
	int rx, tx, i;

	rx = CT_OK(ct_raw_open(bench.a));
	for (i = 0; i < 20; i++) {
		tx = CT_OK(ct_raw_open(bench.a));
		ASSERT_EQ(0, ct_send_id(tx, 0x100 + i));
		ASSERT_EQ(0, close(tx));
	}
	ASSERT_EQ(0, barrier());
	for (i = 0; i < 20; i++)
		EXPECT_FRAME(rx, 0x100 + i, bench.a);
	EXPECT_NOTHING(rx);
}

TEST_F(close, and_open_repeatedly_leaks_nothing)
{
	int fd, round;

	for (round = 0; round < 50; round++) {
		fd = CT_OK(ct_raw_open(round % 2 ? bench.a : 0));
		EXPECT_NOTHING(fd);
		ASSERT_EQ(0, send_both());
		EXPECT_FRAME(fd, 0x0a, bench.a);
		ASSERT_EQ(0, close(fd));
	}
	EXPECT_EQ(0, ct_link_del("vcan0"));
}

/* two namespaces, each with interfaces of the same names and indices */
FIXTURE(netns) {
	struct bench here, there;
	int netns_here, netns_there;
};

FIXTURE_SETUP(netns)
{
	ASSERT_EQ(0, bench_open());
	self->here = bench;
	self->netns_here = CT_OK(ct_netns_get());
	ASSERT_EQ(0, bench_open());
	self->there = bench;
	self->netns_there = CT_OK(ct_netns_get());
	/* otherwise the tests would show less than they promise */
	ASSERT_EQ(self->here.a, self->there.a);
	ASSERT_EQ(self->here.b, self->there.b);
}

FIXTURE_TEARDOWN(netns) { }

static int send_both_of(struct bench of)
{
	bench = of;
	return send_both();
}

TEST_F(netns, frames_do_not_cross)
{
	int one, any;

	ASSERT_EQ(0, ct_netns_set(self->netns_here));
	one = CT_OK(ct_raw_open(self->here.a));
	any = CT_OK(ct_raw_open(0));

	ASSERT_EQ(0, send_both_of(self->there));
	EXPECT_NOTHING(one);
	EXPECT_NOTHING(any);
	ASSERT_EQ(0, send_both_of(self->here));
	EXPECT_FRAME(one, 0x0a, self->here.a);
	EXPECT_NOTHING(one);
	EXPECT_FRAME(any, 0x0a, self->here.a);
	EXPECT_FRAME(any, 0x0b, self->here.b);
	EXPECT_NOTHING(any);
}

TEST_F(netns, events_do_not_cross)
{
	int fd;

	ASSERT_EQ(0, ct_netns_set(self->netns_here));
	fd = CT_OK(ct_raw_open(self->here.a));
	ASSERT_EQ(0, ct_netns_set(self->netns_there));
	ASSERT_EQ(0, ct_link_up("vcan0", false));
	ASSERT_EQ(0, ct_link_del("vcan0"));
	EXPECT_EQ(0, socket_error(fd));
	EXPECT_EQ(self->here.a, bound_to(fd));
	ASSERT_EQ(0, send_both_of(self->here));
	EXPECT_FRAME(fd, 0x0a, self->here.a);
}

TEST_F(netns, socket_stays_in_its_namespace)
{
	int fd, extra;

	ASSERT_EQ(0, ct_netns_set(self->netns_here));
	fd = CT_OK(ct_raw_socket());
	ASSERT_EQ(0, ct_netns_set(self->netns_there));
	extra = CT_OK(ct_vcan_add("extra", CAN_MTU));

	/* the namespace of its caller does not matter */
	EXPECT_EQ(-ENODEV, ct_raw_bind(fd, extra));
	EXPECT_EQ(-ENXIO, ct_send_id_to(fd, extra, 0x123));
	EXPECT_EQ(0, ct_raw_bind(fd, self->here.a));
	ASSERT_EQ(0, send_both_of(self->there));
	EXPECT_NOTHING(fd);
	ASSERT_EQ(0, send_both_of(self->here));
	EXPECT_FRAME(fd, 0x0a, self->here.a);
}

TEST_F(netns, vxcan_connects_namespaces)
{
	int left, right, fd_left, fd_right;

	/* the caller is there; the other end goes here */
	left = CT_OK(ct_vxcan_add("vxcan0", "vxcan0", self->netns_here, CAN_MTU));
	fd_left = CT_OK(ct_raw_open(left));
	ASSERT_EQ(0, ct_netns_set(self->netns_here));
	right = if_nametoindex("vxcan0");
	ASSERT_LT(0, right);
	fd_right = CT_OK(ct_raw_open(right));

	ASSERT_EQ(0, ct_send_id(fd_left, 0x123));
	ASSERT_EQ(0, ct_send_id(fd_right, 0x124));
	ASSERT_EQ(0, ct_barrier(self->here.tx, self->here.witness));
	EXPECT_FRAME(fd_right, 0x123, right);
	EXPECT_FRAME(fd_left, 0x124, left);
	EXPECT_NOTHING(fd_left);
	EXPECT_NOTHING(fd_right);

	/* both ends are removed, here and there */
	ASSERT_EQ(0, ct_link_del("vxcan0"));
	EXPECT_EQ(-ENODEV, socket_error(fd_left));
	EXPECT_EQ(-ENODEV, socket_error(fd_right));
}

TEST_HARNESS_MAIN
