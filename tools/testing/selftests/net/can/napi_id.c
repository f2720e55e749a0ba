// SPDX-License-Identifier: GPL-2.0-only
/*
 * SO_INCOMING_NAPI_ID on all CAN protocols: the NAPI instance that delivers the
 * frames of a socket, with a device on rx-offload (elm327.h). Needs the patches.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/bcm.h>
#include <linux/can/isotp.h>
#include <linux/can/j1939.h>
#include <linux/can/raw.h>

#include "cantest.h"
#include "elm327.h"
#include "kselftest_harness.h"

#define ID		0x123

/* the node that sends J1939 messages, its PGN, and the frames of the latter */
#define SOURCE		0x42
#define PGN		0xfeca
#define J1939_ID(pf, ps)	(CAN_EFF_FLAG | 0x18000000 | (pf) << 16 | \
				 (ps) << 8 | SOURCE)

/* a new namespace with the device in it; why not is a reason to skip the test */
static int open_device(struct elm327 *elm, const char **why_not)
{
	int device, home = ct_netns_get();

	if (home < 0 || ct_netns_new())
		return -EPERM;
	device = elm327_open(elm, home);
	if (device == -ENOENT)
		*why_not = "no can327";
	else if (device == -ENODEV)
		*why_not = "not run in the first network namespace";
	return device < 0 ? device : elm327_await(elm) ?: device;
}

/* a frame arrives, and a message of this size is read from the socket */
static ssize_t feed_and_read(struct elm327 *elm, const struct can_frame *frame,
			     int fd, void *message, size_t size)
{
	return elm327_feed(elm, frame) ?:
	       ct_recv(fd, message, size, CT_TIMEOUT_MS);
}

/* the same for a frame that another socket sends */
static ssize_t send_and_read(int tx, const struct can_frame *frame, int fd,
			     void *message, size_t size)
{
	return ct_send(tx, frame, CAN_MTU) ?:
	       ct_recv(fd, message, size, CT_TIMEOUT_MS);
}

FIXTURE(napi_id) {
	struct elm327 elm;
	int device;
	int vcan;
	int witness;
	int id;
};

/* all other sockets must have the id of this raw socket */
FIXTURE_SETUP(napi_id)
{
	const char *why_not = NULL;
	struct can_frame frame;

	self->elm.master = -1;
	self->elm.slave = -1;
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	self->device = open_device(&self->elm, &why_not);
	if (why_not)
		SKIP(return, "%s", why_not);
	ASSERT_LT(0, self->device);
	self->vcan = CT_OK(ct_vcan_add("vcan0", CAN_MTU));

	self->witness = CT_OK(ct_raw_open(self->device));
	ASSERT_EQ(0, ct_napi_id(self->witness));
	ct_frame(&frame, 0x7ff, 0, NULL);
	ASSERT_EQ((ssize_t)CAN_MTU, feed_and_read(&self->elm, &frame,
						  self->witness, &frame,
						  CAN_MTU));
	self->id = ct_napi_id(self->witness);
	ASSERT_LT(0, self->id);
}

FIXTURE_TEARDOWN(napi_id)
{
	elm327_close(&self->elm);
}

TEST_F(napi_id, raw_socket_on_all_interfaces_keeps_it_over_looped_back_frames)
{
	int any = CT_OK(ct_raw_open(0)), tx = CT_OK(ct_raw_open(self->vcan));
	const ssize_t size = CAN_MTU;
	struct can_frame sent, frame;

	/* sent on this machine: no NAPI instance has delivered it */
	ct_frame(&sent, ID, 8, NULL);
	ASSERT_EQ(size, send_and_read(tx, &sent, any, &frame, size));
	EXPECT_EQ(0, ct_napi_id(any));

	ASSERT_EQ(size, feed_and_read(&self->elm, &sent, any, &frame, size));
	EXPECT_EQ((canid_t)ID, frame.can_id);
	EXPECT_EQ(self->id, ct_napi_id(any));

	ASSERT_EQ(size, send_and_read(tx, &sent, any, &frame, size));
	EXPECT_EQ(self->id, ct_napi_id(any));
}

