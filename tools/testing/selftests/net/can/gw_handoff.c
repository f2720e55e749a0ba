// SPDX-License-Identifier: GPL-2.0-only
/*
 * The gateway sends the received frame itself, not a copy, if no other receiver needs it.
 * Other receivers see the frame unmodified at any time, and each of several rules sends
 * the same as without the others.
 *
 * There is one rule, which marks each frame, or there are three: one marks it, the next
 * one leaves it as it is, the last one marks it otherwise. They send it in this order.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "cantest.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define ROUNDS	20
#define WINDOW	10	/* frames on their way at a time */
#define RULES	3
#define LEN	13	/* of the data of CAN FD and CAN XL frames */

/* in the data: the number of the frame, and what rules change */
#define NUMBER	0
#define MARK	5

static const uint8_t marks[RULES] = { 0x40, 0x00, 0x01 };

FIXTURE(gw_handoff) {
	struct gwnl gw;
	int tx;
	int rx;
};

FIXTURE_VARIANT(gw_handoff) {
	int rules;
	enum can_gw_frames frames;
	unsigned int size;	/* of a frame */
	unsigned int data;	/* where its data begin */
	uint16_t protocol;
};

#define KIND_VARIANTS(name, kind, bytes, type, number)			\
	FIXTURE_VARIANT_ADD(gw_handoff, name##_one_rule) {			\
		.rules = 1, .frames = CAN_GW_FRAMES_##kind,		\
		.size = bytes, .data = offsetof(struct type, data),	\
		.protocol = number,					\
	};								\
	FIXTURE_VARIANT_ADD(gw_handoff, name##_three_rules) {		\
		.rules = RULES, .frames = CAN_GW_FRAMES_##kind,		\
		.size = bytes, .data = offsetof(struct type, data),	\
		.protocol = number,					\
	}

KIND_VARIANTS(cc, CC, CAN_MTU, can_frame, ETH_P_CAN);
KIND_VARIANTS(fd, FD, CANFD_MTU, canfd_frame, ETH_P_CANFD);
KIND_VARIANTS(xl, XL, CANXL_HDR_SIZE + LEN, canxl_frame, ETH_P_CANXL);

union frame {
	struct can_frame cc;
	struct canfd_frame fd;
	struct canxl_frame xl;
	uint8_t byte[sizeof(struct canxl_frame)];
};

static void make_frame(union frame *frame, const FIXTURE_VARIANT(gw_handoff) *kind,
		       uint8_t number)
{
	memset(frame, 0, sizeof(*frame));
	switch (kind->frames) {
	case CAN_GW_FRAMES_CC:
		ct_frame(&frame->cc, 0x123, CAN_MAX_DLEN, NULL);
		break;
	case CAN_GW_FRAMES_FD:
		ct_fdframe(&frame->fd, 0x123, 16, NULL);
		break;
	default:
		frame->xl.prio = 0x123;
		frame->xl.flags = CANXL_XLF;
		frame->xl.len = LEN;
	}
	memset(frame->byte + kind->data, 0, 8);
	frame->byte[kind->data + NUMBER] = number;
}

static bool same(const union frame *a, const union frame *b,
		 const FIXTURE_VARIANT(gw_handoff) *kind)
{
	return !memcmp(a, b, kind->size);
}

static int add_rules(struct gwnl *gw, const FIXTURE_VARIANT(gw_handoff) *kind,
		     int src, int dst)
{
	uint64_t handle;
	int i, err = 0;

	/* the newest one sends first */
	for (i = kind->rules - 1; i >= 0 && !err; i--) {
		struct gwnl_rule rule = {
			.source = src, .destination = dst,
			.frames = kind->frames, .flags = CAN_GW_FLAGS_ECHO,
		};

		if (marks[i]) {
			rule.op[GWNL_XOR].fields = GWNL_FIELD(DATA);
			rule.op[GWNL_XOR].data_len = 8;
			rule.op[GWNL_XOR].data[MARK] = marks[i];
		}
		err = gwnl_add(gw, &rule, &handle);
	}
	return err;
}

