// SPDX-License-Identifier: GPL-2.0-only
/*
 * Namespaces, interfaces, sockets and frames for the CAN selftests. The
 * contract of each function stands in cantest.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/can/raw.h>
#include <linux/can/vxcan.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "cantest.h"

bool ct_baseline(void)
{
	const char *value = getenv("CAN_BASELINE");

	return value && !strcmp(value, "1");
}

int ct_netns_new(void)
{
	return unshare(CLONE_NEWNET) ? -errno : 0;
}

int ct_netns_get(void)
{
	int fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int ct_netns_set(int netns_fd)
{
	return setns(netns_fd, CLONE_NEWNET) ? -errno : 0;
}

int ct_pin_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) ? -errno : 0;
}

int ct_module(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "modprobe -q %s", name);
	return system(command) ? -ENOENT : 0;
}

int ct_nl(struct nlmsghdr *nlh)
{
	static __thread unsigned int seq;
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct mnl_socket *nl;
	ssize_t len;
	int err = 0;

	nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!nl)
		return -errno;

	nlh->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	nlh->nlmsg_seq = ++seq;

	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		err = -errno;

	while (!err) {
		len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (len < 0) {
			err = -errno;
			break;
		}
		len = mnl_cb_run(buf, len, seq, mnl_socket_get_portid(nl),
				 NULL, NULL);
		if (len < 0)
			err = -errno;
		if (len <= MNL_CB_STOP)
			break;
	}

	mnl_socket_close(nl);
	return err;
}

static struct ifinfomsg *link_msg(void *buf, struct nlmsghdr **nlh, int type)
{
	*nlh = mnl_nlmsg_put_header(buf);
	(*nlh)->nlmsg_type = type;
	return mnl_nlmsg_put_extra_header(*nlh, sizeof(struct ifinfomsg));
}

int ct_link_up(const char *name, bool up)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct ifinfomsg *ifi;
	struct nlmsghdr *nlh;

	ifi = link_msg(buf, &nlh, RTM_NEWLINK);
	ifi->ifi_change = IFF_UP;
	ifi->ifi_flags = up ? IFF_UP : 0;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	return ct_nl(nlh);
}

int ct_link_mtu(const char *name, int mtu)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh;

	link_msg(buf, &nlh, RTM_NEWLINK);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	mnl_attr_put_u32(nlh, IFLA_MTU, mtu);
	return ct_nl(nlh);
}

int ct_link_del(const char *name)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh;

	link_msg(buf, &nlh, RTM_DELLINK);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	return ct_nl(nlh);
}

/* 0 cannot be an interface index, so it stands for "no such interface" */
static int link_index(const char *name)
{
	unsigned int ifindex = if_nametoindex(name);

	return ifindex ? (int)ifindex : -ENODEV;
}

static int link_start(const char *name, int mtu)
{
	int err;

	err = ct_link_mtu(name, mtu);
	if (!err)
		err = ct_link_up(name, true);
	return err;
}

int ct_vcan_add(const char *name, int mtu)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlattr *info;
	struct nlmsghdr *nlh;
	int err;

	link_msg(buf, &nlh, RTM_NEWLINK);
	nlh->nlmsg_flags = NLM_F_CREATE | NLM_F_EXCL;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "vcan");
	mnl_attr_nest_end(nlh, info);

	err = ct_nl(nlh);
	if (!err)
		err = link_start(name, mtu);
	return err ? err : link_index(name);
}

/*
 * A pair has a carrier when both ends are up, but the kernel attaches an end's
 * transmit queue only when its link watch has noticed. Frames that are sent
 * before vanish without an error. The last call here waits for the lock under
 * which the link watch does both, mark the interface and attach the queue.
 */
