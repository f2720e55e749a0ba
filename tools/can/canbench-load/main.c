// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-load: how many frames a controller's driver loses, and how late the
 * others are, on a simulated bus and with something else to do for the CPU. This
 * file is the command line.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"
#include "report.h"
#include "rt.h"
#include "run.h"
#include "search.h"
#include "settings.h"

#define HOUR 3600000000000ULL

/* A run longer than this has more latencies than memory that can be locked. */
#define COUNT_MAX 10000000

/* As generators have it */
#define BITRATE_MIN 10000
#define BITRATE_MAX 1000000

static const char usage[] =
	"usage: canbench-load [OPTION...] CHIP\n"
	"\n"
	"Makes a simulated CAN bus (cansim) with a generator of frames and a controller,\n"
	"CHIP: sja1000, mpc5200, mpc5121, mcp2515 or mcp2510, :ATTRIBUTE=VALUE... behind it.\n"
	"Tells how many of the frames do not reach a waiting real-time reader, and how late\n"
	"the others do: from the last bit of the frame on the bus to the return of read().\n"
	"\n"
	"Traffic\n"
	"  -n, --count N         frames (default 1000); some go before, unmeasured\n"
	"  -B, --burst N         frames back to back (default 1)\n"
	"  -p, --period TIME     from one burst to the next, such as 20ms (default 0: no pause,\n"
	"                        the bus is full)\n"
	"  -l, --dlc N           bytes of data, up to 8 (default 8)\n"
	"  -r, --bitrate N       in bit/s (default 1000000)\n"
	"  -R, --rate-search     look for the highest rate of single frames at which none of\n"
	"                        --count is lost\n"
	"\n"
	"The machine\n"
	"  -O, --load LOAD       what else the CPU does: none (default), ethernet (a flood of\n"
	"                        pings of 60000 bytes between two network namespaces), backlog\n"
	"                        or napi (a simulated card receives trains of 1000 datagrams,\n"
	"                        by netif_rx() or by NAPI), or cpu (a program of normal\n"
	"                        priority computes)\n"
	"  -P, --priority N      real-time priority of the reader (default 80)\n"
	"  -T, --threaded N      the NAPI of the interfaces is a thread of real-time priority N,\n"
	"                        if their drivers have one\n"
	"  -I, --irq-priority N  real-time priority of the threads of their interrupts, if any\n"
	"  -b, --busy-poll TIME  read() polls the driver for so long before it sleeps\n"
	"  -D, --defer TIME      and receive interrupts may be masked for so long meanwhile\n"
	"  -s, --stamp           also take the kernel's time stamps of the frames\n"
	"  -g, --gateway CHIP    no reader but a gateway rule to this controller on a second\n"
	"                        bus; to the first bit of the frame there\n"
	"  -q, --txqueuelen N    frames that the transmit queue of this one has room for\n"
	"\n"
	"  -j, --json            one JSON object instead of text\n"
	"  -L, --label TEXT      name of the experiment, for the JSON object\n"
	"  -h, --help\n"
	"\n"
	"Needs root, in the first network namespace, and the module cansim. It removes what\n"
	"it has made, also after SIGINT and SIGTERM.\n"
	"\n"
	"Exit status: 0 no frame was lost, or there is a rate at which none is; 1 otherwise;\n"
	"2 wrong command line; 3 the system refused something.";

