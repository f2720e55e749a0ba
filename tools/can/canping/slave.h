/* SPDX-License-Identifier: GPL-2.0-only */
/* The slave: sends back every ping, under the identifier of its answer. */
#ifndef CANPING_SLAVE_H
#define CANPING_SLAVE_H

#include "settings.h"

/**
 * struct slave
 * @received: pings
 * @answered: of them; less than @received only if a signal came while waiting to send
 * @overrun: pings that did not fit into the socket's receive queue
 */
struct slave {
	const struct settings *settings;
	int fd;
	uint64_t received, answered, overrun;
};

void slave_open(struct slave *sl, const struct settings *s);

/* slave_run() - until settings.count answers are sent, or cli_stopped. */
void slave_run(struct slave *sl);

void slave_close(struct slave *sl);

#endif
