// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command stats: the counters of rules, once or periodically with rates.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "columns.h"
#include "fetch.h"
#include "list.h"
#include "options.h"
#include "print.h"
#include "rule-json.h"

/* struct sample - counters of one rule */
struct sample {
	uint64_t handle;
	struct stats stats;
};

/**
 * struct samples - counters of all rules, sorted by handle
 * @when: CLOCK_MONOTONIC, in seconds
 */
struct samples {
	struct sample *sample;
	size_t count;
	double when;
};

static double monotonic_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static int compare_handles(const void *a, const void *b)
{
	const struct sample *one = a, *two = b;

	return (one->handle > two->handle) - (one->handle < two->handle);
}

static void take_samples(struct samples *samples, const struct fetched *fetched, double when)
{
	static struct rule rule;

	samples->when = when;
	samples->count = fetched->count;
	samples->sample = calloc(fetched->count + 1, sizeof(*samples->sample));
	if (!samples->sample)
		cli_fail("no memory for counters");
	for (size_t i = 0; i < fetched->count; i++) {
		fetched_rule(fetched, i, &rule);
		samples->sample[i] = (struct sample){ rule.handle, rule.stats };
	}
	qsort(samples->sample, samples->count, sizeof(*samples->sample), compare_handles);
}

/* All 0 for a rule that is new, or whose counters were reset since. */
static struct stats previous_stats(const struct samples *samples, const struct rule *rule)
{
	struct sample key = { .handle = rule->handle };
	const struct sample *found = bsearch(&key, samples->sample, samples->count,
					     sizeof(key), compare_handles);

	if (!found || found->stats.matched > rule->stats.matched ||
	    found->stats.skipped > rule->stats.skipped)
		return (struct stats){ 0 };
	return found->stats;
}

static double per_second(uint64_t is, uint64_t was, double seconds)
{
	return is < was ? 0 : (is - was) / seconds;
}

static void add_stats_row(struct columns *c, const struct rule *rule)
{
	print_handle(columns_cell(c), rule);
	print_token(columns_cell(c), rule->name[0] ? rule->name : "-");
	print_token(columns_cell(c), rule->source);
	print_token(columns_cell(c), rule->destination);
	fputs(frame_types[rule->frames].name, columns_cell(c));
	print_unless_stock(columns_cell(c), rule, rule->stats.matched);
	fprintf(columns_cell(c), "%" PRIu64, rule->stats.sent);
	fprintf(columns_cell(c), "%" PRIu64, rule->stats.dropped);
	fprintf(columns_cell(c), "%" PRIu64, rule->stats.deleted);
	print_unless_stock(columns_cell(c), rule, rule->stats.skipped);
}

#define TITLES "HANDLE", "NAME", "FROM", "TO", "FRAMES", "MATCHED", "SENT", "DROPPED", "DELETED", \
	"SKIPPED"
#define RIGHT (BIT(0) | BIT(5) | BIT(6) | BIT(7) | BIT(8) | BIT(9) | BIT(10) | BIT(11))

static void print_stats(const struct fetched *fetched)
{
	static const char *const titles[] = { TITLES };
	static struct rule rule;
	struct columns columns;

	columns_begin(&columns, titles, ARRAY_SIZE(titles), RIGHT);
	for (size_t i = 0; i < fetched->count; i++) {
		fetched_rule(fetched, i, &rule);
		add_stats_row(&columns, &rule);
	}
	columns_print(&columns);
}

static void print_rates(const struct fetched *fetched, const struct samples *last, double seconds)
{
	static const char *const titles[] = { TITLES, "SENT/s", "DROPPED/s" };
	static struct rule rule;
	struct columns columns;

	columns_begin(&columns, titles, ARRAY_SIZE(titles), RIGHT);
	for (size_t i = 0; i < fetched->count; i++) {
		struct stats was;

		fetched_rule(fetched, i, &rule);
		was = previous_stats(last, &rule);
		add_stats_row(&columns, &rule);
		fprintf(columns_cell(&columns), "%.1f", per_second(rule.stats.sent, was.sent, seconds));
		fprintf(columns_cell(&columns), "%.1f",
			per_second(rule.stats.dropped, was.dropped, seconds));
	}
	columns_print(&columns);
}

static json_t *rates_json(const struct stats *is, const struct stats *was, double seconds)
{
	return json_pack("{s:f, s:f, s:f, s:f, s:f}",
			 "matched", per_second(is->matched, was->matched, seconds),
			 "sent", per_second(is->sent, was->sent, seconds),
			 "dropped", per_second(is->dropped, was->dropped, seconds),
			 "deleted", per_second(is->deleted, was->deleted, seconds),
			 "skipped", per_second(is->skipped, was->skipped, seconds));
}

/* One object per line and interval */
static void print_rates_json(const struct fetched *fetched, const struct samples *last,
			     double seconds)
{
	json_t *rules = json_array();
	static struct rule rule;

	for (size_t i = 0; i < fetched->count; i++) {
		struct stats was;
		json_t *json;

		fetched_rule(fetched, i, &rule);
		was = previous_stats(last, &rule);
		json = rule_json(&rule);
		json_object_set_new(json, "rates", rates_json(&rule.stats, &was, seconds));
		json_array_append_new(rules, json);
	}
	json_print(json_pack("{s:f, s:o}", "seconds", seconds, "rules", rules));
}

static void sleep_ns(uint64_t ns)
{
	struct timespec ts = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&ts, NULL);
}

static void print_interval(const struct options *options, const struct fetched *fetched,
			   const struct samples *last, double seconds)
{
	if (options->json) {
		print_rates_json(fetched, last, seconds);
	} else {
		if (isatty(STDOUT_FILENO))
			fputs("\033[H\033[J", stdout);
		print_rates(fetched, last, seconds);
		putchar('\n');
	}
	fflush(stdout);
}

/* Run until a signal arrives or standard output fails. */
static int run_live(struct kernel *kernel, const struct options *options)
{
	struct samples last = { 0 };
	struct fetched fetched;

	cli_catch_stop();
	if (!fetch_rules(kernel, options, &fetched))
		return STATUS_REJECTED;
	take_samples(&last, &fetched, monotonic_seconds());
	fetched_free(&fetched);
	for (sleep_ns(options->live_ns); !cli_stopped && !ferror(stdout);
	     sleep_ns(options->live_ns)) {
		double when = monotonic_seconds();

		if (!fetch_rules(kernel, options, &fetched))
			return STATUS_REJECTED;
		print_interval(options, &fetched, &last, when - last.when);
		free(last.sample);
		take_samples(&last, &fetched, when);
		fetched_free(&fetched);
	}
	free(last.sample);
	return CLI_OK;
}

void stats_check(const struct options *options)
{
	if (options->live_ns && options->reset)
		cli_usage("--live and --reset are mutually exclusive");
}

void stats_print(const struct fetched *fetched, const struct options *options)
{
	if (options->json)
		json_print_rules(fetched);
	else
		print_stats(fetched);
}

int command_stats(const struct options *options)
{
	struct fetched fetched;
	struct kernel kernel;
	int status = CLI_OK;

	stats_check(options);
	kernel_open(&kernel);
	if (options->live_ns) {
		status = run_live(&kernel, options);
	} else if (!fetch_rules(&kernel, options, &fetched)) {
		status = STATUS_REJECTED;
	} else {
		stats_print(&fetched, options);
		fetched_free(&fetched);
	}
	kernel_close(&kernel);
	return status;
}
