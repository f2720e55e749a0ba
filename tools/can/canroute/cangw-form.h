/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rule in the form of cangw(1), with its options.
 */
#ifndef CANROUTE_CANGW_FORM_H
#define CANROUTE_CANGW_FORM_H

#include "parser.h"

/* cangw_form() - read the words of @p into its rule; false at a mistake. */
bool cangw_form(struct parser *p);

#endif
