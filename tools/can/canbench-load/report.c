// SPDX-License-Identifier: GPL-2.0-only
/* Results as text or as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "report.h"
#include "result.h"

#define NSEC_PER_SEC 1000000000ULL

#define TO_READER "end of frame to reader"
#define TO_BUS "end of frame to second bus"
#define TO_STAMP "end of frame to time stamp"
#define FROM_STAMP "time stamp to reader"

static uint64_t frames_per_second(const struct run_result *result)
{
	return result->time ? (result->sent * NSEC_PER_SEC + result->time / 2) / result->time : 0;
}

/* In permille */
static uint64_t bus_load_permille(const struct settings *set, const struct run_result *result)
{
	uint64_t busy = result->bits * NSEC_PER_SEC / set->bitrate;

	return result->time ? (busy * 1000 + result->time / 2) / result->time : 0;
}

/* Text */

static void print_latency(const char *name, struct latency *lat)
{
	struct latency_summary s = latency_summary(lat);

	if (s.count)
		printf("%-28s least %9" PRId64 " ns, median %9" PRId64 " ns, 99 %% %9" PRId64
		       " ns, worst %9" PRId64 " ns\n", name, s.min, s.median, s.p99, s.max);
}

static void print_latencies(const struct settings *set, struct run_result *result)
{
	print_latency(set->gateway ? TO_BUS : TO_READER, &result->to_end);
	print_latency(TO_STAMP, &result->to_stamp);
	print_latency(FROM_STAMP, &result->from_stamp);
	if (result->unseen)
		printf("frames on the second bus that came again, or are not of the run: %" PRIu64 "\n",
		       result->unseen);
}

static void print_chip(const char *name, const struct run_chip *chip)
{
	printf("%s: %" PRIu64 " overruns, at most %" PRIu64 " waited, %" PRIu64
	       " accesses, %" PRIu64 " interrupts; interface: rx_over_errors %" PRIu64 ", rx_dropped %" PRIu64 "\n",
	       name, chip->overruns, chip->high_water, chip->accesses,
	       chip->interrupts, chip->link.rx_over_errors, chip->link.rx_dropped);
	printf("%s: simulation took %" PRIu64 " ns of the CPU's time\n", name, chip->simulator);
	if (chip->skipped)
		printf("%s: the CPU is too slow for the simulation: %" PRIu64
		       " ns of the bus were skipped\n", name, chip->skipped);
}

static bool sets_rx_threads(const struct settings *set)
{
	return set->rx_priority || set->rx_cpu != SETTINGS_DEFAULT_CPU;
}

static void print_threads(const struct settings *set, const struct run_result *result)
{
	if (set->napi_priority)
		printf("NAPI: %s\n", result->napi_threads ? "a thread" : "the driver has none");
	if (set->irq_priority)
		printf("interrupt: %s\n", result->irq_threads ? "a thread" : "no thread");
	if (sets_rx_threads(set))
		printf("received frames: %s\n", result->rx_threads ? "a thread" : "no thread");
}

static void print_background(const struct settings *set, const struct background_count *background)
{
	if (set->background == BACKGROUND_ETHERNET)
		printf("load: %" PRIu64 " pings answered, %" PRIu64 " bytes\n",
		       background->pings, background->bytes);
	if (background_uses_card(set->background))
		printf("load: %" PRIu64 " datagrams %s\n", background->datagrams,
		       set->background == BACKGROUND_TRANSMIT ? "sent" : "received");
	if (set->background == BACKGROUND_CPU)
		printf("load: %" PRIu64 " ns of the CPU's time\n", background->cpu);
	if (set->background == BACKGROUND_HACKBENCH)
		printf("load: %" PRIu64 " runs of hackbench\n", background->rounds);
}

static void print_search(const struct search *search)
{
	if (!search->found)
		puts(search->complete ? "frames are lost at every rate that was tried" : "nothing was found yet");
	else if (!search->period)
		puts("nothing is lost on a full bus");
	else
		printf("nothing is lost at a period of %" PRIu64 " ns, some at %" PRIu64
		       " ns (%u runs)\n", search->period, search->lossy, search->runs);
}

void report_text(const struct settings *set, const struct search *search,
		 struct run_result *result)
{
	uint64_t share = bus_load_permille(set, result);

