// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transfers of ISO-TP and J1939 between two controllers, while other programs send frames
 * of any priority on the same interfaces: first come, first served, and in the order of
 * the bus. Each message is complete.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/isotp.h>
#include <linux/can/j1939.h>
#include <linux/can/raw.h>
#include <net/if.h>

#include "qdisc.h"
#include "simtest.h"

#define OTHER_IF	"simif1"
#define BITRATE		125000

/* Bytes of a message: above 1785, J1939 uses its extended transport protocol. */
#define SHORT		600
#define LONG		1800
#define MESSAGES	(sim_clock_counts() ? 2U : 1U)

#define TO_OTHER	0x400
#define FROM_OTHER	0x401
#define ADDRESS		0x80
#define OTHER_ADDRESS	0x81
#define MESSAGE_PGN	0x12300
#define BROADCAST_PGN	0x1ff00

/* Bytes of a message to all, which takes 50 ms for each frame */
#define BROADCAST	30
#define BROADCAST_END_S	3

/* Frames that keep the bus busy for 0.1 s */
#define JAM		BUS "/generator.jam"
#define JAM_FRAMES	100

/* Frames of other programs that wait together */
#define AT_ONCE		3

/* of any wait; the protocols give up long before */
#define END_S		60
#define LONG_TEST	900

/* On either side of those of both protocols; the first interface sends these, the second
 * one the next ones.
 */
static const canid_t other_ids[] = {
	0x050, 0x3fe, 0x402, 0x7fe, CAN_EFF_FLAG | 0x00000002, CAN_EFF_FLAG | 0x1ffffffe,
};

/* Other programs that send on an interface */
struct sender {
	pthread_t thread;
	unsigned int number;
	bool stop;
	int sent;
	int err;
};

FIXTURE(transfer) {
	char path[64];
	int fd;
	int other;
};

FIXTURE_VARIANT(transfer) {
	const char *kind;
	bool bus_order;
};

FIXTURE_VARIANT_ADD(transfer, sja1000_fifo) { "sja1000", false };
FIXTURE_VARIANT_ADD(transfer, sja1000) { "sja1000", true };
FIXTURE_VARIANT_ADD(transfer, mpc5200_fifo) { "mpc5200", false };
FIXTURE_VARIANT_ADD(transfer, mpc5200) { "mpc5200", true };
FIXTURE_VARIANT_ADD(transfer, mcp2515_fifo) { "mcp2515", false };
FIXTURE_VARIANT_ADD(transfer, mcp2515) { "mcp2515", true };

static const char *const interfaces[] = { CHIP_IF, OTHER_IF };

static int only_own_ids(int fd, unsigned int number)
{
	struct can_filter filters[ARRAY_SIZE(other_ids)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++)
		filters[i] = (struct can_filter) {
			.can_id = other_ids[i] + number,
			.can_mask = CAN_EFF_MASK | CAN_EFF_FLAG,
		};
	return ct_raw_filters(fd, filters, ARRAY_SIZE(filters));
}

/* Write some frames, and wait until they are sent. */
static int send_some(int fd, unsigned int number, unsigned int *seed)
{
	struct can_frame frame;
	int i, err = 0;

	for (i = 0; i < AT_ONCE && !err; i++) {
		ct_frame(&frame, other_ids[rand_r(seed) % ARRAY_SIZE(other_ids)] + number, 8,
			 NULL);
		err = ct_send(fd, &frame, sizeof(frame));
	}
	for (i = 0; i < AT_ONCE && !err; i++)
		if (ct_recv(fd, &frame, sizeof(frame), END_S * 1000) != sizeof(frame))
			err = -ETIMEDOUT;
	return err;
}

