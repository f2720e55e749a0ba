// SPDX-License-Identifier: GPL-2.0-only
/*
 * The long form of a rule:
 *
 *	from can0 to can1 frames fd id 123/7FF echo and id=7FF set len=8
 *	crc8 0..6 at 7 poly 1D init FF
 *
 * Phrases may be in any order. Each begins with its own keyword and consumes the tokens
 * that belong to it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "crc8.h"
#include "long-form.h"
#include "number.h"
#include "parser.h"

/*
 * An identifier with eight digits is extended, as in cansend(1). After 0x, the number is
 * taken unchanged.
 */
static bool parse_id(struct parser *p, const struct token *token, const char *text, uint32_t *id)
{
	size_t len = strlen(text);
	bool raw = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2);

	if (!raw && len != 3 && len != 8)
		return parser_error(p, token,
				    "invalid identifier '%s', expected 3 hexadecimal digits, or 8 for an extended one",
				    text);
	if (!number_hex(text, len, len == 3 ? CAN_SFF_MASK : UINT32_MAX, id))
		return parser_error(p, token, "invalid identifier '%s'", text);
	if (!raw && len == 8 && *id <= CAN_EFF_MASK)
		*id |= CAN_EFF_FLAG;
	return true;
}

static bool parse_hex(struct parser *p, const struct token *token, const char *text, uint32_t max,
		      uint32_t *value)
{
	if (number_hex(text, strlen(text), max, value))
		return true;
	return parser_error(p, token, "invalid hexadecimal number '%s', maximum is %X", text, max);
}

static bool parse_u8(struct parser *p, const char *what, uint8_t *value)
{
	const struct token *token = parser_token(p, what);
	uint32_t number;

	if (!token || !parse_hex(p, token, token->text, UINT8_MAX, &number))
		return false;
	*value = number;
	return true;
}

/* One of @count names; @what lists them for the message. */
static bool parse_choice(struct parser *p, const char *what, const char *const names[],
			 unsigned int count, uint32_t *choice)
{
	const struct token *token = parser_token(p, what);

	for (*choice = 0; token && *choice < count; ++*choice)
		if (!strcmp(token->text, names[*choice]))
			return true;
	return token && parser_error(p, token, "unexpected '%s', expected %s",
				     token->text, what);
}

/* Consume the next token if it is @text. */
static bool accept_keyword(struct parser *p, const char *text)
{
	if (p->at == p->tokens->count || strcmp(p->tokens->token[p->at].text, text))
		return false;
	p->at++;
	return true;
}

static bool phrase_from(struct parser *p)
{
	const struct token *token = parser_token(p, "interface");

	return token && parser_interface(p, token, p->rule->source);
}

static bool phrase_to(struct parser *p)
{
	const struct token *token = parser_token(p, "interface");

	return token && parser_interface(p, token, p->rule->destination);
}

static bool phrase_frames(struct parser *p)
{
	static const char *const names[FRAME_TYPES] = { "cc", "fd", "xl" };

	return parse_choice(p, "cc, fd or xl", names, FRAME_TYPES, &p->rule->frames);
}

static bool phrase_name(struct parser *p)
{
	const struct token *token = parser_token(p, "name");
	size_t len = token ? strlen(token->text) : 0;

	if (!token)
		return false;
	if (!len || len > CAN_GW_MAX_NAME_LEN)
		return parser_error(p, token,
				    "name must have 1 to %d bytes", CAN_GW_MAX_NAME_LEN);
	memcpy(p->rule->name, token->text, len + 1);
	return true;
}

static bool phrase_echo(struct parser *p)
{
	p->rule->flags |= CAN_GW_FLAGS_ECHO;
	return true;
}

static bool phrase_keep_time(struct parser *p)
{
	p->rule->flags |= CAN_GW_FLAGS_SRC_TSTAMP;
	return true;
}

static bool phrase_return(struct parser *p)
{
	p->rule->flags |= CAN_GW_FLAGS_RETURN;
	return true;
}

static bool phrase_express(struct parser *p)
{
	p->rule->express = true;
	return true;
}

