/* SPDX-License-Identifier: GPL-2.0-only */
/* Output of the result: text during the measurement, or JSON at the end. One thread. */
#ifndef CANBENCH_REPORT_H
#define CANBENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

/* struct report - options of the output; @methods, @batches, @id: option arguments, for JSON */
struct report {
	bool json;
	const char *label;
	const char *load;
	const char *methods;
	const char *batches;
	const char *id;
	unsigned int repeat;
};

/* report_begin() - print the heading. */
void report_begin(const struct report *report, const struct bench *bench);

/* report_figure() - print a figure. @before: the previous one, or NULL. */
void report_figure(const struct report *report, const struct figure *figure,
		   const struct figure *before);

/* report_end() - print JSON; @complete: not interrupted by a signal or a loss. */
void report_end(const struct report *report, const struct bench *bench,
		const struct figure *figures, size_t count, bool complete);

#endif
