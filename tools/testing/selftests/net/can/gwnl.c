// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to the family "can-gw" and its answers. The contract of each
 * function stands in gwnl.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/can.h>
#include <linux/genetlink.h>

#include "cantest.h"
#include "gwnl.h"

static ssize_t gw_receive(struct gwnl *gw, int timeout_ms)
{
	struct pollfd pfd = {
		.fd = mnl_socket_get_fd(gw->nl), .events = POLLIN,
	};
	ssize_t len;
	int ready;

	do {
		ready = poll(&pfd, 1, timeout_ms);
	} while (ready < 0 && errno == EINTR);
	if (ready < 0)
		return -errno;
	if (!ready)
		return -ETIMEDOUT;
	len = mnl_socket_recvfrom(gw->nl, gw->buf, gw->room);
	return len < 0 ? -errno : len;
}

static int ack_attr(const struct nlattr *attr, void *data)
{
	struct gwnl_ack *ack = data;

	switch (mnl_attr_get_type(attr)) {
	case NLMSGERR_ATTR_MSG:
		snprintf(ack->text, sizeof(ack->text), "%s",
			 mnl_attr_get_str(attr));
		break;
	case NLMSGERR_ATTR_OFFS:
		ack->offset = mnl_attr_get_u32(attr);
		break;
	case NLMSGERR_ATTR_MISS_TYPE:
		ack->miss_type = mnl_attr_get_u32(attr);
		break;
	case NLMSGERR_ATTR_MISS_NEST:
		ack->miss_nest = mnl_attr_get_u32(attr);
		break;
	}
	return MNL_CB_OK;
}

/* the end of an answer: NLMSG_ERROR, or NLMSG_DONE */
static int read_ack(struct gwnl *gw, const struct nlmsghdr *nlh)
{
	const int *error = mnl_nlmsg_get_payload(nlh);
	unsigned int offset = sizeof(*error);

	memset(&gw->ack, 0, sizeof(gw->ack));
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*error))
		return -EBADMSG;
	gw->ack.error = *error;
	if (nlh->nlmsg_type == NLMSG_ERROR) {
		const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);

		offset = sizeof(*err);
		if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
			offset += mnl_nlmsg_get_payload_len(&err->msg);
	}
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_parse(nlh, offset, ack_attr, &gw->ack);
	return gw->ack.error;
}

/* Return: 1 when the answer goes on, otherwise as gwnl_talk(). */
static int read_part(struct gwnl *gw, size_t left, int cmd, int *failed,
		     int (*each)(const struct nlmsghdr *nlh, void *data),
		     void *data)
{
	const struct nlmsghdr *nlh = (void *)gw->buf;
	const struct genlmsghdr *genl;
	int len = left;

	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		if (nlh->nlmsg_seq != gw->seq)
			continue;
		if (nlh->nlmsg_flags & NLM_F_DUMP_INTR)
			gw->interrupted = true;
		if (nlh->nlmsg_type == NLMSG_ERROR ||
		    nlh->nlmsg_type == NLMSG_DONE)
			return read_ack(gw, nlh) ?: *failed;
		genl = mnl_nlmsg_get_payload(nlh);
		if (nlh->nlmsg_type < NLMSG_MIN_TYPE)
			continue;
		if (nlh->nlmsg_type == gw->family && genl->cmd != cmd)
			*failed = *failed ?: -EPROTO;
		else if (each && !*failed)
			*failed = each(nlh, data);
	}
	return 1;
}

