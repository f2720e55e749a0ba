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
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>

#include <linux/can.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "simbus.h"

#define BUS		"simbus0"
#define GEN		BUS "/generator.gen"
#define CHIP_IF		"simif0"

#define BITRATE		125000

/* A frame of eight bytes takes about a millisecond. */
#define PERIOD_NS	3000000

#define FRAMES		100
#define OWN_FRAMES	50

#define OWN_ID		0x300
#define OTHER_ID	0x200

#define LONG_TEST	600

/* @overruns: of the chip, before a run */
FIXTURE(variant) {
	char path[64];
	int fd;
	int overruns;
};

FIXTURE_VARIANT(variant) {
	const char *kind;
	const char *attributes;
};

FIXTURE_VARIANT_ADD(variant, mcp2515_edge) {
	.kind = "mcp2515", .attributes = "irq_edge=1",
};

FIXTURE_VARIANT_ADD(variant, mcp2515_unreadable) {
	.kind = "mcp2515", .attributes = "irq_unreadable=1",
};

FIXTURE_VARIANT_ADD(variant, mcp2515_edge_unreadable) {
	.kind = "mcp2515", .attributes = "irq_edge=1 irq_unreadable=1",
};

FIXTURE_VARIANT_ADD(variant, mcp2515_half_duplex) {
	.kind = "mcp2515", .attributes = "half_duplex=1",
};

FIXTURE_VARIANT_ADD(variant, mcp2515_spi_mux) {
	.kind = "mcp2515", .attributes = "spi_mux=1",
};

FIXTURE_VARIANT_ADD(variant, mcp2515_gpio) {
	.kind = "mcp2515", .attributes = "gpio=1",
};

FIXTURE_VARIANT_ADD(variant, mcp2510_edge_unreadable) {
	.kind = "mcp2510", .attributes = "irq_edge=1 irq_unreadable=1",
};

FIXTURE_VARIANT_ADD(variant, mcp2510_half_duplex) {
	.kind = "mcp2510", .attributes = "half_duplex=1",
};

FIXTURE_VARIANT_ADD(variant, sja1000_shared) {
	.kind = "sja1000", .attributes = "irq_shared=1",
};

FIXTURE_VARIANT_ADD(variant, sja1000_edge) {
	.kind = "sja1000", .attributes = "irq_edge=1",
};

FIXTURE_VARIANT_ADD(variant, sja1000_resets_on_overrun) {
	.kind = "sja1000", .attributes = "quirk_reset_on_overrun=1",
};

static int up(FIXTURE_DATA(variant) *self, const char *name)
{
	self->fd = sim_open_up(name, BITRATE);
	return self->fd < 0 ? self->fd : 0;
}

FIXTURE_SETUP(variant)
{
	int err;

	self->fd = -1;
	if (sim_open())
		SKIP(return, "no cansim");
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
	ASSERT_EQ(0, up(self, CHIP_IF));
}

FIXTURE_TEARDOWN(variant)
{
	if (self->fd >= 0)
		close(self->fd);
	sim_close();
}

static int begin_run(FIXTURE_DATA(variant) *self, int count)
{
	self->overruns = sim_number(self->path, "overruns");
	return sim_set_all(GEN, "count=%d period_ns=%d", count, PERIOD_NS) ?:
	       sim_run(GEN, true);
}

static void expect_run(struct __test_metadata *_metadata,
		       FIXTURE_DATA(variant) *self, int sent, int own)
{
	int echoes = 0, got, overruns;

	got = sim_receive_run(self->fd, OWN_ID, &echoes);
	overruns = sim_number(self->path, "overruns") - self->overruns;
	EXPECT_EQ(sent - overruns, got);
	EXPECT_EQ(own, echoes);
	if (sim_clock_counts())
		EXPECT_EQ(0, overruns);
}

