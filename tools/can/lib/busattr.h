/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attributes of simulated buses (cansim) and their nodes, in configfs. Main thread only. All
 * errors end the program with CLI_SYSTEM and a message.
 */
#ifndef CAN_TOOLS_BUSATTR_H
#define CAN_TOOLS_BUSATTR_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

#define BUS_CONFIGFS "/sys/kernel/config"
#define BUS_ROOT BUS_CONFIGFS "/cansim"

/* Number of frames in the attribute 'recent' of a bus */
#define BUS_RECORDS 32

/* bus_read() - read the attribute @path, a string of less than BUS_TEXT bytes. */
#define BUS_TEXT 4096
void bus_read(const char *path, char text[BUS_TEXT]);

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

/**
 * struct bus_recorded - a frame in the attribute 'records' of a recorder
 * @start: time of its first bit, CLOCK_MONOTONIC in ns
 * @can_id: as in struct can_frame; @dlc: data length code
 */
struct bus_recorded {
	uint64_t start;
	uint32_t can_id;
	uint8_t dlc, reserved[3];
	uint8_t data[CAN_MAX_DLEN];
};

/* Frames that a recorder has room for, at most */
#define BUS_RECORDED (4ULL << 20)

/*
 * bus_recorded() - get the frames that a recorder has, the oldest first. Returns their number.
 * The caller frees @frames.
 */
uint64_t bus_recorded(const char *bus, const char *node, struct bus_recorded **frames);

#endif
