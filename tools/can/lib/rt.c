// SPDX-License-Identifier: GPL-2.0-only
/* Clock, scheduling and memory locking. Any thread may call these. */
#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

#include "cli.h"
#include "rt.h"

#define NSEC_PER_SEC 1000000000ULL

uint64_t rt_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void rt_sleep_until(uint64_t when)
{
	struct timespec at = {
		.tv_sec = when / NSEC_PER_SEC,
		.tv_nsec = when % NSEC_PER_SEC,
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

void rt_priority(unsigned int priority)
{
	struct sched_param param = { .sched_priority = priority };

	if (!priority)
		return;
	if (!sched_setscheduler(0, SCHED_FIFO, &param))
		return;
	if (errno == EPERM)
		cli_fail("real-time priority %u requires CAP_SYS_NICE or a sufficient RLIMIT_RTPRIO (ulimit -r)",
			 priority);
	cli_fail("setting real-time priority %u", priority);
}

void rt_no_priority(void)
{
	struct sched_param param = { .sched_priority = 0 };

	if (sched_setscheduler(0, SCHED_OTHER, &param))
		cli_fail("setting the normal priority");
}

void rt_bind(pid_t thread, unsigned int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(thread, sizeof(cpus), &cpus))
		cli_fail("running on CPU %u", cpu);
}

void rt_lock_memory(void)
{
	if (!mlockall(MCL_CURRENT | MCL_FUTURE))
		return;
	if (errno == EPERM || errno == ENOMEM)
		cli_fail("locking memory requires CAP_IPC_LOCK or a sufficient RLIMIT_MEMLOCK (ulimit -l)");
	cli_fail("locking memory");
}

void rt_unlock_memory(void)
{
	munlockall();
}
