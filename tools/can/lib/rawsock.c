// SPDX-License-Identifier: GPL-2.0-only
/*
 * CAN_RAW sockets: opening, filters, sending and receiving. The socket is the only
 * state, so one thread may send while another one receives.
 */
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <linux/sock_diag.h>

#include "cli.h"
#include "rawsock.h"
#include "rt.h"

#define NSEC_PER_SEC 1000000000ULL

/*
 * A signal between the check of cli_stopped and poll() does not interrupt poll(), so no
 * wait is longer than this.
 */
#define WAIT_MAX_NS 200000000ULL

/* poll() does not wait for a full interface queue. About one short frame at 1 Mbit/s. */
#define QUEUE_FULL_NS 50000ULL

/* Upper limit of the memory charged for a queued frame (truesize) on 64-bit kernels */
#define RCVBUF_PER_FRAME 1024

static void ifreq_name(struct ifreq *ifr, const char *ifname)
{
	memset(ifr, 0, sizeof(*ifr));
	if (!*ifname || strlen(ifname) >= sizeof(ifr->ifr_name)) {
		errno = 0;
		cli_fail("invalid interface name '%s'", ifname);
	}
	strcpy(ifr->ifr_name, ifname);
}

/* These ioctls work on any socket; AF_UNIX exists even without CAN. */
static void interface_ioctl(const char *ifname, unsigned long request, struct ifreq *ifr)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		cli_fail("opening a socket to query %s", ifname);
	ifreq_name(ifr, ifname);
	if (ioctl(fd, request, ifr)) {
		if (errno != ENODEV)
			cli_fail("querying %s", ifname);
		errno = 0;
		cli_fail("interface %s does not exist", ifname);
	}
	close(fd);
}

int rawsock_ifindex(const char *ifname)
{
	struct ifreq ifr;

	interface_ioctl(ifname, SIOCGIFHWADDR, &ifr);
	if (ifr.ifr_hwaddr.sa_family != ARPHRD_CAN) {
		errno = 0;
		cli_fail("%s is not a CAN interface", ifname);
	}
	interface_ioctl(ifname, SIOCGIFINDEX, &ifr);
	return ifr.ifr_ifindex;
}

void rawsock_up(const char *ifname)
{
	struct ifreq ifr;

	interface_ioctl(ifname, SIOCGIFFLAGS, &ifr);
	if (ifr.ifr_flags & IFF_UP)
		return;
	errno = 0;
	cli_fail("%s is down; use 'ip link set %s up', for a controller with 'type can bitrate RATE' the first time",
		 ifname, ifname);
}

static void set_raw(int fd, const char *ifname, int option, const char *name, int value)
{
	if (setsockopt(fd, SOL_CAN_RAW, option, &value, sizeof(value)))
		cli_fail("%s: socket option %s", ifname, name);
}

static void set_stamp(int fd, const char *ifname)
{
	int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE |
		    SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;

	if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof(flags)))
		cli_fail("%s: socket option SO_TIMESTAMPING", ifname);
}

static void set_options(int fd, const char *ifname, unsigned int flags)
{
	int on = 1;

	if (flags & RAWSOCK_FD)
		set_raw(fd, ifname, CAN_RAW_FD_FRAMES, "CAN_RAW_FD_FRAMES", 1);
	if (flags & RAWSOCK_OWN)
		set_raw(fd, ifname, CAN_RAW_RECV_OWN_MSGS, "CAN_RAW_RECV_OWN_MSGS", 1);
	if (flags & RAWSOCK_NO_LOCAL)
		set_raw(fd, ifname, CAN_RAW_LOOPBACK, "CAN_RAW_LOOPBACK", 0);
	if (flags & RAWSOCK_STAMP)
		set_stamp(fd, ifname);
	if (flags & RAWSOCK_NO_RX) {
		if (setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FILTER, NULL, 0))
			cli_fail("%s: socket option CAN_RAW_FILTER", ifname);
	} else if (setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on))) {
		cli_fail("%s: socket option SO_RXQ_OVFL", ifname);
	}
}

