// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspends the device of one network interface, and resumes it, while
 * everything else runs. README.rst describes how to use it.
 *
 * Context: process context, from a write to a file in debugfs. The lock of the
 * device is taken, which keeps its driver bound, and the RTNL inside it.
 */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/if.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/nsproxy.h>
#include <linux/pm.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/spi/spi.h>
#include <linux/uaccess.h>

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
 * RTNL keeps them from changing the interface. Some drivers take the RTNL when
 * they are suspended; those of SPI devices do not.
 */
static int cansim_suspend_device(struct device *dev, unsigned int ms)
{
	const struct dev_pm_ops *pm;
	int ret = -EOPNOTSUPP;

	if (dev->bus != &spi_bus_type)
		return -EOPNOTSUPP;
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
static ssize_t cansim_suspend_write(struct file *file, const char __user *from,
				    size_t count, loff_t *pos)
{
	char value[IFNAMSIZ + 16] = "", name[IFNAMSIZ];
	struct device *dev;
	unsigned int ms;
	int ret, end = 0;

	if (count >= sizeof(value))
		return -EINVAL;
	if (copy_from_user(value, from, count))
		return -EFAULT;
	if (sscanf(value, "%15s %u %n", name, &ms, &end) != 2 || value[end])
		return -EINVAL;
	if (ms > CANSIM_SUSPEND_MS_MAX)
		return -ERANGE;
	dev = cansim_suspend_get_device(name);
	if (!dev)
		return -ENODEV;
	ret = cansim_suspend_device(dev, ms);
	put_device(dev);
	return ret ?: count;
}

static const struct file_operations cansim_suspend_fops = {
	.owner = THIS_MODULE,
	.write = cansim_suspend_write,
};

static struct dentry *cansim_suspend_file;

static int __init cansim_suspend_init(void)
{
	cansim_suspend_file = debugfs_create_file("cansim-suspend", 0200, NULL,
						  NULL, &cansim_suspend_fops);
	return PTR_ERR_OR_ZERO(cansim_suspend_file);
}

static void __exit cansim_suspend_exit(void)
{
	debugfs_remove(cansim_suspend_file);
}

module_init(cansim_suspend_init);
module_exit(cansim_suspend_exit);

MODULE_DESCRIPTION("Suspend of single network devices");
MODULE_LICENSE("GPL");
