// SPDX-License-Identifier: GPL-2.0-only
/*
 * CAN_RAW socket options, and the parts of a message besides the frame: the
 * local echo, message flags, addresses, truncation, overflow counts, receive
 * and transmit timestamps; for every option, which values are refused, and how it
 * reads back.
 *
 * Frames are sent from one CPU, because vcan keeps the order only within the
 * backlog of one CPU. After ct_barrier() all frames sent before are delivered.
 * Timestamps are compared with the wall clock, which must not be set meanwhile.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include "kselftest_harness.h"
#include "cantest.h"

#define SENTINEL_ID	0x7aa

/* flags of a received frame, by its sender */
#define FROM_HERE	MSG_DONTROUTE
#define FROM_MYSELF	(MSG_DONTROUTE | MSG_CONFIRM)
#define FROM_OUTSIDE	0

/* a frame and the other results of recvmsg() */
struct message {
	struct can_frame frame;
	struct sockaddr_can from;
	socklen_t from_len;
	int flags;
	struct msghdr hdr;
	union {
		char control[512];
		struct cmsghdr align;
	};
};

static ssize_t receive_len(int fd, struct message *message, size_t len,
			   int flags)
{
	short event = flags & MSG_ERRQUEUE ? 0 : POLLIN;
	struct pollfd pfd = { .fd = fd, .events = event };
	struct iovec iov = { .iov_base = &message->frame, .iov_len = len };
	ssize_t got;

	memset(message, 0, sizeof(*message));
	message->hdr.msg_name = &message->from;
	message->hdr.msg_namelen = sizeof(message->from);
	message->hdr.msg_iov = &iov;
	message->hdr.msg_iovlen = 1;
	message->hdr.msg_control = message->control;
	message->hdr.msg_controllen = sizeof(message->control);

	if (!(flags & MSG_DONTWAIT) && poll(&pfd, 1, CT_TIMEOUT_MS) != 1)
		return -ETIMEDOUT;
	got = recvmsg(fd, &message->hdr, flags | MSG_DONTWAIT);
	if (got < 0)
		return -errno;
	message->flags = message->hdr.msg_flags;
	message->from_len = message->hdr.msg_namelen;
	return got;
}

static ssize_t receive(int fd, struct message *message)
{
	return receive_len(fd, message, sizeof(message->frame), 0);
}

/* the nth control message, NULL when there are fewer */
static struct cmsghdr *nth_control(struct message *message, int n)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message->hdr);

	while (cmsg && n--)
		cmsg = CMSG_NXTHDR(&message->hdr, cmsg);
	return cmsg;
}

static int control_count(struct message *message)
{
	int count = 0;

	while (nth_control(message, count))
		count++;
	return count;
}

/* data of the control message of a type, NULL when there is none */
static const void *control(struct message *message, int level, int type)
{
	struct cmsghdr *cmsg;
	int n = 0;

	while ((cmsg = nth_control(message, n++)))
		if (cmsg->cmsg_level == level && cmsg->cmsg_type == type)
			return CMSG_DATA(cmsg);
	return NULL;
}

/*
 * Two interfaces. Sender and receiver use the first one; a third socket sends
 * sentinels, so that these are own messages of neither of the two. Each test is a
 * process, so this is its own.
 */
static struct bench {
	int ifindex, ifindex2;
	int tx, rx, third, witness;
} bench;

static int bench_open(void)
{
	struct ct_bus bus;
	int err = ct_bus_open(&bus);

	if (err)
		return err;
	bench.ifindex = bus.ifindex;
	bench.tx = bus.tx;
	bench.witness = bus.witness;
	bench.ifindex2 = ct_vcan_add("vcan1", CAN_MTU);
	bench.rx = ct_raw_open(bench.ifindex);
	bench.third = ct_raw_open(bench.ifindex);
	if (bench.ifindex2 < 0 || bench.rx < 0 || bench.third < 0)
		return -EBADF;
	return ct_raw_filters(bench.third, NULL, 0);
}

static int barrier(void)
{
	return ct_barrier(bench.tx, bench.witness);
}

static void expect_next(struct __test_metadata *_metadata, int fd, canid_t id,
			int flags, int ifindex)
{
	struct message message;

	ASSERT_EQ((ssize_t)CAN_MTU, receive(fd, &message));
	EXPECT_EQ(id, message.frame.can_id);
	EXPECT_EQ(flags, message.flags);
	EXPECT_EQ(CT_ADDR_LEN, message.from_len);
	EXPECT_EQ(AF_CAN, message.from.can_family);
	EXPECT_EQ(ifindex, message.from.can_ifindex);
}

#define EXPECT_NEXT(fd, id, flags) \
	expect_next(_metadata, fd, id, flags, bench.ifindex)

/* which sockets receive a frame, by the options of its sender */
FIXTURE(echo) { };

FIXTURE_VARIANT(echo) {
	int loopback;
	int own;
	bool others_hear;
	bool sender_hears;
};

FIXTURE_VARIANT_ADD(echo, default_values) { 1, 0, true, false };
FIXTURE_VARIANT_ADD(echo, own_messages) { 1, 1, true, true };
FIXTURE_VARIANT_ADD(echo, no_loopback) { 0, 0, false, false };
FIXTURE_VARIANT_ADD(echo, own_messages_need_loopback) { 0, 1, false, false };
FIXTURE_VARIANT_ADD(echo, any_nonzero_value_is_on) { -1, 256, true, true };

FIXTURE_SETUP(echo)
{
	ASSERT_EQ(0, bench_open());
	ASSERT_EQ(0, ct_raw_set(bench.tx, CAN_RAW_LOOPBACK, variant->loopback));
	ASSERT_EQ(0, ct_raw_set(bench.tx, CAN_RAW_RECV_OWN_MSGS, variant->own));
}

FIXTURE_TEARDOWN(echo) { }

TEST_F(echo, is_received_as_the_options_say_with_matching_flags)
{
	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	ASSERT_EQ(0, ct_send_id(bench.third, SENTINEL_ID));

	if (variant->others_hear)
		EXPECT_NEXT(bench.rx, 0x123, FROM_HERE);
	EXPECT_NEXT(bench.rx, SENTINEL_ID, FROM_HERE);

	if (variant->sender_hears)
		EXPECT_NEXT(bench.tx, 0x123, FROM_MYSELF);
	EXPECT_NEXT(bench.tx, SENTINEL_ID, FROM_HERE);
}

