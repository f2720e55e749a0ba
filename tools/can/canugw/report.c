// SPDX-License-Identifier: GPL-2.0-only
/* Output of the counters, as text or JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "report.h"
#include "result.h"
#include "variant.h"

enum counter {
	RECEIVED,
	FORWARDED,
	LOST,
	UNSENDABLE,
	UNSENT,
	ERROR_FRAMES,
	FOREIGN,
	QUEUE_FULL,
	COUNTERS,
};

static const struct {
	const char *name;
	const char *about;
} names[COUNTERS] = {
	[RECEIVED] = { "received", NULL },
	[FORWARDED] = { "forwarded", NULL },
	[LOST] = { "lost", "did not fit into the receive queue" },
	[UNSENDABLE] = { "unsendable", "CAN FD, and the other interface is not" },
	[UNSENT] = { "unsent", "received, but given up when the gateway ended" },
	[ERROR_FRAMES] = { "error_frames", "of the receiving controller, never forwarded" },
	[FOREIGN] = { "foreign", "neither Classical CAN nor CAN FD, never forwarded" },
	[QUEUE_FULL] = { "queue_full", "times that there was no room to send, and the gateway waited" },
};

/**
 * struct totals - counters of one direction, or of all directions
 * @value: by enum counter
 */
struct totals {
	uint64_t value[COUNTERS];
	uint64_t cpu_ns;
};

static void count_direction(struct direction *dir, struct totals *t)
{
	uint64_t sent = atomic_load(&dir->tx.sent);

	t->value[RECEIVED] = atomic_load(&dir->received);
	t->value[FORWARDED] = sent;
	t->value[LOST] = dir->rx.ops->lost(&dir->rx);
	t->value[UNSENDABLE] = dir->unsendable;
	t->value[UNSENT] = dir->taken - sent;
	t->value[ERROR_FRAMES] = dir->error_frames;
	t->value[FOREIGN] = dir->rx.foreign;
	t->value[QUEUE_FULL] = dir->tx.full;
	t->cpu_ns = dir->cpu_ns;
}

static void add_totals(struct totals *sum, const struct totals *t)
{
	for (int i = 0; i < COUNTERS; i++)
		sum->value[i] += t->value[i];
	sum->cpu_ns += t->cpu_ns;
}

/* The NAPI instance that was polled, for variants with busy polling */
static void print_polled(struct direction *dir)
{
	unsigned int id;

	if (!dir->rx.ops->polled)
		return;
	id = dir->rx.ops->polled(&dir->rx);
	if (id)
		printf("  polled NAPI instance %u\n", id);
	else
		printf("  polled nothing: frames of %s came without a NAPI instance\n",
		       dir->rx.port->name);
}

static void print_direction(struct direction *dir, const struct totals *t)
{
	printf("%s -> %s\n", dir->rx.port->name, dir->tx.port->name);
	for (int i = 0; i < COUNTERS; i++) {
		const char *about = names[i].about;

		/* Some counters are always printed, the others only if not 0. */
		if (about && i != LOST && !t->value[i])
			continue;
		printf("  %-13s %10" PRIu64 "%s%s\n", names[i].name, t->value[i],
		       about ? "  " : "", about ? about : "");
	}
	if (t->value[FORWARDED])
		printf("  CPU time      %10.0f  ns per forwarded frame\n",
		       (double)t->cpu_ns / t->value[FORWARDED]);
	print_polled(dir);
}

static void add_options(struct result *r, const struct gateway *gw, const struct settings *set)
{
	json_t *o = r->options;

	json_object_set_new(o, "variant", json_string(set->variant->name));
	json_object_set_new(o, "in", json_string(set->in));
	json_object_set_new(o, "out", json_string(set->out));
	json_object_set_new(o, "both", json_boolean(set->both));
	json_object_set_new(o, "count", json_integer(set->count));
	json_object_set_new(o, "idle_timeout_ns", json_integer(set->idle));
	json_object_set_new(o, "batch", json_integer(set->batch));
	json_object_set_new(o, "queue", json_integer(set->queue));
	json_object_set_new(o, "priority", json_integer(set->priority));
	json_object_set_new(o, "lock_memory", json_boolean(set->lock_memory));
	if (set->variant->rx->polled) {
		json_object_set_new(o, "busy_poll_ns", json_integer(set->busy_poll * 1000ULL));
		json_object_set_new(o, "busy_budget", json_integer(set->busy_budget));
	}
	if (gw->port[0].mark)
		json_object_set_new(o, "mark", json_integer(gw->port[0].mark));
}

static void add_counts(struct result *r, const char *prefix, const struct totals *t)
{
	char name[64];

	for (int i = 0; i < COUNTERS; i++) {
		snprintf(name, sizeof(name), "%s%s", prefix, names[i].name);
		result_count(r, name, t->value[i]);
	}
}

static void add_direction(struct result *r, struct direction *dir, const char *prefix,
			  const struct totals *t)
{
	char name[64];

	add_counts(r, prefix, t);
	if (!dir->rx.ops->polled)
		return;
	snprintf(name, sizeof(name), "%snapi_id", prefix);
	result_count(r, name, dir->rx.ops->polled(&dir->rx));
}

static void print_json(struct gateway *gw, const struct settings *set, const struct totals *t,
		       const struct totals *sum)
{
	static const char *const prefix[] = { "in_to_out_", "out_to_in_" };
	struct result r;

	result_begin(&r, "canugw", set->label, set->load);
	add_options(&r, gw, set);
	add_counts(&r, "", sum);
	for (unsigned int i = 0; i < gw->directions; i++)
		add_direction(&r, &gw->direction[i], prefix[i], &t[i]);
	if (sum->value[FORWARDED])
		result_cost(&r, "cpu", sum->value[FORWARDED],
			    (double)sum->cpu_ns / sum->value[FORWARDED]);
	result_print(&r, gw->complete);
}

static enum cli_status status_of(const struct gateway *gw, const struct totals *sum)
{
	for (unsigned int i = 0; i < gw->directions; i++)
		if (gw->direction[i].failed)
			return CLI_SYSTEM;
	if (sum->value[LOST] || sum->value[UNSENDABLE] || sum->value[UNSENT])
		return CLI_LOSS;
	return CLI_OK;
}

enum cli_status report_print(struct gateway *gw, const struct settings *set)
{
	struct totals t[2] = { 0 }, sum = { 0 };

	for (unsigned int i = 0; i < gw->directions; i++) {
		count_direction(&gw->direction[i], &t[i]);
		add_totals(&sum, &t[i]);
	}
	if (set->json) {
		print_json(gw, set, t, &sum);
		return status_of(gw, &sum);
	}
	for (unsigned int i = 0; i < gw->directions; i++)
		print_direction(&gw->direction[i], &t[i]);
	return status_of(gw, &sum);
}