static void *other_programs(void *arg)
{
	struct sender *sender = arg;
	unsigned int seed = sender->number;
	int fd = ct_raw_open(if_nametoindex(interfaces[sender->number]));

	sender->err = fd < 0 ? fd : ct_raw_set(fd, CAN_RAW_RECV_OWN_MSGS, 1) ?:
				    only_own_ids(fd, sender->number);
	while (!sender->err && !__atomic_load_n(&sender->stop, __ATOMIC_RELAXED)) {
		sender->err = send_some(fd, sender->number, &seed);
		sender->sent += AT_ONCE;
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

FIXTURE_SETUP(transfer)
{
	unsigned int i;

	self->fd = -1;
	self->other = -1;
	if (variant->bus_order && ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!sim_open_chip(_metadata, "generator.jam sja1000." OTHER_IF, variant->kind,
			   self->path))
		return;
	ASSERT_EQ(0, sim_slow_down(BUS));
	ASSERT_EQ(0, sim_set_all(JAM, "bitrate=%u id=001 count=%u", BITRATE, JAM_FRAMES));
	ASSERT_EQ(0, sim_live(BUS, true));
	for (i = 0; i < ARRAY_SIZE(interfaces); i++) {
		ASSERT_EQ(0, ct_link_queue(interfaces[i], 1000));
		ASSERT_EQ(0, sim_link_up(interfaces[i], BITRATE, ""));
		if (!variant->bus_order)
			continue;
		ASSERT_EQ(0, sim_link_set_flags(interfaces[i], 1));
		ASSERT_EQ(0, qd_replace(interfaces[i], "can_prio"));
	}
}

FIXTURE_TEARDOWN(transfer)
{
	/* they hold the interfaces */
	if (self->fd >= 0)
		close(self->fd);
	if (self->other >= 0)
		close(self->other);
	sim_close();
}

static void fill(uint8_t *message, unsigned int number)
{
	unsigned int seed = number, i;

	for (i = 0; i < LONG; i++)
		message[i] = rand_r(&seed);
}

/* Messages from @fd to @other, of at most LONG bytes, to @address if it is not NULL */
static void transfer(struct __test_metadata *_metadata, FIXTURE_DATA(transfer) *self,
		     ssize_t length, const struct sockaddr_can *address)
{
	struct timeval end = { .tv_sec = END_S };
	uint8_t message[LONG], got[LONG + 1];
	struct sender senders[2] = { };
	unsigned int i;

	ASSERT_EQ(0, setsockopt(self->other, SOL_SOCKET, SO_RCVTIMEO, &end, sizeof(end)));
	for (i = 0; i < ARRAY_SIZE(senders); i++) {
		senders[i].number = i;
		ASSERT_EQ(0, pthread_create(&senders[i].thread, NULL, other_programs,
					    &senders[i]));
	}
	for (i = 0; i < MESSAGES; i++) {
		fill(message, i);
		ASSERT_EQ(length, sendto(self->fd, message, length, 0,
					 (const struct sockaddr *)address,
					 address ? sizeof(*address) : 0));
		EXPECT_EQ(length, recv(self->other, got, sizeof(got), 0))
			TH_LOG("message %u: %s", i, strerror(errno));
		EXPECT_EQ(0, memcmp(message, got, length));
	}
	for (i = 0; i < ARRAY_SIZE(senders); i++) {
		__atomic_store_n(&senders[i].stop, true, __ATOMIC_RELAXED);
		ASSERT_EQ(0, pthread_join(senders[i].thread, NULL));
		EXPECT_EQ(0, senders[i].err);
		EXPECT_LT(0, senders[i].sent);
	}
}

static int isotp(const char *name, canid_t tx_id, canid_t rx_id)
{
	struct sockaddr_can address = {
		.can_family = AF_CAN, .can_ifindex = if_nametoindex(name),
		.can_addr.tp = { .tx_id = tx_id, .rx_id = rx_id },
	};

	return ct_dgram_open(CAN_ISOTP, &address);
}

TEST_F_TIMEOUT(transfer, of_isotp, LONG_TEST)
{
	if (ct_module("can-isotp"))
		SKIP(return, "no can-isotp");
	self->fd = CT_OK(isotp(CHIP_IF, TO_OTHER, FROM_OTHER));
	self->other = CT_OK(isotp(OTHER_IF, FROM_OTHER, TO_OTHER));
	transfer(_metadata, self, SHORT, NULL);
}

static int j1939(const char *name, uint8_t node)
{
	struct sockaddr_can address = {
		.can_family = AF_CAN, .can_ifindex = if_nametoindex(name),
		.can_addr.j1939 = {
			.name = J1939_NO_NAME, .addr = node, .pgn = J1939_NO_PGN,
		},
	};

	return ct_dgram_open(CAN_J1939, &address);
}

static void transfer_j1939(struct __test_metadata *_metadata, FIXTURE_DATA(transfer) *self,
			   ssize_t length)
{
	struct sockaddr_can to = {
		.can_family = AF_CAN,
		.can_addr.j1939 = {
			.name = J1939_NO_NAME, .addr = OTHER_ADDRESS, .pgn = MESSAGE_PGN,
		},
	};

	if (ct_module("can-j1939"))
		SKIP(return, "no can-j1939");
	self->fd = CT_OK(j1939(CHIP_IF, ADDRESS));
	self->other = CT_OK(j1939(OTHER_IF, OTHER_ADDRESS));
	transfer(_metadata, self, length, &to);
}

TEST_F_TIMEOUT(transfer, of_j1939, LONG_TEST)
{
	transfer_j1939(_metadata, self, SHORT);
}

/* Offsets of the data have a less urgent identifier than the data. */
TEST_F_TIMEOUT(transfer, of_j1939_extended, LONG_TEST)
{
	transfer_j1939(_metadata, self, LONG);
}

/* A node with urgent frames keeps the announcement waiting for longer than the 50 ms after
 * which the data follow it.
 */
TEST_F_TIMEOUT(transfer, of_j1939_to_all_on_a_busy_bus, LONG_TEST)
{
	struct sockaddr_can to = {
		.can_family = AF_CAN,
		.can_addr.j1939 = {
			.name = J1939_NO_NAME, .addr = J1939_NO_ADDR, .pgn = BROADCAST_PGN,
		},
	};
	struct timeval end = { .tv_sec = BROADCAST_END_S };
	uint8_t message[LONG], got[LONG];

	if (ct_module("can-j1939"))
		SKIP(return, "no can-j1939");
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (sim_number(BUS, "slowdown") > 1)
		SKIP(return, "the bus is slower than the protocol");
	self->fd = CT_OK(j1939(CHIP_IF, ADDRESS));
	self->other = CT_OK(j1939(OTHER_IF, OTHER_ADDRESS));
	ASSERT_EQ(0, ct_sock_set(self->fd, SO_BROADCAST, 1));
	ASSERT_EQ(0, ct_sock_set(self->other, SO_BROADCAST, 1));
	ASSERT_EQ(0, setsockopt(self->other, SOL_SOCKET, SO_RCVTIMEO, &end, sizeof(end)));
	fill(message, 0);
	ASSERT_EQ(0, sim_run(JAM, true));
	ASSERT_EQ(BROADCAST, sendto(self->fd, message, BROADCAST, 0, (struct sockaddr *)&to,
				    sizeof(to)));
	EXPECT_EQ(BROADCAST, recv(self->other, got, sizeof(got), 0)) TH_LOG("%s", strerror(errno));
	EXPECT_EQ(0, memcmp(message, got, BROADCAST));
}

TEST_HARNESS_MAIN