int gwnl_talk(struct gwnl *gw, struct nlmsghdr *nlh,
	      int (*each)(const struct nlmsghdr *nlh, void *data), void *data)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	int failed = 0, err = 1;
	ssize_t len;

	memset(&gw->ack, 0, sizeof(gw->ack));
	gw->interrupted = false;
	gw->parts = 0;
	nlh->nlmsg_seq = ++gw->seq;
	nlh->nlmsg_flags |= NLM_F_REQUEST;
	if ((nlh->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		nlh->nlmsg_flags |= NLM_F_ACK;
	if (mnl_socket_sendto(gw->nl, nlh, nlh->nlmsg_len) < 0)
		return -errno;
	while (err > 0) {
		len = gw_receive(gw, CT_TIMEOUT_MS);
		if (len < 0)
			return len;
		gw->parts++;
		err = read_part(gw, len, genl->cmd, &failed, each, data);
	}
	return err;
}

/* The family */

static int group_attr(const struct nlattr *attr, void *data)
{
	struct gwnl *gw = data;
	const struct nlattr *one;
	const char *name = "";
	uint32_t id = 0;

	mnl_attr_for_each_nested(one, attr) {
		if (mnl_attr_get_type(one) == CTRL_ATTR_MCAST_GRP_NAME)
			name = mnl_attr_get_str(one);
		if (mnl_attr_get_type(one) == CTRL_ATTR_MCAST_GRP_ID)
			id = mnl_attr_get_u32(one);
	}
	if (!strcmp(name, CAN_GW_MCGRP_RULES))
		gw->group = id;
	return MNL_CB_OK;
}

static int family_attr(const struct nlattr *attr, void *data)
{
	struct gwnl *gw = data;

	switch (mnl_attr_get_type(attr)) {
	case CTRL_ATTR_FAMILY_ID:
		gw->family = mnl_attr_get_u16(attr);
		break;
	case CTRL_ATTR_MCAST_GROUPS:
		return mnl_attr_parse_nested(attr, group_attr, data);
	}
	return MNL_CB_OK;
}

static int family_msg(const struct nlmsghdr *nlh, void *data)
{
	return mnl_attr_parse(nlh, sizeof(struct genlmsghdr), family_attr,
			      data) < 0 ? -errno : 0;
}

static int find_family(struct gwnl *gw)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;
	int err;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = GENL_ID_CTRL;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = CTRL_CMD_GETFAMILY;
	genl->version = 1;
	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, CAN_GW_FAMILY_NAME);
	err = gwnl_talk(gw, nlh, family_msg, gw);
	if (err)
		return err;
	return gw->family && gw->group ? 0 : -EPROTO;
}

int gwnl_open(struct gwnl *gw)
{
	int err = 0, on = 1;

	memset(gw, 0, sizeof(*gw));
	/* the kernel remembers the largest room that a socket has ever had */
	gw->room = MNL_SOCKET_BUFFER_SIZE;
	gw->nl = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC);
	if (!gw->nl)
		return -errno;
	if (mnl_socket_bind(gw->nl, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_setsockopt(gw->nl, NETLINK_EXT_ACK, &on,
				  sizeof(on)) < 0 ||
	    mnl_socket_setsockopt(gw->nl, NETLINK_CAP_ACK, &on,
				  sizeof(on)) < 0)
		err = -errno;
	err = err ?: find_family(gw);
	gw->room = sizeof(gw->buf);
	if (err)
		gwnl_close(gw);
	return err;
}

void gwnl_close(struct gwnl *gw)
{
	if (gw->nl)
		mnl_socket_close(gw->nl);
	gw->nl = NULL;
}

int gwnl_listen(struct gwnl *gw)
{
	return mnl_socket_setsockopt(gw->nl, NETLINK_ADD_MEMBERSHIP,
				     &gw->group, sizeof(gw->group)) < 0 ?
	       -errno : 0;
}

/* Requests */

void gwnl_set_name(struct gwnl_rule *rule, const char *name)
{
	snprintf(rule->name, sizeof(rule->name), "%s", name);
}

struct nlmsghdr *gwnl_msg(const struct gwnl *gw, void *buf, int cmd)
{
	struct genlmsghdr *genl;
	struct nlmsghdr *nlh;

	memset(buf, 0, sizeof(*nlh) + sizeof(*genl));
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = gw->family;
	nlh->nlmsg_flags = NLM_F_REQUEST;
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	genl->version = CAN_GW_FAMILY_VERSION;
	return nlh;
}

void gwnl_put_uint(struct nlmsghdr *nlh, uint16_t type, uint64_t value)
{
	if (value > UINT32_MAX)
		mnl_attr_put_u64(nlh, type, value);
	else
		mnl_attr_put_u32(nlh, type, value);
}

static void put_operand(struct nlmsghdr *nlh, uint16_t type,
			const struct gwnl_operand *op)
{
	struct nlattr *nest;

	if (!op->fields)
		return;
	nest = mnl_attr_nest_start(nlh, type);
	if (op->fields & GWNL_FIELD(ID))
		mnl_attr_put_u32(nlh, CAN_GW_A_OPERAND_ID, op->id);
	if (op->fields & GWNL_FIELD(LEN))
		mnl_attr_put_u8(nlh, CAN_GW_A_OPERAND_LEN, op->len);
	if (op->fields & GWNL_FIELD(FLAGS))
		mnl_attr_put_u8(nlh, CAN_GW_A_OPERAND_FLAGS, op->flags);
	if (op->fields & GWNL_FIELD(PRIO))
		mnl_attr_put_u32(nlh, CAN_GW_A_OPERAND_PRIO, op->prio);
	if (op->fields & GWNL_FIELD(VCID))
		mnl_attr_put_u8(nlh, CAN_GW_A_OPERAND_VCID, op->vcid);
	if (op->fields & GWNL_FIELD(SDT))
		mnl_attr_put_u8(nlh, CAN_GW_A_OPERAND_SDT, op->sdt);
	if (op->fields & GWNL_FIELD(AF))
		mnl_attr_put_u32(nlh, CAN_GW_A_OPERAND_AF, op->af);
	if (op->fields & GWNL_FIELD(DATA))
		mnl_attr_put(nlh, CAN_GW_A_OPERAND_DATA, op->data_len,
			     op->data);
	mnl_attr_nest_end(nlh, nest);
}

