/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _CAN_SIM_SUSPEND_H
#define _CAN_SIM_SUSPEND_H

struct device;

int can_sim_suspend(struct device *dev, unsigned int ms);

#endif /* !_CAN_SIM_SUSPEND_H */
