// SPDX-License-Identifier: GPL-2.0-only
/*
 * canping: round-trip time between two CAN nodes (paper 1, section II). This
 * file is the command line; one thread runs all of canping.
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
	"Measures the round-trip time of CAN frames. The requester, the first form, sends\n"
	"pings; the responder, on another node of the bus, sends back each of them with\n"
	"another identifier. Of each identifier one ping is on its way at a time.\n"
	"\n"
	"  -r, --responder         answer pings, until a signal or --count; the old names\n"
	"                          are -s and --slave\n"
	"\n"
	"Both\n"
	"  -i, --id ID             identifier of the first ping: 3 hexadecimal digits,\n"
	"                          or 8 for an extended one (default 200)\n"
	"  -o, --offset N          an answer's identifier is N above that of its ping\n"
	"                          (default 0x100)\n"
	"  -n, --parallel N        number of identifiers, from --id on (default:\n"
	"                          requester 1, responder all below those of answers)\n"
	"  -c, --count N           pings of each identifier, or answers of the responder;\n"
	"                          0 for no end (default: requester 1000, responder 0)\n"
	"  -P, --priority N        SCHED_FIFO, 1 to 99\n"
	"  -m, --lock-memory       keep all memory in RAM\n"
	"\n"
	"Requester\n"
	"  -p, --period TIME       a ping of each identifier in each period, but not\n"
	"                          before the previous one is answered or lost\n"
	"                          (default 10ms)\n"
	"  -f, --flood             the next ping immediately after the answer\n"
	"  -W, --timeout TIME      an answer after that is late (default 1s)\n"
	"  -l, --length N          bytes of data, 4 to 8, with --fd up to 64 (default 8)\n"
	"  -F, --fd                CAN FD frames\n"
	"  -B, --brs               with --fd: data at the data bit rate\n"
	"\n"
	"Result\n"
	"  -H, --histogram         print a histogram too\n"
	"  -e, --each              print the figures of each identifier too\n"
	"  -j, --json              one JSON object instead of text\n"
	"  -L, --label TEXT        name of the experiment, for the JSON object\n"
	"  -O, --load TEXT         what else the machine does, for the JSON object\n"
	"  -h, --help\n"
	"\n"
	"A responder that can answer prints \"canping: ready: ...\" on standard error.\n"
	"\n"
	"Exit status: 0 all pings answered in time; 1 answers lost, late, duplicated,\n"
	"reordered or changed; 2 wrong command line; 3 the system refused something.";

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
	{ 0 }
};

#define SHORT_OPTIONS ":rsi:o:n:c:P:mp:fW:l:FBHejL:O:h"

/* Have no effect on a responder. */
#define REQUESTER_ONLY "pfWlFBHe"

/**
 * struct command - the command line
 * @has_count: --count was given, which is 0 for no end
 * @flood: --flood was
 * @requester_only: the latest option given that is for the requester only, or NULL
 */
struct command {
	struct settings s;
	bool has_count, flood;
	const char *requester_only;
};

/* Options of both modes; false: @c is none of them. */
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

/* @c is what getopt_long() returned; @text is the wrong argument if it is a long option. */
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
	while ((c = getopt_long(argc, argv, SHORT_OPTIONS, options, NULL)) != -1) {
		if (c == ':' || c == '?')
			fail_option(c, argv[optind - 1]);
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
		cli_usage("the interface is missing");
	if (optind + 1 < argc)
		cli_usage("one interface is wanted, '%s' is one too many", argv[optind + 1]);
	cmd->s.ifname = argv[optind];
}

/* Identifiers of pings and of answers are rows of @parallel, which have to fit and not to meet. */
static void resolve_ids(struct settings *s)
{
	canid_t max = ids_max(s->id);
	char text[CLI_CAN_ID_TEXT];

	if (s->offset > max - s->id)
		cli_usage("--offset: %u above identifier %s there is no other one",
			  s->offset, cli_can_id_text(s->id, text));
	if (!s->parallel && !s->responder)
		s->parallel = 1;
	if (!s->parallel) {
		s->parallel = max - s->id - s->offset + 1;
		if (s->parallel > s->offset)
			s->parallel = s->offset;
	}
	if (s->parallel > s->offset)
		cli_usage("--parallel: %u identifiers of pings would overlap those of answers, with an --offset of %u",
			  s->parallel, s->offset);
	if (s->parallel - 1 > max - s->id - s->offset)
		cli_usage("--parallel: the identifiers of %u answers would go beyond %s",
			  s->parallel, cli_can_id_text(max, text));
}

static void resolve_length(const struct settings *s)
{
	static const unsigned char steps[] = { 12, 16, 20, 24, 32, 48, 64 };

	if (s->brs && !s->fd)
		cli_usage("--brs is for CAN FD frames: --fd is missing");
	if (s->length <= CAN_MAX_DLEN)
		return;
	if (!s->fd)
		cli_usage("--length: %u bytes need --fd, Classical CAN frames have up to %u",
			  s->length, (unsigned int)CAN_MAX_DLEN);
	if (!memchr(steps, s->length, sizeof(steps)))
		cli_usage("--length: no CAN FD frame has %u bytes; above 8 there are 12, 16, 20, 24, 32, 48 and 64",
			  s->length);
}

static void resolve_options(struct command *cmd)
{
	struct settings *s = &cmd->s;

	if (s->responder && cmd->requester_only)
		cli_usage("--%s is for the requester, it has no effect with --responder", cmd->requester_only);
	if (s->period && cmd->flood)
		cli_usage("--period and --flood exclude each other");
	if (!s->period && !cmd->flood)
		s->period = DEFAULT_PERIOD;
	if (!cmd->has_count)
		s->count = s->responder ? 0 : DEFAULT_COUNT;
	resolve_ids(s);
	resolve_length(s);
}

/* After memory was reserved and before anything is measured. */
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
