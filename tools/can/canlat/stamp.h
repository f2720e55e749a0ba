/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timestamps of received frames: selection of the clock, and detection of clock steps.
 */
#ifndef CANLAT_STAMP_H
#define CANLAT_STAMP_H

#include <stdint.h>

#include "rawsock.h"

/*
 * Kernel timestamps are taken with the same clock for all interfaces. Each adapter has its
 * own clock, so hardware timestamps of two adapters cannot be compared.
 */
enum stamp_clock {
	STAMP_AUTO,	/* hardware if both interfaces belong to one adapter, else kernel */
	STAMP_KERNEL,
	STAMP_HARDWARE,
};

/* Names on the command line and in the output; ends with NULL. */
extern const char * const stamp_clocks[];

/*
 * stamp_choose() - select the clock for two interfaces; @wish is the requested one, @fd any
 * socket. Exits with CLI_USAGE if hardware is requested, but an interface does not support
 * hardware timestamps.
 */
enum stamp_clock stamp_choose(enum stamp_clock wish, int fd, const char *bus, const char *rx);

/* stamp_enable() - enable only timestamps of @clock on @fd. */
void stamp_enable(int fd, enum stamp_clock clock);

/* stamp_of() - timestamp of a frame, 0 if it has none of this @clock. */
uint64_t stamp_of(const struct rawsock_frame *f, enum stamp_clock clock);

/**
 * struct stamp_epoch - difference between CLOCK_REALTIME and CLOCK_MONOTONIC
 * @offset: difference in ns; @width: its uncertainty
 */
struct stamp_epoch {
	int64_t offset;
	int64_t width;
};

/* stamp_epoch() - measure the difference. */
struct stamp_epoch stamp_epoch(void);

/* stamp_stepped() - change of CLOCK_REALTIME between two measurements in ns; 0: none. */
int64_t stamp_stepped(struct stamp_epoch from, struct stamp_epoch to);

#endif
