// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several threads that read from one CAN_RAW socket: each frame wakes one of them, also
 * while time limits end and signals interrupt their reads. A test ends when a frame is
 * not read in time.
 *
 * The sender is a thread, too. It waits for each frame to be read, so that no wake-up
 * hides that another one was lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/can.h>
#include <linux/can/raw.h>

#include "kselftest_harness.h"
#include "cantest.h"

#define READERS		4
#define FRAMES		1000
#define ID		0x123

#define LIMIT_MS	50
#define SHORT_US	1000

#define LONG_TEST	300

struct reader {
	pthread_t thread;
	sem_t go_on;	/* after an interrupted read */
};

static int rx, tx;
static sem_t frames_read;
static atomic_bool end;
static struct reader readers[READERS];

/* Others have to read the frame that would follow. */
static void *read_frames(void *arg)
{
	struct reader *reader = arg;
	struct can_frame frame;
	ssize_t size;

	while (!end) {
		size = read(rx, &frame, sizeof(frame));
		if (size == sizeof(frame) && frame.can_id == ID)
			sem_post(&frames_read);
		else if (size < 0 && errno == EINTR)
			while (sem_wait(&reader->go_on))
				;
	}
	return NULL;
}

static void no_action(int sig)
{
}

static int set_time_limit(unsigned int us)
{
	struct timeval limit = { .tv_sec = us / 1000000, .tv_usec = us % 1000000 };

	return setsockopt(rx, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) ? -errno : 0;
}

FIXTURE(recv) { };

FIXTURE_SETUP(recv)
{
	struct sigaction action = { .sa_handler = no_action };
	int ifindex;

	ASSERT_EQ(0, ct_netns_new());
	ifindex = CT_OK(ct_vcan_add("vcan0", CAN_MTU));
	rx = CT_OK(ct_raw_open(ifindex));
	tx = CT_OK(ct_raw_open(ifindex));
	ASSERT_EQ(0, ct_raw_filters(tx, NULL, 0));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, sem_init(&frames_read, 0, 0));
	end = false;
}

FIXTURE_TEARDOWN(recv)
{
	close(rx);
	close(tx);
}

static void start_readers(struct __test_metadata *_metadata)
{
	int i;

	for (i = 0; i < READERS; i++) {
		ASSERT_EQ(0, sem_init(&readers[i].go_on, 0, 0));
		ASSERT_EQ(0, pthread_create(&readers[i].thread, NULL, read_frames, &readers[i]));
	}
}

/* Return: 0, or -ETIMEDOUT if nobody reads a frame. */
static int await_read(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += CT_TIMEOUT_MS / 1000;
	while (sem_timedwait(&frames_read, &until))
		if (errno != EINTR)
			return -errno;
	return 0;
}

static void end_readers(struct __test_metadata *_metadata)
{
	int i;

	end = true;
	for (i = 0; i < READERS; i++) {
		/* it may be about to read */
		while (pthread_tryjoin_np(readers[i].thread, NULL)) {
			sem_post(&readers[i].go_on);
			pthread_kill(readers[i].thread, SIGUSR1);
			usleep(1000);
		}
	}
	EXPECT_EQ(-1, sem_trywait(&frames_read));
}

/*
 * The limit is counted in ticks. Where these are late, as in a virtual machine on a busy host, the
 * first may follow the call at once. The coarse clock is late with them.
 */
TEST_F(recv, waits_until_the_time_limit)
{
	struct can_frame frame;
	int64_t before;

	ASSERT_EQ(0, set_time_limit(LIMIT_MS * 1000));
	before = ct_clock(CLOCK_MONOTONIC_COARSE);
	EXPECT_EQ(-1, recv(rx, &frame, sizeof(frame), 0));
	EXPECT_EQ(EAGAIN, errno);
	EXPECT_LE(LIMIT_MS * 1000000LL, ct_clock(CLOCK_MONOTONIC_COARSE) - before);
}

TEST_F(recv, does_not_wait_if_it_must_not)
{
	struct can_frame frame;

	EXPECT_EQ(-1, recv(rx, &frame, sizeof(frame), MSG_DONTWAIT));
	EXPECT_EQ(EAGAIN, errno);
	ASSERT_EQ(0, ct_send_id(tx, ID));
	EXPECT_EQ((ssize_t)sizeof(frame), recv(rx, &frame, sizeof(frame), MSG_PEEK));
	EXPECT_EQ((canid_t)ID, frame.can_id);
	EXPECT_EQ((ssize_t)sizeof(frame), recv(rx, &frame, sizeof(frame), MSG_PEEK | MSG_DONTWAIT));
	EXPECT_EQ((ssize_t)sizeof(frame), recv(rx, &frame, sizeof(frame), 0));
	EXPECT_EQ(-1, recv(rx, &frame, sizeof(frame), MSG_DONTWAIT));
}

TEST_F_TIMEOUT(recv, each_frame_wakes_a_reader, LONG_TEST)
{
	int i;

	start_readers(_metadata);
	for (i = 0; i < FRAMES; i++) {
		ASSERT_EQ(0, ct_send_id(tx, ID));
		ASSERT_EQ(0, await_read()) TH_LOG("frame %d", i);
	}
	end_readers(_metadata);
}

TEST_F_TIMEOUT(recv, a_signal_keeps_no_frame_from_others, LONG_TEST)
{
	int i;

	start_readers(_metadata);
	for (i = 0; i < FRAMES; i++) {
		struct reader *reader = &readers[i % READERS];

		ASSERT_EQ(0, pthread_kill(reader->thread, SIGUSR1));
		ASSERT_EQ(0, ct_send_id(tx, ID));
		ASSERT_EQ(0, await_read()) TH_LOG("frame %d", i);
		sem_post(&reader->go_on);
	}
	end_readers(_metadata);
}

TEST_F_TIMEOUT(recv, nor_does_a_time_limit, LONG_TEST)
{
	int i;

	ASSERT_EQ(0, set_time_limit(SHORT_US));
	start_readers(_metadata);
	for (i = 0; i < FRAMES; i++) {
		usleep(i % SHORT_US);
		ASSERT_EQ(0, ct_send_id(tx, ID));
		ASSERT_EQ(0, await_read()) TH_LOG("frame %d", i);
	}
	end_readers(_metadata);
}

TEST_HARNESS_MAIN
