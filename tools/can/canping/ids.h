/* SPDX-License-Identifier: GPL-2.0-only */
/* A row of CAN identifiers, and the receive filter for it. Pure but for ids_filter(). */
#ifndef CANPING_IDS_H
#define CANPING_IDS_H

#include <linux/can.h>

/* ids_max() - the highest identifier of the same format as @id, with its CAN_EFF_FLAG. */
canid_t ids_max(canid_t id);

/*
 * ids_mask() - mask of the narrowest receive filter that lets all @n identifiers
 * from @first on pass; others may pass as well. No remote frame does.
 */
canid_t ids_mask(canid_t first, unsigned int n);

/* ids_filter() - let @fd receive those. */
void ids_filter(int fd, canid_t first, unsigned int n);

/* ids_index() - place of @id among @n identifiers from @first on; @n if it is none of them. */
unsigned int ids_index(canid_t id, canid_t first, unsigned int n);

#endif
