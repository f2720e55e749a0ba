/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of the result, after the measurement. */
#ifndef CANLAT_REPORT_H
#define CANLAT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "measure.h"

/**
 * struct report - options of the output
 * @profile: print the latency profile after the summary
 * @profile_step: step of the profile in ns, 0: every latency that occurred
 * @label: name of the experiment, or NULL
 * @load: background load, or NULL
 * @priority, @lock_memory: for the JSON object
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
