// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to the family "can-gw" and its answers. The contract of each
 * function is in gwnl.h.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include <linux/can.h>

#include "cantest.h"
#include "gwnl.h"

/* Sockets */

int gwnl_open(struct gwnl *gw)
{
	const struct timeval limit = { .tv_sec = CT_TIMEOUT_MS / 1000 };
	struct ynl_error error = { 0 };

	gw->ys = ynl_sock_create(&ynl_can_gw_family, &error);
	if (!gw->ys)
		return error.code ? -(int)error.code : -errno;
	return setsockopt(ynl_socket_get_fd(gw->ys), SOL_SOCKET, SO_RCVTIMEO,
			  &limit, sizeof(limit)) ? -errno : 0;
}

void gwnl_close(struct gwnl *gw)
{
	if (gw->ys)
		ynl_sock_destroy(gw->ys);
	gw->ys = NULL;
}

int gwnl_new_socket(struct gwnl *gw)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	int err;

	if (fd < 0)
		return -errno;
	err = dup2(fd, ynl_socket_get_fd(gw->ys)) < 0 ? -errno : 0;
	close(fd);
	return err;
}

/* There is no code in ynl_sock.err when a system call has failed, and no errno either
 * for an answer that YNL did not expect.
 */
static int gwnl_error(const struct gwnl *gw)
{
	if (gw->ys->err.code)
		return -(int)gw->ys->err.code;
	return errno ? -errno : -EPROTO;
}

bool gwnl_explained(const struct gwnl *gw)
{
	static const char begin[] = "Kernel error: '";
	const char *msg = gw->ys->err.msg;

	return !strncmp(msg, begin, strlen(begin)) && msg[strlen(begin)] != '\'';
}

struct nlmsghdr *gwnl_msg(struct gwnl *gw, int cmd)
{
	/* for the names of attributes in errors */
	gw->ys->req_policy = &can_gw_rule_nest;
	return ynl_gemsg_start_req(gw->ys, gw->ys->family_id, cmd,
				   CAN_GW_FAMILY_VERSION);
}

static int ignore_answer(const struct nlmsghdr *nlh, struct ynl_parse_arg *yarg)
{
	return YNL_PARSE_CB_OK;
}

int gwnl_exec(struct gwnl *gw, struct nlmsghdr *nlh)
{
	const struct genlmsghdr *genl = ynl_nlmsg_data(nlh);
	struct ynl_req_state state = {
		.yarg = { .ys = gw->ys }, .cb = ignore_answer,
		.rsp_cmd = genl->cmd,
	};

	return ynl_exec(gw->ys, nlh, &state) < 0 ? gwnl_error(gw) : 0;
}

/* From a rule to a request, which borrows what the rule has. */

void gwnl_set_name(struct gwnl_rule *rule, const char *name)
{
	snprintf(rule->name, sizeof(rule->name), "%s", name);
}

static struct can_gw_operand operand_of(const struct gwnl_operand *op)
{
	return (struct can_gw_operand){
		._present = {
			.id = !!(op->fields & GWNL_FIELD(ID)),
			.len = !!(op->fields & GWNL_FIELD(LEN)),
			.flags = !!(op->fields & GWNL_FIELD(FLAGS)),
			.prio = !!(op->fields & GWNL_FIELD(PRIO)),
			.vcid = !!(op->fields & GWNL_FIELD(VCID)),
			.sdt = !!(op->fields & GWNL_FIELD(SDT)),
			.af = !!(op->fields & GWNL_FIELD(AF)),
		},
		.YNL_LEN(data) = op->fields & GWNL_FIELD(DATA) ?
				 op->data_len : 0,
		.id = op->id, .len = op->len, .flags = op->flags,
		.prio = op->prio, .vcid = op->vcid, .sdt = op->sdt,
		.af = op->af, .data = (void *)op->data,
	};
}

static bool has_profile_data(uint32_t profile)
{
	return profile == CAN_GW_CRC8_PROFILE_1U8 ||
	       profile == CAN_GW_CRC8_PROFILE_16U8;
}

static struct can_gw_crc8_checksum crc8_of(const struct gwnl_csum *csum)
{
	return (struct can_gw_crc8_checksum){
		._present = {
			.from = 1, .to = 1, .result = 1, .init = !!csum->init,
			.final = !!csum->final, .profile = !!csum->profile,
		},
		.YNL_LEN(table) = sizeof(csum->table),
		.YNL_LEN(profile_data) = has_profile_data(csum->profile) ?
					 sizeof(csum->profile_data) : 0,
		.from = csum->from, .to = csum->to, .result = csum->result,
		.init = csum->init, .final = csum->final,
		.profile = csum->profile, .table = (void *)csum->table,
		.profile_data = (void *)csum->profile_data,
	};
}

