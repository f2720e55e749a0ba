// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs of the generator. During a run the main thread sleeps, so that only the receiving
 * thread and the background load run. With a gateway, a node of the second bus records its
 * frames.
 */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bare.h"
#include "bus.h"
#include "chain.h"
#include "cli.h"
#include "driver.h"
#include "forwarder.h"
#include "helper.h"
#include "receiver.h"
#include "rt.h"
#include "run.h"
#include "schedule.h"
#include "testbus.h"

#define NSEC_PER_SEC 1000000000ULL
#define MSEC 1000000ULL

/* Above the background load, below interrupt threads and the receiving thread */
#define PRIORITY 1

/* Unmeasured frames before a run without bursts */
#define WARM_UP 64

/* When all frames have arrived, others are awaited for this time: they may come twice. Frames are
 * lost if none has arrived for the longer time.
 */
#define QUIET_NS (100 * MSEC)
#define LOST_NS NSEC_PER_SEC

/* Polling interval, longer during a run, and time limit for the end of a run */
#define POLL_NS (10 * MSEC)
#define RUN_POLL_NS (200 * MSEC)
#define END_TIMEOUT_NS (10 * NSEC_PER_SEC)

/* For a program of --forwarder */
#define START_TIMEOUT_NS (60 * NSEC_PER_SEC)

/* Larger differences mean that the clock was set during the run. */
#define CLOCK_STEP_NS 20000
#define CLOCK_TRIES 10

static struct testbus in_bus, out_bus;

static struct receiver receiver;

/* struct counters - all counters, at one time */
struct counters {
	uint64_t frames, errors, bits, out_errors, sent, delivered;
	uint64_t backlog_dropped, socket_dropped;
	struct run_chip in, out;
	struct gateway_count gateway;
	struct background_count background;
};

/* Begin of each frame on the second bus, indexed by its number in the run; 0: unknown */
static uint64_t *out_start;

/* Numbers that came there; frames that came again or behind later ones; frames that came
 * again or are not of the run
 */
static uint64_t out_delivered, out_late, out_others;

/* With frames from both sides, the times of a bus do not follow from the schedule. */
static bool has_records(const struct settings *set)
{
	return set->gateway && !set->both;
}

/* Set-up */

static void start_rules(const struct settings *set)
{
	bool express = set->route == ROUTE_EXPRESS;

	if (set->table) {
		gateway_load(set->table, in_bus.ifname, out_bus.ifname);
		return;
	}
	if (set->hops > 1) {
		chain_make(in_bus.ifname, out_bus.ifname, set);
		return;
	}
	gateway_add(in_bus.ifname, out_bus.ifname, express, set->rules, set->id);
	if (set->both)
		gateway_add(out_bus.ifname, in_bus.ifname, express, set->rules, set->id);
}

static void start_gateway(const struct settings *set)
{
	if (set->route == ROUTE_BARE)
		bare_start(in_bus.ifname, out_bus.ifname, set->both);
	else if (set->route == ROUTE_FORWARDER)
		forwarder_start(set->forwarder, in_bus.ifname, out_bus.ifname);
	else
		start_rules(set);
}

static void start_load(const struct settings *set, unsigned int cpu)
{
	if (set->load_cpu != SETTINGS_DEFAULT_CPU)
		rt_bind(0, set->load_cpu);
	background_start(set->background, set->ping_bytes, set->datagrams);
	rt_bind(0, cpu);
}

void run_set_up(const struct settings *set)
{
	/* The interrupts of a bus arrive at the CPU on which its generator was started. */
	unsigned int cpu = sched_getcpu();
	const struct receiver_options options = {
		.stamping = set->stamp, .priority = set->priority, .busy_poll = set->busy_poll,
		.waiting = set->waiting, .set = set,
		.cpu = set->reader_cpu == SETTINGS_DEFAULT_CPU ? cpu : (unsigned int)set->reader_cpu,
	};
	uint64_t room = set->count + set->burst * 2 + WARM_UP;
	rt_bind(0, cpu);
	bus_need();
	testbus_make(&in_bus, set->chip, 0, schedule_is_known(set) ? 0 : room, NULL, set);
	if (set->gateway) {
		/* a gateway may send each frame twice */
		testbus_make(&out_bus, set->gateway, 1, has_records(set) ? 2 * room : 0,
			     set->one ? &in_bus : NULL, set);
		if (set->queue)
			link_queue(out_bus.ifname, set->queue);
		start_gateway(set);
		out_start = calloc(room, sizeof(*out_start));
		errno = 0;
		if (!out_start)
			cli_fail("no memory for the records of frames");
	}
	/* udev handles the new interfaces. */
	helper_run((const char *[]){ "udevadm", "settle", NULL }, false);
	testbus_pattern(&in_bus, set->id, set);
	/* Two nodes of a bus must not send the same identifier. */
	if (set->both)
		testbus_pattern(&out_bus, (set->id + 1) & CAN_SFF_MASK, set);
	start_load(set, cpu);
	rt_lock_memory();
	rt_priority(PRIORITY);
	if (!set->gateway)
		receiver_start(&receiver, in_bus.ifname, room, &options);
}

