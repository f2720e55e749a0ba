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
#include <endian.h>
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

/* No frame arrives after this time; a slow VM takes longer. */
#define END_MS		200
#define SLOW_END_MS	2000

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
	int err = sim_link_set(name, "txqueuelen 1000") ?:
		  sim_link_up(name, BITRATE, "");

	if (err)
		return err;
	self->fd = sim_socket(name, 0, true);
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

static int send_own(int fd, int count)
{
	struct can_frame frame = { .can_id = OWN_ID, .len = 8 };
	int i, err = 0;

	for (i = 0; !err && i < count; i++) {
		frame.data[0] = i;
		err = ct_send(fd, &frame, sizeof(frame));
	}
	return err;
}

/* Receive until no frame arrives any more. Return: number of frames of the generator, or
 * -EBADMSG for an echo that is not the next one, or, if the clock counts instructions, a
 * frame that is not a later one. Otherwise the driver may be two frames late, and then
 * cannot tell the order of two receive buffers.
 */
static int receive(int fd, int *echoes)
{
	int end = sim_clock_counts() ? END_MS : SLOW_END_MS;
	uint32_t number, next = 0;
	struct can_frame frame;
	int got = 0;

	while (ct_recv(fd, &frame, sizeof(frame), end) > 0) {
		if (frame.can_id == OWN_ID) {
			if (frame.data[0] != (*echoes)++)
				return -EBADMSG;
			continue;
		}
		memcpy(&number, frame.data, sizeof(number));
		number = le32toh(number);
		if (number < next && sim_clock_counts())
			return -EBADMSG;
		next = number + 1;
		got++;
	}
	return got;
}

static void expect_run(struct __test_metadata *_metadata,
		       FIXTURE_DATA(variant) *self, int sent, int own)
{
	int echoes = 0, got, overruns;

	got = receive(self->fd, &echoes);
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
	ASSERT_EQ(0, send_own(self->fd, OWN_FRAMES));
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
		ASSERT_EQ(0, send_own(self->fd, 3));
		EXPECT_EQ(0, sim_link_down(CHIP_IF));
		/* the socket has a pending error */
		close(self->fd);
		ASSERT_EQ(0, up(self, CHIP_IF));
		usleep(20000);
	}
	ASSERT_EQ(0, sim_run(GEN, false));
	receive(self->fd, &echoes);
	ASSERT_EQ(0, begin_run(self, 20));
	ASSERT_EQ(0, send_own(self->fd, 5));
	expect_run(_metadata, self, 20, 5);
}

TEST_F_TIMEOUT(variant, is_removed_under_traffic, LONG_TEST)
{
	int i;

	if (ct_baseline())
		SKIP(return, "the driver leaves an interrupt behind that never ends");
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, begin_run(self, 0));
		ASSERT_EQ(0, send_own(self->fd, 20));
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
		ASSERT_EQ(0, send_own(self->fd, 20));
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
