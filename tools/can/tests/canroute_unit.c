// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of canroute without a kernel: both forms of a rule, parse errors and their
 * positions, netlink messages, kernel errors, the decisions of apply. Prints TAP; one thread. Linked with the
 * objects of the program, except for the cache of interface names.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <linux/can/gw.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>

#include "../canroute/apply-state.h"
#include "../canroute/crc8.h"
#include "../canroute/ifnames.h"
#include "../canroute/text-map.h"
#include "../canroute/notify.h"
#include "../canroute/number.h"
#include "../canroute/parse.h"
#include "../canroute/print.h"
#include "../canroute/kernel-error.h"
#include "../canroute/rule-json.h"
#include "../canroute/rule-message.h"
#include "../canroute/stock-message.h"
#include "../canroute/stock.h"

#define FAMILY 0x1C

/* NLMSGERR_ATTR_MISS_TYPE and NLMSGERR_ATTR_MISS_NEST, which some headers do not have. */
#define MISS_TYPE 5
#define MISS_NEST 6

#define BYTES_8 "1122334455667788"
#define ZEROES_64 "00000000000000000000000000000000000000000000000000000000000000000000000000000000" \
	"000000000000000000000000000000000000000000000000"
#define ZEROES_128 ZEROES_64 ZEROES_64
#define ZEROES_256 ZEROES_128 ZEROES_128

static int tests, failures;

static void ok(bool good, const char *name)
{
	if (!good)
		failures++;
	printf("%sok %d %s\n", good ? "" : "not ", ++tests, name);
}

/* These tests have the interfaces can0 to can9, with indices from 10 on. */
unsigned int ifnames_index(const char *name)
{
	if (!strncmp(name, "can", 3) && name[3] >= '0' && name[3] <= '9' && !name[4])
		return 10 + name[3] - '0';
	return 0;
}

const char *ifnames_name(unsigned int index, char name[IFNAMSIZ])
{
	if (index >= 10 && index < 20)
		snprintf(name, IFNAMSIZ, "can%u", index - 10);
	else
		snprintf(name, IFNAMSIZ, "if%u", index);
	return name;
}

void ifnames_flush(void)
{
}

/* Split a copy of @line into tokens, in place. */
static bool split_line(struct tokens *tokens, char *copy, const char *line,
		       struct parse_error *error)
{
	struct text text = { copy, copy + strlen(line), 1 };

	strcpy(copy, line);
	return tokens_next(tokens, &text, error);
}

static bool parse(struct rule *rule, const char *line, struct parse_error *error)
{
	static struct tokens tokens;
	static char copy[1 << 16];

	return split_line(&tokens, copy, line, error) && parse_rule(rule, &tokens, error);
}

static char *rule_line(const struct rule *rule)
{
	char *line;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	print_rule(out, rule);
	fclose(out);
	return line;
}

static void put_rule(struct messages *m, const struct rule *rule)
{
	message_clear(m);
	message_begin(m, FAMILY, CAN_GW_CMD_RULE_ADD, 0, 1);
	rule_put(m, rule);
}

/*
 * Print the rule, convert it to a message and back, and parse the line again. The lines must
 * be @wanted (NULL: any), and both messages must be equal.
 */
static bool round_trip(const struct rule *rule, const char *wanted)
{
	static struct messages first, second;
	static struct rule got, again;
	struct parse_error error;
	char *line = rule_line(rule), *from_message;
	bool good = !wanted || !strcmp(line, wanted);

	if (!good)
		printf("# got    %s\n# wanted %s\n", line, wanted);
	put_rule(&first, rule);
	good &= rule_get(&got, (struct nlmsghdr *)first.data);
	from_message = rule_line(&got);
	if (strcmp(line, from_message)) {
		printf("# from the message: %s\n", from_message);
		good = false;
	}
	if (parse(&again, line, &error)) {
		put_rule(&second, &again);
		if (first.len != second.len || memcmp(first.data, second.data, first.len)) {
			printf("# another message: %s\n", line);
			good = false;
		}
	} else {
		printf("# not read again: %s: %s\n", line, error.text);
		good = false;
	}
	free(line);
	free(from_message);
	return good;
}

