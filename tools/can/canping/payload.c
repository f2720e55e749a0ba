// SPDX-License-Identifier: GPL-2.0-only
/* The data of a ping. */
#include <arpa/inet.h>
#include <string.h>

#include "payload.h"

void payload_begin(struct canfd_frame *ping, const struct settings *s, canid_t id)
{
	memset(ping, 0, sizeof(*ping));
	ping->can_id = id;
	ping->len = s->length;
	if (s->brs)
		ping->flags = CANFD_BRS;
	memset(ping->data, PAYLOAD_FILL, s->length);
}

void payload_set_number(struct canfd_frame *ping, uint32_t number)
{
	uint32_t wire = htonl(number);

	memcpy(ping->data, &wire, PAYLOAD_NUMBER);
}

bool payload_has_number(const struct canfd_frame *answer)
{
	return answer->len >= PAYLOAD_NUMBER;
}

uint32_t payload_number(const struct canfd_frame *answer)
{
	uint32_t wire;

	memcpy(&wire, answer->data, PAYLOAD_NUMBER);
	return ntohl(wire);
}

bool payload_same(const struct canfd_frame *answer, const struct canfd_frame *ping)
{
	return answer->len == ping->len &&
	       !memcmp(answer->data + PAYLOAD_NUMBER, ping->data + PAYLOAD_NUMBER,
		       ping->len - PAYLOAD_NUMBER);
}
