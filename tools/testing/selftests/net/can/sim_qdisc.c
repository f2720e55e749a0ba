// SPDX-License-Identifier: GPL-2.0-only
/*
 * The queueing discipline can_prio on a simulated controller: the order in which waiting frames
 * are sent, what happens when there are too many, and when they have waited for too long.
 *
 * While the interrupts of the controller are held back, its driver has some frames, and all
 * others wait in the queue. So each case first sends frames of the lowest priority. Nothing
 * depends on how many of these the driver takes. Needs the patched modules.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/bcm.h>
#include <linux/can/raw.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include "simtest.h"
#include "cgw.h"
#include "qdisc.h"

#define BITRATE		1000000
#define SLOW_BITRATE	100000
#define NODES		"generator.gen"
#define GEN		BUS "/" NODES

/* Frames of the lowest priority: more than any driver takes */
#define FILLERS		8
#define FILLER_ID	(CAN_EFF_FLAG | 0x1fffffff)

/* Frames of all senders, before shares count, as the kernel defines it */
#define GLOBAL_LIMIT	16384

#define LONG_TEST	900

#define EFF		CAN_EFF_FLAG
#define RTR		CAN_RTR_FLAG

static const canid_t ids[] = {
	0x000, 0x001, 0x123, 0x124, 0x7ff, RTR | 0x001, RTR | 0x123, RTR | 0x7ff,
	EFF | 0, EFF | 1, EFF | 0x123 << 18, EFF | 0x123 << 18 | 1, EFF | 0x123 << 18 | 0x3ffff,
	EFF | 0x122 << 18 | 0x3ffff, EFF | RTR | 1, EFF | RTR | 0x123 << 18, EFF | 0x1ffffffe,
	EFF | RTR | 0x1ffffffe,
};

static void numbered_frame(struct can_frame *frame, canid_t id, int number)
{
	memset(frame, 0, sizeof(*frame));
	frame->can_id = id;
	if (id & RTR)
		return;
	frame->len = sizeof(number);
	memcpy(frame->data, &number, sizeof(number));
}

static int number_of(const struct can_frame *frame)
{
	int number;

	memcpy(&number, frame->data, sizeof(number));
	return number;
}

static int send_numbered(int fd, canid_t id, int number)
{
	struct can_frame frame;

	numbered_frame(&frame, id, number);
	return ct_send(fd, &frame, sizeof(frame));
}

static int send_now(int fd, canid_t id, int number)
{
	struct can_frame frame;

	numbered_frame(&frame, id, number);
	return send(fd, &frame, sizeof(frame), MSG_DONTWAIT) < 0 ? -errno : 0;
}

static int receive(int fd, struct can_frame *frame)
{
	ssize_t len = ct_recv(fd, frame, sizeof(*frame), CT_TIMEOUT_MS);

	return len == sizeof(*frame) ? 0 : len < 0 ? (int)len : -EBADMSG;
}

/* A socket that receives nothing, with room for many frames in its SO_SNDBUF */
static int sender(int bytes)
{
	int fd = ct_raw_open(if_nametoindex(CHIP_IF));

	if (fd < 0 || ct_raw_filters(fd, NULL, 0))
		return -EIO;
	if (bytes && setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		return -errno;
	return fd;
}

struct queue {
	char path[64];
	int fd;		/* sends */
	int witness;	/* receives all frames when they have been sent */
};

/* With the interrupts held, and with frames of the lowest priority */
static void hold(struct __test_metadata *_metadata, struct queue *queue)
{
	int i;

	ASSERT_EQ(0, sim_set(queue->path, "irq_hold", "1"));
	for (i = 0; i < FILLERS; i++)
		ASSERT_EQ(0, send_numbered(queue->fd, FILLER_ID, i));
}

static void release(struct __test_metadata *_metadata, struct queue *queue)
{
	ASSERT_EQ(0, sim_set(queue->path, "irq_hold", "0"));
}

/* Frames of hold() that the driver has taken come first. Returns how many. */
static int skip_fillers(struct __test_metadata *_metadata, struct queue *queue,
			struct can_frame *next)
{
	int count = 0;

	do {
		ASSERT_EQ(0, receive(queue->witness, next));
	} while (next->can_id == FILLER_ID && ++count);
	EXPECT_LT(0, count);
	EXPECT_GT(FILLERS, count);
	return count;
}

static void setup(struct __test_metadata *_metadata, struct queue *queue, const char *kind,
		  unsigned int bitrate)
{
	queue->fd = -1;
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("sch_can_prio"))
		SKIP(return, "no can_prio");
	if (!sim_open_chip(_metadata, NODES, kind, queue->path))
		return;
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%u", bitrate));
	ASSERT_EQ(0, sim_slow_down(BUS));
	queue->witness = CT_OK(sim_start(bitrate, "", 0, true));
	ASSERT_EQ(0, qd_replace(CHIP_IF, "can_prio"));
	queue->fd = CT_OK(sender(4000000));
}

