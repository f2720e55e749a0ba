// SPDX-License-Identifier: GPL-2.0-only
/* Random messages to both control planes of the gateway: see gw_fuzzer.h. */
#define _GNU_SOURCE
#include <string.h>

#include <libmnl/libmnl.h>
#include <linux/can.h>
#include <linux/can/gw.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_fuzzer.h"
#include "kselftest.h"

#define BUF_SIZE	GWNL_MSG_SIZE

uint32_t gw_fuzz_pick(struct gw_fuzz *f, uint32_t below)
{
	return ct_random(&f->random) % below;
}

/* Return: true if the caller has to put something wrong into the message. */
static bool inject_error(struct gw_fuzz *f)
{
	if (!f->one_in || gw_fuzz_pick(f, f->one_in))
		return false;
	f->wrong = true;
	return true;
}

/* Attributes */

static bool fits(const struct nlmsghdr *nlh, unsigned int len)
{
	return nlh->nlmsg_len + 2 * len + 64 < BUF_SIZE;
}

void gw_fuzz_bytes(struct gw_fuzz *f, uint8_t *bytes, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		bytes[i] = ct_random(&f->random);
}

static void boundary(struct gw_fuzz *f, uint8_t *bytes, unsigned int len)
{
	static const uint8_t fills[] = { 0, 0xff };

	memset(bytes, fills[gw_fuzz_pick(f, 2)], len);
	if (!len)
		return;
	switch (gw_fuzz_pick(f, 4)) {
	case 0:
		bytes[0] ^= 1;
		break;
	case 1:
		bytes[len - 1] ^= 0x80;
		break;
	case 2:
		bytes[0] = 0x80;
		break;
	}
}

static void put_wrong(struct gw_fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		      unsigned int len, const void *data)
{
	static const uint16_t lens[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 63, 65, 255, 257, 2048, 2049,
	};
	uint8_t bytes[4096] = { 0 };
	struct nlattr *attr = mnl_nlmsg_get_payload_tail(nlh);

	memcpy(bytes, data, len);
	switch (gw_fuzz_pick(f, 9)) {
	case 0:		/* not at all */
		return;
	case 1:		/* twice */
		mnl_attr_put(nlh, type, len, data);
		break;
	case 2:
		type = gw_fuzz_pick(f, 2) ? type + gw_fuzz_pick(f, 5) - 2 : gw_fuzz_pick(f, 0x4000);
		break;
	case 3:
		gw_fuzz_bytes(f, bytes + len, 16);
		len = lens[gw_fuzz_pick(f, ARRAY_SIZE(lens))];
		break;
	case 4:
		gw_fuzz_bytes(f, bytes, len);
		break;
	case 5:
		boundary(f, bytes, len);
		break;
	case 6:
		type |= gw_fuzz_pick(f, 2) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER;
		break;
	case 7:		/* twice, and different */
		mnl_attr_put(nlh, type, len, data);
		gw_fuzz_bytes(f, bytes, len);
		break;
	case 8:		/* longer or shorter than it says */
		mnl_attr_put(nlh, type, len, bytes);
		attr->nla_len = gw_fuzz_pick(f, 2) ? gw_fuzz_pick(f, len + 12) :
				gw_fuzz_pick(f, 0x10000);
		return;
	}
	if (fits(nlh, len))
		mnl_attr_put(nlh, type, len, bytes);
}

static void put(struct gw_fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		unsigned int len, const void *data)
{
	if (!fits(nlh, len > 2100 ? len : 2100))
		return;
	if (inject_error(f))
		put_wrong(f, nlh, type, len, data);
	else
		mnl_attr_put(nlh, type, len, data);
}

static void put_u32(struct gw_fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		    uint32_t value)
{
	put(f, nlh, type, sizeof(value), &value);
}

static void put_u8(struct gw_fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		   uint8_t value)
{
	put(f, nlh, type, sizeof(value), &value);
}

static void put_uint(struct gw_fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		     uint64_t value)
{
	bool wide = value > UINT32_MAX || !gw_fuzz_pick(f, 4);

	put(f, nlh, type, wide ? 8 : 4, &value);
}

