/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options and arguments of the commands, and entry points of the commands.
 */
#ifndef CANROUTE_OPTIONS_H
#define CANROUTE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Exit status if a rule is invalid or the kernel rejected it; see also enum cli_status. */
#define STATUS_REJECTED 1

/* Exit status of doctor if there is something to mend. */
#define STATUS_FINDINGS 1

/**
 * struct options - command line of a command
 * @live_ns: interval of "stats --live", 0 without it
 * @args, @count: arguments that are not options
 */
struct options {
	bool json, rules, reset;
	const char *source, *destination, *frames, *name;
	uint64_t live_ns;
	bool has_generation;
	uint32_t generation;
	char **args;
	int count;
};

/* Each returns the exit status. */
int command_add(const struct options *options);
int command_replace(const struct options *options);
int command_delete(const struct options *options);
int command_flush(const struct options *options);
int command_list(const struct options *options);
int command_save(const struct options *options);
int command_stats(const struct options *options);
int command_table(const struct options *options);
int command_load(const struct options *options);
int command_apply(const struct options *options);
int command_unapply(const struct options *options);
int command_check(const struct options *options);
int command_monitor(const struct options *options);
int command_doctor(const struct options *options);

#endif
