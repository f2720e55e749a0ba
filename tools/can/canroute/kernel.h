/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The connection to the kernel's netlink family can-gw. What is not expected to fail
 * ends the program with a message.
 */
#ifndef CANROUTE_KERNEL_H
#define CANROUTE_KERNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "message.h"
#include "kernel-error.h"

struct nl_sock;

/**
 * struct kernel - one socket
 * @seq: sequence number of the last request
 * @buffer: what was received last
 */
struct kernel {
	struct nl_sock *sock;
	int fd;
	int family;
	uint32_t seq;
	char *buffer;
};

/* What is done with a reply. */
typedef void (*kernel_reply_fn)(void *arg, const struct nlmsghdr *nlh);

/* kernel_open() - connect; ends the program if the kernel has no such family. */
void kernel_open(struct kernel *kernel);
void kernel_close(struct kernel *kernel);

/* kernel_join_group() - receive the news of the multicast group "rules". */
void kernel_join_group(struct kernel *kernel);

/* kernel_init_request() - begin a request, with a new sequence number. */
void kernel_init_request(struct kernel *kernel, struct messages *m, uint8_t command,
			 uint16_t flags);

void kernel_send(struct kernel *kernel, const void *data, size_t len);

/*
 * kernel_receive() - into @buffer; how much, or a negative errno: EAGAIN if nothing is
 * there and @flags have MSG_DONTWAIT, EINTR, ENOBUFS.
 */
ssize_t kernel_receive(struct kernel *kernel, int flags);

/*
 * kernel_request() - send @request, which is one and has NLM_F_ACK, and give @reply what
 * comes back. False if the kernel refuses it.
 */
bool kernel_request(struct kernel *kernel, const struct messages *request, kernel_reply_fn reply,
		    void *arg, struct kernel_error *kerr);

/* How a dump ended. */
enum dump {
	DUMP_COMPLETE,
	DUMP_CHANGED,	/* meanwhile; rules may be missing, or there twice */
	DUMP_FAILED,
};

/* kernel_dump() - send @request, which has NLM_F_DUMP, and keep the replies in @replies. */
enum dump kernel_dump(struct kernel *kernel, const struct messages *request,
		      struct messages *replies, struct kernel_error *kerr);

#endif
