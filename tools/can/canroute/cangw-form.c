// SPDX-License-Identifier: GPL-2.0-only
/*
 * A rule with the options of cangw(1), as "cangw -A" takes and "cangw -L" prints them.
 * cangw ignores characters after a number and truncates large values; this parser
 * rejects both.
 */
#include <stdlib.h>
#include <string.h>

#include "cangw-form.h"
#include "number.h"
#include "parser.h"

/* The argument of each option, for the message when it is missing. */
static const char *const arguments[] = {
	['s'] = "source interface",
	['d'] = "destination interface",
	['f'] = "filter",
	['l'] = "hop limit",
	['u'] = "uid",
	['m'] = "modification",
	['M'] = "modification",
	['x'] = "checksum",
	['c'] = "checksum",
	['p'] = "profile",
};

static const char *const operators[OPERATIONS] = { "AND", "OR", "XOR", "SET" };

/* CAN_ID:MASK, or CAN_ID~MASK for an inverted filter */
static bool parse_filter(struct parser *p, const struct token *token, const char *text)
{
	size_t len = strcspn(text, ":~");
	struct rule *rule = p->rule;

	if (!text[len] || !number_hex(text, len, UINT32_MAX, &rule->filter_id) ||
	    !number_hex(text + len + 1, strlen(text + len + 1), UINT32_MAX, &rule->filter_mask))
		return parser_error(p, token,
				    "-f: invalid filter '%s', expected ID:MASK or ID~MASK",
				    text);
	if (text[len] == '~')
		rule->filter_id |= CAN_INV_FILTER;
	rule->filtered = true;
	return true;
}

static bool parse_hop_limit(struct parser *p, const struct token *token, const char *text)
{
	uint64_t hops;

	if (!number_decimal(text, UINT8_MAX, &hops) || !hops)
		return parser_error(p, token,
				    "-l: hop limit must be a number from 1 to %d, not '%s'",
				    UINT8_MAX, text);
	p->rule->hop_limit = hops;
	return true;
}

/* As in cangw, 0 means no uid. */
static bool parse_uid(struct parser *p, const struct token *token, const char *text)
{
	if (number_hex(text, strlen(text), UINT32_MAX, &p->rule->uid))
		return true;
	return parser_error(p, token, "-u: invalid hexadecimal number '%s'", text);
}

/* A hexadecimal number and the dot after it */
static bool parse_number(const char **text, uint32_t max, uint32_t *value)
{
	size_t len = strcspn(*text, ".");

	if (!(*text)[len] || !number_hex(*text, len, max, value))
		return false;
	*text += len + 1;
	return true;
}

/* The letters of the modified fields; @text then points to the colon after them. */
static unsigned int parse_letters(const char **text, bool fd)
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

static bool parse_values(struct operand *operand, const char *text, bool fd)
{
	operand->data_len = fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN;
	return parse_number(&text, UINT32_MAX, &operand->value[CAN_GW_A_OPERAND_ID]) &&
	       (!fd || parse_number(&text, UINT8_MAX, &operand->value[CAN_GW_A_OPERAND_FLAGS])) &&
	       parse_number(&text, UINT8_MAX, &operand->value[CAN_GW_A_OPERAND_LEN]) &&
	       number_plain_bytes(text, operand->data, operand->data_len) &&
	       !text[2 * operand->data_len];
}

static enum operation find_operator(const char *text, size_t len)
{
	enum operation op = 0;

	while (op < OPERATIONS &&
	       (strlen(operators[op]) != len || memcmp(operators[op], text, len)))
		op++;
	return op;
}