static const struct accepted {
	const char *line, *wanted;
} accepted[] = {
	/* The long form. */
	{ "from can0 to can1", "from can0 to can1" },
	{ "to can1\tfrom can0 ", "from can0 to can1" },
	{ "from can0 to can1 frames cc # comment", "from can0 to can1" },
	{ "from can0 to can1 #comment \\", "from can0 to can1" },
	{ "from can0 to \\\n  can1 \\\n", "from can0 to can1" },
	{ "\n  # nothing\n\r\nfrom can0 to can1\r\n", "from can0 to can1" },
	{ "from can0 to can1 frames fd echo keep-time return hop-limit 2 uid 5",
	  "from can0 to can1 frames fd echo keep-time return hop-limit 2 uid 5" },
	{ "uid fF hop-limit 255 return echo from can0 to can1 frames xl",
	  "from can0 to can1 frames xl echo return hop-limit 255 uid FF" },
	{ "from can0 to can1 name engine", "from can0 to can1 name engine" },
	{ "from can0 to can1 name \"two words\"", "from can0 to can1 name \"two words\"" },
	{ "from can0 to can1 name \"a\\\"b\\\\c\\x0A#\"",
	  "from can0 to can1 name \"a\\\"b\\\\c\\x0A#\"" },
	{ "from can0 to can1 name a#b=c", "from can0 to can1 name a#b=c" },
	{ "from can0 to can1 name \"#1\"", "from can0 to can1 name \"#1\"" },
	{ "from can0 to can1 name from", "from can0 to can1 name from" },
	{ "from can0 to can1 name 1234567890123456789012345678901",
	  "from can0 to can1 name 1234567890123456789012345678901" },
	/* Express rules. */
	{ "from can0 to can1 express", "from can0 to can1 express" },
	{ "lifetime 50ms from can0 express to can1", "from can0 to can1 express lifetime 50ms" },
	{ "from can0 to can1 id 123 return express lifetime 1.5s hop-limit 1 set id=124",
	  "from can0 to can1 id 123 return express lifetime 1500ms hop-limit 1 set id=124" },
	{ "from can0 to can1 express lifetime 0.2ms", "from can0 to can1 express lifetime 200us" },
	{ "from can0 to can1 express lifetime 1000ms", "from can0 to can1 express lifetime 1s" },
	{ "from can0 to can1 express lifetime 1ns", "from can0 to can1 express lifetime 1ns" },
	{ "from can0 to can1 express lifetime 4294967296ns",
	  "from can0 to can1 express lifetime 4294967296ns" },
	{ "from can0 to can1 express lifetime 18446744073709551615ns",
	  "from can0 to can1 express lifetime 18446744073709551615ns" },
	{ "from can0 to can1 name express id 123", "from can0 to can1 name express id 123" },
	/* Filters. */
	{ "from can0 to can1 id 123", "from can0 to can1 id 123" },
	{ "from can0 to can1 id 00000123", "from can0 to can1 id 00000123" },
	{ "from can0 to can1 id 12345678", "from can0 to can1 id 12345678" },
	{ "from can0 to can1 id 123/C00007FF", "from can0 to can1 id 123" },
	{ "from can0 to can1 id 92345678/DFFFFFFF", "from can0 to can1 id 12345678" },
	{ "from can0 to can1 id 92345678/9FFFFFFF", "from can0 to can1 id 92345678/9FFFFFFF" },
	{ "from can0 to can1 id 0x12345678/1FFFFFFF", "from can0 to can1 id 0x12345678/1FFFFFFF" },
	{ "from can0 to can1 not id 0x00000123/1FFFFFFF", "from can0 to can1 not id 123/1FFFFFFF" },
	{ "from can0 to can1 id 0x123456/1FFFFFFF", "from can0 to can1 id 0x123456/1FFFFFFF" },
	{ "from can0 to can1 id 00000123/C00007FF", "from can0 to can1 id 123" },
	{ "from can0 to can1 id 1234567/DFFFFFFF", "from can0 to can1 id 0x1234567/DFFFFFFF" },
	{ "from can0 to can1 id 40000123/C00007FF", "from can0 to can1 id 40000123" },
	{ "from can0 to can1 id 0x92345678", "from can0 to can1 id 12345678" },
	{ "from can0 to can1 id 40000123", "from can0 to can1 id 40000123" },
	{ "from can0 to can1 id 123/7ff", "from can0 to can1 id 123/7FF" },
	{ "from can0 to can1 id 1/1", "from can0 to can1 id 001/1" },
	{ "from can0 to can1 not id 123", "from can0 to can1 not id 123" },
	{ "from can0 to can1 not id 0/0", "from can0 to can1 not id 000/0" },
	{ "from can0 to can1 id 123/FFFFFFFF", "from can0 to can1 id 123/FFFFFFFF" },
	{ "from can0 to can1 frames xl prio 123", "from can0 to can1 frames xl prio 123" },
	{ "from can0 to can1 frames xl prio 12/70F vcid 5",
	  "from can0 to can1 frames xl prio 012/70F vcid 05" },
	{ "vcid 5/F from can0 to can1 frames xl", "from can0 to can1 frames xl vcid 05/F" },
	{ "from can0 to can1 frames xl not prio 1 vcid 2",
	  "from can0 to can1 frames xl not prio 001 vcid 02" },
	{ "from can0 to can1 frames xl id 123/C00007FF",
	  "from can0 to can1 frames xl id 123/C00007FF" },
	{ "from can0 to can1 frames xl id 00050012/00FF07FF",
	  "from can0 to can1 frames xl prio 012 vcid 05" },
	{ "from can0 to can1 id 10050012/10FF07FF frames xl",
	  "from can0 to can1 frames xl id 0x10050012/10FF07FF" },
	/* Operations. */
	{ "from can0 to can1 and id=7FF", "from can0 to can1 and id=7FF" },
	{ "from can0 to can1 set id=12345678", "from can0 to can1 set id=12345678" },
	{ "from can0 to can1 set id=123", "from can0 to can1 set id=123" },
	{ "from can0 to can1 set id=0x92345678", "from can0 to can1 set id=12345678" },
	{ "from can0 to can1 set id=0x12345678", "from can0 to can1 set id=0x12345678" },
	{ "from can0 to can1 set id=40000123", "from can0 to can1 set id=40000123" },
	{ "from can0 to can1 or id=80000000 len=8", "from can0 to can1 or id=80000000 len=8" },
	{ "from can0 to can1 or id=80000000 or len=0x8", "from can0 to can1 or id=80000000 len=8" },
	{ "from can0 to can1 set data=1122334455667788",
	  "from can0 to can1 set data=" BYTES_8 },
	{ "from can0 to can1 set data=11.22.3344.55.667788",
	  "from can0 to can1 set data=" BYTES_8 },
	{ "from can0 to can1 set data=00*8", "from can0 to can1 set data=0000000000000000" },
	{ "from can0 to can1 set data=1122*2.33*4",
	  "from can0 to can1 set data=1122112233333333" },
	{ "from can0 to can1 frames fd set data=" ZEROES_64,
	  "from can0 to can1 frames fd set data=00*64" },
	{ "from can0 to can1 frames fd set data=FFAA.00*62 flags=3",
	  "from can0 to can1 frames fd set flags=03 data=FFAA.00*62" },
	{ "from can0 to can1 frames fd and data=AA.00*20.BB",
	  "from can0 to can1 frames fd and data=AA.00*20.BB" },
	{ "from can0 to can1 and data=FF", "from can0 to can1 and data=FF" },
	{ "from can0 to can1 xor data[2]=AA", "from can0 to can1 xor data=0000AA" },
	{ "from can0 to can1 and data[2]=AA data[0]=1", NULL },
	{ "from can0 to can1 and data[2]=AA data[0]=01", "from can0 to can1 and data=01FFAA" },
	{ "from can0 to can1 and data=FF*8 or data=0100 xor data=00*8",
	  "from can0 to can1 and data=FF or data=01 xor data=00" },
	{ "from can0 to can1 set data[2]=AA",
	  "from can0 to can1 and data=FFFF00 or data=0000AA" },
	{ "from can0 to can1 set data[2]=00", "from can0 to can1 and data=FFFF00" },
	{ "from can0 to can1 set data[2]=FF", "from can0 to can1 or data=0000FF" },
	{ "from can0 to can1 set data[6]=AABB len=8",
	  "from can0 to can1 and data=FFFFFFFFFFFF0000 or data=000000000000AABB set len=8" },
	{ "from can0 to can1 set data[1]=11 data[0]=22 and data=FFFFF0 xor data=000001",
	  "from can0 to can1 and data=0000F0 or data=2211 xor data=000001" },
	{ "from can0 to can1 frames xl set prio=12 vcid=3 sdt=1 af=12345678 sec=1",
	  "from can0 to can1 frames xl set sec=1 prio=012 vcid=03 sdt=01 af=12345678" },
	{ "from can0 to can1 frames xl and sec=0", "from can0 to can1 frames xl and sec=0" },
	{ "from can0 to can1 frames xl and flags=FE", "from can0 to can1 frames xl and flags=FE" },
	{ "from can0 to can1 frames xl set data=01*2048",
	  "from can0 to can1 frames xl set data=01*2048" },
	{ "from can0 to can1 frames xl set data=01",
	  "from can0 to can1 frames xl set data=01" },
	{ "from can0 to can1 frames xl and data=01*2048 or data=02*2048 xor data=03*2048 set data=04*2048",
	  "from can0 to can1 frames xl and data=01*2048 or data=02*2048 xor data=03*2048 set data=04*2048" },
	/* Checksums. */
	{ "from can0 to can1 xor-checksum 0..6 at 7", "from can0 to can1 xor-checksum 0..6 at 7" },
	{ "from can0 to can1 xor-checksum 0..-2 at -1 init 5a",
	  "from can0 to can1 xor-checksum 0..-2 at -1 init 5A" },
	{ "from can0 to can1 frames xl xor-checksum -2048..2047 at -1",
	  "from can0 to can1 frames xl xor-checksum -2048..2047 at -1" },
	{ "from can0 to can1 crc8 0..6 at 7 init 00 final 00 poly 1D",
	  "from can0 to can1 crc8 0..6 at 7 poly 1D" },
	{ "from can0 to can1 crc8 0..6 at 7 poly 31 reflected final ff init 1",
	  "from can0 to can1 crc8 0..6 at 7 poly 31 reflected init 01 final FF" },
	{ "from can0 to can1 crc8 0..6 at 7 table 00*256",
	  "from can0 to can1 crc8 0..6 at 7 poly 00" },
	{ "from can0 to can1 crc8 0..6 at 7 table 00*255.01",
	  "from can0 to can1 crc8 0..6 at 7 table 00*255.01" },
	{ "from can0 to can1 crc8 0..6 at 7 poly 1D profile 1u8 2A xor id=1",
	  "from can0 to can1 xor id=001 crc8 0..6 at 7 poly 1D profile 1u8 2A" },
	{ "from can0 to can1 crc8 0..6 at 7 poly 1D profile 16u8 00112233445566778899AABBCCDDEEFF",
	  "from can0 to can1 crc8 0..6 at 7 poly 1D profile 16u8 00112233445566778899AABBCCDDEEFF" },
	{ "from can0 to can1 crc8 0..6 at 7 profile sffid-xor poly 1D",
	  "from can0 to can1 crc8 0..6 at 7 poly 1D profile sffid-xor" },
	{ "from can0 to can1 crc8 0..6 at 7 profile none poly 1D",
	  "from can0 to can1 crc8 0..6 at 7 poly 1D" },
	/* The options of cangw. */
	{ "-s can0 -d can1", "from can0 to can1" },
	{ "cangw -A -s can0 -d can1 # 5 handled 0 dropped 0 deleted", "from can0 to can1" },
	{ "cangw -A -s can0 -d can1 -t -e -i -X # 0 handled 0 dropped 0 deleted",
	  "from can0 to can1 frames fd echo keep-time return" },
	{ "-Aetis can0 -dcan1", "from can0 to can1 echo keep-time return" },
	{ "-s can0 -d can1 -f 123:7FF", "from can0 to can1 id 123/7FF" },
	{ "-s can0 -d can1 -f 123:C00007FF", "from can0 to can1 id 123" },
	{ "-s can0 -d can1 -f 123~C00007FF", "from can0 to can1 not id 123" },
	{ "-s can0 -d can1 -f 20000123:7FF", "from can0 to can1 not id 123/7FF" },
	{ "-s can0 -d can1 -f 0x92345678:0xDFFFFFFF", "from can0 to can1 id 12345678" },
	{ "-s can0 -d can1 -f 12345678:1FFFFFFF", "from can0 to can1 id 0x12345678/1FFFFFFF" },
	{ "-s can0 -d can1 -f 00000123:C00007FF", "from can0 to can1 id 123" },
	{ "-s can0 -d can1 -l 10 -u 10 -m SET:L:0.4." BYTES_8,
	  "from can0 to can1 hop-limit 10 uid 10 set len=4" },
	{ "-s can0 -d can1 -u 10", "from can0 to can1" },
	{ "-s can0 -d can1 -u 0", "from can0 to can1" },
	{ "-s can0 -d can1 -m SET:IL:333.4." BYTES_8, "from can0 to can1 set id=333 len=4" },
	{ "-s can0 -d can1 -m SET:D:0.0." BYTES_8, "from can0 to can1 set data=" BYTES_8 },
	{ "-s can0 -d can1 -m SET:L:0.F." BYTES_8, "from can0 to can1 set len=15" },
	{ "-s can0 -d can1 -m SET:I:92345678.0." BYTES_8, "from can0 to can1 set id=12345678" },
	{ "-s can0 -d can1 -m XOR:I:1.0." BYTES_8 " -m AND:DLI:7FF.8." BYTES_8 " -m OR:I:2.0." BYTES_8,
	  "from can0 to can1 and id=7FF len=8 data=" BYTES_8 " or id=002 xor id=001" },
	{ "-X -s can0 -d can1 -M SET:IFLD:123.1.40." ZEROES_64,
	  "from can0 to can1 frames fd set id=123 len=64 flags=01 data=00*64" },
	{ "-s can0 -d can1 -m SET:I:1.0." BYTES_8 " -x 0:6:7:1A",
	  "from can0 to can1 set id=001 xor-checksum 0..6 at 7 init 1A" },
	{ "-s can0 -d can1 -x 10:-3:-1:1a", "from can0 to can1 xor-checksum 10..-3 at -1 init 1A" },
	{ "-s can0 -d can1 -m SET:I:1.0." BYTES_8 " -c 0:6:7:FF:A:" ZEROES_256 " -p 1:2A",
	  "from can0 to can1 set id=001 crc8 0..6 at 7 poly 00 init FF final 0A profile 1u8 2A" },
	{ "-s can0 -d can1 -p 2:00112233445566778899AABBCCDDEEFF -c 0:6:7:FF:A:" ZEROES_256,
	  "from can0 to can1 crc8 0..6 at 7 poly 00 init FF final 0A profile 16u8 00112233445566778899AABBCCDDEEFF" },
	{ "-s can0 -d can1 -c 0:6:7:FF:A:" ZEROES_256 " -p 3",
	  "from can0 to can1 crc8 0..6 at 7 poly 00 init FF final 0A profile sffid-xor" },
	{ "-s can0 -d can1 -c 0:6:7:FF:A:" ZEROES_256 " -p 3:",
	  "from can0 to can1 crc8 0..6 at 7 poly 00 init FF final 0A profile sffid-xor" },
};

