/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink messages one behind the other in one piece of memory, so that many of them
 * are sent at once, and without an allocation for each.
 */
#ifndef CANROUTE_MESSAGE_H
#define CANROUTE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

/**
 * struct messages - what is to be sent, or was received
 * @data, @len, @room: all of them
 * @begin: offset of the last one
 */
struct messages {
	char *data;
	size_t len, room;
	size_t begin;
};

/* message_begin() - begin one of generic netlink. Its length is always that of all so far. */
void message_begin(struct messages *m, int family, uint8_t command, uint16_t flags, uint32_t seq);

/* message_put() - an attribute of the last message. */
void message_put(struct messages *m, uint16_t type, const void *data, size_t len);
void message_put_u8(struct messages *m, uint16_t type, uint8_t value);
void message_put_u32(struct messages *m, uint16_t type, uint32_t value);
void message_put_s32(struct messages *m, uint16_t type, int32_t value);
void message_put_string(struct messages *m, uint16_t type, const char *text);

/* message_put_uint() - of 4 bytes if they are enough, otherwise of 8. */
void message_put_uint(struct messages *m, uint16_t type, uint64_t value);

/* message_nest_begin() - begin a nest; what it returns is for message_nest_end(). */
size_t message_nest_begin(struct messages *m, uint16_t type);
void message_nest_end(struct messages *m, size_t nest);

/* message_append() - copy a whole message that was received. */
void message_append(struct messages *m, const struct nlmsghdr *nlh);

/* message_clear() - none any more; the memory is kept. */
void message_clear(struct messages *m);

void message_free(struct messages *m);

#endif
