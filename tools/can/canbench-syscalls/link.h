/* SPDX-License-Identifier: GPL-2.0-only */
/* What the kernel says of the interface, over netlink (libnl-route). One thread. */
#ifndef CANBENCH_LINK_H
#define CANBENCH_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* link_sent() - frames that it sent since it exists. */
uint64_t link_sent(int ifindex);

/*
 * link_echoes() - its driver passes what is sent to local receivers (IFF_ECHO);
 * that of vcan does with echo=1.
 */
bool link_echoes(int ifindex);

#endif
