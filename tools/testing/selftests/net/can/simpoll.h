/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Readers that poll the driver of a controller, for selftests. Functions return 0
 * or a positive result, or a negative errno value; nothing here asserts.
 */
#ifndef SIMPOLL_H
#define SIMPOLL_H

#include <stdbool.h>
#include <stdint.h>

/**
 * sim_busy_poll() - let readers of a socket poll
 * @fd: a socket of any CAN protocol
 * @us: for how long, before they sleep
 * @prefer: interrupts may be deferred meanwhile
 *
 * Return: 0 or a negative errno value.
 */
int sim_busy_poll(int fd, int us, bool prefer);

/**
 * sim_polled_packets() - packets that polls of readers have delivered
 *
 * In this network namespace, since it exists.
 *
 * Return: how many, or a negative errno value.
 */
int64_t sim_polled_packets(void);

/**
 * sim_defer_interrupts() - how long a reader that prefers polling defers them
 * @name: of the interface
 * @timeout_ns: as text, "0" for not at all
 *
 * Return: 0 or a negative errno value.
 */
int sim_defer_interrupts(const char *name, const char *timeout_ns);

/** sim_sysfs() - write an attribute of an interface, as /sys/class/net has it */
int sim_sysfs(const char *name, const char *attribute, const char *value);

#endif /* SIMPOLL_H */
