// SPDX-License-Identifier: GPL-2.0-only
/*
 * Making a simulated bus live and ending that, and access to its state and
 * settings.
 *
 * Locks are described in configfs.c.
 */
#include <linux/configfs.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/prandom.h>

#include "config.h"

/* Access to a bus that may be live */

/**
 * can_sim_config_lock() - lock a bus that may be live
 * @config: the bus; if it is live, it handles all events up to now
 *
 * Context: Process context. The bus's mutex and lock are held and interrupts
 *	are off until can_sim_config_unlock().
 * Return: flags for can_sim_config_unlock().
 */
unsigned long can_sim_config_lock(struct can_sim_config *config)
{
	unsigned long flags;

	mutex_lock(&config->lock);
	raw_spin_lock_irqsave(&config->bus.lock, flags);
	__release(&config->bus.lock); /* for sparse; see can_sim_config_unlock() */
	if (config->live)
		can_sim_bus_run(&config->bus);
	return flags;
}

/**
 * can_sim_config_unlock() - unlock a bus
 * @config: the bus
 * @flags: from can_sim_config_lock()
 */
void can_sim_config_unlock(struct can_sim_config *config, unsigned long flags)
{
	__acquire(&config->bus.lock);
	raw_spin_unlock_irqrestore(&config->bus.lock, flags);
	mutex_unlock(&config->lock);
}

/**
 * can_sim_config_counter() - read a counter of a bus that may be live
 * @config: the bus
 * @counter: of the bus or of one of its nodes
 *
 * Context: Process context.
 * Return: its present value.
 */
u64 can_sim_config_counter(struct can_sim_config *config, const u64 *counter)
{
	unsigned long flags = can_sim_config_lock(config);
	u64 value = *counter;

	can_sim_config_unlock(config, flags);
	return value;
}

/**
 * can_sim_change_begin() - begin to change a setting of a node
 * @chip: the node
 *
 * Context: Process context. After success the bus's mutex is held until
 *	can_sim_change_end(), so that the bus does not become live.
 * Return: 0, or -EBUSY if the bus is live.
 */
int can_sim_change_begin(struct can_sim_chip *chip)
{
	mutex_lock(&chip->config->lock);
	if (!chip->config->live)
		return 0;
	mutex_unlock(&chip->config->lock);
	return -EBUSY;
}
EXPORT_SYMBOL_GPL(can_sim_change_begin);

/**
 * can_sim_change_begin_live() - begin to read a setting, or to change it while live
 * @chip: the node
 *
 * Context: Process context. The bus's mutex is held until can_sim_change_end().
 */
void can_sim_change_begin_live(struct can_sim_chip *chip)
{
	mutex_lock(&chip->config->lock);
}
EXPORT_SYMBOL_GPL(can_sim_change_begin_live);

/**
 * can_sim_change_end() - end an access to a setting
 * @chip: the node of can_sim_change_begin() or can_sim_change_begin_live()
 */
void can_sim_change_end(struct can_sim_chip *chip)
{
	mutex_unlock(&chip->config->lock);
}
EXPORT_SYMBOL_GPL(can_sim_change_end);

/**
 * can_sim_store_u32() - write a setting of a node, a number
 * @chip: the node
 * @page: text
 * @count: its length
 * @least: smallest value
 * @most: largest value
 * @setting: is changed only if the text is accepted; readers use READ_ONCE()
 *
 * For the store function of an attribute.
 *
 * Context: Process context.
 * Return: @count, an error of can_sim_parse_u32(), or -EBUSY if the bus is live.
 */
ssize_t can_sim_store_u32(struct can_sim_chip *chip, const char *page,
			  size_t count, u32 least, u32 most, u32 *setting)
{
	u32 value;
	int ret;

	ret = can_sim_parse_u32(page, least, most, &value);
	if (ret)
		return ret;
	ret = can_sim_change_begin(chip);
	if (ret)
		return ret;
	WRITE_ONCE(*setting, value);
	can_sim_change_end(chip);
	return count;
}
EXPORT_SYMBOL_GPL(can_sim_store_u32);

/**
 * can_sim_chip_lock() - lock a bus that has to be live
 * @chip: a node of the bus
 * @flags: for can_sim_chip_unlock()
 *
 * Unlike can_sim_lock() this is no access of a driver: it takes no time and is
 * not counted.
 *
 * Context: Process context. After success the bus's mutex and lock are held,
 *	interrupts are off, and the bus has handled all events up to now.
 * Return: false, with no lock held, if the bus is not live.
 */
bool can_sim_chip_lock(struct can_sim_chip *chip, unsigned long *flags)
{
	struct can_sim_config *config = chip->config;

	*flags = can_sim_config_lock(config);
	if (config->live)
		return true;
	can_sim_config_unlock(config, *flags);
	return false;
}
EXPORT_SYMBOL_GPL(can_sim_chip_lock);

/**
 * can_sim_chip_unlock() - unlock a live bus
 * @chip: a node of the bus
 * @flags: from can_sim_chip_lock()
 *
 * Changes take effect on the bus, as by can_sim_unlock().
 */
void can_sim_chip_unlock(struct can_sim_chip *chip, unsigned long flags)
{
	can_sim_unlock(&chip->node, flags);
	mutex_unlock(&chip->config->lock);
}
EXPORT_SYMBOL_GPL(can_sim_chip_unlock);

