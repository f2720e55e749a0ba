// SPDX-License-Identifier: GPL-2.0-only
/*
 * An interface moves between two network namespaces while tasks of both set filters for it,
 * change them and close their sockets: the filters of a task may still be there when a task
 * of the other namespace sets its own. Afterwards no filter is left, and frames arrive.
 *
 * The interface moves on when a task of the namespace has bound a socket to it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/raw.h>

#include "kselftest_harness.h"
#include "cantest.h"

#define LONG_TEST	600	/* seconds: for machines that are emulated */

#define NETNS		2
#define MOVES		30
#define FILTERS		120	/* of three masks, which is enough for a table of each */
#define NAME		"v0"

struct task {
	pthread_t thread;
	int netns;
	unsigned int number;
	atomic_uint bound;
	atomic_bool *stop;
	int err;
};

static int set_filters(int fd, unsigned int first)
{
	struct can_filter filter[FILTERS];
	unsigned int i;

	for (i = 0; i < FILTERS; i++) {
		filter[i].can_id = CAN_EFF_FLAG | (first + i) << 8;
		filter[i].can_mask = CAN_EFF_FLAG | CAN_EFF_MASK << i % 3;
	}
	if (setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FILTER, filter, sizeof(filter)))
		return -errno;
	return 0;
}

/* Return: 1 if the socket was bound, 0 without the interface */
static int use_socket(struct task *task)
{
	struct sockaddr_can addr = { .can_family = AF_CAN };
	int fd, err;

	addr.can_ifindex = if_nametoindex(NAME);
	if (!addr.can_ifindex)
		return 0;
	fd = socket(PF_CAN, SOCK_RAW, CAN_RAW);
	if (fd < 0)
		return -errno;
	err = set_filters(fd, 1000 * task->number);
	if (!err && bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		err = -errno;
	/* this fails if the interface has moved meanwhile */
	if (!err) {
		err = set_filters(fd, 1000 * task->number + 500);
		if (!err)
			err = 1;
	}
	close(fd);
	return err == -ENODEV ? 0 : err;
}

static void *run_task(void *data)
{
	struct task *task = data;
	int ret = ct_netns_set(task->netns);

	while (!ret && !atomic_load(task->stop)) {
		ret = use_socket(task);
		if (ret > 0) {
			atomic_fetch_add(&task->bound, 1);
			ret = 0;
		} else {
			sched_yield();
		}
	}
	task->err = ret;
	return NULL;
}

/* Wait until a task of the namespace has bound one more socket. */
static int wait_bound(struct task *task)
{
	unsigned int before = atomic_load(&task->bound);
	unsigned int ms;

	for (ms = 0; ms < CT_TIMEOUT_MS; ms++) {
		if (atomic_load(&task->bound) != before)
			return 0;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

/* Return: lines of a file in which @text occurs, or a negative errno */
static int count_lines(const char *path, const char *text)
{
	char line[256];
	int count = 0;
	FILE *file;

	file = fopen(path, "r");
	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		count += !!strstr(line, text);
	fclose(file);
	return count;
}

FIXTURE(filter_netns) {
	int netns[NETNS];
};

FIXTURE_SETUP(filter_netns)
{
	int i;

	for (i = 0; i < NETNS; i++) {
		ASSERT_EQ(0, ct_netns_new());
		self->netns[i] = CT_OK(ct_netns_get());
	}
	ASSERT_LT(0, ct_vcan_add(NAME, CAN_MTU));
}

FIXTURE_TEARDOWN(filter_netns) { }

TEST_F_TIMEOUT(filter_netns, filters_of_two_namespaces_for_an_interface_that_moves, LONG_TEST)
{
	struct task tasks[NETNS] = {};
	atomic_bool stop = false;
	int i, at = NETNS - 1, tx, rx, err = 0;

	for (i = 0; i < NETNS; i++) {
		tasks[i].netns = self->netns[i];
		tasks[i].number = i;
		tasks[i].stop = &stop;
		ASSERT_EQ(0, pthread_create(&tasks[i].thread, NULL, run_task, &tasks[i]));
	}
	for (i = 0; i < MOVES && !err; i++) {
		err = wait_bound(&tasks[at]);
		if (!err)
			err = ct_link_move(NAME, self->netns[!at]);
		at = !at;
		if (!err)
			err = ct_netns_set(self->netns[at]);
	}
	atomic_store(&stop, true);
	for (i = 0; i < NETNS; i++) {
		pthread_join(tasks[i].thread, NULL);
		EXPECT_EQ(0, tasks[i].err);
	}
	ASSERT_EQ(0, err);

	EXPECT_EQ(0, count_lines("/proc/thread-self/net/can/rcvlist_fil", NAME " "));
	ASSERT_EQ(0, ct_link_up(NAME, true));
	tx = CT_OK(ct_raw_open(if_nametoindex(NAME)));
	rx = CT_OK(ct_raw_open(if_nametoindex(NAME)));
	ASSERT_EQ(0, ct_send_id(tx, 0x123));
	EXPECT_EQ(0x123, ct_recv_id(rx));
}

TEST_HARNESS_MAIN
