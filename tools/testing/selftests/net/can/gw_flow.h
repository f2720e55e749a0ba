/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames that pass the gateway while its rules change: each of them has to be routed
 * once by each rule of one version of the rules.
 *
 * Frames have numbers. Rules mark them, in the identifier and in the data. The mark
 * of a received frame and its interface identify the rule that has routed it. Each
 * frame arrives in several copies, by rules of the same version.
 */
#ifndef GW_FLOW_H
#define GW_FLOW_H

#include <stdint.h>

#include "gwnl.h"

#define GW_FLOW_SOURCES		2
#define GW_FLOW_MARKS		32

/* frames of the first source; those of the next one are GW_FLOW_STEP above */
#define GW_FLOW_ID		0x400
#define GW_FLOW_STEP		0x100

/**
 * struct gw_flow - frames and their destinations
 * @source: indexes of the interfaces that frames are sent on
 * @sources: their number
 * @copies: number of rules that route a frame
 * @destination: index of the interface where frames with a mark arrive. Marks
 *	begin with 1; the marks 1 to @copies belong to one version, and so on
 * @sent: frames that were sent on each source
 * @changes: number of changes of the rules
 * @error: a number to print with a failure
 * @tx: sockets of the sources
 * @rx: socket on all interfaces
 */
struct gw_flow {
	int source[GW_FLOW_SOURCES];
	int sources;
	int copies;
	int destination[GW_FLOW_MARKS];
	uint32_t sent;
	unsigned int changes;
	int error;
	int tx[GW_FLOW_SOURCES];
	int rx;
};

/**
 * gw_flow_open() - open the sockets
 * @flow: with sources, copies and destinations
 *
 * The caller stays on one CPU from now on.
 *
 * Return: 0, or a negative errno value.
 */
int gw_flow_open(struct gw_flow *flow);

/** gw_flow_close() - close the sockets */
void gw_flow_close(const struct gw_flow *flow);

/** gw_flow_rule() - a rule that sets @mark in all frames of source number @source */
struct gwnl_rule gw_flow_rule(const struct gw_flow *flow, int source,
			      unsigned int mark);

/**
 * gw_flow_run() - send frames while rules change
 * @flow: after gw_flow_open()
 * @frames: number to send on each source, at least
 * @changes: number to make, at least
 * @change: makes one change, in a thread of its own in the same namespace; it
 *	returns 0 or a negative errno value
 * @data: for @change
 *
 * Return: NULL, or the text of a failure, with gw_flow.error.
 */
const char *gw_flow_run(struct gw_flow *flow, unsigned int frames,
			unsigned int changes,
			int (*change)(unsigned int number, void *data),
			void *data);

#endif /* GW_FLOW_H */
