/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command line asked for; written by main() only, before anything is measured. */
#ifndef CANPING_SETTINGS_H
#define CANPING_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/**
 * struct settings - of either mode, unless it says otherwise
 * @id: identifier of the first ping, with CAN_EFF_FLAG for an extended one
 * @offset: what an answer's identifier is above that of its ping
 * @parallel: number of identifiers: of pings in flight (requester), to answer (responder)
 * @length: bytes of data (requester)
 * @fd: CAN FD frames, with @brs at the data bit rate (requester)
 * @count: requester: pings of each identifier; responder: answers; 0: until a signal
 * @period: from one ping of an identifier to its next one, in ns; 0: flood (requester)
 * @timeout: ns, after which an answer is late (requester)
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
