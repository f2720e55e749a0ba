// SPDX-License-Identifier: GPL-2.0-only
/*
 * canping: round-trip time between two CAN nodes; canping.1 names the paper. This file is
 * the command line. canping has one thread.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "ids.h"
#include "requester.h"
#include "payload.h"
#include "report.h"
#include "rt.h"
#include "responder.h"

#define MILLISECOND 1000000ULL
#define SECOND (1000 * MILLISECOND)
#define HOUR (3600 * SECOND)

#define PARALLEL_MAX 1024
#define DEFAULT_ID 0x200
#define DEFAULT_OFFSET 0x100
#define DEFAULT_LENGTH 8
#define DEFAULT_COUNT 1000
#define DEFAULT_PERIOD (10 * MILLISECOND)
#define DEFAULT_TIMEOUT SECOND

static const char usage[] =
	"usage: canping [OPTION...] IF\n"
	"       canping --responder [OPTION...] IF\n"
	"\n"
	"Measures the round-trip time of CAN frames. The requester (first form) sends pings.\n"
	"The responder, on another node of the bus, returns each ping with another\n"
	"identifier. At most one ping of each identifier is on its way at a time.\n"
	"\n"
	"  -r, --responder         answer pings, until a signal or --count; -s and --slave are\n"
	"                          aliases\n"
	"\n"
	"Both modes\n"
	"  -i, --id ID             identifier of the first ping: 3 hexadecimal digits, or 8 for\n"
	"                          an extended one (default 200)\n"
	"  -o, --offset N          the identifier of an answer is that of its ping plus N\n"
	"                          (default 0x100)\n"
	"  -n, --parallel N        number of identifiers, starting at --id (default: requester\n"
	"                          1, responder all below the identifiers of answers)\n"
	"  -c, --count N           requester: pings per identifier (default 1000); responder:\n"
	"                          answers (default 0); 0 for no limit\n"
	"  -P, --priority N        SCHED_FIFO, 1 to 99\n"
	"  -m, --lock-memory       lock all memory in RAM\n"
	"\n"
	"Requester\n"
	"  -p, --period TIME       send a ping of each identifier in each period, but not\n"
	"                          before the previous one is answered or lost (default 10ms)\n"
	"  -f, --flood             send the next ping immediately after the answer\n"
	"  -W, --timeout TIME      an answer after this time is late (default 1s)\n"
	"  -l, --length N          bytes of data, 4 to 8, with --fd up to 64 (default 8)\n"
	"  -F, --fd                send CAN FD frames\n"
	"  -B, --brs               with --fd: send data at the data bit rate\n"
	"\n"
	"Result\n"
	"  -H, --histogram         also print a histogram\n"
	"  -e, --each              also print the figures of each identifier\n"
	"  -j, --json              one JSON object instead of text\n"
	"  -L, --label TEXT        name of the experiment, for the JSON object\n"
	"  -O, --load TEXT         background load, for the JSON object\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"When the responder can answer, it prints \"canping: ready: ...\" to standard error.\n"
	"\n"
	"Exit status: 0 all pings were answered in time; 1 answers were lost, late,\n"
	"duplicated, reordered or changed; 2 wrong command line; 3 system error.";

static const struct option options[] = {
	{ "responder", no_argument, NULL, 'r' },
	{ "slave", no_argument, NULL, 'r' },
	{ "id", required_argument, NULL, 'i' },
	{ "offset", required_argument, NULL, 'o' },
	{ "parallel", required_argument, NULL, 'n' },
	{ "count", required_argument, NULL, 'c' },
	{ "priority", required_argument, NULL, 'P' },
	{ "lock-memory", no_argument, NULL, 'm' },
	{ "period", required_argument, NULL, 'p' },
	{ "flood", no_argument, NULL, 'f' },
	{ "timeout", required_argument, NULL, 'W' },
	{ "length", required_argument, NULL, 'l' },
	{ "fd", no_argument, NULL, 'F' },
	{ "brs", no_argument, NULL, 'B' },
	{ "histogram", no_argument, NULL, 'H' },
	{ "each", no_argument, NULL, 'e' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

#define SHORT_OPTIONS ":rsi:o:n:c:P:mp:fW:l:FBHejL:O:h"

/* Options that are not valid for a responder */
#define REQUESTER_ONLY "pfWlFBHe"

/**
 * struct command - the command line
 * @has_count: --count was given
 * @flood: --flood was given
 * @requester_only: the last given option that is valid for the requester only, or NULL
 */
struct command {
	struct settings s;
	bool has_count, flood;
	const char *requester_only;
};

/* Options of both modes. False: @c is another option. */
static bool parse_common(struct command *cmd, int c)
{
	struct settings *s = &cmd->s;

	switch (c) {
	case 'r':
	case 's':
		s->responder = true;
		return true;
	case 'i':
		s->id = cli_can_id("--id", optarg);
		return true;
	case 'o':
		s->offset = cli_number("--offset", optarg, 1, CAN_EFF_MASK);
		return true;
	case 'n':
		s->parallel = cli_number("--parallel", optarg, 1, PARALLEL_MAX);
		return true;
	case 'c':
		s->count = cli_number("--count", optarg, 0, UINT32_MAX);
		cmd->has_count = true;
		return true;
	case 'P':
		s->priority = cli_number("--priority", optarg, 1, 99);
		return true;
	case 'm':
		s->lock_memory = true;
		return true;
	default:
		return false;
	}
}