static bool phrase_lifetime(struct parser *p)
{
	p->lifetime = parser_token(p, "duration");
	if (!p->lifetime)
		return false;
	return (cli_parse_duration(p->lifetime->text, &p->rule->lifetime) && p->rule->lifetime) ||
	       parser_error(p, p->lifetime,
			    "lifetime must be a duration above 0, such as 200us or 50ms, not '%s'",
			    p->lifetime->text);
}

static bool phrase_hop_limit(struct parser *p)
{
	const struct token *token = parser_token(p, "number");
	uint64_t limit;

	if (!token)
		return false;
	if (!number_decimal(token->text, UINT8_MAX, &limit) || !limit)
		return parser_error(p, token, "hop limit must be a number from 1 to %d, not '%s'",
				    UINT8_MAX, token->text);
	p->rule->hop_limit = limit;
	return true;
}

static bool phrase_uid(struct parser *p)
{
	const struct token *token = parser_token(p, "hexadecimal number");

	if (!token || !parse_hex(p, token, token->text, UINT32_MAX, &p->rule->uid))
		return false;
	return p->rule->uid || parser_error(p, token, "uid must not be 0");
}

static bool set_filter(struct parser *p, const struct token *token, bool xl, uint32_t id,
		       uint32_t mask)
{
	if (p->filter && p->xl_filter != xl)
		return parser_error(p, token,
				    "'id' cannot be combined with 'prio' or 'vcid'");
	p->filter = token;
	p->xl_filter = xl;
	p->rule->filtered = true;
	p->rule->filter_id |= id;
	p->rule->filter_mask |= mask;
	return true;
}

static bool phrase_not(struct parser *p)
{
	const struct token *token = parser_token(p, "filter");

	if (!token)
		return false;
	p->at--;
	p->rule->filter_id |= CAN_INV_FILTER;
	if (strcmp(token->text, "id") && strcmp(token->text, "prio") && strcmp(token->text, "vcid"))
		return parser_error(p, token,
				    "id, prio or vcid required after 'not'");
	return true;
}

/* A filter for one identifier: remote frames if it has their flag, else data frames */
static bool parse_exact(struct parser *p, const struct token *token, uint32_t *id, uint32_t *mask)
{
	if (!parse_id(p, token, token->text, id))
		return false;
	if (!(*id & (CAN_EFF_FLAG | CAN_INV_FILTER)) && (*id & ~CAN_RTR_FLAG) > CAN_SFF_MASK)
		return parser_error(p, token,
				    "identifier '%s' above 7FF requires the flag 80000000 of extended frames",
				    token->text);
	*mask = *id & CAN_EFF_FLAG ? RULE_ONE_EFF : RULE_ONE_SFF;
	return true;
}

/*
 * Without a mask, eight digits are an extended identifier. With a mask, cangw takes the
 * same digits unchanged: standard and extended frames can match. If the mask has the flag
 * of extended frames, an identifier above 7FF matches nothing. @p->ambiguous is set if the
 * digits can mean either; it is an error unless the rule turns out to be for CAN XL.
 */
static bool parse_masked(struct parser *p, const struct token *token, const char *slash,
			 uint32_t *id, uint32_t *mask)
{
	size_t len = slash - token->text;

	if (!number_hex(token->text, len, UINT32_MAX, id) ||
	    !number_hex(slash + 1, strlen(slash + 1), UINT32_MAX, mask))
		return parser_error(p, token,
				    "invalid filter '%s', expected hexadecimal ID/MASK",
				    token->text);
	p->ambiguous = len == 8 && token->text[1] != 'x' && token->text[1] != 'X' &&
		     *id <= CAN_EFF_MASK &&
		     (!(*mask & CAN_EFF_FLAG) || *id > CAN_SFF_MASK);
	return true;
}

static bool phrase_id(struct parser *p)
{
	const struct token *token = parser_token(p, "identifier");
	const char *slash = token ? strchr(token->text, '/') : NULL;
	uint32_t id, mask;

	if (!token)
		return false;
	p->exact = !slash;
	if (p->exact ? !parse_exact(p, token, &id, &mask) :
	    !parse_masked(p, token, slash, &id, &mask))
		return false;
	if (id & CAN_INV_FILTER)
		return parser_error(p, token,
				    "bit %X is not valid in an identifier; use 'not' to invert the filter",
				    CAN_INV_FILTER);
	return set_filter(p, token, false, id, mask);
}

