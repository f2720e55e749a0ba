/* SPDX-License-Identifier: GPL-2.0-only */
/* What canlat prints when it has measured. Called once, by the one thread. */
#ifndef CANLAT_REPORT_H
#define CANLAT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "measure.h"

/**
 * struct report - how to print, and what is only said in the result
 * @profile: print the latency profile after the summary
 * @profile_step: in steps of this many ns, 0: each latency that occurred
 * @label: of the experiment, or NULL
 * @load: what else the machine does, or NULL
 */
struct report {
	bool json;
	bool profile;
	int64_t profile_step;
	const char *label, *load;
	unsigned int priority;
	bool lock_memory;
};

/* report_print() - sorts the latencies of @m. */
void report_print(const struct report *report, struct measure *m);

#endif
