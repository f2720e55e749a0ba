// SPDX-License-Identifier: GPL-2.0-only
/* Namespaces, interfaces, sockets and frames for the CAN selftests: see cantest.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include <libmnl/libmnl.h>
#include <linux/can/netlink.h>
#include <linux/can/raw.h>
#include <linux/can/vxcan.h>
#include <linux/capability.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/rtnetlink.h>

#include "cantest.h"

static bool env_is_1(const char *name)
{
	const char *value = getenv(name);

	return value && !strcmp(value, "1");
}

bool ct_baseline(void)
{
	return env_is_1("CAN_BASELINE");
}

bool ct_own_machine(void)
{
	return env_is_1("CAN_TEST_MACHINE");
}

bool ct_preempt_rt(void)
{
	struct utsname name;

	return !uname(&name) && strstr(name.version, "PREEMPT_RT");
}

/* memory shared by the program and the processes of its tests */
#define SETTINGS	16

static struct settings {
	pid_t program;
	unsigned int count;
	struct {
		char path[96];
		char value[64];
	} before[SETTINGS];
} *settings;

__attribute__((constructor)) static void settings_init(void)
{
	settings = mmap(NULL, sizeof(*settings), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (settings == MAP_FAILED)
		abort();
	settings->program = getpid();
}

static int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	err = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

static int read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, text, size - 1);
	if (len < 0)
		err = -errno;
	text[err ? 0 : len] = '\0';
	close(fd);
	return err;
}

static bool setting_is_known(const char *path)
{
	unsigned int i;

	for (i = 0; i < settings->count; i++)
		if (!strcmp(settings->before[i].path, path))
			return true;
	return false;
}

int ct_thread(const char *comm)
{
	char path[300], line[32];
	struct dirent *entry;
	int tid = -ENOENT;
	FILE *file;
	DIR *proc;

	proc = opendir("/proc");
	if (!proc)
		return -errno;
	while (tid < 0 && (entry = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "r");
		if (!file)
			continue;
		if (fgets(line, sizeof(line), file) && !strncmp(line, comm, strlen(comm)))
			tid = atoi(entry->d_name);
		fclose(file);
	}
	closedir(proc);
	return tid;
}

int ct_setting(const char *path, const char *value)
{
	unsigned int i = settings->count;
	int err;

	if (!ct_own_machine())
		return -EPERM;
	if (!setting_is_known(path)) {
		if (i == SETTINGS || strlen(path) >= sizeof(settings->before[i].path))
			return -ENOSPC;
		memcpy(settings->before[i].path, path, strlen(path) + 1);
		err = read_text(path, settings->before[i].value,
				sizeof(settings->before[i].value));
		if (err)
			return err;
		settings->count++;
	}
	return write_text(path, value);
}

void ct_settings_back(void)
{
	while (settings->count) {
		unsigned int i = settings->count - 1;

		if (write_text(settings->before[i].path, settings->before[i].value))
			printf("# %s cannot be set to what it was: %s",
			       settings->before[i].path, settings->before[i].value);
		settings->count--;
	}
}

__attribute__((destructor)) static void settings_end(void)
{
	if (getpid() == settings->program)
		ct_settings_back();
}

unsigned int ct_env(const char *name, unsigned int otherwise)
{
	const char *value = getenv(name);

	return value && *value ? strtoul(value, NULL, 0) : otherwise;
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

int ct_pin_nth_cpu(int number)
{
	cpu_set_t allowed, one;
	int cpu, left;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -errno;
	left = number % CPU_COUNT(&allowed);
	for (cpu = 0; !CPU_ISSET(cpu, &allowed) || left--; cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) ? -errno : 0;
}

int ct_net_admin(bool on)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2];
	uint32_t *effective = &data[CAP_TO_INDEX(CAP_NET_ADMIN)].effective;

	if (syscall(SYS_capget, &header, data))
		return -errno;
	*effective &= ~CAP_TO_MASK(CAP_NET_ADMIN);
	if (on)
		*effective |= CAP_TO_MASK(CAP_NET_ADMIN);
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

int ct_module(const char *name)
{
	char command[128];

	snprintf(command, sizeof(command), "modprobe -q %s", name);
	return system(command) ? -ENOENT : 0;
}