/* One of the two values in a filter for CAN XL frames */
static bool parse_xl_filter(struct parser *p, const char *what, uint32_t max, int shift)
{
	const struct token *token = parser_token(p, what);
	const char *slash = token ? strchr(token->text, '/') : NULL;
	size_t len = token ? strlen(token->text) : 0;
	uint32_t value, mask = max;

	if (!token)
		return false;
	if (slash)
		len = slash - token->text;
	if (!number_hex(token->text, len, max, &value) ||
	    (slash && !number_hex(slash + 1, strlen(slash + 1), max, &mask)))
		return parser_error(p, token,
				    "invalid %s '%s', expected a hexadecimal number up to %X, or NUMBER/MASK",
				    what, token->text, max);
	return set_filter(p, token, true, value << shift, mask << shift);
}

static bool phrase_prio(struct parser *p)
{
	return parse_xl_filter(p, "priority", RULE_XL_PRIO, 0);
}

static bool phrase_vcid(struct parser *p)
{
	return parse_xl_filter(p, "VCID", UINT8_MAX, RULE_XL_VCID_SHIFT);
}

/* Extend the operand to @len bytes with values that change nothing. */
static void extend_data(struct operand *operand, enum operation op, unsigned int len)
{
	operand->given |= BIT(CAN_GW_A_OPERAND_DATA);
	while (operand->data_len < len)
		operand->data[operand->data_len++] = operation_neutral(op);
}

/* OP data[N]=BYTES. The bytes of 'set' are stored until all operations have been parsed. */
static bool parse_data_at(struct parser *p, enum operation op, const struct token *token,
			  const char *index)
{
	struct operand *operand = &p->rule->operands[op];
	uint8_t bytes[CAN_GW_MAX_DATA];
	const char *end;
	int32_t offset;
	size_t len;

	if (!number_signed(index, 0, RULE_OFFSET_MAX, &offset, &end) || strncmp(end, "]=", 2))
		return parser_error(p, token,
				    "invalid field '%s', expected data[N]=BYTES", token->text);
	len = number_bytes(end + 2, bytes, CAN_GW_MAX_DATA - offset);
	if (!len)
		return parser_error(p, token,
				    "invalid data in '%s', expected bytes of 2 hexadecimal digits",
				    token->text);
	if (op == OPERATION_SET) {
		p->bytes_token = token;
		for (; p->bytes_len < offset + len; p->bytes_len++)
			p->set[p->bytes_len] = false;
		for (size_t i = 0; i < len; i++) {
			if (p->set[offset + i])
				return parser_error(p, token, "duplicate value for data[%zu]",
						    offset + i);
			p->set[offset + i] = true;
			p->bytes[offset + i] = bytes[i];
		}
		return true;
	}
	extend_data(operand, op, offset + len);
	for (size_t i = 0; i < len; i++) {
		if (operand->data[offset + i] != operation_neutral(op))
			return parser_error(p, token, "duplicate value for data[%zu]", offset + i);
		operand->data[offset + i] = bytes[i];
	}
	if (!p->first[op][CAN_GW_A_OPERAND_DATA])
		p->first[op][CAN_GW_A_OPERAND_DATA] = token;
	return true;
}

static bool parse_data(struct parser *p, enum operation op, const struct token *token,
		       const char *text)
{
	struct operand *operand = &p->rule->operands[op];

	operand->data_len = number_bytes(text, operand->data, CAN_GW_MAX_DATA);
	if (operand->data_len)
		return true;
	return parser_error(p, token,
			    "invalid data in '%s', expected bytes of 2 hexadecimal digits, at most %d",
			    token->text, CAN_GW_MAX_DATA);
}

static bool parse_value(struct parser *p, enum operation op, const struct token *token,
			unsigned int attr, const char *text)
{
	uint32_t *value = &p->rule->operands[op].value[attr];
	uint64_t number;

	if (attr == CAN_GW_A_OPERAND_ID && op == OPERATION_SET)
		return parse_id(p, token, text, value);
	if (fields[attr].digits)
		return parse_hex(p, token, text, fields[attr].max, value);
	if (!number_decimal(text, fields[attr].max, &number))
		return parser_error(p, token, "invalid number '%s', maximum is %u", text,
				    fields[attr].max);
	*value = number;
	return true;
}