static void put_xor(struct nlmsghdr *nlh, const struct gwnl_csum *csum)
{
	struct nlattr *nest;

	if (!csum->given)
		return;
	nest = mnl_attr_nest_start(nlh, CAN_GW_A_RULE_XOR_CHECKSUM);
	mnl_attr_put_u32(nlh, CAN_GW_A_XOR_CHECKSUM_FROM, csum->from);
	mnl_attr_put_u32(nlh, CAN_GW_A_XOR_CHECKSUM_TO, csum->to);
	mnl_attr_put_u32(nlh, CAN_GW_A_XOR_CHECKSUM_RESULT, csum->result);
	if (csum->init)
		mnl_attr_put_u8(nlh, CAN_GW_A_XOR_CHECKSUM_INIT, csum->init);
	mnl_attr_nest_end(nlh, nest);
}

static bool has_profile_data(uint32_t profile)
{
	return profile == CAN_GW_CRC8_PROFILE_1U8 ||
	       profile == CAN_GW_CRC8_PROFILE_16U8;
}

static void put_crc8(struct nlmsghdr *nlh, const struct gwnl_csum *csum)
{
	struct nlattr *nest;

	if (!csum->given)
		return;
	nest = mnl_attr_nest_start(nlh, CAN_GW_A_RULE_CRC8_CHECKSUM);
	mnl_attr_put_u32(nlh, CAN_GW_A_CRC8_CHECKSUM_FROM, csum->from);
	mnl_attr_put_u32(nlh, CAN_GW_A_CRC8_CHECKSUM_TO, csum->to);
	mnl_attr_put_u32(nlh, CAN_GW_A_CRC8_CHECKSUM_RESULT, csum->result);
	if (csum->init)
		mnl_attr_put_u8(nlh, CAN_GW_A_CRC8_CHECKSUM_INIT, csum->init);
	if (csum->final)
		mnl_attr_put_u8(nlh, CAN_GW_A_CRC8_CHECKSUM_FINAL,
				csum->final);
	mnl_attr_put(nlh, CAN_GW_A_CRC8_CHECKSUM_TABLE, sizeof(csum->table),
		     csum->table);
	if (csum->profile)
		mnl_attr_put_u32(nlh, CAN_GW_A_CRC8_CHECKSUM_PROFILE,
				 csum->profile);
	if (has_profile_data(csum->profile))
		mnl_attr_put(nlh, CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA,
			     sizeof(csum->profile_data), csum->profile_data);
	mnl_attr_nest_end(nlh, nest);
}

static void put_u32(struct nlmsghdr *nlh, const struct gwnl_rule *rule,
		    uint16_t type, uint32_t value)
{
	if (value || rule->has & 1U << type)
		mnl_attr_put_u32(nlh, type, value);
}

void gwnl_put_rule(struct nlmsghdr *nlh, const struct gwnl_rule *rule)
{
	int op;

	if (rule->handle || rule->has & GWNL_HAS(HANDLE))
		gwnl_put_uint(nlh, CAN_GW_A_RULE_HANDLE, rule->handle);
	if (rule->name[0] || rule->has & GWNL_HAS(NAME))
		mnl_attr_put_strz(nlh, CAN_GW_A_RULE_NAME, rule->name);
	put_u32(nlh, rule, CAN_GW_A_RULE_SOURCE, rule->source);
	put_u32(nlh, rule, CAN_GW_A_RULE_DESTINATION, rule->destination);
	put_u32(nlh, rule, CAN_GW_A_RULE_FRAMES, rule->frames);
	put_u32(nlh, rule, CAN_GW_A_RULE_FLAGS, rule->flags);
	put_u32(nlh, rule, CAN_GW_A_RULE_FILTER_ID, rule->filter_id);
	put_u32(nlh, rule, CAN_GW_A_RULE_FILTER_MASK, rule->filter_mask);
	if (rule->hop_limit || rule->has & GWNL_HAS(HOP_LIMIT))
		mnl_attr_put_u8(nlh, CAN_GW_A_RULE_HOP_LIMIT,
				rule->hop_limit);
	put_u32(nlh, rule, CAN_GW_A_RULE_UID, rule->uid);
	for (op = 0; op < GWNL_OPS; op++)
		put_operand(nlh, CAN_GW_A_RULE_AND + op, &rule->op[op]);
	put_crc8(nlh, &rule->crc8);
	put_xor(nlh, &rule->xor);
}

