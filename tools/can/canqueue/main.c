// SPDX-License-Identifier: GPL-2.0-only
/*
 * canqueue: attach the queueing discipline can_prio to a CAN interface, with a lifetime of
 * frames, which tc(8) cannot set; and show it.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/can/sch_prio.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include "cli.h"

#define KIND "can_prio"

static const char usage[] =
	"usage: canqueue INTERFACE\n"
	"       canqueue --attach [--lifetime TIME] INTERFACE\n"
	"       canqueue --remove INTERFACE\n"
	"\n"
	"Shows the queue of a CAN interface; or makes it send in the order of the bus, and lets\n"
	"programs wait instead of refusing their frames (queueing discipline can_prio).\n"
	"\n"
	"  -a, --attach          use can_prio\n"
	"  -l, --lifetime TIME   drop frames that have waited for TIME, such as 50ms; 0 to keep\n"
	"                        them (default: 0, or what it was)\n"
	"  -r, --remove          use the default of the interface again; waiting frames are lost\n"
	"  -h, --help            print this text\n"
	"      --version         print the version\n";

static const struct option options[] = {
	{ "attach", no_argument, NULL, 'a' },
	{ "lifetime", required_argument, NULL, 'l' },
	{ "remove", no_argument, NULL, 'r' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ }
};

/**
 * struct queue - what a dump says about the root qdisc of an interface
 * @ifindex: of the interface
 * @found: it has one; the members after this one are valid
 */
struct queue {
	int ifindex;
	bool found;
	char kind[IFNAMSIZ];
	uint64_t lifetime;
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;
	struct tc_can_prio_xstats xstats;
};

/* libnl's errors have nothing to do with errno, which some earlier call may have set. */
static _Noreturn void fail_netlink(int error)
{
	errno = 0;
	cli_fail("netlink: %s", nl_geterror(error));
}

static struct nl_msg *new_message(int type, int flags, int ifindex)
{
	struct tcmsg header = {
		.tcm_family = AF_UNSPEC, .tcm_ifindex = ifindex, .tcm_parent = TC_H_ROOT,
	};
	struct nl_msg *message = nlmsg_alloc_simple(type, flags);

	if (!message || nlmsg_append(message, &header, sizeof(header), NLMSG_ALIGNTO))
		fail_netlink(-NLE_NOMEM);
	return message;
}

/* The text of the kernel explains more than the number. */
static int print_error(struct sockaddr_nl *from, struct nlmsgerr *error, void *data)
{
	const struct nlmsghdr *header = (const struct nlmsghdr *)error - 1;
	struct nlattr *text = NULL;
	int offset = sizeof(*error);

	(void)from;
	if (!(header->nlmsg_flags & NLM_F_CAPPED))
		offset += NLMSG_ALIGN(error->msg.nlmsg_len - sizeof(error->msg));
	if (header->nlmsg_flags & NLM_F_ACK_TLVS)
		text = nla_find((struct nlattr *)((char *)error + offset),
				header->nlmsg_len - sizeof(*header) - offset, NLMSGERR_ATTR_MSG);
	if (text)
		cli_warn("%s", nla_get_string(text));
	*(int *)data = error->error;
	return NL_STOP;
}

static int request(struct nl_sock *sock, struct nl_msg *message)
{
	int error = 0, status;

	nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, print_error, &error);
	status = nl_send_sync(sock, message);
	if (status < 0 && !error)
		fail_netlink(status);
	return error;
}

static void copy_attr(void *to, int size, const struct nlattr *attr)
{
	memcpy(to, nla_data(attr), nla_len(attr) < size ? nla_len(attr) : size);
}

static int read_queue(struct nl_msg *message, void *data)
{
	struct nlattr *attrs[TCA_MAX + 1], *stats[TCA_STATS_MAX + 1];
	struct nlattr *prio[TCA_CAN_PRIO_MAX + 1];
	const struct tcmsg *header = nlmsg_data(nlmsg_hdr(message));
	struct queue *queue = data;

	if (header->tcm_ifindex != queue->ifindex || header->tcm_parent != TC_H_ROOT ||
	    nlmsg_parse(nlmsg_hdr(message), sizeof(*header), attrs, TCA_MAX, NULL) ||
	    !attrs[TCA_KIND])
		return NL_OK;
	queue->found = true;
	nla_strlcpy(queue->kind, attrs[TCA_KIND], sizeof(queue->kind));
	if (attrs[TCA_STATS2] &&
	    !nla_parse_nested(stats, TCA_STATS_MAX, attrs[TCA_STATS2], NULL)) {
		if (stats[TCA_STATS_BASIC])
			copy_attr(&queue->basic, sizeof(queue->basic), stats[TCA_STATS_BASIC]);
		if (stats[TCA_STATS_QUEUE])
			copy_attr(&queue->queue, sizeof(queue->queue), stats[TCA_STATS_QUEUE]);
		if (stats[TCA_STATS_APP])
			copy_attr(&queue->xstats, sizeof(queue->xstats), stats[TCA_STATS_APP]);
	}
	if (!strcmp(queue->kind, KIND) && attrs[TCA_OPTIONS] &&
	    !nla_parse_nested(prio, TCA_CAN_PRIO_MAX, attrs[TCA_OPTIONS], NULL) &&
	    prio[TCA_CAN_PRIO_LIFETIME])
		queue->lifetime = nla_get_u64(prio[TCA_CAN_PRIO_LIFETIME]);
	return NL_OK;
}

