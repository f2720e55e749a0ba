// SPDX-License-Identifier: GPL-2.0-only
/*
 * canlat: latency of frames through a device between two CAN buses, measured with
 * three interfaces (paper 1, section III; paper 2, section 3.2). This file is the
 * command line; one thread runs all of canlat.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "measure.h"
#include "rawsock.h"
#include "report.h"
#include "rt.h"
#include "wire.h"

#define SECOND 1000000000ULL
#define HOUR (3600 * SECOND)

/**
 * struct command - the command line
 * @pattern, @kind: -1 while not given
 * @id, @length: as given; what they mean depends on @kind
 * @bitrate, @data_bitrate: 0 while not given; likewise for the bus behind the device
 */
struct command {
	struct measure measure;
	struct report report;
	int pattern, kind;
	const char *id, *length, *raw;
	uint32_t bitrate, data_bitrate;
	uint32_t rx_bitrate, rx_data_bitrate;
};

static const char usage[] =
	"usage: canlat --tx IF [--bus IF] --rx IF [OPTION...]\n"
	"\n"
	"Measures how long frames take through a device that forwards them from one CAN\n"
	"bus to another. Frames are numbered in their first two bytes of data, so the\n"
	"device may change their identifiers and all other bytes.\n"
	"\n"
	"  -t, --tx IF             send on this interface\n"
	"  -b, --bus IF            another interface on the same bus, which takes the time of\n"
	"                          transmission; without it, the echo on --tx does\n"
	"  -r, --rx IF             receive on this interface, behind the device\n"
	"\n"
	"Traffic\n"
	"  -T, --traffic PATTERN   one: the next frame when the last one came (default)\n"
	"                          periodic: with --period; half: 50 % load of the bus;\n"
	"                          flood: as fast as the bus takes them\n"
	"  -p, --period TIME       such as 250us; implies --traffic periodic\n"
	"  -c, --count N           frames to send, 0 for no end (default 1000)\n"
	"  -k, --kind KIND         sff, eff or fd (default sff, or what --id is)\n"
	"  -i, --id ID[-ID]        3 hexadecimal digits, or 8 for an extended one (default\n"
	"                          100); identifiers of a range take turns\n"
	"  -l, --length N[-N]      bytes of data, 2 to 8, for fd 2 to 64 (default 8);\n"
	"                          lengths of a range take turns\n"
	"  -f, --fill BYTE         every byte of data after the number (default 0x55)\n"
	"  -B, --brs               fd: send data at the data bit rate\n"
	"  -R, --bitrate N[:N]     bit rate of the bus, and of the data phase; for half;\n"
	"                          default: what --tx is configured with\n"
	"\n"
	"Measuring\n"
	"  -W, --timeout TIME      a frame that takes longer is lost (default 1s)\n"
	"  -C, --clock CLOCK       time stamps: kernel, hardware, or auto: hardware if --bus\n"
	"                          and --rx belong to one adapter (default)\n"
	"  -S, --subtract-frame    subtract the duration, stuff bits included, of the frame\n"
	"                          behind the device\n"
	"  -X, --rx-bitrate N[:N]  bit rate of that bus (default: what --rx is configured\n"
	"                          with, else that of --bitrate)\n"
	"  -P, --priority N        SCHED_FIFO, 1 to 99\n"
	"  -m, --lock-memory       keep all memory in RAM\n"
	"\n"
	"Result\n"
	"  -o, --profile[=TIME]    print the latency profile too, in steps of TIME; all\n"
	"                          other lines begin with #\n"
	"  -w, --raw FILE          write the time stamps of every frame\n"
	"  -j, --json              one JSON object instead of text\n"
	"  -L, --label TEXT        name of the experiment, for the JSON object\n"
	"  -O, --load TEXT         what else the machine does, for the JSON object\n"
	"  -h, --help\n"
	"\n"
	"Exit status: 0 nothing lost; 1 frames lost, reordered or duplicated; 2 wrong\n"
	"command line; 3 the system refused something, its clock was set meanwhile, or\n"
	"nothing was heard on --bus.";

