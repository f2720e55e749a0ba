/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a frame costs whose receivers are looked for among many filters: write() on the
 * interface, which calls all of them before it returns.
 */
#ifndef CANBENCH_FILTERS_WRITE_H
#define CANBENCH_FILTERS_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/*
 * write_shrink() - let the receive queue of @fd hold as little as the kernel allows. Then
 * it is full after a few frames, and from then on each frame costs the same.
 */
void write_shrink(int fd);

/*
 * write_measure() - the least cost of one frame with the identifier @can_id, in ns, of
 * @frames that are written one by one; the receive queues are filled before. False: cut
 * short by a signal.
 */
bool write_measure(const char *ifname, canid_t can_id, unsigned int frames, double *ns);

#endif
