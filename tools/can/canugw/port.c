// SPDX-License-Identifier: GPL-2.0-only
/* An interface of the gateway; see port.h. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/if.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <sys/socket.h>

#include "cli.h"
#include "port.h"
#include "rawsock.h"

static void read_link(struct port *port)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct rtnl_link *link;
	int err;

	errno = 0;
	if (!sock)
		cli_fail("no memory for a netlink socket");
	err = nl_connect(sock, NETLINK_ROUTE);
	if (!err)
		err = rtnl_link_get_kernel(sock, port->ifindex, NULL, &link);
	if (err)
		cli_fail("%s: querying the interface: %s", port->name, nl_geterror(err));
	port->mtu = rtnl_link_get_mtu(link);
	port->echo = rtnl_link_get_flags(link) & IFF_ECHO;
	rtnl_link_put(link);
	nl_socket_free(sock);
}

void port_open(struct port *port, const char *name, bool receives)
{
	port->name = name;
	port->ifindex = rawsock_ifindex(name);
	rawsock_up(name);
	port->receives = receives;
	port->raw = -1;
	read_link(port);
}

int port_raw(struct port *port, unsigned int queue)
{
	if (port->raw >= 0)
		return port->raw;
	port->raw = rawsock_open(port->name, RAWSOCK_FD | (port->receives ? 0 : RAWSOCK_NO_RX));
	if (port->receives && !rawsock_rcvbuf(port->raw, queue))
		cli_warn("%s: receive queue holds fewer than %u frames; CAP_NET_ADMIN or a larger net.core.rmem_max is required",
			 port->name, queue);
	return port->raw;
}

void port_mark_sent(const struct port *port, int fd)
{
	if (!port->mark || !setsockopt(fd, SOL_SOCKET, SO_MARK, &port->mark, sizeof(port->mark)))
		return;
	if (errno == EPERM)
		cli_fail("%s: marking sent frames (SO_MARK) requires CAP_NET_RAW, before Linux 5.17 CAP_NET_ADMIN",
			 port->name);
	cli_fail("%s: marking sent frames (SO_MARK)", port->name);
}

void port_ignore_own(const struct port *port, int fd)
{
	struct sock_filter program[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_MARK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port->mark, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
	};
	struct sock_fprog filter = {
		.len = sizeof(program) / sizeof(program[0]),
		.filter = program,
	};

	if (port->mark && setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)))
		cli_fail("%s: setting the filter for own frames (SO_ATTACH_FILTER)",
			 port->name);
}
