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

/* interfaces of the rules that are kept; requests have no such number */
#define KEPT_SRC	0x5eed0001
#define KEPT_DST	0x5eed0002
#define KEPT_RULES	3
#define SKIPPED_HANDLES	300	/* handles below those of the rules that are kept */

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
struct ns_sockets {
	int ns;
	bool home;
	struct channel channels[SOCKETS];
	struct gwnl notifications;
	struct gwnl control;	/* for what is not fuzzed */
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
	struct ns_sockets home, away;
	uint64_t kept[KEPT_RULES];
	unsigned int sent, accepted, rejected, no_text, renewed;
	char no_text_sample[128];
};

/* Return: a random number below @below. */
static uint32_t pick(struct fuzz *f, uint32_t below)
{
	return ct_random(&f->random) % below;
}

/* Return: true if the caller has to put something wrong into the message. */
static bool inject_error(struct fuzz *f)
{
	if (!f->one_in || pick(f, f->one_in))
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

	memset(bytes, fills[pick(f, 2)], len);
	if (!len)
		return;
	switch (pick(f, 4)) {
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
	switch (pick(f, 9)) {
	case 0:		/* not at all */
		return;
	case 1:		/* twice */
		mnl_attr_put(nlh, type, len, data);
		break;
	case 2:
		type = pick(f, 2) ? type + pick(f, 5) - 2 : pick(f, 0x4000);
		break;
	case 3:
		random_bytes(f, bytes + len, 16);
		len = lens[pick(f, ARRAY_SIZE(lens))];
		break;
	case 4:
		random_bytes(f, bytes, len);
		break;
	case 5:
		boundary(f, bytes, len);
		break;
	case 6:
		type |= pick(f, 2) ? NLA_F_NESTED : NLA_F_NET_BYTEORDER;
		break;
	case 7:		/* twice, and different */
		mnl_attr_put(nlh, type, len, data);
		random_bytes(f, bytes, len);
		break;
	case 8:		/* longer or shorter than it says */
		mnl_attr_put(nlh, type, len, bytes);
		attr->nla_len = pick(f, 2) ? pick(f, len + 12) :
				pick(f, 0x10000);
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
	if (inject_error(f))
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
	bool wide = value > UINT32_MAX || !pick(f, 4);

	put(f, nlh, type, wide ? 8 : 4, &value);
}

/* a nest in up to twenty others of its kind, now and then */
static struct nlattr *nest_start(struct fuzz *f, struct nlmsghdr *nlh,
				 uint16_t type)
{
	struct nlattr *outer = mnl_attr_nest_start(nlh, type);
	int depth;

	if (!inject_error(f))
		return outer;
	switch (pick(f, 3)) {
	case 0:
		outer->nla_type &= ~NLA_F_NESTED;
		break;
	case 1:
		outer->nla_type += 1 + pick(f, 4);
		break;
	case 2:
		for (depth = pick(f, 20); depth; depth--)
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
	if (inject_error(f))
		nest->nla_len += pick(f, 16) - 8;
}

/* Rules of the family */

static uint32_t random_link(struct fuzz *f)
{
	return FIRST_LINK + pick(f, LINKS);
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
		put_u32(f, nlh, CAN_GW_A_OPERAND_PRIO, pick(f, 0x800));
		if (pick(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_VCID, pick(f, 256));
		if (pick(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_SDT, pick(f, 256));
		if (pick(f, 2))
			put_u32(f, nlh, CAN_GW_A_OPERAND_AF,
				pick(f, UINT32_MAX));
	} else {
		put_u32(f, nlh, CAN_GW_A_OPERAND_ID, pick(f, 0x20000000));
		if (pick(f, 2))
			put_u8(f, nlh, CAN_GW_A_OPERAND_LEN, pick(f, 9));
	}
	if (flags[frames % 3] && pick(f, 2))
		put_u8(f, nlh, CAN_GW_A_OPERAND_FLAGS,
		       pick(f, 256) & flags[frames % 3]);
	if (pick(f, 2)) {
		random_bytes(f, data, max);
		put(f, nlh, CAN_GW_A_OPERAND_DATA,
		    op == GWNL_SET && frames != CAN_GW_FRAMES_XL ?
		    max : 1 + pick(f, max), data);
	}
	nest_end(f, nlh, nest);
}

static int32_t random_index(struct fuzz *f, uint32_t frames)
{
	int max = gwnl_max_data(frames);

	return (int)pick(f, 2 * max) - max;
}

static void put_xor(struct fuzz *f, struct nlmsghdr *nlh, uint32_t frames)
{
	struct nlattr *nest = nest_start(f, nlh, CAN_GW_A_RULE_XOR_CHECKSUM);

	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_FROM, random_index(f, frames));
	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_TO, random_index(f, frames));
	put_u32(f, nlh, CAN_GW_A_XOR_CHECKSUM_RESULT, random_index(f, frames));
	if (pick(f, 2))
		put_u8(f, nlh, CAN_GW_A_XOR_CHECKSUM_INIT, pick(f, 256));
	nest_end(f, nlh, nest);
}

static void put_crc8(struct fuzz *f, struct nlmsghdr *nlh, uint32_t frames)
{
	struct nlattr *nest = nest_start(f, nlh, CAN_GW_A_RULE_CRC8_CHECKSUM);
	uint8_t table[CAN_GW_CRC8_TABLE_LEN];

	random_bytes(f, table, sizeof(table));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_FROM, random_index(f, frames));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_TO, random_index(f, frames));
	put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_RESULT, random_index(f, frames));
	put(f, nlh, CAN_GW_A_CRC8_CHECKSUM_TABLE, sizeof(table), table);
	if (pick(f, 2))
		put_u8(f, nlh, CAN_GW_A_CRC8_CHECKSUM_FINAL, pick(f, 256));
	if (pick(f, 2)) {
		put_u32(f, nlh, CAN_GW_A_CRC8_CHECKSUM_PROFILE, 1 + pick(f, 2));
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
	const char *name = names[pick(f, 3)];
	bool some = !pick(f, 3);

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
			(source - FIRST_LINK + 1 + pick(f, LINKS - 1)) % LINKS);
		break;
	case CAN_GW_A_RULE_FRAMES:
		if (frames || some)
			put_u32(f, nlh, part, frames);
		break;
	case CAN_GW_A_RULE_FLAGS:
		if (some)
			put_u32(f, nlh, part, pick(f, 8));
		break;
	case CAN_GW_A_RULE_FILTER_MASK:
		put_u32(f, nlh, CAN_GW_A_RULE_FILTER_ID, pick(f, 0x800));
		put_u32(f, nlh, part, 0x700 | pick(f, 0x100));
		break;
	case CAN_GW_A_RULE_HOP_LIMIT:
		if (some)
			put_u8(f, nlh, part, 1);
		break;
	case CAN_GW_A_RULE_UID:
		if (some)
			put_u32(f, nlh, part, 1 + pick(f, 20));
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
	uint32_t frames = pick(f, 3), source = random_link(f);
	int parts[CAN_GW_A_RULE_XOR_CHECKSUM], i, j, swap;

	for (i = 0; i < CAN_GW_A_RULE_XOR_CHECKSUM; i++)
		parts[i] = i + 1;
	for (i = 0; i < CAN_GW_A_RULE_XOR_CHECKSUM && !pick(f, 2); i++) {
		j = pick(f, CAN_GW_A_RULE_XOR_CHECKSUM);
		swap = parts[i];
		parts[i] = parts[j];
		parts[j] = swap;
	}
	for (i = 0; i < CAN_GW_A_RULE_XOR_CHECKSUM; i++)
		put_part(f, nlh, parts[i], frames, source);
}