/* a nest in up to twenty others of its kind, now and then */
static struct nlattr *nest_start(struct gw_fuzz *f, struct nlmsghdr *nlh,
				 uint16_t type)
{
	struct nlattr *outer = mnl_attr_nest_start(nlh, type);
	int depth;

	if (!inject_error(f))
		return outer;
	switch (gw_fuzz_pick(f, 3)) {
	case 0:
		outer->nla_type &= ~NLA_F_NESTED;
		break;
	case 1:
		outer->nla_type += 1 + gw_fuzz_pick(f, 4);
		break;
	case 2:
		for (depth = gw_fuzz_pick(f, 20); depth; depth--)
			mnl_attr_nest_start(nlh, type);
		break;
	}
	return outer;
}

static void nest_end(struct gw_fuzz *f, struct nlmsghdr *nlh, struct nlattr *nest)
{
	struct nlattr *inner = nest;
	const char *tail = mnl_nlmsg_get_payload_tail(nlh);

	/* those that nest_start() has put into it */
	do {
		inner->nla_len = tail - (char *)inner;
		inner++;
	} while ((char *)inner < tail && !inner->nla_len);
	if (inject_error(f))
		nest->nla_len += gw_fuzz_pick(f, 16) - 8;
}

/* Rules of the family */

uint32_t gw_fuzz_link(struct gw_fuzz *f)
{
	return GW_FUZZ_FIRST_LINK + gw_fuzz_pick(f, GW_FUZZ_LINKS);
}

static void put_operand(struct gw_fuzz *f, struct nlmsghdr *nlh, int op,
			uint32_t frames)
{
	static const uint8_t flags[] = {
		0, CANFD_BRS | CANFD_ESI | CANFD_FDF, CANXL_SEC,
	};
	struct nlattr *nest = nest_start(f, nlh, CAN_GW_A_RULE_AND + op);
	unsigned int max = gwnl_max_data(frames);
	uint8_t data[CAN_GW_MAX_DATA];

	if (frames == CAN_GW_FRAMES_XL) {
		put_u32(f, nlh, CAN_GW_A_OPERAND_PRIO, gw_fuzz_pick(f, 0x800));
		if (gw_fuzz_pick(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_VCID, gw_fuzz_pick(f, 256));
		if (gw_fuzz_pick(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_SDT, gw_fuzz_pick(f, 256));
		if (gw_fuzz_pick(f, 2))
			put_u32(f, nlh, CAN_GW_A_OPERAND_AF,
				gw_fuzz_pick(f, UINT32_MAX));
	} else {
		put_u32(f, nlh, CAN_GW_A_OPERAND_ID, gw_fuzz_pick(f, 0x20000000));
		if (gw_fuzz_pick(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_LEN, gw_fuzz_pick(f, 9));
	}
	if (flags[frames % 3] && gw_fuzz_pick(f, 2))
		put_u8(f, nlh, CAN_GW_A_OPERAND_FLAGS,
		       gw_fuzz_pick(f, 256) & flags[frames % 3]);
	if (gw_fuzz_pick(f, 2)) {
		gw_fuzz_bytes(f, data, max);
		put(f, nlh, CAN_GW_A_OPERAND_DATA,
		    op == GWNL_SET && frames != CAN_GW_FRAMES_XL ?
		    max : 1 + gw_fuzz_pick(f, max), data);
	}
	nest_end(f, nlh, nest);
}

static int32_t random_index(struct gw_fuzz *f, uint32_t frames)
{
	int max = gwnl_max_data(frames);

	return (int)gw_fuzz_pick(f, 2 * max) - max;
}

static void put_xor(struct gw_fuzz *f, struct nlmsghdr *nlh, uint32_t frames)
{
	struct nlattr *nest = nest_start(f, nlh, CAN_GW_A_RULE_XOR_CHECKSUM);

	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_FROM, random_index(f, frames));
	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_TO, random_index(f, frames));
	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_RESULT, random_index(f, frames));
	if (gw_fuzz_pick(f, 2))
		put_u8(f, nlh, CAN_GW_A_XOR_CHECKSUM_INIT, gw_fuzz_pick(f, 256));
	nest_end(f, nlh, nest);
}

