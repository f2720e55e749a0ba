// SPDX-License-Identifier: GPL-2.0-only
/*
 * The receive queue of a CAN_RAW socket. The kernel charges the memory of each queued frame,
 * and drops frames above SO_RCVBUF. The charge is measured with one frame; it determines how
 * many frames fit and how many are queued. Only queue_drain() is called during a measurement.
 */
#include <errno.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli.h"
#include "queue.h"
#include "rawsock.h"

/* Local frames arrive immediately, unless the host is paused. */
#define TIMEOUT_S 30

static void get_meminfo(const struct queue *queue, uint32_t info[SK_MEMINFO_VARS])
{
	socklen_t length = SK_MEMINFO_VARS * sizeof(info[0]);

	if (getsockopt(queue->fd, SOL_SOCKET, SO_MEMINFO, info, &length))
		cli_fail("getting the state of a receive queue (SO_MEMINFO)");
}

/* A receiver must not wait forever for a lost frame. */
static void limit_wait(const struct queue *queue)
{
	struct timeval patience = { .tv_sec = TIMEOUT_S };

	if (setsockopt(queue->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		cli_fail("setting the timeout of a socket");
}

static void measure_charge(struct queue *queue, const struct bench *bench)
{
	struct pollfd ready = { .fd = queue->fd, .events = POLLIN };
	uint32_t info[SK_MEMINFO_VARS] = { 0 };

	rawsock_send(bench->feeder, &bench->frame, bench->size, UINT64_MAX);
	while (poll(&ready, 1, TIMEOUT_S * 1000) < 0)
		if (errno != EINTR || cli_stopped)
			cli_fail("waiting for the first frame");
	get_meminfo(queue, info);
	queue->charge = info[SK_MEMINFO_RMEM_ALLOC];
	errno = 0;
	if (!queue->charge)
		cli_fail("%s does not deliver local frames to sockets on this host; use a vcan interface",
			 bench->ifname);
	if (queue_drain(queue, bench->size, 1) == 1) {
		get_meminfo(queue, info);
		if (!info[SK_MEMINFO_RMEM_ALLOC])
			return;
	}
	rawsock_up(bench->ifname);
	cli_warn("other traffic on %s: another program uses it", bench->ifname);
	exit(CLI_LOSS);
}

void queue_open(struct queue *queue, const struct bench *bench, unsigned int chunk)
{
	queue->fd = rawsock_open(bench->ifname, bench->size == CANFD_MTU ? RAWSOCK_FD : 0);
	/* queue_room() returns the actual size. */
	rawsock_rcvbuf(queue->fd, chunk);
	limit_wait(queue);
	measure_charge(queue, bench);
}

unsigned int queue_room(const struct queue *queue)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };

	get_meminfo(queue, info);
	return info[SK_MEMINFO_RCVBUF] / queue->charge;
}

unsigned int queue_waiting(const struct queue *queue)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };

	get_meminfo(queue, info);
	return info[SK_MEMINFO_RMEM_ALLOC] / queue->charge;
}

unsigned int queue_drain(const struct queue *queue, unsigned int size, unsigned int count)
{
	struct canfd_frame frame;
	unsigned int done;

	for (done = 0; done < count; done++)
		if (read(queue->fd, &frame, sizeof(frame)) != (ssize_t)size)
			break;
	return done;
}
