// SPDX-License-Identifier: GPL-2.0-only
/*
 * MCP251x that are suspended and resumed, on boards of all kinds that the driver has
 * code of its own for. The module cansim-suspend does this to a single device while
 * everything else runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "simbus.h"

#define BUS		"simbus0"
#define GEN		BUS "/generator.gen"
#define CHIP_IF		"simif0"
#define SUSPEND		"/sys/kernel/debug/cansim-suspend"

#define BITRATE		125000

/* A frame of eight bytes takes about a millisecond. */
#define PERIOD_NS	3000000

#define FRAMES		100
#define OWN_FRAMES	50
#define ROUNDS		5

#define OWN_ID		0x300
#define OTHER_ID	0x200

#define LONG_TEST	600

/* No frame arrives after this time. */
#define END_MS		200

/* @overruns: of the chip, before a run */
FIXTURE(suspend) {
	char path[64];
	int fd;
	int overruns;
};

FIXTURE_VARIANT(suspend) {
	const char *kind;
	const char *attributes;
};

FIXTURE_VARIANT_ADD(suspend, mcp2515_edge) {
	.kind = "mcp2515", .attributes = "irq_edge=1",
};

FIXTURE_VARIANT_ADD(suspend, mcp2515_unreadable) {
	.kind = "mcp2515", .attributes = "irq_unreadable=1",
};

FIXTURE_VARIANT_ADD(suspend, mcp2515_edge_unreadable) {
	.kind = "mcp2515", .attributes = "irq_edge=1 irq_unreadable=1",
};

FIXTURE_VARIANT_ADD(suspend, mcp2515_half_duplex) {
	.kind = "mcp2515", .attributes = "half_duplex=1",
};

FIXTURE_VARIANT_ADD(suspend, mcp2515_spi_mux) {
	.kind = "mcp2515", .attributes = "spi_mux=1",
};

FIXTURE_VARIANT_ADD(suspend, mcp2515_gpio) {
	.kind = "mcp2515", .attributes = "gpio=1",
};

FIXTURE_VARIANT_ADD(suspend, mcp2510_edge_unreadable) {
	.kind = "mcp2510", .attributes = "irq_edge=1 irq_unreadable=1",
};

FIXTURE_VARIANT_ADD(suspend, mcp2510_half_duplex) {
	.kind = "mcp2510", .attributes = "half_duplex=1",
};

static int up(FIXTURE_DATA(suspend) *self)
{
	self->fd = sim_open_up(CHIP_IF, BITRATE);
	return self->fd < 0 ? self->fd : 0;
}

FIXTURE_SETUP(suspend)
{
	int err;

	self->fd = -1;
	if (sim_open())
		SKIP(return, "no cansim");
	if (ct_module("cansim-suspend"))
		SKIP(return, "no cansim-suspend");
	err = sim_controller_make(BUS, variant->kind, CHIP_IF, self->path);
	if (err == -ENODEV) {
		sim_close();
		SKIP(return, "no %s", variant->kind);
	}
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, sim_set_all(self->path, "%s", variant->attributes));
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%d id=%03X data=increment dlc=8",
				 BITRATE, OTHER_ID));
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, up(self));
}

FIXTURE_TEARDOWN(suspend)
{
	if (self->fd >= 0)
		close(self->fd);
	sim_close();
}

static int suspend(const char *value)
{
	int fd = open(SUSPEND, O_WRONLY), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, value, strlen(value)) < 0)
		err = -errno;
	close(fd);
	return err;
}

static int begin_run(FIXTURE_DATA(suspend) *self, int count)
{
	self->overruns = sim_number(self->path, "overruns");
	return sim_set_all(GEN, "count=%d period_ns=%d", count, PERIOD_NS) ?:
	       sim_run(GEN, true);
}

/* A run loses no frames but those that the chip counts. */
static void expect_run(struct __test_metadata *_metadata,
		       FIXTURE_DATA(suspend) *self, int frames, int own)
{
	int echoes = 0, got, overruns;

	ASSERT_EQ(0, begin_run(self, frames));
	ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, own));
	got = sim_receive_run(self->fd, OWN_ID, &echoes);
	overruns = sim_number(self->path, "overruns") - self->overruns;
	EXPECT_EQ(frames - overruns, got);
	EXPECT_EQ(own, echoes);
	if (sim_clock_counts())
		EXPECT_EQ(0, overruns);
}

/* The chip does not receive while it is suspended, and the frame that is being sent may
 * be aborted. No other frame is.
 */
TEST_F_TIMEOUT(suspend, is_suspended_and_resumed_under_traffic, LONG_TEST)
{
	struct sim_link before, after;
	struct can_frame frame;
	int i, sent, aborted;

	ASSERT_EQ(0, sim_link_get(CHIP_IF, &before));
	ASSERT_EQ(0, begin_run(self, 0));
	for (i = 0; i < ROUNDS; i++) {
		ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, OWN_FRAMES));
		usleep(20000);
		ASSERT_EQ(0, suspend(CHIP_IF " 50"));
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
	expect_run(_metadata, self, FRAMES, OWN_FRAMES);
}

TEST_F_TIMEOUT(suspend, is_suspended_and_resumed_while_down, LONG_TEST)
{
	EXPECT_EQ(0, sim_link_down(CHIP_IF));
	close(self->fd);
	ASSERT_EQ(0, suspend(CHIP_IF " 1"));
	ASSERT_EQ(0, up(self));
	expect_run(_metadata, self, 20, 5);
}

TEST_F_TIMEOUT(suspend, values_that_are_refused, LONG_TEST)
{
	EXPECT_EQ(-EINVAL, suspend(CHIP_IF));
	EXPECT_EQ(-EINVAL, suspend(CHIP_IF " x"));
	EXPECT_EQ(-EINVAL, suspend(CHIP_IF " 1 x"));
	EXPECT_EQ(-ERANGE, suspend(CHIP_IF " 10001"));
	EXPECT_EQ(-ENODEV, suspend("simif1 1"));
	EXPECT_EQ(-ENODEV, suspend("lo 1"));
	expect_run(_metadata, self, 20, 5);
}

TEST_HARNESS_MAIN
