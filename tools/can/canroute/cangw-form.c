// SPDX-License-Identifier: GPL-2.0-only
/*
 * A rule with the options of cangw(1), as "cangw -A" takes and "cangw -L" prints them.
 * Where cangw ignores what is behind a number, or what does not fit, this does not.
 */
#include <stdlib.h>
#include <string.h>

#include "cangw-form.h"
#include "number.h"
#include "parser.h"

/* What an option takes, for the sentence when it is missing. */
static const char *const arguments[] = {
	['s'] = "a source interface",
	['d'] = "a destination interface",
	['f'] = "a filter",
	['l'] = "a hop limit",
	['u'] = "a uid",
	['m'] = "a modification",
	['M'] = "a modification",
	['x'] = "a checksum",
	['c'] = "a checksum",
	['p'] = "a profile",
};

static const char *const instructions[OPERATIONS] = { "AND", "OR", "XOR", "SET" };

/* CAN_ID:MASK, or with ~ inverted */
static bool take_filter(struct parser *p, const struct word *word, const char *text)
{
	size_t len = strcspn(text, ":~");
	struct rule *rule = p->rule;

	if (!text[len] || !number_hex(text, len, UINT32_MAX, &rule->filter_id) ||
	    !number_hex(text + len + 1, strlen(text + len + 1), UINT32_MAX, &rule->filter_mask))
		return mistake_at(p->mistake, word,
				  "-f: '%s' is no filter: ID:MASK or ID~MASK", text);
	if (text[len] == '~')
		rule->filter_id |= CAN_INV_FILTER;
	rule->filtered = true;
	return true;
}

static bool take_hops(struct parser *p, const struct word *word, const char *text)
{
	uint64_t hops;

	if (!number_decimal(text, UINT8_MAX, &hops) || !hops)
		return mistake_at(p->mistake, word,
				  "-l: '%s' is no hop limit: a number from 1 to %d",
				  text, UINT8_MAX);
	p->rule->hop_limit = hops;
	return true;
}

/* cangw takes 0 for none. */
static bool take_uid(struct parser *p, const struct word *word, const char *text)
{
	if (number_hex(text, strlen(text), UINT32_MAX, &p->rule->uid))
		return true;
	return mistake_at(p->mistake, word, "-u: '%s' is no hexadecimal number", text);
}

/* A hexadecimal number and the point behind it. */
static bool take_number(const char **text, uint32_t max, uint32_t *value)
{
	size_t len = strcspn(*text, ".");

	if (!(*text)[len] || !number_hex(*text, len, max, value))
		return false;
	*text += len + 1;
	return true;
}

/* The letters of the fields that count; the colon behind them is in @text then. */
static unsigned int take_letters(const char **text, bool fd)
{
	unsigned int given = 0;

	for (; **text && **text != ':'; ++*text) {
		if (**text == 'I')
			given |= BIT(CAN_GW_A_OPERAND_ID);
		else if (**text == 'L')
			given |= BIT(CAN_GW_A_OPERAND_LEN);
		else if (**text == 'D')
			given |= BIT(CAN_GW_A_OPERAND_DATA);
		else if (**text == 'F' && fd)
			given |= BIT(CAN_GW_A_OPERAND_FLAGS);
		else
			return 0;
	}
	return given;
}

static bool take_values(struct operand *operand, const char *text, bool fd)
{
	operand->data_len = fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
	return take_number(&text, UINT32_MAX, &operand->value[CAN_GW_A_OPERAND_ID]) &&
	       (!fd || take_number(&text, UINT8_MAX, &operand->value[CAN_GW_A_OPERAND_FLAGS])) &&
	       take_number(&text, UINT8_MAX, &operand->value[CAN_GW_A_OPERAND_LEN]) &&
	       number_plain_bytes(text, operand->data, operand->data_len) &&
	       !text[2 * operand->data_len];
}

static enum operation find_instruction(const char *text, size_t len)
{
	enum operation op = 0;

	while (op < OPERATIONS &&
	       (strlen(instructions[op]) != len || memcmp(instructions[op], text, len)))
		op++;
	return op;
}

