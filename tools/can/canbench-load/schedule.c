// SPDX-License-Identifier: GPL-2.0-only
/* Times of frames on the bus; see schedule.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "schedule.h"
#include "wire.h"

#define NSEC_PER_SEC 1000000000ULL

#define IDS (CAN_SFF_MASK + 1)

/* Frames with random content of which the mean length is computed */
#define SAMPLE 10000

_Bool schedule_by_id(unsigned int dlc)
{
	return dlc < NUMBER_LEAST_BYTES;
}

_Bool schedule_is_known(const struct settings *set)
{
	return !set->seed && !set->one;
}

struct can_frame schedule_frame(const struct settings *set, uint64_t number)
{
	struct can_frame frame = { .can_id = set->id, .len = set->dlc };

	if (schedule_by_id(set->dlc))
		frame.can_id = (set->id + number) % IDS;
	for (unsigned int i = 0; i < set->dlc && i < NUMBER_BYTES; i++)
		frame.data[i] = number >> 8 * i;
	return frame;
}

/*
 * @value: the number modulo @all. If the distance is half of @all or more, the frame precedes the
 * expected one.
 */
static uint64_t nearest_number(uint64_t value, uint64_t all, uint64_t next)
{
	uint64_t ahead = (value + all - next % all) % all;

	return ahead < all / 2 ? next + ahead : next + ahead - all;
}

uint64_t schedule_number(const struct settings *set, const struct can_frame *frame,
			 uint64_t next)
{
	uint64_t number = 0;

	if (schedule_by_id(frame->len)) {
		number = ((frame->can_id & CAN_SFF_MASK) + IDS - set->id) % IDS;
		return nearest_number(number, IDS, next);
	}
	for (unsigned int i = 0; i < NUMBER_BYTES && i < frame->len; i++)
		number |= (uint64_t)frame->data[i] << 8 * i;
	if (frame->len >= NUMBER_BYTES)
		return number;
	return nearest_number(number, 1ULL << 8 * frame->len, next);
}

static uint64_t bit_time(uint64_t bits, uint32_t bitrate)
{
	return (bits * NSEC_PER_SEC + bitrate / 2) / bitrate;
}

static unsigned int frame_bits(const struct can_frame *frame)
{
	struct canfd_frame any = { 0 };

	memcpy(&any, frame, sizeof(*frame));
	return wire_bits(&any, CAN_MTU).nominal;
}

/* Frame @i begins at @start. */
static void place(struct schedule *schedule, uint64_t i, uint64_t start,
		  const struct can_frame *frame, uint32_t bitrate)
{
	uint64_t bits = frame_bits(frame);

	schedule->start[i] = start;
	schedule->end[i] = start + bit_time(bits, bitrate);
	bits += WIRE_INTERMISSION;
	schedule->idle = start + bit_time(bits, bitrate);
	schedule->bits += bits;
}

void schedule_make(struct schedule *schedule, const struct settings *set, uint64_t count)
{
	struct can_frame frame;
	uint64_t due = 0;

	memset(schedule, 0, sizeof(*schedule));
	schedule->start = calloc(count, sizeof(*schedule->start));
	schedule->end = calloc(count, sizeof(*schedule->end));
	errno = 0;
	if (!schedule->start || !schedule->end)
		cli_fail("no memory for a schedule");
	schedule->count = count;
	for (uint64_t i = 0; i < count && schedule_is_known(set); i++) {
		if (i && i % set->burst == 0)
			due += set->period;
		frame = schedule_frame(set, i);
		place(schedule, i, due > schedule->idle ? due : schedule->idle, &frame,
		      set->bitrate);
	}
}

/* SplitMix64 */
uint64_t schedule_scatter(uint64_t seed)
{
	seed += 0x9e3779b97f4a7c15;
	seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9;
	seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
	return seed ^ seed >> 31;
}

uint64_t schedule_mean_time(const struct settings *set)
{
	uint64_t bits = 0, count = set->seed ? SAMPLE : set->count, chance;
	struct can_frame frame;

	for (uint64_t i = 0; i < count; i++) {
		chance = schedule_scatter(set->seed + i);
		frame = schedule_frame(set, i);
		if (set->id == SETTINGS_RANDOM_ID)
			frame.can_id = chance & CAN_SFF_MASK;
		if (set->seed && set->dlc > NUMBER_BYTES)
			memcpy(frame.data + NUMBER_BYTES, &chance, set->dlc - NUMBER_BYTES);
		bits += frame_bits(&frame) + WIRE_INTERMISSION;
	}
	return bit_time(bits, set->bitrate) / count;
}

_Bool schedule_record(struct schedule *schedule, const struct settings *set,
		      const struct bus_recorded *records, uint64_t n)
{
	const struct bus_recorded *first;
	struct can_frame frame;

	if (n < schedule->count)
		return false;
	first = records + n - schedule->count;
	schedule->bits = 0;
	for (uint64_t i = 0; i < schedule->count; i++) {
		frame = (struct can_frame){ .can_id = first[i].can_id, .len = first[i].dlc };
		memcpy(frame.data, first[i].data, sizeof(frame.data));
		if (schedule_number(set, &frame, i) != i)
			return false;
		place(schedule, i, first[i].start - first->start, &frame, set->bitrate);
	}
	return true;
}

void schedule_free(struct schedule *schedule)
{
	free(schedule->start);
	free(schedule->end);
	memset(schedule, 0, sizeof(*schedule));
}
