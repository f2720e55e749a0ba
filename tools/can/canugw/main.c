// SPDX-License-Identifier: GPL-2.0-only
/*
 * canugw - forward CAN frames from one interface to another in user space, in the ways
 * that Linux offers. Options and usage; main thread.
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
	"also those that other programs of this host send on IN. Ends at SIGINT (Ctrl-C) or\n"
	"SIGTERM and prints what it counted.\n"
	"\n"
	"  -V, --variant NAME      how to receive and send (default " DEFAULT_VARIANT ")\n"
	"  -l, --list              explain the variants\n"
	"  -b, --both              forward from OUT to IN, too\n"
	"  -c, --count N           end after N forwarded frames, both directions together\n"
	"  -i, --idle-timeout T    end when no frame came for a time T\n"
	"\n"
	"  -q, --queue N           frames that can wait for the gateway (default 256)\n"
	"  -s, --batch N           frames per system call of mmsg-mmsg and uring (default 32)\n"
	"  -t, --busy-poll T       readbusy*: poll this long before sleeping (default 300us)\n"
	"  -B, --busy-budget N     readbusynoirq: frames that the kernel takes from the\n"
	"                          controller in one turn (default 64)\n"
	"  -M, --mark N            --both with mmap: socket mark N for what goes to IN and N^1\n"
	"                          for what goes to OUT (default: random)\n"
	"\n"
	"  -P, --priority N        real-time priority (SCHED_FIFO) 1 to 98\n"
	"  -m, --lock-memory       keep all memory from being swapped out\n"
	"\n"
	"  -j, --json              print the result as one JSON object\n"
	"  -L, --label TEXT        name of the experiment in it\n"
	"  -O, --load TEXT         what else keeps the machine busy, in it\n"
	"  -h, --help              print this text\n"
	"\n"
	"Times have a unit: ns, us, ms, s. When it can forward, canugw prints a line\n"
	"\"canugw: ready: VARIANT IN -> OUT\" on standard error; no frame after it is missed.\n"
	"\n"
	"Exit status: 0 all frames forwarded, 1 some were lost, 2 wrong usage, 3 the system\n"
	"refused (interface, privilege, kernel).\n"
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
	{ }
};

static const struct variant *choose_variant(const char *name)
{
	const struct variant *variant = variant_find(name);

	if (!variant)
		cli_usage("--variant: there is no '%s', see canugw --list", name);
	return variant;
}

/* The kernel counts in microseconds. */
static unsigned int busy_poll_us(const char *text)
{
	uint64_t ns = cli_duration("--busy-poll", text, 1000, 1000000000);

	if (ns % 1000)
		cli_usage("--busy-poll: %s is not in whole microseconds", text);
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

/* Options that end the program at once. */
static void handle_exit_option(int option)
{
	switch (option) {
	case 'l':
		variant_list();
		exit(CLI_OK);
	case 'h':
		fputs(usage_text, stdout);
		exit(CLI_OK);
	case '?':
		cli_usage("the command line is not understood");
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
		cli_usage("two interfaces are needed: IN and OUT");
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
