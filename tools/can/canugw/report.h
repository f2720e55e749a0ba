/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of the counters. Main thread, after the other threads have ended. */
#ifndef CANUGW_REPORT_H
#define CANUGW_REPORT_H

#include "cli.h"
#include "gateway.h"
#include "settings.h"

/* report_print() - print the counters as text or JSON. Returns the exit status. */
enum cli_status report_print(struct gateway *gw, const struct settings *set);

#endif