/* INSTRUCTION:LETTERS:ID.DLC.DATA, for CAN FD INSTRUCTION:LETTERS:ID.FLAGS.LEN.DATA */
static bool parse_modification(struct parser *p, const struct token *token, const char *text,
			       bool fd)
{
	const char option = fd ? 'M' : 'm', *values = strchr(text, ':');
	struct operand *operand;
	enum operation op;

	op = values ? find_operator(text, values - text) : OPERATIONS;
	if (op == OPERATIONS)
		return parser_error(p, token,
				    "-%c: '%.40s' does not begin with AND:, OR:, XOR: or SET:",
				    option, text);
	operand = &p->rule->operands[op];
	if (operand->given)
		return parser_error(p, token, "-%c: duplicate %s", option,
				    operators[op]);
	values++;
	operand->given = parse_letters(&values, fd);
	if (!operand->given || !*values)
		return parser_error(p, token,
				    "-%c: letters of %s and a colon required after %s:",
				    option, fd ? "IFLD" : "ILD", operators[op]);
	if (!parse_values(operand, values + 1, fd))
		return parser_error(p, token,
				    "-%c: '%.60s' does not end in %s with %d bytes of data",
				    option, text, fd ? "ID.FLAGS.LEN.DATA" : "ID.DLC.DATA",
				    fd ? CANFD_MAX_DLEN : CAN_MAX_DLEN);
	for (unsigned int i = 1; i <= CAN_GW_A_OPERAND_MAX; i++)
		p->first[op][i] = token;
	return true;
}

/* An offset and the colon after it */
static bool parse_offset(const char **text, int32_t *offset)
{
	const char *end;

	if (!number_signed(*text, INT8_MIN, INT8_MAX, offset, &end) || *end != ':')
		return false;
	*text = end + 1;
	return true;
}

static bool parse_offsets(const char **text, struct checksum_offsets *offsets)
{
	return parse_offset(text, &offsets->from) && parse_offset(text, &offsets->to) &&
	       parse_offset(text, &offsets->result);
}

static bool parse_byte(const char **text, uint8_t *byte)
{
	size_t len = strcspn(*text, ":");
	uint32_t value;

	if (!number_hex(*text, len, UINT8_MAX, &value))
		return false;
	*byte = value;
	*text += len;
	return true;
}

static bool parse_xor(struct parser *p, const struct token *token, const char *text)
{
	struct xor_checksum *xor = &p->rule->xor;
	const char *at = text;

	xor->given = true;
	if (parse_offsets(&at, &xor->offsets) && parse_byte(&at, &xor->init) && !*at)
		return true;
	return parser_error(p, token, "-x: invalid checksum '%s', expected FROM:TO:RESULT:INIT",
			    text);
}

static bool parse_crc8(struct parser *p, const struct token *token, const char *text)
{
	struct crc8_checksum *crc8 = &p->rule->crc8;
	const char *at = text;

	crc8->given = true;
	if (!parse_offsets(&at, &crc8->offsets) || !parse_byte(&at, &crc8->init) || *at++ != ':' ||
	    !parse_byte(&at, &crc8->final) || *at++ != ':')
		return parser_error(p, token,
				    "-c: invalid checksum '%.40s', expected FROM:TO:RESULT:INIT:XOR:TABLE",
				    text);
	if (!number_plain_bytes(at, crc8->table, CAN_GW_CRC8_TABLE_LEN) ||
	    at[2 * CAN_GW_CRC8_TABLE_LEN])
		return parser_error(p, token,
				    "-c: table must have %d bytes of 2 hexadecimal digits",
				    CAN_GW_CRC8_TABLE_LEN);
	return true;
}

/* As in cangw, the byte of 1U8 may have one digit, and the colon after 3 is optional. */
static bool parse_profile_data(struct crc8_checksum *crc8, const char *text)
{
	unsigned int len = profile_data_len(crc8->profile);

	if (!len)
		return !*text || !strcmp(text, ":");
	if (*text++ != ':')
		return false;
	if (len == 1)
		return parse_byte(&text, &crc8->profile_data[0]) && !*text;
	return number_plain_bytes(text, crc8->profile_data, len) && !text[2 * len];
}

