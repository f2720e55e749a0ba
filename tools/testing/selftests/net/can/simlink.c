// SPDX-License-Identifier: GPL-2.0-only
/* Interfaces of simulated controllers: see simbus.h. */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/can/netlink.h>
#include <linux/can/raw.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>

#include "cantest.h"
#include "simbus.h"

#define NS_PER_SEC	1000000000

/* No frame arrives after this time; a slow VM takes longer. */
#define END_MS		200
#define SLOW_END_MS	2000

/* Room for the frames that a test sends before it reads */
#define SOCKET_BYTES	(32 << 20)

int sim_link_set(const char *name, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command), "ip link set %s %s", name, what);
	return system(command) ? -EIO : 0;
}

int sim_link_up(const char *name, unsigned int bitrate, const char *options)
{
	char what[128];
	int err;

	snprintf(what, sizeof(what), "up type can bitrate %u %s", bitrate,
		 options);
	/* a slow machine takes a second to start ip */
	err = *options ? sim_link_set(name, what) :
			 ct_link_bitrate(name, bitrate) ?: ct_link_up(name, true);
	if (!err)
		sim_settle();
	return err;
}

int sim_link_down(const char *name)
{
	return ct_link_up(name, false);
}

int sim_link_move(const char *path, int netns, const char *name, int ifindex)
{
	char now[IFNAMSIZ], buf[MNL_SOCKET_BUFFER_SIZE];
	struct ifinfomsg *ifi;
	struct nlmsghdr *nlh;
	int len;

	len = sim_get(path, "interface", now, sizeof(now));
	if (len <= 0)
		return len ?: -ENODEV;
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_SETLINK;
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = if_nametoindex(now);
	if (!ifi->ifi_index)
		return -ENODEV;
	mnl_attr_put_u32(nlh, IFLA_NET_NS_FD, netns);
	mnl_attr_put_u32(nlh, IFLA_NEW_IFINDEX, ifindex);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	return ct_nl(nlh);
}

void sim_spi_device(const char *name, char device[NAME_MAX])
{
	char link[128], path[PATH_MAX], bus[PATH_MAX];

	device[0] = '\0';
	snprintf(link, sizeof(link), "/sys/class/net/%s/device/subsystem", name);
	if (!realpath(link, bus) || strcmp(basename(bus), "spi"))
		return;
	snprintf(link, sizeof(link), "/sys/class/net/%s/device", name);
	if (realpath(link, path))
		snprintf(device, NAME_MAX, "%s", basename(path));
}

int sim_spi_driver(const char *what, const char *device)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/bus/spi/drivers/mcp251x/%s", what);
	return sim_write(path, device);
}

int sim_link_ethtool(const char *name, void *command)
{
	struct ifreq ifr = { .ifr_data = command };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret;

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	ret = ioctl(fd, SIOCETHTOOL, &ifr) ? -errno : 0;
	close(fd);
	return ret;
}

int sim_link_flags(const char *name)
{
	struct ethtool_value value = { .cmd = ETHTOOL_GPFLAGS };

	return sim_link_ethtool(name, &value) ?: (int)value.data;
}

int sim_link_set_flags(const char *name, unsigned int flags)
{
	struct ethtool_value value = { .cmd = ETHTOOL_SPFLAGS, .data = flags };

	return sim_link_ethtool(name, &value);
}

int sim_link_restart(const char *name)
{
	return sim_link_set(name, "type can restart") ?:
	       sim_link_await_carrier(name);
}

/* A search in a dump of all interfaces */
struct search {
	const char *name;
	struct sim_link *link;
	bool found;
};

static void copy(const struct nlattr *attr, void *to, size_t size)
{
	size_t len = mnl_attr_get_payload_len(attr);

	memcpy(to, mnl_attr_get_payload(attr), len < size ? len : size);
}

static int can_attr(const struct nlattr *attr, void *data)
{
	struct sim_link *link = data;
	struct can_clock clock;

	switch (mnl_attr_get_type(attr)) {
	case IFLA_CAN_STATE:
		link->state = mnl_attr_get_u32(attr);
		break;
	case IFLA_CAN_CLOCK:
		copy(attr, &clock, sizeof(clock));
		link->clock = clock.freq;
		break;
	case IFLA_CAN_BITTIMING:
		copy(attr, &link->timing, sizeof(link->timing));
		break;
	case IFLA_CAN_BERR_COUNTER:
		copy(attr, &link->errors, sizeof(link->errors));
		break;
	}
	return MNL_CB_OK;
}

static int info_attr(const struct nlattr *attr, void *data)
{
	struct sim_link *link = data;

	switch (mnl_attr_get_type(attr)) {
	case IFLA_INFO_DATA:
		return mnl_attr_parse_nested(attr, can_attr, link);
	case IFLA_INFO_XSTATS:
		copy(attr, &link->events, sizeof(link->events));
		break;
	}
	return MNL_CB_OK;
}