TEST_F(echo, options_of_the_receiver_do_not_matter)
{
	ASSERT_EQ(0, ct_raw_set(bench.rx, CAN_RAW_LOOPBACK, !variant->loopback));
	ASSERT_EQ(0, ct_raw_set(bench.rx, CAN_RAW_RECV_OWN_MSGS, !variant->own));
	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	ASSERT_EQ(0, ct_send_id(bench.third, SENTINEL_ID));
	if (variant->others_hear)
		EXPECT_NEXT(bench.rx, 0x123, FROM_HERE);
	EXPECT_NEXT(bench.rx, SENTINEL_ID, FROM_HERE);
}

FIXTURE(message) { };

FIXTURE_SETUP(message)
{
	ASSERT_EQ(0, bench_open());
}

FIXTURE_TEARDOWN(message) { }

TEST_F(message, own_messages_pass_the_filters_like_others)
{
	ASSERT_EQ(0, ct_raw_set(bench.tx, CAN_RAW_RECV_OWN_MSGS, 1));
	ASSERT_EQ(0, ct_raw_only_id(bench.tx, 0x124));
	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	ASSERT_EQ(0, ct_send_id(bench.tx, 0x124));
	EXPECT_NEXT(bench.tx, 0x124, FROM_MYSELF);
}

TEST_F(message, from_another_interface_has_no_flags)
{
	int left, right, tx, rx, near;

	left = CT_OK(ct_vxcan_add("vxcan0", "vxcan1", -1, CAN_MTU));
	right = if_nametoindex("vxcan1");
	ASSERT_LT(0, right);
	tx = CT_OK(ct_raw_open(left));
	near = CT_OK(ct_raw_open(left));
	rx = CT_OK(ct_raw_open(right));
	ASSERT_EQ(0, ct_raw_set(tx, CAN_RAW_RECV_OWN_MSGS, 1));

	ASSERT_EQ(0, ct_send_id(tx, 0x123));
	expect_next(_metadata, rx, 0x123, FROM_OUTSIDE, right);
	expect_next(_metadata, near, 0x123, FROM_HERE, left);
	expect_next(_metadata, tx, 0x123, FROM_MYSELF, left);

	/* a frame that is not looped back still leaves the interface */
	ASSERT_EQ(0, ct_raw_set(tx, CAN_RAW_LOOPBACK, 0));
	ASSERT_EQ(0, ct_send_id(tx, 0x124));
	ASSERT_EQ(0, ct_send_id(near, SENTINEL_ID));
	expect_next(_metadata, rx, 0x124, FROM_OUTSIDE, right);
	expect_next(_metadata, rx, SENTINEL_ID, FROM_OUTSIDE, right);
	expect_next(_metadata, tx, SENTINEL_ID, FROM_HERE, left);

	/* and other interfaces have received nothing */
	ASSERT_EQ(0, ct_send_id(bench.third, SENTINEL_ID));
	EXPECT_NEXT(bench.rx, SENTINEL_ID, FROM_HERE);
}

TEST_F(message, sendto_chooses_the_interface)
{
	int rx2, any;

	rx2 = CT_OK(ct_raw_open(bench.ifindex2));
	any = CT_OK(ct_raw_open(0));
	ASSERT_EQ(0, ct_raw_set(bench.tx, CAN_RAW_RECV_OWN_MSGS, 1));
	ASSERT_EQ(0, ct_raw_set(any, CAN_RAW_RECV_OWN_MSGS, 1));

	ASSERT_EQ(0, ct_send_id_to(bench.tx, bench.ifindex2, 0x123));
	ASSERT_EQ(0, ct_send_id_to(bench.tx, bench.ifindex, 0x124));
	ASSERT_EQ(0, ct_send_id_to(any, bench.ifindex2, 0x125));

	expect_next(_metadata, rx2, 0x123, FROM_HERE, bench.ifindex2);
	expect_next(_metadata, rx2, 0x125, FROM_HERE, bench.ifindex2);
	EXPECT_NEXT(bench.rx, 0x124, FROM_HERE);
	/* the sender listens where it is bound, not where it sends */
	EXPECT_NEXT(bench.tx, 0x124, FROM_MYSELF);
	expect_next(_metadata, any, 0x123, FROM_HERE, bench.ifindex2);
	EXPECT_NEXT(any, 0x124, FROM_HERE);
	expect_next(_metadata, any, 0x125, FROM_MYSELF, bench.ifindex2);
}

static int get_int(int fd, int option)
{
	socklen_t len = sizeof(int);
	int value, err = ct_raw_getopt(fd, option, &value, &len);

	return err ?: len == sizeof(value) ? value : -EMSGSIZE;
}

/* Later kernels have flags, which read as 0 or 1, where 6.12 has numbers. */
static bool options_are_flags(struct __test_metadata *_metadata)
{
	int fd = CT_OK(ct_raw_socket()), two;

	CT_OK(ct_raw_set(fd, CAN_RAW_LOOPBACK, 2));
	two = get_int(fd, CAN_RAW_LOOPBACK);
	close(fd);
	return two == 1;
}

/* How an option reads that was set to @value */
static int as_read(struct __test_metadata *_metadata, int value)
{
	return options_are_flags(_metadata) ? !!value : value;
}

TEST_F(message, sendto_rejects_a_bad_address)
{
	const int good = bench.ifindex;
	const socklen_t full = sizeof(struct sockaddr_can);
	const struct {
		const char *name;
		int family, ifindex;
		socklen_t len;
		int err;
	} *t, table[] = {
		{ "no interface", AF_CAN, 0, full, ENXIO },
		{ "unknown interface", AF_CAN, 9999, full, ENXIO },
		{ "negative interface", AF_CAN, -1, full, ENXIO },
		{ "not a CAN interface", AF_CAN, if_nametoindex("lo"), full,
		  options_are_flags(_metadata) ? EINVAL : EPERM },
		{ "wrong family", AF_INET, good, full, EINVAL },
		{ "no family", AF_UNSPEC, good, full, EINVAL },
		{ "address too short", AF_CAN, good, CT_ADDR_LEN - 1, EINVAL },
		{ "only a family", AF_CAN, good, sizeof(sa_family_t), EINVAL },
		/* the shortest address that is accepted */
		{ "no error", AF_CAN, good, CT_ADDR_LEN, 0 },
	};
	struct sockaddr_can to = { };
	struct can_frame frame;
	unsigned int i;

	ct_frame(&frame, 0, 8, NULL);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		t = &table[i];
		to.can_family = t->family;
		to.can_ifindex = t->ifindex;
		frame.can_id = 0x100 + i;
		EXPECT_EQ(t->err ? -1 : (ssize_t)CAN_MTU,
			  sendto(bench.tx, &frame, sizeof(frame), 0,
				 (struct sockaddr *)&to, t->len))
			TH_LOG("%s", t->name);
		if (t->err)
			EXPECT_EQ(t->err, errno) TH_LOG("%s", t->name);
	}

	/* the last frame is the only one that was sent */
	EXPECT_NEXT(bench.rx, 0x100 + i - 1, FROM_HERE);
}

