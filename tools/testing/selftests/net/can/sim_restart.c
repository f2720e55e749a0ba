// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated controllers that are restarted while their interface goes down: after
 * bus off by a timer, by the administrator, and after an overrun by the interrupt
 * thread of a driver that has to reset the chip then. A chip whose interface is down
 * takes no part in the bus any more, and the driver does not access a chip that is to
 * be reset until that has happened.
 *
 * The test keeps the interrupt thread of a driver from running by a higher real-time
 * priority on the same CPU. While the test waits for the kernel, whose threads need the
 * CPU then, the interrupt thread has the lowest priority beside a thread that always
 * runs. The time of a timer is not known to the jiffy, so the interface goes down a
 * little later each time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/error.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "simbus.h"

#define BUS		"simbus0"
#define GEN		BUS "/generator.gen"
#define CHIP_IF		"simif0"

#define BITRATE		1000000
#define GEN_ID		0x200

#define LONG_TEST	300

/* The timer fires at the second jiffy after that; of 4 ms where HZ is 250. */
#define RESTART_MS	4
#define SCAN_NS		(RESTART_MS * 1000000 + 2 * 4000000)

/* A register access while an interface goes down takes as long as a step, so one
 * of the steps meets it.
 */
#define STEP_NS		100000
#define ACCESS_NS	"100000"

/* A priority above that of interrupt threads, which is 50 */
#define TEST_PRIORITY		60

FIXTURE(chip) {
	char path[64];
	int fd;
};

SIM_CHIP_VARIANTS(chip);

/* A controller with a generator that acknowledges, both live */
static int begin(FIXTURE_DATA(chip) *self, const char *kind,
		 const char *attributes, const char *options)
{
	int err = sim_open();

	if (err)
		return err;
	err = sim_controller_make(BUS, kind, CHIP_IF, self->path) ?:
	      sim_set_all(self->path, "%s", attributes) ?:
	      sim_set_all(GEN, "bitrate=%d id=%03X dlc=8", BITRATE, GEN_ID) ?:
	      sim_live(BUS, true) ?: sim_link_up(CHIP_IF, BITRATE, options);
	if (err)
		return err;
	self->fd = sim_socket(CHIP_IF, CAN_ERR_MASK, false);
	return self->fd < 0 ? self->fd : 0;
}

static void end(FIXTURE_DATA(chip) *self)
{
	if (self->fd >= 0)
		close(self->fd);
	sim_close();
}

FIXTURE_SETUP(chip)
{
	self->fd = -1;
}

FIXTURE_TEARDOWN(chip)
{
	end(self);
}

static int pin_thread(pid_t tid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &set);
	return sched_setaffinity(tid, sizeof(set), &set) ? -errno : 0;
}

static int set_priority(int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, priority ? SCHED_FIFO : SCHED_OTHER,
				  &param) ? -errno : 0;
}

/* A frame that fails again and again, until the driver reports bus off */
static int go_bus_off(FIXTURE_DATA(chip) *self)
{
	struct can_frame frame;
	int err = ct_send_id(self->fd, 0x123);

	while (!err) {
		if (ct_recv(self->fd, &frame, sizeof(frame), CT_TIMEOUT_MS) < 0)
			return -ETIMEDOUT;
		if (frame.can_id & CAN_ERR_FLAG && frame.can_id & CAN_ERR_BUSOFF)
			break;
	}
	return err;
}

static void spin_ns(int64_t ns)
{
	int64_t start = sim_number(BUS, "time_ns");

	while (sim_number(BUS, "time_ns") - start < ns)
		;
}

/* The interface goes down, and so does the chip. The socket may get an error frame. */
static int go_down(FIXTURE_DATA(chip) *self)
{
	int err = ct_link_up(CHIP_IF, false);

	close(self->fd);
	self->fd = -1;
	return err;
}

static int go_up(FIXTURE_DATA(chip) *self)
{
	int err = ct_link_up(CHIP_IF, true);

	if (err)
		return err;
	self->fd = sim_socket(CHIP_IF, CAN_ERR_MASK, false);
	return self->fd < 0 ? self->fd : 0;
}

/* A timer restarts the chip on one CPU, and on the other one, if there is one, the
 * interface goes down.
 */
TEST_F_TIMEOUT(chip, stays_down_when_a_timer_restarts_it, LONG_TEST)
{
	char options[32];
	int64_t ns;
	int err;

	if (ct_baseline())
		SKIP(return, "it starts again");
	if (variant->chip->finishes)
		SKIP(return, "it recovers by itself");
	snprintf(options, sizeof(options), "restart-ms %d", RESTART_MS);
	err = begin(self, variant->chip->kind, "", options);
	if (err == -ENOENT || err == -ENODEV)
		SKIP(return, "no cansim, or no %s", variant->chip->kind);
	ASSERT_EQ(0, err);
	ASSERT_EQ(0, sim_set_all(BUS, "inject_type=bit inject_bit=-1 inject_ppm=1000000"));
	for (ns = 0; ns < SCAN_NS; ns += STEP_NS) {
		ASSERT_EQ(0, pin_thread(0, 0));
		ASSERT_EQ(0, go_bus_off(self));
		ASSERT_EQ(0, pin_thread(0, 1));
		spin_ns(ns);
		ASSERT_EQ(0, sim_set(self->path, "access_ns", ACCESS_NS));
		ASSERT_EQ(0, go_down(self));
		ASSERT_EQ(0, sim_set(self->path, "access_ns", "0"));
		ASSERT_TRUE(sim_is(self->path, "state", "off"))
			TH_LOG("%lld us after bus off", (long long)ns / 1000);
		ASSERT_EQ(0, go_up(self));
	}
}

