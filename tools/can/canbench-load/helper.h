/* SPDX-License-Identifier: GPL-2.0-only */
/* Other programs, before anything is measured. */
#ifndef CANBENCH_LOAD_HELPER_H
#define CANBENCH_LOAD_HELPER_H

/*
 * helper_run() - run a program, found in PATH, to its end, and throw away what
 * it says. Whether it is there and what became of it does not matter: whoever
 * calls looks at what it should have done.
 */
void helper_run(const char *const argv[]);

#endif
