// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Parse a rule from the attributes of a request. Values that are valid for no
 * frame are rejected with a message and the attribute. Contexts are described
 * in gw_netlink.h.
 */
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/can/can-ml.h>
#include <linux/can/gw.h>
#include <linux/err.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include "gw_netlink.h"
#include "gw_netlink_gen.h"

/* uAPI values equal internal values. */
static_assert((int)CAN_GW_FRAMES_CC == (int)CGW_FRAMES_CC);
static_assert((int)CAN_GW_FRAMES_FD == (int)CGW_FRAMES_FD);
static_assert((int)CAN_GW_FRAMES_XL == (int)CGW_FRAMES_XL);
static_assert((int)CAN_GW_FLAGS_ECHO == CGW_FLAGS_CAN_ECHO);
static_assert((int)CAN_GW_FLAGS_SRC_TSTAMP == CGW_FLAGS_CAN_SRC_TSTAMP);
static_assert((int)CAN_GW_FLAGS_RETURN == CGW_FLAGS_CAN_IIF_TX_OK);
static_assert((int)CAN_GW_CRC8_PROFILE_1U8 == CGW_CRC8PRF_1U8);
static_assert((int)CAN_GW_CRC8_PROFILE_16U8 == CGW_CRC8PRF_16U8);
static_assert((int)CAN_GW_CRC8_PROFILE_SFFID_XOR == CGW_CRC8PRF_SFFID_XOR);
static_assert(CAN_GW_A_RULE_AND + CGW_OP_SET == CAN_GW_A_RULE_SET);

#define FD_FLAGS (CANFD_BRS | CANFD_ESI | CANFD_FDF)

/**
 * struct cgw_nl_limits - limits of a frame type
 * @fields: bitmask of CAN_GW_A_OPERAND_ID etc.
 * @data: maximum length of the data in bytes
 * @len: maximum length field, including raw data length codes
 * @flags: frame flags that a rule may modify
 */
struct cgw_nl_limits {
	u32 fields;
	unsigned int data;
	u8 len;
	u8 flags;
};

static const struct cgw_nl_limits cgw_nl_limits[] = {
	[CGW_FRAMES_CC] = {
		.fields = BIT(CAN_GW_A_OPERAND_ID) | BIT(CAN_GW_A_OPERAND_LEN) |
			  BIT(CAN_GW_A_OPERAND_DATA),
		.data = CAN_MAX_DLEN,
		.len = CAN_MAX_RAW_DLC,
	},
	[CGW_FRAMES_FD] = {
		.fields = BIT(CAN_GW_A_OPERAND_ID) | BIT(CAN_GW_A_OPERAND_LEN) |
			  BIT(CAN_GW_A_OPERAND_FLAGS) |
			  BIT(CAN_GW_A_OPERAND_DATA),
		.data = CANFD_MAX_DLEN,
		.len = CANFD_MAX_DLEN,
		.flags = FD_FLAGS,
	},
	[CGW_FRAMES_XL] = {
		.fields = BIT(CAN_GW_A_OPERAND_FLAGS) |
			  BIT(CAN_GW_A_OPERAND_PRIO) |
			  BIT(CAN_GW_A_OPERAND_VCID) |
			  BIT(CAN_GW_A_OPERAND_SDT) | BIT(CAN_GW_A_OPERAND_AF) |
			  BIT(CAN_GW_A_OPERAND_DATA),
		.data = CANXL_MAX_DLEN,
		.flags = CANXL_SEC,
	},
};

/* A parsed request. mod.xl owns its frames; everything else belongs to the
 * request or to the network core.
 */
struct cgw_nl_request {
	struct cgw_key key;
	struct net_device *src;
	struct net_device *dst;
	struct cgw_mod_request mod;
	bool express;
	u64 lifetime;
};

