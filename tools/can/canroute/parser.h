/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of the parser, and what both forms of a rule use. This file depends on neither
 * of the forms; parse.c calls them.
 */
#ifndef CANROUTE_PARSER_H
#define CANROUTE_PARSER_H

#include "rule.h"
#include "tokens.h"

/**
 * struct parser - a rule while it is read, for the two forms
 * @at: the token to read next
 * @seen: what may be there only once and was, a bit for each, numbered by the form
 * @first: the token by which each attribute of an operation was given, to complain of
 * @filter: likewise, of the filter
 * @exact: the filter is for one identifier, of Classical CAN or CAN FD
 * @ambiguous: the filter has an identifier of eight digits, and a mask
 * @xl_filter: the filter is made of a priority and a VCID
 * @bytes, @set: single bytes of the data that the long form sets, with @bytes_len of
 *	both in use; @bytes_token is where
 */
struct parser {
	struct rule *rule;
	struct tokens *tokens;
	struct parse_error *error;
	size_t at;
	unsigned int seen;
	const struct token *first[OPERATIONS][CAN_GW_A_OPERAND_MAX + 1];
	const struct token *filter;
	bool exact, ambiguous, xl_filter;
	const struct token *bytes_token;
	unsigned int bytes_len;
	bool set[CAN_GW_MAX_DATA];
	uint8_t bytes[CAN_GW_MAX_DATA];
};

/* As parse_error_at() and parse_error_in_line(). */
#define parser_error(p, ...) parse_error_at((p)->error, __VA_ARGS__)
#define parser_line_error(p, ...) parse_error_in_line((p)->error, __VA_ARGS__)

/* parser_token() - the next token, which @what describes; NULL is an error. */
struct token *parser_token(struct parser *p, const char *what);

/* parser_interface() - a name that an interface can have. */
bool parser_interface(struct parser *p, const struct token *token, char name[IFNAMSIZ]);

#endif
