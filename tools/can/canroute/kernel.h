/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Connection to the kernel's netlink family can-gw. Unexpected errors end the program with a
 * message.
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
 * struct kernel - a netlink socket
 * @seq: sequence number of the last request
 * @buffer: the last received messages
 */
struct kernel {
	struct nl_sock *sock;
	int fd;
	int family;
	uint32_t seq;
	char *buffer;
};

/* Called for each reply. */
typedef void (*kernel_reply_fn)(void *arg, const struct nlmsghdr *nlh);

/* kernel_open() - connect; ends the program if the kernel does not have the family. */
void kernel_open(struct kernel *kernel);
void kernel_close(struct kernel *kernel);

/* kernel_join_group() - receive the notifications of the multicast group "rules". */
void kernel_join_group(struct kernel *kernel);

/* kernel_init_request() - append a request with a new sequence number. */
void kernel_init_request(struct kernel *kernel, struct messages *m, uint8_t command,
			 uint16_t flags);

void kernel_send(struct kernel *kernel, const void *data, size_t len);

/*
 * kernel_receive() - receive into @buffer. Returns the length, or a negative errno: EAGAIN
 * with MSG_DONTWAIT in @flags, EINTR, or ENOBUFS after the receive queue overflowed.
 */
ssize_t kernel_receive(struct kernel *kernel, int flags);

/*
 * kernel_request() - send @request, a single message with NLM_F_ACK, and pass its replies to
 * @reply. False: the kernel rejected it, and @kerr is set.
 */
bool kernel_request(struct kernel *kernel, const struct messages *request, kernel_reply_fn reply,
		    void *arg, struct kernel_error *kerr);

/* How a dump ended. */
enum dump {
	DUMP_COMPLETE,
	DUMP_CHANGED,	/* rules changed during the dump: some may be missing or duplicated */
	DUMP_FAILED,
};

/* kernel_dump() - send @request, which has NLM_F_DUMP, and append the replies to @replies. */
enum dump kernel_dump(struct kernel *kernel, const struct messages *request,
		      struct messages *replies, struct kernel_error *kerr);

#endif
