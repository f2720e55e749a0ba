/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times of all frames of a run on the bus, computed from their bits. A generator that
 * is alone on its bus sends at times that are known to the nanosecond, so the time of one
 * frame determines the times of all. Pure functions, any thread.
 */
#ifndef CANBENCH_LOAD_SCHEDULE_H
#define CANBENCH_LOAD_SCHEDULE_H

#include <stdint.h>

#include <linux/can.h>

#include "settings.h"

/* Identifier of all frames, or of the first frame if identifiers count up */
#define SCHEDULE_ID 0x123

/**
 * struct schedule - times of the frames of a run, indexed by their number
 * @start: begin of the first bit, ns since the begin of the run
 * @end: end of the last bit of EOF
 * @count: number of frames; @bits: of all frames, with intermission
 * @idle: time at which the next frame could begin
 */
struct schedule {
	uint64_t *start, *end;
	uint64_t count, bits, idle;
};

/* schedule_by_id() - the number of a frame is in its identifier, not in its data. */
_Bool schedule_by_id(unsigned int dlc);

/* schedule_frame() - frame @number of a run, as the generator sends it. */
struct can_frame schedule_frame(unsigned int dlc, uint64_t number);

/* schedule_number() - number of a frame; @next: expected number, because identifiers repeat. */
uint64_t schedule_number(const struct can_frame *frame, uint64_t next);

/* schedule_make() - compute the times of @count frames; exits with CLI_SYSTEM without memory. */
void schedule_make(struct schedule *schedule, const struct settings *set, uint64_t count);
void schedule_free(struct schedule *schedule);

#endif
