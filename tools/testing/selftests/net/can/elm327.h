/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CAN interface with rx-offload and a NAPI instance of its own, without hardware:
 * the driver can327, with an emulated ELM327 at the other end of a pseudo terminal.
 *
 * One thread, started by elm327_open(), answers the driver. elm327_feed() may
 * be called by any one other thread at a time.
 */
#ifndef ELM327_H
#define ELM327_H

#include <pthread.h>
#include <stdbool.h>

#include <linux/can.h>
#include <net/if.h>

/**
 * struct elm327 - the emulated adapter
 * @master: our end of the terminal
 * @slave: the driver's end; the interface lives while it is open
 * @name: name of the interface
 * @thread: answers the driver
 * @lock: protects all below
 * @changed: signalled when @monitoring or @dead changes
 * @monitoring: how often the driver has begun to wait for frames (ATMA)
 * @seen: value of @monitoring up to which elm327_await() has waited
 * @dead: the terminal is gone
 */
struct elm327 {
	int master;
	int slave;
	char name[IFNAMSIZ];
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int monitoring;
	unsigned int seen;
	bool dead;
};

/**
 * elm327_open() - make the interface, in the caller's network namespace, up
 * @elm: filled in
 * @home: descriptor of the namespace in which drivers create interfaces
 *
 * Return: the interface index, -ENOENT when the kernel has no such driver,
 * -ENODEV when the interface did not appear in @home, or another negative errno
 * value.
 */
int elm327_open(struct elm327 *elm, int home);

/** elm327_close() - remove the interface */
void elm327_close(struct elm327 *elm);

/**
 * elm327_await() - wait until the driver waits for frames once more
 * @elm: the adapter
 *
 * The driver stops listening to send a frame, and a frame that arrives in the
 * meantime is lost. So call this once before the first elm327_feed(), and once
 * for every frame that the kernel sends.
 *
 * Return: 0, or -ETIMEDOUT.
 */
int elm327_await(struct elm327 *elm);

/** elm327_feed() - a frame arrives from the bus */
int elm327_feed(struct elm327 *elm, const struct can_frame *frame);

#endif /* ELM327_H */
