// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules of the gateway over rtnetlink.
 */
#include <net/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <netlink/msg.h>
#include <linux/rtnetlink.h>

#include "cli.h"
#include "ifnames.h"
#include "stock-message.h"
#include "stock-socket.h"
#include "stock.h"

#define MAX_HOPS "/sys/module/can_gw/parameters/max_hops"

/* The largest hop limit; no limit is known if the module is not loaded. */
static unsigned int max_hops(void)
{
	static unsigned int hops;
	FILE *in;

	if (hops)
		return hops;
	in = fopen(MAX_HOPS, "r");
	if (!in || fscanf(in, "%u", &hops) != 1)
		hops = UINT8_MAX;
	if (in)
		fclose(in);
	return hops;
}

static bool modifies(const struct rule *rule)
{
	unsigned int given = 0;

	for (int i = 0; i < OPERATIONS; i++)
		given |= rule->operands[i].given;
	return given;
}

static bool offsets_fit(const struct checksum_offsets *offsets, int len)
{
	return offsets->from >= -len && offsets->from < len &&
	       offsets->to >= -len && offsets->to < len &&
	       offsets->result >= -len && offsets->result < len;
}

const char *stock_lacks(const struct rule *rule)
{
	int len = frame_types[rule->frames].data;

	if (rule->frames == CAN_GW_FRAMES_XL)
		return "CAN XL";
	if (rule->express)
		return "express rules";
	/* The kernel would ignore both without an error. */
	if ((rule->crc8.given || rule->xor.given) && !modifies(rule))
		return "a checksum in a rule without and, or, xor and set";
	if (rule->uid && !modifies(rule))
		return "a uid in a rule without and, or, xor and set";
	if ((rule->crc8.given && !offsets_fit(&rule->crc8.offsets, len)) ||
	    (rule->xor.given && !offsets_fit(&rule->xor.offsets, len)))
		return "a checksum offset outside of the frame";
	if (rule->hop_limit > max_hops())
		return "a hop limit above the module parameter max_hops";
	return NULL;
}

static bool is_can_interface(const char *name)
{
	struct ifreq request = { 0 };
	static int fd = -1;

	if (fd < 0)
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		cli_fail("opening a socket");
	memcpy(request.ifr_name, name, strlen(name));
	return !ioctl(fd, SIOCGIFHWADDR, &request) && request.ifr_hwaddr.sa_family == ARPHRD_CAN;
}

static bool check_interface(const char *name, char *text, size_t len)
{
	if (!ifnames_index(name))
		snprintf(text, len, "interface '%s' does not exist", name);
	else if (!is_can_interface(name))
		snprintf(text, len, "interface '%s' is not a CAN interface", name);
	else
		return true;
	return false;
}

bool stock_check(const struct rule *rule, char *text, size_t len)
{
	const char *lacks = stock_lacks(rule), *reason = rule_reject_reason(rule);

	if (lacks)
		snprintf(text, len, "the module can-gw of this kernel does not support %s", lacks);
	else if (reason)
		snprintf(text, len, "%s", reason);
	return !lacks && !reason && check_interface(rule->source, text, len) &&
	       check_interface(rule->destination, text, len);
}

static bool succeeded(int error, char *text, size_t len)
{
	if (error)
		snprintf(text, len, "%s", stock_error_text(error));
	return !error;
}

static bool uid_is_used(uint32_t uid)
{
	struct fetched fetched;
	static struct rule rule;
	bool used = false;

	stock_dump(&fetched);
	for (size_t i = 0; !used && i < fetched.count; i++) {
		fetched_rule(&fetched, i, &rule);
		used = rule.uid == uid;
	}
	fetched_free(&fetched);
	return used;
}

bool stock_add(const struct rule *rule, char *text, size_t len)
{
	if (!stock_check(rule, text, len))
		return false;
	/* The kernel would change the other rule instead of adding one. */
	if (rule->uid && uid_is_used(rule->uid)) {
		snprintf(text, len, "uid is used by another rule");
		return false;
	}
	return succeeded(stock_request(stock_put(rule, RTM_NEWROUTE)), text, len);
}

/* Equal rules give equal messages if fields that no operation uses are 0. */
static bool equals_message(const struct nlmsghdr *nlh, struct nl_msg *wanted)
{
	const struct nlmsghdr *other = nlmsg_hdr(wanted);
	static struct rule rule;
	struct nl_msg *msg;
	bool equal;

	if (!stock_get(&rule, nlh))
		return false;
	msg = stock_put(&rule, RTM_DELROUTE);
	nlh = nlmsg_hdr(msg);
	equal = nlh->nlmsg_len == other->nlmsg_len &&
		!memcmp(nlmsg_data(nlh), nlmsg_data(other), nlmsg_datalen(nlh));
	nlmsg_free(msg);
	return equal;
}

/*
 * The kernel compares fields that no operation uses, but does not compare the operations of a
 * rule with a uid. So find the rule here, and send it as the kernel has it.
 */
bool stock_delete(const struct rule *rule, char *text, size_t len)
{
	static struct rule plain;
	struct fetched fetched;
	struct nl_msg *wanted;
	bool good = false;
	size_t i = 0;

	plain = *rule;
	plain.cangw = false;
	if (!stock_check(&plain, text, len))
		return false;
	wanted = stock_put(&plain, RTM_DELROUTE);
	stock_dump(&fetched);
	while (i < fetched.count && !equals_message(fetched_message(&fetched, i), wanted))
		i++;
	if (i < fetched.count)
		good = succeeded(stock_request_delete(fetched_message(&fetched, i)), text, len);
	else
		snprintf(text, len, "no rule equals this one");
	nlmsg_free(wanted);
	fetched_free(&fetched);
	return good;
}

static void get_stock_rule(struct stock_rule *stock, const struct fetched *fetched, size_t i)
{
	const struct stats *stats = &stock->rule.stats;

	fetched_rule(fetched, i, &stock->rule);
	stock->handled = stats->sent;
	stock->dropped = stats->dropped;
	stock->deleted = stats->deleted;
}

struct stock_rule *stock_fetch(size_t *count)
{
	struct stock_rule *rules;
	struct fetched fetched;

	stock_dump(&fetched);
	rules = calloc(fetched.count + 1, sizeof(*rules));
	if (!rules)
		cli_fail("no memory for rules");
	for (size_t i = 0; i < fetched.count; i++)
		get_stock_rule(&rules[i], &fetched, i);
	*count = fetched.count;
	fetched_free(&fetched);
	return rules;
}
