/* SPDX-License-Identifier: GPL-2.0-only */
/* The CAN interfaces of the command doctor. */
#ifndef CANROUTE_DOCTOR_INTERFACE_H
#define CANROUTE_DOCTOR_INTERFACE_H

#include <stdbool.h>

#include "doctor-report.h"

/* interface_exists() - any interface, also one that is not for CAN. */
bool interface_exists(const char *name);

/*
 * doctor_interfaces() - add the section. @gateway: this host is a gateway, so short transmit
 * queues are a finding.
 */
void doctor_interfaces(struct report *r, bool gateway);

#endif
