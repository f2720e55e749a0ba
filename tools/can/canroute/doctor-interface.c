// SPDX-License-Identifier: GPL-2.0-only
/*
 * Section "interfaces" of the command doctor. Names and queues are read from sysfs, bit
 * rates and the state of the controller by rtnetlink.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/can/netlink.h>
#include <net/if.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/link/can.h>

#include "cli.h"
#include "doctor-files.h"
#include "doctor-interface.h"
#include "ifnames.h"

#define TYPE_CAN "280"

/* Controllers have a queue of 10 frames by default; 0 is a virtual interface without one. */
#define QUEUE_SHORT 100
#define QUEUE_GATEWAY 256

#define UDEV_RULE "/etc/udev/rules.d/90-can-queue.rules"

/**
 * struct interface - a CAN interface
 * @controller: it has a bit rate; the members after this one are valid
 */
struct interface {
	const char *name;
	bool up;
	int64_t queue;
	bool controller;
	uint32_t bitrate, data_bitrate, restart_ms, state;
};

bool interface_exists(const char *name)
{
	return files_redirected() ? files_exist("/sys/class/net/%s", name) : ifnames_index(name);
}

/* -1: cannot be read */
static int64_t read_number(const char *interface, const char *attribute)
{
	char line[64], *end;
	int64_t value;

	if (!files_line(line, sizeof(line), "/sys/class/net/%s/%s", interface, attribute))
		return -1;
	value = strtoll(line, &end, 0);
	return end == line ? -1 : value;
}

static json_t *number(int64_t value)
{
	return value < 0 ? json_null() : json_integer(value);
}

/* False: no controller, or a state that the version of libnl does not know. */
static bool read_controller(struct interface *i, struct rtnl_link *link)
{
	struct can_bittiming timing = { 0 };

	if (rtnl_link_is_can(link) <= 0 || rtnl_link_can_state(link, &i->state) < 0)
		return false;
	if (!rtnl_link_can_get_bittiming(link, &timing))
		i->bitrate = timing.bitrate;
	memset(&timing, 0, sizeof(timing));
	if (!rtnl_link_can_get_data_bittiming(link, &timing))
		i->data_bitrate = timing.bitrate;
	return !rtnl_link_can_get_restart_ms(link, &i->restart_ms);
}

static void ask_kernel(struct interface *i, struct nl_sock *sock)
{
	struct rtnl_link *link = NULL;

	if (!sock || rtnl_link_get_kernel(sock, 0, i->name, &link))
		return;
	i->controller = read_controller(i, link);
	rtnl_link_put(link);
}

static const char *state_name(const struct interface *i)
{
	static const char *const names[] = {
		[CAN_STATE_ERROR_ACTIVE] = "error-active",
		[CAN_STATE_ERROR_WARNING] = "error-warning",
		[CAN_STATE_ERROR_PASSIVE] = "error-passive",
		[CAN_STATE_BUS_OFF] = "bus-off",
		[CAN_STATE_STOPPED] = "stopped",
		[CAN_STATE_SLEEPING] = "sleeping",
	};

	if (!i->controller || i->state >= sizeof(names) / sizeof(names[0]))
		return NULL;
	return names[i->state];
}

static void report_row_of(struct report *r, const struct interface *i)
{
	int64_t threaded = read_number(i->name, "threaded");
	char driver[64];
	bool known;

	known = files_link(driver, sizeof(driver), "/sys/class/net/%s/device/driver", i->name);
	report_row(r, "interfaces",
		   json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			     "interface", report_string(i->name),
			     "driver", report_string(known ? driver : NULL),
			     "up", json_boolean(i->up),
			     "state", report_string(state_name(i)),
			     "bitrate", number(i->bitrate ? (int64_t)i->bitrate : -1),
			     "dbitrate", number(i->data_bitrate ? (int64_t)i->data_bitrate : -1),
			     "txqueuelen", number(i->queue),
			     "restart_ms", number(i->controller ? (int64_t)i->restart_ms : -1),
			     "threaded", threaded < 0 ? json_null() : json_boolean(threaded),
			     "gro_flush", number(read_number(i->name, "gro_flush_timeout")),
			     "defer_irqs", number(read_number(i->name, "napi_defer_hard_irqs"))));
}