FIXTURE(order) {
	struct queue queue;
};

SIM_CHIP_VARIANTS(order);

FIXTURE_SETUP(order)
{
	setup(_metadata, &self->queue, variant->chip->kind, BITRATE);
}

SIM_TEARDOWN(order)

/* Insertion sort is stable: frames of the same identifier stay in the order of write(). */
static void sort_by_wire(struct can_frame *frames, int count)
{
	struct can_frame frame;
	unsigned int bit;
	int i, k;

	for (i = 1; i < count; i++) {
		frame = frames[i];
		for (k = i; k && sim_wire_compare(&frame, &frames[k - 1], &bit) < 0; k--)
			frames[k] = frames[k - 1];
		frames[k] = frame;
	}
}

#define ORDER_FRAMES	200

TEST_F_TIMEOUT(order, waiting_frames_are_sent_in_bus_order, LONG_TEST)
{
	struct can_frame frames[ORDER_FRAMES], got;
	uint32_t random = 1;
	int i;

	hold(_metadata, &self->queue);
	for (i = 0; i < ORDER_FRAMES; i++) {
		numbered_frame(&frames[i], ids[ct_random(&random) % ARRAY_SIZE(ids)], i);
		ASSERT_EQ(0, ct_send(self->queue.fd, &frames[i], sizeof(frames[i])));
	}
	sort_by_wire(frames, ORDER_FRAMES);
	release(_metadata, &self->queue);

	skip_fillers(_metadata, &self->queue, &got);
	for (i = 0; i < ORDER_FRAMES; i++) {
		if (i)
			ASSERT_EQ(0, receive(self->queue.witness, &got));
		ASSERT_EQ(frames[i].can_id, got.can_id) TH_LOG("frame %d", i);
		ASSERT_EQ(0, memcmp(&frames[i], &got, sizeof(got))) TH_LOG("frame %d", i);
	}
	EXPECT_EQ(0, qd_await_uncharged(self->queue.fd));
}

/* An urgent frame that comes later is sent before those that wait. */
TEST_F_TIMEOUT(order, urgent_frame_passes_those_that_wait, LONG_TEST)
{
	struct can_frame got;
	int other, i;

	other = CT_OK(sender(0));
	hold(_metadata, &self->queue);
	for (i = 0; i < 50; i++)
		ASSERT_EQ(0, send_numbered(self->queue.fd, 0x700, i));
	ASSERT_EQ(0, send_numbered(other, 0x001, 0));
	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	EXPECT_EQ(0x001u, got.can_id);
	for (i = 0; i < 50; i++) {
		ASSERT_EQ(0, receive(self->queue.witness, &got));
		EXPECT_EQ(0x700u, got.can_id);
		EXPECT_EQ(i, number_of(&got));
	}
}

FIXTURE(queue) {
	struct queue queue;
};

FIXTURE_SETUP(queue)
{
	setup(_metadata, &self->queue, "sja1000", BITRATE);
}

SIM_TEARDOWN(queue)

/* A socket offers 100 times as many frames as another one: they take turns. */
TEST_F_TIMEOUT(queue, sockets_with_one_identifier_take_turns, LONG_TEST)
{
	static const int count[] = { 200, 2, 40 };
	int fd[ARRAY_SIZE(count)], sent[ARRAY_SIZE(count)] = { };
	struct can_frame got;
	int i, k, left = 0;

	for (i = 0; i < (int)ARRAY_SIZE(count); i++) {
		fd[i] = CT_OK(sender(4000000));
		left += count[i];
	}
	hold(_metadata, &self->queue);
	for (i = 0; i < (int)ARRAY_SIZE(count); i++)
		for (k = 0; k < count[i]; k++)
			ASSERT_EQ(0, send_numbered(fd[i], 0x100, i << 16 | k));
	release(_metadata, &self->queue);

	skip_fillers(_metadata, &self->queue, &got);
	for (i = 0; left; i = (i + 1) % ARRAY_SIZE(count)) {
		if (sent[i] == count[i])
			continue;
		ASSERT_EQ(0x100u, got.can_id);
		ASSERT_EQ(i << 16 | sent[i], number_of(&got));
		sent[i]++;
		left--;
		ASSERT_EQ(0, receive(self->queue.witness, &got));
	}
	EXPECT_EQ(FILLER_ID, got.can_id);
}