TEST_F(message, address_is_cut_to_the_buffer_but_its_length_is_not)
{
	struct sockaddr_can from;
	struct can_frame frame;
	socklen_t len, room;

	for (room = 0; room <= sizeof(from); room += 4) {
		ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
		ASSERT_EQ(0, barrier());
		memset(&from, 0x5a, sizeof(from));
		len = room;
		ASSERT_EQ((ssize_t)CAN_MTU,
			  recvfrom(bench.rx, &frame, sizeof(frame), 0,
				   (struct sockaddr *)&from, &len));
		EXPECT_EQ(0x123U, frame.can_id);
		EXPECT_EQ(CT_ADDR_LEN, len);
		EXPECT_EQ(room >= CT_ADDR_LEN ? bench.ifindex : 0x5a5a5a5a,
			  from.can_ifindex);
		/* the protocol's own part of the address is not written */
		EXPECT_EQ(0x5a5a5a5aU, from.can_addr.tp.rx_id);
		ASSERT_EQ((ssize_t)CAN_MTU, read(bench.rx, &frame, CAN_MTU));
		EXPECT_EQ(CT_BARRIER_ID, frame.can_id);
	}
}

TEST_F(message, short_read_cuts_the_frame_and_loses_the_rest)
{
	struct can_frame sent;
	struct message got;
	size_t len;

	ct_frame(&sent, 0x123, 8, NULL);
	for (len = 0; len <= sizeof(sent); len++) {
		ASSERT_EQ(0, ct_send(bench.tx, &sent, sizeof(sent)));
		ASSERT_EQ(0, ct_send_id(bench.third, SENTINEL_ID));
		ASSERT_EQ((ssize_t)len, receive_len(bench.rx, &got, len, 0));
		EXPECT_EQ(0, memcmp(&sent, &got.frame, len));
		EXPECT_EQ(FROM_HERE | (len < CAN_MTU ? MSG_TRUNC : 0),
			  got.flags);
		EXPECT_NEXT(bench.rx, SENTINEL_ID, FROM_HERE);
	}
}

TEST_F(message, msg_trunc_does_not_return_the_real_length)
{
	struct can_frame frame;

	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	ASSERT_EQ(0, barrier());
	EXPECT_EQ(4, recv(bench.rx, &frame, 4, MSG_TRUNC));
}

TEST_F(message, long_buffer_is_filled_to_the_frame)
{
	struct canfd_frame big;

	memset(&big, 0x5a, sizeof(big));
	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	EXPECT_EQ((ssize_t)CAN_MTU,
		  ct_recv(bench.rx, &big, sizeof(big), CT_TIMEOUT_MS));
	EXPECT_EQ(0x123U, big.can_id);
	EXPECT_EQ(0x5a, big.data[8]);
}

TEST_F(message, peeking_leaves_the_frame)
{
	struct message got;
	int i;

	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	for (i = 0; i < 3; i++) {
		ASSERT_EQ((ssize_t)CAN_MTU,
			  receive_len(bench.rx, &got, CAN_MTU, MSG_PEEK));
		EXPECT_EQ(0x123U, got.frame.can_id);
		EXPECT_EQ(FROM_HERE, got.flags);
	}
	ASSERT_EQ(0, ct_send_id(bench.third, SENTINEL_ID));
	EXPECT_NEXT(bench.rx, 0x123, FROM_HERE);
	EXPECT_NEXT(bench.rx, SENTINEL_ID, FROM_HERE);
}

TEST_F(message, empty_queue_returns_eagain_or_times_out)
{
	const struct timeval shortest = { .tv_usec = 1 };
	struct can_frame frame;

	EXPECT_EQ(-1, recv(bench.rx, &frame, sizeof(frame), MSG_DONTWAIT));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_EQ(-1, recv(bench.rx, &frame, sizeof(frame), MSG_ERRQUEUE));
	EXPECT_EQ(EAGAIN, errno);

	ASSERT_EQ(0, setsockopt(bench.rx, SOL_SOCKET, SO_RCVTIMEO, &shortest,
				sizeof(shortest)));
	EXPECT_EQ(-1, read(bench.rx, &frame, sizeof(frame)));
	EXPECT_EQ(EAGAIN, errno);

	/* read() of nothing does not even look at the queue */
	EXPECT_EQ(0, read(bench.rx, &frame, 0));
}

TEST_F(message, frame_may_be_scattered)
{
	struct can_frame sent, got;
	struct iovec out[3] = {
		{ &sent, 1 }, { (char *)&sent + 1, 7 }, { sent.data, 8 },
	};
	struct iovec in[2] = { { &got, 8 }, { got.data, 8 } };

	ct_frame(&sent, 0x123, 8, NULL);
	ASSERT_EQ((ssize_t)CAN_MTU, writev(bench.tx, out, ARRAY_SIZE(out)));
	ASSERT_EQ(0, barrier());
	ASSERT_EQ((ssize_t)CAN_MTU, readv(bench.rx, in, ARRAY_SIZE(in)));
	EXPECT_EQ(0, memcmp(&sent, &got, sizeof(sent)));
}

/* every option with an int as its value, on a new socket each */
FIXTURE(option) {
	int fd;
};

FIXTURE_VARIANT(option) {
	int option;
	int initial;
	/* the kernel copies into the live option and not by way of a copy */
	bool in_place;
};

