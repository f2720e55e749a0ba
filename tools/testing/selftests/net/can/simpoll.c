// SPDX-License-Identifier: GPL-2.0-only
/* Readers that poll; see simpoll.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "simpoll.h"

int sim_sysfs(const char *name, const char *attribute, const char *value)
{
	char path[128];
	FILE *file;
	int err;

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", name,
		 attribute);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	err = fputs(value, file) < 0 ? -EIO : 0;
	return fclose(file) ? -errno : err;
}

int sim_busy_poll(int fd, int us, bool prefer)
{
	int on = prefer, budget = 16;

	if (setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &us, sizeof(us)) ||
	    setsockopt(fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, &on, sizeof(on)) ||
	    setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL_BUDGET, &budget,
		       sizeof(budget)))
		return -errno;
	return 0;
}

/* Two lines of /proc/net/netstat, one of names and one of numbers */
int64_t sim_polled_packets(void)
{
	char names[8192], values[8192], *name, *value, *at_name, *at_value;
	int64_t count = -ENOENT;
	FILE *file;

	file = fopen("/proc/net/netstat", "r");
	if (!file)
		return -errno;
	while (fgets(names, sizeof(names), file) &&
	       fgets(values, sizeof(values), file)) {
		name = strtok_r(names, "\n ", &at_name);
		value = strtok_r(values, "\n ", &at_value);
		while (name && value) {
			if (!strcmp(name, "BusyPollRxPackets"))
				count = strtoll(value, NULL, 10);
			name = strtok_r(NULL, "\n ", &at_name);
			value = strtok_r(NULL, "\n ", &at_value);
		}
	}
	fclose(file);
	return count;
}

int sim_defer_interrupts(const char *name, const char *timeout_ns)
{
	/* so many polls may find nothing */
	const char *polls = strcmp(timeout_ns, "0") ? "1000" : "0";

	return sim_sysfs(name, "napi_defer_hard_irqs", polls) ?:
	       sim_sysfs(name, "gro_flush_timeout", timeout_ns);
}
