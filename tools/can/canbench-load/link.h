/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interfaces, over netlink. Main thread only. Whatever cannot be done ends the
 * program with CLI_SYSTEM and a message.
 */
#ifndef CANBENCH_LOAD_LINK_H
#define CANBENCH_LOAD_LINK_H

#include <stdint.h>

/* link_up() - bring a CAN interface up at @bitrate. */
void link_up(const char *name, uint32_t bitrate);

/* link_queue() - give its transmit queue room for @frames. */
void link_queue(const char *name, unsigned int frames);

/* What an interface counts, see struct rtnl_link_stats64. */
struct link_stats {
	uint64_t rx_packets, rx_errors, rx_dropped, rx_over_errors;
	uint64_t tx_packets, tx_errors, tx_dropped;
};

void link_stats(const char *name, struct link_stats *stats);

/*
 * link_backlog_dropped() - packets of all interfaces that found the queue full in
 * which netif_rx() puts them.
 */
uint64_t link_backlog_dropped(void);

#endif