void run_tear_down(void)
{
	background_stop();
	receiver_stop();
	forwarder_stop();
	bare_stop();
	chain_remove();
	bus_remove_all();
}

/* Counters */

/* What the controllers have sent for the gateway, or what the receiver got */
static uint64_t count_delivered(const struct settings *set)
{
	if (!set->gateway)
		return receiver.received;
	return bus_get(out_bus.name, out_bus.chip, "sent") +
	       (set->both ? bus_get(in_bus.name, in_bus.chip, "sent") : 0);
}

static void count_chip(const struct testbus *tb, struct run_chip *chip)
{
	chip->received = bus_get(tb->name, tb->chip, "received");
	chip->overruns = bus_get(tb->name, tb->chip, "overruns");
	chip->high_water = bus_get(tb->name, tb->chip, "high_water");
	chip->skipped = bus_get(tb->name, NULL, "skipped_ns");
	chip->simulator = bus_get(tb->name, NULL, "cpu_ns");
	chip->accesses = bus_get(tb->name, tb->chip, "accesses");
	chip->interrupts = driver_interrupts(tb->ifname);
	link_stats(tb->ifname, &chip->link);
}

static void count_all(const struct settings *set, struct counters *c)
{
	memset(c, 0, sizeof(*c));
	c->frames = bus_get(in_bus.name, NULL, "frames");
	c->errors = bus_get(in_bus.name, NULL, "error_frames");
	c->bits = bus_get(in_bus.name, NULL, "bits");
	c->sent = bus_get(in_bus.name, in_bus.generator, "sent");
	c->backlog_dropped = link_backlog_dropped();
	count_chip(&in_bus, &c->in);
	if (set->gateway) {
		count_chip(&out_bus, &c->out);
		c->delivered = count_delivered(set);
		if (set->both)
			c->sent += bus_get(out_bus.name, out_bus.generator, "sent");
		c->out_errors = bus_get(out_bus.name, NULL, "error_frames");
		if (set->route == ROUTE_BARE)
			c->gateway.handled = bare_copied();
		else if (set->route != ROUTE_FORWARDER)
			gateway_count(&c->gateway);
	} else {
		c->socket_dropped = receiver_dropped(&receiver);
	}
	background_count(&c->background);
}

static void chip_difference(struct run_chip *d, const struct run_chip *a, const struct run_chip *b)
{
	d->received = b->received - a->received;
	d->overruns = b->overruns - a->overruns;
	d->high_water = b->high_water;
	d->skipped = b->skipped - a->skipped;
	d->simulator = b->simulator - a->simulator;
	d->accesses = b->accesses - a->accesses;
	d->interrupts = b->interrupts - a->interrupts;
	d->link.rx_packets = b->link.rx_packets - a->link.rx_packets;
	d->link.rx_errors = b->link.rx_errors - a->link.rx_errors;
	d->link.rx_dropped = b->link.rx_dropped - a->link.rx_dropped;
	d->link.rx_over_errors = b->link.rx_over_errors - a->link.rx_over_errors;
	d->link.tx_packets = b->link.tx_packets - a->link.tx_packets;
	d->link.tx_errors = b->link.tx_errors - a->link.tx_errors;
	d->link.tx_dropped = b->link.tx_dropped - a->link.tx_dropped;
}

static void background_difference(struct background_count *d, const struct background_count *a,
				  const struct background_count *b)
{
	d->pings = b->pings - a->pings;
	d->bytes = b->bytes - a->bytes;
	d->datagrams = b->datagrams - a->datagrams;
	d->rounds = b->rounds - a->rounds;
	d->cpu = b->cpu - a->cpu;
}

/* A run */

