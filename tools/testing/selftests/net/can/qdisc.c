// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/gen_stats.h>
#include <linux/if_packet.h>
#include <linux/net_tstamp.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>

#include "cantest.h"
#include "qdisc.h"

/* Two packets in each page */
#define RING_PACKET	2048
#define RING_PACKETS	32

struct nlmsghdr *qd_msg(void *buf, int type, const char *name, const char *kind)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct tcmsg *tcm;

	nlh->nlmsg_type = type;
	if (type == RTM_NEWQDISC)
		nlh->nlmsg_flags = NLM_F_CREATE | NLM_F_REPLACE;
	tcm = mnl_nlmsg_put_extra_header(nlh, sizeof(*tcm));
	tcm->tcm_family = AF_UNSPEC;
	tcm->tcm_ifindex = if_nametoindex(name);
	tcm->tcm_parent = TC_H_ROOT;
	if (kind)
		mnl_attr_put_strz(nlh, TCA_KIND, kind);
	return nlh;
}

int qd_replace(const char *name, const char *kind)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];

	return ct_nl(qd_msg(buf, RTM_NEWQDISC, name, kind));
}

int qd_lifetime(const char *name, uint64_t lifetime)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh = qd_msg(buf, RTM_NEWQDISC, name, "can_prio");
	struct nlattr *options = mnl_attr_nest_start(nlh, TCA_OPTIONS);

	mnl_attr_put_u64(nlh, TCA_CAN_PRIO_LIFETIME, lifetime);
	mnl_attr_nest_end(nlh, options);
	return ct_nl(nlh);
}

int qd_delete(const char *name)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];

	return ct_nl(qd_msg(buf, RTM_DELQDISC, name, NULL));
}

struct qd_search {
	int ifindex;
	bool found;
	struct qd_stats *stats;
};

static void qd_copy(void *to, size_t size, const struct nlattr *attr)
{
	size_t len = mnl_attr_get_payload_len(attr);

	memcpy(to, mnl_attr_get_payload(attr), len < size ? len : size);
}

static void qd_read_stats(const struct nlattr *nest, struct qd_stats *stats)
{
	struct gnet_stats_queue queue = { };
	struct gnet_stats_basic basic = { };
	struct tc_can_prio_xstats app = { };
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case TCA_STATS_BASIC:
			qd_copy(&basic, sizeof(basic), attr);
			break;
		case TCA_STATS_QUEUE:
			qd_copy(&queue, sizeof(queue), attr);
			break;
		case TCA_STATS_APP:
			qd_copy(&app, sizeof(app), attr);
			break;
		}
	}
	stats->packets = basic.packets;
	stats->qlen = queue.qlen;
	stats->backlog = queue.backlog;
	stats->drops = queue.drops;
	stats->overlimits = queue.overlimits;
	stats->expired = app.expired;
	stats->refused_limit = app.refused_limit;
	stats->refused_sender = app.refused_sender;
	stats->refused_memory = app.refused_memory;
}

static int qd_each(const struct nlmsghdr *nlh, void *data)
{
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr, *option;
	struct qd_search *search = data;

	if (tcm->tcm_ifindex != search->ifindex || tcm->tcm_parent != TC_H_ROOT)
		return MNL_CB_OK;
	search->found = true;
	memset(search->stats, 0, sizeof(*search->stats));
	mnl_attr_for_each(attr, nlh, sizeof(*tcm)) {
		switch (mnl_attr_get_type(attr)) {
		case TCA_KIND:
			snprintf(search->stats->kind, sizeof(search->stats->kind), "%s",
				 mnl_attr_get_str(attr));
			break;
		case TCA_OPTIONS:
			if (strcmp(search->stats->kind, "can_prio"))
				break;
			mnl_attr_for_each_nested(option, attr) {
				if (mnl_attr_get_type(option) == TCA_CAN_PRIO_LIFETIME)
					search->stats->lifetime = mnl_attr_get_u64(option);
			}
			break;
		case TCA_STATS2:
			qd_read_stats(attr, search->stats);
			break;
		}
	}
	return MNL_CB_OK;
}