/* Making a bus live, and ending that */

static int can_sim_chip_up(struct can_sim_config *config,
			   struct can_sim_chip *chip)
{
	const struct can_sim_kind *kind = chip->kind;
	int ret = 0;

	memset(&chip->node.stats, 0, sizeof(chip->node.stats));
	chip->parent = &config->pdev->dev;
	chip->irq_held = false;
	can_sim_bus_add(&config->bus, &chip->node);
	if (kind->has_irq)
		ret = can_sim_irq_init(&chip->irq, chip->irq_wiring);
	if (ret)
		goto err_del;
	ret = kind->up(chip);
	if (ret)
		goto err_irq;
	return 0;

err_irq:
	if (kind->has_irq)
		can_sim_irq_exit(&chip->irq);
err_del:
	can_sim_bus_del(&chip->node);
	return ret;
}

static void can_sim_chip_down(struct can_sim_chip *chip)
{
	if (chip->irq_held)
		can_sim_irq_hold(&chip->irq, false);
	chip->kind->down(chip);
	if (chip->kind->has_irq)
		can_sim_irq_exit(&chip->irq);
	can_sim_bus_del(&chip->node);
}

/**
 * can_sim_config_inject() - apply the settings of errors on request
 * @config: the bus
 *
 * The count of frames and the random numbers start again.
 *
 * Context: Process context, with the bus's mutex.
 */
void can_sim_config_inject(struct can_sim_config *config)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&config->bus.lock, flags);
	if (config->live)
		can_sim_bus_run(&config->bus);
	config->bus.inject = config->inject;
	prandom_seed_state(&config->bus.inject.rnd, config->seed);
	raw_spin_unlock_irqrestore(&config->bus.lock, flags);
}

static int can_sim_config_up(struct can_sim_config *config)
{
	struct can_sim_chip *chip;
	int ret;

	config->pdev = platform_device_register_simple("cansim",
						       PLATFORM_DEVID_AUTO,
						       NULL, 0);
	if (IS_ERR(config->pdev))
		return PTR_ERR(config->pdev);
	can_sim_bus_init(&config->bus, NULL);
	can_sim_pace_init(&config->bus.pace, config->slowdown, ktime_get_ns());
	config->live = true;
	can_sim_config_inject(config);
	config->since = config->bus.now;
	list_for_each_entry(chip, &config->chips, list) {
		ret = can_sim_chip_up(config, chip);
		if (ret)
			goto err_down;
	}
	return 0;

err_down:
	list_for_each_entry_continue_reverse(chip, &config->chips, list)
		can_sim_chip_down(chip);
	config->live = false;
	can_sim_bus_stop(&config->bus);
	platform_device_unregister(config->pdev);
	return ret;
}

static void can_sim_config_down(struct can_sim_config *config)
{
	struct can_sim_chip *chip;

	list_for_each_entry_reverse(chip, &config->chips, list)
		can_sim_chip_down(chip);
	config->live = false;
	can_sim_bus_stop(&config->bus);
	platform_device_unregister(config->pdev);
}

static void can_sim_config_undepend(struct can_sim_config *config)
{
	struct can_sim_chip *chip;

	list_for_each_entry(chip, &config->chips, list)
		configfs_undepend_item_unlocked(&chip->item);
	configfs_undepend_item_unlocked(&config->group.cg_item);
}

/* Make configfs keep the directories. With su_mutex held, none is partly linked
 * into the tree. This fails while a directory is being made or removed.
 */
static int can_sim_config_depend(struct can_sim_config *config)
{
	struct can_sim_chip *chip;

	if (configfs_depend_item_unlocked(&can_sim_subsys,
					  &config->group.cg_item))
		return -EBUSY;
	list_for_each_entry(chip, &config->chips, list)
		if (configfs_depend_item_unlocked(&can_sim_subsys, &chip->item))
			goto err_release;
	return 0;

err_release:
	list_for_each_entry_continue_reverse(chip, &config->chips, list)
		configfs_undepend_item_unlocked(&chip->item);
	configfs_undepend_item_unlocked(&config->group.cg_item);
	return -EBUSY;
}

/**
 * can_sim_config_begin_live() - make a bus live
 * @config: the bus
 *
 * Context: Process context.
 * Return: 0; -EPERM if it is live already; -EBUSY while a directory is being
 *	made or removed; or the errno of a node. After an error the bus is not
 *	live.
 */
int can_sim_config_begin_live(struct can_sim_config *config)
{
	int ret;

	mutex_lock(&can_sim_subsys.su_mutex);
	mutex_lock(&config->lock);
	ret = config->live ? -EPERM : can_sim_config_depend(config);
	mutex_unlock(&can_sim_subsys.su_mutex);
	if (!ret) {
		ret = can_sim_config_up(config);
		if (ret)
			can_sim_config_undepend(config);
	}
	mutex_unlock(&config->lock);
	return ret;
}

/**
 * can_sim_config_end_live() - remove all devices and interfaces of a bus
 * @config: the bus
 *
 * Context: Process context.
 * Return: 0, or -EPERM if it is not live.
 */
int can_sim_config_end_live(struct can_sim_config *config)
{
	guard(mutex)(&config->lock);

	if (!config->live)
		return -EPERM;
	can_sim_config_down(config);
	can_sim_config_undepend(config);
	return 0;
}
