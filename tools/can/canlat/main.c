// SPDX-License-Identifier: GPL-2.0-only
/*
 * canlat: latency of frames through a device between two CAN buses, measured with three
 * interfaces; canlat.1 names the papers. This file is the command line. canlat has one
 * thread.
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
 * @id, @length: option arguments, whose meaning depends on @kind
 * @bitrate, @data_bitrate: 0 while not given; likewise @rx_bitrate and @rx_data_bitrate,
 *	of the second bus
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
	"Measures the latency of frames through a device that forwards them from one CAN bus\n"
	"to another. The first two bytes of data hold the number of a frame, so the device\n"
	"may change identifiers and all other bytes.\n"
	"\n"
	"  -t, --tx IF             send on this interface\n"
	"  -b, --bus IF            take the transmission time on this interface, which is on\n"
	"                          the same bus (default: from the echo on --tx)\n"
	"  -r, --rx IF             receive on this interface, on the other bus of the device\n"
	"\n"
	"Traffic\n"
	"  -T, --traffic PATTERN   one: send the next frame when the last one was received\n"
	"                          (default); periodic: with --period; half: 50 % bus load;\n"
	"                          flood: as fast as the bus allows\n"
	"  -p, --period TIME       such as 250us; implies --traffic periodic\n"
	"  -c, --count N           number of frames, 0 for no limit (default 1000)\n"
	"  -k, --kind KIND         sff, eff or fd (default sff, or according to --id)\n"
	"  -i, --id ID[-ID]        3 hexadecimal digits, or 8 for an extended identifier\n"
	"                          (default 100); the identifiers of a range are used in turn\n"
	"  -l, --length N[-N]      bytes of data, 2 to 8, for fd 2 to 64 (default 8); the\n"
	"                          lengths of a range are used in turn\n"
	"  -f, --fill BYTE         value of the data bytes after the number (default 0x55)\n"
	"  -B, --brs               fd: send data at the data bit rate\n"
	"  -R, --bitrate N[:N]     bit rate of the bus and of its data phase, for half\n"
	"                          (default: configuration of --tx)\n"
	"\n"
	"Measurement\n"
	"  -W, --timeout TIME      a frame that takes longer is lost (default 1s)\n"
	"  -C, --clock CLOCK       timestamps: kernel, hardware, or auto (default): hardware\n"
	"                          if --bus and --rx belong to one adapter\n"
	"  -S, --subtract-frame    subtract the duration of the frame on the second bus,\n"
	"                          with stuff bits\n"
	"  -X, --rx-bitrate N[:N]  bit rate of the second bus (default: configuration of --rx,\n"
	"                          else --bitrate)\n"
	"  -P, --priority N        SCHED_FIFO, 1 to 99\n"
	"  -m, --lock-memory       lock all memory in RAM\n"
	"\n"
	"Result\n"
	"  -o, --profile[=TIME]    also print the latency profile, in steps of TIME; all other\n"
	"                          lines begin with #\n"
	"  -w, --raw FILE          write the timestamps of every frame\n"
	"  -j, --json              one JSON object instead of text\n"
	"  -L, --label TEXT        name of the experiment, for the JSON object\n"
	"  -O, --load TEXT         background load, for the JSON object\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"Exit status: 0 no frame was lost; 1 frames were lost, reordered or duplicated;\n"
	"2 wrong command line; 3 system error, the system clock was set during the\n"
	"measurement, or no frame was received on --bus.";

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
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

/* Index of @text in @names, which ends with NULL */
static int parse_choice(const char *option, const char *text, const char * const *names)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	cli_usage("%s: unknown value '%s'", option, text);
}

