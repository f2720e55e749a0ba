// SPDX-License-Identifier: GPL-2.0-only
/*
 * Results as JSON, built and printed by the main thread after the measurement. A lack of
 * memory is fatal, because an incomplete result is of no use.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include "cli.h"
#include "result.h"

/* Version of the format in result.schema.json */
#define FORMAT_VERSION 1

/* Steals the reference to @value, like the *_new() functions of jansson. */
static void set_member(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value)) {
		cli_warn("JSON member '%s': invalid UTF-8, or no memory",
			 key);
		exit(CLI_SYSTEM);
	}
}

static time_t started;

/* Results are created after the measurement, but contain the start time of the program. */
__attribute__((constructor)) static void record_start(void)
{
	started = time(NULL);
}

/* UTC, in the format of RFC 3339 */
static json_t *time_string(void)
{
	struct tm utc;
	char text[32];

	gmtime_r(&started, &utc);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return json_string(text);
}

static json_t *system_object(void)
{
	struct utsname host = { 0 };
	json_t *object = json_object();

	uname(&host);
	set_member(object, "kernel", json_string(host.release));
	set_member(object, "version", json_string(host.version));
	set_member(object, "machine", json_string(host.machine));
	set_member(object, "cpus", json_integer(get_nprocs()));
	return object;
}

void result_begin(struct result *r, const char *tool, const char *label, const char *load)
{
	r->root = json_object();
	r->options = json_object();
	r->counts = json_object();
	r->series = json_array();
	r->frames = NULL;
	set_member(r->root, "format", json_string("can-measurement"));
	set_member(r->root, "version", json_integer(FORMAT_VERSION));
	set_member(r->root, "tool", json_string(tool));
	set_member(r->root, "label", json_string(label && *label ? label : tool));
	set_member(r->root, "load", json_string(load && *load ? load : "none"));
	set_member(r->root, "system", system_object());
	set_member(r->root, "started", time_string());
	set_member(r->root, "options", r->options);
	set_member(r->root, "counts", r->counts);
	set_member(r->root, "series", r->series);
}

void result_count(struct result *r, const char *name, uint64_t value)
{
	set_member(r->counts, name, json_integer(value));
}

void result_frame(struct result *r, uint64_t end_ns, const int64_t *latency_ns)
{
	json_t *latency = latency_ns ? json_integer(*latency_ns) : json_null();

	if (!r->frames) {
		r->frames = json_array();
		set_member(r->root, "frames", r->frames);
	}
	if (json_array_append_new(r->frames, json_pack("[I, o]", (json_int_t)end_ns, latency))) {
		cli_warn("no memory for the frames");
		exit(CLI_SYSTEM);
	}
}

static json_t *series_begin(struct result *r, const char *name, const char *kind)
{
	json_t *series = json_object();

	set_member(series, "name", json_string(name));
	set_member(series, "kind", json_string(kind));
	if (json_array_append_new(r->series, series)) {
		cli_warn("no memory for the series '%s'", name);
		exit(CLI_SYSTEM);
	}
	return series;
}

static void add_point(void *profile, int64_t ns, size_t at_least)
{
	json_t *point = json_pack("[I, I]", (json_int_t)ns, (json_int_t)at_least);

	if (json_array_append_new(profile, point)) {
		cli_warn("no memory for the latency profile");
		exit(CLI_SYSTEM);
	}
}

/* An empty set has no figures; 0 would look like a measured value. */
static json_t *nanoseconds(const struct latency_summary *s, int64_t ns)
{
	return s->count ? json_integer(ns) : json_null();
}

void result_latency(struct result *r, const char *name, struct latency *lat)
{
	json_t *series = series_begin(r, name, "latency");
	json_t *profile = json_array();
	struct latency_summary s = latency_summary(lat);

	set_member(series, "count", json_integer(s.count));
	set_member(series, "min_ns", nanoseconds(&s, s.min));
	set_member(series, "median_ns", nanoseconds(&s, s.median));
	set_member(series, "p99_ns", nanoseconds(&s, s.p99));
	set_member(series, "p999_ns", nanoseconds(&s, s.p999));
	set_member(series, "max_ns", nanoseconds(&s, s.max));
	set_member(series, "mean_ns", s.count ? json_real(s.mean) : json_null());
	set_member(series, "profile", profile);
	latency_profile(lat, 0, add_point, profile);
}

void result_cost(struct result *r, const char *name, uint64_t frames, double ns_per_frame)
{
	json_t *series;

	if (!frames)
		return;
	series = series_begin(r, name, "cost");
	set_member(series, "frames", json_integer(frames));
	set_member(series, "ns_per_frame", json_real(ns_per_frame));
}

void result_print(struct result *r, bool complete)
{
	set_member(r->root, "complete", json_boolean(complete));
	if (json_dumpf(r->root, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER) ||
	    putchar('\n') == EOF || fflush(stdout))
		cli_fail("writing the result");
	json_decref(r->root);
	memset(r, 0, sizeof(*r));
}
