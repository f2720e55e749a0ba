/* SPDX-License-Identifier: GPL-2.0-only */
/* Search for the highest rate without loss. Main thread only. */
#ifndef CANBENCH_LOAD_SEARCH_H
#define CANBENCH_LOAD_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "run.h"
#include "settings.h"

/**
 * struct search - result of a search
 * @complete: not interrupted by a signal
 * @found: a rate without loss was found
 * @period: from one frame to the next at that rate, ns; 0: no loss on a full bus
 * @lossy: longest period with loss, one step shorter than @period; 0: none
 * @runs: number of runs
 */
struct search {
	bool complete, found;
	uint64_t period, lossy;
	unsigned int runs;
};

/* search_rate() - do the search. @result: run at the rate that was found, or empty. */
void search_rate(const struct settings *set, struct search *search, struct run_result *result);

#endif
