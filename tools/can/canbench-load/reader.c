// SPDX-License-Identifier: GPL-2.0-only
/* The application that waits for frames; reader.h says which thread may do what. */
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
#include "reader.h"
#include "rt.h"
#include "schedule.h"

#define NSEC_PER_SEC 1000000000ULL

static sem_t ready;
static pthread_t thread;
static bool started;

static void note(struct reader *reader, const struct can_frame *frame, uint64_t now,
		 uint64_t stamp)
{
	uint64_t number = schedule_number(frame, reader->next);

	if (number >= reader->room) {
		reader->strange++;
		return;
	}
	if (number < reader->next) {
		reader->late++;
		if (reader->at[number])
			return;
	} else {
		reader->next = number + 1;
	}
	reader->at[number] = now;
	if (reader->options.stamping)
		reader->stamped[number] = stamp;
	atomic_fetch_add(&reader->received, 1);
}

static uint64_t stamp_of(struct msghdr *msg)
{
	struct timespec stamp;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
		return stamp.tv_sec * NSEC_PER_SEC + stamp.tv_nsec;
	}
	errno = 0;
	cli_fail("a frame came without a time stamp");
}

static void take(struct reader *reader)
{
	struct can_frame frame;
	ssize_t size = read(reader->fd, &frame, sizeof(frame));
	uint64_t now = rt_now();

	if (size == CAN_MTU)
		note(reader, &frame, now, 0);
	else
		cli_fail("receiving");
}

static void take_stamped(struct reader *reader)
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
	ssize_t size = recvmsg(reader->fd, &msg, 0);
	uint64_t now = rt_now();

	if (size == CAN_MTU)
		note(reader, &frame, now, stamp_of(&msg));
	else
		cli_fail("receiving");
}

static void *read_frames(void *arg)
{
	struct reader *reader = arg;

	rt_priority(reader->options.priority);
	sem_post(&ready);
	for (;;) {
		if (reader->options.stamping)
			take_stamped(reader);
		else
			take(reader);
	}
	return NULL;
}

static uint64_t *room_for(uint64_t count)
{
	uint64_t *room = calloc(count, sizeof(*room));

	errno = 0;
	if (!room)
		cli_fail("no memory for so many frames");
	return room;
}

static void poll_busily(const struct reader *reader, const char *ifname)
{
	const struct {
		int option, value;
		const char *name;
	} options[] = {
		{ SO_BUSY_POLL, reader->options.busy_poll, "SO_BUSY_POLL" },
		{ SO_PREFER_BUSY_POLL, 1, "SO_PREFER_BUSY_POLL" },
	};

	for (unsigned int i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (setsockopt(reader->fd, SOL_SOCKET, options[i].option, &options[i].value,
			       sizeof(options[i].value)))
			cli_fail("%s: socket option %s", ifname, options[i].name);
}

static void open_socket(struct reader *reader, const char *ifname)
{
	int on = 1;

	reader->fd = rawsock_open(ifname, 0);
	if (reader->options.stamping &&
	    setsockopt(reader->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		cli_fail("%s: socket option SO_TIMESTAMPNS", ifname);
	if (reader->options.busy_poll)
		poll_busily(reader, ifname);
	/* What the reader loses is to be lost before it. */
	errno = 0;
	if (!rawsock_rcvbuf(reader->fd, reader->room < 100000 ? reader->room : 100000))
		cli_fail("%s: a long receive queue", ifname);
}

void reader_start(struct reader *reader, const char *ifname, uint64_t room,
		  const struct reader_options *options)
{
	sigset_t all, before;

	memset(reader, 0, sizeof(*reader));
	reader->room = room;
	reader->options = *options;
	reader->at = room_for(room);
	reader->stamped = room_for(room);
	open_socket(reader, ifname);

	/* Signals are for the main thread. */
	sem_init(&ready, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(&thread, NULL, read_frames, reader);
	if (errno)
		cli_fail("starting the reader");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	started = true;
	while (sem_wait(&ready))
		;
}

void reader_stop(void)
{
	/* It may be the reader that ends the program. */
	if (!started || pthread_equal(thread, pthread_self()))
		return;
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	started = false;
}

void reader_forget(struct reader *reader)
{
	memset(reader->at, 0, reader->room * sizeof(*reader->at));
	memset(reader->stamped, 0, reader->room * sizeof(*reader->stamped));
	reader->received = 0;
	reader->next = 0;
	reader->late = 0;
	reader->strange = 0;
}

uint64_t reader_dropped(const struct reader *reader)
{
	return rawsock_dropped(reader->fd);
}