static int cgw_nl_check_fields(enum cgw_frames frames, struct nlattr **tb,
			       const struct nlattr *nest,
			       struct netlink_ext_ack *extack)
{
	bool any = false;
	int i;

	for (i = 1; i <= CAN_GW_A_OPERAND_MAX; i++) {
		if (!tb[i])
			continue;
		if (!(cgw_nl_limits[frames].fields & BIT(i))) {
			NL_SET_ERR_MSG_ATTR(extack, tb[i],
					    "field does not exist in this frame type");
			return -EINVAL;
		}
		any = true;
	}
	if (any)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, nest, "operation requires a field");
	return -EINVAL;
}

static int cgw_nl_check_len(enum cgw_frames frames, enum cgw_op op,
			    const struct nlattr *attr,
			    struct netlink_ext_ack *extack)
{
	if (!attr || op != CGW_OP_SET ||
	    nla_get_u8(attr) <= cgw_nl_limits[frames].len)
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
				"length exceeds %u, the maximum of this frame type",
				cgw_nl_limits[frames].len);
	return -ERANGE;
}

static int cgw_nl_check_flags(enum cgw_frames frames, enum cgw_op op,
			      const struct nlattr *attr,
			      struct netlink_ext_ack *extack)
{
	if (!attr || op == CGW_OP_AND ||
	    !(nla_get_u8(attr) & ~cgw_nl_limits[frames].flags))
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
				"frame flags outside of the modifiable mask %#04x",
				cgw_nl_limits[frames].flags);
	return -EINVAL;
}

static int cgw_nl_check_data(enum cgw_frames frames, enum cgw_op op,
			     const struct nlattr *attr,
			     struct netlink_ext_ack *extack)
{
	unsigned int max_len = cgw_nl_limits[frames].data;
	unsigned int len;

	if (!attr)
		return 0;
	len = nla_len(attr);
	if (!len) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "data is empty");
		return -EINVAL;
	}
	if (len > max_len) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"data exceeds %u bytes, the maximum of this frame type",
					max_len);
		return -ERANGE;
	}
	if (op == CGW_OP_SET && frames != CGW_FRAMES_XL && len != max_len) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"setting data requires all %u bytes",
					max_len);
		return -EINVAL;
	}
	return 0;
}

/* Classical CAN and CAN FD. AND leaves bytes without operand unchanged. */
static void cgw_nl_fill_operand(struct cgw_mod_request *mod, enum cgw_op op,
				struct nlattr **tb)
{
	struct canfd_frame *cf = &mod->op[op];
	const struct nlattr *data = tb[CAN_GW_A_OPERAND_DATA];

	if (tb[CAN_GW_A_OPERAND_ID]) {
		cf->can_id = nla_get_u32(tb[CAN_GW_A_OPERAND_ID]);
		mod->fields[op] |= CGW_MOD_ID;
	}
	if (tb[CAN_GW_A_OPERAND_LEN]) {
		cf->len = nla_get_u8(tb[CAN_GW_A_OPERAND_LEN]);
		mod->fields[op] |= CGW_MOD_LEN;
	}
	if (tb[CAN_GW_A_OPERAND_FLAGS]) {
		cf->flags = nla_get_u8(tb[CAN_GW_A_OPERAND_FLAGS]);
		mod->fields[op] |= CGW_MOD_FLAGS;
	}
	if (data) {
		if (op == CGW_OP_AND)
			memset(cf->data, 0xff, cgw_nl_limits[mod->frames].data);
		memcpy(cf->data, nla_data(data), nla_len(data));
		mod->fields[op] |= CGW_MOD_DATA;
	}
}

static int cgw_nl_fill_xl_operand(struct cgw_mod_request *mod, enum cgw_op op,
				  struct nlattr **tb)
{
	const struct nlattr *data = tb[CAN_GW_A_OPERAND_DATA];
	unsigned int len = data ? nla_len(data) : 0;
	struct canxl_frame *cxl;

