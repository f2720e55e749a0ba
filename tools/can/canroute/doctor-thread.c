// SPDX-License-Identifier: GPL-2.0-only
/*
 * Section "threads" of the command doctor: the threads napi/INTERFACE-N, can-rx/INTERFACE, and
 * irq/N-NAME, where NAME is the interface or its device, such as spi0.0. /proc/PID/stat has the
 * scheduling class and the priority.
 */
#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor-files.h"
#include "doctor-thread.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* Below the interrupt threads of the kernel: NAPI lends it to the softirqs it waits for. */
#define PRIORITY 49

#define RX "can-rx/"
#define THREAD_NAME 15

/* Fields of /proc/PID/stat after the name */
#define STAT_AFTER_NAME 3
#define STAT_PRIORITY 40
#define STAT_CLASS 41

struct thread {
	const char *pid;
	char name[80];
	int class, priority;
};

/* The name, in parentheses, may have any character. */
static bool read_scheduling(struct thread *t)
{
	int field = STAT_AFTER_NAME;
	char line[2048], *p;

	if (!files_line(line, sizeof(line), "/proc/%s/stat", t->pid))
		return false;
	p = strrchr(line, ')');
	for (p = p ? strtok(p + 1, " ") : NULL; p; p = strtok(NULL, " "), field++) {
		if (field == STAT_PRIORITY)
			t->priority = atoi(p);
		if (field == STAT_CLASS)
			t->class = atoi(p);
	}
	return field > STAT_CLASS;
}

static const char *class_name(int class)
{
	static const char *const names[] = {
		[SCHED_OTHER] = "SCHED_OTHER", [SCHED_FIFO] = "SCHED_FIFO",
		[SCHED_RR] = "SCHED_RR", [SCHED_BATCH] = "SCHED_BATCH",
		[SCHED_IDLE] = "SCHED_IDLE", [SCHED_DEADLINE] = "SCHED_DEADLINE",
	};

	if (class < 0 || class >= (int)(sizeof(names) / sizeof(names[0])))
		return NULL;
	return names[class];
}

/* "napi/can0-8193" is a thread of can0. */
static bool is_napi(const char *thread, const char *interface)
{
	size_t len = strlen(interface);

	return !strncmp(thread, "napi/", 5) && !strncmp(thread + 5, interface, len) &&
	       thread[5 + len] == '-';
}

/* "can-rx/can0", up to the length of names of threads */
static bool is_rx(const char *thread, const char *interface)
{
	return !strncmp(thread, RX, strlen(RX)) &&
	       !strncmp(thread + strlen(RX), interface, THREAD_NAME - strlen(RX));
}

static bool has_interrupt(const char *interface, const char *irq, size_t len)
{
	char line[32], number[16];

	if (len >= sizeof(number))
		return false;
	memcpy(number, irq, len);
	number[len] = '\0';
	if (files_line(line, sizeof(line), "/sys/class/net/%s/device/irq", interface) &&
	    !strcmp(line, number))
		return true;
	return files_exist("/sys/class/net/%s/device/msi_irqs/%s", interface, number);
}

/* "irq/16-can0", "irq/190-spi0.0", or "irq/16-s-can0" for a secondary thread */
static bool is_interrupt(const char *thread, const char *interface)
{
	const char *number = thread + 4, *name;
	char device[128];
	size_t len;

	if (strncmp(thread, "irq/", 4))
		return false;
	len = strspn(number, "0123456789");
	if (!len || number[len] != '-')
		return false;
	name = number + len + 1;
	if (!strncmp(name, "s-", 2))
		name += 2;
	return !strcmp(name, interface) || has_interrupt(interface, number, len) ||
	       (files_link(device, sizeof(device), "/sys/class/net/%s/device", interface) &&
		!strcmp(name, device));
}

static const char *find_interface(char **interfaces, const char *thread)
{
	char type[16];

	for (char **i = interfaces; *i; i++)
		if (files_line(type, sizeof(type), "/sys/class/net/%s/type", *i) &&
		    !strcmp(type, "280") &&
		    (is_napi(thread, *i) || is_rx(thread, *i) || is_interrupt(thread, *i)))
			return *i;
	return NULL;
}

static void report_thread(struct report *r, const struct thread *t, const char *interface, bool rt)
{
	bool napi = !strncmp(t->name, "napi/", 5);

	report_row(r, "threads",
		   json_pack("{s:o, s:i, s:o, s:o, s:o}", "thread", report_string(t->name),
			     "pid", atoi(t->pid), "interface", report_string(interface),
			     "class", report_string(class_name(t->class)), "priority",
			     t->priority ? json_integer(t->priority) : json_null()));
	if (!rt || !napi || t->class == SCHED_FIFO || t->class == SCHED_RR ||
	    t->class == SCHED_DEADLINE)
		return;
	report_issue(r, REPORT_FINDING,
		     "%s: on PREEMPT_RT, every real-time task delays a NAPI thread without a real-time priority",
		     t->name);
	report_command(r, "chrt -f -p %d %d", PRIORITY, atoi(t->pid));
}

void doctor_threads(struct report *r, bool rt)
{
	char **interfaces = files_names("/sys/class/net"), **pids = files_names("/proc");

	report_section(r, "threads");
	report_table(r, "threads");
	for (char **pid = pids; *pid; pid++) {
		struct thread t = { .pid = *pid };
		const char *interface;

		if (!isdigit((unsigned char)**pid) ||
		    !files_line(t.name, sizeof(t.name), "/proc/%s/comm", *pid) ||
		    (strncmp(t.name, "napi/", 5) && strncmp(t.name, "irq/", 4) &&
		     strncmp(t.name, RX, strlen(RX))))
			continue;
		interface = find_interface(interfaces, t.name);
		if (interface && read_scheduling(&t))
			report_thread(r, &t, interface, rt);
	}
	/* kthreadd is hidden with the mount option hidepid. */
	if (!files_exist("/proc/2"))
		report_issue(r, REPORT_UNKNOWN,
			     "threads of the kernel: hidden in /proc; run as root, outside of a container");
	files_names_free(interfaces);
	files_names_free(pids);
}
