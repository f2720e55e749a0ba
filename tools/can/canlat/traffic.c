// SPDX-License-Identifier: GPL-2.0-only
/*
 * The traffic generator: pure functions; see traffic.h.
 */
#include <string.h>

#include "traffic.h"
#include "wire.h"

const char * const traffic_patterns[] = {
	[TRAFFIC_ONE] = "one",
	[TRAFFIC_PERIODIC] = "periodic",
	[TRAFFIC_HALF] = "half",
	[TRAFFIC_FLOOD] = "flood",
	NULL
};

const char * const traffic_kinds[] = {
	[TRAFFIC_SFF] = "sff",
	[TRAFFIC_EFF] = "eff",
	[TRAFFIC_FD] = "fd",
	NULL
};

static bool length_valid(enum traffic_kind kind, unsigned int len)
{
	if (len < TRAFFIC_NUMBER_LEN)
		return false;
	if (len <= CAN_MAX_DLEN)
		return true;
	if (kind != TRAFFIC_FD || len > CANFD_MAX_DLEN)
		return false;
	return len <= 24 ? len % 4 == 0 : len % 16 == 0;
}

bool traffic_lengths(struct traffic *t, unsigned int min, unsigned int max)
{
	unsigned int len;

	if (min > max || !length_valid(t->kind, min) || !length_valid(t->kind, max))
		return false;
	t->lengths_count = 0;
	for (len = min; len <= max; len++)
		if (length_valid(t->kind, len))
			t->lengths[t->lengths_count++] = len;
	return true;
}

unsigned int traffic_frame(const struct traffic *t, uint64_t seq, struct canfd_frame *frame)
{
	uint64_t ids = t->last_id - t->first_id + 1;

	memset(frame, 0, sizeof(*frame));
	frame->can_id = t->first_id + seq % ids;
	frame->len = t->lengths[seq / ids % t->lengths_count];
	memset(frame->data, t->fill, frame->len);
	frame->data[0] = seq >> 8;
	frame->data[1] = seq;
	if (t->kind != TRAFFIC_FD)
		return CAN_MTU;
	frame->flags = CANFD_FDF | (t->brs ? CANFD_BRS : 0);
	return CANFD_MTU;
}

bool traffic_number(const struct canfd_frame *frame, uint16_t *number)
{
	if (frame->can_id & (CAN_RTR_FLAG | CAN_ERR_FLAG) || frame->len < TRAFFIC_NUMBER_LEN)
		return false;
	*number = frame->data[0] << 8 | frame->data[1];
	return true;
}

bool traffic_is(const struct traffic *t, uint64_t seq,
		const struct canfd_frame *frame, unsigned int size)
{
	struct canfd_frame want;

	return size == traffic_frame(t, seq, &want) && frame->can_id == want.can_id &&
	       frame->len == want.len && !memcmp(frame->data, want.data, want.len);
}

uint64_t traffic_gap(const struct traffic *t, uint64_t seq)
{
	struct canfd_frame frame;
	unsigned int size;

	switch (t->pattern) {
	case TRAFFIC_PERIODIC:
		return t->period;
	case TRAFFIC_HALF:
		size = traffic_frame(t, seq, &frame);
		return 2 * wire_time(&frame, size, t->bitrate, t->data_bitrate);
	default:
		return 0;
	}
}
