// SPDX-License-Identifier: GPL-2.0-only
/*
 * Why the kernel refused a request. It says so in a sentence, and by the offset of an
 * attribute or the type of a missing one. Here these become words again.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <netlink/attr.h>
#include <linux/can/gw_netlink.h>
#include <linux/genetlink.h>

#include "refusal.h"

/* NLMSGERR_ATTR_* of kernels before 6.1 end before these two. */
#define ATTR_MISS_TYPE 5
#define ATTR_MISS_NEST 6
#define ATTR_MAX ATTR_MISS_NEST

/* struct term - what an attribute is called in the long form, and with options of cangw */
struct term {
	const char *word;
	const char *option;
	const struct term *nest;
	unsigned int nest_max;
};

static const struct term operand_terms[] = {
	[CAN_GW_A_OPERAND_ID] = { .word = "id", .option = "I" },
	[CAN_GW_A_OPERAND_LEN] = { .word = "len", .option = "L" },
	[CAN_GW_A_OPERAND_FLAGS] = { .word = "flags", .option = "F" },
	[CAN_GW_A_OPERAND_PRIO] = { .word = "prio" },
	[CAN_GW_A_OPERAND_VCID] = { .word = "vcid" },
	[CAN_GW_A_OPERAND_SDT] = { .word = "sdt" },
	[CAN_GW_A_OPERAND_AF] = { .word = "af" },
	[CAN_GW_A_OPERAND_DATA] = { .word = "data", .option = "D" },
};

static const struct term xor_terms[] = {
	[CAN_GW_A_XOR_CHECKSUM_FROM] = { .word = "first place", .option = "from" },
	[CAN_GW_A_XOR_CHECKSUM_TO] = { .word = "last place", .option = "to" },
	[CAN_GW_A_XOR_CHECKSUM_RESULT] = { .word = "at", .option = "result" },
	[CAN_GW_A_XOR_CHECKSUM_INIT] = { .word = "init" },
};

static const struct term crc8_terms[] = {
	[CAN_GW_A_CRC8_CHECKSUM_FROM] = { .word = "first place", .option = "from" },
	[CAN_GW_A_CRC8_CHECKSUM_TO] = { .word = "last place", .option = "to" },
	[CAN_GW_A_CRC8_CHECKSUM_RESULT] = { .word = "at", .option = "result" },
	[CAN_GW_A_CRC8_CHECKSUM_INIT] = { .word = "init" },
	[CAN_GW_A_CRC8_CHECKSUM_FINAL] = { .word = "final", .option = "xor" },
	[CAN_GW_A_CRC8_CHECKSUM_TABLE] = { .word = "table" },
	[CAN_GW_A_CRC8_CHECKSUM_PROFILE] = { .word = "profile", .option = "-p" },
	[CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA] = { .word = "profile's data", .option = "-p" },
};

#define NEST(terms) .nest = (terms), .nest_max = sizeof(terms) / sizeof((terms)[0]) - 1

static const struct term rule_terms[] = {
	[CAN_GW_A_RULE_NAME] = { .word = "name" },
	[CAN_GW_A_RULE_SOURCE] = { .word = "from", .option = "-s" },
	[CAN_GW_A_RULE_DESTINATION] = { .word = "to", .option = "-d" },
	[CAN_GW_A_RULE_FRAMES] = { .word = "frames", .option = "-X" },
	[CAN_GW_A_RULE_FLAGS] = { .word = "echo, keep-time, return", .option = "-e, -t, -i" },
	[CAN_GW_A_RULE_FILTER_ID] = { .word = "the filter", .option = "-f" },
	[CAN_GW_A_RULE_FILTER_MASK] = { .word = "the filter's mask", .option = "-f" },
	[CAN_GW_A_RULE_HOP_LIMIT] = { .word = "hop-limit", .option = "-l" },
	[CAN_GW_A_RULE_UID] = { .word = "uid", .option = "-u" },
	[CAN_GW_A_RULE_AND] = { .word = "and", .option = "-m AND", NEST(operand_terms) },
	[CAN_GW_A_RULE_OR] = { .word = "or", .option = "-m OR", NEST(operand_terms) },
	[CAN_GW_A_RULE_XOR] = { .word = "xor", .option = "-m XOR", NEST(operand_terms) },
	[CAN_GW_A_RULE_SET] = { .word = "set", .option = "-m SET", NEST(operand_terms) },
	[CAN_GW_A_RULE_CRC8_CHECKSUM] = { .word = "crc8", .option = "-c", NEST(crc8_terms) },
	[CAN_GW_A_RULE_XOR_CHECKSUM] = { .word = "xor-checksum", .option = "-x", NEST(xor_terms) },
};

static const struct term table_terms[] = {
	[CAN_GW_A_TABLE_SOURCE] = { .word = "--source" },
	[CAN_GW_A_TABLE_RULES] = { .word = "the number of rules" },
	[CAN_GW_A_TABLE_GENERATION] = { .word = "--generation" },
};