/* Requests to the family */

static uint64_t random_handle(struct fuzz *f, const struct ns_sockets *ns)
{
	uint64_t handle = ns->known[pick(f, KNOWN)];

	return pick(f, 8) && handle ? handle : 1 + pick(f, SKIPPED_HANDLES);
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
	if (pick(f, 2))
		put_u32(f, nlh, CAN_GW_A_RULE_SOURCE, random_link(f));
	if (!pick(f, 4))
		put_u32(f, nlh, CAN_GW_A_RULE_DESTINATION, random_link(f));
	if (!pick(f, 4))
		put_u32(f, nlh, CAN_GW_A_RULE_FRAMES, pick(f, 3));
	if (!pick(f, 4))
		put(f, nlh, CAN_GW_A_RULE_NAME, 5, "fuzz");
}

static void put_command(struct fuzz *f, struct nlmsghdr *nlh,
			const struct ns_sockets *ns,
			const struct channel *channel, int cmd)
{
	switch (cmd) {
	case CAN_GW_CMD_RULE_ADD:
		put_rule(f, nlh);
		break;
	case CAN_GW_CMD_RULE_REPLACE:
		put_uint(f, nlh, CAN_GW_A_RULE_HANDLE, random_handle(f, ns));
		put_rule(f, nlh);
		break;
	case CAN_GW_CMD_RULE_GET:
	case CAN_GW_CMD_RULE_RESET:
		if (!pick(f, 3)) {
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
		if (ns->home || pick(f, 2))
			put_u32(f, nlh, CAN_GW_A_TABLE_SOURCE, random_link(f));
		break;
	case CAN_GW_CMD_TRANSACTION_COMMIT:
		put_u32(f, nlh, CAN_GW_A_TABLE_RULES, channel->added);
		if (!pick(f, 8))
			put_u32(f, nlh, CAN_GW_A_TABLE_GENERATION,
				pick(f, 1000));
		break;
	}
}

static struct nlmsghdr *family_message(struct fuzz *f,
				       const struct ns_sockets *ns,
				       const struct channel *channel)
{
	int cmd = commands[pick(f, ARRAY_SIZE(commands))];
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(f->buf);
	struct genlmsghdr *genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));

	nlh->nlmsg_type = channel->gw.ys->family_id;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	genl->cmd = cmd;
	genl->version = CAN_GW_FAMILY_VERSION;
	put_command(f, nlh, ns, channel, cmd);
	if (inject_error(f))
		genl->cmd = pick(f, CAN_GW_CMD_MAX + 3);
	if (inject_error(f))
		nlh->nlmsg_flags ^= 1 << pick(f, 12);
	if (inject_error(f))
		genl->version = pick(f, 256);
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
	if (pick(f, 2)) {
		crc8.from_idx = pick(f, 8);
		crc8.to_idx = -1 - pick(f, 8);
		crc8.result_idx = pick(f, 8);
		crc8.profile = pick(f, 4);
		xor.from_idx = pick(f, 8);
		xor.to_idx = -1 - pick(f, 8);
		xor.result_idx = pick(f, 8);
	}
	put(f, nlh, CGW_CS_CRC8, sizeof(crc8), &crc8);
	put(f, nlh, CGW_CS_XOR, sizeof(xor), &xor);
}

