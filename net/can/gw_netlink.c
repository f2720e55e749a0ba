// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Requests of the family can-gw: contexts are described in gw_netlink.h. A
 * rejected request changes nothing and returns the reason in its extended ACK.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/sock.h>

#include "gw_netlink.h"
#include "gw_netlink_gen.h"
#include "gw_transaction.h"

MODULE_ALIAS_GENL_FAMILY(CAN_GW_FAMILY_NAME);

/* Largest rule in a message: four operands for CAN XL and a CRC8 */
#define CGW_NL_MAX_RULE_SIZE (4 * CANXL_MTU + 2048)

static struct cgw_net *cgw_nl_net(const struct genl_info *info)
{
	return cgw_net(genl_info_net(info));
}

/* Return: the transaction of the socket that sent @skb, or NULL. */
static struct cgw_transaction *cgw_nl_transaction(struct sk_buff *skb,
						  const struct genl_info *info)
{
	return cgw_transaction_find(cgw_nl_net(info), NETLINK_CB(skb).sk);
}

static struct sk_buff *cgw_nl_new_reply(const struct genl_info *info,
					size_t size, void **hdr)
{
	struct sk_buff *skb = genlmsg_new(size, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_iput(skb, info);
	if (*hdr)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

static int cgw_nl_reply(const struct genl_info *info, struct sk_buff *skb,
			void *hdr)
{
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, (struct genl_info *)info);
}

static struct cgw_rule *cgw_nl_find_rule(struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[CAN_GW_A_RULE_HANDLE];
	struct cgw_rule *rule;

	if (GENL_REQ_ATTR_CHECK(info, CAN_GW_A_RULE_HANDLE)) {
		GENL_SET_ERR_MSG(info, "rule handle is required");
		return ERR_PTR(-EINVAL);
	}
	rule = cgw_table_find_handle(cgw_net_table(cgw_nl_net(info)),
				     nla_get_uint(attr));
	if (rule)
		return rule;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "no rule with this handle");
	return ERR_PTR(-ENOENT);
}

/* A uid is unique in a table. */
static int cgw_nl_check_uid(struct cgw_table *table,
			    const struct cgw_rule *rule,
			    const struct cgw_rule *old, struct genl_info *info)
{
	u32 uid = cgw_mod_uid(cgw_rule_mod(rule));
	struct cgw_rule *other = uid ? cgw_table_find_uid(table, uid) : NULL;

	if (!other || other == old)
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, info->attrs[CAN_GW_A_RULE_UID],
			    "uid is used by another rule");
	return -EEXIST;
}

static int cgw_nl_err_rule_limit(const struct cgw_net *gn,
				 struct genl_info *info)
{
	NL_SET_ERR_MSG_FMT(info->extack,
			   "limit of %u rules is reached (net.can.gw_max_rules)",
			   READ_ONCE(gn->limit));
	return -ENOSPC;
}

/* Say which limit of express rules a request exceeds, if it does. */
static void cgw_nl_explain_express(const struct cgw_net *gn,
				   struct genl_info *info)
{
	const struct can_filter *filter = &gn->refused.filter;
	const struct can_filter *other = &gn->refused.other;
	struct netlink_ext_ack *extack = info->extack;

	switch (gn->refused.limit) {
	case CGW_EXPRESS_LIMIT_NONE:
		break;
	case CGW_EXPRESS_LIMIT_RULES:
		NL_SET_ERR_MSG_FMT(extack,
				   "a source has at most %u express rules",
				   CGW_EXPRESS_RULES);
		break;
	case CGW_EXPRESS_LIMIT_HITS:
		NL_SET_ERR_MSG_FMT(extack,
				   "filter %X:%X would be the fifth express rule for a frame, beside %X:%X",
				   filter->can_id, filter->can_mask,
				   other->can_id, other->can_mask);
		break;
	case CGW_EXPRESS_LIMIT_MASKS:
		NL_SET_ERR_MSG_FMT(extack,
				   "filter %X:%X needs a ninth mask for extended identifiers",
				   filter->can_id, filter->can_mask);
		break;
	case CGW_EXPRESS_LIMIT_INVERTED:
		NL_SET_ERR_MSG_FMT(extack,
				   "filter %X:%X of an express rule is inverted",
				   filter->can_id, filter->can_mask);
		break;
	case CGW_EXPRESS_LIMIT_ERRORS:
		NL_SET_ERR_MSG_FMT(extack,
				   "filter %X:%X of an express rule is for errors",
				   filter->can_id, filter->can_mask);
		break;
	}
}