	cxl = kzalloc(CANXL_HDR_SIZE + len, GFP_KERNEL);
	if (!cxl)
		return -ENOMEM;
	mod->xl[op] = cxl;
	if (tb[CAN_GW_A_OPERAND_PRIO]) {
		cxl->prio = nla_get_u32(tb[CAN_GW_A_OPERAND_PRIO]);
		mod->fields[op] |= CGW_MOD_XL_PRIO;
	}
	if (tb[CAN_GW_A_OPERAND_VCID]) {
		cxl->prio |= nla_get_u8(tb[CAN_GW_A_OPERAND_VCID]) <<
			     CANXL_VCID_OFFSET;
		mod->fields[op] |= CGW_MOD_XL_VCID;
	}
	if (tb[CAN_GW_A_OPERAND_FLAGS]) {
		cxl->flags = nla_get_u8(tb[CAN_GW_A_OPERAND_FLAGS]);
		mod->fields[op] |= CGW_MOD_XL_SEC;
	}
	if (tb[CAN_GW_A_OPERAND_SDT]) {
		cxl->sdt = nla_get_u8(tb[CAN_GW_A_OPERAND_SDT]);
		mod->fields[op] |= CGW_MOD_XL_SDT;
	}
	if (tb[CAN_GW_A_OPERAND_AF]) {
		cxl->af = nla_get_u32(tb[CAN_GW_A_OPERAND_AF]);
		mod->fields[op] |= CGW_MOD_XL_AF;
	}
	if (data) {
		cxl->len = len;
		memcpy(cxl->data, nla_data(data), len);
		mod->fields[op] |= CGW_MOD_DATA;
	}
	return 0;
}

static int cgw_nl_parse_operand(struct cgw_mod_request *mod, enum cgw_op op,
				const struct nlattr *nest,
				struct netlink_ext_ack *extack)
{
	struct nlattr *tb[CAN_GW_A_OPERAND_MAX + 1], *prio;
	int err;

	if (!nest)
		return 0;
	/* the policy of the request has validated nested attributes */
	err = nla_parse_nested(tb, CAN_GW_A_OPERAND_MAX, nest, NULL,
			       extack);
	if (!err)
		err = cgw_nl_check_fields(mod->frames, tb, nest, extack);
	if (!err)
		err = cgw_nl_check_len(mod->frames, op,
				       tb[CAN_GW_A_OPERAND_LEN], extack);
	if (!err)
		err = cgw_nl_check_flags(mod->frames, op,
					 tb[CAN_GW_A_OPERAND_FLAGS], extack);
	if (!err)
		err = cgw_nl_check_data(mod->frames, op,
					tb[CAN_GW_A_OPERAND_DATA], extack);
	if (err)
		return err;
	prio = tb[CAN_GW_A_OPERAND_PRIO];
	if (prio && nla_get_u32(prio) & ~CANXL_PRIO_MASK) {
		NL_SET_ERR_MSG_ATTR(extack, prio, "priority exceeds 11 bits");
		return -ERANGE;
	}
	if (mod->frames == CGW_FRAMES_XL)
		return cgw_nl_fill_xl_operand(mod, op, tb);
	cgw_nl_fill_operand(mod, op, tb);
	return 0;
}

static int cgw_nl_parse_offset(s16 *offset, enum cgw_frames frames,
			       const struct nlattr *attr,
			       struct netlink_ext_ack *extack)
{
	int max_len = cgw_nl_limits[frames].data;
	s32 value = nla_get_s32(attr);

	if (value < -max_len || value >= max_len) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
					"offset out of range %d..%d for this frame type",
					-max_len, max_len - 1);
		return -ERANGE;
	}
	*offset = value;
	return 0;
}

/* The attributes of offsets have the same numbers in both checksums. */
static int cgw_nl_parse_span(struct cgw_span *span, enum cgw_frames frames,
			     struct nlattr **tb, const struct nlattr *nest,
			     struct netlink_ext_ack *extack)
{
	int err;