static int await_running(const char *name)
{
	struct ifreq ifr = { 0 };
	int fd, left, err = 0;

	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;

	strncpy(ifr.ifr_name, name, IFNAMSIZ - 1);
	for (left = CT_TIMEOUT_MS; left > 0; left--) {
		if (ioctl(fd, SIOCGIFFLAGS, &ifr)) {
			err = -errno;
			break;
		}
		if (ifr.ifr_flags & IFF_RUNNING)
			break;
		usleep(1000);
	}
	close(fd);
	if (!left)
		return -ETIMEDOUT;
	return err ? err : ct_link_up(name, true);
}

/* the peer may live in another namespace: go there, do it, come back */
static int peer_do(const char *peer, int peer_netns, int mtu,
		   int (*what)(const char *peer, int mtu))
{
	int home, err, back;

	if (peer_netns < 0)
		return what(peer, mtu);

	home = ct_netns_get();
	if (home < 0)
		return home;

	err = ct_netns_set(peer_netns);
	if (!err) {
		err = what(peer, mtu);
		back = ct_netns_set(home);
		err = err ? err : back;
	}
	close(home);
	return err;
}

static int peer_running(const char *peer, int mtu)
{
	return await_running(peer);
}

int ct_vxcan_add(const char *name, const char *peer, int peer_netns, int mtu)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlattr *info, *data, *end;
	struct nlmsghdr *nlh;
	int err;

	link_msg(buf, &nlh, RTM_NEWLINK);
	nlh->nlmsg_flags = NLM_F_CREATE | NLM_F_EXCL;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "vxcan");
	data = mnl_attr_nest_start(nlh, IFLA_INFO_DATA);
	end = mnl_attr_nest_start(nlh, VXCAN_INFO_PEER);
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(nlh, IFLA_IFNAME, peer);
	if (peer_netns >= 0)
		mnl_attr_put_u32(nlh, IFLA_NET_NS_FD, peer_netns);
	mnl_attr_nest_end(nlh, end);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, info);

	err = ct_nl(nlh);
	if (!err)
		err = peer_do(peer, peer_netns, mtu, link_start);
	if (!err)
		err = link_start(name, mtu);
	if (!err)
		err = await_running(name);
	if (!err)
		err = peer_do(peer, peer_netns, mtu, peer_running);
	return err ? err : link_index(name);
}

int ct_raw_open(int ifindex)
{
	struct sockaddr_can addr = {
		.can_family = AF_CAN,
		.can_ifindex = ifindex,
	};
	int fd, err;

	fd = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, CAN_RAW);
	if (fd < 0)
		return -errno;

	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int ct_raw_set(int fd, int option, int value)
{
	return setsockopt(fd, SOL_CAN_RAW, option, &value, sizeof(value)) ?
	       -errno : 0;
}

int ct_send(int fd, const void *frame, size_t len)
{
	ssize_t sent = write(fd, frame, len);

	if (sent < 0)
		return -errno;
	return (size_t)sent == len ? 0 : -EIO;
}

ssize_t ct_recv(int fd, void *frame, size_t len, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	ssize_t got;
	int ready;

	do {
		ready = poll(&pfd, 1, timeout_ms);
	} while (ready < 0 && errno == EINTR);

	if (ready < 0)
		return -errno;
	if (!ready)
		return -ETIMEDOUT;

	got = read(fd, frame, len);
	return got < 0 ? -errno : got;
}

static void fill(uint8_t *to, unsigned int len, const void *data)
{
	unsigned int i;

	if (data) {
		memcpy(to, data, len);
		return;
	}
	for (i = 0; i < len; i++)
		to[i] = 0x11 * (i + 1);
}

void ct_frame(struct can_frame *frame, canid_t id, unsigned int len,
	      const void *data)
{
	memset(frame, 0, sizeof(*frame));
	frame->can_id = id;
	frame->len = len;
	fill(frame->data, len, data);
}

void ct_fdframe(struct canfd_frame *frame, canid_t id, unsigned int len,
		const void *data)
{
	memset(frame, 0, sizeof(*frame));
	frame->can_id = id;
	frame->len = len;
	frame->flags = CANFD_FDF;
	fill(frame->data, len, data);
}
