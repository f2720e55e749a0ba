// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to both control planes of the gateway, valid ones and ones with
 * something wrong in them, in any order, on several sockets, while interfaces come
 * and go, and frames of all kinds meet whatever rules there are. Afterwards the
 * rules that were there before are there, route frames, and have their handles;
 * and meanwhile the two planes agree about the rules.
 *
 * Messages are made with libmnl, and their answers read here: the functions that YNL
 * generates send what is valid, and need each answer in its order.
 *
 * There are two namespaces. "home" has rules that stay, and nothing is sent there
 * that is to remove them: no flush, no transaction for all sources, nothing with
 * their handles. "away" gets everything.
 *
 * The environment has CAN_FUZZ_SEED, CAN_FUZZ_MESSAGES, and CAN_FUZZ_SECONDS, after
 * which it ends in any case. With the same seed and a budget that is not used up,
 * the same messages are sent; handles depend on what the kernel answers.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/can.h>
#include <linux/can/gw.h>
#include <linux/can/raw.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "cgw.h"
#include "gwnl.h"
#include "kselftest_harness.h"

#define MESSAGES	20000	/* or CAN_FUZZ_MESSAGES */
#define SECONDS		45	/* or CAN_FUZZ_SECONDS */
#define RULES		1000	/* limit of each namespace */
#define LIMIT		"/proc/sys/net/can/gw_max_rules"
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

/* interfaces of the rules that stay; no number of a request is like these */
#define STAY_IN		0x5eed0001
#define STAY_OUT	0x5eed0002
#define STAYING		3
#define SKIPPED		300	/* handles that are below those of these rules */

/* interfaces for all others */
#define LINKS		4
#define FIRST_LINK	10

#define SOCKETS		3
#define KNOWN		64	/* handles that are remembered */
#define BUF_SIZE	GWNL_MSG_SIZE

struct link_name {
	char name[8];
};

/* a socket of the family */
struct channel {
	struct gwnl gw;
	bool transaction;
	unsigned int added;
};

/* a namespace with its sockets */
struct place {
	int ns;
	bool home;
	struct channel channels[SOCKETS];
	struct gwnl ear;
	struct gwnl asker;	/* for what is not fuzzed */
	struct mnl_socket *route;
	int raw;
	uint64_t known[KNOWN];
	unsigned int known_next;
};

struct fuzz {
	uint32_t random;
	unsigned int one_in;	/* puts that have something wrong, 0 for none */
	bool wrong;		/* the message has something wrong */
	char buf[BUF_SIZE + 64];
	struct place home, away;
	uint64_t stay[STAYING];
	unsigned int sent, granted, refused, speechless, renewed;
	char speechless_sample[128];
};

static uint32_t any(struct fuzz *f, uint32_t below)
{
	return ct_random(&f->random) % below;
}

static bool hit(struct fuzz *f)
{
	if (!f->one_in || any(f, f->one_in))
		return false;
	f->wrong = true;
	return true;
}

/* Attributes */

static bool fits(const struct nlmsghdr *nlh, unsigned int len)
{
	return nlh->nlmsg_len + 2 * len + 64 < BUF_SIZE;
}

static void random_bytes(struct fuzz *f, uint8_t *bytes, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		bytes[i] = ct_random(&f->random);
}