FIXTURE_VARIANT_ADD(option, loopback) { CAN_RAW_LOOPBACK, 1, true };
FIXTURE_VARIANT_ADD(option, recv_own_msgs) { CAN_RAW_RECV_OWN_MSGS, 0, true };
FIXTURE_VARIANT_ADD(option, fd_frames) { CAN_RAW_FD_FRAMES, 0, false };
FIXTURE_VARIANT_ADD(option, xl_frames) { CAN_RAW_XL_FRAMES, 0, true };
FIXTURE_VARIANT_ADD(option, join_filters) { CAN_RAW_JOIN_FILTERS, 0, true };

FIXTURE_SETUP(option)
{
	ASSERT_EQ(0, ct_netns_new());
	self->fd = CT_OK(ct_raw_socket());
}

FIXTURE_TEARDOWN(option) { }

/* an option of four bytes, @value, is read into buffers of all sizes */
static void expect_cut(struct __test_metadata *_metadata, int fd, int option, int value)
{
	unsigned char buf[8], want[8];
	socklen_t room, len;

	ASSERT_EQ(0, ct_raw_set(fd, option, 0x04030201));
	for (room = 0; room <= sizeof(buf); room++) {
		len = room < sizeof(value) ? room : sizeof(value);
		memset(want, 0x5a, sizeof(want));
		memcpy(want, &value, len);
		memset(buf, 0x5a, sizeof(buf));
		len = room;
		ASSERT_EQ(0, ct_raw_getopt(fd, option, buf, &len));
		EXPECT_EQ(room < sizeof(value) ? room : sizeof(value), len);
		EXPECT_EQ(0, memcmp(want, buf, sizeof(buf)));
	}
}

TEST_F(option, has_its_default)
{
	EXPECT_EQ(variant->initial, get_int(self->fd, variant->option));
}

TEST_F(option, reads_back_as_written)
{
	static const int values[] = { 1, 0, 2, 1 << 24, INT_MAX, -1, 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		ASSERT_EQ(0, ct_raw_set(self->fd, variant->option, values[i]));
		EXPECT_EQ(as_read(_metadata, values[i]), get_int(self->fd, variant->option));
	}
}

TEST_F(option, rejects_a_value_of_another_size)
{
	static const socklen_t sizes[] = { 0, 1, 2, 3, 5, 8, -1 };
	static const int values[2] = { 7, 7 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(-EINVAL, ct_raw_setopt(self->fd, variant->option,
						 values, sizes[i]));
		EXPECT_EQ(variant->initial, get_int(self->fd, variant->option));
	}
}

/*
 * A failed copy_from_user() zeroes its target, and for most options the target
 * is the option itself: the call fails and nevertheless switches it off.
 */
TEST_F(option, unreadable_value_fails_and_clears_options_copied_in_place)
{
	ASSERT_EQ(0, ct_raw_set(self->fd, variant->option, 7));
	EXPECT_EQ(-EFAULT, ct_raw_setopt(self->fd, variant->option, NULL,
					 sizeof(int)));
	/* flags are never copied in place */
	EXPECT_EQ(options_are_flags(_metadata) ? 1 : variant->in_place ? 0 : 7,
		  get_int(self->fd, variant->option));
}

TEST_F(option, is_cut_to_the_buffer_it_is_read_into)
{
	expect_cut(_metadata, self->fd, variant->option, as_read(_metadata, 0x04030201));
}

TEST_F(option, is_not_read_to_a_bad_address)
{
	socklen_t len = -1;
	int value;

	EXPECT_EQ(-EINVAL, ct_raw_getopt(self->fd, variant->option, &value,
					 &len));
	len = sizeof(value);
	EXPECT_EQ(-EFAULT, ct_raw_getopt(self->fd, variant->option, NULL,
					 &len));
	EXPECT_EQ(-EFAULT, ct_raw_getopt(self->fd, variant->option, &value,
					 NULL));
}

TEST_F(option, is_per_socket)
{
	int other = CT_OK(ct_raw_socket());

	ASSERT_EQ(0, ct_raw_set(self->fd, variant->option, 7));
	EXPECT_EQ(variant->initial, get_int(other, variant->option));
}

/* options that are not an int, or that depend on each other */
FIXTURE(options) {
	int fd;
};

FIXTURE_SETUP(options)
{
	ASSERT_EQ(0, ct_netns_new());
	self->fd = CT_OK(ct_raw_socket());
}

FIXTURE_TEARDOWN(options) { }

TEST_F(options, xl_frames_include_fd_frames)
{
	ASSERT_EQ(0, ct_raw_set(self->fd, CAN_RAW_XL_FRAMES, 3));
	EXPECT_EQ(as_read(_metadata, 3), get_int(self->fd, CAN_RAW_FD_FRAMES));

	EXPECT_EQ(-EINVAL, ct_raw_set(self->fd, CAN_RAW_FD_FRAMES, 0));
	EXPECT_EQ(as_read(_metadata, 3), get_int(self->fd, CAN_RAW_FD_FRAMES));
	EXPECT_EQ(0, ct_raw_set(self->fd, CAN_RAW_FD_FRAMES, 1));
	EXPECT_EQ(1, get_int(self->fd, CAN_RAW_FD_FRAMES));
	EXPECT_EQ(as_read(_metadata, 3), get_int(self->fd, CAN_RAW_XL_FRAMES));

	/* without XL they stay, but may go */
	ASSERT_EQ(0, ct_raw_set(self->fd, CAN_RAW_XL_FRAMES, 0));
	EXPECT_EQ(1, get_int(self->fd, CAN_RAW_FD_FRAMES));
	EXPECT_EQ(0, ct_raw_set(self->fd, CAN_RAW_FD_FRAMES, 0));
	EXPECT_EQ(0, get_int(self->fd, CAN_RAW_FD_FRAMES));
}

TEST_F(options, vcid_options_read_back_as_written)
{
	struct can_raw_vcid_options set = { 0xff, 0x12, 0x34, 0x56 };
	struct can_raw_vcid_options get[2];
	socklen_t len = sizeof(get);

	memset(get, 0x5a, sizeof(get));
	ASSERT_EQ(0, ct_raw_getopt(self->fd, CAN_RAW_XL_VCID_OPTS, get, &len));
	EXPECT_EQ(sizeof(set), len);
	EXPECT_EQ(0, get[0].flags | get[0].tx_vcid | get[0].rx_vcid |
		     get[0].rx_vcid_mask);
	EXPECT_EQ(0x5a, get[1].flags);

	ASSERT_EQ(0, ct_raw_setopt(self->fd, CAN_RAW_XL_VCID_OPTS, &set,
				   sizeof(set)));
	ASSERT_EQ(0, ct_raw_getopt(self->fd, CAN_RAW_XL_VCID_OPTS, get, &len));
	/* flags without a meaning are kept */
	EXPECT_EQ(0, memcmp(&set, get, sizeof(set)));
}

