// SPDX-License-Identifier: GPL-2.0-only
/* Requests to the CAN gateway and its answers: see cgw.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "cgw.h"

int cgw_max_hops(void)
{
	FILE *file = fopen("/sys/module/can_gw/parameters/max_hops", "re");
	int value = -ENOENT;

	if (!file)
		return -ENOENT;
	if (fscanf(file, "%d", &value) != 1)
		value = -EIO;
	fclose(file);
	return value;
}

struct nlmsghdr *cgw_msg(void *buf, int type, uint16_t flags)
{
	struct nlmsghdr *nlh;
	struct rtcanmsg *rtcan;

	memset(buf, 0, CGW_MSG_SIZE);
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = type;
	rtcan = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtcan));
	rtcan->can_family = AF_CAN;
	rtcan->gwtype = CGW_TYPE_CAN_CAN;
	rtcan->flags = flags;
	return nlh;
}

/* attribute types of one operation, as they follow from the kind of frame */
static void put_mod(struct nlmsghdr *nlh, bool fd, int type, int fdtype,
		    const struct cgw_mod *mod)
{
	struct cgw_fdframe_mod fdmod = { .modtype = mod->type };
	struct cgw_frame_mod ccmod = { .modtype = mod->type };

	if (!mod->type)
		return;

	if (fd) {
		fdmod.cf = mod->cf;
		mnl_attr_put(nlh, fdtype, CGW_FDMODATTR_LEN, &fdmod);
	} else {
		memcpy(&ccmod.cf, &mod->cf, CAN_MTU);
		mnl_attr_put(nlh, type, CGW_MODATTR_LEN, &ccmod);
	}
}

void cgw_put_rule(struct nlmsghdr *nlh, const struct cgw_rule *rule)
{
	bool fd = rule->flags & CGW_FLAGS_CAN_FD;

	put_mod(nlh, fd, CGW_MOD_AND, CGW_FDMOD_AND, &rule->and);
	put_mod(nlh, fd, CGW_MOD_OR, CGW_FDMOD_OR, &rule->or);
	put_mod(nlh, fd, CGW_MOD_XOR, CGW_FDMOD_XOR, &rule->xor);
	put_mod(nlh, fd, CGW_MOD_SET, CGW_FDMOD_SET, &rule->set);

	if (rule->csum_xor)
		mnl_attr_put(nlh, CGW_CS_XOR, CGW_CS_XOR_LEN, rule->csum_xor);
	if (rule->csum_crc8)
		mnl_attr_put(nlh, CGW_CS_CRC8, CGW_CS_CRC8_LEN,
			     rule->csum_crc8);
	if (rule->filter)
		mnl_attr_put(nlh, CGW_FILTER, sizeof(*rule->filter),
			     rule->filter);
	if (rule->limit_hops)
		mnl_attr_put_u8(nlh, CGW_LIM_HOPS, rule->limit_hops);
	if (rule->uid)
		mnl_attr_put_u32(nlh, CGW_MOD_UID, rule->uid);

	mnl_attr_put_u32(nlh, CGW_SRC_IF, rule->src);
	mnl_attr_put_u32(nlh, CGW_DST_IF, rule->dst);
}

static int request(const struct cgw_rule *rule, int type)
{
	char buf[CGW_MSG_SIZE];
	struct nlmsghdr *nlh = cgw_msg(buf, type, rule->flags);

	cgw_put_rule(nlh, rule);
	return ct_nl(nlh);
}

int cgw_add(const struct cgw_rule *rule)
{
	return request(rule, RTM_NEWROUTE);
}

int cgw_del(const struct cgw_rule *rule)
{
	return request(rule, RTM_DELROUTE);
}

int cgw_flush(void)
{
	const struct cgw_rule all = { 0 };

	return request(&all, RTM_DELROUTE);
}

static void get(const struct nlattr *attr, void *to, size_t size)
{
	size_t len = mnl_attr_get_payload_len(attr);

	memcpy(to, mnl_attr_get_payload(attr), len < size ? len : size);
}

static void get_mod(const struct nlattr *attr, struct cgw_mod *mod)
{
	struct cgw_frame_mod ccmod;

	get(attr, &ccmod, sizeof(ccmod));
	memcpy(&mod->cf, &ccmod.cf, CAN_MTU);
	mod->type = ccmod.modtype;
}

static void get_fdmod(const struct nlattr *attr, struct cgw_mod *mod)
{
	struct cgw_fdframe_mod fdmod;

	get(attr, &fdmod, sizeof(fdmod));
	mod->cf = fdmod.cf;
	mod->type = fdmod.modtype;
}

