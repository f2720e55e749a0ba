// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes of the kind sja1000: the model of the chip, under the driver core of
 * the SJA1000.
 *
 * Contexts and locks: up(), down() and attributes are called in process context
 * with the mutex of the bus held. The driver core accesses registers in any
 * context but NMI; these functions take the lock of the bus, which protects the
 * model and sja1000_board.unplugged. Other fields change only while the bus is
 * not live.
 */
#include <linux/interrupt.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "../../sja1000/sja1000.h"
#include "sja1000-model.h"
#include "sja1000-sharer.h"

/* The fastest oscillator of the data sheet (10), and one slow enough for any
 * bit rate
 */
#define MOST_CRYSTAL_HZ		24000000
#define LEAST_CRYSTAL_HZ	1000000

/* Value of all registers without a card */
#define NO_CARD			0xff

/**
 * struct sja1000_board - a chip on a board
 * @sja: the chip
 * @dev: network interface, while live
 * @irq_shared: the driver requests a shared interrupt, as almost all drivers of
 *	boards do
 * @sharer: another device on the interrupt line
 * @reset_on_overrun: the driver resets the chip after an overrun
 * @unplugged: the board is unplugged
 */
struct sja1000_board {
	struct can_sim_sja1000 sja;
	struct net_device *dev;
	bool irq_shared;
	struct sja1000_sharer sharer;
	bool reset_on_overrun;
	bool unplugged;
};

static struct sja1000_board *to_board(struct can_sim_chip *chip)
{
	return container_of(chip, struct sja1000_board, sja.chip);
}

static struct sja1000_board *item_to_board(struct config_item *item)
{
	return to_board(to_can_sim_chip(item));
}

/* Accesses of the driver core */

static u8 sja1000_dev_read_reg(const struct sja1000_priv *priv, int reg)
{
	struct sja1000_board *board = priv->priv;
	struct can_sim_node *node = &board->sja.chip.node;
	unsigned long flags = can_sim_lock(node);
	u8 value = NO_CARD;

	if (!board->unplugged)
		value = can_sim_sja1000_read(&board->sja, reg);
	can_sim_unlock(node, flags);
	return value;
}

static void sja1000_dev_write_reg(const struct sja1000_priv *priv, int reg,
				  u8 value)
{
	struct sja1000_board *board = priv->priv;
	struct can_sim_node *node = &board->sja.chip.node;
	unsigned long flags = can_sim_lock(node);

	if (!board->unplugged)
		can_sim_sja1000_write(&board->sja, reg, value);
	can_sim_unlock(node, flags);
}

static void sja1000_dev_interrupt(struct can_sim_sja1000 *sja, bool active)
{
	can_sim_irq_set(&sja->chip.irq, active);
}

/* Operations of the kind */

static struct can_sim_chip *sja1000_dev_alloc(void)
{
	struct sja1000_board *board = kzalloc(sizeof(*board), GFP_KERNEL);

	if (!board)
		return NULL;
	can_sim_sja1000_init(&board->sja, sja1000_dev_interrupt);
	board->irq_shared = true;
	sja1000_sharer_init(&board->sharer);
	return &board->sja.chip;
}

static void sja1000_dev_free(struct can_sim_chip *chip)
{
	kfree(to_board(chip));
}

static void sja1000_dev_power_on(struct sja1000_board *board)
{
	struct can_sim_bus *bus = board->sja.chip.node.bus;
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	board->unplugged = false;
	can_sim_sja1000_reset(&board->sja);
	raw_spin_unlock_irqrestore(&bus->lock, flags);
}

/* The output control is that of boards with a transceiver. */
static void sja1000_dev_setup(struct sja1000_board *board,
			      struct net_device *dev)
{
	struct can_sim_chip *chip = &board->sja.chip;
	struct sja1000_priv *priv = netdev_priv(dev);

	priv->priv = board;
	priv->read_reg = sja1000_dev_read_reg;
	priv->write_reg = sja1000_dev_write_reg;
	priv->can.clock.freq = board->sja.crystal / 2;
	priv->ocr = OCR_TX0_PUSHPULL;
	priv->cdr = CDR_CBP | CDR_CLK_OFF;
	priv->irq_flags = board->irq_shared ? IRQF_SHARED : 0;
	if (board->reset_on_overrun)
		priv->flags |= SJA1000_QUIRK_RESET_ON_OVERRUN;

