/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why the kernel refused a request, in the words of who made it.
 */
#ifndef CANROUTE_REFUSAL_H
#define CANROUTE_REFUSAL_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/netlink.h>

/**
 * struct refusal - an answer that says no
 * @cangw: to be set before: the rule was written with the options of cangw, and its
 *	parts are to be named by them
 * @error: errno
 * @seq: of the request
 * @text: the kernel's sentence, and which part of the request it is about
 */
struct refusal {
	bool cangw;
	int error;
	uint32_t seq;
	char text[512];
};

/* refusal_read() - read NLMSG_ERROR or NLMSG_DONE with an error. */
void refusal_read(struct refusal *refusal, const struct nlmsghdr *nlh);

#endif