static const struct option options[] = {
	{ "tx", required_argument, NULL, 't' },
	{ "bus", required_argument, NULL, 'b' },
	{ "rx", required_argument, NULL, 'r' },
	{ "traffic", required_argument, NULL, 'T' },
	{ "period", required_argument, NULL, 'p' },
	{ "count", required_argument, NULL, 'c' },
	{ "kind", required_argument, NULL, 'k' },
	{ "id", required_argument, NULL, 'i' },
	{ "length", required_argument, NULL, 'l' },
	{ "fill", required_argument, NULL, 'f' },
	{ "brs", no_argument, NULL, 'B' },
	{ "bitrate", required_argument, NULL, 'R' },
	{ "timeout", required_argument, NULL, 'W' },
	{ "clock", required_argument, NULL, 'C' },
	{ "subtract-frame", no_argument, NULL, 'S' },
	{ "rx-bitrate", required_argument, NULL, 'X' },
	{ "priority", required_argument, NULL, 'P' },
	{ "lock-memory", no_argument, NULL, 'm' },
	{ "profile", optional_argument, NULL, 'o' },
	{ "raw", required_argument, NULL, 'w' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 }
};

/* The place of @text in a list of names that ends with NULL. */
static int parse_choice(const char *option, const char *text, const char * const *names)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	cli_usage("%s: there is no '%s'", option, text);
}

/* Cut "A-B" or "A:B" in two, in a copy that is never freed; without @separator both are A. */
static const char *split_pair(const char *text, char separator, char **second)
{
	char *first = strdup(text);

	if (!first)
		cli_fail("command line");
	*second = strchr(first, separator);
	if (!*second)
		*second = first;
	else
		*(*second)++ = 0;
	return first;
}

static void parse_bitrate(const char *option, const char *text, uint32_t *bitrate,
			  uint32_t *data_bitrate)
{
	char *data;
	const char *nominal = split_pair(text, ':', &data);

	*bitrate = cli_number(option, nominal, 1, UINT32_MAX);
	*data_bitrate = data == nominal ? 0 : cli_number(option, data, 1, UINT32_MAX);
}

/* Options that say what is sent; false: @c is none of them. */
static bool parse_traffic(struct command *cmd, int c)
{
	struct traffic *t = &cmd->measure.traffic;

	switch (c) {
	case 'T':
		cmd->pattern = parse_choice("--traffic", optarg, traffic_patterns);
		return true;
	case 'p':
		t->period = cli_duration("--period", optarg, 1, HOUR);
		return true;
	case 'c':
		t->count = cli_number("--count", optarg, 0, UINT32_MAX);
		return true;
	case 'k':
		cmd->kind = parse_choice("--kind", optarg, traffic_kinds);
		return true;
	case 'i':
		cmd->id = optarg;
		return true;
	case 'l':
		cmd->length = optarg;
		return true;
	case 'f':
		t->fill = cli_number("--fill", optarg, 0, UINT8_MAX);
		return true;
	case 'B':
		t->brs = true;
		return true;
	case 'R':
		parse_bitrate("--bitrate", optarg, &cmd->bitrate, &cmd->data_bitrate);
		return true;
	default:
		return false;
	}
}

/* Options that say how the result looks; false: @c is none of them. */
static bool parse_report(struct command *cmd, int c)
{
	struct report *r = &cmd->report;

	switch (c) {
	case 'o':
		r->profile = true;
		if (optarg)
			r->profile_step = cli_duration("--profile", optarg, 0, HOUR);
		return true;
	case 'w':
		cmd->raw = optarg;
		return true;
	case 'j':
		r->json = true;
		return true;
	case 'L':
		r->label = optarg;
		return true;
	case 'O':
		r->load = optarg;
		return true;
	default:
		return false;
	}
}

static void parse_measuring(struct command *cmd, int c)
{
	struct measure *m = &cmd->measure;

	switch (c) {
	case 't':
		m->tx = optarg;
		break;
	case 'b':
		m->bus = optarg;
		break;
	case 'r':
		m->rx = optarg;
		break;
	case 'W':
		m->timeout = cli_duration("--timeout", optarg, 1, HOUR);
		break;
	case 'C':
		m->clock = parse_choice("--clock", optarg, stamp_clocks);
		break;
	case 'S':
		m->subtract = true;
		break;
	case 'X':
		parse_bitrate("--rx-bitrate", optarg, &cmd->rx_bitrate, &cmd->rx_data_bitrate);
		break;
	case 'P':
		cmd->report.priority = cli_number("--priority", optarg, 1, 99);
		break;
	case 'm':
		cmd->report.lock_memory = true;
		break;
	case 'h':
		puts(usage);
		exit(CLI_OK);
	}
}

