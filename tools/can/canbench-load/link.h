/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interfaces, by netlink. Main thread only. All errors end the program with CLI_SYSTEM
 * and a message.
 */
#ifndef CANBENCH_LOAD_LINK_H
#define CANBENCH_LOAD_LINK_H

#include <stdint.h>

/* link_up() - bring a CAN interface up at @bitrate. */
void link_up(const char *name, uint32_t bitrate);

/* link_down() - take an interface down. */
void link_down(const char *name);

/* link_rename() - give the interface of a simulated controller another name; it is down. */
void link_rename(const char *name, const char *to);

/* link_make_virtual() - make an interface of the type vcan, and bring it up. */
void link_make_virtual(const char *name);

/* link_make_pair() - make two interfaces of the type vxcan, and bring them up. */
void link_make_pair(const char *name, const char *peer);

/* link_remove() - remove an interface, and its peer; no error if there is none. */
void link_remove(const char *name);

/* link_queue() - set the transmit queue length. */
void link_queue(const char *name, unsigned int frames);

/* Counters of an interface, see struct rtnl_link_stats64 */
struct link_stats {
	uint64_t rx_packets, rx_errors, rx_dropped, rx_over_errors;
	uint64_t tx_packets, tx_errors, tx_dropped;
};

void link_stats(const char *name, struct link_stats *stats);

/*
 * link_backlog_dropped() - packets of all interfaces that were dropped because the queue of
 * netif_rx() was full.
 */
uint64_t link_backlog_dropped(void);

#endif
