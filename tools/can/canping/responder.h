/* SPDX-License-Identifier: GPL-2.0-only */
/* The responder returns every ping with the identifier of its answer. */
#ifndef CANPING_RESPONDER_H
#define CANPING_RESPONDER_H

#include "settings.h"

/**
 * struct responder - state of the responder
 * @received: received pings
 * @answered: answered pings; fewer than @received only if a signal interrupted sending
 * @overrun: pings that did not fit into the receive queue of the socket
 */
struct responder {
	const struct settings *settings;
	int fd;
	uint64_t received, answered, overrun;
};

void responder_open(struct responder *resp, const struct settings *s);

/* responder_run() - run until settings.count answers were sent, or cli_stopped is set. */
void responder_run(struct responder *resp);

void responder_close(struct responder *resp);

#endif