/* a message of a dump is at most 32 KiB (NLMSG_GOODSIZE grown) */
#define NL_BUF_SIZE	32768

/* @each may be NULL where the kernel's error code is the answer */
static int nl_request(struct nlmsghdr *nlh, mnl_cb_t each, void *data)
{
	static __thread unsigned int last_seq;
	/* @each may send requests, too */
	unsigned int seq = ++last_seq;
	char buf[NL_BUF_SIZE];
	struct mnl_socket *nl;
	ssize_t len;
	int err = 0;

	nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!nl)
		return -errno;

	nlh->nlmsg_seq = seq;

	if (mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		err = -errno;

	while (!err) {
		len = mnl_socket_recvfrom(nl, buf, sizeof(buf));
		if (len > 0)
			len = mnl_cb_run(buf, len, seq,
					 mnl_socket_get_portid(nl), each,
					 data);
		if (len < 0)
			err = -errno;
		if (len <= MNL_CB_STOP)
			break;
	}

	mnl_socket_close(nl);
	return err;
}

int ct_nl(struct nlmsghdr *nlh)
{
	nlh->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	return nl_request(nlh, NULL, NULL);
}

int ct_nl_dump(struct nlmsghdr *nlh,
	       int (*each)(const struct nlmsghdr *nlh, void *data),
	       void *data)
{
	nlh->nlmsg_flags |= NLM_F_REQUEST | NLM_F_DUMP;
	return nl_request(nlh, each, data);
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

static int link_set(const char *name, int attr, int value)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh;

	link_msg(buf, &nlh, RTM_NEWLINK);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	mnl_attr_put_u32(nlh, attr, value);
	return ct_nl(nlh);
}

int ct_link_mtu(const char *name, int mtu)
{
	return link_set(name, IFLA_MTU, mtu);
}

int ct_link_queue(const char *name, int frames)
{
	return link_set(name, IFLA_TXQLEN, frames);
}

int ct_link_bitrate(const char *name, unsigned int bitrate)
{
	const struct can_bittiming timing = { .bitrate = bitrate };
	struct nlattr *info, *data;
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh;

	link_msg(buf, &nlh, RTM_NEWLINK);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "can");
	data = mnl_attr_nest_start(nlh, IFLA_INFO_DATA);
	mnl_attr_put(nlh, IFLA_CAN_BITTIMING, sizeof(timing), &timing);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_nest_end(nlh, info);
	return ct_nl(nlh);
}

int ct_link_move(const char *name, int netns_fd)
{
	return link_set(name, IFLA_NET_NS_FD, netns_fd);
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
	return ct_link_mtu(name, mtu) ?: ct_link_up(name, true);
}

int ct_vcan_add(const char *name, int mtu)
{
	return ct_vcan_add_at(name, mtu, 0);
}

int ct_vcan_add_at(const char *name, int mtu, int ifindex)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct ifinfomsg *ifi;
	struct nlattr *info;
	struct nlmsghdr *nlh;

	ifi = link_msg(buf, &nlh, RTM_NEWLINK);
	ifi->ifi_index = ifindex;
	nlh->nlmsg_flags = NLM_F_CREATE | NLM_F_EXCL;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "vcan");
	mnl_attr_nest_end(nlh, info);
	return ct_nl(nlh) ?: link_start(name, mtu) ?: link_index(name);
}

/*
 * A pair has a carrier when both ends are up, but the end that was brought up
 * first gets its transmit queue only when the link watch comes to it, and frames
 * that are sent before vanish without an error. Asking for one interface makes the
 * kernel do the link watch's work for it first (linkwatch_sync_dev() in
 * rtnl_getlink(), since Linux 6.8).
 */
static int link_sync(const char *name, int mtu)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh;

	link_msg(buf, &nlh, RTM_GETLINK);
	mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	return ct_nl(nlh);
}

/* the peer may be in another namespace */
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

int ct_vxcan_add(const char *name, const char *peer, int peer_netns, int mtu)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlattr *info, *data, *end;
	struct nlmsghdr *nlh;

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

	return ct_nl(nlh) ?: peer_do(peer, peer_netns, mtu, link_start) ?:
	       link_start(name, mtu) ?: link_sync(name, mtu) ?:
	       peer_do(peer, peer_netns, mtu, link_sync) ?: link_index(name);
}