TEST_F_TIMEOUT(queue, full_socket_gets_EAGAIN_and_is_woken, LONG_TEST)
{
	struct pollfd poll_fd = { .events = POLLOUT };
	struct can_frame got;
	int fd, err, count = 0, i;
	struct qd_stats stats;

	fd = CT_OK(sender(0));
	poll_fd.fd = fd;
	hold(_metadata, &self->queue);
	EXPECT_EQ(1, poll(&poll_fd, 1, 0));
	do {
		err = send_now(fd, 0x100, count);
	} while (!err && ++count);
	EXPECT_EQ(-EAGAIN, err);
	/* the default SO_SNDBUF */
	EXPECT_LT(100, count);
	TH_LOG("%d frames fill SO_SNDBUF", count);
	EXPECT_EQ(0, poll(&poll_fd, 1, 0));
	/* this is nothing to others */
	ASSERT_EQ(0, send_now(self->queue.fd, 0x101, 0));
	release(_metadata, &self->queue);
	ASSERT_EQ(1, poll(&poll_fd, 1, CT_TIMEOUT_MS));
	EXPECT_EQ(POLLOUT, poll_fd.revents);
	ASSERT_EQ(0, send_now(fd, 0x100, count++));
	skip_fillers(_metadata, &self->queue, &got);
	for (i = 0; i < count; ) {
		if (got.can_id == 0x100) {
			ASSERT_EQ(i, number_of(&got));
			i++;
		}
		if (i < count)
			ASSERT_EQ(0, receive(self->queue.witness, &got));
	}
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(0, stats.drops);
}

struct writer {
	int fd;
	int tid;
	int count;
	int err;
	int refused;
	pthread_t thread;
};

static void *writer_run(void *data)
{
	struct writer *writer = data;
	int i;

	__atomic_store_n(&writer->tid, gettid(), __ATOMIC_RELEASE);
	for (i = 0; i < writer->count && !writer->err; i++)
		writer->err = send_numbered(writer->fd, 0x100, i);
	return NULL;
}

static int writer_start(struct writer *writer, int fd, int count)
{
	*writer = (struct writer) { .fd = fd, .count = count };
	return -pthread_create(&writer->thread, NULL, writer_run, writer);
}

/* Wait until a thread sleeps */
static int await_sleep(const struct writer *writer)
{
	char path[64], state;
	FILE *file;
	int i;

	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		usleep(1000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat",
			 __atomic_load_n(&writer->tid, __ATOMIC_ACQUIRE));
		file = fopen(path, "r");
		if (!file)
			continue;
		state = 0;
		if (fscanf(file, "%*d %*s %c", &state) != 1)
			state = 0;
		fclose(file);
		if (state == 'S')
			return 0;
	}
	return -ETIMEDOUT;
}

TEST_F_TIMEOUT(queue, blocking_writer_waits_for_room, LONG_TEST)
{
	struct writer writer;
	struct can_frame got;
	int fd, i, full;

	fd = CT_OK(sender(0));
	hold(_metadata, &self->queue);
	ASSERT_EQ(0, writer_start(&writer, fd, 1000));
	ASSERT_EQ(0, await_sleep(&writer));
	full = qd_charged(fd);
	EXPECT_LT(0, full);
	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	for (i = 0; i < 1000; ) {
		if (got.can_id == 0x100) {
			ASSERT_EQ(i, number_of(&got));
			i++;
		}
		if (i < 1000)
			ASSERT_EQ(0, receive(self->queue.witness, &got));
	}
	ASSERT_EQ(0, pthread_join(writer.thread, NULL));
	EXPECT_EQ(0, writer.err);
	EXPECT_EQ(0, qd_await_uncharged(fd));
}

/* SIM_FRAMES=1000000 for a long run */
TEST_F_TIMEOUT(queue, blocking_writer_loses_nothing, 7200)
{
	int count = ct_env("SIM_FRAMES", 10000), fd, i;
	struct qd_stats stats;
	struct writer writer;
	struct can_frame got;

	fd = CT_OK(sender(0));
	ASSERT_EQ(0, writer_start(&writer, fd, count));
	for (i = 0; i < count; i++) {
		ASSERT_EQ(0, receive(self->queue.witness, &got)) TH_LOG("frame %d", i);
		ASSERT_EQ(i, number_of(&got));
	}
	ASSERT_EQ(0, pthread_join(writer.thread, NULL));
	EXPECT_EQ(0, writer.err);
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(0, stats.drops);
	EXPECT_EQ(0, stats.qlen);
}

