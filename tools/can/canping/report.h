/* SPDX-License-Identifier: GPL-2.0-only */
/* Results of canping, for people or as JSON, as the settings say. */
#ifndef CANPING_REPORT_H
#define CANPING_REPORT_H

#include "requester.h"
#include "responder.h"

void report_requester(struct requester *req);
void report_responder(const struct responder *resp);

#endif
