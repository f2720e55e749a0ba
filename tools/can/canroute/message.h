/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Netlink messages, stored one after another in one buffer. Many messages can be sent in
 * one system call, and no message needs its own allocation.
 */
#ifndef CANROUTE_MESSAGE_H
#define CANROUTE_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

/**
 * struct messages - messages to send, or received messages
 * @data, @len, @room: buffer with all messages
 * @begin: offset of the last message
 */
struct messages {
	char *data;
	size_t len, room;
	size_t begin;
};

/* message_begin() - append a generic netlink message; message_put() keeps its length valid. */
void message_begin(struct messages *m, int family, uint8_t command, uint16_t flags, uint32_t seq);

/* message_put() - append an attribute to the last message. */
void message_put(struct messages *m, uint16_t type, const void *data, size_t len);
void message_put_u8(struct messages *m, uint16_t type, uint8_t value);
void message_put_u32(struct messages *m, uint16_t type, uint32_t value);
void message_put_s32(struct messages *m, uint16_t type, int32_t value);
void message_put_string(struct messages *m, uint16_t type, const char *text);

/* message_put_uint() - 4 bytes if the value fits, otherwise 8. */
void message_put_uint(struct messages *m, uint16_t type, uint64_t value);

/* message_nest_begin() - begin a nest; pass the result to message_nest_end(). */
size_t message_nest_begin(struct messages *m, uint16_t type);
void message_nest_end(struct messages *m, size_t nest);

/* message_append() - append a copy of a received message. */
void message_append(struct messages *m, const struct nlmsghdr *nlh);

/* message_clear() - remove all messages; the buffer is kept. */
void message_clear(struct messages *m);

void message_free(struct messages *m);

#endif