static int bcm_open(void)
{
	struct sockaddr_can addr = { .can_family = AF_CAN };
	int fd = socket(PF_CAN, SOCK_DGRAM | SOCK_CLOEXEC, CAN_BCM);

	if (fd < 0)
		return -errno;
	addr.can_ifindex = if_nametoindex(CHIP_IF);
	return connect(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : fd;
}

static int bcm_send(int fd, canid_t id, int number)
{
	struct {
		struct bcm_msg_head head;
		struct can_frame frame;
	} message = { .head = { .opcode = TX_SEND, .nframes = 1 } };

	numbered_frame(&message.frame, id, number);
	return write(fd, &message, sizeof(message)) < 0 ? -errno : 0;
}

/* Frames of the broadcast manager are not charged to its socket. */
TEST_F_TIMEOUT(queue, uncharged_senders_have_a_limit_each, LONG_TEST)
{
	int first, second, count = 0, err, i;
	struct qd_stats stats;
	struct can_frame got;

	if (ct_module("can-bcm"))
		SKIP(return, "no can-bcm");
	ASSERT_EQ(0, ct_link_queue(CHIP_IF, 20));
	ASSERT_EQ(0, qd_replace(CHIP_IF, "can_prio"));
	first = CT_OK(bcm_open());
	second = CT_OK(bcm_open());
	hold(_metadata, &self->queue);
	do {
		/* with all identifiers together */
		err = bcm_send(first, 0x200 + count % 3, count);
	} while (!err && ++count < 1000);
	EXPECT_EQ(-ENOBUFS, err);
	EXPECT_EQ(20, count);
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(1, stats.refused_sender);
	EXPECT_EQ(1, stats.drops);

	/* others are not affected */
	EXPECT_EQ(0, bcm_send(second, 0x300, 0));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, send_numbered(self->queue.fd, 0x400, i));
	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	for (i = 0; i < 20; i++) {
		EXPECT_EQ(0x200u, got.can_id & ~3u);
		ASSERT_EQ(0, receive(self->queue.witness, &got));
	}
	EXPECT_EQ(0x300u, got.can_id);
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, receive(self->queue.witness, &got));
		EXPECT_EQ(0x400u, got.can_id);
		EXPECT_EQ(i, number_of(&got));
	}
}

#define ROUTE_IF	"simvcan0"

TEST_F_TIMEOUT(queue, gateway_has_a_limit, LONG_TEST)
{
	struct cgw_rule rule = { .flags = CGW_FLAGS_CAN_ECHO };
	struct qd_stats stats;
	struct can_frame got;
	int route, i;

	if (ct_module("can-gw"))
		SKIP(return, "no can-gw");
	rule.src = CT_OK(ct_vcan_add(ROUTE_IF, CAN_MTU));
	rule.dst = if_nametoindex(CHIP_IF);
	ASSERT_EQ(0, ct_pin_cpu());
	route = CT_OK(ct_raw_open(rule.src));
	ASSERT_EQ(0, ct_link_queue(CHIP_IF, 5));
	ASSERT_EQ(0, qd_replace(CHIP_IF, "can_prio"));
	ASSERT_EQ(0, cgw_add(&rule));
	hold(_metadata, &self->queue);
	for (i = 0; i < 9; i++)
		ASSERT_EQ(0, send_numbered(route, 0x200, i));
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(4, stats.refused_sender);
	EXPECT_EQ(4, stats.drops);
	ASSERT_EQ(0, send_numbered(self->queue.fd, 0x400, 0));
	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	for (i = 0; i < 5; i++) {
		EXPECT_EQ(0x200u, got.can_id);
		EXPECT_EQ(i, number_of(&got));
		ASSERT_EQ(0, receive(self->queue.witness, &got));
	}
	EXPECT_EQ(0x400u, got.can_id);
	ASSERT_EQ(0, ct_link_del(ROUTE_IF));
}