static const struct term rule_request = { NEST(rule_terms) };
static const struct term table_request = { NEST(table_terms) };

static const struct term *request_terms(uint8_t command)
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

/* Words one by one, with spaces between them. */
struct phrase {
	char text[128];
	bool cangw;
};

static void append(struct phrase *phrase, const struct term *term)
{
	size_t len = strlen(phrase->text);
	const char *word = phrase->cangw && term->option ? term->option : term->word;

	snprintf(phrase->text + len, sizeof(phrase->text) - len, "%s%s", len ? " " : "", word);
}

static const struct term *nested(const struct term *nest, unsigned int type)
{
	if (type > nest->nest_max || !nest->nest[type].word)
		return NULL;
	return &nest->nest[type];
}

/*
 * Append the way to the attribute at @offset, which counts from @message, among the
 * attributes at @head. Returns the last term of it, NULL if it is not among them.
 */
static const struct term *find(struct phrase *phrase, const struct term *nest,
			       const char *message, struct nlattr *head, int len, size_t offset)
{
	struct nlattr *attr;
	int left;

	nla_for_each_attr(attr, head, len, left) {
		size_t begin = (const char *)attr - message;
		const struct term *term = nested(nest, nla_type(attr));

		if (offset < begin || offset >= begin + nla_total_size(nla_len(attr)))
			continue;
		if (!term)
			return NULL;
		append(phrase, term);
		if (offset == begin || !term->nest)
			return term;
		return find(phrase, term, message, nla_data(attr), nla_len(attr), offset);
	}
	return NULL;
}

/* In the request, which the kernel has sent back. */
static const struct term *find_in_request(struct phrase *phrase, const struct nlmsghdr *request,
					  size_t offset)
{
	const struct genlmsghdr *genl = NLMSG_DATA(request);
	const size_t headers = NLMSG_HDRLEN + GENL_HDRLEN;

	if (request->nlmsg_len < headers)
		return NULL;
	return find(phrase, request_terms(genl->cmd), (const char *)request,
		    (struct nlattr *)((char *)request + headers), request->nlmsg_len - headers,
		    offset);
}

/* What it is about, in brackets behind the sentence. */
static void describe(struct refusal *refusal, struct nlattr *const attrs[],
		     const struct nlmsghdr *request)
{
	struct phrase phrase = { .cangw = refusal->cangw };
	const struct genlmsghdr *genl = NLMSG_DATA(request);
	const struct term *term = request_terms(genl->cmd);
	size_t len = strlen(refusal->text);

	if (attrs[ATTR_MISS_TYPE]) {
		if (attrs[ATTR_MISS_NEST])
			term = find_in_request(&phrase, request,
					       nla_get_u32(attrs[ATTR_MISS_NEST]));
		if (term)
			term = nested(term, nla_get_u32(attrs[ATTR_MISS_TYPE]));
		if (!term)
			return;
		append(&phrase, term);
		snprintf(refusal->text + len, sizeof(refusal->text) - len, " (%s is missing)",
			 phrase.text);
	} else if (attrs[NLMSGERR_ATTR_OFFS]) {
		find_in_request(&phrase, request, nla_get_u32(attrs[NLMSGERR_ATTR_OFFS]));
		if (phrase.text[0])
			snprintf(refusal->text + len, sizeof(refusal->text) - len, " (%s)",
				 phrase.text);
	}
}

/* What can be said without a sentence of the kernel. */
static void say_error(struct refusal *refusal, int error)
{
	refusal->error = error;
	snprintf(refusal->text, sizeof(refusal->text), "%s", error == EPERM ?
		 "this needs the capability CAP_NET_ADMIN" : strerror(error));
}

static void read_attrs(struct refusal *refusal, struct nlattr *head, int len,
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
		nla_strlcpy(refusal->text, attrs[NLMSGERR_ATTR_MSG], sizeof(refusal->text));
	if (request)
		describe(refusal, attrs, request);
}

/* NLMSG_DONE has just a number before the attributes. */
static void read_done(struct refusal *refusal, const struct nlmsghdr *nlh)
{
	int *error = NLMSG_DATA(nlh);

	say_error(refusal, -*error);
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		read_attrs(refusal, (struct nlattr *)(error + 1),
			   NLMSG_PAYLOAD(nlh, sizeof(*error)), NULL);
}

void refusal_read(struct refusal *refusal, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	bool whole = !(nlh->nlmsg_flags & NLM_F_CAPPED);
	size_t len = sizeof(*err);

	refusal->seq = nlh->nlmsg_seq;
	if (nlh->nlmsg_type == NLMSG_DONE) {
		read_done(refusal, nlh);
		return;
	}
	say_error(refusal, -err->error);
	if (whole)
		len += NLMSG_ALIGN(err->msg.nlmsg_len - sizeof(err->msg));
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS && NLMSG_PAYLOAD(nlh, 0) > len)
		read_attrs(refusal, (struct nlattr *)((char *)NLMSG_DATA(nlh) + len),
			   NLMSG_PAYLOAD(nlh, len), whole ? &err->msg : NULL);
}
