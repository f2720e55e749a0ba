/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of the result, as text or JSON. */
#ifndef CANPING_REPORT_H
#define CANPING_REPORT_H

#include "requester.h"
#include "responder.h"

void report_requester(struct requester *req);
void report_responder(const struct responder *resp);

#endif