static void test_accepted(void)
{
	static struct rule rule;
	struct parse_error error;

	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		const char *line = accepted[i].line;
		bool good = parse(&rule, line, &error);
		char name[100];

		if (!accepted[i].wanted) {
			ok(!good, "accepted: a digit is missing, so this is rejected");
			continue;
		}
		if (!good)
			printf("# %u:%u: %s\n", error.line, error.column, error.text);
		snprintf(name, sizeof(name), "accepted: %.60s", line);
		for (char *at = name; *at; at++)
			if (*at == '\n' || *at == '\r' || *at == '#')
				*at = ' ';
		ok(good && round_trip(&rule, accepted[i].wanted), name);
	}
}

static const struct rejected {
	const char *line;
	unsigned int at_line, at_column;
	const char *text;
} rejected[] = {
	{ "from", 1, 1, "interface required after 'from'" },
	{ "from can0", 1, 0, "destination interface required: to" },
	{ "\n\n  to can1", 3, 0, "source interface required: from" },
	{ "from can0 to can1 from can2", 1, 19, "duplicate 'from'" },
	{ "from can0 too can1", 1, 11, "unknown keyword 'too'" },
	{ "from 1234567890123456 to can1", 1, 6, "invalid interface name" },
	{ "from a/b to can1", 1, 6, "invalid interface name" },
	{ "from a:b to can1", 1, 6, "invalid interface name" },
	{ "from \"a b\" to can1", 1, 6, "invalid interface name" },
	{ "from \"\" to can1", 1, 6, "invalid interface name" },
	{ "from .. to can1", 1, 6, "invalid interface name" },
	{ "from can0 to can1 frames can", 1, 26, "unexpected 'can', expected cc, fd or xl" },
	{ "from can0 to can1 frames", 1, 19, "cc, fd or xl required after 'frames'" },
	{ "from can0 to can1 name \"\"", 1, 24, "1 to 31 bytes" },
	{ "from can0 to can1 name 12345678901234567890123456789012", 1, 24, "1 to 31 bytes" },
	{ "from can0 to can1 name \"a", 1, 24, "closing quotation mark" },
	{ "from can0 to can1 name \"a\"b", 1, 24, "space required" },
	{ "from can0 to can1 name \"a\\n\"", 1, 24, "invalid escape sequence" },
	{ "from can0 to can1 name \"a\\x00\"", 1, 24, "invalid escape sequence" },
	{ "from can0 to can1 hop-limit 0", 1, 29, "hop limit must be a number" },
	{ "from can0 to can1 hop-limit 256", 1, 29, "hop limit must be a number" },
	{ "from can0 to can1 hop-limit -1", 1, 29, "hop limit must be a number" },
	{ "from can0 to can1 lifetime 50ms", 1, 28, "'lifetime' requires 'express'" },
	{ "from can0 to can1 express lifetime", 1, 27, "duration required after 'lifetime'" },
	{ "from can0 to can1 express lifetime 50", 1, 36, "lifetime must be a duration above 0" },
	{ "from can0 to can1 express lifetime 50 ms", 1, 36, "such as 200us or 50ms, not '50'" },
	{ "from can0 to can1 express lifetime 0", 1, 36, "lifetime must be a duration above 0" },
	{ "from can0 to can1 express lifetime 0ms", 1, 36, "lifetime must be a duration above 0" },
	{ "from can0 to can1 express lifetime -1s", 1, 36, "lifetime must be a duration above 0" },
	{ "from can0 to can1 express lifetime 0.5ns", 1, 36, "lifetime must be a duration" },
	{ "from can0 to can1 express lifetime 18446744073709551616ns", 1, 36,
	  "lifetime must be a duration" },
	{ "from can0 to can1 express lifetime 18446744074s", 1, 36, "lifetime must be a duration" },
	{ "from can0 to can1 express express", 1, 27, "duplicate 'express'" },
	{ "from can0 to can1 express lifetime 1s lifetime 2s", 1, 39, "duplicate 'lifetime'" },
	{ "-s can0 -d can1 express", 1, 17, "unexpected argument 'express'" },
	{ "from can0 to can1 uid 0", 1, 23, "uid must not be 0" },
	{ "from can0 to can1 uid 123456789", 1, 23, "maximum is FFFFFFFF" },
	{ "from can0 to can1 uid x", 1, 23, "invalid hexadecimal number" },
	{ "from can0 to can1 \\\n  uid x", 2, 7, "invalid hexadecimal number" },
	{ "from can0 to can1 id 12", 1, 22, "3 hexadecimal digits, or 8" },
	{ "from can0 to can1 id 800", 1, 22, "invalid identifier" },
	{ "from can0 to can1 id 12345678/9FFFFFFF", 1, 22,
	  "write 92345678/9FFFFFFF for extended frames only, 0x12345678/9FFFFFFF for" },
	{ "from can0 to can1 id 12345678/1FFFFFFF", 1, 22,
	  "write 92345678/9FFFFFFF for extended frames only, 0x12345678/1FFFFFFF for" },
	{ "from can0 to can1 not id 00000123/400007FF", 1, 26,
	  "write 80000123/C00007FF for extended frames only, 0x123/400007FF for" },
	{ "from can0 to can1 id 0x12345678", 1, 22, "above 7FF requires the flag" },
	{ "from can0 to can1 id 40012345", 1, 22, "above 7FF requires the flag" },
	{ "from can0 to can1 id 20000123", 1, 22, "use 'not' to invert" },
	{ "from can0 to can1 id 20000123/7FF", 1, 22, "use 'not' to invert" },
	{ "from can0 to can1 id 123/", 1, 22, "invalid filter" },
	{ "from can0 to can1 id /123", 1, 22, "invalid filter" },
	{ "from can0 to can1 id 123/1234/5", 1, 22, "invalid filter" },
	{ "from can0 to can1 id", 1, 19, "identifier required after 'id'" },
	{ "from can0 to can1 id 123 id 124", 1, 26, "duplicate 'id'" },
	{ "from can0 to can1 not echo", 1, 23, "id, prio or vcid required after 'not'" },
	{ "from can0 to can1 not", 1, 19, "filter required after 'not'" },
	{ "from can0 to can1 prio 5", 1, 24, "neither priority nor VCID" },
	{ "from can0 to can1 frames xl prio 800", 1, 34, "invalid priority" },
	{ "from can0 to can1 frames xl vcid 100", 1, 34, "invalid VCID" },
	{ "from can0 to can1 frames xl vcid 1/100", 1, 34, "invalid VCID" },
	{ "from can0 to can1 frames xl id 123", 1, 32, "have no identifier" },
	{ "from can0 to can1 frames xl id 123/7FF prio 1", 1, 45, "'id' cannot be combined" },
	{ "from can0 to can1 set", 1, 19, "FIELD=VALUE required after 'set'" },
	{ "from can0 to can1 set id", 1, 23, "expected FIELD=VALUE" },
	{ "from can0 to can1 set dlc=8", 1, 23, "unknown field 'dlc'" },
	{ "from can0 to can1 set i=8", 1, 23, "unknown field 'i'" },
	{ "from can0 to can1 set id=12", 1, 23, "3 hexadecimal digits" },
	{ "from can0 to can1 and id=", 1, 23, "invalid hexadecimal number" },
	{ "from can0 to can1 set len=256", 1, 23, "maximum is 255" },
	{ "from can0 to can1 set len=A", 1, 23, "invalid number" },
	{ "from can0 to can1 set len=1 and id=1 set len=2", 1, 42, "duplicate 'set len'" },
	{ "from can0 to can1 frames xl set sec=1 flags=1", 1, 39, "duplicate 'set flags'" },
	{ "from can0 to can1 frames xl set sec=2", 1, 33, "sec must be 0 or 1" },
	{ "from can0 to can1 set flags=1", 1, 23, "Classical CAN frames have no flags" },
	{ "from can0 to can1 frames fd and prio=1", 1, 33, "CAN FD frames have no prio" },
	{ "from can0 to can1 frames xl and id=1", 1, 33, "CAN XL frames have no id" },
	{ "from can0 to can1 frames xl and len=1", 1, 33, "CAN XL frames have no len" },
	{ "from can0 to can1 set data=11", 1, 23, "requires 8 bytes, not 1" },
	{ "from can0 to can1 frames fd set data=00*63", 1, 33, "requires 64 bytes, not 63" },
	{ "from can0 to can1 and data=00*9", 1, 23, "at most 8 bytes of data, not 9" },
	{ "from can0 to can1 frames xl and data=00*2049", 1, 33, "bytes of 2 hexadecimal digits" },
	{ "from can0 to can1 and data=1", 1, 23, "bytes of 2 hexadecimal digits" },
	{ "from can0 to can1 and data=", 1, 23, "bytes of 2 hexadecimal digits" },
	{ "from can0 to can1 and data=11.", 1, 23, "bytes of 2 hexadecimal digits" },
	{ "from can0 to can1 and data=11*0", 1, 23, "bytes of 2 hexadecimal digits" },
	{ "from can0 to can1 and data=11*99999999999999999999", 1, 23, "bytes of 2 hexadecimal" },
	{ "from can0 to can1 and data[8]=11", 1, 23, "at most 8 bytes of data, not 9" },
	{ "from can0 to can1 and data[-1]=11", 1, 23, "expected data[N]=BYTES" },
	{ "from can0 to can1 and data[1=11", 1, 23, "expected data[N]=BYTES" },
	{ "from can0 to can1 and data[1]=1", 1, 23, "bytes of 2 hexadecimal digits" },
	{ "from can0 to can1 and data[1]=11 data[1]=12", 1, 34, "duplicate value for data[1]" },
	{ "from can0 to can1 set data[1]=11 set data[0]=1122", 1, 38, "duplicate value for data[1]" },
	{ "from can0 to can1 set data[1]=11 data=00*8", 1, 23, "data[N] and data cannot both be set" },
	{ "from can0 to can1 set data[1]=11 xor data=0001", 1, 23, "also changed by 'xor'" },
	{ "from can0 to can1 set data[1]=11 and data=00FE", 1, 23, "also changed by 'and'" },
	{ "from can0 to can1 set data[8]=11", 1, 23, "at most 8 bytes of data, not 9" },
	{ "from can0 to can1 xor-checksum", 1, 19, "FIRST..LAST at OFFSET required" },
	{ "from can0 to can1 xor-checksum 0-6", 1, 32, "invalid range" },
	{ "from can0 to can1 xor-checksum 0..2048 at 7", 1, 32, "invalid range" },
	{ "from can0 to can1 xor-checksum 0..-2049 at 7", 1, 32, "invalid range" },
	{ "from can0 to can1 xor-checksum 0..99999999999 at 7", 1, 32, "invalid range" },
	{ "from can0 to can1 xor-checksum 0..6", 1, 32, "'at' and an offset required after '0..6'" },
	{ "from can0 to can1 xor-checksum 0..6 to 7", 1, 37, "expected 'at' and an offset" },
	{ "from can0 to can1 xor-checksum 0..6 at 7x", 1, 40, "invalid byte offset" },
	{ "from can0 to can1 xor-checksum 0..6 at 7 init 100", 1, 47, "maximum is FF" },
	{ "from can0 to can1 crc8 0..6 at 7", 1, 19, "either 'poly' or 'table'" },
	{ "from can0 to can1 crc8 0..6 at 7 poly 1 table 00*256", 1, 19, "either 'poly' or 'table'" },
	{ "from can0 to can1 crc8 0..6 at 7 poly 1 poly 2", 1, 41, "duplicate 'crc8 poly'" },
	{ "from can0 to can1 crc8 0..6 at 7 poly 11D", 1, 39, "maximum is FF" },
	{ "from can0 to can1 crc8 0..6 at 7 table 00*255", 1, 40, "256 bytes" },
	{ "from can0 to can1 crc8 0..6 at 7 profile 2", 1, 42, "expected none, 1u8" },
	{ "from can0 to can1 crc8 0..6 at 7 profile 1u8", 1, 42, "profile data required after '1u8'" },
	{ "from can0 to can1 crc8 0..6 at 7 profile 16u8 00", 1, 47, "requires 16 bytes of data" },
	{ "-s can0", 1, 0, "destination interface required: -d" },
	{ "-s", 1, 1, "source interface required after '-s'" },
	{ "-s can0 -d can1 -s can2", 1, 17, "duplicate option -s" },
	{ "-s can0 -d can1 -q", 1, 17, "unknown option -q of cangw" },
	{ "-s can0 -d can1 -", 1, 17, "unexpected argument '-'" },
	{ "-s can0 -d can1 echo", 1, 17, "unexpected argument 'echo'" },
	{ "cangw -D -s can0 -d can1", 1, 7, "option -D of cangw is not valid in a rule" },
	{ "-s can0 -d can1 -f 123", 1, 20, "invalid filter" },
	{ "-s can0 -d can1 -f 123:", 1, 20, "invalid filter" },
	{ "-s can0 -d can1 -f 123:7FFg", 1, 20, "invalid filter" },
	{ "-s can0 -d can1 -l 0", 1, 20, "hop limit must be a number" },
	{ "-s can0 -d can1 -l 300", 1, 20, "hop limit must be a number" },
	{ "-s can0 -d can1 -u g", 1, 20, "invalid hexadecimal number" },
	{ "-s can0 -d can1 -m NOT:I:1.0." BYTES_8, 1, 20, "does not begin with AND:" },
	{ "-s can0 -d can1 -m set:I:1.0." BYTES_8, 1, 20, "does not begin with AND:" },
	{ "-s can0 -d can1 -m SET", 1, 20, "does not begin with AND:" },
	{ "-s can0 -d can1 -m SET::1.0." BYTES_8, 1, 20, "letters of ILD and a colon required" },
	{ "-s can0 -d can1 -m SET:F:1.0." BYTES_8, 1, 20, "letters of ILD and a colon required" },
	{ "-s can0 -d can1 -m SET:I", 1, 20, "letters of ILD" },
	{ "-s can0 -d can1 -m SET:I:1.0.11", 1, 20, "8 bytes of data" },
	{ "-s can0 -d can1 -m SET:I:1.0." BYTES_8 "9", 1, 20, "8 bytes of data" },
	{ "-s can0 -d can1 -m SET:I:1." BYTES_8, 1, 20, "8 bytes of data" },
	{ "-s can0 -d can1 -m SET:I:1.0." BYTES_8 " -m SET:D:0.0." BYTES_8, 1, 50,
	  "duplicate SET" },
	{ "-s can0 -d can1 -X -m SET:I:1.0." BYTES_8, 1, 23, "-m is not valid with -X" },
	{ "-s can0 -d can1 -M SET:I:1.0.0." ZEROES_64, 1, 20, "-M requires -X" },
	{ "-s can0 -d can1 -x 0:6:7", 1, 20, "expected FROM:TO:RESULT:INIT" },
	{ "-s can0 -d can1 -x 0:6:200:1", 1, 20, "expected FROM:TO:RESULT:INIT" },
	{ "-s can0 -d can1 -x 0:6:7:1:", 1, 20, "expected FROM:TO:RESULT:INIT" },
	{ "-s can0 -d can1 -c 0:6:7:1", 1, 20, "expected FROM:TO:RESULT:INIT:XOR:TABLE" },
	{ "-s can0 -d can1 -c 0:6:7:1:1:00", 1, 20, "256 bytes" },
	{ "-s can0 -d can1 -p 1:00", 1, 0, "-p requires -c" },
	{ "-s can0 -d can1 -p 4:", 1, 20, "expected 1 to 3" },
	{ "-s can0 -d can1 -p 1:", 1, 20, "requires 1 bytes of data" },
	{ "-s can0 -d can1 -p 2:00", 1, 20, "requires 16 bytes of data" },
};