	static_assert((int)CAN_GW_A_XOR_CHECKSUM_FROM ==
		      (int)CAN_GW_A_CRC8_CHECKSUM_FROM);
	static_assert((int)CAN_GW_A_XOR_CHECKSUM_TO ==
		      (int)CAN_GW_A_CRC8_CHECKSUM_TO);
	static_assert((int)CAN_GW_A_XOR_CHECKSUM_RESULT ==
		      (int)CAN_GW_A_CRC8_CHECKSUM_RESULT);

	if (NL_REQ_ATTR_CHECK(extack, nest, tb, CAN_GW_A_XOR_CHECKSUM_FROM) ||
	    NL_REQ_ATTR_CHECK(extack, nest, tb, CAN_GW_A_XOR_CHECKSUM_TO) ||
	    NL_REQ_ATTR_CHECK(extack, nest, tb, CAN_GW_A_XOR_CHECKSUM_RESULT)) {
		NL_SET_ERR_MSG(extack,
			       "checksum requires its first byte, its last byte and its own offset");
		return -EINVAL;
	}
	err = cgw_nl_parse_offset(&span->from, frames,
				  tb[CAN_GW_A_XOR_CHECKSUM_FROM], extack);
	if (!err)
		err = cgw_nl_parse_offset(&span->to, frames,
					  tb[CAN_GW_A_XOR_CHECKSUM_TO], extack);
	if (!err)
		err = cgw_nl_parse_offset(&span->result, frames,
					  tb[CAN_GW_A_XOR_CHECKSUM_RESULT],
					  extack);
	return err;
}

static u8 cgw_nl_get_u8_or_0(const struct nlattr *attr)
{
	return attr ? nla_get_u8(attr) : 0;
}

static int cgw_nl_parse_xor(struct cgw_mod_request *mod,
			    const struct nlattr *nest,
			    struct netlink_ext_ack *extack)
{
	struct nlattr *tb[CAN_GW_A_XOR_CHECKSUM_MAX + 1];
	int err;

	if (!nest)
		return 0;
	err = nla_parse_nested(tb, CAN_GW_A_XOR_CHECKSUM_MAX, nest, NULL,
			       extack);
	if (!err)
		err = cgw_nl_parse_span(&mod->xor.span, mod->frames, tb, nest,
					extack);
	if (err)
		return err;
	mod->xor.init = cgw_nl_get_u8_or_0(tb[CAN_GW_A_XOR_CHECKSUM_INIT]);
	mod->has_xor = true;
	return 0;
}

static int cgw_nl_parse_profile(struct cgw_crc8 *crc8, struct nlattr **tb,
				struct netlink_ext_ack *extack)
{
	const struct nlattr *data = tb[CAN_GW_A_CRC8_CHECKSUM_PROFILE_DATA];
	const struct nlattr *profile = tb[CAN_GW_A_CRC8_CHECKSUM_PROFILE];

	crc8->profile = profile ? nla_get_u32(profile) : CGW_CRC8PRF_UNSPEC;
	if (!data)
		return 0;
	if (crc8->profile != CGW_CRC8PRF_1U8 &&
	    crc8->profile != CGW_CRC8PRF_16U8) {
		NL_SET_ERR_MSG_ATTR(extack, data, "this profile takes no data");
		return -EINVAL;
	}
	nla_memcpy(crc8->profile_data, data, sizeof(crc8->profile_data));
	return 0;
}

static int cgw_nl_parse_crc8(struct cgw_mod_request *mod,
			     const struct nlattr *nest,
			     struct netlink_ext_ack *extack)
{
	struct nlattr *tb[CAN_GW_A_CRC8_CHECKSUM_MAX + 1];
	struct cgw_crc8 *crc8 = &mod->crc8;
	int err;

