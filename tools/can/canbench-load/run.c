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
#include "cli.h"
#include "helper.h"
#include "receiver.h"
#include "rt.h"
#include "run.h"
#include "schedule.h"
#include "driver.h"

#define NSEC_PER_SEC 1000000000ULL
#define MSEC 1000000ULL

/* Above the background load, below interrupt threads and the receiving thread */
#define PRIORITY 1

/* Unmeasured frames before a run without bursts */
#define WARM_UP 64

/* Frames are lost if no frame has arrived for this time. */
#define QUIET_NS (100 * MSEC)

/* Polling interval, and time limit for the end of a run */
#define POLL_NS (10 * MSEC)
#define END_TIMEOUT_NS (10 * NSEC_PER_SEC)

/* Larger differences mean that the clock was set during the run. */
#define CLOCK_STEP_NS 20000
#define CLOCK_TRIES 10

#define NAME_SIZE 16

/**
 * struct test_bus - a bus with a generator and a controller
 * @name: of the bus; @ifname: name of the interface
 * @chip, @generator: directories of the nodes
 * @napi_threads, @irq_threads, @rx_threads: such threads exist, and were set
 */
struct test_bus {
	char name[2 * NAME_SIZE], ifname[NAME_SIZE];
	char chip[BUS_NODE_NAME], generator[BUS_NODE_NAME];
	bool napi_threads, irq_threads, rx_threads;
};

static struct test_bus in_bus, out_bus;

/* Directory of the node that records the second bus */
static char recorder[BUS_NODE_NAME];

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

static void make_recorder(const struct test_bus *tb, uint64_t room, const struct settings *set)
{
	bus_node(tb->name, "recorder", "bus", recorder);
	bus_set_number(tb->name, recorder, "bitrate", set->bitrate);
	/* a gateway may send each of them twice */
	room *= 2;
	if (room > BUS_RECORDED)
		room = BUS_RECORDED;
	bus_set_number(tb->name, recorder, "frames", room);
}

/* @room: number of frames that a node has to record, 0 without one */
static void make_bus(struct test_bus *tb, const char *chip, unsigned int number,
		     uint64_t room, const struct settings *set)
{
	/* The pid keeps the names of concurrent instances apart. */
	snprintf(tb->name, sizeof(tb->name), "canbench-load-%d-%u", getpid(), number);
	snprintf(tb->ifname, sizeof(tb->ifname), "cbl%dx%u", getpid(), number);
	bus_make(tb->name);
	bus_node(tb->name, "generator", "load", tb->generator);
	bus_node(tb->name, chip, tb->ifname, tb->chip);
	bus_set_number(tb->name, tb->generator, "bitrate", set->bitrate);
	if (room)
		make_recorder(tb, room, set);
	bus_live(tb->name);
	link_up(tb->ifname, set->bitrate);
	if (set->napi_priority)
		tb->napi_threads = driver_napi_thread(tb->ifname, set->napi_priority);
	if (set->irq_priority)
		tb->irq_threads = driver_irq_thread(tb->ifname, set->irq_priority);
	if (set->rx_priority)
		tb->rx_threads = driver_rx_thread(tb->ifname, set->rx_priority);
	if (set->rx_cpu != SETTINGS_DEFAULT_CPU)
		tb->rx_threads = driver_rx_bind(tb->ifname, set->rx_cpu);
	if (set->flush_timeout)
		driver_defer(tb->ifname, set->flush_timeout);
}

static void set_frame_pattern(const struct test_bus *tb, unsigned int first_id,
			      const struct settings *set)
{
	char id[8];

	snprintf(id, sizeof(id), "%03X", first_id);
	bus_set(tb->name, tb->generator, "id", id);
	bus_set(tb->name, tb->generator, "id_mode",
		schedule_by_id(set->dlc) ? "increment" : "fixed");
	bus_set(tb->name, tb->generator, "data", "increment");
	bus_set_number(tb->name, tb->generator, "dlc", set->dlc);
}

