// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output of the result: a line of text after each figure, or JSON at the end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "result.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Difference of maximum and minimum, in percent of the median */
static double spread(const struct figure *figure)
{
	unsigned int n = figure->repeats;
	double sorted[REPEAT_MAX];
	double median;

	memcpy(sorted, figure->ns, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), ascending);
	median = (sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
	return median > 0 ? 100 * (sorted[n - 1] - sorted[0]) / median : 0;
}

void report_begin(const struct report *report, const struct bench *bench)
{
	if (report->json)
		return;
	printf("%s: %" PRIu64 " %s frames per figure, in ns per frame\n", bench->ifname,
	       bench->frames, bench->size == CANFD_MTU ? "CAN FD" : "Classical CAN");
	fflush(stdout);
}

void report_figure(const struct report *report, const struct figure *figure,
		   const struct figure *before)
{
	if (report->json || !figure->repeats)
		return;
	if (!before || before->method->side != figure->method->side)
		puts(figure->method->side == SIDE_RX ? "receive" : "send");
	printf("  %-14s", figure->name);
	for (unsigned int i = 0; i < figure->repeats; i++)
		printf(" %9.1f", figure->ns[i]);
	if (figure->repeats > 1)
		printf("  spread %.2f %%", spread(figure));
	putchar('\n');
	fflush(stdout);
}

static void add_options(json_t *options, const struct report *report, const struct bench *bench)
{
	json_object_set_new(options, "interface", json_string(bench->ifname));
	json_object_set_new(options, "frames", json_integer(bench->frames));
	json_object_set_new(options, "repeat", json_integer(report->repeat));
	json_object_set_new(options, "method", json_string(report->methods));
	json_object_set_new(options, "batch", json_string(report->batches));
	json_object_set_new(options, "id", json_string(report->id));
	json_object_set_new(options, "fd", json_boolean(bench->size == CANFD_MTU));
	json_object_set_new(options, "delivery", json_boolean(bench->deliver));
	json_object_set_new(options, "receiver", json_boolean(bench->receiver));
}

void report_end(const struct report *report, const struct bench *bench,
		const struct figure *figures, size_t count, bool complete)
{
	uint64_t frames[] = { [SIDE_RX] = 0, [SIDE_TX] = 0 };
	struct result result;

	if (!report->json)
		return;
	result_begin(&result, "canbench-syscalls", report->label, report->load);
	add_options(result.options, report, bench);
	for (size_t i = 0; i < count; i++) {
		for (unsigned int j = 0; j < figures[i].repeats; j++)
			result_cost(&result, figures[i].name, bench->frames, figures[i].ns[j]);
		frames[figures[i].method->side] += figures[i].repeats * bench->frames;
	}
	result_count(&result, "received", frames[SIDE_RX]);
	result_count(&result, "sent", frames[SIDE_TX]);
	result_print(&result, complete);
}