	dev->irq = chip->irq.irq;
	strscpy(dev->name, chip->name);
	SET_NETDEV_DEV(dev, chip->parent);
}

static int sja1000_dev_up(struct can_sim_chip *chip)
{
	struct sja1000_board *board = to_board(chip);
	struct net_device *dev = alloc_sja1000dev(0);
	int ret;

	if (!dev)
		return -ENOMEM;
	sja1000_dev_power_on(board);
	sja1000_dev_setup(board, dev);
	ret = sja1000_sharer_up(&board->sharer, dev->irq);
	if (ret)
		goto out_free;
	ret = register_sja1000dev(dev);
	if (ret)
		goto out_sharer;
	board->dev = dev;
	return 0;

out_sharer:
	sja1000_sharer_down(&board->sharer);
out_free:
	free_sja1000dev(dev);
	return ret;
}

static void sja1000_dev_down(struct can_sim_chip *chip)
{
	struct sja1000_board *board = to_board(chip);

	unregister_sja1000dev(board->dev);
	sja1000_sharer_down(&board->sharer);
	free_sja1000dev(board->dev);
}

static struct net_device *sja1000_dev_netdev(struct can_sim_chip *chip)
{
	return to_board(chip)->dev;
}

/* Attributes */

/* clock: of the oscillator, in Hz; the clock of the bit timing is half of it */
static ssize_t sja1000_dev_clock_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%u\n",
			  READ_ONCE(item_to_board(item)->sja.crystal));
}

static ssize_t sja1000_dev_clock_store(struct config_item *item,
				       const char *page, size_t count)
{
	struct sja1000_board *board = item_to_board(item);

	return can_sim_store_u32(&board->sja.chip, page, count, LEAST_CRYSTAL_HZ,
				 MOST_CRYSTAL_HZ, &board->sja.crystal);
}

CONFIGFS_ATTR(sja1000_dev_, clock);

/* Settings of the driver, 0 or 1 */

static int sja1000_dev_store_setting(struct sja1000_board *board,
				     const char *page, bool *setting)
{
	bool value;
	int ret;

	ret = kstrtobool(page, &value);
	if (ret)
		return ret;
	ret = can_sim_change_begin(&board->sja.chip);
	if (ret)
		return ret;
	WRITE_ONCE(*setting, value);
	can_sim_change_end(&board->sja.chip);
	return 0;
}

/* irq_shared: as on boards on which several chips have one interrupt line */
static ssize_t sja1000_dev_irq_shared_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n",
			  READ_ONCE(item_to_board(item)->irq_shared));
}

static ssize_t sja1000_dev_irq_shared_store(struct config_item *item,
					    const char *page, size_t count)
{
	struct sja1000_board *board = item_to_board(item);

	return sja1000_dev_store_setting(board, page, &board->irq_shared) ?:
	       count;
}

CONFIGFS_ATTR(sja1000_dev_, irq_shared);

/* irq_sharer: another device on the line */
static ssize_t sja1000_dev_irq_sharer_show(struct config_item *item, char *page)
{
	enum sja1000_sharer_kind kind =
		READ_ONCE(item_to_board(item)->sharer.kind);

	return sysfs_emit(page, "%s\n", sja1000_sharer_kinds[kind]);
}

static ssize_t sja1000_dev_irq_sharer_store(struct config_item *item,
					    const char *page, size_t count)
{
	struct sja1000_board *board = item_to_board(item);
	int ret, kind = sysfs_match_string(sja1000_sharer_kinds, page);

	if (kind < 0)
		return kind;
	ret = can_sim_change_begin(&board->sja.chip);
	if (ret)
		return ret;
	WRITE_ONCE(board->sharer.kind, kind);
	can_sim_change_end(&board->sja.chip);
	return count;
}

CONFIGFS_ATTR(sja1000_dev_, irq_sharer);

/* irq_sharer_interrupt: 1 lets this device interrupt once; while live */
static ssize_t
sja1000_dev_irq_sharer_interrupt_store(struct config_item *item,
				       const char *page, size_t count)
{
	struct sja1000_board *board = item_to_board(item);
	unsigned long flags;
	bool interrupt;
	int ret;

	ret = kstrtobool(page, &interrupt);
	if (ret)
		return ret;
	if (!can_sim_chip_lock(&board->sja.chip, &flags))
		return -ENETDOWN;
	if (interrupt)
		ret = sja1000_sharer_interrupt(&board->sharer);
	can_sim_chip_unlock(&board->sja.chip, flags);
	return ret ?: count;
}

