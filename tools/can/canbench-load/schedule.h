/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * When the frames of a run were on the bus, computed from their bits. A generator
 * alone on its bus sends at times that are certain to the nanosecond, so the
 * times of all frames follow from the time of one. Pure functions, any thread.
 */
#ifndef CANBENCH_LOAD_SCHEDULE_H
#define CANBENCH_LOAD_SCHEDULE_H

#include <stdint.h>

#include <linux/can.h>

#include "settings.h"

/* Identifier of all frames, or of the first, where the others follow. */
#define SCHEDULE_ID 0x123

/**
 * struct schedule - frames of a run, by their number
 * @start: of the first bit, ns since the begin of the run
 * @end: of the last bit of end of frame
 * @count: frames; @bits: of all of them, with intermission
 * @idle: when the next frame could begin
 */
struct schedule {
	uint64_t *start, *end;
	uint64_t count, bits, idle;
};

/* schedule_by_id() - the number of a frame does not fit into its data, but is in its identifier. */
_Bool schedule_by_id(unsigned int dlc);

/* schedule_frame() - frame @number of a run, as a generator makes it. */
struct can_frame schedule_frame(unsigned int dlc, uint64_t number);

/* schedule_number() - of a frame; @next: the one that is expected, for numbers that come again. */
uint64_t schedule_number(const struct can_frame *frame, uint64_t next);

/* schedule_make() - of @count frames; exits with CLI_SYSTEM without memory. */
void schedule_make(struct schedule *schedule, const struct settings *set, uint64_t count);
void schedule_free(struct schedule *schedule);

#endif