/*
 * The attribute of FIELD, 0 if it is unknown; @value points after the '='. sec is the only
 * flag of CAN XL frames that rules can change.
 */
static unsigned int find_field(const char *text, const char **value)
{
	const char *sign = strchr(text, '=');
	size_t len = sign - text;

	*value = sign + 1;
	if (len == strlen("sec") && !memcmp(text, "sec", len))
		return CAN_GW_A_OPERAND_FLAGS;
	for (unsigned int i = 1; i <= CAN_GW_A_OPERAND_MAX; i++)
		if (len == strlen(fields[i].name) && !memcmp(text, fields[i].name, len))
			return i;
	return 0;
}

static bool parse_sec(struct parser *p, enum operation op, const struct token *token,
		      const char *text)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return parser_error(p, token, "sec must be 0 or 1");
	p->rule->operands[op].value[CAN_GW_A_OPERAND_FLAGS] = *text == '1' ? CANXL_SEC : 0;
	return true;
}

static bool parse_field(struct parser *p, enum operation op, const struct token *token)
{
	struct operand *operand = &p->rule->operands[op];
	const char *value;
	unsigned int attr;

	if (!strncmp(token->text, "data[", 5))
		return parse_data_at(p, op, token, token->text + 5);
	attr = find_field(token->text, &value);
	if (!attr)
		return parser_error(p, token,
				    "unknown field '%.*s', expected id, len, flags, prio, vcid, sdt, af, sec or data",
				    (int)(value - token->text - 1), token->text);
	if (operand->given & BIT(attr))
		return parser_error(p, token, "duplicate '%s %s'", operation_names[op],
				    fields[attr].name);
	operand->given |= BIT(attr);
	p->first[op][attr] = token;
	if (attr == CAN_GW_A_OPERAND_DATA)
		return parse_data(p, op, token, value);
	if (token->text[0] == 's' && attr == CAN_GW_A_OPERAND_FLAGS)
		return parse_sec(p, op, token, value);
	return parse_value(p, op, token, attr, value);
}

static bool parse_operation(struct parser *p, enum operation op)
{
	const struct token *token = parser_token(p, "FIELD=VALUE");

	if (!token)
		return false;
	if (!strchr(token->text, '='))
		return parser_error(p, token, "unexpected '%s', expected FIELD=VALUE", token->text);
	for (;;) {
		if (!parse_field(p, op, token))
			return false;
		if (p->at == p->tokens->count || !strchr(p->tokens->token[p->at].text, '='))
			return true;
		token = &p->tokens->token[p->at++];
	}
}

static bool phrase_and(struct parser *p)
{
	return parse_operation(p, OPERATION_AND);
}

static bool phrase_or(struct parser *p)
{
	return parse_operation(p, OPERATION_OR);
}

static bool phrase_xor(struct parser *p)
{
	return parse_operation(p, OPERATION_XOR);
}

static bool phrase_set(struct parser *p)
{
	return parse_operation(p, OPERATION_SET);
}

/* FROM..TO at RESULT */
static bool parse_offsets(struct parser *p, struct checksum_offsets *offsets)
{
	const struct token *token = parser_token(p, "FIRST..LAST at OFFSET");
	const char *end = NULL;

	if (!token)
		return false;
	if (!number_signed(token->text, RULE_OFFSET_MIN, RULE_OFFSET_MAX, &offsets->from, &end) ||
	    strncmp(end, "..", 2) ||
	    !number_signed(end + 2, RULE_OFFSET_MIN, RULE_OFFSET_MAX, &offsets->to, &end) || *end)
		return parser_error(p, token,
				    "invalid range '%s', expected byte offsets such as 0..6 or 0..-2",
				    token->text);
	token = parser_token(p, "'at' and an offset");
	if (!token)
		return false;
	if (strcmp(token->text, "at"))
		return parser_error(p, token, "unexpected '%s', expected 'at' and an offset", token->text);
	token = parser_token(p, "offset of the checksum");
	if (!token)
		return false;
	if (!number_signed(token->text, RULE_OFFSET_MIN, RULE_OFFSET_MAX, &offsets->result, &end) ||
	    *end)
		return parser_error(p, token, "invalid byte offset '%s'", token->text);
	return true;
}