/* At the limit, a user with many frames is refused, and another one is not. */
TEST_F_TIMEOUT(queue, full_queue_has_room_for_other_users, LONG_TEST)
{
	int fd, second, other, third, count = 0, err, i;
	struct qd_stats stats;

	fd = CT_OK(sender(1 << 28));
	second = CT_OK(sender(1 << 28));
	ASSERT_EQ(0, seteuid(65534));
	other = ct_raw_open(if_nametoindex(CHIP_IF));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_LE(0, other);
	ASSERT_EQ(0, seteuid(65533));
	third = ct_raw_open(if_nametoindex(CHIP_IF));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_LE(0, third);
	ASSERT_EQ(0, ct_sock_set(third, SO_SNDBUFFORCE, 1 << 28));

	ASSERT_EQ(0, sim_set(self->queue.path, "irq_hold", "1"));
	do {
		err = send_now(fd, 0x100 + count % 256, count);
	} while (!err && ++count < 2 * GLOBAL_LIMIT);
	EXPECT_EQ(-ENOBUFS, err);
	EXPECT_LE(GLOBAL_LIMIT, count);
	EXPECT_GE(GLOBAL_LIMIT + FILLERS, count);
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(GLOBAL_LIMIT, stats.qlen);
	EXPECT_EQ(1, stats.refused_limit);
	EXPECT_EQ(1, stats.drops);

	for (i = 0; i < 200; i++)
		ASSERT_EQ(0, send_now(other, 0x001, i));
	/* half of the half of that user */
	for (i = 0; i < GLOBAL_LIMIT / 4; i++)
		ASSERT_EQ(0, send_now(second, 0x001, i));
	EXPECT_EQ(-ENOBUFS, send_now(second, 0x001, i));
	EXPECT_EQ(-ENOBUFS, send_now(fd, 0x001, i));
	EXPECT_EQ(0, send_now(other, 0x001, i));

	/* another user has a third, and no less because of the two sockets of the first */
	for (i = 0; i < GLOBAL_LIMIT / 3; i++)
		ASSERT_EQ(0, send_now(third, 0x001, i));
	EXPECT_EQ(-ENOBUFS, send_now(third, 0x001, i));
	EXPECT_EQ(0, send_now(other, 0x001, i));

	ASSERT_EQ(0, qd_delete(CHIP_IF));
	EXPECT_EQ(0, qd_await_uncharged(fd));
	EXPECT_EQ(0, qd_await_uncharged(second));
	EXPECT_EQ(0, qd_await_uncharged(other));
	EXPECT_EQ(0, qd_await_uncharged(third));
}

/* Also while nobody dequeues, because the device's queue is stopped */
TEST_F_TIMEOUT(queue, frames_are_dropped_after_their_lifetime, LONG_TEST)
{
	struct qd_stats stats;
	struct can_frame got;
	int fd, i;

	fd = CT_OK(sender(0));
	hold(_metadata, &self->queue);
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	ASSERT_EQ(0, qd_lifetime(CHIP_IF, 20000000));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, send_numbered(fd, 0x100 + i % 7, i));
	ASSERT_EQ(0, qd_await_uncharged(fd));
	/* those before had none */
	ASSERT_EQ(0, qd_await(CHIP_IF, stats.qlen));
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(100, stats.expired);
	EXPECT_EQ(100, stats.drops);
	EXPECT_EQ(100, stats.overlimits);

	ASSERT_EQ(0, qd_lifetime(CHIP_IF, 0));
	ASSERT_EQ(0, send_numbered(fd, 0x7ff, 1000));
	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	EXPECT_EQ(0x7ffu, got.can_id);
	EXPECT_EQ(1000, number_of(&got));
}

TEST_F_TIMEOUT(queue, frames_within_their_lifetime_are_sent, LONG_TEST)
{
	struct qd_stats stats;
	struct can_frame got;
	int i;

	hold(_metadata, &self->queue);
	ASSERT_EQ(0, qd_lifetime(CHIP_IF, CAN_PRIO_MAX_LIFETIME));
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, send_numbered(self->queue.fd, 0x100 + i % 5, i));
	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	for (i = 0; i < 100; i++) {
		EXPECT_EQ(0x100u + i / 20, got.can_id);
		EXPECT_EQ(i % 20 * 5 + i / 20, number_of(&got));
		ASSERT_EQ(0, receive(self->queue.witness, &got));
	}
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(0, stats.drops);
}

static int send_until(int fd, canid_t id, int number, int64_t deadline)
{
	struct can_frame frame;

	numbered_frame(&frame, id, number);
	return qd_send_until(fd, &frame, deadline);
}

/* The next report in the error queue, and the number of its frame */
static int read_report(int fd, struct sock_extended_err *report, int *number)
{
	struct pollfd poll_fd = { .fd = fd };
	struct can_frame frame;
	char control[256];
	struct iovec iov = { &frame, sizeof(frame) };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;

	if (poll(&poll_fd, 1, CT_TIMEOUT_MS) != 1)
		return -ETIMEDOUT;
	if (recvmsg(fd, &message, MSG_ERRQUEUE) != sizeof(frame))
		return -errno;
	*number = number_of(&frame);
	for (cmsg = CMSG_FIRSTHDR(&message); cmsg; cmsg = CMSG_NXTHDR(&message, cmsg)) {
		if (cmsg->cmsg_level != SOL_CAN_RAW || cmsg->cmsg_type != SCM_CAN_RAW_ERRQUEUE)
			continue;
		memcpy(report, CMSG_DATA(cmsg), sizeof(*report));
		return 0;
	}
	return -ENODATA;
}