/* Answers. What the specification does not have is an error. */

static int wrong(void)
{
	errno = EPROTO;
	return MNL_CB_ERROR;
}

static int get_uint(const struct nlattr *attr, uint64_t *value)
{
	switch (mnl_attr_get_payload_len(attr)) {
	case sizeof(uint32_t):
		*value = mnl_attr_get_u32(attr);
		return MNL_CB_OK;
	case sizeof(uint64_t):
		*value = mnl_attr_get_u64(attr);
		return MNL_CB_OK;
	}
	return wrong();
}

static int get_u32(const struct nlattr *attr, uint32_t *value)
{
	if (mnl_attr_get_payload_len(attr) != sizeof(*value))
		return wrong();
	*value = mnl_attr_get_u32(attr);
	return MNL_CB_OK;
}

static int get_place(const struct nlattr *attr, int32_t *place)
{
	uint32_t value = 0;
	int ok = get_u32(attr, &value);

	*place = value;
	return ok;
}

static int get_u8(const struct nlattr *attr, uint8_t *value)
{
	if (mnl_attr_get_payload_len(attr) != sizeof(*value))
		return wrong();
	*value = mnl_attr_get_u8(attr);
	return MNL_CB_OK;
}

static int get_bytes(const struct nlattr *attr, uint8_t *bytes, size_t size)
{
	if (mnl_attr_get_payload_len(attr) != size)
		return wrong();
	memcpy(bytes, mnl_attr_get_payload(attr), size);
	return MNL_CB_OK;
}

static int operand_attr(const struct nlattr *attr, void *data)
{
	struct gwnl_operand *op = data;

	op->fields |= 1U << mnl_attr_get_type(attr);
	switch (mnl_attr_get_type(attr)) {
	case CAN_GW_A_OPERAND_ID:
		return get_u32(attr, &op->id);
	case CAN_GW_A_OPERAND_LEN:
		return get_u8(attr, &op->len);
	case CAN_GW_A_OPERAND_FLAGS:
		return get_u8(attr, &op->flags);
	case CAN_GW_A_OPERAND_PRIO:
		return get_u32(attr, &op->prio);
	case CAN_GW_A_OPERAND_VCID:
		return get_u8(attr, &op->vcid);
	case CAN_GW_A_OPERAND_SDT:
		return get_u8(attr, &op->sdt);
	case CAN_GW_A_OPERAND_AF:
		return get_u32(attr, &op->af);
	case CAN_GW_A_OPERAND_DATA:
		op->data_len = mnl_attr_get_payload_len(attr);
		if (!op->data_len || op->data_len > sizeof(op->data))
			return wrong();
		return get_bytes(attr, op->data, op->data_len);
	}
	return wrong();
}

static int xor_attr(const struct nlattr *attr, void *data)
{
	struct gwnl_csum *csum = data;

	switch (mnl_attr_get_type(attr)) {
	case CAN_GW_A_XOR_CHECKSUM_FROM:
		return get_place(attr, &csum->from);
	case CAN_GW_A_XOR_CHECKSUM_TO:
		return get_place(attr, &csum->to);
	case CAN_GW_A_XOR_CHECKSUM_RESULT:
		return get_place(attr, &csum->result);
	case CAN_GW_A_XOR_CHECKSUM_INIT:
		return get_u8(attr, &csum->init);
	}
	return wrong();
}

static int crc8_attr(const struct nlattr *attr, void *data)
{
	struct gwnl_csum *csum = data;

	switch (mnl_attr_get_type(attr)) {
	case CAN_GW_A_CRC8_CHECKSUM_FROM:
		return get_place(attr, &csum->from);
	case CAN_GW_A_CRC8_CHECKSUM_TO:
		return get_place(attr, &csum->to);
	case CAN_GW_A_CRC8_CHECKSUM_RESULT:
		return get_place(attr, &csum->result);
	case CAN_GW_A_CRC8_CHECKSUM_INIT:
		return get_u8(attr, &csum->init);
	case CAN_GW_A_CRC8_CHECKSUM_FINAL:
		return get_u8(attr, &csum->final);
	case CAN_GW_A_CRC8_CHECKSUM_TABLE:
		return get_bytes(attr, csum->table, sizeof(csum->table));
	case CAN_GW_A_CRC8_CHECKSUM_PROFILE:
		return get_u32(attr, &csum->profile);
	case CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA:
		return get_bytes(attr, csum->profile_data,
				 sizeof(csum->profile_data));
	}
	return wrong();
}

