// SPDX-License-Identifier: GPL-2.0-only
/*
 * A rule of the kernel's gateway, by route netlink, which also counts the frames of an
 * express rule; such a rule is made by the family can-gw.
 */
#include <errno.h>
#include <string.h>

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

static struct nl_sock *sock;
static uint32_t source, destination;

static void check_netlink(int error, const char *what)
{
	errno = 0;
	if (error == -NLE_OPNOTSUPP)
		cli_fail("%s: kernel module can-gw is not loaded", what);
	if (error < 0)
		cli_fail("%s: %s", what, nl_geterror(error));
}

static struct nl_msg *new_message(int type, int flags)
{
	struct rtcanmsg rtc = { .can_family = AF_CAN, .gwtype = CGW_TYPE_CAN_CAN };
	struct nl_msg *msg = nlmsg_alloc_simple(type, NLM_F_REQUEST | flags);

	if (!msg || nlmsg_append(msg, &rtc, sizeof(rtc), NLMSG_ALIGNTO)) {
		errno = 0;
		cli_fail("no memory for a netlink message");
	}
	return msg;
}

static void add_rule(void)
{
	struct nl_msg *msg = new_message(RTM_NEWROUTE, NLM_F_ACK);
	struct can_filter all = { 0 };

	nla_put(msg, CGW_FILTER, sizeof(all), &all);
	nla_put_u32(msg, CGW_SRC_IF, source);
	nla_put_u32(msg, CGW_DST_IF, destination);
	check_netlink(nl_send_sync(sock, msg), "adding a gateway rule");
}

static void add_express_rule(void)
{
	struct nl_sock *genl = nl_socket_alloc();
	struct nl_msg *msg = nlmsg_alloc();
	int family;

	check_netlink(genl && msg ? genl_connect(genl) : -NLE_NOMEM, "opening a netlink socket");
	family = genl_ctrl_resolve(genl, CAN_GW_FAMILY_NAME);
	errno = 0;
	if (family < 0)
		cli_fail("the gateway of this kernel has no express rules");
	genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, NLM_F_REQUEST | NLM_F_ACK,
		    CAN_GW_CMD_RULE_ADD, CAN_GW_FAMILY_VERSION);
	nla_put_u32(msg, CAN_GW_A_RULE_SOURCE, source);
	nla_put_u32(msg, CAN_GW_A_RULE_DESTINATION, destination);
	nla_put_flag(msg, CAN_GW_A_RULE_EXPRESS);
	check_netlink(nl_send_sync(genl, msg), "adding an express rule");
	nl_socket_free(genl);
}

void gateway_add(const char *from, const char *to, bool express)
{
	helper_run((const char *[]){ "modprobe", "can-gw", NULL });
	source = rawsock_ifindex(from);
	destination = rawsock_ifindex(to);
	sock = nl_socket_alloc();
	check_netlink(sock ? nl_connect(sock, NETLINK_ROUTE) : -NLE_NOMEM, "opening a netlink socket");
	if (express)
		add_express_rule();
	else
		add_rule();
}

static uint64_t get_u32(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static int read_rule(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[CGW_MAX + 1];
	struct gateway_count *count = arg;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(struct rtcanmsg), attrs, CGW_MAX, NULL))
		return NL_SKIP;
	if (get_u32(attrs[CGW_SRC_IF]) != source || get_u32(attrs[CGW_DST_IF]) != destination)
		return NL_SKIP;
	count->handled = get_u32(attrs[CGW_HANDLED]);
	count->dropped = get_u32(attrs[CGW_DROPPED]);
	return NL_OK;
}

void gateway_count(struct gateway_count *count)
{
	struct nl_msg *msg = new_message(RTM_GETROUTE, NLM_F_DUMP);
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
