/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copying of frames without drivers, by the module cansim-bare. Main thread only. Errors of
 * bare_start() and bare_copied() end the program with CLI_SYSTEM and a message.
 */
#ifndef CANBENCH_LOAD_BARE_H
#define CANBENCH_LOAD_BARE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * bare_start() - take both interfaces down, and copy the frames of @from to @to, with @both also
 * those of @to to @from. Both have been up, and so have a bit rate.
 */
void bare_start(const char *from, const char *to, bool both);

/* bare_copied() - number of copied frames. */
uint64_t bare_copied(void);

/* bare_stop() - end it; may be called at any time and repeatedly. */
void bare_stop(void);

#endif
