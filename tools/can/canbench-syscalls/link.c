// SPDX-License-Identifier: GPL-2.0-only
/* Counters and flags of the interface. Not called during a measurement. */
#include <errno.h>
#include <net/if.h>

#include <netlink/netlink.h>
#include <netlink/route/link.h>

#include "cli.h"
#include "link.h"

#ifndef IFF_ECHO
#define IFF_ECHO (1 << 18)	/* <linux/if.h> conflicts with <net/if.h> */
#endif

static struct rtnl_link *get_link(int ifindex)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct rtnl_link *link = NULL;
	int error = sock ? nl_connect(sock, NETLINK_ROUTE) : -NLE_NOMEM;

	if (!error)
		error = rtnl_link_get_kernel(sock, ifindex, NULL, &link);
	nl_socket_free(sock);
	errno = 0;
	if (error)
		cli_fail("querying the interface: %s", nl_geterror(error));
	return link;
}

uint64_t link_sent(int ifindex)
{
	struct rtnl_link *link = get_link(ifindex);
	uint64_t sent = rtnl_link_get_stat(link, RTNL_LINK_TX_PACKETS);

	rtnl_link_put(link);
	return sent;
}

bool link_echoes(int ifindex)
{
	struct rtnl_link *link = get_link(ifindex);
	bool echoes = rtnl_link_get_flags(link) & IFF_ECHO;

	rtnl_link_put(link);
	return echoes;
}