static bool parse_profile(struct parser *p, const struct token *token, const char *text)
{
	struct crc8_checksum *crc8 = &p->rule->crc8;

	if (*text < '1' || *text > '0' + CAN_GW_CRC8_PROFILE_SFFID_XOR)
		return parser_error(p, token,
				    "-p: invalid profile '%s', expected 1 to %d",
				    text, CAN_GW_CRC8_PROFILE_SFFID_XOR);
	crc8->profile = *text - '0';
	if (!parse_profile_data(crc8, text + 1))
		return parser_error(p, token,
				    "-p: profile %c requires %u bytes of data, not '%s'", *text,
				    profile_data_len(crc8->profile), text + 1);
	return true;
}

static bool parse_argument(struct parser *p, const struct token *token, char option,
			   const char *text)
{
	struct token argument = { (char *)text, token->line, token->column };

	switch (option) {
	case 's':
		return parser_interface(p, &argument, p->rule->source);
	case 'd':
		return parser_interface(p, &argument, p->rule->destination);
	case 'f':
		return parse_filter(p, token, text);
	case 'l':
		return parse_hop_limit(p, token, text);
	case 'u':
		return parse_uid(p, token, text);
	case 'x':
		return parse_xor(p, token, text);
	case 'c':
		return parse_crc8(p, token, text);
	case 'p':
		return parse_profile(p, token, text);
	default:
		return parse_modification(p, token, text, option == 'M');
	}
}

/* Options without an argument. Lines of "cangw -L" begin with -A. */
static bool parse_flag(struct parser *p, const struct token *token, char option)
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
		return parser_error(p, token, "option -%c of cangw is not valid in a rule", option);
	}
	return parser_error(p, token, "unknown option -%c of cangw", option);
}

/* A bit for each option that may be given only once; -m and -M may be repeated. */
static unsigned int option_bit(char option)
{
	static const char letters[] = "AetiXsdfluxcp";
	const char *at = strchr(letters, option);

	return at ? BIT(at - letters) : 0;
}

/* Options may be combined, the last one with its argument, as in getopt(3). */
static bool parse_options(struct parser *p, const struct token *token)
{
	for (const char *at = token->text + 1; *at; at++) {
		unsigned char option = *at;

		if (p->seen & option_bit(option))
			return parser_error(p, token, "duplicate option -%c", option);
		p->seen |= option_bit(option);
		if (option >= ARRAY_SIZE(arguments) || !arguments[option]) {
			if (!parse_flag(p, token, option))
				return false;
			continue;
		}
		if (at[1])
			return parse_argument(p, token, option, at + 1);
		token = parser_token(p, arguments[option]);
		return token && parse_argument(p, token, option, token->text);
	}
	return true;
}

/* Options that require each other */
static bool check_combinations(struct parser *p)
{
	struct rule *rule = p->rule;
	const struct token *token = p->tokens->token;
	bool fd = rule->frames == CAN_GW_FRAMES_FD;

	for (int i = 0; i < OPERATIONS; i++) {
		if (!rule->operands[i].given)
			continue;
		if (fd != (rule->operands[i].data_len == CANFD_MAX_DLEN))
			return parser_error(p, p->first[i][CAN_GW_A_OPERAND_ID], fd ?
					    "-m is not valid with -X, use -M" :
					    "-M requires -X");
	}
	if (rule->crc8.profile && !rule->crc8.given)
		return parser_line_error(p, token, "-p requires -c");
	return true;
}

/* cangw ignores the uid of a rule without a modification. */
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
	const struct token *token = &p->tokens->token[0];

	p->at = !strcmp(token->text, "cangw");
	while (p->at < p->tokens->count) {
		token = &p->tokens->token[p->at++];
		if (token->text[0] != '-' || !token->text[1])
			return parser_error(p, token, "unexpected argument '%s'",
					    token->text);
		if (!parse_options(p, token))
			return false;
	}
	drop_uid(p->rule);
	return check_combinations(p);
}
