// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Requests of the family can-gw; gw_netlink.h says in which context. A request that is
 * refused changes nothing, and says why in its extended ACK.
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

/* The largest rule that there is: four operands for CAN XL, and a CRC8 */
#define DUMP_ALLOC (4 * CANXL_MTU + 2048)

static struct cgw_net *gateway(const struct genl_info *info)
{
	return cgw_net(genl_info_net(info));
}

/* @skb: the request */
static struct cgw_transaction *transaction(struct sk_buff *skb,
					   const struct genl_info *info)
{
	return cgw_transaction_find(gateway(info), NETLINK_CB(skb).sk);
}

static struct sk_buff *new_answer(const struct genl_info *info, size_t room,
				  void **hdr)
{
	struct sk_buff *skb = genlmsg_new(room, GFP_KERNEL);

	if (!skb)
		return NULL;
	*hdr = genlmsg_iput(skb, info);
	if (*hdr)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

static int answer(const struct genl_info *info, struct sk_buff *skb, void *hdr)
{
	genlmsg_end(skb, hdr);
	return genlmsg_reply(skb, (struct genl_info *)info);
}

static struct cgw_rule *find_rule(struct genl_info *info)
{
	const struct nlattr *attr = info->attrs[CAN_GW_A_RULE_HANDLE];
	struct cgw_rule *rule;

	if (GENL_REQ_ATTR_CHECK(info, CAN_GW_A_RULE_HANDLE)) {
		GENL_SET_ERR_MSG(info, "rule handle is required");
		return ERR_PTR(-EINVAL);
	}
	rule = cgw_table_find_handle(cgw_net_table(gateway(info)),
				     nla_get_uint(attr));
	if (rule)
		return rule;
	NL_SET_ERR_MSG_ATTR(info->extack, attr, "no rule with this handle");
	return ERR_PTR(-ENOENT);
}

/* A uid names one rule of a table. */
static int check_uid(struct cgw_table *table, const struct cgw_rule *rule,
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

static int too_many(const struct cgw_net *gn, struct genl_info *info)
{
	NL_SET_ERR_MSG_FMT(info->extack,
			   "limit of %u rules is reached (net.can.gw_max_rules)",
			   READ_ONCE(gn->limit));
	return -ENOSPC;
}

/* Other changes than those by which a transaction is made would be mixed up with it. */
static int no_transaction(struct sk_buff *skb, struct genl_info *info)
{
	if (!transaction(skb, info))
		return 0;
	GENL_SET_ERR_MSG(info, "socket has an open transaction");
	return -EBUSY;
}

static struct cgw_rule *new_rule(struct cgw_net *gn, struct cgw_table *table,
				 const struct cgw_rule *old,
				 struct genl_info *info)
{
	struct cgw_rule *rule = cgw_nl_parse_rule(gn, info);
	int err;

	if (IS_ERR(rule))
		return rule;
	err = check_uid(table, rule, old, info);
	if (!err)
		return rule;
	cgw_rule_free(rule);
	return ERR_PTR(err);
}

/* Rules of other sources stay when those of a transaction come into use. */
static struct cgw_rule *uid_elsewhere(struct cgw_net *gn,
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

static int device_gone(struct genl_info *info)
{
	GENL_SET_ERR_MSG(info, "interface of the transaction was removed");
	return -ENODEV;
}

static int transaction_add(struct cgw_net *gn, struct cgw_transaction *t,
			   struct genl_info *info)
{
	struct cgw_rule *rule;

	if (t->gone)
		return device_gone(info);
	if (cgw_transaction_full(gn, t))
		return too_many(gn, info);
	rule = new_rule(gn, t->table, NULL, info);
	if (IS_ERR(rule))
		return PTR_ERR(rule);
	if (t->dev && rule->src != t->dev) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[CAN_GW_A_RULE_SOURCE],
				    "transaction is for another source");
		cgw_rule_free(rule);
		return -EINVAL;
	}
	if (uid_elsewhere(gn, t, rule)) {
		NL_SET_ERR_MSG_ATTR(info->extack,
				    info->attrs[CAN_GW_A_RULE_UID],
				    "uid is used by a rule of another source");
		cgw_rule_free(rule);
		return -EEXIST;
	}
	return cgw_transaction_add(gn, t, rule);
}

static int table_add(struct cgw_net *gn, struct genl_info *info)
{
	struct cgw_table *table = cgw_net_table(gn);
	struct cgw_rule *rule;
	struct sk_buff *skb;
	void *hdr;
	int err;

	if (cgw_net_full(gn, table->count))
		return too_many(gn, info);
	skb = new_answer(info, nla_total_size(sizeof(u64)), &hdr);
	if (!skb)
		return -ENOMEM;
	rule = new_rule(gn, table, NULL, info);
	err = PTR_ERR_OR_ZERO(rule);
	if (!err)
		err = cgw_net_add(gn, rule);
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	cgw_notify_rule(gn, rule, CAN_GW_CMD_RULE_ADD_NTF);
	nla_put_uint(skb, CAN_GW_A_RULE_HANDLE, rule->handle);
	answer(info, skb, hdr);
	return 0;
}

int can_gw_nl_rule_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cgw_net *gn = gateway(info);
	struct cgw_transaction *t;
	int err;

	rtnl_lock();
	t = transaction(skb, info);
	if (t) {
		t->asked++;
		err = transaction_add(gn, t, info);
		if (err && !t->refused)
			t->refused = t->asked;
	} else {
		err = table_add(gn, info);
	}
	rtnl_unlock();
	return err;
}

