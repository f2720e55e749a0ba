// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-load: how many frames a driver loses on a simulated bus under background
 * load, and the latency of the others. This file is the command line.
 */
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "report.h"
#include "rt.h"
#include "run.h"
#include "schedule.h"
#include "search.h"
#include "settings.h"

#define HOUR 3600000000000ULL
#define SECOND 1000000000ULL

/* Longer runs would need more memory for latencies than can be locked. */
#define COUNT_MAX 10000000

/* Frames that a bus can record, but for those of the warm-up */
#define GATEWAY_MAX 4000000

/* Limits of a generator */
#define BITRATE_MIN 10000
#define BITRATE_MAX 1000000

static const char usage[] =
	"usage: canbench-load [OPTION...] CHIP\n"
	"\n"
	"Creates a simulated CAN bus (cansim) with a frame generator and the controller CHIP:\n"
	"sja1000, mpc5200, mpc5121, mcp2515 or mcp2510, optionally with :ATTRIBUTE=VALUE...\n"
	"Reports how many frames do not reach a real-time thread that waits for them, and the\n"
	"latency of the others: from the last bit of the frame on the bus to the return of\n"
	"read().\n"
	"\n"
	"Traffic\n"
	"  -n, --count N         number of frames (default 1000); some more are sent before\n"
	"                        the measurement\n"
	"  -B, --burst N         back-to-back frames per burst (default 1)\n"
	"  -p, --period TIME     time from one burst to the next, such as 20ms (default 0: no\n"
	"                        pause, the bus is full)\n"
	"  -l, --dlc N           bytes of data, up to 8 (default 8)\n"
	"  -u, --bus-load N      instead of --period: so many percent of the bus\n"
	"  -i, --id ID           identifier of the frames, such as 7FF (default 123), or random\n"
	"  -r, --bitrate N       in bit/s (default 1000000)\n"
	"  -R, --rate-search     find the highest rate of single frames at which none of\n"
	"                        --count is lost\n"
	"  -o, --one             with --gateway: each frame follows the last one on the second\n"
	"                        bus, or --period (default 1s)\n"
	"  -S, --seed N          a random time before the first frame, random data after the\n"
	"                        number, and what --jitter and --id random need\n"
	"  -J, --jitter TIME     each burst begins later by less than this; requires --seed\n"
	"\n"
	"System\n"
	"  -O, --load LOAD       background load of the CPU: none (default), ethernet (a flood\n"
	"                        of pings between two network namespaces),\n"
	"                        backlog or napi (a simulated card receives trains of 1000\n"
	"                        datagrams, with netif_rx() or with NAPI), transmit (the card\n"
	"                        sends as much as a link of 100 Mbit/s carries), cpu (a program\n"
	"                        of normal priority computes), or hackbench (40 processes send\n"
	"                        each other messages)\n"
	"  -z, --ping-size N     bytes of data of each ping (default 60000)\n"
	"  -d, --datagrams N     that a simulated card receives per second in a train (default\n"
	"                        37000)\n"
	"  -P, --priority N      real-time priority of the receiving thread (default 80), or 0\n"
	"                        for the normal priority\n"
	"  -T, --threaded N      run the NAPI of the interfaces in a thread with real-time\n"
	"                        priority N, if their drivers have NAPI\n"
	"  -I, --irq-priority N  real-time priority of their interrupt threads, if any\n"
	"  -E, --rx-priority N   real-time priority of the threads that give frames to sockets\n"
	"                        (PREEMPT_RT), if any\n"
	"  -c, --load-cpu N      CPU of the background load; the default is that of the interrupts,\n"
	"                        which the program is started on\n"
	"  -C, --reader-cpu N    CPU of the receiving thread; the same default\n"
	"  -X, --rx-cpu N        CPU of the threads that give frames to sockets (default: any)\n"
	"  -w, --wait CALL       the receiving thread waits in read (default), or in poll or epoll,\n"
	"                        with a read() for each frame afterwards\n"
	"  -b, --busy-poll TIME  read() polls the driver for this time before it sleeps\n"
	"  -D, --defer TIME      let the driver mask receive interrupts for this time\n"
	"                        meanwhile; requires --busy-poll\n"
	"  -s, --stamp           also get the kernel timestamps of the frames\n"
	"  -g, --gateway CHIP    instead of receiving, route the frames to this controller on a\n"
	"                        second bus; the latency ends at the first bit there\n"
	"  -e, --express         route them in the interrupt that reads them\n"
	"  -M, --bare            copy them in the interrupt, without drivers (cansim-bare)\n"
	"  -W, --both            send as many frames on the second bus, and route them to the\n"
	"                        first one\n"
	"  -F, --forwarder CMD   let a program forward them: CMD IN OUT, in a shell\n"
	"  -N, --rules N|FILE    N rules, each for another identifier, or those of a file for\n"
	"                        canroute(1), with the interfaces in and out\n"
	"  -H, --hops N          N rules one after another, over N - 1 interfaces of type vcan;\n"
	"                        each adds one to the identifier\n"
	"  -V, --vcans N         over so many of these interfaces, in turn; requires --hops\n"
	"  -x, --vxcan           over pairs of vxcan interfaces instead, for more than 6 rules\n"
	"  -q, --txqueuelen N    length of the transmit queue of the second interface\n"
	"\n"
	"  -j, --json            print one JSON object instead of text\n"
	"  -f, --frames          with the time and the latency of each frame\n"
	"  -L, --label TEXT      name of the experiment, for the JSON object\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"Requires root, the initial network namespace, and the module cansim. Everything that\n"
	"was created is removed at the end, also after SIGINT and SIGTERM.\n"
	"\n"
	"Exit status: 0 no frame was lost, or a rate without loss was found; 1 otherwise;\n"
	"2 wrong command line; 3 system error.";