TEST_F(options, vcid_options_of_another_size_are_rejected)
{
	static const socklen_t sizes[] = { 0, 1, 3, 5, 8, -1 };
	struct can_raw_vcid_options set = { 1, 2, 3, 4 }, get;
	const char bad[8] = { 0 };
	socklen_t len;
	unsigned int i;

	ASSERT_EQ(0, ct_raw_setopt(self->fd, CAN_RAW_XL_VCID_OPTS, &set,
				   sizeof(set)));
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		EXPECT_EQ(-EINVAL, ct_raw_setopt(self->fd, CAN_RAW_XL_VCID_OPTS,
						 bad, sizes[i]));
		len = sizeof(get);
		ASSERT_EQ(0, ct_raw_getopt(self->fd, CAN_RAW_XL_VCID_OPTS, &get,
					   &len));
		EXPECT_EQ(0, memcmp(&set, &get, sizeof(set)));
	}

	/* see option.unreadable_value_...: these are copied in place, too */
	EXPECT_EQ(-EFAULT, ct_raw_setopt(self->fd, CAN_RAW_XL_VCID_OPTS, NULL,
					 sizeof(set)));
	ASSERT_EQ(0, ct_raw_getopt(self->fd, CAN_RAW_XL_VCID_OPTS, &get, &len));
	EXPECT_EQ(0, memcmp(bad, &get, sizeof(get)));
}

TEST_F(options, vcid_options_return_the_size_they_need)
{
	struct can_raw_vcid_options get;
	socklen_t room, len;

	for (room = 0; room < sizeof(get); room++) {
		memset(&get, 0x5a, sizeof(get));
		len = room;
		EXPECT_EQ(-ERANGE, ct_raw_getopt(self->fd, CAN_RAW_XL_VCID_OPTS,
						 &get, &len));
		EXPECT_EQ(sizeof(get), len);
		EXPECT_EQ(0x5a, get.flags);
	}
}

TEST_F(options, error_mask_is_cut_to_the_buffer_it_is_read_into)
{
	expect_cut(_metadata, self->fd, CAN_RAW_ERR_FILTER, 0x04030201);
}

TEST_F(options, unknown_options_are_rejected)
{
	static const int unknown[] = { 0, -1, CAN_RAW_XL_VCID_OPTS + 1, 1000 };
	int value = 0;
	socklen_t len;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(unknown); i++) {
		EXPECT_EQ(-ENOPROTOOPT, ct_raw_set(self->fd, unknown[i], 0));
		len = sizeof(value);
		EXPECT_EQ(-ENOPROTOOPT, ct_raw_getopt(self->fd, unknown[i],
						      &value, &len));
	}

	/* another level, even that of another CAN protocol */
	EXPECT_EQ(-1, setsockopt(self->fd, SOL_CAN_BASE + CAN_ISOTP,
				 CAN_RAW_LOOPBACK, &value, sizeof(value)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, getsockopt(self->fd, SOL_CAN_BASE + CAN_ISOTP,
				 CAN_RAW_LOOPBACK, &value, &len));
	EXPECT_EQ(EINVAL, errno);
}

TEST_F(options, socket_level_names_the_family_and_protocol)
{
	static const struct { int option, want; } table[] = {
		{ SO_DOMAIN, PF_CAN },
		{ SO_TYPE, SOCK_RAW },
		/* CAN does not record the protocol in the socket */
		{ SO_PROTOCOL, 0 },
	};
	unsigned int i;
	socklen_t len;
	int value;

	for (i = 0; i < ARRAY_SIZE(table); i++) {
		len = sizeof(value);
		ASSERT_EQ(0, getsockopt(self->fd, SOL_SOCKET, table[i].option,
					&value, &len));
		EXPECT_EQ(table[i].want, value);
	}
}

/*
 * Overflow of the receive queue. Each frame carries its number, which has to be the
 * count of frames received before it plus the count of lost frames that came with
 * it: exactly the lost frames are counted.
 */
FIXTURE(overflow) {
	unsigned int sent, received;
};

FIXTURE_VARIANT(overflow) {
	int rcvbuf;
	unsigned int burst;
	unsigned int reads;
};

FIXTURE_VARIANT_ADD(overflow, smallest_queue) { 1, 20, 1 };
FIXTURE_VARIANT_ADD(overflow, small_queue) { 5000, 50, 4 };
FIXTURE_VARIANT_ADD(overflow, larger_queue) { 30000, 200, 30 };

FIXTURE_SETUP(overflow)
{
	ASSERT_EQ(0, bench_open());
	ASSERT_EQ(0, ct_raw_only_id(bench.rx, 0x123));
	ASSERT_EQ(0, ct_sock_set(bench.rx, SO_RCVBUF, variant->rcvbuf));
	ASSERT_EQ(0, ct_sock_set(bench.rx, SO_RXQ_OVFL, 1));
}

FIXTURE_TEARDOWN(overflow) { }

static int send_numbers(unsigned int *number, unsigned int count)
{
	struct can_frame frame;
	int err = 0;

	while (count-- && !err) {
		ct_frame(&frame, 0x123, sizeof(*number), number);
		err = ct_send(bench.tx, &frame, sizeof(frame));
		++*number;
		/* few at a time, or the backlog of the CPU might overflow */
		if (*number % 16 == 0)
			err = err ?: barrier();
	}
	return err ?: barrier();
}

/* the lost frames that a message reports; -1 for no report */
static long long lost(struct message *message)
{
	const void *data = control(message, SOL_SOCKET, SO_RXQ_OVFL);
	unsigned int count;

	if (!data)
		return -1;
	memcpy(&count, data, sizeof(count));
	return count;
}

static bool read_number(struct __test_metadata *_metadata, int fd,
			unsigned int *received)
{
	struct message message;
	unsigned int number;
	long long missing;
	ssize_t len;

	len = receive_len(fd, &message, sizeof(message.frame), MSG_DONTWAIT);
	if (len == -EAGAIN)
		return false;
	ASSERT_EQ((ssize_t)CAN_MTU, len);
	memcpy(&number, message.frame.data, sizeof(number));
	missing = lost(&message);
	/* a count of zero is left out */
	EXPECT_NE(0, missing);
	EXPECT_EQ((long long)number, *received + (missing < 0 ? 0 : missing));
	++*received;
	return true;
}