static uint64_t sleep_until(uint64_t when)
{
	while (rt_now() < when && !cli_stopped)
		rt_sleep_until(when);
	return rt_now();
}

/* Wait until no frame has arrived for some time. @all: what count_delivered() returns if none was
 * lost
 */
static void wait_until_quiet(const struct settings *set, uint64_t all)
{
	uint64_t now = rt_now(), since = now, before = count_delivered(set), after;

	while (now - since < (before < all ? LOST_NS : QUIET_NS) && !cli_stopped) {
		now = sleep_until(now + POLL_NS);
		after = count_delivered(set);
		if (after != before)
			since = now;
		before = after;
	}
}

static void wait_for_generator(const struct testbus *tb, const struct settings *set)
{
	const uint64_t limit = END_TIMEOUT_NS + set->period + set->jitter;
	uint64_t before = 0, sent, deadline = rt_now() + limit;

	while (bus_get(tb->name, tb->generator, "run")) {
		sent = bus_get(tb->name, tb->generator, "sent");
		if (sent != before)
			deadline = rt_now() + limit;
		before = sent;
		if (cli_stopped) {
			bus_set(tb->name, tb->generator, "run", "0");
			return;
		}
		errno = 0;
		if (rt_now() > deadline)
			cli_fail("the generator did not finish; %s may not acknowledge frames",
				 tb->ifname);
		sleep_until(rt_now() + (schedule_is_known(set) ? POLL_NS : RUN_POLL_NS));
	}
}

static uint64_t number_of(const struct settings *set, const struct bus_recorded *recorded,
			  uint64_t next)
{
	struct can_frame frame = { .can_id = recorded->can_id, .len = recorded->dlc };

	memcpy(frame.data, recorded->data, sizeof(frame.data));
	return schedule_number(set, &frame, next);
}

/* Note when frames of the second bus began, if not before @since. */
static void note_out_frames(const struct settings *set, uint64_t count, uint64_t since)
{
	struct bus_recorded *recorded;
	uint64_t n = bus_recorded(out_bus.name, out_bus.recorder, &recorded), number, next = 0;

	/* the first ones may be missing, unless those that are there are of a run before */
	errno = 0;
	if (n && n == out_bus.recorded && recorded[0].start >= since)
		cli_fail("%s: too many frames to record", out_bus.name);
	out_delivered = 0;
	out_late = 0;
	out_others = 0;
	for (uint64_t i = 0; i < n; i++) {
		/* Frames of the previous run have the same numbers. */
		if (recorded[i].start < since)
			continue;
		number = number_of(set, &recorded[i], next);
		if (number >= count) {
			out_others++;
			continue;
		}
		if (number < next)
			out_late++;
		else
			next = number + 1;
		if (out_start[number]) {
			out_others++;
			continue;
		}
		out_start[number] = recorded[i].start;
		out_delivered++;
	}
	free(recorded);
}

/* @window: the times before and after the generator was started. */
static void start_generator(uint64_t count, const struct settings *set, uint64_t window[2])
{
	if (set->both)
		testbus_start(&out_bus, count, set);
	window[0] = rt_now();
	testbus_start(&in_bus, count, set);
	window[1] = rt_now();
}

static void run_frames(const struct settings *set, const struct schedule *plan,
		       uint64_t window[2])
{
	uint64_t before = count_delivered(set);

	start_generator(plan->count, set, window);
	sleep_until(window[1] + plan->idle);
	wait_for_generator(&in_bus, set);
	if (set->both)
		wait_for_generator(&out_bus, set);
	wait_until_quiet(set, before + plan->count * (set->both ? 2 : 1));
	if (set->route == ROUTE_FORWARDER)
		forwarder_check();
	if (has_records(set))
		note_out_frames(set, plan->count, window[0]);
}

/* Clear the records, so that frames of the previous run are not counted again. */
static void clear_records(const struct settings *set, uint64_t count)
{
	if (set->gateway)
		memset(out_start, 0, count * sizeof(*out_start));
	else
		receiver_clear(&receiver);
}

/* Send single frames until one has come through a program that was just started. */
static void await_forwarder(const struct settings *set)
{
	uint64_t deadline = rt_now() + START_TIMEOUT_NS, before = count_delivered(set);

	while (set->route == ROUTE_FORWARDER && count_delivered(set) == before && !cli_stopped) {
		forwarder_check();
		errno = 0;
		if (rt_now() > deadline)
			cli_fail("the program of --forwarder does not forward frames");
		testbus_start(&in_bus, 1, set);
		wait_for_generator(&in_bus, set);
		wait_until_quiet(set, before + 1);
	}
}

