// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-filters: what it costs to set receive filters and to take them away.
 * One thread opens sockets, sets the filters of each with one system call, and
 * closes them; only these system calls are measured. Closing begins with the
 * oldest socket, whose filters lie behind those of all others.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can/raw.h>

#include "cli.h"
#include "rawsock.h"
#include "result.h"
#include "rt.h"

/* Besides those of sockets: standard input and output, netlink, and room. */
#define OTHER_FILES 16

#define SOCKETS_MAX 4096

/**
 * struct filters - what is measured
 * @per_socket: filters of each socket, the kernel takes CAN_RAW_FILTER_MAX
 * @first: identifier of the very first; each filter has the next one, unless
 *	they are all the @same
 * @mask: of all filters
 * @socks: the sockets, from the oldest to the youngest
 * @set: cost of setting the filters of a socket, in ns
 * @closed: of closing it
 */
struct filters {
	const char *ifname, *label, *load, *first_text, *mask_text;
	unsigned int sockets, per_socket;
	canid_t first, mask;
	bool same, json;
	int *socks;
	uint64_t *set, *closed;
};

static const char usage[] =
	"usage: canbench-filters [OPTION...] INTERFACE\n"
	"\n"
	"Opens CAN_RAW sockets with many receive filters, closes them again, the oldest\n"
	"first, and tells what setting a filter and taking it away costs: for the first\n"
	"socket, when it has the interface for itself, for the last one, beside all others,\n"
	"and for closing likewise.\n"
	"\n"
	"  -s, --sockets N       how many sockets (default 32, at most 4096)\n"
	"  -n, --count N         filters of each (default and at most 512)\n"
	"  -i, --first ID        identifier of the first filter, 3 hexadecimal digits, or 8\n"
	"                        for an extended one; the others follow (default 00000000)\n"
	"  -m, --mask MASK       mask of the filters, up to 8 hexadecimal digits, with the\n"
	"                        flags of <linux/can.h> (default 9FFFFFFF)\n"
	"  -S, --same            all filters have the identifier of the first\n"
	"  -j, --json            one JSON object instead of text\n"
	"  -L, --label TEXT      name of the experiment, for the JSON object\n"
	"  -O, --load TEXT       what else the machine does, for the JSON object\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 measured; 1 cut short by a signal; 2 wrong command line; 3 the\n"
	"system refused something.";

