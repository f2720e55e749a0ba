/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Busy polling of a socket: the kernel runs the NAPI poll of the driver in the context of
 * the reading task (Documentation/networking/napi.rst). Main thread. All functions except
 * for busy_napi_id() exit with a message on error.
 */
#ifndef CANUGW_BUSY_H
#define CANUGW_BUSY_H

#include "port.h"

/* busy_poll() - let read() poll for @us microseconds before it sleeps. */
void busy_poll(const struct port *port, int fd, unsigned int us);

/*
 * busy_prefer() - keep the interrupt masked while the task polls; process up to @budget
 * frames per poll.
 */
void busy_prefer(const struct port *port, int fd, unsigned int budget);

/*
 * busy_require_deferral() - exit unless the interface has the settings that busy_prefer()
 * requires.
 */
void busy_require_deferral(const struct port *port);

/* busy_napi_id() - NAPI instance that the socket polls, 0: none. */
unsigned int busy_napi_id(int fd);

#endif
