/* SPDX-License-Identifier: GPL-2.0-only */
/* What nodes have in common that only listen, in the module cansim. */
#ifndef _CAN_SIM_LISTENER_H
#define _CAN_SIM_LISTENER_H

#include <linux/configfs.h>

#include "chip.h"

/**
 * struct can_sim_listener - a node that neither acknowledges nor disturbs
 * @chip: the node
 * @bitrate: bit/s
 * @complete: a complete frame was on the bus. Called with the lock of the bus.
 */
struct can_sim_listener {
	struct can_sim_chip chip;
	u32 bitrate;
	void (*complete)(struct can_sim_listener *listener,
			 const struct can_sim_frame *frame);
};

static inline struct can_sim_listener *
to_can_sim_listener(struct config_item *item)
{
	return container_of(to_can_sim_chip(item), struct can_sim_listener,
			    chip);
}

/* bitrate: bit/s, 10000 to 1000000 */
extern struct configfs_attribute can_sim_listener_attr_bitrate;

void can_sim_listener_init(struct can_sim_listener *listener);
void can_sim_listener_up(struct can_sim_listener *listener);
void can_sim_listener_down(struct can_sim_listener *listener);

#endif /* !_CAN_SIM_LISTENER_H */
