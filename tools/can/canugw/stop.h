/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Request to stop the gateway. Any thread may call these.
 */
#ifndef CANUGW_STOP_H
#define CANUGW_STOP_H

#include <stdbool.h>

/* stop_request() - receive no more frames; frames already received are still sent. */
void stop_request(void);

bool stop_requested(void);

/* stop_overdue() - the stop was requested so long ago that unsent frames are given up. */
bool stop_overdue(void);

#endif
