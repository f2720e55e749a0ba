/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replace rules of the kernel in one transaction. All messages are built before the first
 * one is sent, so an error in a file changes nothing. They are sent in batches, without
 * waiting for replies: the kernel replies only to rejected rules, and the sequence number
 * identifies the rule.
 */
#ifndef CANROUTE_TRANSACTION_H
#define CANROUTE_TRANSACTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel.h"
#include "rule-message.h"

/* Rejected rules that callers report with the reason; further ones are only counted */
#define TRANSACTION_REPORTED 20

/**
 * struct transaction - the rules that become active, zeroed at first
 * @messages, @count: one request for each rule
 * @first: sequence number of the first rule
 * @commit: sequence number of the commit, 0 before it
 * @reject: called for each of the first TRANSACTION_REPORTED rules that the kernel rejected, with
 *	the number of the rule and the reply
 * @rejected: number of rules that the kernel rejected
 * @lost: the receive queue overflowed
 * @ended: the reply to the commit was received; @good: the commit succeeded
 * @table: the state after the commit
 * @kerr: why the begin or the commit was rejected; @kerr.error is ECANCELED if the reason is a
 *	rejected rule
 */
struct transaction {
	struct kernel *kernel;
	struct messages messages;
	size_t count;
	uint32_t first, commit;
	void (*reject)(void *arg, size_t rule, const struct nlmsghdr *nlh);
	void *arg;
	size_t rejected;
	bool lost, ended, good;
	struct rule_table table;
	struct kernel_error kerr;
};

/* transaction_add() - begin the message of the next rule; the caller puts its attributes. */
void transaction_add(struct transaction *t);

/*
 * transaction_begin() - begin the transaction in the kernel, for the rules from interface
 * number @source, 0 for all. False: the kernel rejected it.
 */
bool transaction_begin(struct transaction *t, uint32_t source);

/*
 * transaction_commit() - send the rules and commit; with @generation, only if the rules still
 * have this generation (EAGAIN). False: nothing changed, or replies were lost and @ended is
 * false.
 */
bool transaction_commit(struct transaction *t, const uint32_t *generation);

/* transaction_free() - free the messages. */
void transaction_free(struct transaction *t);

#endif