static struct nlmsghdr *route_message(struct fuzz *f,
				      const struct ns_sockets *ns)
{
	static const int types[] = {
		RTM_NEWROUTE, RTM_NEWROUTE, RTM_NEWROUTE, RTM_DELROUTE,
		RTM_DELROUTE, RTM_GETROUTE,
	};
	int type = types[pick(f, ARRAY_SIZE(types))], op;
	bool fd = pick(f, 2);
	struct nlmsghdr *nlh = cgw_msg(f->buf, type,
				       pick(f, 8) |
				       (fd ? CGW_FLAGS_CAN_FD : 0));
	struct rtcanmsg *rtcan = mnl_nlmsg_get_payload(nlh);
	uint32_t source = random_link(f);

	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	if (type == RTM_GETROUTE)
		nlh->nlmsg_flags |= NLM_F_DUMP;
	for (op = 0; op < GWNL_OPS; op++)
		if (!pick(f, 3))
			put_old_mod(f, nlh, op, fd);
	if (!pick(f, 3))
		put_old_csums(f, nlh);
	if (!pick(f, 3))
		put_u32(f, nlh, CGW_MOD_UID, 1 + pick(f, 20));
	if (!pick(f, 3))
		put_u8(f, nlh, CGW_LIM_HOPS, 1);
	if (pick(f, 2)) {
		struct can_filter filter = { pick(f, 0x800), pick(f, 0x800) };

		put(f, nlh, CGW_FILTER, sizeof(filter), &filter);
	}
	/* away, all rules are removed now and then */
	if (!ns->home && type == RTM_DELROUTE && !pick(f, 20))
		source = 0;
	put_u32(f, nlh, CGW_SRC_IF, source);
	put_u32(f, nlh, CGW_DST_IF, source ? random_link(f) : 0);
	if (inject_error(f))
		rtcan->gwtype = pick(f, 256);
	if (inject_error(f))
		rtcan->can_family = pick(f, 2) ? 0 : 255;
	if (inject_error(f))
		rtcan->flags = pick(f, 0x10000);
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

	if (contains(nlh, KEPT_SRC) || contains(nlh, KEPT_DST))
		return true;
	for (i = 0; i < KEPT_RULES; i++)
		if (contains(nlh, f->kept[i]))
			return true;
	if (route)
		return nlh->nlmsg_type == RTM_DELROUTE && f->wrong;
	return genl->cmd == CAN_GW_CMD_TRANSACTION_BEGIN && f->wrong;
}