static int stats_attr(const struct nlattr *attr, void *data)
{
	struct gwnl_stats *stats = data;

	switch (mnl_attr_get_type(attr)) {
	case CAN_GW_A_STATS_MATCHED:
		return get_uint(attr, &stats->matched);
	case CAN_GW_A_STATS_SENT:
		return get_uint(attr, &stats->sent);
	case CAN_GW_A_STATS_DROPPED:
		return get_uint(attr, &stats->dropped);
	case CAN_GW_A_STATS_DELETED:
		return get_uint(attr, &stats->deleted);
	case CAN_GW_A_STATS_SKIPPED:
		return get_uint(attr, &stats->skipped);
	}
	return wrong();
}

static int get_name(const struct nlattr *attr, char *name)
{
	if (mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0 ||
	    mnl_attr_get_payload_len(attr) > CAN_GW_MAX_NAME_LEN + 1)
		return wrong();
	snprintf(name, CAN_GW_MAX_NAME_LEN + 1, "%s", mnl_attr_get_str(attr));
	return MNL_CB_OK;
}

static int rule_attr(const struct nlattr *attr, void *data)
{
	struct gwnl_rule *rule = data;
	int type = mnl_attr_get_type(attr);

	if (type > CAN_GW_A_RULE_MAX || rule->has & 1U << type)
		return wrong();
	rule->has |= 1U << type;
	switch (type) {
	case CAN_GW_A_RULE_HANDLE:
		return get_uint(attr, &rule->handle);
	case CAN_GW_A_RULE_NAME:
		return get_name(attr, rule->name);
	case CAN_GW_A_RULE_SOURCE:
		return get_u32(attr, &rule->source);
	case CAN_GW_A_RULE_DESTINATION:
		return get_u32(attr, &rule->destination);
	case CAN_GW_A_RULE_FRAMES:
		return get_u32(attr, &rule->frames);
	case CAN_GW_A_RULE_FLAGS:
		return get_u32(attr, &rule->flags);
	case CAN_GW_A_RULE_FILTER_ID:
		return get_u32(attr, &rule->filter_id);
	case CAN_GW_A_RULE_FILTER_MASK:
		return get_u32(attr, &rule->filter_mask);
	case CAN_GW_A_RULE_HOP_LIMIT:
		return get_u8(attr, &rule->hop_limit);
	case CAN_GW_A_RULE_UID:
		return get_u32(attr, &rule->uid);
	case CAN_GW_A_RULE_AND:
	case CAN_GW_A_RULE_OR:
	case CAN_GW_A_RULE_XOR:
	case CAN_GW_A_RULE_SET:
		return mnl_attr_parse_nested(attr, operand_attr,
					     &rule->op[type -
						       CAN_GW_A_RULE_AND]);
	case CAN_GW_A_RULE_CRC8_CHECKSUM:
		rule->crc8.given = true;
		return mnl_attr_parse_nested(attr, crc8_attr, &rule->crc8);
	case CAN_GW_A_RULE_XOR_CHECKSUM:
		rule->xor.given = true;
		return mnl_attr_parse_nested(attr, xor_attr, &rule->xor);
	case CAN_GW_A_RULE_STATS:
		return mnl_attr_parse_nested(attr, stats_attr, &rule->stats);
	}
	return wrong();
}

int gwnl_parse_rule(const struct nlmsghdr *nlh, struct gwnl_rule *rule)
{
	memset(rule, 0, sizeof(*rule));
	return mnl_attr_parse(nlh, sizeof(struct genlmsghdr), rule_attr,
			      rule) < 0 ? -errno : 0;
}

static int table_attr(const struct nlattr *attr, void *data)
{
	struct gwnl_table *table = data;

	switch (mnl_attr_get_type(attr)) {
	case CAN_GW_A_TABLE_SOURCE:
		return get_u32(attr, &table->source);
	case CAN_GW_A_TABLE_RULES:
		return get_u32(attr, &table->rules);
	case CAN_GW_A_TABLE_LIMIT:
		return get_u32(attr, &table->limit);
	case CAN_GW_A_TABLE_GENERATION:
		return get_u32(attr, &table->generation);
	}
	return wrong();
}

static int parse_table(const struct nlmsghdr *nlh, void *data)
{
	memset(data, 0, sizeof(struct gwnl_table));
	return mnl_attr_parse(nlh, sizeof(struct genlmsghdr), table_attr,
			      data) < 0 ? -errno : 0;
}

