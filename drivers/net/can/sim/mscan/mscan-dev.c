// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes of the kinds mpc5200 and mpc5121: the model of the MSCAN of these, under
 * the core of the mscan driver.
 *
 * up() and down() and the attributes are called in process context with the
 * mutex of the bus held, the accesses to registers by the driver in any context
 * but NMI. These take the lock of the bus, which protects the model. Other fields
 * change only while the bus is not live.
 */
#include <linux/can/dev.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../../mscan/mscan.h"
#include "mscan-model.h"

/* The crystal of boards with an MPC5200, which the driver prefers, and what it
 * makes from the system clock of an MPC5121
 */
#define MPC5200_CLOCK_HZ	33000000
#define MPC5121_CLOCK_HZ	16000000

/* The IP bus of an MPC5200 has 132 MHz at most. */
#define MOST_CLOCK_HZ		132000000
#define LEAST_CLOCK_HZ		1000000

/**
 * struct mscan_board - a chip and what drives it
 * @mscan: the chip
 * @dev: network interface, while live
 */
struct mscan_board {
	struct can_sim_mscan mscan;
	struct net_device *dev;
};

static struct mscan_board *to_board(struct can_sim_chip *chip)
{
	return container_of(chip, struct mscan_board, mscan.chip);
}

/* Between driver and chip */

static u8 board_read8(const struct mscan_priv *priv, unsigned int reg)
{
	struct can_sim_mscan *mscan = priv->ops_data;
	unsigned long flags = can_sim_lock(&mscan->chip.node);
	u8 value = can_sim_mscan_read(mscan, reg);

	can_sim_unlock(&mscan->chip.node, flags);
	return value;
}

static void board_write8(const struct mscan_priv *priv, unsigned int reg,
			 u8 value)
{
	struct can_sim_mscan *mscan = priv->ops_data;
	unsigned long flags = can_sim_lock(&mscan->chip.node);

	can_sim_mscan_write(mscan, reg, value);
	can_sim_unlock(&mscan->chip.node, flags);
}

static u16 board_read16(const struct mscan_priv *priv, unsigned int reg)
{
	struct can_sim_mscan *mscan = priv->ops_data;
	unsigned long flags = can_sim_lock(&mscan->chip.node);
	u16 value = can_sim_mscan_read(mscan, reg) << 8;

	value |= can_sim_mscan_read(mscan, reg + 1);
	can_sim_unlock(&mscan->chip.node, flags);
	return value;
}

static void board_write16(const struct mscan_priv *priv, unsigned int reg,
			  u16 value)
{
	struct can_sim_mscan *mscan = priv->ops_data;
	unsigned long flags = can_sim_lock(&mscan->chip.node);

	can_sim_mscan_write(mscan, reg, value >> 8);
	can_sim_mscan_write(mscan, reg + 1, value);
	can_sim_unlock(&mscan->chip.node, flags);
}

static const struct mscan_ops board_ops = {
	.read8 = board_read8,
	.write8 = board_write8,
	.read16 = board_read16,
	.write16 = board_write16,
};

static void board_interrupt(struct can_sim_mscan *mscan, bool active)
{
	can_sim_irq_set(&mscan->chip.irq, active);
}

/* As nodes of the bus come and go */

static struct can_sim_chip *board_alloc(bool mpc5121, u32 clock)
{
	struct mscan_board *board = kzalloc(sizeof(*board), GFP_KERNEL);

	if (!board)
		return NULL;
	board->mscan.clock = clock;
	can_sim_mscan_init(&board->mscan, mpc5121, board_interrupt);
	return &board->mscan.chip;
}

static struct can_sim_chip *mpc5200_alloc(void)
{
	return board_alloc(false, MPC5200_CLOCK_HZ);
}

static struct can_sim_chip *mpc5121_alloc(void)
{
	return board_alloc(true, MPC5121_CLOCK_HZ);
}

static void board_free(struct can_sim_chip *chip)
{
	kfree(to_board(chip));
}

