// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the clock selection of canlat, with stamp.c included. Virtual interfaces have no
 * hardware timestamps, so the replies of the kernel about adapters are faked. Needs no CAN
 * interface. Prints TAP; one thread.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <linux/net_tstamp.h>

static int fake_ioctl(int fd, unsigned long request, ...);
static char *fake_realpath(const char *path, char *resolved);
static int fake_setsockopt(int fd, int level, int option, const void *value, socklen_t length);

#define ioctl fake_ioctl
#define realpath fake_realpath
#define setsockopt fake_setsockopt
#include "../canlat/stamp.c"
#undef ioctl
#undef realpath
#undef setsockopt

/*
 * usb0 and usb1 belong to one adapter, pci0 to another one. old0 has no raw hardware
 * timestamps, and vcan0 has no adapter.
 */
static const struct adapter {
	const char *ifname, *device;
	unsigned int can;
} adapters[] = {
	{ "usb0", "/sys/devices/usb1/1-1", HARDWARE | KERNEL },
	{ "usb1", "/sys/devices/usb1/1-1", HARDWARE | KERNEL },
	{ "pci0", "/sys/devices/pci0000:00/0000:00:03.0", HARDWARE | KERNEL },
	{ "old0", "/sys/devices/usb1/1-1", SOF_TIMESTAMPING_RX_HARDWARE | KERNEL },
	{ "vcan0", NULL, HARDWARE | KERNEL },
	{ "vcan1", NULL, HARDWARE | KERNEL },
};

#define ADAPTERS (sizeof(adapters) / sizeof(adapters[0]))

static int recorded_flags;

static const struct adapter *adapter_of(const char *ifname, size_t length)
{
	for (size_t i = 0; i < ADAPTERS; i++)
		if (strlen(adapters[i].ifname) == length &&
		    !strncmp(adapters[i].ifname, ifname, length))
			return &adapters[i];
	return NULL;
}

static int fake_ioctl(int fd, unsigned long request, ...)
{
	const struct adapter *adapter;
	struct ethtool_ts_info *info;
	struct ifreq *ifr;
	va_list args;

	va_start(args, request);
	ifr = va_arg(args, struct ifreq *);
	va_end(args);
	info = (struct ethtool_ts_info *)ifr->ifr_data;
	adapter = adapter_of(ifr->ifr_name, strlen(ifr->ifr_name));
	if (fd != 5 || request != SIOCETHTOOL || info->cmd != ETHTOOL_GET_TS_INFO || !adapter)
		return -1;
	info->so_timestamping = adapter->can;
	return 0;
}

static char *fake_realpath(const char *path, char *resolved)
{
	const char *name = path + strlen("/sys/class/net/");
	const struct adapter *adapter = adapter_of(name, strcspn(name, "/"));

	if (!adapter || !adapter->device || strcmp(strchr(name, '/'), "/device"))
		return NULL;
	return strcpy(resolved, adapter->device);
}

static int fake_setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
	if (fd != 5 || level != SOL_SOCKET || option != SO_TIMESTAMPING || length != sizeof(int))
		return -1;
	recorded_flags = *(const int *)value;
	return 0;
}

static bool equal(const char *what, int64_t got, int64_t want)
{
	if (got != want)
		printf("# %s: expected %jd, got %jd\n", what, (intmax_t)want, (intmax_t)got);
	return got == want;
}

#define EQUAL(got, want) (good &= equal(#got, got, want))

static bool test_auto(void)
{
	bool good = true;

	EQUAL(stamp_choose(STAMP_AUTO, 5, "usb0", "usb1"), STAMP_HARDWARE);
	EQUAL(stamp_choose(STAMP_AUTO, 5, "usb0", "pci0"), STAMP_KERNEL);
	EQUAL(stamp_choose(STAMP_AUTO, 5, "usb0", "old0"), STAMP_KERNEL);
	EQUAL(stamp_choose(STAMP_AUTO, 5, "old0", "usb0"), STAMP_KERNEL);
	EQUAL(stamp_choose(STAMP_AUTO, 5, "vcan0", "vcan1"), STAMP_KERNEL);
	EQUAL(stamp_choose(STAMP_AUTO, 5, "gone0", "usb0"), STAMP_KERNEL);
	return good;
}

