// SPDX-License-Identifier: GPL-2.0-only
/*
 * A gateway. The main thread: it opens everything, starts a thread per direction,
 * and waits for a signal, for the end of a thread, or for a time without frames.
 *
 * The threads that forward may sleep in read(), with no regard to anything else: what
 * the end needs must not cost a frame anything. So the main thread gets them out of
 * there by a signal, again and again until they have ended, as a single one might come
 * just before they go to sleep.
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

/* A time without frames is noticed after at most this share of it more. */
#define IDLE_LOOKS 4

static uint32_t choose_mark(const struct settings *set)
{
	uint32_t mark = set->mark;

	/* neither 0, which is what all other frames have, nor 1: 1 ^ 1 is 0 */
	while (mark < 2)
		if (getrandom(&mark, sizeof(mark), 0) != sizeof(mark))
			cli_fail("a random number for the mark");
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
		cli_warn("%s cannot send CAN FD frames: those of %s will be dropped and counted as unsendable",
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

/* No SA_RESTART: the signal is there to end system calls. */
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
	/* none may be handled between a look at cli_stopped and the sleep in ppoll() */
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
			cli_fail("a thread for %s", dir->rx.port->name);
	}
}

static uint64_t frames_so_far(struct gateway *gw)
{
	uint64_t frames = 0;

	for (unsigned int i = 0; i < gw->directions; i++)
		frames += atomic_load_explicit(&gw->direction[i].received, memory_order_relaxed);
	return frames;
}

/* Returns at a signal, at the end of a thread, or after @idle ns without a frame. */
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
		cli_fail("eventfd");
	/* it has to get the CPU from threads that wait busily */
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
