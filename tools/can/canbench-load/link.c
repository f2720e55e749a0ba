// SPDX-License-Identifier: GPL-2.0-only
/* Interfaces, by netlink; see link.h. */
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/can.h>

#include "cli.h"
#include "helper.h"
#include "link.h"

static struct nl_sock *netlink_socket(void)
{
	static struct nl_sock *sock;
	int error;

	if (sock)
		return sock;
	sock = nl_socket_alloc();
	error = sock ? nl_connect(sock, NETLINK_ROUTE) : -NLE_NOMEM;
	errno = 0;
	if (error)
		cli_fail("opening a netlink socket: %s", nl_geterror(error));
	return sock;
}

static struct rtnl_link *find_link(const char *name)
{
	struct rtnl_link *link;
	int error = rtnl_link_get_kernel(netlink_socket(), 0, name, &link);

	errno = 0;
	if (error == -NLE_NODEV || error == -NLE_OBJ_NOTFOUND)
		cli_fail("interface %s of the simulated controller is not in this network namespace, but in the initial one",
			 name);
	if (error)
		cli_fail("querying %s: %s", name, nl_geterror(error));
	return link;
}

static struct rtnl_link *new_link(void)
{
	struct rtnl_link *link = rtnl_link_alloc();

	errno = 0;
	if (!link)
		cli_fail("no memory for an interface");
	return link;
}

/* Change an interface, and free @change. Return: 0 or a negative error of libnl. */
static int change_link(const char *name, struct rtnl_link *change)
{
	struct rtnl_link *link = find_link(name);
	int error = rtnl_link_change(netlink_socket(), link, change, 0);

	rtnl_link_put(change);
	rtnl_link_put(link);
	errno = 0;
	return error;
}

void link_up(const char *name, uint32_t bitrate)
{
	struct rtnl_link *change = new_link();
	int error = rtnl_link_set_type(change, "can");

	if (!error)
		error = rtnl_link_can_set_bitrate(change, bitrate);
	rtnl_link_set_flags(change, IFF_UP);
	if (!error)
		error = change_link(name, change);
	errno = 0;
	if (error)
		cli_fail("bringing %s up with %" PRIu32 " bit/s: %s", name, bitrate,
			 nl_geterror(error));
}

void link_down(const char *name)
{
	struct rtnl_link *change = new_link();
	int error;

	rtnl_link_unset_flags(change, IFF_UP);
	error = change_link(name, change);
	if (error)
		cli_fail("taking %s down: %s", name, nl_geterror(error));
}

/* An interface of this network namespace may have the name of one in another namespace. */
static bool is_simulated(const char *name)
{
	char path[64], *device;
	bool simulated;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device", name);
	device = realpath(path, NULL);
	simulated = device && strstr(device, "/cansim.");
	free(device);
	return simulated;
}

void link_rename(const char *name, const char *to)
{
	struct rtnl_link *change = new_link();
	int error;

	/* that it does not exist is another error */
	rtnl_link_put(find_link(name));
	errno = 0;
	if (!is_simulated(name))
		cli_fail("%s in this network namespace is not the interface of a simulated controller",
			 name);
	rtnl_link_set_name(change, to);
	error = change_link(name, change);
	if (error)
		cli_fail("naming %s '%s': %s", name, to, nl_geterror(error));
}

void link_make_virtual(const char *name)
{
	struct rtnl_link *link = new_link();
	int error = rtnl_link_set_type(link, "vcan");

	rtnl_link_set_name(link, name);
	rtnl_link_set_flags(link, IFF_UP);
	if (!error)
		error = rtnl_link_add(netlink_socket(), link, NLM_F_CREATE | NLM_F_EXCL);
	errno = 0;
	if (error)
		cli_fail("making %s: %s", name, nl_geterror(error));
	rtnl_link_put(link);
}

static void set_up(const char *name)
{
	struct rtnl_link *change = new_link();
	int error;

	rtnl_link_set_flags(change, IFF_UP);
	error = change_link(name, change);
	if (error)
		cli_fail("bringing %s up: %s", name, nl_geterror(error));
}

/* libnl does not know the type */
void link_make_pair(const char *name, const char *peer)
{
	errno = 0;
	if (helper_run((const char *[]){ "ip", "link", "add", name, "type", "vxcan", "peer", "name",
					 peer, NULL }, true))
		cli_fail("making %s and %s", name, peer);
	set_up(name);
	set_up(peer);
}

void link_remove(const char *name)
{
	struct rtnl_link *link = rtnl_link_alloc();

	if (!link)
		return;
	rtnl_link_set_name(link, name);
	rtnl_link_delete(netlink_socket(), link);
	rtnl_link_put(link);
}

void link_queue(const char *name, unsigned int frames)
{
	struct rtnl_link *change = new_link();
	int error;

	rtnl_link_set_txqlen(change, frames);
	error = change_link(name, change);
	if (error)
		cli_fail("setting the transmit queue length of %s: %s", name, nl_geterror(error));
}

void link_stats(const char *name, struct link_stats *stats)
{
	struct rtnl_link *link = find_link(name);

	stats->rx_packets = rtnl_link_get_stat(link, RTNL_LINK_RX_PACKETS);
	stats->rx_errors = rtnl_link_get_stat(link, RTNL_LINK_RX_ERRORS);
	stats->rx_dropped = rtnl_link_get_stat(link, RTNL_LINK_RX_DROPPED);
	stats->rx_over_errors = rtnl_link_get_stat(link, RTNL_LINK_RX_OVER_ERR);
	stats->tx_packets = rtnl_link_get_stat(link, RTNL_LINK_TX_PACKETS);
	stats->tx_errors = rtnl_link_get_stat(link, RTNL_LINK_TX_ERRORS);
	stats->tx_dropped = rtnl_link_get_stat(link, RTNL_LINK_TX_DROPPED);
	rtnl_link_put(link);
}

uint64_t link_backlog_dropped(void)
{
	FILE *file = fopen("/proc/net/softnet_stat", "re");
	unsigned int processed, dropped;
	uint64_t sum = 0;

	if (!file)
		cli_fail("reading /proc/net/softnet_stat");
	while (fscanf(file, "%x %x%*[^\n]", &processed, &dropped) == 2)
		sum += dropped;
	fclose(file);
	return sum;
}