	if (search)
		print_search(search);
	printf("%s: %" PRIu64 " frames sent, %" PRIu64 " delivered, %" PRIu64 " lost; %" PRIu64
	       " frames/s, %" PRIu64 ".%" PRIu64 " %% of the bus\n", set->chip, result->sent,
	       result->delivered, run_lost(result), frames_per_second(result), share / 10,
	       share % 10);
	if (result->late)
		printf("frames that came twice or behind later ones: %" PRIu64 "\n", result->late);
	print_chip(set->chip, &result->in);
	if (set->gateway) {
		printf("gateway: %" PRIu64 " handled, %" PRIu64 " dropped\n",
		       result->gateway.handled, result->gateway.dropped);
		print_chip(set->gateway, &result->out);
	}
	if (result->backlog_dropped || result->socket_dropped)
		printf("no room: in the CPU's queue %" PRIu64 ", in the socket %" PRIu64 "\n",
		       result->backlog_dropped, result->socket_dropped);
	print_threads(set, result);
	print_background(set, &result->background);
	print_latencies(set, result);
}

/* JSON */

static void set_cpu(json_t *options, const char *name, int cpu)
{
	if (cpu != SETTINGS_DEFAULT_CPU)
		json_object_set_new(options, name, json_integer(cpu));
}

static void json_gateway_options(json_t *options, const struct settings *set)
{
	json_object_set_new(options, "gateway", json_string(set->gateway));
	if (set->queue)
		json_object_set_new(options, "txqueuelen", json_integer(set->queue));
	if (set->route == ROUTE_EXPRESS)
		json_object_set_new(options, "express", json_true());
	if (set->route == ROUTE_BARE)
		json_object_set_new(options, "bare", json_true());
	if (set->route == ROUTE_FORWARDER)
		json_object_set_new(options, "forwarder", json_string(set->forwarder));
	if (set->both)
		json_object_set_new(options, "both", json_true());
	if (set->one)
		json_object_set_new(options, "one", json_true());
	if (set->rules > 1)
		json_object_set_new(options, "rules", json_integer(set->rules));
	if (set->table)
		json_object_set_new(options, "rules", json_string(set->table));
	if (set->hops > 1) {
		json_object_set_new(options, "hops", json_integer(set->hops));
		json_object_set_new(options, set->vxcan ? "vxcan_pairs" : "vcans",
				    json_integer(set->vcans));
	}
}

static void json_chance(json_t *options, const struct settings *set)
{
	if (!set->seed)
		return;
	json_object_set_new(options, "seed", json_integer(set->seed));
	json_object_set_new(options, "jitter_ns", json_integer(set->jitter));
}

static json_t *json_id(const struct settings *set)
{
	return set->id == SETTINGS_RANDOM_ID ? json_string("random") : json_integer(set->id);
}

static void json_options(struct result *json, const struct settings *set)
{
	json_t *options = json->options;

	json_object_set_new(options, "chip", json_string(set->chip));
	if (set->gateway) {
		json_gateway_options(options, set);
	} else {
		json_object_set_new(options, "priority", json_integer(set->priority));
		json_object_set_new(options, "wait", json_string(waiting_names[set->waiting]));
	}
	if (set->busy_poll)
		json_object_set_new(options, "busy_poll_us", json_integer(set->busy_poll));
	if (set->flush_timeout)
		json_object_set_new(options, "defer_ns", json_integer(set->flush_timeout));
	if (set->background == BACKGROUND_ETHERNET)
		json_object_set_new(options, "ping_bytes", json_integer(set->ping_bytes));
	if (background_uses_card(set->background) && set->background != BACKGROUND_TRANSMIT)
		json_object_set_new(options, "datagrams_per_s", json_integer(set->datagrams));
	if (set->napi_priority)
		json_object_set_new(options, "napi_priority", json_integer(set->napi_priority));
	if (set->irq_priority)
		json_object_set_new(options, "irq_priority", json_integer(set->irq_priority));
	if (set->rx_priority)
		json_object_set_new(options, "rx_priority", json_integer(set->rx_priority));
	set_cpu(options, "load_cpu", set->load_cpu);
	set_cpu(options, "reader_cpu", set->reader_cpu);
	set_cpu(options, "rx_cpu", set->rx_cpu);
	json_object_set_new(options, "bitrate", json_integer(set->bitrate));
	json_object_set_new(options, "dlc", json_integer(set->dlc));
	json_object_set_new(options, "id", json_id(set));
	json_chance(options, set);
	json_object_set_new(options, "count", json_integer(set->count));
	json_object_set_new(options, "rate_search", json_boolean(set->search));
	if (!set->search) {
		json_object_set_new(options, "burst", json_integer(set->burst));
		json_object_set_new(options, "period_ns", json_integer(set->period));
	}
}

