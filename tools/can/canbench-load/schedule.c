// SPDX-License-Identifier: GPL-2.0-only
/* Times of frames on the bus; see schedule.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "schedule.h"
#include "wire.h"

#define NSEC_PER_SEC 1000000000ULL

#define IDS (CAN_SFF_MASK + 1)

_Bool schedule_by_id(unsigned int dlc)
{
	return dlc < NUMBER_BYTES;
}

struct can_frame schedule_frame(unsigned int dlc, uint64_t number)
{
	struct can_frame frame = { .can_id = SCHEDULE_ID, .len = dlc };

	if (schedule_by_id(dlc))
		frame.can_id = (SCHEDULE_ID + number) % IDS;
	for (unsigned int i = 0; i < dlc && i < NUMBER_BYTES; i++)
		frame.data[i] = number >> 8 * i;
	return frame;
}

/* If the distance is half of all identifiers or more, the frame precedes the expected one. */
static uint64_t number_by_id(canid_t id, uint64_t next)
{
	uint64_t ahead = (id + 2 * IDS - SCHEDULE_ID - next % IDS) % IDS;

	return ahead < IDS / 2 ? next + ahead : next + ahead - IDS;
}

uint64_t schedule_number(const struct can_frame *frame, uint64_t next)
{
	uint64_t number = 0;

	if (schedule_by_id(frame->len))
		return number_by_id(frame->can_id & CAN_SFF_MASK, next);
	for (unsigned int i = 0; i < NUMBER_BYTES; i++)
		number |= (uint64_t)frame->data[i] << 8 * i;
	return number;
}

static uint64_t bit_time(uint64_t bits, uint32_t bitrate)
{
	return (bits * NSEC_PER_SEC + bitrate / 2) / bitrate;
}

static unsigned int frame_bits(unsigned int dlc, uint64_t number)
{
	struct can_frame frame = schedule_frame(dlc, number);
	struct canfd_frame any = { 0 };

	memcpy(&any, &frame, sizeof(frame));
	return wire_bits(&any, CAN_MTU).nominal;
}

void schedule_make(struct schedule *schedule, const struct settings *set, uint64_t count)
{
	uint64_t due = 0, bits;

	memset(schedule, 0, sizeof(*schedule));
	schedule->start = calloc(count, sizeof(*schedule->start));
	schedule->end = calloc(count, sizeof(*schedule->end));
	errno = 0;
	if (!schedule->start || !schedule->end)
		cli_fail("no memory for a schedule");
	for (uint64_t i = 0; i < count; i++) {
		if (i && i % set->burst == 0)
			due += set->period;
		bits = frame_bits(set->dlc, i);
		schedule->start[i] = due > schedule->idle ? due : schedule->idle;
		schedule->end[i] = schedule->start[i] + bit_time(bits, set->bitrate);
		bits += WIRE_INTERMISSION;
		schedule->idle = schedule->start[i] + bit_time(bits, set->bitrate);
		schedule->bits += bits;
	}
	schedule->count = count;
}

void schedule_free(struct schedule *schedule)
{
	free(schedule->start);
	free(schedule->end);
	memset(schedule, 0, sizeof(*schedule));
}
