// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes of the kinds mpc5200 and mpc5121: the model of their MSCAN, under the
 * core of the mscan driver.
 *
 * Contexts and locks: up(), down() and attributes are called in process context
 * with the mutex of the bus held. The driver accesses registers in any context
 * but NMI; these functions take the lock of the bus, which protects the model.
 * Other fields change only while the bus is not live.
 */
#include <linux/can/dev.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../../mscan/mscan.h"
#include "mscan-model.h"

/* The crystal of boards with an MPC5200, which the driver prefers, and the
 * clock that it derives from the system clock of an MPC5121
 */
#define MPC5200_CLOCK_HZ	33000000
#define MPC5121_CLOCK_HZ	16000000

/* The IP bus of an MPC5200 has 132 MHz at most. */
#define MOST_CLOCK_HZ		132000000
#define LEAST_CLOCK_HZ		1000000

/**
 * struct mscan_board - a chip and its interface
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

/* Accesses of the driver */

static u8 mscan_dev_read8(const struct mscan_priv *priv, unsigned int reg)
{
	struct can_sim_mscan *mscan = priv->ops_data;
	unsigned long flags = can_sim_lock(&mscan->chip.node);
	u8 value = can_sim_mscan_read(mscan, reg);

	can_sim_unlock(&mscan->chip.node, flags);
	return value;
}

static void mscan_dev_write8(const struct mscan_priv *priv, unsigned int reg,
			     u8 value)
{
	struct can_sim_mscan *mscan = priv->ops_data;
	unsigned long flags = can_sim_lock(&mscan->chip.node);

	can_sim_mscan_write(mscan, reg, value);
	can_sim_unlock(&mscan->chip.node, flags);
}

static u16 mscan_dev_read16(const struct mscan_priv *priv, unsigned int reg)
{
	struct can_sim_mscan *mscan = priv->ops_data;
	unsigned long flags = can_sim_lock(&mscan->chip.node);
	u16 value = can_sim_mscan_read(mscan, reg) << 8;

	value |= can_sim_mscan_read(mscan, reg + 1);
	can_sim_unlock(&mscan->chip.node, flags);
	return value;
}

static void mscan_dev_write16(const struct mscan_priv *priv, unsigned int reg,
			      u16 value)
{
	struct can_sim_mscan *mscan = priv->ops_data;
	unsigned long flags = can_sim_lock(&mscan->chip.node);

	can_sim_mscan_write(mscan, reg, value >> 8);
	can_sim_mscan_write(mscan, reg + 1, value);
	can_sim_unlock(&mscan->chip.node, flags);
}

static const struct mscan_ops mscan_dev_ops = {
	.read8 = mscan_dev_read8,
	.write8 = mscan_dev_write8,
	.read16 = mscan_dev_read16,
	.write16 = mscan_dev_write16,
};

static void mscan_dev_interrupt(struct can_sim_mscan *mscan, bool active)
{
	can_sim_irq_set(&mscan->chip.irq, active);
}

/* Operations of the kinds */

static struct can_sim_chip *mscan_dev_alloc(bool mpc5121, u32 clock)
{
	struct mscan_board *board = kzalloc(sizeof(*board), GFP_KERNEL);

	if (!board)
		return NULL;
	board->mscan.clock = clock;
	can_sim_mscan_init(&board->mscan, mpc5121, mscan_dev_interrupt);
	return &board->mscan.chip;
}

static struct can_sim_chip *mscan_dev_alloc_mpc5200(void)
{
	return mscan_dev_alloc(false, MPC5200_CLOCK_HZ);
}

static struct can_sim_chip *mscan_dev_alloc_mpc5121(void)
{
	return mscan_dev_alloc(true, MPC5121_CLOCK_HZ);
}

static void mscan_dev_free(struct can_sim_chip *chip)
{
	kfree(to_board(chip));
}

static void mscan_dev_power_on(struct can_sim_mscan *mscan)
{
	struct can_sim_bus *bus = mscan->chip.node.bus;
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	can_sim_mscan_reset(mscan);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
}

static void mscan_dev_setup(struct can_sim_mscan *mscan, struct net_device *dev)
{
	struct mscan_priv *priv = netdev_priv(dev);

	priv->ops = &mscan_dev_ops;
	priv->ops_data = mscan;
	priv->type = mscan->mpc5121 ? MSCAN_TYPE_MPC5121 : MSCAN_TYPE_MPC5200;
	priv->can.clock.freq = mscan->clock;

	dev->irq = mscan->chip.irq.irq;
	strscpy(dev->name, mscan->chip.name);
	SET_NETDEV_DEV(dev, mscan->chip.parent);
}

static int mscan_dev_up(struct can_sim_chip *chip)
{
	struct mscan_board *board = to_board(chip);
	struct net_device *dev = alloc_mscandev();
	int ret;

	if (!dev)
		return -ENOMEM;
	mscan_dev_power_on(&board->mscan);
	mscan_dev_setup(&board->mscan, dev);
	ret = register_mscandev(dev, MSCAN_CLKSRC_XTAL);
	if (ret) {
		free_candev(dev);
		return ret;
	}
	board->dev = dev;
	return 0;
}

static void mscan_dev_down(struct can_sim_chip *chip)
{
	struct mscan_board *board = to_board(chip);

	unregister_mscandev(board->dev);
	free_candev(board->dev);
}

static struct net_device *mscan_dev_netdev(struct can_sim_chip *chip)
{
	return to_board(chip)->dev;
}

/* Attributes */

/* clock: of the bit timing, in Hz */
static ssize_t mscan_dev_clock_show(struct config_item *item, char *page)
{
	struct mscan_board *board = to_board(to_can_sim_chip(item));

	return sysfs_emit(page, "%u\n", READ_ONCE(board->mscan.clock));
}

static ssize_t mscan_dev_clock_store(struct config_item *item, const char *page,
				     size_t count)
{
	struct mscan_board *board = to_board(to_can_sim_chip(item));

	return can_sim_store_u32(&board->mscan.chip, page, count, LEAST_CLOCK_HZ,
				 MOST_CLOCK_HZ, &board->mscan.clock);
}

CONFIGFS_ATTR(mscan_dev_, clock);

static struct configfs_attribute *mscan_dev_attrs[] = {
	&mscan_dev_attr_clock,
	NULL
};

static struct can_sim_kind mpc5200_kind = {
	.name = "mpc5200",
	.owner = THIS_MODULE,
	.attrs = mscan_dev_attrs,
	.has_irq = true,
	.alloc = mscan_dev_alloc_mpc5200,
	.free = mscan_dev_free,
	.up = mscan_dev_up,
	.down = mscan_dev_down,
	.netdev = mscan_dev_netdev,
};

static struct can_sim_kind mpc5121_kind = {
	.name = "mpc5121",
	.owner = THIS_MODULE,
	.attrs = mscan_dev_attrs,
	.has_irq = true,
	.alloc = mscan_dev_alloc_mpc5121,
	.free = mscan_dev_free,
	.up = mscan_dev_up,
	.down = mscan_dev_down,
	.netdev = mscan_dev_netdev,
};

static int __init mscan_dev_init(void)
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

static void __exit mscan_dev_exit(void)
{
	can_sim_kind_unregister(&mpc5121_kind);
	can_sim_kind_unregister(&mpc5200_kind);
}

module_init(mscan_dev_init);
module_exit(mscan_dev_exit);

MODULE_DESCRIPTION("Simulated MSCAN CAN controllers of MPC5200 and MPC5121");
MODULE_LICENSE("GPL");
MODULE_ALIAS("cansim-mpc5200");
MODULE_ALIAS("cansim-mpc5121");