/* lengths and bytes, when the rest is done */
static void corrupt(struct fuzz *f, struct nlmsghdr *nlh)
{
	unsigned int at;

	if (inject_error(f)) {
		at = NLMSG_HDRLEN + 4 + pick(f, 256);
		if (at < nlh->nlmsg_len)
			f->buf[at] ^= 1 << pick(f, 8);
	}
	if (inject_error(f))
		nlh->nlmsg_len = pick(f, 2) ? nlh->nlmsg_len + pick(f, 9) - 4 :
				 pick(f, 64);
}

/* Return: number of bytes to send. Away, there may be more than nlmsg_len. */
static size_t length(const struct ns_sockets *ns,
		     const struct nlmsghdr *nlh, size_t len)
{
	size_t said = NLMSG_ALIGN(nlh->nlmsg_len);

	return ns->home && said < len ? said : len;
}

/* Answers */

static void remember(struct ns_sockets *ns, const struct nlmsghdr *nlh)
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
	ns->known[ns->known_next++ % KNOWN] = handle;
}

static int find_text(const struct nlattr *attr, void *data)
{
	bool *found = data;

	if (mnl_attr_get_type(attr) == NLMSGERR_ATTR_MSG &&
	    mnl_attr_get_str(attr)[0])
		*found = true;
	return MNL_CB_OK;
}

/* Each error of the family has an error message. Generic netlink's own errors have none. */
static void check_text(struct fuzz *f, const struct ns_sockets *ns,
		       const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(nlh);
	bool found = false;

	/* bytes past the end of a message are another message */
	if (err->msg.nlmsg_type != ns->control.ys->family_id ||
	    err->error == -EOPNOTSUPP || err->error == -ENOMEM ||
	    err->msg.nlmsg_len < NLMSG_HDRLEN + sizeof(struct genlmsghdr))
		return;
	if (nlh->nlmsg_flags & NLM_F_ACK_TLVS)
		mnl_attr_parse(nlh, sizeof(*err), find_text, &found);
	if (!found && !f->no_text++)
		snprintf(f->no_text_sample, sizeof(f->no_text_sample),
			 "error %d, command %d, message %u of %u bytes",
			 err->error, f->buf[NLMSG_HDRLEN], f->sent,
			 err->msg.nlmsg_len);
}