static int replace(struct cgw_net *gn, struct genl_info *info)
{
	struct cgw_rule *rule = find_rule(info), *new;
	int err;

	if (IS_ERR(rule))
		return PTR_ERR(rule);
	new = new_rule(gn, cgw_net_table(gn), rule, info);
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
	if (!err)
		cgw_notify_rule(gn, new, CAN_GW_CMD_RULE_CHANGE_NTF);
	return err;
}

int can_gw_nl_rule_replace_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = no_transaction(skb, info);
	if (!err)
		err = replace(gateway(info), info);
	rtnl_unlock();
	return err;
}

static int delete(struct cgw_net *gn, struct genl_info *info)
{
	struct cgw_rule *rule = find_rule(info);
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
	err = no_transaction(skb, info);
	if (!err)
		err = delete(gateway(info), info);
	rtnl_unlock();
	return err;
}

/* With @reset, the counters that the message has are forgotten if it is complete. */
static int put_rule(struct sk_buff *skb, struct cgw_rule *rule, bool reset)
{
	u64 sum[CGW_EV_COUNT];
	int err;

	cgw_rule_stats(rule, sum);
	err = cgw_nl_put_rule(skb, rule, sum);
	if (!err && reset)
		err = cgw_rule_reset(rule, sum);
	return err;
}

static int get(struct genl_info *info, bool reset)
{
	struct cgw_rule *rule = find_rule(info);
	struct sk_buff *skb;
	void *hdr;
	int err;

	if (IS_ERR(rule))
		return PTR_ERR(rule);
	skb = new_answer(info, cgw_nl_rule_size(rule), &hdr);
	if (!skb)
		return -ENOMEM;
	err = put_rule(skb, rule, reset);
	if (!err)
		return answer(info, skb, hdr);
	nlmsg_free(skb);
	return err;
}

int can_gw_nl_rule_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = get(info, false);
	rtnl_unlock();
	return err;
}

int can_gw_nl_rule_reset_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = get(info, true);
	rtnl_unlock();
	return err;
}

/* Where a dump goes on: behind this rule */
struct dump_state {
	u64 handle;
};

int can_gw_nl_dump_start(struct netlink_callback *cb)
{
	struct cgw_net *gn = gateway(genl_info_dump(cb));

	static_assert(sizeof(struct dump_state) <= sizeof(cb->ctx));

	/* whoever has no such rules reads with a small buffer */
	rtnl_lock();
	if (cgw_net_table(gn)->xl)
		cb->min_dump_alloc = DUMP_ALLOC;
	rtnl_unlock();
	return 0;
}

