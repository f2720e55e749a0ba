/* SPDX-License-Identifier: GPL-2.0-only */
/* What was asked for on the command line of canbench-load. */
#ifndef CANBENCH_LOAD_SETTINGS_H
#define CANBENCH_LOAD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "noise.h"

/* Below this length the number of a frame does not fit into its data. */
#define NUMBER_BYTES 4

/**
 * struct settings - one situation
 * @chip: controller under test, KIND[:ATTRIBUTE=VALUE...]
 * @gateway: controller that sends on the second bus, or NULL: no gateway, a reader
 * @burst: frames back to back; @period: from one burst to the next, 0: no pause
 * @count: frames that are measured
 * @priority: of the reader
 * @stamp: have the kernel's time stamps as well
 * @search: look for the highest rate without a loss
 */
struct settings {
	const char *chip, *gateway, *label;
	enum noise_kind noise;
	uint32_t bitrate;
	uint64_t burst, period, count;
	unsigned int dlc, priority;
	bool stamp, search, json;
};

#endif
