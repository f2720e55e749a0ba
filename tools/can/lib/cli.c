// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command line of all programs: messages, exit statuses, numbers with units, signals.
 * The main thread calls these before it starts other threads. handle_stop_signal() runs
 * in the thread that receives the signal.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "version.h"

volatile sig_atomic_t cli_stopped;

static const char *program = "can-tools";

static const struct unit {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000 * 1000 },
	{ "s", 1000 * 1000 * 1000 },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

void cli_program(const char *name)
{
	program = name;
}

void cli_version(void)
{
	printf("%s %s\n", program, tools_version);
	cli_flush();
	exit(CLI_OK);
}

void cli_other_option(int option, const char *usage)
{
	if (option == CLI_OPTION_VERSION)
		cli_version();
	if (option == 'h') {
		puts(usage);
		exit(CLI_OK);
	}
	fprintf(stderr, "Try '%s --help'.\n", program);
	exit(CLI_USAGE);
}

void cli_flush(void)
{
	/* an error of an earlier write has no number any more */
	errno = 0;
	if (fflush(stdout) || ferror(stdout))
		cli_fail("writing to standard output");
}

static void print_message(const char *fmt, va_list args, int error)
{
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, fmt, args);
	if (error)
		fprintf(stderr, ": %s", strerror(error));
	fputc('\n', stderr);
}

void cli_warn(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args, 0);
	va_end(args);
}

void cli_usage(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args, 0);
	va_end(args);
	fprintf(stderr, "Try '%s --help'.\n", program);
	exit(CLI_USAGE);
}

void cli_fail(const char *fmt, ...)
{
	int error = errno;
	va_list args;

	va_start(args, fmt);
	print_message(fmt, args, error);
	va_end(args);
	exit(CLI_SYSTEM);
}

/* The second signal must end a program that hangs, even if it is not the same signal. */
static void handle_stop_signal(int sig)
{
	(void)sig;
	cli_stopped = 1;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

void cli_catch_stop(void)
{
	/* No SA_RESTART: blocking system calls must return. */
	struct sigaction action = { .sa_handler = handle_stop_signal };

	sigemptyset(&action.sa_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

/* strtoull() would accept white space, signs and octal numbers. */
static bool parse_number(const char *text, uint64_t *value)
{
	int base = 10;
	char *end;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	if (base == 16 ? !isxdigit((unsigned char)*text) : !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, base);
	return !errno && !*end;
}

uint64_t cli_number(const char *option, const char *text, uint64_t min, uint64_t max)
{
	uint64_t value;

	if (!parse_number(text, &value))
		cli_usage("%s: '%s' is not a number", option, text);
	if (value < min || value > max)
		cli_usage("%s: %s is out of bounds: %" PRIu64 " to %" PRIu64,
			  option, text, min, max);
	return value;
}

/* The unit is the largest one in which @ns is a whole number. */
const char *cli_duration_text(uint64_t ns, char buf[CLI_DURATION_TEXT])
{
	size_t i = UNITS - 1;

	while (i > 0 && ns % units[i].ns)
		i--;
	snprintf(buf, CLI_DURATION_TEXT, "%" PRIu64 "%s", ns / units[i].ns,
		 ns ? units[i].name : "");
	return buf;
}

/* @text follows the decimal point. False: no digits, or finer than a nanosecond. */
static bool parse_fraction(const char *text, const char **end, uint64_t unit, uint64_t *ns)
{
	const char *p = text;

	*ns = 0;
	for (; isdigit((unsigned char)*p); p++) {
		if (*p != '0' && unit < 10)
			return false;
		unit /= 10;
		*ns += (*p - '0') * unit;
	}
	*end = p;
	return p != text;
}

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < UNITS; i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

bool cli_parse_duration(const char *text, uint64_t *ns)
{
	const char *name = text + strspn(text, "0123456789.");
	const struct unit *unit = find_unit(name);
	uint64_t fraction = 0;
	const char *end;
	char *point;

	if (!strcmp(text, "0")) {
		*ns = 0;
		return true;
	}
	if (!unit || !isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*ns = strtoull(text, &point, 10);
	end = point;
	if (errno || __builtin_mul_overflow(*ns, unit->ns, ns))
		return false;
	if (*point == '.' && !parse_fraction(point + 1, &end, unit->ns, &fraction))
		return false;
	return end == name && !__builtin_add_overflow(*ns, fraction, ns);
}

uint64_t cli_duration(const char *option, const char *text, uint64_t min, uint64_t max)
{
	char low[CLI_DURATION_TEXT], high[CLI_DURATION_TEXT];
	uint64_t ns;

	if (!cli_parse_duration(text, &ns))
		cli_usage("%s: '%s' is not a duration in whole nanoseconds, such as 250us, 10ms or 1.5s",
			  option, text);
	if (ns < min || ns > max)
		cli_usage("%s: %s is out of bounds: %s to %s", option, text,
			  cli_duration_text(min, low), cli_duration_text(max, high));
	return ns;
}

canid_t cli_can_id(const char *option, const char *text)
{
	size_t length = strlen(text);
	canid_t id;

	if ((length != 3 && length != 8) || strspn(text, "0123456789abcdefABCDEF") != length)
		cli_usage("%s: '%s' is not a CAN identifier: expected 3 hexadecimal digits, or 8 for an extended one",
			  option, text);
	id = strtoul(text, NULL, 16);
	if (id > (length == 3 ? CAN_SFF_MASK : CAN_EFF_MASK))
		cli_usage("%s: identifier %s is above %s", option, text,
			  length == 3 ? "7FF" : "1FFFFFFF");
	return length == 3 ? id : id | CAN_EFF_FLAG;
}

canid_t cli_can_mask(const char *option, const char *text)
{
	size_t length = strlen(text);

	if (!length || length > 8 || strspn(text, "0123456789abcdefABCDEF") != length)
		cli_usage("%s: '%s' is not 1 to 8 hexadecimal digits", option, text);
	return strtoul(text, NULL, 16);
}

const char *cli_can_id_text(canid_t id, char buf[CLI_CAN_ID_TEXT])
{
	snprintf(buf, CLI_CAN_ID_TEXT, id & CAN_EFF_FLAG ? "%08X" : "%03X", id & CAN_EFF_MASK);
	return buf;
}
