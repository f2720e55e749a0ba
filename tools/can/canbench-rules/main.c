// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-rules: add many gateway rules, for benchmarks. cangw(1) requires a process per
 * rule, which is too slow for thousands of rules. One thread; the kernel acknowledges each
 * rule before the next one is sent.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/msg.h>
#include <netlink/netlink.h>

#include <linux/can/gw.h>

#include "cli.h"
#include "rawsock.h"

#define COUNT_MAX (1 << 24)

/* Number of values of the identifier bits above a standard identifier */
#define MASKS_MAX (1 << (CAN_EFF_ID_BITS - CAN_SFF_ID_BITS))

#define ONE_STANDARD (CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_SFF_MASK)

/**
 * struct rules - rules to add, or with @remove to remove
 * @source, @destination: indices of the interfaces
 * @first: rule i has the identifier @first + i
 * @mask: mask of all filters; with @masks above 1, some filters compare more bits
 */
struct rules {
	int source, destination;
	unsigned int count, masks;
	canid_t first, mask;
	bool remove;
};

static const char usage[] =
	"usage: canbench-rules [OPTION...] SOURCE DESTINATION\n"
	"\n"
	"Adds gateway rules that route frames from one CAN interface to another, each with a\n"
	"filter for one identifier.\n"
	"\n"
	"  -n, --count N         number of rules (default 1)\n"
	"  -i, --first ID        identifier of the first rule, 3 hexadecimal digits, or 8 for an\n"
	"                        extended one; the others count up (default 000)\n"
	"  -m, --mask MASK       mask of the filters, up to 8 hexadecimal digits, with the flags\n"
	"                        of <linux/can.h> (default C00007FF: exactly one standard\n"
	"                        identifier)\n"
	"  -k, --masks N         distribute the rules over N masks: mask number j, counted from\n"
	"                        0, also compares the bits of j << 11 (default 1)\n"
	"  -d, --delete          remove these rules\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"Requires CAP_NET_ADMIN and the kernel module can-gw.\n"
	"\n"
	"Exit status: 0 success; 2 wrong command line; 3 the kernel rejected a rule, and the\n"
	"rules before it remain.";

static const struct option options[] = {
	{ "count", required_argument, NULL, 'n' },
	{ "first", required_argument, NULL, 'i' },
	{ "mask", required_argument, NULL, 'm' },
	{ "masks", required_argument, NULL, 'k' },
	{ "delete", no_argument, NULL, 'd' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

static struct nl_msg *build_rule(const struct rules *rules, unsigned int i)
{
	struct rtcanmsg rtc = { .can_family = AF_CAN, .gwtype = CGW_TYPE_CAN_CAN };
	struct can_filter filter = {
		.can_id = rules->first + i,
		.can_mask = rules->mask | (canid_t)(i % rules->masks) << CAN_SFF_ID_BITS,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(rules->remove ? RTM_DELROUTE : RTM_NEWROUTE,
						NLM_F_REQUEST | NLM_F_ACK);

	if (!msg || nlmsg_append(msg, &rtc, sizeof(rtc), NLMSG_ALIGNTO) ||
	    nla_put(msg, CGW_FILTER, sizeof(filter), &filter) ||
	    nla_put_u32(msg, CGW_SRC_IF, rules->source) ||
	    nla_put_u32(msg, CGW_DST_IF, rules->destination)) {
		errno = 0;
		cli_fail("no memory for a netlink message");
	}
	return msg;
}

/* The most likely meaning of a netlink error */
static const char *error_text(const struct rules *rules, int error)
{
	switch (-error) {
	case NLE_PERM:
		return "CAP_NET_ADMIN is required";
	case NLE_OPNOTSUPP:
		return "kernel module can-gw is not loaded";
	case NLE_INVAL:
		if (rules->remove)
			return "rule does not exist";
	}
	return nl_geterror(error);
}

static void send_rules(const struct rules *rules)
{
	struct nl_sock *sock = nl_socket_alloc();
	int error = sock ? nl_connect(sock, NETLINK_ROUTE) : -NLE_NOMEM;

	errno = 0;
	if (error)
		cli_fail("opening a netlink socket: %s", nl_geterror(error));
	for (unsigned int i = 0; i < rules->count; i++) {
		error = nl_send_sync(sock, build_rule(rules, i));
		errno = 0;
		if (error)
			cli_fail("rule %u of %u: %s", i + 1, rules->count, error_text(rules, error));
	}
	nl_socket_free(sock);
}

static void set_option(struct rules *rules, int option)
{
	switch (option) {
	case 'n':
		rules->count = cli_number("--count", optarg, 1, COUNT_MAX);
		break;
	case 'i':
		rules->first = cli_can_id("--first", optarg);
		break;
	case 'm':
		rules->mask = cli_can_mask("--mask", optarg);
		break;
	case 'k':
		rules->masks = cli_number("--masks", optarg, 1, MASKS_MAX);
		break;
	case 'd':
		rules->remove = true;
		break;
	default:
		cli_other_option(option, usage);
	}
}

static void parse_command_line(struct rules *rules, int argc, char **argv)
{
	canid_t highest;
	int option;

	while ((option = getopt_long(argc, argv, "n:i:m:k:dh", options, NULL)) != -1)
		set_option(rules, option);
	highest = rules->first & CAN_EFF_FLAG ? CAN_EFF_FLAG | CAN_EFF_MASK : CAN_SFF_MASK;
	if (rules->count - 1 > highest - rules->first)
		cli_usage("--count: only %u identifiers are available from --first on",
			  highest - rules->first + 1);
	if (argc - optind != 2)
		cli_usage("exactly two interfaces are required: SOURCE and DESTINATION");
	rules->source = rawsock_ifindex(argv[optind]);
	rules->destination = rawsock_ifindex(argv[optind + 1]);
}

int main(int argc, char **argv)
{
	struct rules rules = { .count = 1, .masks = 1, .mask = ONE_STANDARD };

	cli_program("canbench-rules");
	parse_command_line(&rules, argc, argv);
	send_rules(&rules);
	return CLI_OK;
}
