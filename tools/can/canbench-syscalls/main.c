// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-syscalls: the cost of a CAN frame with each method to receive or send it, on a
 * virtual CAN interface; canbench-syscalls.1 names the paper. This file is the command line
 * and the order of the measurements. canbench-syscalls has one thread.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "measure.h"
#include "rawsock.h"
#include "report.h"

#define FRAMES_MAX 1000000000
#define BATCHES_MAX 16

static const struct method *const methods[] = {
	&rx_read, &rx_recv, &rx_recvmmsg, &rx_ring,
#if __has_include(<liburing.h>)
	&rx_uring,
#endif
	&tx_write, &tx_sendmmsg, &tx_ring,
#if __has_include(<liburing.h>)
	&tx_uring,
#endif
};

#define METHODS (sizeof(methods) / sizeof(methods[0]))

/**
 * struct command - the command line
 * @chosen: methods to measure, indexed like methods[]
 */
struct command {
	struct bench bench;
	struct report report;
	bool fd;
	bool chosen[METHODS];
	unsigned int batches[BATCHES_MAX];
	unsigned int batch_count;
};

static const char usage[] =
	"usage: canbench-syscalls [OPTION...] INTERFACE\n"
	"\n"
	"Measures the cost of a frame with each method to receive or send it, on a vcan\n"
	"interface that no other program uses:\n"
	"  ip link add vcan0 type vcan && ip link set vcan0 up\n"
	"\n"
	"  -m, --method LIST     methods to measure: names of --list, rx, tx or all, separated\n"
	"                        by commas (default all)\n"
	"  -b, --batch LIST      frames per system call, for methods with batches (default\n"
	"                        1,8,64; at most 1024)\n"
	"  -n, --frames N        each figure is the mean of N frames (default 10000)\n"
	"  -r, --repeat N        measure each figure N times (default 3)\n"
	"  -i, --id ID           identifier of the frames: 3 hexadecimal digits, or 8 for an\n"
	"                        extended one (default 123)\n"
	"  -f, --fd              CAN FD frames with 64 bytes instead of Classical CAN with 8\n"
	"  -R, --no-receiver     send side: no socket receives the frames; measures the cost of\n"
	"                        gateway rules\n"
	"  -N, --no-delivery     send side: nothing receives the frames; required to compare\n"
	"                        sockets with tx-ring, see --list\n"
	"  -l, --list            list the methods, and exit\n"
	"  -j, --json            one JSON object instead of text\n"
	"  -L, --label TEXT      name of the experiment, for the JSON object\n"
	"  -O, --load TEXT       background load, for the JSON object\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"Packet sockets require CAP_NET_RAW. Without CAP_NET_ADMIN, receive queues are short,\n"
	"and frames are measured in small chunks.\n"
	"\n"
	"Exit status: 0 success; 1 frames were lost, or another program used the interface;\n"
	"2 wrong command line; 3 system error.";

