// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pace of simulated buses: see pace.h.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "pace.h"

/* Simulation and interrupt handlers may take all of a CPU for so long. Then
 * buses rest, so that others get at least an eighth of this time. The kernel
 * reports a CPU without progress after seconds. A simulated Ethernet card takes no
 * part in this: what it leaves of a CPU may be less.
 */
#define BUDGET_NS (20 * NSEC_PER_MSEC)
#define REST_PART 8

/**
 * can_sim_pace_init() - set the time of a bus to CLOCK_MONOTONIC
 * @pace: of the bus
 * @slowdown: real ns for each ns on the bus, at least 1
 * @real: the present time, ns of CLOCK_MONOTONIC
 *
 * Context: any.
 */
void can_sim_pace_init(struct can_sim_pace *pace, u32 slowdown, u64 real)
{
	pace->slowdown = slowdown;
	pace->real = real;
	pace->bus = real;
	pace->skipped = 0;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_pace_init);

/**
 * can_sim_pace_bus_time() - convert a time to that of a bus
 * @pace: of the bus
 * @real: ns of CLOCK_MONOTONIC
 *
 * Context: any, under the lock of the bus.
 * Return: the time of the bus; that of the last skip if @real is earlier.
 */
u64 can_sim_pace_bus_time(const struct can_sim_pace *pace, u64 real)
{
	u64 passed;

	if (real <= pace->real)
		return pace->bus;
	passed = real - pace->real;
	if (pace->slowdown > 1)
		passed = div_u64(passed, pace->slowdown);
	return pace->bus + passed;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_pace_bus_time);

/**
 * can_sim_pace_real_time() - convert a time of a bus to CLOCK_MONOTONIC
 * @pace: of the bus
 * @bus: time of the bus, less than 2^63 / slowdown ns from now
 *
 * Context: any, under the lock of the bus.
 * Return: the first ns at which can_sim_pace_bus_time() returns @bus; the time
 *	of the last skip if @bus is earlier.
 */
u64 can_sim_pace_real_time(const struct can_sim_pace *pace, u64 bus)
{
	if (bus <= pace->bus)
		return pace->real;
	return pace->real + (bus - pace->bus) * pace->slowdown;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_pace_real_time);

/**
 * can_sim_pace_skip() - let the time of a bus stand still
 * @pace: of the bus
 * @bus: the time that the bus has reached
 * @real: it goes on from @bus at this time, ns of CLOCK_MONOTONIC
 *
 * Context: any, under the lock of the bus.
 */
void can_sim_pace_skip(struct can_sim_pace *pace, u64 bus, u64 real)
{
	u64 due = can_sim_pace_bus_time(pace, real);

	if (due <= bus)
		return;
	pace->skipped += due - bus;
	pace->real = real;
	pace->bus = bus;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_pace_skip);

/**
 * can_sim_budget_use() - account for CPU time
 * @budget: of this CPU
 * @from: begin of the use, ns of CLOCK_MONOTONIC
 * @to: its end, the present time
 *
 * Context: hardirq.
 * Return: time until which buses should not use this CPU again, or 0 if they
 *	need not rest.
 */
u64 can_sim_budget_use(struct can_sim_budget *budget, u64 from, u64 to)
{
	budget->used += to - from;
	if (budget->used >= BUDGET_NS) {
		budget->begin += budget->used + budget->used / REST_PART;
		budget->begin = max(budget->begin, to);
		budget->used = 0;
	}
	return budget->begin > to ? budget->begin : 0;
}
EXPORT_SYMBOL_IF_KUNIT(can_sim_budget_use);