static void json_chip(struct result *json, const struct run_chip *chip)
{
	result_count(json, "received", chip->received);
	result_count(json, "overruns", chip->overruns);
	result_count(json, "high_water", chip->high_water);
	result_count(json, "skipped_ns", chip->skipped);
	result_count(json, "simulator_ns", chip->simulator);
	result_count(json, "accesses", chip->accesses);
	result_count(json, "interrupts", chip->interrupts);
	result_count(json, "rx_packets", chip->link.rx_packets);
	result_count(json, "rx_errors", chip->link.rx_errors);
	result_count(json, "rx_dropped", chip->link.rx_dropped);
	result_count(json, "rx_over_errors", chip->link.rx_over_errors);
}

static void json_gateway(struct result *json, const struct run_result *result)
{
	result_count(json, "gateway_handled", result->gateway.handled);
	result_count(json, "gateway_dropped", result->gateway.dropped);
	result_count(json, "unseen", result->unseen);
	result_count(json, "out_accesses", result->out.accesses);
	result_count(json, "out_simulator_ns", result->out.simulator);
	result_count(json, "out_skipped_ns", result->out.skipped);
	result_count(json, "tx_packets", result->out.link.tx_packets);
	result_count(json, "tx_errors", result->out.link.tx_errors);
	result_count(json, "tx_dropped", result->out.link.tx_dropped);
}

static void json_background(struct result *json, const struct settings *set,
			    const struct background_count *background)
{
	if (set->background == BACKGROUND_NONE)
		return;
	result_count(json, "load_cpu_ns", background->cpu);
	if (set->background == BACKGROUND_CPU || set->background == BACKGROUND_HACKBENCH) {
		result_count(json, "load_rounds", background->rounds);
		return;
	}
	if (background_uses_card(set->background)) {
		result_count(json, "load_datagrams", background->datagrams);
		return;
	}
	result_count(json, "load_pings", background->pings);
	result_count(json, "load_bytes", background->bytes);
}

static void json_search(struct result *json, const struct search *search)
{
	result_count(json, "found", search->found);
	result_count(json, "found_period_ns", search->period);
	result_count(json, "lossy_period_ns", search->lossy);
	result_count(json, "runs", search->runs);
}

void report_json(const struct settings *set, const struct search *search,
		 struct run_result *result)
{
	struct result json;

	result_begin(&json, "canbench-load", set->label, background_names[set->background]);
	json_options(&json, set);
	result_count(&json, "sent", result->sent);
	result_count(&json, "delivered", result->delivered);
	result_count(&json, "lost", run_lost(result));
	result_count(&json, "reordered", result->late);
	result_count(&json, "bits", result->bits);
	result_count(&json, "frames_per_s", frames_per_second(result));
	result_count(&json, "bus_load_permille", bus_load_permille(set, result));
	result_count(&json, "backlog_dropped", result->backlog_dropped);
	json_chip(&json, &result->in);
	if (set->gateway)
		json_gateway(&json, result);
	else
		result_count(&json, "socket_dropped", result->socket_dropped);
	if (set->napi_priority)
		result_count(&json, "napi_threads", result->napi_threads);
	if (set->irq_priority)
		result_count(&json, "irq_threads", result->irq_threads);
	if (sets_rx_threads(set))
		result_count(&json, "rx_threads", result->rx_threads);
	json_background(&json, set, &result->background);
	if (search)
		json_search(&json, search);
	result_latency(&json, set->gateway ? TO_BUS : TO_READER, &result->to_end);
	if (set->stamp) {
		result_latency(&json, TO_STAMP, &result->to_stamp);
		result_latency(&json, FROM_STAMP, &result->from_stamp);
	}
	for (uint64_t i = 0; result->frames && result->complete && i < set->count; i++)
		result_frame(&json, result->frames[i].end,
			     result->frames[i].delivered ? &result->frames[i].latency : NULL);
	result_print(&json, search ? search->complete : result->complete);
}
