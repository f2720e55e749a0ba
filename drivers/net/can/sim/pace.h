/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The pace of a simulated bus: how its time follows CLOCK_MONOTONIC, and how
 * much of a CPU simulation may take.
 *
 * A bus whose events cost more CPU time than there is cannot keep up with real
 * time. It does not try to: the time that it cannot simulate is skipped and
 * counted, and its nodes see a bus on which nothing happened for that long.
 *
 * Contexts and locks: the lock of a bus protects its pace. A budget belongs to
 * a CPU, and is used in hardirq context only.
 */
#ifndef _CAN_SIM_PACE_H
#define _CAN_SIM_PACE_H

#include <linux/types.h>

/**
 * struct can_sim_pace - relation of the time of a bus to CLOCK_MONOTONIC
 * @slowdown: real ns for each ns on the bus, at least 1
 * @real: a time of CLOCK_MONOTONIC
 * @bus: the time of the bus at @real; later times are computed from this pair
 * @skipped: time of the bus that was not simulated, in ns
 *
 * With a slowdown of 1, and if nothing was skipped, both times are equal.
 */
struct can_sim_pace {
	u32 slowdown;
	u64 real;
	u64 bus;
	u64 skipped;
};

void can_sim_pace_init(struct can_sim_pace *pace, u32 slowdown, u64 real);
u64 can_sim_pace_bus_time(const struct can_sim_pace *pace, u64 real);
u64 can_sim_pace_real_time(const struct can_sim_pace *pace, u64 bus);
void can_sim_pace_skip(struct can_sim_pace *pace, u64 bus, u64 real);

/**
 * struct can_sim_budget - CPU time that simulation takes on a CPU
 * @begin: of the period in which time is added up, ns of CLOCK_MONOTONIC. If it
 *	is in the future, buses rest until then.
 * @used: in this period, in ns
 */
struct can_sim_budget {
	u64 begin;
	u64 used;
};

u64 can_sim_budget_use(struct can_sim_budget *budget, u64 from, u64 to);

#endif /* !_CAN_SIM_PACE_H */