static const char *option_name(int val)
{
	for (const struct option *o = options; o->name; o++)
		if (o->val == val)
			return o->name;
	return NULL;
}

/* @c and optopt are what getopt_long() says of @text. */
static _Noreturn void fail_option(int c, const char *text)
{
	if (c == ':')
		cli_usage("--%s wants a value", option_name(optopt));
	if (!optopt)
		cli_usage("there is no option %s, or more than one that begins so", text);
	if (option_name(optopt))
		cli_usage("--%s takes no value", option_name(optopt));
	cli_usage("there is no option -%c", optopt);
}

static void parse_command_line(struct command *cmd, int argc, char **argv)
{
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, ":t:b:r:T:p:c:k:i:l:f:BR:W:C:SX:P:mo::w:jL:O:h",
				options, NULL)) != -1) {
		if (c == ':' || c == '?')
			fail_option(c, argv[optind - 1]);
		if (!parse_traffic(cmd, c) && !parse_report(cmd, c))
			parse_measuring(cmd, c);
	}
	if (optind < argc)
		cli_usage("'%s' belongs to no option", argv[optind]);
}

static void resolve_interfaces(struct measure *m)
{
	if (!m->tx)
		cli_usage("--tx is missing: the interface that sends");
	if (!m->rx)
		cli_usage("--rx is missing: the interface behind the device");
	if (!m->bus)
		m->bus = m->tx;
	if (!strcmp(m->rx, m->tx) || !strcmp(m->rx, m->bus))
		cli_usage("--rx: %s is before the device, it cannot be behind it too", m->rx);
}

static void resolve_pattern(struct command *cmd)
{
	struct traffic *t = &cmd->measure.traffic;

	if (cmd->pattern < 0)
		cmd->pattern = t->period ? TRAFFIC_PERIODIC : TRAFFIC_ONE;
	t->pattern = cmd->pattern;
	if (t->pattern == TRAFFIC_PERIODIC && !t->period)
		cli_usage("--traffic periodic wants a --period");
	if (t->pattern != TRAFFIC_PERIODIC && t->period)
		cli_usage("--period goes with --traffic periodic, not with %s",
			  traffic_patterns[t->pattern]);
}

static void resolve_ids(struct command *cmd)
{
	struct traffic *t = &cmd->measure.traffic;
	char *last;
	const char *first;

	if (!cmd->id)
		cmd->id = cmd->kind == TRAFFIC_EFF ? "00000100" : "100";
	first = split_pair(cmd->id, '-', &last);
	t->first_id = cli_can_id("--id", first);
	t->last_id = cli_can_id("--id", last);
	if ((t->first_id ^ t->last_id) & CAN_EFF_FLAG)
		cli_usage("--id: a range is of one format: %s", cmd->id);
	if (t->first_id > t->last_id)
		cli_usage("--id: the range is empty: %s", cmd->id);
	if (cmd->kind == TRAFFIC_SFF && t->first_id & CAN_EFF_FLAG)
		cli_usage("--id: frames of kind sff have standard identifiers, of 3 digits: %s",
			  cmd->id);
	if (cmd->kind == TRAFFIC_EFF && !(t->first_id & CAN_EFF_FLAG))
		cli_usage("--id: frames of kind eff have extended identifiers, of 8 digits: %s",
			  cmd->id);
	if (cmd->kind < 0)
		cmd->kind = t->first_id & CAN_EFF_FLAG ? TRAFFIC_EFF : TRAFFIC_SFF;
	t->kind = cmd->kind;
	if (t->brs && t->kind != TRAFFIC_FD)
		cli_usage("--brs: only frames of kind fd have a data bit rate");
}

static void resolve_lengths(struct command *cmd)
{
	struct traffic *t = &cmd->measure.traffic;
	char *last;
	const char *first = split_pair(cmd->length, '-', &last);
	unsigned int min = cli_number("--length", first, 0, UINT8_MAX);
	unsigned int max = cli_number("--length", last, 0, UINT8_MAX);

	if (!traffic_lengths(t, min, max))
		cli_usage("--length: frames of kind %s have from 2 to %s bytes: %s",
			  traffic_kinds[t->kind],
			  t->kind == TRAFFIC_FD ? "8, or 12, 16, 20, 24, 32, 48 or 64" : "8",
			  cmd->length);
}

