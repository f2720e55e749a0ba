/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Results as JSON (jansson), one object per run. All programs use the format that
 * result.schema.json describes.
 */
#ifndef CAN_TOOLS_RESULT_H
#define CAN_TOOLS_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "latency.h"

/**
 * struct result - a result that is being built
 * @root: the whole object
 * @options: member "options": every option that has an effect, including defaults; add
 *	values with json_object_set_new()
 * @counts: member "counts": whole numbers, such as "sent", "received", "lost"
 * @series: member "series", see result_latency() and result_cost()
 * @frames: member "frames", see result_frame(); NULL before the first one
 */
struct result {
	json_t *root;
	json_t *options;
	json_t *counts;
	json_t *series;
	json_t *frames;
};

/*
 * result_begin() - create a result. @label is the name of the experiment (NULL: @tool),
 * @load the background load (NULL: "none"); canreport groups results by both.
 */
void result_begin(struct result *r, const char *tool, const char *label, const char *load);

/* result_count() - r->counts[@name] = @value. */
void result_count(struct result *r, const char *name, uint64_t value);

/* result_latency() - add a series with summary and full latency profile. Sorts @lat. */
void result_latency(struct result *r, const char *name, struct latency *lat);

/* result_cost() - add a series with a cost per frame, measured over @frames. */
void result_cost(struct result *r, const char *name, uint64_t frames, double ns_per_frame);

/*
 * result_frame() - add a frame that ended @end_ns after the begin of the run, with its latency, or
 * NULL if it was lost.
 */
void result_frame(struct result *r, uint64_t end_ns, const int64_t *latency_ns);

/*
 * result_print() - print the result to standard output and free it. @complete: the run was
 * not interrupted by a signal or an error.
 */
void result_print(struct result *r, bool complete);

#endif