static struct can_gw_xor_checksum xor_of(const struct gwnl_csum *csum)
{
	return (struct can_gw_xor_checksum){
		._present = {
			.from = 1, .to = 1, .result = 1, .init = !!csum->init,
		},
		.from = csum->from, .to = csum->to, .result = csum->result,
		.init = csum->init,
	};
}

/*
 * Initializers from a variable "rule". The requests to add, to replace and to choose
 * rules have types of their own.
 */
#define GIVEN(_value, _name) ((_value) || rule->has & GWNL_HAS(_name))

#define CHOICE_PRESENT							\
	.source = GIVEN(rule->source, SOURCE),				\
	.destination = GIVEN(rule->destination, DESTINATION),		\
	.frames = GIVEN(rule->frames, FRAMES)

#define CHOICE								\
	.YNL_LEN(name) = strlen(rule->name),				\
	.name = (char *)rule->name, .source = rule->source,		\
	.destination = rule->destination, .frames = rule->frames

#define RULE_PRESENT							\
	CHOICE_PRESENT,							\
	.flags = GIVEN(rule->flags, FLAGS),				\
	.filter_id = GIVEN(rule->filter_id, FILTER_ID),			\
	.filter_mask = GIVEN(rule->filter_mask, FILTER_MASK),		\
	.hop_limit = GIVEN(rule->hop_limit, HOP_LIMIT),			\
	.uid = GIVEN(rule->uid, UID),					\
	.and = !!rule->op[GWNL_AND].fields,				\
	.or = !!rule->op[GWNL_OR].fields,				\
	.xor = !!rule->op[GWNL_XOR].fields,				\
	.set = !!rule->op[GWNL_SET].fields,				\
	.crc8_checksum = rule->crc8.given,				\
	.xor_checksum = rule->xor.given,				\
	.express = rule->express,					\
	.lifetime = !!rule->lifetime

#define RULE								\
	CHOICE, .flags = rule->flags, .filter_id = rule->filter_id,	\
	.filter_mask = rule->filter_mask,				\
	.hop_limit = rule->hop_limit, .uid = rule->uid,			\
	.and = operand_of(&rule->op[GWNL_AND]),				\
	.or = operand_of(&rule->op[GWNL_OR]),				\
	.xor = operand_of(&rule->op[GWNL_XOR]),				\
	.set = operand_of(&rule->op[GWNL_SET]),				\
	.crc8_checksum = crc8_of(&rule->crc8),				\
	.xor_checksum = xor_of(&rule->xor),				\
	.lifetime = rule->lifetime

/*
 * From an answer to a rule. What is not present is 0. An operand or a table of a
 * wrong length is not taken, so that the rule differs from the one in the request.
 */

static void take_operand(struct gwnl_operand *op,
			 const struct can_gw_operand *rsp)
{
	op->fields = rsp->_present.id * GWNL_FIELD(ID) |
		     rsp->_present.len * GWNL_FIELD(LEN) |
		     rsp->_present.flags * GWNL_FIELD(FLAGS) |
		     rsp->_present.prio * GWNL_FIELD(PRIO) |
		     rsp->_present.vcid * GWNL_FIELD(VCID) |
		     rsp->_present.sdt * GWNL_FIELD(SDT) |
		     rsp->_present.af * GWNL_FIELD(AF) |
		     !!rsp->YNL_LEN(data) * GWNL_FIELD(DATA);
	op->id = rsp->id;
	op->len = rsp->len;
	op->flags = rsp->flags;
	op->prio = rsp->prio;
	op->vcid = rsp->vcid;
	op->sdt = rsp->sdt;
	op->af = rsp->af;
	op->data_len = rsp->YNL_LEN(data);
	if (op->data_len > sizeof(op->data))
		op->fields = 0;
	else if (op->data_len)
		memcpy(op->data, rsp->data, op->data_len);
}

static void take_crc8(struct gwnl_csum *csum,
		      const struct can_gw_crc8_checksum *rsp)
{
	csum->from = rsp->from;
	csum->to = rsp->to;
	csum->result = rsp->result;
	csum->init = rsp->init;
	csum->final = rsp->final;
	csum->profile = rsp->profile;
	csum->given = rsp->YNL_LEN(table) == sizeof(csum->table);
	if (csum->given)
		memcpy(csum->table, rsp->table, sizeof(csum->table));
	if (rsp->YNL_LEN(profile_data) == sizeof(csum->profile_data))
		memcpy(csum->profile_data, rsp->profile_data,
		       sizeof(csum->profile_data));
}

static void take_xor(struct gwnl_csum *csum,
		     const struct can_gw_xor_checksum *rsp)
{
	csum->from = rsp->from;
	csum->to = rsp->to;
	csum->result = rsp->result;
	csum->init = rsp->init;
}