static const struct option options[] = {
	{ "count", required_argument, NULL, 'n' },
	{ "burst", required_argument, NULL, 'B' },
	{ "period", required_argument, NULL, 'p' },
	{ "dlc", required_argument, NULL, 'l' },
	{ "bitrate", required_argument, NULL, 'r' },
	{ "rate-search", no_argument, NULL, 'R' },
	{ "load", required_argument, NULL, 'O' },
	{ "priority", required_argument, NULL, 'P' },
	{ "threaded", required_argument, NULL, 'T' },
	{ "irq-priority", required_argument, NULL, 'I' },
	{ "busy-poll", required_argument, NULL, 'b' },
	{ "defer", required_argument, NULL, 'D' },
	{ "stamp", no_argument, NULL, 's' },
	{ "gateway", required_argument, NULL, 'g' },
	{ "txqueuelen", required_argument, NULL, 'q' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static void set_option(struct settings *set, int option)
{
	switch (option) {
	case 'n':
		set->count = cli_number("--count", optarg, 1, COUNT_MAX);
		break;
	case 'B':
		set->burst = cli_number("--burst", optarg, 1, COUNT_MAX);
		break;
	case 'p':
		set->period = cli_duration("--period", optarg, 0, HOUR);
		break;
	case 'l':
		set->dlc = cli_number("--dlc", optarg, 0, CAN_MAX_DLEN);
		break;
	case 'r':
		set->bitrate = cli_number("--bitrate", optarg, BITRATE_MIN, BITRATE_MAX);
		break;
	case 'R':
		set->search = true;
		break;
	case 'O':
		set->background = background_kind("--load", optarg);
		break;
	case 'P':
		set->priority = cli_number("--priority", optarg, 2, 99);
		break;
	case 'T':
		set->napi_priority = cli_number("--threaded", optarg, 1, 99);
		break;
	case 'I':
		set->irq_priority = cli_number("--irq-priority", optarg, 1, 99);
		break;
	case 'b':
		set->busy_poll = cli_duration("--busy-poll", optarg, 1000, HOUR) / 1000;
		break;
	case 'D':
		set->flush_timeout = cli_duration("--defer", optarg, 1, HOUR);
		break;
	case 's':
		set->stamp = true;
		break;
	case 'g':
		set->gateway = optarg;
		break;
	case 'q':
		set->queue = cli_number("--txqueuelen", optarg, 1, 1000000);
		break;
	case 'j':
		set->json = true;
		break;
	case 'L':
		set->label = optarg;
		break;
	case 'h':
		puts(usage);
		exit(CLI_OK);
	default:
		/* getopt_long() has named the option. */
		fputs("Try 'canbench-load --help'.\n", stderr);
		exit(CLI_USAGE);
	}
}

static void check_settings(const struct settings *set)
{
	if (set->search && (set->burst != 1 || set->period))
		cli_usage("--rate-search finds the period of single frames by itself: no --burst, no --period");
	if (set->queue && !set->gateway)
		cli_usage("--txqueuelen is that of the second interface: --gateway is missing");
	if (set->flush_timeout && !set->busy_poll)
		cli_usage("--defer is for a reader that polls: --busy-poll is missing");
	if (set->gateway && set->busy_poll)
		cli_usage("with --gateway nobody polls");
	if (set->gateway && set->stamp)
		cli_usage("with --gateway nobody reads a time stamp");
	if (set->gateway && set->dlc < NUMBER_BYTES)
		cli_usage("with --gateway frames have their number in four bytes of data: --dlc %u is too short",
			  set->dlc);
}

static void parse_command_line(struct settings *set, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "n:B:p:l:r:RO:P:T:I:b:D:sg:q:jL:h", options, NULL)) != -1)
		set_option(set, option);
	if (argc - optind < 1)
		cli_usage("which controller?");
	if (argc - optind > 1)
		cli_usage("'%s' is too much: one controller, please", argv[optind + 1]);
	set->chip = argv[optind];
	check_settings(set);
}

static pid_t owner;

/* The child that makes the load ends by the same ways, and made nothing of this. */
static void clean_up(void)
{
	if (getpid() == owner)
		run_tear_down();
}

int main(int argc, char **argv)
{
	static struct settings set = {
		.bitrate = 1000000, .burst = 1, .count = 1000, .dlc = CAN_MAX_DLEN, .priority = 80,
	};
	struct search search = { 0 }, *found;
	struct run_result result;

	cli_program("canbench-load");
	parse_command_line(&set, argc, argv);
	found = set.search ? &search : NULL;
	owner = getpid();
	atexit(clean_up);
	cli_catch_stop();
	run_set_up(&set);
	if (found)
		search_rate(&set, &search, &result);
	else
		run_measure(&set, &result);
	rt_unlock_memory();
	(set.json ? report_json : report_text)(&set, found, &result);
	if (found)
		return search.complete && !search.found ? CLI_LOSS : CLI_OK;
	return result.complete && run_lost(&result) ? CLI_LOSS : CLI_OK;
}
