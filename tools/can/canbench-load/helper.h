/* SPDX-License-Identifier: GPL-2.0-only */
/* Running other programs before the measurement. */
#ifndef CANBENCH_LOAD_HELPER_H
#define CANBENCH_LOAD_HELPER_H

/*
 * helper_run() - run a program in PATH, and wait for it. Its output and exit status are
 * ignored: the caller checks the effect.
 */
void helper_run(const char *const argv[]);

#endif
