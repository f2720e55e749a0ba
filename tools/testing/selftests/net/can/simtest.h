/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For test programs on simulated buses: the start and the end of a fixture, and
 * expectations about the frames of a bus. Functions with the argument _metadata assert.
 */
#ifndef SIMTEST_H
#define SIMTEST_H

#include <errno.h>
#include <stdio.h>

#include "kselftest_harness.h"
#include "cantest.h"
#include "simbus.h"

/* The bus of a case, and the interface of the controller on it */
#define BUS		"simbus0"
#define CHIP_IF		"simif0"

/* The teardown of a fixture: removes all buses of the case. Its sockets are closed by the
 * end of its process: the harness runs each case in a process of its own.
 */
#define SIM_TEARDOWN(fixture) \
	FIXTURE_TEARDOWN(fixture) { sim_close(); }

/**
 * sim_open_bus() - start a fixture: make BUS, which is not live yet
 * @_metadata: of the case, which is skipped if this kernel has no cansim
 * @nodes: KIND.NAME of each node, separated by spaces
 *
 * SIM_TEARDOWN() removes the bus.
 *
 * Return: false if the case is skipped. Then the setup function returns at once.
 */
static inline bool sim_open_bus(struct __test_metadata *_metadata, const char *nodes)
{
	if (sim_open())
		SKIP(return false, "no cansim");
	ASSERT_EQ(0, sim_bus_make(BUS, nodes));
	return true;
}

/**
 * sim_open_chip() - start a fixture: make BUS with a controller, which is not live yet
 * @_metadata: of the case, which is skipped if this kernel has no cansim, or does not know
 *	the kind of the controller
 * @nodes: the other nodes, as for sim_open_bus()
 * @kind: of the controller, whose interface will be CHIP_IF
 * @path: set to the path of the controller
 *
 * SIM_TEARDOWN() removes the bus.
 *
 * Return: as sim_open_bus().
 */
static inline bool sim_open_chip(struct __test_metadata *_metadata, const char *nodes,
				 const char *kind, char path[64])
{
	int err;

	if (!sim_open_bus(_metadata, nodes))
		return false;
	snprintf(path, 64, BUS "/%s." CHIP_IF, kind);
	err = sim_bus_add(path);
	if (err == -ENODEV) {
		sim_close();
		SKIP(return false, "no %s", kind);
	}
	ASSERT_EQ(0, err);
	return true;
}

/**
 * sim_start() - make BUS live, bring CHIP_IF up, and open a socket on it
 * @bitrate: as for sim_link_up()
 * @options: as for sim_link_up()
 * @errors: as for sim_socket()
 * @own: as for sim_socket()
 *
 * A case may close the socket. Otherwise the end of its process does.
 *
 * Return: the socket or a negative errno value.
 */
static inline int sim_start(unsigned int bitrate, const char *options,
			    can_err_mask_t errors, bool own)
{
	return sim_live(BUS, true) ?: sim_link_up(CHIP_IF, bitrate, options) ?:
	       sim_socket(CHIP_IF, errors, own);
}

/** sim_expect_frame() - a frame was sent without an error, and has the computed length */
static inline void sim_expect_frame(struct __test_metadata *_metadata,
				    const struct sim_record *record)
{
	EXPECT_STREQ("ok", record->outcome);
	EXPECT_EQ(sim_wire_bits(&record->frame), record->bits)
		TH_LOG("frame %X with %u bytes", record->frame.can_id,
		       record->frame.len);
}

/** sim_expect_pause() - there are @bits bits between a frame and the next record */
static inline void sim_expect_pause(struct __test_metadata *_metadata,
				    const struct sim_record *record,
				    unsigned int bitrate, unsigned int bits)
{
	EXPECT_EQ(record[0].start + sim_ns(bitrate, record[0].bits + bits),
		  record[1].start);
}

/** sim_expect_no_gap() - frames have their length, and only intermissions between them */
static inline void sim_expect_no_gap(struct __test_metadata *_metadata,
				     const struct sim_record *records, int count,
				     unsigned int bitrate)
{
	int i;

	for (i = 0; i < count; i++) {
		sim_expect_frame(_metadata, &records[i]);
		if (i)
			sim_expect_pause(_metadata, &records[i - 1], bitrate,
					 SIM_INTERMISSION);
	}
}

#endif /* SIMTEST_H */