static const struct option options[] = {
	{ "count", required_argument, NULL, 'n' },
	{ "burst", required_argument, NULL, 'B' },
	{ "period", required_argument, NULL, 'p' },
	{ "dlc", required_argument, NULL, 'l' },
	{ "bus-load", required_argument, NULL, 'u' },
	{ "id", required_argument, NULL, 'i' },
	{ "bitrate", required_argument, NULL, 'r' },
	{ "rate-search", no_argument, NULL, 'R' },
	{ "one", no_argument, NULL, 'o' },
	{ "seed", required_argument, NULL, 'S' },
	{ "jitter", required_argument, NULL, 'J' },
	{ "load", required_argument, NULL, 'O' },
	{ "ping-size", required_argument, NULL, 'z' },
	{ "datagrams", required_argument, NULL, 'd' },
	{ "priority", required_argument, NULL, 'P' },
	{ "threaded", required_argument, NULL, 'T' },
	{ "irq-priority", required_argument, NULL, 'I' },
	{ "rx-priority", required_argument, NULL, 'E' },
	{ "load-cpu", required_argument, NULL, 'c' },
	{ "reader-cpu", required_argument, NULL, 'C' },
	{ "rx-cpu", required_argument, NULL, 'X' },
	{ "wait", required_argument, NULL, 'w' },
	{ "busy-poll", required_argument, NULL, 'b' },
	{ "defer", required_argument, NULL, 'D' },
	{ "stamp", no_argument, NULL, 's' },
	{ "gateway", required_argument, NULL, 'g' },
	{ "express", no_argument, NULL, 'e' },
	{ "bare", no_argument, NULL, 'M' },
	{ "both", no_argument, NULL, 'W' },
	{ "forwarder", required_argument, NULL, 'F' },
	{ "rules", required_argument, NULL, 'N' },
	{ "hops", required_argument, NULL, 'H' },
	{ "vcans", required_argument, NULL, 'V' },
	{ "vxcan", no_argument, NULL, 'x' },
	{ "txqueuelen", required_argument, NULL, 'q' },
	{ "json", no_argument, NULL, 'j' },
	{ "frames", no_argument, NULL, 'f' },
	{ "label", required_argument, NULL, 'L' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

static int parse_id(const char *text)
{
	canid_t id;

	if (!strcmp(text, "random"))
		return SETTINGS_RANDOM_ID;
	id = cli_can_id("--id", text);
	if (id & CAN_EFF_FLAG)
		cli_usage("--id: '%s' is not a standard identifier", text);
	return id;
}

/* A number, or the name of a file that begins with another character */
static void parse_rules(struct settings *set, const char *text)
{
	if (text[0] >= '0' && text[0] <= '9')
		set->rules = cli_number("--rules", text, 1, SETTINGS_RULES_MAX);
	else
		set->table = text;
}

static void set_route(struct settings *set, enum settings_route route)
{
	if (set->route && set->route != route)
		cli_usage("--express, --bare and --forwarder cannot be combined");
	set->route = route;
}

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
	case 'u':
		set->load_percent = cli_number("--bus-load", optarg, 1, 100);
		break;
	case 'i':
		set->id = parse_id(optarg);
		break;
	case 'o':
		set->one = true;
		break;
	case 'S':
		set->seed = cli_number("--seed", optarg, 1, INT64_MAX);
		break;
	case 'J':
		set->jitter = cli_duration("--jitter", optarg, 1, HOUR);
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
	case 'z':
		set->ping_bytes = cli_number("--ping-size", optarg, 0, BACKGROUND_PING_MAX);
		break;
	case 'd':
		set->datagrams = cli_number("--datagrams", optarg, 1, BACKGROUND_DATAGRAMS_MAX);
		break;
	case 'P':
		/* 1 is that of the thread that measures */
		set->priority = cli_number("--priority", optarg, 0, 99);
		if (set->priority == 1)
			cli_usage("--priority: must be 0, or 2 to 99");
		break;
	case 'T':
		set->napi_priority = cli_number("--threaded", optarg, 1, 99);
		break;
	case 'I':
		set->irq_priority = cli_number("--irq-priority", optarg, 1, 99);
		break;
	case 'E':
		set->rx_priority = cli_number("--rx-priority", optarg, 1, 99);
		break;
	case 'c':
		set->load_cpu = cli_number("--load-cpu", optarg, 0, CPU_SETSIZE - 1);
		break;
	case 'C':
		set->reader_cpu = cli_number("--reader-cpu", optarg, 0, CPU_SETSIZE - 1);
		break;
	case 'X':
		set->rx_cpu = cli_number("--rx-cpu", optarg, 0, CPU_SETSIZE - 1);
		break;
	case 'w':
		set->waiting = waiting_kind("--wait", optarg);
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
	case 'e':
		set_route(set, ROUTE_EXPRESS);
		break;
	case 'M':
		set_route(set, ROUTE_BARE);
		break;
	case 'W':
		set->both = true;
		break;
	case 'F':
		set_route(set, ROUTE_FORWARDER);
		set->forwarder = optarg;
		break;
	case 'N':
		parse_rules(set, optarg);
		break;
	case 'H':
		set->hops = cli_number("--hops", optarg, 2, SETTINGS_PAIRS_MAX);
		break;
	case 'V':
		set->vcans = cli_number("--vcans", optarg, 1, SETTINGS_HOPS_MAX - 1);
		break;
	case 'x':
		set->vxcan = true;
		break;
	case 'q':
		set->queue = cli_number("--txqueuelen", optarg, 1, 1000000);
		break;
	case 'j':
		set->json = true;
		break;
	case 'f':
		set->frames = true;
		break;
	case 'L':
		set->label = optarg;
		break;
	default:
		cli_other_option(option, usage);
	}
}