FIXTURE(txtime) {
	struct queue queue;
};

FIXTURE_VARIANT(txtime) {
	clockid_t clock;
};

FIXTURE_VARIANT_ADD(txtime, monotonic) { CLOCK_MONOTONIC };
FIXTURE_VARIANT_ADD(txtime, realtime) { CLOCK_REALTIME };
FIXTURE_VARIANT_ADD(txtime, tai) { CLOCK_TAI };

FIXTURE_SETUP(txtime)
{
	setup(_metadata, &self->queue, "sja1000", BITRATE);
}

SIM_TEARDOWN(txtime)

TEST_F_TIMEOUT(txtime, deadline_of_a_frame, LONG_TEST)
{
	int64_t start = ct_clock(variant->clock), hour = 3600000000000LL;
	struct sock_extended_err report;
	struct qd_stats stats;
	struct can_frame got;
	int fd, number;

	fd = CT_OK(sender(0));
	ASSERT_EQ(0, qd_txtime(fd, variant->clock,
			       SOF_TXTIME_DEADLINE_MODE | SOF_TXTIME_REPORT_ERRORS));
	hold(_metadata, &self->queue);
	/* the first one has passed, and the second one will pass while the frame waits */
	ASSERT_EQ(0, send_until(fd, 0x100, 1, start - 1000));
	ASSERT_EQ(0, send_until(fd, 0x101, 2, start + 50000000));
	ASSERT_EQ(0, send_until(fd, 0x102, 3, start + hour));
	ASSERT_EQ(0, send_numbered(fd, 0x103, 4));

	ASSERT_EQ(0, read_report(fd, &report, &number));
	EXPECT_EQ(1, number);
	EXPECT_EQ((unsigned int)ECANCELED, report.ee_errno);
	EXPECT_EQ(SO_EE_ORIGIN_TXTIME, report.ee_origin);
	EXPECT_EQ(SO_EE_CODE_TXTIME_MISSED, report.ee_code);
	ASSERT_EQ(0, read_report(fd, &report, &number));
	EXPECT_EQ(2, number);
	EXPECT_EQ(start + 50000000, (int64_t)((uint64_t)report.ee_data << 32 | report.ee_info));
	EXPECT_LE(start + 50000000, ct_clock(variant->clock));

	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	EXPECT_EQ(0x102u, got.can_id);
	ASSERT_EQ(0, receive(self->queue.witness, &got));
	EXPECT_EQ(0x103u, got.can_id);
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(2, stats.expired);
	EXPECT_EQ(2, stats.drops);
}

#define CROWD_SOCKETS	8
#define CROWD_FRAMES	250

/* More at a time than the discipline drops at once */
TEST_F_TIMEOUT(queue, many_frames_with_one_deadline, LONG_TEST)
{
	int64_t deadline = ct_clock(CLOCK_MONOTONIC) + 200000000;
	struct qd_stats stats;
	int fd[CROWD_SOCKETS];
	struct can_frame got;
	int i, k;

	for (i = 0; i < CROWD_SOCKETS; i++) {
		fd[i] = CT_OK(sender(4000000));
		ASSERT_EQ(0, qd_txtime(fd[i], CLOCK_MONOTONIC, SOF_TXTIME_DEADLINE_MODE));
	}
	hold(_metadata, &self->queue);
	for (k = 0; k < CROWD_FRAMES; k++)
		for (i = 0; i < CROWD_SOCKETS; i++)
			ASSERT_EQ(0, send_until(fd[i], ids[k % ARRAY_SIZE(ids)], k, deadline));
	TH_LOG("%lld us are left", (long long)(deadline - ct_clock(CLOCK_MONOTONIC)) / 1000);
	while (ct_clock(CLOCK_MONOTONIC) < deadline)
		;
	/* from now on, none of them may be sent, even if they have not been dropped yet */
	ASSERT_EQ(0, send_numbered(fd[0], FILLER_ID - 1, 1));
	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	EXPECT_EQ(FILLER_ID - 1, got.can_id);
	EXPECT_EQ(1, number_of(&got));
	for (i = 0; i < CROWD_SOCKETS; i++)
		EXPECT_EQ(0, qd_await_uncharged(fd[i]));
	ASSERT_EQ(0, qd_await(CHIP_IF, 0));
	ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
	EXPECT_EQ(CROWD_SOCKETS * CROWD_FRAMES, stats.expired);
	EXPECT_EQ(CROWD_SOCKETS * CROWD_FRAMES, stats.drops);
	EXPECT_EQ(CROWD_SOCKETS * CROWD_FRAMES, stats.overlimits);
	EXPECT_EQ(0, stats.backlog);
}