TEST_F_TIMEOUT(chip, stays_down_when_it_was_restarted_just_before, LONG_TEST)
{
	int err, i;

	if (ct_baseline())
		SKIP(return, "it starts again");
	err = begin(self, variant->chip->kind, "", "restart-ms 0");
	if (err == -ENOENT || err == -ENODEV)
		SKIP(return, "no cansim, or no %s", variant->chip->kind);
	ASSERT_EQ(0, err);
	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, sim_set_all(BUS, "inject_type=bit inject_bit=-1 inject_ppm=1000000"));
		ASSERT_EQ(0, go_bus_off(self));
		ASSERT_EQ(0, sim_set_all(BUS, "inject_type=none inject_ppm=0"));
		ASSERT_EQ(0, sim_link_set(CHIP_IF, "down type can restart"));
		EXPECT_TRUE(sim_is(self->path, "state", "off"));
		close(self->fd);
		ASSERT_EQ(0, go_up(self));
	}
}

/* An SJA1000 whose driver resets it after an overrun, and the CPU that keeps the
 * driver's thread from running
 */
FIXTURE(overrun) {
	FIXTURE_DATA(chip) chip;
	int cpu;
	int irq_tid;
};

FIXTURE_TEARDOWN(overrun)
{
	set_priority(0);
	end(&self->chip);
}

FIXTURE_SETUP(overrun)
{
	int err;

	self->chip.fd = -1;
	if (ct_baseline())
		SKIP(return, "the handler and the thread get in each other's way");
	err = begin(&self->chip, "sja1000", "quirk_reset_on_overrun=1", "");
	if (err == -ENOENT || err == -ENODEV)
		SKIP(return, "no cansim, or no sja1000");
	ASSERT_EQ(0, err);
	self->cpu = 0;
	self->irq_tid = CT_OK(sim_irq_thread(self->chip.path, CHIP_IF "\n"));
	ASSERT_EQ(0, pin_thread(self->irq_tid, self->cpu));
	ASSERT_EQ(0, pin_thread(0, self->cpu));
}

/* The handler sees an overrun now. From here on, the thread is to run. */
static int overrun(FIXTURE_DATA(overrun) *self)
{
	const char *path = self->chip.path;

	return sim_set(path, "irq_hold", "1") ?:
	       sim_generate(GEN, "count=30") ?: set_priority(TEST_PRIORITY) ?:
	       sim_set(path, "irq_hold", "0");
}

static int receive_frame(int fd)
{
	struct can_frame frame;

	for (;;) {
		if (ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS) < 0)
			return -ETIMEDOUT;
		if (frame.can_id == GEN_ID + 1)
			return 0;
	}
}

TEST_F_TIMEOUT(overrun, chip_is_not_accessed_until_it_is_reset, LONG_TEST)
{
	const char *path = self->chip.path;
	int64_t accesses, frames;

	ASSERT_EQ(0, overrun(self));
	accesses = sim_number(path, "accesses");
	frames = sim_number(BUS, "frames");
	ASSERT_EQ(0, sim_set_all(GEN, "count=5"));
	ASSERT_EQ(0, sim_run(GEN, true));
	while (sim_number(BUS, "frames") < frames + 5)
		;
	EXPECT_EQ(accesses, sim_number(path, "accesses"));
	ASSERT_EQ(0, set_priority(0));

	/* then it receives again */
	ASSERT_EQ(0, sim_await_above(path, "accesses", accesses));
	sim_settle();
	ASSERT_EQ(0, sim_generate(GEN, "id=%03X count=1", GEN_ID + 1));
	EXPECT_EQ(0, receive_frame(self->chip.fd));
}

struct spinner {
	const char *path;
	int cpu;
	sem_t go;
};

/* Keeps the CPU busy until the chip is off. */
static void *spin(void *data)
{
	struct spinner *spinner = data;

	if (pin_thread(0, spinner->cpu))
		return (void *)1;
	sem_wait(&spinner->go);
	while (!sim_is(spinner->path, "state", "off"))
		;
	return NULL;
}

TEST_F_TIMEOUT(overrun, stays_down_when_the_thread_resets_it, LONG_TEST)
{
	struct spinner spinner = { .path = self->chip.path, .cpu = self->cpu };
	struct sched_param lowest = {};
	pthread_t thread;
	void *failed;

	ASSERT_EQ(0, sched_setscheduler(self->irq_tid, SCHED_IDLE, &lowest));
	ASSERT_EQ(0, sem_init(&spinner.go, 0, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, spin, &spinner));
	ASSERT_EQ(0, overrun(self));
	ASSERT_EQ(0, sem_post(&spinner.go));
	ASSERT_EQ(0, go_down(&self->chip));
	ASSERT_EQ(0, set_priority(0));
	ASSERT_EQ(0, pthread_join(thread, &failed));
	ASSERT_NULL(failed);
	EXPECT_TRUE(sim_is(self->chip.path, "state", "off"));

	ASSERT_EQ(0, go_up(&self->chip));
	sim_settle();
	ASSERT_EQ(0, sim_generate(GEN, "id=%03X count=1", GEN_ID + 1));
	EXPECT_EQ(0, receive_frame(self->chip.fd));
}

TEST_HARNESS_MAIN