/* A socket with an open transaction can only add rules to it. */
static int cgw_nl_check_no_transaction(struct sk_buff *skb,
				       struct genl_info *info)
{
	if (!cgw_nl_transaction(skb, info))
		return 0;
	GENL_SET_ERR_MSG(info, "socket has an open transaction");
	return -EBUSY;
}

static struct cgw_rule *cgw_nl_new_rule(struct cgw_net *gn,
					struct cgw_table *table,
					const struct cgw_rule *old,
					struct genl_info *info)
{
	struct cgw_rule *rule = cgw_nl_parse_rule(gn, info);
	int err;

	if (IS_ERR(rule))
		return rule;
	err = cgw_nl_check_uid(table, rule, old, info);
	if (!err)
		return rule;
	cgw_rule_free(rule);
	return ERR_PTR(err);
}

/* The commit for one source keeps the rules of all others. Return: the active
 * rule of another source that has the uid of @rule, or NULL.
 */
static struct cgw_rule *cgw_trans_uid_conflict(struct cgw_net *gn,
					       const struct cgw_transaction *t,
					       const struct cgw_rule *rule)
{
	u32 uid = cgw_mod_uid(cgw_rule_mod(rule));
	struct cgw_rule *other;

	if (!uid || !t->dev)
		return NULL;
	other = cgw_table_find_uid(cgw_net_table(gn), uid);
	return other && other->src != t->dev ? other : NULL;
}

static int cgw_nl_err_dev_unregistered(struct genl_info *info)
{
	GENL_SET_ERR_MSG(info, "interface of the transaction was removed");
	return -ENODEV;
}

static int cgw_trans_add(struct cgw_net *gn, struct cgw_transaction *t,
			 struct genl_info *info)
{
	struct cgw_rule *rule;

	if (t->dev_unregistered)
		return cgw_nl_err_dev_unregistered(info);
	if (cgw_transaction_full(gn, t))
		return cgw_nl_err_rule_limit(gn, info);
	rule = cgw_nl_new_rule(gn, t->table, NULL, info);
	if (IS_ERR(rule))
		return PTR_ERR(rule);
	if (t->dev && rule->src != t->dev) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[CAN_GW_A_RULE_SOURCE],
				    "transaction is for another source");
		cgw_rule_free(rule);
		return -EINVAL;
	}
	if (cgw_trans_uid_conflict(gn, t, rule)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[CAN_GW_A_RULE_UID],
				    "uid is used by a rule of another source");
		cgw_rule_free(rule);
		return -EEXIST;
	}
	return cgw_transaction_add(gn, t, rule);
}

static int cgw_nl_table_add(struct cgw_net *gn, struct genl_info *info)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_rule *rule;
	struct sk_buff *skb;
	void *hdr;
	int err;

	if (cgw_net_full(gn, table->count))
		return cgw_nl_err_rule_limit(gn, info);
	skb = cgw_nl_new_reply(info, nla_total_size(sizeof(u64)), &hdr);
	if (!skb)
		return -ENOMEM;
	rule = cgw_nl_new_rule(gn, table, NULL, info);
	err = PTR_ERR_OR_ZERO(rule);
	if (!err) {
		err = cgw_net_add(gn, rule);
		cgw_nl_explain_express(gn, info);
	}
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	cgw_notify_rule(gn, rule, CAN_GW_CMD_RULE_ADD_NTF);
	nla_put_uint(skb, CAN_GW_A_RULE_HANDLE, rule->handle);
	cgw_nl_reply(info, skb, hdr);
	return 0;
}

int can_gw_nl_rule_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cgw_net *gn = cgw_nl_net(info);
	struct cgw_transaction *t;
	int err;

	rtnl_lock();
	t = cgw_nl_transaction(skb, info);
	if (t) {
		t->adds++;
		err = cgw_trans_add(gn, t, info);
		if (err && !t->first_error)
			t->first_error = t->adds;
	} else {
		err = cgw_nl_table_add(gn, info);
	}
	rtnl_unlock();
	return err;
}

static int cgw_nl_replace(struct cgw_net *gn, struct genl_info *info)
{
	struct cgw_rule *rule = cgw_nl_find_rule(info), *new;
	int err;

	if (IS_ERR(rule))
		return PTR_ERR(rule);
	new = cgw_nl_new_rule(gn, cgw_net_table(gn), rule, info);
	if (IS_ERR(new))
		return PTR_ERR(new);
	if (new->src != rule->src) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[CAN_GW_A_RULE_SOURCE],
				    "source of a rule cannot be changed");
		cgw_rule_free(new);
		return -EINVAL;
	}
	err = cgw_net_replace(gn, rule, new);
	cgw_nl_explain_express(gn, info);
	if (!err)
		cgw_notify_rule(gn, new, CAN_GW_CMD_RULE_CHANGE_NTF);
	return err;
}

