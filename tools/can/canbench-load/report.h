/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured, for people and as JSON. Main thread only. */
#ifndef CANBENCH_LOAD_REPORT_H
#define CANBENCH_LOAD_REPORT_H

#include "run.h"
#include "search.h"
#include "settings.h"

/* @search is NULL if there was none. The latencies of @result get sorted. */
void report_text(const struct settings *set, const struct search *search,
		 struct run_result *result);
void report_json(const struct settings *set, const struct search *search,
		 struct run_result *result);

#endif
