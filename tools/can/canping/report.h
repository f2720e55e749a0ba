/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of canping, for people or as JSON, as the settings say. */
#ifndef CANPING_REPORT_H
#define CANPING_REPORT_H

#include "master.h"
#include "slave.h"

void report_master(struct master *m);
void report_slave(const struct slave *sl);

#endif
