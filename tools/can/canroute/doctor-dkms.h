/* SPDX-License-Identifier: GPL-2.0-only */
/* The DKMS package can-fastpath and Secure Boot, of the command doctor. */
#ifndef CANROUTE_DOCTOR_DKMS_H
#define CANROUTE_DOCTOR_DKMS_H

#include <stdbool.h>
#include <stddef.h>

#include "doctor-kernel.h"
#include "doctor-report.h"

#define DKMS_CAN "/var/lib/dkms/can-fastpath"

/* dkms_version() - newest version that DKMS knows. False: it does not have can-fastpath. */
bool dkms_version(char *version, size_t size);

/* doctor_dkms() - add the section. */
void doctor_dkms(struct report *r, const struct doctor_kernel *kernel);

#endif
