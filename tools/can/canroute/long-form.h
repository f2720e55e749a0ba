/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rule in the long form.
 */
#ifndef CANROUTE_LONG_FORM_H
#define CANROUTE_LONG_FORM_H

#include "parser.h"

/* long_form() - parse the tokens of @p into its rule. False: @p->error is set. */
bool long_form(struct parser *p);

#endif
