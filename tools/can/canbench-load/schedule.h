/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The times of all frames of a run on the bus. A generator that is alone on its bus sends at
 * times that are known to the nanosecond, so the time of one frame determines the times of
 * all. If something is random, or frames wait for others, they are taken from the records of
 * the bus. Pure functions, any thread.
 */
#ifndef CANBENCH_LOAD_SCHEDULE_H
#define CANBENCH_LOAD_SCHEDULE_H

#include <stdint.h>

#include <linux/can.h>

#include "busattr.h"
#include "settings.h"

/* The identifier without --id */
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

/* schedule_is_known() - the times follow from the settings. */
_Bool schedule_is_known(const struct settings *set);

/* schedule_frame() - frame @number of a run, as the generator sends it if nothing is random. */
struct can_frame schedule_frame(const struct settings *set, uint64_t number);

/*
 * schedule_number() - number of a frame with the settings @set; @next: expected number, because
 * numbers repeat in identifiers and in two or three bytes.
 */
uint64_t schedule_number(const struct settings *set, const struct can_frame *frame,
			 uint64_t next);

/*
 * schedule_make() - compute the times of @count frames; exits with CLI_SYSTEM without memory. If the
 * times are not known, only the memory is prepared.
 */
void schedule_make(struct schedule *schedule, const struct settings *set, uint64_t count);

/*
 * schedule_mean_time() - mean time from the begin of a frame to that of the next one on a full bus, ns.
 * With a seed, some random frames stand for all.
 */
uint64_t schedule_mean_time(const struct settings *set);

/* schedule_scatter() - a number of which all bits depend on @seed. */
uint64_t schedule_scatter(uint64_t seed);

/*
 * schedule_record() - take the times from @n records of the bus, of which the last schedule.count
 * are those of the run. Returns false if these are not all frames of the run in the order of their
 * numbers.
 */
_Bool schedule_record(struct schedule *schedule, const struct settings *set,
		      const struct bus_recorded *records, uint64_t n);
void schedule_free(struct schedule *schedule);

#endif
