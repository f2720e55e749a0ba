// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies frames from controller to controller in the interrupt: what a gateway
 * costs at least, see README.rst.
 *
 * Contexts and locks: the chips are started and stopped with the RTNL held,
 * which protects @leaving, and @chips but for what the interrupts use. Interrupts run in
 * hardirq context, also on PREEMPT_RT, and take @lock, a leaf but for the lock
 * of the simulated bus in which registers are accessed. @copied changes under
 * @lock.
 */
#include <linux/can/dev.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "bare.h"

/* Frames copied with interrupts off, as the drivers read them */
#define BATCH 2

static unsigned long copied;
module_param(copied, ulong, 0444);
MODULE_PARM_DESC(copied, "Number of copied frames");

static struct bare_chip chips[2];

/* The module is being removed, but its parameter can still be written. */
static bool leaving;

static DEFINE_RAW_SPINLOCK(lock);

static void bare_set_interrupts(struct bare_chip *chip, bool receive,
				bool transmit)
{
	/* Which transmit interrupts are wanted may have changed. */
	if (chip->receive == receive && !chip->transmit && !transmit)
		return;
	chip->receive = receive;
	chip->transmit = transmit;
	chip->ops->interrupts(chip);
}

static bool bare_has_room(struct bare_chip *to)
{
	if (to->ops->room(to))
		return true;
	bare_set_interrupts(to, to->receive, true);
	/* A buffer that was sent meanwhile does not interrupt. */
	return to->ops->room(to);
}

/* Without room, frames wait in the receive FIFO, whose interrupts are off. */
static void bare_copy(struct bare_chip *from)
{
	struct bare_chip *to = from->to;
	struct can_frame cf;
	int n;

	for (n = 0; n < BATCH && from->ops->pending(from); n++) {
		if (!bare_has_room(to)) {
			bare_set_interrupts(from, false, from->transmit);
			return;
		}
		from->ops->take(from, &cf);
		to->ops->put(to, &cf);
		copied++;
	}
	bare_set_interrupts(from, true, from->transmit);
	bare_set_interrupts(to, to->receive, false);
}

/* A level-triggered line interrupts again for frames that are left. */
static irqreturn_t bare_interrupt(int irq, void *data)
{
	struct bare_chip *chip = data, *other = chip == chips ? chips + 1 : chips;

	raw_spin_lock(&lock);
	if (chip->ops->acknowledge)
		chip->ops->acknowledge(chip);
	if (chip->to)
		bare_copy(chip);
	if (other->to)
		bare_copy(other);
	raw_spin_unlock(&lock);
	return IRQ_HANDLED;
}

/* Return: the kind of controller of an interface, or NULL. */
static const struct bare_ops *bare_ops_of(struct net_device *dev)
{
	struct can_priv *priv = safe_candev_priv(dev);

	if (!priv || !priv->bittiming_const)
		return NULL;
	if (!strcmp(priv->bittiming_const->name, "sja1000"))
		return &bare_sja1000_ops;
	if (!strcmp(priv->bittiming_const->name, "mscan"))
		return &bare_mscan_ops;
	return NULL;
}

static int bare_find(struct bare_chip *chip, const char *name)
{
	chip->dev = __dev_get_by_name(&init_net, name);
	if (!chip->dev)
		return -ENODEV;
	chip->ops = bare_ops_of(chip->dev);
	if (!chip->ops)
		return -EOPNOTSUPP;
	return chip->dev->flags & IFF_UP ? -EBUSY : 0;
}

static int bare_start(struct bare_chip *chip)
{
	int ret;

	chip->receive = true;
	chip->transmit = false;
	ret = request_irq(chip->dev->irq, bare_interrupt,
			  IRQF_SHARED | IRQF_NO_THREAD, chip->dev->name, chip);
	if (ret)
		return ret;
	ret = chip->ops->start(chip);
	if (ret)
		free_irq(chip->dev->irq, chip);
	return ret;
}

/* No handler uses the chip as source or destination any more. */
static void bare_stop(struct bare_chip *chip)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	chip->ops->stop(chip);
	raw_spin_unlock_irqrestore(&lock, flags);
	free_irq(chip->dev->irq, chip);
}

static void bare_disconnect(void)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	chips[0].to = NULL;
	chips[1].to = NULL;
	raw_spin_unlock_irqrestore(&lock, flags);
}

static void bare_stop_both(void)
{
	if (!chips[0].dev)
		return;
	bare_disconnect();
	bare_stop(&chips[0]);
	bare_stop(&chips[1]);
	chips[0].dev = NULL;
	chips[1].dev = NULL;
}

static int bare_start_both(const char *source, const char *destination, bool both)
{
	int ret;

	ret = bare_find(&chips[0], source) ?: bare_find(&chips[1], destination);
	if (ret)
		return ret;
	if (chips[0].dev == chips[1].dev)
		return -EINVAL;
	chips[0].to = &chips[1];
	chips[1].to = both ? &chips[0] : NULL;
	copied = 0;
	/* The destination first: interrupts of the source use it. */
	ret = bare_start(&chips[1]);
	if (ret)
		return ret;
	ret = bare_start(&chips[0]);
	if (ret) {
		bare_disconnect();
		bare_stop(&chips[1]);
	}
	return ret;
}

static int bare_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct net_device *dev = netdev_notifier_info_to_dev(data);

	if (!dev || (dev != chips[0].dev && dev != chips[1].dev))
		return NOTIFY_DONE;
	if (event == NETDEV_PRE_UP)
		return notifier_from_errno(-EBUSY);
	if (event == NETDEV_UNREGISTER)
		bare_stop_both();
	return NOTIFY_DONE;
}

static struct notifier_block bare_notifier = {
	.notifier_call = bare_event,
};

static int bare_set(const char *text, const struct kernel_param *param)
{
	char source[IFNAMSIZ], destination[IFNAMSIZ], more[IFNAMSIZ];
	int words = 0, ret = 0;

	text = skip_spaces(text);
	if (*text)
		words = sscanf(text, "%15s %15s %15s", source, destination, more);
	if (words == 1 || (words == 3 && strcmp(more, "both")))
		return -EINVAL;
	rtnl_lock();
	bare_stop_both();
	if (words > 1 && leaving)
		ret = -ENODEV;
	else if (words > 1)
		ret = bare_start_both(source, destination, words == 3);
	if (ret) {
		chips[0].dev = NULL;
		chips[1].dev = NULL;
	}
	rtnl_unlock();
	return ret;
}

static int bare_get(char *buffer, const struct kernel_param *param)
{
	int length = 0;

	rtnl_lock();
	if (chips[0].dev)
		length = sysfs_emit(buffer, "%s %s%s\n", chips[0].dev->name,
				    chips[1].dev->name,
				    chips[1].to ? " both" : "");
	rtnl_unlock();
	return length;
}

static const struct kernel_param_ops bare_param = {
	.set = bare_set,
	.get = bare_get,
};

module_param_cb(copy, &bare_param, NULL, 0600);
MODULE_PARM_DESC(copy, "SOURCE DESTINATION [both]: interfaces that are down, and whose bit timing has been set; empty to end");

static int __init bare_init(void)
{
	return register_netdevice_notifier(&bare_notifier);
}

static void __exit bare_exit(void)
{
	unregister_netdevice_notifier(&bare_notifier);
	rtnl_lock();
	leaving = true;
	bare_stop_both();
	rtnl_unlock();
}

module_init(bare_init);
module_exit(bare_exit);

MODULE_DESCRIPTION("Copying of frames from controller to controller");
MODULE_LICENSE("GPL");