static void put_crc8(struct gw_fuzz *f, struct nlmsghdr *nlh, uint32_t frames)
{
	struct nlattr *nest = nest_start(f, nlh, CAN_GW_A_RULE_CRC8_CHECKSUM);
	uint8_t table[CAN_GW_CRC8_TABLE_LEN];

	gw_fuzz_bytes(f, table, sizeof(table));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_FROM, random_index(f, frames));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_TO, random_index(f, frames));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_RESULT, random_index(f, frames));
	put(f, nlh, CAN_GW_A_CRC8_CHECKSUM_TABLE, sizeof(table), table);
	if (gw_fuzz_pick(f, 2))
		put_u8(f, nlh, CAN_GW_A_CRC8_CHECKSUM_FINAL, gw_fuzz_pick(f, 256));
	if (gw_fuzz_pick(f, 2)) {
		put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_PROFILE, 1 + gw_fuzz_pick(f, 2));
		put(f, nlh, CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA,
		    CAN_GW_CRC8_PROFILE_DATA_LEN, table);
	}
	nest_end(f, nlh, nest);
}

/* what the attributes of a rule have to agree about */
struct draft {
	uint32_t frames;
	uint32_t source;
	uint32_t destination;
	bool express;
};

/* Return: one of @links, or now and then any, that is not @other. */
static uint32_t pick_link(struct gw_fuzz *f, uint32_t links, uint32_t other)
{
	bool any = !links || !gw_fuzz_pick(f, 8);
	uint32_t link;

	do {
		link = gw_fuzz_link(f);
		if (link != other && (any || links & 1U << (link - GW_FUZZ_FIRST_LINK)))
			return link;
		/* there may be no other one among them */
		any |= !gw_fuzz_pick(f, 20);
	} while (true);
}

/* Express rules may have any number of masks that are for standard identifiers only. */
static void put_filter(struct gw_fuzz *f, struct nlmsghdr *nlh, bool express)
{
	uint32_t id = gw_fuzz_pick(f, 0x800), mask = 0x700 | gw_fuzz_pick(f, 0x100);

	if (express && gw_fuzz_pick(f, 4))
		mask |= CAN_EFF_FLAG;
	if (express && !gw_fuzz_pick(f, 20))
		id |= CAN_INV_FILTER;
	if (express && !gw_fuzz_pick(f, 20))
		mask |= CAN_ERR_FLAG;
	put_u32(f, nlh, CAN_GW_A_RULE_FILTER_ID, id);
	put_u32(f, nlh, CAN_GW_A_RULE_FILTER_MASK, mask);
}

static void put_lifetime(struct gw_fuzz *f, struct nlmsghdr *nlh)
{
	static const uint64_t limits[] = {
		0, 1, UINT32_MAX, 1ULL << 32, INT64_MAX, 1ULL << 63, UINT64_MAX,
	};
	uint64_t lifetime = 1 + gw_fuzz_pick(f, 1000000000);

	if (!gw_fuzz_pick(f, 8))
		lifetime = limits[gw_fuzz_pick(f, ARRAY_SIZE(limits))];
	put_uint(f, nlh, CAN_GW_A_RULE_LIFETIME, lifetime);
}

static void put_part(struct gw_fuzz *f, struct nlmsghdr *nlh, int part,
		     const struct draft *draft)
{
	uint32_t frames = draft->frames;
	static const char * const names[] = {
		"a", "fuzz", "a name of thirty-one characters"
	};
	const char *name = names[gw_fuzz_pick(f, 3)];
	bool some = !gw_fuzz_pick(f, 3);

	switch (part) {
	case CAN_GW_A_RULE_NAME:
		if (some)
			put(f, nlh, part, strlen(name) + 1, name);
		break;
	case CAN_GW_A_RULE_SOURCE:
		put_u32(f, nlh, part, draft->source);
		break;
	case CAN_GW_A_RULE_DESTINATION:
		put_u32(f, nlh, part, draft->destination);
		break;
	case CAN_GW_A_RULE_FRAMES:
		if (frames || some)
			put_u32(f, nlh, part, frames);
		break;
	case CAN_GW_A_RULE_FLAGS:
		if (some)
			put_u32(f, nlh, part, gw_fuzz_pick(f, 8));
		break;
	case CAN_GW_A_RULE_FILTER_MASK:
		put_filter(f, nlh, draft->express);
		break;
	case CAN_GW_A_RULE_HOP_LIMIT:
		if (some)
			put_u8(f, nlh, part, 1);
		break;
	case CAN_GW_A_RULE_UID:
		if (some)
			put_u32(f, nlh, part, 1 + gw_fuzz_pick(f, 20));
		break;
	case CAN_GW_A_RULE_AND:		/* a uid needs it */
	case CAN_GW_A_RULE_OR:
	case CAN_GW_A_RULE_XOR:
	case CAN_GW_A_RULE_SET:
		if (part == CAN_GW_A_RULE_AND || some)
			put_operand(f, nlh, part - CAN_GW_A_RULE_AND, frames);
		break;
	case CAN_GW_A_RULE_CRC8_CHECKSUM:
		if (some)
			put_crc8(f, nlh, frames);
		break;
	case CAN_GW_A_RULE_XOR_CHECKSUM:
		if (some)
			put_xor(f, nlh, frames);
		break;
	case CAN_GW_A_RULE_EXPRESS:
		if (draft->express)
			put(f, nlh, part, 0, "");
		break;
	case CAN_GW_A_RULE_LIFETIME:
		if (draft->express ? some : !gw_fuzz_pick(f, 20))
			put_lifetime(f, nlh);
		break;
	}
}

