/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel of the command doctor: release, suite, installed kernels. */
#ifndef CANROUTE_DOCTOR_KERNEL_H
#define CANROUTE_DOCTOR_KERNEL_H

#include <stdbool.h>

#include "doctor-report.h"

#define KERNEL_RELEASE 128

/**
 * struct doctor_kernel - the running and the newest kernel
 * @newest: installed kernel of the same flavour with the highest version, or @release
 * @rt: PREEMPT_RT
 * @installed: the directory of its modules exists
 */
struct doctor_kernel {
	char release[KERNEL_RELEASE];
	char newest[KERNEL_RELEASE];
	bool rt, installed;
};

/* kernel_supported() - the modules of can-fastpath can be built for this release. */
bool kernel_supported(const char *release);

/* kernel_flavour() - such as "rt-amd64"; empty if the release has none. */
const char *kernel_flavour(const char *release);

/* doctor_kernel() - add the section, and set @kernel. */
void doctor_kernel(struct report *r, struct doctor_kernel *kernel);

#endif
