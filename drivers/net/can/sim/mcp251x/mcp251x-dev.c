// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes with an MCP2510 or MCP2515, for the driver mcp251x.
 *
 * Each node has a board of its own: an SPI controller with the chip as its only
 * device, described by software properties. The driver chooses the name of the
 * network interface; userspace reads it from the attribute "interface" and may
 * rename it.
 *
 * Context: Process context. Settings are protected by the mutex of the node's
 * bus, which is held during mcp251x_dev_up() and mcp251x_dev_down().
 */
#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/kmod.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/spi/spi.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/units.h>

#include "mcp251x-spi.h"

/* Limits of the chips (data sheets, tables 13-6 and 12-5) */
#define MCP2515_SPI_HZ (10 * HZ_PER_MHZ)
#define MCP2510_SPI_HZ (5 * HZ_PER_MHZ)

/* Crystals that the driver accepts; the slowest are too slow for 1 Mbit/s */
#define LEAST_CRYSTAL_HZ (1 * HZ_PER_MHZ)
#define MOST_CRYSTAL_HZ (25 * HZ_PER_MHZ)
#define DEFAULT_CRYSTAL_HZ (16 * HZ_PER_MHZ)

#define LEAST_SPI_HZ (10 * HZ_PER_KHZ)
#define MOST_SPI_HZ (100 * HZ_PER_MHZ)
#define DEFAULT_SPI_HZ (10 * HZ_PER_MHZ)

#define MOST_OVERHEAD_NS 10000000

/* As on Raspberry Pis: CS, a GPIO, is inactive for more than a microsecond
 * between transfers (commit "spi: core: allow defining time that cs is
 * deasserted"), and becomes inactive 2.6 us after the last clock (pull request
 * 6649 of their kernel). The begin is not published; it is taken as 1.4 us.
 */
#define DEFAULT_OVERHEAD_NS 5000

#define MOST_POLL_NS 1000000
#define DEFAULT_POLL_NS 30000

static struct can_sim_mcp251x_board *to_board(struct can_sim_chip *chip)
{
	return container_of(chip, struct can_sim_mcp251x_board, mcp.chip);
}

static struct can_sim_mcp251x_board *item_to_board(struct config_item *item)
{
	return to_board(to_can_sim_chip(item));
}

/* Attributes: settings, which cannot be changed while the bus is live */

/**
 * struct mcp251x_dev_setting - a setting that is a number
 * @offset: in struct can_sim_mcp251x_board
 * @least: smallest value
 * @most: largest value
 */
struct mcp251x_dev_setting {
	size_t offset;
	u32 least;
	u32 most;
};

static void *mcp251x_dev_setting_ptr(struct config_item *item, size_t offset)
{
	return (void *)item_to_board(item) + offset;
}

static ssize_t mcp251x_dev_show_number(struct config_item *item, char *page,
				       const struct mcp251x_dev_setting *setting)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	u32 value;

	can_sim_change_begin_live(chip);
	value = *(u32 *)mcp251x_dev_setting_ptr(item, setting->offset);
	can_sim_change_end(chip);
	return sysfs_emit(page, "%u\n", value);
}

static ssize_t mcp251x_dev_store_number(struct config_item *item,
					const char *page, size_t count,
					const struct mcp251x_dev_setting *setting)
{
	return can_sim_store_u32(to_can_sim_chip(item), page, count,
				 setting->least, setting->most,
				 mcp251x_dev_setting_ptr(item, setting->offset));
}

#define BOARD_NUMBER(_name, _member, _least, _most)			\
static const struct mcp251x_dev_setting mcp251x_dev_##_name = {			\
	.offset = offsetof(struct can_sim_mcp251x_board, _member),	\
	.least = _least,						\
	.most = _most,							\
};									\
									\
