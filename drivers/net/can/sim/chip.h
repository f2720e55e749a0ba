/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kinds of simulated nodes: the interface between configfs.c and modules that
 * model controllers. Userspace makes a node by mkdir of KIND.NAME in the
 * directory of a bus; the module cansim-KIND is loaded if KIND is not known.
 *
 * Everything here is called in process context.
 */
#ifndef _CAN_SIM_CHIP_H
#define _CAN_SIM_CHIP_H

#include <linux/configfs.h>
#include <linux/device.h>
#include <linux/if.h>
#include <linux/kstrtox.h>
#include <linux/module.h>

#include "sim.h"

struct can_sim_chip;
struct can_sim_config;
struct net_device;

/**
 * struct can_sim_kind - a kind of nodes
 * @list: of all kinds
 * @type: of the configfs items, filled in by can_sim_kind_register()
 * @name: KIND
 * @owner: module that stays while there is a node of this kind
 * @attrs: attributes in addition to those of all nodes, NULL-terminated, or
 *	NULL. Values are changed between can_sim_change_begin() and _end().
 * @bin_attrs: binary ones, NULL-terminated, or NULL
 * @has_irq: nodes have an interrupt line, made before @up and removed after
 *	@down
 * @alloc: allocate a node that is not on a bus; NULL without memory
 * @free: free such a node
 * @up: make the device that the driver binds to. The node is on the bus and has
 *	its interrupt. When this returns, the network interface is registered as
 *	chip->name, or under a name that the driver chooses. Returns 0, or a
 *	negative errno, with nothing made. Called with the mutex of the bus
 *	held.
 * @down: remove the device; then nothing accesses the node's registers. Called
 *	with the mutex of the bus held.
 * @netdev: return the network interface of a node on a live bus, or NULL if its
 *	driver was unbound. Called with the RTNL held, under which the interface
 *	stays. NULL for kinds without interfaces.
 * @link: a symbolic link to @target, which stays as long as the link, was made in
 *	the directory of the node. Returns 0, or a negative errno if it is refused.
 *	Called with the mutex of the bus held, which is not live. NULL for kinds
 *	without links, as @unlink.
 * @unlink: that link was removed, also while the bus is live. Called with the mutex
 *	and the lock of the bus held.
 */
struct can_sim_kind {
	struct list_head list;
	struct config_item_type type;
	const char *name;
	struct module *owner;
	struct configfs_attribute **attrs;
	struct configfs_bin_attribute **bin_attrs;
	bool has_irq;
	struct can_sim_chip *(*alloc)(void);
	void (*free)(struct can_sim_chip *chip);
	int (*up)(struct can_sim_chip *chip);
	void (*down)(struct can_sim_chip *chip);
	struct net_device *(*netdev)(struct can_sim_chip *chip);
	int (*link)(struct can_sim_chip *chip, struct config_item *target);
	void (*unlink)(struct can_sim_chip *chip);
};

/**
 * struct can_sim_chip - a node in configfs
 * @item: its directory
 * @kind: of node
 * @config: its bus in configfs
 * @list: in @config->chips
 * @dropped: the directory was removed
 * @node: the node on the bus; @alloc sets @node.ops
 * @irq: interrupt line, valid while live if the kind has one
 * @irq_held: its interrupts are held back
 * @irq_wiring: CAN_SIM_IRQ_EDGE and others, set before the bus is live
 * @name: NAME
 * @parent: of devices that @up makes, valid while live
 */
struct can_sim_chip {
	struct config_item item;
	const struct can_sim_kind *kind;
	struct can_sim_config *config;
	struct list_head list;
	bool dropped;
	struct can_sim_node node;
	struct can_sim_irq irq;
	bool irq_held;
	unsigned int irq_wiring;
	char name[IFNAMSIZ];
	struct device *parent;
};

int can_sim_kind_register(struct can_sim_kind *kind);
void can_sim_kind_unregister(struct can_sim_kind *kind);

static inline struct can_sim_chip *to_can_sim_chip(struct config_item *item)
{
	return container_of(item, struct can_sim_chip, item);
}

/**
 * can_sim_parse_u32() - parse a number that is written to an attribute
 * @page: text
 * @least: smallest value
 * @most: largest value
 * @value: set to the number
 *
 * Context: any.
 * Return: 0, -EINVAL if it is not a number, or -ERANGE.
 */
static inline int can_sim_parse_u32(const char *page, u32 least, u32 most,
				    u32 *value)
{
	int ret = kstrtou32(page, 0, value);

	if (ret)
		return ret;
	return *value < least || *value > most ? -ERANGE : 0;
}

int can_sim_change_begin(struct can_sim_chip *chip);
void can_sim_change_begin_live(struct can_sim_chip *chip);
void can_sim_change_end(struct can_sim_chip *chip);
ssize_t can_sim_store_u32(struct can_sim_chip *chip, const char *page,
			  size_t count, u32 least, u32 most, u32 *setting);
bool can_sim_chip_lock(struct can_sim_chip *chip, unsigned long *flags);
void can_sim_chip_unlock(struct can_sim_chip *chip, unsigned long flags);

/* Within the module cansim */

extern struct can_sim_kind can_sim_generator;
extern struct can_sim_kind can_sim_recorder;
extern struct can_sim_kind can_sim_trigger;

struct can_sim_chip *can_sim_generator_of(struct config_item *item);
void can_sim_generator_trigger(struct can_sim_chip *chip, u64 time);

int can_sim_configfs_init(void);
void can_sim_configfs_exit(void);

#endif /* !_CAN_SIM_CHIP_H */