/* INSTRUCTION:LETTERS:ID.DLC.DATA, for CAN FD INSTRUCTION:LETTERS:ID.FLAGS.LEN.DATA */
static bool take_modification(struct parser *p, const struct word *word, const char *text, bool fd)
{
	const char option = fd ? 'M' : 'm', *values = strchr(text, ':');
	struct operand *operand;
	enum operation op;

	op = values ? find_instruction(text, values - text) : OPERATIONS;
	if (op == OPERATIONS)
		return mistake_at(p->mistake, word,
				  "-%c: '%.40s' does not begin with AND:, OR:, XOR: or SET:",
				  option, text);
	operand = &p->rule->operands[op];
	if (operand->given)
		return mistake_at(p->mistake, word, "-%c: %s is there twice", option,
				  instructions[op]);
	values++;
	operand->given = take_letters(&values, fd);
	if (!operand->given || !*values)
		return mistake_at(p->mistake, word,
				  "-%c: behind %s: come the letters of fields, of %s, and a colon",
				  option, instructions[op], fd ? "IFLD" : "ILD");
	if (!take_values(operand, values + 1, fd))
		return mistake_at(p->mistake, word,
				  "-%c: '%.60s' does not end in %s with %d bytes of data",
				  option, text, fd ? "ID.FLAGS.LEN.DATA" : "ID.DLC.DATA",
				  fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN);
	for (unsigned int i = 1; i <= CAN_GW_A_OPERAND_MAX; i++)
		p->first[op][i] = word;
	return true;
}

/* A place and the colon behind it. */
static bool take_place(const char **text, int32_t *place)
{
	const char *end;

	if (!number_signed(*text, INT8_MIN, INT8_MAX, place, &end) || *end != ':')
		return false;
	*text = end + 1;
	return true;
}

static bool take_places(const char **text, struct places *places)
{
	return take_place(text, &places->from) && take_place(text, &places->to) &&
	       take_place(text, &places->result);
}

static bool take_byte(const char **text, uint8_t *byte)
{
	size_t len = strcspn(*text, ":");
	uint32_t value;

	if (!number_hex(*text, len, UINT8_MAX, &value))
		return false;
	*byte = value;
	*text += len;
	return true;
}

static bool take_xor(struct parser *p, const struct word *word, const char *text)
{
	struct xor_checksum *xor = &p->rule->xor;
	const char *at = text;

	xor->given = true;
	if (take_places(&at, &xor->places) && take_byte(&at, &xor->init) && !*at)
		return true;
	return mistake_at(p->mistake, word, "-x: '%s' is not FROM:TO:RESULT:INIT", text);
}

static bool take_crc8(struct parser *p, const struct word *word, const char *text)
{
	struct crc8_checksum *crc8 = &p->rule->crc8;
	const char *at = text;

	crc8->given = true;
	if (!take_places(&at, &crc8->places) || !take_byte(&at, &crc8->init) || *at++ != ':' ||
	    !take_byte(&at, &crc8->final) || *at++ != ':')
		return mistake_at(p->mistake, word,
				  "-c: '%.40s' is not FROM:TO:RESULT:INIT:XOR:TABLE",
				  text);
	if (!number_plain_bytes(at, crc8->table, CAN_GW_CRC8_TABLE_LEN) ||
	    at[2 * CAN_GW_CRC8_TABLE_LEN])
		return mistake_at(p->mistake, word,
				  "-c: the table does not have %d bytes of 2 hexadecimal digits",
				  CAN_GW_CRC8_TABLE_LEN);
	return true;
}

/* cangw takes one digit for the byte of 1U8, too, and the colon may be missing behind 3. */
static bool take_profile_data(struct crc8_checksum *crc8, const char *text)
{
	unsigned int len = profile_data_len(crc8->profile);

	if (!len)
		return !*text || !strcmp(text, ":");
	if (*text++ != ':')
		return false;
	if (len == 1)
		return take_byte(&text, &crc8->profile_data[0]) && !*text;
	return number_plain_bytes(text, crc8->profile_data, len) && !text[2 * len];
}

static bool take_profile(struct parser *p, const struct word *word, const char *text)
{
	struct crc8_checksum *crc8 = &p->rule->crc8;

	if (*text < '1' || *text > '0' + CAN_GW_CRC8_PROFILE_SFFID_XOR)
		return mistake_at(p->mistake, word,
				  "-p: '%s' does not begin with a profile, 1 to %d",
				  text, CAN_GW_CRC8_PROFILE_SFFID_XOR);
	crc8->profile = *text - '0';
	if (!take_profile_data(crc8, text + 1))
		return mistake_at(p->mistake, word,
				  "-p: profile %c has %u bytes of data, not '%s'", *text,
				  profile_data_len(crc8->profile), text + 1);
	return true;
}