static bool wanted(const struct cgw_rule *rule, struct nlattr **attrs)
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

static int dump_rule(struct sk_buff *skb, struct netlink_callback *cb,
		     struct cgw_rule *rule, bool reset)
{
	const struct genl_info *info = genl_info_dump(cb);
	void *hdr;
	int err;

	hdr = __genlmsg_iput(skb, info, NLM_F_MULTI);
	if (!hdr)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, hdr);
	err = put_rule(skb, rule, reset);
	if (err)
		genlmsg_cancel(skb, hdr);
	else
		genlmsg_end(skb, hdr);
	return err;
}

static int dump(struct sk_buff *skb, struct netlink_callback *cb, bool reset)
{
	const struct genl_info *info = genl_info_dump(cb);
	struct dump_state *state = (void *)cb->ctx;
	struct cgw_net *gn = gateway(info);
	struct cgw_rule *rule;
	int err = 0;

	rtnl_lock();
	cb->seq = gn->generation;
	rule = cgw_table_next(cgw_net_table(gn), state->handle);
	for (; rule; rule = cgw_rule_next(rule)) {
		if (wanted(rule, info->attrs))
			err = dump_rule(skb, cb, rule, reset);
		if (err)
			break;
		state->handle = rule->handle;
	}
	rtnl_unlock();
	return err;
}

int can_gw_nl_rule_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump(skb, cb, false);
}

int can_gw_nl_rule_reset_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	return dump(skb, cb, true);
}

/* Return: NULL if there is no such attribute. */
static struct net_device *find_source(struct genl_info *info)
{
	return info->attrs[CAN_GW_A_TABLE_SOURCE] ?
	       cgw_nl_parse_device(info, CAN_GW_A_TABLE_SOURCE) : NULL;
}

static int begin(struct sk_buff *skb, struct genl_info *info)
{
	struct net_device *dev = find_source(info);

	if (IS_ERR(dev))
		return PTR_ERR(dev);
	return cgw_transaction_begin(gateway(info), NETLINK_CB(skb).sk, dev) ?
	       0 : -ENOMEM;
}

int can_gw_nl_transaction_begin_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = no_transaction(skb, info);
	if (!err)
		err = begin(skb, info);
	rtnl_unlock();
	return err;
}

static struct cgw_transaction *own_transaction(struct sk_buff *skb,
					       struct genl_info *info)
{
	struct cgw_transaction *t = transaction(skb, info);

	if (!t)
		GENL_SET_ERR_MSG(info, "socket has no open transaction");
	return t;
}

static int check_uids(struct cgw_net *gn, const struct cgw_transaction *t,
		      struct genl_info *info)
{
	struct cgw_rule *rule;

	if (!t->dev)
		return 0;
	hlist_for_each_entry(rule, &t->table->rules, table_node) {
		if (!uid_elsewhere(gn, t, rule))
			continue;
		NL_SET_ERR_MSG_FMT(info->extack,
				   "uid %u is used by a rule of another source",
				   cgw_mod_uid(cgw_rule_mod(rule)));
		return -EEXIST;
	}
	return 0;
}

static int may_commit(struct cgw_net *gn, const struct cgw_transaction *t,
		      struct genl_info *info)
{
	const struct nlattr *generation = info->attrs[CAN_GW_A_TABLE_GENERATION];
	const struct nlattr *rules = info->attrs[CAN_GW_A_TABLE_RULES];

