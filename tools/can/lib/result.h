/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results as JSON (jansson), one object per run, the same envelope for all
 * programs: result.schema.json beside the programs says what is in it.
 */
#ifndef CAN_TOOLS_RESULT_H
#define CAN_TOOLS_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "latency.h"

/**
 * struct result - a result while it is built
 * @root: the whole object
 * @options: its "options": every option that has an effect, with its value also
 *	where it is the default; add with json_object_set_new()
 * @counts: its "counts": whole numbers, such as "sent", "received", "lost"
 * @series: its "series": added to by result_series()
 */
struct result {
	json_t *root;
	json_t *options;
	json_t *counts;
	json_t *series;
};

/*
 * result_begin() - start one. @label (of --label, may be NULL: @tool) names the
 * experiment, @load (of --load, may be NULL: "none") what else kept the machine
 * busy; the report groups by them.
 */
void result_begin(struct result *r, const char *tool, const char *label, const char *load);

/* result_count() - r->counts[@name] = @value. */
void result_count(struct result *r, const char *name, uint64_t value);

/* result_latency() - add a series of latencies: summary and full profile. Sorts @lat. */
void result_latency(struct result *r, const char *name, struct latency *lat);

/* result_cost() - add a series that is one figure per frame: @ns_per_frame over @frames. */
void result_cost(struct result *r, const char *name, uint64_t frames, double ns_per_frame);

/*
 * result_print() - write it to standard output and free it. @complete: not cut
 * short by a signal or an error.
 */
void result_print(struct result *r, bool complete);

#endif