	static_assert(sizeof(crc8->table) == CAN_GW_CRC8_TABLE_LEN);
	static_assert(sizeof(crc8->profile_data) == CAN_GW_CRC8_PROFILE_DATA_LEN);

	if (!nest)
		return 0;
	err = nla_parse_nested(tb, CAN_GW_A_CRC8_CHECKSUM_MAX, nest, NULL,
			       extack);
	if (!err)
		err = cgw_nl_parse_span(&crc8->span, mod->frames, tb, nest,
					extack);
	if (err)
		return err;
	if (NL_REQ_ATTR_CHECK(extack, nest, tb, CAN_GW_A_CRC8_CHECKSUM_TABLE)) {
		NL_SET_ERR_MSG(extack, "CRC8 requires its table");
		return -EINVAL;
	}
	nla_memcpy(crc8->table, tb[CAN_GW_A_CRC8_CHECKSUM_TABLE],
		   sizeof(crc8->table));
	crc8->init = cgw_nl_get_u8_or_0(tb[CAN_GW_A_CRC8_CHECKSUM_INIT]);
	crc8->final = cgw_nl_get_u8_or_0(tb[CAN_GW_A_CRC8_CHECKSUM_FINAL]);
	mod->has_crc8 = true;
	return cgw_nl_parse_profile(crc8, tb, extack);
}

static int cgw_nl_parse_uid(struct cgw_mod_request *mod,
			    const struct nlattr *attr,
			    struct netlink_ext_ack *extack)
{
	if (!attr)
		return 0;
	if (!cgw_mod_changes(mod)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "uid requires a modification");
		return -EINVAL;
	}
	mod->uid = nla_get_u32(attr);
	return 0;
}

static int cgw_nl_parse_mod(struct cgw_mod_request *mod, struct nlattr **attrs,
			    struct netlink_ext_ack *extack)
{
	enum cgw_op op;
	int err = 0;

	for (op = CGW_OP_AND; !err && op <= CGW_OP_SET; op++)
		err = cgw_nl_parse_operand(mod, op,
					   attrs[CAN_GW_A_RULE_AND + op],
					   extack);
	if (!err)
		err = cgw_nl_parse_crc8(mod, attrs[CAN_GW_A_RULE_CRC8_CHECKSUM],
					extack);
	if (!err)
		err = cgw_nl_parse_xor(mod, attrs[CAN_GW_A_RULE_XOR_CHECKSUM],
				       extack);
	if (!err)
		err = cgw_nl_parse_uid(mod, attrs[CAN_GW_A_RULE_UID], extack);
	return err;
}

static int cgw_nl_parse_filter(struct cgw_key *key, struct nlattr **attrs,
			       struct netlink_ext_ack *extack)
{
	const canid_t xl = CANXL_PRIO_MASK | CANXL_VCID_MASK;
	const struct nlattr *mask = attrs[CAN_GW_A_RULE_FILTER_MASK];
	const struct nlattr *id = attrs[CAN_GW_A_RULE_FILTER_ID];
	struct can_filter *filter = &key->filter;

	if (id && !mask) {
		NL_SET_ERR_ATTR_MISS(extack, NULL, CAN_GW_A_RULE_FILTER_MASK);
		NL_SET_ERR_MSG(extack, "filter requires a mask");
		return -EINVAL;
	}
	if (id)
		filter->can_id = nla_get_u32(id);
	if (mask)
		filter->can_mask = nla_get_u32(mask);
	if (key->frames != CGW_FRAMES_XL)
		return 0;
	if (filter->can_mask & CAN_ERR_FLAG) {
		NL_SET_ERR_MSG_ATTR(extack, mask,
				    "CAN XL has no error message frames");
		return -EINVAL;
	}
	if (filter->can_id & filter->can_mask & ~(xl | CAN_INV_FILTER)) {
		NL_SET_ERR_MSG_ATTR(extack, id,
				    "bits outside of priority and VCID");
		return -EINVAL;
	}
	/* In the other bits, which are 0 in each frame, the index would take
	 * the flag of extended identifiers for that of a Classical CAN frame.
	 */
	filter->can_mask &= xl;
	return 0;
}

