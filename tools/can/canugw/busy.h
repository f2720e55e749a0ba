/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Busy polling of a socket: the kernel runs the driver's poll function on behalf of
 * the reader (Documentation/networking/napi.rst). Main thread. All but
 * busy_napi_id() exit with a message when the system refuses.
 */
#ifndef CANUGW_BUSY_H
#define CANUGW_BUSY_H

#include "port.h"

/* busy_poll() - a read that finds nothing polls for @us microseconds before it sleeps. */
void busy_poll(const struct port *port, int fd, unsigned int us);

/*
 * busy_prefer() - this reader will keep polling: leave the interrupt masked; take up to
 * @budget frames at once.
 */
void busy_prefer(const struct port *port, int fd, unsigned int budget);

/*
 * busy_require_deferral() - without these settings of the interface, busy_prefer() has no
 * effect.
 */
void busy_require_deferral(const struct port *port);

/* busy_napi_id() - the NAPI instance that the socket polls; 0: none. */
unsigned int busy_napi_id(int fd);

#endif