static ssize_t mcp251x_dev_##_name##_show(struct config_item *item,	\
					  char *page)			\
{									\
	return mcp251x_dev_show_number(item, page, &mcp251x_dev_##_name); \
}									\
									\
static ssize_t mcp251x_dev_##_name##_store(struct config_item *item,	\
					   const char *page, size_t count) \
{									\
	return mcp251x_dev_store_number(item, page, count,		\
					&mcp251x_dev_##_name);		\
}									\
									\
CONFIGFS_ATTR(mcp251x_dev_, _name)

/* clock: frequency of the crystal, in Hz */
BOARD_NUMBER(clock, mcp.crystal, LEAST_CRYSTAL_HZ, MOST_CRYSTAL_HZ);

/* spi_hz: highest clock of the SPI controller; the chip has its own limit. */
BOARD_NUMBER(spi_hz, spi_hz, LEAST_SPI_HZ, MOST_SPI_HZ);

/* spi_overhead_ns: duration of each activation of CS in addition to its bytes */
BOARD_NUMBER(spi_overhead_ns, spi_overhead_ns, 0, MOST_OVERHEAD_NS);

/* spi_poll_ns: longest SPI transfer for which the CPU busy-waits */
BOARD_NUMBER(spi_poll_ns, spi_poll_ns, 0, MOST_POLL_NS);

static ssize_t mcp251x_dev_show_bool(struct config_item *item, char *page,
				     size_t offset)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	bool value;

	can_sim_change_begin_live(chip);
	value = *(bool *)mcp251x_dev_setting_ptr(item, offset);
	can_sim_change_end(chip);
	return sysfs_emit(page, "%d\n", value);
}

static void mcp251x_dev_wire_irq(struct can_sim_mcp251x_board *board)
{
	board->mcp.chip.irq_wiring =
		(board->irq_edge ? CAN_SIM_IRQ_EDGE : 0) |
		(board->irq_unreadable ? CAN_SIM_IRQ_UNREADABLE : 0);
}

static ssize_t mcp251x_dev_store_bool(struct config_item *item,
				      const char *page, size_t count,
				      size_t offset)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	bool value;
	int ret;

	ret = kstrtobool(page, &value);
	if (ret)
		return ret;
	ret = can_sim_change_begin(chip);
	if (ret)
		return ret;
	*(bool *)mcp251x_dev_setting_ptr(item, offset) = value;
	mcp251x_dev_wire_irq(item_to_board(item));
	can_sim_change_end(chip);
	return count;
}

#define BOARD_BOOL(_name, _member)					\
static const size_t mcp251x_dev_##_name =				\
	offsetof(struct can_sim_mcp251x_board, _member);		\
									\
static ssize_t mcp251x_dev_##_name##_show(struct config_item *item,	\
					  char *page)			\
{									\
	return mcp251x_dev_show_bool(item, page, mcp251x_dev_##_name);	\
}									\
									\
static ssize_t mcp251x_dev_##_name##_store(struct config_item *item,	\
					   const char *page, size_t count) \
{									\
	return mcp251x_dev_store_bool(item, page, count,		\
				      mcp251x_dev_##_name);		\
}									\
									\
CONFIGFS_ATTR(mcp251x_dev_, _name)

/* half_duplex: 1 if the SPI controller cannot send and receive at the same time */
BOARD_BOOL(half_duplex, half_duplex);

/* cs_change: 0 if the SPI controller keeps CS active until the end of a message */
BOARD_BOOL(cs_change, cs_change);

/* spi_mux: 1 if the SPI controller defers the preparation of messages, like
 * that of a multiplexer (spi-mux)
 */
BOARD_BOOL(spi_mux, spi_mux);

/* gpio: 1 if the driver provides pins of the chip as GPIOs */
BOARD_BOOL(gpio, gpio);

/* irq_edge: 1 for interrupts at the falling edge of the pin INT, 0 for low level */
BOARD_BOOL(irq_edge, irq_edge);

/* irq_unreadable: 1 if the driver cannot read the level of the pin INT */
BOARD_BOOL(irq_unreadable, irq_unreadable);

/* spi_errors: number of SPI messages to come that fail; also while live */
static ssize_t mcp251x_dev_spi_errors_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n",
			  atomic_read(&item_to_board(item)->errors));
}

static ssize_t mcp251x_dev_spi_errors_store(struct config_item *item,
					    const char *page, size_t count)
{
	u32 value;
	int ret;

	ret = can_sim_parse_u32(page, 0, INT_MAX, &value);
	if (ret)
		return ret;
	atomic_set(&item_to_board(item)->errors, value);
	return count;
}

CONFIGFS_ATTR(mcp251x_dev_, spi_errors);

/* Attributes: statistics since the bus became live */

