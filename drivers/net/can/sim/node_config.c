// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of nodes of all kinds: statistics, state, interrupt, network
 * interface.
 *
 * Context: Process context. Locks are described in configfs.c.
 */
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sysfs.h>

#include "config.h"

/* Bound for an access, during which interrupts may be off */
#define MOST_ACCESS_NS 100000

/* Of all nodes */

#define NODE_COUNTER(_name, _counter)					\
static ssize_t can_sim_node_##_name##_show(struct config_item *item, char *page) \
{									\
	struct can_sim_chip *chip = to_can_sim_chip(item);		\
									\
	return sysfs_emit(page, "%llu\n",				\
			  can_sim_config_counter(chip->config,		\
						 &chip->node.stats._counter)); \
}									\
									\
CONFIGFS_ATTR_RO(can_sim_node_, _name)

/* sent, received: complete frames, before any acceptance filter */
NODE_COUNTER(sent, sent);
NODE_COUNTER(received, received);

/* lost_arbitration: attempts to send that lost it */
NODE_COUNTER(lost_arbitration, lost);

/* errors: that the node has detected */
NODE_COUNTER(errors, errors);

/* overruns: frames for which the chip had no room */
NODE_COUNTER(overruns, overruns);

/* high_water: highest number of frames (SJA1000: bytes) in the receive buffers */
NODE_COUNTER(high_water, high);

/* accesses: of the driver to registers, or SPI transfers */
NODE_COUNTER(accesses, accesses);

/* tec, rec: error counters of fault confinement */
static ssize_t can_sim_node_tec_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned long flags = can_sim_config_lock(chip->config);
	unsigned int tec = chip->node.tec;

	can_sim_config_unlock(chip->config, flags);
	return sysfs_emit(page, "%u\n", tec);
}

CONFIGFS_ATTR_RO(can_sim_node_, tec);

static ssize_t can_sim_node_rec_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned long flags = can_sim_config_lock(chip->config);
	unsigned int rec = chip->node.rec;

	can_sim_config_unlock(chip->config, flags);
	return sysfs_emit(page, "%u\n", rec);
}

CONFIGFS_ATTR_RO(can_sim_node_, rec);

/* state: of fault confinement: active, passive or bus-off; off for a node that
 * is switched off
 */
static ssize_t can_sim_node_state_show(struct config_item *item, char *page)
{
	static const char * const names[] = {
		[CAN_SIM_ACTIVE]	= "active",
		[CAN_SIM_PASSIVE]	= "passive",
		[CAN_SIM_BUS_OFF]	= "bus-off",
	};
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned long flags = can_sim_config_lock(chip->config);
	enum can_sim_state state = chip->node.state;
	bool on = chip->node.on;

	can_sim_config_unlock(chip->config, flags);
	return sysfs_emit(page, "%s\n", on ? names[state] : "off");
}

CONFIGFS_ATTR_RO(can_sim_node_, state);

/* access_ns: time for which the CPU waits for each access to a register */
static ssize_t can_sim_node_access_ns_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);

	return sysfs_emit(page, "%u\n", READ_ONCE(chip->node.access_ns));
}

static ssize_t can_sim_node_access_ns_store(struct config_item *item,
					    const char *page, size_t count)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned int access_ns;
	int ret;

	ret = can_sim_parse_u32(page, 0, MOST_ACCESS_NS, &access_ns);
	if (ret)
		return ret;
	WRITE_ONCE(chip->node.access_ns, access_ns);
	return count;
}

CONFIGFS_ATTR(can_sim_node_, access_ns);

struct configfs_attribute *can_sim_node_attrs[] = {
	&can_sim_node_attr_sent,
	&can_sim_node_attr_received,
	&can_sim_node_attr_lost_arbitration,
	&can_sim_node_attr_errors,
	&can_sim_node_attr_overruns,
	&can_sim_node_attr_high_water,
	&can_sim_node_attr_accesses,
	&can_sim_node_attr_tec,
	&can_sim_node_attr_rec,
	&can_sim_node_attr_state,
	&can_sim_node_attr_access_ns,
	NULL
};

/* Of nodes with an interrupt line */

/* irq: number of the interrupt, 0 while the bus is not live */
static ssize_t can_sim_node_irq_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);

	guard(mutex)(&chip->config->lock);

	return sysfs_emit(page, "%d\n", chip->config->live ? chip->irq.irq : 0);
}

CONFIGFS_ATTR_RO(can_sim_node_, irq);

/* irq_hold: 1 holds back the interrupts of a live node, as if they were off on
 * the CPU; 0 delivers them again. The end of live sets it to 0.
 */
static ssize_t can_sim_node_irq_hold_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);

	guard(mutex)(&chip->config->lock);

	return sysfs_emit(page, "%d\n", chip->config->live && chip->irq_held);
}

static ssize_t can_sim_node_irq_hold_store(struct config_item *item,
					   const char *page, size_t count)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	bool hold;
	int ret;

	ret = kstrtobool(page, &hold);
	if (ret)
		return ret;

	guard(mutex)(&chip->config->lock);

	if (!chip->config->live)
		return -ENETDOWN;
	chip->irq_held = hold;
	can_sim_irq_hold(&chip->irq, hold);
	return count;
}

CONFIGFS_ATTR(can_sim_node_, irq_hold);

struct configfs_attribute *can_sim_irq_attrs[] = {
	&can_sim_node_attr_irq,
	&can_sim_node_attr_irq_hold,
	NULL
};

/* Of nodes with a network interface */

/* interface: present name of the network interface in its network namespace;
 * empty while there is none
 */
static ssize_t can_sim_node_interface_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	struct net_device *dev = NULL;
	ssize_t len;

	guard(mutex)(&chip->config->lock);

	rtnl_lock();
	if (chip->config->live)
		dev = chip->kind->netdev(chip);
	len = sysfs_emit(page, "%s\n", dev ? dev->name : "");
	rtnl_unlock();
	return len;
}

CONFIGFS_ATTR_RO(can_sim_node_, interface);

struct configfs_attribute *can_sim_netdev_attrs[] = {
	&can_sim_node_attr_interface,
	NULL
};