static void check_without_gateway(const struct settings *set)
{
	if (set->route == ROUTE_EXPRESS)
		cli_usage("--express requires --gateway");
	if (set->route == ROUTE_BARE)
		cli_usage("--bare requires --gateway");
	if (set->route == ROUTE_FORWARDER)
		cli_usage("--forwarder requires --gateway");
	if (set->both)
		cli_usage("--both requires --gateway");
	if (set->rules > 1 || set->table)
		cli_usage("--rules requires --gateway");
	if (set->one)
		cli_usage("--one requires --gateway");
	if (set->hops > 1)
		cli_usage("--hops requires --gateway");
	if (set->queue)
		cli_usage("--txqueuelen requires --gateway");
}

static void check_hops(const struct settings *set)
{
	if (set->vcans && set->hops == 1)
		cli_usage("--vcans requires --hops");
	if (set->vxcan && set->hops == 1)
		cli_usage("--vxcan requires --hops");
	if (set->hops == 1)
		return;
	if (set->vxcan && set->vcans)
		cli_usage("--vxcan cannot be combined with --vcans");
	if (set->hops > SETTINGS_HOPS_MAX && !set->vxcan)
		cli_usage("--hops: more than %d rules require --vxcan", SETTINGS_HOPS_MAX);
	if (set->vcans >= set->hops)
		cli_usage("--vcans: %u is not less than the number of --hops", set->vcans);
	if (set->route || set->both || set->rules > 1 || set->table)
		cli_usage("--hops cannot be combined with --express, --bare, --forwarder, --rules or --both");
	if (set->id == SETTINGS_RANDOM_ID)
		cli_usage("--hops cannot be combined with --id random");
	if (set->id + set->hops > CAN_SFF_MASK)
		cli_usage("--hops: the last rule would make an identifier above 7FF");
}