static void report_controller(struct report *r, const struct interface *i)
{
	char word[REPORT_WORD];

	report_word(i->name, word);
	if (i->controller && i->up && i->state == CAN_STATE_BUS_OFF && !i->restart_ms) {
		report_issue(r, REPORT_FINDING,
			     "%s: the controller is bus-off, and does not restart by itself",
			     i->name);
		report_command(r, "ip link set dev %s type can restart", word);
	}
	if (i->controller && i->up && !i->restart_ms) {
		report_issue(r, REPORT_NOTE,
			     "%s: the controller does not restart after bus-off (restart-ms 0)",
			     i->name);
		report_command(r, "ip link set dev %s down", word);
		report_command(r, "ip link set dev %s up type can restart-ms 100", word);
	}
	if (!i->up) {
		report_issue(r, REPORT_NOTE, "%s: the interface is down", i->name);
		report_command(r, "ip link set dev %s up%s", word,
			       i->controller && !i->bitrate ? " type can bitrate BITRATE" : "");
	}
}

static void report_interface(struct report *r, const char *name, struct nl_sock *sock)
{
	struct interface i = { .name = name, .queue = read_number(name, "tx_queue_len") };
	int64_t flags = read_number(name, "flags");

	i.up = flags >= 0 && flags & IFF_UP;
	ask_kernel(&i, sock);
	report_row_of(r, &i);
	report_controller(r, &i);
}

/* sysfs may be that of another network namespace, if it was mounted there. */
static bool same_namespace(const char *name)
{
	return files_redirected() || read_number(name, "ifindex") == (int64_t)ifnames_index(name);
}

static bool is_can(const char *name)
{
	char type[16];

	return files_line(type, sizeof(type), "/sys/class/net/%s/type", name) &&
	       !strcmp(type, TYPE_CAN);
}

static bool has_short_queue(const char *name)
{
	int64_t queue = read_number(name, "tx_queue_len");

	return is_can(name) && same_namespace(name) && queue > 0 && queue < QUEUE_SHORT;
}

/* One issue for all interfaces. A rule for udev(7) applies to later boots. */
static void report_queues(struct report *r, char **names, bool gateway)
{
	bool persistent = files_exist(UDEV_RULE);
	char list[1024] = "", word[REPORT_WORD];
	size_t len = 0;

	for (char **name = names; *name && len < sizeof(list); name++)
		if (has_short_queue(*name))
			len += snprintf(list + len, sizeof(list) - len, " %s", *name);
	if (!len)
		return;
	report_issue(r, gateway ? REPORT_FINDING : REPORT_NOTE,
		     "transmit queues of less than %d frames are short for a gateway, and programs may get ENOBUFS:%s%s",
		     QUEUE_SHORT, list, persistent ? "" : "; the last command is for later boots");
	for (char **name = names; *name; name++)
		if (has_short_queue(*name))
			report_command(r, "ip link set dev %s txqueuelen %d",
				       report_word(*name, word), QUEUE_GATEWAY);
	if (!persistent)
		report_command(r, "echo 'ACTION==\"add\", SUBSYSTEM==\"net\", ATTR{type}==\"" TYPE_CAN
			       "\", ATTR{tx_queue_len}==\"10\", ATTR{tx_queue_len}=\"%d\"' > " UDEV_RULE,
			       QUEUE_GATEWAY);
}

static struct nl_sock *connect_kernel(void)
{
	struct nl_sock *sock = files_redirected() ? NULL : nl_socket_alloc();

	if (sock && nl_connect(sock, NETLINK_ROUTE)) {
		nl_socket_free(sock);
		sock = NULL;
	}
	return sock;
}

void doctor_interfaces(struct report *r, bool gateway)
{
	char **names = files_names("/sys/class/net");
	struct nl_sock *sock = connect_kernel();
	bool foreign = false;

	report_section(r, "interfaces");
	report_table(r, "interfaces");
	for (char **name = names; *name; name++) {
		if (!is_can(*name))
			continue;
		if (!same_namespace(*name))
			foreign = true;
		else
			report_interface(r, *name, sock);
	}
	report_queues(r, names, gateway);
	if (foreign)
		report_issue(r, REPORT_UNKNOWN,
			     "CAN interfaces: /sys is from another network namespace");
	if (sock)
		nl_socket_free(sock);
	files_names_free(names);
}
