/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Choose the commands for the gateway of this kernel.
 */
#ifndef CANROUTE_DISPATCH_H
#define CANROUTE_DISPATCH_H

#include "options.h"

typedef int (*command_fn)(const struct options *options);

/*
 * dispatch() - the function of command @name: @run, unless the gateway has no family and the
 * stock gateway has a function of its own.
 */
command_fn dispatch(const char *name, command_fn run);

#endif
