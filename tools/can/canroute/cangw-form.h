/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rule with the options of cangw(1).
 */
#ifndef CANROUTE_CANGW_FORM_H
#define CANROUTE_CANGW_FORM_H

#include "parser.h"

/* cangw_form() - parse the tokens of @p into its rule. False: @p->error is set. */
bool cangw_form(struct parser *p);

#endif
