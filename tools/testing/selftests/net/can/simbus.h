/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated CAN buses for selftests: functions for their configfs directories and their
 * interfaces.
 *
 * Paths are relative to the directory of cansim in configfs: "BUS", "BUS/KIND.NAME".
 * Interfaces appear in the first network namespace, so tests that use them stay in it.
 * Functions return 0 or a positive result, or a negative errno value, and do not assert.
 *
 * A test compares times that a bus has recorded, and does not measure with another
 * clock. So a slow VM only makes a difference if a chip overruns because the CPU is
 * late, see sim_clock_counts().
 */
#ifndef SIMBUS_H
#define SIMBUS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/can.h>
#include <linux/can/netlink.h>
#include <linux/if_link.h>

#include "kselftest.h"

/* Buses that a program may have at a time */
#define SIM_BUSES	64

/* Frames that a bus records */
#define SIM_RECORDS	32

/* Bits between two frames */
#define SIM_INTERMISSION	3

/* At least the bits of the longest frame */
#define SIM_MOST_BITS	176

/**
 * struct sim_chip - a controller for tests
 * @kind: KIND of its node
 * @fifo: number of frames with eight bytes of data that its receive FIFO holds
 * @spi: it is behind SPI
 * @finishes: a frame that was not sent before bus off is sent after the recovery,
 *	although the driver has put the chip to sleep
 * @counters: the driver reports the error counters
 * @bus_errors: the driver reports each bus error (berr-reporting)
 * @lost_arbitration: the driver reports each loss of arbitration
 * @one_shot: the driver supports one-shot mode
 * @presume_ack: the driver supports sending without acknowledgment
 */
struct sim_chip {
	const char *kind;
	int fifo;
	bool spi;
	bool finishes;
	bool counters;
	bool bus_errors;
	bool lost_arbitration;
	bool one_shot;
	bool presume_ack;
};

extern const struct sim_chip sim_sja1000, sim_mpc5200, sim_mpc5121, sim_mcp2515,
			     sim_mcp2510;

/* A variant of a fixture for each controller, in variant->chip */
#define SIM_CHIP_VARIANTS(fixture) \
	FIXTURE_VARIANT(fixture) { const struct sim_chip *chip; }; \
	FIXTURE_VARIANT_ADD(fixture, sja1000) { .chip = &sim_sja1000 }; \
	FIXTURE_VARIANT_ADD(fixture, mpc5200) { .chip = &sim_mpc5200 }; \
	FIXTURE_VARIANT_ADD(fixture, mpc5121) { .chip = &sim_mpc5121 }; \
	FIXTURE_VARIANT_ADD(fixture, mcp2515) { .chip = &sim_mcp2515 }; \
	FIXTURE_VARIANT_ADD(fixture, mcp2510) { .chip = &sim_mcp2510 }

/**
 * struct sim_record - a frame that was on a bus
 * @start: time of its first bit in ns
 * @bits: from SOF to the end of EOF, or of the error frame
 * @outcome: "ok", or the type of error
 * @frame: that was sent
 */
struct sim_record {
	int64_t start;
	unsigned int bits;
	char outcome[8];
	struct can_frame frame;
};

/**
 * sim_open() - load the module, and mount configfs if necessary
 *
 * Removes buses of earlier tests of this program that have crashed or were killed. Buses
 * of other programs stay. Locks the memory of the process: while a bus goes on, a page
 * fault would wait for a file of the host, and give way to others.
 *
 * Return: 0, -ENOENT if this kernel has no cansim, or -EPERM or -ENOMEM.
 */
int sim_open(void);

/**
 * sim_bus_add() - make a bus that is not live
 * @bus: its name
 *
 * Return: 0, -EEXIST if there is one of that name, or another negative errno value.
 */
int sim_bus_add(const char *bus);

/**
 * sim_node_add() - make a node
 * @bus: on this bus
 * @node: KIND.NAME
 *
 * Return: 0, or -ENODEV if this kernel does not know the kind.
 */
int sim_node_add(const char *bus, const char *node);