static bool test_wish(void)
{
	bool good = true;

	EQUAL(stamp_choose(STAMP_KERNEL, 5, "usb0", "usb1"), STAMP_KERNEL);
	EQUAL(stamp_choose(STAMP_HARDWARE, 5, "usb0", "usb1"), STAMP_HARDWARE);
	EQUAL(stamp_choose(STAMP_HARDWARE, 5, "usb0", "pci0"), STAMP_HARDWARE);
	return good;
}

/* Exit status of a child process that requests hardware timestamps */
static int wish_in_child(const char *bus, const char *rx)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!freopen("/dev/null", "w", stderr))
			_exit(99);
		stamp_choose(STAMP_HARDWARE, 5, bus, rx);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool test_rejected(void)
{
	bool good = true;

	EQUAL(wish_in_child("usb0", "old0"), CLI_USAGE);
	EQUAL(wish_in_child("old0", "usb0"), CLI_USAGE);
	EQUAL(wish_in_child("usb0", "usb1"), 0);
	return good;
}

static bool test_enable(void)
{
	bool good = true;

	stamp_enable(5, STAMP_HARDWARE);
	EQUAL(recorded_flags, HARDWARE);
	stamp_enable(5, STAMP_KERNEL);
	EQUAL(recorded_flags, KERNEL);
	EQUAL(HARDWARE & KERNEL, 0);
	return good;
}

static bool test_kinds_apart(void)
{
	struct rawsock_frame kernel = { .stamp = 11 };
	struct rawsock_frame hardware = { .stamp = 22, .hardware = true };
	bool good = true;

	EQUAL(stamp_of(&kernel, STAMP_KERNEL), 11);
	EQUAL(stamp_of(&hardware, STAMP_HARDWARE), 22);
	EQUAL(stamp_of(&kernel, STAMP_HARDWARE), 0);
	EQUAL(stamp_of(&hardware, STAMP_KERNEL), 0);
	return good;
}

static bool test_step(void)
{
	struct stamp_epoch from = { .offset = 1000, .width = 40 };
	bool good = true;

	EQUAL(stamp_stepped(from, (struct stamp_epoch){ 1000, 10 }), 0);
	EQUAL(stamp_stepped(from, (struct stamp_epoch){ 1050, 10 }), 0);
	EQUAL(stamp_stepped(from, (struct stamp_epoch){ 950, 10 }), 0);
	EQUAL(stamp_stepped(from, (struct stamp_epoch){ 1051, 10 }), 51);
	EQUAL(stamp_stepped(from, (struct stamp_epoch){ 949, 10 }), -51);
	return good;
}

static const struct {
	bool (*run)(void);
	const char *promise;
} tests[] = {
	{ test_auto, "auto: hardware clock if both interfaces share it, else kernel clock" },
	{ test_wish, "a requested clock is selected" },
	{ test_rejected, "hardware timestamps are rejected if an interface has none" },
	{ test_enable, "only timestamps of the selected clock are enabled" },
	{ test_kinds_apart, "a timestamp of another clock is ignored" },
	{ test_step, "a clock step is detected, an inexact reading is not a step" },
};

int main(void)
{
	unsigned int i, n = sizeof(tests) / sizeof(tests[0]);
	int failures = 0;

	printf("TAP version 13\n1..%u\n", n);
	for (i = 0; i < n; i++) {
		bool good = tests[i].run();

		failures += !good;
		printf("%sok %u %s\n", good ? "" : "not ", i + 1, tests[i].promise);
	}
	return failures != 0;
}
