/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared by the files of the commands apply and unapply.
 */
#ifndef CANROUTE_APPLY_H
#define CANROUTE_APPLY_H

#include "apply-plan.h"
#include "apply-state.h"

/**
 * struct apply - one call of 'canroute apply'
 * @name: of the file
 * @wanted, @count, @room: the rules of the file
 * @before: what is loaded, according to the state file
 * @after: what is loaded when the command ends
 */
struct apply {
	const char *name;
	struct wanted_rule *wanted;
	size_t count, room;
	struct state before, after;
};

/* apply_find_interfaces() - set the indices of the wanted rules. Returns false if none changed. */
bool apply_find_interfaces(struct apply *apply);

/*
 * apply_family(), apply_stock() - load the wanted rules, and set @after. False: a message was
 * printed, and the rules are as before.
 */
bool apply_family(struct apply *apply);
bool apply_stock(struct apply *apply);

/* unapply_family(), unapply_stock() - remove the rules in @state, and set @count to their number. */
bool unapply_family(struct state *state, size_t *count);
bool unapply_stock(struct state *state, size_t *count);

#endif
