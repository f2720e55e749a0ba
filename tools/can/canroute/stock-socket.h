/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests to the gateway over rtnetlink, by one socket for the whole program. Unexpected
 * errors end the program with a message.
 */
#ifndef CANROUTE_STOCK_SOCKET_H
#define CANROUTE_STOCK_SOCKET_H

#include "fetch.h"

struct nl_msg;

/* stock_require() - end the program if the module can-gw is not loaded. */
void stock_require(void);

/* stock_request() - send @msg, free it, and wait for the reply. Returns 0 or an errno. */
int stock_request(struct nl_msg *msg);

/* stock_request_delete() - remove the rule in @nlh, a message of a dump. Returns 0 or an errno. */
int stock_request_delete(const struct nlmsghdr *nlh);

/* stock_dump() - read all rules, for fetched_rule() and fetched_free(). */
void stock_dump(struct fetched *fetched);

/* stock_error_text() - the meaning of the errno with which the kernel rejected a request. */
const char *stock_error_text(int error);

#endif
