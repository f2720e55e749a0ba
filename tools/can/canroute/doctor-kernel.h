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
 * @suite: code name of the system, such as "trixie"; empty if it has none
 * @rt: PREEMPT_RT
 * @installed: the directory of its modules exists
 */
struct doctor_kernel {
	char release[KERNEL_RELEASE];
	char newest[KERNEL_RELEASE];
	char suite[32];
	bool rt, installed;
};

/* kernel_supported() - the modules of can-fastpath can be built for this release. */
bool kernel_supported(const char *release);

/* kernel_is_cloud() - one of Debian's kernels for clouds, which have no CAN. */
bool kernel_is_cloud(const char *release);

/* kernel_flavour() - such as "rt-amd64"; empty if the release has none. */
const char *kernel_flavour(const char *release);

/* doctor_kernel() - add the section, and set @kernel. */
void doctor_kernel(struct report *r, struct doctor_kernel *kernel);

#endif