/* a rule, its attributes in any order */
static void put_rule(struct gw_fuzz *f, struct nlmsghdr *nlh,
		     const struct gw_fuzz_ns *ns)
{
	bool express = !gw_fuzz_pick(f, f->express_in);
	struct draft draft = {
		.frames = gw_fuzz_pick(f, 3), .express = express,
		.source = pick_link(f, express ? ns->sources : 0, 0),
	};
	int parts[CAN_GW_A_RULE_MAX], i, j, swap;

	draft.destination = pick_link(f, express ? ns->destinations : 0, draft.source);
	if (express && gw_fuzz_pick(f, 8))
		draft.frames = CAN_GW_FRAMES_CC;
	f->express = express;
	for (i = 0; i < CAN_GW_A_RULE_MAX; i++)
		parts[i] = i + 1;
	for (i = 0; i < CAN_GW_A_RULE_MAX && !gw_fuzz_pick(f, 2); i++) {
		j = gw_fuzz_pick(f, CAN_GW_A_RULE_MAX);
		swap = parts[i];
		parts[i] = parts[j];
		parts[j] = swap;
	}
	for (i = 0; i < CAN_GW_A_RULE_MAX; i++)
		put_part(f, nlh, parts[i], &draft);
}

/* Requests to the family */

static uint64_t random_handle(struct gw_fuzz *f, const struct gw_fuzz_ns *ns)
{
	uint64_t handle = ns->known[gw_fuzz_pick(f, GW_FUZZ_KNOWN)];

	return gw_fuzz_pick(f, 8) && handle ? handle : 1 + gw_fuzz_pick(f, GW_FUZZ_SKIPPED);
}

static const uint8_t commands[] = {
	CAN_GW_CMD_RULE_ADD, CAN_GW_CMD_RULE_ADD, CAN_GW_CMD_RULE_ADD,
	CAN_GW_CMD_RULE_ADD, CAN_GW_CMD_RULE_ADD, CAN_GW_CMD_RULE_ADD,
	CAN_GW_CMD_RULE_REPLACE, CAN_GW_CMD_RULE_REPLACE,
	CAN_GW_CMD_RULE_DEL, CAN_GW_CMD_RULE_DEL, CAN_GW_CMD_RULE_GET,
	CAN_GW_CMD_RULE_GET, CAN_GW_CMD_RULE_RESET,
	CAN_GW_CMD_TRANSACTION_BEGIN, CAN_GW_CMD_TRANSACTION_BEGIN,
	CAN_GW_CMD_TRANSACTION_COMMIT, CAN_GW_CMD_TRANSACTION_COMMIT,
	CAN_GW_CMD_TRANSACTION_ABORT, CAN_GW_CMD_TABLE_GET,
};

static void put_choice(struct gw_fuzz *f, struct nlmsghdr *nlh)
{
	if (gw_fuzz_pick(f, 2))
		put_u32(f, nlh, CAN_GW_A_RULE_SOURCE, gw_fuzz_link(f));
	if (!gw_fuzz_pick(f, 4))
		put_u32(f, nlh, CAN_GW_A_RULE_DESTINATION, gw_fuzz_link(f));
	if (!gw_fuzz_pick(f, 4))
		put_u32(f, nlh, CAN_GW_A_RULE_FRAMES, gw_fuzz_pick(f, 3));
	if (!gw_fuzz_pick(f, 4))
		put(f, nlh, CAN_GW_A_RULE_NAME, 5, "fuzz");
}

