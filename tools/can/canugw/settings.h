/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings from the command line; only main.c writes them. */
#ifndef CANUGW_SETTINGS_H
#define CANUGW_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct settings - the options, see canugw.1
 * @count: stop after this number of forwarded frames in both directions; 0: no limit
 * @idle: stop after this time without a frame, in ns; 0: no limit
 * @batch: frames per recvmmsg(), sendmmsg() and chain of io_uring requests
 * @queue: size of the receive queue in frames
 * @busy_poll: time that the kernel polls before it blocks, in us
 * @busy_budget: maximum number of frames per NAPI poll
 * @mark: SO_MARK of sent frames, if a mark is necessary; 0: random
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
