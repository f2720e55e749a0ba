/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/* Counting received frames of a network namespace, for /proc/net/can/stats */
#ifndef _NET_CAN_RX_STATS_H
#define _NET_CAN_RX_STATS_H

#include <linux/atomic.h>

#include "af_can.h"

/* Context: any. */
static inline void can_count_received(struct can_pkg_stats *stats)
{
	atomic_long_inc(&stats->rx_frames);
	atomic_long_inc(&stats->rx_frames_delta);
}

/* For a frame that anybody wanted. Context: any. */
static inline void can_count_matched(struct can_pkg_stats *stats)
{
	atomic_long_inc(&stats->matches);
	atomic_long_inc(&stats->matches_delta);
}

#endif /* !_NET_CAN_RX_STATS_H */