/* each frame matches both, and is to be received once */
static int two_filters(int fd)
{
	static const struct can_filter filters[2];

	return ct_raw_filters(fd, filters, 2);
}

FIXTURE_SETUP(gw_handoff)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	/* frames of a vcan stay in order on one CPU only */
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(0, gwnl_open(&self->gw));
	ASSERT_LT(0, ct_vxcan_add("dst", "far", -1, CANXL_MTU));
	self->rx = ct_raw_open_xl(if_nametoindex("far"));
	ASSERT_LE(0, self->rx);
	ASSERT_EQ(0, two_filters(self->rx));
	self->tx = -1;
}

FIXTURE_TEARDOWN(gw_handoff)
{
	gwnl_close(&self->gw);
	close(self->rx);
	if (self->tx >= 0)
		close(self->tx);
}

/* what each rule has sent, in their order */
static void expect_routed(struct __test_metadata *_metadata, int rx,
			  const FIXTURE_VARIANT(gw_handoff) *kind, uint8_t number)
{
	union frame want, got;
	int i;

	for (i = 0; i < kind->rules; i++) {
		make_frame(&want, kind, number);
		want.byte[kind->data + MARK] ^= marks[i];
		ASSERT_EQ(kind->size, ct_recv(rx, &got, sizeof(got), CT_TIMEOUT_MS));
		EXPECT_TRUE(same(&want, &got, kind))
			TH_LOG("frame %u, rule %d: number %u, mark %02x", number, i,
			       got.byte[kind->data + NUMBER],
			       got.byte[kind->data + MARK]);
	}
}

/* as it was sent; a packet socket may see it on its way out, too */
static void expect_seen(struct __test_metadata *_metadata, int fd,
			const FIXTURE_VARIANT(gw_handoff) *kind, uint8_t number,
			int times)
{
	union frame want, got;
	int i;

	make_frame(&want, kind, number);
	for (i = 0; i < times; i++) {
		ASSERT_EQ(kind->size, ct_recv(fd, &got, sizeof(got), CT_TIMEOUT_MS));
		EXPECT_TRUE(same(&want, &got, kind))
			TH_LOG("frame %u: number %u, mark %02x", number,
			       got.byte[kind->data + NUMBER],
			       got.byte[kind->data + MARK]);
	}
}

/* The listener, if there is one, looks at frames when all of them have been routed. */
static void route(struct __test_metadata *_metadata, FIXTURE_DATA(gw_handoff) *self,
		  const FIXTURE_VARIANT(gw_handoff) *kind, int listener, int times)
{
	union frame frame;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < WINDOW; i++) {
			make_frame(&frame, kind, round * WINDOW + i);
			ASSERT_EQ(0, ct_send(self->tx, &frame, kind->size));
		}
		for (i = 0; i < WINDOW; i++)
			expect_routed(_metadata, self->rx, kind, round * WINDOW + i);
		for (i = 0; i < WINDOW && times; i++)
			expect_seen(_metadata, listener, kind, round * WINDOW + i, times);
	}
	EXPECT_EQ(-ETIMEDOUT, ct_recv(self->rx, &frame, sizeof(frame), 0));
	if (times)
		EXPECT_EQ(-ETIMEDOUT, ct_recv(listener, &frame, sizeof(frame), 0));
}

/* Return: the index of a vcan that is the source of the rules */
static int from_vcan(FIXTURE_DATA(gw_handoff) *self, const FIXTURE_VARIANT(gw_handoff) *kind)
{
	int src = ct_vcan_add("src", CANXL_MTU);

	if (src < 0)
		return src;
	self->tx = ct_raw_open_xl(src);
	if (self->tx < 0)
		return self->tx;
	return add_rules(&self->gw, kind, src, if_nametoindex("dst")) ?: src;
}

static int packet_open(uint16_t protocol, int ifindex)
{
	struct sockaddr_ll where = {
		.sll_family = AF_PACKET, .sll_protocol = htons(protocol),
		.sll_ifindex = ifindex,
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&where, sizeof(where)))
		return fd;
	close(fd);
	return -errno;
}

