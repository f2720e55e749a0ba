// SPDX-License-Identifier: GPL-2.0-only
/*
 * Search for the highest rate without loss, by bisection over the period of single frames.
 * Under load, a shorter period can by chance be without loss while a longer one is not, so
 * the limit is not unique. The run at the resulting period had no loss.
 */
#include <stdbool.h>
#include <string.h>

#include "cli.h"
#include "schedule.h"
#include "search.h"

/* Longest period to try, in durations of a frame */
#define PERIOD_MAX 100

/* The last step is the period divided by this. */
#define PRECISION 200

/* Do a run. True: no frame was lost, and @result is the result of this run. */
static bool run_at_period(const struct settings *set, uint64_t period, struct search *search,
			  struct run_result *result)
{
	struct settings one = *set;
	struct run_result new;

	one.burst = 1;
	one.period = period;
	search->runs++;
	run_measure(&one, &new);
	search->complete = new.complete;
	if (!new.complete || run_lost(&new)) {
		search->lossy = period;
		run_free(&new);
		return false;
	}
	search->found = true;
	search->period = period;
	run_free(result);
	*result = new;
	return true;
}

/* Double the period, starting from that of a full bus, until no frame is lost. */
static void find_lossless_period(const struct settings *set, struct search *search,
				 struct run_result *result)
{
	uint64_t full = schedule_mean_time(set), period;

	for (period = 2 * full; !cli_stopped && period <= PERIOD_MAX * full; period *= 2)
		if (run_at_period(set, period, search, result))
			return;
}

void search_rate(const struct settings *set, struct search *search, struct run_result *result)
{
	uint64_t middle;

	memset(search, 0, sizeof(*search));
	memset(result, 0, sizeof(*result));
	if (run_at_period(set, 0, search, result) || !search->complete)
		return;
	find_lossless_period(set, search, result);
	if (!search->lossy)
		search->lossy = schedule_mean_time(set);
	while (search->found && search->complete &&
	       search->period - search->lossy > search->period / PRECISION) {
		middle = search->lossy + (search->period - search->lossy) / 2;
		run_at_period(set, middle, search, result);
	}
}