int can_gw_nl_rule_replace_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = cgw_nl_check_no_transaction(skb, info);
	if (!err)
		err = cgw_nl_replace(cgw_nl_net(info), info);
	rtnl_unlock();
	return err;
}

static int cgw_nl_delete(struct cgw_net *gn, struct genl_info *info)
{
	struct cgw_rule *rule = cgw_nl_find_rule(info);
	u64 handle;

	if (IS_ERR(rule))
		return PTR_ERR(rule);
	handle = rule->handle;
	cgw_net_del(gn, rule);
	cgw_notify_del(gn, handle);
	return 0;
}

int can_gw_nl_rule_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = cgw_nl_check_no_transaction(skb, info);
	if (!err)
		err = cgw_nl_delete(cgw_nl_net(info), info);
	rtnl_unlock();
	return err;
}

/* With @reset, reset the counters if the message has room for the rule. */
static int cgw_nl_put_rule_stats(struct sk_buff *skb, struct cgw_rule *rule,
				 bool reset)
{
	u64 sum[CGW_EV_COUNT];
	int err;

	cgw_rule_stats(rule, sum);
	err = cgw_nl_put_rule(skb, rule, sum);
	if (!err && reset)
		err = cgw_rule_reset_stats(rule, sum);
	return err;
}

static int cgw_nl_get(struct genl_info *info, bool reset)
{
	struct cgw_rule *rule = cgw_nl_find_rule(info);
	struct sk_buff *skb;
	void *hdr;
	int err;

	if (IS_ERR(rule))
		return PTR_ERR(rule);
	skb = cgw_nl_new_reply(info, cgw_nl_rule_size(rule), &hdr);
	if (!skb)
		return -ENOMEM;
	err = cgw_nl_put_rule_stats(skb, rule, reset);
	if (!err)
		return cgw_nl_reply(info, skb, hdr);
	nlmsg_free(skb);
	return err;
}

int can_gw_nl_rule_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = cgw_nl_get(info, false);
	rtnl_unlock();
	return err;
}

int can_gw_nl_rule_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = cgw_nl_get(info, true);
	rtnl_unlock();
	return err;
}

/* Rules that a dump visits before it lets others have rtnl and the CPU: any user
 * can dump, and most rules may not be those that the request selects.
 */
#define CGW_NL_DUMP_BATCH 1024

/* The dump continues after the rule with this handle. */
struct cgw_nl_dump_state {
	u64 handle;
};

int can_gw_nl_dump_start(struct netlink_callback *cb)
{
	struct cgw_net *gn = cgw_nl_net(genl_info_dump(cb));

	static_assert(sizeof(struct cgw_nl_dump_state) <= sizeof(cb->ctx));

	/* without rules for CAN XL, the default buffer is large enough */
	rtnl_lock();
	if (cgw_net_table(gn)->xl)
		cb->min_dump_alloc = CGW_NL_MAX_RULE_SIZE;
	rtnl_unlock();
	return 0;
}

static bool cgw_nl_dump_matches(const struct cgw_rule *rule,
				struct nlattr **attrs)
{
	const struct nlattr *dst = attrs[CAN_GW_A_RULE_DESTINATION];
	const struct nlattr *frames = attrs[CAN_GW_A_RULE_FRAMES];
	const struct nlattr *src = attrs[CAN_GW_A_RULE_SOURCE];
	const struct nlattr *name = attrs[CAN_GW_A_RULE_NAME];

	if (src && rule->key.src_idx != nla_get_u32(src))
		return false;
	if (dst && rule->key.dst_idx != nla_get_u32(dst))
		return false;
	if (frames && rule->key.frames != nla_get_u32(frames))
		return false;
	return !name || (rule->name && !nla_strcmp(name, rule->name));
}

static int cgw_nl_dump_rule(struct sk_buff *skb, struct netlink_callback *cb,
			    struct cgw_rule *rule, bool reset)
{
	const struct genl_info *info = genl_info_dump(cb);
	void *hdr;
	int err;

