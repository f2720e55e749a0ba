// SPDX-License-Identifier: GPL-2.0-only
/*
 * Variants of boards that drivers have separate code for: edge-triggered interrupts, a
 * line whose level cannot be read, SPI controllers that cannot send and receive at the
 * same time or are behind a multiplexer, GPIO pins, shared interrupts. On each of them,
 * frames are sent in both directions; interfaces are set down, controllers are removed,
 * and drivers are unbound, under traffic.
 *
 * If the clock counts instructions, a chip must not overrun. Otherwise the lost frames
 * have to be those that the chip counts.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>

#include <linux/can.h>

#include "simboards.h"

FIXTURE(variant) {
	char path[64];
	int fd;
};

SIM_MCP251X_BOARDS(variant);
SIM_BOARD(variant, sja1000, unshared, "irq_shared=0");
SIM_BOARD(variant, sja1000, edge, "irq_edge=1");
SIM_BOARD(variant, sja1000, resets_on_overrun, "quirk_reset_on_overrun=1");

FIXTURE_SETUP(variant)
{
	self->fd = sim_open_board(_metadata, variant->kind, variant->attributes,
				  self->path);
}

SIM_TEARDOWN(variant)

TEST_F_TIMEOUT(variant, frames_go_both_ways, LONG_TEST)
{
	struct sim_link before, after;

	ASSERT_EQ(0, sim_link_get(CHIP_IF, &before));
	sim_board_exchange(_metadata, self->path, self->fd, FRAMES, OWN_FRAMES);
	EXPECT_EQ(FRAMES + OWN_FRAMES, sim_number(BUS, "frames"));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &after));
	EXPECT_EQ(before.stats.tx_packets + OWN_FRAMES, after.stats.tx_packets);
	EXPECT_EQ(before.stats.tx_errors, after.stats.tx_errors);
}

/* The interrupt comes when two frames have been received. */
TEST_F_TIMEOUT(variant, two_frames_wait_for_the_driver, LONG_TEST)
{
	struct can_frame frame;
	int i, first = 0;

	ASSERT_EQ(0, sim_set(self->path, "irq_hold", "1"));
	ASSERT_EQ(0, sim_generate(GEN, "count=2"));
	ASSERT_EQ(0, sim_set(self->path, "irq_hold", "0"));
	for (i = 0; i < 2; i++) {
		ASSERT_LT(0, ct_recv(self->fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		EXPECT_EQ((canid_t)OTHER_ID, frame.can_id);
		if (!i)
			first = frame.data[0];
		EXPECT_EQ(first + i, frame.data[0]);
	}
}

TEST_F_TIMEOUT(variant, goes_down_and_up_under_traffic, LONG_TEST)
{
	int i, echoes = 0;

	ASSERT_EQ(0, sim_board_generate(0));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, 3));
		EXPECT_EQ(0, sim_link_down(CHIP_IF));
		/* the socket has a pending error */
		close(self->fd);
		self->fd = CT_OK(sim_open_up(CHIP_IF, BITRATE));
		usleep(20000);
	}
	ASSERT_EQ(0, sim_run(GEN, false));
	sim_receive_run(self->fd, OWN_ID, &echoes);
	sim_board_exchange(_metadata, self->path, self->fd, 20, 5);
}

TEST_F_TIMEOUT(variant, is_removed_under_traffic, LONG_TEST)
{
	int i;

	if (ct_baseline())
		SKIP(return, "the driver leaves an interrupt behind that never ends");
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, sim_board_generate(0));
		ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, 20));
		usleep(20000);
		EXPECT_EQ(0, sim_live(BUS, false));
		EXPECT_EQ(0u, if_nametoindex(CHIP_IF));
		close(self->fd);
		ASSERT_EQ(0, sim_live(BUS, true));
		self->fd = CT_OK(sim_open_up(CHIP_IF, BITRATE));
	}
	sim_board_exchange(_metadata, self->path, self->fd, 20, 0);
}

TEST_F_TIMEOUT(variant, loses_its_driver_under_traffic, LONG_TEST)
{
	char device[NAME_MAX], name[IFNAMSIZ];
	int i;

	if (ct_baseline())
		SKIP(return, "the driver leaves an interrupt behind that never ends");
	sim_spi_device(CHIP_IF, device);
	if (!device[0])
		SKIP(return, "not behind SPI");
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, sim_board_generate(0));
		ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, 20));
		usleep(20000);
		ASSERT_EQ(0, sim_spi_driver("unbind", device));
		EXPECT_TRUE(sim_is(self->path, "interface", ""));
		close(self->fd);
		ASSERT_EQ(0, sim_run(GEN, false));
		ASSERT_EQ(0, sim_spi_driver("bind", device));
		/* the driver has chosen another name */
		ASSERT_LT(0, sim_get(self->path, "interface", name, sizeof(name)));
		self->fd = CT_OK(sim_open_up(name, BITRATE));
	}
	sim_board_exchange(_metadata, self->path, self->fd, 20, 0);
}

TEST_HARNESS_MAIN