static int removal_attr(const struct nlattr *attr, void *data)
{
	struct gwnl_event *event = data;

	switch (mnl_attr_get_type(attr)) {
	case CAN_GW_A_REMOVAL_HANDLE:
		if (event->count == GWNL_EVENT_HANDLES)
			return wrong();
		return get_uint(attr, &event->handles[event->count++]);
	case CAN_GW_A_REMOVAL_REASON:
		return get_u32(attr, &event->reason);
	case CAN_GW_A_REMOVAL_GENERATION:
		return get_u32(attr, &event->table.generation);
	}
	return wrong();
}

int gwnl_next(struct gwnl *gw, struct gwnl_event *event, int timeout_ms)
{
	const struct nlmsghdr *nlh = (void *)gw->buf;
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	ssize_t len = gw_receive(gw, timeout_ms);

	memset(event, 0, sizeof(*event));
	if (len < 0)
		return len;
	if (!mnl_nlmsg_ok(nlh, len) || nlh->nlmsg_type != gw->family)
		return -EPROTO;
	event->cmd = genl->cmd;
	switch (genl->cmd) {
	case CAN_GW_CMD_RULE_ADD_NTF:
	case CAN_GW_CMD_RULE_CHANGE_NTF:
		return gwnl_parse_rule(nlh, &event->rule);
	case CAN_GW_CMD_TABLE_NTF:
		return parse_table(nlh, &event->table);
	case CAN_GW_CMD_RULE_DEL_NTF:
		return mnl_attr_parse(nlh, sizeof(*genl), removal_attr,
				      event) < 0 ? -errno : 0;
	}
	return -EPROTO;
}

/* Commands */

static int rule_msg(const struct nlmsghdr *nlh, void *data)
{
	return gwnl_parse_rule(nlh, data);
}

static int rule_request(struct gwnl *gw, int cmd, const struct gwnl_rule *rule,
			struct gwnl_rule *answer)
{
	char buf[GWNL_MSG_SIZE];
	struct nlmsghdr *nlh = gwnl_msg(gw, buf, cmd);

	gwnl_put_rule(nlh, rule);
	return gwnl_talk(gw, nlh, answer ? rule_msg : NULL, answer);
}

int gwnl_add(struct gwnl *gw, const struct gwnl_rule *rule, uint64_t *handle)
{
	struct gwnl_rule answer;
	int err;

	answer.handle = 0;
	err = rule_request(gw, CAN_GW_CMD_RULE_ADD, rule, &answer);
	if (handle)
		*handle = answer.handle;
	return err;
}

int gwnl_replace(struct gwnl *gw, const struct gwnl_rule *rule)
{
	return rule_request(gw, CAN_GW_CMD_RULE_REPLACE, rule, NULL);
}

static int handle_request(struct gwnl *gw, int cmd, uint64_t handle,
			  struct gwnl_rule *answer)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh = gwnl_msg(gw, buf, cmd);
	int err;

	if (answer)
		memset(answer, 0, sizeof(*answer));
	gwnl_put_uint(nlh, CAN_GW_A_RULE_HANDLE, handle);
	err = gwnl_talk(gw, nlh, answer ? rule_msg : NULL, answer);
	if (!err && answer && answer->handle != handle)
		return -EPROTO;
	return err;
}

int gwnl_del(struct gwnl *gw, uint64_t handle)
{
	return handle_request(gw, CAN_GW_CMD_RULE_DEL, handle, NULL);
}

int gwnl_get(struct gwnl *gw, uint64_t handle, struct gwnl_rule *rule)
{
	return handle_request(gw, CAN_GW_CMD_RULE_GET, handle, rule);
}

int gwnl_matched(struct gwnl *gw, uint64_t handle, uint64_t frames,
		 struct gwnl_rule *rule)
{
	int i, err;

	for (i = 0; i < CT_TIMEOUT_MS; i++) {
		err = gwnl_get(gw, handle, rule);
		if (err || rule->stats.matched >= frames)
			return err;
		usleep(1000);
	}
	return -ETIMEDOUT;
}

int gwnl_reset(struct gwnl *gw, uint64_t handle, struct gwnl_rule *rule)
{
	return handle_request(gw, CAN_GW_CMD_RULE_RESET, handle, rule);
}

struct listing {
	gwnl_each each;
	void *data;
	int count;
};

static int listed_msg(const struct nlmsghdr *nlh, void *data)
{
	struct listing *listing = data;
	struct gwnl_rule rule;
	int err = gwnl_parse_rule(nlh, &rule);

	listing->count++;
	if (!err && listing->each)
		err = listing->each(&rule, listing->data);
	return err < 0 ? err : 0;
}

