// SPDX-License-Identifier: GPL-2.0-only
/* Buses of a measurement; see testbus.h. */
#include <stdio.h>
#include <unistd.h>

#include "driver.h"
#include "link.h"
#include "schedule.h"
#include "testbus.h"

static void make_recorder(struct testbus *tb, uint64_t room, const struct settings *set)
{
	bus_node(tb->name, "recorder", "bus", tb->recorder);
	bus_set_number(tb->name, tb->recorder, "bitrate", set->bitrate);
	tb->recorded = room < BUS_RECORDED ? room : BUS_RECORDED;
	bus_set_number(tb->name, tb->recorder, "frames", tb->recorded);
}

static void make_trigger(const struct testbus *tb, const struct testbus *triggers,
			 const struct settings *set)
{
	char trigger[BUS_NODE_NAME];

	bus_node(tb->name, "trigger", "next", trigger);
	bus_set_number(tb->name, trigger, "bitrate", set->bitrate);
	bus_connect(tb->name, trigger, triggers->name, triggers->generator);
}

void testbus_make(struct testbus *tb, const char *chip, unsigned int number, uint64_t room,
		  const struct testbus *triggers, const struct settings *set)
{
	/* The pid keeps the names of concurrent instances apart. */
	snprintf(tb->name, sizeof(tb->name), "canbench-load-%d-%u", getpid(), number);
	snprintf(tb->ifname, sizeof(tb->ifname), "cbl%dx%u", getpid(), number);
	bus_make(tb->name);
	bus_node(tb->name, "generator", "load", tb->generator);
	bus_node(tb->name, chip, tb->ifname, tb->chip);
	bus_set_number(tb->name, tb->generator, "bitrate", set->bitrate);
	if (room)
		make_recorder(tb, room, set);
	if (triggers)
		make_trigger(tb, triggers, set);
	bus_live(tb->name);
	link_up(tb->ifname, set->bitrate);
	if (set->napi_priority)
		tb->napi_threads = driver_napi_thread(tb->ifname, set->napi_priority);
	if (set->irq_priority)
		tb->irq_threads = driver_irq_thread(tb->ifname, set->irq_priority);
	if (set->rx_priority)
		tb->rx_threads = driver_rx_thread(tb->ifname, set->rx_priority);
	if (set->rx_cpu != SETTINGS_DEFAULT_CPU)
		tb->rx_threads = driver_rx_bind(tb->ifname, set->rx_cpu);
	if (set->flush_timeout)
		driver_defer(tb->ifname, set->flush_timeout);
}

static const char *id_mode(const struct settings *set)
{
	if (set->id == SETTINGS_RANDOM_ID)
		return "random";
	return schedule_by_id(set->dlc) ? "increment" : "fixed";
}

void testbus_pattern(const struct testbus *tb, int id, const struct settings *set)
{
	char text[8];

	snprintf(text, sizeof(text), "%03X", id == SETTINGS_RANDOM_ID ? 0 : id);
	bus_set(tb->name, tb->generator, "id", text);
	bus_set(tb->name, tb->generator, "id_mode", id_mode(set));
	bus_set(tb->name, tb->generator, "data", set->seed ? "mixed" : "increment");
	bus_set_number(tb->name, tb->generator, "dlc", set->dlc);
	bus_set_number(tb->name, tb->generator, "burst", set->burst);
	bus_set_number(tb->name, tb->generator, "triggered", set->one);
	if (!set->seed)
		return;
	bus_set_number(tb->name, tb->generator, "seed", set->seed);
	bus_set_number(tb->name, tb->generator, "jitter_ns", set->jitter);
}

void testbus_start(const struct testbus *tb, uint64_t count, const struct settings *set)
{
	/* a search changes the period */
	bus_set_number(tb->name, tb->generator, "period_ns", set->period);
	bus_set_number(tb->name, tb->generator, "count", count);
	bus_set(tb->name, tb->generator, "run", "1");
}