static void boundary(struct fuzz *f, uint8_t *bytes, unsigned int len)
{
	static const uint8_t fills[] = { 0, 0xff };

	memset(bytes, fills[any(f, 2)], len);
	if (!len)
		return;
	switch (any(f, 4)) {
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

static void put_wrong(struct fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		      unsigned int len, const void *data)
{
	static const uint16_t lens[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 63, 65, 255, 257, 2048, 2049,
	};
	uint8_t bytes[4096] = { 0 };
	struct nlattr *attr = mnl_nlmsg_get_payload_tail(nlh);

	memcpy(bytes, data, len);
	switch (any(f, 9)) {
	case 0:		/* not at all */
		return;
	case 1:		/* twice */
		mnl_attr_put(nlh, type, len, data);
		break;
	case 2:
		type = any(f, 2) ? type + any(f, 5) - 2 : any(f, 0x4000);
		break;
	case 3:
		random_bytes(f, bytes + len, 16);
		len = lens[any(f, ARRAY_SIZE(lens))];
		break;
	case 4:
		random_bytes(f, bytes, len);
		break;
	case 5:
		boundary(f, bytes, len);
		break;
	case 6:
		type |= any(f, 2) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER;
		break;
	case 7:		/* twice, and different */
		mnl_attr_put(nlh, type, len, data);
		random_bytes(f, bytes, len);
		break;
	case 8:		/* longer or shorter than it says */
		mnl_attr_put(nlh, type, len, bytes);
		attr->nla_len = any(f, 2) ? any(f, len + 12) : any(f, 0x10000);
		return;
	}
	if (fits(nlh, len))
		mnl_attr_put(nlh, type, len, bytes);
}

static void put(struct fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		unsigned int len, const void *data)
{
	if (!fits(nlh, len > 2100 ? len : 2100))
		return;
	if (hit(f))
		put_wrong(f, nlh, type, len, data);
	else
		mnl_attr_put(nlh, type, len, data);
}

static void put_u32(struct fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		    uint32_t value)
{
	put(f, nlh, type, sizeof(value), &value);
}

static void put_u8(struct fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		   uint8_t value)
{
	put(f, nlh, type, sizeof(value), &value);
}

static void put_uint(struct fuzz *f, struct nlmsghdr *nlh, uint16_t type,
		     uint64_t value)
{
	bool wide = value > UINT32_MAX || !any(f, 4);

	put(f, nlh, type, wide ? 8 : 4, &value);
}

/* a nest in up to twenty others of its kind, now and then */
static struct nlattr *nest_start(struct fuzz *f, struct nlmsghdr *nlh,
				 uint16_t type)
{
	struct nlattr *outer = mnl_attr_nest_start(nlh, type);
	int depth;

	if (!hit(f))
		return outer;
	switch (any(f, 3)) {
	case 0:
		outer->nla_type &= ~NLA_F_NESTED;
		break;
	case 1:
		outer->nla_type += 1 + any(f, 4);
		break;
	case 2:
		for (depth = any(f, 20); depth; depth--)
			mnl_attr_nest_start(nlh, type);
		break;
	}
	return outer;
}

static void nest_end(struct fuzz *f, struct nlmsghdr *nlh, struct nlattr *nest)
{
	struct nlattr *inner = nest;
	const char *tail = mnl_nlmsg_get_payload_tail(nlh);

	/* those that nest_start() has put into it */
	do {
		inner->nla_len = tail - (char *)inner;
		inner++;
	} while ((char *)inner < tail && !inner->nla_len);
	if (hit(f))
		nest->nla_len += any(f, 16) - 8;
}

/* Rules of the family */

static uint32_t some_link(struct fuzz *f)
{
	return FIRST_LINK + any(f, LINKS);
}

static void put_operand(struct fuzz *f, struct nlmsghdr *nlh, int op,
			uint32_t frames)
{
	static const uint8_t flags[] = {
		0, CANFD_BRS | CANFD_ESI | CANFD_FDF, CANXL_SEC,
	};
	struct nlattr *nest = nest_start(f, nlh, CAN_GW_A_RULE_AND + op);
	unsigned int max = gwnl_max_data(frames);
	uint8_t data[CAN_GW_MAX_DATA];

	if (frames == CAN_GW_FRAMES_XL) {
		put_u32(f, nlh, CAN_GW_A_OPERAND_PRIO, any(f, 0x800));
		if (any(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_VCID, any(f, 256));
		if (any(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_SDT, any(f, 256));
		if (any(f, 2))
			put_u32(f, nlh, CAN_GW_A_OPERAND_AF, any(f, UINT32_MAX));
	} else {
		put_u32(f, nlh, CAN_GW_A_OPERAND_ID, any(f, 0x20000000));
		if (any(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_LEN, any(f, 9));
	}
	if (flags[frames % 3] && any(f, 2))
		put_u8(f, nlh, CAN_GW_A_OPERAND_FLAGS,
		       any(f, 256) & flags[frames % 3]);
	if (any(f, 2)) {
		random_bytes(f, data, max);
		put(f, nlh, CAN_GW_A_OPERAND_DATA,
		    op == GWNL_SET && frames != CAN_GW_FRAMES_XL ?
		    max : 1 + any(f, max), data);
	}
	nest_end(f, nlh, nest);
}

static int32_t some_place(struct fuzz *f, uint32_t frames)
{
	int max = gwnl_max_data(frames);

	return (int)any(f, 2 * max) - max;
}

static void put_xor(struct fuzz *f, struct nlmsghdr *nlh, uint32_t frames)
{
	struct nlattr *nest = nest_start(f, nlh, CAN_GW_A_RULE_XOR_CHECKSUM);

	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_FROM, some_place(f, frames));
	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_TO, some_place(f, frames));
	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_RESULT, some_place(f, frames));
	if (any(f, 2))
		put_u8(f, nlh, CAN_GW_A_XOR_CHECKSUM_INIT, any(f, 256));
	nest_end(f, nlh, nest);
}

static void put_crc8(struct fuzz *f, struct nlmsghdr *nlh, uint32_t frames)
{
	struct nlattr *nest = nest_start(f, nlh, CAN_GW_A_RULE_CRC8_CHECKSUM);
	uint8_t table[CAN_GW_CRC8_TABLE_LEN];

	random_bytes(f, table, sizeof(table));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_FROM, some_place(f, frames));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_TO, some_place(f, frames));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_RESULT, some_place(f, frames));
	put(f, nlh, CAN_GW_A_CRC8_CHECKSUM_TABLE, sizeof(table), table);
	if (any(f, 2))
		put_u8(f, nlh, CAN_GW_A_CRC8_CHECKSUM_FINAL, any(f, 256));
	if (any(f, 2)) {
		put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_PROFILE, 1 + any(f, 2));
		put(f, nlh, CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA,
		    CAN_GW_CRC8_PROFILE_DATA_LEN, table);
	}
	nest_end(f, nlh, nest);
}