TEST_F(overflow, every_loss_is_counted_at_the_next_frame)
{
	unsigned int round, i;

	for (round = 0; round < 5; round++) {
		ASSERT_EQ(0, send_numbers(&self->sent, variant->burst));
		for (i = 0; i < variant->reads; i++)
			ASSERT_TRUE(read_number(_metadata, bench.rx,
						&self->received));
	}
	while (read_number(_metadata, bench.rx, &self->received))
		;
	/* this is no test if nothing was lost */
	ASSERT_LT(self->received, self->sent);

	/* with room again, the sum of all losses comes along */
	ASSERT_EQ(0, send_numbers(&self->sent, 1));
	ASSERT_TRUE(read_number(_metadata, bench.rx, &self->received));
	ASSERT_FALSE(read_number(_metadata, bench.rx, &self->received));
}

TEST_F(overflow, filtered_frames_are_not_counted_as_lost)
{
	unsigned int i;

	ASSERT_EQ(0, send_numbers(&self->sent, variant->burst));
	for (i = 0; i < 10; i++)
		ASSERT_EQ(0, ct_send_id(bench.tx, 0x124));
	ASSERT_EQ(0, send_numbers(&self->sent, 1));
	while (read_number(_metadata, bench.rx, &self->received))
		;
	ASSERT_EQ(0, send_numbers(&self->sent, 1));
	ASSERT_TRUE(read_number(_metadata, bench.rx, &self->received));
}

TEST_F(overflow, losses_before_the_option_was_set_are_reported_later)
{
	struct message message;
	unsigned int received = 0;

	ASSERT_EQ(0, ct_sock_set(bench.rx, SO_RXQ_OVFL, 0));
	ASSERT_EQ(0, send_numbers(&self->sent, variant->burst));
	while (receive_len(bench.rx, &message, sizeof(message.frame),
			   MSG_DONTWAIT) > 0) {
		EXPECT_EQ(0, control_count(&message));
		received++;
	}
	ASSERT_EQ(0, send_numbers(&self->sent, 1));
	ASSERT_EQ((ssize_t)CAN_MTU, receive(bench.rx, &message));
	EXPECT_EQ(0, control_count(&message));
	received++;

	ASSERT_EQ(0, ct_sock_set(bench.rx, SO_RXQ_OVFL, 1));
	ASSERT_EQ(0, send_numbers(&self->sent, 1));
	ASSERT_EQ((ssize_t)CAN_MTU, receive(bench.rx, &message));
	EXPECT_EQ((long long)(self->sent - 1 - received), lost(&message));
}

/*
 * Timestamps of received frames. The kernel starts to stamp some time after
 * the first socket requested it (a work item patches the code). So a socket
 * that requests it is kept open all the time, and the tests begin when a frame has
 * been stamped for it.
 */
FIXTURE(rx_stamp) {
	int keeper;
};

FIXTURE_VARIANT(rx_stamp) {
	int option;	/* and type of the control message */
	int value;
	int fields;	/* pairs of seconds and fractions in it */
	bool wide;	/* both are 64 bits on every architecture */
	long long unit;	/* of the fraction, in nanoseconds */
};

#define RX_SOFTWARE (SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE)

FIXTURE_VARIANT_ADD(rx_stamp, timestamp) { SO_TIMESTAMP_OLD, 1, 1, false, 1000 };
FIXTURE_VARIANT_ADD(rx_stamp, timestamp_new) { SO_TIMESTAMP_NEW, 1, 1, true, 1000 };
FIXTURE_VARIANT_ADD(rx_stamp, timestampns) { SO_TIMESTAMPNS_OLD, 1, 1, false, 1 };
FIXTURE_VARIANT_ADD(rx_stamp, timestampns_new) { SO_TIMESTAMPNS_NEW, 1, 1, true, 1 };
FIXTURE_VARIANT_ADD(rx_stamp, timestamping) {
	SO_TIMESTAMPING_OLD, RX_SOFTWARE, 3, false, 1
};

FIXTURE_VARIANT_ADD(rx_stamp, timestamping_new) {
	SO_TIMESTAMPING_NEW, RX_SOFTWARE, 3, true, 1
};

static long long now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* a field of a timestamp message in nanoseconds */
static long long stamp_at(const void *data, int field, bool wide, long long unit)
{
	long long pair[2];
	long old[2];

	if (wide) {
		memcpy(pair, (const char *)data + field * sizeof(pair),
		       sizeof(pair));
	} else {
		memcpy(old, (const char *)data + field * sizeof(old),
		       sizeof(old));
		pair[0] = old[0];
		pair[1] = old[1];
	}
	return pair[0] * 1000000000LL + pair[1] * unit;
}

/* a socket that keeps the kernel stamping, returned when the kernel has begun */
static int keep_stamping(void)
{
	struct message message;
	time_t end = time(NULL) + CT_TIMEOUT_MS / 1000;
	int fd = ct_raw_open(bench.ifindex);

	if (fd < 0 || ct_raw_only_id(fd, SENTINEL_ID) ||
	    ct_sock_set(fd, SO_TIMESTAMPING_OLD, RX_SOFTWARE))
		return -EBADF;
	do {
		if (ct_send_id(bench.third, SENTINEL_ID) ||
		    receive(fd, &message) < 0 || time(NULL) > end)
			return -ETIMEDOUT;
	} while (!control(&message, SOL_SOCKET, SO_TIMESTAMPING_OLD));

	/* the other sockets have received those frames as well */
	if (ct_barrier(bench.third, bench.witness))
		return -ETIMEDOUT;
	while (receive_len(bench.rx, &message, CAN_MTU, MSG_DONTWAIT) > 0)
		;
	while (receive_len(bench.tx, &message, CAN_MTU, MSG_DONTWAIT) > 0)
		;
	return fd;
}

FIXTURE_SETUP(rx_stamp)
{
	ASSERT_EQ(0, bench_open());
	self->keeper = CT_OK(keep_stamping());
	ASSERT_EQ(0, ct_raw_only_id(bench.rx, 0x123));
}

FIXTURE_TEARDOWN(rx_stamp) { }

