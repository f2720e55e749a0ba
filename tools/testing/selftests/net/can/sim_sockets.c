// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets of every CAN protocol poll the driver of the controller that they receive
 * from, with its receive interrupts masked: all frames of a generator arrive. Needs
 * the patched modules.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/bcm.h>
#include <linux/can/isotp.h>
#include <linux/can/j1939.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "simbus.h"
#include "simpoll.h"

#define BUS		"simbus0"
#define GEN		BUS "/generator.gen"
#define CHIP_IF		"simif0"

#define BITRATE		250000

/* A frame of eight bytes takes about 480 us. */
#define PERIOD_NS	2000000

#define FRAMES		50

#define STD_ID		0x200

/* PGN 0xfef1 from address 0, to everybody */
#define J1939_ID	0x18fef100
#define J1939_FRAME_PGN	0xfef1

/* shorter than any chip takes to fill at this bit rate: 235 bits are 940 us */
#define FLUSH_TIMEOUT_NS	"500000"

#define BUSY_POLL_US	5000

#define LONG_TEST	600

FIXTURE(sockets) {
	char path[64];
	int fd;
	bool strict;
};

FIXTURE_VARIANT(sockets) {
	const char *kind;
};

FIXTURE_VARIANT_ADD(sockets, sja1000) { "sja1000" };
FIXTURE_VARIANT_ADD(sockets, mpc5200) { "mpc5200" };
FIXTURE_VARIANT_ADD(sockets, mcp2515) { "mcp2515" };

FIXTURE_SETUP(sockets)
{
	int err;

	self->fd = -1;
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (sim_open())
		SKIP(return, "no cansim");
	err = sim_controller_make(BUS, variant->kind, CHIP_IF, self->path);
	if (err == -ENODEV) {
		sim_close();
		SKIP(return, "no %s", variant->kind);
	}
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, sim_set(GEN, "bitrate", "250000"));
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_link_up(CHIP_IF, BITRATE, ""));
	ASSERT_EQ(0, sim_defer_interrupts(CHIP_IF, FLUSH_TIMEOUT_NS));
	self->strict = sim_clock_counts();
}

FIXTURE_TEARDOWN(sockets)
{
	if (self->fd >= 0)
		close(self->fd);
	sim_close();
}

/* One message for each frame. With the first one the socket gets its NAPI ID. */
static void expect_messages(struct __test_metadata *_metadata,
			    FIXTURE_DATA(sockets) *self, const char *kind,
			    const char *frames, size_t size)
{
	struct timeval end = { .tv_sec = 2 }, soon = { .tv_usec = 200000 };
	int64_t polled, overruns;
	char message[256];
	int got = 0;

	ASSERT_EQ(0, setsockopt(self->fd, SOL_SOCKET, SO_RCVTIMEO, &end,
				sizeof(end)));
	ASSERT_EQ(0, sim_busy_poll(self->fd, BUSY_POLL_US, true));
	ASSERT_EQ(0, sim_generate(GEN, "%s count=1", frames));
	ASSERT_EQ((ssize_t)size, read(self->fd, message, sizeof(message)));
	EXPECT_LT(0, ct_napi_id(self->fd));

	polled = sim_polled_packets();
	ASSERT_LE(0, polled);
	overruns = sim_number(self->path, "overruns");
	ASSERT_EQ(0, sim_set_all(GEN, "count=%d period_ns=%d", FRAMES,
				 PERIOD_NS));
	ASSERT_EQ(0, sim_run(GEN, true));
	if (self->strict)
		ASSERT_EQ(0, setsockopt(self->fd, SOL_SOCKET, SO_RCVTIMEO,
					&soon, sizeof(soon)));
	while (read(self->fd, message, sizeof(message)) == (ssize_t)size)
		got++;
	overruns = sim_number(self->path, "overruns") - overruns;
	EXPECT_EQ(FRAMES - overruns, got);
	if (!self->strict)
		return;
	EXPECT_EQ(0, overruns);
	/* the interrupt thread reads an MCP2515 */
	if (strcmp(kind, "mcp2515"))
		EXPECT_LE(polled + FRAMES / 2, sim_polled_packets());
}

TEST_F_TIMEOUT(sockets, raw, LONG_TEST)
{
	self->fd = CT_OK(sim_socket(CHIP_IF, 0, false));
	expect_messages(_metadata, self, variant->kind, "id=200 dlc=8",
			sizeof(struct can_frame));
}

TEST_F_TIMEOUT(sockets, bcm, LONG_TEST)
{
	struct sockaddr_can addr = { .can_family = AF_CAN };
	struct bcm_msg_head head = {
		.opcode = RX_SETUP, .flags = RX_FILTER_ID, .can_id = STD_ID,
	};

	if (ct_module("can-bcm"))
		SKIP(return, "no can-bcm");
	addr.can_ifindex = if_nametoindex(CHIP_IF);
	self->fd = CT_OK(socket(PF_CAN, SOCK_DGRAM | SOCK_CLOEXEC, CAN_BCM));
	ASSERT_EQ(0, connect(self->fd, (struct sockaddr *)&addr, sizeof(addr)));
	ASSERT_EQ((ssize_t)sizeof(head), write(self->fd, &head, sizeof(head)));
	expect_messages(_metadata, self, variant->kind, "id=200 dlc=8",
			sizeof(head) + sizeof(struct can_frame));
}

TEST_F_TIMEOUT(sockets, isotp, LONG_TEST)
{
	struct sockaddr_can addr = {
		.can_family = AF_CAN,
		.can_addr.tp = { .rx_id = STD_ID, .tx_id = STD_ID + 1 },
	};

	if (ct_module("can-isotp"))
		SKIP(return, "no can-isotp");
	addr.can_ifindex = if_nametoindex(CHIP_IF);
	self->fd = CT_OK(ct_dgram_open(CAN_ISOTP, &addr));
	/* a single frame with three bytes */
	expect_messages(_metadata, self, variant->kind,
			"id=200 dlc=8 data=0311223300000000", 3);
}

TEST_F_TIMEOUT(sockets, j1939, LONG_TEST)
{
	struct sockaddr_can addr = {
		.can_family = AF_CAN,
		.can_addr.j1939 = {
			.name = J1939_NO_NAME, .addr = J1939_NO_ADDR,
			.pgn = J1939_FRAME_PGN,
		},
	};
	char frames[64];

	if (ct_module("can-j1939"))
		SKIP(return, "no can-j1939");
	addr.can_ifindex = if_nametoindex(CHIP_IF);
	self->fd = CT_OK(socket(PF_CAN, SOCK_DGRAM | SOCK_CLOEXEC, CAN_J1939));
	ASSERT_EQ(0, ct_sock_set(self->fd, SO_BROADCAST, 1));
	ASSERT_EQ(0, bind(self->fd, (struct sockaddr *)&addr, sizeof(addr)));
	snprintf(frames, sizeof(frames), "id=%08X dlc=8", J1939_ID);
	expect_messages(_metadata, self, variant->kind, frames, 8);
}

TEST_HARNESS_MAIN