/* Without the deadline mode, the time is when to send, which other qdiscs do. */
TEST_F_TIMEOUT(queue, launch_times_are_no_deadlines, LONG_TEST)
{
	struct can_frame got;
	int fd;

	fd = CT_OK(sender(0));
	ASSERT_EQ(0, qd_txtime(fd, CLOCK_MONOTONIC, 0));
	hold(_metadata, &self->queue);
	ASSERT_EQ(0, send_until(fd, 0x100, 1, 1000));
	release(_metadata, &self->queue);
	skip_fillers(_metadata, &self->queue, &got);
	EXPECT_EQ(0x100u, got.can_id);
}

/* What is without can_prio, and with it: a program keeps the queue full with frames of low
 * priority, and another one sends an urgent frame now and then.
 */
FIXTURE(compare) {
	struct queue queue;
};

FIXTURE_VARIANT(compare) {
	const char *kind;
	unsigned int length;
};

FIXTURE_VARIANT_ADD(compare, queue_of_10) { "pfifo_fast", 10 };
FIXTURE_VARIANT_ADD(compare, queue_of_1000) { "pfifo_fast", 1000 };
FIXTURE_VARIANT_ADD(compare, can_prio) { "can_prio", 10 };

FIXTURE_SETUP(compare)
{
	setup(_metadata, &self->queue, "sja1000", SLOW_BITRATE);
	if (self->queue.fd < 0)
		return;
	ASSERT_EQ(0, ct_link_queue(CHIP_IF, variant->length));
	if (strcmp(variant->kind, "can_prio"))
		ASSERT_EQ(0, qd_delete(CHIP_IF));
}

SIM_TEARDOWN(compare)