static bool take_argument(struct parser *p, const struct word *word, char option, const char *text)
{
	switch (option) {
	case 's':
		return parser_interface(p, &(struct word){ (char *)text, word->line, word->column },
					p->rule->source);
	case 'd':
		return parser_interface(p, &(struct word){ (char *)text, word->line, word->column },
					p->rule->destination);
	case 'f':
		return take_filter(p, word, text);
	case 'l':
		return take_hops(p, word, text);
	case 'u':
		return take_uid(p, word, text);
	case 'x':
		return take_xor(p, word, text);
	case 'c':
		return take_crc8(p, word, text);
	case 'p':
		return take_profile(p, word, text);
	default:
		return take_modification(p, word, text, option == 'M');
	}
}

/* Options without an argument; -A is what a line of "cangw -L" begins with. */
static bool take_switch(struct parser *p, const struct word *word, char option)
{
	switch (option) {
	case 'A':
		return true;
	case 'e':
		p->rule->flags |= CAN_GW_FLAGS_ECHO;
		return true;
	case 't':
		p->rule->flags |= CAN_GW_FLAGS_SRC_TSTAMP;
		return true;
	case 'i':
		p->rule->flags |= CAN_GW_FLAGS_RETURN;
		return true;
	case 'X':
		p->rule->frames = CAN_GW_FRAMES_FD;
		return true;
	case 'D':
	case 'F':
	case 'L':
		return mistake_at(p->mistake, word, "cangw -%c is not a rule", option);
	}
	return mistake_at(p->mistake, word, "cangw has no option -%c", option);
}

/* An option for each letter, bit by bit: letters of both cases, and those of arguments. */
static unsigned int option_bit(char option)
{
	static const char letters[] = "AetiXsdfluxcp";
	const char *at = strchr(letters, option);

	return at ? BIT(at - letters) : 0;
}

/* Options may stand together, the last of them with its argument, as getopt(3) has it. */
static bool take_options(struct parser *p, const struct word *word)
{
	for (const char *at = word->text + 1; *at; at++) {
		unsigned char option = *at;

		if (p->seen & option_bit(option))
			return mistake_at(p->mistake, word, "-%c is there twice", option);
		p->seen |= option_bit(option);
		if (option >= ARRAY_SIZE(arguments) || !arguments[option]) {
			if (!take_switch(p, word, option))
				return false;
			continue;
		}
		if (at[1])
			return take_argument(p, word, option, at + 1);
		word = parser_word(p, arguments[option]);
		return word && take_argument(p, word, option, word->text);
	}
	return true;
}

/* What only makes sense together. */
static bool check(struct parser *p)
{
	struct rule *rule = p->rule;
	const struct word *word = p->words->word;
	bool fd = rule->frames == CAN_GW_FRAMES_FD;

	for (int i = 0; i < OPERATIONS; i++) {
		if (!rule->operands[i].given)
			continue;
		if (fd != (rule->operands[i].data_len == CANFD_MAX_DLEN))
			return mistake_at(p->mistake, p->first[i][CAN_GW_A_OPERAND_ID], fd ?
					  "with -X, modifications are -M and not -m" :
					  "-M needs -X; without it, modifications are -m");
	}
	if (rule->crc8.profile && !rule->crc8.given)
		return mistake_in(p->mistake, word, "-p needs -c");
	return true;
}

/* Without a modification, the rules of cangw have no uid, whatever it is given. */
static void drop_uid(struct rule *rule)
{
	unsigned int given = 0;

	for (int i = 0; i < OPERATIONS; i++)
		given |= rule->operands[i].given;
	if (!given)
		rule->uid = 0;
}

bool cangw_form(struct parser *p)
{
	const struct word *word = &p->words->word[0];

	p->at = !strcmp(word->text, "cangw");
	while (p->at < p->words->count) {
		word = &p->words->word[p->at++];
		if (word->text[0] != '-' || !word->text[1])
			return mistake_at(p->mistake, word, "'%s' is not an option of cangw",
					  word->text);
		if (!take_options(p, word))
			return false;
	}
	drop_uid(p->rule);
	return check(p);
}
