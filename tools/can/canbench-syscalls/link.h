/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters and flags of the interface, by netlink (libnl-route). One thread. */
#ifndef CANBENCH_LINK_H
#define CANBENCH_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* link_sent() - number of frames that the interface has sent. */
uint64_t link_sent(int ifindex);

/*
 * link_echoes() - the driver loops sent frames back to local receivers (IFF_ECHO); vcan does
 * so with echo=1.
 */
bool link_echoes(int ifindex);

#endif
