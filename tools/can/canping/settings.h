/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings from the command line; main() writes them before the measurement. */
#ifndef CANPING_SETTINGS_H
#define CANPING_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/**
 * struct settings - settings of both modes, unless noted otherwise
 * @id: identifier of the first ping, with CAN_EFF_FLAG for an extended one
 * @offset: identifier of an answer minus that of its ping
 * @parallel: number of identifiers
 * @length: bytes of data (requester)
 * @fd: CAN FD frames; @brs: at the data bit rate (requester)
 * @count: requester: pings per identifier; responder: answers; 0: until a signal
 * @period: from one ping of an identifier to the next one, in ns; 0: flood (requester)
 * @timeout: an answer after this time, in ns, is late (requester)
 */
struct settings {
	const char *ifname;
	bool responder;
	canid_t id;
	uint32_t offset;
	unsigned int parallel;
	unsigned int length;
	bool fd, brs;
	uint32_t count;
	uint64_t period;
	uint64_t timeout;
	unsigned int priority;
	bool lock_memory;
	bool histogram;
	bool each;
	bool json;
	const char *label;
	const char *load;
};

#endif