TEST_F_TIMEOUT(variant, frames_go_both_ways, LONG_TEST)
{
	struct sim_link before, after;

	ASSERT_EQ(0, sim_link_get(CHIP_IF, &before));
	ASSERT_EQ(0, begin_run(self, FRAMES));
	ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, OWN_FRAMES));
	expect_run(_metadata, self, FRAMES, OWN_FRAMES);
	EXPECT_EQ(FRAMES + OWN_FRAMES, sim_number(BUS, "frames"));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &after));
	EXPECT_EQ(before.stats.tx_packets + OWN_FRAMES, after.stats.tx_packets);
	EXPECT_EQ(before.stats.tx_errors, after.stats.tx_errors);
}

TEST_F_TIMEOUT(variant, goes_down_and_up_under_traffic, LONG_TEST)
{
	int i, echoes = 0;

	ASSERT_EQ(0, begin_run(self, 0));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, 3));
		EXPECT_EQ(0, sim_link_down(CHIP_IF));
		/* the socket has a pending error */
		close(self->fd);
		ASSERT_EQ(0, up(self, CHIP_IF));
		usleep(20000);
	}
	ASSERT_EQ(0, sim_run(GEN, false));
	sim_receive_run(self->fd, OWN_ID, &echoes);
	ASSERT_EQ(0, begin_run(self, 20));
	ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, 5));
	expect_run(_metadata, self, 20, 5);
}

TEST_F_TIMEOUT(variant, is_removed_under_traffic, LONG_TEST)
{
	int i;

	if (ct_baseline())
		SKIP(return, "the driver leaves an interrupt behind that never ends");
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, begin_run(self, 0));
		ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, 20));
		usleep(20000);
		EXPECT_EQ(0, sim_live(BUS, false));
		EXPECT_EQ(0u, if_nametoindex(CHIP_IF));
		close(self->fd);
		ASSERT_EQ(0, sim_live(BUS, true));
		ASSERT_EQ(0, up(self, CHIP_IF));
	}
	ASSERT_EQ(0, begin_run(self, 20));
	expect_run(_metadata, self, 20, 0);
}

/* @device: set to the name of the SPI device, or to an empty string */
static void spi_device(char device[NAME_MAX])
{
	char path[PATH_MAX], bus[PATH_MAX];

	device[0] = '\0';
	if (!realpath("/sys/class/net/" CHIP_IF "/device/subsystem", bus) ||
	    strcmp(basename(bus), "spi") ||
	    !realpath("/sys/class/net/" CHIP_IF "/device", path))
		return;
	snprintf(device, NAME_MAX, "%s", basename(path));
}

static int driver(const char *what, const char *device)
{
	char path[64];
	int fd, err;

	snprintf(path, sizeof(path), "/sys/bus/spi/drivers/mcp251x/%s", what);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	err = write(fd, device, strlen(device)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

TEST_F_TIMEOUT(variant, loses_its_driver_under_traffic, LONG_TEST)
{
	char device[NAME_MAX], name[IFNAMSIZ];
	int i;

	if (ct_baseline())
		SKIP(return, "the driver leaves an interrupt behind that never ends");
	spi_device(device);
	if (!device[0])
		SKIP(return, "not behind SPI");
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, begin_run(self, 0));
		ASSERT_EQ(0, sim_send_own(self->fd, OWN_ID, 20));
		usleep(20000);
		ASSERT_EQ(0, driver("unbind", device));
		EXPECT_TRUE(sim_is(self->path, "interface", ""));
		close(self->fd);
		ASSERT_EQ(0, sim_run(GEN, false));
		ASSERT_EQ(0, driver("bind", device));
		/* the driver has chosen another name */
		ASSERT_LT(0, sim_get(self->path, "interface", name, sizeof(name)));
		ASSERT_EQ(0, up(self, name));
	}
	ASSERT_EQ(0, begin_run(self, 20));
	expect_run(_metadata, self, 20, 0);
}

TEST_HARNESS_MAIN