static void show(struct nl_sock *sock, const char *name, int ifindex)
{
	struct queue queue = { .ifindex = ifindex };
	struct nl_msg *message = new_message(RTM_GETQDISC, NLM_F_DUMP, ifindex);
	int error;

	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, read_queue, &queue);
	error = nl_send_auto(sock, message);
	nlmsg_free(message);
	if (error < 0 || (error = nl_recvmsgs_default(sock)) < 0)
		fail_netlink(error);
	if (!queue.found) {
		printf("%s: no queue\n", name);
		return;
	}
	printf("%s: %s", name, queue.kind);
	if (!strcmp(queue.kind, KIND)) {
		if (queue.lifetime)
			printf(", lifetime %g ms", queue.lifetime / 1e6);
		else
			printf(", no lifetime");
	}
	printf("\n  waiting %u, sent %u, dropped %u\n", queue.queue.qlen, queue.basic.packets,
	       queue.queue.drops);
	if (!strcmp(queue.kind, KIND))
		printf("  dropped: expired %" PRIu64 ", queue full %" PRIu64 ", sender's limit %" PRIu64
		       ", no memory %" PRIu64 "\n",
		       (uint64_t)queue.xstats.expired, (uint64_t)queue.xstats.refused_limit,
		       (uint64_t)queue.xstats.refused_sender,
		       (uint64_t)queue.xstats.refused_memory);
}

static int attach(struct nl_sock *sock, int ifindex, bool with_lifetime, uint64_t lifetime)
{
	struct nl_msg *message = new_message(RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, ifindex);
	struct nlattr *nest;

	if (nla_put_string(message, TCA_KIND, KIND))
		fail_netlink(-NLE_NOMEM);
	if (with_lifetime) {
		nest = nla_nest_start(message, TCA_OPTIONS | NLA_F_NESTED);
		if (!nest || nla_put_u64(message, TCA_CAN_PRIO_LIFETIME, lifetime))
			fail_netlink(-NLE_NOMEM);
		nla_nest_end(message, nest);
	}
	return request(sock, message);
}

static struct nl_sock *connect_kernel(void)
{
	struct nl_sock *sock = nl_socket_alloc();
	int on = 1, error;

	if (!sock)
		fail_netlink(-NLE_NOMEM);
	error = nl_connect(sock, NETLINK_ROUTE);
	if (error < 0)
		fail_netlink(error);
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(nl_socket_get_fd(sock), SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return sock;
}

int main(int argc, char **argv)
{
	bool attaches = false, removes = false, with_lifetime = false;
	struct nl_sock *sock;
	uint64_t lifetime = 0;
	int option, ifindex, error;
	const char *name;

	cli_program("canqueue");
	while ((option = getopt_long(argc, argv, "al:rh", options, NULL)) >= 0) {
		switch (option) {
		case 'a':
			attaches = true;
			break;
		case 'l':
			lifetime = cli_duration("--lifetime", optarg, 0, CAN_PRIO_MAX_LIFETIME);
			with_lifetime = true;
			break;
		case 'r':
			removes = true;
			break;
		case 'h':
			fputs(usage, stdout);
			cli_flush();
			return CLI_OK;
		case CLI_OPTION_VERSION:
			cli_version();
		default:
			cli_usage("invalid option");
		}
	}
	if (argc - optind != 1)
		cli_usage("exactly one interface is required");
	if (attaches && removes)
		cli_usage("--attach is not valid with --remove");
	if (with_lifetime && !attaches)
		cli_usage("--lifetime requires --attach");

	name = argv[optind];
	ifindex = if_nametoindex(name);
	if (!ifindex)
		cli_fail("%s", name);
	sock = connect_kernel();
	if (!attaches && !removes) {
		show(sock, name, ifindex);
	} else {
		error = attaches ? attach(sock, ifindex, with_lifetime, lifetime) :
				   request(sock, new_message(RTM_DELQDISC, 0, ifindex));
		if (error) {
			errno = -error;
			cli_fail(removes ? "%s: cannot remove the queue" :
					   "%s: cannot attach " KIND, name);
		}
	}
	nl_socket_free(sock);
	cli_flush();
	return CLI_OK;
}
