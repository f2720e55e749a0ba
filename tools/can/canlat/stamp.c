// SPDX-License-Identifier: GPL-2.0-only
/*
 * Timestamps; see stamp.h.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <net/if.h>

#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>

#include "cli.h"
#include "stamp.h"

#define HARDWARE (SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE)
#define KERNEL (SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE)

const char * const stamp_clocks[] = {
	[STAMP_AUTO] = "auto",
	[STAMP_KERNEL] = "kernel",
	[STAMP_HARDWARE] = "hardware",
	NULL
};

static bool has_hardware(int fd, const char *ifname)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	struct ifreq request = { .ifr_data = (void *)&info };

	strncpy(request.ifr_name, ifname, IFNAMSIZ - 1);
	return !ioctl(fd, SIOCETHTOOL, &request) &&
	       (info.so_timestamping & HARDWARE) == HARDWARE;
}

/* Interfaces of one PCI or USB device are one adapter, which has one clock. */
static bool same_adapter(const char *a, const char *b)
{
	char path[64 + IFNAMSIZ], first[PATH_MAX], second[PATH_MAX];

	if (!strcmp(a, b))
		return true;
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", a);
	if (!realpath(path, first))
		return false;
	snprintf(path, sizeof(path), "/sys/class/net/%s/device", b);
	return realpath(path, second) && !strcmp(first, second);
}

enum stamp_clock stamp_choose(enum stamp_clock wish, int fd, const char *bus, const char *rx)
{
	const char *without = NULL;

	if (wish == STAMP_KERNEL)
		return wish;
	if (!has_hardware(fd, bus))
		without = bus;
	else if (!has_hardware(fd, rx))
		without = rx;
	if (wish == STAMP_HARDWARE && without)
		cli_usage("--clock: %s does not support hardware timestamps", without);
	if (wish == STAMP_HARDWARE)
		return wish;
	return !without && same_adapter(bus, rx) ? STAMP_HARDWARE : STAMP_KERNEL;
}

void stamp_enable(int fd, enum stamp_clock clock)
{
	int flags = clock == STAMP_HARDWARE ? HARDWARE : KERNEL;

	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)))
		cli_fail("enabling timestamps");
}

uint64_t stamp_of(const struct rawsock_frame *f, enum stamp_clock clock)
{
	return f->hardware == (clock == STAMP_HARDWARE) ? f->stamp : 0;
}

static int64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

struct stamp_epoch stamp_epoch(void)
{
	struct stamp_epoch best = { .width = INT64_MAX };
	int i;

	/* The fastest of several readings: the others were interrupted. */
	for (i = 0; i < 10; i++) {
		int64_t before = read_clock(CLOCK_MONOTONIC);
		int64_t real = read_clock(CLOCK_REALTIME);
		int64_t width = read_clock(CLOCK_MONOTONIC) - before;

		if (width < best.width)
			best = (struct stamp_epoch){ real - before, width };
	}
	return best;
}

int64_t stamp_stepped(struct stamp_epoch from, struct stamp_epoch to)
{
	int64_t step = to.offset - from.offset;

	return llabs(step) > from.width + to.width ? step : 0;
}
