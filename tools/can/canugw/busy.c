// SPDX-License-Identifier: GPL-2.0-only
/* Busy polling of a socket; see busy.h. */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

#include "busy.h"
#include "cli.h"

#define ATTRIBUTE "/sys/class/net/%s/%s"

static void set_option(const struct port *port, int fd, int option, const char *name, int value)
{
	if (!setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value)))
		return;
	if (errno == EPERM)
		cli_fail("%s: %s requires CAP_NET_ADMIN", port->name, name);
	if (errno == ENOPROTOOPT)
		cli_fail("%s: this kernel has no %s", port->name, name);
	cli_fail("%s: %s", port->name, name);
}

void busy_poll(const struct port *port, int fd, unsigned int us)
{
	set_option(port, fd, SO_BUSY_POLL, "SO_BUSY_POLL", us);
}

void busy_prefer(const struct port *port, int fd, unsigned int budget)
{
	set_option(port, fd, SO_PREFER_BUSY_POLL, "SO_PREFER_BUSY_POLL (Linux 5.11)", 1);
	set_option(port, fd, SO_BUSY_POLL_BUDGET, "SO_BUSY_POLL_BUDGET (Linux 5.11)", budget);
}

/* False: the attribute does not exist. */
static bool read_attribute(const struct port *port, const char *name, unsigned long *value)
{
	char path[128];
	FILE *file;
	int items;

	snprintf(path, sizeof(path), ATTRIBUTE, port->name, name);
	file = fopen(path, "r");
	if (!file && errno == ENOENT)
		return false;
	if (!file)
		cli_fail("%s", path);
	items = fscanf(file, "%lu", value);
	fclose(file);
	errno = 0;
	if (items != 1)
		cli_fail("%s does not contain a number", path);
	return true;
}

/* /sys may show the interfaces of another network namespace. */
static void check_namespace(const struct port *port)
{
	unsigned long ifindex;

	if (read_attribute(port, "ifindex", &ifindex) && ifindex == (unsigned long)port->ifindex)
		return;
	errno = 0;
	cli_fail("/sys does not show %s of this network namespace: mount sysfs again, as ip netns exec does",
		 port->name);
}

void busy_require_deferral(const struct port *port)
{
	unsigned long polls, timeout;

	check_namespace(port);
	if (!read_attribute(port, "napi_defer_hard_irqs", &polls) ||
	    !read_attribute(port, "gro_flush_timeout", &timeout)) {
		errno = 0;
		cli_fail("%s: this kernel has no napi_defer_hard_irqs (Linux 5.8)", port->name);
	}
	if (polls && timeout)
		return;
	errno = 0;
	cli_fail("%s does not defer its receive interrupt (napi_defer_hard_irqs is %lu, gro_flush_timeout %lu).\n"
		 "Set both as root; the second one, in ns, must be below the time in which the receive FIFO of the controller fills:\n"
		 "  echo 100 > " ATTRIBUTE "\n"
		 "  echo 200000 > " ATTRIBUTE,
		 port->name, polls, timeout, port->name, "napi_defer_hard_irqs",
		 port->name, "gro_flush_timeout");
}

unsigned int busy_napi_id(int fd)
{
	unsigned int id = 0;
	socklen_t size = sizeof(id);

	if (getsockopt(fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &id, &size))
		return 0;
	return id;
}