/* Split a copy of "A-B" or "A:B", which is never freed; without @separator both are A. */
static const char *split_pair(const char *text, char separator, char **second)
{
	char *first = strdup(text);

	if (!first)
		cli_fail("allocating memory for the command line");
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

/* Options of the traffic. False: @c is another option. */
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

/* Options of the output. False: @c is another option. */
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
	case CLI_OPTION_VERSION:
		cli_version();
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

/* @c: result of getopt_long() for @text */
static _Noreturn void fail_option(int c, const char *text)
{
	if (c == ':')
		cli_usage("--%s requires a value", option_name(optopt));
	if (!optopt)
		cli_usage("unknown or ambiguous option %s", text);
	if (option_name(optopt))
		cli_usage("--%s does not take a value", option_name(optopt));
	cli_usage("unknown option -%c", optopt);
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
		cli_usage("unexpected argument '%s'", argv[optind]);
}

static void resolve_interfaces(struct measure *m)
{
	if (!m->tx)
		cli_usage("--tx is required");
	if (!m->rx)
		cli_usage("--rx is required");
	if (!m->bus)
		m->bus = m->tx;
	if (!strcmp(m->rx, m->tx) || !strcmp(m->rx, m->bus))
		cli_usage("--rx: %s must not be the interface of --tx or --bus", m->rx);
}

static void resolve_pattern(struct command *cmd)
{
	struct traffic *t = &cmd->measure.traffic;

	if (cmd->pattern < 0)
		cmd->pattern = t->period ? TRAFFIC_PERIODIC : TRAFFIC_ONE;
	t->pattern = cmd->pattern;
	if (t->pattern == TRAFFIC_PERIODIC && !t->period)
		cli_usage("--traffic periodic requires --period");
	if (t->pattern != TRAFFIC_PERIODIC && t->period)
		cli_usage("--period is only valid with --traffic periodic, not with %s",
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
		cli_usage("--id: range mixes standard and extended identifiers: %s", cmd->id);
	if (t->first_id > t->last_id)
		cli_usage("--id: range is empty: %s", cmd->id);
	if (cmd->kind == TRAFFIC_SFF && t->first_id & CAN_EFF_FLAG)
		cli_usage("--id: kind sff requires standard identifiers with 3 digits: %s",
			  cmd->id);
	if (cmd->kind == TRAFFIC_EFF && !(t->first_id & CAN_EFF_FLAG))
		cli_usage("--id: kind eff requires extended identifiers with 8 digits: %s",
			  cmd->id);
	if (cmd->kind < 0)
		cmd->kind = t->first_id & CAN_EFF_FLAG ? TRAFFIC_EFF : TRAFFIC_SFF;
	t->kind = cmd->kind;
	if (t->brs && t->kind != TRAFFIC_FD)
		cli_usage("--brs requires --kind fd");
}

static void resolve_lengths(struct command *cmd)
{
	struct traffic *t = &cmd->measure.traffic;
	char *last;
	const char *first = split_pair(cmd->length, '-', &last);
	unsigned int min = cli_number("--length", first, 0, UINT8_MAX);
	unsigned int max = cli_number("--length", last, 0, UINT8_MAX);

	if (!traffic_lengths(t, min, max))
		cli_usage("--length: kind %s requires 2 to %s bytes: %s",
			  traffic_kinds[t->kind],
			  t->kind == TRAFFIC_FD ? "8, or 12, 16, 20, 24, 32, 48 or 64" : "8",
			  cmd->length);
}

/* Configured bit rates of an interface; exits if it does not exist. */
static bool interface_bitrate(const char *ifname, uint32_t *bitrate, uint32_t *data_bitrate)
{
	rawsock_ifindex(ifname);
	return wire_bitrate(ifname, bitrate, data_bitrate);
}

/* Bit rates from options, else from the interfaces */
static void resolve_bitrates(struct command *cmd)
{
	struct measure *m = &cmd->measure;
	struct traffic *t = &m->traffic;

	t->bitrate = cmd->bitrate;
	t->data_bitrate = cmd->data_bitrate;
	if (t->pattern == TRAFFIC_HALF && !t->bitrate &&
	    !interface_bitrate(m->tx, &t->bitrate, &t->data_bitrate))
		cli_usage("--traffic half: %s has no bit rate, --bitrate is required", m->tx);
	if (t->pattern == TRAFFIC_HALF && t->brs && !t->data_bitrate)
		cli_usage("--traffic half: no data bit rate, --bitrate N:N is required");

	if (!m->subtract && cmd->rx_bitrate)
		cli_usage("--rx-bitrate is only valid with --subtract-frame");
	if (!m->subtract)
		return;
	m->rx_bitrate = cmd->rx_bitrate;
	m->rx_data_bitrate = cmd->rx_data_bitrate;
	if (!m->rx_bitrate && !interface_bitrate(m->rx, &m->rx_bitrate, &m->rx_data_bitrate)) {
		m->rx_bitrate = cmd->bitrate;
		m->rx_data_bitrate = cmd->data_bitrate;
	}
	if (!m->rx_bitrate)
		cli_usage("--subtract-frame: %s has no bit rate, --rx-bitrate is required", m->rx);
	if (t->brs && !m->rx_data_bitrate)
		cli_usage("--subtract-frame: no data bit rate, --rx-bitrate N:N is required");
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

	/* Both, because fclose() does not report earlier errors. */
	if (raw && (ferror(raw) | fclose(raw)))
		cli_fail("--raw: writing %s", cmd->raw);
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
		cli_warn("CLOCK_REALTIME was set during the measurement: latencies are invalid");
	if (nothing_timed(m) && m->unstamped)
		cli_warn("no frame has %s timestamps of both %s and %s",
			 stamp_clocks[m->clock], m->bus, m->rx);
	else if (nothing_timed(m))
		cli_warn("no frame received on %s: it must be on the same bus as %s", m->bus, m->tx);
	if (c->unheard && !c->received)
		cli_warn("no frame was transmitted: another node must acknowledge frames of %s", m->tx);
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
