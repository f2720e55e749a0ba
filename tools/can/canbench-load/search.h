/* SPDX-License-Identifier: GPL-2.0-only */
/* The highest rate without a loss. Main thread only. */
#ifndef CANBENCH_LOAD_SEARCH_H
#define CANBENCH_LOAD_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"
#include "settings.h"

/**
 * struct search - what was found
 * @complete: it was not cut short by a signal
 * @found: there is a rate without a loss
 * @period: from one frame to the next at that rate, ns; 0: not even a full bus loses one
 * @lossy: the period, a step shorter, at which frames were lost; 0 if there is none
 * @runs: how many it took
 */
struct search {
	bool complete, found;
	uint64_t period, lossy;
	unsigned int runs;
};

/* search_rate() - find it; @result is of the run at that rate, or empty if there is none. */
void search_rate(const struct settings *set, struct search *search, struct run_result *result);

#endif