CONFIGFS_ATTR_WO(sja1000_dev_, irq_sharer_interrupt);

/* irq_edge: 1 for edge-triggered interrupts, as on the ISA bus; 0 for
 * level-triggered ones
 */
static ssize_t sja1000_dev_irq_edge_show(struct config_item *item, char *page)
{
	unsigned int wiring = READ_ONCE(to_can_sim_chip(item)->irq_wiring);

	return sysfs_emit(page, "%d\n", !!(wiring & CAN_SIM_IRQ_EDGE));
}

static ssize_t sja1000_dev_irq_edge_store(struct config_item *item,
					  const char *page, size_t count)
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
	WRITE_ONCE(chip->irq_wiring, value ? CAN_SIM_IRQ_EDGE : 0);
	can_sim_change_end(chip);
	return count;
}

CONFIGFS_ATTR(sja1000_dev_, irq_edge);

/* quirk_reset_on_overrun: SJA1000_QUIRK_RESET_ON_OVERRUN of the driver */
static ssize_t sja1000_dev_quirk_reset_on_overrun_show(struct config_item *item,
						       char *page)
{
	return sysfs_emit(page, "%d\n",
			  READ_ONCE(item_to_board(item)->reset_on_overrun));
}

static ssize_t sja1000_dev_quirk_reset_on_overrun_store(struct config_item *item,
							const char *page,
							size_t count)
{
	struct sja1000_board *board = item_to_board(item);

	return sja1000_dev_store_setting(board, page,
					 &board->reset_on_overrun) ?: count;
}

CONFIGFS_ATTR(sja1000_dev_, quirk_reset_on_overrun);

/* unplugged: 1 unplugs the board: the chip has no power, and all registers read
 * as 0xff. 0, or the end of live, plugs it in again, as after power-on.
 */
static ssize_t sja1000_dev_unplugged_show(struct config_item *item, char *page)
{
	struct sja1000_board *board = item_to_board(item);
	bool unplugged = false;
	unsigned long flags;

	if (can_sim_chip_lock(&board->sja.chip, &flags)) {
		unplugged = board->unplugged;
		can_sim_chip_unlock(&board->sja.chip, flags);
	}
	return sysfs_emit(page, "%d\n", unplugged);
}

static ssize_t sja1000_dev_unplugged_store(struct config_item *item,
					   const char *page, size_t count)
{
	struct sja1000_board *board = item_to_board(item);
	unsigned long flags;
	bool unplugged;
	int ret;

	ret = kstrtobool(page, &unplugged);
	if (ret)
		return ret;
	if (!can_sim_chip_lock(&board->sja.chip, &flags))
		return -ENETDOWN;
	if (board->unplugged != unplugged)
		can_sim_sja1000_reset(&board->sja);
	board->unplugged = unplugged;
	can_sim_chip_unlock(&board->sja.chip, flags);
	return count;
}

CONFIGFS_ATTR(sja1000_dev_, unplugged);

static struct configfs_attribute *sja1000_dev_attrs[] = {
	&sja1000_dev_attr_clock,
	&sja1000_dev_attr_irq_shared,
	&sja1000_dev_attr_irq_sharer,
	&sja1000_dev_attr_irq_sharer_interrupt,
	&sja1000_dev_attr_irq_edge,
	&sja1000_dev_attr_quirk_reset_on_overrun,
	&sja1000_dev_attr_unplugged,
	NULL
};

static struct can_sim_kind sja1000_kind = {
	.name = "sja1000",
	.owner = THIS_MODULE,
	.attrs = sja1000_dev_attrs,
	.has_irq = true,
	.alloc = sja1000_dev_alloc,
	.free = sja1000_dev_free,
	.up = sja1000_dev_up,
	.down = sja1000_dev_down,
	.netdev = sja1000_dev_netdev,
};

static int __init sja1000_dev_init(void)
{
	return can_sim_kind_register(&sja1000_kind);
}

static void __exit sja1000_dev_exit(void)
{
	can_sim_kind_unregister(&sja1000_kind);
}

module_init(sja1000_dev_init);
module_exit(sja1000_dev_exit);

MODULE_DESCRIPTION("Simulated SJA1000 CAN controllers");
MODULE_LICENSE("GPL");