static bool parse_requester(struct command *cmd, int c)
{
	struct settings *s = &cmd->s;

	switch (c) {
	case 'p':
		s->period = cli_duration("--period", optarg, 1, HOUR);
		return true;
	case 'f':
		cmd->flood = true;
		return true;
	case 'W':
		s->timeout = cli_duration("--timeout", optarg, 1, HOUR);
		return true;
	case 'l':
		s->length = cli_number("--length", optarg, PAYLOAD_NUMBER, CANFD_MAX_DLEN);
		return true;
	case 'F':
		s->fd = true;
		return true;
	case 'B':
		s->brs = true;
		return true;
	default:
		return false;
	}
}

static bool parse_result(struct settings *s, int c)
{
	switch (c) {
	case 'H':
		s->histogram = true;
		return true;
	case 'e':
		s->each = true;
		return true;
	case 'j':
		s->json = true;
		return true;
	case 'L':
		s->label = optarg;
		return true;
	case 'O':
		s->load = optarg;
		return true;
	default:
		return false;
	}
}

static const char *option_name(int c)
{
	const struct option *o = options;

	while (o->name && o->val != c)
		o++;
	return o->name;
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
	while ((c = getopt_long(argc, argv, SHORT_OPTIONS, options, NULL)) != -1) {
		if (c == ':' || c == '?')
			fail_option(c, argv[optind - 1]);
		if (c == CLI_OPTION_VERSION)
			cli_version();
		if (c == 'h') {
			puts(usage);
			exit(CLI_OK);
		}
		if (strchr(REQUESTER_ONLY, c))
			cmd->requester_only = option_name(c);
		if (!parse_common(cmd, c) && !parse_requester(cmd, c))
			parse_result(&cmd->s, c);
	}
	if (optind == argc)
		cli_usage("interface is required");
	if (optind + 1 < argc)
		cli_usage("unexpected argument '%s'", argv[optind + 1]);
	cmd->s.ifname = argv[optind];
}

/* The ranges of identifiers for pings and for answers must be valid and must not overlap. */
static void resolve_ids(struct settings *s)
{
	canid_t max = ids_max(s->id);
	char text[CLI_CAN_ID_TEXT];

	if (s->offset > max - s->id)
		cli_usage("--offset: %u plus identifier %s exceeds the maximum",
			  s->offset, cli_can_id_text(s->id, text));
	if (!s->parallel && !s->responder)
		s->parallel = 1;
	if (!s->parallel) {
		s->parallel = max - s->id - s->offset + 1;
		if (s->parallel > s->offset)
			s->parallel = s->offset;
	}
	if (s->parallel > s->offset)
		cli_usage("--parallel: %u identifiers of pings overlap those of answers at --offset %u",
			  s->parallel, s->offset);
	if (s->parallel - 1 > max - s->id - s->offset)
		cli_usage("--parallel: the identifiers of %u answers exceed %s",
			  s->parallel, cli_can_id_text(max, text));
}

static void resolve_length(const struct settings *s)
{
	static const unsigned char steps[] = { 12, 16, 20, 24, 32, 48, 64 };

	if (s->brs && !s->fd)
		cli_usage("--brs requires --fd");
	if (s->length <= CAN_MAX_DLEN)
		return;
	if (!s->fd)
		cli_usage("--length: %u bytes require --fd, the maximum of Classical CAN is %u",
			  s->length, (unsigned int)CAN_MAX_DLEN);
	if (!memchr(steps, s->length, sizeof(steps)))
		cli_usage("--length: %u is not a CAN FD length; above 8, use 12, 16, 20, 24, 32, 48 or 64",
			  s->length);
}

static void resolve_options(struct command *cmd)
{
	struct settings *s = &cmd->s;

	if (s->responder && cmd->requester_only)
		cli_usage("--%s is not valid with --responder", cmd->requester_only);
	if (s->period && cmd->flood)
		cli_usage("--period and --flood are mutually exclusive");
	if (!s->period && !cmd->flood)
		s->period = DEFAULT_PERIOD;
	if (!cmd->has_count)
		s->count = s->responder ? 0 : DEFAULT_COUNT;
	resolve_ids(s);
	resolve_length(s);
}

/* Called after memory was reserved, before the measurement. */
static void set_realtime(const struct settings *s)
{
	if (s->lock_memory)
		rt_lock_memory();
	rt_priority(s->priority);
	cli_catch_stop();
}

static int run_responder(const struct settings *s)
{
	char first[CLI_CAN_ID_TEXT], last[CLI_CAN_ID_TEXT];
	struct responder resp;
	int status;

	responder_open(&resp, s);
	set_realtime(s);
	cli_warn("ready: %s answers %s to %s", s->ifname, cli_can_id_text(s->id, first),
		 cli_can_id_text(s->id + s->parallel - 1, last));
	responder_run(&resp);
	rt_unlock_memory();
	report_responder(&resp);
	status = resp.overrun ? CLI_LOSS : CLI_OK;
	responder_close(&resp);
	return status;
}

static int run_requester(const struct settings *s)
{
	struct requester req;
	int status;

	requester_open(&req, s);
	set_realtime(s);
	requester_run(&req);
	rt_unlock_memory();
	report_requester(&req);
	status = requester_clean(&req) ? CLI_OK : CLI_LOSS;
	requester_close(&req);
	return status;
}

int main(int argc, char **argv)
{
	struct command cmd = {
		.s = {
			.id = DEFAULT_ID,
			.offset = DEFAULT_OFFSET,
			.length = DEFAULT_LENGTH,
			.timeout = DEFAULT_TIMEOUT,
		},
	};

	cli_program("canping");
	parse_command_line(&cmd, argc, argv);
	resolve_options(&cmd);
	return cmd.s.responder ? run_responder(&cmd.s) : run_requester(&cmd.s);
}