static void put_command(struct gw_fuzz *f, struct nlmsghdr *nlh,
			const struct gw_fuzz_ns *ns,
			const struct gw_fuzz_channel *channel, int cmd)
{
	switch (cmd) {
	case CAN_GW_CMD_RULE_ADD:
		put_rule(f, nlh, ns);
		break;
	case CAN_GW_CMD_RULE_REPLACE:
		put_uint(f, nlh, CAN_GW_A_RULE_HANDLE, random_handle(f, ns));
		put_rule(f, nlh, ns);
		break;
	case CAN_GW_CMD_RULE_GET:
	case CAN_GW_CMD_RULE_RESET:
		if (!gw_fuzz_pick(f, 3)) {
			nlh->nlmsg_flags |= NLM_F_DUMP;
			put_choice(f, nlh);
			break;
		}
		put_uint(f, nlh, CAN_GW_A_RULE_HANDLE, random_handle(f, ns));
		break;
	case CAN_GW_CMD_RULE_DEL:
		put_uint(f, nlh, CAN_GW_A_RULE_HANDLE, random_handle(f, ns));
		break;
	case CAN_GW_CMD_TRANSACTION_BEGIN:
	case CAN_GW_CMD_TABLE_GET:
		if (ns->home || gw_fuzz_pick(f, 2))
			put_u32(f, nlh, CAN_GW_A_TABLE_SOURCE, gw_fuzz_link(f));
		break;
	case CAN_GW_CMD_TRANSACTION_COMMIT:
		put_u32(f, nlh, CAN_GW_A_TABLE_RULES, channel->added);
		if (!gw_fuzz_pick(f, 8))
			put_u32(f, nlh, CAN_GW_A_TABLE_GENERATION,
				gw_fuzz_pick(f, 1000));
		break;
	}
}