static int cgw_nl_parse_hops(struct cgw_key *key, const struct nlattr *attr,
			     struct netlink_ext_ack *extack)
{
	if (!attr)
		return 0;
	key->limit_hops = nla_get_u8(attr);
	if (key->limit_hops <= cgw_max_hops())
		return 0;
	NL_SET_ERR_MSG_ATTR_FMT(extack, attr,
				"hop limit exceeds %u, the module parameter max_hops",
				cgw_max_hops());
	return -ERANGE;
}

/**
 * cgw_nl_parse_device() - find the CAN interface of an attribute
 * @info: request that has this attribute
 * @type: attribute
 *
 * Context: Process context, under rtnl_lock().
 * Return: the interface, or ERR_PTR(-ENODEV) with an extended ACK.
 */
struct net_device *cgw_nl_parse_device(struct genl_info *info, int type)
{
	const struct nlattr *attr = info->attrs[type];
	struct net_device *dev;

	dev = __dev_get_by_index(genl_info_net(info), nla_get_u32(attr));
	if (dev && can_get_ml_priv(dev))
		return dev;
	if (dev)
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "interface is not a CAN interface");
	else
		NL_SET_ERR_MSG_ATTR(info->extack, attr,
				    "no such interface");
	return ERR_PTR(-ENODEV);
}

static int cgw_nl_parse_devices(struct cgw_nl_request *request,
				struct genl_info *info)
{
	if (GENL_REQ_ATTR_CHECK(info, CAN_GW_A_RULE_SOURCE) ||
	    GENL_REQ_ATTR_CHECK(info, CAN_GW_A_RULE_DESTINATION)) {
		GENL_SET_ERR_MSG(info,
				 "rule requires a source and a destination");
		return -EINVAL;
	}
	request->src = cgw_nl_parse_device(info, CAN_GW_A_RULE_SOURCE);
	if (IS_ERR(request->src))
		return PTR_ERR(request->src);
	request->dst = cgw_nl_parse_device(info, CAN_GW_A_RULE_DESTINATION);
	if (IS_ERR(request->dst))
		return PTR_ERR(request->dst);
	request->key.src_idx = request->src->ifindex;
	request->key.dst_idx = request->dst->ifindex;
	if (request->src != request->dst ||
	    request->key.flags & CGW_FLAGS_CAN_IIF_TX_OK)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack,
			    info->attrs[CAN_GW_A_RULE_DESTINATION],
			    "destination is the source, which requires the flag return");
	return -EINVAL;
}

static int cgw_nl_parse_key(struct cgw_nl_request *request,
			    struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct cgw_key *key = &request->key;
	int err;

	if (attrs[CAN_GW_A_RULE_FRAMES])
		key->frames = nla_get_u32(attrs[CAN_GW_A_RULE_FRAMES]);
	if (attrs[CAN_GW_A_RULE_FLAGS])
		key->flags = nla_get_u32(attrs[CAN_GW_A_RULE_FLAGS]);
	if (key->frames == CGW_FRAMES_FD)
		key->flags |= CGW_FLAGS_CAN_FD;
	err = cgw_nl_parse_devices(request, info);
	if (!err)
		err = cgw_nl_parse_filter(key, attrs, info->extack);
	if (!err)
		err = cgw_nl_parse_hops(key, attrs[CAN_GW_A_RULE_HOP_LIMIT],
					info->extack);
	return err;
}

/* With express rules, interrupts are off for longer on their CPU. As for each
 * change by this family, CAP_NET_ADMIN in the initial user namespace is needed.
 */
