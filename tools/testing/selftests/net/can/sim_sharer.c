// SPDX-License-Identifier: GPL-2.0-only
/*
 * An SJA1000 shares its interrupt with another device, whose handler is a thread on
 * PREEMPT_RT or never. Frames arrive, whatever it is. A thread masks the line after each
 * interrupt: the kernel tells its name, once, and no frame waits for it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "simhog.h"
#include "simtest.h"

#define GEN		BUS "/generator.gen"
#define SHARER		"cansim-sharer"

#define BITRATE		250000
/* A controller loses frames if the host pauses the machine for five of these. */
#define PERIOD_NS	4000000
#define GEN_ID		0x200
#define OWN_ID		0x123
#define FRAMES		50
#define LOWEST_PRIORITY	1
/* More than a driver takes before the first is sent */
#define MANY_OWN	5
#define LONG_TEST	600
#define LINE		1024

FIXTURE(sharer) {
	char path[64];
	int log;
	int fd;
	pid_t hogs[HOG_CPUS];
};

FIXTURE_VARIANT(sharer) {
	const char *kind;
};

FIXTURE_VARIANT_ADD(sharer, none) { "none" };
FIXTURE_VARIANT_ADD(sharer, thread) { "thread" };
FIXTURE_VARIANT_ADD(sharer, hard) { "hard" };

FIXTURE_SETUP(sharer)
{
	if (!sim_open_chip(_metadata, "generator.gen", "sja1000", self->path))
		return;
	ASSERT_EQ(0, sim_set(self->path, "irq_sharer", variant->kind));
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%d id=%03X data=increment dlc=8 period_ns=%d",
				 BITRATE, GEN_ID, PERIOD_NS));
	ASSERT_EQ(0, sim_slow_down(BUS));
	self->log = CT_OK(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
	ASSERT_EQ(0, lseek(self->log, 0, SEEK_END));
	self->fd = CT_OK(sim_start(BITRATE, "", 0, false));
}

/* The interrupt cannot be freed while its threads do not run. */
FIXTURE_TEARDOWN(sharer)
{
	sim_end_hogs(self->hogs);
	sim_close();
}

static int find_sharer(FIXTURE_DATA(sharer) *self)
{
	return sim_irq_thread(self->path, SHARER);
}

static void expect_frames(struct __test_metadata *_metadata, FIXTURE_DATA(sharer) *self)
{
	struct can_frame frame;
	int i;

	ASSERT_EQ(0, sim_set_all(GEN, "count=%d", FRAMES));
	ASSERT_EQ(0, sim_run(GEN, true));
	for (i = 0; i < FRAMES; i++) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->fd, &frame, sizeof(frame), CT_TIMEOUT_MS))
			TH_LOG("frame %d", i);
		ASSERT_EQ(i, frame.data[0]);
	}
	ASSERT_EQ(0, sim_await(GEN, "run", 0));
}

/* Return: number of new lines of the kernel's log with both words. */
static int count_lines(int log, const char *one, const char *other)
{
	char line[LINE];
	ssize_t len;
	int count = 0;

	for (;;) {
		len = read(log, line, sizeof(line) - 1);
		if (len < 0 && errno == EPIPE)
			continue;
		if (len < 0)
			return errno == EAGAIN ? count : -errno;
		line[len] = '\0';
		count += strstr(line, one) && strstr(line, other);
	}
}

TEST_F_TIMEOUT(sharer, frames_arrive_and_a_thread_is_named_once, LONG_TEST)
{
	bool thread = !strcmp(variant->kind, "thread");
	bool told = thread && ct_preempt_rt() && !ct_baseline();
	struct can_frame frame;

	expect_frames(_metadata, self);
	EXPECT_EQ(told, count_lines(self->log, CHIP_IF, SHARER));
	ASSERT_EQ(0, ct_link_up(CHIP_IF, false));
	ASSERT_EQ(0, ct_link_up(CHIP_IF, true));
	ASSERT_EQ(-ENETDOWN, ct_recv(self->fd, &frame, sizeof(frame), 0));
	expect_frames(_metadata, self);
	EXPECT_EQ(0, count_lines(self->log, CHIP_IF, SHARER));
}