/*
 * Read what there is, or only a part of it.
 *
 * Return: what the last request was answered, 1 for nothing.
 */
static int drain(struct fuzz *f, struct ns_sockets *ns, int fd,
		 bool family, int parts)
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
				remember(ns, nlh);
			if (nlh->nlmsg_type != NLMSG_ERROR)
				continue;
			answer = err->error;
			if (answer && family)
				check_text(f, ns, nlh);
		}
	}
	return answer;
}

/* One request */

static void count(struct fuzz *f, int answer)
{
	f->sent++;
	if (!answer)
		f->accepted++;
	else if (answer < 0)
		f->rejected++;
}

static void send_family(struct fuzz *f)
{
	struct ns_sockets *ns = pick(f, 2) ? &f->home : &f->away;
	unsigned int number = pick(f, SOCKETS);
	struct channel *channel = &ns->channels[number];
	const struct genlmsghdr *genl = (void *)(f->buf + NLMSG_HDRLEN);
	struct nlmsghdr *nlh = family_message(f, ns, channel);
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);
	int fd, answer;

	corrupt(f, nlh);
	if (ns->home && harmful(f, nlh, false)) {
		ns = &f->away;
		channel = &ns->channels[number];
	}
	fd = ynl_socket_get_fd(channel->gw.ys);
	if (send(fd, nlh, length(ns, nlh, len), 0) < 0)
		return;
	answer = drain(f, ns, fd, true, pick(f, 4) ? 1000 : 1);
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
	struct ns_sockets *ns = pick(f, 2) ? &f->home : &f->away;
	struct nlmsghdr *nlh = route_message(f, ns);
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);

	corrupt(f, nlh);
	if (ns->home && harmful(f, nlh, true))
		ns = &f->away;
	if (send(mnl_socket_get_fd(ns->route), nlh,
		 length(ns, nlh, len), 0) < 0)
		return;
	count(f, drain(f, ns, mnl_socket_get_fd(ns->route), false,
		       pick(f, 4) ? 1000 : 1));
}

static void send_one(struct fuzz *f)
{
	static const unsigned int levels[] = { 0, 0, 0, 40, 20, 10, 10, 4 };

	memset(f->buf, 0, sizeof(f->buf));
	f->one_in = levels[pick(f, ARRAY_SIZE(levels))];
	f->wrong = false;
	if (pick(f, 3))
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

static int ns_open(struct ns_sockets *ns, bool home)
{
	int i, err = ct_netns_new();

	ns->home = home;
	ns->ns = ct_netns_get();
	for (i = 0; i < LINKS && !err; i++)
		err = add_link(i);
	err = err ?: limit_rules();
	for (i = 0; i < SOCKETS && !err; i++)
		err = gwnl_open(&ns->channels[i].gw);
	err = err ?: gwnl_open(&ns->notifications) ?: gwnl_open(&ns->control) ?:
	      ynl_subscribe(ns->notifications.ys, CAN_GW_MCGRP_RULES);
	ns->raw = ct_raw_open_xl(0);
	if (ns->raw < 0)
		return ns->raw;
	err = err ?: ct_raw_filters(ns->raw, NULL, 0);
	ns->route = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!ns->route || mnl_socket_bind(ns->route, 0, MNL_SOCKET_AUTOPID) < 0)
		return -errno;
	return err;
}

static void ns_close(struct ns_sockets *ns)
{
	int i;

	for (i = 0; i < SOCKETS; i++)
		gwnl_close(&ns->channels[i].gw);
	gwnl_close(&ns->notifications);
	gwnl_close(&ns->control);
	mnl_socket_close(ns->route);
	close(ns->raw);
	close(ns->ns);
}

/* remove all rules of an interface */
static int empty_source(struct ns_sockets *ns, uint32_t source)
{
	return gwnl_begin(&ns->control, source) ?:
	       gwnl_commit(&ns->control, 0, NULL);
}

