/* SPDX-License-Identifier: GPL-2.0-only */
/* Running other programs. */
#ifndef CANBENCH_LOAD_HELPER_H
#define CANBENCH_LOAD_HELPER_H

#include <stdbool.h>

/*
 * helper_run() - run a program in PATH, and wait for it. Its output is ignored, and its standard
 * error, too, unless @errors. Return: 0, its status as of waitpid(), or -errno if it could not be
 * started. Most callers check the effect instead.
 */
int helper_run(const char *const argv[], bool errors);

/* helper_run_input() - the same, with the standard input @input. */
int helper_run_input(const char *const argv[], bool errors, int input);

#endif
