/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated buses of cansim, in configfs. Main thread only. All errors end the program
 * with CLI_SYSTEM and a message.
 */
#ifndef CANBENCH_LOAD_BUS_H
#define CANBENCH_LOAD_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/* Number of frames in the attribute 'recent' of a bus */
#define BUS_RECORDS 32

/* bus_need() - load the module and mount configfs if necessary. */
void bus_need(void);

/* bus_make() - create bus @bus. */
void bus_make(const char *bus);

/*
 * bus_node() - create a node on a bus; @kind is KIND[:ATTRIBUTE=VALUE...], @name the name
 * of its interface. The name of its directory, KIND.NAME, is written to @node.
 */
#define BUS_NODE_NAME 64
void bus_node(const char *bus, const char *kind, const char *name, char node[BUS_NODE_NAME]);

/* bus_live() - make it live; interfaces get the names that bus_node() was given. */
void bus_live(const char *bus);

/* bus_remove_all() - remove all buses; may be called at any time and repeatedly. */
void bus_remove_all(void);

/* bus_get(), bus_set() - attribute @name of @node, or of the bus if @node is NULL. */
uint64_t bus_get(const char *bus, const char *node, const char *name);
void bus_set(const char *bus, const char *node, const char *name, const char *value);
void bus_set_number(const char *bus, const char *node, const char *name, uint64_t value);

/**
 * struct bus_record - a frame on a bus
 * @start: time of its first bit, CLOCK_MONOTONIC in ns
 * @bits: without intermission
 * @ok: the frame was transmitted without an error
 */
struct bus_record {
	uint64_t start;
	unsigned int bits;
	bool ok;
	struct can_frame frame;
};

/* bus_recent() - get the last frames of a bus, oldest first. Returns their number. */
unsigned int bus_recent(const char *bus, struct bus_record records[BUS_RECORDS]);

#endif