static void test_rejected(void)
{
	static struct rule rule;
	struct parse_error error;

	for (size_t i = 0; i < ARRAY_SIZE(rejected); i++) {
		const struct rejected *r = &rejected[i];
		bool good = !parse(&rule, r->line, &error) && error.line == r->at_line &&
			    error.column == r->at_column && strstr(error.text, r->text);
		char name[100];

		if (!good)
			printf("# %s\n# got %u:%u: %s\n", r->line, error.line, error.column,
			       error.text);
		snprintf(name, sizeof(name), "rejected: %.60s", r->text);
		ok(good, name);
	}
}

static const struct reject_reason {
	const char *line, *text;
} reject_reasons[] = {
	{ "from can0 to can1 set len=16", "length" },
	{ "from can0 to can1 set len=15", NULL },
	{ "from can0 to can1 or len=16", NULL },
	{ "from can0 to can1 frames fd set len=65", "length" },
	{ "from can0 to can1 frames fd set flags=08", "flags" },
	{ "from can0 to can1 frames fd or flags=03 and flags=F0", NULL },
	{ "from can0 to can1 frames xl xor flags=02", "flags" },
	{ "from can0 to can1 uid 5", "uid" },
	{ "from can0 to can1 uid 5 and id=7FF", NULL },
	{ "from can0 to can0", "'return' required" },
	{ "from can0 to can0 return", NULL },
	{ "from can0 to can1 crc8 0..6 at 8 poly 1", "checksum offset" },
	{ "from can0 to can1 crc8 0..-8 at -1 poly 1", NULL },
	{ "from can0 to can1 xor-checksum 0..-9 at 7", "checksum offset" },
	{ "from can0 to can1 frames fd xor-checksum 0..62 at 63", NULL },
	{ "from can0 to can1 frames xl id 123/C00007FF", NULL },
	{ "from can0 to can1 frames xl id 80000123/C00007FF", "filter has bits outside" },
	{ "from can0 to can1 express lifetime 50ms id 123", NULL },
	{ "from can0 to can1 express frames fd", "Classical CAN" },
	{ "from can0 to can1 express frames xl prio 1", "Classical CAN" },
	{ "from can0 to can1 express not id 123", "inverted" },
	{ "from can0 to can1 express id 004/20000004", "for errors" },
};