int ct_raw_socket(void)
{
	int fd = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, CAN_RAW);

	return fd < 0 ? -errno : fd;
}

int ct_dgram_open(int protocol, const struct sockaddr_can *addr)
{
	int fd = socket(PF_CAN, SOCK_DGRAM | SOCK_CLOEXEC, protocol), err;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (const struct sockaddr *)addr, sizeof(*addr)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

int ct_raw_bind(int fd, int ifindex)
{
	struct sockaddr_can addr = {
		.can_family = AF_CAN,
		.can_ifindex = ifindex,
	};

	return bind(fd, (struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
}

/* @fd, or without a success @err */
static int opened(int fd, int err)
{
	if (!err)
		return fd;
	close(fd);
	return err;
}

int ct_raw_open(int ifindex)
{
	int fd = ct_raw_socket();

	return fd < 0 ? fd : opened(fd, ct_raw_bind(fd, ifindex));
}

int64_t ct_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int ct_packet_open(int ifindex)
{
	const struct sockaddr_ll where = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_CAN),
		.sll_ifindex = ifindex,
	};
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0)
		return -errno;
	return opened(fd, bind(fd, (const struct sockaddr *)&where, sizeof(where)) ? -errno : 0);
}

int ct_raw_open_fd(int ifindex)
{
	int fd = ct_raw_open(ifindex);

	return fd < 0 ? fd : opened(fd, ct_raw_set(fd, CAN_RAW_FD_FRAMES, 1));
}

int ct_raw_open_xl(int ifindex)
{
	const struct can_raw_vcid_options vcid = {
		.flags = CAN_RAW_XL_VCID_TX_PASS | CAN_RAW_XL_VCID_RX_FILTER,
	};
	int fd = ct_raw_open_fd(ifindex);

	if (fd < 0)
		return fd;
	return opened(fd, ct_raw_set(fd, CAN_RAW_XL_FRAMES, 1) ||
		      ct_raw_setopt(fd, CAN_RAW_XL_VCID_OPTS, &vcid,
				    sizeof(vcid)) ? -EOPNOTSUPP : 0);
}

int ct_raw_setopt(int fd, int option, const void *value, unsigned int len)
{
	return setsockopt(fd, SOL_CAN_RAW, option, value, len) ? -errno : 0;
}

int ct_raw_getopt(int fd, int option, void *value, unsigned int *len)
{
	return getsockopt(fd, SOL_CAN_RAW, option, value, len) ? -errno : 0;
}

int ct_raw_set(int fd, int option, int value)
{
	return ct_raw_setopt(fd, option, &value, sizeof(value));
}

int ct_sock_set(int fd, int option, int value)
{
	return setsockopt(fd, SOL_SOCKET, option, &value, sizeof(value)) ?
	       -errno : 0;
}

int ct_raw_filters(int fd, const struct can_filter *filters, int count)
{
	return ct_raw_setopt(fd, CAN_RAW_FILTER, filters,
			     count * sizeof(*filters));
}

int ct_raw_only_id(int fd, canid_t id)
{
	const struct can_filter filter = {
		.can_id = id,
		.can_mask = CAN_EFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG,
	};

	return ct_raw_filters(fd, &filter, 1);
}

canid_t ct_filter_mask(const struct can_filter *filter)
{
	if (filter->can_mask & CAN_EFF_FLAG && !(filter->can_id & CAN_EFF_FLAG))
		return filter->can_mask &
		       (CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG);
	return filter->can_mask;
}

bool ct_filter_matches(const struct can_filter *filter, canid_t id)
{
	bool equal;

	if (filter->can_mask & CAN_ERR_FLAG)
		return id & CAN_ERR_FLAG && id & filter->can_mask & CAN_ERR_MASK;
	if (id & CAN_ERR_FLAG)
		return false;
	equal = !((filter->can_id ^ id) & ct_filter_mask(filter));
	return filter->can_id & CAN_INV_FILTER ? !equal : equal;
}

