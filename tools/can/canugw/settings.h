/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command line asks for; main.c fills it in, the rest only reads it. */
#ifndef CANUGW_SETTINGS_H
#define CANUGW_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct settings - the options, as in the manual
 * @count: stop after so many forwarded frames, both directions together; 0: do not
 * @idle: stop after so many ns without a frame; 0: do not
 * @batch: frames per recvmmsg(), sendmmsg() and chain of io_uring requests
 * @queue: frames that wait for the gateway before they are lost
 * @busy_poll: time that the kernel polls before it blocks, in us
 * @busy_budget: frames that the kernel takes from the driver in one turn of polling
 * @mark: SO_MARK of the frames that the gateway sends, if it needs one; 0: choose
 */
struct settings {
	const struct variant *variant;
	const char *in;
	const char *out;
	bool both;
	uint64_t count;
	uint64_t idle;
	unsigned int batch;
	unsigned int queue;
	unsigned int busy_poll;
	unsigned int busy_budget;
	unsigned int priority;
	uint32_t mark;
	bool lock_memory;
	bool json;
	const char *label;
	const char *load;
};

#endif
