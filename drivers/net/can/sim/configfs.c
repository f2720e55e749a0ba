// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated buses in configfs, /sys/kernel/config/cansim/BUS/KIND.NAME:
 * directories and kinds of nodes. config.h lists the other files.
 *
 * The directories of a bus and of its nodes hold settings and statistics;
 * devices and interfaces exist while the bus is live.
 *
 * Context: Process context. Locks, in the order in which they are taken:
 *
 *  su_mutex of configfs	the tree of items; configfs holds it while it makes and
 *			drops directories
 *  can_sim_config.lock	settings of a bus, its list of nodes, and whether it is live;
 *			held while that changes, so also when up() and down() of a
 *			kind register and unregister devices, interfaces and
 *			interrupts
 *  RTNL			network interfaces and their names
 *  can_sim_bus.lock	the state of the bus and its chips while live, see sim.h
 *  trigger_lock of a generator, see generator.c
 *
 * kinds_lock is taken with or without su_mutex, and no lock is taken inside it.
 * Modules are loaded with su_mutex held, as for functions of USB gadgets;
 * modules do not need it to register kinds.
 *
 * While a bus is live, configfs refuses to remove its directory and those of
 * its nodes, because the bus depends on them. So no item of a live bus is
 * released.
 */
#include <linux/kernel.h>
#include <linux/kmod.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "config.h"

static LIST_HEAD(kinds);
static DEFINE_MUTEX(kinds_lock);

/* Kinds of nodes */

static void can_sim_chip_release(struct config_item *item)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	struct can_sim_config *config = chip->config;
	const struct can_sim_kind *kind = chip->kind;

	kind->free(chip);
	module_put(kind->owner);
	config_group_put(&config->group);
}

static int can_sim_chip_allow_link(struct config_item *item,
				   struct config_item *target)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);

	if (!chip->kind->link)
		return -EPERM;

	guard(mutex)(&chip->config->lock);

	/* while the path of the target was looked up, the directory may have been removed */
	if (chip->dropped)
		return -ENOENT;
	return chip->config->live ? -EBUSY : chip->kind->link(chip, target);
}

static void can_sim_chip_drop_link(struct config_item *item,
				   struct config_item *target)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned long flags = can_sim_config_lock(chip->config);

	chip->kind->unlink(chip);
	can_sim_config_unlock(chip->config, flags);
}

static struct configfs_item_operations node_item_ops = {
	.release = can_sim_chip_release,
	.allow_link = can_sim_chip_allow_link,
	.drop_link = can_sim_chip_drop_link,
};

static size_t can_sim_kind_count_attrs(struct configfs_attribute **attrs)
{
	size_t count = 0;

	while (attrs && attrs[count])
		count++;
	return count;
}

/* Return: all attributes of a kind, NULL-terminated, or NULL without memory. */
static struct configfs_attribute **
can_sim_kind_join_attrs(const struct can_sim_kind *kind)
{
	struct configfs_attribute **parts[] = {
		can_sim_node_attrs,
		kind->has_irq ? can_sim_irq_attrs : NULL,
		kind->netdev ? can_sim_netdev_attrs : NULL,
		kind->attrs,
	};
	struct configfs_attribute **all;
	size_t i, size, count = 0;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		count += can_sim_kind_count_attrs(parts[i]);
	all = kcalloc(count + 1, sizeof(*all), GFP_KERNEL);
	if (!all)
		return NULL;
	for (i = 0, count = 0; i < ARRAY_SIZE(parts); i++, count += size) {
		size = can_sim_kind_count_attrs(parts[i]);
		memcpy(all + count, parts[i], size * sizeof(*all));
	}
	return all;
}

static struct can_sim_kind *can_sim_kind_find(const char *name, size_t length)
{
	struct can_sim_kind *kind;

	lockdep_assert_held(&kinds_lock);

	list_for_each_entry(kind, &kinds, list)
		if (strlen(kind->name) == length &&
		    !memcmp(kind->name, name, length))
			return kind;
	return NULL;
}

/**
 * can_sim_kind_register() - register a kind of nodes
 * @kind: used until can_sim_kind_unregister()
 *
 * Context: Process context.
 * Return: 0, -EEXIST if there is a kind of this name, or -ENOMEM.
 */
int can_sim_kind_register(struct can_sim_kind *kind)
{
	struct configfs_attribute **attrs = can_sim_kind_join_attrs(kind);

	if (!attrs)
		return -ENOMEM;
	kind->type.ct_owner = THIS_MODULE;
	kind->type.ct_item_ops = &node_item_ops;
	kind->type.ct_attrs = attrs;
	kind->type.ct_bin_attrs = kind->bin_attrs;

	guard(mutex)(&kinds_lock);

	if (can_sim_kind_find(kind->name, strlen(kind->name))) {
		kfree(attrs);
		return -EEXIST;
	}
	list_add_tail(&kind->list, &kinds);
	return 0;
}
EXPORT_SYMBOL_GPL(can_sim_kind_register);

/**
 * can_sim_kind_unregister() - unregister a kind of nodes
 * @kind: without nodes, because its module is removed
 *
 * Context: Process context.
 */