static int cgw_nl_parse_express(struct cgw_nl_request *request,
				struct genl_info *info)
{
	const struct nlattr *lifetime = info->attrs[CAN_GW_A_RULE_LIFETIME];
	const struct nlattr *express = info->attrs[CAN_GW_A_RULE_EXPRESS];
	struct netlink_ext_ack *extack = info->extack;

	if (!express && lifetime) {
		NL_SET_ERR_MSG_ATTR(extack, lifetime,
				    "a lifetime requires an express rule");
		return -EINVAL;
	}
	if (!express)
		return 0;
	if (request->key.frames != CGW_FRAMES_CC) {
		NL_SET_ERR_MSG_ATTR(extack, express,
				    "express rules are for Classical CAN");
		return -EOPNOTSUPP;
	}
	if (!cgw_express_source(request->src)) {
		NL_SET_ERR_MSG_ATTR_FMT(extack, info->attrs[CAN_GW_A_RULE_SOURCE],
					"driver of %s cannot be the source of express rules",
					request->src->name);
		return -EOPNOTSUPP;
	}
	if (!cgw_express_destination(request->dst)) {
		NL_SET_ERR_MSG_ATTR_FMT(extack,
					info->attrs[CAN_GW_A_RULE_DESTINATION],
					"driver of %s cannot be the destination of express rules",
					request->dst->name);
		return -EOPNOTSUPP;
	}
	request->express = true;
	request->lifetime = lifetime ? nla_get_uint(lifetime) : 0;
	return 0;
}

static int cgw_nl_check_name(const struct nlattr *name,
			     struct netlink_ext_ack *extack)
{
	if (!name || *(const char *)nla_data(name))
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, name, "name is empty");
	return -EINVAL;
}

static struct cgw_rule *cgw_nl_make_rule(const struct cgw_nl_request *request,
					 const struct nlattr *name)
{
	struct cgw_mod *mod = cgw_mod_make(&request->mod);
	struct cgw_rule *rule;

	if (IS_ERR(mod))
		return ERR_CAST(mod);
	rule = cgw_rule_alloc(&request->key, mod, request->src, request->dst);
	if (!rule) {
		kfree(mod);
		return ERR_PTR(-ENOMEM);
	}
	if (name) {
		rule->name = nla_strdup(name, GFP_KERNEL_ACCOUNT);
		if (!rule->name)
			goto no_memory;
	}
	if (request->express &&
	    cgw_express_init(rule, request->lifetime))
		goto no_memory;
	return rule;

no_memory:
	cgw_rule_free(rule);
	return ERR_PTR(-ENOMEM);
}

/**
 * cgw_nl_parse_rule() - allocate a rule from the attributes of a request
 * @gn: gateway
 * @info: request whose attributes are of the set rule
 *
 * Context: Process context, under rtnl_lock(); may sleep.
 * Return: the rule, in no table and without a handle; ERR_PTR() of -EINVAL,
 * -ERANGE, -ENODEV or -EOPNOTSUPP with an extended ACK;
 * ERR_PTR(-ENOMEM).
 */
struct cgw_rule *cgw_nl_parse_rule(struct cgw_net *gn, struct genl_info *info)
{
	const struct nlattr *name = info->attrs[CAN_GW_A_RULE_NAME];
	struct cgw_nl_request request = {};
	struct cgw_rule *rule;
	enum cgw_op op;
	int err;

	err = cgw_nl_check_name(name, info->extack);
	if (!err)
		err = cgw_nl_parse_key(&request, info);
	request.mod.frames = request.key.frames;
	if (!err)
		err = cgw_nl_parse_mod(&request.mod, info->attrs, info->extack);
	if (!err)
		err = cgw_nl_parse_express(&request, info);
	if (err)
		rule = ERR_PTR(err);
	else
		rule = cgw_nl_make_rule(&request, name);
	for (op = CGW_OP_AND; op <= CGW_OP_SET; op++)
		kfree(request.mod.xl[op]);
	return rule;
}
