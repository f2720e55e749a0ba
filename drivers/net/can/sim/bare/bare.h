/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The registers of controllers, as far as copying frames needs them. All
 * functions but start() are called with interrupts off and the lock of bare.c
 * held; start() with the RTNL, before interrupts come.
 */
#ifndef _CAN_SIM_BARE_H
#define _CAN_SIM_BARE_H

#include <linux/can.h>
#include <linux/types.h>

struct net_device;
struct bare_chip;

/**
 * struct bare_ops - a kind of controllers
 * @start: take part in the traffic of the bus, with receive interrupts only.
 *	Returns 0 or a negative errno.
 * @stop: do not take part in it
 * @acknowledge: clear the cause of an interrupt, if it lasts otherwise; or NULL
 * @pending: a frame has been received
 * @take: get the oldest received frame, and free its buffer
 * @room: a frame can be put
 * @put: send a frame, behind those that were put before
 * @interrupts: turn interrupts on and off as in @receive and @transmit of the
 *	chip; transmit interrupts are those of buffers which were full when
 *	@room looked
 */
struct bare_ops {
	int (*start)(struct bare_chip *chip);
	void (*stop)(struct bare_chip *chip);
	void (*acknowledge)(struct bare_chip *chip);
	bool (*pending)(struct bare_chip *chip);
	void (*take)(struct bare_chip *chip, struct can_frame *cf);
	bool (*room)(struct bare_chip *chip);
	void (*put)(struct bare_chip *chip, const struct can_frame *cf);
	void (*interrupts)(struct bare_chip *chip);
};

/**
 * struct bare_chip - a controller
 * @dev: its network interface, which is down
 * @ops: of its kind
 * @to: controller that sends what this one receives, or NULL
 * @receive: interrupt when there is a frame
 * @transmit: interrupt when there is room
 * @free: MSCAN: buffers that were empty when @room looked
 * @sequence: MSCAN: rank of the next frame
 */
struct bare_chip {
	struct net_device *dev;
	const struct bare_ops *ops;
	struct bare_chip *to;
	bool receive;
	bool transmit;
	u8 free;
	u8 sequence;
};

extern const struct bare_ops bare_sja1000_ops;
extern const struct bare_ops bare_mscan_ops;

#endif /* !_CAN_SIM_BARE_H */
