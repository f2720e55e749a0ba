// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes with an MCP2510 or MCP2515, for the driver mcp251x.
 *
 * Each node has a board of its own: an SPI controller with the chip as its only
 * device, described by properties as a board file would do it. The driver is the
 * kernel's and chooses the name of its interface; userspace, which reads it from
 * the attribute "interface", may rename it.
 *
 * Everything here is called in process context. Settings are protected by the
 * mutex of the node's bus, which is held during board_up() and board_down().
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

/* Crystals that the driver accepts; the first are too slow for 1 Mbit/s. */
#define LEAST_CRYSTAL_HZ (1 * HZ_PER_MHZ)
#define MOST_CRYSTAL_HZ (25 * HZ_PER_MHZ)
#define DEFAULT_CRYSTAL_HZ (16 * HZ_PER_MHZ)

#define LEAST_SPI_HZ (10 * HZ_PER_KHZ)
#define MOST_SPI_HZ (100 * HZ_PER_MHZ)
#define DEFAULT_SPI_HZ (10 * HZ_PER_MHZ)

#define MOST_OVERHEAD_NS 10000000

#define MOST_POLL_NS 1000000
#define DEFAULT_POLL_NS 30000

static struct can_sim_mcp251x_board *to_board(struct can_sim_chip *chip)
{
	return container_of(chip, struct can_sim_mcp251x_board, mcp.chip);
}

static struct can_sim_mcp251x_board *item_board(struct config_item *item)
{
	return to_board(to_can_sim_chip(item));
}

/* Attributes: settings, which cannot be changed while the bus is live */

/**
 * struct setting - a setting that is a number
 * @offset: in struct can_sim_mcp251x_board
 * @least: smallest value
 * @most: largest value
 */
struct setting {
	size_t offset;
	u32 least;
	u32 most;
};

static void *setting_at(struct config_item *item, size_t offset)
{
	return (void *)item_board(item) + offset;
}

static ssize_t show_number(struct config_item *item, char *page,
			   const struct setting *setting)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	u32 value;

	can_sim_change_begin_live(chip);
	value = *(u32 *)setting_at(item, setting->offset);
	can_sim_change_end(chip);
	return sysfs_emit(page, "%u\n", value);
}

static ssize_t store_number(struct config_item *item, const char *page,
			    size_t count, const struct setting *setting)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	u32 value;
	int ret;

	ret = can_sim_parse_u32(page, setting->least, setting->most, &value);
	if (ret)
		return ret;
	ret = can_sim_change_begin(chip);
	if (ret)
		return ret;
	*(u32 *)setting_at(item, setting->offset) = value;
	can_sim_change_end(chip);
	return count;
}

#define BOARD_NUMBER(_name, _member, _least, _most)			\
static const struct setting board_##_name = {				\
	.offset = offsetof(struct can_sim_mcp251x_board, _member),	\
	.least = _least,						\
	.most = _most,							\
};									\
									\
static ssize_t board_##_name##_show(struct config_item *item,		\
				    char *page)				\
{									\
	return show_number(item, page, &board_##_name);			\
}									\
									\
static ssize_t board_##_name##_store(struct config_item *item,		\
				     const char *page, size_t count)	\
{									\
	return store_number(item, page, count, &board_##_name);		\
}									\
									\
CONFIGFS_ATTR(board_, _name)

/* clock: frequency of the crystal, in Hz */
BOARD_NUMBER(clock, mcp.crystal, LEAST_CRYSTAL_HZ, MOST_CRYSTAL_HZ);

/* spi_hz: highest clock of the SPI controller; the chip has a limit, too. */
BOARD_NUMBER(spi_hz, spi_hz, LEAST_SPI_HZ, MOST_SPI_HZ);

/* spi_overhead_ns: time that each SPI message takes in addition to its bytes */
BOARD_NUMBER(spi_overhead_ns, spi_overhead_ns, 0, MOST_OVERHEAD_NS);

/* spi_poll_ns: longest SPI transfer for which the CPU waits in a loop */
BOARD_NUMBER(spi_poll_ns, spi_poll_ns, 0, MOST_POLL_NS);

static ssize_t show_bool(struct config_item *item, char *page, size_t offset)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	bool value;

	can_sim_change_begin_live(chip);
	value = *(bool *)setting_at(item, offset);
	can_sim_change_end(chip);
	return sysfs_emit(page, "%d\n", value);
}

