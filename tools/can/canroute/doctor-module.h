/* SPDX-License-Identifier: GPL-2.0-only */
/* The loaded CAN modules, of the command doctor. */
#ifndef CANROUTE_DOCTOR_MODULE_H
#define CANROUTE_DOCTOR_MODULE_H

#include <stdbool.h>

#include "doctor-kernel.h"
#include "doctor-report.h"

/* doctor_modules() - add the section. True: a gateway is loaded. */
bool doctor_modules(struct report *r, const struct doctor_kernel *kernel);

#endif
