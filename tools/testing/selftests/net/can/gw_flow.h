/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Frames that flow through the gateway while somebody changes its rules: has
 * each of them been routed once, and by which rule?
 *
 * Frames have numbers. Rules mark them, in the identifier and in the data, and
 * where a frame arrives with which mark tells the rule that has routed it.
 * Every frame is to arrive in so many copies, by rules that belong together.
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
 * struct gw_flow - frames and where they have to go
 * @source: indexes of the interfaces that frames are sent on
 * @sources: how many
 * @copies: how often a frame has to arrive
 * @destination: index of the interface where frames with a mark arrive. Marks
 *	begin with 1; the marks 1 to @copies belong together, and so on
 * @sent: frames that were sent on each source
 * @changes: how often the rules were changed
 * @error: what there is to say about a failure
 * @tx: sockets
 * @rx: socket
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

/**
 * gw_flow_rule() - a rule that marks all frames of a source
 * @flow: the frames
 * @source: number of the source
 * @mark: what the rule leaves in the frame
 *
 * Return: the rule.
 */
struct gwnl_rule gw_flow_rule(const struct gw_flow *flow, int source,
			      unsigned int mark);

/**
 * gw_flow_run() - let frames flow while rules change
 * @flow: after gw_flow_open()
 * @frames: send as many on each source, at least
 * @changes: make as many changes, at least
 * @change: makes one change, in a thread of its own in the same namespace; it
 *	returns 0 or a negative errno value
 * @data: for @change
 *
 * Return: NULL, or what has failed, with gw_flow.error.
 */
const char *gw_flow_run(struct gw_flow *flow, unsigned int frames,
			unsigned int changes,
			int (*change)(unsigned int number, void *data),
			void *data);

#endif /* GW_FLOW_H */
