/* SPDX-License-Identifier: GPL-2.0-only */
/* What the gateway did. Main thread, after the other threads have ended. */
#ifndef CANUGW_REPORT_H
#define CANUGW_REPORT_H

#include "cli.h"
#include "gateway.h"
#include "settings.h"

/* report_print() - counters as text or JSON; returns the exit status that they mean. */
enum cli_status report_print(struct gateway *gw, const struct settings *set);

#endif