struct nlmsghdr *gw_fuzz_family_message(struct gw_fuzz *f,
					const struct gw_fuzz_ns *ns,
					const struct gw_fuzz_channel *channel)
{
	int cmd = commands[gw_fuzz_pick(f, ARRAY_SIZE(commands))];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(f->buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = channel->gw.ys->family_id;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	genl->cmd = cmd;
	genl->version = CAN_GW_FAMILY_VERSION;
	put_command(f, nlh, ns, channel, cmd);
	if (inject_error(f))
		genl->cmd = gw_fuzz_pick(f, CAN_GW_CMD_MAX + 3);
	if (inject_error(f))
		nlh->nlmsg_flags ^= 1 << gw_fuzz_pick(f, 12);
	if (inject_error(f))
		genl->version = gw_fuzz_pick(f, 256);
	return nlh;
}

/* Requests to rtnetlink */

static void put_old_mod(struct gw_fuzz *f, struct nlmsghdr *nlh, int op, bool fd)
{
	struct cgw_fdframe_mod fdmod;
	struct cgw_frame_mod mod;

	gw_fuzz_bytes(f, (uint8_t *)&fdmod, sizeof(fdmod));
	gw_fuzz_bytes(f, (uint8_t *)&mod, sizeof(mod));
	if (fd)
		put(f, nlh, CGW_FDMOD_AND + op, sizeof(fdmod), &fdmod);
	else
		put(f, nlh, CGW_MOD_AND + op, sizeof(mod), &mod);
}

static void put_old_csums(struct gw_fuzz *f, struct nlmsghdr *nlh)
{
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;

	gw_fuzz_bytes(f, (uint8_t *)&crc8, sizeof(crc8));
	gw_fuzz_bytes(f, (uint8_t *)&xor, sizeof(xor));
	if (gw_fuzz_pick(f, 2)) {
		crc8.from_idx = gw_fuzz_pick(f, 8);
		crc8.to_idx = -1 - gw_fuzz_pick(f, 8);
		crc8.result_idx = gw_fuzz_pick(f, 8);
		crc8.profile = gw_fuzz_pick(f, 4);
		xor.from_idx = gw_fuzz_pick(f, 8);
		xor.to_idx = -1 - gw_fuzz_pick(f, 8);
		xor.result_idx = gw_fuzz_pick(f, 8);
	}
	put(f, nlh, CGW_CS_CRC8, sizeof(crc8), &crc8);
	put(f, nlh, CGW_CS_XOR, sizeof(xor), &xor);
}

struct nlmsghdr *gw_fuzz_route_message(struct gw_fuzz *f,
				       const struct gw_fuzz_ns *ns)
{
	static const int types[] = {
		RTM_NEWROUTE, RTM_NEWROUTE, RTM_NEWROUTE, RTM_DELROUTE,
		RTM_DELROUTE, RTM_GETROUTE,
	};
	int type = types[gw_fuzz_pick(f, ARRAY_SIZE(types))], op;
	bool fd = gw_fuzz_pick(f, 2);
	struct nlmsghdr *nlh = cgw_msg(f->buf, type,
				       gw_fuzz_pick(f, 8) |
				       (fd ? CGW_FLAGS_CAN_FD : 0));
	struct rtcanmsg *rtcan = mnl_nlmsg_get_payload(nlh);
	uint32_t source = gw_fuzz_link(f);

	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (type == RTM_GETROUTE)
		nlh->nlmsg_flags |= NLM_F_DUMP;
	for (op = 0; op < GWNL_OPS; op++)
		if (!gw_fuzz_pick(f, 3))
			put_old_mod(f, nlh, op, fd);
	if (!gw_fuzz_pick(f, 3))
		put_old_csums(f, nlh);
	if (!gw_fuzz_pick(f, 3))
		put_u32(f, nlh, CGW_MOD_UID, 1 + gw_fuzz_pick(f, 20));
	if (!gw_fuzz_pick(f, 3))
		put_u8(f, nlh, CGW_LIM_HOPS, 1);
	if (gw_fuzz_pick(f, 2)) {
		struct can_filter filter = { gw_fuzz_pick(f, 0x800), gw_fuzz_pick(f, 0x800) };

		put(f, nlh, CGW_FILTER, sizeof(filter), &filter);
	}
	/* away, all rules are removed now and then */
	if (!ns->home && type == RTM_DELROUTE && !gw_fuzz_pick(f, 20))
		source = 0;
	put_u32(f, nlh, CGW_SRC_IF, source);
	put_u32(f, nlh, CGW_DST_IF, source ? gw_fuzz_link(f) : 0);
	if (inject_error(f))
		rtcan->gwtype = gw_fuzz_pick(f, 256);
	if (inject_error(f))
		rtcan->can_family = gw_fuzz_pick(f, 2) ? 0 : 255;
	if (inject_error(f))
		rtcan->flags = gw_fuzz_pick(f, 0x10000);
	return nlh;
}

/* What may be sent where */

static bool contains(const struct nlmsghdr *nlh, uint32_t number)
{
	const char *bytes = (const char *)nlh;
	unsigned int at;

	for (at = NLMSG_HDRLEN; at + 4 <= BUF_SIZE && at < nlh->nlmsg_len; at++)
		if (!memcmp(bytes + at, &number, 4))
			return true;
	return false;
}

bool gw_fuzz_harmful(const struct gw_fuzz *f, const struct nlmsghdr *nlh,
		     bool route)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	int i;

	if (contains(nlh, GW_FUZZ_KEPT_SRC) || contains(nlh, GW_FUZZ_KEPT_DST))
		return true;
	for (i = 0; i < GW_FUZZ_MOST_KEPT && f->kept[i]; i++)
		if (contains(nlh, f->kept[i]))
			return true;
	if (route)
		return nlh->nlmsg_type == RTM_DELROUTE && f->wrong;
	return genl->cmd == CAN_GW_CMD_TRANSACTION_BEGIN && f->wrong;
}

void gw_fuzz_corrupt(struct gw_fuzz *f, struct nlmsghdr *nlh)
{
	unsigned int at;

	if (inject_error(f)) {
		at = NLMSG_HDRLEN + 4 + gw_fuzz_pick(f, 256);
		if (at < nlh->nlmsg_len)
			f->buf[at] ^= 1 << gw_fuzz_pick(f, 8);
	}
	if (inject_error(f))
		nlh->nlmsg_len = gw_fuzz_pick(f, 2) ? nlh->nlmsg_len + gw_fuzz_pick(f, 9) - 4 :
				 gw_fuzz_pick(f, 64);
}
