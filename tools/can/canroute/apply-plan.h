/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compare the rules of a file with those in the kernel, and decide what to change.
 */
#ifndef CANROUTE_APPLY_PLAN_H
#define CANROUTE_APPLY_PLAN_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rule.h"

/**
 * struct wanted_rule - a rule of the file
 * @line, @cangw: for messages
 * @source, @destination: interface names
 * @source_index, @destination_index: 0 if the interface does not exist
 * @text: in the long form; to be freed
 * @lacks: what the loaded module lacks for the rule, or NULL
 * @loaded: the kernel has the rule; @active is then its number there
 */
struct wanted_rule {
	unsigned int line;
	bool cangw;
	char source[IFNAMSIZ], destination[IFNAMSIZ];
	unsigned int source_index, destination_index;
	char *text;
	const char *lacks;
	bool loaded;
	size_t active;
};

/**
 * struct active_rule - a rule in the kernel
 * @handle: 0 with the stock module
 * @source_index, @destination_index: interfaces, 0 with the stock module
 * @text: in the long form; to be freed
 * @ours: an earlier apply has loaded it
 */
struct active_rule {
	uint64_t handle;
	unsigned int source_index, destination_index;
	char *text;
	bool ours;
};

enum plan {
	PLAN_KEEP,	/* nothing is to be changed */
	PLAN_ADD,	/* add the wanted rules that are not loaded, in their order */
	PLAN_REPLACE,	/* replace all rules of ours */
};

/* wanted_rule_waits() - the interface that does not exist, or NULL. */
const char *wanted_rule_waits(const struct wanted_rule *rule);

/* wanted_rule_skipped() - the rule cannot be loaded now. */
bool wanted_rule_skipped(const struct wanted_rule *rule);

/*
 * apply_plan() - what to do so that the kernel has the wanted rules in their order; the order
 * matters only among rules with the same source. @active has the oldest rule first. Sets
 * @loaded and @active of the wanted rules.
 */
enum plan apply_plan(struct wanted_rule *wanted, size_t wanted_count,
		     const struct active_rule *active, size_t active_count);

/* rule_text() - the long form, to be freed. */
char *rule_text(const struct rule *rule);

/* rule_from_text() - parse the long form. False: it is not a rule. */
bool rule_from_text(struct rule *rule, const char *text);

#endif