TEST_F(rx_stamp, lies_between_sending_and_delivery)
{
	long long before, after, stamp;
	struct message message;
	const void *data;
	int i, field;

	ASSERT_EQ(0, ct_sock_set(bench.rx, variant->option, variant->value));
	for (i = 0; i < 10; i++) {
		before = now();
		ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
		ASSERT_EQ(0, barrier());
		after = now();
		ASSERT_EQ((ssize_t)CAN_MTU, receive(bench.rx, &message));
		EXPECT_EQ(FROM_HERE, message.flags);
		EXPECT_EQ(1, control_count(&message));
		data = control(&message, SOL_SOCKET, variant->option);
		ASSERT_NE(NULL, data);
		stamp = stamp_at(data, 0, variant->wide, variant->unit);
		EXPECT_LE(before - before % variant->unit, stamp);
		EXPECT_LE(stamp, after);
		/* no hardware has stamped it */
		for (field = 1; field < variant->fields; field++)
			EXPECT_EQ(0, stamp_at(data, field, variant->wide,
					      variant->unit));
	}
}

TEST_F(rx_stamp, comes_only_while_the_option_is_on)
{
	struct message message;
	int i;

	for (i = 0; i < 3; i++) {
		if (i)
			ASSERT_EQ(0, ct_sock_set(bench.rx, variant->option,
						 i == 1 ? variant->value : 0));
		ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
		ASSERT_EQ((ssize_t)CAN_MTU, receive(bench.rx, &message));
		EXPECT_EQ(i == 1, control_count(&message));
	}
}

TEST_F(rx_stamp, is_cut_with_a_flag_when_there_is_no_room)
{
	struct can_frame frame;
	struct iovec iov = { .iov_base = &frame, .iov_len = sizeof(frame) };
	struct msghdr hdr = { .msg_iov = &iov, .msg_iovlen = 1 };

	ASSERT_EQ(0, ct_sock_set(bench.rx, variant->option, variant->value));
	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	ASSERT_EQ(0, barrier());
	ASSERT_EQ((ssize_t)CAN_MTU, recvmsg(bench.rx, &hdr, 0));
	EXPECT_EQ(FROM_HERE | MSG_CTRUNC, hdr.msg_flags);
}

/* SIOCGSTAMP and SIOCGSTAMPNS: the time of the last frame that was read */
FIXTURE(ioctl_stamp) {
	int keeper;
};

FIXTURE_SETUP(ioctl_stamp)
{
	ASSERT_EQ(0, bench_open());
	self->keeper = CT_OK(keep_stamping());
	/* a socket that has not received anything yet */
	close(bench.rx);
	bench.rx = CT_OK(ct_raw_open(bench.ifindex));
	ASSERT_EQ(0, ct_raw_only_id(bench.rx, 0x123));
}

FIXTURE_TEARDOWN(ioctl_stamp) { }

static long long stamp_us(int fd)
{
	struct timeval tv;

	if (ioctl(fd, SIOCGSTAMP, &tv))
		return -errno;
	return (tv.tv_sec * 1000000LL + tv.tv_usec) * 1000;
}

