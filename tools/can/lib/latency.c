// SPDX-License-Identifier: GPL-2.0-only
/*
 * A set of latencies: filled during the measurement, sorted and counted after it. Not
 * thread-safe.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "latency.h"

#define BAR_WIDTH 50

static void grow_set(struct latency *lat, size_t room)
{
	int64_t *ns = reallocarray(lat->ns, room, sizeof(*ns));

	if (!ns)
		cli_fail("allocating memory for %zu latencies", room);
	lat->ns = ns;
	lat->room = room;
}

void latency_reserve(struct latency *lat, size_t count)
{
	if (lat->room < count)
		grow_set(lat, count);
	memset(lat->ns + lat->count, 0, (lat->room - lat->count) * sizeof(*lat->ns));
}

void latency_add(struct latency *lat, int64_t ns)
{
	if (lat->count == lat->room)
		grow_set(lat, lat->room ? 2 * lat->room : 1024);
	lat->ns[lat->count++] = ns;
}

void latency_free(struct latency *lat)
{
	free(lat->ns);
	memset(lat, 0, sizeof(*lat));
}

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void sort_set(struct latency *lat)
{
	if (lat->count)
		qsort(lat->ns, lat->count, sizeof(*lat->ns), compare_ns);
}

/* Nearest rank: the smallest value that at least @permille of all values do not exceed */
static int64_t percentile(const struct latency *lat, unsigned int permille)
{
	/* In two parts to avoid an overflow of the product */
	size_t rank = lat->count / 1000 * permille +
		      (lat->count % 1000 * permille + 999) / 1000;

	return lat->ns[rank - 1];
}

struct latency_summary latency_summary(struct latency *lat)
{
	struct latency_summary s = { .count = lat->count };
	long double sum = 0;

	if (!lat->count)
		return s;
	sort_set(lat);
	for (size_t i = 0; i < lat->count; i++)
		sum += lat->ns[i];
	s.min = lat->ns[0];
	s.median = percentile(lat, 500);
	s.p99 = percentile(lat, 990);
	s.p999 = percentile(lat, 999);
	s.max = lat->ns[lat->count - 1];
	s.mean = sum / lat->count;
	return s;
}

/* Round @ns down to a multiple of @step, also below zero. */
static int64_t coarsen(int64_t ns, int64_t step)
{
	int64_t rest;

	if (!step)
		return ns;
	rest = ns % step;
	return ns - (rest < 0 ? rest + step : rest);
}

void latency_profile(struct latency *lat, int64_t step,
		     void (*point)(void *ctx, int64_t ns, size_t at_least), void *ctx)
{
	int64_t last = 0;

	sort_set(lat);
	for (size_t i = 0; i < lat->count; i++) {
		int64_t ns = coarsen(lat->ns[i], step);

		if (!i || ns != last)
			point(ctx, ns, lat->count - i);
		last = ns;
	}
}

/*
 * The smallest width of the form 1, 2 or 5 times a power of ten for which @rows rows are
 * sufficient. Rows begin at multiples of the width.
 */
static int64_t row_width(int64_t min, int64_t max, unsigned int rows)
{
	static const int digits[] = { 1, 2, 5 };

	for (int64_t power = 1; power <= INT64_MAX / 100; power *= 10) {
		for (size_t i = 0; i < sizeof(digits) / sizeof(digits[0]); i++) {
			int64_t width = digits[i] * power;

			if ((coarsen(max, width) - coarsen(min, width)) / width < rows)
				return width;
		}
	}
	return INT64_MAX / 4;
}

static void print_row(FILE *to, int64_t from, size_t count, size_t most)
{
	int bar = count * BAR_WIDTH / most;

	/* A single late frame must be visible. */
	if (count && !bar)
		bar = 1;
	fprintf(to, "%14.3f us %9zu  %.*s\n", from / 1000.0, count, bar,
		"##################################################");
}

static size_t row_count(const struct latency *lat, size_t first, int64_t below)
{
	size_t i = first;

	while (i < lat->count && lat->ns[i] < below)
		i++;
	return i - first;
}

void latency_histogram(struct latency *lat, unsigned int rows, FILE *to)
{
	int64_t width, start;
	size_t most = 0;

	if (!lat->count || !rows)
		return;
	sort_set(lat);
	width = row_width(lat->ns[0], lat->ns[lat->count - 1], rows);
	start = coarsen(lat->ns[0], width);
	for (size_t i = 0, n; i < lat->count; i += n) {
		n = row_count(lat, i, coarsen(lat->ns[i], width) + width);
		if (n > most)
			most = n;
	}
	fprintf(to, "Latency from, number (rows of %.3f us):\n", width / 1000.0);
	for (size_t i = 0, n; i < lat->count; i += n, start += width) {
		n = row_count(lat, i, start + width);
		print_row(to, start, n, most);
	}
}
