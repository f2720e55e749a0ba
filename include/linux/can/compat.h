/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * What the CAN code takes from later kernels than 6.12. The Makefiles include it
 * before each file, so the files themselves are the same as for those kernels. It
 * has macros only, because other headers must not come before pr_fmt() is defined.
 */
#ifndef _CAN_COMPAT_H
#define _CAN_COMPAT_H

/**
 * hrtimer_setup() - initialize a timer together with its callback
 * @timer: timer, not in use
 * @callback: called when it expires
 * @clock: such as CLOCK_MONOTONIC
 * @mode: as for hrtimer_init()
 *
 * In the kernel since 6.13, where it replaces hrtimer_init().
 *
 * Context: Any context.
 */
#define hrtimer_setup(timer, callback, clock, mode)			\
	do {								\
		struct hrtimer *__timer = (timer);			\
									\
		hrtimer_init(__timer, (clock), (mode));			\
		__timer->function = (callback);				\
	} while (0)

/**
 * hrtimer_setup_on_stack() - initialize a timer on the stack
 * @timer: timer, which destroy_hrtimer_on_stack() ends
 * @callback: called when it expires
 * @clock: such as CLOCK_MONOTONIC
 * @mode: as for hrtimer_init()
 *
 * Context: Any context.
 */
#define hrtimer_setup_on_stack(timer, callback, clock, mode)		\
	do {								\
		struct hrtimer *__timer = (timer);			\
									\
		hrtimer_init_on_stack(__timer, (clock), (mode));	\
		__timer->function = (callback);				\
	} while (0)

/**
 * dev_nit_active_rcu() - are there packet sockets for all types of frames?
 * @dev: interface
 *
 * In later kernels, where it replaces dev_nit_active().
 *
 * Context: Any context, with rcu_read_lock().
 * Return: true if there are, for the interface or for all interfaces.
 */
#define dev_nit_active_rcu(dev) dev_nit_active(dev)

/* An argument of dev_set_threaded(), which is true or false here */
#define NETDEV_NAPI_THREADED_ENABLED true

#endif /* !_CAN_COMPAT_H */
