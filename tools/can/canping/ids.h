/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges of CAN identifiers and their receive filters. Pure functions except for ids_filter(). */
#ifndef CANPING_IDS_H
#define CANPING_IDS_H

#include <linux/can.h>

/* ids_max() - highest identifier of the format of @id, with its CAN_EFF_FLAG. */
canid_t ids_max(canid_t id);

/*
 * ids_mask() - mask of the narrowest receive filter that passes @n identifiers from @first
 * on. Other identifiers may pass, too, but no remote frames.
 */
canid_t ids_mask(canid_t first, unsigned int n);

/* ids_filter() - set this filter on @fd. */
void ids_filter(int fd, canid_t first, unsigned int n);

/* ids_index() - index of @id in the range of @n identifiers from @first on; @n: not in it. */
unsigned int ids_index(canid_t id, canid_t first, unsigned int n);

#endif