/* The bit rates that an interface is configured with; exits if there is no such interface. */
static bool interface_bitrate(const char *ifname, uint32_t *bitrate, uint32_t *data_bitrate)
{
	rawsock_ifindex(ifname);
	return wire_bitrate(ifname, bitrate, data_bitrate);
}

/* The bit rate of half load and of the frame's duration: from the option, else the interface's. */
static void resolve_bitrates(struct command *cmd)
{
	struct measure *m = &cmd->measure;
	struct traffic *t = &m->traffic;

	t->bitrate = cmd->bitrate;
	t->data_bitrate = cmd->data_bitrate;
	if (t->pattern == TRAFFIC_HALF && !t->bitrate &&
	    !interface_bitrate(m->tx, &t->bitrate, &t->data_bitrate))
		cli_usage("--traffic half: %s has no bit rate; give --bitrate", m->tx);
	if (t->pattern == TRAFFIC_HALF && t->brs && !t->data_bitrate)
		cli_usage("--traffic half: no data bit rate; give --bitrate N:N");

	if (!m->subtract && cmd->rx_bitrate)
		cli_usage("--rx-bitrate goes with --subtract-frame");
	if (!m->subtract)
		return;
	m->rx_bitrate = cmd->rx_bitrate;
	m->rx_data_bitrate = cmd->rx_data_bitrate;
	if (!m->rx_bitrate && !interface_bitrate(m->rx, &m->rx_bitrate, &m->rx_data_bitrate)) {
		m->rx_bitrate = cmd->bitrate;
		m->rx_data_bitrate = cmd->data_bitrate;
	}
	if (!m->rx_bitrate)
		cli_usage("--subtract-frame: %s has no bit rate; give --rx-bitrate", m->rx);
	if (t->brs && !m->rx_data_bitrate)
		cli_usage("--subtract-frame: no data bit rate; give --rx-bitrate N:N");
}

static void open_raw(struct command *cmd)
{
	if (!cmd->raw)
		return;
	cmd->measure.raw = fopen(cmd->raw, "w");
	if (!cmd->measure.raw)
		cli_fail("--raw: %s", cmd->raw);
	fputs("# number, heard on the bus, received, latency; in ns, 0 or - for none\n",
	      cmd->measure.raw);
}

static void close_raw(struct command *cmd)
{
	FILE *raw = cmd->measure.raw;

	/* both: fclose() does not tell of what failed before it */
	if (raw && (ferror(raw) | fclose(raw)))
		cli_fail("--raw: %s is not complete", cmd->raw);
}

static bool nothing_timed(const struct measure *m)
{
	return m->untimed && m->untimed == m->match.counts.received;
}

static int exit_status(const struct measure *m)
{
	const struct match_counts *c = &m->match.counts;

	if (m->clock_step || nothing_timed(m))
		return CLI_SYSTEM;
	return c->lost || c->unheard || c->reordered || c->duplicated ? CLI_LOSS : CLI_OK;
}

static void print_warnings(const struct measure *m)
{
	const struct match_counts *c = &m->match.counts;

	if (m->clock_step)
		cli_warn("the kernel's clock was set while measuring: the latencies are not usable");
	if (nothing_timed(m) && m->unstamped)
		cli_warn("there are no pairs of %s time stamps of %s and %s",
			 stamp_clocks[m->clock], m->bus, m->rx);
	else if (nothing_timed(m))
		cli_warn("nothing was heard on %s: is it on the bus of %s?", m->bus, m->tx);
	if (c->unheard && !c->received)
		cli_warn("nothing was transmitted: is there another node on the bus of %s?", m->tx);
}

int main(int argc, char **argv)
{
	struct command cmd = {
		.measure = {
			.timeout = SECOND,
			.traffic = { .count = 1000, .fill = 0x55 },
		},
		.pattern = -1,
		.kind = -1,
		.length = "8",
	};
	struct measure *m = &cmd.measure;
	int result;

	cli_program("canlat");
	parse_command_line(&cmd, argc, argv);
	resolve_interfaces(m);
	resolve_pattern(&cmd);
	resolve_ids(&cmd);
	resolve_lengths(&cmd);
	resolve_bitrates(&cmd);

	measure_open(m);
	open_raw(&cmd);
	if (cmd.report.lock_memory)
		rt_lock_memory();
	rt_priority(cmd.report.priority);
	cli_catch_stop();
	measure_run(m);

	report_print(&cmd.report, m);
	print_warnings(m);
	close_raw(&cmd);
	result = exit_status(m);
	measure_close(m);
	return result;
}
