// SPDX-License-Identifier: GPL-2.0-only
/* Random messages to the gateway, and what has to be true then: see gw_fuzzer.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/socket.h>

#include <libmnl/libmnl.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_fuzzer.h"
#include "kselftest.h"

#define MESSAGES	20000	/* or CAN_FUZZ_MESSAGES */
#define SECONDS		45	/* or CAN_FUZZ_SECONDS */
#define ROUND		100
#define LIMIT		"/proc/sys/net/can/gw_max_rules"

/* Answers */

static void remember(struct gw_fuzz_ns *ns, const struct nlmsghdr *nlh)
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
	ns->known[ns->known_next++ % GW_FUZZ_KNOWN] = handle;
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
static void check_text(struct gw_fuzz *f, const struct gw_fuzz_ns *ns,
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
		snprintf(f->sample, sizeof(f->sample),
			 "error %d, command %d, message %u of %u bytes",
			 err->error, f->buf[NLMSG_HDRLEN], f->sent,
			 err->msg.nlmsg_len);
}

/*
 * Read what there is, or only a part of it.
 *
 * Return: what the last request was answered, 1 for nothing.
 */
static int drain(struct gw_fuzz *f, struct gw_fuzz_ns *ns, int fd,
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

/* The rules, without their counters */

struct snapshot {
	struct gw_fuzz_ns *ns;
	int64_t generation;
	int rules;
	uint64_t digest;
};

static void digest_u64(uint64_t *digest, uint64_t value)
{
	*digest = (*digest ^ value) * 0x100000001b3ULL;
	*digest ^= *digest >> 29;
}

static void digest_rule(const struct gwnl_rule *rule, void *data)
{
	uint64_t *digest = data;
	int op;

	digest_u64(digest, rule->handle);
	digest_u64(digest, (uint64_t)rule->source << 32 | rule->destination);
	digest_u64(digest, (uint64_t)rule->filter_id << 32 | rule->filter_mask);
	digest_u64(digest, (uint64_t)rule->uid << 32 | rule->frames << 16 |
			   rule->flags << 8 | rule->hop_limit);
	digest_u64(digest, rule->lifetime);
	digest_u64(digest, rule->express);
	for (op = 0; op < GWNL_OPS; op++)
		digest_u64(digest, (uint64_t)rule->op[op].fields << 32 |
				   rule->op[op].id);
}

/* Return: 0 or a negative errno value. */
static int take_snapshot(struct gw_fuzz_ns *ns, struct snapshot *snapshot)
{
	snapshot->ns = ns;
	snapshot->digest = 0;
	snapshot->generation = gwnl_generation(&ns->control);
	snapshot->rules = gwnl_dump(&ns->control, CAN_GW_CMD_RULE_GET, NULL,
				    digest_rule, &snapshot->digest);
	return snapshot->rules < 0 ? snapshot->rules : 0;
}

static const char *compare_snapshot(const struct snapshot *before)
{
	struct snapshot now;

	if (take_snapshot(before->ns, &now))
		return "the rules cannot be read";
	if (now.generation != before->generation)
		return "a rejected request has changed the generation";
	if (now.rules != before->rules || now.digest != before->digest)
		return "a rejected request has changed the rules";
	return NULL;
}

/* One request */

/* Return: number of bytes to send. Away, there may be more than nlmsg_len, unless it has to
 * be @one message.
 */
static size_t length(const struct gw_fuzz_ns *ns, const struct nlmsghdr *nlh,
		     size_t len, bool one)
{
	size_t said = NLMSG_ALIGN(nlh->nlmsg_len);

	return (ns->home || one) && said < len ? said : len;
}

/* a request that is on its way */
struct request {
	struct gw_fuzz_ns *ns;
	int fd;
	bool family;
	bool check;		/* compare the rules if it is rejected */
	bool exact;		/* its answer is read, and no other */
	struct snapshot before;
};

/* Return: its answer as from drain(), or -ENOMSG if it could not be sent. */
static int send_request(struct gw_fuzz *f, struct request *request,
			const struct nlmsghdr *nlh, size_t len)
{
	request->exact = request->check || (f->express && !f->wrong);
	if (request->exact)
		drain(f, request->ns, request->fd, request->family, 1000);
	if (request->check && take_snapshot(request->ns, &request->before))
		request->check = false;
	len = length(request->ns, nlh, len, request->exact);
	if (send(request->fd, nlh, len, 0) < 0)
		return -ENOMSG;
	return drain(f, request->ns, request->fd, request->family,
		     request->exact || gw_fuzz_pick(f, 4) ? 1000 : 1);
}

static void count(struct gw_fuzz *f, const struct request *request, int answer)
{
	bool express = request->exact && f->express && !f->wrong;

	f->sent++;
	if (!answer) {
		f->accepted++;
		f->express_accepted += express;
	} else if (answer < 0) {
		f->rejected++;
		f->express_rejected += express;
	}
}

/* Return: a text. */
static const char *check_rejected(struct gw_fuzz *f,
				  const struct request *request, int answer)
{
	if (!request->check || answer >= 0)
		return NULL;
	f->checked++;
	return compare_snapshot(&request->before);
}

static void follow_transaction(struct gw_fuzz_channel *channel, int cmd,
			       int answer)
{
	switch (cmd) {
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

static const char *send_family(struct gw_fuzz *f, bool check)
{
	struct gw_fuzz_ns *ns = gw_fuzz_pick(f, 2) ? &f->home : &f->away;
	unsigned int number = gw_fuzz_pick(f, GW_FUZZ_SOCKETS);
	struct gw_fuzz_channel *channel = &ns->channels[number];
	const struct genlmsghdr *genl = (void *)(f->buf + NLMSG_HDRLEN);
	struct nlmsghdr *nlh = gw_fuzz_family_message(f, ns, channel);
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);
	struct request request;
	int answer;

	gw_fuzz_corrupt(f, nlh);
	if (ns->home && gw_fuzz_harmful(f, nlh, false)) {
		ns = &f->away;
		channel = &ns->channels[number];
	}
	request = (struct request){
		.ns = ns, .fd = ynl_socket_get_fd(channel->gw.ys),
		.family = true, .check = check,
	};
	answer = send_request(f, &request, nlh, len);
	if (answer == -ENOMSG)
		return NULL;
	count(f, &request, answer);
	follow_transaction(channel, genl->cmd, answer);
	return check_rejected(f, &request, answer);
}

static const char *send_route(struct gw_fuzz *f, bool check)
{
	struct gw_fuzz_ns *ns = gw_fuzz_pick(f, 2) ? &f->home : &f->away;
	struct nlmsghdr *nlh = gw_fuzz_route_message(f, ns);
	size_t len = NLMSG_ALIGN(nlh->nlmsg_len);
	struct request request;
	int answer;

	gw_fuzz_corrupt(f, nlh);
	if (ns->home && gw_fuzz_harmful(f, nlh, true))
		ns = &f->away;
	request = (struct request){
		.ns = ns, .fd = mnl_socket_get_fd(ns->route), .check = check,
	};
	answer = send_request(f, &request, nlh, len);
	if (answer == -ENOMSG)
		return NULL;
	count(f, &request, answer);
	return check_rejected(f, &request, answer);
}

/* Return: a text. */
static const char *send_one(struct gw_fuzz *f, bool check)
{
	static const unsigned int levels[] = { 0, 0, 0, 40, 20, 10, 10, 4 };

	memset(f->buf, 0, sizeof(f->buf));
	f->one_in = levels[gw_fuzz_pick(f, ARRAY_SIZE(levels))];
	f->wrong = false;
	f->express = false;
	return gw_fuzz_pick(f, 3) ? send_family(f, check) : send_route(f, check);
}

/* Places */

static int limit_rules(void)
{
	FILE *file = fopen(LIMIT, "we");

	if (!file)
		return -errno;
	fprintf(file, "%d\n", GW_FUZZ_RULES);
	return fclose(file) ? -errno : 0;
}

int gw_fuzz_ns_open(struct gw_fuzz_ns *ns, bool home)
{
	int i, err = ct_netns_new() ?: limit_rules();

	ns->home = home;
	ns->ns = ct_netns_get();
	for (i = 0; i < GW_FUZZ_SOCKETS && !err; i++)
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

void gw_fuzz_ns_close(struct gw_fuzz_ns *ns)
{
	int i;

	for (i = 0; i < GW_FUZZ_SOCKETS; i++)
		gwnl_close(&ns->channels[i].gw);
	gwnl_close(&ns->notifications);
	gwnl_close(&ns->control);
	mnl_socket_close(ns->route);
	close(ns->raw);
	close(ns->ns);
}

int gw_fuzz_skip_handles(struct gwnl *gw, uint32_t source, uint32_t destination)
{
	const struct gwnl_rule rule = {
		.source = source, .destination = destination,
	};
	uint64_t handle;
	int i, err = 0;

	for (i = 0; i < GW_FUZZ_SKIPPED && !err; i++)
		err = gwnl_add(gw, &rule, &handle) ?: gwnl_del(gw, handle);
	return err;
}

int gw_fuzz_empty_source(struct gw_fuzz_ns *ns, uint32_t source)
{
	return gwnl_begin(&ns->control, source) ?:
	       gwnl_commit(&ns->control, 0, NULL);
}

int gw_fuzz_replace_socket(struct gw_fuzz *f, struct gw_fuzz_ns *ns)
{
	struct gw_fuzz_channel *channel =
		&ns->channels[gw_fuzz_pick(f, GW_FUZZ_SOCKETS)];
	int err = ct_netns_set(ns->ns);

	if (err)
		return err;
	gwnl_close(&channel->gw);
	channel->transaction = false;
	channel->added = 0;
	return gwnl_open(&channel->gw);
}

/* Frames; sending fails if the MTU of the interface is smaller or the interface is gone. */

static void send_to(const struct gw_fuzz_ns *ns, int ifindex,
		    const void *frame, size_t len)
{
	struct sockaddr_can to = {
		.can_family = AF_CAN, .can_ifindex = ifindex,
	};

	sendto(ns->raw, frame, len, MSG_DONTWAIT,
	       (struct sockaddr *)&to, sizeof(to));
}

static void send_frames(struct gw_fuzz *f, const struct gw_fuzz_ns *ns)
{
	static const int lens[] = { 1, 2, 7, 8, 9, 60, 64, 65, 2047, 2048 };
	struct canxl_frame xl = { .flags = CANXL_XLF };
	struct canfd_frame fd;
	struct can_frame cc;
	uint8_t data[64];
	int i;

	gw_fuzz_bytes(f, data, sizeof(data));
	for (i = 0; i < GW_FUZZ_LINKS; i++) {
		ct_frame(&cc, gw_fuzz_pick(f, 0x800), gw_fuzz_pick(f, 9), data);
		send_to(ns, GW_FUZZ_FIRST_LINK + i, &cc, sizeof(cc));
		ct_fdframe(&fd, gw_fuzz_pick(f, 0x800), 8 * gw_fuzz_pick(f, 4), data);
		send_to(ns, GW_FUZZ_FIRST_LINK + i, &fd, sizeof(fd));
		xl.prio = gw_fuzz_pick(f, 0x800) | gw_fuzz_pick(f, 256) << CANXL_VCID_OFFSET;
		xl.len = lens[gw_fuzz_pick(f, ARRAY_SIZE(lens))];
		xl.af = gw_fuzz_pick(f, UINT32_MAX);
		gw_fuzz_bytes(f, xl.data, xl.len);
		send_to(ns, GW_FUZZ_FIRST_LINK + i, &xl, CANXL_HDR_SIZE + xl.len);
	}
}

/* A run */

void gw_fuzz_seed(struct gw_fuzz *f)
{
	f->random = ct_env("CAN_FUZZ_SEED", 0) ?: time(NULL) | 1;
	printf("# CAN_FUZZ_SEED=%u\n", f->random);
}

time_t gw_fuzz_ends(void)
{
	return time(NULL) + ct_env("CAN_FUZZ_SECONDS", SECONDS);
}

bool gw_fuzz_goes_on(const struct gw_fuzz *f, time_t ends)
{
	return f->sent < ct_env("CAN_FUZZ_MESSAGES", MESSAGES) &&
	       time(NULL) < ends;
}

const char *gw_fuzz_round(struct gw_fuzz *f)
{
	const char *failure = NULL;
	int i;

	for (i = 0; i < ROUND && !failure; i++)
		failure = send_one(f, i >= ROUND - 2);
	send_frames(f, &f->home);
	send_frames(f, &f->away);
	/* the sockets for notifications may have been full meanwhile */
	drain(f, &f->home, ynl_socket_get_fd(f->home.notifications.ys), true, 10000);
	drain(f, &f->away, ynl_socket_get_fd(f->away.notifications.ys), true, 10000);
	return failure;
}

struct tally {
	const struct gw_fuzz_ns *ns;
	int rules, xl, impossible;
};

static bool is_among(uint32_t links, uint32_t ifindex)
{
	/* the rules that stay are known */
	if (ifindex >= GW_FUZZ_KEPT_SRC)
		return true;
	ifindex -= GW_FUZZ_FIRST_LINK;
	return ifindex < GW_FUZZ_LINKS && links & 1U << ifindex;
}

static void tally_rule(const struct gwnl_rule *rule, void *data)
{
	struct tally *tally = data;

	tally->rules++;
	tally->xl += rule->frames == CAN_GW_FRAMES_XL;
	if (!rule->express)
		tally->impossible += !!rule->lifetime;
	else if (!is_among(tally->ns->sources, rule->source) ||
		 !is_among(tally->ns->destinations, rule->destination) ||
		 rule->frames != CAN_GW_FRAMES_CC ||
		 rule->filter_id & CAN_INV_FILTER ||
		 rule->filter_mask & CAN_ERR_FLAG)
		tally->impossible++;
}

const char *gw_fuzz_agrees(struct gw_fuzz_ns *ns)
{
	struct can_gw_table_get_rsp table = { 0 };
	struct tally tally = { .ns = ns };

	if (ct_netns_set(ns->ns) || gwnl_table(&ns->control, 0, &table) ||
	    gwnl_dump(&ns->control, CAN_GW_CMD_RULE_GET, NULL, tally_rule, &tally) < 0)
		return "the rules cannot be read";
	if ((int)table.rules != tally.rules)
		return "the table has another number of rules than a dump";
	if (cgw_list(NULL, 0) != tally.rules - tally.xl)
		return "rtnetlink has other rules than the family";
	if (tally.rules > GW_FUZZ_RULES)
		return "there are more rules than the limit";
	return tally.impossible ? "there is an impossible express rule" : NULL;
}

/* Return: a text. */
static const char *empty_home(struct gw_fuzz *f, int kept)
{
	int i, err = 0;

	for (i = 0; i < GW_FUZZ_SOCKETS; i++)
		gwnl_close(&f->home.channels[i].gw);
	for (i = 0; i < GW_FUZZ_LINKS && !err; i++)
		err = gw_fuzz_empty_source(&f->home, GW_FUZZ_FIRST_LINK + i);
	if (err)
		return "the rules of an interface cannot be removed";
	if (gwnl_handles(&f->home.control, NULL, 0) != kept)
		return "more or fewer rules stay than should";
	return NULL;
}

static const char *empty_away(struct gw_fuzz *f)
{
	if (ct_netns_set(f->away.ns) || cgw_flush())
		return "the rules cannot be removed";
	if (gwnl_handles(&f->away.control, NULL, 0))
		return "rules are left";
	return NULL;
}

const char *gw_fuzz_end(struct gw_fuzz *f, int kept)
{
	const char *failure = gw_fuzz_agrees(&f->away) ?:
			      gw_fuzz_agrees(&f->home);

	printf("# %u messages: %u accepted, %u rejected, of %u with no effect shown\n",
	       f->sent, f->accepted, f->rejected, f->checked);
	printf("# express rules: %u accepted, %u rejected\n", f->express_accepted,
	       f->express_rejected);
	if (failure)
		return failure;
	if (f->no_text) {
		printf("# %s\n", f->sample);
		return "a request was rejected without an error message";
	}
	/* otherwise the test covers too little */
	if (f->accepted <= f->sent / 10 || f->rejected <= f->sent / 10 ||
	    (f->sent >= GW_FUZZ_ENOUGH && !f->checked))
		return "too few requests were accepted, or too few rejected";
	return empty_home(f, kept) ?: empty_away(f);
}
