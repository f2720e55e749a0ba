// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reason why the kernel rejected a request: the extack message, and the offset of the
 * invalid attribute or the type of the missing one, which are converted to names.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <netlink/attr.h>
#include <linux/can/gw_netlink.h>
#include <linux/genetlink.h>

#include "kernel-error.h"

/* Headers before Linux 6.1 do not have these two NLMSGERR_ATTR_*. */
#define ATTR_MISS_TYPE 5
#define ATTR_MISS_NEST 6
#define ATTR_MAX ATTR_MISS_NEST

/* struct attr_name - name of an attribute in the long form, and as an option of cangw */
struct attr_name {
	const char *keyword;
	const char *option;
	const struct attr_name *nest;
	unsigned int nest_max;
};

static const struct attr_name operand_names[] = {
	[CAN_GW_A_OPERAND_ID] = { .keyword = "id", .option = "I" },
	[CAN_GW_A_OPERAND_LEN] = { .keyword = "len", .option = "L" },
	[CAN_GW_A_OPERAND_FLAGS] = { .keyword = "flags", .option = "F" },
	[CAN_GW_A_OPERAND_PRIO] = { .keyword = "prio" },
	[CAN_GW_A_OPERAND_VCID] = { .keyword = "vcid" },
	[CAN_GW_A_OPERAND_SDT] = { .keyword = "sdt" },
	[CAN_GW_A_OPERAND_AF] = { .keyword = "af" },
	[CAN_GW_A_OPERAND_DATA] = { .keyword = "data", .option = "D" },
};

static const struct attr_name xor_names[] = {
	[CAN_GW_A_XOR_CHECKSUM_FROM] = { .keyword = "first offset", .option = "from" },
	[CAN_GW_A_XOR_CHECKSUM_TO] = { .keyword = "last offset", .option = "to" },
	[CAN_GW_A_XOR_CHECKSUM_RESULT] = { .keyword = "at", .option = "result" },
	[CAN_GW_A_XOR_CHECKSUM_INIT] = { .keyword = "init" },
};

static const struct attr_name crc8_names[] = {
	[CAN_GW_A_CRC8_CHECKSUM_FROM] = { .keyword = "first offset", .option = "from" },
	[CAN_GW_A_CRC8_CHECKSUM_TO] = { .keyword = "last offset", .option = "to" },
	[CAN_GW_A_CRC8_CHECKSUM_RESULT] = { .keyword = "at", .option = "result" },
	[CAN_GW_A_CRC8_CHECKSUM_INIT] = { .keyword = "init" },
	[CAN_GW_A_CRC8_CHECKSUM_FINAL] = { .keyword = "final", .option = "xor" },
	[CAN_GW_A_CRC8_CHECKSUM_TABLE] = { .keyword = "table" },
	[CAN_GW_A_CRC8_CHECKSUM_PROFILE] = { .keyword = "profile", .option = "-p" },
	[CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA] = { .keyword = "profile data", .option = "-p" },
};

#define NEST(names) .nest = (names), .nest_max = sizeof(names) / sizeof((names)[0]) - 1

static const struct attr_name rule_names[] = {
	[CAN_GW_A_RULE_NAME] = { .keyword = "name" },
	[CAN_GW_A_RULE_SOURCE] = { .keyword = "from", .option = "-s" },
	[CAN_GW_A_RULE_DESTINATION] = { .keyword = "to", .option = "-d" },
	[CAN_GW_A_RULE_FRAMES] = { .keyword = "frames", .option = "-X" },
	[CAN_GW_A_RULE_FLAGS] = { .keyword = "echo, keep-time, return", .option = "-e, -t, -i" },
	[CAN_GW_A_RULE_FILTER_ID] = { .keyword = "filter", .option = "-f" },
	[CAN_GW_A_RULE_FILTER_MASK] = { .keyword = "filter mask", .option = "-f" },
	[CAN_GW_A_RULE_HOP_LIMIT] = { .keyword = "hop-limit", .option = "-l" },
	[CAN_GW_A_RULE_UID] = { .keyword = "uid", .option = "-u" },
	[CAN_GW_A_RULE_AND] = { .keyword = "and", .option = "-m AND", NEST(operand_names) },
	[CAN_GW_A_RULE_OR] = { .keyword = "or", .option = "-m OR", NEST(operand_names) },
	[CAN_GW_A_RULE_XOR] = { .keyword = "xor", .option = "-m XOR", NEST(operand_names) },
	[CAN_GW_A_RULE_SET] = { .keyword = "set", .option = "-m SET", NEST(operand_names) },
	[CAN_GW_A_RULE_CRC8_CHECKSUM] = { .keyword = "crc8", .option = "-c", NEST(crc8_names) },
	[CAN_GW_A_RULE_XOR_CHECKSUM] = { .keyword = "xor-checksum", .option = "-x",
					 NEST(xor_names) },
	[CAN_GW_A_RULE_EXPRESS] = { .keyword = "express" },
	[CAN_GW_A_RULE_LIFETIME] = { .keyword = "lifetime" },
};

static const struct attr_name table_names[] = {
	[CAN_GW_A_TABLE_SOURCE] = { .keyword = "--source" },
	[CAN_GW_A_TABLE_RULES] = { .keyword = "number of rules" },
	[CAN_GW_A_TABLE_GENERATION] = { .keyword = "--generation" },
};

static const struct attr_name rule_request = { NEST(rule_names) };
static const struct attr_name table_request = { NEST(table_names) };

static const struct attr_name *request_names(uint8_t command)
{
	switch (command) {
	case CAN_GW_CMD_TRANSACTION_BEGIN:
	case CAN_GW_CMD_TRANSACTION_COMMIT:
	case CAN_GW_CMD_TRANSACTION_ABORT:
	case CAN_GW_CMD_TABLE_GET:
		return &table_request;
	}
	return &rule_request;
}

