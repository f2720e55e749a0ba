/* SPDX-License-Identifier: GPL-2.0-only */
/* Clock, scheduling and memory locking. */
#ifndef CAN_TOOLS_RT_H
#define CAN_TOOLS_RT_H

#include <stdint.h>
#include <time.h>
#include <sys/types.h>

/* rt_now() - CLOCK_MONOTONIC in ns. */
uint64_t rt_now(void);

/* rt_sleep_until() - sleep until @when, CLOCK_MONOTONIC in ns. A signal ends the sleep. */
void rt_sleep_until(uint64_t when);

/*
 * rt_priority() - set SCHED_FIFO with @priority (1..99) for the calling thread and the
 * threads that it creates later; 0: no change. Exits with CLI_SYSTEM without permission.
 */
void rt_priority(unsigned int priority);

/* rt_no_priority() - undo rt_priority() for the calling thread */
void rt_no_priority(void);

/*
 * rt_bind() - run a thread, and those that it creates later, on this CPU only; @thread 0: the
 * calling one. Exits with CLI_SYSTEM if the CPU is not online.
 */
void rt_bind(pid_t thread, unsigned int cpu);

/* rt_lock_memory() - mlockall(). Exits with CLI_SYSTEM without permission. */
void rt_lock_memory(void);

/*
 * rt_unlock_memory() - called after the measurement, because building the result may need
 * more memory than can be locked.
 */
void rt_unlock_memory(void);

#endif
