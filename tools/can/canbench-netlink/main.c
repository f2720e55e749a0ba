// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-netlink: the cost of loading gateway rules with canroute(1), compared with the
 * minimum cost of sending the same bytes to the kernel.
 *
 * The reference is a child process that sends messages which its parent has built. It uses
 * as many system calls as canroute, and the family can-gw-null. This family has the policies
 * of can-gw, so the kernel validates every attribute, and then does nothing. The cost is the
 * CPU time from fork() to exit(); waiting for files is not included.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/genetlink.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include <linux/can/gw_netlink.h>

#include "cli.h"
#include "result.h"
#include "../canroute/message.h"
#include "../canroute/rule-message.h"
#include "../canroute/source-file.h"

#define REFERENCE "can-gw-null"

/* As in canroute */
#define BATCH (32 * 1024)

/**
 * struct bench - settings and results
 * @messages: messages of the rules in @file
 * @rules: number of rules
 * @reference, @load: minimum cost per rule, in ns
 */
struct bench {
	const char *file, *label, *load_text;
	unsigned int repeat;
	bool json;
	struct messages messages;
	unsigned int rules;
	double reference, load;
};

static const char usage[] =
	"usage: canbench-netlink [OPTION...] FILE\n"
	"\n"
	"Loads the gateway rules of FILE with canroute(1), and sends the same messages to a\n"
	"netlink family that only validates them (can-gw-null). Prints the cost of each per\n"
	"rule, including the whole program. Finally removes all rules of the network\n"
	"namespace, including those that existed before.\n"
	"\n"
	"  -n, --count N         number of runs; the minimum is printed (default 3)\n"
	"  -j, --json            one JSON object instead of text\n"
	"  -L, --label TEXT      name of the experiment, for the JSON object\n"
	"  -O, --load TEXT       background load, for the JSON object\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"Requires CAP_NET_ADMIN and both netlink families.\n"
	"\n"
	"Exit status: 0 success; 2 wrong command line; 3 system error.";

static const struct option options[] = {
	{ "count", required_argument, NULL, 'n' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

static int reference_family(struct nl_sock *sock)
{
	int family = genl_ctrl_resolve(sock, REFERENCE);

	errno = 0;
	if (family < 0)
		cli_fail("netlink family '%s' not found", REFERENCE);
	return family;
}

static struct nl_sock *connect_sock(void)
{
	struct nl_sock *sock = nl_socket_alloc();

	if (!sock || genl_connect(sock))
		cli_fail("opening a netlink socket");
	return sock;
}

static void read_rules(struct bench *b)
{
	struct nl_sock *sock = connect_sock();
	int family = reference_family(sock);
	struct source_file file;
	static struct rule rule;

	source_open(&file, b->file);
	while (source_next(&file, &rule)) {
		const char *missing;

		message_begin(&b->messages, family, CAN_GW_CMD_RULE_ADD, NLM_F_REQUEST,
			      ++b->rules);
		missing = rule_put(&b->messages, &rule);
		if (missing)
			cli_usage("%s: interface '%s' does not exist", b->file, missing);
	}
	if (file.errors || !b->rules)
		cli_usage("%s: file has no valid rules, or has errors", b->file);
	source_close(&file);
	nl_socket_free(sock);
}

/* End of the messages that fit into one batch, as in canroute */
static size_t batch_end(const struct bench *b, size_t begin)
{
	size_t end = begin;

	while (end < b->messages.len) {
		const struct nlmsghdr *nlh = (const void *)(b->messages.data + end);
		size_t next = end + NLMSG_ALIGN(nlh->nlmsg_len);

		if (next - begin > BATCH && end > begin)
			break;
		end = next;
	}
	return end;
}

/* The last message requests a reply, which arrives after all messages were validated. */
static void send_all(const struct bench *b)
{
	struct nl_sock *sock = connect_sock();
	struct nlmsghdr *last = (void *)(b->messages.data + b->messages.begin);
	int fd = nl_socket_get_fd(sock);
	char answer[4096];

	last->nlmsg_flags |= NLM_F_ACK;
	for (size_t begin = 0, end; begin < b->messages.len; begin = end) {
		end = batch_end(b, begin);
		if (send(fd, b->messages.data + begin, end - begin, 0) < 0)
			cli_fail("sending rules");
	}
	if (recv(fd, answer, sizeof(answer), 0) < 0)
		cli_fail("receiving a reply");
	nl_socket_free(sock);
}

static double timeval_ns(const struct timeval *tv)
{
	return tv->tv_sec * 1e9 + tv->tv_usec * 1e3;
}

static double run_child(const struct bench *b, char *const command[])
{
	pid_t pid = fork();
	struct rusage usage;
	int status;

	if (pid < 0)
		cli_fail("creating a process");
	if (!pid && !command) {
		send_all(b);
		_exit(0);
	}
	if (!pid) {
		if (!freopen("/dev/null", "w", stdout))
			_exit(CLI_SYSTEM);
		execvp(command[0], command);
		cli_fail("%s", command[0]);
	}
	if (wait4(pid, &status, 0, &usage) < 0)
		cli_fail("waiting for a process");
	errno = 0;
	if (status)
		cli_fail("%s failed", command ? command[0] : "reference process");
	return timeval_ns(&usage.ru_utime) + timeval_ns(&usage.ru_stime);
}

static void keep_minimum(double *best, double ns)
{
	if (!*best || ns < *best)
		*best = ns;
}

static void measure(struct bench *b)
{
	char *load[] = { "canroute", "load", (char *)b->file, NULL };
	char *flush[] = { "canroute", "flush", NULL };

	for (unsigned int i = 0; i < b->repeat; i++) {
		keep_minimum(&b->reference, run_child(b, NULL));
		keep_minimum(&b->load, run_child(b, load));
		run_child(b, flush);
	}
	b->reference /= b->rules;
	b->load /= b->rules;
}

static void print_json(const struct bench *b)
{
	struct result result;

	result_begin(&result, "canbench-netlink", b->label, b->load_text);
	json_object_set_new(result.options, "file", json_string(b->file));
	json_object_set_new(result.options, "rules", json_integer(b->rules));
	result_cost(&result, "sent and validated", b->rules, b->reference);
	result_cost(&result, "canroute load", b->rules, b->load);
	result_print(&result, true);
}

static void set_option(struct bench *b, int option)
{
	switch (option) {
	case 'n':
		b->repeat = cli_number("--count", optarg, 1, 1000);
		break;
	case 'j':
		b->json = true;
		break;
	case 'L':
		b->label = optarg;
		break;
	case 'O':
		b->load_text = optarg;
		break;
	default:
		cli_other_option(option, usage);
	}
}

int main(int argc, char **argv)
{
	struct bench b = { .repeat = 3 };
	int option;

	cli_program("canbench-netlink");
	while ((option = getopt_long(argc, argv, "n:jL:O:h", options, NULL)) != -1)
		set_option(&b, option);
	if (optind + 1 != argc)
		cli_usage("exactly one file of rules is required");
	b.file = argv[optind];
	read_rules(&b);
	measure(&b);
	if (b.json)
		print_json(&b);
	else
		printf("%u rules, in ns per rule\n"
		       "  sent and validated %10.1f\n"
		       "  canroute load      %10.1f\n", b.rules, b.reference, b.load);
	return CLI_OK;
}
