/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured, for people while it is measured, as JSON in the end. One thread. */
#ifndef CANBENCH_REPORT_H
#define CANBENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

/* struct report - how to report; @methods, @batches and @id are as given, for the JSON object */
struct report {
	bool json;
	const char *label;
	const char *load;
	const char *methods;
	const char *batches;
	const char *id;
	unsigned int repeat;
};

/* report_begin() - what is about to be measured. */
void report_begin(const struct report *report, const struct bench *bench);

/* report_figure() - one figure. @before: the one above it, or NULL. */
void report_figure(const struct report *report, const struct figure *figure,
		   const struct figure *before);

/* report_end() - the result of all; @complete: no signal or loss cut it short. */
void report_end(const struct report *report, const struct bench *bench,
		const struct figure *figures, size_t count, bool complete);

#endif