/* Its thread cannot run, so the line stays masked from its interrupt on. */
TEST_F_TIMEOUT(sharer, frames_do_not_wait_for_its_thread, LONG_TEST)
{
	int interrupts, i;

	if (!ct_preempt_rt() || ct_baseline() || strcmp(variant->kind, "thread"))
		SKIP(return, "no interrupt is handled by a thread");
	ASSERT_EQ(0, sim_set_priority(CT_OK(find_sharer(self)), LOWEST_PRIORITY));
	sim_begin_hogs(_metadata, self->hogs);
	interrupts = CT_OK(sim_interrupts(self->path));
	ASSERT_EQ(0, sim_set(self->path, "irq_sharer_interrupt", "1"));
	expect_frames(_metadata, self);
	/* the chip has one transmit buffer */
	for (i = 0; i < MANY_OWN; i++) {
		ASSERT_EQ(0, ct_send_id(self->fd, OWN_ID));
		ASSERT_EQ(0, sim_await(self->path, "sent", i + 1));
	}
	EXPECT_EQ(interrupts + 1, sim_interrupts(self->path));
	EXPECT_TRUE(sim_end_hogs(self->hogs));
	expect_frames(_metadata, self);
	EXPECT_EQ(0, sim_number(self->path, "overruns"));
}

/* Nobody has a CAN_RAW socket, so the thread of the interface does nothing. */
TEST_F_TIMEOUT(sharer, frames_for_others_do_not_wait_for_its_thread, LONG_TEST)
{
	if (!ct_preempt_rt() || ct_baseline() || strcmp(variant->kind, "thread"))
		SKIP(return, "no interrupt is handled by a thread");
	close(self->fd);
	ASSERT_EQ(0, sim_set_priority(CT_OK(find_sharer(self)), LOWEST_PRIORITY));
	sim_begin_hogs(_metadata, self->hogs);
	ASSERT_EQ(0, sim_set(self->path, "irq_sharer_interrupt", "1"));
	ASSERT_EQ(0, sim_set_all(GEN, "count=%d", FRAMES));
	ASSERT_EQ(0, sim_run(GEN, true));
	EXPECT_EQ(0, sim_await(GEN, "run", 0));
	EXPECT_TRUE(sim_end_hogs(self->hogs));
	EXPECT_EQ(FRAMES, sim_number(self->path, "received"));
	EXPECT_EQ(0, sim_number(self->path, "overruns"));
}

TEST_F_TIMEOUT(sharer, can_interrupt, LONG_TEST)
{
	bool exists = strcmp(variant->kind, "none");
	int interrupts = CT_OK(sim_interrupts(self->path));

	EXPECT_EQ(exists ? 0 : -ENODEV, sim_set(self->path, "irq_sharer_interrupt", "1"));
	EXPECT_EQ(interrupts + exists, sim_interrupts(self->path));
	EXPECT_EQ(-EINVAL, sim_set(self->path, "irq_sharer_interrupt", "x"));
	ASSERT_EQ(0, sim_live(BUS, false));
	EXPECT_EQ(-ENETDOWN, sim_set(self->path, "irq_sharer_interrupt", "1"));
}

TEST_F_TIMEOUT(sharer, cannot_be_changed_or_unknown, LONG_TEST)
{
	EXPECT_EQ(-EBUSY, sim_set(self->path, "irq_sharer", "none"));
	ASSERT_EQ(0, sim_live(BUS, false));
	EXPECT_EQ(-EINVAL, sim_set(self->path, "irq_sharer", "x"));
	EXPECT_TRUE(sim_is(self->path, "irq_sharer", variant->kind));
	EXPECT_EQ(0, sim_set(self->path, "irq_sharer", "none"));
}

TEST_HARNESS_MAIN
