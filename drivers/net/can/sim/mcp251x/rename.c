// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for network interfaces that somebody else has registered.
 *
 * Some drivers choose the names of their interfaces, but people choose those of
 * simulated nodes. The function that renames an interface is not for modules, so
 * rtnetlink is asked for it, as "ip link set dev OLD name NEW" does.
 *
 * Context: process. There is no state, so there are no locks.
 */
#include <linux/if.h>
#include <linux/kernel.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/socket.h>
#include <linux/string.h>
#include <net/net_namespace.h>

#include "rename.h"

struct rename_request {
	struct nlmsghdr header;
	struct ifinfomsg link;
	struct nlattr attr;
	char name[IFNAMSIZ];
};

struct rename_answer {
	struct nlmsghdr header;
	struct nlmsgerr error;
};

static void fill_request(struct rename_request *request,
			 const struct net_device *dev, const char *name)
{
	memset(request, 0, sizeof(*request));
	request->header.nlmsg_len = sizeof(*request);
	request->header.nlmsg_type = RTM_SETLINK;
	request->header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	request->link.ifi_family = AF_UNSPEC;
	request->link.ifi_index = dev->ifindex;
	request->attr.nla_type = IFLA_IFNAME;
	request->attr.nla_len = sizeof(request->attr) + sizeof(request->name);
	strscpy(request->name, name, sizeof(request->name));
}

/* With an address of the kernel's it is the caller's right that counts; without
 * one the socket's file would be asked, and it has none.
 */
static int send_request(struct socket *sock, struct rename_request *request)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct msghdr msg = {
		.msg_name = &kernel,
		.msg_namelen = sizeof(kernel),
	};
	struct kvec vec = {
		.iov_base = request,
		.iov_len = sizeof(*request),
	};
	int ret;

	ret = kernel_sendmsg(sock, &msg, &vec, 1, sizeof(*request));
	return ret < 0 ? ret : 0;
}

/* It is there already: rtnetlink works while a request is sent. */
static int receive_answer(struct socket *sock)
{
	struct rename_answer answer = { };
	struct msghdr msg = { };
	struct kvec vec = {
		.iov_base = &answer,
		.iov_len = sizeof(answer),
	};
	int ret;

	ret = kernel_recvmsg(sock, &msg, &vec, 1, sizeof(answer), MSG_DONTWAIT);
	if (ret < 0)
		return ret;
	if (ret < sizeof(answer) || answer.header.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return answer.error.error;
}

/**
 * can_sim_rename() - give an interface another name
 * @dev: the interface; the caller has a reference to it
 * @name: valid one
 *
 * Context: process, without the RTNL lock.
 * Return: 0, -EEXIST if there is an interface of that name, -EPERM if the caller
 *	has no right to rename interfaces, or another negative errno.
 */
int can_sim_rename(struct net_device *dev, const char *name)
{
	struct rename_request request;
	struct socket *sock;
	int ret;

	ret = sock_create_kern(dev_net(dev), AF_NETLINK, SOCK_RAW,
			       NETLINK_ROUTE, &sock);
	if (ret)
		return ret;
	fill_request(&request, dev, name);
	ret = send_request(sock, &request);
	if (!ret)
		ret = receive_answer(sock);
	sock_release(sock);
	return ret;
}
