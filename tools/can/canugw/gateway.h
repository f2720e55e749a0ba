/* SPDX-License-Identifier: GPL-2.0-only */
/* A gateway: two interfaces and one or two directions between them. */
#ifndef CANUGW_GATEWAY_H
#define CANUGW_GATEWAY_H

#include "forward.h"
#include "port.h"
#include "settings.h"

/**
 * struct gateway - all of it
 * @port: IN and OUT
 * @direction: from IN to OUT, and with --both from OUT to IN
 * @directions: how many of these
 * @complete: ended as it was asked to end, not by a signal or an error before that
 */
struct gateway {
	struct port port[2];
	struct direction direction[2];
	unsigned int directions;
	_Atomic int64_t quota;
	bool complete;
};

/* gateway_open() - open interfaces and sides; exits when the system refuses. */
void gateway_open(struct gateway *gw, const struct settings *set);

/* gateway_run() - say that it is ready, and forward until the end. */
void gateway_run(struct gateway *gw, const struct settings *set);

#endif
