// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-filters: the cost of setting and removing receive filters, or of a frame beside
 * them (write.h). One thread opens sockets, sets the filters of each with one system call,
 * and closes them. Only these system calls are measured. The oldest socket, whose filters
 * are after all others in the lists, is closed first.
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
#include "write.h"

/* Open files besides the sockets: standard input and output, netlink, and a reserve */
#define OTHER_FILES 16

#define SOCKETS_MAX 4096

/**
 * struct filters - settings and results
 * @per_socket: filters per socket, at most CAN_RAW_FILTER_MAX
 * @first: identifier of the first filter; the others count up unless @same is set
 * @mask: mask of the first filter, and of all filters if @per_mask is 0
 * @per_mask: number of filters with the same mask; the next mask is greater by 1
 * @writes: number of frames to write, with the identifier @written; 0: measure setting and
 *	closing
 * @socks: the sockets, from the oldest to the newest
 * @set: cost of setting the filters of each socket, in ns
 * @closed: cost of closing each socket, in ns
 * @write_ns: cost of writing a frame, in ns
 */
struct filters {
	const char *ifname, *label, *load, *first_text, *mask_text, *written_text;
	unsigned int sockets, per_socket, per_mask, writes;
	canid_t first, mask, written;
	bool same, json;
	int *socks;
	uint64_t *set, *closed;
	double write_ns;
};

static const char usage[] =
	"usage: canbench-filters [OPTION...] INTERFACE\n"
	"\n"
	"Opens CAN_RAW sockets with many receive filters, and closes them again, the oldest\n"
	"first. Prints the cost of setting and of removing a filter: for the first socket,\n"
	"which is alone on the interface, and for the last one, beside all others; for closing\n"
	"likewise. With --write, prints the cost of writing a frame beside all filters, with\n"
	"full receive queues.\n"
	"\n"
	"  -s, --sockets N       number of sockets (default 32, at most 4096)\n"
	"  -n, --count N         filters per socket (default and maximum 512)\n"
	"  -i, --first ID        identifier of the first filter, 3 hexadecimal digits, or 8 for\n"
	"                        an extended one; the others count up (default 00000000)\n"
	"  -m, --mask MASK       mask of the filters, up to 8 hexadecimal digits, with the\n"
	"                        flags of <linux/can.h> (default 9FFFFFFF)\n"
	"  -p, --per-mask N      only N filters have this mask; the mask of the next N filters\n"
	"                        is greater by 1, and so on\n"
	"  -S, --same            use the identifier of the first filter for all filters\n"
	"  -w, --write ID        write frames with this identifier, in the format of --first\n"
	"  -f, --frames N        number of these frames (default 10); the minimum is printed\n"
	"  -j, --json            one JSON object instead of text\n"
	"  -L, --label TEXT      name of the experiment, for the JSON object\n"
	"  -O, --load TEXT       background load, for the JSON object\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"Exit status: 0 success; 1 interrupted by a signal; 2 wrong command line; 3 system\n"
	"error.";