	if (GENL_REQ_ATTR_CHECK(info, CAN_GW_A_TABLE_RULES)) {
		GENL_SET_ERR_MSG(info, "number of rules is required");
		return -EINVAL;
	}
	if (t->gone)
		return device_gone(info);
	if (t->refused) {
		NL_SET_ERR_MSG_FMT(info->extack,
				   "rule %u of the transaction was rejected",
				   t->refused);
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
	return check_uids(gn, t, info);
}

static int answer_table(struct genl_info *info, struct sk_buff *skb, void *hdr,
			const struct net_device *dev)
{
	/* it was made with room for that */
	cgw_nl_put_table(skb, gateway(info), dev);
	return answer(info, skb, hdr);
}

static int commit(struct cgw_net *gn, struct cgw_transaction *t,
		  struct genl_info *info)
{
	struct net_device *dev = t->dev;
	struct sk_buff *skb;
	void *hdr;
	int err;

	skb = new_answer(info, cgw_nl_table_size(), &hdr);
	err = skb ? may_commit(gn, t, info) : -ENOMEM;
	if (err) {
		cgw_transaction_end(t);
	} else {
		err = cgw_transaction_commit(gn, t);
		if (err == -ENOSPC)
			too_many(gn, info);
	}
	if (err) {
		nlmsg_free(skb);
		return err;
	}
	cgw_notify_table(gn, dev);
	answer_table(info, skb, hdr, dev);
	return 0;
}

int can_gw_nl_transaction_commit_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cgw_transaction *t;
	int err = -ENOENT;

	rtnl_lock();
	t = own_transaction(skb, info);
	if (t)
		err = commit(gateway(info), t, info);
	rtnl_unlock();
	return err;
}

/* The policy of a request without attributes does not look at any. */
static int no_attributes(struct genl_info *info)
{
	if (!nlmsg_attrlen(info->nlhdr, GENL_HDRLEN))
		return 0;
	NL_SET_ERR_MSG_ATTR(info->extack, nlmsg_attrdata(info->nlhdr, GENL_HDRLEN),
			    "request has no attributes");
	return -EINVAL;
}

static int answer_now(struct genl_info *info, const struct net_device *dev)
{
	struct sk_buff *skb;
	void *hdr;

	skb = new_answer(info, cgw_nl_table_size(), &hdr);
	return skb ? answer_table(info, skb, hdr, dev) : -ENOMEM;
}

int can_gw_nl_transaction_abort_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct cgw_transaction *t;
	int err;

	err = no_attributes(info);
	if (err)
		return err;
	rtnl_lock();
	t = own_transaction(skb, info);
	if (t) {
		cgw_transaction_end(t);
		answer_now(info, NULL);
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
	dev = find_source(info);
	err = IS_ERR(dev) ? PTR_ERR(dev) : answer_now(info, dev);
	rtnl_unlock();
	return err;
}

/* A socket that is closed gives up what it has begun. */
static int socket_closed(struct notifier_block *nb, unsigned long event,
			 void *data)
{
	const struct netlink_notify *notify = data;
	struct cgw_net *gn;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_GENERIC)
		return NOTIFY_DONE;
	gn = cgw_net(notify->net);
	/* nobody else begins one for this socket now */
	if (list_empty_careful(&gn->transactions))
		return NOTIFY_DONE;
	rtnl_lock();
	cgw_transaction_end_closed(gn);
	rtnl_unlock();
	return NOTIFY_DONE;
}

static struct notifier_block sockets = {
	.notifier_call = socket_closed,
};

/**
 * cgw_nl_init() - let the family be found
 *
 * Context: process; gateways of all namespaces are ready.
 * Return: 0 or an error.
 */
int cgw_nl_init(void)
{
	int err = netlink_register_notifier(&sockets);

	if (err)
		return err;
	err = genl_register_family(&can_gw_nl_family);
	if (err) {
		netlink_unregister_notifier(&sockets);
		return err;
	}
	rtnl_lock();
	cgw_notify_enable(true);
	rtnl_unlock();
	return 0;
}

/**
 * cgw_nl_exit() - let the family be found no more
 *
 * Transactions stay, for cgw_transaction_end_all().
 *
 * Context: process.
 */
void cgw_nl_exit(void)
{
	rtnl_lock();
	cgw_notify_enable(false);
	rtnl_unlock();
	genl_unregister_family(&can_gw_nl_family);
	netlink_unregister_notifier(&sockets);
}
