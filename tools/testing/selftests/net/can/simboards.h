/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For test programs on simulated boards: the kinds of boards that drivers have separate
 * code for, and traffic in both directions on each of them.
 */
#ifndef SIMBOARDS_H
#define SIMBOARDS_H

#include "simtest.h"

#define GEN		BUS "/generator.gen"

#define BITRATE		125000

/* A frame of eight bytes takes about a millisecond. */
#define PERIOD_NS	3000000

#define FRAMES		100
#define OWN_FRAMES	50

#define OWN_ID		0x300
#define OTHER_ID	0x200

#define LONG_TEST	600

/* A variant of a fixture: a controller with these attributes */
#define SIM_BOARD(fixture, kind, name, attributes) \
	FIXTURE_VARIANT_ADD(fixture, kind##_##name) { #kind, attributes }

/* A variant of a fixture for each board with an MCP251x */
#define SIM_MCP251X_BOARDS(fixture) \
	FIXTURE_VARIANT(fixture) { const char *kind, *attributes; }; \
	SIM_BOARD(fixture, mcp2515, edge, "irq_edge=1"); \
	SIM_BOARD(fixture, mcp2515, readable, "irq_unreadable=0"); \
	SIM_BOARD(fixture, mcp2515, edge_readable, "irq_edge=1 irq_unreadable=0"); \
	SIM_BOARD(fixture, mcp2515, half_duplex, "half_duplex=1"); \
	SIM_BOARD(fixture, mcp2515, no_cs_change, "cs_change=0"); \
	SIM_BOARD(fixture, mcp2515, half_duplex_no_cs_change, \
		  "half_duplex=1 cs_change=0"); \
	SIM_BOARD(fixture, mcp2515, spi_mux, "spi_mux=1"); \
	SIM_BOARD(fixture, mcp2515, gpio, "gpio=1"); \
	SIM_BOARD(fixture, mcp2510, edge, "irq_edge=1"); \
	SIM_BOARD(fixture, mcp2510, half_duplex, "half_duplex=1")

/**
 * sim_open_board() - start a fixture: a live bus with a controller and the generator GEN
 * @_metadata: of the case, which is skipped as by sim_open_chip()
 * @kind: of the controller, whose interface CHIP_IF is brought up
 * @attributes: of the controller, as for sim_set_all()
 * @path: set to the path of the controller
 *
 * SIM_TEARDOWN() removes the bus. A case may close the socket, and open another one with
 * sim_open_up(). Otherwise the end of its process closes it.
 *
 * Return: a socket of CHIP_IF, or -1 if the case is skipped.
 */
static inline int sim_open_board(struct __test_metadata *_metadata, const char *kind,
				 const char *attributes, char path[64])
{
	if (!sim_open_chip(_metadata, "generator.gen", kind, path))
		return -1;
	ASSERT_EQ(0, sim_set_all(path, "%s", attributes));
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%d id=%03X data=increment dlc=8",
				 BITRATE, OTHER_ID));
	/* SPI takes longer than a frame on a slow CPU */
	if (!sim_clock_counts())
		ASSERT_EQ(0, sim_slow_down(BUS));
	ASSERT_EQ(0, sim_live(BUS, true));
	return CT_OK(sim_open_up(CHIP_IF, BITRATE));
}

/** sim_board_generate() - start a run of GEN, with @count 0 without end */
static inline int sim_board_generate(int count)
{
	return sim_set_all(GEN, "count=%d period_ns=%d", count, PERIOD_NS) ?:
	       sim_run(GEN, true);
}

/**
 * sim_board_exchange() - frames in both directions, of which none is lost
 * @_metadata: of the case
 * @path: of the controller
 * @fd: socket of its interface
 * @frames: number of frames of GEN. Those that the chip counts as overruns may be lost,
 *	but if the clock counts instructions, there must be none.
 * @own: number of frames that are sent on @fd meanwhile
 */
static inline void sim_board_exchange(struct __test_metadata *_metadata,
				      const char *path, int fd, int frames, int own)
{
	int overruns = sim_number(path, "overruns"), echoes = 0, got;

	ASSERT_EQ(0, sim_board_generate(frames));
	ASSERT_EQ(0, sim_send_own(fd, OWN_ID, own));
	got = sim_receive_run(fd, OWN_ID, &echoes);
	overruns = sim_number(path, "overruns") - overruns;
	EXPECT_EQ(frames - overruns, got);
	EXPECT_EQ(own, echoes);
	if (sim_clock_counts())
		EXPECT_EQ(0, overruns);
}

#endif /* SIMBOARDS_H */
