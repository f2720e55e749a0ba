/* SPDX-License-Identifier: GPL-2.0-only */
/* Results as text or as JSON. Main thread only. */
#ifndef CANBENCH_LOAD_REPORT_H
#define CANBENCH_LOAD_REPORT_H

#include "run.h"
#include "search.h"
#include "settings.h"

/* @search: NULL without --rate-search. Sorts the latencies of @result. */
void report_text(const struct settings *set, const struct search *search,
		 struct run_result *result);
void report_json(const struct settings *set, const struct search *search,
		 struct run_result *result);

#endif
