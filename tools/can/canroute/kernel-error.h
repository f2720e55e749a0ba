/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why the kernel refused a request, in the words of who made it.
 */
#ifndef CANROUTE_KERNEL_ERROR_H
#define CANROUTE_KERNEL_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/netlink.h>

/**
 * struct kernel_error - an answer that says no
 * @cangw: to be set before: the rule was written with the options of cangw, and its
 *	parts are to be named by them
 * @error: errno
 * @seq: of the request
 * @text: the kernel's sentence, and which part of the request it is about
 */
struct kernel_error {
	bool cangw;
	int error;
	uint32_t seq;
	char text[512];
};

/* kernel_error_read() - read NLMSG_ERROR or NLMSG_DONE with an error. */
void kernel_error_read(struct kernel_error *kerr, const struct nlmsghdr *nlh);

#endif
