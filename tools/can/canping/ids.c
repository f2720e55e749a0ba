// SPDX-License-Identifier: GPL-2.0-only
/* Ranges of CAN identifiers and their receive filters. */
#include "ids.h"
#include "rawsock.h"

canid_t ids_max(canid_t id)
{
	return id & CAN_EFF_FLAG ? CAN_EFF_FLAG | CAN_EFF_MASK : CAN_SFF_MASK;
}

canid_t ids_mask(canid_t first, unsigned int n)
{
	canid_t differ = first ^ (first + n - 1);
	canid_t mask = CAN_EFF_FLAG | CAN_RTR_FLAG | (ids_max(first) & CAN_EFF_MASK);

	/* Bits up to the highest one in which the ends differ have all values in the range. */
	for (canid_t bit = 1; bit <= differ; bit <<= 1)
		mask &= ~bit;
	return mask;
}

void ids_filter(int fd, canid_t first, unsigned int n)
{
	rawsock_filter(fd, first, ids_mask(first, n), false);
}

unsigned int ids_index(canid_t id, canid_t first, unsigned int n)
{
	return id >= first && id - first < n ? id - first : n;
}