static long long stamp_ns(int fd)
{
	struct timespec ts;

	if (ioctl(fd, SIOCGSTAMPNS, &ts))
		return -errno;
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

TEST_F(ioctl_stamp, does_not_exist_before_a_frame)
{
	EXPECT_EQ(-ENOENT, stamp_us(bench.rx));
	EXPECT_EQ(-ENOENT, stamp_ns(bench.rx));
}

TEST_F(ioctl_stamp, is_that_of_the_last_frame_read)
{
	long long before, after, stamp;
	struct message message;
	int i;

	/* after this first request the socket keeps stamps */
	ASSERT_EQ(-ENOENT, stamp_us(bench.rx));
	for (i = 0; i < 3; i++) {
		before = now();
		ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
		ASSERT_EQ(0, barrier());
		after = now();
		ASSERT_EQ((ssize_t)CAN_MTU, receive(bench.rx, &message));
		EXPECT_EQ(0, control_count(&message));
		stamp = stamp_ns(bench.rx);
		EXPECT_LE(before, stamp);
		EXPECT_LE(stamp, after);
		EXPECT_EQ(stamp - stamp % 1000, stamp_us(bench.rx));
	}
}

TEST_F(ioctl_stamp, first_requested_after_a_frame_is_the_time_of_the_request)
{
	long long before, after, stamp;
	struct message message;

	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	ASSERT_EQ((ssize_t)CAN_MTU, receive(bench.rx, &message));
	before = now();
	stamp = stamp_ns(bench.rx);
	after = now();
	EXPECT_LE(before, stamp);
	EXPECT_LE(stamp, after);
	/* and so it stays until the next frame */
	EXPECT_EQ(stamp, stamp_ns(bench.rx));
}

/* timestamps of sent frames come back through the error queue */
FIXTURE(tx_stamp) { };

FIXTURE_VARIANT(tx_stamp) {
	unsigned int flags;
	int points;		/* how many stamps per frame ... */
	int point[2];		/* ... and where they were taken */
};

#define TX_STAMP(name, _flags, ...)					\
	FIXTURE_VARIANT_ADD(tx_stamp, name) {				\
		.flags = (_flags), __VA_ARGS__				\
	}
#define ONCE(where)	.points = 1, .point = { where }
#define TWICE(a, b)	.points = 2, .point = { a, b }

TX_STAMP(software, SOF_TIMESTAMPING_TX_SOFTWARE, ONCE(SCM_TSTAMP_SND));
TX_STAMP(software_with_number,
	 SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_ID,
	 ONCE(SCM_TSTAMP_SND));
TX_STAMP(software_without_frame,
	 SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_OPT_ID |
	 SOF_TIMESTAMPING_OPT_TSONLY, ONCE(SCM_TSTAMP_SND));
TX_STAMP(before_the_queue, SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_OPT_ID,
	 ONCE(SCM_TSTAMP_SCHED));
TX_STAMP(both,
	 SOF_TIMESTAMPING_TX_SCHED | SOF_TIMESTAMPING_TX_SOFTWARE |
	 SOF_TIMESTAMPING_OPT_ID | SOF_TIMESTAMPING_OPT_TSONLY,
	 TWICE(SCM_TSTAMP_SCHED, SCM_TSTAMP_SND));

FIXTURE_SETUP(tx_stamp)
{
	ASSERT_EQ(0, bench_open());
}

FIXTURE_TEARDOWN(tx_stamp) { }

static int ask_tx_stamps(int fd, unsigned int flags)
{
	return ct_sock_set(fd, SO_TIMESTAMPING_OLD,
			   flags | SOF_TIMESTAMPING_SOFTWARE);
}

#define EXPECT_NO_STAMP(fd) \
	EXPECT_EQ(-EAGAIN, receive_len(fd, &(struct message){ }, CAN_MTU, \
				       MSG_ERRQUEUE | MSG_DONTWAIT))

TEST_F(tx_stamp, lies_between_call_and_return)
{
	long long before, after, stamp, previous;
	struct sock_extended_err report;
	unsigned int number;
	struct message message;
	struct can_frame frame;
	const void *data;
	ssize_t len;
	int i;

	ASSERT_EQ(0, ask_tx_stamps(bench.tx, variant->flags));
	len = variant->flags & SOF_TIMESTAMPING_OPT_TSONLY ? 0 : CAN_MTU;
	ct_frame(&frame, 0x123, 8, NULL);

	for (number = 0; number < 5; number++) {
		/* with and without loopback, which clones the frame */
		ASSERT_EQ(0, ct_raw_set(bench.tx, CAN_RAW_LOOPBACK, number % 2));
		before = now();
		ASSERT_EQ(0, ct_send(bench.tx, &frame, sizeof(frame)));
		ASSERT_EQ(0, ct_barrier(bench.third, bench.witness));
		after = now();
		previous = before;

		for (i = 0; i < variant->points; i++) {
			ASSERT_EQ(len, receive_len(bench.tx, &message, CAN_MTU,
						   MSG_ERRQUEUE));
			EXPECT_EQ(0, memcmp(&frame, &message.frame, len));
			EXPECT_EQ(MSG_ERRQUEUE, message.flags);
			EXPECT_EQ(2, control_count(&message));

			data = control(&message, SOL_SOCKET,
				       SO_TIMESTAMPING_OLD);
			ASSERT_NE(NULL, data);
			stamp = stamp_at(data, 0, false, 1);
			EXPECT_LE(previous, stamp);
			EXPECT_LE(stamp, after);
			previous = stamp;

			data = control(&message, SOL_CAN_RAW,
				       SCM_CAN_RAW_ERRQUEUE);
			ASSERT_NE(NULL, data);
			memcpy(&report, data, sizeof(report));
			EXPECT_EQ((__u32)ENOMSG, report.ee_errno);
			EXPECT_EQ(SO_EE_ORIGIN_TIMESTAMPING, report.ee_origin);
			EXPECT_EQ((__u32)variant->point[i], report.ee_info);
			EXPECT_EQ(variant->flags & SOF_TIMESTAMPING_OPT_ID ?
				  number : 0, report.ee_data);
		}
		EXPECT_NO_STAMP(bench.tx);
	}
}

TEST_F(tx_stamp, waits_in_the_error_queue)
{
	struct pollfd pfd = { .fd = bench.tx, .events = POLLIN };
	struct message message;

	ASSERT_EQ(0, ask_tx_stamps(bench.tx, variant->flags));
	ASSERT_EQ(0, ct_raw_only_id(bench.tx, SENTINEL_ID));
	ASSERT_EQ(0, ct_send_id(bench.tx, 0x123));
	ASSERT_EQ(0, ct_barrier(bench.third, bench.witness));

	/* a stamp makes no frame, and it is no error of the socket */
	ASSERT_EQ(1, poll(&pfd, 1, CT_TIMEOUT_MS));
	EXPECT_EQ(POLLERR, pfd.revents);
	EXPECT_EQ(-EAGAIN, receive_len(bench.tx, &message, CAN_MTU,
				       MSG_DONTWAIT));
	ASSERT_EQ(0, ct_send_id(bench.third, SENTINEL_ID));
	EXPECT_NEXT(bench.tx, SENTINEL_ID, FROM_HERE);
	EXPECT_LE(0, receive_len(bench.tx, &message, CAN_MTU, MSG_ERRQUEUE));
}

TEST_F(tx_stamp, can_be_requested_for_a_single_frame)
{
	union {
		char buf[CMSG_SPACE(sizeof(__u32))];
		struct cmsghdr align;
	} request = { };
	struct can_frame frame;
	struct iovec iov = { .iov_base = &frame, .iov_len = sizeof(frame) };
	struct msghdr hdr = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = request.buf,
		.msg_controllen = sizeof(request.buf),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&hdr);
	const unsigned int record = SOF_TIMESTAMPING_TX_RECORD_MASK;
	unsigned int flags = variant->flags & record;
	struct message message;
	int i;

	/* the socket only requests how a stamp is to be reported */
	ASSERT_EQ(0, ask_tx_stamps(bench.tx, variant->flags & ~record));
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SO_TIMESTAMPING_OLD;
	cmsg->cmsg_len = CMSG_LEN(sizeof(flags));
	memcpy(CMSG_DATA(cmsg), &flags, sizeof(flags));

	ASSERT_EQ(0, ct_send_id(bench.tx, 0x122));
	ct_frame(&frame, 0x123, 8, NULL);
	ASSERT_EQ((ssize_t)CAN_MTU, sendmsg(bench.tx, &hdr, 0));
	ASSERT_EQ(0, ct_send_id(bench.tx, 0x124));
	ASSERT_EQ(0, ct_barrier(bench.third, bench.witness));

	for (i = 0; i < variant->points; i++) {
		ASSERT_LE(0, receive_len(bench.tx, &message, CAN_MTU,
					 MSG_ERRQUEUE));
		EXPECT_EQ(variant->flags & SOF_TIMESTAMPING_OPT_TSONLY ?
			  0 : 0x123U, message.frame.can_id);
	}
	EXPECT_NO_STAMP(bench.tx);
}

TEST_F(tx_stamp, of_a_rejected_frame_does_not_exist)
{
	struct can_frame frame;

	ASSERT_EQ(0, ask_tx_stamps(bench.tx, variant->flags));
	ct_frame(&frame, 0x123, 0, NULL);
	frame.len = 9;
	EXPECT_EQ(-EINVAL, ct_send(bench.tx, &frame, sizeof(frame)));
	ASSERT_EQ(0, ct_barrier(bench.third, bench.witness));
	EXPECT_NO_STAMP(bench.tx);
}

TEST_HARNESS_MAIN
