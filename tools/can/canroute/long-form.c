// SPDX-License-Identifier: GPL-2.0-only
/*
 * The long form of a rule:
 *
 *	from can0 to can1 frames fd id 123/7FF echo and id=7FF set len=8
 *	crc8 0..6 at 7 poly 1D init FF
 *
 * Phrases may be in any order. Each begins with a word that no other phrase has, and
 * takes as many words as it needs.
 */
#include <stdlib.h>
#include <string.h>

#include "crc8.h"
#include "long-form.h"
#include "number.h"
#include "parser.h"

/* Identifiers with eight digits are extended ones, as in cansend(1); with 0x, as they are. */
static bool parse_id(struct parser *p, const struct word *word, const char *text, uint32_t *id)
{
	size_t len = strlen(text);
	bool raw = !strncmp(text, "0x", 2) || !strncmp(text, "0X", 2);

	if (!raw && len != 3 && len != 8)
		return mistake_at(p->mistake, word,
				  "'%s' is no identifier: 3 hexadecimal digits, or 8 for an extended one",
				  text);
	if (!number_hex(text, len, len == 3 ? CAN_SFF_MASK : UINT32_MAX, id))
		return mistake_at(p->mistake, word, "'%s' is no identifier", text);
	if (!raw && len == 8 && *id <= CAN_EFF_MASK)
		*id |= CAN_EFF_FLAG;
	return true;
}

static bool parse_hex(struct parser *p, const struct word *word, const char *text, uint32_t max,
		      uint32_t *value)
{
	if (number_hex(text, strlen(text), max, value))
		return true;
	return mistake_at(p->mistake, word, "'%s' is no hexadecimal number up to %X", text, max);
}

static bool parse_u8(struct parser *p, const char *what, uint8_t *value)
{
	const struct word *word = parser_word(p, what);
	uint32_t number;

	if (!word || !parse_hex(p, word, word->text, UINT8_MAX, &number))
		return false;
	*value = number;
	return true;
}

/* One of @count names; what @what says if it is none. */
static bool parse_choice(struct parser *p, const char *what, const char *const names[],
			 unsigned int count, uint32_t *choice)
{
	const struct word *word = parser_word(p, what);

	for (*choice = 0; word && *choice < count; ++*choice)
		if (!strcmp(word->text, names[*choice]))
			return true;
	return word && mistake_at(p->mistake, word, "'%s' should be %s", word->text, what);
}

/* The next word if it is @text. */
static bool parse_this(struct parser *p, const char *text)
{
	if (p->at == p->words->count || strcmp(p->words->word[p->at].text, text))
		return false;
	p->at++;
	return true;
}

static bool phrase_from(struct parser *p)
{
	const struct word *word = parser_word(p, "an interface");

	return word && parser_interface(p, word, p->rule->source);
}

static bool phrase_to(struct parser *p)
{
	const struct word *word = parser_word(p, "an interface");

	return word && parser_interface(p, word, p->rule->destination);
}

static bool phrase_frames(struct parser *p)
{
	static const char *const names[KINDS] = { "cc", "fd", "xl" };

	return parse_choice(p, "cc, fd or xl", names, KINDS, &p->rule->frames);
}

