// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-send: latency of single frames from write() to their first bit on a simulated bus.
 *
 * The attribute "recent" of a bus has the time of the last 32 frames by CLOCK_MONOTONIC. So no
 * receiver is needed, whose interrupts and reader would take CPU time from the sender, and
 * whose time stamp would be late when it is overloaded. The sender writes a frame, and then
 * reads the attribute now and then until it has the frame.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "latency.h"
#include "rawsock.h"
#include "result.h"
#include "rt.h"

#define BUSES "/sys/kernel/config/cansim"

/* 32 frames without data take 1.5 ms at 1 Mbit/s. */
#define RECENT 32
#define LOOK_NS 1000000

/* A frame is lost if it is not sent within this time. */
#define TIMEOUT_NS 20000000000ULL
#define TIMEOUT_MAX_NS 1000000000000ULL

#define PRIORITY 50

#define COUNT_MAX 100000000

/**
 * struct send - settings and state
 * @id_text: option argument for @id
 * @timeout: in ns, after which a frame is lost
 * @wire: @id as "recent" writes it, with "#"
 * @seen: time of the newest frame that was read from "recent"
 */
struct send {
	const char *interface, *bus, *label, *load, *id_text;
	uint64_t count;
	canid_t id;
	unsigned int length, priority;
	uint64_t timeout;
	bool json;
	int out;
	char wire[16];
	uint64_t seen;
	struct latency latency;
};

static const char usage[] =
	"usage: canbench-send [OPTION...] INTERFACE BUS\n"
	"\n"
	"Sends frames on the CAN interface INTERFACE, one at a time, and prints the time from\n"
	"write() to the first bit of the frame on the simulated bus BUS (" BUSES "/BUS).\n"
	"No other node may use the identifier.\n"
	"\n"
	"  -n, --count N         number of frames (default 1000)\n"
	"  -i, --id ID           identifier of the frames: 3 hexadecimal digits, or 8 for an\n"
	"                        extended one (default 123)\n"
	"  -l, --length N        bytes of data, up to 8 (default 8)\n"
	"  -P, --priority N      real-time priority, up to 99; 0 for none (default 50)\n"
	"  -t, --timeout TIME    a frame that takes longer is lost (default 20s); with a unit: ns,\n"
	"                        us, ms or s\n"
	"  -j, --json            one JSON object instead of text\n"
	"  -L, --label TEXT      name of the experiment, for the JSON object\n"
	"  -O, --load TEXT       background load, for the JSON object\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"Requires CAP_SYS_NICE and CAP_IPC_LOCK, for real-time priorities and locked memory.\n"
	"\n"
	"Exit status: 0 all frames were sent; 1 a frame was lost; 2 wrong command line; 3 system\n"
	"error.";

static const struct option options[] = {
	{ "count", required_argument, NULL, 'n' },
	{ "id", required_argument, NULL, 'i' },
	{ "length", required_argument, NULL, 'l' },
	{ "priority", required_argument, NULL, 'P' },
	{ "timeout", required_argument, NULL, 't' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

static int open_attribute(const struct send *send, const char *name)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), BUSES "/%s/%s", send->bus, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		cli_fail("%s", path);
	return fd;
}

static void read_attribute(const struct send *send, const char *name, char *text, size_t size)
{
	int fd = open_attribute(send, name);
	ssize_t n = read(fd, text, size - 1);

	if (n < 0)
		cli_fail("reading %s of %s", name, send->bus);
	text[n] = '\0';
	close(fd);
}

static uint64_t skipped_ns(const struct send *send)
{
	char text[32];

	read_attribute(send, "skipped_ns", text, sizeof(text));
	return strtoull(text, NULL, 10);
}

/* Returns the time of the first bit of a frame that was sent after @since, or 0. */
static uint64_t look(struct send *send, uint64_t since)
{
	char text[8192], kind[16], frame[64], *line;
	uint64_t begin, oldest = 0, newest = 0, found = 0;
	unsigned int count = 0;

	read_attribute(send, "recent", text, sizeof(text));
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (sscanf(line, "%" SCNu64 " %*u %15s %63s", &begin, kind, frame) != 3)
			cli_fail("recent of %s has the line '%s'", send->bus, line);
		newest = begin;
		if (!count++)
			oldest = begin;
		if (!found && begin >= since && !strcmp(kind, "ok") &&
		    !strncmp(frame, send->wire, strlen(send->wire)))
			found = begin;
	}
	errno = 0;
	if (count == RECENT && oldest > send->seen && send->seen)
		cli_fail("frames on %s were missed: this program came too late", send->bus);
	send->seen = newest;
	return found;
}