TEST_F(gw_handoff, without_other_receivers)
{
	ASSERT_LT(0, from_vcan(self, variant));
	route(_metadata, self, variant, -1, 0);
}

TEST_F(gw_handoff, with_a_raw_socket)
{
	int src = from_vcan(self, variant), fd;

	ASSERT_LT(0, src);
	fd = ct_raw_open_xl(src);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, two_filters(fd));
	route(_metadata, self, variant, fd, 1);
	close(fd);
}

/* Its sender has it in the queue of its own messages. */
TEST_F(gw_handoff, with_own_messages_of_the_sender)
{
	ASSERT_LT(0, from_vcan(self, variant));
	ASSERT_EQ(0, ct_raw_set(self->tx, CAN_RAW_RECV_OWN_MSGS, 1));
	route(_metadata, self, variant, self->tx, 1);
}

TEST_F(gw_handoff, with_a_packet_socket_for_all_protocols)
{
	int src = from_vcan(self, variant), fd;

	ASSERT_LT(0, src);
	fd = packet_open(ETH_P_ALL, src);
	ASSERT_LE(0, fd);
	route(_metadata, self, variant, fd, 2);
	close(fd);
}

/* It gets the frame after CAN, whose last receiver is not the last one then. */
TEST_F(gw_handoff, with_a_packet_socket_of_its_protocol)
{
	int src = from_vcan(self, variant), fd;

	ASSERT_LT(0, src);
	fd = packet_open(variant->protocol, src);
	ASSERT_LE(0, fd);
	route(_metadata, self, variant, fd, 1);
	close(fd);
}

/* Another interface is where it came from, and whose echo has the same data. */
TEST_F(gw_handoff, with_a_raw_socket_on_the_sending_vxcan)
{
	int src = ct_vxcan_add("src", "near", -1, CANXL_MTU), fd;

	ASSERT_LT(0, src);
	self->tx = ct_raw_open_xl(if_nametoindex("near"));
	ASSERT_LE(0, self->tx);
	fd = ct_raw_open_xl(if_nametoindex("near"));
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, add_rules(&self->gw, variant, src, if_nametoindex("dst")));
	route(_metadata, self, variant, fd, 1);
	close(fd);
}

/* A socket without an interface gets what comes from all of them, but for what it has sent
 * itself. What a rule sends is not that.
 */
TEST_F(gw_handoff, sender_receives_routed_frames)
{
	struct sockaddr_can where = { .can_family = AF_CAN };
	int dst = ct_vcan_add("other", CANXL_MTU), fd, n;
	int src = ct_vcan_add("src", CANXL_MTU);
	union frame frame;

	ASSERT_LT(0, src);
	ASSERT_LT(0, dst);
	ASSERT_EQ(0, add_rules(&self->gw, variant, src, dst));
	fd = ct_raw_open_xl(0);
	ASSERT_LE(0, fd);
	where.can_ifindex = src;
	for (n = 0; n < ROUNDS; n++) {
		make_frame(&frame, variant, n);
		ASSERT_EQ(variant->size, sendto(fd, &frame, variant->size, 0,
						(struct sockaddr *)&where, sizeof(where)));
		expect_routed(_metadata, fd, variant, n);
	}
	EXPECT_EQ(-ETIMEDOUT, ct_recv(fd, &frame, sizeof(frame), 0));
	close(fd);
}

/* What it was charged for is given back to its sender: after far more bytes than may be
 * on their way, it can still send.
 */
TEST_F(gw_handoff, sender_is_not_charged_for_routed_frames)
{
	int size = 4608, round;

	ASSERT_LT(0, from_vcan(self, variant));
	ASSERT_EQ(0, setsockopt(self->tx, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size)));
	for (round = 0; round < 100; round++) {
		union frame frame;

		make_frame(&frame, variant, round);
		ASSERT_EQ(0, ct_send(self->tx, &frame, variant->size));
		expect_routed(_metadata, self->rx, variant, round);
	}
}

TEST_HARNESS_MAIN
