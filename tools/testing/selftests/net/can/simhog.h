/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads of real-time priority that never sleep keep threads of lower priority from
 * running, on all CPUs.
 */
#ifndef SIMHOG_H
#define SIMHOG_H

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "simtest.h"

#define HOG_PRIORITY	30
/* That of a test: above them, and below threads that read chips, which a test that polls
 * would keep waiting
 */
#define HOG_ABOVE	40
/* That of a thread that must not run */
#define HOG_BELOW	1

#define HOG_CPUS	8

/* A test that fails may leave them running, and its end needs normal tasks. */
#define HOG_SECONDS	60

/** sim_set_priority() - give a task, or 0 for the caller, SCHED_FIFO and a priority */
static inline int sim_set_priority(pid_t tid, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(tid, SCHED_FIFO, &param) ? -errno : 0;
}

/** sim_hog_cpu() - keep threads of lower priority from running on this CPU; does not return */
static inline void sim_hog_cpu(int cpu)
{
	struct timespec begin, now;
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) || sim_set_priority(0, HOG_PRIORITY))
		_exit(1);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < HOG_SECONDS);
	_exit(1);
}

/* Otherwise the scheduler gives normal tasks 50 ms of each second before all threads of
 * real-time priority, also before one that reads a chip.
 */
static inline int sim_stop_fair_server(int cpu)
{
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/sys/kernel/debug/sched/fair_server/cpu%d/runtime", cpu);
	err = ct_setting(path, "0");
	/* an older kernel, or a machine of others */
	return err == -ENOENT || err == -EPERM ? 0 : err;
}

/**
 * sim_begin_hogs() - keep threads of lower priority than HOG_PRIORITY from running
 * @_metadata: of the case
 * @hogs: for sim_end_hogs()
 *
 * The caller, which gets the priority HOG_ABOVE, goes on. Until the end of the program, the
 * scheduler reserves no time for normal tasks if this is a machine of the tests' own.
 */
static inline void sim_begin_hogs(struct __test_metadata *_metadata, pid_t hogs[HOG_CPUS])
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN), i;

	ASSERT_GE(HOG_CPUS, cpus);
	ASSERT_EQ(0, sim_set_priority(0, HOG_ABOVE));
	for (i = 0; i < HOG_CPUS; i++)
		hogs[i] = 0;
	for (i = 0; i < cpus; i++) {
		ASSERT_EQ(0, sim_stop_fair_server(i));
		hogs[i] = fork();
		ASSERT_LE(0, hogs[i]);
		if (!hogs[i])
			sim_hog_cpu(i);
	}
}

/**
 * sim_starve_napi() - keep NAPI of CHIP_IF from running; its thread gets a low priority
 * @_metadata: of the test, which has to call sim_end_hogs()
 * @hogs: set to the processes
 */
static inline void sim_starve_napi(struct __test_metadata *_metadata, pid_t hogs[HOG_CPUS])
{
	ASSERT_EQ(0, sim_set_priority(CT_OK(ct_thread("napi/" CHIP_IF "-")), HOG_BELOW));
	sim_begin_hogs(_metadata, hogs);
}

/**
 * sim_end_hog() - let others run
 * @hog: process of sim_hog_cpu(), or 0 for none; set to 0
 *
 * Return: true if it has kept others from running until now.
 */
static inline bool sim_end_hog(pid_t *hog)
{
	pid_t pid = *hog;
	int status;

	*hog = 0;
	if (pid <= 0)
		return false;
	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status);
}

/**
 * sim_end_hogs() - let others run; also if there are none that keep them from it
 * @hogs: from sim_begin_hogs()
 *
 * Return: true if they have kept others from running until now.
 */
static inline bool sim_end_hogs(pid_t hogs[HOG_CPUS])
{
	bool until_now = true;
	int i;

	for (i = 0; i < HOG_CPUS && hogs[i] > 0; i++)
		until_now &= sim_end_hog(&hogs[i]);
	return until_now;
}

#endif /* SIMHOG_H */