static bool phrase_xor_checksum(struct parser *p)
{
	struct xor_checksum *xor = &p->rule->xor;

	xor->given = true;
	return parse_offsets(p, &xor->offsets) &&
	       (!accept_keyword(p, "init") || parse_u8(p, "byte", &xor->init));
}

static bool parse_table(struct parser *p, uint8_t table[CAN_GW_CRC8_TABLE_LEN])
{
	const struct token *token = parser_token(p, "table");

	if (!token)
		return false;
	if (number_bytes(token->text, table, CAN_GW_CRC8_TABLE_LEN) == CAN_GW_CRC8_TABLE_LEN)
		return true;
	return parser_error(p, token, "table must have %d bytes of 2 hexadecimal digits",
			    CAN_GW_CRC8_TABLE_LEN);
}

static bool parse_poly(struct parser *p, uint8_t table[CAN_GW_CRC8_TABLE_LEN])
{
	uint8_t poly;

	if (!parse_u8(p, "polynomial", &poly))
		return false;
	crc8_table(table, poly, accept_keyword(p, "reflected"));
	return true;
}

static bool parse_profile(struct parser *p, struct crc8_checksum *crc8)
{
	const struct token *token;
	unsigned int len;

	if (!parse_choice(p, "none, 1u8, 16u8 or sffid-xor", profile_names, PROFILES,
			  &crc8->profile))
		return false;
	len = profile_data_len(crc8->profile);
	if (!len)
		return true;
	token = parser_token(p, "profile data");
	if (!token)
		return false;
	if (number_bytes(token->text, crc8->profile_data, len) == len)
		return true;
	return parser_error(p, token,
			    "profile %s requires %u bytes of data, 2 hexadecimal digits each",
			    profile_names[crc8->profile], len);
}

/* Keywords after the offsets of a CRC8 */
enum crc8_option {
	CRC8_INIT,
	CRC8_FINAL,
	CRC8_POLY,
	CRC8_TABLE,
	CRC8_PROFILE,
	CRC8_OPTIONS,
};

static const char *const crc8_option_names[CRC8_OPTIONS] = {
	"init", "final", "poly", "table", "profile"
};

static bool parse_crc8_option(struct parser *p, struct crc8_checksum *crc8, enum crc8_option option)
{
	switch (option) {
	case CRC8_INIT:
		return parse_u8(p, "byte", &crc8->init);
	case CRC8_FINAL:
		return parse_u8(p, "byte", &crc8->final);
	case CRC8_POLY:
		return parse_poly(p, crc8->table);
	case CRC8_TABLE:
		return parse_table(p, crc8->table);
	default:
		return parse_profile(p, crc8);
	}
}

static enum crc8_option next_crc8_option(struct parser *p)
{
	enum crc8_option option = 0;

	while (option < CRC8_OPTIONS && !accept_keyword(p, crc8_option_names[option]))
		option++;
	return option;
}

static bool phrase_crc8(struct parser *p)
{
	const struct token *begin = &p->tokens->token[p->at - 1];
	struct crc8_checksum *crc8 = &p->rule->crc8;
	unsigned int seen = 0;
	enum crc8_option option;

	crc8->given = true;
	if (!parse_offsets(p, &crc8->offsets))
		return false;
	while ((option = next_crc8_option(p)) < CRC8_OPTIONS) {
		const struct token *token = &p->tokens->token[p->at - 1];

		if (seen & BIT(option))
			return parser_error(p, token, "duplicate 'crc8 %s'", token->text);
		seen |= BIT(option);
		if (!parse_crc8_option(p, crc8, option))
			return false;
	}
	if (!(seen & BIT(CRC8_POLY)) == !(seen & BIT(CRC8_TABLE)))
		return parser_error(p, begin, "crc8 requires either 'poly' or 'table'");
	return true;
}

