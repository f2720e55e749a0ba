// SPDX-License-Identifier: GPL-2.0-only
#include <sys/socket.h>
#include <unistd.h>

#include "cli.h"
#include "rawsock.h"
#include "rt.h"
#include "write.h"

/* More frames than a receive queue of the minimum size holds */
#define FRAMES_TO_FILL 16

void write_shrink(int fd)
{
	int least = 0;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &least, sizeof(least)))
		cli_fail("setting SO_RCVBUF");
}

bool write_measure(const char *ifname, canid_t can_id, unsigned int frames, double *ns)
{
	const struct canfd_frame frame = { .can_id = can_id, .len = CAN_MAX_DLEN };
	int fd = rawsock_open(ifname, RAWSOCK_NO_RX);
	uint64_t start, took, least = UINT64_MAX;

	for (unsigned int i = 0; i < FRAMES_TO_FILL + frames && !cli_stopped; i++) {
		start = rt_now();
		if (!rawsock_send(fd, &frame, CAN_MTU, UINT64_MAX))
			break;
		took = rt_now() - start;
		if (i >= FRAMES_TO_FILL && took < least)
			least = took;
	}
	close(fd);
	*ns = least;
	return !cli_stopped;
}
