/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of the kernel, all or some of them.
 */
#ifndef CANROUTE_FETCH_H
#define CANROUTE_FETCH_H

#include "kernel.h"
#include "options.h"
#include "rule.h"

/**
 * struct fetched - rules as the kernel sent them
 * @messages: the answers
 * @offset, @count, @room: where each of them begins, in the order in which they came:
 *	the youngest rule first
 */
struct fetched {
	struct messages messages;
	size_t *offset;
	size_t count, room;
};

/*
 * fetch_rules() - those that the options choose: by --source, --destination, --frames and
 * --name, or by handles, which are the arguments. With --reset, their counters begin
 * anew. A table that changes meanwhile is read again. False, after a message, if the
 * kernel refuses it.
 */
bool fetch_rules(struct kernel *kernel, const struct options *options, struct fetched *fetched);

/* fetched_rule() - number @i of them. */
void fetched_rule(const struct fetched *fetched, size_t i, struct rule *rule);

void fetched_free(struct fetched *fetched);

/* fetch_handle() - a handle of the command line. */
uint64_t fetch_handle(const char *text);

/*
 * fetch_check() - a handle that is no number, or frames that are no kind, end the program as
 * wrong usage. For commands whose arguments are handles; needs no kernel.
 */
void fetch_check(const struct options *options);

/* fetch_index() - the interface of an option, 0 for NULL; ends the program if it is not there. */
uint32_t fetch_index(const char *name);

#endif
