/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time stamps of received frames: which clock they are taken with, and whether
 * two of them may be compared. Called by the one thread that there is.
 */
#ifndef CANLAT_STAMP_H
#define CANLAT_STAMP_H

#include <stdint.h>

#include "rawsock.h"

/*
 * The kernel takes its time stamps with one clock for all interfaces. Each adapter
 * has a clock of its own, and what two such clocks say has no common beginning.
 */
enum stamp_clock {
	STAMP_AUTO,	/* as a wish: of hardware if both interfaces belong to one adapter */
	STAMP_KERNEL,
	STAMP_HARDWARE,
};

/* Their names, for people and for JSON; ends with NULL. */
extern const char * const stamp_clocks[];

/*
 * stamp_choose() - the clock for both of these interfaces, by @wish; @fd is any
 * socket. Exits with CLI_USAGE if hardware is wished for and one of them has no
 * time stamps of hardware.
 */
enum stamp_clock stamp_choose(enum stamp_clock wish, int fd, const char *bus, const char *rx);

/* stamp_enable() - let @fd receive time stamps of @clock and no others. */
void stamp_enable(int fd, enum stamp_clock clock);

/* stamp_of() - time stamp of a frame, 0 if it has none of this @clock. */
uint64_t stamp_of(const struct rawsock_frame *f, enum stamp_clock clock);

/**
 * struct stamp_epoch - how far the kernel's clock is ahead of CLOCK_MONOTONIC
 * @offset: ns, and @width how far this may be off
 */
struct stamp_epoch {
	int64_t offset;
	int64_t width;
};

/* stamp_epoch() - now. */
struct stamp_epoch stamp_epoch(void);

/* stamp_stepped() - by how many ns the clock was set between the two; 0 if it was not. */
int64_t stamp_stepped(struct stamp_epoch from, struct stamp_epoch to);

#endif