static void test_reject_reasons(void)
{
	static struct rule rule;
	struct parse_error error;

	for (size_t i = 0; i < ARRAY_SIZE(reject_reasons); i++) {
		const struct reject_reason *o = &reject_reasons[i];
		bool good = parse(&rule, o->line, &error);
		const char *text = rule_reject_reason(&rule);

		ok(good && !text == !o->text && (!text || strstr(text, o->text)), o->line);
	}
}

static bool never_matches(const char *line)
{
	static struct rule rule;
	struct parse_error error;

	return parse(&rule, line, &error) && rule_never_matches(&rule);
}

static void test_never_matches(void)
{
	ok(never_matches("from can0 to can1 id 0x12345678/DFFFFFFF"),
	   "filter: an extended identifier without its flag never matches");
	ok(!never_matches("from can0 to can1 not id 0x12345678/DFFFFFFF") &&
	   !never_matches("from can0 to can1 id 0x12345678/1FFFFFFF") &&
	   !never_matches("from can0 to can1 id 92345678/DFFFFFFF") &&
	   !never_matches("from can0 to can1 id 12345678") &&
	   !never_matches("from can0 to can1 id 123") && !never_matches("from can0 to can1"),
	   "filter: other filters match");
}

/* A file: rules and their positions; after an error the next line is parsed. */
static void test_lines(void)
{
	static char content[] =
		"# first\n"
		"from can0 to can1\n"
		"\n"
		"from can0 \"to \\\n"
		"can1\n"
		"from can0 \\\n"
		"  to \\\n"
		"  # a comment ends the line, and the rule with it \\\n"
		"  can2\n"
		"from can3 to can4";
	struct text text = { content, content + strlen(content), 1 };
	struct tokens tokens = { 0 };
	struct parse_error error;
	bool good;

	good = tokens_next(&tokens, &text, &error) && tokens.count == 4 &&
	       tokens.token[0].line == 2;
	ok(good, "lines: a rule after a comment");
	good = !tokens_next(&tokens, &text, &error) && error.line == 4 && error.column == 11;
	ok(good, "lines: a quoted token ends with its line");
	good = tokens_next(&tokens, &text, &error) && tokens.count == 4 &&
	       tokens.token[0].line == 6 && tokens.token[2].line == 7 &&
	       tokens.token[3].line == 9 && tokens.token[3].column == 3 &&
	       !strcmp(tokens.token[3].text, "can2");
	ok(good, "lines: the line after an error, and continued lines");
	good = tokens_next(&tokens, &text, &error) && tokens.count == 4 &&
	       tokens.token[0].line == 10;
	ok(good, "lines: the last line without a newline");
	good = !tokens_next(&tokens, &text, &error) && !error.text[0];
	ok(good, "lines: the end of the text");
	free(tokens.token);
}

static void test_binary(void)
{
	char content[] = "from can0 to can1\0 frames fd\nfrom can0 to can1\n";
	struct text text = { content, content + sizeof(content) - 1, 1 };
	struct tokens tokens = { 0 };
	struct parse_error error;

	ok(!tokens_next(&tokens, &text, &error) && error.line == 1 &&
	   strstr(error.text, "NUL byte"), "lines: NUL bytes are rejected");
	ok(tokens_next(&tokens, &text, &error) && tokens.count == 4 && tokens.token[0].line == 2,
	   "lines: the line after NUL bytes");
	free(tokens.token);
}

static uint8_t crc(uint8_t poly, bool reflected, uint8_t init, uint8_t final)
{
	uint8_t table[CAN_GW_CRC8_TABLE_LEN];

	crc8_table(table, poly, reflected);
	for (const char *at = "123456789"; *at; at++)
		init = table[init ^ (uint8_t)*at];
	return init ^ final;
}

static void test_crc8(void)
{
	uint8_t table[CAN_GW_CRC8_TABLE_LEN], found;
	bool reflected, good = true;

	/* The check values of these CRCs in CRC catalogues */
	ok(crc(0x1D, false, 0xFF, 0xFF) == 0x4B, "crc8: SAE J1850");
	ok(crc(0x2F, false, 0xFF, 0xFF) == 0xDF, "crc8: AUTOSAR");
	ok(crc(0x07, false, 0x00, 0x00) == 0xF4, "crc8: SMBus");
	ok(crc(0x31, true, 0x00, 0x00) == 0xA1, "crc8: Maxim, reflected");
	for (int poly = 0; poly < 256; poly++) {
		for (int way = 0; way < 2; way++) {
			uint8_t again[CAN_GW_CRC8_TABLE_LEN];

			crc8_table(table, poly, way);
			good &= crc8_poly(table, &found, &reflected);
			crc8_table(again, found, reflected);
			good &= !memcmp(table, again, sizeof(table));
		}
	}
	ok(good, "crc8: the polynomial of each table is found");
	table[77] ^= 1;
	ok(!crc8_poly(table, &found, &reflected), "crc8: other tables have no polynomial");
}

/* An error reply of the kernel: error and request. Callers append the attributes. */
static void begin_error(struct messages *m, const struct messages *request, int error, bool capped)
{
	struct nlmsghdr *nlh = calloc(1, 65536);
	struct nlmsgerr *err = NLMSG_DATA(nlh);
	const struct nlmsghdr *asked = (struct nlmsghdr *)(request->data + request->begin);
	size_t len = capped ? sizeof(*asked) : asked->nlmsg_len;

	nlh->nlmsg_type = NLMSG_ERROR;
	nlh->nlmsg_flags = NLM_F_ACK_TLVS | (capped ? NLM_F_CAPPED : 0);
	nlh->nlmsg_seq = 77;
	err->error = -error;
	memcpy(&err->msg, asked, len);
	nlh->nlmsg_len = NLMSG_LENGTH(offsetof(struct nlmsgerr, msg) + len);
	message_clear(m);
	message_append(m, nlh);
	free(nlh);
}

static const char *error_text(const struct messages *m, bool cangw)
{
	static struct kernel_error kerr;

	kerr = (struct kernel_error){ .cangw = cangw };
	kernel_error_read(&kerr, (struct nlmsghdr *)m->data);
	return kerr.text;
}

/* Offset of an attribute in a request, or of attribute @nested in it */
static size_t offset_of(const struct messages *m, uint16_t type, uint16_t nested)
{
	const char *base = m->data + m->begin;
	struct nlmsghdr *nlh = (struct nlmsghdr *)base;
	struct nlattr *attr = nla_find((struct nlattr *)(base + NLMSG_HDRLEN + GENL_HDRLEN),
				       nlh->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN, type);

	if (nested)
		attr = nla_find(nla_data(attr), nla_len(attr), nested);
	return (const char *)attr - base;
}

static bool error_text_is(const struct messages *m, bool cangw, const char *wanted)
{
	const char *text = error_text(m, cangw);

	if (!strcmp(text, wanted))
		return true;
	printf("# got    %s\n# wanted %s\n", text, wanted);
	return false;
}

static void test_express_errors(void)
{
	struct messages request = { 0 }, m = { 0 };
	static struct rule rule;
	struct parse_error error;

	parse(&rule, "from can0 to can1 express lifetime 50ms", &error);
	put_rule(&request, &rule);
	begin_error(&m, &request, EPERM, false);
	message_put_string(&m, NLMSGERR_ATTR_MSG, "express rules require a capability");
	message_put_u32(&m, NLMSGERR_ATTR_OFFS, offset_of(&request, CAN_GW_A_RULE_EXPRESS, 0));
	ok(error_text_is(&m, false, "express rules require a capability (express)"),
	   "kernel error: express");
	begin_error(&m, &request, EINVAL, false);
	message_put_string(&m, NLMSGERR_ATTR_MSG, "wrong");
	message_put_u32(&m, NLMSGERR_ATTR_OFFS, offset_of(&request, CAN_GW_A_RULE_LIFETIME, 0));
	ok(error_text_is(&m, false, "wrong (lifetime)"), "kernel error: lifetime");
	message_free(&request);
	message_free(&m);
}

