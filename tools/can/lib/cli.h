/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command line of all programs: messages, exit statuses, numbers with units, and
 * signals that end the program. Only the main thread calls these functions; any
 * thread may read cli_stopped.
 */
#ifndef CAN_TOOLS_CLI_H
#define CAN_TOOLS_CLI_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

/* Exit statuses, the same for all programs; documented in the man pages. */
enum cli_status {
	CLI_OK = 0,	/* measured, and no frame was lost */
	CLI_LOSS = 1,	/* measured, and frames were lost, reordered or changed */
	CLI_USAGE = 2,	/* wrong command line; nothing was done */
	CLI_SYSTEM = 3,	/* system error: interface, privilege, socket option */
};

/* Value of the option --version in the table for getopt_long(): no character has it. */
#define CLI_OPTION_VERSION 256

/* Set by the first SIGINT or SIGTERM after cli_catch_stop() */
extern volatile sig_atomic_t cli_stopped;

/* cli_program() - set the program name for messages. main() calls this first. */
void cli_program(const char *name);

/* cli_version() - print "NAME VERSION" to standard output, and exit with CLI_OK. */
_Noreturn void cli_version(void);

/*
 * cli_flush() - write what is left of standard output, and cli_fail() if any of it could not
 * be written. For programs whose output matters, before they exit with CLI_OK.
 */
void cli_flush(void);

/*
 * cli_other_option() - handle --version, --help (@option 'h', prints @usage), and what
 * getopt_long() has named as invalid. Exits with CLI_OK or CLI_USAGE.
 */
_Noreturn void cli_other_option(int option, const char *usage);

/* cli_warn() - print "NAME: message" to standard error. */
void cli_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* cli_usage() - like cli_warn(); also refer to --help, and exit with CLI_USAGE. */
_Noreturn void cli_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* cli_fail() - like cli_warn(); append strerror(errno) if not 0, and exit with CLI_SYSTEM. */
_Noreturn void cli_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * cli_catch_stop() - let SIGINT and SIGTERM set cli_stopped and interrupt blocking
 * system calls (EINTR). A second signal kills the program.
 */
void cli_catch_stop(void);

/*
 * cli_parse_duration() - "250us", "10ms", "1.5s" or "300ns", in nanoseconds. 0 requires no unit.
 * False: @text is not a duration in whole nanoseconds.
 */
bool cli_parse_duration(const char *text, uint64_t *ns);

/* cli_duration_text() - write @ns to @buf in the format of cli_parse_duration(). Returns @buf. */
#define CLI_DURATION_TEXT 24
const char *cli_duration_text(uint64_t ns, char buf[CLI_DURATION_TEXT]);

/*
 * The following functions exit with CLI_USAGE and a message about @option if @text is
 * invalid or out of bounds.
 */

/* cli_number() - unsigned number: decimal, or hexadecimal after 0x. */
uint64_t cli_number(const char *option, const char *text, uint64_t min, uint64_t max);

/* cli_duration() - as cli_parse_duration(), within bounds. */
uint64_t cli_duration(const char *option, const char *text, uint64_t min, uint64_t max);

/*
 * cli_can_id() - CAN identifier as in cansend(1): 3 hexadecimal digits are a standard
 * one; 8 are an extended one, for which CAN_EFF_FLAG is set in the result.
 */
canid_t cli_can_id(const char *option, const char *text);

/* cli_can_mask() - mask of a filter: 1 to 8 hexadecimal digits with flags of <linux/can.h>. */
canid_t cli_can_mask(const char *option, const char *text);

/* cli_can_id_text() - write @id to @buf in the format of cli_can_id(). Returns @buf. */
#define CLI_CAN_ID_TEXT 9
const char *cli_can_id_text(canid_t id, char buf[CLI_CAN_ID_TEXT]);

#endif