void gwnl_take_rule(struct gwnl_rule *rule,
		    const struct can_gw_rule_get_rsp *rsp)
{
	memset(rule, 0, sizeof(*rule));
	rule->has = rsp->_present.handle * GWNL_HAS(HANDLE) |
		    !!rsp->YNL_LEN(name) * GWNL_HAS(NAME) |
		    rsp->_present.hop_limit * GWNL_HAS(HOP_LIMIT) |
		    rsp->_present.uid * GWNL_HAS(UID) |
		    rsp->_present.and * GWNL_HAS(AND) |
		    rsp->_present.or * GWNL_HAS(OR) |
		    rsp->_present.xor * GWNL_HAS(XOR) |
		    rsp->_present.set * GWNL_HAS(SET) |
		    rsp->_present.crc8_checksum * GWNL_HAS(CRC8_CHECKSUM) |
		    rsp->_present.xor_checksum * GWNL_HAS(XOR_CHECKSUM) |
		    rsp->_present.stats * GWNL_HAS(STATS);
	rule->handle = rsp->handle;
	if (rsp->name)
		gwnl_set_name(rule, rsp->name);
	rule->source = rsp->source;
	rule->destination = rsp->destination;
	rule->frames = rsp->frames;
	rule->flags = rsp->flags;
	rule->filter_id = rsp->filter_id;
	rule->filter_mask = rsp->filter_mask;
	rule->hop_limit = rsp->hop_limit;
	rule->uid = rsp->uid;
	take_operand(&rule->op[GWNL_AND], &rsp->and);
	take_operand(&rule->op[GWNL_OR], &rsp->or);
	take_operand(&rule->op[GWNL_XOR], &rsp->xor);
	take_operand(&rule->op[GWNL_SET], &rsp->set);
	take_crc8(&rule->crc8, &rsp->crc8_checksum);
	rule->xor.given = rsp->_present.xor_checksum;
	take_xor(&rule->xor, &rsp->xor_checksum);
	rule->express = rsp->_present.express;
	rule->lifetime = rsp->lifetime;
	rule->pending = rsp->_present.pending;
	rule->stats = rsp->stats;
}

/* Commands for a rule */

int gwnl_add(struct gwnl *gw, const struct gwnl_rule *rule, uint64_t *handle)
{
	struct can_gw_rule_add_req req = {
		._present = { RULE_PRESENT }, RULE,
	};
	struct can_gw_rule_add_rsp *rsp = can_gw_rule_add(gw->ys, &req);

	if (handle)
		*handle = rsp ? rsp->handle : 0;
	if (!rsp)
		return gwnl_error(gw);
	can_gw_rule_add_rsp_free(rsp);
	return 0;
}

int gwnl_replace(struct gwnl *gw, const struct gwnl_rule *rule)
{
	struct can_gw_rule_replace_req req = {
		._present = { RULE_PRESENT, .handle = !!rule->handle },
		RULE, .handle = rule->handle,
	};

	return can_gw_rule_replace(gw->ys, &req) < 0 ? gwnl_error(gw) : 0;
}

int gwnl_del(struct gwnl *gw, uint64_t handle)
{
	struct can_gw_rule_del_req req = {
		._present.handle = !!handle, .handle = handle,
	};

	return can_gw_rule_del(gw->ys, &req) < 0 ? gwnl_error(gw) : 0;
}

static int take_answer(struct gwnl *gw, struct can_gw_rule_get_rsp *rsp,
		       uint64_t handle, struct gwnl_rule *rule)
{
	if (!rsp)
		return gwnl_error(gw);
	gwnl_take_rule(rule, rsp);
	can_gw_rule_get_rsp_free(rsp);
	return rule->handle == handle ? 0 : -EPROTO;
}

int gwnl_get(struct gwnl *gw, uint64_t handle, struct gwnl_rule *rule)
{
	struct can_gw_rule_get_req req = {
		._present.handle = !!handle, .handle = handle,
	};

	return take_answer(gw, can_gw_rule_get(gw->ys, &req), handle, rule);
}

/*
 * By the specification, "reset" has the same requests and answers as "get", and
 * transactions have the answers of "table-get", all as types of their own.
 */

