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
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "busattr.h"
#include "cli.h"
#include "latency.h"
#include "rawsock.h"
#include "result.h"
#include "rt.h"

/* BUS_RECORDS frames without data take 1.5 ms at 1 Mbit/s. */
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
	uint64_t seen;
	struct latency latency;
};

static const char usage[] =
	"usage: canbench-send [OPTION...] INTERFACE BUS\n"
	"\n"
	"Sends frames on the CAN interface INTERFACE, one at a time, and prints the time from\n"
	"write() to the first bit of the frame on the simulated bus BUS (" BUS_ROOT "/BUS).\n"
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

/* Returns the time of the first bit of a frame that was sent after @since, or 0. */
static uint64_t look(struct send *send, uint64_t since)
{
	struct bus_record records[BUS_RECORDS];
	unsigned int count = bus_recent(send->bus, records);
	uint64_t found = 0;

	errno = 0;
	if (count == BUS_RECORDS && records[0].start > send->seen && send->seen)
		cli_fail("frames on %s were missed: this program came too late", send->bus);
	for (unsigned int i = 0; i < count; i++) {
		send->seen = records[i].start;
		if (!found && records[i].ok && records[i].start >= since &&
		    records[i].frame.can_id == send->id)
			found = records[i].start;
	}
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
	default:
		cli_other_option(option, usage);
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
	rawsock_up(send.interface);
	send.out = rawsock_open(send.interface, RAWSOCK_NO_RX);
	latency_reserve(&send.latency, send.count);
	skipped = bus_get(send.bus, NULL, "skipped_ns");
	rt_lock_memory();
	rt_priority(send.priority);
	cli_catch_stop();
	look(&send, UINT64_MAX);
	sent = measure(&send);
	rt_unlock_memory();
	rt_no_priority();
	errno = 0;
	if (bus_get(send.bus, NULL, "skipped_ns") != skipped)
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
