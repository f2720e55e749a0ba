// SPDX-License-Identifier: GPL-2.0-only
/*
 * The measurement. Receive side: a socket fills the queue of the receiver, and the time of
 * draining the queue is measured. Send side: the time of sending is measured; the frames are
 * queued in a receiver, which is drained without measuring the time.
 *
 * Frames are processed in chunks that fit into the queue, so no frame is dropped. The clock
 * is read before and after a chunk. The first chunk is not counted: it brings code and
 * memory into the caches.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "link.h"
#include "measure.h"
#include "queue.h"
#include "rawsock.h"
#include "rt.h"

/* Larger chunks would only need more memory. */
#define CHUNK_MAX 16384

/* Local frames arrive immediately, unless the host is paused. */
#define TIMEOUT_NS 30000000000ULL
#define POLL_NS 1000000ULL

/**
 * struct run - a measurement of a method
 * @state: state of the method
 * @sink: receiver of the frames of the send side, if @sink_open
 * @looped: sent frames arrive in @sink
 * @chunk: number of frames per chunk
 */
struct run {
	const struct bench *bench;
	const struct figure *figure;
	const struct method *method;
	void *state;
	struct queue sink;
	bool sink_open;
	bool looped;
	unsigned int chunk;
};

void *bench_alloc(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		cli_fail("allocating %zu times %zu bytes", count, size);
	return memory;
}

static unsigned int frames_waiting(const struct run *run)
{
	if (run->method->side == SIDE_RX)
		return run->method->waiting(run->state);
	return run->sink_open ? queue_waiting(&run->sink) : 0;
}

/* Wait until @count frames are in the queue. */
static enum outcome wait_for_frames(const struct run *run, unsigned int count)
{
	uint64_t deadline = rt_now() + TIMEOUT_NS;
	unsigned int there;

	while ((there = frames_waiting(run)) < count) {
		if (cli_stopped)
			return OUTCOME_STOPPED;
		if (rt_now() > deadline) {
			cli_warn("%s: only %u of %u frames were queued",
				 run->figure->name, there, count);
			return OUTCOME_LOST;
		}
		rt_sleep_until(rt_now() + POLL_NS);
	}
	if (there == count)
		return OUTCOME_DONE;
	cli_warn("%s: %u frames arrived, but %u were sent: another program uses %s",
		 run->figure->name, there, count, run->bench->ifname);
	return OUTCOME_LOST;
}

static enum outcome fill_queue(const struct run *run, unsigned int count)
{
	const struct bench *bench = run->bench;

	for (unsigned int i = 0; i < count; i++)
		if (!rawsock_send(bench->feeder, &bench->frame, bench->size, UINT64_MAX))
			return OUTCOME_STOPPED;
	return wait_for_frames(run, count);
}

/* The only function in which time is measured */
static enum outcome transfer_timed(const struct run *run, unsigned int count, uint64_t *ns)
{
	unsigned int done;
	uint64_t start;

	errno = 0;
	start = rt_now();
	done = run->method->transfer(run->state, count);
	*ns += rt_now() - start;
	if (done == count)
		return OUTCOME_DONE;
	if (cli_stopped)
		return OUTCOME_STOPPED;
	cli_warn("%s: only %u of %u frames were %s%s%s", run->figure->name, done, count,
		 run->method->side == SIDE_RX ? "received" : "sent",
		 errno ? ": " : "", errno ? strerror(errno) : "");
	return OUTCOME_LOST;
}

static enum outcome empty_sink(const struct run *run, unsigned int count)
{
	enum outcome outcome = wait_for_frames(run, run->looped ? count : 0);

	if (outcome != OUTCOME_DONE || !run->looped)
		return outcome;
	if (queue_drain(&run->sink, run->bench->size, count) == count)
		return OUTCOME_DONE;
	cli_warn("%s: reading %u frames of the receiver failed", run->figure->name, count);
	return OUTCOME_LOST;
}

