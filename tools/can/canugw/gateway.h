/* SPDX-License-Identifier: GPL-2.0-only */
/* A gateway: two interfaces and one or two directions between them. */
#ifndef CANUGW_GATEWAY_H
#define CANUGW_GATEWAY_H

#include "forward.h"
#include "port.h"
#include "settings.h"

/**
 * struct gateway - a gateway
 * @port: IN and OUT
 * @direction: from IN to OUT, and with --both from OUT to IN
 * @directions: number of directions
 * @quota: remaining number of frames to forward
 * @complete: ended by --count or --idle-timeout if given, not by a signal or an error
 */
struct gateway {
	struct port port[2];
	struct direction direction[2];
	unsigned int directions;
	_Atomic int64_t quota;
	bool complete;
};

/* gateway_open() - open interfaces and both sides of each direction; exits on error. */
void gateway_open(struct gateway *gw, const struct settings *set);

/* gateway_run() - print the ready line, and forward until the end. */
void gateway_run(struct gateway *gw, const struct settings *set);

#endif
