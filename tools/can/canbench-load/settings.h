/* SPDX-License-Identifier: GPL-2.0-only */
/* What was asked for on the command line of canbench-load. */
#ifndef CANBENCH_LOAD_SETTINGS_H
#define CANBENCH_LOAD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "background.h"

/* Below this length the number of a frame does not fit into its data. */
#define NUMBER_BYTES 4

/**
 * struct settings - one situation
 * @chip: controller under test, KIND[:ATTRIBUTE=VALUE...]
 * @gateway: controller that sends on the second bus, or NULL: no gateway, a reader
 * @queue: transmit queue of the second controller, in frames; 0: as it is
 * @burst: frames back to back; @period: from one burst to the next, 0: no pause
 * @count: frames that are measured
 * @priority: of the reader
 * @napi_priority: of the threads of the interfaces' NAPI; 0: it is a softirq
 * @irq_priority: of the threads of their interrupts; 0: as it is
 * @busy_poll: how long read() polls the driver before it sleeps, us; 0: not at all
 * @flush_timeout: receive interrupts may be deferred for so long, ns; 0: they are not
 * @stamp: have the kernel's time stamps as well
 * @search: look for the highest rate without a loss
 */
struct settings {
	const char *chip, *gateway, *label;
	enum background_kind background;
	uint32_t bitrate;
	uint64_t burst, period, count, busy_poll, flush_timeout;
	unsigned int dlc, priority, napi_priority, irq_priority, queue;
	bool stamp, search, json;
};

#endif
