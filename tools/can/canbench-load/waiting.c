// SPDX-License-Identifier: GPL-2.0-only
/* How the receiving thread waits for a frame. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

#include "cli.h"
#include "waiting.h"

const char *const waiting_names[] = {
	[WAITING_READ] = "read", [WAITING_POLL] = "poll", [WAITING_EPOLL] = "epoll",
};

#define KINDS (sizeof(waiting_names) / sizeof(waiting_names[0]))

enum waiting waiting_kind(const char *option, const char *text)
{
	for (unsigned int i = 0; i < KINDS; i++)
		if (!strcmp(waiting_names[i], text))
			return i;
	cli_usage("%s: '%s' is not read, poll or epoll", option, text);
}

void waiting_prepare(struct waiter *waiter, enum waiting kind, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	waiter->kind = kind;
	waiter->fd = fd;
	waiter->epoll = -1;
	if (kind != WAITING_EPOLL)
		return;
	waiter->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (waiter->epoll < 0 || epoll_ctl(waiter->epoll, EPOLL_CTL_ADD, fd, &event))
		cli_fail("watching the socket with epoll");
}

static int wait_once(const struct waiter *waiter)
{
	struct pollfd socket = { .fd = waiter->fd, .events = POLLIN };
	struct epoll_event event;

	switch (waiter->kind) {
	case WAITING_POLL:
		return poll(&socket, 1, -1);
	case WAITING_EPOLL:
		return epoll_wait(waiter->epoll, &event, 1, -1);
	default:
		return 1;
	}
}

void waiting_for_frame(const struct waiter *waiter)
{
	/* The program may be stopped and continued, which ends epoll_wait(). */
	while (wait_once(waiter) != 1)
		if (errno != EINTR)
			cli_fail("waiting for a frame");
}
