// SPDX-License-Identifier: GPL-2.0-only
/*
 * canugw - forward CAN frames between two interfaces in user space, with one of several
 * methods. This file is the command line; it runs in the main thread.
 */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "gateway.h"
#include "report.h"
#include "rt.h"
#include "settings.h"
#include "variant.h"

#define DEFAULT_VARIANT "read-write"
#define DEFAULT_BATCH 32
#define DEFAULT_QUEUE 256
#define DEFAULT_BUSY_POLL_US 300
#define DEFAULT_BUSY_BUDGET 64

#define MAX_BATCH 1024
#define MAX_QUEUE (1 << 20)
#define HOUR_NS (3600 * 1000000000ULL)

static const char usage_text[] =
	"usage: canugw [OPTION...] IN OUT\n"
	"\n"
	"Forwards each CAN and CAN FD frame that arrives on interface IN to interface OUT,\n"
	"including frames that other programs on this host send on IN. Ends at SIGINT\n"
	"(Ctrl-C) or SIGTERM, and prints its counters.\n"
	"\n"
	"  -V, --variant NAME      how to receive and send (default " DEFAULT_VARIANT ")\n"
	"  -l, --list              describe the variants\n"
	"  -b, --both              also forward from OUT to IN\n"
	"  -c, --count N           end after N forwarded frames in both directions together\n"
	"  -i, --idle-timeout T    end if no frame was received for the time T\n"
	"\n"
	"  -q, --queue N           size of the receive queue in frames (default 256)\n"
	"  -s, --batch N           frames per system call of mmsg-mmsg and uring (default 32)\n"
	"  -t, --busy-poll T       readbusy*: time of polling before sleeping (default 300us)\n"
	"  -B, --busy-budget N     readbusynoirq: maximum number of frames per poll of the\n"
	"                          driver (default 64)\n"
	"  -M, --mark N            --both with mmap: socket mark N for frames to IN, and N^1 for\n"
	"                          frames to OUT (default: random)\n"
	"\n"
	"  -P, --priority N        real-time priority (SCHED_FIFO), 1 to 98\n"
	"  -m, --lock-memory       lock all memory in RAM\n"
	"\n"
	"  -j, --json              print the result as one JSON object\n"
	"  -L, --label TEXT        name of the experiment, for the JSON object\n"
	"  -O, --load TEXT         background load, for the JSON object\n"
	"  -h, --help              print this text\n"
	"      --version           print the version\n"
	"\n"
	"Times have a unit: ns, us, ms or s. When it can forward, canugw prints the line\n"
	"\"canugw: ready: VARIANT IN -> OUT\" to standard error; no later frame is missed.\n"
	"\n"
	"Exit status: 0 all frames were forwarded; 1 frames were lost; 2 wrong command line;\n"
	"3 system error (interface, privilege, kernel).\n"
	"\n"
	"example: canugw --variant mmap-write --both can0 can1\n";

static const struct option long_options[] = {
	{ "variant", required_argument, NULL, 'V' },
	{ "list", no_argument, NULL, 'l' },
	{ "both", no_argument, NULL, 'b' },
	{ "count", required_argument, NULL, 'c' },
	{ "idle-timeout", required_argument, NULL, 'i' },
	{ "queue", required_argument, NULL, 'q' },
	{ "batch", required_argument, NULL, 's' },
	{ "busy-poll", required_argument, NULL, 't' },
	{ "busy-budget", required_argument, NULL, 'B' },
	{ "mark", required_argument, NULL, 'M' },
	{ "priority", required_argument, NULL, 'P' },
	{ "lock-memory", no_argument, NULL, 'm' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ }
};

static const struct variant *choose_variant(const char *name)
{
	const struct variant *variant = variant_find(name);

	if (!variant)
		cli_usage("--variant: unknown variant '%s', see canugw --list", name);
	return variant;
}

/* SO_BUSY_POLL is in microseconds. */
static unsigned int busy_poll_us(const char *text)
{
	uint64_t ns = cli_duration("--busy-poll", text, 1000, 1000000000);

	if (ns % 1000)
		cli_usage("--busy-poll: %s is not a multiple of 1us", text);
	return ns / 1000;
}

static void set_option(struct settings *set, int option)
{
	switch (option) {
	case 'V':
		set->variant = choose_variant(optarg);
		break;
	case 'b':
		set->both = true;
		break;
	case 'c':
		set->count = cli_number("--count", optarg, 1, INT64_MAX);
		break;
	case 'i':
		set->idle = cli_duration("--idle-timeout", optarg, 1000000, HOUR_NS);
		break;
	case 'q':
		set->queue = cli_number("--queue", optarg, 1, MAX_QUEUE);
		break;
	case 's':
		set->batch = cli_number("--batch", optarg, 1, MAX_BATCH);
		break;
	case 't':
		set->busy_poll = busy_poll_us(optarg);
		break;
	case 'B':
		set->busy_budget = cli_number("--busy-budget", optarg, 1, UINT16_MAX);
		break;
	case 'M':
		set->mark = cli_number("--mark", optarg, 2, UINT32_MAX);
		break;
	case 'P':
		set->priority = cli_number("--priority", optarg, 1, 98);
		break;
	case 'm':
		set->lock_memory = true;
		break;
	case 'j':
		set->json = true;
		break;
	case 'L':
		set->label = optarg;
		break;
	case 'O':
		set->load = optarg;
		break;
	}
}

/* Options after which the program exits */
static void handle_exit_option(int option)
{
	switch (option) {
	case 'l':
		variant_list();
		exit(CLI_OK);
	case CLI_OPTION_VERSION:
		cli_version();
	case 'h':
		fputs(usage_text, stdout);
		exit(CLI_OK);
	case '?':
		cli_usage("invalid option");
	}
}

static void read_command_line(struct settings *set, int argc, char **argv)
{
	int option;

	for (;;) {
		option = getopt_long(argc, argv, "V:lbc:i:q:s:t:B:M:P:mjL:O:h", long_options, NULL);
		if (option < 0)
			break;
		handle_exit_option(option);
		set_option(set, option);
	}
	if (argc - optind != 2)
		cli_usage("exactly two interfaces are required: IN and OUT");
	set->in = argv[optind];
	set->out = argv[optind + 1];
}

int main(int argc, char **argv)
{
	struct settings set = {
		.batch = DEFAULT_BATCH,
		.queue = DEFAULT_QUEUE,
		.busy_poll = DEFAULT_BUSY_POLL_US,
		.busy_budget = DEFAULT_BUSY_BUDGET,
	};
	static struct gateway gw;

	cli_program("canugw");
	set.variant = variant_find(DEFAULT_VARIANT);
	read_command_line(&set, argc, argv);
	gateway_open(&gw, &set);
	if (set.lock_memory)
		rt_lock_memory();
	gateway_run(&gw, &set);
	return report_print(&gw, &set);
}
