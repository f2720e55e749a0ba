/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts and threads of an interface. Main thread only. */
#ifndef CANBENCH_LOAD_DRIVER_H
#define CANBENCH_LOAD_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * driver_napi_thread() - run the NAPI of @ifname in a thread with real-time priority
 * @priority. False: its driver does not have NAPI. Other errors end the program with
 * CLI_SYSTEM.
 */
bool driver_napi_thread(const char *ifname, unsigned int priority);

/*
 * driver_irq_thread() - set the real-time priority of the interrupt threads of @ifname.
 * False: there are none, because the handler runs in hardirq context. The interface must
 * be up.
 */
bool driver_irq_thread(const char *ifname, unsigned int priority);

/*
 * driver_rx_thread() - set the real-time priority of the thread that gives frames of @ifname to
 * sockets (PREEMPT_RT). False: there is none. The interface must be up.
 */
bool driver_rx_thread(const char *ifname, unsigned int priority);

/*
 * driver_rx_bind() - run the thread that gives frames of @ifname to sockets on this CPU only.
 * False: there is none. The interface must be up.
 */
bool driver_rx_bind(const char *ifname, unsigned int cpu);

/* driver_interrupts() - number of interrupts of @ifname, which must be up. */
uint64_t driver_interrupts(const char *ifname);

/*
 * driver_defer() - let the driver of @ifname mask receive interrupts for @timeout ns while
 * a task polls.
 */
void driver_defer(const char *ifname, uint64_t timeout);

#endif
