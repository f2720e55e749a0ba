/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The status that "systemctl status" shows for a service; see sd_notify(3).
 */
#ifndef CANROUTE_NOTIFY_H
#define CANROUTE_NOTIFY_H

/* notify_status() - set the status, if a service manager started the program. */
void notify_status(const char *text);

#endif