static const struct option options[] = {
	{ "method", required_argument, NULL, 'm' },
	{ "batch", required_argument, NULL, 'b' },
	{ "frames", required_argument, NULL, 'n' },
	{ "repeat", required_argument, NULL, 'r' },
	{ "id", required_argument, NULL, 'i' },
	{ "fd", no_argument, NULL, 'f' },
	{ "no-receiver", no_argument, NULL, 'R' },
	{ "no-delivery", no_argument, NULL, 'N' },
	{ "list", no_argument, NULL, 'l' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

static void list_methods(void)
{
	for (size_t i = 0; i < METHODS; i++) {
		if (!i || methods[i]->side != methods[i - 1]->side)
			puts(methods[i]->side == SIDE_RX ? "receive (rx)" : "send (tx)");
		printf("  %-10s %s%s\n", methods[i]->name, methods[i]->about,
		       methods[i]->batched ? "; --batch" : "");
	}
	puts("\nThe interface delivers frames of sockets to local receivers, unless --no-delivery\n"
	     "is given. It delivers frames of tx-ring only if it is a vcan interface with echo\n"
	     "(modprobe vcan echo=1).");
}

static bool method_matches(const char *word, const struct method *method)
{
	return !strcmp(word, "all") || !strcmp(word, method->name) ||
	       !strcmp(word, method->side == SIDE_RX ? "rx" : "tx");
}

static const char *copy_text(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		cli_fail("allocating memory for the command line");
	return copy;
}

/* Splits @list in place. */
static void choose_methods(struct command *command, char *list)
{
	command->report.methods = copy_text(list);
	memset(command->chosen, 0, sizeof(command->chosen));
	for (char *word = list, *next; word; word = next) {
		bool found = false;

		next = strchr(word, ',');
		if (next)
			*next++ = '\0';
		for (size_t i = 0; i < METHODS; i++) {
			if (!method_matches(word, methods[i]))
				continue;
			command->chosen[i] = true;
			found = true;
		}
		if (!found)
			cli_usage("--method: unknown method '%s', see --list", word);
	}
}

/* Splits @list in place. */
static void choose_batches(struct command *command, char *list)
{
	command->report.batches = copy_text(list);
	command->batch_count = 0;
	for (char *word = list, *next; word; word = next) {
		next = strchr(word, ',');
		if (next)
			*next++ = '\0';
		if (command->batch_count == BATCHES_MAX)
			cli_usage("--batch: at most %d numbers", BATCHES_MAX);
		command->batches[command->batch_count++] =
			cli_number("--batch", word, 1, BATCH_MAX);
	}
}

static void set_defaults(struct command *command)
{
	char methods_text[] = "all", batches_text[] = "1,8,64";

	memset(command, 0, sizeof(*command));
	choose_methods(command, methods_text);
	choose_batches(command, batches_text);
	command->bench.frames = 10000;
	command->report.id = "123";
	command->bench.frame.can_id = cli_can_id("--id", command->report.id);
	command->bench.deliver = true;
	command->bench.receiver = true;
	command->report.repeat = 3;
}

static void set_option(struct command *command, int option)
{
	switch (option) {
	case 'm':
		choose_methods(command, optarg);
		break;
	case 'b':
		choose_batches(command, optarg);
		break;
	case 'n':
		command->bench.frames = cli_number("--frames", optarg, 1, FRAMES_MAX);
		break;
	case 'r':
		command->report.repeat = cli_number("--repeat", optarg, 1, REPEAT_MAX);
		break;
	case 'i':
		command->report.id = optarg;
		command->bench.frame.can_id = cli_can_id("--id", optarg);
		break;
	case 'f':
		command->fd = true;
		break;
	case 'R':
		command->bench.receiver = false;
		break;
	case 'N':
		command->bench.deliver = false;
		command->bench.receiver = false;
		break;
	case 'l':
		list_methods();
		exit(CLI_OK);
	case 'j':
		command->report.json = true;
		break;
	case 'L':
		command->report.label = optarg;
		break;
	case 'O':
		command->report.load = optarg;
		break;
	default:
		cli_other_option(option, usage);
	}
}

static void parse_command_line(struct command *command, int argc, char **argv)
{
	int option;

	set_defaults(command);
	while ((option = getopt_long(argc, argv, "m:b:n:r:i:fRNljL:O:h", options, NULL)) != -1)
		set_option(command, option);
	if (optind == argc)
		cli_usage("interface is required");
	if (optind + 1 < argc)
		cli_usage("unexpected argument '%s'", argv[optind + 1]);
	command->bench.ifname = argv[optind];
}

/* Exits with a message if the interface cannot be used. */
static void open_interface(struct bench *bench, bool fd)
{
	bench->ifindex = rawsock_ifindex(bench->ifname);
	rawsock_up(bench->ifname);
	bench->size = fd ? CANFD_MTU : CAN_MTU;
	bench->frame.len = fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
	for (int i = 0; i < bench->frame.len; i++)
		bench->frame.data[i] = i;
	bench->feeder = rawsock_open(bench->ifname, RAWSOCK_NO_RX | (fd ? RAWSOCK_FD : 0));
	rawsock_send(bench->feeder, &bench->frame, bench->size, UINT64_MAX);
}

static size_t add_figures(const struct command *command, const struct method *method,
			  struct figure *figures)
{
	size_t count = method->batched ? command->batch_count : 1;

	for (size_t i = 0; i < count; i++) {
		struct figure *figure = &figures[i];

		figure->method = method;
		figure->batch = method->batched ? command->batches[i] : 1;
		if (method->batched)
			snprintf(figure->name, sizeof(figure->name), "%s-%u", method->name,
				 figure->batch);
		else
			snprintf(figure->name, sizeof(figure->name), "%s", method->name);
	}
	return count;
}

static enum outcome measure_all(const struct command *command, struct figure *figures,
				size_t count)
{
	enum outcome outcome = OUTCOME_DONE;

	/* Errors must occur before the measurement, not after an hour. */
	for (size_t i = 0; i < count && !cli_stopped; i++)
		measure_probe(&command->bench, &figures[i]);
	report_begin(&command->report, &command->bench);
	for (size_t i = 0; i < count && outcome == OUTCOME_DONE; i++) {
		outcome = cli_stopped ? OUTCOME_STOPPED :
			  measure(&command->bench, &figures[i], command->report.repeat);
		report_figure(&command->report, &figures[i], i ? &figures[i - 1] : NULL);
	}
	return outcome;
}

int main(int argc, char **argv)
{
	struct command command;
	struct figure *figures;
	enum outcome outcome;
	size_t count = 0;

	cli_program("canbench-syscalls");
	parse_command_line(&command, argc, argv);
	open_interface(&command.bench, command.fd);
	cli_catch_stop();
	figures = bench_alloc(METHODS * BATCHES_MAX, sizeof(*figures));
	for (size_t i = 0; i < METHODS; i++)
		if (command.chosen[i])
			count += add_figures(&command, methods[i], figures + count);
	outcome = measure_all(&command, figures, count);
	report_end(&command.report, &command.bench, figures, count, outcome == OUTCOME_DONE);
	free(figures);
	return outcome == OUTCOME_LOST ? CLI_LOSS : CLI_OK;
}