static _Noreturn void fail_socket(const char *ifname)
{
	if (errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT) {
		errno = 0;
		cli_fail("%s: this kernel has no CAN_RAW sockets; try 'modprobe can-raw'", ifname);
	}
	cli_fail("%s: opening a CAN_RAW socket", ifname);
}

int rawsock_open(const char *ifname, unsigned int flags)
{
	struct sockaddr_can addr = { .can_family = AF_CAN };
	int type = SOCK_RAW | SOCK_CLOEXEC;
	int fd;

	addr.can_ifindex = rawsock_ifindex(ifname);
	if (flags & RAWSOCK_NONBLOCK)
		type |= SOCK_NONBLOCK;
	fd = socket(PF_CAN, type, CAN_RAW);
	if (fd < 0)
		fail_socket(ifname);
	/* Before bind(), so that no unwanted frame is queued. */
	set_options(fd, ifname, flags);
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		cli_fail("%s: binding a CAN_RAW socket", ifname);
	return fd;
}

void rawsock_filter(int fd, canid_t id, canid_t mask, bool invert)
{
	struct can_filter filter = {
		.can_id = invert ? id | CAN_INV_FILTER : id,
		.can_mask = mask,
	};

	if (setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FILTER, &filter, sizeof(filter)))
		cli_fail("setting the receive filter %X:%X", id, mask);
}

bool rawsock_rcvbuf(int fd, unsigned int frames)
{
	unsigned int limit = INT_MAX / RCVBUF_PER_FRAME;
	/* The kernel doubles the value that is set, and returns the doubled value. */
	int half = (frames < limit ? frames : limit) * RCVBUF_PER_FRAME / 2;
	socklen_t length = sizeof(int);
	int size = 0;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &half, sizeof(half)) &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &half, sizeof(half)))
		cli_fail("setting the size of the receive queue");
	if (getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, &length))
		cli_fail("getting the size of the receive queue");
	return (unsigned int)size / RCVBUF_PER_FRAME >= frames;
}

uint32_t rawsock_dropped(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t length = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &length))
		cli_fail("getting the drop count of the receive queue");
	return info[SK_MEMINFO_DROPS];
}

/* Name of the interface that @fd is bound to, for messages */
static const char *bound_name(int fd, char *buf)
{
	struct sockaddr_can addr = { 0 };
	socklen_t length = sizeof(addr);
	int error = errno;

	if (getsockname(fd, (struct sockaddr *)&addr, &length) ||
	    !if_indextoname(addr.can_ifindex, buf))
		strcpy(buf, "interface");
	errno = error;
	return buf;
}

static _Noreturn void fail_transfer(int fd, const char *doing)
{
	char name[IF_NAMESIZE];

	bound_name(fd, name);
	if (errno == ENODEV || errno == ENXIO) {
		errno = 0;
		cli_fail("%s: the interface is gone", name);
	}
	if (errno == ENETDOWN) {
		errno = 0;
		cli_fail("%s: the interface is down", name);
	}
	cli_fail("%s: %s", name, doing);
}

/* Wait for @events. False: @deadline passed, or cli_stopped is set. */
static bool wait_for_events(int fd, short events, uint64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	while (!cli_stopped) {
		uint64_t now = rt_now();
		uint64_t left = deadline > now ? deadline - now : 0;
		struct timespec wait = { .tv_nsec = left < WAIT_MAX_NS ? left : WAIT_MAX_NS };
		int ready = ppoll(&pfd, 1, &wait, NULL);

		if (ready > 0)
			return true;
		if (ready < 0 && errno != EINTR)
			cli_fail("waiting for a socket");
		if (!ready && left <= WAIT_MAX_NS)
			return false;
	}
	return false;
}

