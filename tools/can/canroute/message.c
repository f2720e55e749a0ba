// SPDX-License-Identifier: GPL-2.0-only
/*
 * Netlink messages, built in place.
 */
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>
#include <linux/can/gw_netlink.h>

#include "cli.h"
#include "message.h"

/* Append @len zero bytes, padded to a multiple of 4. */
static void *append_zeroed(struct messages *m, size_t len)
{
	size_t size = NLMSG_ALIGN(len);
	void *start;

	if (m->len + size > m->room) {
		m->room = 2 * (m->room + size) + 4096;
		m->data = realloc(m->data, m->room);
		if (!m->data)
			cli_fail("no memory for messages");
	}
	start = m->data + m->len;
	memset(start, 0, size);
	m->len += size;
	return start;
}

static void update_length(struct messages *m)
{
	struct nlmsghdr *nlh = (struct nlmsghdr *)(m->data + m->begin);

	nlh->nlmsg_len = m->len - m->begin;
}

void message_begin(struct messages *m, int family, uint8_t command, uint16_t flags, uint32_t seq)
{
	struct nlmsghdr *nlh;
	struct genlmsghdr *genl;

	m->begin = m->len;
	nlh = append_zeroed(m, sizeof(*nlh));
	nlh->nlmsg_type = family;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	nlh->nlmsg_seq = seq;
	genl = append_zeroed(m, sizeof(*genl));
	genl->cmd = command;
	genl->version = CAN_GW_FAMILY_VERSION;
	update_length(m);
}

void message_put(struct messages *m, uint16_t type, const void *data, size_t len)
{
	struct nlattr *attr = append_zeroed(m, NLA_HDRLEN + len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	if (len)
		memcpy((char *)attr + NLA_HDRLEN, data, len);
	update_length(m);
}

void message_put_u8(struct messages *m, uint16_t type, uint8_t value)
{
	message_put(m, type, &value, sizeof(value));
}

void message_put_u32(struct messages *m, uint16_t type, uint32_t value)
{
	message_put(m, type, &value, sizeof(value));
}

void message_put_s32(struct messages *m, uint16_t type, int32_t value)
{
	message_put(m, type, &value, sizeof(value));
}

void message_put_string(struct messages *m, uint16_t type, const char *text)
{
	message_put(m, type, text, strlen(text) + 1);
}

void message_put_uint(struct messages *m, uint16_t type, uint64_t value)
{
	if (value <= UINT32_MAX)
		message_put_u32(m, type, value);
	else
		message_put(m, type, &value, sizeof(value));
}

size_t message_nest_begin(struct messages *m, uint16_t type)
{
	size_t nest = m->len;

	message_put(m, NLA_F_NESTED | type, NULL, 0);
	return nest;
}

void message_nest_end(struct messages *m, size_t nest)
{
	struct nlattr *attr = (struct nlattr *)(m->data + nest);

	attr->nla_len = m->len - nest;
}

void message_append(struct messages *m, const struct nlmsghdr *nlh)
{
	m->begin = m->len;
	memcpy(append_zeroed(m, nlh->nlmsg_len), nlh, nlh->nlmsg_len);
}

void message_clear(struct messages *m)
{
	m->len = 0;
	m->begin = 0;
}

void message_free(struct messages *m)
{
	free(m->data);
	*m = (struct messages){ 0 };
}