static void test_kernel_errors(void)
{
	struct messages request = { 0 }, m = { 0 };
	static struct rule rule;
	struct parse_error error;

	parse(&rule, "from can0 to can1 and id=1 data=0102030405 crc8 0..6 at 7 poly 1", &error);
	/* The rejected request is the second one in the buffer. */
	message_begin(&request, FAMILY, CAN_GW_CMD_RULE_ADD, 0, 76);
	message_put_string(&request, CAN_GW_A_RULE_NAME, "other");
	message_begin(&request, FAMILY, CAN_GW_CMD_RULE_ADD, 0, 77);
	rule_put(&request, &rule);

	begin_error(&m, &request, ENODEV, false);
	ok(error_text_is(&m, false, "No such device"), "kernel error: without an extack message");
	begin_error(&m, &request, EPERM, false);
	ok(error_text_is(&m, false, "CAP_NET_ADMIN is required"), "kernel error: missing capability");
	begin_error(&m, &request, EINVAL, false);
	message_put_string(&m, NLMSGERR_ATTR_MSG, "offset out of range");
	ok(error_text_is(&m, false, "offset out of range"), "kernel error: extack message");
	message_put_u32(&m, NLMSGERR_ATTR_OFFS, offset_of(&request, CAN_GW_A_RULE_CRC8_CHECKSUM,
							  CAN_GW_A_CRC8_CHECKSUM_RESULT));
	ok(error_text_is(&m, false, "offset out of range (crc8 at)"), "kernel error: a nested attribute");
	ok(error_text_is(&m, true, "offset out of range (-c result)"), "kernel error: named by the option of cangw");
	begin_error(&m, &request, EINVAL, false);
	message_put_u32(&m, NLMSGERR_ATTR_OFFS, offset_of(&request, CAN_GW_A_RULE_DESTINATION, 0));
	ok(error_text_is(&m, false, "Invalid argument (to)"), "kernel error: an attribute without an extack message");
	begin_error(&m, &request, EINVAL, false);
	message_put_u32(&m, NLMSGERR_ATTR_OFFS, offset_of(&request, CAN_GW_A_RULE_AND, 0));
	ok(error_text_is(&m, false, "Invalid argument (and)"), "kernel error: a nest");
	begin_error(&m, &request, EINVAL, false);
	message_put_u32(&m, NLMSGERR_ATTR_OFFS,
			offset_of(&request, CAN_GW_A_RULE_AND, CAN_GW_A_OPERAND_DATA));
	ok(error_text_is(&m, true, "Invalid argument (-m AND D)"), "kernel error: nested attribute named by the option of cangw");
	begin_error(&m, &request, EINVAL, false);
	message_put_u32(&m, NLMSGERR_ATTR_OFFS, 60000);
	ok(error_text_is(&m, false, "Invalid argument"), "kernel error: offset outside of the request");
	begin_error(&m, &request, EINVAL, false);
	message_put_u32(&m, MISS_TYPE, CAN_GW_A_RULE_SOURCE);
	ok(error_text_is(&m, false, "Invalid argument (from is missing)"), "kernel error: missing attribute");
	begin_error(&m, &request, EINVAL, false);
	message_put_u32(&m, MISS_TYPE, CAN_GW_A_CRC8_CHECKSUM_FROM);
	message_put_u32(&m, MISS_NEST, offset_of(&request, CAN_GW_A_RULE_CRC8_CHECKSUM, 0));
	ok(error_text_is(&m, false, "Invalid argument (crc8 first offset is missing)"),
	   "kernel error: missing nested attribute");
	begin_error(&m, &request, EINVAL, true);
	message_put_string(&m, NLMSGERR_ATTR_MSG, "No");
	message_put_u32(&m, NLMSGERR_ATTR_OFFS, 20);
	ok(error_text_is(&m, false, "No"), "kernel error: reply without the request");
	message_free(&request);
	message_free(&m);
}

static void test_messages(void)
{
	struct messages m = { 0 };
	struct removal removal;
	struct rule_table table;
	static struct rule rule;

	message_begin(&m, FAMILY, CAN_GW_CMD_RULE_DEL_NTF, 0, 0);
	message_put_uint(&m, CAN_GW_A_REMOVAL_HANDLE, 5);
	message_put_uint(&m, CAN_GW_A_REMOVAL_HANDLE, 0x1234567890ULL);
	message_put_u32(&m, CAN_GW_A_REMOVAL_REASON, CAN_GW_REASON_INTERFACE);
	message_put_u32(&m, CAN_GW_A_REMOVAL_GENERATION, 9);
	removal_get(&removal, (struct nlmsghdr *)m.data);
	ok(removal.count == 2 && removal.handles[0] == 5 && removal.handles[1] == 0x1234567890ULL &&
	   removal.reason == CAN_GW_REASON_INTERFACE && removal.generation == 9,
	   "messages: removal with handles of 4 and 8 bytes");
	free(removal.handles);

	message_clear(&m);
	message_begin(&m, FAMILY, CAN_GW_CMD_TABLE_NTF, 0, 0);
	message_put_u32(&m, CAN_GW_A_TABLE_RULES, 3);
	message_put_u32(&m, CAN_GW_A_TABLE_LIMIT, 4);
	ok(rule_table_get(&table, (struct nlmsghdr *)m.data) && table.rules == 3 &&
	   table.limit == 4 && !table.source, "messages: table");

	message_clear(&m);
	message_begin(&m, FAMILY, CAN_GW_CMD_RULE_GET, 0, 0);
	message_put_u32(&m, CAN_GW_A_RULE_SOURCE, 7);
	message_put(&m, CAN_GW_A_RULE_DESTINATION, "x", 1);
	ok(!rule_get(&rule, (struct nlmsghdr *)m.data), "messages: an attribute that is too short is rejected");

	message_clear(&m);
	message_begin(&m, FAMILY, CAN_GW_CMD_RULE_GET, 0, 0);
	message_put_uint(&m, CAN_GW_A_RULE_HANDLE, UINT64_MAX);
	message_put(&m, CAN_GW_A_RULE_NAME, "abc", 3);
	message_put_u32(&m, CAN_GW_A_RULE_SOURCE, 7);
	message_put_u32(&m, CAN_GW_A_RULE_DESTINATION, 10);
	message_put_u32(&m, CAN_GW_A_RULE_MAX + 5, 10);
	ok(rule_get(&rule, (struct nlmsghdr *)m.data) && rule.handle == UINT64_MAX &&
	   !strcmp(rule.name, "abc") && !strcmp(rule.source, "if7") &&
	   !strcmp(rule.destination, "can0"),
	   "messages: name without NUL, unknown interface, and unknown attribute");
	message_free(&m);
}

/* Attribute @type of a message of the stock gateway, or NULL */
static struct nlattr *stock_attr(struct nl_msg *msg, int type)
{
	return nlmsg_find_attr(nlmsg_hdr(msg), sizeof(struct rtcanmsg), type);
}

static bool has_u32(struct nl_msg *msg, int type, uint32_t value)
{
	struct nlattr *attr = stock_attr(msg, type);

	return attr && nla_len(attr) == sizeof(value) && nla_get_u32(attr) == value;
}

static struct nl_msg *stock_line(const char *line)
{
	static struct rule rule;
	struct parse_error error = { 0 };

	if (!parse(&rule, line, &error))
		printf("# %s: %s\n", line, error.text);
	return stock_put(&rule, RTM_NEWROUTE);
}

/* All rules that the stock gateway supports, except for their names. */
static void test_stock_round_trip(void)
{
	static struct rule rule, got;
	struct parse_error error;
	unsigned int count = 0;
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++) {
		char *line, *again = NULL;
		struct nl_msg *msg;

		if (!parse(&rule, accepted[i].line, &error) || rule.frames == CAN_GW_FRAMES_XL ||
		    rule.express || !ifnames_index(rule.source) || !ifnames_index(rule.destination))
			continue;
		count++;
		rule.name[0] = '\0';
		line = rule_line(&rule);
		msg = stock_put(&rule, RTM_NEWROUTE);
		if (stock_get(&got, nlmsg_hdr(msg)))
			again = rule_line(&got);
		if (!again || strcmp(line, again)) {
			printf("# got    %s\n# wanted %s\n", again ? again : "nothing", line);
			good = false;
		}
		nlmsg_free(msg);
		free(line);
		free(again);
	}
	ok(good && count > 20, "stock: rules survive the round trip");
}