static uint64_t stamp_ns(const struct timespec *stamp)
{
	return stamp->tv_sec * NSEC_PER_SEC + stamp->tv_nsec;
}

static void read_stamp(struct rawsock_frame *f, const struct cmsghdr *cmsg)
{
	struct scm_timestamping stamps;

	memcpy(&stamps, CMSG_DATA(cmsg), sizeof(stamps));
	f->stamp = stamp_ns(&stamps.ts[2]);
	f->hardware = f->stamp != 0;
	if (!f->hardware)
		f->stamp = stamp_ns(&stamps.ts[0]);
}

static void read_ancillary(struct rawsock_frame *f, struct msghdr *msg)
{
	f->echo = msg->msg_flags & MSG_CONFIRM;
	f->local = msg->msg_flags & MSG_DONTROUTE;
	f->hardware = false;
	f->stamp = 0;
	/* The kernel sends no drop count while it is 0. */
	f->dropped = 0;
	for (struct cmsghdr *cmsg = CMSG_FIRSTHDR(msg); cmsg; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET)
			continue;
		if (cmsg->cmsg_type == SCM_TIMESTAMPING)
			read_stamp(f, cmsg);
		else if (cmsg->cmsg_type == SO_RXQ_OVFL)
			memcpy(&f->dropped, CMSG_DATA(cmsg), sizeof(f->dropped));
	}
}

/* False: the receive queue is empty. */
static bool receive_now(int fd, struct rawsock_frame *f)
{
	char control[CMSG_SPACE(sizeof(struct scm_timestamping)) + CMSG_SPACE(sizeof(uint32_t))];
	struct iovec iov = { .iov_base = &f->frame, .iov_len = sizeof(f->frame) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t size = recvmsg(fd, &msg, MSG_DONTWAIT);

	if (size < 0) {
		if (errno == EAGAIN || errno == EINTR)
			return false;
		fail_transfer(fd, "receiving");
	}
	memset((char *)&f->frame + size, 0, sizeof(f->frame) - size);
	f->size = size;
	read_ancillary(f, &msg);
	return true;
}

int rawsock_recv(int fd, struct rawsock_frame *f, uint64_t timeout_ns)
{
	uint64_t deadline;

	if (receive_now(fd, f))
		return 1;
	if (!timeout_ns)
		return 0;
	if (__builtin_add_overflow(rt_now(), timeout_ns, &deadline))
		deadline = UINT64_MAX;
	while (wait_for_events(fd, POLLIN, deadline))
		if (receive_now(fd, f))
			return 1;
	return 0;
}

/*
 * Wait because the send buffer of the socket (EAGAIN) or the queue of the interface is full.
 * False: @deadline passed, or cli_stopped is set.
 */
static bool wait_for_room(int fd, uint64_t deadline)
{
	uint64_t now;

	if (errno == EAGAIN)
		return wait_for_events(fd, POLLOUT, deadline);
	now = rt_now();
	if (now >= deadline || cli_stopped)
		return false;
	rt_sleep_until(deadline - now < QUEUE_FULL_NS ? deadline : now + QUEUE_FULL_NS);
	return !cli_stopped;
}

bool rawsock_send(int fd, const struct canfd_frame *frame, unsigned int size, uint64_t deadline)
{
	while (send(fd, frame, size, MSG_DONTWAIT) != (ssize_t)size) {
		if (errno == EINTR && !cli_stopped)
			continue;
		if (errno == EINTR)
			return false;
		if (errno == EINVAL && size == CANFD_MTU) {
			char name[IF_NAMESIZE];

			errno = 0;
			cli_fail("%s does not support CAN FD frames; a controller requires 'dbitrate RATE fd on', vcan and vxcan 'mtu %u'",
				 bound_name(fd, name), (unsigned int)CANFD_MTU);
		}
		if (errno != EAGAIN && errno != ENOBUFS)
			fail_transfer(fd, "sending");
		if (!wait_for_room(fd, deadline))
			return false;
	}
	return true;
}
