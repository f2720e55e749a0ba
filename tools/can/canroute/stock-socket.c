// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to the gateway over rtnetlink.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <linux/can/gw.h>
#include <linux/can/gw_netlink.h>
#include <linux/rtnetlink.h>

#include "cli.h"
#include "stock-message.h"
#include "stock-socket.h"
#include "stock.h"

/* Exists for a module that is built in, too, because the module has a parameter. */
#define MODULES "/sys/module"
#define MODULE MODULES "/can_gw"

/* Dumps until the rules did not change; then the last one is used, with a warning. */
#define DUMPS_MAX 8

/* The kernel runs modprobe for a family that it does not have, so ask only once. */
static bool has_family(void)
{
	static bool known, found;
	struct nl_sock *sock;

	if (known)
		return found;
	known = true;
	sock = nl_socket_alloc();
	if (!sock)
		cli_fail("no memory for a netlink socket");
	found = !genl_connect(sock) && genl_ctrl_resolve(sock, CAN_GW_FAMILY_NAME) >= 0;
	nl_socket_free(sock);
	return found;
}

enum gateway gateway_find(void)
{
	const char *wanted = getenv("CANROUTE_GATEWAY");

	if (wanted && *wanted && strcmp(wanted, "stock"))
		cli_usage("CANROUTE_GATEWAY: invalid value '%s', expected 'stock'", wanted);
	if (!(wanted && *wanted) && has_family())
		return GATEWAY_FAMILY;
	/* Without sysfs, assume the module: the kernel rejects requests if it is not loaded. */
	return access(MODULE, F_OK) && !access(MODULES, F_OK) ? GATEWAY_NONE : GATEWAY_STOCK;
}

void stock_require(void)
{
	if (gateway_find() != GATEWAY_NONE)
		return;
	errno = 0;
	cli_fail("the module can-gw is not loaded; 'modprobe can-gw' loads it");
}

static struct nl_sock *stock_socket(void)
{
	static struct nl_sock *sock;
	int error;

	if (sock)
		return sock;
	stock_require();
	sock = nl_socket_alloc();
	if (!sock)
		cli_fail("no memory for a netlink socket");
	error = nl_connect(sock, NETLINK_ROUTE);
	errno = 0;
	if (error)
		cli_fail("opening a netlink socket: %s", nl_geterror(error));
	return sock;
}

/* libnl merges several errnos into one number. */
static int store_errno(struct sockaddr_nl *from, struct nlmsgerr *reply, void *arg)
{
	int *error = arg;

	(void)from;
	*error = -reply->error;
	return NL_STOP;
}

int stock_request(struct nl_msg *msg)
{
	struct nl_sock *sock = stock_socket();
	int error = 0, result;

	nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, store_errno, &error);
	result = nl_send_sync(sock, msg);
	errno = 0;
	if (result < 0 && !error)
		cli_fail("sending a netlink message: %s", nl_geterror(result));
	return error;
}

int stock_request_delete(const struct nlmsghdr *nlh)
{
	int error = stock_request(stock_copy(nlh, RTM_DELROUTE));

	/* The kernel found no rule that is equal to this one. */
	return error == EINVAL ? ENOENT : error;
}

static int append_rule(struct nl_msg *msg, void *arg)
{
	const struct nlmsghdr *nlh = nlmsg_hdr(msg);
	static struct rule rule;

	if (stock_get(&rule, nlh))
		message_append(arg, nlh);
	return NL_OK;
}

static int dump_once(struct messages *messages)
{
	struct rtcanmsg header = { .can_family = AF_CAN, .gwtype = CGW_TYPE_CAN_CAN };
	struct nl_sock *sock = stock_socket();
	int error = 0, result;

	message_clear(messages);
	nl_socket_modify_err_cb(sock, NL_CB_CUSTOM, store_errno, &error);
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, append_rule, messages);
	result = nl_send_simple(sock, RTM_GETROUTE, NLM_F_DUMP, &header, sizeof(header));
	if (result >= 0)
		result = nl_recvmsgs_default(sock);
	errno = error;
	if (result < 0 && result != -NLE_DUMP_INTR)
		cli_fail("reading the rules: %s", nl_geterror(result));
	return result;
}

void stock_dump(struct fetched *fetched)
{
	int tries = DUMPS_MAX, result;

	*fetched = (struct fetched){ .stock = true };
	do {
		result = dump_once(&fetched->messages);
	} while (result < 0 && --tries);
	if (result < 0)
		cli_warn("rules changed during the dump: some may be missing or listed twice");
	fetched_index(fetched);
}

const char *stock_error_text(int error)
{
	switch (error) {
	case EPERM:
		return "CAP_NET_ADMIN is required";
	case EOPNOTSUPP:
		return "the module can-gw is not loaded; 'modprobe can-gw' loads it";
	case ENODEV:
		return "an interface does not exist or is not a CAN interface";
	case ENOSPC:
		return "the limit net.can.gw_max_rules is reached";
	case ENOENT:
		return "the rule does not exist any more";
	case EINVAL:
		return "the kernel rejected the rule as invalid, without a reason";
	}
	return strerror(error);
}
