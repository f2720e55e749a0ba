// SPDX-License-Identifier: GPL-2.0-only
/*
 * One device is suspended as if the machine were.
 *
 * Called in process context, with the mutex of the node's bus, so that the device
 * stays. The device's lock is taken inside it, and the RTNL inside that.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/pm.h>
#include <linux/rtnetlink.h>

#include "suspend.h"

/**
 * can_sim_suspend() - suspend a device with a network interface, and resume it
 * @dev: the device
 * @ms: for how long
 *
 * While a machine is suspended, processes do not run. Here they do, but none can
 * change network interfaces, and the device keeps its driver.
 *
 * Context: process; may sleep. Takes the device's lock and the RTNL, which the driver
 *	must not take.
 * Return: 0, -EOPNOTSUPP if its driver cannot do that, or its driver's errno, after
 * which it may not be usable.
 */
int can_sim_suspend(struct device *dev, unsigned int ms)
{
	const struct dev_pm_ops *pm;
	int ret = -EOPNOTSUPP;

	device_lock(dev);
	rtnl_lock();
	pm = dev->driver ? dev->driver->pm : NULL;
	if (pm && pm->suspend && pm->resume)
		ret = pm->suspend(dev);
	if (!ret) {
		msleep(ms);
		ret = pm->resume(dev);
	}
	rtnl_unlock();
	device_unlock(dev);
	return ret;
}