static void warm_up(const struct settings *set)
{
	uint64_t count = set->period ? 2 * set->burst : WARM_UP, window[2];
	struct schedule plan;

	await_forwarder(set);
	schedule_make(&plan, set, count);
	clear_records(set, count);
	run_frames(set, &plan, window);
	schedule_free(&plan);
	clear_records(set, count);
}

/* Comparison of the computed schedule with the records of the bus */

static _Noreturn void fail_mismatch(const char *what, uint64_t is, uint64_t wanted)
{
	errno = 0;
	cli_fail("bus differs from the schedule: %s %" PRIu64 ", expected %" PRIu64, what, is, wanted);
}

static void check_equal(const char *what, uint64_t is, uint64_t wanted)
{
	if (is != wanted)
		fail_mismatch(what, is, wanted);
}

/* Check the last records of the bus. Returns the time at which the run began. */
static uint64_t check_records(const struct settings *set, const struct schedule *plan)
{
	struct bus_record records[BUS_RECORDS], *last;
	unsigned int n = bus_recent(in_bus.name, records);
	uint64_t i = plan->count, begin;

	last = &records[n - 1];
	begin = last->start - plan->start[plan->count - 1];
	/* From the last frame backwards; the first records may be of the previous run. */
	while (i-- > 0 && last >= records) {
		check_equal("start of a frame", last->start - begin, plan->start[i]);
		check_equal("number of a frame", schedule_number(set, &last->frame, i), i);
		last--;
	}
	return begin;
}

/* Take all times from the recorder of the first bus. */
static void record_plan(const struct settings *set, struct schedule *plan)
{
	struct bus_recorded *recorded;
	uint64_t n = bus_recorded(in_bus.name, in_bus.recorder, &recorded);
	bool good = schedule_record(plan, set, recorded, n);

	free(recorded);
	errno = 0;
	if (!good)
		cli_fail("the records of the first bus are not those of the run");
}

/* Return: the time at which the run began. */
static uint64_t check_times(const struct settings *set, const struct schedule *plan,
			    const uint64_t window[2])
{
	uint64_t begin = check_records(set, plan);

	if (begin < window[0])
		fail_mismatch("start of the first frame", begin, window[0]);
	if (begin > window[1] + set->jitter)
		fail_mismatch("start of the first frame", begin, window[1]);
	return begin;
}

static void check_bus(const struct settings *set, const struct schedule *plan,
		      const struct counters *a, const struct counters *b)
{
	check_equal("error frames", b->errors - a->errors, 0);
	check_equal("error frames on the second bus", b->out_errors - a->out_errors, 0);
	if (set->both)
		return;
	check_equal("frames", b->frames - a->frames, plan->count);
	check_equal("bits", b->bits - a->bits, plan->bits);
}

/* Latencies */

/* CLOCK_REALTIME minus CLOCK_MONOTONIC, from the fastest of several readings */
static uint64_t clock_difference(void)
{
	uint64_t before, took, best = UINT64_MAX, difference = 0;
	struct timespec real;

	for (unsigned int i = 0; i < CLOCK_TRIES; i++) {
		before = rt_now();
		clock_gettime(CLOCK_REALTIME, &real);
		took = rt_now() - before;
		if (took >= best)
			continue;
		best = took;
		difference = real.tv_sec * NSEC_PER_SEC + real.tv_nsec - before - took / 2;
	}
	return difference;
}

static void check_clock(uint64_t before, uint64_t after)
{
	int64_t step = after - before;

	errno = 0;
	if (step > CLOCK_STEP_NS || step < -CLOCK_STEP_NS)
		cli_fail("CLOCK_REALTIME was set during the measurement");
}

/* @at: when a frame reached its destination, or 0 */
static void note_frame(struct run_result *result, const struct schedule *plan, uint64_t begin,
		       uint64_t number, uint64_t at)
{
	uint64_t end = begin + plan->end[number];

	if (at && at < end) {
		errno = 0;
		if (result->in.skipped)
			cli_fail("the CPU is too slow for the simulation: %s skipped %" PRIu64
				 " ns, so latencies are wrong", in_bus.name, result->in.skipped);
		fail_mismatch("a frame of another run arrived", at, end);
	}
	if (at)
		latency_add(&result->to_end, at - end);
	if (!result->frames)
		return;
	result->frames[number].end = plan->end[number];
	result->frames[number].latency = at - end;
	result->frames[number].delivered = at;
}