static void put_part(struct fuzz *f, struct nlmsghdr *nlh, int part,
		     uint32_t frames, uint32_t source)
{
	static const char * const names[] = {
		"a", "fuzz", "a name of thirty-one characters"
	};
	const char *name = names[any(f, 3)];
	bool some = !any(f, 3);

	switch (part) {
	case CAN_GW_A_RULE_NAME:
		if (some)
			put(f, nlh, part, strlen(name) + 1, name);
		break;
	case CAN_GW_A_RULE_SOURCE:
		put_u32(f, nlh, part, source);
		break;
	case CAN_GW_A_RULE_DESTINATION:
		put_u32(f, nlh, part, FIRST_LINK +
			(source - FIRST_LINK + 1 + any(f, LINKS - 1)) % LINKS);
		break;
	case CAN_GW_A_RULE_FRAMES:
		if (frames || some)
			put_u32(f, nlh, part, frames);
		break;
	case CAN_GW_A_RULE_FLAGS:
		if (some)
			put_u32(f, nlh, part, any(f, 8));
		break;
	case CAN_GW_A_RULE_FILTER_MASK:
		put_u32(f, nlh, CAN_GW_A_RULE_FILTER_ID, any(f, 0x800));
		put_u32(f, nlh, part, 0x700 | any(f, 0x100));
		break;
	case CAN_GW_A_RULE_HOP_LIMIT:
		if (some)
			put_u8(f, nlh, part, 1);
		break;
	case CAN_GW_A_RULE_UID:
		if (some)
			put_u32(f, nlh, part, 1 + any(f, 20));
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
	}
}

/* a rule, its attributes in any order */
static void put_rule(struct fuzz *f, struct nlmsghdr *nlh)
{
	uint32_t frames = any(f, 3), source = some_link(f);
	int parts[CAN_GW_A_RULE_XOR_CHECKSUM], i, j, swap;

	for (i = 0; i < CAN_GW_A_RULE_XOR_CHECKSUM; i++)
		parts[i] = i + 1;
	for (i = 0; i < CAN_GW_A_RULE_XOR_CHECKSUM && !any(f, 2); i++) {
		j = any(f, CAN_GW_A_RULE_XOR_CHECKSUM);
		swap = parts[i];
		parts[i] = parts[j];
		parts[j] = swap;
	}
	for (i = 0; i < CAN_GW_A_RULE_XOR_CHECKSUM; i++)
		put_part(f, nlh, parts[i], frames, source);
}

/* Requests to the family */

