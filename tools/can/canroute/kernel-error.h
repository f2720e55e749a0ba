/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reason why the kernel rejected a request, with the names that the user wrote.
 */
#ifndef CANROUTE_KERNEL_ERROR_H
#define CANROUTE_KERNEL_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/netlink.h>

/**
 * struct kernel_error - an error reply
 * @cangw: set by the caller: name the parts of the rule by the options of cangw
 * @error: errno
 * @seq: sequence number of the request
 * @text: extack message or meaning of errno, and the part of the request in parentheses
 */
struct kernel_error {
	bool cangw;
	int error;
	uint32_t seq;
	char text[512];
};

/* kernel_error_read() - parse NLMSG_ERROR, or NLMSG_DONE with an error. */
void kernel_error_read(struct kernel_error *kerr, const struct nlmsghdr *nlh);

#endif
