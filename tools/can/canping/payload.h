/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The data of a ping: its number in the first four bytes, most significant byte first, then
 * PAYLOAD_FILL up to its length. Pure functions.
 */
#ifndef CANPING_PAYLOAD_H
#define CANPING_PAYLOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

#include "settings.h"

#define PAYLOAD_NUMBER 4	/* bytes */
#define PAYLOAD_FILL 0x55	/* alternating bits require no stuff bits */

/* payload_begin() - initialize a ping with @id and the settings @s, without its number. */
void payload_begin(struct canfd_frame *ping, const struct settings *s, canid_t id);

void payload_set_number(struct canfd_frame *ping, uint32_t number);

/* payload_has_number() - @answer is long enough for a number, see payload_number(). */
bool payload_has_number(const struct canfd_frame *answer);
uint32_t payload_number(const struct canfd_frame *answer);

/* payload_same() - @answer equals @ping except for identifier and number. */
bool payload_same(const struct canfd_frame *answer, const struct canfd_frame *ping);

#endif