static uint64_t some_handle(struct fuzz *f, const struct place *place)
{
	uint64_t handle = place->known[any(f, KNOWN)];

	return any(f, 8) && handle ? handle : 1 + any(f, SKIPPED);
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

static void put_choice(struct fuzz *f, struct nlmsghdr *nlh)
{
	if (any(f, 2))
		put_u32(f, nlh, CAN_GW_A_RULE_SOURCE, some_link(f));
	if (!any(f, 4))
		put_u32(f, nlh, CAN_GW_A_RULE_DESTINATION, some_link(f));
	if (!any(f, 4))
		put_u32(f, nlh, CAN_GW_A_RULE_FRAMES, any(f, 3));
	if (!any(f, 4))
		put(f, nlh, CAN_GW_A_RULE_NAME, 5, "fuzz");
}

static void put_command(struct fuzz *f, struct nlmsghdr *nlh,
			const struct place *place,
			const struct channel *channel, int cmd)
{
	switch (cmd) {
	case CAN_GW_CMD_RULE_ADD:
		put_rule(f, nlh);
		break;
	case CAN_GW_CMD_RULE_REPLACE:
		put_uint(f, nlh, CAN_GW_A_RULE_HANDLE, some_handle(f, place));
		put_rule(f, nlh);
		break;
	case CAN_GW_CMD_RULE_GET:
	case CAN_GW_CMD_RULE_RESET:
		if (!any(f, 3)) {
			nlh->nlmsg_flags |= NLM_F_DUMP;
			put_choice(f, nlh);
			break;
		}
		put_uint(f, nlh, CAN_GW_A_RULE_HANDLE, some_handle(f, place));
		break;
	case CAN_GW_CMD_RULE_DEL:
		put_uint(f, nlh, CAN_GW_A_RULE_HANDLE, some_handle(f, place));
		break;
	case CAN_GW_CMD_TRANSACTION_BEGIN:
	case CAN_GW_CMD_TABLE_GET:
		if (place->home || any(f, 2))
			put_u32(f, nlh, CAN_GW_A_TABLE_SOURCE, some_link(f));
		break;
	case CAN_GW_CMD_TRANSACTION_COMMIT:
		put_u32(f, nlh, CAN_GW_A_TABLE_RULES, channel->added);
		if (!any(f, 8))
			put_u32(f, nlh, CAN_GW_A_TABLE_GENERATION,
				any(f, 1000));
		break;
	}
}

static struct nlmsghdr *family_message(struct fuzz *f,
				       const struct place *place,
				       const struct channel *channel)
{
	int cmd = commands[any(f, ARRAY_SIZE(commands))];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(f->buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = channel->gw.ys->family_id;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	genl->cmd = cmd;
	genl->version = CAN_GW_FAMILY_VERSION;
	put_command(f, nlh, place, channel, cmd);
	if (hit(f))
		genl->cmd = any(f, CAN_GW_CMD_MAX + 3);
	if (hit(f))
		nlh->nlmsg_flags ^= 1 << any(f, 12);
	if (hit(f))
		genl->version = any(f, 256);
	return nlh;
}

/* Requests to rtnetlink */

static void put_old_mod(struct fuzz *f, struct nlmsghdr *nlh, int op, bool fd)
{
	struct cgw_fdframe_mod fdmod;
	struct cgw_frame_mod mod;

	random_bytes(f, (uint8_t *)&fdmod, sizeof(fdmod));
	random_bytes(f, (uint8_t *)&mod, sizeof(mod));
	if (fd)
		put(f, nlh, CGW_FDMOD_AND + op, sizeof(fdmod), &fdmod);
	else
		put(f, nlh, CGW_MOD_AND + op, sizeof(mod), &mod);
}

static void put_old_csums(struct fuzz *f, struct nlmsghdr *nlh)
{
	struct cgw_csum_crc8 crc8;
	struct cgw_csum_xor xor;

	random_bytes(f, (uint8_t *)&crc8, sizeof(crc8));
	random_bytes(f, (uint8_t *)&xor, sizeof(xor));
	if (any(f, 2)) {
		crc8.from_idx = any(f, 8);
		crc8.to_idx = -1 - any(f, 8);
		crc8.result_idx = any(f, 8);
		crc8.profile = any(f, 4);
		xor.from_idx = any(f, 8);
		xor.to_idx = -1 - any(f, 8);
		xor.result_idx = any(f, 8);
	}
	put(f, nlh, CGW_CS_CRC8, sizeof(crc8), &crc8);
	put(f, nlh, CGW_CS_XOR, sizeof(xor), &xor);
}

static struct nlmsghdr *route_message(struct fuzz *f, const struct place *place)
{
	static const int types[] = {
		RTM_NEWROUTE, RTM_NEWROUTE, RTM_NEWROUTE, RTM_DELROUTE,
		RTM_DELROUTE, RTM_GETROUTE,
	};
	int type = types[any(f, ARRAY_SIZE(types))], op;
	bool fd = any(f, 2);
	struct nlmsghdr *nlh = cgw_msg(f->buf, type,
				       any(f, 8) | (fd ? CGW_FLAGS_CAN_FD : 0));
	struct rtcanmsg *rtcan = mnl_nlmsg_get_payload(nlh);
	uint32_t source = some_link(f);

	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (type == RTM_GETROUTE)
		nlh->nlmsg_flags |= NLM_F_DUMP;
	for (op = 0; op < GWNL_OPS; op++)
		if (!any(f, 3))
			put_old_mod(f, nlh, op, fd);
	if (!any(f, 3))
		put_old_csums(f, nlh);
	if (!any(f, 3))
		put_u32(f, nlh, CGW_MOD_UID, 1 + any(f, 20));
	if (!any(f, 3))
		put_u8(f, nlh, CGW_LIM_HOPS, 1);
	if (any(f, 2)) {
		struct can_filter filter = { any(f, 0x800), any(f, 0x800) };

		put(f, nlh, CGW_FILTER, sizeof(filter), &filter);
	}
	/* away, all rules are removed now and then */
	if (!place->home && type == RTM_DELROUTE && !any(f, 20))
		source = 0;
	put_u32(f, nlh, CGW_SRC_IF, source);
	put_u32(f, nlh, CGW_DST_IF, source ? some_link(f) : 0);
	if (hit(f))
		rtcan->gwtype = any(f, 256);
	if (hit(f))
		rtcan->can_family = any(f, 2) ? 0 : 255;
	if (hit(f))
		rtcan->flags = any(f, 0x10000);
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

/* could it remove a rule that stays? */
static bool harmful(const struct fuzz *f, const struct nlmsghdr *nlh,
		    bool route)
{
	const struct genlmsghdr *genl = mnl_nlmsg_get_payload(nlh);
	int i;

	if (contains(nlh, STAY_IN) || contains(nlh, STAY_OUT))
		return true;
	for (i = 0; i < STAYING; i++)
		if (contains(nlh, f->stay[i]))
			return true;
	if (route)
		return nlh->nlmsg_type == RTM_DELROUTE && f->wrong;
	return genl->cmd == CAN_GW_CMD_TRANSACTION_BEGIN && f->wrong;
}

/* lengths and bytes, when the rest is done */
static void spoil(struct fuzz *f, struct nlmsghdr *nlh)
{
	unsigned int at;

	if (hit(f)) {
		at = NLMSG_HDRLEN + 4 + any(f, 256);
		if (at < nlh->nlmsg_len)
			f->buf[at] ^= 1 << any(f, 8);
	}
	if (hit(f))
		nlh->nlmsg_len = any(f, 2) ? nlh->nlmsg_len + any(f, 9) - 4 :
				 any(f, 64);
}

/* What is sent; away, there may be more behind the end that the message says. */
static size_t length(const struct place *place, const struct nlmsghdr *nlh,
		     size_t len)
{
	size_t said = NLMSG_ALIGN(nlh->nlmsg_len);

	return place->home && said < len ? said : len;
}

/* Answers */

static void remember(struct place *place, const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	uint64_t handle;

	if (nlh->nlmsg_len < NLMSG_HDRLEN + 12)
		return;
	attr = mnl_nlmsg_get_payload_offset(nlh, sizeof(struct genlmsghdr));
	if (mnl_attr_get_type(attr) != CAN_GW_A_RULE_HANDLE)
		return;
	handle = mnl_attr_get_payload_len(attr) == 8 ?
		 mnl_attr_get_u64(attr) : mnl_attr_get_u32(attr);
	place->known[place->known_next++ % KNOWN] = handle;
}

static int find_text(const struct nlattr *attr, void *data)
{
	bool *found = data;

	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
	    mnl_attr_get_str(attr)[0])
		*found = true;
	return MNL_CB_OK;
}

/* every refusal of the family comes with a sentence; not those before it */
static void check_text(struct fuzz *f, const struct place *place,
		       const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	bool found = false;

	/* what is behind the end of a message is another message */
	if (err->msg.nlmsg_type != place->asker.ys->family_id ||
	    err->error == -EOPNOTSUPP || err->error == -ENOMEM ||
	    err->msg.nlmsg_len < NLMSG_HDRLEN + sizeof(struct genlmsghdr))
		return;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_parse(nlh, sizeof(*err), find_text, &found);
	if (!found && !f->speechless++)
		snprintf(f->speechless_sample, sizeof(f->speechless_sample),
			 "error %d, command %d, message %u of %u bytes",
			 err->error, f->buf[NLMSG_HDRLEN], f->sent,
			 err->msg.nlmsg_len);
}

/*
 * Read what there is, or only a part of it.
 *
 * Return: what the last request was answered, 1 for nothing.
 */
static int drain(struct fuzz *f, struct place *place, int fd, bool family,
		 int parts)
{
	static char buf[32768];
	const struct nlmsghdr *nlh;
	const struct nlmsgerr *err;
	int answer = 1, left;
	ssize_t len;

	while (parts--) {
		len = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
		if (len < 0 && errno == ENOBUFS)
			continue;
		if (len <= 0)
			break;
		left = len;
		for (nlh = (void *)buf; mnl_nlmsg_ok(nlh, left);
		     nlh = mnl_nlmsg_next(nlh, &left)) {
			err = mnl_nlmsg_get_payload(nlh);
			if (nlh->nlmsg_type >= NLMSG_MIN_TYPE && family)
				remember(place, nlh);
			if (nlh->nlmsg_type != NLMSG_ERROR)
				continue;
			answer = err->error;
			if (answer && family)
				check_text(f, place, nlh);
		}
	}
	return answer;
}

/* One request */

static void count(struct fuzz *f, int answer)
{
	f->sent++;
	if (!answer)
		f->granted++;
	else if (answer < 0)
		f->refused++;
}

static void send_family(struct fuzz *f)
{
	struct place *place = any(f, 2) ? &f->home : &f->away;
	unsigned int number = any(f, SOCKETS);
	struct channel *channel = &place->channels[number];
	const struct genlmsghdr *genl = (void *)(f->buf + NLMSG_HDRLEN);
	struct nlmsghdr *nlh = family_message(f, place, channel);
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);
	int fd, answer;

	spoil(f, nlh);
	if (place->home && harmful(f, nlh, false)) {
		place = &f->away;
		channel = &place->channels[number];
	}
	fd = ynl_socket_get_fd(channel->gw.ys);
	if (send(fd, nlh, length(place, nlh, len), 0) < 0)
		return;
	answer = drain(f, place, fd, true, any(f, 4) ? 1000 : 1);
	count(f, answer);
	switch (genl->cmd) {
	case CAN_GW_CMD_RULE_ADD:
		if (!answer && channel->transaction)
			channel->added++;
		break;
	case CAN_GW_CMD_TRANSACTION_BEGIN:
		if (!answer)
			channel->added = 0;
		channel->transaction |= !answer;
		break;
	case CAN_GW_CMD_TRANSACTION_COMMIT:
	case CAN_GW_CMD_TRANSACTION_ABORT:
		channel->transaction = false;
		break;
	}
}

static void send_route(struct fuzz *f)
{
	struct place *place = any(f, 2) ? &f->home : &f->away;
	struct nlmsghdr *nlh = route_message(f, place);
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);

	spoil(f, nlh);
	if (place->home && harmful(f, nlh, true))
		place = &f->away;
	if (send(mnl_socket_get_fd(place->route), nlh,
		 length(place, nlh, len), 0) < 0)
		return;
	count(f, drain(f, place, mnl_socket_get_fd(place->route), false,
		       any(f, 4) ? 1000 : 1));
}

