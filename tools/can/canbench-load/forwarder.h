/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A gateway in user space. Main thread only. Errors end the program with CLI_SYSTEM and a
 * message.
 */
#ifndef CANBENCH_LOAD_FORWARDER_H
#define CANBENCH_LOAD_FORWARDER_H

/*
 * forwarder_start() - run the shell command @command with two more arguments, the interfaces @from
 * and @to. Its standard output is ignored. It may not forward frames yet when this returns.
 */
void forwarder_start(const char *command, const char *from, const char *to);

/* forwarder_check() - end this program if the command has ended. */
void forwarder_check(void);

/* forwarder_stop() - end the command; may be called at any time and repeatedly. */
void forwarder_stop(void);

#endif