static void test_stock_attributes(void)
{
	static const uint8_t set[] = { 0x33, 3, 0, 0, 4, 0, 0, 0,
				       0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88,
				       CGW_MOD_ID | CGW_MOD_DLC };
	const struct rtcanmsg *header;
	struct nl_msg *msg;
	struct nlattr *attr;

	msg = stock_line("-s can0 -d can1 -e -t -i -f 123:7FF -l 2 -u 5 -m SET:IL:333.4." BYTES_8);
	header = nlmsg_data(nlmsg_hdr(msg));
	attr = stock_attr(msg, CGW_MOD_SET);
	ok(header->can_family == AF_CAN && header->gwtype == CGW_TYPE_CAN_CAN &&
	   header->flags == (CGW_FLAGS_CAN_ECHO | CGW_FLAGS_CAN_SRC_TSTAMP |
			     CGW_FLAGS_CAN_IIF_TX_OK) &&
	   has_u32(msg, CGW_SRC_IF, 10) && has_u32(msg, CGW_DST_IF, 11) &&
	   has_u32(msg, CGW_MOD_UID, 5) &&
	   nla_get_u8(stock_attr(msg, CGW_LIM_HOPS)) == 2, "stock: header and numbers");
	/* The expected bytes are those of a little-endian host. */
	ok(attr && nla_len(attr) == 17 && (htole32(1) != 1 || !memcmp(nla_data(attr), set, 17)),
	   "stock: fields without an operation are sent as cangw sends them");
	nlmsg_free(msg);

	msg = stock_line("from can0 to can1 frames fd and data=F0 xor flags=01 xor-checksum 0..-2 at -1");
	header = nlmsg_data(nlmsg_hdr(msg));
	attr = stock_attr(msg, CGW_FDMOD_AND);
	ok(header->flags == CGW_FLAGS_CAN_FD && attr && nla_len(attr) == 73 &&
	   ((uint8_t *)nla_data(attr))[8] == 0xF0 && ((uint8_t *)nla_data(attr))[71] == 0xFF &&
	   !stock_attr(msg, CGW_MOD_AND) && !stock_attr(msg, CGW_FILTER),
	   "stock: CAN FD, and bytes after the operand");
	attr = stock_attr(msg, CGW_CS_XOR);
	ok(attr && nla_len(attr) == 4 && !memcmp(nla_data(attr), "\x00\xFE\xFF\x00", 4),
	   "stock: negative offsets");
	nlmsg_free(msg);

	msg = stock_line("from can0 to can1 id 0x0/0");
	ok(!stock_attr(msg, CGW_FILTER), "stock: a filter for all frames is left out, as in a dump");
	nlmsg_free(msg);

	msg = stock_put_flush();
	ok(nlmsg_hdr(msg)->nlmsg_type == RTM_DELROUTE && has_u32(msg, CGW_SRC_IF, 0) &&
	   has_u32(msg, CGW_DST_IF, 0), "stock: interfaces 0 remove all rules");
	nlmsg_free(msg);
}

static void test_stock_copy(void)
{
	struct nl_msg *msg = stock_line("-s can0 -d can1 -m AND:I:7FF.1." BYTES_8), *copy;
	static struct rule rule;

	nla_put_u32(msg, CGW_HANDLED, 1);
	nla_put_u32(msg, CGW_DROPPED, 2);
	nla_put_u32(msg, CGW_DELETED, UINT32_MAX);
	ok(stock_get(&rule, nlmsg_hdr(msg)) && rule.stats.sent == 1 && rule.stats.dropped == 2 &&
	   rule.stats.deleted == UINT32_MAX, "stock: counters");
	copy = stock_copy(nlmsg_hdr(msg), RTM_DELROUTE);
	ok(nlmsg_hdr(copy)->nlmsg_type == RTM_DELROUTE && !stock_attr(copy, CGW_HANDLED) &&
	   !stock_attr(copy, CGW_DROPPED) && !stock_attr(copy, CGW_DELETED) &&
	   !memcmp(nla_data(stock_attr(copy, CGW_MOD_AND)), nla_data(stock_attr(msg, CGW_MOD_AND)),
		   17), "stock: a copy has all fields, but no counters");
	nlmsg_free(copy);
	nlmsg_free(msg);
}

static void test_stock_foreign(void)
{
	struct rtmsg route = { .rtm_family = AF_INET };
	struct rtcanmsg header = { .can_family = AF_CAN, .gwtype = CGW_TYPE_CAN_CAN };
	struct cgw_csum_crc8 crc8 = { .to_idx = 6, .result_idx = 7, .profile = 77 };
	struct nl_msg *msg = nlmsg_alloc_simple(RTM_NEWROUTE, 0);
	static struct rule rule;

	nlmsg_append(msg, &route, sizeof(route), NLMSG_ALIGNTO);
	ok(!stock_get(&rule, nlmsg_hdr(msg)), "stock: a route of another protocol is no rule");
	nlmsg_free(msg);

	msg = nlmsg_alloc_simple(RTM_NEWROUTE, 0);
	nlmsg_append(msg, &header, sizeof(header), NLMSG_ALIGNTO);
	nla_put(msg, CGW_CS_CRC8, sizeof(crc8), &crc8);
	ok(stock_get(&rule, nlmsg_hdr(msg)) && rule.crc8.given &&
	   rule.crc8.profile == CAN_GW_CRC8_PROFILE_NONE && !strcmp(rule.source, "if0"),
	   "stock: an unknown profile");
	nla_put(msg, CGW_MOD_SET, 16, &crc8);
	ok(!stock_get(&rule, nlmsg_hdr(msg)), "stock: an attribute that is too short is rejected");
	nlmsg_free(msg);
}

static void test_stock_lacks(void)
{
	static const struct {
		const char *line, *lacks;
	} cases[] = {
		{ "from can0 to can1 echo keep-time return uid 5 set len=8", NULL },
		{ "from can0 to can1 set len=8 crc8 0..-8 at 7 poly 1D profile sffid-xor", NULL },
		{ "from can0 to can1 frames fd set len=8 xor-checksum -64..62 at 63", NULL },
		{ "from can0 to can1 name a", NULL },
		{ "from can0 to can1 frames xl", "CAN XL" },
		{ "from can0 to can1 express", "express rules" },
		{ "from can0 to can1 express lifetime 50ms set len=8", "express rules" },
		{ "from can0 to can1 crc8 0..6 at 7 poly 1D", "a checksum in a rule without" },
		{ "from can0 to can1 uid 5", "a uid in a rule without" },
		{ "from can0 to can1 set len=8 xor-checksum 0..6 at 8", "a checksum offset" },
		{ "from can0 to can1 frames fd set len=8 crc8 -65..6 at 8 poly 1D", "a checksum offset" },
	};
	static struct rule rule;
	struct parse_error error;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *wanted = cases[i].lacks, *lacks;

		parse(&rule, cases[i].line, &error);
		lacks = stock_lacks(&rule);
		if (wanted ? !lacks || strncmp(lacks, wanted, strlen(wanted)) : lacks != NULL)
			printf("# %s: %s\n", cases[i].line, lacks ? lacks : "nothing");
		ok(wanted ? lacks && !strncmp(lacks, wanted, strlen(wanted)) : !lacks,
		   cases[i].line);
	}
}

static void test_json(void)
{
	static struct rule rule;
	struct parse_error error;
	json_t *json, *op;

	parse(&rule, "from can0 to can1 frames fd not id 12345678 name \"\\xFF\" and data=AABB len=63 "
	      "crc8 0..-2 at -1 poly 1D profile 1u8 2A", &error);
	json = rule_json(&rule);
	op = json_object_get(json, "and");
	ok(json && op && !strcmp(json_string_value(json_object_get(op, "data")), "AABB") &&
	   json_integer_value(json_object_get(op, "len")) == 63 &&
	   json_integer_value(json_object_get(json_object_get(json, "filter"), "id")) ==
	   0x92345678 && json_is_true(json_object_get(json_object_get(json, "filter"), "inverted")),
	   "json: numbers and data");
	ok(!json_object_get(json, "set") && !json_object_get(json, "uid") &&
	   json_is_false(json_object_get(json, "echo")), "json: members without a value are left out");
	ok(json_is_string(json_object_get(json, "name")), "json: a name that is not UTF-8");
	ok(json_is_false(json_object_get(json, "express")) && !json_object_get(json, "lifetime"),
	   "json: a rule that is not express");
	json_decref(json);

	parse(&rule, "from can0 to can1 express lifetime 50ms", &error);
	json = rule_json(&rule);
	ok(json_is_true(json_object_get(json, "express")) &&
	   json_integer_value(json_object_get(json, "lifetime")) == 50000000 &&
	   !strcmp(json_string_value(json_object_get(json, "rule")),
		   "from can0 to can1 express lifetime 50ms"), "json: an express rule");
	json_decref(json);
}

static void test_text_map(void)
{
	struct text_map map = { 0 };
	bool good = true;

	for (uint64_t i = 1; i <= 10000; i++)
		good &= !text_map_set(&map, i * i, strdup("x"));
	ok(good && map.count == 10000, "text map: many entries");
	for (uint64_t i = 1; i <= 10000; i += 2) {
		char *text = text_map_take(&map, i * i);

		good &= text && !strcmp(text, "x");
		free(text);
	}
	ok(good && map.count == 5000 && !text_map_take(&map, 1), "text map: half of the entries removed");
	ok(!text_map_take(&map, 3), "text map: an unknown handle");
	text_map_clear(&map);
	ok(!map.count && !text_map_take(&map, 4), "text map: cleared");
}

/* The same sequence in each run */
static unsigned int random_below(unsigned int n)
{
	static uint32_t state = 12345;

	state = state * 1664525 + 1013904223;
	return (state >> 8) % n;
}

static void mutate(char *line)
{
	static const char letters[] = " \t\"\\#=.:*[]/-0189AFafxgsdm\n";
	size_t len = strlen(line);

	for (unsigned int n = random_below(4); n > 0 && len > 1; n--) {
		size_t at = random_below(len);

		if (random_below(2)) {
			line[at] = letters[random_below(sizeof(letters) - 1)];
		} else {
			memmove(line + at, line + at + 1, len - at);
			len--;
		}
	}
}