static ssize_t mcp251x_dev_show_counter(struct config_item *item, char *page,
					size_t offset)
{
	const u64 *counter = mcp251x_dev_setting_ptr(item, offset);
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned long flags;
	u64 value;

	if (!can_sim_chip_lock(chip, &flags))
		return sysfs_emit(page, "%llu\n", *counter);
	value = *counter;
	can_sim_chip_unlock(chip, flags);
	return sysfs_emit(page, "%llu\n", value);
}

#define BOARD_COUNTER(_name, _member)					\
static ssize_t mcp251x_dev_##_name##_show(struct config_item *item,	\
					  char *page)			\
{									\
	return mcp251x_dev_show_counter(item, page,			\
					offsetof(struct can_sim_mcp251x_board, \
						 _member));		\
}									\
									\
CONFIGFS_ATTR_RO(mcp251x_dev_, _name)

/* spi_messages: SPI messages */
BOARD_COUNTER(spi_messages, messages);

/* spi_transfers: transfers of these messages */
BOARD_COUNTER(spi_transfers, transfers);

/* spi_bytes: bytes of these transfers, each in one or both directions */
BOARD_COUNTER(spi_bytes, bytes);

static struct configfs_attribute *mcp251x_dev_attrs[] = {
	&mcp251x_dev_attr_clock,
	&mcp251x_dev_attr_spi_hz,
	&mcp251x_dev_attr_spi_overhead_ns,
	&mcp251x_dev_attr_spi_poll_ns,
	&mcp251x_dev_attr_half_duplex,
	&mcp251x_dev_attr_cs_change,
	&mcp251x_dev_attr_spi_mux,
	&mcp251x_dev_attr_gpio,
	&mcp251x_dev_attr_irq_edge,
	&mcp251x_dev_attr_irq_unreadable,
	&mcp251x_dev_attr_spi_errors,
	&mcp251x_dev_attr_spi_messages,
	&mcp251x_dev_attr_spi_transfers,
	&mcp251x_dev_attr_spi_bytes,
	NULL
};

/* Device and network interface */

static void mcp251x_dev_power_on(struct can_sim_mcp251x *mcp)
{
	unsigned long flags = can_sim_lock_untimed(&mcp->chip.node);

	can_sim_mcp251x_power_on(mcp);
	can_sim_unlock(&mcp->chip.node, flags);
}

static void mcp251x_dev_set_properties(struct can_sim_mcp251x_board *board)
{
	struct property_entry *property = board->properties;

	*property++ = PROPERTY_ENTRY_U32("clock-frequency", board->mcp.crystal);
	if (board->gpio)
		*property++ = PROPERTY_ENTRY_BOOL("gpio-controller");
	*property = (struct property_entry) { };
	board->properties_node = (struct software_node) {
		.properties = board->properties,
	};
}

/* If the driver is loaded, it is bound to the device before this returns. */
static int mcp251x_dev_add_device(struct can_sim_mcp251x_board *board)
{
	struct spi_board_info info = {
		.max_speed_hz = board->mcp.mcp2510 ? MCP2510_SPI_HZ :
						     MCP2515_SPI_HZ,
		.irq = board->mcp.chip.irq.irq,
		.swnode = &board->properties_node,
	};

	strscpy(info.modalias, board->mcp.chip.kind->name,
		sizeof(info.modalias));
	board->device = spi_new_device(board->controller, &info);
	return board->device ? 0 : -ENODEV;
}

static int mcp251x_dev_match_netdev(struct device *dev, void *found)
{
	if (!dev->class || strcmp(dev->class->name, "net"))
		return 0;
	*(struct net_device **)found = to_net_dev(dev);
	return 1;
}

/* A registered interface is a child of the SPI device. The RTNL is held, so it
 * stays registered.
 */
static struct net_device *mcp251x_dev_netdev(struct can_sim_chip *chip)
{
	struct net_device *found = NULL;

	device_for_each_child(&to_board(chip)->device->dev, &found,
			      mcp251x_dev_match_netdev);
	return found;
}

static bool mcp251x_dev_has_netdev(struct can_sim_chip *chip)
{
	bool has;

	rtnl_lock();
	has = mcp251x_dev_netdev(chip);
	rtnl_unlock();
	return has;
}

