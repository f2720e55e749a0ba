/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CAN gateway's rtnetlink interface (include/uapi/linux/can/gw.h) for the
 * selftests. As in cantest.h, functions return 0 or a positive result, or a
 * negative errno value, work on the caller's network namespace, and may be
 * called from any thread.
 */
#ifndef CGW_H
#define CGW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/can.h>
#include <linux/can/gw.h>

struct nlmsghdr;

/**
 * struct cgw_mod - one modification
 * @type: CGW_MOD_ID, CGW_MOD_DLC (CGW_MOD_LEN), CGW_MOD_DATA, CGW_MOD_FLAGS;
 *	0 leaves the attribute out of the message
 * @cf: the operand; its first CAN_MTU bytes for a Classical CAN rule (len and data
 *	have the same offset in both frame structures)
 */
struct cgw_mod {
	uint8_t type;
	struct canfd_frame cf;
};

/**
 * struct cgw_rule - a requested rule
 * @src: index of the interface that frames come from
 * @dst: index of the interface that they go to
 * @flags: CGW_FLAGS_CAN_ECHO (cangw -e), _SRC_TSTAMP (-t), _IIF_TX_OK (-i),
 *	_FD (-X); the last one selects the CAN FD attributes
 * @filter: receive filter, or NULL for none
 * @limit_hops: 0 for none (cangw -l)
 * @uid: 0 for none (cangw -u)
 * @and: operand of AND
 * @or: operand of OR
 * @xor: operand of XOR
 * @set: operand of SET
 * @csum_xor: XOR checksum, or NULL for none
 * @csum_crc8: CRC8 checksum, or NULL for none
 */
struct cgw_rule {
	int src;
	int dst;
	uint16_t flags;
	const struct can_filter *filter;
	uint8_t limit_hops;
	uint32_t uid;
	struct cgw_mod and, or, xor, set;
	const struct cgw_csum_xor *csum_xor;
	const struct cgw_csum_crc8 *csum_crc8;
};

/**
 * struct cgw_entry - a rule as the kernel lists it
 * @rule: as for a request; its pointers are NULL or point to the members below
 * @handled: frames sent to the destination (0 when the kernel left it out)
 * @dropped: frames that the destination did not accept, or without memory for a copy
 * @deleted: frames over the hop limit, or with an impossible length
 * @filter: target of @rule.filter
 * @csum_xor: target of @rule.csum_xor
 * @csum_crc8: target of @rule.csum_crc8
 */
struct cgw_entry {
	struct cgw_rule rule;
	uint32_t handled;
	uint32_t dropped;
	uint32_t deleted;
	struct can_filter filter;
	struct cgw_csum_xor csum_xor;
	struct cgw_csum_crc8 csum_crc8;
};

/* a request of one rule, with room for attributes that a test adds itself */
#define CGW_MSG_SIZE	4096

/** cgw_add() - RTM_NEWROUTE for @rule */
int cgw_add(const struct cgw_rule *rule);

/** cgw_del() - RTM_DELROUTE for @rule; removes the first equal rule */
int cgw_del(const struct cgw_rule *rule);

/** cgw_flush() - RTM_DELROUTE with both interfaces 0: removes every rule */
int cgw_flush(void);

/**
 * cgw_list() - dump the rules
 * @entries: array for the rules in the kernel's order, may be NULL
 * @max: its length; rules beyond it are counted but not stored
 *
 * The dump is repeated if the kernel says that rules have changed meanwhile.
 *
 * Return: the number of rules that the kernel listed, or a negative errno value.
 */
int cgw_list(struct cgw_entry *entries, int max);

/**
 * cgw_find() - the first listed rule from one interface to another
 * @src: index of the one
 * @dst: index of the other
 * @entry: filled in
 *
 * Return: 0, -ENOENT when there is none, or another negative errno value.
 */
int cgw_find(int src, int dst, struct cgw_entry *entry);

/* counters of a rule as one number to compare, each of them below 1000 */
#define CGW_COUNTS(handled, dropped, deleted) \
	((handled) * 1000000 + (dropped) * 1000 + (deleted))

/** cgw_counts() - CGW_COUNTS() of the rule of cgw_find(), or its error */
int cgw_counts(int src, int dst);

/** cgw_max_hops() - the module parameter max_hops, or -ENOENT without can-gw */
int cgw_max_hops(void);

/**
 * cgw_msg() - begin a request to which a test adds attributes
 * @buf: CGW_MSG_SIZE bytes
 * @type: RTM_NEWROUTE or RTM_DELROUTE
 * @flags: of struct rtcanmsg
 *
 * Return: the message, for mnl_attr_put() and ct_nl().
 */
struct nlmsghdr *cgw_msg(void *buf, int type, uint16_t flags);

/** cgw_put_rule() - append the attributes of @rule that are set */
void cgw_put_rule(struct nlmsghdr *nlh, const struct cgw_rule *rule);

#endif /* CGW_H */