/**
 * sim_bus_make() - make a bus and its nodes
 * @bus: its name
 * @nodes: KIND.NAME of each, separated by spaces
 *
 * The bus is not live yet.
 *
 * Return: as sim_node_add().
 */
int sim_bus_make(const char *bus, const char *nodes);

/**
 * sim_controller_make() - make a bus with the generator "gen" and a controller
 * @bus: its name
 * @kind: of the controller
 * @name: of the controller and its interface
 * @path: set to the path of the controller
 *
 * The bus is not live yet.
 *
 * Return: as sim_node_add().
 */
int sim_controller_make(const char *bus, const char *kind, const char *name,
			char path[64]);

/**
 * sim_settle() - wait until all nodes that were switched on take part
 *
 * Long enough for bit rates of 10 kbit/s and more.
 */
void sim_settle(void);

/**
 * sim_live() - make a bus live, or end that
 * @bus: its name
 * @live: make it live
 *
 * Interfaces get the names of their nodes; if the driver has chosen another name, the
 * interface is renamed. Returns when the generators take part.
 *
 * Return: 0; -EEXIST if the name of an interface is taken; or another negative errno
 * value. After an error the bus is not live.
 */
int sim_live(const char *bus, bool live);

/** sim_remove() - remove a bus or a node by its path */
int sim_remove(const char *path);

/**
 * sim_connect() - let a trigger start the bursts of a node
 * @trigger: path of the trigger, whose bus is not live
 * @node: path of the node, a generator
 *
 * Return: 0 or a negative errno value.
 */
int sim_connect(const char *trigger, const char *node);

/** sim_disconnect() - undo sim_connect() */
int sim_disconnect(const char *trigger);

/** sim_close() - remove the buses that this program has made, also live ones */
void sim_close(void);

/** sim_write() - write a text to an existing file; 0 or a negative errno value */
int sim_write(const char *file, const char *text);

/**
 * sim_set() - write an attribute
 * @path: of a bus or a node
 * @attribute: its name
 * @value: its new value
 *
 * Return: 0 or a negative errno value.
 */
int sim_set(const char *path, const char *attribute, const char *value);

/**
 * sim_set_all() - write several attributes of a bus or a node
 * @path: of the bus or node
 * @format: as of printf(), for ATTRIBUTE=VALUE of each, separated by spaces
 *
 * Return: 0, or the error of the first attribute that was refused.
 */
__printf(2, 3)
int sim_set_all(const char *path, const char *format, ...);

/**
 * sim_get() - read an attribute
 * @path: of a bus or a node
 * @attribute: its name
 * @value: set to its text, without the newline at its end
 * @size: of @value
 *
 * Return: length of the text, or a negative errno value.
 */
int sim_get(const char *path, const char *attribute, char *value, size_t size);

/** sim_is() - has an attribute this value? */
bool sim_is(const char *path, const char *attribute, const char *value);

/** sim_number() - read an attribute that is a number; -EBADMSG if it is not */
int64_t sim_number(const char *path, const char *attribute);

/**
 * sim_interrupts() - number of interrupts of a controller on all CPUs
 * @path: of the controller
 *
 * Return: the number, or a negative errno value.
 */
int64_t sim_interrupts(const char *path);

/**
 * sim_irq_thread() - find a thread that handles the interrupt of a controller
 * @path: of the controller
 * @name: how the name begins with which the interrupt was requested
 *
 * Return: its ID, or -ENOENT.
 */
int sim_irq_thread(const char *path, const char *name);

/**
 * sim_await() - wait until an attribute that is a number has a value
 * @path: of a bus or a node
 * @attribute: its name
 * @value: to wait for
 *
 * Return: 0, or -ETIMEDOUT after CT_TIMEOUT_MS.
 */
int sim_await(const char *path, const char *attribute, int64_t value);

/** sim_await_above() - the same until the number is above a value */
int sim_await_above(const char *path, const char *attribute, int64_t value);

/**
 * sim_generate() - start a run of a generator, and wait for its end
 * @path: of the generator
 * @format: as for sim_set_all(), with count
 *
 * Return: 0, an error of sim_set_all(), or -ETIMEDOUT.
 */
