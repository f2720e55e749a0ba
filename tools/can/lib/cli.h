/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every program has on its command line: messages, exit statuses, numbers
 * with units, and the end by a signal. One thread, the main one, calls these;
 * cli_stopped may be read from any.
 */
#ifndef CAN_TOOLS_CLI_H
#define CAN_TOOLS_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/* Exit statuses, the same for all programs and part of their manuals. */
enum cli_status {
	CLI_OK = 0,	/* measured, and nothing was lost */
	CLI_LOSS = 1,	/* measured, and frames were lost, reordered or changed */
	CLI_USAGE = 2,	/* the command line is wrong; nothing was done */
	CLI_SYSTEM = 3,	/* the system refused: interface, privilege, option */
};

/* Set by the first SIGINT or SIGTERM after cli_catch_stop(). */
extern volatile sig_atomic_t cli_stopped;

/* cli_program() - name the program for its messages; the first call of main(). */
void cli_program(const char *name);

/* cli_warn() - print "NAME: message" to standard error. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* cli_usage() - like cli_warn(), point to --help, and exit with CLI_USAGE. */
_Noreturn void cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* cli_fail() - like cli_warn(), with the meaning of errno where it is not 0; exit with CLI_SYSTEM. */
_Noreturn void cli_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * cli_catch_stop() - from now on SIGINT and SIGTERM set cli_stopped and
 * interrupt a blocking system call (EINTR), a second one kills the program.
 */
void cli_catch_stop(void);

/*
 * Each of these names @option in its message and exits with CLI_USAGE when
 * @text is not what it should be, or out of bounds.
 */

/* cli_number() - an unsigned number, decimal, or hexadecimal with 0x. */
uint64_t cli_number(const char *option, const char *text, uint64_t min, uint64_t max);

/* cli_duration() - "250us", "10ms", "1.5s", "300ns"; in nanoseconds. 0 needs no unit. */
uint64_t cli_duration(const char *option, const char *text, uint64_t min, uint64_t max);

/*
 * cli_can_id() - an identifier as cansend(1) writes it: 3 hexadecimal digits are
 * a standard one, 8 an extended one, which has CAN_EFF_FLAG in the result.
 */
canid_t cli_can_id(const char *option, const char *text);

/* cli_can_mask() - the mask of a filter, 1 to 8 hexadecimal digits with the flags of <linux/can.h>. */
canid_t cli_can_mask(const char *option, const char *text);

/* cli_can_id_text() - write @id into @buf as cli_can_id() takes it; returns @buf. */
#define CLI_CAN_ID_TEXT 9
const char *cli_can_id_text(canid_t id, char buf[CLI_CAN_ID_TEXT]);

#endif