static void wire_interrupt(struct can_sim_mcp251x_board *board)
{
	board->mcp.chip.irq_wiring =
		(board->irq_edge ? CAN_SIM_IRQ_EDGE : 0) |
		(board->irq_unreadable ? CAN_SIM_IRQ_UNREADABLE : 0);
}

static ssize_t store_bool(struct config_item *item, const char *page,
			  size_t count, size_t offset)
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
	*(bool *)setting_at(item, offset) = value;
	wire_interrupt(item_board(item));
	can_sim_change_end(chip);
	return count;
}

#define BOARD_BOOL(_name, _member)					\
static const size_t board_##_name =					\
	offsetof(struct can_sim_mcp251x_board, _member);		\
									\
static ssize_t board_##_name##_show(struct config_item *item,		\
				    char *page)				\
{									\
	return show_bool(item, page, board_##_name);			\
}									\
									\
static ssize_t board_##_name##_store(struct config_item *item,		\
				     const char *page, size_t count)	\
{									\
	return store_bool(item, page, count, board_##_name);		\
}									\
									\
CONFIGFS_ATTR(board_, _name)

/* half_duplex: 1 if the SPI controller cannot send and receive at once */
BOARD_BOOL(half_duplex, half_duplex);

/* spi_mux: 1 if the SPI controller does not prepare messages before they are sent, as
 * that of a multiplexer (spi-mux)
 */
BOARD_BOOL(spi_mux, spi_mux);

/* gpio: 1 if the driver is to offer pins of the chip as GPIOs */
BOARD_BOOL(gpio, gpio);

/* irq_edge: 1 if the CPU is interrupted when the pin INT goes low, 0 while it is
 * low
 */
BOARD_BOOL(irq_edge, irq_edge);

/* irq_unreadable: 1 if the driver cannot ask for the level of the pin INT */
BOARD_BOOL(irq_unreadable, irq_unreadable);

/* Attributes: statistics, which begin at zero when the bus becomes live */

static ssize_t show_counter(struct config_item *item, char *page, size_t offset)
{
	const u64 *counter = setting_at(item, offset);
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
static ssize_t board_##_name##_show(struct config_item *item,		\
				    char *page)				\
{									\
	return show_counter(item, page,					\
			    offsetof(struct can_sim_mcp251x_board,	\
				     _member));				\
}									\
									\
CONFIGFS_ATTR_RO(board_, _name)

/* spi_messages: from chip select to chip select, mostly */
BOARD_COUNTER(spi_messages, messages);

/* spi_transfers: of which messages consist */
BOARD_COUNTER(spi_transfers, transfers);

/* spi_bytes: in both directions at once */
BOARD_COUNTER(spi_bytes, bytes);

static struct configfs_attribute *board_attrs[] = {
	&board_attr_clock,
	&board_attr_spi_hz,
	&board_attr_spi_overhead_ns,
	&board_attr_spi_poll_ns,
	&board_attr_half_duplex,
	&board_attr_spi_mux,
	&board_attr_gpio,
	&board_attr_irq_edge,
	&board_attr_irq_unreadable,
	&board_attr_spi_messages,
	&board_attr_spi_transfers,
	&board_attr_spi_bytes,
	NULL
};

/* What the driver finds */

static void power_on(struct can_sim_mcp251x *mcp)
{
	unsigned long flags = can_sim_peek(&mcp->chip.node);

	can_sim_mcp251x_power_on(mcp);
	can_sim_unlock(&mcp->chip.node, flags);
}

static void describe(struct can_sim_mcp251x_board *board)
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

/* A driver that is there already binds to the chip before this returns. */
static int add_device(struct can_sim_mcp251x_board *board)
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

static int find_netdev(struct device *dev, void *found)
{
	if (!dev->class || strcmp(dev->class->name, "net"))
		return 0;
	*(struct net_device **)found = to_net_dev(dev);
	return 1;
}

/* The interface is a child of the SPI device as long as it is registered, which
 * only changes under the RTNL.
 */
static struct net_device *board_netdev(struct can_sim_chip *chip)
{
	struct net_device *found = NULL;

	device_for_each_child(&to_board(chip)->device->dev, &found, find_netdev);
	return found;
}

static bool has_netdev(struct can_sim_chip *chip)
{
	bool has;

	rtnl_lock();
	has = board_netdev(chip);
	rtnl_unlock();
	return has;
}

/* Nobody loads the driver for a device that appears unless udev runs. */
static int board_up(struct can_sim_chip *chip)
{
	struct can_sim_mcp251x_board *board = to_board(chip);
	int ret;

	request_module("mcp251x");
	power_on(&board->mcp);
	/* The GPIO chip of the driver has the same software node as the SPI device.
	 * Linux 6.12 looks into the node after the last of its devices has gone, so
	 * that must not be the end of it.
	 */
	describe(board);
	ret = software_node_register(&board->properties_node);
	if (ret)
		return ret;
	ret = can_sim_mcp251x_spi_up(board, chip->parent);
	if (ret)
		goto err_node;
	ret = add_device(board);
	if (!ret && !has_netdev(chip))
		ret = -ENODEV;
	if (!ret)
		return 0;

	can_sim_mcp251x_spi_down(board);
err_node:
	software_node_unregister(&board->properties_node);
	return ret;
}

static void board_down(struct can_sim_chip *chip)
{
	struct can_sim_mcp251x_board *board = to_board(chip);

	can_sim_mcp251x_spi_down(board);
	software_node_unregister(&board->properties_node);
}

static void set_interrupt(struct can_sim_mcp251x *mcp, bool active)
{
	can_sim_irq_set(&mcp->chip.irq, active);
}

static struct can_sim_chip *alloc_board(bool mcp2510)
{
	struct can_sim_mcp251x_board *board;

	board = kzalloc(sizeof(*board), GFP_KERNEL);
	if (!board)
		return NULL;
	board->mcp.chip.node.ops = &can_sim_mcp251x_ops;
	board->mcp.interrupt = set_interrupt;
	board->mcp.transfer_done = can_sim_mcp251x_spi_done;
	board->mcp.mcp2510 = mcp2510;
	board->mcp.crystal = DEFAULT_CRYSTAL_HZ;
	board->spi_hz = DEFAULT_SPI_HZ;
	board->spi_poll_ns = DEFAULT_POLL_NS;
	return &board->mcp.chip;
}

static struct can_sim_chip *alloc_mcp2515(void)
{
	return alloc_board(false);
}

static struct can_sim_chip *alloc_mcp2510(void)
{
	return alloc_board(true);
}

static void free_board(struct can_sim_chip *chip)
{
	kfree(to_board(chip));
}

static struct can_sim_kind mcp2515_kind = {
	.name = "mcp2515",
	.owner = THIS_MODULE,
	.attrs = board_attrs,
	.has_irq = true,
	.alloc = alloc_mcp2515,
	.free = free_board,
	.up = board_up,
	.down = board_down,
	.netdev = board_netdev,
};

static struct can_sim_kind mcp2510_kind = {
	.name = "mcp2510",
	.owner = THIS_MODULE,
	.attrs = board_attrs,
	.has_irq = true,
	.alloc = alloc_mcp2510,
	.free = free_board,
	.up = board_up,
	.down = board_down,
	.netdev = board_netdev,
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