static void power_on(struct can_sim_mscan *mscan)
{
	struct can_sim_bus *bus = mscan->chip.node.bus;
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	can_sim_mscan_reset(mscan);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
}

static void set_up_driver(struct can_sim_mscan *mscan, struct net_device *dev)
{
	struct mscan_priv *priv = netdev_priv(dev);

	priv->ops = &board_ops;
	priv->ops_data = mscan;
	priv->type = mscan->mpc5121 ? MSCAN_TYPE_MPC5121 : MSCAN_TYPE_MPC5200;
	priv->can.clock.freq = mscan->clock;

	dev->irq = mscan->chip.irq.irq;
	strscpy(dev->name, mscan->chip.name);
	SET_NETDEV_DEV(dev, mscan->chip.parent);
}

static int board_up(struct can_sim_chip *chip)
{
	struct mscan_board *board = to_board(chip);
	struct net_device *dev = alloc_mscandev();
	int ret;

	if (!dev)
		return -ENOMEM;
	power_on(&board->mscan);
	set_up_driver(&board->mscan, dev);
	ret = register_mscandev(dev, MSCAN_CLKSRC_XTAL);
	if (ret) {
		free_candev(dev);
		return ret;
	}
	board->dev = dev;
	return 0;
}

static void board_down(struct can_sim_chip *chip)
{
	struct mscan_board *board = to_board(chip);

	unregister_mscandev(board->dev);
	free_candev(board->dev);
}

static struct net_device *board_netdev(struct can_sim_chip *chip)
{
	return to_board(chip)->dev;
}

/* Attributes */

/* clock: of the bit timing, in Hz */
static ssize_t mscan_clock_show(struct config_item *item, char *page)
{
	struct mscan_board *board = to_board(to_can_sim_chip(item));

	return sysfs_emit(page, "%u\n", READ_ONCE(board->mscan.clock));
}

static ssize_t mscan_clock_store(struct config_item *item, const char *page,
				 size_t count)
{
	struct mscan_board *board = to_board(to_can_sim_chip(item));
	u32 clock;
	int ret;

	ret = can_sim_parse_u32(page, LEAST_CLOCK_HZ, MOST_CLOCK_HZ, &clock);
	if (ret)
		return ret;
	ret = can_sim_change_begin(&board->mscan.chip);
	if (ret)
		return ret;
	WRITE_ONCE(board->mscan.clock, clock);
	can_sim_change_end(&board->mscan.chip);
	return count;
}

CONFIGFS_ATTR(mscan_, clock);

static struct configfs_attribute *mscan_attrs[] = {
	&mscan_attr_clock,
	NULL
};

static struct can_sim_kind mpc5200_kind = {
	.name = "mpc5200",
	.owner = THIS_MODULE,
	.attrs = mscan_attrs,
	.has_irq = true,
	.alloc = mpc5200_alloc,
	.free = board_free,
	.up = board_up,
	.down = board_down,
	.netdev = board_netdev,
};

static struct can_sim_kind mpc5121_kind = {
	.name = "mpc5121",
	.owner = THIS_MODULE,
	.attrs = mscan_attrs,
	.has_irq = true,
	.alloc = mpc5121_alloc,
	.free = board_free,
	.up = board_up,
	.down = board_down,
	.netdev = board_netdev,
};

static int __init mscan_kinds_init(void)
{
	int ret;

	ret = can_sim_kind_register(&mpc5200_kind);
	if (ret)
		return ret;
	ret = can_sim_kind_register(&mpc5121_kind);
	if (ret)
		can_sim_kind_unregister(&mpc5200_kind);
	return ret;
}

static void __exit mscan_kinds_exit(void)
{
	can_sim_kind_unregister(&mpc5121_kind);
	can_sim_kind_unregister(&mpc5200_kind);
}

module_init(mscan_kinds_init);
module_exit(mscan_kinds_exit);

MODULE_DESCRIPTION("Simulated MSCAN CAN controllers of MPC5200 and MPC5121");
MODULE_LICENSE("GPL");
MODULE_ALIAS("cansim-mpc5200");
MODULE_ALIAS("cansim-mpc5121");
