/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The file with the rules that 'canroute apply' has loaded. A line is the handle, the index of
 * the source, that of the destination, and the rule in the long form. Rules of the stock module
 * have zeroes instead.
 */
#ifndef CANROUTE_APPLY_STATE_H
#define CANROUTE_APPLY_STATE_H

#include <stddef.h>
#include <stdio.h>

#include "apply-plan.h"

/* struct state - the rules, as they were loaded */
struct state {
	struct active_rule *rules;
	size_t count, room;
};

/*
 * state_lock() - create the directory, and wait until no other canroute works on the file, until
 * the program ends.
 */
void state_lock(void);

/* state_read() - read the file; without a file, the state is empty. */
void state_read(struct state *state);

/*
 * state_open() - open a temporary file, before rules are changed; state_write() writes the state
 * to it and renames it. Both end the program if this fails. Unless it was renamed, the temporary
 * file is removed when the program exits.
 */
FILE *state_open(void);
void state_write(FILE *out, const struct state *state);

/* state_remove() - remove the file. */
void state_remove(void);

/* state_add() - append a rule, which is copied. */
void state_add(struct state *state, const struct active_rule *rule);

void state_free(struct state *state);

/*
 * state_mark() - set @ours of the rules in the kernel that the state has. With the stock module,
 * the texts are equal. Otherwise, the handles and the texts are equal; the name of an interface
 * may have changed.
 */
void state_mark(struct state *state, struct active_rule *active, size_t count);

#endif
