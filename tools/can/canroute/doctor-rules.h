/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of rules and the service that loads it, of the command doctor. */
#ifndef CANROUTE_DOCTOR_RULES_H
#define CANROUTE_DOCTOR_RULES_H

#include "doctor-report.h"

/* doctor_rules() - add the section. @file: NULL for the file that the service loads. */
void doctor_rules(struct report *r, const char *file);

#endif