static void send_one(struct fuzz *f)
{
	static const unsigned int levels[] = { 0, 0, 0, 40, 20, 10, 10, 4 };

	memset(f->buf, 0, sizeof(f->buf));
	f->one_in = levels[any(f, ARRAY_SIZE(levels))];
	f->wrong = false;
	if (any(f, 3))
		send_family(f);
	else
		send_route(f);
}

/* Places */

static struct link_name link_name(int number)
{
	struct link_name name;

	snprintf(name.name, sizeof(name.name), "fuzz%d", number);
	return name;
}

static int add_link(int number)
{
	static const int mtus[] = { CAN_MTU, CANFD_MTU, CANXL_MTU };
	int index = FIRST_LINK + number;

	return ct_vcan_add_at(link_name(number).name, mtus[number % 3],
			      index) == index ? 0 : -ENODEV;
}

static int limit_rules(void)
{
	FILE *file = fopen(LIMIT, "we");

	if (!file)
		return -errno;
	fprintf(file, "%d\n", RULES);
	return fclose(file) ? -errno : 0;
}

static int place_open(struct place *place, bool home)
{
	int i, err = ct_netns_new();

	place->home = home;
	place->ns = ct_netns_get();
	for (i = 0; i < LINKS && !err; i++)
		err = add_link(i);
	err = err ?: limit_rules();
	for (i = 0; i < SOCKETS && !err; i++)
		err = gwnl_open(&place->channels[i].gw);
	err = err ?: gwnl_open(&place->ear) ?: gwnl_open(&place->asker) ?:
	      ynl_subscribe(place->ear.ys, CAN_GW_MCGRP_RULES);
	place->raw = ct_raw_open_xl(0);
	if (place->raw < 0)
		return place->raw;
	err = err ?: ct_raw_filters(place->raw, NULL, 0);
	place->route = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!place->route ||
	    mnl_socket_bind(place->route, 0, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	return err;
}

static void place_close(struct place *place)
{
	int i;

	for (i = 0; i < SOCKETS; i++)
		gwnl_close(&place->channels[i].gw);
	gwnl_close(&place->ear);
	gwnl_close(&place->asker);
	mnl_socket_close(place->route);
	close(place->raw);
	close(place->ns);
}

/* all rules of an interface that does not stay */
static int empty_source(struct place *place, uint32_t source)
{
	return gwnl_begin(&place->asker, source) ?:
	       gwnl_commit(&place->asker, 0, NULL);
}

static int renew_link(struct fuzz *f, struct place *place)
{
	int number = any(f, LINKS);

	f->renewed++;
	return ct_netns_set(place->ns) ?:
	       ct_link_del(link_name(number).name) ?: add_link(number);
}

static int renew_socket(struct fuzz *f, struct place *place)
{
	struct channel *channel = &place->channels[any(f, SOCKETS)];
	int err = ct_netns_set(place->ns);

	if (err)
		return err;
	gwnl_close(&channel->gw);
	channel->transaction = false;
	channel->added = 0;
	return gwnl_open(&channel->gw);
}

/* Frames, which may be refused: by an interface with a smaller MTU, or that is gone */

static void send_to(const struct place *place, int ifindex, const void *frame,
		    size_t len)
{
	struct sockaddr_can to = {
		.can_family = AF_CAN, .can_ifindex = ifindex,
	};

	sendto(place->raw, frame, len, MSG_DONTWAIT, (struct sockaddr *)&to,
	       sizeof(to));
}

static void send_frames(struct fuzz *f, const struct place *place)
{
	static const int lens[] = { 1, 2, 7, 8, 9, 60, 64, 65, 2047, 2048 };
	struct canxl_frame xl = { .flags = CANXL_XLF };
	struct canfd_frame fd;
	struct can_frame cc;
	uint8_t data[64];
	int i;

	random_bytes(f, data, sizeof(data));
	for (i = 0; i < LINKS; i++) {
		ct_frame(&cc, any(f, 0x800), any(f, 9), data);
		send_to(place, FIRST_LINK + i, &cc, sizeof(cc));
		ct_fdframe(&fd, any(f, 0x800), 8 * any(f, 4), data);
		send_to(place, FIRST_LINK + i, &fd, sizeof(fd));
		xl.prio = any(f, 0x800) | any(f, 256) << CANXL_VCID_OFFSET;
		xl.len = lens[any(f, ARRAY_SIZE(lens))];
		xl.af = any(f, UINT32_MAX);
		random_bytes(f, xl.data, xl.len);
		send_to(place, FIRST_LINK + i, &xl, CANXL_HDR_SIZE + xl.len);
	}
}

struct tally {
	uint32_t rules;
	uint32_t xl;
};

static void tally_rule(const struct gwnl_rule *rule, void *data)
{
	struct tally *tally = data;

	tally->rules++;
	tally->xl += rule->frames == CAN_GW_FRAMES_XL;
}

/* what there is of rules, by every way to look at them */
static void expect_agreement(struct __test_metadata *_metadata,
			     struct place *place)
{
	struct tally tally = { 0 };
	struct can_gw_table_get_rsp table;

	ASSERT_EQ(0, ct_netns_set(place->ns));
	ASSERT_EQ(0, gwnl_table(&place->asker, 0, &table));
	ASSERT_LE(0, gwnl_dump(&place->asker, CAN_GW_CMD_RULE_GET, NULL,
			       tally_rule, &tally))
		TH_LOG("%s", place->asker.ys->err.msg);
	EXPECT_EQ(table.rules, tally.rules);
	EXPECT_EQ((int)(tally.rules - tally.xl), cgw_list(NULL, 0));
	EXPECT_GE((uint32_t)RULES, tally.rules);
}

/* The rules that stay */

FIXTURE(gw_fuzz) {
	struct fuzz *f;
	struct gwnl_rule stay[STAYING];
	int tx, rx;
};

/* so that no handle of a request is one of these by accident */
static int skip_handles(struct gwnl *gw)
{
	const struct gwnl_rule rule = {
		.source = STAY_IN, .destination = STAY_OUT,
	};
	uint64_t handle;
	int i, err = 0;

	for (i = 0; i < SKIPPED && !err; i++)
		err = gwnl_add(gw, &rule, &handle) ?: gwnl_del(gw, handle);
	return err;
}

FIXTURE_SETUP(gw_fuzz)
{
	static struct fuzz fuzz;
	int i;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	self->f = &fuzz;
	fuzz.random = ct_env("CAN_FUZZ_SEED", 0) ?: time(NULL) | 1;
	TH_LOG("CAN_FUZZ_SEED=%u", fuzz.random);
	ASSERT_EQ(0, ct_pin_cpu());
	ASSERT_EQ(0, place_open(&fuzz.away, false));
	ASSERT_EQ(0, place_open(&fuzz.home, true));
	ASSERT_EQ(STAY_IN, ct_vcan_add_at("in", CANXL_MTU, STAY_IN));
	ASSERT_EQ(STAY_OUT, ct_vcan_add_at("out", CANXL_MTU, STAY_OUT));
	self->tx = ct_raw_open_xl(STAY_IN);
	ASSERT_LE(0, self->tx);
	self->rx = ct_raw_open_xl(STAY_OUT);
	ASSERT_LE(0, self->rx);
	ASSERT_EQ(0, skip_handles(&fuzz.home.asker));
	for (i = 0; i < STAYING; i++) {
		struct gwnl_rule *rule = &self->stay[i];

		*rule = (struct gwnl_rule){
			.source = STAY_IN, .destination = STAY_OUT,
			.frames = i, .flags = CAN_GW_FLAGS_ECHO,
		};
		rule->op[GWNL_OR].fields = GWNL_FIELD(DATA);
		rule->op[GWNL_OR].data_len = 1;
		rule->op[GWNL_OR].data[0] = 0x10 << i;
		ASSERT_EQ(0, gwnl_add(&fuzz.home.asker, rule, &fuzz.stay[i]));
	}
}

FIXTURE_TEARDOWN(gw_fuzz)
{
	place_close(&self->f->home);
	place_close(&self->f->away);
	close(self->tx);
	close(self->rx);
}

/* a frame of each kind arrives, marked by its rule, once and in its order */
static void expect_routed(struct __test_metadata *_metadata,
			  FIXTURE_DATA(gw_fuzz) *self)
{
	struct canxl_frame xl = {
		.prio = 0x123, .flags = CANXL_XLF, .len = 8,
	}, got;
	const uint8_t zero[64] = { 0 };
	struct canfd_frame fd;
	struct can_frame cc;

	ct_frame(&cc, 0x123, 8, zero);
	ct_fdframe(&fd, 0x123, 64, zero);
	ASSERT_EQ(0, ct_send(self->tx, &cc, sizeof(cc)));
	ASSERT_EQ(0, ct_send(self->tx, &fd, sizeof(fd)));
	ASSERT_EQ(0, ct_send(self->tx, &xl, CANXL_HDR_SIZE + 8));
	ASSERT_EQ((ssize_t)sizeof(cc),
		  ct_recv(self->rx, &cc, sizeof(cc), CT_TIMEOUT_MS));
	EXPECT_EQ(0x10, cc.data[0]);
	ASSERT_EQ((ssize_t)sizeof(fd),
		  ct_recv(self->rx, &fd, sizeof(fd), CT_TIMEOUT_MS));
	EXPECT_EQ(0x20, fd.data[0]);
	ASSERT_EQ((ssize_t)CANXL_HDR_SIZE + 8,
		  ct_recv(self->rx, &got, sizeof(got), CT_TIMEOUT_MS));
	EXPECT_EQ(0x40, got.data[0]);
}

static void expect_stayed(struct __test_metadata *_metadata,
			  FIXTURE_DATA(gw_fuzz) *self)
{
	struct fuzz *f = self->f;
	struct gwnl_rule got;
	int i;

	for (i = 0; i < STAYING; i++) {
		ASSERT_EQ(0, gwnl_get(&f->home.asker, f->stay[i], &got));
		EXPECT_STREQ("", gwnl_differs(&self->stay[i], &got));
	}
	expect_routed(_metadata, self);
}

static void housekeeping(struct __test_metadata *_metadata,
			 FIXTURE_DATA(gw_fuzz) *self)
{
	struct fuzz *f = self->f;
	struct place *place = any(f, 2) ? &f->home : &f->away;

	send_frames(f, &f->home);
	send_frames(f, &f->away);
	/* the socket for notifications may have been full meanwhile */
	drain(f, place, ynl_socket_get_fd(place->ear.ys), true, 10000);
	switch (any(f, 4)) {
	case 0:
		ASSERT_EQ(0, renew_link(f, place));
		break;
	case 1:
		ASSERT_EQ(0, renew_socket(f, place));
		break;
	case 2:
		ASSERT_EQ(0, empty_source(place, some_link(f)));
		break;
	case 3:
		expect_agreement(_metadata, place);
		break;
	}
}

static bool in_time(time_t end)
{
	return time(NULL) < end;
}

/* Leaks */

static bool ask_kmemleak(const char *what)
{
	int fd = open(KMEMLEAK, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, what, strlen(what)) > 0;

	if (fd >= 0)
		close(fd);
	return done;
}

/* reports since the last "clear" that name the gateway */
static int leaks(void)
{
	FILE *file = fopen(KMEMLEAK, "re");
	char line[256];
	int found = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, "cgw_") && !strstr(line, "can_gw"))
			continue;
		printf("# %s", line);
		found++;
	}
	fclose(file);
	return found;
}