static int link_attr(const struct nlattr *attr, void *data)
{
	struct sim_link *link = data;

	switch (mnl_attr_get_type(attr)) {
	case IFLA_OPERSTATE:
		link->carrier = mnl_attr_get_u8(attr) == IF_OPER_UP;
		break;
	case IFLA_STATS64:
		copy(attr, &link->stats, sizeof(link->stats));
		break;
	case IFLA_LINKINFO:
		return mnl_attr_parse_nested(attr, info_attr, link);
	}
	return MNL_CB_OK;
}

static int name_attr(const struct nlattr *attr, void *data)
{
	struct search *search = data;

	if (mnl_attr_get_type(attr) == IFLA_IFNAME &&
	    !strcmp(mnl_attr_get_str(attr), search->name))
		search->found = true;
	return MNL_CB_OK;
}

static int each_link(const struct nlmsghdr *nlh, void *data)
{
	struct search *search = data, this = { .name = search->name };

	mnl_attr_parse(nlh, sizeof(struct ifinfomsg), name_attr, &this);
	if (!this.found)
		return MNL_CB_OK;
	search->found = true;
	return mnl_attr_parse(nlh, sizeof(struct ifinfomsg), link_attr,
			      search->link);
}

int sim_link_get(const char *name, struct sim_link *link)
{
	struct search search = { .name = name, .link = link };
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh;
	int err;

	memset(link, 0, sizeof(*link));
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_GETLINK;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	err = ct_nl_dump(nlh, each_link, &search);
	if (err)
		return err;
	return search.found ? 0 : -ENODEV;
}

int sim_link_state(const char *name)
{
	struct sim_link link;
	int err = sim_link_get(name, &link);

	return err ?: (int)link.state;
}

int sim_link_await(const char *name, enum can_state state)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int ms;

	for (ms = 0; ms < CT_TIMEOUT_MS; ms++) {
		if (sim_link_state(name) == (int)state)
			return 0;
		nanosleep(&pause, NULL);
	}
	return -ETIMEDOUT;
}

int sim_link_await_carrier(const char *name)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct sim_link link;
	int ms;

	for (ms = 0; ms < CT_TIMEOUT_MS; ms++) {
		if (!sim_link_get(name, &link) && link.carrier)
			return 0;
		nanosleep(&pause, NULL);
	}
	return -ETIMEDOUT;
}

/* to the nearest ns */
static int64_t cycles_ns(uint64_t cycles, uint64_t clock)
{
	return (cycles * NS_PER_SEC + clock / 2) / clock;
}

int64_t sim_link_ns(const struct sim_link *link, unsigned int bits)
{
	const struct can_bittiming *t = &link->timing;
	uint64_t quanta = 1 + t->prop_seg + t->phase_seg1 + t->phase_seg2;

	return cycles_ns(bits * quanta * t->brp, link->clock);
}

int64_t sim_ns(unsigned int bitrate, unsigned int bits)
{
	return cycles_ns(bits, bitrate);
}

int sim_socket(const char *name, can_err_mask_t errors, bool own)
{
	int fd = ct_raw_open(if_nametoindex(name)), bytes = SOCKET_BYTES;
	int err;

	if (fd < 0)
		return fd;
	err = ct_raw_set(fd, CAN_RAW_RECV_OWN_MSGS, own) ?:
	      ct_raw_set(fd, CAN_RAW_ERR_FILTER, errors);
	if (!err && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes,
			       sizeof(bytes)))
		err = -errno;
	if (!err)
		return fd;
	close(fd);
	return err;
}

int sim_open_up(const char *name, int bitrate)
{
	int err = ct_link_queue(name, 1000) ?:
		  sim_link_up(name, bitrate, "");

	return err ?: sim_socket(name, 0, true);
}

int sim_send_own(int fd, canid_t id, int count)
{
	struct can_frame frame = { .can_id = id, .len = 8 };
	int i, err = 0;

	for (i = 0; !err && i < count; i++) {
		frame.data[0] = i;
		err = ct_send(fd, &frame, sizeof(frame));
	}
	return err;
}

int sim_receive_run(int fd, canid_t own_id, int *echoes)
{
	int end = sim_clock_counts() ? END_MS : SLOW_END_MS;
	uint32_t number, next = 0;
	struct can_frame frame;
	int got = 0;

	while (ct_recv(fd, &frame, sizeof(frame), end) > 0) {
		if (frame.can_id == own_id) {
			if (frame.data[0] != (*echoes)++)
				return -EBADMSG;
			continue;
		}
		memcpy(&number, frame.data, sizeof(number));
		number = le32toh(number);
		if (number < next && sim_clock_counts())
			return -EBADMSG;
		next = number + 1;
		got++;
	}
	return got;
}

bool sim_clock_counts(void)
{
	return ct_env("SIM_CLOCK_COUNTS", 0);
}