static int mcp251x_dev_up(struct can_sim_chip *chip)
{
	struct can_sim_mcp251x_board *board = to_board(chip);
	int ret;

	/* udev, which also loads drivers of new devices, may not be running */
	request_module("mcp251x");
	mcp251x_dev_power_on(&board->mcp);
	/* The GPIO chip of the driver shares the software node of the SPI
	 * device. Linux 6.12 accesses the node after its last device was
	 * removed, so the node has to stay until then.
	 */
	mcp251x_dev_set_properties(board);
	ret = software_node_register(&board->properties_node);
	if (ret)
		return ret;
	ret = can_sim_mcp251x_spi_up(board, chip->parent);
	if (ret)
		goto err_node;
	ret = mcp251x_dev_add_device(board);
	if (!ret && !mcp251x_dev_has_netdev(chip))
		ret = -ENODEV;
	if (!ret)
		return 0;

	can_sim_mcp251x_spi_down(board);
err_node:
	software_node_unregister(&board->properties_node);
	return ret;
}

static void mcp251x_dev_down(struct can_sim_chip *chip)
{
	struct can_sim_mcp251x_board *board = to_board(chip);

	can_sim_mcp251x_spi_down(board);
	software_node_unregister(&board->properties_node);
}

static void mcp251x_dev_interrupt(struct can_sim_mcp251x *mcp, bool active)
{
	can_sim_irq_set(&mcp->chip.irq, active);
}

static struct can_sim_chip *mcp251x_dev_alloc(bool mcp2510)
{
	struct can_sim_mcp251x_board *board;

	board = kzalloc(sizeof(*board), GFP_KERNEL);
	if (!board)
		return NULL;
	board->mcp.chip.node.ops = &can_sim_mcp251x_ops;
	board->mcp.interrupt = mcp251x_dev_interrupt;
	board->mcp.transfer_done = can_sim_mcp251x_spi_done;
	board->mcp.mcp2510 = mcp2510;
	board->mcp.crystal = DEFAULT_CRYSTAL_HZ;
	board->spi_hz = DEFAULT_SPI_HZ;
	board->spi_poll_ns = DEFAULT_POLL_NS;
	board->spi_overhead_ns = DEFAULT_OVERHEAD_NS;
	board->cs_change = true;
	board->irq_unreadable = true;
	mcp251x_dev_wire_irq(board);
	return &board->mcp.chip;
}

static struct can_sim_chip *mcp251x_dev_alloc_mcp2515(void)
{
	return mcp251x_dev_alloc(false);
}

static struct can_sim_chip *mcp251x_dev_alloc_mcp2510(void)
{
	return mcp251x_dev_alloc(true);
}

static void mcp251x_dev_free(struct can_sim_chip *chip)
{
	kfree(to_board(chip));
}

static struct can_sim_kind mcp2515_kind = {
	.name = "mcp2515",
	.owner = THIS_MODULE,
	.attrs = mcp251x_dev_attrs,
	.has_irq = true,
	.alloc = mcp251x_dev_alloc_mcp2515,
	.free = mcp251x_dev_free,
	.up = mcp251x_dev_up,
	.down = mcp251x_dev_down,
	.netdev = mcp251x_dev_netdev,
};

static struct can_sim_kind mcp2510_kind = {
	.name = "mcp2510",
	.owner = THIS_MODULE,
	.attrs = mcp251x_dev_attrs,
	.has_irq = true,
	.alloc = mcp251x_dev_alloc_mcp2510,
	.free = mcp251x_dev_free,
	.up = mcp251x_dev_up,
	.down = mcp251x_dev_down,
	.netdev = mcp251x_dev_netdev,
};

static int __init can_sim_mcp251x_init(void)
{
	int ret;

	ret = can_sim_kind_register(&mcp2515_kind);
	if (ret)
		return ret;
	ret = can_sim_kind_register(&mcp2510_kind);
	if (ret)
		can_sim_kind_unregister(&mcp2515_kind);
	return ret;
}

static void __exit can_sim_mcp251x_exit(void)
{
	can_sim_kind_unregister(&mcp2510_kind);
	can_sim_kind_unregister(&mcp2515_kind);
}

module_init(can_sim_mcp251x_init);
module_exit(can_sim_mcp251x_exit);

MODULE_DESCRIPTION("Simulated MCP2510 and MCP2515");
MODULE_LICENSE("GPL");
MODULE_ALIAS("cansim-mcp2515");
MODULE_ALIAS("cansim-mcp2510");