	hdr = __genlmsg_iput(skb, info, NLM_F_MULTI);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	err = cgw_nl_put_rule_stats(skb, rule, reset);
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

/* Return: 0 after the last rule, -EAGAIN after a batch of rules, or an error. */
static int cgw_nl_dump_batch(struct sk_buff *skb, struct netlink_callback *cb,
			     bool reset)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct cgw_nl_dump_state *state = (void *)cb->ctx;
	struct cgw_net *gn = cgw_nl_net(info);
	unsigned int left = CGW_NL_DUMP_BATCH;
	struct cgw_rule *rule;
	int err = 0;

	cb->seq = gn->generation;
	rule = cgw_table_next(cgw_net_table(gn), state->handle);
	for (; rule; rule = cgw_rule_next(rule)) {
		if (!left--)
			return -EAGAIN;
		if (cgw_nl_dump_matches(rule, info->attrs))
			err = cgw_nl_dump_rule(skb, cb, rule, reset);
		if (err)
			return err;
		state->handle = rule->handle;
	}
	return 0;
}

static int cgw_nl_dump(struct sk_buff *skb, struct netlink_callback *cb,
		       bool reset)
{
	int err;

	do {
		cond_resched();
		rtnl_lock();
		err = cgw_nl_dump_batch(skb, cb, reset);
		rtnl_unlock();
	} while (err == -EAGAIN);
	return err;
}

int can_gw_nl_rule_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return cgw_nl_dump(skb, cb, false);
}

int can_gw_nl_rule_reset_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb)
{
	return cgw_nl_dump(skb, cb, true);
}

/* Return: the device, NULL without this attribute, or ERR_PTR(-ENODEV). */
static struct net_device *cgw_nl_find_source(struct genl_info *info)
{
	return info->attrs[CAN_GW_A_TABLE_SOURCE] ?
	       cgw_nl_parse_device(info, CAN_GW_A_TABLE_SOURCE) : NULL;
}

static int cgw_trans_begin(struct sk_buff *skb, struct genl_info *info)
{
	struct net_device *dev = cgw_nl_find_source(info);

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	return cgw_transaction_begin(cgw_nl_net(info), NETLINK_CB(skb).sk,
				     dev) ?
	       0 : -ENOMEM;
}

int can_gw_nl_transaction_begin_doit(struct sk_buff *skb,
				     struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = cgw_nl_check_no_transaction(skb, info);
	if (!err)
		err = cgw_trans_begin(skb, info);
	rtnl_unlock();
	return err;
}

static struct cgw_transaction *cgw_trans_require(struct sk_buff *skb,
						 struct genl_info *info)
{
	struct cgw_transaction *t = cgw_nl_transaction(skb, info);

	if (!t)
		GENL_SET_ERR_MSG(info, "socket has no open transaction");
	return t;
}

static int cgw_trans_check_uids(struct cgw_net *gn,
				const struct cgw_transaction *t,
				struct genl_info *info)
{
	struct cgw_rule *rule;

	if (!t->dev)
		return 0;
	hlist_for_each_entry(rule, &t->table->rules, table_node) {
		if (!cgw_trans_uid_conflict(gn, t, rule))
			continue;
		NL_SET_ERR_MSG_FMT(info->extack,
				   "uid %u is used by a rule of another source",
				   cgw_mod_uid(cgw_rule_mod(rule)));
		return -EEXIST;
	}
	return 0;
}

static int cgw_trans_check(struct cgw_net *gn, const struct cgw_transaction *t,
			   struct genl_info *info)
{
	const struct nlattr *generation = info->attrs[CAN_GW_A_TABLE_GENERATION];
	const struct nlattr *rules = info->attrs[CAN_GW_A_TABLE_RULES];

	if (GENL_REQ_ATTR_CHECK(info, CAN_GW_A_TABLE_RULES)) {
		GENL_SET_ERR_MSG(info, "number of rules is required");
		return -EINVAL;
	}
	if (t->dev_unregistered)
		return cgw_nl_err_dev_unregistered(info);
	if (t->first_error) {
		NL_SET_ERR_MSG_FMT(info->extack,
				   "rule %u of the transaction was rejected",
				   t->first_error);
		return -ECANCELED;
	}
	if (nla_get_u32(rules) != t->table->count) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, rules,
					"transaction has %u rules",
					t->table->count);
		return -ECANCELED;
	}
	if (generation && nla_get_u32(generation) != gn->generation) {
		NL_SET_ERR_MSG_ATTR_FMT(info->extack, generation,
					"rules have changed, their generation is %u",
					gn->generation);
		return -EAGAIN;
	}
	return cgw_trans_check_uids(gn, t, info);
}