TEST_F(napi_id, raw_socket_gets_none_from_frames_that_it_filters_out)
{
	const struct can_filter filter = { ID, CAN_SFF_MASK };
	int fd = CT_OK(ct_raw_open(self->device));
	struct can_frame frame;

	ASSERT_EQ(0, ct_raw_filters(fd, &filter, 1));
	ct_frame(&frame, ID + 1, 8, NULL);
	ASSERT_EQ((ssize_t)CAN_MTU, feed_and_read(&self->elm, &frame,
						  self->witness, &frame,
						  CAN_MTU));
	EXPECT_EQ(0, ct_napi_id(fd));
}

static void *feed_one(void *data)
{
	struct elm327 *elm = data;
	struct can_frame frame;

	ct_frame(&frame, ID, 8, NULL);
	return (void *)(intptr_t)elm327_feed(elm, &frame);
}

TEST_F(napi_id, busy_polling_read_gets_the_frame)
{
	struct can_frame frame;
	pthread_t thread;
	void *err;

	ASSERT_EQ(0, ct_sock_set(self->witness, SO_BUSY_POLL, 1000));
	ASSERT_EQ(0, pthread_create(&thread, NULL, feed_one, &self->elm));
	EXPECT_EQ((ssize_t)CAN_MTU, read(self->witness, &frame, sizeof(frame)));
	EXPECT_EQ((canid_t)ID, frame.can_id);
	ASSERT_EQ(0, pthread_join(thread, &err));
	EXPECT_EQ(NULL, err);
}

/* an operation for any interface, so that a looped back frame arrives in between */
TEST_F(napi_id, bcm_socket_keeps_it_over_looped_back_frames)
{
	struct sockaddr_can addr = { .can_family = AF_CAN };
	struct bcm_msg_head setup = {
		.opcode = RX_SETUP,
		.flags = RX_FILTER_ID,
		.can_id = ID,
	};
	union {
		struct bcm_msg_head head;
		char bytes[sizeof(struct bcm_msg_head) + CAN_MTU];
	} msg;
	const ssize_t size = sizeof(msg);
	struct can_frame frame;
	int fd, tx;

	if (ct_module("can-bcm"))
		SKIP(return, "no can-bcm");
	fd = CT_OK(socket(PF_CAN, SOCK_DGRAM | SOCK_CLOEXEC, CAN_BCM));
	ASSERT_EQ(0, connect(fd, (struct sockaddr *)&addr, sizeof(addr)));
	ASSERT_EQ(0, ct_send(fd, &setup, sizeof(setup)));
	tx = CT_OK(ct_raw_open(self->vcan));

	ct_frame(&frame, ID, 8, NULL);
	ASSERT_EQ(size, send_and_read(tx, &frame, fd, &msg, size));
	EXPECT_EQ(0, ct_napi_id(fd));

	ASSERT_EQ(size, feed_and_read(&self->elm, &frame, fd, &msg, size));
	EXPECT_EQ((uint32_t)RX_CHANGED, msg.head.opcode);
	EXPECT_EQ(self->id, ct_napi_id(fd));

	ASSERT_EQ(size, send_and_read(tx, &frame, fd, &msg, size));
	EXPECT_EQ(self->id, ct_napi_id(fd));
}

