// SPDX-License-Identifier: GPL-2.0-only
/*
 * faultbus: a CAN-to-CAN gateway with known faults, for tests. It forwards frames of other
 * sockets from one interface to another, and delays, drops, duplicates or swaps frames.
 *
 * One thread with a poll loop. Frames are counted from 1 in each direction; "every N-th"
 * frame is one whose count is a multiple of N. faultbus prints "ready" when its sockets are
 * bound. On SIGTERM or SIGINT it prints a line of counters for each direction, and exits
 * with 0:
 *
 *	FROM TO received 9 sent 9 dropped 0 duplicated 0 swapped 0 waiting 0 missed 0
 *
 * sent = received - dropped + duplicated - waiting. Missed frames did not fit into the
 * receive queue of faultbus; tests must check that there are none.
 *
 * With --log, it writes a line for each sent frame: its count, the kernel timestamp of its
 * reception, and CLOCK_REALTIME before and after it was sent, in ns. Tests compare
 * measurements with these times, independently of the speed of the host.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli.h"
#include "rawsock.h"
#include "rt.h"

#define RECEIVE_QUEUE 65536	/* frames */
#define RECEIVE_BATCH 64	/* frames read before due ones are sent */
#define SEND_TIMEOUT 10000000000ULL

struct faults {
	uint64_t delay;
	uint64_t drop;		/* every N-th frame, 0: none; likewise below */
	uint64_t duplicate;
	uint64_t swap;
};

/* struct waiting - a frame on its way. @number: its count; @due: CLOCK_MONOTONIC in ns */
struct waiting {
	struct rawsock_frame rx;
	uint64_t number;
	uint64_t due;
	unsigned int copies;
};

/**
 * struct direction - one direction of the gateway
 * @ring: frames that wait for their due time, in order
 * @held: frame that waits for its successor, if @holding
 * @log: file for a line per sent frame, or NULL
 */
struct direction {
	const char *from, *to;
	int from_fd, to_fd;
	struct waiting *ring;
	size_t room, first, count;
	struct waiting held;
	bool holding;
	FILE *log;
	uint64_t received, sent, dropped, duplicated, swapped, missed;
};

static void ring_grow(struct direction *d)
{
	size_t room = d->room ? 2 * d->room : 1024, i;
	struct waiting *ring = calloc(room, sizeof(*ring));

	if (!ring)
		cli_fail("allocating memory for %zu frames", room);
	for (i = 0; i < d->count; i++)
		ring[i] = d->ring[(d->first + i) % d->room];
	free(d->ring);
	d->ring = ring;
	d->room = room;
	d->first = 0;
}

static void ring_put(struct direction *d, const struct waiting *w)
{
	if (d->count == d->room)
		ring_grow(d);
	d->ring[(d->first + d->count++) % d->room] = *w;
}

static bool is_multiple(uint64_t count, uint64_t n)
{
	return n && count % n == 0;
}

/* Apply the faults to the received frame in @w. */
static void accept_frame(struct direction *d, struct waiting *w, const struct faults *f)
{
	uint64_t count = ++d->received;

	if (is_multiple(count, f->drop)) {
		d->dropped++;
		return;
	}
	w->number = count;
	w->due = rt_now() + f->delay;
	w->copies = is_multiple(count, f->duplicate) ? 2 : 1;

	if (d->holding) {
		ring_put(d, w);
		/* Not before its own due time, and the ring stays sorted. */
		d->held.due = w->due;
		ring_put(d, &d->held);
		d->holding = false;
		d->swapped++;
	} else if (is_multiple(count, f->swap)) {
		d->held = *w;
		d->holding = true;
	} else {
		ring_put(d, w);
	}
}

static void receive_frames(struct direction *d, const struct faults *f)
{
	struct waiting w;
	int i;

	for (i = 0; i < RECEIVE_BATCH && rawsock_recv(d->from_fd, &w.rx, 0) == 1; i++) {
		d->missed = w.rx.dropped;
		accept_frame(d, &w, f);
	}
}