static int cgw_nl_send_table(struct genl_info *info, struct sk_buff *skb,
			     void *hdr, const struct net_device *dev)
{
	/* @skb has cgw_nl_table_size() bytes for this */
	cgw_nl_put_table(skb, cgw_nl_net(info), dev);
	return cgw_nl_reply(info, skb, hdr);
}

static int cgw_trans_commit(struct cgw_net *gn, struct cgw_transaction *t,
			    struct genl_info *info)
{
	struct net_device *dev = t->dev;
	struct sk_buff *skb;
	void *hdr;
	int err;

	skb = cgw_nl_new_reply(info, cgw_nl_table_size(), &hdr);
	err = skb ? cgw_trans_check(gn, t, info) : -ENOMEM;
	if (err) {
		cgw_transaction_end(t);
	} else {
		err = cgw_transaction_commit(gn, t);
		if (err == -ENOSPC && !gn->refused.limit)
			cgw_nl_err_rule_limit(gn, info);
		cgw_nl_explain_express(gn, info);
	}
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	cgw_notify_table(gn, dev);
	cgw_nl_send_table(info, skb, hdr, dev);
	return 0;
}

int can_gw_nl_transaction_commit_doit(struct sk_buff *skb,
				      struct genl_info *info)
{
	struct cgw_transaction *t;
	int err = -ENOENT;

	rtnl_lock();
	t = cgw_trans_require(skb, info);
	if (t)
		err = cgw_trans_commit(cgw_nl_net(info), t, info);
	rtnl_unlock();
	return err;
}

/* genetlink does not reject attributes of a request without policy. */
static int cgw_nl_check_no_attrs(struct genl_info *info)
{
	if (!nlmsg_attrlen(info->nlhdr, GENL_HDRLEN))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack,
			    nlmsg_attrdata(info->nlhdr, GENL_HDRLEN),
			    "request has no attributes");
	return -EINVAL;
}

static int cgw_nl_reply_table(struct genl_info *info,
			      const struct net_device *dev)
{
	struct sk_buff *skb;
	void *hdr;

	skb = cgw_nl_new_reply(info, cgw_nl_table_size(), &hdr);
	return skb ? cgw_nl_send_table(info, skb, hdr, dev) : -ENOMEM;
}

int can_gw_nl_transaction_abort_doit(struct sk_buff *skb,
				     struct genl_info *info)
{
	struct cgw_transaction *t;
	int err;

	err = cgw_nl_check_no_attrs(info);
	if (err)
		return err;
	rtnl_lock();
	t = cgw_trans_require(skb, info);
	if (t) {
		cgw_transaction_end(t);
		cgw_nl_reply_table(info, NULL);
	} else {
		err = -ENOENT;
	}
	rtnl_unlock();
	return err;
}

int can_gw_nl_table_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct net_device *dev;
	int err;

	rtnl_lock();
	dev = cgw_nl_find_source(info);
	err = IS_ERR(dev) ? PTR_ERR(dev) : cgw_nl_reply_table(info, dev);
	rtnl_unlock();
	return err;
}

/* Abort the transactions of closed sockets. */
static int cgw_nl_socket_closed(struct notifier_block *nb, unsigned long event,
				void *data)
{
	const struct netlink_notify *notify = data;
	struct cgw_net *gn;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	gn = cgw_net(notify->net);
	/* the socket is closed and cannot begin another one */
	if (list_empty_careful(&gn->transactions))
		return NOTIFY_DONE;
	rtnl_lock();
	cgw_transaction_end_closed(gn);
	rtnl_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block cgw_nl_notifier = {
	.notifier_call = cgw_nl_socket_closed,
};

/**
 * cgw_nl_init() - register the family
 *
 * Context: Process context; the gateways of all namespaces are initialized.
 * Return: 0 or an error.
 */
int cgw_nl_init(void)
{
	int err = netlink_register_notifier(&cgw_nl_notifier);

	if (err)
		return err;
	err = genl_register_family(&can_gw_nl_family);
	if (err) {
		netlink_unregister_notifier(&cgw_nl_notifier);
		return err;
	}
	rtnl_lock();
	cgw_notify_enable(true);
	rtnl_unlock();
	return 0;
}

/**
 * cgw_nl_exit() - unregister the family
 *
 * Open transactions are left for cgw_transaction_end_all().
 *
 * Context: Process context.
 */
void cgw_nl_exit(void)
{
	rtnl_lock();
	cgw_notify_enable(false);
	rtnl_unlock();
	genl_unregister_family(&can_gw_nl_family);
	netlink_unregister_notifier(&cgw_nl_notifier);
}
