// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of the kernel's gateway, by route netlink, which also counts the frames of express
 * rules; these are made by the family can-gw.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>

#include <linux/can/gw.h>
#include <linux/can/gw_netlink.h>

#include "cli.h"
#include "gateway.h"
#include "helper.h"
#include "rawsock.h"
#include "settings.h"

static struct nl_sock *sock;
static uint32_t source, destination;

/* Interfaces between these two */
static uint32_t between[2 * SETTINGS_PAIRS_MAX];
static unsigned int between_count;

static void check_netlink(int error, const char *what)
{
	errno = 0;
	if (error == -NLE_OPNOTSUPP)
		cli_fail("%s: kernel module can-gw is not loaded", what);
	if (error < 0)
		cli_fail("%s: %s", what, nl_geterror(error));
}

static struct nl_msg *new_message(int type, int flags, uint16_t rule_flags)
{
	struct rtcanmsg rtc = {
		.can_family = AF_CAN, .gwtype = CGW_TYPE_CAN_CAN, .flags = rule_flags,
	};
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (!msg || nlmsg_append(msg, &rtc, sizeof(rtc), NLMSG_ALIGNTO)) {
		errno = 0;
		cli_fail("no memory for a netlink message");
	}
	return msg;
}

/* Of several rules, rule @number is for one identifier. */
static struct can_filter filter_of(unsigned int number, unsigned int rules, unsigned int first)
{
	struct can_filter filter = { 0 };

	if (rules > 1) {
		filter.can_id = (first + number) & CAN_SFF_MASK;
		filter.can_mask = CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG;
	}
	return filter;
}

/* A message that makes a rule */
static struct nl_msg *rule_message(uint32_t from, uint32_t to, struct can_filter filter,
				   uint16_t flags)
{
	struct nl_msg *msg = new_message(RTM_NEWROUTE, NLM_F_ACK, flags);

	nla_put(msg, CGW_FILTER, sizeof(filter), &filter);
	nla_put_u32(msg, CGW_SRC_IF, from);
	nla_put_u32(msg, CGW_DST_IF, to);
	return msg;
}

static void add_rule(uint32_t from, uint32_t to, struct can_filter filter)
{
	check_netlink(nl_send_sync(sock, rule_message(from, to, filter, 0)),
		      "adding a gateway rule");
}

static void note_between(uint32_t index)
{
	if (index == source || index == destination)
		return;
	for (unsigned int i = 0; i < between_count; i++)
		if (between[i] == index)
			return;
	between[between_count++] = index;
}

void gateway_hop(const char *from, const char *to, canid_t id, bool echo)
{
	struct cgw_frame_mod change = { .cf.can_id = id + 1, .modtype = CGW_MOD_ID };
	uint32_t in = rawsock_ifindex(from), out = rawsock_ifindex(to);
	struct nl_msg *msg;
	uint16_t flags = 0;

	if (echo)
		flags |= CGW_FLAGS_CAN_ECHO;
	/* otherwise the kernel refuses a rule with the same interface on both sides */
	if (in == out)
		flags |= CGW_FLAGS_CAN_IIF_TX_OK;
	msg = rule_message(in, out, filter_of(0, 2, id), flags);
	nla_put(msg, CGW_MOD_SET, CGW_MODATTR_LEN, &change);
	check_netlink(nl_send_sync(sock, msg), "adding a gateway rule");
	note_between(in);
	note_between(out);
}

static struct nl_msg *express_message(int family, uint8_t command)
{
	struct nl_msg *msg = nlmsg_alloc();

	check_netlink(msg ? 0 : -NLE_NOMEM, "allocating a netlink message");
	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_REQUEST | NLM_F_ACK, command,
		    CAN_GW_FAMILY_VERSION);
	return msg;
}

static void add_express_rules(uint32_t from, uint32_t to, unsigned int rules,
			      unsigned int first)
{
	struct nl_sock *genl = nl_socket_alloc();
	struct nl_msg *msg;
	int family;

	check_netlink(genl ? genl_connect(genl) : -NLE_NOMEM, "opening a netlink socket");
	family = genl_ctrl_resolve(genl, CAN_GW_FAMILY_NAME);
	errno = 0;
	if (family < 0)
		cli_fail("the gateway of this kernel has no express rules");
	msg = express_message(family, CAN_GW_CMD_TRANSACTION_BEGIN);
	nla_put_u32(msg, CAN_GW_A_TABLE_SOURCE, from);
	check_netlink(nl_send_sync(genl, msg), "beginning a transaction");
	for (unsigned int i = 0; i < rules; i++) {
		struct can_filter filter = filter_of(i, rules, first);

		msg = express_message(family, CAN_GW_CMD_RULE_ADD);
		nla_put_u32(msg, CAN_GW_A_RULE_SOURCE, from);
		nla_put_u32(msg, CAN_GW_A_RULE_DESTINATION, to);
		nla_put_u32(msg, CAN_GW_A_RULE_FILTER_ID, filter.can_id);
		nla_put_u32(msg, CAN_GW_A_RULE_FILTER_MASK, filter.can_mask);
		nla_put_flag(msg, CAN_GW_A_RULE_EXPRESS);
		check_netlink(nl_send_sync(genl, msg), "adding an express rule");
	}
	msg = express_message(family, CAN_GW_CMD_TRANSACTION_COMMIT);
	nla_put_u32(msg, CAN_GW_A_TABLE_RULES, rules);
	check_netlink(nl_send_sync(genl, msg), "adding express rules");
	nl_socket_free(genl);
}

