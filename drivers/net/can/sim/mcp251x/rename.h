/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names for network interfaces that somebody else has registered.
 */
#ifndef _CAN_SIM_RENAME_H
#define _CAN_SIM_RENAME_H

struct net_device;

int can_sim_rename(struct net_device *dev, const char *name);

#endif /* !_CAN_SIM_RENAME_H */