static int replace_link(struct fuzz *f, struct ns_sockets *ns)
{
	int number = pick(f, LINKS);

	f->renewed++;
	return ct_netns_set(ns->ns) ?:
	       ct_link_del(link_name(number).name) ?: add_link(number);
}

static int replace_socket(struct fuzz *f, struct ns_sockets *ns)
{
	struct channel *channel = &ns->channels[pick(f, SOCKETS)];
	int err = ct_netns_set(ns->ns);

	if (err)
		return err;
	gwnl_close(&channel->gw);
	channel->transaction = false;
	channel->added = 0;
	return gwnl_open(&channel->gw);
}

/* Frames; sending fails if the MTU of the interface is smaller or the interface is gone. */

static void send_to(const struct ns_sockets *ns, int ifindex,
		    const void *frame, size_t len)
{
	struct sockaddr_can to = {
		.can_family = AF_CAN, .can_ifindex = ifindex,
	};

	sendto(ns->raw, frame, len, MSG_DONTWAIT,
	       (struct sockaddr *)&to, sizeof(to));
}

static void send_frames(struct fuzz *f, const struct ns_sockets *ns)
{
	static const int lens[] = { 1, 2, 7, 8, 9, 60, 64, 65, 2047, 2048 };
	struct canxl_frame xl = { .flags = CANXL_XLF };
	struct canfd_frame fd;
	struct can_frame cc;
	uint8_t data[64];
	int i;

	random_bytes(f, data, sizeof(data));
	for (i = 0; i < LINKS; i++) {
		ct_frame(&cc, pick(f, 0x800), pick(f, 9), data);
		send_to(ns, FIRST_LINK + i, &cc, sizeof(cc));
		ct_fdframe(&fd, pick(f, 0x800), 8 * pick(f, 4), data);
		send_to(ns, FIRST_LINK + i, &fd, sizeof(fd));
		xl.prio = pick(f, 0x800) | pick(f, 256) << CANXL_VCID_OFFSET;
		xl.len = lens[pick(f, ARRAY_SIZE(lens))];
		xl.af = pick(f, UINT32_MAX);
		random_bytes(f, xl.data, xl.len);
		send_to(ns, FIRST_LINK + i, &xl, CANXL_HDR_SIZE + xl.len);
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

/* All ways to read the rules return the same number of them. */
static void expect_agreement(struct __test_metadata *_metadata,
			     struct ns_sockets *ns)
{
	struct tally tally = { 0 };
	struct can_gw_table_get_rsp table;

	ASSERT_EQ(0, ct_netns_set(ns->ns));
	ASSERT_EQ(0, gwnl_table(&ns->control, 0, &table));
	ASSERT_LE(0, gwnl_dump(&ns->control, CAN_GW_CMD_RULE_GET, NULL,
			       tally_rule, &tally))
		TH_LOG("%s", ns->control.ys->err.msg);
	EXPECT_EQ(table.rules, tally.rules);
	EXPECT_EQ((int)(tally.rules - tally.xl), cgw_list(NULL, 0));
	EXPECT_GE((uint32_t)RULES, tally.rules);
}

/* The rules that are kept */

FIXTURE(gw_fuzz) {
	struct fuzz *f;
	struct gwnl_rule kept[KEPT_RULES];
	int tx, rx;
};

/* so that no handle of a request is one of these by accident */
static int skip_handles(struct gwnl *gw)
{
	const struct gwnl_rule rule = {
		.source = KEPT_SRC, .destination = KEPT_DST,
	};
	uint64_t handle;
	int i, err = 0;

	for (i = 0; i < SKIPPED_HANDLES && !err; i++)
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
	ASSERT_EQ(0, ns_open(&fuzz.away, false));
	ASSERT_EQ(0, ns_open(&fuzz.home, true));
	ASSERT_EQ(KEPT_SRC, ct_vcan_add_at("in", CANXL_MTU, KEPT_SRC));
	ASSERT_EQ(KEPT_DST, ct_vcan_add_at("out", CANXL_MTU, KEPT_DST));
	self->tx = ct_raw_open_xl(KEPT_SRC);
	ASSERT_LE(0, self->tx);
	self->rx = ct_raw_open_xl(KEPT_DST);
	ASSERT_LE(0, self->rx);
	ASSERT_EQ(0, skip_handles(&fuzz.home.control));
	for (i = 0; i < KEPT_RULES; i++) {
		struct gwnl_rule *rule = &self->kept[i];

		*rule = (struct gwnl_rule){
			.source = KEPT_SRC, .destination = KEPT_DST,
			.frames = i, .flags = CAN_GW_FLAGS_ECHO,
		};
		rule->op[GWNL_OR].fields = GWNL_FIELD(DATA);
		rule->op[GWNL_OR].data_len = 1;
		rule->op[GWNL_OR].data[0] = 0x10 << i;
		ASSERT_EQ(0, gwnl_add(&fuzz.home.control, rule, &fuzz.kept[i]));
	}
}

FIXTURE_TEARDOWN(gw_fuzz)
{
	ns_close(&self->f->home);
	ns_close(&self->f->away);
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

static void expect_kept(struct __test_metadata *_metadata,
			FIXTURE_DATA(gw_fuzz) *self)
{
	struct fuzz *f = self->f;
	struct gwnl_rule got;
	int i;

	for (i = 0; i < KEPT_RULES; i++) {
		ASSERT_EQ(0, gwnl_get(&f->home.control, f->kept[i], &got));
		EXPECT_STREQ("", gwnl_differs(&self->kept[i], &got));
	}
	expect_routed(_metadata, self);
}

static void housekeeping(struct __test_metadata *_metadata,
			 FIXTURE_DATA(gw_fuzz) *self)
{
	struct fuzz *f = self->f;
	struct ns_sockets *ns = pick(f, 2) ? &f->home : &f->away;

	send_frames(f, &f->home);
	send_frames(f, &f->away);
	/* the socket for notifications may have been full meanwhile */
	drain(f, ns, ynl_socket_get_fd(ns->notifications.ys), true, 10000);
	switch (pick(f, 4)) {
	case 0:
		ASSERT_EQ(0, replace_link(f, ns));
		break;
	case 1:
		ASSERT_EQ(0, replace_socket(f, ns));
		break;
	case 2:
		ASSERT_EQ(0, empty_source(ns, random_link(f)));
		break;
	case 3:
		expect_agreement(_metadata, ns);
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

TEST_F_TIMEOUT(gw_fuzz, random_requests_keep_unrelated_rules, 3600)
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
		if (!pick(f, 5))
			expect_kept(_metadata, self);
	}
	TH_LOG("%u messages: %u accepted, %u rejected, %u interfaces replaced",
	       f->sent, f->accepted, f->rejected, f->renewed);
	expect_agreement(_metadata, &f->away);
	expect_agreement(_metadata, &f->home);
	expect_kept(_metadata, self);
	EXPECT_EQ(0U, f->no_text)
		TH_LOG("rejected without an error message: %s", f->no_text_sample);
	/* otherwise the test covers too little */
	EXPECT_LT(f->sent / 10, f->accepted);
	EXPECT_LT(f->sent / 10, f->rejected);

	/* remove all other rules */
	for (i = 0; i < SOCKETS; i++)
		gwnl_close(&f->home.channels[i].gw);
	for (i = 0; i < LINKS; i++)
		ASSERT_EQ(0, empty_source(&f->home, FIRST_LINK + i));
	EXPECT_EQ(KEPT_RULES, gwnl_handles(&f->home.control, NULL, 0));
	expect_kept(_metadata, self);
	ASSERT_EQ(0, ct_netns_set(f->away.ns));
	ASSERT_EQ(0, cgw_flush());
	EXPECT_EQ(0, gwnl_handles(&f->away.control, NULL, 0));

	if (kmemleak && ask_kmemleak("scan") && ask_kmemleak("scan"))
		EXPECT_EQ(0, leaks());
}

TEST_HARNESS_MAIN