int gwnl_dump(struct gwnl *gw, int cmd, const struct gwnl_rule *choice,
	      gwnl_each each, void *data)
{
	struct listing listing = { .each = each, .data = data };
	char buf[GWNL_MSG_SIZE];
	struct nlmsghdr *nlh = gwnl_msg(gw, buf, cmd);
	int err;

	nlh->nlmsg_flags |= NLM_F_DUMP;
	if (choice)
		gwnl_put_rule(nlh, choice);
	err = gwnl_talk(gw, nlh, listed_msg, &listing);
	return err ? err : listing.count;
}

struct collection {
	uint64_t *handles;
	int count;
	int max;
};

static int collect(const struct gwnl_rule *rule, void *data)
{
	struct collection *collection = data;

	if (collection->handles && collection->count < collection->max)
		collection->handles[collection->count++] = rule->handle;
	return 0;
}

int gwnl_handles(struct gwnl *gw, uint64_t *handles, int max)
{
	struct collection collection = { .handles = handles, .max = max };

	return gwnl_dump(gw, CAN_GW_CMD_RULE_GET, NULL, collect, &collection);
}

static int digest_msg(const struct nlmsghdr *nlh, void *data)
{
	const uint8_t *bytes = mnl_nlmsg_get_payload(nlh);
	uint64_t *digest = data;
	size_t i;

	for (i = 0; i < mnl_nlmsg_get_payload_len(nlh); i++)
		*digest = (*digest ^ bytes[i]) * 0x100000001b3ULL;
	return 0;
}

int64_t gwnl_digest(struct gwnl *gw)
{
	uint64_t digest = 0xcbf29ce484222325ULL;
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh = gwnl_msg(gw, buf, CAN_GW_CMD_RULE_GET);
	int err;

	nlh->nlmsg_flags |= NLM_F_DUMP;
	err = gwnl_talk(gw, nlh, digest_msg, &digest);
	return err ? err : (int64_t)(digest >> 1);
}

static int table_request(struct gwnl *gw, int cmd, uint32_t source,
			 struct gwnl_table *table)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh = gwnl_msg(gw, buf, cmd);

	if (source)
		mnl_attr_put_u32(nlh, CAN_GW_A_TABLE_SOURCE, source);
	return gwnl_talk(gw, nlh, table ? parse_table : NULL, table);
}

int gwnl_table(struct gwnl *gw, uint32_t source, struct gwnl_table *table)
{
	memset(table, 0, sizeof(*table));
	return table_request(gw, CAN_GW_CMD_TABLE_GET, source, table);
}

int64_t gwnl_generation(struct gwnl *gw)
{
	struct gwnl_table table;

	return gwnl_table(gw, 0, &table) ? -1 : (int64_t)table.generation;
}

int gwnl_begin(struct gwnl *gw, uint32_t source)
{
	return table_request(gw, CAN_GW_CMD_TRANSACTION_BEGIN, source, NULL);
}

int gwnl_commit_if(struct gwnl *gw, uint32_t rules, const uint32_t *generation,
		   struct gwnl_table *table)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct nlmsghdr *nlh;

	nlh = gwnl_msg(gw, buf, CAN_GW_CMD_TRANSACTION_COMMIT);
	mnl_attr_put_u32(nlh, CAN_GW_A_TABLE_RULES, rules);
	if (generation)
		mnl_attr_put_u32(nlh, CAN_GW_A_TABLE_GENERATION, *generation);
	return gwnl_talk(gw, nlh, table ? parse_table : NULL, table);
}

int gwnl_commit(struct gwnl *gw, uint32_t rules, struct gwnl_table *table)
{
	return gwnl_commit_if(gw, rules, NULL, table);
}

int gwnl_abort(struct gwnl *gw)
{
	return table_request(gw, CAN_GW_CMD_TRANSACTION_ABORT, 0, NULL);
}

/*
 * Of the messages of a portion, which all have the same number, only the last
 * one asks for an answer. Errors are told of all.
 *
 * Return: 1 as long as that of the last one has not come.
 */
static int read_acks(struct gwnl *gw, size_t left, struct gwnl_ack *first)
{
	const struct nlmsghdr *nlh = (void *)gw->buf;
	const struct nlmsgerr *err;
	int len = left;

	for (; mnl_nlmsg_ok(nlh, len); nlh = mnl_nlmsg_next(nlh, &len)) {
		if (nlh->nlmsg_seq != gw->seq ||
		    nlh->nlmsg_type != NLMSG_ERROR)
			continue;
		read_ack(gw, nlh);
		if (!first->error)
			*first = gw->ack;
		err = mnl_nlmsg_get_payload(nlh);
		if (err->msg.nlmsg_flags & NLM_F_ACK) {
			gw->ack = *first;
			return gw->ack.error;
		}
	}
	return 1;
}