static void receiver_latencies(const struct schedule *plan, uint64_t begin, uint64_t real,
			       struct run_result *result)
{
	uint64_t end, stamp;

	for (uint64_t i = 0; i < plan->count; i++) {
		note_frame(result, plan, begin, i, receiver.at[i]);
		if (!receiver.at[i] || !receiver.options.stamping)
			continue;
		end = begin + plan->end[i];
		stamp = receiver.stamped[i] - real;
		latency_add(&result->to_stamp, stamp - end);
		latency_add(&result->from_stamp, receiver.at[i] - stamp);
	}
}

static void gateway_latencies(const struct schedule *plan, uint64_t begin,
			      struct run_result *result)
{
	for (uint64_t i = 0; i < plan->count; i++)
		note_frame(result, plan, begin, i, out_start[i]);
}

static void fill_counts(const struct settings *set, const struct counters *a,
			const struct counters *b, struct run_result *result)
{
	result->napi_threads = in_bus.napi_threads;
	result->irq_threads = in_bus.irq_threads;
	result->rx_threads = in_bus.rx_threads;
	result->sent = b->sent - a->sent;
	result->delivered = !set->gateway ? receiver.received :
			    has_records(set) ? out_delivered : b->delivered - a->delivered;
	result->late = has_records(set) ? out_late : receiver.late;
	result->backlog_dropped = b->backlog_dropped - a->backlog_dropped;
	result->socket_dropped = b->socket_dropped - a->socket_dropped;
	result->bits = b->bits - a->bits;
	result->gateway.handled = b->gateway.handled - a->gateway.handled;
	result->gateway.dropped = b->gateway.dropped - a->gateway.dropped;
	chip_difference(&result->in, &a->in, &b->in);
	chip_difference(&result->out, &a->out, &b->out);
	background_difference(&result->background, &a->background, &b->background);
}

static void fill_latencies(const struct settings *set, const struct schedule *plan,
			   const uint64_t window[2], uint64_t real, struct run_result *result)
{
	uint64_t begin;

	if (set->both)
		return;
	begin = check_times(set, plan, window);
	if (set->gateway)
		gateway_latencies(plan, begin, result);
	else
		receiver_latencies(plan, begin, real, result);
	if (set->gateway)
		result->unseen = out_others;
}

/* A part of the longest period of all loads: trains of 1000 datagrams, and 200 ms between them */
static void shift_phase(const struct settings *set)
{
	uint64_t train = 1000 * NSEC_PER_SEC / set->datagrams;

	if (set->seed)
		sleep_until(rt_now() + schedule_scatter(set->seed) % (200 * MSEC + train));
}

void run_measure(const struct settings *set, struct run_result *result)
{
	struct counters before, after;
	uint64_t window[2], real;
	struct schedule plan;

	memset(result, 0, sizeof(*result));
	latency_reserve(&result->to_end, set->count);
	latency_reserve(&result->to_stamp, set->count);
	latency_reserve(&result->from_stamp, set->count);
	if (set->frames)
		result->frames = calloc(set->count, sizeof(*result->frames));
	errno = 0;
	if (set->frames && !result->frames)
		cli_fail("no memory for the frames");
	warm_up(set);
	schedule_make(&plan, set, set->count);
	clear_records(set, plan.count);
	shift_phase(set);
	real = clock_difference();
	count_all(set, &before);
	run_frames(set, &plan, window);
	count_all(set, &after);
	fill_counts(set, &before, &after, result);
	result->complete = !cli_stopped;
	if (result->complete && !schedule_is_known(set))
		record_plan(set, &plan);
	result->time = plan.idle;
	if (result->complete) {
		check_bus(set, &plan, &before, &after);
		if (set->stamp)
			check_clock(real, clock_difference());
		fill_latencies(set, &plan, window, real, result);
	}
	schedule_free(&plan);
}

void run_free(struct run_result *result)
{
	free(result->frames);
	latency_free(&result->to_end);
	latency_free(&result->to_stamp);
	latency_free(&result->from_stamp);
}

uint64_t run_lost(const struct run_result *result)
{
	return result->sent > result->delivered ? result->sent - result->delivered : 0;
}