__printf(2, 3)
int sim_generate(const char *path, const char *format, ...);

/** sim_run() - start a run of a generator, or stop it */
int sim_run(const char *path, bool run);

/**
 * sim_records() - the last frames of a bus, oldest first
 * @bus: its name
 * @records: array of SIM_RECORDS entries
 *
 * Return: number of records, or a negative errno value.
 */
int sim_records(const char *bus, struct sim_record *records);

/**
 * sim_link_up() - set an interface up, and wait until it takes part
 * @name: of the interface
 * @bitrate: in bit/s
 * @options: as "ip link set ... type can" takes them, or ""
 *
 * Return: 0 or a negative errno value, -EIO if ip refuses options.
 */
int sim_link_up(const char *name, unsigned int bitrate, const char *options);

/**
 * sim_link_set() - change an interface
 * @name: of the interface
 * @what: as "ip link set NAME" takes it
 *
 * Return: 0 or -EIO if ip refuses.
 */
int sim_link_set(const char *name, const char *what);

/** sim_link_down() - set an interface down */
int sim_link_down(const char *name);

/**
 * sim_link_move() - move the interface of a controller to another network namespace
 * @path: of the controller
 * @netns: descriptor of the namespace
 * @name: of the interface there
 * @ifindex: of the interface there
 *
 * The caller is in the first namespace, where the interface is, which is down.
 *
 * Return: 0 or a negative errno value.
 */
int sim_link_move(const char *path, int netns, const char *name, int ifindex);

/**
 * sim_spi_device() - the SPI device of an interface
 * @name: of the interface, in the first namespace
 * @device: set to the name of the device, or to an empty string
 */
void sim_spi_device(const char *name, char device[NAME_MAX]);

/** sim_spi_driver() - "bind" a device to the driver mcp251x, or "unbind" it */
int sim_spi_driver(const char *what, const char *device);

/**
 * sim_link_flags() - the private flags of a driver
 * @name: of the interface
 *
 * Return: the flags, or a negative errno value.
 */
int sim_link_flags(const char *name);

/** sim_link_set_flags() - set the private flags of a driver */
int sim_link_set_flags(const char *name, unsigned int flags);

/**
 * sim_link_ethtool() - a command of ethtool
 * @name: of the interface
 * @command: a struct of linux/ethtool.h
 *
 * Return: result of the ioctl, or a negative errno value.
 */
int sim_link_ethtool(const char *name, void *command);

/** sim_link_restart() - restart an interface after bus off, and wait for the carrier */
int sim_link_restart(const char *name);

/**
 * struct sim_link - state of a CAN interface
 * @state: enum can_state
 * @carrier: the operational state is up. The kernel updates it some time after bus off
 *	or a restart; a frame that is sent before is lost.
 * @clock: frequency of the bit timing logic in Hz
 * @timing: bit timing
 * @errors: error counters, zero if the driver does not report them
 * @events: counters of errors and state changes
 * @stats: counters of frames
 */
struct sim_link {
	uint32_t state;
	bool carrier;
	uint32_t clock;
	struct can_bittiming timing;
	struct can_berr_counter errors;
	struct can_device_stats events;
	struct rtnl_link_stats64 stats;
};

/** sim_link_get() - read the state of a CAN interface; -ENODEV without it */
int sim_link_get(const char *name, struct sim_link *link);

/** sim_link_state() - the enum can_state of an interface */
int sim_link_state(const char *name);

/** sim_link_await() - wait until an interface is in a state; 0 or -ETIMEDOUT */
int sim_link_await(const char *name, enum can_state state);

/** sim_link_await_carrier() - wait until it can send after bus off; 0 or -ETIMEDOUT */
int sim_link_await_carrier(const char *name);

/** sim_link_ns() - duration of bits with the bit timing of an interface */
int64_t sim_link_ns(const struct sim_link *link, unsigned int bits);

/** sim_ns() - duration of bits at a bit rate that divides the clock */
int64_t sim_ns(unsigned int bitrate, unsigned int bits);

/**
 * sim_socket() - open a CAN_RAW socket with a large receive buffer
 * @name: of the interface
 * @errors: classes of error frames that it receives
 * @own: also receive its own frames, when they were sent
 *
 * Return: the socket or a negative errno value.
 */