TEST_F_TIMEOUT(gw_fuzz, other_rules_stay_whatever_is_asked_for, 3600)
{
	unsigned int messages = ct_env("CAN_FUZZ_MESSAGES", MESSAGES);
	time_t end = time(NULL) + ct_env("CAN_FUZZ_SECONDS", SECONDS);
	/* its reports are those of the whole kernel */
	bool kmemleak = ct_own_machine() && ask_kmemleak("clear");
	struct fuzz *f = self->f;
	int i;

	while (f->sent < messages && in_time(end)) {
		for (i = 0; i < 100; i++)
			send_one(f);
		housekeeping(_metadata, self);
		ASSERT_TRUE(__test_passed(_metadata))
			TH_LOG("after %u messages", f->sent);
		if (!any(f, 5))
			expect_stayed(_metadata, self);
	}
	TH_LOG("%u messages: %u granted, %u refused, %u interfaces renewed",
	       f->sent, f->granted, f->refused, f->renewed);
	expect_agreement(_metadata, &f->away);
	expect_agreement(_metadata, &f->home);
	expect_stayed(_metadata, self);
	EXPECT_EQ(0U, f->speechless)
		TH_LOG("refused without a sentence: %s", f->speechless_sample);
	/* it is no test when nothing is granted, or nothing refused */
	EXPECT_LT(f->sent / 10, f->granted);
	EXPECT_LT(f->sent / 10, f->refused);

	/* what is left goes, but not what stays */
	for (i = 0; i < SOCKETS; i++)
		gwnl_close(&f->home.channels[i].gw);
	for (i = 0; i < LINKS; i++)
		ASSERT_EQ(0, empty_source(&f->home, FIRST_LINK + i));
	EXPECT_EQ(STAYING, gwnl_handles(&f->home.asker, NULL, 0));
	expect_stayed(_metadata, self);
	ASSERT_EQ(0, ct_netns_set(f->away.ns));
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EQ(0, gwnl_handles(&f->away.asker, NULL, 0));

	if (kmemleak && ask_kmemleak("scan") && ask_kmemleak("scan"))
		EXPECT_EQ(0, leaks());
}

TEST_HARNESS_MAIN
