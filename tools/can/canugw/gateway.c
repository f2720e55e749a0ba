// SPDX-License-Identifier: GPL-2.0-only
/*
 * The main thread of a gateway: it opens everything, starts a thread per direction, and waits
 * for a signal, for the end of a thread, or for a time without frames.
 *
 * The forwarding threads may sleep in read(), because polling for the end would add costs to
 * each frame. The main thread interrupts them with a signal, repeatedly until they have ended,
 * because a single signal might arrive just before read().
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli.h"
#include "gateway.h"
#include "rt.h"
#include "stop.h"
#include "variant.h"

#define WAKE_SIGNAL SIGUSR1
#define WAKE_INTERVAL_NS 10000000L

/* --idle-timeout is checked this many times per period. */
#define IDLE_LOOKS 4

static uint32_t choose_mark(const struct settings *set)
{
	uint32_t mark = set->mark;

	/* 0 is the mark of all other frames, and 1 ^ 1 is 0. */
	while (mark < 2)
		if (getrandom(&mark, sizeof(mark), 0) != sizeof(mark))
			cli_fail("getting a random number for the mark");
	return mark;
}

static void choose_marks(struct gateway *gw, const struct settings *set)
{
	gw->port[0].mark = choose_mark(set);
	gw->port[1].mark = gw->port[0].mark ^ 1;
}

static void warn_of_mtu(const struct port *from, const struct port *to)
{
	if (from->mtu >= CANFD_MTU && to->mtu < CANFD_MTU)
		cli_warn("%s cannot send CAN FD frames: those from %s are dropped and counted as unsendable",
			 to->name, from->name);
}

void gateway_open(struct gateway *gw, const struct settings *set)
{
	port_open(&gw->port[0], set->in, true);
	port_open(&gw->port[1], set->out, set->both);
	errno = 0;
	if (gw->port[0].ifindex == gw->port[1].ifindex)
		cli_fail("%s and %s are the same interface", set->in, set->out);
	if (set->both && variant_needs_mark(set->variant))
		choose_marks(gw, set);
	gw->quota = set->count;
	gw->directions = set->both ? 2 : 1;
	for (unsigned int i = 0; i < gw->directions; i++) {
		struct direction *dir = &gw->direction[i];

		warn_of_mtu(&gw->port[i], &gw->port[!i]);
		dir->quota = set->count ? &gw->quota : NULL;
		dir->priority = set->priority;
		forward_open(dir, set, &gw->port[i], &gw->port[!i]);
	}
}

static void ignore_signal(int sig)
{
	(void)sig;
}

/* No SA_RESTART: the signal must interrupt system calls. */
static void set_signals(sigset_t *before)
{
	struct sigaction action = { .sa_handler = ignore_signal };
	sigset_t blocked;

	sigemptyset(&action.sa_mask);
	sigaction(WAKE_SIGNAL, &action, NULL);
	cli_catch_stop();
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGINT);
	sigaddset(&blocked, SIGTERM);
	/* No signal may be handled between the check of cli_stopped and ppoll(). */
	pthread_sigmask(SIG_BLOCK, &blocked, before);
}

static void start_threads(struct gateway *gw, int on_end)
{
	for (unsigned int i = 0; i < gw->directions; i++) {
		struct direction *dir = &gw->direction[i];
		int err;

		dir->on_end = on_end;
		err = pthread_create(&dir->thread, NULL, forward_run, dir);
		errno = err;
		if (err)
			cli_fail("creating a thread for %s", dir->rx.port->name);
	}
}

static uint64_t frames_so_far(struct gateway *gw)
{
	uint64_t frames = 0;

	for (unsigned int i = 0; i < gw->directions; i++)
		frames += atomic_load_explicit(&gw->direction[i].received, memory_order_relaxed);
	return frames;
}

/* Return at a signal, at the end of a thread, or after @idle ns without a frame. */
static void wait_for_end(struct gateway *gw, int on_end, uint64_t idle, const sigset_t *before)
{
	struct timespec look = {
		.tv_sec = idle / IDLE_LOOKS / 1000000000,
		.tv_nsec = idle / IDLE_LOOKS % 1000000000,
	};
	struct pollfd end = { .fd = on_end, .events = POLLIN };
	uint64_t frames = 0, last = rt_now();

	while (!cli_stopped && !end.revents) {
		uint64_t now, seen;

		ppoll(&end, 1, idle ? &look : NULL, before);
		now = rt_now();
		seen = frames_so_far(gw);
		if (seen != frames)
			last = now;
		else if (idle && now - last >= idle)
			break;
		frames = seen;
	}
}

static void end_thread(pthread_t thread)
{
	struct timespec until;

	do {
		pthread_kill(thread, WAKE_SIGNAL);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += WAKE_INTERVAL_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
}

static void print_ready(const struct gateway *gw, const struct settings *set)
{
	fprintf(stderr, "canugw: ready: %s %s %s %s\n", set->variant->name, gw->port[0].name,
		gw->directions == 2 ? "<->" : "->", gw->port[1].name);
}

void gateway_run(struct gateway *gw, const struct settings *set)
{
	int on_end = eventfd(0, EFD_CLOEXEC);
	sigset_t before;

	if (on_end < 0)
		cli_fail("creating an eventfd");
	/* The main thread must be able to preempt busy-polling threads. */
	rt_priority(set->priority ? set->priority + 1 : 0);
	set_signals(&before);
	start_threads(gw, on_end);
	print_ready(gw, set);
	wait_for_end(gw, on_end, set->idle, &before);
	gw->complete = !cli_stopped || (!set->count && !set->idle);
	stop_request();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	for (unsigned int i = 0; i < gw->directions; i++) {
		end_thread(gw->direction[i].thread);
		if (gw->direction[i].failed)
			gw->complete = false;
	}
	close(on_end);
}
