// SPDX-License-Identifier: GPL-2.0-only
/*
 * canroute - edit, list, save, load and monitor the rules of the kernel's CAN gateway. This
 * file is the command line.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "dispatch.h"
#include "fetch.h"
#include "options.h"

#define LIVE_MAX 86400

static char program_name[] = "canroute";

static const char usage_text[] =
	"usage: canroute [OPTION...] COMMAND [OPTION...] [ARGUMENT...]\n"
	"\n"
	"Edit, list, save, load and monitor the rules of the kernel's CAN gateway.\n"
	"\n"
	"  add RULE                    add a rule, and print its handle\n"
	"  replace HANDLE RULE         replace a rule, keeping its handle and counters\n"
	"  delete HANDLE...            remove rules\n"
	"  list [HANDLE...]            show rules; --rules prints them as RULE\n"
	"  stats [HANDLE...]           show the counters of rules\n"
	"  monitor                     print changes of rules, until a signal\n"
	"  load FILE                   replace all rules atomically by those in FILE (- is\n"
	"                              standard input)\n"
	"  apply FILE                  make the rules in FILE take effect beside those of others;\n"
	"                              rules whose interface does not exist are skipped\n"
	"  unapply                     remove the rules that apply has loaded\n"
	"  save                        print all rules in the format of load\n"
	"  check FILE                  check the rules in FILE, without the kernel\n"
	"  flush                       remove all rules atomically\n"
	"  table                       show the number of rules, the limit and the generation\n"
	"  doctor [FILE]               show what is wrong on this host with modules, interfaces\n"
	"                              and the rules in FILE, and the commands that mend it\n"
	"  help rule                   explain RULE\n"
	"\n"
	"  -s, --source IF             list, save, stats: only rules from this interface;\n"
	"                              load, flush, table: work on these rules only\n"
	"  -d, --destination IF        list, save, stats: only rules to this interface\n"
	"  -f, --frames cc|fd|xl       list, save, stats: only rules for this frame type\n"
	"  -n, --name NAME             list, save, stats: only rules with this name\n"
	"  -r, --rules                 list: print rules in the format of add and load\n"
	"  -g, --generation N          load: only if 'table' still shows this generation\n"
	"  -l, --live SECONDS          stats: repeat in this interval, with rates\n"
	"  -z, --reset                 stats: show the counters and set them to 0\n"
	"  -j, --json                  list, stats, table, load, monitor, doctor: print JSON\n"
	"  -h, --help                  print this text\n"
	"      --version               print the version\n"
	"\n"
	"Exit status: 0 success; 1 a rule is invalid or was rejected by the kernel, and nothing\n"
	"was changed; 2 wrong command line; 3 system error (kernel module, file). doctor: 0\n"
	"nothing to mend; 1 findings.\n"
	"\n"
	"example: canroute add from can0 to can1 id 123 set id=124\n";

static const char rule_text[] =
	"RULE is one argument or several, with the options of cangw(1), such as\n"
	"\n"
	"  -s can0 -d can1 -f 123:C00007FF -m SET:I:124.0.0000000000000000\n"
	"\n"
	"or a line of 'cangw -L', or these keywords, in any order:\n"
	"\n"
	"  from IF to IF               source and destination; all other keywords are optional\n"
	"  frames cc|fd|xl             Classical CAN (default), CAN FD, or CAN XL\n"
	"  name NAME                   a name for the rule\n"
	"  [not] id ID                 only frames with this identifier; 8 digits are extended\n"
	"  [not] id ID/MASK            as a filter of candump(1) or cangw(1), with flags:\n"
	"                              92345678/9FFFFFFF is extended; digits after 0x are\n"
	"                              taken unchanged\n"
	"  [not] prio P[/MASK] vcid V[/MASK]\n"
	"                              filter for CAN XL; either value may be left out\n"
	"  echo                        applications on this host receive the sent frames\n"
	"  keep-time                   frames keep their receive timestamp\n"
	"  return                      frames may be sent back to their source interface\n"
	"  express                     the interrupt that receives a frame routes it; only with\n"
	"                              some drivers, for Classical CAN\n"
	"  lifetime TIME               express: drop frames that the controller could not get\n"
	"                              within this time, such as 50ms or 200us\n"
	"  hop-limit N                 maximum number of hops of a frame, 1 to 255\n"
	"  uid HEX                     number by which cangw finds the rule\n"
	"  and|or|xor|set FIELD=VALUE...\n"
	"                              modify fields, in this order of operations: id, len,\n"
	"                              data; flags for fd; prio, vcid, sdt, af, sec for xl\n"
	"  and|or|xor|set data[N]=HEX  modify single bytes\n"
	"  crc8 A..B at R (poly HEX [reflected] | table HEX) [init HEX] [final HEX]\n"
	"      [profile 1u8 HEX | profile 16u8 HEX | profile sffid-xor]\n"
	"  xor-checksum A..B at R [init HEX]\n"
	"                              checksum of bytes A to B, stored in byte R; negative\n"
	"                              offsets count from the end\n"
	"\n"
	"Identifiers, masks, flags, data, uids and polynomials are hexadecimal. Each byte of\n"
	"data has 2 digits: data=11.22.00*6 is 11, 22 and 6 zeroes. Lengths, offsets and the\n"
	"hop limit are decimal. A name with spaces must be quoted.\n"
	"\n"
	"In a file, # begins a comment, and a backslash at the end of a line continues it.\n";

static const struct option long_options[] = {
	{ "source", required_argument, NULL, 's' },
	{ "destination", required_argument, NULL, 'd' },
	{ "frames", required_argument, NULL, 'f' },
	{ "name", required_argument, NULL, 'n' },
	{ "rules", no_argument, NULL, 'r' },
	{ "generation", required_argument, NULL, 'g' },
	{ "live", required_argument, NULL, 'l' },
	{ "reset", no_argument, NULL, 'z' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ }
};

/**
 * struct command - a command and its arguments
 * @options: short options that are valid with it; NULL: all arguments belong to a rule
 * @selects: handles as arguments, or the options -s, -d, -f and -n, select the rules that
 *	it works on
 * @min, @max: number of arguments; @arguments says what they are, for messages
 */