/* When the interrupt handler saw that the frame was sent that was read last */
static int64_t last_stamp(int fd)
{
	struct timespec ts;

	if (ioctl(fd, SIOCGSTAMPNS, &ts))
		return -errno;
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

#define BULK_FRAMES	1000
#define URGENT_FRAMES	20

static void *bulk_run(void *data)
{
	struct writer *writer = data;
	int i;

	for (i = 0; i < BULK_FRAMES; i++) {
		writer->err = send_numbered(writer->fd, 0x700, i);
		if (writer->err == -ENOBUFS) {
			writer->refused++;
			/* what programs do: until there may be room */
			usleep(1000);
		}
	}
	return NULL;
}

TEST_F_TIMEOUT(compare, urgent_frame_behind_others, LONG_TEST)
{
	struct writer bulk = { .fd = CT_OK(sender(0)) };
	int urgent = CT_OK(sender(0)), i, passed, late, most = 0, most_late = 0, refused = 0;
	bool prio = !strcmp(variant->kind, "can_prio");
	struct can_frame got;
	int64_t queued;
	int depth = 0;

	if (prio) {
		/* as many as the driver has before the first that waits */
		hold(_metadata, &self->queue);
		ASSERT_EQ(0, send_numbered(urgent, 0x001, 0));
		release(_metadata, &self->queue);
		depth = skip_fillers(_metadata, &self->queue, &got);
		ASSERT_EQ(0x001u, got.can_id);
		TH_LOG("the driver has %d frames", depth);
	}
	/* from now on, the socket keeps the time of the frame that was read last */
	last_stamp(self->queue.witness);
	ASSERT_EQ(0, pthread_create(&bulk.thread, NULL, bulk_run, &bulk));
	/* until the queue is full */
	for (i = 0; i < 300; i++)
		ASSERT_EQ(0, receive(self->queue.witness, &got));
	for (i = 0; i < URGENT_FRAMES; i++) {
		/* those that have been sent before */
		while (ct_recv(self->queue.witness, &got, sizeof(got), 0) > 0)
			;
		if (send_now(urgent, 0x001, i)) {
			refused++;
			ASSERT_EQ(0, receive(self->queue.witness, &got));
			continue;
		}
		queued = ct_clock(CLOCK_REALTIME);
		passed = 0;
		late = 0;
		while (1) {
			ASSERT_EQ(0, receive(self->queue.witness, &got));
			if (got.can_id == 0x001)
				break;
			passed++;
			if (last_stamp(self->queue.witness) > queued)
				late++;
		}
		if (passed > most)
			most = passed;
		if (late > most_late)
			most_late = late;
	}
	TH_LOG("%d of %d urgent frames got ENOBUFS", refused, URGENT_FRAMES);
	TH_LOG("at most %d frames were sent before an urgent one", most);
	TH_LOG("at most %d of them when it was in the queue", most_late);
	TH_LOG("the other program got ENOBUFS %d times", bulk.refused);
	if (prio) {
		EXPECT_EQ(0, refused);
		EXPECT_EQ(0, bulk.refused);
		/* Others may be sent before send() does it. Then, only what the driver has. */
		EXPECT_GE(depth, most_late);
	}
	close(bulk.fd);
	pthread_join(bulk.thread, NULL);
}

enum end { END_DELETE, END_REPLACE, END_DOWN, END_UNBIND };

FIXTURE(end) {
	struct queue queue;
};

FIXTURE_VARIANT(end) {
	enum end end;
	uint64_t lifetime;
};

FIXTURE_VARIANT_ADD(end, deleted) { END_DELETE, 0 };
FIXTURE_VARIANT_ADD(end, replaced) { END_REPLACE, 1000000000 };
FIXTURE_VARIANT_ADD(end, down) { END_DOWN, 0 };
FIXTURE_VARIANT_ADD(end, down_with_lifetime) { END_DOWN, 1000000 };
FIXTURE_VARIANT_ADD(end, unbound) { END_UNBIND, 1000000000 };

FIXTURE_SETUP(end)
{
	setup(_metadata, &self->queue, "sja1000", BITRATE);
}

SIM_TEARDOWN(end)

/* No frame keeps SO_SNDBUF occupied, and the next ones are sent. */
TEST_F_TIMEOUT(end, waiting_frames_are_freed, LONG_TEST)
{
	struct can_frame got;
	int fd, i;

	fd = CT_OK(sender(0));
	ASSERT_EQ(0, qd_lifetime(CHIP_IF, variant->lifetime));
	hold(_metadata, &self->queue);
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, send_numbered(fd, ids[i % ARRAY_SIZE(ids)], i));
	switch (variant->end) {
	case END_DELETE:
		ASSERT_EQ(0, qd_delete(CHIP_IF));
		break;
	case END_REPLACE:
		ASSERT_EQ(0, qd_replace(CHIP_IF, "pfifo"));
		break;
	case END_DOWN:
		ASSERT_EQ(0, sim_link_down(CHIP_IF));
		break;
	case END_UNBIND:
		ASSERT_EQ(0, sim_live(BUS, false));
		break;
	}
	EXPECT_EQ(0, qd_await_uncharged(fd));
	EXPECT_EQ(0, qd_await_uncharged(self->queue.fd));
	if (variant->end == END_UNBIND)
		return;
	release(_metadata, &self->queue);
	if (variant->end == END_DOWN) {
		ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
		/* sockets are told once */
		EXPECT_EQ(-ENETDOWN, send_numbered(fd, 0x321, 0));
		EXPECT_EQ(-ENETDOWN, receive(self->queue.witness, &got));
	}
	ASSERT_EQ(0, send_numbered(fd, 0x321, 0));
	do {
		ASSERT_EQ(0, receive(self->queue.witness, &got));
	} while (got.can_id == FILLER_ID);
	EXPECT_EQ(0x321u, got.can_id);
}

FIXTURE(gone) { };

FIXTURE_SETUP(gone)
{
	char path[64];

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("sch_can_prio"))
		SKIP(return, "no can_prio");
	/* no other node, so none acknowledges */
	if (!sim_open_chip(_metadata, "", "sja1000", path))
		return;
	ASSERT_EQ(0, sim_slow_down(BUS));
}

SIM_TEARDOWN(gone)

/* The timer is armed when the interface goes, or expires just then. */
TEST_F_TIMEOUT(gone, interface_with_waiting_frames, LONG_TEST)
{
	struct qd_stats stats;
	int witness, fd, i, k;

	for (i = 0; i < 20; i++) {
		witness = CT_OK(sim_start(BITRATE, "", 0, false));
		ASSERT_EQ(0, qd_lifetime(CHIP_IF, i % 2 ? CAN_PRIO_MAX_LIFETIME :
							  100000ULL << i / 2));
		fd = CT_OK(sender(0));
		for (k = 0; k < 100; k++)
			ASSERT_EQ(0, send_numbered(fd, ids[k % ARRAY_SIZE(ids)], k));
		ASSERT_EQ(0, qd_stats(CHIP_IF, &stats));
		if (i % 2) {
			EXPECT_EQ(0, stats.expired);
			EXPECT_LT(100 - FILLERS, stats.qlen);
		}
		ASSERT_EQ(0, sim_live(BUS, false));
		EXPECT_EQ(0, qd_await_uncharged(fd));
		close(fd);
		close(witness);
	}
}

TEST_HARNESS_MAIN
