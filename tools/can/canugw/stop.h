/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of the gateway: one request, which all threads see. Any thread may call
 * these.
 */
#ifndef CANUGW_STOP_H
#define CANUGW_STOP_H

#include <stdbool.h>

/* stop_request() - take no further frames; what was taken is still sent. */
void stop_request(void);

bool stop_requested(void);

/* stop_overdue() - was it requested so long ago that unsent frames are given up? */
bool stop_overdue(void);

#endif