/* CLOCK_REALTIME, the clock of kernel timestamps */
static uint64_t time_of_day(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void send_frame(struct direction *d, const struct waiting *w)
{
	uint64_t before = time_of_day();

	errno = 0;
	if (!rawsock_send(d->to_fd, &w->rx.frame, w->rx.size, rt_now() + SEND_TIMEOUT))
		cli_fail("%s: queue stays full", d->to);
	d->sent++;
	if (d->log)
		fprintf(d->log, "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			w->number, w->rx.stamp, before, time_of_day());
}

/* Send due frames. Returns the next due time, UINT64_MAX: none. */
static uint64_t send_due(struct direction *d)
{
	while (d->count && d->ring[d->first].due <= rt_now()) {
		struct waiting *w = &d->ring[d->first];

		send_frame(d, w);
		if (--w->copies) {
			d->duplicated++;
			continue;
		}
		d->first = (d->first + 1) % d->room;
		d->count--;
	}
	return d->count ? d->ring[d->first].due : UINT64_MAX;
}

/* Forward until a signal arrives; @unblocked is the signal mask for waiting. */
static void forward_frames(struct direction *d, int directions, const struct faults *f,
			   const sigset_t *unblocked)
{
	while (!cli_stopped) {
		struct pollfd fds[2] = { 0 };
		uint64_t next = UINT64_MAX, now;
		struct timespec wait;
		int i;

		for (i = 0; i < directions; i++) {
			uint64_t due = send_due(&d[i]);

			next = due < next ? due : next;
			fds[i].fd = d[i].from_fd;
			fds[i].events = POLLIN;
		}
		now = rt_now();
		next = next > now ? next - now : 0;
		wait.tv_sec = next / 1000000000;
		wait.tv_nsec = next % 1000000000;
		ppoll(fds, directions, &wait, unblocked);
		for (i = 0; i < directions; i++)
			receive_frames(&d[i], f);
	}
}

static void print_counters(const struct direction *d)
{
	printf("%s %s received %ju sent %ju dropped %ju duplicated %ju swapped %ju waiting %ju missed %ju\n",
	       d->from, d->to, (uintmax_t)d->received, (uintmax_t)d->sent,
	       (uintmax_t)d->dropped, (uintmax_t)d->duplicated, (uintmax_t)d->swapped,
	       (uintmax_t)(d->count + d->holding), (uintmax_t)d->missed);
}

static void print_usage(void)
{
	puts("usage: faultbus [OPTION...] FROM TO\n"
	     "\n"
	     "Forwards CAN frames from interface FROM to interface TO, with known faults.\n"
	     "\n"
	     "  -d, --delay TIME    forward each frame after TIME, in order\n"
	     "  -D, --drop N        drop every N-th frame\n"
	     "  -u, --duplicate N   send every N-th frame twice\n"
	     "  -s, --swap N        send every N-th frame after its successor\n"
	     "  -b, --both          also forward from TO to FROM, with the same faults\n"
	     "  -l, --log FILE      write the times of each frame; not with --both\n"
	     "  -h, --help\n"
	     "\n"
	     "Prints \"ready\" when it can forward, and counters at SIGTERM.");
}

/**
 * struct command - the command line
 * @directions: 1, or 2 with --both
 * @log: file of --log, or NULL
 */
struct command {
	struct faults faults;
	int directions;
	const char *log;
};

static void parse_command_line(int argc, char **argv, struct command *cmd)
{
	static const struct option options[] = {
		{ "delay", required_argument, NULL, 'd' },
		{ "drop", required_argument, NULL, 'D' },
		{ "duplicate", required_argument, NULL, 'u' },
		{ "swap", required_argument, NULL, 's' },
		{ "both", no_argument, NULL, 'b' },
		{ "log", required_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	struct faults *f = &cmd->faults;
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "d:D:u:s:bl:h", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			f->delay = cli_duration("--delay", optarg, 0, UINT64_MAX / 2);
			break;
		case 'D':
			f->drop = cli_number("--drop", optarg, 1, UINT64_MAX);
			break;
		case 'u':
			f->duplicate = cli_number("--duplicate", optarg, 1, UINT64_MAX);
			break;
		case 's':
			f->swap = cli_number("--swap", optarg, 1, UINT64_MAX);
			break;
		case 'b':
			cmd->directions = 2;
			break;
		case 'l':
			cmd->log = optarg;
			break;
		case 'h':
			print_usage();
			exit(CLI_OK);
		default:
			cli_usage("unknown option or missing value: %s", argv[optind - 1]);
		}
	}
	if (argc - optind != 2)
		cli_usage("exactly two interfaces are required: FROM and TO");
	if (cmd->log && cmd->directions == 2)
		cli_usage("--log cannot be combined with --both");
}

/* One socket per interface, which does not receive its own frames. */
static void open_directions(struct direction *d, int directions, char **names)
{
	unsigned int flags = RAWSOCK_FD | RAWSOCK_NONBLOCK | RAWSOCK_STAMP;
	int from = rawsock_open(names[0], flags);
	int to = rawsock_open(names[1], directions == 2 ? flags : flags | RAWSOCK_NO_RX);

	d[0] = (struct direction){
		.from = names[0], .to = names[1], .from_fd = from, .to_fd = to,
	};
	d[1] = (struct direction){
		.from = names[1], .to = names[0], .from_fd = to, .to_fd = from,
	};
	for (int i = 0; i < directions; i++)
		rawsock_rcvbuf(d[i].from_fd, RECEIVE_QUEUE);
}

static FILE *open_log(const char *name)
{
	FILE *log = fopen(name, "w");

	if (!log)
		cli_fail("--log: %s", name);
	return log;
}

static void close_log(FILE *log, const char *name)
{
	/* Both, because fclose() does not report earlier errors. */
	if (ferror(log) | fclose(log))
		cli_fail("--log: writing %s", name);
}

int main(int argc, char **argv)
{
	struct command cmd = { .directions = 1 };
	struct direction d[2];
	sigset_t stop, unblocked;
	int i;

	cli_program("faultbus");
	parse_command_line(argc, argv, &cmd);
	open_directions(d, cmd.directions, argv + optind);
	if (cmd.log)
		d[0].log = open_log(cmd.log);

	/* Signals are unblocked only in ppoll(), so none is missed before it. */
	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, &unblocked);
	cli_catch_stop();

	puts("ready");
	fflush(stdout);
	forward_frames(d, cmd.directions, &cmd.faults, &unblocked);
	for (i = 0; i < cmd.directions; i++)
		print_counters(&d[i]);
	if (cmd.log)
		close_log(d[0].log, cmd.log);
	return CLI_OK;
}