TEST_F(napi_id, isotp_socket_gets_it_from_messages_of_one_and_of_many_frames)
{
	struct sockaddr_can addr = {
		.can_family = AF_CAN,
		.can_ifindex = self->device,
		.can_addr.tp = { .rx_id = ID, .tx_id = ID + 1 },
	};
	struct can_frame frame;
	char data[64];
	int one, many;

	if (ct_module("can-isotp"))
		SKIP(return, "no can-isotp");

	/* single frame: PCI 0x0, length 3 */
	one = CT_OK(ct_dgram_open(CAN_ISOTP, &addr));
	EXPECT_EQ(0, ct_napi_id(one));
	ct_frame(&frame, ID, 8, "\x03" "abcdefg");
	ASSERT_EQ(3, feed_and_read(&self->elm, &frame, one, data,
				   sizeof(data)));
	EXPECT_EQ(self->id, ct_napi_id(one));
	close(one);

	/* first frame of 12 bytes; the kernel answers with flow control */
	many = CT_OK(ct_dgram_open(CAN_ISOTP, &addr));
	ct_frame(&frame, ID, 8, "\x10\x0c" "abcdef");
	ASSERT_EQ(0, elm327_feed(&self->elm, &frame));
	ASSERT_EQ(0, elm327_await(&self->elm));
	ct_frame(&frame, ID, 8, "\x21" "ghijkl\xcc");
	ASSERT_EQ(12, feed_and_read(&self->elm, &frame, many, data,
				    sizeof(data)));
	EXPECT_EQ(0, memcmp(data, "abcdefghijkl", 12));
	EXPECT_EQ(self->id, ct_napi_id(many));
}

FIXTURE(napi_id_j1939) {
	struct elm327 elm;
	int fd;
};

FIXTURE_SETUP(napi_id_j1939)
{
	struct sockaddr_can addr = {
		.can_family = AF_CAN,
		.can_addr.j1939 = {
			.name = J1939_NO_NAME,
			.addr = J1939_NO_ADDR,
			.pgn = J1939_NO_PGN,
		},
	};
	const char *why_not = NULL;

	self->elm.master = -1;
	self->elm.slave = -1;
	self->fd = -1;
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-j1939"))
		SKIP(return, "no can-j1939");
	addr.can_ifindex = open_device(&self->elm, &why_not);
	if (why_not)
		SKIP(return, "%s", why_not);
	ASSERT_LT(0, addr.can_ifindex);
	self->fd = CT_OK(ct_dgram_open(CAN_J1939, &addr));
	ASSERT_EQ(0, ct_sock_set(self->fd, SO_BROADCAST, 1));
	ASSERT_EQ(0, ct_napi_id(self->fd));
}

/* Up to 6.12.107 an interface cannot be removed while a J1939 socket is bound to it. */
FIXTURE_TEARDOWN(napi_id_j1939)
{
	if (self->fd >= 0)
		close(self->fd);
	elm327_close(&self->elm);
}

TEST_F(napi_id_j1939, socket_gets_it_from_a_message_of_one_frame)
{
	struct can_frame frame;
	char data[64];

	ct_frame(&frame, J1939_ID(PGN >> 8, PGN & 0xff), 8, "abcdefgh");
	ASSERT_EQ(8, feed_and_read(&self->elm, &frame, self->fd, data,
				   sizeof(data)));
	EXPECT_LT(0, ct_napi_id(self->fd));
}

/* TP.CM_BAM announces 9 bytes in 2 packets to all, TP.DT brings them */
TEST_F(napi_id_j1939, socket_gets_it_from_a_message_of_many_frames)
{
	const uint8_t announce[8] = {
		0x20, 9, 0, 2, 0xff, PGN & 0xff, PGN >> 8, 0,
	};
	struct can_frame frame;
	char data[64];

	ct_frame(&frame, J1939_ID(0xec, 0xff), 8, announce);
	ASSERT_EQ(0, elm327_feed(&self->elm, &frame));
	ct_frame(&frame, J1939_ID(0xeb, 0xff), 8, "\x01" "abcdefg");
	ASSERT_EQ(0, elm327_feed(&self->elm, &frame));
	ct_frame(&frame, J1939_ID(0xeb, 0xff), 8, "\x02" "hi\xff\xff\xff\xff\xff");
	ASSERT_EQ(9, feed_and_read(&self->elm, &frame, self->fd, data,
				   sizeof(data)));
	EXPECT_EQ(0, memcmp(data, "abcdefghi", 9));
	EXPECT_LT(0, ct_napi_id(self->fd));
}

TEST_HARNESS_MAIN
