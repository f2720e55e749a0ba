/* SPDX-License-Identifier: GPL-2.0-only */
/* How the kernel serves an interface: interrupts, and threads. Main thread only. */
#ifndef CANBENCH_LOAD_DRIVER_H
#define CANBENCH_LOAD_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * driver_napi_thread() - have the NAPI of @ifname run in a thread with the real-time
 * priority @priority. Returns false if its driver has no NAPI of its own, which
 * changes nothing; whatever else is in the way ends the program with CLI_SYSTEM.
 */
bool driver_napi_thread(const char *ifname, unsigned int priority);

/*
 * driver_irq_thread() - give the threads of its interrupt the real-time priority
 * @priority. Returns false if there are none: the handler is a hard interrupt.
 * The interface must be up.
 */
bool driver_irq_thread(const char *ifname, unsigned int priority);

/* driver_interrupts() - interrupts of @ifname so far. The interface must be up. */
uint64_t driver_interrupts(const char *ifname);

/*
 * driver_defer() - while a reader of @ifname polls, its driver may mask receive
 * interrupts for @timeout ns.
 */
void driver_defer(const char *ifname, uint64_t timeout);

#endif