void gateway_open(const char *in, const char *out)
{
	if (sock)
		return;
	helper_run((const char *[]){ "modprobe", "can-gw", NULL }, false);
	source = rawsock_ifindex(in);
	destination = rawsock_ifindex(out);
	sock = nl_socket_alloc();
	check_netlink(sock ? nl_connect(sock, NETLINK_ROUTE) : -NLE_NOMEM,
		      "opening a netlink socket");
}

/* Copy a file of rules, but for the names of the interfaces, which follow "from" and "to". */
static void copy_rules(FILE *rules, FILE *copy, const char *in, const char *out)
{
	char line[4096], *rest, *end;
	bool name;

	while (fgets(line, sizeof(line), rules)) {
		name = false;
		for (rest = line; *rest; rest = end) {
			end = rest + strspn(rest, " \t\n");
			if (end == rest)
				end += strcspn(rest, " \t\n");
			if (name && end - rest == 2 && !strncmp(rest, "in", 2))
				fputs(in, copy);
			else if (name && end - rest == 3 && !strncmp(rest, "out", 3))
				fputs(out, copy);
			else
				fwrite(rest, 1, end - rest, copy);
			if (!strchr(" \t\n", *rest))
				name = (end - rest == 4 && !strncmp(rest, "from", 4)) ||
				       (end - rest == 2 && !strncmp(rest, "to", 2));
		}
	}
}

void gateway_load(const char *file, const char *in, const char *out)
{
	FILE *rules = fopen(file, "re"), *copy;

	if (!rules)
		cli_fail("%s", file);
	gateway_open(in, out);
	copy = tmpfile();
	if (!copy)
		cli_fail("making a temporary file");
	copy_rules(rules, copy, in, out);
	errno = 0;
	if (ferror(rules) || fflush(copy) || lseek(fileno(copy), 0, SEEK_SET))
		cli_fail("reading %s", file);
	errno = 0;
	if (helper_run_input((const char *[]){ "canroute", "load", "-s", in, "-", NULL }, true,
			     fileno(copy)))
		cli_fail("%s: canroute(1) has not loaded these rules", file);
	fclose(copy);
	fclose(rules);
}

void gateway_add(const char *from, const char *to, bool express, unsigned int rules,
		 unsigned int first)
{
	uint32_t in = rawsock_ifindex(from), out = rawsock_ifindex(to);

	gateway_open(from, to);
	if (express) {
		add_express_rules(in, out, rules, first);
		return;
	}
	for (unsigned int i = 0; i < rules; i++)
		add_rule(in, out, filter_of(i, rules, first));
}

static bool is_end(uint64_t index)
{
	return index == source || index == destination;
}

static bool is_ours(uint64_t index)
{
	for (unsigned int i = 0; i < between_count; i++)
		if (between[i] == index)
			return true;
	return is_end(index);
}

static uint64_t get_u32(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static int read_rule(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[CGW_MAX + 1];
	struct gateway_count *count = arg;
	uint64_t from, to;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(struct rtcanmsg), attrs, CGW_MAX, NULL))
		return NL_SKIP;
	from = get_u32(attrs[CGW_SRC_IF]);
	to = get_u32(attrs[CGW_DST_IF]);
	if (!is_ours(from) || !is_ours(to))
		return NL_SKIP;
	if (is_end(to))
		count->handled += get_u32(attrs[CGW_HANDLED]);
	count->dropped += get_u32(attrs[CGW_DROPPED]);
	return NL_OK;
}

void gateway_count(struct gateway_count *count)
{
	struct nl_msg *msg = new_message(RTM_GETROUTE, NLM_F_DUMP, 0);
	int error;

	memset(count, 0, sizeof(*count));
	check_netlink(nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, read_rule, count),
		      "reading gateway rules");
	error = nl_send_auto(sock, msg);
	if (error >= 0)
		error = nl_recvmsgs_default(sock);
	check_netlink(error, "reading gateway rules");
	nlmsg_free(msg);
}