static int send_portion(struct gwnl *gw, char *buf, size_t len)
{
	struct gwnl_ack first = { 0 };
	ssize_t got;
	int err = 1;

	if (mnl_socket_sendto(gw->nl, buf, len) < 0)
		return -errno;
	while (err > 0) {
		got = gw_receive(gw, CT_TIMEOUT_MS);
		if (got < 0)
			return got;
		err = read_acks(gw, got, &first);
	}
	return err;
}

int gwnl_batch(struct gwnl *gw, int count,
	       void (*make)(struct gwnl_rule *rule, int number, void *data),
	       void *data)
{
	char buf[2 * GWNL_MSG_SIZE];
	struct gwnl_rule rule;
	struct nlmsghdr *nlh;
	size_t len = 0;
	int i, err = 0;

	for (i = 0; i < count && !err; i++) {
		if (!len)
			gw->seq++;
		memset(&rule, 0, sizeof(rule));
		make(&rule, i, data);
		nlh = gwnl_msg(gw, buf + len, CAN_GW_CMD_RULE_ADD);
		nlh->nlmsg_seq = gw->seq;
		gwnl_put_rule(nlh, &rule);
		len += NLMSG_ALIGN(nlh->nlmsg_len);
		if (len <= sizeof(buf) - GWNL_MSG_SIZE && i + 1 < count)
			continue;
		nlh->nlmsg_flags |= NLM_F_ACK;
		err = send_portion(gw, buf, len);
		len = 0;
	}
	return err;
}

/* Comparison */

int gwnl_max_data(uint32_t frames)
{
	switch (frames) {
	case CAN_GW_FRAMES_FD:
		return CANFD_MAX_DLEN;
	case CAN_GW_FRAMES_XL:
		return CANXL_MAX_DLEN;
	}
	return CAN_MAX_DLEN;
}

static uint8_t operand_byte(const struct gwnl_operand *op, int number,
			    unsigned int at)
{
	if (at < op->data_len)
		return op->data[at];
	return number == GWNL_AND ? 0xff : 0;
}

static bool same_data(const struct gwnl_operand *want,
		      const struct gwnl_operand *got, int number)
{
	unsigned int i;

	if (!(want->fields & GWNL_FIELD(DATA)))
		return true;
	if (number == GWNL_SET && want->data_len != got->data_len)
		return false;
	for (i = 0; i < CAN_GW_MAX_DATA; i++)
		if (operand_byte(want, number, i) !=
		    operand_byte(got, number, i))
			return false;
	return true;
}

static bool same_operand(const struct gwnl_operand *want,
			 const struct gwnl_operand *got, int number)
{
	return want->fields == got->fields && want->id == got->id &&
	       want->len == got->len && want->flags == got->flags &&
	       want->prio == got->prio && want->vcid == got->vcid &&
	       want->sdt == got->sdt && want->af == got->af &&
	       same_data(want, got, number);
}

static bool same_csum(const struct gwnl_csum *want, const struct gwnl_csum *got)
{
	if (!want->given || !got->given)
		return want->given == got->given;
	if (has_profile_data(want->profile) &&
	    memcmp(want->profile_data, got->profile_data,
		   sizeof(want->profile_data)))
		return false;
	return want->from == got->from && want->to == got->to &&
	       want->result == got->result && want->init == got->init &&
	       want->final == got->final && want->profile == got->profile &&
	       !memcmp(want->table, got->table, sizeof(want->table));
}

const char *gwnl_differs(const struct gwnl_rule *want,
			 const struct gwnl_rule *got)
{
	static const char * const ops[] = { "and", "or", "xor", "set" };
	int op;

	if (strcmp(want->name, got->name))
		return "name";
	if (want->source != got->source)
		return "source";
	if (want->destination != got->destination)
		return "destination";
	if (want->frames != got->frames)
		return "frames";
	if (want->flags != got->flags)
		return "flags";
	if (want->filter_id != got->filter_id ||
	    want->filter_mask != got->filter_mask)
		return "filter";
	if (want->hop_limit != got->hop_limit)
		return "hop limit";
	if (want->uid != got->uid)
		return "uid";
	for (op = 0; op < GWNL_OPS; op++)
		if (!same_operand(&want->op[op], &got->op[op], op))
			return ops[op];
	if (!same_csum(&want->crc8, &got->crc8))
		return "crc8 checksum";
	return same_csum(&want->xor, &got->xor) ? "" : "xor checksum";
}