static const struct command {
	const char *name;
	int (*run)(const struct options *options);
	const char *options;
	bool selects;
	int min, max;
	const char *arguments;
} commands[] = {
	{ "add", command_add, NULL, false, 1, INT32_MAX, "a rule" },
	{ "replace", command_replace, NULL, false, 2, INT32_MAX, "a handle and a rule" },
	{ "delete", command_delete, "", true, 1, INT32_MAX, "a handle" },
	{ "list", command_list, "sdfnrj", true, 0, INT32_MAX, "handles, or nothing" },
	{ "stats", command_stats, "sdfnlzj", true, 0, INT32_MAX, "handles, or nothing" },
	{ "monitor", command_monitor, "j", false, 0, 0, "no argument" },
	{ "load", command_load, "sgj", false, 1, 1, "a file" },
	{ "apply", command_apply, "", false, 1, 1, "a file" },
	{ "unapply", command_unapply, "", false, 0, 0, "no argument" },
	{ "save", command_save, "sdfn", true, 0, 0, "no argument" },
	{ "check", command_check, "", false, 1, 1, "a file" },
	{ "flush", command_flush, "s", false, 0, 0, "no argument" },
	{ "table", command_table, "sj", false, 0, 0, "no argument" },
	{ "doctor", command_doctor, "j", false, 0, 1, "a file, or nothing" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

/* Options after which the program exits */
static void handle_exit_option(int option)
{
	switch (option) {
	case 'h':
		fputs(usage_text, stdout);
		cli_flush();
		exit(CLI_OK);
	case CLI_OPTION_VERSION:
		cli_version();
	case '?':
		cli_usage("invalid option");
	}
}

static uint64_t parse_interval(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	/* The comparison is false for NaN, too. */
	if (end == text || *end || !(seconds >= 0.001 && seconds <= LIVE_MAX))
		cli_usage("--live: invalid interval '%s', expected 0.001 to %d seconds", text,
			  LIVE_MAX);
	return seconds * 1e9;
}

/* Options are parsed before the command is known. @letters: those that were given */
struct given {
	struct options options;
	char letters[64];
};

static void set_option(struct given *given, int option)
{
	struct options *options = &given->options;
	size_t count = strlen(given->letters);

	if (!strchr(given->letters, option) && count < sizeof(given->letters) - 1)
		given->letters[count] = option;
	switch (option) {
	case 's':
		options->source = optarg;
		break;
	case 'd':
		options->destination = optarg;
		break;
	case 'f':
		options->frames = optarg;
		break;
	case 'n':
		options->name = optarg;
		break;
	case 'r':
		options->rules = true;
		break;
	case 'g':
		options->has_generation = true;
		options->generation = cli_number("--generation", optarg, 0, UINT32_MAX);
		break;
	case 'l':
		options->live_ns = parse_interval(optarg);
		break;
	case 'z':
		options->reset = true;
		break;
	case 'j':
		options->json = true;
		break;
	}
}

#define LETTERS "s:d:f:n:rg:l:zjh"

/* Parse options from argv[1] on; optind is then the index of the first other argument. */
static void read_options(struct given *given, const char *letters, int argc, char **argv)
{
	int option;

	/* 0 restarts the scan in glibc and musl. */
	optind = 0;
	for (;;) {
		option = getopt_long(argc, argv, letters, long_options, NULL);
		if (option < 0)
			return;
		handle_exit_option(option);
		set_option(given, option);
	}
}

static void check_options(const struct given *given, const struct command *command)
{
	const struct options *options = &given->options;

	for (const char *letter = given->letters; *letter; letter++)
		if (!command->options || !strchr(command->options, *letter))
			cli_usage("option -%c is not valid with '%s'", *letter, command->name);
	if (!command->selects)
		return;
	if (options->count && (options->source || options->destination || options->frames ||
			       options->name))
		cli_usage("'%s': handles cannot be combined with -s, -d, -f or -n", command->name);
	/* Report wrong usage even if the kernel does not have the netlink family. */
	fetch_check(options);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	cli_usage("unknown command '%s'", name);
}

static void print_help(const char *topic)
{
	if (topic && strcmp(topic, "rule"))
		cli_usage("unknown help topic '%s', expected 'rule'", topic);
	fputs(topic ? rule_text : usage_text, stdout);
	cli_flush();
	exit(CLI_OK);
}

/* Parse the options and arguments after the command, which is argv[0]. */
static void read_arguments(struct given *given, const struct command *command, int argc,
			   char **argv)
{
	int begin = 1;

	if (command->options) {
		/* getopt_long() begins its messages with argv[0]. */
		argv[0] = program_name;
		read_options(given, LETTERS, argc, argv);
		begin = optind;
	} else if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		print_help(NULL);
	}
	given->options.args = argv + begin;
	given->options.count = argc - begin;
}

int main(int argc, char **argv)
{
	const struct command *command;
	struct given given = { 0 };
	int status;

	cli_program(program_name);
	argv[0] = program_name;
	read_options(&given, "+" LETTERS, argc, argv);
	argc -= optind;
	argv += optind;
	if (!argc)
		cli_usage("command is required");
	if (!strcmp(argv[0], "help"))
		print_help(argv[1]);
	command = find_command(argv[0]);
	read_arguments(&given, command, argc, argv);
	if (given.options.count < command->min || given.options.count > command->max)
		cli_usage("'%s' takes %s", command->name, command->arguments);
	check_options(&given, command);
	status = dispatch(command->name, command->run)(&given.options);
	/* 'save' must not succeed if the disk is full. */
	cli_flush();
	return status;
}