static int entry_attr(const struct nlattr *attr, void *data)
{
	struct cgw_entry *entry = data;
	struct cgw_rule *rule = &entry->rule;

	switch (mnl_attr_get_type(attr)) {
	case CGW_MOD_AND:
		get_mod(attr, &rule->and);
		break;
	case CGW_MOD_OR:
		get_mod(attr, &rule->or);
		break;
	case CGW_MOD_XOR:
		get_mod(attr, &rule->xor);
		break;
	case CGW_MOD_SET:
		get_mod(attr, &rule->set);
		break;
	case CGW_FDMOD_AND:
		get_fdmod(attr, &rule->and);
		break;
	case CGW_FDMOD_OR:
		get_fdmod(attr, &rule->or);
		break;
	case CGW_FDMOD_XOR:
		get_fdmod(attr, &rule->xor);
		break;
	case CGW_FDMOD_SET:
		get_fdmod(attr, &rule->set);
		break;
	case CGW_CS_XOR:
		get(attr, &entry->csum_xor, sizeof(entry->csum_xor));
		rule->csum_xor = &entry->csum_xor;
		break;
	case CGW_CS_CRC8:
		get(attr, &entry->csum_crc8, sizeof(entry->csum_crc8));
		rule->csum_crc8 = &entry->csum_crc8;
		break;
	case CGW_FILTER:
		get(attr, &entry->filter, sizeof(entry->filter));
		rule->filter = &entry->filter;
		break;
	case CGW_HANDLED:
		entry->handled = mnl_attr_get_u32(attr);
		break;
	case CGW_DROPPED:
		entry->dropped = mnl_attr_get_u32(attr);
		break;
	case CGW_DELETED:
		entry->deleted = mnl_attr_get_u32(attr);
		break;
	case CGW_SRC_IF:
		rule->src = mnl_attr_get_u32(attr);
		break;
	case CGW_DST_IF:
		rule->dst = mnl_attr_get_u32(attr);
		break;
	case CGW_LIM_HOPS:
		rule->limit_hops = mnl_attr_get_u8(attr);
		break;
	case CGW_MOD_UID:
		rule->uid = mnl_attr_get_u32(attr);
		break;
	default:
		/* nothing else may appear where old tools read it */
		errno = EPROTO;
		return MNL_CB_ERROR;
	}
	return MNL_CB_OK;
}

struct listing {
	struct cgw_entry *entries;
	int max;
	int count;
};

static int entry_msg(const struct nlmsghdr *nlh, void *data)
{
	const struct rtcanmsg *rtcan = mnl_nlmsg_get_payload(nlh);
	struct listing *listing = data;
	struct cgw_entry spare, *entry = &spare;

	if (nlh->nlmsg_type != RTM_NEWROUTE || rtcan->can_family != AF_CAN ||
	    rtcan->gwtype != CGW_TYPE_CAN_CAN) {
		errno = EPROTO;
		return MNL_CB_ERROR;
	}

	if (listing->entries && listing->count < listing->max)
		entry = &listing->entries[listing->count];
	listing->count++;

	memset(entry, 0, sizeof(*entry));
	entry->rule.flags = rtcan->flags;
	return mnl_attr_parse(nlh, sizeof(*rtcan), entry_attr, entry);
}

int cgw_list(struct cgw_entry *entries, int max)
{
	struct listing listing;
	char buf[CGW_MSG_SIZE];
	int err;

	do {
		listing = (struct listing){ .entries = entries, .max = max };
		err = ct_nl_dump(cgw_msg(buf, RTM_GETROUTE, 0), entry_msg,
				 &listing);
	} while (err == -EINTR);
	return err ? err : listing.count;
}

int cgw_find(int src, int dst, struct cgw_entry *entry)
{
	struct cgw_entry *entries;
	int count, i, err = -ENOENT;

	count = cgw_list(NULL, 0);
	if (count <= 0)
		return count ? count : -ENOENT;

	entries = calloc(count, sizeof(*entries));
	if (!entries)
		return -ENOMEM;

	i = cgw_list(entries, count);
	if (i < count)
		count = i;

	for (i = 0; i < count; i++) {
		if (entries[i].rule.src != src || entries[i].rule.dst != dst)
			continue;

		*entry = entries[i];
		if (entry->rule.filter)
			entry->rule.filter = &entry->filter;
		if (entry->rule.csum_xor)
			entry->rule.csum_xor = &entry->csum_xor;
		if (entry->rule.csum_crc8)
			entry->rule.csum_crc8 = &entry->csum_crc8;
		err = 0;
		break;
	}

	free(entries);
	return err;
}

int cgw_counts(int src, int dst)
{
	struct cgw_entry entry;
	int err = cgw_find(src, dst, &entry);

	return err ? err :
	       (int)CGW_COUNTS(entry.handled, entry.dropped, entry.deleted);
}