int qd_stats(const char *name, struct qd_stats *stats)
{
	struct qd_search search = { .ifindex = if_nametoindex(name), .stats = stats };
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct tcmsg *tcm;
	int err;

	nlh->nlmsg_type = RTM_GETQDISC;
	tcm = mnl_nlmsg_put_extra_header(nlh, sizeof(*tcm));
	tcm->tcm_family = AF_UNSPEC;
	tcm->tcm_ifindex = search.ifindex;
	err = ct_nl_dump(nlh, qd_each, &search);
	return err ?: search.found ? 0 : -ENOENT;
}

int qd_charged(int fd)
{
	uint32_t info[SK_MEMINFO_VARS];
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		return -errno;
	return info[SK_MEMINFO_WMEM_ALLOC];
}

int qd_await_uncharged(int fd)
{
	int i, bytes;

	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		bytes = qd_charged(fd);
		if (bytes <= 0)
			return bytes;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

int qd_await(const char *name, int64_t qlen)
{
	struct qd_stats stats;
	int i, err;

	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		err = qd_stats(name, &stats);
		if (err)
			return err;
		if (stats.qlen == qlen)
			return 0;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

int qd_txtime(int fd, clockid_t clock, unsigned int flags)
{
	struct sock_txtime txtime = { .clockid = clock, .flags = flags };

	return setsockopt(fd, SOL_SOCKET, SO_TXTIME, &txtime, sizeof(txtime)) ? -errno : 0;
}

int qd_send_until(int fd, const struct can_frame *frame, int64_t deadline)
{
	union {
		char buf[CMSG_SPACE(sizeof(deadline))];
		struct cmsghdr align;
	} control = { };
	struct iovec iov = { (void *)frame, sizeof(*frame) };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_TXTIME;
	cmsg->cmsg_len = CMSG_LEN(sizeof(deadline));
	memcpy(CMSG_DATA(cmsg), &deadline, sizeof(deadline));
	return sendmsg(fd, &message, 0) == sizeof(*frame) ? 0 : -errno;
}

int qd_ring_open(struct qd_ring *ring)
{
	struct tpacket_req req = {
		.tp_block_size = 2 * RING_PACKET, .tp_block_nr = RING_PACKETS / 2,
		.tp_frame_size = RING_PACKET, .tp_frame_nr = RING_PACKETS,
	};

	*ring = (struct qd_ring) { .fd = socket(AF_PACKET, SOCK_RAW, 0) };
	if (ring->fd < 0 ||
	    setsockopt(ring->fd, SOL_PACKET, PACKET_TX_RING, &req, sizeof(req)))
		return -errno;
	ring->pages = mmap(NULL, RING_PACKETS * RING_PACKET, PROT_READ | PROT_WRITE, MAP_SHARED,
			   ring->fd, 0);
	return ring->pages == MAP_FAILED ? -errno : 0;
}

int qd_ring_send(struct qd_ring *ring, const struct sockaddr_ll *addr, const void *data,
		 unsigned int len)
{
	unsigned int slot = ring->count % RING_PACKETS;
	struct tpacket_hdr *header = (void *)(ring->pages + slot * RING_PACKET);
	struct pollfd room = { .fd = ring->fd, .events = POLLOUT };
	ssize_t sent;

	while (__atomic_load_n(&header->tp_status, __ATOMIC_ACQUIRE) != TP_STATUS_AVAILABLE)
		if (poll(&room, 1, CT_TIMEOUT_MS) < 1)
			return -ETIMEDOUT;
	ring->count++;
	memcpy((char *)header + TPACKET_HDRLEN - sizeof(*addr), data, len);
	header->tp_len = len;
	__atomic_store_n(&header->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
	sent = sendto(ring->fd, NULL, 0, 0, (const struct sockaddr *)addr, sizeof(*addr));
	return sent < 0 ? -errno : sent;
}
