// SPDX-License-Identifier: GPL-2.0-only
/*
 * MCP251x that are suspended and resumed, on boards of all kinds that the driver has
 * code of its own for. The module cansim-suspend does this to a single device while
 * everything else runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <linux/can.h>

#include "simboards.h"

#define SUSPEND		"/sys/kernel/debug/cansim-suspend"

#define ROUNDS		5

/* No frame arrives after this time. */
#define END_MS		200

FIXTURE(suspend) {
	char path[64];
	int fd;
};

SIM_MCP251X_BOARDS(suspend);

FIXTURE_SETUP(suspend)
{
	if (ct_module("cansim-suspend"))
		SKIP(return, "no cansim-suspend");
	self->fd = sim_open_board(_metadata, variant->kind, variant->attributes,
				  self->path);
}

SIM_TEARDOWN(suspend)

/* The chip does not receive while it is suspended, and the frame that is being sent may
 * be aborted. No other frame is.
 */
TEST_F_TIMEOUT(suspend, is_suspended_and_resumed_under_traffic, LONG_TEST)
{
	struct sim_link before, after;
	struct can_frame frame;
	int i, sent, aborted;

	ASSERT_EQ(0, sim_link_get(CHIP_IF, &before));
	ASSERT_EQ(0, sim_board_generate(0));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, OWN_FRAMES));
		usleep(20000);
		ASSERT_EQ(0, sim_write(SUSPEND, CHIP_IF " 50"));
		usleep(20000);
	}
	ASSERT_EQ(0, sim_run(GEN, false));
	while (ct_recv(self->fd, &frame, sizeof(frame), END_MS) > 0)
		;
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &after));
	sent = after.stats.tx_packets - before.stats.tx_packets;
	aborted = after.stats.tx_errors - before.stats.tx_errors;
	EXPECT_EQ(ROUNDS * OWN_FRAMES, sent + aborted);
	EXPECT_GE(ROUNDS, aborted);
	sim_board_exchange(_metadata, self->path, self->fd, FRAMES, OWN_FRAMES);
}

TEST_F_TIMEOUT(suspend, is_suspended_and_resumed_while_down, LONG_TEST)
{
	EXPECT_EQ(0, sim_link_down(CHIP_IF));
	close(self->fd);
	ASSERT_EQ(0, sim_write(SUSPEND, CHIP_IF " 1"));
	self->fd = CT_OK(sim_open_up(CHIP_IF, BITRATE));
	sim_board_exchange(_metadata, self->path, self->fd, 20, 5);
}

TEST_F_TIMEOUT(suspend, values_that_are_refused, LONG_TEST)
{
	EXPECT_EQ(-EINVAL, sim_write(SUSPEND, CHIP_IF));
	EXPECT_EQ(-EINVAL, sim_write(SUSPEND, CHIP_IF " x"));
	EXPECT_EQ(-EINVAL, sim_write(SUSPEND, CHIP_IF " 1 x"));
	EXPECT_EQ(-ERANGE, sim_write(SUSPEND, CHIP_IF " 10001"));
	EXPECT_EQ(-ENODEV, sim_write(SUSPEND, "simif1 1"));
	EXPECT_EQ(-ENODEV, sim_write(SUSPEND, "lo 1"));
	sim_board_exchange(_metadata, self->path, self->fd, 20, 5);
}

TEST_HARNESS_MAIN
