// SPDX-License-Identifier: GPL-2.0-only
/* Output of the result, as text or JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "cli.h"
#include "ids.h"
#include "report.h"
#include "result.h"

#define HISTOGRAM_ROWS 20

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

#define COUNTS 11

static void collect_counts(const struct requester *req, struct count counts[COUNTS])
{
	const struct track_counts *c = &req->counts;
	const struct count all[COUNTS] = {
		{ "sent", c->sent, "pings sent", true },
		{ "received", c->received, "answered in time", true },
		{ "lost", c->lost, "lost: no answer", true },
		{ "late", c->late, "answered after the timeout", true },
		{ "duplicated", c->duplicated, "further answers to the same ping", true },
		{ "reordered", c->reordered, "answered after a later ping was", true },
		{ "changed", req->changed, "answers of other length or data than their ping", true },
		{ "unexpected", c->unexpected, "answers to no ping of this run", false },
		{ "pending", requester_pending(req), "still waited for when a signal came", false },
		{ "unsent", req->unsent, "not sent: the interface's queue stayed full", false },
		{ "overrun", req->overrun, "frames missed: canping's receive queue was full", false },
	};

	for (int i = 0; i < COUNTS; i++)
		counts[i] = all[i];
}

static double to_us(int64_t ns)
{
	return ns / 1000.0;
}

/* All round-trip times in one set, which the caller frees. */
static struct latency merge_latencies(const struct requester *req)
{
	struct latency all = { 0 };

	latency_reserve(&all, req->counts.received);
	for (unsigned int i = 0; i < req->settings->parallel; i++)
		for (size_t j = 0; j < req->pings[i].rtt.count; j++)
			latency_add(&all, req->pings[i].rtt.ns[j]);
	return all;
}

static void print_summary(struct latency *lat)
{
	struct latency_summary s = latency_summary(lat);

	printf("round trip of %zu pings, in us\n", s.count);
	if (!s.count)
		return;
	printf("%14.3f  minimum\n", to_us(s.min));
	printf("%14.3f  median\n", to_us(s.median));
	printf("%14.3f  99 %%\n", to_us(s.p99));
	printf("%14.3f  99.9 %%\n", to_us(s.p999));
	printf("%14.3f  maximum\n", to_us(s.max));
	printf("%14.3f  mean\n", s.mean / 1000);
}

static void print_each(const struct requester *req)
{
	char id[CLI_CAN_ID_TEXT];

	printf("%8s %9s %9s %14s %14s %14s %14s\n", "ping", "sent", "answered",
	       "minimum", "median", "99 %", "maximum");
	for (unsigned int i = 0; i < req->settings->parallel; i++) {
		struct ping *p = &req->pings[i];
		struct latency_summary s = latency_summary(&p->rtt);

		printf("%8s %9" PRIu64 " %9zu", cli_can_id_text(p->frame.can_id, id), p->track.sent, s.count);
		if (s.count)
			printf(" %14.3f %14.3f %14.3f %14.3f", to_us(s.min), to_us(s.median),
			       to_us(s.p99), to_us(s.max));
		putchar('\n');
	}
}

/* Writing fails if the disk is full. */
static void finish_text(void)
{
	if (fflush(stdout) || ferror(stdout))
		cli_fail("writing the result");
}

static void print_text(const struct requester *req, struct latency *all)
{
	const struct settings *s = req->settings;
	struct count counts[COUNTS];
	char first[CLI_CAN_ID_TEXT], last[CLI_CAN_ID_TEXT];

	printf("canping %s: pings %s to %s, %u bytes%s\n", s->ifname, cli_can_id_text(s->id, first),
	       cli_can_id_text(s->id + s->parallel - 1, last), s->length, s->fd ? ", CAN FD" : "");
	collect_counts(req, counts);
	for (int i = 0; i < COUNTS; i++)
		if (counts[i].value || counts[i].always)
			printf("%14" PRIu64 "  %s\n", counts[i].value, counts[i].text);
	print_summary(all);
	if (s->each)
		print_each(req);
	if (s->histogram)
		latency_histogram(all, HISTOGRAM_ROWS, stdout);
	finish_text();
}

/* Options of both modes */
static void add_common(json_t *options, const struct settings *s)
{
	char id[CLI_CAN_ID_TEXT];

	json_object_set_new(options, "interface", json_string(s->ifname));
	json_object_set_new(options, "mode", json_string(s->responder ? "responder" : "requester"));
	json_object_set_new(options, "id", json_string(cli_can_id_text(s->id, id)));
	json_object_set_new(options, "offset", json_integer(s->offset));
	json_object_set_new(options, "parallel", json_integer(s->parallel));
	json_object_set_new(options, "count", json_integer(s->count));
	json_object_set_new(options, "priority", json_integer(s->priority));
	json_object_set_new(options, "lock_memory", json_boolean(s->lock_memory));
}

static void add_traffic(json_t *options, const struct settings *s)
{
	json_object_set_new(options, "traffic", json_string(s->period ? "periodic" : "flood"));
	if (s->period)
		json_object_set_new(options, "period_ns", json_integer(s->period));
	json_object_set_new(options, "timeout_ns", json_integer(s->timeout));
	json_object_set_new(options, "length", json_integer(s->length));
	json_object_set_new(options, "fd", json_boolean(s->fd));
	if (s->fd)
		json_object_set_new(options, "brs", json_boolean(s->brs));
}

static void print_json(const struct requester *req, struct latency *all)
{
	const struct settings *s = req->settings;
	struct count counts[COUNTS];
	struct result r;

	result_begin(&r, "canping", s->label, s->load);
	add_common(r.options, s);
	add_traffic(r.options, s);
	collect_counts(req, counts);
	for (int i = 0; i < COUNTS; i++)
		result_count(&r, counts[i].name, counts[i].value);
	result_latency(&r, "rtt", all);
	for (unsigned int i = 0; s->each && i < s->parallel; i++) {
		char id[CLI_CAN_ID_TEXT], name[sizeof("rtt ") + CLI_CAN_ID_TEXT];

		snprintf(name, sizeof(name), "rtt %s", cli_can_id_text(req->pings[i].frame.can_id, id));
		result_latency(&r, name, &req->pings[i].rtt);
	}
	result_print(&r, req->complete);
}

void report_requester(struct requester *req)
{
	struct latency all = merge_latencies(req);

	if (req->settings->json)
		print_json(req, &all);
	else
		print_text(req, &all);
	latency_free(&all);
}

void report_responder(const struct responder *resp)
{
	const struct settings *s = resp->settings;
	struct result r;

	if (!s->json) {
		printf("canping %s, responder\n", s->ifname);
		printf("%14" PRIu64 "  pings received\n", resp->received);
		printf("%14" PRIu64 "  answered\n", resp->answered);
		printf("%14" PRIu64 "  missed: canping's receive queue was full\n", resp->overrun);
		finish_text();
		return;
	}
	result_begin(&r, "canping", s->label, s->load);
	add_common(r.options, s);
	result_count(&r, "received", resp->received);
	result_count(&r, "answered", resp->answered);
	result_count(&r, "overrun", resp->overrun);
	result_print(&r, !s->count || resp->answered == s->count);
}