/* Names of the nested attributes, separated by spaces */
struct attr_path {
	char text[128];
	bool cangw;
};

static void append_attr_name(struct attr_path *path, const struct attr_name *name)
{
	size_t len = strlen(path->text);
	const char *keyword = path->cangw && name->option ? name->option : name->keyword;

	snprintf(path->text + len, sizeof(path->text) - len, "%s%s", len ? " " : "", keyword);
}

static const struct attr_name *nested_name(const struct attr_name *nest, unsigned int type)
{
	if (type > nest->nest_max || !nest->nest[type].keyword)
		return NULL;
	return &nest->nest[type];
}

/*
 * Append the names of the attributes that contain @offset, which counts from @message.
 * Returns the name of the innermost one, NULL if no attribute at @head contains it.
 */
static const struct attr_name *find_attr(struct attr_path *path, const struct attr_name *nest,
					 const char *message, struct nlattr *head, int len,
					 size_t offset)
{
	struct nlattr *attr;
	int left;

	nla_for_each_attr(attr, head, len, left) {
		size_t begin = (const char *)attr - message;
		const struct attr_name *name = nested_name(nest, nla_type(attr));

		if (offset < begin || offset >= begin + nla_total_size(nla_len(attr)))
			continue;
		if (!name)
			return NULL;
		append_attr_name(path, name);
		if (offset == begin || !name->nest)
			return name;
		return find_attr(path, name, message, nla_data(attr), nla_len(attr), offset);
	}
	return NULL;
}

/* Search the copy of the request in the reply. */
static const struct attr_name *find_attr_in_request(struct attr_path *path,
						    const struct nlmsghdr *request,
						    size_t offset)
{
	const struct genlmsghdr *genl = NLMSG_DATA(request);
	const size_t headers = NLMSG_HDRLEN + GENL_HDRLEN;

	if (request->nlmsg_len < headers)
		return NULL;
	return find_attr(path, request_names(genl->cmd), (const char *)request,
			 (struct nlattr *)((char *)request + headers), request->nlmsg_len - headers,
			 offset);
}

/* Append the names of the invalid or missing attribute, in parentheses. */
static void append_attr_path(struct kernel_error *kerr, struct nlattr *const attrs[],
			     const struct nlmsghdr *request)
{
	struct attr_path path = { .cangw = kerr->cangw };
	const struct genlmsghdr *genl = NLMSG_DATA(request);
	const struct attr_name *name = request_names(genl->cmd);
	size_t len = strlen(kerr->text);

	if (attrs[ATTR_MISS_TYPE]) {
		if (attrs[ATTR_MISS_NEST])
			name = find_attr_in_request(&path, request,
						    nla_get_u32(attrs[ATTR_MISS_NEST]));
		if (name)
			name = nested_name(name, nla_get_u32(attrs[ATTR_MISS_TYPE]));
		if (!name)
			return;
		append_attr_name(&path, name);
		snprintf(kerr->text + len, sizeof(kerr->text) - len, " (%s is missing)",
			 path.text);
	} else if (attrs[NLMSGERR_ATTR_OFFS]) {
		find_attr_in_request(&path, request, nla_get_u32(attrs[NLMSGERR_ATTR_OFFS]));
		if (path.text[0])
			snprintf(kerr->text + len, sizeof(kerr->text) - len, " (%s)",
				 path.text);
	}
}

/* The text of an error without an extack message */
static void set_errno_text(struct kernel_error *kerr, int error)
{
	kerr->error = error;
	snprintf(kerr->text, sizeof(kerr->text), "%s", error == EPERM ?
		 "CAP_NET_ADMIN is required" : strerror(error));
}

static void read_attrs(struct kernel_error *kerr, struct nlattr *head, int len,
		       const struct nlmsghdr *request)
{
	static const struct nla_policy policy[ATTR_MAX + 1] = {
		[NLMSGERR_ATTR_OFFS] = { .type = NLA_U32 },
		[ATTR_MISS_TYPE] = { .type = NLA_U32 },
		[ATTR_MISS_NEST] = { .type = NLA_U32 },
	};
	struct nlattr *attrs[ATTR_MAX + 1];

	if (nla_parse(attrs, ATTR_MAX, head, len, policy))
		return;
	if (attrs[NLMSGERR_ATTR_MSG])
		nla_strlcpy(kerr->text, attrs[NLMSGERR_ATTR_MSG], sizeof(kerr->text));
	if (request)
		append_attr_path(kerr, attrs, request);
}

/* NLMSG_DONE has only an int before the attributes. */
static void read_done(struct kernel_error *kerr, const struct nlmsghdr *nlh)
{
	int *error = NLMSG_DATA(nlh);

	set_errno_text(kerr, -*error);
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		read_attrs(kerr, (struct nlattr *)(error + 1),
			   NLMSG_PAYLOAD(nlh, sizeof(*error)), NULL);
}

void kernel_error_read(struct kernel_error *kerr, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	bool whole = !(nlh->nlmsg_flags & NLM_F_CAPPED);
	size_t len = sizeof(*err);

	kerr->seq = nlh->nlmsg_seq;
	if (nlh->nlmsg_type == NLMSG_DONE) {
		read_done(kerr, nlh);
		return;
	}
	set_errno_text(kerr, -err->error);
	if (whole)
		len += NLMSG_ALIGN(err->msg.nlmsg_len - sizeof(err->msg));
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && NLMSG_PAYLOAD(nlh, 0) > len)
		read_attrs(kerr, (struct nlattr *)((char *)NLMSG_DATA(nlh) + len),
			   NLMSG_PAYLOAD(nlh, len), whole ? &err->msg : NULL);
}
