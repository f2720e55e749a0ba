/* SPDX-License-Identifier: GPL-2.0-only */
/* The responder: sends back every ping, under the identifier of its answer. */
#ifndef CANPING_RESPONDER_H
#define CANPING_RESPONDER_H

#include "settings.h"

/**
 * struct responder
 * @received: pings
 * @answered: of them; less than @received only if a signal came while waiting to send
 * @overrun: pings that did not fit into the socket's receive queue
 */
struct responder {
	const struct settings *settings;
	int fd;
	uint64_t received, answered, overrun;
};

void responder_open(struct responder *resp, const struct settings *s);

/* responder_run() - until settings.count answers are sent, or cli_stopped. */
void responder_run(struct responder *resp);

void responder_close(struct responder *resp);

#endif
