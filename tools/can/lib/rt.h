/* SPDX-License-Identifier: GPL-2.0-only */
/* Time and scheduling of a measuring program. */
#ifndef CAN_TOOLS_RT_H
#define CAN_TOOLS_RT_H

#include <stdint.h>
#include <time.h>

/* rt_now() - CLOCK_MONOTONIC in ns. Any thread. */
uint64_t rt_now(void);

/* rt_sleep_until() - to @when, CLOCK_MONOTONIC ns; returns early when a signal came. */
void rt_sleep_until(uint64_t when);

/*
 * rt_priority() - SCHED_FIFO with @priority (1..99) for the calling thread and
 * the ones it creates later; 0: leave it. Exits with CLI_SYSTEM and names
 * CAP_SYS_NICE when that is not allowed.
 */
void rt_priority(unsigned int priority);

/* rt_lock_memory() - mlockall(); exits with CLI_SYSTEM and names the limit when that is not allowed. */
void rt_lock_memory(void);

/* rt_unlock_memory() - when all is measured, so that a result may take more memory than can be locked. */
void rt_unlock_memory(void);

#endif