static bool phrase_name(struct parser *p)
{
	const struct word *word = parser_word(p, "a name");
	size_t len = word ? strlen(word->text) : 0;

	if (!word)
		return false;
	if (!len || len > CAN_GW_MAX_NAME_LEN)
		return mistake_at(p->mistake, word,
				  "a name has 1 to %d bytes", CAN_GW_MAX_NAME_LEN);
	memcpy(p->rule->name, word->text, len + 1);
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

static bool phrase_hop_limit(struct parser *p)
{
	const struct word *word = parser_word(p, "a number");
	uint64_t limit;

	if (!word)
		return false;
	if (!number_decimal(word->text, UINT8_MAX, &limit) || !limit)
		return mistake_at(p->mistake, word, "'%s' is no hop limit: a number from 1 to %d",
				  word->text, UINT8_MAX);
	p->rule->hop_limit = limit;
	return true;
}

static bool phrase_uid(struct parser *p)
{
	const struct word *word = parser_word(p, "a hexadecimal number");

	if (!word || !parse_hex(p, word, word->text, UINT32_MAX, &p->rule->uid))
		return false;
	return p->rule->uid || mistake_at(p->mistake, word, "a uid is not 0");
}

static bool take_filter(struct parser *p, const struct word *word, bool part, uint32_t id,
			uint32_t mask)
{
	if (p->filter && p->parts != part)
		return mistake_at(p->mistake, word,
				  "a filter is either 'id', or 'prio' and 'vcid'");
	p->filter = word;
	p->parts = part;
	p->rule->filtered = true;
	p->rule->filter_id |= id;
	p->rule->filter_mask |= mask;
	return true;
}

static bool phrase_not(struct parser *p)
{
	const struct word *word = parser_word(p, "a filter");

	if (!word)
		return false;
	p->at--;
	p->rule->filter_id |= CAN_INV_FILTER;
	if (strcmp(word->text, "id") && strcmp(word->text, "prio") && strcmp(word->text, "vcid"))
		return mistake_at(p->mistake, word,
				  "behind 'not' comes a filter: id, prio or vcid");
	return true;
}

/* One identifier: data frames, or remote frames if it has their flag. */
static bool parse_exact(struct parser *p, const struct word *word, uint32_t *id, uint32_t *mask)
{
	if (!parse_id(p, word, word->text, id))
		return false;
	if (!(*id & (CAN_EFF_FLAG | CAN_INV_FILTER)) && (*id & ~CAN_RTR_FLAG) > CAN_SFF_MASK)
		return mistake_at(p->mistake, word,
				  "'%s' is no identifier: above 7FF it needs the flag of extended frames, 80000000",
				  word->text);
	*mask = *id & CAN_EFF_FLAG ? RULE_ONE_EFF : RULE_ONE_SFF;
	return true;
}

/*
 * Without a mask, eight digits mean an extended identifier. With one, cangw takes the
 * same digits as they are, and both kinds of frames can match, unless the mask tells them
 * apart; then an identifier above 7FF matches nothing. @p->unclear keeps what may be
 * meant either way until it is known that the frames are not CAN XL.
 */
static bool parse_masked(struct parser *p, const struct word *word, const char *slash,
			 uint32_t *id, uint32_t *mask)
{
	size_t len = slash - word->text;

	if (!number_hex(word->text, len, UINT32_MAX, id) ||
	    !number_hex(slash + 1, strlen(slash + 1), UINT32_MAX, mask))
		return mistake_at(p->mistake, word,
				  "'%s' is no filter: hexadecimal identifier/mask", word->text);
	p->unclear = len == 8 && word->text[1] != 'x' && word->text[1] != 'X' &&
		     *id <= CAN_EFF_MASK &&
		     (!(*mask & CAN_EFF_FLAG) || *id > CAN_SFF_MASK);
	return true;
}

static bool phrase_id(struct parser *p)
{
	const struct word *word = parser_word(p, "an identifier");
	const char *slash = word ? strchr(word->text, '/') : NULL;
	uint32_t id, mask;

	if (!word)
		return false;
	p->exact = !slash;
	if (p->exact ? !parse_exact(p, word, &id, &mask) :
		       !parse_masked(p, word, slash, &id, &mask))
		return false;
	if (id & CAN_INV_FILTER)
		return mistake_at(p->mistake, word,
				  "an identifier has no bit %X; 'not' inverts a filter",
				  CAN_INV_FILTER);
	return take_filter(p, word, false, id, mask);
}

/* A part of the filter for CAN XL frames. */
static bool parse_part(struct parser *p, const char *what, uint32_t max, int shift)
{
	const struct word *word = parser_word(p, what);
	const char *slash = word ? strchr(word->text, '/') : NULL;
	size_t len = word ? strlen(word->text) : 0;
	uint32_t value, mask = max;

	if (!word)
		return false;
	if (slash)
		len = slash - word->text;
	if (!number_hex(word->text, len, max, &value) ||
	    (slash && !number_hex(slash + 1, strlen(slash + 1), max, &mask)))
		return mistake_at(p->mistake, word,
				  "'%s' is no %s: a hexadecimal number up to %X, or number/mask",
				  word->text, what, max);
	return take_filter(p, word, true, value << shift, mask << shift);
}

static bool phrase_prio(struct parser *p)
{
	return parse_part(p, "priority", RULE_XL_PRIO, 0);
}

static bool phrase_vcid(struct parser *p)
{
	return parse_part(p, "VCID", UINT8_MAX, RULE_XL_VCID_SHIFT);
}

/* Bytes before a single one have no effect. */
static void reach(struct operand *operand, enum operation op, unsigned int len)
{
	operand->given |= BIT(CAN_GW_A_OPERAND_DATA);
	while (operand->data_len < len)
		operand->data[operand->data_len++] = operation_neutral(op);
}

/* OP data[N]=BYTES; of set, the bytes are kept until all operations are known. */
static bool parse_some_data(struct parser *p, enum operation op, const struct word *word,
			    const char *index)
{
	struct operand *operand = &p->rule->operands[op];
	uint8_t bytes[CAN_GW_MAX_DATA];
	const char *end;
	int32_t place;
	size_t len;

	if (!number_signed(index, 0, RULE_PLACE_MAX, &place, &end) || strncmp(end, "]=", 2))
		return mistake_at(p->mistake, word,
				  "'%s' should be data[NUMBER]=BYTES", word->text);
	len = number_bytes(end + 2, bytes, CAN_GW_MAX_DATA - place);
	if (!len)
		return mistake_at(p->mistake, word,
				  "'%s' does not end in bytes of 2 hexadecimal digits",
				  word->text);
	if (op == OPERATION_SET) {
		p->bytes_word = word;
		for (; p->bytes_len < place + len; p->bytes_len++)
			p->set[p->bytes_len] = false;
		for (size_t i = 0; i < len; i++) {
			if (p->set[place + i])
				return mistake_at(p->mistake, word, "data[%zu] is set twice",
						  place + i);
			p->set[place + i] = true;
			p->bytes[place + i] = bytes[i];
		}
		return true;
	}
	reach(operand, op, place + len);
	for (size_t i = 0; i < len; i++) {
		if (operand->data[place + i] != operation_neutral(op))
			return mistake_at(p->mistake, word, "data[%zu] is there twice", place + i);
		operand->data[place + i] = bytes[i];
	}
	if (!p->first[op][CAN_GW_A_OPERAND_DATA])
		p->first[op][CAN_GW_A_OPERAND_DATA] = word;
	return true;
}

static bool parse_data(struct parser *p, enum operation op, const struct word *word,
		       const char *text)
{
	struct operand *operand = &p->rule->operands[op];

	operand->data_len = number_bytes(text, operand->data, CAN_GW_MAX_DATA);
	if (operand->data_len)
		return true;
	return mistake_at(p->mistake, word,
			  "'%s' does not end in bytes of 2 hexadecimal digits, at most %d",
			  word->text, CAN_GW_MAX_DATA);
}

static bool parse_value(struct parser *p, enum operation op, const struct word *word,
			unsigned int attr, const char *text)
{
	uint32_t *value = &p->rule->operands[op].value[attr];
	uint64_t number;

	if (attr == CAN_GW_A_OPERAND_ID && op == OPERATION_SET)
		return parse_id(p, word, text, value);
	if (fields[attr].digits)
		return parse_hex(p, word, text, fields[attr].max, value);
	if (!number_decimal(text, fields[attr].max, &number))
		return mistake_at(p->mistake, word, "'%s' is no number up to %u", text,
				  fields[attr].max);
	*value = number;
	return true;
}

/* FIELD=, and what is behind it; sec is the only flag that CAN XL frames have for users. */
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

static bool parse_sec(struct parser *p, enum operation op, const struct word *word,
		      const char *text)
{
	if (strcmp(text, "0") && strcmp(text, "1"))
		return mistake_at(p->mistake, word, "sec is 0 or 1");
	p->rule->operands[op].value[CAN_GW_A_OPERAND_FLAGS] = *text == '1' ? CANXL_SEC : 0;
	return true;
}

static bool parse_field(struct parser *p, enum operation op, const struct word *word)
{
	struct operand *operand = &p->rule->operands[op];
	const char *value;
	unsigned int attr;

	if (!strncmp(word->text, "data[", 5))
		return parse_some_data(p, op, word, word->text + 5);
	attr = find_field(word->text, &value);
	if (!attr)
		return mistake_at(p->mistake, word,
				  "there is no field '%.*s'; fields are id, len, flags, prio, vcid, sdt, af, sec, data",
				  (int)(value - word->text - 1), word->text);
	if (operand->given & BIT(attr))
		return mistake_at(p->mistake, word, "'%s %s' is there twice", operation_names[op],
				  fields[attr].name);
	operand->given |= BIT(attr);
	p->first[op][attr] = word;
	if (attr == CAN_GW_A_OPERAND_DATA)
		return parse_data(p, op, word, value);
	if (word->text[0] == 's' && attr == CAN_GW_A_OPERAND_FLAGS)
		return parse_sec(p, op, word, value);
	return parse_value(p, op, word, attr, value);
}

static bool parse_operation(struct parser *p, enum operation op)
{
	const struct word *word = parser_word(p, "FIELD=VALUE");

	if (!word)
		return false;
	if (!strchr(word->text, '='))
		return mistake_at(p->mistake, word, "'%s' should be FIELD=VALUE", word->text);
	for (;;) {
		if (!parse_field(p, op, word))
			return false;
		if (p->at == p->words->count || !strchr(p->words->word[p->at].text, '='))
			return true;
		word = &p->words->word[p->at++];
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
static bool parse_places(struct parser *p, struct places *places)
{
	const struct word *word = parser_word(p, "FIRST..LAST at PLACE");
	const char *end = NULL;

	if (!word)
		return false;
	if (!number_signed(word->text, RULE_PLACE_MIN, RULE_PLACE_MAX, &places->from, &end) ||
	    strncmp(end, "..", 2) ||
	    !number_signed(end + 2, RULE_PLACE_MIN, RULE_PLACE_MAX, &places->to, &end) || *end)
		return mistake_at(p->mistake, word,
				  "'%s' should be FIRST..LAST, places of bytes such as 0..6 or 0..-2",
				  word->text);
	word = parser_word(p, "'at' and a place");
	if (!word)
		return false;
	if (strcmp(word->text, "at"))
		return mistake_at(p->mistake, word, "'%s' should be 'at' and a place", word->text);
	word = parser_word(p, "the place of the checksum");
	if (!word)
		return false;
	if (!number_signed(word->text, RULE_PLACE_MIN, RULE_PLACE_MAX, &places->result, &end) ||
	    *end)
		return mistake_at(p->mistake, word, "'%s' is no place of a byte", word->text);
	return true;
}

static bool phrase_xor_checksum(struct parser *p)
{
	struct xor_checksum *xor = &p->rule->xor;

	xor->given = true;
	return parse_places(p, &xor->places) &&
	       (!parse_this(p, "init") || parse_u8(p, "a byte", &xor->init));
}

static bool parse_table(struct parser *p, uint8_t table[CAN_GW_CRC8_TABLE_LEN])
{
	const struct word *word = parser_word(p, "a table");

	if (!word)
		return false;
	if (number_bytes(word->text, table, CAN_GW_CRC8_TABLE_LEN) == CAN_GW_CRC8_TABLE_LEN)
		return true;
	return mistake_at(p->mistake, word, "a table has %d bytes of 2 hexadecimal digits",
			  CAN_GW_CRC8_TABLE_LEN);
}

static bool parse_poly(struct parser *p, uint8_t table[CAN_GW_CRC8_TABLE_LEN])
{
	uint8_t poly;

	if (!parse_u8(p, "a polynomial", &poly))
		return false;
	crc8_table(table, poly, parse_this(p, "reflected"));
	return true;
}

static bool parse_profile(struct parser *p, struct crc8_checksum *crc8)
{
	const struct word *word;
	unsigned int len;

	if (!parse_choice(p, "none, 1u8, 16u8 or sffid-xor", profile_names, PROFILES,
			  &crc8->profile))
		return false;
	len = profile_data_len(crc8->profile);
	if (!len)
		return true;
	word = parser_word(p, "the profile's data");
	if (!word)
		return false;
	if (number_bytes(word->text, crc8->profile_data, len) == len)
		return true;
	return mistake_at(p->mistake, word,
			  "profile %s has %u bytes of data, 2 hexadecimal digits each",
			  profile_names[crc8->profile], len);
}

/* Which of the words behind the places of a CRC8 comes next. */
enum detail {
	DETAIL_INIT,
	DETAIL_FINAL,
	DETAIL_POLY,
	DETAIL_TABLE,
	DETAIL_PROFILE,
	DETAILS,
};

static const char *const detail_names[DETAILS] = { "init", "final", "poly", "table", "profile" };

static bool parse_detail(struct parser *p, struct crc8_checksum *crc8, enum detail detail)
{
	switch (detail) {
	case DETAIL_INIT:
		return parse_u8(p, "a byte", &crc8->init);
	case DETAIL_FINAL:
		return parse_u8(p, "a byte", &crc8->final);
	case DETAIL_POLY:
		return parse_poly(p, crc8->table);
	case DETAIL_TABLE:
		return parse_table(p, crc8->table);
	default:
		return parse_profile(p, crc8);
	}
}

static enum detail next_detail(struct parser *p)
{
	enum detail detail = 0;

	while (detail < DETAILS && !parse_this(p, detail_names[detail]))
		detail++;
	return detail;
}

static bool phrase_crc8(struct parser *p)
{
	const struct word *begin = &p->words->word[p->at - 1];
	struct crc8_checksum *crc8 = &p->rule->crc8;
	unsigned int seen = 0;
	enum detail detail;

	crc8->given = true;
	if (!parse_places(p, &crc8->places))
		return false;
	while ((detail = next_detail(p)) < DETAILS) {
		const struct word *word = &p->words->word[p->at - 1];

		if (seen & BIT(detail))
			return mistake_at(p->mistake, word, "'crc8 %s' is there twice", word->text);
		seen |= BIT(detail);
		if (!parse_detail(p, crc8, detail))
			return false;
	}
	if (!(seen & BIT(DETAIL_POLY)) == !(seen & BIT(DETAIL_TABLE)))
		return mistake_at(p->mistake, begin, "crc8 needs either 'poly' or 'table'");
	return true;
}

/* struct phrase - what the word @name begins; @again if it may be there several times */
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
	const struct word *word = &p->words->word[p->at++];
	unsigned int i = 0;

	while (i < ARRAY_SIZE(phrases) && strcmp(word->text, phrases[i].name))
		i++;
	if (i == ARRAY_SIZE(phrases))
		return mistake_at(p->mistake, word, "a rule has no '%s'; see 'canroute help rule'",
				  word->text);
	if (p->seen & BIT(i) && !phrases[i].again)
		return mistake_at(p->mistake, word, "'%s' is there twice", word->text);
	p->seen |= BIT(i);
	return phrases[i].parse(p);
}

static bool check_filter(struct parser *p)
{
	uint32_t id = p->rule->filter_id & ~CAN_INV_FILTER, mask = p->rule->filter_mask;
	bool xl = p->rule->frames == CAN_GW_FRAMES_XL;

	if (p->parts && !xl)
		return mistake_at(p->mistake, p->filter,
				  "%s frames have neither priority nor VCID; their filter is 'id'",
				  kinds[p->rule->frames].title);
	if (p->exact && xl)
		return mistake_at(p->mistake, p->filter,
				  "CAN XL frames have no identifier; their filter is 'prio' and 'vcid'");
	if (p->unclear && !xl)
		return mistake_at(p->mistake, p->filter,
				  "'%s' is ambiguous: write %08X/%X for extended frames only, 0x%X/%X for what cangw takes it for",
				  p->filter->text, id | CAN_EFF_FLAG, mask | CAN_EFF_FLAG, id,
				  mask);
	return true;
}

/*
 * A byte is set by clearing and setting its bits, which leaves the other bytes alone.
 * This has to be all that happens to it.
 */
static bool set_bytes(struct parser *p)
{
	struct operand *op = p->rule->operands;

	if (op[OPERATION_SET].given & BIT(CAN_GW_A_OPERAND_DATA))
		return mistake_at(p->mistake, p->bytes_word, "all data are set, too");
	for (unsigned int i = 0; i < p->bytes_len; i++) {
		if (!p->set[i])
			continue;
		for (int j = 0; j < OPERATION_SET; j++)
			if (i < op[j].data_len && op[j].data[i] != operation_neutral(j))
				return mistake_at(p->mistake, p->bytes_word,
						  "data[%u] is changed by '%s', too", i,
						  operation_names[j]);
	}
	for (unsigned int i = 0; i < p->bytes_len; i++) {
		if (!p->set[i])
			continue;
		if (p->bytes[i] != 0xFF) {
			reach(&op[OPERATION_AND], OPERATION_AND, i + 1);
			op[OPERATION_AND].data[i] = 0;
		}
		if (p->bytes[i]) {
			reach(&op[OPERATION_OR], OPERATION_OR, i + 1);
			op[OPERATION_OR].data[i] = p->bytes[i];
		}
	}
	for (int i = 0; i < OPERATION_SET; i++)
		if (!p->first[i][CAN_GW_A_OPERAND_DATA])
			p->first[i][CAN_GW_A_OPERAND_DATA] = p->bytes_word;
	return true;
}

bool long_form(struct parser *p)
{
	while (p->at < p->words->count)
		if (!parse_phrase(p))
			return false;
	return check_filter(p) && (!p->bytes_word || set_bytes(p));
}