/* False: the frame was not sent. */
static bool send_frame(struct send *send)
{
	struct can_frame frame = { .can_id = send->id, .len = send->length };
	uint64_t sent_at = rt_now(), begin, now;

	if (write(send->out, &frame, sizeof(frame)) != sizeof(frame))
		cli_fail("sending on %s", send->interface);
	do {
		rt_sleep_until(rt_now() + LOOK_NS);
		now = rt_now();
		begin = look(send, sent_at);
	} while (!begin && now - sent_at < send->timeout && !cli_stopped);
	if (begin)
		latency_add(&send->latency, begin - sent_at);
	return begin;
}

/* Returns the number of sent frames; the last one may be lost. */
static uint64_t measure(struct send *send)
{
	uint64_t sent;

	for (sent = 0; sent < send->count && !cli_stopped; sent++)
		if (!send_frame(send))
			return sent + 1;
	return sent;
}

static void print_text(struct send *send, uint64_t sent)
{
	struct latency_summary s = latency_summary(&send->latency);

	printf("%s: %" PRIu64 " frames written, %zu on %s\n", send->interface, sent,
	       send->latency.count, send->bus);
	printf("write to first bit: median %" PRId64 " ns, 99 %% %" PRId64 " ns, worst %" PRId64 " ns\n",
	       s.median, s.p99, s.max);
}

static void print_json(struct send *send, uint64_t sent, bool complete)
{
	struct result result;

	result_begin(&result, "canbench-send", send->label, send->load);
	json_object_set_new(result.options, "interface", json_string(send->interface));
	json_object_set_new(result.options, "bus", json_string(send->bus));
	json_object_set_new(result.options, "count", json_integer(send->count));
	json_object_set_new(result.options, "id", json_string(send->id_text));
	json_object_set_new(result.options, "length", json_integer(send->length));
	json_object_set_new(result.options, "priority", json_integer(send->priority));
	json_object_set_new(result.options, "timeout_ns", json_integer(send->timeout));
	result_count(&result, "sent", sent);
	result_count(&result, "received", send->latency.count);
	result_count(&result, "lost", sent - send->latency.count);
	result_latency(&result, "write to first bit", &send->latency);
	result_print(&result, complete);
}

static void set_option(struct send *send, int option)
{
	switch (option) {
	case 'n':
		send->count = cli_number("--count", optarg, 1, COUNT_MAX);
		break;
	case 'i':
		send->id_text = optarg;
		break;
	case 'l':
		send->length = cli_number("--length", optarg, 0, CAN_MAX_DLEN);
		break;
	case 'P':
		send->priority = cli_number("--priority", optarg, 0, 99);
		break;
	case 't':
		send->timeout = cli_duration("--timeout", optarg, 1, TIMEOUT_MAX_NS);
		break;
	case 'j':
		send->json = true;
		break;
	case 'L':
		send->label = optarg;
		break;
	case 'O':
		send->load = optarg;
		break;
	case CLI_OPTION_VERSION:
		cli_version();
	case 'h':
		puts(usage);
		exit(CLI_OK);
	default:
		/* getopt_long() has named the option. */
		fputs("Try 'canbench-send --help'.\n", stderr);
		exit(CLI_USAGE);
	}
}

static void parse_command_line(struct send *send, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "n:i:l:P:t:jL:O:h", options, NULL)) != -1)
		set_option(send, option);
	send->id = cli_can_id("--id", send->id_text);
	if (argc - optind != 2)
		cli_usage("an interface and a bus are required: INTERFACE and BUS");
	send->interface = argv[optind];
	send->bus = argv[optind + 1];
}

int main(int argc, char **argv)
{
	static struct send send = {
		.count = 1000,
		.id_text = "123",
		.length = CAN_MAX_DLEN,
		.priority = PRIORITY,
		.timeout = TIMEOUT_NS,
	};
	uint64_t sent, skipped;

	cli_program("canbench-send");
	parse_command_line(&send, argc, argv);
	snprintf(send.wire, sizeof(send.wire), send.id & CAN_EFF_FLAG ? "%08X#" : "%03X#",
		 send.id & CAN_EFF_MASK);
	rawsock_up(send.interface);
	send.out = rawsock_open(send.interface, RAWSOCK_NO_RX);
	latency_reserve(&send.latency, send.count);
	skipped = skipped_ns(&send);
	rt_lock_memory();
	rt_priority(send.priority);
	cli_catch_stop();
	look(&send, UINT64_MAX);
	sent = measure(&send);
	rt_unlock_memory();
	rt_no_priority();
	errno = 0;
	if (skipped_ns(&send) != skipped)
		cli_fail("%s has skipped time: it is too fast for the CPU", send.bus);
	if (send.json)
		print_json(&send, sent, sent == send.count && sent == send.latency.count);
	else
		print_text(&send, sent);
	cli_flush();
	if (sent == send.latency.count)
		return CLI_OK;
	cli_warn("a frame was not sent");
	return CLI_LOSS;
}
