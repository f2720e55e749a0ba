// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers of the MSCAN (MPC5200B User's Manual, MSCAN), see bare.h. Its three
 * transmit buffers are sent in the order of a rank of eight bits, which counts
 * up; before it begins at 0 again, all buffers are empty.
 */
#include <linux/can/dev.h>
#include <linux/delay.h>
#include <linux/netdevice.h>

#include "../../mscan/mscan.h"
#include "bare.h"

#define MODE_TRIES	100
#define MODE_DELAY_US	100

static struct mscan_regs __iomem *bare_mscan_regs(const struct bare_chip *chip)
{
	struct mscan_priv *priv = netdev_priv(chip->dev);

	return priv->reg_base;
}

/* The driver has left the chip in initialization mode, with its bit timing set. */
static int bare_mscan_start(struct bare_chip *chip)
{
	struct mscan_regs __iomem *regs = bare_mscan_regs(chip);
	struct mscan_priv *priv = netdev_priv(chip->dev);
	int i;

	chip->sequence = 0;
	mscan_clrbits8(priv, &regs->canctl0, MSCAN_SLPRQ | MSCAN_INITRQ);
	for (i = 0; i < MODE_TRIES; i++) {
		if (!(mscan_read8(priv, &regs->canctl1) &
		      (MSCAN_INITAK | MSCAN_SLPAK)))
			break;
		usleep_range(MODE_DELAY_US, 2 * MODE_DELAY_US);
	}
	if (i == MODE_TRIES)
		return -EIO;
	mscan_write8(priv, &regs->cantier, 0);
	mscan_write8(priv, &regs->canrier, MSCAN_RXFIE);
	return 0;
}

static void bare_mscan_stop(struct bare_chip *chip)
{
	struct mscan_regs __iomem *regs = bare_mscan_regs(chip);
	struct mscan_priv *priv = netdev_priv(chip->dev);

	mscan_write8(priv, &regs->cantier, 0);
	mscan_write8(priv, &regs->canrier, 0);
	mscan_setbits8(priv, &regs->canctl0, MSCAN_INITRQ | MSCAN_SLPRQ);
}

static bool bare_mscan_pending(struct bare_chip *chip)
{
	struct mscan_regs __iomem *regs = bare_mscan_regs(chip);

	return mscan_read8(netdev_priv(chip->dev), &regs->canrflg) & MSCAN_RXF;
}

static void bare_mscan_take(struct bare_chip *chip, struct can_frame *cf)
{
	struct mscan_regs __iomem *regs = bare_mscan_regs(chip);
	struct mscan_priv *priv = netdev_priv(chip->dev);
	u16 __iomem *data = &regs->rx.dsr1_0;
	u32 id = mscan_read16(priv, &regs->rx.idr1_0);
	bool remote;
	u16 value;
	int i;

	if (id & BIT(3)) {
		id = id << 16 | mscan_read16(priv, &regs->rx.idr3_2);
		cf->can_id = (id & 0xffe00000) >> 3 | (id & 0x7ffff) >> 1 |
			     CAN_EFF_FLAG;
		remote = id & BIT(0);
	} else {
		cf->can_id = id >> 5;
		remote = id & BIT(4);
	}
	cf->len = can_cc_dlc2len(mscan_read8(priv, &regs->rx.dlr) & 0xf);
	if (remote)
		cf->can_id |= CAN_RTR_FLAG;
	else
		/* each pair of registers is followed by two that are reserved */
		for (i = 0; i < cf->len; i += 2, data += 2) {
			value = mscan_read16(priv, data);
			cf->data[i] = value >> 8;
			cf->data[i + 1] = value;
		}
	mscan_write8(priv, &regs->canrflg, MSCAN_RXF);
}

static bool bare_mscan_room(struct bare_chip *chip)
{
	struct mscan_regs __iomem *regs = bare_mscan_regs(chip);

	chip->free = mscan_read8(netdev_priv(chip->dev), &regs->cantflg) &
		     MSCAN_TXE;
	return chip->sequence ? chip->free : chip->free == MSCAN_TXE;
}

static void bare_mscan_put(struct bare_chip *chip, const struct can_frame *cf)
{
	struct mscan_regs __iomem *regs = bare_mscan_regs(chip);
	struct mscan_priv *priv = netdev_priv(chip->dev);
	u16 __iomem *data = &regs->tx.dsr1_0;
	u32 id = cf->can_id & CAN_EFF_MASK;
	bool remote = cf->can_id & CAN_RTR_FLAG;
	u8 buffer = chip->free & -chip->free;
	int i;

	mscan_write8(priv, &regs->cantbsel, buffer);
	if (cf->can_id & CAN_EFF_FLAG) {
		mscan_write16(priv, &regs->tx.idr1_0,
			      (id >> 13 & 0xffe0) | MSCAN_EFF_FLAGS |
			      (id >> 15 & 7));
		mscan_write16(priv, &regs->tx.idr3_2,
			      (id & 0x7fff) << 1 | remote);
	} else {
		mscan_write16(priv, &regs->tx.idr1_0,
			      id << 5 | remote << MSCAN_SFF_RTR_SHIFT);
	}
	if (!remote)
		for (i = 0; i < cf->len; i += 2, data += 2)
			mscan_write16(priv, data,
				      cf->data[i] << 8 | cf->data[i + 1]);
	mscan_write8(priv, &regs->tx.dlr, cf->len);
	mscan_write8(priv, &regs->tx.tbpr, chip->sequence++);
	mscan_write8(priv, &regs->cantflg, buffer);
}

static void bare_mscan_interrupts(struct bare_chip *chip)
{
	struct mscan_regs __iomem *regs = bare_mscan_regs(chip);
	struct mscan_priv *priv = netdev_priv(chip->dev);

	mscan_write8(priv, &regs->canrier, chip->receive ? MSCAN_RXFIE : 0);
	mscan_write8(priv, &regs->cantier,
		     chip->transmit ? MSCAN_TXE & ~chip->free : 0);
}

const struct bare_ops bare_mscan_ops = {
	.start = bare_mscan_start,
	.stop = bare_mscan_stop,
	.pending = bare_mscan_pending,
	.take = bare_mscan_take,
	.room = bare_mscan_room,
	.put = bare_mscan_put,
	.interrupts = bare_mscan_interrupts,
};
