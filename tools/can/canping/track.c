// SPDX-License-Identifier: GPL-2.0-only
/* State of the pings of one identifier. */
#include "track.h"

uint32_t track_number(const struct track *t)
{
	return t->sent;
}

void track_sent(struct track *t, struct track_counts *counts)
{
	t->answered[t->sent % TRACK_WINDOW] = false;
	t->sent++;
	t->waiting = true;
	counts->sent++;
}

void track_give_up(struct track *t, struct track_counts *counts)
{
	t->waiting = false;
	counts->lost++;
}

bool track_answer(struct track *t, uint32_t number, struct track_counts *counts)
{
	/* Age in pings; the last ping has age 1. */
	uint32_t age = (uint32_t)t->sent - number;
	uint64_t order = t->sent - age + 1;
	bool wanted = t->waiting && age == 1;

	if (!age || age > TRACK_WINDOW || age > t->sent) {
		counts->unexpected++;
		return false;
	}
	if (t->answered[number % TRACK_WINDOW]) {
		counts->duplicated++;
		return false;
	}
	t->answered[number % TRACK_WINDOW] = true;
	if (order < t->newest)
		counts->reordered++;
	else
		t->newest = order;
	if (wanted) {
		t->waiting = false;
		counts->received++;
	} else {
		counts->lost--;
		counts->late++;
	}
	return wanted;
}
