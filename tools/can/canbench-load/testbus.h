/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A simulated bus of a measurement, with a generator and a controller whose interface is up.
 * Main thread only. All errors end the program with CLI_SYSTEM and a message.
 */
#ifndef CANBENCH_LOAD_TESTBUS_H
#define CANBENCH_LOAD_TESTBUS_H

#include <stdbool.h>
#include <stdint.h>

#include "bus.h"
#include "settings.h"

#define TESTBUS_NAME 16

/**
 * struct testbus - a bus
 * @name: of the bus; @ifname: name of the interface
 * @chip, @generator: directories of the nodes; @recorder: the same, or empty
 * @recorded: frames that the recorder keeps
 * @napi_threads, @irq_threads, @rx_threads: such threads exist, and were set
 */
struct testbus {
	char name[2 * TESTBUS_NAME], ifname[TESTBUS_NAME];
	char chip[BUS_NODE_NAME], generator[BUS_NODE_NAME], recorder[BUS_NODE_NAME];
	uint64_t recorded;
	bool napi_threads, irq_threads, rx_threads;
};

/*
 * testbus_make() - make bus @number with the controller @chip, and bring its interface up. The last
 * @room frames are recorded, 0 for none. Frames on it trigger the generator of @triggers, or none if
 * that is NULL.
 */
void testbus_make(struct testbus *tb, const char *chip, unsigned int number, uint64_t room,
		  const struct testbus *triggers, const struct settings *set);

/* testbus_pattern() - set what the generator sends, with the identifier @id. */
void testbus_pattern(const struct testbus *tb, int id, const struct settings *set);

/* testbus_start() - start a run of @count frames. */
void testbus_start(const struct testbus *tb, uint64_t count, const struct settings *set);

#endif