int gwnl_reset(struct gwnl *gw, uint64_t handle, struct gwnl_rule *rule)
{
	struct can_gw_rule_reset_req req = {
		._present.handle = !!handle, .handle = handle,
	};

	return take_answer(gw, (void *)can_gw_rule_reset(gw->ys, &req), handle,
			   rule);
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

/* Dumps */

static struct can_gw_rule_get_list *dump(struct gwnl *gw, int cmd,
					 const struct gwnl_rule *rule)
{
	struct can_gw_rule_get_req_dump req = {
		._present = { CHOICE_PRESENT }, CHOICE,
	};

	if (cmd == CAN_GW_CMD_RULE_RESET)
		return (void *)can_gw_rule_reset_dump(gw->ys, (void *)&req);
	return can_gw_rule_get_dump(gw->ys, &req);
}

int gwnl_dump(struct gwnl *gw, int cmd, const struct gwnl_rule *choice,
	      gwnl_each each, void *data)
{
	static const struct gwnl_rule all;
	struct can_gw_rule_get_list *list = dump(gw, cmd, choice ?: &all);
	struct gwnl_rule rule;
	int count = 0;

	if (!list)
		return gwnl_error(gw);
	ynl_dump_foreach(list, rsp) {
		count++;
		if (!each)
			continue;
		gwnl_take_rule(&rule, rsp);
		each(&rule, data);
	}
	can_gw_rule_get_list_free(list);
	return count;
}

struct collection {
	uint64_t *handles;
	int max;
};

static void collect(const struct gwnl_rule *rule, void *data)
{
	struct collection *collection = data;

	if (collection->max-- > 0)
		*collection->handles++ = rule->handle;
}

int gwnl_handles(struct gwnl *gw, uint64_t *handles, int max)
{
	struct collection collection = { handles, handles ? max : 0 };

	return gwnl_dump(gw, CAN_GW_CMD_RULE_GET, NULL, collect, &collection);
}

static void add_to_digest(const struct gwnl_rule *rule, void *data)
{
	const uint8_t *bytes = (const uint8_t *)rule;
	uint64_t *digest = data;
	size_t i;

	for (i = 0; i < sizeof(*rule); i++)
		*digest = (*digest ^ bytes[i]) * 0x100000001b3ULL;
}

int64_t gwnl_digest(struct gwnl *gw)
{
	uint64_t digest = 0xcbf29ce484222325ULL;
	int count = gwnl_dump(gw, CAN_GW_CMD_RULE_GET, NULL, add_to_digest,
			      &digest);

	return count < 0 ? count : (int64_t)(digest >> 1);
}

/* Tables and transactions */

static int take_table(struct gwnl *gw, struct can_gw_table_get_rsp *rsp,
		      struct can_gw_table_get_rsp *table)
{
	if (!rsp)
		return gwnl_error(gw);
	if (table)
		*table = *rsp;
	can_gw_table_get_rsp_free(rsp);
	return 0;
}

int gwnl_table(struct gwnl *gw, uint32_t source,
	       struct can_gw_table_get_rsp *table)
{
	struct can_gw_table_get_req req = {
		._present.source = !!source, .source = source,
	};

	return take_table(gw, can_gw_table_get(gw->ys, &req), table);
}

int64_t gwnl_generation(struct gwnl *gw)
{
	struct can_gw_table_get_rsp table = { 0 };

	return gwnl_table(gw, 0, &table) ? -1 : (int64_t)table.generation;
}

int gwnl_begin(struct gwnl *gw, uint32_t source)
{
	struct can_gw_transaction_begin_req req = {
		._present.source = !!source, .source = source,
	};

	return can_gw_transaction_begin(gw->ys, &req) < 0 ? gwnl_error(gw) : 0;
}

int gwnl_commit(struct gwnl *gw, uint32_t rules,
		struct can_gw_table_get_rsp *table)
{
	struct can_gw_transaction_commit_req req = {
		._present.rules = 1, .rules = rules,
	};

	return take_table(gw, (void *)can_gw_transaction_commit(gw->ys, &req),
			  table);
}

int gwnl_abort(struct gwnl *gw)
{
	return take_table(gw, (void *)can_gw_transaction_abort(gw->ys), NULL);
}

int gwnl_batch(struct gwnl *gw, int count,
	       void (*put)(struct nlmsghdr *nlh, int number))
{
	int fd = ynl_socket_get_fd(gw->ys), i, err;
	char buf[2 * GWNL_MSG_SIZE];
	struct nlmsghdr *nlh;
	size_t len = 0;

	for (i = 0; i < count; i++) {
		nlh = gwnl_msg(gw, CAN_GW_CMD_RULE_ADD);
		put(nlh, i);
		/* where YNL keeps the size of its buffer */
		nlh->nlmsg_pid = 0;
		nlh->nlmsg_flags = NLM_F_REQUEST;
		memcpy(buf + len, nlh, nlh->nlmsg_len);
		len += nlh->nlmsg_len;
		if (len < sizeof(buf) - GWNL_MSG_SIZE && i + 1 < count)
			continue;
		if (send(fd, buf, len, 0) < 0)
			return -errno;
		len = 0;
	}
	/* errors of rules, which nobody has read, come before this answer */
	err = gwnl_table(gw, 0, NULL);
	while (err && recv(fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
		;
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
	if (want->express != got->express)
		return "express";
	if (want->lifetime != got->lifetime)
		return "lifetime";
	return same_csum(&want->xor, &got->xor) ? "" : "xor checksum";
}