/* struct phrase - a keyword and its parser; @again: the keyword may be repeated */
static const struct phrase {
	const char *name;
	bool (*parse)(struct parser *p);
	bool again;
} phrases[] = {
	{ "from", phrase_from, false },
	{ "to", phrase_to, false },
	{ "id", phrase_id, false },
	{ "frames", phrase_frames, false },
	{ "name", phrase_name, false },
	{ "set", phrase_set, true },
	{ "and", phrase_and, true },
	{ "or", phrase_or, true },
	{ "xor", phrase_xor, true },
	{ "echo", phrase_echo, false },
	{ "keep-time", phrase_keep_time, false },
	{ "return", phrase_return, false },
	{ "express", phrase_express, false },
	{ "lifetime", phrase_lifetime, false },
	{ "hop-limit", phrase_hop_limit, false },
	{ "uid", phrase_uid, false },
	{ "not", phrase_not, false },
	{ "prio", phrase_prio, false },
	{ "vcid", phrase_vcid, false },
	{ "crc8", phrase_crc8, false },
	{ "xor-checksum", phrase_xor_checksum, false },
};

static bool parse_phrase(struct parser *p)
{
	const struct token *token = &p->tokens->token[p->at++];
	unsigned int i = 0;

	while (i < ARRAY_SIZE(phrases) && strcmp(token->text, phrases[i].name))
		i++;
	if (i == ARRAY_SIZE(phrases))
		return parser_error(p, token, "unknown keyword '%s'; see 'canroute help rule'",
				    token->text);
	if (p->seen & BIT(i) && !phrases[i].again)
		return parser_error(p, token, "duplicate '%s'", token->text);
	p->seen |= BIT(i);
	return phrases[i].parse(p);
}

static bool check_filter(struct parser *p)
{
	uint32_t id = p->rule->filter_id & ~CAN_INV_FILTER, mask = p->rule->filter_mask;
	bool xl = p->rule->frames == CAN_GW_FRAMES_XL;

	if (p->xl_filter && !xl)
		return parser_error(p, p->filter,
				    "%s frames have neither priority nor VCID; filter them by 'id'",
				    frame_types[p->rule->frames].title);
	if (p->exact && xl)
		return parser_error(p, p->filter,
				    "CAN XL frames have no identifier; filter them by 'prio' and 'vcid'");
	if (p->ambiguous && !xl)
		return parser_error(p, p->filter,
				    "'%s' is ambiguous: write %08X/%X for extended frames only, 0x%X/%X for the meaning in cangw",
				    p->filter->text, id | CAN_EFF_FLAG, mask | CAN_EFF_FLAG, id,
				    mask);
	return true;
}

static bool check_lifetime(struct parser *p)
{
	return !p->lifetime || p->rule->express ||
	       parser_error(p, p->lifetime, "'lifetime' requires 'express'");
}

/*
 * A single byte is set with 'and' and 'or', which leave the other bytes unchanged. No other
 * operation may change the same byte.
 */
static bool set_bytes(struct parser *p)
{
	struct operand *op = p->rule->operands;

	if (op[OPERATION_SET].given & BIT(CAN_GW_A_OPERAND_DATA))
		return parser_error(p, p->bytes_token, "data[N] and data cannot both be set");
	for (unsigned int i = 0; i < p->bytes_len; i++) {
		if (!p->set[i])
			continue;
		for (int j = 0; j < OPERATION_SET; j++)
			if (i < op[j].data_len && op[j].data[i] != operation_neutral(j))
				return parser_error(p, p->bytes_token,
						    "data[%u] is set and also changed by '%s'", i,
						    operation_names[j]);
	}
	for (unsigned int i = 0; i < p->bytes_len; i++) {
		if (!p->set[i])
			continue;
		if (p->bytes[i] != 0xFF) {
			extend_data(&op[OPERATION_AND], OPERATION_AND, i + 1);
			op[OPERATION_AND].data[i] = 0;
		}
		if (p->bytes[i]) {
			extend_data(&op[OPERATION_OR], OPERATION_OR, i + 1);
			op[OPERATION_OR].data[i] = p->bytes[i];
		}
	}
	for (int i = 0; i < OPERATION_SET; i++)
		if (!p->first[i][CAN_GW_A_OPERAND_DATA])
			p->first[i][CAN_GW_A_OPERAND_DATA] = p->bytes_token;
	return true;
}

bool long_form(struct parser *p)
{
	while (p->at < p->tokens->count)
		if (!parse_phrase(p))
			return false;
	return check_filter(p) && check_lifetime(p) && (!p->bytes_token || set_bytes(p));
}
