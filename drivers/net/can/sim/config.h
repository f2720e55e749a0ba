/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated buses in configfs. Locks are described in configfs.c.
 *
 *	configfs.c	kinds of nodes, and the directories of buses and nodes
 *	bus_config.c	attributes of buses
 *	node_config.c	attributes of all nodes
 *	live.c		making a bus live, and access to its state and settings
 */
#ifndef _CAN_SIM_CONFIG_H
#define _CAN_SIM_CONFIG_H

#include <linux/configfs.h>
#include <linux/container_of.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/types.h>

#include "chip.h"

/**
 * struct can_sim_config - a bus in configfs
 * @group: its directory
 * @lock: protects all members below; @bus also has its own lock
 * @chips: nodes, in the order in which they were made
 * @live: the bus is live
 * @pdev: parent of all devices of its nodes, while live
 * @since: time at which it became live
 * @inject: settings of errors on request
 * @seed: of random errors
 * @slowdown: how many times slower than real time the bus is, from the next
 *	time on that it becomes live
 * @bus: the bus; while it is not live, only its statistics are used
 */
struct can_sim_config {
	struct config_group group;
	struct mutex lock; /* protects everything below */
	struct list_head chips;
	bool live;
	struct platform_device *pdev;
	u64 since;
	struct can_sim_inject inject;
	u64 seed;
	u32 slowdown;
	struct can_sim_bus bus;
};

static inline struct can_sim_config *to_can_sim_config(struct config_item *item)
{
	return container_of(to_config_group(item), struct can_sim_config, group);
}

extern struct configfs_subsystem can_sim_subsys;

/* NULL-terminated: of buses, of all nodes, and of nodes that have an interrupt
 * line or a network interface
 */
extern struct configfs_attribute *can_sim_bus_attrs[];
extern struct configfs_attribute *can_sim_node_attrs[];
extern struct configfs_attribute *can_sim_irq_attrs[];
extern struct configfs_attribute *can_sim_netdev_attrs[];

unsigned long can_sim_config_lock(struct can_sim_config *config);
void can_sim_config_unlock(struct can_sim_config *config, unsigned long flags);
u64 can_sim_config_counter(struct can_sim_config *config, const u64 *counter);
void can_sim_config_inject(struct can_sim_config *config);
int can_sim_config_begin_live(struct can_sim_config *config);
int can_sim_config_end_live(struct can_sim_config *config);

#endif /* !_CAN_SIM_CONFIG_H */
