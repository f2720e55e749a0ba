// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts and threads of an interface; see driver.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "driver.h"
#include "rt.h"

#define COMM_SIZE 64

/* The name is empty if the thread has ended meanwhile. */
static void read_comm(pid_t pid, char comm[COMM_SIZE])
{
	char path[32];
	FILE *file;

	comm[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(comm, COMM_SIZE, file))
		comm[strcspn(comm, "\n")] = '\0';
	fclose(file);
}

static void set_priority(pid_t pid, const char *comm, unsigned int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (sched_setscheduler(pid, SCHED_FIFO, &param))
		cli_fail("setting a real-time priority for %s", comm);
}

static void set_cpu(pid_t pid, const char *comm, unsigned int cpu)
{
	(void)comm;
	rt_bind(pid, cpu);
}

/* True: there are threads with a matching name. */
static bool set_threads(bool (*matches)(const char *comm, const char *name), const char *name,
			void (*set)(pid_t pid, const char *comm, unsigned int value),
			unsigned int value)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	char comm[COMM_SIZE];
	bool found = false;
	pid_t pid;

	if (!proc)
		cli_fail("opening /proc");
	while ((entry = readdir(proc))) {
		pid = atoi(entry->d_name);
		if (pid <= 0)
			continue;
		read_comm(pid, comm);
		if (!matches(comm, name))
			continue;
		set(pid, comm, value);
		found = true;
	}
	closedir(proc);
	return found;
}

/* The kernel names NAPI threads napi/INTERFACE-NUMBER. */
static bool is_napi_thread(const char *comm, const char *ifname)
{
	size_t len = strlen(ifname);

	return !strncmp(comm, "napi/", 5) && !strncmp(comm + 5, ifname, len) &&
	       comm[5 + len] == '-';
}

/* The kernel names interrupt threads irq/NUMBER-NAME or irq/NUMBER-s-NAME. */
static bool is_irq_thread(const char *comm, const char *name)
{
	const char *dash = strchr(comm, '-');

	if (strncmp(comm, "irq/", 4) || !dash)
		return false;
	if (!strncmp(dash, "-s-", 3))
		dash += 2;
	return !strcmp(dash + 1, name);
}

static bool is_rx_thread(const char *comm, const char *ifname)
{
	return !strncmp(comm, "can-rx/", 7) && !strcmp(comm + 7, ifname);
}

/* False: the driver does not support the attribute. */
static bool set_attribute(const char *ifname, const char *attribute, uint64_t value)
{
	char path[PATH_MAX], text[32];
	ssize_t done;
	int fd;

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", ifname, attribute);
	snprintf(text, sizeof(text), "%" PRIu64, value);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		cli_fail("opening %s", path);
	done = write(fd, text, strlen(text));
	if (done < 0 && errno != EOPNOTSUPP)
		cli_fail("writing %s", path);
	close(fd);
	return done > 0;
}

bool driver_napi_thread(const char *ifname, unsigned int priority)
{
	if (!set_attribute(ifname, "threaded", 1))
		return false;
	errno = 0;
	if (!set_threads(is_napi_thread, ifname, set_priority, priority))
		cli_fail("%s: NAPI thread not found", ifname);
	return true;
}

/* Some drivers name their interrupt after the device of the interface. */
static bool device_name(const char *ifname, char name[NAME_MAX])
{
	char path[PATH_MAX], device[PATH_MAX];

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", ifname);
	if (!realpath(path, device))
		return false;
	snprintf(name, NAME_MAX, "%s", strrchr(device, '/') + 1);
	return true;
}

bool driver_irq_thread(const char *ifname, unsigned int priority)
{
	char name[NAME_MAX];

	return set_threads(is_irq_thread, ifname, set_priority, priority) ||
	       (device_name(ifname, name) && set_threads(is_irq_thread, name, set_priority, priority));
}

bool driver_rx_thread(const char *ifname, unsigned int priority)
{
	return set_threads(is_rx_thread, ifname, set_priority, priority);
}

bool driver_rx_bind(const char *ifname, unsigned int cpu)
{
	return set_threads(is_rx_thread, ifname, set_cpu, cpu);
}

/* Lines of /proc/interrupts have a count for each CPU, and end with the name. */
static bool count_interrupts(const char *name, uint64_t *sum)
{
	FILE *file = fopen("/proc/interrupts", "re");
	bool found = false;
	size_t size = 0;
	char *line = NULL, *count, *at, *end;

	if (!file)
		cli_fail("reading /proc/interrupts");
	while (!found && getline(&line, &size, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		end = strrchr(line, ' ');
		at = strchr(line, ':');
		if (!end || !at || strcmp(end + 1, name))
			continue;
		found = true;
		do {
			count = at + 1;
			*sum += strtoull(count, &at, 10);
		} while (at > count);
	}
	free(line);
	fclose(file);
	return found;
}

uint64_t driver_interrupts(const char *ifname)
{
	char name[NAME_MAX];
	uint64_t sum = 0;

	if (!count_interrupts(ifname, &sum) && device_name(ifname, name))
		count_interrupts(name, &sum);
	return sum;
}

void driver_defer(const char *ifname, uint64_t timeout)
{
	/* Number of empty polls after which interrupts are unmasked */
	set_attribute(ifname, "napi_defer_hard_irqs", 1000);
	set_attribute(ifname, "gro_flush_timeout", timeout);
}