/* Mutated lines are either rejected or survive the round trip. */
static void test_mutations(void)
{
	static char line[1 << 14];
	static struct rule rule;
	struct parse_error error;
	unsigned int taken = 0;
	bool good = true;

	for (int i = 0; i < 50000; i++) {
		strcpy(line, accepted[random_below(ARRAY_SIZE(accepted))].line);
		mutate(line);
		if (!parse(&rule, line, &error))
			continue;
		taken++;
		/* Other interfaces have no index in this test. */
		if (ifnames_index(rule.source) && ifnames_index(rule.destination) &&
		    !round_trip(&rule, NULL)) {
			printf("# %s\n", line);
			good = false;
		}
	}
	ok(good && taken > 1000, "mutations: accepted lines survive the round trip");
}

/*
 * What apply decides: each rule is a letter for its source and a digit for the rest. A letter
 * in lower case in @active is a rule of ours. In @wanted, 'X' is a source that does not exist.
 */
static const struct planned {
	const char *active, *wanted;
	enum plan plan;
	const char *name;
} planned[] = {
	{ "", "", PLAN_KEEP, "an empty file and no rules" },
	{ "", "a1 a2", PLAN_REPLACE, "the first load" },
	{ "A9", "a1 a2", PLAN_ADD, "the first load beside rules of others" },
	{ "A9", "", PLAN_KEEP, "an empty file beside rules of others" },
	{ "a1 a2", "a1 a2", PLAN_KEEP, "the same rules" },
	{ "a1 A1 a2", "a1 a2", PLAN_KEEP, "the same rules beside an equal one" },
	{ "A1", "a1", PLAN_ADD, "an equal rule of others is not ours" },
	{ "a1 a2", "a2 a1", PLAN_REPLACE, "another order" },
	{ "a1 b1", "b1 a1", PLAN_KEEP, "another order of sources" },
	{ "a1 a2", "a1", PLAN_REPLACE, "fewer rules" },
	{ "a1 a2", "", PLAN_REPLACE, "no rules any more" },
	{ "a1", "a1 a2", PLAN_ADD, "a rule at the end" },
	{ "a1", "a2 a1", PLAN_REPLACE, "a rule before another one" },
	{ "a1", "b1 a1 b2", PLAN_ADD, "rules of another source" },
	{ "a1 b1", "a1 a2 b1", PLAN_ADD, "a rule at the end of its source" },
	{ "a1 b2", "a1 b1 b2", PLAN_REPLACE, "a rule at the begin of its source" },
	{ "a1", "a1 a1", PLAN_ADD, "a rule twice" },
	{ "a1 a1", "a1 a1", PLAN_KEEP, "equal rules" },
	{ "a1 a1", "a1", PLAN_REPLACE, "equal rules, of which one is removed" },
	{ "a1", "X1 a1 X2", PLAN_KEEP, "rules that wait" },
	{ "", "X1", PLAN_KEEP, "only rules that wait" },
};

static size_t split_rules(const char *line, char texts[][3])
{
	size_t count = 0;

	while (sscanf(line, "%2s", texts[count]) == 1) {
		line += 2 + (line[2] == ' ');
		count++;
	}
	return count;
}

static void test_plans(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(planned); i++) {
		const struct planned *p = &planned[i];
		struct wanted_rule wanted[8] = { 0 };
		struct active_rule active[8] = { 0 };
		char file[8][3], kernel[8][3];
		size_t wanted_count = split_rules(p->wanted, file);
		size_t active_count = split_rules(p->active, kernel);

		for (size_t j = 0; j < wanted_count; j++) {
			wanted[j].text = file[j];
			wanted[j].source[0] = file[j][0];
			wanted[j].source_index = file[j][0] != 'X';
			wanted[j].destination_index = 1;
		}
		for (size_t j = 0; j < active_count; j++) {
			active[j].text = kernel[j];
			active[j].ours = kernel[j][0] >= 'a';
		}
		ok(apply_plan(wanted, wanted_count, active, active_count) == p->plan, p->name);
	}
}

static bool is_ours(const struct active_rule *stored, const struct active_rule *active)
{
	struct active_rule rule = *active;
	struct state state = { 0 };

	state_add(&state, stored);
	state_mark(&state, &rule, 1);
	state_free(&state);
	return rule.ours;
}

static void test_state(void)
{
	static char text[] = "from can0 to can1 name x id 123";
	static char renamed[] = "from diag0 to can1 name x id 123";
	static char other[] = "from can0 to can1 name x id 124";
	static char express[] = "from can0 to can1 express lifetime 50ms";
	static char express_renamed[] = "from diag0 to can1 express lifetime 50ms";
	static char longer[] = "from can0 to can1 express lifetime 51ms";
	static char unlimited[] = "from can0 to can1 express";
	const struct active_rule stored = { 7, 10, 11, text, false };

	ok(is_ours(&stored, &(struct active_rule){ 7, 10, 11, text, false }),
	   "state: handle and text");
	ok(!is_ours(&stored, &(struct active_rule){ 8, 10, 11, text, false }),
	   "state: another handle");
	ok(!is_ours(&stored, &(struct active_rule){ 7, 10, 11, other, false }),
	   "state: another text");
	ok(is_ours(&stored, &(struct active_rule){ 7, 10, 11, renamed, false }),
	   "state: a renamed interface");
	ok(!is_ours(&stored, &(struct active_rule){ 7, 12, 11, renamed, false }),
	   "state: another interface");
	ok(!is_ours(&stored, &(struct active_rule){ 0, 0, 0, text, false }),
	   "state: the stock module has no rule with a handle");
	ok(is_ours(&(struct active_rule){ 7, 10, 11, express, false },
		   &(struct active_rule){ 7, 10, 11, express_renamed, false }) &&
	   !is_ours(&(struct active_rule){ 7, 10, 11, express, false },
		    &(struct active_rule){ 7, 10, 11, longer, false }) &&
	   !is_ours(&(struct active_rule){ 7, 10, 11, express, false },
		    &(struct active_rule){ 7, 10, 11, unlimited, false }),
	   "state: rules with another lifetime differ");
	ok(is_ours(&(struct active_rule){ .text = text }, &(struct active_rule){ .text = text }),
	   "state: a rule of the stock module");
}

/* The rules are as before in another process. */
static void test_state_file(void)
{
	static char text[] = "from can0 to can1 name \"two words\" id 123";
	char directory[] = "/tmp/canroute_unit.XXXXXX", path[64];
	struct state state = { 0 };
	FILE *out;

	if (!mkdtemp(directory)) {
		ok(false, "state: temporary directory");
		return;
	}
	snprintf(path, sizeof(path), "%s/sub/applied", directory);
	setenv("CANROUTE_STATE", path, 1);
	state_lock();
	state_read(&state);
	ok(!state.count, "state: no file");
	state_add(&state, &(struct active_rule){ UINT64_MAX, 10, 11, text, false });
	state_add(&state, &(struct active_rule){ .text = text });
	out = state_open();
	state_write(out, &state);
	state_free(&state);
	state_read(&state);
	ok(state.count == 2 && state.rules[0].handle == UINT64_MAX &&
	   state.rules[0].source_index == 10 && state.rules[0].destination_index == 11 &&
	   !strcmp(state.rules[0].text, text) && !state.rules[1].handle, "state: written and read");
	state_free(&state);
	state_remove();
	snprintf(path, sizeof(path), "%s/sub", directory);
	ok(!rmdir(path) && !rmdir(directory), "state: the directory is empty again");
}

/* The datagram that a service manager receives at @name, which has '@' for a null byte */
static bool notified(const char *name, const char *text)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	char message[64] = "";

	memcpy(address.sun_path, name, strlen(name));
	if (*name == '@')
		address.sun_path[0] = '\0';
	if (bind(fd, (struct sockaddr *)&address,
		 offsetof(struct sockaddr_un, sun_path) + strlen(name)))
		return false;
	setenv("NOTIFY_SOCKET", name, 1);
	notify_status(text);
	recv(fd, message, sizeof(message) - 1, MSG_DONTWAIT);
	close(fd);
	return !strncmp(message, "STATUS=", 7) && !strcmp(message + 7, text);
}

static void test_notify(void)
{
	char directory[] = "/tmp/canroute_unit.XXXXXX", name[64];

	if (!mkdtemp(directory)) {
		ok(false, "notify: temporary directory");
		return;
	}
	snprintf(name, sizeof(name), "%s/socket", directory);
	ok(notified(name, "2 rules"), "notify: a path");
	unlink(name);
	rmdir(directory);
	snprintf(name, sizeof(name), "@canroute_unit.%d", getpid());
	ok(notified(name, ""), "notify: an abstract address");
	setenv("NOTIFY_SOCKET", "relative", 1);
	notify_status("x");
	unsetenv("NOTIFY_SOCKET");
	notify_status("x");
	ok(true, "notify: no service manager");
}

int main(void)
{
	test_accepted();
	test_rejected();
	test_reject_reasons();
	test_never_matches();
	test_lines();
	test_binary();
	test_crc8();
	test_kernel_errors();
	test_express_errors();
	test_messages();
	test_stock_round_trip();
	test_stock_attributes();
	test_stock_copy();
	test_stock_foreign();
	test_stock_lacks();
	test_json();
	test_text_map();
	test_mutations();
	test_plans();
	test_state();
	test_state_file();
	test_notify();
	printf("1..%d\n", tests);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
