// SPDX-License-Identifier: GPL-2.0-only
/*
 * Connection to the kernel's netlink family can-gw.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include <linux/can/gw_netlink.h>

#include "cli.h"
#include "kernel.h"

/* Larger than a message of a dump, and than an error reply with the largest rule */
#define BUFFER_SIZE (64 * 1024)

/*
 * Large enough for the errors of many rejected rules, and for the notifications that arrive
 * while the monitor prints.
 */
#define RECEIVE_QUEUE (8 * 1024 * 1024)

static void set_netlink_option(struct kernel *kernel, int option)
{
	int on = 1;

	/* Old kernels do not have all options; their error replies have less detail. */
	setsockopt(kernel->fd, SOL_NETLINK, option, &on, sizeof(on));
}

static void enlarge_queue(struct kernel *kernel)
{
	int size = RECEIVE_QUEUE;

	if (setsockopt(kernel->fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(kernel->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
}

void kernel_open(struct kernel *kernel)
{
	int error;

	kernel->sock = nl_socket_alloc();
	kernel->buffer = malloc(BUFFER_SIZE);
	if (!kernel->sock || !kernel->buffer)
		cli_fail("no memory for a netlink socket");
	error = genl_connect(kernel->sock);
	if (error) {
		errno = 0;
		cli_fail("opening a netlink socket: %s", nl_geterror(error));
	}
	kernel->fd = nl_socket_get_fd(kernel->sock);
	kernel->family = genl_ctrl_resolve(kernel->sock, CAN_GW_FAMILY_NAME);
	if (kernel->family < 0) {
		errno = 0;
		cli_fail("netlink family '%s' not found: the module can-gw is not loaded, or supports only cangw",
			 CAN_GW_FAMILY_NAME);
	}
	kernel->seq = 0;
	set_netlink_option(kernel, NETLINK_EXT_ACK);
	set_netlink_option(kernel, NETLINK_GET_STRICT_CHK);
	enlarge_queue(kernel);
}

void kernel_close(struct kernel *kernel)
{
	nl_socket_free(kernel->sock);
	free(kernel->buffer);
}

void kernel_join_group(struct kernel *kernel)
{
	int group = genl_ctrl_resolve_grp(kernel->sock, CAN_GW_FAMILY_NAME, CAN_GW_MCGRP_RULES);
	int error = group < 0 ? group : nl_socket_add_membership(kernel->sock, group);

	errno = 0;
	if (error < 0)
		cli_fail("joining the multicast group '%s': %s", CAN_GW_MCGRP_RULES,
			 nl_geterror(error));
}

void kernel_init_request(struct kernel *kernel, struct messages *m, uint8_t command,
			 uint16_t flags)
{
	message_begin(m, kernel->family, command, flags, ++kernel->seq);
}

void kernel_send(struct kernel *kernel, const void *data, size_t len)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK };
	ssize_t sent;

	do {
		sent = sendto(kernel->fd, data, len, 0, (struct sockaddr *)&to, sizeof(to));
	} while (sent < 0 && errno == EINTR);
	if (sent < 0)
		cli_fail("sending a netlink message");
}

ssize_t kernel_receive(struct kernel *kernel, int flags)
{
	ssize_t len = recv(kernel->fd, kernel->buffer, BUFFER_SIZE, flags | MSG_TRUNC);

	if (len < 0 && errno != EAGAIN && errno != EINTR && errno != ENOBUFS)
		cli_fail("receiving a netlink message");
	if (len < 0)
		return -errno;
	errno = 0;
	if (len > BUFFER_SIZE)
		cli_fail("netlink message of %zd bytes exceeds the receive buffer", len);
	return len;
}

/* The reply to the last request must arrive; this socket receives nothing else. */
static ssize_t receive_reply(struct kernel *kernel)
{
	ssize_t len;

	do {
		len = kernel_receive(kernel, 0);
	} while (len == -EINTR);
	errno = 0;
	if (len < 0)
		cli_fail("netlink reply lost: receive queue full");
	return len;
}

bool kernel_request(struct kernel *kernel, const struct messages *request, kernel_reply_fn reply,
		    void *arg, struct kernel_error *kerr)
{
	kernel_send(kernel, request->data, request->len);
	for (;;) {
		int len = receive_reply(kernel);

		for (struct nlmsghdr *nlh = (struct nlmsghdr *)kernel->buffer;
		     NLMSG_OK(nlh, (unsigned int)len); nlh = NLMSG_NEXT(nlh, len)) {
			const struct nlmsgerr *err = NLMSG_DATA(nlh);

			if (nlh->nlmsg_seq != kernel->seq)
				continue;
			if (nlh->nlmsg_type != NLMSG_ERROR) {
				reply(arg, nlh);
				continue;
			}
			if (err->error)
				kernel_error_read(kerr, nlh);
			return !err->error;
		}
	}
}

enum dump kernel_dump(struct kernel *kernel, const struct messages *request,
		      struct messages *replies, struct kernel_error *kerr)
{
	enum dump dump = DUMP_COMPLETE;

	kernel_send(kernel, request->data, request->len);
	for (;;) {
		int len = receive_reply(kernel);

		for (struct nlmsghdr *nlh = (struct nlmsghdr *)kernel->buffer;
		     NLMSG_OK(nlh, (unsigned int)len); nlh = NLMSG_NEXT(nlh, len)) {
			const int *error = NLMSG_DATA(nlh);

			if (nlh->nlmsg_seq != kernel->seq)
				continue;
			if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
				dump = DUMP_CHANGED;
			if (nlh->nlmsg_type != NLMSG_ERROR && nlh->nlmsg_type != NLMSG_DONE) {
				message_append(replies, nlh);
				continue;
			}
			/* Both begin with an int: 0, or a negative errno. */
			if (!*error)
				return dump;
			kernel_error_read(kerr, nlh);
			return DUMP_FAILED;
		}
	}
}
