/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupt and NAPI threads of CAN interfaces, of the command doctor. */
#ifndef CANROUTE_DOCTOR_THREAD_H
#define CANROUTE_DOCTOR_THREAD_H

#include <stdbool.h>

#include "doctor-report.h"

/* doctor_threads() - add the section. @rt: the kernel is PREEMPT_RT. */
void doctor_threads(struct report *r, bool rt);

#endif