void can_sim_kind_unregister(struct can_sim_kind *kind)
{
	mutex_lock(&kinds_lock);
	list_del(&kind->list);
	mutex_unlock(&kinds_lock);
	kfree(kind->type.ct_attrs);
}
EXPORT_SYMBOL_GPL(can_sim_kind_unregister);

static struct can_sim_kind *can_sim_kind_try_get(const char *name,
						 size_t length)
{
	struct can_sim_kind *kind;

	guard(mutex)(&kinds_lock);

	kind = can_sim_kind_find(name, length);
	return kind && try_module_get(kind->owner) ? kind : NULL;
}

static struct can_sim_kind *can_sim_kind_get(const char *name, size_t length)
{
	struct can_sim_kind *kind = can_sim_kind_try_get(name, length);

	if (kind)
		return kind;
	request_module("cansim-%.*s", (int)length, name);
	return can_sim_kind_try_get(name, length);
}

/* Directories */

static struct can_sim_chip *can_sim_chip_make(struct can_sim_config *config,
					      const struct can_sim_kind *kind,
					      const char *dir,
					      const char *name)
{
	struct can_sim_chip *chip;

	guard(mutex)(&config->lock);

	if (config->live)
		return ERR_PTR(-EBUSY);
	chip = kind->alloc();
	if (!chip)
		return ERR_PTR(-ENOMEM);
	chip->kind = kind;
	chip->config = config;
	strscpy(chip->name, name, sizeof(chip->name));
	config_item_init_type_name(&chip->item, dir, &kind->type);
	list_add_tail(&chip->list, &config->chips);
	/* a link may be made while both directories are being removed */
	config_group_get(&config->group);
	return chip;
}

static struct config_item *can_sim_config_make_node(struct config_group *group,
						    const char *dir)
{
	const char *dot = strchr(dir, '.');
	const struct can_sim_kind *kind;
	struct can_sim_chip *chip;

	if (!dot || !dev_valid_name(dot + 1) || strchr(dot, '%'))
		return ERR_PTR(-EINVAL);
	kind = can_sim_kind_get(dir, dot - dir);
	if (!kind)
		return ERR_PTR(-ENODEV);
	chip = can_sim_chip_make(to_can_sim_config(&group->cg_item), kind,
				 dir, dot + 1);
	if (IS_ERR(chip)) {
		module_put(kind->owner);
		return ERR_CAST(chip);
	}
	return &chip->item;
}

/* Called while the directory of the node is still linked to that of the bus. */
static void can_sim_config_drop_node(struct config_group *group,
				     struct config_item *item)
{
	struct can_sim_config *config = to_can_sim_config(&group->cg_item);
	struct can_sim_chip *chip = to_can_sim_chip(item);

	guard(mutex)(&config->lock);

	list_del(&chip->list);
	chip->dropped = true;
}

static void can_sim_config_release(struct config_item *item)
{
	struct can_sim_config *config = to_can_sim_config(item);

	mutex_destroy(&config->lock);
	kfree(config);
}

static struct configfs_item_operations bus_item_ops = {
	.release = can_sim_config_release,
};

static struct configfs_group_operations bus_group_ops = {
	.make_item = can_sim_config_make_node,
	.disconnect_notify = can_sim_config_drop_node,
};

static const struct config_item_type bus_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &bus_item_ops,
	.ct_group_ops = &bus_group_ops,
	.ct_attrs = can_sim_bus_attrs,
};

static struct config_group *can_sim_config_make_bus(struct config_group *group,
						    const char *name)
{
	struct can_sim_config *config = kzalloc(sizeof(*config), GFP_KERNEL);

	if (!config)
		return ERR_PTR(-ENOMEM);
	mutex_init(&config->lock);
	INIT_LIST_HEAD(&config->chips);
	config->inject.bit = -1;
	config->slowdown = 1;
	can_sim_bus_init(&config->bus, NULL);
	config_group_init_type_name(&config->group, name, &bus_type);
	return &config->group;
}

static struct configfs_group_operations root_group_ops = {
	.make_group = can_sim_config_make_bus,
};

static const struct config_item_type root_type = {
	.ct_owner = THIS_MODULE,
	.ct_group_ops = &root_group_ops,
};

struct configfs_subsystem can_sim_subsys = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "cansim",
			.ci_type = &root_type,
		},
	},
	.su_mutex = __MUTEX_INITIALIZER(can_sim_subsys.su_mutex),
};

/**
 * can_sim_configfs_init() - make the directory of buses
 *
 * Context: Process context, when the module is loaded.
 * Return: 0 or a negative errno.
 */
int __init can_sim_configfs_init(void)
{
	config_group_init(&can_sim_subsys.su_group);
	return configfs_register_subsystem(&can_sim_subsys);
}

/**
 * can_sim_configfs_exit() - remove the directory of buses
 *
 * Context: Process context, when the module is unloaded; there are no buses
 *	then.
 */
void can_sim_configfs_exit(void)
{
	configfs_unregister_subsystem(&can_sim_subsys);
}