static const struct option options[] = {
	{ "sockets", required_argument, NULL, 's' },
	{ "count", required_argument, NULL, 'n' },
	{ "first", required_argument, NULL, 'i' },
	{ "mask", required_argument, NULL, 'm' },
	{ "per-mask", required_argument, NULL, 'p' },
	{ "same", no_argument, NULL, 'S' },
	{ "write", required_argument, NULL, 'w' },
	{ "frames", required_argument, NULL, 'f' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

static void raise_file_limit(unsigned int count)
{
	struct rlimit limit = { .rlim_cur = count, .rlim_max = count };
	struct rlimit now;

	if (!getrlimit(RLIMIT_NOFILE, &now) && now.rlim_cur >= count)
		return;
	if (now.rlim_max > count)
		limit.rlim_max = now.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		cli_fail("--sockets: raising the limit of open files");
}

static void *alloc_array(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		cli_fail("allocating memory for %zu sockets", count);
	return memory;
}

static void open_sockets(struct filters *f)
{
	raise_file_limit(f->sockets + OTHER_FILES);
	f->socks = alloc_array(f->sockets, sizeof(*f->socks));
	f->set = alloc_array(f->sockets, sizeof(*f->set));
	f->closed = alloc_array(f->sockets, sizeof(*f->closed));
	for (unsigned int i = 0; i < f->sockets; i++) {
		f->socks[i] = rawsock_open(f->ifname, RAWSOCK_NO_RX);
		if (f->writes)
			write_shrink(f->socks[i]);
	}
}

static uint64_t set_filters(const struct filters *f, unsigned int sock)
{
	struct can_filter filter[CAN_RAW_FILTER_MAX];
	uint64_t start;

	for (unsigned int i = 0; i < f->per_socket; i++) {
		unsigned int number = sock * f->per_socket + i;

		filter[i].can_id = f->first;
		if (!f->same)
			filter[i].can_id += number;
		filter[i].can_mask = f->mask;
		if (f->per_mask)
			filter[i].can_mask += number / f->per_mask;
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

/* False: a signal arrived; the sockets are closed when the process exits. */
static bool measure(struct filters *f)
{
	for (unsigned int i = 0; i < f->sockets; i++) {
		if (cli_stopped)
			return false;
		f->set[i] = set_filters(f, i);
	}
	if (f->writes)
		return write_measure(f->ifname, f->written, f->writes, &f->write_ns);
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

#define FIGURES_MAX 6

/**
 * struct figure - a result
 * @count: number of frames or filters, for the JSON object
 */
struct figure {
	const char *name;
	unsigned int count;
	double ns;
};

/* In ns per frame or per filter. The first socket is closed beside all others. */
static unsigned int compute_figures(const struct filters *f, struct figure *figure)
{
	unsigned int last = f->sockets - 1;

	if (f->writes) {
		figure[0] = (struct figure){ "write", f->writes, f->write_ns };
		return 1;
	}
	figure[0] = (struct figure){ "set, alone", f->per_socket, f->set[0] };
	figure[1] = (struct figure){ "set, beside all others", f->per_socket, f->set[last] };
	figure[2] = (struct figure){ "set, mean", f->per_socket, mean(f, f->set) };
	figure[3] = (struct figure){ "close, beside all others", f->per_socket, f->closed[0] };
	figure[4] = (struct figure){ "close, alone", f->per_socket, f->closed[last] };
	figure[5] = (struct figure){ "close, mean", f->per_socket, mean(f, f->closed) };
	for (unsigned int i = 0; i < FIGURES_MAX; i++)
		figure[i].ns /= f->per_socket;
	return FIGURES_MAX;
}

static void print_text(const struct filters *f, const struct figure *figure, unsigned int count)
{
	printf("%s: %u sockets with %u filters each, in ns per %s\n", f->ifname, f->sockets,
	       f->per_socket, f->writes ? "frame" : "filter");
	for (unsigned int i = 0; i < count; i++)
		printf("  %-26s %10.1f\n", figure[i].name, figure[i].ns);
}

static void print_json(const struct filters *f, const struct figure *figure, unsigned int count,
		       bool complete)
{
	struct result result;

	result_begin(&result, "canbench-filters", f->label, f->load);
	json_object_set_new(result.options, "interface", json_string(f->ifname));
	json_object_set_new(result.options, "sockets", json_integer(f->sockets));
	json_object_set_new(result.options, "count", json_integer(f->per_socket));
	json_object_set_new(result.options, "first", json_string(f->first_text));
	json_object_set_new(result.options, "mask", json_string(f->mask_text));
	json_object_set_new(result.options, "per_mask", json_integer(f->per_mask));
	json_object_set_new(result.options, "same", json_boolean(f->same));
	if (f->writes) {
		json_object_set_new(result.options, "write", json_string(f->written_text));
		json_object_set_new(result.options, "frames", json_integer(f->writes));
	}
	for (unsigned int i = 0; complete && i < count; i++)
		result_cost(&result, figure[i].name, figure[i].count, figure[i].ns);
	result_print(&result, complete);
}

static void set_option(struct filters *f, int option)
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
	case 'p':
		f->per_mask = cli_number("--per-mask", optarg, 1, UINT32_MAX);
		break;
	case 'S':
		f->same = true;
		break;
	case 'w':
		f->written_text = optarg;
		break;
	case 'f':
		f->writes = cli_number("--frames", optarg, 1, 1000000);
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
	default:
		cli_other_option(option, usage);
	}
}

/* Counting up must not change the flags of the mask. */
static void check_masks(const struct filters *f)
{
	unsigned int more = CAN_EFF_MASK - (f->mask & CAN_EFF_MASK);

	if (f->per_mask && (f->sockets * f->per_socket - 1) / f->per_mask > more)
		cli_usage("--per-mask: only %u masks are available from --mask on", more + 1);
}

static void parse_write(struct filters *f)
{
	if (!f->written_text) {
		if (f->writes)
			cli_usage("--frames is only valid with --write");
		return;
	}
	f->written = cli_can_id("--write", f->written_text);
	if (!f->writes)
		f->writes = 10;
}

static void parse_command_line(struct filters *f, int argc, char **argv)
{
	canid_t highest;
	int option;

	while ((option = getopt_long(argc, argv, "s:n:i:m:p:Sw:f:jL:O:h", options, NULL)) != -1)
		set_option(f, option);
	f->first = cli_can_id("--first", f->first_text);
	f->mask = cli_can_mask("--mask", f->mask_text);
	check_masks(f);
	parse_write(f);
	highest = f->first & CAN_EFF_FLAG ? CAN_EFF_FLAG | CAN_EFF_MASK : CAN_SFF_MASK;
	if (!f->same && f->sockets * f->per_socket - 1 > highest - f->first)
		cli_usage("--count: only %u identifiers are available from --first on",
			  highest - f->first + 1);
	if (optind == argc)
		cli_usage("interface is required");
	if (optind + 1 < argc)
		cli_usage("unexpected argument '%s'", argv[optind + 1]);
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
	struct figure figure[FIGURES_MAX];
	unsigned int count;
	bool complete;

	cli_program("canbench-filters");
	parse_command_line(&f, argc, argv);
	rawsock_up(f.ifname);
	open_sockets(&f);
	cli_catch_stop();
	complete = measure(&f);
	count = compute_figures(&f, figure);
	if (f.json)
		print_json(&f, figure, count, complete);
	else if (complete)
		print_text(&f, figure, count);
	else
		cli_warn("interrupted, no result");
	return complete ? CLI_OK : CLI_LOSS;
}