static void check_settings(const struct settings *set)
{
	if (set->search && (set->burst != 1 || set->period))
		cli_usage("--rate-search cannot be combined with --burst or --period");
	if (!set->gateway)
		check_without_gateway(set);
	check_hops(set);
	if ((set->rules > 1 || set->table) && set->route > ROUTE_EXPRESS)
		cli_usage("--rules cannot be combined with --bare or --forwarder");
	if (set->table && set->route == ROUTE_EXPRESS)
		cli_usage("--express: FILE of --rules says which rules are express rules");
	if (set->both && set->search)
		cli_usage("--both cannot be combined with --rate-search");
	if (set->both && (set->route == ROUTE_FORWARDER || set->table || !schedule_is_known(set)))
		cli_usage("--both cannot be combined with --forwarder, --rules FILE, --one or --seed");
	if (set->search && !schedule_is_known(set))
		cli_usage("--rate-search cannot be combined with --one or --seed");
	if (set->load_percent && (set->period || set->search || set->one))
		cli_usage("--bus-load cannot be combined with --period, --rate-search or --one");
	if (!set->seed && set->jitter)
		cli_usage("--jitter requires --seed");
	if (!set->seed && set->id == SETTINGS_RANDOM_ID)
		cli_usage("--id random requires --seed");
	if (set->id == SETTINGS_RANDOM_ID && schedule_by_id(set->dlc))
		cli_usage("--id random requires --dlc %d or more, not %u", NUMBER_LEAST_BYTES,
			  set->dlc);
	if (set->id == SETTINGS_RANDOM_ID && set->rules > 1)
		cli_usage("--id random cannot be combined with --rules N");
	if (set->one && set->burst > 1)
		cli_usage("--one cannot be combined with --burst");
	if (set->frames && set->both)
		cli_usage("--frames cannot be combined with --both");
	if (set->frames && !set->json)
		cli_usage("--frames requires --json");
	if (!schedule_is_known(set) && set->count + 2 * set->burst > GATEWAY_MAX)
		cli_usage("--one, --seed: at most %d frames, with two bursts", GATEWAY_MAX);
	if (set->flush_timeout && !set->busy_poll)
		cli_usage("--defer requires --busy-poll");
	if (set->busy_poll && set->waiting)
		cli_usage("--busy-poll cannot be combined with --wait");
	if (set->gateway && set->waiting)
		cli_usage("--wait cannot be combined with --gateway");
	if (set->gateway && set->busy_poll)
		cli_usage("--busy-poll cannot be combined with --gateway");
	if (set->gateway && set->stamp)
		cli_usage("--stamp cannot be combined with --gateway");
	if (set->gateway && set->count + 2 * set->burst > GATEWAY_MAX)
		cli_usage("--gateway: at most %d frames, with two bursts", GATEWAY_MAX);
	if (set->gateway && schedule_by_id(set->dlc))
		cli_usage("--gateway requires --dlc %d or more, not %u", NUMBER_LEAST_BYTES,
			  set->dlc);
}

static void parse_command_line(struct settings *set, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "n:B:p:l:u:i:r:RoS:J:O:z:d:P:T:I:E:c:C:X:w:b:D:sg:eMWF:N:H:V:xq:jfL:h", options, NULL)) != -1)
		set_option(set, option);
	if (argc - optind < 1)
		cli_usage("controller is required");
	if (argc - optind > 1)
		cli_usage("unexpected argument '%s'", argv[optind + 1]);
	set->chip = argv[optind];
	check_settings(set);
	if (!set->vcans)
		set->vcans = set->hops - 1;
	if (set->one && !set->period)
		set->period = SECOND;
	if (set->load_percent)
		set->period = schedule_mean_time(set) * set->burst * 100 / set->load_percent;
}

/* The child also exits through atexit(), but must not remove anything. */
static void clean_up(void)
{
	if (!background_is_child())
		run_tear_down();
}

int main(int argc, char **argv)
{
	static struct settings set = {
		.bitrate = 1000000, .burst = 1, .count = 1000, .dlc = CAN_MAX_DLEN,
		.ping_bytes = BACKGROUND_PING_MAX, .datagrams = BACKGROUND_DATAGRAMS, .priority = 80, .rules = 1, .hops = 1,
		.id = SCHEDULE_ID, .load_cpu = SETTINGS_DEFAULT_CPU,
		.reader_cpu = SETTINGS_DEFAULT_CPU, .rx_cpu = SETTINGS_DEFAULT_CPU,
	};
	struct search search = { 0 }, *found;
	struct run_result result;

	cli_program("canbench-load");
	parse_command_line(&set, argc, argv);
	found = set.search ? &search : NULL;
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