static const struct option options[] = {
	{ "sockets", required_argument, NULL, 's' },
	{ "count", required_argument, NULL, 'n' },
	{ "first", required_argument, NULL, 'i' },
	{ "mask", required_argument, NULL, 'm' },
	{ "same", no_argument, NULL, 'S' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

static void allow_files(unsigned int count)
{
	struct rlimit limit = { .rlim_cur = count, .rlim_max = count };
	struct rlimit now;

	if (!getrlimit(RLIMIT_NOFILE, &now) && now.rlim_cur >= count)
		return;
	if (now.rlim_max > count)
		limit.rlim_max = now.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		cli_fail("--sockets: so many files open at once");
}

static void *numbers(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		cli_fail("memory for %zu sockets", count);
	return memory;
}

static void open_sockets(struct filters *f)
{
	allow_files(f->sockets + OTHER_FILES);
	f->socks = numbers(f->sockets, sizeof(*f->socks));
	f->set = numbers(f->sockets, sizeof(*f->set));
	f->closed = numbers(f->sockets, sizeof(*f->closed));
	for (unsigned int i = 0; i < f->sockets; i++)
		f->socks[i] = rawsock_open(f->ifname, RAWSOCK_NO_RX);
}

static uint64_t set_filters(const struct filters *f, unsigned int sock)
{
	struct can_filter filter[CAN_RAW_FILTER_MAX];
	uint64_t start;

	for (unsigned int i = 0; i < f->per_socket; i++) {
		filter[i].can_id = f->first;
		if (!f->same)
			filter[i].can_id += sock * f->per_socket + i;
		filter[i].can_mask = f->mask;
	}
	start = rt_now();
	if (setsockopt(f->socks[sock], SOL_CAN_RAW, CAN_RAW_FILTER, filter,
		       f->per_socket * sizeof(filter[0])))
		cli_fail("setting %u filters of socket %u of %u", f->per_socket, sock + 1,
			 f->sockets);
	return rt_now() - start;
}

static uint64_t close_socket(const struct filters *f, unsigned int sock)
{
	uint64_t start = rt_now();

	close(f->socks[sock]);
	return rt_now() - start;
}

/* False: a signal came. What was set then goes with the process. */
static bool measure(struct filters *f)
{
	for (unsigned int i = 0; i < f->sockets; i++) {
		if (cli_stopped)
			return false;
		f->set[i] = set_filters(f, i);
	}
	for (unsigned int i = 0; i < f->sockets; i++) {
		if (cli_stopped)
			return false;
		f->closed[i] = close_socket(f, i);
	}
	return true;
}

static double mean(const struct filters *f, const uint64_t *ns)
{
	double sum = 0;

	for (unsigned int i = 0; i < f->sockets; i++)
		sum += ns[i];
	return sum / f->sockets;
}

struct figure {
	const char *name;
	double ns;
};

/* In ns per filter. The first socket to be closed is beside all others. */
static void figures(const struct filters *f, struct figure *figure)
{
	unsigned int last = f->sockets - 1;

	figure[0] = (struct figure){ "set, alone", f->set[0] };
	figure[1] = (struct figure){ "set, beside all others", f->set[last] };
	figure[2] = (struct figure){ "set, mean", mean(f, f->set) };
	figure[3] = (struct figure){ "close, beside all others", f->closed[0] };
	figure[4] = (struct figure){ "close, alone", f->closed[last] };
	figure[5] = (struct figure){ "close, mean", mean(f, f->closed) };
	for (unsigned int i = 0; i < 6; i++)
		figure[i].ns /= f->per_socket;
}

static void print_text(const struct filters *f, const struct figure *figure)
{
	printf("%s: %u sockets with %u filters each, in ns per filter\n", f->ifname, f->sockets,
	       f->per_socket);
	for (unsigned int i = 0; i < 6; i++)
		printf("  %-26s %10.1f\n", figure[i].name, figure[i].ns);
}

static void print_json(const struct filters *f, const struct figure *figure, bool complete)
{
	struct result result;

	result_begin(&result, "canbench-filters", f->label, f->load);
	json_object_set_new(result.options, "interface", json_string(f->ifname));
	json_object_set_new(result.options, "sockets", json_integer(f->sockets));
	json_object_set_new(result.options, "count", json_integer(f->per_socket));
	json_object_set_new(result.options, "first", json_string(f->first_text));
	json_object_set_new(result.options, "mask", json_string(f->mask_text));
	json_object_set_new(result.options, "same", json_boolean(f->same));
	for (unsigned int i = 0; complete && i < 6; i++)
		result_cost(&result, figure[i].name, f->per_socket, figure[i].ns);
	result_print(&result, complete);
}

static void take_option(struct filters *f, int option)
{
	switch (option) {
	case 's':
		f->sockets = cli_number("--sockets", optarg, 1, SOCKETS_MAX);
		break;
	case 'n':
		f->per_socket = cli_number("--count", optarg, 1, CAN_RAW_FILTER_MAX);
		break;
	case 'i':
		f->first_text = optarg;
		break;
	case 'm':
		f->mask_text = optarg;
		break;
	case 'S':
		f->same = true;
		break;
	case 'j':
		f->json = true;
		break;
	case 'L':
		f->label = optarg;
		break;
	case 'O':
		f->load = optarg;
		break;
	case 'h':
		puts(usage);
		exit(CLI_OK);
	default:
		/* getopt_long() has named the option. */
		fputs("Try 'canbench-filters --help'.\n", stderr);
		exit(CLI_USAGE);
	}
}

static void parse(struct filters *f, int argc, char **argv)
{
	canid_t highest;
	int option;

	while ((option = getopt_long(argc, argv, "s:n:i:m:SjL:O:h", options, NULL)) != -1)
		take_option(f, option);
	f->first = cli_can_id("--first", f->first_text);
	f->mask = cli_can_mask("--mask", f->mask_text);
	highest = f->first & CAN_EFF_FLAG ? CAN_EFF_FLAG | CAN_EFF_MASK : CAN_SFF_MASK;
	if (!f->same && f->sockets * f->per_socket - 1 > highest - f->first)
		cli_usage("--count: from --first on there are only %u identifiers",
			  highest - f->first + 1);
	if (optind == argc)
		cli_usage("which interface?");
	if (optind + 1 < argc)
		cli_usage("one interface, please: '%s' is too much", argv[optind + 1]);
	f->ifname = argv[optind];
}

int main(int argc, char **argv)
{
	struct filters f = {
		.sockets = 32,
		.per_socket = CAN_RAW_FILTER_MAX,
		.first_text = "00000000",
		.mask_text = "9FFFFFFF",
	};
	struct figure figure[6];
	bool complete;

	cli_program("canbench-filters");
	parse(&f, argc, argv);
	rawsock_up(f.ifname);
	open_sockets(&f);
	cli_catch_stop();
	complete = measure(&f);
	figures(&f, figure);
	if (f.json)
		print_json(&f, figure, complete);
	else if (complete)
		print_text(&f, figure);
	else
		cli_warn("stopped before there was a figure");
	return complete ? CLI_OK : CLI_LOSS;
}
