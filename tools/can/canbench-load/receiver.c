// SPDX-License-Identifier: GPL-2.0-only
/* The receiving thread; receiver.h describes the threads. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "rawsock.h"
#include "receiver.h"
#include "rt.h"
#include "schedule.h"

#define NSEC_PER_SEC 1000000000ULL

static sem_t ready;
static pthread_t thread;
static bool started;

static void record_frame(struct receiver *receiver, const struct can_frame *frame, uint64_t now,
			 uint64_t stamp)
{
	uint64_t number = schedule_number(receiver->options.set, frame, receiver->next);

	if (number >= receiver->room) {
		receiver->strange++;
		return;
	}
	if (number < receiver->next) {
		receiver->late++;
		if (receiver->at[number])
			return;
	} else {
		receiver->next = number + 1;
	}
	receiver->at[number] = now;
	if (receiver->options.stamping)
		receiver->stamped[number] = stamp;
	atomic_fetch_add(&receiver->received, 1);
}

static uint64_t rx_timestamp(struct msghdr *msg)
{
	struct timespec stamp;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
		return stamp.tv_sec * NSEC_PER_SEC + stamp.tv_nsec;
	}
	errno = 0;
	cli_fail("received frame without a timestamp");
}

static void receive_frame(struct receiver *receiver)
{
	struct can_frame frame;
	ssize_t size = read(receiver->fd, &frame, sizeof(frame));
	uint64_t now = rt_now();

	if (size == CAN_MTU)
		record_frame(receiver, &frame, now, 0);
	else
		cli_fail("receiving a frame");
}

static void receive_stamped_frame(struct receiver *receiver)
{
	char control[CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t))];
	struct can_frame frame;
	struct iovec part = { .iov_base = &frame, .iov_len = sizeof(frame) };
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t size = recvmsg(receiver->fd, &msg, 0);
	uint64_t now = rt_now();

	if (size == CAN_MTU)
		record_frame(receiver, &frame, now, rx_timestamp(&msg));
	else
		cli_fail("receiving a frame");
}

static void *read_frames(void *arg)
{
	struct receiver *receiver = arg;

	rt_bind(0, receiver->options.cpu);
	if (receiver->options.priority)
		rt_priority(receiver->options.priority);
	else
		rt_no_priority();
	sem_post(&ready);
	for (;;) {
		waiting_for_frame(&receiver->waiter);
		if (receiver->options.stamping)
			receive_stamped_frame(receiver);
		else
			receive_frame(receiver);
	}
	return NULL;
}

static uint64_t *alloc_times(uint64_t count)
{
	uint64_t *room = calloc(count, sizeof(*room));

	errno = 0;
	if (!room)
		cli_fail("no memory for the records of frames");
	return room;
}

static void enable_busy_poll(const struct receiver *receiver, const char *ifname)
{
	const struct {
		int option, value;
		const char *name;
	} options[] = {
		{ SO_BUSY_POLL, receiver->options.busy_poll, "SO_BUSY_POLL" },
		{ SO_PREFER_BUSY_POLL, 1, "SO_PREFER_BUSY_POLL" },
	};

	for (unsigned int i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (setsockopt(receiver->fd, SOL_SOCKET, options[i].option, &options[i].value,
			       sizeof(options[i].value)))
			cli_fail("%s: socket option %s", ifname, options[i].name);
}

static void open_socket(struct receiver *receiver, const char *ifname)
{
	int on = 1;

	receiver->fd = rawsock_open(ifname, 0);
	if (receiver->options.stamping &&
	    setsockopt(receiver->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		cli_fail("%s: socket option SO_TIMESTAMPNS", ifname);
	if (receiver->options.busy_poll)
		enable_busy_poll(receiver, ifname);
	/* Frames must be lost in the driver, not in this queue. */
	errno = 0;
	if (!rawsock_rcvbuf(receiver->fd, receiver->room < 100000 ? receiver->room : 100000))
		cli_fail("%s: receive queue is too short", ifname);
}

void receiver_start(struct receiver *receiver, const char *ifname, uint64_t room,
		    const struct receiver_options *options)
{
	sigset_t all, before;

	memset(receiver, 0, sizeof(*receiver));
	receiver->room = room;
	receiver->options = *options;
	receiver->at = alloc_times(room);
	receiver->stamped = alloc_times(room);
	open_socket(receiver, ifname);
	waiting_prepare(&receiver->waiter, options->waiting, receiver->fd);

	/* The main thread handles all signals. */
	sem_init(&ready, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(&thread, NULL, read_frames, receiver);
	if (errno)
		cli_fail("starting the receiving thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	started = true;
	while (sem_wait(&ready))
		;
}

void receiver_stop(void)
{
	/* The receiving thread itself may end the program. */
	if (!started || pthread_equal(thread, pthread_self()))
		return;
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	started = false;
}

void receiver_clear(struct receiver *receiver)
{
	memset(receiver->at, 0, receiver->room * sizeof(*receiver->at));
	memset(receiver->stamped, 0, receiver->room * sizeof(*receiver->stamped));
	receiver->received = 0;
	receiver->next = 0;
	receiver->late = 0;
	receiver->strange = 0;
}

uint64_t receiver_dropped(const struct receiver *receiver)
{
	return rawsock_dropped(receiver->fd);
}
