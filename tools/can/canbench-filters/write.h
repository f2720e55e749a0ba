/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cost of a frame whose receivers are looked up among many filters: write() returns after
 * all receivers were called.
 */
#ifndef CANBENCH_FILTERS_WRITE_H
#define CANBENCH_FILTERS_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/*
 * write_shrink() - set the receive queue of @fd to the minimum size. It is then full after a
 * few frames, and each further frame has the same cost.
 */
void write_shrink(int fd);

/*
 * write_measure() - minimum cost of a frame with identifier @can_id in ns, of @frames frames.
 * Fills the receive queues first. False: interrupted by a signal.
 */
bool write_measure(const char *ifname, canid_t can_id, unsigned int frames, double *ns);

#endif
