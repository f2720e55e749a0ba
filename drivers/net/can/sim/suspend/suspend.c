// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspends the device of one network interface, and resumes it, while
 * everything else runs. README.rst describes how to use it.
 *
 * Context: process context, from a write to the parameter of the module. The
 * lock of the device is taken, which keeps its driver bound, and the RTNL
 * inside it.
 */
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/if.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/pm.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>

#define CANSIM_SUSPEND_MS_MAX 10000

/* Return: the device of an interface, with a reference, or NULL. */
static struct device *cansim_suspend_get_device(const char *name)
{
	struct net_device *netdev;
	struct device *dev = NULL;

	rtnl_lock();
	netdev = __dev_get_by_name(current->nsproxy->net_ns, name);
	if (netdev)
		dev = get_device(netdev->dev.parent);
	rtnl_unlock();
	return dev;
}

/* The PM core calls a driver while no task runs. Here tasks do run, but the
 * RTNL keeps them from changing the interface.
 */
static int cansim_suspend_device(struct device *dev, unsigned int ms)
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

/* "INTERFACE MILLISECONDS" */
static int cansim_suspend_set(const char *value, const struct kernel_param *param)
{
	char name[IFNAMSIZ];
	struct device *dev;
	unsigned int ms;
	int ret, end = 0;

	if (sscanf(value, "%15s %u %n", name, &ms, &end) != 2 || value[end])
		return -EINVAL;
	if (ms > CANSIM_SUSPEND_MS_MAX)
		return -ERANGE;
	dev = cansim_suspend_get_device(name);
	if (!dev)
		return -ENODEV;
	ret = cansim_suspend_device(dev, ms);
	put_device(dev);
	return ret;
}

static const struct kernel_param_ops cansim_suspend_ops = {
	.set = cansim_suspend_set,
};

module_param_cb(suspend, &cansim_suspend_ops, NULL, 0200);
MODULE_PARM_DESC(suspend, "INTERFACE MILLISECONDS: suspend its device, and resume it after that time");

MODULE_DESCRIPTION("Suspend of single network devices");
MODULE_LICENSE("GPL");