static void start_gateway(const struct settings *set)
{
	bool express = set->route == ROUTE_EXPRESS;

	if (set->route == ROUTE_BARE) {
		bare_start(in_bus.ifname, out_bus.ifname, set->both);
		return;
	}
	gateway_add(in_bus.ifname, out_bus.ifname, express, set->rules);
	if (set->both)
		gateway_add(out_bus.ifname, in_bus.ifname, express, set->rules);
}

static void start_load(const struct settings *set, unsigned int cpu)
{
	if (set->load_cpu != SETTINGS_DEFAULT_CPU)
		rt_bind(0, set->load_cpu);
	background_start(set->background, set->ping_bytes);
	rt_bind(0, cpu);
}

void run_set_up(const struct settings *set)
{
	/* The interrupts of a bus arrive at the CPU on which its generator was started. */
	unsigned int cpu = sched_getcpu();
	const struct receiver_options options = {
		.stamping = set->stamp, .priority = set->priority, .busy_poll = set->busy_poll,
		.waiting = set->waiting,
		.cpu = set->reader_cpu == SETTINGS_DEFAULT_CPU ? cpu : (unsigned int)set->reader_cpu,
	};
	uint64_t room = set->count + set->burst * 2 + WARM_UP;

	rt_bind(0, cpu);
	bus_need();
	make_bus(&in_bus, set->chip, 0, 0, set);
	if (set->gateway) {
		make_bus(&out_bus, set->gateway, 1, has_records(set) ? room : 0, set);
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
	set_frame_pattern(&in_bus, SCHEDULE_ID, set);
	/* Two nodes of a bus must not send the same identifier. */
	if (set->both)
		set_frame_pattern(&out_bus, SCHEDULE_ID + 1, set);
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
	bare_stop();
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

static void count_chip(const struct test_bus *tb, struct run_chip *chip)
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
		else
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

/* Wait until no frame has arrived for QUIET_NS. */
static void wait_until_quiet(const struct settings *set)
{
	uint64_t now = rt_now(), since = now, before = count_delivered(set), after;

	while (now - since < QUIET_NS && !cli_stopped) {
		now = sleep_until(now + POLL_NS);
		after = count_delivered(set);
		if (after != before)
			since = now;
		before = after;
	}
}

static void wait_for_generator(const struct test_bus *tb)
{
	uint64_t deadline = rt_now() + END_TIMEOUT_NS;

	while (bus_get(tb->name, tb->generator, "run")) {
		if (cli_stopped) {
			bus_set(tb->name, tb->generator, "run", "0");
			return;
		}
		errno = 0;
		if (rt_now() > deadline)
			cli_fail("the generator did not finish; %s may not acknowledge frames",
				 tb->ifname);
		sleep_until(rt_now() + POLL_NS);
	}
}

static uint64_t number_of(const struct bus_recorded *recorded, uint64_t next)
{
	struct can_frame frame = { .can_id = recorded->can_id, .len = recorded->dlc };

	memcpy(frame.data, recorded->data, sizeof(frame.data));
	return schedule_number(&frame, next);
}

/* Note when frames of the second bus began, if not before @since. */
static void note_out_frames(uint64_t count, uint64_t since)
{
	struct bus_recorded *recorded;
	uint64_t n = bus_recorded(out_bus.name, recorder, &recorded), number, next = 0;

	out_delivered = 0;
	out_late = 0;
	out_others = 0;
	for (uint64_t i = 0; i < n; i++) {
		/* Frames of the previous run have the same numbers. */
		if (recorded[i].start < since)
			continue;
		number = number_of(&recorded[i], next);
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

static void set_generator(const struct test_bus *tb, uint64_t count, const struct settings *set)
{
	bus_set_number(tb->name, tb->generator, "burst", set->burst);
	bus_set_number(tb->name, tb->generator, "period_ns", set->period);
	bus_set_number(tb->name, tb->generator, "count", count);
}

/* @window: the times before and after the generator was started. */
static void start_generator(uint64_t count, const struct settings *set, uint64_t window[2])
{
	set_generator(&in_bus, count, set);
	if (set->both) {
		set_generator(&out_bus, count, set);
		bus_set(out_bus.name, out_bus.generator, "run", "1");
	}
	window[0] = rt_now();
	bus_set(in_bus.name, in_bus.generator, "run", "1");
	window[1] = rt_now();
}

static void run_frames(const struct settings *set, const struct schedule *plan,
		       uint64_t window[2])
{
	start_generator(plan->count, set, window);
	sleep_until(window[1] + plan->idle);
	wait_for_generator(&in_bus);
	if (set->both)
		wait_for_generator(&out_bus);
	wait_until_quiet(set);
	if (has_records(set))
		note_out_frames(plan->count, window[0]);
}

/* Clear the records, so that frames of the previous run are not counted again. */
static void clear_records(const struct settings *set, uint64_t count)
{
	if (set->gateway)
		memset(out_start, 0, count * sizeof(*out_start));
	else
		receiver_clear(&receiver);
}

static void warm_up(const struct settings *set)
{
	uint64_t count = set->period ? 2 * set->burst : WARM_UP, window[2];
	struct schedule plan;

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

/* Check the recorded times, and return the time at which the run began. */
static uint64_t check_times(const struct schedule *plan, const uint64_t window[2])
{
	struct bus_record records[BUS_RECORDS], *last;
	unsigned int n = bus_recent(in_bus.name, records);
	uint64_t i = plan->count, begin;

	last = &records[n - 1];
	begin = last->start - plan->start[plan->count - 1];
	/* From the last frame backwards; the first records may be of the previous run. */
	while (i-- > 0 && last >= records) {
		check_equal("start of a frame", last->start - begin, plan->start[i]);
		check_equal("number of a frame", schedule_number(&last->frame, i), i);
		last--;
	}
	if (begin < window[0])
		fail_mismatch("start of the first frame", begin, window[0]);
	if (begin > window[1])
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

static void receiver_latencies(const struct schedule *plan, uint64_t begin, uint64_t real,
			       struct run_result *result)
{
	uint64_t end, stamp;

	for (uint64_t i = 0; i < plan->count; i++) {
		if (!receiver.at[i])
			continue;
		end = begin + plan->end[i];
		latency_add(&result->to_end, receiver.at[i] - end);
		if (!receiver.options.stamping)
			continue;
		stamp = receiver.stamped[i] - real;
		latency_add(&result->to_stamp, stamp - end);
		latency_add(&result->from_stamp, receiver.at[i] - stamp);
	}
}

static void gateway_latencies(const struct schedule *plan, uint64_t begin,
			      struct run_result *result)
{
	for (uint64_t i = 0; i < plan->count; i++)
		if (out_start[i] > begin + plan->end[i])
			latency_add(&result->to_end, out_start[i] - begin - plan->end[i]);
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

	result->time = plan->idle;
	if (set->both)
		return;
	begin = check_times(plan, window);
	if (set->gateway)
		gateway_latencies(plan, begin, result);
	else
		receiver_latencies(plan, begin, real, result);
	if (set->gateway)
		result->unseen = out_others;
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
	warm_up(set);
	schedule_make(&plan, set, set->count);
	clear_records(set, plan.count);
	real = clock_difference();
	count_all(set, &before);
	run_frames(set, &plan, window);
	count_all(set, &after);
	fill_counts(set, &before, &after, result);
	result->complete = !cli_stopped;
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
	latency_free(&result->to_end);
	latency_free(&result->to_stamp);
	latency_free(&result->from_stamp);
}

uint64_t run_full_period(const struct settings *set)
{
	struct settings full = *set;
	struct schedule plan;
	uint64_t period;

	full.period = 0;
	schedule_make(&plan, &full, full.count);
	period = plan.idle / plan.count;
	schedule_free(&plan);
	return period;
}

uint64_t run_lost(const struct run_result *result)
{
	return result->sent > result->delivered ? result->sent - result->delivered : 0;
}
