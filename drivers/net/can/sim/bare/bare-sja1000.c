// SPDX-License-Identifier: GPL-2.0-only
/* Registers of the SJA1000 (data sheet, section 6.4), see bare.h. */
#include <linux/can/dev.h>
#include <linux/netdevice.h>

#include "../../sja1000/sja1000.h"
#include "bare.h"

static u8 bare_sja1000_read(const struct bare_chip *chip, int reg)
{
	const struct sja1000_priv *priv = netdev_priv(chip->dev);

	return priv->read_reg(priv, reg);
}

static void bare_sja1000_write(const struct bare_chip *chip, int reg, u8 value)
{
	const struct sja1000_priv *priv = netdev_priv(chip->dev);

	priv->write_reg(priv, reg, value);
}

/* The driver has left the chip in reset mode, with its bit timing set. */
static int bare_sja1000_start(struct bare_chip *chip)
{
	bare_sja1000_write(chip, SJA1000_MOD, 0);
	if (bare_sja1000_read(chip, SJA1000_MOD) & MOD_RM)
		return -EIO;
	bare_sja1000_read(chip, SJA1000_IR);
	bare_sja1000_write(chip, SJA1000_IER, IRQ_RI);
	return 0;
}

static void bare_sja1000_stop(struct bare_chip *chip)
{
	bare_sja1000_write(chip, SJA1000_IER, IRQ_OFF);
	bare_sja1000_write(chip, SJA1000_MOD, MOD_RM);
}

static void bare_sja1000_acknowledge(struct bare_chip *chip)
{
	bare_sja1000_read(chip, SJA1000_IR);
}

static bool bare_sja1000_pending(struct bare_chip *chip)
{
	return bare_sja1000_read(chip, SJA1000_SR) & SR_RBS;
}

static void bare_sja1000_take(struct bare_chip *chip, struct can_frame *cf)
{
	u8 info = bare_sja1000_read(chip, SJA1000_FI);
	int i, data = SJA1000_SFF_BUF;

	cf->len = can_cc_dlc2len(info & 0xf);
	cf->can_id = bare_sja1000_read(chip, SJA1000_ID1) << 3 |
		     bare_sja1000_read(chip, SJA1000_ID2) >> 5;
	if (info & SJA1000_FI_FF) {
		data = SJA1000_EFF_BUF;
		cf->can_id = bare_sja1000_read(chip, SJA1000_ID1) << 21 |
			     bare_sja1000_read(chip, SJA1000_ID2) << 13 |
			     bare_sja1000_read(chip, SJA1000_ID3) << 5 |
			     bare_sja1000_read(chip, SJA1000_ID4) >> 3 |
			     CAN_EFF_FLAG;
	}
	if (info & SJA1000_FI_RTR)
		cf->can_id |= CAN_RTR_FLAG;
	else
		for (i = 0; i < cf->len; i++)
			cf->data[i] = bare_sja1000_read(chip, data + i);
	bare_sja1000_write(chip, SJA1000_CMR, CMD_RRB);
}

static bool bare_sja1000_room(struct bare_chip *chip)
{
	return bare_sja1000_read(chip, SJA1000_SR) & SR_TBS;
}

static void bare_sja1000_put(struct bare_chip *chip, const struct can_frame *cf)
{
	u8 info = cf->len | (cf->can_id & CAN_RTR_FLAG ? SJA1000_FI_RTR : 0);
	u32 id = cf->can_id & CAN_EFF_MASK;
	int i, data = SJA1000_SFF_BUF;

	if (cf->can_id & CAN_EFF_FLAG) {
		data = SJA1000_EFF_BUF;
		bare_sja1000_write(chip, SJA1000_FI, info | SJA1000_FI_FF);
		bare_sja1000_write(chip, SJA1000_ID1, id >> 21);
		bare_sja1000_write(chip, SJA1000_ID2, id >> 13);
		bare_sja1000_write(chip, SJA1000_ID3, id >> 5);
		bare_sja1000_write(chip, SJA1000_ID4, id << 3);
	} else {
		bare_sja1000_write(chip, SJA1000_FI, info);
		bare_sja1000_write(chip, SJA1000_ID1, id >> 3);
		bare_sja1000_write(chip, SJA1000_ID2, id << 5);
	}
	if (!(cf->can_id & CAN_RTR_FLAG))
		for (i = 0; i < cf->len; i++)
			bare_sja1000_write(chip, data + i, cf->data[i]);
	bare_sja1000_write(chip, SJA1000_CMR, CMD_TR);
}

static void bare_sja1000_interrupts(struct bare_chip *chip)
{
	bare_sja1000_write(chip, SJA1000_IER, (chip->receive ? IRQ_RI : 0) |
					      (chip->transmit ? IRQ_TI : 0));
}

const struct bare_ops bare_sja1000_ops = {
	.start = bare_sja1000_start,
	.stop = bare_sja1000_stop,
	.acknowledge = bare_sja1000_acknowledge,
	.pending = bare_sja1000_pending,
	.take = bare_sja1000_take,
	.room = bare_sja1000_room,
	.put = bare_sja1000_put,
	.interrupts = bare_sja1000_interrupts,
};
