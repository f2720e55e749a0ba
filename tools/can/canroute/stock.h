/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The gateway of a kernel without the netlink family can-gw: struct rtcanmsg over rtnetlink,
 * as cangw uses it. There, rules have no handles and no names, and no change is atomic.
 */
#ifndef CANROUTE_STOCK_H
#define CANROUTE_STOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rule.h"

/* Gateway of the running kernel. */
enum gateway {
	GATEWAY_NONE,	/* the module can-gw is not loaded */
	GATEWAY_STOCK,	/* rtnetlink only */
	GATEWAY_FAMILY,	/* the netlink family can-gw, and rtnetlink */
};

enum gateway gateway_find(void);

/*
 * stock_check() - check everything that is known before the kernel is asked, including the
 * interfaces. False: @text (@len bytes) has the reason.
 */
bool stock_check(const struct rule *rule, char *text, size_t len);

/*
 * stock_lacks() - what the stock gateway lacks for @rule, as a part of a sentence ("CAN XL",
 * "a hop limit"); NULL if it supports the rule. A name is not counted: it is only lost.
 */
const char *stock_lacks(const struct rule *rule);

/**
 * struct stock_rule - a rule as the stock gateway has it
 * @rule: without handle and name
 * @handled, @dropped, @deleted: its counters
 */
struct stock_rule {
	struct rule rule;
	uint32_t handled, dropped, deleted;
};

/*
 * stock_fetch() - read all rules, the newest first, into an array for free(). Ends the program
 * with a message on a system error.
 */
struct stock_rule *stock_fetch(size_t *count);

/*
 * stock_add(), stock_delete() - add a rule; delete the one that equals @rule. False: the kernel
 * rejected it, and @text (@len bytes) has the reason.
 */
bool stock_add(const struct rule *rule, char *text, size_t len);
bool stock_delete(const struct rule *rule, char *text, size_t len);

#endif
