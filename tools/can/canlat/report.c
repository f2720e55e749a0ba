// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output of the result, as text or JSON.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "report.h"
#include "result.h"

/**
 * struct count - a counter with its name in JSON
 * @text: description in text output
 * @always: print it even if it is 0
 */
struct count {
	const char *name;
	uint64_t value;
	const char *text;
	bool always;
};

#define COUNTS 14

static void collect_counts(const struct measure *m, struct count counts[COUNTS])
{
	const struct match_counts *c = &m->match.counts;
	const struct count all[COUNTS] = {
		{ "sent", c->sent, "frames sent", true },
		{ "received", c->received, "received behind the device", true },
		{ "lost", c->lost, "lost in the device", true },
		{ "reordered", c->reordered, "received after a later one", true },
		{ "duplicated", c->duplicated, "further copies", true },
		{ "unexpected", c->unexpected, "not expected behind the device", true },
		{ "unheard", c->unheard, "not transmitted: neither heard nor received", false },
		{ "pending", c->pending, "still on their way when a signal came", false },
		{ "bus_reordered", c->bus_reordered,
		  "reordered before the device: not its fault", false },
		{ "untimed", m->untimed, "received, but without both time stamps", false },
		{ "overrun", m->overrun, "missed by canlat: its receive queue was full", false },
		{ "late", m->late, "sent more than a period late", false },
		{ "exhausted", m->exhausted,
		  "had to wait for a free number: shorten --timeout", false },
		{ "clock_step_ns", llabs(m->clock_step),
		  "ns that the clock was set by: latencies are wrong", false },
	};

	for (int i = 0; i < COUNTS; i++)
		counts[i] = all[i];
}

static double to_us(int64_t ns)
{
	return ns / 1000.0;
}

static void print_point(void *ctx, int64_t ns, size_t at_least)
{
	(void)ctx;
	printf("%.3f %zu\n", to_us(ns), at_least);
}

static void print_summary(struct measure *m, const char *prefix)
{
	struct latency_summary s = latency_summary(&m->latency);

	printf("%slatency of %zu frames, in us%s\n", prefix, s.count,
	       m->subtract ? ", their duration subtracted" : "");
	if (!s.count)
		return;
	printf("%s%14.3f  minimum\n", prefix, to_us(s.min));
	printf("%s%14.3f  median\n", prefix, to_us(s.median));
	printf("%s%14.3f  99 %%\n", prefix, to_us(s.p99));
	printf("%s%14.3f  99.9 %%\n", prefix, to_us(s.p999));
	printf("%s%14.3f  maximum\n", prefix, to_us(s.max));
}

/* With a profile, all other lines are comments, so that gnuplot can read the output. */
static void print_text(const struct report *report, struct measure *m)
{
	const char *prefix = report->profile ? "# " : "";
	struct count counts[COUNTS];

	collect_counts(m, counts);
	printf("%scanlat %s > %s, transmission heard on %s%s, %s time stamps\n", prefix,
	       m->tx, m->rx, m->bus, m->bus_fd == m->tx_fd ? " (echo)" : "",
	       stamp_clocks[m->clock]);
	for (int i = 0; i < COUNTS; i++)
		if (counts[i].value || counts[i].always)
			printf("%s%14" PRIu64 "  %s\n", prefix, counts[i].value, counts[i].text);
	print_summary(m, prefix);
	if (!report->profile)
		return;
	puts("# us frames_at_least_so_late");
	latency_profile(&m->latency, report->profile_step, print_point, NULL);
}

static void add_id(json_t *options, const char *name, canid_t id)
{
	char text[CLI_CAN_ID_TEXT];

	json_object_set_new(options, name, json_string(cli_can_id_text(id, text)));
}

static void add_traffic(json_t *options, const struct traffic *t)
{
	json_object_set_new(options, "traffic", json_string(traffic_patterns[t->pattern]));
	if (t->pattern == TRAFFIC_PERIODIC)
		json_object_set_new(options, "period_ns", json_integer(t->period));
	if (t->pattern == TRAFFIC_HALF) {
		json_object_set_new(options, "bitrate", json_integer(t->bitrate));
		json_object_set_new(options, "data_bitrate", json_integer(t->data_bitrate));
	}
	json_object_set_new(options, "kind", json_string(traffic_kinds[t->kind]));
	if (t->kind == TRAFFIC_FD)
		json_object_set_new(options, "brs", json_boolean(t->brs));
	add_id(options, "first_id", t->first_id);
	add_id(options, "last_id", t->last_id);
	json_object_set_new(options, "min_length", json_integer(t->lengths[0]));
	json_object_set_new(options, "max_length",
			    json_integer(t->lengths[t->lengths_count - 1]));
	json_object_set_new(options, "fill", json_integer(t->fill));
	json_object_set_new(options, "count", json_integer(t->count));
}

static void add_options(json_t *options, const struct report *report, const struct measure *m)
{
	json_object_set_new(options, "tx", json_string(m->tx));
	json_object_set_new(options, "bus", json_string(m->bus));
	json_object_set_new(options, "rx", json_string(m->rx));
	add_traffic(options, &m->traffic);
	json_object_set_new(options, "timeout_ns", json_integer(m->timeout));
	json_object_set_new(options, "clock", json_string(stamp_clocks[m->clock]));
	json_object_set_new(options, "subtract_frame", json_boolean(m->subtract));
	if (m->subtract) {
		json_object_set_new(options, "rx_bitrate", json_integer(m->rx_bitrate));
		json_object_set_new(options, "rx_data_bitrate", json_integer(m->rx_data_bitrate));
	}
	json_object_set_new(options, "priority", json_integer(report->priority));
	json_object_set_new(options, "lock_memory", json_boolean(report->lock_memory));
}

static void print_json(const struct report *report, struct measure *m)
{
	struct count counts[COUNTS];
	struct result result;

	collect_counts(m, counts);
	result_begin(&result, "canlat", report->label, report->load);
	add_options(result.options, report, m);
	for (int i = 0; i < COUNTS; i++)
		result_count(&result, counts[i].name, counts[i].value);
	result_latency(&result, "latency", &m->latency);
	result_print(&result, m->complete);
}

void report_print(const struct report *report, struct measure *m)
{
	if (report->json)
		print_json(report, m);
	else
		print_text(report, m);
	if (fflush(stdout) || ferror(stdout))
		cli_fail("writing the result");
}