static enum outcome measure_chunk(const struct run *run, unsigned int count, uint64_t *ns)
{
	enum outcome outcome = OUTCOME_DONE;

	if (run->method->side == SIDE_RX)
		outcome = fill_queue(run, count);
	if (outcome == OUTCOME_DONE)
		outcome = transfer_timed(run, count, ns);
	if (outcome == OUTCOME_DONE && run->method->side == SIDE_TX)
		outcome = empty_sink(run, count);
	return cli_stopped ? OUTCOME_STOPPED : outcome;
}

/* Check that the interface has sent exactly the frames of a repeat. */
static enum outcome check_sent(const struct run *run, uint64_t before)
{
	uint64_t deadline = rt_now() + TIMEOUT_NS;
	uint64_t wanted = before + run->bench->frames;
	uint64_t now;

	while ((now = link_sent(run->bench->ifindex)) < wanted && rt_now() < deadline && !cli_stopped)
		rt_sleep_until(rt_now() + POLL_NS);
	if (now == wanted)
		return OUTCOME_DONE;
	if (cli_stopped)
		return OUTCOME_STOPPED;
	cli_warn("%s: %s has sent %" PRIu64 " frames instead of %" PRIu64 "%s",
		 run->figure->name, run->bench->ifname, now - before, run->bench->frames,
		 now > wanted ? ": another program uses it" : "");
	return OUTCOME_LOST;
}

static enum outcome measure_repeat(const struct run *run, double *ns_per_frame)
{
	uint64_t left = run->bench->frames, before = link_sent(run->bench->ifindex), ns = 0;
	enum outcome outcome;

	while (left) {
		unsigned int count = left < run->chunk ? left : run->chunk;

		outcome = measure_chunk(run, count, &ns);
		if (outcome != OUTCOME_DONE)
			return outcome;
		left -= count;
	}
	*ns_per_frame = (double)ns / run->bench->frames;
	return check_sent(run, before);
}

static void open_run(struct run *run, const struct bench *bench, const struct figure *figure)
{
	unsigned int room = CHUNK_MAX;

	memset(run, 0, sizeof(*run));
	run->bench = bench;
	run->figure = figure;
	run->method = figure->method;
	run->chunk = bench->frames < CHUNK_MAX ? bench->frames : CHUNK_MAX;
	run->state = run->method->open(bench, figure->batch, run->chunk);
	run->sink_open = run->method->side == SIDE_TX && bench->receiver;
	if (run->sink_open)
		queue_open(&run->sink, bench, run->chunk);
	run->looped = run->sink_open &&
		      (run->method->socket_looped || link_echoes(bench->ifindex));
	if (run->method->side == SIDE_RX)
		room = run->method->room(run->state);
	else if (run->sink_open)
		room = queue_room(&run->sink);
	if (room < run->chunk)
		run->chunk = room;
	errno = 0;
	if (!run->chunk)
		cli_fail("%s: receive queue is too small for a frame", figure->name);
}

static void close_run(struct run *run)
{
	run->method->close(run->state);
	if (run->sink_open)
		close(run->sink.fd);
}

enum outcome measure(const struct bench *bench, struct figure *figure, unsigned int repeat)
{
	enum outcome outcome;
	uint64_t unused = 0;
	struct run run;

	open_run(&run, bench, figure);
	outcome = measure_chunk(&run, run.chunk, &unused);
	while (outcome == OUTCOME_DONE && figure->repeats < repeat) {
		outcome = measure_repeat(&run, &figure->ns[figure->repeats]);
		if (outcome == OUTCOME_DONE)
			figure->repeats++;
	}
	/* If the interface is down, report that instead of lost frames. */
	if (outcome == OUTCOME_LOST)
		rawsock_up(bench->ifname);
	close_run(&run);
	return outcome;
}

void measure_probe(const struct bench *bench, const struct figure *figure)
{
	struct run run;

	open_run(&run, bench, figure);
	close_run(&run);
}