int sim_socket(const char *name, can_err_mask_t errors, bool own);

/**
 * sim_open_up() - bring an interface up with a long queue, and open a socket on it
 * @name: of the interface
 * @bitrate: in bit/s
 *
 * Return: the socket, which also receives its own frames, or a negative errno value.
 */
int sim_open_up(const char *name, int bitrate);

/** sim_send_own() - write @count frames with @id, numbered from 0 in the first byte */
int sim_send_own(int fd, canid_t id, int count);

/**
 * sim_receive_run() - receive numbered frames of a generator until no more arrive
 * @fd: socket of sim_open_up()
 * @own_id: identifier of frames of sim_send_own(); all others are of the generator
 * @echoes: number of the next frame of sim_send_own(), counted up
 *
 * Unless the clock counts instructions, the driver may be two frames late. Then it
 * cannot tell the order of two receive buffers, so that frames of the generator may
 * come in any order.
 *
 * Return: number of frames of the generator, or -EBADMSG for a frame out of order.
 */
int sim_receive_run(int fd, canid_t own_id, int *echoes);

/**
 * sim_clock_counts() - does the clock of this VM count instructions?
 *
 * In such a VM (QEMU's icount) time does not depend on the host, so a chip overruns only
 * if the simulated CPU is too slow. Whoever runs the tests there sets the environment
 * variable SIM_CLOCK_COUNTS=1.
 *
 * Return: true if it does.
 */
bool sim_clock_counts(void);

/**
 * sim_slow_down() - slow down a busy bus
 * @bus: its name; it is not live
 *
 * A test chooses a bit rate at which the drivers keep up on a simulated CPU with an
 * ordinary kernel. With KASAN that CPU is too slow: the thread of an MCP2515 that does
 * not keep up blocks all other tasks, also those that return freed memory. There the
 * environment variable SIM_SLOWDOWN says how many times slower than real time a bus is.
 *
 * Return: 0, also without this variable, or a negative errno value.
 */
int sim_slow_down(const char *bus);

/**
 * struct sim_wire - a frame on the bus, from SOF to the end of EOF
 * @count: number of bits
 * @level: of each bit, '0' for dominant
 * @field: of each bit, a stuff bit belongs to that of the bit before: S SOF, I
 *	base identifier, R RTR or SRR bit, X IDE bit, E identifier extension, T RTR
 *	bit of an extended frame, 1 and 0 reserved bits, L data length code, D
 *	data, C checksum, c its delimiter, A ACK slot, a its delimiter, F end of
 *	frame
 * @stuff: each bit is a stuff bit
 */
struct sim_wire {
	unsigned int count;
	char level[SIM_MOST_BITS];
	char field[SIM_MOST_BITS];
	bool stuff[SIM_MOST_BITS];
};

/**
 * sim_wire() - compute all bits of a frame
 * @frame: any
 * @wire: filled in
 *
 * Bit by bit and with stuff bits, independently of the kernel.
 */
void sim_wire(const struct can_frame *frame, struct sim_wire *wire);

/** sim_wire_bits() - bits of a frame on the bus, from SOF to the end of EOF */
unsigned int sim_wire_bits(const struct can_frame *frame);

/**
 * sim_wire_find() - find a bit of a frame by its field
 * @wire: the frame
 * @field: as in struct sim_wire
 * @number: of the bit in its field, from 0 on, stuff bits not counted
 *
 * Return: number of the bit in the frame, or -ENOENT.
 */
int sim_wire_find(const struct sim_wire *wire, char field, unsigned int number);

/**
 * sim_wire_compare() - which of two frames wins arbitration?
 * @a: a frame
 * @b: another one
 * @bit: set to the first different bit of the arbitration field, where 0 is the first
 *	of the identifier and stuff bits are not counted
 *
 * Return: negative if @a wins, positive if @b wins, 0 if they do not differ.
 */
int sim_wire_compare(const struct can_frame *a, const struct can_frame *b,
		     unsigned int *bit);

#endif /* SIMBUS_H */
