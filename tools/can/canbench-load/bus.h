/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated buses, as cansim has them in configfs. Main thread only. Whatever
 * cannot be done ends the program with CLI_SYSTEM and a message.
 */
#ifndef CANBENCH_LOAD_BUS_H
#define CANBENCH_LOAD_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/* Frames that a bus remembers */
#define BUS_RECORDS 32

/* bus_need() - the module is there and configfs is mounted. */
void bus_need(void);

/* bus_make() - a bus of that name. */
void bus_make(const char *bus);

/*
 * bus_node() - a node on it; @kind is KIND[:ATTRIBUTE=VALUE...], @name that of its
 * interface. The folder's name, KIND.NAME, is written to @node.
 */
#define BUS_NODE_NAME 64
void bus_node(const char *bus, const char *kind, const char *name, char node[BUS_NODE_NAME]);

void bus_live(const char *bus);

/* bus_remove_all() - what bus_make() made; may be called at any time, and twice. */
void bus_remove_all(void);

/* bus_get(), bus_set() - attribute @name of @node, or of the bus if @node is NULL. */
uint64_t bus_get(const char *bus, const char *node, const char *name);
void bus_set(const char *bus, const char *node, const char *name, const char *value);
void bus_set_number(const char *bus, const char *node, const char *name, uint64_t value);

/**
 * struct bus_record - a frame that was on a bus
 * @start: time of its first bit, CLOCK_MONOTONIC ns
 * @bits: without intermission
 * @ok: it is complete
 */
struct bus_record {
	uint64_t start;
	unsigned int bits;
	bool ok;
	struct can_frame frame;
};

/* bus_recent() - the last frames of a bus, the oldest first; returns how many. */
unsigned int bus_recent(const char *bus, struct bus_record records[BUS_RECORDS]);

#endif