long ct_can_stats(const char *text)
{
	FILE *file = fopen("/proc/net/can/stats", "re");
	long value = -ENOENT;
	char line[256];

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		if (strstr(line, text))
			value = strtol(line, NULL, 10);
	fclose(file);
	return value;
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
		if (!ready)
			return -ETIMEDOUT;
		/* An error that poll() has seen may be that of another thread's write() by now. */
		got = ready < 0 ? -1 : recv(fd, frame, len, MSG_DONTWAIT);
	} while (got < 0 && (errno == EINTR || errno == EAGAIN));

	return got < 0 ? -errno : got;
}

int64_t ct_recv_stamp(int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct timespec))];
		struct cmsghdr align;
	} control;
	struct canfd_frame frame;
	struct iovec iov = { .iov_base = &frame, .iov_len = sizeof(frame) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	struct timespec ts;

	if (recvmsg(fd, &msg, 0) < 0)
		return -errno;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET ||
		    cmsg->cmsg_type != SO_TIMESTAMPNS)
			continue;
		memcpy(&ts, CMSG_DATA(cmsg), sizeof(ts));
		return ts.tv_sec * 1000000000LL + ts.tv_nsec;
	}
	return -ENODATA;
}

int ct_napi_id(int fd)
{
	socklen_t len = sizeof(int);
	int id;

	if (getsockopt(fd, SOL_SOCKET, SO_INCOMING_NAPI_ID, &id, &len))
		return -errno;
	return id;
}

int ct_send_id(int fd, canid_t id)
{
	struct can_frame frame;

	ct_frame(&frame, id, CAN_MAX_DLEN, NULL);
	return ct_send(fd, &frame, sizeof(frame));
}

int ct_send_id_mtu(int fd, canid_t id, size_t mtu)
{
	struct canfd_frame frame;

	ct_fdframe(&frame, id, mtu == CAN_MTU ? CAN_MAX_DLEN : CANFD_MAX_DLEN,
		   NULL);
	if (mtu == CAN_MTU)
		frame.flags = 0;
	return ct_send(fd, &frame, mtu);
}

int ct_send_id_to(int fd, int ifindex, canid_t id)
{
	struct sockaddr_can to = {
		.can_family = AF_CAN,
		.can_ifindex = ifindex,
	};
	struct can_frame frame;

	ct_frame(&frame, id, CAN_MAX_DLEN, NULL);
	return sendto(fd, &frame, sizeof(frame), 0, (struct sockaddr *)&to,
		      sizeof(to)) < 0 ? -errno : 0;
}

int ct_recv_id(int fd)
{
	struct canfd_frame frame;
	ssize_t len = ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS);

	return len < 0 ? len : (int)frame.can_id;
}

int ct_barrier_open(int ifindex)
{
	int fd = ct_raw_open(ifindex);

	return fd < 0 ? fd : opened(fd, ct_raw_only_id(fd, CT_BARRIER_ID));
}

int ct_barrier(int fd, int witness)
{
	struct sockaddr_can where;
	socklen_t len = sizeof(where);
	struct can_frame frame;
	ssize_t got;
	int err;

	/* the sender may be bound to no interface */
	if (getsockname(witness, (struct sockaddr *)&where, &len))
		return -errno;
	err = ct_send_id_to(fd, where.can_ifindex, CT_BARRIER_ID);
	if (err)
		return err;
	got = ct_recv(witness, &frame, sizeof(frame), CT_TIMEOUT_MS);
	if (got < 0)
		return got;
	return frame.can_id == CT_BARRIER_ID ? 0 : -EBADMSG;
}

int ct_bus_open(struct ct_bus *bus)
{
	int err = ct_pin_cpu() ?: ct_netns_new();

	if (err)
		return err;
	bus->ifindex = ct_vcan_add("vcan0", CAN_MTU);
	if (bus->ifindex < 0)
		return bus->ifindex;
	bus->tx = ct_raw_open(bus->ifindex);
	if (bus->tx < 0)
		return bus->tx;
	bus->witness = ct_barrier_open(bus->ifindex);
	return bus->witness < 0 ? bus->witness : 0;
}

int ct_bus_barrier(const struct ct_bus *bus)
{
	return ct_barrier(bus->tx, bus->witness);
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

uint32_t ct_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}
